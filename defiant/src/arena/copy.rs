//! Long copies.
#![expect(unsafe_code, reason = "copies through raw pointers")]

/// So many bytes are copied at once where more would be slow.
const PIECE: usize = 2048;
/// Bytes of a page.
const PAGE: usize = 4096;
/// Up to so many bytes behind the source, leaving whole pages aside, the target is too near.
const NEAR: usize = 128;

/// Copies bytes as [`core::ptr::copy_nonoverlapping`] does, without its worst case.
///
/// C libraries copy more than about 2 KiB with `rep movsb` where the processor says that it does this well. AMD's Zen 3 and
/// Zen 4 say so, and take many times as long when the target lies less than 32 bytes behind the source, leaving whole
/// pages aside, and somewhat longer up to about 100 (glibc's [bug 30994]; `cargo bench -p benchmarks --bench large` shows
/// it). Where things lie in an arena is often the same for each request, so that who is unlucky is so for good. There the
/// bytes are copied in pieces that are too short for that instruction, from the last to the first, as the processor takes
/// a load for one of a store before it where both have the same place in their pages.
///
/// [bug 30994]: https://sourceware.org/bugzilla/show_bug.cgi?id=30994
///
/// # Safety
/// As [`core::ptr::copy_nonoverlapping`] of bytes.
#[inline(always)]
pub(crate) unsafe fn copy(from: *const u8, to: *mut u8, len: usize) {
    if cfg!(target_arch = "x86_64") && len > PIECE && too_near(from, to) {
        // SAFETY: as required of the caller.
        unsafe { in_pieces(from, to, len) };
    } else {
        // SAFETY: as required of the caller.
        unsafe { to.copy_from_nonoverlapping(from, len) };
    }
}

/// Whether the target lies less than [`NEAR`] bytes behind the source, leaving whole pages aside.
fn too_near(from: *const u8, to: *mut u8) -> bool {
    (to.addr().wrapping_sub(from.addr()) % PAGE).wrapping_sub(1) < NEAR - 1
}

/// Copies bytes, some at a time, from the last to the first.
///
/// # Safety
/// As [`core::ptr::copy_nonoverlapping`] of bytes.
#[cold]
#[inline(never)]
unsafe fn in_pieces(from: *const u8, to: *mut u8, len: usize) {
    let mut left = len;
    while left > 0 {
        // A length that the compiler does not know, or it would make one copy of all of them.
        let count = core::hint::black_box(PIECE).min(left);
        left -= count;
        // SAFETY: `left + count <= len`.
        let (from, to) = unsafe { (from.add(left), to.add(left)) };
        // SAFETY: as above, and the ranges do not overlap as a whole.
        unsafe { to.copy_from_nonoverlapping(from, count) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Copies at every distance that matters, of lengths around whole pieces, give what a plain copy gives, and nothing else
    /// is written.
    #[test]
    fn copies_are_copies() {
        let lengths: &[usize] =
            if cfg!(miri) { &[0, 4097] } else { &[0, 1, 2047, 2048, 2049, 4095, 4096, 4097, 6144, 10_000] };
        let distances: &[usize] = if cfg!(miri) { &[1, 128] } else { &[0, 1, 2, 15, 16, 31, 32, 127, 128, 2048, 4095] };
        // No two pieces are the same, wherever they begin.
        let mut source = std::vec![0u8; 3 * PAGE];
        source.iter_mut().step_by(61).zip(1..).for_each(|(byte, at)| *byte = at as u8);
        let blank = std::vec![0xEE; 6 * PAGE];
        for &len in lengths {
            for &distance in distances {
                let mut target = blank.clone();
                let base = target.as_mut_ptr();
                let at = (source.as_ptr().addr() + distance).wrapping_sub(base.addr()) % PAGE;
                assert_eq!(too_near(source.as_ptr(), base.wrapping_add(at)), (1..NEAR).contains(&distance));
                // SAFETY: `at < PAGE` and `len` is less than three pages, of six.
                let to = unsafe { base.add(at) };
                // SAFETY: as above, and the source has three pages.
                unsafe { copy(source.as_ptr(), to, len) };
                assert!(target[at..at + len] == source[..len], "{len} bytes at {distance}");
                let end = at + len;
                assert!(target[..at] == blank[..at] && target[end..] == blank[end..], "{len} bytes at {distance}");
                target[at..end].fill(0xEE);
                let to = target.as_mut_ptr().wrapping_add(at);
                // SAFETY: as above.
                unsafe { in_pieces(source.as_ptr(), to, len) };
                assert!(target[at..at + len] == source[..len], "{len} bytes in pieces");
            }
        }
    }
}
