//! UTF-8 validation: ASCII sixteen bytes at a time over the slack, everything else by the crate `smoothutf8`.
#![expect(unsafe_code, reason = "loads sixteen bytes at a time, over the end of the string")]

/// Whether `len` bytes at `ptr` are valid UTF-8.
///
/// # Safety
/// `len + 16` bytes are readable at `ptr`.
#[inline(always)]
pub(crate) unsafe fn is_valid_with_slack(ptr: *const u8, len: usize) -> bool {
    // SAFETY: as required of the caller.
    if unsafe { is_ascii_with_slack(ptr, len) } {
        return true;
    }
    // SAFETY: `len` bytes are readable.
    is_valid(unsafe { core::slice::from_raw_parts(ptr, len) })
}

/// Whether the bytes are valid UTF-8.
#[cold]
#[inline(never)]
pub(crate) fn is_valid(bytes: &[u8]) -> bool {
    smoothutf8::verify(bytes)
}

/// # Safety
/// `len + 16` bytes are readable at `ptr`.
#[inline(always)]
unsafe fn is_ascii_with_slack(ptr: *const u8, len: usize) -> bool {
    let mut at = 0;
    while at + 16 <= len {
        // SAFETY: `at + 16 <= len`.
        if unsafe { high_bits(ptr.add(at)) } != 0 {
            return false;
        }
        at += 16;
    }
    // The rest is 0 to 15 bytes; the load may run over the end by as much as the slack.
    // SAFETY: `at <= len`, and sixteen bytes behind `len` are readable.
    let high = unsafe { high_bits(ptr.add(at)) };
    high & ((1 << (len - at)) - 1) == 0
}

/// The high bits of sixteen bytes, the first byte's lowest.
///
/// # Safety
/// Sixteen bytes are readable at `ptr`.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn high_bits(ptr: *const u8) -> u32 {
    use core::arch::x86_64::{_mm_loadu_si128, _mm_movemask_epi8};
    // SAFETY: sixteen bytes are readable, SSE2 is part of x86-64.
    unsafe { _mm_movemask_epi8(_mm_loadu_si128(ptr.cast())) as u32 }
}

/// The high bits of sixteen bytes, the first byte's lowest.
///
/// # Safety
/// Sixteen bytes are readable at `ptr`.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
unsafe fn high_bits(ptr: *const u8) -> u32 {
    // SAFETY: sixteen bytes are readable; alignment is not needed.
    let words = unsafe { ptr.cast::<[u64; 2]>().read_unaligned() };
    gather(u64::from_le(words[0])) | gather(u64::from_le(words[1])) << 8
}

/// The high bit of each byte, gathered by a multiplication that moves bit `8 i + 7` to bit `56 + i`.
#[cfg(any(test, not(target_arch = "x86_64")))]
const fn gather(word: u64) -> u32 {
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
        unsafe { is_valid_with_slack(padded.as_ptr(), bytes.len()) }
    }

    #[test]
    fn bad_bytes_at_every_position() {
        for len in 0..70 {
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
