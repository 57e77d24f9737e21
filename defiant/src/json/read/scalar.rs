//! Single values that are no messages.

use core::fmt;

use super::number::{Number, short_integer};
use super::{EnumDescriptor, Fail, Raw, Reader, Reason, Type, not_of_this_type};
use crate::error::words;
use crate::json::base64;

impl<'arena> Reader<'_, '_, 'arena> {
    /// A value of a type; `None` for one that is to be passed over.
    #[inline]
    pub(super) fn scalar(
        &mut self,
        ty: Type,
        enumeration: Option<&EnumDescriptor>,
    ) -> Result<Option<Raw<'arena>>, Fail> {
        Ok(Some(match ty {
            Type::String => Raw::Str(self.scanner.value_string()?),
            Type::Int32 | Type::Sint32 | Type::Sfixed32 => Raw::I32(self.i32()?),
            Type::Uint32 | Type::Fixed32 => Raw::U32(self.u32()?),
            Type::Int64 | Type::Sint64 | Type::Sfixed64 => Raw::I64(self.i64()?),
            Type::Uint64 | Type::Fixed64 => Raw::U64(self.u64()?),
            Type::Bool => Raw::Bool(self.bool()?),
            Type::Double => Raw::F64(self.double()?),
            Type::Float => Raw::F32(self.float()?),
            Type::Bytes => Raw::Bytes(self.base64()?),
            Type::Enum => match enumeration {
                Some(descriptor) => return Ok(self.enumeration(descriptor)?.map(Raw::Enum)),
                None => return Err(not_of_this_type()),
            },
            Type::Message | Type::Group => return Err(not_of_this_type()),
        }))
    }

    #[inline]
    pub(super) fn bool(&mut self) -> Result<bool, Fail> {
        match self.scanner.peek() {
            b't' => self.scanner.literal("true").map(|()| true),
            b'f' => self.scanner.literal("false").map(|()| false),
            _ => Err(self.scanner.unexpected("expected true or false")),
        }
    }

    /// An integer without its sign, and whether it is negative.
    #[inline]
    fn integer(&mut self, what: &'static str) -> Result<(u64, bool), Fail> {
        let at = self.scanner.at;
        let quoted = self.scanner.peek() == b'"';
        let start = at + usize::from(quoted);
        let rest = self.scanner.bytes().get(start..).unwrap_or_default();
        if let Some((value, negative, len)) = short_integer(rest) {
            let end = start + len;
            if !quoted || self.scanner.bytes().get(end) == Some(&b'"') {
                self.scanner.at = end + usize::from(quoted);
                return Ok((value, negative));
            }
        }
        self.long_integer(what)
    }

    #[cold]
    #[inline(never)]
    fn long_integer(&mut self, what: &'static str) -> Result<(u64, bool), Fail> {
        let at = self.scanner.at;
        let number = self.number(what)?;
        number.integer().ok_or_else(|| Fail::at(Reason::Value(what), at))
    }

    /// A number, or a string that is one.
    fn number(&mut self, what: &'static str) -> Result<Number<'arena>, Fail> {
        if self.scanner.peek() != b'"' {
            return match self.scanner.peek() {
                b'-' | b'0'..=b'9' => self.scanner.number_text(),
                _ => Err(self.scanner.unexpected(what)),
            };
        }
        let at = self.scanner.at;
        let text = self.scanner.string()?;
        let number = Number::parse(text).filter(|number| number.text.len() == text.len());
        number.ok_or_else(|| Fail::at(Reason::Value(what), at))
    }

    #[inline]
    pub(super) fn i32(&mut self) -> Result<i32, Fail> {
        const WHAT: &str = "expected an integer of 32 bits";
        let at = self.scanner.at;
        let (value, negative) = self.integer(WHAT)?;
        let value = i64::try_from(value).ok().map(|value| if negative { -value } else { value });
        value.and_then(|value| i32::try_from(value).ok()).ok_or_else(|| Fail::at(Reason::Value(WHAT), at))
    }

    #[inline]
    pub(super) fn u32(&mut self) -> Result<u32, Fail> {
        const WHAT: &str = "expected an unsigned integer of 32 bits";
        let at = self.scanner.at;
        let (value, negative) = self.integer(WHAT)?;
        let value = u32::try_from(value).ok().filter(|value| !negative || *value == 0);
        value.ok_or_else(|| Fail::at(Reason::Value(WHAT), at))
    }

    #[inline]
    pub(super) fn i64(&mut self) -> Result<i64, Fail> {
        const WHAT: &str = "expected an integer of 64 bits";
        let at = self.scanner.at;
        let (value, negative) = self.integer(WHAT)?;
        let value = if negative { 0i64.checked_sub_unsigned(value) } else { i64::try_from(value).ok() };
        value.ok_or_else(|| Fail::at(Reason::Value(WHAT), at))
    }

    #[inline]
    pub(super) fn u64(&mut self) -> Result<u64, Fail> {
        const WHAT: &str = "expected an unsigned integer of 64 bits";
        let at = self.scanner.at;
        let (value, negative) = self.integer(WHAT)?;
        if negative && value != 0 { Err(Fail::at(Reason::Value(WHAT), at)) } else { Ok(value) }
    }

    #[inline]
    pub(super) fn double(&mut self) -> Result<f64, Fail> {
        const WHAT: &str = "expected a number in the range of a double";
        let at = self.scanner.at;
        match self.not_a_number() {
            Some(value) => Ok(value),
            None => self.number(WHAT)?.f64().ok_or_else(|| Fail::at(Reason::Value(WHAT), at)),
        }
    }

    #[inline]
    pub(super) fn float(&mut self) -> Result<f32, Fail> {
        const WHAT: &str = "expected a number in the range of a float";
        let at = self.scanner.at;
        match self.not_a_number() {
            Some(value) => Ok(value as f32),
            None => self.number(WHAT)?.f32().ok_or_else(|| Fail::at(Reason::Value(WHAT), at)),
        }
    }

    /// The three values of floating point that JSON has no numbers for.
    #[inline]
    fn not_a_number(&mut self) -> Option<f64> {
        if self.scanner.peek() != b'"' {
            return None;
        }
        let at = self.scanner.at;
        let value = match self.scanner.string() {
            Ok("NaN") => Some(f64::NAN),
            Ok("Infinity") => Some(f64::INFINITY),
            Ok("-Infinity") => Some(f64::NEG_INFINITY),
            _ => None,
        };
        if value.is_none() {
            self.scanner.at = at;
        }
        value
    }

    fn base64(&mut self) -> Result<&'arena [u8], Fail> {
        let at = self.scanner.at;
        let wrong = || Fail::at(Reason::Value("expected base64"), at);
        let text = self.scanner.string()?;
        let digits = base64::without_padding(text.as_bytes()).ok_or_else(wrong)?;
        let len = base64::decoded_len(digits.len());
        self.scanner.store.admit(len)?;
        let out = self.scanner.store.zeroed(len)?;
        base64::decode(digits, out).ok_or_else(wrong)?;
        Ok(out)
    }

    /// The number of an enum's value; `None` for one that is to be passed over.
    fn enumeration(&mut self, descriptor: &EnumDescriptor) -> Result<Option<i32>, Fail> {
        const WHAT: &str = "expected the name of an enum value, or its number";
        let at = self.scanner.at;
        let unknown = |name: fmt::Arguments<'_>| Fail::at(Reason::UnknownEnumValue(words(name)), at);
        let found = match self.scanner.peek() {
            b'"' => {
                let name = self.scanner.string()?;
                descriptor.number_of(name).ok_or_else(|| unknown(format_args!("{name:?}")))
            }
            b'n' if descriptor.null => {
                self.scanner.literal("null")?;
                Ok(0)
            }
            b'-' | b'0'..=b'9' => {
                let number = self.i32().map_err(|fail| fail.instead_of_value(WHAT))?;
                if descriptor.has(number) { Ok(number) } else { Err(unknown(format_args!("{number}"))) }
            }
            _ => return Err(self.scanner.unexpected(WHAT)),
        };
        match found {
            Ok(number) => Ok(Some(number)),
            Err(_) if self.options.ignore_unknown => Ok(None),
            Err(unknown) => Err(unknown),
        }
    }

    /// A key of a map and its colon, up to the value.
    pub(super) fn map_key(&mut self, ty: Type) -> Result<Raw<'arena>, Fail> {
        let at = self.scanner.at;
        let wrong = || Fail::at(Reason::Value("not a key of this map's type"), at);
        let text = self.scanner.key()?;
        let integer = || {
            let number = Number::parse(text).filter(|number| number.text.len() == text.len());
            let (value, negative) = number.and_then(|number| number.integer()).ok_or_else(wrong)?;
            let value = i128::from(value);
            Ok::<i128, Fail>(if negative { -value } else { value })
        };
        Ok(match ty {
            Type::String => {
                self.scanner.store.admit(text.len())?;
                Raw::Str(text)
            }
            Type::Bool => Raw::Bool(match text {
                "true" => true,
                "false" => false,
                _ => return Err(wrong()),
            }),
            Type::Int32 | Type::Sint32 | Type::Sfixed32 => Raw::I32(integer()?.try_into().map_err(|_| wrong())?),
            Type::Uint32 | Type::Fixed32 => Raw::U32(integer()?.try_into().map_err(|_| wrong())?),
            Type::Int64 | Type::Sint64 | Type::Sfixed64 => Raw::I64(integer()?.try_into().map_err(|_| wrong())?),
            Type::Uint64 | Type::Fixed64 => Raw::U64(integer()?.try_into().map_err(|_| wrong())?),
            _ => return Err(Fail::at(Reason::Value("no type of keys"), at)),
        })
    }
}

impl<'arena> super::Scanner<'_, 'arena> {
    /// A number that is no string.
    pub(super) fn number_text(&mut self) -> Result<Number<'arena>, Fail> {
        let number = self.text.get(self.at..).and_then(Number::parse);
        let Some(number) = number else { return Err(self.syntax("expected a value")) };
        self.at += number.text.len();
        Ok(number)
    }
}
