//! From a message onto the wire, by its table.
#![expect(unsafe_code, reason = "finds fields by their offsets")]

use super::AnyClass;
use super::handlers::Target;
use crate::codec::encode_unknown;
use crate::message_set::encode_message_set;
use crate::unknown::UnknownFields;
use crate::wire::writer::{Counter, Visitor, Writer};

/// The fields of a message, to be written.
///
/// Invariant: `message` is one of the class, and stays so while this is alive.
pub(super) struct Fields<'c, 'arena> {
    class: &'c AnyClass<'arena>,
    message: *const u8,
}

impl<'c, 'arena> Fields<'c, 'arena> {
    /// # Safety
    /// `message` is one of the class, and stays so while this is alive.
    pub(super) unsafe fn new(class: &'c AnyClass<'arena>, message: *const u8) -> Self {
        Fields { class, message }
    }

    /// Backward: first the unknown fields, then the others from the greatest number to the smallest.
    #[inline(never)]
    fn write<S: Target>(self, mut sink: S) -> S {
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

impl Visitor for Fields<'_, '_> {
    fn writer<'w, 'a>(self, writer: Writer<'w, 'a>) -> Writer<'w, 'a> {
        self.write(writer)
    }

    fn counter(self, counter: Counter) -> Counter {
        self.write(counter)
    }
}
