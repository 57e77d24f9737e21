//! The rows of a record, of loops that are timed side by side.

use crate::allocator;
use crate::interval::Interval;
use crate::libraries::PROST;
use crate::loops::{Loop, Samples, measure, middle, run};
use crate::offer::Memory;
use crate::record::Row;

/// Measures the loops of one task side by side. What they allocate is counted afterwards.
pub(crate) fn rows(payload: &str, loops: &mut [(Loop, Memory)], rounds: usize) -> Vec<Row> {
    let memories: Vec<Memory> = loops.iter().map(|(_, memory)| *memory).collect();
    let mut loops: Vec<&mut Loop> = loops.iter_mut().map(|(one, _)| one).collect();
    let samples = measure(&mut loops, rounds);
    // As elsewhere: with fresh memory beside fresh memory only.
    let baseline = |memory: Memory| {
        let asked =
            |index: &usize| loops[*index].library == PROST && (memory == Memory::Reused || memories[*index] == memory);
        let median = |index: usize| middle(&samples[index].nanoseconds).1;
        (0..loops.len()).filter(asked).min_by(|a, b| median(*a).total_cmp(&median(*b)))
    };
    let ratio = |index: usize| {
        let prost = &samples[baseline(memories[index])?].nanoseconds;
        Interval::of(prost.iter().zip(&samples[index].nanoseconds).map(|(prost, own)| prost / own).collect())
    };
    let ratios: Vec<Option<Interval>> = (0..loops.len()).map(ratio).collect();
    let counts: Vec<allocator::Count> = loops.iter_mut().map(|one| counted(one)).collect();
    let row = |(index, Samples { nanoseconds, times }): (usize, &Samples)| {
        let (min, median) = middle(nanoseconds);
        Row {
            payload: payload.into(),
            task: loops[index].task.into(),
            library: loops[index].library.into(),
            variant: loops[index].variant.into(),
            memory: memories[index].name().into(),
            bytes: loops[index].bytes as f64,
            min,
            median,
            rounds: rounds as f64,
            times: f64::from(*times),
            allocations: counts[index].allocations as f64 / f64::from(COUNTED),
            allocated_bytes: counts[index].bytes as f64 / f64::from(COUNTED),
            ratio: ratios[index],
        }
    };
    samples.iter().enumerate().map(row).collect()
}

/// Operations that are run while allocations are counted.
const COUNTED: u32 = 4;

/// What a warm loop asks of the allocator.
pub(crate) fn counted(one: &mut Loop) -> allocator::Count {
    run(one, COUNTED);
    allocator::count(|| {
        run(one, COUNTED);
    })
}
