//! The double nearest to a decimal number of up to nineteen digits: the algorithm of Eisel and Lemire, for the exponents that
//! numbers in JSON usually have.
//!
//! Source: Daniel Lemire, Number Parsing at a Gigabyte per Second, <https://arxiv.org/abs/2101.11408>.

/// The exponents of ten that there are powers for.
const FIRST: i64 = -27;
const LAST: i64 = 27;

/// The highest 128 bits of five to the power of each exponent, the first of them set; of negative ones rounded up.
const POWERS: [u128; (LAST - FIRST + 1) as usize] = {
    let mut powers = [0; (LAST - FIRST + 1) as usize];
    let mut exponent = FIRST;
    while exponent <= LAST {
        let five = 5u128.pow(exponent.unsigned_abs() as u32);
        powers[(exponent - FIRST) as usize] =
            if exponent >= 0 { five << five.leading_zeros() } else { reciprocal(five) };
        exponent += 1;
    }
    powers
};

/// The highest 128 bits of one divided by a number below 2^64, rounded up.
const fn reciprocal(number: u128) -> u128 {
    let (mut quotient, mut rest, mut bits) = (0u128, 1u128, 0);
    while bits < 128 {
        rest <<= 1;
        quotient <<= 1;
        if rest >= number {
            rest -= number;
            quotient |= 1;
        }
        // Leading zeros do not count.
        if quotient != 0 {
            bits += 1;
        }
    }
    // Of one itself the quotient would be one bit longer, but there is no need of that one.
    quotient + 1
}

/// The double nearest to `mantissa` times ten to the power of `exponent`, if this algorithm finds it.
#[inline]
pub(super) fn nearest(mantissa: u64, exponent: i64) -> Option<f64> {
    if mantissa == 0 {
        return Some(0.0);
    }
    let five = *POWERS.get(usize::try_from(exponent.checked_sub(FIRST)?).ok()?)?;
    let shift = mantissa.leading_zeros();
    let normal = u128::from(mantissa << shift);
    let mut product = normal * (five >> 64);
    // Nine bits below the 55 that count are all set: then the rest of the power counts, too.
    if (product >> 64) & 0x1ff == 0x1ff {
        product = product.wrapping_add((normal * (five & u128::from(u64::MAX))) >> 64);
    }
    let (high, low) = ((product >> 64) as u64, product as u64);
    let upper = (high >> 63) as u32;
    let cut = upper + 64 - 55;
    let mut bits = high >> cut;
    // Halfway between two doubles, exactly: to the even one.
    if low <= 1 && (-4..=23).contains(&exponent) && bits & 3 == 1 && bits << cut == high {
        bits &= !1;
    }
    bits = (bits + (bits & 1)) >> 1;
    // Of the bits' lowest place, from that of the smallest double.
    let mut place = ((exponent * 217_706) >> 16) + 63 + i64::from(upper) - i64::from(shift) + 1023;
    if bits >= 1 << 53 {
        bits = 1 << 52;
        place += 1;
    }
    // Far from the bounds with such exponents.
    Some(f64::from_bits((bits & !(1 << 52)) | (place as u64) << 52))
}

#[cfg(test)]
mod tests {
    use std::format;

    use proptest::prelude::*;

    use super::*;

    fn agrees(mantissa: u64, exponent: i64) {
        let expected: f64 = format!("{mantissa}e{exponent}").parse().expect("a number");
        if let Some(found) = nearest(mantissa, exponent) {
            assert_eq!(found.to_bits(), expected.to_bits(), "{mantissa}e{exponent}");
        }
    }

    #[test]
    fn at_the_bounds() {
        for exponent in FIRST - 1..=LAST + 1 {
            for mantissa in [0, 1, 2, 3, 5, 10, u64::MAX, u64::MAX - 1, 1 << 63, (1 << 53) - 1, 1 << 53] {
                agrees(mantissa, exponent);
            }
            for shift in 0..11 {
                // Halfway between two doubles, and next to it.
                for more in [0, 1, 2] {
                    agrees((((1 << 54) - 3) << shift) + more - 1, exponent);
                    agrees((((1 << 53) + 1) << shift) + more - 1, exponent);
                }
            }
        }
        assert!(nearest(1, FIRST).is_some() && nearest(1, LAST).is_some());
        for exponent in [i64::MIN, FIRST - 1, LAST + 1, i64::MAX] {
            assert_eq!(nearest(1, exponent), None);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 8 } else { 20_000 }))]

        #[test]
        fn agrees_with_the_standard_library(mantissa: u64, shift in 0..64, exponent in FIRST..=LAST) {
            agrees(mantissa >> shift, exponent);
        }

        #[test]
        fn agrees_halfway(odd in (1u64 << 52)..(1 << 53), five in 0u32..5, more in 0u64..3) {
            // An odd number of 54 bits, times a power of five, divided by that of ten.
            if let Some(mantissa) = (2 * odd + 1).checked_mul(5u64.pow(five)).and_then(|m| m.checked_add(more)) {
                agrees(mantissa, -i64::from(five));
                agrees(mantissa, 0);
            }
        }

        #[test]
        fn doubles_come_back(value in prop::num::f64::NORMAL) {
            let text = format!("{value:e}");
            let (digits, exponent) = text.trim_start_matches('-').split_once('e').expect("with an exponent");
            let places = digits.split_once('.').map_or(0, |digits| digits.1.len() as i64);
            let mantissa: u64 = digits.replace('.', "").parse().expect("digits");
            let exponent = exponent.parse::<i64>().expect("an exponent") - places;
            agrees(mantissa, exponent);
            agrees(mantissa, exponent.rem_euclid(LAST - FIRST + 1) + FIRST);
        }
    }
}
