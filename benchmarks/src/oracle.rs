//! A third opinion: a slow wire walk by the book, to explain why two decoders do not agree.
//!
//! It shares no code and no tables with either. Source:
//! <https://protobuf.dev/programming-guides/encoding/>.

use crate::datasets::Dataset;

/// What the walk found that a decoder may rightly treat in more than one way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// A tag is spelled with more than five bytes.
    pub overlong_tag: bool,
    /// A known field of the outermost message has another wire type than its declaration.
    pub other_wire_type: bool,
    /// The same inside a sub-message or group.
    pub other_wire_type_below: bool,
    /// A string of proto2 in the outermost message is not UTF-8.
    pub not_utf8: bool,
    /// The same inside a sub-message or group.
    pub not_utf8_below: bool,
    /// A message or group ends without one of its required fields.
    pub missing_required: bool,
    /// The walk came to the end; otherwise it stopped at something malformed.
    pub well_formed: bool,
    /// The input without the fields of [`other_wire_type`](Self::other_wire_type) and [`not_utf8`](Self::not_utf8).
    pub declared: Vec<u8>,
}

/// How a field is declared.
#[derive(Clone, Copy)]
enum Shape {
    Varint,
    Fixed64,
    Fixed32,
    Bytes,
    /// A string that is UTF-8, or the message is malformed.
    Text,
    /// A string of proto2.
    LenientText,
    /// May be packed too.
    RepeatedVarint,
    /// May be packed too.
    RepeatedFixed64,
    Message(&'static Schema),
    Group(&'static Schema),
}

struct Schema {
    shape: fn(u64) -> Option<Shape>,
    required: &'static [u64],
}

static MESSAGE1_PROTO2: Schema = Schema { shape: message1, required: &[1, 2, 3] };
static MESSAGE1_PROTO3: Schema = Schema { shape: message1_proto3, required: &[] };
static MESSAGE1_SUB: Schema = Schema { shape: message1_sub, required: &[] };
static MESSAGE1_SUB_PROTO3: Schema = Schema { shape: message1_sub_proto3, required: &[] };
static MESSAGE2: Schema = Schema { shape: message2, required: &[] };
static MESSAGE2_GROUP: Schema = Schema { shape: message2_group, required: &[11, 15] };
static MESSAGE2_SUB: Schema = Schema { shape: message2_sub, required: &[] };

fn message1(number: u64) -> Option<Shape> {
    Some(match number {
        1 | 4 | 7 | 9 | 18 | 102 | 103 | 129 => Shape::LenientText,
        5 => Shape::RepeatedFixed64,
        15 => Shape::Message(&MESSAGE1_SUB),
        2 | 3 | 6 | 12..=14 | 16 | 17 | 22..=25 | 29 | 30 | 59 | 60 | 67 | 68 | 78 | 80 | 81 => Shape::Varint,
        100 | 101 | 104 | 128 | 130 | 131 | 150 | 271 | 272 | 280 => Shape::Varint,
        _ => return None,
    })
}

fn message1_proto3(number: u64) -> Option<Shape> {
    match message1(number)? {
        Shape::Message(_) => Some(Shape::Message(&MESSAGE1_SUB_PROTO3)),
        shape => Some(shape.verified()),
    }
}

fn message1_sub_proto3(number: u64) -> Option<Shape> {
    message1_sub(number).map(Shape::verified)
}

fn message1_sub(number: u64) -> Option<Shape> {
    Some(match number {
        15 | 205 => Shape::LenientText,
        21 => Shape::Fixed64,
        203 => Shape::Fixed32,
        1..=3 | 12..=14 | 16 | 19 | 20 | 22 | 23 | 28 | 204 | 206 | 207 | 300 => Shape::Varint,
        _ => return None,
    })
}

fn message2(number: u64) -> Option<Shape> {
    Some(match number {
        1 | 6 | 127 | 128 => Shape::LenientText,
        2 => Shape::Bytes,
        10 => Shape::Group(&MESSAGE2_GROUP),
        25 | 222 => Shape::Fixed32,
        130 => Shape::RepeatedVarint,
        3 | 4 | 21 | 30 | 63 | 71 | 75 | 109 | 129 | 131 | 205 | 206 => Shape::Varint,
        210..=213 | 216..=218 | 220 | 221 => Shape::Varint,
        _ => return None,
    })
}

fn message2_group(number: u64) -> Option<Shape> {
    Some(match number {
        12..=14 | 16 | 22 | 24 | 27 | 29 => Shape::LenientText,
        11 | 26 => Shape::Fixed32,
        31 => Shape::Message(&MESSAGE2_SUB),
        73 => Shape::RepeatedVarint,
        5 | 15 | 20 | 28 => Shape::Varint,
        _ => return None,
    })
}

fn message2_sub(number: u64) -> Option<Shape> {
    Some(match number {
        1..=3 | 8 | 10 => Shape::Fixed32,
        4..=7 | 9 | 11 => Shape::Varint,
        _ => return None,
    })
}

impl Shape {
    /// The same in proto3.
    const fn verified(self) -> Self {
        match self {
            Shape::LenientText => Shape::Text,
            shape => shape,
        }
    }

    const fn allows(self, wire_type: u64) -> bool {
        match self {
            Shape::Varint => wire_type == 0,
            Shape::Fixed64 => wire_type == 1,
            Shape::Fixed32 => wire_type == 5,
            Shape::Bytes | Shape::Text | Shape::LenientText | Shape::Message(_) => wire_type == 2,
            Shape::RepeatedVarint => matches!(wire_type, 0 | 2),
            Shape::RepeatedFixed64 => matches!(wire_type, 1 | 2),
            Shape::Group(_) => wire_type == 3,
        }
    }
}

/// Walks over `wire` as a message of the dataset.
pub fn facts(dataset: Dataset, wire: &[u8]) -> Facts {
    let schema = match dataset {
        Dataset::Message1Proto2 => &MESSAGE1_PROTO2,
        Dataset::Message1Proto3 => &MESSAGE1_PROTO3,
        Dataset::Message2 => &MESSAGE2,
    };
    let mut walk = Walk { wire, at: 0, facts: Facts::default() };
    walk.facts.well_formed = walk.message(Some(schema), wire.len(), None, true).is_some();
    walk.facts
}

struct Walk<'a> {
    wire: &'a [u8],
    at: usize,
    facts: Facts,
}

impl Walk<'_> {
    /// Fields up to `end`, or up to the end of group `group`. `None`: malformed.
    fn message(&mut self, schema: Option<&Schema>, end: usize, group: Option<u64>, outermost: bool) -> Option<()> {
        let mut seen = Vec::new();
        loop {
            if self.at == end && group.is_none() {
                break;
            }
            let start = self.at;
            let tag = self.varint(end)?;
            self.facts.overlong_tag |= self.at - start > 5;
            let (number, wire_type) = (tag >> 3, tag & 7);
            if tag > u64::from(u32::MAX) || number == 0 {
                return None;
            }
            if wire_type == 4 {
                if group != Some(number) {
                    return None;
                }
                break;
            }
            let declared = schema.and_then(|schema| (schema.shape)(number));
            let shape = declared.filter(|shape| shape.allows(wire_type));
            let not_utf8 = self.field(shape, number, wire_type, end)?;
            if declared.is_some() && shape.is_none() {
                match outermost {
                    true => self.facts.other_wire_type = true,
                    false => self.facts.other_wire_type_below = true,
                }
            } else if not_utf8 {
                match outermost {
                    true => self.facts.not_utf8 = true,
                    false => self.facts.not_utf8_below = true,
                }
            } else if outermost {
                self.facts.declared.extend_from_slice(&self.wire[start..self.at]);
            }
            if shape.is_some() && !not_utf8 {
                seen.push(number);
            }
        }
        let required = schema.map_or(&[][..], |schema| schema.required);
        self.facts.missing_required |= required.iter().any(|number| !seen.contains(number));
        Some(())
    }

    /// Skips a value; whether it is a string of proto2 that is not UTF-8.
    fn field(&mut self, shape: Option<Shape>, number: u64, wire_type: u64, end: usize) -> Option<bool> {
        match wire_type {
            0 => self.varint(end).map(|_| false),
            1 => self.skip(8, end),
            5 => self.skip(4, end),
            2 => {
                let len = usize::try_from(self.varint(end)?).ok()?;
                let inner = self.at.checked_add(len).filter(|inner| *inner <= end)?;
                match shape {
                    Some(Shape::Message(schema)) => self.message(Some(schema), inner, None, false).map(|()| false),
                    Some(Shape::RepeatedVarint) => {
                        while self.at < inner {
                            self.varint(inner)?;
                        }
                        Some(false)
                    }
                    Some(Shape::RepeatedFixed64) if len % 8 != 0 => None,
                    Some(Shape::Text | Shape::LenientText) => {
                        let is_utf8 = std::str::from_utf8(&self.wire[self.at..inner]).is_ok();
                        self.at = inner;
                        match shape {
                            Some(Shape::Text) if !is_utf8 => None,
                            _ => Some(!is_utf8),
                        }
                    }
                    _ => self.skip(len, end),
                }
            }
            3 => {
                let schema = match shape {
                    Some(Shape::Group(schema)) => Some(schema),
                    _ => None,
                };
                self.message(schema, end, Some(number), false).map(|()| false)
            }
            _ => None,
        }
    }

    fn skip(&mut self, len: usize, end: usize) -> Option<bool> {
        self.at = self.at.checked_add(len).filter(|at| *at <= end)?;
        Some(false)
    }

    fn varint(&mut self, end: usize) -> Option<u64> {
        let mut value = 0_u128;
        for (index, byte) in self.wire[self.at..end].iter().enumerate().take(10) {
            value |= u128::from(byte & 0x7f) << (7 * index);
            if *byte < 0x80 {
                self.at += index + 1;
                return u64::try_from(value).ok();
            }
        }
        None
    }
}
