//! tokio on one thread: tasks that never leave it, each with an arena of its own.

use std::{io, net, sync::Arc};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::{LocalSet, spawn_local},
};

use crate::{
    conversation::{Conversation, LINGER, Next, PIECE, room},
    library::Library,
    server::{Control, Ready, Signal, Stop, pause},
};

/// The life of a server.
pub(crate) fn serve<L: Library>(listener: net::TcpListener, control: Arc<Control>, ready: Ready) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    LocalSet::new().block_on(&runtime, async move {
        let listener = TcpListener::from_std(listener)?;
        let _ = ready.send(super::POLLED);
        accept::<L>(listener, control).await
    })
}

async fn accept<L: Library>(listener: TcpListener, control: Arc<Control>) -> io::Result<()> {
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
        let (control, stop) = (Arc::clone(&control), stop.clone());
        spawn_local(async move {
            let _open = control.open();
            // What is wrong with a connection is its client's affair, who was told.
            let _ = converse::<L>(socket, control, stop).await;
        });
    }
    // Who connects to a server that is about to stop is the one who stops it, and cannot wait.
    signal.send(stop, listener.accept()).await;
    Ok(())
}

/// The life of a connection.
async fn converse<L: Library>(mut socket: TcpStream, control: Arc<Control>, mut stop: Stop) -> io::Result<()> {
    socket.set_nodelay(true)?;
    let mut conversation = Conversation::<L>::new(control);
    let (mut piece, mut replies) = (vec![0; PIECE], room());
    loop {
        let Some(count) = stop.or(socket.read(&mut piece)).await else {
            return socket.shutdown().await;
        };
        let mut rest = &piece[..count?];
        loop {
            let next = conversation.take(&mut rest, &mut replies);
            stop.writing(socket.write_all(&replies)).await??;
            replies.clear();
            match next {
                Next::Read => break,
                Next::Again => {}
                Next::Close(error) => {
                    socket.shutdown().await?;
                    if error.is_some() {
                        linger(socket, &mut piece, stop).await?;
                    }
                    return error.map_or(Ok(()), Err);
                }
            }
        }
    }
}

/// Reads what a client had sent before it learned that nobody wants it.
async fn linger(mut socket: TcpStream, piece: &mut [u8], mut stop: Stop) -> io::Result<()> {
    let mut left = LINGER;
    while let Some(count) = stop.or(socket.read(piece)).await.transpose()? {
        left = left.saturating_sub(count);
        if count == 0 || left == 0 {
            break;
        }
    }
    Ok(())
}
