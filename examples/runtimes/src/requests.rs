//! Requests that can be made again, and what the service has to say to them.

use defiant::{Arena, Encoder};

use crate::{
    service,
    work::{Attribute, Batch, Request, Span, request},
};

/// Bytes of an echo.
const ECHO: usize = 256;

/// Spans of a batch.
const SPANS: u64 = 40;

/// Names of spans.
const NAMES: [&str; 6] =
    ["GET /cart", "SELECT FROM orders WHERE customer = ?", "publish", "render", "POST /checkout/confirm", "\u{e9}tape"];

/// What spans say about themselves.
const ATTRIBUTES: [(&str, &str); 8] = [
    ("http.request.method", "GET"),
    ("http.response.status_code", "200"),
    ("db.system", "postgresql"),
    ("server.address", "checkout-7f9c.internal"),
    ("thread.name", "worker-3"),
    ("messaging.destination.name", "orders.confirmed"),
    ("url.path", "/cart/4711/items"),
    ("customer.tier", "gold"),
];

/// What a client asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Workload {
    /// A few hundred bytes, wanted back.
    Echo,
    /// Spans with attributes, wanted in sum: hundreds of small messages and strings in each request, a few in each reply.
    Batch,
}

impl Workload {
    /// All of them.
    pub const ALL: [Workload; 2] = [Workload::Echo, Workload::Batch];

    /// As in records.
    pub fn name(self) -> &'static str {
        match self {
            Workload::Echo => "echo",
            Workload::Batch => "batch",
        }
    }

    /// The request with this id: always the same one.
    pub(crate) fn request<'arena>(self, id: u64, arena: &'arena Arena) -> Request<'arena> {
        let task = match self {
            Workload::Echo => {
                let bytes = (0..ECHO as u64).map(|index| (id * 31 + index * 7) as u8);
                request::Task::Echo(arena.vec_from_iter(bytes).into_slice())
            }
            Workload::Batch => {
                let spans = arena.vec_from_iter((0..SPANS).map(|index| span(id, index, arena))).into_slice();
                request::Task::Batch(arena.alloc(Batch { host: "node-12.example", spans, ..Batch::default() }))
            }
        };
        Request { id, task: Some(task), ..Request::default() }
    }
}

fn span<'arena>(id: u64, index: u64, arena: &'arena Arena) -> Span<'arena> {
    let mixed = (id * SPANS + index + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let trace = arena.vec_from_iter((0..16).map(|byte| (mixed >> (byte * 3)) as u8)).into_slice();
    let attributes = (0..1 + mixed % 5).map(|nth| {
        let (key, value) = ATTRIBUTES[((mixed >> 8) + nth) as usize % ATTRIBUTES.len()];
        Attribute { key, value, ..Attribute::default() }
    });
    let begin = 1_790_000_000_000_000_000 + (mixed >> 20);
    Span {
        trace,
        name: NAMES[(mixed >> 16) as usize % NAMES.len()],
        begin,
        end: begin + (mixed >> 30) % 1_000_000_000,
        status: if mixed % 11 == 0 { 2 } else { 0 },
        attributes: arena.vec_from_iter(attributes).into_slice(),
        ..Span::default()
    }
}

/// Some requests in a row, as they are sent, and the replies, as they have to come back.
#[derive(Clone, Debug)]
pub struct Burst {
    /// Frames.
    pub requests: Vec<u8>,
    /// Frames.
    pub replies: Vec<u8>,
    /// How many of each.
    pub count: u64,
}

impl Burst {
    /// So many requests, of the workloads in turn.
    pub fn new(workloads: &[Workload], count: u64) -> Self {
        let mut arena = Arena::new();
        let mut encoder = Encoder::new();
        let mut burst = Burst { requests: Vec::new(), replies: Vec::new(), count };
        for (id, &workload) in (0..count).zip(workloads.iter().cycle()) {
            let request = workload.request(id, &arena);
            burst.requests.extend_from_slice(encoder.encode_length_delimited(&request));
            let reply = service::answer(&request, &arena);
            burst.replies.extend_from_slice(encoder.encode_length_delimited(&reply));
            arena.reset();
        }
        burst
    }
}
