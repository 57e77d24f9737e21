//! Messages to JSON.
#![expect(unsafe_code, reason = "writes to room that was made")]

use core::cell::OnceCell;

use super::error::{Fail, Reason};
use super::options::EncodeOptions;
use super::out::Out;
use super::place::NUMBER;
use super::{base64, scan};
use crate::arena::Arena;
use crate::descriptor::{EnumDescriptor, FieldDescriptor, WellKnown};
use crate::message::DecodeOptions;
use crate::reflect::{ListRef, MapRef, MessageRef, Value};

mod any;
mod compact;
mod fields;
mod well_known;

#[cfg(feature = "serde")]
pub(super) use any::joined;
#[cfg(feature = "serde")]
pub(super) use well_known::fits;
pub(super) use well_known::{SECONDS, TIMES};

/// Where things are decoded to, to be written: the arena that is written to, or one of its own when there is need of it.
pub(super) enum Scratch<'a> {
    Given(&'a Arena),
    Own(OnceCell<Arena>),
}

impl Scratch<'_> {
    pub(super) fn arena(&self) -> &Arena {
        match self {
            Scratch::Given(arena) => arena,
            Scratch::Own(cell) => cell.get_or_init(Arena::new),
        }
    }
}

/// The levels of messages that may be entered.
pub(super) fn levels(options: &EncodeOptions<'_>) -> u32 {
    // The outermost message is no level inside of itself.
    options.recursion_limit.saturating_add(1)
}

/// Whether a message of this form is an object or an array. All others hold no messages, or one such.
pub(super) fn is_level(form: WellKnown) -> bool {
    matches!(form, WellKnown::None | WellKnown::Empty | WellKnown::Any | WellKnown::Struct | WellKnown::ListValue)
}

/// The levels that are left in a message.
#[cfg(feature = "serde")]
pub(super) fn entered(levels: u32) -> Result<u32, Fail> {
    levels.checked_sub(1).ok_or_else(|| Fail::new(Reason::Recursion))
}

/// How the content of an `Any` and extensions are decoded, with so many levels left.
///
/// A level of a `Struct` is up to three on the wire: a `Value`, the `Struct` and an entry of its map. What nests deeper in
/// other messages is decoded, but not written.
pub(super) fn inner_options(levels: u32) -> DecodeOptions {
    DecodeOptions::new().recursion_limit(levels.saturating_mul(3).saturating_add(3))
}

/// Writes messages.
pub(super) struct Writer<'w, 'o> {
    pub(super) out: Out<'o>,
    options: &'w EncodeOptions<'w>,
    scratch: &'w Scratch<'w>,
    /// Levels of messages that may still be entered, the outermost included.
    levels: u32,
    /// Levels of indentation.
    indent: usize,
    /// Whether no option says more than what extensions there are.
    pub(super) compact: bool,
}

impl<'w, 'o> Writer<'w, 'o> {
    pub(super) fn new(out: Out<'o>, options: &'w EncodeOptions<'w>, scratch: &'w Scratch<'w>) -> Self {
        let EncodeOptions { pretty, proto_names, all_fields, enum_numbers, recursion_limit: _, resolver: _ } = *options;
        let compact = !(pretty || proto_names || all_fields || enum_numbers);
        Writer { out, options, scratch, levels: levels(options), indent: 0, compact }
    }

    /// A message in the form of its type.
    pub(super) fn message(&mut self, message: MessageRef<'_>) -> Result<(), Fail> {
        let form = message.descriptor().well_known;
        if self.compact && form == WellKnown::None {
            // SAFETY: the invariant of `message`.
            return unsafe { self.compact(message.descriptor(), message.pointer()) };
        }
        let levels = u32::from(is_level(form));
        if self.levels < levels {
            return Err(Fail::new(Reason::Recursion));
        }
        self.levels -= levels;
        if form == WellKnown::None {
            let separator = self.fields(message, b'{')?;
            self.close(separator, b'{', b'}');
        } else {
            self.well_known(message)?;
        }
        self.levels += levels;
        if self.out.is_exhausted() { Err(Fail::new(Reason::Memory)) } else { Ok(()) }
    }

    /// The separator before a field, and its key.
    fn key(&mut self, separator: u8, field: &FieldDescriptor) {
        self.separator(separator);
        if self.options.proto_names {
            self.out.quoted(field.name().as_bytes());
            self.out.byte(b':');
        } else {
            self.out.bytes(field.names().key().as_bytes());
        }
        if self.options.pretty {
            self.out.byte(b' ');
        }
    }

    /// An opening bracket or a comma, and the next line if every element has its own.
    #[inline]
    fn separator(&mut self, separator: u8) {
        self.out.byte(separator);
        if self.options.pretty {
            self.new_line();
        }
    }

    /// A key that is no field's name, escaped.
    fn string_key(&mut self, separator: u8, key: &str) {
        self.separator(separator);
        self.string(key);
        self.colon();
    }

    fn colon(&mut self) {
        self.out.byte(b':');
        if self.options.pretty {
            self.out.byte(b' ');
        }
    }

    /// The end of what began with `open`, where `separator` would be next.
    #[inline]
    fn close(&mut self, separator: u8, open: u8, close: u8) {
        self.indent -= 1;
        if separator == open {
            self.out.byte(open);
        } else if self.options.pretty {
            self.new_line();
        }
        self.out.byte(close);
    }

    #[cold]
    #[inline(never)]
    fn new_line(&mut self) {
        self.out.byte(b'\n');
        for _ in 0..self.indent {
            self.out.bytes(b"  ");
        }
    }

    /// The value of a field.
    #[inline]
    fn value(&mut self, value: Value<'_>, field: &FieldDescriptor) -> Result<(), Fail> {
        match value {
            Value::Bool(value) => self.bool(value),
            Value::I32(value) => self.out.signed(value.into()),
            Value::U32(value) => self.out.unsigned(value.into()),
            Value::I64(value) => self.out.quoted_signed(value),
            Value::U64(value) => self.out.quoted_unsigned(value),
            Value::F32(value) => self.f32(value),
            Value::F64(value) => self.f64(value),
            Value::String(value) => self.string(value),
            Value::Bytes(value) => self.base64(value),
            Value::Enum(value) => self.enumeration(value, field.enumeration()),
            Value::Message(message) => return self.message(message),
            Value::Lazy(lazy) => {
                let message = lazy.get(self.scratch.arena())?;
                return self.message(message);
            }
            Value::List(list) => return self.list(list),
            Value::Map(map) => return self.map(map),
        }
        Ok(())
    }

    #[inline]
    fn bool(&mut self, value: bool) {
        self.out.bytes(if value { b"true" } else { b"false" });
    }

    fn f32(&mut self, value: f32) {
        if let Some(place) = self.out.room(NUMBER) {
            // SAFETY: as room was made.
            unsafe { self.out.take(place.f32(value)) };
        }
    }

    fn f64(&mut self, value: f64) {
        if let Some(place) = self.out.room(NUMBER) {
            // SAFETY: as room was made.
            unsafe { self.out.take(place.f64(value)) };
        }
    }

    #[inline]
    fn string(&mut self, text: &str) {
        if let Err(plain) = self.out.plain_string(text.as_bytes()) {
            self.escaped(&text.as_bytes()[plain..]);
        }
    }

    /// The rest of a string from something to escape on.
    #[cold]
    #[inline(never)]
    fn escaped(&mut self, bytes: &[u8]) {
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            let short = match byte {
                b'"' => b'"',
                b'\\' => b'\\',
                b'\n' => b'n',
                b'\r' => b'r',
                b'\t' => b't',
                0x08 => b'b',
                0x0c => b'f',
                _ => {
                    let digit = |value: u8| b"0123456789abcdef"[usize::from(value & 15)];
                    self.out.bytes(&[b'\\', b'u', b'0', b'0', digit(byte >> 4), digit(byte)]);
                    0
                }
            };
            if short != 0 {
                self.out.bytes(&[b'\\', short]);
            }
            at += 1;
            let plain = scan::plain_len(bytes, at);
            self.out.bytes(&bytes[at..at + plain]);
            at += plain;
        }
        self.out.byte(b'"');
    }

    fn base64(&mut self, bytes: &[u8]) {
        self.out.byte(b'"');
        self.out.fill(base64::encoded_len(bytes.len()), |out| base64::encode(bytes, out));
        self.out.byte(b'"');
    }

    fn enumeration(&mut self, number: i32, descriptor: Option<&EnumDescriptor>) {
        let name = descriptor.filter(|_| !self.options.enum_numbers).and_then(|descriptor| descriptor.name_of(number));
        match name {
            _ if descriptor.is_some_and(|descriptor| descriptor.null) => self.out.bytes(b"null"),
            Some(name) => self.out.quoted(name.as_bytes()),
            None => self.out.signed(number.into()),
        }
    }

    fn map(&mut self, map: MapRef<'_>) -> Result<(), Fail> {
        self.indent += 1;
        let mut separator = b'{';
        for (key, value) in map.iter() {
            self.separator(separator);
            separator = b',';
            self.map_key(key)?;
            self.colon();
            self.value(value, map.field())?;
        }
        self.close(separator, b'{', b'}');
        Ok(())
    }

    fn map_key(&mut self, key: Value<'_>) -> Result<(), Fail> {
        match key {
            Value::String(key) => self.string(key),
            Value::Bool(key) => self.out.quoted(if key { b"true" } else { b"false" }),
            Value::I32(key) => self.out.quoted_signed(key.into()),
            Value::U32(key) => self.out.quoted_unsigned(key.into()),
            Value::I64(key) => self.out.quoted_signed(key),
            Value::U64(key) => self.out.quoted_unsigned(key),
            _ => return Err(Fail::new(Reason::Value("not a key of a map"))),
        }
        Ok(())
    }

    fn list(&mut self, list: ListRef<'_>) -> Result<(), Fail> {
        self.indent += 1;
        let mut separator = b'[';
        for value in list.iter() {
            self.separator(separator);
            separator = b',';
            self.value(value, list.field())?;
        }
        self.close(separator, b'[', b']');
        Ok(())
    }
}
