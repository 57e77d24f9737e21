//! Packed varints by registers of 64 bytes whose bytes move one by one: AVX-512 with VBMI and VBMI2.
//!
//! A block's bytes are dealt out to lanes, one for each varint, wide enough for the longest of the block: two compressions
//! of the numbers 0 to 63 say where each varint begins and ends, and a permutation fetches its bytes. Then two multiplications
//! and a shift join groups of seven bits in all lanes at once.
#![expect(unsafe_code, reason = "vector instructions, and loads and stores through raw pointers")]
#![expect(clippy::incompatible_msrv, reason = "this file is left out where the compiler is older")]

use core::arch::x86_64::*;

use super::Element;
use super::decode::{self, Decoded};
use super::encode::any;

/// The numbers 0 to 63, modulo `N`, or each of them divided by `N`.
const fn indices(n: u8, divided: bool) -> [u8; 64] {
    let mut bytes = [0; 64];
    let mut index = 0;
    while index < 64 {
        bytes[index as usize] = if divided { index / n } else { index % n };
        index += 1;
    }
    bytes
}

/// A constant in a register.
///
/// # Safety
/// The processor has AVX-512, and so in all of this file.
#[inline(always)]
unsafe fn constant(bytes: &'static [u8; 64]) -> __m512i {
    // SAFETY: 64 bytes are readable; alignment is not needed.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}

/// Decodes the varints that end in the next 64 bytes, or in those that are left. `None` where nothing is left; none are
/// filled if there might be too little room.
///
/// # Safety
/// `left` bytes and SLACK more are readable at `at`; `room` numbers may be written at `out`; the processor has the level's
/// instructions.
#[inline(always)]
pub(super) unsafe fn block<E: Element>(at: *const u8, left: usize, out: *mut E::Value, room: usize) -> Option<Decoded> {
    let len = left.min(64);
    if len == 0 {
        return None;
    }
    let given = u64::MAX >> (64 - len);
    // The next block waits for this one's ends, so a mask that it need not wait for is a gain.
    let bytes = if len == 64 {
        // SAFETY: 64 bytes are readable; alignment is not needed.
        unsafe { _mm512_loadu_si512(at.cast()) }
    } else {
        // SAFETY: the bytes of the mask are readable, and no others are read.
        unsafe { _mm512_maskz_loadu_epi8(given, at.cast()) }
    };
    // SAFETY: the processor has AVX-512.
    let more = unsafe { _mm512_movepi8_mask(bytes) };
    let ends = !more & given;
    let count = ends.count_ones() as usize;
    if count == 0 || room < count {
        return Some(Decoded { ptr: at, filled: 0, malformed: false });
    }
    if count == 64 {
        for index in (0..64).step_by(16) {
            // SAFETY: sixteen of the block's bytes, and there is room for 64 numbers.
            unsafe { decode::widen::<E>(at.add(index), out.add(index)) };
        }
        // SAFETY: 64 bytes on.
        return Some(Decoded { ptr: unsafe { at.add(64) }, filled: 64, malformed: false });
    }
    // So many bytes in a row that go on, from each byte on.
    let two = more & more >> 1;
    let four = two & two >> 2;
    let eight = four & four >> 4;
    let dealt = Dealt {
        bytes,
        // SAFETY: as above; a varint begins at the block's first byte and behind every end.
        begins: unsafe { _mm512_maskz_compress_epi8(ends << 1 | 1, constant(const { &indices(64, false) })) },
        // SAFETY: as above.
        ends: unsafe { _mm512_maskz_compress_epi8(ends, constant(const { &indices(64, false) })) },
    };
    // Registers that are filled whole write up to a register's numbers behind the last, where there is room for them.
    if two == 0 {
        for first in (0..count).step_by(32) {
            // SAFETY: no varint takes more than two bytes.
            let numbers = unsafe { dealt.of_two(first) };
            // SAFETY: there is room for `count` numbers.
            unsafe { store::<E, u16, 32>(numbers, out.add(first), count - first, room - first) };
        }
    } else if four == 0 {
        for first in (0..count).step_by(16) {
            // SAFETY: no varint takes more than four bytes.
            let numbers = unsafe { dealt.of_four(first) };
            // SAFETY: there is room for `count` numbers.
            unsafe { store::<E, u32, 16>(numbers, out.add(first), count - first, room - first) };
        }
    } else {
        let nine = eight & more >> 8;
        // SAFETY: the processor has AVX-512.
        let above_one = unsafe { _mm512_cmpgt_epu8_mask(bytes, _mm512_set1_epi8(1)) };
        // More than ten bytes, or a tenth with more than the highest of 64 bits.
        if nine & more >> 9 != 0 || nine << 9 & ends & above_one != 0 {
            // SAFETY: the first is always read, and those that begin ten bytes before the end do not leave what is left.
            return Some(unsafe { decode::one_by_one::<E>(at, at.add(len.saturating_sub(9).max(1)), out, room) });
        }
        // Sixteen at a time: it is easier to predict how often.
        for first in (0..count).step_by(16) {
            let rest = count - first;
            // SAFETY: there is room for `count` numbers.
            let place = unsafe { out.add(first) };
            if E::LOW_32 {
                // SAFETY: no varint takes more than ten bytes.
                let numbers = unsafe { dealt.low_32(first) };
                // SAFETY: as above.
                unsafe { store::<E, u32, 16>(numbers, place, rest, room - first) };
            } else if eight == 0 {
                // SAFETY: no varint takes more than eight bytes.
                let (low, high) = unsafe { (dealt.of_eight(first), dealt.of_eight(first + 8)) };
                // SAFETY: as above.
                unsafe { store::<E, u64, 16>(both(low, high), place, rest, room - first) };
            } else {
                // SAFETY: no varint takes more than ten bytes.
                let (low, high) = unsafe { (dealt.of_ten(first), dealt.of_ten(first + 8)) };
                // SAFETY: as above.
                unsafe { store::<E, u64, 16>(both(low, high), place, rest, room - first) };
            }
        }
    }
    // The last of them ends here.
    let end = 64 - ends.leading_zeros() as usize;
    // SAFETY: in the block or at its end.
    Some(Decoded { ptr: unsafe { at.add(end) }, filled: count, malformed: false })
}

/// A block, and where its varints are.
#[derive(Clone, Copy)]
struct Dealt {
    bytes: __m512i,
    /// The place of the first byte of each varint, byte by byte.
    begins: __m512i,
    /// That of the last one.
    ends: __m512i,
}

impl Dealt {
    /// For the bytes of lanes, the first of which is that of varint `first`: their places in the block, and that of the varint's
    /// last byte. `lanes` has the number of each byte's lane, `within` its place there.
    ///
    /// # Safety
    /// The processor has the level's instructions.
    #[inline(always)]
    unsafe fn places(self, lanes: &'static [u8; 64], within: &'static [u8; 64], first: usize) -> (__m512i, __m512i) {
        // SAFETY: the processor has AVX-512, and so below.
        let lanes = unsafe { _mm512_add_epi8(constant(lanes), _mm512_set1_epi8(first as i8)) };
        // SAFETY: as above.
        let begins = unsafe { _mm512_permutexvar_epi8(lanes, self.begins) };
        // SAFETY: as above.
        let ends = unsafe { _mm512_permutexvar_epi8(lanes, self.ends) };
        // SAFETY: as above.
        (unsafe { _mm512_add_epi8(begins, constant(within)) }, ends)
    }

    /// The low seven bits of the bytes at these places, zero behind the varint's last.
    ///
    /// # Safety
    /// The processor has the level's instructions.
    #[inline(always)]
    unsafe fn sevens(self, places: __m512i, ends: __m512i) -> __m512i {
        // SAFETY: the processor has AVX-512, and so below.
        let keep = unsafe { _mm512_cmple_epu8_mask(places, ends) };
        // SAFETY: as above.
        let bytes = unsafe { _mm512_maskz_permutexvar_epi8(keep, places, self.bytes) };
        // SAFETY: as above.
        unsafe { _mm512_and_si512(bytes, _mm512_set1_epi8(0x7f)) }
    }

    /// Groups of seven bits, joined in pairs.
    ///
    /// # Safety
    /// The processor has the level's instructions.
    #[inline(always)]
    unsafe fn joined(sevens: __m512i) -> __m512i {
        // SAFETY: the processor has AVX-512. 1 and 128 as bytes without a sign.
        unsafe { _mm512_maddubs_epi16(_mm512_set1_epi16(i16::from_le_bytes([1, 128])), sevens) }
    }

    /// The same in fours.
    ///
    /// # Safety
    /// The processor has the level's instructions.
    #[inline(always)]
    unsafe fn fours(sevens: __m512i) -> __m512i {
        // SAFETY: the processor has AVX-512, and so below. 1 and 2^14 in turn.
        unsafe { _mm512_madd_epi16(Self::joined(sevens), _mm512_set1_epi32(1 << 14 << 16 | 1)) }
    }

    /// 32 varints of one or two bytes.
    ///
    /// # Safety
    /// The processor has the level's instructions.
    #[inline(always)]
    unsafe fn of_two(self, first: usize) -> [u16; 32] {
        // SAFETY: the processor has AVX-512, and so below.
        let (places, ends) = unsafe { self.places(const { &indices(2, true) }, const { &indices(2, false) }, first) };
        // SAFETY: as above.
        let joined = unsafe { Self::joined(self.sevens(places, ends)) };
        // SAFETY: both are 64 bytes of integers.
        unsafe { core::mem::transmute(joined) }
    }

    /// Sixteen varints of one to four bytes.
    ///
    /// # Safety
    /// The processor has the level's instructions.
    #[inline(always)]
    unsafe fn of_four(self, first: usize) -> [u32; 16] {
        // SAFETY: the processor has AVX-512, and so below.
        let (places, ends) = unsafe { self.places(const { &indices(4, true) }, const { &indices(4, false) }, first) };
        // SAFETY: as above.
        let joined = unsafe { Self::fours(self.sevens(places, ends)) };
        // SAFETY: both are 64 bytes of integers.
        unsafe { core::mem::transmute(joined) }
    }

    /// The lower 32 bits of sixteen varints of one to ten bytes.
    ///
    /// # Safety
    /// The processor has the level's instructions.
    #[inline(always)]
    unsafe fn low_32(self, first: usize) -> [u32; 16] {
        // SAFETY: the processor has AVX-512, and so below.
        let (places, ends) = unsafe { self.places(const { &indices(4, true) }, const { &indices(4, false) }, first) };
        // SAFETY: as above.
        let low = unsafe { Self::fours(self.sevens(places, ends)) };
        // SAFETY: as above.
        let behind = unsafe { self.sevens(_mm512_add_epi8(places, _mm512_set1_epi8(4)), ends) };
        // SAFETY: as above. Four bits of the fifth byte.
        let joined = unsafe { _mm512_or_si512(low, _mm512_slli_epi32::<28>(behind)) };
        // SAFETY: both are 64 bytes of integers.
        unsafe { core::mem::transmute(joined) }
    }

    /// Eight times eight groups of seven bits.
    ///
    /// # Safety
    /// The processor has the level's instructions.
    #[inline(always)]
    unsafe fn eights(sevens: __m512i) -> __m512i {
        // SAFETY: the processor has AVX-512, and so below.
        let fours = unsafe { Self::fours(sevens) };
        // SAFETY: as above.
        let high = unsafe { _mm512_srli_epi64::<4>(fours) };
        // The lower 28 bits of the one, and what is above them of the other.
        // SAFETY: as above.
        unsafe { _mm512_ternarylogic_epi64::<0xca>(_mm512_set1_epi64((1 << 28) - 1), fours, high) }
    }

    /// Eight varints of one to eight bytes.
    ///
    /// # Safety
    /// The processor has the level's instructions.
    #[inline(always)]
    unsafe fn of_eight(self, first: usize) -> [u64; 8] {
        // SAFETY: the processor has AVX-512, and so below.
        let (places, ends) = unsafe { self.places(const { &indices(8, true) }, const { &indices(8, false) }, first) };
        // SAFETY: as above.
        let joined = unsafe { Self::eights(self.sevens(places, ends)) };
        // SAFETY: both are 64 bytes of integers.
        unsafe { core::mem::transmute(joined) }
    }

    /// Eight varints of one to ten bytes, whose tenth is at most 1.
    ///
    /// # Safety
    /// The processor has the level's instructions.
    #[inline(always)]
    unsafe fn of_ten(self, first: usize) -> [u64; 8] {
        // SAFETY: the processor has AVX-512, and so below.
        let (places, ends) = unsafe { self.places(const { &indices(8, true) }, const { &indices(8, false) }, first) };
        // SAFETY: as above.
        let low = unsafe { Self::eights(self.sevens(places, ends)) };
        // SAFETY: as above.
        let behind = unsafe { self.sevens(_mm512_add_epi8(places, _mm512_set1_epi8(8)), ends) };
        // SAFETY: as above. The ninth byte gives bits 56 to 62.
        let ninth = unsafe { _mm512_slli_epi64::<56>(behind) };
        // SAFETY: as above. The tenth gives bit 63.
        let tenth = unsafe { _mm512_and_si512(_mm512_slli_epi64::<55>(behind), _mm512_set1_epi64(i64::MIN)) };
        // SAFETY: as above. All three.
        let joined = unsafe { _mm512_ternarylogic_epi64::<0xfe>(low, ninth, tenth) };
        // SAFETY: both are 64 bytes of integers.
        unsafe { core::mem::transmute(joined) }
    }
}

/// What two registers hold.
#[inline(always)]
fn both(low: [u64; 8], high: [u64; 8]) -> [u64; 16] {
    core::array::from_fn(|lane| if lane < 8 { low[lane] } else { high[lane - 8] })
}

/// Writes the first `count` numbers of registers, and what else it has where there is room for it.
///
/// # Safety
/// `count`, if it is less than `N`, and `room` numbers may be written at `out`, `count` being at most `room`; the processor has
/// the level's instructions.
#[inline(always)]
unsafe fn store<E: Element, L: Copy + Into<u64>, const N: usize>(
    lanes: [L; N],
    out: *mut E::Value,
    count: usize,
    room: usize,
) {
    let values = lanes.map(|lane| E::from_bits(lane.into()));
    if room >= N {
        // SAFETY: there is room for all of them.
        unsafe { out.cast::<[E::Value; N]>().write_unaligned(values) };
        return;
    }
    let bytes = size_of::<E::Value>() * count.min(N);
    for begin in (0..size_of::<[E::Value; N]>()).step_by(64) {
        // Copied like this, they need not leave their register.
        let mut part = [0u8; 64];
        let len = (size_of::<[E::Value; N]>() - begin).min(64);
        // SAFETY: within the numbers, and no more than the part takes.
        unsafe { part.as_mut_ptr().copy_from_nonoverlapping((&raw const values).cast::<u8>().add(begin), len) };
        let mask = match bytes.saturating_sub(begin) {
            0 => 0,
            left => u64::MAX >> (64 - left.min(64)),
        };
        // SAFETY: both are 64 bytes.
        let part: __m512i = unsafe { core::mem::transmute(part) };
        // SAFETY: bytes of numbers for which there is room, and no others are written.
        unsafe { _mm512_mask_storeu_epi8(out.cast::<i8>().wrapping_add(begin), mask, part) };
    }
}

/// Writes up to 64 bytes' worth of numbers so that they end before `end`; where they begin.
///
/// # Safety
/// As many bytes as the varints take are writable before `end`; none takes more than the `W` bytes of a lane; there are at
/// most 64 divided by that of them; the processor has the level's instructions.
#[inline(always)]
unsafe fn put<const W: usize>(end: *mut u8, numbers: __m512i, count: usize) -> *mut u8 {
    // SAFETY: the processor has AVX-512, and so below. Each byte gets the seven bits that are its own.
    let sevens = unsafe { _mm512_multishift_epi64_epi8(constant(const { &shifts(W) }), numbers) };
    // SAFETY: as above.
    let sevens = unsafe { _mm512_and_si512(sevens, constant(const { &masks(W) })) };
    // Each byte with all behind it in its lane: something is left to write in those that are not zero.
    let mut behind = sevens;
    if W == 4 {
        // SAFETY: as above.
        behind = unsafe { _mm512_or_si512(behind, _mm512_srli_epi32::<8>(behind)) };
        // SAFETY: as above.
        behind = unsafe { _mm512_or_si512(behind, _mm512_srli_epi32::<16>(behind)) };
    } else if W == 8 {
        // SAFETY: as above.
        behind = unsafe { _mm512_or_si512(behind, _mm512_srli_epi64::<8>(behind)) };
        // SAFETY: as above.
        behind = unsafe { _mm512_or_si512(behind, _mm512_srli_epi64::<16>(behind)) };
        // SAFETY: as above.
        behind = unsafe { _mm512_or_si512(behind, _mm512_srli_epi64::<32>(behind)) };
    } else if W == 16 {
        // SAFETY: as above.
        behind = unsafe { _mm512_or_si512(behind, _mm512_bsrli_epi128::<1>(behind)) };
        // SAFETY: as above.
        behind = unsafe { _mm512_or_si512(behind, _mm512_bsrli_epi128::<2>(behind)) };
        // SAFETY: as above.
        behind = unsafe { _mm512_or_si512(behind, _mm512_bsrli_epi128::<4>(behind)) };
        // SAFETY: as above.
        behind = unsafe { _mm512_or_si512(behind, _mm512_bsrli_epi128::<8>(behind)) };
    }
    // SAFETY: as above.
    let left = unsafe { _mm512_test_epi8_mask(behind, behind) };
    // The first byte of each lane.
    let firsts = u64::MAX / (u64::MAX >> (64 - W));
    let given = u64::MAX >> (64 - W * count);
    let keep = (left | firsts) & given;
    let more = left >> 1 & !(firsts << (W - 1));
    // SAFETY: as above.
    let bytes = unsafe { _mm512_mask_add_epi8(sevens, more, sevens, _mm512_set1_epi8(i8::MIN)) };
    // SAFETY: as above.
    let bytes = unsafe { _mm512_maskz_compress_epi8(keep, bytes) };
    let len = keep.count_ones();
    // SAFETY: there is room for the varints' bytes.
    let start = unsafe { end.sub(len as usize) };
    // SAFETY: as above, and no others are written.
    unsafe { _mm512_mask_storeu_epi8(start.cast(), u64::MAX >> (64 - len), bytes) };
    start
}

/// By how much a lane's number is shifted for each of its bytes, in lanes of `w` bytes.
const fn shifts(w: usize) -> [u8; 64] {
    let mut shifts = [0; 64];
    let mut byte = 0;
    while byte < 64 {
        // A number that takes more than eight bytes is there twice, in both halves of its lane.
        let shift = byte % 8 / w * w * 8 + byte % w * 7;
        shifts[byte] = if shift < 64 { shift as u8 } else { 0 };
        byte += 1;
    }
    shifts
}

/// The bits that a lane's bytes get from that.
const fn masks(w: usize) -> [u8; 64] {
    let mut masks = [0x7f; 64];
    let mut byte = 0;
    while byte < 64 {
        if byte % w >= 9 {
            masks[byte] = if byte % w == 9 { 1 } else { 0 };
        }
        byte += 1;
    }
    masks
}

/// Writes varints so that they end before `end`; where they begin. Nothing else is written.
///
/// # Safety
/// As [`Isa::encode`](super::isa::Isa::encode); the processor has the level's instructions.
#[inline(always)]
pub(super) unsafe fn encode<E: Element>(mut end: *mut u8, values: &[E::Value]) -> *mut u8 {
    let mut rest = values;
    while !rest.is_empty() {
        let (before, chunk) = rest.split_at(rest.len().saturating_sub(32));
        rest = before;
        let padded;
        let numbers = match <&[E::Value; 32]>::try_from(chunk) {
            Ok(numbers) => numbers,
            Err(_) => {
                // SAFETY: fewer than 32 numbers; the processor has the level's instructions.
                padded = unsafe { load::<E::Value, 32>(chunk) };
                &padded
            }
        };
        let any = any::<E, 32>(numbers);
        if any < 1 << 7 && chunk.len() == 32 {
            // SAFETY: 32 varints of one byte.
            end = unsafe { end.sub(32) };
            // SAFETY: as above.
            unsafe { end.cast::<[u8; 32]>().write_unaligned(numbers.map(|number| E::to_bits(number) as u8)) };
        } else if any < 1 << 14 {
            let lanes = numbers.map(|number| E::to_bits(number) as u16);
            // SAFETY: both are 64 bytes of integers.
            let lanes = unsafe { core::mem::transmute::<[u16; 32], __m512i>(lanes) };
            // SAFETY: two bytes each, and the rest as required of the caller.
            end = unsafe { put::<2>(end, lanes, chunk.len()) };
        } else if any < 1 << 28 {
            for first in (0..chunk.len()).step_by(16).rev() {
                let lanes: [u32; 16] = core::array::from_fn(|lane| E::to_bits(numbers[first + lane]) as u32);
                // SAFETY: both are 64 bytes of integers.
                let lanes = unsafe { core::mem::transmute::<[u32; 16], __m512i>(lanes) };
                // SAFETY: four bytes each, and the rest as required of the caller.
                end = unsafe { put::<4>(end, lanes, (chunk.len() - first).min(16)) };
            }
        } else if any < 1 << 56 {
            for first in (0..chunk.len()).step_by(8).rev() {
                let lanes: [u64; 8] = core::array::from_fn(|lane| E::to_bits(numbers[first + lane]));
                // SAFETY: both are 64 bytes of integers.
                let lanes = unsafe { core::mem::transmute::<[u64; 8], __m512i>(lanes) };
                // SAFETY: eight bytes each, and the rest as required of the caller.
                end = unsafe { put::<8>(end, lanes, (chunk.len() - first).min(8)) };
            }
        } else {
            for first in (0..chunk.len()).step_by(4).rev() {
                let lanes: [u64; 8] = core::array::from_fn(|half| E::to_bits(numbers[first + half / 2]));
                // SAFETY: both are 64 bytes of integers.
                let lanes = unsafe { core::mem::transmute::<[u64; 8], __m512i>(lanes) };
                // SAFETY: sixteen bytes each, and the rest as required of the caller.
                end = unsafe { put::<16>(end, lanes, (chunk.len() - first).min(4)) };
            }
        }
    }
    end
}

/// Numbers, and zeros up to `N` of them.
///
/// # Safety
/// There are at most `N`, of a type for which zeros are a value; the processor has the level's instructions.
#[inline(always)]
unsafe fn load<V: Copy, const N: usize>(values: &[V]) -> [V; N] {
    let mut loaded = core::mem::MaybeUninit::<[V; N]>::zeroed();
    for begin in (0..size_of::<[V; N]>()).step_by(64) {
        let mask = match size_of_val(values).saturating_sub(begin) {
            0 => 0,
            left => u64::MAX >> (64 - left.min(64)),
        };
        // SAFETY: bytes of the numbers, and no others are read.
        let part = unsafe { _mm512_maskz_loadu_epi8(mask, values.as_ptr().cast::<i8>().wrapping_add(begin)) };
        // SAFETY: both are 64 bytes.
        let part = unsafe { core::mem::transmute::<__m512i, [u8; 64]>(part) };
        let len = (size_of::<[V; N]>() - begin).min(64);
        // SAFETY: within both.
        unsafe { loaded.as_mut_ptr().cast::<u8>().add(begin).copy_from_nonoverlapping(part.as_ptr(), len) };
    }
    // SAFETY: numbers, and zeros, which are a value.
    unsafe { loaded.assume_init() }
}
