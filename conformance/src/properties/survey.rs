//! What of a wire other libraries are known to read in another way.

use core::ptr;

use defiant::descriptor::{EnumDescriptor, FieldDescriptor, MessageDescriptor, Type};
use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field};

/// What stands in a wire, up to where it ends or is malformed.
pub(super) struct Survey {
    /// The field of a map has another wire type than it should: whatever it is, prost reads an entry from there.
    pub(super) strange_entries: bool,
    /// A length takes more than five bytes, of which the last ones say nothing: Google's crate does not read on.
    pub(super) long_lengths: bool,
    /// A field without presence, or an entry, has negative zero: it is equal to zero, so prost leaves it out.
    pub(super) negative_zeros: bool,
    /// Of each value: the message and the number of its field, or its oneof, and whether some library's type does not have it.
    values: Vec<(*const MessageDescriptor, Place, bool)>,
}

/// What the last of several values is for.
#[derive(PartialEq)]
enum Place {
    Field(u32),
    Oneof(usize),
}

impl Survey {
    pub(super) fn of(mut wire: &[u8], message: &MessageDescriptor) -> Survey {
        let mut survey =
            Survey { strange_entries: false, long_lengths: false, negative_zeros: false, values: Vec::new() };
        survey.message(&mut wire, message);
        survey
    }

    /// Whether a field occurs more than once in one message, or in several of one type.
    pub(super) fn repeats(&self) -> bool {
        self.values.iter().any(|value| self.occurrences(value) > 1)
    }

    /// Whether a value that some library's type does not have is not the only one for its field. It goes to the unknown fields,
    /// which come after the others, so it may lose its turn.
    pub(super) fn reorders(&self) -> bool {
        self.values.iter().any(|value| value.2 && self.occurrences(value) > 1)
    }

    fn occurrences(&self, of: &(*const MessageDescriptor, Place, bool)) -> usize {
        self.values.iter().filter(|value| (value.0, &value.1) == (of.0, &of.1)).count()
    }

    /// Looks at a message, and leaves the wire behind it or behind the end of its group. What is malformed behind a length
    /// ends what stands there only: it may be of another wire type than its field, and then nobody reads it.
    fn message(&mut self, wire: &mut &[u8], message: &MessageDescriptor) -> Option<()> {
        while !wire.is_empty() {
            let (number, wire_type) = decode_key(wire).ok()?;
            let field = message.field(number);
            self.strange_entries |=
                wire_type != WireType::LengthDelimited && field.is_some_and(FieldDescriptor::is_map);
            if wire_type == WireType::EndGroup {
                return Some(());
            }
            match field {
                Some(field) => self.field(wire, wire_type, message, field)?,
                None if wire_type == WireType::LengthDelimited => {
                    self.content(wire)?;
                }
                None => skip_field(wire_type, number, wire, DecodeContext::default()).ok()?,
            }
        }
        Some(())
    }

    /// What is behind a length.
    fn content<'w>(&mut self, wire: &mut &'w [u8]) -> Option<&'w [u8]> {
        let before = wire.len();
        let len = usize::try_from(decode_varint(wire).ok()?).ok()?;
        self.long_lengths |= before - wire.len() > 5;
        let (content, rest) = wire.split_at_checked(len)?;
        *wire = rest;
        Some(content)
    }

    fn field(
        &mut self,
        wire: &mut &[u8],
        wire_type: WireType,
        message: &MessageDescriptor,
        field: &FieldDescriptor,
    ) -> Option<()> {
        let see = |survey: &mut Survey, broken| {
            let place = field.oneof().map_or(Place::Field(field.number()), Place::Oneof);
            survey.values.push((ptr::from_ref(message), place, broken));
        };
        match wire_type {
            WireType::StartGroup if field.ty() == Type::Group => {
                see(self, false);
                return self.message(wire, field.message()?);
            }
            WireType::LengthDelimited => {
                let mut content = self.content(wire)?;
                if field.is_map() {
                    let broken = self.entry(content, field).unwrap_or(true);
                    see(self, broken);
                } else if field.ty() == Type::Message {
                    see(self, false);
                    self.message(&mut content, field.message()?);
                } else if let Some(of) = field.enumeration().filter(|_| field.is_list()) {
                    while !content.is_empty() {
                        let Ok(number) = decode_varint(&mut content) else { break };
                        see(self, !has(of, number));
                    }
                } else {
                    see(self, is_broken(content, field.ty()));
                }
            }
            WireType::Varint => {
                let number = decode_varint(wire).ok()?;
                see(self, field.enumeration().is_some_and(|of| !has(of, number)));
            }
            _ => {
                see(self, false);
                self.negative_zeros |= !field.has_presence() && !field.is_list() && is_negative_zero(wire, field.ty());
                skip_field(wire_type, field.number(), wire, DecodeContext::default()).ok()?;
            }
        }
        Some(())
    }

    /// Looks at a map's entry, whose field is given: whether it has something that some library's type does not have.
    fn entry(&mut self, mut wire: &[u8], field: &FieldDescriptor) -> Option<bool> {
        let mut broken = false;
        while !wire.is_empty() {
            let (number, wire_type) = decode_key(&mut wire).ok()?;
            let ty = match number {
                1 => field.key_type(),
                2 => Some(field.ty()),
                _ => None,
            };
            // Google's crate takes the whole entry for an unknown field, if one of its own is unknown.
            let fits = ty.is_some_and(|ty| wire_type == wire_type_of(ty));
            broken |= !fits;
            match (fits, wire_type) {
                (true, WireType::LengthDelimited) => {
                    let mut content = self.content(&mut wire)?;
                    match field.message().filter(|_| number == 2) {
                        Some(inside) => drop(self.message(&mut content, inside)),
                        None => broken |= ty.is_some_and(|ty| is_broken(content, ty)),
                    }
                }
                (true, WireType::Varint) => {
                    let value = decode_varint(&mut wire).ok()?;
                    broken |= number == 2 && field.enumeration().is_some_and(|of| !has(of, value));
                }
                _ => {
                    self.negative_zeros |= number == 2 && is_negative_zero(wire, field.ty());
                    skip_field(wire_type, number, &mut wire, DecodeContext::default()).ok()?;
                }
            }
        }
        Some(broken)
    }
}

/// How a value of a type that is no group is encoded when it is by itself.
fn wire_type_of(ty: Type) -> WireType {
    match ty {
        Type::Double | Type::Fixed64 | Type::Sfixed64 => WireType::SixtyFourBit,
        Type::Float | Type::Fixed32 | Type::Sfixed32 => WireType::ThirtyTwoBit,
        Type::String | Type::Bytes | Type::Message => WireType::LengthDelimited,
        _ => WireType::Varint,
    }
}

/// Whether a number of this type that begins here is zero but for its sign.
fn is_negative_zero(wire: &[u8], ty: Type) -> bool {
    match ty {
        Type::Float => wire.starts_with(&(-0f32).to_le_bytes()),
        Type::Double => wire.starts_with(&(-0f64).to_le_bytes()),
        _ => false,
    }
}

fn is_broken(content: &[u8], ty: Type) -> bool {
    ty == Type::String && core::str::from_utf8(content).is_err()
}

fn has(of: &EnumDescriptor, number: u64) -> bool {
    of.is_open() || of.has(number as i32)
}
