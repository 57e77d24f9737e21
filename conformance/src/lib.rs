//! A testee of the protobuf conformance suite: it parses what the suite sends and serialises what it understood.
//!
//! [`converse`] speaks the suite's protocol over a pair of streams, [`answer`] is one exchange of it. The binary and the
//! text format are supported; requests for the others are answered with `skipped`, which the suite counts as neither a
//! success nor a failure.

use std::{
    error::Error,
    fmt,
    io::{self, Read, Write},
};

use bytes::Buf;
use defiant::reflect::Registry;
use defiant::{Arena, Message, text};

use crate::testee::{Format, Request, Response, request::Payload, response::Result as Outcome};

/// What `build.rs` made of `proto/testee.proto`.
pub mod testee {
    defiant::include_proto!("testee");
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
pub fn converse(mut input: impl Read, mut output: impl Write) -> io::Result<()> {
    let mut arena = Arena::new();
    let mut request = Vec::new();
    while let Some(length) = length(&mut input)? {
        request.clear();
        if (&mut input).take(length.into()).read_to_end(&mut request)? < length as usize {
            return Err(broken(format!("a request of {length} bytes ended after {}", request.len())));
        }
        let decoded = Request::decode(&request, &arena).map_err(broken)?;
        let response = answer(&decoded, &arena).encode_in(&arena);
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
pub fn answer<'arena>(request: &Request<'arena>, arena: &'arena Arena) -> Response<'arena> {
    let outcome = match (request.message_type, request.payload) {
        // The suite's first request: the testee's own list of known failures, a message that is empty here.
        ("conformance.FailureSet", _) => Outcome::Protobuf(&[]),
        (_, None) => Outcome::RuntimeError("the request has no payload"),
        // The suite's protocol is a message like any other; it lets the tests do without the suite's files.
        ("testee.Request", Some(payload)) => convert::<Request<'_>>(payload, request, arena),
        (_, Some(payload)) => suites(payload, request, arena),
    };
    Response { result: Some(outcome), ..Response::default() }
}

#[cfg(not(test_messages))]
use unsupported as suites;

/// Answers a request about one of the suite's messages.
#[cfg(test_messages)]
fn suites<'arena>(payload: Payload<'arena>, request: &Request<'arena>, arena: &'arena Arena) -> Outcome<'arena> {
    use test_messages::protobuf_test_messages::{editions, proto2, proto3};
    match request.message_type {
        "protobuf_test_messages.proto2.TestAllTypesProto2" => {
            convert::<proto2::TestAllTypesProto2<'_>>(payload, request, arena)
        }
        "protobuf_test_messages.proto3.TestAllTypesProto3" => {
            convert::<proto3::TestAllTypesProto3<'_>>(payload, request, arena)
        }
        "protobuf_test_messages.editions.TestAllTypesEdition2023" => {
            convert::<editions::TestAllTypesEdition2023<'_>>(payload, request, arena)
        }
        "protobuf_test_messages.editions.proto2.TestAllTypesProto2" => {
            convert::<editions::proto2::TestAllTypesProto2<'_>>(payload, request, arena)
        }
        "protobuf_test_messages.editions.proto3.TestAllTypesProto3" => {
            convert::<editions::proto3::TestAllTypesProto3<'_>>(payload, request, arena)
        }
        _ => unsupported(payload, request, arena),
    }
}

fn unsupported<'arena>(_: Payload<'arena>, request: &Request<'arena>, arena: &'arena Arena) -> Outcome<'arena> {
    skip(arena, format_args!("messages of type {}", request.message_type))
}

/// Reads a message from one format and writes it in another.
fn convert<'arena, M: Message<'arena>>(
    payload: Payload<'arena>,
    request: &Request<'arena>,
    arena: &'arena Arena,
) -> Outcome<'arena> {
    let types = types();
    let message: Result<M, String> = match (payload, request.output) {
        (Payload::Protobuf(wire), Format::Protobuf) => return round_trip_of::<M>(wire, arena),
        (Payload::Json(_), _) => return skip(arena, "input as JSON"),
        (Payload::Jspb(_), _) => return skip(arena, "input as JSPB"),
        (Payload::Protobuf(wire), _) => M::decode(wire, arena).map_err(|error| error.to_string()),
        (Payload::Text(text), _) => match text::DecodeOptions::new().resolver(&types).decode(text, arena) {
            // `types` has no extensions.
            Err(error) if error.is_unresolved() && error.path().contains("[protobuf_test_messages.") => {
                return skip(arena, format_args!("extensions by their names: {error}"));
            }
            other => other.map_err(|error| error.to_string()),
        },
    };
    let message = match message {
        Ok(message) => message,
        Err(error) => return Outcome::ParseError(arena.alloc_str(&error)),
    };
    match request.output {
        Format::Protobuf => Outcome::Protobuf(message.encode_in(arena)),
        Format::Text => {
            let options = text::EncodeOptions::new().resolver(&types).unknown_fields(request.print_unknown_fields);
            Outcome::Text(options.encode_in(&message, arena))
        }
        format => skip(arena, format_args!("output as {format:?}")),
    }
}

/// The types that the suite puts into `Any`.
fn types() -> Registry {
    #[cfg(test_messages)]
    {
        use test_messages::protobuf_test_messages::{editions, proto2, proto3};
        Registry::new()
            .with::<proto2::TestAllTypesProto2<'static>>()
            .with::<proto3::TestAllTypesProto3<'static>>()
            .with::<editions::TestAllTypesEdition2023<'static>>()
            .with::<editions::proto2::TestAllTypesProto2<'static>>()
            .with::<editions::proto3::TestAllTypesProto3<'static>>()
    }
    #[cfg(not(test_messages))]
    Registry::new()
}

/// A buffer in pieces of one byte.
struct Bytewise<'a>(&'a [u8]);

impl Buf for Bytewise<'_> {
    fn remaining(&self) -> usize {
        self.0.len()
    }

    fn chunk(&self) -> &[u8] {
        self.0.get(..1).unwrap_or_default()
    }

    fn advance(&mut self, count: usize) {
        self.0 = self.0.get(count..).unwrap_or_default();
    }
}

/// Decodes through every entry point and encodes through every exit; the suite sees one of them if all agree.
fn round_trip_of<'arena, M: Message<'arena>>(wire: &'arena [u8], arena: &'arena Arena) -> Outcome<'arena> {
    let ways = [
        ("decode", M::decode(wire, arena)),
        ("decode_borrowed", M::decode_borrowed(wire, arena)),
        ("decode_buf", M::decode_buf(Bytewise(wire), arena)),
    ];
    let [first, others @ ..] = ways.map(|(way, decoded)| {
        let outcome = match &decoded {
            // Compared as bytes, because a NaN does not equal itself.
            Ok(message) => Outcome::Protobuf(message.encode_in(arena)),
            Err(error) => Outcome::ParseError(arena.alloc_str(&error.to_string())),
        };
        (way, decoded.ok(), outcome)
    });
    if let Some((way, _, other)) = others.iter().find(|(_, _, outcome)| *outcome != first.2) {
        return disagree(arena, format_args!("{} gives {:?}, {way} gives {other:?}", first.0, first.2));
    }
    if let (Some(message), Outcome::Protobuf(bytes)) = (first.1, first.2) {
        if message.encode_to_vec() != bytes {
            return disagree(arena, "encode_to_vec differs from encode_in");
        }
        if message.encoded_len() != bytes.len() {
            return disagree(arena, "encoded_len is not what encode_in writes");
        }
    }
    first.2
}

/// Two ways of doing the same thing differ: a bug whatever the suite expects.
fn disagree(arena: &Arena, how: impl fmt::Display) -> Outcome<'_> {
    Outcome::RuntimeError(arena.alloc_str(&how.to_string()))
}

fn skip(arena: &Arena, what: impl fmt::Display) -> Outcome<'_> {
    Outcome::Skipped(arena.alloc_str(&format!("{what}: not supported")))
}
