//! Singular messages and groups.
#![expect(unsafe_code, reason = "decodes into arena memory that a shared reference will point to")]

use core::ptr::NonNull;

use super::field::{Field, Presence};
use super::{Delimited, Enclosure, Group};
use crate::message::Message;
use crate::unknown::UnknownFields;
use crate::wire::context::{Context, Fault, Reopened};
use crate::wire::reader::{Cursor, Reader};
use crate::wire::writer::Sink;

/// Reads an occurrence of a singular message that is held by reference.
///
/// A first occurrence is decoded in its final place. A second one copies the message into memory that this decode
/// may write to and remembers so; all further ones are decoded there, so that the cost stays linear.
#[inline(always)]
fn merge_reference<'arena, M: Message<'arena>, E: Enclosure>(
    slot: &mut Option<&'arena M>,
    tag: u32,
    at: Cursor,
    cx: &mut Context<'arena>,
) -> Cursor {
    let (mut place, merge) = match slot.take() {
        None => match cx.alloc_with(M::__unset) {
            Ok(place) => (place, false),
            Err(fault) => return cx.failed(fault, at.ptr),
        },
        Some(earlier) => match reopen(earlier, cx) {
            Ok(place) => (place, true),
            Err(fault) => return cx.failed(fault, at.ptr),
        },
    };
    // SAFETY: arena memory of this decode that holds an M and that nothing else refers to: the slot, its only
    // reference, was emptied above.
    let message = unsafe { place.as_mut() };
    let left = match cx.descend() {
        Ok(()) => E::merge(message, merge, tag, at, cx),
        Err(fault) => Err(fault),
    };
    match left {
        Ok(left) => {
            cx.ascend();
            // SAFETY: as above; from here on it is shared and not written to, unless this decode reopens it, which
            // empties the slot first.
            *slot = Some(unsafe { place.as_ref() });
            left
        }
        Err(fault) => cx.failed(fault, at.ptr),
    }
}

/// A copy of an earlier occurrence that this decode may write to.
#[cold]
#[inline(never)]
fn reopen<'arena, M: Message<'arena>>(earlier: &'arena M, cx: &mut Context<'arena>) -> Result<NonNull<M>, Fault> {
    let address = core::ptr::from_ref(earlier).addr();
    if let Some(found) = cx.find_reopened(address) {
        return NonNull::new(found.ptr.cast()).ok_or(Fault::Memory);
    }
    let copy = cx.alloc_value(*earlier)?;
    cx.moved(address, copy.addr().get());
    cx.remember_reopened(Reopened { ptr: copy.as_ptr().cast(), capacity: 1, first: (1, 0) })?;
    Ok(copy)
}

#[inline(never)]
fn merge_message<'arena, M: Message<'arena>>(
    slot: &mut Option<&'arena M>,
    tag: u32,
    at: Cursor,
    cx: &mut Context<'arena>,
) -> Cursor {
    merge_reference::<M, Delimited>(slot, tag, at, cx)
}

#[inline(never)]
fn merge_group<'arena, M: Message<'arena>>(
    slot: &mut Option<&'arena M>,
    tag: u32,
    at: Cursor,
    cx: &mut Context<'arena>,
) -> Cursor {
    merge_reference::<M, Group>(slot, tag, at, cx)
}

/// Reads an occurrence of a message that is held inline.
#[inline(always)]
fn merge_inline<'arena, M: Message<'arena>, E: Enclosure>(
    slot: &mut Option<M>,
    tag: u32,
    at: Cursor,
    cx: &mut Context<'arena>,
) -> Cursor {
    let merge = slot.is_some();
    let message = slot.get_or_insert_with(M::__unset);
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
    ($($(#[$doc:meta])* $shape:ident: $enclosure:ident, $merge:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $shape;

        impl<'arena, M: Message<'arena>> Field<'arena, Option<&'arena M>> for $shape {
            const DEFAULT: Option<&'arena M> = None;

            #[inline(always)]
            fn merge(
                field: &mut Option<&'arena M>,
                _: &mut UnknownFields<'arena>,
                r: &mut Reader<'_, 'arena>,
                tag: u32,
            ) -> Result<(), Fault> {
                r.call(|at, cx| $merge(field, tag, at, cx))
            }

            #[inline(always)]
            fn encode<S: Sink<'arena>>(field: &Option<&'arena M>, sink: &mut S, number: u32) {
                if let Some(message) = *field {
                    $enclosure::encode(message, sink, number);
                }
            }
        }

        impl<'arena, M: Message<'arena>> Presence<'arena, Option<&'arena M>> for $shape {
            type Target = &'arena M;

            #[inline(always)]
            fn zero() -> &'arena M {
                M::default_ref()
            }

            #[inline(always)]
            fn or(field: Option<&'arena M>, default: &'arena M) -> &'arena M {
                field.unwrap_or(default)
            }
        }
    )*};
}

by_reference! {
    /// A length-delimited message: `Option<&'arena M>`.
    OptionalMessage: Delimited, merge_message;
    /// A group: `Option<&'arena M>`.
    OptionalGroup: Group, merge_group;
}

macro_rules! inline {
    ($($(#[$doc:meta])* $shape:ident: $enclosure:ident, $merge:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $shape;

        impl<'arena, M: Message<'arena>> Field<'arena, Option<M>> for $shape {
            const DEFAULT: Option<M> = None;

            #[inline(always)]
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

            #[inline(always)]
            fn encode<S: Sink<'arena>>(field: &Option<M>, sink: &mut S, number: u32) {
                if let Some(message) = field {
                    $enclosure::encode(message, sink, number);
                }
            }
        }

        impl<'arena, M: Message<'arena>> Presence<'arena, Option<M>> for $shape {
            type Target = M;

            #[inline(always)]
            fn zero() -> M {
                M::DEFAULT
            }

            #[inline(always)]
            fn or(field: Option<M>, default: M) -> M {
                field.unwrap_or(default)
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
