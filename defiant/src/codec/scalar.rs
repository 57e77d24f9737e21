//! Scalars, strings, bytes and enums.
//!
//! Source: <https://protobuf.dev/programming-guides/encoding/#ints>.
#![expect(unsafe_code, reason = "passes pointers on to the kernels of packed fields")]

use core::mem::MaybeUninit;

use crate::enumeration::Enumeration;
use crate::unknown::{self, UnknownFields};
use crate::wire::context::Fault;
use crate::wire::packed::{self, Decoded, Element};
use crate::wire::reader::{Reader, Text};
use crate::wire::tag::wire_type;
use crate::wire::varint;
use crate::wire::writer::Sink;

/// How one protobuf type reads and writes values of the Rust type `V`.
///
/// # Safety
/// The reading functions take one value from the reader. They keep no copy of it outside of the result and the unknown
/// fields, because the decode may still free its memory.
pub unsafe trait Codec<'arena, V> {
    /// The value of an absent field.
    const ZERO: V;
    /// The wire type of a single value.
    const WIRE_TYPE: u32;

    /// Reads a value behind its tag; `None` for one that the Rust type does not have, which went to the unknown fields:
    /// a number of a closed enum, a string that is not UTF-8.
    ///
    /// # Errors
    /// [`Fault`] when the value is malformed.
    fn read(r: &mut Reader<'_, 'arena>, unknown: &mut UnknownFields<'arena>, tag: u32) -> Result<Option<V>, Fault>;

    /// The same for a value in a map's entry: what the Rust type does not have is kept with the whole entry, or not at all.
    ///
    /// # Errors
    /// As there.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn read_in_entry(r: &mut Reader<'_, 'arena>, tag: u32) -> Result<Option<V>, Fault> {
        let mut none = UnknownFields::EMPTY;
        Self::read(r, &mut none, tag)
    }

    /// Reads a value behind its tag and puts it where it belongs; `false` where [`read`](Self::read) gives `None`.
    ///
    /// # Errors
    /// As there.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn read_into(
        r: &mut Reader<'_, 'arena>,
        unknown: &mut UnknownFields<'arena>,
        tag: u32,
        mut put: impl FnMut(V),
    ) -> Result<bool, Fault> {
        let read = Self::read(r, unknown, tag)?;
        Ok(read.map(&mut put).is_some())
    }

    /// Writes a value and its tag.
    fn write<S: Sink<'arena>>(value: V, sink: &mut S, number: u32);

    /// Whether an implicit field of this value is left out. Negative zero is not zero.
    fn is_zero(value: V) -> bool;
}

/// A codec whose values may be packed.
///
/// # Safety
/// `decode_run` initializes as many values as `Decoded` says. Unless `FIXED` is 0, `V` is an integer or float of `FIXED`
/// bytes.
pub unsafe trait Packable<'arena, V>: Codec<'arena, V> {
    /// Bytes of a value if that is always the same, and its Rust type has just these bytes in memory; else 0.
    const FIXED: usize;

    /// The value of a varint or of fixed-width bits; `None` for a number that a closed enum does not have.
    fn from_bits(bits: u64) -> Option<V>;

    /// The bits to write.
    fn to_bits(value: V) -> u64;

    /// Decodes the varints of a packed run that begin before `stop`, as long as there is room for `room` values at `out`;
    /// `reject` takes the bits of those for which there is no value.
    ///
    /// # Errors
    /// What `reject` gives.
    ///
    /// # Safety
    /// The codec is of varints; `at` is readable up to `stop` and SLACK bytes behind it; `room` values may be written.
    unsafe fn decode_run(
        at: *const u8,
        stop: *const u8,
        out: *mut V,
        room: usize,
        reject: &mut dyn FnMut(u64) -> Result<(), Fault>,
    ) -> Result<Decoded, Fault>;

    /// Writes the varints of a packed run.
    fn write_run<S: Sink<'arena>>(values: &[V], sink: &mut S);
}

macro_rules! varints {
    ($($(#[$doc:meta])* $codec:ident: $value:ty, $zero:expr, |$bits:ident| $from:expr, |$number:ident| $to:expr, $size:expr $(, zigzag: $zigzag:literal)?;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $codec;

        // SAFETY: `read` takes one value of the Rust type from the reader and keeps no copy of it.
        unsafe impl<'arena> Codec<'arena, $value> for $codec {
            const ZERO: $value = $zero;
            const WIRE_TYPE: u32 = wire_type::VARINT;

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn read(
                r: &mut Reader<'_, 'arena>,
                _: &mut UnknownFields<'arena>,
                _: u32,
            ) -> Result<Option<$value>, Fault> {
                let $bits = r.varint()?;
                Ok(Some($from))
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn read_into(
                r: &mut Reader<'_, 'arena>,
                _: &mut UnknownFields<'arena>,
                _: u32,
                mut put: impl FnMut($value),
            ) -> Result<bool, Fault> {
                r.varint_into(|$bits| put($from)).map(|()| true)
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn write<S: Sink<'arena>>($number: $value, sink: &mut S, number: u32) {
                sink.varint(super::tag(number, wire_type::VARINT), $to);
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn is_zero(value: $value) -> bool {
                value == $zero
            }
        }

        // SAFETY: `decode_run` writes as many values as it says, and `FIXED` is the size of the Rust type or 0.
        unsafe impl<'arena> Packable<'arena, $value> for $codec {
            const FIXED: usize = 0;

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn from_bits($bits: u64) -> Option<$value> {
                Some($from)
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn to_bits($number: $value) -> u64 {
                $to
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            unsafe fn decode_run(
                at: *const u8,
                stop: *const u8,
                out: *mut $value,
                room: usize,
                _: &mut dyn FnMut(u64) -> Result<(), Fault>,
            ) -> Result<Decoded, Fault> {
                // SAFETY: as required of the caller.
                Ok(unsafe { packed::decode_run::<Self>(at, stop, out, room) })
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn write_run<S: Sink<'arena>>(values: &[$value], sink: &mut S) {
                sink.raw_varints::<Self>(values);
            }
        }

        impl Element for $codec {
            type Value = $value;
            $(const ZIGZAG: bool = $zigzag;)?

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn from_bits($bits: u64) -> $value {
                $from
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn to_bits($number: $value) -> u64 {
                $to
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn size($number: $value) -> u32 {
                $size
            }
        }
    )*};
}

varints! {
    /// `int32`: negative numbers take ten bytes.
    Int32: i32, 0, |bits| bits as i32, |value| i64::from(value) as u64,
        packed::size_32(value as u32) + 5 * (value as u32 >> 31);
    /// `int64`.
    Int64: i64, 0, |bits| bits as i64, |value| value as u64, varint::len(value as u64) as u32;
    /// `uint32`.
    Uint32: u32, 0, |bits| bits as u32, |value| u64::from(value), packed::size_32(value);
    /// `uint64`.
    Uint64: u64, 0, |bits| bits, |value| value, varint::len(value) as u32;
    /// `sint32`, zigzag.
    Sint32: i32, 0, |bits| (bits as u32 >> 1) as i32 ^ -((bits & 1) as i32), |value| u64::from((value << 1 ^ value >> 31) as u32),
        packed::size_32((value << 1 ^ value >> 31) as u32), zigzag: true;
    /// `sint64`, zigzag.
    Sint64: i64, 0, |bits| (bits >> 1) as i64 ^ -((bits & 1) as i64), |value| (value << 1 ^ value >> 63) as u64,
        varint::len((value << 1 ^ value >> 63) as u64) as u32, zigzag: true;
    /// `bool`.
    Bool: bool, false, |bits| bits != 0, |value| u64::from(value), { let _ = value; 1 };
}

macro_rules! fixed {
    ($($(#[$doc:meta])* $codec:ident: $value:ty, $bits:ty, $method:ident, $wire_type:ident,
        |$from_bits:ident| $from:expr, |$number:ident| $to:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $codec;

        // SAFETY: `read` takes one value of the Rust type from the reader and keeps no copy of it.
        unsafe impl<'arena> Codec<'arena, $value> for $codec {
            const ZERO: $value = 0 as $value;
            const WIRE_TYPE: u32 = wire_type::$wire_type;

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn read(
                r: &mut Reader<'_, 'arena>,
                _: &mut UnknownFields<'arena>,
                _: u32,
            ) -> Result<Option<$value>, Fault> {
                let $from_bits = r.$method();
                Ok(Some($from))
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn write<S: Sink<'arena>>($number: $value, sink: &mut S, number: u32) {
                sink.$method(super::tag(number, wire_type::$wire_type), $to);
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn is_zero($number: $value) -> bool {
                $to == 0
            }
        }

        // SAFETY: `decode_run` writes as many values as it says, and `FIXED` is the size of the Rust type or 0.
        unsafe impl<'arena> Packable<'arena, $value> for $codec {
            const FIXED: usize = size_of::<$value>();

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn from_bits(bits: u64) -> Option<$value> {
                let $from_bits = bits as $bits;
                Some($from)
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn to_bits($number: $value) -> u64 {
                u64::from($to)
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            unsafe fn decode_run(
                at: *const u8,
                _: *const u8,
                _: *mut $value,
                _: usize,
                _: &mut dyn FnMut(u64) -> Result<(), Fault>,
            ) -> Result<Decoded, Fault> {
                Ok(Decoded { ptr: at, filled: 0, malformed: false })
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn write_run<S: Sink<'arena>>(_: &[$value], _: &mut S) {}
        }
    )*};
}

fixed! {
    /// `fixed32`.
    Fixed32: u32, u32, fixed32, FIXED32, |bits| bits, |value| value;
    /// `sfixed32`.
    Sfixed32: i32, u32, fixed32, FIXED32, |bits| bits as i32, |value| value as u32;
    /// `float`.
    Float: f32, u32, fixed32, FIXED32, |bits| f32::from_bits(bits), |value| value.to_bits();
    /// `fixed64`.
    Fixed64: u64, u64, fixed64, FIXED64, |bits| bits, |value| value;
    /// `sfixed64`.
    Sfixed64: i64, u64, fixed64, FIXED64, |bits| bits as i64, |value| value as u64;
    /// `double`.
    Double: f64, u64, fixed64, FIXED64, |bits| f64::from_bits(bits), |value| value.to_bits();
}

/// `string`, borrowed.
#[derive(Debug)]
pub struct Str;

// SAFETY: `read` takes one value of the Rust type from the reader and keeps no copy of it.
unsafe impl<'arena> Codec<'arena, &'arena str> for Str {
    const ZERO: &'arena str = "";
    const WIRE_TYPE: u32 = wire_type::LENGTH_DELIMITED;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn read(r: &mut Reader<'_, 'arena>, _: &mut UnknownFields<'arena>, _: u32) -> Result<Option<&'arena str>, Fault> {
        r.string().map(Some)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn write<S: Sink<'arena>>(value: &'arena str, sink: &mut S, number: u32) {
        sink.bytes(super::tag(number, wire_type::LENGTH_DELIMITED), value.as_bytes());
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn is_zero(value: &'arena str) -> bool {
        value.is_empty()
    }
}

/// `string` without UTF-8 validation (`features.utf8_validation = NONE`, and so all of proto2), borrowed. A `&str` is
/// always UTF-8: what is not goes to the unknown fields, as a number goes that a closed enum does not have.
///
/// Source: <https://protobuf.dev/editions/features/#utf8_validation>.
#[derive(Debug)]
pub struct LenientStr;

// SAFETY: `read` takes one value of the Rust type from the reader and keeps no copy of it.
unsafe impl<'arena> Codec<'arena, &'arena str> for LenientStr {
    const ZERO: &'arena str = "";
    const WIRE_TYPE: u32 = wire_type::LENGTH_DELIMITED;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn read(
        r: &mut Reader<'_, 'arena>,
        unknown: &mut UnknownFields<'arena>,
        tag: u32,
    ) -> Result<Option<&'arena str>, Fault> {
        match r.text()? {
            Text::Valid(text) => Ok(Some(text)),
            Text::Invalid(bytes) => {
                unknown::push_delimited(unknown, tag >> 3, bytes, r.cx)?;
                Ok(None)
            }
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn read_in_entry(r: &mut Reader<'_, 'arena>, _: u32) -> Result<Option<&'arena str>, Fault> {
        match r.text()? {
            Text::Valid(text) => Ok(Some(text)),
            Text::Invalid(_) => Ok(None),
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn write<S: Sink<'arena>>(value: &'arena str, sink: &mut S, number: u32) {
        Str::write(value, sink, number);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn is_zero(value: &'arena str) -> bool {
        value.is_empty()
    }
}

/// `bytes`, borrowed.
#[derive(Debug)]
pub struct Bytes;

// SAFETY: `read` takes one value of the Rust type from the reader and keeps no copy of it.
unsafe impl<'arena> Codec<'arena, &'arena [u8]> for Bytes {
    const ZERO: &'arena [u8] = &[];
    const WIRE_TYPE: u32 = wire_type::LENGTH_DELIMITED;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn read(r: &mut Reader<'_, 'arena>, _: &mut UnknownFields<'arena>, _: u32) -> Result<Option<&'arena [u8]>, Fault> {
        r.bytes().map(Some)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn write<S: Sink<'arena>>(value: &'arena [u8], sink: &mut S, number: u32) {
        sink.bytes(super::tag(number, wire_type::LENGTH_DELIMITED), value);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn is_zero(value: &'arena [u8]) -> bool {
        value.is_empty()
    }
}

/// An enum, open or closed.
#[derive(Debug)]
pub struct Enum;

// SAFETY: `read` takes one value of the Rust type from the reader and keeps no copy of it.
unsafe impl<'arena, E: Enumeration> Codec<'arena, E> for Enum {
    const ZERO: E = E::DEFAULT;
    const WIRE_TYPE: u32 = wire_type::VARINT;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn read(r: &mut Reader<'_, 'arena>, unknown: &mut UnknownFields<'arena>, tag: u32) -> Result<Option<E>, Fault> {
        let bits = r.varint()?;
        match E::from_number(bits as i32) {
            Some(value) => Ok(Some(value)),
            None => {
                unknown::push_varint(unknown, tag >> 3, bits, r.cx)?;
                Ok(None)
            }
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn read_in_entry(r: &mut Reader<'_, 'arena>, _: u32) -> Result<Option<E>, Fault> {
        Ok(E::from_number(r.varint()? as i32))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn read_into(
        r: &mut Reader<'_, 'arena>,
        unknown: &mut UnknownFields<'arena>,
        tag: u32,
        mut put: impl FnMut(E),
    ) -> Result<bool, Fault> {
        // Not by way of `read`: a number that may be missing and a fault that may have happened are put into one word there.
        let bits = r.varint()?;
        match E::from_number(bits as i32) {
            Some(value) => {
                put(value);
                Ok(true)
            }
            None => unknown::push_varint(unknown, tag >> 3, bits, r.cx).map(|()| false),
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn write<S: Sink<'arena>>(value: E, sink: &mut S, number: u32) {
        sink.varint(super::tag(number, wire_type::VARINT), i64::from(value.number()) as u64);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn is_zero(value: E) -> bool {
        value == E::DEFAULT
    }
}

// SAFETY: `decode_run` writes as many values as it says, and `FIXED` is the size of the Rust type or 0.
unsafe impl<'arena, E: Enumeration> Packable<'arena, E> for Enum {
    const FIXED: usize = 0;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn from_bits(bits: u64) -> Option<E> {
        E::from_number(bits as i32)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn to_bits(value: E) -> u64 {
        i64::from(value.number()) as u64
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn decode_run(
        at: *const u8,
        stop: *const u8,
        out: *mut E,
        room: usize,
        reject: &mut dyn FnMut(u64) -> Result<(), Fault>,
    ) -> Result<Decoded, Fault> {
        // Through numbers, so that enums share the kernels. Of a closed enum's number all bits are kept.
        if E::OPEN {
            // SAFETY: as required of the caller.
            unsafe { decode_numbers::<E, Int32>(at, stop, out, room, |number| (E::from_number(number), 0), reject) }
        } else {
            // SAFETY: as required of the caller.
            unsafe {
                decode_numbers::<E, Uint64>(at, stop, out, room, |bits| (E::from_number(bits as i32), bits), reject)
            }
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn write_run<S: Sink<'arena>>(values: &[E], sink: &mut S) {
        if values.len() < FEW {
            for value in values.iter().rev() {
                sink.raw_varint(i64::from(value.number()) as u64);
            }
            return;
        }
        for values in values.rchunks(NUMBERS) {
            let mut numbers = [0; NUMBERS];
            for (number, value) in numbers.iter_mut().zip(values) {
                *number = value.number();
            }
            sink.raw_varints::<Int32>(&numbers[..values.len()]);
        }
    }
}

/// Numbers of an enum for which it does not pay to convert them first.
const FEW: usize = 16;

/// Numbers of an enum that are converted at a time.
const NUMBERS: usize = 64;

/// Decodes an enum's packed run through numbers; `split` gives the value of a number, if there is one, and all bits.
///
/// # Safety
/// As [`Packable::decode_run`].
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) unsafe fn decode_numbers<E, N: Element>(
    at: *const u8,
    stop: *const u8,
    out: *mut E,
    room: usize,
    split: impl Fn(N::Value) -> (Option<E>, u64),
    reject: &mut dyn FnMut(u64) -> Result<(), Fault>,
) -> Result<Decoded, Fault> {
    let mut numbers = [const { MaybeUninit::<N::Value>::uninit() }; NUMBERS];
    let mut done = Decoded { ptr: at, filled: 0, malformed: false };
    while done.ptr < stop && done.filled < room && !done.malformed {
        let few = NUMBERS.min(room - done.filled);
        // SAFETY: as required of the caller; there is place for `few` numbers.
        let read = unsafe { packed::decode_run::<N>(done.ptr, stop, numbers.as_mut_ptr().cast(), few) };
        for number in numbers.iter().take(read.filled) {
            // SAFETY: so many numbers were written.
            let (value, bits) = split(unsafe { number.assume_init() });
            match value {
                Some(value) => {
                    // SAFETY: no more values than numbers, for which there is room.
                    unsafe { out.add(done.filled).write(value) };
                    done.filled += 1;
                }
                None => reject(bits)?,
            }
        }
        done = Decoded { filled: done.filled, ..read };
    }
    Ok(done)
}
