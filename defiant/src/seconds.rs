//! What the texts of `Timestamp` and `Duration` are made of: digits, and the fraction of a second.

/// Nanoseconds in a second.
pub(crate) const NANOS: i32 = 1_000_000_000;

/// Reads text from its start; `None` stands for text that is not as it should be.
pub(crate) struct Scanner<'a> {
    rest: &'a [u8],
}

impl<'a> Scanner<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Scanner { rest: text.as_bytes() }
    }

    /// Takes `byte` if it is next.
    pub(crate) fn take(&mut self, byte: u8) -> Option<()> {
        self.rest = self.rest.strip_prefix(&[byte])?;
        Some(())
    }

    /// Takes one digit if there is one.
    pub(crate) fn digit(&mut self) -> Option<u8> {
        let (&first, rest) = self.rest.split_first()?;
        let digit = first.is_ascii_digit().then(|| first - b'0')?;
        self.rest = rest;
        Some(digit)
    }

    /// Takes exactly `count` digits.
    pub(crate) fn digits(&mut self, count: usize) -> Option<i64> {
        (0..count).try_fold(0, |number, _| Some(number * 10 + i64::from(self.digit()?)))
    }

    /// Takes a point and one to nine digits, as nanoseconds; 0 if there is no point.
    pub(crate) fn fraction(&mut self) -> Option<i32> {
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
    pub(crate) fn end(&self) -> Option<()> {
        self.rest.is_empty().then_some(())
    }
}

/// Writes nanoseconds as a point with three, six or nine digits, or nothing for 0; how many bytes those are. There is room
/// for ten.
pub(crate) fn fraction(nanos: u32, out: &mut [u8]) -> usize {
    let digits = match nanos {
        0 => return 0,
        _ if nanos % 1_000_000 == 0 => 3,
        _ if nanos % 1_000 == 0 => 6,
        _ => 9,
    };
    out[0] = b'.';
    let mut rest = nanos;
    for at in (1..=9).rev() {
        if at <= digits {
            out[at] = b'0' + (rest % 10) as u8;
        }
        rest /= 10;
    }
    1 + digits
}

/// Seconds and nanoseconds of the text of a duration; too many seconds read as the largest number there is.
pub(crate) fn parse_duration(text: &str) -> Option<(i64, i32)> {
    let mut scanner = Scanner::new(text);
    let sign = if scanner.take(b'-').is_some() { -1 } else { 1 };
    let mut seconds = i64::from(scanner.digit()?);
    while let Some(digit) = scanner.digit() {
        seconds = seconds.saturating_mul(10).saturating_add(i64::from(digit));
    }
    let nanos = scanner.fraction()?;
    scanner.take(b's')?;
    scanner.end()?;
    Some((seconds * sign, nanos * sign as i32))
}
