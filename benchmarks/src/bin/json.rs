//! The tables of JSON: `cargo run --release -p benchmarks --features json --bin json`.

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use benchmarks::allocator::Counting;
use benchmarks::json::{self, Payload, Plan};
use benchmarks::report;

#[cfg(not(feature = "mimalloc"))]
#[global_allocator]
static ALLOCATOR: Counting<std::alloc::System> = Counting(std::alloc::System);
#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: Counting<mimalloc::MiMalloc> = Counting(mimalloc::MiMalloc);

const HELP: &str = "\
JSON by Defiant and other libraries: checks every answer, then times.

  json [quick] [--payload NAME] [--library NAME] [--task NAME] [--rounds N] [--record FILE.csv]
      quick        7 rounds, not 41
      --payload    car | market | orders
      --library    defiant | prost | prost-reflect | buffa | serde_json | serde_json-borrowed
      --task       encode | decode
  json callgrind LIBRARY PAYLOAD TASK VARIANT TIMES
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
        ["callgrind", library, payload, task, variant, times] => {
            payload_of(payload).and_then(|payload| json::repeat(payload, task, library, variant, times.parse()?))
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

fn payload_of(name: &str) -> Result<Payload, Box<dyn Error>> {
    Payload::from_name(name).ok_or_else(|| format!("no payload {name:?}\n\n{HELP}").into())
}

fn tabulate(mut options: &[&str]) -> Result<(), Box<dyn Error>> {
    let mut plan = Plan { payloads: Vec::new(), libraries: Vec::new(), tasks: Vec::new(), rounds: 41 };
    let mut files = Vec::new();
    loop {
        options = match options {
            [] => break,
            ["quick", rest @ ..] => {
                plan.rounds = 7;
                rest
            }
            ["--payload", name, rest @ ..] => {
                plan.payloads.push(payload_of(name)?);
                rest
            }
            ["--library", name, rest @ ..] => {
                plan.libraries.push((*name).into());
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
    if plan.payloads.is_empty() {
        plan.payloads = Payload::ALL.into();
    }
    if cfg!(debug_assertions) {
        eprintln!("warning: a debug build; its times say nothing. Use `cargo run --release`.");
    }
    let record = json::record(&plan)?;
    for (name, value) in &record.machine {
        println!("{name:<17}{value}");
    }
    println!("\n{}\nprost's is pbjson's. Bytes are those of JSON.", report::settings(&record));
    print!("{}", report::table(&record));
    for gap in &record.gaps {
        println!("{gap}");
    }
    for file in files {
        std::fs::write(&file, record.csv())?;
        println!("Record: {}", file.display());
    }
    Ok(())
}
