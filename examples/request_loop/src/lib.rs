//! A request loop as Defiant is meant to be used: thread-per-core, one arena per connection, one `reset` per request.
//!
//! [`run`] starts [`Server`] on a loopback address, drives it with blocking clients, and reports what it did.
//! After warm-up no request allocates on the heap: neither reading, nor decoding, nor answering, nor encoding, nor
//! writing.

mod allocations;
mod client;
mod server;
mod service;

use std::{
    fmt, io,
    net::SocketAddr,
    num::NonZero,
    sync::Barrier,
    thread,
    time::{Duration, Instant},
};

pub use crate::{
    client::Client,
    server::{Counters, Server},
    service::MAX_FRAME,
};

/// What `build.rs` made of `proto/peaks.proto`.
pub mod peaks {
    defiant::include_proto!("peaks");
}

/// How much to do: see [`run`].
#[derive(Clone, Copy, Debug)]
pub struct Load {
    /// Server threads, each with its own listener.
    pub cores: usize,
    /// Connections open at the same time, each driven by a blocking client.
    pub connections: usize,
    /// Requests to measure over all connections.
    pub requests: u64,
    /// Requests that each connection makes before the measurement starts.
    pub warm_up: u64,
}

impl Load {
    /// This many requests over two connections per core.
    pub fn new(requests: u64) -> Self {
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        Load { cores, connections: 2 * cores, requests, warm_up: 100 }
    }
}

/// What a run did, without its warm-up.
#[derive(Clone, Copy, Debug)]
pub struct Report {
    /// The load that was asked for.
    pub load: Load,
    /// What the server threads counted.
    pub counters: Counters,
    /// From the first measured request to the last reply.
    pub elapsed: Duration,
}

impl Report {
    /// Requests answered per second.
    pub fn requests_per_second(&self) -> f64 {
        self.counters.requests as f64 / self.elapsed.as_secs_f64()
    }

    /// Heap allocations of the server threads per request.
    pub fn allocations_per_request(&self) -> f64 {
        self.counters.allocations as f64 / self.counters.requests.max(1) as f64
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { load, counters, .. } = self;
        writeln!(f, "server threads    {}, one listener each", load.cores)?;
        writeln!(f, "connections       {}, one arena each", load.connections)?;
        writeln!(
            f,
            "requests          {} (after {} to warm up)",
            counters.requests,
            load.warm_up * load.connections as u64
        )?;
        writeln!(f, "bytes             {} in, {} out", counters.bytes_in, counters.bytes_out)?;
        writeln!(f, "requests/s        {:.0}", self.requests_per_second())?;
        write!(f, "heap allocations  {} per request ({} in all)", self.allocations_per_request(), counters.allocations)
    }
}

/// Starts a server on a loopback address, sends it the load, stops it, and says what it counted.
///
/// # Errors
///
/// Whatever the sockets report, and a reply that is not the right one.
pub fn run(load: Load) -> io::Result<Report> {
    let server = Server::start(load.cores)?;
    let clients = drive(server.address(), load, || server.measure());
    let counters = server.stop()?;
    Ok(Report { load, counters, elapsed: clients? })
}

/// Runs the clients, calls `measure` when all of them are warm, and returns the time they took after that.
fn drive(address: SocketAddr, load: Load, measure: impl Fn() + Sync) -> io::Result<Duration> {
    let warm = Barrier::new(load.connections + 1);
    thread::scope(|scope| {
        let clients: Vec<_> = (0..load.connections as u64)
            .map(|index| {
                let share = share(load.requests, load.connections as u64, index);
                let meet = || {
                    warm.wait();
                    // The second meeting, after `measure`, starts all clients together.
                    warm.wait();
                };
                scope.spawn(move || drive_one(address, load.warm_up, share, meet))
            })
            .collect();
        warm.wait();
        measure();
        let start = Instant::now();
        warm.wait();
        // The connections stay open until all clients are done: to close one is not part of a request.
        let done: Vec<io::Result<Client>> = clients.into_iter().map(join).collect();
        let elapsed = start.elapsed();
        done.into_iter().try_for_each(|client| client.map(drop))?;
        Ok(elapsed)
    })
}

/// One connection: some requests to warm up, a meeting with the other clients, then the requests to measure.
fn drive_one(address: SocketAddr, warm_up: u64, requests: u64, meet: impl FnOnce()) -> io::Result<Client> {
    let connected = Client::connect(address).and_then(|mut client| {
        client.search_many(warm_up)?;
        Ok(client)
    });
    // The others wait for this client even if it failed.
    meet();
    let mut client = connected?;
    client.search_many(requests)?;
    Ok(client)
}

/// The part of `total` that falls to one of `parts`; the parts differ by one at most and add up to `total`.
fn share(total: u64, parts: u64, index: u64) -> u64 {
    total / parts + u64::from(index < total % parts)
}

/// Waits for a thread; its panic becomes an error.
fn join<T>(thread: thread::ScopedJoinHandle<'_, io::Result<T>>) -> io::Result<T> {
    thread.join().unwrap_or_else(|_| Err(io::Error::other("a client panicked")))
}
