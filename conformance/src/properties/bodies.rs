//! Bodies of gRPC calls: whatever the chunks, and whenever somebody gives up, a service sees the messages of a simple model.
//!
//! A client sends a request body through HTTP/2, cut into chunks of any length, with messages plain or in gzip, malformed, too
//! long, or cut off. The service drops its futures while they wait, or not, and answers each message. Client and service may
//! end the call at any time. No arena may be missing from the server's pool afterwards.

use std::cell::RefCell;
use std::future::poll_fn;
use std::io::{Read as _, Write as _};
use std::pin::pin;
use std::rc::Rc;
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use defiant::wkt::StringValue;
use defiant::{Arena, DecodeOptions, Message};
use defiant_grpc::{Code, Exchange, Requests, Server, ServerOptions, Service, Status};
use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use h2::client;
use http::Request;
use tokio::task::{LocalSet, spawn_local};
use tokio::time::sleep;

/// Messages of a body, and outcomes that a service asks for.
const LONGEST: usize = 12;
/// Lengths of texts: around the ends of prefixes, of frames, and of limits.
const LENGTHS: [usize; 8] = [0, 1, 100, 190, 210, 3000, 20_000, 40_000];
/// Lengths of chunks.
const CHUNKS: [usize; 8] = [1, 2, 4, 5, 6, 100, 5000, usize::MAX];

/// What a service gets when it asks for a message.
type Outcome = Result<Option<String>, Code>;

/// What happens in a call.
#[derive(Clone, Copy)]
struct Plan {
    /// Bytes of a message that the server takes.
    max: usize,
    /// Bytes of a message that the decoder takes.
    max_decoded: usize,
    request_in_gzip: bool,
    replies_in_gzip: bool,
    /// Drops each future that is not ready when it is polled first, and asks again later.
    drops_futures: bool,
    /// Asks for messages in the arena of the call.
    in_call: bool,
    /// Outcomes after which the service ends the call.
    most: usize,
    /// Chunks after which the client resets the stream.
    reset_after: Option<usize>,
}

/// The service that follows a plan, and notes what it gets.
#[derive(Clone)]
struct Follower {
    plan: Plan,
    notes: Rc<RefCell<Vec<Outcome>>>,
}

type Texts = Requests<StringValue<'static>>;

impl Follower {
    async fn ask(&self, requests: &mut Texts, arena: &Arena) -> Outcome {
        let message = if self.plan.in_call { requests.next_in(arena).await } else { requests.next().await };
        message.map(|message| message.map(|message| message.value.to_owned())).map_err(|status| status.code())
    }
}

impl Service for Follower {
    fn has(&self, service: &str) -> bool {
        service == "Texts"
    }

    async fn call(&self, _: &str, _: &str, exchange: Exchange) -> Result<(), Status> {
        let (call, mut requests, replies) = exchange.open::<StringValue<'static>, StringValue<'static>>();
        for _ in 0..self.plan.most {
            let outcome = loop {
                let mut asked = pin!(self.ask(&mut requests, &call));
                if !self.plan.drops_futures {
                    break asked.await;
                }
                let polled = poll_fn(|cx| Poll::Ready(asked.as_mut().poll(cx))).await;
                match polled {
                    Poll::Ready(outcome) => break outcome,
                    Poll::Pending => sleep(Duration::from_millis(1)).await,
                }
            };
            self.notes.borrow_mut().push(outcome.clone());
            match outcome {
                Ok(None) => break,
                Ok(Some(text)) => replies.send(&StringValue { value: &text, ..StringValue::default() }).await?,
                Err(_) => {}
            }
        }
        Ok(())
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).unwrap_or_default()
}

fn frame(flag: u8, message: &[u8]) -> Vec<u8> {
    [&[flag], &(message.len() as u32).to_be_bytes()[..], message].concat()
}

/// A message on the wire, what a service gets for it, and whether nothing can be read after it.
fn message(kind: u8, len: u8, plan: &Plan) -> (Vec<u8>, Outcome, bool) {
    let text = "ab".repeat(LENGTHS[usize::from(len) % LENGTHS.len()] / 2);
    let wire = StringValue { value: &text, ..StringValue::default() }.encode_to_vec();
    let (frame, outcome, is_last) = match kind % 8 {
        0..3 if wire.len() > plan.max_decoded => (frame(0, &wire), Err(Code::ResourceExhausted), false),
        0..3 => (frame(0, &wire), Ok(Some(text)), false),
        3 | 4 => {
            let outcome = match plan.request_in_gzip {
                false => Err(Code::Internal),
                true if wire.len() > plan.max.min(plan.max_decoded) => Err(Code::ResourceExhausted),
                true => Ok(Some(text)),
            };
            (frame(1, &gzip(&wire)), outcome, false)
        }
        // A string that is longer than its message.
        5 => (frame(0, &[0x0a, 1]), Err(Code::Internal), false),
        6 => (frame(1, b"no gzip"), Err(Code::Internal), false),
        _ => (frame(2, &wire), Err(Code::Internal), true),
    };
    if !is_last && frame.len() - 5 > plan.max {
        return (frame, Err(Code::ResourceExhausted), true);
    }
    (frame, outcome, is_last)
}

/// The body that the rest of the bytes describes, and what a service gets of it.
fn body(bytes: &[u8], plan: &Plan, cut: u8) -> (Vec<u8>, Vec<Outcome>) {
    let (mut wire, mut outcomes, mut ends, mut failed) = (Vec::new(), Vec::new(), vec![0], None);
    for pair in bytes.chunks_exact(2).take(LONGEST) {
        let (frame, outcome, is_last) = message(pair[0], pair[1], plan);
        wire.extend_from_slice(&frame);
        if failed.is_some() {
            continue;
        }
        if is_last {
            failed = outcome.clone().err();
        } else {
            ends.push(wire.len());
            outcomes.push(outcome);
        }
    }
    if cut % 4 == 3 {
        let len = wire.len().saturating_sub(usize::from(cut >> 2));
        wire.truncate(len);
        let whole = ends.iter().take_while(|end| **end <= len).count() - 1;
        if whole < outcomes.len() {
            // The wire ends inside a message that could have been read.
            outcomes.truncate(whole);
            failed = (len > ends[whole]).then_some(Code::Internal);
        } else if len < ends[whole] + 5 && failed.is_some() {
            failed = (len > ends[whole]).then_some(Code::Internal);
        }
    }
    match failed {
        Some(code) => outcomes.resize(plan.most.max(outcomes.len()), Err(code)),
        None => outcomes.push(Ok(None)),
    }
    outcomes.truncate(plan.most);
    (wire, outcomes)
}

/// The first five bytes are the plan, the sixth is for the chunks; each two after them are a message.
pub(super) fn bodies(bytes: &[u8]) -> Result<(), String> {
    let [flags, most, reset, cut, chunk, rest @ ..] = bytes else { return Ok(()) };
    let plan = Plan {
        max: if flags & 1 == 0 { 200 } else { 1 << 20 },
        max_decoded: if flags & 0x80 == 0 { 1 << 20 } else { 150 },
        request_in_gzip: flags & 2 != 0,
        replies_in_gzip: flags & 4 != 0,
        drops_futures: flags & 8 != 0,
        in_call: flags & 16 != 0,
        most: usize::from(most % 16),
        reset_after: (flags & 0x60 == 0x60).then_some(usize::from(reset % 16)),
    };
    let (wire, expected) = body(rest, &plan, *cut);
    // Few chunks, of lengths in turns.
    let mut chunks = Vec::new();
    let mut left = &wire[..];
    while !left.is_empty() {
        let len = CHUNKS[usize::from(chunk.rotate_left(chunks.len() as u32 % 8)) % CHUNKS.len()].min(left.len());
        let len = if chunks.len() > 200 { left.len() } else { len };
        let (first, others) = left.split_at(len);
        chunks.push(Bytes::copy_from_slice(first));
        left = others;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    LocalSet::new().block_on(&runtime, call(plan, chunks, expected))
}

/// Makes one call, and compares what both sides see of it with the model.
async fn call(plan: Plan, chunks: Vec<Bytes>, expected: Vec<Outcome>) -> Result<(), String> {
    let notes = Rc::default();
    let options = ServerOptions::new().max_message_bytes(plan.max).compress_from(50);
    let options = options.decode_options(DecodeOptions::new().size_limit(plan.max_decoded));
    let server = Server::with_options(Follower { plan, notes: Rc::clone(&notes) }, options);
    let pool = server.pool().clone();
    let (near, far) = tokio::io::duplex(1 << 14);
    let serving = spawn_local(async move { server.serve_connection(far).await });
    let (mut client, connection) = client::handshake(near).await.map_err(|error| error.to_string())?;
    spawn_local(connection);

    let mut request = Request::post("http://localhost/Texts/All").header("content-type", "application/grpc");
    if plan.request_in_gzip {
        request = request.header("grpc-encoding", "gzip");
    }
    if plan.replies_in_gzip {
        request = request.header("grpc-accept-encoding", "gzip");
    }
    let request = request.body(()).map_err(|error| error.to_string())?;
    let (response, mut stream) = client.send_request(request, false).map_err(|error| error.to_string())?;
    let sending = spawn_local(async move {
        for (index, chunk) in chunks.into_iter().enumerate() {
            if plan.reset_after == Some(index) {
                stream.send_reset(h2::Reason::CANCEL);
                return;
            }
            // The server may have ended the call.
            if stream.send_data(chunk, false).is_err() {
                return;
            }
            if index % 3 == 0 {
                sleep(Duration::from_millis(2)).await;
            }
        }
        let _ = stream.send_data(Bytes::new(), true);
    });
    let answer = read(response).await;
    let _ = sending.await;
    drop(client);
    // The server ends when all calls of the connection have.
    sleep(Duration::from_secs(1)).await;
    let notes: Vec<Outcome> = notes.take();
    if plan.reset_after.is_some() {
        // The service has seen a part, and perhaps that the request broke off.
        let seen = notes.iter().take_while(|note| **note != Err(Code::Cancelled)).count();
        let is_part = seen <= expected.len() && notes[..seen] == expected[..seen];
        if !is_part || notes[seen..].iter().any(|note| *note != Err(Code::Cancelled)) {
            return Err(format!("the service got {}, expected a part of {}", short(&notes), short(&expected)));
        }
    } else {
        if notes != expected {
            return Err(format!("the service got {}, expected {}", short(&notes), short(&expected)));
        }
        let texts: Vec<_> = expected.iter().filter_map(|outcome| outcome.clone().ok().flatten()).collect();
        let (found, status) = answer?;
        if found != texts || status != "0" {
            return Err(format!("{} answers of {}, status {status}", found.len(), texts.len()));
        }
    }
    serving.abort();
    let _ = serving.await;
    match pool.stats().in_use {
        0 => Ok(()),
        arenas => Err(format!("{arenas} arenas are in use after the call")),
    }
}

/// The texts of an answer, and its status.
async fn read(response: client::ResponseFuture) -> Result<(Vec<String>, String), String> {
    let (head, mut body) = response.await.map_err(|error| error.to_string())?.into_parts();
    let mut wire = Vec::new();
    while let Some(chunk) = body.data().await {
        let chunk = chunk.map_err(|error| error.to_string())?;
        let _ = body.flow_control().release_capacity(chunk.len());
        wire.extend_from_slice(&chunk);
    }
    let trailers = body.trailers().await.map_err(|error| error.to_string())?.unwrap_or_default();
    let status = trailers.get("grpc-status").or(head.headers.get("grpc-status")).ok_or("no status")?;
    let status = status.to_str().map_err(|error| error.to_string())?.to_owned();
    let mut texts = Vec::new();
    let mut rest = &wire[..];
    while let [flag, a, b, c, d, after @ ..] = rest {
        let len = u32::from_be_bytes([*a, *b, *c, *d]) as usize;
        let (message, others) = after.split_at_checked(len).ok_or("an answer ends inside a message")?;
        rest = others;
        let mut plain = Vec::new();
        match flag {
            0 => plain.extend_from_slice(message),
            _ => drop(GzDecoder::new(message).read_to_end(&mut plain).map_err(|error| error.to_string())?),
        }
        let arena = Arena::new();
        let message = StringValue::decode(&plain, &arena).map_err(|error| error.to_string())?;
        texts.push(message.value.to_owned());
    }
    if rest.is_empty() { Ok((texts, status)) } else { Err("an answer ends inside a prefix".to_owned()) }
}

/// Outcomes with the lengths of texts.
fn short(outcomes: &[Outcome]) -> String {
    let short = |outcome: &Outcome| match outcome {
        Ok(Some(text)) => format!("{} bytes", text.len()),
        Ok(None) => "end".to_owned(),
        Err(code) => format!("{code:?}"),
    };
    outcomes.iter().map(short).collect::<Vec<_>>().join(", ")
}
