//! Floating-point numbers: the fewest digits that read back as the same number, with an exponent where C's `%g` has one.

use core::fmt::{self, Write};

/// Writes a `double`.
pub(super) fn write_f64(out: &mut dyn Write, value: f64) -> fmt::Result {
    if !value.is_finite() {
        return special(out, value.is_nan(), value.is_sign_negative());
    }
    let mut digits = Digits::default();
    write!(digits, "{value:e}")?;
    if digits.is_scientific(15, 17) { digits.write(out) } else { write!(out, "{value}") }
}

/// Writes a `float`.
pub(super) fn write_f32(out: &mut dyn Write, value: f32) -> fmt::Result {
    if !value.is_finite() {
        return special(out, value.is_nan(), value.is_sign_negative());
    }
    let mut digits = Digits::default();
    write!(digits, "{value:e}")?;
    if digits.is_scientific(6, 9) { digits.write(out) } else { write!(out, "{value}") }
}

fn special(out: &mut dyn Write, is_nan: bool, is_negative: bool) -> fmt::Result {
    match (is_nan, is_negative) {
        (true, _) => out.write_str("nan"),
        (false, true) => out.write_str("-inf"),
        (false, false) => out.write_str("inf"),
    }
}

/// A number as Rust writes it with an exponent, `-1.25e-7`: at most 24 bytes.
#[derive(Default)]
struct Digits {
    bytes: [u8; 32],
    len: usize,
}

impl Write for Digits {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let place = self.bytes.get_mut(self.len..self.len + text.len()).ok_or(fmt::Error)?;
        place.copy_from_slice(text.as_bytes());
        self.len += text.len();
        Ok(())
    }
}

impl Digits {
    /// The digits with their sign and point, and the exponent.
    fn parts(&self) -> (&str, i32) {
        let text = self.bytes.get(..self.len).and_then(|bytes| core::str::from_utf8(bytes).ok()).unwrap_or("0e0");
        let (digits, exponent) = text.split_once('e').unwrap_or((text, "0"));
        (digits, exponent.parse().unwrap_or(0))
    }

    /// Whether `%g` has an exponent: with the precision `few` if so many digits are enough, else with `many`.
    fn is_scientific(&self, few: i32, many: i32) -> bool {
        let (digits, exponent) = self.parts();
        let count = digits.bytes().filter(u8::is_ascii_digit).count();
        let precision = if usize::try_from(few).is_ok_and(|few| count <= few) { few } else { many };
        exponent < -4 || exponent >= precision
    }

    /// Writes it as C does: `1.25e-07`.
    fn write(&self, out: &mut dyn Write) -> fmt::Result {
        let (digits, exponent) = self.parts();
        let sign = if exponent < 0 { '-' } else { '+' };
        write!(out, "{digits}e{sign}{:02}", exponent.unsigned_abs())
    }
}
