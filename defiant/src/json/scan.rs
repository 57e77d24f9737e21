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

/// All bytes of fewer than sixteen in two words, some of them twice, and spaces where there are too few.
#[inline(always)]
pub(super) fn words_below_16(bytes: &[u8]) -> [u64; 2] {
    const SPACES: u64 = u64::from_le_bytes([b' '; 8]);
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        return [u64::from_le_bytes(*first), u64::from_le_bytes(*last)];
    }
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        return [u64::from(u32::from_le_bytes(*last)) << 32 | u64::from(u32::from_le_bytes(*first)), SPACES];
    }
    match *bytes {
        [a, b, c] => [u64::from_le_bytes([a, b, c, b' ', b' ', b' ', b' ', b' ']), SPACES],
        [a, b] => [u64::from_le_bytes([a, b, b' ', b' ', b' ', b' ', b' ', b' ']), SPACES],
        [a] => [u64::from_le_bytes([a, b' ', b' ', b' ', b' ', b' ', b' ', b' ']), SPACES],
        _ => [SPACES; 2],
    }
}

/// Whether there is a special byte among those of two words.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) fn has_special(words: [u64; 2]) -> bool {
    use core::arch::x86_64::_mm_set_epi64x;
    // SAFETY: every x86-64 has these instructions.
    unsafe { special_of_16(_mm_set_epi64x(words[1] as i64, words[0] as i64)) != 0 }
}

/// The same word by word.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub(super) fn has_special(words: [u64; 2]) -> bool {
    words.map(first_of_8) != [8; 2]
}

/// A bit for each byte that is special.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn special_of_16(block: core::arch::x86_64::__m128i) -> u32 {
    use core::arch::x86_64::{_mm_cmpeq_epi8, _mm_min_epu8, _mm_movemask_epi8, _mm_or_si128, _mm_set1_epi8};
    // SAFETY: every x86-64 has these instructions.
    unsafe {
        let control = _mm_cmpeq_epi8(_mm_min_epu8(block, _mm_set1_epi8(0x1f)), block);
        let quote = _mm_cmpeq_epi8(block, _mm_set1_epi8(b'"' as i8));
        let backslash = _mm_cmpeq_epi8(block, _mm_set1_epi8(b'\\' as i8));
        _mm_movemask_epi8(_mm_or_si128(control, _mm_or_si128(quote, backslash))) as u32
    }
}

/// The index of the first special byte; 16 if there is none.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) fn first_of_16(block: &[u8; 16]) -> usize {
    use core::arch::x86_64::_mm_loadu_si128;
    // SAFETY: sixteen bytes are loaded from as many.
    let block = unsafe { _mm_loadu_si128(block.as_ptr().cast()) };
    (special_of_16(block) | 1 << 16).trailing_zeros() as usize
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
    use alloc::vec;
    use alloc::vec::Vec;

    use super::*;

    fn by_the_book(bytes: &[u8], from: usize) -> usize {
        bytes[from..].iter().take_while(|byte| !is_special(**byte)).count()
    }

    #[test]
    fn every_byte_at_every_place() {
        // Miri has time for the lengths and bytes on both sides of a bound.
        let (lens, values): (Vec<usize>, Vec<u8>) = if cfg!(miri) {
            (vec![1, 2, 3, 4, 7, 8, 15, 16, 33], vec![0, 0x1f, 0x20, b'"', b'#', b'\\', b']', 0x7f, 0x80, 0xff])
        } else {
            ((0..40).collect(), (0..=255).collect())
        };
        for len in lens {
            for at in 0..len {
                for &byte in &values {
                    for fill in [b'a', 0x80, 0xff, b' '] {
                        let mut bytes = [fill; 40];
                        bytes[at] = byte;
                        for from in [0, 1, at, len] {
                            let from = from.min(len);
                            assert_eq!(plain_len(&bytes[..len], from), by_the_book(&bytes[..len], from));
                            if len < 16 && from == 0 {
                                let any = bytes[..len].iter().any(|byte| is_special(*byte));
                                assert_eq!(has_special(words_below_16(&bytes[..len])), any);
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
