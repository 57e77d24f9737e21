//! The section of the report on packed numbers, drawn from `results/packed.csv`.

use std::fmt::Write as _;
use std::path::Path;

use crate::libraries::{DEFIANT, PROST};
use crate::packed::MEMCPY;
use crate::record::{Record, Row};
use crate::report::{self, made_on};
use crate::summary::{ratio, time};

/// The section in Markdown, from the records in a folder; a sentence where there is none.
///
/// # Errors
///
/// Names the record that cannot be read, and why.
pub fn section(results: &Path) -> Result<String, String> {
    let makes = "`benchmarks/all.sh --keep --only packed` makes one";
    report::section("Packed numbers", results, ["packed.csv"], makes, |text, [record]| table(text, record))
}

fn table(text: &mut String, record: &Record) {
    let _ = writeln!(
        text,
        "Lists of numbers beside prost and beside a copy of their bytes, which is less than anyone can do who reads or writes \
         them: only a borrowed list of fixed width takes less. {} Fastest samples; with fresh memory beside fresh memory.\n\n\
         | payload | bytes | operation | Defiant | | GB/s | prost | prost's time divided by Defiant's | memcpy | memcpy's time \
         divided by Defiant's |\n|---|--:|---|---|--:|--:|--:|--:|--:|--:|",
        made_on(record)
    );
    for row in record.rows.iter().filter(|row| row.library == DEFIANT) {
        let prost = beside(record, PROST, row);
        let memcpy = beside(record, MEMCPY, row);
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            row.payload,
            row.bytes,
            row.task,
            row.variant,
            time(row.min),
            // What is counted is not read.
            if memcpy.is_some() { format!("{:.1}", row.bytes / row.min) } else { "–".into() },
            prost.map_or("–".into(), time),
            ratio(prost.map(|prost| prost / row.min)),
            memcpy.map_or("–".into(), time),
            ratio(memcpy.map(|memcpy| memcpy / row.min)),
        );
    }
    text.push('\n');
}

/// The fastest time of a library on the same with the same memory.
fn beside(record: &Record, library: &str, row: &Row) -> Option<f64> {
    let same = |other: &&Row| {
        (other.library.as_str(), &other.payload, &other.task, &other.memory)
            == (library, &row.payload, &row.task, &row.memory)
    };
    record.rows.iter().filter(same).map(|other| other.min).min_by(f64::total_cmp)
}
