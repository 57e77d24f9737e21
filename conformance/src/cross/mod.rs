//! Random messages that go through all formats, as structs and as dynamic messages, and come out the same.
//!
//! A case is a seed. It makes bytes of the wire for one of the types, some with a mutation, and then:
//!
//! - structs and dynamic messages accept them alike, with the same errors, and have the same fields, bits and bytes;
//! - a message is the same after it went to JSON and back, and after it went to text and back, except for what the format
//!   has no words for; where JSON has no form for it, that is found by a second statement of the rules;
//! - a text with a mutation is accepted alike by both kinds, or rejected with the same error; what was accepted goes to
//!   the format and back once more.

use std::fmt;

use defiant::Arena;

mod check;
mod compare;
mod form;
mod generate;
mod random;
mod wire;
mod world;

pub use world::World;

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
