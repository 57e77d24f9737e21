//! Arena-allocated Protocol Buffers.
//!
//! A message read from a socket lives for one request. Defiant decodes it into an [`Arena`], as a plain struct of
//! `&'arena str` and slices, and frees everything with one [`Arena::reset`]. After warm-up, a request costs no heap
//! allocation, neither to decode nor to encode.
//!
//! * [`Message`]: the trait of all messages, its doors in and out. Write the struct by hand with
//!   `#[derive(Message)]`, or have the crate `defiant-build` generate it from a `.proto` file in `build.rs`; both are the
//!   same thing.
//! * [`Arena`]: where messages live; [`arena::Vec`] to build repeated fields in.
//! * [`DecodeOptions`]: limits for hostile input.
//! * [`Encoder`]: encodes into memory that it keeps, whole or, for vectored writes, in [`Pieces`].
//! * [`Owned`]: a message and its arena as one value that may go to other threads; [`pool`]: arenas that are used again.
//! * [`frame`]: messages one after the other in a stream.
//! * [`Name`]: the full protobuf name of a message, and its type URL.
//! * [`Map`], [`UnknownFields`], [`Enumeration`]: what fields are made of.
//! * [`Lazy`]: messages that stay encoded until they are asked for.
//! * [`Extension`]: fields that another file gives to a message.
//! * `descriptor` and `reflect` (feature `reflect`): what a message is made of, and reading any message by that; with the
//!   feature `dynamic`, messages of types that are known at run time only.
//! * `json` and `text` (features of those names): the formats for people.
//!
//! # Code size
//!
//! The derive makes code for each message to decode and encode it, which is fast, and takes kilobytes for a message of
//! many fields. A message with `optimize_for = "code_size"` has a table instead, and shares its code with all others of
//! this kind. It is used in the same way, gives the same bytes and the same errors, and may hold messages of the other
//! kind and be held by them. In a `.proto` file the option is `option optimize_for = CODE_SIZE;`, and `defiant-build` has
//! `Config::optimize_for` for single messages.
//!
//! ```
//! # #[cfg(feature = "derive")]
//! # fn main() -> Result<(), defiant::DecodeError> {
//! use defiant::{Arena, Message, UnknownFields};
//!
//! #[derive(Clone, Copy, Debug, PartialEq, Message)]
//! #[defiant(optimize_for = "code_size")]
//! struct Setting<'arena> {
//!     #[defiant(string, tag = 1)]
//!     name: &'arena str,
//!     #[defiant(sint64, tag = 2)]
//!     value: i64,
//!     #[defiant(unknown)]
//!     unknown_fields: UnknownFields<'arena>,
//! }
//!
//! let arena = Arena::new();
//! let setting = Setting::decode(&[0x0a, 1, b'x', 0x10, 5], &arena)?;
//! assert_eq!((setting.name, setting.value), ("x", -3));
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "derive"))]
//! # fn main() {}
//! ```
#![no_std]

extern crate alloc;
#[cfg(any(test, feature = "std"))]
extern crate std;

// The derive's output names the crate by its absolute path, in this crate's own tests too.
extern crate self as defiant;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;
pub mod arena;
mod codec;
#[cfg(feature = "reflect")]
pub mod descriptor;
mod encoder;
mod enumeration;
mod error;
pub mod extension;
pub mod frame;
#[cfg(feature = "json")]
pub mod json;
mod lazy;
mod map;
mod message;
mod message_set;
mod name;
pub mod owned;
pub mod pieces;
pub mod pool;
#[cfg(feature = "reflect")]
pub mod reflect;
#[cfg(any(feature = "json", feature = "wkt"))]
mod rfc3339;
#[cfg(any(feature = "json", feature = "wkt"))]
mod seconds;
mod table;
#[cfg(feature = "text")]
pub mod text;
mod try_box;
#[cfg(not(feature = "reflect"))]
mod undescribed;
mod unknown;
mod wire;
#[cfg(feature = "wkt")]
pub mod wkt;

#[cfg(feature = "derive")]
pub use defiant_derive::{Enumeration, Message, Oneof};

pub use arena::Arena;
pub use encoder::Encoder;
pub use enumeration::{Enumeration, UnknownEnumValue};
pub use error::{DecodeError, EncodeError};
pub use extension::Extension;
pub use lazy::Lazy;
pub use map::{Lookup, Map, MapKey};
pub use message::{DecodeOptions, Message};
pub use name::Name;
pub use owned::Owned;
pub use pieces::Pieces;
pub use unknown::{UnknownField, UnknownFields, UnknownGroup, UnknownValue};

/// Includes the code that `defiant-build` generated for a package.
///
/// ```text
/// pub mod tutorial {
///     defiant::include_proto!("tutorial");
/// }
/// ```
#[macro_export]
macro_rules! include_proto {
    ($package:tt) => {
        include!(concat!(env!("OUT_DIR"), "/", $package, ".rs"));
    };
}

/// Extensions of the messages of `descriptor.proto`, which are there with the feature `descriptor`: custom options.
#[cfg(feature = "descriptor")]
#[doc(hidden)]
#[macro_export]
macro_rules! __descriptor_extensions {
    ($($item:item)*) => { $($item)* };
}

/// Without that feature they are nothing.
#[cfg(not(feature = "descriptor"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __descriptor_extensions {
    ($($item:item)*) => {};
}
