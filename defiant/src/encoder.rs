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
use crate::wire::writer::{Counter, Sink, Writer};

/// What can be encoded: a message, by its type or by its table. What it refers to lives as long as `'m`.
// TRUST: unsafe code does not rely on it: writers check the room for every write, so a count that differs from what is
// written is a panic or a longer buffer.
pub trait Encodable<'m>: Copy {
    /// Writes it.
    fn write<S: Sink<'m>>(self, sink: S) -> S;
}

impl<'m, M: Message<'m>> Encodable<'m> for &M {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn write<S: Sink<'m>>(self, sink: S) -> S {
        self.__encode(sink)
    }
}

#[inline]
pub(crate) fn encode_in<'a, 'm>(message: impl Encodable<'m>, arena: &'a Arena) -> &'a [u8] {
    let mut buffer = Buffer::in_arena(arena);
    let pos = message.write(Writer::new(&mut buffer)).position();
    // SAFETY: where the buffer's only writer ended.
    unsafe { buffer.into_arena_slice(pos) }
}

/// What a function writes into an arena.
pub(crate) fn written_in<'a>(
    arena: &'a Arena,
    write: impl for<'w> FnOnce(Writer<'w, 'a>) -> Writer<'w, 'a>,
) -> &'a [u8] {
    let mut buffer = Buffer::in_arena(arena);
    let pos = write(Writer::new(&mut buffer)).position();
    // SAFETY: where a writer of this buffer ended: `'w` is any lifetime, so only the one that came in can go out.
    unsafe { buffer.into_arena_slice(pos) }
}

/// Messages of up to so many bytes are written on the stack, and copied to where they belong once their length is known; what
/// is longer is counted when that is full, and goes on in memory of its length.
const SCRATCH: usize = 4 << 10;

/// The length on the wire; out of line, because it is asked for in more than one place.
#[inline(never)]
fn counted<'m>(message: impl Encodable<'m>) -> usize {
    message.write(Counter::default()).len
}

// Out of line: the scratch is to be on the stack for no longer than this runs.
#[inline(never)]
pub(crate) fn encode_to_vec<'m>(message: impl Encodable<'m>) -> Vec<u8> {
    let mut scratch = [MaybeUninit::uninit(); SCRATCH];
    let mut overflow = || Room::Heap(counted(message));
    let mut buffer = Buffer::in_scratch(&mut scratch, &mut overflow);
    let pos = message.write(Writer::new(&mut buffer)).position();
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
    let count = || {
        let len = counted(message);
        len + if delimited { prefix_len(len) } else { 0 }
    };
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
        let required = count();
        if required > remaining {
            return Err(EncodeError { required, remaining });
        }
        Buffer::in_room(room(required), &mut scratch)
    } else {
        overflow = || room(count());
        Buffer::in_scratch(&mut scratch, &mut overflow)
    };
    let mut writer = message.write(Writer::new(&mut buffer));
    if delimited {
        let len = writer.written();
        writer.raw_varint(len as u64);
    }
    let pos = writer.position();
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
        return Err(EncodeError { required: bytes.len(), remaining });
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
    #[inline]
    pub fn encode<'m, M: Message<'m>>(&mut self, message: &M) -> &[u8] {
        self.write(M::__Code::encodable(message), false)
    }

    /// Encodes a message behind its length as a varint.
    #[inline]
    pub fn encode_length_delimited<'m, M: Message<'m>>(&mut self, message: &M) -> &[u8] {
        self.write(M::__Code::encodable(message), true)
    }

    /// Encodes a message in pieces, for a vectored write: strings, `bytes`, unknown fields and packed numbers of fixed width
    /// of [4096 bytes or more](Self::vectored_threshold) are not copied but referred to.
    ///
    /// The pieces together are the bytes of [`encode`](Self::encode). Once the encoder's memory is warm, nothing is
    /// allocated. See [`Pieces`] for an example.
    pub fn encode_vectored<'e, 'm: 'e, M: Message<'m>>(&'e mut self, message: &M) -> Pieces<'e> {
        self.write_vectored(M::__Code::encodable(message), false)
    }

    /// [`encode_vectored`](Self::encode_vectored) behind the message's length as a varint.
    pub fn encode_vectored_length_delimited<'e, 'm: 'e, M: Message<'m>>(&'e mut self, message: &M) -> Pieces<'e> {
        self.write_vectored(M::__Code::encodable(message), true)
    }

    fn write_vectored<'e, 'm: 'e>(&'e mut self, message: impl Encodable<'m>, delimited: bool) -> Pieces<'e> {
        let list = pieces::emptied(core::mem::take(&mut self.cuts));
        let mut cuts: Cuts<'m> = Cuts { list, referenced: 0, threshold: self.threshold };
        let mut buffer = Buffer::in_vec(core::mem::take(&mut self.memory));
        let mut sink = message.write(Vectored::new(Writer::new(&mut buffer), &mut cuts));
        if delimited {
            let len = sink.written();
            sink.raw_varint(len as u64);
        }
        let pos = sink.position();
        // SAFETY: where the buffer's only writer ended.
        let (memory, written) = unsafe { buffer.into_spare(pos) };
        self.memory = memory;
        // SAFETY: both come from `into_spare` just now.
        let copied = unsafe { buffer::written_tail(&self.memory, written) };
        Pieces::new(copied, cuts.list, &mut self.cuts)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn write<'m>(&mut self, message: impl Encodable<'m>, delimited: bool) -> &[u8] {
        let mut buffer = Buffer::in_vec(core::mem::take(&mut self.memory));
        let mut writer = message.write(Writer::new(&mut buffer));
        if delimited {
            let len = writer.written();
            writer.raw_varint(len as u64);
        }
        let pos = writer.position();
        // SAFETY: where the buffer's only writer ended.
        let (memory, written) = unsafe { buffer.into_spare(pos) };
        // What was taken left a vector without memory, which need not be looked at to be dropped.
        core::mem::forget(core::mem::replace(&mut self.memory, memory));
        // SAFETY: both come from `into_spare` just now.
        unsafe { buffer::written_tail(&self.memory, written) }
    }
}

impl fmt::Debug for Encoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Encoder")
            .field("held_bytes", &self.memory.capacity())
            .field("vectored_threshold", &self.threshold)
            .finish_non_exhaustive()
    }
}
