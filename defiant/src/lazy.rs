//! Messages that stay encoded until they are asked for.

use core::fmt;
use core::marker::PhantomData;

use alloc::vec::Vec;

use bytes::Buf;

use crate::arena::Arena;
use crate::error::DecodeError;
use crate::message::{DecodeOptions, Message};
use crate::unknown::Records;
use crate::wire::context::{Context, Fault};
use crate::wire::writer::Sink;

/// A message that stays as it is on the wire until [`get`](Self::get) decodes it.
///
/// The type of a field with the word `lazy`: `Option<Lazy<'arena, M<'arena>>>` of a singular one, a slice of them of a
/// repeated one. For what is usually passed on or left aside: the body that a proxy does not look at, the rows of which
/// one is wanted. Untouched, its bytes are encoded again as they came.
///
/// ```
/// use defiant::{Arena, Lazy, Message, UnknownFields};
///
/// #[derive(Clone, Copy, Debug, PartialEq, Message)]
/// struct Envelope<'arena> {
///     #[defiant(string, tag = 1)]
///     to: &'arena str,
///     #[defiant(message, lazy, tag = 2)]
///     letter: Option<Lazy<'arena, Letter<'arena>>>,
///     #[defiant(unknown)]
///     unknown_fields: UnknownFields<'arena>,
/// }
///
/// #[derive(Clone, Copy, Debug, PartialEq, Message)]
/// struct Letter<'arena> {
///     #[defiant(string, tag = 1)]
///     text: &'arena str,
///     #[defiant(unknown)]
///     unknown_fields: UnknownFields<'arena>,
/// }
///
/// let arena = Arena::new();
/// let letter = Letter { text: "hello", ..Letter::default() };
/// let envelope = Envelope { to: "Ada", letter: Some(Lazy::encoded(&letter, &arena)), ..Envelope::default() };
///
/// let envelope = Envelope::decode(&envelope.encode_to_vec(), &arena)?; // reads no letter
/// assert_eq!(envelope.letter(&arena)?.text, "hello");
/// # Ok::<(), defiant::DecodeError>(())
/// ```
///
/// # Errors come late
/// The content is not looked at before it is asked for, so malformed bytes, strings that are not UTF-8 and missing
/// required fields are errors of `get`, and are passed on by whoever does not ask. Where a singular field occurs more than
/// once, what comes before its last occurrence has to be whole fields, or the decode that meets it fails.
///
/// # Limits
/// A lazy message counts against the recursion limit of the decode that met it, and takes what was left of it along: all
/// layers together are never deeper than [`DecodeOptions::recursion_limit`]. Of memory, each `get` may take as much as was
/// left of [`DecodeOptions::memory_limit`] when the field was read; each is a decode of its own, so whoever calls it often
/// sets [`Arena::set_limit`] as well. One that was read from JSON or text, where its content was looked at, has the limits
/// that were set there.
///
/// # Equality
/// Two are equal if their bytes are. Messages that are equal may have different bytes (fields in another order, say): to
/// compare those, decode them.
pub struct Lazy<'arena, M> {
    /// The content, without tag and length.
    bytes: &'arena [u8],
    /// The content of earlier occurrences: the message is all of them, one behind the other.
    earlier: Option<&'arena Earlier<'arena>>,
    options: DecodeOptions,
    message: PhantomData<fn() -> M>,
}

#[derive(Clone, Copy)]
struct Earlier<'arena> {
    bytes: &'arena [u8],
    earlier: Option<&'arena Earlier<'arena>>,
}

impl<'arena, M> Lazy<'arena, M> {
    /// A message without any field set.
    pub const EMPTY: Self = Lazy { bytes: &[], earlier: None, options: DecodeOptions::new(), message: PhantomData };

    /// A message of which these are the bytes, as [`Message::encode_to_vec`] makes them. They are not checked.
    #[must_use]
    pub const fn from_encoded(bytes: &'arena [u8]) -> Self {
        Lazy { bytes, ..Self::EMPTY }
    }

    /// Bytes on the wire, without tag and length.
    #[must_use]
    pub fn encoded_len(&self) -> usize {
        self.backward().map(<[u8]>::len).sum()
    }

    /// The bytes on the wire, from the last occurrence of the field to the first.
    fn backward(&self) -> impl Iterator<Item = &'arena [u8]> + use<'arena, M> {
        let last = Some(Earlier { bytes: self.bytes, earlier: self.earlier });
        core::iter::successors(last, |node| node.earlier.copied()).map(|node| node.bytes)
    }

    /// What a decode met.
    pub(crate) fn read(bytes: &'arena [u8], options: DecodeOptions) -> Self {
        Lazy { bytes, options, ..Self::EMPTY }
    }

    /// Adds another occurrence of the same field, if those before it end where a field ends: else what is behind them would
    /// be taken for the rest of it.
    pub(crate) fn append(&mut self, more: Self, cx: &mut Context<'arena>) -> Result<(), Fault> {
        if !self.bytes.is_empty() {
            if !Records::are_all_of(self.bytes) {
                return Err(Fault::Truncated);
            }
            let node = cx.alloc_shared(Earlier { bytes: self.bytes, earlier: self.earlier })?;
            self.earlier = Some(node);
        }
        self.bytes = more.bytes;
        self.options = more.options;
        Ok(())
    }

    /// Writes the content.
    pub(crate) fn write<S: Sink<'arena>>(&self, sink: &mut S) {
        for bytes in self.backward() {
            sink.raw(bytes);
        }
    }
}

impl<'arena, M: Message<'arena>> Lazy<'arena, M> {
    /// A message, encoded into an arena.
    ///
    /// # Panics
    /// When memory or the arena's limit is exhausted.
    #[must_use]
    pub fn encoded(message: &M, arena: &'arena Arena) -> Self {
        Self::from_encoded(message.encode_in(arena))
    }

    /// Decodes the message. Its strings are borrowed from the bytes that the field was read from.
    ///
    /// Every call decodes again: keep the result.
    ///
    /// # Errors
    /// [`DecodeError`] when the content is malformed or passes a [limit](Self#limits). Its offset counts from the first
    /// byte of the content.
    pub fn get(&self, arena: &'arena Arena) -> Result<M, DecodeError> {
        if self.earlier.is_none() {
            return self.options.decode_borrowed(self.bytes, arena);
        }
        let mut pieces = Vec::new();
        for piece in self.backward() {
            // Right before it is used, so that the compiler sees that it suffices.
            pieces.try_reserve(1).map_err(|_| DecodeError::at(Fault::Memory, 0))?;
            pieces.push(piece);
        }
        self.options.decode_buf(Joined { pieces }, arena)
    }
}

/// Pieces of the wire as one input.
struct Joined<'arena> {
    /// From the last to the first.
    pieces: Vec<&'arena [u8]>,
}

impl Buf for Joined<'_> {
    fn remaining(&self) -> usize {
        self.pieces.iter().map(|piece| piece.len()).sum()
    }

    fn chunk(&self) -> &[u8] {
        self.pieces.last().copied().unwrap_or(&[])
    }

    fn advance(&mut self, mut count: usize) {
        while let Some(piece) = self.pieces.last_mut() {
            let step = piece.len().min(count);
            *piece = &piece[step..];
            count -= step;
            if !piece.is_empty() {
                return;
            }
            self.pieces.pop();
        }
    }
}

impl<M> Clone for Lazy<'_, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M> Copy for Lazy<'_, M> {}

impl<M> Default for Lazy<'_, M> {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl<M> PartialEq for Lazy<'_, M> {
    /// Whether the bytes are the same, in how many occurrences ever they came.
    fn eq(&self, other: &Self) -> bool {
        self.encoded_len() == other.encoded_len()
            && self
                .backward()
                .flat_map(|piece| piece.iter().rev())
                .eq(other.backward().flat_map(|piece| piece.iter().rev()))
    }
}

impl<M> Eq for Lazy<'_, M> {}

impl<'arena, M: Message<'arena>> fmt::Debug for Lazy<'arena, M> {
    /// The name of the message and its bytes: without an arena it cannot be decoded.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MOST: usize = 64;
        write!(f, "Lazy({}, {} bytes \"", M::TABLE.name, self.encoded_len())?;
        let mut left = MOST;
        let pieces: Vec<_> = self.backward().collect();
        for piece in pieces.iter().rev() {
            let shown = &piece[..piece.len().min(left)];
            write!(f, "{}", shown.escape_ascii())?;
            left -= shown.len();
        }
        f.write_str(if self.encoded_len() > MOST { "…\")" } else { "\")" })
    }
}
