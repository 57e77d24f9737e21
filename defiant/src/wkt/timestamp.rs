//! `Timestamp`: checks, arithmetic, text, and the clock of the standard library.

use core::cmp::Ordering;
use core::fmt;
use core::str::FromStr;

use crate::unknown::UnknownFields;

use super::{Duration, Timestamp};
use crate::rfc3339;
use crate::seconds::NANOS;

impl<'arena> Timestamp<'arena> {
    /// 1970-01-01T00:00:00Z.
    pub const UNIX_EPOCH: Self = Self::new(0, 0);
    /// The earliest valid one: 0001-01-01T00:00:00Z.
    pub const MIN: Self = Self::new(-62_135_596_800, 0);
    /// The latest valid one: 9999-12-31T23:59:59.999999999Z.
    pub const MAX: Self = Self::new(253_402_300_799, NANOS - 1);

    /// Seconds since the Unix epoch, and nanoseconds that count forward from there. Nothing is checked:
    /// [`is_valid`](Self::is_valid) does, and [`normalized`](Self::normalized) carries.
    ///
    /// ```
    /// use defiant::wkt::Timestamp;
    ///
    /// let time = Timestamp::new(-1, 500_000_000);
    /// assert_eq!(time.to_string(), "1969-12-31T23:59:59.500Z");
    /// ```
    #[must_use]
    pub const fn new(seconds: i64, nanos: i32) -> Self {
        Timestamp { seconds, nanos, unknown_fields: UnknownFields::EMPTY }
    }

    /// Whether it is in the years 1 to 9999 and its nanoseconds are from 0 to 999,999,999.
    ///
    /// Only such a timestamp has a text and can be converted. A decoder does not ask.
    /// Source: <https://protobuf.dev/reference/protobuf/google.protobuf/#timestamp>.
    ///
    /// ```
    /// use defiant::wkt::Timestamp;
    ///
    /// assert!(Timestamp::MAX.is_valid());
    /// assert!(!Timestamp::new(253_402_300_800, 0).is_valid());
    /// assert!(!Timestamp::new(0, -1).is_valid());
    /// ```
    #[must_use]
    pub const fn is_valid(&self) -> bool {
        Self::MIN.seconds <= self.seconds && self.seconds <= Self::MAX.seconds && 0 <= self.nanos && self.nanos < NANOS
    }

    /// The same time with nanoseconds from 0 to 999,999,999, what is above or below carried into the seconds. Unknown
    /// fields are kept.
    ///
    /// # Errors
    /// [`TimestampError::is_out_of_range`] when that is not in the years 1 to 9999.
    ///
    /// ```
    /// use defiant::wkt::Timestamp;
    ///
    /// assert_eq!(Timestamp::new(5, -1).normalized()?, Timestamp::new(4, 999_999_999));
    /// # Ok::<(), defiant::wkt::TimestampError>(())
    /// ```
    pub fn normalized(self) -> Result<Self, TimestampError> {
        let time = Self::from_unix_nanos(self.unix_nanos())?;
        Ok(Timestamp { unknown_fields: self.unknown_fields, ..time })
    }

    /// Nanoseconds since the Unix epoch; negative before it.
    ///
    /// ```
    /// assert_eq!(defiant::wkt::Timestamp::new(-1, 1).unix_nanos(), -999_999_999);
    /// ```
    #[must_use]
    pub fn unix_nanos(&self) -> i128 {
        i128::from(self.seconds) * i128::from(NANOS) + i128::from(self.nanos)
    }

    /// The time so many nanoseconds after the Unix epoch, or before it if negative.
    ///
    /// # Errors
    /// [`TimestampError::is_out_of_range`] when that is not in the years 1 to 9999.
    ///
    /// ```
    /// use defiant::wkt::Timestamp;
    ///
    /// assert_eq!(Timestamp::from_unix_nanos(-1)?, Timestamp::new(-1, 999_999_999));
    /// assert!(Timestamp::from_unix_nanos(i128::MAX).is_err());
    /// # Ok::<(), defiant::wkt::TimestampError>(())
    /// ```
    pub fn from_unix_nanos(nanos: i128) -> Result<Self, TimestampError> {
        let seconds = i64::try_from(nanos.div_euclid(NANOS.into())).map_err(|_| TimestampError::new(Kind::Range))?;
        Self::new(seconds, nanos.rem_euclid(NANOS.into()) as i32).checked()
    }

    /// The time that much later; earlier if the duration is negative.
    ///
    /// `None` when one of the two is not valid, or the result would not be.
    ///
    /// ```
    /// use defiant::wkt::{Duration, Timestamp};
    ///
    /// let later = Timestamp::UNIX_EPOCH.checked_add(Duration::new(90, 500_000_000));
    /// assert_eq!(later, Some(Timestamp::new(90, 500_000_000)));
    /// assert_eq!(Timestamp::MAX.checked_add(Duration::new(0, 1)), None);
    /// ```
    #[must_use]
    pub fn checked_add(self, duration: Duration<'_>) -> Option<Timestamp<'static>> {
        let nanos = self.checked().ok()?.unix_nanos() + duration.checked().ok()?.total_nanos();
        Timestamp::from_unix_nanos(nanos).ok()
    }

    /// The time that much earlier; later if the duration is negative.
    ///
    /// `None` when one of the two is not valid, or the result would not be.
    ///
    /// ```
    /// use defiant::wkt::{Duration, Timestamp};
    ///
    /// let earlier = Timestamp::UNIX_EPOCH.checked_sub(Duration::new(0, 1));
    /// assert_eq!(earlier, Some(Timestamp::new(-1, 999_999_999)));
    /// ```
    #[must_use]
    pub fn checked_sub(self, duration: Duration<'_>) -> Option<Timestamp<'static>> {
        let nanos = self.checked().ok()?.unix_nanos() - duration.checked().ok()?.total_nanos();
        Timestamp::from_unix_nanos(nanos).ok()
    }

    /// How much later than `earlier` it is; negative if it is earlier.
    ///
    /// `None` when one of the two is not valid: the difference of valid timestamps always is a valid duration.
    ///
    /// ```
    /// use defiant::wkt::{Duration, Timestamp};
    ///
    /// let (first, second) = (Timestamp::new(9, 999_999_999), Timestamp::new(11, 0));
    /// assert_eq!(second.duration_since(first), Some(Duration::new(1, 1)));
    /// assert_eq!(first.duration_since(second), Some(Duration::new(-1, -1)));
    /// ```
    #[must_use]
    pub fn duration_since(self, earlier: Timestamp<'_>) -> Option<Duration<'static>> {
        let nanos = self.checked().ok()?.unix_nanos() - earlier.checked().ok()?.unix_nanos();
        Duration::from_total_nanos(nanos).ok()
    }

    /// Which of two comes first in time, valid or not. Unknown fields do not count, as they do for `==`, which is why
    /// there is no `Ord`.
    ///
    /// ```
    /// use core::cmp::Ordering;
    /// use defiant::wkt::Timestamp;
    ///
    /// let mut times = [Timestamp::new(2, 0), Timestamp::new(-3, 1), Timestamp::new(-3, 0)];
    /// times.sort_by(Timestamp::compare);
    /// assert_eq!(times.map(|time| time.seconds + i64::from(time.nanos)), [-3, -2, 2]);
    /// assert_eq!(Timestamp::new(0, 1_000_000_000).compare(&Timestamp::new(1, 0)), Ordering::Equal);
    /// ```
    #[must_use]
    pub fn compare(&self, other: &Timestamp<'_>) -> Ordering {
        self.unix_nanos().cmp(&other.unix_nanos())
    }

    /// Itself, if it is valid.
    pub(super) fn checked(self) -> Result<Self, TimestampError> {
        if self.is_valid() {
            Ok(self)
        } else if (0..NANOS).contains(&self.nanos) {
            Err(TimestampError::new(Kind::Range))
        } else {
            Err(TimestampError::new(Kind::Nanos))
        }
    }
}

/// RFC 3339 in UTC with as few of 0, 3, 6 or 9 fractional digits as hold the value: the text of ProtoJSON. A timestamp
/// that is not [valid](Timestamp::is_valid) has none; then its fields are written in words that do not parse.
///
/// Source: <https://protobuf.dev/programming-guides/json/>.
///
/// ```
/// use defiant::wkt::Timestamp;
///
/// assert_eq!(Timestamp::new(0, 10_000_000).to_string(), "1970-01-01T00:00:00.010Z");
/// assert_eq!(Timestamp::new(0, -1).to_string(), "invalid timestamp (seconds: 0, nanos: -1)");
/// ```
impl fmt::Display for Timestamp<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_valid() {
            f.write_str(rfc3339::text(self.seconds, self.nanos as u32, &mut [0; rfc3339::LEN]))
        } else {
            write!(f, "invalid timestamp (seconds: {}, nanos: {})", self.seconds, self.nanos)
        }
    }
}

/// Reads RFC 3339 as ProtoJSON takes it: a capital `T`, a capital `Z` or an offset `+HH:MM`, up to nine fractional
/// digits, no leap second, and a time that is in the years 1 to 9999 when the offset has been applied.
///
/// Sources: <https://protobuf.dev/programming-guides/json/>, <https://www.rfc-editor.org/rfc/rfc3339#section-5.6>.
///
/// ```
/// use defiant::wkt::Timestamp;
///
/// let time: Timestamp<'_> = "1970-01-02T01:00:00.5+02:00".parse()?;
/// assert_eq!(time, Timestamp::new(82_800, 500_000_000));
/// assert!("1970-01-01 00:00:00Z".parse::<Timestamp<'_>>().is_err_and(|error| error.is_syntax()));
/// # Ok::<(), defiant::wkt::TimestampError>(())
/// ```
impl FromStr for Timestamp<'_> {
    type Err = TimestampError;

    fn from_str(text: &str) -> Result<Self, TimestampError> {
        let (seconds, nanos) = rfc3339::parse(text).ok_or(TimestampError::new(Kind::Syntax))?;
        Self::new(seconds, nanos).checked()
    }
}

#[cfg(feature = "std")]
mod system {
    use std::time::SystemTime;

    use super::{Kind, Timestamp, TimestampError};

    impl Timestamp<'_> {
        /// The time by the system's clock; a clock outside of the years 1 to 9999 reads as the nearest valid time.
        ///
        /// ```
        /// use defiant::wkt::Timestamp;
        ///
        /// assert!(Timestamp::now().is_valid());
        /// ```
        #[must_use]
        pub fn now() -> Self {
            let nanos = nanos_of(SystemTime::now()).clamp(Self::MIN.unix_nanos(), Self::MAX.unix_nanos());
            Self::from_unix_nanos(nanos).unwrap_or(Self::MAX)
        }
    }

    fn nanos_of(time: SystemTime) -> i128 {
        // Fewer than 2^64 seconds either way: far from the bounds of an i128.
        match time.duration_since(SystemTime::UNIX_EPOCH) {
            Ok(after) => after.as_nanos() as i128,
            Err(before) => -(before.duration().as_nanos() as i128),
        }
    }

    /// [`TimestampError::is_out_of_range`] when the time is not in the years 1 to 9999.
    ///
    /// ```
    /// use defiant::wkt::Timestamp;
    /// use std::time::{Duration, SystemTime};
    ///
    /// let time = SystemTime::UNIX_EPOCH + Duration::from_millis(1_500);
    /// assert_eq!(Timestamp::try_from(time)?, Timestamp::new(1, 500_000_000));
    /// assert_eq!(SystemTime::try_from(Timestamp::new(1, 500_000_000))?, time);
    /// # Ok::<(), defiant::wkt::TimestampError>(())
    /// ```
    impl TryFrom<SystemTime> for Timestamp<'_> {
        type Error = TimestampError;

        fn try_from(time: SystemTime) -> Result<Self, TimestampError> {
            Self::from_unix_nanos(nanos_of(time))
        }
    }

    /// An error when the timestamp is not valid, or the system's clock does not go there. A clock whose ticks are
    /// longer than nanoseconds loses the rest.
    impl TryFrom<Timestamp<'_>> for SystemTime {
        type Error = TimestampError;

        fn try_from(time: Timestamp<'_>) -> Result<Self, TimestampError> {
            let time = time.checked()?;
            let seconds = core::time::Duration::from_secs(time.seconds.unsigned_abs());
            let whole = if time.seconds < 0 {
                SystemTime::UNIX_EPOCH.checked_sub(seconds)
            } else {
                SystemTime::UNIX_EPOCH.checked_add(seconds)
            };
            // A valid timestamp's nanoseconds are from 0 to 999,999,999.
            let nanos = core::time::Duration::from_nanos(time.nanos as u64);
            whole.and_then(|whole| whole.checked_add(nanos)).ok_or(TimestampError::new(Kind::Target))
        }
    }
}

/// Why there is no such [`Timestamp`], or no such time elsewhere.
///
/// ```
/// use defiant::wkt::Timestamp;
///
/// let error = "1999-12-31T23:59:60Z".parse::<Timestamp<'_>>().unwrap_err();
/// assert!(error.is_syntax());
/// assert_eq!(error.to_string(), "not a time of RFC 3339 such as 1972-01-01T10:00:20.021Z");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimestampError {
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Syntax,
    Range,
    Nanos,
    /// Only where there are other types to convert to.
    #[allow(dead_code, reason = "made by the features `std`, `chrono`, `time` and `jiff`")]
    Target,
    #[allow(dead_code, reason = "made by the feature `chrono`: no other has leap seconds")]
    LeapSecond,
}

impl TimestampError {
    #[cold]
    pub(super) const fn new(kind: Kind) -> Self {
        TimestampError { kind }
    }

    /// The text is not RFC 3339, or has a leap second or a tenth fractional digit.
    #[must_use]
    pub const fn is_syntax(&self) -> bool {
        matches!(self.kind, Kind::Syntax)
    }

    /// The time is not in the years 1 to 9999, or not in the smaller range of the type it was to be converted to.
    #[must_use]
    pub const fn is_out_of_range(&self) -> bool {
        matches!(self.kind, Kind::Range | Kind::Target)
    }
}

impl fmt::Display for TimestampError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            Kind::Syntax => "not a time of RFC 3339 such as 1972-01-01T10:00:20.021Z",
            Kind::Range => "a timestamp is in the years 1 to 9999",
            Kind::Nanos => "the nanoseconds of a timestamp are from 0 to 999999999",
            Kind::Target => "the time is outside of the other type's range",
            Kind::LeapSecond => "a timestamp has no leap seconds",
        })
    }
}

impl core::error::Error for TimestampError {}

#[cfg(test)]
mod tests {
    use std::format;
    use std::string::ToString;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn texts() {
        for (text, seconds, nanos) in [
            ("0001-01-01T00:00:00Z", -62_135_596_800, 0),
            ("9999-12-31T23:59:59.999999999Z", 253_402_300_799, 999_999_999),
            ("1969-12-31T23:59:59.999999999Z", -1, 999_999_999),
            ("1970-01-01T00:00:00.100Z", 0, 100_000_000),
            ("1970-01-01T00:00:00.010Z", 0, 10_000_000),
            ("1970-01-01T00:00:00.000010Z", 0, 10_000),
            ("1970-01-01T00:00:00.000000010Z", 0, 10),
            ("2000-02-29T00:00:00Z", 951_782_400, 0),
            ("2000-12-31T23:59:59Z", 978_307_199, 0),
            ("1900-03-01T00:00:00Z", -2_203_891_200, 0),
            ("1993-02-10T00:00:00Z", 729_302_400, 0),
        ] {
            assert_eq!(Timestamp::new(seconds, nanos).to_string(), text);
            assert_eq!(text.parse(), Ok(Timestamp::new(seconds, nanos)), "{text}");
        }
    }

    #[test]
    fn other_texts_of_a_time() {
        for (text, seconds, nanos) in [
            ("1970-01-01T08:00:01+08:00", 1, 0),
            ("1969-12-31T16:00:01-08:00", 1, 0),
            ("1970-01-01T00:00:00-11:30", 41_400, 0),
            ("1970-01-02T01:00:00+02:00", 82_800, 0),
            ("1970-01-01T00:00:00-00:00", 0, 0),
            ("1970-01-02T00:59:00+23:59", 3_660 - 60, 0),
            ("1970-01-01T00:00:00.1Z", 0, 100_000_000),
            ("1970-01-01T00:00:00.12345678Z", 0, 123_456_780),
            ("1970-01-01T00:00:00.000000000Z", 0, 0),
            // The offset leads into the range.
            ("0001-01-01T00:00:00-00:01", -62_135_596_740, 0),
            ("0000-12-31T23:59:59-00:01", -62_135_596_741, 0),
            ("9999-12-31T23:59:59+00:01", 253_402_300_739, 0),
        ] {
            assert_eq!(text.parse(), Ok(Timestamp::new(seconds, nanos)), "{text}");
        }
    }

    #[test]
    fn texts_of_no_time() {
        for text in [
            "",
            "1970-01-01",
            "1970-01-01T00:00:00",
            "1970-01-01 00:00:00Z",
            "1970-01-01t00:00:00Z",
            "1970-01-01T00:00:00z",
            "1970-01-01T00:00Z",
            "1970-01-01T00:00:00ZZ",
            "1970-01-01T00:00:00Z ",
            " 1970-01-01T00:00:00Z",
            "1970-01-01T00:00:00.Z",
            "1970-01-01T00:00:00,5Z",
            "1970-01-01T00:00:00.1234567890Z",
            "1970-01-01T00:00:00.123aZ",
            "1970-01-01T00:00:00.-1Z",
            "1970-00-01T00:00:00Z",
            "1970-13-01T00:00:00Z",
            "1970-01-00T00:00:00Z",
            "1970-01-32T00:00:00Z",
            "1970-04-31T00:00:00Z",
            "2001-02-29T00:00:00Z",
            "1900-02-29T00:00:00Z",
            "1970-01-01T24:00:00Z",
            "1970-01-01T00:60:00Z",
            "1970-01-01T00:00:60Z",
            "1990-12-31T23:59:60Z",
            "1970-01-01T00:00:00+24:00",
            "1970-01-01T00:00:00+00:60",
            "1970-01-01T00:00:00+0800",
            "1970-01-01T00:00:00+08",
            "1970-01-01T00:00:00+8:00",
            "1970-01-01T00:00:00\u{2212}08:00",
            "999-01-01T00:00:00Z",
            "00001-01-01T00:00:00Z",
            "10000-01-01T00:00:00Z",
            "-001-01-01T00:00:00Z",
            "+970-01-01T00:00:00Z",
            "1970-1-01T00:00:00Z",
            "1970-01-1T00:00:00Z",
            "１970-01-01T00:00:00Z",
        ] {
            assert!(text.parse::<Timestamp<'_>>().is_err_and(|error| error.is_syntax()), "{text}");
        }
        for text in ["0000-01-01T00:00:00Z", "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01"] {
            assert!(text.parse::<Timestamp<'_>>().is_err_and(|error| error.is_out_of_range()), "{text}");
        }
    }

    #[test]
    fn bounds() {
        for (seconds, nanos, valid) in [
            (Timestamp::MIN.seconds, 0, true),
            (Timestamp::MIN.seconds - 1, 999_999_999, false),
            (Timestamp::MAX.seconds, 999_999_999, true),
            (Timestamp::MAX.seconds + 1, 0, false),
            (0, 1_000_000_000, false),
            (0, -1, false),
            (i64::MIN, i32::MIN, false),
            (i64::MAX, i32::MAX, false),
        ] {
            let time = Timestamp::new(seconds, nanos);
            assert_eq!(time.is_valid(), valid, "{time:?}");
            assert_eq!(time.checked().is_ok(), valid);
            assert_eq!(time.to_string().starts_with("invalid"), !valid);
            assert_eq!(time.checked_add(Duration::default()).is_some(), valid);
            assert_eq!(time.duration_since(Timestamp::UNIX_EPOCH).is_some(), valid);
        }
        assert_eq!(Timestamp::new(i64::MAX, i32::MAX).normalized(), Err(TimestampError::new(Kind::Range)));
        assert_eq!(Timestamp::new(i64::MIN, i32::MIN).normalized(), Err(TimestampError::new(Kind::Range)));
        assert_eq!(Timestamp::new(Timestamp::MAX.seconds + 1, -1).normalized(), Ok(Timestamp::MAX));
        let whole = Timestamp::MAX.duration_since(Timestamp::MIN);
        assert_eq!(whole, Some(Duration::new(315_537_897_599, 999_999_999)));
        assert_eq!(whole.and_then(|whole| Timestamp::MIN.checked_add(whole)), Some(Timestamp::MAX));
        assert_eq!(whole.and_then(|whole| Timestamp::MAX.checked_sub(whole)), Some(Timestamp::MIN));
    }

    /// A valid timestamp.
    pub(crate) fn valid() -> impl Strategy<Value = Timestamp<'static>> {
        (Timestamp::MIN.seconds..=Timestamp::MAX.seconds, 0..NANOS, 0..4usize).prop_map(|(seconds, nanos, digits)| {
            // As many significant groups of three digits as the last number says.
            let unit = [NANOS, 1_000_000, 1_000, 1][digits];
            Timestamp::new(seconds, nanos / unit * unit)
        })
    }

    proptest! {
        #[test]
        fn text_round_trips(time in valid()) {
            let text = time.to_string();
            prop_assert!([20, 24, 27, 30].contains(&text.len()), "{}", text);
            prop_assert_eq!(text.parse(), Ok(time));
        }

        #[test]
        fn agrees_with_jiff(time in valid(), offset in -1439i64..1440) {
            // jiff's range ends 26 hours earlier, at both ends.
            let Ok(oracle) = jiff::Timestamp::from_nanosecond(time.unix_nanos()) else { return Ok(()) };
            prop_assert_eq!(time.to_string().parse::<jiff::Timestamp>().ok(), Some(oracle));
            let shifted = Timestamp::new(time.seconds + offset * 60, time.nanos);
            if shifted.is_valid() {
                let local = shifted.to_string();
                let sign = if offset < 0 { '-' } else { '+' };
                let minutes = offset.abs();
                let text = format!("{}{sign}{:02}:{:02}", &local[..local.len() - 1], minutes / 60, minutes % 60);
                prop_assert_eq!(text.parse(), Ok(time));
                prop_assert_eq!(text.parse::<jiff::Timestamp>().ok(), Some(oracle));
            }
        }

        #[test]
        fn never_panics(text in "[0-9]{3,5}-[0-9]{1,2}-[0-9]{2}[Tt ][0-9]{2}:[0-9:]{1,5}(\\.[0-9]{0,11})?[-+Zz]?[ -~é]{0,6}") {
            if let Ok(time) = text.parse::<Timestamp<'_>>() {
                prop_assert!(time.is_valid());
            }
        }

        #[test]
        fn normalizing(seconds: i64, nanos: i32) {
            let time = Timestamp::new(seconds, nanos);
            if let Ok(normalized) = time.normalized() {
                prop_assert!(normalized.is_valid());
                prop_assert_eq!(normalized.compare(&time), Ordering::Equal);
            }
        }

        #[test]
        fn adding_and_taking_away(first in valid(), second in valid()) {
            let duration = second.duration_since(first);
            prop_assert!(duration.is_some_and(|duration| duration.is_valid()));
            let duration = duration.unwrap_or_default();
            prop_assert_eq!(first.checked_add(duration), Some(second));
            prop_assert_eq!(second.checked_sub(duration), Some(first));
            prop_assert_eq!(duration.compare(&Duration::default()), second.compare(&first));
        }

        #[cfg(feature = "std")]
        #[test]
        fn the_system_clock(time in valid()) {
            if let Ok(system) = std::time::SystemTime::try_from(time) {
                prop_assert_eq!(Timestamp::try_from(system), Ok(time));
            }
        }
    }
}
