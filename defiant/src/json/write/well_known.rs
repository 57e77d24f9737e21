//! The messages that have forms of their own.

use super::Writer;
use crate::descriptor::{Cardinality, FieldDescriptor, MessageDescriptor, WellKnown};
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
                let Some(field) = content(message.descriptor()) else { return Err(malformed()) };
                self.value(message.get(field), field).map_err(|fail| fail.within(message.descriptor(), field))
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
            _ if !is_kind(field) => Err(malformed()),
            value => self.value(value, field).map_err(|fail| fail.within(message.descriptor(), field)),
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

/// The field that a `Struct`, a `ListValue` or a wrapper is written and read as.
///
/// A type of such a name may have any fields. One that held itself here would be read and written without an end.
pub(in crate::json) fn content(descriptor: &MessageDescriptor) -> Option<&FieldDescriptor> {
    let fits = |field: &&FieldDescriptor| match descriptor.well_known {
        WellKnown::Struct => field.is_map(),
        WellKnown::ListValue => field.is_list(),
        _ => field.message().is_none(),
    };
    descriptor.fields().first().filter(fits)
}

/// Whether a `Value` may be of the kind of this field: for the same reason, one without messages, a `Struct` or a `ListValue`.
pub(in crate::json) fn is_kind(field: &FieldDescriptor) -> bool {
    let form = |message: &MessageDescriptor| matches!(message.well_known, WellKnown::Struct | WellKnown::ListValue);
    field.cardinality() != Cardinality::Repeated && field.message().is_none_or(form)
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
