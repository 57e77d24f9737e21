//! What serde reads to messages.
#![expect(unsafe_code, reason = "makes messages in memory of their types")]

use core::cell::Cell;
use core::fmt;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ptr::NonNull;

use serde::de::{DeserializeSeed, Deserializer, Error};

use super::message::{Kept, MessageVisitor};
use super::{Place, describe};
use crate::arena::Arena;
use crate::descriptor::MessageDescriptor;
use crate::json::error::{Fail, Reason};
use crate::json::options::DecodeOptions;
use crate::message::Message;
use crate::reflect::{MessageMut, MessageRef, Store};

/// Reads a message of a type that has a `struct` into an arena, from any format of serde that describes itself, by the rules
/// of ProtoJSON.
///
/// A seed needs a format that takes one: the deserializers of `serde_json`, `toml` and `rmp-serde` do. `ciborium` reads owned
/// types only; it can write [`Json`](crate::json::Json).
///
/// Strings are copied to the arena. Beyond what JSON has, `bytes` are taken from formats that have such, and numbers that
/// are not finite from formats that have those.
///
/// ```
/// use defiant::json::Seed;
/// use defiant::{Arena, Message, UnknownFields};
/// use serde::de::DeserializeSeed;
///
/// #[derive(Clone, Copy, Debug, PartialEq, Message)]
/// struct Person<'arena> {
///     #[defiant(string, tag = 1)]
///     full_name: &'arena str,
///     #[defiant(int64, tag = 2)]
///     born: i64,
///     #[defiant(unknown)]
///     unknown_fields: UnknownFields<'arena>,
/// }
///
/// let arena = Arena::new();
/// let mut text = serde_json::Deserializer::from_str(r#"{"fullName": "Ada", "born": "1815"}"#);
/// let person: Person<'_> = Seed::new(&arena).deserialize(&mut text)?;
/// assert_eq!((person.full_name, person.born), ("Ada", 1815));
///
/// let error = Seed::<Person<'_>>::new(&arena).deserialize(serde_json::json!({ "born": 1.5 })).unwrap_err();
/// assert_eq!(error.to_string(), "Person.born: expected an integer of 64 bits");
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// # Errors
/// Those of the format, and what [`decode`](crate::json::decode) rejects, with the path of the field. Memory and depth have
/// the limits of the options; what a format itself takes while it reads has those of the format. On failure the memory is
/// given back to the arena.
pub struct Seed<'arena, M> {
    arena: &'arena Arena,
    options: DecodeOptions<'arena>,
    message: PhantomData<fn() -> M>,
}

impl<'arena, M: Message<'arena>> Seed<'arena, M> {
    /// Reads into an arena.
    #[must_use]
    pub const fn new(arena: &'arena Arena) -> Self {
        Seed { arena, options: DecodeOptions::new(), message: PhantomData }
    }

    /// The same with options.
    ///
    /// ```
    /// use defiant::json::{DecodeOptions, Seed};
    /// use defiant::wkt::Empty;
    /// use defiant::Arena;
    /// use serde::de::DeserializeSeed;
    ///
    /// let arena = Arena::new();
    /// let seed = Seed::<Empty<'_>>::new(&arena).with(DecodeOptions::new().ignore_unknown_fields(true));
    /// assert!(seed.deserialize(serde_json::json!({ "more": [] })).is_ok());
    /// ```
    #[must_use]
    pub const fn with(self, options: DecodeOptions<'arena>) -> Self {
        Seed { options, ..self }
    }
}

impl<M> Clone for Seed<'_, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M> Copy for Seed<'_, M> {}

impl<M> fmt::Debug for Seed<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Seed").field("options", &self.options).finish_non_exhaustive()
    }
}

impl<'de, 'arena, M: Message<'arena>> DeserializeSeed<'de> for Seed<'arena, M> {
    type Value = M;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<M, D::Error> {
        let mut place = MaybeUninit::<M>::uninit();
        let at = NonNull::from(&mut place).cast();
        let store = self.options.store(self.arena);
        // SAFETY: memory for an `M`, the type of the descriptor.
        unsafe { read_at(M::__DESCRIPTOR.descriptor(), at, &store, &self.options, deserializer)? };
        // SAFETY: that wrote a message.
        Ok(unsafe { place.assume_init() })
    }
}

/// [`Seed`] for a message that is known by its descriptor.
///
/// ```
/// use defiant::descriptor::MessageDescriptor;
/// use defiant::json::{Json, MessageSeed};
/// use defiant::wkt::Duration;
/// use defiant::{Arena, Message};
/// use serde::de::DeserializeSeed;
///
/// let arena = Arena::new();
/// let message = MessageSeed::new(Duration::DESCRIPTOR, &arena).deserialize(serde_json::json!("1.5s"))?;
/// assert_eq!(serde_json::to_value(Json::of(message))?, "1.500s");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct MessageSeed<'arena> {
    descriptor: &'arena MessageDescriptor,
    arena: &'arena Arena,
    options: DecodeOptions<'arena>,
}

impl<'arena> MessageSeed<'arena> {
    /// Reads a message of the descriptor's type into an arena.
    #[must_use]
    pub const fn new(descriptor: &'arena MessageDescriptor, arena: &'arena Arena) -> Self {
        MessageSeed { descriptor, arena, options: DecodeOptions::new() }
    }

    /// The same with options.
    #[must_use]
    pub const fn with(self, options: DecodeOptions<'arena>) -> Self {
        MessageSeed { options, ..self }
    }
}

impl fmt::Debug for MessageSeed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("MessageSeed");
        out.field("descriptor", &self.descriptor).field("options", &self.options).finish_non_exhaustive()
    }
}

impl<'de, 'arena> DeserializeSeed<'de> for MessageSeed<'arena> {
    type Value = MessageRef<'arena>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<MessageRef<'arena>, D::Error> {
        let MessageSeed { descriptor, arena, options } = self;
        let store = options.store(arena);
        let Ok(place) = store.alloc(descriptor.layout) else {
            return Err(D::Error::custom(describe(Fail::new(Reason::Memory), None)));
        };
        // SAFETY: memory for a message of the type.
        unsafe { read_at(descriptor, place, &store, &options, deserializer)? };
        // SAFETY: a message of the type, in the arena.
        Ok(unsafe { MessageRef::new(descriptor, place) })
    }
}

/// Writes a message. On failure the place is uninitialised, and what the store took is given back.
///
/// # Safety
/// The place is memory for a message of the descriptor's type, which nothing else refers to.
unsafe fn read_at<'de, D: Deserializer<'de>>(
    descriptor: &MessageDescriptor,
    place: NonNull<u8>,
    store: &Store<'_>,
    options: &DecodeOptions<'_>,
    deserializer: D,
) -> Result<(), D::Error> {
    // SAFETY: as required of the caller.
    let mut message = unsafe { MessageMut::unset_at(descriptor, place) };
    // The outermost object is no level inside of it.
    let levels = Cell::new(options.recursion_limit.saturating_add(1));
    let context = Context { store, options, levels };
    let kept = Kept { context: &context, place: None };
    match deserializer.deserialize_any(MessageVisitor { kept, out: &mut message }) {
        Ok(()) => {
            store.keep();
            Ok(())
        }
        Err(error) => {
            // SAFETY: the message is not looked at any more, and the error is the format's, which knows nothing of the arena.
            unsafe { store.roll_back() };
            Err(error)
        }
    }
}

/// What is common to one message.
pub(super) struct Context<'c, 'arena> {
    pub(super) store: &'c Store<'arena>,
    pub(super) options: &'c DecodeOptions<'c>,
    /// Levels of objects and arrays that may still be entered.
    pub(super) levels: Cell<u32>,
}

impl Context<'_, '_> {
    /// Does something one level deeper.
    pub(super) fn deeper<T, E: Error>(
        &self,
        place: Option<&Place<'_>>,
        inside: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        let levels = self.levels.get();
        let Some(left) = levels.checked_sub(1) else {
            return Err(E::custom(describe(Fail::new(Reason::Recursion), place)));
        };
        self.levels.set(left);
        let result = inside()?;
        self.levels.set(levels);
        Ok(result)
    }
}
