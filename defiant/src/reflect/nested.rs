//! Equality and `Debug` of messages, however deep they are.
//!
//! A message that was built by hand may nest deeper than the stack allows. Neither trait can return an error, so
//!
//! * `==` keeps the pairs to compare on the heap, at most as many for each level as a message has fields;
//! * `Debug` prints `Name { .. }` for messages below [`LEVELS`].

use core::fmt;

use alloc::vec::Vec;

use super::{ListRef, MapRef, MessageRef, Value};

/// Levels of messages inside the outermost one that `Debug` prints.
const LEVELS: u32 = 100;

/// What is left to compare.
enum Pair<'a, 'b> {
    Messages(MessageRef<'a>, MessageRef<'b>),
    /// Lists or maps of the same length, from an index on.
    Lists(ListRef<'a>, ListRef<'b>, usize),
    Maps(MapRef<'a>, MapRef<'b>, usize),
}

/// Pairs that are equal if all in them are.
struct Comparison<'a, 'b> {
    left: Vec<Pair<'a, 'b>>,
}

impl<'a, 'b> Comparison<'a, 'b> {
    /// Whether two values are equal.
    fn of(left: Value<'a>, right: Value<'b>) -> bool {
        let mut comparison = Comparison { left: Vec::new() };
        comparison.add(left, right) && comparison.run()
    }

    /// Compares all pairs.
    fn run(&mut self) -> bool {
        while let Some(pair) = self.left.pop() {
            let equal = match pair {
                Pair::Messages(left, right) => self.messages(left, right),
                Pair::Lists(left, right, index) => match (left.get(index), right.get(index)) {
                    (Some(a), Some(b)) => {
                        self.left.push(Pair::Lists(left, right, index + 1));
                        self.add(a, b)
                    }
                    _ => true,
                },
                Pair::Maps(left, right, index) => match (left.entry(index), right.entry(index)) {
                    (Some(a), Some(b)) => {
                        self.left.push(Pair::Maps(left, right, index + 1));
                        self.add(a.0, b.0) && self.add(a.1, b.1)
                    }
                    _ => true,
                },
            };
            if !equal {
                return false;
            }
        }
        true
    }

    fn messages(&mut self, left: MessageRef<'a>, right: MessageRef<'b>) -> bool {
        if !left.descriptor.is(right.descriptor) || left.unknown_fields() != right.unknown_fields() {
            return false;
        }
        let (mut left, mut right) = (left.fields(), right.fields());
        loop {
            match (left.next(), right.next()) {
                (Some((a, left)), Some((b, right))) if a.number == b.number => {
                    if !self.add(left, right) {
                        return false;
                    }
                }
                (None, None) => return true,
                _ => return false,
            }
        }
    }

    /// Compares two values; keeps those that hold others for later.
    fn add(&mut self, left: Value<'a>, right: Value<'b>) -> bool {
        let pair = match (left, right) {
            (Value::Bool(left), Value::Bool(right)) => return left == right,
            (Value::I32(left), Value::I32(right)) => return left == right,
            (Value::I64(left), Value::I64(right)) => return left == right,
            (Value::U32(left), Value::U32(right)) => return left == right,
            (Value::U64(left), Value::U64(right)) => return left == right,
            (Value::F32(left), Value::F32(right)) => return left == right,
            (Value::F64(left), Value::F64(right)) => return left == right,
            (Value::String(left), Value::String(right)) => return left == right,
            (Value::Bytes(left), Value::Bytes(right)) => return left == right,
            (Value::Enum(left), Value::Enum(right)) => return left == right,
            // Lazy messages nest no deeper than their own recursion limit.
            (Value::Lazy(left), Value::Lazy(right)) => return left == right,
            (Value::Message(left), Value::Message(right)) => Pair::Messages(left, right),
            (Value::List(left), Value::List(right)) if left.len() == right.len() => {
                if left.field().message().is_none() {
                    return left.iter().zip(right.iter()).all(|(left, right)| self.add(left, right));
                }
                Pair::Lists(left, right, 0)
            }
            (Value::Map(left), Value::Map(right)) if left.len() == right.len() => Pair::Maps(left, right, 0),
            _ => return false,
        };
        self.left.push(pair);
        true
    }
}

impl PartialEq for Value<'_> {
    fn eq(&self, other: &Self) -> bool {
        Comparison::of(*self, *other)
    }
}

impl PartialEq for ListRef<'_> {
    fn eq(&self, other: &Self) -> bool {
        Comparison::of(Value::List(*self), Value::List(*other))
    }
}

impl PartialEq for MapRef<'_> {
    fn eq(&self, other: &Self) -> bool {
        Comparison::of(Value::Map(*self), Value::Map(*other))
    }
}

impl PartialEq for MessageRef<'_> {
    /// Whether type and fields are the same, unknown ones included.
    fn eq(&self, other: &Self) -> bool {
        Comparison::of(Value::Message(*self), Value::Message(*other))
    }
}

/// Something to print, and the levels of messages that may still be entered.
struct Limited<T>(T, u32);

impl fmt::Debug for Limited<Value<'_>> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let levels = self.1;
        let (name, value): (_, &dyn fmt::Debug) = match &self.0 {
            Value::Bool(value) => ("Bool", value),
            Value::I32(value) => ("I32", value),
            Value::I64(value) => ("I64", value),
            Value::U32(value) => ("U32", value),
            Value::U64(value) => ("U64", value),
            Value::F32(value) => ("F32", value),
            Value::F64(value) => ("F64", value),
            Value::String(value) => ("String", value),
            Value::Bytes(value) => ("Bytes", value),
            Value::Enum(value) => ("Enum", value),
            Value::Lazy(value) => ("Lazy", value),
            Value::Message(message) => ("Message", &Limited(*message, levels)),
            Value::List(list) => ("List", &Limited(*list, levels)),
            Value::Map(map) => ("Map", &Limited(*map, levels)),
        };
        f.debug_tuple(name).field(value).finish()
    }
}

impl fmt::Debug for Limited<ListRef<'_>> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|value| Limited(value, self.1))).finish()
    }
}

impl fmt::Debug for Limited<MapRef<'_>> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entries = self.0.iter().map(|(key, value)| (Limited(key, self.1), Limited(value, self.1)));
        f.debug_map().entries(entries).finish()
    }
}

impl fmt::Debug for Limited<MessageRef<'_>> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let message = self.0;
        let mut out = f.debug_struct(message.descriptor.name());
        let Some(levels) = self.1.checked_sub(1) else { return out.finish_non_exhaustive() };
        for (field, value) in message.fields() {
            match message.descriptor.hides(field) {
                true => out.field(field.name(), &format_args!("[REDACTED]")),
                false => out.field(field.name(), &Limited(value, levels)),
            };
        }
        out.finish()
    }
}

macro_rules! debug {
    ($($ty:ident: $doc:literal;)*) => {$(
        impl fmt::Debug for $ty<'_> {
            #[doc = $doc]
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                // The outermost message is no level inside of itself.
                Limited(*self, LEVELS + 1).fmt(f)
            }
        }
    )*};
}

debug! {
    Value: "The value; messages more than 100 levels deep as `Name { .. }`.";
    ListRef: "The elements; messages more than 100 levels deep as `Name { .. }`.";
    MapRef: "The entries; messages more than 100 levels deep as `Name { .. }`.";
    MessageRef: "The fields that are set. Those with the option `debug_redact`, and what an `Any` holds, are `[REDACTED]`. \
        Messages more than 100 levels deep are `Name { .. }`.";
}
