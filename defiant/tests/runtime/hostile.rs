//! Input made to hurt: errors with a place, bounded depth and memory, linear cost.

use defiant::{Arena, DecodeError, DecodeOptions, Message};

use super::messages::{All, Leaf};

fn fails(wire: &[u8]) -> DecodeError {
    let arena = Arena::new();
    let error = All::decode(wire, &arena).unwrap_err();
    assert_eq!(error.to_string(), All::decode_borrowed(wire, &arena).unwrap_err().to_string());
    error
}

#[test]
fn errors_name_path_and_offset() {
    for (wire, text) in [
        (&[0x8a, 0x01, 4, 0x12, 2, b'a', 0xff][..], "All.leaf: Leaf.label: invalid UTF-8 at byte 6"),
        (&[0x8a, 0x01, 5, 0x12, 2], "All.leaf: truncated at byte 2"),
        (&[0x9a, 0x01, 0, 0x9a, 0x01, 1, 0x08, 0x08], "All.leaves: Leaf.x: truncated"),
        (&[0x00, 0x01], "All: invalid tag at byte 1"),
        (&[0x0f], "All: invalid tag at byte 1"),
        (&[0x80, 0x80, 0x80, 0x80, 0x80, 0x01, 0], "All: invalid tag at byte 0"),
        (&[0x84, 0x01], "All.uint: end of a group"),
        (&[0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f], "All.int32: varint longer"),
        (&[0x39], "All.fixed32: truncated"),
        (&[0x93, 0x01, 0x08, 0x02], "All.group: Leaf.x: truncated at byte 4"),
        (&[0xb2, 0x01, 3, 1, 2, 0x80], "All.packed: truncated at byte 6"),
        (&[0xb2, 0x01, 3, 1, 0xff, 0xff], "All.packed: truncated at byte 6"),
        (&[0xc2, 0x01, 3, 1, 2, 3], "All.fixed: truncated"),
        (&[0xe2, 0x01, 3, 0x0a, 1, 0xff], "All.counts: invalid UTF-8 at byte 5"),
        (&[0xe2, 0x01, 2, 0x0f, 1], "All.counts: invalid tag at byte 4"),
        (&[0xc2, 0x02, 1, 0xff], "All.choice: invalid UTF-8"),
    ] {
        let printed = fails(wire).to_string();
        let path_only = ["All.uint", "All.fixed32", "All.choice"].iter().any(|part| text.starts_with(part));
        if path_only {
            let reason = text.split_once(": ").unwrap().1;
            assert!(printed.contains(reason.split(" at ").next().unwrap()), "{printed} for {text}");
        } else {
            assert!(printed.starts_with(text), "{printed} for {text}");
        }
    }
}

/// A cut varint in a packed field is noticed in more than one way, at one place.
#[test]
fn cut_elements_have_one_place() {
    let cut = [&[0xb2, 0x01, 4, 1, 0xff, 0xff, 0xff][..], &[0x08, 0x01].repeat(40)].concat();
    for len in 7..cut.len() {
        for limit in [1, 3, usize::MAX] {
            let options = DecodeOptions::new().string_limit(limit);
            let error = options.decode::<All<'_>>(&cut[..len], &Arena::new()).unwrap_err();
            assert_eq!(error.to_string(), "All.packed: truncated at byte 7", "{len} bytes, strings of {limit}");
        }
    }
}

#[test]
fn depth_is_limited_everywhere() {
    let arena = Arena::new();
    let nest = |depth: usize| {
        (0..depth).fold(Vec::new(), |inner: Vec<u8>, _| {
            let mut outer = vec![0x1a];
            let mut len = inner.len();
            while len >= 0x80 {
                outer.push(len as u8 | 0x80);
                len >>= 7;
            }
            outer.push(len as u8);
            outer.extend(inner);
            outer
        })
    };
    assert!(Leaf::decode(&nest(100), &arena).is_ok());
    assert!(Leaf::decode(&nest(101), &arena).unwrap_err().is_recursion_limit());
    let three = DecodeOptions::new().recursion_limit(3);
    assert!(three.decode::<Leaf<'_>>(&nest(3), &arena).is_ok());
    assert!(three.decode::<Leaf<'_>>(&nest(4), &arena).unwrap_err().is_recursion_limit());
    // Skipped groups count too, known or not.
    for tag in [0x3b, 0x93] {
        for (depth, good) in [(100, true), (101, false), (100_000, false)] {
            let end = if tag == 0x3b { vec![0x3c] } else { vec![0x94, 0x01] };
            let begin = if tag == 0x3b { vec![0x3b] } else { vec![0x93, 0x01] };
            let wire = [begin.repeat(depth), end.repeat(depth)].concat();
            assert_eq!(Leaf::decode(&wire, &arena).is_ok(), good, "{depth}");
        }
    }
}

#[test]
fn memory_is_limited_everywhere() {
    let arena = Arena::new();
    // Elements of two bytes, of a struct of many.
    let wire = [0x9a, 0x01, 0].repeat(10_000);
    let limit = |bytes| DecodeOptions::new().memory_limit(bytes);
    let size = wire.len() + 16 + 10_000 * size_of::<Leaf<'_>>();
    assert!(limit(size).decode::<All<'_>>(&wire, &arena).is_ok());
    assert!(limit(size - 1).decode::<All<'_>>(&wire, &arena).unwrap_err().is_memory_limit());
    assert!(limit(10).decode::<All<'_>>(&wire, &arena).unwrap_err().is_memory_limit());
    let arena = Arena::new();
    arena.set_limit(Some(100_000));
    assert!(All::decode(&wire, &arena).unwrap_err().is_memory_limit());
    // Unknown fields, maps, packed numbers and oneof members as well.
    for piece in [&[0xf8, 0x7d, 1][..], &[0xe2, 0x01, 0], &[0xb2, 0x01, 4, 1, 2, 3, 4], &[0xca, 0x02, 2, 0x30, 1]] {
        let wire = piece.repeat(2_000);
        let error = limit(wire.len() + 40).decode::<All<'_>>(&wire, &Arena::new()).err();
        // Joined unknown fields take one node.
        assert_eq!(error.is_some_and(|error| error.is_memory_limit()), piece[0] != 0xf8, "{piece:?}");
    }
}

/// Arena bytes that a decode takes, copy of the input included.
fn used(wire: &[u8]) -> usize {
    let arena = Arena::with_capacity(64 << 20);
    All::decode(wire, &arena).unwrap();
    arena.used_bytes()
}

#[test]
fn occurring_again_costs_linear_memory() {
    // A child with a string, a number in a list and a map entry; alternating lists; alternating unknown and known.
    for piece in [
        &[0x8a, 0x01, 3, 0x12, 1, b'a'][..],
        &[0x8a, 0x01, 3, 0x22, 1, 7],
        &[0x8a, 0x01, 5, 0x1a, 3, 0x22, 1, 7],
        &[0x8a, 0x01, 6, 0x2a, 4, 8, 1, 18, 0],
        &[0xb2, 0x01, 1, 5, 0xc2, 0x01, 4, 1, 2, 3, 4],
        &[0xaa, 0x01, 0, 0xf2, 0x01, 0],
        &[0x93, 0x01, 0x20, 7, 0x94, 0x01],
        &[0xca, 0x02, 2, 0x20, 1],
        &[0xfa, 0x01, 2, 0x20, 1],
    ] {
        let (small, large) = (used(&piece.repeat(1_000)), used(&piece.repeat(16_000)));
        assert!(large < 20 * small, "{piece:?}: {small} for 1,000, {large} for 16,000");
        assert!(large < 200 * 16_000 * piece.len() / 4, "{piece:?}: {large}");
    }
    // And the values are those of the oracle: the elements of all occurrences.
    let arena = Arena::new();
    let message = All::decode(&[0x8a, 0x01, 3, 0x22, 1, 7].repeat(16_000), &arena).unwrap();
    assert_eq!(message.leaf().data.len(), 16_000);
}

#[test]
fn huge_lengths_are_truncations() {
    for len in [1u64 << 31, (1 << 31) - 1, 1 << 32, 1 << 62, 1 << 63, u64::MAX] {
        for tag in
            [&[0x72][..], &[0x8a, 0x01], &[0x9a, 0x01], &[0xaa, 0x01], &[0xb2, 0x01], &[0xe2, 0x01], &[0xfa, 0x7d]]
        {
            let mut wire = tag.to_vec();
            let mut rest = len;
            while rest >= 0x80 {
                wire.push(rest as u8 | 0x80);
                rest >>= 7;
            }
            wire.push(rest as u8);
            assert!(fails(&wire).is_truncated(), "{len} {tag:?}");
        }
    }
}
