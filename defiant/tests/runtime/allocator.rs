//! An allocator that counts for each thread what it gives out, and says no when it is told to.
#![expect(unsafe_code, reason = "`GlobalAlloc` is an unsafe trait")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

#[global_allocator]
static ALLOCATOR: Watched = Watched;

struct Watched;

/// What a thread's allocations came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Count {
    /// Calls that ask for memory.
    pub allocations: u64,
    /// Bytes given out, given back or not.
    pub total: u64,
    /// Bytes given out and not given back.
    pub held: i64,
    /// The most there were of them.
    pub peak: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refuse {
    Nothing,
    /// The allocation after as many others.
    One(u64),
    /// That one and all after it.
    AllFrom(u64),
}

thread_local! {
    static COUNT: Cell<Count> = const { Cell::new(Count { allocations: 0, total: 0, held: 0, peak: 0 }) };
    static REFUSE: Cell<Refuse> = const { Cell::new(Refuse::Nothing) };
    /// Smaller ones are never refused.
    static LEAST: Cell<usize> = const { Cell::new(0) };
}

/// Whether an allocation is refused.
fn refused(size: usize) -> bool {
    // Nothing is refused while a panic is on its way: what it allocates aborts.
    if std::thread::panicking() || size < LEAST.with(Cell::get) {
        return false;
    }
    REFUSE.with(|refuse| match refuse.get() {
        Refuse::Nothing => false,
        Refuse::One(0) => {
            refuse.set(Refuse::Nothing);
            true
        }
        Refuse::AllFrom(0) => true,
        Refuse::One(left) => {
            refuse.set(Refuse::One(left - 1));
            false
        }
        Refuse::AllFrom(left) => {
            refuse.set(Refuse::AllFrom(left - 1));
            false
        }
    })
}

fn note(taken: usize, given: usize) {
    COUNT.with(|count| {
        let mut now = count.get();
        now.allocations += u64::from(taken > 0);
        now.total += taken as u64;
        now.held += taken as i64 - given as i64;
        now.peak = now.peak.max(now.held);
        count.set(now);
    });
}

// SAFETY: what is not refused goes to the system's allocator unchanged; null is what an allocator says when it has no memory.
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if refused(layout.size()) {
            return core::ptr::null_mut();
        }
        note(layout.size(), 0);
        // SAFETY: as required of the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        note(0, layout.size());
        // SAFETY: as required of the caller.
        unsafe { System.dealloc(ptr, layout) }
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if refused(size) {
            return core::ptr::null_mut();
        }
        note(size, layout.size());
        // SAFETY: as required of the caller.
        unsafe { System.realloc(ptr, layout, size) }
    }
}

/// What a function allocates, and what it returns. The peak is that above what was held before.
pub(crate) fn count<T>(run: impl FnOnce() -> T) -> (T, Count) {
    let before = COUNT.get();
    COUNT.set(Count { peak: before.held, ..before });
    let result = run();
    let after = COUNT.get();
    let allocations = after.allocations - before.allocations;
    let total = after.total - before.total;
    (result, Count { allocations, total, held: after.held - before.held, peak: after.peak - before.held })
}

/// Runs a function while allocations of at least so many bytes are refused as told; whether one was.
pub(crate) fn refusing<T>(refuse: Refuse, least: usize, run: impl FnOnce() -> T) -> (T, bool) {
    LEAST.set(least);
    REFUSE.set(refuse);
    let result = run();
    let left = REFUSE.replace(Refuse::Nothing);
    (result, matches!((refuse, left), (Refuse::One(_), Refuse::Nothing) | (_, Refuse::AllFrom(0))))
}
