//! What can go wrong, with its place.

use core::fmt;

use alloc::string::String;

use crate::try_box::TryBox;
use crate::wire::context::{Fault, Record};
use crate::wire::writer::{Excess, MAX_DEPTH, MAX_LEN};

/// Why and where a decode failed.
///
/// It prints as `Person.home: Point.label: invalid UTF-8 at byte 17`: the path of messages and fields, from the
/// outermost to the innermost, the reason, and the offset in the input.
#[derive(Debug)]
pub struct DecodeError {
    inner: TryBox<Inner>,
}

#[derive(Debug)]
struct Inner {
    fault: Fault,
    offset: usize,
    path: String,
}

/// Text that is put together for as long as there is memory for it.
#[derive(Default)]
struct Text(String);

impl fmt::Write for Text {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        // At least twice as much as before, asked for so that the compiler sees that it suffices: to grow in `push_str` could
        // panic.
        if self.0.capacity() - self.0.len() < text.len() {
            self.0.try_reserve_exact(text.len().max(self.0.len())).map_err(|_| fmt::Error)?;
        }
        self.0.push_str(text);
        Ok(())
    }
}

/// The words of an error, which end early where there is no memory for them.
pub(crate) fn words(what: fmt::Arguments<'_>) -> String {
    let mut text = Text::default();
    let _ = fmt::Write::write_fmt(&mut text, what);
    text.0
}

/// What is behind the last dot of a message's name.
pub(crate) fn short_name(name: &str) -> &str {
    let dot = name.bytes().rposition(|byte| byte == b'.');
    dot.and_then(|dot| name.get(dot + 1..)).unwrap_or(name)
}

/// A path with a message and one of its fields before it.
pub(crate) fn path_before(outer: fmt::Arguments<'_>, path: &str) -> String {
    let colon = if path.is_empty() { "" } else { ": " };
    words(format_args!("{outer}{colon}{path}"))
}

/// The path of a fault, from the outside in.
struct Path<'r>(&'r Record);

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (message, field)) in self.0.path.iter().rev().enumerate() {
            let colon = if index > 0 { ": " } else { "" };
            let dot = if field.is_empty() { "" } else { "." };
            write!(f, "{colon}{message}{dot}{field}")?;
        }
        match self.0.number.filter(|_| self.0.fault != Fault::Tag) {
            Some(number) => write!(f, " field {number}"),
            None => Ok(()),
        }
    }
}

impl DecodeError {
    #[cold]
    pub(crate) fn new(record: Option<Record>) -> Self {
        let Some(record) = record else { return Self::at(Fault::Truncated, 0) };
        let path = words(format_args!("{}", Path(&record)));
        DecodeError { inner: TryBox::new(Inner { fault: record.fault, offset: record.offset, path }) }
    }

    #[cold]
    pub(crate) fn at(fault: Fault, offset: usize) -> Self {
        DecodeError { inner: TryBox::new(Inner { fault, offset, path: String::new() }) }
    }

    fn inner(&self) -> &Inner {
        const EXHAUSTED: &Inner = &Inner { fault: Fault::Memory, offset: 0, path: String::new() };
        self.inner.get().unwrap_or(EXHAUSTED)
    }

    fn fault(&self) -> Fault {
        self.inner().fault
    }

    /// Puts a message and one of its extensions before the path.
    #[cold]
    pub(crate) fn inside(self, message: &str, extension: &str) -> Self {
        self.before(format_args!("{}.[{extension}]", short_name(message)))
    }

    /// Puts a message and one of its fields before the path.
    #[cold]
    pub(crate) fn within(self, message: &str, field: &str) -> Self {
        self.before(format_args!("{message}.{field}"))
    }

    fn before(mut self, outer: fmt::Arguments<'_>) -> Self {
        if let Some(inner) = self.inner.get_mut() {
            inner.path = path_before(outer, &inner.path);
        }
        self
    }

    /// Bytes from the start of the input to where the fault was noticed.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.inner().offset
    }

    /// Messages and fields from the outermost to the innermost, as `Person.home: Point.label`; empty before the first.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.inner().path
    }

    /// The input, or an enclosing length, ends inside a field; more input may help.
    #[must_use]
    pub fn is_truncated(&self) -> bool {
        self.fault() == Fault::Truncated
    }

    /// A string is not UTF-8.
    #[must_use]
    pub fn is_invalid_utf8(&self) -> bool {
        self.fault() == Fault::Utf8
    }

    /// Messages or groups nest deeper than [`DecodeOptions::recursion_limit`](crate::DecodeOptions::recursion_limit).
    #[must_use]
    pub fn is_recursion_limit(&self) -> bool {
        self.fault() == Fault::Recursion
    }

    /// [`DecodeOptions::memory_limit`](crate::DecodeOptions::memory_limit), the arena's limit or the memory is exhausted.
    #[must_use]
    pub fn is_memory_limit(&self) -> bool {
        self.fault() == Fault::Memory
    }

    /// The input is longer than [`DecodeOptions::size_limit`](crate::DecodeOptions::size_limit).
    #[must_use]
    pub fn is_size_limit(&self) -> bool {
        self.fault() == Fault::Size
    }

    /// Unknown fields have more bytes than
    /// [`DecodeOptions::unknown_fields_limit`](crate::DecodeOptions::unknown_fields_limit).
    #[must_use]
    pub fn is_unknown_fields_limit(&self) -> bool {
        self.fault() == Fault::UnknownBytes
    }

    /// There are more elements and entries than
    /// [`DecodeOptions::elements_limit`](crate::DecodeOptions::elements_limit).
    #[must_use]
    pub fn is_elements_limit(&self) -> bool {
        self.fault() == Fault::Elements
    }

    /// A string or bytes are longer than [`DecodeOptions::string_limit`](crate::DecodeOptions::string_limit).
    #[must_use]
    pub fn is_string_limit(&self) -> bool {
        self.fault() == Fault::Length
    }

    /// A limit was reached, be it one of the above: the message may be well-formed, and is not wanted.
    #[must_use]
    pub fn is_limit(&self) -> bool {
        use Fault::{Elements, Length, Memory, Recursion, Size, UnknownBytes};

        matches!(self.fault(), Recursion | Memory | Size | UnknownBytes | Elements | Length)
    }

    /// A required field is missing.
    #[must_use]
    pub fn is_missing_required(&self) -> bool {
        self.fault() == Fault::Missing
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { fault, offset, path } = self.inner();
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
            Fault::Size => "longer than the size limit",
            Fault::UnknownBytes => "more unknown fields than the limit",
            Fault::Elements => "more elements than the limit",
            Fault::Length => "string longer than the limit",
            Fault::Missing => "required field missing",
            Fault::Recorded | Fault::End => "malformed",
        };
        write!(f, "{reason} at byte {offset}")
    }
}

impl core::error::Error for DecodeError {}

/// Why a message could not be encoded; nothing was written.
///
/// Either the buffer is too small, or the message passes a [limit of encoding](crate::Message#limits-of-encoding).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EncodeError {
    kind: EncodeErrorKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EncodeErrorKind {
    Full { required: usize, remaining: usize },
    Excess(Excess),
}

impl EncodeError {
    #[cold]
    pub(crate) fn full(required: usize, remaining: usize) -> Self {
        EncodeError { kind: EncodeErrorKind::Full { required, remaining } }
    }

    /// The error of a decode that begins with an encode: from a message of one type to one of another.
    #[cfg(feature = "reflect")]
    pub(crate) fn in_conversion(self) -> DecodeError {
        DecodeError::at(if self.is_recursion_limit() { Fault::Recursion } else { Fault::Size }, 0)
    }

    /// Whether messages are nested more than 1,000 levels deep.
    #[must_use]
    pub fn is_recursion_limit(&self) -> bool {
        self.kind == EncodeErrorKind::Excess(Excess::Depth)
    }

    /// Whether the message takes more than 2 GiB less a byte, which is the most that a message may take.
    #[must_use]
    pub fn is_size_limit(&self) -> bool {
        self.kind == EncodeErrorKind::Excess(Excess::Length)
    }

    /// Bytes that the message takes; 0 unless the buffer is too small.
    #[must_use]
    pub fn required(&self) -> usize {
        if let EncodeErrorKind::Full { required, .. } = self.kind { required } else { 0 }
    }

    /// Bytes that the buffer had left; 0 unless the buffer is too small.
    #[must_use]
    pub fn remaining(&self) -> usize {
        if let EncodeErrorKind::Full { remaining, .. } = self.kind { remaining } else { 0 }
    }
}

impl From<Excess> for EncodeError {
    #[cold]
    fn from(excess: Excess) -> Self {
        EncodeError { kind: EncodeErrorKind::Excess(excess) }
    }
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            EncodeErrorKind::Full { required, remaining } => {
                write!(f, "the message takes {required} bytes, the buffer has {remaining} left")
            }
            EncodeErrorKind::Excess(Excess::Depth) => {
                write!(f, "messages are nested deeper than the {MAX_DEPTH} levels that can be encoded")
            }
            EncodeErrorKind::Excess(Excess::Length) => {
                write!(f, "the message takes more than the {MAX_LEN} bytes that a message may take")
            }
        }
    }
}

impl core::error::Error for EncodeError {}
