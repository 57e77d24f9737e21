//! Conversions to and from the crate `jiff`.

use ::jiff::SignedDuration;

use super::timestamp::Kind;
use super::{Duration, DurationError, Timestamp, TimestampError};

/// An error when the time is not in the years 1 to 9999.
///
/// ```
/// use defiant::wkt::Timestamp;
///
/// let time: jiff::Timestamp = "2024-02-29T12:00:00.250Z".parse()?;
/// let timestamp = Timestamp::try_from(time)?;
/// assert_eq!(timestamp.to_string(), "2024-02-29T12:00:00.250Z");
/// assert_eq!(jiff::Timestamp::try_from(timestamp)?, time);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl TryFrom<::jiff::Timestamp> for Timestamp<'_> {
    type Error = TimestampError;

    fn try_from(time: ::jiff::Timestamp) -> Result<Self, TimestampError> {
        Self::from_unix_nanos(time.as_nanosecond())
    }
}

/// An error when the timestamp is not valid, or later than [`jiff::Timestamp::MAX`], which comes 26 hours before the end
/// of the year 9999.
impl TryFrom<Timestamp<'_>> for ::jiff::Timestamp {
    type Error = TimestampError;

    fn try_from(time: Timestamp<'_>) -> Result<Self, TimestampError> {
        let nanos = time.checked()?.unix_nanos();
        ::jiff::Timestamp::from_nanosecond(nanos).map_err(|_| TimestampError::new(Kind::Target))
    }
}

/// An error when it is outside of [`Duration::MIN`] and [`Duration::MAX`].
///
/// ```
/// use defiant::wkt::Duration;
/// use jiff::SignedDuration;
///
/// let duration = Duration::try_from(SignedDuration::from_millis(-1_500))?;
/// assert_eq!(duration, Duration::new(-1, -500_000_000));
/// assert_eq!(SignedDuration::try_from(duration)?, SignedDuration::from_millis(-1_500));
/// # Ok::<(), defiant::wkt::DurationError>(())
/// ```
impl TryFrom<SignedDuration> for Duration<'_> {
    type Error = DurationError;

    fn try_from(duration: SignedDuration) -> Result<Self, DurationError> {
        Self::new(duration.as_secs(), duration.subsec_nanos()).checked()
    }
}

/// An error when the duration is not valid.
impl TryFrom<Duration<'_>> for SignedDuration {
    type Error = DurationError;

    fn try_from(duration: Duration<'_>) -> Result<Self, DurationError> {
        let duration = duration.checked()?;
        Ok(SignedDuration::new(duration.seconds, duration.nanos))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds() {
        for time in [Timestamp::MIN, Timestamp::new(-1, 999_999_999)] {
            let other = ::jiff::Timestamp::try_from(time);
            assert_eq!(other.and_then(Timestamp::try_from), Ok(time));
        }
        assert!(::jiff::Timestamp::try_from(Timestamp::MAX).is_err_and(|error| error.is_out_of_range()));
        assert!(Timestamp::try_from(::jiff::Timestamp::MAX).is_ok());
        assert!(Timestamp::try_from(::jiff::Timestamp::MIN).is_err_and(|error| error.is_out_of_range()));
        assert!(::jiff::Timestamp::try_from(Timestamp::new(0, -1)).is_err());
        for duration in [Duration::MIN, Duration::MAX, Duration::new(0, -1)] {
            let other = SignedDuration::try_from(duration);
            assert_eq!(other.and_then(Duration::try_from), Ok(duration));
        }
        assert!(Duration::try_from(SignedDuration::MIN).is_err_and(|error| error.is_out_of_range()));
        assert!(SignedDuration::try_from(Duration::new(1, -1)).is_err());
    }
}
