//! The charts of the report.

use crate::bars::{Bar, Chart, Group, Ink, Panel};
use crate::libraries::{DEFIANT, PROST, SKIP};
use crate::question::{DECODE, ENCODE, QUESTIONS, Question};
use crate::record::{Record, Row};
use crate::schemas::{Measured, Schemas};
use crate::summary::geometric_mean;

/// Every chart that the records allow.
pub fn all(record: &Record, schemas: Option<&Schemas>) -> Vec<Chart> {
    let libraries = QUESTIONS.into_iter().filter_map(|question| libraries(record, question));
    payloads(record).into_iter().chain(libraries).chain(schemas.and_then(build_time)).collect()
}

/// Decode and encode on each payload: Defiant, and the best of the others.
pub fn payloads(record: &Record) -> Option<Chart> {
    let names = DECODE.payloads(record);
    let panel = |question: Question, title: &str| Panel {
        title: title.into(),
        groups: names
            .iter()
            .map(|payload| {
                let prost = question.best(record, PROST, payload);
                let bar = |row: Option<&Row>, name: &str, ink| {
                    let value = prost.zip(row).map(|(prost, row)| prost.min / row.min);
                    let label = value.map_or("not done".into(), |value| format!("{value:.2}"));
                    let label = if ink == Ink::Defiant { label } else { format!("{label} {name}") };
                    Bar { name: if ink == Ink::Defiant { name.into() } else { String::new() }, value, label, ink }
                };
                let others = question.libraries(record).into_iter();
                let others = others.filter(|name| *name != DEFIANT && *name != SKIP && question.counts(name));
                let best = others
                    .filter_map(|name| question.best(record, name, payload))
                    .min_by(|a, b| a.min.total_cmp(&b.min));
                Group {
                    name: (*payload).into(),
                    bars: vec![
                        bar(question.best(record, DEFIANT, payload), "Defiant", Ink::Defiant),
                        bar(best, best.map_or("no other library", |row| &row.library), Ink::Other),
                    ],
                }
            })
            .collect(),
        line: Some(1.0),
    };
    let panels = vec![panel(DECODE, "decode, memory used again"), panel(ENCODE, "encode to a buffer used again")];
    let drawn = panels.iter().flat_map(|panel| &panel.groups).flat_map(|group| &group.bars);
    drawn.filter(|bar| bar.value.is_some()).count().gt(&0).then(|| Chart {
        name: "payloads".into(),
        title: "How many times as fast as prost: prost's time divided by the library's".into(),
        note: "Longer is faster. On each payload the other bar is whichever of the other libraries is the fastest \
               there, prost included; lazy decoders do not count. The line is prost."
            .into(),
        legend: vec![("Defiant".into(), Ink::Defiant), ("the best of the others, by name".into(), Ink::Other)],
        panels,
    })
}

/// All libraries in one question: the geometric mean over the payloads that all of them have an answer for.
///
/// A library with an answer for less than half of the payloads is left out, and said to be: it would leave too few.
pub fn libraries(record: &Record, question: Question) -> Option<Chart> {
    let payloads = question.payloads(record);
    let answers = |name: &str, payload: &str| question.best(record, name, payload).map(|row| row.min);
    let done = |name: &str| payloads.iter().filter(|payload| answers(name, payload).is_some()).count();
    let (shown, few): (Vec<&str>, Vec<&str>) = question
        .libraries(record)
        .into_iter()
        .filter(|name| *name != SKIP && question.counts(name))
        .partition(|name| done(name) * 2 >= payloads.len());
    let (common, other): (Vec<&str>, Vec<&str>) =
        payloads.iter().partition(|payload| shown.iter().all(|name| answers(name, payload).is_some()));
    if shown.len() < 2 || !shown.contains(&PROST) || common.len() < 2 {
        return None;
    }
    let mut bars: Vec<Bar> = shown
        .iter()
        .map(|name| {
            let ratios = common.iter().filter_map(|payload| Some(answers(PROST, payload)? / answers(name, payload)?));
            let value = geometric_mean(ratios);
            let ink = match *name {
                DEFIANT => Ink::Defiant,
                PROST => Ink::Yardstick,
                _ => Ink::Other,
            };
            let label = value.map_or(String::new(), |value| format!("{value:.2}"));
            Bar { name: (*name).into(), value, label, ink }
        })
        .collect();
    bars.sort_by(|a, b| b.value.unwrap_or_default().total_cmp(&a.value.unwrap_or_default()));
    let mut note = format!("Longer is faster. Over the {} payloads that every library shown can do", common.len());
    if !other.is_empty() {
        note = format!("{note}, so without {}", other.join(", "));
    }
    note.push('.');
    for name in few {
        note = format!("{note} {name} does {} of {}, too few to be shown.", done(name), payloads.len());
    }
    let groups = bars.into_iter().map(|bar| Group { name: bar.name.clone(), bars: vec![bar] }).collect();
    Some(Chart {
        name: question.chart.into(),
        title: format!("{}: how many times as fast as prost", question.title),
        note,
        legend: vec![
            ("Defiant".into(), Ink::Defiant),
            ("prost".into(), Ink::Yardstick),
            ("other libraries".into(), Ink::Other),
        ],
        panels: vec![Panel {
            title: format!("prost's time / the library's, geometric mean over {} payloads", common.len()),
            groups,
            line: None,
        }],
    })
}

/// How long rustc takes for what is generated.
pub fn build_time(schemas: &Schemas) -> Option<Chart> {
    let sets: Vec<&str> = schemas.sets().into_iter().filter(|set| schemas.of(set).any(|row| row.compiled())).collect();
    let panel = |title: &str, seconds: fn(&Measured) -> Option<f64>| Panel {
        title: title.into(),
        groups: sets
            .iter()
            .map(|set| {
                let bars = schemas.of(set).map(|row| {
                    let value = seconds(row).zip(row.number("messages")).map(|(s, messages)| s * 1e3 / messages);
                    // Without a bar there is no colour that says whose it is.
                    let (name, label) = match value {
                        Some(ms) => (row.library.clone(), format!("{ms:.1}")),
                        None => (String::new(), format!("{}: none that compiles", row.library)),
                    };
                    let ink = if row.library == DEFIANT { Ink::Defiant } else { Ink::Other };
                    Bar { name, value, label, ink }
                });
                Group { name: (*set).into(), bars: bars.collect() }
            })
            .collect(),
        line: None,
    };
    let mut legend: Vec<(String, Ink)> = vec![("Defiant".into(), Ink::Defiant)];
    let others = schemas.libraries().into_iter().filter(|library| *library != DEFIANT);
    legend.extend(others.map(|library| (library.to_owned(), Ink::Other)));
    (!sets.is_empty()).then(|| Chart {
        name: "build_time".into(),
        title: "Compiling generated code: milliseconds of rustc's CPU time for each message".into(),
        note: "Shorter is faster: CPU milliseconds of the one rustc that compiles the generated code, divided by its \
               messages."
            .into(),
        legend,
        panels: vec![
            panel("dev profile, ms a message", |row| row.number("dev_cpu_s")),
            panel("release profile, ms a message", |row| row.number("release_cpu_s")),
        ],
    })
}
