//! Lists that grow in an arena: a vector, and slices of which longer ones are made.
#![expect(unsafe_code, reason = "writes elements to memory that was reserved for them")]

use core::alloc::Layout;
use core::cell::Cell;
use core::fmt;
use core::mem::ManuallyDrop;
use core::ops::{Deref, DerefMut};
use core::ptr::NonNull;

use super::{Arena, exhausted};

/// A growable list in an [`Arena`](crate::Arena), turned into the slice that a message holds by
/// [`into_slice`](Self::into_slice).
///
/// It grows in place as long as nothing else is allocated meanwhile; otherwise growing leaves the outgrown buffer behind
/// until the arena is reset, so give the capacity when it is known. What is a slice already grows with
/// [`Arena::append`](crate::Arena::append).
///
/// ```
/// # let arena = defiant::Arena::new();
/// let mut scores = arena.vec();
/// scores.push(3);
/// scores.extend([1, 4]);
/// let scores: &[i32] = scores.into_slice();
/// assert_eq!(scores, [3, 1, 4]);
/// ```
///
/// Invariant: memory of `arena` for `capacity` elements at `ptr`, which nothing else refers to; the first `len` of them are
/// initialised.
pub struct Vec<'arena, T> {
    arena: &'arena Arena,
    ptr: NonNull<T>,
    len: usize,
    capacity: usize,
}

impl<'arena, T: Copy> Vec<'arena, T> {
    pub(super) fn new_in(arena: &'arena Arena, capacity: usize) -> Self {
        let mut vec = Vec { arena, ptr: NonNull::dangling(), len: 0, capacity: 0 };
        if capacity > 0 {
            vec.grow_to(capacity);
        }
        vec
    }

    /// Appends one element.
    ///
    /// # Panics
    /// When memory or the arena's limit is exhausted.
    #[inline]
    pub fn push(&mut self, value: T) {
        if self.len == self.capacity {
            self.grow(1);
        }
        // SAFETY: `len < capacity`.
        unsafe { self.ptr.add(self.len).write(value) };
        self.len += 1;
    }

    /// Appends all elements of a slice.
    ///
    /// # Panics
    /// When memory or the arena's limit is exhausted.
    pub fn extend_from_slice(&mut self, values: &[T]) {
        if self.capacity - self.len < values.len() {
            self.grow(values.len());
        }
        // SAFETY: `len + values.len() <= capacity`.
        let place = unsafe { self.ptr.add(self.len) };
        // SAFETY: as above; the values are borrowed, so they are not in the memory behind the elements.
        unsafe { super::copy(values.as_ptr().cast(), place.as_ptr().cast(), size_of_val(values)) };
        self.len += values.len();
    }

    /// The elements, for as long as the arena is not reset.
    #[must_use]
    pub fn into_slice(self) -> &'arena [T] {
        self.into_slice_mut()
    }

    /// The elements, to be changed in place, for as long as the arena is not reset.
    #[must_use]
    pub fn into_slice_mut(self) -> &'arena mut [T] {
        let vec = ManuallyDrop::new(self);
        // SAFETY: `len` initialised elements, in memory that nothing else refers to, which stays until a reset.
        unsafe { core::slice::from_raw_parts_mut(vec.ptr.as_ptr(), vec.len) }
    }

    /// Makes room for `more` elements, and for some that may follow.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, more: usize) {
        let need = self.len.checked_add(more).unwrap_or_else(|| exhausted());
        self.grow_to(need.max(self.capacity.saturating_mul(2)).max(4));
    }

    fn grow_to(&mut self, capacity: usize) {
        // SAFETY: the invariant; the capacity only grows.
        let grown = unsafe { self.arena.grow_array(self.ptr, self.len, self.capacity, capacity, usize::MAX) };
        (self.ptr, _) = grown.unwrap_or_else(|| exhausted());
        self.capacity = capacity;
        self.arena.keep_all();
    }
}

impl<T> Drop for Vec<'_, T> {
    /// Gives the memory back, if nothing was allocated since.
    fn drop(&mut self) {
        self.arena.free_newest(self.ptr.cast(), self.capacity * size_of::<T>());
    }
}

impl<T> Deref for Vec<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: the invariant.
        unsafe { core::slice::from_raw_parts(self.ptr.as_ptr(), self.len) }
    }
}

impl<T> DerefMut for Vec<'_, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: the invariant.
        unsafe { core::slice::from_raw_parts_mut(self.ptr.as_ptr(), self.len) }
    }
}

impl<T: Copy> Extend<T> for Vec<'_, T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, values: I) {
        let values = values.into_iter();
        let least = values.size_hint().0;
        if self.capacity - self.len < least {
            self.grow(least);
        }
        for value in values {
            self.push(value);
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for Vec<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// Slices that grow: what is added is a new slice, and the old one stays what it is.
impl Arena {
    /// The list with one element more.
    ///
    /// Takes constant time, amortized: the list that this returned last has room behind it, where the next element goes
    /// without the others being copied. All lists on the way stay as they are, so this is also the way to a message
    /// with one element more that shares everything else with the message it was made of:
    ///
    /// ```
    /// # use defiant::{Arena, Message, UnknownFields};
    /// # #[derive(Clone, Copy, Debug, PartialEq, Message)]
    /// # struct Log<'arena> {
    /// #     #[defiant(string, repeated, tag = 1)] lines: &'arena [&'arena str],
    /// #     #[defiant(unknown)] unknown_fields: UnknownFields<'arena>,
    /// # }
    /// let arena = Arena::new();
    /// let before = Log { lines: arena.append(&[], "one"), ..Log::default() };
    /// let after = Log { lines: arena.append(before.lines, "two"), ..before };
    /// assert_eq!(before.lines, ["one"]);
    /// assert_eq!(after.lines, ["one", "two"]);
    /// ```
    ///
    /// A list is copied, with room for more behind the copy, where there is no room: when it comes from elsewhere (a
    /// decode, a [`Vec`]), when something was appended to it before (so that two lists begin with the same elements),
    /// when its room is used up (the copy has twice as much), and when eight other lists of the arena grew since it did.
    ///
    /// # Panics
    /// When memory or the [limit](Self::set_limit) is exhausted.
    #[inline]
    #[must_use]
    pub fn append<'arena, T: Copy>(&'arena self, list: &'arena [T], element: T) -> &'arena [T] {
        self.append_slice(list, &[element])
    }

    /// The list with more elements, which are copied; otherwise like [`append`](Self::append).
    ///
    /// ```
    /// # let arena = defiant::Arena::new();
    /// let numbers = arena.append_slice(&[1, 2], &[3]);
    /// assert_eq!(arena.append_slice(numbers, numbers), [1, 2, 3, 1, 2, 3]);
    /// ```
    ///
    /// # Panics
    /// When memory or the [limit](Self::set_limit) is exhausted.
    #[must_use]
    pub fn append_slice<'arena, T: Copy>(&'arena self, list: &'arena [T], elements: &[T]) -> &'arena [T] {
        let len = list.len().checked_add(elements.len()).unwrap_or_else(|| exhausted());
        if elements.is_empty() {
            return list;
        }
        let (bytes, more) = (size_of_val(list), size_of_val(elements));
        if more == 0 {
            // SAFETY: values of no size, of which there is one at least.
            return unsafe { core::slice::from_raw_parts(NonNull::dangling().as_ptr(), len) };
        }
        let known = self.open_list(list);
        let slot = match known {
            Some(slot) if more <= slot.get().room => slot,
            _ => self.open_copy(list, len, known),
        };
        let OpenList { start, tail, room } = slot.get();
        // SAFETY: `more <= room`, so this is behind all that anything refers to; `elements` is borrowed and elsewhere.
        unsafe { tail.cast::<T>().copy_from_nonoverlapping(NonNull::from(elements).cast(), elements.len()) };
        // SAFETY: as above: in the same allocation, or at its end.
        let end = unsafe { tail.add(more) };
        slot.set(OpenList { start, tail: end, room: room - more });
        // SAFETY: the bytes before `tail` are the list's, or a copy of them, from `start` or later on.
        let first = unsafe { tail.sub(bytes) };
        // SAFETY: `len` initialised elements, aligned as the list is, to which nothing is written before a reset.
        unsafe { core::slice::from_raw_parts(first.cast::<T>().as_ptr(), len) }
    }

    /// Where the room behind a list is known, if it has any: in memory of this arena that ends with the list.
    #[inline]
    fn open_list<T>(&self, list: &[T]) -> Option<&Cell<OpenList>> {
        let lists = self.open.get()?;
        // SAFETY: in this arena, and not reset since, for a reset forgets it; only shared references are made of it.
        let lists = unsafe { lists.as_ref() };
        let ends = list.as_ptr_range();
        // A list with elements that ends with open memory has its last byte there, so that all of it is there: only slices
        // of that memory are handed out of it. A list without elements can go on anywhere.
        lists.slots.iter().find(|slot| {
            let OpenList { start, tail, .. } = slot.get();
            tail.as_ptr().cast_const() == ends.end.cast() && start.as_ptr().cast_const() <= ends.start.cast()
        })
    }

    /// Copies a list to memory with room for `len` elements and more, in the place of one that has no room left.
    #[cold]
    #[inline(never)]
    fn open_copy<'s, T: Copy>(
        &'s self,
        list: &[T],
        len: usize,
        known: Option<&'s Cell<OpenList>>,
    ) -> &'s Cell<OpenList> {
        // What grows for the first time may have grown for the last time, too.
        let spare = if known.is_some() { list.len() } else { list.len() / 8 };
        let layout = Layout::array::<T>(len.saturating_add(spare).max(4)).unwrap_or_else(|_| exhausted());
        let start = self.alloc_or_panic(layout);
        // SAFETY: fresh memory for more elements than these.
        unsafe { super::copy(list.as_ptr().cast(), start.as_ptr(), size_of_val(list)) };
        // SAFETY: as above.
        let tail = unsafe { start.add(size_of_val(list)) };
        let slot = known.unwrap_or_else(|| self.oldest_slot());
        slot.set(OpenList { start, tail, room: layout.size() - size_of_val(list) });
        slot
    }

    /// The slot that makes way for another list.
    fn oldest_slot(&self) -> &Cell<OpenList> {
        let lists = self.open.get().unwrap_or_else(|| {
            let place = self.alloc_or_panic(Layout::new::<OpenLists>()).cast::<OpenLists>();
            // SAFETY: fresh memory of this layout.
            unsafe { place.write(OpenLists::none()) };
            self.open.set(Some(place));
            place
        });
        // SAFETY: as in `open_list`.
        let lists = unsafe { lists.as_ref() };
        let oldest = lists.oldest.get() % OpenLists::COUNT;
        lists.oldest.set(oldest + 1);
        &lists.slots[oldest]
    }
}

/// The lists of an arena that something was appended to last.
#[derive(Debug)]
pub(super) struct OpenLists {
    slots: [Cell<OpenList>; OpenLists::COUNT],
    /// The one that was opened first.
    oldest: Cell<usize>,
}

impl OpenLists {
    const COUNT: usize = 8;

    fn none() -> Self {
        OpenLists { slots: core::array::from_fn(|_| Cell::new(OpenList::NONE)), oldest: Cell::new(0) }
    }
}

/// Elements that slices refer to, and room behind them.
///
/// Invariant: `start <= tail`, and the bytes from `start` to `tail` and the `room` bytes behind are one allocation in the
/// arena. Nothing refers to those from `tail` on, and only shared slices to those before.
#[derive(Clone, Copy, Debug)]
struct OpenList {
    start: NonNull<u8>,
    tail: NonNull<u8>,
    room: usize,
}

impl OpenList {
    /// Of no memory, so that no list with elements ends where it does.
    const NONE: OpenList = OpenList { start: NonNull::dangling(), tail: NonNull::dangling(), room: 0 };
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn it_grows_in_place_where_it_is_the_newest() {
        let arena = Arena::with_capacity(10_000);
        let mut vec = arena.vec();
        vec.extend(0..1000u32);
        assert!(arena.used_bytes() <= 8_192, "{}", arena.used_bytes());
        assert!(vec.iter().copied().eq(0..1000));
        let other = arena.alloc_str("between");
        vec.extend_from_slice(&[7; 100]);
        vec[0] = 9;
        assert_eq!((vec.len(), vec[0], vec[999], vec[1099], other), (1100, 9, 999, 7, "between"));
    }

    #[test]
    fn a_list_grows_in_place_and_stays_what_it_was() {
        let arena = Arena::with_capacity(100_000);
        let mut lists: std::vec::Vec<&[u64]> = std::vec![&[]];
        for number in 0..1000 {
            let list = lists.last().expect("there is one");
            lists.push(arena.append(list, number));
        }
        for (len, list) in lists.iter().enumerate().step_by(37) {
            assert!(list.iter().copied().eq(0..len as u64), "{len}");
        }
        // Outgrown copies are half of it at most, and what is added last may have filled half of the room.
        assert!(arena.used_bytes() <= 4 * 8 * 1000, "{}", arena.used_bytes());
        // One list can be continued once in place; the other way gets a copy.
        let before = lists[1000];
        let (one, other) = (arena.append(before, 1), arena.append(before, 2));
        assert_eq!((one.as_ptr(), one[1000], other[1000]), (before.as_ptr(), 1, 2));
        assert_ne!(other.as_ptr(), before.as_ptr());
    }

    #[test]
    fn eight_lists_grow_in_turns() {
        let arena = Arena::with_capacity(100_000);
        let mut lists = [&[][..]; OpenLists::COUNT];
        for number in 0..100u32 {
            for list in &mut lists {
                *list = arena.append(list, number);
            }
        }
        assert!(lists.iter().all(|list| list.iter().copied().eq(0..100)));
        assert!(arena.used_bytes() <= 4 * 4 * 100 * lists.len() + 400, "{}", arena.used_bytes());
    }

    #[test]
    fn a_reset_forgets_the_lists() {
        let mut arena = Arena::with_capacity(1_000);
        for _ in 0..2 {
            let list = arena.append(&[1u8, 2], 3);
            assert_eq!((list.len(), arena.append(list, 4)), (3, &[1, 2, 3, 4][..]));
            arena.reset();
            // Lies where the open list was, or near.
            let full = arena.alloc_slice_copy(&[9u8; 900]);
            for len in (1..full.len()).rev().take(20) {
                assert!(arena.append(&full[..len], 7).ends_with(&[9, 7]));
            }
            assert!(full.iter().all(|byte| *byte == 9));
            arena.reset_and_trim(0);
        }
    }

    #[test]
    fn nothing_and_values_of_no_size_are_appended() {
        let arena = Arena::new();
        assert_eq!(arena.append_slice(&[1, 2], &[]), [1, 2]);
        assert_eq!(arena.append(&[(), ()], ()), [(); 3]);
        assert_eq!(arena.held_bytes(), 0);
        let list = arena.append(&[], 1u8);
        assert_eq!(arena.append(&list[1..], 2), [2]);
        assert_eq!(arena.append(list, 3), [1, 3]);
    }

    proptest! {
        /// Any list that there is is continued, in any order, with pieces of others, of two types.
        #[test]
        fn no_list_changes_when_others_are_made_of_it(
            steps in proptest::collection::vec(any::<(u8, u8, u8, bool)>(), 0..if cfg!(miri) { 20 } else { 100 }),
        ) {
            let arena = Arena::new();
            let mut bytes: std::vec::Vec<(&[u8], std::vec::Vec<u8>)> = std::vec![(&[], std::vec![])];
            let mut words: std::vec::Vec<(&[u32], std::vec::Vec<u32>)> = std::vec![(&[], std::vec![])];
            for (which, from, value, wide) in steps {
                if wide {
                    let (list, expected) = words[usize::from(which) % words.len()].clone();
                    let mut expected = expected;
                    expected.push(value.into());
                    words.push((arena.append(list, value.into()), expected));
                } else {
                    let (list, expected) = bytes[usize::from(which) % bytes.len()].clone();
                    let (more, _) = bytes[usize::from(from) % bytes.len()].clone();
                    let (mut expected, list) = (expected, arena.append(list, value));
                    expected.push(value);
                    let more = &more[..more.len().min(9)];
                    expected.extend(more);
                    bytes.push((arena.append_slice(list, more), expected));
                }
            }
            prop_assert!(bytes.iter().all(|(list, expected)| list == expected));
            prop_assert!(words.iter().all(|(list, expected)| list == expected));
        }
    }

    #[test]
    fn dropped_it_gives_its_memory_back() {
        let arena = Arena::with_capacity(1_000);
        arena.alloc(1u8);
        let before = arena.used_bytes();
        drop(arena.vec_from_iter(0..100u8));
        assert_eq!(arena.used_bytes(), before);
        let kept = arena.vec_from_iter(0..3u8).into_slice();
        assert_eq!(arena.vec_with_capacity::<()>(5).into_slice().len(), 0);
        assert_eq!(kept, [0, 1, 2]);
    }
}
