//! Programs over the arena API: each byte string is a program, and a model of standard collections runs beside it.
//!
//! A program allocates, grows lists and maps, encodes and decodes messages, sets limits, and resets. Its iterators allocate in
//! the same arena and panic. After every step each live value must equal its model, so that memory given out twice shows.
//!
//! The fuzz target `arena` runs this file, too.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Once;

use bytes::Buf as _;
use defiant::pool::{ArenaPool, PoolOptions, PooledArena};
use defiant::{Arena, Encoder, Map, MapKey, Message, UnknownFields, arena};

/// Live values of one kind. The oldest is forgotten beyond that.
const LIVE: usize = 16;
/// Elements of a list that may still grow.
const LONGEST: usize = 2000;
/// What an arena holds beyond its limit: the bookkeeping of its chunks.
const BOOKKEEPING: usize = 1024;

/// Runs a program, and returns what went wrong.
pub(crate) fn run(program: &[u8]) -> Result<(), String> {
    silence_expected_panics();
    let mut program = Program(program);
    let mut pool = Pool::new(&mut program);
    let mut encoder = Encoder::new().vectored_threshold(usize::from(program.byte()));
    let mut arena = Place::new(&mut program, &mut pool)?;
    let mut peak = 0;
    while !program.0.is_empty() {
        let mut round = Round::new(&arena);
        while !program.0.is_empty() {
            let op = program.byte();
            if op >= 0xf8 {
                break;
            }
            round.step(op, &mut program, &mut encoder)?;
            round.check()?;
        }
        drop(round);
        peak = arena.used_bytes().max(peak);
        let how = program.byte() % 4;
        if how == 3 {
            // With its limit, which must not reach the next user.
            arena.give_back(&mut pool)?;
            arena = Place::new(&mut program, &mut pool)?;
            peak = 0;
        } else {
            let keep = if how == 0 { usize::MAX } else { 64 * usize::from(program.byte()) };
            match how {
                0 => arena.reset(),
                1 => arena.reset_and_trim(keep),
                _ => {
                    arena.set_keep(Some(keep));
                    arena.reset();
                    arena.set_keep(None);
                }
            }
            expect(arena.held_bytes() <= keep, || format!("{} bytes held, {keep} kept", arena.held_bytes()))?;
            arena.set_limit(None);
        }
        expect(arena.used_bytes() == 0, || format!("{} bytes used after a reset", arena.used_bytes()))?;
        expect(arena.peak_bytes() >= peak, || format!("peak of {} bytes after {peak}", arena.peak_bytes()))?;
    }
    arena.give_back(&mut pool)
}

fn expect(holds: bool, what: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what()) }
}

/// The rest of a program. Zeros follow its end.
struct Program<'p>(&'p [u8]);

impl Program<'_> {
    fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    /// An index below `len`, if there is one.
    fn pick(&mut self, len: usize) -> Option<usize> {
        usize::from(self.byte()).checked_rem(len)
    }
}

/// The payload of a panic in an iterator.
struct Planted;

thread_local! {
    /// Whether a panic on this thread may be part of the program.
    static EXPECTED: Cell<bool> = const { Cell::new(false) };
}

/// Fuzzers abort in the panic hook, before a panic could be caught.
fn silence_expected_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !EXPECTED.get() {
                hook(info);
            }
        }));
    });
}

/// Runs user code or an allocation. `None` after a planted panic, or after the limit was reached where one is set.
fn attempt<R>(is_limited: bool, run: impl FnOnce() -> R) -> Result<Option<R>, String> {
    EXPECTED.set(true);
    let outcome = catch_unwind(AssertUnwindSafe(run));
    EXPECTED.set(false);
    let payload = match outcome {
        Ok(value) => return Ok(Some(value)),
        Err(payload) => payload,
    };
    match payload.downcast_ref::<&str>() {
        None if payload.is::<Planted>() => Ok(None),
        Some(text) if is_limited && text.contains("limit") => Ok(None),
        _ => Err(format!("panics: {:?}", payload.downcast_ref::<&str>())),
    }
}

/// An arena of its own, or one of a pool.
enum Place {
    Own(Arena),
    Pooled(PooledArena),
}

/// A pool, and a model of its statistics.
struct Pool {
    pool: ArenaPool,
    idle_limit: usize,
    keep: usize,
    taken: u64,
    created: u64,
    discarded: u64,
    idle: usize,
}

impl Pool {
    fn new(program: &mut Program<'_>) -> Self {
        let (idle_limit, keep) = (usize::from(program.byte() % 2), 64 * usize::from(program.byte()));
        let pool = ArenaPool::new(PoolOptions::new().idle(idle_limit).keep(keep));
        Pool { pool, idle_limit, keep, taken: 0, created: 0, discarded: 0, idle: 0 }
    }

    fn check(&self, in_use: usize) -> Result<(), String> {
        let stats = self.pool.stats();
        let counted = (stats.taken, stats.created, stats.discarded, stats.in_use, stats.idle);
        let expected = (self.taken, self.created, self.discarded, in_use, self.idle);
        expect(counted == expected, || format!("the pool counts {counted:?}, expected {expected:?}"))
    }
}

impl Place {
    fn new(program: &mut Program<'_>, pool: &mut Pool) -> Result<Self, String> {
        Ok(match program.byte() % 3 {
            0 => Place::Own(Arena::new()),
            1 => Place::Own(Arena::with_capacity(16 * usize::from(program.byte()))),
            _ => {
                pool.taken += 1;
                pool.created += u64::from(pool.idle == 0);
                pool.idle = pool.idle.saturating_sub(1);
                let arena = pool.pool.take();
                pool.check(1)?;
                Place::Pooled(arena)
            }
        })
    }

    fn give_back(&mut self, pool: &mut Pool) -> Result<(), String> {
        if let Place::Pooled(arena) = std::mem::replace(self, Place::Own(Arena::new())) {
            let mut arena = arena;
            arena.reset_and_trim(usize::MAX);
            if pool.idle < pool.idle_limit && arena.held_bytes() <= pool.keep {
                pool.idle += 1;
            } else {
                pool.discarded += 1;
            }
            drop(arena);
        }
        pool.check(0)
    }
}

impl std::ops::Deref for Place {
    type Target = Arena;

    fn deref(&self) -> &Arena {
        match self {
            Place::Own(arena) => arena,
            Place::Pooled(arena) => arena,
        }
    }
}

impl std::ops::DerefMut for Place {
    fn deref_mut(&mut self) -> &mut Arena {
        match self {
            Place::Own(arena) => arena,
            Place::Pooled(arena) => arena,
        }
    }
}

/// Values of different sizes and alignments.
trait Element: Copy + PartialEq + Debug {
    fn new(byte: u8) -> Self;
}

impl Element for u8 {
    fn new(byte: u8) -> Self {
        byte
    }
}

impl Element for u32 {
    fn new(byte: u8) -> Self {
        u32::from(byte) << (byte % 25)
    }
}

/// Three bytes: no power of two.
impl Element for [u8; 3] {
    fn new(byte: u8) -> Self {
        [byte, !byte, byte ^ 0x55]
    }
}

/// More aligned than the regions of an arena.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(32))]
struct Wide(u8);

impl Element for Wide {
    fn new(byte: u8) -> Self {
        Wide(byte)
    }
}

impl Element for () {
    fn new(_: u8) -> Self {}
}

/// A slice and its model.
type Slice<'a, T> = (&'a [T], Vec<T>);

/// Remembers a value, and forgets the oldest of too many.
fn keep<T>(all: &mut Vec<T>, value: T) {
    if all.len() >= LIVE {
        all.remove(0);
    }
    all.push(value);
}

/// An iterator of the user: allocates in the arena, panics, and is wrong about its length.
struct Meddler<'a, 's, T> {
    arena: &'a Arena,
    items: std::slice::Iter<'s, T>,
    given: usize,
    allocates_at: usize,
    panics_at: usize,
    hint: usize,
    made: &'s mut Vec<Slice<'a, u8>>,
}

impl<'a, 's, T> Meddler<'a, 's, T> {
    fn new(items: &'s [T], arena: &'a Arena, program: &mut Program<'_>, made: &'s mut Vec<Slice<'a, u8>>) -> Self {
        let mode = program.byte();
        let at = usize::from(mode >> 4);
        Meddler {
            arena,
            items: items.iter(),
            given: 0,
            allocates_at: if mode & 1 != 0 { at } else { usize::MAX },
            panics_at: if mode & 2 != 0 { at + 1 } else { usize::MAX },
            hint: match mode >> 2 & 3 {
                0 | 1 => items.len(),
                2 => 0,
                _ => items.len() + 5,
            },
            made,
        }
    }
}

impl<T: Copy> Iterator for Meddler<'_, '_, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        if self.given == self.allocates_at {
            let model = vec![0xa5; 1 + self.given];
            keep(self.made, (self.arena.alloc_slice_copy(&model), model));
        }
        if self.given == self.panics_at {
            resume_unwind(Box::new(Planted));
        }
        self.given += 1;
        self.items.next().copied()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.hint.saturating_sub(self.given), None)
    }
}

/// Lists of one element type.
struct Lists<'a, T> {
    slices: Vec<Slice<'a, T>>,
    mutable: Vec<(&'a mut [T], Vec<T>)>,
    vecs: Vec<(arena::Vec<'a, T>, Vec<T>)>,
}

impl<'a, T: Element> Lists<'a, T> {
    fn new() -> Self {
        Lists { slices: vec![(&[], vec![])], mutable: Vec::new(), vecs: Vec::new() }
    }

    fn slice(&self, program: &mut Program<'_>) -> Slice<'a, T> {
        program.pick(self.slices.len()).map_or((&[], vec![]), |index| self.slices[index].clone())
    }

    /// New elements.
    fn items(program: &mut Program<'_>) -> Vec<T> {
        let first = program.byte();
        (0..first % 20).map(|step| T::new(first.wrapping_add(step))).collect()
    }

    fn step(
        &mut self,
        op: u8,
        program: &mut Program<'_>,
        arena: &'a Arena,
        is_limited: bool,
        made: &mut Vec<Slice<'a, u8>>,
    ) -> Result<(), String> {
        match op % 12 {
            0 => {
                let value = T::new(program.byte());
                if let Some(place) = attempt(is_limited, || arena.alloc(value))? {
                    keep(&mut self.mutable, (std::slice::from_mut(place), vec![value]));
                }
            }
            1 => {
                let model = Self::items(program);
                if let Some(slice) = attempt(is_limited, || arena.alloc_slice_copy(&model))? {
                    keep(&mut self.mutable, (slice, model));
                }
            }
            2 => {
                let capacity = usize::from(program.byte() % 40);
                if let Some(vec) = attempt(is_limited, || arena.vec_with_capacity(capacity))? {
                    keep(&mut self.vecs, (vec, vec![]));
                }
            }
            3 => {
                let Some(index) = program.pick(self.vecs.len()) else { return Ok(()) };
                let value = T::new(program.byte());
                let (vec, model) = &mut self.vecs[index];
                if attempt(is_limited, || vec.push(value))?.is_some() {
                    model.push(value);
                }
            }
            4 => {
                let Some(index) = program.pick(self.vecs.len()) else { return Ok(()) };
                let items = Self::items(program);
                let (vec, model) = &mut self.vecs[index];
                let before = model.len();
                let meddler = Meddler::new(&items, arena, program, made);
                let outcome = attempt(is_limited, || vec.extend(meddler))?;
                model.extend(&items);
                if outcome.is_none() {
                    // The elements before the panic are there.
                    expect((before..=model.len()).contains(&vec.len()), || "a panic changed the length".to_owned())?;
                    model.truncate(vec.len());
                }
            }
            5 => {
                let Some(index) = program.pick(self.vecs.len()) else { return Ok(()) };
                let (slice, items) = self.slice(program);
                let (vec, model) = &mut self.vecs[index];
                if model.len() < LONGEST && attempt(is_limited, || vec.extend_from_slice(slice))?.is_some() {
                    model.extend(items);
                }
            }
            6 => {
                let Some(index) = program.pick(self.vecs.len()) else { return Ok(()) };
                let (vec, model) = self.vecs.swap_remove(index);
                if program.byte() % 2 == 0 {
                    keep(&mut self.slices, (vec.into_slice(), model));
                } else {
                    keep(&mut self.mutable, (vec.into_slice_mut(), model));
                }
            }
            7 => {
                if let Some(index) = program.pick(self.vecs.len()) {
                    self.vecs.swap_remove(index);
                }
            }
            8 => {
                let ((list, mut model), value) = (self.slice(program), T::new(program.byte()));
                if let Some(list) = attempt(is_limited, || arena.append(list, value))? {
                    model.push(value);
                    keep(&mut self.slices, (list, model));
                }
            }
            9 => {
                let ((list, mut model), (other, items)) = (self.slice(program), self.slice(program));
                if model.len() + items.len() > LONGEST {
                    return Ok(());
                }
                if let Some(list) = attempt(is_limited, || arena.append_slice(list, other))? {
                    model.extend(items);
                    keep(&mut self.slices, (list, model));
                }
            }
            10 => {
                let (list, model) = self.slice(program);
                let from = program.pick(list.len() + 1).unwrap_or_default();
                let to = from + program.pick(list.len() - from + 1).unwrap_or_default();
                keep(&mut self.slices, (&list[from..to], model[from..to].to_vec()));
            }
            _ => {
                let value = T::new(program.byte());
                let of_vec = program.byte() % 2 == 0;
                let change = |slice: &mut [T], model: &mut [T], index: Option<usize>| {
                    if let Some((place, model)) = index.and_then(|at| slice.get_mut(at).zip(model.get_mut(at))) {
                        (*place, *model) = (value, value);
                    }
                };
                if of_vec {
                    let Some(index) = program.pick(self.vecs.len()) else { return Ok(()) };
                    let (vec, model) = &mut self.vecs[index];
                    let at = program.pick(model.len());
                    change(vec, model, at);
                } else {
                    let Some(index) = program.pick(self.mutable.len()) else { return Ok(()) };
                    let (slice, model) = &mut self.mutable[index];
                    let at = program.pick(model.len());
                    change(slice, model, at);
                }
            }
        }
        Ok(())
    }

    /// Bytes of the values that share no memory with others.
    fn unshared_bytes(&self) -> usize {
        let mutable = self.mutable.iter().map(|one| size_of_val(&*one.0));
        mutable.chain(self.vecs.iter().map(|one| size_of_val(&*one.0))).sum()
    }

    fn check(&self) -> Result<(), String> {
        let slices = self.slices.iter().map(|(slice, model)| (*slice, model));
        let mutable = self.mutable.iter().map(|(slice, model)| (&**slice, model));
        let vecs = self.vecs.iter().map(|(vec, model)| (&**vec, model));
        for (slice, model) in slices.chain(mutable).chain(vecs) {
            expect(slice.as_ptr().is_aligned(), || format!("{:p} is not aligned", slice.as_ptr()))?;
            expect(slice == model, || format!("a list is {slice:?}, expected {model:?}"))?;
        }
        Ok(())
    }
}

type Removal<'a, K, V> = fn(Map<'a, K, V>, &'a Arena, &K) -> Map<'a, K, V>;

/// Maps of one type, each with its model.
struct Maps<'a, K, V> {
    all: Vec<(Map<'a, K, V>, BTreeMap<K, V>)>,
    remove: Removal<'a, K, V>,
}

impl<'a, K: MapKey + Debug + 'a, V: Copy + PartialEq + Debug + 'a> Maps<'a, K, V> {
    fn new(remove: Removal<'a, K, V>) -> Self {
        Maps { all: Vec::new(), remove }
    }

    fn step(
        &mut self,
        op: u8,
        program: &mut Program<'_>,
        items: &[(K, V)],
        arena: &'a Arena,
        is_limited: bool,
        made: &mut Vec<Slice<'a, u8>>,
    ) -> Result<(), String> {
        let (map, mut model) =
            program.pick(self.all.len()).map_or((Map::EMPTY, BTreeMap::new()), |index| self.all[index].clone());
        let Some((key, value)) = items.first().copied() else { return Ok(()) };
        let map = match op % 4 {
            0 => {
                model.insert(key, value);
                attempt(is_limited, || map.insert_in(arena, key, value))?
            }
            1 => {
                model.extend(items.iter().copied());
                let meddler = Meddler::new(items, arena, program, made);
                attempt(is_limited, || map.extend_in(arena, meddler))?
            }
            2 => {
                let key = program.pick(model.len()).and_then(|index| model.keys().nth(index).copied()).unwrap_or(key);
                model.remove(&key);
                attempt(is_limited, || (self.remove)(map, arena, &key))?
            }
            _ => {
                model = items.iter().copied().collect();
                let meddler = Meddler::new(items, arena, program, made);
                attempt(is_limited, || Map::new(arena, meddler))?
            }
        };
        if let Some(map) = map {
            keep(&mut self.all, (map, model));
        }
        Ok(())
    }

    fn check(&self) -> Result<(), String> {
        for (map, model) in &self.all {
            let is_same = map.iter().map(|entry| (&entry.0, &entry.1)).eq(model);
            expect(is_same, || format!("a map is {:?}, expected {model:?}", map.entries()))?;
        }
        Ok(())
    }
}

/// A message of lists and maps.
#[derive(Clone, Copy, Debug, PartialEq, Message)]
struct Parcel<'arena> {
    #[defiant(uint32, tag = 1)]
    id: u32,
    #[defiant(bytes, tag = 2)]
    data: &'arena [u8],
    #[defiant(fixed32, repeated, tag = 3)]
    numbers: &'arena [u32],
    #[defiant(map = "string, bytes", tag = 4)]
    entries: Map<'arena, &'arena str, &'arena [u8]>,
    #[defiant(message, repeated, tag = 5)]
    parcels: &'arena [Parcel<'arena>],
    #[defiant(unknown)]
    unknown_fields: UnknownFields<'arena>,
}

/// The wire of a [`Parcel`], which is its model: equal parcels have equal wires.
#[derive(Clone)]
struct Wire {
    /// All fields but the parcels.
    own: Vec<u8>,
    parcels: Vec<Vec<u8>>,
}

impl Wire {
    fn new(id: u32, data: &[u8], numbers: &[u32], entries: &BTreeMap<&str, &[u8]>) -> Self {
        let mut own = Vec::new();
        if id != 0 {
            own.push(0x08);
            varint(&mut own, id as usize);
        }
        if !data.is_empty() {
            field(&mut own, 0x12, data);
        }
        if !numbers.is_empty() {
            field(&mut own, 0x1a, &numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<_>>());
        }
        for (key, value) in entries {
            let mut entry = Vec::new();
            field(&mut entry, 0x0a, key.as_bytes());
            field(&mut entry, 0x12, value);
            field(&mut own, 0x22, &entry);
        }
        Wire { own, parcels: Vec::new() }
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.own.clone();
        self.parcels.iter().for_each(|parcel| field(&mut bytes, 0x2a, parcel));
        bytes
    }
}

fn varint(to: &mut Vec<u8>, mut value: usize) {
    while value >= 0x80 {
        to.push(value as u8 | 0x80);
        value >>= 7;
    }
    to.push(value as u8);
}

fn field(to: &mut Vec<u8>, tag: u8, bytes: &[u8]) {
    to.push(tag);
    varint(to, bytes.len());
    to.extend_from_slice(bytes);
}

/// Everything between two resets.
struct Round<'a> {
    arena: &'a Arena,
    limit: Option<usize>,
    bytes: Lists<'a, u8>,
    numbers: Lists<'a, u32>,
    triples: Lists<'a, [u8; 3]>,
    wide: Lists<'a, Wide>,
    units: Lists<'a, ()>,
    by_number: Maps<'a, u32, u8>,
    by_text: Maps<'a, &'a str, &'a [u8]>,
    texts: Vec<(&'a str, String)>,
    parcels: Vec<(Parcel<'a>, Wire)>,
    /// What iterators allocated.
    made: Vec<Slice<'a, u8>>,
}

impl<'a> Round<'a> {
    fn new(arena: &'a Arena) -> Self {
        Round {
            arena,
            limit: None,
            bytes: Lists::new(),
            numbers: Lists::new(),
            triples: Lists::new(),
            wide: Lists::new(),
            units: Lists::new(),
            by_number: Maps::new(|map, arena, key| map.remove_in(arena, key)),
            by_text: Maps::new(|map, arena, key| map.remove_in(arena, *key)),
            texts: vec![("", String::new())],
            parcels: Vec::new(),
            made: Vec::new(),
        }
    }

    fn step(&mut self, op: u8, program: &mut Program<'_>, encoder: &mut Encoder) -> Result<(), String> {
        let (arena, is_limited) = (self.arena, self.limit.is_some());
        let made = &mut self.made;
        match op {
            0..0x30 => self.bytes.step(op, program, arena, is_limited, made),
            0x30..0x60 => self.numbers.step(op, program, arena, is_limited, made),
            0x60..0x78 => self.triples.step(op, program, arena, is_limited, made),
            0x78..0x90 => self.wide.step(op, program, arena, is_limited, made),
            0x90..0x9c => self.units.step(op, program, arena, is_limited, made),
            0x9c..0xb0 => {
                let items: Vec<_> = Lists::items(program);
                let items: Vec<(u32, u8)> = items.iter().map(|item: &u8| (u32::from(item % 64), *item)).collect();
                self.by_number.step(op, program, &items, arena, is_limited, made)
            }
            0xb0..0xc0 => {
                let count = program.byte() % 8;
                let texts = &self.texts;
                let bytes = &self.bytes;
                let item = |_| {
                    let text = texts[program.pick(texts.len()).unwrap_or_default()].0;
                    (text, bytes.slice(program).0)
                };
                let items: Vec<_> = (0..count).map(item).collect();
                self.by_text.step(op, program, &items, arena, is_limited, made)
            }
            0xc0..0xc8 => {
                let model: String = Lists::<u8>::items(program).iter().map(|byte| char::from(*byte)).collect();
                if let Some(text) = attempt(is_limited, || arena.alloc_str(&model))? {
                    keep(&mut self.texts, (text, model));
                }
                Ok(())
            }
            0xc8..0xe0 => self.build(program),
            0xe0..0xf0 => self.encode_and_decode(op, program, encoder),
            _ => {
                let byte = program.byte();
                self.limit = (byte != 0).then(|| arena.held_bytes() + 16 * usize::from(byte));
                arena.set_limit(self.limit);
                Ok(())
            }
        }
    }

    /// Makes a parcel of lists that there are.
    fn build(&mut self, program: &mut Program<'_>) -> Result<(), String> {
        let (id, (data, data_model)) = (u32::from(program.byte()), self.bytes.slice(program));
        let (numbers, numbers_model) = self.numbers.slice(program);
        let entries = program.pick(self.by_text.all.len()).map(|index| &self.by_text.all[index]);
        let mut parcel = Parcel { id, data, numbers, ..Parcel::default() };
        let none = BTreeMap::new();
        if let Some((entries, _)) = entries {
            parcel.entries = *entries;
        }
        let mut wire = Wire::new(id, &data_model, &numbers_model, entries.map_or(&none, |entries| &entries.1));
        // The parcels of another one, and one more.
        if let Some(index) = program.pick(self.parcels.len()) {
            let (other, other_wire) = &self.parcels[index];
            if other_wire.bytes().len() < LONGEST {
                let (arena, is_limited) = (self.arena, self.limit.is_some());
                let Some(parcels) = attempt(is_limited, || arena.append(other.parcels, *other))? else { return Ok(()) };
                parcel.parcels = parcels;
                wire.parcels = other_wire.parcels.clone();
                wire.parcels.push(other_wire.bytes());
            }
        }
        keep(&mut self.parcels, (parcel, wire));
        Ok(())
    }

    fn encode_and_decode(&mut self, op: u8, program: &mut Program<'_>, encoder: &mut Encoder) -> Result<(), String> {
        let Some(index) = program.pick(self.parcels.len()) else { return Ok(()) };
        let (parcel, wire) = &self.parcels[index];
        let (arena, is_limited, wire, bytes) = (self.arena, self.limit.is_some(), wire.clone(), wire.bytes());
        match op % 4 {
            0 => {
                let encoded = encoder.encode(parcel);
                expect(encoded == bytes, || format!("encoded as {encoded:x?}, expected {bytes:x?}"))?;
                if let Some(encoded) = attempt(is_limited, || parcel.encode_in(arena))? {
                    keep(&mut self.bytes.slices, (encoded, bytes));
                }
            }
            1 => {
                let mut pieces = encoder.encode_vectored(parcel);
                let read = program.pick(pieces.len() + 1).unwrap_or_default();
                pieces.advance(read);
                let rest: Vec<u8> = pieces.iter().flatten().copied().collect();
                expect(rest == bytes[read..], || format!("pieces {rest:x?} after {read} of {bytes:x?}"))?;
            }
            2 => match Parcel::decode(&bytes, arena) {
                Ok(parcel) => keep(&mut self.parcels, (parcel, wire)),
                Err(error) => expect(is_limited && error.is_memory_limit(), || format!("{bytes:x?}: {error}"))?,
            },
            _ => {
                // A decode that fails gives its memory back, unless it took a new chunk.
                let (used, held) = (arena.used_bytes(), arena.held_bytes());
                let broken = [&bytes[..], &[0x0a]].concat();
                let decoded = Parcel::decode(&broken, arena);
                expect(decoded.is_err(), || format!("{broken:x?} decodes as {decoded:?}"))?;
                let is_back = arena.held_bytes() != held || arena.used_bytes() == used;
                expect(is_back, || format!("{} bytes used after a failed decode, {used} before", arena.used_bytes()))?;
            }
        }
        Ok(())
    }

    /// Compares every live value with its model.
    fn check(&self) -> Result<(), String> {
        self.bytes.check()?;
        self.numbers.check()?;
        self.triples.check()?;
        self.wide.check()?;
        self.units.check()?;
        self.by_number.check()?;
        self.by_text.check()?;
        for (text, model) in &self.texts {
            expect(text == model, || format!("a string is {text:?}, expected {model:?}"))?;
        }
        for (slice, model) in &self.made {
            expect(slice == model, || format!("a slice is {slice:?}, expected {model:?}"))?;
        }
        for (parcel, wire) in &self.parcels {
            let (bytes, expected) = (parcel.encode_to_vec(), wire.bytes());
            expect(bytes == expected, || format!("a parcel is {bytes:x?}, expected {expected:x?}"))?;
        }
        let unshared = self.bytes.unshared_bytes() + self.numbers.unshared_bytes() + self.triples.unshared_bytes();
        let (unshared, used) = (unshared + self.wide.unshared_bytes(), self.arena.used_bytes());
        expect(used >= unshared, || format!("{used} bytes used, of which {unshared} are referred to"))?;
        expect(used <= self.arena.held_bytes(), || format!("{used} bytes used of {}", self.arena.held_bytes()))?;
        if let Some(limit) = self.limit {
            let held = self.arena.held_bytes();
            expect(held <= limit + BOOKKEEPING, || format!("{held} bytes held with a limit of {limit}"))?;
        }
        Ok(())
    }
}
