//! The memory of one decode: the free part of a chunk, claimed as one block, so that all of it can be given back.
#![expect(unsafe_code, reason = "moves a raw pointer through a block")]

use core::alloc::Layout;
use core::ptr::NonNull;

use super::{Arena, Block};

/// The first piece of a block ends at a multiple of this.
const ALIGN: usize = 16;

/// Arena memory up to a budget, handed out from the end of a block.
///
/// A bump allocator takes back its last allocation only. What a decode allocates therefore is one allocation for the
/// arena, the whole free part of its chunk: [`keep`](Self::keep) returns what was not needed, and
/// [`abandon`](Self::abandon) all of it. Where a chunk does not suffice, the claim moves to a new one; the earlier
/// block stays taken until the arena is reset.
///
/// Invariant: `block.start <= floor <= free <= block.start + block.len`, and everything from `free` on was handed out.
#[derive(Debug)]
pub(crate) struct Claim<'arena> {
    arena: &'arena Arena,
    block: Block,
    /// The next piece ends here.
    free: *mut u8,
    /// No piece begins before this: the start of the block, or where the budget ends.
    floor: *mut u8,
    /// The part of the budget that lies below the floor.
    beyond: usize,
}

impl<'arena> Claim<'arena> {
    /// A claim of up to `budget` bytes, none of them taken yet.
    #[inline(always)]
    pub(crate) fn new(arena: &'arena Arena, budget: usize) -> Self {
        let start = NonNull::<u8>::dangling();
        Claim { arena, block: Block { start, len: 0 }, free: start.as_ptr(), floor: start.as_ptr(), beyond: budget }
    }

    /// A claim of up to `budget` bytes and a first piece of it, in the usual case: the arena's chunk has room for the piece
    /// and is no larger than the budget.
    #[inline(always)]
    pub(crate) fn of_chunk(arena: &'arena Arena, budget: usize, layout: Layout) -> Option<(Self, NonNull<u8>)> {
        let len = arena.chunk_capacity();
        // What aligns the end of the block and the piece.
        let room = layout.size() + (layout.align() - 1) + (ALIGN - 1);
        if len < room || len > budget {
            return None;
        }
        let block = arena.take_block(len)?;
        let floor = block.start.as_ptr();
        let end = floor.wrapping_add(len);
        let end = end.wrapping_sub(end.addr() % ALIGN);
        let beyond = budget - (end.addr() - floor.addr());
        let free = end.wrapping_sub(layout.size());
        let free = free.wrapping_sub(free.addr() % layout.align());
        Some((Claim { arena, block, free, floor, beyond }, NonNull::new(free)?))
    }

    /// The claim, and in its place one of nothing.
    pub(crate) fn take(&mut self) -> Self {
        let nothing = Claim::new(self.arena, 0);
        core::mem::replace(self, nothing)
    }

    /// Bytes that may still be taken.
    pub(crate) fn budget(&self) -> usize {
        self.beyond + (self.free.addr() - self.floor.addr())
    }

    /// Memory of the given layout, or `None` when the budget, the arena's limit or memory is exhausted.
    #[inline(always)]
    pub(crate) fn alloc(&mut self, layout: Layout) -> Option<NonNull<u8>> {
        if let Some(place) = self.place(layout) {
            return Some(place);
        }
        if !self.extend(layout) {
            return None;
        }
        self.place(layout)
    }

    /// Memory of the given layout in the block.
    #[inline(always)]
    fn place(&mut self, layout: Layout) -> Option<NonNull<u8>> {
        let left = self.free.addr() - self.floor.addr();
        let rest = left.checked_sub(layout.size())?;
        // What aligns an address of the remaining range must not take it below the floor.
        let padding = (self.floor.addr() + rest) & (layout.align() - 1);
        let rest = rest.checked_sub(padding)?;
        // SAFETY: `rest <= left`, so the place is in the block.
        self.free = unsafe { self.floor.add(rest) };
        NonNull::new(self.free)
    }

    /// Makes the newest piece `more` bytes longer at its front, in place, if it is the one of `len` bytes at `ptr` and the
    /// block has room. Its alignment must divide `more`. The bytes stay where they are.
    pub(crate) fn lengthen(&mut self, ptr: NonNull<u8>, len: usize, more: usize) -> Option<NonNull<u8>> {
        let end = self.block.start.as_ptr().addr() + self.block.len;
        let newest = len > 0 && ptr.as_ptr() == self.free && len <= end - self.free.addr();
        if !newest || more > self.free.addr() - self.floor.addr() {
            return None;
        }
        self.free = self.free.wrapping_sub(more);
        NonNull::new(self.free)
    }

    /// Takes the first `less` bytes of the newest piece back, if it is the one of `len` bytes at `ptr`: where it begins
    /// then.
    pub(crate) fn shorten(&mut self, ptr: NonNull<u8>, len: usize, less: usize) -> Option<NonNull<u8>> {
        let end = self.block.start.as_ptr().addr() + self.block.len;
        let newest = len > 0 && ptr.as_ptr() == self.free && len <= end - self.free.addr();
        if !newest || less > len {
            return None;
        }
        self.free = self.free.wrapping_add(less);
        NonNull::new(self.free)
    }

    /// Moves to a block with room for the layout; `false` when there is none or the budget does not allow it.
    #[cold]
    #[inline(never)]
    fn extend(&mut self, layout: Layout) -> bool {
        let budget = self.budget();
        let Some(need) = layout.size().checked_add(layout.align() - 1 + ALIGN).filter(|_| layout.size() <= budget)
        else {
            return false;
        };
        if self.beyond == 0 {
            return false;
        }
        if self.arena.chunk_capacity() < need {
            self.arena.reserve(need);
        }
        let len = self.arena.chunk_capacity();
        if len < need {
            return false;
        }
        let Some(block) = self.arena.take_block(len) else { return false };
        // From an aligned address on, what a message takes does not depend on what was in the arena before it.
        let skipped = (block.start.as_ptr().addr() + len) % ALIGN;
        let granted = (len - skipped.min(len)).min(budget);
        self.free = block.start.as_ptr().wrapping_add(len - skipped.min(len));
        self.floor = self.free.wrapping_sub(granted);
        self.beyond = budget - granted;
        self.block = block;
        true
    }

    /// Keeps what was handed out, and returns the rest of the block to the arena; `false` when what was handed out must
    /// not be used.
    #[inline(always)]
    #[must_use]
    pub(crate) fn keep(&mut self) -> bool {
        let Block { start, len } = self.block;
        self.block.len = 0;
        len == 0 || self.arena.keep_behind(Block { start, len }, self.free.addr() - start.as_ptr().addr())
    }

    /// Returns the whole block to the arena.
    ///
    /// # Safety
    /// Nothing that was handed out is used any more.
    #[cold]
    pub(crate) unsafe fn abandon(&mut self) {
        let Block { start, len } = self.block;
        self.block.len = 0;
        if len > 0 {
            self.arena.give_back(Block { start, len });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(len: usize) -> Layout {
        Layout::array::<u8>(len).expect("small")
    }

    #[test]
    fn what_is_not_needed_goes_back_and_all_of_it_when_abandoned() {
        let arena = Arena::with_capacity(4096);
        let free = arena.chunk_capacity();
        let mut claim = Claim::new(&arena, 1000);
        let first = claim.alloc(bytes(5)).expect("fits");
        let second = claim.alloc(Layout::new::<u64>()).expect("fits");
        assert_eq!(second.as_ptr().addr() % align_of::<u64>(), 0);
        assert!(second.as_ptr().addr() + 8 <= first.as_ptr().addr());
        assert_eq!(arena.chunk_capacity(), 0);
        assert!(claim.keep());
        assert!((free - 20..=free - 13).contains(&arena.chunk_capacity()));

        let free = arena.chunk_capacity();
        let mut claim = Claim::new(&arena, 1000);
        assert!(claim.alloc(bytes(900)).is_some());
        // SAFETY: the piece is not used.
        unsafe { claim.abandon() };
        assert_eq!(arena.chunk_capacity(), free);
    }

    #[test]
    fn the_budget_is_kept_across_chunks() {
        let arena = Arena::with_capacity(512);
        let mut claim = Claim::new(&arena, 5_000);
        assert!(claim.alloc(bytes(400)).is_some());
        assert!(claim.alloc(bytes(5_000)).is_none());
        assert!(claim.alloc(bytes(4_000)).is_some());
        assert_eq!(claim.budget(), 600);
        assert!(claim.alloc(bytes(601)).is_none());
        assert!(claim.alloc(bytes(600)).is_some());
        assert!(claim.alloc(bytes(1)).is_none());
        assert!(claim.alloc(bytes(0)).is_some());
        assert!(claim.keep());
    }

    #[test]
    fn what_others_allocate_meanwhile_stays_theirs() {
        let arena = Arena::with_capacity(512);
        let mut claim = Claim::new(&arena, 100);
        let piece = claim.alloc(bytes(3)).expect("fits");
        // SAFETY: three bytes handed out just now.
        unsafe { piece.copy_from_nonoverlapping(NonNull::from(b"abc").cast(), 3) };
        let other = arena.alloc_slice_copy(&[7u8; 50]);
        assert!(claim.keep());
        let later = arena.alloc_slice_copy(&[9u8; 400]);
        // SAFETY: kept, and written above.
        assert_eq!(unsafe { core::slice::from_raw_parts(piece.as_ptr(), 3) }, b"abc");
        assert_eq!((other[0], later[0]), (7, 9));
    }

    #[test]
    fn an_arenas_limit_ends_a_claim() {
        let arena = Arena::new();
        arena.set_limit(Some(1_000));
        let mut claim = Claim::new(&arena, usize::MAX);
        assert!(claim.alloc(bytes(2_000)).is_none());
        assert!(claim.alloc(bytes(100)).is_some());
        assert!(claim.keep());
    }
}
