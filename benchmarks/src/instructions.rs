//! Instructions per operation: the record that `instructions.sh record` makes.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::libraries::{DEFIANT, PROST};
use crate::record::cells;

/// What one operation takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Counted {
    /// On which payload.
    pub payload: String,
    /// What.
    pub task: String,
    /// By whom.
    pub library: String,
    /// Instructions; `None` where the library does not do this, or not rightly.
    pub instructions: Option<u64>,
}

/// The record.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Instructions {
    /// What was counted, in the order of the record.
    pub rows: Vec<Counted>,
    /// The revision it was counted at, and the compiler, if the history of the record knows.
    pub source: Option<(String, String)>,
}

impl Instructions {
    /// Reads the record, a table with spaces between its columns, and finds its revision in the history of all records,
    /// a CSV: the last one, if it has the same counts.
    ///
    /// # Errors
    ///
    /// Names the line that is not one of such a record, counted from 1.
    pub fn from_text(table: &str, history: &str) -> Result<Instructions, String> {
        let mut rows = Vec::new();
        for (line, at) in table.lines().zip(1..).skip(1) {
            let cells: Vec<&str> = line.split_whitespace().collect();
            let [payload, task, library, count] = cells[..] else {
                return Err(format!("line {at}: {} cells instead of four", cells.len()));
            };
            let instructions = match count {
                "-" => None,
                count => Some(count.parse().map_err(|_| format!("line {at}: not a count: {count}"))?),
            };
            rows.push(Counted { payload: payload.into(), task: task.into(), library: library.into(), instructions });
        }
        let mut record = Instructions { rows, source: None };
        record.source = record.source(history);
        Ok(record)
    }

    fn source(&self, history: &str) -> Option<(String, String)> {
        let history: Vec<Vec<String>> = history.lines().skip(1).map(cells).filter(|cells| cells.len() == 6).collect();
        let last = &history.last()?[..2];
        let counted: Vec<&[String]> =
            history.iter().filter(|cells| cells[..2] == *last).map(|cells| &cells[2..]).collect();
        let of = |row: &Counted| {
            Some([row.payload.clone(), row.task.clone(), row.library.clone(), row.instructions?.to_string()])
        };
        let mut known = self.rows.iter().filter_map(of);
        known.all(|row| counted.contains(&&row[..])).then(|| (last[0].clone(), last[1].clone()))
    }

    /// Reads the record in a folder; `None` when there is none.
    ///
    /// # Errors
    ///
    /// Names the file and what is wrong with it.
    pub fn read(folder: &Path) -> Result<Option<Instructions>, String> {
        let file = folder.join("instructions.txt");
        if !file.exists() {
            return Ok(None);
        }
        let table = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        // Without a history the revision is not known.
        let history = fs::read_to_string(folder.join("instructions.csv")).unwrap_or_default();
        Instructions::from_text(&table, &history).map(Some).map_err(|error| format!("{}: {error}", file.display()))
    }
}

/// The section of the report in Markdown.
pub(crate) fn section(text: &mut String, instructions: Option<&Instructions>) {
    text.push_str("## Instructions\n\n");
    let Some(record) = instructions.filter(|record| !record.rows.is_empty()) else {
        text.push_str("There is no record of them: `benchmarks/instructions.sh record` makes one.\n\n");
        return;
    };
    let source = match &record.source {
        Some((commit, rustc)) => format!("this one at revision `{commit}`, with rustc {rustc}"),
        None => "at which revision this one was made is not known".into(),
    };
    let _ = writeln!(
        text,
        "Instructions of one operation, counted by callgrind; they hardly depend on what else the machine does. The \
         record is made by `benchmarks/instructions.sh record`; {source}. Defiant resets its arena, the others make a \
         new message and encode to a buffer that is used again; – is a gap.\n"
    );
    let (mut libraries, mut questions) = (Vec::new(), Vec::new());
    for row in &record.rows {
        if !libraries.contains(&&row.library) {
            libraries.push(&row.library);
        }
        if !questions.contains(&(&row.payload, &row.task)) {
            questions.push((&row.payload, &row.task));
        }
    }
    let head: Vec<String> = libraries.iter().map(|library| format!(" {library} |")).collect();
    let _ = writeln!(text, "| payload | operation |{} prost / defiant |", head.concat());
    let _ = writeln!(text, "|---|---|{}--:|", "--:|".repeat(libraries.len()));
    for (payload, task) in questions {
        let count = |library: &str| {
            let asked = |row: &&Counted| row.payload == *payload && row.task == *task && row.library == library;
            record.rows.iter().find(asked)?.instructions
        };
        let counts: Vec<String> = libraries
            .iter()
            .map(|library| count(library).map_or(" – |".into(), |count| format!(" {count} |")))
            .collect();
        let ratio = count(PROST).zip(count(DEFIANT)).map(|(prost, defiant)| prost as f64 / defiant as f64);
        let ratio = ratio.map_or("–".into(), |ratio| format!("{ratio:.2}"));
        let _ = writeln!(text, "| {payload} | {task} |{} {ratio} |", counts.concat());
    }
    text.push('\n');
}
