//! Messages decoded and encoded by tables instead of by code of their own (`optimize_for = CODE_SIZE`).
//!
//! A [`Class`] says of each field where in the struct it is and which handlers read and write it. A handler is made of a
//! field shape and its Rust type, so all messages of a crate share it; it calls the same [`Field`] that compiled messages
//! call. Two functions walk through the table, one to decode and one to encode.
#![expect(unsafe_code, reason = "finds out where a message has its fields")]

mod child;
mod code;
mod decode;
mod encode;
mod handlers;
mod member;
#[cfg(feature = "reflect")]
#[cfg_attr(
    not(feature = "dynamic"),
    allow(dead_code, reason = "pools make types of all kinds; the feature `reflect` alone only those of extensions")
)]
pub(crate) mod runtime;

use core::alloc::Layout;
use core::marker::PhantomData;
use core::ptr::NonNull;

pub use code::{ByTable, Code, Compiled};
pub use member::encode_member;
pub(crate) use member::merge_member;

use encode::Fields;
use handlers::{Handlers, Of, OfMember, OfPartial};

use crate::codec::{
    Codec, Field, Oneof, OptionalGroup, OptionalMessage, PackedField, RepeatedGroup, RepeatedMessage, Table,
};
use crate::encoder::Encodable as _;
use crate::message::Message;
use crate::unknown::UnknownFields;
use crate::wire::context::Context;
use crate::wire::reader::{Cursor, Scope};
use crate::wire::writer::Sink;

/// A message with a table.
///
/// # Safety
/// `FIELDS` are the fields of the message, and `CLASS` is made of them by [`Class::new`].
pub unsafe trait Tabled<'arena>: Message<'arena> {
    /// Its fields and the members of its oneofs, ascending by number.
    const FIELDS: &'arena [Entry<'arena, Self>];
    /// What [`index`] makes of them.
    const INDEX: &'arena [u8];
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
pub(crate) struct FieldEntry<'arena> {
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

/// Offset of the field `field` in `message`, in bytes.
///
/// # Safety
/// `field` refers to a field of the struct `message`.
pub(crate) const unsafe fn offset_of<M, T>(message: &M, field: &T) -> u32 {
    let start = core::ptr::from_ref(message).cast::<u8>();
    // SAFETY: a field lies in the allocation of its struct.
    let offset = unsafe { core::ptr::from_ref(field).cast::<u8>().offset_from(start) };
    assert!(offset >= 0 && offset as usize + size_of::<T>() <= size_of::<M>(), "no field of this message");
    assert!(offset <= i32::MAX as isize, "the message is too large");
    offset as u32
}

impl<'arena, M> Entry<'arena, M> {
    /// # Safety
    /// `field` refers to a field of the struct `message`: a place where every `M` has a `T`, for which `handlers` are made.
    const unsafe fn new<T>(message: &M, field: &T, tag: u32, handlers: &'arena Handlers<'arena>) -> Self {
        // SAFETY: the caller promises that `field` is a field of `message`.
        let offset = unsafe { offset_of(message, field) };
        Entry { field: FieldEntry { tag, offset, required: 0, handlers }, message: PhantomData }
    }

    /// The field `field` of `message`, read and written as `F`.
    ///
    /// # Safety
    /// `field` refers to a field of the struct `message`: a place where every `M` has a `T`.
    #[must_use]
    pub const unsafe fn field<F: Field<'arena, T>, T>(message: &M, field: &T, tag: u32) -> Self {
        // SAFETY: the caller promises the place, and these are the handlers for a `T`.
        unsafe { Self::new(message, field, tag, Of::<F, T>::FIELD) }
    }

    /// A field that may also be packed on the wire.
    ///
    /// # Safety
    /// As of [`field`](Self::field).
    #[must_use]
    pub const unsafe fn packable<F: PackedField<'arena, T>, T>(message: &M, field: &T, tag: u32) -> Self {
        // SAFETY: the caller promises the place, and these are the handlers for a `T`.
        unsafe { Self::new(message, field, tag, Of::<F, T>::PACKABLE) }
    }

    /// A field that holds messages by reference or in a slice.
    ///
    /// # Safety
    /// As of [`field`](Self::field).
    #[must_use]
    pub const unsafe fn message<F: HoldsMessages<'arena, T>, T>(message: &M, field: &T, tag: u32) -> Self {
        // SAFETY: the caller promises the place, and these are the handlers for a `T`.
        unsafe { Self::new(message, field, tag, F::HANDLERS) }
    }

    /// A required field whose Rust type does not have every value of the wire.
    ///
    /// # Safety
    /// As of [`field`](Self::field).
    #[must_use]
    pub const unsafe fn partial<C: Codec<'arena, T>, T: Copy>(message: &M, field: &T, tag: u32) -> Self {
        // SAFETY: the caller promises the place, and these are the handlers for a `T`.
        unsafe { Self::new(message, field, tag, OfPartial::<C, T>::FIELD) }
    }

    /// The member `number` of a oneof that has it as its smallest number.
    ///
    /// # Safety
    /// As of [`field`](Self::field), for an `Option<O>`.
    #[must_use]
    pub const unsafe fn first_member<O: Oneof<'arena>>(message: &M, field: &Option<O>, number: u32) -> Self {
        // SAFETY: the caller promises the place, and these are the handlers for an `Option<O>`.
        unsafe { Self::new(message, field, number << 3 | MEMBER, OfMember::<O>::FIRST) }
    }

    /// Any other member of a oneof.
    ///
    /// # Safety
    /// As of [`field`](Self::field), for an `Option<O>`.
    #[must_use]
    pub const unsafe fn member<O: Oneof<'arena>>(message: &M, field: &Option<O>, number: u32) -> Self {
        // SAFETY: the caller promises the place, and these are the handlers for an `Option<O>`.
        unsafe { Self::new(message, field, number << 3 | MEMBER, OfMember::<O>::OTHER) }
    }

    /// The same as the required field of this index.
    #[must_use]
    // TRUST: `Class::new` checks the index, and the bits of required fields are read with `get`.
    pub const fn required(self, index: u32) -> Self {
        let field = FieldEntry { required: index + 1, ..self.field };
        Entry { field, ..self }
    }
}

/// Decodes a message by its table.
///
/// # Safety
/// As [`AnyClass::merge`].
type Decode<'arena> = unsafe fn(&AnyClass<'arena>, NonNull<u8>, Cursor, &mut Context<'arena>, Scope) -> Cursor;

impl<'arena> AnyClass<'arena> {
    /// Decodes a message.
    ///
    /// # Safety
    /// `message` is one of the class, may be written to, and nothing else refers to it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn merge(&self, message: NonNull<u8>, at: Cursor, cx: &mut Context<'arena>, scope: Scope) -> Cursor {
        // SAFETY: as required of the caller.
        unsafe { (self.decode)(self, message, at, cx, scope) }
    }
}

/// The shape of a field of type `T` that holds messages by reference or in a slice.
///
/// # Safety
/// `HANDLERS` are made for fields of type `T`.
pub unsafe trait HoldsMessages<'arena, T>: Field<'arena, T> {
    /// Its handlers.
    const HANDLERS: &'arena Handlers<'arena>;
}

macro_rules! holds_messages {
    ($($shape:ident: $field:ty, $handlers:ident;)*) => {$(
        // SAFETY: `HANDLERS` are the handlers for fields of this type.
        unsafe impl<'arena, M: Message<'arena>> HoldsMessages<'arena, $field> for $shape {
            const HANDLERS: &'arena Handlers<'arena> = <M::__Code as Code<'arena, M>>::$handlers;
        }
    )*};
}

holds_messages! {
    OptionalMessage: Option<&'arena M>, MESSAGE;
    OptionalGroup: Option<&'arena M>, GROUP;
    RepeatedMessage: &'arena [M], MESSAGES;
    RepeatedGroup: &'arena [M], GROUPS;
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
/// Invariants: `layout` is that of the message, and `default` one that lives for ever; `fields` are those of the message,
/// ascending by number; at `unknown` in it lie its unknown fields; `decode` has a bit for each of the `required` fields.
#[derive(Debug)]
pub(crate) struct AnyClass<'arena> {
    layout: Layout,
    /// A message with nothing set.
    default: NonNull<u8>,
    decode: Decode<'arena>,
    fields: &'arena [FieldEntry<'arena>],
    /// By field number, one more than the index of the field, or 0: of the first fields and numbers.
    index: &'arena [u8],
    required: u32,
    unknown: u32,
    message_set: bool,
    names: &'static Table,
}

impl<'arena, M: Tabled<'arena>> Class<'arena, M> {
    /// The table of a message with `required` required fields, at most 64 times `WORDS`.
    ///
    /// # Safety
    /// `unknown` refers to the unknown fields of the struct `message`.
    ///
    /// # Panics
    /// When the fields are not in ascending order, or more of them are required than `required` states. The derive calls this
    /// in constants only, where a panic is a compile error.
    #[must_use]
    pub const unsafe fn new<const WORDS: usize>(
        message: &'arena M,
        unknown: &UnknownFields<'arena>,
        required: u32,
    ) -> Self {
        assert!(required as usize <= 64 * WORDS, "more required fields than bits");
        let fields = M::FIELDS;
        // SAFETY: as many entries, which are `repr(transparent)`.
        let fields = unsafe { core::slice::from_raw_parts(fields.as_ptr().cast::<FieldEntry<'arena>>(), fields.len()) };
        let mut index = 0;
        while index < fields.len() {
            let number = fields[index].number();
            assert!(index == 0 || fields[index - 1].number() < number, "not in ascending order");
            assert!(fields[index].required <= required, "more required fields than there are");
            index += 1;
        }
        // SAFETY: a reference is not null.
        let default = unsafe { NonNull::new_unchecked(core::ptr::from_ref(message).cast_mut().cast()) };
        // SAFETY: the caller promises that `unknown` is a field of `message`.
        let unknown = unsafe { offset_of(message, unknown) };
        let erased = AnyClass {
            layout: Layout::new::<M>(),
            default,
            decode: decode::merge::<WORDS>,
            fields,
            index: M::INDEX,
            required,
            unknown,
            message_set: false,
            names: M::TABLE,
        };
        Class { erased, message: PhantomData }
    }

    /// Without the type of the message.
    const fn any(&self) -> &AnyClass<'arena> {
        &self.erased
    }

    /// The same for a message set.
    #[must_use]
    // TRUST: unsafe code does not rely on it: both ways to read a tag are sound for every message.
    pub const fn message_set(self) -> Self {
        let erased = AnyClass { message_set: true, ..self.erased };
        Class { erased, ..self }
    }
}

/// By field number, below `NUMBERS`, one more than the index of a message's field, or 0 where there is none that fits in a
/// byte.
#[must_use]
// TRUST: unsafe code does not rely on it: an entry that is looked up is compared with the tag before its handlers run.
pub const fn index<'arena, M: Tabled<'arena>, const NUMBERS: usize>() -> [u8; NUMBERS] {
    let mut numbers = [0; NUMBERS];
    let mut index = 0;
    while index < M::FIELDS.len() && index < u8::MAX as usize {
        let number = M::FIELDS[index].field.number() as usize;
        if number < NUMBERS {
            numbers[number] = index as u8 + 1;
        }
        index += 1;
    }
    numbers
}

/// Decodes a message by its table.
#[inline]
pub(crate) fn merge<'arena, M: Tabled<'arena>>(
    message: &mut M,
    at: Cursor,
    cx: &mut Context<'arena>,
    scope: Scope,
) -> Cursor {
    // SAFETY: the table is that of `M`.
    unsafe { M::CLASS.any().merge(NonNull::from(message).cast(), at, cx, scope) }
}

/// Encodes a message by its table.
#[inline]
pub fn encode<'arena, M: Tabled<'arena>, S: Sink<'arena>>(message: &M, sink: S) -> S {
    Fields::of(message).write(sink)
}
