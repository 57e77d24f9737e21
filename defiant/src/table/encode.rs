//! From a message onto the wire, by its table.
#![expect(unsafe_code, reason = "finds fields by their offsets")]

use super::handlers::Target;
use super::{AnyClass, Tabled};
use crate::codec::encode_unknown;
use crate::encoder::Encodable;
use crate::message_set::encode_message_set;
use crate::unknown::UnknownFields;
use crate::wire::vectored::Vectored;
use crate::wire::writer::{Counter, Sink, Visitor, Writer};

/// The fields of a message, to be written.
///
/// Invariant: `message` is one of the class, and is not written to for `'m`.
#[derive(Clone, Copy, Debug)]
pub struct Fields<'m, 'arena> {
    class: &'m AnyClass<'arena>,
    message: *const u8,
}

impl<'m, 'arena> Fields<'m, 'arena> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn of<M: Tabled<'arena>>(message: &'m M) -> Self {
        Fields { class: M::CLASS.any(), message: core::ptr::from_ref(message).cast() }
    }

    /// # Safety
    /// `message` is one of the class, and is not written to for `'m`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) unsafe fn new(class: &'m AnyClass<'arena>, message: *const u8) -> Self {
        Fields { class, message }
    }

    /// Backward: first the unknown fields, then the others from the greatest number to the smallest.
    #[inline(never)]
    fn write_to<S: Target<'arena>>(self, mut sink: S) -> S {
        // SAFETY: an offset in the message.
        let unknown = unsafe { self.message.add(self.class.unknown as usize) }.cast::<UnknownFields<'arena>>();
        // SAFETY: there lie the message's unknown fields.
        let unknown = unsafe { &*unknown };
        if self.class.message_set {
            encode_message_set(unknown, &mut sink);
        } else {
            encode_unknown(unknown, &mut sink);
        }
        for entry in self.class.fields.iter().rev() {
            let Some(encode) = S::encode(entry.handlers) else { continue };
            // SAFETY: an offset in the message.
            let field = unsafe { self.message.add(entry.offset as usize) };
            // SAFETY: there lies the entry's field, a value of the type that its handlers are made for.
            sink = unsafe { encode(field, entry, sink) };
        }
        sink
    }
}

impl<'arena> Visitor<'arena> for Fields<'_, 'arena> {
    fn writer<'w, 'a>(self, writer: Writer<'w, 'a>) -> Writer<'w, 'a> {
        self.write_to(writer)
    }

    fn counter(self, counter: Counter) -> Counter {
        self.write_to(counter)
    }

    fn vectored<'w, 'a>(self, vectored: Vectored<'w, 'a, 'arena>) -> Vectored<'w, 'a, 'arena> {
        self.write_to(vectored)
    }
}

impl<'arena> Encodable<'arena> for Fields<'_, 'arena> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn write<S: Sink<'arena>>(self, sink: S) -> S {
        sink.visit(self)
    }
}
