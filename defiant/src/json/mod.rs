//! ProtoJSON: the JSON format of protobuf, both ways.
//!
//! Source: <https://protobuf.dev/programming-guides/json/>.
//!
//! ```
//! use defiant::{Arena, Message, UnknownFields, json};
//!
//! #[derive(Clone, Copy, Debug, PartialEq, Message)]
//! struct Person<'arena> {
//!     #[defiant(string, tag = 1)]
//!     full_name: &'arena str,
//!     #[defiant(int64, tag = 2)]
//!     born: i64,
//!     #[defiant(double, repeated, tag = 3)]
//!     scores: &'arena [f64],
//!     #[defiant(unknown)]
//!     unknown_fields: UnknownFields<'arena>,
//! }
//!
//! let arena = Arena::new();
//! let person: Person<'_> = json::decode(r#"{"fullName": "Ada", "born": "1815", "scores": [9.5, 1e1]}"#, &arena)?;
//! assert_eq!((person.full_name, person.born, person.scores), ("Ada", 1815, &[9.5, 10.0][..]));
//! assert_eq!(json::encode(&person)?, r#"{"fullName":"Ada","born":"1815","scores":[9.5,10]}"#);
//!
//! let error = json::decode::<Person<'_>>("{\n  \"fullName\": 7\n}", &arena).unwrap_err();
//! assert_eq!(error.to_string(), "Person.full_name: expected a string at line 2, column 15");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Doors
//! * [`encode`] to a `String`, [`encode_in`] to an arena without heap allocations, [`EncodeOptions::encode_to`] behind a
//!   `String` that is kept, [`to_writer`] and [`to_fmt`] to what takes bytes or text.
//! * [`decode`] copies the text once into the arena and borrows strings from the copy; [`decode_borrowed`] copies nothing;
//!   [`decode_slice`] checks that bytes are UTF-8 first.
//! * [`encode_message`] and [`decode_message`] for messages without a `struct`, by their descriptor.
//! * [`EncodeOptions`] and [`DecodeOptions`] have the same doors, and say how.
//! * `Json` and `Seed` (feature `serde`), with which serde writes and reads messages in all of its formats by the rules of
//!   JSON.
//!
//! # Names and numbers
//! Keys are the JSON names of fields; those of the `.proto` file are read as well. Integers of 64 bits are written as
//! strings. Numbers are read from strings, too, and integers in any form (`1e3`, `5.0`) that is one. `NaN` and the
//! infinities are strings. `bytes` are base64, of either alphabet and with or without padding when they are read. Enum values
//! are names or numbers. `null` is the same as no member, except for `google.protobuf.Value` and `NullValue`.
//!
//! An error: a key that is there twice, in one message or one map; two members of a oneof; unknown fields and enum values,
//! unless [ignored](DecodeOptions::ignore_unknown_fields); a number that a closed enum does not have, likewise; anything that
//! is not strictly JSON; a missing required field.
//!
//! # Well-known types
//! `Timestamp`, `Duration`, `FieldMask`, `Struct`, `Value`, `ListValue` and the wrappers have forms of their own, by the full
//! name of their type: the feature `wkt` is not needed. An `Any` is its message with a member `@type`, for which a
//! [resolver](crate::reflect::Resolver) has to know the type; [extensions](crate::extension), of which the key is the full
//! name in brackets, need one, too.
//!
//! ```
//! use defiant::json::{DecodeOptions, EncodeOptions};
//! use defiant::reflect::Registry;
//! use defiant::wkt::{Any, Duration};
//! use defiant::{Arena, Message, UnknownFields};
//!
//! #[derive(Clone, Copy, Debug, PartialEq, Message)]
//! struct Event<'arena> {
//!     #[defiant(message, tag = 1)]
//!     detail: Option<&'arena Any<'arena>>,
//!     #[defiant(unknown)]
//!     unknown_fields: UnknownFields<'arena>,
//! }
//!
//! let arena = Arena::new();
//! let registry = Registry::new().with::<Duration<'static>>();
//! let detail = Any::pack(&Duration::new(1, 500_000_000), &arena);
//! let event = Event { detail: Some(&detail), ..Event::default() };
//!
//! let text = EncodeOptions::new().resolver(&registry).encode(&event)?;
//! assert_eq!(text, r#"{"detail":{"@type":"type.googleapis.com/google.protobuf.Duration","value":"1.500s"}}"#);
//! assert_eq!(DecodeOptions::new().resolver(&registry).decode::<Event<'_>>(&text, &arena)?, event);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Limits
//! [`DecodeOptions`] limits the depth of objects and arrays, and the arena memory of a decode, which includes lazy messages.
//! A decode that fails returns its memory. [`EncodeOptions`] limits the depth of messages that are written.
//!
//! Time and memory are linear in the text, also where `Any` messages and extensions nest: a reader passes each byte at most
//! twice, and encodes the content of the outermost `Any` in one pass. A [lazy](crate::Lazy) message is the exception, which is
//! encoded when it is complete: nested ones are copied once for each level.
//!
//! To be written, the content of an `Any`, an extension or a lazy message is decoded to the arena that is written to, and
//! stays there until the arena is reset.
#![expect(unsafe_code, reason = "makes messages in memory of their types, and text of what was written")]

mod base64;
#[cfg(feature = "serde")]
mod bridge;
mod error;
mod options;
mod out;
mod place;
mod read;
mod scan;
#[cfg(all(test, feature = "derive"))]
mod tests;
mod write;

use core::cell::OnceCell;
use core::fmt;
use core::mem::MaybeUninit;
use core::ptr::NonNull;

use alloc::string::String;

use crate::arena::Arena;
use crate::descriptor::MessageDescriptor;
use crate::message::Message;
use crate::reflect::{MessageMut, MessageRef};

#[cfg(feature = "serde")]
pub use bridge::{Json, MessageSeed, Seed};
pub use error::{DecodeError, EncodeError};
pub use options::{DecodeOptions, EncodeOptions};

use error::{Fail, Reason};
use out::Out;
use read::Reader;
use write::{Scratch, Writer};

/// Writes a message to a string.
///
/// # Errors
/// [`EncodeError`] when a well-known type in it has a value that JSON has no form for.
pub fn encode<'m>(message: &impl Message<'m>) -> Result<String, EncodeError> {
    EncodeOptions::new().encode(message)
}

/// Writes a message into an arena, without heap allocations but the arena's.
///
/// # Errors
/// As [`encode`], and when the arena's limit or memory is exhausted.
pub fn encode_in<'a, 'm>(message: &impl Message<'m>, arena: &'a Arena) -> Result<&'a str, EncodeError> {
    EncodeOptions::new().encode_in(message, arena)
}

/// Writes a message that is known by its descriptor to a string.
///
/// # Errors
/// As [`encode`].
pub fn encode_message(message: MessageRef<'_>) -> Result<String, EncodeError> {
    EncodeOptions::new().encode_message(message)
}

/// Writes a message to what takes bytes, all at once.
///
/// # Errors
/// Those of the writer, and [`EncodeError`] as one of invalid data.
#[cfg(feature = "std")]
pub fn to_writer<'m>(message: &impl Message<'m>, writer: impl std::io::Write) -> std::io::Result<()> {
    EncodeOptions::new().to_writer(message, writer)
}

/// Writes a message to what takes text, all at once: a formatter, say.
///
/// # Errors
/// When the message has no JSON, as of [`encode`], or the other side fails.
pub fn to_fmt<'m>(message: &impl Message<'m>, out: &mut impl fmt::Write) -> fmt::Result {
    EncodeOptions::new().to_fmt(message, out)
}

/// Reads a message from a copy of a text in the arena.
///
/// # Errors
/// [`DecodeError`] when the text is not JSON, does not fit the message, or passes a limit.
pub fn decode<'arena, M: Message<'arena>>(text: &str, arena: &'arena Arena) -> Result<M, DecodeError> {
    DecodeOptions::new().decode(text, arena)
}

/// Reads a message from a copy of bytes in the arena, which have to be UTF-8.
///
/// # Errors
/// As [`decode`].
pub fn decode_slice<'arena, M: Message<'arena>>(bytes: &[u8], arena: &'arena Arena) -> Result<M, DecodeError> {
    DecodeOptions::new().decode_slice(bytes, arena)
}

/// Reads a message whose strings are borrowed from the text where nothing in them is escaped.
///
/// # Errors
/// As [`decode`].
pub fn decode_borrowed<'arena, M: Message<'arena>>(text: &'arena str, arena: &'arena Arena) -> Result<M, DecodeError> {
    DecodeOptions::new().decode_borrowed(text, arena)
}

/// Reads a message of the type of a descriptor.
///
/// # Errors
/// As [`decode`].
pub fn decode_message<'arena>(
    descriptor: &'arena MessageDescriptor,
    text: &str,
    arena: &'arena Arena,
) -> Result<MessageRef<'arena>, DecodeError> {
    DecodeOptions::new().decode_message(descriptor, text, arena)
}

impl EncodeOptions<'_> {
    /// [`encode`](self::encode) with these options.
    ///
    /// # Errors
    /// As there.
    pub fn encode<'m>(&self, message: &impl Message<'m>) -> Result<String, EncodeError> {
        self.encode_message(MessageRef::of(message))
    }

    /// [`encode_message`](self::encode_message) with these options.
    ///
    /// # Errors
    /// As there.
    pub fn encode_message(&self, message: MessageRef<'_>) -> Result<String, EncodeError> {
        let mut text = String::new();
        self.encode_message_to(message, &mut text)?;
        Ok(text)
    }

    /// Writes a message behind what a string has, which stays as it is on failure.
    ///
    /// # Errors
    /// As [`encode`](self::encode).
    ///
    /// ```
    /// # use defiant::json::EncodeOptions;
    /// # use defiant::wkt::Empty;
    /// let mut text = String::from("data: ");
    /// EncodeOptions::new().encode_to(&Empty::default(), &mut text)?;
    /// assert_eq!(text, "data: {}");
    /// # Ok::<(), defiant::json::EncodeError>(())
    /// ```
    pub fn encode_to<'m>(&self, message: &impl Message<'m>, text: &mut String) -> Result<(), EncodeError> {
        self.encode_message_to(MessageRef::of(message), text)
    }

    /// The same for a message that is known by its descriptor.
    ///
    /// # Errors
    /// As [`encode`](self::encode).
    pub fn encode_message_to(&self, message: MessageRef<'_>, text: &mut String) -> Result<(), EncodeError> {
        // SAFETY: strings, keys, digits and the like are appended, or nothing.
        let bytes = unsafe { text.as_mut_vec() };
        let scratch = Scratch::Own(OnceCell::new());
        let mut writer = Writer::new(Out::in_vec(bytes), self, &scratch);
        writer.message(message).map_err(EncodeError::new)?;
        writer.out.finish();
        Ok(())
    }

    /// [`encode_in`](self::encode_in) with these options.
    ///
    /// # Errors
    /// As there.
    pub fn encode_in<'a, 'm>(&self, message: &impl Message<'m>, arena: &'a Arena) -> Result<&'a str, EncodeError> {
        self.encode_message_in(MessageRef::of(message), arena)
    }

    /// The same for a message that is known by its descriptor.
    ///
    /// # Errors
    /// As [`encode_in`](self::encode_in).
    pub fn encode_message_in<'a>(&self, message: MessageRef<'_>, arena: &'a Arena) -> Result<&'a str, EncodeError> {
        let scratch = Scratch::Given(arena);
        let mut writer = Writer::new(Out::in_arena(arena), self, &scratch);
        match writer.message(message) {
            // SAFETY: strings, keys, digits and the like.
            Ok(()) => Ok(unsafe { core::str::from_utf8_unchecked(writer.out.into_arena_bytes()) }),
            Err(fail) => {
                writer.out.discard();
                Err(EncodeError::new(fail))
            }
        }
    }

    /// [`to_writer`](self::to_writer) with these options.
    ///
    /// # Errors
    /// As there.
    #[cfg(feature = "std")]
    pub fn to_writer<'m>(&self, message: &impl Message<'m>, mut writer: impl std::io::Write) -> std::io::Result<()> {
        let invalid = |error| std::io::Error::new(std::io::ErrorKind::InvalidData, error);
        let text = self.encode(message).map_err(invalid)?;
        writer.write_all(text.as_bytes())
    }

    /// [`to_fmt`](self::to_fmt) with these options.
    ///
    /// # Errors
    /// As there.
    pub fn to_fmt<'m>(&self, message: &impl Message<'m>, out: &mut impl fmt::Write) -> fmt::Result {
        let text = self.encode(message).map_err(|_| fmt::Error)?;
        out.write_str(&text)
    }
}

impl DecodeOptions<'_> {
    /// [`decode`](self::decode) with these options.
    ///
    /// # Errors
    /// As there.
    pub fn decode<'arena, M: Message<'arena>>(&self, text: &str, arena: &'arena Arena) -> Result<M, DecodeError> {
        let mut place = MaybeUninit::<M>::uninit();
        let at = NonNull::from(&mut place).cast();
        // SAFETY: memory for an `M`, the type of the descriptor.
        unsafe { self.read_at(M::__DESCRIPTOR.descriptor(), at, Text::Copied(text), arena)? };
        // SAFETY: that wrote a message.
        Ok(unsafe { place.assume_init() })
    }

    /// [`decode_slice`](self::decode_slice) with these options.
    ///
    /// # Errors
    /// As there.
    pub fn decode_slice<'arena, M: Message<'arena>>(
        &self,
        bytes: &[u8],
        arena: &'arena Arena,
    ) -> Result<M, DecodeError> {
        self.admit(bytes)?;
        self.decode(checked(bytes)?, arena)
    }

    /// [`decode_borrowed`](self::decode_borrowed) with these options.
    ///
    /// # Errors
    /// As there.
    pub fn decode_borrowed<'arena, M: Message<'arena>>(
        &self,
        text: &'arena str,
        arena: &'arena Arena,
    ) -> Result<M, DecodeError> {
        let mut place = MaybeUninit::<M>::uninit();
        let at = NonNull::from(&mut place).cast();
        // SAFETY: memory for an `M`, the type of the descriptor.
        unsafe { self.read_at(M::__DESCRIPTOR.descriptor(), at, Text::Borrowed(text), arena)? };
        // SAFETY: that wrote a message.
        Ok(unsafe { place.assume_init() })
    }

    /// [`decode_message`](self::decode_message) with these options.
    ///
    /// # Errors
    /// As there.
    pub fn decode_message<'arena>(
        &self,
        descriptor: &'arena MessageDescriptor,
        text: &str,
        arena: &'arena Arena,
    ) -> Result<MessageRef<'arena>, DecodeError> {
        let exhausted = || DecodeError::new(Fail::at(Reason::Memory, 0), b"");
        let options = match self.memory_limit.checked_sub(descriptor.layout.size()) {
            Some(left) => self.memory_limit(left),
            None => return Err(exhausted()),
        };
        let mark = arena.mark();
        let Some(place) = arena.try_alloc(descriptor.layout) else { return Err(exhausted()) };
        // SAFETY: memory for a message of the type.
        match unsafe { options.read_at(descriptor, place, Text::Copied(text), arena) } {
            // SAFETY: a message of the type, in the arena.
            Ok(()) => Ok(unsafe { MessageRef::new(descriptor, place) }),
            Err(error) => {
                // SAFETY: nothing refers to the place any more.
                unsafe { arena.roll_back(mark) };
                Err(error)
            }
        }
    }

    /// Writes a message. On failure the place is uninitialised, and the memory given back.
    ///
    /// # Safety
    /// The place is memory for a message of the descriptor's type, which nothing else refers to.
    unsafe fn read_at<'arena>(
        &self,
        descriptor: &MessageDescriptor,
        place: NonNull<u8>,
        text: Text<'_, 'arena>,
        arena: &'arena Arena,
    ) -> Result<(), DecodeError> {
        let (Text::Borrowed(content) | Text::Copied(content)) = text;
        self.admit(content.as_bytes())?;
        let store = self.store(arena);
        // SAFETY: as required of the caller.
        let mut message = unsafe { MessageMut::unset_at(descriptor, place) };
        let result = match text {
            Text::Borrowed(text) => Ok(text),
            Text::Copied(text) => store.str(text).map_err(Fail::from),
        };
        match result.and_then(|text| Reader::new(text, &store, self).whole(&mut message)) {
            Ok(()) => {
                store.keep();
                Ok(())
            }
            Err(fail) => {
                let (Text::Borrowed(text) | Text::Copied(text)) = text;
                let error = DecodeError::new(fail, text.as_bytes());
                // SAFETY: the message is not looked at any more, and the error holds nothing of the arena.
                unsafe { store.roll_back() };
                Err(error)
            }
        }
    }
}

impl DecodeOptions<'_> {
    /// Whether a text is short enough to be looked at.
    fn admit(&self, text: &[u8]) -> Result<(), DecodeError> {
        if text.len() > self.size_limit { Err(DecodeError::new(Fail::at(Reason::Size, 0), b"")) } else { Ok(()) }
    }
}

/// What is read.
#[derive(Clone, Copy)]
enum Text<'t, 'arena> {
    Copied(&'t str),
    Borrowed(&'arena str),
}

/// Bytes as text, if they are.
fn checked(bytes: &[u8]) -> Result<&str, DecodeError> {
    if crate::wire::utf8::is_valid(bytes) {
        // SAFETY: checked just now.
        return Ok(unsafe { core::str::from_utf8_unchecked(bytes) });
    }
    let offset = core::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
    Err(DecodeError::new(Fail::at(Reason::Syntax("invalid UTF-8"), offset), bytes))
}

/// The full name in a type URL: what is behind the last slash.
fn type_name(url: &str) -> Option<&str> {
    url.rsplit_once('/').map(|(_, name)| name).filter(|name| !name.is_empty())
}
