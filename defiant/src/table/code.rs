//! The two ways to decode and encode messages, where others call for either.
#![expect(unsafe_code, reason = "leaves the types of messages behind")]

use core::ptr::NonNull;

use bytes::Buf;

use super::child;
use super::encode::Fields;
use super::handlers::{Handlers, Of};
use super::{AnyClass, Tabled};
use crate::arena::Arena;
use crate::codec::{self, Kind, OptionalGroup, OptionalMessage, RepeatedGroup, RepeatedMessage};
use crate::encoder::Encodable;
use crate::error::DecodeError;
use crate::message::{self, DecodeOptions, Input, Message, Place, Target};
use crate::wire::context::{Context, Fault};
use crate::wire::reader::{Cursor, Scope};
use crate::wire::writer::Sink;

/// How messages of type `M` are decoded and encoded.
///
/// Code that is made for each message calls these functions; for messages with tables, they go on in code that is there
/// once.
///
/// # Safety
/// Every function decodes or encodes messages of type `M`, with the contracts of [`Field`](crate::codec::Field). The
/// constants are handlers for fields that hold an `M` in the way that their documentation states.
pub unsafe trait Code<'arena, M: Message<'arena>>: Sized {
    /// What encoders encode.
    type Encodable<'m>: Encodable<'arena>
    where
        M: 'm,
        'arena: 'm;

    /// How tables read and write fields that hold such messages, by reference and in slices.
    const MESSAGE: &'arena Handlers<'arena>;
    /// The same, as a group.
    const GROUP: &'arena Handlers<'arena>;
    /// The same, repeated.
    const MESSAGES: &'arena Handlers<'arena>;
    /// The same, as repeated groups.
    const GROUPS: &'arena Handlers<'arena>;

    /// The message, as encoders take it.
    fn encodable(message: &M) -> Self::Encodable<'_>;

    /// Writes a message in a field.
    fn encode_enclosed<const GROUP: bool, S: Sink<'arena>>(message: &M, sink: &mut S, number: u32);

    /// Reads an occurrence of a singular message that is held by reference.
    fn merge_message<const GROUP: bool>(
        slot: &mut Option<&'arena M>,
        tag: u32,
        at: Cursor,
        cx: &mut Context<'arena>,
    ) -> Cursor;

    /// Reads a run of elements.
    fn merge_messages<const GROUP: bool>(
        slot: &mut &'arena [M],
        tag: u32,
        at: Cursor,
        cx: &mut Context<'arena>,
    ) -> Cursor;

    /// [`DecodeOptions::decode`].
    fn copied(options: &DecodeOptions, wire: &[u8], arena: &'arena Arena, place: &mut Place<M>);

    /// [`DecodeOptions::decode_buf`].
    fn gathered(options: &DecodeOptions, wire: impl Buf, arena: &'arena Arena, place: &mut Place<M>);

    /// [`DecodeOptions::decode_borrowed`].
    fn borrowed(options: &DecodeOptions, wire: &'arena [u8], arena: &'arena Arena, place: &mut Place<M>);

    /// Decodes an input.
    #[cfg(feature = "std")]
    fn input(options: &DecodeOptions, input: Result<Input<'arena>, DecodeError>, place: &mut Place<M>);

    /// [`DecodeOptions::merge`].
    ///
    /// # Errors
    /// As there.
    fn merge(options: &DecodeOptions, message: &mut M, wire: &[u8], arena: &'arena Arena) -> Result<(), DecodeError>;
}

/// By code of its own (`optimize_for = SPEED`).
#[derive(Debug)]
pub enum Compiled {}

// SAFETY: every function decodes or encodes an `M`, and `MESSAGE` to `GROUPS` are handlers for fields that hold one.
unsafe impl<'arena, M: Message<'arena>> Code<'arena, M> for Compiled {
    type Encodable<'m>
        = &'m M
    where
        M: 'm,
        'arena: 'm;

    const MESSAGE: &'arena Handlers<'arena> = Of::<OptionalMessage, Option<&'arena M>>::FIELD;
    const GROUP: &'arena Handlers<'arena> = Of::<OptionalGroup, Option<&'arena M>>::FIELD;
    const MESSAGES: &'arena Handlers<'arena> = Of::<RepeatedMessage, &'arena [M]>::FIELD;
    const GROUPS: &'arena Handlers<'arena> = Of::<RepeatedGroup, &'arena [M]>::FIELD;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn encodable(message: &M) -> &M {
        message
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn encode_enclosed<const GROUP: bool, S: Sink<'arena>>(message: &M, sink: &mut S, number: u32) {
        codec::enclose::<GROUP, S, _>(message, sink, number);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn merge_message<const GROUP: bool>(
        slot: &mut Option<&'arena M>,
        tag: u32,
        at: Cursor,
        cx: &mut Context<'arena>,
    ) -> Cursor {
        codec::merge_typed::<GROUP, M>(slot, tag, at, cx)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn merge_messages<const GROUP: bool>(
        slot: &mut &'arena [M],
        tag: u32,
        at: Cursor,
        cx: &mut Context<'arena>,
    ) -> Cursor {
        codec::merge_messages::<GROUP, M>(slot, tag, at, cx)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn copied(options: &DecodeOptions, wire: &[u8], arena: &'arena Arena, place: &mut Place<M>) {
        message::copied(options, wire, arena, place);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn gathered(options: &DecodeOptions, wire: impl Buf, arena: &'arena Arena, place: &mut Place<M>) {
        message::gathered(options, wire, arena, place);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn borrowed(options: &DecodeOptions, wire: &'arena [u8], arena: &'arena Arena, place: &mut Place<M>) {
        message::borrowed(options, wire, arena, place);
    }

    #[cfg(feature = "std")]
    #[inline(never)]
    fn input(options: &DecodeOptions, input: Result<Input<'arena>, DecodeError>, place: &mut Place<M>) {
        options.write(place, input);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn merge(options: &DecodeOptions, message: &mut M, wire: &[u8], arena: &'arena Arena) -> Result<(), DecodeError> {
        message::merged(options, message, wire, arena)
    }
}

/// By a table (`optimize_for = CODE_SIZE`).
#[derive(Debug)]
pub enum ByTable {}

// SAFETY: every function decodes or encodes an `M`, and `MESSAGE` to `GROUPS` are handlers for fields that hold one.
unsafe impl<'arena, M: Tabled<'arena>> Code<'arena, M> for ByTable {
    type Encodable<'m>
        = Fields<'m, 'arena>
    where
        M: 'm,
        'arena: 'm;

    const MESSAGE: &'arena Handlers<'arena> = &child::reference::<false>(class_of::<M>);
    const GROUP: &'arena Handlers<'arena> = &child::reference::<true>(class_of::<M>);
    const MESSAGES: &'arena Handlers<'arena> = &child::slice::<false, RepeatedMessage, M>(class_of::<M>);
    const GROUPS: &'arena Handlers<'arena> = &child::slice::<true, RepeatedGroup, M>(class_of::<M>);

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn encodable(message: &M) -> Fields<'_, 'arena> {
        Fields::of(message)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn encode_enclosed<const GROUP: bool, S: Sink<'arena>>(message: &M, sink: &mut S, number: u32) {
        let fields = Fields::of(message);
        sink.call(|sink| encode_enclosed::<GROUP, _>(fields, sink, number));
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn merge_message<const GROUP: bool>(
        slot: &mut Option<&'arena M>,
        tag: u32,
        at: Cursor,
        cx: &mut Context<'arena>,
    ) -> Cursor {
        let slot = core::ptr::from_mut(slot).cast::<Option<NonNull<u8>>>();
        // SAFETY: a reference that may be missing has the form of a pointer that may be missing; what the function puts
        // there is a message of the class, which is not written to while the slot refers to it.
        let slot = unsafe { &mut *slot };
        // SAFETY: the class is that of `M`.
        unsafe { merge_message::<GROUP>(M::CLASS.any(), slot, tag, at, cx) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn merge_messages<const GROUP: bool>(
        slot: &mut &'arena [M],
        tag: u32,
        at: Cursor,
        cx: &mut Context<'arena>,
    ) -> Cursor {
        codec::merge_messages::<GROUP, M>(slot, tag, at, cx)
    }

    #[inline(never)]
    fn copied(options: &DecodeOptions, wire: &[u8], arena: &'arena Arena, place: &mut Place<M>) {
        let outcome = copied(options, wire, arena, unset(place));
        finish(place, outcome);
    }

    #[inline(never)]
    fn gathered(options: &DecodeOptions, mut wire: impl Buf, arena: &'arena Arena, place: &mut Place<M>) {
        let input = Input::gather(&mut wire, arena, options);
        let outcome = decode_input(options, unset(place), input, false);
        finish(place, outcome);
    }

    #[inline(never)]
    fn borrowed(options: &DecodeOptions, wire: &'arena [u8], arena: &'arena Arena, place: &mut Place<M>) {
        let outcome = decode_input(options, unset(place), Input::borrow(wire, arena, options), false);
        finish(place, outcome);
    }

    #[cfg(feature = "std")]
    #[inline(never)]
    fn input(options: &DecodeOptions, input: Result<Input<'arena>, DecodeError>, place: &mut Place<M>) {
        let outcome = decode_input(options, unset(place), input, false);
        finish(place, outcome);
    }

    fn merge(options: &DecodeOptions, message: &mut M, wire: &[u8], arena: &'arena Arena) -> Result<(), DecodeError> {
        let mut copy = *message;
        let target = AnyTarget {
            class: M::CLASS.any(),
            message: NonNull::from(&mut copy).cast(),
            original: NonNull::from(&*message).cast(),
        };
        decode_input(options, target, Input::copy(wire, 0, arena, options), true)?;
        *message = copy;
        Ok(())
    }
}

fn class_of<'arena, M: Tabled<'arena>>() -> &'arena AnyClass<'arena> {
    M::CLASS.any()
}

/// A message with nothing set in the place of the result.
#[cfg_attr(not(debug_assertions), inline(always))]
fn unset<'arena, M: Tabled<'arena>>(place: &mut Place<M>) -> AnyTarget<'arena> {
    let class = M::CLASS.any();
    let Ok(message) = place.write(Ok(M::DEFAULT)) else { unreachable!("written just now") };
    AnyTarget { class, message: NonNull::from(message).cast(), original: class.default }
}

/// Writes the error of a decode.
#[cfg_attr(not(debug_assertions), inline(always))]
fn finish<M>(place: &mut Place<M>, outcome: Result<(), DecodeError>) {
    if let Err(error) = outcome {
        // Nothing to drop: what is there is a message.
        place.write(Err(error));
    }
}

#[inline(never)]
fn copied<'arena>(
    options: &DecodeOptions,
    wire: &[u8],
    arena: &'arena Arena,
    target: AnyTarget<'arena>,
) -> Result<(), DecodeError> {
    decode_input(options, target, Input::copy_aligned(wire, arena, options), false)
}

#[inline(never)]
pub(super) fn decode_input<'arena>(
    options: &DecodeOptions,
    mut target: AnyTarget<'arena>,
    input: Result<Input<'arena>, DecodeError>,
    merge: bool,
) -> Result<(), DecodeError> {
    options.decode_input(&mut target, input?, merge)
}

/// # Safety
/// The slot is one for messages of the class.
#[inline(never)]
pub(super) unsafe fn merge_message<'arena, const GROUP: bool>(
    class: &'arena AnyClass<'arena>,
    slot: &mut Option<NonNull<u8>>,
    tag: u32,
    at: Cursor,
    cx: &mut Context<'arena>,
) -> Cursor {
    // SAFETY: as required of the caller.
    unsafe { codec::merge_enclosed::<GROUP, _>(OfClass(class), slot, tag, at, cx) }
}

#[inline(never)]
pub(super) fn encode_enclosed<'arena, const GROUP: bool, S: Sink<'arena>>(
    fields: Fields<'_, 'arena>,
    mut sink: S,
    number: u32,
) -> S {
    codec::enclose::<GROUP, S, _>(fields, &mut sink, number);
    sink
}

/// Messages of a class, for what decodes messages in fields.
#[derive(Clone, Copy)]
pub(super) struct OfClass<'arena>(pub(super) &'arena AnyClass<'arena>);

impl<'arena> Kind<'arena> for OfClass<'arena> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn size(self) -> usize {
        self.0.layout.size()
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn alloc(self, cx: &mut Context<'arena>) -> Result<NonNull<u8>, Fault> {
        // SAFETY: the class has one of its messages.
        unsafe { self.copy(self.0.default, cx) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn copy(self, earlier: NonNull<u8>, cx: &mut Context<'arena>) -> Result<NonNull<u8>, Fault> {
        let place = cx.alloc(self.0.layout).ok_or(Fault::Memory)?;
        // SAFETY: a message of the class, and fresh memory for one.
        unsafe { place.copy_from_nonoverlapping(earlier, self.0.layout.size()) };
        Ok(place)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn merge(self, message: NonNull<u8>, at: Cursor, cx: &mut Context<'arena>, scope: Scope) -> Cursor {
        // SAFETY: as required of the caller.
        unsafe { self.0.merge(message, at, cx, scope) }
    }
}

/// A message of a class that is decoded into.
///
/// Invariant: `message` is one of the class, which nothing else refers to; `original` is one of it.
pub(super) struct AnyTarget<'arena> {
    pub(super) class: &'arena AnyClass<'arena>,
    pub(super) message: NonNull<u8>,
    pub(super) original: NonNull<u8>,
}

impl<'arena> Target<'arena> for AnyTarget<'arena> {
    #[inline]
    fn merge(&mut self, at: Cursor, cx: &mut Context<'arena>, scope: Scope) -> Cursor {
        // SAFETY: the invariant.
        unsafe { self.class.merge(self.message, at, cx, scope) }
    }

    fn restore(&mut self) {
        // SAFETY: two messages of the class, of which one is the target's own.
        unsafe { self.message.copy_from_nonoverlapping(self.original, self.class.layout.size()) };
    }
}
