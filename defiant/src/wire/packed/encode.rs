//! Numbers to packed varints, backward.
#![expect(unsafe_code, reason = "fills a buffer from its end through a raw pointer")]

use super::Element;
use super::isa::{self, Isa};
use crate::wire::varint;

/// Bytes of the varints.
///
/// # Safety
/// The processor has the level's instructions.
#[inline(always)]
pub(super) unsafe fn size<E: Element, I: Isa>(values: &[E::Value]) -> usize {
    // Few enough that their sum fits in 32 bits, which vectors add quicker.
    values.chunks(1 << 16).map(|values| values.iter().map(|value| E::size(*value)).sum::<u32>() as usize).sum()
}

/// Writes the varints so that they end before `end`; where they begin. Up to SLACK bytes before them may be overwritten.
///
/// # Safety
/// As many bytes as the varints take and SLACK more are writable before `end`; the processor has the level's
/// instructions.
#[inline(always)]
pub(super) unsafe fn encode<E: Element, I: Isa>(end: *mut u8, values: &[E::Value]) -> *mut u8 {
    // SAFETY: as required of the caller.
    unsafe { I::encode::<E>(end, values) }
}

/// The same by what every instruction set has: sixteen at a time.
///
/// # Safety
/// As there.
#[inline(always)]
pub(super) unsafe fn by_sixteen<E: Element, I: Isa>(mut end: *mut u8, values: &[E::Value]) -> *mut u8 {
    for chunk in values.rchunks(16) {
        let Ok(chunk) = <&[E::Value; 16]>::try_from(chunk) else {
            // SAFETY: as required of the caller.
            end = unsafe { one_by_one::<E>(end, chunk) };
            continue;
        };
        let any = any::<E>(chunk);
        if any < 0x80 {
            let mut bytes = [0; 16];
            for (byte, value) in bytes.iter_mut().zip(chunk) {
                *byte = E::to_bits(*value) as u32 as u8;
            }
            // SAFETY: sixteen varints of one byte.
            end = unsafe { end.sub(16) };
            // SAFETY: as above.
            unsafe { end.cast::<[u8; 16]>().write_unaligned(bytes) };
        } else if I::SHUFFLES && any < 0x4000 {
            for half in [8, 0] {
                let mut lanes = [0; 8];
                for (lane, value) in lanes.iter_mut().zip(&chunk[half..half + 8]) {
                    *lane = E::to_bits(*value) as u16;
                }
                // SAFETY: below 0x4000; at least eight bytes for these, and SLACK more.
                end = unsafe { I::join(end, lanes) };
            }
        } else if any < 1 << 56 {
            for value in chunk.iter().rev() {
                // SAFETY: below 2^56, and its bytes and SLACK more are writable.
                end = unsafe { put::<I>(end, E::to_bits(*value)) };
            }
        } else {
            // SAFETY: as required of the caller.
            end = unsafe { one_by_one::<E>(end, chunk) };
        }
    }
    end
}

/// All bits that any of the varints has. Of 32-bit numbers that are not negative, twice as many fit in a vector.
#[inline(always)]
fn any<E: Element>(values: &[E::Value; 16]) -> u64 {
    if size_of::<E::Value>() <= 4 {
        let any = values.iter().fold(0, |any, value| any | E::to_bits(*value) as u32);
        if any >> 31 == 0 {
            return u64::from(any);
        }
    }
    values.iter().fold(0, |any, value| any | E::to_bits(*value))
}

/// Writes a varint of one to eight bytes without a branch.
///
/// # Safety
/// `value` is below 2^56; eight bytes before `end` are writable; the processor has the level's instructions.
#[inline(always)]
unsafe fn put<I: Isa>(end: *mut u8, value: u64) -> *mut u8 {
    // SAFETY: as required of the caller.
    let low = unsafe { I::spread(value) };
    // Bits of the bytes that are not used: no byte has its high bit set, so that the zeros before one are no full byte.
    let unused = (low | 1).leading_zeros() & 0x38;
    // All bytes but the last say "more"; unused ones are shifted out.
    let word = (low | 0x8080_8080_8080_8080) << unused & !(1 << 63);
    // SAFETY: eight bytes before `end`.
    unsafe { isa::store(end.sub(8), word) };
    // SAFETY: at most eight bytes.
    unsafe { end.sub(8 - unused as usize / 8) }
}

/// Writes the varints one by one.
///
/// # Safety
/// As many bytes as the varints take and SLACK more are writable before `end`.
#[inline(always)]
pub(super) unsafe fn one_by_one<E: Element>(mut end: *mut u8, values: &[E::Value]) -> *mut u8 {
    for value in values.iter().rev() {
        // SAFETY: the varint's bytes and SLACK more are writable.
        end = unsafe { varint::write_before(end, E::to_bits(*value)) };
    }
    end
}
