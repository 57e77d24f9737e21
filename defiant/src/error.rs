//! What can go wrong, with its place.

use core::fmt;

use alloc::boxed::Box;
use alloc::string::String;

use crate::wire::context::{Fault, Record};

/// Why and where a decode failed.
///
/// It prints as `Person.home: Point.label: invalid UTF-8 at byte 17`: the path of messages and fields, from the
/// outermost to the innermost, the reason, and the offset in the input.
#[derive(Debug)]
pub struct DecodeError {
    inner: Box<Inner>,
}

#[derive(Debug)]
struct Inner {
    fault: Fault,
    offset: usize,
    path: String,
}

impl DecodeError {
    #[cold]
    pub(crate) fn new(record: Option<Record>) -> Self {
        let Some(record) = record else { return Self::at(Fault::Truncated, 0) };
        let mut path = String::new();
        for (index, (message, field)) in record.path.iter().rev().enumerate() {
            if index > 0 {
                path.push_str(": ");
            }
            path.push_str(message);
            if !field.is_empty() {
                path.push('.');
                path.push_str(field);
            }
        }
        if let Some(number) = record.number.filter(|_| record.fault != Fault::Tag) {
            use fmt::Write;
            // Writing to a string does not fail.
            let _ = write!(path, " field {number}");
        }
        DecodeError { inner: Box::new(Inner { fault: record.fault, offset: record.offset, path }) }
    }

    #[cold]
    pub(crate) fn at(fault: Fault, offset: usize) -> Self {
        DecodeError { inner: Box::new(Inner { fault, offset, path: String::new() }) }
    }

    /// Puts a message and one of its extensions before the path.
    #[cold]
    pub(crate) fn inside(self, message: &str, extension: &str) -> Self {
        let message = message.rsplit('.').next().unwrap_or(message);
        self.within(message, &alloc::format!("[{extension}]"))
    }

    /// Puts a message and one of its fields before the path.
    #[cold]
    pub(crate) fn within(mut self, message: &str, field: &str) -> Self {
        let inner = &self.inner.path;
        self.inner.path = match inner.is_empty() {
            true => alloc::format!("{message}.{field}"),
            false => alloc::format!("{message}.{field}: {inner}"),
        };
        self
    }

    /// Bytes from the start of the input to where the fault was noticed.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.inner.offset
    }

    /// Messages and fields from the outermost to the innermost, as `Person.home: Point.label`; empty before the first.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.inner.path
    }

    /// The input, or an enclosing length, ends inside a field; more input may help.
    #[must_use]
    pub fn is_truncated(&self) -> bool {
        self.inner.fault == Fault::Truncated
    }

    /// A string is not UTF-8.
    #[must_use]
    pub fn is_invalid_utf8(&self) -> bool {
        self.inner.fault == Fault::Utf8
    }

    /// Messages or groups nest deeper than [`DecodeOptions::recursion_limit`](crate::DecodeOptions::recursion_limit).
    #[must_use]
    pub fn is_recursion_limit(&self) -> bool {
        self.inner.fault == Fault::Recursion
    }

    /// [`DecodeOptions::memory_limit`](crate::DecodeOptions::memory_limit), the arena's limit or the memory is exhausted.
    #[must_use]
    pub fn is_memory_limit(&self) -> bool {
        self.inner.fault == Fault::Memory
    }

    /// A required field is missing.
    #[must_use]
    pub fn is_missing_required(&self) -> bool {
        self.inner.fault == Fault::Missing
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { fault, offset, path } = &*self.inner;
        if !path.is_empty() {
            write!(f, "{path}: ")?;
        }
        let reason = match fault {
            Fault::Truncated => "truncated",
            Fault::Varint => "varint longer than ten bytes or 64 bits",
            Fault::Tag => "invalid tag",
            Fault::EndGroup => "end of a group that did not begin",
            Fault::Utf8 => "invalid UTF-8",
            Fault::Recursion => "nested deeper than the recursion limit",
            Fault::Memory => "memory limit reached",
            Fault::Missing => "required field missing",
            Fault::Recorded | Fault::End => "malformed",
        };
        write!(f, "{reason} at byte {offset}")
    }
}

impl core::error::Error for DecodeError {}

/// A message does not fit into the buffer it was to be written to; nothing was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EncodeError {
    pub(crate) required: usize,
    pub(crate) remaining: usize,
}

impl EncodeError {
    /// Bytes that the message takes.
    #[must_use]
    pub fn required(&self) -> usize {
        self.required
    }

    /// Bytes that the buffer had left.
    #[must_use]
    pub fn remaining(&self) -> usize {
        self.remaining
    }
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the message takes {} bytes, the buffer has {} left", self.required, self.remaining)
    }
}

impl core::error::Error for EncodeError {}
