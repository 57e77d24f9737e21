//! Tables of messages whose types are made at run time, out of the same handlers as those of the derive.
//!
//! Everything here is made with the lifetime `'static` in place of the arena's. No handler depends on a lifetime: it is the
//! same machine code for all of them.
#![expect(unsafe_code, reason = "makes classes that are used with the lifetime of every arena")]

mod closed;
mod entries;
mod pick;
mod slot;

use core::alloc::Layout;
use core::ptr::NonNull;

use bytes::BufMut;

pub(crate) use closed::Numbers;
pub(crate) use entries::Entries;
#[cfg(feature = "dynamic")]
pub(crate) use entries::MapValues;
pub(crate) use pick::{Picked, Shape, Values, handlers, of_field, of_messages, of_packable};
pub(crate) use slot::{VALUE_OFFSET as SLOT_VALUE, layout as slot_layout};

use super::code::{AnyTarget, decode_input};
use super::encode::Fields;
use super::handlers::Handlers;
use super::{AnyClass, FieldEntry, decode};
use crate::arena::Arena;
use crate::codec::Table;
use crate::encoder;
use crate::error::{DecodeError, EncodeError};
use crate::message::{DecodeOptions, Input};

/// The table of a message whose type was made at run time.
#[derive(Debug)]
#[repr(transparent)]
pub(crate) struct RuntimeClass(AnyClass<'static>);

/// An entry of such a table.
#[derive(Debug)]
#[repr(transparent)]
pub(crate) struct RuntimeEntry(FieldEntry<'static>);

/// The handlers of such an entry.
pub(crate) type RuntimeHandlers = Handlers<'static>;

impl RuntimeEntry {
    /// A field at an offset of its message; `required` is one more than the index among its required fields, or 0.
    pub(crate) fn new(tag: u32, offset: u32, required: u32, handlers: &'static RuntimeHandlers) -> Self {
        RuntimeEntry(FieldEntry { tag, offset, required, handlers })
    }

    pub(crate) fn number(&self) -> u32 {
        self.0.number()
    }
}

/// What is said of a message to make its class.
pub(crate) struct Plan {
    pub(crate) layout: Layout,
    /// A message with nothing set.
    pub(crate) default: NonNull<u8>,
    /// Ascending by number.
    pub(crate) fields: &'static [RuntimeEntry],
    /// By field number, one more than the index of the field, or 0.
    pub(crate) index: &'static [u8],
    pub(crate) required: u32,
    /// Where the unknown fields are.
    pub(crate) unknown: u32,
    pub(crate) message_set: bool,
    pub(crate) names: &'static Table,
}

impl RuntimeClass {
    /// Required fields that a message may have.
    pub(crate) const MOST_REQUIRED: u32 = 64 * 64;

    /// # Safety
    /// The plan says the truth: its entries lie where they say, and their handlers are made for what lies there; what it
    /// refers to lives as long as the class is used. There are no more required fields than may be.
    pub(crate) unsafe fn new(plan: Plan) -> Self {
        let Plan { layout, default, fields, index, required, unknown, message_set, names } = plan;
        // SAFETY: as many entries, which are `repr(transparent)`.
        let fields =
            unsafe { core::slice::from_raw_parts(fields.as_ptr().cast::<FieldEntry<'static>>(), fields.len()) };
        let decode = match required {
            0..=64 => decode::merge::<1>,
            65..=256 => decode::merge::<4>,
            257..=1024 => decode::merge::<16>,
            _ => decode::merge::<64>,
        };
        RuntimeClass(AnyClass { layout, default, decode, fields, index, required, unknown, message_set, names })
    }

    /// The class for the lifetime of an arena.
    fn any<'arena>(&'arena self) -> &'arena AnyClass<'arena> {
        // SAFETY: lifetimes have no part in the representation. The functions of the class take everything with the arena's
        // lifetime and keep it in messages of the arena; what they refer to themselves lives as long as the class.
        unsafe { core::mem::transmute::<&'arena AnyClass<'static>, &'arena AnyClass<'arena>>(&self.0) }
    }

    /// Decodes into a message; on failure it is what `original` is.
    fn decode_into<'arena>(
        &'arena self,
        message: NonNull<u8>,
        original: NonNull<u8>,
        options: &DecodeOptions,
        input: Result<Input<'arena>, DecodeError>,
        merge: bool,
    ) -> Result<(), DecodeError> {
        decode_input(options, AnyTarget { class: self.any(), message, original }, input, merge)
    }

    /// Decodes a message into memory for one. What is in it is borrowed from the wire.
    ///
    /// # Safety
    /// Memory for a message of the class, which nothing else refers to.
    pub(crate) unsafe fn decode_borrowed<'arena>(
        &'arena self,
        place: NonNull<u8>,
        wire: &'arena [u8],
        options: &DecodeOptions,
        arena: &'arena Arena,
    ) -> Result<(), DecodeError> {
        // SAFETY: as required of the caller.
        unsafe { self.unset(place) };
        self.decode_into(place, self.0.default, options, Input::borrow(wire, arena, options), false)
    }

    /// The same from a copy of the wire in the arena.
    ///
    /// # Safety
    /// As [`decode_borrowed`](Self::decode_borrowed).
    pub(crate) unsafe fn decode_copied<'arena>(
        &'arena self,
        place: NonNull<u8>,
        wire: &[u8],
        options: &DecodeOptions,
        arena: &'arena Arena,
    ) -> Result<(), DecodeError> {
        // SAFETY: as required of the caller.
        unsafe { self.unset(place) };
        self.decode_into(place, self.0.default, options, Input::copy_aligned(wire, arena, options), false)
    }

    /// Decodes into a message, from a copy of the wire; on failure the message is unchanged.
    ///
    /// # Safety
    /// Two messages of the class with the same content, of which nothing else refers to the first.
    pub(crate) unsafe fn merge<'arena>(
        &'arena self,
        message: NonNull<u8>,
        original: NonNull<u8>,
        wire: &[u8],
        options: &DecodeOptions,
        arena: &'arena Arena,
    ) -> Result<(), DecodeError> {
        let input = Input::copy(wire, 0, arena, options);
        self.decode_into(message, original, options, input, true)
    }

    /// # Safety
    /// Memory for a message of the class.
    unsafe fn unset(&self, place: NonNull<u8>) {
        // SAFETY: as required of the caller; messages are `Copy`.
        unsafe { place.copy_from_nonoverlapping(self.0.default, self.0.layout.size()) };
    }

    /// # Safety
    /// A message of the class, which is not written to while the result is used.
    unsafe fn fields<'m>(&'m self, message: NonNull<u8>) -> Fields<'m, 'm> {
        // SAFETY: as required of the caller.
        unsafe { Fields::new(self.any(), message.as_ptr()) }
    }

    /// Bytes that a message takes on the wire.
    ///
    /// # Safety
    /// A message of the class.
    pub(crate) unsafe fn encoded_len(&self, message: NonNull<u8>) -> Result<usize, EncodeError> {
        // SAFETY: as required of the caller.
        encoder::try_encoded_len(unsafe { self.fields(message) })
    }

    /// Encodes a message into an arena.
    ///
    /// # Safety
    /// A message of the class.
    pub(crate) unsafe fn encode_in<'a>(&self, message: NonNull<u8>, arena: &'a Arena) -> Result<&'a [u8], EncodeError> {
        // SAFETY: as required of the caller.
        encoder::try_count_and_encode_in(unsafe { self.fields(message) }, arena)
    }

    /// Encodes a message into a buffer, behind its length if `delimited`.
    ///
    /// # Safety
    /// A message of the class.
    pub(crate) unsafe fn encode(
        &self,
        message: NonNull<u8>,
        mut buf: &mut dyn BufMut,
        delimited: bool,
    ) -> Result<(), EncodeError> {
        // SAFETY: as required of the caller.
        encoder::encode(unsafe { self.fields(message) }, &mut buf, delimited)
    }
}
