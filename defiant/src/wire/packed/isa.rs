//! What the kernels ask of an instruction set: thin layers, no algorithm.
#![expect(unsafe_code, reason = "vector instructions, and loads and stores through raw pointers")]

use core::ptr::{read_unaligned, write_unaligned};

use super::decode::{self, Decoded};
use super::{Element, encode, tables};
#[cfg(any(
    test,
    not(any(target_arch = "x86_64", all(target_arch = "aarch64", target_endian = "little", target_feature = "neon")))
))]
use crate::wire::utf8;
use crate::wire::varint;

/// Instructions of one level.
///
/// Methods are inlined into functions that the level's instructions are enabled for.
///
/// # Safety
/// Of all methods: the processor has the level's instructions.
pub(super) trait Isa: Sized {
    /// Whether [`split`](Self::split) and [`join`](Self::join) are quick.
    const SHUFFLES: bool = false;

    /// The high bits of sixteen bytes, the first byte's lowest.
    ///
    /// # Safety
    /// Sixteen bytes are readable at `ptr`.
    unsafe fn high_bits_16(ptr: *const u8) -> u64;

    /// The high bits of 64 bytes, the first byte's lowest.
    ///
    /// # Safety
    /// 64 bytes are readable at `ptr`.
    #[inline(always)]
    unsafe fn high_bits_64(ptr: *const u8) -> u64 {
        let mut bits = 0;
        for quarter in 0..4 {
            // SAFETY: sixteen of the 64 bytes.
            bits |= unsafe { Self::high_bits_16(ptr.add(16 * quarter)) } << (16 * quarter);
        }
        bits
    }

    /// Decodes a block's varints but for one that it cuts; `None` where too little is left for a block. None are filled if there
    /// might be too little room.
    ///
    /// # Safety
    /// `left` bytes and SLACK more are readable at `at`; `room` numbers may be written at `out`.
    #[inline(always)]
    unsafe fn block<E: Element>(at: *const u8, left: usize, out: *mut E::Value, room: usize) -> Option<Decoded> {
        if left >= 64 {
            // SAFETY: 64 bytes are left, and the rest as required of the caller.
            Some(unsafe { decode::block::<E, Self, 64>(at, out, room) })
        } else if left >= 16 {
            // SAFETY: sixteen bytes are left, and the rest as required of the caller.
            Some(unsafe { decode::block::<E, Self, 16>(at, out, room) })
        } else {
            None
        }
    }

    /// Writes varints so that they end before `end`; where they begin. Up to SLACK bytes before them may be overwritten.
    ///
    /// # Safety
    /// As many bytes as the varints take and SLACK more are writable before `end`.
    #[inline(always)]
    unsafe fn encode<E: Element>(end: *mut u8, values: &[E::Value]) -> *mut u8 {
        // SAFETY: as required of the caller.
        unsafe { encode::by_sixteen::<E, Self>(end, values) }
    }

    /// The low seven bits of the first `last + 1` bytes of a word, joined.
    ///
    /// # Safety
    /// `last < 8`.
    #[inline(always)]
    unsafe fn compress(word: u64, last: usize) -> u64 {
        varint::compress(word & (u64::MAX >> (56 - 8 * last)))
    }

    /// [`compress`](Self::compress) without the lowest bit.
    ///
    /// # Safety
    /// `last < 8`.
    #[inline(always)]
    unsafe fn compress_half(word: u64, last: usize) -> u64 {
        // SAFETY: as required of the caller.
        unsafe { Self::compress(word, last) >> 1 }
    }

    /// Gives each seven of the low 56 bits a byte of their own.
    ///
    /// # Safety
    /// No more than the processor's.
    #[inline(always)]
    unsafe fn spread(value: u64) -> u64 {
        varint::spread(value)
    }

    /// The varints of one or two bytes that end in the eight bytes at `ptr`, of which `more` have a high bit.
    ///
    /// # Safety
    /// Sixteen bytes are readable at `ptr`.
    #[inline(always)]
    unsafe fn split(ptr: *const u8, more: u8) -> [u16; 8] {
        // SAFETY: sixteen bytes are readable.
        unsafe { split_bytes(ptr, more) }
    }

    /// Writes eight varints of one or two bytes so that they end before `end`; where they begin.
    ///
    /// # Safety
    /// Sixteen bytes before `end` are writable, and the values are below `0x4000`.
    #[inline(always)]
    unsafe fn join(end: *mut u8, values: [u16; 8]) -> *mut u8 {
        // SAFETY: as required of the caller.
        unsafe { join_bytes(end, values) }
    }
}

/// The by-the-book twin: no instructions that not every processor has.
#[cfg(any(
    test,
    not(any(target_arch = "x86_64", all(target_arch = "aarch64", target_endian = "little", target_feature = "neon")))
))]
pub(super) struct Portable;

#[cfg(any(
    test,
    not(any(target_arch = "x86_64", all(target_arch = "aarch64", target_endian = "little", target_feature = "neon")))
))]
impl Isa for Portable {
    #[inline(always)]
    unsafe fn high_bits_16(ptr: *const u8) -> u64 {
        // SAFETY: sixteen bytes are readable; alignment is not needed.
        let [low, high] = unsafe { read_unaligned(ptr.cast::<[u64; 2]>()) };
        u64::from(utf8::gather(u64::from_le(low)) | utf8::gather(u64::from_le(high)) << 8)
    }
}

/// [`Isa::split`] without shuffles.
///
/// # Safety
/// Sixteen bytes are readable at `ptr`.
#[inline(always)]
unsafe fn split_bytes(ptr: *const u8, more: u8) -> [u16; 8] {
    // SAFETY: sixteen bytes are readable.
    let bytes = unsafe { read_unaligned(ptr.cast::<[u8; 16]>()) };
    let shuffle = &tables::SPLIT[usize::from(more)];
    let byte = |index: usize| bytes.get(usize::from(shuffle[index])).map_or(0, |byte| u16::from(byte & 0x7f));
    let mut values = [0; 8];
    for (lane, value) in values.iter_mut().enumerate() {
        *value = byte(2 * lane) | byte(2 * lane + 1) << 7;
    }
    values
}

/// [`Isa::join`] without shuffles.
///
/// # Safety
/// As there.
#[inline(always)]
unsafe fn join_bytes(end: *mut u8, values: [u16; 8]) -> *mut u8 {
    let mut end = end;
    for value in values.into_iter().rev() {
        let two = value >= 0x80;
        if two {
            // SAFETY: eight values of at most two bytes are sixteen bytes.
            end = unsafe { end.sub(1) };
            // SAFETY: as above.
            unsafe { *end = (value >> 7) as u8 };
        }
        // SAFETY: as above.
        end = unsafe { end.sub(1) };
        // SAFETY: as above.
        unsafe { *end = (value & 0x7f) as u8 | u8::from(two) << 7 };
    }
    end
}

#[cfg(all(target_arch = "x86_64", avx512))]
pub(super) use x86::Avx512;
#[cfg(target_arch = "x86_64")]
pub(super) use x86::{Avx2, Bmi2, Sse2};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use core::arch::x86_64::*;

    #[cfg(avx512)]
    use super::super::wide;
    use super::*;

    /// What every x86-64 processor has.
    pub(in super::super) struct Sse2;
    /// AVX2, and so SSSE3 and POPCNT.
    pub(in super::super) struct Avx2;
    /// AVX2 and a quick BMI2.
    pub(in super::super) struct Bmi2;
    /// The same with AVX-512, VBMI and VBMI2.
    #[cfg(avx512)]
    pub(in super::super) struct Avx512;

    impl Isa for Sse2 {
        #[inline(always)]
        unsafe fn high_bits_16(ptr: *const u8) -> u64 {
            // SAFETY: sixteen bytes are readable; alignment is not needed.
            let block = unsafe { _mm_loadu_si128(ptr.cast()) };
            // SAFETY: SSE2 is part of x86-64.
            u64::from(unsafe { _mm_movemask_epi8(block) } as u16)
        }
    }

    impl Isa for Avx2 {
        const SHUFFLES: bool = true;

        #[inline(always)]
        unsafe fn high_bits_16(ptr: *const u8) -> u64 {
            // SAFETY: sixteen bytes are readable.
            unsafe { Sse2::high_bits_16(ptr) }
        }

        #[inline(always)]
        unsafe fn high_bits_64(ptr: *const u8) -> u64 {
            // SAFETY: the first 32 of 64 readable bytes; alignment is not needed.
            let low = unsafe { _mm256_loadu_si256(ptr.cast()) };
            // SAFETY: the last 32.
            let high = unsafe { _mm256_loadu_si256(ptr.add(32).cast()) };
            // SAFETY: the processor has AVX2.
            let low = unsafe { _mm256_movemask_epi8(low) };
            // SAFETY: as above.
            let high = unsafe { _mm256_movemask_epi8(high) };
            u64::from(low as u32) | u64::from(high as u32) << 32
        }

        #[inline(always)]
        unsafe fn split(ptr: *const u8, more: u8) -> [u16; 8] {
            // SAFETY: sixteen bytes are readable; alignment is not needed.
            let bytes = unsafe { _mm_loadu_si128(ptr.cast()) };
            // SAFETY: a table's row of sixteen bytes.
            let shuffle = unsafe { _mm_loadu_si128(tables::SPLIT[usize::from(more)].as_ptr().cast()) };
            // SAFETY: AVX2 has SSSE3.
            let lanes: [u16; 8] = unsafe { core::mem::transmute(_mm_shuffle_epi8(bytes, shuffle)) };
            // The compiler makes vector instructions of this.
            lanes.map(|lane| lane & 0x7f | (lane & 0x7f00) >> 1)
        }

        #[inline(always)]
        unsafe fn join(end: *mut u8, values: [u16; 8]) -> *mut u8 {
            // SAFETY: both are sixteen bytes of integers.
            let values: __m128i = unsafe { core::mem::transmute(values) };
            // SAFETY: AVX2 has SSE2, and so in the rest of this function.
            let two = unsafe { _mm_cmpgt_epi16(values, _mm_set1_epi16(0x7f)) };
            // SAFETY: as above.
            let mask = unsafe { _mm_movemask_epi8(_mm_packs_epi16(two, _mm_setzero_si128())) } as usize;
            // SAFETY: as above.
            let high = unsafe { _mm_and_si128(_mm_slli_epi16::<1>(values), _mm_set1_epi16(0x7f00)) };
            // SAFETY: as above.
            let low = unsafe { _mm_and_si128(values, _mm_set1_epi16(0x7f)) };
            // SAFETY: as above.
            let more = unsafe { _mm_and_si128(two, _mm_set1_epi16(0x80)) };
            // SAFETY: as above.
            let bytes = unsafe { _mm_or_si128(_mm_or_si128(low, high), more) };
            // SAFETY: a table's row of sixteen bytes; `mask` is that of eight lanes.
            let shuffle = unsafe { _mm_loadu_si128(tables::JOIN[mask & 0xff].as_ptr().cast()) };
            // SAFETY: AVX2 has SSSE3; sixteen bytes before `end` are writable, and alignment is not needed.
            unsafe { _mm_storeu_si128(end.sub(16).cast(), _mm_shuffle_epi8(bytes, shuffle)) };
            // SAFETY: at most sixteen bytes before `end`.
            unsafe { end.sub(8 + mask.count_ones() as usize) }
        }
    }

    impl Isa for Bmi2 {
        const SHUFFLES: bool = true;

        #[inline(always)]
        unsafe fn high_bits_16(ptr: *const u8) -> u64 {
            // SAFETY: sixteen bytes are readable.
            unsafe { Sse2::high_bits_16(ptr) }
        }

        #[inline(always)]
        unsafe fn high_bits_64(ptr: *const u8) -> u64 {
            // SAFETY: 64 bytes are readable; the processor has AVX2.
            unsafe { Avx2::high_bits_64(ptr) }
        }

        #[inline(always)]
        unsafe fn compress(word: u64, last: usize) -> u64 {
            // SAFETY: `last < 8`, the length of the table.
            let mask = unsafe { *tables::LOW_BITS.get_unchecked(last) };
            // SAFETY: the processor has BMI2.
            unsafe { _pext_u64(word, mask) }
        }

        #[inline(always)]
        unsafe fn compress_half(word: u64, last: usize) -> u64 {
            // SAFETY: `last < 8`, the length of the table.
            let mask = unsafe { *tables::HIGH_HALVES.get_unchecked(last) };
            // SAFETY: the processor has BMI2.
            let half = unsafe { _pext_u64(word, mask) };
            // SAFETY: at most 56 bits of the mask are set, and the lowest is not.
            unsafe { core::hint::assert_unchecked(half < 1 << 55) };
            half
        }

        #[inline(always)]
        unsafe fn spread(value: u64) -> u64 {
            // SAFETY: the processor has BMI2.
            unsafe { _pdep_u64(value, tables::LOW_BITS[7]) }
        }

        #[inline(always)]
        unsafe fn split(ptr: *const u8, more: u8) -> [u16; 8] {
            // SAFETY: as required of the caller; the processor has AVX2.
            unsafe { Avx2::split(ptr, more) }
        }

        #[inline(always)]
        unsafe fn join(end: *mut u8, values: [u16; 8]) -> *mut u8 {
            // SAFETY: as required of the caller; the processor has AVX2.
            unsafe { Avx2::join(end, values) }
        }
    }

    #[cfg(avx512)]
    #[expect(clippy::incompatible_msrv, reason = "left out where the compiler is older")]
    impl Isa for Avx512 {
        #[inline(always)]
        unsafe fn high_bits_16(ptr: *const u8) -> u64 {
            // SAFETY: sixteen bytes are readable.
            unsafe { Sse2::high_bits_16(ptr) }
        }

        #[inline(always)]
        unsafe fn high_bits_64(ptr: *const u8) -> u64 {
            // SAFETY: 64 bytes are readable; alignment is not needed.
            let block = unsafe { _mm512_loadu_si512(ptr.cast()) };
            // SAFETY: the processor has AVX-512.
            unsafe { _mm512_movepi8_mask(block) }
        }

        #[inline(always)]
        unsafe fn block<E: Element>(at: *const u8, left: usize, out: *mut E::Value, room: usize) -> Option<Decoded> {
            // SAFETY: as required of the caller.
            unsafe { wide::block::<E>(at, left, out, room) }
        }

        #[inline(always)]
        unsafe fn encode<E: Element>(end: *mut u8, values: &[E::Value]) -> *mut u8 {
            // SAFETY: as required of the caller.
            unsafe { wide::encode::<E>(end, values) }
        }
    }
}

#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
pub(super) use arm::Neon;

#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
mod arm {
    use core::arch::aarch64::*;

    use super::*;

    /// What every processor of the target has.
    pub(in super::super) struct Neon;

    /// One bit for each byte of eight.
    const BITS: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];

    /// Of sixteen bytes, those with a high bit, as one bit each of [`BITS`].
    ///
    /// # Safety
    /// Sixteen bytes are readable at `ptr`.
    #[inline(always)]
    unsafe fn marked(ptr: *const u8) -> uint8x16_t {
        // SAFETY: sixteen bytes are readable.
        let block = unsafe { vld1q_u8(ptr) };
        // SAFETY: sixteen bytes of a constant.
        let bits = unsafe { vld1q_u8(BITS.as_ptr()) };
        // SAFETY: the target has NEON.
        unsafe { vandq_u8(vcltzq_s8(vreinterpretq_s8_u8(block)), bits) }
    }

    impl Isa for Neon {
        const SHUFFLES: bool = true;

        #[inline(always)]
        unsafe fn high_bits_16(ptr: *const u8) -> u64 {
            // SAFETY: sixteen bytes are readable.
            let marks = unsafe { marked(ptr) };
            // SAFETY: the target has NEON, and so below. Sums of neighbours, three times: one byte for eight.
            let sums = unsafe { vpaddq_u8(marks, marks) };
            // SAFETY: as above.
            let sums = unsafe { vpaddq_u8(sums, sums) };
            // SAFETY: as above.
            let sums = unsafe { vpaddq_u8(sums, sums) };
            // SAFETY: as above.
            u64::from(unsafe { vgetq_lane_u16::<0>(vreinterpretq_u16_u8(sums)) })
        }

        #[inline(always)]
        unsafe fn high_bits_64(ptr: *const u8) -> u64 {
            // SAFETY: the first half of 64 readable bytes; the target has NEON, and so below.
            let low = unsafe { vpaddq_u8(marked(ptr), marked(ptr.add(16))) };
            // SAFETY: the second half.
            let high = unsafe { vpaddq_u8(marked(ptr.add(32)), marked(ptr.add(48))) };
            // SAFETY: as above.
            let sums = unsafe { vpaddq_u8(low, high) };
            // SAFETY: as above.
            let sums = unsafe { vpaddq_u8(sums, sums) };
            // SAFETY: as above.
            unsafe { vgetq_lane_u64::<0>(vreinterpretq_u64_u8(sums)) }
        }

        #[inline(always)]
        unsafe fn split(ptr: *const u8, more: u8) -> [u16; 8] {
            // SAFETY: sixteen bytes are readable.
            let bytes = unsafe { vld1q_u8(ptr) };
            // SAFETY: a table's row of sixteen bytes.
            let shuffle = unsafe { vld1q_u8(tables::SPLIT[usize::from(more)].as_ptr()) };
            // SAFETY: the target has NEON; a lane that the shuffle leaves out is zero.
            let lanes: [u16; 8] = unsafe { core::mem::transmute(vqtbl1q_u8(bytes, shuffle)) };
            lanes.map(|lane| lane & 0x7f | (lane & 0x7f00) >> 1)
        }

        #[inline(always)]
        unsafe fn join(end: *mut u8, values: [u16; 8]) -> *mut u8 {
            let mut mask = 0;
            let mut lanes = [0u16; 8];
            for (lane, value) in values.into_iter().enumerate() {
                let two = u16::from(value >= 0x80);
                mask |= usize::from(two) << lane;
                lanes[lane] = value & 0x7f | (value & 0x3f80) << 1 | two << 7;
            }
            // SAFETY: both are sixteen bytes of integers.
            let bytes: uint8x16_t = unsafe { core::mem::transmute(lanes) };
            // SAFETY: a table's row of sixteen bytes.
            let shuffle = unsafe { vld1q_u8(tables::JOIN[mask].as_ptr()) };
            // SAFETY: the target has NEON; sixteen bytes before `end` are writable.
            unsafe { vst1q_u8(end.sub(16), vqtbl1q_u8(bytes, shuffle)) };
            // SAFETY: at most sixteen bytes before `end`.
            unsafe { end.sub(8 + mask.count_ones() as usize) }
        }
    }
}

/// Reads eight bytes, the first one lowest.
///
/// # Safety
/// Eight bytes are readable at `ptr`.
#[inline(always)]
pub(super) unsafe fn load(ptr: *const u8) -> u64 {
    // SAFETY: eight bytes are readable; alignment is not needed.
    u64::from_le(unsafe { read_unaligned(ptr.cast::<u64>()) })
}

/// Writes eight bytes, the lowest one first.
///
/// # Safety
/// Eight bytes are writable at `ptr`.
#[inline(always)]
pub(super) unsafe fn store(ptr: *mut u8, word: u64) {
    // SAFETY: eight bytes are writable; alignment is not needed.
    unsafe { write_unaligned(ptr.cast::<u64>(), word.to_le()) };
}
