//! The section of the report on another malloc, drawn from `results/mimalloc.csv` and `results/system.csv`.

use std::fmt::Write as _;
use std::path::Path;

use crate::libraries::{DEFIANT, PROST};
use crate::question::{DECODE, DECODE_FRESH, Question};
use crate::record::Record;
use crate::report::{self, made_on};
use crate::summary::{geometric_mean, ratio, time};

/// The section in Markdown, from the records in a folder; a sentence where one is missing.
///
/// # Errors
///
/// Names the record that cannot be read, and why.
pub fn section(results: &Path) -> Result<String, String> {
    let makes = "`benchmarks/all.sh --keep --only mimalloc` makes one with each malloc";
    report::section("With mimalloc", results, ["system.csv", "mimalloc.csv"], makes, |text, [usual, other]| {
        tables(text, usual, other);
    })
}

fn tables(text: &mut String, usual: &Record, other: &Record) {
    let _ = writeln!(
        text,
        "A quick malloc does most for who calls it most, so that part of an arena's lead is the system's malloc. Here the same \
         program runs with each. With the system's: {} With mimalloc: {} The times are of two runs, one after the other, so \
         they say less than the ratios, each of which is of one.\n",
        made_on(usual),
        made_on(other),
    );
    for question in [DECODE, DECODE_FRESH] {
        table(text, question, usual, other);
    }
}

/// The fastest time of a library for a question, by record.
fn best(question: Question, record: &Record, library: &str, payload: &str) -> Option<f64> {
    question.best(record, library, payload).map(|row| row.min)
}

fn table(text: &mut String, question: Question, usual: &Record, other: &Record) {
    let payloads: Vec<&str> = question
        .payloads(usual)
        .into_iter()
        .filter(|payload| best(question, other, PROST, payload).is_some())
        .collect();
    if payloads.is_empty() {
        return;
    }
    let _ = writeln!(
        text,
        "### {}\n\n| payload | prost, system | prost, mimalloc | Defiant, system | Defiant, mimalloc | prost's time divided by \
         Defiant's, system | mimalloc |\n|---|--:|--:|--:|--:|--:|--:|",
        question.title
    );
    let mut ratios = [Vec::new(), Vec::new()];
    for payload in payloads {
        let times =
            [PROST, DEFIANT].map(|library| [usual, other].map(|record| best(question, record, library, payload)));
        let [prost, defiant] = times;
        let quotients = [0, 1].map(|at| prost[at].zip(defiant[at]).map(|(prost, defiant)| prost / defiant));
        ratios.iter_mut().zip(quotients).for_each(|(all, one)| all.extend(one));
        let times = times.as_flattened().iter().map(|ns| format!(" {} |", ns.map_or("–".into(), time)));
        let _ = writeln!(
            text,
            "| {payload} |{} {} | {} |",
            times.collect::<String>(),
            ratio(quotients[0]),
            ratio(quotients[1])
        );
    }
    let [usual, other] = ratios.map(|all| ratio(geometric_mean(all.into_iter())));
    let _ = writeln!(text, "| geometric mean | | | | | {usual} | {other} |\n");
}
