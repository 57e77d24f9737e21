//! Packed varints to numbers.
#![expect(unsafe_code, reason = "reads into the slack, and fills reserved memory")]

use core::ptr::read_unaligned;

use super::Element;
use super::isa::{self, Isa};
use crate::wire::varint;

/// Where reading goes on, and how many numbers were read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decoded {
    pub(crate) ptr: *const u8,
    pub(crate) filled: usize,
    /// Whether the varint at `ptr` is none: more than ten bytes or 64 bits.
    pub(crate) malformed: bool,
}

/// Varints that end in these bytes.
///
/// # Safety
/// The processor has the level's instructions.
#[inline(always)]
pub(super) unsafe fn count<I: Isa>(bytes: &[u8]) -> usize {
    let mut more = 0;
    let blocks = bytes.chunks_exact(64);
    let rest = blocks.remainder();
    for block in blocks {
        // SAFETY: 64 bytes.
        more += unsafe { I::high_bits_64(block.as_ptr()) }.count_ones() as usize;
    }
    let quarters = rest.chunks_exact(16);
    for &byte in quarters.remainder() {
        more += usize::from(byte >> 7);
    }
    for quarter in quarters {
        // SAFETY: sixteen bytes.
        more += unsafe { I::high_bits_16(quarter.as_ptr()) }.count_ones() as usize;
    }
    bytes.len() - more
}

/// Decodes varints while enough for a block is left before `stop` and there is room for the numbers in it.
///
/// # Safety
/// `at` is readable up to `stop` and SLACK bytes behind it; `room` numbers may be written at `out`; the processor has the
/// level's instructions.
#[inline(always)]
pub(super) unsafe fn decode<E: Element, I: Isa>(
    mut at: *const u8,
    stop: *const u8,
    out: *mut E::Value,
    room: usize,
) -> Decoded {
    let mut filled = 0;
    loop {
        let left = stop.addr().saturating_sub(at.addr());
        // SAFETY: `filled <= room`.
        let place = unsafe { out.add(filled) };
        // SAFETY: as required of the caller.
        let Some(done) = (unsafe { I::block::<E>(at, left, place, room - filled) }) else { break };
        at = done.ptr;
        filled += done.filled;
        if done.malformed || done.filled == 0 {
            return Decoded { ptr: at, filled, malformed: done.malformed };
        }
    }
    Decoded { ptr: at, filled, malformed: false }
}

/// Decodes the varints of a block of `N` bytes but for one that it cuts. None if there might be too little room.
///
/// # Safety
/// `N` bytes and SLACK more are readable at `at`; `room` numbers may be written at `out`; the processor has the level's
/// instructions.
#[inline(always)]
pub(super) unsafe fn block<E: Element, I: Isa, const N: usize>(
    at: *const u8,
    out: *mut E::Value,
    room: usize,
) -> Decoded {
    // SAFETY: `N` bytes are readable.
    let more = unsafe { if N == 64 { I::high_bits_64(at) } else { I::high_bits_16(at) } };
    let ends = !more & (u64::MAX >> (64 - N));
    let count = ends.count_ones() as usize;
    if room < count {
        return Decoded { ptr: at, filled: 0, malformed: false };
    }
    if count == N {
        for index in (0..N).step_by(16) {
            // SAFETY: sixteen of the block's bytes, and there is room for `N` numbers.
            unsafe { widen::<E>(at.add(index), out.add(index)) };
        }
        // SAFETY: `N` bytes on.
        return Decoded { ptr: unsafe { at.add(N) }, filled: N, malformed: false };
    }
    let two = more & more >> 1;
    if I::SHUFFLES && two == 0 && room >= count + 8 {
        // SAFETY: no varint takes more than two bytes, there is room for eight more numbers, and the rest as required.
        return unsafe { pairs::<E, I, N>(at, more, out) };
    }
    // Eight bytes in a row that all go on.
    let four = two & two >> 2;
    if four & four >> 4 != 0 {
        // SAFETY: as required of the caller.
        return unsafe { long::<E, N>(at, out, room) };
    }
    // SAFETY: no varint takes more than eight bytes, there is room for `count` numbers, and the rest as required.
    unsafe { each::<E, I>(at, ends, count, out) }
}

/// Sixteen varints of one byte.
///
/// # Safety
/// Sixteen bytes are readable at `at`, and as many numbers may be written at `out`.
#[inline(always)]
pub(super) unsafe fn widen<E: Element>(at: *const u8, out: *mut E::Value) {
    // SAFETY: sixteen bytes are readable.
    let bytes = unsafe { read_unaligned(at.cast::<[u8; 16]>()) };
    for (index, byte) in bytes.into_iter().enumerate() {
        // SAFETY: one of sixteen numbers.
        unsafe { out.add(index).write(E::from_bits(u64::from(byte))) };
    }
}

/// Varints of one or two bytes, those in eight bytes at a time.
///
/// # Safety
/// `more` are the high bits of the `N` bytes at `at`, no two in a row; eight more numbers may be written at `out` than
/// the block has; SLACK bytes are readable behind it; the processor has the level's instructions.
#[inline(always)]
unsafe fn pairs<E: Element, I: Isa, const N: usize>(at: *const u8, more: u64, out: *mut E::Value) -> Decoded {
    let (mut pos, mut filled) = (0, 0);
    while pos <= N - 8 {
        let more = (more >> pos) as u8;
        // SAFETY: eight bytes of the block and eight of what is readable behind it.
        let values = unsafe { I::split(at.add(pos), more) };
        for (lane, value) in values.into_iter().enumerate() {
            // SAFETY: as many numbers as the block has and eight more. Those of unused lanes are written over, or lie
            // behind what is counted.
            unsafe { out.add(filled + lane).write(E::from_bits(u64::from(value))) };
        }
        filled += 8 - more.count_ones() as usize;
        // A varint that begins in the last byte is left.
        pos += 8 - usize::from(more >> 7);
    }
    // SAFETY: in the block or at its end.
    Decoded { ptr: unsafe { at.add(pos) }, filled, malformed: false }
}

/// Varints of one to eight bytes. Where each one ends is known, so none waits for the one before.
///
/// # Safety
/// `ends` are the last bytes of `count` varints of at most eight bytes at `at`, in a block with SLACK readable bytes behind it;
/// as many numbers may be written at `out`; the processor has the level's instructions.
#[inline(always)]
unsafe fn each<E: Element, I: Isa>(at: *const u8, mut ends: u64, count: usize, out: *mut E::Value) -> Decoded {
    let (mut start, mut filled) = (0, 0);
    let mut next = |out: *mut E::Value| {
        let end = ends.trailing_zeros() as usize;
        ends &= ends.wrapping_sub(1);
        // SAFETY: eight bytes from one in the block.
        let word = unsafe { isa::load(at.add(start)) };
        let bits = if E::ZIGZAG {
            // In two parts, which need not be taken apart again.
            // SAFETY: at most eight bytes.
            (unsafe { I::compress_half(word, end - start) }) << 1 | word & 1
        } else {
            // SAFETY: at most eight bytes.
            unsafe { I::compress(word, end - start) }
        };
        // SAFETY: required of the caller of this closure.
        unsafe { out.write(E::from_bits(bits)) };
        start = end + 1;
    };
    if count < 4 {
        while filled < count {
            // SAFETY: a number for each end.
            next(unsafe { out.add(filled) });
            filled += 1;
        }
    }
    // In fours, because nobody can predict how many there are. The next block begins with what is left.
    for _ in 0..count / 4 {
        for lane in 0..4 {
            // SAFETY: a number for each end, of which there are four more.
            next(unsafe { out.add(filled + lane) });
        }
        filled += 4;
    }
    // SAFETY: in the block or at its end.
    Decoded { ptr: unsafe { at.add(start) }, filled, malformed: false }
}

/// Varints that begin in a block, up to and including one that it may cut.
///
/// # Safety
/// `N` bytes and SLACK more are readable at `at`, and `room` numbers may be written at `out`.
#[inline(always)]
unsafe fn long<E: Element, const N: usize>(at: *const u8, out: *mut E::Value, room: usize) -> Decoded {
    // One that begins ten bytes before the block's end does not leave it, and the first is always read.
    let stop = at.wrapping_add(if N == 64 { N - 9 } else { 1 });
    // SAFETY: as required of the caller.
    unsafe { one_by_one::<E>(at, stop, out, room) }
}

/// Varints one by one, those that begin before `stop`.
///
/// # Safety
/// `at` is readable up to `stop` and SLACK bytes behind it; `room` numbers may be written at `out`.
#[inline(always)]
pub(super) unsafe fn one_by_one<E: Element>(
    mut at: *const u8,
    stop: *const u8,
    out: *mut E::Value,
    room: usize,
) -> Decoded {
    let mut filled = 0;
    while at < stop && filled < room {
        // SAFETY: SLACK bytes are readable from before `stop`.
        let (ptr, bits) = unsafe { varint::read(at) };
        if ptr.is_null() {
            return Decoded { ptr: at, filled, malformed: true };
        }
        at = ptr;
        // SAFETY: `filled < room`.
        unsafe { out.add(filled).write(E::from_bits(bits)) };
        filled += 1;
    }
    Decoded { ptr: at, filled, malformed: false }
}
