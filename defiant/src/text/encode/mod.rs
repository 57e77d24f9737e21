//! Writing text.

mod float;
mod unknown;

use core::alloc::Layout;
use core::fmt::{self, Write};

use alloc::alloc::handle_alloc_error;
use alloc::string::String;
use alloc::vec::Vec;

use super::{EncodeOptions, MESSAGE_SET_EXTENSION, is_group_like, scope_of};
use crate::arena::Arena;
use crate::descriptor::{FieldDescriptor, MessageDescriptor, WellKnown};
use crate::error::path_before;
use crate::message::DecodeOptions;
use crate::reflect::{ExtensionType, MessageRef, Resolver, Value};
use crate::text::decode::is_type_url;
use crate::unknown::{Records, Run, by_number};

const REDACTED: &str = "[REDACTED]";

/// What lines are indented with.
const BLANKS: &str = "                                ";

/// Stands for the fields of a message below the recursion limit. No parser reads it.
const TOO_DEEP: &str = "...";

/// Writes a message.
///
/// An error has a path if messages nest deeper than the recursion limit, and none if `out` fails.
pub(super) fn write(
    message: MessageRef<'_>,
    options: &EncodeOptions<'_>,
    out: &mut dyn Write,
) -> Result<(), Option<String>> {
    let mut printer = Printer { out, options, indent: 0, first: true, fails: true, path: None };
    let written = printer.message(message);
    written.map_err(|fmt::Error| printer.path)
}

/// Writes a message, and `...` in place of messages below the recursion limit.
pub(super) fn write_all(message: MessageRef<'_>, options: &EncodeOptions<'_>, out: &mut dyn Write) -> fmt::Result {
    Printer { out, options, indent: 0, first: true, fails: false, path: None }.message(message)
}

struct Printer<'w> {
    out: &'w mut dyn Write,
    options: &'w EncodeOptions<'w>,
    /// Messages around the field to be written.
    indent: usize,
    /// Nothing is on the line yet, in single-line mode.
    first: bool,
    /// Whether a message below the recursion limit is an error.
    fails: bool,
    /// The path of that message, put together on the way out.
    path: Option<String>,
}

/// What stands before a value.
#[derive(Clone, Copy)]
enum Label<'a> {
    Name(&'a str),
    /// In brackets.
    Extension(&'a str),
    Number(u32),
}

impl<'w> Printer<'w> {
    /// Writes the fields of a message.
    fn message(&mut self, message: MessageRef<'_>) -> fmt::Result {
        let descriptor = message.descriptor();
        if descriptor.well_known == WellKnown::Any && self.expanded(message)? {
            return Ok(());
        }
        let runs = self.extensions(message);
        if runs.is_empty() {
            for (field, value) in message.fields() {
                self.field(descriptor, field, value)?;
            }
            return if self.options.unknown_fields { self.unknown_of(message) } else { Ok(()) };
        }
        let mut extensions = runs.chunk_by(|left, right| left.number == right.number).peekable();
        let mut fields = message.fields().peekable();
        // Fields and extensions together, ascending by number.
        while let Some(number) = extensions.peek().and_then(|same| same.first()).map(|run| run.number) {
            match fields.next_if(|(field, _)| field.number() < number) {
                Some((field, value)) => self.field(descriptor, field, value)?,
                None => {
                    let same = extensions.next().unwrap_or_default();
                    let resolver = self.options.resolver;
                    if let Some(extension) =
                        resolver.and_then(|it| it.extension_by_number(descriptor.full_name(), number))
                    {
                        self.extension(descriptor, extension, same)?;
                    }
                }
            }
        }
        for (field, value) in fields {
            self.field(descriptor, field, value)?;
        }
        if self.options.unknown_fields { self.unknown_of(message) } else { Ok(()) }
    }

    /// Writes a field of a message.
    fn field(&mut self, host: &MessageDescriptor, field: &FieldDescriptor, value: Value<'_>) -> fmt::Result {
        let name = match field.message() {
            Some(message) if is_group_like(host, field) => message.name(),
            _ => field.name(),
        };
        let written = self.labelled(Label::Name(name), host.hides(field), field, value);
        written.map_err(|error| self.within(error, format_args!("{}.{}", host.name(), field.name())))
    }

    /// Puts a step before the path, if there is one.
    #[cold]
    fn within(&mut self, error: fmt::Error, step: fmt::Arguments<'_>) -> fmt::Error {
        if let Some(path) = &mut self.path {
            *path = path_before(step, path);
        }
        error
    }

    /// Writes a field, or that there is one, where it is to be hidden and the options say so.
    fn labelled(&mut self, label: Label<'_>, hide: bool, field: &FieldDescriptor, value: Value<'_>) -> fmt::Result {
        if self.options.redact && hide {
            return self.scalar(label, |out| out.write_str(REDACTED));
        }
        match value {
            Value::List(list) if self.options.short_lists && field.message().is_none() => {
                self.begin(label)?;
                self.out.write_str(": [")?;
                for (index, value) in list.iter().enumerate() {
                    if index > 0 {
                        self.out.write_str(", ")?;
                    }
                    value_of(self.out, field, value, self.options.ascii)?;
                }
                self.out.write_char(']')?;
                self.end()
            }
            Value::List(list) => list.iter().try_for_each(|value| self.single(label, field, value)),
            Value::Map(map) => {
                for (key, value) in map.iter() {
                    if !self.may_enter(label)? {
                        continue;
                    }
                    self.begin_message(label)?;
                    let ascii = self.options.ascii;
                    // Keys are no messages and no enums, so that the field does not matter.
                    self.scalar(Label::Name("key"), |out| value_of(out, field, key, ascii))?;
                    self.single(Label::Name("value"), field, value)?;
                    self.end_message()?;
                }
                Ok(())
            }
            value => self.single(label, field, value),
        }
    }

    /// Writes a single value.
    fn single(&mut self, label: Label<'_>, field: &FieldDescriptor, value: Value<'_>) -> fmt::Result {
        let ascii = self.options.ascii;
        match value {
            Value::Message(message) => self.nested(label, message),
            Value::Lazy(lazy) => {
                let arena = Arena::new();
                match lazy.get(&arena) {
                    Ok(message) => self.nested(label, message),
                    Err(_) => self.scalar(label, |out| out.write_str("\"malformed\"")),
                }
            }
            value => self.scalar(label, |out| value_of(out, field, value, ascii)),
        }
    }

    fn nested(&mut self, label: Label<'_>, message: MessageRef<'_>) -> fmt::Result {
        if !self.may_enter(label)? {
            return Ok(());
        }
        self.begin_message(label)?;
        self.message(message)?;
        self.end_message()
    }

    /// Whether another level may be entered. Otherwise it is written as `...`, or an error.
    fn may_enter(&mut self, label: Label<'_>) -> Result<bool, fmt::Error> {
        if self.levels() > 0 {
            return Ok(true);
        }
        if self.fails {
            self.path = Some(String::new());
            return Err(fmt::Error);
        }
        self.begin_message(label)?;
        self.begin(Label::Name(TOO_DEEP))?;
        self.end()?;
        self.end_message()?;
        Ok(false)
    }

    /// Levels that may still be entered.
    fn levels(&self) -> u32 {
        self.options.recursion_limit.saturating_sub(u32::try_from(self.indent).unwrap_or(u32::MAX))
    }

    /// Writes an `Any` as the message in it, if its type is known and it is nothing but that message.
    fn expanded(&mut self, any: MessageRef<'_>) -> Result<bool, fmt::Error> {
        let Some(resolver) = self.resolver() else { return Ok(false) };
        let (Some(Value::String(url)), Some(Value::Bytes(wire))) = (any.get_by_number(1), any.get_by_number(2)) else {
            return Ok(false);
        };
        if !any.unknown_fields().is_empty() || !is_type_url(url) {
            return Ok(false);
        }
        let Some(ty) = url.rsplit_once('/').and_then(|(_, name)| resolver.message(name)) else { return Ok(false) };
        let arena = Arena::new();
        let Ok(message) = ty.decode(wire, &self.decode_options(), &arena) else { return Ok(false) };
        let written = self.nested(Label::Extension(url), message);
        written.map_err(|error| self.within(error, format_args!("{}.value", any.descriptor().name())))?;
        Ok(true)
    }

    fn decode_options(&self) -> DecodeOptions {
        // The bytes may hold further ones without an end, each of which is a decode.
        DecodeOptions::new().recursion_limit(self.levels())
    }

    /// The resolver, unless the message to be written is so deep that nothing in it is decoded.
    fn resolver(&self) -> Option<&'w dyn Resolver> {
        self.options.resolver.filter(|_| self.levels() > 0)
    }

    /// The runs of extensions among a message's unknown fields, grouped and ascending by number.
    fn extensions<'m>(&self, message: MessageRef<'m>) -> Vec<Run<'m>> {
        let unknown = message.unknown_fields();
        let Some(resolver) = self.resolver().filter(|_| !unknown.is_empty()) else { return Vec::new() };
        let host = message.descriptor().full_name();
        let runs = by_number(unknown, |number| resolver.extension_by_number(host, number).is_some());
        runs.unwrap_or_else(|| handle_alloc_error(Layout::new::<Run<'_>>()))
    }

    /// Writes an extension from its runs. One that does not decode is written as unknown fields, unless it is redacted.
    fn extension(&mut self, host: &MessageDescriptor, extension: ExtensionType<'_>, runs: &[Run<'_>]) -> fmt::Result {
        // Several runs are joined to one input; a single one, the usual case, is decoded where it is.
        let joined;
        let wire = match runs {
            [run] => run.bytes,
            _ => {
                joined = runs.iter().map(|run| run.bytes).collect::<Vec<_>>().concat();
                &joined
            }
        };
        let arena = Arena::new();
        let label = Label::Extension(extension_name(host, &extension));
        let Ok(holder) = extension.holder().decode(wire, &self.decode_options(), &arena) else {
            return if self.options.redact && extension.field().is_redacted() {
                self.scalar(label, |out| out.write_str(REDACTED))
            } else if self.options.unknown_fields {
                self.unknown(Records::new(wire).map(|record| record.field))
            } else {
                Ok(())
            };
        };
        let Some(field) = holder.descriptor().fields().first() else { return Ok(()) };
        let Some(value) = holder.read(field) else { return Ok(()) };
        let written = self.labelled(label, field.is_redacted(), field, value);
        written.map_err(|error| self.within(error, format_args!("{}.[{}]", host.name(), extension.full_name())))
    }

    /// Writes the unknown fields of a message that are no extensions.
    fn unknown_of(&mut self, message: MessageRef<'_>) -> fmt::Result {
        let resolver = self.resolver();
        let host = message.descriptor().full_name();
        let is_extension =
            |number| resolver.is_some_and(|it: &dyn Resolver| it.extension_by_number(host, number).is_some());
        let records = message.unknown_fields().spans().flat_map(Records::new);
        self.unknown(records.map(|record| record.field).filter(|field| !is_extension(field.number)))
    }

    /// Begins a field: its place and its name.
    fn begin(&mut self, label: Label<'_>) -> fmt::Result {
        if self.options.single_line {
            if !self.first {
                self.out.write_char(' ')?;
            }
            self.first = false;
        } else {
            let mut columns = 2 * self.indent;
            while columns > 0 {
                let blanks = BLANKS.get(..columns).unwrap_or(BLANKS);
                self.out.write_str(blanks)?;
                columns -= blanks.len();
            }
        }
        match label {
            Label::Name(name) => self.out.write_str(name),
            Label::Extension(name) => {
                self.out.write_char('[')?;
                self.out.write_str(name)?;
                self.out.write_char(']')
            }
            Label::Number(number) => unsigned(self.out, number.into()),
        }
    }

    /// Ends a field.
    fn end(&mut self) -> fmt::Result {
        if self.options.single_line { Ok(()) } else { self.out.write_char('\n') }
    }

    fn scalar(&mut self, label: Label<'_>, value: impl FnOnce(&mut dyn Write) -> fmt::Result) -> fmt::Result {
        self.begin(label)?;
        self.out.write_str(": ")?;
        value(self.out)?;
        self.end()
    }

    fn begin_message(&mut self, label: Label<'_>) -> fmt::Result {
        self.begin(label)?;
        self.out.write_str(" {")?;
        self.indent += 1;
        self.end()
    }

    fn end_message(&mut self) -> fmt::Result {
        self.indent -= 1;
        self.begin(Label::Name("}"))?;
        self.end()
    }
}

/// The name in an extension's brackets.
fn extension_name<'e>(host: &MessageDescriptor, extension: &'e ExtensionType<'_>) -> &'e str {
    let name = extension.full_name();
    match name.rsplit_once('.') {
        Some((scope, MESSAGE_SET_EXTENSION)) if host.message_set && is_of(extension, scope) => scope,
        _ => name,
    }
}

/// Whether an extension's messages are of a type.
fn is_of(extension: &ExtensionType<'_>, full_name: &str) -> bool {
    debug_assert!(scope_of(extension.full_name()).is_some());
    extension.field().message().is_some_and(|message| message.full_name() == full_name)
}

/// Writes a value that is no message.
fn value_of(out: &mut dyn Write, field: &FieldDescriptor, value: Value<'_>, ascii: bool) -> fmt::Result {
    match value {
        Value::Bool(value) => out.write_str(if value { "true" } else { "false" }),
        Value::I32(value) => signed(out, value.into()),
        Value::I64(value) => signed(out, value),
        Value::U32(value) => unsigned(out, value.into()),
        Value::U64(value) => unsigned(out, value),
        Value::F32(value) => float::write_f32(out, value),
        Value::F64(value) => float::write_f64(out, value),
        Value::String(text) if ascii => quoted_bytes(out, text.as_bytes()),
        Value::String(text) => quoted(out, text),
        Value::Bytes(bytes) => quoted_bytes(out, bytes),
        Value::Enum(number) => match field.enumeration().and_then(|it| it.name_of(number)) {
            Some(name) => out.write_str(name),
            None => signed(out, number.into()),
        },
        Value::Message(_) | Value::Lazy(_) | Value::List(_) | Value::Map(_) => Ok(()),
    }
}

/// Writes an integer: `write!` takes several times as long.
fn signed(out: &mut dyn Write, value: i64) -> fmt::Result {
    if value < 0 {
        out.write_char('-')?;
    }
    unsigned(out, value.unsigned_abs())
}

fn unsigned(out: &mut dyn Write, value: u64) -> fmt::Result {
    let (mut digits, mut rest) = ([b'0'; 20], value);
    let mut first = digits.len();
    for digit in digits.iter_mut().rev() {
        *digit += (rest % 10) as u8;
        rest /= 10;
        first -= 1;
        if rest == 0 {
            break;
        }
    }
    // Digits, so that this is never the default.
    out.write_str(digits.get(first..).and_then(|digits| core::str::from_utf8(digits).ok()).unwrap_or_default())
}

/// Writes a string in quotes, with characters outside of ASCII as they are.
fn quoted(out: &mut dyn Write, text: &str) -> fmt::Result {
    out.write_char('"')?;
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| needs_escape(byte) && byte < 0x80) {
        let (plain, from) = rest.split_at(at);
        out.write_str(plain)?;
        escape(out, from.as_bytes().first().copied().unwrap_or_default())?;
        rest = from.get(1..).unwrap_or_default();
    }
    out.write_str(rest)?;
    out.write_char('"')
}

/// Writes bytes in quotes, with those outside of ASCII escaped.
fn quoted_bytes(out: &mut dyn Write, bytes: &[u8]) -> fmt::Result {
    out.write_char('"')?;
    let mut rest = bytes;
    while !rest.is_empty() {
        let len = rest.iter().position(|byte| needs_escape(*byte)).unwrap_or(rest.len());
        let (plain, from) = rest.split_at(len);
        // ASCII, so that this is never the default.
        out.write_str(core::str::from_utf8(plain).unwrap_or_default())?;
        let Some((byte, behind)) = from.split_first() else { break };
        escape(out, *byte)?;
        rest = behind;
    }
    out.write_char('"')
}

/// Whether a byte does not stand for itself in quotes.
fn needs_escape(byte: u8) -> bool {
    !(b' '..0x7f).contains(&byte) || matches!(byte, b'"' | b'\'' | b'\\')
}

/// Writes the escape of a byte.
fn escape(out: &mut dyn Write, byte: u8) -> fmt::Result {
    match byte {
        b'\n' => out.write_str("\\n"),
        b'\r' => out.write_str("\\r"),
        b'\t' => out.write_str("\\t"),
        b'"' | b'\'' | b'\\' => {
            out.write_char('\\')?;
            out.write_char(char::from(byte))
        }
        byte => write!(out, "\\{byte:03o}"),
    }
}
