//! What the report asks of a record: a task, and whether memory may be used again.

use crate::offer::Task;
use crate::record::{Record, Row};
use crate::summary::lazy;

/// One question, put to every library on every payload.
#[derive(Clone, Copy, Debug)]
pub struct Question {
    /// A heading.
    pub title: &'static str,
    /// What is done, in a sentence.
    pub what: &'static str,
    /// Which task.
    pub task: Task,
    /// Whether memory may be kept from one operation to the next. A library that has no way to do so answers with
    /// fresh memory.
    pub reused: bool,
    /// The name of its chart.
    pub chart: &'static str,
}

/// Wire to message, with memory that is used again.
pub const DECODE: Question = Question {
    title: "Decode, memory reused",
    what: "Wire to message, and giving the message's memory back. Lazy decoders have not done the work yet, and do not count.",
    task: Task::Decode,
    reused: true,
    chart: "decode_reused",
};
/// Wire to message, with memory from the allocator.
pub const DECODE_FRESH: Question = Question {
    title: "Decode, fresh memory",
    what: "The same with memory from the allocator and back to it, every time.",
    task: Task::Decode,
    reused: false,
    chart: "decode_fresh",
};
/// Message to wire.
pub const ENCODE: Question = Question {
    title: "Encode to a reused buffer",
    what: "A message that is kept, to wire.",
    task: Task::Encode,
    reused: true,
    chart: "encode",
};
/// All of them, in the order of the report.
pub const QUESTIONS: [Question; 14] = [
    DECODE,
    DECODE_FRESH,
    Question {
        title: "Decode and read every field, memory reused",
        what: "Lazy decoders take part here: what they put off is done now.",
        task: Task::DecodeRead,
        reused: true,
        chart: "decode_read",
    },
    ENCODE,
    Question {
        title: "Encode in pieces",
        what: "A message that is kept, to pieces for a vectored write: long texts and bytes are referred to, not copied. prost \
               copies all to one piece.",
        task: Task::EncodePieces,
        reused: true,
        chart: "encode_pieces",
    },
    Question {
        title: "Encoded length",
        what: "The size of the encoding alone.",
        task: Task::EncodedLen,
        reused: true,
        chart: "encoded_len",
    },
    Question {
        title: "Build by hand and encode",
        what: "All fields set one by one, then to wire.",
        task: Task::BuildEncode,
        reused: true,
        chart: "build_encode",
    },
    Question {
        title: "Read a message that is kept",
        what: "Every field and every byte of text.",
        task: Task::Read,
        reused: true,
        chart: "read",
    },
    Question {
        title: "Pass-through, memory reused",
        what: "Wire to message and back to wire.",
        task: Task::PassThrough,
        reused: true,
        chart: "pass_through",
    },
    Question {
        title: "Pass-through in pieces, memory reused",
        what: "Wire to message and back to pieces for a vectored write. prost copies all to one piece.",
        task: Task::PassThroughPieces,
        reused: true,
        chart: "pass_through_pieces",
    },
    Question {
        title: "Update, memory reused",
        what: "Wire to message, some fields changed, and back to wire.",
        task: Task::Update,
        reused: true,
        chart: "update",
    },
    Question {
        title: "Copy and append, a thousand times",
        what: "A copy of a message with one element more, a thousand times, and the last one to wire.",
        task: Task::Append,
        reused: true,
        chart: "append",
    },
    Question {
        title: "Read from a stream, memory reused",
        what: "Messages out of an `io::Read`, each behind its length. Those that know no streams read the length by hand, and the \
               message into memory that is used again.",
        task: Task::ReadStream,
        reused: true,
        chart: "read_stream",
    },
    Question {
        title: "Write to a stream",
        what: "Messages that are kept, to an `io::Write`, each behind its length, with a buffer in between.",
        task: Task::WriteStream,
        reused: true,
        chart: "write_stream",
    },
];

impl Question {
    /// The rows that answer it.
    pub fn rows(self, record: &Record) -> impl Iterator<Item = &Row> {
        record.rows.iter().filter(move |row| row.task == self.task.name() && (self.reused || row.memory == "fresh"))
    }

    /// The payloads that it is put with, in the order of the record.
    pub fn payloads(self, record: &Record) -> Vec<&str> {
        let mut payloads: Vec<&str> = Vec::new();
        for row in self.rows(record) {
            if !payloads.contains(&row.payload.as_str()) {
                payloads.push(&row.payload);
            }
        }
        payloads
    }

    /// The libraries with an answer for any payload, in the order of the record.
    pub fn libraries(self, record: &Record) -> Vec<&str> {
        let answers = |name: &str| self.rows(record).any(|row| row.library == name);
        record.libraries.iter().map(|library| library[0].as_str()).filter(|name| answers(name)).collect()
    }

    /// The fastest answer of a library for a payload.
    pub fn best<'a>(self, record: &'a Record, library: &str, payload: &str) -> Option<&'a Row> {
        self.rows(record)
            .filter(|row| row.library == library && row.payload == payload)
            .min_by(|a, b| a.min.total_cmp(&b.min))
    }

    /// Whether a library's answer is to be compared with the others': not where it has put the work off.
    pub fn counts(self, library: &str) -> bool {
        self.task != Task::Decode || !lazy(library)
    }
}
