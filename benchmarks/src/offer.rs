//! What a library offers for one payload: its answers, compared on the spot, and the loops that are timed.
//!
//! This is the one interface behind which every library stands. To add one, write a file with a [`Library`] in the folder
//! of [`libraries`]; the README says what comes before that.
//!
//! [`libraries`]: crate::libraries

use std::collections::BTreeMap;
use std::fmt;
use std::hint::black_box;
use std::rc::Rc;

use prost::Message;

use crate::payloads::Payload;
use crate::walk::{Checksum, Fingerprint, Listing, Value, Walk};
use crate::{appends, changes};

/// A kind of work. Operations of one task are measured side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Task {
    /// Wire to message, and giving the message's memory back.
    Decode,
    /// The same, and reading every field and every byte of text in between.
    DecodeRead,
    /// Reading every field and every byte of text of a message that is kept.
    Read,
    /// Message to wire in memory that is used again.
    Encode,
    /// Message to wire in pieces for a vectored write, some of which may refer to the message's own bytes.
    EncodePieces,
    /// Message to a new `Vec<u8>`.
    EncodeToVec,
    /// The size of the encoding alone.
    EncodedLen,
    /// Building the message by hand, field by field, and encoding it to memory that is used again.
    BuildEncode,
    /// Wire to message and back to wire, in memory that is used again if the library can.
    PassThrough,
    /// The same with wire in pieces, some of which may refer to the message's own bytes.
    PassThroughPieces,
    /// Wire to message, a change of some of its fields, and back to wire, in memory that is used again if the library can.
    Update,
    /// A thousand copies of a message that is kept, each with one element more than the one before, and the last to wire.
    Append,
    /// Messages out of a [`std::io::Read`], each behind its length, and giving the memory of each back before the next.
    ReadStream,
    /// Messages that are kept, to a [`std::io::Write`], each behind its length.
    WriteStream,
    /// Hopping over the fields of the payload: what no decoder can do without.
    Skip,
}

impl Task {
    /// All of them.
    pub const ALL: [Task; 15] = [
        Task::Decode,
        Task::DecodeRead,
        Task::Read,
        Task::Encode,
        Task::EncodePieces,
        Task::EncodeToVec,
        Task::EncodedLen,
        Task::BuildEncode,
        Task::PassThrough,
        Task::PassThroughPieces,
        Task::Update,
        Task::Append,
        Task::ReadStream,
        Task::WriteStream,
        Task::Skip,
    ];

    /// The tasks that a wrong answer to a decode forbids.
    pub const OF_DECODING: &[Task] =
        &[Task::Decode, Task::DecodeRead, Task::Read, Task::PassThrough, Task::PassThroughPieces, Task::ReadStream];
    /// The tasks that a wrong encoding forbids.
    pub const OF_ENCODING: &[Task] = &[
        Task::Encode,
        Task::EncodePieces,
        Task::EncodeToVec,
        Task::EncodedLen,
        Task::BuildEncode,
        Task::PassThrough,
        Task::PassThroughPieces,
        Task::WriteStream,
    ];

    /// Its name: `decode`, `decode+read`, ...
    pub const fn name(self) -> &'static str {
        match self {
            Task::Decode => "decode",
            Task::DecodeRead => "decode+read",
            Task::Read => "read",
            Task::Encode => "encode",
            Task::EncodePieces => "encode_pieces",
            Task::EncodeToVec => "encode_to_vec",
            Task::EncodedLen => "encoded_len",
            Task::BuildEncode => "build+encode",
            Task::PassThrough => "pass_through",
            Task::PassThroughPieces => "pass_through_pieces",
            Task::Update => "update",
            Task::Append => "append",
            Task::ReadStream => "read_stream",
            Task::WriteStream => "write_stream",
            Task::Skip => "skip",
        }
    }

    /// The task of that name.
    pub fn from_name(name: &str) -> Option<Task> {
        Task::ALL.into_iter().find(|task| task.name() == name)
    }

    /// Whether it takes so long that only a long run has the time for it.
    pub const fn takes_long(self) -> bool {
        matches!(self, Task::Append)
    }

    /// Whether it is a task for every payload. The others are those with which a payload is usually measured.
    pub fn suits(self, payload: Payload) -> bool {
        use Payload::{
            Blob, Car, FooBar, GenericSmall, Inputs, LogsExport, MarketFixed, MarketVarint, MediaFrame, RemoteWrite,
            StringHeavy, StringMap, StringOneof, StringRepeated, StringVeryHeavy, TraceExport,
        };

        if payload.one_by_one() {
            return matches!(self, Task::Decode | Task::Encode | Task::Skip);
        }
        match self {
            Task::Read => payload == FooBar,
            Task::EncodePieces | Task::PassThroughPieces => {
                matches!(payload, MediaFrame | StringHeavy | StringOneof | StringVeryHeavy | Blob)
            }
            Task::EncodeToVec => payload.dataset().is_some(),
            Task::BuildEncode => matches!(payload, Car | MarketVarint | MarketFixed | FooBar),
            Task::PassThrough => payload.of_protokt() || matches!(payload, RemoteWrite | TraceExport | LogsExport),
            Task::Update => matches!(payload, Inputs | StringHeavy | RemoteWrite),
            Task::Append => matches!(payload, GenericSmall | StringRepeated | StringMap),
            Task::EncodedLen => !payload.is_log(),
            Task::ReadStream | Task::WriteStream => payload.is_log() || payload.of_protokt(),
            _ => true,
        }
    }
}

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Where an operation's memory comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Memory {
    /// From the allocator, and back to it, every time.
    Fresh,
    /// From the operation before.
    Reused,
}

impl Memory {
    /// Its name: `fresh` or `reused`.
    pub const fn name(self) -> &'static str {
        match self {
            Memory::Fresh => "fresh",
            Memory::Reused => "reused",
        }
    }
}

/// A library in one way of using it.
#[derive(Clone, Copy)]
pub struct Library {
    /// Its name in lower case: `prost`, `buffa-view`, ...
    pub name: &'static str,
    /// The name of its crate in the lock file, with the version that is meant when there are two: `protobuf@4`.
    pub package: &'static str,
    /// What must be known of it before its numbers are compared.
    pub settings: Settings,
    /// Whether decoding puts off work until a field is read, so that only decode+read is a fair question.
    pub lazy: bool,
    /// Answers and loops for a payload.
    pub offer: fn(Payload, &mut Offer),
}

impl fmt::Debug for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Library").field(&self.name).finish()
    }
}

/// What must be known of a library before its numbers are compared.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Where strings and bytes are after decoding.
    pub strings: &'static str,
    /// Whether UTF-8 is checked.
    pub utf8: &'static str,
    /// What becomes of unknown fields.
    pub unknown: &'static str,
    /// Which memory can be used again.
    pub memory: &'static str,
}

/// One loop.
pub struct Operation {
    /// On which payload.
    pub payload: Payload,
    /// What.
    pub task: Task,
    /// By whom.
    pub library: &'static str,
    /// In which way: `fresh arena`, `arena reset`, ...
    pub variant: &'static str,
    /// Where its memory comes from.
    pub memory: Memory,
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
        format!("{}/{}/{}, {}", self.payload, self.task, self.library, self.variant)
    }
}

impl fmt::Debug for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Operation").field(&self.label()).finish()
    }
}

/// Something a library does not do, or does otherwise.
#[derive(Clone, Debug)]
pub struct Gap {
    /// Who.
    pub library: &'static str,
    /// On which payload.
    pub payload: Payload,
    /// The tasks that are not timed because of it.
    pub untimed: Vec<Task>,
    /// What there is to say.
    pub text: String,
}

impl Gap {
    /// Whether the gap forbids timing this operation.
    pub fn forbids(&self, operation: &Operation) -> bool {
        self.library == operation.library && self.payload == operation.payload && self.untimed.contains(&operation.task)
    }
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on {}: {}", self.library, self.payload, self.text)?;
        if !self.untimed.is_empty() {
            let names: Vec<_> = self.untimed.iter().map(|task| task.name()).collect();
            write!(f, " Not timed: {}.", names.join(", "))?;
        }
        Ok(())
    }
}

/// The right answers for a payload: what prost reads and, where an encoder has no choice, writes.
pub struct Expected {
    payload: Payload,
    fingerprint: u64,
    checksum: u64,
    listing: fn(&[u8]) -> BTreeMap<String, Value>,
    again: fn(&[u8]) -> Result<u64, prost::DecodeError>,
    /// The encoding with the fields in order and nothing that is not needed.
    pub canonical: Vec<u8>,
}

impl Expected {
    /// The right answers of prost's type.
    ///
    /// # Panics
    ///
    /// When prost cannot read the payload.
    pub fn by<M: Message + Default + Walk>(payload: Payload) -> Rc<Expected> {
        let message = M::decode(payload.wire()).expect("prost reads every payload");
        // prost's map has an order of its own; all payloads of this crate are canonical as they are.
        let canonical = if payload.dataset().is_some() { message.encode_to_vec() } else { payload.wire().to_vec() };
        Rc::new(Expected {
            payload,
            fingerprint: Fingerprint::of(&message),
            checksum: Checksum::of(&message),
            listing: |wire| M::decode(wire).map(|message| Listing::of(&message)).unwrap_or_default(),
            again: |wire| M::decode(wire).map(|message| Fingerprint::of(&message)),
            canonical,
        })
    }
    /// The right answers of prost's type for a stream of messages, read as a list of them.
    ///
    /// # Panics
    ///
    /// When prost cannot read the payload.
    pub fn by_log<M: Message + Default + Walk>(payload: Payload) -> Rc<Expected> {
        let messages = delimited::<M>(payload.wire()).expect("prost reads every payload");
        Rc::new(Expected {
            payload,
            fingerprint: Fingerprint::of(&messages),
            checksum: Checksum::of(&messages),
            listing: |wire| delimited::<M>(wire).map(|messages| Listing::of(&messages)).unwrap_or_default(),
            again: |wire| delimited::<M>(wire).map(|messages| Fingerprint::of(&messages)),
            canonical: payload.wire().to_vec(),
        })
    }
}

/// The messages of a stream, as prost reads them.
pub(crate) fn delimited<M: Message + Default>(mut wire: &[u8]) -> Result<Vec<M>, prost::DecodeError> {
    let mut messages = Vec::new();
    while !wire.is_empty() {
        messages.push(M::decode_length_delimited(&mut wire)?);
    }
    Ok(messages)
}

impl fmt::Debug for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Expected").field(&self.payload).finish()
    }
}

/// Collects one library's answers and loops for one payload.
#[derive(Debug)]
pub struct Offer {
    /// The payload.
    pub payload: Payload,
    /// Its encoded message.
    pub wire: &'static [u8],
    expected: Rc<Expected>,
    library: &'static str,
    encoded: usize,
    /// The loops, those included that a gap forbids.
    pub operations: Vec<Operation>,
    /// What was not as expected.
    pub gaps: Vec<Gap>,
}

impl Offer {
    /// Asks a library for what it offers.
    pub fn of(library: &Library, expected: &Rc<Expected>) -> Offer {
        let payload = expected.payload;
        let mut offer = Offer {
            payload,
            wire: payload.wire(),
            expected: Rc::clone(expected),
            library: library.name,
            encoded: expected.canonical.len(),
            operations: Vec::new(),
            gaps: Vec::new(),
        };
        (library.offer)(payload, &mut offer);
        offer
    }

    /// States something that the library does not do, and which tasks are not timed for it.
    pub fn gap(&mut self, untimed: &[Task], text: impl Into<String>) {
        let text = text.into();
        if self.gaps.iter().any(|gap| gap.text == text) {
            return;
        }
        let asked = |task: &Task| *task != Task::Skip && task.suits(self.payload);
        let (all, untimed): (_, Vec<Task>) = (untimed, untimed.iter().copied().filter(asked).collect());
        if untimed.is_empty() && !all.is_empty() {
            // Nobody asked.
            return;
        }
        self.gaps.push(Gap { library: self.library, payload: self.payload, untimed, text });
    }

    /// Compares a decoded message, or its failure, with the right answer. Gives the message back if there is one.
    pub fn decoded<M: Walk, E: fmt::Display>(&mut self, how: &str, outcome: Result<M, E>) -> Option<M> {
        match outcome {
            Ok(message) => {
                self.compare(how, &message);
                Some(message)
            }
            Err(error) => {
                self.gap(&Task::ALL, format!("{how} fails: {error}"));
                None
            }
        }
    }

    fn compare(&mut self, how: &str, message: &impl Walk) {
        if Fingerprint::of(message) == self.expected.fingerprint {
            if Checksum::of(message) != self.expected.checksum {
                self.gap(Task::OF_DECODING, format!("{how} gives another checksum."));
            }
            return;
        }
        let (filled, other): (Vec<_>, Vec<_>) = differences(&(self.expected.listing)(self.wire), &Listing::of(message))
            .into_iter()
            .partition(|difference| difference.expected.is_none());
        if let Some(difference) = other.first() {
            self.gap(Task::OF_DECODING, format!("{how}: {difference}."));
        } else if let Some(first) = filled.first() {
            self.gap(
                &[],
                format!(
                    "{} fields that the wire does not set come back as set to their default ({}, ...); the fields \
                     that it sets are right, so decoding is timed.",
                    filled.len(),
                    first.path
                ),
            );
        }
    }

    /// Compares the encoding of a decoded message with the right one. Another one will do if prost reads the same
    /// values from it.
    pub fn encoded(&mut self, how: &str, wire: &[u8]) {
        self.compare_encoding(how, wire, Task::OF_ENCODING);
    }

    /// Compares the encoding of a message that was built by hand.
    pub fn built(&mut self, wire: &[u8]) {
        self.compare_encoding("the message built by hand", wire, &[Task::BuildEncode]);
    }

    /// Compares the encoding of a message of which something was changed, and adds the loop. `work` shows the encoding
    /// to its argument.
    pub fn update(&mut self, memory: Memory, variant: &'static str, work: impl FnMut(&mut dyn FnMut(&[u8])) + 'static) {
        self.change(Task::Update, changes::changed(self.payload), memory, variant, work);
    }

    /// The same of a message to which something was appended.
    pub fn append(&mut self, memory: Memory, variant: &'static str, work: impl FnMut(&mut dyn FnMut(&[u8])) + 'static) {
        self.change(Task::Append, appends::appended(self.payload), memory, variant, work);
    }

    fn change(
        &mut self,
        task: Task,
        right: Option<Vec<u8>>,
        memory: Memory,
        variant: &'static str,
        mut work: impl FnMut(&mut dyn FnMut(&[u8])) + 'static,
    ) {
        let (right, mut wire) = (right.unwrap_or_default(), Vec::new());
        work(&mut |encoded| wire = encoded.to_vec());
        if wire != right && (self.expected.again)(&wire).ok() != (self.expected.again)(&right).ok() {
            let len = wire.len();
            self.gap(&[task], format!("{variant}: {task} gives {len} bytes that say something else."));
        }
        self.time(task, memory, variant, move || {
            work(&mut |encoded| {
                black_box(encoded);
            });
        });
    }

    fn compare_encoding(&mut self, how: &str, wire: &[u8], untimed: &[Task]) {
        if wire == self.expected.canonical {
            return;
        }
        let (len, right) = (wire.len(), self.expected.canonical.len());
        match (self.expected.again)(wire) {
            Ok(fingerprint) if fingerprint == self.expected.fingerprint => {
                self.encoded = len;
                if len != right {
                    self.gap(&[], format!("{how} gives {len} bytes where {right} would do; they say the same."));
                }
            }
            Ok(_) => {
                let difference =
                    differences(&(self.expected.listing)(self.wire), &(self.expected.listing)(wire)).into_iter().next();
                let difference = difference.map_or(String::new(), |first| format!(" ({first})"));
                self.gap(untimed, format!("{how} gives {len} bytes that say something else{difference}."));
            }
            Err(error) => {
                self.gap(untimed, format!("{how} gives {len} bytes that prost does not read: {error}."));
            }
        }
    }

    /// Compares what was written to a stream.
    pub fn streamed(&mut self, how: &str, stream: &[u8]) {
        let begin = self.payload.stream().len() - self.wire.len();
        self.compare_encoding(how, stream.get(begin..).unwrap_or_default(), &[Task::WriteStream]);
    }

    /// Compares the size of the encoding with what was encoded.
    pub fn encoded_len(&mut self, how: &str, len: usize) {
        if len != self.encoded {
            self.gap(&[Task::EncodedLen], format!("{how} gives {len}, the encoding has {} bytes.", self.encoded));
        }
    }

    /// Adds a loop.
    pub fn time(&mut self, task: Task, memory: Memory, variant: &'static str, mut work: impl FnMut() + 'static) {
        if !task.suits(self.payload) {
            return;
        }
        let decodes = matches!(task, Task::Decode | Task::DecodeRead | Task::Read | Task::ReadStream | Task::Skip);
        self.operations.push(Operation {
            payload: self.payload,
            task,
            library: self.library,
            variant,
            memory,
            bytes: if decodes { self.wire.len() } else { self.encoded },
            work: Box::new(move |times| {
                for _ in 0..times {
                    work();
                }
            }),
        });
    }
}

/// Reads every field, so that nothing of it can be left out.
#[inline(always)]
pub fn read(message: &impl Walk) {
    black_box(Checksum::of(message));
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
        let brief = |value: &Value| format!("{value:?}").chars().take(200).collect::<String>();
        match (expected.as_ref().map(brief), found.as_ref().map(brief)) {
            (Some(expected), Some(found)) => write!(f, "{path} is {found}, not {expected}"),
            (Some(expected), None) => write!(f, "{path} is not set, it should be {expected}"),
            (None, Some(found)) => write!(f, "{path} is {found}, it should not be set"),
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
