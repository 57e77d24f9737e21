//! Heap allocations and resident memory of a server under load, with Defiant and with prost.
//!
//! The program starts itself once for each server, so that what is counted is the server's alone and not the client's. It
//! asks that process twice while the load is on, and the counts are what lies between: connections are made before, and
//! closed after.
//!
//! ```sh
//! cargo run --release -p runtimes --bin memory
//! cargo run --release -p runtimes --bin memory -- --runtime monoio --record benchmarks/results/servers_memory.csv
//! ```
//!
//! The servers differ in the library only: framing, buffers and the runtime's loop are the same code.

use std::{
    env,
    error::Error,
    fmt::Write as _,
    fs,
    io::{self, BufRead, BufReader, Write},
    net::SocketAddr,
    num::NonZeroU64,
    process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio},
    str::FromStr,
    thread,
    time::Duration,
};

use clap::Parser;
use runtimes::{
    Burst, Counting, Defiant, Library, Load, Prost, Runtime, Server, Setting, Workload, allocations, machine, put,
};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The columns of a record; bytes are those at the end of the load.
const COLUMNS: &str = "runtime,driver,workload,library,requests,allocations,allocations_within,held_bytes,resident_bytes,idle_resident_bytes";

/// How long clients may take to read their last replies.
const GRACE: Duration = Duration::from_secs(5);

/// Heap allocations and resident memory of a server under load, with Defiant and with prost
#[derive(Debug, Parser)]
struct Options {
    /// Milliseconds that are counted; the load lasts twice as long
    #[arg(long, value_name = "N", default_value = "500")]
    millis: NonZeroU64,
    #[command(flatten)]
    setting: Setting,
}

impl Options {
    /// How long is counted.
    fn counted(&self) -> Duration {
        Duration::from_millis(self.millis.get())
    }
}

/// What a server has done, and what it holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct State {
    requests: u64,
    allocations: u64,
    /// Those of our code, as opposed to the runtime's.
    within: u64,
    held_bytes: i64,
    resident_bytes: u64,
}

impl State {
    fn of(server: &Server) -> State {
        let counts = allocations();
        State {
            requests: server.answered(),
            allocations: counts.all,
            within: counts.ours,
            held_bytes: counts.held_bytes,
            resident_bytes: machine::resident_bytes().unwrap_or(0),
        }
    }

    fn line(&self) -> String {
        let State { requests, allocations, within, held_bytes, resident_bytes } = self;
        format!("{requests} {allocations} {within} {held_bytes} {resident_bytes}")
    }

    fn parse(line: &str) -> Option<State> {
        let mut words = line.split_whitespace();
        let state = State {
            requests: next(&mut words)?,
            allocations: next(&mut words)?,
            within: next(&mut words)?,
            held_bytes: next(&mut words)?,
            resident_bytes: next(&mut words)?,
        };
        words.next().is_none().then_some(state)
    }
}

fn next<'a, T: FromStr>(words: &mut impl Iterator<Item = &'a str>) -> Option<T> {
    words.next()?.parse().ok()
}

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let outcome = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["serve", runtime, Defiant::NAME] => serve::<Defiant>(runtime),
        ["serve", runtime, Prost::NAME] => serve::<Prost>(runtime),
        _ => run(&Options::parse()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("memory: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The side that is counted: says where it is, answers each line with a [`State`], and ends with its input.
fn serve<L: Library>(runtime: &str) -> Result<(), Box<dyn Error>> {
    let server = match Server::start::<L>(runtime.parse()?) {
        Err(error) if error.kind() == io::ErrorKind::Unsupported => {
            println!("unsupported {error}");
            return Ok(());
        }
        started => started?,
    };
    println!("{} {}", server.address(), server.driver());
    for line in io::stdin().lines() {
        line?;
        println!("{}", State::of(&server).line());
    }
    Ok(server.stop(GRACE)?)
}

/// A server in a process of its own.
#[derive(Debug)]
struct Process {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    address: SocketAddr,
    driver: String,
}

impl Process {
    /// `Unsupported` where this machine does not have what the runtime stands on.
    fn start(runtime: Runtime, library: &str) -> io::Result<Process> {
        let mut child = Command::new(env::current_exe()?)
            .args(["serve", runtime.name(), library])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("a server without input and output"));
        };
        let mut output = BufReader::new(output);
        let line = read_line(&mut output)?;
        if let Some(why) = line.strip_prefix("unsupported ") {
            child.wait()?;
            return Err(io::Error::new(io::ErrorKind::Unsupported, why.to_owned()));
        }
        let place = line.split_once(' ').and_then(|(address, driver)| Some((address.parse().ok()?, driver.to_owned())));
        let (address, driver) = place.ok_or_else(|| io::Error::other(format!("a server said `{line}`")))?;
        Ok(Process { child, input, output, address, driver })
    }

    fn state(&mut self) -> io::Result<State> {
        self.input.write_all(b"\n")?;
        let line = read_line(&mut self.output)?;
        State::parse(&line).ok_or_else(|| io::Error::other(format!("a server said `{line}`")))
    }

    fn stop(self) -> io::Result<()> {
        let Process { mut child, input, .. } = self;
        drop(input);
        let status = child.wait()?;
        if status.success() { Ok(()) } else { Err(io::Error::other(format!("a server ended with {status}"))) }
    }
}

fn read_line(output: &mut BufReader<ChildStdout>) -> io::Result<String> {
    let mut line = String::new();
    output.read_line(&mut line)?;
    if line.is_empty() {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(line.trim_end().to_owned())
}

fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    if cfg!(feature = "mimalloc") {
        return Err("what is counted is the system's allocator, so without the feature mimalloc".into());
    }
    if cfg!(debug_assertions) {
        eprintln!("memory: built without optimizations; its counts are not those of a release");
    }
    let mut record = String::new();
    for (name, value) in machine::describe() {
        let _ = writeln!(record, "# {name}: {value}");
    }
    let _ = writeln!(record, "# connections: {}", options.setting.connections);
    let _ = writeln!(record, "# burst: {}", options.setting.burst);
    let _ = writeln!(record, "# counted_ms: {}", options.millis);
    let _ = writeln!(record, "{COLUMNS}");

    println!("{} connections, bursts of {} requests", options.setting.connections, options.setting.burst);
    println!(
        "runtime        driver    workload  library   allocations/request  of ours   held KiB  resident MiB (idle)"
    );
    let bursts = Workload::ALL.map(|workload| (workload, Burst::new(&[workload], options.setting.burst.get())));
    for runtime in Runtime::these_or_all(&options.setting.runtimes) {
        for (workload, burst) in &bursts {
            for library in [Defiant::NAME, Prost::NAME] {
                let (driver, idle, between, last) = match measure(runtime, library, burst, options) {
                    Ok(measured) => measured,
                    Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                        println!("skipped: {error}");
                        continue;
                    }
                    Err(error) => return Err(format!("{}: {error}", runtime.name()).into()),
                };
                let (runtime, workload) = (runtime.name(), workload.name());
                let State { requests, allocations, within, .. } = between;
                println!(
                    "{runtime:<14} {driver:<9} {workload:<9} {library:<9} {:>19.3} {:>8.3} {:>10.0} {:>7.1} ({:.1})",
                    allocations as f64 / requests as f64,
                    within as f64 / requests as f64,
                    last.held_bytes as f64 / 1024.0,
                    mib(last.resident_bytes),
                    mib(idle.resident_bytes),
                );
                let _ = writeln!(
                    record,
                    "{runtime},{driver},{workload},{library},{requests},{allocations},{within},{},{},{}",
                    last.held_bytes, last.resident_bytes, idle.resident_bytes,
                );
            }
        }
    }
    if let Some(file) = &options.setting.record {
        fs::write(file, record).map_err(|error| format!("{file}: {error}"))?;
    }
    Ok(())
}

fn mib(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

/// The driver, the state before any request, what was done while it was counted, and the state after that, still under load.
fn measure(
    runtime: Runtime,
    library: &str,
    burst: &Burst,
    options: &Options,
) -> io::Result<(String, State, State, State)> {
    let mut server = Process::start(runtime, library)?;
    let (address, driver) = (server.address, server.driver.clone());
    let idle = server.state()?;
    let load = Load {
        connections: options.setting.connections.get(),
        warm_up: options.counted() / 2,
        measured: options.counted() * 3 / 2,
    };
    let (first, last) = thread::scope(|scope| {
        let load = scope.spawn(|| put(address, burst, load));
        thread::sleep(options.counted() / 2);
        let first = server.state()?;
        thread::sleep(options.counted());
        let last = server.state()?;
        load.join().map_err(|_| io::Error::other("the load panicked"))??;
        io::Result::Ok((first, last))
    })?;
    server.stop()?;
    let between = State {
        requests: last.requests - first.requests,
        allocations: last.allocations - first.allocations,
        within: last.within - first.within,
        ..last
    };
    if between.requests == 0 {
        return Err(io::Error::other("nothing was answered while it was counted"));
    }
    Ok((driver, idle, between, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_read_as_they_are_written() {
        let state = State { requests: 7, allocations: 12, within: 3, held_bytes: -1, resident_bytes: 4096 };
        assert_eq!(State::parse(&state.line()), Some(state));
        assert_eq!(State::parse("7 12 3 -1"), None, "one is missing");
        assert_eq!(State::parse("7 12 3 -1 4096 1"), None, "one too many");
    }
}
