//! Other libraries on the same bytes: they accept what Defiant accepts, and understand it as Defiant does.

use defiant::{Arena, DecodeError, DecodeOptions, Message as _};

use super::survey::Survey;
use super::world;
use crate::{cross, legacy, modern};

/// What `build.rs` had Google's generator make.
#[allow(warnings, unsafe_code, clippy::all, clippy::undocumented_unsafe_blocks, reason = "not written by hand")]
mod google_types {
    pub(super) mod modern {
        include!(concat!(env!("OUT_DIR"), "/google_modern/generated.rs"));
    }
    pub(super) mod legacy {
        include!(concat!(env!("OUT_DIR"), "/google_legacy/generated.rs"));
    }
}

/// What `build.rs` had prost's generator make.
#[allow(warnings, reason = "not written by hand")]
mod prost_types {
    pub(super) mod modern {
        include!(concat!(env!("OUT_DIR"), "/prost/modern.rs"));
    }
    pub(super) mod legacy {
        include!(concat!(env!("OUT_DIR"), "/prost/legacy.rs"));
    }
}

/// What Defiant makes of a wire.
fn ours(modern: bool, wire: &[u8]) -> Result<Vec<u8>, DecodeError> {
    let arena = Arena::new();
    match modern {
        true => DecodeOptions::new().decode::<modern::Message<'_>>(wire, &arena).map(|message| message.encode_to_vec()),
        false => {
            DecodeOptions::new().decode::<legacy::Message<'_>>(wire, &arena).map(|message| message.encode_to_vec())
        }
    }
}

fn survey(modern: bool, wire: &[u8]) -> Survey {
    Survey::of(wire, if modern { modern::Message::DESCRIPTOR } else { legacy::Message::DESCRIPTOR })
}

/// What prost makes of a wire, encoded again: one encoding for each message, as maps are sorted.
fn by_prost(modern: bool, wire: &[u8]) -> Result<Vec<u8>, prost::DecodeError> {
    use prost::Message as _;
    match modern {
        true => prost_types::modern::Message::decode(wire).map(|message| message.encode_to_vec()),
        false => prost_types::legacy::Message::decode(wire).map(|message| message.encode_to_vec()),
    }
}

fn name(modern: bool) -> &'static str {
    if modern { "modern.Message" } else { "legacy.Message" }
}

/// Google's crate. It and Defiant accept the same, and what one writes the other reads as the same message.
pub(super) fn google(bytes: &[u8]) -> Result<(), String> {
    use google_protobuf::{Parse as _, Serialize as _};
    let Some((first, wire)) = bytes.split_first() else { return Ok(()) };
    let modern = first & 1 == 0;
    let read = |wire: &[u8]| match modern {
        true => google_types::modern::Message::parse(wire).ok().and_then(|message| message.serialize().ok()),
        false => google_types::legacy::Message::parse(wire).ok().and_then(|message| message.serialize().ok()),
    };
    match (ours(modern, wire), read(wire)) {
        // A string of proto2 that is not UTF-8 is like any other there.
        (Ok(_), Some(_)) if survey(modern, wire).reorders() => Ok(()),
        (Ok(ours), Some(theirs)) => {
            let name = name(modern);
            cross::same(world()?, name, wire, &theirs, false)
                .map_err(|what| format!("{name}: Google's crate writes {theirs:x?}: {what}"))?;
            let again = read(&ours).ok_or_else(|| format!("{name}: Google's crate does not read {ours:x?}"))?;
            cross::same(world()?, name, &again, &theirs, false)
                .map_err(|what| format!("{name}: of {ours:x?}, Google's crate writes {again:x?}: {what}"))?;
            // What Defiant does not read, it misses on neither side; prost does.
            match (by_prost(modern, &again), by_prost(modern, &theirs)) {
                (Ok(again), Ok(theirs)) if again != theirs => {
                    Err(format!("{name}: of {ours:x?}, Google's crate and prost write {again:x?}, not {theirs:x?}"))
                }
                _ => Ok(()),
            }
        }
        (Err(_), None) => Ok(()),
        (Ok(ours), None) => {
            let survey = survey(modern, wire);
            // Each occurrence of a message is to have all required fields there, not all occurrences together.
            let in_pieces = !modern && survey.repeats() && read(&ours).is_some();
            if survey.long_lengths || in_pieces { Ok(()) } else { Err(format!("ours {ours:x?}, theirs not")) }
        }
        // Depth is counted in another way.
        (Err(error), Some(_)) if error.is_recursion_limit() => Ok(()),
        // What a varint has beyond 64 bits is dropped there.
        (Err(error), Some(_)) if is_beyond_64_bits(wire.get(error.offset()..).unwrap_or_default()) => Ok(()),
        // In groups that it does not know, it knows fields that have no number.
        (Err(error), Some(_)) if wire[..error.offset()].last().is_some_and(|tag| *tag < 8) => Ok(()),
        (Err(error), Some(theirs)) => Err(format!("ours {error}, theirs {theirs:x?}")),
    }
}

/// Whether this begins with a varint of ten bytes whose last one has bits beyond the 64th of the number.
fn is_beyond_64_bits(varint: &[u8]) -> bool {
    let Some((last, bytes)) = varint.get(..10).and_then(<[u8]>::split_last) else { return false };
    bytes.iter().all(|byte| *byte >= 0x80) && (2..0x80).contains(last)
}

/// prost, which rejects some of what other libraries accept, and accepts some of what they reject.
pub(super) fn prost(bytes: &[u8]) -> Result<(), String> {
    let Some((first, wire)) = bytes.split_first() else { return Ok(()) };
    let modern = first & 1 == 0;
    let survey = survey(modern, wire);
    match (ours(modern, wire), by_prost(modern, wire)) {
        _ if survey.strange_entries => Ok(()),
        (Ok(_), Ok(_)) if survey.negative_zeros => Ok(()),
        // It holds values of closed enums that the enum does not have as numbers like any other.
        (Ok(_), Ok(_)) if survey.reorders() => Ok(()),
        (Ok(ours), Ok(theirs)) => {
            let name = name(modern);
            // It leaves out a map's value that is a message of defaults, what is required in it included.
            if !self::ours(modern, &theirs).is_err_and(|error| error.is_missing_required()) {
                cross::same(world()?, name, wire, &theirs, false)
                    .map_err(|what| format!("{name}: prost writes {theirs:x?}: {what}"))?;
            }
            // What Defiant does not read, it misses on neither side.
            match by_prost(modern, &ours) {
                Ok(again) if again == theirs => Ok(()),
                again => Err(format!("{name}: of {ours:x?}, prost writes {again:x?}, not {theirs:x?}")),
            }
        }
        (Err(_), Err(_)) => Ok(()),
        (Err(ours), Ok(_)) => {
            let text = ours.to_string();
            // It fills in what is required, and reads tags of more than five bytes.
            let known = ours.is_missing_required() || ours.is_recursion_limit() || text.contains("invalid tag");
            if known { Ok(()) } else { Err(format!("rejected ({text}), prost accepts it")) }
        }
        (Ok(_), Err(theirs)) => {
            let text = theirs.to_string();
            // A field with another wire type is an error there, elsewhere unknown; so is a string of proto2 that is not
            // UTF-8; and groups in maps' entries, whose tags it expects, too.
            let known = text.contains("invalid wire type")
                || text.contains("recursion limit")
                || !modern && text.contains("UTF-8")
                || text.contains("unexpected end group");
            if known { Ok(()) } else { Err(format!("accepted, prost says {text}")) }
        }
    }
}
