//! Where Defiant stands: for each payload and operation its time, the best peer's, and prost's.

use std::fmt::Write as _;

use crate::libraries::{self, DEFIANT, PROST, SKIP};
use crate::offer::Task;
use crate::record::{Record, Row};

/// One question: a payload, a task, and whether memory may be used again.
#[derive(Clone, Debug)]
pub struct Line<'a> {
    /// Defiant's fastest answer.
    pub defiant: &'a Row,
    /// `decode, reused`.
    pub question: String,
    /// The fastest of the peers.
    pub peer: Option<&'a Row>,
    /// prost's fastest answer.
    pub prost: Option<&'a Row>,
    /// The walk that skips every field, where something is decoded.
    pub floor: Option<f64>,
}

impl Line<'_> {
    /// The best peer's time divided by Defiant's: more than 1 means that Defiant leads.
    pub fn ratio(&self) -> Option<f64> {
        Some(self.peer?.min / self.defiant.min)
    }

    /// The same for prost.
    pub fn prost_ratio(&self) -> Option<f64> {
        Some(self.prost?.min / self.defiant.min)
    }
}

/// Every question that Defiant answers, in the order of the record.
pub fn lines(record: &Record) -> Vec<Line<'_>> {
    let mut lines: Vec<Line<'_>> = Vec::new();
    for row in record.rows.iter().filter(|row| row.library == DEFIANT) {
        let question = if two_memories(&row.task) { format!("{}, {}", row.task, row.memory) } else { row.task.clone() };
        if lines.iter().any(|line| line.defiant.payload == row.payload && line.question == question) {
            continue;
        }
        // Who has no way to use memory again answers with fresh memory.
        let asked = |other: &&Row| {
            other.payload == row.payload
                && other.task == row.task
                && (row.memory == "reused" || other.memory == "fresh")
        };
        let fastest = |rows: &mut dyn Iterator<Item = &'_ Row>| -> Option<usize> {
            let place = |row: &Row| record.rows.iter().position(|other| std::ptr::eq(other, row));
            rows.min_by(|a, b| a.min.total_cmp(&b.min)).and_then(place)
        };
        let of = |name: &str| fastest(&mut record.rows.iter().filter(asked).filter(|other| other.library == name));
        let peers =
            fastest(&mut record.rows.iter().filter(asked).filter(|other| {
                other.library != DEFIANT && !(row.task == Task::Decode.name() && lazy(&other.library))
            }));
        let floor = record.rows.iter().find(|other| other.library == SKIP && other.payload == row.payload);
        let decodes = [Task::Decode.name(), Task::DecodeRead.name()].contains(&row.task.as_str());
        lines.push(Line {
            defiant: of(DEFIANT).map_or(row, |at| &record.rows[at]),
            question,
            peer: peers.map(|at| &record.rows[at]),
            prost: of(PROST).map(|at| &record.rows[at]),
            floor: floor.filter(|_| decodes).map(|row| row.min),
        });
    }
    lines
}

fn two_memories(task: &str) -> bool {
    [Task::Decode.name(), Task::DecodeRead.name()].contains(&task)
}

/// Whether a library puts work off until a field is read.
pub(crate) fn lazy(library: &str) -> bool {
    libraries::ALL.iter().any(|known| known.name == library && known.lazy) || library == "buffa-lazy"
}

/// Nanoseconds for people.
pub fn time(ns: f64) -> String {
    match ns {
        ns if ns < 1e3 => format!("{ns:.1} ns"),
        ns if ns < 1e6 => format!("{:.2} µs", ns / 1e3),
        ns => format!("{:.2} ms", ns / 1e6),
    }
}

/// `1.23`, or a dash.
pub fn ratio(ratio: Option<f64>) -> String {
    ratio.map_or("–".into(), |ratio| format!("{ratio:.2}"))
}

/// The questions in which Defiant does not lead, the worst first.
pub fn behind<'a, 'b>(lines: &'b [Line<'a>]) -> Vec<&'b Line<'a>> {
    let mut behind: Vec<_> = lines.iter().filter(|line| line.ratio().is_some_and(|ratio| ratio < 1.0)).collect();
    behind.sort_by(|a, b| a.ratio().unwrap_or(1.0).total_cmp(&b.ratio().unwrap_or(1.0)));
    behind
}

/// The geometric mean of some ratios.
pub fn geometric_mean(ratios: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = ratios.fold((0.0, 0_u32), |(sum, count), ratio| (sum + ratio.ln(), count + 1));
    (count > 0).then(|| (sum / f64::from(count)).exp())
}

/// The summary in plain text.
pub fn text(record: &Record) -> String {
    let lines = lines(record);
    let mut text = format!(
        "\nSummary: fastest samples. `peer/` and `prost/` are their time divided by Defiant's, so more than 1 means that\n\
         Defiant is faster. Lazy decoders count only where the fields are read.\n{:<24}{:<21}{:>11}  {:<36}{:>11}{:>8}{:>8}\n",
        "payload", "operation", "Defiant", "best peer", "", "peer/", "prost/"
    );
    for line in &lines {
        let peer = line.peer.map_or(String::new(), |peer| format!("{}, {}", peer.library, peer.variant));
        let _ = writeln!(
            text,
            "{:<24}{:<21}{:>11}  {:<36}{:>11}{:>8}{:>8}",
            line.defiant.payload,
            line.question,
            time(line.defiant.min),
            peer,
            line.peer.map_or("–".into(), |peer| time(peer.min)),
            ratio(line.ratio()),
            ratio(line.prost_ratio()),
        );
    }
    let behind = behind(&lines);
    let compared = lines.iter().filter(|line| line.ratio().is_some()).count();
    let _ = writeln!(text, "\nDefiant leads in {} of {compared} questions.", compared - behind.len());
    if !behind.is_empty() {
        text.push_str("It does not lead in:\n");
    }
    for line in behind {
        let Some(peer) = line.peer else { continue };
        let _ = writeln!(
            text,
            "  {:<24}{:<21}{:>6} of the time of {} ({}): {} against {}",
            line.defiant.payload,
            line.question,
            ratio(line.ratio().map(|ratio| 1.0 / ratio)) + "x",
            peer.library,
            peer.variant,
            time(line.defiant.min),
            time(peer.min),
        );
    }
    text
}
