//! The answers that the benchmark of JSON rests on.

use benchmarks::allocator::Counting;
use benchmarks::json::{Payload, record, warm_allocations};
use benchmarks::program::Plan;

#[global_allocator]
static ALLOCATOR: Counting<std::alloc::System> = Counting(std::alloc::System);

/// One test, because the allocator counts for all threads.
#[test]
fn answers_are_the_same_and_warm_operations_of_defiant_allocate_nothing() {
    let plan = Plan::of(Payload::ALL, 1);
    let record = record(&plan).unwrap_or_else(|error| panic!("{error}"));
    for library in &record.libraries {
        let rows = record.rows.iter().filter(|row| row.library == library[0]);
        assert!(rows.count() >= Payload::ALL.len(), "{} takes part", library[0]);
    }

    // The README says how much text that is.
    let bytes = |payload: &str| {
        let row = record.rows.iter().find(|row| row.payload == payload).expect("measured");
        let digits = row.bytes.to_string();
        // A comma before every third digit from the end.
        digits.bytes().rev().enumerate().fold(String::new(), |text, (at, digit)| {
            let comma = if at > 0 && at % 3 == 0 { "," } else { "" };
            format!("{}{comma}{text}", char::from(digit))
        })
    };
    let readme = include_str!("../README.md");
    for end in [format!("{}, {} |", bytes("car"), bytes("market")), format!("{} |", bytes("orders"))] {
        assert!(readme.lines().any(|line| line.starts_with("| `") && line.ends_with(&format!("| {end}"))), "{end}");
    }

    let counts = warm_allocations("defiant").unwrap_or_else(|error| panic!("{error}"));
    let (fresh, reused): (Vec<_>, Vec<_>) =
        counts.into_iter().partition(|(name, _)| name.contains("new") || name.contains("fresh"));
    for (name, calls) in &reused {
        assert_eq!(*calls, 0, "{name}");
    }
    assert_eq!(reused.len(), 4 * Payload::ALL.len());
    // The allocator does count.
    assert!(fresh.iter().all(|(_, calls)| *calls > 0), "{fresh:?}");
}
