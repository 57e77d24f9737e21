//! The section of the report on protokt's large set, drawn from `results/huge.csv`.

use std::fmt::Write as _;
use std::path::Path;

use crate::question::{DECODE, DECODE_FRESH, ENCODE};
use crate::record::Record;
use crate::report::{self, made_on};
use crate::summary::time;

/// The section in Markdown, from the records in a folder; a sentence where there is none.
///
/// # Errors
///
/// Names the record that cannot be read, and why.
pub fn section(results: &Path) -> Result<String, String> {
    let makes = "`benchmarks/all.sh --keep --only huge` makes one";
    report::section("All of protokt's large set", results, ["huge.csv"], makes, |text, [record]| table(text, record))
}

fn table(text: &mut String, record: &Record) {
    let bytes = record.rows.first().map_or(f64::NAN, |row| row.bytes);
    let _ = writeln!(
        text,
        "The payload `generic_huge`, {bytes} bytes, of which `generic_large` is the beginning. There is no room for a message \
         of each library at once, so that one at a time is measured beside prost, in one process. {} The fastest of a library's \
         ways, and prost's time divided by its own, round by round: the middle, and between what it lies with 95% \
         confidence.\n",
        made_on(record)
    );
    let questions = [DECODE, DECODE_FRESH, ENCODE];
    let heads: Vec<&str> = questions.iter().map(|question| question.title).collect();
    let _ = writeln!(text, "| library | {} | |\n|---|{}", heads.join(" | | "), "--:|---|".repeat(heads.len()));
    for [name, ..] in &record.libraries {
        let best =
            questions.map(|question| record.rows.first().and_then(|row| question.best(record, name, &row.payload)));
        if best.iter().all(Option::is_none) {
            continue;
        }
        let cells = best.map(|row| match row {
            Some(row) => {
                let ratio = row.ratio.map_or_else(String::new, |ratio| {
                    format!("{:.2} ({:.2} to {:.2})", ratio.middle, ratio.low, ratio.high)
                });
                format!(" {} | {ratio} |", time(row.min))
            }
            None => " – | |".into(),
        });
        let _ = writeln!(text, "| {name} |{}", cells.concat());
    }
    text.push('\n');
    for gap in &record.gaps {
        let _ = writeln!(text, "- {gap}");
    }
    if !record.gaps.is_empty() {
        text.push('\n');
    }
}
