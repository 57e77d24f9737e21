//! Decoding an extension from the unknown fields: its occurrences are copied together, with slack behind them, and decoded
//! as the only field of a message.

use bytes::Buf;

use super::InArena;
use crate::arena::Arena;
use crate::error::DecodeError;
use crate::message::DecodeOptions;
use crate::unknown::{Record, Records, UnknownFields};
use crate::wire::context::{Context, Fault};
use crate::wire::reader::{Cursor, Reader, Scope};
use crate::wire::tag::{MAX_NUMBER, wire_type};
use crate::wire::varint;

/// The field as a struct would hold it.
pub(super) fn field<'arena, K: InArena>(
    unknown: &UnknownFields<'arena>,
    number: u32,
    arena: &'arena Arena,
    options: DecodeOptions,
) -> Result<K::Field<'arena>, DecodeError> {
    let mut field = K::unset();
    let pieces = pieces::<K>(unknown, number);
    if pieces.has_remaining() {
        options.run_buf(pieces, arena, |at, cx| merge_all::<K>(&mut field, at, cx))?;
    }
    Ok(field)
}

/// Reads occurrences of one field up to the end.
fn merge_all<'arena, K: InArena>(field: &mut K::Field<'arena>, at: Cursor, cx: &mut Context<'arena>) -> Cursor {
    // Numbers that a closed enum does not have stay where they are, in the message that is extended.
    let mut rest = UnknownFields::EMPTY;
    let mut r = Reader::enter(at, cx, Scope::message());
    loop {
        let step = match r.tag() {
            Ok(Some(tag)) => K::merge(field, &mut rest, &mut r, tag),
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

/// Whether a field is an occurrence of the extension.
fn occurs<K: InArena>(record: &Record<'_>, number: u32) -> bool {
    record.field.number == number && K::reads(record.field.value.wire_type())
}

/// The occurrences one after the other; a number that no tag of 32 bits has, of a message set, is 1 instead.
fn pieces<'a, K: InArena>(unknown: &UnknownFields<'a>, number: u32) -> impl Buf + use<'a, K> {
    const TAG: &[u8] = &[(1 << 3 | wire_type::LENGTH_DELIMITED) as u8];
    let (head, skipped) = if number > MAX_NUMBER { (TAG, varint::len(u64::from(number) << 3)) } else { (&TAG[..0], 0) };
    let records = unknown.spans().flat_map(Records::new).filter(move |record| occurs::<K>(record, number));
    let pieces = records.flat_map(move |record| [head, &record.bytes[skipped..]]);
    let remaining = pieces.clone().map(<[u8]>::len).sum();
    let mut pieces = Pieces { pieces, current: &[], remaining };
    pieces.advance(0);
    pieces
}

/// An input in pieces.
struct Pieces<'a, I> {
    pieces: I,
    current: &'a [u8],
    remaining: usize,
}

impl<'a, I: Iterator<Item = &'a [u8]>> Buf for Pieces<'a, I> {
    fn remaining(&self) -> usize {
        self.remaining
    }

    fn chunk(&self) -> &[u8] {
        self.current
    }

    fn advance(&mut self, count: usize) {
        self.current = &self.current[count..];
        self.remaining -= count;
        while self.current.is_empty() {
            let Some(next) = self.pieces.next() else { return };
            self.current = next;
        }
    }
}
