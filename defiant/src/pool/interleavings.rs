//! The pool of all threads under every interleaving of its lock operations, which loom explores.
//!
//! ```text
//! RUSTFLAGS='--cfg loom' cargo test -p defiant --no-default-features --features derive,std --lib pool::interleavings
//! ```
//!
//! Loom's `Arc` and `Mutex` take the place of those of the standard library. Loom also fails on deadlocks, and on handles
//! that are never dropped.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::vec::Vec;

use loom::thread;

use super::{ArenaPool, PoolOptions, PoolStats, PooledArena};

/// Addresses of the arenas in use. Loom does not know of this lock, so that it makes no more interleavings.
type InUse = Arc<Mutex<BTreeSet<usize>>>;

/// Takes an arena, which nobody else may have, as new as the options say.
fn take(pool: &ArenaPool, in_use: &InUse) -> PooledArena {
    let arena = pool.take();
    let is_new = in_use.lock().expect("no panic").insert(core::ptr::from_ref(&*arena).addr());
    assert!(is_new, "two guards have one arena");
    assert_eq!(arena.used_bytes(), 0);
    arena
}

fn give_back(arena: PooledArena, in_use: &InUse) {
    in_use.lock().expect("no panic").remove(&core::ptr::from_ref(&*arena).addr());
    drop(arena);
}

/// What holds at any time, however threads take turns; `cleared` arenas were freed by `clear`.
fn check(stats: PoolStats, idle: usize, cleared: u64) {
    assert!(stats.created <= stats.taken, "{stats:?}");
    assert!(stats.in_use <= stats.peak_in_use && stats.idle <= idle, "{stats:?}");
    let alive = (stats.in_use + stats.idle) as u64;
    assert_eq!(stats.created, alive + stats.discarded + cleared, "{stats:?}");
}

#[test]
fn arena_is_never_shared_and_every_arena_is_counted() {
    loom::model(|| {
        let pool = ArenaPool::new(PoolOptions::new().idle(1).keep(1 << 20));
        let in_use = InUse::default();
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let (pool, in_use) = (pool.clone(), in_use.clone());
                thread::spawn(move || {
                    let arena = take(&pool, &in_use);
                    arena.alloc_str("some text");
                    give_back(arena, &in_use);
                })
            })
            .collect();
        check(pool.stats(), 1, 0);
        for thread in threads {
            thread.join().expect("no panic");
        }
        let stats = pool.stats();
        check(stats, 1, 0);
        assert_eq!((stats.taken, stats.in_use, stats.idle), (2, 0, 1));
        assert_eq!(stats.created as usize, stats.peak_in_use, "a second arena is only made while the first is in use");
        assert!(stats.peak_bytes >= "some text".len());
    });
}

#[test]
fn guard_outlives_the_pool_on_another_thread() {
    loom::model(|| {
        let pool = ArenaPool::new(PoolOptions::new().idle(1));
        let arena = pool.take();
        let other = pool.clone();
        let thread = thread::spawn(move || {
            arena.alloc_str("some text");
            drop(arena);
        });
        drop(pool);
        check(other.stats(), 1, 0);
        thread.join().expect("no panic");
        assert_eq!((other.stats().in_use, other.stats().idle), (0, 1));
        // The last handle frees the arena, whether it is a pool or a guard.
        let last = other.take();
        drop(other);
        drop(last);
    });
}

#[test]
fn limit_and_maximum_are_those_of_the_pool_again() {
    loom::model(|| {
        let pool = ArenaPool::new(PoolOptions::new().idle(2).keep(10_000).limit(50_000));
        let other = pool.clone();
        let thread = thread::spawn(move || {
            let mut arena = other.take();
            arena.set_limit(None);
            arena.set_keep(None);
            // More than the pool keeps.
            arena.alloc_slice_copy(&[0u8; 20_000]);
        });
        let arena = pool.take();
        let is_refused = |arena: &PooledArena| arena.try_alloc(core::alloc::Layout::new::<[u8; 60_000]>()).is_none();
        assert!(is_refused(&arena));
        drop(arena);
        thread.join().expect("no panic");
        let stats = pool.stats();
        check(stats, 2, 0);
        assert_eq!(stats.discarded, 1, "{stats:?}");
        assert!(is_refused(&pool.take()));
    });
}

#[test]
fn clear_frees_idle_arenas_only() {
    loom::model(|| {
        let pool = ArenaPool::new(PoolOptions::new().idle(2));
        drop(pool.take());
        let other = pool.clone();
        let thread = thread::spawn(move || drop(other.take()));
        pool.clear();
        thread.join().expect("no panic");
        let stats = pool.stats();
        // Either the thread took the first arena, which came back before or after `clear`, or a second one.
        let cleared = stats.created - stats.idle as u64;
        check(stats, 2, cleared);
        assert!(cleared <= 1 && stats.created <= 2 && stats.in_use == 0, "{stats:?}");
    });
}
