//! The libraries, one file each: what lies in this folder is found by the build script.
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

mod streams;

// The other files of this folder, and the list of the libraries in them, `ALL`.
include!(concat!(env!("OUT_DIR"), "/libraries.rs"));

/// Defiant's name.
pub const DEFIANT: &str = "defiant";
/// prost's name: the yardstick.
pub const PROST: &str = "prost";
/// pilota's name.
pub const PILOTA: &str = "pilota";
/// The name of the walk that skips every field.
pub const SKIP: &str = "skip";

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
