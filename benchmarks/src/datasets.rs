//! The three payloads, part of the binary.

use std::fmt;
use std::sync::OnceLock;

use prost::Message as _;

use crate::generated::prost::BenchmarkDataset;

/// One of Google's benchmark payloads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dataset {
    /// `benchmarks.proto2.GoogleMessage1`, 228 bytes: a small flat message with a sub-message.
    Message1Proto2,
    /// `benchmarks.proto3.GoogleMessage1`, 228 bytes: the same with implicit presence.
    Message1Proto3,
    /// `benchmarks.proto2.GoogleMessage2`, 84,570 bytes: a thousand groups.
    Message2,
}

impl Dataset {
    /// All three.
    pub const ALL: [Dataset; 3] = [Dataset::Message1Proto2, Dataset::Message1Proto3, Dataset::Message2];

    /// Its name: `google_message1_proto2`, ...
    pub const fn name(self) -> &'static str {
        match self {
            Dataset::Message1Proto2 => "google_message1_proto2",
            Dataset::Message1Proto3 => "google_message1_proto3",
            Dataset::Message2 => "google_message2",
        }
    }

    /// The dataset of that name; the prefix `google_` may be left out.
    pub fn from_name(name: &str) -> Option<Dataset> {
        Dataset::ALL
            .into_iter()
            .find(|dataset| name == dataset.name() || dataset.name().strip_prefix("google_") == Some(name))
    }

    /// The file: one `benchmarks.BenchmarkDataset`.
    pub const fn file(self) -> &'static [u8] {
        match self {
            Dataset::Message1Proto2 => include_bytes!("../datasets/google_message1_proto2.pb"),
            Dataset::Message1Proto3 => include_bytes!("../datasets/google_message1_proto3.pb"),
            Dataset::Message2 => include_bytes!("../datasets/google_message2.pb"),
        }
    }

    /// The encoded message in the file.
    ///
    /// # Panics
    ///
    /// When the file is not a dataset with one payload.
    pub fn payload(self) -> &'static [u8] {
        static PAYLOADS: [OnceLock<Vec<u8>>; 3] = [const { OnceLock::new() }; 3];
        PAYLOADS[self as usize].get_or_init(|| {
            let container = BenchmarkDataset::decode(self.file()).expect("a benchmark dataset");
            let [payload] = <[Vec<u8>; 1]>::try_from(container.payload).expect("one payload");
            payload
        })
    }
}

impl fmt::Display for Dataset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
