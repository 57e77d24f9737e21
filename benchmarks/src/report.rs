//! The tables: every operation in plain text, and the report for people in Markdown.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::libraries::{PROST, SKIP};
use crate::offer::Task;
use crate::record::{Record, Row};
use crate::summary::{behind, geometric_mean, lazy, lines, ratio, time};

/// What holds for every number.
pub const CONDITIONS: &str = "\
  fresh     memory comes from the allocator and goes back to it, inside the timed loop.
  reused    memory is kept from one operation to the next; the reset or clearing is inside the timed loop.
  read      reads every field and every byte of text, with the same code for each library.
  skip      hops over the fields of the outermost message by wire type: the floor of a decode, not a decoder.
  allocs    calls of Rust's allocator by one warm operation, counted in a pass of their own; what a C library
            allocates is not seen. While timing, each library pays one load of a flag for each of its allocations.";

/// What each library was used with, in plain text.
pub fn settings(record: &Record) -> String {
    let mut text = String::from("Libraries:\n");
    for [name, version, strings, utf8, unknown, memory] in &record.libraries {
        let _ = writeln!(
            text,
            "  {name:<15}{version:<15} strings: {strings}\n{:<32} UTF-8: {utf8}; unknown fields: {unknown}; reused: {memory}",
            ""
        );
    }
    text
}

/// The table of every operation in plain text.
pub fn table(record: &Record) -> String {
    let mut text = String::new();
    let mut head = None;
    for row in &record.rows {
        if head != Some((&row.payload, &row.task)) {
            head = Some((&row.payload, &row.task));
            let _ = write!(
                text,
                "\n{} {}, {} bytes\n{:<16}{:<36}{:>12}{:>12}{:>10}{:>10}{:>12}{:>12}\n",
                row.payload,
                row.task,
                row.bytes,
                "library",
                "variant",
                "min ns",
                "median ns",
                "MB/s",
                "allocs",
                "prost/ min",
                "prost/ med",
            );
        }
        let _ = write!(
            text,
            "{:<16}{:<36}{:>12.1}{:>12.1}{:>10.0}{:>10}",
            row.library,
            row.variant,
            row.min,
            row.median,
            row.megabytes_per_second(),
            row.allocations,
        );
        if let Some((min, median)) = record.prost_ratios(row) {
            let _ = write!(text, "{min:>11.2}x{median:>11.2}x");
        }
        text.push('\n');
    }
    if !record.gaps.is_empty() {
        text.push_str("\nGaps:\n");
    }
    for gap in &record.gaps {
        let _ = writeln!(text, "  {gap}");
    }
    text
}

/// The questions of the report, and the rows that answer them.
const QUESTIONS: [(&str, &str, Task, &str); 7] = [
    (
        "Decode, memory reused",
        "Wire to message, and giving the message's memory back. Lazy decoders have not done the work yet, and do not count.",
        Task::Decode,
        "reused",
    ),
    (
        "Decode, fresh memory",
        "The same with memory from the allocator and back to it, every time.",
        Task::Decode,
        "fresh",
    ),
    (
        "Decode and read every field, memory reused",
        "Lazy decoders take part here: what they put off is done now.",
        Task::DecodeRead,
        "reused",
    ),
    ("Encode to a reused buffer", "A message that is kept, to wire.", Task::Encode, "reused"),
    ("Encoded length", "The size of the encoding alone.", Task::EncodedLen, "reused"),
    ("Build by hand and encode", "All fields set one by one, then to wire.", Task::BuildEncode, "reused"),
    ("Read a message that is kept", "Every field and every byte of text.", Task::Read, "reused"),
];

/// The report in Markdown.
pub fn markdown(record: &Record) -> String {
    let mut text = String::from("# Benchmarks\n\n");
    let _ = writeln!(
        text,
        "Drawn from a record by `cargo run --release -p benchmarks -- report`; no number is typed by hand.\n\n\
         Measured on {} ({}, CPUs {}), {}, {} malloc, revision `{}`, {} rounds. Times are the fastest samples; fastest \
         and middle sample are both in the record.\n",
        record.value("cpu"),
        record.value("os"),
        record.value("cpus_allowed"),
        record.value("rustc"),
        record.value("malloc"),
        record.value("commit"),
        record.rows.first().map_or(0.0, |row| row.rounds),
    );
    standing(&mut text, record);
    for (title, what, task, memory) in QUESTIONS {
        question(&mut text, record, title, what, task, memory);
    }
    method(&mut text, record);
    text
}

/// Where Defiant stands, in short.
fn standing(text: &mut String, record: &Record) {
    let lines = lines(record);
    let compared = lines.iter().filter(|line| line.ratio().is_some()).count();
    let behind = behind(&lines);
    let _ = writeln!(text, "## Where Defiant stands\n");
    let _ = writeln!(
        text,
        "Of {compared} questions (a payload and an operation), Defiant leads in {}. Over all payloads, prost's time \
         divided by Defiant's:\n\n| operation | geometric mean | least | most |\n|---|--:|--:|--:|",
        compared - behind.len()
    );
    let mut ratios: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for line in &lines {
        ratios.entry(&line.question).or_default().extend(line.prost_ratio());
    }
    for (question, ratios) in ratios.iter().filter(|(_, ratios)| !ratios.is_empty()) {
        let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
        let most = ratios.iter().copied().fold(0.0, f64::max);
        let mean = geometric_mean(ratios.iter().copied());
        let _ = writeln!(text, "| {question} | {} | {least:.2} | {most:.2} |", ratio(mean));
    }
    if behind.is_empty() {
        text.push('\n');
        return;
    }
    let _ = writeln!(
        text,
        "\nIt does not lead in these, the worst first:\n\n| payload | operation | Defiant | best peer | | Defiant's time \
         divided by the peer's |\n|---|---|--:|---|--:|--:|"
    );
    for line in behind {
        let Some(peer) = line.peer else { continue };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {}, {} | {} | {} |",
            line.defiant.payload,
            line.question,
            time(line.defiant.min),
            peer.library,
            peer.variant,
            time(peer.min),
            ratio(line.ratio().map(|ratio| 1.0 / ratio)),
        );
    }
    text.push('\n');
}

/// A table of all libraries for one question.
fn question(text: &mut String, record: &Record, title: &str, what: &str, task: Task, memory: &str) {
    let asked = |row: &&Row| row.task == task.name() && (memory == "reused" || row.memory == memory);
    let mut payloads: Vec<&str> = Vec::new();
    for row in record.rows.iter().filter(asked) {
        if !payloads.contains(&row.payload.as_str()) {
            payloads.push(&row.payload);
        }
    }
    if payloads.is_empty() {
        return;
    }
    let took_part = |name: &str| record.rows.iter().filter(asked).any(|row| row.library == name);
    let names: Vec<&str> =
        record.libraries.iter().map(|library| library[0].as_str()).filter(|name| took_part(name)).collect();
    let floor = matches!(task, Task::Decode | Task::DecodeRead);
    let _ = writeln!(text, "## {title}\n\n{what} The fastest of a library's ways; – is a gap, stated below.\n");
    let head: Vec<String> = names.iter().map(|name| format!(" {name} |")).collect();
    let _ = writeln!(text, "| payload | bytes |{}{}", head.concat(), if floor { " skip only |" } else { "" });
    let _ = writeln!(text, "|---|--:|{}{}", "--:|".repeat(names.len()), if floor { "--:|" } else { "" });
    for payload in payloads {
        let rows: Vec<&Row> = record.rows.iter().filter(asked).filter(|row| row.payload == payload).collect();
        let bytes = rows.iter().find(|row| row.library == PROST).map_or(f64::NAN, |row| row.bytes);
        let best = |name: &str| {
            let times = rows.iter().filter(|row| row.library == name).map(|row| row.min);
            times.min_by(f64::total_cmp)
        };
        let fastest = names
            .iter()
            .filter(|name| !(task == Task::Decode && lazy(name)))
            .filter_map(|name| best(name))
            .min_by(f64::total_cmp);
        let cells: Vec<String> = names
            .iter()
            .map(|name| match best(name) {
                Some(ns) if Some(ns) == fastest => format!(" **{}** |", time(ns)),
                Some(ns) => format!(" {} |", time(ns)),
                None => " – |".into(),
            })
            .collect();
        let _ = write!(text, "| {payload} | {bytes} |{}", cells.concat());
        if floor {
            let skip = record.rows.iter().find(|row| row.library == SKIP && row.payload == payload);
            let _ = write!(text, " {} |", skip.map_or("–".into(), |row| time(row.min)));
        }
        text.push('\n');
    }
    text.push('\n');
}

fn method(text: &mut String, record: &Record) {
    text.push_str(
        "## Method\n\n\
         All libraries run in one process on one thread. Each round measures each operation once, in rotating order, so \
         that what disturbs the machine disturbs all of them. Before anything is timed, every library's values are \
         compared with prost's, field by field, and its encodings are compared byte by byte, or, where they differ, read \
         back by prost and compared. What differs is a gap, and what a gap makes meaningless is not timed.\n\n\
         Caveats: layout alone moves a case of some tens of nanoseconds by up to a quarter, so that instruction counts \
         (`benchmarks/instructions.sh`) say more about small payloads. Strings are copied, borrowed or counted, UTF-8 is \
         checked or not, unknown fields are kept or dropped: the table says by whom. The walk that only skips hops over \
         the fields of the outermost message.\n\n\
         | library | version | strings | UTF-8 | unknown fields | memory that is used again |\n|---|---|---|---|---|---|\n",
    );
    for library in &record.libraries {
        let _ = writeln!(text, "| {} |", library.join(" | "));
    }
    if record.gaps.is_empty() {
        return;
    }
    text.push_str("\n## Gaps\n\n");
    for gap in &record.gaps {
        let _ = writeln!(text, "- {gap}");
    }
}
