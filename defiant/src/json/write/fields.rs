//! The fields of a message, the usual ones read and written by their type at once.
#![expect(unsafe_code, reason = "reads fields at their offsets")]

use super::Writer;
use crate::descriptor::{Access, FieldDescriptor, Plain};
use crate::json::error::Fail;
use crate::reflect::MessageRef;

impl Writer<'_, '_> {
    /// The fields of a message, each behind a separator; the one for the next.
    pub(super) fn fields(&mut self, message: MessageRef<'_>, mut separator: u8) -> Result<u8, Fail> {
        let descriptor = message.descriptor();
        if separator == b'{' {
            self.indent += 1;
        }
        for field in descriptor.fields() {
            match self.field(message, field, separator) {
                Ok(true) => separator = b',',
                Ok(false) => {}
                Err(fail) => return Err(fail.within(descriptor, field)),
            }
        }
        if self.options.resolver.is_some() && !message.unknown_fields().is_empty() {
            separator = self.extensions(message, separator)?;
        }
        Ok(separator)
    }

    /// A field behind a separator, if it is set; whether it is.
    #[inline]
    fn field(&mut self, message: MessageRef<'_>, field: &FieldDescriptor, separator: u8) -> Result<bool, Fail> {
        // SAFETY: an offset in the message.
        let at = unsafe { message.pointer().add(field.offset as usize) }.as_ptr().cast_const();
        /// Writes a value with implicit presence, if it is set.
        macro_rules! implicit {
            ($ty:ty, $value:ident if $set:expr, $written:expr) => {{
                // SAFETY: the descriptor says so.
                let $value = unsafe { *at.cast::<$ty>() };
                if $set {
                    self.key(separator, field);
                    $written;
                    return Ok(true);
                }
            }};
        }
        /// Writes a value with explicit presence, if it is set.
        macro_rules! optional {
            ($ty:ty, $value:ident, $written:expr) => {{
                // SAFETY: the descriptor says so.
                if let Some($value) = unsafe { *at.cast::<Option<$ty>>() } {
                    self.key(separator, field);
                    $written;
                    return Ok(true);
                }
            }};
        }
        match field.access {
            Access::Implicit(Plain::Str) => implicit!(&str, text if !text.is_empty(), self.string(text)),
            Access::Implicit(Plain::I32) => implicit!(i32, value if value != 0, self.out.signed(value.into())),
            Access::Implicit(Plain::U32) => implicit!(u32, value if value != 0, self.out.unsigned(value.into())),
            Access::Implicit(Plain::I64) => implicit!(i64, value if value != 0, self.out.quoted_signed(value)),
            Access::Implicit(Plain::U64) => implicit!(u64, value if value != 0, self.out.quoted_unsigned(value)),
            Access::Implicit(Plain::F64) => implicit!(f64, value if value.to_bits() != 0, self.f64(value)),
            Access::Implicit(Plain::Bool) => implicit!(bool, value if value, self.out.bytes(b"true")),
            Access::Optional(Plain::Str) => optional!(&str, text, self.string(text)),
            Access::Optional(Plain::I32) => optional!(i32, value, self.out.signed(value.into())),
            Access::Optional(Plain::U32) => optional!(u32, value, self.out.unsigned(value.into())),
            Access::Optional(Plain::I64) => optional!(i64, value, self.out.quoted_signed(value)),
            Access::Optional(Plain::U64) => optional!(u64, value, self.out.quoted_unsigned(value)),
            Access::Optional(Plain::F64) => optional!(f64, value, self.f64(value)),
            Access::Optional(Plain::Bool) => optional!(bool, value, self.bool(value)),
            _ => {
                let Some(value) = message.read(field) else { return self.unset(message, field, separator) };
                self.key(separator, field);
                self.value(value, field)?;
                return Ok(true);
            }
        }
        self.unset(message, field, separator)
    }

    /// A field that is not set, if those are to be written.
    #[inline]
    fn unset(&mut self, message: MessageRef<'_>, field: &FieldDescriptor, separator: u8) -> Result<bool, Fail> {
        if !self.options.all_fields || field.has_presence() {
            return Ok(false);
        }
        self.key(separator, field);
        self.value(message.get(field), field)?;
        Ok(true)
    }
}
