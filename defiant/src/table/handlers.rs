//! The functions behind the entries of a table: each field shape with each Rust type, once for all messages.
#![expect(unsafe_code, reason = "gets fields as pointers without a type")]

use core::fmt;
use core::marker::PhantomData;
#[cfg(feature = "reflect")]
use core::ptr::NonNull;

use super::{AnyClass, FieldEntry};
use crate::codec::{Codec, Field, OnDemand, Oneof, PackedField, Required};
use crate::unknown::UnknownFields;
use crate::wire::context::{Context, Fault};
use crate::wire::reader::{Cursor, Reader};
use crate::wire::tag::{tag_of, wire_type};
use crate::wire::vectored::Vectored;
use crate::wire::writer::{Counter, Sink, Writer};

/// Reads an occurrence behind the tag of the entry.
///
/// # Safety
/// The pointer is to a value of the type that the handlers are made for, which may be written to.
type Merge<'arena> =
    unsafe fn(*mut u8, &mut UnknownFields<'arena>, &FieldEntry<'arena>, Cursor, &mut Context<'arena>) -> Cursor;

/// Reads an occurrence behind a tag of another wire type, whose key it gets.
///
/// # Safety
/// As [`Merge`].
type MergeOther<'arena> =
    unsafe fn(*mut u8, &mut UnknownFields<'arena>, &FieldEntry<'arena>, u64, Cursor, &mut Context<'arena>) -> Cursor;

/// How the fields of one shape and Rust type are read and written.
///
/// Invariant: all functions are made for the same type.
pub struct Handlers<'arena> {
    pub(super) merge: Merge<'arena>,
    /// For tags with the field's number and one of these wire types, a bit for each.
    pub(super) other_types: u8,
    pub(super) merge_other: MergeOther<'arena>,
    /// Writes the field, if it is set; `None` for what another entry writes.
    pub(super) encode: Option<Encode<'arena>>,
    /// What the functions know of the field's values, if it is not in their types.
    pub(super) child: Child<'arena>,
}

/// What handlers know of the values in a field.
#[derive(Clone, Copy)]
#[cfg_attr(not(feature = "dynamic"), allow(dead_code, reason = "made for pools"))]
pub(super) enum Child<'arena> {
    /// No more than the types of the handlers say.
    None,
    /// Messages of this class. A function, because messages may contain themselves and constants may not.
    Class(fn() -> &'arena AnyClass<'arena>),
    /// The same of a class that was made at run time: it lives as long as the entry.
    #[cfg(feature = "reflect")]
    At(NonNull<AnyClass<'arena>>),
    /// Numbers of a closed enum; they live as long as the entry.
    #[cfg(feature = "reflect")]
    Numbers(NonNull<super::runtime::Numbers>),
    /// A map's entries; it lives as long as the entry.
    #[cfg(feature = "reflect")]
    Entries(NonNull<super::runtime::Entries>),
}

impl<'arena> Child<'arena> {
    /// The class of the messages in the field.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn class(self) -> Option<&'arena AnyClass<'arena>> {
        match self {
            Child::Class(class) => Some(class()),
            // SAFETY: it lives as long as the entry, which outlives what is decoded and encoded with it.
            #[cfg(feature = "reflect")]
            Child::At(class) => Some(unsafe { class.as_ref() }),
            _ => None,
        }
    }
}

/// The function for each kind of sink.
///
/// # Safety
/// The pointer is to a value of the type that the handlers are made for.
#[derive(Clone, Copy)]
pub(super) struct Encode<'arena> {
    writer: for<'w, 'a> unsafe fn(*const u8, &FieldEntry<'arena>, Writer<'w, 'a>) -> Writer<'w, 'a>,
    counter: unsafe fn(*const u8, &FieldEntry<'arena>, Counter) -> Counter,
    vectored:
        for<'w, 'a> unsafe fn(*const u8, &FieldEntry<'arena>, Vectored<'w, 'a, 'arena>) -> Vectored<'w, 'a, 'arena>,
}

/// What handlers write.
pub(super) trait Encodes<'arena> {
    /// Writes the field, if it is set.
    ///
    /// # Safety
    /// As [`Encode`].
    unsafe fn encode<S: Sink<'arena>>(field: *const u8, entry: &FieldEntry<'arena>, sink: &mut S);
}

impl<'arena> Encode<'arena> {
    pub(super) const fn with<E: Encodes<'arena>>() -> Self {
        Encode { writer: encode_to_writer::<E>, counter: encode_to_counter::<E>, vectored: encode_to_vectored::<E> }
    }
}

/// # Safety
/// As [`Encode`].
unsafe fn encode_to_writer<'arena, 'w, 'a, E: Encodes<'arena>>(
    field: *const u8,
    entry: &FieldEntry<'arena>,
    mut sink: Writer<'w, 'a>,
) -> Writer<'w, 'a> {
    // SAFETY: as required of the caller.
    unsafe { E::encode(field, entry, &mut sink) };
    sink
}

/// # Safety
/// As [`Encode`].
unsafe fn encode_to_counter<'arena, E: Encodes<'arena>>(
    field: *const u8,
    entry: &FieldEntry<'arena>,
    mut sink: Counter,
) -> Counter {
    // SAFETY: as required of the caller.
    unsafe { E::encode(field, entry, &mut sink) };
    sink
}

/// # Safety
/// As [`Encode`].
unsafe fn encode_to_vectored<'arena, 'w, 'a, E: Encodes<'arena>>(
    field: *const u8,
    entry: &FieldEntry<'arena>,
    mut sink: Vectored<'w, 'a, 'arena>,
) -> Vectored<'w, 'a, 'arena> {
    // SAFETY: as required of the caller.
    unsafe { E::encode(field, entry, &mut sink) };
    sink
}

impl fmt::Debug for Handlers<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handlers").finish_non_exhaustive()
    }
}

/// A sink that handlers are made for.
pub(super) trait Target<'arena>: Sink<'arena> {
    /// The handler that writes to this kind of sink.
    fn encode(handlers: &Handlers<'arena>) -> Option<unsafe fn(*const u8, &FieldEntry<'arena>, Self) -> Self>;
}

impl<'arena> Target<'arena> for Writer<'_, '_> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn encode(handlers: &Handlers<'arena>) -> Option<unsafe fn(*const u8, &FieldEntry<'arena>, Self) -> Self> {
        handlers.encode.as_ref().map(|encode| encode.writer as _)
    }
}

impl<'arena> Target<'arena> for Counter {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn encode(handlers: &Handlers<'arena>) -> Option<unsafe fn(*const u8, &FieldEntry<'arena>, Self) -> Self> {
        handlers.encode.as_ref().map(|encode| encode.counter)
    }
}

impl<'arena> Target<'arena> for Vectored<'_, '_, 'arena> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn encode(handlers: &Handlers<'arena>) -> Option<unsafe fn(*const u8, &FieldEntry<'arena>, Self) -> Self> {
        handlers.encode.as_ref().map(|encode| encode.vectored as _)
    }
}

/// The handlers of fields of type `T` that are read and written as `F`.
pub(super) struct Of<F, T>(PhantomData<(F, T)>);

impl<'arena, F: Field<'arena, T>, T> Of<F, T> {
    pub(super) const FIELD: &'arena Handlers<'arena> = &Handlers {
        merge: merge::<F, T>,
        other_types: 0,
        merge_other: no_other,
        encode: Some(Encode::with::<Self>()),
        child: Child::None,
    };
}

impl<'arena, F: PackedField<'arena, T>, T> Of<F, T> {
    pub(super) const PACKABLE: &'arena Handlers<'arena> = &Handlers {
        merge: merge::<F, T>,
        other_types: 1 << wire_type::LENGTH_DELIMITED,
        merge_other: merge_packed::<F, T>,
        encode: Some(Encode::with::<Self>()),
        child: Child::None,
    };
}

impl<'arena, F: Field<'arena, T>, T> Encodes<'arena> for Of<F, T> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn encode<S: Sink<'arena>>(field: *const u8, entry: &FieldEntry<'arena>, sink: &mut S) {
        // SAFETY: as required of the caller, a `T`.
        F::encode(unsafe { &*field.cast::<T>() }, sink, entry.number());
    }
}

/// The handlers of required fields of type `T` that do not have all values of the wire.
pub(super) struct OfPartial<C, T>(PhantomData<(C, T)>);

impl<'arena, C: Codec<'arena, T>, T: Copy> OfPartial<C, T> {
    pub(super) const FIELD: &'arena Handlers<'arena> = &Handlers {
        merge: merge_partial::<C, T>,
        other_types: 0,
        merge_other: no_other,
        encode: Some(Encode::with::<Of<Required<C>, T>>()),
        child: Child::None,
    };
}

/// The handlers of the members of the oneof `O`.
pub(super) struct OfMember<O>(PhantomData<O>);

impl<'arena, O: Oneof<'arena>> OfMember<O> {
    /// All wire types but the end of a group, which may be that of the message's own.
    const TYPES: u8 = !(1 << wire_type::END_GROUP);

    /// Of the member with the smallest number, in whose place the oneof is written.
    pub(super) const FIRST: &'arena Handlers<'arena> = &Handlers {
        merge: no_merge,
        other_types: Self::TYPES,
        merge_other: merge_oneof::<O>,
        encode: Some(Encode::with::<Self>()),
        child: Child::None,
    };

    pub(super) const OTHER: &'arena Handlers<'arena> = &Handlers {
        merge: no_merge,
        other_types: Self::TYPES,
        merge_other: merge_oneof::<O>,
        encode: None,
        child: Child::None,
    };
}

impl<'arena, O: Oneof<'arena>> Encodes<'arena> for OfMember<O> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn encode<S: Sink<'arena>>(field: *const u8, _: &FieldEntry<'arena>, sink: &mut S) {
        // SAFETY: as required of the caller, an `Option<O>`.
        if let Some(oneof) = unsafe { &*field.cast::<Option<O>>() } {
            oneof.__encode(sink);
        }
    }
}

/// # Safety
/// As [`Merge`], for `T`.
pub(super) unsafe fn merge<'arena, F: Field<'arena, T>, T>(
    field: *mut u8,
    unknown: &mut UnknownFields<'arena>,
    entry: &FieldEntry<'arena>,
    at: Cursor,
    cx: &mut Context<'arena>,
) -> Cursor {
    // SAFETY: as required of the caller.
    let field = unsafe { &mut *field.cast::<T>() };
    let mut r = Reader::resume(at, cx);
    match F::merge(field, unknown, &mut r, entry.tag) {
        Ok(()) => r.yield_back(),
        Err(fault) => r.give_up(fault),
    }
}

/// # Safety
/// As [`Merge`], for `T`.
unsafe fn merge_partial<'arena, C: Codec<'arena, T>, T: Copy>(
    field: *mut u8,
    unknown: &mut UnknownFields<'arena>,
    entry: &FieldEntry<'arena>,
    at: Cursor,
    cx: &mut Context<'arena>,
) -> Cursor {
    // SAFETY: as required of the caller.
    let field = unsafe { &mut *field.cast::<T>() };
    let mut r = Reader::resume(at, cx);
    match Required::<C>::read(field, unknown, &mut r, entry.tag) {
        Ok(read) => {
            let at = r.yield_back();
            cx.rejected = !read;
            at
        }
        Err(fault) => r.give_up(fault),
    }
}

/// # Safety
/// As [`MergeOther`], for `T`.
unsafe fn merge_packed<'arena, F: PackedField<'arena, T>, T>(
    field: *mut u8,
    unknown: &mut UnknownFields<'arena>,
    _: &FieldEntry<'arena>,
    key: u64,
    at: Cursor,
    cx: &mut Context<'arena>,
) -> Cursor {
    // SAFETY: as required of the caller.
    let field = unsafe { &mut *field.cast::<T>() };
    let mut r = Reader::resume(at, cx);
    match F::merge_packed(field, unknown, &mut r, tag_of(key)) {
        Ok(()) => r.yield_back(),
        Err(fault) => r.give_up(fault),
    }
}

/// # Safety
/// As [`MergeOther`], for `Option<O>`.
unsafe fn merge_oneof<'arena, O: Oneof<'arena>>(
    field: *mut u8,
    unknown: &mut UnknownFields<'arena>,
    _: &FieldEntry<'arena>,
    key: u64,
    at: Cursor,
    cx: &mut Context<'arena>,
) -> Cursor {
    // SAFETY: as required of the caller.
    let field = unsafe { &mut *field.cast::<Option<O>>() };
    O::__merge::<OnDemand>(field, unknown, key, at, cx)
}

/// Of a oneof's member: no tag has the wire type of its entry.
fn no_merge<'arena>(
    _: *mut u8,
    _: &mut UnknownFields<'arena>,
    _: &FieldEntry<'arena>,
    at: Cursor,
    cx: &mut Context<'arena>,
) -> Cursor {
    cx.failed(Fault::Tag, at.ptr)
}

/// Of a field with no other wire type.
pub(super) fn no_other<'arena>(
    _: *mut u8,
    _: &mut UnknownFields<'arena>,
    _: &FieldEntry<'arena>,
    _: u64,
    at: Cursor,
    cx: &mut Context<'arena>,
) -> Cursor {
    cx.failed(Fault::Tag, at.ptr)
}
