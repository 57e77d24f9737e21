//! Whether two messages say the same, and what a format may lose.

use std::collections::BTreeSet;

use defiant::descriptor::FieldDescriptor;
use defiant::reflect::{MessageRef, MessageType, Resolver, Value};
use defiant::{Arena, DecodeOptions};

use super::wire::records;

/// What may be lost between two messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Loss {
    /// Nothing: bits and unknown fields are the same.
    Nothing,
    /// What the text format has no words for: unknown fields, and which NaN one is. The content of an `Any` may be encoded
    /// in another way.
    Text,
    /// The same for JSON, which also has one null.
    Json,
}

/// Two messages of one type, of one kind each.
#[derive(Clone, Copy)]
pub(super) struct Comparison<'c> {
    pub(super) left: &'c dyn Resolver,
    pub(super) right: &'c dyn Resolver,
    pub(super) loss: Loss,
    pub(super) arena: &'c Arena,
}

impl<'c> Comparison<'c> {
    /// The first difference.
    pub(super) fn messages(&self, left: MessageRef<'_>, right: MessageRef<'_>) -> Result<(), String> {
        let (ours, theirs) = (left.descriptor(), right.descriptor());
        let name = ours.full_name();
        if name != theirs.full_name() || ours.fields().len() != theirs.fields().len() {
            return Err(format!("{name} and {}", theirs.full_name()));
        }
        if name == "google.protobuf.Any" && self.loss != Loss::Nothing {
            if let Some(result) = self.any(left, right) {
                return result;
            }
        }
        for (ours, theirs) in ours.fields().iter().zip(theirs.fields()) {
            let within = |what: String| format!("{name}.{}: {what}", ours.name());
            if ours.number() != theirs.number() || ours.name() != theirs.name() || ours.ty() != theirs.ty() {
                return Err(within("the descriptors differ".to_owned()));
            }
            if self.loss == Loss::Json && is_null(ours) && !ours.is_list() && !ours.has_presence() {
                continue;
            }
            match (left.has(ours), right.has(theirs)) {
                (true, true) => {
                    self.values(ours, left.get(ours), right.get(theirs)).map_err(within)?;
                }
                (false, false) => {
                    // Their defaults.
                    if ours.message().is_none() {
                        self.values(ours, left.get(ours), right.get(theirs)).map_err(within)?;
                    }
                }
                (one, other) => return Err(within(format!("set: {one} and {other}"))),
            }
        }
        let [ours, theirs] = [left, right].map(|message| message.unknown_fields().spans().collect::<Vec<_>>().concat());
        if self.loss != Loss::Nothing {
            return self.extensions(name, &ours, &theirs);
        }
        if ours != theirs {
            return Err(format!("{name}: unknown fields {} and {}", ours.escape_ascii(), theirs.escape_ascii()));
        }
        Ok(())
    }

    /// `None` if both are to be compared as they are.
    fn any(&self, left: MessageRef<'_>, right: MessageRef<'_>) -> Option<Result<(), String>> {
        let content = |message: MessageRef<'_>, resolver: &'c dyn Resolver| {
            let Some(Value::String(url)) = message.get_by_number(1) else { return None };
            let Some(Value::Bytes(content)) = message.get_by_number(2) else { return None };
            let ty = resolver.message(url.rsplit_once('/')?.1)?;
            let message = self.decode(ty, content)?;
            Some((url.to_owned(), message))
        };
        let (ours, theirs) = (content(left, self.left)?, content(right, self.right)?);
        if ours.0 != theirs.0 {
            return Some(Err(format!("type URLs {:?} and {:?}", ours.0, theirs.0)));
        }
        Some(self.messages(ours.1, theirs.1).map_err(|what| format!("in an Any: {what}")))
    }

    fn decode(&self, ty: MessageType<'c>, wire: &[u8]) -> Option<MessageRef<'c>> {
        let wire = self.arena.alloc_slice_copy(wire);
        ty.decode(wire, &DecodeOptions::new(), self.arena).ok()
    }

    /// The unknown fields that are extensions.
    fn extensions(&self, host: &str, left: &[u8], right: &[u8]) -> Result<(), String> {
        let broken = || format!("{host}: unknown fields that are none");
        let (left, right) = (records(left).ok_or_else(broken)?, records(right).ok_or_else(broken)?);
        let numbers: BTreeSet<u64> = left.iter().chain(&right).map(|record| record.0).collect();
        for number in numbers {
            let Ok(of) = u32::try_from(number) else { continue };
            let (ours, theirs) = (self.left.extension_by_number(host, of), self.right.extension_by_number(host, of));
            let (Some(ours), Some(theirs)) = (ours, theirs) else { continue };
            let wire = |records: &[(u64, &[u8])]| {
                records.iter().filter(|record| record.0 == number).map(|record| record.1).collect::<Vec<_>>().concat()
            };
            // What does not decode is an unknown field like any other.
            let Some(one) = self.decode(ours.holder(), &wire(&left)) else { continue };
            let Some(other) = self.decode(theirs.holder(), &wire(&right)) else {
                return Err(format!("{host}: [{}] does not decode any more", ours.full_name()));
            };
            let (has, had) = (one.has(ours.field()), other.has(theirs.field()));
            let within = |what: String| format!("{host}: [{}]: {what}", ours.full_name());
            match (has, had) {
                (true, true) => {
                    let (one, other) = (one.get(ours.field()), other.get(theirs.field()));
                    self.values(ours.field(), one, other).map_err(within)?;
                }
                (false, false) => {}
                _ => return Err(within(format!("set: {has} and {had}"))),
            }
        }
        Ok(())
    }

    fn values(&self, field: &FieldDescriptor, left: Value<'_>, right: Value<'_>) -> Result<(), String> {
        let same = match (left, right) {
            (Value::F32(left), Value::F32(right)) => {
                left.to_bits() == right.to_bits() || self.loss != Loss::Nothing && left.is_nan() && right.is_nan()
            }
            (Value::F64(left), Value::F64(right)) => {
                left.to_bits() == right.to_bits() || self.loss != Loss::Nothing && left.is_nan() && right.is_nan()
            }
            (Value::Enum(left), Value::Enum(right)) => left == right || self.loss == Loss::Json && is_null(field),
            (Value::Message(left), Value::Message(right)) => return self.messages(left, right),
            (Value::List(left), Value::List(right)) => {
                if left.len() != right.len() {
                    return Err(format!("{} and {} elements", left.len(), right.len()));
                }
                for (index, (left, right)) in left.iter().zip(right.iter()).enumerate() {
                    self.values(field, left, right).map_err(|what| format!("{index}: {what}"))?;
                }
                true
            }
            (Value::Map(left), Value::Map(right)) => {
                if left.len() != right.len() {
                    return Err(format!("{} and {} entries", left.len(), right.len()));
                }
                for (left, right) in left.iter().zip(right.iter()) {
                    if left.0 != right.0 {
                        return Err(format!("keys {:?} and {:?}", left.0, right.0));
                    }
                    self.values(field, left.1, right.1).map_err(|what| format!("{:?}: {what}", left.0))?;
                }
                true
            }
            (left, right) => left == right,
        };
        if same { Ok(()) } else { Err(format!("{left:?} and {right:?}")) }
    }
}

fn is_null(field: &FieldDescriptor) -> bool {
    field.enumeration().is_some_and(|one| one.full_name() == "google.protobuf.NullValue")
}
