//! Messages decoded and encoded by tables instead of by code of their own (`optimize_for = CODE_SIZE`).
//!
//! A [`Class`] says of each field where in the struct it is and which handlers read and write it. A handler is made of a
//! field shape and its Rust type, so all messages of a crate share it; it calls the same [`Field`] that compiled messages
//! call. Two functions walk through the table, one to decode and one to encode.
#![expect(unsafe_code, reason = "finds out where a message has its fields")]

mod decode;
mod encode;
mod handlers;
mod member;

use core::marker::PhantomData;
use core::ptr::NonNull;

pub use member::{encode_member, merge_member};

use handlers::{Handlers, Of, OfMember, OfPartial};

use crate::codec::{Codec, Field, Oneof, PackedField, Table};
use crate::message::Message;
use crate::unknown::UnknownFields;
use crate::wire::context::Context;
use crate::wire::reader::{Cursor, Scope};
use crate::wire::writer::Sink;

/// A message with a table.
pub trait Tabled<'arena>: Message<'arena> {
    /// Its fields and the members of its oneofs, ascending by number.
    const FIELDS: &'arena [Entry<'arena, Self>];
    /// Its table.
    const CLASS: &'arena Class<'arena, Self>;
}

/// One field of the message `M`, or one member of a oneof of it.
///
/// Invariant: at `field.offset` in an `M` lies a value of the type that `field.handlers` are made for.
#[derive(Debug)]
#[repr(transparent)]
pub struct Entry<'arena, M> {
    field: FieldEntry<'arena>,
    message: PhantomData<fn(M) -> M>,
}

/// What is known of a field.
#[derive(Debug)]
struct FieldEntry<'arena> {
    /// Field number and wire type; of a member of a oneof, `MEMBER` instead.
    tag: u32,
    /// Bytes from the start of the message.
    offset: u32,
    /// One more than the index among the message's required fields, or 0.
    required: u32,
    handlers: &'arena Handlers<'arena>,
}

/// No wire type: which one a member of a oneof has, only the oneof knows.
const MEMBER: u32 = 7;

impl FieldEntry<'_> {
    const fn number(&self) -> u32 {
        self.tag >> 3
    }
}

/// Bytes from the start of `message` to its field `field`.
const fn offset_of<M, T>(message: &M, field: &T) -> u32 {
    let start = core::ptr::from_ref(message).cast::<u8>();
    // SAFETY: the caller borrowed the field from the message, so both lie in one allocation. Only constants call this,
    // and in those the compiler checks it.
    let offset = unsafe { core::ptr::from_ref(field).cast::<u8>().offset_from(start) };
    assert!(offset >= 0 && offset as usize + size_of::<T>() <= size_of::<M>(), "no field of this message");
    assert!(offset <= i32::MAX as isize, "the message is too large");
    offset as u32
}

impl<'arena, M> Entry<'arena, M> {
    const fn new<T>(message: &M, field: &T, tag: u32, handlers: &'arena Handlers<'arena>) -> Self {
        let offset = offset_of(message, field);
        Entry { field: FieldEntry { tag, offset, required: 0, handlers }, message: PhantomData }
    }

    /// The field `field` of `message`, read and written as `F`.
    #[must_use]
    pub const fn field<F: Field<'arena, T>, T>(message: &M, field: &T, tag: u32) -> Self {
        Self::new(message, field, tag, Of::<F, T>::FIELD)
    }

    /// A field that may also stand packed on the wire.
    #[must_use]
    pub const fn packable<F: PackedField<'arena, T>, T>(message: &M, field: &T, tag: u32) -> Self {
        Self::new(message, field, tag, Of::<F, T>::PACKABLE)
    }

    /// A required field whose type does not have all values that the wire may have.
    #[must_use]
    pub const fn partial<C: Codec<'arena, T>, T: Copy>(message: &M, field: &T, tag: u32) -> Self {
        Self::new(message, field, tag, OfPartial::<C, T>::FIELD)
    }

    /// The member `number` of a oneof that has it as its smallest number.
    #[must_use]
    pub const fn first_member<O: Oneof<'arena>>(message: &M, field: &Option<O>, number: u32) -> Self {
        Self::new(message, field, number << 3 | MEMBER, OfMember::<O>::FIRST)
    }

    /// Any other member of a oneof.
    #[must_use]
    pub const fn member<O: Oneof<'arena>>(message: &M, field: &Option<O>, number: u32) -> Self {
        Self::new(message, field, number << 3 | MEMBER, OfMember::<O>::OTHER)
    }

    /// The same as the required field of this index.
    #[must_use]
    pub const fn required(self, index: u32) -> Self {
        let field = FieldEntry { required: index + 1, ..self.field };
        Entry { field, ..self }
    }
}

/// The table of the message `M`.
#[derive(Debug)]
#[repr(transparent)]
pub struct Class<'arena, M> {
    erased: AnyClass<'arena>,
    message: PhantomData<fn(M) -> M>,
}

/// The table of some message.
///
/// Invariants: `fields` are those of the message, ascending by number; at `unknown` in it lie its unknown fields.
#[derive(Debug)]
struct AnyClass<'arena> {
    fields: &'arena [FieldEntry<'arena>],
    /// So many fields have the numbers from 1 on.
    dense: u32,
    required: u32,
    unknown: u32,
    message_set: bool,
    names: &'static Table,
}

impl<'arena, M: Tabled<'arena>> Class<'arena, M> {
    /// The table of a message with so many required fields.
    #[must_use]
    pub const fn new(message: &M, unknown: &UnknownFields<'arena>, required: u32) -> Self {
        let fields = M::FIELDS;
        // SAFETY: as many entries, which are `repr(transparent)`.
        let fields = unsafe { core::slice::from_raw_parts(fields.as_ptr().cast::<FieldEntry<'arena>>(), fields.len()) };
        let mut dense = 0;
        let mut index = 0;
        while index < fields.len() {
            let number = fields[index].number();
            assert!(index == 0 || fields[index - 1].number() < number, "not in ascending order");
            assert!(fields[index].required <= required, "more required fields than there are");
            if number as usize == index + 1 {
                dense = number;
            }
            index += 1;
        }
        let unknown = offset_of(message, unknown);
        let erased = AnyClass { fields, dense, required, unknown, message_set: false, names: M::TABLE };
        Class { erased, message: PhantomData }
    }

    /// The same for a message set.
    #[must_use]
    pub const fn message_set(self) -> Self {
        let erased = AnyClass { message_set: true, ..self.erased };
        Class { erased, ..self }
    }
}

/// Decodes a message with up to `64 * WORDS` required fields by its table.
#[inline]
pub fn merge<'arena, M: Tabled<'arena>, const WORDS: usize>(
    message: &mut M,
    at: Cursor,
    cx: &mut Context<'arena>,
    scope: Scope,
) -> Cursor {
    const { assert!(M::CLASS.erased.required as usize <= 64 * WORDS, "more required fields than bits") };
    // SAFETY: the table is that of `M`, and there are as many bits as required fields.
    unsafe { decode::merge::<WORDS>(&M::CLASS.erased, NonNull::from(message).cast(), at, cx, scope) }
}

/// Encodes a message by its table.
#[inline]
pub fn encode<'arena, M: Tabled<'arena>, S: Sink>(message: &M, sink: S) -> S {
    // SAFETY: the table is that of `M`.
    sink.visit(unsafe { encode::Fields::new(&M::CLASS.erased, core::ptr::from_ref(message).cast()) })
}
