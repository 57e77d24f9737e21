//! Reports say what the records hold, and charts show it.

use std::path::Path;
use std::time::Duration;

use benchmarks::allocations::{Allocations, Used};
use benchmarks::bars::{Bar, Chart};
use benchmarks::check::operations;
use benchmarks::instructions::Instructions;
use benchmarks::interval::Interval;
use benchmarks::libraries::{self, DEFIANT, PROST};
use benchmarks::measure::{Settings, measure};
use benchmarks::offer::{Library, Task};
use benchmarks::payloads::Payload;
use benchmarks::question::{DECODE, ENCODE};
use benchmarks::record::{Record, Row};
use benchmarks::report::{Sources, markdown};
use benchmarks::schemas::Schemas;
use benchmarks::servers::{self, Records};
use benchmarks::{charts, formats_report, json_report, measurements, processors_report, report};

const SCHEMAS: &str = "\
commit,rustc,set,library,messages,generate_s,dev_cpu_s,dev_peak_mib,release_cpu_s,release_peak_mib,rlib_bytes,text_bytes
abc,1.95.0,<odd> & even,defiant,100,0.5,2.0,200,3.0,300,4500000,12345
abc,1.95.0,<odd> & even,prost,,,,,,,,
abd,1.95.0,everything,defiant,900,1.5,,,,,,
";
const TABLE: &str = "\
dataset           task              library       instructions
message2          decode            defiant             500000
message2          decode            prost              1250000
message2          decode            pilota                   -
";
const HISTORY: &str = "\
commit,rustc,dataset,task,library,instructions
old,1.90.0,message2,decode,defiant,500000
new,1.95.0,message2,decode,defiant,500000
new,1.95.0,message2,decode,prost,1250000
";

/// A record of these libraries with their times for payloads of those names, of a decode that uses memory again.
fn record(payloads: &[&str], times: &[(&str, &[f64])]) -> Record {
    let row = |library: &str, payload: &str, min: f64| Row {
        payload: payload.into(),
        task: "decode".into(),
        library: library.into(),
        variant: "-".into(),
        memory: "reused".into(),
        bytes: 100.0,
        min,
        median: min,
        rounds: 21.0,
        times: 10.0,
        allocations: 0.0,
        allocated_bytes: 0.0,
        ratio: None,
    };
    let stated = |name: &str| [name, "1", "-", "-", "-", "-"].map(String::from);
    let of = |(library, times): &(&str, &[f64])| -> Vec<Row> {
        let done = payloads.iter().zip(*times).filter(|(_, time)| !time.is_nan());
        done.map(|(payload, time)| row(library, payload, *time)).collect()
    };
    Record {
        libraries: times.iter().map(|(name, _)| stated(name)).collect(),
        rows: times.iter().flat_map(of).collect(),
        ..Record::default()
    }
}

const NONE: f64 = f64::NAN;

fn four() -> Record {
    record(
        &["a", "b", "c", "d"],
        &[
            ("defiant", &[10.0, 20.0, 10.0, 40.0]),
            ("prost", &[20.0, 160.0, 30.0, 10.0]),
            ("swift", &[40.0, 20.0, NONE, 1.0]),
            ("buffa-lazy", &[1.0, 1.0, 1.0, 1.0]),
            ("rare", &[1.0, NONE, NONE, NONE]),
        ],
    )
}

fn bars(chart: &Chart) -> Vec<&Bar> {
    chart.panels.iter().flat_map(|panel| &panel.groups).flat_map(|group| &group.bars).collect()
}

/// The set of payloads is the one that all who are shown have in common; who would make it too small is named.
#[test]
fn means_are_over_what_all_can_do() {
    let chart = charts::libraries(&four(), DECODE).expect("there is enough for a chart");
    let shown: Vec<_> = bars(&chart).iter().map(|bar| (bar.name.as_str(), bar.label.as_str())).collect();
    // Over a, b and d: the cube roots of 2 * 8 / 4 and of 1 / 2 * 8 * 10.
    assert_eq!(shown, [("swift", "3.42"), ("defiant", "1.59"), ("prost", "1.00")]);
    assert!(chart.note.contains("Over the 3 payloads") && chart.note.contains("without c."), "{}", chart.note);
    assert!(chart.note.contains("rare does 1 of 4"), "{}", chart.note);
    assert_eq!(charts::libraries(&four(), ENCODE), None);
}

#[test]
fn each_payload_names_the_best_of_the_others() {
    let chart = charts::payloads(&four()).expect("there is enough for a chart");
    let labels: Vec<_> =
        chart.panels[0].groups.iter().map(|group| [&*group.bars[0].label, &*group.bars[1].label]).collect();
    assert_eq!(
        labels,
        [["2.00", "20.00 rare"], ["8.00", "8.00 swift"], ["3.00", "1.00 prost"], ["0.25", "10.00 swift"]]
    );
    assert!(bars(&chart)[8..].iter().all(|bar| bar.value.is_none()), "nobody encodes");
    assert_eq!(charts::payloads(&Record::default()), None);
}

/// WCAG's contrast of two colours, from <https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio>.
fn contrast(one: &str, other: &str) -> f64 {
    let luminance = |color: &str| {
        let part = |at: usize| {
            let value = f64::from(u8::from_str_radix(&color[at..at + 2], 16).expect("two hexadecimal digits")) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
    };
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

fn attributes<'a>(svg: &'a str, tag: &'a str, name: &'a str) -> impl Iterator<Item = &'a str> {
    svg.split('<').filter(move |element| element.starts_with(tag)).filter_map(move |element| {
        let (_, rest) = element.split_once(&format!(" {name}=\""))?;
        rest.split('"').next()
    })
}

#[test]
fn charts_are_legible_on_light_and_on_dark_ground() {
    let sources =
        Sources { record: four(), schemas: Some(Schemas::from_csv(SCHEMAS).expect("a record")), ..Sources::default() };
    let charts = sources.charts();
    assert_eq!(charts.len(), 3, "payloads, decode, build time");
    for chart in charts {
        let svg = chart.svg().expect("a chart");
        assert_eq!(svg, chart.svg().expect("a chart"), "the same values give the same bytes");
        for (tag, least) in [("text", 4.0), ("rect", 3.0)] {
            let colors: Vec<_> = attributes(&svg, tag, "fill").collect();
            assert!(!colors.is_empty(), "{svg}");
            for color in colors {
                for ground in ["#ffffff", "#0d1117"] {
                    assert!(contrast(color, ground) >= least, "{color} of a {tag} on {ground}");
                }
            }
        }
    }
}

/// No bar or label leaves the picture, and the lengths of bars are as their values.
#[test]
fn bars_are_as_long_as_their_values() {
    let chart = charts::libraries(&four(), DECODE).expect("there is enough for a chart");
    let svg = chart.svg().expect("a chart");
    let width: f64 = attributes(&svg, "svg", "width").next().and_then(|text| text.parse().ok()).expect("a width");
    let number = |text: &str| text.parse::<f64>().expect("a number");
    let widths: Vec<f64> = attributes(&svg, "rect", "width").map(number).collect();
    let bars: Vec<f64> = widths[chart.legend.len()..].to_vec();
    assert_eq!(bars.len(), 3, "{svg}");
    for (bar, value) in bars.iter().zip([80.0_f64.cbrt() / 2.0_f64.cbrt(), 4.0_f64.cbrt(), 1.0]) {
        assert!((bar / bars[2] - value).abs() < 0.02, "{bars:?}, {value}");
    }
    assert!(attributes(&svg, "text", "x").map(number).all(|x| x < width - 20.0), "{svg}");
}

#[test]
fn charts_say_in_words_what_they_show() {
    let schemas = Schemas::from_csv(SCHEMAS).expect("a record");
    let svg = charts::build_time(&schemas).expect("there is enough for a chart").svg().expect("a chart");
    // 2 seconds for 100 messages, then 3.
    let words = "&lt;odd&gt; &amp; even: defiant 20.0, prost: none that compiles";
    assert!(svg.contains(words), "{svg}");
    assert!(svg.contains("&lt;odd&gt; &amp; even: defiant 30.0"), "{svg}");
    assert!(svg.contains("<title>Compiling generated code"), "{svg}");
    assert!(!svg.contains("everything"), "what was not compiled has no bar");
}

#[test]
fn what_a_library_refuses_is_said() {
    let schemas = Schemas::from_csv(SCHEMAS).expect("a record");
    let text = markdown(&Sources { schemas: Some(schemas), ..Sources::default() });
    assert!(text.contains("at revision `abc`, `abd`, with rustc 1.95.0"), "{text}");
    assert!(text.contains("| 100 | 0.50 s | 2.00 s | 200 MiB | 3.00 s | 300 MiB | 4.5 MB | 123 B |"), "{text}");
    assert!(text.contains("- prost on <odd> & even: it generates nothing"), "{text}");
    assert!(text.contains("- defiant on everything: the code was generated only"), "{text}");
    assert!(text.contains("no set of this record uses its messages"), "{text}");
}

#[test]
fn what_is_no_record_of_schemas_is_named() {
    let error = |csv: &str| Schemas::from_csv(csv).expect_err("it is broken");
    assert_eq!(error(&SCHEMAS.replace(",900,1.5", ",many,1.5")), "line 4: messages is not a number: many");
    assert_eq!(error(&SCHEMAS.replace(",900,1.5", ",900")), "line 4: 11 cells where there are 12 columns");
    assert_eq!(error(&SCHEMAS.replace("everything", "")), "line 4: no set, or no library");
    assert_eq!(Schemas::from_csv(""), Ok(Schemas::default()));
}

#[test]
fn instructions_have_the_revision_of_their_counts() {
    let report = |table: &str, history: &str| {
        let instructions = Some(Instructions::from_text(table, history).expect("a record"));
        markdown(&Sources { instructions, ..Sources::default() })
    };
    let text = report(TABLE, HISTORY);
    assert!(text.contains("at revision `new`, with rustc 1.95.0"), "{text}");
    assert!(text.contains("| payload | operation | defiant | prost | pilota | prost / defiant |"), "{text}");
    assert!(text.contains("| message2 | decode | 500000 | 1250000 | – | 2.50 |"), "{text}");

    let unknown = "at which revision this one was made is not known";
    assert!(report(&TABLE.replace("500000", "500001"), HISTORY).contains(unknown));
    assert!(report(TABLE, "").contains(unknown));
    let error = Instructions::from_text(&TABLE.replace("1250000", "some"), HISTORY).expect_err("it is broken");
    assert_eq!(error, "line 3: not a count: some");
}

#[test]
fn records_that_are_missing_are_said_to_be() {
    let text = markdown(&Sources::default());
    for command in ["`benchmarks/schemas/run record` makes one", "`benchmarks/instructions.sh record` makes one"] {
        assert!(text.contains(command), "{text}");
    }
    assert!(text.contains("`cargo bench -p benchmarks --bench allocations -- --record"), "{text}");
    let folder = std::env::temp_dir().join(format!("benchmarks-one-record-{}", std::process::id()));
    four().write(&folder).expect("a folder for this test");
    let sources = Sources::read(&folder.join("dataset.csv"), &folder).expect("the others may be missing");
    std::fs::remove_dir_all(&folder).expect("the folder of this test");
    let text = markdown(&sources);
    for (heading, command) in [
        ("\n## All of protokt's large set\n", "`benchmarks/all.sh --keep --only huge`"),
        ("\n## Packed numbers\n", "`benchmarks/all.sh --keep --only packed`"),
        ("\n## With mimalloc\n", "`benchmarks/all.sh --keep --only mimalloc`"),
        ("\n## Processors\n", "`benchmarks/results/processors`"),
        ("\n## JSON\n", "`benchmarks/all.sh --keep --only json`"),
        ("\n## Servers\n", "-p runtimes --bin load"),
        ("\n## Other formats\n", "`benchmarks/all.sh --keep --only formats`"),
    ] {
        let (_, section) = text.split_once(heading).expect(heading);
        assert!(section.starts_with("\nThere is no record of ") && section.contains(command), "{section}");
    }
    assert_eq!(Allocations::read(Path::new("no/such/file")), Ok(None));
    assert_eq!(Schemas::read(Path::new("no/such/file")), Ok(None));
    assert_eq!(Instructions::read(Path::new("no/such/folder")), Ok(None));
}

#[test]
fn processors_are_compared_by_the_ratios_of_their_own_runs() {
    let folder = std::env::temp_dir().join(format!("benchmarks-processors-{}", std::process::id()));
    record(&["google_x", "other"], &[("defiant", &[10.0, 1.0]), ("prost", &[25.0, 1.0])])
        .write(&folder)
        .expect("a folder for this test");
    let mut other = record(&["google_x"], &[("defiant", &[4.0]), ("prost", &[12.0]), ("skip", &[3.0])]);
    let fresh = Row { memory: "fresh".into(), min: 20.0, ..other.rows[1].clone() };
    let skip = other.rows.len() - 1;
    other.rows[skip].task = "skip".into();
    other.rows.push(fresh);
    other.write(&folder.join("processors")).expect("a folder in it");
    let text = processors_report::section(&folder).expect("two records");
    std::fs::write(folder.join("processors/z.csv"), "no record").expect("a third file");
    let wrong = processors_report::section(&folder).expect_err("it is no record");
    std::fs::remove_dir_all(&folder).expect("the folder of this test");
    for row in [
        "| google_x | decode: prost's `decode` / Defiant, arena reset | – | 5.00 |",
        "| google_x | decode: prost's fastest way / Defiant, arena reset | 2.50 | 3.00 |",
        "| google_x | decode: both with fresh memory | – | – |",
        "| google_x | decode: Defiant / a walk that skips every field | – | 1.33 |",
    ] {
        assert!(text.contains(row), "{text}");
    }
    assert!(!text.contains("| other |") && text.contains("\n2. Measured on "), "{text}");
    assert!(wrong.contains("z.csv"), "{wrong}");
}

#[test]
fn records_of_the_other_measures_are_sections() {
    let columns = "runtime,driver,workload,library,round,requests_per_second,p50_us,p90_us,p99_us,p99.9_us";
    let servers = format!("# cpu: x\n{columns}\na,b,c,defiant,0,30,1,1,1,1\na,b,c,prost,0,20,1,1,1,1\n");
    let columns = "runtime,driver,workload,library,requests,allocations,allocations_within,held_bytes,resident_bytes,idle_resident_bytes";
    let rows = "a,b,c,defiant,10,5,0,2048,3145728,1\na,b,c,prost,20,60,50,4096,4194304,1\n";
    let memory = format!("# counted_ms: 500\n{columns}\n{rows}");
    let text = servers::section(&Records { times: Some(servers), memory: Some(memory) }).expect("two records");
    assert!(text.starts_with("## Servers\n") && text.contains("\n### c\n"), "{text}");
    assert!(text.contains("| a | b | 30 | 20 | 1.50 |"), "{text}");
    assert!(text.contains("| c | a | 0.00 | 0.50 | 2.50 | 3.00 | 2 | 4 | 3.0 | 4.0 |"), "{text}");
    let text = servers::section(&Records::default()).expect("no records");
    assert!(text.contains("no record of their times") && text.contains("no record of their memory"), "{text}");

    let numbers = [Some(100), Some(2), Some(900), Some(250), None, None, Some(1000), Some(0), Some(0)];
    let rows = vec![Used { payload: "a".into(), library: "pilota".into(), numbers }];
    let allocations = Some(Allocations { machine: vec![("commit".into(), "abc".into())], rows });
    let text = markdown(&Sources { record: four(), allocations, ..Sources::default() });
    assert!(text.contains("dhat, at revision `abc`"), "{text}");
    assert!(text.contains("| a | pilota | 2 | 900 | 250 | 2.50 | – | – | 1000 | 0 | 0 |"), "{text}");
    // Of the times' record.
    assert!(text.contains("### Decode, memory reused\n\n| payload | bytes | defiant | prost |"), "{text}");
    assert!(text.contains("| c | 100 | 0 | 0 | – | 0 | – |"), "{text}");
}

#[test]
fn what_is_no_record_of_allocations_is_named() {
    let head = Allocations::default().csv();
    let error = |text: &str| Allocations::from_csv(text).expect_err("it is broken");
    assert!(error("a,b\n").starts_with("line 1: the columns"));
    assert_eq!(error(&format!("# cpu: x\n{head}a,b,1,2\n")), "line 3 is not one of a record of allocations");
    assert_eq!(error(&format!("{head}a,b,1,2,3,4,5,6,7,8,many\n")), "line 2 is not one of a record of allocations");
}

/// A record that was made without all optimizations says so, and so do the documents.
#[test]
fn a_draft_is_called_one() {
    let mut record = four();
    let says_so = |record: &Record| {
        [markdown(&Sources { record: record.clone(), ..Sources::default() }), measurements::markdown(record)]
            .map(|text| text.contains("Built with the profile `draft`"))
    };
    assert_eq!(says_so(&record), [false; 2]);
    record.machine.push(("profile".into(), "draft".into()));
    assert_eq!(says_so(&record), [true; 2]);
}

#[test]
fn every_row_is_looked_up() {
    let mut record = four();
    record.rows[0].ratio = Some(Interval { low: 1.9, middle: 2.01, high: 2.125 });
    let text = measurements::markdown(&record);
    assert!(text.contains("\n## a\n\ndecode, 100 bytes:\n"), "{text}");
    assert!(text.contains("| defiant | - | 10.0 ns | 10.0 ns | 10000 | 2.01 | 1.90 to 2.12 | 0 | 0 |"), "{text}");
    assert_eq!(text.matches("\n| prost | - |").count(), 4, "{text}");
}

/// With fresh memory a library is compared with prost's way with fresh memory: prost, measured, is as fast as itself.
#[test]
fn ratios_are_taken_round_by_round() {
    let settings = Settings { rounds: 9, sample: Duration::from_micros(20), budget: Duration::MAX };
    let libraries: Vec<_> = libraries::ALL.iter().filter(|library| [DEFIANT, PROST].contains(&library.name)).collect();
    let ratios = |libraries: &[Library]| {
        let (mut operations, _) = operations(Payload::Car, libraries).expect("the answers are right");
        operations.retain(|operation| operation.task == Task::Decode);
        measure(&mut operations, settings)
    };
    let both: Vec<Library> = libraries.into_iter().copied().collect();
    let rows = ratios(&both);
    let itself = Interval { low: 1.0, middle: 1.0, high: 1.0 };
    for row in &rows {
        let ratio = row.ratio.expect("prost takes part");
        assert!(0.0 < ratio.low && ratio.low <= ratio.middle && ratio.middle <= ratio.high, "{row:?}");
        assert!(row.library != PROST || row.memory != "fresh" || ratio == itself, "{row:?}");
    }
    assert!(rows.iter().any(|row| row.library == DEFIANT) && rows.iter().any(|row| row.ratio == Some(itself)));
    let alone: Vec<Library> = both.into_iter().filter(|library| library.name == DEFIANT).collect();
    assert!(ratios(&alone).iter().all(|row| row.ratio.is_none()));
}

#[test]
fn ratios_have_their_intervals() {
    let mut record = four();
    assert!(
        markdown(&Sources { record: record.clone(), ..Sources::default() }).contains("has no confidence intervals")
    );
    record.rows[0].ratio = Some(Interval { low: 1.9, middle: 2.01, high: 2.125 });
    let text = markdown(&Sources { record, ..Sources::default() });
    assert!(text.contains("| a | 2.01 (1.90 to 2.12) |"), "{text}");
    assert!(text.contains("| b | 8.00 |") && !text.contains("has no confidence intervals"), "{text}");
}

/// The report that is kept is drawn from the records that are kept: `cargo run -p benchmarks -- report
/// benchmarks/results/peers.csv` writes it.
#[test]
fn the_report_is_that_of_the_records() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let results = folder.join("results");
    let sources = Sources::read(&results.join("peers.csv"), &results).expect("the records can be read");
    let kept = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap_or_default();
    let again = "it is of other records, or of other code: write it again";
    assert!(kept("BENCHMARKS.md") == report::markdown(&sources), "BENCHMARKS.md: {again}");
    assert!(kept("MEASUREMENTS.md") == measurements::markdown(&sources.record), "MEASUREMENTS.md: {again}");
    let mut charts = Vec::new();
    for chart in sources.charts() {
        let name = format!("charts/{}.svg", chart.name);
        assert!(kept(&name) == chart.svg().expect("a chart"), "{name}: {again}");
        charts.push(folder.join(name));
    }
    let files = std::fs::read_dir(folder.join("charts")).expect("there is a folder of charts");
    let mut files: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    charts.sort();
    files.sort();
    assert_eq!(files, charts, "the folder has the charts of the report and no others");
}

/// So is that of JSON: `cargo run -p benchmarks -- json-report` writes it.
#[test]
fn the_report_of_json_is_that_of_the_records() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    if !folder.join("results/json.csv").exists() {
        assert!(!folder.join("JSON.md").exists(), "a report without a record");
        return;
    }
    let report = json_report::markdown(&folder.join("results")).expect("the records can be read");
    let kept = std::fs::read_to_string(folder.join("JSON.md")).unwrap_or_default();
    assert!(kept == report, "JSON.md is of other records, or of other code: write it again");
    assert!(
        report.contains("| orders | decode |") && report.contains("| Defiant | encode_in, arena reset |"),
        "{report}"
    );
}

/// So is that of servers: `cargo run -p benchmarks -- servers-report` writes it.
#[test]
fn the_report_of_servers_is_that_of_the_record() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let records = Records::read(&folder.join("results"));
    if records.times.is_none() && records.memory.is_none() {
        assert!(!folder.join("SERVERS.md").exists(), "a report without a record");
        return;
    }
    let report = servers::markdown(&records).expect("the records can be read");
    let kept = std::fs::read_to_string(folder.join("SERVERS.md")).unwrap_or_default();
    assert!(kept == report, "SERVERS.md is of another record, or of other code: write it again");
    assert!(report.contains("\n## batch\n") && report.contains("\n| tokio-local | epoll |"), "{report}");
    assert!(report.contains("\n## Memory under load\n") && report.contains("\n| batch | tokio-local | "), "{report}");
}

/// So is that of other formats: `cargo run -p benchmarks -- formats-report` writes it.
#[test]
fn the_report_of_formats_is_that_of_the_record() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    if !folder.join("results/formats.csv").exists() {
        assert!(!folder.join("FORMATS.md").exists(), "a report without a record");
        return;
    }
    let report = formats_report::markdown(&folder.join("results")).expect("the record can be read");
    let kept = std::fs::read_to_string(folder.join("FORMATS.md")).unwrap_or_default();
    assert!(kept == report, "FORMATS.md is of another record, or of other code: write it again");
    for line in
        ["\n| foobar | open+read | ", "\n| rkyv | checked | ", "\n| capnp-packed | unpacked into a kept slice | "]
    {
        assert!(report.contains(line), "{report}");
    }
}

#[test]
fn a_record_of_servers_that_is_none_says_where() {
    let columns = "runtime,driver,workload,library,round,requests_per_second,p50_us,p90_us,p99_us,p99.9_us";
    let times = |text: &str| servers::markdown(&Records { times: Some(text.into()), memory: None });
    assert!(times("a,b\n").expect_err("other columns").starts_with("line 1:"));
    let error = times(&format!("# cpu: x\n{columns}\na,b,c,d,0,many,1,1,1,1\n")).expect_err("no number");
    assert!(error.starts_with("line 3 "), "{error}");
    let memory = Records { times: None, memory: Some("a,b\n".into()) };
    assert!(servers::markdown(&memory).expect_err("other columns").starts_with("memory: line 1:"));
}
