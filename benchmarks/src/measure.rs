//! Interleaved timing: each round measures each operation once, in rotating order.

use std::time::{Duration, Instant};

use crate::allocator::{self, Count};
use crate::datasets::Dataset;
use crate::operations::{Library, Operation, Task};

/// How long to measure.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Samples of each operation.
    pub rounds: usize,
    /// How long one sample takes, roughly.
    pub sample: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { rounds: 151, sample: Duration::from_millis(3) }
    }
}

/// What came out for one operation.
#[derive(Clone, Debug)]
pub struct Measurement {
    /// On which payload.
    pub dataset: Dataset,
    /// What.
    pub task: Task,
    /// By whom.
    pub library: Library,
    /// In which way.
    pub variant: &'static str,
    /// Bytes of wire read or written.
    pub bytes: usize,
    /// Nanoseconds, the fastest sample.
    pub min: f64,
    /// Nanoseconds, the middle sample.
    pub median: f64,
    /// Samples.
    pub rounds: usize,
    /// Operations in one sample.
    pub times: u64,
    /// Calls of the allocator by one warm operation.
    pub allocations: f64,
    /// Bytes those calls asked for.
    pub allocated_bytes: f64,
}

impl Measurement {
    /// Megabytes (10^6 bytes) of wire a second, by the median.
    pub fn megabytes_per_second(&self) -> f64 {
        self.bytes as f64 * 1e3 / self.median
    }
}

/// Measures operations side by side. What they allocate is counted afterwards, in a pass of its own.
pub fn measure(operations: &mut [Operation], settings: Settings) -> Vec<Measurement> {
    let times: Vec<u64> = operations.iter_mut().map(|operation| calibrate(operation, settings.sample)).collect();
    let mut samples = vec![Vec::with_capacity(settings.rounds); operations.len()];
    for round in 0..settings.rounds {
        for turn in 0..operations.len() {
            let index = (round + turn) % operations.len();
            let operation = &mut operations[index];
            // The first operation after another library's finds cold caches; it is not what is asked.
            operation.run((times[index] / 50).max(1));
            let start = Instant::now();
            operation.run(times[index]);
            samples[index].push(start.elapsed().as_nanos() as f64 / times[index] as f64);
        }
    }
    let counts: Vec<(f64, f64)> = operations.iter_mut().map(allocations).collect();
    operations
        .iter()
        .enumerate()
        .map(|(index, operation)| {
            let samples = &mut samples[index];
            samples.sort_by(f64::total_cmp);
            Measurement {
                dataset: operation.dataset,
                task: operation.task,
                library: operation.library,
                variant: operation.variant,
                bytes: operation.bytes,
                min: samples.first().copied().unwrap_or(f64::NAN),
                median: samples.get(samples.len() / 2).copied().unwrap_or(f64::NAN),
                rounds: settings.rounds,
                times: times[index],
                allocations: counts[index].0,
                allocated_bytes: counts[index].1,
            }
        })
        .collect()
}

/// How often an operation runs in `sample`; warms it up on the way.
fn calibrate(operation: &mut Operation, sample: Duration) -> u64 {
    let mut times = 1_u64;
    loop {
        let start = Instant::now();
        operation.run(times);
        let elapsed = start.elapsed();
        if elapsed >= sample / 2 {
            let scaled = times as f64 * sample.as_secs_f64() / elapsed.as_secs_f64();
            return (scaled.round() as u64).max(1);
        }
        times *= 2;
    }
}

fn allocations(operation: &mut Operation) -> (f64, f64) {
    const TIMES: u64 = 16;
    operation.run(TIMES);
    let Count { allocations, bytes } = allocator::count(|| operation.run(TIMES));
    (allocations as f64 / TIMES as f64, bytes as f64 / TIMES as f64)
}

/// The fastest of the measurements of `library`, by `time`, on the dataset and task of `like`.
pub fn fastest<'a>(
    measurements: &'a [Measurement],
    library: Library,
    like: &Measurement,
    time: impl Fn(&Measurement) -> f64,
) -> Option<&'a Measurement> {
    measurements
        .iter()
        .filter(|other| other.library == library && other.dataset == like.dataset && other.task == like.task)
        .min_by(|a, b| time(a).total_cmp(&time(b)))
}
