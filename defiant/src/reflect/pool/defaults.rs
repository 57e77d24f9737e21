//! Declared defaults, from the text that compilers leave in a descriptor.

use alloc::vec::Vec;

use crate::descriptor::Type;
use crate::reflect::Exhausted;
use crate::reflect::make::Memory;

/// A value of the type that a text says; `Ok(None)` when the text is none of its type. Not of enums.
pub(super) fn parse(ty: Type, text: &str, memory: &mut Memory) -> Result<Option<*const u8>, Exhausted> {
    macro_rules! number {
        ($ty:ty) => {
            match text.parse::<$ty>() {
                Ok(value) => memory.value(value)?.cast::<u8>(),
                Err(_) => return Ok(None),
            }
        };
    }
    let place = match ty {
        Type::Double => number!(f64),
        Type::Float => number!(f32),
        Type::Int64 | Type::Sint64 | Type::Sfixed64 => number!(i64),
        Type::Uint64 | Type::Fixed64 => number!(u64),
        Type::Int32 | Type::Sint32 | Type::Sfixed32 => number!(i32),
        Type::Uint32 | Type::Fixed32 => number!(u32),
        Type::Bool => number!(bool),
        Type::String => {
            let text = memory.str(text)?;
            memory.value(text)?.cast()
        }
        Type::Bytes => {
            let Some(bytes) = unescape(text) else { return Ok(None) };
            let bytes = memory.bytes(&bytes)?;
            memory.value(bytes)?.cast()
        }
        Type::Group | Type::Message | Type::Enum => return Ok(None),
    };
    Ok(Some(place.as_ptr().cast_const()))
}

/// The C escapes of `descriptor.proto`: `\n`, `\"`, `\001`, `\x7f`, ..
fn unescape(text: &str) -> Option<Vec<u8>> {
    let mut rest = text.as_bytes();
    let mut out = Vec::with_capacity(rest.len());
    while let Some((byte, behind)) = rest.split_first() {
        rest = behind;
        if *byte != b'\\' {
            out.push(*byte);
            continue;
        }
        let (escape, behind) = rest.split_first()?;
        rest = behind;
        out.push(match escape {
            b'a' => 0x07,
            b'b' => 0x08,
            b'f' => 0x0c,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'v' => 0x0b,
            quoted @ (b'\\' | b'\'' | b'"' | b'?') => *quoted,
            b'x' | b'X' => {
                let (value, count) = digits(&mut rest, 16, 2);
                u8::try_from(value).ok().filter(|_| count > 0)?
            }
            first @ b'0'..=b'7' => {
                let (value, count) = digits(&mut rest, 8, 2);
                u8::try_from(u32::from(first - b'0') * 8u32.pow(count) + value).ok()?
            }
            _ => return None,
        });
    }
    Some(out)
}

/// Takes up to `most` digits; their value, and how many there were.
fn digits(rest: &mut &[u8], radix: u32, most: u32) -> (u32, u32) {
    let (mut value, mut count) = (0, 0);
    while let (true, Some((byte, behind))) = (count < most, rest.split_first()) {
        let Some(digit) = char::from(*byte).to_digit(radix) else { break };
        (value, count, *rest) = (value * radix + digit, count + 1, behind);
    }
    (value, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes() {
        assert_eq!(
            unescape(r#"\000\001\007\010\014\n\r\t\013\\\'\"\376a"#).as_deref(),
            Some(&b"\0\x01\x07\x08\x0c\n\r\t\x0b\\'\"\xfea"[..])
        );
        assert_eq!(unescape(r"\x7fA\0018\8"), None);
        assert_eq!(unescape(r"\x7fA\0018").as_deref(), Some(&b"\x7fA\x018"[..]));
        assert_eq!(unescape(r"\777"), None);
        assert_eq!(unescape(r"\x"), None);
        assert_eq!(unescape("\\"), None);
    }
}
