//! A vector that grows in an arena.
#![expect(unsafe_code, reason = "writes elements to memory that was reserved for them")]

use core::fmt;
use core::mem::ManuallyDrop;
use core::ops::{Deref, DerefMut};
use core::ptr::NonNull;

use super::{Arena, exhausted};

/// A growable list in an [`Arena`](crate::Arena), turned into the slice that a message holds by
/// [`into_slice`](Self::into_slice).
///
/// It grows in place as long as nothing else is allocated meanwhile; otherwise growing leaves the outgrown buffer behind
/// until the arena is reset, so give the capacity when it is known.
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
        unsafe { place.copy_from_nonoverlapping(NonNull::from(values).cast(), values.len()) };
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

#[cfg(test)]
mod tests {
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
