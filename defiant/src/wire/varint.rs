//! Base-128 varints, little end first.
//!
//! Source: <https://protobuf.dev/programming-guides/encoding/#varints>.
#![expect(unsafe_code, reason = "reads ahead into the slack instead of checking every byte")]

/// Bytes of the varint that encodes `value`, 1 to 10.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) const fn len(value: u64) -> usize {
    ((63 - (value | 1).leading_zeros()) as usize * 9 + 73) / 64
}

/// Bytes of the varint but for the first. A comparison is all that it takes for small values, which most are.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) const fn further_bytes(value: u64) -> usize {
    if value < 0x80 { 0 } else { (64 - value.leading_zeros()) as usize * 9 / 64 }
}

/// Reads a varint of any length, with one load for up to eight bytes: the position behind it, or null if it does not
/// end in ten bytes or does not fit in 64 bits.
///
/// # Safety
/// Ten bytes are readable at `ptr`.
#[cold]
#[inline(never)]
pub(crate) unsafe fn read_multi(ptr: *const u8) -> (*const u8, u64) {
    // SAFETY: eight of the ten readable bytes; alignment is not needed.
    let word = u64::from_le(unsafe { ptr.cast::<u64>().read_unaligned() });
    let ends = !word & 0x8080_8080_8080_8080;
    if ends == 0 {
        // SAFETY: the last two of the ten readable bytes; alignment is not needed.
        let last = u16::from_le(unsafe { ptr.add(8).cast::<u16>().read_unaligned() });
        // The ninth byte brings bits 56 to 62, the tenth bit 63 and nothing else.
        let value = compress(word) | u64::from(last & 0x7f) << 56;
        if last & 0x80 == 0 {
            // SAFETY: nine bytes on.
            return (unsafe { ptr.add(9) }, value);
        }
        if last >> 8 > 1 {
            return (core::ptr::null(), 0);
        }
        // SAFETY: ten bytes on, where the readable range ends.
        return (unsafe { ptr.add(10) }, value | u64::from(last >> 8) << 63);
    }
    // The varint's bytes are those up to the lowest clear high bit.
    let value = word & (ends ^ ends.wrapping_sub(1));
    // SAFETY: at most eight bytes on.
    (unsafe { ptr.add((ends.trailing_zeros() as usize >> 3) + 1) }, compress(value))
}

/// Joins the low seven bits of each byte.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) const fn compress(word: u64) -> u64 {
    let word = word & 0x7f7f_7f7f_7f7f_7f7f;
    let word = (word & 0x007f_007f_007f_007f) | ((word & 0x7f00_7f00_7f00_7f00) >> 1);
    let word = (word & 0x0000_3fff_0000_3fff) | ((word & 0x3fff_0000_3fff_0000) >> 2);
    (word & 0x0000_0000_0fff_ffff) | ((word & 0x0fff_ffff_0000_0000) >> 4)
}

/// Reads a varint, those of up to two bytes inline: the position behind it, or null as [`read_multi`].
///
/// # Safety
/// Ten bytes are readable at `ptr`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) unsafe fn read(ptr: *const u8) -> (*const u8, u64) {
    // SAFETY: the first of ten readable bytes.
    let first = unsafe { *ptr };
    if first < 0x80 {
        // SAFETY: one byte on.
        return (unsafe { ptr.add(1) }, u64::from(first));
    }
    // SAFETY: the second of ten readable bytes.
    let second = unsafe { *ptr.add(1) };
    if second < 0x80 {
        // SAFETY: two bytes on.
        return (unsafe { ptr.add(2) }, (u64::from(second) << 7) + u64::from(first) - 0x80);
    }
    // SAFETY: as required of the caller.
    unsafe { read_multi(ptr) }
}

/// Writes the varint of `value` so that it ends before `end`, and returns its first byte. Of the ten bytes before `end`,
/// those before the varint may be overwritten.
///
/// # Safety
/// Ten bytes before `end` are writable.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) unsafe fn write_before(end: *mut u8, value: u64) -> *mut u8 {
    if value < 0x80 {
        // SAFETY: one of the ten writable bytes.
        let start = unsafe { end.sub(1) };
        // SAFETY: as above.
        unsafe { *start = value as u8 };
        return start;
    }
    // SAFETY: as required of the caller.
    unsafe { write_long_before(end, value) }
}

/// Writes a varint of any length with one or two stores. Bytes before its first one may be overwritten.
///
/// # Safety
/// Ten bytes before `end` are writable.
#[inline(never)]
unsafe fn write_long_before(end: *mut u8, value: u64) -> *mut u8 {
    const MORE: u64 = 0x8080_8080_8080_8080;
    let len = len(value);
    // SAFETY: a varint has at most ten bytes.
    let start = unsafe { end.sub(len) };
    let low = spread(value);
    if len <= 8 {
        // The unused bytes are shifted out, so that the last byte is the word's last. All but that one say "more".
        let word = (low | MORE) << (64 - 8 * len) & !(1 << 63);
        // SAFETY: eight of the ten writable bytes.
        let place = unsafe { end.sub(8) };
        // SAFETY: as above; alignment is not needed.
        unsafe { place.cast::<u64>().write_unaligned(word.to_le()) };
        return start;
    }
    // The ninth byte has bits 56 to 62, the tenth bit 63.
    // SAFETY: the first eight of `len` bytes; alignment is not needed.
    unsafe { start.cast::<u64>().write_unaligned((low | MORE).to_le()) };
    if len == 9 {
        // SAFETY: the last byte.
        unsafe { *start.add(8) = (value >> 56) as u8 };
    } else {
        // SAFETY: the last byte but one.
        unsafe { *start.add(8) = (value >> 56) as u8 | 0x80 };
        // SAFETY: the last byte.
        unsafe { *start.add(9) = 1 };
    }
    start
}

/// Gives each seven of the low 56 bits a byte of their own.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) const fn spread(value: u64) -> u64 {
    let word = (value & 0x0000_0000_0fff_ffff) | ((value & 0x00ff_ffff_f000_0000) << 4);
    let word = (word & 0x0000_3fff_0000_3fff) | ((word & 0x0fff_c000_0fff_c000) << 2);
    (word & 0x007f_007f_007f_007f) | ((word & 0x3f80_3f80_3f80_3f80) << 1)
}

/// The decoder by the book, for comparison and where speed is nothing: the varint's length in bytes and its value.
pub(crate) fn checked(bytes: &[u8]) -> Option<(usize, u64)> {
    let mut value = 0u128;
    for (index, &byte) in bytes.iter().enumerate().take(10) {
        value |= u128::from(byte & 0x7f) << (7 * index);
        if byte < 0x80 {
            return u64::try_from(value).ok().map(|value| (index + 1, value));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn fast(bytes: &[u8; 16]) -> Option<(usize, u64)> {
        // SAFETY: sixteen bytes are readable.
        let (ptr, value) = unsafe { read(bytes.as_ptr()) };
        (!ptr.is_null()).then(|| (ptr.addr() - bytes.as_ptr().addr(), value))
    }

    fn encode(value: u64) -> ([u8; 16], usize) {
        let mut bytes = [0xeeu8; 16];
        let end = bytes.as_mut_ptr_range().end;
        // SAFETY: sixteen bytes before the end are writable.
        let start = unsafe { write_before(end, value) };
        let len = end.addr() - start.addr();
        bytes.copy_within(16 - len.., 0);
        (bytes, len)
    }

    #[test]
    fn edges() {
        for shift in 0..64 {
            for value in [(1u64 << shift) - 1, 1 << shift, (1 << shift) + 1, u64::MAX - (1 << shift)] {
                let (bytes, written) = encode(value);
                assert_eq!(written, len(value), "{value}");
                assert_eq!(checked(&bytes), Some((written, value)));
                assert_eq!(fast(&bytes), Some((written, value)));
            }
        }
    }

    #[test]
    fn writing_spares_what_is_behind() {
        for value in [0, 127, 128, 1 << 20, (1 << 56) - 1, 1 << 56, u64::MAX >> 1, u64::MAX] {
            let mut bytes = [0x55u8; 32];
            let end = bytes[..20].as_mut_ptr_range().end;
            // SAFETY: twenty bytes before `end` are writable.
            let start = unsafe { write_before(end, value) };
            let start = 20 - (end.addr() - start.addr());
            assert_eq!(checked(&bytes[start..]), Some((20 - start, value)), "{value}");
            assert_eq!((&bytes[..10], &bytes[20..]), (&[0x55; 10][..], &[0x55; 12][..]), "{value}");
        }
    }

    #[test]
    fn overlong_is_read_and_overflow_is_not() {
        let mut bytes = [0x80u8; 16];
        bytes[9] = 0;
        assert_eq!(fast(&bytes), Some((10, 0)));
        bytes[9] = 2;
        assert_eq!(fast(&bytes), None);
        assert_eq!(fast(&[0xff; 16]), None);
    }

    proptest! {
        #[test]
        fn agrees_with_the_book(mut bytes: [u8; 16], stop in 0usize..12) {
            for byte in &mut bytes[..stop] { *byte |= 0x80; }
            prop_assert_eq!(fast(&bytes), checked(&bytes));
        }

        #[test]
        fn round_trip(value: u64, shift in 0u32..64) {
            let value = value >> shift;
            let (bytes, written) = encode(value);
            prop_assert_eq!(checked(&bytes), Some((written, value)));
        }
    }
}
