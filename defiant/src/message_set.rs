//! Messages with `option message_set_wire_format = true`: nothing but extensions, each in an item of its own.
//!
//! An item is the group `1: { 2: type_id  3: message }`, the type id being the extension's number. In the unknown fields
//! of a message set stands, instead, the length-delimited field of that number: so extensions are read and written as in
//! any other message, and only the decoder and the encoder know of items. As type ids have 31 bits, such a tag may have 34.
//!
//! Source: <https://protobuf.dev/reference/cpp/api-docs/google.protobuf.wire_format_lite/> for the field numbers; which
//! items count follows Google's parsers.

use alloc::vec::Vec;

use crate::unknown::{self, Records, UnknownFields, UnknownValue};
use crate::wire::context::{Context, Fault};
use crate::wire::reader::{Cursor, Reader, Scope};
use crate::wire::tag::{tag_of, wire_type};
use crate::wire::writer::Sink;

const ITEM: u32 = 1;
const ITEM_START: u32 = ITEM << 3 | wire_type::START_GROUP;
const ITEM_END: u32 = ITEM << 3 | wire_type::END_GROUP;
const TYPE_ID: u32 = 2 << 3 | wire_type::VARINT;
const MESSAGE: u32 = 3 << 3 | wire_type::LENGTH_DELIMITED;

impl<'arena> Reader<'_, 'arena> {
    /// Reads an item of a message set, or does what [`other_short`](Self::other_short) does.
    ///
    /// # Errors
    /// As there.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn message_set(&mut self, unknown: &mut UnknownFields<'arena>, key: u64) -> Result<(), Fault> {
        if key != u64::from(ITEM_START) {
            return self.other_short(unknown, key);
        }
        self.call(|at, cx| read_item(unknown, at, cx))
    }
}

/// Reads an item behind its start.
///
/// The first type id and the first message count, in either order; whatever else is in it is dropped, and so is an item
/// that lacks one of them.
#[cold]
#[inline(never)]
fn read_item<'arena>(unknown: &mut UnknownFields<'arena>, at: Cursor, cx: &mut Context<'arena>) -> Cursor {
    if let Err(fault) = cx.descend() {
        return cx.failed(fault, at.ptr);
    }
    let mut r = Reader::enter(at, cx, Scope::group(ITEM));
    let mut type_id = None;
    let mut message = None;
    loop {
        let step = match r.whole_key().map(|key| key.map(tag_of)) {
            Ok(Some(ITEM_END)) => break,
            Ok(Some(TYPE_ID)) => r.varint().and_then(|id| match id as u32 {
                0 => Err(Fault::Tag),
                id => {
                    type_id = type_id.or(Some(id));
                    Ok(())
                }
            }),
            Ok(Some(MESSAGE)) => r.message_bytes().map(|bytes| message = message.or(Some(bytes))),
            Ok(Some(tag)) => r.call(|at, cx| unknown::skip_value(tag, at, cx)),
            Ok(None) => Err(Fault::Truncated),
            Err(fault) => Err(fault),
        };
        match step {
            Ok(()) => {}
            Err(Fault::Recorded) => return Cursor::FAILED,
            Err(fault) => return r.give_up(fault),
        }
    }
    let left = r.leave();
    cx.ascend();
    if let (Some(type_id), Some(message)) = (type_id, message) {
        let tag = u64::from(type_id) << 3 | u64::from(wire_type::LENGTH_DELIMITED);
        if let Err(fault) = unknown::push_parts(unknown, tag, Some(message.len() as u64), message, cx) {
            return cx.failed(fault, at.ptr);
        }
    }
    left
}

/// Writes the length-delimited fields as items, and all others as they were read.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn encode_message_set<'arena, S: Sink<'arena>>(unknown: &UnknownFields<'arena>, sink: &mut S) {
    if !unknown.is_empty() {
        let unknown = *unknown;
        sink.call(|sink| write_items(unknown, sink));
    }
}

#[cold]
#[inline(never)]
fn write_items<'arena, S: Sink<'arena>>(unknown: UnknownFields<'arena>, mut sink: S) -> S {
    for span in unknown.backward() {
        let mut records = Records::new(span);
        let Some(first) = records.next() else { continue };
        // Nearly always a span is one record: it was made of an item.
        let others: Vec<_> = records.collect();
        for record in others.iter().rev().chain([&first]) {
            match record.field.value {
                UnknownValue::LengthDelimited(message) => {
                    sink.tag(ITEM_END);
                    sink.bytes(MESSAGE, message);
                    sink.varint(TYPE_ID, u64::from(record.field.number));
                    sink.tag(ITEM_START);
                }
                _ => sink.raw(record.bytes),
            }
        }
    }
    sink
}
