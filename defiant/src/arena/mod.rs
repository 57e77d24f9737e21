//! The arena: bump allocation with one `reset`. Knows nothing of protobuf.
#![expect(unsafe_code, reason = "gives blocks back to the bump allocator and reborrows finished ones")]

mod claim;
mod vec;

use core::alloc::Layout;
use core::fmt;
use core::ptr::NonNull;

use allocator_api2::alloc::Allocator;
use bumpalo::Bump;

pub(crate) use claim::Claim;
pub use vec::Vec;

/// Memory for decoded messages and encoded bytes, freed all at once by [`Arena::reset`].
///
/// A thin layer over [`bumpalo::Bump`]: allocation moves a pointer, nothing is freed one by one, and
/// destructors do not run (only [`Copy`] values and slices of them come out of a decoder).
///
/// The borrow checker proves that no message outlives its arena or survives a reset:
///
/// ```
/// let mut arena = defiant::Arena::new();
/// for line in ["one", "two"] {
///     let copy: &str = arena.alloc_str(line);
///     assert_eq!(copy, line);
///     arena.reset(); // `copy` is gone, the memory is ready for the next round
/// }
/// ```
///
/// An arena can be sent to another thread while nothing borrows it; it cannot be shared.
///
/// # What is held, and for how long
///
/// Chunks grow: a new one is at least twice as large as the one before. [`reset`](Self::reset) keeps the newest, which is
/// the largest, so that after a few rounds one chunk holds a whole round and nothing is asked of the system any more. So
/// that one giant round does not pin its memory for ever, [`set_keep`](Self::set_keep) says what a reset keeps at most.
/// To choose it, look at [`peak_bytes`](Self::peak_bytes) after a day of real traffic:
///
/// ```
/// let mut arena = defiant::Arena::new();
/// arena.set_keep(Some(64 << 10));
/// for len in [1_000, 5_000_000, 2_000] {
///     arena.alloc_slice_copy(&vec![0u8; len]);
///     arena.reset();
///     assert!(arena.held_bytes() <= 64 << 10);
/// }
/// assert!(arena.peak_bytes() >= 5_000_000);
/// ```
///
/// A decode that fails gives its memory back, except what lies in chunks that it filled and left: a stream of broken
/// messages does not fill an arena whose chunk is large enough for one of them.
pub struct Arena {
    bump: Bump,
    /// Most bytes in use when a reset came.
    peak: usize,
    /// Bytes that a reset keeps at most.
    keep: usize,
}

/// Bytes of bookkeeping in a chunk, or a few more.
const BOOKKEEPING: usize = 256;

impl Arena {
    /// An arena that holds no memory yet.
    #[must_use]
    pub fn new() -> Self {
        Self::over(Bump::new())
    }

    /// An arena whose first chunk holds at least `bytes` bytes.
    #[must_use]
    pub fn with_capacity(bytes: usize) -> Self {
        Self::over(Bump::with_capacity(bytes))
    }

    fn over(bump: Bump) -> Self {
        Arena { bump, peak: 0, keep: usize::MAX }
    }

    /// Frees everything that was allocated, and keeps the newest (and largest) chunk for the next round, unless it is
    /// larger than what [`set_keep`](Self::set_keep) allows.
    #[inline]
    pub fn reset(&mut self) {
        self.peak = self.peak_bytes();
        self.bump.reset();
        if self.bump.allocated_bytes() > self.keep.saturating_sub(BOOKKEEPING) {
            self.trim(self.keep);
        }
    }

    /// [`reset`](Self::reset), then gives the memory back to the system if more than `keep` bytes are held, so
    /// that one giant request does not pin its memory for ever.
    pub fn reset_and_trim(&mut self, keep: usize) {
        self.reset();
        self.trim(keep);
    }

    /// Gives all memory back to the system if it is more than `keep` bytes. Nothing of it is in use.
    #[cold]
    #[inline(never)]
    fn trim(&mut self, keep: usize) {
        if self.held_bytes() > keep {
            let limit = self.bump.allocation_limit();
            self.bump = Bump::new();
            self.bump.set_allocation_limit(limit);
        }
    }

    /// Has every [`reset`](Self::reset) trim: what is held is given back to the system if it is more than `keep` bytes.
    /// `None`, as in a new arena, keeps the largest chunk whatever its size.
    ///
    /// Choose it well above what a usual round uses, so that only the giants pay for new memory.
    pub fn set_keep(&mut self, keep: Option<usize>) {
        self.keep = keep.unwrap_or(usize::MAX);
    }

    /// The most bytes that were ever [used](Self::used_bytes) between two resets, this round included.
    ///
    /// Taken when the arena is reset, so that allocating costs nothing for it.
    #[must_use]
    pub fn peak_bytes(&self) -> usize {
        self.peak.max(self.used_bytes())
    }

    /// Forgets the [peak](Self::peak_bytes) of earlier rounds, to watch from now on.
    pub fn clear_peak(&mut self) {
        self.peak = 0;
    }

    /// Bytes handed out since the last reset, with what alignment and closed chunks left unused.
    #[must_use]
    pub fn used_bytes(&self) -> usize {
        self.bump.allocated_bytes().saturating_sub(self.bump.chunk_capacity())
    }

    /// Bytes held from the system allocator, bookkeeping included.
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        self.bump.allocated_bytes_including_metadata()
    }

    /// Limits the bytes held from the system allocator; `None` lifts the limit.
    ///
    /// A decoder that would pass the limit returns an error; the `alloc` methods panic.
    pub fn set_limit(&self, limit: Option<usize>) {
        self.bump.set_allocation_limit(limit);
    }

    /// Moves `value` into the arena.
    ///
    /// # Panics
    /// When memory or the [limit](Self::set_limit) is exhausted.
    pub fn alloc<T: Copy>(&self, value: T) -> &mut T {
        self.bump.alloc(value)
    }

    /// Copies a string into the arena.
    ///
    /// # Panics
    /// When memory or the [limit](Self::set_limit) is exhausted.
    pub fn alloc_str(&self, text: &str) -> &str {
        self.bump.alloc_str(text)
    }

    /// Copies a slice into the arena.
    ///
    /// # Panics
    /// When memory or the [limit](Self::set_limit) is exhausted.
    pub fn alloc_slice_copy<T: Copy>(&self, values: &[T]) -> &mut [T] {
        self.bump.alloc_slice_copy(values)
    }

    /// An empty vector that grows in the arena.
    #[must_use]
    pub fn vec<T: Copy>(&self) -> Vec<'_, T> {
        Vec::new_in(&self.bump, 0)
    }

    /// An empty vector with room for `capacity` elements.
    ///
    /// # Panics
    /// When memory or the [limit](Self::set_limit) is exhausted.
    #[must_use]
    pub fn vec_with_capacity<T: Copy>(&self, capacity: usize) -> Vec<'_, T> {
        Vec::new_in(&self.bump, capacity)
    }

    /// Collects an iterator into a vector, sized by the iterator's lower bound.
    ///
    /// # Panics
    /// When memory or the [limit](Self::set_limit) is exhausted.
    pub fn vec_from_iter<T: Copy>(&self, values: impl IntoIterator<Item = T>) -> Vec<'_, T> {
        let values = values.into_iter();
        let mut vec = self.vec_with_capacity(values.size_hint().0);
        vec.extend(values);
        vec
    }

    /// Memory of the given layout, or `None` when memory or the limit is exhausted.
    #[inline(always)]
    pub(crate) fn try_alloc(&self, layout: Layout) -> Option<NonNull<u8>> {
        self.bump.try_alloc_layout(layout).ok()
    }

    /// Whether the arena holds no chunk yet.
    #[inline(always)]
    pub(crate) fn is_fresh(&self) -> bool {
        self.bump.chunk_capacity() == 0 && self.bump.allocated_bytes() == 0
    }

    /// Makes room for `bytes` bytes in one chunk, if memory and the limit allow.
    #[cold]
    #[inline(never)]
    pub(crate) fn reserve(&self, bytes: usize) {
        if let Some(block) = self.take_block(bytes) {
            self.give_back(block);
        }
    }

    /// Bytes left in the current chunk.
    #[inline(always)]
    pub(crate) fn chunk_capacity(&self) -> usize {
        self.bump.chunk_capacity()
    }

    /// A block of `len` uninitialised bytes.
    #[inline(always)]
    pub(crate) fn take_block(&self, len: usize) -> Option<Block> {
        let start = self.try_alloc(Layout::array::<u8>(len).ok()?)?;
        Some(Block { start, len })
    }

    /// Returns a block that was taken from this arena; free memory again if nothing was allocated since.
    #[inline(always)]
    pub(crate) fn give_back(&self, block: Block) {
        let Ok(layout) = Layout::array::<u8>(block.len) else { return };
        // SAFETY: a `Block` is only made by `take_block` with this layout, and is consumed here, so it is
        // deallocated at most once. The crate gives a block back only to the arena it came from.
        unsafe { (&self.bump).deallocate(block.start, layout) };
    }

    /// Gives the first `front` bytes of a block back, and keeps the rest in use; `false` when the rest may be handed out
    /// to others, and so must not be used.
    #[inline(always)]
    #[must_use]
    pub(crate) fn keep_behind(&self, block: Block, front: usize) -> bool {
        let len = block.len - front;
        let tail = block.start.as_ptr().wrapping_add(front);
        let before = self.chunk_capacity();
        self.give_back(block);
        if self.chunk_capacity() == before {
            // Something was allocated since, so that nothing is given back: the whole block stays in use.
            return true;
        }
        // The bump pointer moved back behind the block: without alignment, a request for `len` bytes is answered with
        // the very same tail. Should another version of bumpalo answer with other memory, the tail is lost.
        Layout::array::<u8>(len).is_ok_and(|layout| self.try_alloc(layout).is_some_and(|kept| kept.as_ptr() == tail))
    }

    /// Gives the front of a block back and keeps its last `len` bytes, which the caller has written.
    ///
    /// # Safety
    /// `block` came from this arena, `len <= block.len`, and its last `len` bytes are initialised.
    pub(crate) unsafe fn keep_tail(&self, block: Block, len: usize) -> &[u8] {
        // SAFETY: `len <= block.len`, so the result is in the block.
        let tail = unsafe { block.start.add(block.len - len) };
        self.give_back(block);
        // The bump pointer moved back above the block, and its bytes are untouched: a request for `len` bytes
        // without alignment is answered with the very same tail. Should another version of bumpalo answer with
        // other memory, the bytes are copied.
        let kept = self.bump.alloc_layout(Layout::array::<u8>(len).unwrap_or(Layout::new::<()>()));
        if kept != tail {
            // SAFETY: both ranges are `len` bytes of this arena's chunks (which are not freed before a reset),
            // the first initialised by contract; `copy` allows them to overlap.
            unsafe { tail.copy_to(kept, len) };
        }
        // SAFETY: `kept` is `len` initialised bytes that the arena handed out just now, borrowed like the arena.
        unsafe { core::slice::from_raw_parts(kept.as_ptr(), len) }
    }
}

impl Default for Arena {
    fn default() -> Self {
        Arena::new()
    }
}

impl fmt::Debug for Arena {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Arena")
            .field("used_bytes", &self.used_bytes())
            .field("held_bytes", &self.held_bytes())
            .field("peak_bytes", &self.peak_bytes())
            .finish()
    }
}

/// Uninitialised bytes taken from an arena.
#[derive(Debug)]
pub(crate) struct Block {
    /// The first byte; `len` bytes from here belong to the block.
    pub(crate) start: NonNull<u8>,
    pub(crate) len: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_given_back_is_free_again() {
        let arena = Arena::with_capacity(4096);
        let before = arena.chunk_capacity();
        let block = arena.take_block(1000).expect("fits");
        assert!(arena.chunk_capacity() <= before - 1000);
        arena.give_back(block);
        assert_eq!(arena.chunk_capacity(), before);
    }

    #[test]
    fn the_tail_of_a_block_stays_in_place() {
        let arena = Arena::with_capacity(4096);
        let before = arena.chunk_capacity();
        let block = arena.take_block(1000).expect("fits");
        // SAFETY: byte 997..1000 of a block of 1000.
        let tail = unsafe { block.start.add(997) };
        // SAFETY: the three bytes are in the block.
        unsafe { tail.copy_from_nonoverlapping(NonNull::from(b"abc").cast(), 3) };
        // SAFETY: the last three bytes were written just now.
        let kept = unsafe { arena.keep_tail(block, 3) };
        assert_eq!(kept, b"abc");
        assert_eq!(kept.as_ptr(), tail.as_ptr());
        assert_eq!(arena.chunk_capacity(), before - 3);
    }

    #[test]
    fn reset_keeps_and_trim_releases() {
        let mut arena = Arena::new();
        arena.alloc_slice_copy(&[7u8; 100_000]);
        arena.reset();
        assert!(arena.held_bytes() >= 100_000);
        assert_eq!(arena.used_bytes(), 0);
        arena.reset_and_trim(1_000);
        assert_eq!(arena.held_bytes(), 0);
    }

    #[test]
    fn a_reset_keeps_no_more_than_it_is_told_and_knows_the_peak() {
        let mut arena = Arena::new();
        arena.set_keep(Some(50_000));
        arena.alloc_slice_copy(&[7u8; 20_000]);
        assert!((20_000..50_000).contains(&arena.peak_bytes()));
        arena.reset();
        let held = arena.held_bytes();
        assert!((20_000..=50_000).contains(&held));
        arena.alloc_slice_copy(&[7u8; 100_000]);
        arena.reset();
        assert_eq!(arena.held_bytes(), 0);
        assert!(arena.peak_bytes() >= 100_000);
        arena.alloc_slice_copy(&[7u8; 10]);
        arena.reset();
        assert!(arena.peak_bytes() >= 100_000);
        arena.clear_peak();
        assert_eq!(arena.peak_bytes(), 0);
        arena.set_keep(None);
        arena.alloc_slice_copy(&[7u8; 100_000]);
        arena.reset();
        assert!(arena.held_bytes() >= 100_000);
    }

    #[test]
    fn a_chunk_is_reserved_ahead() {
        let arena = Arena::new();
        assert!(arena.is_fresh());
        arena.reserve(50_000);
        assert!(arena.chunk_capacity() >= 50_000);
        assert_eq!(arena.used_bytes(), 0);
        assert!(!arena.is_fresh());
    }
}
