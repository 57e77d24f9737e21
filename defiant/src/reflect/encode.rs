//! Encodes a message whose `Any` messages and extensions are not encoded yet.
//!
//! The content of an `Any` is bytes, and those bytes may hold another `Any`. A reader that encoded each of them when it is
//! complete would copy the innermost bytes once for each level. So inside of an `Any`, a complete message becomes a *part*: the
//! field holds a token in place of the bytes, and the part is encoded when the outermost one is, straight to its place.
//!
//! ```text
//! Any { value: token 1 }     part 1: Node { any: Any { value: token 0 } }     part 0: Node { text: ".." }
//!                encoding part 1 meets token 0, writes part 0 and before it the length
//! ```
//!
//! The codecs know no tokens, so messages with parts are encoded through their descriptors. The bytes are the same.

use core::alloc::Layout;
use core::cell::Cell;

use alloc::vec::Vec;

use super::{Exhausted, ListRef, MapRef, MessageMut, MessageRef, Store, Value};
use crate::arena::Arena;
use crate::descriptor::{FieldDescriptor, Type};
use crate::encoder;
use crate::message_set::encode_message_set;
use crate::wire::tag::wire_type;
use crate::wire::writer::{Counter, Sink};

/// Messages that are not encoded yet.
///
/// A token is the index of its part, in memory of its own. Its address tells it from bytes that look the same.
#[derive(Default)]
pub(crate) struct Parts<'d, 'arena> {
    list: Vec<(&'arena [u8], MessageMut<'d, 'arena>)>,
}

impl<'d, 'arena> Parts<'d, 'arena> {
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// Forgets all parts from an index on. No message with one of their tokens is used any more.
    #[cfg(feature = "json")]
    pub(crate) fn truncate(&mut self, len: usize) {
        self.list.truncate(len);
    }

    /// Adds a message. Returns the token that stands for its bytes.
    pub(crate) fn add(
        &mut self,
        message: MessageMut<'d, 'arena>,
        store: &Store<'arena>,
    ) -> Result<&'arena [u8], Exhausted> {
        self.list.try_reserve(1).map_err(|_| Exhausted::Memory)?;
        let token = store.bytes(&self.list.len().to_le_bytes())?;
        self.list.push((token, message));
        Ok(token)
    }

    /// The message that bytes stand for, if they are a token.
    fn find(&self, bytes: &[u8]) -> Option<MessageRef<'_>> {
        let index = usize::from_le_bytes(bytes.try_into().ok()?);
        let (token, message) = self.list.get(index)?;
        core::ptr::eq(token.as_ptr(), bytes.as_ptr()).then(|| message.as_ref())
    }

    /// Encodes a message and the parts in it into an arena for nothing else, whose content goes.
    pub(crate) fn encode<'a>(&self, message: MessageRef<'_>, scratch: &'a mut Arena) -> Result<&'a [u8], Exhausted> {
        let encoding = Encoding { parts: self, decoded: &Arena::new(), fails: Cell::new(false) };
        let mut counter = Counter::new();
        encoding.message(message, &mut counter);
        make_room(scratch, counter.total().map_err(|_| Exhausted::Memory)?)?;
        let bytes = encoder::written_in(scratch, |mut writer| {
            encoding.message(message, &mut writer);
            writer
        });
        if encoding.fails.get() { Err(Exhausted::Memory) } else { Ok(bytes) }
    }
}

/// Empties an arena, and takes memory for a message of so many bytes: a writer does not ask whether there is any.
pub(super) fn make_room(scratch: &mut Arena, len: usize) -> Result<(), Exhausted> {
    /// What the writer may ask for beyond the message's own bytes.
    const SPARE: usize = 2048;
    let room = len.checked_add(SPARE).and_then(|room| Layout::array::<u8>(room).ok()).ok_or(Exhausted::Memory)?;
    scratch.reset();
    scratch.try_alloc(room).ok_or(Exhausted::Memory)?;
    // The chunk stays.
    scratch.reset();
    Ok(())
}

/// Writes messages by their descriptors, backward: from the last field to the first.
struct Encoding<'m, 'd, 'arena> {
    parts: &'m Parts<'d, 'arena>,
    /// Where lazy messages are decoded to.
    decoded: &'m Arena,
    /// Whether a lazy message does not decode, for which only memory can be the reason: it was encoded just before.
    fails: Cell<bool>,
}

impl<'m> Encoding<'m, '_, '_> {
    fn message<S: Sink<'m>>(&self, message: MessageRef<'m>, sink: &mut S) {
        let unknown = message.unknown_fields();
        if message.descriptor().message_set {
            encode_message_set(unknown, sink);
        } else {
            for span in unknown.backward() {
                match self.parts.find(span) {
                    Some(part) => self.message(part, sink),
                    None => sink.raw(span),
                }
            }
        }
        for field in message.descriptor().fields().iter().rev() {
            match message.read(field) {
                None => {}
                Some(Value::List(list)) => self.list(list, field, sink),
                Some(Value::Map(map)) => self.map(map, field, sink),
                Some(value) => self.value(value, field.number(), field.ty(), Some(field), sink),
            }
        }
    }

    fn list<S: Sink<'m>>(&self, list: ListRef<'m>, field: &FieldDescriptor, sink: &mut S) {
        let (number, ty) = (field.number(), field.ty());
        let values = (0..list.len()).rev().filter_map(|index| list.get(index));
        if !field.is_packed() {
            return values.for_each(|value| self.value(value, number, ty, None, sink));
        }
        sink.enclosed(number << 3 | wire_type::LENGTH_DELIMITED, |sink| {
            for value in values {
                match scalar(value, ty) {
                    Some(Scalar::Varint(value)) => sink.raw_varint(value),
                    Some(Scalar::Fixed32(value)) => sink.copy(&value.to_le_bytes()),
                    Some(Scalar::Fixed64(value)) => sink.copy(&value.to_le_bytes()),
                    None => {}
                }
            }
        });
    }

    fn map<S: Sink<'m>>(&self, map: MapRef<'m>, field: &FieldDescriptor, sink: &mut S) {
        let Some(key_type) = field.key_type() else { return };
        for (key, value) in (0..map.len()).rev().filter_map(|index| map.entry(index)) {
            sink.enclosed(field.number() << 3 | wire_type::LENGTH_DELIMITED, |sink| {
                self.value(value, 2, field.ty(), None, sink);
                self.value(key, 1, key_type, None, sink);
            });
        }
    }

    /// A value with its tag; of a singular field, whose presence counts, with that.
    fn value<S: Sink<'m>>(
        &self,
        value: Value<'m>,
        number: u32,
        ty: Type,
        singular: Option<&FieldDescriptor>,
        sink: &mut S,
    ) {
        let tag = |wire_type| number << 3 | wire_type;
        match value {
            Value::String(text) => sink.bytes(tag(wire_type::LENGTH_DELIMITED), text.as_bytes()),
            Value::Bytes(bytes) => match self.parts.find(bytes) {
                Some(part) => {
                    let before = sink.written();
                    self.message(part, sink);
                    let len = sink.written() - before;
                    if len > 0 || singular.is_none_or(FieldDescriptor::has_presence) {
                        sink.varint(tag(wire_type::LENGTH_DELIMITED), len as u64);
                    }
                }
                None => sink.bytes(tag(wire_type::LENGTH_DELIMITED), bytes),
            },
            Value::Message(message) if ty == Type::Group => {
                sink.tag(tag(wire_type::END_GROUP));
                self.message(message, sink);
                sink.tag(tag(wire_type::START_GROUP));
            }
            Value::Message(message) => {
                sink.enclosed(tag(wire_type::LENGTH_DELIMITED), |sink| self.message(message, sink));
            }
            Value::Lazy(lazy) => match lazy.get(self.decoded) {
                Ok(message) => self.value(Value::Message(message), number, ty, singular, sink),
                Err(_) => self.fails.set(true),
            },
            Value::List(_) | Value::Map(_) => {}
            value => match scalar(value, ty) {
                Some(Scalar::Varint(value)) => sink.varint(tag(wire_type::VARINT), value),
                Some(Scalar::Fixed32(value)) => sink.fixed32(tag(wire_type::FIXED32), value),
                Some(Scalar::Fixed64(value)) => sink.fixed64(tag(wire_type::FIXED64), value),
                None => {}
            },
        }
    }
}

/// What a number is on the wire.
enum Scalar {
    Varint(u64),
    Fixed32(u32),
    Fixed64(u64),
}

/// The number on the wire that a value is, of a type that is no string, bytes or message.
fn scalar(value: Value<'_>, ty: Type) -> Option<Scalar> {
    Some(match (value, ty) {
        (Value::I32(value), Type::Sint32) => Scalar::Varint(u64::from((value << 1 ^ value >> 31) as u32)),
        (Value::I64(value), Type::Sint64) => Scalar::Varint((value << 1 ^ value >> 63) as u64),
        (Value::I32(value), Type::Sfixed32) => Scalar::Fixed32(value as u32),
        (Value::I64(value), Type::Sfixed64) => Scalar::Fixed64(value as u64),
        (Value::U32(value), Type::Fixed32) => Scalar::Fixed32(value),
        (Value::U64(value), Type::Fixed64) => Scalar::Fixed64(value),
        (Value::F32(value), _) => Scalar::Fixed32(value.to_bits()),
        (Value::F64(value), _) => Scalar::Fixed64(value.to_bits()),
        (Value::Bool(value), _) => Scalar::Varint(value.into()),
        (Value::I32(value) | Value::Enum(value), _) => Scalar::Varint(i64::from(value) as u64),
        (Value::I64(value), _) => Scalar::Varint(value as u64),
        (Value::U32(value), _) => Scalar::Varint(value.into()),
        (Value::U64(value), _) => Scalar::Varint(value),
        _ => return None,
    })
}
