//! Where JSON is written to: a vector, or memory of an arena.
#![expect(unsafe_code, reason = "writes to reserved memory without asking for each byte")]

use core::alloc::Layout;
use core::ptr::NonNull;

use alloc::vec::Vec;

use super::copy::{copy, copy_plain};
use crate::arena::{Arena, Block, Mark};

/// The most digits of a number of 64 bits.
const DIGITS: usize = 20;

/// The digits of the numbers below 100.
const PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[0; 2]; 100];
    let mut number = 0;
    while number < 100 {
        pairs[number] = [b'0' + number as u8 / 10, b'0' + number as u8 % 10];
        number += 1;
    }
    pairs
};

/// How many digits a number has.
#[inline]
fn digits(value: u64) -> usize {
    const POWERS: [u64; 20] = {
        let mut powers = [0; 20];
        let mut at = 1;
        while at < 20 {
            powers[at] = 10u64.pow(at as u32);
            at += 1;
        }
        powers
    };
    // The logarithm of two to the base of ten is a little less than 1233 / 4096.
    let guess = ((64 - value.leading_zeros() as usize) * 1233) >> 12;
    guess + usize::from(value >= POWERS[guess % 20])
}

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

    /// A string in quotes, if nothing in it has to be escaped; else its first bytes without, and how many those are.
    #[inline]
    pub(super) fn plain_string(&mut self, bytes: &[u8]) -> Result<(), usize> {
        if !self.room(bytes.len() + 2) {
            return Ok(());
        }
        // SAFETY: as room was made.
        let place = unsafe { self.start.add(self.len) };
        // SAFETY: as above.
        unsafe { place.write(b'"') };
        // SAFETY: as above; the bytes are not in this memory, which nothing else refers to.
        let plain = unsafe { copy_plain(bytes, place.add(1)) };
        self.len += 1 + plain;
        if plain < bytes.len() {
            return Err(plain);
        }
        // SAFETY: as room was made.
        unsafe { place.add(1 + plain).write(b'"') };
        self.len += 1;
        Ok(())
    }

    /// A number.
    #[inline]
    pub(super) fn unsigned(&mut self, value: u64) {
        if self.room(DIGITS) {
            // SAFETY: as room was made.
            unsafe { self.put_digits(value) };
        }
    }

    /// A number with its sign.
    #[inline]
    pub(super) fn signed(&mut self, value: i64) {
        if self.room(DIGITS + 1) {
            // SAFETY: as room was made.
            unsafe { self.start.add(self.len).write(b'-') };
            self.len += usize::from(value < 0);
            // SAFETY: as above.
            unsafe { self.put_digits(value.unsigned_abs()) };
        }
    }

    /// A number in quotes.
    #[inline]
    pub(super) fn quoted_unsigned(&mut self, value: u64) {
        self.byte(b'"');
        self.unsigned(value);
        self.byte(b'"');
    }

    /// A number with its sign in quotes.
    #[inline]
    pub(super) fn quoted_signed(&mut self, value: i64) {
        self.byte(b'"');
        self.signed(value);
        self.byte(b'"');
    }

    /// # Safety
    /// There is room for `DIGITS`.
    #[inline]
    unsafe fn put_digits(&mut self, value: u64) {
        // SAFETY: as required of the caller.
        let place = unsafe { self.start.add(self.len) };
        let put = |at: usize, pair: u32| {
            // SAFETY: below the number of digits, for which there is room.
            unsafe { place.add(at).cast::<[u8; 2]>().write_unaligned(PAIRS[pair as usize % 100]) };
        };
        if value < 10 {
            // SAFETY: as required of the caller.
            unsafe { place.write(b'0' + value as u8) };
            self.len += 1;
            return;
        }
        let count = digits(value);
        let (mut at, mut rest) = (count, value);
        while rest > u64::from(u32::MAX) {
            let (four, more) = ((rest % 10_000) as u32, rest / 10_000);
            put(at - 2, four % 100);
            put(at - 4, four / 100);
            (at, rest) = (at - 4, more);
        }
        let mut rest = rest as u32;
        while rest >= 100 {
            put(at - 2, rest % 100);
            (at, rest) = (at - 2, rest / 100);
        }
        if rest >= 10 {
            put(0, rest);
        } else {
            // SAFETY: as required of the caller.
            unsafe { place.write(b'0' + rest as u8) };
        }
        self.len += count;
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

#[cfg(test)]
mod tests {
    use std::format;

    use super::*;

    #[test]
    fn numbers_of_all_lengths() {
        let mut numbers = std::vec![0, 1, 9, 10, u64::MAX, u64::MAX - 1];
        for power in 1..20 {
            let bound = 10u64.pow(power);
            numbers.extend([bound - 1, bound, bound + 1, bound + bound / 2, bound * (u64::MAX / bound).min(7)]);
        }
        numbers.extend((0..64).map(|bit| 1u64 << bit));
        for number in numbers {
            let mut bytes = Vec::new();
            let mut out = Out::in_vec(&mut bytes);
            out.unsigned(number);
            out.byte(b',');
            out.signed(number as i64);
            out.quoted_signed((number as i64).wrapping_neg());
            out.quoted_unsigned(number);
            out.finish();
            let signed = number as i64;
            let expected = format!("{number},{signed}\"{}\"\"{number}\"", signed.wrapping_neg());
            assert_eq!(bytes, expected.as_bytes());
        }
    }
}
