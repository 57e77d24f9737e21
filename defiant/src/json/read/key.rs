//! Which field a key is of.

use super::Scanner;
use crate::descriptor::FieldDescriptor;

/// How many fields are tried before the key is searched for.
const AHEAD: usize = 4;

/// The field that is expected, or one of the next: its index, and where its value may begin.
///
/// Fields usually come in the order of their numbers, some left out, and keys without a space before the colon.
#[inline]
pub(super) fn predicted(scanner: &Scanner<'_, '_>, fields: &[FieldDescriptor], next: usize) -> Option<(usize, usize)> {
    let rest = scanner.bytes().get(scanner.at..)?;
    let candidates = fields.get(next..)?;
    for (ahead, field) in candidates.iter().take(AHEAD).enumerate() {
        let key = field.names().key().as_bytes();
        if starts_with(rest, key) {
            return Some((next + ahead, scanner.at + key.len()));
        }
    }
    None
}

/// Whether bytes begin with a key, which has a quote, a quote and a colon at least.
#[inline]
fn starts_with(bytes: &[u8], key: &[u8]) -> bool {
    let Some(bytes) = bytes.get(..key.len()) else { return false };
    macro_rules! both_ends {
        ($size:literal) => {
            bytes.first_chunk::<$size>() == key.first_chunk() && bytes.last_chunk::<$size>() == key.last_chunk()
        };
    }
    match key.len() {
        0..=3 => bytes == key,
        4..=8 => both_ends!(4),
        9..=16 => both_ends!(8),
        17..=32 => both_ends!(16),
        _ => bytes == key,
    }
}

/// The index of a field among those of its message.
pub(in crate::json) fn index_of(fields: &[FieldDescriptor], field: &FieldDescriptor) -> Option<usize> {
    let guess = (field.number as usize).wrapping_sub(1);
    match fields.get(guess) {
        Some(found) if found.number == field.number => Some(guess),
        _ => fields.binary_search_by_key(&field.number, |field| field.number).ok(),
    }
}
