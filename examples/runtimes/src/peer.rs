//! The messages of `proto/work.proto` and the service once more, with prost.
#![expect(missing_docs, reason = "the derive of prost makes methods without documentation")]

/// As `Request` in `proto/work.proto`; the others here likewise.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Request {
    #[prost(uint64, tag = "1")]
    pub id: u64,
    #[prost(oneof = "Task", tags = "2, 3")]
    pub task: Option<Task>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
pub enum Task {
    #[prost(bytes, tag = "2")]
    Echo(Vec<u8>),
    #[prost(message, tag = "3")]
    Batch(Batch),
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct Batch {
    #[prost(string, tag = "1")]
    pub host: String,
    #[prost(message, repeated, tag = "2")]
    pub spans: Vec<Span>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct Span {
    #[prost(bytes, tag = "1")]
    pub trace: Vec<u8>,
    #[prost(string, tag = "2")]
    pub name: String,
    #[prost(fixed64, tag = "3")]
    pub begin: u64,
    #[prost(fixed64, tag = "4")]
    pub end: u64,
    #[prost(uint32, tag = "5")]
    pub status: u32,
    #[prost(message, repeated, tag = "6")]
    pub attributes: Vec<Attribute>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct Attribute {
    #[prost(string, tag = "1")]
    pub key: String,
    #[prost(string, tag = "2")]
    pub value: String,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct Reply {
    #[prost(uint64, tag = "1")]
    pub id: u64,
    #[prost(oneof = "Outcome", tags = "2, 3")]
    pub result: Option<Outcome>,
    #[prost(string, tag = "4")]
    pub error: String,
}

#[derive(Clone, PartialEq, prost::Oneof)]
pub enum Outcome {
    #[prost(bytes, tag = "2")]
    Echo(Vec<u8>),
    #[prost(message, tag = "3")]
    Summary(Summary),
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct Summary {
    #[prost(string, tag = "1")]
    pub host: String,
    #[prost(uint64, tag = "2")]
    pub spans: u64,
    #[prost(uint64, tag = "3")]
    pub attribute_bytes: u64,
    #[prost(message, repeated, tag = "4")]
    pub failures: Vec<Failure>,
    #[prost(string, tag = "5")]
    pub slowest: String,
    #[prost(uint64, tag = "6")]
    pub slowest_nanos: u64,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct Failure {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(uint32, tag = "2")]
    pub status: u32,
}

/// Answers one request; what the reply has of it is moved, not copied.
pub(crate) fn answer(request: Request) -> Reply {
    let result = request.task.map(|task| match task {
        Task::Echo(bytes) => Outcome::Echo(bytes),
        Task::Batch(batch) => Outcome::Summary(summary(batch)),
    });
    Reply { id: request.id, result, error: String::new() }
}

fn summary(batch: Batch) -> Summary {
    let mut summary = Summary { host: batch.host, spans: batch.spans.len() as u64, ..Summary::default() };
    let mut slowest = None;
    for (index, span) in batch.spans.iter().enumerate() {
        let attributes = span.attributes.iter().map(|attribute| attribute.key.len() + attribute.value.len());
        summary.attribute_bytes += attributes.sum::<usize>() as u64;
        let nanos = span.end.saturating_sub(span.begin);
        if nanos > summary.slowest_nanos {
            summary.slowest_nanos = nanos;
            slowest = Some(index);
        }
    }
    // Names are moved where they are wanted once.
    for (index, span) in batch.spans.into_iter().enumerate() {
        match (slowest == Some(index), span.status) {
            (true, 0) => summary.slowest = span.name,
            (false, 0) => {}
            (is_slowest, status) => {
                if is_slowest {
                    summary.slowest.clone_from(&span.name);
                }
                summary.failures.push(Failure { name: span.name, status });
            }
        }
    }
    summary
}
