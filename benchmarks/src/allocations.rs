//! Allocations and memory: what the times' record counts, and the record of dhat that `--bench allocations` makes.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::question::{DECODE, DECODE_FRESH, ENCODE};
use crate::record::{Record, cells};
use crate::summary::ratio;

/// What a library asked of the heap, on one payload.
#[derive(Clone, Debug, PartialEq)]
pub struct Used {
    /// On which payload.
    pub payload: String,
    /// By whom.
    pub library: String,
    /// The numbers, in the order of [`NUMBERS`]; `None` for a gap.
    pub numbers: [Option<u64>; NUMBERS.len()],
}

/// The columns behind payload and library: bytes on the wire; blocks and bytes that one decode from nothing asks for, and
/// the bytes that its message holds; blocks and bytes of one encode; and of a number of warm cycles of decode, encode and
/// giving back.
pub const NUMBERS: [&str; 9] = [
    "wire_bytes",
    "decode_blocks",
    "decode_bytes",
    "decode_held",
    "encode_blocks",
    "encode_bytes",
    "cycles",
    "cycles_blocks",
    "cycles_bytes",
];

/// The record.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Allocations {
    /// Machine, compiler and source, as (name, value).
    pub machine: Vec<(String, String)>,
    /// What came out.
    pub rows: Vec<Used>,
}

impl Allocations {
    /// The record as CSV; what is not a row in comment lines at its head.
    pub fn csv(&self) -> String {
        let mut text = String::new();
        for (name, value) in &self.machine {
            let _ = writeln!(text, "# {name}: {value}");
        }
        let _ = writeln!(text, "{}", head());
        for Used { payload, library, numbers } in &self.rows {
            let numbers = numbers.map(|number| number.map_or(String::new(), |number| number.to_string()));
            let _ = writeln!(text, "{payload},{library},{}", numbers.join(","));
        }
        text
    }

    /// Reads the record from CSV.
    ///
    /// ```
    /// use benchmarks::allocations::{Allocations, Used};
    ///
    /// let row = Used { payload: "a".into(), library: "prost".into(), numbers: [Some(1); 9] };
    /// let record = Allocations { machine: vec![("cpu".into(), "some".into())], rows: vec![row] };
    /// assert_eq!(Allocations::from_csv(&record.csv()), Ok(record));
    /// ```
    ///
    /// # Errors
    ///
    /// Names the line that is not one of such a record, counted from 1.
    pub fn from_csv(text: &str) -> Result<Allocations, String> {
        let (mut record, mut headed) = (Allocations::default(), false);
        for (line, at) in text.lines().zip(1..) {
            if let Some((name, value)) = line.strip_prefix("# ").and_then(|line| line.split_once(": ")) {
                record.machine.push((name.into(), value.into()));
            } else if !headed {
                if line != head() {
                    return Err(format!("line {at}: the columns have to be {}", head()));
                }
                headed = true;
            } else {
                record.rows.push(row(line).ok_or_else(|| format!("line {at} is not one of a record of allocations"))?);
            }
        }
        Ok(record)
    }

    /// Reads the record in a file; `None` when there is no such file.
    ///
    /// # Errors
    ///
    /// Names the file and what is wrong with it.
    pub fn read(file: &Path) -> Result<Option<Allocations>, String> {
        if !file.exists() {
            return Ok(None);
        }
        let named = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
        let text = fs::read_to_string(file).map_err(|error| named(&error))?;
        Allocations::from_csv(&text).map(Some).map_err(|error| named(&error))
    }

    fn value(&self, name: &str) -> &str {
        self.machine.iter().find(|(known, _)| known == name).map_or("?", |(_, value)| value)
    }
}

fn head() -> String {
    format!("payload,library,{}", NUMBERS.join(","))
}

fn row(line: &str) -> Option<Used> {
    let cells = cells(line);
    let [payload, library, numbers @ ..] = cells.as_slice() else { return None };
    let numbers: Option<Vec<Option<u64>>> = numbers
        .iter()
        .map(|number| if number.is_empty() { Some(None) } else { number.parse().ok().map(Some) })
        .collect();
    Some(Used { payload: payload.clone(), library: library.clone(), numbers: numbers?.try_into().ok()? })
}

/// Libraries that allocate in C.
const UNSEEN: [&str; 1] = ["google-upb"];

/// The section of the report in Markdown.
pub(crate) fn section(text: &mut String, record: &Record, held: Option<&Allocations>) {
    text.push_str("## Allocations and memory\n\n");
    if record.rows.is_empty() {
        text.push_str("There is no record of times, and so none of allocations.\n\n");
    } else {
        text.push_str(
            "Calls of Rust's allocator by one warm operation, and the bytes that they ask for: of the way that is the \
             fastest. What a library allocates in C is not seen.\n\n",
        );
    }
    for question in [DECODE, DECODE_FRESH, ENCODE] {
        let payloads = question.payloads(record);
        if payloads.is_empty() {
            continue;
        }
        let names = question.libraries(record);
        let _ = writeln!(text, "### {}\n\n| payload | bytes | {} |", question.title, names.join(" | "));
        let _ = writeln!(text, "|---|--:|{}", "--:|".repeat(names.len()));
        for payload in payloads {
            let rows: Vec<_> = names.iter().map(|name| question.best(record, name, payload)).collect();
            let bytes = rows.iter().flatten().map(|row| row.bytes).next().unwrap_or(f64::NAN);
            let cells = rows.iter().map(|row| match row {
                Some(row) if UNSEEN.contains(&row.library.as_str()) => " not seen |".into(),
                Some(row) if row.allocations == 0.0 => " 0 |".into(),
                Some(row) => format!(" {}, {} |", row.allocations, size(row.allocated_bytes)),
                None => " – |".into(),
            });
            let _ = writeln!(text, "| {payload} | {bytes} |{}", cells.collect::<String>());
        }
        text.push('\n');
    }
    text.push_str("### Bytes held\n\n");
    let Some(held) = held.filter(|held| !held.rows.is_empty()) else {
        text.push_str(
            "There is no record of them: `cargo bench -p benchmarks --bench allocations -- --record \
             results/allocations.csv` makes one.\n\n",
        );
        return;
    };
    let _ = writeln!(
        text,
        "By dhat, at revision `{}`, with {}: what one decode from nothing asks for, the bytes that its message holds, with \
         the arena that it is in, and those divided by the bytes on the wire; one encode into a new `Vec`; and warm cycles \
         of decode, encode into memory that is used again, and giving back. pilota also keeps its input alive, which is \
         not counted.\n\n\
         | payload | library | blocks of a decode | bytes | held | held / wire | blocks of an encode | bytes | warm cycles | \
         their blocks | bytes |\n|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
        held.value("commit"),
        held.value("rustc"),
    );
    for Used { payload, library, numbers } in &held.rows {
        let [wire, blocks, bytes, held, rest @ ..] = numbers;
        let cell = |number: &Option<u64>| number.map_or("–".into(), |number| number.to_string());
        let share = held.zip(*wire).map(|(held, wire)| held as f64 / wire as f64);
        let rest: Vec<String> = rest.iter().map(cell).collect();
        let _ = writeln!(
            text,
            "| {payload} | {library} | {} | {} | {} | {} | {} |",
            cell(blocks),
            cell(bytes),
            cell(held),
            ratio(share),
            rest.join(" | ")
        );
    }
    text.push('\n');
}

/// Bytes for people.
fn size(bytes: f64) -> String {
    match bytes {
        bytes if bytes < 1e3 => format!("{bytes:.0} B"),
        bytes if bytes < 1e6 => format!("{:.1} kB", bytes / 1e3),
        _ => format!("{:.1} MB", bytes / 1e6),
    }
}
