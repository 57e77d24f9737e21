//! The text of a `Timestamp`: RFC 3339, as ProtoJSON narrows it.

use crate::seconds::{self, Scanner};

/// Seconds from 0001-01-01T00:00:00Z to the Unix epoch.
const EPOCH: i64 = 62_135_596_800;
const SECONDS_PER_DAY: i64 = 86_400;

/// Days of a common year before each month.
const DAYS_BEFORE: [i64; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];

/// Seconds since the Unix epoch and nanoseconds of a text; `None` when it is not RFC 3339.
///
/// The year may be 0 or 9999 and the offset may lead out of the years 1 to 9999: the range is the caller's to check.
pub(crate) fn parse(text: &str) -> Option<(i64, i32)> {
    let mut scanner = Scanner::new(text);
    let year = scanner.digits(4)?;
    scanner.take(b'-')?;
    let month = within(scanner.digits(2)?, 1, 12)?;
    scanner.take(b'-')?;
    let day = within(scanner.digits(2)?, 1, days_in_month(year, month))?;
    scanner.take(b'T')?;
    let clock = clock(&mut scanner)? * 60;
    scanner.take(b':')?;
    let second = within(scanner.digits(2)?, 0, 59)?;
    let nanos = scanner.fraction()?;
    let offset = offset(&mut scanner)? * 60;
    scanner.end()?;
    Some((days_before(year, month, day) * SECONDS_PER_DAY + clock + second - offset - EPOCH, nanos))
}

/// Minutes of `HH:MM`.
fn clock(scanner: &mut Scanner<'_>) -> Option<i64> {
    let hour = within(scanner.digits(2)?, 0, 23)?;
    scanner.take(b':')?;
    let minute = within(scanner.digits(2)?, 0, 59)?;
    Some(hour * 60 + minute)
}

/// Minutes of `Z`, `+HH:MM` or `-HH:MM`.
fn offset(scanner: &mut Scanner<'_>) -> Option<i64> {
    if scanner.take(b'Z').is_some() {
        return Some(0);
    }
    if scanner.take(b'+').is_some() {
        return clock(scanner);
    }
    scanner.take(b'-')?;
    clock(scanner).map(|minutes| -minutes)
}

fn within(number: i64, first: i64, last: i64) -> Option<i64> {
    (first..=last).contains(&number).then_some(number)
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days of a year before a month.
fn days_before_month(year: i64, month: i64) -> i64 {
    let leap = i64::from(month > 2 && is_leap(year));
    DAYS_BEFORE.get((month - 1) as usize).map_or(0, |days| days + leap)
}

/// Days from 0001-01-01 to a date; negative in the year 0.
fn days_before(year: i64, month: i64, day: i64) -> i64 {
    let years = year - 1;
    let leaps = years.div_euclid(4) - years.div_euclid(100) + years.div_euclid(400);
    years * 365 + leaps + days_before_month(year, month) + day - 1
}

/// The year, month and day that lie `days` behind 0001-01-01, for `days` from 0.
fn date(days: i64) -> (i64, i64, i64) {
    // The last day of a leap year and of 400 years would begin a fifth year and a fifth century.
    let (cycles, days) = (days / 146_097, days % 146_097);
    let centuries = (days / 36_524).min(3);
    let days = days - centuries * 36_524;
    let (leaps, days) = (days / 1_461, days % 1_461);
    let years = (days / 365).min(3);
    let day_of_year = days - years * 365;
    let year = cycles * 400 + centuries * 100 + leaps * 4 + years + 1;
    let month = (2..=12).rev().find(|&month| days_before_month(year, month) <= day_of_year).unwrap_or(1);
    (year, month, day_of_year - days_before_month(year, month) + 1)
}

/// Room for the text of a time.
pub(crate) const LEN: usize = 30;

/// The text of a time in the years 1 to 9999.
pub(crate) fn text(seconds: i64, nanos: u32, buffer: &mut [u8; LEN]) -> &str {
    let seconds = seconds + EPOCH;
    let (year, month, day) = date(seconds / SECONDS_PER_DAY);
    let second = seconds % SECONDS_PER_DAY;
    *buffer = *b"0000-00-00T00:00:00.000000000Z";
    let parts = [year / 100, year % 100, month, day, second / 3_600, second / 60 % 60, second % 60];
    for (at, number) in [0, 2, 5, 8, 11, 14, 17].into_iter().zip(parts) {
        buffer[at] = b'0' + (number / 10) as u8;
        buffer[at + 1] = b'0' + (number % 10) as u8;
    }
    let len = 19 + seconds::fraction(nanos, &mut buffer[19..]);
    buffer[len] = b'Z';
    // ASCII, so that this is never the default.
    core::str::from_utf8(&buffer[..=len]).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_day_of_ten_thousand_years() {
        let mut expected = (1, 1, 1);
        let days = if cfg!(miri) { 1_500 } else { days_before(10_000, 1, 1) };
        for number in 0..days {
            let (year, month, day) = expected;
            assert_eq!(date(number), expected);
            assert_eq!(days_before(year, month, day), number);
            expected = if day < days_in_month(year, month) {
                (year, month, day + 1)
            } else if month < 12 {
                (year, month + 1, 1)
            } else {
                (year + 1, 1, 1)
            };
        }
        assert!(cfg!(miri) || expected == (10_000, 1, 1));
    }

    #[test]
    fn the_epoch() {
        assert_eq!(days_before(1970, 1, 1) * SECONDS_PER_DAY, EPOCH);
        // A leap year of 366 days comes before the first.
        assert_eq!(days_before(0, 1, 1), -366);
        assert_eq!(days_before(0, 12, 31), -1);
    }
}
