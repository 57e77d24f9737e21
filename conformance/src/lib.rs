//! A testee of the protobuf conformance suite: it parses what the suite sends and serialises what it understood.
//!
//! [`converse`] speaks the suite's protocol over a pair of streams, [`answer`] is one exchange of it. The binary format, JSON
//! and text are supported; requests for others are answered with `skipped`, which the suite counts as neither a success nor
//! a failure. The messages are generated structs, or dynamic ones of a pool of descriptors: [`Types`] says which.

use std::{
    error::Error,
    fmt,
    io::{self, Read, Write},
};

use defiant::{Arena, Message};

use crate::testee::{Request, Response, request::Payload, response::Result as Outcome};

#[cfg(test)]
mod audit;
pub mod cross;
mod dynamic;
mod generated;
pub mod properties;
pub mod stack;
#[cfg(test)]
mod trusted;
mod types;

pub use types::Types;

/// What `build.rs` made of `proto/testee.proto`.
pub mod testee {
    defiant::include_proto!("testee");
}

/// What `build.rs` made of `proto/shapes.proto`.
#[allow(missing_docs, reason = "the fields say what they are")]
pub mod shapes {
    defiant::include_proto!("shapes");
}

/// The same, optimized for code size.
#[allow(missing_docs, reason = "the fields say what they are")]
pub mod shapes_small {
    include!(concat!(env!("OUT_DIR"), "/small/shapes.rs"));
}

/// The same, with what can be lazy left encoded.
#[allow(missing_docs, reason = "the fields say what they are")]
pub mod shapes_lazy {
    include!(concat!(env!("OUT_DIR"), "/lazy/shapes.rs"));
}

/// What `build.rs` made of `proto/deep.proto`.
#[allow(missing_docs, reason = "the fields say what they are")]
pub mod deep {
    include!(concat!(env!("OUT_DIR"), "/deep/deep.rs"));
}

/// The same, optimized for code size.
#[allow(missing_docs, reason = "the fields say what they are")]
pub mod deep_small {
    include!(concat!(env!("OUT_DIR"), "/deep_small/deep.rs"));
}

/// What `build.rs` made of `proto/modern.proto`.
#[allow(missing_docs, reason = "the fields say what they are")]
pub mod modern {
    defiant::include_proto!("modern");
}

/// What `build.rs` made of `proto/legacy.proto`.
#[allow(missing_docs, reason = "the fields say what they are")]
pub mod legacy {
    defiant::include_proto!("legacy");
}

/// What `build.rs` made of the suite's test messages.
#[cfg(test_messages)]
#[allow(missing_docs, reason = "the suite documents few of its fields")]
pub mod test_messages {
    include!(concat!(env!("OUT_DIR"), "/test_messages.rs"));
}

/// The longest request that the testee takes, in bytes; the suite's longest is far below.
pub const MAX_REQUEST: u32 = 256 * 1024 * 1024;

/// Answers requests until the suite closes its end, each preceded by its length in four bytes, little-endian.
///
/// # Errors
///
/// Whatever the streams report, a request that is cut short or over [`MAX_REQUEST`], and one that does not decode.
pub fn converse(mut input: impl Read, mut output: impl Write, types: &Types) -> io::Result<()> {
    let mut arena = Arena::new();
    let mut request = Vec::new();
    while let Some(length) = length(&mut input)? {
        request.clear();
        if (&mut input).take(length.into()).read_to_end(&mut request)? < length as usize {
            return Err(broken(format!("a request of {length} bytes ended after {}", request.len())));
        }
        let decoded = Request::decode(&request, &arena).map_err(broken)?;
        let response = answer(&decoded, types, &arena).encode_in(&arena);
        let length = u32::try_from(response.len()).map_err(broken)?;
        output.write_all(&length.to_le_bytes())?;
        output.write_all(response)?;
        output.flush()?;
        arena.reset();
    }
    Ok(())
}

/// The length of the next request in bytes, or `None` at the end of the input.
fn length(input: &mut impl Read) -> io::Result<Option<u32>> {
    let mut prefix = Vec::with_capacity(4);
    input.take(4).read_to_end(&mut prefix)?;
    match <[u8; 4]>::try_from(prefix.as_slice()).map(u32::from_le_bytes) {
        Ok(length) if length > MAX_REQUEST => {
            Err(broken(format!("a request of {length} bytes; the limit is {MAX_REQUEST}")))
        }
        Ok(length) => Ok(Some(length)),
        Err(_) if prefix.is_empty() => Ok(None),
        Err(_) => Err(broken("the length of a request is cut short")),
    }
}

fn broken(error: impl Into<Box<dyn Error + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}

/// Answers one request.
pub fn answer<'arena>(request: &Request<'arena>, types: &'arena Types, arena: &'arena Arena) -> Response<'arena> {
    let outcome = match (request.message_type, request.payload) {
        // The suite's first request: the testee's own list of known failures, a message that is empty here.
        ("conformance.FailureSet", _) => Outcome::Protobuf(&[]),
        (_, None) => Outcome::RuntimeError("the request has no payload"),
        (_, Some(Payload::Jspb(_))) => skip(arena, "input as JSPB"),
        (_, Some(payload)) => match types {
            Types::Generated(registry) => generated::answer(payload, request, registry, arena),
            Types::Dynamic(pool) => dynamic::answer(payload, request, pool, arena),
        },
    };
    Response { result: Some(outcome), ..Response::default() }
}

/// Two ways of doing the same thing differ: a bug whatever the suite expects.
fn disagree(arena: &Arena, how: impl fmt::Display) -> Outcome<'_> {
    Outcome::RuntimeError(arena.alloc_str(&how.to_string()))
}

fn skip(arena: &Arena, what: impl fmt::Display) -> Outcome<'_> {
    Outcome::Skipped(arena.alloc_str(&format!("{what}: not supported")))
}

/// What of several outcomes is the answer: the first, if all are the same.
fn agreed<'arena, const N: usize>(
    outcomes: [(&'static str, Outcome<'arena>); N],
    arena: &'arena Arena,
) -> Outcome<'arena> {
    let Some((way, first)) = outcomes.first() else { return disagree(arena, "nothing was done") };
    match outcomes.iter().find(|other| other.1 != *first) {
        None => *first,
        Some((other_way, other)) => disagree(arena, format_args!("{way} gives {first:?}, {other_way} gives {other:?}")),
    }
}

fn parse_error<'arena>(error: &dyn fmt::Display, arena: &'arena Arena) -> Outcome<'arena> {
    Outcome::ParseError(arena.alloc_str(&error.to_string()))
}

/// The README's examples compile and run. Here, because the package of `defiant` has its README somewhere else.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
