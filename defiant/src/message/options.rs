//! What a decode is told: limits, and what to keep.

use bytes::Buf;

use super::Message;
use super::decode::{decode_borrowed, decode_copied, decode_gathered};
use crate::arena::Arena;
use crate::error::DecodeError;
use crate::table::Code;
use crate::wire::context::Fault;

/// Limits for hostile input, and what to keep.
///
/// ```
/// # use defiant::{Arena, DecodeOptions, Message, UnknownFields};
/// # #[derive(Clone, Copy, Debug, PartialEq, Message)]
/// # struct Empty<'arena> { #[defiant(unknown)] unknown_fields: UnknownFields<'arena> }
/// let arena = Arena::new();
/// let options = DecodeOptions::new().recursion_limit(20).memory_limit(1 << 20).unknown_fields(false);
/// let message: Empty<'_> = options.decode(&[8, 1], &arena)?;
/// assert!(message.unknown_fields.is_empty());
/// # Ok::<(), defiant::DecodeError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct DecodeOptions {
    pub(super) recursion_limit: u32,
    pub(super) memory_limit: usize,
    /// Bytes; a lazy message has options of its own, so they are kept small.
    pub(super) size_limit: u32,
    /// Bytes; the largest number is no limit.
    unknown_fields_limit: u32,
    pub(super) unknown_fields: bool,
}

/// A number of bytes in few, at most four GiB less one.
const fn narrow(bytes: usize) -> u32 {
    if bytes > u32::MAX as usize { u32::MAX } else { bytes as u32 }
}

/// The longest message of the protobuf format, in bytes.
/// Source: <https://protobuf.dev/programming-guides/proto-limits/#total>.
pub(crate) const LONGEST: usize = i32::MAX as usize;

impl Default for DecodeOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl DecodeOptions {
    pub(super) const DEFAULT: &DecodeOptions = &DecodeOptions::new();

    /// Messages of up to 2 GiB, 100 levels, 1 GiB of arena memory a message, unknown fields kept, however many.
    #[must_use]
    pub const fn new() -> Self {
        DecodeOptions {
            recursion_limit: 100,
            memory_limit: 1 << 30,
            size_limit: narrow(LONGEST),
            unknown_fields_limit: u32::MAX,
            unknown_fields: true,
        }
    }

    /// Bytes that a message may take on the wire.
    ///
    /// It protects against input that is too long to be looked at: nothing of it is copied or read. As an element of a
    /// repeated field and an entry of a map take at least a byte on the wire, and strings and bytes are borrowed from it,
    /// it limits how many and how long these are as well. The default is 2 GiB less a byte, the longest message that there
    /// is; the most that can be allowed is 4 GiB less a byte.
    ///
    /// ```
    /// # use defiant::{Arena, DecodeOptions, Message, UnknownFields};
    /// # #[derive(Clone, Copy, Debug, PartialEq, Message)]
    /// # struct Empty<'arena> { #[defiant(unknown)] unknown_fields: UnknownFields<'arena> }
    /// let arena = Arena::new();
    /// let options = DecodeOptions::new().size_limit(2);
    /// assert!(options.decode::<Empty<'_>>(&[8, 1], &arena).is_ok());
    /// assert!(options.decode::<Empty<'_>>(&[8, 1, 8], &arena).unwrap_err().is_size_limit());
    /// ```
    #[must_use]
    pub const fn size_limit(mut self, bytes: usize) -> Self {
        self.size_limit = narrow(bytes);
        self
    }

    /// Levels of messages, groups and map entries inside the outermost message; skipped groups count.
    ///
    /// It protects the stack. The default is 100, as in Google's implementations.
    #[must_use]
    pub const fn recursion_limit(mut self, levels: u32) -> Self {
        self.recursion_limit = levels;
        self
    }

    /// Bytes that one decode may take from the arena, the copy of the input included. What is lost to alignment, fewer than
    /// eight bytes before a value, is not counted.
    ///
    /// It protects against input that is much larger in memory than on the wire: a message of no bytes takes two bytes
    /// on the wire and its struct's size in memory.
    #[must_use]
    pub const fn memory_limit(mut self, bytes: usize) -> Self {
        self.memory_limit = bytes;
        self
    }

    /// Whether unknown fields are kept, to be encoded again and to read [extensions](crate::Extension) from. They are
    /// checked either way.
    #[must_use]
    pub const fn unknown_fields(mut self, keep: bool) -> Self {
        self.unknown_fields = keep;
        self
    }

    /// Bytes of unknown fields that one decode may keep, in all messages together. Those of a lazy message count when it is
    /// decoded, against what was left.
    ///
    /// It protects what is done with them: a server that passes messages on would pass on whatever a client hides in
    /// them, and to read an extension is to walk over all of them. The default is no limit but that of the message's
    /// size, because they are kept where they are in the input.
    ///
    /// ```
    /// # use defiant::{Arena, DecodeOptions, Message, UnknownFields};
    /// # #[derive(Clone, Copy, Debug, PartialEq, Message)]
    /// # struct Empty<'arena> { #[defiant(unknown)] unknown_fields: UnknownFields<'arena> }
    /// let arena = Arena::new();
    /// let options = DecodeOptions::new().unknown_fields_limit(3);
    /// assert!(options.decode::<Empty<'_>>(&[8, 1], &arena).is_ok());
    /// assert!(options.decode::<Empty<'_>>(&[8, 1, 8, 1], &arena).unwrap_err().is_unknown_fields_limit());
    /// assert!(options.unknown_fields(false).decode::<Empty<'_>>(&[8, 1, 8, 1], &arena).is_ok());
    /// ```
    #[must_use]
    pub const fn unknown_fields_limit(mut self, bytes: usize) -> Self {
        self.unknown_fields_limit = narrow(bytes);
        self
    }

    /// [`Message::decode`] with these options.
    ///
    /// # Errors
    /// [`DecodeError`] when the input is malformed or passes a limit.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn decode<'arena, M: Message<'arena>>(self, wire: &[u8], arena: &'arena Arena) -> Result<M, DecodeError> {
        decode_copied(&self, wire, arena)
    }

    /// [`Message::decode_buf`] with these options.
    ///
    /// # Errors
    /// As [`decode`](Self::decode).
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn decode_buf<'arena, M: Message<'arena>>(
        self,
        wire: impl Buf,
        arena: &'arena Arena,
    ) -> Result<M, DecodeError> {
        decode_gathered(&self, wire, arena)
    }

    /// [`Message::decode_borrowed`] with these options.
    ///
    /// # Errors
    /// As [`decode`](Self::decode).
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn decode_borrowed<'arena, M: Message<'arena>>(
        self,
        wire: &'arena [u8],
        arena: &'arena Arena,
    ) -> Result<M, DecodeError> {
        decode_borrowed(&self, wire, arena)
    }

    /// [`Message::decode_length_delimited`] with these options.
    ///
    /// # Errors
    /// As [`decode`](Self::decode).
    pub fn decode_length_delimited<'arena, M: Message<'arena>>(
        self,
        wire: &[u8],
        arena: &'arena Arena,
    ) -> Result<(M, usize), DecodeError> {
        let mut len = 0u64;
        for (index, &byte) in wire.iter().enumerate().take(10) {
            if index == 9 && byte > 1 {
                break;
            }
            len |= u64::from(byte & 0x7f) << (7 * index);
            if byte < 0x80 {
                let begin = index + 1;
                let Some(body) = usize::try_from(len).ok().and_then(|len| wire[begin..].get(..len)) else {
                    return Err(DecodeError::at(Fault::Truncated, wire.len()));
                };
                return Ok((self.decode(body, arena)?, begin + body.len()));
            }
        }
        let fault = if wire.len() < 10 { Fault::Truncated } else { Fault::Varint };
        Err(DecodeError::at(fault, wire.len().min(9)))
    }

    /// [`Message::merge`] with these options.
    ///
    /// # Errors
    /// As [`decode`](Self::decode); then the message is unchanged.
    pub fn merge<'arena, M: Message<'arena>>(
        self,
        message: &mut M,
        wire: &[u8],
        arena: &'arena Arena,
    ) -> Result<(), DecodeError> {
        M::__Code::merge(&self, message, wire, arena)
    }

    /// Bytes of unknown fields that may be kept.
    pub(super) fn unknown_bytes(&self) -> usize {
        if self.unknown_fields_limit == u32::MAX { usize::MAX } else { self.unknown_fields_limit as usize }
    }
}
