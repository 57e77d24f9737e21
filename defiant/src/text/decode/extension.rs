//! What stands in brackets: extensions, and the message in an `Any`.

use alloc::string::String;

use super::Parser;
use super::fields::Progress;
use crate::arena::Arena;
use crate::descriptor::{Cardinality, FieldDescriptor, Raw};
use crate::error::words;
use crate::reflect::{Exhausted, ExtensionType, MessageMut, MessageType, Rejected, Store};
use crate::text::MESSAGE_SET_EXTENSION;
use crate::text::error::{Failure, Kind, Result};

impl<'t> Parser<'t> {
    /// Reads the message in an `Any`, behind the URL of its type.
    pub(super) fn any<'d, 'a>(
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
        let wire = self.elsewhere(ty, store, |this, message, aside| this.nested(message, aside))?;
        into.set(url_field, Raw::Str(store.str(url)?))?;
        into.set(value_field, Raw::Bytes(wire))?;
        self.separator();
        Ok(())
    }

    /// Reads an extension, behind its name: it becomes a record among the unknown fields.
    pub(super) fn extension<'d, 'a>(
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
        let span = self.elsewhere(holder, store, |this, message, aside| this.only(field, offset, message, aside))?;
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

    /// Reads a message in memory of its own, and gives it encoded.
    fn elsewhere<'a>(
        &mut self,
        ty: MessageType<'t>,
        store: &Store<'a>,
        read: impl for<'s> FnOnce(&mut Self, &mut MessageMut<'t, 's>, &Store<'s>) -> Result<()>,
    ) -> Result<&'a [u8]> {
        let arena = Arena::new();
        let aside = store.aside(&arena);
        let mut message = MessageMut::alloc(ty.descriptor(), &aside)?;
        read(self, &mut message, &aside)?;
        store.count_aside(&aside);
        Ok(store.bytes(ty.encode_in_scratch(message.as_ref(), &mut Arena::new())?)?)
    }

    /// Reads the values of a field, and no other field.
    fn only<'s>(
        &mut self,
        field: &'t FieldDescriptor,
        offset: usize,
        into: &mut MessageMut<'t, 's>,
        store: &Store<'s>,
    ) -> Result<()> {
        let mut progress = Progress::new();
        self.values(field, offset, into, store, &mut progress)?;
        self.finish(into, store, progress)
    }
}
