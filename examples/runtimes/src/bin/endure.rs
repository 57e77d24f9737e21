//! Whether memory grows: over millions of requests, and after a storm of everything that can go wrong.
//!
//! ```sh
//! cargo run --release -p runtimes --bin endure
//! cargo run --release -p runtimes --bin endure -- --runtime monoio --requests 1000000 --storm 300
//! ```
//!
//! `--requests` is for each runtime, `--seconds` how long it takes at most, and `--storm` the connections that are broken in each
//! round of the storm. It fails if memory has grown in the end.

use std::{
    error::Error,
    io,
    process::ExitCode,
    time::{Duration, Instant},
};

use clap::Parser;
use runtimes::{
    Allocations, Burst, Counting, Defiant, Load, Runtime, Server, Workload, allocations, batter, machine, put, stall,
};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Resident memory may be this many bytes more in the end: the system's allocator decides what it gives back.
const RESIDENT_SLACK: u64 = 1_000_000;

/// Bytes on the heap may be this many more in the end, for each server that was started: runtimes keep a little.
const HELD_SLACK: i64 = 8 << 10;

/// Rounds of the storm, each with a server of its own; as many before them, because what stays for good comes first.
const ROUNDS: usize = 5;

/// Clients of a round that do not read, so that their server's writes have to be cancelled.
const STALLED: usize = 3;

/// How long the load is put on before memory is looked at again.
const SLICE: Duration = Duration::from_secs(1);

/// Whether memory grows: over millions of requests, and after a storm of everything that can go wrong
#[derive(Debug, Parser)]
struct Options {
    /// This runtime; may be given more than once [default: all]
    #[arg(long = "runtime", value_name = "NAME")]
    runtimes: Vec<Runtime>,
    /// Requests for each runtime
    #[arg(long, value_name = "N", default_value_t = 10_000_000)]
    requests: u64,
    /// How long they take at most [default: as long as it takes]
    #[arg(long, value_name = "N", default_value_t = u64::MAX, hide_default_value = true)]
    seconds: u64,
    /// Connections that are broken in each round of the storm
    #[arg(long, value_name = "N", default_value_t = 3_000)]
    storm: u64,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("endure: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    for (name, value) in machine::describe() {
        println!("{name}: {value}");
    }
    for runtime in Runtime::these_or_all(&options.runtimes) {
        let outcome = last(runtime, options).and_then(|()| weather(runtime, options.storm));
        match outcome {
            Err(error) if error.kind() == io::ErrorKind::Unsupported => println!("skipped: {error}"),
            outcome => outcome.map_err(|error| format!("{}: {error}", runtime.name()))?,
        }
    }
    Ok(())
}

/// Bytes of the process in memory.
fn resident() -> io::Result<u64> {
    let error = || io::Error::new(io::ErrorKind::Unsupported, "this system does not tell the memory of a process");
    machine::resident_bytes().ok_or_else(error)
}

/// Requests, a slice after the other; resident memory after the first is compared with that after each other.
fn last(runtime: Runtime, options: &Options) -> io::Result<()> {
    let server = Server::start::<Defiant>(runtime)?;
    let burst = Burst::new(&Workload::ALL, 32);
    let load = Load { connections: 8, warm_up: Duration::ZERO, measured: SLICE };
    put(server.address(), &burst, load)?;
    let (first, before, begin) = (resident()?, allocations(), Instant::now());
    let (mut most, mut slices) = (first, 0);
    while server.answered() < options.requests && begin.elapsed().as_secs() < options.seconds {
        put(server.address(), &burst, load)?;
        most = most.max(resident()?);
        slices += 1;
    }
    let (end, after, answered) = (resident()?, allocations(), server.answered());
    println!(
        "{} on {}: {answered} requests in {slices} slices of {} s, {:.0} s; resident {first} bytes after the first, {most} at \
         most, {end} in the end; {}",
        runtime.name(),
        server.driver(),
        SLICE.as_secs(),
        begin.elapsed().as_secs_f64(),
        difference(before, after),
    );
    server.stop(Duration::from_secs(10))?;
    if end > first + RESIDENT_SLACK {
        return Err(io::Error::other("memory grows"));
    }
    Ok(())
}

/// Rounds of everything that can go wrong, and as many again, after which no more must be held than before.
fn weather(runtime: Runtime, connections: u64) -> io::Result<()> {
    let burst = Burst::new(&Workload::ALL, 8);
    let mut refused = 0;
    let mut rounds = || -> io::Result<(u64, Allocations)> {
        for _ in 0..ROUNDS {
            let server = Server::start::<Defiant>(runtime)?;
            batter(server.address(), &burst, connections)?;
            let stalled: Vec<_> = (0..STALLED).map(|_| stall(server.address(), &burst)).collect::<io::Result<_>>()?;
            refused += server.refused();
            server.stop(Duration::ZERO)?;
            drop(stalled);
        }
        Ok((resident()?, allocations()))
    };
    let (first, before) = rounds()?;
    let (end, after) = rounds()?;
    println!(
        "{}: twice {ROUNDS} servers of {connections} broken connections, {refused} of them refused, and {STALLED} that did not \
         read; resident {first} bytes in the middle, {end} in the end; {} bytes more on the heap",
        runtime.name(),
        after.held_bytes - before.held_bytes,
    );
    if end > first + RESIDENT_SLACK || after.held_bytes > before.held_bytes + HELD_SLACK * ROUNDS as i64 {
        return Err(io::Error::other("memory grows"));
    }
    Ok(())
}

fn difference(before: Allocations, after: Allocations) -> String {
    format!(
        "{} allocations of all threads, the client's included, and {} bytes more on the heap",
        after.all - before.all,
        after.held_bytes - before.held_bytes
    )
}
