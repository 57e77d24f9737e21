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

/// Writes varints so that they end before `end`; where they begin. Nothing else is written.
///
/// # Safety
/// As [`Isa::encode`](super::isa::Isa::encode); the processor has the level's instructions.
#[inline(always)]
pub(super) unsafe fn encode<E: Element>(mut end: *mut u8, values: &[E::Value]) -> *mut u8 {
    const { assert!(matches!(size_of::<E::Value>(), 1 | 4 | 8)) };
    if size_of::<E::Value>() == 1 {
        // SAFETY: a varint of one byte each; what is encoded does not lie where it is written to.
        unsafe { end.sub(values.len()).copy_from_nonoverlapping(values.as_ptr().cast(), values.len()) };
        // SAFETY: as above.
        return unsafe { end.sub(values.len()) };
    }
    let mut left = values.len();
    while left > 0 {
        let count = left.min(32);
        left -= count;
        // SAFETY: `count` of the numbers are left from there on.
        let at = unsafe { values.as_ptr().add(left) };
        let lanes = if size_of::<E::Value>() == 4 {
            // SAFETY: the processor has AVX-512; so many numbers are readable.
            let two = unsafe { [load_32::<E>(at, 0, count), load_32::<E>(at, 16, count)] };
            // SAFETY: as above, and so below.
            if unsafe { _mm512_test_epi32_mask(_mm512_or_si512(two[0], two[1]), _mm512_set1_epi32(!0 << 28)) } == 0 {
                // SAFETY: below 2^28; as required of the caller.
                end = unsafe { put_short(end, two, count) };
                continue;
            }
            // SAFETY: as above.
            unsafe { widened(two, E::to_bits(E::from_bits(u64::MAX)) == u64::MAX) }
        } else {
            // SAFETY: as above.
            let low = unsafe { [load_64::<E>(at, 0, count), load_64::<E>(at, 8, count)] };
            // SAFETY: as above.
            let high = unsafe { [load_64::<E>(at, 16, count), load_64::<E>(at, 24, count)] };
            let four = [low[0], low[1], high[0], high[1]];
            // SAFETY: as above.
            if unsafe { _mm512_test_epi64_mask(any(four), _mm512_set1_epi64(!0 << 28)) } == 0 {
                // SAFETY: as above.
                end = unsafe { put_short(end, narrowed(four), count) };
                continue;
            }
            four
        };
        // SAFETY: as required of the caller.
        end = unsafe { put_long(end, lanes, count) };
    }
    end
}

/// The varints of the numbers of four bytes from `first` on, of `count`; zero behind the last.
///
/// # Safety
/// `count` numbers are readable at `at`; the processor has the level's instructions.
#[inline(always)]
unsafe fn load_32<E: Element>(at: *const E::Value, first: usize, count: usize) -> __m512i {
    let (at, left) = (at.wrapping_add(first).cast(), count.saturating_sub(first));
    let numbers = if left >= 16 {
        // SAFETY: sixteen numbers are readable; alignment is not needed.
        unsafe { _mm512_loadu_si512(at) }
    } else {
        // SAFETY: the numbers of the mask are readable, and no others are read.
        unsafe { _mm512_maskz_loadu_epi32((1 << left) - 1, at.cast()) }
    };
    if E::ZIGZAG {
        // SAFETY: the processor has AVX-512.
        unsafe { _mm512_xor_si512(_mm512_slli_epi32::<1>(numbers), _mm512_srai_epi32::<31>(numbers)) }
    } else {
        numbers
    }
}

/// The same for numbers of eight bytes.
///
/// # Safety
/// As there.
#[inline(always)]
unsafe fn load_64<E: Element>(at: *const E::Value, first: usize, count: usize) -> __m512i {
    let (at, left) = (at.wrapping_add(first).cast(), count.saturating_sub(first));
    let numbers = if left >= 8 {
        // SAFETY: eight numbers are readable; alignment is not needed.
        unsafe { _mm512_loadu_si512(at) }
    } else {
        // SAFETY: the numbers of the mask are readable, and no others are read.
        unsafe { _mm512_maskz_loadu_epi64((1 << left) - 1, at.cast()) }
    };
    if E::ZIGZAG {
        // SAFETY: the processor has AVX-512.
        unsafe { _mm512_xor_si512(_mm512_slli_epi64::<1>(numbers), _mm512_srai_epi64::<63>(numbers)) }
    } else {
        numbers
    }
}

/// All bits that any of the numbers has.
///
/// # Safety
/// The processor has the level's instructions.
#[inline(always)]
unsafe fn any(lanes: [__m512i; 4]) -> __m512i {
    // SAFETY: the processor has AVX-512.
    unsafe { _mm512_or_si512(_mm512_or_si512(lanes[0], lanes[1]), _mm512_or_si512(lanes[2], lanes[3])) }
}

/// 32 numbers of 32 bits as such of 64, with their sign or without.
///
/// # Safety
/// The processor has the level's instructions.
#[inline(always)]
unsafe fn widened(two: [__m512i; 2], signed: bool) -> [__m512i; 4] {
    // No closures: what is called in them is not inlined.
    let [low, high] = two;
    // SAFETY: the processor has AVX-512, and so below.
    let low = unsafe { (_mm512_castsi512_si256(low), _mm512_extracti64x4_epi64::<1>(low)) };
    // SAFETY: as above.
    let high = unsafe { (_mm512_castsi512_si256(high), _mm512_extracti64x4_epi64::<1>(high)) };
    if signed {
        // SAFETY: as above.
        let low = unsafe { (_mm512_cvtepi32_epi64(low.0), _mm512_cvtepi32_epi64(low.1)) };
        // SAFETY: as above.
        let high = unsafe { (_mm512_cvtepi32_epi64(high.0), _mm512_cvtepi32_epi64(high.1)) };
        [low.0, low.1, high.0, high.1]
    } else {
        // SAFETY: as above.
        let low = unsafe { (_mm512_cvtepu32_epi64(low.0), _mm512_cvtepu32_epi64(low.1)) };
        // SAFETY: as above.
        let high = unsafe { (_mm512_cvtepu32_epi64(high.0), _mm512_cvtepu32_epi64(high.1)) };
        [low.0, low.1, high.0, high.1]
    }
}

/// The lower halves of 32 numbers of 64 bits.
///
/// # Safety
/// The processor has the level's instructions.
#[inline(always)]
unsafe fn narrowed(four: [__m512i; 4]) -> [__m512i; 2] {
    // SAFETY: the processor has AVX-512, and so below.
    let low = unsafe { (_mm512_cvtepi64_epi32(four[0]), _mm512_cvtepi64_epi32(four[1])) };
    // SAFETY: as above.
    let high = unsafe { (_mm512_cvtepi64_epi32(four[2]), _mm512_cvtepi64_epi32(four[3])) };
    // SAFETY: as above.
    let low = unsafe { _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low.0), low.1) };
    // SAFETY: as above.
    let high = unsafe { _mm512_inserti64x4::<1>(_mm512_castsi256_si512(high.0), high.1) };
    [low, high]
}

/// Writes `count` of 32 numbers below 2^28.
///
/// # Safety
/// As [`put`], but for their number.
#[inline(always)]
unsafe fn put_short(mut end: *mut u8, two: [__m512i; 2], count: usize) -> *mut u8 {
    // SAFETY: the processor has AVX-512, and so below.
    let any = unsafe { _mm512_or_si512(two[0], two[1]) };
    // SAFETY: as above.
    if unsafe { _mm512_test_epi32_mask(any, _mm512_set1_epi32(!0 << 14)) } != 0 {
        if count > 16 {
            // SAFETY: four bytes each, and the rest as required of the caller.
            end = unsafe { put::<4>(end, two[1], count - 16) };
        }
        // SAFETY: as above.
        return unsafe { put::<4>(end, two[0], count.min(16)) };
    }
    // SAFETY: as above.
    if count == 32 && unsafe { _mm512_test_epi32_mask(any, _mm512_set1_epi32(!0 << 7)) } == 0 {
        // SAFETY: 32 varints of one byte.
        end = unsafe { end.sub(32) };
        // SAFETY: as above.
        let bytes = unsafe { (_mm512_cvtepi32_epi8(two[0]), _mm512_cvtepi32_epi8(two[1])) };
        // SAFETY: as above; alignment is not needed.
        unsafe { _mm_storeu_si128(end.cast(), bytes.0) };
        // SAFETY: as above.
        unsafe { _mm_storeu_si128(end.add(16).cast(), bytes.1) };
        return end;
    }
    // SAFETY: as above.
    let halves = unsafe { (_mm512_cvtepi32_epi16(two[0]), _mm512_cvtepi32_epi16(two[1])) };
    // SAFETY: as above.
    let lanes = unsafe { _mm512_inserti64x4::<1>(_mm512_castsi256_si512(halves.0), halves.1) };
    // SAFETY: two bytes each, and the rest as required of the caller.
    unsafe { put::<2>(end, lanes, count) }
}

/// Writes `count` of 32 numbers.
///
/// # Safety
/// As [`put`], but for their number.
#[inline(always)]
unsafe fn put_long(mut end: *mut u8, four: [__m512i; 4], count: usize) -> *mut u8 {
    // SAFETY: the processor has AVX-512, and so below.
    let short = unsafe { _mm512_test_epi64_mask(any(four), _mm512_set1_epi64(!0 << 56)) } == 0;
    for (part, eight) in four.into_iter().enumerate().rev() {
        let left = count.saturating_sub(8 * part).min(8);
        if short {
            if left > 0 {
                // SAFETY: eight bytes each, and the rest as required of the caller.
                end = unsafe { put::<8>(end, eight, left) };
            }
            continue;
        }
        // Each twice, for the two halves of its lane.
        for (first, twice) in [(4, [4, 4, 5, 5, 6, 6, 7, 7u64]), (0, [0, 0, 1, 1, 2, 2, 3, 3])] {
            if left > first {
                // SAFETY: both are 64 bytes of integers.
                let twice = unsafe { core::mem::transmute::<[u64; 8], __m512i>(twice) };
                // SAFETY: as above.
                let lanes = unsafe { _mm512_permutexvar_epi64(twice, eight) };
                // SAFETY: sixteen bytes each, and the rest as required of the caller.
                end = unsafe { put::<16>(end, lanes, (left - first).min(4)) };
            }
        }
    }
    end
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
    let given = u64::MAX >> (64 - W * count);
    let (keep, bytes);
    if W == 2 {
        // SAFETY: as above.
        let two = unsafe { _mm512_cmpgt_epu16_mask(numbers, _mm512_set1_epi16(0x7f)) };
        // SAFETY: as above.
        bytes = unsafe { _mm512_mask_add_epi16(sevens, two, sevens, _mm512_set1_epi16(0x80)) };
        // The first byte of each, and the second unless it is zero.
        // SAFETY: as above.
        let some = unsafe { _mm512_or_si512(sevens, _mm512_set1_epi16(0x80)) };
        // SAFETY: as above.
        keep = unsafe { _mm512_mask_test_epi8_mask(given, some, some) };
    } else {
        // How many bits a number leaves free says which of its lane's bytes it needs; all of them get to know it.
        // SAFETY: as above.
        let free = unsafe { if W == 4 { _mm512_lzcnt_epi32(numbers) } else { _mm512_lzcnt_epi64(numbers) } };
        // SAFETY: as above.
        let free = unsafe { _mm512_shuffle_epi8(free, constant(const { &firsts(W) })) };
        // SAFETY: as above.
        keep = unsafe { _mm512_mask_cmplt_epu8_mask(given, free, constant(const { &needing(W, 0) })) };
        // SAFETY: as above.
        let more = unsafe { _mm512_cmplt_epu8_mask(free, constant(const { &needing(W, 1) })) };
        // SAFETY: as above.
        bytes = unsafe { _mm512_mask_add_epi8(sevens, more, sevens, _mm512_set1_epi8(i8::MIN)) };
    }
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

/// The first byte of each lane of `w` bytes, or of its halves of eight, within sixteen bytes.
const fn firsts(w: usize) -> [u8; 64] {
    let mut firsts = [0; 64];
    let width = if w < 8 { w } else { 8 };
    let mut byte = 0;
    while byte < 64 {
        firsts[byte] = (byte % 16 / width * width) as u8;
        byte += 1;
    }
    firsts
}

/// Fewer free bits than these does a number have that takes the byte and `further` more, in lanes of `w` bytes.
const fn needing(w: usize, further: usize) -> [u8; 64] {
    let bits = if w < 8 { 8 * w } else { 64 };
    let mut needing = [0; 64];
    let mut byte = 0;
    while byte < 64 {
        let place = byte % w + further;
        needing[byte] = if place == 0 {
            u8::MAX
        } else if place < w && 7 * place < bits {
            (bits - 7 * place) as u8
        } else {
            0
        };
        byte += 1;
    }
    needing
}
