//! The part of an arena's newest chunk that is still free.
#![expect(unsafe_code, reason = "moves a raw pointer through a chunk")]

use core::alloc::Layout;
use core::cell::Cell;
use core::ptr::NonNull;

/// A region begins and ends at a multiple of this.
pub(super) const ALIGN: usize = 16;

/// A piece of memory, handed out from its end towards its beginning.
///
/// Invariant: `floor` and `end` are multiples of [`ALIGN`], `floor <= free <= end`, and `floor <= kept <= end`. The bytes
/// from `floor` to `end` are one allocation, alive and of no use to anybody else. Nothing refers to those before `free`,
/// and nothing below `kept` is in use by more than the decode or encode that is at work.
#[derive(Debug)]
pub(super) struct Region {
    floor: Cell<NonNull<u8>>,
    free: Cell<NonNull<u8>>,
    end: Cell<NonNull<u8>>,
    /// What was handed out to stay begins here.
    kept: Cell<NonNull<u8>>,
}

impl Region {
    /// A region of no bytes.
    pub(super) const fn empty() -> Self {
        let nowhere = NonNull::<Aligned>::dangling().cast();
        Region {
            floor: Cell::new(nowhere),
            free: Cell::new(nowhere),
            end: Cell::new(nowhere),
            kept: Cell::new(nowhere),
        }
    }

    /// Moves to other memory, as much of `len` bytes at `start` as is aligned; `false` when that is nothing.
    ///
    /// # Safety
    /// They are one allocation that nothing else uses as long as the region does.
    pub(super) unsafe fn move_to(&self, start: NonNull<u8>, len: usize) -> bool {
        let address = start.as_ptr().addr();
        let lead = address.next_multiple_of(ALIGN) - address;
        let Some(aligned) = len.checked_sub(lead).map(|len| len - len % ALIGN).filter(|len| *len > 0) else {
            return false;
        };
        // SAFETY: `lead <= len`.
        let floor = unsafe { start.add(lead) };
        self.floor.set(floor);
        // SAFETY: `lead + aligned <= len`.
        self.end.set(unsafe { floor.add(aligned) });
        self.clear();
        true
    }

    /// Everything is free again.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn clear(&self) {
        self.free.set(self.end.get());
        self.kept.set(self.end.get());
    }

    /// Bytes that it has.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn len(&self) -> usize {
        self.end.get().as_ptr().addr() - self.floor.get().as_ptr().addr()
    }

    /// Bytes that are free.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn left(&self) -> usize {
        self.free.get().as_ptr().addr() - self.floor.get().as_ptr().addr()
    }

    /// Bytes handed out.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn used(&self) -> usize {
        self.end.get().as_ptr().addr() - self.free.get().as_ptr().addr()
    }

    /// Memory of the given layout, if there is room.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn alloc(&self, layout: Layout) -> Option<NonNull<u8>> {
        let left = self.left();
        let rest = left.checked_sub(layout.size())?;
        let rest = if layout.align() <= ALIGN {
            // The floor is a multiple of this alignment.
            rest & !(layout.align() - 1)
        } else {
            rest.checked_sub((self.floor.get().as_ptr().addr() + rest) & (layout.align() - 1))?
        };
        // SAFETY: `rest <= left`, so this is in the region.
        let place = unsafe { self.floor.get().add(rest) };
        self.free.set(place);
        Some(place)
    }

    /// Whether the `len` bytes at `ptr` were handed out last, or next to nothing since.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn is_newest(&self, ptr: NonNull<u8>, len: usize) -> bool {
        len > 0 && ptr == self.free.get() && len <= self.used()
    }

    /// Makes the newest piece, if it is the one of `len` bytes at `ptr`, `more` bytes longer at its front, where there is
    /// room. Its alignment must divide `more`. The bytes stay where they are.
    pub(super) fn lengthen(&self, ptr: NonNull<u8>, len: usize, more: usize) -> Option<NonNull<u8>> {
        if !self.is_newest(ptr, len) || more > self.left() {
            return None;
        }
        // SAFETY: in the region, since so much of it is left. From `free`, as `ptr` may come from a slice.
        let place = unsafe { self.free.get().sub(more) };
        self.free.set(place);
        Some(place)
    }

    /// Takes the first `less` bytes of the newest piece back, if it is the one of `len` bytes at `ptr`: where it begins
    /// then.
    pub(super) fn shorten(&self, ptr: NonNull<u8>, len: usize, less: usize) -> Option<NonNull<u8>> {
        if !self.is_newest(ptr, len) || less > len {
            return None;
        }
        // SAFETY: in the piece, or at its end.
        let place = unsafe { self.free.get().add(less) };
        self.free.set(place);
        self.kept.set(self.kept.get().max(place));
        Some(place)
    }

    /// What was handed out up to now is to stay.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn keep(&self) {
        self.kept.set(self.free.get());
    }

    /// A mark to come back to.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn mark(&self) -> Mark {
        Mark(self.free.get())
    }

    /// Takes back what was handed out since the mark, unless some of it is to stay; where the region moved since, what
    /// was handed out of it.
    ///
    /// # Safety
    /// What was handed out since and not [kept](Self::keep) is not used any more.
    pub(super) unsafe fn come_back(&self, mark: Mark) {
        let here = self.floor.get() <= mark.0 && mark.0 <= self.end.get();
        let free = if here { mark.0 } else { self.end.get() };
        if self.kept.get() >= free && self.free.get() < free {
            self.free.set(free);
        }
    }
}

/// A value that is aligned like a region.
#[repr(align(16))]
struct Aligned;

/// How far a region was handed out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark(NonNull<u8>);
