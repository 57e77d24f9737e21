//! The fields of a message.

use alloc::string::String;
use alloc::vec::Vec;

use super::{Parser, messages_of};
use crate::descriptor::{Cardinality, FieldDescriptor, MessageDescriptor, WellKnown};
use crate::error::words;
use crate::reflect::{Exhausted, ListBuilder, MapBuilder, MessageMut, Numbers, Store};
use crate::text::error::{Failure, Kind, Result};
use crate::text::is_group_like;

/// What is known of a message while its fields are read.
pub(super) struct Progress<'d, 'a> {
    /// Bits of the fields that are given and not repeated, by their indices, followed by those of the oneofs: the first 64,
    /// and all others.
    given: u64,
    more: Vec<u64>,
    /// Lists and maps under construction, so that fields that take turns grow in place.
    open: Vec<(&'d FieldDescriptor, Open<'d, 'a>)>,
    /// Positions in `open` by the indices of fields, and `CLOSED` elsewhere. Empty while `open` is short enough to search.
    positions: Vec<u32>,
    /// The extensions that are given and not repeated.
    pub(super) extensions: Numbers<'a>,
}

enum Open<'d, 'a> {
    List(ListBuilder<'a>),
    Map(MapBuilder<'d, 'a>),
}

/// Lists and maps under construction that are searched one by one.
const FEW: usize = 8;
const CLOSED: u32 = u32::MAX;

impl<'d, 'a> Progress<'d, 'a> {
    pub(super) fn new() -> Self {
        let (more, open, positions) = (Vec::new(), Vec::new(), Vec::new());
        Progress { given: 0, more, open, positions, extensions: Numbers::default() }
    }

    /// Notes that a field is given, and says whether it was before.
    pub(super) fn give(
        &mut self,
        descriptor: &MessageDescriptor,
        field: &FieldDescriptor,
    ) -> core::result::Result<bool, Exhausted> {
        self.note(descriptor, index_of(descriptor, field))
    }

    /// Notes that a member of a oneof is given, and says whether one was before.
    fn give_oneof(&mut self, descriptor: &MessageDescriptor, oneof: usize) -> core::result::Result<bool, Exhausted> {
        self.note(descriptor, descriptor.fields().len() + oneof)
    }

    fn note(&mut self, descriptor: &MessageDescriptor, index: usize) -> core::result::Result<bool, Exhausted> {
        let (word, bit) = (index / 64, 1 << (index % 64));
        if word > 0 && self.more.is_empty() {
            let words = (descriptor.fields().len() + descriptor.oneofs.len()) / 64;
            self.more.try_reserve_exact(words).map_err(|_| Exhausted::Memory)?;
            self.more.resize(words, 0);
        }
        let word = match word.checked_sub(1) {
            None => Some(&mut self.given),
            Some(word) => self.more.get_mut(word),
        };
        Ok(word.is_some_and(|word| {
            let before = *word & bit != 0;
            *word |= bit;
            before
        }))
    }

    fn is_given(&self, descriptor: &MessageDescriptor, field: &FieldDescriptor) -> bool {
        let index = index_of(descriptor, field);
        let word = match (index / 64).checked_sub(1) {
            None => Some(&self.given),
            Some(word) => self.more.get(word),
        };
        word.is_some_and(|word| word & 1 << (index % 64) != 0)
    }

    /// The list or map of a field, if there is memory to remember it.
    fn open(&mut self, message: &MessageMut<'d, 'a>, field: &'d FieldDescriptor) -> Option<&mut Open<'d, 'a>> {
        let index = match self.position(message.descriptor(), field) {
            Some(index) => index,
            None => {
                let made =
                    if field.is_map() { Open::Map(message.map(field)?) } else { Open::List(message.list(field)?) };
                self.open.try_reserve(1).ok()?;
                self.open.push((field, made));
                self.remember(message.descriptor())?;
                self.open.len() - 1
            }
        };
        self.open.get_mut(index).map(|open| &mut open.1)
    }

    /// The position of a field's list or map in `open`.
    fn position(&self, descriptor: &MessageDescriptor, field: &FieldDescriptor) -> Option<usize> {
        if self.positions.is_empty() {
            // Nearly always the last.
            return self.open.iter().rposition(|open| open.0.number() == field.number());
        }
        let position = self.positions.get(index_of(descriptor, field)).copied()?;
        if position == CLOSED { None } else { usize::try_from(position).ok() }
    }

    /// Enters the last of `open` in `positions`; all of them, once they are more than `FEW`.
    fn remember(&mut self, descriptor: &MessageDescriptor) -> Option<()> {
        if self.open.len() <= FEW {
            return Some(());
        }
        let mut first = self.open.len() - 1;
        if self.positions.is_empty() {
            let fields = descriptor.fields().len();
            self.positions.try_reserve_exact(fields).ok()?;
            self.positions.resize(fields, CLOSED);
            first = 0;
        }
        for (position, (field, _)) in self.open.iter().enumerate().skip(first) {
            *self.positions.get_mut(index_of(descriptor, field))? = u32::try_from(position).ok()?;
        }
        Some(())
    }
}

/// The index of a field, which is one of the descriptor's own.
fn index_of(descriptor: &MessageDescriptor, field: &FieldDescriptor) -> usize {
    descriptor.fields().partition_point(|own| own.number() < field.number())
}

impl<'a> Parser<'_, 'a> {
    /// Reads fields up to a bracket, or to the end of the text, into a message with nothing set.
    pub(super) fn fields<'d>(
        &mut self,
        into: &mut MessageMut<'d, 'a>,
        store: &Store<'a>,
        close: Option<u8>,
    ) -> Result<()> {
        let mut progress = Progress::new();
        while self.lexer.peek().is_some_and(|next| Some(next) != close) {
            self.field(into, store, &mut progress)?;
        }
        self.finish(into, store, progress)
    }

    /// Checks that nothing is missing, and writes the lists and maps.
    pub(super) fn finish<'d>(
        &self,
        into: &mut MessageMut<'d, 'a>,
        store: &Store<'a>,
        progress: Progress<'d, 'a>,
    ) -> Result<()> {
        let descriptor = into.descriptor();
        let offset = self.lexer.offset();
        let is_missing = |field: &&FieldDescriptor| field.is_required() && !progress.is_given(descriptor, field);
        let missing = if descriptor.required > 0 { descriptor.fields().iter().find(is_missing) } else { None };
        if let Some(field) = missing {
            let failure = Failure::new(Kind::Missing, "required field missing", offset);
            return Err(failure.within(descriptor.name(), field.name(), offset));
        }
        for (field, open) in progress.open {
            let set = match open {
                Open::List(list) => store.count(list.len()).map(|()| into.set_list(field, list)),
                Open::Map(map) => store.count(map.len()).and_then(|()| into.set_map(field, map, store)),
            };
            set.map_err(|error| Failure::from(error).within(descriptor.name(), field.name(), offset))?;
        }
        Ok(())
    }

    fn field<'d>(
        &mut self,
        into: &mut MessageMut<'d, 'a>,
        store: &Store<'a>,
        progress: &mut Progress<'d, 'a>,
    ) -> Result<()> {
        let descriptor = into.descriptor();
        let offset = self.lexer.offset();
        if self.lexer.eat(b'[') {
            let name = self.lexer.bracketed()?;
            let done = match descriptor.well_known == WellKnown::Any && name.contains('/') {
                true => self.any(&name, offset, into, store, progress),
                false => self.extension(&name, offset, into, store, progress),
            };
            return done.map_err(|failure| failure.within(descriptor.name(), format_args!("[{name}]"), offset));
        }
        let name = self.lexer.identifier("a field name")?;
        let Some(field) = find(descriptor, name)? else {
            if self.options.ignore_unknown || descriptor.is_reserved(name) {
                return self.skip_field().map_err(|failure| failure.within(descriptor.name(), name, offset));
            }
            let reason = words(format_args!("`{}` has no field `{name}`", descriptor.full_name()));
            return Err(Failure::new(Kind::UnknownField, reason, offset));
        };
        self.values(field, offset, into, store, progress)
            .map_err(|failure| failure.within(descriptor.name(), field.name(), offset))?;
        self.separator();
        Ok(())
    }

    /// Reads what is behind a field's name: a value, or those of a list.
    pub(super) fn values<'d>(
        &mut self,
        field: &'d FieldDescriptor,
        offset: usize,
        into: &mut MessageMut<'d, 'a>,
        store: &Store<'a>,
        progress: &mut Progress<'d, 'a>,
    ) -> Result<()> {
        if field.message().is_some() || field.is_map() {
            self.lexer.eat(b':');
        } else {
            self.colon()?;
        }
        if field.cardinality() == Cardinality::Repeated {
            let Some(open) = progress.open(into, field) else {
                return Err(Failure::from(Exhausted::Memory).at(offset));
            };
            return match self.lexer.eat(b'[') {
                true => self.list(|this| this.element(field, open, store)),
                false => self.element(field, open, store),
            };
        }
        let descriptor = into.descriptor();
        if let Some(oneof) = field.oneof() {
            if progress.give_oneof(descriptor, oneof)? {
                let mut members = descriptor.fields().iter().filter(|member| member.oneof() == Some(oneof));
                let other = members.find(|member| progress.is_given(descriptor, member)).unwrap_or(field);
                let reason = words(format_args!("`{}` of the same oneof is given already", other.name()));
                return Err(Failure::new(Kind::Duplicate, reason, offset));
            }
        }
        if progress.give(descriptor, field)? {
            return Err(Failure::new(Kind::Duplicate, "the field is given already", offset));
        }
        let offset = self.lexer.offset();
        let set = if field.message().is_some() {
            let mut message = MessageMut::alloc(messages_of(field, offset)?, store)?;
            match field.lazy() {
                Some(_) => self.at_once(|this| this.nested(&mut message, store))?,
                None => self.nested(&mut message, store)?,
            }
            into.set_message(field, message, store)
        } else {
            let value = self.scalar(field, store)?;
            into.set(field, value)
        };
        set.map_err(|rejected| Failure::from(rejected).at(offset))
    }

    /// Reads a value of a repeated field, or an entry of a map.
    fn element<'d>(&mut self, field: &'d FieldDescriptor, open: &mut Open<'d, 'a>, store: &Store<'a>) -> Result<()> {
        let offset = self.lexer.offset();
        match open {
            Open::Map(map) => self.entry(field, map, store),
            Open::List(list) if field.message().is_some() => {
                list.push_message(messages_of(field, offset)?, store, |message| match field.lazy() {
                    Some(_) => self.at_once(|this| this.nested(message, store)),
                    None => self.nested(message, store),
                })
            }
            Open::List(list) => {
                let value = self.scalar(field, store)?;
                list.push(value, store).map_err(|rejected| Failure::from(rejected).at(offset))
            }
        }
    }
}

/// The field that a name stands for: its own, or that of its message if it looks like a group.
fn find<'d>(
    descriptor: &'d MessageDescriptor,
    name: &str,
) -> core::result::Result<Option<&'d FieldDescriptor>, Exhausted> {
    let field = descriptor.field_by_name(name);
    if field.is_some() || !name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return Ok(field);
    }
    let mut lower = String::new();
    lower.try_reserve_exact(name.len()).map_err(|_| Exhausted::Memory)?;
    lower.push_str(name);
    lower.make_ascii_lowercase();
    let group = descriptor.field_by_name(&lower).filter(|field| is_group_like(descriptor, field));
    Ok(group.filter(|field| field.message().is_some_and(|message| message.name() == name)))
}
