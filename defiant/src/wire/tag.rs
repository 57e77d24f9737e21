//! Tags: a field number and a wire type in one varint.

use super::varint;

/// Wire types, the low three bits of a tag.
///
/// Source: <https://protobuf.dev/programming-guides/encoding/#structure>.
pub(crate) mod wire_type {
    pub(crate) const VARINT: u32 = 0;
    pub(crate) const FIXED64: u32 = 1;
    pub(crate) const LENGTH_DELIMITED: u32 = 2;
    pub(crate) const START_GROUP: u32 = 3;
    pub(crate) const END_GROUP: u32 = 4;
    pub(crate) const FIXED32: u32 = 5;
}

/// The greatest field number.
pub(crate) const MAX_NUMBER: u32 = (1 << 29) - 1;

/// Bytes of the varint that encodes `tag`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) const fn tag_len(tag: u32) -> usize {
    varint::len(tag as u64)
}

/// The *key* of a tag: the bytes that encode it, read as a little-endian number. Decode functions match on keys, which
/// costs no arithmetic to get from the wire. The low three bits are the wire type, as in the tag.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) const fn key(tag: u32) -> u64 {
    let mut key = 0;
    let mut rest = tag;
    let mut shift = 0;
    while rest >= 0x80 {
        key |= ((rest & 0x7f) as u64 | 0x80) << shift;
        rest >>= 7;
        shift += 8;
    }
    key | (rest as u64) << shift
}

/// The tag of a key.
#[inline]
pub(crate) const fn tag_of(key: u64) -> u32 {
    let mut tag = 0;
    let mut index = 0;
    while index < 5 {
        tag |= ((key >> (8 * index)) as u32 & 0x7f) << (7 * index);
        index += 1;
    }
    tag
}

/// Whether the first two bytes of a tag, or the one byte that it has, are its whole key: it has no third byte, and no
/// byte more than it needs. A longer key is one that was put together from all of its bytes.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) const fn is_whole(key: u64) -> bool {
    key < 0x80 || (key >= 0x100 && key < 0x8000) || key > 0xffff
}

/// The number of the last field that begins in the first `len` bytes, those of a message, of the rest of the input; 0 if
/// there is none.
///
/// A tag that is cut off by the message's end goes on behind it, as it does for a reader: with what follows in the input, or
/// with the slack's zeros.
#[cold]
pub(crate) fn last_number(mut bytes: &[u8], len: usize) -> u32 {
    let mut last = 0;
    let mut groups = 0u32;
    let end = bytes.len().saturating_sub(len);
    while bytes.len() > end {
        let (behind, tag) = match varint::checked(bytes) {
            Some(read) => read,
            None if bytes.len() < 10 => {
                let bits = bytes.iter().rev().fold(0u64, |bits, byte| bits << 7 | u64::from(byte & 0x7f));
                (bytes.len(), bits)
            }
            None => break,
        };
        let rest = bytes.get(behind..).unwrap_or(&[]);
        let tag = tag as u32;
        if groups == 0 {
            last = tag >> 3;
        }
        let len = match tag & 7 {
            wire_type::VARINT => varint::checked(rest).map_or(rest.len(), |(len, _)| len),
            wire_type::FIXED64 => 8,
            wire_type::FIXED32 => 4,
            wire_type::LENGTH_DELIMITED => {
                let body =
                    varint::checked(rest).and_then(|(behind, len)| behind.checked_add(usize::try_from(len).ok()?));
                body.unwrap_or(rest.len())
            }
            wire_type::START_GROUP => {
                groups += 1;
                0
            }
            _ => {
                groups = groups.saturating_sub(1);
                0
            }
        };
        bytes = rest.get(len..).unwrap_or(&[]);
    }
    last
}

/// The encoding of a tag as a little-endian word, to compare with four bytes of the wire at once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TagBytes {
    word: u32,
    mask: u32,
    pub(crate) len: usize,
}

impl TagBytes {
    /// Tags of five bytes (field numbers from 2^25) never match: their runs are read one by one.
    #[inline]
    pub(crate) const fn new(tag: u32) -> Self {
        let len = tag_len(tag);
        if len > 4 {
            return TagBytes { word: 1, mask: 0, len };
        }
        let mut word = 0;
        let mut index = 0;
        while index < len {
            let more = if index + 1 < len { 0x80 } else { 0 };
            word |= (((tag >> (7 * index)) & 0x7f) | more) << (8 * index);
            index += 1;
        }
        let mask = if len == 4 { u32::MAX } else { (1 << (8 * len)) - 1 };
        TagBytes { word, mask, len }
    }

    /// Whether the four bytes `found` begin with this tag.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) const fn matches(self, found: u32) -> bool {
        found & self.mask == self.word
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_recognised() {
        for (tag, bytes) in [
            (8u32, [0x08, 0xff, 0xff, 0xff]),
            (127, [0x7f, 0, 0, 0]),
            (2240, [0xc0, 0x11, 0xaa, 0xbb]),
            (16384, [0x80, 0x80, 0x01, 0xff]),
            (1 << 21, [0x80, 0x80, 0x80, 0x01]),
        ] {
            assert!(TagBytes::new(tag).matches(u32::from_le_bytes(bytes)), "{tag}");
            assert!(!TagBytes::new(tag ^ 1).matches(u32::from_le_bytes(bytes)), "{tag}");
        }
    }

    #[test]
    fn the_last_number_is_that_of_the_last_field_that_begins() {
        let fields = [0x08, 0x96, 0x01, 0x13, 0x18, 0x01, 0x14, 0x22, 0x02, 0x28, 0x28, 0x35, 0, 0, 0, 0, 0x39, 1];
        // Up to how many bytes, and its number: a group's fields are not the message's.
        for (len, number) in
            [(0, 0), (1, 1), (3, 1), (4, 2), (7, 2), (8, 4), (11, 4), (12, 6), (16, 6), (17, 7), (18, 7)]
        {
            assert_eq!(last_number(&fields[..len], len), number, "{len}");
        }
        assert_eq!(last_number(&[0x08, 0x01, 0x90, 0x80], 4), 2, "a tag that is cut off");
        assert_eq!(last_number(&[0x08, 0x01, 0x90, 0x01], 3), 18, "one that goes on behind the message");
        assert_eq!(last_number(&[0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01], 11), 2);
    }

    #[test]
    fn keys_are_encodings() {
        for tag in [1u32, 8, 127, 128, 2240, 16383, 16384, 1 << 20, 1 << 21, 1 << 27, 1 << 28, u32::MAX] {
            let mut book = 0u64;
            let (mut rest, mut shift) = (tag, 0);
            while rest >= 0x80 {
                book += u64::from(rest as u8 | 0x80) << shift;
                (rest, shift) = (rest >> 7, shift + 8);
            }
            book += u64::from(rest) << shift;
            assert_eq!(key(tag), book, "{tag}");
            assert_eq!(tag_of(key(tag)), tag);
            assert_eq!(key(tag) & 7, u64::from(tag & 7));
            assert!(is_whole(key(tag)));
        }
        // A third byte follows, or the second was not needed.
        for part in [0x8080u64, 0xffff, 0x0080, 0x00ff] {
            assert!(!is_whole(part), "{part:x}");
        }
    }

    #[test]
    fn five_byte_tags_never_match() {
        let tag = TagBytes::new(u32::MAX);
        assert!(!tag.matches(u32::MAX) && !tag.matches(0) && !tag.matches(1));
    }
}
