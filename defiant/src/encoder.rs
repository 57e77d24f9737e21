//! Doors out: encoding into arenas, vectors and buffers.
#![expect(unsafe_code, reason = "takes the written part of a buffer that is filled from its end")]

use alloc::vec::Vec;
use core::mem::MaybeUninit;
use core::{fmt, ptr};

use bytes::BufMut;

use crate::arena::Arena;
use crate::error::EncodeError;
use crate::message::{Message, prefix_len};
use crate::pieces::{self, Pieces};
use crate::table::Code;
use crate::wire::buffer::{self, Buffer, Room, Written};
use crate::wire::vectored::{Cut, Cuts, Vectored};
use crate::wire::writer::{Counter, Excess, MAX_LEN, Sink, Writer};

/// What can be encoded: a message, by its type or by its table. What it refers to lives as long as `'m`.
// TRUST: unsafe code does not rely on it: writers check their capacity before every write, so a count that differs from what is
// written is a panic or a longer buffer.
pub trait Encodable<'m>: Copy {
    /// Whether it is known not to nest further than one level, so that this level need not be counted.
    const FLAT: bool = false;

    /// Writes it.
    fn write<S: Sink<'m>>(self, sink: S) -> S;
}

impl<'m, M: Message<'m>> Encodable<'m> for &M {
    const FLAT: bool = M::__FLAT;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn write<S: Sink<'m>>(self, sink: S) -> S {
        self.__encode(sink)
    }
}

/// [`try_encode_in`] that takes no memory for a message that is refused.
#[cfg(feature = "reflect")]
pub(crate) fn try_count_and_encode_in<'a, 'm, C: Encodable<'m>>(
    message: C,
    arena: &'a Arena,
) -> Result<&'a [u8], EncodeError> {
    counted(message)?;
    Ok(encode_in(message, arena))
}

/// The same of a message with a type.
#[cfg(feature = "reflect")]
pub(crate) fn try_encode_message_in<'a, 'm, M: Message<'m>>(
    message: &M,
    arena: &'a Arena,
) -> Result<&'a [u8], EncodeError> {
    try_count_and_encode_in(M::__Code::encodable(message), arena)
}

/// [`encoded_len`] of a message that can be encoded, with an error instead of a panic.
#[cfg(feature = "reflect")]
pub(crate) fn try_encoded_len<'m>(message: impl Encodable<'m>) -> Result<usize, EncodeError> {
    Ok(counted(message)?)
}

#[inline]
pub(crate) fn encode_in<'a, 'm, C: Encodable<'m>>(message: C, arena: &'a Arena) -> &'a [u8] {
    let (bytes, excess) = write_in(message, arena);
    accept(bytes.len(), excess);
    bytes
}

/// [`encode_in`] with an error instead of a panic where the message passes a limit of encoding.
#[inline]
pub(crate) fn try_encode_in<'a, 'm, C: Encodable<'m>>(message: C, arena: &'a Arena) -> Result<&'a [u8], EncodeError> {
    match write_in(message, arena) {
        (bytes, None) if bytes.len() <= MAX_LEN => Ok(bytes),
        (bytes, excess) => checked(bytes.len(), excess).map(|()| bytes),
    }
}

/// Writes a message into an arena. Returns the bytes, and why they are no message, if they are not.
#[cfg_attr(not(debug_assertions), inline(always))]
fn write_in<'a, 'm, C: Encodable<'m>>(message: C, arena: &'a Arena) -> (&'a [u8], Option<Excess>) {
    let mut buffer = Buffer::in_arena(arena);
    let pos = message.write(Writer::new(&mut buffer)).position();
    let excess = excess_of::<C>(&buffer);
    // SAFETY: where the buffer's only writer ended.
    (unsafe { buffer.into_arena_slice(pos) }, excess)
}

/// The length of a message on the wire, which may be more than can be encoded.
///
/// # Panics
/// When the message is too deep, or the target cannot count as many bytes.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn encoded_len<'m, C: Encodable<'m>>(message: C) -> usize {
    let counter = message.write(Counter::new());
    if let Some(excess) = if C::FLAT { None } else { counter.excess() } {
        refused(excess);
    }
    usize::try_from(counter.counted()).unwrap_or_else(|_| refused(Excess::Length))
}

/// Why a message is refused before its length is looked at, if it is.
#[cfg_attr(not(debug_assertions), inline(always))]
fn excess_of<'m, C: Encodable<'m>>(buffer: &Buffer<'_>) -> Option<Excess> {
    // The levels of a flat message are not counted.
    if C::FLAT { None } else { buffer.excess() }
}

/// Whether an encoded message may be given out.
#[cold]
fn checked(len: usize, excess: Option<Excess>) -> Result<(), EncodeError> {
    match excess {
        None if len <= MAX_LEN => Ok(()),
        excess => Err(EncodeError::from(excess.unwrap_or(Excess::Length))),
    }
}

/// Panics unless an encoded message may be given out.
#[cfg_attr(not(debug_assertions), inline(always))]
fn accept(len: usize, excess: Option<Excess>) {
    if excess.is_some() || len > MAX_LEN {
        refused(excess.unwrap_or(Excess::Length))
    }
}

/// Where there is no error to return.
#[cold]
#[inline(never)]
fn refused(excess: Excess) -> ! {
    panic!("{}", EncodeError::from(excess))
}

/// What a function writes into an arena.
///
/// # Panics
/// When memory or the arena's limit is exhausted, or a message is too deep or too long.
pub(crate) fn written_in<'a>(
    arena: &'a Arena,
    write: impl for<'w> FnOnce(Writer<'w, 'a>) -> Writer<'w, 'a>,
) -> &'a [u8] {
    let mut buffer = Buffer::in_arena(arena);
    let pos = write(Writer::new(&mut buffer)).position();
    let excess = buffer.excess();
    // SAFETY: where a writer of this buffer ended: `'w` is any lifetime, so only the one that came in can go out.
    let bytes = unsafe { buffer.into_arena_slice(pos) };
    accept(bytes.len(), excess);
    bytes
}

/// Messages of up to so many bytes are written on the stack, and copied to where they belong once their length is known; what
/// is longer is counted when that is full, and goes on in memory of its length.
const SCRATCH: usize = 4 << 10;

/// The length on the wire; out of line, because it is asked for in more than one place.
#[inline(never)]
fn counted<'m>(message: impl Encodable<'m>) -> Result<usize, Excess> {
    message.write(Counter::new()).total()
}

// Out of line: the scratch is to be on the stack for no longer than this runs.
#[inline(never)]
pub(crate) fn encode_to_vec<'m, C: Encodable<'m>>(message: C) -> Vec<u8> {
    let mut scratch = [MaybeUninit::uninit(); SCRATCH];
    let mut overflow = || Room::Heap(counted(message).unwrap_or_else(|excess| refused(excess)));
    let mut buffer = Buffer::in_scratch(&mut scratch, &mut overflow);
    let pos = message.write(Writer::new(&mut buffer)).position();
    // What takes more than the scratch was counted.
    accept(0, excess_of::<C>(&buffer));
    // SAFETY: where the buffer's only writer ended.
    match unsafe { buffer.finish(pos) } {
        Written::Heap(vec) => vec,
        // SAFETY: what was written to the scratch.
        Written::Lent(len) | Written::Scratch(len) => Vec::from(unsafe { tail(&scratch, len) }),
    }
}

/// The last bytes of the scratch.
///
/// # Safety
/// They are initialised.
unsafe fn tail(scratch: &[MaybeUninit<u8>; SCRATCH], len: usize) -> &[u8] {
    let tail = &scratch[SCRATCH - len..];
    // SAFETY: initialised by contract.
    unsafe { &*(ptr::from_ref(tail) as *const [u8]) }
}

/// What has room for more than this grows as it is filled, so that the length need not be known to know that it fits.
const GROWS: usize = isize::MAX as usize / 2;

#[inline(never)]
pub(crate) fn encode<'m>(
    message: impl Encodable<'m>,
    buf: &mut impl BufMut,
    delimited: bool,
) -> Result<(), EncodeError> {
    let count = || counted(message).map(|len| len + if delimited { prefix_len(len) } else { 0 });
    let remaining = buf.remaining_mut();
    let mut lender = Some(&mut *buf);
    // Where there is room in one piece, it is written to its place.
    let mut room = |required: usize| {
        // SAFETY: nothing is written to it but bytes.
        let chunk = lender.take().map(|buf| unsafe { buf.chunk_mut().as_uninit_slice_mut() });
        match chunk.and_then(|chunk| chunk.get_mut(..required)) {
            Some(lent) => Room::Lent(lent),
            None => Room::Heap(required),
        }
    };
    let mut scratch = [MaybeUninit::uninit(); SCRATCH];
    let mut overflow;
    let mut buffer = if remaining < GROWS {
        let required = count()?;
        if required > remaining {
            return Err(EncodeError::full(required, remaining));
        }
        Buffer::in_room(room(required), &mut scratch)
    } else {
        overflow = || match count() {
            Ok(required) => room(required),
            Err(excess) => Room::Refused(excess),
        };
        Buffer::in_scratch(&mut scratch, &mut overflow)
    };
    let mut writer = message.write(Writer::new(&mut buffer));
    if delimited {
        let len = writer.written();
        writer.raw_varint(len as u64);
    }
    let pos = writer.position();
    // What takes more than the scratch was counted. That may have refused a flat message, too.
    if let Some(excess) = buffer.excess() {
        return Err(EncodeError::from(excess));
    }
    // SAFETY: where the buffer's only writer ended.
    let written = unsafe { buffer.finish(pos) };
    let bytes = match &written {
        Written::Lent(len) => {
            // SAFETY: so many bytes were written to the front of the chunk.
            unsafe { buf.advance_mut(*len) };
            return Ok(());
        }
        Written::Heap(vec) => vec,
        // SAFETY: what was written to the scratch.
        Written::Scratch(len) => unsafe { tail(&scratch, *len) },
    };
    if bytes.len() > remaining {
        return Err(EncodeError::full(bytes.len(), remaining));
    }
    buf.put_slice(bytes);
    Ok(())
}

/// Encodes messages one after the other into memory that it keeps.
///
/// ```
/// # use defiant::{Encoder, Message, UnknownFields};
/// # #[derive(Clone, Copy, Debug, PartialEq, Message)]
/// # struct Tick<'arena> { #[defiant(uint32, tag = 1)] n: u32, #[defiant(unknown)] unknown_fields: UnknownFields<'arena> }
/// let mut encoder = Encoder::new();
/// for n in 1..4 {
///     assert_eq!(encoder.encode(&Tick { n, ..Tick::default() }), [8, n as u8]);
/// }
/// ```
pub struct Encoder {
    /// Its length is 0; the bytes of the last message end where its capacity ends.
    memory: Vec<u8>,
    /// Memory for what a message in pieces refers to.
    cuts: Vec<Cut<'static>>,
    /// From this length on, a message in pieces refers to bytes.
    threshold: usize,
}

impl Default for Encoder {
    fn default() -> Self {
        Self::new()
    }
}

impl Encoder {
    /// An encoder that holds no memory yet.
    #[must_use]
    pub const fn new() -> Self {
        Encoder { memory: Vec::new(), cuts: Vec::new(), threshold: 4096 }
    }

    /// An encoder for messages of up to `bytes` bytes.
    #[must_use]
    pub fn with_capacity(bytes: usize) -> Self {
        Encoder { memory: Vec::with_capacity(bytes), ..Self::new() }
    }

    /// From how many bytes on [`encode_vectored`](Self::encode_vectored) refers to bytes instead of copying them; 4096
    /// unless set. Where bytes are cheap to copy and system calls with many pieces are not, choose more.
    #[must_use]
    pub const fn vectored_threshold(mut self, bytes: usize) -> Self {
        self.threshold = if bytes == 0 { 1 } else { bytes };
        self
    }

    /// Encodes a message; its bytes stay until the next one.
    ///
    /// # Panics
    /// When memory is exhausted, or the message passes a [limit of encoding](Message#limits-of-encoding).
    #[inline]
    pub fn encode<'m, M: Message<'m>>(&mut self, message: &M) -> &[u8] {
        accepted(self.write(M::__Code::encodable(message), false))
    }

    /// Encodes a message after its length as a varint.
    ///
    /// # Panics
    /// As [`encode`](Self::encode).
    #[inline]
    pub fn encode_length_delimited<'m, M: Message<'m>>(&mut self, message: &M) -> &[u8] {
        accepted(self.write(M::__Code::encodable(message), true))
    }

    /// [`encode_length_delimited`](Self::encode_length_delimited) with an error instead of a panic.
    #[cfg(feature = "tokio-util")]
    pub(crate) fn try_encode_length_delimited<'m, M: Message<'m>>(
        &mut self,
        message: &M,
    ) -> Result<&[u8], EncodeError> {
        self.write(M::__Code::encodable(message), true)
    }

    /// Encodes a message in pieces, for a vectored write: strings, `bytes`, unknown fields and packed numbers of fixed width
    /// of [4096 bytes or more](Self::vectored_threshold) are not copied but referred to.
    ///
    /// The pieces together are the bytes of [`encode`](Self::encode). Once the encoder's memory is warm, nothing is
    /// allocated. See [`Pieces`] for an example.
    ///
    /// # Panics
    /// As [`encode`](Self::encode).
    pub fn encode_vectored<'e, 'm: 'e, M: Message<'m>>(&'e mut self, message: &M) -> Pieces<'e> {
        accepted(self.write_vectored(M::__Code::encodable(message), false))
    }

    /// [`encode_vectored`](Self::encode_vectored) after the message's length as a varint.
    ///
    /// # Panics
    /// As [`encode`](Self::encode).
    pub fn encode_vectored_length_delimited<'e, 'm: 'e, M: Message<'m>>(&'e mut self, message: &M) -> Pieces<'e> {
        accepted(self.try_encode_vectored_length_delimited(message))
    }

    /// [`encode_vectored_length_delimited`](Self::encode_vectored_length_delimited) with an error instead of a panic.
    pub(crate) fn try_encode_vectored_length_delimited<'e, 'm: 'e, M: Message<'m>>(
        &'e mut self,
        message: &M,
    ) -> Result<Pieces<'e>, EncodeError> {
        self.write_vectored(M::__Code::encodable(message), true)
    }

    fn write_vectored<'e, 'm: 'e>(
        &'e mut self,
        message: impl Encodable<'m>,
        delimited: bool,
    ) -> Result<Pieces<'e>, EncodeError> {
        let list = pieces::emptied(core::mem::take(&mut self.cuts));
        let mut cuts: Cuts<'m> = Cuts { list, referenced: 0, threshold: self.threshold };
        let mut buffer = Buffer::in_vec(core::mem::take(&mut self.memory));
        let mut sink = message.write(Vectored::new(Writer::new(&mut buffer), &mut cuts));
        let len = sink.written();
        if delimited {
            sink.raw_varint(len as u64);
        }
        let pos = sink.position();
        let outcome = checked(len, buffer.excess());
        // SAFETY: where the buffer's only writer ended.
        let (memory, written) = unsafe { buffer.into_spare(pos) };
        self.memory = memory;
        if let Err(error) = outcome {
            self.cuts = pieces::emptied(cuts.list);
            return Err(error);
        }
        // SAFETY: both come from `into_spare` just now.
        let copied = unsafe { buffer::written_tail(&self.memory, written) };
        Ok(Pieces::new(copied, cuts.list, &mut self.cuts))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn write<'m, C: Encodable<'m>>(&mut self, message: C, delimited: bool) -> Result<&[u8], EncodeError> {
        let mut buffer = Buffer::in_vec(core::mem::take(&mut self.memory));
        let mut writer = message.write(Writer::new(&mut buffer));
        if delimited {
            let len = writer.written();
            writer.raw_varint(len as u64);
        }
        let pos = writer.position();
        let excess = excess_of::<C>(&buffer);
        // SAFETY: where the buffer's only writer ended.
        let (memory, written) = unsafe { buffer.into_spare(pos) };
        // What was taken left a vector without memory, which need not be looked at to be dropped.
        core::mem::forget(core::mem::replace(&mut self.memory, memory));
        if excess.is_some() || written > MAX_LEN {
            let prefix = if delimited { prefix_len(MAX_LEN) } else { 0 };
            checked(written - prefix.min(written), excess)?;
        }
        // SAFETY: both come from `into_spare` just now.
        Ok(unsafe { buffer::written_tail(&self.memory, written) })
    }
}

/// What an encoder wrote.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn accepted<T>(written: Result<T, EncodeError>) -> T {
    written.unwrap_or_else(|error| failed(error))
}

#[cold]
#[inline(never)]
fn failed(error: EncodeError) -> ! {
    panic!("{error}")
}

impl fmt::Debug for Encoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Encoder")
            .field("held_bytes", &self.memory.capacity())
            .field("vectored_threshold", &self.threshold)
            .finish_non_exhaustive()
    }
}
