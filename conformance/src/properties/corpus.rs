//! Files of fuzz inputs: one line per input, in `fuzz/corpora` and `fuzz/finds`.
//!
//! Printable ASCII stands for itself, except the backslash. Every other byte is escaped as `\\`, `\n`, `\r`, `\t` or `\xNN`.
//! Inputs that are JSON, text or source stay legible, and a diff shows which inputs came and went. An empty line is the empty
//! input.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

/// Writes inputs as the lines of a file: sorted, each once.
#[must_use]
pub fn format(inputs: &[Vec<u8>]) -> String {
    let mut lines: Vec<_> = inputs.iter().map(|input| escape(input)).collect();
    lines.sort();
    lines.dedup();
    lines.iter().flat_map(|line| [line, "\n"]).collect()
}

fn escape(input: &[u8]) -> String {
    let mut line = String::new();
    for byte in input {
        match byte {
            b'\\' => line.push_str("\\\\"),
            b'\n' => line.push_str("\\n"),
            b'\r' => line.push_str("\\r"),
            b'\t' => line.push_str("\\t"),
            b' '..=b'~' => line.push(char::from(*byte)),
            _ => {
                let _ = write!(line, "\\x{byte:02x}");
            }
        }
    }
    line
}

/// Reads the inputs of a file, in the order of its lines.
///
/// # Errors
///
/// The number of a line with an unescaped byte or an unknown escape.
pub fn parse(text: &str) -> Result<Vec<Vec<u8>>, String> {
    let lines = text.split_terminator('\n').enumerate();
    lines.map(|(at, line)| unescape(line).ok_or_else(|| format!("line {}: not an input", at + 1))).collect()
}

fn unescape(line: &str) -> Option<Vec<u8>> {
    let mut input = Vec::new();
    let mut rest = line.as_bytes();
    while let [byte, after @ ..] = rest {
        rest = after;
        input.push(match byte {
            b'\\' => {
                let [escape, after @ ..] = rest else { return None };
                rest = after;
                match escape {
                    b'\\' => b'\\',
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    b'x' => {
                        let (digits, after) = rest.split_at_checked(2)?;
                        rest = after;
                        let [high, low] = [digits[0], digits[1]].map(|digit| char::from(digit).to_digit(16));
                        (high? << 4 | low?) as u8
                    }
                    _ => return None,
                }
            }
            b' '..=b'~' => *byte,
            _ => return None,
        });
    }
    Some(input)
}

/// Reads the inputs of the file at `path`.
///
/// # Errors
///
/// As [`fs::read_to_string`] and [`parse`].
pub fn read(path: &Path) -> io::Result<Vec<Vec<u8>>> {
    parse(&fs::read_to_string(path)?).map_err(|error| io::Error::other(format!("{}: {error}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_input_is_one_line_and_read_back() {
        let mut inputs: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
        inputs.extend([vec![], b"a b".to_vec(), b"\\x41".to_vec(), (0..=255).collect()]);
        let text = format(&inputs);
        assert_eq!(text.lines().count(), inputs.len());
        let mut read = parse(&text).expect("all lines are inputs");
        read.sort();
        inputs.sort();
        assert_eq!(read, inputs);
        assert_eq!(parse(""), Ok(vec![]));
        assert_eq!(format(&[vec![1], vec![1]]), "\\x01\n");
    }

    #[test]
    fn parse_names_the_line_of_an_unknown_escape() {
        for line in ["\\", "\\q", "\\x", "\\x1", "\\xg0", "\\x+1", "\t", "ü"] {
            assert_eq!(parse(&format!("good\n{line}\n")), Err("line 2: not an input".to_owned()), "{line}");
        }
    }
}
