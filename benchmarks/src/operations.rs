//! What is timed: each library doing each task on each dataset, as a loop behind one interface.
//!
//! Every loop passes its input and its result through [`black_box`]; what an operation allocates
//! it also frees inside the loop (dropping a prost message, resetting an arena).

use std::fmt;
use std::hint::black_box;

use ::defiant::{Arena, Encoder, Message};
use bytes::Bytes;

use crate::datasets::Dataset;
use crate::generated::{defiant, pilota as pilota_types, prost as prost_types};
use crate::walk::{Checksum, Walk};

/// A library under test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Library {
    /// This workspace.
    Defiant,
    /// prost 0.14, the yardstick.
    Prost,
    /// pilota 0.13.
    Pilota,
}

impl Library {
    /// All of them.
    pub const ALL: [Library; 3] = [Library::Defiant, Library::Prost, Library::Pilota];

    /// Its name in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Library::Defiant => "defiant",
            Library::Prost => "prost",
            Library::Pilota => "pilota",
        }
    }
}

impl fmt::Display for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A kind of work. Operations of one task are measured side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Task {
    /// Wire to message, and giving the message's memory back.
    Decode,
    /// The same, and reading every field and every byte of text in between.
    DecodeRead,
    /// Message to wire in memory that is used again.
    Encode,
    /// Message to a new `Vec<u8>`.
    EncodeToVec,
    /// The size of the encoding alone.
    EncodedLen,
}

impl Task {
    /// All of them.
    pub const ALL: [Task; 5] = [Task::Decode, Task::DecodeRead, Task::Encode, Task::EncodeToVec, Task::EncodedLen];

    /// Its name: `decode`, `decode+read`, ...
    pub const fn name(self) -> &'static str {
        match self {
            Task::Decode => "decode",
            Task::DecodeRead => "decode+read",
            Task::Encode => "encode",
            Task::EncodeToVec => "encode_to_vec",
            Task::EncodedLen => "encoded_len",
        }
    }

    /// Whether a decoder runs.
    pub const fn decodes(self) -> bool {
        matches!(self, Task::Decode | Task::DecodeRead)
    }
}

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// One loop.
pub struct Operation {
    /// On which payload.
    pub dataset: Dataset,
    /// What.
    pub task: Task,
    /// By whom.
    pub library: Library,
    /// In which way: `fresh arena`, `arena reset`, ...
    pub variant: &'static str,
    /// Bytes of wire that one round reads or writes.
    pub bytes: usize,
    work: Box<dyn FnMut(u64)>,
}

impl Operation {
    /// Does the work this many times.
    pub fn run(&mut self, times: u64) {
        (self.work)(times);
    }

    /// `google_message2/decode/defiant, arena reset`.
    pub fn label(&self) -> String {
        format!("{}/{}/{}, {}", self.dataset, self.task, self.library, self.variant)
    }
}

impl fmt::Debug for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Operation").field(&self.label()).finish()
    }
}

/// One dataset's message types.
pub trait Subject {
    /// Which dataset.
    const DATASET: Dataset;
    /// Defiant's type.
    type Defiant<'arena>: Message<'arena> + Walk;
    /// prost's type.
    type Prost: prost::Message + Default + Walk + 'static;
}

/// A dataset that pilota can generate types for.
pub trait PilotaSubject: Subject {
    /// pilota's type.
    type Pilota: pilota::pb::Message + Default + Walk + 'static;
}

macro_rules! subjects {
    ($($subject:ident: $message:ident of $package:ident $(, $pilota:ident)?;)*) => {$(
        #[doc = concat!("The types of [`Dataset::", stringify!($subject), "`].")]
        #[derive(Clone, Copy, Debug)]
        pub struct $subject;
        impl Subject for $subject {
            const DATASET: Dataset = Dataset::$subject;
            type Defiant<'arena> = defiant::$package::$message<'arena>;
            type Prost = prost_types::$package::$message;
        }
        $(impl PilotaSubject for $subject {
            type Pilota = $pilota::$package::$message;
        })?
    )*};
}
subjects! {
    Message1Proto2: GoogleMessage1 of proto2, pilota_types;
    Message1Proto3: GoogleMessage1 of proto3, pilota_types;
    Message2: GoogleMessage2 of proto2;
}

/// Every operation on a dataset, whether or not the library's answers are right: ask
/// [`check`](crate::check::check) which may be timed.
pub fn operations(dataset: Dataset) -> Vec<Operation> {
    let mut operations = Vec::new();
    match dataset {
        Dataset::Message1Proto2 => {
            in_turn::<Message1Proto2>(&mut operations);
            by_pilota::<Message1Proto2>(&mut operations);
        }
        Dataset::Message1Proto3 => {
            in_turn::<Message1Proto3>(&mut operations);
            by_pilota::<Message1Proto3>(&mut operations);
        }
        Dataset::Message2 => in_turn::<Message2>(&mut operations),
    }
    operations.sort_by_key(|operation| operation.task);
    operations
}

fn in_turn<S: Subject>(operations: &mut Vec<Operation>) {
    by_defiant::<S>(operations);
    by_prost::<S>(operations);
}

/// Collects operations of one library on one dataset.
struct Collector<'a> {
    operations: &'a mut Vec<Operation>,
    dataset: Dataset,
    library: Library,
    encoded: usize,
}

impl Collector<'_> {
    fn add(&mut self, task: Task, variant: &'static str, mut work: impl FnMut() + 'static) {
        let bytes = if task.decodes() { self.dataset.payload().len() } else { self.encoded };
        self.operations.push(Operation {
            dataset: self.dataset,
            task,
            library: self.library,
            variant,
            bytes,
            work: Box::new(move |times| {
                for _ in 0..times {
                    work();
                }
            }),
        });
    }
}

const SOUND: &str = "checked before it was timed";

fn by_defiant<S: Subject>(operations: &mut Vec<Operation>) {
    type Of<'arena, S> = <S as Subject>::Defiant<'arena>;

    let wire = S::DATASET.payload();
    // The message that is encoded lives as long as the process.
    let home: &'static Arena = Box::leak(Box::new(Arena::new()));
    let message = Of::<'static, S>::decode(wire, home).expect(SOUND);
    let mut collector =
        Collector { operations, dataset: S::DATASET, library: Library::Defiant, encoded: message.encoded_len() };

    collector.add(Task::Decode, "fresh arena", move || {
        let arena = Arena::new();
        black_box(&Of::<'_, S>::decode(black_box(wire), &arena).expect(SOUND));
    });
    let mut arena = Arena::new();
    collector.add(Task::Decode, "arena reset", move || {
        black_box(&Of::<'_, S>::decode(black_box(wire), &arena).expect(SOUND));
        arena.reset();
    });
    let mut arena = Arena::new();
    collector.add(Task::Decode, "borrowed, arena reset", move || {
        black_box(&Of::<'_, S>::decode_borrowed(black_box(wire), &arena).expect(SOUND));
        arena.reset();
    });

    collector.add(Task::DecodeRead, "fresh arena", move || {
        let arena = Arena::new();
        let message = Of::<'_, S>::decode(black_box(wire), &arena).expect(SOUND);
        black_box(Checksum::of(&message));
    });
    let mut arena = Arena::new();
    collector.add(Task::DecodeRead, "arena reset", move || {
        let message = Of::<'_, S>::decode(black_box(wire), &arena).expect(SOUND);
        black_box(Checksum::of(&message));
        arena.reset();
    });
    let mut arena = Arena::new();
    collector.add(Task::DecodeRead, "borrowed, arena reset", move || {
        let message = Of::<'_, S>::decode_borrowed(black_box(wire), &arena).expect(SOUND);
        black_box(Checksum::of(&message));
        arena.reset();
    });

    let mut arena = Arena::new();
    collector.add(Task::Encode, "encode_in, arena reset", move || {
        black_box(black_box(&message).encode_in(&arena));
        arena.reset();
    });
    let mut encoder = Encoder::new();
    collector.add(Task::Encode, "Encoder", move || {
        black_box(encoder.encode(black_box(&message)));
    });
    collector.add(Task::EncodeToVec, "new Vec", move || {
        black_box(black_box(&message).encode_to_vec());
    });
    collector.add(Task::EncodedLen, "-", move || {
        black_box(black_box(&message).encoded_len());
    });
}

fn by_prost<S: Subject>(operations: &mut Vec<Operation>) {
    use prost::Message as _;

    let wire = S::DATASET.payload();
    let decoded = || S::Prost::decode(wire).expect(SOUND);
    let mut collector =
        Collector { operations, dataset: S::DATASET, library: Library::Prost, encoded: decoded().encoded_len() };

    collector.add(Task::Decode, "new message", move || {
        black_box(&S::Prost::decode(black_box(wire)).expect(SOUND));
    });
    let mut message = S::Prost::default();
    collector.add(Task::Decode, "cleared and merged", move || {
        message.clear();
        message.merge(black_box(wire)).expect(SOUND);
        black_box(&message);
    });

    collector.add(Task::DecodeRead, "new message", move || {
        let message = S::Prost::decode(black_box(wire)).expect(SOUND);
        black_box(Checksum::of(&message));
    });
    let mut message = S::Prost::default();
    collector.add(Task::DecodeRead, "cleared and merged", move || {
        message.clear();
        message.merge(black_box(wire)).expect(SOUND);
        black_box(Checksum::of(&message));
    });

    let message = decoded();
    let mut buffer = Vec::with_capacity(message.encoded_len());
    collector.add(Task::Encode, "cleared Vec", move || {
        buffer.clear();
        black_box(&message).encode(&mut buffer).expect(SOUND);
        black_box(buffer.as_slice());
    });
    let message = decoded();
    collector.add(Task::EncodeToVec, "new Vec", move || {
        black_box(black_box(&message).encode_to_vec());
    });
    let message = decoded();
    collector.add(Task::EncodedLen, "-", move || {
        black_box(black_box(&message).encoded_len());
    });
}

fn by_pilota<S: PilotaSubject>(operations: &mut Vec<Operation>) {
    use pilota::LinkedBytes;
    use pilota::pb::{EncodeLengthContext, Message as _};

    // On the heap and counted, as the bytes of a socket would be, not `Bytes::from_static`.
    let wire = Bytes::copy_from_slice(S::DATASET.payload());
    let decoded = || S::Pilota::decode(wire.clone()).expect(SOUND);
    let len = decoded().encoded_len(&mut EncodeLengthContext::default());
    let mut collector = Collector { operations, dataset: S::DATASET, library: Library::Pilota, encoded: len };

    let input = wire.clone();
    collector.add(Task::Decode, "new message", move || {
        black_box(&S::Pilota::decode(black_box(&input).clone()).expect(SOUND));
    });
    let input = wire.clone();
    collector.add(Task::DecodeRead, "new message", move || {
        let message = S::Pilota::decode(black_box(&input).clone()).expect(SOUND);
        black_box(Checksum::of(&message));
    });

    let message = decoded();
    let mut buffer = LinkedBytes::with_capacity(len);
    collector.add(Task::Encode, "reset LinkedBytes", move || {
        buffer.reset();
        black_box(&message).encode(&mut buffer).expect(SOUND);
        black_box(buffer.bytes());
    });
    let message = decoded();
    collector.add(Task::EncodeToVec, "new Vec", move || {
        black_box(black_box(&message).encode_to_vec(&mut EncodeLengthContext::default()));
    });
    let message = decoded();
    collector.add(Task::EncodedLen, "-", move || {
        black_box(black_box(&message).encoded_len(&mut EncodeLengthContext::default()));
    });
}
