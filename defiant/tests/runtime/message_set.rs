//! Message sets: items in, items out.

use defiant::extension::OptionalMessage;
use defiant::{Arena, DecodeOptions, Extension, Message as _, UnknownValue};

use crate::messages::{Leaf, Set};

const LEAF: Extension<Set<'static>, OptionalMessage<Leaf<'static>>> = Extension::new(1000, "t.leaf");
/// Of a number that no ordinary field can have.
const LARGE: Extension<Set<'static>, OptionalMessage<Leaf<'static>>> = Extension::new(i32::MAX as u32, "t.large");

/// `1: { 2: 1000  3: { 1: x } }`, `x` zigzag.
fn item(x: u8) -> Vec<u8> {
    vec![0x0b, 0x10, 0xe8, 0x07, 0x1a, 2, 0x08, x, 0x0c]
}

#[track_caller]
fn reads(wire: &[u8], x: Option<i32>) {
    let arena = Arena::new();
    let set = Set::decode(wire, &arena).unwrap();
    assert_eq!(LEAF.get(&set, &arena).unwrap().map(|leaf| leaf.x), x);
    assert_eq!(LEAF.has(&set), x.is_some());
    let again = Set::decode(set.encode_in(&arena), &arena).unwrap();
    assert_eq!(set, again);
    assert_eq!(set.encoded_len(), set.encode_in(&arena).len());
}

#[test]
fn items_pass_through() {
    let arena = Arena::new();
    let wire = item(8);
    let set = Set::decode(&wire, &arena).unwrap();
    assert_eq!(set.encode_in(&arena), wire);
    reads(&wire, Some(4));
}

#[test]
fn the_plain_form_is_read_and_written_as_an_item() {
    let arena = Arena::new();
    let wire = [0xc2, 0x3e, 2, 0x08, 8];
    reads(&wire, Some(4));
    assert_eq!(Set::decode(&wire, &arena).unwrap().encode_in(&arena), item(8));
    // Both forms merge.
    reads(&[&wire[..], &item(6)].concat(), Some(3));
}

#[test]
fn what_counts_in_an_item() {
    for (wire, x) in [
        // The message before the type id.
        (&[0x0b, 0x1a, 2, 0x08, 8, 0x10, 0xe8, 0x07, 0x0c][..], Some(4)),
        // Fields that an item does not have, groups included.
        (&[0x0b, 0x20, 1, 0x10, 0xe8, 0x07, 0x2b, 0x30, 1, 0x2c, 0x1a, 2, 0x08, 8, 0x3d, 1, 2, 3, 4, 0x0c], Some(4)),
        // The first of two messages, and of two type ids.
        (&[0x0b, 0x10, 0xe8, 0x07, 0x1a, 2, 0x08, 8, 0x1a, 2, 0x08, 2, 0x0c], Some(4)),
        (&[0x0b, 0x10, 0xe8, 0x07, 0x10, 0x07, 0x1a, 2, 0x08, 8, 0x0c], Some(4)),
        (&[0x0b, 0x1a, 2, 0x08, 8, 0x1a, 2, 0x08, 2, 0x10, 0xe8, 0x07, 0x0c], Some(4)),
        // Without one of them, or without both, it is nothing.
        (&[0x0b, 0x10, 0xe8, 0x07, 0x0c], None),
        (&[0x0b, 0x1a, 2, 0x08, 8, 0x0c], None),
        (&[0x0b, 0x0c], None),
        // An empty message is one.
        (&[0x0b, 0x10, 0xe8, 0x07, 0x1a, 0, 0x0c], Some(0)),
    ] {
        reads(wire, x);
    }
}

#[test]
fn the_same_type_id_twice_merges_and_survives() {
    let arena = Arena::new();
    let label = [0x0b, 0x10, 0xe8, 0x07, 0x1a, 3, 0x12, 1, b'a', 0x0c];
    let wire = [&item(8)[..], &label, &item(2)].concat();
    let set = Set::decode(&wire, &arena).unwrap();
    assert_eq!(set.encode_in(&arena), wire);
    let leaf = LEAF.get(&set, &arena).unwrap().unwrap();
    assert_eq!((leaf.x, leaf.label), (1, Some("a")));
}

#[test]
fn other_fields_are_kept_as_they_are() {
    let arena = Arena::new();
    let wire = [&[0x20, 5][..], &item(8), &[0x2b, 0x08, 1, 0x2c, 0x0d, 1, 2, 3, 4]].concat();
    assert_eq!(Set::decode(&wire, &arena).unwrap().encode_in(&arena), wire);
    // Several in one span, the plain form among them.
    let mixed = [0x20, 5, 0xc2, 0x3e, 2, 0x08, 8, 0x28, 6, 0xc2, 0x3e, 2, 0x08, 2];
    let written = [&[0x20, 5][..], &item(8), &[0x28, 6], &item(2)].concat();
    assert_eq!(Set::decode(&mixed, &arena).unwrap().encode_in(&arena), written);
}

#[test]
fn setting_and_clearing() {
    let arena = Arena::new();
    let mut set = Set::default();
    for extension in [LEAF, LARGE] {
        extension.set(&mut set, &Leaf { x: 1, ..Leaf::default() }, &arena);
        extension.set(&mut set, &Leaf { x: 4, label: Some("four"), ..Leaf::default() }, &arena);
    }
    let wire = set.encode_in(&arena);
    assert_eq!(wire.len(), 2 * 15 + 3);
    let mut again = Set::decode(wire, &arena).unwrap();
    assert_eq!(again, set);
    for extension in [LEAF, LARGE] {
        let leaf = extension.get(&again, &arena).unwrap().unwrap();
        assert_eq!((leaf.x, leaf.label), (4, Some("four")));
        assert_eq!(again.unknown_fields.get(extension.number()).count(), 1);
        extension.clear(&mut again, &arena);
        assert!(!extension.has(&again));
    }
    assert!(again.encode_in(&arena).is_empty());
}

#[test]
fn a_message_set_is_a_message_like_others() {
    // In a group, and merged.
    let arena = Arena::new();
    let mut set = Set::decode(&item(8), &arena).unwrap();
    set.merge(&item(2), &arena).unwrap();
    assert_eq!(LEAF.get(&set, &arena).unwrap().unwrap().x, 1);
    let without = DecodeOptions::new().unknown_fields(false).decode::<Set<'_>>(&item(8), &arena).unwrap();
    assert!(without.unknown_fields.is_empty());
}

#[test]
fn malformed_items() {
    let arena = Arena::new();
    let wire = [
        &item(8)[..],
        &[0x0b, 0x1a, 3, 0x12, 1, b'a', 0x2b, 0x31, 1, 2, 3, 4, 5, 6, 7, 8, 0x2c, 0x10, 0xe8, 0x07, 0x0c],
    ]
    .concat();
    for len in 0..=wire.len() {
        let whole = len == 0 || len == 9 || len == wire.len();
        assert_eq!(Set::decode(&wire[..len], &arena).is_ok(), whole, "{len}");
        assert_eq!(Set::decode_borrowed(&wire[..len], &arena).is_ok(), whole, "{len}");
    }
    for (wire, text) in [
        (&[0x0b, 0x10, 0, 0x0c][..], "Set: invalid tag at byte 3"),
        (&[0x0b, 0x14, 0x0c], "Set field 1: end of a group that did not begin at byte 2"),
        (&[0x0c], "Set field 1: end of a group that did not begin at byte 1"),
        (&[0x0b, 0x1a, 9, 0x0c], "Set field 1: truncated at byte 2"),
    ] {
        assert_eq!(Set::decode(wire, &arena).unwrap_err().to_string(), text, "{wire:?}");
    }
    let limit = |options: DecodeOptions| options.decode::<Set<'_>>(&item(8), &arena);
    assert!(limit(DecodeOptions::new().recursion_limit(0)).unwrap_err().is_recursion_limit());
    assert!(limit(DecodeOptions::new().memory_limit(30)).unwrap_err().is_memory_limit());
    // The content is checked when it is asked for.
    let set = Set::decode(&[0x0b, 0x10, 0xe8, 0x07, 0x1a, 1, 0x08, 0x0c], &arena).unwrap();
    assert_eq!(LEAF.get(&set, &arena).unwrap_err().to_string(), "Set.[t.leaf]: Leaf.x: truncated at byte 4");
}

#[test]
fn items_are_only_of_message_sets() {
    let arena = Arena::new();
    let leaf = Leaf::decode(&item(8)[..0], &arena).unwrap();
    assert_eq!(leaf.unknown_fields.get(1000).next(), None);
    let set = Set::decode(&item(8), &arena).unwrap();
    assert_eq!(set.unknown_fields.get(1000).next(), Some(UnknownValue::LengthDelimited(&[0x08, 8])));
}
