//! The side-by-side table: `cargo run --release -p benchmarks`.

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use benchmarks::allocator::Counting;
use benchmarks::check::{Gap, check};
use benchmarks::datasets::Dataset;
use benchmarks::measure::{Settings, measure};
use benchmarks::operations::{Library, Operation, Task, operations};
use benchmarks::{hostile, machine, packed, report};

#[cfg(not(feature = "mimalloc"))]
#[global_allocator]
static ALLOCATOR: Counting<std::alloc::System> = Counting(std::alloc::System);
#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: Counting<mimalloc::MiMalloc> = Counting(mimalloc::MiMalloc);

const HELP: &str = "\
Defiant, prost and pilota on Google's protobuf benchmark payloads.

  benchmarks [--record DIR] [--rounds N]
      checks every answer, then prints the table; the record (CSV, JSON) goes to target/benchmarks and to DIR
  benchmarks check
      checks every answer and prints what the peers do otherwise
  benchmarks hostile
      truncates every payload at every byte and alters every byte; fails on any unexplained difference
  benchmarks packed [PAYLOAD..]
      packed numbers beside prost and memcpy: signed, tile, columns, small, doubles_8mib, doubles_64mb
  benchmarks packed-callgrind PAYLOAD TASK LIBRARY TIMES
      runs one of these operations TIMES times and nothing else; TASK decode | encode | encoded_len
  benchmarks callgrind LIBRARY DATASET TASK [TIMES]
      runs one operation TIMES times (100) and nothing else; for instruction counts, see instructions.sh
      LIBRARY defiant | prost | pilota;  DATASET message1_proto2 | message1_proto3 | message2
      TASK decode | decode-fresh | decode-borrowed | decode-reused | decode-read | encode | encode-in |
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
        ["check"] => check_only(),
        ["hostile"] => hostile_input(),
        ["packed", names @ ..] => packed_numbers(names),
        ["packed-callgrind", payload, task, library, times] => {
            times.parse().map_err(Box::from).and_then(|times| packed::repeat(payload, task, library, times))
        }
        ["callgrind", library, dataset, task] => callgrind(library, dataset, task, "100"),
        ["callgrind", library, dataset, task, times] => callgrind(library, dataset, task, times),
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

fn tabulate(mut options: &[&str]) -> Result<(), Box<dyn Error>> {
    let mut settings = Settings::default();
    let mut folders = Vec::from_iter(target_folder());
    while let [name, value, rest @ ..] = options {
        match *name {
            "--record" => folders.push(PathBuf::from(value)),
            "--rounds" => settings.rounds = value.parse::<usize>()?.max(1),
            _ => break,
        }
        options = rest;
    }
    if let [unknown, ..] = options {
        return Err(format!("unknown or incomplete argument {unknown:?}\n\n{HELP}").into());
    }
    if cfg!(debug_assertions) {
        eprintln!("warning: a debug build; its times say nothing. Use `cargo run --release`.");
    }

    let machine = machine::describe();
    for (name, value) in &machine {
        println!("{name:<17}{value}");
    }
    let gaps = check()?;
    println!("\nEvery answer checked: values and encodings equal prost's, but for the gaps below.\n");
    println!("{}", report::CONDITIONS);
    println!(
        "  allocs    calls of malloc, calloc and realloc by one warm operation, counted in a pass of their own; while\n\
         \x20           timing, each library pays one load of a flag for each of its allocations.\n\
         {} rounds of {:?}, interleaved. Minimum and median are taken over the rounds.",
        settings.rounds, settings.sample
    );

    let mut measurements = Vec::new();
    for dataset in Dataset::ALL {
        for task in Task::ALL {
            let mut operations = operations(dataset);
            operations.retain(|operation| operation.task == task && may_be_timed(operation, &gaps));
            measurements.extend(measure(&mut operations, settings));
        }
    }
    print!("{}", report::table(&measurements, &gaps));
    for folder in folders {
        report::write(&folder, &measurements, &gaps, &machine)?;
        println!("Record: {}/dataset.{{csv,json}}", folder.display());
    }
    Ok(())
}

fn may_be_timed(operation: &Operation, gaps: &[Gap]) -> bool {
    !gaps.iter().any(|gap| gap.forbids(operation))
}

/// `target/benchmarks`, from where this program lies: `target/release/benchmarks`.
fn target_folder() -> Option<PathBuf> {
    Some(std::env::current_exe().ok()?.parent()?.parent()?.join("benchmarks"))
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

fn packed_numbers(names: &[&str]) -> Result<(), Box<dyn Error>> {
    for (name, value) in machine::describe() {
        println!("{name:<17}{value}");
    }
    let record = packed::tabulate(&packed::payloads(names)?)?;
    if let Some(folder) = target_folder() {
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join("packed.csv"), record)?;
        println!("\nRecord: {}/packed.csv", folder.display());
    }
    Ok(())
}

fn callgrind(library: &str, dataset: &str, task: &str, times: &str) -> Result<(), Box<dyn Error>> {
    let library = Library::ALL.into_iter().find(|known| known.name() == library).ok_or("no such library")?;
    let dataset = Dataset::from_name(dataset).ok_or("no such dataset")?;
    let (task, variants): (Task, &[&str]) = match task {
        "decode" => (Task::Decode, &["arena reset", "new message"]),
        "decode-fresh" => (Task::Decode, &["fresh arena", "new message"]),
        "decode-borrowed" => (Task::Decode, &["borrowed, arena reset"]),
        "decode-reused" => (Task::Decode, &["arena reset", "cleared and merged"]),
        "decode-read" => (Task::DecodeRead, &["arena reset", "new message"]),
        "encode" => (Task::Encode, &["Encoder", "cleared Vec", "reset LinkedBytes"]),
        "encode-in" => (Task::Encode, &["encode_in, arena reset"]),
        "encode-to-vec" => (Task::EncodeToVec, &["new Vec"]),
        "encoded-len" => (Task::EncodedLen, &["-"]),
        _ => return Err("no such task".into()),
    };
    let gaps = check()?;
    let mut operation = operations(dataset)
        .into_iter()
        .find(|operation| {
            operation.library == library && operation.task == task && variants.contains(&operation.variant)
        })
        .filter(|operation| may_be_timed(operation, &gaps))
        .ok_or("this library does not do this task, or not rightly")?;
    operation.run(times.parse()?);
    Ok(())
}
