//! Truncated and altered payloads. `cargo run --release -p benchmarks -- hostile` does more of it.

use benchmarks::datasets::Dataset;
use benchmarks::hostile::{Category, Tally, flips, inputs, truncations};
use benchmarks::oracle::facts;

fn sound(what: &str, tally: &Tally) {
    println!("{what}: {tally}");
    assert!(tally.wrong.is_empty(), "{what}: {tally}");
    assert_eq!(tally.cases, tally.accepted + tally.rejected + tally.explained.values().sum::<u64>());
}

#[test]
fn message1_cut_off_at_every_byte() {
    for dataset in [Dataset::Message1Proto2, Dataset::Message1Proto3] {
        let tally = truncations(dataset, 0..=228);
        sound(dataset.name(), &tally);
        assert_eq!(tally.cases, 229);
    }
}

#[test]
fn message2_cut_off() {
    let len = Dataset::Message2.payload().len();
    let ends = (0..2000).chain((2000..len - 2000).step_by(37)).chain(len - 2000..=len);
    sound("google_message2", &truncations(Dataset::Message2, ends));
}

#[test]
fn message1_with_every_byte_changed_to_every_other_value() {
    for dataset in [Dataset::Message1Proto2, Dataset::Message1Proto3] {
        let tally = flips(dataset, 0..228, |_, _| true);
        sound(dataset.name(), &tally);
        assert_eq!(tally.cases, 228 * 255);
    }
}

#[test]
fn message2_with_some_bytes_changed() {
    let chosen = |position: usize, value: u8| usize::from(value) == position % 251;
    sound("google_message2", &flips(Dataset::Message2, (0..Dataset::Message2.payload().len()).step_by(97), chosen));
}

#[test]
fn a_missing_required_field_is_explained() {
    let tally = truncations(Dataset::Message1Proto2, [0]);
    assert_eq!(tally.explained.get(&Category::MissingRequired), Some(&1), "{tally}");
    let tally = truncations(Dataset::Message1Proto3, [0]);
    assert_eq!(tally.accepted, 1, "{tally}");
}

#[test]
fn a_payload_twice_is_merged_the_same() {
    for dataset in Dataset::ALL {
        let twice = [dataset.payload(), dataset.payload()].concat();
        let tally = inputs(dataset, &[&twice]);
        sound(dataset.name(), &tally);
        assert_eq!(tally.accepted, 1, "{tally}");
    }
}

#[test]
fn malformed_by_hand() {
    let malformed: [&[u8]; 10] = [
        &[0x00, 1],                                                       // field number 0
        &[0x0e, 0],                                                       // wire type 6
        &[0x0a, 1, 0xff],                                                 // not UTF-8
        &[0x0a, 3, 0xed, 0xa0, 0x80],                                     // a surrogate
        &[0x10, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2], // more than 64 bits
        &[0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f],    // a length beyond memory
        &[0xa3, 0x3f, 0x9c, 0x3f],                                        // a group closed by another
        &[0xa3, 0x3f],                                                    // a group left open
        &[0xa4, 0x3f],                                                    // a group never opened
        &[0x7a, 1, 0x10],                                                 // a sub-message cut off
    ];
    let tally = inputs(Dataset::Message1Proto3, &malformed);
    sound("malformed", &tally);
    assert_eq!(tally.rejected, 10, "{tally}");
}

#[test]
fn odd_but_well_formed_by_hand() {
    let odd: [&[u8]; 6] = [
        &[0x90, 0x80, 0x80, 0x80, 0x00, 1], // field 2, five bytes of tag
        &[0x10, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1], // -1
        &[0x10, 0xff, 0xff, 0xff, 0xff, 0x7f], // an int32 of 35 bits
        &[0x60, 2],                         // a bool of 2
        &[0x2a, 8, 1, 2, 3, 4, 5, 6, 7, 8, 0x29, 1, 2, 3, 4, 5, 6, 7, 8], // packed and not
        &[0xa3, 0x3f, 0x10, 1, 0xa3, 0x3f, 0xa4, 0x3f, 0xa4, 0x3f, 0x18, 0x07], // unknown groups
    ];
    let tally = inputs(Dataset::Message1Proto3, &odd);
    sound("odd", &tally);
    assert_eq!(tally.accepted, 6, "{tally}");

    let tally = inputs(Dataset::Message1Proto3, &[&[0x90, 0x80, 0x80, 0x80, 0x80, 0x00, 1]]);
    sound("six bytes of tag", &tally);
    assert_eq!(tally.explained.get(&Category::OverlongTag), Some(&1), "{tally}");
}

#[test]
fn the_third_opinion() {
    for dataset in Dataset::ALL {
        let payload = dataset.payload();
        let whole = facts(dataset, payload);
        assert!(whole.well_formed && !whole.missing_required && !whole.overlong_tag && !whole.other_wire_type);
        assert_eq!(whole.declared, payload);
        assert!(!facts(dataset, &payload[..payload.len() - 1]).well_formed);
    }
    let of_one = |wire: &[u8]| facts(Dataset::Message1Proto3, wire);
    assert!(of_one(&[0x0d, 1, 2, 3, 4]).other_wire_type, "field 1 is text, not a fixed32");
    assert_eq!(of_one(&[0x0d, 1, 2, 3, 4, 0x10, 1]).declared, [0x10, 1]);
    assert!(of_one(&[0x7a, 2, 0x0a, 0]).other_wire_type_below, "field 1 of field 15 is an int32");
    assert!(of_one(&[0x90, 0x80, 0x80, 0x80, 0x80, 0x00, 1]).overlong_tag);
    assert!(!of_one(&[0x90, 0x80, 0x80, 0x80, 0x00, 1]).overlong_tag);
    assert!(!of_one(&[0x00, 1]).well_formed && !of_one(&[0x0c]).well_formed && !of_one(&[0x0e]).well_formed);
}
