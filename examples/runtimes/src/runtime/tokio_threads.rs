//! tokio on several threads, which steal tasks from each other.
//!
//! A connection is two tasks: one reads and decodes, one answers and writes, so that both may run at once. A request goes
//! from one to the other as one value with its arena, which comes from a pool and goes back to it.

use std::{io, net, sync::Arc};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{
        TcpListener, TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    spawn,
    sync::mpsc::{Receiver, Sender, channel},
};

use crate::{
    allocations::within,
    conversation::{LINGER, PIECE, enough, frames, invalid, room},
    library::{Library, refuse},
    server::{Control, Ready, Signal, Stop, pause},
};

/// Requests that may wait between the two tasks of a connection.
const WAITING: usize = 32;

/// Threads of the runtime.
const THREADS: usize = 2;

/// The life of a server.
pub(crate) fn serve<L: Library>(listener: net::TcpListener, control: Arc<Control>, ready: Ready) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(THREADS).enable_all().build()?;
    runtime.block_on(async move {
        let listener = TcpListener::from_std(listener)?;
        let pool = L::Pool::default();
        let _ = ready.send(super::POLLED);
        spawn(accept::<L>(listener, control, pool)).await.map_err(io::Error::other)?
    })
}

async fn accept<L: Library>(listener: TcpListener, control: Arc<Control>, pool: L::Pool) -> io::Result<()> {
    let (signal, stop) = Signal::new();
    loop {
        let socket = match listener.accept().await {
            Ok((socket, _)) => socket,
            Err(error) => {
                tokio::time::sleep(pause(error)?).await;
                continue;
            }
        };
        if !control.serves() {
            break;
        }
        let (control, stop, pool) = (Arc::clone(&control), stop.clone(), pool.clone());
        spawn(async move {
            let _open = control.open();
            // What is wrong with a connection is its client's affair, who was told.
            let _ = converse::<L>(socket, Arc::clone(&control), stop, pool).await;
        });
    }
    // Who connects to a server that is about to stop is the one who stops it, and cannot wait.
    signal.send(stop, listener.accept()).await;
    Ok(())
}

/// The life of a connection. It ends when all that was read is answered.
async fn converse<L: Library>(socket: TcpStream, control: Arc<Control>, stop: Stop, pool: L::Pool) -> io::Result<()> {
    socket.set_nodelay(true)?;
    let (input, output) = socket.into_split();
    let (sender, receiver) = channel(WAITING);
    let reader = spawn(read::<L>(input, sender, stop.clone(), pool));
    let written = write::<L>(output, receiver, &control, stop).await;
    if written.is_err() {
        // Nobody reads the replies, so nobody needs the requests.
        reader.abort();
    }
    // Its result is known to the writer already.
    let _ = reader.await;
    written
}

/// What goes from task to task: a request, or why there will be none any more.
type Incoming<L> = io::Result<<L as Library>::Held>;

/// Reads and decodes. The channel's bounds are those of what a client can have the server hold.
async fn read<L: Library>(mut input: OwnedReadHalf, sender: Sender<Incoming<L>>, mut stop: Stop, pool: L::Pool) {
    let mut frames = frames();
    let mut piece = vec![0; PIECE];
    let error = 'connection: loop {
        let count = match stop.or(input.read(&mut piece)).await {
            None => return,
            Some(Ok(0)) => match frames.finish() {
                Ok(()) => return,
                Err(error) => break error.into(),
            },
            Some(Ok(count)) => count,
            // The writer will find out by itself.
            Some(Err(_)) => return,
        };
        let mut rest = &piece[..count];
        loop {
            let held = within(|| match frames.next(&mut rest) {
                Ok(Some(frame)) => L::hold(&pool, frame).map(Some).map_err(invalid),
                Ok(None) => Ok(None),
                Err(error) => Err(error.into()),
            });
            match held {
                // The receiver is gone when the client is.
                Ok(Some(held)) => match sender.send(Ok(held)).await {
                    Ok(()) => {}
                    Err(_) => return,
                },
                Ok(None) => break,
                Err(error) => break 'connection error,
            }
        }
    };
    if sender.send(Err(error)).await.is_err() {
        return;
    }
    drop(sender);
    let mut left = LINGER;
    while let Some(Ok(count)) = stop.or(input.read(&mut piece)).await {
        left = left.saturating_sub(count);
        if count == 0 || left == 0 {
            return;
        }
    }
}

/// Answers and writes: what waits, at once.
async fn write<L: Library>(
    mut output: OwnedWriteHalf,
    mut receiver: Receiver<Incoming<L>>,
    control: &Control,
    mut stop: Stop,
) -> io::Result<()> {
    let (mut desk, mut replies) = (L::Desk::default(), room());
    while let Some(mut incoming) = receiver.recv().await {
        loop {
            match incoming {
                Ok(held) => within(|| {
                    L::answer_held(&mut desk, held, &mut replies);
                    control.answered(1);
                }),
                Err(error) => {
                    refuse(&error, &mut replies);
                    control.refused();
                    break;
                }
            }
            match receiver.try_recv() {
                Ok(next) if !enough(&replies) => incoming = next,
                Ok(next) => {
                    stop.writing(output.write_all(&replies)).await??;
                    replies.clear();
                    incoming = next;
                }
                Err(_) => break,
            }
        }
        stop.writing(output.write_all(&replies)).await??;
        replies.clear();
    }
    output.shutdown().await
}
