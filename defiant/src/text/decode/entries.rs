//! The entries of maps: messages with a `key` and a `value`, in any order.

use super::fields::Progress;
use super::{Parser, messages_of};
use crate::descriptor::{FieldDescriptor, Raw, Type};
use crate::error::words;
use crate::reflect::{MapBuilder, MessageMut, Store, zero_of_enum};
use crate::text::error::{Failure, Kind, Result};

/// A value of an entry.
enum Read<'d, 'a> {
    Scalar(Raw<'a>),
    /// A message after its key, read into the map.
    InPlace,
    /// A message before its key, to be moved into the map.
    Detached(MessageMut<'d, 'a>),
}

impl<'a> Parser<'_, 'a> {
    /// Reads an entry.
    pub(super) fn entry(
        &mut self,
        field: &FieldDescriptor,
        map: &mut MapBuilder<'_, 'a>,
        store: &Store<'a>,
    ) -> Result<()> {
        let Some(key_type) = field.key_type() else { return Err(self.lexer.expected("another value")) };
        let close = self.open()?;
        let (mut key, mut value) = (None, None);
        while self.lexer.peek().is_some_and(|next| next != close) {
            let offset = self.lexer.offset();
            let again = || Failure::new(Kind::Duplicate, "the field is given already", offset);
            match self.lexer.identifier("`key` or `value`")? {
                "key" => {
                    self.colon()?;
                    if key.is_some() {
                        return Err(again());
                    }
                    key = Some(self.value(key_type, store)?);
                }
                "value" if value.is_some() => return Err(again()),
                "value" if field.message().is_none() => {
                    self.colon()?;
                    value = Some(Read::Scalar(self.scalar(field, store)?));
                }
                "value" => {
                    self.lexer.eat(b':');
                    value = Some(match key {
                        Some(key) => {
                            self.push(key, field, map, store)?;
                            Read::InPlace
                        }
                        // Read now: a message that is skipped first would be read twice, and one in it four times.
                        None => {
                            let mut message = MessageMut::alloc(messages_of(field, self.lexer.offset())?, store)?;
                            self.nested(&mut message, store)?;
                            Read::Detached(message)
                        }
                    });
                }
                name => {
                    if !self.options.ignore_unknown {
                        let reason = words(format_args!("an entry of a map has no field `{name}`"));
                        return Err(Failure::new(Kind::UnknownField, reason, offset));
                    }
                    self.skip_field()?;
                }
            }
            self.separator();
        }
        let key = key.unwrap_or(zero_of(key_type));
        let offset = self.lexer.offset();
        match value {
            Some(Read::InPlace) => {}
            Some(Read::Scalar(value)) => map.push(key, value, store)?,
            Some(Read::Detached(value)) => {
                map.push_message(key, messages_of(field, offset)?, store, |message| message.assign(value))?;
            }
            None if field.message().is_some() => {
                // What has required fields is not there without them.
                map.push_message(key, messages_of(field, offset)?, store, |message| {
                    self.finish(message, store, Progress::new())
                })?;
            }
            None => {
                let zero = match field.ty() {
                    Type::Enum => Raw::Enum(zero_of_enum(field)),
                    ty => zero_of(ty),
                };
                map.push(key, zero, store)?;
            }
        }
        self.close(close)
    }

    /// Reads a message into a map.
    fn push(
        &mut self,
        key: Raw<'a>,
        field: &FieldDescriptor,
        map: &mut MapBuilder<'_, 'a>,
        store: &Store<'a>,
    ) -> Result<()> {
        let messages = messages_of(field, self.lexer.offset())?;
        map.push_message(key, messages, store, |message| self.nested(message, store))
    }
}

/// What a key or a value is that is not given.
fn zero_of(ty: Type) -> Raw<'static> {
    match ty {
        Type::Int32 | Type::Sint32 | Type::Sfixed32 => Raw::I32(0),
        Type::Int64 | Type::Sint64 | Type::Sfixed64 => Raw::I64(0),
        Type::Uint32 | Type::Fixed32 => Raw::U32(0),
        Type::Uint64 | Type::Fixed64 => Raw::U64(0),
        Type::Float => Raw::F32(0.0),
        Type::Double => Raw::F64(0.0),
        Type::Bool | Type::Message | Type::Group => Raw::Bool(false),
        Type::String => Raw::Str(""),
        Type::Bytes => Raw::Bytes(&[]),
        Type::Enum => Raw::Enum(0),
    }
}
