//! What derive output calls for each field: a function for each shape and codec.
//!
//! Each call does what [`Field`] does. It names no Rust type that follows from the codec. The compiler then has nothing to infer,
//! no trait to look up and few lifetimes to compare, for each field of maybe thousands of messages.
//!
//! # Reading functions are methods of the reader
//!
//! A field that is being decoded may still move or be freed, so only code of this crate may see it. `#[defiant(crate = "…")]`
//! lets a user choose the path that derive output starts its names with, and a module at that path can replace any function.
//! It cannot replace an inherent method of [`Reader`] or [`Cursor`], because the signatures of the traits that the derive
//! implements state the types of both. Derive output therefore calls nothing else while it decodes. The only
//! names that it reaches by path are codecs, and unsafe traits bound these.
//!
//! The functions that write see finished messages only. They are plain functions.

use super::{
    Codec, Enum, Field, Inline, LenientStr, MapOf, MapValue, OnDemand, Oneof, OptionalMessage, Packable, Packed,
    PackedField as _, Repeated, RepeatedMessage, Required,
};
use crate::enumeration::Enumeration;
use crate::map::{Map, MapKey};
use crate::message::Message;
use crate::table::{self, Tabled};
use crate::unknown::{self, UnknownFields};
use crate::wire::context::{Context, Fault};
use crate::wire::reader::{Cursor, Reader, Scope};
use crate::wire::writer::Sink;

/// The value of an unset enum.
#[must_use]
#[cfg_attr(not(debug_assertions), inline(always))]
// TRUST: unsafe code does not rely on it: it is a value of its type.
pub const fn unset_enum<E: Enumeration>() -> E {
    E::DEFAULT
}

/// The value of an unset repeated field. A `&[]` in derive output would make the compiler look for interior mutability in the
/// fields of the element.
#[must_use]
#[cfg_attr(not(debug_assertions), inline(always))]
// TRUST: unsafe code does not rely on it: it is a value of its type.
pub const fn no_elements<'arena, T>() -> &'arena [T] {
    &[]
}

/// Defines the methods that read singular scalar fields, and the functions that write them.
///
/// A row gives a codec, its Rust type, the names of the methods for implicit, required and optional presence, and the name of
/// the writing functions.
macro_rules! scalars {
    ($($codec:ident, $value:ty: $implicit:ident, $required:ident, $optional:ident, $write:ident;)*) => {
        /// Fields of one value. The documentation of each method names the presence and the codec.
        impl<'arena> Reader<'_, 'arena> {$(
            #[doc = concat!("Reads a field with implicit presence and the codec [`", stringify!($codec), "`](crate::__private::", stringify!($codec), ").")]
            ///
            /// # Errors
            /// [`Fault`] when the value is malformed.
            #[cfg_attr(not(debug_assertions), inline(always))]
            pub fn $implicit(&mut self, field: &mut $value) -> Result<(), Fault> {
                let mut none = UnknownFields::EMPTY;
                <super::Implicit<super::$codec>>::merge(field, &mut none, self, 0)
            }

            #[doc = concat!("Reads a required field with the codec [`", stringify!($codec), "`](crate::__private::", stringify!($codec), ").")]
            ///
            /// # Errors
            /// [`Fault`] when the value is malformed.
            #[cfg_attr(not(debug_assertions), inline(always))]
            pub fn $required(&mut self, field: &mut $value) -> Result<(), Fault> {
                let mut none = UnknownFields::EMPTY;
                <super::Required<super::$codec>>::merge(field, &mut none, self, 0)
            }

            #[doc = concat!("Reads a field with explicit presence and the codec [`", stringify!($codec), "`](crate::__private::", stringify!($codec), ").")]
            ///
            /// # Errors
            /// [`Fault`] when the value is malformed.
            #[cfg_attr(not(debug_assertions), inline(always))]
            pub fn $optional(&mut self, field: &mut Option<$value>) -> Result<(), Fault> {
                let mut none = UnknownFields::EMPTY;
                <super::Optional<super::$codec>>::merge(field, &mut none, self, 0)
            }
        )*}

        scalars! { @write write_implicit, Implicit, Plain; $($codec, $value, $write;)* }
        scalars! { @write write_required, Required, Plain; $($codec, $value, $write;)* }
        scalars! { @write write_optional, Optional, Option; $($codec, $value, $write;)* }
    };
    (@write $module:ident, $shape:ident, $wrapped:ident; $($codec:ident, $value:ty, $write:ident;)*) => {
        #[doc = concat!("Writes fields of shape [`", stringify!($shape), "`](crate::__private::", stringify!($shape), ").")]
        pub mod $module {
            use super::*;
            $(
                #[doc = concat!("Of codec [`", stringify!($codec), "`](crate::__private::", stringify!($codec), ").")]
                #[cfg_attr(not(debug_assertions), inline(always))]
                pub fn $write<'arena, S: Sink<'arena>>(field: &$wrapped<$value>, sink: &mut S, number: u32) {
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

scalars! {
    Int32, i32: read_implicit_int32, read_required_int32, read_optional_int32, int32;
    Int64, i64: read_implicit_int64, read_required_int64, read_optional_int64, int64;
    Uint32, u32: read_implicit_uint32, read_required_uint32, read_optional_uint32, uint32;
    Uint64, u64: read_implicit_uint64, read_required_uint64, read_optional_uint64, uint64;
    Sint32, i32: read_implicit_sint32, read_required_sint32, read_optional_sint32, sint32;
    Sint64, i64: read_implicit_sint64, read_required_sint64, read_optional_sint64, sint64;
    Fixed32, u32: read_implicit_fixed32, read_required_fixed32, read_optional_fixed32, fixed32;
    Fixed64, u64: read_implicit_fixed64, read_required_fixed64, read_optional_fixed64, fixed64;
    Sfixed32, i32: read_implicit_sfixed32, read_required_sfixed32, read_optional_sfixed32, sfixed32;
    Sfixed64, i64: read_implicit_sfixed64, read_required_sfixed64, read_optional_sfixed64, sfixed64;
    Float, f32: read_implicit_float, read_required_float, read_optional_float, float;
    Double, f64: read_implicit_double, read_required_double, read_optional_double, double;
    Bool, bool: read_implicit_bool, read_required_bool, read_optional_bool, bool;
    Str, &'arena str: read_implicit_string, read_required_string, read_optional_string, string;
    Bytes, &'arena [u8]: read_implicit_bytes, read_required_bytes, read_optional_bytes, bytes;
}

/// Defines the methods that read fields of a shape, codec and Rust type. Codecs in parentheses are arguments.
macro_rules! readers {
    ($($(#[$doc:meta])* $read:ident: [$($generics:tt)*] ($($codec:ident)*) $shape:ty, $field:ty;)*) => {
        /// Fields whose values may go to the unknown fields, or whose Rust types are inferred.
        impl<'arena> Reader<'_, 'arena> {$(
            $(#[$doc])*
            ///
            /// # Errors
            /// [`Fault`] when the occurrence is malformed.
            #[cfg_attr(not(debug_assertions), inline(always))]
            pub fn $read<$($generics)*>(
                &mut self,
                $(_: $codec,)*
                field: &mut $field,
                unknown: &mut UnknownFields<'arena>,
                tag: u32,
            ) -> Result<(), Fault> {
                <$shape>::merge(field, unknown, self, tag)
            }
        )*}
    };
}

readers! {
    /// A string that need not be UTF-8, with implicit presence.
    read_implicit_lenient_string: [] () super::Implicit<LenientStr>, &'arena str;
    /// A string that need not be UTF-8, with explicit presence.
    read_optional_lenient_string: [] () super::Optional<LenientStr>, Option<&'arena str>;
    /// An enum with implicit presence.
    read_implicit_enumeration: [E: Enumeration] () super::Implicit<Enum>, E;
    /// An enum with explicit presence.
    read_optional_enumeration: [E: Enumeration] () super::Optional<Enum>, Option<E>;
}

/// [`readers!`], and the functions that write the same fields.
macro_rules! readers_and_writers {
    ($(
        $(#[$doc:meta])* $read:ident, $write:ident: [$($generics:tt)*] ($($codec:ident)*) $shape:ty, $field:ty;
    )*) => {
        readers! {$(
            $(#[$doc])*
            $read: [$($generics)*] ($($codec)*) $shape, $field;
        )*}

        $(
            $(#[$doc])*
            #[cfg_attr(not(debug_assertions), inline(always))]
            pub fn $write<'arena, $($generics)*, S: Sink<'arena>>($(_: $codec,)* field: &$field, sink: &mut S, number: u32) {
                <$shape>::encode(field, sink, number);
            }
        )*
    };
}

readers_and_writers! {
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

impl<'arena> Reader<'_, 'arena> {
    /// Reads packed elements of a field that may also be read unpacked.
    ///
    /// # Errors
    /// [`Fault`] when they are malformed.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn read_run<T: Copy, C: Packable<'arena, T>>(
        &mut self,
        _: C,
        field: &mut &'arena [T],
        unknown: &mut UnknownFields<'arena>,
        tag: u32,
    ) -> Result<(), Fault> {
        Packed::<C>::merge_packed(field, unknown, self, tag)
    }

    /// Reads a required field whose Rust type does not have every value. Returns `false` when the value went to the unknown
    /// fields.
    ///
    /// # Errors
    /// [`Fault`] when the value is malformed.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn read_required_partial<T: Copy, C: Codec<'arena, T>>(
        &mut self,
        _: C,
        field: &mut T,
        unknown: &mut UnknownFields<'arena>,
        tag: u32,
    ) -> Result<bool, Fault> {
        Required::<C>::read(field, unknown, self, tag)
    }

    /// Reads a message that a oneof holds inline, in its place. `merge` states that the message occurred before.
    ///
    /// # Errors
    /// [`Fault::Recorded`] when the message is malformed.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn read_in_place<M, F: Inline<'arena, M>>(
        &mut self,
        _: F,
        message: &mut M,
        merge: bool,
        tag: u32,
    ) -> Result<(), Fault> {
        self.call(|at, cx| F::merge_in_place(message, merge, tag, at, cx))
    }

    /// Reads a member of a oneof.
    ///
    /// # Errors
    /// [`Fault::Recorded`], with the place in the context.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn oneof<T: Oneof<'arena>>(
        &mut self,
        slot: &mut Option<T>,
        unknown: &mut UnknownFields<'arena>,
        key: u64,
    ) -> Result<(), Fault> {
        self.call(|at, cx| T::__merge::<OnDemand>(slot, unknown, key, at, cx))
    }

    /// The fault that ends a message's loop over its fields without being an error.
    #[must_use]
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub const fn end(&self) -> Fault {
        Fault::End
    }
}

/// Methods for derive output that has a cursor and no reader: at the start of a message or of a oneof's member.
impl Cursor {
    /// Starts to read a message.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn enter<'r, 'arena>(self, cx: &'r mut Context<'arena>, scope: Scope) -> Reader<'r, 'arena> {
        Reader::enter(self, cx, scope)
    }

    /// Continues to read a message after a tag.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn resume<'r, 'arena>(self, cx: &'r mut Context<'arena>) -> Reader<'r, 'arena> {
        Reader::resume(self, cx)
    }

    /// Reads a message by its table.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[must_use]
    pub fn merge_by_table<'arena, M: Tabled<'arena>>(
        self,
        message: &mut M,
        cx: &mut Context<'arena>,
        scope: Scope,
    ) -> Cursor {
        table::merge(message, self, cx, scope)
    }

    /// Reads a oneof's member, out of line and shared by all oneofs of a crate.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[must_use]
    pub fn merge_member<'arena, F: Field<'arena, T>, T>(
        self,
        value: &mut T,
        unknown: &mut UnknownFields<'arena>,
        tag: u32,
        cx: &mut Context<'arena>,
    ) -> Cursor {
        table::merge_member::<F, T>(value, unknown, tag, self, cx)
    }

    /// Reads a message that a oneof holds inline, in its place. `merge` states that the message occurred before.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[must_use]
    pub fn merge_in_place<'arena, M, F: Inline<'arena, M>>(
        self,
        _: F,
        message: &mut M,
        merge: bool,
        tag: u32,
        cx: &mut Context<'arena>,
    ) -> Cursor {
        F::merge_in_place(message, merge, tag, self, cx)
    }

    /// Sets a oneof. The value of a large one is made out of line: a temporary would otherwise stay in the frame of the
    /// caller, once per level of nested messages.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn set_member<O>(self, slot: &mut Option<O>, value: impl FnOnce() -> O) {
        #[inline(never)]
        fn out_of_line<O>(slot: &mut Option<O>, value: impl FnOnce() -> O) {
            *slot = Some(value());
        }
        if size_of::<O>() <= 128 {
            *slot = Some(value());
        } else {
            out_of_line(slot, value);
        }
    }

    /// Skips an unknown field and keeps it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[must_use]
    pub fn skip_unknown<'arena>(
        self,
        unknown: &mut UnknownFields<'arena>,
        key: u64,
        cx: &mut Context<'arena>,
    ) -> Cursor {
        unknown::skip(unknown, key, self, cx)
    }
}

impl Fault {
    /// Whether the fault is [`Reader::end`], the end of a message.
    #[must_use]
    #[cfg_attr(not(debug_assertions), inline(always))]
    // TRUST: unsafe code does not rely on it: a loop that ends early leaves the reader where it is, after a whole field.
    pub const fn is_end(self) -> bool {
        matches!(self, Fault::End)
    }
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
// TRUST: unsafe code does not rely on it: it counts, and writers check their capacity.
pub fn implicit_is_set<'arena, T: Copy, C: Codec<'arena, T>>(_: C, field: &T) -> u32 {
    u32::from(!C::is_zero(*field))
}

/// 1 if a field with explicit presence is set, else 0.
#[must_use]
#[cfg_attr(not(debug_assertions), inline(always))]
// TRUST: unsafe code does not rely on it: it counts, and writers check their capacity.
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
// TRUST: unsafe code does not rely on it: accessors name a type with it.
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
// TRUST: unsafe code does not rely on it: it reads a finished message.
pub fn message_or_default<'arena, M: Message<'arena>>(field: Option<&'arena M>) -> &'arena M {
    field.unwrap_or_else(M::default_ref)
}
