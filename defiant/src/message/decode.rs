//! From an input to a message, whichever door it came through.
#![expect(unsafe_code, reason = "decodes in the caller's place, and rolls back")]

use core::mem::MaybeUninit;

use bytes::Buf;

use super::input::{Input, LARGE, lead};
use super::{DecodeOptions, Message};
use crate::arena::Arena;
use crate::codec::OnDemand;
use crate::error::DecodeError;
use crate::map;
use crate::table::Code;
use crate::try_box::try_box;
use crate::wire::context::{Context, Fault, Incomplete};
use crate::wire::reader::{Cursor, Scope};

impl DecodeOptions {
    /// Decodes a message of `len` bytes that `fill` reads piece by piece. Each piece is zero before. When `fill` returns
    /// `false`, the result is any error.
    #[cfg(feature = "std")]
    pub(crate) fn decode_filled<'arena, M: Message<'arena>>(
        self,
        len: usize,
        arena: &'arena Arena,
        fill: &mut dyn FnMut(&mut [u8]) -> bool,
    ) -> Result<M, DecodeError> {
        let input = Input::filled(len, arena, &self, fill);
        in_place(|place| M::__Code::input(&self, input, place))
    }

    /// Decodes an input and writes the result.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn write<'arena, M: Message<'arena>>(
        &self,
        place: &mut Place<M>,
        input: Result<Input<'arena>, DecodeError>,
    ) {
        let input = match input {
            Ok(input) => input,
            Err(error) => {
                place.write(Err(error));
                return;
            }
        };
        let Ok(message) = place.write(Ok(M::__unset())) else { return };
        if let Err(error) = self.decode_input(&mut Unset(message), input, false) {
            // Nothing to drop: what is there is a message.
            place.write(Err(error));
        }
    }

    /// Decodes an input into a message. On failure the message is what it was before, and the memory is given back.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn decode_input<'arena>(
        &self,
        target: &mut impl Target<'arena>,
        input: Input<'arena>,
        merge: bool,
    ) -> Result<(), DecodeError> {
        let padded = input.padded;
        let (mut cx, at) = self.begin(input);
        let left = target.merge(at, &mut cx, Scope::message().merging(merge));
        match outcome(&mut cx, left) {
            Ok(()) => Ok(()),
            Err(error) => {
                target.restore();
                self.try_again(error, target, &mut cx, padded, merge)
            }
        }
    }

    /// Decodes once more if a required field was missing. A singular message may occur again and bring it, which is so
    /// rare that only then a decode waits for it. In vain, one more decode finds the path of the first that is missing.
    /// What fails in the end gives its memory back.
    #[cold]
    #[inline(never)]
    fn try_again<'arena>(
        &self,
        error: DecodeError,
        target: &mut impl Target<'arena>,
        cx: &mut Context<'arena>,
        padded: bool,
        merge: bool,
    ) -> Result<(), DecodeError> {
        let mut error = error;
        let mut run = |target: &mut _, incomplete| {
            // SAFETY: the callers pass what they said of the input before.
            let at = unsafe { cx.restart(padded, self.limits) };
            cx.incomplete = Some(try_box(incomplete).ok_or_else(|| DecodeError::at(Fault::Memory, 0))?);
            let left = Target::merge(target, at, cx, Scope::message().merging(merge));
            outcome(cx, left)
        };
        if error.is_missing_required() {
            match run(target, Incomplete::default()) {
                Ok(()) => return Ok(()),
                Err(again) => error = again,
            }
            target.restore();
            if error.is_missing_required() && error.path().is_empty() {
                error = run(target, Incomplete::stopping_at(error.offset())).err().unwrap_or(error);
                target.restore();
            }
        }
        // SAFETY: the target is again what it was before the first attempt, and an error holds nothing of the arena.
        unsafe { cx.roll_back() };
        Err(error)
    }

    /// Runs a decoder over an input of `len` bytes that a function puts together: the value as it is then.
    ///
    /// The decoder is a plain function so that on failure nothing it made is left outside of the value.
    pub(crate) fn run_filled<'arena, T>(
        self,
        unset: fn() -> T,
        len: usize,
        arena: &'arena Arena,
        fill: impl FnOnce(&mut [u8]),
        decode: fn(&mut T, Cursor, &mut Context<'arena>) -> Cursor,
    ) -> Result<T, DecodeError> {
        let input = Input::room(len, 0, arena, &self)?;
        let base = input.base.cast_mut();
        // SAFETY: the `len` bytes of fresh memory before the slack.
        unsafe { base.write_bytes(0, len) };
        // SAFETY: initialised just now, and nothing else refers to them.
        fill(unsafe { core::slice::from_raw_parts_mut(base, len) });
        let mut target = Filled { value: unset(), unset, decode };
        self.decode_input(&mut target, input, false)?;
        Ok(target.value)
    }

    /// What a decode of an input shares, and the input's beginning.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn begin<'arena>(&self, input: Input<'arena>) -> (Context<'arena>, Cursor) {
        let Input { base, len, padded, arena, mark, budget } = input;
        // SAFETY: an `Input` is only made below: of a slice that lives for 'arena, or of arena memory with its padding,
        // which nothing writes to any more.
        unsafe { Context::new(base, len, padded, arena, mark, budget, self.limits, self.unknown_fields) }
    }
}

/// A message that is decoded into.
///
/// Nothing outside of the message holds what a decode made, so after [`restore`](Self::restore) nothing does. A panic of the
/// user's code, as of an enum's, restores nothing: nobody may see a message after that, so one that is merged into is a copy.
pub(crate) trait Target<'arena> {
    /// Decodes into it.
    fn merge(&mut self, at: Cursor, cx: &mut Context<'arena>, scope: Scope) -> Cursor;

    /// Makes it what it was before.
    fn restore(&mut self);
}

/// A message that had nothing set.
struct Unset<'p, M>(&'p mut M);

impl<'arena, M: Message<'arena>> Target<'arena> for Unset<'_, M> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn merge(&mut self, at: Cursor, cx: &mut Context<'arena>, scope: Scope) -> Cursor {
        self.0.__merge::<OnDemand>(at, cx, scope)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn restore(&mut self) {
        *self.0 = M::__unset();
    }
}

/// Something that a function decodes into.
struct Filled<'arena, T> {
    value: T,
    unset: fn() -> T,
    decode: fn(&mut T, Cursor, &mut Context<'arena>) -> Cursor,
}

impl<'arena, T> Target<'arena> for Filled<'arena, T> {
    fn merge(&mut self, at: Cursor, cx: &mut Context<'arena>, _: Scope) -> Cursor {
        (self.decode)(&mut self.value, at, cx)
    }

    fn restore(&mut self) {
        self.value = (self.unset)();
    }
}

/// A copy of another message.
struct Copied<'p, M> {
    message: M,
    original: &'p M,
}

impl<'arena, M: Message<'arena>> Target<'arena> for Copied<'_, M> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn merge(&mut self, at: Cursor, cx: &mut Context<'arena>, scope: Scope) -> Cursor {
        self.message.__merge::<OnDemand>(at, cx, scope)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn restore(&mut self) {
        self.message = *self.original;
    }
}

/// Decodes into a message.
pub(crate) fn merged<'arena, M: Message<'arena>>(
    options: &DecodeOptions,
    message: &mut M,
    wire: &[u8],
    arena: &'arena Arena,
) -> Result<(), DecodeError> {
    let input = Input::copy(wire, 0, arena, options)?;
    let mut target = Copied { message: *message, original: message };
    options.decode_input(&mut target, input, true)?;
    *message = target.message;
    Ok(())
}

/// How a decode that ended at `left` came out. On success its memory is kept.
#[cfg_attr(not(debug_assertions), inline(always))]
fn outcome(cx: &mut Context<'_>, left: Cursor) -> Result<(), DecodeError> {
    if left.is_failed() {
        return Err(DecodeError::new(cx.take_record()));
    }
    if let Err(fault) = finish(cx) {
        return Err(DecodeError::at(fault, cx.wire().len()));
    }
    if let Some(end) = cx.incomplete.as_deref().and_then(Incomplete::first) {
        return Err(DecodeError::at(Fault::Missing, end));
    }
    cx.keep();
    Ok(())
}

/// Sorts the maps.
#[cfg_attr(not(debug_assertions), inline(always))]
fn finish(cx: &mut Context<'_>) -> Result<(), Fault> {
    if cx.pending_map.is_some() { map::finish(cx) } else { Ok(()) }
}

/// Where a result is to be: with the caller. A message may be hundreds of bytes, and one that is returned is copied.
pub(crate) type Place<M> = MaybeUninit<Result<M, DecodeError>>;

/// Has a message decoded in the place of the result.
///
/// What calls this stays a function of its own: its `place` is then that of its own caller. Inlined further it would be
/// another one, of which the result is copied.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn in_place<M>(decode: impl FnOnce(&mut Place<M>)) -> Result<M, DecodeError> {
    let mut place = MaybeUninit::uninit();
    decode(&mut place);
    // SAFETY: the functions below and `DecodeOptions::write`, which are all that this is called with, write a result.
    unsafe { place.assume_init() }
}

#[inline(never)]
pub(super) fn decode_copied<'arena, M: Message<'arena>>(
    options: &DecodeOptions,
    wire: &[u8],
    arena: &'arena Arena,
) -> Result<M, DecodeError> {
    in_place(|place| M::__Code::copied(options, wire, arena, place))
}

#[inline(never)]
pub(super) fn decode_gathered<'arena, M: Message<'arena>>(
    options: &DecodeOptions,
    wire: impl Buf,
    arena: &'arena Arena,
) -> Result<M, DecodeError> {
    in_place(|place| M::__Code::gathered(options, wire, arena, place))
}

#[inline(never)]
pub(super) fn decode_borrowed<'arena, M: Message<'arena>>(
    options: &DecodeOptions,
    wire: &'arena [u8],
    arena: &'arena Arena,
) -> Result<M, DecodeError> {
    in_place(|place| M::__Code::borrowed(options, wire, arena, place))
}

#[inline(never)]
pub(crate) fn copied<'arena, M: Message<'arena>>(
    options: &DecodeOptions,
    wire: &[u8],
    arena: &'arena Arena,
    place: &mut Place<M>,
) {
    if wire.len() >= LARGE {
        return copied_large(options, wire, arena, place);
    }
    options.write(place, Input::copy(wire, 0, arena, options));
}

#[inline(never)]
fn copied_large<'arena, M: Message<'arena>>(
    options: &DecodeOptions,
    wire: &[u8],
    arena: &'arena Arena,
    place: &mut Place<M>,
) {
    options.write(place, Input::copy(wire, lead(wire, wire.len()), arena, options));
}

#[inline(never)]
pub(crate) fn gathered<'arena, M: Message<'arena>>(
    options: &DecodeOptions,
    mut wire: impl Buf,
    arena: &'arena Arena,
    place: &mut Place<M>,
) {
    options.write(place, Input::gather(&mut wire, arena, options));
}

#[inline(never)]
pub(crate) fn borrowed<'arena, M: Message<'arena>>(
    options: &DecodeOptions,
    wire: &'arena [u8],
    arena: &'arena Arena,
    place: &mut Place<M>,
) {
    options.write(place, Input::borrow(wire, arena, options));
}
