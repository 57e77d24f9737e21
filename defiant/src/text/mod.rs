//! The text format of protobuf: messages for people to read and write.
//!
//! ```
//! use defiant::{Arena, Message, UnknownFields, text};
//!
//! #[derive(Clone, Copy, Debug, PartialEq, Message)]
//! struct Point<'arena> {
//!     #[defiant(string, tag = 1)]
//!     label: &'arena str,
//!     #[defiant(double, repeated, tag = 2)]
//!     at: &'arena [f64],
//!     #[defiant(unknown)]
//!     unknown_fields: UnknownFields<'arena>,
//! }
//!
//! let arena = Arena::new();
//! let point: Point<'_> = text::decode(
//!     r#"
//!         ## Comments go to the end of the line.
//!         label: "Green" 'wich'
//!         at: [51.4779, -15e-4]
//!     "#,
//!     &arena,
//! )?;
//! assert_eq!(point, Point { label: "Greenwich", at: &[51.4779, -0.0015], ..Point::default() });
//! assert_eq!(text::encode(&point), "label: \"Greenwich\"\nat: 51.4779\nat: -0.0015\n");
//! assert_eq!(format!("{:?}", text::display(&point)), "label: \"Greenwich\" at: 51.4779 at: -0.0015");
//! # Ok::<(), text::DecodeError>(())
//! ```
//!
//! * [`encode`], [`try_encode`], [`encode_in`], [`encode_to`], [`encode_message`]: out, with [`EncodeOptions`] for everything else.
//! * [`decode`], [`decode_message`]: in, with [`DecodeOptions`].
//! * [`display`]: for logs, with redacted fields kept out.
//!
//! The format is that of <https://protobuf.dev/reference/protobuf/textformat-spec/>. Where it leaves a choice: an escaped
//! surrogate is an error, alone or in a pair; a number that a closed enum does not have is an error; the group and the field
//! that looks like one are written with the name of their message, and read with that of the field as well.
//!
//! # `Any` and extensions
//!
//! Both need a [`Resolver`](crate::reflect::Resolver), which finds types by their names:
//!
//! ```
//! # #[cfg(feature = "wkt")]
//! # fn main() -> Result<(), defiant::text::DecodeError> {
//! use defiant::reflect::Registry;
//! use defiant::text::{DecodeOptions, EncodeOptions};
//! use defiant::wkt::{Any, Duration};
//! use defiant::Arena;
//!
//! let arena = Arena::new();
//! let registry = Registry::new().with::<Duration<'static>>();
//! let text = "[type.googleapis.com/google.protobuf.Duration] {\n  seconds: 1\n}\n";
//! let any: Any<'_> = DecodeOptions::new().resolver(&registry).decode(text, &arena)?;
//! assert_eq!(any.value, [8, 1]);
//! assert_eq!(EncodeOptions::new().resolver(&registry).encode(&any), text);
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "wkt"))]
//! # fn main() {}
//! ```
//!
//! Without one, an `Any` is written and read by its fields `type_url` and `value`, and an extension is an
//! [unknown field](EncodeOptions::unknown_fields).
//!
//! # As `Debug`
//!
//! A message that is to print as text in logs, and to keep fields with `debug_redact` out of them, is one without
//! `#[derive(Debug)]` (of generated messages, `defiant_build::Config::skip_debug` leaves it out) and with
//!
//! ```
//! # use defiant::{Message, UnknownFields};
//! # use core::fmt;
//! #[derive(Clone, Copy, PartialEq, Message)]
//! struct Login<'arena> {
//!     #[defiant(string, tag = 1)]
//!     user: &'arena str,
//!     #[defiant(string, tag = 2, debug_redact)]
//!     password: &'arena str,
//!     #[defiant(unknown)]
//!     unknown_fields: UnknownFields<'arena>,
//! }
//!
//! impl fmt::Debug for Login<'_> {
//!     fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
//!         fmt::Display::fmt(&defiant::text::display(self), f)
//!     }
//! }
//!
//! let login = Login { user: "ada", password: "countess", ..Login::default() };
//! assert_eq!(format!("{login:?}"), r#"user: "ada" password: [REDACTED]"#);
//! ```

mod decode;
mod display;
mod encode;
mod error;
mod options;

use core::fmt;

use alloc::string::String;

use crate::arena::Arena;
use crate::descriptor::{FieldDescriptor, MessageDescriptor, Type};
use crate::message::Message;
use crate::reflect::MessageRef;

pub use display::{Displayed, display, display_message};
pub use error::{DecodeError, EncodeError};
pub use options::{DecodeOptions, EncodeOptions};

/// The message as text, a line for each field.
///
/// A [lazy](crate::Lazy) message that does not decode is written as `name: "malformed"`, which no parser takes for a message.
/// A message more than 100 levels deep is written as `name { ... }`, which no parser reads: [`try_encode`] returns an error.
#[must_use]
pub fn encode<'arena, M: Message<'arena>>(message: &M) -> String {
    EncodeOptions::new().encode(message)
}

/// The message as text, or an error that names the path where it nests too deep.
///
/// ```
/// # #[cfg(feature = "wkt")]
/// # fn main() -> Result<(), defiant::text::EncodeError> {
/// use defiant::{text, wkt::Duration};
///
/// assert_eq!(text::try_encode(&Duration::new(1, 500))?, "seconds: 1\nnanos: 500\n");
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "wkt"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// [`EncodeError`] when messages nest deeper than 100 levels.
pub fn try_encode<'arena, M: Message<'arena>>(message: &M) -> Result<String, EncodeError> {
    EncodeOptions::new().try_encode(message)
}

/// The message as text in an arena, which may be the one that it lives in.
///
/// # Panics
/// When memory or the arena's limit is exhausted.
#[must_use]
pub fn encode_in<'a, 'arena, M: Message<'arena>>(message: &M, arena: &'a Arena) -> &'a str {
    EncodeOptions::new().encode_in(message, arena)
}

/// Writes the message as text.
///
/// # Errors
/// Whatever `out` reports, and when messages nest deeper than 100 levels.
pub fn encode_to<'arena, M: Message<'arena>>(message: &M, out: &mut dyn fmt::Write) -> fmt::Result {
    EncodeOptions::new().encode_to(message, out)
}

/// A message of any type as text.
#[must_use]
pub fn encode_message(message: MessageRef<'_>) -> String {
    EncodeOptions::new().encode_message(message)
}

/// Reads a message, which goes into an arena with its strings.
///
/// # Errors
/// [`DecodeError`] when the text is no such message or passes a limit of [`DecodeOptions::new`]. Then the memory is given
/// back.
pub fn decode<'arena, M: Message<'arena>>(text: &str, arena: &'arena Arena) -> Result<M, DecodeError> {
    DecodeOptions::new().decode(text, arena)
}

/// Reads a message whose type is known at run time.
///
/// # Errors
/// As [`decode`].
pub fn decode_message<'a>(
    descriptor: &'a MessageDescriptor,
    text: &str,
    arena: &'a Arena,
) -> Result<MessageRef<'a>, DecodeError> {
    DecodeOptions::new().decode_message(descriptor, text, arena)
}

/// Whether a field looks as if it were declared as a group: delimited, its type declared beside it, and with the type's
/// name in lower case. In text such a field goes by the type's name.
///
/// Source: <https://protobuf.dev/editions/features/#message_encoding>.
fn is_group_like(host: &MessageDescriptor, field: &FieldDescriptor) -> bool {
    let Some(message) = field.message().filter(|_| field.ty() == Type::Group && !field.is_map()) else { return false };
    message.name().eq_ignore_ascii_case(field.name())
        && !field.name().bytes().any(|byte| byte.is_ascii_uppercase())
        && scope_of(message.full_name()) == Some(host.full_name())
}

/// What a name stands in: `example.Person` of `example.Person.Address`.
fn scope_of(full_name: &str) -> Option<&str> {
    full_name.rsplit_once('.').map(|(scope, _)| scope)
}

/// What an extension of a message set is called at the end if it is declared in its own type, as usual: then the type's name
/// stands for it.
const MESSAGE_SET_EXTENSION: &str = "message_set_extension";

#[cfg(test)]
mod tests;
