//! The limits of elements and of strings, at their edges and at every place of a message.

use defiant::{Arena, DecodeError, DecodeOptions, Message};

use super::attacks::{everything, field, passes, varint};
use super::lazy::Sluggish;
use super::messages::{All, Leaf};

fn elements(limit: usize, wire: &[u8]) -> Result<(), String> {
    passes(DecodeOptions::new().elements_limit(limit), wire)
}

fn strings(limit: usize, wire: &[u8]) -> Result<(), String> {
    passes(DecodeOptions::new().string_limit(limit), wire)
}

/// Refused below a number, and not from there on.
#[track_caller]
fn edge(name: &str, count: usize, reason: &str, passes: impl Fn(usize) -> Result<(), String>) {
    for limit in [0, count / 2, count.saturating_sub(1)] {
        if limit < count {
            let refused = passes(limit).expect_err(name);
            assert!(refused.contains(reason), "{name}, {limit} of {count}: {refused}");
        }
    }
    for limit in [count, count + 1, 2 * count + 100, usize::MAX] {
        assert_eq!(passes(limit), Ok(()), "{name}, {limit} for {count}");
    }
}

const ELEMENTS: &str = "more elements than the limit";
const STRING: &str = "string longer than the limit";

#[test]
fn elements_of_every_kind_count() {
    let group = |number: u64, inner: &[u8]| [&varint(number << 3 | 3), inner, &varint(number << 3 | 4)].concat();
    let entry = |key: u8| field(29, &[8, key]);
    for (name, count, wire) in [
        ("nothing", 0, vec![8, 1]),
        ("messages", 3, field(19, &[8, 1]).repeat(3)),
        ("groups", 40, group(20, &[8, 1]).repeat(40)),
        ("strings", 3, field(21, b"abc").repeat(3)),
        ("bytes", 3, field(30, b"").repeat(3)),
        ("packed varints", 3, field(22, &[1, 0x80, 2, 3])),
        ("packed varints one by one", 3, [0xb0, 1, 5].repeat(3)),
        ("varints in one run", 3, field(23, &[1, 2, 3])),
        ("packed numbers of fixed width", 3, field(24, &[7; 12])),
        ("the same in two runs", 6, field(24, &[7; 12]).repeat(2)),
        ("entries", 3, [entry(1), entry(2), entry(3)].concat()),
        ("entries of one key", 30, entry(1).repeat(30)),
        ("lists that take turns", 60, [field(19, &[]), field(21, b""), vec![0xb0, 1, 5]].concat().repeat(20)),
        ("in an element", 5, field(19, &field(4, &[1, 2, 3, 4]))),
        ("in a singular message that occurs twice", 8, field(17, &field(4, &[1, 2, 3, 4])).repeat(2)),
        ("in a map's value", 5, field(29, &field(2, &field(4, &[1, 2, 3, 4])))),
        ("in a oneof's member", 8, field(41, &field(4, &[1, 2, 3, 4])).repeat(2)),
        ("everything", 76, everything()),
    ] {
        edge(name, count, ELEMENTS, |limit| elements(limit, &wire));
    }
}

/// What was there before does not count; what is added does.
#[test]
fn elements_that_are_merged() {
    let arena = Arena::new();
    let wire = [field(22, &[1, 2, 3]), field(24, &[0; 8]), field(29, &[8, 1])].concat();
    let mut message = All::decode(&wire, &arena).expect("a message");
    for _ in 0..3 {
        let before = message;
        let refused = DecodeOptions::new().elements_limit(5).merge(&mut message, &wire, &arena).unwrap_err();
        assert!(refused.is_elements_limit() && message == before);
        DecodeOptions::new().elements_limit(6).merge(&mut message, &wire, &arena).expect("all of them");
    }
    assert_eq!((message.packed.len(), message.fixed.len(), message.places.len()), (12, 8, 1));
}

#[test]
fn strings_of_every_length_and_place() {
    let lengths: &[usize] = match cfg!(miri) {
        true => &[0, 17, 128],
        false => &[0, 1, 2, 15, 16, 17, 31, 32, 33, 127, 128, 129, 300, 16_383, 16_384, 20_000],
    };
    for &len in lengths {
        let text = "x".repeat(len);
        let leaf = field(2, text.as_bytes());
        let group = |number: u64| [&varint(number << 3 | 3), &leaf[..], &varint(number << 3 | 4)].concat();
        for (name, wire) in [
            ("a string", field(14, text.as_bytes())),
            ("bytes", field(15, text.as_bytes())),
            ("an element", [field(21, b""), field(21, text.as_bytes()), field(21, b"")].concat()),
            ("an element of bytes", field(30, text.as_bytes())),
            ("a key", field(28, &field(1, text.as_bytes()))),
            ("a oneof's member", field(40, text.as_bytes())),
            ("a field of a high number", field(2100, text.as_bytes())),
            ("in a message", field(17, &leaf)),
            ("in a group", group(18)),
            ("in elements", field(19, &leaf).repeat(2)),
            ("in groups", group(20).repeat(2)),
            ("in a map's value", field(29, &field(2, &leaf))),
            ("a map's value", field(17, &field(5, &[&[8, 1][..], &leaf].concat()))),
        ] {
            let more: &[usize] = if cfg!(miri) { &[0, 20] } else { &[0, 1, 7, 8, 16, 40] };
            for &more in more {
                // Other fields before and behind it, so that it lies before, across and behind the slack.
                let wire = [&[8, 1].repeat(more), &wire[..], &[8, 1].repeat(more)].concat();
                edge(&format!("{name}, {len} bytes, {more}"), len, STRING, |limit| strings(limit, &wire));
            }
        }
    }
}

/// A small limit of strings makes a decode look up often; what comes out is the same.
#[test]
fn what_a_limit_of_strings_leaves_alone() {
    let arena = Arena::new();
    let wire = [field(3000, &[1; 200]), field(22, &[1; 300]), everything(), field(24, &[3; 400])].concat();
    let expected = All::decode(&wire, &arena).expect("a message");
    for limit in (5..80).step_by(if cfg!(miri) { 12 } else { 1 }) {
        let arena = Arena::new();
        let options = DecodeOptions::new().string_limit(limit);
        assert_eq!(options.decode::<All<'_>>(&wire, &arena).ok(), Some(expected), "{limit}");
        assert_eq!(
            options.decode_borrowed::<All<'_>>(arena.alloc_slice_copy(&wire), &arena).ok(),
            Some(expected),
            "{limit}"
        );
    }
    // Mistakes stay what they are.
    for at in 0..wire.len().min(if cfg!(miri) { 40 } else { 1_000 }) {
        let arena = Arena::new();
        let whole = All::decode(&wire[..at], &arena).map_err(|error| error.to_string());
        let limited = DecodeOptions::new().string_limit(9).decode::<All<'_>>(&wire[..at], &arena);
        assert_eq!(limited.map_err(|error| error.to_string()), whole, "cut at {at}");
    }
}

/// A lazy message is no string; what is in it counts when it is decoded, against what was left.
#[test]
fn limits_of_what_is_lazy() {
    let arena = Arena::new();
    let leaf = [field(2, b"four"), field(4, &[1, 2, 3])].concat();
    let wire = [field(3, &leaf), field(2, &leaf), field(4, &field(2, &leaf))].concat();
    let decode = |options: DecodeOptions| options.decode::<Sluggish<'_>>(&wire, &arena);
    assert!(decode(DecodeOptions::new().elements_limit(0)).unwrap_err().is_elements_limit());
    // One is taken by the list itself.
    for (limit, fits) in [(3, false), (4, true)] {
        let outer = decode(DecodeOptions::new().elements_limit(limit)).expect("nothing but an element");
        let read = |leaf: Result<Leaf<'_>, DecodeError>| match leaf {
            Ok(leaf) => leaf.data.len() == 3,
            Err(error) => !error.is_elements_limit(),
        };
        assert_eq!(read(outer.leaf.expect("there").get(&arena)), fits, "{limit}");
        let inner = outer.inner.expect("there").get(&arena).expect("nothing but a lazy message");
        assert_eq!(read(inner.leaf.expect("there").get(&arena)), fits, "{limit}");
    }
    // What was left when its last occurrence was read.
    let wire = [field(2, b""), field(3, &leaf), field(2, &leaf)].concat();
    for (limit, fits) in [(3, false), (4, true)] {
        let outer =
            DecodeOptions::new().elements_limit(limit).decode::<Sluggish<'_>>(&wire, &arena).expect("one element");
        let read = outer.leaf.expect("there").get(&arena);
        assert_eq!(read.is_ok(), fits, "{limit}");
        assert!(fits || read.unwrap_err().is_elements_limit());
    }
    for (limit, fits) in [(3, false), (4, true)] {
        let outer = decode(DecodeOptions::new().string_limit(limit)).expect("no string");
        let inner = outer.inner.expect("there").get(&arena).expect("no string");
        for leaf in [outer.leaf.expect("there"), outer.leaves[0], inner.leaf.expect("there")] {
            let read = leaf.get(&arena);
            assert_eq!(read.is_ok(), fits);
            assert!(fits || read.unwrap_err().is_string_limit());
        }
    }
}
