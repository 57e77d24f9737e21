//! The arena: bump allocation with one `reset`. Knows nothing of protobuf.
#![expect(unsafe_code, reason = "hands out raw memory, and takes some of it back")]

mod copy;
mod region;
mod vec;

use core::alloc::Layout;
use core::cell::Cell;
use core::fmt;
use core::ptr::NonNull;

use allocator_api2::alloc::Allocator;
use bumpalo::Bump;

pub(crate) use copy::copy;
pub(crate) use region::Mark;
use region::{ALIGN, Region};
use vec::OpenLists;
pub use vec::Vec;

/// Memory for decoded messages and encoded bytes, freed all at once by [`Arena::reset`].
///
/// Allocation moves a pointer through chunks of memory that [`bumpalo::Bump`] holds, nothing is freed one by one, and
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
    /// The chunks. The newest is one allocation for `bump`, which is the region's.
    bump: Bump,
    region: Region,
    /// Bytes in older chunks.
    closed: Cell<usize>,
    /// In this arena, and forgotten when it is reset.
    open: Cell<Option<NonNull<OpenLists>>>,
    /// Most bytes in use when a reset came, or when memory was given back that had been used.
    peak: Cell<usize>,
    /// Bytes that a reset keeps at most.
    keep: usize,
    /// Bytes in a chunk that are that few for certain, bookkeeping or not.
    keep_at_sight: usize,
}

// SAFETY: `region` and `open` point to memory that `bump` owns, which moves along. Whoever else points to it borrows the
// arena, and then it cannot be sent.
unsafe impl Send for Arena {}

/// Bytes of bookkeeping in a chunk, or a few more.
const BOOKKEEPING: usize = 256;

impl Arena {
    /// An arena that holds no memory yet.
    #[must_use]
    pub fn new() -> Self {
        Arena {
            bump: Bump::new(),
            region: Region::empty(),
            closed: Cell::new(0),
            open: Cell::new(None),
            peak: Cell::new(0),
            keep: usize::MAX,
            keep_at_sight: usize::MAX,
        }
    }

    /// An arena whose first chunk holds at least `bytes` bytes.
    ///
    /// # Panics
    /// When memory is exhausted.
    #[must_use]
    pub fn with_capacity(bytes: usize) -> Self {
        let arena = Self::new();
        if bytes > 0 && !arena.reserve(bytes) {
            exhausted();
        }
        arena
    }

    /// Frees everything that was allocated, and keeps the newest (and largest) chunk for the next round, unless it is
    /// larger than what [`set_keep`](Self::set_keep) allows.
    #[inline]
    pub fn reset(&mut self) {
        self.peak.set(self.peak_bytes());
        self.open.set(None);
        if self.closed.get() > 0 || self.region.len() > self.keep_at_sight {
            self.free_chunks(self.keep);
        } else {
            self.region.clear();
        }
    }

    /// [`reset`](Self::reset), then gives the memory back to the system if more than `keep` bytes are held, so
    /// that one giant request does not pin its memory for ever.
    pub fn reset_and_trim(&mut self, keep: usize) {
        self.peak.set(self.peak_bytes());
        self.open.set(None);
        self.free_chunks(keep.min(self.keep));
    }

    /// Frees all chunks but the newest, and that one if more than `keep` bytes are held.
    #[cold]
    #[inline(never)]
    fn free_chunks(&mut self, keep: usize) {
        self.region = Region::empty();
        self.closed.set(0);
        self.bump.reset();
        if self.held_bytes() > keep {
            let limit = self.bump.allocation_limit();
            self.bump = Bump::new();
            self.bump.set_allocation_limit(limit);
        }
        self.take_chunk();
    }

    /// Has every [`reset`](Self::reset) trim: what is held is given back to the system if it is more than `keep` bytes.
    /// `None`, as in a new arena, keeps the largest chunk whatever its size.
    ///
    /// Choose it well above what a usual round uses, so that only the giants pay for new memory.
    pub fn set_keep(&mut self, keep: Option<usize>) {
        self.keep = keep.unwrap_or(usize::MAX);
        self.keep_at_sight = self.keep.saturating_sub(BOOKKEEPING);
    }

    /// The most bytes that were ever [used](Self::used_bytes) between two resets, this round included.
    ///
    /// Taken when the arena is reset, so that allocating costs nothing for it, and when the memory that sorting a map took is
    /// given back.
    #[inline]
    #[must_use]
    pub fn peak_bytes(&self) -> usize {
        self.peak.get().max(self.used_bytes())
    }

    /// Forgets the [peak](Self::peak_bytes) of earlier rounds, to watch from now on.
    pub fn clear_peak(&mut self) {
        self.peak.set(0);
    }

    /// Bytes handed out since the last reset, with what alignment and closed chunks left unused.
    #[inline]
    #[must_use]
    pub fn used_bytes(&self) -> usize {
        self.closed.get() + self.region.used()
    }

    /// Bytes held from the system allocator, bookkeeping included.
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        self.bump.allocated_bytes_including_metadata()
    }

    /// Limits the bytes held from the system allocator, without the few dozen of each chunk's bookkeeping; `None` lifts the
    /// limit. Where more is held already, no more is asked for.
    ///
    /// A decoder that would pass the limit returns an error; the `alloc` methods panic.
    pub fn set_limit(&self, limit: Option<usize>) {
        self.bump.set_allocation_limit(limit);
    }

    /// Moves `value` into the arena.
    ///
    /// # Panics
    /// When memory or the [limit](Self::set_limit) is exhausted.
    #[expect(clippy::mut_from_ref, reason = "every call gives memory of its own")]
    pub fn alloc<T: Copy>(&self, value: T) -> &mut T {
        let mut place = self.alloc_or_panic(Layout::new::<T>()).cast::<T>();
        // SAFETY: fresh memory of T's layout.
        unsafe { place.write(value) };
        // SAFETY: initialised just now, nothing else refers to it, and it stays until a reset, which needs `&mut self`.
        unsafe { place.as_mut() }
    }

    /// Copies a string into the arena.
    ///
    /// # Panics
    /// When memory or the [limit](Self::set_limit) is exhausted.
    pub fn alloc_str(&self, text: &str) -> &str {
        // SAFETY: a copy of a string.
        unsafe { core::str::from_utf8_unchecked(self.alloc_slice_copy(text.as_bytes())) }
    }

    /// Copies a slice into the arena.
    ///
    /// # Panics
    /// When memory or the [limit](Self::set_limit) is exhausted.
    #[expect(clippy::mut_from_ref, reason = "every call gives memory of its own")]
    pub fn alloc_slice_copy<T: Copy>(&self, values: &[T]) -> &mut [T] {
        let place = self.alloc_or_panic(Layout::for_value(values)).cast::<T>();
        // SAFETY: fresh memory for as many values.
        unsafe { copy(values.as_ptr().cast(), place.as_ptr().cast(), size_of_val(values)) };
        // SAFETY: initialised just now, nothing else refers to it, and it stays until a reset, which needs `&mut self`.
        unsafe { core::slice::from_raw_parts_mut(place.as_ptr(), values.len()) }
    }

    /// An empty vector that grows in the arena.
    #[must_use]
    pub fn vec<T: Copy>(&self) -> Vec<'_, T> {
        Vec::new_in(self, 0)
    }

    /// An empty vector with room for `capacity` elements.
    ///
    /// # Panics
    /// When memory or the [limit](Self::set_limit) is exhausted.
    #[must_use]
    pub fn vec_with_capacity<T: Copy>(&self, capacity: usize) -> Vec<'_, T> {
        Vec::new_in(self, capacity)
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

    /// Memory of the given layout, to stay.
    #[inline]
    fn alloc_or_panic(&self, layout: Layout) -> NonNull<u8> {
        let place = self.try_alloc(layout).unwrap_or_else(|| exhausted());
        self.region.keep();
        place
    }

    /// Memory of the given layout, or `None` when memory or the limit is exhausted.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn try_alloc(&self, layout: Layout) -> Option<NonNull<u8>> {
        match self.region.alloc(layout) {
            Some(place) => Some(place),
            None => self.alloc_in_new_chunk(layout),
        }
    }

    #[cold]
    #[inline(never)]
    fn alloc_in_new_chunk(&self, layout: Layout) -> Option<NonNull<u8>> {
        if self.reserve(layout.size().checked_add(layout.align())?) { self.region.alloc(layout) } else { None }
    }

    /// Memory of the given layout in the chunk in use.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn alloc_in_chunk(&self, layout: Layout) -> Option<NonNull<u8>> {
        self.region.alloc(layout)
    }

    /// Whether the arena holds no chunk yet.
    pub(crate) fn is_fresh(&self) -> bool {
        self.region.len() == 0
    }

    /// Moves to a new chunk with room for at least `bytes` bytes, if memory and the limit allow.
    #[cold]
    #[inline(never)]
    pub(crate) fn reserve(&self, bytes: usize) -> bool {
        let Some(size) = bytes.checked_add(2 * ALIGN) else { return false };
        let Ok(layout) = Layout::from_size_align(size, ALIGN) else { return false };
        // bumpalo takes a limit that is passed already for none.
        if self.bump.allocation_limit().is_some_and(|limit| self.bump.allocated_bytes() > limit) {
            return false;
        }
        let before = self.region.len();
        // All of the chunk in use is the region's, so this is in a new one.
        let Ok(start) = self.bump.try_alloc_layout(layout) else { return false };
        // SAFETY: allocated just now with this layout, and not used.
        unsafe { (&self.bump).deallocate(start, layout) };
        if !self.take_chunk() {
            return false;
        }
        self.closed.set(self.closed.get() + before);
        self.region.left() >= bytes
    }

    /// Makes what is left of bumpalo's chunk the region.
    fn take_chunk(&self) -> bool {
        let len = self.bump.chunk_capacity();
        let Ok(layout) = Layout::array::<u8>(len) else { return false };
        if len == 0 {
            return false;
        }
        let Ok(start) = self.bump.try_alloc_layout(layout) else { return false };
        // SAFETY: allocated just now, and freed with the chunk only, by `free_chunks` or when `bump` is dropped.
        unsafe { self.region.move_to(start, len) }
    }

    /// Whether the limit allows a new chunk of so many bytes.
    #[cfg(feature = "std")]
    pub(crate) fn may_reserve(&self, bytes: usize) -> bool {
        let limit = self.bump.allocation_limit();
        limit.is_none_or(|limit| limit.saturating_sub(self.bump.allocated_bytes()) >= bytes)
    }

    /// Bytes left in the chunk in use.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn chunk_capacity(&self) -> usize {
        self.region.left()
    }

    /// What was allocated up to now is to stay, whatever is [rolled back](Self::roll_back) later.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn keep_all(&self) {
        self.region.keep();
    }

    /// A mark to roll back to.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn mark(&self) -> Mark {
        self.region.mark()
    }

    /// Frees what was allocated since the mark, except in chunks that were filled and left, and unless some of it is to
    /// stay.
    ///
    /// # Safety
    /// What was allocated since and is not to [stay](Self::keep_all) is not used any more.
    #[cold]
    pub(crate) unsafe fn roll_back(&self, mark: Mark) {
        // SAFETY: as required of the caller.
        unsafe { self.region.come_back(mark) };
    }

    /// Moves the `len` values in memory for `old` values to memory for `new` ones, in place where it is the newest, if that
    /// costs no more than `budget` bytes. Gives the bytes that it cost, too.
    ///
    /// # Safety
    /// `len` values at `ptr` are initialised, `len <= old <= new`, and nothing else refers to memory of this arena at `ptr`
    /// that was allocated last.
    pub(crate) unsafe fn grow_array<T: Copy>(
        &self,
        ptr: NonNull<T>,
        len: usize,
        old: usize,
        new: usize,
        budget: usize,
    ) -> Option<(NonNull<T>, usize)> {
        let more = (new - old).checked_mul(size_of::<T>()).filter(|more| *more <= budget)?;
        let (place, cost) = match self.region.lengthen(ptr.cast(), old * size_of::<T>(), more) {
            Some(place) => (place.cast::<T>(), more),
            None => {
                let layout = Layout::array::<T>(new).ok().filter(|layout| layout.size() <= budget)?;
                (self.try_alloc(layout)?.cast::<T>(), layout.size())
            }
        };
        if len > 0 {
            // SAFETY: `len` initialised values move to memory for more of them, which begins with or before the old.
            unsafe { ptr.copy_to(place, len) };
        }
        Some((place, cost))
    }

    /// The same for values of no known type: the first `len` bytes of `old` move to memory of the layout `new`.
    ///
    /// # Safety
    /// `len` bytes at `ptr` are initialised, and `old` and `new.size()` are multiples of `new.align()`; `len <= old <=
    /// new.size()` and nothing else refers to memory of this arena at `ptr` that was allocated last, or `old` is 0.
    #[cfg(feature = "reflect")]
    pub(crate) unsafe fn grow_bytes(
        &self,
        ptr: NonNull<u8>,
        len: usize,
        old: usize,
        new: Layout,
        budget: usize,
    ) -> Option<(NonNull<u8>, usize)> {
        let more = new.size() - old;
        let in_place = if old > 0 && more <= budget { self.region.lengthen(ptr, old, more) } else { None };
        let (place, cost) = match in_place {
            Some(place) => (place, more),
            None if new.size() <= budget => (self.try_alloc(new)?, new.size()),
            None => return None,
        };
        if len > 0 {
            // SAFETY: as in `grow_array`.
            unsafe { ptr.copy_to(place, len) };
        }
        Some((place, cost))
    }

    /// Frees what lies behind the `len` values in memory for `capacity` of them, if it is the newest.
    ///
    /// # Safety
    /// As [`grow_array`](Self::grow_array).
    pub(crate) unsafe fn shrink_array<T: Copy>(
        &self,
        ptr: NonNull<T>,
        len: usize,
        capacity: usize,
    ) -> Option<NonNull<T>> {
        let size = size_of::<T>();
        let place = self.region.shorten(ptr.cast(), capacity * size, (capacity - len) * size)?.cast::<T>();
        // SAFETY: `len` values move to the end of memory for `capacity` of them.
        unsafe { ptr.copy_to(place, len) };
        Some(place)
    }

    /// Frees memory for `len` values that were used for a while, if it is the newest: whether it was. It counts for the
    /// [peak](Self::peak_bytes).
    ///
    /// # Safety
    /// It came from this arena, and nothing refers to it any more.
    pub(crate) unsafe fn free_scratch<T: Copy>(&self, ptr: NonNull<T>, len: usize) -> bool {
        self.peak.set(self.peak_bytes());
        // SAFETY: no values stay, and nothing refers to the memory.
        unsafe { self.shrink_array(ptr, 0, len) }.is_some()
    }

    /// Frees the `len` bytes at `ptr`, which nothing refers to any more, if they are the newest.
    fn free_newest(&self, ptr: NonNull<u8>, len: usize) {
        let _ = self.region.shorten(ptr, len, len);
    }

    /// A block of `len` uninitialised bytes.
    pub(crate) fn take_block(&self, len: usize) -> Option<Block> {
        let start = self.try_alloc(Layout::array::<u8>(len).ok()?)?;
        Some(Block { start, len })
    }

    /// Gives the front of a block back, if nothing was allocated since, and keeps its last `len` bytes, which the caller
    /// has written.
    ///
    /// # Safety
    /// `block` came from this arena, `len <= block.len`, and its last `len` bytes are initialised.
    pub(crate) unsafe fn keep_tail(&self, block: Block, len: usize) -> &[u8] {
        let front = block.len - len;
        let _ = self.region.shorten(block.start, block.len, front);
        self.region.keep();
        // SAFETY: `len <= block.len`, so the result is in the block.
        let tail = unsafe { block.start.add(front) };
        // SAFETY: `len` initialised bytes at the end of the block, of which only the front was given back; they stay until
        // a reset, which needs `&mut self`.
        unsafe { core::slice::from_raw_parts(tail.as_ptr(), len) }
    }
}

#[cold]
#[inline(never)]
#[expect(clippy::panic, reason = "documented where memory is asked for without a way to say that there is none")]
pub(crate) fn exhausted() -> ! {
    panic!("the arena's memory or limit is exhausted")
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

    fn bytes(len: usize) -> Layout {
        Layout::array::<u8>(len).expect("small")
    }

    #[test]
    fn what_is_rolled_back_is_free_again() {
        let arena = Arena::with_capacity(4096);
        arena.alloc_slice_copy(&[1u8; 5]);
        let (mark, before) = (arena.mark(), arena.chunk_capacity());
        let first = arena.try_alloc(bytes(5)).expect("fits");
        let second = arena.try_alloc(Layout::new::<u64>()).expect("fits");
        assert_eq!(second.as_ptr().addr() % align_of::<u64>(), 0);
        assert!(second.as_ptr().addr() + 8 <= first.as_ptr().addr());
        // SAFETY: neither is used.
        unsafe { arena.roll_back(mark) };
        assert_eq!(arena.chunk_capacity(), before);
        // Where a new chunk was needed, that one is free.
        assert!(arena.try_alloc(bytes(10_000)).is_some());
        let held = arena.held_bytes();
        // SAFETY: not used.
        unsafe { arena.roll_back(mark) };
        assert!(arena.try_alloc(bytes(10_000)).is_some());
        assert_eq!(arena.held_bytes(), held);
    }

    #[test]
    fn what_is_to_stay_is_not_rolled_back() {
        let arena = Arena::with_capacity(4096);
        let outer = arena.mark();
        assert!(arena.try_alloc(bytes(100)).is_some());
        let stays = arena.alloc_slice_copy(&[7u8; 50]);
        let inner = arena.mark();
        assert!(arena.try_alloc(bytes(100)).is_some());
        let before = arena.chunk_capacity();
        // SAFETY: the two pieces are not used, and the slice is to stay.
        unsafe { arena.roll_back(inner) };
        assert_eq!(arena.chunk_capacity(), before + 100);
        // SAFETY: as above.
        unsafe { arena.roll_back(outer) };
        assert_eq!(arena.chunk_capacity(), before + 100);
        arena.alloc_slice_copy(&[9u8; 1000]);
        assert_eq!(stays, [7; 50]);
    }

    #[test]
    fn the_newest_array_grows_and_shrinks_in_place() {
        let arena = Arena::with_capacity(4096);
        let free = arena.chunk_capacity();
        // SAFETY: no values, and memory that nothing refers to.
        let grown = unsafe { arena.grow_array::<u32>(NonNull::dangling(), 0, 0, 3, 12) };
        let (ptr, cost) = grown.expect("fits");
        assert_eq!(cost, 12);
        for value in 0..3 {
            // SAFETY: three values fit.
            unsafe { ptr.add(value as usize).write(value) };
        }
        // SAFETY: three values, in memory that nothing else refers to.
        assert!(unsafe { arena.grow_array(ptr, 3, 3, 100, 387) }.is_none());
        // SAFETY: as above.
        let (ptr, cost) = unsafe { arena.grow_array(ptr, 3, 3, 100, 388) }.expect("fits");
        assert_eq!((arena.chunk_capacity(), cost), (free - 400, 388));
        // SAFETY: as above.
        let ptr = unsafe { arena.shrink_array(ptr, 3, 100) }.expect("the newest");
        assert_eq!(arena.chunk_capacity(), free - 12);
        assert!(arena.try_alloc(bytes(1)).is_some());
        // SAFETY: as above.
        assert!(unsafe { arena.shrink_array(ptr, 2, 3) }.is_none());
        // SAFETY: as above.
        assert!(unsafe { arena.grow_array(ptr, 3, 3, 4, 15) }.is_none());
        // SAFETY: as above.
        let (ptr, cost) = unsafe { arena.grow_array(ptr, 3, 3, 4, 16) }.expect("fits");
        assert_eq!(cost, 16);
        // SAFETY: written above, and moved twice.
        assert_eq!(unsafe { core::slice::from_raw_parts(ptr.as_ptr(), 3) }, [0, 1, 2]);
    }

    #[test]
    fn alignment_and_nothing() {
        let arena = Arena::new();
        assert_eq!(arena.alloc_slice_copy::<u64>(&[]), [0u64; 0]);
        arena.alloc(());
        assert_eq!(arena.held_bytes(), 0);
        arena.alloc_str("x");
        for align in [1usize, 2, 8, 16, 32, 4096] {
            let layout = Layout::from_size_align(3, align).expect("a power of two");
            let place = arena.try_alloc(layout).expect("fits");
            assert_eq!(place.as_ptr().addr() % align, 0);
        }
    }

    #[test]
    fn the_limit_is_that_of_all_chunks() {
        let arena = Arena::new();
        arena.set_limit(Some(1_000));
        assert!(arena.try_alloc(bytes(2_000)).is_none());
        assert!(arena.try_alloc(bytes(100)).is_some());
        // Also one that is passed when it comes.
        let arena = Arena::with_capacity(10_000);
        let held = arena.held_bytes();
        arena.set_limit(Some(100));
        assert!(arena.try_alloc(bytes(20_000)).is_none());
        assert!(arena.try_alloc(bytes(5_000)).is_some());
        assert_eq!(arena.held_bytes(), held);
        arena.set_limit(Some(held));
        assert!(arena.try_alloc(bytes(20_000)).is_none());
        arena.set_limit(None);
        assert!(arena.try_alloc(bytes(20_000)).is_some());
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
    fn what_is_set_outlives_the_memory() {
        let mut arena = Arena::new();
        arena.set_limit(Some(200_000));
        arena.set_keep(Some(50_000));
        arena.alloc_slice_copy(&[7u8; 100_000]);
        // As much as both allow, and the peak stays known.
        arena.reset_and_trim(150_000);
        assert_eq!(arena.held_bytes(), 0);
        assert!(arena.peak_bytes() >= 100_000);
        assert!(arena.try_alloc(Layout::new::<[u8; 300_000]>()).is_none());
        assert!(arena.try_alloc(Layout::new::<[u8; 100_000]>()).is_some());
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
        assert!(arena.reserve(50_000));
        assert!(arena.chunk_capacity() >= 50_000);
        assert_eq!(arena.used_bytes(), 0);
        assert!(!arena.is_fresh());
    }
}
