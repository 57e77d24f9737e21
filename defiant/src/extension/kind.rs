//! What an extension can be: the proto types, each inside a cardinality.

use core::marker::PhantomData;

use super::MessageFamily;
use crate::codec::{self, Codec, Field, Packable, PackedField};
use crate::enumeration::Enumeration;
#[cfg(feature = "reflect")]
use crate::reflect::Held;
use crate::unknown::{UnknownFields, UnknownValue};
use crate::wire::context::Fault;
use crate::wire::reader::Reader;
use crate::wire::tag::wire_type;
use crate::wire::writer::Sink;

mod sealed {
    /// Keeps [`Scalar`](super::Scalar) and [`Kind`](super::Kind) to this crate: that their types and what reads and writes
    /// these belong together is what unsafe code relies on.
    // TRUST: it has no public path, so only this crate implements it.
    pub trait Sealed {}
}

use sealed::Sealed;

/// A proto type that is no message: a number, `bool`, string, bytes or enum.
///
/// Implemented by [`Int32`](super::Int32) to [`Bytes`](super::Bytes) and by [`Enum`]; not for other types.
// TRUST: it is sealed: `Sealed` has no public path.
pub trait Scalar: Sealed + 'static {
    /// The Rust type, such as `i32` or `&'arena str`.
    type Value<'arena>: Copy;

    #[doc(hidden)]
    const ZERO: Self::Value<'static>;

    #[doc(hidden)]
    fn shorten<'arena>(value: Self::Value<'static>) -> Self::Value<'arena>;

    /// Reads one value; `None` when it is none of this type, by its wire type or as a number that a closed enum does not
    /// have. An error says how many bytes of a string are left where it
    /// stops being UTF-8.
    #[doc(hidden)]
    fn read(value: UnknownValue<'_>) -> Result<Option<Self::Value<'_>>, usize>;

    #[doc(hidden)]
    fn write<'v, S: Sink<'v>>(value: Self::Value<'v>, sink: &mut S, number: u32);

    /// Whether a tag of a repeated field may have this wire type.
    #[doc(hidden)]
    fn repeats(wire_type: u32) -> bool;

    #[doc(hidden)]
    fn merge<'arena>(
        values: &mut &'arena [Self::Value<'arena>],
        unknown: &mut UnknownFields<'arena>,
        r: &mut Reader<'_, 'arena>,
        tag: u32,
    ) -> Result<(), Fault>;

    /// The field of a message that has one such value.
    #[cfg(feature = "reflect")]
    #[doc(hidden)]
    fn __optional() -> Held;

    /// The field of a message that has any number of them.
    #[cfg(feature = "reflect")]
    #[doc(hidden)]
    fn __repeated() -> Held;
}

/// A [`Scalar`] whose repeated values may be packed: a number, `bool` or enum.
// TRUST: it is sealed, as `Scalar` is.
pub trait PackableScalar: Scalar {
    /// The field of a message that has any number of them, packed.
    #[cfg(feature = "reflect")]
    #[doc(hidden)]
    fn __packed() -> Held;

    #[doc(hidden)]
    fn write_packed<'v, S: Sink<'v>>(values: &'v [Self::Value<'v>], sink: &mut S, number: u32);
}

/// The bits of a number; `None` for another wire type.
fn bits(value: UnknownValue<'_>, wire_type: u32) -> Option<u64> {
    match value {
        UnknownValue::Varint(bits) | UnknownValue::Fixed64(bits) if value.wire_type() == wire_type => Some(bits),
        UnknownValue::Fixed32(bits) if value.wire_type() == wire_type => Some(u64::from(bits)),
        _ => None,
    }
}

macro_rules! numbers {
    ($([$($generics:tt)*] $type:ty: $value:ty, $codec:ty;)*) => {$(
        impl<$($generics)*> Sealed for $type {}

        impl<$($generics)*> Scalar for $type {
            type Value<'arena> = $value;

            const ZERO: $value = <$codec as Codec<'static, $value>>::ZERO;

            fn shorten<'arena>(value: Self::Value<'static>) -> Self::Value<'arena> {
                value
            }

            fn read(value: UnknownValue<'_>) -> Result<Option<$value>, usize> {
                let bits = bits(value, <$codec as Codec<'static, $value>>::WIRE_TYPE);
                Ok(bits.and_then(<$codec as Packable<'static, $value>>::from_bits))
            }

            fn write<'v, S: Sink<'v>>(value: $value, sink: &mut S, number: u32) {
                <$codec as Codec<'v, $value>>::write(value, sink, number);
            }

            fn repeats(wire_type: u32) -> bool {
                wire_type == wire_type::LENGTH_DELIMITED || wire_type == <$codec as Codec<'static, $value>>::WIRE_TYPE
            }

            fn merge<'arena>(
                values: &mut &'arena [$value],
                unknown: &mut UnknownFields<'arena>,
                r: &mut Reader<'_, 'arena>,
                tag: u32,
            ) -> Result<(), Fault> {
                if tag & 7 == wire_type::LENGTH_DELIMITED {
                    codec::Repeated::<$codec>::merge_packed(values, unknown, r, tag)
                } else {
                    codec::Repeated::<$codec>::merge(values, unknown, r, tag)
                }
            }

            #[cfg(feature = "reflect")]
            fn __optional() -> Held {
                Held::field::<codec::Optional<$codec>, Option<$value>>()
            }

            #[cfg(feature = "reflect")]
            fn __repeated() -> Held {
                Held::packable::<codec::Repeated<$codec>, &'static [$value]>()
            }
        }

        impl<$($generics)*> PackableScalar for $type {
            #[cfg(feature = "reflect")]
            fn __packed() -> Held {
                Held::packable::<codec::Packed<$codec>, &'static [$value]>()
            }

            fn write_packed<'v, S: Sink<'v>>(values: &'v [$value], sink: &mut S, number: u32) {
                codec::Packed::<$codec>::encode(&values, sink, number);
            }
        }
    )*};
}

numbers! {
    [] codec::Int32: i32, Self;
    [] codec::Int64: i64, Self;
    [] codec::Uint32: u32, Self;
    [] codec::Uint64: u64, Self;
    [] codec::Sint32: i32, Self;
    [] codec::Sint64: i64, Self;
    [] codec::Fixed32: u32, Self;
    [] codec::Fixed64: u64, Self;
    [] codec::Sfixed32: i32, Self;
    [] codec::Sfixed64: i64, Self;
    [] codec::Float: f32, Self;
    [] codec::Double: f64, Self;
    [] codec::Bool: bool, Self;
    [E: Enumeration] Enum<E>: E, codec::Enum;
}

macro_rules! texts {
    ($($codec:ty: $value:ty, |$bytes:ident| $read:expr;)*) => {$(
        impl Sealed for $codec {}

        impl Scalar for $codec {
            type Value<'arena> = &'arena $value;

            const ZERO: &'static $value = <$codec as Codec<'static, &'static $value>>::ZERO;

            fn shorten<'arena>(value: Self::Value<'static>) -> Self::Value<'arena> {
                value
            }

            fn read(value: UnknownValue<'_>) -> Result<Option<&$value>, usize> {
                let UnknownValue::LengthDelimited($bytes) = value else { return Ok(None) };
                $read
            }

            fn write<'v, S: Sink<'v>>(value: &'v $value, sink: &mut S, number: u32) {
                Self::write_one(value, sink, number);
            }

            fn repeats(wire_type: u32) -> bool {
                wire_type == wire_type::LENGTH_DELIMITED
            }

            fn merge<'arena>(
                values: &mut &'arena [&'arena $value],
                unknown: &mut UnknownFields<'arena>,
                r: &mut Reader<'_, 'arena>,
                tag: u32,
            ) -> Result<(), Fault> {
                codec::Repeated::<$codec>::merge(values, unknown, r, tag)
            }

            #[cfg(feature = "reflect")]
            fn __optional() -> Held {
                Held::field::<codec::Optional<$codec>, Option<&'static $value>>()
            }

            #[cfg(feature = "reflect")]
            fn __repeated() -> Held {
                Held::field::<codec::Repeated<$codec>, &'static [&'static $value]>()
            }
        }

        impl $codec {
            fn write_one<'v, S: Sink<'v>>(value: &'v $value, sink: &mut S, number: u32) {
                <$codec as Codec<'v, &'v $value>>::write(value, sink, number);
            }
        }
    )*};
}

texts! {
    codec::Str: str, |bytes| core::str::from_utf8(bytes).map(Some).map_err(|error| bytes.len() - error.valid_up_to());
    codec::LenientStr: str, |bytes| Ok(core::str::from_utf8(bytes).ok());
    codec::Bytes: [u8], |bytes| Ok(Some(bytes));
}

/// An enum, open or closed: a type that derives [`Enumeration`](crate::Enumeration).
#[derive(Debug)]
pub struct Enum<E>(PhantomData<E>);

/// One value with explicit presence; of several on the wire the last one counts.
#[derive(Debug)]
pub struct Optional<T>(PhantomData<T>);

/// Repeated values, written one by one, read packed or not.
#[derive(Debug)]
pub struct Repeated<T>(PhantomData<T>);

/// Repeated values, written packed, read packed or not.
#[derive(Debug)]
pub struct Packed<T>(PhantomData<T>);

/// A length-delimited message; of several on the wire, the later ones merge into the first.
#[derive(Debug)]
pub struct OptionalMessage<M>(PhantomData<M>);

/// A group; several merge.
#[derive(Debug)]
pub struct OptionalGroup<M>(PhantomData<M>);

/// Repeated length-delimited messages.
#[derive(Debug)]
pub struct RepeatedMessage<M>(PhantomData<M>);

/// Repeated groups.
#[derive(Debug)]
pub struct RepeatedGroup<M>(PhantomData<M>);

/// A proto type inside a cardinality: [`Optional`], [`Repeated`], [`Packed`], [`OptionalMessage`], [`OptionalGroup`],
/// [`RepeatedMessage`] or [`RepeatedGroup`].
// TRUST: it is sealed: `Sealed` has no public path.
pub trait Kind: Sealed {
    /// The declared default: a value for [`Optional`], nothing for the others.
    type Default: Copy;

    #[doc(hidden)]
    const DEFAULT: Self::Default;

    /// Whether an extension of a message set may be of this kind.
    #[doc(hidden)]
    const IN_MESSAGE_SET: bool = false;

    /// Whether [`Default`](Self::Default) is a value.
    #[doc(hidden)]
    const HAS_DEFAULT: bool = false;

    /// The field of a message that has nothing but the extension.
    #[cfg(feature = "reflect")]
    #[doc(hidden)]
    fn __held() -> Held;
}

/// A [`Kind`] whose values live in an arena: messages and everything repeated.
// TRUST: it is sealed, as `Kind` is.
pub trait InArena: Kind {
    /// What the field of a struct would hold: `Option<&'arena M>`, or a slice.
    type Field<'arena>: Copy;
    /// What is to be set: `&M`, or a slice.
    type Set<'v>;

    #[doc(hidden)]
    fn unset<'arena>() -> Self::Field<'arena>;

    /// Whether the values are messages, which have unknown fields of their own.
    #[doc(hidden)]
    const OF_MESSAGES: bool;

    /// Whether a tag of this field may have this wire type.
    #[doc(hidden)]
    fn reads(wire_type: u32) -> bool;

    #[doc(hidden)]
    fn merge<'arena>(
        field: &mut Self::Field<'arena>,
        unknown: &mut UnknownFields<'arena>,
        r: &mut Reader<'_, 'arena>,
        tag: u32,
    ) -> Result<(), Fault>;

    #[doc(hidden)]
    fn write<'v, S: Sink<'v>>(value: Self::Set<'v>, sink: &mut S, number: u32);
}

/// A [`Kind`] of several values.
// TRUST: it is sealed, as `Kind` is.
pub trait List: InArena {
    /// The type of one value: `i32`, or `&M`.
    type Item<'v>;

    #[doc(hidden)]
    fn write_one<'v, S: Sink<'v>>(value: Self::Item<'v>, sink: &mut S, number: u32);
}

impl<T: Scalar> Sealed for Optional<T> {}

impl<T: Scalar> Kind for Optional<T> {
    type Default = T::Value<'static>;

    const DEFAULT: T::Value<'static> = T::ZERO;
    const HAS_DEFAULT: bool = true;

    #[cfg(feature = "reflect")]
    fn __held() -> Held {
        T::__optional()
    }
}

macro_rules! lists {
    ($($kind:ident: $scalar:ident, $held:ident, |$values:ident, $sink:ident, $number:ident| $write:expr;)*) => {$(
        impl<T: $scalar> Sealed for $kind<T> {}

        impl<T: $scalar> Kind for $kind<T> {
            type Default = ();

            const DEFAULT: () = ();

            #[cfg(feature = "reflect")]
            fn __held() -> Held {
                T::$held()
            }
        }

        impl<T: $scalar> InArena for $kind<T> {
            type Field<'arena> = &'arena [T::Value<'arena>];
            type Set<'v> = &'v [T::Value<'v>];

            const OF_MESSAGES: bool = false;

            fn unset<'arena>() -> Self::Field<'arena> {
                &[]
            }

            fn reads(wire_type: u32) -> bool {
                T::repeats(wire_type)
            }

            fn merge<'arena>(
                field: &mut &'arena [T::Value<'arena>],
                unknown: &mut UnknownFields<'arena>,
                r: &mut Reader<'_, 'arena>,
                tag: u32,
            ) -> Result<(), Fault> {
                T::merge(field, unknown, r, tag)
            }

            fn write<'v, S: Sink<'v>>($values: Self::Set<'v>, $sink: &mut S, $number: u32) {
                $write
            }
        }

        impl<T: $scalar> List for $kind<T> {
            type Item<'v> = T::Value<'v>;

            fn write_one<'v, S: Sink<'v>>(value: Self::Item<'v>, $sink: &mut S, $number: u32) {
                T::write(value, $sink, $number);
            }
        }
    )*};
}

lists! {
    Repeated: Scalar, __repeated, |values, sink, number| {
        for value in values.iter().rev() {
            T::write(*value, sink, number);
        }
    };
    Packed: PackableScalar, __packed, |values, sink, number| T::write_packed(values, sink, number);
}

macro_rules! messages {
    ($($kind:ident, $repeated:ident, $wire_type:ident;)*) => {$(
        impl<M: MessageFamily> Sealed for $kind<M> {}

        impl<M: MessageFamily> Kind for $kind<M> {
            type Default = ();

            const DEFAULT: () = ();
            const IN_MESSAGE_SET: bool = wire_type::$wire_type == wire_type::LENGTH_DELIMITED;

            #[cfg(feature = "reflect")]
            fn __held() -> Held {
                Held::message::<codec::$kind, Option<&'static M::In<'static>>>()
            }
        }

        impl<M: MessageFamily> InArena for $kind<M> {
            type Field<'arena> = Option<&'arena M::In<'arena>>;
            type Set<'v> = &'v M::In<'v>;

            const OF_MESSAGES: bool = true;

            fn unset<'arena>() -> Self::Field<'arena> {
                None
            }

            fn reads(wire_type: u32) -> bool {
                wire_type == wire_type::$wire_type
            }

            fn merge<'arena>(
                field: &mut Option<&'arena M::In<'arena>>,
                unknown: &mut UnknownFields<'arena>,
                r: &mut Reader<'_, 'arena>,
                tag: u32,
            ) -> Result<(), Fault> {
                <codec::$kind as Field<'arena, Option<&'arena M::In<'arena>>>>::merge(field, unknown, r, tag)
            }

            fn write<'v, S: Sink<'v>>(value: Self::Set<'v>, sink: &mut S, number: u32) {
                <codec::$kind as Field<'v, Option<&'v M::In<'v>>>>::encode(&Some(value), sink, number);
            }
        }

        impl<M: MessageFamily> Sealed for $repeated<M> {}

        impl<M: MessageFamily> Kind for $repeated<M> {
            type Default = ();

            const DEFAULT: () = ();

            #[cfg(feature = "reflect")]
            fn __held() -> Held {
                Held::message::<codec::$repeated, &'static [M::In<'static>]>()
            }
        }

        impl<M: MessageFamily> InArena for $repeated<M> {
            type Field<'arena> = &'arena [M::In<'arena>];
            type Set<'v> = &'v [M::In<'v>];

            const OF_MESSAGES: bool = true;

            fn unset<'arena>() -> Self::Field<'arena> {
                &[]
            }

            fn reads(wire_type: u32) -> bool {
                wire_type == wire_type::$wire_type
            }

            fn merge<'arena>(
                field: &mut &'arena [M::In<'arena>],
                unknown: &mut UnknownFields<'arena>,
                r: &mut Reader<'_, 'arena>,
                tag: u32,
            ) -> Result<(), Fault> {
                <codec::$repeated as Field<'arena, &'arena [M::In<'arena>]>>::merge(field, unknown, r, tag)
            }

            fn write<'v, S: Sink<'v>>(values: Self::Set<'v>, sink: &mut S, number: u32) {
                <codec::$repeated as Field<'v, &'v [M::In<'v>]>>::encode(&values, sink, number);
            }
        }

        impl<M: MessageFamily> List for $repeated<M> {
            type Item<'v> = &'v M::In<'v>;

            fn write_one<'v, S: Sink<'v>>(value: Self::Item<'v>, sink: &mut S, number: u32) {
                <codec::$kind as Field<'v, Option<&'v M::In<'v>>>>::encode(&Some(value), sink, number);
            }
        }
    )*};
}

messages! {
    OptionalMessage, RepeatedMessage, LENGTH_DELIMITED;
    OptionalGroup, RepeatedGroup, START_GROUP;
}
