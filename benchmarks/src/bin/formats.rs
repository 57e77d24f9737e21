//! The tables of other formats: `cargo run --release -p benchmarks --features formats --bin formats`.

use std::process::ExitCode;

use benchmarks::allocator::Counting;
use benchmarks::formats::{self, Workload};
use benchmarks::program::Program;

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
    Program {
        help: HELP,
        options: ["--workload", "--format"],
        all: &Workload::ALL,
        named: Workload::from_name,
        record: formats::record,
        repeat: formats::repeat,
        remark: "MB/s are of the bytes of each format, so that they compare no formats.",
    }
    .run()
}
