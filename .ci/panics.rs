//! A library that decodes messages with fields of every kind, through every door, for `.ci/panics`; with the feature `tables` also messages
//! that are optimized for code size, whose tables encode as well, and with `planted` a way to a panic, to be found.
#![no_std]

use core::alloc::{GlobalAlloc, Layout};
use core::fmt::Write;
use core::panic::PanicInfo;

use bytes::Buf;
use defiant::{Arena, DecodeOptions, Enumeration, Extension, Lazy, Map, Message, Oneof, UnknownFields, extension};

unsafe extern "C" {
    fn malloc(size: usize) -> *mut u8;
    fn aligned_alloc(align: usize, size: usize) -> *mut u8;
    fn free(ptr: *mut u8);
    /// Nobody has it: who calls it cannot be linked to a program.
    fn decoder_panicked() -> !;
}

struct System;

// SAFETY: memory of the C library, which has the size and the alignment that are asked for, or is null.
unsafe impl GlobalAlloc for System {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: a layout's size, rounded up to its alignment, is no overflow.
        unsafe {
            match layout.align() {
                ..=16 => malloc(layout.size()),
                align => aligned_alloc(align, layout.pad_to_align().size()),
            }
        }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, _: Layout) {
        // SAFETY: it came from `alloc`.
        unsafe { free(ptr) }
    }
}

#[global_allocator]
static SYSTEM: System = System;

#[panic_handler]
fn panicked(_: &PanicInfo<'_>) -> ! {
    // SAFETY: there is none.
    unsafe { decoder_panicked() }
}

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
    #[defiant(int64, optional, tag = 2)]
    pub int64: Option<i64>,
    #[defiant(uint32, tag = 3)]
    pub uint32: u32,
    #[defiant(uint64, tag = 4)]
    pub uint64: u64,
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
    #[defiant(enumeration, optional, tag = 16)]
    pub level: Option<Level>,
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
    #[defiant(sint64, repeated, tag = 23)]
    pub signed: &'arena [i64],
    #[defiant(fixed32, repeated, tag = 24)]
    pub fixed: &'arena [u32],
    #[defiant(bool, repeated, tag = 25)]
    pub bools: &'arena [bool],
    #[defiant(enumeration, repeated, tag = 26)]
    pub levels: &'arena [Level],
    #[defiant(double, repeated, tag = 27)]
    pub doubles: &'arena [f64],
    #[defiant(map = "string, int64", tag = 28)]
    pub counts: Map<'arena, &'arena str, i64>,
    #[defiant(map = "int32, message", tag = 29)]
    pub places: Map<'arena, i32, Leaf<'arena>>,
    #[defiant(map = "uint64, bytes", tag = 30)]
    pub blobs: Map<'arena, u64, &'arena [u8]>,
    #[defiant(map = "bool, double", tag = 31)]
    pub ratios: Map<'arena, bool, f64>,
    #[defiant(message, inline, tag = 32)]
    pub inline: Option<Leaf<'arena>>,
    #[defiant(message, lazy, tag = 33)]
    pub lazy: Option<Lazy<'arena, Leaf<'arena>>>,
    #[defiant(bytes, repeated, tag = 34)]
    pub chunks: &'arena [&'arena [u8]],
    #[defiant(oneof = "Choice", tags = "40, 41")]
    pub choice: Option<Choice<'arena>>,
    #[defiant(unknown)]
    pub unknown_fields: UnknownFields<'arena>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Enumeration)]
#[repr(transparent)]
#[defiant(name = "Color", open(Red = 0 "RED", Green = 1 "GREEN"))]
pub struct Color(pub i32);

#[derive(Clone, Copy, Debug, PartialEq, Oneof)]
pub enum Pick<'arena> {
    #[defiant(lenient_string, tag = 60)]
    Text(&'arena str),
    #[defiant(group, tag = 61)]
    Group(&'arena Leaf<'arena>),
    #[defiant(bytes, tag = 64)]
    Bytes(&'arena [u8]),
    #[defiant(enumeration, tag = 65)]
    Level(Level),
    #[defiant(fixed64, tag = 66)]
    Number(u64),
    #[defiant(bool, tag = 67)]
    Flag(bool),
}

#[derive(Clone, Copy, Debug, PartialEq, Message)]
#[defiant(message_set)]
pub struct Set<'arena> {
    #[defiant(unknown)]
    pub unknown_fields: UnknownFields<'arena>,
}

/// What [`All`] has not.
#[derive(Clone, Copy, Debug, PartialEq, Message)]
pub struct More<'arena> {
    #[defiant(lenient_string, tag = 1)]
    pub text: &'arena str,
    #[defiant(lenient_string, repeated, tag = 2)]
    pub texts: &'arena [&'arena str],
    #[defiant(map = "lenient_string, lenient_string", tag = 3)]
    pub texts_by_text: Map<'arena, &'arena str, &'arena str>,
    #[defiant(map = "int64, enumeration", tag = 4)]
    pub levels_by_number: Map<'arena, i64, Level>,
    #[defiant(map = "fixed32, message", tag = 5)]
    pub leaves_by_number: Map<'arena, u32, Leaf<'arena>>,
    #[defiant(message, repeated, lazy, tag = 6)]
    pub lazy: &'arena [Lazy<'arena, Leaf<'arena>>],
    #[defiant(group, inline, tag = 7)]
    pub group: Option<Leaf<'arena>>,
    #[defiant(message, tag = 8)]
    pub set: Option<&'arena Set<'arena>>,
    #[defiant(sint64, repeated, packed = false, tag = 9)]
    pub signed: &'arena [i64],
    #[defiant(enumeration, repeated, packed = false, tag = 10)]
    pub levels: &'arena [Level],
    #[defiant(message, required, tag = 11)]
    pub leaf: Option<&'arena Leaf<'arena>>,
    #[defiant(message, required, lazy, tag = 12)]
    pub lazy_leaf: Option<Lazy<'arena, Leaf<'arena>>>,
    #[defiant(enumeration, required, tag = 13)]
    pub level: Level,
    #[defiant(float, repeated, tag = 14)]
    pub floats: &'arena [f32],
    #[defiant(uint32, repeated, tag = 15)]
    pub uint32s: &'arena [u32],
    #[defiant(uint64, repeated, tag = 16)]
    pub uint64s: &'arena [u64],
    #[defiant(sint32, repeated, tag = 17)]
    pub sint32s: &'arena [i32],
    #[defiant(int64, repeated, tag = 18)]
    pub int64s: &'arena [i64],
    #[defiant(sfixed64, repeated, tag = 19)]
    pub sfixed64s: &'arena [i64],
    #[defiant(fixed64, repeated, tag = 20)]
    pub fixed64s: &'arena [u64],
    #[defiant(sfixed32, repeated, tag = 21)]
    pub sfixed32s: &'arena [i32],
    #[defiant(bytes, required, tag = 22)]
    pub bytes: &'arena [u8],
    #[defiant(int32, optional, tag = 23, default = 7)]
    pub seven: Option<i32>,
    #[defiant(enumeration, tag = 24)]
    pub color: Color,
    #[defiant(enumeration, repeated, tag = 25)]
    pub colors: &'arena [Color],
    #[defiant(oneof = "Pick", tags = "60, 61, 64, 65, 66, 67")]
    pub pick: Option<Pick<'arena>>,
    #[defiant(unknown)]
    pub unknown_fields: UnknownFields<'arena>,
}

const NUMBER: Extension<Leaf<'static>, extension::Optional<extension::Int32>> = Extension::new(1000, "leaf.number");
const CHILD: Extension<Leaf<'static>, extension::OptionalMessage<Leaf<'static>>> = Extension::new(1001, "leaf.child");
const NUMBERS: Extension<Leaf<'static>, extension::Packed<extension::Int32>> = Extension::new(1002, "leaf.numbers");

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

/// The same under limits.
///
/// # Safety
/// As above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn decode_all_limited(wire: *const u8, len: usize, arena: *const Arena) -> usize {
    // SAFETY: as required of the caller.
    let (wire, arena) = unsafe { (core::slice::from_raw_parts(wire, len), &*arena) };
    let options =
        DecodeOptions::new().memory_limit(len).elements_limit(len).string_limit(len).unknown_fields_limit(len);
    options.recursion_limit(10).decode::<All<'_>>(wire, arena).map_or(0, |message| message.leaves.len() + 1)
}

/// A stream of messages, each behind its length, merged into one.
///
/// # Safety
/// As above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn merge_stream(wire: *const u8, len: usize, arena: *const Arena) -> usize {
    // SAFETY: as required of the caller.
    let (mut wire, arena) = unsafe { (core::slice::from_raw_parts(wire, len), &*arena) };
    let Ok((mut all, read)) = All::decode_length_delimited(wire, arena) else { return 0 };
    wire = wire.get(read..).unwrap_or_default();
    while let Some((&len, rest)) = wire.split_first() {
        let Some((one, behind)) = rest.split_at_checked(usize::from(len)) else { return 0 };
        if all.merge(one, arena).is_err() {
            return 0;
        }
        wire = behind;
    }
    all.lazy.and_then(|lazy| lazy.get(arena).ok()).map_or(1, |leaf| leaf.x as usize)
}

/// The kinds that the other has not.
///
/// # Safety
/// As above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn decode_more(wire: *const u8, len: usize, arena: *const Arena) -> usize {
    // SAFETY: as required of the caller.
    let (wire, arena) = unsafe { (core::slice::from_raw_parts(wire, len), &*arena) };
    More::decode(wire, arena).map_or(0, |message| message.texts.len() + message.leaves_by_number.len() + 1)
}

/// Extensions of a message.
///
/// # Safety
/// As above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn decode_extensions(wire: *const u8, len: usize, arena: *const Arena) -> usize {
    // SAFETY: as required of the caller.
    let (wire, arena) = unsafe { (core::slice::from_raw_parts(wire, len), &*arena) };
    let Ok(leaf) = Leaf::decode(wire, arena) else { return 0 };
    let number = NUMBER.get(&leaf).ok().flatten().unwrap_or(0) as usize;
    let child = CHILD.get(&leaf, arena).ok().flatten().map_or(0, |child| child.x as usize);
    number + child + NUMBERS.get(&leaf, arena).map_or(0, |numbers| numbers.len())
}

/// A message out of two pieces, and what is wrong with it as words of no more than `len` bytes.
///
/// # Safety
/// As above, and there are `len` bytes at `out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn decode_pieces(wire: *const u8, len: usize, arena: *const Arena, out: *mut u8) -> usize {
    // SAFETY: as required of the caller.
    let (wire, arena) = unsafe { (core::slice::from_raw_parts(wire, len), &*arena) };
    let mut words = Words {
        // SAFETY: as required of the caller.
        room: unsafe { core::slice::from_raw_parts_mut(out, len) },
        len: 0,
    };
    match All::decode_buf(Pieces { rest: wire }, arena) {
        Ok(message) => message.leaves.len(),
        Err(error) => {
            let _ = write!(words, "{error}");
            words.len
        }
    }
}

/// Bytes in pieces of eight.
struct Pieces<'w> {
    rest: &'w [u8],
}

impl Buf for Pieces<'_> {
    fn remaining(&self) -> usize {
        self.rest.len()
    }

    fn chunk(&self) -> &[u8] {
        self.rest.get(..8).unwrap_or(self.rest)
    }

    fn advance(&mut self, count: usize) {
        self.rest = self.rest.get(count..).unwrap_or_default();
    }
}

/// Words in memory of the caller.
struct Words<'o> {
    room: &'o mut [u8],
    len: usize,
}

impl Write for Words<'_> {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        let room = self.room.get_mut(self.len..).unwrap_or_default();
        room.iter_mut().zip(text.bytes()).for_each(|(to, byte)| *to = byte);
        self.len += text.len().min(room.len());
        Ok(())
    }
}

/// Ways to a panic.
#[cfg(feature = "planted")]
mod planted {
    use core::ops::Index;

    use super::*;

    #[unsafe(no_mangle)]
    pub extern "C" fn decode_planted(arena: &Arena, index: usize) -> i32 {
        All::decode(b"\x08\x07", arena).map_or(0, |message| message.packed[index])
    }

    /// By way of what may panic because it encodes.
    #[unsafe(no_mangle)]
    pub extern "C" fn decode_and_encode(arena: &Arena) -> usize {
        All::decode(b"\x08\x07", arena).map_or(0, |message| message.encode_in(arena).len())
    }

    /// By way of a pointer.
    type At = for<'a> fn(&'a [i32], usize) -> &'a i32;
    static WAYS: [At; 2] = [<[i32] as Index<usize>>::index, |_, _| &7];

    #[unsafe(no_mangle)]
    pub extern "C" fn decode_by_pointer(arena: &Arena, way: usize) -> i32 {
        let at = WAYS.get(way).unwrap_or(&WAYS[1]);
        All::decode(b"\x08\x07", arena).map_or(0, |message| *at(message.packed, way))
    }
}

#[cfg(feature = "tables")]
mod tables {
    use super::*;

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
}
