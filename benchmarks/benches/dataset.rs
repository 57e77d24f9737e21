//! Every operation under criterion, a group for each payload and task.
//!
//! `cargo run --release -p benchmarks` interleaves the libraries and is what is quoted; this is for
//! looking closely: `cargo bench -p benchmarks --bench dataset -- 'google_message2/decode/'`.

use std::time::{Duration, Instant};

use benchmarks::check::operations;
use benchmarks::libraries;
use benchmarks::offer::Task;
use benchmarks::payloads::Payload;
use criterion::{Criterion, Throughput};

fn main() {
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .configure_from_args();
    for payload in Payload::ALL {
        let (mut operations, gaps) = match operations(payload, libraries::ALL) {
            Ok(checked) => checked,
            Err(wrong) => {
                eprintln!("error: {wrong}");
                std::process::exit(1);
            }
        };
        for gap in &gaps {
            println!("{gap}");
        }
        for task in Task::ALL.into_iter().filter(|task| task.suits(payload)) {
            let mut group = criterion.benchmark_group(format!("{payload}/{task}"));
            for operation in operations.iter_mut().filter(|operation| operation.task == task) {
                group.throughput(Throughput::Bytes(operation.bytes as u64));
                group.bench_function(format!("{}, {}", operation.library, operation.variant), |bencher| {
                    bencher.iter_custom(|times| {
                        let start = Instant::now();
                        operation.run(times);
                        start.elapsed()
                    });
                });
            }
            group.finish();
        }
    }
    criterion.final_summary();
}
