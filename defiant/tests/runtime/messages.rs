//! One message with a field of every kind, for both libraries.

use std::collections::BTreeMap;

use defiant::{Enumeration, Map, Message, Oneof, UnknownFields};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Enumeration)]
#[repr(transparent)]
#[defiant(name = "t.Color", open(Red = 0 "RED", Green = 1 "GREEN"))]
pub(crate) struct Color(pub i32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Enumeration)]
#[repr(i32)]
#[defiant(name = "t.Level")]
pub(crate) enum Level {
    #[defiant(name = "LOW")]
    Low = 1,
    #[defiant(name = "HIGH")]
    High = -2,
}

messages! {
    #[derive(Clone, Copy, Debug, PartialEq, Oneof)]
    pub(crate) enum Choice<'arena> {
        #[defiant(string, tag = 40)]
        Text(&'arena str),
        #[defiant(message, tag = 41, name = "chosen_leaf")]
        Leaf(&'arena Leaf<'arena>),
        #[defiant(sint64, tag = 42)]
        Number(i64),
        #[defiant(enumeration, tag = 43)]
        Level(Level),
    }

    #[derive(Clone, Copy, Debug, PartialEq, Message)]
    #[defiant(name = "t.Leaf")]
    pub(crate) struct Leaf<'arena> {
        #[defiant(sint32, tag = 1)]
        pub x: i32,
        #[defiant(string, optional, tag = 2)]
        pub label: Option<&'arena str>,
        #[defiant(message, tag = 3)]
        pub next: Option<&'arena Leaf<'arena>>,
        #[defiant(uint64, repeated, tag = 4)]
        pub data: &'arena [u64],
        #[defiant(map = "int32, string", tag = 5)]
        pub names: Map<'arena, i32, &'arena str>,
        #[defiant(unknown)]
        pub unknown_fields: UnknownFields<'arena>,
    }

    #[derive(Clone, Copy, Debug, PartialEq, Message)]
    #[defiant(name = "t.All")]
    pub(crate) struct All<'arena> {
        #[defiant(int32, tag = 1)]
        pub int32: i32,
        #[defiant(int64, optional, tag = 2)]
        pub int64: Option<i64>,
        #[defiant(uint32, tag = 3)]
        pub uint32: u32,
        #[defiant(uint64, optional, tag = 4)]
        pub uint64: Option<u64>,
        #[defiant(sint32, tag = 5)]
        pub sint32: i32,
        #[defiant(sint64, tag = 6)]
        pub sint64: i64,
        #[defiant(fixed32, tag = 7)]
        pub fixed32: u32,
        #[defiant(fixed64, optional, tag = 8)]
        pub fixed64: Option<u64>,
        #[defiant(sfixed32, tag = 9)]
        pub sfixed32: i32,
        #[defiant(sfixed64, tag = 10)]
        pub sfixed64: i64,
        #[defiant(float, tag = 11)]
        pub float: f32,
        #[defiant(double, optional, tag = 12)]
        pub double: Option<f64>,
        #[defiant(bool, tag = 13)]
        pub bool: bool,
        #[defiant(string, tag = 14)]
        pub string: &'arena str,
        #[defiant(bytes, tag = 15)]
        pub bytes: &'arena [u8],
        #[defiant(enumeration, tag = 16)]
        pub color: Color,
        #[defiant(message, tag = 17)]
        pub leaf: Option<&'arena Leaf<'arena>>,
        #[defiant(group, tag = 18)]
        pub group: Option<&'arena Leaf<'arena>>,
        #[defiant(message, repeated, tag = 19)]
        pub leaves: &'arena [Leaf<'arena>],
        #[defiant(group, repeated, tag = 20)]
        pub groups: &'arena [Leaf<'arena>],
        #[defiant(string, repeated, tag = 21)]
        pub strings: &'arena [&'arena str],
        #[defiant(int32, repeated, tag = 22)]
        pub packed: &'arena [i32],
        #[defiant(sint64, repeated, packed = false, tag = 23)]
        pub unpacked: &'arena [i64],
        #[defiant(fixed32, repeated, tag = 24)]
        pub fixed: &'arena [u32],
        #[defiant(double, repeated, packed = false, tag = 25)]
        pub doubles: &'arena [f64],
        #[defiant(bool, repeated, tag = 26)]
        pub bools: &'arena [bool],
        #[defiant(enumeration, repeated, tag = 27)]
        pub colors: &'arena [Color],
        #[defiant(map = "string, int64", tag = 28)]
        pub counts: Map<'arena, &'arena str, i64>,
        #[defiant(map = "int32, message", tag = 29)]
        pub places: Map<'arena, i32, Leaf<'arena>>,
        #[defiant(bytes, repeated, tag = 30)]
        pub blobs: &'arena [&'arena [u8]],
        #[defiant(message, inline, tag = 31)]
        pub inline: Option<Leaf<'arena>>,
        #[defiant(oneof = "Choice", tags = "40, 41, 42, 43")]
        pub choice: Option<Choice<'arena>>,
        #[defiant(string, optional, tag = 2100)]
        pub far: Option<&'arena str>,
        #[defiant(unknown)]
        pub unknown_fields: UnknownFields<'arena>,
    }

    /// Knows of all that only what is in the middle.
    #[derive(Clone, Copy, Debug, PartialEq, Message)]
    #[defiant(name = "t.Bare")]
    pub(crate) struct Bare<'arena> {
        #[defiant(string, tag = 14)]
        pub string: &'arena str,
        #[defiant(unknown)]
        pub unknown_fields: UnknownFields<'arena>,
    }

    /// `option message_set_wire_format = true;`
    #[derive(Clone, Copy, Debug, PartialEq, Message)]
    #[defiant(name = "t.Set", message_set)]
    pub(crate) struct Set<'arena> {
        #[defiant(unknown)]
        pub unknown_fields: UnknownFields<'arena>,
    }
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct ProstLeaf {
    #[prost(sint32, tag = 1)]
    pub x: i32,
    #[prost(string, optional, tag = 2)]
    pub label: Option<String>,
    #[prost(message, optional, boxed, tag = 3)]
    pub next: Option<Box<ProstLeaf>>,
    #[prost(uint64, repeated, tag = 4)]
    pub data: Vec<u64>,
    #[prost(btree_map = "int32, string", tag = 5)]
    pub names: BTreeMap<i32, String>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
pub(crate) enum ProstChoice {
    #[prost(string, tag = 40)]
    Text(String),
    #[prost(message, tag = 41)]
    Leaf(ProstLeaf),
    #[prost(sint64, tag = 42)]
    Number(i64),
    #[prost(int32, tag = 43)]
    Level(i32),
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct ProstAll {
    #[prost(int32, tag = 1)]
    pub int32: i32,
    #[prost(int64, optional, tag = 2)]
    pub int64: Option<i64>,
    #[prost(uint32, tag = 3)]
    pub uint32: u32,
    #[prost(uint64, optional, tag = 4)]
    pub uint64: Option<u64>,
    #[prost(sint32, tag = 5)]
    pub sint32: i32,
    #[prost(sint64, tag = 6)]
    pub sint64: i64,
    #[prost(fixed32, tag = 7)]
    pub fixed32: u32,
    #[prost(fixed64, optional, tag = 8)]
    pub fixed64: Option<u64>,
    #[prost(sfixed32, tag = 9)]
    pub sfixed32: i32,
    #[prost(sfixed64, tag = 10)]
    pub sfixed64: i64,
    #[prost(float, tag = 11)]
    pub float: f32,
    #[prost(double, optional, tag = 12)]
    pub double: Option<f64>,
    #[prost(bool, tag = 13)]
    pub bool: bool,
    #[prost(string, tag = 14)]
    pub string: String,
    #[prost(bytes = "vec", tag = 15)]
    pub bytes: Vec<u8>,
    #[prost(int32, tag = 16)]
    pub color: i32,
    #[prost(message, optional, tag = 17)]
    pub leaf: Option<ProstLeaf>,
    #[prost(group, optional, tag = 18)]
    pub group: Option<ProstLeaf>,
    #[prost(message, repeated, tag = 19)]
    pub leaves: Vec<ProstLeaf>,
    #[prost(group, repeated, tag = 20)]
    pub groups: Vec<ProstLeaf>,
    #[prost(string, repeated, tag = 21)]
    pub strings: Vec<String>,
    #[prost(int32, repeated, tag = 22)]
    pub packed: Vec<i32>,
    #[prost(sint64, repeated, packed = "false", tag = 23)]
    pub unpacked: Vec<i64>,
    #[prost(fixed32, repeated, tag = 24)]
    pub fixed: Vec<u32>,
    #[prost(double, repeated, packed = "false", tag = 25)]
    pub doubles: Vec<f64>,
    #[prost(bool, repeated, tag = 26)]
    pub bools: Vec<bool>,
    #[prost(int32, repeated, tag = 27)]
    pub colors: Vec<i32>,
    #[prost(btree_map = "string, int64", tag = 28)]
    pub counts: BTreeMap<String, i64>,
    #[prost(btree_map = "int32, message", tag = 29)]
    pub places: BTreeMap<i32, ProstLeaf>,
    #[prost(bytes = "vec", repeated, tag = 30)]
    pub blobs: Vec<Vec<u8>>,
    #[prost(message, optional, tag = 31)]
    pub inline: Option<ProstLeaf>,
    #[prost(oneof = "ProstChoice", tags = "40, 41, 42, 43")]
    pub choice: Option<ProstChoice>,
    #[prost(string, optional, tag = 2100)]
    pub far: Option<String>,
}
