//! What derive output calls for each field: functions of their own for each shape and codec.
//!
//! They do what [`Field`] does. But where a type follows from the codec a call names it nowhere, so that the compiler has
//! nothing to infer, no trait to look up and few lifetimes to compare, for each field of maybe thousands of messages.

use super::{
    Codec, Enum, Field, Inline, LenientStr, MapOf, MapValue, OptionalMessage, Packable, Packed, PackedField as _,
    Repeated, RepeatedMessage,
};
use crate::enumeration::Enumeration;
use crate::map::{Map, MapKey};
use crate::message::Message;
use crate::unknown::UnknownFields;
use crate::wire::context::Fault;
use crate::wire::reader::Reader;
use crate::wire::writer::Sink;

/// The value of an unset enum.
#[must_use]
#[cfg_attr(not(debug_assertions), inline(always))]
pub const fn unset_enum<E: Enumeration>() -> E {
    E::DEFAULT
}

/// No elements. A reference says at once that nothing in it changes; of an array of messages the compiler would find out
/// by looking through their fields.
#[must_use]
#[cfg_attr(not(debug_assertions), inline(always))]
pub const fn no_elements<'arena, T>() -> &'arena [T] {
    &[]
}

/// Passes the codecs on to a macro, with the names of their functions and the Rust types.
macro_rules! of_codecs {
    ($then:ident: $($arguments:tt)*) => {
        $then! { $($arguments)*;
            int32: Int32, i32;
            int64: Int64, i64;
            uint32: Uint32, u32;
            uint64: Uint64, u64;
            sint32: Sint32, i32;
            sint64: Sint64, i64;
            fixed32: Fixed32, u32;
            fixed64: Fixed64, u64;
            sfixed32: Sfixed32, i32;
            sfixed64: Sfixed64, i64;
            float: Float, f32;
            double: Double, f64;
            bool: Bool, bool;
            string: Str, &'arena str;
            bytes: Bytes, &'arena [u8];
        }
    };
}

/// Modules of functions for singular fields. Enums and lenient strings, which may leave something to the unknown
/// fields, stand apart: the others do not ask for them.
macro_rules! singular {
    ($read:ident, $write:ident, $shape:ident, $wrapped:ident; $($name:ident: $codec:ident, $value:ty;)*) => {
        #[doc = concat!("Reads fields of shape [`", stringify!($shape), "`](crate::__private::", stringify!($shape), ").")]
        #[expect(clippy::missing_errors_doc, reason = "all give the fault that the field is malformed with")]
        pub mod $read {
            use super::*;
            $(
                #[doc = concat!("Of codec [`", stringify!($codec), "`](crate::__private::", stringify!($codec), ").")]
                #[cfg_attr(not(debug_assertions), inline(always))]
                pub fn $name<'arena>(field: &mut $wrapped<$value>, r: &mut Reader<'_, 'arena>) -> Result<(), Fault> {
                    let mut none = UnknownFields::EMPTY;
                    <super::super::$shape<super::super::$codec>>::merge(field, &mut none, r, 0)
                }
            )*

            /// Of codec [`LenientStr`].
            #[cfg_attr(not(debug_assertions), inline(always))]
            pub fn lenient_string<'arena>(
                field: &mut $wrapped<&'arena str>,
                unknown: &mut UnknownFields<'arena>,
                r: &mut Reader<'_, 'arena>,
                tag: u32,
            ) -> Result<(), Fault> {
                <super::super::$shape<LenientStr>>::merge(field, unknown, r, tag)
            }

            /// Of codec [`Enum`].
            #[cfg_attr(not(debug_assertions), inline(always))]
            pub fn enumeration<'arena, E: Enumeration>(
                field: &mut $wrapped<E>,
                unknown: &mut UnknownFields<'arena>,
                r: &mut Reader<'_, 'arena>,
                tag: u32,
            ) -> Result<(), Fault> {
                <super::super::$shape<Enum>>::merge(field, unknown, r, tag)
            }
        }

        #[doc = concat!("Writes fields of shape [`", stringify!($shape), "`](crate::__private::", stringify!($shape), ").")]
        pub mod $write {
            use super::*;
            $(
                #[doc = concat!("Of codec [`", stringify!($codec), "`](crate::__private::", stringify!($codec), ").")]
                #[cfg_attr(not(debug_assertions), inline(always))]
                pub fn $name<'arena, S: Sink<'arena>>(field: &$wrapped<$value>, sink: &mut S, number: u32) {
                    <super::super::$shape<super::super::$codec>>::encode(field, sink, number);
                }
            )*

            /// Of codec [`LenientStr`].
            #[cfg_attr(not(debug_assertions), inline(always))]
            pub fn lenient_string<'arena, S: Sink<'arena>>(field: &$wrapped<&'arena str>, sink: &mut S, number: u32) {
                <super::super::$shape<LenientStr>>::encode(field, sink, number);
            }

            /// Of codec [`Enum`].
            #[cfg_attr(not(debug_assertions), inline(always))]
            pub fn enumeration<'arena, E: Enumeration, S: Sink<'arena>>(field: &$wrapped<E>, sink: &mut S, number: u32) {
                <super::super::$shape<Enum>>::encode(field, sink, number);
            }
        }
    };
}

type Plain<T> = T;

of_codecs!(singular: read_implicit, write_implicit, Implicit, Plain);
of_codecs!(singular: read_required, write_required, Required, Plain);
of_codecs!(singular: read_optional, write_optional, Optional, Option);

/// Functions for the other shapes. The types of messages, and of what is in slices and maps, are inferred.
macro_rules! others {
    ($($(#[$doc:meta])* $read:ident, $write:ident: [$($generics:tt)*] ($($codec:ident)*) $shape:ty, $field:ty;)*) => {$(
        $(#[$doc])*
        ///
        /// # Errors
        /// [`Fault`] when it is malformed.
        #[cfg_attr(not(debug_assertions), inline(always))]
        pub fn $read<'arena, $($generics)*>(
            $(_: $codec,)*
            field: &mut $field,
            unknown: &mut UnknownFields<'arena>,
            r: &mut Reader<'_, 'arena>,
            tag: u32,
        ) -> Result<(), Fault> {
            <$shape>::merge(field, unknown, r, tag)
        }

        $(#[$doc])*
        #[cfg_attr(not(debug_assertions), inline(always))]
        pub fn $write<'arena, $($generics)*, S: Sink<'arena>>($(_: $codec,)* field: &$field, sink: &mut S, number: u32) {
            <$shape>::encode(field, sink, number);
        }
    )*};
}

others! {
    /// A message held by reference.
    read_message, write_message: [M: Message<'arena>] () OptionalMessage, Option<&'arena M>;
    /// Messages in a slice.
    read_messages, write_messages: [M: Message<'arena>] () RepeatedMessage, &'arena [M];
    /// Elements that are written one by one.
    read_repeated, write_repeated: [T: Copy, C: Codec<'arena, T>] (C) Repeated<C>, &'arena [T];
    /// Elements that are written packed.
    read_packed, write_packed: [T: Copy, C: Packable<'arena, T>] (C) Packed<C>, &'arena [T];
    /// A map.
    read_map, write_map: [K: MapKey + 'arena, V: Copy + 'arena, KC: Codec<'arena, K>, VC: MapValue<'arena, V>] (KC VC)
        MapOf<KC, VC>, Map<'arena, K, V>;
    /// A field of any shape.
    read_field, write_field: [T, F: Field<'arena, T>] (F) F, T;
}

/// Reads a message that a oneof holds inline, where it is; `merge` says that it occurred before.
///
/// # Errors
/// [`Fault::Recorded`] when it is malformed.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn read_in_place<'arena, M, F: Inline<'arena, M>>(
    _: F,
    message: &mut M,
    merge: bool,
    r: &mut Reader<'_, 'arena>,
    tag: u32,
) -> Result<(), Fault> {
    r.call(|at, cx| F::merge_in_place(message, merge, tag, at, cx))
}

/// Reads packed elements behind their tag.
///
/// # Errors
/// [`Fault`] when they are malformed.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn read_run<'arena, T: Copy, C: Packable<'arena, T>>(
    _: C,
    field: &mut &'arena [T],
    unknown: &mut UnknownFields<'arena>,
    r: &mut Reader<'_, 'arena>,
    tag: u32,
) -> Result<(), Fault> {
    Packed::<C>::merge_packed(field, unknown, r, tag)
}

/// Counts what these `bool`s with implicit presence take, at most eight: the first one's length, tag included, is the
/// highest byte of `lens`, the next one's the next, and 0 for a field that is counted elsewhere.
///
/// Fields of one type lie beside each other in a struct, mostly: then all of them are one load, and nothing but arithmetic
/// is done for all at once. Where they do not, it takes some instructions more.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn count_implicit_bools<'arena, S: Sink<'arena>, const N: usize>(fields: [bool; N], sink: &mut S, lens: u64) {
    sink.count(weigh(word(fields.map(u8::from)), lens));
}

/// Counts what these `bool`s with explicit presence take, as [`count_implicit_bools`] does.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn count_optional_bools<'arena, S: Sink<'arena>, const N: usize>(
    fields: [Option<bool>; N],
    sink: &mut S,
    lens: u64,
) {
    // As they are in memory, which the compiler sees, so that nothing is left to do.
    let bytes = fields.map(|field| match field {
        Some(value) => u8::from(value),
        None => 2,
    });
    sink.count(weigh(!word(bytes) >> 1 & 0x0101_0101_0101_0101, lens));
}

/// Counts what fields take that have one length each, tag included: `len` for each of those that are `set`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn count_fixed<'arena, S: Sink<'arena>>(set: u32, sink: &mut S, len: usize) {
    sink.count(set as usize * len);
}

/// 1 if a field with implicit presence is set, else 0.
#[must_use]
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn implicit_is_set<'arena, T: Copy, C: Codec<'arena, T>>(_: C, field: &T) -> u32 {
    u32::from(!C::is_zero(*field))
}

/// 1 if a field with explicit presence is set, else 0.
#[must_use]
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn optional_is_set<T: Copy>(field: &Option<T>) -> u32 {
    u32::from(field.is_some())
}

/// The first bytes of a number.
#[cfg_attr(not(debug_assertions), inline(always))]
fn word<const N: usize>(bytes: [u8; N]) -> u64 {
    let mut word = [0; 8];
    word[..N].copy_from_slice(&bytes);
    u64::from_le_bytes(word)
}

/// The sum of the lengths whose bytes in `set`, from the other end, are 1 and not 0.
#[cfg_attr(not(debug_assertions), inline(always))]
fn weigh(set: u64, lens: u64) -> usize {
    // That is the product's highest byte: eight times six at most, so that no lower one runs over.
    (set.wrapping_mul(lens) >> 56) as usize
}

/// A field with explicit presence.
pub trait Explicit {
    /// What its accessor returns.
    type Value;
}

impl<T> Explicit for Option<T> {
    type Value = T;
}

/// The message that a field holds by reference, or an empty one.
#[must_use]
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn message_or_default<'arena, M: Message<'arena>>(field: Option<&'arena M>) -> &'arena M {
    field.unwrap_or_else(M::default_ref)
}
