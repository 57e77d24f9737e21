//! What the texts of `Timestamp` and `Duration` are made of: digits, and the fraction of a second.

use core::fmt;

/// Nanoseconds in a second.
pub(super) const NANOS: i32 = 1_000_000_000;

/// Reads text from its start; `None` stands for text that is not as it should be.
pub(super) struct Scanner<'a> {
    rest: &'a [u8],
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Scanner { rest: text.as_bytes() }
    }

    /// Takes `byte` if it is next.
    pub(super) fn take(&mut self, byte: u8) -> Option<()> {
        self.rest = self.rest.strip_prefix(&[byte])?;
        Some(())
    }

    /// Takes one digit if there is one.
    pub(super) fn digit(&mut self) -> Option<u8> {
        let (&first, rest) = self.rest.split_first()?;
        let digit = first.is_ascii_digit().then(|| first - b'0')?;
        self.rest = rest;
        Some(digit)
    }

    /// Takes exactly `count` digits.
    pub(super) fn digits(&mut self, count: usize) -> Option<i64> {
        (0..count).try_fold(0, |number, _| Some(number * 10 + i64::from(self.digit()?)))
    }

    /// Takes a point and one to nine digits, as nanoseconds; 0 if there is no point.
    pub(super) fn fraction(&mut self) -> Option<i32> {
        if self.take(b'.').is_none() {
            return Some(0);
        }
        let mut nanos = i32::from(self.digit()?) * (NANOS / 10);
        let mut place = NANOS / 100;
        while let Some(digit) = self.digit() {
            if place == 0 {
                return None;
            }
            nanos += i32::from(digit) * place;
            place /= 10;
        }
        Some(nanos)
    }

    /// Whether nothing is left.
    pub(super) fn end(&self) -> Option<()> {
        self.rest.is_empty().then_some(())
    }
}

/// Writes nanoseconds as a point with three, six or nine digits, or nothing for 0.
pub(super) fn write_fraction(nanos: u32, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match nanos {
        0 => Ok(()),
        _ if nanos % 1_000_000 == 0 => write!(f, ".{:03}", nanos / 1_000_000),
        _ if nanos % 1_000 == 0 => write!(f, ".{:06}", nanos / 1_000),
        _ => write!(f, ".{nanos:09}"),
    }
}
