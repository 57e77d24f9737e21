//! `Struct`, `Value` and `ListValue`: JSON's data model, built in an arena and looked at.
//!
//! Nothing here recurses: how deep a value may be nested is for the decoder and for whoever builds it to say.

use crate::arena::Arena;
use crate::map::Map;
use crate::unknown::UnknownFields;

use super::value::Kind;
use super::{ListValue, NullValue, Struct, Value};

impl<'arena> Struct<'arena> {
    /// An object of names and values; of pairs with the same name, the last one stays.
    ///
    /// # Panics
    /// When memory or the arena's limit is exhausted.
    ///
    /// ```
    /// # let arena = defiant::Arena::new();
    /// use defiant::wkt::{Struct, Value};
    ///
    /// let person = Struct::new(&arena, [("name", "Ada".into()), ("age", 36.into()), ("admin", Value::NULL)]);
    /// assert_eq!(person.get("age").and_then(Value::as_f64), Some(36.0));
    /// ```
    pub fn new(arena: &'arena Arena, pairs: impl IntoIterator<Item = (&'arena str, Value<'arena>)>) -> Self {
        Struct { fields: Map::new(arena, pairs), unknown_fields: UnknownFields::EMPTY }
    }

    /// The value of a name.
    ///
    /// ```
    /// # let arena = defiant::Arena::new();
    /// use defiant::wkt::{Struct, Value};
    ///
    /// let person = Struct::new(&arena, [("name", Value::from("Ada"))]);
    /// assert_eq!(person.get("name"), Some(&Value::from("Ada")));
    /// assert_eq!(person.get("age"), None);
    /// ```
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&'arena Value<'arena>> {
        self.fields.get(name)
    }
}

impl<'arena> ListValue<'arena> {
    /// A list of values.
    ///
    /// # Panics
    /// When memory or the arena's limit is exhausted.
    ///
    /// ```
    /// # let arena = defiant::Arena::new();
    /// use defiant::wkt::{ListValue, Value};
    ///
    /// let list = ListValue::new(&arena, [1, 2, 3].map(Value::from));
    /// assert_eq!(list.values.len(), 3);
    /// ```
    pub fn new(arena: &'arena Arena, values: impl IntoIterator<Item = Value<'arena>>) -> Self {
        ListValue { values: arena.vec_from_iter(values).into_slice(), unknown_fields: UnknownFields::EMPTY }
    }

    /// The value at an index, counted from 0.
    ///
    /// ```
    /// # let arena = defiant::Arena::new();
    /// use defiant::wkt::{ListValue, Value};
    ///
    /// let list = ListValue::new(&arena, ["a", "b"].map(Value::from));
    /// assert_eq!(list.get(1).and_then(Value::as_str), Some("b"));
    /// assert_eq!(list.get(2), None);
    /// ```
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&'arena Value<'arena>> {
        self.values.get(index)
    }
}

impl<'arena> Value<'arena> {
    /// JSON's `null`. A default `Value` is not that: it has no kind, and no JSON.
    pub const NULL: Self = Self::of(Kind::NullValue(NullValue::NullValue));

    const fn of(kind: Kind<'arena>) -> Self {
        Value { kind: Some(kind), unknown_fields: UnknownFields::EMPTY }
    }

    /// An object of names and values: [`Struct::new`] in a value.
    ///
    /// # Panics
    /// When memory or the arena's limit is exhausted.
    ///
    /// ```
    /// # let arena = defiant::Arena::new();
    /// use defiant::wkt::Value;
    ///
    /// let point = Value::object(&arena, [("x", 1.into()), ("y", 2.5.into())]);
    /// let line = Value::object(&arena, [("from", point), ("to", Value::NULL)]);
    /// assert_eq!(line.get("from").and_then(|from| from.get("y")), Some(&Value::from(2.5)));
    /// ```
    pub fn object(arena: &'arena Arena, pairs: impl IntoIterator<Item = (&'arena str, Self)>) -> Self {
        Self::of(Kind::StructValue(arena.alloc(Struct::new(arena, pairs))))
    }

    /// A list of values: [`ListValue::new`] in a value.
    ///
    /// # Panics
    /// When memory or the arena's limit is exhausted.
    ///
    /// ```
    /// # let arena = defiant::Arena::new();
    /// use defiant::wkt::Value;
    ///
    /// let tags = Value::list(&arena, [Value::from("new"), Value::from(1), Value::NULL]);
    /// assert_eq!(tags.as_list().map(<[_]>::len), Some(3));
    /// ```
    pub fn list(arena: &'arena Arena, values: impl IntoIterator<Item = Self>) -> Self {
        Self::of(Kind::ListValue(arena.alloc(ListValue::new(arena, values))))
    }

    /// Whether it is JSON's `null`.
    ///
    /// ```
    /// use defiant::wkt::Value;
    ///
    /// assert!(Value::NULL.is_null());
    /// assert!(!Value::default().is_null());
    /// ```
    #[must_use]
    pub const fn is_null(&self) -> bool {
        matches!(self.kind, Some(Kind::NullValue(_)))
    }

    /// The number, if it is one. JSON has none that is infinite or not a number; this may.
    ///
    /// ```
    /// assert_eq!(defiant::wkt::Value::from(2).as_f64(), Some(2.0));
    /// ```
    #[must_use]
    pub const fn as_f64(&self) -> Option<f64> {
        match self.kind {
            Some(Kind::NumberValue(number)) => Some(number),
            _ => None,
        }
    }

    /// The string, if it is one.
    ///
    /// ```
    /// assert_eq!(defiant::wkt::Value::from("text").as_str(), Some("text"));
    /// ```
    #[must_use]
    pub const fn as_str(&self) -> Option<&'arena str> {
        match self.kind {
            Some(Kind::StringValue(text)) => Some(text),
            _ => None,
        }
    }

    /// `true` or `false`, if it is one.
    ///
    /// ```
    /// assert_eq!(defiant::wkt::Value::from(true).as_bool(), Some(true));
    /// assert_eq!(defiant::wkt::Value::from(1).as_bool(), None);
    /// ```
    #[must_use]
    pub const fn as_bool(&self) -> Option<bool> {
        match self.kind {
            Some(Kind::BoolValue(value)) => Some(value),
            _ => None,
        }
    }

    /// The object, if it is one.
    ///
    /// ```
    /// # let arena = defiant::Arena::new();
    /// use defiant::wkt::Value;
    ///
    /// let object = Value::object(&arena, [("a", 1.into()), ("b", 2.into())]);
    /// let names: Vec<&str> = object.as_struct().unwrap().fields.iter().map(|(name, _)| *name).collect();
    /// assert_eq!(names, ["a", "b"]);
    /// ```
    #[must_use]
    pub const fn as_struct(&self) -> Option<&'arena Struct<'arena>> {
        match self.kind {
            Some(Kind::StructValue(object)) => Some(object),
            _ => None,
        }
    }

    /// The values of the list, if it is one.
    ///
    /// ```
    /// # let arena = defiant::Arena::new();
    /// use defiant::wkt::Value;
    ///
    /// let list = Value::list(&arena, [Value::from(1)]);
    /// assert_eq!(list.as_list(), Some(&[Value::from(1)][..]));
    /// ```
    #[must_use]
    pub const fn as_list(&self) -> Option<&'arena [Value<'arena>]> {
        match self.kind {
            Some(Kind::ListValue(list)) => Some(list.values),
            _ => None,
        }
    }

    /// The value of a name, if it is an object and has one.
    ///
    /// ```
    /// # let arena = defiant::Arena::new();
    /// use defiant::wkt::Value;
    ///
    /// let object = Value::object(&arena, [("a", 1.into())]);
    /// assert_eq!(object.get("a").and_then(Value::as_f64), Some(1.0));
    /// assert_eq!(Value::NULL.get("a"), None);
    /// ```
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&'arena Value<'arena>> {
        self.as_struct()?.get(name)
    }
}

macro_rules! from {
    ($($(#[$docs:meta])* $type:ty, $value:ident => $kind:expr;)*) => {$(
        $(#[$docs])*
        impl<'arena> From<$type> for Value<'arena> {
            fn from($value: $type) -> Self {
                Self::of($kind)
            }
        }
    )*};
}

from! {
    /// JSON's numbers are those of `f64`; larger integers go in as strings.
    f64, number => Kind::NumberValue(number);
    f32, number => Kind::NumberValue(number.into());
    i32, number => Kind::NumberValue(number.into());
    u32, number => Kind::NumberValue(number.into());
    bool, value => Kind::BoolValue(value);
    &'arena str, text => Kind::StringValue(text);
    NullValue, value => Kind::NullValue(value);
    &'arena Struct<'arena>, object => Kind::StructValue(object);
    &'arena ListValue<'arena>, list => Kind::ListValue(list);
}

/// `None` is `null`.
impl<'arena, T: Into<Value<'arena>>> From<Option<T>> for Value<'arena> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::NULL, Into::into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DecodeOptions, Message as _};

    #[test]
    fn every_kind_answers_to_its_own_name_only() {
        let arena = Arena::new();
        let values = [
            Value::default(),
            Value::NULL,
            Value::from(1.5),
            Value::from("text"),
            Value::from(true),
            Value::object(&arena, []),
            Value::list(&arena, []),
        ];
        for (index, value) in values.iter().enumerate() {
            let answers = [
                value.kind.is_none(),
                value.is_null(),
                value.as_f64().is_some(),
                value.as_str().is_some(),
                value.as_bool().is_some(),
                value.as_struct().is_some(),
                value.as_list().is_some(),
            ];
            assert!(answers.iter().enumerate().all(|(other, &answer)| answer == (other == index)), "{value:?}");
            assert_eq!(Value::decode(value.encode_in(&arena), &arena).ok().as_ref(), Some(value));
        }
    }

    #[test]
    fn options_and_equal_names() {
        let arena = Arena::new();
        let object = Value::object(&arena, [("a", Some(1).into()), ("b", None::<&str>.into()), ("a", "last".into())]);
        assert_eq!(object.get("a").and_then(Value::as_str), Some("last"));
        assert!(object.get("b").is_some_and(Value::is_null));
        assert_eq!(object.as_struct().map(|object| object.fields.len()), Some(2));
    }

    #[test]
    fn hostile_depth_is_an_error() {
        let arena = Arena::new();
        let deep = |levels| (0..levels).fold(Value::NULL, |inner, _| Value::list(&arena, [inner]));
        // A list is two levels of messages: `ListValue` and `Value`.
        assert!(Value::decode(deep(50).encode_in(&arena), &arena).is_ok());
        let wire = deep(51).encode_in(&arena);
        assert!(Value::decode(wire, &arena).is_err_and(|error| error.is_recursion_limit()));
        assert!(DecodeOptions::new().recursion_limit(102).decode::<Value<'_>>(wire, &arena).is_ok());
    }
}
