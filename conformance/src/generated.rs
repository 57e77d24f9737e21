//! Answers with generated structs.

use bytes::Buf;
use defiant::reflect::Registry;
use defiant::{Arena, Message, json, text};

use crate::testee::{Category, Format, Request, request::Payload, response::Result as Outcome};
use crate::{agreed, disagree, parse_error, skip};

/// Answers a request.
pub(crate) fn answer<'arena>(
    payload: Payload<'arena>,
    request: &Request<'arena>,
    registry: &Registry,
    arena: &'arena Arena,
) -> Outcome<'arena> {
    #[cfg(test_messages)]
    use crate::test_messages::protobuf_test_messages::{editions, proto2, proto3};
    let convert = match request.message_type {
        // The suite's protocol is a message like any other; it lets the tests do without the suite's files.
        "testee.Request" => convert::<Request<'_>>,
        #[cfg(test_messages)]
        "protobuf_test_messages.proto2.TestAllTypesProto2" => convert::<proto2::TestAllTypesProto2<'_>>,
        #[cfg(test_messages)]
        "protobuf_test_messages.proto3.TestAllTypesProto3" => convert::<proto3::TestAllTypesProto3<'_>>,
        #[cfg(test_messages)]
        "protobuf_test_messages.editions.TestAllTypesEdition2023" => convert::<editions::TestAllTypesEdition2023<'_>>,
        #[cfg(test_messages)]
        "protobuf_test_messages.editions.proto2.TestAllTypesProto2" => {
            convert::<editions::proto2::TestAllTypesProto2<'_>>
        }
        #[cfg(test_messages)]
        "protobuf_test_messages.editions.proto3.TestAllTypesProto3" => {
            convert::<editions::proto3::TestAllTypesProto3<'_>>
        }
        other => return skip(arena, format_args!("messages of type {other}")),
    };
    convert(payload, request, registry, arena)
}

/// Reads a message from one format and writes it in another.
fn convert<'arena, M: Message<'arena>>(
    payload: Payload<'arena>,
    request: &Request<'arena>,
    registry: &Registry,
    arena: &'arena Arena,
) -> Outcome<'arena> {
    let message: M = match payload {
        Payload::Protobuf(wire) => return from_binary::<M>(wire, request, registry, arena),
        Payload::Json(text) => {
            let options = json::DecodeOptions::new()
                .resolver(registry)
                .ignore_unknown_fields(request.category == Category::JsonIgnoreUnknown);
            match options.decode(text, arena) {
                Ok(message) => message,
                Err(error) => return parse_error(&error, arena),
            }
        }
        Payload::Text(text) => match text::DecodeOptions::new().resolver(registry).decode(text, arena) {
            Ok(message) => message,
            Err(error) => return parse_error(&error, arena),
        },
        Payload::Jspb(_) => return skip(arena, "input as JSPB"),
    };
    write(&message, request, registry, arena)
}

fn write<'arena, M: Message<'arena>>(
    message: &M,
    request: &Request<'arena>,
    registry: &Registry,
    arena: &'arena Arena,
) -> Outcome<'arena> {
    match request.output {
        Format::Protobuf => Outcome::Protobuf(message.encode_in(arena)),
        Format::Json => match json::EncodeOptions::new().resolver(registry).encode_in(message, arena) {
            Ok(text) => Outcome::Json(text),
            Err(error) => Outcome::SerializeError(arena.alloc_str(&error.to_string())),
        },
        Format::Text => {
            let options = text::EncodeOptions::new().resolver(registry).unknown_fields(request.print_unknown_fields);
            Outcome::Text(options.encode_in(message, arena))
        }
        format => skip(arena, format_args!("output as {format:?}")),
    }
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
fn from_binary<'arena, M: Message<'arena>>(
    wire: &'arena [u8],
    request: &Request<'arena>,
    registry: &Registry,
    arena: &'arena Arena,
) -> Outcome<'arena> {
    // Outcomes are compared, and not messages, because a NaN does not equal itself.
    let outcome = |decoded: Result<M, _>| match decoded {
        Ok(message) => write(&message, request, registry, arena),
        Err(error) => parse_error(&error, arena),
    };
    let answer = agreed(
        [
            ("decode", outcome(M::decode(wire, arena))),
            ("decode_borrowed", outcome(M::decode_borrowed(wire, arena))),
            ("decode_buf", outcome(M::decode_buf(Bytewise(wire), arena))),
        ],
        arena,
    );
    if let (Outcome::Protobuf(bytes), Ok(message)) = (answer, M::decode(wire, arena)) {
        if message.encode_to_vec() != bytes {
            return disagree(arena, "encode_to_vec differs from encode_in");
        }
        if message.encoded_len() != bytes.len() {
            return disagree(arena, "encoded_len is not what encode_in writes");
        }
    }
    answer
}
