//! How derive output makes descriptors.
//!
//! Unsafe code reads and writes fields at the offsets that a descriptor states, so a descriptor must never describe another
//! message's fields. Two rules ensure that:
//!
//! * [`FieldOf`], [`OneofOf`] and [`DescriptorOf`] carry the type of their message. The parts of one message do not fit
//!   another.
//! * The functions that take the place of a field are `unsafe`: a reference has the right type, but only the caller knows
//!   that it leads to a field. Derive output writes `&message.field` in the same expression.
#![expect(unsafe_code, reason = "trusts the places of fields")]

use core::alloc::Layout;
use core::any::TypeId;
use core::fmt;
use core::marker::PhantomData;

use super::field::NO_ONEOF;
use super::{
    Access, FieldDescriptor, FieldShape, Member, MessageDescriptor, Names, OneofAccess, OneofDescriptor, Reflected,
    WellKnown,
};
use crate::codec::Oneof;
use crate::message::Message;
use crate::table::offset_of;
use crate::unknown::UnknownFields;

/// The descriptor of a field of the message `M`.
///
/// Invariant: at the offset of the field, every `M` has a value of the type that the field describes.
#[repr(transparent)]
pub struct FieldOf<M> {
    field: FieldDescriptor,
    message: PhantomData<fn(M) -> M>,
}

impl<M: Message<'static>> FieldOf<M> {
    /// Describes the field `field` of the default message `message`, which is read and written as `F`.
    ///
    /// # Safety
    /// `field` refers to a field of the struct `message`: a place where every `M` has a `T`.
    #[must_use]
    pub const unsafe fn new<F: Reflected<'static, T>, T>(message: &M, field: &T, number: u32, names: Names) -> Self {
        // SAFETY: the caller promises that `field` is a field of `message`.
        let offset = unsafe { offset_of(message, field) };
        let field = FieldDescriptor::of_shape(F::SHAPE, offset, size_of::<T>() as u32, number, names);
        FieldOf { field, message: PhantomData }
    }

    /// Describes a field with a declared default.
    ///
    /// # Safety
    /// As of [`new`](Self::new).
    #[must_use]
    pub const unsafe fn with_default<F: Reflected<'static, T>, T>(
        message: &M,
        field: &T,
        number: u32,
        names: Names,
        default: &'static F::Value,
    ) -> Self {
        // SAFETY: the same contract.
        let mut described = unsafe { Self::new::<F, T>(message, field, number, names) };
        described.field.default = core::ptr::from_ref(default).cast();
        described
    }

    /// The declared default of a field, as a value of the field's type: a literal alone would not say which.
    #[must_use]
    // TRUST: unsafe code does not rely on it: it returns its argument.
    pub const fn value<F: Reflected<'static, T, Value: Copy>, T>(value: F::Value) -> F::Value {
        value
    }

    /// Describes the member `number` of the oneof `field` of the default message `message`.
    ///
    /// # Safety
    /// `field` refers to a field of the struct `message`: a place where every `M` has an `Option<O>`.
    #[must_use]
    pub const unsafe fn member<O: Oneof<'static>>(message: &M, field: &Option<O>, number: u32, oneof: u16) -> Self {
        // The derive sorts the members by number.
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
        // SAFETY: the caller promises that `field` is a field of `message`.
        let offset = unsafe { offset_of(message, field) };
        let shape = FieldShape { access: Access::Member, ..shape };
        let size = size_of::<Option<O>>() as u32;
        let field = FieldDescriptor::of_shape(shape, offset, size, number, names);
        let field = field.member_of(oneof);
        let field = if redacted { field.redacted() } else { field };
        FieldOf { field, message: PhantomData }
    }

    /// The field with the label `required`.
    #[must_use]
    // TRUST: unsafe code does not rely on it: it changes the label, which decides what is an error.
    pub const fn required(self) -> Self {
        FieldOf { field: self.field.required(), message: PhantomData }
    }

    /// The field with the option `debug_redact`.
    #[must_use]
    // TRUST: unsafe code does not rely on it: it changes what is printed.
    pub const fn redacted(self) -> Self {
        FieldOf { field: self.field.redacted(), message: PhantomData }
    }

    /// Indices of fields in the order of their JSON names, then in the order of their names. `N` is twice the number of
    /// fields.
    #[must_use]
    // TRUST: unsafe code does not rely on it: lookups use `get`, so a wrong order finds another field or none.
    pub const fn order<const N: usize>(fields: &'static [Self]) -> [u16; N] {
        order(Self::untyped(fields))
    }

    /// The fields without the type of their message.
    const fn untyped(fields: &'static [Self]) -> &'static [FieldDescriptor] {
        // SAFETY: the same slice, because `FieldOf` is a transparent wrapper of `FieldDescriptor`.
        unsafe { core::slice::from_raw_parts(fields.as_ptr().cast(), fields.len()) }
    }
}

impl<M> fmt::Debug for FieldOf<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.field.fmt(f)
    }
}

/// The descriptor of a oneof of the message `M`.
///
/// Invariant: at the offset of the oneof, every `M` has a value of the type that the descriptor's access is made for.
#[repr(transparent)]
pub struct OneofOf<M> {
    oneof: OneofDescriptor,
    message: PhantomData<fn(M) -> M>,
}

impl<M: Message<'static>> OneofOf<M> {
    /// Describes the oneof `field` of the default message `message`.
    ///
    /// # Safety
    /// `field` refers to a field of the struct `message`: a place where every `M` has an `Option<O>`.
    #[must_use]
    pub const unsafe fn new<O: Oneof<'static>>(message: &M, field: &Option<O>, name: &'static str, index: u16) -> Self {
        // SAFETY: the caller promises that `field` is a field of `message`.
        let offset = unsafe { offset_of(message, field) };
        let oneof = OneofDescriptor { name, index, offset, access: Some(OneofAccess::of::<O>()) };
        OneofOf { oneof, message: PhantomData }
    }
}

impl<M> fmt::Debug for OneofOf<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.oneof.fmt(f)
    }
}

/// The descriptor of the message `M`.
///
/// Invariant: all of it describes `M`.
#[repr(transparent)]
pub struct DescriptorOf<M> {
    descriptor: MessageDescriptor,
    message: PhantomData<fn(M) -> M>,
}

impl<M: Message<'static>> DescriptorOf<M> {
    /// Describes the message type of the default message `message`.
    ///
    /// # Safety
    /// `unknown` refers to the unknown fields of the struct `message`.
    ///
    /// # Panics
    /// When a field names a oneof that is another field. The derive calls this in constants only, where a panic is a compile
    /// error.
    #[must_use]
    pub const unsafe fn new(
        message: &'static M,
        unknown: &UnknownFields<'static>,
        fields: &'static [FieldOf<M>],
        oneofs: &'static [OneofOf<M>],
        order: &'static [u16],
    ) -> Self {
        let fields = FieldOf::untyped(fields);
        // SAFETY: the same slice, because `OneofOf` is a transparent wrapper of `OneofDescriptor`.
        let oneofs: &[OneofDescriptor] = unsafe { core::slice::from_raw_parts(oneofs.as_ptr().cast(), oneofs.len()) };
        // A member is read and written by its oneof's access, so both have to be the same field.
        let mut index = 0;
        while index < fields.len() {
            let FieldDescriptor { oneof, offset, .. } = fields[index];
            if oneof != NO_ONEOF {
                assert!(oneofs[oneof as usize].offset == offset, "a member is in another oneof");
            }
            index += 1;
        }
        let name = M::TABLE.name;
        // SAFETY: the caller promises that `unknown` is a field of `message`.
        let unknown = unsafe { offset_of(message, unknown) };
        let descriptor = MessageDescriptor {
            name,
            fields,
            order,
            oneofs,
            layout: Layout::new::<M>(),
            default: core::ptr::from_ref(message).cast(),
            unknown,
            message_set: false,
            required: required(fields),
            identity: Some(TypeId::of::<M>),
            well_known: WellKnown::of(name),
            reserved: &[],
            class: None,
        };
        DescriptorOf { descriptor, message: PhantomData }
    }

    /// The descriptor with reserved names.
    #[must_use]
    // TRUST: unsafe code does not rely on it: it is text.
    pub const fn reserved(mut self, names: &'static [&'static str]) -> Self {
        self.descriptor.reserved = names;
        self
    }

    /// The descriptor of a message set.
    #[must_use]
    // TRUST: unsafe code does not rely on it: both ways to write unknown fields are sound for every message.
    pub const fn message_set(mut self) -> Self {
        self.descriptor.message_set = true;
        self
    }

    pub(super) const fn descriptor(&'static self) -> &'static MessageDescriptor {
        &self.descriptor
    }
}

impl<M> fmt::Debug for DescriptorOf<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.descriptor.fmt(f)
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

/// Indices of fields in the order of their JSON names, and again in that of their names: `N` is twice the number of fields.
///
/// Messages of thousands of fields have it too, and the compiler counts its steps: runs are merged.
#[must_use]
pub(crate) const fn order<const N: usize>(fields: &[FieldDescriptor]) -> [u16; N] {
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
