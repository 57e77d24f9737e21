//! The answers that the benchmark of JSON rests on.

use benchmarks::allocator::Counting;
use benchmarks::json::{Payload, Plan, record, warm_allocations};

#[global_allocator]
static ALLOCATOR: Counting<std::alloc::System> = Counting(std::alloc::System);

/// One test, because the allocator counts for all threads.
#[test]
fn answers_are_the_same_and_warm_operations_of_defiant_allocate_nothing() {
    let plan = Plan { payloads: Payload::ALL.into(), libraries: Vec::new(), tasks: Vec::new(), rounds: 1 };
    let record = record(&plan).unwrap_or_else(|error| panic!("{error}"));
    for library in &record.libraries {
        let rows = record.rows.iter().filter(|row| row.library == library[0]);
        assert!(rows.count() >= Payload::ALL.len(), "{} takes part", library[0]);
    }

    let counts = warm_allocations("defiant").unwrap_or_else(|error| panic!("{error}"));
    let of = |reused: bool| {
        let counts = counts
            .iter()
            .filter(move |(_, _, variant, _)| !(variant.contains("new") || variant.contains("fresh")) == reused);
        counts.collect::<Vec<_>>()
    };
    for (payload, task, variant, calls) in of(true) {
        assert_eq!(*calls, 0, "{} {task}, {variant}", payload.name());
    }
    // The allocator does count.
    assert_eq!(of(true).len(), 4 * Payload::ALL.len());
    assert!(of(false).iter().all(|(.., calls)| *calls > 0));
}
