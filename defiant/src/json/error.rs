//! What can go wrong, with its place.

use core::fmt;

use alloc::borrow::Cow;
use alloc::string::String;

use crate::descriptor::{FieldDescriptor, MessageDescriptor};
use crate::error::{path_before, words};
use crate::reflect::{Exhausted, Rejected};
use crate::try_box::TryBox;

/// Why something was not read or written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    /// The text is not JSON.
    Syntax(&'static str),
    /// The value is not one that the field can have.
    Value(&'static str),
    UnknownField(String),
    UnknownEnumValue(String),
    /// A field, a oneof or a key that was there before.
    Twice(Cow<'static, str>),
    Missing,
    Recursion,
    Memory,
    /// The text is longer than the limit.
    Size,
    /// There are more elements than the limit.
    Elements,
    /// A string is longer than the limit.
    Length,
    /// No type of this name, for an `Any`.
    Unresolved(String),
    /// What an `Any`, an extension or a lazy message is decoded from is malformed.
    Wire(String),
    /// A path of a field mask.
    Path(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Syntax(what) | Reason::Value(what) => f.write_str(what),
            Reason::UnknownField(name) => write!(f, "unknown field {name:?}"),
            Reason::UnknownEnumValue(name) => write!(f, "unknown enum value {name}"),
            Reason::Twice(name) => write!(f, "{name} is there twice"),
            Reason::Missing => f.write_str("required field missing"),
            Reason::Recursion => f.write_str("nested deeper than the recursion limit"),
            Reason::Memory => f.write_str("memory limit reached"),
            Reason::Size => f.write_str("longer than the size limit"),
            Reason::Elements => f.write_str("more elements than the limit"),
            Reason::Length => f.write_str("string longer than the limit"),
            Reason::Unresolved(name) => write!(f, "the resolver has no message type {name:?}"),
            Reason::Wire(error) => write!(f, "malformed content: {error}"),
            Reason::Path(path) => write!(f, "{path:?} has no form in camelCase that it would come back from"),
        }
    }
}

/// A failure on its way out.
#[derive(Debug)]
pub(super) struct Fail(TryBox<Failure>);

#[derive(Debug)]
struct Failure {
    reason: Reason,
    /// Bytes from the start of the text; `UNKNOWN` until somebody knows.
    offset: usize,
    path: String,
    /// In the text; of what has none, 1.
    line: usize,
    column: usize,
}

const UNKNOWN: usize = usize::MAX;

impl Fail {
    #[cold]
    #[inline(never)]
    pub(super) fn new(reason: Reason) -> Self {
        Self::at(reason, UNKNOWN)
    }

    #[cold]
    #[inline(never)]
    pub(super) fn at(reason: Reason, offset: usize) -> Self {
        Fail(TryBox::new(Failure { reason, offset, path: String::new(), line: 1, column: 1 }))
    }

    fn failure(&self) -> &Failure {
        const EXHAUSTED: &Failure =
            &Failure { reason: Reason::Memory, offset: 0, path: String::new(), line: 1, column: 1 };
        self.0.get().unwrap_or(EXHAUSTED)
    }

    fn with_path(mut self, path: impl FnOnce(&str) -> String) -> Self {
        if let Some(failure) = self.0.get_mut() {
            failure.path = path(&failure.path);
        }
        self
    }

    /// Puts a message and one of its fields before the path.
    #[cold]
    #[inline(never)]
    pub(super) fn within(self, message: &MessageDescriptor, field: &FieldDescriptor) -> Self {
        self.with_path(|path| path_before(format_args!("{}.{}", message.name(), field.name()), path))
    }

    /// Puts a message and one of its extensions before a path that has no holder.
    #[cfg(feature = "serde")]
    #[cold]
    #[inline(never)]
    pub(super) fn inside_extension(self, message: &MessageDescriptor, extension: &str) -> Self {
        self.with_path(|path| path_before(format_args!("{}.[{extension}]", message.name()), path))
    }

    /// Puts a message and one of its extensions before the path.
    #[cold]
    #[inline(never)]
    pub(super) fn within_extension(self, message: &MessageDescriptor, extension: &str) -> Self {
        self.with_path(|path| {
            // The holder of the extension is no message that anybody has heard of.
            let rest = path.split_once(": ").map_or("", |path| path.1);
            path_before(format_args!("{}.[{extension}]", message.name()), rest)
        })
    }

    /// With other words for what is wrong with a value, if that is it.
    #[cold]
    #[inline(never)]
    pub(super) fn instead_of_value(mut self, what: &'static str) -> Self {
        if let Some(Failure { reason: Reason::Value(old), .. }) = self.0.get_mut() {
            *old = what;
        }
        self
    }

    /// The place, if none is known yet.
    #[cold]
    #[inline(never)]
    pub(super) fn or_at(mut self, offset: usize) -> Self {
        if let Some(failure) = self.0.get_mut().filter(|failure| failure.offset == UNKNOWN) {
            failure.offset = offset;
        }
        self
    }
}

impl From<Exhausted> for Fail {
    #[cold]
    fn from(exhausted: Exhausted) -> Self {
        Fail::new(match exhausted {
            Exhausted::Memory => Reason::Memory,
            Exhausted::Elements => Reason::Elements,
            Exhausted::Length => Reason::Length,
            Exhausted::Depth => Reason::Recursion,
        })
    }
}

impl From<Rejected> for Fail {
    #[cold]
    fn from(rejected: Rejected) -> Self {
        match rejected {
            Rejected::Exhausted(exhausted) => exhausted.into(),
            Rejected::Type => Fail::new(Reason::Value("not a value of this field")),
        }
    }
}

/// Why and where a text was not decoded.
///
/// It prints as `Person.home: Point.label: expected a string at line 3, column 17`: the path of messages and fields, from
/// the outermost to the innermost, the reason, and the place in the text.
#[derive(Debug)]
pub struct DecodeError {
    inner: Fail,
}

impl DecodeError {
    #[cold]
    pub(super) fn new(mut inner: Fail, text: &[u8]) -> Self {
        if let Some(failure) = inner.0.get_mut() {
            failure.offset = failure.offset.min(text.len());
            let before = &text[..failure.offset];
            failure.line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
            let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            // What is no first byte of a character belongs to the one before.
            failure.column = before[start..].iter().filter(|byte| **byte & 0xc0 != 0x80).count() + 1;
        }
        DecodeError { inner }
    }

    /// Bytes from the start of the text to where the fault was noticed.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.inner.failure().offset
    }

    /// The line of the fault, from 1.
    #[must_use]
    pub fn line(&self) -> usize {
        self.inner.failure().line
    }

    /// The place of the fault in its line, from 1, in characters.
    #[must_use]
    pub fn column(&self) -> usize {
        self.inner.failure().column
    }

    /// Messages and fields from the outermost to the innermost, as `Person.home: Point.label`; empty before the first.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.inner.failure().path
    }

    /// The text is not JSON.
    #[must_use]
    pub fn is_syntax(&self) -> bool {
        matches!(self.inner.failure().reason, Reason::Syntax(_))
    }

    /// It is JSON, but a value is not one that its field can have.
    #[must_use]
    pub fn is_invalid_value(&self) -> bool {
        matches!(
            self.inner.failure().reason,
            Reason::Value(_) | Reason::UnknownEnumValue(_) | Reason::Wire(_) | Reason::Path(_)
        )
    }

    /// A message has no such field; [`DecodeOptions::ignore_unknown_fields`](super::DecodeOptions::ignore_unknown_fields)
    /// passes over those.
    #[must_use]
    pub fn is_unknown_field(&self) -> bool {
        matches!(self.inner.failure().reason, Reason::UnknownField(_))
    }

    /// A field, a member of the same oneof, or a key of a map was there before.
    #[must_use]
    pub fn is_duplicate(&self) -> bool {
        matches!(self.inner.failure().reason, Reason::Twice(_))
    }

    /// A required field is missing.
    #[must_use]
    pub fn is_missing_required(&self) -> bool {
        self.inner.failure().reason == Reason::Missing
    }

    /// Objects and arrays nest deeper than [`DecodeOptions::recursion_limit`](super::DecodeOptions::recursion_limit).
    #[must_use]
    pub fn is_recursion_limit(&self) -> bool {
        self.inner.failure().reason == Reason::Recursion
    }

    /// [`DecodeOptions::memory_limit`](super::DecodeOptions::memory_limit), the arena's limit or the memory is exhausted.
    #[must_use]
    pub fn is_memory_limit(&self) -> bool {
        self.inner.failure().reason == Reason::Memory
    }

    /// The text is longer than [`DecodeOptions::size_limit`](super::DecodeOptions::size_limit).
    #[must_use]
    pub fn is_size_limit(&self) -> bool {
        self.inner.failure().reason == Reason::Size
    }

    /// There are more elements and entries than
    /// [`DecodeOptions::elements_limit`](super::DecodeOptions::elements_limit).
    #[must_use]
    pub fn is_elements_limit(&self) -> bool {
        self.inner.failure().reason == Reason::Elements
    }

    /// A string or bytes are longer than [`DecodeOptions::string_limit`](super::DecodeOptions::string_limit).
    #[must_use]
    pub fn is_string_limit(&self) -> bool {
        self.inner.failure().reason == Reason::Length
    }

    /// The [resolver](super::DecodeOptions::resolver) does not have the type of an `Any`, or there is no resolver.
    #[must_use]
    pub fn is_unresolved_type(&self) -> bool {
        matches!(self.inner.failure().reason, Reason::Unresolved(_))
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Failure { reason, path, line, column, .. } = self.inner.failure();
        if !path.is_empty() {
            write!(f, "{path}: ")?;
        }
        write!(f, "{reason} at line {line}, column {column}")
    }
}

impl core::error::Error for DecodeError {}

/// Why a message has no JSON.
///
/// It prints as `Event.at: not a timestamp of the years 1 to 9999`: the path of messages and fields, from the outermost to
/// the innermost, and the reason.
#[derive(Debug)]
pub struct EncodeError {
    inner: Fail,
}

#[cfg(feature = "serde")]
impl From<DecodeError> for Fail {
    /// Without the place in the text.
    fn from(error: DecodeError) -> Self {
        error.inner
    }
}

impl EncodeError {
    #[cold]
    pub(super) fn new(inner: Fail) -> Self {
        EncodeError { inner }
    }

    #[cfg(feature = "serde")]
    pub(super) fn into_fail(self) -> Fail {
        self.inner
    }

    /// Messages and fields from the outermost to the innermost, as `Person.home: Point.label`.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.inner.failure().path
    }

    /// A well-known type has a value without a form in JSON: a timestamp out of range, a `Value` that is not finite, a path
    /// of a field mask that would not come back, the content of an `Any` that does not decode.
    #[must_use]
    pub fn is_invalid_value(&self) -> bool {
        matches!(self.inner.failure().reason, Reason::Value(_) | Reason::Wire(_) | Reason::Path(_))
    }

    /// The [resolver](super::EncodeOptions::resolver) does not have the type of an `Any`, or there is no resolver.
    #[must_use]
    pub fn is_unresolved_type(&self) -> bool {
        matches!(self.inner.failure().reason, Reason::Unresolved(_))
    }

    /// Messages nest deeper than [`EncodeOptions::recursion_limit`](super::EncodeOptions::recursion_limit), those in an `Any`
    /// and in extensions included.
    #[must_use]
    pub fn is_recursion_limit(&self) -> bool {
        self.inner.failure().reason == Reason::Recursion
    }

    /// The arena's limit or the memory is exhausted.
    #[must_use]
    pub fn is_memory_limit(&self) -> bool {
        self.inner.failure().reason == Reason::Memory
    }
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Failure { reason, path, .. } = self.inner.failure();
        if path.is_empty() { reason.fmt(f) } else { write!(f, "{path}: {reason}") }
    }
}

impl core::error::Error for EncodeError {}

impl From<crate::DecodeError> for Fail {
    #[cold]
    fn from(error: crate::DecodeError) -> Self {
        Fail::new(if error.is_recursion_limit() {
            Reason::Recursion
        } else if error.is_memory_limit() {
            Reason::Memory
        } else {
            Reason::Wire(words(format_args!("{error}")))
        })
    }
}
