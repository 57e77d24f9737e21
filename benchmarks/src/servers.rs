//! The report of servers, drawn from `results/servers.csv` and `results/servers_memory.csv`, records of the programs `load` and
//! `memory` in `examples/runtimes`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::interval::Interval;
use crate::libraries::{DEFIANT, PROST};
use crate::record::cells;

/// The columns of a record of times, in this order.
const COLUMNS: &str = "runtime,driver,workload,library,round,requests_per_second,p50_us,p90_us,p99_us,p99.9_us";

/// Those of a record of memory.
const MEMORY_COLUMNS: &str = "runtime,driver,workload,library,requests,allocations,allocations_within,held_bytes,resident_bytes,\
                              idle_resident_bytes";

/// One measurement of times.
struct Row {
    /// Runtime, driver and workload.
    place: [String; 3],
    library: String,
    per_second: f64,
    p50: f64,
    p99: f64,
}

/// What one server does for a request, and holds.
struct Memory {
    place: [String; 3],
    library: String,
    requests: f64,
    allocations: f64,
    /// Those of the code that differs, not the runtime's.
    within: f64,
    held: f64,
    resident: f64,
}

/// The texts of the records.
#[derive(Clone, Debug, Default)]
pub struct Records {
    /// Of times, if they were measured.
    pub times: Option<String>,
    /// Of memory, if it was counted.
    pub memory: Option<String>,
}

impl Records {
    /// Those in the folder `results`.
    pub fn read(results: &Path) -> Records {
        let text = |name| fs::read_to_string(results.join(name)).ok();
        Records { times: text("servers.csv"), memory: text("servers_memory.csv") }
    }
}

/// The report in Markdown.
///
/// ```
/// let times = "# cpu: some\nruntime,driver,workload,library,round,requests_per_second,p50_us,p90_us,p99_us,p99.9_us\n\
///              x,epoll,echo,defiant,0,300,1.0,2.0,3.0,4.0\nx,epoll,echo,prost,0,200,1.5,2.0,3.5,4.0\n";
/// let records = benchmarks::servers::Records { times: Some(times.into()), memory: None };
/// let text = benchmarks::servers::markdown(&records)?;
/// assert!(text.contains("| x | epoll | 300 | 200 | 1.50 | too few rounds |"));
/// # Ok::<(), String>(())
/// ```
///
/// # Errors
///
/// Names the line that is not one of such a record.
pub fn markdown(records: &Records) -> Result<String, String> {
    Ok(format!(
        "# Servers\n\nDrawn from records by `cargo run -p benchmarks -- servers-report`; no number is typed by hand.\n\n{}",
        both(records, "##")?
    ))
}

/// The section of the report of all in Markdown; a sentence for each record that there is not.
///
/// # Errors
///
/// As [`markdown`].
pub fn section(records: &Records) -> Result<String, String> {
    Ok(format!("## Servers\n\n{}\n", both(records, "###")?))
}

/// Times and memory, below headings of a level.
fn both(records: &Records, level: &str) -> Result<String, String> {
    let mut text = match &records.times {
        Some(record) => tables(record, level)?,
        None => {
            "There is no record of their times: `cargo run --release -p runtimes --bin load -- --rounds 60 --record \
                 benchmarks/results/servers.csv` makes one.\n"
                .into()
        }
    };
    text.push_str(&match &records.memory {
        Some(record) => memory(record, level).map_err(|error| format!("memory: {error}"))?,
        None => "\nThere is no record of their memory: `cargo run --release -p runtimes --bin memory -- --record \
                 benchmarks/results/servers_memory.csv` makes one.\n"
            .into(),
    });
    Ok(text)
}

/// What stands above the rows of a record, by its name, and the rows.
fn read<'r, R>(
    record: &'r str,
    columns: &str,
    row: fn(&str) -> Option<R>,
) -> Result<(BTreeMap<&'r str, &'r str>, Vec<R>), String> {
    let (mut about, mut rows, mut header) = (BTreeMap::new(), Vec::new(), false);
    for (line, at) in record.lines().zip(1..) {
        if let Some((name, value)) = line.strip_prefix("# ").and_then(|line| line.split_once(": ")) {
            about.insert(name, value);
        } else if !header {
            if line != columns {
                return Err(format!("line {at}: the columns have to be {columns}"));
            }
            header = true;
        } else {
            rows.push(row(line).ok_or_else(|| format!("line {at} is not one of a record of servers"))?);
        }
    }
    Ok((about, rows))
}

/// The places that differ, and the workloads among them, in the order of the rows.
fn places<'r>(rows: impl Iterator<Item = &'r [String; 3]>) -> (Vec<&'r [String; 3]>, Vec<&'r str>) {
    let (mut places, mut workloads): (Vec<&[String; 3]>, Vec<&str>) = (Vec::new(), Vec::new());
    for place in rows {
        if !places.contains(&place) {
            places.push(place);
        }
        if !workloads.contains(&&*place[2]) {
            workloads.push(&place[2]);
        }
    }
    (places, workloads)
}

/// What was measured where, and a table for each workload, below headings of a level.
fn tables(record: &str, level: &str) -> Result<String, String> {
    let (about, rows) = read(record, COLUMNS, row)?;
    let value = |name| about.get(name).copied().unwrap_or("?");
    let mut text = String::new();
    let _ = writeln!(
        text,
        "Measured on {} ({}, {} processors, load average before {}), {}, {} malloc, revision `{}`. Client and server run in \
         one process over loopback, {} connections with bursts of {} requests. The servers differ in the library only. \
         Medians of {} rounds of {} ms; in each round both libraries are measured one right after the other, and × is the \
         median of Defiant's requests per second divided by prost's of the same round, and where it lies with 95% \
         confidence. Latencies are those of whole bursts, in µs.",
        value("cpu"),
        value("os"),
        value("cpus"),
        value("load_average"),
        value("rustc"),
        value("malloc"),
        value("commit"),
        value("connections"),
        value("burst"),
        rows.first()
            .map_or(0, |first| rows.iter().filter(|row| row.place == first.place && row.library == DEFIANT).count()),
        value("measured_ms"),
    );
    let (places, workloads) = places(rows.iter().map(|row| &row.place));
    for workload in workloads {
        let _ = writeln!(
            text,
            "\n{level} {workload}\n\n| runtime | on | Defiant, requests/s | prost, requests/s | × | 95% | Defiant p50 | p99 | prost p50 | p99 \
             |\n|---|---|--:|--:|--:|---|--:|--:|--:|--:|"
        );
        for place in places.iter().filter(|[_, _, other]| other == workload) {
            let of = |library| rows.iter().filter(move |row| row.place == **place && row.library == library);
            let median_of = |library, value: fn(&Row) -> f64| median(of(library).map(value).collect());
            let ratios: Vec<f64> =
                of(DEFIANT).zip(of(PROST)).map(|(defiant, prost)| defiant.per_second / prost.per_second).collect();
            let interval = Interval::of(ratios.clone())
                .map_or_else(|| "too few rounds".into(), |Interval { low, high, .. }| format!("{low:.2} to {high:.2}"));
            let _ = writeln!(
                text,
                "| {} | {} | {:.0} | {:.0} | {:.2} | {interval} | {:.0} | {:.0} | {:.0} | {:.0} |",
                place[0],
                place[1],
                median_of(DEFIANT, |row| row.per_second),
                median_of(PROST, |row| row.per_second),
                median(ratios),
                median_of(DEFIANT, |row| row.p50),
                median_of(DEFIANT, |row| row.p99),
                median_of(PROST, |row| row.p50),
                median_of(PROST, |row| row.p99),
            );
        }
    }
    Ok(text)
}

/// What was counted where, and a table of it, below a heading of a level.
fn memory(record: &str, level: &str) -> Result<String, String> {
    let (about, rows) = read(record, MEMORY_COLUMNS, memory_row)?;
    let value = |name| about.get(name).copied().unwrap_or("?");
    let mut text = String::new();
    let _ = writeln!(
        text,
        "\n{level} Memory under load\n\nCounted on {} ({}), {}, {} malloc, revision `{}`, in {} ms of the same load, for a \
         server in a process of its own: heap allocations for a request, first those of the code that differs, then all, the \
         runtime's included; bytes of the heap and of the process that are held at the end.",
        value("cpu"),
        value("os"),
        value("rustc"),
        value("malloc"),
        value("commit"),
        value("counted_ms"),
    );
    text.push_str(
        "\n| workload | runtime | Defiant, allocations | all | prost, allocations | all | Defiant, heap, KiB | prost | Defiant, \
         resident, MiB | prost |\n|---|---|--:|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    let (places, workloads) = places(rows.iter().map(|row| &row.place));
    for workload in workloads {
        for place in places.iter().filter(|[_, _, other]| other == workload) {
            let of = |library| rows.iter().find(|row| row.place == **place && row.library == library);
            let cell = |library, value: &dyn Fn(&Memory) -> String| of(library).map_or_else(|| "–".into(), value);
            let within = |row: &Memory| format!("{:.2}", row.within / row.requests);
            let all = |row: &Memory| format!("{:.2}", row.allocations / row.requests);
            let held = |row: &Memory| format!("{:.0}", row.held / 1024.0);
            let resident = |row: &Memory| format!("{:.1}", row.resident / 1_048_576.0);
            let _ = writeln!(
                text,
                "| {workload} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
                place[0],
                cell(DEFIANT, &within),
                cell(DEFIANT, &all),
                cell(PROST, &within),
                cell(PROST, &all),
                cell(DEFIANT, &held),
                cell(PROST, &held),
                cell(DEFIANT, &resident),
                cell(PROST, &resident),
            );
        }
    }
    Ok(text)
}

fn memory_row(line: &str) -> Option<Memory> {
    let cells = cells(line);
    let [runtime, driver, workload, library, requests, allocations, within, held, resident, _] = cells.as_slice()
    else {
        return None;
    };
    Some(Memory {
        place: [runtime, driver, workload].map(String::clone),
        library: library.clone(),
        requests: requests.parse().ok().filter(|requests| *requests > 0.0)?,
        allocations: allocations.parse().ok()?,
        within: within.parse().ok()?,
        held: held.parse().ok()?,
        resident: resident.parse().ok()?,
    })
}

fn row(line: &str) -> Option<Row> {
    let cells = cells(line);
    let [runtime, driver, workload, library, _, per_second, p50, _, p99, _] = cells.as_slice() else { return None };
    Some(Row {
        place: [runtime, driver, workload].map(String::clone),
        library: library.clone(),
        per_second: per_second.parse().ok()?,
        p50: p50.parse().ok()?,
        p99: p99.parse().ok()?,
    })
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => f64::NAN,
        count => (values[(count - 1) / 2] + values[count / 2]) / 2.0,
    }
}
