//! The section of the report on processors, drawn from `results/dataset.csv` and the records in `results/processors`.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::libraries::{DEFIANT, PROST, SKIP};
use crate::offer::Task;
use crate::record::Record;
use crate::report::made_on;
use crate::summary::ratio;

/// The section in Markdown, from the records in a folder; a sentence where there is only one processor's, or none.
///
/// # Errors
///
/// Names what cannot be read, and why.
pub fn section(results: &Path) -> Result<String, String> {
    let mut text = String::from("## Processors\n\n");
    let records = files(results)?.iter().map(|file| Record::read(file)).collect::<Result<Vec<_>, _>>()?;
    if records.len() < 2 {
        text.push_str(
            "There is no record of other processors: `cargo run --release -p benchmarks -- --record DIR` makes `DIR/dataset.csv` on \
             one, whose place is `benchmarks/results/processors`.\n\n",
        );
        return Ok(text);
    }
    table(&mut text, &records);
    Ok(text)
}

/// The record of the repository's table, and those of other processors by name.
fn files(results: &Path) -> Result<Vec<PathBuf>, String> {
    let folder = results.join("processors");
    let mut others = Vec::new();
    if folder.is_dir() {
        let failed = |error| format!("{}: {error}", folder.display());
        for entry in fs::read_dir(&folder).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            if path.extension().is_some_and(|extension| extension == "csv") {
                others.push(path);
            }
        }
    }
    others.sort();
    Ok(Some(results.join("dataset.csv")).filter(|file| file.exists()).into_iter().chain(others).collect())
}

/// What is compared: a title, whose time is divided, and by whose. Both are the fastest samples of a task, of all ways of a
/// library or of those with fresh memory only.
type Comparison = (&'static str, Timed, Timed);
/// A library's task, and whether memory that is used again counts.
type Timed = (&'static str, Task, bool);

/// Of Google's payloads.
const COMPARISONS: [Comparison; 7] = [
    ("decode: prost's `decode` / Defiant, arena reset", (PROST, Task::Decode, false), (DEFIANT, Task::Decode, true)),
    ("decode: prost's fastest way / Defiant, arena reset", (PROST, Task::Decode, true), (DEFIANT, Task::Decode, true)),
    ("decode: both with fresh memory", (PROST, Task::Decode, false), (DEFIANT, Task::Decode, false)),
    ("decode: Defiant / a walk that skips every field", (DEFIANT, Task::Decode, true), (SKIP, Task::Skip, true)),
    ("encode to a reused buffer", (PROST, Task::Encode, true), (DEFIANT, Task::Encode, true)),
    ("encode to a new `Vec`", (PROST, Task::EncodeToVec, true), (DEFIANT, Task::EncodeToVec, true)),
    ("encoded length", (PROST, Task::EncodedLen, true), (DEFIANT, Task::EncodedLen, true)),
];

fn table(text: &mut String, records: &[Record]) {
    let _ = writeln!(
        text,
        "Google's payloads on more than one processor. Each number is one time divided by another of the same run, both the \
         fastest samples: prost's by Defiant's if nothing else is said, so that more than 1 means that Defiant is faster.\n"
    );
    for (record, at) in records.iter().zip(1..) {
        let _ = writeln!(text, "{at}. {}", made_on(record));
    }
    let heads: String = (1..=records.len()).map(|at| format!(" {at} |")).collect();
    let _ = writeln!(text, "\n| payload | |{heads}\n|---|---|{}", "--:|".repeat(records.len()));
    let mut payloads: Vec<&str> = Vec::new();
    for row in records.iter().flat_map(|record| &record.rows) {
        if row.payload.starts_with("google_") && !payloads.contains(&row.payload.as_str()) {
            payloads.push(&row.payload);
        }
    }
    for payload in payloads {
        for (title, time, by) in COMPARISONS {
            let quotients = records.iter().map(|record| {
                let quotient = fastest(record, payload, time).zip(fastest(record, payload, by));
                format!(" {} |", ratio(quotient.map(|(time, by)| time / by)))
            });
            let _ = writeln!(text, "| {payload} | {title} |{}", quotients.collect::<String>());
        }
    }
    text.push('\n');
}

/// Nanoseconds of the fastest sample.
fn fastest(record: &Record, payload: &str, (library, task, reused): Timed) -> Option<f64> {
    let rows = record.rows.iter().filter(|row| row.payload == payload && row.library == library);
    let rows = rows.filter(|row| row.task == task.name() && (reused || row.memory == "fresh"));
    rows.map(|row| row.min).min_by(f64::total_cmp)
}
