//! JSON to messages.

use super::error::{Fail, Reason};
use super::options::DecodeOptions;
use super::type_name;
use crate::arena::Arena;
use crate::descriptor::{
    Access, Cardinality, EnumDescriptor, FieldDescriptor, MessageDescriptor, Raw, Type, WellKnown,
};
use crate::error::words;
use crate::reflect::{Exhausted, ExtensionType, MessageMut, Numbers, Parts, Store};

mod any;
pub(super) mod key;
mod nearest;
pub(super) mod number;
mod scalar;
mod scanner;
mod typed;
mod types;
pub(super) mod well_known;

use scanner::Scanner;
use types::Types;

/// Reads one text.
pub(super) struct Reader<'r, 's, 'arena> {
    scanner: Scanner<'s, 'arena>,
    options: &'r DecodeOptions<'r>,
    /// Where messages are encoded to, if there are any to encode.
    scratch: Option<Arena>,
    types: Types<'arena>,
    /// Messages in the content of an `Any` or an extension around the place, which are encoded with it.
    parts: Parts<'r, 'arena>,
    /// How many of those are around the place.
    inside: u32,
}

impl<'r, 's, 'arena> Reader<'r, 's, 'arena> {
    pub(super) fn new(text: &'arena str, store: &'s Store<'arena>, options: &'r DecodeOptions<'r>) -> Self {
        let scanner = Scanner::new(text, store, options.recursion_limit);
        Reader { scanner, options, scratch: None, types: Types::default(), parts: Parts::default(), inside: 0 }
    }

    /// With levels that were entered already.
    #[cfg(feature = "serde")]
    pub(super) fn with_levels(mut self, levels: u32) -> Self {
        self.scanner.levels = levels;
        self
    }

    /// The whole text as one message.
    pub(super) fn whole(&mut self, out: &mut MessageMut<'_, 'arena>) -> Result<(), Fail> {
        self.scanner.space();
        let result = self.message(out).and_then(|()| self.scanner.end());
        result.map_err(|fail| fail.or_at(self.scanner.at))
    }

    /// A message in the form of its type.
    fn message(&mut self, out: &mut MessageMut<'_, 'arena>) -> Result<(), Fail> {
        match out.descriptor().well_known {
            WellKnown::None | WellKnown::Empty => {
                self.scanner.open(b'{', "expected an object")?;
                self.fields(out, false)
            }
            _ => self.well_known(out),
        }
    }

    /// What is behind the opening brace of an object: fields, and the closing brace. Inside of an `Any`, its `@type` is
    /// none of them.
    fn fields(&mut self, out: &mut MessageMut<'_, 'arena>, in_any: bool) -> Result<(), Fail> {
        let descriptor = out.descriptor();
        let fields = descriptor.fields();
        let mut seen = Seen::new(descriptor, self.scanner.store)?;
        let mut next = 0;
        let mut required = 0;
        if !self.scanner.closes(b'}') {
            loop {
                let at = self.scanner.at;
                let found = match key::predicted(&self.scanner, fields, next) {
                    Some((index, behind)) => {
                        self.scanner.at = behind;
                        self.scanner.space();
                        Some(index)
                    }
                    None => self.searched(out, &mut seen, at, in_any)?,
                };
                if let Some((index, field)) = found.and_then(|index| Some((index, fields.get(index)?))) {
                    next = index + 1;
                    if seen.insert(index) {
                        return Err(twice(field, at).within(descriptor, field));
                    }
                    let set = self.member(out, field, fields.len(), &mut seen, at);
                    let set = set.map_err(|fail| fail.or_at(self.scanner.at).within(descriptor, field))?;
                    required += u16::from(set && field.is_required());
                }
                if !self.scanner.follows(b'}')? {
                    break;
                }
            }
        }
        if descriptor.required != required {
            return Err(self.missing(out, &seen));
        }
        Ok(())
    }

    /// The field that is next in a message; whether it was set.
    #[inline]
    fn member(
        &mut self,
        out: &mut MessageMut<'_, 'arena>,
        field: &FieldDescriptor,
        oneofs: usize,
        seen: &mut Seen<'arena>,
        at: usize,
    ) -> Result<bool, Fail> {
        if self.scanner.peek() == b'n' && !takes_null(field) {
            self.scanner.literal("null")?;
            return Ok(false);
        }
        if let Some(oneof) = field.oneof() {
            if seen.insert(oneofs + oneof) {
                return Err(Fail::at(Reason::Twice("a member of this field's oneof".into()), at));
            }
        }
        self.value(out, field)
    }

    /// Finds the field of a key that was not predicted, up to its value. What is no field of the message is dealt with here.
    #[inline(never)]
    fn searched(
        &mut self,
        out: &mut MessageMut<'_, 'arena>,
        seen: &mut Seen<'arena>,
        at: usize,
        in_any: bool,
    ) -> Result<Option<usize>, Fail> {
        let key = self.scanner.key()?;
        let descriptor = out.descriptor();
        if let Some(field) = descriptor.field_by_json_name(key).or_else(|| descriptor.field_by_name(key)) {
            return Ok(key::index_of(descriptor.fields(), field));
        }
        if in_any && key == types::TYPE {
            if core::mem::replace(&mut seen.typed, true) {
                return Err(any::type_twice(at));
            }
            self.scanner.skip()?;
            return Ok(None);
        }
        if let (Some(name), Some(resolver)) =
            (key.strip_prefix('[').and_then(|key| key.strip_suffix(']')), self.options.resolver)
        {
            if let Some(extension) = resolver.extension(descriptor.full_name(), name) {
                let result = seen.insert_extension(extension, at, self.scanner.store);
                let result = result.and_then(|()| self.extension(out, extension));
                result
                    .map_err(|fail| fail.or_at(self.scanner.at).within_extension(descriptor, extension.full_name()))?;
                return Ok(None);
            }
        }
        if self.options.ignore_unknown {
            self.scanner.skip()?;
            return Ok(None);
        }
        let place = if descriptor.well_known == WellKnown::None { descriptor.name() } else { descriptor.full_name() };
        Err(Fail::at(Reason::UnknownField(words(format_args!("{place}.{key}"))), at))
    }

    #[cold]
    #[inline(never)]
    fn missing(&self, out: &MessageMut<'_, 'arena>, seen: &Seen<'arena>) -> Fail {
        let descriptor = out.descriptor();
        let fail = Fail::at(Reason::Missing, self.scanner.at.saturating_sub(1));
        let missing = |(index, field): &(usize, &FieldDescriptor)| field.is_required() && !seen.has(*index);
        let required = descriptor.fields().iter().enumerate();
        let first = required.clone().find(missing);
        // What was there without being set is null, or an enum value that was passed over.
        let first = first.or_else(|| required.clone().find(|(_, field)| field.is_required()));
        match first {
            Some((_, field)) => fail.within(descriptor, field),
            None => fail,
        }
    }

    /// A field's value; whether there was one to set.
    fn value(&mut self, out: &mut MessageMut<'_, 'arena>, field: &FieldDescriptor) -> Result<bool, Fail> {
        if self.typed(out, field)? {
            return Ok(true);
        }
        match field.access() {
            Access::List(_) => self.list(out, field).map(|()| true),
            Access::Map(_) => self.map(out, field).map(|()| true),
            _ => match field.message() {
                Some(descriptor) => {
                    let mut message = MessageMut::alloc(descriptor, self.scanner.store)?;
                    if self.inside > 0 && field.lazy().is_some() {
                        self.at_once(|this| this.message(&mut message))?;
                    } else {
                        self.message(&mut message)?;
                    }
                    out.set_message(field, message, self.scanner.store)?;
                    Ok(true)
                }
                None => match self.scalar(field.ty, field.enumeration())? {
                    Some(value) => {
                        out.set(field, value)?;
                        Ok(true)
                    }
                    None => Ok(false),
                },
            },
        }
    }

    fn list(&mut self, out: &mut MessageMut<'_, 'arena>, field: &FieldDescriptor) -> Result<(), Fail> {
        let store = self.scanner.store;
        self.scanner.open(b'[', "expected an array")?;
        let Some(mut list) = out.list(field) else { return Err(not_of_this_type()) };
        let lazy = self.inside > 0 && field.lazy().is_some();
        if !self.scanner.closes(b']') && !self.typed_elements(&mut list)? {
            loop {
                match field.message() {
                    Some(descriptor) => list.push_message(descriptor, store, |message| match lazy {
                        true => self.at_once(|this| this.message(message)),
                        false => self.message(message),
                    })?,
                    None => {
                        if let Some(value) = self.scalar(field.ty, field.enumeration())? {
                            list.push(value, store)?;
                        }
                    }
                }
                if !self.scanner.follows(b']')? {
                    break;
                }
            }
        }
        store.count(list.len())?;
        out.set_list(field, list);
        Ok(())
    }

    fn map(&mut self, out: &mut MessageMut<'_, 'arena>, field: &FieldDescriptor) -> Result<(), Fail> {
        let store = self.scanner.store;
        let at = self.scanner.at;
        self.scanner.open(b'{', "expected an object")?;
        let (Some(mut map), Some(key_type)) = (out.map(field), field.key_type()) else {
            return Err(not_of_this_type());
        };
        if !self.scanner.closes(b'}') {
            loop {
                let key = self.map_key(key_type)?;
                match field.message() {
                    Some(descriptor) => {
                        map.push_message(key, descriptor, store, |message| self.message(message))?;
                    }
                    None => {
                        if let Some(value) = self.scalar(field.ty, field.enumeration())? {
                            map.push(key, value, store)?;
                        }
                    }
                }
                if !self.scanner.follows(b'}')? {
                    break;
                }
            }
        }
        let entries = map.len();
        store.count(entries)?;
        out.set_map(field, map, store)?;
        if entries > 1 && out.map(field).is_some_and(|map| map.len() < entries) {
            return Err(Fail::at(Reason::Twice("a key of the map".into()), at));
        }
        Ok(())
    }
}

/// Whether `null` is a value of a field, and not the lack of one.
pub(super) fn takes_null(field: &FieldDescriptor) -> bool {
    if field.cardinality() == Cardinality::Repeated {
        return false;
    }
    match field.ty {
        Type::Message => field.message().is_some_and(|descriptor| descriptor.well_known == WellKnown::Value),
        Type::Enum => field.enumeration().is_some_and(|descriptor| descriptor.null),
        _ => false,
    }
}

#[cold]
pub(super) fn twice(field: &FieldDescriptor, at: usize) -> Fail {
    Fail::at(Reason::Twice(words(format_args!("field {:?}", field.json_name())).into()), at)
}

#[cold]
pub(super) fn not_of_this_type() -> Fail {
    Fail::new(Reason::Value("not a value of this field"))
}

/// Which fields of a message were met, and which oneofs and extensions.
pub(super) struct Seen<'arena> {
    words: [u64; 4],
    /// For messages of many fields.
    more: &'arena mut [u8],
    extensions: Numbers<'arena>,
    /// Whether the `@type` of an `Any` was met.
    typed: bool,
}

impl<'arena> Seen<'arena> {
    pub(super) fn new(descriptor: &MessageDescriptor, store: &Store<'arena>) -> Result<Self, Exhausted> {
        let count = descriptor.fields.len() + descriptor.oneofs.len();
        let more = if count <= 256 { &mut [] } else { store.zeroed(count)? };
        Ok(Seen { words: [0; 4], more, extensions: Numbers::default(), typed: false })
    }

    /// Adds an extension, unless it was there.
    pub(super) fn insert_extension(
        &mut self,
        extension: ExtensionType<'_>,
        at: usize,
        store: &Store<'arena>,
    ) -> Result<(), Fail> {
        match self.extensions.insert(extension.field().number(), store)? {
            true => Ok(()),
            false => Err(Fail::at(Reason::Twice("the extension".into()), at)),
        }
    }

    /// Adds one; whether it was there.
    #[inline]
    pub(super) fn insert(&mut self, index: usize) -> bool {
        if !self.more.is_empty() {
            return self.more.get_mut(index).is_some_and(|met| core::mem::replace(met, 1) != 0);
        }
        let word = &mut self.words[index / 64 % 4];
        let met = *word >> (index % 64) & 1 != 0;
        *word |= 1 << (index % 64);
        met
    }

    pub(super) fn has(&self, index: usize) -> bool {
        if !self.more.is_empty() {
            return self.more.get(index).is_some_and(|met| *met != 0);
        }
        self.words[index / 64 % 4] >> (index % 64) & 1 != 0
    }
}
