//! The values of fields that serde reads.

use core::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, Expected, MapAccess, SeqAccess, Unexpected, Visitor};

use super::message::{Kept, MessageVisitor};
use crate::descriptor::{EnumDescriptor, FieldDescriptor, MessageDescriptor, Raw, Type};
use crate::error::words;
use crate::json::base64;
use crate::json::error::{Fail, Reason};
use crate::json::read::not_of_this_type;
use crate::json::read::number::Number;
use crate::reflect::{Exhausted, ListBuilder, MapBuilder, MessageMut, Rejected};

/// A value without parts.
#[derive(Clone, Copy)]
pub(super) enum Token<'t> {
    Null,
    Bool(bool),
    Integer(i128),
    Float(f64),
    String(&'t str),
    Bytes(&'t [u8]),
}

impl Token<'_> {
    #[cold]
    pub(super) fn unexpected<E: Error>(self, expected: &dyn Expected) -> E {
        let found = match self {
            Token::Null => Unexpected::Unit,
            Token::Bool(value) => Unexpected::Bool(value),
            Token::Integer(value) => match (i64::try_from(value), u64::try_from(value)) {
                (Ok(value), _) => Unexpected::Signed(value),
                (_, Ok(value)) => Unexpected::Unsigned(value),
                _ => Unexpected::Other("an integer of more than 64 bits"),
            },
            Token::Float(value) => Unexpected::Float(value),
            Token::String(value) => Unexpected::Str(value),
            Token::Bytes(value) => Unexpected::Bytes(value),
        };
        E::invalid_type(found, expected)
    }
}

/// The methods of a visitor with a method `token` for all that has no parts.
macro_rules! tokens {
    ($value:ty) => {
        tokens!(@ $value, visit_bool(bool) Bool, visit_i64(i64) Integer, visit_u64(u64) Integer, visit_i128(i128) Integer);

        fn visit_u128<E: Error>(self, value: u128) -> Result<$value, E> {
            match i128::try_from(value) {
                Ok(value) => self.token(Token::Integer(value)),
                Err(_) => self.token(Token::Float(value as f64)),
            }
        }

        tokens!(@ $value, visit_f64(f64) Float, visit_str(&str) String, visit_bytes(&[u8]) Bytes);

        fn visit_unit<E: Error>(self) -> Result<$value, E> {
            self.token(Token::Null)
        }

        fn visit_none<E: Error>(self) -> Result<$value, E> {
            self.token(Token::Null)
        }

        fn visit_some<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<$value, D::Error> {
            deserializer.deserialize_any(self)
        }

        fn visit_newtype_struct<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<$value, D::Error> {
            deserializer.deserialize_any(self)
        }
    };
    (@ $value:ty, $($method:ident($ty:ty) $token:ident),*) => {$(
        fn $method<E: Error>(self, value: $ty) -> Result<$value, E> {
            self.token(Token::$token(value.into()))
        }
    )*};
}
pub(super) use tokens;

/// What became of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Set,
    /// An enum value that was passed over.
    Skipped,
    /// The same as no value.
    Null,
}

/// Where a value goes.
pub(super) enum Target<'v, 'd, 'arena> {
    /// To the field of a message.
    Field(&'v mut MessageMut<'d, 'arena>),
    Element(&'v mut ListBuilder<'arena>),
    /// Behind a key.
    Entry(&'v mut MapBuilder<'d, 'arena>, Raw<'arena>),
}

/// Reads a value of a field.
pub(super) struct ValueVisitor<'v, 'f, 'd, 'c, 'arena> {
    pub(super) kept: Kept<'c, 'arena>,
    pub(super) field: &'f FieldDescriptor,
    pub(super) target: Target<'v, 'd, 'arena>,
    /// Whether null is the same as no value.
    pub(super) null: bool,
}

/// What can go wrong while a message is made in its place.
enum Problem<E> {
    Rejected(Rejected),
    Format(E),
}

impl<E> From<Exhausted> for Problem<E> {
    fn from(exhausted: Exhausted) -> Self {
        Problem::Rejected(exhausted.into())
    }
}

impl<E> From<Rejected> for Problem<E> {
    fn from(rejected: Rejected) -> Self {
        Problem::Rejected(rejected)
    }
}

impl<'f, 'd, 'c, 'arena> ValueVisitor<'_, 'f, 'd, 'c, 'arena>
where
    'f: 'c,
{
    /// Whether it is one value, and no list or map.
    fn is_single(&self) -> bool {
        !matches!(self.target, Target::Field(_)) || !(self.field.is_list() || self.field.is_map())
    }

    pub(super) fn token<E: Error>(self, token: Token<'_>) -> Result<Outcome, E> {
        if self.null && matches!(token, Token::Null) {
            return Ok(Outcome::Null);
        }
        let field = self.field;
        match field.message().filter(|_| self.is_single()) {
            Some(descriptor) => self.message(descriptor, |visitor| visitor.token(token)),
            None if self.is_single() => {
                let Some(value) = self.scalar(token)? else { return Ok(Outcome::Skipped) };
                let (kept, store) = (self.kept, self.kept.context.store);
                let put = match self.target {
                    Target::Field(out) => out.set(field, value),
                    Target::Element(list) => list.push(value, store),
                    Target::Entry(map, key) => map.push(key, value, store),
                };
                put.map(|()| Outcome::Set).map_err(|rejected| kept.error(rejected))
            }
            None => Err(token.unexpected(&self)),
        }
    }

    /// Makes a message, which a function reads.
    fn message<E: Error>(
        self,
        descriptor: &MessageDescriptor,
        read: impl FnOnce(MessageVisitor<'_, '_, '_, 'arena>) -> Result<(), E>,
    ) -> Result<Outcome, E> {
        let ValueVisitor { kept, field, target, .. } = self;
        let store = kept.context.store;
        let fill = |out: &mut MessageMut<'_, 'arena>| read(MessageVisitor { kept, out }).map_err(Problem::Format);
        let made = match target {
            Target::Field(out) => match MessageMut::alloc(descriptor, store) {
                Ok(mut message) => fill(&mut message).and_then(|()| Ok(out.set_message(field, message, store)?)),
                Err(exhausted) => Err(exhausted.into()),
            },
            Target::Element(list) => list.push_message(descriptor, store, fill),
            Target::Entry(map, key) => map.push_message(key, descriptor, store, fill),
        };
        match made {
            Ok(()) => Ok(Outcome::Set),
            Err(Problem::Format(error)) => Err(error),
            Err(Problem::Rejected(rejected)) => Err(kept.error(rejected)),
        }
    }

    /// A value of the field's type that is no message; `None` for one that is to be passed over.
    fn scalar<E: Error>(&self, token: Token<'_>) -> Result<Option<Raw<'arena>>, E> {
        let wrong = |what: &'static str| self.kept.error::<E>(Fail::new(Reason::Value(what)));
        let store = self.kept.context.store;
        let number = |what: &'static str, bounds: core::ops::RangeInclusive<i128>| match token {
            Token::Integer(_) | Token::Float(_) | Token::String(_) => {
                integer(token).filter(|value| bounds.contains(value)).ok_or_else(|| wrong(what))
            }
            other => Err(other.unexpected(self)),
        };
        let raw = match self.field.ty() {
            Type::Int32 | Type::Sint32 | Type::Sfixed32 => {
                let bounds = i128::from(i32::MIN)..=i128::from(i32::MAX);
                Raw::I32(number("expected an integer of 32 bits", bounds)? as i32)
            }
            Type::Uint32 | Type::Fixed32 => {
                Raw::U32(number("expected an unsigned integer of 32 bits", 0..=i128::from(u32::MAX))? as u32)
            }
            Type::Int64 | Type::Sint64 | Type::Sfixed64 => {
                let bounds = i128::from(i64::MIN)..=i128::from(i64::MAX);
                Raw::I64(number("expected an integer of 64 bits", bounds)? as i64)
            }
            Type::Uint64 | Type::Fixed64 => {
                Raw::U64(number("expected an unsigned integer of 64 bits", 0..=i128::from(u64::MAX))? as u64)
            }
            Type::Double => {
                let what = "expected a number in the range of a double";
                match token {
                    Token::Float(value) => Raw::F64(value),
                    Token::Integer(value) => Raw::F64(value as f64),
                    Token::String(text) => {
                        let value = not_finite(text).or_else(|| whole_number(text)?.f64());
                        Raw::F64(value.ok_or_else(|| wrong(what))?)
                    }
                    other => return Err(other.unexpected(self)),
                }
            }
            Type::Float => {
                let what = "expected a number in the range of a float";
                let value = match token {
                    Token::Float(value) if value.is_finite() => Some(value as f32).filter(|value| value.is_finite()),
                    Token::Float(value) => Some(value as f32),
                    Token::Integer(value) => Some(value as f32),
                    Token::String(text) => {
                        not_finite(text).map(|value| value as f32).or_else(|| whole_number(text)?.f32())
                    }
                    other => return Err(other.unexpected(self)),
                };
                Raw::F32(value.ok_or_else(|| wrong(what))?)
            }
            Type::Bool => match token {
                Token::Bool(value) => Raw::Bool(value),
                other => return Err(other.unexpected(self)),
            },
            Type::String => match token {
                Token::String(text) => {
                    let kept = store.admit(text.len()).and_then(|()| store.str(text));
                    Raw::Str(kept.map_err(|exhausted| self.kept.error(exhausted))?)
                }
                other => return Err(other.unexpected(self)),
            },
            Type::Bytes => match token {
                Token::Bytes(bytes) => {
                    let kept = store.admit(bytes.len()).and_then(|()| store.bytes(bytes));
                    Raw::Bytes(kept.map_err(|exhausted| self.kept.error(exhausted))?)
                }
                Token::String(text) => {
                    let digits = base64::without_padding(text.as_bytes()).ok_or_else(|| wrong("expected base64"))?;
                    let len = base64::decoded_len(digits.len());
                    let out = store.admit(len).and_then(|()| store.zeroed(len));
                    let out = out.map_err(|exhausted| self.kept.error(exhausted))?;
                    base64::decode(digits, out).ok_or_else(|| wrong("expected base64"))?;
                    Raw::Bytes(out)
                }
                other => return Err(other.unexpected(self)),
            },
            Type::Enum => match self.field.enumeration() {
                Some(descriptor) => return self.enumeration(descriptor, token),
                None => return Err(self.kept.error(not_of_this_type())),
            },
            Type::Message | Type::Group => return Err(self.kept.error(not_of_this_type())),
        };
        Ok(Some(raw))
    }

    fn enumeration<E: Error>(&self, descriptor: &EnumDescriptor, token: Token<'_>) -> Result<Option<Raw<'arena>>, E> {
        let (found, name) = match token {
            Token::Null if descriptor.null => (Some(0), None),
            Token::String(name) => (descriptor.number_of(name), Some(name)),
            Token::Integer(_) | Token::Float(_) => {
                let number = integer(token).and_then(|number| i32::try_from(number).ok());
                let Some(number) = number else {
                    let what = "expected the name of an enum value, or its number";
                    return Err(self.kept.error(Fail::new(Reason::Value(what))));
                };
                if descriptor.has(number) {
                    return Ok(Some(Raw::Enum(number)));
                }
                if self.kept.context.options.ignore_unknown {
                    return Ok(None);
                }
                return Err(self.kept.error(Fail::new(Reason::UnknownEnumValue(words(format_args!("{number}"))))));
            }
            other => return Err(other.unexpected(self)),
        };
        match found {
            Some(number) => Ok(Some(Raw::Enum(number))),
            None if self.kept.context.options.ignore_unknown => Ok(None),
            None => {
                let name = words(format_args!("{:?}", name.unwrap_or_default()));
                Err(self.kept.error(Fail::new(Reason::UnknownEnumValue(name))))
            }
        }
    }

    fn list<'de, A: SeqAccess<'de>>(self, mut seq: A) -> Result<Outcome, A::Error> {
        let ValueVisitor { kept, field, target, .. } = self;
        let Target::Field(out) = target else { return Err(kept.error(not_of_this_type())) };
        let Some(mut list) = out.list(field) else { return Err(kept.error(not_of_this_type())) };
        kept.context.deeper(kept.place, || {
            loop {
                let seed = ValueVisitor { kept, field, target: Target::Element(&mut list), null: false };
                if seq.next_element_seed(seed)?.is_none() {
                    return Ok::<(), A::Error>(());
                }
            }
        })?;
        kept.context.store.count(list.len()).map_err(|exhausted| kept.error(exhausted))?;
        out.set_list(field, list);
        Ok(Outcome::Set)
    }

    fn map<'de, A: MapAccess<'de>>(self, mut entries: A) -> Result<Outcome, A::Error> {
        let ValueVisitor { kept, field, target, .. } = self;
        let Target::Field(out) = target else { return Err(kept.error(not_of_this_type())) };
        let (Some(mut map), Some(ty)) = (out.map(field), field.key_type()) else {
            return Err(kept.error(not_of_this_type()));
        };
        kept.context.deeper(kept.place, || {
            while let Some(key) = entries.next_key_seed(MapKey { kept, ty })? {
                entries.next_value_seed(ValueVisitor {
                    kept,
                    field,
                    target: Target::Entry(&mut map, key),
                    null: false,
                })?;
            }
            Ok::<(), A::Error>(())
        })?;
        let count = map.len();
        kept.context.store.count(count).map_err(|exhausted| kept.error(exhausted))?;
        out.set_map(field, map, kept.context.store).map_err(|exhausted| kept.error(exhausted))?;
        if count > 1 && out.map(field).is_some_and(|map| map.len() < count) {
            return Err(kept.error(Fail::new(Reason::Twice("a key of the map".into()))));
        }
        Ok(Outcome::Set)
    }
}

impl<'de, 'f, 'c> DeserializeSeed<'de> for ValueVisitor<'_, 'f, '_, 'c, '_>
where
    'f: 'c,
{
    type Value = Outcome;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Outcome, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, 'f, 'c> Visitor<'de> for ValueVisitor<'_, 'f, '_, 'c, '_>
where
    'f: 'c,
{
    type Value = Outcome;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.field.ty() {
            _ if !self.is_single() => {
                if self.field.is_map() {
                    "an object"
                } else {
                    "an array"
                }
            }
            Type::Bool => "true or false",
            Type::String => "a string",
            Type::Bytes => "base64",
            Type::Enum => "the name of an enum value, or its number",
            Type::Message | Type::Group => "a message",
            Type::Double | Type::Float => "a number",
            _ => "an integer",
        })?;
        self.kept.write_path(f)
    }

    tokens!(Outcome);

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Outcome, A::Error> {
        let field = self.field;
        match field.message() {
            Some(descriptor) if self.is_single() => self.message(descriptor, |visitor| visitor.visit_seq(seq)),
            _ if !self.is_single() && field.is_list() => self.list(seq),
            _ => Err(A::Error::invalid_type(Unexpected::Seq, &self)),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Outcome, A::Error> {
        let field = self.field;
        match field.message() {
            Some(descriptor) if self.is_single() => self.message(descriptor, |visitor| visitor.visit_map(map)),
            _ if !self.is_single() && field.is_map() => self.map(map),
            _ => Err(A::Error::invalid_type(Unexpected::Map, &self)),
        }
    }
}

/// A number, or a string that is one, if it is an integer.
fn integer(token: Token<'_>) -> Option<i128> {
    match token {
        Token::Integer(value) => Some(value),
        // Whole, and far below the bound of the type. The lowest of 64 bits is what formats make of lower ones, too, which have
        // no room as integers.
        Token::Float(value) if value > i64::MIN as f64 && value < 1e30 && value as i128 as f64 == value => {
            Some(value as i128)
        }
        Token::String(text) => {
            let (value, negative) = whole_number(text)?.integer()?;
            Some(if negative { -i128::from(value) } else { value.into() })
        }
        _ => None,
    }
}

/// The number that a text is.
fn whole_number(text: &str) -> Option<Number<'_>> {
    Number::parse(text).filter(|number| number.text.len() == text.len())
}

fn not_finite(text: &str) -> Option<f64> {
    match text {
        "NaN" => Some(f64::NAN),
        "Infinity" => Some(f64::INFINITY),
        "-Infinity" => Some(f64::NEG_INFINITY),
        _ => None,
    }
}

/// Reads the key of a map.
struct MapKey<'c, 'arena> {
    kept: Kept<'c, 'arena>,
    ty: Type,
}

impl<'de, 'arena> DeserializeSeed<'de> for MapKey<'_, 'arena> {
    type Value = Raw<'arena>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Raw<'arena>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'arena> Visitor<'_> for MapKey<'_, 'arena> {
    type Value = Raw<'arena>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")?;
        self.kept.write_path(f)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Raw<'arena>, E> {
        let kept = self.kept;
        let wrong = || kept.error::<E>(Fail::new(Reason::Value("not a key of this map's type")));
        let integer = || integer(Token::String(text)).ok_or_else(wrong);
        Ok(match self.ty {
            Type::String => {
                let store = kept.context.store;
                let text = store.admit(text.len()).and_then(|()| store.str(text));
                Raw::Str(text.map_err(|exhausted| kept.error(exhausted))?)
            }
            Type::Bool => match text {
                "true" => Raw::Bool(true),
                "false" => Raw::Bool(false),
                _ => return Err(wrong()),
            },
            Type::Int32 | Type::Sint32 | Type::Sfixed32 => Raw::I32(integer()?.try_into().map_err(|_| wrong())?),
            Type::Uint32 | Type::Fixed32 => Raw::U32(integer()?.try_into().map_err(|_| wrong())?),
            Type::Int64 | Type::Sint64 | Type::Sfixed64 => Raw::I64(integer()?.try_into().map_err(|_| wrong())?),
            Type::Uint64 | Type::Fixed64 => Raw::U64(integer()?.try_into().map_err(|_| wrong())?),
            _ => return Err(kept.error(not_of_this_type())),
        })
    }
}
