//! What is encoded when it has been read: the content of an `Any`, extensions.

use super::types::TYPE;
use super::well_known::field;
use super::{Fail, MessageMut, Raw, Reader, Reason, WellKnown, type_name};
use crate::error::words;
use crate::reflect::{ExtensionType, MessageType};

impl<'r, 'arena> Reader<'r, '_, 'arena> {
    pub(super) fn any(&mut self, out: &mut MessageMut<'_, 'arena>) -> Result<(), Fail> {
        let (url_field, content_field) = (field(out, 1)?, field(out, 2)?);
        let Some((url, at)) = self.type_url()? else { return Ok(()) };
        let Some(name) = type_name(url) else {
            return Err(Fail::at(
                Reason::Value("expected a type URL such as type.googleapis.com/google.protobuf.Empty"),
                at,
            ));
        };
        let Some(ty) = self.options.resolver.and_then(|resolver| resolver.message(name)) else {
            return Err(Fail::at(Reason::Unresolved(words(format_args!("{name}"))), at));
        };
        let content = self.encoded(ty, |this, message| {
            this.scanner.open(b'{', "expected an object")?;
            match message.descriptor().well_known {
                WellKnown::None => this.fields(message, true)?,
                _ => this.only_value(message)?,
            }
            Ok(true)
        })?;
        out.set(url_field, Raw::Str(url))?;
        out.set(content_field, Raw::Bytes(content))?;
        Ok(())
    }

    /// The `@type` of the object that is next, and its offset. Passes an object without any member, and returns `None`.
    fn type_url(&mut self) -> Result<Option<(&'arena str, usize)>, Fail> {
        let begin = self.scanner.at;
        self.scanner.open(b'{', "expected an object")?;
        if self.scanner.closes(b'}') {
            return Ok(None);
        }
        self.scanner.at = begin;
        self.scanner.levels += 1;
        let Some(at) = self.find_type()? else {
            return Err(Fail::at(Reason::Value("expected a member \"@type\""), begin));
        };
        self.scanner.at = at;
        let url = self.scanner.value_string()?;
        self.scanner.at = begin;
        Ok(Some((url, at)))
    }

    /// What is behind the opening brace of an `Any` whose message has a form of its own: that, as `value`.
    fn only_value(&mut self, message: &mut MessageMut<'_, 'arena>) -> Result<(), Fail> {
        let optional = message.descriptor().well_known == WellKnown::Empty;
        let (begin, mut found, mut typed) = (self.scanner.at, false, false);
        loop {
            let at = self.scanner.at;
            match self.scanner.key()? {
                TYPE if !typed => {
                    typed = true;
                    self.scanner.skip()?;
                }
                TYPE => return Err(type_twice(at)),
                "value" if !found => {
                    found = true;
                    self.message(message)?;
                }
                "value" => return Err(Fail::at(Reason::Twice("\"value\"".into()), at)),
                _ if self.options.ignore_unknown => self.scanner.skip()?,
                key => return Err(Fail::at(Reason::UnknownField(words(format_args!("{key}"))), at)),
            }
            if !self.scanner.follows(b'}')? {
                break;
            }
        }
        if found || optional {
            return Ok(());
        }
        Err(Fail::at(Reason::Value("expected a member \"value\""), begin))
    }

    /// The value of an extension, which goes to the unknown fields.
    pub(in crate::json) fn extension(
        &mut self,
        out: &mut MessageMut<'_, 'arena>,
        extension: ExtensionType<'r>,
    ) -> Result<(), Fail> {
        let (field, ty) = (extension.field(), extension.holder());
        if self.scanner.peek() == b'n' && !super::takes_null(field) {
            return self.scanner.literal("null");
        }
        let read = |this: &mut Self, holder: &mut MessageMut<'r, 'arena>| {
            // The path begins with the holder, which the caller replaces.
            this.value(holder, field).map_err(|fail| fail.or_at(this.scanner.at).within(ty.descriptor(), field))
        };
        // The records of a message set are looked at when it is encoded.
        let wire = match out.descriptor().message_set {
            true => self.at_once(|this| this.encoded(ty, read))?,
            false => self.encoded(ty, read)?,
        };
        out.push_unknown(wire, self.scanner.store)?;
        Ok(())
    }

    /// The binary form of a message that a function reads, or a token for it inside of another such message. No bytes, where
    /// the function reads nothing.
    fn encoded(
        &mut self,
        ty: MessageType<'r>,
        read: impl FnOnce(&mut Self, &mut MessageMut<'r, 'arena>) -> Result<bool, Fail>,
    ) -> Result<&'arena [u8], Fail> {
        let (parts, store) = (self.parts.len(), self.scanner.store);
        let mut message = MessageMut::alloc(ty.descriptor(), store)?;
        self.inside += 1;
        let is_set = read(self, &mut message)?;
        self.inside -= 1;
        if !is_set {
            return Ok(&[]);
        }
        if self.inside > 0 {
            return Ok(self.parts.add(message, store)?);
        }
        // An encoder keeps what it wrote, so it writes to an arena of its own.
        let scratch = self.scratch.get_or_insert_default();
        let wire = match self.parts.len() == parts {
            true => ty.encode_in_scratch(message.as_ref(), scratch)?,
            false => self.parts.encode(message.as_ref(), scratch)?,
        };
        let wire = store.bytes(wire)?;
        self.parts.truncate(parts);
        Ok(wire)
    }

    /// Reads what is encoded before an `Any` or an extension around it, and so has to have its bytes.
    pub(super) fn at_once<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Fail>) -> Result<T, Fail> {
        let inside = core::mem::take(&mut self.inside);
        let value = read(self)?;
        self.inside = inside;
        Ok(value)
    }
}

#[cold]
pub(super) fn type_twice(at: usize) -> Fail {
    Fail::at(Reason::Twice(TYPE.into()), at)
}
