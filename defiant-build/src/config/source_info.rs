//! Takes the source info out of a descriptor set: most of its bytes, and of no use at run time.
//!
//! Works on the wire, so everything else stays as it is, options included that only extensions know.

/// Field numbers: <https://protobuf.dev/reference/protobuf/google.protobuf/> (descriptor.proto).
const SET_FILE: u64 = 1;
const FILE_SOURCE_CODE_INFO: u64 = 9;

/// A serialized `FileDescriptorSet` without the `source_code_info` of its files; `None` when it is malformed.
pub(super) fn stripped(set: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(set.len());
    let mut rest = set;
    while !rest.is_empty() {
        let record = record(rest)?;
        if record.number == SET_FILE {
            let mut file = Vec::with_capacity(record.payload?.len());
            let mut inner = record.payload?;
            while !inner.is_empty() {
                let field = self::record(inner)?;
                if field.number != FILE_SOURCE_CODE_INFO {
                    file.extend_from_slice(&inner[..field.length]);
                }
                inner = &inner[field.length..];
            }
            out.push(0x0a);
            write_varint(file.len() as u64, &mut out);
            out.append(&mut file);
        } else {
            out.extend_from_slice(&rest[..record.length]);
        }
        rest = &rest[record.length..];
    }
    Some(out)
}

/// One field on the wire.
struct Record<'a> {
    number: u64,
    /// Of a length-delimited field: its content.
    payload: Option<&'a [u8]>,
    /// Bytes of all of it.
    length: usize,
}

/// The first field; groups, which descriptors do not have, are malformed here.
fn record(bytes: &[u8]) -> Option<Record<'_>> {
    let (tag, start) = varint(bytes)?;
    let (payload, length) = match tag & 7 {
        0 => (None, start + varint(bytes.get(start..)?)?.1),
        1 => (None, start + 8),
        2 => {
            let (length, size) = varint(bytes.get(start..)?)?;
            let begin = start + size;
            let end = begin.checked_add(usize::try_from(length).ok()?)?;
            (Some(bytes.get(begin..end)?), end)
        }
        5 => (None, start + 4),
        _ => return None,
    };
    (length <= bytes.len()).then_some(Record { number: tag >> 3, payload, length })
}

/// A varint and its length: <https://protobuf.dev/programming-guides/encoding/#varints>.
fn varint(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut value = 0;
    for (index, &byte) in bytes.iter().enumerate().take(10) {
        value |= u64::from(byte & 0x7f) << (7 * index);
        if byte < 0x80 {
            return Some((value, index + 1));
        }
    }
    None
}

fn write_varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_source_info_goes() {
        // file { name: "a" source_code_info { .. } syntax: "b" } and an unknown field of the set.
        let set = [b"\x0a\x0b\x0a\x01a\x4a\x03xyz\x62\x01b".as_slice(), b"\x10\x96\x01"].concat();
        assert_eq!(stripped(&set).as_deref(), Some(&b"\x0a\x06\x0a\x01a\x62\x01b\x10\x96\x01"[..]));
        assert_eq!(stripped(b""), Some(Vec::new()));
    }

    #[test]
    fn malformed_sets() {
        for set in [&b"\x0a"[..], b"\x0a\x05a", b"\x0a\x02\x4a\x09", b"\x0b", b"\x08", b"\x0a\x01\x0d", b"\xff"] {
            assert_eq!(stripped(set), None, "{set:?}");
        }
    }
}
