//! Messages from the client.

use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::marker::PhantomData;
use std::rc::Rc;

use bytes::{Buf, Bytes};
use defiant::extension::MessageFamily;
use defiant::pool::LocalPooledArena;
use defiant::{Arena, DecodeOptions};
use h2::RecvStream;

use crate::exchange::{Limits, Shared, SharedGzip};
use crate::frame::PREFIX;
use crate::status::Status;

/// The messages that a client sends: `Requests<Query<'static>>` gives a `Query<'_>` after the other.
///
/// ```
/// use defiant::wkt::Int64Value;
/// use defiant_grpc::{Requests, Status};
///
/// async fn sum(requests: &mut Requests<Int64Value<'static>>) -> Result<i64, Status> {
///     let mut sum = 0;
///     while let Some(number) = requests.next().await? {
///         sum += number.value; // `number` is there until the next one
///     }
///     Ok(sum)
/// }
/// # drop(sum);
/// ```
pub struct Requests<M> {
    body: Body,
    shared: Rc<Shared>,
    /// Of the message that is read.
    arena: Option<LocalPooledArena>,
    family: PhantomData<fn() -> M>,
}

impl<M: MessageFamily> Requests<M> {
    pub(crate) fn new(body: Body, shared: Rc<Shared>) -> Self {
        Requests { body, shared, arena: None, family: PhantomData }
    }

    /// The next message, or `None` after the last one. It is borrowed from memory that the one after it will use again.
    ///
    /// # Errors
    /// When the message does not decode, is too long, or does not come: the client broke off.
    pub async fn next(&mut self) -> Result<Option<M::In<'_>>, Status> {
        let arena = self.arena.get_or_insert_with(|| self.shared.pool.take());
        arena.reset();
        self.body.message::<M>(arena).await
    }

    /// The next message, in an arena that is given, where it stays: that of the [`Call`](crate::Call), if all of them are
    /// needed at once.
    ///
    /// # Errors
    /// As [`next`](Self::next).
    pub async fn next_in<'a>(&mut self, arena: &'a Arena) -> Result<Option<M::In<'a>>, Status> {
        self.body.message::<M>(arena).await
    }

    /// The only message of a call that is to have one.
    #[doc(hidden)]
    pub async fn only<'a>(&mut self, arena: &'a Arena) -> Result<M::In<'a>, Status> {
        let message = self.body.message::<M>(arena).await?;
        // As for a server in the table of status codes: a wrong number of requests.
        let message = message.ok_or_else(|| Status::unimplemented("a request without a message"))?;
        if self.body.fill(1).await? {
            return Err(Status::unimplemented("more than one message in a request that is to have one"));
        }
        Ok(message)
    }
}

impl<M> fmt::Debug for Requests<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Requests").finish_non_exhaustive()
    }
}

/// The body of a request, and what of it is not yet read.
pub(crate) struct Body {
    stream: RecvStream,
    chunks: Chunks,
    limits: Limits,
    /// Where messages may be compressed.
    gzip: Option<SharedGzip>,
}

impl Body {
    pub(crate) fn new(stream: RecvStream, limits: Limits, gzip: Option<SharedGzip>) -> Self {
        Body { stream, chunks: Chunks::default(), limits, gzip }
    }

    /// Waits for so many bytes; `false` if there are fewer in the body.
    async fn fill(&mut self, bytes: usize) -> Result<bool, Status> {
        while self.chunks.remaining() < bytes {
            let Some(chunk) = poll_fn(|cx| self.stream.poll_data(cx)).await else { return Ok(false) };
            let chunk = chunk.map_err(|error| Status::cancelled(format!("the request broke off: {error}")))?;
            // What is waited for is limited, and nothing is read before it is waited for.
            let _ = self.stream.flow_control().release_capacity(chunk.len());
            self.chunks.push(chunk);
        }
        Ok(true)
    }

    async fn message<'a, M: MessageFamily>(&mut self, arena: &'a Arena) -> Result<Option<M::In<'a>>, Status> {
        if !self.fill(PREFIX).await? {
            return match self.chunks.remaining() {
                0 => Ok(None),
                _ => Err(Status::internal("the request ends inside the prefix of a message")),
            };
        }
        let is_compressed = match self.chunks.get_u8() {
            0 => false,
            1 => true,
            flag => return Err(Status::internal(format!("a message with the compressed-flag {flag}"))),
        };
        let (len, max) = (self.chunks.get_u32() as usize, self.limits.message_bytes);
        if len > max {
            return Err(Status::resource_exhausted(format!("a message of {len} bytes, of which {max} are allowed")));
        }
        if !self.fill(len).await? {
            return Err(Status::internal("the request ends inside a message"));
        }
        if !is_compressed {
            return Ok(Some(self.chunks.decode::<M>(len, self.limits.decode, arena)?));
        }
        let Some(gzip) = &self.gzip else {
            return Err(Status::internal("a compressed message in a request without grpc-encoding"));
        };
        let mut gzip = gzip.borrow_mut();
        let plain = self.chunks.with(len, |wire| gzip.inflate(wire, max))?;
        Ok(Some(self.limits.decode.decode(plain, arena)?))
    }
}

/// Bytes as they came, in pieces: of small messages there is one piece at a time, which takes no memory but its own.
#[derive(Default)]
struct Chunks {
    first: Bytes,
    /// Those behind the first; none while that is empty.
    others: VecDeque<Bytes>,
    remaining: usize,
}

impl Chunks {
    fn push(&mut self, chunk: Bytes) {
        self.remaining += chunk.len();
        if self.first.is_empty() {
            self.first = chunk;
        } else if !chunk.is_empty() {
            self.others.push_back(chunk);
        }
    }

    /// Decodes a message of `len` bytes, which are there.
    fn decode<'a, M: MessageFamily>(
        &mut self,
        len: usize,
        options: DecodeOptions,
        arena: &'a Arena,
    ) -> Result<M::In<'a>, Status> {
        if let Some(bytes) = self.first.get(..len) {
            let message = options.decode(bytes, arena);
            self.advance(len);
            return Ok(message?);
        }
        Ok(options.decode_buf(self.take(len), arena)?)
    }

    /// Takes `len` bytes, which are there, in one piece.
    fn with<T>(&mut self, len: usize, run: impl FnOnce(&[u8]) -> T) -> T {
        if let Some(bytes) = self.first.get(..len) {
            let result = run(bytes);
            self.advance(len);
            return result;
        }
        run(&self.copy_to_bytes(len))
    }
}

impl Buf for Chunks {
    fn remaining(&self) -> usize {
        self.remaining
    }

    fn chunk(&self) -> &[u8] {
        &self.first
    }

    fn advance(&mut self, bytes: usize) {
        assert!(bytes <= self.remaining, "no more than what is left");
        self.remaining -= bytes;
        let mut left = bytes;
        while left >= self.first.len() {
            left -= self.first.len();
            self.first = self.others.pop_front().unwrap_or_default();
            if self.first.is_empty() {
                return;
            }
        }
        self.first.advance(left);
    }
}
