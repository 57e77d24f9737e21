//! Pieces of JSON, written where there is room for them.
#![expect(unsafe_code, reason = "writes behind a pointer, in blocks that may be longer than what they are for")]

use core::ptr::NonNull;

use super::scan;

/// Room for a number of 64 bits, with its sign and in quotes, or for a `double`, or for what is no finite number.
pub(super) const NUMBER: usize = 32;

/// Room for a string besides its bytes.
pub(super) const STRING: usize = 2;

/// Room for a key besides its bytes.
pub(super) const KEY: usize = 32;

/// Where the next byte goes. The methods give back the place behind what they wrote.
#[derive(Clone, Copy)]
pub(super) struct Place(pub(super) NonNull<u8>);

/// A number below 10^8 as eight decimal digits, the first in the lowest byte, each from 0 to 9.
///
/// The halves of the word are divided by a hundred, then the quarters by ten, all at once: multiplying by the rounded inverse
/// and shifting is exact for numbers that small.
#[inline(always)]
const fn digits(number: u32) -> u64 {
    let halves = (number / 10_000) as u64 | ((number % 10_000) as u64) << 32;
    let hundreds = ((halves * 10_486) >> 20) & 0x0000_007f_0000_007f;
    let pairs = hundreds | (halves - hundreds * 100) << 16;
    let tens = ((pairs * 103) >> 10) & 0x000f_000f_000f_000f;
    tens | (pairs - tens * 10) << 8
}

const ZEROS: u64 = u64::from_le_bytes([b'0'; 8]);

impl Place {
    /// # Safety
    /// There is room for so many bytes.
    #[inline(always)]
    unsafe fn skip(self, bytes: usize) -> Self {
        // SAFETY: as required of the caller.
        Place(unsafe { self.0.add(bytes) })
    }

    /// # Safety
    /// There is room for it.
    #[inline(always)]
    unsafe fn put<T>(self, value: T) {
        // SAFETY: as required of the caller.
        unsafe { self.0.cast::<T>().write_unaligned(value) }
    }

    /// # Safety
    /// There is room for it.
    #[inline(always)]
    pub(super) unsafe fn byte(self, byte: u8) -> Self {
        // SAFETY: as required of the caller.
        unsafe { self.put(byte) };
        // SAFETY: as above.
        unsafe { self.skip(1) }
    }

    /// Copies bytes, short ones without a call.
    ///
    /// # Safety
    /// There is room for them, somewhere else.
    #[inline(always)]
    pub(super) unsafe fn bytes(self, bytes: &[u8]) -> Self {
        macro_rules! both_ends {
            ($size:literal) => {
                if let (Some(first), Some(last)) = (bytes.first_chunk::<$size>(), bytes.last_chunk::<$size>()) {
                    // SAFETY: the first bytes.
                    unsafe { self.put(*first) };
                    // SAFETY: the last bytes.
                    unsafe { self.skip(bytes.len() - $size).put(*last) };
                }
            };
        }
        match bytes.len() {
            8..=16 => both_ends!(8),
            4..=7 => both_ends!(4),
            17..=32 => both_ends!(16),
            0 => {}
            1 => both_ends!(1),
            2..=3 => both_ends!(2),
            // SAFETY: as required of the caller.
            len => unsafe { self.0.as_ptr().copy_from_nonoverlapping(bytes.as_ptr(), len) },
        }
        // SAFETY: as required of the caller.
        unsafe { self.skip(bytes.len()) }
    }

    /// A key: the first `len` bytes of a text that has sixteen at least, or 32 if there are more than sixteen of them.
    ///
    /// # Safety
    /// There is room for `len + KEY` bytes.
    #[inline(always)]
    pub(super) unsafe fn key(self, (text, len): (&[u8], usize)) -> Self {
        if len <= 32 {
            if let Some(first) = text.first_chunk::<16>() {
                // SAFETY: as required of the caller.
                unsafe { self.put(*first) };
            }
            if len > 16 {
                if let Some(second) = text.get(16..).and_then(|rest| rest.first_chunk::<16>()) {
                    // SAFETY: as required of the caller.
                    unsafe { self.skip(16).put(*second) };
                }
            }
            // SAFETY: as above.
            unsafe { self.skip(len) }
        } else {
            // SAFETY: as required of the caller.
            unsafe { self.bytes(text.get(..len).unwrap_or_default()) }
        }
    }

    /// A string in quotes up to its first special byte, and how many bytes of it that are: the quote at the end is there if
    /// it is all of them.
    ///
    /// # Safety
    /// There is room for all of them and `STRING`.
    #[inline(always)]
    pub(super) unsafe fn plain_string(self, bytes: &[u8]) -> (Self, usize) {
        // SAFETY: as required of the caller.
        let place = unsafe { self.byte(b'"') };
        // SAFETY: as required of the caller.
        let plain = unsafe { place.plain(bytes) };
        // SAFETY: there is room for more.
        let place = unsafe { place.skip(plain) };
        if plain < bytes.len() {
            return (place, plain);
        }
        // SAFETY: as required of the caller.
        (unsafe { place.byte(b'"') }, plain)
    }

    /// Copies bytes up to the first special one; how many those are. What comes behind them in the place is of no meaning.
    ///
    /// # Safety
    /// There is room for all of them, somewhere else.
    #[inline(always)]
    unsafe fn plain(self, bytes: &[u8]) -> usize {
        let len = bytes.len();
        if len < 16 {
            let words = scan::words_below_16(bytes);
            // SAFETY: as required of the caller.
            unsafe { self.bytes(bytes) };
            return if scan::has_special(words) { scan::plain_len(bytes, 0) } else { len };
        }
        let mut at = 0;
        // The last block may overlap the one before.
        while at < len {
            let from = at.min(len - 16);
            let Some(block) = bytes.get(from..).and_then(|rest| rest.first_chunk::<16>()) else { return from };
            // SAFETY: as required of the caller: sixteen bytes of them.
            unsafe { self.skip(from).put(*block) };
            let found = scan::first_of_16(block);
            if found < 16 {
                return from + found;
            }
            at += 16;
        }
        len
    }

    /// A number below 10^8.
    ///
    /// # Safety
    /// There is room for eight bytes.
    #[inline(always)]
    unsafe fn short(self, number: u32) -> Self {
        let digits = digits(number);
        // The last digit stays.
        let leading = (digits | 1 << 56).trailing_zeros() & !7;
        // SAFETY: as required of the caller.
        unsafe { self.put(((digits | ZEROS) >> leading).to_le()) };
        // SAFETY: as above.
        unsafe { self.skip(8 - leading as usize / 8) }
    }

    /// A number below 10^8 with all eight digits.
    ///
    /// # Safety
    /// There is room for eight bytes.
    #[inline(always)]
    unsafe fn eight(self, number: u32) -> Self {
        // SAFETY: as required of the caller.
        unsafe { self.put((digits(number) | ZEROS).to_le()) };
        // SAFETY: as above.
        unsafe { self.skip(8) }
    }

    /// # Safety
    /// There is room for `NUMBER` less three bytes.
    #[inline(always)]
    pub(super) unsafe fn unsigned(self, value: u64) -> Self {
        if value < 100_000_000 {
            // SAFETY: as required of the caller.
            return unsafe { self.short(value as u32) };
        }
        // SAFETY: as required of the caller.
        unsafe { self.long(value) }
    }

    /// # Safety
    /// As [`unsigned`](Self::unsigned), of a number of nine digits or more.
    #[inline(never)]
    unsafe fn long(self, value: u64) -> Self {
        let (above, eight) = (value / 100_000_000, (value % 100_000_000) as u32);
        // SAFETY: as required of the caller, as in the next three.
        let place = unsafe {
            if above < 100_000_000 {
                self.short(above as u32)
            } else {
                self.short((above / 100_000_000) as u32).eight((above % 100_000_000) as u32)
            }
        };
        // SAFETY: as above.
        unsafe { place.eight(eight) }
    }

    /// # Safety
    /// There is room for `NUMBER` less two bytes.
    #[inline(always)]
    pub(super) unsafe fn signed(self, value: i64) -> Self {
        // SAFETY: as required of the caller.
        unsafe { self.put(b'-') };
        // SAFETY: as above.
        unsafe { self.skip(usize::from(value < 0)).unsigned(value.unsigned_abs()) }
    }

    /// `number / 10^places`, with places up to eight and without zeros at its end.
    ///
    /// # Safety
    /// There is room for `NUMBER` less one byte.
    #[inline(always)]
    unsafe fn decimal(self, number: u64, places: u32) -> Self {
        let power = 10_u64.pow(places);
        let (whole, fraction) = (number / power, (number % power) as u32);
        // SAFETY: as required of the caller.
        let place = unsafe { self.unsigned(whole) };
        if fraction == 0 {
            return place;
        }
        let digits = digits(fraction * 10_u32.pow(8 - places));
        // SAFETY: as required of the caller.
        let place = unsafe { place.byte(b'.') };
        // SAFETY: as above.
        unsafe { place.put((digits | ZEROS).to_le()) };
        // SAFETY: as above.
        unsafe { place.skip(8 - digits.leading_zeros() as usize / 8) }
    }

    /// A `double` in the shortest form that is read as the same.
    ///
    /// Up to fifteen digits of a decimal come back from a `double`: if one of nine digits before the point and six behind
    /// it is read as this value, no other of so many digits is, and a shorter one would be one of them. Dividing by a power
    /// of ten is reading it, because both are exact, and division rounds once.
    ///
    /// # Safety
    /// There is room for `NUMBER`.
    #[inline(always)]
    pub(super) unsafe fn f64(self, value: f64) -> Self {
        let magnitude = value.abs();
        if (1e-3..1e9).contains(&magnitude) {
            let scaled = (magnitude * 1e6 + 0.5) as u64;
            if scaled as f64 / 1e6 == magnitude {
                // SAFETY: as required of the caller.
                let place = unsafe { self.sign(value.is_sign_negative()) };
                // SAFETY: as above.
                return unsafe { place.decimal(scaled, 6) };
            }
        }
        // SAFETY: as required of the caller.
        unsafe { self.any_f64(value) }
    }

    /// The same of a `float`, of which six digits come back.
    ///
    /// The quotient is rounded twice, but never to the middle between two values: it is too far from there unless it is
    /// that middle.
    ///
    /// # Safety
    /// There is room for `NUMBER`.
    #[inline(always)]
    pub(super) unsafe fn f32(self, value: f32) -> Self {
        let magnitude = value.abs();
        if (1e-3..1e3).contains(&magnitude) {
            let scaled = (f64::from(magnitude) * 1e3 + 0.5) as u64;
            if (scaled as f64 / 1e3) as f32 == magnitude {
                // SAFETY: as required of the caller.
                let place = unsafe { self.sign(value.is_sign_negative()) };
                // SAFETY: as above.
                return unsafe { place.decimal(scaled, 3) };
            }
        }
        // SAFETY: as required of the caller.
        unsafe { self.any_f32(value) }
    }

    /// # Safety
    /// There is room for a byte.
    #[inline(always)]
    unsafe fn sign(self, negative: bool) -> Self {
        // SAFETY: as required of the caller.
        unsafe { self.put(b'-') };
        // SAFETY: as above.
        unsafe { self.skip(usize::from(negative)) }
    }

    /// # Safety
    /// There is room for `NUMBER`.
    #[inline(never)]
    unsafe fn any_f64(self, value: f64) -> Self {
        let mut buffer = zmij::Buffer::new();
        let text = if value.is_finite() { buffer.format_finite(value) } else { not_finite(value) };
        // SAFETY: as required of the caller.
        unsafe { self.bytes(whole(text).as_bytes()) }
    }

    /// # Safety
    /// There is room for `NUMBER`.
    #[inline(never)]
    unsafe fn any_f32(self, value: f32) -> Self {
        let mut buffer = zmij::Buffer::new();
        let text = if value.is_finite() { buffer.format_finite(value) } else { not_finite(value.into()) };
        // SAFETY: as required of the caller.
        unsafe { self.bytes(whole(text).as_bytes()) }
    }
}

/// Without a fraction that is zero.
fn whole(text: &str) -> &str {
    text.strip_suffix(".0").unwrap_or(text)
}

fn not_finite(value: f64) -> &'static str {
    if value.is_nan() {
        "\"NaN\""
    } else if value > 0.0 {
        "\"Infinity\""
    } else {
        "\"-Infinity\""
    }
}

#[cfg(test)]
mod tests {
    use std::string::{String, ToString};
    use std::vec::Vec;
    use std::{format, vec};

    use super::*;

    /// What is written where there is room for `room` bytes.
    fn written(room: usize, write: impl FnOnce(Place) -> Place) -> String {
        let mut memory = vec![0_u8; room];
        let start = NonNull::new(memory.as_mut_ptr()).expect("a vector");
        let end = write(Place(start));
        memory.truncate(end.0.addr().get() - start.addr().get());
        String::from_utf8(memory).expect("text")
    }

    #[test]
    fn digits_of_all_numbers() {
        let (step, halves) = if cfg!(miri) { (1_000_003, 89) } else { (997, 1) };
        let halves = || (0..10_000).step_by(halves);
        for number in (0..100_000_000).step_by(step).chain(halves()).chain(halves().map(|high| high * 10_000)) {
            let text = digits(number).to_le_bytes().map(|digit| digit + b'0');
            assert_eq!(text, format!("{number:08}").as_bytes());
        }
    }

    #[test]
    fn numbers_of_all_lengths() {
        let mut numbers = vec![0, 1, 9, 10, u64::MAX, u64::MAX - 1];
        for power in 1..20 {
            let bound = 10u64.pow(power);
            numbers.extend([bound - 1, bound, bound + 1, bound + bound / 2, bound * (u64::MAX / bound).min(7)]);
        }
        numbers.extend((0..64).map(|bit| 1u64 << bit));
        for number in numbers {
            // SAFETY: room is made.
            assert_eq!(written(NUMBER - 3, |place| unsafe { place.unsigned(number) }), number.to_string());
            for signed in [number as i64, (number as i64).wrapping_neg()] {
                // SAFETY: room is made.
                assert_eq!(written(NUMBER - 2, |place| unsafe { place.signed(signed) }), signed.to_string());
            }
        }
    }

    #[test]
    fn floats_are_the_shortest_that_come_back() {
        let by_the_book = |value: f64| whole(zmij::Buffer::new().format_finite(value)).to_string();
        let by_the_book_32 = |value: f32| whole(zmij::Buffer::new().format_finite(value)).to_string();
        let mut values: Vec<f64> = vec![0.0, 0.1, 0.3, 1e-3, 9.99e-4, 1e9, 1e15, 1e16, 1e17, 1e300, 5e-324, 0.1 + 0.2];
        values.extend([999_999_999.999_999, 999_999_999.999_999_9, 0.001_000_1, 16_777_216.0, 16_777_217.0, 2.5e-3]);
        let mut state = 1_u64;
        for index in 0..if cfg!(miri) { 300 } else { 5_000 } {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let places = 10_f64.powi(index % 10);
            let whole = (state >> 20 >> (index % 40)) as f64;
            let bits = f64::from_bits(state);
            let near = f64::from_bits((whole / places).to_bits() + 1);
            values.extend([whole / places, near, f64::from(state as u32) / 65_536.0]);
            values.extend(bits.is_finite().then_some(bits));
        }
        for value in values.into_iter().flat_map(|value| [value, -value]) {
            // SAFETY: room is made.
            assert_eq!(written(NUMBER, |place| unsafe { place.f64(value) }), by_the_book(value));
            let value = value as f32;
            if value.is_finite() {
                // SAFETY: room is made.
                assert_eq!(written(NUMBER, |place| unsafe { place.f32(value) }), by_the_book_32(value));
            }
        }
        for (value, text) in [(f64::NAN, "\"NaN\""), (f64::INFINITY, "\"Infinity\""), (-1.0 / 0.0, "\"-Infinity\"")] {
            // SAFETY: room is made.
            assert_eq!(written(NUMBER, |place| unsafe { place.f64(value) }), text);
            // SAFETY: room is made.
            assert_eq!(written(NUMBER, |place| unsafe { place.f32(value as f32) }), text);
        }
    }

    #[test]
    fn strings_up_to_what_has_to_be_escaped() {
        for len in 0..40 {
            let plain: Vec<u8> = (0..len as u8).map(|index| b'a' + index % 26).collect();
            // SAFETY: room is made.
            let all = written(len + STRING, |place| unsafe { place.plain_string(&plain) }.0);
            assert_eq!(all.as_bytes(), [b"\"", &plain[..], b"\""].concat());
            for at in 0..len {
                for byte in [0, 0x1f, b'"', b'\\'] {
                    let mut bytes = plain.clone();
                    bytes[at] = byte;
                    // SAFETY: room is made.
                    let part = written(len + STRING, |place| unsafe { place.plain_string(&bytes) }.0);
                    assert_eq!(part.as_bytes(), [b"\"", &plain[..at]].concat());
                }
            }
        }
    }

    #[test]
    fn keys_of_all_lengths() {
        for len in 4..80_usize {
            let text: String = ('a'..='z').cycle().take(len.next_multiple_of(16)).collect();
            // SAFETY: room is made.
            assert_eq!(written(len + KEY, |place| unsafe { place.key((text.as_bytes(), len)) }), text[..len]);
        }
    }
}
