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
    /// Samples of each operation, at most.
    pub rounds: usize,
    /// How long one sample takes, roughly; an operation that takes longer is run once.
    pub sample: Duration,
    /// How long one call of [`measure`] takes, roughly: what has many operations, or slow ones, gets shorter samples and
    /// fewer rounds, but [`FEWEST`] at least.
    pub budget: Duration,
}

/// As many rounds there are at least, if as many are asked for: enough for an interval.
pub const FEWEST: usize = 7;

impl Settings {
    /// The usual: enough for a table.
    pub const USUAL: Settings =
        Settings { rounds: 21, sample: Duration::from_millis(2), budget: Duration::from_millis(280) };
    /// A look, for which less than a minute is enough.
    pub const QUICK: Settings =
        Settings { rounds: FEWEST, sample: Duration::from_millis(1), budget: Duration::from_millis(40) };
    /// For a record that is kept.
    pub const LONG: Settings =
        Settings { rounds: 101, sample: Duration::from_millis(3), budget: Duration::from_secs(20) };
}

/// Measures operations side by side. What they allocate is counted afterwards, in a pass of its own.
pub fn measure(operations: &mut [Operation], settings: Settings) -> Vec<Row> {
    let fewest = FEWEST.min(settings.rounds);
    let share = settings.budget / (fewest * operations.len().max(1)) as u32;
    let sample = share.clamp(SHORTEST.min(settings.sample), settings.sample);
    let (times, takes): (Vec<u64>, Vec<Duration>) =
        operations.iter_mut().map(|operation| calibrate(operation, sample)).unzip();
    let affordable = settings.budget.as_nanos() / takes.iter().sum::<Duration>().as_nanos().max(1);
    let rounds = usize::try_from(affordable).unwrap_or(usize::MAX).clamp(fewest, settings.rounds);
    let mut samples = vec![Vec::with_capacity(rounds); operations.len()];
    for round in 0..rounds {
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
                rounds: rounds as f64,
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

/// No sample is made shorter than this.
const SHORTEST: Duration = Duration::from_micros(200);

/// How often an operation runs in `sample`, and how long it takes a round; warms it up on the way.
fn calibrate(operation: &mut Operation, sample: Duration) -> (u64, Duration) {
    let mut times = 1_u64;
    loop {
        let start = Instant::now();
        operation.run(times);
        let elapsed = start.elapsed();
        if elapsed >= sample / 2 {
            let scaled = times as f64 * sample.as_secs_f64() / elapsed.as_secs_f64();
            let scaled = (scaled.round() as u64).max(1);
            let runs = scaled + (scaled / 50).max(1);
            return (scaled, elapsed.mul_f64(runs as f64 / times as f64));
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
