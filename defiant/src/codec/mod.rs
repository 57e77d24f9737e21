//! Codecs: how one protobuf type reads and writes, inside a cardinality and presence. The only room that joins the
//! wire, the arena and messages.

pub(crate) mod calls;
mod field;
mod lazy;
mod map;
mod message;
mod nested;
mod packed;
mod repeated;
mod scalar;
#[cfg(feature = "reflect")]
#[cfg_attr(
    not(feature = "dynamic"),
    allow(dead_code, reason = "pools make types of all kinds; the feature `reflect` alone only those of extensions")
)]
pub(crate) mod untyped;

pub use field::{Field, Implicit, Optional, PackedField, Required};
pub use lazy::{LazyMessage, LazyPresence, OptionalLazy};
pub use map::{MapOf, MapValue, MessageValue};
pub use message::{Inline, InlineGroup, InlineMessage, OptionalGroup, OptionalMessage};
pub(crate) use message::{Kind, merge_enclosed, merge_typed};
pub use nested::{Held, Nested};
pub use packed::Packed;
#[cfg(feature = "reflect")]
pub(crate) use packed::{Reject, read as read_packed};
pub(crate) use repeated::merge_messages;
pub use repeated::{Repeated, RepeatedGroup, RepeatedMessage};
#[cfg(feature = "reflect")]
pub(crate) use repeated::{count_run, merge_run_with};
#[cfg(feature = "reflect")]
pub(crate) use scalar::decode_numbers;
pub use scalar::{
    Bool, Bytes, Codec, Double, Enum, Fixed32, Fixed64, Float, Int32, Int64, LenientStr, Packable, Sfixed32, Sfixed64,
    Sint32, Sint64, Str, Uint32, Uint64,
};

use crate::encoder::Encodable;
use crate::message::Message;
use crate::unknown::{self, UnknownFields};
use crate::wire::context::{Context, Fault};
use crate::wire::reader::{Cursor, Reader, Scope};
use crate::wire::tag::{is_whole, last_number, tag_of, wire_type};
use crate::wire::writer::Sink;

/// What error messages and field masks need to know of a message.
#[derive(Debug)]
pub struct Table {
    /// Full name: package, enclosing messages, name.
    pub name: &'static str,
    /// Tags and names of the fields. The wire type is the one that values are kept and written with; that of packed enums is 7.
    pub fields: &'static [(u32, &'static str)],
    /// The same of each oneof.
    pub oneofs: &'static [&'static [(u32, &'static str)]],
    /// Tags and tables of the singular fields that hold messages, but for lazy ones.
    pub messages: &'static [NestedTable],
    /// The same of each oneof.
    pub oneof_messages: &'static [&'static [NestedTable]],
}

/// The tag of a field, and the table of the message that the field holds.
pub type NestedTable = (u32, fn() -> &'static Table);

/// The wire type of packed enums in a [`Table`]: packed values, and, each alone, those that a closed enum does not have.
#[cfg(feature = "wkt")]
pub(crate) const PACKED_OR_ALONE: u32 = 7;

impl Table {
    fn field(&self, number: u32) -> Option<&'static str> {
        let groups = core::iter::once(&self.fields).chain(self.oneofs);
        groups.flat_map(|group| group.iter()).find(|field| field.0 >> 3 == number).map(|field| field.1)
    }

    /// The tag of a field, as [`fields`](Self::fields) has it.
    #[cfg(feature = "wkt")]
    pub(crate) fn tag(&self, name: &str) -> Option<u32> {
        let groups = core::iter::once(&self.fields).chain(self.oneofs);
        groups.flat_map(|group| group.iter()).find(|field| field.1 == name).map(|field| field.0)
    }

    /// The table of the message that a singular field holds.
    #[cfg(feature = "wkt")]
    pub(crate) fn message(&self, number: u32) -> Option<&'static Table> {
        let groups = core::iter::once(&self.messages).chain(self.oneof_messages);
        groups.flat_map(|group| group.iter()).find(|field| field.0 >> 3 == number).map(|field| (field.1)())
    }

    fn short_name(&self) -> &'static str {
        crate::error::short_name(self.name)
    }
}

/// What the type parameter of a decode function stands for: its machine code is made where it is called.
#[derive(Debug)]
pub(crate) enum OnDemand {}

/// The members of a oneof.
///
/// # Safety
/// `#[derive(Oneof)]` implements this trait, and nothing else does. Unsafe code relies on it:
///
/// * Each variant holds one value that a codec reads and writes, so the contract of [`Message`] on plain data holds.
/// * `__merge` decodes one occurrence of a member and keeps no copy of it outside of `slot` and `unknown`.
/// * `__MEMBERS` describes the variants, and `__get` and `__set` convert them as described there.
#[expect(unsafe_code, reason = "unsafe code relies on its implementations")]
pub unsafe trait Oneof<'arena>: Copy {
    /// Tags and names, as in [`Table`].
    const FIELDS: &'static [(u32, &'static str)];
    /// Tags and tables of the members that are messages.
    const MESSAGES: &'static [NestedTable];

    /// Reads one member behind its tag.
    fn __merge<D>(
        slot: &mut Option<Self>,
        unknown: &mut UnknownFields<'arena>,
        key: u64,
        at: Cursor,
        cx: &mut Context<'arena>,
    ) -> Cursor;

    /// Writes the member in force.
    fn __encode<S: Sink<'arena>>(&self, sink: &mut S);

    /// What descriptors state of the members, ascending by number.
    #[cfg(feature = "reflect")]
    const __MEMBERS: &'static [crate::descriptor::member::Member];

    /// The number and the value of the member in force.
    #[cfg(feature = "reflect")]
    fn __get(&self) -> (u32, crate::descriptor::Raw<'arena>);

    /// A member in force. `None` when the value has another type, or a number that a closed enum does not have.
    ///
    /// # Safety
    /// If the value is a message, lazy or not, it has the type of the member `number`.
    #[cfg(feature = "reflect")]
    unsafe fn __set(number: u32, value: crate::descriptor::Raw<'arena>) -> Option<Self>;

    /// Nothing: without the feature `reflect`, oneofs have no descriptors.
    #[cfg(not(feature = "reflect"))]
    const __MEMBERS: &'static [crate::undescribed::Member] = &[];

    /// Nothing, and not called.
    #[cfg(not(feature = "reflect"))]
    fn __get(&self) -> (u32, crate::undescribed::Raw<'arena>) {
        (0, crate::undescribed::Raw::NONE)
    }

    /// Nothing, and not called.
    ///
    /// # Safety
    /// None is required.
    #[cfg(not(feature = "reflect"))]
    unsafe fn __set(number: u32, value: crate::undescribed::Raw<'arena>) -> Option<Self> {
        let _ = (number, value);
        None
    }
}

macro_rules! merge_fields {
    ($message:ident: $ty:ident, $at:ident, $cx:ident, $scope:ident) => {{
        let mut r = Reader::enter($at, $cx, $scope);
        let (fault, key) = loop {
            let mut key = match r.first() {
                Ok(Some(key)) => key,
                Ok(None) => return r.leave(),
                Err(fault) => return r.fail_behind(fault, $at, $ty::TABLE),
            };
            if let Err(fault) = $message.__field::<OnDemand>(&mut key, &mut r) {
                break (fault, key);
            }
        };
        r.stop(fault, key, $ty::TABLE)
    }};
}

/// Reads the fields of a message.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn merge_fields<'arena, M: Message<'arena>>(
    message: &mut M,
    at: Cursor,
    cx: &mut Context<'arena>,
    scope: Scope,
) -> Cursor {
    merge_fields!(message: M, at, cx, scope)
}

/// [`merge_fields`], where the compiler may choose to call it. It has the loop itself: were it a call of the other, it would
/// be replaced by that everywhere, and so the loop would be in each of the five places that decode a message.
pub(crate) fn merge_fields_apart<'arena, M: Message<'arena>>(
    message: &mut M,
    at: Cursor,
    cx: &mut Context<'arena>,
    scope: Scope,
) -> Cursor {
    merge_fields!(message: M, at, cx, scope)
}

/// Reads a message behind its length, if it is of few numbers of fixed width and has all of them: then each is where it has
/// to be, and nothing is asked field by field. The cursor behind it; `None`, and nothing is read, if it is something else.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn merge_whole<'arena, M: Message<'arena>>(
    message: &mut M,
    at: Cursor,
    cx: &Context<'arena>,
) -> Option<Cursor> {
    if M::WHOLE == 0 {
        return None;
    }
    let (behind, bytes) = at.delimited(M::WHOLE, cx)?;
    message.__whole(bytes).then_some(behind)
}

impl<'arena> Reader<'_, 'arena> {
    /// Does what there is to do for a key of one byte that is none of the message's fields: skips and keeps an unknown
    /// field, or ends the message's group.
    ///
    /// # Errors
    /// [`Fault::End`] at the end of the group; another [`Fault`] when the field is malformed.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn other_short(&mut self, unknown: &mut UnknownFields<'arena>, key: u64) -> Result<(), Fault> {
        if self.ends_group(key) {
            return Err(Fault::End);
        }
        self.skip_unknown(unknown, key)
    }

    /// The same for a key of more bytes. `true`: now it is the whole key of a tag that had to be completed first, to look
    /// at once more.
    ///
    /// # Errors
    /// [`Fault::End`] at the end of the group; another [`Fault`] when the tag or the field is malformed.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn other(&mut self, unknown: &mut UnknownFields<'arena>, key: &mut u64) -> Result<bool, Fault> {
        if self.ends_group(*key) {
            return Err(Fault::End);
        }
        if is_whole(*key) {
            return self.skip_unknown(unknown, *key).map(|()| false);
        }
        let whole = self.complete_key()?;
        if whole < 0x80 {
            self.replay(whole);
            return Ok(false);
        }
        *key = whole;
        Ok(true)
    }

    /// The same for the first byte of a key of more bytes, where no field of the message has one.
    ///
    /// # Errors
    /// As [`other`](Self::other).
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn other_long(&mut self, unknown: &mut UnknownFields<'arena>, key: &mut u64) -> Result<(), Fault> {
        *key = self.second();
        while self.other(unknown, key)? {}
        Ok(())
    }

    /// Skips, and keeps, a field that the message does not know.
    ///
    /// # Errors
    /// [`Fault`] when the field is malformed.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn skip_unknown(&mut self, unknown: &mut UnknownFields<'arena>, key: u64) -> Result<(), Fault> {
        self.call(|at, cx| unknown::skip(unknown, key, at, cx))
    }

    /// Skips a field that is not kept.
    #[cold]
    pub(crate) fn drop_unknown(&mut self, key: u64) -> Result<(), Fault> {
        self.call(|at, cx| unknown::skip_value(tag_of(key), at, cx))
    }

    /// [`fail`](Self::fail), or [`leave`](Self::leave) at the end of a group, which is so rare that no other step asks for
    /// it.
    #[cold]
    #[must_use]
    pub(crate) fn stop(self, fault: Fault, key: u64, table: &'static Table) -> Cursor {
        if fault == Fault::End { self.leave() } else { self.fail(fault, key, table) }
    }

    /// [`fail`](Self::fail) where the next field should begin, in the message that begins at `begin`. Which field was the
    /// last is only now found out, by reading again: to keep its key takes an instruction for each field.
    #[cold]
    #[must_use]
    pub fn fail_behind(self, fault: Fault, begin: Cursor, table: &'static Table) -> Cursor {
        let at = self.cursor();
        // A field may end behind the message; or the next one was not come to, for want of memory.
        let (rest, len) = self.cx.between(begin.ptr, at.ptr.min(at.end));
        let number = last_number(rest, len);
        failed(fault, number, table, at, self.cx)
    }

    /// Adds the message and its field to a fault's place; the null cursor.
    #[cold]
    #[must_use]
    pub fn fail(self, fault: Fault, key: u64, table: &'static Table) -> Cursor {
        failed(fault, tag_of(key) >> 3, table, self.cursor(), self.cx)
    }

    /// The required fields that `message` has before it is read, as one bit each: none, or what an earlier occurrence
    /// brought.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn seen_before<M, const N: usize>(&mut self, message: *const M, scope: Scope, all: [u64; N]) -> [u64; N] {
        if scope.is_merge() {
            self.cx.seen_before(message.addr(), all)
        } else {
            self.cx.begins(message.addr());
            [0; N]
        }
    }

    /// Ends a message that lacks the required field `number`: with the null cursor, unless its next occurrence is waited
    /// for.
    #[cold]
    #[must_use]
    pub fn incomplete<M>(self, message: *const M, seen: &[u64], table: &'static Table, number: u32) -> Cursor {
        if self.cx.waits_for(message.addr(), seen, self.cursor().ptr) {
            return self.leave();
        }
        failed(Fault::Missing, number, table, self.cursor(), self.cx)
    }
}

#[cold]
#[inline(never)]
fn failed(fault: Fault, number: u32, table: &'static Table, at: Cursor, cx: &mut Context<'_>) -> Cursor {
    let _ = cx.failed(fault, at.ptr);
    // No field is to blame for a tag that is none.
    let field = if cx.is_tag_fault() { None } else { table.field(number) };
    cx.trace(table.short_name(), field, number);
    Cursor::FAILED
}

/// Writes unknown fields as they were read.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn encode_unknown<'arena, S: Sink<'arena>>(unknown: &UnknownFields<'arena>, sink: &mut S) {
    unknown.encode(sink);
}

/// The tag of a field.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) const fn tag(number: u32, wire_type: u32) -> u32 {
    number << 3 | wire_type
}

/// The two ways a message stands on the wire.
pub(crate) trait Enclosure {
    const GROUP: bool;

    /// Decodes the content with a function; the cursor behind it.
    fn enter<'arena>(
        decode: impl FnOnce(Cursor, &mut Context<'arena>, Scope) -> Cursor,
        merge: bool,
        tag: u32,
        at: Cursor,
        cx: &mut Context<'arena>,
    ) -> Result<Cursor, Fault>;

    /// Decodes a message; the cursor behind it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn merge<'arena, M: Message<'arena>>(
        message: &mut M,
        merge: bool,
        tag: u32,
        at: Cursor,
        cx: &mut Context<'arena>,
    ) -> Result<Cursor, Fault> {
        if !Self::GROUP {
            if let Some(behind) = merge_whole(message, at, cx) {
                return Ok(behind);
            }
        }
        Self::enter(|at, cx, scope| message.__merge::<OnDemand>(at, cx, scope), merge, tag, at, cx)
    }

    /// Encodes the content.
    fn write<'m, S: Sink<'m>>(content: impl Encodable<'m>, sink: &mut S, number: u32);
}

/// Encodes a nested message, as a group or after its length, unless it is nested too deep.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn enclose<'m, const GROUP: bool, S: Sink<'m>, C: Encodable<'m>>(content: C, sink: &mut S, number: u32) {
    if !C::FLAT && !sink.descend() {
        return;
    }
    if GROUP {
        Group::write(content, sink, number)
    } else {
        Delimited::write(content, sink, number)
    }
    if !C::FLAT {
        sink.ascend();
    }
}

/// A length before it.
#[derive(Debug)]
pub(crate) struct Delimited;

impl Enclosure for Delimited {
    const GROUP: bool = false;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn enter<'arena>(
        decode: impl FnOnce(Cursor, &mut Context<'arena>, Scope) -> Cursor,
        merge: bool,
        _: u32,
        at: Cursor,
        cx: &mut Context<'arena>,
    ) -> Result<Cursor, Fault> {
        let (at, len) = at.length()?;
        let inner = Cursor::new(at.ptr, at.skip(len).ptr);
        // The end is kept as a distance, because the child may move to a copy of the tail.
        let rest = at.end.addr() - inner.end.addr();
        let left = decode(inner, cx, Scope::message().merging(merge));
        if left.is_failed() {
            return Err(Fault::Recorded);
        }
        Ok(Cursor::new(left.ptr, left.ptr.wrapping_add(rest)))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn write<'m, S: Sink<'m>>(content: impl Encodable<'m>, sink: &mut S, number: u32) {
        sink.enclosed(tag(number, wire_type::LENGTH_DELIMITED), |sink| {
            sink.call(|sink| content.write(sink));
        });
    }
}

/// A start and an end tag around it.
#[derive(Debug)]
struct Group;

impl Enclosure for Group {
    const GROUP: bool = true;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn enter<'arena>(
        decode: impl FnOnce(Cursor, &mut Context<'arena>, Scope) -> Cursor,
        merge: bool,
        tag: u32,
        at: Cursor,
        cx: &mut Context<'arena>,
    ) -> Result<Cursor, Fault> {
        let left = decode(at, cx, Scope::group(tag >> 3).merging(merge));
        if left.is_failed() { Err(Fault::Recorded) } else { Ok(left) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn write<'m, S: Sink<'m>>(content: impl Encodable<'m>, sink: &mut S, number: u32) {
        sink.tag(tag(number, wire_type::END_GROUP));
        sink.call(|sink| content.write(sink));
        sink.tag(tag(number, wire_type::START_GROUP));
    }
}
