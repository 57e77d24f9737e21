//! Reads what the protobuf compiler writes to stderr.

use std::path::{Path, PathBuf};

use crate::error::Diagnostic;

/// Errors and warnings of one run.
#[derive(Debug, Default)]
pub(super) struct Report {
    pub(super) errors: Vec<Diagnostic>,
    pub(super) warnings: Vec<String>,
}

/// Takes stderr apart: `file:line:column: message`, `file: message`, or just a message, one a line.
pub(super) fn parse(stderr: &str, includes: &[&Path]) -> Report {
    let mut report = Report::default();
    for line in stderr.lines().map(str::trim_end).filter(|line| !line.is_empty()) {
        let mut diagnostic = parse_line(line);
        if let Some(found) =
            diagnostic.file.as_deref().and_then(Path::to_str).and_then(|file| super::on_disk(file, includes))
        {
            diagnostic.file = Some(found);
        }
        match diagnostic.message.strip_prefix("warning: ") {
            Some(message) => {
                diagnostic.message = message.to_owned();
                report.warnings.push(diagnostic.to_string());
            }
            None => report.errors.push(diagnostic),
        }
    }
    report
}

fn parse_line(line: &str) -> Diagnostic {
    placed(line).or_else(|| of_file(line)).unwrap_or_else(|| Diagnostic::general(line))
}

/// `file:line:column: message`
fn placed(line: &str) -> Option<Diagnostic> {
    for (at, _) in line.match_indices(": ") {
        let (place, message) = (&line[..at], &line[at + 2..]);
        let Some((rest, column)) = place.rsplit_once(':') else { continue };
        let Some((file, row)) = rest.rsplit_once(':') else { continue };
        if let (Ok(row), Ok(column), false) = (row.parse(), column.parse(), file.is_empty()) {
            return Some(Diagnostic {
                file: Some(PathBuf::from(file)),
                line: Some(row),
                column: Some(column),
                message: message.to_owned(),
            });
        }
    }
    None
}

/// `file: message`
fn of_file(line: &str) -> Option<Diagnostic> {
    let (file, message) = line.split_once(": ")?;
    if !file.ends_with(".proto") {
        return None;
    }
    Some(Diagnostic {
        file: Some(PathBuf::from(file)),
        line: None,
        column: None,
        message: message.trim_start().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_line() {
        let report = parse(
            "a.proto:3:14: Expected \";\": really.\n\
             C:\\x\\b.proto:1:2: no\n\
             c.proto: File not found.\n\
             a.proto:4:1: warning: Import d.proto is unused.\n\
             Could not make proto path relative: e.proto: No such file or directory\n",
            &[],
        );
        let lines: Vec<String> = report.errors.iter().map(ToString::to_string).collect();
        assert_eq!(
            lines,
            [
                "a.proto:3:14: Expected \";\": really.",
                "C:\\x\\b.proto:1:2: no",
                "c.proto: File not found.",
                "Could not make proto path relative: e.proto: No such file or directory",
            ]
        );
        assert_eq!((report.errors[0].line(), report.errors[0].column()), (Some(3), Some(14)));
        assert_eq!(report.errors[2].file(), Some(Path::new("c.proto")));
        assert_eq!(report.errors[3].file(), None);
        assert_eq!(report.warnings, ["a.proto:4:1: Import d.proto is unused."]);
    }
}
