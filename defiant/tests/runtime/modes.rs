//! Doors, options and the arena.

use std::future::Future as _;

use defiant::{Arena, DecodeOptions, Encoder, Map, Message};

use super::messages::{All, Choice, Color, Leaf};

fn sample(arena: &Arena) -> All<'_> {
    let leaf = Leaf { x: -4, label: Some("hällo"), data: &[1, 300], ..Leaf::default() };
    All {
        string: "text",
        color: Color::Green,
        leaf: Some(arena.alloc(leaf)),
        leaves: arena.alloc_slice_copy(&[leaf, Leaf::default(), leaf]),
        counts: Map::new(arena, [("b", 2), ("a", 1)]),
        choice: Some(Choice::Leaf(arena.alloc(leaf))),
        ..All::default()
    }
}

#[test]
fn length_delimited_frames_follow_each_other() {
    let arena = Arena::new();
    let message = sample(&arena);
    let mut stream = Vec::new();
    message.encode_length_delimited(&mut stream).unwrap();
    let mut encoder = Encoder::new();
    stream.extend_from_slice(encoder.encode_length_delimited(&message));
    let (first, used) = All::decode_length_delimited(&stream, &arena).unwrap();
    let (second, rest) = All::decode_length_delimited(&stream[used..], &arena).unwrap();
    assert_eq!((first, second), (message, message));
    assert_eq!(used + rest, stream.len());
    for end in 0..used {
        assert!(All::decode_length_delimited(&stream[..end], &arena).unwrap_err().is_truncated(), "{end}");
    }
    assert!(!All::decode_length_delimited(&[0xff; 12], &arena).unwrap_err().is_truncated());
    assert!(All::decode_length_delimited(&[0xff, 0xff, 0xff, 0xff, 0x07], &arena).unwrap_err().is_truncated());
    // No more input would help.
    for wire in [&[0x80, 0x80, 0x80, 0x80, 0x08][..], &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]] {
        let error = All::decode_length_delimited(wire, &arena).unwrap_err();
        assert!(error.is_size_limit() && !error.is_truncated(), "{error}");
    }
    let options = DecodeOptions::new().size_limit(used);
    assert_eq!(options.decode_length_delimited(&stream, &arena).unwrap(), (message, used));
    let small = DecodeOptions::new().size_limit(100);
    assert!(small.decode_length_delimited::<All<'_>>(&[101], &arena).unwrap_err().is_size_limit());
    assert!(small.decode_length_delimited::<All<'_>>(&[100], &arena).unwrap_err().is_truncated());
}

#[test]
fn a_small_buffer_is_an_error_and_stays_empty() {
    let arena = Arena::new();
    let message = sample(&arena);
    let mut room = [0u8; 10];
    let error = message.encode(&mut &mut room[..]).unwrap_err();
    assert_eq!((error.required(), error.remaining()), (message.encoded_len(), 10));
    assert_eq!(room, [0; 10]);
}

#[test]
fn borrowed_strings_point_into_the_input() {
    let arena = Arena::new();
    let wire = sample(&arena).encode_to_vec();
    let message = All::decode_borrowed(&wire, &arena).unwrap();
    let range = wire.as_ptr_range();
    assert!(range.contains(&message.string.as_ptr()));
    assert!(range.contains(&message.leaf().label().as_ptr()));
    // The last bytes, which the cursor reads from a copy, too.
    let wire = Leaf { label: Some("end"), ..Leaf::default() }.encode_to_vec();
    let leaf = Leaf::decode_borrowed(&wire, &arena).unwrap();
    assert!(wire.as_ptr_range().contains(&leaf.label().as_ptr()));
}

#[test]
fn encoding_grows_and_reuses() {
    let mut arena = Arena::new();
    let long = "x".repeat(5_000);
    let mut encoder = Encoder::with_capacity(8);
    for size in [0, 1, 7, 15, 16, 17, 31, 33, 63, 65, 100, 1_000, 5_000] {
        let message = All { string: &long[..size], fixed32: 7, ..All::default() };
        let bytes = message.encode_to_vec();
        assert_eq!(encoder.encode(&message), bytes);
        assert_eq!(message.encode_in(&arena), bytes);
        assert_eq!(message.encode_in(&arena), bytes);
        assert_eq!(All::decode(&bytes, &arena).unwrap(), message);
        arena.reset();
    }
}

#[test]
fn unknown_fields_are_kept_byte_for_byte() {
    let arena = Arena::new();
    let full = sample(&arena).encode_to_vec();
    // A leaf knows fields 1 to 5 only, of other types.
    let wire = [&full[..], &[0x83, 0x7d, 0x08, 0x01, 0x84, 0x7d], &[0xa0, 0x06, 0x96, 0x01]].concat();
    let leaf = Leaf::decode(&wire, &arena).unwrap();
    assert_eq!(leaf.unknown_fields.byte_len(), wire.len());
    assert_eq!(leaf.encode_to_vec(), wire);
    assert_eq!(leaf.unknown_fields, Leaf::decode_borrowed(&wire, &arena).unwrap().unknown_fields);
    assert_ne!(leaf.unknown_fields, Leaf::decode(&full, &arena).unwrap().unknown_fields);
    let dropped: Leaf<'_> = DecodeOptions::new().unknown_fields(false).decode(&wire, &arena).unwrap();
    assert!(dropped.unknown_fields.is_empty());
    // Interrupted by known fields, spans are joined in order.
    let leaf = Leaf::decode(&[0x30, 1, 0x08, 2, 0x38, 3], &arena).unwrap();
    assert_eq!(leaf.x, 1);
    assert_eq!(leaf.unknown_fields.spans().collect::<Vec<_>>(), [&[0x30, 1], &[0x38, 3]]);
    // An overlong tag is written as it should be.
    let leaf = Leaf::decode(&[0xb0, 0x00, 1], &arena).unwrap();
    assert_eq!(leaf.encode_to_vec(), [0x30, 1]);
}

#[test]
fn closed_enums_send_unknown_numbers_to_the_unknown_fields() {
    use super::messages::Level;
    let arena = Arena::new();
    // choice.level = 5, then 1.
    let message = All::decode(&[0xd8, 0x02, 5], &arena).unwrap();
    assert_eq!(message.choice, None);
    assert_eq!(message.encode_to_vec(), [0xd8, 0x02, 5]);
    let message = All::decode(&[0xd8, 0x02, 1, 0xd8, 0x02, 5], &arena).unwrap();
    assert_eq!(message.choice, Some(Choice::Level(Level::Low)));
    assert_eq!(Level::try_from(5).unwrap_err().0, 5);
    assert_eq!(i32::from(Level::High), -2);
    assert_eq!(Level::from_str_name("HIGH"), Some(Level::High));
    assert_eq!(format!("{:?} {:?}", Color::Green, Color(9)), "Green Color(9)");
}

#[test]
fn maps_take_the_last_of_equal_keys_and_missing_halves() {
    let arena = Arena::new();
    // places (29): {1: x=1}, {}, {1: x=2}, with an unknown field in the entry.
    let wire = [&[0xea, 0x01, 6, 8, 1, 18, 2, 8, 2][..], &[0xea, 0x01, 0], &[0xea, 0x01, 8, 8, 1, 18, 2, 8, 4, 24, 1]]
        .concat();
    let message = All::decode(&wire, &arena).unwrap();
    assert_eq!(message.places.iter().map(|(key, leaf)| (*key, leaf.x)).collect::<Vec<_>>(), [(0, 0), (1, 2)]);
    assert_eq!(message.places.get(&1).map(|leaf| leaf.x), Some(2));
    // Merging adds to a map without touching the original.
    let mut merged = message;
    merged.merge(&[0xea, 0x01, 4, 8, 3, 18, 0, 0xea, 0x01, 2, 8, 0], &arena).unwrap();
    assert_eq!(merged.places.iter().map(|entry| entry.0).collect::<Vec<_>>(), [0, 1, 3]);
    assert_eq!(message.places.len(), 2);
}

#[test]
fn warm_arenas_do_not_grow() {
    let mut arena = Arena::new();
    let wire = {
        let arena = Arena::new();
        sample(&arena).encode_to_vec()
    };
    let cycle = |arena: &mut Arena| {
        let message = All::decode(&wire, arena).unwrap();
        assert_eq!(message.encode_in(arena), wire);
        arena.reset();
        arena.held_bytes()
    };
    for _ in 0..3 {
        cycle(&mut arena);
    }
    let held = arena.held_bytes();
    for _ in 0..100 {
        assert_eq!(cycle(&mut arena), held);
    }
}

#[test]
fn messages_are_send_sync_and_small() {
    fn check<T: Send + Sync + Copy>() {}
    check::<All<'_>>();
    assert_eq!(size_of::<defiant::UnknownFields<'_>>(), size_of::<usize>());
    assert_eq!(size_of::<Map<'_, &str, Leaf<'_>>>(), size_of::<usize>());
}

#[test]
fn futures_that_hold_an_arena_and_a_message_are_send() {
    fn check<T: Send>(value: T) -> T {
        value
    }
    async fn socket(bytes: &[u8]) -> usize {
        std::future::ready(bytes.len()).await
    }
    let request = async {
        let mut arena = Arena::new();
        let message = All::decode(&[0x72, 1, b'x'], &arena).unwrap();
        let reply = All { int32: 1, ..message };
        let sent = socket(reply.encode_in(&arena)).await;
        assert_eq!(message.string, "x");
        arena.reset();
        sent
    };
    let mut request = std::pin::pin!(check(request));
    let mut task = std::task::Context::from_waker(std::task::Waker::noop());
    assert_eq!(request.as_mut().poll(&mut task), std::task::Poll::Ready(5));
}
