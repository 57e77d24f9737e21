//! Defaults as Rust expressions.

use std::fmt::Write as _;

/// A float that reads back as the same bits; NaNs are all one.
pub(super) fn float(text: String, type_: &str, value: f64) -> String {
    if value.is_nan() {
        format!("{type_}::NAN")
    } else if value.is_infinite() {
        format!("{type_}::{}INFINITY", if value < 0.0 { "NEG_" } else { "" })
    } else {
        text
    }
}

/// `b"..."`
pub(super) fn bytes(bytes: &[u8]) -> String {
    let mut out = String::from("b\"");
    for &byte in bytes {
        match byte {
            b'"' | b'\\' => {
                out.push('\\');
                out.push(char::from(byte));
            }
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            b' '..=b'~' => out.push(char::from(byte)),
            _ => {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\x{byte:02x}");
            }
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals() {
        assert_eq!(bytes(b"\0a\"\\\n\xff"), r#"b"\x00a\"\\\n\xff""#);
        assert_eq!(float("inf".to_owned(), "f32", f64::NEG_INFINITY), "f32::NEG_INFINITY");
        assert_eq!(float(format!("{:?}", 1e30f32), "f32", 1e30), "1e30");
    }
}
