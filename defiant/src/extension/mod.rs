//! Extensions: fields of a message that another file declares, read from and written to its unknown fields.
//!
//! An [`Extension`] is a constant whose type says which message it extends and what it holds:
//!
//! | in the `.proto` file | second parameter of [`Extension`] |
//! |---|---|
//! | `optional int32` and the other scalars | `Optional<Int32>` |
//! | `optional` enum `Color` | `Optional<Enum<Color>>` |
//! | `repeated string` | `Repeated<Str>` |
//! | `repeated int32 .. [packed = true]` | `Packed<Int32>` |
//! | `optional`, `repeated` message `Point` | `OptionalMessage<Point<'static>>`, `RepeatedMessage<Point<'static>>` |
//! | `optional`, `repeated group Part` | `OptionalGroup<Part<'static>>`, `RepeatedGroup<Part<'static>>` |
//!
//! Messages with `option message_set_wire_format = true` have nothing but extensions, all of them
//! `OptionalMessage`; such a message bears `#[defiant(message_set)]`.

mod family;
mod kind;
mod read;

use core::fmt;
use core::marker::PhantomData;

use crate::arena::Arena;
use crate::encoder;
use crate::error::DecodeError;
use crate::message::{DecodeOptions, Message};
use crate::unknown::{Records, UnknownFields, UnknownValue};
use crate::wire::context::Fault;
use crate::wire::tag::{MAX_NUMBER, wire_type};
use crate::wire::writer::{Sink, Writer};

pub use crate::codec::{
    Bool, Bytes, Double, Fixed32, Fixed64, Float, Int32, Int64, LenientStr, Sfixed32, Sfixed64, Sint32, Sint64, Str,
    Uint32, Uint64,
};
pub use family::{MessageFamily, OfFamily};
pub use kind::{
    Enum, InArena, Kind, List, Optional, OptionalGroup, OptionalMessage, PackableScalar, Packed, Repeated,
    RepeatedGroup, RepeatedMessage, Scalar,
};

/// An extension: a field that a message is given by another file, as a constant that reads and writes it.
///
/// `defiant-build` makes one of every `extend` block; by hand it is written as below. `Host` is the message that is
/// extended, with the lifetime `'static` standing for every lifetime; the second parameter is a [`Kind`], a proto type
/// inside a cardinality.
///
/// ```
/// use defiant::extension::{Int32, Optional, Packed, Uint64};
/// use defiant::{Arena, Extension, Message, UnknownFields};
///
/// #[derive(Clone, Copy, Debug, PartialEq, Message)]
/// #[defiant(name = "example.Task")]
/// struct Task<'arena> {
///     #[defiant(string, tag = 1)]
///     name: &'arena str,
///     #[defiant(unknown)]
///     unknown_fields: UnknownFields<'arena>,
/// }
///
/// const PRIORITY: Extension<Task<'static>, Optional<Int32>> = Extension::new(100, "example.priority").with_default(5);
/// const WATCHERS: Extension<Task<'static>, Packed<Uint64>> = Extension::new(101, "example.watchers");
///
/// let arena = Arena::new();
/// let mut task = Task { name: "write", ..Task::default() };
/// assert_eq!(PRIORITY.get(&task)?, None);
/// assert_eq!(PRIORITY.get_or_default(&task)?, 5);
///
/// PRIORITY.set(&mut task, 9, &arena);
/// WATCHERS.set(&mut task, &[7, 300], &arena);
/// let wire = task.encode_in(&arena);
///
/// let task = Task::decode(wire, &arena)?;
/// assert_eq!(PRIORITY.get(&task)?, Some(9));
/// assert_eq!(WATCHERS.get(&task, &arena)?, [7, 300]);
/// # Ok::<(), defiant::DecodeError>(())
/// ```
///
/// # Where it lives
///
/// In the [unknown fields](UnknownFields) of the message, as bytes of the wire, until it is asked for. So a program that
/// never asks pays nothing and passes it on byte for byte; asking takes time linear in the unknown fields, and what is
/// read often is best kept in a variable. A message decoded with
/// [`unknown_fields(false)`](DecodeOptions::unknown_fields) has no extensions.
///
/// What is malformed inside of it (a string that is not UTF-8, a message that is truncated) is an error when it is read, not
/// when its message is decoded. So the methods that read return a [`DecodeError`], whose path names the extension, as
/// `Task.[example.note]: invalid UTF-8 at byte 3`, and whose offset counts from the start of the occurrence, or, of messages and repeated values, of all occurrences.
///
/// # Changing it
///
/// A message is `Copy`, and a copy keeps what it had: [`set`](Self::set) gives the message new unknown fields that share
/// the old ones. A field that is set stands behind all others on the wire; the others keep their order.
///
/// Source: <https://protobuf.dev/programming-guides/proto2/#extensions>.
pub struct Extension<Host, K: Kind> {
    number: u32,
    name: &'static str,
    default: K::Default,
    redacted: bool,
    host: PhantomData<fn(Host) -> K>,
}

impl<Host, K: Kind> Clone for Extension<Host, K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<Host, K: Kind> Copy for Extension<Host, K> {}

impl<Host, K: Kind> fmt::Debug for Extension<Host, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Extension").field("number", &self.number).field("name", &self.name).finish_non_exhaustive()
    }
}

impl<Host: MessageFamily, K: Kind> Extension<Host, K> {
    /// The extension of a field number and a full name: package, enclosing messages, name.
    ///
    /// # Panics
    /// When the number is not 1 to 536,870,911; of a message set, 1 to 2,147,483,647. In a constant, that is a compile
    /// error. Likewise when the host is a message set and the kind is not [`OptionalMessage`].
    #[must_use]
    pub const fn new(number: u32, name: &'static str) -> Self {
        assert!(K::IN_MESSAGE_SET || !Host::MESSAGE_SET, "an extension of a message set is an optional message");
        let max = if Host::MESSAGE_SET { i32::MAX as u32 } else { MAX_NUMBER };
        assert!(number >= 1 && number <= max, "not a field number");
        Extension { number, name, default: K::DEFAULT, redacted: false, host: PhantomData }
    }

    /// Says of the extension what the option `debug_redact` says of a field: its values are kept out of what is made for
    /// reading, as the text of `text::display` with a `Registry` that has the extension.
    ///
    /// ```
    /// # #[cfg(feature = "text")] {
    /// use defiant::extension::{Optional, Str};
    /// use defiant::reflect::Registry;
    /// use defiant::text::{self, EncodeOptions};
    /// use defiant::{Arena, Extension, Message, UnknownFields};
    ///
    /// #[derive(Clone, Copy, Debug, PartialEq, Message)]
    /// #[defiant(name = "example.Task")]
    /// struct Task<'arena> {
    ///     #[defiant(unknown)]
    ///     unknown_fields: UnknownFields<'arena>,
    /// }
    ///
    /// const TOKEN: Extension<Task<'static>, Optional<Str>> = Extension::new(100, "example.token").redacted();
    ///
    /// let arena = Arena::new();
    /// let mut task = Task::default();
    /// TOKEN.set(&mut task, "abc", &arena);
    ///
    /// let mut registry = Registry::new();
    /// registry.add_extension(&TOKEN);
    /// let options = EncodeOptions::new().redact(true).resolver(&registry);
    /// assert_eq!(text::display(&task).with(options).to_string(), "[example.token]: [REDACTED]");
    /// # }
    /// ```
    #[must_use]
    pub const fn redacted(mut self) -> Self {
        self.redacted = true;
        self
    }

    /// Whether it is [`redacted`](Self::redacted).
    #[must_use]
    pub const fn is_redacted(&self) -> bool {
        self.redacted
    }

    /// The field number.
    #[must_use]
    pub const fn number(&self) -> u32 {
        self.number
    }

    /// The full name, without the brackets that the text format puts around it.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Removes the extension, with every field of its number, from a message.
    ///
    /// # Panics
    /// When memory or the arena's limit is exhausted.
    pub fn clear<'arena>(&self, host: &mut Host::In<'arena>, arena: &'arena Arena) {
        Host::__unknown_mut(host).remove(self.number, arena);
    }

    /// The declared default as it is.
    #[cfg(feature = "reflect")]
    pub(crate) const fn raw_default(&self) -> K::Default {
        self.default
    }

    /// What the wire has of this number, in no order in particular.
    fn values<'arena>(&self, unknown: &UnknownFields<'arena>) -> impl Iterator<Item = UnknownValue<'arena>> {
        let fields = unknown.backward().flat_map(Records::new).map(|record| record.field);
        fields.filter(|field| field.number == self.number).map(|field| field.value)
    }

    /// Appends what a function writes to the unknown fields.
    fn append<'arena>(
        &self,
        host: &mut Host::In<'arena>,
        arena: &'arena Arena,
        write: impl for<'w> FnOnce(Writer<'w, 'arena>) -> Writer<'w, 'arena>,
    ) {
        let span = encoder::written_in(arena, write);
        Host::__unknown_mut(host).push_in(span, arena);
    }

    /// An error in this extension.
    #[cold]
    fn error(&self, error: DecodeError) -> DecodeError {
        error.inside(<Host::In<'static> as Message<'static>>::TABLE.name, self.name)
    }
}

/// Of one value that is no message.
impl<Host: MessageFamily, T: Scalar> Extension<Host, Optional<T>> {
    /// Gives the extension a declared default. Bytes are given as a slice: `b"..".as_slice()`.
    #[must_use]
    pub const fn with_default(mut self, default: T::Value<'static>) -> Self {
        self.default = default;
        self
    }

    /// The declared default, or zero.
    #[must_use]
    pub const fn default(&self) -> T::Value<'static> {
        self.default
    }

    /// The value, or `None` when it is not set. A number that a closed enum does not have sets nothing.
    ///
    /// # Errors
    /// [`DecodeError`] when a string is not UTF-8.
    pub fn get<'arena>(&self, host: &Host::In<'arena>) -> Result<Option<T::Value<'arena>>, DecodeError> {
        let mut found = None;
        for span in Host::__unknown(host).backward() {
            let mut last = None;
            for record in Records::new(span).filter(|record| record.field.number == self.number) {
                match T::read(record.field.value) {
                    Ok(value) => last = value.or(last),
                    Err(left) => {
                        let offset = record.bytes.len() - left;
                        return Err(self.error(DecodeError::at(Fault::Utf8, offset)));
                    }
                }
            }
            found = found.or(last);
        }
        Ok(found)
    }

    /// The value, or the declared default when it is not set.
    ///
    /// # Errors
    /// [`DecodeError`] when a string is not UTF-8.
    pub fn get_or_default<'arena>(&self, host: &Host::In<'arena>) -> Result<T::Value<'arena>, DecodeError> {
        Ok(self.get(host)?.unwrap_or_else(|| T::shorten(self.default)))
    }

    /// Whether it is set, be it malformed.
    #[must_use]
    pub fn has(&self, host: &Host::In<'_>) -> bool {
        // A string that is not UTF-8 is a value all the same.
        self.values(Host::__unknown(host)).any(|value| !matches!(T::read(value), Ok(None)))
    }

    /// Sets it. Copies of the message keep what they had.
    ///
    /// # Panics
    /// When memory or the arena's limit is exhausted.
    pub fn set<'arena>(&self, host: &mut Host::In<'arena>, value: T::Value<'_>, arena: &'arena Arena) {
        self.clear(host, arena);
        self.append(host, arena, |mut sink| {
            T::write(value, &mut sink, self.number);
            sink
        });
    }
}

/// Of messages, and of everything repeated: the values are decoded into an arena.
impl<Host: MessageFamily, K: InArena> Extension<Host, K> {
    /// What the field of a struct would hold: `Option<&'arena M>` for a message, `&'arena [T]` for repeated values.
    ///
    /// Copies the occurrences together and decodes them, so it takes memory every time.
    ///
    /// # Errors
    /// [`DecodeError`] when the content is malformed or passes a limit of [`DecodeOptions::new`].
    pub fn get<'arena>(&self, host: &Host::In<'arena>, arena: &'arena Arena) -> Result<K::Field<'arena>, DecodeError> {
        self.get_with(host, arena, DecodeOptions::new())
    }

    /// [`get`](Self::get) with other limits, which hold for this decode alone.
    ///
    /// # Errors
    /// [`DecodeError`] when the content is malformed or passes a limit.
    pub fn get_with<'arena>(
        &self,
        host: &Host::In<'arena>,
        arena: &'arena Arena,
        options: DecodeOptions,
    ) -> Result<K::Field<'arena>, DecodeError> {
        read::field::<K>(Host::__unknown(host), self.number, arena, options).map_err(|error| self.error(error))
    }

    /// Whether anything of it is there, be it malformed.
    #[must_use]
    pub fn has(&self, host: &Host::In<'_>) -> bool {
        self.values(Host::__unknown(host)).any(|value| K::reads(value.wire_type()))
    }

    /// Sets it, in place of all that was there: a message from a reference, repeated values from a slice. Copies of the
    /// message keep what they had.
    ///
    /// # Panics
    /// When memory or the arena's limit is exhausted.
    pub fn set<'arena>(&self, host: &mut Host::In<'arena>, value: K::Set<'_>, arena: &'arena Arena) {
        self.clear(host, arena);
        if self.number <= MAX_NUMBER {
            return self.append(host, arena, |mut sink| {
                K::write(value, &mut sink, self.number);
                sink
            });
        }
        // Of a message set: no tag of 32 bits has this number, so it goes in front of a message written without.
        let field = encoder::written_in(arena, |mut sink| {
            K::write(value, &mut sink, 1);
            sink
        });
        self.append(host, arena, |mut sink| {
            sink.raw(&field[1..]);
            sink.raw_varint(u64::from(self.number) << 3 | u64::from(wire_type::LENGTH_DELIMITED));
            sink
        });
    }
}

impl<Host: MessageFamily, K: List> Extension<Host, K> {
    /// Adds one value behind those that are there, in constant time; it is written unpacked.
    ///
    /// # Panics
    /// When memory or the arena's limit is exhausted.
    pub fn add<'arena>(&self, host: &mut Host::In<'arena>, value: K::Item<'_>, arena: &'arena Arena) {
        self.append(host, arena, |mut sink| {
            K::write_one(value, &mut sink, self.number);
            sink
        });
    }
}
