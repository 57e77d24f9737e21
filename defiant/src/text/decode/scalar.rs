//! Values that are no messages.
//!
//! Source: <https://protobuf.dev/reference/protobuf/textformat-spec/#value>.

use super::Parser;
use super::lexer::Number;
use crate::descriptor::{EnumDescriptor, FieldDescriptor, Raw, Type};
use crate::error::words;
use crate::reflect::Store;
use crate::text::error::{Failure, Kind, Result};

impl<'a> Parser<'_, 'a> {
    /// Reads a value of a field.
    pub(super) fn scalar(&mut self, field: &FieldDescriptor, store: &Store<'a>) -> Result<Raw<'a>> {
        match field.enumeration() {
            Some(descriptor) => Ok(Raw::Enum(self.enumeration(descriptor)?)),
            None => self.value(field.ty(), store),
        }
    }

    /// Reads a value of a type that is neither an enum nor a message.
    pub(super) fn value(&mut self, ty: Type, store: &Store<'a>) -> Result<Raw<'a>> {
        Ok(match ty {
            Type::Int32 | Type::Sint32 | Type::Sfixed32 => Raw::I32(self.signed()?),
            Type::Int64 | Type::Sint64 | Type::Sfixed64 => Raw::I64(self.signed()?),
            Type::Uint32 | Type::Fixed32 => Raw::U32(self.unsigned()?),
            Type::Uint64 | Type::Fixed64 => Raw::U64(self.unsigned()?),
            Type::Float => Raw::F32(self.float(Floats { infinity: f32::INFINITY, nan: f32::NAN })?),
            Type::Double => Raw::F64(self.float(Floats { infinity: f64::INFINITY, nan: f64::NAN })?),
            Type::Bool => Raw::Bool(self.bool()?),
            Type::String => Raw::Str(self.string(store)?),
            Type::Bytes => Raw::Bytes(self.bytes(store)?),
            Type::Enum | Type::Message | Type::Group => return Err(self.lexer.expected("another value")),
        })
    }

    fn string(&mut self, store: &Store<'a>) -> Result<&'a str> {
        let offset = self.lexer.offset();
        if let Some(text) = self.lexer.string(&mut self.scratch)? {
            store.admit(text.len())?;
            return Ok(store.str(text)?);
        }
        store.admit(self.scratch.len())?;
        match core::str::from_utf8(&self.scratch) {
            Ok(text) => Ok(store.str(text)?),
            Err(_) => Err(Failure::new(Kind::Utf8, "invalid UTF-8 in a string", offset)),
        }
    }

    fn bytes(&mut self, store: &Store<'a>) -> Result<&'a [u8]> {
        let bytes = match self.lexer.string(&mut self.scratch)? {
            Some(text) => text.as_bytes(),
            None => &self.scratch,
        };
        store.admit(bytes.len())?;
        Ok(store.bytes(bytes)?)
    }

    fn bool(&mut self) -> Result<bool> {
        let offset = self.lexer.offset();
        if self.lexer.is_at_number() {
            return match self.magnitude()? {
                0 => Ok(false),
                1 => Ok(true),
                _ => Err(Failure::new(Kind::Range, "the number of a bool is 0 or 1", offset)),
            };
        }
        match self.lexer.identifier("a bool")? {
            "true" | "True" | "t" => Ok(true),
            "false" | "False" | "f" => Ok(false),
            _ => Err(Failure::new(Kind::Syntax, "expected true or false", offset)),
        }
    }

    fn enumeration(&mut self, descriptor: &EnumDescriptor) -> Result<i32> {
        let offset = self.lexer.offset();
        if self.lexer.peek() == Some(b'-') || self.lexer.is_at_number() {
            let number = self.signed()?;
            return match descriptor.has(number) {
                true => Ok(number),
                false => {
                    let reason = words(format_args!("`{}` has no number {number}", descriptor.full_name()));
                    Err(Failure::new(Kind::Range, reason, offset))
                }
            };
        }
        let name = self.lexer.identifier("the name of an enum's value")?;
        descriptor.number_of(name).ok_or_else(|| {
            let reason = words(format_args!("`{}` has no value `{name}`", descriptor.full_name()));
            Failure::new(Kind::Range, reason, offset)
        })
    }

    /// Reads an integer that may be negative.
    fn signed<T: TryFrom<i128>>(&mut self) -> Result<T> {
        let offset = self.lexer.offset();
        let negative = self.lexer.eat(b'-');
        let magnitude = i128::from(self.magnitude()?);
        T::try_from(if negative { -magnitude } else { magnitude }).map_err(|_| out_of_range(offset))
    }

    /// Reads an integer without a sign.
    fn unsigned<T: TryFrom<u64>>(&mut self) -> Result<T> {
        let offset = self.lexer.offset();
        T::try_from(self.magnitude()?).map_err(|_| out_of_range(offset))
    }

    /// Reads an integer's digits.
    fn magnitude(&mut self) -> Result<u64> {
        let offset = self.lexer.offset();
        if !self.lexer.is_at_number() {
            return Err(self.lexer.expected("an integer"));
        }
        let (digits, radix) = match self.lexer.number()? {
            Number::Decimal(digits) => (digits, 10),
            Number::Octal(digits) => (digits, 8),
            Number::Hexadecimal(digits) => (digits, 16),
            Number::Float(_) => return Err(Failure::new(Kind::Syntax, "expected an integer", offset)),
        };
        u64::from_str_radix(digits, radix).map_err(|_| out_of_range(offset))
    }

    /// Reads a floating-point number: what is too large is infinite, what is too small is zero.
    fn float<T: core::str::FromStr + core::ops::Neg<Output = T>>(&mut self, floats: Floats<T>) -> Result<T> {
        let negative = self.lexer.eat(b'-');
        let offset = self.lexer.offset();
        let magnitude = if self.lexer.is_at_number() {
            match self.lexer.number()? {
                Number::Decimal(literal) | Number::Float(literal) => {
                    literal.parse().map_err(|_| Failure::new(Kind::Syntax, "expected a number", offset))?
                }
                Number::Octal(_) | Number::Hexadecimal(_) => {
                    let reason = "a floating-point number is neither octal nor hexadecimal";
                    return Err(Failure::new(Kind::Syntax, reason, offset));
                }
            }
        } else {
            let name = self.lexer.identifier("a number")?;
            let is = |other: &str| name.eq_ignore_ascii_case(other);
            if is("inf") || is("infinity") {
                floats.infinity
            } else if is("nan") {
                floats.nan
            } else {
                return Err(Failure::new(Kind::Syntax, "expected a number, inf or nan", offset));
            }
        };
        Ok(if negative { -magnitude } else { magnitude })
    }
}

/// The values of a type that are words.
struct Floats<T> {
    infinity: T,
    nan: T,
}

#[cold]
fn out_of_range(offset: usize) -> Failure {
    Failure::new(Kind::Range, "the number is out of range", offset)
}
