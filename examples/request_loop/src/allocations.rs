//! Counts the heap allocations of each thread.
#![expect(unsafe_code, reason = "a global allocator implements an unsafe trait")]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

thread_local! {
    // `const` and without a destructor, so that reading it can neither allocate nor come too late.
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// The allocations and reallocations that the calling thread has made so far.
pub(crate) fn of_this_thread() -> u64 {
    COUNT.get()
}

/// The system's allocator, with a count per thread.
struct CountingAllocator;

impl CountingAllocator {
    fn count() {
        COUNT.set(COUNT.get() + 1);
    }
}

// SAFETY: every method hands its arguments to `System` unchanged and returns what `System` returned, so `System`'s
// promises to callers hold here too. `count` neither allocates nor unwinds: it changes an integer in place.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Self::count();
        // SAFETY: our caller promises that `layout` has a size other than zero, which is all that `alloc` requires.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        Self::count();
        // SAFETY: our caller promises that `layout` has a size other than zero, which is all that it requires.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        Self::count();
        // SAFETY: every block of ours came from `System` with the same layout, and our caller promises that `block` is
        // such a block, that `layout` is its layout, and that `size` is neither zero nor too large for its alignment.
        unsafe { System.realloc(block, layout, size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: every block of ours came from `System` with the same layout, and our caller promises that `block` is
        // such a block, not yet freed, and that `layout` is its layout.
        unsafe { System.dealloc(block, layout) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_this_thread_only() {
        let before = of_this_thread();
        let boxed = std::hint::black_box(Box::new(7));
        assert_eq!(of_this_thread() - before, 1);
        drop(boxed);
        assert_eq!(of_this_thread() - before, 1, "freeing is not allocating");

        let other = std::thread::spawn(|| {
            let before = of_this_thread();
            let held = std::hint::black_box(vec![0u8; 100]);
            (of_this_thread() - before, held.len())
        });
        assert_eq!(other.join().expect("it does not panic"), (1, 100));
    }
}
