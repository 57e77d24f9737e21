//! All doors of a message say the same: which bytes are one, what is in it, and where it fails.

use bytes::Buf;
use defiant::{Arena, DecodeError, DecodeOptions, Encoder, Message};

use crate::{shapes, shapes_lazy, shapes_small};

/// Bytes in pieces.
struct Pieces<'a> {
    rest: &'a [u8],
    size: usize,
}

impl Buf for Pieces<'_> {
    fn remaining(&self) -> usize {
        self.rest.len()
    }

    fn chunk(&self) -> &[u8] {
        &self.rest[..self.rest.len().min(self.size)]
    }

    fn advance(&mut self, count: usize) {
        self.rest = &self.rest[count..];
    }
}

/// What can be seen of a decode: the bytes that the message encodes to, or the error and its place.
type Seen = Result<Vec<u8>, (String, usize)>;

fn seen<'a, M: Message<'a>>(decoded: &Result<M, DecodeError>) -> Seen {
    match decoded {
        Ok(message) => Ok(message.encode_to_vec()),
        Err(error) => Err((error.to_string(), error.offset())),
    }
}

/// All doors in and out of messages of one type; what they say.
fn through<'a, M: Message<'a>>(wire: &'a [u8], arena: &'a Arena) -> Result<Seen, String> {
    let decoded = M::decode(wire, arena);
    let first = seen(&decoded);
    let same = |door: &str, other: Seen| match other == first {
        true => Ok(()),
        false => Err(format!("decode {first:x?}, {door} {other:x?}")),
    };
    same("decode_borrowed", seen(&M::decode_borrowed(wire, arena)))?;
    for size in [1, 7, 64] {
        same("decode_buf", seen(&M::decode_buf(Pieces { rest: wire, size }, arena)))?;
    }
    let mut merged = M::default();
    let outcome = merged.merge(wire, arena);
    if outcome.is_err() && merged.encode_to_vec() != M::default().encode_to_vec() {
        return Err("a merge that failed changed the message".to_owned());
    }
    // A message that is merged into counts as complete, whatever it lacks.
    if !decoded.as_ref().is_err_and(DecodeError::is_missing_required) {
        same("merge", seen(&outcome.map(|()| merged)))?;
    }
    let mut frame = Vec::new();
    prefix(wire.len(), &mut frame);
    let begin = frame.len();
    frame.extend_from_slice(wire);
    let framed = M::decode_length_delimited(&frame, arena);
    if framed.as_ref().is_ok_and(|(_, used)| *used != begin + wire.len()) {
        return Err("decode_length_delimited took another number of bytes".to_owned());
    }
    same("decode_length_delimited", seen(&framed.map(|(message, _)| message)))?;
    // Unknown fields are checked whether they are kept or not.
    let dropped = DecodeOptions::new().unknown_fields(false).decode::<M>(wire, arena);
    if dropped.is_ok() != first.is_ok() {
        return Err(format!("decode {first:x?}, without unknown fields {:x?}", seen(&dropped)));
    }
    if let (Ok(message), Ok(bytes)) = (&decoded, &first) {
        out(message, bytes, arena)?;
        let again = seen(&M::decode(bytes, arena));
        if again.as_ref() != Ok(bytes) {
            return Err(format!("encodes as {bytes:x?}, which decodes and encodes as {again:x?}"));
        }
    }
    Ok(first)
}

fn prefix(mut len: usize, out: &mut Vec<u8>) {
    while len >= 0x80 {
        out.push(len as u8 | 0x80);
        len >>= 7;
    }
    out.push(len as u8);
}

/// All doors out give these bytes.
fn out<'a, M: Message<'a>>(message: &M, bytes: &[u8], arena: &'a Arena) -> Result<(), String> {
    let mut buffer = Vec::new();
    message.encode(&mut buffer).map_err(|error| error.to_string())?;
    let mut encoder = Encoder::new().vectored_threshold(3);
    let pieces = encoder.encode_vectored(message).iter().collect::<Vec<_>>().concat();
    let good = [
        ("encoded_len", message.encoded_len() == bytes.len()),
        ("encode_in", message.encode_in(arena) == bytes),
        ("encode", buffer == bytes),
        ("encode_vectored", pieces == bytes),
        ("Encoder::encode", Encoder::new().encode(message) == bytes),
    ];
    match good.iter().find(|one| !one.1) {
        Some((door, _)) => Err(format!("{door} and encode_to_vec differ for {bytes:x?}")),
        None => Ok(()),
    }
}

/// Structs optimized for speed and for code size, through all doors.
pub(super) fn agree(bytes: &[u8]) -> Result<(), String> {
    let Some((first, wire)) = bytes.split_first() else { return Ok(()) };
    let arena = Arena::new();
    macro_rules! both {
        ($($number:literal $name:ident)*) => {
            match first % 4 {
                $($number => {
                    let fast = through::<shapes::$name<'_>>(wire, &arena)?;
                    let small = through::<shapes_small::$name<'_>>(wire, &arena)?;
                    if fast == small {
                        return Ok(());
                    }
                    (fast, small)
                })*
                // The largest type there is, and the one with an arm for every shape.
                _ => {
                    let fast = through::<shapes::Singular<'_>>(wire, &arena)?;
                    let small = through::<shapes_small::Singular<'_>>(wire, &arena)?;
                    if fast == small {
                        return suite(*first, wire, &arena);
                    }
                    (fast, small)
                }
            }
        };
    }
    let (fast, small) = both! { 0 Mixed 1 Known 2 Needy };
    Err(format!("for speed {fast:x?}, for code size {small:x?}"))
}

/// The suite's messages.
#[cfg(test_messages)]
fn suite<'a>(first: u8, wire: &'a [u8], arena: &'a Arena) -> Result<(), String> {
    use crate::test_messages::protobuf_test_messages::{editions, proto2, proto3};
    match first / 4 % 3 {
        0 => through::<proto2::TestAllTypesProto2<'_>>(wire, arena),
        1 => through::<proto3::TestAllTypesProto3<'_>>(wire, arena),
        _ => through::<editions::TestAllTypesEdition2023<'_>>(wire, arena),
    }
    .map(|_| ())
}

#[cfg(not(test_messages))]
fn suite<'a>(_: u8, _: &'a [u8], _: &'a Arena) -> Result<(), String> {
    Ok(())
}

/// Two wires in a row are the message of the first with the second merged into it. The second byte says where to cut.
pub(super) fn merge(bytes: &[u8]) -> Result<(), String> {
    let [first, at, wire @ ..] = bytes else { return Ok(()) };
    let (left, right) = wire.split_at(usize::from(*at).min(wire.len()));
    match first % 4 {
        0 => merged::<shapes::Mixed<'_>>(left, right, wire),
        1 => merged::<shapes::Known<'_>>(left, right, wire),
        2 => merged::<shapes_small::Mixed<'_>>(left, right, wire),
        _ => merged::<shapes::Singular<'_>>(left, right, wire),
    }
}

/// Generic over the message of any arena, whose type cannot be named without a lifetime.
fn merged<M: defiant::extension::MessageFamily>(left: &[u8], right: &[u8], whole: &[u8]) -> Result<(), String> {
    fn inner<'a, M: Message<'a>>(left: &[u8], right: &[u8], whole: &[u8], arena: &'a Arena) -> Result<(), String> {
        let Ok(mut message) = M::decode(left, arena) else { return Ok(()) };
        let before = message.encode_to_vec();
        let merged = message.merge(right, arena);
        let together = seen(&M::decode(whole, arena));
        match (merged, &together) {
            (Ok(()), Ok(bytes)) if message.encode_to_vec() == *bytes => Ok(()),
            (Err(_), Err(_)) if message.encode_to_vec() == before => Ok(()),
            // What the second lacks, the first may have; a merge knows no more than that the first is complete.
            (Err(error), Ok(_)) if error.is_missing_required() => Ok(()),
            (merged, together) => Err(format!(
                "merged {:x?}, together {together:x?}",
                merged.map(|()| message.encode_to_vec()).map_err(|error| error.to_string())
            )),
        }
    }
    inner::<M::In<'_>>(left, right, whole, &Arena::new())
}

/// Messages that are left encoded until they are asked for are in the end what they would have been at once.
pub(super) fn lazy(bytes: &[u8]) -> Result<(), String> {
    let Some((first, wire)) = bytes.split_first() else { return Ok(()) };
    let arena = Arena::new();
    macro_rules! compare {
        ($name:ident) => {{
            let eager = shapes::$name::decode(wire, &arena);
            let lazy = through::<shapes_lazy::$name<'_>>(wire, &arena)?;
            let Ok(eager) = eager else { return Ok(()) };
            let lazy = lazy.map_err(|error| format!("accepted at once, rejected where it is lazy: {error:?}"))?;
            let again = shapes::$name::decode(&lazy, &arena).map_err(|error| format!("what was lazy: {error}"))?;
            let (eager, again) = (eager.encode_to_vec(), again.encode_to_vec());
            if eager != again {
                return Err(format!("at once {eager:x?}, lazily {again:x?}"));
            }
            walk(&shapes_lazy::$name::decode(wire, &arena).map_err(|error| error.to_string())?, &arena)
        }};
    }
    match first % 3 {
        0 => compare!(Mixed),
        1 => compare!(Known),
        _ => compare!(Singular),
    }
}

/// Decodes all lazy messages in one: what was accepted at once is accepted when it is asked for.
fn walk<'a, M: Message<'a>>(message: &M, arena: &'a Arena) -> Result<(), String> {
    fn look(value: defiant::reflect::Value<'_>, arena: &Arena) -> Result<(), String> {
        use defiant::reflect::Value;
        match value {
            Value::Lazy(lazy) => {
                let message = lazy.get(arena).map_err(|error| format!("a lazy message: {error}"))?;
                message.fields().try_for_each(|(_, inner)| look(inner, arena))
            }
            Value::Message(message) => message.fields().try_for_each(|(_, inner)| look(inner, arena)),
            Value::List(list) => list.iter().try_for_each(|inner| look(inner, arena)),
            _ => Ok(()),
        }
    }
    defiant::reflect::MessageRef::of(message).fields().try_for_each(|(_, inner)| look(inner, arena))
}
