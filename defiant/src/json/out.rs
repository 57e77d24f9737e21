//! Where JSON is written to: a vector, or memory of an arena.
#![expect(unsafe_code, reason = "writes to reserved memory without asking for each byte")]

use core::alloc::Layout;
use core::ptr::NonNull;

use alloc::vec::Vec;

use crate::arena::{Arena, Block, Mark};

/// Bytes that are written one behind the other.
///
/// What fails to find memory is noted and not written, so that only the end has to ask.
///
/// Invariant: the first `len` bytes at `start` are initialised, there is memory for `capacity`, and nothing else writes to
/// it: the spare capacity and content of the vector, or a block of the arena.
pub(super) struct Out<'o> {
    start: NonNull<u8>,
    len: usize,
    capacity: usize,
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
        vec.reserve(256);
        let (len, capacity) = (vec.len(), vec.capacity());
        // SAFETY: a vector's address is not null.
        let start = unsafe { NonNull::new_unchecked(vec.as_mut_ptr()) };
        Out { start, len, capacity, home: Home::Vec(vec), exhausted: false }
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
        Out { start, len: 0, capacity, home: Home::Arena(arena, mark), exhausted: false }
    }

    /// Makes room for `more` bytes; `false` when there is no memory.
    #[inline]
    fn room(&mut self, more: usize) -> bool {
        self.capacity - self.len >= more || self.grow(more)
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, more: usize) -> bool {
        match &mut self.home {
            Home::Vec(vec) => {
                // SAFETY: the invariant.
                unsafe { vec.set_len(self.len) };
                vec.reserve(more);
                self.capacity = vec.capacity();
                // SAFETY: a vector's address is not null.
                self.start = unsafe { NonNull::new_unchecked(vec.as_mut_ptr()) };
                true
            }
            Home::Arena(arena, _) => {
                let doubled = self.capacity.saturating_mul(2);
                let capacity = doubled.max(self.len.saturating_add(more)).max(256);
                let Ok(layout) = Layout::array::<u8>(capacity) else {
                    self.exhausted = true;
                    return false;
                };
                // SAFETY: the invariant.
                let grown = unsafe { arena.grow_bytes(self.start, self.len, self.capacity, layout, usize::MAX) };
                match grown {
                    Some((start, _)) => {
                        (self.start, self.capacity) = (start, capacity);
                        true
                    }
                    None => {
                        self.exhausted = true;
                        false
                    }
                }
            }
        }
    }

    /// Whether memory was missing.
    pub(super) fn is_exhausted(&self) -> bool {
        self.exhausted
    }

    #[inline]
    pub(super) fn byte(&mut self, byte: u8) {
        if self.room(1) {
            // SAFETY: in the memory, as room was made.
            unsafe { self.start.add(self.len).write(byte) };
            self.len += 1;
        }
    }

    #[inline]
    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        if self.room(bytes.len()) {
            // SAFETY: room was made.
            unsafe { self.put(bytes) };
        }
    }

    /// A byte and bytes behind it.
    #[inline]
    pub(super) fn byte_bytes(&mut self, byte: u8, bytes: &[u8]) {
        if self.room(1 + bytes.len()) {
            // SAFETY: as room was made.
            unsafe { self.start.add(self.len).write(byte) };
            self.len += 1;
            // SAFETY: as above.
            unsafe { self.put(bytes) };
        }
    }

    /// Bytes between quotes.
    #[inline]
    pub(super) fn quoted(&mut self, bytes: &[u8]) {
        if self.room(bytes.len() + 2) {
            // SAFETY: as room was made.
            unsafe { self.start.add(self.len).write(b'"') };
            self.len += 1;
            // SAFETY: as above.
            unsafe { self.put(bytes) };
            // SAFETY: as above.
            unsafe { self.start.add(self.len).write(b'"') };
            self.len += 1;
        }
    }

    /// # Safety
    /// There is room for them.
    #[inline]
    unsafe fn put(&mut self, bytes: &[u8]) {
        // SAFETY: as required of the caller.
        let place = unsafe { self.start.add(self.len) };
        // SAFETY: as above; the bytes are not in this memory, which nothing else refers to.
        unsafe { copy(bytes, place) };
        self.len += bytes.len();
    }

    /// Lets a function write up to `max` bytes, and say how many it wrote.
    #[inline]
    pub(super) fn fill(&mut self, max: usize, write: impl FnOnce(&mut [u8]) -> usize) {
        if self.room(max) {
            // SAFETY: as room was made.
            let place = unsafe { self.start.add(self.len) };
            // SAFETY: as above.
            unsafe { place.write_bytes(0, max) };
            // SAFETY: initialised just now.
            let written = write(unsafe { core::slice::from_raw_parts_mut(place.as_ptr(), max) });
            self.len += written.min(max);
        }
    }

    /// Ends a vector.
    pub(super) fn finish(self) {
        if let Home::Vec(vec) = self.home {
            // SAFETY: the invariant.
            unsafe { vec.set_len(self.len) };
        }
    }

    /// What was written to an arena, without the memory behind it.
    pub(super) fn into_arena_bytes(self) -> &'o [u8] {
        let Home::Arena(arena, _) = self.home else { return &[] };
        if self.capacity == 0 {
            return &[];
        }
        // SAFETY: in the block.
        let tail = unsafe { self.start.add(self.capacity - self.len) };
        // SAFETY: both are in the block.
        unsafe { tail.copy_from(self.start, self.len) };
        // SAFETY: the block of this arena, of which the last `len` bytes were written just now.
        unsafe { arena.keep_tail(Block { start: self.start, len: self.capacity }, self.len) }
    }

    /// Gives back what was taken of an arena.
    pub(super) fn discard(self) {
        if let Home::Arena(arena, mark) = self.home {
            // SAFETY: nothing refers to the block any more; what was decoded meanwhile was to stay, or is not used.
            unsafe { arena.roll_back(mark) };
        }
    }
}

/// Copies bytes, short ones without a call.
///
/// # Safety
/// There is room for them, somewhere else.
#[inline]
unsafe fn copy(bytes: &[u8], place: NonNull<u8>) {
    let (from, to, len) = (bytes.as_ptr(), place.as_ptr(), bytes.len());
    macro_rules! both_ends {
        ($ty:ty) => {{
            let size = size_of::<$ty>();
            // SAFETY: the first bytes.
            let first = unsafe { from.cast::<$ty>().read_unaligned() };
            // SAFETY: the last bytes.
            let last = unsafe { from.add(len - size).cast::<$ty>().read_unaligned() };
            // SAFETY: as above.
            unsafe { to.cast::<$ty>().write_unaligned(first) };
            // SAFETY: as above.
            unsafe { to.add(len - size).cast::<$ty>().write_unaligned(last) };
        }};
    }
    match len {
        0 => {}
        // SAFETY: one byte.
        1 => unsafe { to.write(*from) },
        2..=3 => both_ends!(u16),
        4..=7 => both_ends!(u32),
        8..=16 => both_ends!(u64),
        17..=32 => both_ends!([u64; 2]),
        // SAFETY: as required of the caller.
        _ => unsafe { to.copy_from_nonoverlapping(from, len) },
    }
}
