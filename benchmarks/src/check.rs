//! Right answers first: values, encodings and sizes against prost's.
//!
//! A difference of Defiant's is an error. A difference of a peer's is a [`Gap`]: printed, and where it makes a timing
//! meaningless, that operation is left out.

use std::fmt;
use std::rc::Rc;

use ::defiant::{Arena, DecodeOptions, Message};

use crate::datasets::Dataset;
use crate::generated::{defiant, prost as prost_types};
use crate::libraries;
use crate::offer::{Expected, Gap, Library, Offer, Operation};
use crate::payloads::{Payload, payloads};
use crate::subjects::{Message1Proto2, Message1Proto3, Message2, Subject};
use crate::walk::Fingerprint;

/// A wrong answer of Defiant's, or of prost's in one of the ways in which it is used.
#[derive(Clone, Debug)]
pub struct WrongAnswer(String);

impl fmt::Display for WrongAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for WrongAnswer {}

macro_rules! expectations {
    (
        logs { $($log:ident: $log_package:ident $log_google:ident $of:ident $log_view:ident;)* }
        $($payload:ident: $package:ident $google:ident $message:ident $view:ident $lazy:ident;)*
    ) => {
        /// The right answers for a payload.
        pub fn expected(payload: Payload) -> Rc<Expected> {
            match payload {
                $(Payload::$log => Expected::by_log::<prost_types::$log_package::$of>(payload),)*
                $(Payload::$payload => Expected::by::<prost_types::$package::$message>(payload),)*
            }
        }
    };
}
payloads!(expectations);

/// What the libraries do on a payload with right answers, ordered by task, and what they do otherwise.
///
/// # Errors
///
/// Names the first answer that is wrong and must not be.
pub fn operations(payload: Payload, libraries: &[Library]) -> Result<(Vec<Operation>, Vec<Gap>), WrongAnswer> {
    let expected = expected(payload);
    let (mut operations, mut gaps) = (Vec::new(), Vec::new());
    for library in libraries {
        let offer = Offer::of(library, &expected);
        let strict = !offer.gaps.is_empty() && !may_differ(library.name);
        if strict {
            return Err(WrongAnswer(offer.gaps[0].to_string()));
        }
        operations.extend(offer.operations);
        gaps.extend(offer.gaps);
    }
    operations.retain(|operation| !gaps.iter().any(|gap| gap.forbids(operation)));
    operations.sort_by_key(|operation| operation.task);
    Ok((operations, gaps))
}

fn may_differ(library: &str) -> bool {
    ![libraries::DEFIANT, libraries::PROST, "prost-bytes", libraries::SKIP].contains(&library)
}

/// Compares every library's answers on every payload.
///
/// # Errors
///
/// Names the first answers that are wrong.
pub fn check() -> Result<Vec<Gap>, WrongAnswer> {
    for dataset in Dataset::ALL {
        container(dataset)?;
    }
    with_options::<Message1Proto2>()?;
    with_options::<Message1Proto3>()?;
    with_options::<Message2>()?;
    let mut gaps = Vec::new();
    for payload in Payload::ALL {
        gaps.extend(operations(payload, libraries::ALL)?.1);
    }
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
    if equal { Ok(()) } else { Err(WrongAnswer(format!("{dataset}: the containers differ"))) }
}

/// The entry point that is not timed.
fn with_options<S: Subject>() -> Result<(), WrongAnswer> {
    let (dataset, arena) = (S::DATASET, Arena::new());
    let wire = dataset.payload();
    let theirs = <S::Prost as prost::Message>::decode(wire)
        .map_err(|error| WrongAnswer(format!("{dataset}: prost's decode fails: {error}")))?;
    let message: S::Defiant<'_> = DecodeOptions::new()
        .decode(wire, &arena)
        .map_err(|error| WrongAnswer(format!("{dataset}: DecodeOptions::decode fails: {error}")))?;
    match Fingerprint::of(&message) == Fingerprint::of(&theirs) {
        true => Ok(()),
        false => Err(WrongAnswer(format!("{dataset}: DecodeOptions::decode gives other values"))),
    }
}
