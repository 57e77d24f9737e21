//! The report of other formats, drawn from `results/formats.csv`.

use std::fmt::Write as _;
use std::path::Path;

use crate::json_report::{fastest_of, interval, time};
use crate::libraries::PROST;
use crate::record::Record;
use crate::report::{self, made_on};

/// The report in Markdown, of a record of the binary `formats`.
///
/// # Errors
///
/// Names the record that cannot be read, and why.
pub fn markdown(results: &Path) -> Result<String, String> {
    let record = Record::read(&results.join("formats.csv"))?;
    let mut text = String::from("# Other formats\n\n");
    let _ = writeln!(
        text,
        "Drawn from a record by `cargo run -p benchmarks -- formats-report`; no number is typed by hand.\n\n\
         {} Load average before: {}. FlatBuffers, rkyv and Cap'n Proto are no protobuf: they are references. All have the same \
         values, on the workloads that they are measured with themselves, run in one process, interleaved, and read back what \
         they wrote, compared field by field, before anything is timed.\n\n\
         `open` is whatever makes bytes from anyone safe to read: a decode for protobuf, the verifier of FlatBuffers, the checked \
         access of rkyv, and for Cap'n Proto a look at the root, because it checks what is read when it is read. So \
         `open+read` is the fair question: it reads every field and every byte of text, with the same code for all.\n",
        made_on(&record),
        record.value("load"),
    );
    let _ = writeln!(text, "## Bytes\n");
    sizes(&mut text, &record);
    let _ = writeln!(
        text,
        "## Fastest\n\nThe fastest sample of the fastest way that a format has; – is explained below.\n"
    );
    fastest(&mut text, &record);
    ways(&mut text, &record);
    text.push_str(
        "## Formats\n\n| format | version | strings | UTF-8 checked | unknown fields | memory that is used again |\n\
         |---|---|---|---|---|---|\n",
    );
    for format in &record.libraries {
        let _ = writeln!(text, "| {} |", format.join(" | "));
    }
    text.push('\n');
    for note in &record.gaps {
        let _ = writeln!(text, "* {note}");
    }
    Ok(text)
}

/// The section of the report of all in Markdown, from the records in a folder; a sentence where there is none.
///
/// # Errors
///
/// Names the record that cannot be read, and why.
pub fn section(results: &Path) -> Result<String, String> {
    let makes = "`benchmarks/all.sh --keep --only formats` makes one";
    report::section("Other formats", results, ["formats.csv"], makes, |text, [record]| {
        let _ = writeln!(
            text,
            "References that are no protobuf: what is read is read from the bytes. {} The fastest sample of the fastest way \
             that a format has. What `open` does is not the same for all, and hardly anything for Cap'n Proto, which checks \
             later; what `open+read` does is. [FORMATS.md](FORMATS.md) has every way, the sizes, and what opening checks.\n",
            made_on(record)
        );
        fastest(text, record);
    })
}

fn names(record: &Record) -> Vec<&str> {
    record.libraries.iter().map(|format| format[0].as_str()).collect()
}

/// The bytes of each workload in each format.
fn sizes(text: &mut String, record: &Record) {
    let names = names(record);
    let _ = writeln!(text, "| workload | {} |\n|---|{}", names.join(" | "), "--:|".repeat(names.len()));
    let mut workloads: Vec<&str> = record.rows.iter().map(|row| row.payload.as_str()).collect();
    workloads.dedup();
    for workload in workloads {
        let bytes = names.iter().map(|name| {
            let row = record.rows.iter().find(|row| row.payload == workload && row.library == *name);
            row.map_or(" – |".into(), |row| format!(" {} |", row.bytes))
        });
        let _ = writeln!(text, "| {workload} |{}", bytes.collect::<String>());
    }
    text.push('\n');
}

/// One row for each workload and task, one column for each format.
fn fastest(text: &mut String, record: &Record) {
    let names = names(record);
    let _ = writeln!(text, "| workload | task | {} |\n|---|---|{}", names.join(" | "), "--:|".repeat(names.len()));
    for like in record.rows.iter().filter(|row| row.library == PROST) {
        // Once for each task.
        if record.fastest(PROST, like, |row| row.min) == Some(like) {
            let _ = writeln!(text, "| {} | {} | {} |", like.payload, like.task, fastest_of(record, &names, like));
        }
    }
    text.push('\n');
}

/// All rows, a table for each workload and task.
fn ways(text: &mut String, record: &Record) {
    text.push_str(
        "## Every way\n\n\
         `×` is prost's time divided by the row's, round by round: the median, and between what it lies with 95% confidence; \
         fresh memory is compared with fresh memory. `allocs` are the heap allocations of one warm operation.\n",
    );
    let mut head = None;
    for row in &record.rows {
        if head != Some((&row.payload, &row.task)) {
            head = Some((&row.payload, &row.task));
            let _ = writeln!(
                text,
                "\n{} {}:\n\n| format | way | fastest | median | allocs | × | |\n|---|---|--:|--:|--:|--:|---|",
                row.payload, row.task
            );
        }
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {}",
            row.library,
            row.variant,
            time(row.min),
            time(row.median),
            row.allocations,
            interval(row),
        );
    }
    text.push('\n');
}
