//! A running server, whatever it runs on: how it starts, counts and stops.

use std::{
    future::{Future, poll_fn},
    io,
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering::SeqCst},
        mpsc::{SyncSender, sync_channel},
    },
    task::Poll,
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use socket2::{Domain, Socket, Type};
use tokio::sync::watch;

use crate::{library::Library, runtime::Runtime};

/// How often it is looked whether the connections are gone.
const LOOK: Duration = Duration::from_millis(5);

/// How long connections are given to end when there are no descriptors or memory for another.
const PAUSE: Duration = Duration::from_millis(50);

/// `EMFILE`, `ENFILE`, `ENOMEM` and `ENOBUFS`.
const SHORTAGES: [i32; 4] = [24, 23, 12, if cfg!(target_os = "linux") { 105 } else { 55 }];

/// Bytes that the operating system buffers for a connection, in each direction.
const KERNEL: usize = 128 * 1024;

/// Connections that may wait to be accepted.
const BACKLOG: i32 = 128;

/// What the thread that owns the server shares with the outside.
#[derive(Debug, Default)]
pub(crate) struct Control {
    /// `SERVE`, `DRAIN` or `DROP`.
    phase: AtomicU8,
    answered: AtomicU64,
    refused: AtomicU64,
    open: AtomicUsize,
}

impl Control {
    pub(crate) fn answered(&self, requests: u64) {
        self.answered.fetch_add(requests, SeqCst);
    }

    pub(crate) fn refused(&self) {
        self.refused.fetch_add(1, SeqCst);
    }

    /// Whether new connections are still wanted.
    pub(crate) fn serves(&self) -> bool {
        self.phase.load(SeqCst) == SERVE
    }

    /// Counts a connection for as long as the guard is there.
    pub(crate) fn open(self: &Arc<Self>) -> Open {
        self.open.fetch_add(1, SeqCst);
        Open(Arc::clone(self))
    }
}

/// A connection that is open.
#[derive(Debug)]
pub(crate) struct Open(Arc<Control>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, SeqCst);
    }
}

/// Tells the starter that the runtime is there, and what it stands on.
pub(crate) type Ready = SyncSender<&'static str>;

/// Connections are served.
const SERVE: u8 = 0;

/// Connections answer what they have read, and close.
const DRAIN: u8 = 1;

/// Connections close.
const DROP: u8 = 2;

/// The runtime's end of the signal to stop.
///
/// It is sent on the thread of the runtime, so that it fits runtimes whose tasks can be woken from no other, and
/// connections end by themselves: not every runtime frees a task that waits for the kernel when the runtime ends.
#[derive(Debug)]
pub(crate) struct Signal(watch::Sender<u8>);

impl Signal {
    /// The signal and what connections have of it.
    pub(crate) fn new() -> (Self, Stop) {
        let (sender, receiver) = watch::channel(SERVE);
        (Signal(sender), Stop(receiver))
    }

    /// Has all connections come to an end, and waits for it: by themselves, or, when the future is done, at once. The
    /// `Stop` that new connections got theirs from has to go first.
    pub(crate) async fn send<T>(self, stop: Stop, no_longer: impl Future<Output = T>) {
        drop(stop);
        self.0.send_replace(DRAIN);
        if either(self.0.closed(), no_longer).await.is_none() {
            self.0.send_replace(DROP);
            self.0.closed().await;
        }
    }
}

/// A connection's end of the signal to stop.
#[derive(Clone, Debug)]
pub(crate) struct Stop(watch::Receiver<u8>);

impl Stop {
    /// What a read gives, or nothing if no more is to be read; then the read is dropped.
    pub(crate) async fn or<T>(&mut self, read: impl Future<Output = T>) -> Option<T> {
        either(read, self.0.wait_for(|&phase| phase >= DRAIN)).await
    }

    /// What a write gives; an error if the client takes so long to read that the server does not wait any more.
    pub(crate) async fn writing<T>(&mut self, write: impl Future<Output = T>) -> io::Result<T> {
        let written = either(write, self.0.wait_for(|&phase| phase >= DROP)).await;
        written
            .ok_or_else(|| io::Error::new(io::ErrorKind::TimedOut, "the client did not read while the server stopped"))
    }
}

/// What the first future gives, or nothing when the second is done before it.
pub(crate) async fn either<T, U>(first: impl Future<Output = T>, second: impl Future<Output = U>) -> Option<T> {
    let (mut first, mut second) = (pin!(first), pin!(second));
    poll_fn(|context| match first.as_mut().poll(context) {
        Poll::Ready(value) => Poll::Ready(Some(value)),
        Poll::Pending => second.as_mut().poll(context).map(|_| None),
    })
    .await
}

/// How long to wait before the next connection is asked for, when there came none; the error if the listener will give none
/// again.
///
/// A server that ended because too many connect would do what the worst of them want.
pub(crate) fn pause(error: io::Error) -> io::Result<Duration> {
    match (error.kind(), error.raw_os_error()) {
        // The connection's own failure, before it was handed out.
        (io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset | io::ErrorKind::Interrupted, _) => {
            Ok(Duration::ZERO)
        }
        (_, Some(code)) if SHORTAGES.contains(&code) => Ok(PAUSE),
        _ => Err(error),
    }
}

/// A server on a loopback address, on a thread of its own.
///
/// ```
/// use std::time::Duration;
/// use runtimes::{Defiant, Runtime, Server};
///
/// let server = Server::start::<Defiant>(Runtime::TokioLocal)?;
/// println!("{} on {} at {}", server.runtime().name(), server.driver(), server.address());
/// server.stop(Duration::from_secs(1))?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Server {
    runtime: Runtime,
    driver: &'static str,
    address: SocketAddr,
    control: Arc<Control>,
    thread: JoinHandle<io::Result<()>>,
}

impl Server {
    /// Starts the service with a library, on a runtime.
    ///
    /// # Errors
    ///
    /// `Unsupported` if the runtime cannot run here, and says why; else whatever the operating system reports.
    pub fn start<L: Library>(runtime: Runtime) -> io::Result<Self> {
        Self::start_at::<L>(runtime, (Ipv4Addr::LOCALHOST, 0).into())
    }

    /// The same at an address of one's own choice.
    ///
    /// # Errors
    ///
    /// As [`start`](Self::start).
    pub fn start_at<L: Library>(runtime: Runtime, address: SocketAddr) -> io::Result<Self> {
        let serve = runtime.serve::<L>()?;
        let listener = listen(address)?;
        let address = listener.local_addr()?;
        let control = Arc::new(Control::default());
        let (ready, is_ready) = sync_channel(1);
        let thread = thread::Builder::new().name(runtime.name().into()).spawn({
            let control = Arc::clone(&control);
            move || serve(listener, control, ready)
        })?;
        match is_ready.recv() {
            Ok(driver) => Ok(Server { runtime, driver, address, control, thread }),
            // It ended before it was ready.
            Err(_) => Err(join(thread).err().unwrap_or_else(|| io::Error::other("it ended at once"))),
        }
    }

    /// What it runs on.
    pub fn runtime(&self) -> Runtime {
        self.runtime
    }

    /// What the runtime stands on: `io_uring` or `epoll`.
    pub fn driver(&self) -> &'static str {
        self.driver
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Requests answered so far.
    pub fn answered(&self) -> u64 {
        self.control.answered.load(SeqCst)
    }

    /// Connections closed so far because of what they sent.
    pub fn refused(&self) -> u64 {
        self.control.refused.load(SeqCst)
    }

    /// Connections that are open now.
    pub fn open(&self) -> usize {
        self.control.open.load(SeqCst)
    }

    /// Accepts no more, lets connections answer what they have read, and drops those that are not done with it after a
    /// while: their clients do not read.
    ///
    /// # Errors
    ///
    /// What ended the server, if it ended by itself.
    pub fn stop(self, grace: Duration) -> io::Result<()> {
        let deadline = Instant::now() + grace;
        self.tell(DRAIN);
        while !self.thread.is_finished() && Instant::now() < deadline {
            thread::sleep(LOOK);
        }
        if !self.thread.is_finished() {
            self.tell(DROP);
        }
        join(self.thread)
    }

    /// Sets the phase, and wakes the thread with a connection.
    fn tell(&self, phase: u8) {
        self.control.phase.store(phase, SeqCst);
        // Where it fails there is no listener any more, so nobody to be woken.
        drop(TcpStream::connect(self.address));
    }
}

/// A listener whose connections have buffers of a fixed size, so that a client that does not read takes little of the
/// operating system's memory, too.
fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
    #[cfg(unix)]
    socket.set_reuse_address(true)?;
    socket.set_send_buffer_size(KERNEL)?;
    socket.set_recv_buffer_size(KERNEL)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}

fn join(thread: JoinHandle<io::Result<()>>) -> io::Result<()> {
    thread.join().unwrap_or_else(|_| Err(io::Error::other("the server panicked")))
}
