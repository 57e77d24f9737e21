//! Decoding an extension from the unknown fields: its occurrences are copied together, with slack behind them, and decoded
//! as the only field of a message.

use super::InArena;
use crate::arena::Arena;
use crate::error::DecodeError;
use crate::message::DecodeOptions;
use crate::unknown::{Record, Records, UnknownFields};
use crate::wire::context::{Context, Fault};
use crate::wire::reader::{Cursor, Reader, Scope};
use crate::wire::tag::{MAX_NUMBER, tag_of, wire_type};
use crate::wire::varint;

/// The field as a struct would hold it.
pub(super) fn field<'arena, K: InArena>(
    unknown: &UnknownFields<'arena>,
    number: u32,
    arena: &'arena Arena,
    options: DecodeOptions,
) -> Result<K::Field<'arena>, DecodeError> {
    let occurrences = Occurrences::new(number);
    let len = unknown.backward().map(|span| occurrences.len::<K>(span)).sum();
    if len == 0 {
        return Ok(K::unset());
    }
    // Numbers that a closed enum does not have, and the like, stay where they are, in the message that is extended.
    let options = if K::OF_MESSAGES { options } else { options.unknown_fields(false) };
    let fill = |place: &mut [u8]| occurrences.copy::<K>(unknown, place);
    options.run_filled(K::unset, len, arena, fill, merge_all::<K>)
}

/// Reads occurrences of one field up to the end.
fn merge_all<'arena, K: InArena>(field: &mut K::Field<'arena>, at: Cursor, cx: &mut Context<'arena>) -> Cursor {
    let mut rest = UnknownFields::EMPTY;
    let mut r = Reader::enter(at, cx, Scope::message());
    loop {
        let step = match r.whole_key() {
            Ok(Some(key)) => K::merge(field, &mut rest, &mut r, tag_of(key)),
            Ok(None) => return r.leave(),
            Err(fault) => Err(fault),
        };
        match step {
            Ok(()) => {}
            Err(Fault::Recorded) => return Cursor::FAILED,
            Err(fault) => return r.give_up(fault),
        }
    }
}

/// The tag that stands for one that has more than 32 bits: of field 1, length-delimited.
const SHORT_TAG: &[u8] = &[(1 << 3 | wire_type::LENGTH_DELIMITED) as u8];

/// The occurrences of an extension in spans.
struct Occurrences {
    number: u32,
    /// What is written in place of the first `skipped` bytes.
    head: &'static [u8],
    skipped: usize,
}

impl Occurrences {
    fn new(number: u32) -> Self {
        if number <= MAX_NUMBER {
            return Occurrences { number, head: &[], skipped: 0 };
        }
        // Of a message set, and so length-delimited.
        Occurrences { number, head: SHORT_TAG, skipped: varint::len(u64::from(number) << 3) }
    }

    /// The bytes of each occurrence, without what is skipped.
    fn of<'s, K: InArena>(&self, span: &'s [u8]) -> impl Iterator<Item = &'s [u8]> {
        let is_one =
            |record: &Record<'_>| record.field.number == self.number && K::reads(record.field.value.wire_type());
        Records::new(span).filter(is_one).map(|record| record.bytes.get(self.skipped..).unwrap_or_default())
    }

    /// Bytes of the occurrences in a span.
    fn len<K: InArena>(&self, span: &[u8]) -> usize {
        self.of::<K>(span).map(|bytes| self.head.len() + bytes.len()).sum()
    }

    /// Fills `place`, as long as all occurrences are: from its end, since spans are linked from the last to the first.
    fn copy<K: InArena>(&self, unknown: &UnknownFields<'_>, mut place: &mut [u8]) {
        for span in unknown.backward() {
            let before = place.len().saturating_sub(self.len::<K>(span));
            let Some((rest, mut here)) = place.split_at_mut_checked(before) else { return };
            for bytes in self.of::<K>(span) {
                for part in [self.head, bytes] {
                    let Some((to, behind)) = here.split_at_mut_checked(part.len()) else { return };
                    to.copy_from_slice(part);
                    here = behind;
                }
            }
            place = rest;
        }
    }
}
