//! Packed numbers: Defiant, prost and memcpy on payloads made here, the same in every run.

use std::error::Error;
use std::fmt;
use std::hint::black_box;

use defiant::{Arena, Encoder, Message};
use prost::Message as _;

use crate::generated::defiant::packed as ours;
use crate::generated::prost::packed as theirs;
use crate::loops::{self, Loop, middle, run};

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

    /// How often it is sampled.
    const fn rounds(self) -> usize {
        match self {
            Payload::Doubles8 => 41,
            Payload::Doubles64 => 15,
            _ => 101,
        }
    }

    fn loops(self) -> Result<Vec<Loop>, Box<dyn Error>> {
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

impl fmt::Display for Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
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
fn loops<S: Subject>(message: S::Prost) -> Result<Vec<Loop>, Box<dyn Error>> {
    let wire: &'static [u8] = Box::leak(message.encode_to_vec().into_boxed_slice());
    check::<S>(&message, wire)?;
    let mut loops = Vec::new();
    let mut add = |task, library, variant, work: Box<dyn FnMut()>| {
        loops.push(Loop { task, library, variant, bytes: wire.len(), work });
    };

    let mut arena = Arena::new();
    add(
        "decode",
        "defiant",
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
        "borrowed, arena reset",
        Box::new(move || {
            black_box(&S::Defiant::decode_borrowed(black_box(wire), &arena).expect(SOUND));
            arena.reset();
        }),
    );
    add(
        "decode",
        "defiant",
        "fresh arena",
        Box::new(move || {
            let arena = Arena::new();
            black_box(&S::Defiant::decode(black_box(wire), &arena).expect(SOUND));
        }),
    );
    add(
        "decode",
        "prost",
        "new message",
        Box::new(move || {
            black_box(&S::Prost::decode(black_box(wire)).expect(SOUND));
        }),
    );
    let mut again = S::Prost::default();
    add(
        "decode",
        "prost",
        "cleared and merged",
        Box::new(move || {
            again.clear();
            again.merge(black_box(wire)).expect(SOUND);
            black_box(&again);
        }),
    );
    add("decode", "memcpy", "reused memory", copying(wire));
    add("decode", "memcpy", "fresh memory", Box::new(move || drop(black_box(black_box(wire).to_vec()))));

    let home: &'static Arena = Box::leak(Box::new(Arena::new()));
    let decoded = S::Defiant::decode(wire, home)?;
    let mut encoder = Encoder::new();
    add(
        "encode",
        "defiant",
        "Encoder",
        Box::new(move || {
            black_box(encoder.encode(black_box(&decoded)));
        }),
    );
    let mut arena = Arena::new();
    add(
        "encode",
        "defiant",
        "encode_in, arena reset",
        Box::new(move || {
            black_box(black_box(&decoded).encode_in(&arena));
            arena.reset();
        }),
    );
    add(
        "encode",
        "defiant",
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
        "cleared Vec",
        Box::new(move || {
            buffer.clear();
            black_box(&own).encode(&mut buffer).expect(SOUND);
            black_box(buffer.as_slice());
        }),
    );
    add("encode", "memcpy", "reused memory", copying(wire));
    add("encode", "memcpy", "fresh memory", Box::new(move || drop(black_box(black_box(wire).to_vec()))));

    add(
        "encoded_len",
        "defiant",
        "-",
        Box::new(move || {
            black_box(black_box(&decoded).encoded_len());
        }),
    );
    add(
        "encoded_len",
        "prost",
        "-",
        Box::new(move || {
            black_box(black_box(&message).encoded_len());
        }),
    );
    Ok(loops)
}

fn copying(wire: &'static [u8]) -> Box<dyn FnMut()> {
    let mut target = wire.to_vec();
    Box::new(move || {
        target.copy_from_slice(black_box(wire));
        black_box(target.as_slice());
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

/// Checks, measures and prints; the record as CSV is given back.
///
/// # Errors
/// When an answer is wrong.
pub fn tabulate(payloads: &[Payload]) -> Result<String, Box<dyn Error>> {
    let mut record = String::from("payload,task,library,variant,bytes,rounds,min_ns,median_ns\n");
    for &payload in payloads {
        let mut loops = payload.loops()?;
        let rounds = payload.rounds();
        println!("\n{payload}, {} bytes, {rounds} rounds, interleaved", loops.first().map_or(0, |one| one.bytes));
        println!(
            "{:<13}{:<9}{:<24}{:>13}{:>13}{:>8}{:>10}{:>10}",
            "task", "library", "variant", "min ns", "median ns", "GB/s", "prost ×", "memcpy ×"
        );
        for task in ["decode", "encode", "encoded_len"] {
            let mut group: Vec<&mut Loop> = loops.iter_mut().filter(|one| one.task == task).collect();
            let times: Vec<(f64, f64)> =
                loops::measure(&mut group, rounds).iter().map(|samples| middle(&samples.nanoseconds)).collect();
            let best = |library| {
                let of = |(one, time): (&&mut Loop, &(f64, f64))| (one.library == library).then_some(time.1);
                group.iter().zip(&times).filter_map(of).fold(f64::NAN, f64::min)
            };
            let (prost, memcpy) = (best("prost"), best("memcpy"));
            for (one, (min, median)) in group.iter().zip(&times) {
                println!(
                    "{:<13}{:<9}{:<24}{min:>13.0}{median:>13.0}{:>8.2}{:>10.2}{:>10.2}",
                    one.task,
                    one.library,
                    one.variant,
                    one.bytes as f64 / median,
                    prost / median,
                    memcpy / median,
                );
                record += &format!(
                    "{payload},{},{},{:?},{},{rounds},{min:.1},{median:.1}\n",
                    one.task, one.library, one.variant, one.bytes
                );
            }
        }
    }
    Ok(record)
}

/// Runs one operation so many times and nothing else, for instruction counts.
///
/// # Errors
/// When there is no such operation.
pub fn repeat(payload: &str, task: &str, library: &str, times: u32) -> Result<(), Box<dyn Error>> {
    let payload = Payload::ALL.into_iter().find(|known| known.name() == payload).ok_or("no such payload")?;
    let mut loops = payload.loops()?;
    let one = loops.iter_mut().find(|one| one.task == task && one.library == library).ok_or("no such operation")?;
    run(one, times);
    Ok(())
}

/// The payloads of these names; all for none.
///
/// # Errors
/// When there is none of a name.
pub fn payloads(names: &[&str]) -> Result<Vec<Payload>, Box<dyn Error>> {
    if names.is_empty() {
        return Ok(Payload::ALL.to_vec());
    }
    let known = |name: &&str| Payload::ALL.into_iter().find(|payload| payload.name() == *name);
    names.iter().map(|name| known(name).ok_or_else(|| format!("no payload {name:?}").into())).collect()
}
