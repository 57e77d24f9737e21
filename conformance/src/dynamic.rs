//! Answers with messages whose types are known at run time only.

use defiant::reflect::{DescriptorPool, DynamicMessage, MessageRef, MessageType};
use defiant::{Arena, json, text};

use crate::testee::{Category, Format, Request, request::Payload, response::Result as Outcome};
use crate::{agreed, disagree, parse_error, skip};

/// Answers a request.
pub(crate) fn answer<'arena>(
    payload: Payload<'arena>,
    request: &Request<'arena>,
    pool: &'arena DescriptorPool,
    arena: &'arena Arena,
) -> Outcome<'arena> {
    let Some(ty) = pool.message(request.message_type) else {
        return skip(arena, format_args!("messages of type {}", request.message_type));
    };
    let message = match payload {
        Payload::Protobuf(wire) => return from_binary(wire, request, ty, pool, arena),
        Payload::Json(text) => json::DecodeOptions::new()
            .resolver(pool)
            .ignore_unknown_fields(request.category == Category::JsonIgnoreUnknown)
            .decode_message(ty.descriptor(), text, arena)
            .map_err(|error| error.to_string()),
        Payload::Text(text) => text::DecodeOptions::new()
            .resolver(pool)
            .decode_message(ty.descriptor(), text, arena)
            .map_err(|error| error.to_string()),
        Payload::Jspb(_) => return skip(arena, "input as JSPB"),
    };
    match message {
        Ok(message) => write(message, request, ty, pool, arena),
        Err(error) => parse_error(&error, arena),
    }
}

fn write<'arena>(
    message: MessageRef<'_>,
    request: &Request<'arena>,
    ty: MessageType<'_>,
    pool: &DescriptorPool,
    arena: &'arena Arena,
) -> Outcome<'arena> {
    match request.output {
        Format::Protobuf => Outcome::Protobuf(ty.encode_in(message, arena)),
        Format::Json => match json::EncodeOptions::new().resolver(pool).encode_message_in(message, arena) {
            Ok(text) => Outcome::Json(text),
            Err(error) => Outcome::SerializeError(arena.alloc_str(&error.to_string())),
        },
        Format::Text => {
            let options = text::EncodeOptions::new().resolver(pool).unknown_fields(request.print_unknown_fields);
            Outcome::Text(options.encode_message_in(message, arena))
        }
        format => skip(arena, format_args!("output as {format:?}")),
    }
}

/// Decodes through every entry point and encodes through every exit; the suite sees one of them if all agree.
fn from_binary<'arena>(
    wire: &'arena [u8],
    request: &Request<'arena>,
    ty: MessageType<'arena>,
    pool: &DescriptorPool,
    arena: &'arena Arena,
) -> Outcome<'arena> {
    let decoded = DynamicMessage::decode(ty, wire, arena);
    let outcome = |decoded: &Result<DynamicMessage<'arena>, _>| match decoded {
        Ok(message) => write(message.as_ref(), request, ty, pool, arena),
        Err(error) => parse_error(&error, arena),
    };
    let borrowed = DynamicMessage::decode_borrowed(ty, wire, arena);
    let answer = agreed([("decode", outcome(&decoded)), ("decode_borrowed", outcome(&borrowed))], arena);
    if let (Outcome::Protobuf(bytes), Ok(message)) = (answer, decoded) {
        if message.encode_to_vec() != bytes {
            return disagree(arena, "encode_to_vec differs from encode_in");
        }
        if message.encoded_len() != bytes.len() {
            return disagree(arena, "encoded_len is not what encode_in writes");
        }
    }
    answer
}
