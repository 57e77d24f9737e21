//! The libraries, one file each.
//!
//! Every loop passes its input and its result through [`black_box`](std::hint::black_box); what an operation allocates
//! it also frees inside the loop (dropping a prost message, resetting an arena).

#![allow(
    clippy::needless_update,
    clippy::useless_conversion,
    reason = "the same expressions build the structs of every library"
)]

use crate::offer::Library;

#[macro_use]
mod by_hand;

mod defiant;
mod pilota;
mod prost;
mod prost_bytes;
mod skip;
mod streams;

#[cfg(feature = "peers")]
mod buffa;
#[cfg(feature = "peers")]
mod google;
#[cfg(feature = "peers")]
mod micropb;
#[cfg(feature = "peers")]
mod protocrap;
#[cfg(feature = "peers")]
mod quick_protobuf;
#[cfg(feature = "peers")]
mod rust_protobuf;

/// Defiant's name.
pub const DEFIANT: &str = "defiant";
/// prost's name: the yardstick.
pub const PROST: &str = "prost";
/// pilota's name.
pub const PILOTA: &str = "pilota";
/// The name of the walk that skips every field.
pub const SKIP: &str = "skip";

/// Every library of this build, Defiant first.
pub const ALL: &[Library] = &[
    defiant::LIBRARY,
    prost::LIBRARY,
    prost_bytes::LIBRARY,
    pilota::LIBRARY,
    #[cfg(feature = "peers")]
    buffa::OWNED,
    #[cfg(feature = "peers")]
    buffa::VIEW,
    #[cfg(feature = "peers")]
    buffa::LAZY,
    #[cfg(feature = "peers")]
    google::LIBRARY,
    #[cfg(feature = "peers")]
    rust_protobuf::LIBRARY,
    #[cfg(feature = "peers")]
    quick_protobuf::LIBRARY,
    #[cfg(feature = "peers")]
    micropb::LIBRARY,
    #[cfg(feature = "peers")]
    protocrap::LIBRARY,
    skip::LIBRARY,
];

/// Cuts the first message of a stream off, for libraries that do not say where the next one begins.
#[cfg(feature = "peers")]
#[inline(always)]
fn cut<'a>(stream: &mut &'a [u8]) -> &'a [u8] {
    let len = ::prost::decode_length_delimiter(&mut *stream).expect(SOUND);
    let (message, rest) = stream.split_at(len);
    *stream = rest;
    message
}

const SOUND: &str = "checked before it is timed";
