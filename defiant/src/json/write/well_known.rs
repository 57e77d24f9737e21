//! The messages that have forms of their own.

use super::Writer;
use crate::descriptor::{MessageDescriptor, WellKnown};
use crate::error::words;
use crate::json::error::{Fail, Reason};
use crate::reflect::{MessageRef, Value};
use crate::rfc3339;
use crate::seconds::{self, NANOS};

/// Seconds of the first and the last second of the years 1 to 9999, from the Unix epoch.
/// Source: <https://protobuf.dev/reference/protobuf/google.protobuf/#timestamp>.
pub(in crate::json) const TIMES: core::ops::RangeInclusive<i64> = -62_135_596_800..=253_402_300_799;

/// The most seconds of a duration, forward and backward.
/// Source: <https://protobuf.dev/reference/protobuf/google.protobuf/#duration>.
pub(in crate::json) const SECONDS: core::ops::RangeInclusive<i64> = -315_576_000_000..=315_576_000_000;

impl Writer<'_, '_> {
    /// A message whose type has a form of its own.
    pub(super) fn well_known(&mut self, message: MessageRef<'_>) -> Result<(), Fail> {
        match message.descriptor().well_known {
            WellKnown::None | WellKnown::Empty => {
                let separator = self.fields(message, b'{')?;
                self.close(separator, b'{', b'}');
                Ok(())
            }
            WellKnown::Any => self.any(message),
            WellKnown::Timestamp => self.timestamp(message),
            WellKnown::Duration => self.duration(message),
            WellKnown::FieldMask => self.field_mask(message),
            WellKnown::Struct | WellKnown::ListValue | WellKnown::Wrapper => {
                let Some(field) = message.descriptor().fields().first() else { return Err(malformed()) };
                let form = message.descriptor().well_known;
                let written = match message.get(field) {
                    Value::Map(map) if form == WellKnown::Struct => self.map(map),
                    Value::List(list) if form == WellKnown::ListValue => self.list(list),
                    value if fits(form, value) => self.value(value, field),
                    _ => return Err(malformed()),
                };
                written.map_err(|fail| fail.within(message.descriptor(), field))
            }
            WellKnown::Value => self.any_value(message),
        }
    }

    /// The `Value` of `struct.proto`: whatever JSON has.
    fn any_value(&mut self, message: MessageRef<'_>) -> Result<(), Fail> {
        let mut kinds = message.fields();
        let Some((field, value)) = kinds.next() else {
            return Err(Fail::new(Reason::Value("a value of no kind has no form in JSON")));
        };
        match value {
            Value::F64(number) if !number.is_finite() => {
                Err(Fail::new(Reason::Value("a value that is not finite has no form in JSON")))
            }
            Value::Message(kind) if fits(WellKnown::Value, value) => {
                self.message(kind).map_err(|fail| fail.within(message.descriptor(), field))
            }
            value if fits(WellKnown::Value, value) => {
                self.value(value, field).map_err(|fail| fail.within(message.descriptor(), field))
            }
            _ => Err(malformed()),
        }
    }

    fn timestamp(&mut self, message: MessageRef<'_>) -> Result<(), Fail> {
        let (seconds, nanos) = time(message)?;
        if !TIMES.contains(&seconds) || !(0..NANOS).contains(&nanos) {
            return Err(Fail::new(Reason::Value("not a timestamp of the years 1 to 9999")));
        }
        let mut buffer = [0; rfc3339::LEN];
        self.out.quoted(rfc3339::text(seconds, nanos.unsigned_abs(), &mut buffer).as_bytes());
        Ok(())
    }

    fn duration(&mut self, message: MessageRef<'_>) -> Result<(), Fail> {
        let (seconds, nanos) = time(message)?;
        let same_sign = !(seconds > 0 && nanos < 0 || seconds < 0 && nanos > 0);
        if !SECONDS.contains(&seconds) || nanos.unsigned_abs() >= NANOS.unsigned_abs() || !same_sign {
            return Err(Fail::new(Reason::Value("not a duration of at most 315576000000 seconds and a fraction")));
        }
        self.out.bytes(if seconds < 0 || nanos < 0 { b"\"-" } else { b"\"" });
        self.out.unsigned(seconds.unsigned_abs());
        self.out.fill(10, |out| seconds::fraction(nanos.unsigned_abs(), out));
        self.out.bytes(b"s\"");
        Ok(())
    }

    fn field_mask(&mut self, message: MessageRef<'_>) -> Result<(), Fail> {
        let Some(Value::List(paths)) = message.get_by_number(1) else { return Err(malformed()) };
        self.out.byte(b'"');
        for (index, path) in paths.iter().enumerate() {
            let Value::String(path) = path else { return Err(malformed()) };
            if index > 0 {
                self.out.byte(b',');
            }
            self.camel_case(path)?;
        }
        self.out.byte(b'"');
        Ok(())
    }

    /// A path in camelCase, if it comes back from there.
    fn camel_case(&mut self, path: &str) -> Result<(), Fail> {
        let mut after_underscore = false;
        for byte in path.bytes() {
            match byte {
                b'_' if !after_underscore => after_underscore = true,
                b'a'..=b'z' if after_underscore => {
                    self.out.byte(byte.to_ascii_uppercase());
                    after_underscore = false;
                }
                b'a'..=b'z' | b'0'..=b'9' | b'.' if !after_underscore => self.out.byte(byte),
                _ => return Err(Fail::new(Reason::Path(words(format_args!("{path}"))))),
            }
        }
        if after_underscore || path.is_empty() {
            Err(Fail::new(Reason::Path(words(format_args!("{path}")))))
        } else {
            Ok(())
        }
    }
}

/// Whether a value may stand for a message of a form that is written as one of its fields.
///
/// A type of such a name may have any fields. One that held itself here would be written without an end.
#[inline]
pub(in crate::json) fn fits(form: WellKnown, value: Value<'_>) -> bool {
    let is_level = |descriptor: &MessageDescriptor| {
        form == WellKnown::Value && matches!(descriptor.well_known, WellKnown::Struct | WellKnown::ListValue)
    };
    match value {
        Value::Map(_) => form == WellKnown::Struct,
        Value::List(_) => form == WellKnown::ListValue,
        Value::Message(message) => is_level(message.descriptor()),
        Value::Lazy(lazy) => is_level(lazy.descriptor()),
        _ => true,
    }
}

/// The seconds and nanoseconds of a timestamp or a duration.
fn time(message: MessageRef<'_>) -> Result<(i64, i32), Fail> {
    match (message.get_by_number(1), message.get_by_number(2)) {
        (Some(Value::I64(seconds)), Some(Value::I32(nanos))) => Ok((seconds, nanos)),
        _ => Err(malformed()),
    }
}

/// A type of the name of a well-known one, and other fields.
#[cold]
pub(super) fn malformed() -> Fail {
    Fail::new(Reason::Value("not the fields of this well-known type"))
}
