//! Singular messages and groups.
#![expect(unsafe_code, reason = "decodes into arena memory that a shared reference will point to")]

use core::marker::PhantomData;
use core::ptr::NonNull;

use super::field::Field;
use super::{Delimited, Enclosure, Group, OnDemand, merge_whole};
use crate::message::Message;
use crate::table::Code;
use crate::unknown::UnknownFields;
use crate::wire::context::{Context, Fault, Reopened};
use crate::wire::reader::{Cursor, Reader, Scope};
use crate::wire::writer::Sink;

/// What is known of the messages in a field: their type, or, of messages with tables, only the table. So that what is
/// done with messages is written once, and machine code is made for each type or for all tables.
pub(crate) trait Kind<'arena>: Copy {
    /// Bytes of a message in memory.
    fn size(self) -> usize;

    /// An unset message in the arena.
    fn alloc(self, cx: &mut Context<'arena>) -> Result<NonNull<u8>, Fault>;

    /// A copy of a message in the arena.
    ///
    /// # Safety
    /// `earlier` is a message of this kind.
    unsafe fn copy(self, earlier: NonNull<u8>, cx: &mut Context<'arena>) -> Result<NonNull<u8>, Fault>;

    /// Decodes a message.
    ///
    /// # Safety
    /// `message` is one of this kind, may be written to, and nothing else refers to it.
    unsafe fn merge(self, message: NonNull<u8>, at: Cursor, cx: &mut Context<'arena>, scope: Scope) -> Cursor;

    /// Decodes a message behind its length if that can be done at once: [`merge_whole`].
    ///
    /// # Safety
    /// As [`merge`](Self::merge).
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn merge_whole(self, _message: NonNull<u8>, _at: Cursor, _cx: &Context<'arena>) -> Option<Cursor> {
        None
    }
}

/// Messages of type `M`.
pub(crate) struct Of<M>(PhantomData<M>);

impl<M> Clone for Of<M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M> Copy for Of<M> {}

impl<'arena, M: Message<'arena>> Kind<'arena> for Of<M> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn size(self) -> usize {
        size_of::<M>()
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn alloc(self, cx: &mut Context<'arena>) -> Result<NonNull<u8>, Fault> {
        cx.alloc_with(M::__unset).map(NonNull::cast)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn copy(self, earlier: NonNull<u8>, cx: &mut Context<'arena>) -> Result<NonNull<u8>, Fault> {
        // SAFETY: as required of the caller.
        cx.alloc_value(unsafe { *earlier.cast::<M>().as_ptr() }).map(NonNull::cast)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn merge(self, message: NonNull<u8>, at: Cursor, cx: &mut Context<'arena>, scope: Scope) -> Cursor {
        // SAFETY: as required of the caller.
        unsafe { message.cast::<M>().as_mut() }.__merge::<OnDemand>(at, cx, scope)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn merge_whole(self, message: NonNull<u8>, at: Cursor, cx: &Context<'arena>) -> Option<Cursor> {
        // SAFETY: as required of the caller.
        merge_whole(unsafe { message.cast::<M>().as_mut() }, at, cx)
    }
}

/// Reads an occurrence of a singular message that is held by reference: `slot`, which is `None` when it is unset.
///
/// A first occurrence is decoded in its final place. A second one copies the message into memory that this decode
/// may write to and remembers so; all further ones are decoded there, so that the cost stays linear.
///
/// # Safety
/// `slot` is a message of this kind in the arena; it is shared if it was not made by this decode.
#[cfg_attr(not(debug_assertions), inline(always))]
unsafe fn merge_reference<'arena, K: Kind<'arena>, E: Enclosure>(
    kind: K,
    slot: &mut Option<NonNull<u8>>,
    tag: u32,
    at: Cursor,
    cx: &mut Context<'arena>,
) -> Cursor {
    let (place, merge) = match slot.take() {
        None => match kind.alloc(cx) {
            Ok(place) => (place, false),
            Err(fault) => return cx.failed(fault, at.ptr),
        },
        // SAFETY: as required of the caller.
        Some(earlier) => match unsafe { reopen(kind, earlier, cx) } {
            Ok(place) => (place, true),
            Err(fault) => return cx.failed(fault, at.ptr),
        },
    };
    // SAFETY: arena memory of this decode that holds a message of this kind and that nothing else refers to: the slot, its
    // only reference, was emptied above.
    let decode = |at, cx: &mut Context<'arena>, scope| unsafe { kind.merge(place, at, cx, scope) };
    let left = match cx.descend() {
        Ok(()) => {
            // SAFETY: as above.
            let whole = if E::GROUP { None } else { unsafe { kind.merge_whole(place, at, cx) } };
            whole.map_or_else(|| E::enter(decode, merge, tag, at, cx), Ok)
        }
        Err(fault) => Err(fault),
    };
    match left {
        Ok(left) => {
            cx.ascend();
            // From here on it is shared and not written to, unless this decode reopens it, which empties the slot first.
            *slot = Some(place);
            left
        }
        Err(fault) => cx.failed(fault, at.ptr),
    }
}

/// A copy of an earlier occurrence that this decode may write to.
///
/// # Safety
/// `earlier` is a message of this kind.
#[cold]
#[inline(never)]
unsafe fn reopen<'arena, K: Kind<'arena>>(
    kind: K,
    earlier: NonNull<u8>,
    cx: &mut Context<'arena>,
) -> Result<NonNull<u8>, Fault> {
    let address = earlier.addr().get();
    if let Some(found) = cx.find_reopened(address) {
        return NonNull::new(found.ptr).ok_or(Fault::Memory);
    }
    // SAFETY: as required of the caller.
    let copy = unsafe { kind.copy(earlier, cx)? };
    cx.moved(address, copy.addr().get(), kind.size());
    cx.remember_reopened(Reopened { ptr: copy.as_ptr(), capacity: 1, first: (1, 0) })?;
    Ok(copy)
}

/// [`merge_reference`] by a group's or a length-delimited message's enclosure.
///
/// # Safety
/// As there.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) unsafe fn merge_enclosed<'arena, const GROUP: bool, K: Kind<'arena>>(
    kind: K,
    slot: &mut Option<NonNull<u8>>,
    tag: u32,
    at: Cursor,
    cx: &mut Context<'arena>,
) -> Cursor {
    if GROUP {
        // SAFETY: as required of the caller.
        unsafe { merge_reference::<K, Group>(kind, slot, tag, at, cx) }
    } else {
        // SAFETY: as required of the caller.
        unsafe { merge_reference::<K, Delimited>(kind, slot, tag, at, cx) }
    }
}

/// The same for messages of a type, out of line.
#[inline(never)]
pub(crate) fn merge_typed<'arena, const GROUP: bool, M: Message<'arena>>(
    slot: &mut Option<&'arena M>,
    tag: u32,
    at: Cursor,
    cx: &mut Context<'arena>,
) -> Cursor {
    let mut place = slot.take().map(|earlier| NonNull::from(earlier).cast());
    // SAFETY: a message of this type.
    let left = unsafe { merge_enclosed::<GROUP, _>(Of::<M>(PhantomData), &mut place, tag, at, cx) };
    // SAFETY: what is put there is a message of this type, which is not written to while the slot refers to it.
    *slot = place.map(|place| unsafe { place.cast::<M>().as_ref() });
    left
}

/// Reads an occurrence of a message that is held inline.
#[cfg_attr(not(debug_assertions), inline(always))]
fn merge_inline<'arena, M: Message<'arena>, E: Enclosure>(
    slot: &mut Option<M>,
    tag: u32,
    at: Cursor,
    cx: &mut Context<'arena>,
) -> Cursor {
    let merge = slot.is_some();
    let message = if size_of::<M>() <= 128 { slot.get_or_insert_with(M::__unset) } else { inserted(slot) };
    merge_in_place::<M, E>(message, merge, tag, at, cx)
}

/// The message in a slot, unset if there was none. Out of line, because the temporary of a large one would stay in the frame
/// of the caller, once per level of nested messages.
#[inline(never)]
fn inserted<'arena, M: Message<'arena>>(slot: &mut Option<M>) -> &mut M {
    slot.get_or_insert_with(M::__unset)
}

/// The same where the message is.
#[cfg_attr(not(debug_assertions), inline(always))]
fn merge_in_place<'arena, M: Message<'arena>, E: Enclosure>(
    message: &mut M,
    merge: bool,
    tag: u32,
    at: Cursor,
    cx: &mut Context<'arena>,
) -> Cursor {
    let left = match cx.descend() {
        Ok(()) => E::merge(message, merge, tag, at, cx),
        Err(fault) => Err(fault),
    };
    match left {
        Ok(left) => {
            cx.ascend();
            left
        }
        Err(fault) => cx.failed(fault, at.ptr),
    }
}

#[inline(never)]
fn merge_inline_message<'arena, M: Message<'arena>>(
    slot: &mut Option<M>,
    tag: u32,
    at: Cursor,
    cx: &mut Context<'arena>,
) -> Cursor {
    merge_inline::<M, Delimited>(slot, tag, at, cx)
}

#[inline(never)]
fn merge_inline_group<'arena, M: Message<'arena>>(
    slot: &mut Option<M>,
    tag: u32,
    at: Cursor,
    cx: &mut Context<'arena>,
) -> Cursor {
    merge_inline::<M, Group>(slot, tag, at, cx)
}

macro_rules! by_reference {
    ($($(#[$doc:meta])* $shape:ident: $group:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $shape;

        // SAFETY: `merge` reads one occurrence into the field and keeps no copy of what it reads.
        unsafe impl<'arena, M: Message<'arena>> Field<'arena, Option<&'arena M>> for $shape {
            const DEFAULT: Option<&'arena M> = None;

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn merge(
                field: &mut Option<&'arena M>,
                _: &mut UnknownFields<'arena>,
                r: &mut Reader<'_, 'arena>,
                tag: u32,
            ) -> Result<(), Fault> {
                r.call(|at, cx| M::__Code::merge_message::<$group>(field, tag, at, cx))
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn encode<S: Sink<'arena>>(field: &Option<&'arena M>, sink: &mut S, number: u32) {
                if let Some(message) = *field {
                    M::__Code::encode_enclosed::<$group, S>(message, sink, number);
                }
            }
        }
    )*};
}

by_reference! {
    /// A length-delimited message: `Option<&'arena M>`.
    OptionalMessage: false;
    /// A group: `Option<&'arena M>`.
    OptionalGroup: true;
}

/// The shape of a message that is held inline.
///
/// # Safety
/// `merge_in_place` decodes one occurrence into the message and keeps no copy of it.
pub unsafe trait Inline<'arena, M> {
    /// Reads an occurrence where the message is; `merge` says that it occurred before.
    fn merge_in_place(message: &mut M, merge: bool, tag: u32, at: Cursor, cx: &mut Context<'arena>) -> Cursor;

    /// Writes the message where it is.
    fn encode_in_place<S: Sink<'arena>>(message: &M, sink: &mut S, number: u32);
}

macro_rules! inline {
    ($($(#[$doc:meta])* $shape:ident: $enclosure:ident, $merge:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $shape;

        // SAFETY: `merge` reads one occurrence into the field and keeps no copy of what it reads.
        unsafe impl<'arena, M: Message<'arena>> Field<'arena, Option<M>> for $shape {
            const DEFAULT: Option<M> = None;

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn merge(
                field: &mut Option<M>,
                _: &mut UnknownFields<'arena>,
                r: &mut Reader<'_, 'arena>,
                tag: u32,
            ) -> Result<(), Fault> {
                if M::SMALL {
                    return r.call(|at, cx| merge_inline::<M, $enclosure>(field, tag, at, cx));
                }
                r.call(|at, cx| $merge(field, tag, at, cx))
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn encode<S: Sink<'arena>>(field: &Option<M>, sink: &mut S, number: u32) {
                if let Some(message) = field {
                    M::__Code::encode_enclosed::<{ $enclosure::GROUP }, S>(message, sink, number);
                }
            }
        }

        // SAFETY: `merge_in_place` decodes into the message and keeps no copy of it.
        unsafe impl<'arena, M: Message<'arena>> Inline<'arena, M> for $shape {
            #[inline(never)]
            fn merge_in_place(message: &mut M, merge: bool, tag: u32, at: Cursor, cx: &mut Context<'arena>) -> Cursor {
                merge_in_place::<M, $enclosure>(message, merge, tag, at, cx)
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn encode_in_place<S: Sink<'arena>>(message: &M, sink: &mut S, number: u32) {
                M::__Code::encode_enclosed::<{ $enclosure::GROUP }, S>(message, sink, number);
            }
        }
    )*};
}

inline! {
    /// A length-delimited message held inline: `Option<M>`.
    InlineMessage: Delimited, merge_inline_message;
    /// A group held inline: `Option<M>`.
    InlineGroup: Group, merge_inline_group;
}
