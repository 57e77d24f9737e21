//! Writing backward.
//!
//! A message is written from its last field to its first, so that the length of a nested message is known when it
//! has to be written, and no pass over the message only to count is needed. A [`Writer`] is two words, passed and
//! returned in registers. [`Counter`] runs the same code to count only.
//!
//! # Limits
//!
//! A message may nest [`MAX_DEPTH`] levels deep and take [`MAX_LEN`] bytes. Beyond these, a sink *refuses* the message: it
//! goes on without an error, and the entry point asks for the [`Excess`] at the end. So encoding code has no error paths.
//!
//! **Depth.** Only messages that may nest further are counted: the derive tells which types do (`Encodable::FLAT`), so
//! the nested messages of most schemas cost nothing. A sink counts the levels that are left: [`descend`](Sink::descend) before a nested message and
//! [`ascend`](Sink::ascend) after it. A [`Writer`] keeps the count in its buffer, a [`Counter`] in a register. A sink that
//! refuses a message makes the count negative, by so much that it stays negative. Then no nested message is written any
//! more, so a deep message with many branches ends soon.
//!
//! **Length.** Nothing is compared field by field. The length of a nested message is at most that of the whole message, so
//! the entry point compares one length. It cannot wrap around: a [`Counter`] counts in 64 bits, the bytes in a buffer are
//! one allocation, and a `Vectored` sink refuses bytes beyond the limit when it would refer to them.
#![expect(unsafe_code, reason = "stores through a raw pointer into a buffer")]

use super::buffer::{Buffer, SCALAR, copy_short};
use super::packed::{self, Element};
use super::vectored::Vectored;
use super::{SLACK, varint};

/// The levels of nested messages that are encoded, the outermost message not counted.
///
/// A level takes stack. In a thread with 2 MiB, which is the default of the standard library, 1,000 levels can be encoded
/// with and without optimization (test `encode_fits_in_the_stack_of_a_thread` in the crate `conformance`).
pub(crate) const MAX_DEPTH: i32 = 1_000;

/// The bytes that a message may take: 2 GiB less one byte.
///
/// Source: <https://protobuf.dev/programming-guides/encoding/#size-limit>.
pub(crate) const MAX_LEN: usize = i32::MAX as usize;

/// Why a message is not encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Excess {
    /// Messages are nested more than [`MAX_DEPTH`] levels deep.
    Depth,
    /// The message takes more than [`MAX_LEN`] bytes.
    Length,
}

/// The levels of nested messages that may still be entered; negative once the message is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Levels(i32);

impl Levels {
    /// Far enough from 0 that leaving [`MAX_DEPTH`] levels does not lead back there.
    const TOO_DEEP: i32 = i32::MIN / 2;
    const TOO_LONG: i32 = i32::MIN;

    pub(super) const ALL: Levels = Levels(MAX_DEPTH);

    /// Enters a level; `false`, and no level is entered, if the message is refused.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn descend(&mut self) -> bool {
        self.0 -= 1;
        if self.0 < 0 {
            self.0 += 1;
            self.refuse(Excess::Depth);
            return false;
        }
        true
    }

    /// Leaves a level.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn ascend(&mut self) {
        self.0 += 1;
    }

    /// Refuses the message. The first reason stays.
    #[cold]
    pub(super) fn refuse(&mut self, excess: Excess) {
        if self.excess().is_none() {
            self.0 = match excess {
                Excess::Depth => Self::TOO_DEEP,
                Excess::Length => Self::TOO_LONG,
            };
        }
    }

    /// Why the message is refused, if it is.
    pub(super) fn excess(self) -> Option<Excess> {
        if self.0 >= 0 {
            None
        } else if self.0 >= Self::TOO_DEEP {
            Some(Excess::Depth)
        } else {
            Some(Excess::Length)
        }
    }
}

/// What encoding code writes to: a [`Writer`], a [`Counter`], or a `Vectored`, which keeps
/// references to what lives as long as `'m`, the message's memory, does.
// TRUST: unsafe code does not rely on it: encoders are passed a sink of this crate.
pub trait Sink<'m>: Sized {
    /// Whether there is only a count, for which neither order nor values matter.
    const COUNTS: bool = false;

    /// Counts so many bytes, where that is all that is done.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn count(&mut self, _: usize) {}
    /// Bytes written so far.
    fn written(&self) -> usize;
    /// Writes the varint `value`, and before it the tag.
    fn varint(&mut self, tag: u32, value: u64);
    /// Writes four bytes, and before them the tag.
    fn fixed32(&mut self, tag: u32, value: u32);
    /// Writes eight bytes, and before them the tag.
    fn fixed64(&mut self, tag: u32, value: u64);
    /// Writes bytes, before them their length, and before that the tag.
    fn bytes(&mut self, tag: u32, bytes: &'m [u8]);
    /// Writes bytes as they are.
    fn raw(&mut self, bytes: &'m [u8]);
    /// Writes bytes that do not last.
    fn copy(&mut self, bytes: &[u8]);
    /// Writes a varint without a tag.
    fn raw_varint(&mut self, value: u64);
    /// Writes varints without tags.
    fn raw_varints<E: Element>(&mut self, values: &[E::Value]);
    /// Writes a tag.
    fn tag(&mut self, tag: u32);
    /// The same sink, borrowed for a call.
    type Short<'s>: Sink<'m>
    where
        Self: 's;
    /// Runs out-of-line code that goes on writing.
    fn call<'s>(&'s mut self, f: impl FnOnce(Self::Short<'s>) -> Self::Short<'s>)
    where
        Self: 's;

    /// Enters a nested message. If this returns `false`, the message is refused, and nothing of the nested one is written.
    fn descend(&mut self) -> bool;
    /// Leaves a nested message that was entered.
    fn ascend(&mut self);

    /// Runs code that is another for each kind of sink.
    fn visit<V: Visitor<'m>>(self, visitor: V) -> Self;

    /// Writes what `f` writes, before it the length of that, and before that the tag.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn enclosed(&mut self, tag: u32, f: impl FnOnce(&mut Self)) {
        let before = self.written();
        f(self);
        // A message that is refused may wrap around.
        let len = self.written().wrapping_sub(before);
        self.varint(tag, len as u64);
    }
}

/// Code that is another for each kind of sink.
// TRUST: unsafe code does not rely on it: it writes a finished message to a sink that checks its capacity.
pub trait Visitor<'m> {
    /// Writes to a [`Writer`].
    fn writer<'w, 'a>(self, writer: Writer<'w, 'a>) -> Writer<'w, 'a>;
    /// Writes to a [`Counter`].
    fn counter(self, counter: Counter) -> Counter;
    /// Writes to a [`Vectored`].
    fn vectored<'w, 'a>(self, vectored: Vectored<'w, 'a, 'm>) -> Vectored<'w, 'a, 'm>;
}

/// Writes backward into a buffer.
///
/// Invariant: `pos` is in the buffer's memory or at its end, and the bytes from there on are initialised.
#[derive(Debug)]
pub struct Writer<'w, 'a> {
    pos: *mut u8,
    buffer: &'w mut Buffer<'a>,
}

impl<'w, 'a> Writer<'w, 'a> {
    /// Begins at the end of the buffer.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn new(buffer: &'w mut Buffer<'a>) -> Self {
        Writer { pos: buffer.end(), buffer }
    }

    /// Refuses the message.
    #[cold]
    pub(super) fn refuse(&mut self, excess: Excess) {
        self.buffer.levels.refuse(excess);
    }

    /// Where the bytes begin that were written so far.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn position(self) -> *mut u8 {
        self.pos
    }

    /// Makes room for `need` bytes before the position.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn reserve(&mut self, need: usize) {
        if self.buffer.room(self.pos) < need {
            self.pos = self.buffer.grow(self.pos, need);
        }
    }

    /// Makes room for a tag and a scalar.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn reserve_scalar(&mut self) {
        if self.pos.addr() < self.buffer.scalar_from() {
            self.pos = self.buffer.grow(self.pos, SCALAR);
        }
    }

    /// Writes a tag; with a constant tag, one store.
    ///
    /// # Safety
    /// Five bytes before the position are writable.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn put_tag(&mut self, tag: u32) {
        let bytes = super::tag::TagBytes::new(tag);
        if bytes.len == 1 {
            // SAFETY: one of the five bytes.
            self.pos = unsafe { self.pos.sub(1) };
            // SAFETY: as above.
            unsafe { *self.pos = tag as u8 };
        } else if bytes.len == 2 {
            // SAFETY: two of the five bytes.
            self.pos = unsafe { self.pos.sub(2) };
            let word = (tag & 0x7f | 0x80) as u16 | ((tag >> 7) as u16) << 8;
            // SAFETY: as above; alignment is not needed.
            unsafe { self.pos.cast::<u16>().write_unaligned(word.to_le()) };
        } else {
            // SAFETY: the varint of a 32-bit value takes at most five bytes.
            self.pos = unsafe { put_long_tag(self.pos, tag) };
        }
    }

    /// Copies bytes before the position.
    ///
    /// # Safety
    /// `bytes.len()` bytes before the position are writable.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn put_bytes(&mut self, bytes: &[u8]) {
        // SAFETY: writable by contract.
        self.pos = unsafe { self.pos.sub(bytes.len()) };
        // SAFETY: as above; a shared slice cannot overlap memory that this writer may write to.
        unsafe { copy_short(bytes.as_ptr(), self.pos, bytes.len()) };
    }
}

/// # Safety
/// Five bytes before `end` are writable.
#[cold]
#[inline(never)]
unsafe fn put_long_tag(end: *mut u8, tag: u32) -> *mut u8 {
    let mut scratch = [0u8; 10];
    let scratch_end = scratch.as_mut_ptr_range().end;
    // SAFETY: ten bytes before the scratch's end are writable.
    let start = unsafe { varint::write_before(scratch_end, u64::from(tag)) };
    let len = scratch_end.addr() - start.addr();
    // SAFETY: `len` is at most five.
    let pos = unsafe { end.sub(len) };
    // SAFETY: `len` initialised bytes of the scratch, and as many writable ones.
    unsafe { start.copy_to_nonoverlapping(pos, len) };
    pos
}

impl<'a, 'm> Sink<'m> for Writer<'_, 'a> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn written(&self) -> usize {
        self.buffer.written(self.pos)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn varint(&mut self, tag: u32, value: u64) {
        self.reserve_scalar();
        // SAFETY: reserved.
        self.pos = unsafe { varint::write_before(self.pos, value) };
        // SAFETY: 16 bytes were reserved, the varint took at most ten.
        unsafe { self.put_tag(tag) };
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn fixed32(&mut self, tag: u32, value: u32) {
        self.reserve_scalar();
        // SAFETY: reserved.
        self.pos = unsafe { self.pos.sub(4) };
        // SAFETY: reserved; alignment is not needed.
        unsafe { self.pos.cast::<u32>().write_unaligned(value.to_le()) };
        // SAFETY: 12 of the 16 bytes are left.
        unsafe { self.put_tag(tag) };
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn fixed64(&mut self, tag: u32, value: u64) {
        self.reserve_scalar();
        // SAFETY: reserved.
        self.pos = unsafe { self.pos.sub(8) };
        // SAFETY: reserved; alignment is not needed.
        unsafe { self.pos.cast::<u64>().write_unaligned(value.to_le()) };
        // SAFETY: 8 of the 16 bytes are left.
        unsafe { self.put_tag(tag) };
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn bytes(&mut self, tag: u32, bytes: &'m [u8]) {
        // A slice is at most isize::MAX bytes long.
        if self.buffer.room(self.pos) < bytes.len() + SCALAR {
            self.pos = self.buffer.put_at_front(self.pos, bytes);
        } else {
            // SAFETY: there is room.
            unsafe { self.put_bytes(bytes) };
        }
        // SAFETY: 16 bytes are left.
        self.pos = unsafe { varint::write_before(self.pos, bytes.len() as u64) };
        // SAFETY: six bytes are left.
        unsafe { self.put_tag(tag) };
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn raw(&mut self, bytes: &'m [u8]) {
        Sink::copy(self, bytes);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn copy(&mut self, bytes: &[u8]) {
        if self.buffer.room(self.pos) < bytes.len() {
            self.pos = self.buffer.put_raw_at_front(self.pos, bytes);
        } else {
            // SAFETY: there is room.
            unsafe { self.put_bytes(bytes) };
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn raw_varint(&mut self, value: u64) {
        self.reserve_scalar();
        // SAFETY: reserved.
        self.pos = unsafe { varint::write_before(self.pos, value) };
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn raw_varints<E: Element>(&mut self, values: &[E::Value]) {
        // In pieces, so that what is reserved is not far more than what is used.
        for values in values.rchunks(128) {
            if self.buffer.room(self.pos) < values.len() * 10 + SLACK {
                self.reserve(packed::size_of_run::<E>(values) + SLACK);
            }
            // SAFETY: the bytes of the varints, which are at most ten each, and SLACK more were reserved.
            self.pos = unsafe { packed::encode_before::<E>(self.pos, values) };
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn tag(&mut self, tag: u32) {
        self.reserve_scalar();
        // SAFETY: reserved.
        unsafe { self.put_tag(tag) };
    }

    type Short<'s>
        = Writer<'s, 'a>
    where
        Self: 's;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn call<'s>(&'s mut self, f: impl FnOnce(Self::Short<'s>) -> Self::Short<'s>)
    where
        Self: 's,
    {
        let Writer { pos, buffer } = self;
        *pos = f(Writer { pos: *pos, buffer }).pos;
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn descend(&mut self) -> bool {
        self.buffer.levels.descend()
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn ascend(&mut self) {
        self.buffer.levels.ascend();
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn visit<V: Visitor<'m>>(self, visitor: V) -> Self {
        visitor.writer(self)
    }
}

/// Counts what a [`Writer`] would write.
#[derive(Debug)]
pub struct Counter {
    /// With 64 bits on every target: a message in memory of 32-bit addresses may take more bytes than those count, because
    /// several of its fields may refer to the same memory.
    len: u64,
    levels: Levels,
}

impl Counter {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn new() -> Self {
        Counter { len: 0, levels: Levels::ALL }
    }

    /// The bytes that were counted.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn counted(&self) -> u64 {
        self.len
    }

    /// Why the message is refused before its length is looked at, if it is.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn excess(&self) -> Option<Excess> {
        self.levels.excess()
    }

    /// The length of the message.
    ///
    /// # Errors
    /// [`Excess`] when they are no message.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn total(&self) -> Result<usize, Excess> {
        match self.levels.excess() {
            None if self.len <= MAX_LEN as u64 => Ok(self.len as usize),
            None => Err(Excess::Length),
            Some(excess) => Err(excess),
        }
    }

    /// Counts the bytes that `f` counts, from zero, so that the counts of many elements do not wait for each other.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn apart(&mut self, f: impl FnOnce(Counter) -> Counter) -> u64 {
        let inside = f(Counter { len: 0, levels: self.levels });
        self.levels = inside.levels;
        self.len += inside.len;
        inside.len
    }
}

impl<'m> Sink<'m> for Counter {
    const COUNTS: bool = true;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn count(&mut self, len: usize) {
        self.len += len as u64;
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn written(&self) -> usize {
        self.len as usize
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn varint(&mut self, tag: u32, value: u64) {
        self.count(super::tag::tag_len(tag));
        self.raw_varint(value);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn fixed32(&mut self, tag: u32, _: u32) {
        self.count(super::tag::tag_len(tag) + 4);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn fixed64(&mut self, tag: u32, _: u64) {
        self.count(super::tag::tag_len(tag) + 8);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn bytes(&mut self, tag: u32, bytes: &'m [u8]) {
        self.count(super::tag::tag_len(tag) + bytes.len());
        self.raw_varint(bytes.len() as u64);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn raw(&mut self, bytes: &'m [u8]) {
        self.count(bytes.len());
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn copy(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn raw_varint(&mut self, value: u64) {
        self.len += 1;
        if value >= 0x80 {
            self.count(varint::further_bytes(value));
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn raw_varints<E: Element>(&mut self, values: &[E::Value]) {
        self.count(packed::size_of_run::<E>(values));
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn tag(&mut self, tag: u32) {
        self.count(super::tag::tag_len(tag));
    }

    type Short<'s>
        = Counter
    where
        Self: 's;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn call<'s>(&'s mut self, f: impl FnOnce(Counter) -> Counter)
    where
        Self: 's,
    {
        self.apart(f);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn enclosed(&mut self, tag: u32, f: impl FnOnce(&mut Self)) {
        let len = self.apart(|mut inside| {
            f(&mut inside);
            inside
        });
        self.varint(tag, len);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn descend(&mut self) -> bool {
        self.levels.descend()
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn ascend(&mut self) {
        self.levels.ascend();
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn visit<V: Visitor<'m>>(self, visitor: V) -> Self {
        visitor.counter(self)
    }
}
