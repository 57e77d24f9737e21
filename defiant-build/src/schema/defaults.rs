//! Declared defaults (`[default = ..]`), from the text the compiler leaves in a descriptor.

use super::{Kind, Scalar};

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Default {
    /// As it is written in Rust, too.
    Integer(String),
    Float(f32),
    Double(f64),
    Bool(bool),
    String(String),
    Bytes(Vec<u8>),
    /// The name of an enum value.
    Enum(String),
}

/// `None` when the text is no value of this kind.
pub(super) fn parse(kind: &Kind, text: &str) -> Option<Default> {
    Some(match kind {
        Kind::Enum(_) => Default::Enum(text.to_owned()),
        Kind::Message(_) | Kind::Group(_) | Kind::Map(..) => return None,
        Kind::Scalar(scalar) => match scalar {
            Scalar::Float => Default::Float(text.parse().ok()?),
            Scalar::Double => Default::Double(text.parse().ok()?),
            Scalar::Bool => Default::Bool(text.parse().ok()?),
            Scalar::String => Default::String(text.to_owned()),
            Scalar::Bytes => Default::Bytes(unescape(text)?),
            Scalar::Int32 | Scalar::Sint32 | Scalar::Sfixed32 => {
                Default::Integer(text.parse::<i32>().ok()?.to_string())
            }
            Scalar::Int64 | Scalar::Sint64 | Scalar::Sfixed64 => {
                Default::Integer(text.parse::<i64>().ok()?.to_string())
            }
            Scalar::Uint32 | Scalar::Fixed32 => Default::Integer(text.parse::<u32>().ok()?.to_string()),
            Scalar::Uint64 | Scalar::Fixed64 => Default::Integer(text.parse::<u64>().ok()?.to_string()),
        },
    })
}

/// The C escapes of `descriptor.proto`: `\n`, `\"`, `\001`, `\x7f`, ..
fn unescape(text: &str) -> Option<Vec<u8>> {
    let mut bytes = text.bytes().peekable();
    let mut out = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        out.push(match bytes.next()? {
            b'a' => 0x07,
            b'b' => 0x08,
            b'f' => 0x0c,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'v' => 0x0b,
            quoted @ (b'\\' | b'\'' | b'"' | b'?') => quoted,
            b'x' | b'X' => {
                let mut value = None;
                while let (true, Some(digit)) =
                    (value < Some(16), bytes.peek().and_then(|byte| (*byte as char).to_digit(16)))
                {
                    value = Some(value.unwrap_or(0) * 16 + digit);
                    bytes.next();
                }
                u8::try_from(value?).ok()?
            }
            first @ b'0'..=b'7' => {
                let mut value = u32::from(first - b'0');
                for _ in 0..2 {
                    let Some(digit) = bytes.peek().and_then(|byte| (*byte as char).to_digit(8)) else { break };
                    value = value * 8 + digit;
                    bytes.next();
                }
                u8::try_from(value).ok()?
            }
            _ => return None,
        });
    }
    Some(out)
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
        assert_eq!(unescape(r"\x7fA\0018").as_deref(), Some(&b"\x7fA\x018"[..]));
        assert_eq!(unescape(r"\777"), None);
        assert_eq!(unescape("\\"), None);
    }

    #[test]
    fn numbers() {
        assert_eq!(parse(&Kind::Scalar(Scalar::Float), "-inf"), Some(Default::Float(f32::NEG_INFINITY)));
        assert_eq!(parse(&Kind::Scalar(Scalar::Uint32), "-1"), None);
        assert_eq!(
            parse(&Kind::Scalar(Scalar::Int64), "-9223372036854775808"),
            Some(Default::Integer(i64::MIN.to_string()))
        );
    }
}
