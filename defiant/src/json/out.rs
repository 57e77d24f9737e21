//! Where JSON is written to: a vector, or memory of an arena.
#![expect(unsafe_code, reason = "writes to reserved memory without asking for each byte")]

use core::alloc::Layout;
use core::ptr::NonNull;

use alloc::vec::Vec;

use super::place::{NUMBER, Place, STRING};
use crate::arena::{Arena, Block, Mark};

/// Bytes that are written one behind the other.
///
/// What fails to find memory is noted and not written, so that only the end has to ask.
///
/// Invariant: from `start` to `next` lie initialised bytes, from there to `end` memory to write to, and nothing else writes to
/// either: the content and spare capacity of the vector, or a block of the arena.
pub(super) struct Out<'o> {
    start: NonNull<u8>,
    next: NonNull<u8>,
    end: NonNull<u8>,
    home: Home<'o>,
    exhausted: bool,
}

enum Home<'o> {
    Vec(&'o mut Vec<u8>),
    Arena(&'o Arena, Mark),
}

impl<'o> Out<'o> {
    /// Appends to a vector.
    pub(super) fn in_vec(vec: &'o mut Vec<u8>) -> Self {
        // Without memory there is no room, which is noticed when some is asked for.
        let _ = vec.try_reserve(256);
        // SAFETY: a vector's address is not null.
        let start = unsafe { NonNull::new_unchecked(vec.as_mut_ptr()) };
        // SAFETY: the vector's length and capacity.
        let (next, end) = unsafe { (start.add(vec.len()), start.add(vec.capacity())) };
        Out { start, next, end, home: Home::Vec(vec), exhausted: false }
    }

    /// Takes memory of an arena.
    pub(super) fn in_arena(arena: &'o Arena) -> Self {
        let mark = arena.mark();
        // Most of the chunk; the rest is for what has to be decoded to be written.
        let left = arena.chunk_capacity();
        let wanted = if left < 512 { 1024 } else { left - left / 8 };
        let (start, capacity) = match arena.take_block(wanted) {
            Some(block) => (block.start, block.len),
            None => (NonNull::dangling(), 0),
        };
        // SAFETY: the end of the block.
        let end = unsafe { start.add(capacity) };
        Out { start, next: start, end, home: Home::Arena(arena, mark), exhausted: false }
    }

    /// How many bytes were written, with those of the vector before.
    #[inline]
    pub(super) fn len(&self) -> usize {
        // The invariant: no less.
        self.next.addr().get() - self.start.addr().get()
    }

    /// Replaces a byte that was written.
    #[inline]
    pub(super) fn replace(&mut self, at: usize, byte: u8) {
        if at < self.len() {
            // SAFETY: one of those bytes.
            unsafe { self.start.add(at).write(byte) };
        }
    }

    /// A place to write up to `more` bytes to; nothing when there is no memory.
    #[inline(always)]
    pub(super) fn room(&mut self, more: usize) -> Option<Place> {
        let left = self.end.addr().get() - self.next.addr().get();
        (left >= more || self.grow(more)).then_some(Place(self.next))
    }

    /// Takes what was written behind a place that [`room`](Self::room) gave.
    ///
    /// # Safety
    /// The place is the end of initialised bytes that begin there, and no more than were asked for.
    #[inline(always)]
    pub(super) unsafe fn take(&mut self, place: Place) {
        self.next = place.0;
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, more: usize) -> bool {
        let (len, capacity) = (self.len(), self.end.addr().get() - self.start.addr().get());
        let (start, capacity) = match &mut self.home {
            Home::Vec(vec) => {
                let before = vec.len();
                // So that what was written moves along.
                // SAFETY: the invariant.
                unsafe { vec.set_len(len) };
                let grown = vec.try_reserve(more);
                // So that it is not the vector's until the end.
                // SAFETY: no more than there was.
                unsafe { vec.set_len(before) };
                if grown.is_err() {
                    self.exhausted = true;
                    return false;
                }
                // SAFETY: a vector's address is not null.
                (unsafe { NonNull::new_unchecked(vec.as_mut_ptr()) }, vec.capacity())
            }
            Home::Arena(arena, _) => {
                let wanted = capacity.saturating_mul(2).max(len.saturating_add(more)).max(256);
                // SAFETY: the invariant.
                let grown = Layout::array::<u8>(wanted)
                    .ok()
                    .and_then(|layout| unsafe { arena.grow_bytes(self.start, len, capacity, layout, usize::MAX) });
                match grown {
                    Some((start, _)) => (start, wanted),
                    None => {
                        self.exhausted = true;
                        return false;
                    }
                }
            }
        };
        self.start = start;
        // SAFETY: what was written was moved along, and the capacity is that of the memory.
        (self.next, self.end) = unsafe { (start.add(len), start.add(capacity)) };
        true
    }

    /// Whether memory was missing.
    pub(super) fn is_exhausted(&self) -> bool {
        self.exhausted
    }

    #[inline]
    pub(super) fn byte(&mut self, byte: u8) {
        if let Some(place) = self.room(1) {
            // SAFETY: room was made.
            unsafe { self.take(place.byte(byte)) };
        }
    }

    #[inline]
    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        if let Some(place) = self.room(bytes.len()) {
            // SAFETY: room was made.
            unsafe { self.take(place.bytes(bytes)) };
        }
    }

    /// Bytes between quotes.
    #[inline]
    pub(super) fn quoted(&mut self, bytes: &[u8]) {
        if let Some(place) = self.room(bytes.len() + 2) {
            // SAFETY: room was made.
            unsafe { self.take(place.byte(b'"').bytes(bytes).byte(b'"')) };
        }
    }

    /// A string in quotes, if nothing in it has to be escaped; else its first bytes without, and how many those are.
    #[inline]
    pub(super) fn plain_string(&mut self, bytes: &[u8]) -> Result<(), usize> {
        let Some(place) = self.room(bytes.len() + STRING) else { return Ok(()) };
        // SAFETY: room was made.
        let (place, plain) = unsafe { place.plain_string(bytes) };
        // SAFETY: as above.
        unsafe { self.take(place) };
        if plain < bytes.len() { Err(plain) } else { Ok(()) }
    }

    /// A number.
    #[inline]
    pub(super) fn unsigned(&mut self, value: u64) {
        if let Some(place) = self.room(NUMBER) {
            // SAFETY: room was made.
            unsafe { self.take(place.unsigned(value)) };
        }
    }

    /// A number with its sign.
    #[inline]
    pub(super) fn signed(&mut self, value: i64) {
        if let Some(place) = self.room(NUMBER) {
            // SAFETY: room was made.
            unsafe { self.take(place.signed(value)) };
        }
    }

    /// A number in quotes.
    #[inline]
    pub(super) fn quoted_unsigned(&mut self, value: u64) {
        if let Some(place) = self.room(NUMBER) {
            // SAFETY: room was made.
            unsafe { self.take(place.byte(b'"').unsigned(value).byte(b'"')) };
        }
    }

    /// A number with its sign in quotes.
    #[inline]
    pub(super) fn quoted_signed(&mut self, value: i64) {
        if let Some(place) = self.room(NUMBER) {
            // SAFETY: room was made.
            unsafe { self.take(place.byte(b'"').signed(value).byte(b'"')) };
        }
    }

    /// Lets a function write up to `max` bytes, and say how many it wrote.
    #[inline]
    pub(super) fn fill(&mut self, max: usize, write: impl FnOnce(&mut [u8]) -> usize) {
        if self.room(max).is_some() {
            // SAFETY: room was made.
            unsafe { self.next.write_bytes(0, max) };
            // SAFETY: initialised just now.
            let written = write(unsafe { core::slice::from_raw_parts_mut(self.next.as_ptr(), max) });
            // SAFETY: no more than there was room for.
            self.next = unsafe { self.next.add(written.min(max)) };
        }
    }

    /// Ends a vector.
    pub(super) fn finish(self) {
        let len = self.len();
        if let Home::Vec(vec) = self.home {
            // SAFETY: the invariant.
            unsafe { vec.set_len(len) };
        }
    }

    /// What was written to an arena, without the memory behind it.
    pub(super) fn into_arena_bytes(self) -> &'o [u8] {
        let (len, capacity) = (self.len(), self.end.addr().get() - self.start.addr().get());
        let Home::Arena(arena, _) = self.home else { return &[] };
        if capacity == 0 {
            return &[];
        }
        // SAFETY: in the block.
        let tail = unsafe { self.start.add(capacity - len) };
        // SAFETY: both are in the block.
        unsafe { tail.copy_from(self.start, len) };
        // SAFETY: the block of this arena, of which the last `len` bytes were written just now.
        unsafe { arena.keep_tail(Block { start: self.start, len: capacity }, len) }
    }

    /// Gives back what was taken of an arena.
    pub(super) fn discard(self) {
        if let Home::Arena(arena, mark) = self.home {
            // SAFETY: nothing refers to the block any more; what was decoded meanwhile was to stay, or is not used.
            unsafe { arena.roll_back(mark) };
        }
    }
}
