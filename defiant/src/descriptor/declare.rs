//! What the derive calls to make descriptors, through `__private` only: it answers for the values and places that it
//! passes being those of the message.

use core::alloc::Layout;
use core::any::TypeId;

use super::{
    Access, FieldDescriptor, FieldShape, Member, MessageDescriptor, Names, OneofAccess, OneofDescriptor, Reflected,
    WellKnown,
};
use crate::codec::Oneof;
use crate::message::Message;
use crate::table::offset_of;
use crate::unknown::UnknownFields;

/// The descriptor of a message: `message` is the default message, `unknown` its unknown fields, and `identity` tells its
/// `'static` form from all other types.
#[must_use]
pub const fn describe_message<'arena, M: Message<'arena>>(
    message: &'static M,
    unknown: &UnknownFields<'arena>,
    fields: &'static [FieldDescriptor],
    oneofs: &'static [OneofDescriptor],
    order: &'static [u16],
    identity: fn() -> TypeId,
) -> MessageDescriptor {
    let name = M::TABLE.name;
    MessageDescriptor {
        name,
        fields,
        order,
        oneofs,
        layout: Layout::new::<M>(),
        default: core::ptr::from_ref(message).cast(),
        unknown: offset_of(message, unknown),
        message_set: false,
        required: required(fields),
        identity: Some(identity),
        well_known: WellKnown::of(name),
        reserved: &[],
        class: None,
    }
}

impl MessageDescriptor {
    /// The same with reserved names.
    #[doc(hidden)]
    #[must_use]
    pub const fn reserved(mut self, names: &'static [&'static str]) -> Self {
        self.reserved = names;
        self
    }

    /// The same for a message set.
    #[doc(hidden)]
    #[must_use]
    pub const fn message_set(mut self) -> Self {
        self.message_set = true;
        self
    }
}

/// How many of the fields are required.
pub(crate) const fn required(fields: &[FieldDescriptor]) -> u16 {
    let (mut count, mut index) = (0, 0);
    while index < fields.len() {
        count += fields[index].is_required() as u16;
        index += 1;
    }
    count
}

/// The descriptor of the oneof in the field `field`.
#[must_use]
pub const fn describe_oneof<'arena, O: Oneof<'arena>>(
    _field: &Option<O>,
    name: &'static str,
    index: u16,
) -> OneofDescriptor {
    OneofDescriptor { name, index, access: Some(OneofAccess::of::<O>()) }
}

/// The descriptor of the field `field` of the default message `message`, read and written as `F`.
#[must_use]
pub const fn describe_field<'arena, F: Reflected<'arena, T>, T>(
    message: &impl Message<'arena>,
    field: &T,
    number: u32,
    names: Names,
) -> FieldDescriptor {
    let offset = offset_of(message, field);
    FieldDescriptor::of_shape(F::SHAPE, offset, size_of::<T>() as u32, number, names)
}

/// The descriptor of the member `number` of a oneof.
#[must_use]
pub const fn describe_member<'arena, O: Oneof<'arena>>(
    message: &impl Message<'arena>,
    field: &Option<O>,
    number: u32,
    oneof: u16,
) -> FieldDescriptor {
    // The derive has sorted them.
    let members = O::__MEMBERS;
    let (mut index, mut end) = (0, members.len());
    while end - index > 1 {
        let middle = usize::midpoint(index, end);
        if members[middle].number <= number {
            index = middle;
        } else {
            end = middle;
        }
    }
    let Member { names, shape, redacted, .. } = members[index];
    assert!(members[index].number == number, "the oneof has no member of this number");
    let offset = offset_of(message, field);
    let shape = FieldShape { access: Access::Member, ..shape };
    let size = size_of::<Option<O>>() as u32;
    let field = FieldDescriptor::of_shape(shape, offset, size, number, names);
    let field = field.member_of(oneof);
    if redacted { field.redacted() } else { field }
}

impl FieldDescriptor {
    /// The same with a declared default.
    #[doc(hidden)]
    #[must_use]
    pub const fn with_default<'arena, F: Reflected<'arena, T>, T>(mut self, default: &'arena F::Value) -> Self {
        self.default = core::ptr::from_ref(default).cast();
        self
    }
}

/// The value of a field of type `T` that is read and written as `F`: so that a literal becomes one.
#[must_use]
pub const fn value<'arena, F: Reflected<'arena, T>, T>(value: F::Value) -> F::Value {
    value
}

/// Indices of fields in the order of their JSON names, and again in that of their names: `N` is twice the number of fields.
///
/// Messages of thousands of fields have it too, and the compiler counts its steps: runs are merged.
#[must_use]
pub const fn order<const N: usize>(fields: &[FieldDescriptor]) -> [u16; N] {
    assert!(2 * fields.len() == N && fields.len() < u16::MAX as usize, "as many as the message has fields");
    let mut order = [0; N];
    let mut index = 0;
    while index < N {
        order[index] = (index % fields.len()) as u16;
        index += 1;
    }
    let (mut merged, mut run) = (order, 1);
    while run < fields.len() {
        let mut first = 0;
        while first < fields.len() {
            let second = least(first + run, fields.len());
            let end = least(second + run, fields.len());
            merge(&order, &mut merged, [first, second, end], fields, true);
            let base = fields.len();
            merge(&order, &mut merged, [base + first, base + second, base + end], fields, false);
            first = end;
        }
        order = merged;
        run *= 2;
    }
    order
}

const fn least(left: usize, right: usize) -> usize {
    if left < right { left } else { right }
}

/// Makes one run of two: `[first, second, end]` says where they begin and where the second ends. Of fields with the same
/// name, the one that comes later goes first.
const fn merge(from: &[u16], to: &mut [u16], bounds: [usize; 3], fields: &[FieldDescriptor], json: bool) {
    const fn name(field: &FieldDescriptor, json: bool) -> &[u8] {
        if json { field.names().json_name().as_bytes() } else { field.names().name().as_bytes() }
    }
    let [first, second, end] = bounds;
    let (mut left, mut right, mut at) = (first, second, first);
    while at < end {
        let take_left = if left == second {
            false
        } else if right == end {
            true
        } else {
            is_less(name(&fields[from[left] as usize], json), name(&fields[from[right] as usize], json))
        };
        let taken = if take_left { &mut left } else { &mut right };
        to[at] = from[*taken];
        *taken += 1;
        at += 1;
    }
}

const fn is_less(left: &[u8], right: &[u8]) -> bool {
    let mut index = 0;
    while index < left.len() && index < right.len() {
        if left[index] != right[index] {
            return left[index] < right[index];
        }
        index += 1;
    }
    left.len() < right.len()
}
