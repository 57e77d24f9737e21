//! A schema with every shape, and what is asked of it.

use std::borrow::ToOwned;
use std::format;
use std::string::{String, ToString};
use std::vec::Vec;

use super::*;
use crate::extension::MessageFamily;
use crate::reflect::{ExtensionType, MessageType, Registry, Resolver};
use crate::{Lazy, Map, UnknownFields};

mod hostile;
mod reading;
mod resolved;
mod round_trip;
mod writing;

#[derive(Clone, Copy, Debug, PartialEq, Eq, defiant_derive::Enumeration)]
#[defiant(crate = "crate", name = "test.Color")]
#[repr(i32)]
enum Color {
    Green = 2,
    Red = 1,
    Blue = -7,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, defiant_derive::Enumeration)]
#[defiant(crate = "crate", name = "test.Shade", open(LIGHT = 0, DARK = 1, inf = 2))]
#[repr(transparent)]
struct Shade(i32);

#[derive(Clone, Copy, Debug, PartialEq, defiant_derive::Oneof)]
#[defiant(crate = "crate")]
enum Choice<'arena> {
    #[defiant(string, tag = 40)]
    Text(&'arena str),
    #[defiant(message, tag = 41, name = "chosen_all")]
    All(&'arena All<'arena>),
    #[defiant(message, inline, tag = 42, name = "chosen_leaf")]
    Leaf(Leaf<'arena>),
    #[defiant(enumeration, tag = 43, name = "chosen_color")]
    Color(Color),
    #[defiant(int32, tag = 44, name = "chosen_number")]
    Number(i32),
}

#[derive(Clone, Copy, Debug, PartialEq, defiant_derive::Message)]
#[defiant(crate = "crate", name = "test.Leaf")]
struct Leaf<'arena> {
    #[defiant(sint64, tag = 1)]
    number: i64,
    #[defiant(string, tag = 2)]
    label: &'arena str,
    #[defiant(unknown)]
    unknown_fields: UnknownFields<'arena>,
}

#[derive(Clone, Copy, Debug, PartialEq, defiant_derive::Message)]
#[defiant(crate = "crate", name = "test.All.Part")]
struct Part<'arena> {
    #[defiant(uint32, required, tag = 1)]
    count: u32,
    #[defiant(unknown)]
    unknown_fields: UnknownFields<'arena>,
}

#[derive(Clone, Copy, Debug, PartialEq, defiant_derive::Message)]
#[defiant(crate = "crate", name = "test.All", reserved = "old_name, Older")]
struct All<'arena> {
    #[defiant(int32, tag = 1)]
    int32: i32,
    #[defiant(int64, optional, tag = 2)]
    int64: Option<i64>,
    #[defiant(uint32, tag = 3)]
    uint32: u32,
    #[defiant(uint64, optional, tag = 4, default = 7)]
    uint64: Option<u64>,
    #[defiant(float, tag = 5)]
    float: f32,
    #[defiant(double, optional, tag = 6)]
    double: Option<f64>,
    #[defiant(bool, tag = 7)]
    bool: bool,
    #[defiant(string, tag = 8)]
    string: &'arena str,
    #[defiant(bytes, optional, tag = 9)]
    bytes: Option<&'arena [u8]>,
    #[defiant(enumeration, optional, tag = 10, default = Color::Red)]
    color: Option<Color>,
    #[defiant(enumeration, tag = 11)]
    shade: Shade,
    #[defiant(message, tag = 12)]
    child: Option<&'arena All<'arena>>,
    #[defiant(message, inline, tag = 13)]
    leaf: Option<Leaf<'arena>>,
    #[defiant(message, lazy, tag = 14)]
    lazy: Option<Lazy<'arena, Leaf<'arena>>>,
    #[defiant(group, tag = 15)]
    part: Option<&'arena Part<'arena>>,
    #[defiant(group, tag = 16)]
    other_part: Option<&'arena Part<'arena>>,
    #[defiant(double, repeated, tag = 17)]
    doubles: &'arena [f64],
    #[defiant(string, repeated, tag = 18)]
    strings: &'arena [&'arena str],
    #[defiant(enumeration, repeated, tag = 19)]
    colors: &'arena [Color],
    #[defiant(message, repeated, tag = 20)]
    leaves: &'arena [Leaf<'arena>],
    #[defiant(message, lazy, repeated, tag = 21)]
    lazies: &'arena [Lazy<'arena, Leaf<'arena>>],
    #[defiant(map = "string, message", tag = 22)]
    by_name: Map<'arena, &'arena str, Leaf<'arena>>,
    #[defiant(map = "int32, int32", tag = 23)]
    numbers: Map<'arena, i32, i32>,
    #[defiant(map = "bool, enumeration", tag = 24)]
    colored: Map<'arena, bool, Color>,
    #[defiant(map = "uint64, message", tag = 25)]
    counted: Map<'arena, u64, Part<'arena>>,
    #[defiant(string, tag = 26, debug_redact)]
    secret: &'arena str,
    #[defiant(message, repeated, tag = 27, debug_redact)]
    secrets: &'arena [Leaf<'arena>],
    #[defiant(oneof, tags = "40, 41, 42, 43, 44", name = "the_choice")]
    choice: Option<Choice<'arena>>,
    #[defiant(unknown)]
    unknown_fields: UnknownFields<'arena>,
}

fn leaf(number: i64) -> Leaf<'static> {
    Leaf { number, ..Leaf::default() }
}

fn part(count: u32) -> Part<'static> {
    Part { count, ..Part::default() }
}

/// Every field set.
fn full(arena: &Arena) -> All<'_> {
    All {
        int32: -1,
        int64: Some(0),
        uint32: u32::MAX,
        uint64: Some(u64::MAX),
        float: 0.1,
        double: Some(-0.0),
        bool: true,
        string: "it's \"a\"\n\u{1f600}\u{7f}",
        bytes: Some(b"\0\xff\\"),
        color: Some(Color::Blue),
        shade: Shade(9),
        child: Some(arena.alloc(All { int32: 3, ..All::default() })),
        leaf: Some(Leaf { label: "l", ..leaf(4) }),
        lazy: Some(Lazy::encoded(&leaf(5), arena)),
        part: Some(arena.alloc(part(0))),
        other_part: Some(arena.alloc(part(2))),
        doubles: &[0.5, 1e20, f64::INFINITY, f64::NEG_INFINITY, 1e-7],
        strings: &["", "x"],
        colors: &[Color::Red, Color::Green],
        leaves: arena.alloc_slice_copy(&[leaf(0), leaf(7)]),
        lazies: arena.alloc_slice_copy(&[Lazy::encoded(&leaf(10), arena)]),
        by_name: Map::new(arena, [("b", leaf(8)), ("a", leaf(0))]),
        numbers: Map::new(arena, [(3, 0), (-3, 5)]),
        colored: Map::new(arena, [(true, Color::Green)]),
        counted: Map::new(arena, [(1, part(1))]),
        secret: "s",
        secrets: arena.alloc_slice_copy(&[leaf(1), leaf(2)]),
        choice: Some(Choice::Number(0)),
        ..All::default()
    }
}

/// The message as the wire has it: floats that are no numbers are the same then.
fn wire<'arena>(message: &impl Message<'arena>) -> Vec<u8> {
    message.encode_to_vec()
}
