//! A global allocator that can count.
#![expect(unsafe_code, reason = "`GlobalAlloc` is an unsafe trait")]

use std::alloc::{GlobalAlloc, Layout};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

static COUNTING: AtomicBool = AtomicBool::new(false);
static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicU64 = AtomicU64::new(0);

/// Passes everything on to `A`; counts while [`count`] runs.
///
/// While nothing is counted, which is whenever something is timed, an allocation costs one load of a
/// flag and one branch that is never taken more.
#[derive(Debug)]
pub struct Counting<A>(pub A);

#[inline(always)]
fn note(size: usize) {
    if COUNTING.load(Ordering::Relaxed) {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        BYTES.fetch_add(size as u64, Ordering::Relaxed);
    }
}

// SAFETY: every call is passed on unchanged to an allocator that keeps the contract.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Counting<A> {
    #[inline(always)]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size());
        // SAFETY: the caller's promises are those that `A` asks for.
        unsafe { self.0.alloc(layout) }
    }

    #[inline(always)]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note(layout.size());
        // SAFETY: as above.
        unsafe { self.0.alloc_zeroed(layout) }
    }

    #[inline(always)]
    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note(size);
        // SAFETY: as above; `ptr` came from `A`.
        unsafe { self.0.realloc(ptr, layout, size) }
    }

    #[inline(always)]
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: as above; `ptr` came from `A`.
        unsafe { self.0.dealloc(ptr, layout) }
    }
}

/// What was asked of the allocator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Calls of `alloc`, `alloc_zeroed` and `realloc`.
    pub allocations: u64,
    /// The bytes they asked for.
    pub bytes: u64,
}

/// Counts what `work` asks for, in a process with one thread whose global allocator is [`Counting`].
pub fn count(work: impl FnOnce()) -> Count {
    let before = (ALLOCATIONS.load(Ordering::Relaxed), BYTES.load(Ordering::Relaxed));
    COUNTING.store(true, Ordering::Relaxed);
    work();
    COUNTING.store(false, Ordering::Relaxed);
    Count {
        allocations: ALLOCATIONS.load(Ordering::Relaxed) - before.0,
        bytes: BYTES.load(Ordering::Relaxed) - before.1,
    }
}
