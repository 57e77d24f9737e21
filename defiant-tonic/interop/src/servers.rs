//! Servers of the library on a port of the loopback, which stop when they are dropped.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::thread::{self, JoinHandle};

use defiant_grpc::{Server, ServerOptions};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::LocalSet;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::codec::CompressionEncoding;
use tonic::transport::server::Router;

use crate::library::library_server::LibraryServer;
use crate::library::library_service;
use crate::local::Local;
use crate::prost_library;
use crate::stock::Stock;
use crate::threads::Threads;

/// A server that runs on a thread of its own.
#[derive(Debug)]
pub struct Running {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<io::Result<()>>>,
}

impl Running {
    /// What clients connect to.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Waits until it ends by itself.
    ///
    /// # Errors
    /// What it ended with.
    pub fn wait(mut self) -> io::Result<()> {
        // The sender lives on, so that it is not told to stop.
        self.thread
            .take()
            .map_or(Ok(()), |thread| thread.join().unwrap_or_else(|_| Err(io::Error::other("it panicked"))))
    }

    /// Tells it to stop, and waits until it has answered what it is asked.
    ///
    /// # Errors
    /// What it ended with.
    pub fn stop(mut self) -> io::Result<()> {
        drop(self.stop.take());
        self.wait()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Listens, and runs a server on a thread.
fn start<F>(run: impl FnOnce(std::net::TcpListener, oneshot::Receiver<()>) -> F + Send + 'static) -> io::Result<Running>
where
    F: FnOnce() -> io::Result<()>,
{
    let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    let (stop, stopped) = oneshot::channel();
    let thread = thread::spawn(move || run(listener, stopped)());
    Ok(Running { address, stop: Some(stop), thread: Some(thread) })
}

/// Defiant's own server, on a runtime of one thread.
///
/// # Errors
/// When there is no port or no thread.
pub fn local(options: ServerOptions) -> io::Result<Running> {
    start(move |listener, stopped| {
        move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            LocalSet::new().block_on(&runtime, async {
                let services = (library_service::LibraryServer::new(Local),);
                let stop = async move {
                    let _ = stopped.await;
                };
                Server::with_options(services, options).serve_until(TcpListener::from_std(listener)?, stop).await
            })
        }
    })
}

/// tonic's server with any services.
///
/// # Errors
/// As [`local`].
pub fn tonic(router: impl FnOnce() -> Router + Send + 'static) -> io::Result<Running> {
    start(move |listener, stopped| {
        move || {
            let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
            runtime.block_on(async {
                let incoming = TcpListenerStream::new(TcpListener::from_std(listener)?);
                let stop = async move {
                    let _ = stopped.await;
                };
                router().serve_with_incoming_shutdown(incoming, stop).await.map_err(io::Error::other)
            })
        }
    })
}

/// tonic's server with Defiant's messages, which takes gzip and answers with it.
///
/// # Errors
/// As [`local`].
pub fn threads() -> io::Result<Running> {
    tonic(|| {
        let library = LibraryServer::new(Threads)
            .accept_compressed(CompressionEncoding::Gzip)
            .send_compressed(CompressionEncoding::Gzip);
        tonic::transport::Server::builder().add_service(library)
    })
}

/// tonic's server with prost's messages.
///
/// # Errors
/// As [`local`].
pub fn stock() -> io::Result<Running> {
    tonic(|| tonic::transport::Server::builder().add_service(prost_library::library_server::LibraryServer::new(Stock)))
}
