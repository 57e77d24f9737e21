//! What the oneofs of messages with tables call for their members, out of line and shared by all of a crate.

use crate::codec::Field;
use crate::unknown::UnknownFields;
use crate::wire::context::Context;
use crate::wire::reader::{Cursor, Reader};
use crate::wire::writer::Sink;

/// Reads an occurrence of a member behind its tag.
#[inline(never)]
pub(crate) fn merge_member<'arena, F: Field<'arena, T>, T>(
    value: &mut T,
    unknown: &mut UnknownFields<'arena>,
    tag: u32,
    at: Cursor,
    cx: &mut Context<'arena>,
) -> Cursor {
    let mut r = Reader::resume(at, cx);
    match F::merge(value, unknown, &mut r, tag) {
        Ok(()) => r.yield_back(),
        Err(fault) => r.give_up(fault),
    }
}

/// Writes a member.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn encode_member<'arena, F: Field<'arena, T>, T, S: Sink<'arena>>(value: &T, sink: &mut S, number: u32) {
    sink.call(|sink| write_member::<F, T, _>(value, sink, number));
}

#[inline(never)]
fn write_member<'arena, F: Field<'arena, T>, T, S: Sink<'arena>>(value: &T, mut sink: S, number: u32) -> S {
    F::encode(value, &mut sink, number);
    sink
}
