//! Messages that serde reads.

use core::fmt;

use alloc::string::String;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Unexpected, Visitor};

use super::capture::Capture;
use super::read::Context;
use super::value::{Outcome, Target, Token, ValueVisitor, tokens};
use super::{Place, Step, describe};
use crate::descriptor::{FieldDescriptor, MessageDescriptor, WellKnown};
use crate::error::words;
use crate::json::error::{Fail, Reason};
use crate::json::read::well_known::{content, kind, set_duration, set_field_mask, set_timestamp};
use crate::json::read::{Reader, Seen, key, takes_null, twice};
use crate::reflect::{ExtensionType, MessageMut};

/// What a visitor has to know: what is common to the decode, and where it is.
#[derive(Clone, Copy)]
pub(super) struct Kept<'c, 'arena> {
    pub(super) context: &'c Context<'c, 'arena>,
    pub(super) place: Option<&'c Place<'c>>,
}

impl Kept<'_, '_> {
    #[cold]
    #[inline(never)]
    pub(super) fn error<E: Error>(&self, fail: impl Into<Fail>) -> E {
        E::custom(describe(fail.into(), self.place))
    }

    /// At the end of what a visitor expects.
    pub(super) fn write_path(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Some(Place { message, step: Step::Field(field), .. }) => {
                write!(f, " for {}.{}", message.name(), field.name())
            }
            Some(Place { message, step: Step::Extension(name), .. }) => write!(f, " for {}.[{name}]", message.name()),
            None => Ok(()),
        }
    }
}

/// Reads a message in the form of its type.
pub(super) struct MessageVisitor<'v, 'd, 'c, 'arena> {
    pub(super) kept: Kept<'c, 'arena>,
    pub(super) out: &'v mut MessageMut<'d, 'arena>,
}

impl<'d, 'arena> MessageVisitor<'_, 'd, '_, 'arena> {
    pub(super) fn token<E: Error>(self, token: Token<'_>) -> Result<(), E> {
        let MessageVisitor { kept, out } = self;
        let set = |result: Result<(), Fail>| result.map_err(|fail| kept.error(fail));
        match (out.descriptor().well_known, token) {
            (WellKnown::Timestamp, Token::String(text)) => set(set_timestamp(out, text)),
            (WellKnown::Duration, Token::String(text)) => set(set_duration(out, text)),
            (WellKnown::FieldMask, Token::String(text)) => set(set_field_mask(out, text, kept.context.store)),
            (WellKnown::Wrapper, token) => Self { kept, out }.in_field(1, |visitor| visitor.token(token)),
            (WellKnown::Value, token) => {
                let number = match token {
                    Token::Null => 1,
                    Token::Integer(_) | Token::Float(_) => 2,
                    Token::String(_) => 3,
                    Token::Bool(_) => 4,
                    Token::Bytes(_) => return Err(token.unexpected(&Self { kept, out })),
                };
                Self { kept, out }.in_field(number, |visitor| visitor.token(token))
            }
            (_, token) => Err(token.unexpected(&Self { kept, out })),
        }
    }

    /// Reads a field of a well-known type, which stands for the message.
    fn in_field<E: Error>(
        self,
        number: u32,
        read: impl FnOnce(ValueVisitor<'_, '_, 'd, '_, 'arena>) -> Result<Outcome, E>,
    ) -> Result<(), E> {
        let MessageVisitor { kept, out } = self;
        let descriptor = out.descriptor();
        let is_value = descriptor.well_known == WellKnown::Value;
        let field = if is_value { kind(out, number) } else { content(descriptor) };
        let field = field.map_err(|fail| kept.error(fail))?;
        let place = Place { around: kept.place, message: descriptor, step: Step::Field(field) };
        // What is any value is at no place of its own.
        let place = if is_value { kept.place } else { Some(&place) };
        let kept = Kept { context: kept.context, place };
        read(ValueVisitor { kept, field, target: Target::Field(out), null: false }).map(|_| ())
    }

    /// The members of an object.
    fn fields<'de, A: MapAccess<'de>>(self, map: &mut A) -> Result<(), A::Error> {
        let MessageVisitor { kept, out } = self;
        let descriptor = out.descriptor();
        let fields = descriptor.fields();
        let mut seen = Seen::new(descriptor, kept.context.store).map_err(|exhausted| kept.error(exhausted))?;
        let mut required = 0;
        while let Some(found) = map.next_key_seed(KeySeed { kept, descriptor })? {
            let index = match found {
                Found::Field(index) => index,
                Found::Unknown => {
                    map.next_value_seed(Capture { kept, text: None })?;
                    continue;
                }
                Found::Extension(extension) => {
                    extended(kept, out, extension, map, &mut seen)?;
                    continue;
                }
            };
            let Some(field) = fields.get(index) else { continue };
            let place = Place { around: kept.place, message: descriptor, step: Step::Field(field) };
            let kept = Kept { context: kept.context, place: Some(&place) };
            if seen.insert(index) {
                return Err(kept.error(twice(field, 0)));
            }
            let seed = ValueVisitor { kept, field, target: Target::Field(out), null: !takes_null(field) };
            let outcome = map.next_value_seed(seed)?;
            if let (true, Some(oneof)) = (outcome != Outcome::Null, field.oneof()) {
                if seen.insert(fields.len() + oneof) {
                    let reason = Reason::Twice("a member of this field's oneof".into());
                    return Err(kept.error(Fail::new(reason)));
                }
            }
            required += u16::from(outcome == Outcome::Set && field.is_required());
        }
        if descriptor.required != required {
            let mut needed = fields.iter().enumerate().filter(|(_, field)| field.is_required());
            let missing = needed.clone().find(|(index, _)| !seen.has(*index)).or_else(|| needed.next());
            let fail = Fail::new(Reason::Missing);
            return Err(kept.error(match missing {
                Some((_, field)) => fail.within(descriptor, field),
                None => fail,
            }));
        }
        Ok(())
    }
}

/// The value of an extension goes to the unknown fields, by way of a text.
fn extended<'de, 'arena, A: MapAccess<'de>>(
    kept: Kept<'_, 'arena>,
    out: &mut MessageMut<'_, 'arena>,
    extension: ExtensionType<'_>,
    map: &mut A,
    seen: &mut Seen<'arena>,
) -> Result<(), A::Error> {
    let descriptor = out.descriptor();
    let step = Step::Extension(extension.full_name());
    let place = Place { around: kept.place, message: descriptor, step };
    let inside = Kept { context: kept.context, place: Some(&place) };
    seen.insert_extension(extension, 0, kept.context.store).map_err(|fail| inside.error(fail))?;
    let mut text = String::new();
    map.next_value_seed(Capture { kept: inside, text: Some(&mut text) })?;
    let Context { store, options, levels } = kept.context;
    let result = read_text(&text, kept, |text| {
        let mut reader = Reader::new(text, store, options).with_levels(levels.get());
        reader.extension(out, extension)
    });
    // The path begins with the holder, of which nobody has heard.
    result.map_err(|fail| kept.error(fail.within_extension(descriptor, extension.full_name())))
}

/// Reads a text that is kept as long as the message.
fn read_text<'arena>(
    text: &str,
    kept: Kept<'_, 'arena>,
    read: impl FnOnce(&'arena str) -> Result<(), Fail>,
) -> Result<(), Fail> {
    read(kept.context.store.str(text)?)
}

impl<'de> Visitor<'de> for MessageVisitor<'_, '_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.out.descriptor().well_known {
            WellKnown::None | WellKnown::Empty | WellKnown::Any | WellKnown::Struct => "an object",
            WellKnown::Timestamp => "a time such as 1970-01-01T00:00:00Z",
            WellKnown::Duration => "a duration such as 1.5s",
            WellKnown::FieldMask => "the paths of a field mask",
            WellKnown::ListValue => "an array",
            WellKnown::Value | WellKnown::Wrapper => "a value",
        })?;
        self.kept.write_path(f)
    }

    tokens!(());

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<(), A::Error> {
        match self.out.descriptor().well_known {
            WellKnown::Value => self.in_field(6, |visitor| visitor.visit_seq(seq)),
            WellKnown::ListValue => self.in_field(1, |visitor| visitor.visit_seq(seq)),
            _ => Err(A::Error::invalid_type(Unexpected::Seq, &self)),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let kept = self.kept;
        match self.out.descriptor().well_known {
            WellKnown::None | WellKnown::Empty => kept.context.deeper(kept.place, || self.fields(&mut map)),
            WellKnown::Value => self.in_field(5, |visitor| visitor.visit_map(map)),
            WellKnown::Struct => self.in_field(1, |visitor| visitor.visit_map(map)),
            WellKnown::Any => {
                let mut text = String::new();
                Capture { kept, text: Some(&mut text) }.object(map)?;
                let Context { store, options, levels } = kept.context;
                let result = read_text(&text, kept, |text| {
                    Reader::new(text, store, options).with_levels(levels.get()).whole(self.out)
                });
                result.map_err(|fail| kept.error(fail))
            }
            _ => Err(A::Error::invalid_type(Unexpected::Map, &self)),
        }
    }
}

/// What a key is of.
enum Found<'k> {
    /// The field of this index.
    Field(usize),
    Extension(ExtensionType<'k>),
    /// To be passed over.
    Unknown,
}

struct KeySeed<'k, 'c, 'arena> {
    kept: Kept<'c, 'arena>,
    descriptor: &'k MessageDescriptor,
}

impl<'de, 'c> DeserializeSeed<'de> for KeySeed<'_, 'c, '_> {
    type Value = Found<'c>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Found<'c>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'c> Visitor<'_> for KeySeed<'_, 'c, '_> {
    type Value = Found<'c>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a field")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Found<'c>, E> {
        let KeySeed { kept, descriptor } = self;
        let field = descriptor.field_by_json_name(name).or_else(|| descriptor.field_by_name(name));
        let index = |field: &FieldDescriptor| key::index_of(descriptor.fields(), field);
        if let Some(index) = field.and_then(index) {
            return Ok(Found::Field(index));
        }
        let options = kept.context.options;
        if let (Some(name), Some(resolver)) =
            (name.strip_prefix('[').and_then(|name| name.strip_suffix(']')), options.resolver)
        {
            if let Some(extension) = resolver.extension(descriptor.full_name(), name) {
                return Ok(Found::Extension(extension));
            }
        }
        if options.ignore_unknown {
            return Ok(Found::Unknown);
        }
        let known = descriptor.well_known == WellKnown::None;
        let place = if known { descriptor.name() } else { descriptor.full_name() };
        Err(kept.error(Fail::new(Reason::UnknownField(words(format_args!("{place}.{name}"))))))
    }
}
