//! UTF-8 validation: ASCII sixteen bytes at a time, everything else by the crate `smoothutf8`.
#![expect(unsafe_code, reason = "loads sixteen bytes at a time, over the end of the string")]

/// Whether `len` bytes at `ptr` are ASCII.
///
/// # Safety
/// `len` bytes and sixteen more are readable at `ptr`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) unsafe fn is_ascii_at(ptr: *const u8, len: usize) -> bool {
    if len >= 16 {
        // SAFETY: at least sixteen bytes, all readable.
        unsafe { is_long_ascii(ptr, len) }
    } else {
        // SAFETY: fewer than sixteen bytes, and sixteen are readable.
        unsafe { is_short_ascii(ptr, len) }
    }
}

/// Whether the bytes are valid UTF-8.
#[cold]
#[inline(never)]
pub(crate) fn is_valid(bytes: &[u8]) -> bool {
    smoothutf8::verify(bytes)
}

/// Whether fewer than sixteen bytes are ASCII, with one load that may run over their end.
///
/// # Safety
/// `len < 16`, and sixteen bytes are readable at `ptr`.
#[cfg_attr(not(debug_assertions), inline(always))]
unsafe fn is_short_ascii(ptr: *const u8, len: usize) -> bool {
    // SAFETY: sixteen bytes are readable.
    let high = unsafe { high_bits(load(ptr)) };
    /// The bits of so many bytes.
    static BEFORE: [u32; 16] = {
        let mut masks = [0; 16];
        let mut len = 0;
        while len < 16 {
            masks[len] = (1 << len) - 1;
            len += 1;
        }
        masks
    };
    high & BEFORE[len] == 0
}

/// Whether sixteen bytes or more are ASCII: two blocks at a time, then the last sixteen bytes and what is before them,
/// which may overlap what was seen already.
///
/// # Safety
/// `len >= 16` bytes are readable at `ptr`.
#[cfg_attr(not(debug_assertions), inline(always))]
unsafe fn is_long_ascii(ptr: *const u8, len: usize) -> bool {
    let mut at = 0;
    while len - at > 32 {
        // SAFETY: more than 32 bytes are left at `at`.
        let first = unsafe { load(ptr.add(at)) };
        // SAFETY: as above.
        let second = unsafe { load(ptr.add(at + 16)) };
        if high_bits(either(first, second)) != 0 {
            return false;
        }
        at += 32;
    }
    let last = len - 16;
    // SAFETY: sixteen bytes or more lie behind `last`, and so behind what is before it.
    let first = unsafe { load(ptr.add(at.min(last))) };
    // SAFETY: as above.
    let second = unsafe { load(ptr.add(last)) };
    high_bits(either(first, second)) == 0
}

#[cfg(target_arch = "x86_64")]
mod block {
    use core::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_movemask_epi8, _mm_or_si128};

    /// Sixteen bytes.
    pub(super) type Block = __m128i;

    /// # Safety
    /// Sixteen bytes are readable at `ptr`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) unsafe fn load(ptr: *const u8) -> Block {
        // SAFETY: sixteen bytes are readable; alignment is not needed, and SSE2 is part of x86-64.
        unsafe { _mm_loadu_si128(ptr.cast()) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn either(a: Block, b: Block) -> Block {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { _mm_or_si128(a, b) }
    }

    /// The high bit of each byte, the first byte's lowest.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn high_bits(block: Block) -> u32 {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { _mm_movemask_epi8(block) as u32 }
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod block {
    /// Sixteen bytes, in two words.
    pub(super) type Block = [u64; 2];

    /// # Safety
    /// Sixteen bytes are readable at `ptr`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) unsafe fn load(ptr: *const u8) -> Block {
        // SAFETY: sixteen bytes are readable; alignment is not needed.
        unsafe { ptr.cast::<[u64; 2]>().read_unaligned() }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn either(a: Block, b: Block) -> Block {
        [a[0] | b[0], a[1] | b[1]]
    }

    /// The high bit of each byte, the first byte's lowest.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn high_bits(block: Block) -> u32 {
        super::gather(u64::from_le(block[0])) | super::gather(u64::from_le(block[1])) << 8
    }
}

use block::{either, high_bits, load};

/// The high bit of each byte, gathered by a multiplication that moves bit `8 i + 7` to bit `56 + i`.
#[cfg(any(test, not(target_arch = "x86_64")))]
pub(super) const fn gather(word: u64) -> u32 {
    (((word & 0x8080_8080_8080_8080) >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32
}

#[cfg(test)]
mod tests {
    use std::string::String;
    use std::vec::Vec;

    use proptest::prelude::*;

    use super::*;

    fn fast(bytes: &[u8], behind: u8) -> bool {
        let mut padded = Vec::from(bytes);
        padded.resize(bytes.len() + 16, behind);
        // SAFETY: sixteen bytes were added behind the string.
        let ascii = unsafe { is_ascii_at(padded.as_ptr(), bytes.len()) };
        assert_eq!(ascii, bytes.is_ascii());
        ascii || is_valid(bytes)
    }

    #[test]
    fn bad_bytes_at_every_position() {
        for len in (0..70).step_by(if cfg!(miri) { 11 } else { 1 }) {
            let text = std::vec![b'a'; len];
            assert!(fast(&text, 0xff));
            for at in 0..len {
                let mut bad = text.clone();
                bad[at] = 0x80;
                assert!(!fast(&bad, b'a'), "{at} of {len}");
            }
        }
    }

    #[test]
    fn gathering_agrees_with_the_book() {
        for word in [0, u64::MAX, 0x8000_0000_0000_0000, 0x80, 0x0080_0000_8000_7f80] {
            let book = (0..8).fold(0, |bits, byte| bits | ((word >> (8 * byte + 7)) as u32 & 1) << byte);
            assert_eq!(gather(word), book, "{word:x}");
        }
    }

    proptest! {
        #[test]
        fn agrees_with_std(bytes: Vec<u8>, behind: u8) {
            prop_assert_eq!(fast(&bytes, behind), core::str::from_utf8(&bytes).is_ok());
        }

        #[test]
        fn accepts_text(text: String, behind: u8) {
            prop_assert!(fast(text.as_bytes(), behind));
        }
    }
}
