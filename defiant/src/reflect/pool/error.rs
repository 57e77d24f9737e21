//! Why files were not added to a pool.

use core::fmt;

use alloc::string::{String, ToString};

use crate::error::DecodeError;

/// Why files were not added to a pool: where, and what is wrong there.
///
/// It prints as `a.proto: message p.M, field x: type ".p.Q" is not in the pool`.
#[derive(Debug)]
pub struct PoolError {
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    /// The set of files does not decode.
    Decode(DecodeError),
    /// A file says something that cannot be.
    Invalid { file: String, element: String, reason: String },
    /// The pool's memory limit, or the memory, is exhausted.
    Memory,
}

impl PoolError {
    #[cold]
    pub(super) fn new(file: &str, element: impl fmt::Display, reason: impl fmt::Display) -> Self {
        let kind = Kind::Invalid { file: file.to_string(), element: element.to_string(), reason: reason.to_string() };
        PoolError { kind }
    }

    /// The file that is wrong.
    #[must_use]
    pub fn file(&self) -> Option<&str> {
        match &self.kind {
            Kind::Invalid { file, .. } => Some(file),
            Kind::Decode(_) | Kind::Memory => None,
        }
    }

    /// What in the file is wrong: `message p.M, field x`; empty if it is the file itself.
    #[must_use]
    pub fn element(&self) -> &str {
        match &self.kind {
            Kind::Invalid { element, .. } => element,
            Kind::Decode(_) | Kind::Memory => "",
        }
    }

    /// The set of files is not what it should be as a message.
    #[must_use]
    pub fn is_malformed(&self) -> bool {
        matches!(self.kind, Kind::Decode(_))
    }

    /// The pool's memory limit, or the memory, is exhausted.
    #[must_use]
    pub fn is_memory_limit(&self) -> bool {
        match &self.kind {
            Kind::Memory => true,
            Kind::Decode(error) => error.is_memory_limit(),
            Kind::Invalid { .. } => false,
        }
    }
}

impl From<DecodeError> for PoolError {
    fn from(error: DecodeError) -> Self {
        PoolError { kind: Kind::Decode(error) }
    }
}

impl From<crate::reflect::Exhausted> for PoolError {
    fn from(_: crate::reflect::Exhausted) -> Self {
        PoolError { kind: Kind::Memory }
    }
}

impl fmt::Display for PoolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Decode(error) => write!(f, "the set of files: {error}"),
            Kind::Invalid { file, element, reason } if element.is_empty() => write!(f, "{file}: {reason}"),
            Kind::Invalid { file, element, reason } => write!(f, "{file}: {element}: {reason}"),
            Kind::Memory => f.write_str("the pool's memory limit is reached"),
        }
    }
}

impl core::error::Error for PoolError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match &self.kind {
            Kind::Decode(error) => Some(error),
            Kind::Invalid { .. } | Kind::Memory => None,
        }
    }
}
