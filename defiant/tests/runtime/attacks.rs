//! The classic attacks, and memory that is refused: an error comes back, and costs grow no faster than the input.

use std::panic::{AssertUnwindSafe, catch_unwind};

use defiant::{Arena, DecodeError, DecodeOptions, Encoder, Message};

use super::messages::{All, Leaf};
use crate::allocator::{Count, Refuse, count, refusing};

/// A varint.
pub(crate) fn varint(mut value: u64) -> Vec<u8> {
    let mut out = Vec::new();
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
    out
}

/// A length-delimited field.
pub(crate) fn field(number: u32, content: &[u8]) -> Vec<u8> {
    [&varint(u64::from(number) << 3 | 2), &varint(content.len() as u64)[..], content].concat()
}

/// A wire with a field of every kind.
pub(crate) fn everything() -> Vec<u8> {
    let leaf = [&[8, 3, 0x12, 1, b'x'][..], &field(4, &[1, 0x80, 1]), &field(5, &[8, 1, 0x12, 1, b'y'])].concat();
    let group = |number: u64, inner: &[u8]| [&varint(number << 3 | 3), inner, &varint(number << 3 | 4)].concat();
    let mut wire = [vec![8, 1, 0x10, 2, 0x3d, 1, 2, 3, 4, 0x41, 1, 2, 3, 4, 5, 6, 7, 8], field(14, b"text")].concat();
    for _ in 0..2 {
        for (number, content) in [
            (15, &b"bytes"[..]),
            (17, &leaf),
            (19, &leaf),
            (19, &[]),
            (21, b"one"),
            (22, &[1, 0x80, 2]),
            (23, &[1, 2]),
            (24, &[1, 2, 3, 4]),
            (26, &[1, 0]),
            (27, &[1, 9]),
            (28, &[0x0a, 1, b'k', 0x10, 1]),
            (28, &[0x0a, 1, b'a', 0x10, 2]),
            (29, &[&[8, 1][..], &field(2, &leaf)].concat()),
            (30, b"blob"),
            (31, &leaf),
            (41, &leaf),
            (2100, b"far"),
            (3000, b"unknown"),
        ] {
            wire.extend(field(number, content));
        }
        wire.extend(group(18, &leaf));
        wire.extend(group(20, &leaf));
        wire.extend(group(3001, &[8, 1]));
    }
    wire
}

/// Memory that a decode takes, of the machine and of the arena.
fn cost(wire: &[u8]) -> Count {
    count(|| {
        let arena = Arena::new();
        let _ = All::decode(wire, &arena);
        let _ = All::decode_borrowed(wire, &arena);
        let mut message = All::default();
        let _ = message.merge(wire, &arena);
        let _ = message.merge(wire, &arena);
    })
    .1
}

/// Sixteen times the input takes no more than twenty times the memory, and few more allocations.
#[track_caller]
fn is_linear(name: &str, wire: impl Fn(usize) -> Vec<u8>) {
    let (few, many) = if cfg!(miri) { (20, 320) } else { (1_000, 16_000) };
    let (small, large) = (cost(&wire(few)), cost(&wire(many)));
    assert_eq!((small.held, large.held), (0, 0), "{name}");
    assert!(large.peak <= 20 * small.peak, "{name}: {small:?} for {few}, {large:?} for {many}");
    // Chunks double, so their number grows with the logarithm.
    assert!(large.allocations <= small.allocations + 40, "{name}: {small:?} for {few}, {large:?} for {many}");
}

#[test]
fn costs_are_linear() {
    let group = |number: u64| [varint(number << 3 | 3), varint(number << 3 | 4)].concat();
    is_linear("a sub-message of five bytes again and again", |n| field(17, &[0x12, 1, b'a']).repeat(n));
    is_linear("elements of no bytes", |n| field(19, &[]).repeat(n));
    is_linear("groups of no bytes", |n| group(20).repeat(n));
    is_linear("lists that take turns", |n| [field(19, &[]), field(21, b""), vec![0xb0, 1, 5]].concat().repeat(n));
    is_linear("one key again and again", |n| field(28, &[0x0a, 1, b'k', 0x10, 1]).repeat(n));
    is_linear("keys that begin alike", |n| {
        (0..n).flat_map(|index| field(28, &field(1, format!("{}{index:08}", "k".repeat(40)).as_bytes()))).collect()
    });
    is_linear("keys in descending order", |n| {
        (0..n).rev().flat_map(|index| field(29, &[&[8][..], &varint(index as u64)].concat())).collect()
    });
    is_linear("entries without a key", |n| field(29, &[]).repeat(n));
    is_linear("unknown groups", |n| group(3000).repeat(n));
    is_linear("unknown fields between known ones", |n| [field(3000, b"u"), vec![8, 1]].concat().repeat(n));
    is_linear("unknown fields with overlong tags", |n| [0xf0, 0xff, 0x80, 0x00, 1].repeat(n));
    is_linear("members of a oneof that take turns", |n| [field(41, &[8, 1]), field(40, b"x")].concat().repeat(n));
    is_linear("packed runs of one element", |n| field(22, &[1]).repeat(n));
    is_linear("a mistake at the end", |n| [field(19, &[]).repeat(n), vec![0]].concat());
    is_linear("a string that is not one at the end", |n| [field(21, b"").repeat(n), vec![0xaa, 1, 9]].concat());
}

#[test]
fn groups_nest_no_deeper_than_the_limit_wherever_they_are() {
    let arena = Arena::new();
    let nest = |depth: usize, begin: &[u8], end: &[u8]| [begin.repeat(depth), end.repeat(depth)].concat();
    for depth in [99, 100, 101, 50_000] {
        let group = nest(depth, &[0xfb, 0x7d], &[0xfc, 0x7d]);
        // Skipped, and in a message, a map's entry, a group, and a skipped field's group.
        for (wire, levels) in [
            (group.clone(), depth),
            (field(17, &group), depth + 1),
            (field(28, &group), depth + 1),
            ([&[0x93, 1][..], &group, &[0x94, 1]].concat(), depth + 1),
            ([&[0xeb, 0x7d][..], &group, &[0xec, 0x7d]].concat(), depth + 1),
        ] {
            let good = levels <= 100;
            for keep in [true, false] {
                let decoded = DecodeOptions::new().unknown_fields(keep).decode::<All<'_>>(&wire, &arena);
                assert_eq!(decoded.is_ok(), good, "{depth}");
                assert!(good || decoded.is_err_and(|error| error.is_recursion_limit()));
            }
        }
    }
}

fn fails(wire: &[u8]) -> DecodeError {
    let arena = Arena::new();
    let error = All::decode(wire, &arena).unwrap_err();
    let borrowed = All::decode_borrowed(wire, &arena).unwrap_err();
    assert_eq!((error.to_string(), error.offset()), (borrowed.to_string(), borrowed.offset()), "{wire:02x?}");
    assert_eq!(arena.used_bytes(), 0, "what failed is given back: {wire:02x?}");
    error
}

#[test]
fn tags_that_are_none() {
    for number in [0u64, 1 << 29, 1 << 30, 1 << 40, 1 << 60] {
        for wire_type in 0..8 {
            let tag = varint(number << 3 | wire_type);
            for content in [&[][..], &[0; 12]] {
                let error = fails(&[&[8, 1][..], &tag, content].concat());
                assert!(error.to_string().contains("tag") || error.is_truncated(), "{number} {wire_type}: {error}");
            }
        }
    }
    // Field number 0 in all that is skipped or entered.
    for wire in [
        field(17, &[0, 0]),
        field(28, &[0, 0]),
        vec![0x93, 1, 0, 0, 0x94, 1],
        vec![0xfb, 0x7d, 0, 0, 0xfc, 0x7d],
        vec![0xfb, 0x7d, 0x06, 0, 0xfc, 0x7d],
    ] {
        assert!(fails(&wire).to_string().contains("invalid tag"), "{wire:02x?}");
    }
    // Five bytes are enough for any tag; ten are too many, the tag of a field included.
    for len in 2..10 {
        let mut tag = vec![0x88; 1];
        tag.resize(len - 1, 0x80);
        let wire = [&tag[..], &[0, 1]].concat();
        let arena = Arena::new();
        assert_eq!(All::decode(&wire, &arena).is_ok(), len <= 5, "{len} bytes");
    }
}

#[test]
fn groups_that_end_where_they_must_not() {
    for (wire, what) in [
        (vec![0x0c], "an end alone"),
        (vec![8, 1, 0xfc, 0x7d], "the end of an unknown group"),
        (field(17, &[0x0c]), "in a message"),
        (field(28, &[0x0c]), "in an entry"),
        (vec![0x93, 1, 0xa4, 1], "another group's end"),
        (vec![0xfb, 0x7d, 0x0c], "another group's end in an unknown one"),
        (vec![0xfb, 0x7d], "no end of an unknown group"),
        (vec![0x93, 1], "no end of a known group"),
        (vec![0xa3, 1, 8], "the input's end in a group"),
        ([field(17, &[0x93, 1]), vec![0x94, 1]].concat(), "an end behind the message that it began in"),
    ] {
        let error = fails(&wire).to_string();
        let good = error.contains("end of a group") || error.contains("truncated");
        assert!(good, "{what}: {error}");
    }
}

#[test]
fn varints_of_too_many_bits() {
    let long = |last: u8| [vec![0xff; 9], vec![last]].concat();
    // A number, a bool, an enum, a packed element, an unknown number, a length, a length of a packed field.
    for prefix in [&[0x08][..], &[0x68], &[0x80, 1], &[0xb0, 1], &[0xf8, 0x7d]] {
        let arena = Arena::new();
        assert!(All::decode(&[prefix, &long(1)].concat(), &arena).is_ok(), "{prefix:02x?}");
        for last in [2, 3, 0x7f, 0x80, 0xff] {
            let wire = [prefix, &long(last), &[0; 3]].concat();
            assert!(fails(&wire).to_string().contains("varint"), "{prefix:02x?} {last:02x}");
        }
    }
    for number in [14, 17, 19, 22, 24, 28, 3000] {
        for last in [1, 2, 0x7f, 0xff] {
            let error = fails(&[&varint(number << 3 | 2), &long(last)[..], &[0; 3]].concat());
            assert!(error.is_truncated() || error.to_string().contains("varint"), "{number} {last:02x}: {error}");
        }
    }
    assert!(fails(&field(22, &long(2))).to_string().contains("varint"));
}

#[test]
fn packed_fields_that_end_in_an_element() {
    for (number, width) in [(22, 0), (23, 0), (24, 4), (25, 8), (26, 0), (27, 0)] {
        for elements in [1usize, 2, 3, 7, 16, 63, 64, 65, 200] {
            let whole = if width == 0 { [0x81, 1].repeat(elements) } else { vec![1; width * elements] };
            let arena = Arena::new();
            assert!(All::decode(&field(number, &whole), &arena).is_ok(), "{number}: {elements}");
            for cut in 1..if width == 0 { 2 } else { width } {
                // Cut with its length, and with a length that promises more.
                let short = &whole[..whole.len() - cut];
                assert!(fails(&field(number, short)).is_truncated(), "{number}: {elements} less {cut}");
                let lying = field(number, &whole);
                assert!(fails(&lying[..lying.len() - cut]).is_truncated(), "{number}: {elements} less {cut}");
            }
        }
    }
}

#[test]
fn invalid_utf8_at_every_position() {
    let lens = if cfg!(miri) { 30..34 } else { 1..150 };
    for len in lens {
        for at in 0..len {
            let mut text = vec![b'a'; len];
            text[at] = 0xff;
            for wire in [field(14, &text), field(21, &text), field(28, &field(1, &text)), field(40, &text)] {
                assert!(fails(&wire).is_invalid_utf8(), "byte {at} of {len}");
            }
            // A character that is cut short by another, or by the end.
            text[at] = 0xe2;
            let error = fails(&field(14, &text));
            assert!(error.is_invalid_utf8() && error.offset() >= 2, "byte {at} of {len}");
        }
    }
}

/// Runs it with every allocation refused in turn, until none is. What it returns and whether it panics is up to it; it
/// leaves nothing behind.
#[track_caller]
pub(crate) fn refuse_each(name: &str, least: usize, run: impl Fn() -> Result<(), bool>) {
    assert_eq!(run(), Ok(()), "{name} with all memory");
    let mut outcomes = 0;
    for kind in [Refuse::One, Refuse::AllFrom] {
        for nth in 0..1000 {
            let ((result, refused), counted) = count(|| refusing(kind(nth), least, &run));
            assert_eq!(counted.held, 0, "{name}: {:?} leaks", kind(nth));
            if !refused {
                assert!(result.is_ok(), "{name}: {:?}", kind(nth));
                break;
            }
            if let Err(is_memory) = result {
                assert!(is_memory, "{name}: {:?} is another error", kind(nth));
                outcomes += 1;
            }
            assert!(nth < 999, "{name} has no end");
        }
    }
    assert!(outcomes > 0, "{name}: nothing was refused");
}

fn memory(error: DecodeError) -> bool {
    error.is_memory_limit()
}

#[test]
fn refused_memory_is_an_error_of_every_decode() {
    let wire = everything();
    refuse_each("decode", 0, || All::decode(&wire, &Arena::new()).map(|_| ()).map_err(memory));
    refuse_each("decode_borrowed", 0, || All::decode_borrowed(&wire, &Arena::new()).map(|_| ()).map_err(memory));
    refuse_each("decode_buf", 0, || {
        All::decode_buf(crate::doors::Bytewise(&wire), &Arena::new()).map(|_| ()).map_err(memory)
    });
    refuse_each("merge", 0, || {
        let arena = Arena::new();
        let mut message = All::decode(&wire, &arena).map_err(memory)?;
        let before = message;
        message.merge(&wire, &arena).map_err(|error| {
            assert_eq!(message, before, "a merge that failed");
            memory(error)
        })
    });
    // Each allocation takes a decode of its own, and Miri long for each.
    let pieces = if cfg!(miri) { 10 } else { 500 };
    let many = [field(19, &[8, 1]), field(28, &[0x0a, 1, b'k'])].concat().repeat(pieces);
    refuse_each("chunk after chunk", 0, || All::decode(&many, &Arena::new()).map(|_| ()).map_err(memory));
}

#[test]
fn refused_memory_while_an_error_is_made() {
    // The error itself takes memory. Where there is none for it, that is what it says.
    for wire in [field(17, &field(2, &[0xff])), field(19, &[8]), vec![0], field(28, &[0xf8])] {
        let expected = fails(&wire).to_string();
        for nth in 0..20 {
            let (_, counted) = count(|| {
                let decode = || All::decode(&wire, &Arena::new()).map(|_| ());
                let error = refusing(Refuse::AllFrom(nth), 0, decode).0.unwrap_err();
                let text = error.to_string();
                // Without memory for its path, an error is shorter.
                let reason = text.rsplit(": ").next().unwrap();
                assert!(error.is_memory_limit() || expected.ends_with(reason), "{text} for {expected}");
            });
            assert_eq!(counted.held, 0, "{expected}: leaks without the allocations from {nth} on");
        }
    }
}

#[test]
fn refused_memory_of_doors_out() {
    let arena = Arena::new();
    let wire = everything();
    let message = All::decode(&wire, &arena).unwrap();
    let bytes = message.encode_to_vec();
    // These have no error to give: they panic, as they say, and leave nothing behind.
    let quietly = |run: &dyn Fn()| {
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| {}));
        let outcome = catch_unwind(AssertUnwindSafe(run));
        std::panic::set_hook(hook);
        outcome
    };
    for nth in 0..4 {
        let arena = Arena::new();
        let (outcome, refused) =
            refusing(Refuse::One(nth), 200, || quietly(&|| assert_eq!(message.encode_in(&arena), bytes)));
        assert_eq!(outcome.is_err(), refused, "{nth}");
        // The arena is as good as before.
        assert_eq!(message.encode_in(&arena), bytes);
    }
    let small = Arena::new();
    small.set_limit(Some(16));
    assert!(quietly(&|| assert!(message.encode_in(&small).is_empty())).is_err());
    small.set_limit(None);
    assert_eq!(message.encode_in(&small), bytes);
    // An encoder that has its memory asks for none.
    let mut encoder = Encoder::new();
    assert_eq!(encoder.encode(&message), bytes);
    let (same, _) = refusing(Refuse::AllFrom(0), 0, || encoder.encode(&message) == bytes);
    assert!(same);
}

#[test]
fn an_arena_without_any_memory() {
    let arena = Arena::new();
    arena.set_limit(Some(0));
    assert!(Leaf::decode(&[8, 1], &arena).unwrap_err().is_memory_limit());
    assert!(Leaf::decode(&[], &arena).unwrap_err().is_memory_limit());
    // The tail of a borrowed input is copied; nothing has no tail.
    assert!(Leaf::decode_borrowed(&[8, 1], &arena).unwrap_err().is_memory_limit());
    assert!(Leaf::decode_borrowed(&[], &arena).is_ok());
    assert_eq!(arena.held_bytes(), 0);
}

/// Whether a decode with these options is all right, by all doors alike.
pub(crate) fn passes(options: DecodeOptions, wire: &[u8]) -> Result<(), String> {
    let arena = Arena::new();
    let mut frame = varint(wire.len() as u64);
    frame.extend(wire);
    let mut message = All::default();
    let doors = [
        options.decode::<All<'_>>(wire, &arena).map(|_| ()),
        options.decode_borrowed::<All<'_>>(wire, &arena).map(|_| ()),
        options.decode_buf::<All<'_>>(crate::doors::Bytewise(wire), &arena).map(|_| ()),
        options.decode_length_delimited::<All<'_>>(&frame, &arena).map(|_| ()),
        options.merge(&mut message, wire, &arena),
    ];
    let texts = doors.map(|door| {
        door.map_err(|error| match error.is_elements_limit() {
            // They are counted for as many as are known to follow, and that is known sooner where the input is padded.
            true => error.to_string().split(" at byte").next().unwrap_or_default().to_owned(),
            false => error.to_string(),
        })
    });
    assert!(texts.iter().all(|text| *text == texts[0]), "{texts:?}");
    texts[0].clone()
}

#[test]
fn limits_at_their_edges() {
    let wire = everything();
    let size = |bytes| passes(DecodeOptions::new().size_limit(bytes), &wire);
    assert_eq!(size(wire.len() - 1), Err("longer than the size limit at byte 0".to_owned()));
    assert_eq!((size(wire.len()), size(wire.len() + 1), size(usize::MAX)), (Ok(()), Ok(()), Ok(())));
    assert!(passes(DecodeOptions::new().size_limit(0), &[]).is_ok());

    // Unknown fields of all messages count together: in a message, a group, a map's value; a tag that was overlong as it is
    // kept; a value of a closed enum.
    let inside = [&[0x30, 1][..], &[0x38, 2]].concat();
    let wire = [
        field(17, &inside),
        [&[0x93, 1][..], &inside, &[0x94, 1]].concat(),
        field(29, &field(2, &inside)),
        vec![0xf0, 0xff, 0x80, 0x00, 1],
        vec![0xd8, 0x02, 5],
        field(3000, b"unknown"),
    ]
    .concat();
    let kept = 4 + 4 + 4 + 4 + 3 + 10;
    let unknown = |bytes| passes(DecodeOptions::new().unknown_fields_limit(bytes), &wire);
    assert!(unknown(kept - 1).is_err_and(|text| text.contains("more unknown fields than the limit")));
    assert_eq!((unknown(kept), unknown(kept + 1), unknown(usize::MAX)), (Ok(()), Ok(()), Ok(())));
    let dropped = DecodeOptions::new().unknown_fields(false).unknown_fields_limit(0);
    assert_eq!(passes(dropped, &wire), Ok(()));
    assert_eq!(passes(DecodeOptions::new().unknown_fields_limit(0), &[8, 1]), Ok(()));
}
