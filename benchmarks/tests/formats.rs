//! The answers that the comparison with other formats rests on.

use benchmarks::allocator::Counting;
use benchmarks::formats::{Workload, record};
use benchmarks::program::Plan;

#[global_allocator]
static ALLOCATOR: Counting<std::alloc::System> = Counting(std::alloc::System);

const PROTOBUF: [&str; 2] = ["defiant", "prost"];

/// One test, because the allocator counts for all threads.
#[test]
fn every_format_gives_the_values_back_and_keeps_the_memory_that_it_says() {
    let plan = Plan::of(Workload::ALL, 1);
    // Values are read back and compared before anything runs.
    let record = record(&plan).unwrap_or_else(|error| panic!("{error}"));
    for [name, ..] in &record.libraries {
        for workload in Workload::ALL {
            let rows = record.rows.iter().filter(|row| row.library == *name && row.payload == workload.name());
            let mut tasks: Vec<&str> = rows.clone().map(|row| row.task.as_str()).collect();
            tasks.dedup();
            let encodes = PROTOBUF.contains(&name.as_str()) || name == "rkyv";
            let all = ["build+encode", "encode", "open", "open+read"];
            let expected: Vec<&str> = all.into_iter().filter(|task| encodes || *task != "encode").collect();
            assert_eq!(tasks, expected, "{name} on {}", workload.name());
            let mut bytes: Vec<u64> = rows.map(|row| row.bytes as u64).collect();
            bytes.dedup();
            assert_eq!(bytes.len(), 1, "{name} on {} has one encoding", workload.name());
        }
    }

    // prost's messages own what they hold, so do the values that rkyv is given, and a builder of Cap'n Proto has a list of
    // its segments.
    let may_allocate = |library: &str, task: &str| {
        library == "prost" || (task == "build+encode" && ["rkyv", "capnp", "capnp-packed"].contains(&library))
    };
    for row in record.rows.iter().filter(|row| !may_allocate(&row.library, &row.task)) {
        assert_eq!(row.allocations, 0.0, "{:?} asks for memory that it could keep", row.key());
    }
    assert!(record.rows.iter().any(|row| row.allocations > 0.0), "the allocator does count");

    let bytes = |library: &str, workload: &str| {
        let row = record.rows.iter().find(|row| row.library == library && row.payload == workload);
        row.expect("measured").bytes
    };
    for workload in Workload::ALL.map(Workload::name) {
        assert_eq!(bytes("defiant", workload), bytes("prost", workload), "the same wire");
        assert!(bytes("capnp-packed", workload) < bytes("capnp", workload), "packing leaves zeroes out");
    }
    let foobar = benchmarks::payloads::Payload::FooBar.wire().len();
    assert_eq!(bytes("prost", "foobar"), foobar as f64, "it is the payload that libraries are compared on");
}
