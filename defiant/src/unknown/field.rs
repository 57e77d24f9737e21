//! The unknown fields one by one.

use core::fmt;

use alloc::vec::Vec;

use super::UnknownFields;
use crate::wire::tag::wire_type;

/// One unknown field: its number and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownField<'arena> {
    /// The field number.
    pub number: u32,
    /// The value, with its wire type.
    pub value: UnknownValue<'arena>,
}

/// What the wire says of a value whose type is not known: its wire type and its bits.
///
/// Source: <https://protobuf.dev/programming-guides/encoding/#structure>.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnknownValue<'arena> {
    /// Wire type 0: an integer, a `bool` or an enum.
    Varint(u64),
    /// Wire type 1: eight bytes, little-endian.
    Fixed64(u64),
    /// Wire type 2: a string, bytes, a message or packed values.
    LengthDelimited(&'arena [u8]),
    /// Wire types 3 and 4: the fields between the start and the end of a group.
    Group(UnknownGroup<'arena>),
    /// Wire type 5: four bytes, little-endian.
    Fixed32(u32),
}

impl UnknownValue<'_> {
    /// The number of the wire type; of a group, that of its start.
    pub(crate) fn wire_type(&self) -> u32 {
        match self {
            UnknownValue::Varint(_) => wire_type::VARINT,
            UnknownValue::Fixed64(_) => wire_type::FIXED64,
            UnknownValue::LengthDelimited(_) => wire_type::LENGTH_DELIMITED,
            UnknownValue::Group(_) => wire_type::START_GROUP,
            UnknownValue::Fixed32(_) => wire_type::FIXED32,
        }
    }
}

/// The fields of a group that the message does not know.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct UnknownGroup<'arena> {
    /// Whole fields, without the tags around the group.
    content: &'arena [u8],
}

impl<'arena> UnknownGroup<'arena> {
    /// A group of the given fields.
    ///
    /// # Panics
    /// When memory or the arena's limit is exhausted.
    #[must_use]
    pub fn new(fields: &UnknownFields<'_>, arena: &'arena crate::Arena) -> Self {
        let mut content = arena.vec_with_capacity(fields.byte_len());
        for span in fields.spans() {
            content.extend_from_slice(span);
        }
        UnknownGroup { content: content.into_slice() }
    }

    /// The fields, in the order of the wire.
    pub fn iter(&self) -> impl Iterator<Item = UnknownField<'arena>> + use<'arena> {
        Records::new(self.content).map(|record| record.field)
    }

    /// The fields as they stand on the wire, without the tags around them.
    #[must_use]
    pub fn as_bytes(&self) -> &'arena [u8] {
        self.content
    }
}

impl fmt::Debug for UnknownGroup<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// A field and the bytes it takes, its tag included.
#[derive(Clone, Copy)]
pub(crate) struct Record<'arena> {
    pub(crate) field: UnknownField<'arena>,
    pub(crate) bytes: &'arena [u8],
}

/// The fields of one span.
///
/// A span holds whole fields that a decoder checked or an encoder wrote, so the end of the bytes is the only way to end;
/// should it be otherwise, the iterator ends early.
#[derive(Clone)]
pub(crate) struct Records<'arena> {
    rest: &'arena [u8],
}

impl<'arena> Records<'arena> {
    pub(crate) fn new(span: &'arena [u8]) -> Self {
        Records { rest: span }
    }

    /// Whether bytes are whole fields and nothing else.
    pub(crate) fn are_all_of(bytes: &[u8]) -> bool {
        let mut records = Records::new(bytes);
        records.by_ref().for_each(drop);
        records.rest.is_empty()
    }
}

impl<'arena> Iterator for Records<'arena> {
    type Item = Record<'arena>;

    fn next(&mut self) -> Option<Record<'arena>> {
        let (field, rest) = field(self.rest)?;
        let bytes = self.rest.get(..self.rest.len().saturating_sub(rest.len()))?;
        self.rest = rest;
        Some(Record { field, bytes })
    }
}

/// A field at the start of the bytes, and what is behind it.
fn field(bytes: &[u8]) -> Option<(UnknownField<'_>, &[u8])> {
    let (tag, rest) = varint(bytes)?;
    let number = u32::try_from(tag >> 3).ok()?;
    let (value, rest) = match tag as u32 & 7 {
        wire_type::VARINT => {
            let (value, rest) = varint(rest)?;
            (UnknownValue::Varint(value), rest)
        }
        wire_type::FIXED64 => {
            let (value, rest) = rest.split_first_chunk()?;
            (UnknownValue::Fixed64(u64::from_le_bytes(*value)), rest)
        }
        wire_type::FIXED32 => {
            let (value, rest) = rest.split_first_chunk()?;
            (UnknownValue::Fixed32(u32::from_le_bytes(*value)), rest)
        }
        wire_type::LENGTH_DELIMITED => {
            let (value, rest) = delimited(rest)?;
            (UnknownValue::LengthDelimited(value), rest)
        }
        wire_type::START_GROUP => {
            let (content, rest) = group(rest)?;
            (UnknownValue::Group(UnknownGroup { content }), rest)
        }
        _ => return None,
    };
    Some((UnknownField { number, value }, rest))
}

/// A length and so many bytes, and what is behind them.
fn delimited(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (len, rest) = varint(bytes)?;
    rest.split_at_checked(usize::try_from(len).ok()?)
}

/// What is before the end of the group that began before the bytes, and what is behind it.
///
/// Groups inside are counted, not entered: however deep they are, the stack stays as it is.
fn group(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut depth = 0usize;
    let mut rest = bytes;
    loop {
        let at = rest;
        let tag;
        (tag, rest) = varint(rest)?;
        rest = match tag as u32 & 7 {
            wire_type::VARINT => varint(rest)?.1,
            wire_type::FIXED64 => rest.get(8..)?,
            wire_type::FIXED32 => rest.get(4..)?,
            wire_type::LENGTH_DELIMITED => delimited(rest)?.1,
            wire_type::START_GROUP => {
                depth += 1;
                rest
            }
            wire_type::END_GROUP if depth == 0 => {
                return Some((bytes.get(..bytes.len().saturating_sub(at.len()))?, rest));
            }
            wire_type::END_GROUP => {
                depth -= 1;
                rest
            }
            _ => return None,
        };
    }
}

/// A varint of at most ten bytes, and what is behind it.
fn varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut value = 0u64;
    for (index, &byte) in bytes.iter().enumerate().take(10) {
        value |= u64::from(byte & 0x7f) << (7 * index);
        if byte < 0x80 {
            return Some((value, bytes.get(index + 1..)?));
        }
    }
    None
}

/// Spans that are put into order without the heap; there are seldom more.
const FEW: usize = 8;

/// The spans from the first to the last; they are linked the other way round.
#[derive(Clone)]
pub(super) struct Spans<'arena> {
    few: [&'arena [u8]; FEW],
    /// All of them, once they are more than `FEW`.
    many: Vec<&'arena [u8]>,
    next: usize,
    len: usize,
}

impl<'arena> Spans<'arena> {
    pub(super) fn new(fields: &UnknownFields<'arena>) -> Self {
        let len = fields.backward().count();
        let mut spans = Spans { few: [&[]; FEW], many: Vec::new(), next: 0, len };
        let list = if len <= FEW {
            &mut spans.few[..len]
        } else {
            spans.many.resize(len, &[]);
            &mut spans.many[..]
        };
        for (place, span) in list.iter_mut().rev().zip(fields.backward()) {
            *place = span;
        }
        spans
    }
}

impl<'arena> Iterator for Spans<'arena> {
    type Item = &'arena [u8];

    fn next(&mut self) -> Option<&'arena [u8]> {
        let list = if self.many.is_empty() { &self.few[..self.len] } else { &self.many[..] };
        let span = *list.get(self.next)?;
        self.next += 1;
        Some(span)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.len - self.next;
        (left, Some(left))
    }
}

impl ExactSizeIterator for Spans<'_> {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::wire::varint as wire;

    proptest! {
        #[test]
        fn varints_are_those_of_the_decoder(bytes in proptest::collection::vec(any::<u8>(), 0..16)) {
            let read = varint(&bytes).map(|(value, rest)| (bytes.len() - rest.len(), value));
            match wire::checked(&bytes) {
                Some(found) => prop_assert_eq!(read, Some(found)),
                // More than 64 bits: no decoder lets that in.
                None => prop_assert!(read.is_none_or(|(len, _)| len == 10)),
            }
        }

        #[test]
        fn no_bytes_do_harm(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            let taken: usize = Records::new(&bytes).map(|record| record.bytes.len()).sum();
            prop_assert!(taken <= bytes.len());
        }
    }

    #[test]
    fn nested_groups_are_counted() {
        // 1: { 2: { 3: 4 } 2: "\x0c" } 5: 6
        let bytes = [0x0b, 0x13, 0x18, 4, 0x14, 0x12, 1, 0x0c, 0x0c, 0x28, 6];
        let records: Vec<_> = Records::new(&bytes).collect();
        assert_eq!(records.len(), 2);
        assert_eq!(records[0].bytes, &bytes[..9]);
        let UnknownValue::Group(group) = records[0].field.value else { panic!("{:?}", records[0].field) };
        assert_eq!(group.as_bytes(), &bytes[1..8]);
        assert_eq!(group.iter().map(|field| field.number).collect::<Vec<_>>(), [2, 2]);
        assert_eq!(records[1].field, UnknownField { number: 5, value: UnknownValue::Varint(6) });
    }
}
