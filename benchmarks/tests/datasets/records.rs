//! Records come back as they were written, and say what they hold.

use benchmarks::interval::Interval;
use benchmarks::record::{Record, Row};
use benchmarks::report::Sources;
use benchmarks::{compare, report, summary};

fn row(library: &str, task: &str, memory: &str, min: f64) -> Row {
    Row {
        payload: "car".into(),
        task: task.into(),
        library: library.into(),
        variant: format!("{memory}, in some way"),
        memory: memory.into(),
        bytes: 140.0,
        min,
        median: min * 1.01,
        rounds: 3.0,
        times: 10.0,
        allocations: 0.0,
        allocated_bytes: 0.0,
        ratio: None,
    }
}

fn record(defiant: f64) -> Record {
    Record {
        machine: vec![("cpu".into(), "a: b".into()), ("commit".into(), "abc".into())],
        libraries: vec![["prost", "0.14", "copied, all", "checked", "dropped", "-"].map(String::from)],
        gaps: vec!["pilota on car: none.".into()],
        rows: vec![
            row("defiant", "decode", "reused", defiant),
            row("defiant", "decode", "fresh", 90.0),
            row("prost", "decode", "fresh", 200.0),
            row("buffa-lazy", "decode", "fresh", 1.0),
            row("swift", "decode", "fresh", 100.0),
            row("swift", "decode", "reused", 60.0),
        ],
    }
}

#[test]
fn a_record_comes_back() {
    let record = record(50.0);
    assert_eq!(Record::from_csv(&record.csv()), Ok(record));
}

#[test]
fn intervals_come_back_and_older_records_have_none() {
    let mut with = record(50.0);
    with.rows[0].ratio = Some(Interval { low: 3.5, middle: 4.0, high: 4.25 });
    assert_eq!(Record::from_csv(&with.csv()), Ok(with.clone()));

    let older: String = with
        .csv()
        .lines()
        .map(|line| {
            let cut = if line.starts_with('#') { line.len() } else { nth_last_comma(line, 3) };
            format!("{}\n", &line[..cut])
        })
        .collect();
    assert!(older.contains("prost_ratio_median\n"), "{older}");
    assert_eq!(Record::from_csv(&older), Ok(record(50.0)));

    let broken = with.csv().replace(",3.5,4,", ",3.5,near,");
    assert!(Record::from_csv(&broken).is_err_and(|error| error.contains("prost_ratio_middle is not a number: near")));
}

fn nth_last_comma(line: &str, n: usize) -> usize {
    line.rmatch_indices(',').nth(n - 1).map_or(line.len(), |(at, _)| at)
}

#[test]
fn what_is_not_a_record_is_named() {
    assert_eq!(Record::from_csv("dataset,task\ncar,decode\n"), Err("line 2: no column library".into()));
    let broken = record(50.0).csv().replace(",140,", ",many,");
    assert!(Record::from_csv(&broken).is_err_and(|error| error.contains("bytes is not a number: many")));
}

/// Each question has the peers that it asks: fresh memory is compared with fresh memory, a lazy decoder with nobody.
#[test]
fn the_best_peer_is_found() {
    let record = record(50.0);
    let lines = summary::lines(&record);
    let found: Vec<_> = lines
        .iter()
        .map(|line| (line.question.as_str(), line.peer.map(|peer| peer.min), line.prost.map(|prost| prost.min)))
        .collect();
    assert_eq!(found, [("decode, reused", Some(60.0), Some(200.0)), ("decode, fresh", Some(100.0), Some(200.0))]);
    assert!(summary::behind(&lines).is_empty());
    assert!(summary::text(&record).contains("Defiant leads in 2 of 2 questions."));
}

#[test]
fn where_defiant_does_not_lead_is_said() {
    let record = record(75.0);
    let text = summary::text(&record);
    assert!(text.contains("Defiant leads in 1 of 2 questions."), "{text}");
    assert!(text.contains("1.25x of the time of swift"), "{text}");
    let markdown = report::markdown(&Sources { record, ..Sources::default() });
    assert!(markdown.contains("| car | decode, reused | 75.0 ns | swift, reused, in some way | 60.0 ns | 1.25 |"));
    assert!(markdown.contains("pilota on car: none."), "{markdown}");
}

#[test]
fn a_change_beyond_noise_is_named() {
    let (before, after) = (record(50.0), record(60.0));
    let text = compare::text(&before, &after);
    assert!(text.contains("+20.0%") && text.contains("50.0 ns ->"), "{text}");
    assert!(compare::text(&before, &record(50.5)).contains("Nothing changed"));

    // A machine that is slower as a whole is not a change.
    let mut slow = record(50.0);
    for row in &mut slow.rows {
        row.min *= 1.5;
        row.median *= 1.5;
    }
    assert!(compare::text(&before, &slow).contains("Nothing changed"));
}
