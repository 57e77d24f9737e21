//! Messages that are not decoded.
#![expect(unsafe_code, reason = "implements traits that unsafe code relies on")]

use super::field::Field;
use super::nested::Nested;
use super::scalar::Codec;
use super::{Table, tag};
use crate::arena::Arena;
use crate::error::DecodeError;
use crate::lazy::Lazy;
use crate::message::{DecodeOptions, Message};
use crate::unknown::UnknownFields;
use crate::wire::context::{Context, Fault, Limits};
use crate::wire::reader::{Cursor, Reader};
use crate::wire::tag::wire_type;
use crate::wire::writer::Sink;

/// Reads one occurrence.
#[cfg_attr(not(debug_assertions), inline(always))]
fn read<'arena, M>(r: &mut Reader<'_, 'arena>) -> Result<Lazy<'arena, M>, Fault> {
    let bytes = r.message_bytes()?;
    // The message itself is a level.
    let limits = r.cx.limits();
    let depth = limits.depth.checked_sub(1).ok_or(Fault::Recursion)?;
    let options = DecodeOptions::of_rest(Limits { depth, ..limits }, r.cx.budget(), r.cx.keeps_unknown());
    Ok(Lazy::read(bytes, options))
}

/// An element of a repeated field of lazy messages.
#[derive(Debug)]
pub struct LazyMessage;

// SAFETY: `read` takes one value of the Rust type from the reader and keeps no copy of it.
unsafe impl<'arena, M: Message<'arena>> Codec<'arena, Lazy<'arena, M>> for LazyMessage {
    const ZERO: Lazy<'arena, M> = Lazy::EMPTY;
    const WIRE_TYPE: u32 = wire_type::LENGTH_DELIMITED;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn read(
        r: &mut Reader<'_, 'arena>,
        _: &mut UnknownFields<'arena>,
        _: u32,
    ) -> Result<Option<Lazy<'arena, M>>, Fault> {
        read(r).map(Some)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn write<S: Sink<'arena>>(value: Lazy<'arena, M>, sink: &mut S, number: u32) {
        sink.enclosed(tag(number, wire_type::LENGTH_DELIMITED), |sink| value.write(sink));
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn is_zero(value: Lazy<'arena, M>) -> bool {
        value.encoded_len() == 0
    }
}

/// A singular lazy message: `Option<Lazy<'arena, M>>`.
#[derive(Debug)]
pub struct OptionalLazy;

// SAFETY: `merge` reads one occurrence into the field and keeps no copy of what it reads.
unsafe impl<'arena, M: Message<'arena>> Field<'arena, Option<Lazy<'arena, M>>> for OptionalLazy {
    const DEFAULT: Option<Lazy<'arena, M>> = None;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn merge(
        field: &mut Option<Lazy<'arena, M>>,
        _: &mut UnknownFields<'arena>,
        r: &mut Reader<'_, 'arena>,
        _: u32,
    ) -> Result<(), Fault> {
        let more = read(r)?;
        match field {
            None => *field = Some(more),
            Some(earlier) => r.call(|at, cx| append(earlier, more, at, cx))?,
        }
        Ok(())
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn encode<S: Sink<'arena>>(field: &Option<Lazy<'arena, M>>, sink: &mut S, number: u32) {
        if let Some(lazy) = *field {
            LazyMessage::write(lazy, sink, number);
        }
    }
}

#[cold]
#[inline(never)]
fn append<'arena, M>(
    earlier: &mut Lazy<'arena, M>,
    more: Lazy<'arena, M>,
    at: Cursor,
    cx: &mut Context<'arena>,
) -> Cursor {
    match earlier.append(more, cx) {
        Ok(()) => at,
        Err(fault) => cx.failed(fault, at.ptr),
    }
}

impl<'arena, M: Message<'arena>> Nested<'arena, Option<Lazy<'arena, M>>> for OptionalLazy {
    fn table() -> &'static Table {
        M::TABLE
    }
}

/// What the accessor of a singular lazy field returns.
// TRUST: unsafe code does not rely on it: accessors call it with finished messages.
pub trait LazyPresence<'arena, T> {
    /// The message.
    type Target;

    /// Decodes the message, or the default of an unset field.
    ///
    /// # Errors
    /// [`DecodeError`], with the field in its path.
    fn get(field: T, arena: &'arena Arena, table: &'static Table, number: u32) -> Result<Self::Target, DecodeError>;
}

impl<'arena, M: Message<'arena>> LazyPresence<'arena, Option<Lazy<'arena, M>>> for OptionalLazy {
    type Target = M;

    fn get(
        field: Option<Lazy<'arena, M>>,
        arena: &'arena Arena,
        table: &'static Table,
        number: u32,
    ) -> Result<M, DecodeError> {
        let Some(lazy) = field else { return Ok(M::DEFAULT) };
        lazy.get(arena).map_err(|error| error.within(table.short_name(), table.field(number).unwrap_or("")))
    }
}
