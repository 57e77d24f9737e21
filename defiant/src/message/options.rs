//! What a decode is told: limits, and what to keep.

use bytes::Buf;

use super::Message;
use super::decode::{decode_borrowed, decode_copied, decode_gathered};
use crate::arena::Arena;
use crate::error::DecodeError;
use crate::table::Code;
use crate::wire::context::{Fault, Limits};

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
    /// A lazy message has options of its own, so they are kept small.
    pub(super) limits: Limits,
    pub(super) memory_limit: usize,
    /// Bytes.
    pub(super) size_limit: u32,
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

    /// Messages of up to 2 GiB, 100 levels, 1 GiB of arena memory a message, unknown fields kept, however many; elements and
    /// strings as the size allows.
    #[must_use]
    pub const fn new() -> Self {
        DecodeOptions {
            limits: Limits { depth: 100, unknown: u32::MAX, elements: 0, string: u32::MAX },
            memory_limit: 1 << 30,
            size_limit: narrow(LONGEST),
            unknown_fields: true,
        }
    }

    /// Bytes that a message may take on the wire.
    ///
    /// It protects against input that is too long to be looked at: nothing of it is copied or read. As an element of a
    /// repeated field and an entry of a map take at least a byte on the wire, and strings and bytes are borrowed from it,
    /// it limits how many and how long these are as well; [`elements_limit`](Self::elements_limit) and
    /// [`string_limit`](Self::string_limit) limit them further. The default is 2 GiB less a byte, the longest message that there
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
        self.limits.depth = levels;
        self
    }

    /// Bytes that one decode may take from the arena, the copy of the input included. What is lost to alignment, fewer than
    /// eight bytes before a value, is not counted.
    ///
    /// It protects against input that is much larger in memory than on the wire: a message of no bytes takes two bytes
    /// on the wire and its struct's size in memory. A map whose entries are not in order takes eight bytes more for each while
    /// it is sorted, when the rest is done.
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
        self.limits.unknown = narrow(bytes);
        self
    }

    /// Elements of repeated fields and entries of maps that one decode may read, in all messages together: packed or not,
    /// each entry of a map whose key occurs again, and what [`Message::merge`] adds. What is in a lazy message counts when it
    /// is decoded, against what was left. What goes to the unknown fields instead may count: a value that a closed enum does
    /// not have, a string that is not UTF-8 where that is no error, and an entry with one of them.
    ///
    /// It protects what is done with each of them, by the program or by those it passes them on to: a million elements of a
    /// list of ids take a megabyte on the wire, and may be a million queries. The default is no limit but that of the
    /// message's size and memory.
    ///
    /// ```
    /// # use defiant::{Arena, DecodeOptions, Message, UnknownFields};
    /// # #[derive(Clone, Copy, Debug, PartialEq, Message)]
    /// # struct Request<'arena> {
    /// #   #[defiant(uint32, repeated, tag = 1)] ids: &'arena [u32], #[defiant(unknown)] unknown_fields: UnknownFields<'arena>
    /// # }
    /// let arena = Arena::new();
    /// let options = DecodeOptions::new().elements_limit(2);
    /// assert_eq!(options.decode::<Request<'_>>(b"\x0a\x02\x07\x08", &arena)?.ids, [7, 8]);
    /// assert!(options.decode::<Request<'_>>(b"\x0a\x03\x07\x08\x09", &arena).unwrap_err().is_elements_limit());
    /// # Ok::<(), defiant::DecodeError>(())
    /// ```
    #[must_use]
    pub const fn elements_limit(mut self, elements: usize) -> Self {
        self.limits.elements = narrow(elements).saturating_add(1);
        self
    }

    /// Bytes that each value of type `string` or `bytes` may have, those in lists, maps and lazy messages included. So is the
    /// content of an `Any`, which is bytes until it is unpacked, with options of its own. Unknown fields have a [limit of their
    /// own](Self::unknown_fields_limit), and extensions are among them until they are read.
    ///
    /// It protects what is done with a string: to hash, compare, log or index it, or to match it with a pattern, takes time
    /// that grows with its length. The default is no limit but that of the message's size, because strings are borrowed from
    /// the input. A decode with a limit of a few bytes takes longer: it stops at least as often as such a string fits into the
    /// input.
    ///
    /// ```
    /// # use defiant::{Arena, DecodeOptions, Message, UnknownFields};
    /// # #[derive(Clone, Copy, Debug, PartialEq, Message)]
    /// # struct Request<'arena> {
    /// #   #[defiant(string, tag = 1)] name: &'arena str, #[defiant(unknown)] unknown_fields: UnknownFields<'arena>
    /// # }
    /// let arena = Arena::new();
    /// let options = DecodeOptions::new().string_limit(3);
    /// assert_eq!(options.decode::<Request<'_>>(b"\x0a\x03Ada", &arena)?.name, "Ada");
    /// assert!(options.decode::<Request<'_>>(b"\x0a\x05Grace", &arena).unwrap_err().is_string_limit());
    /// # Ok::<(), defiant::DecodeError>(())
    /// ```
    #[must_use]
    pub const fn string_limit(mut self, bytes: usize) -> Self {
        self.limits.string = narrow(bytes);
        self
    }

    /// What is left of the options of a decode for a part of its input that is decoded later.
    pub(crate) fn of_rest(limits: Limits, memory: usize, unknown_fields: bool) -> Self {
        DecodeOptions { limits, memory_limit: memory, size_limit: u32::MAX, unknown_fields }
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
                // No more input would help.
                if len > u64::from(self.size_limit) {
                    return Err(DecodeError::at(Fault::Size, 0));
                }
                let body = usize::try_from(len).ok().and_then(|len| wire.get(begin..)?.get(..len));
                let Some(body) = body else {
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
}
