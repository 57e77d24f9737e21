//! What it takes to generate code for real schemas and to compile it: the record that `schemas/run record` makes.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::charts;
use crate::record::cells;

/// What came out for one set of schemas and one library.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// The name of the set.
    pub set: String,
    /// By whom.
    pub library: String,
    /// Of which revision.
    pub commit: String,
    /// By which compiler.
    pub rustc: String,
    /// The numbers by the names of their columns; none for a cell that is empty.
    numbers: Vec<(String, f64)>,
}

impl Measured {
    /// The number in a column: `messages`, `generate_s`, `dev_cpu_s`, ...
    pub fn number(&self, column: &str) -> Option<f64> {
        self.numbers.iter().find(|(name, _)| name == column).map(|(_, number)| *number)
    }

    /// Whether the library made code for the set, which compiles as far as it was compiled.
    pub fn generated(&self) -> bool {
        self.number("messages").is_some()
    }

    /// Whether the code was compiled.
    pub fn compiled(&self) -> bool {
        self.number("dev_cpu_s").is_some()
    }
}

/// The record.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Schemas {
    /// What came out, in the order of the record.
    pub rows: Vec<Measured>,
}

impl Schemas {
    /// Reads the record from CSV, whose first line names the columns.
    ///
    /// # Errors
    ///
    /// Names the line that is not one of such a record, counted from 1.
    pub fn from_csv(text: &str) -> Result<Schemas, String> {
        let mut lines = text.lines().zip(1..);
        let columns = lines.next().map(|(line, _)| cells(line)).unwrap_or_default();
        let mut rows = Vec::new();
        for (line, at) in lines {
            let cells = cells(line);
            if cells.len() != columns.len() {
                return Err(format!("line {at}: {} cells where there are {} columns", cells.len(), columns.len()));
            }
            let mut row = Measured {
                set: String::new(),
                library: String::new(),
                commit: String::new(),
                rustc: String::new(),
                numbers: Vec::new(),
            };
            for (column, cell) in columns.iter().zip(cells) {
                match column.as_str() {
                    "set" => row.set = cell,
                    "library" => row.library = cell,
                    "commit" => row.commit = cell,
                    "rustc" => row.rustc = cell,
                    _ if cell.is_empty() => {}
                    _ => match cell.parse() {
                        Ok(number) => row.numbers.push((column.clone(), number)),
                        Err(_) => return Err(format!("line {at}: {column} is not a number: {cell}")),
                    },
                }
            }
            if row.set.is_empty() || row.library.is_empty() {
                return Err(format!("line {at}: no set, or no library"));
            }
            rows.push(row);
        }
        Ok(Schemas { rows })
    }

    /// Reads the record in a file; `None` when there is no such file.
    ///
    /// # Errors
    ///
    /// Names the file and what is wrong with it.
    pub fn read(file: &Path) -> Result<Option<Schemas>, String> {
        if !file.exists() {
            return Ok(None);
        }
        let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
        Schemas::from_csv(&text).map(Some).map_err(|error| format!("{}: {error}", file.display()))
    }

    /// The sets, in the order of the record.
    pub fn sets(&self) -> Vec<&str> {
        distinct(self.rows.iter().map(|row| row.set.as_str()))
    }

    /// The libraries, in the order of the record.
    pub fn libraries(&self) -> Vec<&str> {
        distinct(self.rows.iter().map(|row| row.library.as_str()))
    }

    /// What came out for a set.
    pub fn of<'a>(&'a self, set: &'a str) -> impl Iterator<Item = &'a Measured> {
        self.rows.iter().filter(move |row| row.set == set)
    }
}

fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut distinct = Vec::new();
    for name in names {
        if !distinct.contains(&name) {
            distinct.push(name);
        }
    }
    distinct
}

/// The section of the report in Markdown.
pub(crate) fn section(text: &mut String, schemas: Option<&Schemas>) {
    text.push_str("## Build time and code size\n\n");
    let Some(schemas) = schemas.filter(|schemas| !schemas.rows.is_empty()) else {
        text.push_str("There is no record of it: `benchmarks/schemas/run record` makes one.\n\n");
        return;
    };
    let commits = distinct(schemas.rows.iter().map(|row| row.commit.as_str()));
    let compilers = distinct(schemas.rows.iter().map(|row| row.rustc.as_str()));
    let _ = writeln!(
        text,
        "What it takes to generate code for published schemas and to compile it, from nothing. The record is made by \
         `benchmarks/schemas/run record`; this one at revision `{}`, with rustc {}. CPU seconds are those of the one \
         rustc that compiles the generated code. Machine code is what lies in the release rlib. What is generic \
         becomes machine code in the crate that uses it, and that crate takes the time for it: {}.\n",
        commits.join("`, `"),
        compilers.join(", "),
        match schemas.sets().iter().find(|set| set.ends_with("_used")) {
            Some(set) => format!("only `{set}`, which decodes and encodes each of its messages once, has this cost"),
            None => "no set of this record uses its messages, so this cost is not in it".into(),
        }
    );
    if let Some(chart) = charts::build_time(schemas) {
        let _ = writeln!(text, "{}\n\n{}\n", chart.image(), chart.note);
    }
    text.push_str(
        "| set | by | messages | generated in | dev, CPU | dev, memory | release, CPU | release, memory | rlib | machine \
         code a message |\n|---|---|--:|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    for row in &schemas.rows {
        let cell = |column: &str, scale: f64, digits: usize, unit: &str| {
            // No compiler, no memory that one took.
            let known = row.number(column).filter(|_| row.compiled() || !column.ends_with("_mib"));
            known.map_or("–".into(), |number| format!("{:.digits$}{unit}", number * scale))
        };
        let code = row.number("text_bytes").zip(row.number("messages").filter(|messages| *messages > 0.0));
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            row.set,
            row.library,
            cell("messages", 1.0, 0, ""),
            cell("generate_s", 1.0, 2, " s"),
            cell("dev_cpu_s", 1.0, 2, " s"),
            cell("dev_peak_mib", 1.0, 0, " MiB"),
            cell("release_cpu_s", 1.0, 2, " s"),
            cell("release_peak_mib", 1.0, 0, " MiB"),
            cell("rlib_bytes", 1e-6, 1, " MB"),
            code.map_or("–".into(), |(bytes, messages)| format!("{:.0} B", bytes / messages)),
        );
    }
    text.push('\n');
    for row in schemas.rows.iter().filter(|row| !row.compiled()) {
        let what = match row.generated() {
            true => "the code was generated only, not compiled",
            false => "it generates nothing from these schemas, or nothing that compiles",
        };
        let _ = writeln!(text, "- {} on {}: {what}.", row.library, row.set);
    }
    if schemas.rows.iter().any(|row| !row.compiled()) {
        text.push('\n');
    }
}
