//! Errors of reading and writing text, with their places.

use core::fmt;

use alloc::borrow::Cow;
use alloc::string::String;

use crate::error::path_before;
use crate::reflect::{Exhausted, Rejected};
use crate::try_box::TryBox;

/// Why and where a text is no message of its type.
///
/// It prints as `Person.home: Point.label: expected a string at line 3, column 17`: the path of messages and fields, from the
/// outermost to the innermost, the reason, and the place in the text.
///
/// ```
/// # #[cfg(feature = "wkt")]
/// # fn main() {
/// use defiant::wkt::Duration;
/// use defiant::{Arena, text};
///
/// let arena = Arena::new();
/// let error = text::decode::<Duration<'_>>("seconds: 1\nnanos: \"2\"", &arena).unwrap_err();
/// assert_eq!(error.to_string(), "Duration.nanos: expected an integer at line 2, column 8");
/// assert_eq!((error.line(), error.column(), error.path()), (2, 8, "Duration.nanos"));
/// # }
/// # #[cfg(not(feature = "wkt"))]
/// # fn main() {}
/// ```
pub struct DecodeError {
    inner: TryBox<Inner>,
}

struct Inner {
    kind: Kind,
    reason: Cow<'static, str>,
    path: String,
    offset: usize,
    line: usize,
    column: usize,
}

/// What sort of mistake it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The grammar, or a value of another type than the field.
    Syntax,
    /// A number that the field's type, or a name or number that its enum does not have.
    Range,
    Utf8,
    UnknownField,
    /// A type or an extension that no resolver knows.
    Unresolved,
    Duplicate,
    Missing,
    Recursion,
    Memory,
    Size,
    Elements,
    Length,
}

/// A mistake on its way out: the place is an offset, or not known yet.
pub(super) struct Failure(TryBox<Inner>);

/// What reading gives.
pub(super) type Result<T> = core::result::Result<T, Failure>;

/// The offset of what is not known yet.
const NOWHERE: usize = usize::MAX;

const MEMORY: &str = "memory limit reached";
pub(super) const TOO_DEEP: &str = "nested deeper than the recursion limit";

impl Failure {
    #[cold]
    pub(super) fn new(kind: Kind, reason: impl Into<Cow<'static, str>>, offset: usize) -> Self {
        let (reason, path) = (reason.into(), String::new());
        Failure(TryBox::new(Inner { kind, reason, path, offset, line: 1, column: 1 }))
    }

    /// Puts a message and one of its fields before the path, and gives a place to a mistake that has none.
    #[cold]
    pub(super) fn within(mut self, message: &str, field: impl fmt::Display, offset: usize) -> Self {
        if let Some(inner) = self.0.get_mut() {
            inner.path = path_before(format_args!("{message}.{field}"), &inner.path);
        }
        self.at(offset)
    }

    /// Gives a place to a mistake that has none.
    #[cold]
    pub(super) fn at(mut self, offset: usize) -> Self {
        if let Some(inner) = self.0.get_mut().filter(|inner| inner.offset == NOWHERE) {
            inner.offset = offset;
        }
        self
    }

    /// The mistake with its line and column in the text.
    #[cold]
    pub(super) fn in_text(mut self, text: &str) -> DecodeError {
        if let Some(inner) = self.0.get_mut() {
            inner.offset = inner.offset.min(text.len());
            let before = text.get(..inner.offset).unwrap_or_default();
            inner.line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
            inner.column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        }
        DecodeError { inner: self.0 }
    }
}

impl From<Exhausted> for Failure {
    fn from(exhausted: Exhausted) -> Self {
        let (kind, reason) = match exhausted {
            Exhausted::Memory => (Kind::Memory, MEMORY),
            Exhausted::Elements => (Kind::Elements, "more elements than the limit"),
            Exhausted::Length => (Kind::Length, "string longer than the limit"),
            Exhausted::Depth => (Kind::Recursion, "nested deeper than can be encoded"),
        };
        Failure::new(kind, reason, NOWHERE)
    }
}

impl From<Rejected> for Failure {
    fn from(rejected: Rejected) -> Self {
        match rejected {
            Rejected::Exhausted(exhausted) => exhausted.into(),
            Rejected::Type => Failure::new(Kind::Range, "the field's type does not have this value", NOWHERE),
        }
    }
}

impl DecodeError {
    fn inner(&self) -> &Inner {
        const EXHAUSTED: &Inner = &Inner {
            kind: Kind::Memory,
            reason: Cow::Borrowed(MEMORY),
            path: String::new(),
            offset: 0,
            line: 1,
            column: 1,
        };
        self.inner.get().unwrap_or(EXHAUSTED)
    }

    /// Bytes from the start of the text to the mistake.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.inner().offset
    }

    /// The line, counted from 1.
    #[must_use]
    pub fn line(&self) -> usize {
        self.inner().line
    }

    /// The column, in characters, counted from 1.
    #[must_use]
    pub fn column(&self) -> usize {
        self.inner().column
    }

    /// Messages and fields from the outermost to the innermost, as `Person.home: Point.label`; empty before the first.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.inner().path
    }

    /// The text is not written as the format asks for, or a value is not of its field's type.
    #[must_use]
    pub fn is_syntax(&self) -> bool {
        self.inner().kind == Kind::Syntax
    }

    /// A number is one that the field's type does not have; or a name or number is one that its enum does not have.
    #[must_use]
    pub fn is_out_of_range(&self) -> bool {
        self.inner().kind == Kind::Range
    }

    /// A string is not UTF-8.
    #[must_use]
    pub fn is_invalid_utf8(&self) -> bool {
        self.inner().kind == Kind::Utf8
    }

    /// The message has no field of the name.
    #[must_use]
    pub fn is_unknown_field(&self) -> bool {
        self.inner().kind == Kind::UnknownField
    }

    /// The [resolver](super::DecodeOptions::resolver) does not know an extension, or the type in a `google.protobuf.Any`; or
    /// there is none.
    #[must_use]
    pub fn is_unresolved(&self) -> bool {
        self.inner().kind == Kind::Unresolved
    }

    /// A field that is not repeated is given twice, or two members of a oneof are given.
    #[must_use]
    pub fn is_duplicate(&self) -> bool {
        self.inner().kind == Kind::Duplicate
    }

    /// A required field is missing.
    #[must_use]
    pub fn is_missing_required(&self) -> bool {
        self.inner().kind == Kind::Missing
    }

    /// Messages nest deeper than [`DecodeOptions::recursion_limit`](super::DecodeOptions::recursion_limit).
    #[must_use]
    pub fn is_recursion_limit(&self) -> bool {
        self.inner().kind == Kind::Recursion
    }

    /// [`DecodeOptions::memory_limit`](super::DecodeOptions::memory_limit), the arena's limit or the memory is exhausted.
    #[must_use]
    pub fn is_memory_limit(&self) -> bool {
        self.inner().kind == Kind::Memory
    }

    /// The text is longer than [`DecodeOptions::size_limit`](super::DecodeOptions::size_limit).
    #[must_use]
    pub fn is_size_limit(&self) -> bool {
        self.inner().kind == Kind::Size
    }

    /// There are more elements and entries than
    /// [`DecodeOptions::elements_limit`](super::DecodeOptions::elements_limit).
    #[must_use]
    pub fn is_elements_limit(&self) -> bool {
        self.inner().kind == Kind::Elements
    }

    /// A string or bytes are longer than [`DecodeOptions::string_limit`](super::DecodeOptions::string_limit).
    #[must_use]
    pub fn is_string_limit(&self) -> bool {
        self.inner().kind == Kind::Length
    }
}

impl fmt::Debug for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { kind, reason, path, line, column, .. } = self.inner();
        f.debug_struct("DecodeError")
            .field("kind", kind)
            .field("reason", reason)
            .field("path", path)
            .field("line", line)
            .field("column", column)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { reason, path, line, column, .. } = self.inner();
        if !path.is_empty() {
            write!(f, "{path}: ")?;
        }
        write!(f, "{reason} at line {line}, column {column}")
    }
}

impl core::error::Error for DecodeError {}

/// Why and where a message was not written as text.
///
/// It prints as `Node.child: Node.child: nested deeper than the recursion limit`: the path of messages and fields, from the
/// outermost to the innermost, and the reason.
pub struct EncodeError {
    path: String,
}

impl EncodeError {
    #[cold]
    pub(super) fn too_deep(path: String) -> Self {
        EncodeError { path }
    }

    /// Messages and fields from the outermost to the innermost, as `Person.home: Point.label`.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Messages nest deeper than [`EncodeOptions::recursion_limit`](super::EncodeOptions::recursion_limit).
    #[must_use]
    pub fn is_recursion_limit(&self) -> bool {
        // There is no other reason yet.
        true
    }
}

impl fmt::Debug for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EncodeError({self})")
    }
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(TOO_DEEP)
    }
}

impl core::error::Error for EncodeError {}
