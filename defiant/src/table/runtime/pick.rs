//! From what a descriptor says of a field to its handlers.
#![expect(unsafe_code, reason = "reads and writes slices of messages of which only the class is known")]

use core::ptr::NonNull;

use super::super::child::{Reference, Slice, merge_reference};
use super::super::code::OfClass;
use super::super::handlers::{Child, Encode, Handlers, Of, OfPartial, no_other};
use super::super::{AnyClass, FieldEntry, HoldsMessages};
use super::RuntimeClass;
use super::closed::{self, Numbers};
use super::entries::{self, Entries};
use super::slot::{self, InSlot, Slot};
use crate::codec::{
    Bool, Bytes, Double, Field, Fixed32, Fixed64, Float, Implicit, Int32, Int64, LenientStr, Optional, Packed,
    PackedField, Repeated, Required, Sfixed32, Sfixed64, Sint32, Sint64, Str, Uint32, Uint64, untyped,
};
use crate::descriptor::Type;
use crate::unknown::UnknownFields;
use crate::wire::context::{Context, Fault};
use crate::wire::reader::Cursor;

/// Cardinality and presence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Implicit,
    Optional,
    Required,
    Repeated,
    Packed,
    /// A member of a oneof.
    Member,
}

/// What the values of a field are.
#[derive(Clone, Copy)]
pub(crate) enum Values {
    /// Scalars and strings, and open enums as `int32`.
    Scalar(Type),
    /// Strings that go to the unknown fields where they are not UTF-8.
    Lenient,
    /// A closed enum.
    Closed(NonNull<Numbers>),
    Message(NonNull<RuntimeClass>),
    Group(NonNull<RuntimeClass>),
    /// A map, whatever the shape.
    Map(NonNull<Entries>),
}

/// The handlers of a field: shared ones, or those that have to be made for it.
pub(crate) enum Picked {
    Shared(&'static Handlers<'static>),
    Own(Handlers<'static>),
}

/// Finds the handlers of a field.
pub(crate) fn handlers(shape: Shape, values: Values) -> Picked {
    /// Of a codec whose values may be packed.
    macro_rules! number {
        ($codec:ty, $value:ty) => {
            match shape {
                Shape::Implicit => Of::<Implicit<$codec>, $value>::FIELD,
                Shape::Optional => Of::<Optional<$codec>, Option<$value>>::FIELD,
                Shape::Required => Of::<Required<$codec>, $value>::FIELD,
                Shape::Repeated => Of::<Repeated<$codec>, &'static [$value]>::PACKABLE,
                Shape::Packed => Of::<Packed<$codec>, &'static [$value]>::PACKABLE,
                Shape::Member => Of::<InSlot<$codec>, Slot<$value>>::FIELD,
            }
        };
    }
    /// Of any other codec.
    macro_rules! text {
        ($codec:ty, $value:ty, $required:expr) => {
            match shape {
                Shape::Implicit => Of::<Implicit<$codec>, &'static $value>::FIELD,
                Shape::Optional => Of::<Optional<$codec>, Option<&'static $value>>::FIELD,
                Shape::Required => $required,
                Shape::Repeated | Shape::Packed => Of::<Repeated<$codec>, &'static [&'static $value]>::FIELD,
                Shape::Member => Of::<InSlot<$codec>, Slot<&'static $value>>::FIELD,
            }
        };
    }
    let shared = match values {
        Values::Lenient => text!(LenientStr, str, OfPartial::<LenientStr, &'static str>::FIELD),
        Values::Scalar(ty) => match ty {
            Type::Double => number!(Double, f64),
            Type::Float => number!(Float, f32),
            Type::Int64 => number!(Int64, i64),
            Type::Uint64 => number!(Uint64, u64),
            Type::Fixed64 => number!(Fixed64, u64),
            Type::Fixed32 => number!(Fixed32, u32),
            Type::Bool => number!(Bool, bool),
            Type::String => text!(Str, str, Of::<Required<Str>, &'static str>::FIELD),
            Type::Bytes => text!(Bytes, [u8], Of::<Required<Bytes>, &'static [u8]>::FIELD),
            Type::Uint32 => number!(Uint32, u32),
            Type::Sfixed32 => number!(Sfixed32, i32),
            Type::Sfixed64 => number!(Sfixed64, i64),
            Type::Sint32 => number!(Sint32, i32),
            Type::Sint64 => number!(Sint64, i64),
            Type::Int32 | Type::Enum | Type::Message | Type::Group => number!(Int32, i32),
        },
        Values::Closed(numbers) => {
            return Picked::Own(match shape {
                // There is no implicit presence of closed enums.
                Shape::Implicit | Shape::Optional => closed::optional(numbers),
                Shape::Required => closed::required(numbers),
                Shape::Repeated => closed::list(false, numbers),
                Shape::Packed => closed::list(true, numbers),
                Shape::Member => closed::member(numbers),
            });
        }
        Values::Message(class) => return Picked::Own(message::<false>(shape, class)),
        Values::Group(class) => return Picked::Own(message::<true>(shape, class)),
        Values::Map(map) => return Picked::Own(entries::map(map)),
    };
    Picked::Shared(shared)
}

/// The handlers of a field of type `T` that is read and written as `F`.
pub(crate) fn of_field<F: Field<'static, T>, T>() -> &'static Handlers<'static> {
    Of::<F, T>::FIELD
}

/// The same of one that may be packed.
pub(crate) fn of_packable<F: PackedField<'static, T>, T>() -> &'static Handlers<'static> {
    Of::<F, T>::PACKABLE
}

/// The same of one that holds messages.
pub(crate) fn of_messages<F: HoldsMessages<'static, T>, T>() -> &'static Handlers<'static> {
    F::HANDLERS
}

fn message<const GROUP: bool>(shape: Shape, class: NonNull<RuntimeClass>) -> Handlers<'static> {
    // `RuntimeClass` is transparent.
    let class = class.cast::<AnyClass<'static>>();
    match shape {
        Shape::Member => slot::message::<GROUP>(class),
        Shape::Repeated | Shape::Packed => Handlers {
            merge: merge_slice::<GROUP>,
            other_types: 0,
            merge_other: no_other,
            encode: Some(Encode::with::<Slice<GROUP>>()),
            child: Child::At(class),
        },
        Shape::Implicit | Shape::Optional | Shape::Required => Handlers {
            merge: merge_reference::<GROUP>,
            other_types: 0,
            merge_other: no_other,
            encode: Some(Encode::with::<Reference<GROUP>>()),
            child: Child::At(class),
        },
    }
}

/// # Safety
/// The pointer is to a slice of messages of the entry's class.
unsafe fn merge_slice<'arena, const GROUP: bool>(
    field: *mut u8,
    _: &mut UnknownFields<'arena>,
    entry: &FieldEntry<'arena>,
    at: Cursor,
    cx: &mut Context<'arena>,
) -> Cursor {
    let Some(class) = entry.handlers.child.class() else { return cx.failed(Fault::Tag, at.ptr) };
    // SAFETY: as required of the caller: a slice's reference is an address and a length, whatever its elements are.
    let slot = unsafe { &mut *field.cast::<*const [()]>() };
    let (layout, default) = (class.layout, class.default);
    // SAFETY: messages of the class.
    unsafe { untyped::merge_messages::<GROUP, _>(OfClass(class), layout, default, slot, entry.tag, at, cx) }
}
