//! Tags: a field number and a wire type in one varint.

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
#[inline(always)]
pub(crate) const fn tag_len(tag: u32) -> usize {
    super::varint::len(tag as u64)
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
    #[inline(always)]
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
    fn five_byte_tags_never_match() {
        let tag = TagBytes::new(u32::MAX);
        assert!(!tag.matches(u32::MAX) && !tag.matches(0) && !tag.matches(1));
    }
}
