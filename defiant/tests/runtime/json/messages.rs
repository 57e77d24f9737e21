//! Messages of every shape.

use defiant::wkt::{
    Any, BoolValue, BytesValue, DoubleValue, Duration, Empty, FieldMask, Int64Value, ListValue, NullValue, StringValue,
    Struct, Timestamp, UInt32Value, Value,
};
use defiant::{Enumeration, Lazy, Map, Message, Oneof, UnknownFields};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Enumeration)]
#[repr(transparent)]
#[defiant(name = "test.Open", open(Zero = 0 "ZERO", One = 1 "ONE", Uno = 1 "UNO", Minus = -1 "MINUS"))]
pub(crate) struct Open(pub i32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Enumeration)]
#[defiant(name = "test.Closed")]
#[repr(i32)]
pub(crate) enum Closed {
    Green = 2,
    Red = 1,
}

#[derive(Clone, Copy, Debug, PartialEq, Oneof)]
#[expect(clippy::enum_variant_names, reason = "the names of the fields come from them")]
pub(crate) enum Choice<'arena> {
    #[defiant(uint32, tag = 61)]
    ChosenNumber(u32),
    #[defiant(string, tag = 62)]
    ChosenText(&'arena str),
    #[defiant(message, tag = 63)]
    ChosenAll(&'arena All<'arena>),
    #[defiant(message, inline, tag = 64)]
    ChosenLeaf(Leaf<'arena>),
    #[defiant(enumeration, tag = 65)]
    ChosenOpen(Open),
    #[defiant(enumeration, tag = 66)]
    ChosenNull(NullValue),
    #[defiant(message, tag = 67)]
    ChosenValue(&'arena Value<'arena>),
}

#[derive(Clone, Copy, Debug, PartialEq, Message)]
#[defiant(name = "test.Leaf")]
pub(crate) struct Leaf<'arena> {
    #[defiant(sint64, tag = 1)]
    pub(crate) number: i64,
    #[defiant(string, tag = 2)]
    pub(crate) text: &'arena str,
    #[defiant(unknown)]
    pub(crate) unknown_fields: UnknownFields<'arena>,
}

#[derive(Clone, Copy, Debug, PartialEq, Message)]
#[defiant(name = "test.Needed")]
pub(crate) struct Needed<'arena> {
    #[defiant(int32, required, tag = 1)]
    pub(crate) first: i32,
    #[defiant(message, tag = 2)]
    pub(crate) child: Option<&'arena Needed<'arena>>,
    #[defiant(enumeration, required, tag = 3)]
    pub(crate) closed: Closed,
    #[defiant(unknown)]
    pub(crate) unknown_fields: UnknownFields<'arena>,
}

#[derive(Clone, Copy, Debug, PartialEq, Message)]
#[defiant(name = "test.All")]
pub(crate) struct All<'arena> {
    #[defiant(int32, tag = 1)]
    pub(crate) a_int32: i32,
    #[defiant(int64, tag = 2)]
    pub(crate) a_int64: i64,
    #[defiant(uint32, tag = 3)]
    pub(crate) a_uint32: u32,
    #[defiant(uint64, tag = 4)]
    pub(crate) a_uint64: u64,
    #[defiant(sint32, optional, tag = 5)]
    pub(crate) a_sint32: Option<i32>,
    #[defiant(sint64, optional, tag = 6)]
    pub(crate) a_sint64: Option<i64>,
    #[defiant(fixed32, optional, tag = 7)]
    pub(crate) a_fixed32: Option<u32>,
    #[defiant(fixed64, optional, tag = 8)]
    pub(crate) a_fixed64: Option<u64>,
    #[defiant(float, tag = 9)]
    pub(crate) a_float: f32,
    #[defiant(double, tag = 10)]
    pub(crate) a_double: f64,
    #[defiant(bool, tag = 11)]
    pub(crate) a_bool: bool,
    #[defiant(string, tag = 12)]
    pub(crate) a_string: &'arena str,
    #[defiant(bytes, tag = 13)]
    pub(crate) a_bytes: &'arena [u8],
    #[defiant(enumeration, tag = 14)]
    pub(crate) an_open: Open,
    #[defiant(enumeration, optional, tag = 15)]
    pub(crate) a_closed: Option<Closed>,
    #[defiant(message, tag = 16)]
    pub(crate) a_child: Option<&'arena All<'arena>>,
    #[defiant(message, inline, tag = 17)]
    pub(crate) a_leaf: Option<Leaf<'arena>>,
    #[defiant(message, lazy, tag = 18)]
    pub(crate) a_lazy: Option<Lazy<'arena, Leaf<'arena>>>,
    #[defiant(string, tag = 19, json_name = "odd \"name\"")]
    pub(crate) odd: &'arena str,
    #[defiant(int32, repeated, tag = 20)]
    pub(crate) int32s: &'arena [i32],
    #[defiant(uint64, repeated, tag = 21)]
    pub(crate) uint64s: &'arena [u64],
    #[defiant(double, repeated, tag = 22)]
    pub(crate) doubles: &'arena [f64],
    #[defiant(float, repeated, tag = 23)]
    pub(crate) floats: &'arena [f32],
    #[defiant(bool, repeated, tag = 24)]
    pub(crate) bools: &'arena [bool],
    #[defiant(string, repeated, tag = 25)]
    pub(crate) strings: &'arena [&'arena str],
    #[defiant(bytes, repeated, tag = 26)]
    pub(crate) byteses: &'arena [&'arena [u8]],
    #[defiant(enumeration, repeated, tag = 27)]
    pub(crate) opens: &'arena [Open],
    #[defiant(enumeration, repeated, tag = 28)]
    pub(crate) closeds: &'arena [Closed],
    #[defiant(message, repeated, tag = 29)]
    pub(crate) leaves: &'arena [Leaf<'arena>],
    #[defiant(group, repeated, tag = 30)]
    pub(crate) groups: &'arena [Leaf<'arena>],
    #[defiant(map = "string, int32", tag = 31)]
    pub(crate) by_string: Map<'arena, &'arena str, i32>,
    #[defiant(map = "bool, string", tag = 32)]
    pub(crate) by_bool: Map<'arena, bool, &'arena str>,
    #[defiant(map = "int32, message", tag = 33)]
    pub(crate) by_int32: Map<'arena, i32, Leaf<'arena>>,
    #[defiant(map = "fixed64, enumeration", tag = 34)]
    pub(crate) by_fixed64: Map<'arena, u64, Open>,
    #[defiant(map = "string, message", tag = 35)]
    pub(crate) values: Map<'arena, &'arena str, Value<'arena>>,
    #[defiant(oneof, tags = "61, 62, 63, 64, 65, 66, 67")]
    pub(crate) choice: Option<Choice<'arena>>,
    #[defiant(message, tag = 80)]
    pub(crate) timestamp: Option<&'arena Timestamp<'arena>>,
    #[defiant(message, tag = 81)]
    pub(crate) duration: Option<&'arena Duration<'arena>>,
    #[defiant(message, tag = 82)]
    pub(crate) mask: Option<&'arena FieldMask<'arena>>,
    #[defiant(message, tag = 83)]
    pub(crate) value: Option<&'arena Value<'arena>>,
    #[defiant(message, tag = 84)]
    pub(crate) a_struct: Option<&'arena Struct<'arena>>,
    #[defiant(message, tag = 85)]
    pub(crate) list: Option<&'arena ListValue<'arena>>,
    #[defiant(message, tag = 86)]
    pub(crate) empty: Option<&'arena Empty<'arena>>,
    #[defiant(message, tag = 87)]
    pub(crate) any: Option<&'arena Any<'arena>>,
    #[defiant(message, tag = 88)]
    pub(crate) wrapped_bool: Option<&'arena BoolValue<'arena>>,
    #[defiant(message, tag = 89)]
    pub(crate) wrapped_int64: Option<&'arena Int64Value<'arena>>,
    #[defiant(message, tag = 90)]
    pub(crate) wrapped_uint32: Option<&'arena UInt32Value<'arena>>,
    #[defiant(message, tag = 91)]
    pub(crate) wrapped_double: Option<&'arena DoubleValue<'arena>>,
    #[defiant(message, tag = 92)]
    pub(crate) wrapped_string: Option<&'arena StringValue<'arena>>,
    #[defiant(message, tag = 93)]
    pub(crate) wrapped_bytes: Option<&'arena BytesValue<'arena>>,
    #[defiant(enumeration, optional, tag = 94)]
    pub(crate) null: Option<NullValue>,
    #[defiant(message, repeated, tag = 95)]
    pub(crate) some_values: &'arena [Value<'arena>],
    #[defiant(message, repeated, tag = 96)]
    pub(crate) times: &'arena [Timestamp<'arena>],
    #[defiant(message, repeated, tag = 97)]
    pub(crate) anys: &'arena [Any<'arena>],
    #[defiant(message, repeated, tag = 98)]
    pub(crate) wrapped_strings: &'arena [StringValue<'arena>],
    #[defiant(message, lazy, repeated, tag = 99)]
    pub(crate) lazies: &'arena [Lazy<'arena, Leaf<'arena>>],
    #[defiant(message, tag = 100)]
    pub(crate) needed: Option<&'arena Needed<'arena>>,
    #[defiant(unknown)]
    pub(crate) unknown_fields: UnknownFields<'arena>,
}
