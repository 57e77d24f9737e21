//! Packed numbers: Defiant, prost and memcpy on payloads made here, the same in every run.

use std::error::Error;
use std::hint::black_box;

use defiant::{Arena, Encoder, Message};
use prost::Message as _;

use crate::generated::defiant::packed as ours;
use crate::generated::prost::packed as theirs;
use crate::libraries::{ALL, DEFIANT, PROST};
use crate::loops::{Loop, run};
use crate::offer::Library;
use crate::offer::Memory::{self, Fresh, Reused};
use crate::program::{Plan, Program};
use crate::record::Record;
use crate::side_by_side;

/// The name of what copies bytes and does nothing else.
pub const MEMCPY: &str = "memcpy";

/// `benchmarks packed`.
pub const PROGRAM: Program<Payload> = Program {
    help: "\
Packed numbers beside prost and memcpy: checks every answer, then times.

  benchmarks packed [quick] [--payload NAME] [--library NAME] [--task NAME] [--rounds N] [--record FILE.csv]
      quick        7 rounds, not 41
      --payload    signed | tile | columns | small | doubles_8mib | doubles_64mb
      --library    defiant | prost | memcpy
      --task       decode | encode | encoded_len
  benchmarks packed callgrind LIBRARY PAYLOAD TASK VARIANT TIMES
      runs one operation TIMES times and nothing else; VARIANT is a part of its name
",
    options: ["--payload", "--library"],
    all: &Payload::ALL,
    named: Payload::from_name,
    record,
    repeat,
    remark: "memcpy copies the bytes of the message: less than anyone can do who reads or writes it, but for borrowing.",
};

/// A payload and the message types that read it.
trait Subject {
    type Defiant<'arena>: Message<'arena>;
    type Prost: prost::Message + Default + PartialEq + Clone + 'static;
}

macro_rules! subjects {
    ($($message:ident)*) => {$(
        struct $message;
        impl Subject for $message {
            type Defiant<'arena> = ours::$message<'arena>;
            type Prost = theirs::$message;
        }
    )*};
}
subjects! { Signed Tile Columns Small Doubles }

/// The payloads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload {
    /// 1.5 KB of `sint32`, `sint64` and `int64` of all lengths.
    Signed,
    /// 6 KB of small varints in some forty runs: the commands and deltas of a map's tile.
    Tile,
    /// 23 KB of columns of eight types.
    Columns,
    /// 4 KB of `uint32` below 128.
    Small,
    /// 8 MiB of doubles.
    Doubles8,
    /// 64 MB of doubles.
    Doubles64,
}

impl Payload {
    /// All of them.
    pub const ALL: [Payload; 6] =
        [Payload::Signed, Payload::Tile, Payload::Columns, Payload::Small, Payload::Doubles8, Payload::Doubles64];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Payload::Signed => "signed",
            Payload::Tile => "tile",
            Payload::Columns => "columns",
            Payload::Small => "small",
            Payload::Doubles8 => "doubles_8mib",
            Payload::Doubles64 => "doubles_64mb",
        }
    }

    /// The payload of that name.
    fn from_name(name: &str) -> Option<Payload> {
        Payload::ALL.into_iter().find(|payload| payload.name() == name)
    }

    /// The operations, once every answer is checked.
    fn loops(self) -> Result<Vec<(Loop, Memory)>, Box<dyn Error>> {
        match self {
            Payload::Signed => loops::<Signed>(signed()),
            Payload::Tile => loops::<Tile>(tile()),
            Payload::Columns => loops::<Columns>(columns()),
            Payload::Small => loops::<Small>(small()),
            Payload::Doubles8 => loops::<Doubles>(doubles(1 << 20)),
            Payload::Doubles64 => loops::<Doubles>(doubles(8_000_000)),
        }
    }
}

/// Numbers that look random and are the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// A number of `low..=high` bits.
    fn of_bits(&mut self, low: u64, high: u64) -> u64 {
        let bits = low + self.below(high - low + 1);
        self.next() >> (64 - bits)
    }

    fn sign(&mut self, value: u64) -> i64 {
        if self.next() & 1 == 0 { value as i64 } else { -(value as i64) }
    }
}

fn signed() -> theirs::Signed {
    let mut random = Random(1);
    let mut signed = |low, high, count| -> Vec<i64> {
        (0..count)
            .map(|_| {
                let value = random.of_bits(low, high);
                random.sign(value)
            })
            .collect()
    };
    theirs::Signed {
        steps: signed(1, 16, 300).into_iter().map(|step| step as i32).collect(),
        offsets: signed(1, 40, 150),
        totals: signed(1, 50, 100).into_iter().map(i64::abs).collect(),
    }
}

fn tile() -> theirs::Tile {
    let mut random = Random(2);
    let mut layers = Vec::new();
    for (name, features, shape, points) in [
        ("road", 14, theirs::Shape::Line, 60),
        ("water", 6, theirs::Shape::Polygon, 90),
        ("poi", 20, theirs::Shape::Point, 1),
    ] {
        let mut layer = theirs::Layer { name: name.into(), extent: 4096, version: 2, ..theirs::Layer::default() };
        for id in 0..features {
            let tags = (0..2 * random.below(5)).map(|_| random.below(90) as u32).collect();
            let mut geometry = vec![9];
            for _ in 0..points + random.below(points) {
                for _ in 0..2 {
                    let delta = random.of_bits(1, 8);
                    geometry.push((random.sign(delta) << 1 ^ (random.0 as i64 >> 63 & 1)) as u32 & 0x1ff);
                }
            }
            layer.features.push(theirs::Feature { id: 1000 + id, tags, shape: shape as i32, geometry });
        }
        layers.push(layer);
    }
    theirs::Tile { layers }
}

fn columns() -> theirs::Columns {
    let mut random = Random(3);
    let rows = 640;
    let mut time = 1_700_000_000_000_i64;
    theirs::Columns {
        times: (0..rows)
            .map(|_| {
                time += random.below(1000) as i64;
                time
            })
            .collect(),
        keys: (0..rows).map(|_| random.of_bits(1, 20) as u32).collect(),
        prices: (0..rows).map(|_| random.below(1_000_000) as f64 / 128.0).collect(),
        rates: (0..rows).map(|_| random.below(1000) as f32 / 8.0).collect(),
        changes: (0..rows)
            .map(|_| {
                let change = random.of_bits(1, 24);
                random.sign(change)
            })
            .collect(),
        flags: (0..rows).map(|_| random.next() & 1 == 0).collect(),
        shapes: (0..rows).map(|_| random.below(4) as i32).collect(),
        balances: (0..rows)
            .map(|_| {
                let balance = random.of_bits(1, 20);
                random.sign(balance) as i32
            })
            .collect(),
    }
}

fn small() -> theirs::Small {
    let mut random = Random(4);
    theirs::Small { values: (0..4096).map(|_| random.below(128) as u32).collect() }
}

fn doubles(count: usize) -> theirs::Doubles {
    let mut random = Random(5);
    theirs::Doubles { values: (0..count).map(|_| random.next() as f64).collect() }
}

const SOUND: &str = "checked before it was timed";

/// Checks every answer, then gives the operations.
fn loops<S: Subject>(message: S::Prost) -> Result<Vec<(Loop, Memory)>, Box<dyn Error>> {
    let wire: &'static [u8] = Box::leak(message.encode_to_vec().into_boxed_slice());
    check::<S>(&message, wire)?;
    let mut loops = Vec::new();
    let mut add = |task, library, memory, variant, work: Box<dyn FnMut()>| {
        loops.push((Loop { task, library, variant, bytes: wire.len(), work }, memory));
    };

    let mut arena = Arena::new();
    add(
        "decode",
        "defiant",
        Reused,
        "arena reset",
        Box::new(move || {
            black_box(&S::Defiant::decode(black_box(wire), &arena).expect(SOUND));
            arena.reset();
        }),
    );
    let mut arena = Arena::new();
    add(
        "decode",
        "defiant",
        Reused,
        "borrowed, arena reset",
        Box::new(move || {
            black_box(&S::Defiant::decode_borrowed(black_box(wire), &arena).expect(SOUND));
            arena.reset();
        }),
    );
    add(
        "decode",
        "defiant",
        Fresh,
        "fresh arena",
        Box::new(move || {
            let arena = Arena::new();
            black_box(&S::Defiant::decode(black_box(wire), &arena).expect(SOUND));
        }),
    );
    add(
        "decode",
        "prost",
        Fresh,
        "new message",
        Box::new(move || {
            black_box(&S::Prost::decode(black_box(wire)).expect(SOUND));
        }),
    );
    let mut again = S::Prost::default();
    add(
        "decode",
        "prost",
        Reused,
        "cleared and merged",
        Box::new(move || {
            again.clear();
            again.merge(black_box(wire)).expect(SOUND);
            black_box(&again);
        }),
    );
    add("decode", MEMCPY, Reused, "reused memory", copying(wire));
    add("decode", MEMCPY, Fresh, "fresh memory", Box::new(move || drop(black_box(black_box(wire).to_vec()))));

    let home: &'static Arena = Box::leak(Box::new(Arena::new()));
    let decoded = S::Defiant::decode(wire, home)?;
    let mut encoder = Encoder::new();
    add(
        "encode",
        "defiant",
        Reused,
        "Encoder",
        Box::new(move || {
            black_box(encoder.encode(black_box(&decoded)));
        }),
    );
    let mut arena = Arena::new();
    add(
        "encode",
        "defiant",
        Reused,
        "encode_in, arena reset",
        Box::new(move || {
            black_box(black_box(&decoded).encode_in(&arena));
            arena.reset();
        }),
    );
    add(
        "encode",
        "defiant",
        Fresh,
        "new Vec",
        Box::new(move || {
            black_box(black_box(&decoded).encode_to_vec());
        }),
    );
    let own = message.clone();
    let mut buffer = Vec::with_capacity(wire.len());
    add(
        "encode",
        "prost",
        Reused,
        "cleared Vec",
        Box::new(move || {
            buffer.clear();
            black_box(&own).encode(&mut buffer).expect(SOUND);
            black_box(buffer.as_slice());
        }),
    );
    let own = message.clone();
    add(
        "encode",
        "prost",
        Fresh,
        "new Vec",
        Box::new(move || {
            black_box(black_box(&own).encode_to_vec());
        }),
    );
    add("encode", MEMCPY, Reused, "reused memory", copying(wire));
    add("encode", MEMCPY, Fresh, "fresh memory", Box::new(move || drop(black_box(black_box(wire).to_vec()))));

    add(
        "encoded_len",
        "defiant",
        Reused,
        "-",
        Box::new(move || {
            black_box(black_box(&decoded).encoded_len());
        }),
    );
    add(
        "encoded_len",
        "prost",
        Reused,
        "-",
        Box::new(move || {
            black_box(black_box(&message).encoded_len());
        }),
    );
    Ok(loops)
}

/// A plain copy to memory that is used again, half a page from the source, whole pages aside: nearer to it, some
/// processors take many times as long, which would be no measure.
fn copying(wire: &'static [u8]) -> Box<dyn FnMut()> {
    const PAGE: usize = 4096;
    let mut room = vec![0; wire.len() + PAGE];
    let at = (wire.as_ptr().addr() + PAGE / 2).wrapping_sub(room.as_ptr().addr()) % PAGE;
    Box::new(move || {
        let target = &mut room[at..at + wire.len()];
        target.copy_from_slice(black_box(wire));
        black_box(target);
    })
}

/// Every door gives prost's bytes, and prost reads them as the same message.
fn check<S: Subject>(message: &S::Prost, wire: &'static [u8]) -> Result<(), Box<dyn Error>> {
    let arena = Arena::new();
    for decoded in [S::Defiant::decode(wire, &arena)?, S::Defiant::decode_borrowed(wire, &arena)?] {
        let encoded = decoded.encode_to_vec();
        if encoded != wire || decoded.encode_in(&arena) != wire || Encoder::new().encode(&decoded) != wire {
            return Err("the encoding is not prost's".into());
        }
        if decoded.encoded_len() != wire.len() || message.encoded_len() != wire.len() {
            return Err("the encoded length is not prost's".into());
        }
        if S::Prost::decode(encoded.as_slice())? != *message {
            return Err("the message is not prost's".into());
        }
    }
    Ok(())
}

/// The record of a run, after all answers are checked.
fn record(plan: &Plan<Payload>) -> Result<Record, Box<dyn Error>> {
    let known = |library: &&Library| [DEFIANT, PROST].contains(&library.name);
    let libraries: Vec<_> = ALL.iter().filter(known).copied().collect();
    let mut record = Record::here(&libraries, &[]);
    record.libraries.push([MEMCPY, "", "", "", "", "one buffer"].map(String::from));
    for payload in &plan.subjects {
        let mut loops = payload.loops()?;
        loops.retain(|(one, _)| plan.asks(one));
        for of_a_task in loops.chunk_by_mut(|(one, _), (other, _)| one.task == other.task) {
            record.rows.extend(side_by_side::rows(payload.name(), of_a_task, plan.rounds));
        }
    }
    Ok(record)
}

/// Runs one operation so many times and nothing else, for instruction counts.
fn repeat(payload: Payload, task: &str, library: &str, variant: &str, times: u32) -> Result<(), Box<dyn Error>> {
    let mut loops = payload.loops()?;
    let asked = |one: &Loop| one.task == task && one.library == library && one.variant.contains(variant);
    let (one, _) = loops.iter_mut().find(|(one, _)| asked(one)).ok_or("no such operation")?;
    run(one, times);
    Ok(())
}
