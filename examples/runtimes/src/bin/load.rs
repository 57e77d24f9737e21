//! Requests per second and latencies of the service on each runtime, with Defiant and with prost.
//!
//! Everything runs in one process over loopback, a round after the other: in each, every runtime and every workload is
//! measured with both libraries, one right after the other, so that what else the machine does hits both. Many short rounds
//! say more than few long ones where the machine changes its speed within seconds: two neighbours have the same one. The
//! servers differ in the library only: framing, buffers and the runtime's loop are the same code.
//!
//! ```sh
//! cargo run --release -p runtimes --bin load
//! cargo run --release -p runtimes --bin load -- --rounds 60 --runtime monoio --record benchmarks/results/servers.csv
//! ```
//!
//! `--features mimalloc` puts both on that allocator, which makes prost faster.

use std::{
    error::Error,
    fmt::Write as _,
    fs, io,
    num::{NonZeroU64, NonZeroUsize},
    process::ExitCode,
    time::Duration,
};

use clap::Parser;
use runtimes::{Burst, Defiant, Library, Load, Outcome, Prost, Runtime, Server, Setting, Workload, machine, put};

#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What the percentiles of a record are.
const PERCENTILES: [(&str, f64); 4] = [("p50", 50.0), ("p90", 90.0), ("p99", 99.0), ("p99.9", 99.9)];

/// Requests per second and latencies of the service on each runtime, with Defiant and with prost
#[derive(Debug, Parser)]
struct Options {
    /// How often everything is measured
    #[arg(long, value_name = "N", default_value = "15")]
    rounds: NonZeroUsize,
    /// Milliseconds of a measurement
    #[arg(long, value_name = "N", default_value = "70")]
    millis: NonZeroU64,
    #[command(flatten)]
    setting: Setting,
}

impl Options {
    fn load(&self) -> Load {
        let measured = Duration::from_millis(self.millis.get());
        Load { connections: self.setting.connections.get(), warm_up: Duration::from_millis(30), measured }
    }
}

/// One measurement.
#[derive(Debug)]
struct Row {
    runtime: Runtime,
    driver: &'static str,
    workload: Workload,
    library: &'static str,
    round: usize,
    outcome: Outcome,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("load: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    if cfg!(debug_assertions) {
        eprintln!("load: built without optimizations; what it measures says nothing");
    }
    let before = machine::load_average();
    println!("load average before: {before}, on {} processors", std::thread::available_parallelism()?);
    let bursts = Workload::ALL.map(|workload| (workload, Burst::new(&[workload], options.setting.burst.get())));
    let mut rows = Vec::new();
    let mut missing = Vec::new();
    for round in 0..options.rounds.get() {
        for runtime in Runtime::these_or_all(&options.setting.runtimes) {
            for (workload, burst) in &bursts {
                // Who comes first changes, too.
                let mut measures = [measure::<Defiant>, measure::<Prost>];
                measures.rotate_left(round % 2);
                for measure in measures {
                    match measure(runtime, *workload, burst, options.load(), round) {
                        Ok(row) => rows.push(row),
                        Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                            if !missing.contains(&runtime) {
                                println!("skipped: {error}");
                                missing.push(runtime);
                            }
                        }
                        Err(error) => return Err(format!("{}: {error}", runtime.name()).into()),
                    }
                }
            }
        }
    }
    print(&rows, options);
    println!("load average after: {}", machine::load_average());
    if let Some(file) = &options.setting.record {
        fs::write(file, csv(&rows, options, &before)).map_err(|error| format!("{file}: {error}"))?;
    }
    Ok(())
}

/// One runtime, one workload, one library.
fn measure<L: Library>(
    runtime: Runtime,
    workload: Workload,
    burst: &Burst,
    load: Load,
    round: usize,
) -> io::Result<Row> {
    let server = Server::start::<L>(runtime)?;
    let outcome = put(server.address(), burst, load)?;
    let driver = server.driver();
    server.stop(Duration::from_secs(5))?;
    Ok(Row { runtime, driver, workload, library: L::NAME, round, outcome })
}

/// The rows of one library, by the round.
fn of<'r>(rows: &'r [Row], runtime: Runtime, workload: Workload, library: &'r str) -> impl Iterator<Item = &'r Row> {
    rows.iter().filter(move |row| row.runtime == runtime && row.workload == workload && row.library == library)
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => f64::NAN,
        count => (values[(count - 1) / 2] + values[count / 2]) / 2.0,
    }
}

fn print(rows: &[Row], options: &Options) {
    let (connections, burst) = (options.setting.connections, options.setting.burst);
    println!(
        "{connections} connections, bursts of {burst} requests; medians of {} rounds; µs are per burst",
        options.rounds
    );
    println!("runtime        driver    workload  library   requests/s     p50 µs     p99 µs   × prost (least..most)");
    for runtime in Runtime::these_or_all(&options.setting.runtimes) {
        for workload in Workload::ALL {
            for library in [Defiant::NAME, Prost::NAME] {
                let rows_of = || of(rows, runtime, workload, library);
                let Some(row) = rows_of().next() else { continue };
                let per_second = median(rows_of().map(|row| row.outcome.per_second()));
                let percentile = |percent| median(rows_of().map(|row| row.outcome.percentile(percent)));
                let ratio = if library == Defiant::NAME {
                    // Of the same round, that is of neighbours in time.
                    let peers = of(rows, runtime, workload, Prost::NAME);
                    let mut ratios: Vec<f64> = rows_of()
                        .zip(peers)
                        .map(|(row, peer)| row.outcome.per_second() / peer.outcome.per_second())
                        .collect();
                    ratios.sort_by(f64::total_cmp);
                    let (least, most) = (ratios.first().unwrap_or(&f64::NAN), ratios.last().unwrap_or(&f64::NAN));
                    format!("{:.2} ({least:.2}..{most:.2})", median(ratios.iter().copied()))
                } else {
                    String::new()
                };
                println!(
                    "{:<14} {:<9} {:<9} {:<9} {per_second:>10.0} {:>10.1} {:>10.1}   {ratio}",
                    runtime.name(),
                    row.driver,
                    workload.name(),
                    library,
                    percentile(50.0),
                    percentile(99.0),
                );
            }
        }
    }
}

/// The record: where it was made, and a line for each measurement.
fn csv(rows: &[Row], options: &Options, load_average: &str) -> String {
    let mut text = String::new();
    for (name, value) in machine::describe() {
        let _ = writeln!(text, "# {name}: {value}");
    }
    let _ = writeln!(text, "# connections: {}", options.setting.connections);
    let _ = writeln!(text, "# burst: {}", options.setting.burst);
    let _ = writeln!(text, "# measured_ms: {}", options.millis);
    let _ = writeln!(text, "# load_average: {load_average}");
    text.push_str("runtime,driver,workload,library,round,requests_per_second");
    for (name, _) in PERCENTILES {
        let _ = write!(text, ",{name}_us");
    }
    text.push('\n');
    for row in rows {
        let Row { runtime, driver, workload, library, round, outcome } = row;
        let (runtime, workload) = (runtime.name(), workload.name());
        let _ = write!(text, "{runtime},{driver},{workload},{library},{round},{:.0}", outcome.per_second());
        for (_, percent) in PERCENTILES {
            let _ = write!(text, ",{:.1}", outcome.percentile(percent));
        }
        text.push('\n');
    }
    text
}
