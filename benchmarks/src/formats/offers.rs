//! What the formats are asked to do with a workload: their answers, compared on the spot, and the loops that are timed.

use std::collections::BTreeMap;
use std::error::Error;

use crate::loops::Loop;
use crate::offer::{Memory, differences};
use crate::walk::{Listing, Value, Walk};

/// Plain values to bytes, in memory that is used again where the format can.
pub(super) const BUILD_ENCODE: &str = "build+encode";
/// What is built already, to bytes.
pub(super) const ENCODE: &str = "encode";
/// Bytes to something that is safe to read.
pub(super) const OPEN: &str = "open";
/// The same, and reading every field and every byte of text.
pub(super) const OPEN_READ: &str = "open+read";
/// All of them.
pub(super) const TASKS: [&str; 4] = [BUILD_ENCODE, ENCODE, OPEN, OPEN_READ];

pub(super) type Outcome = Result<(), Box<dyn Error>>;

/// Collects what the formats offer for one workload.
pub(super) struct Offers {
    expected: BTreeMap<String, Value>,
    pub(super) loops: Vec<(Loop, Memory)>,
}

impl Offers {
    /// For these values.
    pub(super) fn of(values: &impl Walk) -> Offers {
        Offers { expected: Listing::of(values), loops: Vec::new() }
    }

    /// Compares what was read back with the values, field by field.
    pub(super) fn check(&self, format: &str, read: &impl Walk) -> Outcome {
        match differences(&self.expected, &Listing::of(read)).first() {
            Some(difference) => Err(format!("{format}: {difference}").into()),
            None => Ok(()),
        }
    }

    /// Adds a loop over an encoding of so many bytes.
    pub(super) fn add(
        &mut self,
        task: &'static str,
        format: &'static str,
        variant: &'static str,
        memory: Memory,
        bytes: usize,
        work: impl FnMut() + 'static,
    ) {
        self.loops.push((Loop { task, library: format, variant, bytes, work: Box::new(work) }, memory));
    }
}
