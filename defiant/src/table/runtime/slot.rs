//! Members of oneofs: all of a oneof share one place, which says by its number whose value is there.
#![expect(unsafe_code, reason = "the number says of which type the value is")]

use core::alloc::Layout;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ptr::NonNull;

use crate::codec::{Codec, Field};
use crate::unknown::UnknownFields;
use crate::wire::context::{Context, Fault};
use crate::wire::reader::{Cursor, Reader};
use crate::wire::writer::Sink;

use super::super::AnyClass;
use super::super::FieldEntry;
use super::super::code::{encode_enclosed, merge_message};
use super::super::encode::Fields;
use super::super::handlers::{Child, Encode, Encodes, Handlers, no_other};

/// The place of a oneof, as one member sees it.
///
/// Invariant: while `number` is a member's, `value` is one of that member's type.
#[repr(C, align(8))]
pub(super) struct Slot<T> {
    /// The member in force, or 0.
    number: u32,
    padding: u32,
    value: MaybeUninit<T>,
}

/// Where in the place of a oneof the value is, whatever its type.
pub(crate) const VALUE_OFFSET: usize = 8;

/// The layout of the place of a oneof of which no value takes more than so many bytes.
pub(crate) fn layout(largest: usize) -> Layout {
    let size = VALUE_OFFSET + largest.next_multiple_of(align_of::<Slot<()>>());
    Layout::from_size_align(size, align_of::<Slot<()>>()).unwrap_or(Layout::new::<Slot<()>>())
}

impl<T> Slot<T> {
    /// Whether the value of a member lies where [`VALUE_OFFSET`] says.
    const IN_PLACE: () = assert!(core::mem::offset_of!(Slot<T>, value) == VALUE_OFFSET && align_of::<T>() <= 8);

    fn set(&mut self, number: u32, value: T) {
        const { Self::IN_PLACE };
        self.number = number;
        self.value.write(value);
    }
}

impl<T: Copy> Slot<T> {
    /// The value of a member, which is of type `T`, if it is in force.
    ///
    /// # Safety
    /// The member of this number is of type `T`.
    pub(super) unsafe fn get(&self, number: u32) -> Option<T> {
        // SAFETY: the invariant.
        (self.number == number).then(|| unsafe { self.value.assume_init() })
    }

    /// As [`get`](Self::get), in place.
    pub(super) fn put(&mut self, number: u32, value: T) {
        self.set(number, value);
    }
}

/// A member of a codec.
pub(super) struct InSlot<C>(PhantomData<C>);

// SAFETY: `merge` reads one occurrence into the field and keeps no copy of what it reads.
unsafe impl<'arena, T: Copy, C: Codec<'arena, T>> Field<'arena, Slot<T>> for InSlot<C> {
    const DEFAULT: Slot<T> = Slot { number: 0, padding: 0, value: MaybeUninit::uninit() };

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn merge(
        field: &mut Slot<T>,
        unknown: &mut UnknownFields<'arena>,
        r: &mut Reader<'_, 'arena>,
        tag: u32,
    ) -> Result<(), Fault> {
        if let Some(value) = C::read(r, unknown, tag)? {
            field.set(tag >> 3, value);
        }
        Ok(())
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn encode<S: Sink<'arena>>(field: &Slot<T>, sink: &mut S, number: u32) {
        // SAFETY: the entries of the slot's oneof have the handlers of their members' types.
        if let Some(value) = unsafe { field.get(number) } {
            C::write(value, sink, number);
        }
    }
}

/// The handlers of a member that is a message, by reference.
pub(super) fn message<const GROUP: bool>(class: NonNull<AnyClass<'static>>) -> Handlers<'static> {
    Handlers {
        merge: merge::<GROUP>,
        other_types: 0,
        merge_other: no_other,
        encode: Some(Encode::with::<Member<GROUP>>()),
        child: Child::At(class),
    }
}

struct Member<const GROUP: bool>;

/// # Safety
/// The pointer is to the slot of the entry's oneof.
unsafe fn merge<'arena, const GROUP: bool>(
    field: *mut u8,
    _: &mut UnknownFields<'arena>,
    entry: &FieldEntry<'arena>,
    at: Cursor,
    cx: &mut Context<'arena>,
) -> Cursor {
    let Some(class) = entry.handlers.child.class() else { return cx.failed(Fault::Tag, at.ptr) };
    // SAFETY: as required of the caller.
    let slot = unsafe { &mut *field.cast::<Slot<NonNull<u8>>>() };
    // SAFETY: a member that is a message has a pointer in the slot.
    let mut message = unsafe { slot.get(entry.number()) };
    // The function takes it, so that there is no other reference while it is written to.
    slot.number = 0;
    // SAFETY: the member holds messages of the class.
    let left = unsafe { merge_message::<GROUP>(class, &mut message, entry.tag, at, cx) };
    if let Some(message) = message {
        slot.set(entry.number(), message);
    }
    left
}

impl<'arena, const GROUP: bool> Encodes<'arena> for Member<GROUP> {
    unsafe fn encode<S: Sink<'arena>>(field: *const u8, entry: &FieldEntry<'arena>, sink: &mut S) {
        // SAFETY: as in `merge`.
        let slot = unsafe { &*field.cast::<Slot<NonNull<u8>>>() };
        // SAFETY: as in `merge`.
        let message = unsafe { slot.get(entry.number()) };
        if let (Some(message), Some(class)) = (message, entry.handlers.child.class()) {
            // SAFETY: a message of the class, which lives as long as the one that refers to it.
            let fields = unsafe { Fields::new(class, message.as_ptr()) };
            sink.call(|sink| encode_enclosed::<GROUP, _>(fields, sink, entry.number()));
        }
    }
}
