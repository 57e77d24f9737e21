//! Instructions and system calls of a server for one request, with Defiant and with prost.
//!
//! Times vary with what else a machine does; these counts hardly do. The program starts itself under valgrind twice, with so
//! many requests and with twice as many, and divides the difference, so that what happens once for a server or a connection
//! is not in it. The client sends a burst and waits for all replies before the next; what it does itself is not counted.
//!
//! ```sh
//! cargo run --release -p runtimes --bin count
//! cargo run --release -p runtimes --bin count -- --burst 1 --runtime tokio-local --record count.csv
//! ```
//!
//! `memory` is the loop of a connection without a socket and without a runtime. The servers differ in the library only:
//! framing, buffers and the runtime's loop are the same code. It fails if Defiant takes more of anything than prost.
//! Valgrind has no io_uring, so only the runtimes that stand on epoll can be counted.

use std::{
    env, error::Error, fmt::Write as _, fs, io, num::NonZeroU64, path::Path, process::Command, process::ExitCode,
    time::Duration,
};

use clap::Parser;
use runtimes::{Burst, Client, Defiant, Library, Prost, Runtime, Server, Workload, machine, replay};

#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What a count is called that has no runtime.
const MEMORY: &str = "memory";

/// The runtimes that valgrind can run.
const COUNTED: [Runtime; 2] = [Runtime::TokioLocal, Runtime::TokioThreads];

/// Instructions of one server differ by this part at most: hash tables and the kernel's answers are not the same each time.
const NOISE: f64 = 0.02;

/// System calls of one server differ by this part at most: how often threads wait for each other depends on who runs when.
const CALLS_NOISE: f64 = 0.1;

/// Instructions and system calls of a server for one request, with Defiant and with prost
#[derive(Debug, Parser)]
struct Options {
    /// Requests of a count, and twice as many in the next
    #[arg(long, value_name = "N", default_value = "2000")]
    requests: NonZeroU64,
    /// Requests that the client sends before it reads the replies; may be given more than once
    #[arg(long = "burst", value_name = "N", default_values = ["1", "16"])]
    bursts: Vec<NonZeroU64>,
    /// This runtime, or `memory`, which is none; may be given more than once
    #[arg(long = "runtime", value_name = "NAME", value_parser = counted_loop,
        default_values = [MEMORY, Runtime::TokioLocal.name(), Runtime::TokioThreads.name()])]
    loops: Vec<String>,
    /// Where the record goes
    #[arg(long, value_name = "FILE.csv")]
    record: Option<String>,
}

/// What a server does.
#[derive(Clone, Copy, Debug)]
struct Work {
    instructions: f64,
    system_calls: f64,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let outcome = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["serve", name, workload, library, burst, times] => serve(name, workload, library, burst, times),
        _ => run(&Options::parse()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("count: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The name of a runtime that valgrind can run, or of none.
fn counted_loop(name: &str) -> Result<String, String> {
    if name == MEMORY {
        return Ok(name.into());
    }
    match name.parse()? {
        runtime if COUNTED.contains(&runtime) => Ok(name.into()),
        _ => Err("it stands on io_uring, which valgrind does not have".into()),
    }
}

/// The side that is counted: a server, and the client on the program's first thread.
fn serve(name: &str, workload: &str, library: &str, burst: &str, times: &str) -> Result<(), Box<dyn Error>> {
    let workload = Workload::ALL.into_iter().find(|one| one.name() == workload).ok_or("no such workload")?;
    let burst = Burst::new(&[workload], burst.parse()?);
    let times = times.parse()?;
    match library {
        Defiant::NAME => exchange::<Defiant>(name, &burst, times),
        Prost::NAME => exchange::<Prost>(name, &burst, times),
        _ => Err("no such library".into()),
    }
}

fn exchange<L: Library>(name: &str, burst: &Burst, times: u64) -> Result<(), Box<dyn Error>> {
    if name == MEMORY {
        replay::<L>(burst, times)?;
        return Ok(());
    }
    let server = Server::start::<L>(name.parse()?)?;
    let mut client = Client::connect(server.address())?;
    for _ in 0..times {
        client.exchange(burst)?;
    }
    drop(client);
    Ok(server.stop(Duration::from_secs(10))?)
}

fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    if cfg!(debug_assertions) {
        eprintln!("count: built without optimizations; what it counts says nothing");
    }
    let mut record = String::new();
    for (name, value) in machine::describe() {
        let _ = writeln!(record, "# {name}: {value}");
    }
    let _ = writeln!(record, "# requests: {}", options.requests);
    record.push_str("loop,workload,burst,library,instructions_per_request,system_calls_per_request\n");

    println!("per request of a server:");
    println!("loop           workload  burst  instructions   prost's      ÷  system calls   prost's");
    let mut more = Vec::new();
    for name in &options.loops {
        for workload in Workload::ALL {
            for &burst in &options.bursts {
                let ours = work(name, workload, Defiant::NAME, burst.get(), options.requests.get())?;
                let peers = work(name, workload, Prost::NAME, burst.get(), options.requests.get())?;
                println!(
                    "{name:<14} {:<9} {burst:>5} {:>13.0} {:>9.0} {:>6.2} {:>13.2} {:>9.2}",
                    workload.name(),
                    ours.instructions,
                    peers.instructions,
                    peers.instructions / ours.instructions,
                    ours.system_calls,
                    peers.system_calls,
                );
                for (library, work) in [(Defiant::NAME, ours), (Prost::NAME, peers)] {
                    let Work { instructions, system_calls } = work;
                    let workload = workload.name();
                    let _ = writeln!(record, "{name},{workload},{burst},{library},{instructions:.1},{system_calls:.3}");
                }
                if ours.instructions > peers.instructions * (1.0 + NOISE)
                    || ours.system_calls > peers.system_calls * (1.0 + CALLS_NOISE)
                {
                    more.push(format!("{name}, {}, bursts of {burst}", workload.name()));
                }
            }
        }
    }
    if let Some(file) = &options.record {
        fs::write(file, record)?;
    }
    if more.is_empty() { Ok(()) } else { Err(format!("more than with prost: {}", more.join("; ")).into()) }
}

/// What one request takes.
fn work(name: &str, workload: Workload, library: &str, burst: u64, requests: u64) -> io::Result<Work> {
    let times = requests.div_ceil(burst);
    let of = |times| counted(name, &[name, workload.name(), library, &burst.to_string(), &u64::to_string(&times)]);
    let (once, twice) = (of(times)?, of(2 * times)?);
    let requests = (times * burst) as f64;
    Ok(Work {
        instructions: (twice.instructions - once.instructions) / requests,
        system_calls: (twice.system_calls - once.system_calls) / requests,
    })
}

/// Runs this program under valgrind, and counts what its threads do: all but the first, which is the client, if there is
/// more than one.
fn counted(name: &str, arguments: &[&str]) -> io::Result<Work> {
    let room = env::temp_dir().join(format!("runtimes-count-{}", std::process::id()));
    fs::create_dir_all(&room)?;
    let outcome = under_valgrind(&room, arguments).and_then(|()| read(&room, name == MEMORY));
    fs::remove_dir_all(&room)?;
    outcome
}

fn under_valgrind(room: &Path, arguments: &[&str]) -> io::Result<()> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--separate-threads=yes", "--trace-syscalls=yes"])
        .arg(format!("--callgrind-out-file={}", room.join("threads").display()))
        .arg(format!("--log-file={}", room.join("log").display()))
        .arg(env::current_exe()?)
        .arg("serve")
        .args(arguments)
        .output()
        .map_err(|error| io::Error::new(error.kind(), format!("valgrind, which does the counting: {error}")))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(io::Error::other(format!("{}: {}", arguments.join(" "), said.trim())))
}

/// The counts of the threads that are to be counted, out of what callgrind wrote.
fn read(room: &Path, first: bool) -> io::Result<Work> {
    let is_counted = |thread: u32| (thread == 1) == first;
    let mut work = Work { instructions: 0.0, system_calls: 0.0 };
    for entry in fs::read_dir(room)? {
        let path = entry?.path();
        // `threads-01` is the first thread; `threads` itself is empty.
        let thread = path.extension().is_none().then(|| path.file_name()?.to_str()?.strip_prefix("threads-")).flatten();
        let Some(thread) = thread.and_then(|thread| thread.parse().ok()) else { continue };
        if is_counted(thread) {
            work.instructions += fs::read_to_string(&path)?.lines().filter_map(total).sum::<f64>();
        }
    }
    let log = String::from_utf8_lossy(&fs::read(room.join("log"))?).into_owned();
    let calls = log.split("SYSCALL[").skip(1).filter_map(system_call);
    work.system_calls = calls.filter(|&(thread, name)| is_counted(thread) && !is_vdso(name)).count() as f64;
    if work.instructions == 0.0 {
        return Err(io::Error::other("callgrind counted nothing"));
    }
    Ok(work)
}

/// The count of `totals: 4711`.
fn total(line: &str) -> Option<f64> {
    line.strip_prefix("totals:")?.trim().parse().ok()
}

/// Thread and name of `process,thread](number) name ...`. Where a call blocks, there is another line when it is done, which
/// has dots for the name.
fn system_call(line: &str) -> Option<(u32, &str)> {
    let (head, rest) = line.split_once(']')?;
    let name = rest.split_once(')')?.1.split([' ', '(']).find(|word| !word.is_empty())?;
    let thread = head.split_once(',')?.1.trim().parse().ok()?;
    (name != "...").then_some((thread, name))
}

/// Whether the kernel is not asked without valgrind, because memory that it shares with the process has the answer.
fn is_vdso(name: &str) -> bool {
    matches!(name, "sys_clock_gettime" | "sys_gettimeofday" | "sys_time")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_valgrind_says() {
        assert_eq!(system_call("7,2](  7) sys_poll ( 0x1, 2 )"), Some((2, "sys_poll")));
        let clock = system_call("7,3](228) sys_clock_gettime( 1, 0x4 )[sync] --> Success(0x0)").expect("a call");
        assert_eq!(clock, (3, "sys_clock_gettime"));
        assert!(is_vdso(clock.1));
        assert_eq!(system_call("7,2](  7) ... [async] --> Success(0x1)"), None, "it had begun before");
        assert_eq!(system_call("no call"), None);
        assert_eq!(total("totals: 4711"), Some(4711.0));
        assert_eq!(total("summary: 4711"), None);
    }
}
