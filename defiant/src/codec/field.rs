//! Singular fields of scalar, string, bytes and enum type.
#![expect(unsafe_code, reason = "implements traits that unsafe code relies on")]

use core::marker::PhantomData;

use super::scalar::Codec;
use crate::unknown::UnknownFields;
use crate::wire::context::Fault;
use crate::wire::reader::Reader;
use crate::wire::writer::Sink;

/// A field of Rust type `T`: a codec inside a cardinality and presence.
///
/// # Safety
/// `merge` decodes one occurrence into the field. It keeps no copy of what it reads outside of the field and the unknown
/// fields, because the decode may still change or free that memory.
pub unsafe trait Field<'arena, T> {
    /// The value of the unset field.
    const DEFAULT: T;

    /// Reads an occurrence behind its tag.
    ///
    /// # Errors
    /// [`Fault`] when it is malformed.
    fn merge(
        field: &mut T,
        unknown: &mut UnknownFields<'arena>,
        r: &mut Reader<'_, 'arena>,
        tag: u32,
    ) -> Result<(), Fault>;

    /// Writes the field, if it is set.
    fn encode<S: Sink<'arena>>(field: &T, sink: &mut S, number: u32);
}

/// A field that may stand packed on the wire.
///
/// # Safety
/// As of [`Field`], for `merge_packed`.
pub unsafe trait PackedField<'arena, T>: Field<'arena, T> {
    /// Reads a packed occurrence behind its tag.
    ///
    /// # Errors
    /// [`Fault`] when it is malformed.
    fn merge_packed(
        field: &mut T,
        unknown: &mut UnknownFields<'arena>,
        r: &mut Reader<'_, 'arena>,
        tag: u32,
    ) -> Result<(), Fault>;
}

/// Implicit presence: `T`, written unless zero.
#[derive(Debug)]
pub struct Implicit<C>(PhantomData<C>);

// SAFETY: `merge` reads one occurrence into the field and keeps no copy of what it reads.
unsafe impl<'arena, T: Copy, C: Codec<'arena, T>> Field<'arena, T> for Implicit<C> {
    const DEFAULT: T = C::ZERO;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn merge(
        field: &mut T,
        unknown: &mut UnknownFields<'arena>,
        r: &mut Reader<'_, 'arena>,
        tag: u32,
    ) -> Result<(), Fault> {
        C::read_into(r, unknown, tag, |value| *field = value).map(|_| ())
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn encode<S: Sink<'arena>>(field: &T, sink: &mut S, number: u32) {
        if !C::is_zero(*field) {
            C::write(*field, sink, number);
        }
    }
}

/// Explicit presence: `Option<T>`.
#[derive(Debug)]
pub struct Optional<C>(PhantomData<C>);

// SAFETY: `merge` reads one occurrence into the field and keeps no copy of what it reads.
unsafe impl<'arena, T: Copy, C: Codec<'arena, T>> Field<'arena, Option<T>> for Optional<C> {
    const DEFAULT: Option<T> = None;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn merge(
        field: &mut Option<T>,
        unknown: &mut UnknownFields<'arena>,
        r: &mut Reader<'_, 'arena>,
        tag: u32,
    ) -> Result<(), Fault> {
        C::read_into(r, unknown, tag, |value| *field = Some(value)).map(|_| ())
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn encode<S: Sink<'arena>>(field: &Option<T>, sink: &mut S, number: u32) {
        if let Some(value) = *field {
            C::write(value, sink, number);
        }
    }
}

/// Required: `T`, always written; the derive checks that it was read.
#[derive(Debug)]
pub struct Required<C>(PhantomData<C>);

impl<C> Required<C> {
    /// Reads an occurrence behind its tag; `false` when it left the field as it was: a number that a closed enum does
    /// not have.
    ///
    /// # Errors
    /// [`Fault`] when it is malformed.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn read<'arena, T: Copy>(
        field: &mut T,
        unknown: &mut UnknownFields<'arena>,
        r: &mut Reader<'_, 'arena>,
        tag: u32,
    ) -> Result<bool, Fault>
    where
        C: Codec<'arena, T>,
    {
        C::read_into(r, unknown, tag, |value| *field = value)
    }
}

// SAFETY: `merge` reads one occurrence into the field and keeps no copy of what it reads.
unsafe impl<'arena, T: Copy, C: Codec<'arena, T>> Field<'arena, T> for Required<C> {
    const DEFAULT: T = C::ZERO;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn merge(
        field: &mut T,
        unknown: &mut UnknownFields<'arena>,
        r: &mut Reader<'_, 'arena>,
        tag: u32,
    ) -> Result<(), Fault> {
        Self::read(field, unknown, r, tag).map(|_| ())
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn encode<S: Sink<'arena>>(field: &T, sink: &mut S, number: u32) {
        C::write(*field, sink, number);
    }
}
