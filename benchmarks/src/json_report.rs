//! The report of JSON, drawn from `results/json.csv` and `results/json_size.csv`.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::libraries::{DEFIANT, PROST};
use crate::record::{Record, Row, cells};
use crate::report::{self, made_on};

/// The report in Markdown, of a record of the binary `json` and of one of `json_size.sh`.
///
/// # Errors
/// Names the record that cannot be read, and why.
pub fn markdown(results: &Path) -> Result<String, String> {
    let record = Record::read(&results.join("json.csv"))?;
    let mut text = String::from("# JSON\n\n");
    let _ = writeln!(
        text,
        "Drawn from records by `cargo run -p benchmarks -- json-report`; no number is typed by hand.\n\n\
         Measured on {} ({}, CPUs {}, load {}), {}, {} malloc, revision `{}`. All libraries run in one process, \
         interleaved, and read the same text. prost is prost with pbjson.\n\n\
         ## Fastest\n\n\
         The fastest sample of the fastest way that a library has.\n",
        record.value("cpu"),
        record.value("os"),
        record.value("cpus_allowed"),
        record.value("load"),
        record.value("rustc"),
        record.value("malloc"),
        record.value("commit"),
    );
    fastest(&mut text, &record);
    ways(&mut text, &record);
    size(&mut text, &results.join("json_size.csv"))?;
    text.push_str("## Libraries\n\n| library | version | strings | unknown members | memory that is used again |\n|---|---|---|---|---|\n");
    for [name, version, strings, _, unknown, memory] in &record.libraries {
        let _ = writeln!(text, "| {name} | {version} | {strings} | {unknown} | {memory} |");
    }
    text.push('\n');
    for gap in &record.gaps {
        let _ = writeln!(text, "* {gap}");
    }
    Ok(text)
}

/// The section of the report of all in Markdown, from the records in a folder; a sentence where there is none.
///
/// # Errors
/// Names the record that cannot be read, and why.
pub fn section(results: &Path) -> Result<String, String> {
    let makes = "`benchmarks/all.sh --keep --only json` makes one";
    report::section("JSON", results, ["json.csv"], makes, |text, [record]| {
        let _ = writeln!(
            text,
            "{} The fastest sample of the fastest way that a library has; prost is prost with pbjson. [JSON.md](JSON.md) has \
             every way, the sizes, and who does what.\n",
            made_on(record)
        );
        fastest(text, record);
    })
}

/// One row for each payload and task, one column for each library.
fn fastest(text: &mut String, record: &Record) {
    let names: Vec<&str> = record.libraries.iter().map(|library| library[0].as_str()).collect();
    let _ = writeln!(text, "| payload | task | bytes | {} |", names.join(" | "));
    let _ = writeln!(text, "|---|---|--:|{}", "--:|".repeat(names.len()));
    for like in record.rows.iter().filter(|row| row.library == PROST) {
        // Once for each task.
        if record.fastest(PROST, like, |row| row.min) != Some(like) {
            continue;
        }
        let cells = fastest_of(record, &names, like);
        let _ = writeln!(text, "| {} | {} | {} | {cells} |", like.payload, like.task, like.bytes);
    }
    text.push('\n');
}

/// The fastest times on the payload and task of `like`, a cell for each name, the least in bold.
pub(crate) fn fastest_of(record: &Record, names: &[&str], like: &Row) -> String {
    let best: Vec<Option<f64>> =
        names.iter().map(|name| record.fastest(name, like, |row| row.min).map(|row| row.min)).collect();
    let least = best.iter().flatten().copied().fold(f64::INFINITY, f64::min);
    let cells: Vec<String> = best
        .into_iter()
        .map(|best| match best {
            Some(ns) if ns <= least => format!("**{}**", time(ns)),
            Some(ns) => time(ns),
            None => "–".into(),
        })
        .collect();
    cells.join(" | ")
}

/// All rows, a table for each payload and task.
fn ways(text: &mut String, record: &Record) {
    text.push_str(
        "## Every way\n\n\
         `×` is pbjson's time divided by the row's, round by round: the median, and between what it lies with 95% \
         confidence; fresh memory is compared with fresh memory. `allocs` are the heap allocations of one warm operation.\n",
    );
    let mut head = None;
    for row in &record.rows {
        if head != Some((&row.payload, &row.task)) {
            head = Some((&row.payload, &row.task));
            let _ = writeln!(
                text,
                "\n{} {}, {} bytes:\n\n| library | way | time | MB/s | allocs | × | |\n|---|---|--:|--:|--:|--:|---|",
                row.payload, row.task, row.bytes
            );
        }
        let _ = writeln!(
            text,
            "| {} | {} | {} | {:.0} | {} | {}",
            if row.library == DEFIANT { "Defiant" } else { &row.library },
            row.variant,
            time(row.min),
            row.bytes * 1e3 / row.min,
            row.allocations,
            interval(row),
        );
    }
    text.push('\n');
}

/// The ratio to prost's time and its interval, as two cells and what ends the line.
pub(crate) fn interval(row: &Row) -> String {
    row.ratio.map_or("– | |".into(), |ratio| format!("{:.2} | {:.2} to {:.2} |", ratio.middle, ratio.low, ratio.high))
}

/// Nanoseconds as people read them.
pub(crate) fn time(ns: f64) -> String {
    if ns < 1e3 { format!("{ns:.0} ns") } else { format!("{:.2} µs", ns / 1e3) }
}

/// What formats add to a program; nothing where there is no record.
fn size(text: &mut String, file: &Path) -> Result<(), String> {
    let Ok(record) = fs::read_to_string(file) else { return Ok(()) };
    let wrong = |line: usize| format!("{}: line {line} is not one of sizes", file.display());
    let mut lines = record.lines().zip(1..).skip(1).peekable();
    let first = lines.peek().map(|(line, _)| cells(line)).unwrap_or_default();
    let [commit, rustc, ..] = first.as_slice() else { return Err(wrong(2)) };
    let _ = writeln!(
        text,
        "## Size\n\n\
         What one message more adds to a program that reads and writes it as wire and in the formats named: the messages \
         of `schemas/thousand.awk`, by `json_size.sh`, rustc {rustc}, revision `{commit}`. Data are read-only data, \
         tables, relocations and what unwinding needs.\n\n\
         | program | machine code, bytes | data, bytes |\n|---|--:|--:|"
    );
    for (line, at) in lines {
        let cells = cells(line);
        let [_, _, what, _, _, _, code, data] = cells.as_slice() else { return Err(wrong(at)) };
        let _ = writeln!(text, "| {what} | {code} | {data} |");
    }
    text.push('\n');
    Ok(())
}
