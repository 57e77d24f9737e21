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
//! * [`Name`]: the full protobuf name of a message, and its type URL.
//! * [`Map`], [`UnknownFields`], [`Enumeration`]: what fields are made of.
//! * [`Lazy`]: messages that stay encoded until they are asked for.
//! * [`Extension`]: fields that another file gives to a message.
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
mod encoder;
mod enumeration;
mod error;
pub mod extension;
mod lazy;
mod map;
mod message;
mod message_set;
mod name;
pub mod pieces;
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
pub use map::{Lookup, Map};
pub use message::{DecodeOptions, Message};
pub use name::Name;
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

/// The README's example compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
