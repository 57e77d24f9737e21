//! A request, and the way back to who sent it.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use defiant::extension::MessageFamily;
use defiant::pool::{LocalArenaPool, LocalPooledArena};
use defiant::wkt::BytesValue;
use defiant::{DecodeOptions, Owned};
use h2::server::SendResponse;
use h2::{Reason, SendStream};
use http::{HeaderMap, HeaderValue, Response};

use crate::call::{Call, Metadata};
use crate::encoding::ENCODING;
use crate::frame::Frame;
use crate::gzip::Gzip;
use crate::replies::Replies;
use crate::requests::{Body, Requests};
use crate::status::{Status, write_ok};

/// What a message may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Bytes on the wire.
    pub(crate) message_bytes: usize,
    pub(crate) decode: DecodeOptions,
}

/// A request, and the way back to who sent it: what a server gives to a [`Service`](crate::Service).
pub struct Exchange {
    body: Body,
    shared: Rc<Shared>,
}

impl Exchange {
    pub(crate) fn new(body: Body, shared: Rc<Shared>) -> Self {
        Exchange { body, shared }
    }

    /// The call with its arena, the messages that come in and the way out for others.
    #[must_use]
    pub fn open<I: MessageFamily, O: MessageFamily>(self) -> (Call, Requests<I>, Replies<O>) {
        let call = Call::new(self.shared.pool.take(), Rc::clone(&self.shared));
        (call, Requests::new(self.body, Rc::clone(&self.shared)), Replies::new(self.shared))
    }
}

impl fmt::Debug for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exchange").field("metadata", &self.shared.request).finish_non_exhaustive()
    }
}

/// What the calls of a thread share: never borrowed across an await.
pub(crate) type SharedGzip = Rc<RefCell<Gzip>>;

/// What the parts of an exchange share.
pub(crate) struct Shared {
    pub(crate) pool: LocalArenaPool,
    pub(crate) request: Metadata,
    pub(crate) deadline: Option<Instant>,
    /// From how many bytes on messages are compressed, if they may be.
    compressed_from: Option<usize>,
    gzip: SharedGzip,
    pub(crate) headers: RefCell<Metadata>,
    pub(crate) trailers: RefCell<Metadata>,
    /// Never borrowed across an await.
    way: RefCell<Way>,
    sent_any: Cell<bool>,
    /// Where there is a deadline, to which answers are kept.
    queue: Option<Rc<Queue>>,
    /// Who waits for room, in the task of the call or in others.
    waiting: RefCell<Vec<Waker>>,
}

/// What a method has set, unless it forgot that it was about to.
fn taken(metadata: &RefCell<Metadata>) -> Metadata {
    metadata.try_borrow_mut().map(|mut metadata| core::mem::take(&mut *metadata)).unwrap_or_default()
}

/// The messages of a call that HTTP/2 has not yet sent.
#[derive(Default)]
pub(crate) struct Queue {
    frames: Cell<usize>,
    /// Who waits until there are none.
    waiting: Cell<Option<Waker>>,
}

impl Queue {
    /// A message is made, and will be sent or dropped.
    pub(crate) fn enter(&self) {
        self.frames.set(self.frames.get() + 1);
    }

    /// It was.
    pub(crate) fn leave(&self) {
        let left = self.frames.get() - 1;
        self.frames.set(left);
        if left > 0 {
            return;
        }
        if let Some(waiting) = self.waiting.take() {
            waiting.wake();
        }
    }
}

/// An answer that a client has not yet allowed to be sent.
pub(crate) struct Unread {
    stream: SendStream<Frame>,
    queue: Rc<Queue>,
}

impl Unread {
    /// Ready when it is sent, or the client no longer wants it.
    pub(crate) fn poll_gone(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if self.queue.frames.get() == 0 {
            return Poll::Ready(());
        }
        self.queue.waiting.set(Some(cx.waker().clone()));
        Poll::Pending
    }

    /// Gives it up.
    pub(crate) fn reset(&mut self) {
        self.stream.send_reset(Reason::CANCEL);
    }
}

/// The way back.
enum Way {
    /// Nothing is sent yet.
    Silent(SendResponse<Frame>),
    /// The headers are sent.
    Open(SendStream<Frame>),
    /// The status is sent, or the client is gone.
    Closed,
}

impl Shared {
    pub(crate) fn new(
        pool: LocalArenaPool,
        gzip: SharedGzip,
        request: Metadata,
        deadline: Option<Instant>,
        compressed_from: Option<usize>,
        respond: SendResponse<Frame>,
    ) -> Self {
        let way = Way::Silent(respond);
        Self::with(pool, gzip, request, deadline, compressed_from, way)
    }

    /// Of a call that nobody made.
    pub(crate) fn detached(pool: LocalArenaPool, request: Metadata) -> Self {
        Self::with(pool, SharedGzip::default(), request, None, None, Way::Closed)
    }

    fn with(
        pool: LocalArenaPool,
        gzip: SharedGzip,
        request: Metadata,
        deadline: Option<Instant>,
        compressed_from: Option<usize>,
        way: Way,
    ) -> Self {
        Shared {
            pool,
            request,
            deadline,
            compressed_from,
            gzip,
            headers: RefCell::default(),
            trailers: RefCell::default(),
            way: RefCell::new(way),
            sent_any: Cell::new(false),
            queue: deadline.map(|_| Rc::default()),
            waiting: RefCell::default(),
        }
    }

    /// A message as it is sent, compressed where that was agreed upon and makes it shorter.
    pub(crate) fn frame(&self, body: Owned<BytesValue<'static>, LocalPooledArena>) -> Result<Frame, Status> {
        let mut is_compressed = false;
        let body = match self.compressed_from {
            Some(least) if body.get().value.len() >= least => body.map(|plain, arena| {
                let short = self.gzip.borrow_mut().deflate(plain.value, arena);
                is_compressed = short.is_some();
                short.map_or(plain, |value| BytesValue { value, ..plain })
            }),
            _ => body,
        };
        Frame::new(body, is_compressed, self.queue.clone())
    }

    /// Sends a message, behind the headers if it is the first.
    pub(crate) async fn send(&self, frame: Frame) -> Result<(), Status> {
        self.open()?;
        // The first message goes to the queue at once, as the only one of a reply. Later ones wait until all before them
        // have left it.
        if self.sent_any.replace(true) {
            poll_fn(|cx| self.poll_room(cx)).await?;
        }
        match &mut *self.way.borrow_mut() {
            Way::Open(stream) => stream.send_data(frame, false).map_err(gone),
            _ => Err(Status::cancelled("the call is over")),
        }
    }

    /// Sends the headers, if they are not sent yet.
    fn open(&self) -> Result<(), Status> {
        let mut way = self.way.borrow_mut();
        if let Way::Silent(respond) = &mut *way {
            let mut response = response(self.headers.take());
            if self.compressed_from.is_some() {
                response.headers_mut().insert(ENCODING, HeaderValue::from_static("gzip"));
            }
            let stream = respond.send_response(response, false).map_err(gone)?;
            *way = Way::Open(stream);
        }
        Ok(())
    }

    /// Whether another message may be queued.
    fn poll_room(&self, cx: &mut Context<'_>) -> Poll<Result<(), Status>> {
        let mut way = self.way.borrow_mut();
        let Way::Open(stream) = &mut *way else { return Poll::Ready(Err(Status::cancelled("the call is over"))) };
        stream.reserve_capacity(1);
        if stream.capacity() > 0 {
            return Poll::Ready(Ok(()));
        }
        // A stream of h2 wakes one task only: that of the call, which `poll_reset` tells it of.
        let mut waiting = self.waiting.borrow_mut();
        if !waiting.iter().any(|waker| waker.will_wake(cx.waker())) {
            waiting.push(cx.waker().clone());
        }
        Poll::Pending
    }

    /// Ready when the client no longer wants an answer. Before that, it has those who wait for room polled if there is some.
    pub(crate) fn poll_reset(&self, cx: &mut Context<'_>) -> Poll<()> {
        let polled = match &mut *self.way.borrow_mut() {
            Way::Silent(respond) => respond.poll_reset(cx),
            Way::Open(stream) => {
                if stream.capacity() > 0 {
                    self.wake();
                }
                stream.poll_reset(cx)
            }
            Way::Closed => return Poll::Pending,
        };
        polled.map(|_| ())
    }

    /// Ends the way back. Those who wait for room hear of it, who may be tasks of their own, which outlive the call.
    fn close(&self) -> Way {
        let way = self.way.replace(Way::Closed);
        self.wake();
        way
    }

    /// Has those who wait polled. Not borrowed meanwhile, and the list keeps its memory.
    fn wake(&self) {
        loop {
            let waker = self.waiting.borrow_mut().pop();
            let Some(waker) = waker else { return };
            waker.wake();
        }
    }

    /// Sends how the call ended. Returns what the client may leave unread, which is nothing for most: the deadline of the call
    /// is that of reading it.
    pub(crate) fn finish(&self, result: Result<(), Status>) -> Option<Unread> {
        if result.is_ok() {
            // A stream may be without messages, and has headers all the same.
            let _ = self.open();
        }
        let mut trailers = taken(&self.trailers);
        match &result {
            Ok(()) => write_ok(&mut trailers),
            Err(status) => status.write(&mut trailers),
        }
        // Where the client is gone, there is nobody to tell.
        match self.close() {
            Way::Silent(mut respond) => {
                let mut headers = taken(&self.headers);
                headers.extend(trailers);
                let _ = respond.send_response(response(headers), true);
            }
            Way::Open(mut stream) => {
                let queue = self.queue.clone().filter(|queue| {
                    // With room for more, the client has allowed for all that is queued.
                    stream.reserve_capacity(1);
                    stream.capacity() == 0 && queue.frames.get() > 0
                });
                let _ = stream.send_trailers(trailers);
                return queue.map(|queue| Unread { stream, queue });
            }
            Way::Closed => {}
        }
        None
    }

    /// Ends the call without a word: the client has gone, or is not one of gRPC.
    pub(crate) fn abandon(&self) {
        match self.close() {
            Way::Silent(mut respond) => respond.send_reset(Reason::CANCEL),
            Way::Open(mut stream) => stream.send_reset(Reason::CANCEL),
            Way::Closed => {}
        }
    }
}

/// The head of an answer.
fn response(headers: HeaderMap) -> Response<()> {
    let mut response = Response::new(());
    *response.headers_mut() = headers;
    response.headers_mut().insert(http::header::CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
    response
}

/// The status of a call whose client is gone.
fn gone(error: h2::Error) -> Status {
    Status::cancelled(format!("the client is gone: {error}"))
}
