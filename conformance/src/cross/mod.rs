//! Random messages that go through all formats, as structs and as dynamic messages, and come out the same.
//!
//! A case is a seed. It makes bytes of the wire for one of the types, some with a mutation, and then:
//!
//! - structs and dynamic messages accept them alike, with the same errors, and have the same fields, bits and bytes;
//! - a message is the same after it went to JSON and back, and after it went to text and back, except for what the format
//!   has no words for; where JSON has no form for it, that is found by a second statement of the rules;
//! - `serde_json` writes and reads, with the bridge to serde, what JSON reads and writes;
//! - a text with a mutation is accepted alike by both kinds, or rejected with the same error; what was accepted goes to
//!   the format and back once more.

use std::fmt;

use defiant::Arena;
use defiant::reflect::DynamicMessage;

mod check;
mod compare;
mod form;
mod generate;
mod random;
mod wire;
mod world;

pub use world::World;

/// A format for people, of which a [`text`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// ProtoJSON.
    Json,
    /// The text format.
    Text,
}

/// Looks at a case that is made of bytes: a small change of them is a small change of the case.
///
/// # Errors
///
/// What is wrong.
pub fn choices(world: &World, choices: &[u8]) -> Result<(), String> {
    let (arena, common, mut counts) = (Arena::new(), world.common(), Counts::default());
    check::generated(world, &common, random::Random::of(choices), &arena, &mut counts)
}

/// The wire of a message of this name, or nearly, of a seed.
///
/// # Errors
///
/// When there is no message of this name.
pub fn sample(world: &World, name: &str, seed: u64) -> Result<Vec<u8>, String> {
    check::message(world, name, &mut random::Random::new(seed))
}

/// Looks at some bytes as a message of this name.
///
/// # Errors
///
/// What is wrong.
pub fn wire(world: &World, name: &str, wire: &[u8]) -> Result<(), String> {
    let (arena, common, mut counts) = (Arena::new(), world.common(), Counts::default());
    check::Check::of(world, &common, name, &arena, &mut counts)?.wire(wire, &mut random::Random::of(wire))
}

/// Whether two wires are the same message: with the same unknown fields, or whatever those are.
///
/// # Errors
///
/// The first difference, or why one of them is no message.
pub fn same(world: &World, name: &str, left: &[u8], right: &[u8], unknown_fields: bool) -> Result<(), String> {
    let (arena, common) = (Arena::new(), world.common());
    let [fixed, dynamic] = world.types(name).ok_or_else(|| format!("{name} is missing"))?;
    let decode = |ty, wire| DynamicMessage::decode(ty, wire, &arena).map_err(|error| error.to_string());
    let (left, right) = (decode(fixed, left)?, decode(dynamic, right)?);
    let loss = if unknown_fields { compare::Loss::Nothing } else { compare::Loss::Text };
    let comparison = compare::Comparison { left: &world.registry, right: &common, loss, arena: &arena };
    comparison.messages(left.as_ref(), right.as_ref())
}

/// Looks at a text as a message of this name.
///
/// # Errors
///
/// What is wrong.
pub fn text(world: &World, name: &str, text: &str, format: Format) -> Result<(), String> {
    let (arena, common, mut counts) = (Arena::new(), world.common(), Counts::default());
    check::Check::of(world, &common, name, &arena, &mut counts)?.text(text, format)
}

/// What became of the cases.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// All of them.
    pub cases: u64,
    /// Those whose wire is a message.
    pub accepted: u64,
    /// Those whose wire is none.
    pub rejected: u64,
    /// Times that a message went to JSON and back.
    pub json: u64,
    /// Times that a message had no form in JSON, and the error said so.
    pub without_json: u64,
    /// Times that a message went to text and back.
    pub text: u64,
    /// Texts with a mutation that were still a message.
    pub changed_accepted: u64,
    /// Texts with a mutation that were none.
    pub changed_rejected: u64,
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts { cases, accepted, rejected, json, without_json, text, changed_accepted, changed_rejected } = self;
        write!(
            f,
            "{cases} cases: {accepted} accepted, {rejected} rejected; {json} through JSON, {without_json} without JSON, \
             {text} through text; of changed texts {changed_accepted} accepted, {changed_rejected} rejected"
        )
    }
}

/// The first case with something wrong.
#[derive(Debug)]
pub struct Difference {
    /// The seed of the case: a run of one case with this seed is it.
    pub seed: u64,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "seed {}: {}", self.seed, self.what)
    }
}

/// Looks at as many cases, of the seeds from `seed` on, and tells what it counted every hundred thousand.
///
/// # Errors
///
/// The first difference.
pub fn run(world: &World, cases: u64, seed: u64, mut progress: impl FnMut(&Counts)) -> Result<Counts, Difference> {
    let common = world.common();
    let mut counts = Counts::default();
    let mut arena = Arena::new();
    for index in 0..cases {
        let seed = seed.wrapping_add(index);
        check::case(world, &common, seed, &arena, &mut counts).map_err(|what| Difference { seed, what })?;
        counts.cases += 1;
        arena.reset();
        if counts.cases % 100_000 == 0 {
            progress(&counts);
        }
    }
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use defiant::reflect::Resolver;
    use defiant::{DecodeOptions, json};

    use super::compare::{Comparison, Loss};
    use super::*;

    #[test]
    fn a_few_thousand_cases() {
        let world = World::new().expect("good descriptors");
        let counts = run(&world, 4000, 1 << 40, |_| {}).unwrap_or_else(|difference| panic!("{difference}"));
        // Every kind of outcome was met, in good number.
        let Counts { cases, accepted, rejected, json, without_json, text, changed_accepted, changed_rejected } = counts;
        assert_eq!((cases, accepted + rejected), (4000, 4000));
        assert!(accepted > 2000 && rejected > 200, "{counts}");
        assert!(json > 1500 && without_json > 40 && text > 2000, "{counts}");
        assert!(changed_accepted > 100 && changed_rejected > 1000, "{counts}");
    }

    /// Whether the comparison of what two wires are says nothing.
    fn same(name: &str, left: &[u8], right: &[u8], loss: Loss) -> bool {
        let (world, arena) = (World::new().expect("good descriptors"), Arena::new());
        let common = world.common();
        let left =
            DynamicMessage::decode(world.registry.message(name).expect("there"), left, &arena).expect("a message");
        let right = DynamicMessage::decode(world.pool.message(name).expect("there"), right, &arena).expect("a message");
        let comparison = Comparison { left: &world.registry, right: &common, loss, arena: &arena };
        comparison.messages(left.as_ref(), right.as_ref()).is_ok()
    }

    #[test]
    fn differences_are_seen() {
        use Loss::{Json, Nothing, Text};
        for (name, left, right, losses) in [
            // A number, and its presence.
            ("shapes.Singular", &b"\x08\x01"[..], &b"\x08\x02"[..], &[][..]),
            ("shapes.Singular", b"\x08\x00", b"", &[]),
            // Negative zero, and NaN of other bits.
            ("shapes.Singular", b"\x5d\0\0\0\x80", b"", &[]),
            ("shapes.Singular", b"\x5d\x01\0\xc0\x7f", b"\x5d\0\0\xc0\xff", &[Json, Text]),
            // An unknown field, and an extension.
            ("shapes.Singular", b"\xa0\x7d\x01", b"", &[Json, Text]),
            ("shapes.Singular", b"\xa0\x06\x01", b"", &[]),
            ("shapes.Singular", b"\xa0\x06\x01", b"\xa0\x06\x02", &[]),
            ("shapes.Singular", b"\xa0\x06\x02\xa0\x06\x01", b"\xa0\x06\x01", &[Json, Text]),
            // Elements, entries, and a oneof's members.
            ("shapes.Mixed", b"\x0a\x02\x01\x02", b"\x0a\x01\x01", &[]),
            ("shapes.Mixed", b"\xa2\x01\0", b"", &[]),
            ("shapes.Mixed", b"\xf0\x01\x01", b"\xb8\x02\x02", &[]),
            // A null that is five.
            ("shapes.Known", b"\x48\x05", b"", &[Json]),
            ("shapes.Known", b"\xe8\x01\x05", b"\xe8\x01\x00", &[Json]),
            ("shapes.Known", b"\xe8\x01\x05", b"", &[]),
        ] {
            for loss in [Nothing, Json, Text] {
                let (expected, found) = (losses.contains(&loss), same(name, left, right, loss));
                assert_eq!(found, expected, "{name} {} {} {loss:?}", left.escape_ascii(), right.escape_ascii());
                assert!(same(name, left, left, loss) && same(name, right, right, loss));
            }
        }
    }

    #[test]
    fn what_has_no_json() {
        let (world, arena) = (World::new().expect("good descriptors"), Arena::new());
        for (name, wire, has) in [
            ("Timestamp", &b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"[..], true),
            ("Timestamp", b"\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", false),
            ("Duration", b"\x08\x01\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", false),
            ("FieldMask", b"\x0a\x03a_b", true),
            ("FieldMask", b"\x0a\x03a_1", false),
            ("FieldMask", b"\x0a\x02aB", false),
            ("Value", b"", false),
            ("Value", b"\x11\0\0\0\0\0\0\xf0\x7f", false),
            ("ListValue", b"\x0a\x00", false),
            ("Any", b"\x0a\x01a", false),
        ] {
            let ty = world.registry.message(&format!("google.protobuf.{name}")).expect("there");
            let message = ty.decode(wire, &DecodeOptions::new(), &arena).expect("a message");
            assert_eq!(form::missing(message, &world.registry, &arena).is_none(), has, "{name} {message:?}");
            assert_eq!(json::EncodeOptions::new().resolver(&world.registry).encode_message(message).is_ok(), has);
        }
    }
}
