//! Messages: the trait and its doors in and out.
#![expect(unsafe_code, reason = "pads the copied input, keeps its bounds, and decodes in the caller's place")]

use core::alloc::Layout;
use core::fmt;
use core::mem::MaybeUninit;
use core::ptr::NonNull;

use alloc::vec::Vec;

use bytes::{Buf, BufMut};

use crate::arena::{Arena, Mark};
use crate::codec::{OnDemand, Table, merge_fields, merge_fields_apart};
use crate::encoder;
use crate::error::{DecodeError, EncodeError, try_box};
use crate::map;
use crate::table::Code;
use crate::wire::context::{Context, Fault, Incomplete};
use crate::wire::reader::{Cursor, Reader, Scope};
use crate::wire::tag::wire_type;
use crate::wire::writer::{Counter, Sink};
use crate::wire::{SLACK, varint};

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
pub trait Message<'arena>: Copy + Default + PartialEq + fmt::Debug + Send + Sync + 'arena {
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
    const DESCRIPTOR: &'static crate::descriptor::MessageDescriptor;

    /// Its fields, ascending by number.
    #[cfg(feature = "reflect")]
    #[doc(hidden)]
    const __FIELDS: &'static [crate::descriptor::FieldDescriptor];

    /// Whether it is a few numbers and nothing else, so that a call to decode it costs as much as to decode it.
    #[doc(hidden)]
    const SMALL: bool = false;

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

    /// Bytes that the message takes on the wire.
    #[inline]
    fn encoded_len(&self) -> usize {
        self.__encode(Counter::default()).len
    }

    /// Encodes the message into an arena, which may be the one that it lives in.
    ///
    /// # Panics
    /// When memory or the arena's limit is exhausted.
    #[inline]
    fn encode_in<'a>(&self, arena: &'a Arena) -> &'a [u8] {
        encoder::encode_in(Self::__Code::encodable(self), arena)
    }

    /// Encodes the message.
    #[inline]
    fn encode_to_vec(&self) -> Vec<u8> {
        encoder::encode_to_vec(Self::__Code::encodable(self))
    }

    /// Encodes the message into a buffer.
    ///
    /// # Errors
    /// [`EncodeError`] when the buffer is too small; then nothing was written.
    #[inline]
    fn encode(&self, buf: &mut impl BufMut) -> Result<(), EncodeError> {
        encoder::encode(Self::__Code::encodable(self), buf, false)
    }

    /// Encodes the message behind its length as a varint.
    ///
    /// # Errors
    /// [`EncodeError`] when the buffer is too small; then nothing was written.
    #[inline]
    fn encode_length_delimited(&self, buf: &mut impl BufMut) -> Result<(), EncodeError> {
        encoder::encode(Self::__Code::encodable(self), buf, true)
    }
}

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
    recursion_limit: u32,
    memory_limit: usize,
    /// Bytes; a lazy message has options of its own, so they are kept small.
    size_limit: u32,
    /// Bytes; the largest number is no limit.
    unknown_fields_limit: u32,
    unknown_fields: bool,
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
    const DEFAULT: &DecodeOptions = &DecodeOptions::new();

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

    /// Decodes a message of `len` bytes that a function fills in, all of them zero before, unless it says that it could not;
    /// then the result is any error.
    #[cfg(feature = "std")]
    pub(crate) fn decode_filled<'arena, M: Message<'arena>>(
        self,
        len: usize,
        arena: &'arena Arena,
        fill: &mut dyn FnMut(&mut [u8]) -> bool,
    ) -> Result<M, DecodeError> {
        let input = Input::filled(len, arena, &self, fill);
        in_place(|place| M::__Code::input(&self, input, place))
    }

    /// Decodes an input and writes the result.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn write<'arena, M: Message<'arena>>(
        &self,
        place: &mut Place<M>,
        input: Result<Input<'arena>, DecodeError>,
    ) {
        let input = match input {
            Ok(input) => input,
            Err(error) => {
                place.write(Err(error));
                return;
            }
        };
        let Ok(message) = place.write(Ok(M::__unset())) else { return };
        if let Err(error) = self.decode_input(&mut Unset(message), input, false) {
            // Nothing to drop: what is there is a message.
            place.write(Err(error));
        }
    }

    /// Decodes an input into a message. On failure the message is what it was before, and the memory is given back.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn decode_input<'arena>(
        &self,
        target: &mut impl Target<'arena>,
        input: Input<'arena>,
        merge: bool,
    ) -> Result<(), DecodeError> {
        let padded = input.padded;
        let (mut cx, at) = self.begin(input);
        let left = target.merge(at, &mut cx, Scope::message().merging(merge));
        match outcome(&mut cx, left) {
            Ok(()) => Ok(()),
            Err(error) => {
                target.restore();
                self.try_again(error, target, &mut cx, padded, merge)
            }
        }
    }

    /// Decodes once more if a required field was missing. A singular message may occur again and bring it, which is so
    /// rare that only then a decode waits for it. In vain, one more decode finds the path of the first that is missing.
    /// What fails in the end gives its memory back.
    #[cold]
    #[inline(never)]
    fn try_again<'arena>(
        &self,
        error: DecodeError,
        target: &mut impl Target<'arena>,
        cx: &mut Context<'arena>,
        padded: bool,
        merge: bool,
    ) -> Result<(), DecodeError> {
        let mut error = error;
        let mut run = |target: &mut _, incomplete| {
            // SAFETY: the callers pass what they said of the input before.
            let at = unsafe { cx.restart(padded, self.recursion_limit, self.unknown_bytes()) };
            cx.incomplete = Some(try_box(incomplete).ok_or_else(|| DecodeError::at(Fault::Memory, 0))?);
            let left = Target::merge(target, at, cx, Scope::message().merging(merge));
            outcome(cx, left)
        };
        if error.is_missing_required() {
            match run(target, Incomplete::default()) {
                Ok(()) => return Ok(()),
                Err(again) => error = again,
            }
            target.restore();
            if error.is_missing_required() && error.path().is_empty() {
                error = run(target, Incomplete::stopping_at(error.offset())).err().unwrap_or(error);
                target.restore();
            }
        }
        // SAFETY: the target is again what it was before the first attempt, and an error holds nothing of the arena.
        unsafe { cx.roll_back() };
        Err(error)
    }

    /// Runs a decoder over an input of `len` bytes that a function puts together: `value` as it is then.
    ///
    /// The decoder is a plain function so that on failure nothing it made is left outside of the value.
    pub(crate) fn run_filled<'arena, T>(
        self,
        mut value: T,
        len: usize,
        arena: &'arena Arena,
        fill: impl FnOnce(&mut [u8]),
        decode: fn(&mut T, Cursor, &mut Context<'arena>) -> Cursor,
    ) -> Result<T, DecodeError> {
        let input = Input::room(len, 0, arena, &self)?;
        let base = input.base.cast_mut();
        // SAFETY: the `len` bytes of fresh memory before the slack.
        unsafe { base.write_bytes(0, len) };
        // SAFETY: initialised just now, and nothing else refers to them.
        fill(unsafe { core::slice::from_raw_parts_mut(base, len) });
        let (mut cx, at) = self.begin(input);
        let left = decode(&mut value, at, &mut cx);
        match outcome(&mut cx, left) {
            Ok(()) => Ok(value),
            Err(error) => {
                drop(value);
                // SAFETY: what was decoded was in the value only, and an error holds nothing of the arena.
                unsafe { cx.roll_back() };
                Err(error)
            }
        }
    }

    /// Bytes of unknown fields that may be kept.
    fn unknown_bytes(&self) -> usize {
        if self.unknown_fields_limit == u32::MAX { usize::MAX } else { self.unknown_fields_limit as usize }
    }

    /// What a decode of an input shares, and the input's beginning.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn begin<'arena>(&self, input: Input<'arena>) -> (Context<'arena>, Cursor) {
        let Input { base, len, padded, arena, mark, budget } = input;
        // SAFETY: an `Input` is only made below: of a slice that lives for 'arena, or of arena memory with its padding,
        // which nothing writes to any more.
        unsafe {
            Context::new(
                base,
                len,
                padded,
                arena,
                mark,
                budget,
                self.recursion_limit,
                self.unknown_fields,
                self.unknown_bytes(),
            )
        }
    }
}

/// A message that is decoded into.
///
/// Nothing outside of the message holds what a decode made, so after [`restore`](Self::restore) nothing does.
pub(crate) trait Target<'arena> {
    /// Decodes into it.
    fn merge(&mut self, at: Cursor, cx: &mut Context<'arena>, scope: Scope) -> Cursor;

    /// Makes it what it was before.
    fn restore(&mut self);
}

/// A message that had nothing set.
struct Unset<'p, M>(&'p mut M);

impl<'arena, M: Message<'arena>> Target<'arena> for Unset<'_, M> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn merge(&mut self, at: Cursor, cx: &mut Context<'arena>, scope: Scope) -> Cursor {
        self.0.__merge::<OnDemand>(at, cx, scope)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn restore(&mut self) {
        *self.0 = M::__unset();
    }
}

/// A copy of another message.
struct Copied<'p, M> {
    message: M,
    original: &'p M,
}

impl<'arena, M: Message<'arena>> Target<'arena> for Copied<'_, M> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn merge(&mut self, at: Cursor, cx: &mut Context<'arena>, scope: Scope) -> Cursor {
        self.message.__merge::<OnDemand>(at, cx, scope)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn restore(&mut self) {
        self.message = *self.original;
    }
}

/// Decodes into a message.
pub(crate) fn merged<'arena, M: Message<'arena>>(
    options: &DecodeOptions,
    message: &mut M,
    wire: &[u8],
    arena: &'arena Arena,
) -> Result<(), DecodeError> {
    let input = Input::copy(wire, 0, arena, options)?;
    let mut target = Copied { message: *message, original: message };
    options.decode_input(&mut target, input, true)?;
    *message = target.message;
    Ok(())
}

/// How a decode that ended at `left` came out. On success its memory is kept.
#[cfg_attr(not(debug_assertions), inline(always))]
fn outcome(cx: &mut Context<'_>, left: Cursor) -> Result<(), DecodeError> {
    if left.is_failed() {
        return Err(DecodeError::new(cx.take_record()));
    }
    if let Err(fault) = finish(cx) {
        return Err(DecodeError::at(fault, cx.wire().len()));
    }
    if let Some(end) = cx.incomplete.as_deref().and_then(|[incomplete]| incomplete.first()) {
        return Err(DecodeError::at(Fault::Missing, end));
    }
    cx.keep();
    Ok(())
}

/// Sorts the maps.
#[cfg_attr(not(debug_assertions), inline(always))]
fn finish(cx: &mut Context<'_>) -> Result<(), Fault> {
    if cx.pending_map.is_some() { map::finish(cx) } else { Ok(()) }
}

/// Where a result is to be: with the caller. A message may be hundreds of bytes, and one that is returned is copied.
pub(crate) type Place<M> = MaybeUninit<Result<M, DecodeError>>;

/// Has a message decoded in the place of the result.
///
/// What calls this stays a function of its own: its `place` is then that of its own caller. Inlined further it would be
/// another one, of which the result is copied.
#[cfg_attr(not(debug_assertions), inline(always))]
fn in_place<M>(decode: impl FnOnce(&mut Place<M>)) -> Result<M, DecodeError> {
    let mut place = MaybeUninit::uninit();
    decode(&mut place);
    // SAFETY: the functions below and `DecodeOptions::write`, which are all that this is called with, write a result.
    unsafe { place.assume_init() }
}

#[inline(never)]
fn decode_copied<'arena, M: Message<'arena>>(
    options: &DecodeOptions,
    wire: &[u8],
    arena: &'arena Arena,
) -> Result<M, DecodeError> {
    in_place(|place| M::__Code::copied(options, wire, arena, place))
}

#[inline(never)]
fn decode_gathered<'arena, M: Message<'arena>>(
    options: &DecodeOptions,
    wire: impl Buf,
    arena: &'arena Arena,
) -> Result<M, DecodeError> {
    in_place(|place| M::__Code::gathered(options, wire, arena, place))
}

#[inline(never)]
fn decode_borrowed<'arena, M: Message<'arena>>(
    options: &DecodeOptions,
    wire: &'arena [u8],
    arena: &'arena Arena,
) -> Result<M, DecodeError> {
    in_place(|place| M::__Code::borrowed(options, wire, arena, place))
}

#[inline(never)]
pub(crate) fn copied<'arena, M: Message<'arena>>(
    options: &DecodeOptions,
    wire: &[u8],
    arena: &'arena Arena,
    place: &mut Place<M>,
) {
    if wire.len() >= LARGE {
        return copied_large(options, wire, arena, place);
    }
    options.write(place, Input::copy(wire, 0, arena, options));
}

#[inline(never)]
fn copied_large<'arena, M: Message<'arena>>(
    options: &DecodeOptions,
    wire: &[u8],
    arena: &'arena Arena,
    place: &mut Place<M>,
) {
    options.write(place, Input::copy(wire, lead(wire, wire.len()), arena, options));
}

#[inline(never)]
pub(crate) fn gathered<'arena, M: Message<'arena>>(
    options: &DecodeOptions,
    mut wire: impl Buf,
    arena: &'arena Arena,
    place: &mut Place<M>,
) {
    options.write(place, Input::gather(&mut wire, arena, options));
}

#[inline(never)]
pub(crate) fn borrowed<'arena, M: Message<'arena>>(
    options: &DecodeOptions,
    wire: &'arena [u8],
    arena: &'arena Arena,
    place: &mut Place<M>,
) {
    options.write(place, Input::borrow(wire, arena, options));
}

/// The bounds of an input that lives for `'arena`.
#[derive(Debug)]
pub struct Input<'arena> {
    base: *const u8,
    len: usize,
    padded: bool,
    arena: &'arena Arena,
    /// Where the arena was before the copy of the input, if there is one.
    mark: Mark,
    /// What is left of the memory limit.
    budget: usize,
}

impl<'arena> Input<'arena> {
    /// Copies the input into the arena, with SLACK zeros behind it, aligned behind `lead` bytes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn copy(
        wire: &[u8],
        lead: usize,
        arena: &'arena Arena,
        options: &DecodeOptions,
    ) -> Result<Self, DecodeError> {
        let input = Self::room(wire.len(), lead, arena, options)?;
        // SAFETY: fresh memory for `wire.len()` bytes and the slack.
        unsafe { input.base.cast_mut().copy_from_nonoverlapping(wire.as_ptr(), wire.len()) };
        Ok(input)
    }

    /// Copies an input in pieces.
    pub(crate) fn gather(
        wire: &mut impl Buf,
        arena: &'arena Arena,
        options: &DecodeOptions,
    ) -> Result<Self, DecodeError> {
        let lead = lead(wire.chunk(), wire.remaining());
        let mut input = Self::room(wire.remaining(), lead, arena, options)?;
        let mut filled = 0;
        while filled < input.len {
            let piece = wire.chunk();
            let count = piece.len().min(input.len - filled);
            if count == 0 {
                break;
            }
            // SAFETY: `filled + count <= len`, so in the fresh memory.
            let place = unsafe { input.base.cast_mut().add(filled) };
            // SAFETY: as above; the piece is not in this fresh memory.
            unsafe { place.copy_from_nonoverlapping(piece.as_ptr(), count) };
            wire.advance(count);
            filled += count;
        }
        // A `Buf` that breaks its promise and has less than it said is an input that ends early.
        // SAFETY: `filled <= len`: the rest of the fresh memory and its slack.
        unsafe { input.base.cast_mut().add(filled).write_bytes(0, input.len - filled + SLACK) };
        input.len = filled;
        Ok(input)
    }

    /// A copy, aligned for the first field if that may be worth it.
    pub(crate) fn copy_aligned(
        wire: &[u8],
        arena: &'arena Arena,
        options: &DecodeOptions,
    ) -> Result<Self, DecodeError> {
        Self::copy(wire, lead(wire, wire.len()), arena, options)
    }

    /// An input that a function fills in; where it cannot, the memory is given back.
    #[cfg(feature = "std")]
    pub(crate) fn filled(
        len: usize,
        arena: &'arena Arena,
        options: &DecodeOptions,
        fill: &mut dyn FnMut(&mut [u8]) -> bool,
    ) -> Result<Self, DecodeError> {
        let input = Self::room(len, 0, arena, options)?;
        let base = input.base.cast_mut();
        // SAFETY: the `len` bytes of fresh memory before the slack.
        unsafe { base.write_bytes(0, len) };
        // SAFETY: initialised just now, and nothing else refers to them.
        if fill(unsafe { core::slice::from_raw_parts_mut(base, len) }) {
            return Ok(input);
        }
        // SAFETY: nothing was made since the mark but this memory, which nothing refers to any more.
        unsafe { arena.roll_back(input.mark) };
        Err(DecodeError::at(Fault::Truncated, len))
    }

    /// An input that is in the arena, or lives as long.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn borrow(
        wire: &'arena [u8],
        arena: &'arena Arena,
        options: &DecodeOptions,
    ) -> Result<Self, DecodeError> {
        let (base, len) = (wire.as_ptr(), wire.len());
        if len > options.size_limit as usize {
            return Err(DecodeError::at(Fault::Size, 0));
        }
        Ok(Input { base, len, padded: false, arena, mark: arena.mark(), budget: options.memory_limit })
    }

    /// Memory for an input of `len` bytes, not initialised, and SLACK zeros behind it. Behind its first `lead` bytes, at
    /// most `ALIGN`, it is aligned for every number; 0 asks for no alignment.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn room(len: usize, lead: usize, arena: &'arena Arena, options: &DecodeOptions) -> Result<Self, DecodeError> {
        let exhausted = || DecodeError::at(Fault::Memory, 0);
        if len > options.size_limit as usize {
            return Err(DecodeError::at(Fault::Size, 0));
        }
        let limit = options.memory_limit;
        // Known where this is inlined, so that small inputs do not ask for alignment.
        let spare = if lead == 0 { 0 } else { ALIGN };
        let size = len.checked_add(SLACK + spare).ok_or_else(exhausted)?;
        let budget = limit.checked_sub(size).ok_or_else(exhausted)?;
        // From an aligned address on, what a message takes does not depend on what was in the arena before it.
        let layout = Layout::from_size_align(size, ALIGN_INPUT).map_err(|_| exhausted())?;
        let mark = arena.mark();
        let block = match arena.alloc_in_chunk(layout) {
            Some(block) => block,
            None => Self::in_new_chunk(layout, arena, limit).ok_or_else(exhausted)?,
        };
        // SAFETY: the last `len + SLACK` bytes of the block, or up to `ALIGN` bytes before those.
        let base = unsafe { block.as_ptr().add(spare - lead) };
        // SAFETY: SLACK bytes of fresh memory behind the input.
        unsafe { base.add(len).write_bytes(0, SLACK) };
        Ok(Input { base, len, padded: true, arena, mark, budget })
    }

    /// Memory of the given layout where the arena's chunk has no room for it.
    #[cold]
    #[inline(never)]
    fn in_new_chunk(layout: Layout, arena: &Arena, limit: usize) -> Option<NonNull<u8>> {
        if arena.is_fresh() {
            // One chunk that most messages of this length fit into.
            let size = layout.size();
            arena.reserve(size.saturating_add(size.saturating_mul(4).clamp(512, 1 << 20)).min(limit));
        }
        arena.try_alloc(layout)
    }
}

/// Inputs of this many bytes are worth a look at their first field.
const LARGE: usize = 1024;
/// The alignment of the input's copy: no value needs more.
const ALIGN_INPUT: usize = 16;
/// The largest alignment of a number, in bytes.
const ALIGN: usize = 8;

/// Bytes before the value of the first field, if it is length-delimited and makes up most of a large input: if it is
/// a packed field of fixed width, its elements are borrowed where they are aligned. Reduced to `1..=ALIGN`; else 0.
#[inline(never)]
fn lead(wire: &[u8], len: usize) -> usize {
    if len < LARGE {
        return 0;
    }
    let Some(tag_len) = wire.iter().take(5).position(|byte| *byte < 0x80).map(|last| last + 1) else { return 0 };
    let Some(bytes) = wire.get(tag_len..) else { return 0 };
    let (mut length, mut length_len) = (0u64, 0);
    for byte in bytes.iter().take(9) {
        length |= u64::from(byte & 0x7f) << (7 * length_len);
        length_len += 1;
        if *byte < 0x80 {
            break;
        }
    }
    let delimited = wire.first().is_some_and(|first| u32::from(first & 7) == wire_type::LENGTH_DELIMITED);
    if delimited && length > len as u64 / 2 { (tag_len + length_len - 1) % ALIGN + 1 } else { 0 }
}

/// The length of a length prefix.
pub(crate) const fn prefix_len(len: usize) -> usize {
    varint::len(len as u64)
}
