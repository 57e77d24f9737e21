//! A vector that grows in an arena.

use core::fmt;
use core::ops::{Deref, DerefMut};

use bumpalo::Bump;

/// A growable list in an [`Arena`](crate::Arena), turned into the slice that a message holds by
/// [`into_slice`](Self::into_slice).
///
/// Growing leaves the outgrown buffer behind until the arena is reset, so give the capacity when it is known.
///
/// ```
/// # let arena = defiant::Arena::new();
/// let mut scores = arena.vec();
/// scores.push(3);
/// scores.extend([1, 4]);
/// let scores: &[i32] = scores.into_slice();
/// assert_eq!(scores, [3, 1, 4]);
/// ```
pub struct Vec<'arena, T> {
    inner: bumpalo::collections::Vec<'arena, T>,
}

impl<'arena, T: Copy> Vec<'arena, T> {
    pub(super) fn new_in(bump: &'arena Bump, capacity: usize) -> Self {
        Vec { inner: bumpalo::collections::Vec::with_capacity_in(capacity, bump) }
    }

    /// Appends one element.
    ///
    /// # Panics
    /// When memory or the arena's limit is exhausted.
    pub fn push(&mut self, value: T) {
        self.inner.push(value);
    }

    /// Appends all elements of a slice.
    ///
    /// # Panics
    /// When memory or the arena's limit is exhausted.
    pub fn extend_from_slice(&mut self, values: &[T]) {
        self.inner.extend_from_slice_copy(values);
    }

    /// The elements, for as long as the arena is not reset.
    #[must_use]
    pub fn into_slice(self) -> &'arena [T] {
        self.inner.into_bump_slice()
    }

    /// The elements, to be changed in place, for as long as the arena is not reset.
    #[must_use]
    pub fn into_slice_mut(self) -> &'arena mut [T] {
        self.inner.into_bump_slice_mut()
    }
}

impl<T> Deref for Vec<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.inner
    }
}

impl<T> DerefMut for Vec<'_, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.inner
    }
}

impl<T> Extend<T> for Vec<'_, T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, values: I) {
        self.inner.extend(values);
    }
}

impl<T: fmt::Debug> fmt::Debug for Vec<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
