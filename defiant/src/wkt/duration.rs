//! `Duration`: checks, arithmetic, text, and the duration of the core library.

use core::cmp::Ordering;
use core::fmt;
use core::str::FromStr;

use crate::unknown::UnknownFields;

use super::Duration;
use crate::seconds::{self, NANOS};

impl<'arena> Duration<'arena> {
    /// The shortest valid one, about 10,000 years backward: -315,576,000,000.999999999 s.
    pub const MIN: Self = Self::new(-315_576_000_000, 1 - NANOS);
    /// The longest valid one, about 10,000 years: 315,576,000,000.999999999 s.
    pub const MAX: Self = Self::new(315_576_000_000, NANOS - 1);

    /// Seconds and nanoseconds, which have the same sign. Nothing is checked: [`is_valid`](Self::is_valid) does, and
    /// [`normalized`](Self::normalized) carries.
    ///
    /// ```
    /// use defiant::wkt::Duration;
    ///
    /// assert_eq!(Duration::new(-1, -500_000_000).to_string(), "-1.500s");
    /// ```
    #[must_use]
    pub const fn new(seconds: i64, nanos: i32) -> Self {
        Duration { seconds, nanos, unknown_fields: UnknownFields::EMPTY }
    }

    /// Whether its seconds are from -315,576,000,000 to 315,576,000,000, its nanoseconds from -999,999,999 to
    /// 999,999,999, and not one negative and the other positive.
    ///
    /// Only such a duration has a text and can be converted. A decoder does not ask.
    /// Source: <https://protobuf.dev/reference/protobuf/google.protobuf/#duration>.
    ///
    /// ```
    /// use defiant::wkt::Duration;
    ///
    /// assert!(Duration::new(0, -1).is_valid());
    /// assert!(!Duration::new(1, -1).is_valid());
    /// assert!(!Duration::new(315_576_000_001, 0).is_valid());
    /// ```
    #[must_use]
    pub const fn is_valid(&self) -> bool {
        self.has_valid_nanos() && Self::MIN.seconds <= self.seconds && self.seconds <= Self::MAX.seconds
    }

    const fn has_valid_nanos(&self) -> bool {
        let (first, last) =
            (if self.seconds > 0 { 0 } else { Self::MIN.nanos }, if self.seconds < 0 { 0 } else { Self::MAX.nanos });
        first <= self.nanos && self.nanos <= last
    }

    /// Whether it goes backward.
    ///
    /// ```
    /// use defiant::wkt::Duration;
    ///
    /// assert!(Duration::new(0, -1).is_negative());
    /// assert!(!Duration::new(0, 0).is_negative());
    /// ```
    #[must_use]
    pub fn is_negative(&self) -> bool {
        self.total_nanos() < 0
    }

    /// The same duration with at most 999,999,999 nanoseconds, of the same sign as the seconds. Unknown fields are kept.
    ///
    /// # Errors
    /// [`DurationError::is_out_of_range`] when the seconds are outside of ±315,576,000,000 then.
    ///
    /// ```
    /// use defiant::wkt::Duration;
    ///
    /// assert_eq!(Duration::new(1, -1).normalized()?, Duration::new(0, 999_999_999));
    /// # Ok::<(), defiant::wkt::DurationError>(())
    /// ```
    pub fn normalized(self) -> Result<Self, DurationError> {
        let duration = Self::from_total_nanos(self.total_nanos())?;
        Ok(Duration { unknown_fields: self.unknown_fields, ..duration })
    }

    /// Its length in nanoseconds, the seconds included.
    ///
    /// ```
    /// assert_eq!(defiant::wkt::Duration::new(2, 1).total_nanos(), 2_000_000_001);
    /// ```
    #[must_use]
    pub fn total_nanos(&self) -> i128 {
        i128::from(self.seconds) * i128::from(NANOS) + i128::from(self.nanos)
    }

    /// The duration of so many nanoseconds.
    ///
    /// # Errors
    /// [`DurationError::is_out_of_range`] when the seconds are outside of ±315,576,000,000.
    ///
    /// ```
    /// use defiant::wkt::Duration;
    ///
    /// assert_eq!(Duration::from_total_nanos(-1_500_000_000)?, Duration::new(-1, -500_000_000));
    /// # Ok::<(), defiant::wkt::DurationError>(())
    /// ```
    pub fn from_total_nanos(nanos: i128) -> Result<Self, DurationError> {
        let seconds = i64::try_from(nanos / i128::from(NANOS)).map_err(|_| DurationError::new(Kind::Range))?;
        Self::new(seconds, (nanos % i128::from(NANOS)) as i32).checked()
    }

    /// The sum; `None` when one of the two is not valid, or the result would not be.
    ///
    /// ```
    /// use defiant::wkt::Duration;
    ///
    /// let sum = Duration::new(1, 600_000_000).checked_add(Duration::new(0, 500_000_000));
    /// assert_eq!(sum, Some(Duration::new(2, 100_000_000)));
    /// ```
    #[must_use]
    pub fn checked_add(self, other: Duration<'_>) -> Option<Duration<'static>> {
        Duration::from_total_nanos(self.checked().ok()?.total_nanos() + other.checked().ok()?.total_nanos()).ok()
    }

    /// The difference; `None` when one of the two is not valid, or the result would not be.
    ///
    /// ```
    /// use defiant::wkt::Duration;
    ///
    /// let difference = Duration::new(1, 0).checked_sub(Duration::new(1, 500_000_000));
    /// assert_eq!(difference, Some(Duration::new(0, -500_000_000)));
    /// ```
    #[must_use]
    pub fn checked_sub(self, other: Duration<'_>) -> Option<Duration<'static>> {
        Duration::from_total_nanos(self.checked().ok()?.total_nanos() - other.checked().ok()?.total_nanos()).ok()
    }

    /// Which of two is smaller, valid or not. Unknown fields do not count, as they do for `==`, which is why there is no
    /// `Ord`.
    ///
    /// ```
    /// use core::cmp::Ordering;
    /// use defiant::wkt::Duration;
    ///
    /// assert_eq!(Duration::new(-1, -5).compare(&Duration::new(-1, -4)), Ordering::Less);
    /// ```
    #[must_use]
    pub fn compare(&self, other: &Duration<'_>) -> Ordering {
        self.total_nanos().cmp(&other.total_nanos())
    }

    /// Itself, if it is valid.
    pub(super) fn checked(self) -> Result<Self, DurationError> {
        if self.is_valid() {
            Ok(self)
        } else if self.has_valid_nanos() {
            Err(DurationError::new(Kind::Range))
        } else {
            Err(DurationError::new(Kind::Nanos))
        }
    }
}

/// Seconds with as few of 0, 3, 6 or 9 fractional digits as hold the value, and an `s`: the text of ProtoJSON. A duration
/// that is not [valid](Duration::is_valid) has none; then its fields are written in words that do not parse.
///
/// Source: <https://protobuf.dev/programming-guides/json/>.
///
/// ```
/// use defiant::wkt::Duration;
///
/// assert_eq!(Duration::new(1, 340_012).to_string(), "1.000340012s");
/// assert_eq!(Duration::new(0, -500_000_000).to_string(), "-0.500s");
/// assert_eq!(Duration::new(1, -1).to_string(), "invalid duration (seconds: 1, nanos: -1)");
/// ```
impl fmt::Display for Duration<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.is_valid() {
            return write!(f, "invalid duration (seconds: {}, nanos: {})", self.seconds, self.nanos);
        }
        let sign = if self.is_negative() { "-" } else { "" };
        write!(f, "{sign}{}", self.seconds.unsigned_abs())?;
        let mut buffer = [b's'; 11];
        let len = seconds::fraction(self.nanos.unsigned_abs(), &mut buffer);
        // ASCII, so that this is never the default.
        f.write_str(core::str::from_utf8(&buffer[..=len]).unwrap_or_default())
    }
}

/// Reads digits, up to nine fractional digits behind a point if there is one, and an `s`, with a `-` in front if
/// negative.
///
/// Source: <https://protobuf.dev/programming-guides/json/>.
///
/// ```
/// use defiant::wkt::Duration;
///
/// assert_eq!("-1.5s".parse::<Duration<'_>>()?, Duration::new(-1, -500_000_000));
/// assert!("1".parse::<Duration<'_>>().is_err_and(|error| error.is_syntax()));
/// # Ok::<(), defiant::wkt::DurationError>(())
/// ```
impl FromStr for Duration<'_> {
    type Err = DurationError;

    fn from_str(text: &str) -> Result<Self, DurationError> {
        let (seconds, nanos) = seconds::parse_duration(text).ok_or(DurationError::new(Kind::Syntax))?;
        Self::new(seconds, nanos).checked()
    }
}

/// [`DurationError::is_out_of_range`] when it is longer than [`Duration::MAX`].
///
/// ```
/// use defiant::wkt::Duration;
///
/// let timeout = core::time::Duration::from_millis(1_500);
/// assert_eq!(Duration::try_from(timeout)?, Duration::new(1, 500_000_000));
/// assert_eq!(core::time::Duration::try_from(Duration::new(1, 500_000_000))?, timeout);
/// assert!(Duration::try_from(core::time::Duration::MAX).is_err());
/// # Ok::<(), defiant::wkt::DurationError>(())
/// ```
impl TryFrom<core::time::Duration> for Duration<'_> {
    type Error = DurationError;

    fn try_from(duration: core::time::Duration) -> Result<Self, DurationError> {
        let seconds = i64::try_from(duration.as_secs()).map_err(|_| DurationError::new(Kind::Range))?;
        // Fewer than 1,000,000,000.
        Self::new(seconds, duration.subsec_nanos() as i32).checked()
    }
}

/// An error when the duration is not valid, or negative ([`DurationError::is_out_of_range`]).
impl TryFrom<Duration<'_>> for core::time::Duration {
    type Error = DurationError;

    fn try_from(duration: Duration<'_>) -> Result<Self, DurationError> {
        let duration = duration.checked()?;
        if duration.is_negative() {
            return Err(DurationError::new(Kind::Negative));
        }
        Ok(core::time::Duration::new(duration.seconds.unsigned_abs(), duration.nanos.unsigned_abs()))
    }
}

/// Why there is no such [`Duration`], or no such duration elsewhere.
///
/// ```
/// use defiant::wkt::Duration;
///
/// let error = "315576000001s".parse::<Duration<'_>>().unwrap_err();
/// assert!(error.is_out_of_range());
/// assert_eq!(error.to_string(), "a duration is at most 315576000000 seconds and a fraction");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DurationError {
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Syntax,
    Range,
    Nanos,
    Negative,
}

impl DurationError {
    #[cold]
    const fn new(kind: Kind) -> Self {
        DurationError { kind }
    }

    /// The text is not that of a duration.
    #[must_use]
    pub const fn is_syntax(&self) -> bool {
        matches!(self.kind, Kind::Syntax)
    }

    /// The seconds are outside of ±315,576,000,000, or the duration is negative and the other type has no such ones.
    #[must_use]
    pub const fn is_out_of_range(&self) -> bool {
        matches!(self.kind, Kind::Range | Kind::Negative)
    }
}

impl fmt::Display for DurationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            Kind::Syntax => "not a number of seconds such as 1.000340012s",
            Kind::Range => "a duration is at most 315576000000 seconds and a fraction",
            Kind::Nanos => "the nanoseconds of a duration are fewer than a second and of the sign of the seconds",
            Kind::Negative => "the other type has no negative durations",
        })
    }
}

impl core::error::Error for DurationError {}

#[cfg(test)]
mod tests {
    use std::string::ToString;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn texts() {
        for (text, seconds, nanos) in [
            ("0s", 0, 0),
            ("1s", 1, 0),
            ("-1s", -1, 0),
            ("1.500s", 1, 500_000_000),
            ("-1.500s", -1, -500_000_000),
            ("-0.500s", 0, -500_000_000),
            ("1.010s", 1, 10_000_000),
            ("1.000010s", 1, 10_000),
            ("1.000000010s", 1, 10),
            ("315576000000.999999999s", 315_576_000_000, 999_999_999),
            ("-315576000000.999999999s", -315_576_000_000, -999_999_999),
        ] {
            assert_eq!(Duration::new(seconds, nanos).to_string(), text);
            assert_eq!(text.parse(), Ok(Duration::new(seconds, nanos)), "{text}");
        }
        for (text, seconds, nanos) in [
            ("-0s", 0, 0),
            ("-0.0s", 0, 0),
            ("1.5s", 1, 500_000_000),
            ("1.000000000s", 1, 0),
            ("007.10s", 7, 100_000_000),
            ("0000000000000000000000001s", 1, 0),
        ] {
            assert_eq!(text.parse(), Ok(Duration::new(seconds, nanos)), "{text}");
        }
    }

    #[test]
    fn texts_of_no_duration() {
        for text in [
            "",
            "s",
            "-s",
            "1",
            "1S",
            "1 s",
            " 1s",
            "1s ",
            "1ss",
            "+1s",
            "--1s",
            ".5s",
            "1.s",
            "1.-5s",
            "1,5s",
            "1e3s",
            "1.0000000000s",
            "1.5",
            "infs",
            "NaNs",
            "1m",
            "１s",
        ] {
            assert!(text.parse::<Duration<'_>>().is_err_and(|error| error.is_syntax()), "{text}");
        }
        for text in
            ["315576000001s", "-315576000001.000000000s", "99999999999999999999999999s", "-9223372036854775808s"]
        {
            assert!(text.parse::<Duration<'_>>().is_err_and(|error| error.is_out_of_range()), "{text}");
        }
    }

    #[test]
    fn bounds() {
        for (seconds, nanos, valid) in [
            (0, 0, true),
            (0, 999_999_999, true),
            (0, -999_999_999, true),
            (0, 1_000_000_000, false),
            (0, -1_000_000_000, false),
            (1, 1, true),
            (1, -1, false),
            (-1, 1, false),
            (-1, -1, true),
            (315_576_000_000, 999_999_999, true),
            (-315_576_000_000, -999_999_999, true),
            (315_576_000_001, 0, false),
            (-315_576_000_001, 0, false),
            (i64::MIN, i32::MIN, false),
            (i64::MAX, i32::MAX, false),
        ] {
            let duration = Duration::new(seconds, nanos);
            assert_eq!(duration.is_valid(), valid, "{duration:?}");
            assert_eq!(duration.checked().is_ok(), valid);
            assert_eq!(duration.to_string().starts_with("invalid"), !valid);
            assert_eq!(duration.checked_sub(Duration::default()).is_some(), valid);
        }
        assert_eq!(Duration::MAX.checked_add(Duration::new(0, 1)), None);
        assert_eq!(Duration::MIN.checked_sub(Duration::new(0, 1)), None);
        assert!(core::time::Duration::try_from(Duration::new(0, -1)).is_err_and(|error| error.is_out_of_range()));
        assert!(core::time::Duration::try_from(Duration::new(1, -1)).is_err_and(|error| !error.is_out_of_range()));
    }

    fn valid() -> impl Strategy<Value = Duration<'static>> {
        (Duration::MIN.total_nanos()..=Duration::MAX.total_nanos(), 0..4usize).prop_map(|(nanos, digits)| {
            let unit = [1_000_000_000, 1_000_000, 1_000, 1][digits];
            Duration::from_total_nanos(nanos / unit * unit).unwrap_or_default()
        })
    }

    proptest! {
        #[test]
        fn text_round_trips(duration in valid()) {
            prop_assert_eq!(duration.to_string().parse(), Ok(duration));
        }

        #[test]
        fn never_panics(text in "[-+]?[0-9]{0,30}(\\.[0-9]{0,11})?[sS]?[ -~é]{0,2}") {
            if let Ok(duration) = text.parse::<Duration<'_>>() {
                prop_assert!(duration.is_valid());
            }
        }

        #[test]
        fn normalizing(seconds: i64, nanos: i32) {
            let duration = Duration::new(seconds, nanos);
            if let Ok(normalized) = duration.normalized() {
                prop_assert!(normalized.is_valid());
                prop_assert_eq!(normalized.compare(&duration), Ordering::Equal);
            }
        }

        #[test]
        fn the_core_library(duration in valid()) {
            match core::time::Duration::try_from(duration) {
                Ok(core) => prop_assert_eq!(Duration::try_from(core), Ok(duration)),
                Err(_) => prop_assert!(duration.is_negative()),
            }
        }
    }
}
