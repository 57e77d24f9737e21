//! A program that decodes a message with a field of every kind, for `.ci/panics`.
use defiant::{Arena, Enumeration, Map, Message, Oneof, UnknownFields};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Enumeration)]
#[repr(i32)]
pub enum Level {
    Low = 1,
    High = -2,
}

#[derive(Clone, Copy, Debug, PartialEq, Oneof)]
pub enum Choice<'arena> {
    #[defiant(string, tag = 40)]
    Text(&'arena str),
    #[defiant(message, tag = 41)]
    Leaf(&'arena Leaf<'arena>),
}

#[derive(Clone, Copy, Debug, PartialEq, Message)]
pub struct Leaf<'arena> {
    #[defiant(sint32, required, tag = 1)]
    pub x: i32,
    #[defiant(string, optional, tag = 2)]
    pub label: Option<&'arena str>,
    #[defiant(message, tag = 3)]
    pub next: Option<&'arena Leaf<'arena>>,
    #[defiant(unknown)]
    pub unknown_fields: UnknownFields<'arena>,
}

#[derive(Clone, Copy, Debug, PartialEq, Message)]
pub struct All<'arena> {
    #[defiant(int32, tag = 1)]
    pub int32: i32,
    #[defiant(fixed64, optional, tag = 8)]
    pub fixed64: Option<u64>,
    #[defiant(double, optional, tag = 12)]
    pub double: Option<f64>,
    #[defiant(bytes, tag = 15)]
    pub bytes: &'arena [u8],
    #[defiant(enumeration, optional, tag = 16)]
    pub level: Option<Level>,
    #[defiant(message, tag = 17)]
    pub leaf: Option<&'arena Leaf<'arena>>,
    #[defiant(group, tag = 18)]
    pub group: Option<&'arena Leaf<'arena>>,
    #[defiant(message, repeated, tag = 19)]
    pub leaves: &'arena [Leaf<'arena>],
    #[defiant(string, repeated, tag = 21)]
    pub strings: &'arena [&'arena str],
    #[defiant(int32, repeated, tag = 22)]
    pub packed: &'arena [i32],
    #[defiant(fixed32, repeated, tag = 24)]
    pub fixed: &'arena [u32],
    #[defiant(map = "string, int64", tag = 28)]
    pub counts: Map<'arena, &'arena str, i64>,
    #[defiant(map = "int32, message", tag = 29)]
    pub places: Map<'arena, i32, Leaf<'arena>>,
    #[defiant(oneof = "Choice", tags = "40, 41")]
    pub choice: Option<Choice<'arena>>,
    #[defiant(unknown)]
    pub unknown_fields: UnknownFields<'arena>,
}

/// Whether the bytes are a message.
///
/// # Safety
/// There are `len` bytes at `wire`, and an arena at `arena`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn decode_all(wire: *const u8, len: usize, arena: *const Arena) -> usize {
    // SAFETY: as required of the caller.
    let (wire, arena) = unsafe { (core::slice::from_raw_parts(wire, len), &*arena) };
    All::decode(wire, arena).map_or(0, |message| message.leaves.len() + message.counts.len() + 1)
}

/// The same without a copy.
///
/// # Safety
/// As above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn decode_all_borrowed(wire: *const u8, len: usize, arena: *const Arena) -> usize {
    // SAFETY: as required of the caller.
    let (wire, arena) = unsafe { (core::slice::from_raw_parts(wire, len), &*arena) };
    All::decode_borrowed(wire, arena).map_or(0, |message| message.leaves.len() + message.counts.len() + 1)
}

/// The same, by a table.
#[derive(Clone, Copy, Debug, PartialEq, Message)]
#[defiant(optimize_for = "code_size")]
pub struct Small<'arena> {
    #[defiant(int32, tag = 1)]
    pub int32: i32,
    #[defiant(bytes, tag = 15)]
    pub bytes: &'arena [u8],
    #[defiant(enumeration, optional, tag = 16)]
    pub level: Option<Level>,
    #[defiant(message, tag = 17)]
    pub small: Option<&'arena Small<'arena>>,
    #[defiant(message, repeated, tag = 19)]
    pub smalls: &'arena [Small<'arena>],
    #[defiant(string, repeated, tag = 21)]
    pub strings: &'arena [&'arena str],
    #[defiant(int32, repeated, tag = 22)]
    pub packed: &'arena [i32],
    #[defiant(map = "int32, message", tag = 29)]
    pub places: Map<'arena, i32, Leaf<'arena>>,
    #[defiant(oneof = "Choice", tags = "40, 41")]
    pub choice: Option<Choice<'arena>>,
    #[defiant(unknown)]
    pub unknown_fields: UnknownFields<'arena>,
}

/// The same for that message.
///
/// # Safety
/// As above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn decode_small(wire: *const u8, len: usize, arena: *const Arena) -> usize {
    // SAFETY: as required of the caller.
    let (wire, arena) = unsafe { (core::slice::from_raw_parts(wire, len), &*arena) };
    Small::decode(wire, arena).map_or(0, |message| message.smalls.len() + 1)
}
