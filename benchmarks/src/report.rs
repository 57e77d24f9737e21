//! The tables: every operation in plain text, and the report for people in Markdown.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use crate::allocations::{self, Allocations};
use crate::bars::Chart;
use crate::charts;
use crate::formats_report;
use crate::huge_report;
use crate::instructions::{self, Instructions};
use crate::json_report;
use crate::libraries::{DEFIANT, PROST, SKIP};
use crate::malloc_report;
use crate::offer::Task;
use crate::packed_report;
use crate::processors_report;
use crate::question::{QUESTIONS, Question};
use crate::record::Record;
use crate::schemas::{self, Schemas};
use crate::servers;
use crate::summary::{behind, geometric_mean, lines, ratio, time};

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
                "\n{} {}, {} bytes\n{:<16}{:<36}{:>12}{:>12}{:>10}{:>10}{:>12}{:>12}{:>16}\n",
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
                "round by round",
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
        if let Some(ratio) = row.ratio {
            let _ = write!(text, "{:>16}", format!("{:.2} to {:.2}", ratio.low, ratio.high));
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

/// What the report is drawn from.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// Times.
    pub record: Record,
    /// Build time and code size, if they were measured.
    pub schemas: Option<Schemas>,
    /// Instructions, if they were counted.
    pub instructions: Option<Instructions>,
    /// Bytes held, if they were counted.
    pub allocations: Option<Allocations>,
    /// The section on protokt's large set.
    pub huge: String,
    /// The section on packed numbers.
    pub packed: String,
    /// The section on another malloc.
    pub malloc: String,
    /// The section on other processors.
    pub processors: String,
    /// The section on JSON.
    pub json: String,
    /// The section on servers.
    pub servers: String,
    /// The section on other formats.
    pub formats: String,
}

impl Sources {
    /// The record in a file, and the others in the folder `results`.
    ///
    /// # Errors
    ///
    /// Names the file and what is wrong with it. It is not wrong that one of the others is missing.
    pub fn read(record: &Path, results: &Path) -> Result<Sources, String> {
        Ok(Sources {
            record: Record::read(record)?,
            schemas: Schemas::read(&results.join("schemas.csv"))?,
            instructions: Instructions::read(results)?,
            allocations: Allocations::read(&results.join("allocations.csv"))?,
            huge: huge_report::section(results)?,
            packed: packed_report::section(results)?,
            malloc: malloc_report::section(results)?,
            processors: processors_report::section(results)?,
            json: json_report::section(results)?,
            servers: servers::section(&servers::Records::read(results))?,
            formats: formats_report::section(results)?,
        })
    }

    /// The charts that the report shows.
    pub fn charts(&self) -> Vec<Chart> {
        charts::all(&self.record, self.schemas.as_ref())
    }
}

/// The report in Markdown; it shows its charts from the folder `charts`.
pub fn markdown(sources: &Sources) -> String {
    let record = &sources.record;
    let mut text = String::from("# Benchmarks\n\n");
    let _ = writeln!(
        text,
        "Drawn from records by `cargo run --release -p benchmarks -- report`; no number is typed by hand.\n\n{} Times are the \
         fastest samples; [MEASUREMENTS.md](MEASUREMENTS.md) has the middle ones, too, with MB/s, allocations and confidence \
         intervals of each way of each library.\n",
        made_on(record),
    );
    standing(&mut text, record);
    against_prost(&mut text, record);
    for question in QUESTIONS {
        answers(&mut text, record, question);
    }
    text.push_str(&sources.huge);
    text.push_str(&sources.packed);
    text.push_str(&sources.malloc);
    text.push_str(&sources.processors);
    schemas::section(&mut text, sources.schemas.as_ref());
    allocations::section(&mut text, record, sources.allocations.as_ref());
    instructions::section(&mut text, sources.instructions.as_ref());
    text.push_str(&sources.json);
    text.push_str(&sources.servers);
    text.push_str(&sources.formats);
    method(&mut text, record);
    text
}

/// A section: its title, and what `body` says of the records in `files`; where one is missing, what makes it.
pub(crate) fn section<const FILES: usize>(
    title: &str,
    results: &Path,
    files: [&str; FILES],
    makes: &str,
    body: impl FnOnce(&mut String, [&Record; FILES]),
) -> Result<String, String> {
    let mut text = format!("## {title}\n\n");
    let files = files.map(|name| results.join(name));
    if !files.iter().all(|file| file.exists()) {
        let _ = writeln!(text, "There is no record of this: {makes}.\n");
        return Ok(text);
    }
    let records = files.iter().map(|file| Record::read(file)).collect::<Result<Vec<_>, _>>()?;
    body(&mut text, std::array::from_fn(|at| &records[at]));
    Ok(text)
}

/// Where a record was made, in a sentence or two.
pub(crate) fn made_on(record: &Record) -> String {
    let mut text = format!(
        "Measured on {} ({}, CPUs {}), {}, {} malloc, revision `{}`, {} rounds.",
        record.value("cpu"),
        record.value("os"),
        record.value("cpus_allowed"),
        record.value("rustc"),
        record.value("malloc"),
        record.value("commit"),
        rounds(record),
    );
    // Records that are older than this value are all of that profile.
    if !["-", "release"].contains(&record.value("profile")) {
        let _ = write!(
            text,
            " **Built with the profile `{}`, not with `release`: these times are for a look, not to be quoted.**",
            record.value("profile")
        );
    }
    text
}

/// `101`, or `7 to 101` where slow operations have fewer.
fn rounds(record: &Record) -> String {
    let rounds = record.rows.iter().map(|row| row.rounds);
    let (least, most) = (rounds.clone().fold(f64::INFINITY, f64::min), rounds.fold(0.0, f64::max));
    if least < most { format!("{least} to {most}") } else { most.to_string() }
}

/// Where Defiant stands, in short.
fn standing(text: &mut String, record: &Record) {
    let lines = lines(record);
    let compared = lines.iter().filter(|line| line.ratio().is_some()).count();
    let behind = behind(&lines);
    let _ = writeln!(text, "## Where Defiant stands\n");
    if let Some(chart) = charts::payloads(record) {
        let _ = writeln!(text, "{}\n\n{}\n", chart.image(), chart.note);
    }
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
            "| {} | {} | {} | {}, {}{} | {} | {} |",
            line.defiant.payload,
            line.question,
            time(line.defiant.min),
            peer.library,
            peer.variant,
            other_work(record, &line.question, &peer.library),
            time(peer.min),
            ratio(line.ratio().map(|ratio| 1.0 / ratio)),
        );
    }
    text.push('\n');
}

/// What a library leaves out of a decode that Defiant does, to be read behind its name.
fn other_work(record: &Record, question: &str, library: &str) -> String {
    let decodes = ["decode", "pass_through", "update"].iter().any(|task| question.starts_with(task));
    let utf8 = record.libraries.iter().find(|stated| stated[0] == library).map(|stated| stated[3].as_str());
    match utf8.filter(|utf8| decodes && *utf8 != "checked") {
        Some(utf8) => format!(" (UTF-8 {utf8})"),
        None => String::new(),
    }
}

/// The ratios to prost, and how well they are known.
fn against_prost(text: &mut String, record: &Record) {
    let questions = QUESTIONS.into_iter().map(|question| (question, question.payloads(record)));
    let questions: Vec<_> = questions.filter(|(_, payloads)| !payloads.is_empty()).collect();
    let mut payloads: Vec<&str> = Vec::new();
    for payload in questions.iter().flat_map(|(_, payloads)| payloads) {
        if !payloads.contains(payload) {
            payloads.push(payload);
        }
    }
    if questions.is_empty() {
        return;
    }
    text.push_str("## Against prost, and how well it is known\n\n");
    let known = record.rows.iter().any(|row| row.library == DEFIANT && row.ratio.is_some());
    text.push_str(match known {
        true => {
            "prost's time divided by Defiant's in the same round: the median over the rounds, and between what it lies \
             with 95% confidence, by the sign test, if one round says nothing of the next. What is the same in all \
             rounds, such as where the code lies in memory, is not in it.\n\n"
        }
        false => {
            "prost's fastest sample divided by Defiant's. This record has no confidence intervals: it is older than \
             they, or has too few rounds.\n\n"
        }
    });
    let head: Vec<String> = questions.iter().map(|(question, _)| format!(" {} |", question.title)).collect();
    let _ = writeln!(text, "| payload |{}\n|---|{}", head.concat(), "--:|".repeat(questions.len()));
    for payload in payloads {
        let cells = questions.iter().map(|(question, _)| {
            let defiant = question.best(record, DEFIANT, payload);
            match defiant.and_then(|row| row.ratio) {
                Some(known) => format!(" {:.2} ({:.2} to {:.2}) |", known.middle, known.low, known.high),
                None => {
                    let prost = question.best(record, PROST, payload);
                    format!(" {} |", ratio(prost.zip(defiant).map(|(prost, defiant)| prost.min / defiant.min)))
                }
            }
        });
        let _ = writeln!(text, "| {payload} |{}", cells.collect::<String>());
    }
    text.push('\n');
}

/// A table of all libraries for one question.
fn answers(text: &mut String, record: &Record, question: Question) {
    let payloads = question.payloads(record);
    if payloads.is_empty() {
        return;
    }
    let names = question.libraries(record);
    let floor = matches!(question.task, Task::Decode | Task::DecodeRead);
    let Question { title, what, .. } = question;
    let _ = writeln!(text, "## {title}\n\n{what} The fastest of a library's ways; – is a gap, stated below.\n");
    if let Some(chart) = charts::libraries(record, question) {
        let _ = writeln!(text, "{}\n\n{}\n", chart.image(), chart.note);
    }
    let head: Vec<String> = names.iter().map(|name| format!(" {name} |")).collect();
    let _ = writeln!(text, "| payload | bytes |{}{}", head.concat(), if floor { " skip only |" } else { "" });
    let _ = writeln!(text, "|---|--:|{}{}", "--:|".repeat(names.len()), if floor { "--:|" } else { "" });
    for payload in payloads {
        let bytes = question.rows(record).find(|row| row.payload == payload && row.library == PROST);
        let best = |name: &str| question.best(record, name, payload).map(|row| row.min);
        let fastest =
            names.iter().filter(|name| question.counts(name)).filter_map(|name| best(name)).min_by(f64::total_cmp);
        let cells: Vec<String> = names
            .iter()
            .map(|name| match best(name) {
                Some(ns) if Some(ns) == fastest => format!(" **{}** |", time(ns)),
                Some(ns) => format!(" {} |", time(ns)),
                None => " – |".into(),
            })
            .collect();
        let _ = write!(text, "| {payload} | {} |{}", bytes.map_or(f64::NAN, |row| row.bytes), cells.concat());
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
         No library is built for a certain processor unless the record names flags that say so. Defiant asks the \
         processor at run time, as it does for its users: packed varints are decoded and encoded with AVX-512 (VBMI2; since \
         revision `a089cd9`), AVX2 with BMI2, AVX2, SSE2 or NEON, whichever is the best that is there.\n\n\
         From revision `340d324` on, Defiant holds the three corners of each of `mesh`'s triangles inline \
         (`Config::inline`), as prost holds all messages. Before, and by default, it holds a reference to each.\n\n\
         Caveats: layout alone moves a case of some tens of nanoseconds by up to a quarter, so that instruction counts \
         (`benchmarks/instructions.sh`) say more about small payloads. Where a copy of more than 2 KiB lies just behind its \
         source, whole pages aside, the C library's takes many times as long on some processors (AMD's Zen 3 and 4); from \
         revision `4cb4dde` on, Defiant's do not, and whom of the others that hits is chance. Strings are copied, borrowed or counted, UTF-8 is \
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
