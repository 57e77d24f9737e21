//! Truncated and altered payloads: Defiant must never panic and must agree with prost, except where
//! an explained category says otherwise.

use std::collections::BTreeMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ::defiant::{Arena, Message};

use crate::datasets::Dataset;
use crate::offer::differences;
use crate::oracle;
use crate::subjects::{Message1Proto2, Message1Proto3, Message2, Subject};
use crate::walk::{Fingerprint, Listing};

/// Why one library accepts what the other rejects. Each is verified by [`oracle::facts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Category {
    /// Defiant reports a missing required field, prost fills in a default.
    MissingRequired,
    /// A tag of more than five bytes, which Defiant and the specification reject, prost reads.
    OverlongTag,
    /// A known field with another wire type: unknown to Defiant (as to every official
    /// implementation), an error to prost. Without the field, prost reads the same values.
    OtherWireType,
    /// The same inside a sub-message or group; the values are not compared.
    OtherWireTypeBelow,
    /// A string of proto2 that is not UTF-8: kept among Defiant's unknown fields, an error to prost. Without the field,
    /// prost reads the same values.
    NotUtf8,
    /// The same inside a sub-message or group; the values are not compared.
    NotUtf8Below,
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Category::MissingRequired => "required field missing: defiant reports it, prost fills in a default",
            Category::OverlongTag => "tag of more than five bytes: defiant rejects it, prost reads it",
            Category::OtherWireType => {
                "known field with another wire type: unknown to defiant, an error to prost (other values equal)"
            }
            Category::OtherWireTypeBelow => "the same in a sub-message or group: unknown to defiant, an error to prost",
            Category::NotUtf8 => {
                "string of proto2 that is not UTF-8: unknown to defiant, an error to prost (other values equal)"
            }
            Category::NotUtf8Below => "the same in a sub-message or group: unknown to defiant, an error to prost",
        })
    }
}

/// What became of a number of inputs.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Inputs.
    pub cases: u64,
    /// Accepted by both, with equal values.
    pub accepted: u64,
    /// Rejected by both.
    pub rejected: u64,
    /// Accepted by one, for a reason.
    pub explained: BTreeMap<Category, u64>,
    /// Everything else: the first hundred. Must be empty.
    pub wrong: Vec<String>,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tally { cases, accepted, rejected, explained, wrong } = self;
        write!(f, "{cases} inputs: {accepted} accepted by both with equal values, {rejected} rejected by both")?;
        for (category, count) in explained {
            write!(f, "\n    {count} {category}")?;
        }
        write!(f, "\n    {} unexplained", wrong.len())?;
        for wrong in wrong {
            write!(f, "\n      {wrong}")?;
        }
        Ok(())
    }
}

/// Payloads that end early, at each of `ends`.
pub fn truncations(dataset: Dataset, ends: impl IntoIterator<Item = usize>) -> Tally {
    let payload = dataset.payload();
    let mut examiner = Examiner::new(dataset);
    for end in ends {
        examiner.examine(&payload[..end], || format!("the first {end} bytes"));
    }
    examiner.tally
}

/// Payloads with one byte changed: each of `positions` to each of the other 255 values that
/// `chosen` picks by position and value.
pub fn flips(
    dataset: Dataset,
    positions: impl IntoIterator<Item = usize>,
    chosen: impl Fn(usize, u8) -> bool,
) -> Tally {
    let mut wire = dataset.payload().to_vec();
    let mut examiner = Examiner::new(dataset);
    for position in positions {
        let original = wire[position];
        for value in (0..=u8::MAX).filter(|value| *value != original && chosen(position, *value)) {
            wire[position] = value;
            examiner.examine(&wire, || format!("byte {position} changed from {original:#04x} to {value:#04x}"));
        }
        wire[position] = original;
    }
    examiner.tally
}

/// Inputs made elsewhere.
pub fn inputs(dataset: Dataset, wires: &[&[u8]]) -> Tally {
    let mut examiner = Examiner::new(dataset);
    for wire in wires {
        examiner.examine(wire, || format!("{wire:02x?}"));
    }
    examiner.tally
}

struct Examiner {
    dataset: Dataset,
    arena: Arena,
    tally: Tally,
}

impl Examiner {
    fn new(dataset: Dataset) -> Self {
        Examiner { dataset, arena: Arena::new(), tally: Tally::default() }
    }

    fn examine(&mut self, wire: &[u8], name: impl Fn() -> String) {
        let outcome = match self.dataset {
            Dataset::Message1Proto2 => judge::<Message1Proto2>(wire, &mut self.arena),
            Dataset::Message1Proto3 => judge::<Message1Proto3>(wire, &mut self.arena),
            Dataset::Message2 => judge::<Message2>(wire, &mut self.arena),
        };
        let tally = &mut self.tally;
        tally.cases += 1;
        match outcome {
            Ok(Judgement::Accepted) => tally.accepted += 1,
            Ok(Judgement::Rejected) => tally.rejected += 1,
            Ok(Judgement::Explained(category)) => *tally.explained.entry(category).or_default() += 1,
            Err(wrong) if tally.wrong.len() < 100 => {
                tally.wrong.push(format!("{}, {}: {wrong}", self.dataset, name()));
            }
            Err(_) => {}
        }
    }
}

enum Judgement {
    Accepted,
    Rejected,
    Explained(Category),
}

fn judge<S: Subject>(wire: &[u8], arena: &mut Arena) -> Result<Judgement, String> {
    arena.reset();
    let theirs = <S::Prost as prost::Message>::decode(wire);
    // A borrowed decode reads a tail of its own making; it must say the same as the copying one.
    let (ours, borrowed) = catch_unwind(AssertUnwindSafe(|| {
        let arena = &*arena;
        let decoded = <S::Defiant<'_>>::decode(wire, arena).map(|message| Fingerprint::of(&message));
        let borrowed = <S::Defiant<'_>>::decode_borrowed(arena.alloc_slice_copy(wire), arena)
            .map(|message| Fingerprint::of(&message));
        (decoded.map_err(|error| error.to_string()), borrowed.map_err(|error| error.to_string()))
    }))
    .map_err(|_| "defiant panics".to_owned())?;
    if ours != borrowed {
        return Err(format!("defiant's decode gives {ours:?}, its decode_borrowed {borrowed:?}"));
    }

    match (ours, theirs) {
        (Ok(ours), Ok(theirs)) if ours == Fingerprint::of(&theirs) => Ok(Judgement::Accepted),
        (Ok(_), Ok(theirs)) => {
            let message = <S::Defiant<'_>>::decode(wire, arena).map_err(|error| error.to_string())?;
            let differences = differences(&Listing::of(&theirs), &Listing::of(&message));
            Err(match differences.first() {
                Some(first) => format!("{} values differ: {first}", differences.len()),
                None => "fingerprints differ, listings do not".into(),
            })
        }
        (Err(_), Err(_)) => Ok(Judgement::Rejected),
        (Err(error), Ok(_)) => {
            let facts = oracle::facts(S::DATASET, wire);
            if facts.overlong_tag {
                Ok(Judgement::Explained(Category::OverlongTag))
            } else if facts.well_formed && facts.missing_required {
                Ok(Judgement::Explained(Category::MissingRequired))
            } else {
                Err(format!("defiant rejects it ({error}), prost accepts it"))
            }
        }
        (Ok(ours), Err(error)) => {
            let facts = oracle::facts(S::DATASET, wire);
            if !facts.well_formed {
                return Err(format!("malformed, defiant accepts it, prost rejects it ({error})"));
            }
            if facts.other_wire_type_below {
                return Ok(Judgement::Explained(Category::OtherWireTypeBelow));
            }
            if facts.not_utf8_below {
                return Ok(Judgement::Explained(Category::NotUtf8Below));
            }
            let category = match (facts.other_wire_type, facts.not_utf8) {
                (true, _) => Some(Category::OtherWireType),
                (false, true) => Some(Category::NotUtf8),
                (false, false) => None,
            };
            match (<S::Prost as prost::Message>::decode(facts.declared.as_slice()), category) {
                (Ok(theirs), Some(category)) if ours == Fingerprint::of(&theirs) => Ok(Judgement::Explained(category)),
                (Ok(_), Some(_)) => Err("values differ from those of the fields that are as declared".into()),
                _ => Err(format!("defiant accepts it, prost rejects it ({error})")),
            }
        }
    }
}
