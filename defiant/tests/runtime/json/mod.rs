//! ProtoJSON, through the public doors.

mod accept;
#[cfg(feature = "serde")]
mod bridge;
mod limits;
mod messages;
mod reject;
mod round_trip;
mod types;
mod well_known;
mod write;

use defiant::{Arena, json};

use messages::All;

/// Reads a message and writes it again, which has to give `expected`.
#[track_caller]
fn reads_as(text: &str, expected: &str) {
    let arena = Arena::new();
    match json::decode::<All<'_>>(text, &arena) {
        Ok(message) => {
            assert_eq!(json::encode(&message).unwrap(), expected, "{text}");
            #[cfg(feature = "serde")]
            bridge::reads_as(text, expected);
        }
        Err(error) => panic!("{text}: {error}"),
    }
}

/// Does not read a message, for a reason that begins so.
#[track_caller]
fn rejects(text: &str, reason: &str) {
    let arena = Arena::new();
    match json::decode::<All<'_>>(text, &arena) {
        Ok(message) => panic!("{text} reads as {message:?}"),
        Err(error) => {
            assert!(error.to_string().starts_with(reason), "{text}: {error}");
            #[cfg(feature = "serde")]
            bridge::rejects(text, &error);
        }
    }
}
