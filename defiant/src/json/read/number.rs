//! Numbers: <https://www.rfc-editor.org/rfc/rfc8259#section-6>.

use super::nearest::nearest;

/// A number of the grammar of JSON.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::json) struct Number<'a> {
    pub(in crate::json) text: &'a str,
    negative: bool,
    mantissa: u64,
    /// Of ten.
    exponent: i64,
    /// Whether it is `mantissa` times ten to the power of `exponent`, or has more digits.
    exact: bool,
}

impl<'a> Number<'a> {
    /// The number at the start of a text.
    #[inline]
    pub(in crate::json) fn parse(text: &'a str) -> Option<Self> {
        let bytes = text.as_bytes();
        let byte = |at: usize| bytes.get(at).copied().unwrap_or(0);
        let negative = byte(0) == b'-';
        let first = usize::from(negative);
        let (mut at, mut mantissa) = digits(bytes, first, 0);
        if at == first || (byte(first) == b'0' && at > first + 1) {
            return None;
        }
        let (mut count, mut exponent) = (at - first, 0i64);
        if byte(at) == b'.' {
            let fraction = at + 1;
            (at, mantissa) = digits(bytes, fraction, mantissa);
            if at == fraction {
                return None;
            }
            count += at - fraction;
            exponent = -((at - fraction) as i64);
        }
        let end = at;
        if byte(at) | 0x20 == b'e' {
            let power;
            (at, power) = power_of_ten(bytes, at + 1)?;
            exponent = exponent.saturating_add(power);
        }
        let text = text.get(..at)?;
        if count > 19 {
            return Some(Self::long(text, end, negative, exponent));
        }
        Some(Number { text, negative, mantissa, exponent, exact: true })
    }

    /// A number of many digits, which end at `end`; the exponent is that of its last digit.
    #[cold]
    #[inline(never)]
    fn long(text: &'a str, end: usize, negative: bool, mut exponent: i64) -> Self {
        let digits = text.as_bytes()[..end].iter().filter(|byte| byte.is_ascii_digit()).map(|byte| byte - b'0');
        let (mut mantissa, mut exact, mut left_out) = (0u64, true, 0);
        for digit in digits {
            let more = mantissa.checked_mul(10).and_then(|ten| ten.checked_add(digit.into()));
            match more.filter(|_| left_out == 0) {
                Some(more) => mantissa = more,
                // Zeros can be left out.
                None => {
                    left_out += 1;
                    exact &= digit == 0;
                }
            }
        }
        exponent = exponent.saturating_add(left_out);
        Number { text, negative, mantissa, exponent, exact }
    }

    /// The number if it is an integer, without its sign; and whether it is negative.
    pub(in crate::json) fn integer(&self) -> Option<(u64, bool)> {
        let Number { mut mantissa, mut exponent, negative, exact, .. } = *self;
        if !exact {
            return None;
        }
        if mantissa == 0 {
            return Some((0, negative));
        }
        while exponent < 0 {
            if mantissa % 10 != 0 {
                return None;
            }
            mantissa /= 10;
            exponent += 1;
        }
        let power = 10u64.checked_pow(u32::try_from(exponent).ok()?)?;
        Some((mantissa.checked_mul(power)?, negative))
    }

    /// The nearest number, if it is finite.
    pub(in crate::json) fn f64(&self) -> Option<f64> {
        if let Some(value) = if self.exact { nearest(self.mantissa, self.exponent) } else { None } {
            return Some(if self.negative { -value } else { value });
        }
        self.text.parse().ok().filter(|value: &f64| value.is_finite())
    }

    /// The same of 32 bits.
    pub(in crate::json) fn f32(&self) -> Option<f32> {
        const POWERS: [f32; 11] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10];
        let power = POWERS.get(usize::try_from(self.exponent.unsigned_abs()).unwrap_or(POWERS.len()));
        if let (true, Some(power)) = (self.exact && self.mantissa <= 1 << 24, power) {
            let mantissa = self.mantissa as f32;
            let value = if self.exponent < 0 { mantissa / power } else { mantissa * power };
            return Some(if self.negative { -value } else { value });
        }
        self.text.parse().ok().filter(|value: &f32| value.is_finite())
    }
}

/// Reads digits from `at` on behind those that a value has: where they end, and the value, modulo 2^64.
#[inline(always)]
fn digits(bytes: &[u8], mut at: usize, mut value: u64) -> (usize, u64) {
    while let Some(eight) = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        let Some(number) = eight_digits(u64::from_le_bytes(*eight)) else { break };
        value = value.wrapping_mul(100_000_000).wrapping_add(number);
        at += 8;
    }
    while let Some(digit) = bytes.get(at).map(|byte| byte.wrapping_sub(b'0')).filter(|digit| *digit < 10) {
        value = value.wrapping_mul(10).wrapping_add(digit.into());
        at += 1;
    }
    (at, value)
}

/// What eight digits stand for, the first in the lowest byte; `None` if they are not all digits.
#[inline(always)]
fn eight_digits(word: u64) -> Option<u64> {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    // A digit is 0x30 and less than ten, so neither it nor it with six more has other high bits.
    let high = (word | word.wrapping_add(ONES * 6)) & (ONES * 0xf0);
    if high != ONES * 0x30 || word & (ONES * 0xf0) != ONES * 0x30 {
        return None;
    }
    // Pairs, fours, eight.
    let word = word & (ONES * 0xf);
    let pairs = (word.wrapping_mul(10).wrapping_add(word >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul(100).wrapping_add(pairs >> 16)) & 0x0000_ffff_0000_ffff;
    Some((fours.wrapping_mul(10_000).wrapping_add(fours >> 32)) & 0xffff_ffff)
}

/// The exponent that begins at `at`, and where it ends.
fn power_of_ten(bytes: &[u8], at: usize) -> Option<(usize, i64)> {
    let sign = bytes.get(at).copied().unwrap_or(0);
    let first = at + usize::from(matches!(sign, b'+' | b'-'));
    let digits = bytes.get(first..).unwrap_or_default().iter().take_while(|byte| byte.is_ascii_digit());
    let (mut power, mut end) = (0i64, first);
    for digit in digits {
        power = power.saturating_mul(10).saturating_add(i64::from(digit - b'0'));
        end += 1;
    }
    (end > first).then_some((end, if sign == b'-' { -power } else { power }))
}

/// An integer of up to eighteen digits without point and exponent: its digits' value, whether it is negative, and how
/// many bytes it takes.
#[inline]
pub(super) fn short_integer(bytes: &[u8]) -> Option<(u64, bool, usize)> {
    let negative = bytes.first() == Some(&b'-');
    let first = usize::from(negative);
    let (mut at, mut value) = (first, 0u64);
    while let Some(digit) = bytes.get(at).map(|byte| byte.wrapping_sub(b'0')).filter(|digit| *digit < 10) {
        value = value.wrapping_mul(10).wrapping_add(digit.into());
        at += 1;
    }
    let digits = at - first;
    let zero_first = digits > 1 && bytes.get(first) == Some(&b'0');
    let more = bytes.get(at).is_some_and(|byte| matches!(byte, b'.' | b'e' | b'E'));
    (digits > 0 && digits <= 18 && !zero_first && !more).then_some((value, negative, at))
}

#[cfg(test)]
mod tests {
    use std::format;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_grammar() {
        for text in
            ["0", "-0", "1", "-1", "10", "1.5", "0.0", "1e5", "1E+5", "1e-5", "0e0", "1.5e999999999999999999999"]
        {
            assert_eq!(Number::parse(text).map(|number| number.text), Some(text));
            assert_eq!(Number::parse(&format!("{text}, 5")).map(|number| number.text), Some(text));
        }
        for text in
            ["", "-", "+1", "01", "-01", "00", ".5", "1.", "1.e5", "1e", "1e+", "e5", "NaN", "Infinity", " 1", "x"]
        {
            assert_eq!(Number::parse(text), None, "{text}");
        }
    }

    #[test]
    fn eight_digits_and_nothing_else() {
        assert_eq!(eight_digits(u64::from_le_bytes(*b"12345678")), Some(12_345_678));
        for at in 0..8 {
            for byte in 0..=255u8 {
                let mut text = *b"90817263";
                text[at] = byte;
                let expected = std::str::from_utf8(&text).ok().filter(|_| byte.is_ascii_digit());
                let expected = expected.and_then(|text| text.parse().ok());
                assert_eq!(eight_digits(u64::from_le_bytes(text)), expected);
            }
        }
    }

    #[test]
    fn integers() {
        for (text, expected) in [
            ("0", Some((0, false))),
            ("-0", Some((0, true))),
            ("0.000", Some((0, false))),
            ("0e99999999999999999999", Some((0, false))),
            ("100000.000", Some((100_000, false))),
            ("1e5", Some((100_000, false))),
            ("1.5e1", Some((15, false))),
            ("-2.147483648e9", Some((2_147_483_648, true))),
            ("18446744073709551615", Some((u64::MAX, false))),
            ("18446744073709551615.000000", Some((u64::MAX, false))),
            ("1844674407370955161.50e1", Some((u64::MAX, false))),
            ("1000000000000000000000000000000000e-30", Some((1000, false))),
            ("1.000000000000000000000000000000000000", Some((1, false))),
            ("18446744073709551616", None),
            ("99999999999999999999999999", None),
            ("1e20", None),
            ("1e99999999999999999999", None),
            ("1e-99999999999999999999", None),
            ("0.5", None),
            ("1.5", None),
            ("1.00000000000000000000000000000000001", None),
            ("1000000000000000000000000000000000000001e-30", None),
        ] {
            assert_eq!(Number::parse(text).expect("a number").integer(), expected, "{text}");
        }
    }

    #[test]
    fn floats_at_their_bounds() {
        for (text, double, float) in [
            ("1.7976931348623157e308", Some(f64::MAX), None),
            ("1.7976931348623159e308", None, None),
            ("-1e309", None, None),
            ("3.4028235e38", Some(3.4028235e38), Some(f32::MAX)),
            ("3.4028236e38", Some(3.4028236e38), None),
            ("4.9e-324", Some(4.9e-324), Some(0.0)),
            ("1e-999999", Some(0.0), Some(0.0)),
            ("0e999999", Some(0.0), Some(0.0)),
            // Exponents beyond 64 bits.
            ("1e99999999999999999999", None, None),
            ("1e-99999999999999999999", Some(0.0), Some(0.0)),
            ("0e99999999999999999999", Some(0.0), Some(0.0)),
            ("12345678901234567890123e99999999999999999999", None, None),
            ("16777217", Some(16_777_217.0), Some(16_777_216.0)),
            ("9007199254740993", Some(9_007_199_254_740_992.0), Some(9_007_199_254_740_992.0)),
        ] {
            let number = Number::parse(text).expect("a number");
            assert_eq!((number.f64(), number.f32()), (double, float), "{text}");
        }
        assert!(Number::parse("-0").and_then(|zero| zero.f64()).is_some_and(|zero| zero.is_sign_negative()));
    }

    proptest! {
        #[test]
        fn agrees_with_the_standard_library(text in "-?(0|[1-9][0-9]{0,24})(\\.[0-9]{1,24})?([eE][-+]?[0-9]{1,3})?") {
            let number = Number::parse(&text).expect("a number");
            prop_assert_eq!(number.text, &text);
            let double: f64 = text.parse().expect("a number");
            prop_assert_eq!(number.f64().map(f64::to_bits), double.is_finite().then_some(double.to_bits()));
            let float: f32 = text.parse().expect("a number");
            prop_assert_eq!(number.f32().map(f32::to_bits), float.is_finite().then_some(float.to_bits()));
        }

        #[test]
        fn integers_in_any_form(value: u64, zeros in 0..25usize, shift in 0..20usize) {
            let digits = format!("{value}");
            let cut = digits.len().saturating_sub(shift).max(1);
            let fraction = &digits[cut..];
            let zeros = "0".repeat(zeros);
            let text = format!("{}.{}{zeros}0e{}", &digits[..cut], fraction, fraction.len());
            prop_assert_eq!(Number::parse(&text).and_then(|number| number.integer()), Some((value, false)), "{}", text);
        }

        #[test]
        fn short_integers_agree(text in "-?[0-9]{0,20}[.e,]?[0-9]?") {
            if let Some((value, negative, len)) = short_integer(text.as_bytes()) {
                let number = Number::parse(&text).expect("a number");
                prop_assert_eq!((number.integer(), number.text.len()), (Some((value, negative)), len));
            }
        }

        #[test]
        fn never_panics(text in r"-?[0-9]{1,25}(\.[0-9]{1,25})?([eE][+-]?[0-9]{1,25})?|\PC*") {
            let _ = Number::parse(&text).map(|number| (number.integer(), number.f64(), number.f32()));
        }
    }
}
