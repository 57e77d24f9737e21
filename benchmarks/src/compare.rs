//! What changed from one record to another, beyond noise.

use std::fmt::Write as _;

use crate::libraries::DEFIANT;
use crate::record::{Record, Row};
use crate::summary::{geometric_mean, time};

/// The least change that is worth a line.
const LEAST: f64 = 0.03;

/// The changes from `before` to `after` in plain text.
///
/// The fastest samples are compared. A machine that is slower as a whole makes every library slower, so a change counts
/// after division by that of the peers (the geometric mean over all operations in both records). It is beyond noise when
/// it is more than 3%, more than the distance between fastest and middle sample in either record, and more than nine of
/// ten operations of the peers have moved, whose code is the same.
pub fn text(before: &Record, after: &Record) -> String {
    let pairs: Vec<(&Row, &Row)> = after
        .rows
        .iter()
        .filter_map(|row| Some((before.rows.iter().find(|other| other.key() == row.key())?, row)))
        .collect();
    let drift =
        geometric_mean(pairs.iter().filter(|(old, _)| old.library != DEFIANT).map(|(old, new)| new.min / old.min))
            .unwrap_or(1.0);
    let mut moved: Vec<f64> = pairs
        .iter()
        .filter(|(old, _)| old.library != DEFIANT)
        .map(|(old, new)| (new.min / old.min / drift - 1.0).abs())
        .collect();
    moved.sort_by(f64::total_cmp);
    let noise = moved.get(moved.len() * 9 / 10).copied().unwrap_or(0.0).max(LEAST);
    let mut changes: Vec<(f64, &Row, &Row)> = pairs
        .iter()
        .map(|(old, new)| (new.min / old.min / drift, *old, *new))
        .filter(|(change, old, new)| (change - 1.0).abs() > noise.max(spread(old)).max(spread(new)))
        .collect();
    changes.sort_by(|a, b| b.0.total_cmp(&a.0));

    let mut text = format!(
        "{} operations in both records ({} at {}, {} at {}); the peers take {:.1}% {}; noise is {:.1}%.\n",
        pairs.len(),
        before.value("commit"),
        before.value("cpu"),
        after.value("commit"),
        after.value("cpu"),
        (drift - 1.0).abs() * 100.0,
        if drift < 1.0 { "less" } else { "more" },
        noise * 100.0,
    );
    if changes.is_empty() {
        text.push_str("Nothing changed beyond noise.\n");
    }
    for ours in [true, false] {
        for (change, old, new) in changes.iter().filter(|(_, old, _)| (old.library == DEFIANT) == ours) {
            let _ = writeln!(
                text,
                "{:>+7.1}%  {:<24}{:<15}{:<16}{:<34}{:>11} -> {:>11}",
                (change - 1.0) * 100.0,
                new.payload,
                new.task,
                new.library,
                new.variant,
                time(old.min),
                time(new.min),
            );
        }
    }
    text
}

fn spread(row: &Row) -> f64 {
    row.median / row.min - 1.0
}
