//! What can be chosen.

use core::fmt;

use alloc::string::String;

use super::{decode, encode};
use crate::arena::Arena;
use crate::descriptor::MessageDescriptor;
use crate::message::{LONGEST, Message};
use crate::reflect::{MessageRef, Resolver, Store};
use crate::text::{DecodeError, EncodeError};

/// How messages are written as text.
///
/// ```
/// # #[cfg(feature = "wkt")]
/// # fn main() {
/// use defiant::text::EncodeOptions;
/// use defiant::wkt::Duration;
///
/// let duration = Duration::new(1, 500);
/// assert_eq!(EncodeOptions::new().encode(&duration), "seconds: 1\nnanos: 500\n");
/// assert_eq!(EncodeOptions::new().single_line(true).encode(&duration), "seconds: 1 nanos: 500");
/// # }
/// # #[cfg(not(feature = "wkt"))]
/// # fn main() {}
/// ```
#[derive(Clone, Copy)]
pub struct EncodeOptions<'r> {
    pub(super) single_line: bool,
    pub(super) unknown_fields: bool,
    pub(super) redact: bool,
    pub(super) ascii: bool,
    pub(super) short_lists: bool,
    pub(super) recursion_limit: u32,
    pub(super) resolver: Option<&'r dyn Resolver>,
}

impl Default for EncodeOptions<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'r> EncodeOptions<'r> {
    /// A line for each field, indented by two spaces for each message around it; without unknown fields; characters as they
    /// are; 100 levels.
    #[must_use]
    pub const fn new() -> Self {
        EncodeOptions {
            single_line: false,
            unknown_fields: false,
            redact: false,
            ascii: false,
            short_lists: false,
            recursion_limit: 100,
            resolver: None,
        }
    }

    /// Everything on one line.
    #[must_use]
    pub const fn single_line(mut self, yes: bool) -> Self {
        self.single_line = yes;
        self
    }

    /// Whether unknown fields are written, with their numbers in place of names.
    ///
    /// That is for people: no parser reads it. A length-delimited value is written as a message when its bytes can be one.
    #[must_use]
    pub const fn unknown_fields(mut self, write: bool) -> Self {
        self.unknown_fields = write;
        self
    }

    /// Whether fields with the option `debug_redact` are written as `[REDACTED]`, which no parser reads; and so what a
    /// `google.protobuf.Any` holds, where it is not expanded: nobody can tell which fields are in it.
    #[must_use]
    pub const fn redact(mut self, yes: bool) -> Self {
        self.redact = yes;
        self
    }

    /// Whether characters of strings outside of ASCII are written as escapes of their bytes, as `protoc --decode` does.
    #[must_use]
    pub const fn escape_non_ascii(mut self, yes: bool) -> Self {
        self.ascii = yes;
        self
    }

    /// Whether repeated fields that hold no messages are written as `scores: [1, 2]` instead of once for each value.
    #[must_use]
    pub const fn short_lists(mut self, yes: bool) -> Self {
        self.short_lists = yes;
        self
    }

    /// Limits the levels of messages, groups and map entries inside the outermost message. The default is 100.
    ///
    /// Stops messages that were built by hand or at run time from overflowing the stack. A message that was decoded from the
    /// wire or from text with this limit never exceeds it.
    ///
    /// For a message below the limit, [`try_encode`](Self::try_encode) and [`try_encode_message`](Self::try_encode_message)
    /// fail with an error that names its path, and [`encode_to`](Self::encode_to) and
    /// [`encode_message_to`](Self::encode_message_to) fail. What returns no error writes `name { ... }`, which no parser
    /// reads.
    #[must_use]
    pub const fn recursion_limit(mut self, levels: u32) -> Self {
        self.recursion_limit = levels;
        self
    }

    /// Where types are found: then extensions are written by their names, and a `google.protobuf.Any` whose type is known is
    /// written expanded, `[type.googleapis.com/example.Person] { .. }`.
    #[must_use]
    pub const fn resolver(mut self, resolver: &'r dyn Resolver) -> Self {
        self.resolver = Some(resolver);
        self
    }

    /// The message as text.
    #[must_use]
    pub fn encode<'arena, M: Message<'arena>>(&self, message: &M) -> String {
        self.encode_message(MessageRef::of(message))
    }

    /// The message as text in an arena, which may be the one that it lives in.
    ///
    /// # Panics
    /// When memory or the arena's limit is exhausted.
    #[must_use]
    pub fn encode_in<'a, 'arena, M: Message<'arena>>(&self, message: &M, arena: &'a Arena) -> &'a str {
        self.encode_message_in(MessageRef::of(message), arena)
    }

    /// The message as text, or an error that names the path where it nests too deep.
    ///
    /// # Errors
    /// [`EncodeError`] when messages nest deeper than the [recursion limit](Self::recursion_limit).
    pub fn try_encode<'arena, M: Message<'arena>>(&self, message: &M) -> Result<String, EncodeError> {
        self.try_encode_message(MessageRef::of(message))
    }

    /// [`try_encode`](Self::try_encode) of a message of any type.
    ///
    /// # Errors
    /// As there.
    pub fn try_encode_message(&self, message: MessageRef<'_>) -> Result<String, EncodeError> {
        let mut text = String::new();
        match encode::write(message, self, &mut text) {
            Ok(()) => Ok(text),
            // Writing to a string does not fail, so there is a path.
            Err(path) => Err(EncodeError::too_deep(path.unwrap_or_default())),
        }
    }

    /// Writes the message as text.
    ///
    /// # Errors
    /// Whatever `out` reports, and when messages nest deeper than the [recursion limit](Self::recursion_limit). Then part of
    /// the text is written.
    pub fn encode_to<'arena, M: Message<'arena>>(&self, message: &M, out: &mut dyn fmt::Write) -> fmt::Result {
        self.encode_message_to(MessageRef::of(message), out)
    }

    /// A message of any type as text.
    #[must_use]
    pub fn encode_message(&self, message: MessageRef<'_>) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = self.write_all(message, &mut text);
        text
    }

    /// A message of any type as text in an arena.
    ///
    /// # Panics
    /// When memory or the arena's limit is exhausted.
    #[must_use]
    pub fn encode_message_in<'a>(&self, message: MessageRef<'_>, arena: &'a Arena) -> &'a str {
        let mut text = InArena(arena.vec());
        // Nor does writing to an arena.
        let _ = self.write_all(message, &mut text);
        // Put together from whole strings, so that this is never the default.
        core::str::from_utf8(text.0.into_slice()).unwrap_or_default()
    }

    /// [`encode_to`](Self::encode_to) of a message of any type.
    ///
    /// # Errors
    /// As there.
    pub fn encode_message_to(&self, message: MessageRef<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
        encode::write(message, self, out).map_err(|_| fmt::Error)
    }

    /// Writes a message, and `...` in place of messages below the recursion limit.
    pub(super) fn write_all(&self, message: MessageRef<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
        encode::write_all(message, self, out)
    }
}

impl fmt::Debug for EncodeOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EncodeOptions")
            .field("single_line", &self.single_line)
            .field("unknown_fields", &self.unknown_fields)
            .field("redact", &self.redact)
            .field("escape_non_ascii", &self.ascii)
            .field("short_lists", &self.short_lists)
            .field("recursion_limit", &self.recursion_limit)
            .field("resolver", &self.resolver.is_some())
            .finish()
    }
}

/// Text that grows in an arena.
struct InArena<'a>(crate::arena::Vec<'a, u8>);

impl fmt::Write for InArena<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.extend_from_slice(text.as_bytes());
        Ok(())
    }
}

/// How text is read: limits for hostile input, and what is let through.
///
/// ```
/// # #[cfg(feature = "wkt")]
/// # fn main() {
/// use defiant::Arena;
/// use defiant::text::DecodeOptions;
/// use defiant::wkt::Duration;
///
/// let arena = Arena::new();
/// let options = DecodeOptions::new().memory_limit(1 << 20).ignore_unknown_fields(true);
/// let duration: Duration<'_> = options.decode("seconds: 1 hours { of: 'day' }", &arena).expect("valid");
/// assert_eq!(duration, Duration::new(1, 0));
/// # }
/// # #[cfg(not(feature = "wkt"))]
/// # fn main() {}
/// ```
#[derive(Clone, Copy)]
pub struct DecodeOptions<'r> {
    pub(super) recursion_limit: u32,
    pub(super) memory_limit: usize,
    pub(super) size_limit: usize,
    elements_limit: usize,
    string_limit: usize,
    pub(super) ignore_unknown: bool,
    pub(super) resolver: Option<&'r dyn Resolver>,
}

impl Default for DecodeOptions<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'r> DecodeOptions<'r> {
    /// 100 levels, 1 GiB of memory a message, unknown fields rejected.
    #[must_use]
    pub const fn new() -> Self {
        DecodeOptions {
            recursion_limit: 100,
            memory_limit: 1 << 30,
            size_limit: LONGEST,
            elements_limit: usize::MAX,
            string_limit: usize::MAX,
            ignore_unknown: false,
            resolver: None,
        }
    }

    /// Levels of messages, groups and map entries inside the outermost message, what is skipped included.
    ///
    /// It protects the stack.
    #[must_use]
    pub const fn recursion_limit(mut self, levels: u32) -> Self {
        self.recursion_limit = levels;
        self
    }

    /// Bytes of arena memory that one message may take.
    ///
    /// It protects against text that is much larger in memory: an empty message takes two characters, and its struct's size.
    #[must_use]
    pub const fn memory_limit(mut self, bytes: usize) -> Self {
        self.memory_limit = bytes;
        self
    }

    /// Bytes that a text may have; one that has more is not looked at. With it, the number of elements and the lengths of
    /// strings are limited as well. The default is 2 GiB less a byte.
    #[must_use]
    pub const fn size_limit(mut self, bytes: usize) -> Self {
        self.size_limit = bytes;
        self
    }

    /// Elements of lists and entries of maps that one text may have, in all messages together, those in an `Any` and in
    /// extensions included.
    ///
    /// It protects what is done with each of them, as that [of the wire](crate::DecodeOptions::elements_limit) does. The
    /// default is no limit but those of size and memory.
    #[must_use]
    pub const fn elements_limit(mut self, elements: usize) -> Self {
        self.elements_limit = elements;
        self
    }

    /// Bytes that each value of type `string` or `bytes` may have, without escapes, the keys of maps included.
    ///
    /// It protects what is done with a string, as that [of the wire](crate::DecodeOptions::string_limit) does. Of an `Any` that
    /// is written expanded, the URL counts and what is in the message, not the bytes that the message becomes. The default is no
    /// limit but those of size and memory.
    #[must_use]
    pub const fn string_limit(mut self, bytes: usize) -> Self {
        self.string_limit = bytes;
        self
    }

    /// Memory for one text.
    pub(super) fn store<'arena>(&self, arena: &'arena Arena) -> Store<'arena> {
        Store::new(arena, self.memory_limit).with_limits(self.elements_limit, self.string_limit, self.recursion_limit)
    }

    /// Whether fields and extensions of unknown names are skipped; else they are errors. Reserved names are skipped either
    /// way, and an `Any` of an unknown type is always an error.
    #[must_use]
    pub const fn ignore_unknown_fields(mut self, yes: bool) -> Self {
        self.ignore_unknown = yes;
        self
    }

    /// Where the types of extensions, and those in a `google.protobuf.Any`, are found.
    #[must_use]
    pub const fn resolver(mut self, resolver: &'r dyn Resolver) -> Self {
        self.resolver = Some(resolver);
        self
    }

    /// Reads a message, which goes into an arena with its strings; on failure the memory is given back.
    ///
    /// # Errors
    /// [`DecodeError`] when the text is no such message or passes a limit.
    pub fn decode<'arena, M: Message<'arena>>(&self, text: &str, arena: &'arena Arena) -> Result<M, DecodeError> {
        decode::typed(text, self, arena)
    }

    /// Reads a message whose type is known at run time.
    ///
    /// # Errors
    /// As [`decode`](Self::decode).
    pub fn decode_message<'a>(
        &self,
        descriptor: &'a MessageDescriptor,
        text: &str,
        arena: &'a Arena,
    ) -> Result<MessageRef<'a>, DecodeError> {
        decode::of_descriptor(descriptor, text, self, arena)
    }
}

impl fmt::Debug for DecodeOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DecodeOptions")
            .field("recursion_limit", &self.recursion_limit)
            .field("memory_limit", &self.memory_limit)
            .field("size_limit", &self.size_limit)
            .field("elements_limit", &self.elements_limit)
            .field("string_limit", &self.string_limit)
            .field("ignore_unknown_fields", &self.ignore_unknown)
            .field("resolver", &self.resolver.is_some())
            .finish()
    }
}
