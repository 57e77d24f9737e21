//! Every operation under criterion, a group for each dataset and task.
//!
//! `cargo run --release -p benchmarks` interleaves the libraries and is what is quoted; this is for
//! looking closely: `cargo bench -p benchmarks --bench dataset -- 'google_message2/decode/'`.

use std::time::{Duration, Instant};

use benchmarks::check::check;
use benchmarks::datasets::Dataset;
use benchmarks::operations::{Task, operations};
use criterion::{Criterion, Throughput};

fn main() {
    let gaps = match check() {
        Ok(gaps) => gaps,
        Err(wrong) => {
            eprintln!("error: {wrong}");
            std::process::exit(1);
        }
    };
    for gap in &gaps {
        println!("{gap}");
    }
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .configure_from_args();
    for dataset in Dataset::ALL {
        for task in Task::ALL {
            let mut group = criterion.benchmark_group(format!("{dataset}/{task}"));
            for mut operation in operations(dataset) {
                if operation.task != task || gaps.iter().any(|gap| gap.forbids(&operation)) {
                    continue;
                }
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
