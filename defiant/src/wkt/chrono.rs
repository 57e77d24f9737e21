//! Conversions to and from the crate `chrono`.

use ::chrono::{DateTime, TimeDelta, TimeZone, Utc};

use super::timestamp::Kind;
use super::{Duration, DurationError, Timestamp, TimestampError};

/// An error when the time is not in the years 1 to 9999, or in a leap second, which chrono has and protobuf has not.
///
/// ```
/// use defiant::wkt::Timestamp;
/// use chrono::{DateTime, Utc};
///
/// let time: DateTime<Utc> = "2024-02-29T12:00:00.250Z".parse()?;
/// let timestamp = Timestamp::try_from(time)?;
/// assert_eq!(timestamp.to_string(), "2024-02-29T12:00:00.250Z");
/// assert_eq!(DateTime::<Utc>::try_from(timestamp)?, time);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl<Tz: TimeZone> TryFrom<DateTime<Tz>> for Timestamp<'_> {
    type Error = TimestampError;

    fn try_from(time: DateTime<Tz>) -> Result<Self, TimestampError> {
        match i32::try_from(time.timestamp_subsec_nanos()) {
            Ok(nanos @ 0..1_000_000_000) => Self::new(time.timestamp(), nanos).checked(),
            _ => Err(TimestampError::new(Kind::LeapSecond)),
        }
    }
}

/// An error when the timestamp is not valid.
impl TryFrom<Timestamp<'_>> for DateTime<Utc> {
    type Error = TimestampError;

    fn try_from(time: Timestamp<'_>) -> Result<Self, TimestampError> {
        let time = time.checked()?;
        DateTime::from_timestamp(time.seconds, time.nanos as u32).ok_or(TimestampError::new(Kind::Target))
    }
}

/// An error when it is outside of [`Duration::MIN`] and [`Duration::MAX`].
///
/// ```
/// use defiant::wkt::Duration;
/// use chrono::TimeDelta;
///
/// let duration = Duration::try_from(TimeDelta::milliseconds(-1_500))?;
/// assert_eq!(duration, Duration::new(-1, -500_000_000));
/// assert_eq!(TimeDelta::try_from(duration)?, TimeDelta::milliseconds(-1_500));
/// # Ok::<(), defiant::wkt::DurationError>(())
/// ```
impl TryFrom<TimeDelta> for Duration<'_> {
    type Error = DurationError;

    fn try_from(delta: TimeDelta) -> Result<Self, DurationError> {
        Self::new(delta.num_seconds(), delta.subsec_nanos()).checked()
    }
}

/// An error when the duration is not valid.
impl TryFrom<Duration<'_>> for TimeDelta {
    type Error = DurationError;

    fn try_from(duration: Duration<'_>) -> Result<Self, DurationError> {
        let duration = duration.checked()?;
        // A valid duration is far from the bounds of a `TimeDelta`, some 292 million years.
        Ok(TimeDelta::seconds(duration.seconds) + TimeDelta::nanoseconds(duration.nanos.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds() {
        for time in [Timestamp::MIN, Timestamp::MAX, Timestamp::new(-1, 999_999_999)] {
            let chrono = DateTime::<Utc>::try_from(time);
            assert_eq!(chrono.and_then(Timestamp::try_from), Ok(time));
        }
        assert!(Timestamp::try_from(DateTime::<Utc>::MIN_UTC).is_err_and(|error| error.is_out_of_range()));
        assert!(Timestamp::try_from(DateTime::<Utc>::MAX_UTC).is_err_and(|error| error.is_out_of_range()));
        assert!(DateTime::<Utc>::try_from(Timestamp::new(0, -1)).is_err());
        for duration in [Duration::MIN, Duration::MAX, Duration::new(0, -1)] {
            let chrono = TimeDelta::try_from(duration);
            assert_eq!(chrono.and_then(Duration::try_from), Ok(duration));
        }
        assert!(Duration::try_from(TimeDelta::MIN).is_err_and(|error| error.is_out_of_range()));
        assert!(TimeDelta::try_from(Duration::new(1, -1)).is_err());
    }

    #[test]
    fn leap_seconds() {
        let leap = DateTime::<Utc>::from_timestamp(1_483_228_799, 1_500_000_000);
        assert!(leap.is_some_and(|leap| Timestamp::try_from(leap).is_err_and(|error| !error.is_out_of_range())));
    }
}
