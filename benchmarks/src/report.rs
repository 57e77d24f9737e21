//! The table, and the record it is drawn from.

use std::fmt::Write as _;
use std::path::Path;
use std::{fs, io};

use crate::check::Gap;
use crate::measure::{Measurement, fastest};
use crate::operations::{Library, Task};

/// What is compared, so that no number stands without its conditions.
pub const CONDITIONS: &str = "\
What is compared:
  strings   prost copies each into a String of its own. defiant copies the whole input into its arena once and
            borrows from that copy; `borrowed` copies nothing. pilota counts references to the input, which is
            a heap-backed `Bytes`.
  UTF-8     checked by prost and defiant for every string, proto2 and proto3. Never checked by pilota.
  unknown   fields: kept by defiant, dropped by prost and pilota (as both do by default). The payloads have none.
  required  fields: a missing one is an error to defiant only.
  memory    `fresh arena` and `new message` start from nothing and give everything back, inside the timed loop.
            `arena reset`, `cleared and merged`, `cleared Vec`, `reset LinkedBytes` and `Encoder` keep their
            memory from one operation to the next; the reset or clearing is inside the timed loop.
  read      reads every field and every byte of text, with the same code for each library.
Ratios are prost's time divided by the row's; where prost has two variants, the faster of them counts.";

/// The ratios of prost's fastest variant to a measurement: by median, by minimum.
fn ratios(measurements: &[Measurement], row: &Measurement) -> Option<(f64, f64)> {
    let median = fastest(measurements, Library::Prost, row, |other| other.median)?;
    let min = fastest(measurements, Library::Prost, row, |other| other.min)?;
    Some((median.median / row.median, min.min / row.min))
}

/// The table in plain text.
pub fn table(measurements: &[Measurement], gaps: &[Gap]) -> String {
    let mut text = String::new();
    let mut head = None;
    for row in measurements {
        if head != Some((row.dataset, row.task)) {
            head = Some((row.dataset, row.task));
            let bytes = match row.task {
                Task::Decode | Task::DecodeRead => "bytes read",
                Task::Encode | Task::EncodeToVec => "bytes written",
                Task::EncodedLen => "bytes counted",
            };
            let _ = write!(
                text,
                "\n{} {}, {} {bytes}\n{:<9}{:<24}{:>12}{:>12}{:>10}{:>10}{:>12}{:>12}\n",
                row.dataset,
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
        let _ = write!(text, "{:<9}{:<24}{:>12.1}{:>12.1}", row.library, row.variant, row.min, row.median);
        match row.task {
            Task::EncodedLen => text.push_str("         -"),
            _ => {
                let _ = write!(text, "{:>10.0}", row.megabytes_per_second());
            }
        }
        let _ = write!(text, "{:>10}", row.allocations);
        if let Some((median, min)) = ratios(measurements, row) {
            let _ = write!(text, "{min:>11.2}x{median:>11.2}x");
        }
        text.push('\n');
    }
    if !gaps.is_empty() {
        text.push_str("\nGaps:\n");
    }
    for gap in gaps {
        let _ = writeln!(text, "  {gap}");
    }
    text
}

const COLUMNS: &str = "dataset,task,library,variant,bytes,min_ns,median_ns,rounds,operations_per_sample,\
                       allocations,allocated_bytes,prost_ratio_min,prost_ratio_median";

/// The values of a measurement in the order of [`COLUMNS`]; text first.
fn cells(measurements: &[Measurement], row: &Measurement) -> ([&'static str; 4], [f64; 9]) {
    let (median, min) = ratios(measurements, row).unwrap_or((f64::NAN, f64::NAN));
    (
        [row.dataset.name(), row.task.name(), row.library.name(), row.variant],
        [
            row.bytes as f64,
            rounded(row.min),
            rounded(row.median),
            row.rounds as f64,
            row.times as f64,
            row.allocations,
            row.allocated_bytes,
            rounded(min),
            rounded(median),
        ],
    )
}

/// To a thousandth: the clock does not know more.
fn rounded(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}

/// The record as CSV; the machine in comment lines at its head.
pub fn csv(measurements: &[Measurement], gaps: &[Gap], machine: &[(&str, String)]) -> String {
    let mut text = String::new();
    for (name, value) in machine {
        let _ = writeln!(text, "# {name}: {value}");
    }
    for gap in gaps {
        let _ = writeln!(text, "# gap: {gap}");
    }
    let _ = writeln!(text, "{COLUMNS}");
    for row in measurements {
        let (names, numbers) = cells(measurements, row);
        let names = names.map(|name| if name.contains(',') { format!("\"{name}\"") } else { name.to_owned() });
        let numbers = numbers.map(|number| if number.is_nan() { String::new() } else { number.to_string() });
        let _ = writeln!(text, "{},{}", names.join(","), numbers.join(","));
    }
    text
}

/// The record as JSON: `{"machine": {..}, "gaps": [..], "measurements": [{..}, ..]}`.
pub fn json(measurements: &[Measurement], gaps: &[Gap], machine: &[(&str, String)]) -> String {
    let machine: Vec<_> =
        machine.iter().map(|(name, value)| format!("    {}: {}", quoted(name), quoted(value))).collect();
    let gaps: Vec<_> = gaps.iter().map(|gap| format!("    {}", quoted(&gap.to_string()))).collect();
    let measurements: Vec<_> = measurements
        .iter()
        .map(|row| {
            let (names, numbers) = cells(measurements, row);
            let names = names.into_iter().map(quoted);
            let numbers = numbers.into_iter().map(|number| match number.is_nan() {
                true => "null".to_owned(),
                false => number.to_string(),
            });
            let members: Vec<_> = COLUMNS
                .split(',')
                .zip(names.chain(numbers))
                .map(|(name, value)| format!("{}: {value}", quoted(name)))
                .collect();
            format!("    {{{}}}", members.join(", "))
        })
        .collect();
    format!(
        "{{\n  \"machine\": {{\n{}\n  }},\n  \"gaps\": [\n{}\n  ],\n  \"measurements\": [\n{}\n  ]\n}}\n",
        machine.join(",\n"),
        gaps.join(",\n"),
        measurements.join(",\n"),
    )
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

/// Writes `dataset.csv` and `dataset.json` into a folder, making it if need be.
///
/// # Errors
///
/// What the file system says.
pub fn write(folder: &Path, measurements: &[Measurement], gaps: &[Gap], machine: &[(&str, String)]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    fs::write(folder.join("dataset.csv"), csv(measurements, gaps, machine))?;
    fs::write(folder.join("dataset.json"), json(measurements, gaps, machine))
}
