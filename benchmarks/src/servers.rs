//! The report of servers, drawn from `results/servers.csv`, a record of the load generator in `examples/runtimes`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::interval::Interval;
use crate::libraries::{DEFIANT, PROST};
use crate::record::cells;

/// The columns of a record, in this order.
const COLUMNS: &str = "runtime,driver,workload,library,round,requests_per_second,p50_us,p90_us,p99_us,p99.9_us";

/// One measurement.
struct Row {
    /// Runtime, driver and workload.
    place: [String; 3],
    library: String,
    per_second: f64,
    p50: f64,
    p99: f64,
}

/// The report in Markdown, of the text of a record.
///
/// ```
/// let record = "# cpu: some\nruntime,driver,workload,library,round,requests_per_second,p50_us,p90_us,p99_us,p99.9_us\n\
///               x,epoll,echo,defiant,0,300,1.0,2.0,3.0,4.0\nx,epoll,echo,prost,0,200,1.5,2.0,3.5,4.0\n";
/// assert!(benchmarks::servers::markdown(record)?.contains("| x | epoll | 300 | 200 | 1.50 | too few rounds |"));
/// # Ok::<(), String>(())
/// ```
///
/// # Errors
///
/// Names the line that is not one of such a record.
pub fn markdown(record: &str) -> Result<String, String> {
    Ok(format!(
        "# Servers\n\nDrawn from a record by `cargo run -p benchmarks -- servers-report`; no number is typed by hand.\n\n{}",
        tables(record, "##")?
    ))
}

/// The section of the report of all in Markdown, of the text of a record; a sentence where there is none.
///
/// # Errors
///
/// As [`markdown`].
pub fn section(record: Option<&str>) -> Result<String, String> {
    let tables = match record {
        Some(record) => tables(record, "###")?,
        None => "There is no record of them: `cargo run --release -p runtimes --bin load -- --rounds 60 --record \
                 benchmarks/results/servers.csv` makes one.\n"
            .into(),
    };
    Ok(format!("## Servers\n\n{tables}\n"))
}

/// What was measured where, and a table for each workload, below headings of a level.
fn tables(record: &str, level: &str) -> Result<String, String> {
    let (mut about, mut rows, mut header) = (BTreeMap::new(), Vec::new(), false);
    for (line, at) in record.lines().zip(1..) {
        if let Some((name, value)) = line.strip_prefix("# ").and_then(|line| line.split_once(": ")) {
            about.insert(name, value);
        } else if !header {
            if line != COLUMNS {
                return Err(format!("line {at}: the columns have to be {COLUMNS}"));
            }
            header = true;
        } else {
            rows.push(row(line).ok_or_else(|| format!("line {at} is not one of a record of servers"))?);
        }
    }
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
    let mut places: Vec<&[String; 3]> = Vec::new();
    for row in &rows {
        if !places.contains(&&row.place) {
            places.push(&row.place);
        }
    }
    let mut workloads: Vec<&str> = Vec::new();
    for [_, _, workload] in places.iter().copied() {
        if !workloads.contains(&&**workload) {
            workloads.push(workload);
        }
    }
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
