//! Lengths near the limits of the format and of addresses: announced by the wire, and of messages that are encoded.
//!
//! Miri runs these tests with addresses of 32 bits and big-endian as well (`.ci/miri`). Nothing large is allocated.

use std::panic::{AssertUnwindSafe, catch_unwind};

use bytes::Buf as _;
use defiant::frame::{FrameBuffer, FrameOptions};
use defiant::{Arena, DecodeOptions, Encoder, Message};

use super::attacks::{everything, field, varint};
use super::messages::{All, Leaf};

/// The most bytes that a message may take.
const MOST: usize = i32::MAX as usize;

/// Numbers beside those where the types end that a length may be held in.
fn lengths() -> Vec<u64> {
    let ends = [1 << 31, 1 << 32, 1 << 63, isize::MAX as u64, usize::MAX as u64, u64::MAX];
    let mut lengths: Vec<u64> =
        ends.iter().flat_map(|end| (0..4).map(move |below| end.wrapping_sub(2).wrapping_add(below))).collect();
    // Where a position and the length wrap around to a small address.
    lengths.extend((1..40).step_by(6).map(|less| (usize::MAX as u64).wrapping_sub(less)));
    lengths.retain(|length| *length > 1 << 30);
    lengths
}

type Enclose = Box<dyn Fn(&[u8]) -> Vec<u8>>;

#[test]
fn lengths_that_are_announced_are_errors() {
    // Length-delimited fields of each kind, an unknown one, and fields in a map's entry, a message, and groups.
    let numbers: &[u64] = if cfg!(miri) {
        &[14, 17, 22, 24, 28, 3000]
    } else {
        &[14, 15, 17, 19, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 41, 2100, 3000]
    };
    let tags: Vec<_> = numbers.iter().map(|number| varint(number << 3 | 2)).collect();
    let inner = |begin: Vec<u8>| move |wire: &[u8]| [&begin, wire].concat();
    let enclosures: [Enclose; 6] = [
        Box::new(<[u8]>::to_vec),
        // The key of an entry, and its value.
        Box::new(|wire| field(28, &[&[0x0a], wire].concat())),
        Box::new(|wire| field(29, &[&[0x12], wire].concat())),
        Box::new(inner(varint(18 << 3 | 3))),
        Box::new(inner(varint(20 << 3 | 3))),
        Box::new(inner(varint(3001 << 3 | 3))),
    ];
    for length in lengths() {
        for tail in if cfg!(miri) { &[40][..] } else { &[0, 1, 40][..] } {
            let tail = vec![1; *tail];
            let none = [vec![]];
            for (index, enclose) in enclosures.iter().enumerate() {
                for tag in if (1..3).contains(&index) { &none[..] } else { &tags[..] } {
                    let wire = enclose(&[tag, &varint(length)[..], &tail].concat());
                    let arena = Arena::new();
                    assert!(All::decode(&wire, &arena).is_err(), "{length}: {wire:?}");
                    assert!(All::decode_borrowed(&wire, &arena).is_err(), "{length}: {wire:?}");
                    assert!(All::decode_buf(wire[..1].chain(&wire[1..]), &arena).is_err(), "{length}: {wire:?}");
                    assert!(arena.held_bytes() < 1 << 16);
                    if cfg!(miri) && index > 0 {
                        break;
                    }
                }
            }
        }
    }
}

#[test]
fn frames_that_are_announced_take_no_memory() {
    for length in lengths() {
        let prefix = varint(length);
        for max_len in [usize::MAX, isize::MAX as usize, MOST, 1 << 20] {
            let mut frames = FrameBuffer::new(FrameOptions::new().max_len(max_len));
            match frames.next(&mut &prefix[..]) {
                Ok(frame) => {
                    assert!(frame.is_none() && length <= max_len as u64, "{length}, {max_len}");
                    assert!(frames.missing() as u64 == length && frames.finish().is_err());
                }
                Err(error) => assert!(error.is_oversized(), "{length}, {max_len}: {error}"),
            }
            let arena = Arena::new();
            let error = All::decode_length_delimited(&prefix, &arena).unwrap_err();
            assert!(error.is_truncated() || error.is_size_limit() || length > MOST as u64, "{length}: {error}");
            #[cfg(feature = "std")]
            {
                use defiant::frame::{ElementReader, FrameReader};
                let options = FrameOptions::new().max_len(max_len);
                let error = FrameReader::new(&prefix[..], options).read::<All<'_>>(&arena).unwrap_err();
                assert!(error.is_truncated() || error.is_oversized(), "{length}, {max_len}: {error}");
                let stream = [&varint(300 << 3 | 2)[..], &prefix].concat();
                let error = ElementReader::new(&stream[..], 300, options).read::<All<'_>>(&arena).unwrap_err();
                assert!(error.is_truncated() || error.is_oversized(), "{length}, {max_len}: {error}");
            }
            assert!(arena.held_bytes() < 1 << 18, "{length}, {max_len}: {}", arena.held_bytes());
        }
    }
}

#[test]
fn limits_may_be_any_number() {
    let wire = everything();
    let arena = Arena::new();
    let accepts = |options: DecodeOptions| options.decode::<All<'_>>(&wire, &arena).map(|_| ());
    let larger = [usize::MAX, u32::MAX as usize, MOST + 1, MOST, MOST - 1, isize::MAX as usize, usize::MAX - 1];
    for large in larger.into_iter().take(if cfg!(miri) { 3 } else { 7 }) {
        let options = DecodeOptions::new();
        for options in [
            options.size_limit(large),
            options.memory_limit(large),
            options.elements_limit(large),
            options.string_limit(large),
            options.unknown_fields_limit(large),
        ] {
            assert_eq!(accepts(options).map_err(|error| error.to_string()), Ok(()), "{large}");
        }
    }
    let exact = DecodeOptions::new().size_limit(wire.len());
    assert!(accepts(exact).is_ok());
    assert!(accepts(DecodeOptions::new().size_limit(wire.len() - 1)).is_err_and(|error| error.is_size_limit()));
    if cfg!(miri) {
        return;
    }
    // Elements: the least number that is enough is found, and one less is not.
    let enough = (0..1000).find(|most| accepts(DecodeOptions::new().elements_limit(*most)).is_ok()).expect("fewer");
    assert!(accepts(DecodeOptions::new().elements_limit(enough - 1)).is_err_and(|error| error.is_elements_limit()));
}

/// Bytes of the text that messages refer to many times.
const TEXT: usize = 1 << 24;

/// The text. So large that Miri has not much to do with the references to it.
fn text() -> String {
    "x".repeat(TEXT)
}

/// A message of `len` bytes: references to the text, each of which takes a tag of two bytes and a length of four on the wire,
/// and a part of the text with a tag of one byte and a length of four.
fn of_len<'a>(len: usize, text: &'a [u8], arena: &'a Arena) -> All<'a> {
    const EACH: usize = TEXT + 6;
    let rest = (len - 5) % EACH;
    assert!(rest >= 1 << 21, "a length of four bytes");
    let blobs = arena.vec_from_iter((0..(len - 5) / EACH).map(|_| text)).into_slice();
    All { bytes: &text[..rest], blobs, ..All::default() }
}

#[test]
fn the_longest_message_is_encoded_and_no_longer_one() {
    let (text, arena) = (text(), Arena::new());
    let text = text.as_bytes();
    let longest = of_len(MOST, text, &arena);
    assert_eq!(longest.encoded_len(), MOST);
    let mut encoder = Encoder::new();
    assert_eq!(encoder.encode_vectored(&longest).len(), MOST);
    assert_eq!(encoder.encode_vectored_length_delimited(&longest).len(), MOST + 5);
    let remaining = longest.encode(&mut &mut [0; 10][..]).unwrap_err();
    assert_eq!((remaining.required(), remaining.remaining(), remaining.is_size_limit()), (MOST, 10, false));

    let longer = of_len(MOST + 1, text, &arena);
    assert_eq!(longer.encoded_len(), MOST + 1);
    is_refused(&longer);
}

#[test]
fn lengths_do_not_wrap_around() {
    let (text, arena) = (text(), Arena::new());
    // Slightly more than 4 GiB, and with it in a nested message.
    let blobs = arena.vec_from_iter((0..256).map(|_| text.as_bytes())).into_slice();
    let all = All { blobs, ..All::default() };
    let len = 256 * (TEXT as u64 + 6);
    match usize::try_from(len) {
        Ok(len) => assert_eq!(all.encoded_len(), len),
        Err(_) => assert!(catch_unwind(AssertUnwindSafe(|| all.encoded_len())).is_err()),
    }
    is_refused(&all);
    let leaf = Leaf { label: Some(&text), ..Leaf::default() };
    let leaves = arena.vec_from_iter((0..256).map(|_| leaf)).into_slice();
    is_refused(&All { leaves, ..All::default() });
}

/// Encoding is an error where there are errors, and a panic where there are none; nothing is written.
fn is_refused(message: &All<'_>) {
    const WHY: &str = "the message takes more than the 2147483647 bytes that a message may take";
    let mut vec = Vec::new();
    let mut array = [0; 100];
    for error in [
        message.encode(&mut vec).unwrap_err(),
        message.encode_length_delimited(&mut vec).unwrap_err(),
        message.encode(&mut &mut array[..]).unwrap_err(),
    ] {
        assert!(error.is_size_limit() && !error.is_recursion_limit());
        assert_eq!(error.to_string(), WHY);
    }
    assert_eq!((vec.len(), vec.capacity() < 1 << 20), (0, true));
    let mut encoder = Encoder::new();
    let mut panics = |run: &mut dyn FnMut(&mut Encoder)| {
        let panic = catch_unwind(AssertUnwindSafe(|| run(&mut encoder))).expect_err("a panic");
        assert_eq!(*panic.downcast::<String>().expect("a text"), WHY);
    };
    panics(&mut |_| drop(message.encode_to_vec()));
    panics(&mut |encoder| _ = encoder.encode_vectored(message));
    panics(&mut |encoder| _ = encoder.encode_vectored_length_delimited(message));
    #[cfg(feature = "std")]
    {
        let mut writer = defiant::frame::FrameWriter::new(Vec::new());
        assert!(writer.write(message).unwrap_err().as_encode_error().is_some());
        assert!(writer.into_inner().expect("a vector takes all").is_empty());
    }
    assert_eq!(encoder.encode_vectored(&Leaf { x: 1, ..Leaf::default() }).len(), 2, "the encoder goes on");
}
