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

/// Whether clippy takes a literal for a constant of mathematics with some digits left out: `3.14`.
///
/// <https://rust-lang.github.io/rust-clippy/master/index.html#approx_constant>
pub(super) fn resembles_constant(value: f64, text: &str) -> bool {
    use std::f64::consts::*;
    const GOLDEN_RATIO: f64 = 1.618_033_988_749_895;
    const CONSTANTS: &[f64] = &[
        E,
        FRAC_1_PI,
        FRAC_1_SQRT_2,
        FRAC_2_PI,
        FRAC_2_SQRT_PI,
        FRAC_PI_2,
        FRAC_PI_3,
        FRAC_PI_4,
        FRAC_PI_6,
        FRAC_PI_8,
        GOLDEN_RATIO,
        LN_10,
        LN_2,
        LOG10_2,
        LOG10_E,
        LOG2_10,
        LOG2_E,
        PI,
        SQRT_2,
        TAU,
    ];
    let digits = text.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    digits >= 2 && CONSTANTS.iter().any(|constant| (constant - value.abs()).abs() < 0.1f64.powi(digits as i32))
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
        let resembles = |text: &&str| text.parse().is_ok_and(|value| resembles_constant(value, text));
        let constants = ["3.14", "-3.14159265358979", "0.693", "6.283", "1.618", "2.7182"];
        assert_eq!(constants.iter().filter(|text| !resembles(text)).count(), 0);
        let others = ["3.0", "3.1", "3.16", "0.5", "1e300", "1e-7", "NaN", "inf"];
        assert_eq!(others.iter().filter(|text| resembles(text)).count(), 0);
    }
}
