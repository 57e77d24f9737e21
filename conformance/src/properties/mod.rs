//! What has to hold of any bytes at all, for fuzzers to break.
//!
//! A property takes bytes and returns what is wrong with them. Each fuzz target in `fuzz/` runs one property. The tests of
//! this crate replay the seeds of a property, its corpus, and every input that ever broke it. Where a property needs the type
//! of a message, the first byte picks the type.

use std::sync::OnceLock;

use crate::cross::{self, Format, World};

// The tests of `defiant` run the programs of `arena` and `encoder` too, also under Miri.
#[path = "../../../defiant/tests/runtime/programs/arena.rs"]
mod arena;
mod bodies;
pub mod corpus;
mod doors;
#[path = "../../../defiant/tests/runtime/programs/encoder.rs"]
mod encoder;
mod extensions;
mod frames;
mod limits;
mod masks;
#[cfg(feature = "peers")]
mod peers;
mod pool;
mod schema;
mod seeds;
#[cfg(feature = "peers")]
mod survey;

pub use seeds::seeds;

/// A property: what is wrong with these bytes, if anything is.
pub type Property = fn(&[u8]) -> Result<(), String>;

/// All properties, by the names of their fuzz targets.
pub const ALL: &[(&str, Property)] = &[
    ("doors", doors::agree),
    ("dynamic", dynamic),
    ("merge", doors::merge),
    ("lazy", doors::lazy),
    ("generated", generated),
    ("json", json),
    ("text", text),
    ("limits", limits::limits),
    ("frames", frames::frames),
    ("pool", pool::pool),
    ("plugin", schema::plugin),
    ("arena", arena::run),
    ("encoder", encoder::run),
    ("extensions", extensions::extensions),
    ("masks", masks::masks),
    ("bodies", bodies::bodies),
    #[cfg(feature = "peers")]
    ("source", schema::source),
    #[cfg(feature = "peers")]
    ("google", peers::google),
    #[cfg(feature = "peers")]
    ("prost", peers::prost),
];

/// The property of a name.
#[must_use]
pub fn named(name: &str) -> Option<Property> {
    ALL.iter().find(|one| one.0 == name).map(|one| one.1)
}

/// What a fuzz target does with its bytes.
///
/// # Panics
///
/// When the property does not hold, or there is none of this name.
pub fn hold(name: &str, bytes: &[u8]) {
    let Some(property) = named(name) else { panic!("no property {name}") };
    if let Err(what) = property(bytes) {
        panic!("{name}: {what}");
    }
}

/// The types that messages are of, made once.
fn world() -> Result<&'static World, String> {
    static WORLD: OnceLock<Result<World, String>> = OnceLock::new();
    WORLD.get_or_init(|| World::new().map_err(|error| error.to_string())).as_ref().map_err(Clone::clone)
}

/// All types, the name of one of them, and bytes of it.
type Subject<'b> = (&'static World, &'static str, &'b [u8]);

/// The type that the first byte picks, and the rest.
fn subject(bytes: &[u8]) -> Result<Option<Subject<'_>>, String> {
    let world = world()?;
    let Some((first, rest)) = bytes.split_first() else { return Ok(None) };
    let name = world.subjects()[usize::from(*first) % world.subjects().len()];
    Ok(Some((world, name, rest)))
}

/// Structs and dynamic messages of a wire are the same, in every format.
fn dynamic(bytes: &[u8]) -> Result<(), String> {
    let Some((world, name, wire)) = subject(bytes)? else { return Ok(()) };
    cross::wire(world, name, wire)
}

/// The same of messages that fit their type, because the bytes are the choices of a generator.
fn generated(bytes: &[u8]) -> Result<(), String> {
    cross::choices(world()?, bytes)
}

/// A JSON text is read alike by structs and dynamic messages, and comes out the same.
fn json(bytes: &[u8]) -> Result<(), String> {
    of_text(bytes, Format::Json)
}

/// The same for the text format.
fn text(bytes: &[u8]) -> Result<(), String> {
    of_text(bytes, Format::Text)
}

fn of_text(bytes: &[u8], format: Format) -> Result<(), String> {
    let Some((world, name, rest)) = subject(bytes)? else { return Ok(()) };
    let Ok(text) = core::str::from_utf8(rest) else { return Ok(()) };
    cross::text(world, name, text, format)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;
    use std::path::Path;

    use super::*;

    /// Looks at some bytes; a panic is a failure with the bytes in it as well.
    fn check(name: &str, bytes: &[u8], of: &str) {
        let property = named(name).expect("there");
        let outcome = std::panic::catch_unwind(|| property(bytes));
        match outcome {
            Ok(Ok(())) => {}
            Ok(Err(what)) => panic!("{name}, {of}: {what}"),
            Err(_) => panic!("{name}, {of}: panics at {bytes:x?}"),
        }
    }

    /// Checks all inputs in a folder of `fuzz`, and returns their number for each property.
    fn replay(kept: &str) -> BTreeMap<String, usize> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz").join(kept);
        let mut counts = BTreeMap::new();
        for file in fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            let name = file.file_stem().and_then(|name| name.to_str()).expect("a name").to_owned();
            // Properties that compare with other libraries need the feature `peers`.
            if named(&name).is_none() {
                let known = cfg!(not(feature = "peers")) && ["source", "google", "prost"].contains(&&*name);
                assert!(known, "no property {name}");
                continue;
            }
            let inputs = corpus::read(&file).expect("a file of inputs");
            for (line, input) in (1..).zip(&inputs) {
                check(&name, input, &format!("{}:{line}", file.display()));
            }
            counts.insert(name, inputs.len());
        }
        counts
    }

    #[test]
    fn properties_hold_of_finds() {
        assert!(replay("finds").values().sum::<usize>() >= 7);
    }

    #[test]
    fn properties_hold_of_corpora() {
        let counts = replay("corpora");
        for (name, _) in ALL {
            assert!(counts.get(*name).is_some_and(|count| *count >= 30), "{name}: {counts:?}");
        }
    }

    /// Random messages, of which the seeds are a few: fuzzers take long to make messages in maps of messages.
    #[cfg(feature = "peers")]
    #[test]
    fn samples_hold_beside_others() {
        let world = world().expect("good descriptors");
        for seed in 1000..2000 {
            for (first, subject) in [(0, "modern.Message"), (1, "legacy.Message")] {
                let sample = cross::sample(world, subject, seed).expect("a message");
                let bytes = [&[first][..], &sample].concat();
                for name in ["google", "prost"] {
                    check(name, &bytes, &format!("sample {seed} of {subject}"));
                }
            }
        }
    }

    /// The seeds, whole, cut, and with bytes changed.
    #[test]
    fn seeds_hold() {
        for (name, _) in ALL {
            let seeds = seeds(name).expect("good descriptors");
            assert!(!seeds.is_empty(), "{name}");
            for (index, seed) in seeds.iter().enumerate() {
                let of = |change: &str| format!("seed {index} {change}");
                check(name, seed, &of("whole"));
                if *name == "source" {
                    continue;
                }
                let step = (seed.len() / 8).max(1);
                for at in (1..seed.len()).step_by(step) {
                    check(name, &seed[..at], &of(&format!("cut at {at}")));
                    let mut changed = seed.clone();
                    changed[at] = changed[at].wrapping_add(0x7f);
                    check(name, &changed, &of(&format!("changed at {at}")));
                }
            }
        }
    }
}
