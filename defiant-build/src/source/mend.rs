//! Comments that are not UTF-8. The official compiler takes them as they are, but a string is to be UTF-8 here.

use std::borrow::Cow;

/// The field number of the files in a `FileDescriptorSet`.
pub(crate) const SET_FILE: u64 = 1;
/// The field number of the files in a `CodeGeneratorRequest`.
pub(crate) const REQUEST_FILE: u64 = 15;

/// `FileDescriptorProto.source_code_info`
const SOURCE_INFO: u64 = 9;
/// `SourceCodeInfo.location`
const LOCATION: u64 = 1;
/// The leading, trailing and detached comments of a `SourceCodeInfo.Location`.
const COMMENTS: [u64; 3] = [3, 4, 6];

/// Serialized descriptors with a question mark in place of each byte of a comment that is not UTF-8, so that no length
/// changes. `files` is the field number of the files. What is malformed stays so, for the decoder to complain about.
pub(crate) fn mend(bytes: &[u8], files: u64) -> Cow<'_, [u8]> {
    let mut places = Vec::new();
    walk(bytes, 0, &[&[files], &[SOURCE_INFO], &[LOCATION], &COMMENTS], &mut places);
    if places.is_empty() {
        return Cow::Borrowed(bytes);
    }
    let mut mended = bytes.to_vec();
    for place in places {
        mended[place] = b'?';
    }
    Cow::Owned(mended)
}

/// Follows the field numbers in `path` into nested messages, and lists the offsets of bad bytes where the path ends.
fn walk(bytes: &[u8], offset: usize, path: &[&[u64]], places: &mut Vec<usize>) {
    let Some((wanted, deeper)) = path.split_first() else {
        let mut at = offset;
        for chunk in bytes.utf8_chunks() {
            at += chunk.valid().len();
            places.extend(at..at + chunk.invalid().len());
            at += chunk.invalid().len();
        }
        return;
    };
    let mut at = 0;
    while at < bytes.len() {
        let Some(tag) = varint(bytes, &mut at) else { return };
        let length = match tag & 7 {
            0 => varint(bytes, &mut at).map(|_| 0),
            1 => Some(8),
            2 => varint(bytes, &mut at),
            5 => Some(4),
            _ => None,
        };
        let Some(content) =
            length.and_then(|length| usize::try_from(length).ok()).and_then(|length| bytes.get(at..)?.get(..length))
        else {
            return;
        };
        if tag & 7 == 2 && wanted.contains(&(tag >> 3)) {
            walk(content, offset + at, deeper, places);
        }
        at += content.len();
    }
}

fn varint(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = *bytes.get(*at)?;
        *at += 1;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_comments_are_mended() {
        // file { name: "\xff" source_code_info { location { leading_comments: "a\xff\xc3\xa9\xc3" span: 1 } } }
        let comment = b"\x1a\x05a\xff\xc3\xa9\xc3\x12\x01\x01";
        let set = [&b"\x0a\x11\x0a\x01\xff\x4a\x0c\x0a\x0a"[..], comment].concat();
        let mended = [&b"\x0a\x11\x0a\x01\xff\x4a\x0c\x0a\x0a"[..], b"\x1a\x05a?\xc3\xa9?\x12\x01\x01"].concat();
        assert_eq!(mend(&set, SET_FILE), mended);
        assert_eq!(mend(&set, REQUEST_FILE), set);
        // Whatever is cut off is left alone.
        for end in 0..set.len() {
            assert_eq!(mend(&set[..end], SET_FILE).len(), end);
        }
        assert_eq!(mend(b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", SET_FILE), &[0xff; 11][..]);
    }
}
