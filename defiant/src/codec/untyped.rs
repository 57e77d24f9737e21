//! Repeated messages of which only the size is known: [`repeated`](super::repeated) without types.
#![expect(unsafe_code, reason = "fills arena memory element by element before a slice refers to it")]

use core::alloc::Layout;
use core::ptr::NonNull;

use super::message::Kind;
use super::repeated::{count_run, expected, predicted};
use super::{Delimited, Enclosure, Group};
use crate::wire::context::{Context, Fault, Reopened};
use crate::wire::reader::Cursor;
use crate::wire::tag::TagBytes;

/// Elements under construction.
///
/// Invariant: as of `Growing`, for elements of the layout, whose size is a multiple of its alignment.
struct Elements {
    layout: Layout,
    ptr: NonNull<u8>,
    len: usize,
    capacity: usize,
    before: usize,
    reopened: Option<(usize, usize)>,
}

impl Elements {
    /// Takes the elements out of a field.
    fn open(layout: Layout, slot: &mut *const [()], at: Cursor, cx: &Context<'_>) -> Self {
        let slice = core::mem::replace(slot, EMPTY);
        let len = slice.len();
        if len == 0 {
            return Elements { layout, ptr: NonNull::dangling(), len, capacity: 0, before: 0, reopened: None };
        }
        if let Some(found) = cx.find_reopened(slice.addr()) {
            if let Some(ptr) = NonNull::new(found.ptr) {
                return Elements {
                    layout,
                    ptr,
                    len,
                    capacity: found.capacity,
                    before: len,
                    reopened: Some(found.first),
                };
            }
        }
        // Memory of unknown origin is not written to: without spare capacity, the next element copies it.
        let first = (len, cx.offset(at.ptr));
        let ptr = NonNull::new(slice.cast_mut().cast()).unwrap_or(NonNull::dangling());
        Elements { layout, ptr, len, capacity: len, before: len, reopened: Some(first) }
    }

    /// Puts the elements back into the field.
    fn close(self, slot: &mut *const [()], cx: &mut Context<'_>) -> Result<(), Fault> {
        cx.count_elements(self.len - self.before)?;
        if let Some(first) = self.reopened {
            cx.remember_reopened(Reopened { ptr: self.ptr.as_ptr(), capacity: self.capacity, first })?;
        }
        *slot = core::ptr::slice_from_raw_parts(self.ptr.as_ptr().cast_const().cast(), self.len);
        Ok(())
    }

    fn is_full(&self) -> bool {
        self.len == self.capacity
    }

    /// Memory for so many elements.
    fn room(&self, elements: usize) -> Result<Layout, Fault> {
        let size = self.layout.size().checked_mul(elements).ok_or(Fault::Memory)?;
        Layout::from_size_align(size, self.layout.align()).map_err(|_| Fault::Memory)
    }

    /// Makes room for at least `more` further elements, and for those that are to be expected.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, more: usize, at: Cursor, cx: &mut Context<'_>) -> Result<(), Fault> {
        if self.capacity == 0 {
            // They are there.
            cx.has_elements_left(more)?;
            self.ptr = cx.alloc(self.room(more)?).ok_or(Fault::Memory)?;
            self.capacity = more;
            return Ok(());
        }
        let expected = expected(self.len, self.reopened, more, at, cx);
        let capacity = self.len.checked_add(expected).ok_or(Fault::Memory)?;
        let (room, size) = (self.room(capacity)?, self.layout.size());
        // SAFETY: the invariant, and the capacity only grows.
        self.ptr = unsafe { cx.grow_bytes(self.ptr, self.len * size, self.capacity * size, room)? };
        self.capacity = capacity;
        Ok(())
    }

    /// Gives back what was predicted in vain, where that is more than an eighth.
    fn trim(&mut self, cx: &mut Context<'_>) {
        let size = self.layout.size();
        if self.reopened.is_some() || self.capacity - self.len <= self.capacity / 8 {
            return;
        }
        // SAFETY: the invariant; memory is remembered only of fields that occur again. What is given back is a multiple of
        // the alignment.
        if let Some(ptr) = unsafe { cx.shrink_array(self.ptr, self.len * size, self.capacity * size) } {
            self.ptr = ptr;
            self.capacity = self.len;
        }
    }
}

/// No elements, at an address that is aligned for all.
pub(crate) const EMPTY: *const [()] =
    core::ptr::slice_from_raw_parts(core::ptr::without_provenance::<()>(align_of::<u128>()), 0);

/// Reads a run of elements that are messages of a kind.
///
/// # Safety
/// `slot` is a slice of messages of the kind, which are of the layout; `default` is one with nothing set.
pub(crate) unsafe fn merge_messages<'arena, const GROUP: bool, K: Kind<'arena>>(
    kind: K,
    layout: Layout,
    default: NonNull<u8>,
    slot: &mut *const [()],
    tag: u32,
    at: Cursor,
    cx: &mut Context<'arena>,
) -> Cursor {
    let begin = at.ptr;
    let left = if GROUP {
        // SAFETY: as required of the caller.
        unsafe { read::<K, Group>(kind, layout, default, slot, tag, at, cx) }
    } else {
        // SAFETY: as required of the caller.
        unsafe { read::<K, Delimited>(kind, layout, default, slot, tag, at, cx) }
    };
    left.unwrap_or_else(|fault| cx.failed(fault, begin))
}

/// # Safety
/// As [`merge_messages`].
#[cfg_attr(not(debug_assertions), inline(always))]
unsafe fn read<'arena, K: Kind<'arena>, E: Enclosure>(
    kind: K,
    layout: Layout,
    default: NonNull<u8>,
    slot: &mut *const [()],
    tag: u32,
    at: Cursor,
    cx: &mut Context<'arena>,
) -> Result<Cursor, Fault> {
    let tag_bytes = TagBytes::new(tag);
    let mut elements = Elements::open(layout, slot, at, cx);
    cx.descend()?;
    if elements.is_full() {
        // A group's end cannot be hopped to; its run is predicted once a few elements are read.
        let count = if E::GROUP { 1 } else { count_run(at, tag, tag_bytes, cx) };
        elements.grow(count, at, cx)?;
    }
    let before = elements.len;
    let begin = cx.offset(at.ptr);
    let mut at = at;
    loop {
        // SAFETY: there is room.
        let element = unsafe { elements.ptr.add(elements.len * layout.size()) };
        // SAFETY: a message of the kind, and memory for one.
        unsafe { element.copy_from_nonoverlapping(default, layout.size()) };
        // SAFETY: a message of the kind, in memory of this decode that nothing else refers to: the slot was emptied.
        let decode = |at, cx: &mut Context<'arena>, scope| unsafe { kind.merge(element, at, cx, scope) };
        at = E::enter(decode, false, tag, at, cx).map_err(|fault| cx.fault(fault, at.ptr))?;
        elements.len += 1;
        if !at.next_is(tag_bytes, cx) {
            break;
        }
        at = at.skip(tag_bytes.len);
        if elements.is_full() {
            let (more, cautious) = predicted(before, elements.len, begin, at, cx);
            let grown = elements.grow(more, at, cx).or_else(|_| elements.grow(cautious, at, cx));
            grown.map_err(|fault| cx.fault(fault, at.ptr))?;
        }
    }
    cx.ascend();
    if E::GROUP {
        elements.trim(cx);
    }
    elements.close(slot, cx).map_err(|fault| cx.fault(fault, at.ptr))?;
    Ok(at)
}
