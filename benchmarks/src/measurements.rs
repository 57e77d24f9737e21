//! Every row of a record in Markdown: what the report draws on, for people who look something up.

use std::fmt::Write as _;

use crate::record::Record;
use crate::report::made_on;
use crate::summary::time;

/// The tables, one for each payload and task.
pub fn markdown(record: &Record) -> String {
    let mut text = String::from("# Every measurement\n\n");
    let _ = writeln!(
        text,
        "Drawn from a record by `cargo run --release -p benchmarks -- report`; no number is typed by hand.\n\n{}\n\n\
         `×` is prost's time divided by the row's, round by round: the median, and between what it lies with 95% \
         confidence; fresh memory is compared with fresh memory. `allocs` and `allocated` are calls of Rust's allocator by \
         one warm operation, and the bytes that they ask for. [BENCHMARKS.md](BENCHMARKS.md) says what the tasks are and \
         who does what.",
        made_on(record),
    );
    let (mut payload, mut task) = ("", "");
    for row in &record.rows {
        if row.payload != payload {
            payload = &row.payload;
            task = "";
            let _ = writeln!(text, "\n## {payload}");
        }
        if row.task != task {
            task = &row.task;
            let _ = writeln!(
                text,
                "\n{task}, {} bytes:\n\n| library | way | fastest | median | MB/s | × | | allocs | allocated |\n\
                 |---|---|--:|--:|--:|--:|---|--:|--:|",
                row.bytes
            );
        }
        let ratio = row
            .ratio
            .map_or("– | |".into(), |ratio| format!("{:.2} | {:.2} to {:.2} |", ratio.middle, ratio.low, ratio.high));
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {:.0} | {ratio} {} | {} |",
            row.library,
            row.variant,
            time(row.min),
            time(row.median),
            row.megabytes_per_second(),
            row.allocations,
            row.allocated_bytes,
        );
    }
    text
}
