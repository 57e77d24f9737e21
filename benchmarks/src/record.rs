//! The record of a run, which every table is drawn from: written as CSV and JSON, read back from CSV.

use std::fmt::Write as _;
use std::path::Path;
use std::{fs, io};

use crate::interval::Interval;
use crate::libraries::{self, PROST};
use crate::machine;
use crate::offer::{Gap, Library};

/// What came out for one operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// On which payload.
    pub payload: String,
    /// What.
    pub task: String,
    /// By whom.
    pub library: String,
    /// In which way.
    pub variant: String,
    /// `fresh` or `reused`.
    pub memory: String,
    /// Bytes of wire read or written.
    pub bytes: f64,
    /// Nanoseconds, the fastest sample.
    pub min: f64,
    /// Nanoseconds, the middle sample.
    pub median: f64,
    /// Samples.
    pub rounds: f64,
    /// Operations in one sample.
    pub times: f64,
    /// Calls of Rust's allocator by one warm operation.
    pub allocations: f64,
    /// Bytes those calls asked for.
    pub allocated_bytes: f64,
    /// prost's time divided by this operation's, round by round; `None` without prost, with few rounds, and in records
    /// that are older than this. Fresh memory is compared with fresh memory only.
    pub ratio: Option<Interval>,
}

impl Row {
    /// Megabytes (10^6 bytes) of wire a second, by the median.
    pub fn megabytes_per_second(&self) -> f64 {
        self.bytes * 1e3 / self.median
    }

    /// What makes it the same operation in another record.
    pub fn key(&self) -> [&str; 4] {
        [&self.payload, &self.task, &self.library, &self.variant]
    }
}

/// A library as it was in a run: name, version, strings, UTF-8, unknown fields, memory.
pub type Stated = [String; 6];

/// A run: where it was made, who took part, what they do not do, and what came out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// Machine, compiler and source, as (name, value).
    pub machine: Vec<(String, String)>,
    /// The libraries.
    pub libraries: Vec<Stated>,
    /// What they do not do, or do otherwise.
    pub gaps: Vec<String>,
    /// What came out.
    pub rows: Vec<Row>,
}

const COLUMNS: [&str; 17] = [
    "dataset",
    "task",
    "library",
    "variant",
    "memory",
    "bytes",
    "min_ns",
    "median_ns",
    "rounds",
    "operations_per_sample",
    "allocations",
    "allocated_bytes",
    "prost_ratio_min",
    "prost_ratio_median",
    "prost_ratio_low",
    "prost_ratio_middle",
    "prost_ratio_high",
];
const TEXTS: usize = 5;

impl Record {
    /// A record of this machine without rows.
    pub fn here(libraries: &[Library], gaps: &[Gap]) -> Record {
        let stated = |library: &Library| {
            let settings = library.settings;
            let version = if library.name == libraries::SKIP { "" } else { machine::version(library.package) };
            [library.name, version, settings.strings, settings.utf8, settings.unknown, settings.memory]
                .map(String::from)
        };
        Record {
            machine: machine::describe().into_iter().map(|(name, value)| (name.into(), value)).collect(),
            libraries: libraries.iter().map(stated).collect(),
            gaps: gaps.iter().map(Gap::to_string).collect(),
            rows: Vec::new(),
        }
    }

    /// A value of the machine, `-` if the record has none.
    pub fn value(&self, name: &str) -> &str {
        self.machine.iter().find(|(known, _)| known == name).map_or("-", |(_, value)| value)
    }

    /// The fastest of `library`, by `time`, on the payload and task of `like`.
    pub fn fastest(&self, library: &str, like: &Row, time: impl Fn(&Row) -> f64) -> Option<&Row> {
        self.rows
            .iter()
            .filter(|row| row.library == library && row.payload == like.payload && row.task == like.task)
            .min_by(|a, b| time(a).total_cmp(&time(b)))
    }

    /// The ratios of prost's fastest variant to a row: by minimum, by median.
    pub fn prost_ratios(&self, row: &Row) -> Option<(f64, f64)> {
        let min = self.fastest(PROST, row, |other| other.min)?;
        let median = self.fastest(PROST, row, |other| other.median)?;
        Some((min.min / row.min, median.median / row.median))
    }

    fn cells<'a>(&self, row: &'a Row) -> ([&'a str; TEXTS], [f64; COLUMNS.len() - TEXTS]) {
        let (min, median) = self.prost_ratios(row).unwrap_or((f64::NAN, f64::NAN));
        let none = Interval { low: f64::NAN, middle: f64::NAN, high: f64::NAN };
        let ratio = row.ratio.unwrap_or(none);
        (
            [&row.payload, &row.task, &row.library, &row.variant, &row.memory],
            [
                row.bytes,
                rounded(row.min),
                rounded(row.median),
                row.rounds,
                row.times,
                row.allocations,
                row.allocated_bytes,
                rounded(min),
                rounded(median),
                rounded(ratio.low),
                rounded(ratio.middle),
                rounded(ratio.high),
            ],
        )
    }

    /// The record as CSV; what is not a row in comment lines at its head.
    pub fn csv(&self) -> String {
        let mut text = String::new();
        for (name, value) in &self.machine {
            let _ = writeln!(text, "# {name}: {value}");
        }
        for library in &self.libraries {
            let _ = writeln!(text, "# library: {}", library.join(" | "));
        }
        for gap in &self.gaps {
            let _ = writeln!(text, "# gap: {gap}");
        }
        let _ = writeln!(text, "{}", COLUMNS.join(","));
        for row in &self.rows {
            let (names, numbers) = self.cells(row);
            let names = names.map(|name| if name.contains(',') { format!("\"{name}\"") } else { name.to_owned() });
            let numbers = numbers.map(|number| if number.is_nan() { String::new() } else { number.to_string() });
            let _ = writeln!(text, "{},{}", names.join(","), numbers.join(","));
        }
        text
    }

    /// Reads a record back from CSV.
    ///
    /// # Errors
    ///
    /// Names the line that is not one of a record, counted from 1.
    pub fn from_csv(text: &str) -> Result<Record, String> {
        let mut record = Record::default();
        let mut columns: Option<Vec<String>> = None;
        for (index, line) in text.lines().enumerate() {
            let wrong = |what: &str| format!("line {}: {what}", index + 1);
            if let Some(comment) = line.strip_prefix("# ") {
                let (name, value) = comment.split_once(':').ok_or_else(|| wrong("a comment without a name"))?;
                let value = value.trim().to_owned();
                match name {
                    "gap" => record.gaps.push(value),
                    "library" => {
                        let parts: Vec<String> = value.split(" | ").map(|part| part.trim().to_owned()).collect();
                        record.libraries.push(parts.try_into().map_err(|_| wrong("a library has six parts"))?);
                    }
                    _ => record.machine.push((name.into(), value)),
                }
                continue;
            }
            let cells = cells(line);
            let Some(columns) = &columns else {
                if !cells.iter().any(|column| column == "dataset") {
                    return Err(wrong("no column dataset"));
                }
                columns = Some(cells);
                continue;
            };
            let cell = |name: &str| {
                let at = columns.iter().position(|column| column == name);
                at.and_then(|at| cells.get(at)).cloned().ok_or_else(|| wrong(&format!("no column {name}")))
            };
            let number = |name: &str| {
                let text = cell(name)?;
                text.parse::<f64>().map_err(|_| wrong(&format!("{name} is not a number: {text}")))
            };
            // Records that are older than these columns do not have them.
            let ratio = |name: &str| match cell(name) {
                Ok(text) if !text.is_empty() => number(name).map(Some),
                _ => Ok(None),
            };
            let (low, middle, high) =
                (ratio("prost_ratio_low")?, ratio("prost_ratio_middle")?, ratio("prost_ratio_high")?);
            record.rows.push(Row {
                payload: cell("dataset")?,
                task: cell("task")?,
                library: cell("library")?,
                variant: cell("variant")?,
                memory: cell("memory")?,
                bytes: number("bytes")?,
                min: number("min_ns")?,
                median: number("median_ns")?,
                rounds: number("rounds")?,
                times: number("operations_per_sample")?,
                allocations: number("allocations")?,
                allocated_bytes: number("allocated_bytes")?,
                ratio: low.zip(middle).zip(high).map(|((low, middle), high)| Interval { low, middle, high }),
            });
        }
        Ok(record)
    }

    /// Reads the record in a file.
    ///
    /// # Errors
    ///
    /// Names the file and what is wrong with it.
    pub fn read(file: &Path) -> Result<Record, String> {
        let named = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
        let text = fs::read_to_string(file).map_err(|error| named(&error))?;
        Record::from_csv(&text).map_err(|error| named(&error))
    }

    /// The record as JSON: `{"machine": {..}, "libraries": [..], "gaps": [..], "measurements": [{..}, ..]}`.
    pub fn json(&self) -> String {
        let machine: Vec<_> =
            self.machine.iter().map(|(name, value)| format!("    {}: {}", quoted(name), quoted(value))).collect();
        let names = ["name", "version", "strings", "utf8", "unknown", "memory"];
        let libraries: Vec<_> = self
            .libraries
            .iter()
            .map(|library| {
                let members: Vec<_> = names
                    .iter()
                    .zip(library)
                    .map(|(name, value)| format!("{}: {}", quoted(name), quoted(value)))
                    .collect();
                format!("    {{{}}}", members.join(", "))
            })
            .collect();
        let gaps: Vec<_> = self.gaps.iter().map(|gap| format!("    {}", quoted(gap))).collect();
        let rows: Vec<_> = self
            .rows
            .iter()
            .map(|row| {
                let (texts, numbers) = self.cells(row);
                let texts = texts.into_iter().map(quoted);
                let numbers = numbers.into_iter().map(|number| match number.is_nan() {
                    true => "null".to_owned(),
                    false => number.to_string(),
                });
                let members: Vec<_> = COLUMNS
                    .iter()
                    .zip(texts.chain(numbers))
                    .map(|(name, value)| format!("{}: {value}", quoted(name)))
                    .collect();
                format!("    {{{}}}", members.join(", "))
            })
            .collect();
        format!(
            "{{\n  \"machine\": {{\n{}\n  }},\n  \"libraries\": [\n{}\n  ],\n  \"gaps\": [\n{}\n  ],\n  \
             \"measurements\": [\n{}\n  ]\n}}\n",
            machine.join(",\n"),
            libraries.join(",\n"),
            gaps.join(",\n"),
            rows.join(",\n"),
        )
    }

    /// Writes `dataset.csv` and `dataset.json` into a folder, making it if need be.
    ///
    /// # Errors
    ///
    /// What the file system says.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        fs::create_dir_all(folder)?;
        fs::write(folder.join("dataset.csv"), self.csv())?;
        fs::write(folder.join("dataset.json"), self.json())
    }
}

/// To a thousandth: the clock does not know more.
fn rounded(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}

/// The cells of a line of CSV; one in quotes may contain commas.
pub(crate) fn cells(line: &str) -> Vec<String> {
    let (mut cells, mut quoted) = (vec![String::new()], false);
    for letter in line.chars() {
        match letter {
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            other => cells.last_mut().into_iter().for_each(|cell| cell.push(other)),
        }
    }
    cells
}

/// A JSON string.
fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            control if control < ' ' => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(control));
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}
