//! The first byte of a string that does not stand for itself.
#![cfg_attr(target_arch = "x86_64", expect(unsafe_code, reason = "loads sixteen bytes at a time"))]

/// Whether a byte ends a string or has to be escaped in one: a quote, a backslash, a control character.
#[inline]
pub(super) fn is_special(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

/// How many bytes from `from` on are not special.
#[inline]
pub(super) fn plain_len(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(block) = bytes.get(at..).and_then(|rest| rest.first_chunk::<16>()) {
        let found = first_of_16(block);
        if found < 16 {
            return at + found - from;
        }
        at += 16;
    }
    if let Some(block) = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        let found = first_of_8(u64::from_le_bytes(*block));
        if found < 8 {
            return at + found - from;
        }
        at += 8;
    }
    while bytes.get(at).is_some_and(|byte| !is_special(*byte)) {
        at += 1;
    }
    at - from
}

/// How many bytes are not special, of fewer than sixteen.
#[inline]
pub(super) fn plain_len_below_16(bytes: &[u8]) -> usize {
    if let (Some(first), Some(last)) = (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        let found = first_of_8(u64::from_le_bytes(*first));
        return if found < 8 { found } else { bytes.len() - 8 + first_of_8(u64::from_le_bytes(*last)) };
    }
    if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        let (low, high) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        let found = first_of_8(u64::from(high) << 32 | u64::from(low));
        return if found < 4 { found } else { bytes.len() + found - 8 };
    }
    bytes.iter().position(|byte| is_special(*byte)).unwrap_or(bytes.len())
}

/// The index of the first special byte; 16 if there is none.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) fn first_of_16(block: &[u8; 16]) -> usize {
    use core::arch::x86_64::{
        _mm_cmpeq_epi8, _mm_loadu_si128, _mm_min_epu8, _mm_movemask_epi8, _mm_or_si128, _mm_set1_epi8,
    };
    // SAFETY: sixteen bytes are loaded from as many; every x86-64 has these instructions.
    let mask = unsafe {
        let block = _mm_loadu_si128(block.as_ptr().cast());
        let control = _mm_cmpeq_epi8(_mm_min_epu8(block, _mm_set1_epi8(0x1f)), block);
        let quote = _mm_cmpeq_epi8(block, _mm_set1_epi8(b'"' as i8));
        let backslash = _mm_cmpeq_epi8(block, _mm_set1_epi8(b'\\' as i8));
        _mm_movemask_epi8(_mm_or_si128(control, _mm_or_si128(quote, backslash)))
    };
    (mask as u32 | 1 << 16).trailing_zeros() as usize
}

/// The same in two words.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub(super) fn first_of_16(block: &[u8; 16]) -> usize {
    let [low, high] = [0, 8].map(|at| first_of_8(u64::from_le_bytes(core::array::from_fn(|index| block[at + index]))));
    if low < 8 { low } else { 8 + high }
}

/// The index of the first special byte of a word, from the lowest; 8 if there is none.
#[inline(always)]
fn first_of_8(word: u64) -> usize {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const HIGH: u64 = u64::from_le_bytes([0x80; 8]);
    // A subtraction borrows into the next byte only behind a byte that is below what is subtracted, and so found.
    let below = |word: u64, bound: u64| word.wrapping_sub(ONES * bound) & !word & HIGH;
    let quote = below(word ^ (ONES * u64::from(b'"')), 1);
    let backslash = below(word ^ (ONES * u64::from(b'\\')), 1);
    ((below(word, 0x20) | quote | backslash).trailing_zeros() / 8) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_the_book(bytes: &[u8], from: usize) -> usize {
        bytes[from..].iter().take_while(|byte| !is_special(**byte)).count()
    }

    #[test]
    fn every_byte_at_every_place() {
        for len in 0..40 {
            for at in 0..len {
                for byte in 0..=255u8 {
                    for fill in [b'a', 0x80, 0xff, b' '] {
                        let mut bytes = [fill; 40];
                        bytes[at] = byte;
                        for from in [0, 1, at, len] {
                            let from = from.min(len);
                            assert_eq!(plain_len(&bytes[..len], from), by_the_book(&bytes[..len], from));
                            if len < 16 && from == 0 {
                                assert_eq!(plain_len_below_16(&bytes[..len]), by_the_book(&bytes[..len], 0));
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn words_are_searched_like_blocks() {
        for at in 0..8 {
            for byte in 0..=255u8 {
                for next in [0, b'"', b'#', 0x20, 0x21, 0xff] {
                    let mut bytes = [next; 8];
                    bytes[..at].fill(b']');
                    bytes[at] = byte;
                    assert_eq!(first_of_8(u64::from_le_bytes(bytes)), by_the_book(&bytes, 0), "{bytes:?}");
                }
            }
        }
    }
}
