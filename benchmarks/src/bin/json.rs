//! The tables of JSON: `cargo run --release -p benchmarks --features json --bin json`.

use std::process::ExitCode;

use benchmarks::allocator::Counting;
use benchmarks::json::{self, Payload};
use benchmarks::program::Program;

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
    Program {
        help: HELP,
        options: ["--payload", "--library"],
        all: &Payload::ALL,
        named: Payload::from_name,
        record: json::record,
        repeat: json::repeat,
        remark: "prost's is pbjson's. Bytes are those of JSON.",
    }
    .run()
}
