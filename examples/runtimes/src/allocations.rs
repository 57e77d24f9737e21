//! Counts heap allocations: all of them, those of our own code, and the bytes that are still held.
#![expect(unsafe_code, reason = "a global allocator implements an unsafe trait")]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
    sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed},
};

static ALL: AtomicU64 = AtomicU64::new(0);
static OURS: AtomicU64 = AtomicU64::new(0);
static HELD: AtomicI64 = AtomicI64::new(0);

thread_local! {
    // `const` and without a destructor, so that reading it can neither allocate nor come too late.
    static WITHIN: Cell<bool> = const { Cell::new(false) };
}

/// What was counted since the program began; nothing unless [`Counting`] is its allocator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allocations {
    /// Allocations and reallocations of all threads.
    pub all: u64,
    /// Those of them that were made `within` our own code.
    pub ours: u64,
    /// Bytes that are allocated and not yet freed.
    pub held_bytes: i64,
}

/// What was counted so far.
pub fn now() -> Allocations {
    Allocations { all: ALL.load(Relaxed), ours: OURS.load(Relaxed), held_bytes: HELD.load(Relaxed) }
}

/// Runs our own code, as opposed to that of a runtime, whose allocations are not ours to avoid.
pub(crate) fn within<T>(work: impl FnOnce() -> T) -> T {
    /// Leaves the scope on a panic, too.
    struct Leave(bool);
    impl Drop for Leave {
        fn drop(&mut self) {
            WITHIN.set(self.0);
        }
    }
    let _leave = Leave(WITHIN.replace(true));
    work()
}

/// The system's allocator, with counts. A program makes it its own:
///
/// ```
/// #[global_allocator]
/// static ALLOCATOR: runtimes::Counting = runtimes::Counting;
///
/// let before = runtimes::allocations();
/// let held = std::hint::black_box(vec![0u8; 100]);
/// assert!(runtimes::allocations().all > before.all);
/// assert_eq!(runtimes::allocations().ours, before.ours, "no code of the service ran");
/// # drop(held);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Counting;

fn count(bytes: i64) {
    ALL.fetch_add(1, Relaxed);
    HELD.fetch_add(bytes, Relaxed);
    if WITHIN.get() {
        OURS.fetch_add(1, Relaxed);
    }
}

// SAFETY: every method hands its arguments to `System` unchanged and returns what `System` returned, so `System`'s
// promises to callers hold here too. `count` neither allocates nor unwinds: it changes integers in place.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as i64);
        // SAFETY: our caller promises that `layout` has a size other than zero, which is all that `alloc` requires.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as i64);
        // SAFETY: our caller promises that `layout` has a size other than zero, which is all that it requires.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as i64 - layout.size() as i64);
        // SAFETY: every block of ours came from `System` with the same layout, and our caller promises that `block` is
        // such a block, that `layout` is its layout, and that `size` is neither zero nor too large for its alignment.
        unsafe { System.realloc(block, layout, size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size() as i64, Relaxed);
        // SAFETY: every block of ours came from `System` with the same layout, and our caller promises that `block` is
        // such a block, not yet freed, and that `layout` is its layout.
        unsafe { System.dealloc(block, layout) }
    }
}
