//! The messages that have forms of their own.

use super::{Fail, FieldDescriptor, MessageDescriptor, MessageMut, Raw, Reader, Reason, WellKnown};
use crate::error::words;
use crate::json::write::{SECONDS, TIMES};
use crate::reflect::Store;
use crate::rfc3339;
use crate::seconds;

impl<'arena> Reader<'_, '_, 'arena> {
    /// A message whose type has a form of its own.
    pub(super) fn well_known(&mut self, out: &mut MessageMut<'_, 'arena>) -> Result<(), Fail> {
        let descriptor = out.descriptor();
        match descriptor.well_known {
            WellKnown::Any => self.any(out),
            WellKnown::Value => self.any_value(out),
            WellKnown::Timestamp => self.timestamp(out),
            WellKnown::Duration => self.duration(out),
            WellKnown::FieldMask => self.field_mask(out),
            WellKnown::Struct | WellKnown::ListValue | WellKnown::Wrapper => {
                let field = content(descriptor)?;
                self.value(out, field).map(|_| ()).map_err(|fail| fail.or_at(self.scanner.at).within(descriptor, field))
            }
            WellKnown::None | WellKnown::Empty => {
                self.scanner.open(b'{', "expected an object")?;
                self.fields(out, false)
            }
        }
    }

    /// The `Value` of `struct.proto`: whatever JSON has.
    fn any_value(&mut self, out: &mut MessageMut<'_, 'arena>) -> Result<(), Fail> {
        let number = match self.scanner.peek() {
            b'n' => 1,
            b'"' => 3,
            b't' | b'f' => 4,
            b'{' => 5,
            b'[' => 6,
            _ => 2,
        };
        let field = kind(out, number)?;
        if number == 2 && !matches!(self.scanner.peek(), b'-' | b'0'..=b'9') {
            return Err(self.scanner.syntax("expected a value"));
        }
        self.value(out, field).map(|_| ())
    }

    fn timestamp(&mut self, out: &mut MessageMut<'_, 'arena>) -> Result<(), Fail> {
        let at = self.scanner.at;
        set_timestamp(out, self.scanner.string()?).map_err(|fail| fail.or_at(at))
    }

    fn duration(&mut self, out: &mut MessageMut<'_, 'arena>) -> Result<(), Fail> {
        let at = self.scanner.at;
        set_duration(out, self.scanner.string()?).map_err(|fail| fail.or_at(at))
    }

    fn field_mask(&mut self, out: &mut MessageMut<'_, 'arena>) -> Result<(), Fail> {
        let at = self.scanner.at;
        set_field_mask(out, self.scanner.string()?, self.scanner.store).map_err(|fail| fail.or_at(at))
    }
}

/// Sets a timestamp to what a text says.
pub(in crate::json) fn set_timestamp(out: &mut MessageMut<'_, '_>, text: &str) -> Result<(), Fail> {
    let time = rfc3339::parse(text).filter(|time| TIMES.contains(&time.0));
    let wrong = "expected a time of the years 1 to 9999 such as 1970-01-01T00:00:00Z";
    let Some((seconds, nanos)) = time else { return Err(Fail::new(Reason::Value(wrong))) };
    set_time(out, seconds, nanos)
}

/// Sets a duration to what a text says.
pub(in crate::json) fn set_duration(out: &mut MessageMut<'_, '_>, text: &str) -> Result<(), Fail> {
    let time = seconds::parse_duration(text).filter(|time| SECONDS.contains(&time.0));
    let wrong = "expected a duration of at most 315576000000 seconds such as 1.5s";
    let Some((seconds, nanos)) = time else { return Err(Fail::new(Reason::Value(wrong))) };
    set_time(out, seconds, nanos)
}

/// Sets a field mask to what a text says.
pub(in crate::json) fn set_field_mask<'arena>(
    out: &mut MessageMut<'_, 'arena>,
    text: &str,
    store: &Store<'arena>,
) -> Result<(), Fail> {
    let field = field(out, 1)?;
    let Some(mut paths) = out.list(field) else { return Err(malformed()) };
    for path in text.split(',').filter(|_| !text.is_empty()) {
        if path.is_empty() || !path.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'.') {
            return Err(Fail::new(Reason::Path(words(format_args!("{path}")))));
        }
        let capitals = path.bytes().filter(u8::is_ascii_uppercase).count();
        store.admit(path.len() + capitals)?;
        let snake = store.zeroed(path.len() + capitals)?;
        let mut places = snake.iter_mut();
        for byte in path.bytes() {
            let underscore = byte.is_ascii_uppercase().then_some(b'_');
            for byte in underscore.into_iter().chain([byte.to_ascii_lowercase()]) {
                if let Some(place) = places.next() {
                    *place = byte;
                }
            }
        }
        // ASCII, so that this is never the default.
        paths.push(Raw::Str(core::str::from_utf8(snake).unwrap_or_default()), store)?;
    }
    store.count(paths.len())?;
    out.set_list(field, paths);
    Ok(())
}

/// The field of a well-known type.
pub(in crate::json) fn field<'d>(out: &MessageMut<'d, '_>, number: u32) -> Result<&'d FieldDescriptor, Fail> {
    out.descriptor().field(number).ok_or_else(malformed)
}

/// The field that a `Struct`, a `ListValue` or a wrapper is read as.
///
/// A type of such a name may have any fields. One that held itself here would be read without an end.
pub(in crate::json) fn content(descriptor: &MessageDescriptor) -> Result<&FieldDescriptor, Fail> {
    let fits = |field: &&FieldDescriptor| match descriptor.well_known {
        WellKnown::Struct => field.is_map(),
        WellKnown::ListValue => field.is_list(),
        _ => field.message().is_none(),
    };
    descriptor.fields().first().filter(fits).ok_or_else(malformed)
}

/// The field of a `Value` for a kind of values.
pub(in crate::json) fn kind<'d>(out: &MessageMut<'d, '_>, number: u32) -> Result<&'d FieldDescriptor, Fail> {
    let field = field(out, number)?;
    let form = field.message().map(|message| message.well_known);
    let fits = match number {
        5 => form == Some(WellKnown::Struct),
        6 => form == Some(WellKnown::ListValue),
        _ => form.is_none(),
    };
    if fits { Ok(field) } else { Err(malformed()) }
}

fn set_time(out: &mut MessageMut<'_, '_>, seconds: i64, nanos: i32) -> Result<(), Fail> {
    let (first, second) = (field(out, 1)?, field(out, 2)?);
    out.set(first, Raw::I64(seconds))?;
    out.set(second, Raw::I32(nanos))?;
    Ok(())
}

/// A type of the name of a well-known one, and other fields.
#[cold]
pub(in crate::json) fn malformed() -> Fail {
    Fail::new(Reason::Value("not the fields of this well-known type"))
}
