//! The tables of other formats: `cargo run --release -p benchmarks --features formats --bin formats`.

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use benchmarks::allocator::Counting;
use benchmarks::formats::{self, Plan, Workload};
use benchmarks::report;

#[cfg(not(feature = "mimalloc"))]
#[global_allocator]
static ALLOCATOR: Counting<std::alloc::System> = Counting(std::alloc::System);
#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: Counting<mimalloc::MiMalloc> = Counting(mimalloc::MiMalloc);

const HELP: &str = "\
Defiant and prost beside formats that are no protobuf: reads every value back, then times.

  formats [quick] [--workload NAME] [--format NAME] [--task NAME] [--rounds N] [--record FILE.csv]
      quick        7 rounds, not 41
      --workload   foobar | log | mesh | parking_lot
      --format     defiant | prost | flatbuffers | rkyv | capnp | capnp-packed
      --task       build+encode | encode | open | open+read
  formats callgrind FORMAT WORKLOAD TASK VARIANT TIMES
      runs one operation TIMES times and nothing else; VARIANT is a part of its name
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match arguments.as_slice() {
        ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            Ok(())
        }
        ["callgrind", format, workload, task, variant, times] => {
            workload_of(workload).and_then(|workload| formats::repeat(workload, task, format, variant, times.parse()?))
        }
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

fn workload_of(name: &str) -> Result<Workload, Box<dyn Error>> {
    Workload::from_name(name).ok_or_else(|| format!("no workload {name:?}\n\n{HELP}").into())
}

fn tabulate(options: &[&str]) -> Result<(), Box<dyn Error>> {
    let (plan, files) = plan(options)?;
    if cfg!(debug_assertions) {
        eprintln!("warning: a debug build; its times say nothing. Use `cargo run --release`.");
    }
    let record = formats::record(&plan)?;
    for (name, value) in &record.machine {
        println!("{name:<17}{value}");
    }
    println!("\n{}\nMB/s are of the bytes of each format, so that they compare no formats.", report::settings(&record));
    print!("{}", report::table(&record));
    for file in files {
        std::fs::write(&file, record.csv())?;
        println!("Record: {}", file.display());
    }
    Ok(())
}

fn plan(mut options: &[&str]) -> Result<(Plan, Vec<PathBuf>), Box<dyn Error>> {
    let mut plan = Plan { workloads: Vec::new(), formats: Vec::new(), tasks: Vec::new(), rounds: 41 };
    let mut files = Vec::new();
    loop {
        options = match options {
            [] => break,
            ["quick", rest @ ..] => {
                plan.rounds = 7;
                rest
            }
            ["--workload", name, rest @ ..] => {
                plan.workloads.push(workload_of(name)?);
                rest
            }
            ["--format", name, rest @ ..] => {
                plan.formats.push((*name).into());
                rest
            }
            ["--task", name, rest @ ..] => {
                plan.tasks.push((*name).into());
                rest
            }
            ["--rounds", number, rest @ ..] => {
                plan.rounds = number.parse::<usize>()?.max(1);
                rest
            }
            ["--record", file, rest @ ..] => {
                files.push(PathBuf::from(file));
                rest
            }
            unknown => return Err(format!("unknown arguments {unknown:?}\n\n{HELP}").into()),
        };
    }
    if plan.workloads.is_empty() {
        plan.workloads = Workload::ALL.into();
    }
    Ok((plan, files))
}
