//! Conversions to and from the crate `time`.

use ::time::OffsetDateTime;

use super::timestamp::Kind;
use super::{Duration, DurationError, Timestamp, TimestampError};

/// An error when the time is not in the years 1 to 9999.
///
/// ```
/// use defiant::wkt::Timestamp;
/// use time::OffsetDateTime;
///
/// let time = OffsetDateTime::UNIX_EPOCH + time::Duration::hours(23);
/// let timestamp = Timestamp::try_from(time)?;
/// assert_eq!(timestamp, Timestamp::new(82_800, 0));
/// assert_eq!(OffsetDateTime::try_from(timestamp)?, time);
/// # Ok::<(), defiant::wkt::TimestampError>(())
/// ```
impl TryFrom<OffsetDateTime> for Timestamp<'_> {
    type Error = TimestampError;

    fn try_from(time: OffsetDateTime) -> Result<Self, TimestampError> {
        Self::from_unix_nanos(time.unix_timestamp_nanos())
    }
}

/// An error when the timestamp is not valid. The offset is UTC.
impl TryFrom<Timestamp<'_>> for OffsetDateTime {
    type Error = TimestampError;

    fn try_from(time: Timestamp<'_>) -> Result<Self, TimestampError> {
        let nanos = time.checked()?.unix_nanos();
        OffsetDateTime::from_unix_timestamp_nanos(nanos).map_err(|_| TimestampError::new(Kind::Target))
    }
}

/// An error when it is outside of [`Duration::MIN`] and [`Duration::MAX`].
///
/// ```
/// use defiant::wkt::Duration;
///
/// let duration = Duration::try_from(time::Duration::milliseconds(-1_500))?;
/// assert_eq!(duration, Duration::new(-1, -500_000_000));
/// assert_eq!(time::Duration::try_from(duration)?, time::Duration::milliseconds(-1_500));
/// # Ok::<(), defiant::wkt::DurationError>(())
/// ```
impl TryFrom<::time::Duration> for Duration<'_> {
    type Error = DurationError;

    fn try_from(duration: ::time::Duration) -> Result<Self, DurationError> {
        Self::new(duration.whole_seconds(), duration.subsec_nanoseconds()).checked()
    }
}

/// An error when the duration is not valid.
impl TryFrom<Duration<'_>> for ::time::Duration {
    type Error = DurationError;

    fn try_from(duration: Duration<'_>) -> Result<Self, DurationError> {
        let duration = duration.checked()?;
        Ok(::time::Duration::new(duration.seconds, duration.nanos))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds() {
        for time in [Timestamp::MIN, Timestamp::MAX, Timestamp::new(-1, 999_999_999)] {
            let other = OffsetDateTime::try_from(time);
            assert_eq!(other.and_then(Timestamp::try_from), Ok(time));
        }
        let before = OffsetDateTime::from_unix_timestamp(Timestamp::MIN.seconds - 1);
        assert!(before.is_ok_and(|before| Timestamp::try_from(before).is_err_and(|error| error.is_out_of_range())));
        assert!(OffsetDateTime::try_from(Timestamp::new(0, -1)).is_err());
        for duration in [Duration::MIN, Duration::MAX, Duration::new(0, -1)] {
            let other = ::time::Duration::try_from(duration);
            assert_eq!(other.and_then(Duration::try_from), Ok(duration));
        }
        assert!(Duration::try_from(::time::Duration::MIN).is_err_and(|error| error.is_out_of_range()));
        assert!(::time::Duration::try_from(Duration::new(1, -1)).is_err());
    }
}
