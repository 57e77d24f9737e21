//! compio: the kernel reads into buffers that it is handed, and hands them back.

use std::{io, net, sync::Arc};

use compio::{
    buf::BufResult,
    io::{AsyncRead, AsyncWrite, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    runtime::{Runtime, spawn},
};

use crate::{
    conversation::{Conversation, LINGER, Next, PIECE, room},
    library::Library,
    server::{Control, Ready, Signal, Stop, pause},
};

/// The life of a server.
pub(crate) fn serve<L: Library>(listener: net::TcpListener, control: Arc<Control>, ready: Ready) -> io::Result<()> {
    let runtime = Runtime::new().map_err(|error| super::unsupported(super::Runtime::Compio, &error))?;
    let driver = if runtime.driver_type().is_iouring() { super::RING } else { super::POLLED };
    runtime.block_on(async move {
        let listener = TcpListener::from_std(listener)?;
        let _ = ready.send(driver);
        accept::<L>(listener, control).await
    })
}

async fn accept<L: Library>(listener: TcpListener, control: Arc<Control>) -> io::Result<()> {
    let (signal, stop) = Signal::new();
    loop {
        let socket = match listener.accept().await {
            Ok((socket, _)) => socket,
            Err(error) => {
                compio::time::sleep(pause(error)?).await;
                continue;
            }
        };
        if !control.serves() {
            break;
        }
        let (control, stop) = (Arc::clone(&control), stop.clone());
        spawn(async move {
            let _open = control.open();
            // What is wrong with a connection is its client's affair, who was told.
            let _ = converse::<L>(socket, control, stop).await;
        })
        .detach();
    }
    // Who connects to a server that is about to stop is the one who stops it, and cannot wait.
    signal.send(stop, listener.accept()).await;
    Ok(())
}

/// The life of a connection. Both buffers go to the kernel and come back.
async fn converse<L: Library>(mut socket: TcpStream, control: Arc<Control>, mut stop: Stop) -> io::Result<()> {
    socket.set_nodelay(true)?;
    let mut conversation = Conversation::<L>::new(control);
    let (mut piece, mut replies) = (Vec::with_capacity(PIECE), room());
    loop {
        piece.clear();
        let Some(BufResult(count, filled)) = stop.or(socket.read(piece)).await else {
            return socket.shutdown().await;
        };
        piece = filled;
        let mut rest = &piece[..count?];
        loop {
            let next = conversation.take(&mut rest, &mut replies);
            let written;
            BufResult(written, replies) = stop.writing(socket.write_all(replies)).await?;
            written?;
            replies.clear();
            match next {
                Next::Read => break,
                Next::Again => {}
                Next::Close(error) => {
                    socket.shutdown().await?;
                    if error.is_some() {
                        linger(socket, piece, stop).await?;
                    }
                    return error.map_or(Ok(()), Err);
                }
            }
        }
    }
}

/// Reads what a client had sent before it learned that nobody wants it.
async fn linger(mut socket: TcpStream, mut piece: Vec<u8>, mut stop: Stop) -> io::Result<()> {
    let mut left = LINGER;
    loop {
        piece.clear();
        let Some(BufResult(count, filled)) = stop.or(socket.read(piece)).await else { return Ok(()) };
        let count = count?;
        piece = filled;
        left = left.saturating_sub(count);
        if count == 0 || left == 0 {
            return Ok(());
        }
    }
}
