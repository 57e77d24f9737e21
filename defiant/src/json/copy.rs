//! Short copies without a call, and strings copied while they are looked at.
#![expect(unsafe_code, reason = "loads and stores words")]

use core::ptr::NonNull;

use super::scan;

/// Copies bytes, short ones without a call.
///
/// # Safety
/// There is room for them, somewhere else.
#[inline(always)]
pub(super) unsafe fn copy(bytes: &[u8], place: NonNull<u8>) {
    let (from, to, len) = (bytes.as_ptr(), place.as_ptr(), bytes.len());
    macro_rules! both_ends {
        ($ty:ty) => {{
            let size = size_of::<$ty>();
            // SAFETY: the first bytes.
            let first = unsafe { from.cast::<$ty>().read_unaligned() };
            // SAFETY: the last bytes.
            let last = unsafe { from.add(len - size).cast::<$ty>().read_unaligned() };
            // SAFETY: as above.
            unsafe { to.cast::<$ty>().write_unaligned(first) };
            // SAFETY: as above.
            unsafe { to.add(len - size).cast::<$ty>().write_unaligned(last) };
        }};
    }
    match len {
        8..=16 => both_ends!(u64),
        4..=7 => both_ends!(u32),
        17..=32 => both_ends!([u64; 2]),
        0 => {}
        // SAFETY: one byte.
        1 => unsafe { to.write(*from) },
        2..=3 => both_ends!(u16),
        // SAFETY: as required of the caller.
        _ => unsafe { to.copy_from_nonoverlapping(from, len) },
    }
}

/// Copies bytes up to the first special one; how many those are. What comes behind them in the place is of no meaning.
///
/// # Safety
/// There is room for all of them, somewhere else.
#[inline(always)]
pub(super) unsafe fn copy_plain(bytes: &[u8], place: NonNull<u8>) -> usize {
    let len = bytes.len();
    if len < 16 {
        // SAFETY: as required of the caller.
        unsafe { copy(bytes, place) };
        return scan::plain_len_below_16(bytes);
    }
    let mut at = 0;
    // The last block may overlap the one before.
    while at < len {
        let from = at.min(len - 16);
        // SAFETY: sixteen bytes from there on are among them.
        let block = unsafe { bytes.as_ptr().add(from).cast::<[u8; 16]>().read_unaligned() };
        // SAFETY: as above.
        unsafe { place.add(from).cast::<[u8; 16]>().write_unaligned(block) };
        let found = scan::first_of_16(&block);
        if found < 16 {
            return from + found;
        }
        at += 16;
    }
    len
}
