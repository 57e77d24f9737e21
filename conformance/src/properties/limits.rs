//! Limits stop what passes them, change nothing below them, and leave nothing behind.

use defiant::descriptor::{MessageDescriptor, Type};
use defiant::reflect::{DynamicMessage, MessageType};
use defiant::{Arena, DecodeOptions, Message, UnknownField, UnknownFields, UnknownValue, json, text};

use super::subject;

/// The second and third byte say how much memory there is, the fourth how many levels and elements, the second how long a
/// string may be.
pub(super) fn limits(bytes: &[u8]) -> Result<(), String> {
    let Some((world, name, rest)) = subject(bytes)? else { return Ok(()) };
    let [low, high, levels, wire @ ..] = rest else { return Ok(()) };
    let memory = usize::from(u16::from_le_bytes([*low, *high]));
    let (few, levels) = (usize::from(*levels), u32::from(*levels));
    let Some(ty) = world.types(name) else { return Ok(()) };
    let mut outcomes = Vec::new();
    for ty in ty {
        let free = Arena::new();
        let whole = DynamicMessage::decode(ty, wire, &free).map(|message| message.encode_to_vec());
        let arena = Arena::new();
        let options = DecodeOptions::new().memory_limit(memory).recursion_limit(levels.min(100));
        let limited = DynamicMessage::decode_with(ty, wire, &options, &arena);
        match (&whole, limited.map(|message| message.encode_to_vec())) {
            (Ok(whole), Ok(limited)) if *whole == limited => {}
            (_, Err(error)) if error.is_memory_limit() || error.is_recursion_limit() => {}
            // Which of several mistakes is met first does not depend on limits that are not met.
            (Err(whole), Err(limited)) if whole.to_string() == limited.to_string() => {}
            (whole, limited) => return Err(format!("without limits {whole:x?}, with limits {limited:x?}")),
        }
        let empty = Arena::new();
        let _ = DynamicMessage::decode(ty, b"", &empty);
        let taken = Taken { memory, outermost: empty.used_bytes() };
        taken.is_allowed(&arena)?;
        // Limits of elements and strings, which hold alike for a struct and a dynamic message.
        let options = DecodeOptions::new().elements_limit(few).string_limit(usize::from(*low));
        let arena = Arena::new();
        let limited = DynamicMessage::decode_with(ty, wire, &options, &arena);
        let limited = limited.map(|message| message.encode_to_vec());
        match (&whole, &limited) {
            (Ok(whole), Ok(limited)) if whole == limited => {}
            (_, Err(error)) if error.is_elements_limit() || error.is_string_limit() => {}
            (Err(whole), Err(limited)) if whole.to_string() == limited.to_string() => {}
            (whole, limited) => return Err(format!("without limits {whole:x?}, with few elements {limited:x?}")),
        }
        outcomes.push(limited.is_ok());
        // The arena's own limit: an error as well, and what failed takes nothing.
        let arena = Arena::new();
        arena.set_limit(Some(memory));
        match DynamicMessage::decode(ty, wire, &arena) {
            Err(error) if error.is_memory_limit() || whole.is_err() => {}
            Ok(message) if whole.as_ref().is_ok_and(|whole| *whole == message.encode_to_vec()) => {}
            other => return Err(format!("without limits {whole:x?}, in a small arena {other:?}")),
        }
        // The bookkeeping of one chunk, or of a few small ones, comes on top.
        if arena.held_bytes() > memory + 1024 {
            return Err(format!("{} bytes held where {memory} are allowed", arena.held_bytes()));
        }
        if let Ok(string) = core::str::from_utf8(wire) {
            texts(ty, string, taken, Given { levels, few, longest: usize::from(*low) })?;
        }
    }
    // What goes to the unknown fields instead may count.
    let is_same = outcomes.windows(2).all(|pair| pair[0] == pair[1]);
    if !is_same && !world.types(name).is_some_and(|[ty, _]| has_unfit(wire, ty.descriptor())) {
        return Err(format!("the limits of elements and strings hold for one of both kinds: {outcomes:?}"));
    }
    Ok(())
}

/// Any message, none of whose fields are known.
#[derive(Clone, Copy, Debug, PartialEq, Message)]
struct Unread<'arena> {
    #[defiant(unknown)]
    fields: UnknownFields<'arena>,
}

/// Whether there is a value anywhere in a message that its enum does not have, or that is not UTF-8, in values that others
/// replace, too. Singular fields and bytes in maps' entries are looked at like elements, which is more than need be.
fn has_unfit(wire: &[u8], message: &MessageDescriptor) -> bool {
    let arena = Arena::new();
    let read = Unread::decode(wire, &arena);
    read.is_ok_and(|read| read.fields.iter().any(|field| is_unfit(field, message)))
}

fn is_unfit(of: UnknownField<'_>, message: &MessageDescriptor) -> bool {
    let Some(field) = message.field(of.number) else { return false };
    let unknown = |number| field.enumeration().is_some_and(|of| !of.is_open() && !of.has(number as i32));
    match of.value {
        UnknownValue::LengthDelimited(entry) if field.is_map() => {
            let arena = Arena::new();
            let read = Unread::decode(entry, &arena);
            read.is_ok_and(|entry| {
                entry.fields.iter().any(|part| match (part.number, part.value, field.message()) {
                    (2, UnknownValue::LengthDelimited(value), Some(inside)) => has_unfit(value, inside),
                    (_, UnknownValue::LengthDelimited(value), _) => core::str::from_utf8(value).is_err(),
                    (2, UnknownValue::Varint(value), _) => unknown(value),
                    _ => false,
                })
            })
        }
        UnknownValue::LengthDelimited(inside) if field.ty() == Type::Message => {
            field.message().is_some_and(|message| has_unfit(inside, message))
        }
        UnknownValue::LengthDelimited(value) if field.ty() == Type::String => core::str::from_utf8(value).is_err(),
        UnknownValue::LengthDelimited(numbers) if field.is_list() => numbers
            .split_inclusive(|byte| *byte < 0x80)
            .any(|bytes| unknown(bytes.iter().rev().fold(0, |number, byte| number << 7 | u64::from(byte & 0x7f)))),
        UnknownValue::Group(group) => {
            field.message().is_some_and(|message| group.iter().any(|inside| is_unfit(inside, message)))
        }
        UnknownValue::Varint(value) => unknown(value),
        _ => false,
    }
}

/// What there is of everything else.
#[derive(Clone, Copy)]
struct Given {
    levels: u32,
    few: usize,
    longest: usize,
}

/// What there is of memory.
#[derive(Clone, Copy)]
struct Taken {
    memory: usize,
    /// A dynamic message itself, which is not counted.
    outermost: usize,
}

impl Taken {
    /// The arena has given no more than the limit of a decode, but for what is lost to alignment, which does not count.
    fn is_allowed(self, arena: &Arena) -> Result<(), String> {
        match arena.used_bytes() {
            used if used > 2 * self.memory + self.outermost + 256 => {
                Err(format!("{used} bytes taken where {} are allowed", self.memory))
            }
            _ => Ok(()),
        }
    }
}

/// A text that is read with limits is the message that it is without, or the limit is the error.
fn texts(ty: MessageType<'_>, text: &str, taken: Taken, given: Given) -> Result<(), String> {
    macro_rules! of_format {
        ($format:ident) => {{
            let read = |options: $format::DecodeOptions<'_>, arena: &Arena| {
                options.decode_message(ty.descriptor(), text, arena).map(|message| format!("{message:?}"))
            };
            let whole = read($format::DecodeOptions::new(), &Arena::new());
            let same = |limited: Result<String, $format::DecodeError>| match (&whole, limited) {
                (Ok(whole), Ok(limited)) if *whole == limited => Ok(()),
                (Err(whole), Err(limited)) if whole.to_string() == limited.to_string() => Ok(()),
                (_, Err(error)) if error.is_memory_limit() || error.is_recursion_limit() => Ok(()),
                (_, Err(error)) if error.is_elements_limit() || error.is_string_limit() => Ok(()),
                (whole, limited) => Err(format!("{text:?} without limits {whole:?}, with limits {limited:?}")),
            };
            let arena = Arena::new();
            let options =
                $format::DecodeOptions::new().memory_limit(taken.memory).recursion_limit(given.levels.min(100));
            same(read(options, &arena))?;
            taken.is_allowed(&arena)?;
            let options = $format::DecodeOptions::new().elements_limit(given.few).string_limit(given.longest);
            same(read(options, &Arena::new()))?;
            let arena = Arena::new();
            arena.set_limit(Some(taken.memory));
            same(read($format::DecodeOptions::new(), &arena))?;
            if arena.held_bytes() > taken.memory + 1024 {
                return Err(format!("{text:?}: {} bytes held where {} are allowed", arena.held_bytes(), taken.memory));
            }
        }};
    }
    of_format!(json);
    of_format!(text);
    Ok(())
}
