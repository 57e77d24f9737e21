//! Not a library: the floor. A plain loop that hops over the fields of the outermost message by wire type.

use std::hint::black_box;

use super::SOUND;
use crate::offer::{Library, Memory, Offer, Settings, Task};
use crate::payloads::Payload;

pub(super) const LIBRARY: Library = Library {
    name: super::SKIP,
    package: "",
    settings: Settings { strings: "skipped", utf8: "never checked", unknown: "skipped", memory: "none" },
    lazy: true,
    offer,
};

fn offer(payload: Payload, offer: &mut Offer) {
    let wire = offer.wire;
    let skip = if payload.is_log() { skip_log } else { skip };
    if skip(wire).is_none() {
        offer.gap(&[], "the payload is malformed.");
        return;
    }
    offer.time(Task::Skip, Memory::Reused, "-", move || {
        black_box(skip(black_box(wire)).expect(SOUND));
    });
}

/// The number of fields, groups walked through and all else hopped over; `None` when they are malformed.
pub(super) fn skip(wire: &[u8]) -> Option<usize> {
    let (mut at, mut fields, mut depth) = (0, 0, 0_usize);
    while at < wire.len() {
        let tag = varint(wire, &mut at)?;
        fields += 1;
        let step = match tag & 7 {
            0 => {
                varint(wire, &mut at)?;
                0
            }
            1 => 8,
            2 => usize::try_from(varint(wire, &mut at)?).ok()?,
            3 => {
                depth += 1;
                0
            }
            4 => {
                depth = depth.checked_sub(1)?;
                0
            }
            5 => 4,
            _ => return None,
        };
        at = at.checked_add(step).filter(|at| *at <= wire.len())?;
    }
    (depth == 0).then_some(fields)
}

/// The number of fields in a stream of messages, each behind its length.
fn skip_log(wire: &[u8]) -> Option<usize> {
    let (mut at, mut fields) = (0, 0);
    while at < wire.len() {
        let len = usize::try_from(varint(wire, &mut at)?).ok()?;
        let end = at.checked_add(len)?;
        fields += skip(wire.get(at..end)?)?;
        at = end;
    }
    Some(fields)
}

#[inline(always)]
fn varint(wire: &[u8], at: &mut usize) -> Option<u64> {
    let mut value = 0;
    for shift in 0..10 {
        let byte = *wire.get(*at)?;
        *at += 1;
        value |= u64::from(byte & 0x7f) << (7 * shift);
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{skip, skip_log};

    #[test]
    fn counts_fields_and_sees_what_is_malformed() {
        assert_eq!(skip(&[0x08, 0x96, 0x01, 0x12, 2, 0xff, 0xff, 0x1b, 0x20, 1, 0x1c, 0x25, 0, 0, 0, 0]), Some(6));
        assert_eq!(skip(&[]), Some(0));
        for malformed in [&[0x08][..], &[0x12, 3, 0], &[0x1c], &[0x1b], &[0x09, 0], &[0x0f]] {
            assert_eq!(skip(malformed), None, "{malformed:02x?}");
        }
    }

    #[test]
    fn counts_the_fields_of_every_message_of_a_log() {
        assert_eq!(skip_log(&[2, 0x08, 1, 0, 4, 0x08, 1, 0x10, 2]), Some(3));
        assert_eq!(skip_log(&[2, 0x08]), None);
        assert_eq!(skip_log(&[1, 0x08, 1]), None);
    }
}
