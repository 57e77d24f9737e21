//! What is encoded when it has been read: the content of an `Any`, extensions.

use super::types::TYPE;
use super::well_known::field;
use super::{Fail, MessageMut, Raw, Reader, Reason, WellKnown, type_name};
use crate::error::words;
use crate::reflect::{ExtensionType, MessageType};

impl<'arena> Reader<'_, '_, 'arena> {
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
        let mut message = MessageMut::alloc(ty.descriptor(), self.scanner.store)?;
        self.scanner.open(b'{', "expected an object")?;
        match message.descriptor().well_known {
            WellKnown::None => self.fields(&mut message, true)?,
            _ => self.only_value(&mut message)?,
        }
        out.set(url_field, Raw::Str(url))?;
        out.set(content_field, Raw::Bytes(self.encoded(ty, &message)?))?;
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
        extension: ExtensionType<'_>,
    ) -> Result<(), Fail> {
        let (field, ty) = (extension.field(), extension.holder());
        if self.scanner.peek() == b'n' && !super::takes_null(field) {
            return self.scanner.literal("null");
        }
        let mut holder = MessageMut::alloc(ty.descriptor(), self.scanner.store)?;
        let set = self.value(&mut holder, field).map_err(|fail| {
            // The path begins with the holder, which the caller replaces.
            fail.or_at(self.scanner.at).within(ty.descriptor(), field)
        })?;
        if set {
            let wire = self.encoded(ty, &holder)?;
            out.push_unknown(wire, self.scanner.store)?;
        }
        Ok(())
    }

    /// The binary form of a message. An encoder keeps what it wrote, so it writes to an arena of its own.
    fn encoded(&mut self, ty: MessageType<'_>, message: &MessageMut<'_, 'arena>) -> Result<&'arena [u8], Fail> {
        let scratch = self.scratch.get_or_insert_default();
        Ok(self.scanner.store.bytes(ty.encode_in_scratch(message.as_ref(), scratch)?)?)
    }
}

#[cold]
pub(super) fn type_twice(at: usize) -> Fail {
    Fail::at(Reason::Twice(TYPE.into()), at)
}
