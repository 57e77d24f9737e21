//! Fields that hold messages with tables: handlers that know no more of them than their class.
#![expect(unsafe_code, reason = "gets fields as pointers without a type")]

use core::ptr::NonNull;

use super::code::{encode_enclosed, merge_message};
use super::encode::Fields;
use super::handlers::{Child, Encode, Encodes, Handlers, merge, no_other};
use super::{AnyClass, FieldEntry};
use crate::codec::Field;
use crate::unknown::UnknownFields;
use crate::wire::context::{Context, Fault};
use crate::wire::reader::Cursor;
use crate::wire::writer::Sink;

type ClassOf<'arena> = fn() -> &'arena AnyClass<'arena>;

/// The handlers of an `Option<&'arena M>`, where `class` gives the class of `M`.
pub(super) const fn reference<'arena, const GROUP: bool>(class: ClassOf<'arena>) -> Handlers<'arena> {
    Handlers {
        merge: merge_reference::<GROUP>,
        other_types: 0,
        merge_other: no_other,
        encode: Some(Encode::with::<Reference<GROUP>>()),
        child: Child::Class(class),
    }
}

/// The handlers of an `&'arena [M]`, where `class` gives the class of `M`.
pub(super) const fn slice<'arena, const GROUP: bool, F: Field<'arena, &'arena [M]>, M: 'arena>(
    class: ClassOf<'arena>,
) -> Handlers<'arena> {
    assert!(size_of::<&[M]>() == size_of::<*const [()]>() && align_of::<&[M]>() == align_of::<*const [()]>());
    Handlers {
        merge: merge::<F, &'arena [M]>,
        other_types: 0,
        merge_other: no_other,
        encode: Some(Encode::with::<Slice<GROUP>>()),
        child: Child::Class(class),
    }
}

pub(super) struct Reference<const GROUP: bool>;
pub(super) struct Slice<const GROUP: bool>;

/// # Safety
/// The pointer is to an `Option<&'arena M>` that may be written to, and the entry has the class of `M`.
pub(super) unsafe fn merge_reference<'arena, const GROUP: bool>(
    field: *mut u8,
    _: &mut UnknownFields<'arena>,
    entry: &FieldEntry<'arena>,
    at: Cursor,
    cx: &mut Context<'arena>,
) -> Cursor {
    let Some(class) = entry.handlers.child.class() else { return cx.failed(Fault::Tag, at.ptr) };
    // SAFETY: a reference that may be missing has the form of a pointer that may be missing. What is put there is a message
    // of the class, which is not written to while the field refers to it.
    let slot = unsafe { &mut *field.cast::<Option<NonNull<u8>>>() };
    // SAFETY: the field holds messages of the class.
    unsafe { merge_message::<GROUP>(class, slot, entry.tag, at, cx) }
}

impl<'arena, const GROUP: bool> Encodes<'arena> for Reference<GROUP> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn encode<S: Sink<'arena>>(field: *const u8, entry: &FieldEntry<'arena>, sink: &mut S) {
        // SAFETY: as in `merge_reference`.
        let message = unsafe { *field.cast::<Option<NonNull<u8>>>() };
        if let (Some(message), Some(class)) = (message, entry.handlers.child.class()) {
            // SAFETY: a message of the class, which lives as long as the one that refers to it.
            let fields = unsafe { Fields::new(class, message.as_ptr()) };
            sink.call(|sink| encode_enclosed::<GROUP, _>(fields, sink, entry.number()));
        }
    }
}

impl<'arena, const GROUP: bool> Encodes<'arena> for Slice<GROUP> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn encode<S: Sink<'arena>>(field: *const u8, entry: &FieldEntry<'arena>, sink: &mut S) {
        // SAFETY: as required of the caller, a slice, whose reference is an address and a length whatever its elements are.
        let messages = unsafe { *field.cast::<*const [()]>() };
        let Some(class) = entry.handlers.child.class() else { return };
        for index in (0..messages.len()).rev() {
            // SAFETY: one of the messages.
            let message = unsafe { messages.cast::<u8>().add(index * class.layout.size()) };
            // SAFETY: a message of the class, which lives as long as the one that refers to it.
            let fields = unsafe { Fields::new(class, message) };
            sink.call(|sink| encode_enclosed::<GROUP, _>(fields, sink, entry.number()));
        }
    }
}
