//! The messages that protokt is measured with, from one seed each.
//!
//! Fields, sizes and counts are those of its benchmarks; its data is not to be had, and the values are ours. The
//! encodings are put together here, because the order of prost's maps is another one in every run.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use prost::Message;
use prost::encoding::{btree_map, bytes, int64, message, string};

use crate::generated::prost::generic::*;
use crate::generated::prost::oneofs::*;
use crate::generated::prost::protokt::*;
use crate::random::Random;

/// How many payloads protokt puts into a set of its generic messages.
const SET: usize = 101;
/// How many payloads [`generic_large`] has, instead of [`SET`].
const LARGE_SET: usize = 2;
/// How many payloads [`string_heavy`] and [`string_oneof`] have.
const HEAVY_SET: usize = 100;
/// How many characters each of their strings has.
const HEAVY: usize = 10_000;
/// How many characters each string of [`string_very_heavy`] has.
const VERY_HEAVY: usize = 1_000_000;
/// How many entries [`string_map`] and [`string_repeated`] have, and how many characters each of their strings.
const ENTRIES: usize = 500;
const ENTRY: usize = 100;

/// Sizes of texts, bytes, lists and maps, all equally likely.
type Sizes = RangeInclusive<u64>;
const MEDIUM: Sizes = 1..=5;
const LARGE: Sizes = 1..=100;

impl Random {
    fn size(&mut self, sizes: &Sizes) -> usize {
        (sizes.start() + self.below(sizes.end() - sizes.start() + 1)) as usize
    }

    fn letters(&mut self, len: usize) -> String {
        (0..len).map(|_| self.letter()).collect()
    }

    fn letter(&mut self) -> char {
        let letter = self.below(52) as u8;
        char::from(if letter < 26 { b'a' + letter } else { b'A' + letter - 26 })
    }

    /// Each character is an ASCII letter, one of U+00C0..=U+00FF or one of U+4E00..=U+9DFF, with the same odds.
    fn mixed(&mut self, len: usize) -> String {
        let character = |random: &mut Random| match random.below(3) {
            0 => random.letter(),
            1 => char::from(0xc0 + random.below(0x40) as u8),
            _ => char::from_u32(0x4e00 + random.below(0x5000) as u32).unwrap_or('一'),
        };
        (0..len).map(|_| character(self)).collect()
    }

    fn word(&mut self, sizes: &Sizes) -> String {
        let len = self.size(sizes);
        self.letters(len)
    }

    fn blobs(&mut self, sizes: &Sizes) -> Vec<Vec<u8>> {
        let blob = |random: &mut Random| {
            let len = random.size(sizes);
            random.bytes(len)
        };
        (0..self.size(sizes)).map(|_| blob(self)).collect()
    }

    fn flag(&mut self) -> bool {
        self.below(2) == 0
    }
}

/// 101 messages of up to four levels, their strings, lists and maps with one to five elements, about 200 KB;
/// protokt says 314 KB of its own.
pub fn generic_medium() -> Vec<u8> {
    generic(&mut Random(314), SET, &MEDIUM)
}

/// The same with one to a hundred elements, 6.5 MB. protokt has 101 such messages, about 225 MB, which are
/// [`generic_huge`]; here are the first two, because a library holds a multiple of that.
pub fn generic_large() -> Vec<u8> {
    generic(&mut Random(225), LARGE_SET, &LARGE)
}

/// 101 messages with one to a hundred elements; three in a debug build.
pub fn generic_huge() -> Vec<u8> {
    generic(&mut Random(225), if cfg!(debug_assertions) { 3 } else { SET }, &LARGE)
}

/// 101 messages with a string and a number each, 1.2 KB.
pub fn generic_small() -> SmallSet {
    let random = &mut Random(13);
    SmallSet { payloads: (0..SET).map(|_| message4(random, &MEDIUM)).collect() }
}

fn generic(random: &mut Random, payloads: usize, sizes: &Sizes) -> Vec<u8> {
    let mut wire = Vec::new();
    for _ in 0..payloads {
        // A sub-message has the wire form of bytes.
        bytes::encode(1, &message1(random, sizes), &mut wire);
    }
    wire
}

fn message1(random: &mut Random, sizes: &Sizes) -> Vec<u8> {
    let mut wire = GenericMessage1 {
        field1: random.word(sizes),
        field2: random.word(sizes),
        field3: random.next() as i64,
        field1000: random.next() as i64,
        field1001: random.flag(),
        field1002: random.flag(),
        field1500: random.blobs(sizes),
        field1501: random.blobs(sizes),
        field2000: random.next() as i32,
        field2001: random.next() as i32,
        field3000: random.word(sizes),
        ..GenericMessage1::default()
    }
    .encode_to_vec();
    bytes::encode(4000, &message2(random, sizes), &mut wire);
    bytes::encode(4001, &message2(random, sizes), &mut wire);
    let map: BTreeMap<_, _> = (0..random.size(sizes)).map(|_| (random.word(sizes), random.next() as i64)).collect();
    btree_map::encode(string::encode, string::encoded_len, int64::encode, int64::encoded_len, 5000, &map, &mut wire);
    wire
}

fn message2(random: &mut Random, sizes: &Sizes) -> Vec<u8> {
    let mut wire = GenericMessage2 {
        field1: random.word(sizes),
        field2: random.word(sizes),
        field3: random.unit() * 1e6,
        field1000: random.unit(),
        field1001: random.flag(),
        field1002: random.flag(),
        field1500: random.blobs(sizes),
        field1501: random.blobs(sizes),
        ..GenericMessage2::default()
    }
    .encode_to_vec();
    for number in [5000, 5001] {
        for _ in 0..random.size(sizes) {
            bytes::encode(number, &message3(random, sizes), &mut wire);
        }
    }
    wire
}

fn message3(random: &mut Random, sizes: &Sizes) -> Vec<u8> {
    let mut wire = GenericMessage3 {
        field1: random.word(sizes),
        field2: random.word(sizes),
        field3: random.next() as i64,
        field1000: random.next() as i64,
        field1001: random.flag(),
        field1002: random.flag(),
        field1500: random.blobs(sizes),
        field1501: random.blobs(sizes),
        ..GenericMessage3::default()
    }
    .encode_to_vec();
    let map: BTreeMap<_, _> = (0..random.size(sizes)).map(|_| (random.word(sizes), message4(random, sizes))).collect();
    btree_map::encode(
        string::encode,
        string::encoded_len,
        message::encode,
        message::encoded_len,
        3000,
        &map,
        &mut wire,
    );
    wire
}

fn message4(random: &mut Random, sizes: &Sizes) -> GenericMessage4 {
    GenericMessage4 { field1: random.word(sizes), field3: random.unit() as f32 }
}

/// A hundred messages with three strings of 10,000 characters, of which a third has one byte, a third two and a third
/// three: 6 MB.
pub fn string_heavy() -> StringHeavySet {
    let random = &mut Random(10_000);
    StringHeavySet { payloads: (0..HEAVY_SET).map(|_| heavy(random, HEAVY)).collect() }
}

fn heavy(random: &mut Random, len: usize) -> StringHeavy {
    StringHeavy { first: random.mixed(len), second: random.mixed(len), third: random.mixed(len) }
}

/// The strings of [`string_heavy`], each in a oneof.
pub fn string_oneof() -> StringOneofSet {
    let oneof = |StringHeavy { first, second, third }| StringOneof {
        first: Some(string_oneof::First::FirstText(first)),
        second: Some(string_oneof::Second::SecondText(second)),
        third: Some(string_oneof::Third::ThirdText(third)),
    };
    StringOneofSet { payloads: string_heavy().payloads.into_iter().map(oneof).collect() }
}

/// One message with three strings of a million characters, of the kinds of [`string_heavy`]: 6 MB. protokt has ten.
pub fn string_very_heavy() -> StringHeavy {
    heavy(&mut Random(1_000_000), VERY_HEAVY)
}

/// A map of 500 strings of 100 letters to as many, about 100 KB.
pub fn string_map() -> Vec<u8> {
    let random = &mut Random(500);
    let entries: BTreeMap<_, _> = (0..ENTRIES).map(|_| (random.letters(ENTRY), random.letters(ENTRY))).collect();
    let mut wire = Vec::new();
    btree_map::encode(string::encode, string::encoded_len, string::encode, string::encoded_len, 1, &entries, &mut wire);
    wire
}

/// A map of 500 short strings to as many, about 15 KB, its entries in no order: as a hash table gives them, which most
/// libraries keep a map in. Many keys begin alike. This is none of protokt's.
pub fn unsorted_map() -> Vec<u8> {
    let random = &mut Random(502);
    let mut wire = Vec::new();
    let mut known = BTreeSet::new();
    while known.len() < ENTRIES {
        let mut one = |of: [&'static str; 4]| of[random.below(4) as usize];
        let (service, part) = (one(["api", "auth", "billing", "search"]), one(["cache", "disk", "host", "queue"]));
        let key = format!("{service}/{part}-{}", random.below(10_000));
        if known.insert(key.clone()) {
            let entry = BTreeMap::from([(key, random.word(&(1..=16)))]);
            btree_map::encode(
                string::encode,
                string::encoded_len,
                string::encode,
                string::encoded_len,
                1,
                &entry,
                &mut wire,
            );
        }
    }
    wire
}

/// A list of 500 strings of 100 letters, about 50 KB.
pub fn string_repeated() -> StringRepeated {
    let random = &mut Random(501);
    StringRepeated { entries: (0..ENTRIES).map(|_| random.letters(ENTRY)).collect() }
}
