//! Every way in gives the same, whatever the wire looks like. Small enough to run under Miri, with no random input.

use bytes::{Buf, BufMut, BytesMut};
use defiant::{Arena, Encoder, Map, Message, UnknownFields};

use super::messages::{All, Choice, Color, Leaf};
use crate::allocator;

/// A buffer that shows one byte at a time.
pub(crate) struct Bytewise<'a>(pub(crate) &'a [u8]);

impl Buf for Bytewise<'_> {
    fn remaining(&self) -> usize {
        self.0.len()
    }

    fn chunk(&self) -> &[u8] {
        &self.0[..self.0.len().min(1)]
    }

    fn advance(&mut self, count: usize) {
        self.0 = &self.0[count..];
    }
}

/// A buffer that says that it has so many bytes more than it has.
struct Boastful<'a>(&'a [u8], usize);

impl bytes::Buf for Boastful<'_> {
    fn remaining(&self) -> usize {
        self.0.len() + self.1
    }

    fn chunk(&self) -> &[u8] {
        self.0
    }

    fn advance(&mut self, count: usize) {
        self.0 = &self.0[count..];
    }
}

fn leaf(arena: &Arena) -> Leaf<'_> {
    let inner = Leaf { x: -3, label: Some("z, not only ASCII: ä€😀"), ..Leaf::default() };
    Leaf {
        x: 77,
        label: Some(""),
        next: Some(arena.alloc(inner)),
        data: &[0, 1, 300, u64::MAX, 1 << 56],
        names: Map::new(arena, [(-1, "minus"), (5, "")]),
        unknown_fields: UnknownFields::EMPTY,
    }
}

/// A message with every field set.
fn full(arena: &Arena) -> All<'_> {
    let leaf = leaf(arena);
    let leaves = arena.alloc_slice_copy(&[leaf, Leaf::default(), leaf]);
    All {
        int32: -5,
        int64: Some(i64::MIN),
        uint32: 200,
        uint64: Some(2_097_151),
        sint32: -200,
        sint64: i64::MAX,
        fixed32: 1,
        fixed64: Some(2),
        sfixed32: -3,
        sfixed64: -4,
        float: 0.5,
        double: Some(-0.25),
        bool: true,
        string: "sixteen bytes or more, with an ö in the last block",
        bytes: &[0xff; 3],
        color: Color(77),
        leaf: Some(arena.alloc(leaf)),
        group: Some(arena.alloc(leaf)),
        leaves,
        groups: leaves,
        strings: &["", "fifteen bytes..", "sixteen bytes...", "thirty-three bytes of plain ASCII"],
        packed: &[0, -1, 127, 128],
        unpacked: &[-1, 0, 1],
        fixed: &[1, 2, 3],
        doubles: &[1.5, -0.0],
        bools: &[true, false],
        colors: &[Color::Green, Color(9)],
        counts: Map::new(arena, [("one", 1), ("two", 2)]),
        places: Map::new(arena, [(1, leaf), (2, Leaf::default())]),
        blobs: &[&[], &[1, 2, 3]],
        inline: Some(leaf),
        choice: Some(Choice::Leaf(arena.alloc(leaf))),
        far: Some("a tag of three bytes"),
        unknown_fields: UnknownFields::EMPTY,
    }
}

/// What the three ways in make of `wire`, encoded again; they agree, in the error's text too.
#[track_caller]
fn decode(wire: &[u8]) -> Result<Vec<u8>, String> {
    let arena = Arena::new();
    let ways = [All::decode(wire, &arena), All::decode_borrowed(wire, &arena), All::decode_buf(Bytewise(wire), &arena)];
    let [first, second, third] =
        ways.map(|way| way.map(|message| message.encode_to_vec()).map_err(|error| error.to_string()));
    assert_eq!(first, second);
    assert_eq!(first, third);
    first
}

/// A varint by the book: the value and the bytes behind it.
fn varint(wire: &[u8]) -> (u64, &[u8]) {
    let len = wire.iter().position(|byte| *byte < 0x80).unwrap() + 1;
    (wire[..len].iter().rev().fold(0, |value, byte| value << 7 | u64::from(byte & 0x7f)), &wire[len..])
}

/// The same fields with every tag in `len` bytes, or as many as it needs, also in groups. Returns what is behind the
/// end of the group.
fn with_long_tags<'a>(mut wire: &'a [u8], len: usize, out: &mut Vec<u8>) -> &'a [u8] {
    while !wire.is_empty() {
        let (tag, value) = varint(wire);
        let needed = wire.len() - value.len();
        out.extend_from_slice(&wire[..needed]);
        if needed < len {
            *out.last_mut().unwrap() |= 0x80;
            out.resize(out.len() + len - needed, 0x80);
            *out.last_mut().unwrap() = 0;
        }
        let behind = match tag & 7 {
            0 => varint(value).1,
            1 => &value[8..],
            5 => &value[4..],
            2 => {
                let (len, content) = varint(value);
                &content[len as usize..]
            }
            3 => {
                wire = with_long_tags(value, len, out);
                continue;
            }
            _ => return value,
        };
        out.extend_from_slice(&value[..value.len() - behind.len()]);
        wire = behind;
    }
    wire
}

#[test]
fn every_field_round_trips_through_every_door() {
    let arena = Arena::new();
    let message = full(&arena);
    let wire = message.encode_to_vec();
    assert_eq!(wire, message.encode_in(&arena));
    assert_eq!(wire.len(), message.encoded_len());
    assert_eq!(All::decode(&wire, &arena).unwrap(), message);
    assert_eq!(decode(&wire), Ok(wire.clone()));
}

#[test]
fn overlong_tags_mean_the_same() {
    let arena = Arena::new();
    let wire = full(&arena).encode_to_vec();
    for len in 2..=5 {
        let mut long = Vec::new();
        assert!(with_long_tags(&wire, len, &mut long).is_empty());
        assert!(long.len() > wire.len());
        assert_eq!(decode(&long).as_ref(), Ok(&wire), "{len}");
    }
    let mut too_long = Vec::new();
    with_long_tags(&[0x08, 0x01], 6, &mut too_long);
    assert_eq!(decode(&too_long), Err("All: invalid tag at byte 0".to_owned()));
    // Bits above the 32nd.
    assert_eq!(decode(&[0x88, 0x80, 0x80, 0x80, 0x10, 1]), Err("All: invalid tag at byte 0".to_owned()));
}

#[test]
fn a_cut_anywhere_is_an_error_or_a_shorter_message() {
    let arena = Arena::new();
    let wire = full(&arena).encode_to_vec();
    // Miri takes its time.
    let step = if cfg!(miri) { 97 } else { 1 };
    let whole = (0..wire.len()).step_by(step).filter(|&len| decode(&wire[..len]).is_ok()).count();
    assert!(whole < wire.len() / 5, "{whole} of {}", wire.len());
}

#[test]
fn a_buffer_that_has_less_than_it_says_ends_where_it_does() {
    let arena = Arena::new();
    let message = full(&arena);
    let wire = message.encode_to_vec();
    for more in [1, 16, 17, 5_000] {
        assert_eq!(All::decode_buf(Boastful(&wire, more), &arena).unwrap(), message, "{more} more");
        assert!(All::decode_buf(Boastful(&wire[..wire.len() - 1], more), &arena).unwrap_err().is_truncated());
    }
}

#[test]
fn a_buffer_with_any_room_gets_the_message_and_nothing_else() {
    let arena = Arena::new();
    for message in [All::default(), All { leaf: Some(arena.alloc(leaf(&arena))), ..All::default() }, full(&arena)] {
        let wire = message.encode_to_vec();
        let mut delimited = Vec::new();
        message.encode_length_delimited(&mut delimited).expect("a vector grows");
        for room in [0, 1, 15, 16, 17, 100] {
            let mut bytes = vec![7; wire.len() + room];
            let mut left = bytes.as_mut_slice();
            message.encode(&mut left).expect("there is room");
            assert_eq!((left.len(), left.iter().all(|byte| *byte == 7)), (room, true), "{room}");
            assert_eq!(bytes[..wire.len()], wire, "{room}");

            let mut bytes = Vec::with_capacity(delimited.len() + 3 + room);
            bytes.extend([1, 2, 3]);
            message.encode_length_delimited(&mut bytes).expect("a vector grows");
            assert_eq!((&bytes[..3], &bytes[3..]), (&[1, 2, 3][..], &*delimited), "{room}");
        }
        // The room is in two pieces.
        for cut in [0, wire.len() / 2, wire.len(), wire.len() + 15, wire.len() + 16] {
            let mut bytes = vec![7; wire.len() + 20];
            let (one, other) = bytes.split_at_mut(cut);
            let mut pieces = one.chain_mut(other);
            message.encode(&mut pieces).expect("there is room");
            assert_eq!(pieces.remaining_mut(), 20, "{cut}");
            assert_eq!(bytes.split_at(wire.len()), (&*wire, &[7; 20][..]), "{cut}");
        }
        if !wire.is_empty() {
            let mut short = vec![7; wire.len() - 1];
            assert!(message.encode(&mut short.as_mut_slice()).is_err());
            assert!(short.iter().all(|byte| *byte == 7));
        }
    }
}

#[test]
fn what_the_stack_has_no_room_for_is_the_same() {
    let arena = Arena::new();
    let small = full(&arena).encoded_len();
    // Where it overflows is in the middle of a message, of a text, of a list of numbers; or it does not.
    let around = |base: usize| base - 40..base + 40;
    let lens = [1, 4090, 0, 6000].into_iter().chain(around(4096)).chain(around(4096 - small)).chain(around(8192));
    for len in lens.take(if cfg!(miri) { 2 } else { usize::MAX }) {
        let text = "t".repeat(len);
        let numbers = vec![7; len];
        for message in [
            All { bytes: text.as_bytes(), ..full(&arena) },
            All { bytes: text.as_bytes(), ..All::default() },
            All { far: Some(&text), ..full(&arena) },
            All { packed: &numbers, ..full(&arena) },
        ] {
            let mut encoder = Encoder::new();
            let expected = encoder.encode(&message);
            assert_eq!(message.encode_to_vec(), expected, "{len}");
            let mut encoder = Encoder::new();
            let delimited = encoder.encode_length_delimited(&message);
            for room in [0, expected.len(), delimited.len() + 15, delimited.len() + 16, delimited.len() + 9000] {
                let mut bytes = Vec::with_capacity(room + 1);
                bytes.push(1);
                message.encode(&mut bytes).expect("a vector grows");
                assert_eq!((bytes[0], &bytes[1..]), (1, expected), "{len}, {room}");
                let mut bytes = BytesMut::with_capacity(room);
                message.encode_length_delimited(&mut bytes).expect("it grows");
                assert_eq!(bytes, delimited, "{len}, {room}");
            }
            // Just as much as there is room for, which takes no other memory, and what lies behind stays as it is.
            let mut bytes = vec![0xee; expected.len() + 20];
            let ((), count) = allocator::count(|| {
                message.encode(&mut &mut bytes[..expected.len()]).expect("there is room");
            });
            assert_eq!(count.allocations, 0, "{len}");
            assert_eq!(bytes[..expected.len()], *expected, "{len}");
            assert_eq!(bytes[expected.len()..], [0xee; 20], "{len}");
            let mut bytes = Vec::with_capacity(expected.len());
            let ((), count) = allocator::count(|| message.encode(&mut bytes).expect("there is room"));
            assert_eq!((count.allocations, &*bytes), (0, expected), "{len}");
            let (bytes, count) = allocator::count(|| message.encode_to_vec());
            assert_eq!((count.allocations, &*bytes), (u64::from(!expected.is_empty()), expected), "{len}");
            // As much as there is room for, and no byte more.
            let mut bytes = Vec::new();
            message.encode(&mut (&mut bytes).limit(expected.len())).expect("there is room");
            assert_eq!(bytes, expected, "{len}");
            if let Some(less) = expected.len().checked_sub(1) {
                assert!(message.encode(&mut (&mut bytes).limit(less)).is_err());
                assert_eq!(bytes, expected, "{len}");
            }
        }
    }
}
