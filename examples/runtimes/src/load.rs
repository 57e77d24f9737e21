//! Load on a server: connections that send bursts of requests and check every byte of the replies.

use std::{
    cell::RefCell,
    io,
    net::SocketAddr,
    num::{NonZeroU64, NonZeroUsize},
    rc::Rc,
    time::{Duration, Instant},
};

use clap::Args;
use hdrhistogram::Histogram;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    task::{LocalSet, spawn_local},
};

use crate::{Burst, Runtime};

/// What the programs that put load on a server for a record are asked for.
#[derive(Debug, Args)]
pub struct Setting {
    /// Clients at the same time
    #[arg(long, value_name = "N", default_value = "8")]
    pub connections: NonZeroUsize,
    /// Requests that a client sends before it reads the replies
    #[arg(long, value_name = "N", default_value = "16")]
    pub burst: NonZeroU64,
    /// This runtime; may be given more than once [default: all]
    #[arg(long = "runtime", value_name = "NAME")]
    pub runtimes: Vec<Runtime>,
    /// Where the record goes
    #[arg(long, value_name = "FILE.csv")]
    pub record: Option<String>,
}

/// How much load.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    /// Connections open at the same time.
    pub connections: usize,
    /// How long before it is measured.
    pub warm_up: Duration,
    /// How long it is measured.
    pub measured: Duration,
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Replies that came while it was measured.
    pub replies: u64,
    /// How long that was.
    pub elapsed: Duration,
    /// Nanoseconds from the first byte of a burst to the last byte of its last reply, for each burst.
    pub latencies: Histogram<u64>,
}

impl Outcome {
    /// Replies per second.
    pub fn per_second(&self) -> f64 {
        self.replies as f64 / self.elapsed.as_secs_f64()
    }

    /// Microseconds within which so many of a hundred bursts were answered.
    pub fn percentile(&self, percent: f64) -> f64 {
        self.latencies.value_at_quantile(percent / 100.0) as f64 / 1000.0
    }
}

/// Puts load on a server, from one thread.
///
/// Requests and the bytes that have to come back are made before; what the client does meanwhile is to send, receive and
/// compare.
///
/// # Errors
///
/// Whatever the sockets report, and replies that are not the right ones.
pub fn put(address: SocketAddr, burst: &Burst, load: Load) -> io::Result<Outcome> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let latencies = Histogram::new(3).map_err(io::Error::other)?;
    let begin = Instant::now() + load.warm_up;
    let end = begin + load.measured;
    let total = Rc::new(RefCell::new(Outcome { replies: 0, elapsed: Duration::ZERO, latencies }));
    LocalSet::new().block_on(&runtime, async {
        let burst = Rc::new(burst.clone());
        let connections: Vec<_> = (0..load.connections)
            .map(|_| spawn_local(connection(address, Rc::clone(&burst), begin, end, Rc::clone(&total))))
            .collect();
        for connection in connections {
            connection.await.map_err(io::Error::other)??;
        }
        io::Result::Ok(())
    })?;
    let mut outcome = Rc::try_unwrap(total).map(RefCell::into_inner).map_err(|_| io::Error::other("a task is left"))?;
    outcome.elapsed = load.measured;
    Ok(outcome)
}

async fn connection(
    address: SocketAddr,
    burst: Rc<Burst>,
    begin: Instant,
    end: Instant,
    total: Rc<RefCell<Outcome>>,
) -> io::Result<()> {
    let mut socket = TcpStream::connect(address).await?;
    socket.set_nodelay(true)?;
    let mut received = vec![0; burst.replies.len()];
    loop {
        let sent = Instant::now();
        if sent >= end {
            return Ok(());
        }
        socket.write_all(&burst.requests).await?;
        socket.read_exact(&mut received).await?;
        if received != burst.replies {
            return Err(io::Error::other("the wrong replies"));
        }
        let now = Instant::now();
        // Counted where it ends, so that every moment of the measurement counts the same.
        if (begin..end).contains(&now) {
            let mut total = total.borrow_mut();
            total.replies += burst.count;
            let nanos = u64::try_from((now - sent).as_nanos()).unwrap_or(u64::MAX);
            total.latencies.record(nanos).map_err(io::Error::other)?;
        }
    }
}
