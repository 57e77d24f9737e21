//! The wire by the book: what the library has to understand is not written and read by the library.

/// Appends a varint.
pub(super) fn varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends a tag.
pub(super) fn tag(number: u32, wire_type: u8, out: &mut Vec<u8>) {
    varint(u64::from(number) << 3 | u64::from(wire_type), out);
}

/// Appends bytes behind their length.
pub(super) fn delimited(bytes: &[u8], out: &mut Vec<u8>) {
    varint(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

/// Cuts whole fields apart: the number of each, and its bytes with the tag. `None` for what is none.
pub(super) fn records(wire: &[u8]) -> Option<Vec<(u64, &[u8])>> {
    let (mut records, mut rest) = (Vec::new(), wire);
    while !rest.is_empty() {
        let start = rest;
        let tag = take_varint(&mut rest)?;
        skip(tag, &mut rest)?;
        records.push((tag >> 3, &start[..start.len() - rest.len()]));
    }
    Some(records)
}

fn take_varint(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for index in 0..10 {
        let (byte, tail) = rest.split_first()?;
        *rest = tail;
        value |= u64::from(byte & 0x7f) << (7 * index);
        if *byte < 0x80 {
            return Some(value);
        }
    }
    None
}

fn skip(tag: u64, rest: &mut &[u8]) -> Option<()> {
    let len = match tag & 7 {
        0 => {
            take_varint(rest)?;
            0
        }
        1 => 8,
        2 => usize::try_from(take_varint(rest)?).ok()?,
        3 => loop {
            let inner = take_varint(rest)?;
            if inner & 7 == 4 {
                break (inner >> 3 == tag >> 3).then_some(0)?;
            }
            skip(inner, rest)?;
        },
        5 => 4,
        _ => return None,
    };
    *rest = rest.get(len..)?;
    Some(())
}
