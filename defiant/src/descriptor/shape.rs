//! From the markers of codecs to what descriptors say of fields.
#![expect(unsafe_code, reason = "implements traits that unsafe code relies on")]

use core::alloc::Layout;
use core::marker::PhantomData;

use super::{Access, Cardinality, InlineAccess, LazyAccess, Link, MapAccess, Plain, Type};
use crate::codec::{
    Bool, Bytes, Double, Enum, Fixed32, Fixed64, Float, Implicit, InlineGroup, InlineMessage, Int32, Int64,
    LazyMessage, LenientStr, MapOf, MessageValue, Optional, OptionalGroup, OptionalLazy, OptionalMessage, Packed,
    Repeated, RepeatedGroup, RepeatedMessage, Required, Sfixed32, Sfixed64, Sint32, Sint64, Str, Uint32, Uint64,
};
use crate::enumeration::Enumeration;
use crate::lazy::Lazy;
use crate::map::{Map, MapKey};
use crate::message::Message;

/// A codec and the Rust type of its values.
///
/// # Safety
/// `VALUE` describes values of type `V`.
pub unsafe trait Described<'arena, V> {
    /// What a descriptor says of such values.
    #[doc(hidden)]
    const VALUE: ValueShape;
}

/// What a descriptor says of values.
#[derive(Clone, Copy)]
pub struct ValueShape {
    pub(crate) ty: Type,
    pub(crate) plain: Plain,
    pub(crate) link: Link,
}

/// A marker of a field and its Rust type.
///
/// # Safety
/// `SHAPE` describes fields of type `T`, and `Value` is the type of a single value in it.
pub unsafe trait Reflected<'arena, T> {
    /// The Rust type of a single value.
    type Value: 'arena;
    /// What a descriptor says of such fields.
    #[doc(hidden)]
    const SHAPE: FieldShape;
}

/// What a descriptor says of fields.
#[derive(Clone, Copy)]
pub struct FieldShape {
    pub(crate) ty: Type,
    pub(crate) cardinality: Cardinality,
    pub(crate) presence: bool,
    pub(crate) packed: bool,
    pub(crate) link: Link,
    pub(crate) access: Access,
}

impl core::fmt::Debug for FieldShape {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("FieldShape").field("ty", &self.ty).finish_non_exhaustive()
    }
}

impl core::fmt::Debug for ValueShape {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("ValueShape").field("ty", &self.ty).finish_non_exhaustive()
    }
}

impl FieldShape {
    const fn new(value: ValueShape, access: Access) -> Self {
        let ValueShape { ty, link, .. } = value;
        FieldShape { ty, cardinality: Cardinality::Optional, presence: true, packed: false, link, access }
    }

    const fn repeated(value: ValueShape, packed: bool) -> Self {
        let shape = Self::new(value, Access::List(value.plain));
        FieldShape { cardinality: Cardinality::Repeated, presence: false, packed, ..shape }
    }
}

macro_rules! scalars {
    ($($codec:ident: $value:ty, $ty:ident, $plain:ident;)*) => {$(
        // SAFETY: `VALUE` describes this Rust type.
        unsafe impl<'arena> Described<'arena, $value> for $codec {
            const VALUE: ValueShape = ValueShape { ty: Type::$ty, plain: Plain::$plain, link: Link::None };
        }
    )*};
}

scalars! {
    Int32: i32, Int32, I32; Int64: i64, Int64, I64; Uint32: u32, Uint32, U32; Uint64: u64, Uint64, U64;
    Sint32: i32, Sint32, I32; Sint64: i64, Sint64, I64; Fixed32: u32, Fixed32, U32; Fixed64: u64, Fixed64, U64;
    Sfixed32: i32, Sfixed32, I32; Sfixed64: i64, Sfixed64, I64; Float: f32, Float, F32; Double: f64, Double, F64;
    Bool: bool, Bool, Bool; Str: &'arena str, String, Str; LenientStr: &'arena str, String, Str;
    Bytes: &'arena [u8], Bytes, Bytes;
}

// SAFETY: `VALUE` describes this Rust type.
unsafe impl<'arena, E: Enumeration> Described<'arena, E> for Enum {
    const VALUE: ValueShape = {
        let descriptor = E::__DESCRIPTOR.get();
        ValueShape { ty: Type::Enum, plain: Plain::Enum(descriptor.access), link: Link::Enum(descriptor) }
    };
}

const fn of_messages<'arena, M: Message<'arena>>(ty: Type) -> ValueShape {
    ValueShape { ty, plain: Plain::Message(Layout::new::<M>()), link: Link::Message(M::__DESCRIPTOR.get()) }
}

// SAFETY: `VALUE` describes this Rust type.
unsafe impl<'arena, M: Message<'arena>> Described<'arena, M> for MessageValue {
    const VALUE: ValueShape = of_messages::<M>(Type::Message);
}

// SAFETY: `VALUE` describes this Rust type.
unsafe impl<'arena, M: Message<'arena>> Described<'arena, Lazy<'arena, M>> for LazyMessage {
    const VALUE: ValueShape =
        ValueShape { plain: Plain::Lazy(LazyAccess::of::<M>()), ..of_messages::<M>(Type::Message) };
}

// SAFETY: `SHAPE` describes a field of this Rust type.
unsafe impl<'arena, V: 'arena, C: Described<'arena, V>> Reflected<'arena, V> for Implicit<C> {
    type Value = V;
    const SHAPE: FieldShape =
        FieldShape { presence: false, ..FieldShape::new(C::VALUE, Access::Implicit(C::VALUE.plain)) };
}

// SAFETY: `SHAPE` describes a field of this Rust type.
unsafe impl<'arena, V: 'arena, C: Described<'arena, V>> Reflected<'arena, V> for Required<C> {
    type Value = V;
    const SHAPE: FieldShape = FieldShape {
        cardinality: Cardinality::Required,
        ..FieldShape::new(C::VALUE, Access::Required(C::VALUE.plain))
    };
}

// SAFETY: `SHAPE` describes a field of this Rust type.
unsafe impl<'arena, V: 'arena, C: Described<'arena, V>> Reflected<'arena, Option<V>> for Optional<C> {
    type Value = V;
    const SHAPE: FieldShape = FieldShape::new(C::VALUE, Access::Optional(C::VALUE.plain));
}

// SAFETY: `SHAPE` describes a field of this Rust type.
unsafe impl<'arena, V: 'arena, C: Described<'arena, V>> Reflected<'arena, &'arena [V]> for Repeated<C> {
    type Value = V;
    const SHAPE: FieldShape = FieldShape::repeated(C::VALUE, false);
}

// SAFETY: `SHAPE` describes a field of this Rust type.
unsafe impl<'arena, V: 'arena, C: Described<'arena, V>> Reflected<'arena, &'arena [V]> for Packed<C> {
    type Value = V;
    const SHAPE: FieldShape = FieldShape::repeated(C::VALUE, true);
}

macro_rules! messages {
    ($($ty:ident: $reference:ident, $inline:ident, $list:ident;)*) => {$(
        // SAFETY: `SHAPE` describes a field of this Rust type.
        unsafe impl<'arena, M: Message<'arena>> Reflected<'arena, Option<&'arena M>> for $reference {
            type Value = M;
            const SHAPE: FieldShape = FieldShape::new(of_messages::<M>(Type::$ty), Access::Reference);
        }

        // SAFETY: `SHAPE` describes a field of this Rust type.
        unsafe impl<'arena, M: Message<'arena>> Reflected<'arena, Option<M>> for $inline {
            type Value = M;
            const SHAPE: FieldShape =
                FieldShape::new(of_messages::<M>(Type::$ty), Access::Inline(InlineAccess::of::<M>()));
        }

        // SAFETY: `SHAPE` describes a field of this Rust type.
        unsafe impl<'arena, M: Message<'arena>> Reflected<'arena, &'arena [M]> for $list {
            type Value = M;
            const SHAPE: FieldShape = FieldShape::repeated(of_messages::<M>(Type::$ty), false);
        }
    )*};
}

messages! {
    Message: OptionalMessage, InlineMessage, RepeatedMessage;
    Group: OptionalGroup, InlineGroup, RepeatedGroup;
}

// SAFETY: `SHAPE` describes a field of this Rust type.
unsafe impl<'arena, M: Message<'arena>> Reflected<'arena, Option<Lazy<'arena, M>>> for OptionalLazy {
    type Value = Lazy<'arena, M>;
    const SHAPE: FieldShape = {
        let value = <LazyMessage as Described<'arena, Lazy<'arena, M>>>::VALUE;
        FieldShape::new(value, Access::Optional(value.plain))
    };
}

// SAFETY: `SHAPE` describes a field of this Rust type.
unsafe impl<'arena, K, V, KC, VC> Reflected<'arena, Map<'arena, K, V>> for MapOf<KC, VC>
where
    K: MapKey + 'arena,
    V: Copy + 'arena,
    KC: Described<'arena, K>,
    VC: Described<'arena, V>,
{
    type Value = V;
    const SHAPE: FieldShape = {
        let access: &'static MapAccess = const {
            &MapAccess::of::<K, V>((KC::VALUE.plain, KC::VALUE.ty), (VC::VALUE.plain, VC::VALUE.link), PhantomData)
        };
        FieldShape {
            cardinality: Cardinality::Repeated,
            presence: false,
            ..FieldShape::new(VC::VALUE, Access::Map(access))
        }
    };
}
