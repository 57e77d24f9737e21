//! Code of the user in the middle of everything: inputs, iterators, enums, resolvers and writers that use the arena that is
//! being decoded into, at random and within each other, and that panic. Whatever was ever made is looked at again.

use std::cell::{Cell, RefCell};
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;
use std::sync::atomic::AtomicPtr;

use bytes::Buf;
use defiant::extension::{Enum, OptionalMessage, Repeated};
use defiant::frame::{FrameOptions, FrameReader};
use defiant::reflect::{DynamicMessage, ExtensionType, MessageType, Registry, Resolver, Value};
use defiant::{
    Arena, DecodeOptions, Enumeration, Extension, Lazy, Map, Message, UnknownFields, UnknownValue, arena, json, text,
};

/// An enum that meddles whenever it is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Level(i32);

impl Enumeration for Level {
    const DEFAULT: Self = Level(0);
    const NAME: &'static str = "m.Level";
    const VALUES: &'static [(&'static str, i32)] = &[("ZERO", 0), ("ONE", 1), ("TWO", 2)];
    const OPEN: bool = false;

    fn from_number(number: i32) -> Option<Self> {
        meddle();
        (number != 9).then_some(Level(number))
    }

    fn number(self) -> i32 {
        meddle();
        self.0
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Message)]
#[defiant(name = "m.Host")]
struct Host<'arena> {
    #[defiant(int32, tag = 1)]
    id: i32,
    #[defiant(enumeration, optional, tag = 2)]
    level: Option<Level>,
    #[defiant(enumeration, repeated, tag = 3)]
    levels: &'arena [Level],
    #[defiant(map = "int32, enumeration", tag = 4)]
    level_of: Map<'arena, i32, Level>,
    #[defiant(string, repeated, tag = 5)]
    texts: &'arena [&'arena str],
    #[defiant(message, repeated, tag = 6)]
    hosts: &'arena [Host<'arena>],
    #[defiant(message, optional, tag = 7)]
    host: Option<&'arena Host<'arena>>,
    #[defiant(message, lazy, tag = 8)]
    lazy: Option<Lazy<'arena, Host<'arena>>>,
    #[defiant(map = "string, message", tag = 9)]
    host_of: Map<'arena, &'arena str, Host<'arena>>,
    #[defiant(group, repeated, tag = 10)]
    groups: &'arena [Host<'arena>],
    #[defiant(unknown)]
    unknown_fields: UnknownFields<'arena>,
}

const LEVELS: Extension<Host<'static>, Repeated<Enum<Level>>> = Extension::new(100, "m.levels");
const HOST: Extension<Host<'static>, OptionalMessage<Host<'static>>> = Extension::new(101, "m.host");

/// Something that was made, as it looked then, and how it looks now.
struct Made {
    what: &'static str,
    then: String,
    now: Box<dyn Fn() -> String>,
}

/// What the code of the user has to play with. It is found by the thread, because an enum is told nothing else.
#[derive(Default)]
struct State {
    arena: Cell<Option<&'static Arena>>,
    registry: Cell<Option<&'static Registry>>,
    random: Cell<u64>,
    /// Whether meddling is over, or not begun.
    quiet: Cell<bool>,
    depth: Cell<u32>,
    /// Steps that may still be taken.
    fuel: Cell<u32>,
    /// One occasion in so many is taken.
    rate: Cell<u64>,
    /// And one in so many is a panic.
    panics: Cell<u64>,
    made: RefCell<Vec<Made>>,
    vecs: RefCell<Vec<(arena::Vec<'static, u32>, Vec<u32>)>>,
    lists: RefCell<Vec<&'static [u32]>>,
    maps: RefCell<Vec<Map<'static, i32, i32>>>,
    hosts: RefCell<Vec<Host<'static>>>,
    wires: RefCell<Vec<Vec<u8>>>,
    /// Steps that came to an end, and those that ended in a panic.
    steps: Cell<[u64; 2]>,
}

thread_local! {
    static STATE: &'static State = leak(State::default());
}

fn state() -> &'static State {
    STATE.with(|state| *state)
}

/// A value for the rest of the program, to which a pointer stays, as those who look for leaks want it.
fn leak<T>(value: T) -> &'static T {
    static ALL: Mutex<Vec<AtomicPtr<()>>> = Mutex::new(Vec::new());
    let value = &*Box::leak(Box::new(value));
    ALL.lock().unwrap().push(AtomicPtr::new(core::ptr::from_ref(value).cast_mut().cast()));
    value
}

/// A number less than `bound`, from xorshift.
fn random(bound: u64) -> u64 {
    let mut x = state().random.get();
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    state().random.set(x);
    (x >> 11) % bound.max(1)
}

fn one_in(odds: u64) -> bool {
    random(odds) == 0
}

fn one_of<T: Copy>(values: &RefCell<Vec<T>>) -> Option<T> {
    let values = values.borrow();
    values.get(random(values.len() as u64) as usize).copied()
}

/// An occasion for code of the user to do what it likes.
fn meddle() {
    let state = state();
    if state.quiet.get() {
        return;
    }
    if state.depth.get() < 5 && state.fuel.get() > 0 && one_in(state.rate.get()) {
        step();
    }
    if one_in(state.panics.get()) {
        // A panic of which nobody is told.
        resume_unwind(Box::new("meddled"));
    }
}

fn quietly<T>(act: impl FnOnce() -> T) -> T {
    let before = state().quiet.replace(true);
    let result = act();
    state().quiet.set(before);
    result
}

fn made(what: &'static str, now: impl Fn() -> String + 'static) {
    let then = quietly(&now);
    state().made.borrow_mut().push(Made { what, then, now: Box::new(now) });
}

fn made_value(what: &'static str, value: impl Debug + 'static) {
    made(what, move || format!("{value:?}"));
}

fn shown(host: &Host<'_>) -> String {
    format!("{host:?} {:?}", host.encode_to_vec())
}

fn made_host(what: &'static str, host: Host<'static>) {
    if quietly(|| host.encoded_len()) < 3000 {
        state().hosts.borrow_mut().push(host);
    }
    made(what, move || shown(&host));
}

/// That all that was made is what it was.
fn look() {
    quietly(|| {
        for made in state().made.borrow().iter() {
            assert_eq!((made.now)(), made.then, "{}", made.what);
        }
        for (vec, oracle) in state().vecs.borrow().iter() {
            assert_eq!(vec[..], oracle[..]);
        }
    });
}

/// An input that meddles.
struct Input {
    wire: Vec<u8>,
    at: usize,
    piece: usize,
}

impl Input {
    fn of(wire: Vec<u8>) -> Self {
        Input { piece: 1 + random(wire.len() as u64 + 1) as usize, wire, at: 0 }
    }
}

impl Buf for Input {
    fn remaining(&self) -> usize {
        self.wire.len() - self.at
    }

    fn chunk(&self) -> &[u8] {
        meddle();
        let rest = &self.wire[self.at..];
        &rest[..rest.len().min(self.piece)]
    }

    fn advance(&mut self, count: usize) {
        self.at += count;
        meddle();
    }
}

impl std::io::Read for Input {
    fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
        meddle();
        let count = to.len().min(self.piece).min(self.wire.len() - self.at);
        to[..count].copy_from_slice(&self.wire[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

/// An iterator that meddles and does not know how long it is.
struct Numbers(u64);

impl Iterator for Numbers {
    type Item = i32;

    fn next(&mut self) -> Option<i32> {
        meddle();
        self.0 = self.0.checked_sub(1)?;
        Some(random(20) as i32)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (random(4) as usize, None)
    }
}

/// Types that are found by somebody who meddles.
struct Finder;

impl Resolver for Finder {
    fn message(&self, full_name: &str) -> Option<MessageType<'_>> {
        meddle();
        registry().message(full_name)
    }

    fn extension(&self, host: &str, full_name: &str) -> Option<ExtensionType<'_>> {
        meddle();
        registry().extension(host, full_name)
    }

    fn extension_by_number(&self, host: &str, number: u32) -> Option<ExtensionType<'_>> {
        meddle();
        registry().extension_by_number(host, number)
    }
}

fn registry() -> &'static Registry {
    state().registry.get().expect("made at first")
}

/// A writer that meddles, and fails at times.
struct Writer(String);

impl std::fmt::Write for Writer {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        meddle();
        self.0.push_str(text);
        if one_in(200) { Err(std::fmt::Error) } else { Ok(()) }
    }
}

/// Messages, one or two of them, whole, cut off or broken.
fn wire() -> Vec<u8> {
    let wires = state().wires.borrow();
    let any = || wires[random(wires.len() as u64) as usize].clone();
    let mut wire = any();
    if one_in(3) {
        wire.extend(any());
    }
    match random(4) {
        0 => wire.truncate(random(wire.len() as u64) as usize),
        1 => wire.extend([8, 0xff]),
        _ => {}
    }
    wire
}

fn delimited(wire: &[u8]) -> Vec<u8> {
    [&crate::attacks::varint(wire.len() as u64), wire].concat()
}

/// Does something with the arena; what panics is caught.
fn step() {
    let state = state();
    let (depth, quiet) = (state.depth.get(), state.quiet.get());
    state.fuel.set(state.fuel.get().saturating_sub(1));
    state.depth.set(depth + 1);
    state.quiet.set(false);
    let arena = state.arena.get().expect("a round has one");
    let outcome = catch_unwind(AssertUnwindSafe(|| act(arena)));
    state.quiet.set(quiet);
    state.depth.set(depth);
    let mut steps = state.steps.get();
    steps[usize::from(outcome.is_err())] += 1;
    state.steps.set(steps);
    if let Err(panic) = outcome {
        let words = panic.downcast_ref::<String>().map_or("", |words| words);
        let words = panic.downcast_ref::<&str>().map_or(words, |words| words);
        // What was meddled, and what is said to panic where memory is exhausted, which it is when the limit is.
        let known = ["meddled", "exhausted", "out of memory"].iter().any(|known| words.contains(known));
        assert!(known, "{words}");
    }
}

fn act(arena: &'static Arena) {
    match random(5) {
        0 => allocate(arena),
        1 | 2 => decode(arena),
        3 => edit(arena),
        _ => convert(arena),
    }
}

fn allocate(arena: &'static Arena) {
    let state = state();
    match random(8) {
        0 => made_value("text", arena.alloc_str(&"x".repeat(random(50) as usize))),
        1 => made_value("slice", arena.alloc_slice_copy(&vec![0xee_u8; random(300) as usize])),
        2 => {
            // Taken out while it grows: what happens within may grow the others.
            let taken = state.vecs.borrow_mut().pop().filter(|_| !one_in(4));
            let (mut vec, mut oracle) = taken.unwrap_or_else(|| (arena.vec(), Vec::new()));
            for number in 0..random(9) as u32 {
                vec.push(number);
                oracle.push(number);
            }
            state.vecs.borrow_mut().insert(0, (vec, oracle));
        }
        3 => {
            let taken = state.vecs.borrow_mut().pop();
            match taken {
                Some((vec, _)) if one_in(2) => made_value("vector", vec.into_slice()),
                _ => {}
            }
        }
        4 => {
            let list = arena.append(one_of(&state.lists).unwrap_or_default(), random(1000) as u32);
            state.lists.borrow_mut().push(list);
            made_value("list", list);
        }
        5 => made_value("iterator", arena.vec_from_iter(Numbers(random(30))).into_slice()),
        6 => {
            let held = arena.held_bytes();
            arena.set_limit([None, Some(held), Some(0), Some(held + 3000)][random(4) as usize]);
        }
        _ => {
            let key = random(20) as i32;
            let map = one_of(&state.maps).unwrap_or_default();
            let map = match random(4) {
                0 => map.remove_in(arena, &key),
                1 => map.insert_in(arena, key, key),
                2 => map.extend_in(arena, Numbers(random(8)).map(|key| (key, 5))),
                _ => Map::new(arena, Numbers(random(12)).map(|key| (key, key))),
            };
            state.maps.borrow_mut().push(map);
            made_value("map", map);
        }
    }
}

fn decode(arena: &'static Arena) {
    let options = DecodeOptions::new().memory_limit([1 << 20, 300, 2000][random(3) as usize]);
    let hosts = &state().hosts;
    match random(8) {
        0 | 1 => {
            if let Ok(host) = options.decode_buf::<Host<'_>>(Input::of(wire()), arena) {
                made_host("decode_buf", host);
            }
        }
        2 => {
            if let Ok(host) = options.decode::<Host<'_>>(&wire(), arena) {
                made_host("decode", host);
            }
        }
        3 => {
            if let Ok(host) = options.decode_borrowed::<Host<'_>>(arena.alloc_slice_copy(&wire()), arena) {
                made_host("decode_borrowed", host);
            }
        }
        4 => {
            let Some(mut host) = one_of(hosts) else { return };
            let before = quietly(|| shown(&host));
            let outcome = catch_unwind(AssertUnwindSafe(|| options.merge(&mut host, &wire(), arena)));
            if !matches!(outcome, Ok(Ok(()))) {
                assert_eq!(quietly(|| shown(&host)), before);
            }
            made_host("merge", host);
        }
        5 => {
            let options = FrameOptions::new().decode_options(options);
            let mut reader = FrameReader::with_capacity(16, Input::of(delimited(&wire())), options);
            if let Ok(Some(host)) = reader.read::<Host<'_>>(arena) {
                made_host("frame", host);
            }
        }
        6 => {
            let Some(host) = one_of(hosts) else { return };
            if let Some(Ok(inner)) = host.lazy.map(|lazy| lazy.get(arena)) {
                made_host("lazy", inner);
            }
            if let Ok(levels) = LEVELS.get(&host, arena) {
                made_value("extension", levels);
            }
            if let Ok(Some(inner)) = HOST.get(&host, arena) {
                made_host("extended", *inner);
            }
        }
        _ => {
            let holder = |name| registry().extension("m.Host", name).expect("added").holder();
            let ty = [MessageType::of::<Host<'static>>(), holder("m.levels"), holder("m.host")][random(3) as usize];
            let mut wire = wire();
            if one_in(2) {
                wire = [&[0xaa, 6][..], &delimited(&wire), &[0xa0, 6, 1, 0xa0, 6, 2]].concat();
            }
            let Ok(mut message) = DynamicMessage::decode_with(ty, &wire, &options, arena) else { return };
            let before = quietly(|| message.encode_to_vec());
            let outcome = catch_unwind(AssertUnwindSafe(|| message.merge_with(&wire, &options, arena)));
            if !matches!(outcome, Ok(Ok(()))) {
                assert_eq!(quietly(|| message.encode_to_vec()), before);
            }
            let message = message.into_ref();
            made("dynamic", move || format!("{message:?} {:?}", message.unknown_fields()));
        }
    }
}

fn edit(arena: &'static Arena) {
    let Some(mut host) = one_of(&state().hosts) else { return };
    match random(4) {
        0 => {
            let bytes = vec![7; random(40) as usize];
            host.unknown_fields.add(200 + random(3) as u32, UnknownValue::LengthDelimited(&bytes), arena);
            host.unknown_fields.remove(200 + random(3) as u32, arena);
            made_host("unknown fields", host);
        }
        1 => {
            LEVELS.set(&mut host, &[Level(1), Level(2)], arena);
            if one_in(2) {
                LEVELS.add(&mut host, Level(1), arena);
            }
            if let Some(other) = one_of(&state().hosts) {
                HOST.set(&mut host, &other, arena);
            }
            made_host("extensions", host);
        }
        2 => {
            let lazy = Lazy::encoded(&host, arena);
            made("lazy bytes", move || format!("{lazy:?} {}", lazy.encoded_len()));
        }
        _ => {
            let field = |number| Host::DESCRIPTOR.field(number).expect("it has");
            let level = |number| Value::Enum(number % 3);
            let mut message = DynamicMessage::new(MessageType::of::<Host<'static>>(), arena);
            let texts = Numbers(random(9)).map(|number| Value::String(["a", "bb", "ccc"][number as usize % 3]));
            let _ = message.set_list(field(5), texts, arena);
            let _ = message.set_list(field(3), Numbers(random(9)).map(level), arena);
            let _ = message.extend_list(field(3), Numbers(random(9)).map(Value::Enum), arena);
            let entry = |number| (Value::I32(number), level(number));
            let _ = message.set_map(field(4), Numbers(random(9)).map(entry), arena);
            let _ = message.extend_map(field(4), Numbers(random(9)).map(entry), arena);
            made_value("dynamic fields", message.into_ref());
        }
    }
}

/// Into bytes, JSON and text, and from them.
fn convert(arena: &'static Arena) {
    let Some(host) = one_of(&state().hosts) else { return };
    match random(6) {
        0 => {
            let wire = host.encode_in(arena);
            assert_eq!(wire, quietly(|| host.encode_to_vec()));
            made_value("wire", wire);
        }
        1 => {
            if let Ok(text) = json::EncodeOptions::new().resolver(&Finder).encode_in(&host, arena) {
                made_value("json", text);
            }
        }
        2 => {
            let Ok(mut text) = quietly(|| json::EncodeOptions::new().resolver(&Finder).encode(&host)) else { return };
            if one_in(3) {
                text.pop();
            }
            let memory = [1 << 20, 500][random(2) as usize];
            let options = json::DecodeOptions::new().resolver(&Finder).memory_limit(memory);
            if one_in(2) {
                if let Ok(host) = options.decode::<Host<'_>>(&text, arena) {
                    made_host("of json", host);
                }
            } else if let Ok(message) = options.decode_message(Host::DESCRIPTOR, &text, arena) {
                made_value("message of json", message);
            }
        }
        3 => {
            let mut text = quietly(|| text::EncodeOptions::new().resolver(&Finder).encode(&host));
            if one_in(3) {
                text.push_str(" id: x");
            }
            let options = text::DecodeOptions::new().resolver(&Finder);
            if one_in(2) {
                if let Ok(host) = options.decode::<Host<'_>>(&text, arena) {
                    made_host("of text", host);
                }
            } else if let Ok(message) = options.decode_message(Host::DESCRIPTOR, &text, arena) {
                made_value("message of text", message);
            }
        }
        4 => made_value("text", text::EncodeOptions::new().resolver(&Finder).encode_in(&host, arena)),
        _ => {
            let _ = text::EncodeOptions::new().resolver(&Finder).encode_to(&host, &mut Writer(String::new()));
        }
    }
}

/// Messages to begin with.
fn wires() -> Vec<Vec<u8>> {
    let arena = Arena::new();
    let levels = &[Level(1), Level(2), Level(1)];
    let leaf = Host { id: 3, level: Some(Level(1)), levels, texts: &["one", "two"], ..Host::default() };
    let all = Host {
        hosts: &[leaf, leaf],
        host: Some(&leaf),
        level_of: Map::new(&arena, [(3, Level(1)), (1, Level(2))]),
        host_of: Map::new(&arena, [("k", leaf), ("b", leaf)]),
        groups: &[leaf],
        lazy: Some(Lazy::encoded(&leaf, &arena)),
        ..leaf
    };
    vec![
        leaf.encode_to_vec(),
        all.encode_to_vec(),
        vec![8, 1, 0x82, 0x06, 2, b'h', b'i', 8, 2],
        // Levels that it has, and one that it has not.
        vec![0x18, 1, 0x18, 9, 0x18, 2, 0x10, 9, 0xa0, 6, 1, 0xa0, 6, 2],
        // Entries out of order, and lists that take turns.
        (0..40).rev().flat_map(|key| [0x22, 4, 8, key, 16, 1 + key % 2]).collect(),
        (0..20).flat_map(|key| [0x32, 4, 0x10, 1, 0x18, 2, 0x5a, 1, key]).collect(),
    ]
}

#[test]
fn whatever_happens_in_the_middle_all_stays_what_it_was() {
    let rounds = if cfg!(miri) { 4 } else { 1500 };
    let state = state();
    state.quiet.set(true);
    state.random.set(1);
    let mut registry = Registry::new();
    registry.add_extension(&LEVELS).add_extension(&HOST).add::<Host<'static>>();
    state.registry.set(Some(leak(registry)));
    state.wires.replace(wires());
    for round in 1..=rounds {
        state.random.set(u64::wrapping_mul(round, 0x9e37_79b9_7f4a_7c15) | 1);
        let arena = leak(Arena::with_capacity([0, 300, 4096, 20_000][random(4) as usize]));
        state.arena.set(Some(arena));
        for _ in 0..12 {
            state.fuel.set([60, 3, 6, 15][random(4) as usize]);
            state.rate.set([6, 2, 20][random(3) as usize]);
            state.panics.set([80, 8, 20][random(3) as usize]);
            step();
            arena.set_limit(None);
            // Over what was given back.
            arena.alloc_slice_copy(&[0xee_u8; 300]);
            look();
        }
        state.made.borrow_mut().clear();
        state.vecs.borrow_mut().clear();
        state.lists.borrow_mut().clear();
        state.maps.borrow_mut().clear();
        state.hosts.borrow_mut().clear();
    }
    let [ended, panicked] = state.steps.get();
    assert!(cfg!(miri) || (ended > 20 * rounds && panicked > 2 * rounds), "{ended} steps, {panicked} panics");
}
