//! The side-by-side tables: `cargo run --release -p benchmarks`.

use std::error::Error;
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use benchmarks::allocator::Counting;
use benchmarks::check::{check, operations};
use benchmarks::datasets::Dataset;
use benchmarks::measure::{Settings, measure};
use benchmarks::offer::{Library, Task};
use benchmarks::payloads::Payload;
use benchmarks::record::{Record, Row};
use benchmarks::{
    compare, formats_report, hostile, json_report, libraries, measurements, packed, report, servers, summary,
};

#[cfg(not(feature = "mimalloc"))]
#[global_allocator]
static ALLOCATOR: Counting<std::alloc::System> = Counting(std::alloc::System);
#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: Counting<mimalloc::MiMalloc> = Counting(mimalloc::MiMalloc);

const HELP: &str = "\
Defiant beside other protobuf libraries. More of them with `--features peers`.

  benchmarks [quick] [--all] [--payload NAME] [--library NAME] [--task NAME] [--rounds N] [--record DIR]
      checks every answer, then times; the record (CSV, JSON) goes to target/benchmarks and to DIR
      quick        a look; how long it took is said at its end, as it is of every run
      --all        many more rounds, the payloads of some MB and the slow tasks, for a record that is kept
      --payload, --library, --task    only these; each may be given more than once
  benchmarks list
      the payloads, libraries and tasks of this build
  benchmarks report [RECORD.csv] [--results FOLDER] [--output FILE]
      turns a record (the latest), and those in benchmarks/results or FOLDER of build time, instructions, bytes held,
      JSON, servers and other formats, into BENCHMARKS.md, and MEASUREMENTS.md, JSON.md, SERVERS.md, FORMATS.md and the
      charts beside it;
      what has no record is said to have none
  benchmarks json-report
      turns the records json.csv and json_size.csv in benchmarks/results into JSON.md
  benchmarks servers-report
      turns the records servers.csv and servers_memory.csv in benchmarks/results, of examples/runtimes, into SERVERS.md
  benchmarks formats-report
      turns the record formats.csv in benchmarks/results into FORMATS.md
  benchmarks summary [RECORD.csv]
      where Defiant stands in a record
  benchmarks compare BEFORE.csv AFTER.csv
      what changed between two records beyond noise
  benchmarks check
      checks every answer and prints what the peers do otherwise
  benchmarks hostile
      truncates Google's payloads at every byte and alters every byte; fails on any unexplained difference
  benchmarks packed [OPTION..]
      packed numbers beside prost and memcpy; `benchmarks packed help` has the options
  benchmarks callgrind LIBRARY PAYLOAD TASK [TIMES]
      runs one operation TIMES times (100) and nothing else; for instruction counts, see instructions.sh
      TASK is one of the list, or decode-fresh | decode-borrowed | decode-reused | decode-read | encode-in |
      encode-to-vec | encoded-len
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match arguments.as_slice() {
        ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            Ok(())
        }
        ["list"] => {
            list();
            Ok(())
        }
        ["check"] => check_only(),
        ["hostile"] => hostile_input(),
        ["report", options @ ..] => write_report(options),
        ["json-report"] => write_json_report(),
        ["servers-report"] => write_servers_report(),
        ["formats-report"] => write_formats_report(),
        ["summary"] => latest().and_then(|record| summarise(&record)),
        ["summary", record] => summarise(Path::new(record)),
        ["compare", before, after] => compare_records(Path::new(before), Path::new(after)),
        ["packed", options @ ..] => packed::PROGRAM.obey(options),
        ["callgrind", library, payload, task] => callgrind(library, payload, task, "100"),
        ["callgrind", library, payload, task, times] => callgrind(library, payload, task, times),
        options => tabulate(options),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// What to measure, for how long, and where to.
struct Plan {
    settings: Settings,
    payloads: Vec<Payload>,
    libraries: Vec<Library>,
    tasks: Vec<Task>,
    folders: Vec<PathBuf>,
}

fn plan(mut options: &[&str]) -> Result<Plan, Box<dyn Error>> {
    let mut plan = Plan {
        settings: Settings::USUAL,
        payloads: Vec::new(),
        libraries: Vec::new(),
        tasks: Vec::new(),
        folders: Vec::from_iter(target_folder()),
    };
    let (mut rounds, mut all) = (None, false);
    loop {
        options = match options {
            [] => break,
            ["quick", rest @ ..] => {
                plan.settings = Settings::QUICK;
                rest
            }
            ["--all", rest @ ..] => {
                plan.settings = Settings::LONG;
                all = true;
                rest
            }
            ["--payload", name, rest @ ..] => {
                plan.payloads.push(Payload::from_name(name).ok_or_else(|| unknown("payload", name))?);
                rest
            }
            ["--library", name, rest @ ..] => {
                let known = libraries::ALL.iter().find(|library| library.name == *name);
                plan.libraries.push(*known.ok_or_else(|| unknown("library", name))?);
                rest
            }
            ["--task", name, rest @ ..] => {
                plan.tasks.push(Task::from_name(name).ok_or_else(|| unknown("task", name))?);
                rest
            }
            ["--rounds", number, rest @ ..] => {
                rounds = Some(number.parse::<usize>()?.max(1));
                plan.settings.budget = Duration::MAX;
                rest
            }
            ["--record", folder, rest @ ..] => {
                plan.folders.push(PathBuf::from(folder));
                rest
            }
            unknown => return Err(format!("unknown arguments {unknown:?}\n\n{HELP}").into()),
        };
    }
    plan.settings.rounds = rounds.unwrap_or(plan.settings.rounds);
    if plan.payloads.is_empty() {
        plan.payloads = Payload::ALL.into_iter().filter(|payload| all || !payload.takes_long()).collect();
    }
    if plan.libraries.is_empty() {
        plan.libraries = libraries::ALL.into();
    }
    if plan.tasks.is_empty() {
        plan.tasks = Task::ALL.into_iter().filter(|task| all || !task.takes_long()).collect();
    }
    Ok(plan)
}

fn unknown(what: &str, name: &str) -> String {
    format!("no {what} is called {name:?} in this build; `benchmarks list` names them")
}

fn list() {
    println!("payloads");
    for payload in Payload::ALL {
        println!("  {payload:<24}{:>10} bytes", payload.wire().len());
    }
    println!("libraries");
    for library in libraries::ALL {
        println!("  {}", library.name);
    }
    println!("tasks");
    for task in Task::ALL {
        println!("  {task}");
    }
}

fn tabulate(options: &[&str]) -> Result<(), Box<dyn Error>> {
    let start = Instant::now();
    let plan = plan(options)?;
    if cfg!(debug_assertions) {
        eprintln!("warning: a debug build; its times say nothing. Use `cargo run --release`.");
    }
    let mut record = Record::here(&plan.libraries, &[]);
    for (name, value) in &record.machine {
        println!("{name:<17}{value}");
    }
    println!("\n{}\n{}", report::settings(&record), report::CONDITIONS);
    println!(
        "At most {} rounds of {:?}, interleaved. Minimum and median are taken over the rounds. Ratios are prost's time divided\n\
         by the row's; where prost has two variants, the faster of them counts. Round by round, with fresh memory beside\n\
         fresh memory only, the middle ratio lies between the last two with 95% confidence.",
        plan.settings.rounds, plan.settings.sample
    );
    // One payload at a time, so that not all messages are held at once.
    let payloads = plan.payloads.len();
    for (done, payload) in plan.payloads.into_iter().enumerate() {
        let mut rows = Vec::new();
        for libraries in together(payload, &plan.libraries) {
            let who = if payload.one_by_one() { libraries[libraries.len() - 1].name } else { "" };
            progress(&format!("{} of {payloads}: {payload} {who}", done + 1));
            let (mut operations, gaps) = operations(payload, &libraries)?;
            record.gaps.extend(gaps.iter().map(ToString::to_string));
            operations.retain(|operation| plan.tasks.contains(&operation.task));
            for of_a_task in operations.chunk_by_mut(|one, other| one.task == other.task) {
                rows.extend(measure(of_a_task, plan.settings));
            }
        }
        record.rows.extend(once(rows));
    }
    progress("");
    print!("{}{}", report::table(&record), summary::text(&record));
    for folder in plan.folders {
        record.write(&folder)?;
        println!("Record: {}/dataset.{{csv,json}}", folder.display());
    }
    println!("Took {:.1} s.", start.elapsed().as_secs_f64());
    Ok(())
}

/// The libraries that are measured together.
fn together(payload: Payload, libraries: &[Library]) -> Vec<Vec<Library>> {
    let is_prost = |library: &&Library| library.name == libraries::PROST;
    let (prost, others): (Vec<Library>, Vec<Library>) = libraries.iter().partition(|library| is_prost(library));
    if !payload.one_by_one() || others.is_empty() {
        return vec![libraries.to_vec()];
    }
    others.into_iter().map(|other| [&prost[..], &[other]].concat()).collect()
}

/// The rows by task, those of an operation that was measured more than once, prost's, only the first time.
fn once(rows: Vec<Row>) -> Vec<Row> {
    let mut kept: Vec<Row> = Vec::new();
    for row in rows {
        if kept.iter().all(|other| other.key() != row.key()) {
            kept.push(row);
        }
    }
    let tasks = |row: &Row| Task::from_name(&row.task);
    kept.sort_by_key(tasks);
    kept
}

/// Says what is being measured: on a terminal in one line, which the next one replaces, and else in a line each. On the
/// standard error, so that the table can go to a file.
fn progress(what: &str) {
    if io::stderr().is_terminal() {
        eprint!("\r\x1b[K{what}");
    } else if !what.is_empty() {
        eprintln!("{what}");
    }
}

/// `target/benchmarks`, from where this program lies: `target/release/benchmarks`.
fn target_folder() -> Option<PathBuf> {
    Some(std::env::current_exe().ok()?.parent()?.parent()?.join("benchmarks"))
}

/// The record of the run before.
fn latest() -> Result<PathBuf, Box<dyn Error>> {
    let file = target_folder().ok_or("no target folder")?.join("dataset.csv");
    match file.exists() {
        true => Ok(file),
        false => Err("there is no record yet; run `cargo run --release -p benchmarks` first".into()),
    }
}

fn write_report(mut options: &[&str]) -> Result<(), Box<dyn Error>> {
    let mut source = None;
    let mut output = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/BENCHMARKS.md"));
    let mut results = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/results"));
    loop {
        options = match options {
            [] => break,
            ["--output", file, rest @ ..] => {
                output = PathBuf::from(file);
                rest
            }
            ["--results", folder, rest @ ..] => {
                results = PathBuf::from(folder);
                rest
            }
            [file, rest @ ..] if source.is_none() && !file.starts_with("--") => {
                source = Some(PathBuf::from(file));
                rest
            }
            unknown => return Err(format!("unknown arguments {unknown:?}\n\n{HELP}").into()),
        };
    }
    let source = source.map_or_else(latest, Ok)?;
    let sources = report::Sources::read(&source, &results)?;
    let folder = output.parent().unwrap_or(Path::new(""));
    let charts = folder.join("charts");
    std::fs::create_dir_all(&charts)?;
    for chart in sources.charts() {
        std::fs::write(charts.join(format!("{}.svg", chart.name)), chart.svg()?)?;
    }
    std::fs::write(&output, report::markdown(&sources))?;
    std::fs::write(folder.join("MEASUREMENTS.md"), measurements::markdown(&sources.record))?;
    if results.join("json.csv").exists() {
        std::fs::write(folder.join("JSON.md"), json_report::markdown(&results)?)?;
    }
    let servers = servers::Records::read(&results);
    if servers.times.is_some() || servers.memory.is_some() {
        std::fs::write(folder.join("SERVERS.md"), servers::markdown(&servers)?)?;
    }
    if results.join("formats.csv").exists() {
        std::fs::write(folder.join("FORMATS.md"), formats_report::markdown(&results)?)?;
    }
    println!("{} and {} from {}", output.display(), charts.display(), source.display());
    Ok(())
}

fn write_json_report() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    std::fs::write(folder.join("JSON.md"), json_report::markdown(&folder.join("results"))?)?;
    Ok(())
}

fn write_servers_report() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let servers = servers::Records::read(&folder.join("results"));
    std::fs::write(folder.join("SERVERS.md"), servers::markdown(&servers)?)?;
    Ok(())
}

fn write_formats_report() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    std::fs::write(folder.join("FORMATS.md"), formats_report::markdown(&folder.join("results"))?)?;
    Ok(())
}

fn summarise(record: &Path) -> Result<(), Box<dyn Error>> {
    print!("{}", summary::text(&Record::read(record)?));
    Ok(())
}

fn compare_records(before: &Path, after: &Path) -> Result<(), Box<dyn Error>> {
    print!("{}", compare::text(&Record::read(before)?, &Record::read(after)?));
    Ok(())
}

fn check_only() -> Result<(), Box<dyn Error>> {
    for gap in check()? {
        println!("{gap}");
    }
    println!("Every other answer equals prost's.");
    Ok(())
}

fn hostile_input() -> Result<(), Box<dyn Error>> {
    check()?;
    let mut wrong = 0;
    for dataset in Dataset::ALL {
        let len = dataset.payload().len();
        let truncated = hostile::truncations(dataset, 0..=len);
        println!("{dataset}, cut off at every byte: {truncated}");
        let (altered, how) = match dataset {
            Dataset::Message2 => {
                // One value a byte, another for each byte: bits flipped by a hash of the position.
                let mask = |position: usize| (position as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56;
                let chosen = |position: usize, value: u8| {
                    u64::from(value ^ dataset.payload()[position]) == mask(position).max(1)
                };
                (hostile::flips(dataset, 0..len, chosen), "every byte to one other value")
            }
            _ => (hostile::flips(dataset, 0..len, |_, _| true), "every byte to every other value"),
        };
        println!("{dataset}, {how}: {altered}");
        wrong += truncated.wrong.len() + altered.wrong.len();
    }
    match wrong {
        0 => Ok(()),
        _ => Err(format!("{wrong} unexplained differences").into()),
    }
}

fn callgrind(library: &str, payload: &str, task: &str, times: &str) -> Result<(), Box<dyn Error>> {
    let known = libraries::ALL.iter().find(|known| known.name == library).ok_or_else(|| unknown("library", library))?;
    let payload = Payload::from_name(payload).ok_or_else(|| unknown("payload", payload))?;
    // The ways of the libraries that are counted by default; the last one is any.
    let (task, variants): (Task, &[&str]) = match task {
        "decode" => (Task::Decode, &["arena reset", "new message", ""]),
        "decode-fresh" => (Task::Decode, &["fresh arena", "new message"]),
        "decode-borrowed" => (Task::Decode, &["borrowed, arena reset"]),
        "decode-reused" => (Task::Decode, &["arena reset", "cleared and merged"]),
        "decode-read" | "decode+read" => (Task::DecodeRead, &["arena reset", "new message", ""]),
        "encode" => (Task::Encode, &["Encoder", "cleared Vec", "reset LinkedBytes", ""]),
        "encode-in" => (Task::Encode, &["encode_in, arena reset"]),
        "encode-to-vec" => (Task::EncodeToVec, &["new Vec"]),
        "encoded-len" => (Task::EncodedLen, &["-"]),
        other => (Task::from_name(other).ok_or_else(|| unknown("task", other))?, &[""]),
    };
    let (mut operations, _) = operations(payload, &[*known])?;
    operations.retain(|operation| operation.task == task);
    let place = variants
        .iter()
        .find_map(|variant| operations.iter().position(|operation| variant.is_empty() || operation.variant == *variant))
        .ok_or("this library does not do this task, or not rightly")?;
    operations[place].run(times.parse()?);
    Ok(())
}
