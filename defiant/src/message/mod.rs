//! Messages: the trait and its doors in and out.

mod decode;
mod input;
mod options;

use core::fmt;

use alloc::vec::Vec;

use bytes::{Buf, BufMut};

pub(crate) use decode::{Place, Target, borrowed, copied, gathered, merged};
pub use input::Input;
pub use options::DecodeOptions;
#[cfg(any(feature = "json", feature = "text"))]
pub(crate) use options::LONGEST;

use crate::arena::Arena;
use crate::codec::{Table, merge_fields, merge_fields_apart};
use crate::encoder;
use crate::error::{DecodeError, EncodeError};
use crate::table::Code;
use crate::wire::context::{Context, Fault};
use crate::wire::reader::{Cursor, Reader, Scope};
use crate::wire::varint;
use crate::wire::writer::Sink;
use decode::{decode_borrowed, decode_copied, decode_gathered};

/// A protobuf message: a plain struct with `#[derive(Message)]`.
///
/// Messages are `Copy`, `Send` and `Sync`; they refer to their arena's memory and never to the arena itself.
///
/// ```
/// use defiant::{Arena, Message, UnknownFields};
///
/// #[derive(Clone, Copy, Debug, PartialEq, Message)]
/// struct Greeting<'arena> {
///     #[defiant(string, tag = 1)]
///     text: &'arena str,
///     #[defiant(unknown)]
///     unknown_fields: UnknownFields<'arena>,
/// }
///
/// let mut arena = Arena::new();
/// let wire = Greeting { text: "hello", ..Greeting::default() }.encode_to_vec();
/// let greeting = Greeting::decode(&wire, &arena)?;
/// assert_eq!(greeting.text, "hello");
/// arena.reset();
/// # Ok::<(), defiant::DecodeError>(())
/// ```
///
/// # Limits of encoding
///
/// A message can be encoded if it takes at most 2 GiB less a byte, and messages are nested in it at most 1,000 levels deep.
/// Beyond these limits, a function that returns a `Result` returns an error, and any other function panics. A message that
/// was decoded is within the limit of depth, unless the [recursion limit](DecodeOptions::recursion_limit) was raised above
/// 1,000. Levels count from the first nested message. A message is not counted if its type holds no messages, or only
/// messages whose types hold none: it adds two levels at most.
///
/// `==`, `Debug` and other derived traits have no limit of depth: a deep message takes stack in proportion to its depth.
/// 2 MiB of stack are enough for 1,000 levels.
///
/// # Safety
/// `#[derive(Message)]` implements this trait, and nothing else should. Unsafe code relies on an implementation for this:
///
/// * A message is plain data. All of its fields are values that the codecs read and write, so it has no interior mutability,
///   and it refers to memory of its arena but not to the arena.
/// * The hidden functions decode into the message only. They call the reader once for each tag, and keep no copy of what they
///   read outside of the message, because the decode may still move or free it.
/// * The hidden constants describe the message itself: its default, its names, and, with the feature `reflect`, the place and
///   type of each field.
#[expect(unsafe_code, reason = "unsafe code relies on its implementations")]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no message",
    note = "messages have `#[derive(defiant::Message)]`"
)]
pub unsafe trait Message<'arena>: Copy + Default + PartialEq + fmt::Debug + Send + Sync + 'arena {
    /// Whether code of its own or a table decodes and encodes it.
    #[doc(hidden)]
    type __Code: Code<'arena, Self>;

    /// The message with every field unset.
    #[doc(hidden)]
    const DEFAULT: Self;
    /// Names for error messages.
    #[doc(hidden)]
    const TABLE: &'static Table;

    /// The type of the message: names, numbers and types of its fields.
    #[cfg(feature = "reflect")]
    const DESCRIPTOR: &'static crate::descriptor::MessageDescriptor = Self::__DESCRIPTOR.descriptor();

    /// Address of the message's descriptor.
    #[cfg(feature = "reflect")]
    #[doc(hidden)]
    const __DESCRIPTOR: crate::descriptor::Address<Self>;

    /// Nothing: without the feature `reflect`, messages have no descriptors.
    #[cfg(not(feature = "reflect"))]
    #[doc(hidden)]
    const __DESCRIPTOR: crate::undescribed::Address<Self> = crate::undescribed::Address::NONE;

    /// Whether it is a few numbers and nothing else, so that a call to decode it costs as much as to decode it.
    #[doc(hidden)]
    const SMALL: bool = false;

    /// Whether no field of the message holds messages.
    #[doc(hidden)]
    const __LEAF: bool = false;

    /// Whether fields of the message hold no messages but those that hold none. Encoders do not count the levels of such a
    /// message.
    #[doc(hidden)]
    const __FLAT: bool = Self::__LEAF;

    /// Bytes of the message with every field set, in order, if these are all of fixed width; else 0.
    #[doc(hidden)]
    const WHOLE: usize = 0;

    /// Reads the message from [`WHOLE`](Self::WHOLE) bytes; `false`, and nothing is read, if they are something else than
    /// every field in order.
    #[doc(hidden)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn __whole(&mut self, bytes: &[u8]) -> bool {
        let _ = bytes;
        false
    }

    /// [`DEFAULT`](Self::DEFAULT) as code instead of a constant: stores of zeros instead of a copy.
    #[doc(hidden)]
    fn __unset() -> Self;

    #[doc(hidden)]
    fn default_ref() -> &'arena Self;

    /// Reads the field whose key begins with the byte `key`, which becomes the whole key, or does what there is to do for
    /// another one. A message whose fields are read otherwise has a [`__merge`](Self::__merge) of its own instead.
    ///
    /// A function with a type parameter becomes machine code where it is called, and nowhere else: of a thousand
    /// messages only those that are decoded. The argument is [`OnDemand`](crate::codec::OnDemand).
    #[doc(hidden)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn __field<D>(&mut self, key: &mut u64, r: &mut Reader<'_, 'arena>) -> Result<(), Fault> {
        let _ = (key, r);
        Err(Fault::End)
    }

    /// Reads the fields.
    #[doc(hidden)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn __merge<D>(&mut self, at: Cursor, cx: &mut Context<'arena>, scope: Scope) -> Cursor {
        if Self::SMALL { merge_fields(self, at, cx, scope) } else { merge_fields_apart(self, at, cx, scope) }
    }

    #[doc(hidden)]
    fn __encode<S: Sink<'arena>>(&self, sink: S) -> S;

    /// Decodes a message. The input is copied into the arena once, and strings are borrowed from that copy.
    ///
    /// # Errors
    /// [`DecodeError`] when the input is malformed or passes a limit of [`DecodeOptions::new`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn decode(wire: &[u8], arena: &'arena Arena) -> Result<Self, DecodeError> {
        decode_copied(DecodeOptions::DEFAULT, wire, arena)
    }

    /// Decodes a message from a buffer that may be in pieces; all of it is read.
    ///
    /// # Errors
    /// As [`decode`](Self::decode).
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn decode_buf(wire: impl Buf, arena: &'arena Arena) -> Result<Self, DecodeError> {
        decode_gathered(DecodeOptions::DEFAULT, wire, arena)
    }

    /// Decodes a message whose strings and bytes are borrowed from the input itself.
    ///
    /// # Errors
    /// As [`decode`](Self::decode).
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn decode_borrowed(wire: &'arena [u8], arena: &'arena Arena) -> Result<Self, DecodeError> {
        decode_borrowed(DecodeOptions::DEFAULT, wire, arena)
    }

    /// Decodes a message behind its length as a varint, and says how many bytes both took.
    ///
    /// # Errors
    /// As [`decode`](Self::decode); [`DecodeError::is_truncated`] when more input is needed.
    #[inline]
    fn decode_length_delimited(wire: &[u8], arena: &'arena Arena) -> Result<(Self, usize), DecodeError> {
        DecodeOptions::new().decode_length_delimited(wire, arena)
    }

    /// Decodes into a message: singular fields are replaced or merged, repeated ones appended to.
    ///
    /// # Errors
    /// As [`decode`](Self::decode); then the message is unchanged.
    #[inline]
    fn merge(&mut self, wire: &[u8], arena: &'arena Arena) -> Result<(), DecodeError> {
        DecodeOptions::new().merge(self, wire, arena)
    }

    /// Bytes that the message takes on the wire. That may be more than can be encoded.
    ///
    /// # Panics
    /// When messages are nested deeper than the [limit of encoding](#limits-of-encoding), or the length does not fit into
    /// `usize`.
    #[inline]
    fn encoded_len(&self) -> usize {
        encoder::encoded_len(self)
    }

    /// Encodes the message into an arena, which may be the one that it lives in.
    ///
    /// # Panics
    /// When memory or the arena's limit is exhausted, or the message passes a [limit of encoding](#limits-of-encoding).
    #[inline]
    fn encode_in<'a>(&self, arena: &'a Arena) -> &'a [u8] {
        encoder::encode_in(Self::__Code::encodable(self), arena)
    }

    /// Encodes the message into an arena, as [`encode_in`](Self::encode_in) does, with an error where that panics for the sake of
    /// the message.
    ///
    /// # Errors
    /// [`EncodeError`] when the message passes a [limit of encoding](#limits-of-encoding).
    ///
    /// # Panics
    /// When memory or the arena's limit is exhausted.
    #[inline]
    fn try_encode_in<'a>(&self, arena: &'a Arena) -> Result<&'a [u8], EncodeError> {
        encoder::try_encode_in(Self::__Code::encodable(self), arena)
    }

    /// Encodes the message. That takes a little more than 4 KiB of the stack, which is where short messages are written first.
    ///
    /// # Panics
    /// When memory is exhausted, or the message passes a [limit of encoding](#limits-of-encoding).
    #[inline]
    fn encode_to_vec(&self) -> Vec<u8> {
        encoder::encode_to_vec(Self::__Code::encodable(self))
    }

    /// Encodes the message into a buffer. That takes as much of the stack as [`encode_to_vec`](Self::encode_to_vec).
    ///
    /// # Errors
    /// [`EncodeError`] when the buffer is too small, or the message passes a [limit of encoding](#limits-of-encoding); then
    /// nothing was written.
    #[inline]
    fn encode(&self, buf: &mut impl BufMut) -> Result<(), EncodeError> {
        encoder::encode(Self::__Code::encodable(self), buf, false)
    }

    /// Encodes the message behind its length as a varint. That takes as much of the stack as
    /// [`encode_to_vec`](Self::encode_to_vec).
    ///
    /// # Errors
    /// [`EncodeError`] when the buffer is too small, or the message passes a [limit of encoding](#limits-of-encoding); then
    /// nothing was written.
    #[inline]
    fn encode_length_delimited(&self, buf: &mut impl BufMut) -> Result<(), EncodeError> {
        encoder::encode(Self::__Code::encodable(self), buf, true)
    }
}

/// The length of a length prefix.
pub(crate) const fn prefix_len(len: usize) -> usize {
    varint::len(len as u64)
}
