//! A message together with the memory it lives in.
//!
//! # Why this is sound
//!
//! An [`Owned`] refers to itself: its message refers to the arena's memory and to the wire beside it. Safe code cannot reach
//! either after they are gone, because of four things:
//!
//! * **Nothing moves.** The arena's chunks and the wire's bytes stay where they are when the `Owned` moves. `Settled` keeps
//!   the arena itself in the arena's own memory, so it does not move either. A closure may put a reference to the arena into memory
//!   that outlives the call without ever dangling.
//! * **Nothing escapes.** Closures take and return messages of any lifetime, so they cannot keep what they are lent.
//! * **Shortening is checked.** [`Owned::get`] borrows a message for the lifetime of the `Owned` through
//!   `MessageFamily::__shorten`, safe code that compiles for covariant messages only.
//! * **Messages are plain data.** [`Message`](crate::Message) is an unsafe trait. Its implementations have no interior
//!   mutability, are `Send` and `Sync`, and hold no reference to an arena.
#![expect(unsafe_code, reason = "a message that refers to the arena beside it")]

use core::alloc::Layout;
use core::fmt;
use core::marker::PhantomData;
use core::ptr::NonNull;

use bytes::Bytes;

use crate::arena::{Arena, exhausted};
use crate::error::DecodeError;
use crate::extension::MessageFamily;
use crate::message::DecodeOptions;
use crate::wire::context::Fault;

/// A message with its arena: one value without a lifetime, `Send` and `Sync`, to be sent through channels, kept in caches,
/// and held across `.await` on runtimes that move tasks from thread to thread.
///
/// `Owned<Person<'static>>` holds a `Person<'_>`: the lifetime `'static` stands for that of the value itself.
///
/// ```
/// use defiant::{Message, Owned, UnknownFields};
///
/// #[derive(Clone, Copy, Debug, PartialEq, Message)]
/// struct Person<'arena> {
///     #[defiant(string, tag = 1)]
///     name: &'arena str,
///     #[defiant(unknown)]
///     unknown_fields: UnknownFields<'arena>,
/// }
///
/// let wire = Person { name: "Ada", ..Person::default() }.encode_to_vec();
/// let person: Owned<Person<'static>> = Owned::decode(wire)?; // borrows its strings from `wire`, which it keeps
/// let length = std::thread::spawn(move || person.get().name.len()).join();
/// assert_eq!(length.ok(), Some(3));
/// # Ok::<(), defiant::DecodeError>(())
/// ```
///
/// # Its memory
///
/// The second parameter is what holds the arena: an [`Arena`], or one that goes back to its pool when the message is
/// dropped (`PooledArena`, `LocalPooledArena`). With a pool, making and dropping a message takes no memory from
/// the system after warm-up.
///
/// # What the compiler checks
///
/// What is taken out of it cannot outlive it:
///
/// ```compile_fail,E0505
/// # use defiant::{Message, Owned, UnknownFields};
/// # #[derive(Clone, Copy, Debug, PartialEq, Message)]
/// # struct Person<'arena> {
/// #     #[defiant(string, tag = 1)]
/// #     name: &'arena str,
/// #     #[defiant(unknown)]
/// #     unknown_fields: UnknownFields<'arena>,
/// # }
/// let person: Owned<Person<'static>> = Owned::decode(vec![10, 1, b'A'])?;
/// let name = person.get().name;
/// drop(person);
/// println!("{name}");
/// # Ok::<(), defiant::DecodeError>(())
/// ```
///
/// and what is put into it must come from its own arena, or live for ever:
///
/// ```compile_fail
/// # use defiant::{Arena, Message, Owned, UnknownFields};
/// # #[derive(Clone, Copy, Debug, PartialEq, Message)]
/// # struct Person<'arena> {
/// #     #[defiant(string, tag = 1)]
/// #     name: &'arena str,
/// #     #[defiant(unknown)]
/// #     unknown_fields: UnknownFields<'arena>,
/// # }
/// let name = String::from("Ada");
/// let person: Owned<Person<'static>> =
///     Owned::build(Arena::new(), |_| Person { name: &name, ..Person::default() });
/// ```
///
/// One of a family is not one of another, even where the one type stands for the other (`for<'a> fn(&'a ())` and
/// `fn(&'static ())`), as each may have a family of its own:
///
/// ```compile_fail,E0308
/// #![allow(coherence_leak_check)]
/// # use defiant::extension::{MessageFamily, OfFamily};
/// # use defiant::wkt::{StringValue, UInt64Value};
/// # use defiant::{Arena, Owned};
/// struct Tag<T>(std::marker::PhantomData<T>);
/// impl OfFamily for Tag<for<'a> fn(&'a ())> {
///     type Family = <UInt64Value<'static> as MessageFamily>::Family;
/// }
/// impl OfFamily for Tag<fn(&'static ())> {
///     type Family = <StringValue<'static> as MessageFamily>::Family;
/// }
/// let number: Owned<Tag<for<'a> fn(&'a ())>> =
///     Owned::build(Arena::new(), |_| UInt64Value { value: 7, ..UInt64Value::default() });
/// let text: Owned<Tag<fn(&'static ())>> = number;
/// ```
pub struct Owned<M, A: ArenaHolder = Arena> {
    /// An `M::In<'static>` in the memory of `arena`, whose references are into that memory, into `wire`, or live for ever.
    /// Not in this struct, and `M` not bound here: a compiler that asks whether a future is `Send` asks it for every lifetime
    /// of the types in it, and `M::In` is there for `'static` alone.
    message: NonNull<()>,
    arena: Settled<A>,
    wire: Bytes,
    /// Invariant: of two types where one is a subtype of the other, both may have families, and not the same.
    family: PhantomData<fn(M) -> M>,
}

// SAFETY: every constructor requires `M: MessageFamily`. Messages are `Send` and `Sync`, hold no reference to the arena, and
// refer to memory that nobody writes to and that moves along with the arena. `A` and `Bytes` are `Send`.
unsafe impl<M, A: ArenaHolder + Send> Send for Owned<M, A> {}

// SAFETY: through a shared reference, the arena tells its size only, and nothing that changes the size can run: messages hold
// no reference to the arena. Messages and `Bytes` are `Sync`.
unsafe impl<M, A: ArenaHolder> Sync for Owned<M, A> {}

/// An arena at a stable address, with its holder in its own memory.
///
/// Invariant: `holder` points to an initialised `A` in the memory of that `A`'s arena, which nothing else drops.
struct Settled<A: ArenaHolder> {
    holder: NonNull<A>,
    owns: PhantomData<A>,
}

impl<A: ArenaHolder> Settled<A> {
    /// Moves a holder into the memory of its arena. `None` when that memory is exhausted; then the arena is dropped.
    fn new(arena: A) -> Option<Self> {
        let place = arena.arena().try_alloc(Layout::new::<A>())?.cast::<A>();
        // A decode that fails must not give this memory back.
        arena.arena().keep_all();
        // SAFETY: fresh memory for an `A`. It stays where it is when the holder moves into it.
        unsafe { place.write(arena) };
        Some(Settled { holder: place, owns: PhantomData })
    }

    /// The arena, for a lifetime that the compiler cannot see.
    ///
    /// # Safety
    /// The caller keeps no borrow of the arena longer than `self`.
    unsafe fn extend(&self) -> &'static Arena {
        // SAFETY: the arena of a holder stays where it is, and the caller promises that the reference ends with `self`.
        unsafe { &*core::ptr::from_ref(self.arena()) }
    }

    /// The arena.
    fn arena(&self) -> &Arena {
        // SAFETY: the invariant.
        unsafe { self.holder.as_ref() }.arena()
    }

    /// Moves the holder out of its arena's memory.
    fn into_holder(self) -> A {
        let this = core::mem::ManuallyDrop::new(self);
        // SAFETY: the invariant, and `ManuallyDrop` prevents a second drop of the holder.
        unsafe { this.holder.read() }
    }
}

impl<A: ArenaHolder> Drop for Settled<A> {
    fn drop(&mut self) {
        // The holder moves out first, because dropping it frees the memory that it is in.
        // SAFETY: the invariant, and nothing reads `holder` again.
        drop(unsafe { self.holder.read() });
    }
}

/// What owns an arena: an [`Arena`] itself, or the guard of a pool.
///
/// # Safety
/// The arena is always the same one. Its memory stays where it is when the holder is moved.
pub unsafe trait ArenaHolder: sealed::Sealed {
    /// The arena.
    fn arena(&self) -> &Arena;

    /// Frees what is in it.
    fn reset(&mut self);
}

pub(crate) mod sealed {
    /// Keeps other crates from implementing a trait.
    // TRUST: it has no public path, so only this crate implements it.
    pub trait Sealed {}
}

impl sealed::Sealed for Arena {}

// SAFETY: the arena itself; its memory are chunks on the heap.
unsafe impl ArenaHolder for Arena {
    fn arena(&self) -> &Arena {
        self
    }

    fn reset(&mut self) {
        Arena::reset(self);
    }
}

impl<M: MessageFamily> Owned<M> {
    /// Decodes a message into an arena of its own. Strings and bytes are borrowed from the wire, which is kept with it.
    ///
    /// # Errors
    /// As [`Message::decode`](crate::Message::decode).
    pub fn decode(wire: impl Into<Bytes>) -> Result<Self, DecodeError> {
        Self::decode_in(wire, Arena::new())
    }
}

impl<M: MessageFamily, A: ArenaHolder> Owned<M, A> {
    /// Decodes a message into a given arena. Strings and bytes are borrowed from the wire, which is kept with it.
    ///
    /// # Errors
    /// As [`Message::decode`](crate::Message::decode); then wire and arena are dropped.
    pub fn decode_in(wire: impl Into<Bytes>, arena: A) -> Result<Self, DecodeError> {
        Self::decode_with(DecodeOptions::new(), wire, arena)
    }

    /// [`decode_in`](Self::decode_in) with options.
    ///
    /// # Errors
    /// As there.
    pub fn decode_with(options: DecodeOptions, wire: impl Into<Bytes>, arena: A) -> Result<Self, DecodeError> {
        let wire = wire.into();
        // SAFETY: the bytes stay where they are as long as `wire` is kept, and what is borrowed from them goes nowhere but
        // into the message beside it.
        let bytes: &'static [u8] = unsafe { core::slice::from_raw_parts(wire.as_ptr(), wire.len()) };
        let arena = Self::settle(arena)?;
        // SAFETY: the message, which borrows from the arena, is kept beside it.
        let memory = unsafe { arena.extend() };
        let place = Self::place(memory)?;
        let message: M::In<'static> = options.decode_borrowed(bytes, memory)?;
        // SAFETY: `place` gave fresh memory for a message.
        unsafe { place.write(message) };
        Ok(Self::new(place, arena, wire))
    }

    /// Decodes a message from a copy of the wire in the arena.
    ///
    /// # Errors
    /// As [`decode_in`](Self::decode_in).
    pub fn decode_copied(wire: &[u8], arena: A) -> Result<Self, DecodeError> {
        Self::decode_copied_with(DecodeOptions::new(), wire, arena)
    }

    /// [`decode_copied`](Self::decode_copied) with options.
    ///
    /// ```
    /// use defiant::wkt::StringValue;
    /// use defiant::{Arena, DecodeOptions, Owned};
    ///
    /// let options = DecodeOptions::new().memory_limit(1 << 10);
    /// let text = Owned::<StringValue<'static>>::decode_copied_with(options, b"\x0a\x02hi", Arena::new())?;
    /// assert_eq!(text.get().value, "hi");
    /// # Ok::<(), defiant::DecodeError>(())
    /// ```
    ///
    /// # Errors
    /// As [`decode_in`](Self::decode_in).
    pub fn decode_copied_with(options: DecodeOptions, wire: &[u8], arena: A) -> Result<Self, DecodeError> {
        let arena = Self::settle(arena)?;
        // SAFETY: the message, which borrows from the arena, is kept beside it.
        let memory = unsafe { arena.extend() };
        let place = Self::place(memory)?;
        let message: M::In<'static> = options.decode(wire, memory)?;
        // SAFETY: `place` gave fresh memory for a message.
        unsafe { place.write(message) };
        Ok(Self::new(place, arena, Bytes::new()))
    }

    /// A message that a function makes, out of the arena.
    ///
    /// # Panics
    /// When memory or the arena's limit is exhausted.
    pub fn build(arena: A, build: impl for<'a> FnOnce(&'a Arena) -> M::In<'a>) -> Self {
        let arena = Self::settle(arena).unwrap_or_else(|_| exhausted());
        // SAFETY: the message is kept beside the arena. The function is for every lifetime, so it keeps nothing of the arena.
        let memory = unsafe { arena.extend() };
        let place = NonNull::from(memory.alloc(build(memory)));
        Self::new(place, arena, Bytes::new())
    }

    /// The same where making it may fail.
    ///
    /// # Errors
    /// Those of the function; then the arena is dropped.
    ///
    /// # Panics
    /// When memory or the arena's limit is exhausted.
    pub fn try_build<E>(arena: A, build: impl for<'a> FnOnce(&'a Arena) -> Result<M::In<'a>, E>) -> Result<Self, E> {
        let arena = Self::settle(arena).unwrap_or_else(|_| exhausted());
        // SAFETY: the message is kept beside the arena. The function is for every lifetime, so it keeps nothing of the arena.
        let memory = unsafe { arena.extend() };
        let place = NonNull::from(memory.alloc(build(memory)?));
        Ok(Self::new(place, arena, Bytes::new()))
    }

    /// With a message in the memory of the arena.
    fn new(place: NonNull<M::In<'static>>, arena: Settled<A>, wire: Bytes) -> Self {
        Owned { message: place.cast(), arena, wire, family: PhantomData }
    }

    fn settle(arena: A) -> Result<Settled<A>, DecodeError> {
        Settled::new(arena).ok_or_else(|| DecodeError::at(Fault::Memory, 0))
    }

    /// Memory for a message.
    fn place(memory: &'static Arena) -> Result<NonNull<M::In<'static>>, DecodeError> {
        let place = memory.try_alloc(Layout::new::<M::In<'static>>());
        place.map(NonNull::cast).ok_or_else(|| DecodeError::at(Fault::Memory, 0))
    }

    /// The message.
    #[must_use]
    pub fn get(&self) -> &M::In<'_> {
        // SAFETY: every constructor writes a message there. It is lent no longer than `self` is borrowed, which keeps what it
        // refers to.
        M::__shorten(unsafe { self.message.cast::<M::In<'static>>().as_ref() })
    }

    /// Makes another message of it, in the same memory: a part of it, or an answer to it.
    pub fn map<N: MessageFamily>(self, map: impl for<'a> FnOnce(M::In<'a>, &'a Arena) -> N::In<'a>) -> Owned<N, A> {
        let Owned { message, arena, wire, .. } = self;
        // SAFETY: every constructor writes a message there. What it refers to stays with the new message.
        let message = unsafe { message.cast::<M::In<'static>>().read() };
        // SAFETY: both messages stay beside the arena. The function is for every lifetime, so it keeps nothing of the arena.
        let memory = unsafe { arena.extend() };
        let place = NonNull::from(memory.alloc(map(message, memory)));
        Owned::new(place, arena, wire)
    }

    /// The same where making it may fail.
    ///
    /// # Errors
    /// Those of the function; then message, wire and arena are dropped.
    pub fn try_map<N: MessageFamily, E>(
        self,
        map: impl for<'a> FnOnce(M::In<'a>, &'a Arena) -> Result<N::In<'a>, E>,
    ) -> Result<Owned<N, A>, E> {
        let Owned { message, arena, wire, .. } = self;
        // SAFETY: every constructor writes a message there. What it refers to stays with the new message.
        let message = unsafe { message.cast::<M::In<'static>>().read() };
        // SAFETY: both messages stay beside the arena. The function is for every lifetime, so it keeps nothing of the arena.
        let memory = unsafe { arena.extend() };
        let place = NonNull::from(memory.alloc(map(message, memory)?));
        Ok(Owned::new(place, arena, wire))
    }

    /// The arena, reset, to be used again.
    #[must_use]
    pub fn into_arena(self) -> A {
        let Owned { arena, .. } = self;
        let mut arena = arena.into_holder();
        arena.reset();
        arena
    }

    /// Bytes that the arena holds from the system allocator, without those of the wire.
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        self.arena.arena().held_bytes()
    }
}

impl<M: MessageFamily, A: ArenaHolder> fmt::Debug for Owned<M, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.get(), f)
    }
}

impl<M: MessageFamily, A: ArenaHolder, B: ArenaHolder> PartialEq<Owned<M, B>> for Owned<M, A> {
    fn eq(&self, other: &Owned<M, B>) -> bool {
        fn eq<'a, M: MessageFamily>(left: &M::In<'a>, right: &M::In<'a>) -> bool {
            left == right
        }
        eq::<M>(self.get(), other.get())
    }
}

#[cfg(test)]
mod tests {
    use std::string::String;
    use std::vec;

    use super::*;
    use crate::{Message as _, UnknownFields};

    #[derive(Clone, Copy, Debug, PartialEq, defiant_derive::Message)]
    #[defiant(crate = "crate")]
    struct Tree<'arena> {
        #[defiant(string, tag = 1)]
        name: &'arena str,
        #[defiant(message, repeated, tag = 2)]
        branches: &'arena [Tree<'arena>],
        #[defiant(unknown)]
        unknown_fields: UnknownFields<'arena>,
    }

    const WIRE: &[u8] = &[10, 4, b'r', b'o', b'o', b't', 18, 3, 10, 1, b'a', 18, 3, 10, 1, b'b', 0x18, 7];

    fn is_send_and_sync<T: Send + Sync + 'static>() {}

    #[test]
    fn it_moves_with_its_memory() {
        is_send_and_sync::<Owned<Tree<'static>>>();
        let owned = Owned::<Tree<'static>>::decode(WIRE.to_vec()).expect("valid");
        let copied = Owned::<Tree<'static>>::decode_copied(WIRE, Arena::new()).expect("valid");
        assert_eq!(owned, copied);
        let moved = vec![owned, copied];
        for tree in &moved {
            assert_eq!(tree.get().name, "root");
            assert_eq!(tree.get().branches[1].name, "b");
            assert_eq!(tree.get().encode_to_vec(), WIRE);
        }
        let handle = std::thread::spawn(move || moved.into_iter().map(|tree| String::from(tree.get().name)).collect());
        let names: String = handle.join().expect("no panic");
        assert_eq!(names, "rootroot");
    }

    /// The compiler forgets, of what a future holds, that `'static` is `'static`.
    #[test]
    fn futures_hold_it_on_any_thread() {
        fn is_send(_: impl Send) {}
        is_send(async {
            let owned = Owned::<Tree<'static>>::decode(WIRE.to_vec());
            core::future::ready(()).await;
            drop(owned);
        });
        is_send(async {
            let owned = Owned::<<Tree<'static> as MessageFamily>::Family>::decode(WIRE.to_vec());
            core::future::ready(()).await;
            drop(owned.map(|owned| owned.map::<Tree<'static>>(|tree, _| tree.branches[0])));
        });
    }

    #[test]
    fn a_part_keeps_all_of_the_memory() {
        let owned = Owned::<Tree<'static>>::decode(WIRE.to_vec()).expect("valid");
        let branch = owned.map::<Tree<'static>>(|tree, _| tree.branches[0]);
        assert_eq!(branch.get().name, "a");
        let twice = branch.map::<Tree<'static>>(|tree, arena| Tree {
            name: "two",
            branches: arena.alloc_slice_copy(&[tree, tree]),
            ..Tree::default()
        });
        assert_eq!(twice.get().branches[1].name, "a");
        let failed: Result<Owned<Tree<'static>>, &str> = twice.try_map(|_, _| Err("no"));
        assert_eq!(failed.err(), Some("no"));
    }

    /// A closure may keep the address of the arena in memory that outlives it, so the arena must not move.
    #[test]
    fn arena_keeps_its_address_when_the_message_moves() {
        fn address<A: ArenaHolder>(owned: &Owned<Tree<'static>, A>) -> usize {
            core::ptr::from_ref(owned.arena.arena()).addr()
        }
        let mut lent = 0;
        let owned = Owned::<Tree<'static>>::build(Arena::new(), |arena| {
            lent = core::ptr::from_ref(arena).addr();
            Tree::default()
        });
        assert_eq!(address(&owned), lent);
        let mut moved = vec![owned];
        moved.reserve(100);
        let owned = moved.pop().expect("one");
        assert_eq!(address(&owned), lent);
        let owned = owned.map::<Tree<'static>>(|tree, arena| {
            assert_eq!(core::ptr::from_ref(arena).addr(), lent);
            tree
        });
        assert_eq!(address(&owned), lent);
        assert_eq!(owned.into_arena().used_bytes(), 0);
    }

    #[test]
    fn arena_goes_back_to_its_pool() {
        let pool = crate::pool::LocalArenaPool::default();
        let owned = Owned::<Tree<'static>, _>::decode_copied(WIRE, pool.take()).expect("valid");
        assert_eq!((owned.get().name, pool.stats().idle), ("root", 0));
        drop(owned);
        assert_eq!(pool.stats().idle, 1);
        assert!(Owned::<Tree<'static>, _>::decode_copied(&WIRE[..5], pool.take()).is_err());
        assert_eq!(pool.stats().idle, 1);
        let unwound = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            Owned::<Tree<'static>, _>::build(pool.take(), |_| panic!("by the user"))
        }));
        assert!(unwound.is_err());
        assert_eq!(pool.stats().idle, 1);
    }

    #[test]
    fn arena_without_room_for_itself_is_an_error() {
        let full = || {
            let arena = Arena::new();
            arena.set_limit(Some(0));
            arena
        };
        assert!(Owned::<Tree<'static>>::decode_in(WIRE.to_vec(), full()).expect_err("no memory").is_memory_limit());
        assert!(Owned::<Tree<'static>>::decode_copied(WIRE, full()).expect_err("no memory").is_memory_limit());
    }

    #[test]
    fn the_arena_comes_back() {
        let owned = Owned::<Tree<'static>>::build(Arena::with_capacity(1000), |arena| Tree {
            name: arena.alloc_str("built"),
            ..Tree::default()
        });
        assert_eq!(owned.get().name, "built");
        let held = owned.held_bytes();
        let arena = owned.into_arena();
        assert_eq!((arena.used_bytes(), arena.held_bytes()), (0, held));
        assert!(Owned::<Tree<'static>>::decode_in(vec![10, 9], arena).is_err());
    }
}
