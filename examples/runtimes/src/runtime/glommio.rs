//! glommio: io_uring behind the traits of `futures`.
#![expect(unsafe_code, reason = "glommio takes a listener that is there already by its file descriptor only")]

use std::{
    io, net,
    os::fd::{FromRawFd, IntoRawFd},
    sync::Arc,
};

use futures_lite::{AsyncReadExt, AsyncWriteExt};
use glommio::{
    LocalExecutorBuilder, Placement,
    net::{TcpListener, TcpStream},
    spawn_local,
};

use crate::{
    conversation::{Conversation, LINGER, Next, PIECE, room},
    library::Library,
    server::{Control, Ready, Signal, Stop, pause},
};

/// The life of a server.
pub(crate) fn serve<L: Library>(listener: net::TcpListener, control: Arc<Control>, ready: Ready) -> io::Result<()> {
    let executor = LocalExecutorBuilder::new(Placement::Unbound)
        .make()
        .map_err(|error| super::unsupported(super::Runtime::Glommio, &error))?;
    executor.run(async move {
        // SAFETY: the descriptor is that of a listener, and `into_raw_fd` gave it away, so that nobody else closes it.
        let listener = unsafe { TcpListener::from_raw_fd(listener.into_raw_fd()) };
        let _ = ready.send(super::RING);
        accept::<L>(listener, control).await
    })
}

async fn accept<L: Library>(listener: TcpListener, control: Arc<Control>) -> io::Result<()> {
    let (signal, stop) = Signal::new();
    loop {
        let socket = match listener.accept().await {
            Ok(socket) => socket,
            Err(error) => {
                // What becomes of it by itself does not know the system's number any more.
                let error = error.raw_os_error().map_or_else(|| error.into(), io::Error::from_raw_os_error);
                glommio::timer::sleep(pause(error)?).await;
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
        })
        .detach();
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
            return socket.close().await;
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
                    socket.close().await?;
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
