//! One thread per core, each with its own listener, its own single-threaded runtime and its own counters.
//!
//! Nothing is shared between the threads but the port: the kernel spreads new connections over the listeners
//! (`SO_REUSEPORT`), and a connection stays with the thread that accepted it.

use std::{
    cell::Cell,
    io,
    net::{Ipv4Addr, SocketAddr, TcpListener},
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use defiant::frame::{FrameBuffer, FrameOptions};
use defiant::{Arena, Encoder};
use socket2::{Domain, Socket, Type};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    runtime,
    sync::watch,
    task::LocalSet,
};

use crate::{
    allocations,
    service::{self, MAX_FRAME},
};

/// Bytes that a connection reads at once.
const PIECE: usize = 8 * 1024;

/// Connections that may wait at one listener.
const BACKLOG: i32 = 128;

/// How long a server waits for better times when no connection could be accepted.
const PAUSE: Duration = Duration::from_millis(50);

/// What server threads counted while they were measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Requests answered.
    pub requests: u64,
    /// Bytes of the requests, without their length prefixes.
    pub bytes_in: u64,
    /// Bytes of the replies, with their length prefixes.
    pub bytes_out: u64,
    /// Heap allocations of the thread, whatever made them.
    pub allocations: u64,
}

/// A running server on a loopback address.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    measuring: Arc<AtomicBool>,
    stop: watch::Sender<bool>,
    threads: Vec<JoinHandle<io::Result<Counters>>>,
}

impl Server {
    /// Starts this many threads, at least one.
    ///
    /// # Errors
    ///
    /// Whatever the operating system reports about sockets and threads.
    pub fn start(cores: usize) -> io::Result<Self> {
        let first = listen((Ipv4Addr::LOCALHOST, 0).into())?;
        let address = first.local_addr()?;
        let mut listeners = vec![first];
        for _ in 1..cores {
            listeners.push(listen(address)?);
        }

        let (stop, stopped) = watch::channel(false);
        let measuring = Arc::new(AtomicBool::new(false));
        let threads = listeners
            .into_iter()
            .enumerate()
            .map(|(core, listener)| {
                let (stopped, measuring) = (stopped.clone(), Arc::clone(&measuring));
                thread::Builder::new().name(format!("core-{core}")).spawn(move || serve(listener, stopped, measuring))
            })
            .collect::<io::Result<_>>()?;
        Ok(Server { address, measuring, stop, threads })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Counts from the next request of each thread on.
    pub fn measure(&self) {
        self.measuring.store(true, Ordering::Release);
    }

    /// Stops all threads and adds up what they counted.
    ///
    /// # Errors
    ///
    /// The first error that ended a thread early.
    pub fn stop(self) -> io::Result<Counters> {
        // It fails if every thread has ended already, and the loop below says why.
        let _ = self.stop.send(true);
        let mut sum = Counters::default();
        for thread in self.threads {
            let counters = thread.join().unwrap_or_else(|_| Err(io::Error::other("a server thread panicked")))?;
            sum.requests += counters.requests;
            sum.bytes_in += counters.bytes_in;
            sum.bytes_out += counters.bytes_out;
            sum.allocations += counters.allocations;
        }
        Ok(sum)
    }
}

/// A listener that shares its port with those of the other threads.
fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
    #[cfg(unix)]
    socket.set_reuse_port(true)?;
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}

/// The life of one thread: accepts connections until it is told to stop.
fn serve(
    listener: TcpListener,
    mut stopped: watch::Receiver<bool>,
    measuring: Arc<AtomicBool>,
) -> io::Result<Counters> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
    let meter = Rc::new(Meter { measuring, ..Meter::default() });
    let tasks = LocalSet::new();
    tasks.spawn_local({
        let meter = Rc::clone(&meter);
        async move {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            loop {
                let (socket, peer) = match listener.accept().await {
                    Ok(accepted) => accepted,
                    Err(error) => {
                        // A connection that failed before it was accepted, or no descriptors for another: the next one
                        // may be better, and the connections that are there go on meanwhile.
                        eprintln!("no connection: {error}");
                        tokio::time::sleep(PAUSE).await;
                        continue;
                    }
                };
                let meter = Rc::clone(&meter);
                tokio::task::spawn_local(async move {
                    if let Err(error) = converse(socket, &meter).await {
                        eprintln!("{peer}: {error}");
                    }
                });
            }
            #[expect(unreachable_code, reason = "names the type of the block")]
            io::Result::Ok(())
        }
    });
    // The connections that are still open are dropped with `tasks`.
    runtime.block_on(tasks.run_until(stopped.wait_for(|&stop| stop))).map_err(io::Error::other)?;
    Ok(meter.counters())
}

/// The life of one connection: frame in, frame out, and the arena is empty again.
async fn converse(mut socket: TcpStream, meter: &Meter) -> io::Result<()> {
    socket.set_nodelay(true)?;
    let mut frames = FrameBuffer::new(FrameOptions::new().max_len(MAX_FRAME));
    let mut piece = vec![0; PIECE];
    let mut encoder = Encoder::new();
    let mut arena = Arena::new();
    loop {
        let count = socket.read(&mut piece).await?;
        if count == 0 {
            return match frames.finish() {
                Ok(()) => Ok(()),
                Err(error) => refuse(&mut socket, &mut encoder, error.into()).await,
            };
        }
        let mut rest = &piece[..count];
        loop {
            let payload = match frames.next(&mut rest) {
                Ok(Some(payload)) => payload,
                Ok(None) => break,
                Err(error) => return refuse(&mut socket, &mut encoder, error.into()).await,
            };
            let bytes_in = payload.len();
            meter.before_request();
            match service::answer(payload, &arena, &mut encoder) {
                Ok(reply) => {
                    socket.write_all(reply).await?;
                    meter.after_request(bytes_in, reply.len());
                }
                Err(error) => return refuse(&mut socket, &mut encoder, io::Error::other(error)).await,
            }
            arena.reset();
        }
    }
}

/// Ends a connection whose stream cannot be trusted any further: says why, then closes.
async fn refuse(socket: &mut TcpStream, encoder: &mut Encoder, error: io::Error) -> io::Result<()> {
    socket.write_all(service::refuse(&error.to_string(), encoder)).await?;
    socket.shutdown().await?;
    Err(error)
}

/// The counters of one thread.
#[derive(Debug, Default)]
struct Meter {
    measuring: Arc<AtomicBool>,
    counters: Cell<Counters>,
    /// The thread's allocations when the first measured request came.
    baseline: Cell<Option<u64>>,
}

impl Meter {
    /// Notes where the measurement starts, once.
    fn before_request(&self) {
        if self.baseline.get().is_none() && self.measuring.load(Ordering::Acquire) {
            self.baseline.set(Some(allocations::of_this_thread()));
        }
    }

    /// Counts a request whose reply is on its way. The allocations are those of the whole thread since the measurement
    /// started, so nothing between two requests is overlooked.
    fn after_request(&self, bytes_in: usize, bytes_out: usize) {
        let Some(baseline) = self.baseline.get() else {
            return;
        };
        let before = self.counters.get();
        self.counters.set(Counters {
            requests: before.requests + 1,
            bytes_in: before.bytes_in + bytes_in as u64,
            bytes_out: before.bytes_out + bytes_out as u64,
            allocations: allocations::of_this_thread() - baseline,
        });
    }

    fn counters(&self) -> Counters {
        self.counters.get()
    }
}
