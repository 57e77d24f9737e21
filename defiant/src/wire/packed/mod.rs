//! Packed varints in bulk, both ways.
//!
//! One algorithm for every instruction set. A decoder's main cost is to find out where each varint ends before it can
//! look at the next. So the high bits of 64 bytes are gathered in one word first, and that word says what to do: widen
//! the bytes if none is set, split varints of one and two bytes by a table of shuffles if no two are set in a row, and
//! else cut each varint out with one load, none waiting for the one before. Where a processor moves single bytes across a
//! register of 64, that cuts out eight to 32 varints at a time (`wide`).
//!
//! Source: <https://protobuf.dev/programming-guides/encoding/#packed>.
#![expect(unsafe_code, reason = "calls functions for instructions that the processor was asked about")]

mod decode;
mod encode;
mod isa;
mod level;
mod tables;
#[cfg(test)]
mod tests;
#[cfg(all(target_arch = "x86_64", avx512))]
mod wide;

pub(crate) use decode::Decoded;
use level::Level;

use super::varint;

/// What the elements of a packed field of varints are.
// TRUST: it has no public path, so only this crate implements it.
pub trait Element {
    /// The Rust type: a number of four or eight bytes, or a `bool`.
    type Value: Copy;
    /// Whether the lowest bit of a varint is a sign.
    const ZIGZAG: bool = false;

    /// Whether the lower 32 bits of a varint say what the number is.
    const LOW_32: bool = size_of::<Self::Value>() == 4;

    /// The number of a varint.
    fn from_bits(bits: u64) -> Self::Value;

    /// The varint of a number: its bits, or, if `ZIGZAG`, these in zigzag. Of one of at most four bytes, the upper 32 bits repeat
    /// bit 31 or are zero. Kernels rely on that, for `wide` does the same to many at once.
    fn to_bits(value: Self::Value) -> u64;

    /// Bytes of the varint.
    #[inline(always)]
    fn size(value: Self::Value) -> u32 {
        varint::len(Self::to_bits(value)) as u32
    }
}

/// Bytes of a varint of 32 bits, with comparisons that vectors can make.
#[inline(always)]
pub(crate) const fn size_32(bits: u32) -> u32 {
    1 + (bits >= 1 << 7) as u32 + (bits >= 1 << 14) as u32 + (bits >= 1 << 21) as u32 + (bits >= 1 << 28) as u32
}

/// Runs below this many bytes or numbers are not worth the question which kernel is the best.
const BLOCK: usize = 16;

/// A function that runs a kernel with the instructions of a level.
macro_rules! kernel {
    ($(#[$doc:meta])* fn $name:ident<$($element:ident: $bound:ident)?>($($argument:ident: $type:ty),*) -> $result:ty) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// The processor has the level, and as the kernel requires.
        #[inline(always)]
        unsafe fn $name<$($element: $bound)?>(level: Level, $($argument: $type),*) -> $result {
            #[cfg(all(target_arch = "x86_64", avx512))]
            #[target_feature(enable = "avx512f,avx512dq,avx512cd,avx512bw,avx512vl,avx512vbmi,avx512vbmi2")]
            #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
            unsafe fn avx512<$($element: $bound)?>($($argument: $type),*) -> $result {
                // SAFETY: as required of the caller.
                unsafe { kernels::$name::<$($element,)? isa::Avx512>($($argument),*) }
            }

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
            unsafe fn bmi2<$($element: $bound)?>($($argument: $type),*) -> $result {
                // SAFETY: as required of the caller.
                unsafe { kernels::$name::<$($element,)? isa::Bmi2>($($argument),*) }
            }

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,bmi1,lzcnt,popcnt")]
            unsafe fn avx2<$($element: $bound)?>($($argument: $type),*) -> $result {
                // SAFETY: as required of the caller.
                unsafe { kernels::$name::<$($element,)? isa::Avx2>($($argument),*) }
            }

            #[cfg(target_arch = "x86_64")]
            #[inline(never)]
            unsafe fn sse2<$($element: $bound)?>($($argument: $type),*) -> $result {
                // SAFETY: as required of the caller.
                unsafe { kernels::$name::<$($element,)? isa::Sse2>($($argument),*) }
            }

            #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
            #[inline(never)]
            unsafe fn neon<$($element: $bound)?>($($argument: $type),*) -> $result {
                // SAFETY: as required of the caller.
                unsafe { kernels::$name::<$($element,)? isa::Neon>($($argument),*) }
            }

            #[cfg(any(test, not(any(target_arch = "x86_64", all(target_arch = "aarch64", target_endian = "little", target_feature = "neon")))))]
            #[inline(never)]
            unsafe fn portable<$($element: $bound)?>($($argument: $type),*) -> $result {
                // SAFETY: as required of the caller.
                unsafe { kernels::$name::<$($element,)? isa::Portable>($($argument),*) }
            }

            match level {
                #[cfg(any(test, not(any(target_arch = "x86_64", all(target_arch = "aarch64", target_endian = "little", target_feature = "neon")))))]
                // SAFETY: as required of the caller, and so below.
                Level::Portable => unsafe { portable::<$($element)?>($($argument),*) },
                #[cfg(target_arch = "x86_64")]
                // SAFETY: as above.
                Level::Sse2 => unsafe { sse2::<$($element)?>($($argument),*) },
                #[cfg(target_arch = "x86_64")]
                // SAFETY: the level says that the processor has these instructions.
                Level::Avx2 => unsafe { avx2::<$($element)?>($($argument),*) },
                #[cfg(target_arch = "x86_64")]
                // SAFETY: as above.
                Level::Bmi2 => unsafe { bmi2::<$($element)?>($($argument),*) },
                #[cfg(all(target_arch = "x86_64", avx512))]
                // SAFETY: as above.
                Level::Avx512 => unsafe { avx512::<$($element)?>($($argument),*) },
                #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
                // SAFETY: the target has NEON.
                Level::Neon => unsafe { neon::<$($element)?>($($argument),*) },
            }
        }
    };
}

/// The kernels, by the names of their doors.
mod kernels {
    pub(super) use super::decode::{count, decode};
    pub(super) use super::encode::{encode, size};
}

kernel! {
    /// Varints that end in these bytes.
    fn count<>(bytes: &[u8]) -> usize
}

kernel! {
    /// Decodes varints while a block is left and there is room for the numbers in it.
    fn decode<E: Element>(at: *const u8, stop: *const u8, out: *mut E::Value, room: usize) -> Decoded
}

kernel! {
    /// Writes varints so that they end before `end`.
    fn encode<E: Element>(end: *mut u8, values: &[E::Value]) -> *mut u8
}

kernel! {
    /// Bytes of the varints.
    fn size<E: Element>(values: &[E::Value]) -> usize
}

/// Varints that end in these bytes.
#[inline]
pub(crate) fn count_ends(bytes: &[u8]) -> usize {
    if bytes.len() < BLOCK {
        return bytes.iter().map(|&byte| usize::from(byte < 0x80)).sum();
    }
    // SAFETY: the processor's own level.
    unsafe { count(Level::best(), bytes) }
}

/// Decodes the varints that begin before `stop`, as long as there is room.
///
/// # Safety
/// `at` is readable up to `stop` and SLACK bytes behind it; `room` numbers may be written at `out`.
#[inline(always)]
pub(crate) unsafe fn decode_run<E: Element>(
    at: *const u8,
    stop: *const u8,
    out: *mut E::Value,
    room: usize,
) -> Decoded {
    // SAFETY: as required of the caller; the processor's own level, which is not asked for where it is not used.
    unsafe { decode_run_at::<E>(Level::best, at, stop, out, room) }
}

/// [`decode_run`] with the instructions of a level.
///
/// # Safety
/// The processor has the level, and as there.
#[inline(always)]
unsafe fn decode_run_at<E: Element>(
    level: impl FnOnce() -> Level,
    at: *const u8,
    stop: *const u8,
    out: *mut E::Value,
    room: usize,
) -> Decoded {
    let mut bulk = Decoded { ptr: at, filled: 0, malformed: false };
    if stop.addr().saturating_sub(at.addr()) >= BLOCK {
        // SAFETY: as required of the caller.
        bulk = unsafe { decode::<E>(level(), at, stop, out, room) };
        if bulk.malformed {
            return bulk;
        }
    }
    // SAFETY: `filled` of `room` numbers are written.
    let out = unsafe { out.add(bulk.filled) };
    // SAFETY: as required of the caller.
    let rest = unsafe { decode::one_by_one::<E>(bulk.ptr, stop, out, room - bulk.filled) };
    Decoded { filled: bulk.filled + rest.filled, ..rest }
}

/// Writes the varints so that they end before `end`; where they begin. Up to SLACK bytes before them may be overwritten.
///
/// # Safety
/// As many bytes as the varints take and SLACK more are writable before `end`.
#[inline(always)]
pub(crate) unsafe fn encode_before<E: Element>(end: *mut u8, values: &[E::Value]) -> *mut u8 {
    if values.len() < BLOCK {
        // SAFETY: as required of the caller.
        return unsafe { encode::one_by_one::<E>(end, values) };
    }
    // SAFETY: as required of the caller; the processor's own level.
    unsafe { encode::<E>(Level::best(), end, values) }
}

/// Bytes of the varints.
#[inline(always)]
pub(crate) fn size_of_run<E: Element>(values: &[E::Value]) -> usize {
    if values.len() < BLOCK {
        // Of one byte or of two, which mostly all of them are.
        let mut short = 0;
        for value in values {
            let bits = E::to_bits(*value);
            if bits >= 1 << 14 {
                return size_one_by_one::<E>(values);
            }
            short += usize::from(bits < 1 << 7);
        }
        return 2 * values.len() - short;
    }
    // SAFETY: the processor's own level.
    unsafe { size::<E>(Level::best(), values) }
}

/// [`size_of_run`] for a short run with longer varints.
#[cold]
#[inline(never)]
fn size_one_by_one<E: Element>(values: &[E::Value]) -> usize {
    values.iter().map(|value| E::size(*value) as usize).sum()
}
