//! Adding and removing unknown fields. Nodes are shared between copies of a message, so an edit makes new ones.

#[cfg(feature = "reflect")]
use core::alloc::Layout;

use super::field::{Records, UnknownValue};
use super::{Node, UnknownFields};
use crate::arena::Arena;
use crate::encoder;
use crate::wire::tag::{MAX_NUMBER, wire_type};
use crate::wire::writer::Sink;

impl<'arena> UnknownFields<'arena> {
    /// Adds a field behind all others. Copies of the message keep what they had.
    ///
    /// # Panics
    /// When the field number is not 1 to 536,870,911, or memory or the arena's limit is exhausted.
    pub fn add(&mut self, number: u32, value: UnknownValue<'_>, arena: &'arena Arena) {
        assert!((1..=MAX_NUMBER).contains(&number), "{number} is no field number");
        let tag = number << 3 | value.wire_type();
        let span = encoder::written_in(arena, |mut sink| {
            match value {
                UnknownValue::Varint(value) => sink.varint(tag, value),
                UnknownValue::Fixed64(value) => sink.fixed64(tag, value),
                UnknownValue::Fixed32(value) => sink.fixed32(tag, value),
                UnknownValue::LengthDelimited(bytes) => sink.bytes(tag, bytes),
                UnknownValue::Group(group) => {
                    sink.tag(number << 3 | wire_type::END_GROUP);
                    sink.raw(group.as_bytes());
                    sink.tag(tag);
                }
            }
            sink
        });
        self.push_in(span, arena);
    }

    /// Removes all fields of a number, whatever their wire types; `true` if there were any. Copies of the message keep
    /// them.
    ///
    /// # Panics
    /// When memory or the arena's limit is exhausted.
    pub fn remove(&mut self, number: u32, arena: &'arena Arena) -> bool {
        let has = |span| Records::new(span).any(|record| record.field.number == number);
        let nodes = || core::iter::successors(self.last, |node| node.previous);
        let Some((oldest, node)) = nodes().enumerate().filter(|(_, node)| has(node.span)).last() else {
            return false;
        };
        // What was read before the first such field is shared with the copies.
        let mut rest = UnknownFields { last: node.previous };
        let mut newer = arena.vec_with_capacity(oldest + 1);
        newer.extend(nodes().take(oldest + 1).map(|node| node.span));
        for span in newer.iter().rev().copied() {
            let (mut kept, mut at) = (0, 0);
            for record in Records::new(span) {
                if record.field.number == number {
                    rest.push_in(&span[kept..at], arena);
                    kept = at + record.bytes.len();
                }
                at += record.bytes.len();
            }
            rest.push_in(&span[kept..], arena);
        }
        *self = rest;
        true
    }

    /// Adds a span that lives in the arena.
    pub(crate) fn push_in(&mut self, span: &'arena [u8], arena: &'arena Arena) {
        if !span.is_empty() {
            self.last = Some(arena.alloc(Node { span, previous: self.last }));
        }
    }

    /// Bytes of the arena that one more span takes.
    #[cfg(feature = "reflect")]
    pub(crate) const NODE_SIZE: usize = size_of::<Node<'_>>();

    /// The same; `false` when memory is exhausted.
    #[cfg(feature = "reflect")]
    pub(crate) fn try_push_in(&mut self, span: &'arena [u8], arena: &'arena Arena) -> bool {
        if span.is_empty() {
            return true;
        }
        let Some(place) = arena.try_alloc(Layout::new::<Node<'_>>()) else { return false };
        let place = place.cast::<Node<'arena>>();
        // SAFETY: fresh memory for a node.
        unsafe { place.write(Node { span, previous: self.last }) };
        // SAFETY: written just now, and not written to again.
        self.last = Some(unsafe { place.as_ref() });
        true
    }
}
