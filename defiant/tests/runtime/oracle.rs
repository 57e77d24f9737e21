//! Values and bytes agree with prost's, for generated messages and for damaged ones.

use defiant::{Arena, Encoder, Message as _};
use proptest::collection::{btree_map, vec};
use proptest::option::of;
use proptest::prelude::*;
use prost::Message as _;

use super::messages::{All, ProstAll, ProstChoice, ProstLeaf};

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z]{0,40}", "\\PC{0,20}"]
}

/// prost leaves zero keys and values out of map entries; Google's implementations and Defiant write both.
fn entry_text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z]{1,40}", "\\PC{1,20}"]
}

fn leaf() -> BoxedStrategy<ProstLeaf> {
    let one = (any::<i32>(), of(text()), vec(any::<u64>(), 0..6), btree_map(1i32.., entry_text(), 0..4));
    let flat = one.prop_map(|(x, label, data, names)| ProstLeaf { x, label, data, names, next: None }).boxed();
    flat.prop_recursive(4, 8, 1, |inner| {
        (inner.clone(), inner).prop_map(|(outer, next)| ProstLeaf { next: Some(Box::new(next)), ..outer })
    })
    .boxed()
}

fn choice() -> impl Strategy<Value = ProstChoice> {
    prop_oneof![
        text().prop_map(ProstChoice::Text),
        leaf().prop_map(ProstChoice::Leaf),
        any::<i64>().prop_map(ProstChoice::Number),
        prop_oneof![Just(1), Just(-2)].prop_map(ProstChoice::Level),
    ]
}

pub(crate) fn message() -> impl Strategy<Value = ProstAll> {
    let scalars = (any::<[i32; 4]>(), any::<[i64; 2]>(), any::<[u32; 2]>(), of(any::<u64>()), of(any::<u64>()));
    let floats = (-1e9f32..1e9, of(-1e9f64..1e9), any::<bool>(), of(any::<i64>()));
    let texts = (text(), vec(any::<u8>(), 0..40), vec(text(), 0..5), vec(vec(any::<u8>(), 0..20), 0..4), of(text()));
    let lists = (
        vec(any::<i32>(), 0..40),
        vec(any::<i64>(), 0..6),
        vec(any::<u32>(), 0..9),
        vec(-1e9f64..1e9, 0..5),
        vec(any::<bool>(), 0..30),
        vec(any::<i32>(), 0..4),
    );
    let nested = (of(leaf()), of(leaf()), vec(leaf(), 0..6), vec(leaf(), 0..9), of(leaf()), of(choice()));
    let maps = (
        btree_map(entry_text(), 1i64.., 0..6),
        btree_map(..0i32, leaf().prop_map(|leaf| ProstLeaf { x: leaf.x | 1, ..leaf }), 0..4),
    );
    (scalars, floats, texts, lists, nested, maps).prop_map(|(scalars, floats, texts, lists, nested, maps)| ProstAll {
        int32: scalars.0[0],
        sint32: scalars.0[1],
        sfixed32: scalars.0[2],
        color: scalars.0[3],
        sint64: scalars.1[0],
        sfixed64: scalars.1[1],
        uint32: scalars.2[0],
        fixed32: scalars.2[1],
        uint64: scalars.3,
        fixed64: scalars.4,
        float: floats.0,
        double: floats.1,
        bool: floats.2,
        int64: floats.3,
        string: texts.0,
        bytes: texts.1,
        strings: texts.2,
        blobs: texts.3,
        far: texts.4,
        packed: lists.0,
        unpacked: lists.1,
        fixed: lists.2,
        doubles: lists.3,
        bools: lists.4,
        colors: lists.5,
        leaf: nested.0,
        group: nested.1,
        leaves: nested.2,
        groups: nested.3,
        inline: nested.4,
        choice: nested.5,
        counts: maps.0,
        places: maps.1,
    })
}

/// Three modes give the same result; what they give is encoded alike through every door.
fn decode_all_ways<'a>(wire: &'a [u8], arena: &'a Arena) -> Result<All<'a>, String> {
    let copied = All::decode(wire, arena).map_err(|error| error.to_string());
    let borrowed = All::decode_borrowed(wire, arena).map_err(|error| error.to_string());
    let pieces = All::decode_buf(Pieces(wire), arena).map_err(|error| error.to_string());
    // Compared as text, where NaN is equal to itself.
    assert_eq!(format!("{copied:?}"), format!("{borrowed:?}"));
    assert_eq!(format!("{copied:?}"), format!("{pieces:?}"));
    if let Ok(message) = &copied {
        let bytes = message.encode_to_vec();
        assert_eq!(message.encoded_len(), bytes.len());
        assert_eq!(message.encode_in(arena), bytes);
        assert_eq!(Encoder::new().encode(message), bytes);
        let mut buf = Vec::new();
        message.encode(&mut buf).unwrap();
        assert_eq!(buf, bytes);
    }
    copied
}

/// A buffer of one-byte pieces.
struct Pieces<'a>(&'a [u8]);

impl bytes::Buf for Pieces<'_> {
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

proptest! {
    #![proptest_config(crate::cases(40))]

    #[test]
    fn same_bytes_both_ways(expected in message()) {
        let arena = Arena::new();
        let wire = prost::Message::encode_to_vec(&expected);
        let message = decode_all_ways(&wire, &arena).unwrap();
        let bytes = defiant::Message::encode_to_vec(&message);
        let again = ProstAll::decode(&bytes[..]).unwrap();
        prop_assert_eq!(&again, &expected);
        for threshold in [1, 4, 20] {
            let mut encoder = defiant::Encoder::new().vectored_threshold(threshold);
            let pieces = encoder.encode_vectored(&message);
            prop_assert_eq!(pieces.len(), bytes.len());
            prop_assert_eq!(pieces.iter().collect::<Vec<_>>().concat(), &bytes[..]);
        }
        prop_assert_eq!(bytes, wire);
    }

    #[test]
    fn parsing_a_then_b_is_merging(a in message(), b in message()) {
        let arena = Arena::new();
        let (a, b) = (prost::Message::encode_to_vec(&a), prost::Message::encode_to_vec(&b));
        let both = [&a[..], &b[..]].concat();
        let parsed = decode_all_ways(&both, &arena).unwrap();
        let mut merged = All::decode(&a, &arena).unwrap();
        let before = merged;
        merged.merge(&b, &arena).unwrap();
        prop_assert_eq!(merged, parsed);
        prop_assert_eq!(before, All::decode(&a, &arena).unwrap());
        let expected = prost::Message::encode_to_vec(&ProstAll::decode(&both[..]).unwrap());
        prop_assert_eq!(defiant::Message::encode_to_vec(&parsed), expected);
    }

    #[test]
    fn damage_is_judged_alike(expected in message(), damage in vec((any::<prop::sample::Index>(), any::<u8>()), 1..4)) {
        let arena = Arena::new();
        let mut wire = prost::Message::encode_to_vec(&expected);
        prop_assume!(!wire.is_empty());
        for (index, byte) in &damage {
            let at = index.index(wire.len());
            wire[at] = *byte;
        }
        let mut found = false;
        let _ = odd(&mut &wire[..], Kind::All, None, &mut found);
        if found {
            return Ok(());
        }
        let ours = decode_all_ways(&wire, &arena);
        let theirs = ProstAll::decode(&wire[..]);
        match (ours, theirs) {
            (Ok(ours), Ok(theirs)) => {
                // Unknown fields and unknown numbers of the closed enum are kept here and dropped there.
                let again = ProstAll::decode(&defiant::Message::encode_to_vec(&ours)[..]).unwrap();
                if !format!("{theirs:?}").contains("Level(") {
                    prop_assert_eq!(format!("{again:?}"), format!("{theirs:?}"));
                }
            }
            (Err(_), Err(_)) => {}
            // prost takes tags of more than five bytes, takes the end of a group in a map's entry for a field, and skips
            // a field with a wrong wire type only if unknown.
            (Err(error), Ok(_)) => {
                prop_assert!(error.contains("invalid tag") || error.contains("end of a group"), "{}", error);
            }
            (Ok(_), Err(error)) => prop_assert!(error.to_string().contains("wire type"), "{}", error),
        }
    }

    #[test]
    fn arbitrary_bytes_are_judged_without_panic(wire in vec(any::<u8>(), 0..200)) {
        let _ = decode_all_ways(&wire, &Arena::new());
    }

}

proptest! {
    #![proptest_config(crate::cases(4))]

    #[test]
    fn every_truncation_agrees(expected in message()) {
        let mut arena = Arena::new();
        let wire = prost::Message::encode_to_vec(&expected);
        for end in 0..wire.len() {
            let ours = decode_all_ways(&wire[..end], &arena);
            prop_assert_eq!(ours.is_ok(), ProstAll::decode(&wire[..end]).is_ok(), "{}: {:?}", end, ours);
            arena.reset();
        }
    }
}

/// The varint that a wire begins with, taken off it.
fn varint(wire: &mut &[u8]) -> Option<u64> {
    let mut value = 0u64;
    for index in 0..10 {
        let (&byte, rest) = wire.split_first()?;
        *wire = rest;
        value |= u64::from(byte & 0x7f) << (7 * index);
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

/// What a length-delimited field or a group is.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    All,
    Leaf,
    Entry,
    Other,
}

/// Finds out whether a map's number stands with another wire type: prost takes it for an entry all the same, and what
/// follows for its length.
fn odd(wire: &mut &[u8], kind: Kind, group: Option<u64>, found: &mut bool) -> Option<()> {
    while !wire.is_empty() {
        let key = varint(wire)?;
        let (number, wire_type) = (key >> 3, key & 7);
        if wire_type == 4 {
            return (group == Some(number)).then_some(());
        }
        let map = matches!((kind, number), (Kind::All, 28 | 29) | (Kind::Leaf, 5));
        if map && wire_type != 2 {
            *found = true;
        }
        let child = match (kind, number) {
            (Kind::All, 17 | 18 | 19 | 20 | 31 | 41) | (Kind::Leaf, 3) => Kind::Leaf,
            (Kind::All, 29) => Kind::Entry,
            (Kind::Entry, 2) => Kind::Leaf,
            _ => Kind::Other,
        };
        match wire_type {
            0 => drop(varint(wire)?),
            1 => *wire = wire.get(8..)?,
            5 => *wire = wire.get(4..)?,
            2 => {
                let len = varint(wire)? as usize;
                let mut inner = wire.get(..len)?;
                *wire = &wire[len..];
                if child != Kind::Other {
                    odd(&mut inner, child, None, found)?;
                }
            }
            3 => odd(wire, child, Some(number), found)?,
            _ => return None,
        }
    }
    group.is_none().then_some(())
}
