//! Packed fields: borrowed where they can be, copied where they must be, and hostile ones.

use defiant::{Arena, DecodeOptions, Encoder, Message, UnknownFields};
use proptest::collection::vec;
use proptest::prelude::*;
use prost::Message as _;

use super::messages::{Color, Level};

messages! {
    #[derive(Clone, Copy, Debug, PartialEq, Message)]
    #[defiant(name = "t.Lists")]
    struct Lists<'arena> {
        #[defiant(double, repeated, tag = 1)]
        doubles: &'arena [f64],
        #[defiant(sfixed32, repeated, tag = 2)]
        words: &'arena [i32],
        #[defiant(sint32, repeated, tag = 3)]
        steps: &'arena [i32],
        #[defiant(bool, repeated, tag = 4)]
        flags: &'arena [bool],
        #[defiant(enumeration, repeated, tag = 5)]
        colors: &'arena [Color],
        #[defiant(enumeration, repeated, tag = 6)]
        levels: &'arena [Level],
        #[defiant(int64, repeated, tag = 7)]
        longs: &'arena [i64],
        #[defiant(unknown)]
        unknown_fields: UnknownFields<'arena>,
    }
}

#[derive(Clone, PartialEq, prost::Message)]
struct ProstLists {
    #[prost(double, repeated, tag = "1")]
    doubles: Vec<f64>,
    #[prost(sfixed32, repeated, tag = "2")]
    words: Vec<i32>,
    #[prost(sint32, repeated, tag = "3")]
    steps: Vec<i32>,
    #[prost(bool, repeated, tag = "4")]
    flags: Vec<bool>,
    #[prost(int32, repeated, tag = "5")]
    colors: Vec<i32>,
    #[prost(int32, repeated, tag = "6")]
    levels: Vec<i32>,
    #[prost(int64, repeated, tag = "7")]
    longs: Vec<i64>,
}

fn varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

/// A packed field as it stands on the wire.
fn field(number: u8, content: &[u8]) -> Vec<u8> {
    let mut wire = vec![number << 3 | 2];
    varint(&mut wire, content.len() as u64);
    wire.extend_from_slice(content);
    wire
}

/// A copy of `wire` that begins `at` bytes behind an address that eight divides, and its place in the memory.
fn placed(wire: &[u8], at: usize) -> (Vec<u8>, std::ops::Range<usize>) {
    let mut memory = vec![0; wire.len() + 16];
    let begin = memory.as_ptr().align_offset(8) + at;
    memory[begin..begin + wire.len()].copy_from_slice(wire);
    (memory, begin..begin + wire.len())
}

fn lies_in<T>(values: &[T], wire: &[u8]) -> bool {
    wire.as_ptr_range().contains(&values.as_ptr().cast())
}

#[test]
fn fixed_width_is_borrowed_where_it_is_aligned() {
    for count in [1, 2, 3, 50] {
        let doubles: Vec<f64> = (0..count).map(|index| f64::from(index) * 0.5).collect();
        let wire = field(1, &doubles.iter().flat_map(|double| double.to_le_bytes()).collect::<Vec<_>>());
        let head = wire.len() - 8 * doubles.len();
        for at in 0..8 {
            let (memory, range) = placed(&wire, at);
            let wire = &memory[range];
            let arena = Arena::new();
            let message = Lists::decode_borrowed(wire, &arena).unwrap();
            assert_eq!(message.doubles, doubles);
            assert_eq!(lies_in(message.doubles, wire), (at + head) % 8 == 0, "{count} at {at}");
            assert_eq!(message.encode_to_vec(), wire);
        }
    }
}

#[test]
fn a_second_run_is_copied_and_leaves_the_input_alone() {
    let run = field(2, &[1, 0, 0, 0, 2, 0, 0, 0]);
    for runs in 2..5 {
        let wire = run.repeat(runs);
        for at in 0..4 {
            let (memory, range) = placed(&wire, at);
            let arena = Arena::new();
            let message = Lists::decode_borrowed(&memory[range.clone()], &arena).unwrap();
            assert_eq!(message.words, [1, 2].repeat(runs));
            assert!(!lies_in(message.words, &memory[range.clone()]));
            assert_eq!(memory[range], wire);
        }
    }
    // What is merged into a message that borrows is copied too.
    let (memory, range) = placed(&run, 2);
    let arena = Arena::new();
    let first = Lists::decode_borrowed(&memory[range], &arena).unwrap();
    let mut both = first;
    both.merge(&run, &arena).unwrap();
    assert_eq!((first.words, both.words), (&[1, 2][..], &[1, 2, 1, 2][..]));
}

#[test]
fn a_large_field_is_not_copied_twice() {
    let doubles = vec![0.25; 1000];
    let wire = ProstLists { doubles, ..ProstLists::default() }.encode_to_vec();
    let arena = Arena::with_capacity(32_000);
    let message = Lists::decode(&wire, &arena).unwrap();
    assert_eq!(message.doubles, [0.25; 1000]);
    assert!(arena.used_bytes() < wire.len() + 100, "{}", arena.used_bytes());
    let arena = Arena::with_capacity(32_000);
    assert_eq!(Lists::decode_buf(&wire[..], &arena).unwrap().doubles, [0.25; 1000]);
    assert!(arena.used_bytes() < wire.len() + 100, "{}", arena.used_bytes());
    // The memory limit counts the copy.
    let options = DecodeOptions::new().memory_limit(wire.len());
    assert!(options.decode::<Lists<'_>>(&wire, &arena).unwrap_err().is_memory_limit());
}

#[test]
fn closed_enums_reject_numbers_in_bulk() {
    let mut content = Vec::new();
    let mut levels = Vec::new();
    let mut others = Vec::new();
    for index in 0..500_u64 {
        match index % 3 {
            0 => levels.push(Level::Low),
            1 => levels.push(Level::High),
            _ => others.push(if index % 2 == 0 { 7 } else { index << 40 | 3 }),
        }
        varint(
            &mut content,
            match index % 3 {
                0 => 1,
                1 => -2_i64 as u64,
                _ => others[others.len() - 1],
            },
        );
    }
    let wire = field(6, &content);
    let arena = Arena::new();
    for message in [Lists::decode(&wire, &arena).unwrap(), Lists::decode_borrowed(&wire, &arena).unwrap()] {
        assert_eq!(message.levels, levels);
        let mut unknown = Vec::new();
        for other in &others {
            unknown.push(6 << 3);
            varint(&mut unknown, *other);
        }
        assert_eq!(message.unknown_fields.spans().collect::<Vec<_>>().concat(), unknown);
    }
    let dropped: Lists<'_> = DecodeOptions::new().unknown_fields(false).decode(&wire, &arena).unwrap();
    assert_eq!((dropped.levels, dropped.unknown_fields.is_empty()), (&levels[..], true));
}

/// An error through every door, the same one.
fn fails(wire: &[u8]) -> String {
    let arena = Arena::new();
    let error = Lists::decode(wire, &arena).unwrap_err().to_string();
    assert_eq!(Lists::decode_borrowed(wire, &arena).unwrap_err().to_string(), error);
    assert_eq!(Lists::decode_buf(wire, &arena).unwrap_err().to_string(), error);
    error
}

#[test]
fn hostile_runs() {
    for before in [0, 5, 40, 100] {
        let run = |tail: &[u8]| [&vec![1; before][..], tail].concat();
        for number in [3, 4, 5, 6, 7] {
            // Cut in the middle of an element, at the end of the input and with a field behind it that would end it.
            for tail in [&[0x80][..], &[0xff, 0xff, 0xff], &[0x80; 9]] {
                let wire = field(number, &run(tail));
                assert!(fails(&wire).contains("truncated"));
                assert!(fails(&[&wire[..], &[0x08, 0x01, 0x10, 0x01]].concat()).contains("truncated"));
                assert!(fails(&[&wire[..], &[0x1a; 40]].concat()).contains("truncated"));
            }
            // Eleven bytes; 65 bits; and with more behind it.
            for tail in [&[&[0x80; 10][..], &[0]].concat(), &[&[0xff; 9][..], &[2]].concat()] {
                assert!(fails(&field(number, &run(tail))).contains("varint longer"));
                assert!(fails(&field(number, &[run(tail), vec![1; 90]].concat())).contains("varint longer"));
            }
        }
        // A length that the width does not divide.
        for extra in 1..8 {
            let wire = field(1, &vec![1; before * 8 + extra]);
            assert!(fails(&wire).contains("Lists.doubles: truncated"));
            assert!(fails(&[&wire[..], &[0; 20]].concat()).contains("Lists.doubles: truncated"));
        }
    }
    // Ten bytes, and more than are needed, are read.
    let content = [[0xff; 9].as_slice(), &[1], &[0x80; 9], &[0], &[0x81, 0x80, 0x00]].concat().repeat(9);
    let arena = Arena::new();
    let message = Lists::decode(&field(7, &content), &arena).unwrap();
    assert_eq!(message.longs, [-1, 0, 1].repeat(9));
    let message = Lists::decode(&field(4, &content), &arena).unwrap();
    assert_eq!(message.flags, [true, false, true].repeat(9));
}

#[test]
fn memory_is_asked_for_once_and_counted() {
    let wire = field(7, &[1; 1000]);
    let arena = Arena::with_capacity(32_000);
    let message = Lists::decode(&wire, &arena).unwrap();
    assert_eq!(message.longs, [1; 1000]);
    assert!(arena.used_bytes() < wire.len() + 8_000 + 100, "{}", arena.used_bytes());
    let options = DecodeOptions::new().memory_limit(8_000);
    assert!(options.decode::<Lists<'_>>(&wire, &arena).unwrap_err().is_memory_limit());
}

fn number() -> impl Strategy<Value = i64> {
    (any::<i64>(), 0u32..64).prop_map(|(value, shift)| value >> shift)
}

fn lists() -> impl Strategy<Value = ProstLists> {
    (
        vec(-1e9f64..1e9, 0..20),
        vec(any::<i32>(), 0..20),
        vec(number(), 0..150),
        vec(any::<bool>(), 0..150),
        vec(number(), 0..90),
        vec(prop_oneof![Just(1), Just(-2)], 0..90),
        vec(number(), 0..150),
    )
        .prop_map(|(doubles, words, steps, flags, colors, levels, longs)| ProstLists {
            doubles,
            words,
            steps: steps.into_iter().map(|step| step as i32).collect(),
            flags,
            colors: colors.into_iter().map(|color| color as i32).collect(),
            levels,
            longs,
        })
}

proptest! {
    #![proptest_config(crate::cases(60))]

    #[test]
    fn same_bytes_both_ways(expected in lists(), at in 0usize..8) {
        let arena = Arena::new();
        let (memory, range) = placed(&expected.encode_to_vec(), at);
        let wire = &memory[range];
        for message in [Lists::decode(wire, &arena).unwrap(), Lists::decode_borrowed(wire, &arena).unwrap()] {
            prop_assert_eq!(&ProstLists::decode(&message.encode_to_vec()[..]).unwrap(), &expected);
            prop_assert_eq!(message.encode_to_vec(), wire);
            prop_assert_eq!(message.encode_in(&arena), wire);
            prop_assert!(Encoder::with_capacity(3).encode(&message) == wire);
            prop_assert_eq!(message.encoded_len(), wire.len());
        }
    }

    #[test]
    fn cuts_and_damage_are_judged_alike(expected in lists(), at in any::<prop::sample::Index>(), byte: u8, cut: bool) {
        let arena = Arena::new();
        let mut wire = expected.encode_to_vec();
        prop_assume!(!wire.is_empty());
        let at = at.index(wire.len());
        if cut { wire.truncate(at) } else { wire[at] = byte }
        let ours = Lists::decode(&wire, &arena);
        prop_assert_eq!(ours.is_ok(), Lists::decode_borrowed(&wire, &arena).is_ok());
        if let (Ok(ours), Ok(theirs)) = (&ours, ProstLists::decode(&wire[..])) {
            // Levels that the closed enum does not have stand elsewhere.
            if ours.unknown_fields.is_empty() {
                prop_assert_eq!(ProstLists::decode(&ours.encode_to_vec()[..]).unwrap(), theirs);
            }
        } else {
            prop_assert!(cut || ours.is_err() || !ours.unwrap().unknown_fields.is_empty() || byte & 7 > 2);
        }
    }
}

/// Whether there is room for elements that the run does not have depends on what was read before, and on limits.
#[test]
fn a_cut_varint_is_that_whatever_room_there_is() {
    for number in 3..=7 {
        for before in 0..20 {
            for cut in [1, 4, 9, 10, 11, 30] {
                for values in [&[][..], &[1, 0]] {
                    let mut wire = Vec::new();
                    for _ in 0..before {
                        wire.extend([number << 3, 1]);
                    }
                    wire.extend(field(number, &[values, &vec![0xff; cut]].concat()));
                    let end = wire.len();
                    wire.extend([0xff; 24]);
                    for options in [DecodeOptions::new(), DecodeOptions::new().elements_limit(100)] {
                        let arena = Arena::new();
                        let error = options.decode::<Lists<'_>>(&wire, &arena).expect_err("cut off");
                        let found = error.to_string();
                        assert!(found.contains(&format!("truncated at byte {end}")), "{found}: {wire:x?}");
                    }
                }
            }
        }
    }
}
