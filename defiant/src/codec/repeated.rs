//! Repeated fields, decoded in their final place.
#![expect(unsafe_code, reason = "fills arena memory element by element before a slice refers to it")]

use core::marker::PhantomData;
use core::ptr::NonNull;

use super::field::{Field, PackedField};
use super::scalar::{Codec, Packable};
use super::{Delimited, Enclosure, Group, packed};
use crate::message::Message;
use crate::table::Code;
use crate::unknown::UnknownFields;
use crate::wire::context::{Context, Fault, Reopened};
use crate::wire::reader::{Cursor, Reader};
use crate::wire::tag::{TagBytes, wire_type};
use crate::wire::varint;
use crate::wire::writer::Sink;

/// A repeated field under construction.
///
/// Invariant: the first `len` elements at `ptr` are initialised. If `capacity > len`, or if the memory was taken by this
/// decode, nothing but the emptied slot referred to it, and `capacity` elements fit. Elements of no size, as of a closed enum
/// with one value, are in no memory: their address, which may be anything's, is never looked up nor remembered.
pub(super) struct Growing<T> {
    pub(super) ptr: NonNull<T>,
    pub(super) len: usize,
    pub(super) capacity: usize,
    /// Set if the field had elements before, or if they are counted. If there were some, its memory is remembered for the next
    /// time.
    reopened: Option<Reopening>,
}

/// What is known of a field that had elements before, or whose elements are counted.
#[derive(Clone, Copy)]
struct Reopening {
    /// How many there were, and at which offset, when it was first seen that there were some.
    first: (usize, usize),
    /// How many there were this time.
    before: usize,
}

impl<T: Copy> Growing<T> {
    /// Takes the elements out of a field.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn open(slot: &mut &[T], at: Cursor, cx: &Context<'_>) -> Self {
        if cx.begins_uncounted(slot.len()) {
            return Growing { ptr: NonNull::dangling(), len: 0, capacity: 0, reopened: None };
        }
        Self::reopen(core::mem::take(slot), at, cx)
    }

    #[cold]
    #[inline(never)]
    fn reopen(slice: &[T], at: Cursor, cx: &Context<'_>) -> Self {
        let len = slice.len();
        let in_memory = len > 0 && size_of::<T>() > 0;
        if let Some(found) = if in_memory { cx.find_reopened(slice.as_ptr().addr()) } else { None } {
            if let Some(ptr) = NonNull::new(found.ptr.cast()) {
                let reopened = Some(Reopening { first: found.first, before: len });
                return Growing { ptr, len, capacity: found.capacity, reopened };
            }
        }
        // Memory of unknown origin is not written to: without spare capacity, the next element copies it.
        let first = (len, cx.offset(at.ptr));
        let reopened = Some(Reopening { first, before: len });
        Growing { ptr: NonNull::from(slice).cast(), len, capacity: len, reopened }
    }

    /// Puts the elements back into the field.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn close<'arena>(self, slot: &mut &'arena [T], cx: &mut Context<'arena>) -> Result<(), Fault> {
        if let Some(reopening) = self.reopened {
            self.close_reopened(reopening, cx)?;
        }
        // SAFETY: `len` initialised elements of arena memory; not written to while the slot refers to them.
        *slot = unsafe { core::slice::from_raw_parts(self.ptr.as_ptr(), self.len) };
        Ok(())
    }

    /// Counts what was added, and remembers the memory of a field that had elements before.
    #[cold]
    #[inline(never)]
    fn close_reopened(&self, reopening: Reopening, cx: &mut Context<'_>) -> Result<(), Fault> {
        let Reopening { first, before } = reopening;
        cx.count_elements(self.len - before)?;
        if before == 0 || size_of::<T>() == 0 {
            return Ok(());
        }
        cx.remember_reopened(Reopened { ptr: self.ptr.as_ptr().cast(), capacity: self.capacity, first })
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn is_full(&self) -> bool {
        self.len == self.capacity
    }

    /// Makes room for at least `more` further elements, and for those that are to be expected.
    #[cold]
    #[inline(never)]
    pub(super) fn grow(&mut self, more: usize, at: Cursor, cx: &mut Context<'_>) -> Result<(), Fault> {
        if self.capacity == 0 {
            self.ptr = cx.alloc_array(more)?;
            self.capacity = more;
            return Ok(());
        }
        let expected = expected(self.len, self.reopened.map(|reopening| reopening.first), more, at, cx);
        let capacity = self.len.checked_add(expected).ok_or(Fault::Memory)?;
        self.grow_to(capacity, cx)
    }

    #[inline]
    fn grow_to(&mut self, capacity: usize, cx: &mut Context<'_>) -> Result<(), Fault> {
        // SAFETY: the invariant, and the capacity only grows.
        self.ptr = unsafe { cx.grow_array(self.ptr, self.len, self.capacity, capacity)? };
        self.capacity = capacity;
        Ok(())
    }

    /// Gives back what was predicted in vain, where that is more than an eighth.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn trim(&mut self, cx: &mut Context<'_>) {
        if self.reopened.is_none() && self.capacity - self.len > self.capacity / 8 {
            self.trim_cold(cx);
        }
    }

    #[cold]
    #[inline(never)]
    fn trim_cold(&mut self, cx: &mut Context<'_>) {
        // SAFETY: the invariant; memory is remembered only of fields that occur again.
        if let Some(ptr) = unsafe { cx.shrink_array(self.ptr, self.len, self.capacity) } {
            self.ptr = ptr;
            self.capacity = self.len;
        }
    }

    /// Appends an element.
    ///
    /// # Safety
    /// Not full.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) unsafe fn push(&mut self, value: T) {
        // SAFETY: `len < capacity`.
        unsafe { self.ptr.add(self.len).write(value) };
        self.len += 1;
    }

    /// The place of the next element, initialised with `value`; which the caller counts once it is decoded.
    ///
    /// # Safety
    /// Not full, and the reference is given up before the vector is used again.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn slot<'s>(&mut self, value: impl FnOnce() -> T) -> &'s mut T {
        // SAFETY: `len < capacity`.
        let mut place = unsafe { self.ptr.add(self.len) };
        // SAFETY: as above.
        unsafe { place.write(value()) };
        // SAFETY: initialised just now; memory of this decode that nothing else refers to.
        unsafe { place.as_mut() }
    }
}

/// How many further elements to make room for, at least `more`, behind `len` of them; `reopened` as in [`Reopening`].
pub(super) fn expected(
    len: usize,
    reopened: Option<(usize, usize)>,
    more: usize,
    at: Cursor,
    cx: &Context<'_>,
) -> usize {
    match reopened {
        None => more.max(len),
        // The first time, nothing is known yet.
        Some(first) if len == first.0 => more.max(len).max(4),
        // As many per byte as since then, up to the end of the message, and an eighth for luck. They may become
        // fewer; the more there are already, the more is believed.
        Some(first) => {
            let (elements, bytes) = (len - first.0, cx.offset(at.ptr).saturating_sub(first.1).max(1));
            let left = at.left().unwrap_or(0);
            let predicted = (elements as u128 * left as u128 / bytes as u128) as usize;
            let most = len.saturating_mul((len / 2).max(4));
            more.max(predicted.saturating_add(predicted / 8 + 2).min(most).max(len / 2))
        }
    }
}

/// How many further elements of a run to make room for, and a cautious number, which is no greater: by the elements from
/// `before` to `len`, which were read from the offset `begin` on, and by what is left.
#[inline]
pub(super) fn predicted(before: usize, len: usize, begin: usize, at: Cursor, cx: &Context<'_>) -> (usize, usize) {
    let read = len - before;
    let each = (cx.offset(at.ptr) - begin).checked_div(read).unwrap_or(0).max(1);
    let predicted = at.left().unwrap_or(0) / each + 1;
    // Other fields may follow, and the first elements may be tiny: what a few of them say is not believed.
    let cautious = predicted.min(len.saturating_mul(16));
    (if read < 16 { cautious } else { predicted }, cautious)
}

/// How many elements of one field stand in a row: counts by hopping from tag to tag, up to where it is cheap to know.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn count_run(at: Cursor, tag: u32, expected: TagBytes, cx: &Context<'_>) -> usize {
    let mut at = at;
    let mut count = 1;
    loop {
        let next = match tag & 7 {
            wire_type::LENGTH_DELIMITED => match at.length() {
                Ok((at, len)) => at.skip(len),
                Err(_) => return count,
            },
            wire_type::VARINT => {
                // SAFETY: behind a tag that began before the safe end.
                let (ptr, _) = unsafe { varint::read(at.ptr) };
                if ptr.is_null() {
                    return count;
                }
                Cursor::new(ptr, at.end)
            }
            wire_type::FIXED32 => at.skip(4),
            _ => at.skip(8),
        };
        if !next.next_is(expected, cx) {
            return count;
        }
        at = next.skip(expected.len);
        count += 1;
    }
}

/// Reads a run of elements that are messages.
#[cfg_attr(not(debug_assertions), inline(always))]
fn read_messages<'arena, M: Message<'arena>, E: Enclosure>(
    slot: &mut &'arena [M],
    tag: u32,
    at: Cursor,
    cx: &mut Context<'arena>,
) -> Result<Cursor, Fault> {
    let expected = TagBytes::new(tag);
    let mut elements = Growing::open(slot, at, cx);
    cx.descend()?;
    if elements.is_full() {
        // A group's end cannot be hopped to; its run is predicted once a few elements are read.
        let count = if E::GROUP { 1 } else { count_run(at, tag, expected, cx) };
        elements.grow(count, at, cx)?;
    }
    let before = elements.len;
    let begin = cx.offset(at.ptr);
    let mut at = at;
    loop {
        // SAFETY: there is room; the element is decoded before the vector is touched again.
        let element = unsafe { elements.slot(M::__unset) };
        at = E::merge(element, false, tag, at, cx).map_err(|fault| cx.fault(fault, at.ptr))?;
        elements.len += 1;
        if !at.next_is(expected, cx) {
            break;
        }
        at = at.skip(expected.len);
        if elements.is_full() {
            let (more, cautious) = predicted(before, elements.len, begin, at, cx);
            // What is too much for the budget is not insisted on.
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

/// The same, out of line.
#[inline(never)]
pub(crate) fn merge_messages<'arena, const GROUP: bool, M: Message<'arena>>(
    slot: &mut &'arena [M],
    tag: u32,
    at: Cursor,
    cx: &mut Context<'arena>,
) -> Cursor {
    let begin = at.ptr;
    let left = if GROUP {
        read_messages::<M, Group>(slot, tag, at, cx)
    } else {
        read_messages::<M, Delimited>(slot, tag, at, cx)
    };
    left.unwrap_or_else(|fault| cx.failed(fault, begin))
}

macro_rules! messages {
    ($($(#[$doc:meta])* $shape:ident: $group:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $shape;

        // SAFETY: `merge` reads one occurrence into the field and keeps no copy of what it reads.
        unsafe impl<'arena, M: Message<'arena>> Field<'arena, &'arena [M]> for $shape {
            const DEFAULT: &'arena [M] = &[];

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn merge(
                field: &mut &'arena [M],
                _: &mut UnknownFields<'arena>,
                r: &mut Reader<'_, 'arena>,
                tag: u32,
            ) -> Result<(), Fault> {
                r.call(|at, cx| M::__Code::merge_messages::<$group>(field, tag, at, cx))
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn encode<S: Sink<'arena>>(field: &&'arena [M], sink: &mut S, number: u32) {
                for message in field.iter().rev() {
                    M::__Code::encode_enclosed::<$group, S>(message, sink, number);
                }
            }
        }
    )*};
}

messages! {
    /// Repeated length-delimited messages, inline in a slice: `&'arena [M]`.
    RepeatedMessage: false;
    /// Repeated groups, inline in a slice: `&'arena [M]`.
    RepeatedGroup: true;
}

/// Reads a run of elements that are not packed.
#[inline(never)]
pub(super) fn merge_run<'arena, T: Copy, C: Codec<'arena, T>>(
    slot: &mut &'arena [T],
    unknown: &mut UnknownFields<'arena>,
    tag: u32,
    at: Cursor,
    cx: &mut Context<'arena>,
) -> Cursor {
    merge_run_with(slot, tag, at, cx, |r| C::read(r, unknown, tag))
}

/// The same of elements that a function reads.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn merge_run_with<'arena, T: Copy>(
    slot: &mut &'arena [T],
    tag: u32,
    at: Cursor,
    cx: &mut Context<'arena>,
    mut read: impl FnMut(&mut Reader<'_, 'arena>) -> Result<Option<T>, Fault>,
) -> Cursor {
    let expected = TagBytes::new(tag);
    let mut elements = Growing::open(slot, at, cx);
    if elements.is_full() {
        let count = count_run(at, tag, expected, cx);
        if let Err(fault) = elements.grow(count, at, cx) {
            return cx.failed(fault, at.ptr);
        }
    }
    let mut at = at;
    loop {
        let mut r = Reader::resume(at, cx);
        let value = read(&mut r);
        let behind = r.yield_back();
        match value {
            // SAFETY: there is room.
            Ok(Some(value)) => unsafe { elements.push(value) },
            Ok(None) => {}
            Err(fault) => return cx.failed(fault, behind.ptr),
        }
        at = behind;
        if !at.next_is(expected, cx) {
            break;
        }
        at = at.skip(expected.len);
        if elements.is_full() {
            let count = count_run(at, tag, expected, cx);
            if let Err(fault) = elements.grow(count, at, cx) {
                return cx.failed(fault, at.ptr);
            }
        }
    }
    match elements.close(slot, cx) {
        Ok(()) => at,
        Err(fault) => cx.failed(fault, at.ptr),
    }
}

/// Repeated, written one by one, read packed or not: `&'arena [T]`.
#[derive(Debug)]
pub struct Repeated<C>(PhantomData<C>);

// SAFETY: `merge` reads one occurrence into the field and keeps no copy of what it reads.
unsafe impl<'arena, T: Copy, C: Codec<'arena, T>> Field<'arena, &'arena [T]> for Repeated<C> {
    const DEFAULT: &'arena [T] = &[];

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn merge(
        field: &mut &'arena [T],
        unknown: &mut UnknownFields<'arena>,
        r: &mut Reader<'_, 'arena>,
        tag: u32,
    ) -> Result<(), Fault> {
        r.call(|at, cx| merge_run::<T, C>(field, unknown, tag, at, cx))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn encode<S: Sink<'arena>>(field: &&'arena [T], sink: &mut S, number: u32) {
        for value in field.iter().rev() {
            C::write(*value, sink, number);
        }
    }
}

// SAFETY: `merge_packed` reads one occurrence into the field and keeps no copy of what it reads.
unsafe impl<'arena, T: Copy, C: Packable<'arena, T>> PackedField<'arena, &'arena [T]> for Repeated<C> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn merge_packed(
        field: &mut &'arena [T],
        unknown: &mut UnknownFields<'arena>,
        r: &mut Reader<'_, 'arena>,
        tag: u32,
    ) -> Result<(), Fault> {
        r.call(|at, cx| packed::merge::<T, C>(field, unknown, tag, at, cx))
    }
}
