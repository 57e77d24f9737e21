//! Base64: <https://www.rfc-editor.org/rfc/rfc4648>.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Two digits for each twelve bits.
const PAIRS: [[u8; 2]; 4096] = {
    let mut pairs = [[0; 2]; 4096];
    let mut index = 0;
    while index < 4096 {
        pairs[index] = [ALPHABET[index >> 6], ALPHABET[index & 63]];
        index += 1;
    }
    pairs
};

const NO_DIGIT: u8 = 0xff;

/// What a byte of the standard alphabet or of the one for URLs stands for.
const DIGITS: [u8; 256] = {
    let mut digits = [NO_DIGIT; 256];
    let mut index = 0;
    while index < 64 {
        digits[ALPHABET[index] as usize] = index as u8;
        index += 1;
    }
    digits[b'-' as usize] = 62;
    digits[b'_' as usize] = 63;
    digits
};

/// Bytes of the text, padding included.
pub(super) fn encoded_len(len: usize) -> usize {
    len.div_ceil(3) * 4
}

/// Writes the text to the front of `out`, which has room for it; its length.
pub(super) fn encode(bytes: &[u8], out: &mut [u8]) -> usize {
    let len = encoded_len(bytes.len());
    let groups = bytes.chunks_exact(3);
    let rest = groups.remainder();
    let mut digits = out.chunks_exact_mut(4);
    for (group, digits) in groups.zip(&mut digits) {
        let bits = usize::from(group[0]) << 16 | usize::from(group[1]) << 8 | usize::from(group[2]);
        digits[..2].copy_from_slice(&PAIRS[bits >> 12]);
        digits[2..].copy_from_slice(&PAIRS[bits & 0xfff]);
    }
    if let (false, Some(digits)) = (rest.is_empty(), out.get_mut(len.saturating_sub(4)..len)) {
        let second = rest.get(1).copied().unwrap_or(0);
        let bits = usize::from(rest[0]) << 16 | usize::from(second) << 8;
        digits[..2].copy_from_slice(&PAIRS[bits >> 12]);
        digits[2..].copy_from_slice(&PAIRS[bits & 0xfff]);
        digits[3] = b'=';
        if rest.len() == 1 {
            digits[2] = b'=';
        }
    }
    len
}

/// The part before the padding, if there is none or as much as there has to be.
pub(super) fn without_padding(text: &[u8]) -> Option<&[u8]> {
    let digits = match text {
        [digits @ .., b'=', b'='] | [digits @ .., b'='] => digits,
        _ => return (text.len() % 4 != 1).then_some(text),
    };
    (text.len() % 4 == 0).then_some(digits)
}

/// Bytes that so many digits stand for.
pub(super) fn decoded_len(digits: usize) -> usize {
    digits / 4 * 3 + (digits % 4 * 3) / 4
}

/// Writes what digits stand for to `out`, of the length that [`decoded_len`] says; `None` when one is no digit. Bits that are
/// left over may be set.
pub(super) fn decode(digits: &[u8], out: &mut [u8]) -> Option<()> {
    let mut groups = digits.chunks_exact(4);
    let mut bytes = out.chunks_exact_mut(3);
    let mut wrong = 0;
    for (group, bytes) in (&mut groups).zip(&mut bytes) {
        let [a, b, c, d] = [0, 1, 2, 3].map(|index| DIGITS[usize::from(group[index])]);
        wrong |= a | b | c | d;
        let bits = u32::from(a) << 18 | u32::from(b) << 12 | u32::from(c) << 6 | u32::from(d);
        bytes.copy_from_slice(&bits.to_be_bytes()[1..]);
    }
    let mut bits = 0;
    for (index, digit) in groups.remainder().iter().enumerate() {
        let digit = DIGITS[usize::from(*digit)];
        wrong |= digit;
        bits |= u32::from(digit) << (18 - 6 * index);
    }
    for (byte, value) in bytes.into_remainder().iter_mut().zip(&bits.to_be_bytes()[1..]) {
        *byte = *value;
    }
    // The highest bit is set in what is no digit only.
    (wrong < 0x80).then_some(())
}

#[cfg(test)]
mod tests {
    use std::vec;
    use std::vec::Vec;

    use super::*;

    fn encoded(bytes: &[u8]) -> Vec<u8> {
        let mut out = vec![0; encoded_len(bytes.len())];
        assert_eq!(encode(bytes, &mut out), out.len());
        out
    }

    fn decoded(text: &[u8]) -> Option<Vec<u8>> {
        let digits = without_padding(text)?;
        let mut out = vec![0; decoded_len(digits.len())];
        decode(digits, &mut out)?;
        Some(out)
    }

    #[test]
    fn the_examples_of_the_rfc() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(encoded(bytes.as_bytes()), text.as_bytes());
            assert_eq!(decoded(text.as_bytes()).as_deref(), Some(bytes.as_bytes()));
            assert_eq!(decoded(text.trim_end_matches('=').as_bytes()).as_deref(), Some(bytes.as_bytes()));
        }
    }

    #[test]
    fn both_alphabets_and_nothing_else() {
        assert_eq!(decoded(b"-_+/"), decoded(b"+/-_"));
        assert_eq!(decoded(b"-_"), Some(vec![0xfb]));
        for text in ["=", "A", "A=", "A===", "AA=", "AAA==", "AAAA=", "AA==AA==", "A A=", "AA\n=", "AAAAA", "====", "é"]
        {
            assert_eq!(decoded(text.as_bytes()), None, "{text}");
        }
        for byte in 0..=255u8 {
            let known = byte.is_ascii_alphanumeric() || b"+/-_".contains(&byte);
            for at in 0..4 {
                let mut text = *b"AAAAAAAA";
                text[at + 4] = byte;
                let padding = byte == b'=' && at == 3;
                assert_eq!(decoded(&text).is_some(), known || padding, "{byte} at {at}");
            }
        }
    }

    #[test]
    fn every_length_comes_back() {
        let bytes: Vec<u8> = (0..=255).cycle().take(600).collect();
        for len in (0..bytes.len()).step_by(if cfg!(miri) { 17 } else { 1 }) {
            assert_eq!(decoded(&encoded(&bytes[..len])).as_deref(), Some(&bytes[..len]));
        }
    }
}
