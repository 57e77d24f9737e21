//! Right answers first: values, encodings and sizes against prost's.
//!
//! A difference of Defiant's is an error. A difference of a peer's is a [`Gap`]: printed, and
//! where it makes a timing meaningless, that operation is left out.

use std::collections::BTreeMap;
use std::fmt;

use ::defiant::{Arena, DecodeOptions, Encoder, Message};
use bytes::Bytes;

use crate::datasets::Dataset;
use crate::generated::{defiant, prost as prost_types};
use crate::operations::{Library, Message1Proto2, Message1Proto3, Message2, Operation, PilotaSubject, Subject, Task};
use crate::walk::{Checksum, Fingerprint, Listing, Value};

/// Something a peer does not do, or does otherwise.
#[derive(Clone, Debug)]
pub struct Gap {
    /// Who.
    pub library: Library,
    /// On which payload.
    pub dataset: Dataset,
    /// The tasks that are not timed because of it.
    pub untimed: &'static [Task],
    /// What there is to say.
    pub text: String,
}

impl Gap {
    /// Whether the gap forbids timing this operation.
    pub fn forbids(&self, operation: &Operation) -> bool {
        self.library == operation.library && self.dataset == operation.dataset && self.untimed.contains(&operation.task)
    }
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on {}: {}", self.library, self.dataset, self.text)?;
        if !self.untimed.is_empty() {
            let names: Vec<_> = self.untimed.iter().map(|task| task.name()).collect();
            write!(f, " Not timed: {}.", names.join(", "))?;
        }
        Ok(())
    }
}

/// A wrong answer of Defiant's, or of a peer's that the peer is not known for.
#[derive(Clone, Debug)]
pub struct WrongAnswer(String);

impl fmt::Display for WrongAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for WrongAnswer {}

/// Compares every library's answers on every dataset.
///
/// # Errors
///
/// Names the first answers that are wrong.
pub fn check() -> Result<Vec<Gap>, WrongAnswer> {
    let mut gaps = Vec::new();
    for dataset in Dataset::ALL {
        container(dataset)?;
    }
    of_defiant::<Message1Proto2>()?;
    of_defiant::<Message1Proto3>()?;
    of_defiant::<Message2>()?;
    of_pilota::<Message1Proto2>(&mut gaps)?;
    of_pilota::<Message1Proto3>(&mut gaps)?;
    gaps.push(Gap {
        library: Library::Pilota,
        dataset: Dataset::Message2,
        untimed: &Task::ALL,
        text: "pilota-build 0.13 panics (`todo!()`) on a schema with a group, so there is no type to decode into."
            .into(),
    });
    Ok(gaps)
}

/// The files themselves, as Defiant reads them.
fn container(dataset: Dataset) -> Result<(), WrongAnswer> {
    let arena = Arena::new();
    let read = defiant::BenchmarkDataset::decode(dataset.file(), &arena)
        .map_err(|error| WrongAnswer(format!("{dataset}: defiant reads no container: {error}")))?;
    let theirs = <prost_types::BenchmarkDataset as prost::Message>::decode(dataset.file())
        .map_err(|error| WrongAnswer(format!("{dataset}: prost reads no container: {error}")))?;
    let equal =
        read.name == theirs.name && read.message_name == theirs.message_name && read.payload == [dataset.payload()];
    same(dataset, "container", &equal, &true)
}

fn of_defiant<S: Subject>() -> Result<(), WrongAnswer> {
    use prost::Message as _;

    let (dataset, wire) = (S::DATASET, S::DATASET.payload());
    let wrong = |what: &str, error: &dyn fmt::Display| WrongAnswer(format!("{dataset}: {what} fails: {error}"));
    let reference = S::Prost::decode(wire).map_err(|error| wrong("prost's decode", &error))?;
    let expected = Listing::of(&reference);
    let canonical = reference.encode_to_vec();

    let arena = Arena::new();
    let decoded = [
        ("decode", <S::Defiant<'_>>::decode(wire, &arena)),
        ("decode_borrowed", <S::Defiant<'_>>::decode_borrowed(wire, &arena)),
        ("decode_buf", <S::Defiant<'_>>::decode_buf(wire, &arena)),
        ("DecodeOptions::decode", DecodeOptions::new().decode::<S::Defiant<'_>>(wire, &arena)),
    ];
    let mut encoder = Encoder::new();
    for (entry, outcome) in decoded {
        let message = outcome.map_err(|error| wrong(entry, &error))?;
        if let Some(difference) = differences(&expected, &Listing::of(&message)).first() {
            return Err(WrongAnswer(format!("{dataset}: {entry}: {difference}")));
        }
        same(dataset, "checksum", &Checksum::of(&message), &Checksum::of(&reference))?;
        same(dataset, "fingerprint", &Fingerprint::of(&message), &Fingerprint::of(&reference))?;

        same(dataset, "encode_in", &message.encode_in(&arena), &canonical.as_slice())?;
        same(dataset, "encode_to_vec", &message.encode_to_vec(), &canonical)?;
        same(dataset, "Encoder", &encoder.encode(&message), &canonical.as_slice())?;
        let mut buffer = Vec::new();
        message.encode(&mut buffer).map_err(|error| wrong("encode", &error))?;
        same(dataset, "encode", &buffer, &canonical)?;
        same(dataset, "encoded_len", &message.encoded_len(), &canonical.len())?;
    }
    Ok(())
}

fn of_pilota<S: PilotaSubject>(gaps: &mut Vec<Gap>) -> Result<(), WrongAnswer> {
    use pilota::pb::{EncodeLengthContext, Message as _};

    let (dataset, library) = (S::DATASET, Library::Pilota);
    let wrong =
        |what: &str, error: &dyn fmt::Display| WrongAnswer(format!("{dataset}: pilota's {what} fails: {error}"));
    let decode = |wire: &[u8]| S::Pilota::decode(Bytes::copy_from_slice(wire));
    let reference =
        <S::Prost as prost::Message>::decode(dataset.payload()).map_err(|error| wrong("yardstick", &error))?;
    let canonical = prost::Message::encode_to_vec(&reference);
    let message = decode(dataset.payload()).map_err(|error| wrong("decode", &error))?;

    let ours = Listing::of(&message);
    let (filled, other): (Vec<_>, Vec<_>) =
        differences(&Listing::of(&reference), &ours).into_iter().partition(|difference| difference.expected.is_none());
    if let Some(difference) = other.first() {
        return Err(WrongAnswer(format!("{dataset}: pilota's decode: {difference}")));
    }
    if !filled.is_empty() {
        gaps.push(Gap {
            library,
            dataset,
            untimed: &[],
            text: format!(
                "{} fields that the wire does not set come back as set to their declared default ({}, ...); \
                 the fields that it sets are right, so decoding is timed.",
                filled.len(),
                filled[0].path,
            ),
        });
    }

    let encoded = message.encode_to_vec(&mut EncodeLengthContext::default());
    let len = message.encoded_len(&mut EncodeLengthContext::default());
    if encoded == canonical && len == canonical.len() {
        return Ok(());
    }
    let back = decode(&encoded).map_err(|error| wrong("decode of its own encoding", &error))?;
    let lost = differences(&ours, &Listing::of(&back));
    let reading_back = match lost.first() {
        Some(first) => format!("read back by pilota itself, {} fields differ ({first}).", lost.len()),
        None => "it reads back as what it was.".into(),
    };
    gaps.push(Gap {
        library,
        dataset,
        untimed: &[Task::Encode, Task::EncodeToVec, Task::EncodedLen],
        text: format!(
            "its encoding has {} bytes where prost's has {}; {reading_back}",
            encoded.len(),
            canonical.len(),
        ),
    });
    Ok(())
}

/// One value that two listings do not agree on.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The path of the value.
    pub path: String,
    /// What the first listing has there.
    pub expected: Option<Value>,
    /// What the second has.
    pub found: Option<Value>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { path, expected, found } = self;
        match (expected, found) {
            (Some(expected), Some(found)) => write!(f, "{path} is {found:?}, not {expected:?}"),
            (Some(expected), None) => write!(f, "{path} is not set, it should be {expected:?}"),
            (None, Some(found)) => write!(f, "{path} is {found:?}, it should not be set"),
            (None, None) => f.write_str(path),
        }
    }
}

/// Everything that differs between two listings, in the order of the paths.
pub fn differences(expected: &BTreeMap<String, Value>, found: &BTreeMap<String, Value>) -> Vec<Difference> {
    let missing_or_other = expected.iter().filter(|(path, value)| found.get(*path) != Some(*value));
    let extra = found.keys().filter(|path| !expected.contains_key(*path));
    missing_or_other
        .map(|(path, _)| path)
        .chain(extra)
        .map(|path| Difference {
            path: path.clone(),
            expected: expected.get(path).cloned(),
            found: found.get(path).cloned(),
        })
        .collect()
}

fn same<T: PartialEq + fmt::Debug>(dataset: Dataset, what: &str, found: &T, expected: &T) -> Result<(), WrongAnswer> {
    if found == expected {
        return Ok(());
    }
    let brief = |value: &T| format!("{value:?}").chars().take(1000).collect::<String>();
    let (found, expected) = (brief(found), brief(expected));
    Err(WrongAnswer(format!("{dataset}: {what} gives {found} where prost gives {expected}")))
}
