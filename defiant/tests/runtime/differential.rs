//! Messages optimized for code size against the same ones optimized for speed: values, bytes, errors and limits.

use std::fmt::Debug;

use defiant::{Arena, DecodeOptions, Encoder, Lazy, Message, UnknownFields};
use proptest::collection::vec;
use proptest::prelude::*;
use prost::Message as _;

use crate::code_size::lazy as small_lazy;
use crate::code_size::messages as small;
use crate::code_size::whole as small_whole;
use crate::lazy as fast_lazy;
use crate::messages as fast;
use crate::oracle::message;
use crate::whole as fast_whole;

/// The message in pieces.
fn pieces<'a, M: Message<'a>>(message: &M) -> String {
    let mut seen = String::new();
    for threshold in [1, 3, 40] {
        let mut encoder = Encoder::new().vectored_threshold(threshold);
        let pieces: Vec<_> = encoder.encode_vectored(message).iter().map(|piece| format!("{piece:02x?}")).collect();
        seen += &pieces.join(" ");
    }
    seen + &format!("{:02x?}", Encoder::new().encode_vectored_length_delimited(message).iter().collect::<Vec<_>>())
}

/// Everything that can be seen of decoding this wire: the result through each door, its bytes, and the result of
/// decoding it into `earlier`.
fn seen<'a, M: Message<'a> + Debug>(
    wire: &'a [u8],
    earlier: &'a [u8],
    options: DecodeOptions,
    arena: &'a Arena,
) -> Vec<String> {
    let mut seen = Vec::new();
    let doors: [Result<M, _>; 3] = [
        options.decode(wire, arena),
        options.decode_borrowed(wire, arena),
        options.decode_buf(crate::doors::Bytewise(wire), arena),
    ];
    for door in doors {
        seen.push(match door {
            Ok(message) => {
                let bytes = message.encode_to_vec();
                let (len, pieces) = (message.encoded_len(), pieces(&message));
                format!("{message:?} {bytes:02x?} {len} {:02x?} {pieces}", message.encode_in(arena))
            }
            Err(error) => format!("{error} {}", error.offset()),
        });
    }
    if let Ok(mut merged) = options.decode::<M>(earlier, arena) {
        let outcome = options.merge(&mut merged, wire, arena).map_err(|error| error.to_string());
        seen.push(format!("{outcome:?} {merged:?} {:02x?}", merged.encode_to_vec()));
    }
    seen
}

/// Both kinds of a message give the same, with these options, too.
macro_rules! agree {
    ($fast:ty, $small:ty, $wire:expr, $earlier:expr) => {{
        let (wire, earlier): (&[u8], &[u8]) = ($wire, $earlier);
        let options = DecodeOptions::new();
        for options in [
            options,
            options.unknown_fields(false),
            options.recursion_limit(2),
            options.memory_limit(2 * wire.len() + 200),
        ] {
            let (one, other) = (Arena::new(), Arena::new());
            let fast = seen::<$fast>(wire, earlier, options, &one);
            let small = seen::<$small>(wire, earlier, options, &other);
            assert_eq!(fast, small, "{options:?} {wire:02x?}");
            assert_eq!(one.used_bytes(), other.used_bytes(), "{options:?} {wire:02x?}");
        }
    }};
}

#[track_caller]
fn agree(wire: &[u8], earlier: &[u8]) {
    agree!(fast::All<'_>, small::All<'_>, wire, earlier);
}

#[track_caller]
fn agree_lazily(wire: &[u8], earlier: &[u8]) {
    agree!(fast_lazy::Sluggish<'_>, small_lazy::Sluggish<'_>, wire, earlier);
}

/// Messages that are read at once move to a copy of the input's tail later than others, so they take another amount of
/// memory.
#[track_caller]
fn agree_but_for_memory(wire: &[u8], earlier: &[u8]) {
    let options = DecodeOptions::new();
    for options in [options, options.unknown_fields(false), options.recursion_limit(0), options.recursion_limit(1)] {
        let (one, other) = (Arena::new(), Arena::new());
        let fast = seen::<fast_whole::Shape<'_>>(wire, earlier, options, &one);
        let small = seen::<small_whole::Shape<'_>>(wire, earlier, options, &other);
        assert_eq!(fast, small, "{options:?} {wire:02x?}");
    }
}

/// Whatever is refused for want of memory, the copy of the input's tail included, the same field is said to be at fault.
#[test]
fn every_memory_limit() {
    let wire = [
        &[0x08, 1, 0x72, 3, b'a', b'b', b'c', 0x9a, 0x01, 4, 0x12, 2, b'h', b'i'][..],
        &[0xf2, 0x01, 2, 5, 6, 0xf2, 0x01, 1, 7, 0xe2, 0x01, 5, 0x0a, 1, b'k', 0x10, 1],
        &[0xb2, 0x01, 3, 1, 2, 3, 0xc0, 0x02, 7],
    ]
    .concat();
    for limit in 0..3 * wire.len() {
        let options = DecodeOptions::new().memory_limit(limit);
        let (one, other) = (Arena::new(), Arena::new());
        let fast = seen::<fast::All<'_>>(&wire, &[], options, &one);
        assert_eq!(fast, seen::<small::All<'_>>(&wire, &[], options, &other), "{limit}");
    }
    // The copy of the tail: the last field read is to blame, and not the last of the message.
    let wire = [&[0x08, 1].repeat(30)[..], &[0x18, 7]].concat();
    let error =
        DecodeOptions::new().memory_limit(0).decode_borrowed::<fast::All<'_>>(&wire, &Arena::new()).unwrap_err();
    assert_eq!((&error.to_string()[..9], error.is_memory_limit()), ("All.int32", true));
}

/// One field with a number and wire type that may fit, and a value that may not.
fn field() -> impl Strategy<Value = Vec<u8>> {
    let number = prop_oneof![0u32..50, 2095u32..2105, Just((1 << 29) - 1), any::<u32>()];
    let value = vec(prop_oneof![0u8..8, any::<u8>()], 0..12);
    (number, 0u32..8, value, 0usize..4).prop_map(|(number, wire_type, value, overlong)| {
        let mut wire = Vec::new();
        let mut tag = number << 3 | wire_type;
        while tag >= 0x80 {
            wire.push(tag as u8 | 0x80);
            tag >>= 7;
        }
        wire.push(tag as u8);
        if overlong == 0 {
            *wire.last_mut().unwrap() |= 0x80;
            wire.push(0);
        }
        if wire_type == 2 {
            wire.push(value.len() as u8);
        }
        wire.extend(value);
        wire
    })
}

proptest! {
    #![proptest_config(crate::cases(60))]

    #[test]
    fn valid_wires(a in message(), b in message()) {
        let (a, b) = (a.encode_to_vec(), b.encode_to_vec());
        agree(&a, &b);
        agree(&[&a[..], &b].concat(), &a);
    }

    #[test]
    fn damaged_wires(a in message(), damage in vec((any::<prop::sample::Index>(), any::<u8>()), 1..4)) {
        let mut wire = a.encode_to_vec();
        prop_assume!(!wire.is_empty());
        let whole = wire.clone();
        for (index, byte) in &damage {
            let at = index.index(wire.len());
            wire[at] = *byte;
        }
        agree(&wire, &whole);
        let (cut, _) = damage[0];
        agree(&whole[..cut.index(whole.len())], &wire);
    }

    #[test]
    fn fields_that_fit_and_that_do_not(fields in vec(field(), 0..20), earlier in message()) {
        agree(&fields.concat(), &earlier.encode_to_vec());
    }

    #[test]
    fn messages_of_fixed_width(
        a in fast_whole::wire(),
        b in fast_whole::wire(),
        at in any::<prop::sample::Index>(),
        byte: u8,
    ) {
        agree_but_for_memory(&a, &b);
        let mut damaged = [&a[..], &b].concat();
        agree_but_for_memory(&damaged, &a);
        prop_assume!(!damaged.is_empty());
        let at = at.index(damaged.len());
        agree_but_for_memory(&damaged[..at], &a);
        damaged[at] = byte;
        agree_but_for_memory(&damaged, &a);
    }

    #[test]
    fn lazy_messages(a in fast_lazy::wire(), b in fast_lazy::wire(), at in any::<prop::sample::Index>(), byte: u8) {
        agree_lazily(&a, &b);
        let mut damaged = [&a[..], &b].concat();
        agree_lazily(&damaged, &a);
        prop_assume!(!damaged.is_empty());
        let at = at.index(damaged.len());
        agree_lazily(&damaged[..at], &a);
        damaged[at] = byte;
        agree_lazily(&damaged, &a);
    }
}

#[test]
fn one_byte_of_a_tag_after_the_other() {
    for first in 0..=0xff {
        for second in 0..=0xff {
            agree(&[first, second, 0, 1, 2, 3, 4, 5, 6, 7], &[]);
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Message)]
#[defiant(optimize_for = "speed")]
struct FastParent<'arena> {
    #[defiant(message, tag = 1)]
    one: Option<&'arena small::Leaf<'arena>>,
    #[defiant(message, repeated, tag = 2)]
    many: &'arena [small::Leaf<'arena>],
    #[defiant(group, inline, tag = 3)]
    inline: Option<small::Leaf<'arena>>,
    #[defiant(map = "int32, message", tag = 4)]
    map: defiant::Map<'arena, i32, small::Leaf<'arena>>,
    #[defiant(message, lazy, tag = 5)]
    lazy: Option<Lazy<'arena, small::Leaf<'arena>>>,
    #[defiant(message, repeated, lazy, tag = 6)]
    lazies: &'arena [Lazy<'arena, small::Leaf<'arena>>],
    #[defiant(oneof, tags = "40, 41, 42, 43")]
    choice: Option<small::Choice<'arena>>,
    #[defiant(unknown)]
    unknown_fields: UnknownFields<'arena>,
}

#[derive(Clone, Copy, Debug, PartialEq, Message)]
#[defiant(name = "FastParent", optimize_for = "code_size")]
struct SmallParent<'arena> {
    #[defiant(message, tag = 1)]
    one: Option<&'arena fast::Leaf<'arena>>,
    #[defiant(message, repeated, tag = 2)]
    many: &'arena [fast::Leaf<'arena>],
    #[defiant(group, inline, tag = 3)]
    inline: Option<fast::Leaf<'arena>>,
    #[defiant(map = "int32, message", tag = 4)]
    map: defiant::Map<'arena, i32, fast::Leaf<'arena>>,
    #[defiant(message, lazy, tag = 5)]
    lazy: Option<Lazy<'arena, fast::Leaf<'arena>>>,
    #[defiant(message, repeated, lazy, tag = 6)]
    lazies: &'arena [Lazy<'arena, fast::Leaf<'arena>>],
    #[defiant(oneof, tags = "40, 41, 42, 43")]
    choice: Option<fast::Choice<'arena>>,
    #[defiant(unknown)]
    unknown_fields: UnknownFields<'arena>,
}

#[test]
fn one_kind_holds_the_other() {
    let leaf = [0x08, 3, 0x12, 1, b'x', 0x1a, 2, 0x08, 5];
    let delimited = |tag: &[u8]| [tag, &[leaf.len() as u8], &leaf].concat();
    let entry = delimited(&[0x08, 7, 0x12]);
    let wire = [
        delimited(&[0x0a]),
        delimited(&[0x12]),
        delimited(&[0x12]),
        [&[0x1b][..], &leaf, &[0x1c]].concat(),
        [&[0x22, entry.len() as u8][..], &entry].concat(),
        delimited(&[0x2a]),
        delimited(&[0x32]),
        delimited(&[0x32]),
        delimited(&[0xca, 0x02]),
        vec![0x50, 1],
    ]
    .concat();
    let (one, other) = (Arena::new(), Arena::new());
    let whole = [&wire[..], &wire].concat();
    for end in 0..=whole.len() {
        let options = DecodeOptions::new();
        let fast = seen::<FastParent<'_>>(&whole[..end], &wire, options, &one);
        let small = seen::<SmallParent<'_>>(&whole[..end], &wire, options, &other);
        // The names alone differ.
        let plain = |texts: Vec<String>| texts.join("\n").replace("SmallParent", "FastParent");
        assert_eq!(plain(fast), plain(small));
    }
    let fast = FastParent::decode(&wire, &one).unwrap();
    assert_eq!(fast.encode_to_vec(), wire);
    assert_eq!((fast.one.unwrap().x, fast.many.len(), fast.map.len()), (-2, 2, 1));
    assert_eq!((fast.lazy(&one).unwrap().x, fast.lazies.len()), (-2, 2));
    let small = SmallParent::decode(&wire, &other).unwrap();
    assert_eq!((small.lazy(&other).unwrap().x, small.lazies[1].get(&other).unwrap().x), (-2, -2));
    let message_of_the_oneof = matches!(fast.choice, Some(small::Choice::Leaf(leaf)) if leaf.next().x == -3);
    assert!(message_of_the_oneof);
}

/// More required fields than bits in a word, not in the order of the struct.
macro_rules! required {
    ($name:ident, $how:literal, $($field:ident $number:literal,)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Message)]
        #[defiant(name = "t.Required", optimize_for = $how)]
        struct $name<'arena> {
            $(#[defiant(uint32, required, tag = $number)] $field: u32,)*
            #[defiant(unknown)]
            unknown_fields: UnknownFields<'arena>,
        }
    };
}
macro_rules! both_required {
    ($($tokens:tt)*) => {
        required!(FastRequired, "speed", $($tokens)*);
        required!(SmallRequired, "code_size", $($tokens)*);
    };
}
both_required! {
    a9 109, a8 108, a7 107, a6 106, a5 105, a4 104, a3 103, a2 102, a1 101, a0 100,
    b0 200, b1 201, b2 202, b3 203, b4 204, b5 205, b6 206, b7 207, b8 208, b9 209,
    c0 300, c1 301, c2 302, c3 303, c4 304, c5 305, c6 306, c7 307, c8 308, c9 309,
    d0 400, d1 401, d2 402, d3 403, d4 404, d5 405, d6 406, d7 407, d8 408, d9 409,
    e0 500, e1 501, e2 502, e3 503, e4 504, e5 505, e6 506, e7 507, e8 508, e9 509,
    f0 600, f1 601, f2 602, f3 603, f4 604, f5 605, f6 606, f7 607, f8 608, f9 609,
    g0 1, g1 2, g2 3, g3 4, g4 5, g5 1000000, g6 7,
}

#[test]
fn required_fields_beyond_one_word() {
    let arena = Arena::new();
    let wire = FastRequired { a0: 5, ..FastRequired::default() }.encode_to_vec();
    assert_eq!(SmallRequired { a0: 5, ..SmallRequired::default() }.encode_to_vec(), wire);
    assert_eq!(SmallRequired::decode(&wire, &arena).unwrap().a0, 5);
    let mut left_out = 0;
    let mut texts = std::collections::BTreeSet::new();
    while left_out < wire.len() {
        let len = 1 + wire[left_out..].iter().take_while(|byte| **byte >= 0x80).count() + 1;
        let lacking = [&wire[..left_out], &wire[left_out + len..]].concat();
        let fast = FastRequired::decode(&lacking, &arena).unwrap_err().to_string();
        assert_eq!(SmallRequired::decode(&lacking, &arena).unwrap_err().to_string(), fast);
        texts.insert(fast);
        left_out += len;
    }
    assert_eq!(texts.len(), 67);
}
