//! What decodes leave in the arena: no more than they need, and nothing when they fail.

use std::cell::{Cell, RefCell};

use bytes::Buf;
use defiant::pool::{LocalArenaPool, PoolOptions};
use defiant::{Arena, DecodeError, DecodeOptions, Map, Message};

use super::attacks::field;
use super::messages::{All, Leaf};

/// Arena bytes that a decode takes, copy of the input included, over what its result needs.
fn overhead(wire: &[u8], need: impl FnOnce(&All<'_>) -> usize) -> f64 {
    let arena = Arena::with_capacity(64 << 20);
    let message = All::decode(wire, &arena).unwrap();
    arena.used_bytes() as f64 / (wire.len() + 16 + need(&message)) as f64
}

fn map_bytes<K: Ord, V>(map: &Map<'_, K, V>) -> usize {
    map.len() * size_of::<(K, V)>()
}

/// Many pieces of the wire.
fn pieces(piece: impl Fn(usize) -> Vec<u8>) -> Vec<u8> {
    (0..if cfg!(miri) { 100 } else { 5_000 }).flat_map(piece).collect()
}

#[test]
fn no_outgrown_memory_is_left_behind() {
    let bound = |name: &str, overhead: f64, bound: f64| {
        // Few elements need relatively more.
        assert!(overhead < if cfg!(miri) { 2.0 } else { bound }, "{name}: {overhead:.2}");
    };
    let two = pieces(|_| vec![0xb0, 0x01, 7, 0xb8, 0x01, 8]);
    let need = |all: &All<'_>| size_of_val(all.packed) + size_of_val(all.unpacked);
    bound("two scalar fields in turn", overhead(&two, need), 1.3);

    let four = pieces(|_| vec![0xb0, 0x01, 7, 0xb8, 0x01, 8, 0xaa, 0x01, 0, 0xd0, 0x01, 1]);
    let need = |all: &All<'_>| {
        size_of_val(all.packed) + size_of_val(all.unpacked) + size_of_val(all.strings) + size_of_val(all.bools)
    };
    bound("four fields in turn", overhead(&four, need), 1.3);

    let messages = pieces(|_| vec![0x9a, 0x01, 2, 8, 1, 0xb0, 0x01, 7]);
    let need = |all: &All<'_>| size_of_val(all.packed) + size_of_val(all.leaves);
    bound("messages and scalars in turn", overhead(&messages, need), 1.3);

    let groups = pieces(|index| {
        let len = index * index % 97;
        [&[0xa3, 0x01, 0x12, len as u8][..], &vec![b'x'; len], &[0xa4, 0x01]].concat()
    });
    bound("groups of any length", overhead(&groups, |all| size_of_val(all.groups)), 1.05);

    let mut late = pieces(|_| vec![0xa3, 0x01, 0xa4, 0x01]);
    late.extend([0xb0, 0x01, 0x09].repeat(3_000));
    let need = |all: &All<'_>| size_of_val(all.groups) + size_of_val(all.packed);
    bound("groups, and as much of something else", overhead(&late, need), 1.05);

    let children = pieces(|index| [&[0xa3, 0x01][..], &[0x1a, 0].repeat(index % 2), &[0xa4, 0x01]].concat());
    let need = |all: &All<'_>| {
        let children = all.groups.iter().filter(|leaf| leaf.next.is_some()).count();
        size_of_val(all.groups) + children * size_of::<Leaf<'_>>()
    };
    bound("groups with children", overhead(&children, need), 1.2);

    let maps = pieces(|index| [&[0xe2, 0x01, 8, 0x0a, 4], format!("{index:04}").as_bytes(), &[0x10, 1]].concat());
    bound("a map of numbers", overhead(&maps, |all| map_bytes(&all.counts)), 1.05);

    let places = pieces(|index| vec![0xea, 0x01, 8, 8, index as u8 | 0x80, (index >> 7) as u8, 0x12, 3, 0x12, 1, b'x']);
    bound("a map of messages", overhead(&places, |all| map_bytes(&all.places)), 1.05);
}

/// Whether a decode takes no more than the least memory limit that it passes with, and so much for the outermost message.
#[track_caller]
pub(crate) fn counts(name: &str, outermost: usize, decode: impl Fn(&DecodeOptions, &Arena) -> Result<(), DecodeError>) {
    let taken = |limit| {
        let arena = Arena::with_capacity(1 << 20);
        let decoded = decode(&DecodeOptions::new().memory_limit(limit), &arena);
        assert!(decoded.as_ref().map_or_else(|error| error.is_memory_limit(), |()| true), "{name}: {decoded:?}");
        decoded.is_ok().then(|| arena.used_bytes() - outermost)
    };
    let (mut little, mut enough) = (0_usize, 1 << 20);
    while enough - little > 1 {
        let middle = little.midpoint(enough);
        if taken(middle).is_some() { enough = middle } else { little = middle }
    }
    let (limit, used) = (enough, taken(enough).unwrap());
    // Bytes that are lost to alignment do not count; what is given back counts as long as it is taken.
    assert!(used <= limit + limit / 16, "{name}: {used} bytes with a limit of {limit}");
    assert!(limit <= 2 * used, "{name}: {used} bytes need a limit of {limit}");
}

/// Wires of `All` that take memory in many ways, little at a time.
pub(crate) fn hungry() -> Vec<(&'static str, Vec<u8>)> {
    let nested = (0..40).fold(Vec::new(), |inner: Vec<u8>, _| field(3, &inner));
    vec![
        ("messages in each other", field(17, &nested)),
        ("members of a oneof that take turns", [field(41, &[8, 1]), field(40, b"x")].concat().repeat(40)),
        ("a message again and again", field(17, &[0x12, 1, b'a']).repeat(40)),
        ("unknown fields between known ones", [0xf8, 0x7d, 1, 8, 1].repeat(40)),
        ("lists that take turns", [field(19, &[8, 1]), field(21, b""), vec![0xb8, 1, 5]].concat().repeat(40)),
        ("lists in elements", field(19, &field(4, &[1; 20])).repeat(40)),
        ("groups", [0xa3, 1, 0x12, 1, b'x', 0xa4, 1].repeat(40)),
        ("groups, and as much of something else", [[0xa3, 1, 0xa4, 1].repeat(40), [0xb8, 1, 9].repeat(60)].concat()),
        ("entries out of order", (0..40).rev().flat_map(|key| field(29, &[8, key, 0x12, 2, 8, 1])).collect()),
    ]
}

#[test]
fn whatever_is_taken_counts() {
    for (name, wire) in hungry() {
        counts(name, 0, |options, arena| options.decode::<All<'_>>(&wire, arena).map(|_| ()));
    }
}

/// Inputs that fail after much of them was read, each for another reason.
fn broken() -> Vec<Vec<u8>> {
    let good = [
        &[0x9a, 0x01, 4, 0x12, 2, b'h', b'i'].repeat(20)[..],
        &[0x8a, 0x01, 2, 8, 1].repeat(3),
        &[0xe2, 0x01, 5, 0x0a, 1, b'k', 0x10, 1].repeat(9),
        &[0xf8, 0x7d, 1, 0xb0, 0x01, 7].repeat(20),
    ]
    .concat();
    let bad: [&[u8]; 6] = [&[0x72, 9], &[0x72, 1, 0xff], &[0], &[0x0c], &[0x08, 0xff], &[0x8a, 0x01, 2, 0x12, 5]];
    bad.iter().map(|bad| [&good, *bad].concat()).collect()
}

#[test]
fn a_failed_decode_gives_its_memory_back() {
    let arena = Arena::with_capacity(100_000);
    let earlier = All::decode(&[0x72, 2, b'h', b'i', 0x9a, 0x01, 0], &arena).unwrap();
    for wire in broken() {
        let before = arena.used_bytes();
        assert!(All::decode(&wire, &arena).is_err());
        assert_eq!(arena.used_bytes(), before, "decode {wire:?}");
        assert!(All::decode_buf(&wire[..], &arena).is_err());
        assert_eq!(arena.used_bytes(), before, "decode_buf {wire:?}");
        let borrowed = Arena::with_capacity(100_000);
        assert!(All::decode_borrowed(&wire, &borrowed).is_err());
        assert_eq!(borrowed.used_bytes(), 0, "decode_borrowed {wire:?}");
        let mut merged = earlier;
        assert!(merged.merge(&wire, &arena).is_err());
        assert_eq!(arena.used_bytes(), before, "merge {wire:?}");
        assert_eq!(merged, earlier);
    }
    let wire = All { string: "later", ..earlier }.encode_to_vec();
    let limit = defiant::DecodeOptions::new().memory_limit(wire.len() + 20);
    let before = arena.used_bytes();
    assert!(limit.decode::<All<'_>>(&wire, &arena).unwrap_err().is_memory_limit());
    assert_eq!(arena.used_bytes(), before);
    // What is decoded into the memory given back does not touch what was there.
    let later = All::decode(&wire, &arena).unwrap();
    assert_eq!((earlier.string, earlier.leaves.len(), later.string), ("hi", 1, "later"));
}

#[test]
fn a_stream_of_broken_messages_does_not_fill_the_arena() {
    let arena = Arena::new();
    let wires = broken();
    for wire in &wires {
        assert!(All::decode(wire, &arena).is_err());
    }
    let held = arena.held_bytes();
    for wire in wires.iter().cycle().take(if cfg!(miri) { 30 } else { 10_000 }) {
        assert!(All::decode(wire, &arena).is_err());
    }
    assert_eq!(arena.held_bytes(), held);
}

#[test]
fn large_bytes_are_borrowed_and_not_copied() {
    let payload = vec![7u8; if cfg!(miri) { 10_000 } else { 10 << 20 }];
    let wire = All { bytes: &payload, ..All::default() }.encode_to_vec();
    let arena = Arena::new();
    let message = All::decode_borrowed(&wire, &arena).unwrap();
    assert_eq!(message.bytes.len(), payload.len());
    assert_eq!(message.bytes.as_ptr_range().end, wire.as_ptr_range().end);
    assert!(arena.used_bytes() < 1_000, "{}", arena.used_bytes());
}

/// What sorting maps takes is given back, and known as the peak.
#[test]
fn the_order_of_entries_takes_no_memory_in_the_end() {
    let entries = |order: &mut dyn Iterator<Item = u8>| -> Vec<u8> {
        order
            .flat_map(|key| {
                let text = field(1, &[b'k', key]);
                [field(28, &text), field(29, &[8, key]), field(17, &field(3, &[8, key]))].concat()
            })
            .collect()
    };
    let (sorted, unsorted) = (entries(&mut (0..120)), entries(&mut (0..120).rev()));
    let used = [&sorted, &unsorted].map(|wire| {
        let arena = Arena::with_capacity(100_000);
        let message = All::decode(wire, &arena).unwrap();
        assert_eq!((message.counts.len(), message.places.len()), (120, 120));
        (arena.used_bytes(), arena.peak_bytes())
    });
    // Alignment may cost a few bytes a map.
    assert!(used[1].0 <= used[0].0 + 16, "{used:?}");
    assert!(used[1].1 >= used[0].1 + 120 * size_of::<u64>(), "{used:?}");
}

/// An input that allocates in the arena that it is decoded into, and decodes there, too.
struct Meddling<'a> {
    wire: &'a [u8],
    arena: &'a Arena,
    made: RefCell<Vec<(&'a str, All<'a>)>>,
}

impl Buf for &Meddling<'_> {
    fn remaining(&self) -> usize {
        self.wire.len() - self.made.borrow().len().min(self.wire.len())
    }

    fn chunk(&self) -> &[u8] {
        let at = self.made.borrow().len();
        &self.wire[at.min(self.wire.len())..][..1]
    }

    fn advance(&mut self, _: usize) {
        let text = self.arena.alloc_str(&format!("number {}", self.made.borrow().len()));
        assert!(All::decode(&[0x72, 3, b'n', b'o', b't', 0x72, 1, 0xff], self.arena).is_err());
        let message = All::decode(&[0x72, 3, b'y', b'e', b's'], self.arena).unwrap();
        self.made.borrow_mut().push((text, message));
    }
}

/// More bytes than what a failed decode allocated.
const FEW: usize = if cfg!(miri) { 2_000 } else { 10_000 };

#[test]
fn a_failed_decode_leaves_what_others_allocated_meanwhile() {
    for capacity in [0, 300, 100_000] {
        let arena = Arena::with_capacity(capacity);
        let input = Meddling { wire: &broken()[0][..40], arena: &arena, made: RefCell::default() };
        assert!(All::decode_buf(&input, &arena).is_err());
        let later = arena.vec_from_iter(core::iter::repeat_n(0xffu8, FEW));
        for (number, (text, message)) in input.made.borrow().iter().enumerate() {
            assert_eq!((*text, message.string), (&*format!("number {number}"), "yes"));
        }
        assert_eq!((input.made.borrow().len(), later.len()), (40, FEW));
    }
}

/// An input that makes one map when it is read, and nothing else.
struct Mapping<'a, F> {
    wire: &'a [u8],
    made: &'a Cell<Option<Map<'a, i32, i32>>>,
    make: F,
}

impl<'a, F: Fn() -> Map<'a, i32, i32>> Buf for Mapping<'a, F> {
    fn remaining(&self) -> usize {
        self.wire.len()
    }

    fn chunk(&self) -> &[u8] {
        self.wire
    }

    fn advance(&mut self, count: usize) {
        self.wire = &self.wire[count..];
        self.made.set(Some((self.make)()));
    }
}

#[test]
fn a_failed_decode_leaves_a_map_that_its_input_made() {
    type Make = for<'a> fn(Map<'a, i32, i32>, &'a Arena) -> Map<'a, i32, i32>;
    const LAST: i32 = FEW as i32 / 8;
    let ways: [(Make, Vec<i32>); 5] = [
        // Shares the entries of the other, so that nothing is allocated but a header.
        (|map, arena| map.remove_in(arena, &1), vec![2, 4]),
        (|map, arena| map.insert_in(arena, 5, 5), vec![1, 2, 4, 5]),
        (|map, arena| map.insert_in(arena, 3, 3), vec![1, 2, 3, 4]),
        (|map, arena| map.extend_in(arena, [(9, 9), (8, 8)]), vec![1, 2, 4, 8, 9]),
        (|_, arena| Map::new(arena, (0..LAST).rev().map(|key| (key, key))), (0..LAST).collect()),
    ];
    for capacity in [0, 300, 4_096, 2 * FEW] {
        for (make, keys) in &ways {
            let arena = Arena::with_capacity(capacity);
            let map = Map::new(&arena, [(1, 1), (2, 2), (4, 4)]);
            let made = Cell::new(None);
            let input = Mapping { wire: &[8, 0xff], made: &made, make: || make(map, &arena) };
            assert!(All::decode_buf(input, &arena).is_err());
            let later = arena.alloc_slice_copy(&[0xff_u8; 200]);
            let map = made.get().expect("made");
            assert!(map.iter().copied().eq(keys.iter().map(|key| (*key, *key))), "{capacity}, {map:?}");
            assert_eq!(later.len(), 200);
        }
    }
}

#[test]
fn vectors_grow_in_place_between_decodes() {
    let arena = Arena::with_capacity(100_000);
    let wire = [0x72, 3, b'y', b'e', b's'];
    let mut messages = arena.vec();
    for _ in 0..20 {
        messages.push(All::decode(&wire, &arena).unwrap());
        assert!(All::decode(&[&wire[..], &[0]].concat(), &arena).is_err());
    }
    assert!(messages.iter().all(|message| message.string == "yes"));
    let before = arena.used_bytes();
    let mut numbers = arena.vec();
    numbers.extend_from_slice(&[1u64; 100]);
    numbers.extend_from_slice(&[2; 101]);
    assert!(arena.used_bytes() - before < 220 * 8);
    assert_eq!(numbers.into_slice().iter().sum::<u64>(), 302);
}

#[test]
fn a_pool_gives_out_arenas_as_its_options_say() {
    let pool = LocalArenaPool::new(PoolOptions::new().limit(10_000).keep(5_000));
    let wire = crate::attacks::field(14, &[b'x'; 50_000]);
    for limit in [None, Some(0), Some(1 << 20)] {
        pool.take().set_limit(limit);
        let arena = pool.take();
        assert!(All::decode(&crate::attacks::everything(), &arena).is_ok());
        assert!(All::decode(&wire, &arena).unwrap_err().is_memory_limit());
    }
    let mut greedy = pool.take();
    greedy.set_limit(None);
    greedy.set_keep(None);
    All::decode(&wire, &greedy).unwrap();
    drop(greedy);
    let stats = pool.stats();
    assert!(stats.idle_bytes <= 5_000, "{stats:?}");
    assert!(pool.take().held_bytes() <= 5_000);
}
