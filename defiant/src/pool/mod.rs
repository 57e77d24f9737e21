//! Arenas that are used again.
//!
//! A service with one connection a task keeps one [`Arena`] a task. Where requests outlive the loop that read them (an
//! [`Owned`](crate::Owned) message in a channel, a task for each request), a pool hands out arenas and takes them back when
//! their guard is dropped, reset: after warm-up no memory is asked of the system.
//!
//! [`LocalArenaPool`] is for one thread, [`ArenaPool`] for all.
//!
//! ```
//! use defiant::pool::{ArenaPool, PoolOptions};
//!
//! let pool = ArenaPool::new(PoolOptions::new().idle(32).keep(1 << 20));
//! for _ in 0..10 {
//!     let arena = pool.take();
//!     let _text: &str = arena.alloc_str("decoded, answered, forgotten");
//! }
//! let stats = pool.stats();
//! assert_eq!((stats.taken, stats.created, stats.idle), (10, 1, 1));
//! ```
//!
//! # Runtimes that move tasks from thread to thread
//!
//! An arena is `Send`, a message is `Send` and `Sync` and never refers to its arena, so a task that holds both where it
//! waits is `Send`, and a runtime may go on with it on another thread. That is all that a task for each connection needs,
//! with an arena of its own:
//!
//! ```
//! use defiant::wkt::StringValue;
//! use defiant::{Arena, DecodeError, Message};
//!
//! async fn store(text: &str) { /* .. */ }
//!
//! async fn connection(frames: Vec<Vec<u8>>) -> Result<(), DecodeError> {
//!     let mut arena = Arena::new();
//!     for frame in frames {
//!         let text = StringValue::decode(&frame, &arena)?;
//!         store(text.value).await; // arena and message wait here
//!         arena.reset();
//!     }
//!     Ok(())
//! }
//!
//! fn spawn(_: impl Future<Output = Result<(), DecodeError>> + Send + 'static) { /* `tokio::spawn` asks for as much */ }
//! spawn(connection(Vec::new()));
//! ```
//!
//! A request that goes to another task takes its arena along, as one value, [`Owned`](crate::Owned); the arena is one of the
//! pool, and goes back to it where the request ends, on whatever thread that is. A channel with bounds keeps the number of
//! arenas bounded:
//!
//! ```
//! use std::sync::mpsc::sync_channel;
//! use std::thread;
//!
//! use defiant::pool::{ArenaPool, PooledArena};
//! use defiant::wkt::StringValue;
//! use defiant::{Message, Owned};
//!
//! let pool = ArenaPool::default();
//! let (sender, receiver) = sync_channel::<Owned<StringValue<'static>, PooledArena>>(16);
//! let worker = thread::spawn(move || {
//!     let mut bytes = 0;
//!     for request in receiver {
//!         // The reply lies in the same arena as the request, and shares its strings.
//!         let reply = request.map::<StringValue<'static>>(|request, arena| StringValue {
//!             value: arena.alloc_str(&request.value.to_uppercase()),
//!             ..StringValue::default()
//!         });
//!         bytes += reply.get().encoded_len();
//!     } // the arena is empty again, and back in the pool
//!     bytes
//! });
//! for _ in 0..100 {
//!     let request = Owned::decode_copied(b"\x0a\x05hello", pool.take())?;
//!     sender.send(request).expect("the worker is there");
//! }
//! drop(sender);
//! assert_eq!(worker.join().ok(), Some(700));
//! assert!(pool.stats().created <= 18, "those in the channel, and one at each of its ends");
//! # Ok::<(), defiant::DecodeError>(())
//! ```
//!
//! The example `runtimes` in the repository is a server of each kind, on tokio, monoio, compio and glommio.

mod guard;
#[cfg(all(test, loom, feature = "std"))]
mod interleavings;

#[cfg(feature = "std")]
pub use guard::{ArenaPool, PooledArena};
pub use guard::{LocalArenaPool, LocalPooledArena};

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::arena::Arena;

/// How many arenas a pool keeps, and how large they may be.
#[derive(Clone, Copy, Debug)]
pub struct PoolOptions {
    idle: usize,
    capacity: usize,
    keep: Option<usize>,
    limit: Option<usize>,
}

impl Default for PoolOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl PoolOptions {
    /// At most 64 idle arenas of at most 1 MiB each; no limit while they are in use.
    #[must_use]
    pub const fn new() -> Self {
        PoolOptions { idle: 64, capacity: 0, keep: Some(1 << 20), limit: None }
    }

    /// How many arenas wait in the pool at most; what comes back beyond that is freed.
    #[must_use]
    pub const fn idle(mut self, arenas: usize) -> Self {
        self.idle = arenas;
        self
    }

    /// Bytes that a new arena holds from the start.
    #[must_use]
    pub const fn capacity(mut self, bytes: usize) -> Self {
        self.capacity = bytes;
        self
    }

    /// Bytes that an arena keeps at most when it comes back: [`Arena::set_keep`].
    #[must_use]
    pub const fn keep(mut self, bytes: usize) -> Self {
        self.keep = Some(bytes);
        self
    }

    /// Bytes that an arena may hold at most while it is in use: [`Arena::set_limit`].
    #[must_use]
    pub const fn limit(mut self, bytes: usize) -> Self {
        self.limit = Some(bytes);
        self
    }
}

/// What a pool has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PoolStats {
    /// Arenas that were handed out.
    pub taken: u64,
    /// How many of them had to be made.
    pub created: u64,
    /// Arenas that were freed when they came back, because enough were idle, or because they held more than is kept: that one
    /// can have been set otherwise by whoever had it.
    pub discarded: u64,
    /// Arenas that are in use now.
    pub in_use: usize,
    /// The most that were in use at the same time.
    pub peak_in_use: usize,
    /// Arenas that wait.
    pub idle: usize,
    /// Bytes that those hold.
    pub idle_bytes: usize,
    /// The most bytes that one arena ever had in use.
    pub peak_bytes: usize,
}

/// The arenas that wait, and the count of all.
#[derive(Debug)]
struct Shelf {
    options: PoolOptions,
    #[expect(clippy::vec_box, reason = "an arena stays in the box that its guards hand around")]
    idle: Vec<Box<Arena>>,
    stats: PoolStats,
}

impl Shelf {
    fn new(options: PoolOptions) -> Self {
        // All of the room now, so that putting one back never asks for memory.
        let idle = Vec::with_capacity(options.idle.min(1 << 16));
        Shelf { options, idle, stats: PoolStats::default() }
    }

    /// An arena that waits, or how to make one.
    fn take(&mut self) -> Result<Box<Arena>, PoolOptions> {
        let stats = &mut self.stats;
        stats.taken += 1;
        stats.in_use += 1;
        stats.peak_in_use = stats.peak_in_use.max(stats.in_use);
        let arena = self.idle.pop();
        stats.created += u64::from(arena.is_none());
        arena.ok_or(self.options)
    }

    /// Forgets an arena that could not be made.
    fn take_back(&mut self) {
        let stats = &mut self.stats;
        stats.taken -= 1;
        stats.created -= 1;
        stats.in_use -= 1;
    }

    /// Takes a reset arena back, or returns it to be freed.
    fn put(&mut self, mut arena: Box<Arena>) -> Option<Box<Arena>> {
        let stats = &mut self.stats;
        stats.in_use -= 1;
        stats.peak_bytes = stats.peak_bytes.max(arena.peak_bytes());
        // Whoever had it may have set others, for which the next one did not ask.
        let is_too_large = self.options.keep.is_some_and(|keep| arena.held_bytes() > keep);
        if self.idle.len() < self.options.idle && !is_too_large {
            arena.set_keep(self.options.keep);
            arena.set_limit(self.options.limit);
            self.idle.push(arena);
            None
        } else {
            stats.discarded += 1;
            Some(arena)
        }
    }

    fn stats(&self) -> PoolStats {
        let idle_bytes = self.idle.iter().map(|arena| arena.held_bytes()).sum();
        PoolStats { idle: self.idle.len(), idle_bytes, ..self.stats }
    }
}

/// An arena as the options say.
fn made(options: PoolOptions) -> Box<Arena> {
    let mut arena = Box::new(Arena::with_capacity(options.capacity));
    arena.set_keep(options.keep);
    arena.set_limit(options.limit);
    arena
}
