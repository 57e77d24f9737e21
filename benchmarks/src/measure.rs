//! Interleaved timing: each round measures each operation once, in rotating order.

use std::time::{Duration, Instant};

use crate::allocator::{self, Count};
use crate::interval::Interval;
use crate::libraries::PROST;
use crate::offer::{Memory, Operation};
use crate::record::Row;

/// How long to measure.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Samples of each operation.
    pub rounds: usize,
    /// How long one sample takes, roughly; an operation that takes longer is run once.
    pub sample: Duration,
}

impl Settings {
    /// The usual: a table in under a minute.
    pub const USUAL: Settings = Settings { rounds: 21, sample: Duration::from_millis(2) };
    /// A look, in some ten seconds.
    pub const QUICK: Settings = Settings { rounds: 7, sample: Duration::from_millis(1) };
    /// For a record that is kept.
    pub const LONG: Settings = Settings { rounds: 101, sample: Duration::from_millis(3) };
}

/// Measures operations side by side. What they allocate is counted afterwards, in a pass of its own.
pub fn measure(operations: &mut [Operation], settings: Settings) -> Vec<Row> {
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
    let counts: Vec<Count> = operations.iter_mut().map(allocations).collect();
    let mut ratios = ratios(operations, &samples).into_iter();
    operations
        .iter()
        .enumerate()
        .map(|(index, operation)| {
            let samples = &mut samples[index];
            samples.sort_by(f64::total_cmp);
            Row {
                payload: operation.payload.name().into(),
                task: operation.task.name().into(),
                library: operation.library.into(),
                variant: operation.variant.into(),
                memory: operation.memory.name().into(),
                bytes: operation.bytes as f64,
                min: samples.first().copied().unwrap_or(f64::NAN),
                median: samples.get(samples.len() / 2).copied().unwrap_or(f64::NAN),
                rounds: settings.rounds as f64,
                times: times[index] as f64,
                allocations: counts[index].allocations as f64 / COUNTED as f64,
                allocated_bytes: counts[index].bytes as f64 / COUNTED as f64,
                ratio: ratios.next().flatten(),
            }
        })
        .collect()
}

/// For each operation the time of prost's fastest way, by the median, divided by its own, round by round; with fresh
/// memory it is compared with fresh memory only.
///
/// What disturbs a round disturbs both, so that these ratios are steadier than the ratio of two times from anywhere.
fn ratios(operations: &[Operation], samples: &[Vec<f64>]) -> Vec<Option<Interval>> {
    let median = |samples: &Vec<f64>| {
        let mut samples = samples.clone();
        samples.sort_by(f64::total_cmp);
        samples.get(samples.len() / 2).copied().unwrap_or(f64::NAN)
    };
    let prost = |memory: Memory| {
        let asked = |other: &Operation| other.library == PROST && (memory == Memory::Reused || other.memory == memory);
        let answers = operations.iter().zip(samples).filter(|(other, _)| asked(other)).map(|(_, samples)| samples);
        answers.min_by(|a, b| median(a).total_cmp(&median(b)))
    };
    let of = |(operation, own): (&Operation, &Vec<f64>)| {
        Interval::of(prost(operation.memory)?.iter().zip(own).map(|(prost, own)| prost / own).collect())
    };
    operations.iter().zip(samples).map(of).collect()
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

/// Operations that are run while allocations are counted.
const COUNTED: u64 = 4;

fn allocations(operation: &mut Operation) -> Count {
    operation.run(COUNTED);
    allocator::count(|| operation.run(COUNTED))
}
