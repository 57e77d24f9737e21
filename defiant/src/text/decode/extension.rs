//! What stands in brackets: extensions, and the message in an `Any`.

use alloc::string::String;

use super::Parser;
use super::fields::Progress;
use crate::arena::Arena;
use crate::descriptor::{Cardinality, FieldDescriptor, Raw};
use crate::error::words;
use crate::reflect::{Exhausted, ExtensionType, MessageMut, MessageType, Parts, Rejected, Store};
use crate::text::MESSAGE_SET_EXTENSION;
use crate::text::error::{Failure, Kind, Result};

/// The one field of a message that is read, and where its name is.
#[derive(Clone, Copy)]
struct Only<'t> {
    field: &'t FieldDescriptor,
    offset: usize,
}

impl<'t, 'a> Parser<'t, 'a> {
    /// Reads the message in an `Any`, behind the URL of its type.
    pub(super) fn any<'d>(
        &mut self,
        url: &str,
        offset: usize,
        into: &mut MessageMut<'d, 'a>,
        store: &Store<'a>,
        progress: &mut Progress<'d, 'a>,
    ) -> Result<()> {
        let any = into.descriptor();
        store.admit(url.len())?;
        let name = url.rsplit('/').next().unwrap_or(url);
        let Some(ty) = self.options.resolver.and_then(|resolver| resolver.message(name)) else {
            let reason = words(format_args!("no message type `{name}` is known"));
            return Err(Failure::new(Kind::Unresolved, reason, offset));
        };
        // Both fields are given by it.
        let (Some(url_field), Some(value_field)) = (any.field(1), any.field(2)) else {
            return Err(Rejected::Type.into());
        };
        if progress.give(any, url_field)? | progress.give(any, value_field)? {
            return Err(Failure::new(Kind::Duplicate, "the message in it is given already", offset));
        }
        self.lexer.eat(b':');
        let wire = self.encoded(ty, store, None)?;
        into.set(url_field, Raw::Str(store.str(url)?))?;
        into.set(value_field, Raw::Bytes(wire))?;
        self.separator();
        Ok(())
    }

    /// Reads an extension, behind its name: it becomes a record among the unknown fields.
    pub(super) fn extension<'d>(
        &mut self,
        name: &str,
        offset: usize,
        into: &mut MessageMut<'d, 'a>,
        store: &Store<'a>,
        progress: &mut Progress<'d, 'a>,
    ) -> Result<()> {
        let Some(extension) = self.resolve(name, into)? else {
            if self.options.ignore_unknown {
                return self.skip_field();
            }
            let host = into.descriptor().full_name();
            let reason = words(format_args!("no extension `{name}` of `{host}` is known"));
            return Err(Failure::new(Kind::Unresolved, reason, offset));
        };
        let field = extension.field();
        if field.cardinality() != Cardinality::Repeated && !progress.extensions.insert(field.number(), store)? {
            return Err(Failure::new(Kind::Duplicate, "the extension is given already", offset));
        }
        let holder = extension.holder();
        let only = Only { field, offset };
        // The records of a message set are looked at when it is encoded.
        let span = match into.descriptor().message_set {
            true => self.at_once(|this| this.encoded(holder, store, Some(only)))?,
            false => self.encoded(holder, store, Some(only))?,
        };
        into.push_unknown(span, store)?;
        self.separator();
        Ok(())
    }

    /// The extension of a name; in a message set, the name of the extension's type stands for it, too.
    fn resolve(&self, name: &str, host: &MessageMut<'_, '_>) -> Result<Option<ExtensionType<'t>>> {
        let Some(resolver) = self.options.resolver else { return Ok(None) };
        let host = host.descriptor();
        let found = resolver.extension(host.full_name(), name);
        if found.is_some() || !host.message_set {
            return Ok(found);
        }
        let mut inside = String::new();
        let len = name.len() + 1 + MESSAGE_SET_EXTENSION.len();
        inside.try_reserve_exact(len).map_err(|_| Exhausted::Memory)?;
        inside.extend([name, ".", MESSAGE_SET_EXTENSION]);
        let is_of_type = |extension: &ExtensionType<'_>| {
            extension.field().message().is_some_and(|message| message.full_name() == name)
        };
        Ok(resolver.extension(host.full_name(), &inside).filter(is_of_type))
    }

    /// Reads a message, or only one field of it. Returns its binary form, or a token for it inside of another such message.
    ///
    /// The outermost is read in memory of its own, with all messages in it, and encoded from there.
    fn encoded(&mut self, ty: MessageType<'t>, store: &Store<'a>, only: Option<Only<'t>>) -> Result<&'a [u8]> {
        if self.inside > 0 {
            let message = self.content(ty, store, only)?;
            return Ok(self.parts.add(message, store)?);
        }
        let arena = Arena::new();
        let aside = store.aside(&arena);
        let Parser { lexer, options, depth, .. } = *self;
        let scratch = core::mem::take(&mut self.scratch);
        let mut inner = Parser { lexer, options, depth, scratch, parts: Parts::default(), inside: 0 };
        let message = inner.content(ty, &aside, only);
        (self.lexer, self.depth, self.scratch) = (inner.lexer, inner.depth, inner.scratch);
        let message = message?;
        store.count_aside(&aside);
        // An encoder keeps what it wrote, so it writes to an arena of its own.
        let mut scratch = Arena::new();
        let wire = match inner.parts.len() {
            0 => ty.encode_in_scratch(message.as_ref(), &mut scratch)?,
            _ => inner.parts.encode(message.as_ref(), &mut scratch)?,
        };
        Ok(store.bytes(wire)?)
    }

    fn content(
        &mut self,
        ty: MessageType<'t>,
        store: &Store<'a>,
        only: Option<Only<'t>>,
    ) -> Result<MessageMut<'t, 'a>> {
        let mut message = MessageMut::alloc(ty.descriptor(), store)?;
        self.inside += 1;
        match only {
            Some(Only { field, offset }) => self.only(field, offset, &mut message, store)?,
            None => self.nested(&mut message, store)?,
        }
        self.inside -= 1;
        Ok(message)
    }

    /// Reads what is encoded before an `Any` or an extension around it, and so has to have its bytes.
    pub(super) fn at_once<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let inside = core::mem::take(&mut self.inside);
        let value = read(self)?;
        self.inside = inside;
        Ok(value)
    }

    /// Reads the values of a field, and no other field.
    fn only(
        &mut self,
        field: &'t FieldDescriptor,
        offset: usize,
        into: &mut MessageMut<'t, 'a>,
        store: &Store<'a>,
    ) -> Result<()> {
        let mut progress = Progress::new();
        self.values(field, offset, into, store, &mut progress)?;
        self.finish(into, store, progress)
    }
}
