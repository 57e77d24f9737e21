//! The two pools and their guards.
#![expect(unsafe_code, reason = "guards promise that an arena's memory stays where it is")]

use alloc::boxed::Box;
use alloc::rc::Rc;
use core::cell::RefCell;
use core::fmt;
use core::ops::{Deref, DerefMut};

#[cfg(all(feature = "std", not(all(test, loom))))]
use alloc::sync::Arc;
#[cfg(all(test, loom))]
use loom::sync::{Arc, Mutex};
#[cfg(all(feature = "std", not(all(test, loom))))]
use std::sync::Mutex;
#[cfg(feature = "std")]
use std::sync::PoisonError;

use super::{PoolOptions, PoolStats, Shelf, made};
use crate::arena::Arena;
use crate::owned::{ArenaHolder, sealed};

macro_rules! pools {
    ($(
        $(#[$attribute:meta])*
        $pool:ident, $guard:ident: $shared:ty, |$lock:ident| $locked:expr, $new:expr,
        $pool_doc:literal, $guard_doc:literal;
    )*) => {$(
        #[doc = $pool_doc]
        ///
        /// It is a handle: clones are of the same pool.
        $(#[$attribute])*
        #[derive(Clone)]
        pub struct $pool {
            shelf: $shared,
        }

        $(#[$attribute])*
        impl $pool {
            /// A pool without arenas.
            #[must_use]
            pub fn new(options: PoolOptions) -> Self {
                let new: fn(Shelf) -> $shared = $new;
                $pool { shelf: new(Shelf::new(options)) }
            }

            fn with<T>(&self, run: impl FnOnce(&mut Shelf) -> T) -> T {
                let $lock = &self.shelf;
                run(&mut *$locked)
            }

            /// An empty arena: one that waits, or a new one. It comes back when the guard is dropped.
            ///
            /// # Panics
            /// When memory for the options' capacity is exhausted.
            #[must_use]
            pub fn take(&self) -> $guard {
                let mut guard = $guard { arena: None, pool: self.clone() };
                // Made outside of the lock, if it has to be made.
                guard.arena = Some(self.with(Shelf::take).unwrap_or_else(made));
                guard
            }

            /// What the pool has done.
            #[must_use]
            pub fn stats(&self) -> PoolStats {
                self.with(|shelf| shelf.stats())
            }

            /// Frees the arenas that wait.
            pub fn clear(&self) {
                let idle: alloc::vec::Vec<_> = self.with(|shelf| shelf.idle.drain(..).collect());
                drop(idle);
            }
        }

        $(#[$attribute])*
        impl Default for $pool {
            fn default() -> Self {
                Self::new(PoolOptions::new())
            }
        }

        $(#[$attribute])*
        impl fmt::Debug for $pool {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let (options, stats) = self.with(|shelf| (shelf.options, shelf.stats()));
                f.debug_struct(stringify!($pool)).field("options", &options).field("stats", &stats).finish()
            }
        }

        #[doc = $guard_doc]
        ///
        /// It is used as the [`Arena`] that it is; dropping it resets the arena and gives it back. A limit that was set
        /// meanwhile ends with that.
        $(#[$attribute])*
        pub struct $guard {
            /// There until the guard is dropped. In a box, so that it is two words that go from hand to hand, task to task.
            arena: Option<Box<Arena>>,
            pool: $pool,
        }

        $(#[$attribute])*
        impl Deref for $guard {
            type Target = Arena;

            fn deref(&self) -> &Arena {
                match &self.arena {
                    Some(arena) => arena,
                    None => unreachable!("there until the guard is dropped"),
                }
            }
        }

        $(#[$attribute])*
        impl DerefMut for $guard {
            fn deref_mut(&mut self) -> &mut Arena {
                match &mut self.arena {
                    Some(arena) => arena,
                    None => unreachable!("there until the guard is dropped"),
                }
            }
        }

        $(#[$attribute])*
        impl Drop for $guard {
            fn drop(&mut self) {
                // There is none where there was no memory to make it.
                let Some(mut arena) = self.arena.take() else { return self.pool.with(Shelf::take_back) };
                arena.reset();
                // What is not kept is freed outside of the lock.
                let discarded = self.pool.with(|shelf| shelf.put(arena));
                drop(discarded);
            }
        }

        $(#[$attribute])*
        impl fmt::Debug for $guard {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_tuple(stringify!($guard)).field(&self.arena).finish()
            }
        }

        $(#[$attribute])*
        impl sealed::Sealed for $guard {}

        $(#[$attribute])*
        // SAFETY: an arena that is its own until it is dropped; whoever replaces it has a mutable reference, which what
        // holds messages beside the guard does not give away. Its memory are chunks on the heap.
        unsafe impl ArenaHolder for $guard {
            fn arena(&self) -> &Arena {
                self
            }

            fn reset(&mut self) {
                Arena::reset(self);
            }
        }
    )*};
}

pools! {
    LocalArenaPool, LocalPooledArena: Rc<RefCell<Shelf>>,
    |shelf| shelf.borrow_mut(), |shelf| Rc::new(RefCell::new(shelf)),
    "A pool of arenas for one thread, without locks.",
    "An arena of a [`LocalArenaPool`].";

    #[cfg(feature = "std")]
    ArenaPool, PooledArena: Arc<Mutex<Shelf>>,
    |shelf| shelf.lock().unwrap_or_else(PoisonError::into_inner), |shelf| Arc::new(Mutex::new(shelf)),
    "A pool of arenas for all threads, behind a lock that is held for a few instructions.",
    "An arena of an [`ArenaPool`].";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arenas_come_back_reset() {
        let pool = LocalArenaPool::new(PoolOptions::new().idle(2).keep(100_000).capacity(1000));
        let held = {
            let (first, second, third) = (pool.take(), pool.take(), pool.take());
            first.alloc_slice_copy(&[0u8; 500]);
            assert_eq!(pool.stats().in_use, 3);
            drop(third);
            drop(second);
            first.held_bytes()
        };
        let stats = pool.stats();
        assert_eq!((stats.taken, stats.created, stats.discarded), (3, 3, 1));
        assert_eq!((stats.in_use, stats.peak_in_use, stats.idle), (0, 3, 2));
        assert!(stats.peak_bytes >= 500 && stats.idle_bytes >= 2 * held);
        let again = pool.take();
        assert_eq!((again.used_bytes(), pool.stats().created), (0, 3));
        again.alloc_slice_copy(&[0u8; 1_000_000]);
        drop(again);
        assert!(pool.stats().idle_bytes < 200_000);
        pool.clear();
        assert_eq!((pool.stats().idle, pool.stats().idle_bytes), (0, 0));
    }

    #[cfg(feature = "std")]
    #[test]
    fn an_arena_that_could_not_be_made_is_not_in_use() {
        let pool = ArenaPool::new(PoolOptions::new().capacity(usize::MAX));
        assert!(std::panic::catch_unwind(|| pool.take()).is_err());
        let stats = pool.stats();
        assert_eq!((stats.taken, stats.created, stats.in_use, stats.discarded), (0, 0, 0, 0));
    }

    /// Messages with their arenas are moved more often than they are read.
    #[test]
    fn a_guard_is_two_words() {
        assert_eq!(size_of::<LocalPooledArena>(), 2 * size_of::<usize>());
        #[cfg(feature = "std")]
        assert_eq!(size_of::<PooledArena>(), 2 * size_of::<usize>());
    }

    #[test]
    fn the_limit_is_that_of_each() {
        let pool = LocalArenaPool::new(PoolOptions::new().limit(10_000));
        let arena = pool.take();
        assert!(arena.try_alloc(core::alloc::Layout::new::<[u8; 20_000]>()).is_none());
    }

    #[cfg(feature = "std")]
    #[test]
    fn threads_share_a_pool() {
        let pool = ArenaPool::default();
        let threads: std::vec::Vec<_> = (0..4)
            .map(|_| {
                let pool = pool.clone();
                std::thread::spawn(move || {
                    for _ in 0..100 {
                        pool.take().alloc_str("some text");
                    }
                })
            })
            .collect();
        for thread in threads {
            thread.join().expect("no panic");
        }
        let stats = pool.stats();
        assert_eq!((stats.taken, stats.in_use), (400, 0));
        assert!(stats.created <= 4 && stats.created == stats.idle as u64);
    }
}
