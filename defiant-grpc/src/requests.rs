//! Messages from the client.

use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::marker::PhantomData;
use std::mem;
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
    /// This is safe to cancel: a future that is dropped before it is ready, as a branch of `select!` is, has lost nothing, and
    /// the next one gives the message.
    ///
    /// # Errors
    /// When the message does not decode, is too long, or does not come: the client broke off. After a message that does not
    /// decode, the one behind it is next. After any other error there are no more messages: it is the same error each time.
    pub async fn next(&mut self) -> Result<Option<M::In<'_>>, Status> {
        let arena = self.arena.get_or_insert_with(|| self.shared.pool.take());
        arena.reset();
        self.body.message::<M>(arena).await
    }

    /// The next message, in an arena that is given, where it stays: that of the [`Call`](crate::Call), if all of them are
    /// needed at once. It is safe to cancel as well.
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
    /// Of the message that is next in the chunks, until all of it is there. It is kept here, and not by the future that waits,
    /// so that the next one goes on where a future that was dropped left off.
    prefix: Option<Prefix>,
    /// Why there are no more messages: where the next one begins is not known.
    failed: Option<Status>,
    limits: Limits,
    /// Where messages may be compressed.
    gzip: Option<SharedGzip>,
}

impl Body {
    pub(crate) fn new(stream: RecvStream, limits: Limits, gzip: Option<SharedGzip>) -> Self {
        Body { stream, chunks: Chunks::default(), prefix: None, failed: None, limits, gzip }
    }

    /// Waits for so many bytes; `false` if there are fewer in the body.
    async fn fill(&mut self, bytes: usize) -> Result<bool, Status> {
        while let Some(missing @ 1..) = bytes.checked_sub(self.chunks.remaining()) {
            let Some(chunk) = poll_fn(|cx| self.stream.poll_data(cx)).await else { return Ok(false) };
            let chunk = chunk.map_err(|error| Status::cancelled(format!("the request broke off: {error}")))?;
            // What is waited for is limited, and nothing is read before it is waited for.
            let _ = self.stream.flow_control().release_capacity(chunk.len());
            self.chunks.push(chunk, missing);
        }
        Ok(true)
    }

    /// Waits for a message, which is then next in the chunks; `None` behind the last one.
    async fn arrived(&mut self) -> Result<Option<Prefix>, Status> {
        if let Some(status) = &self.failed {
            return Err(status.clone());
        }
        let result = self.wait().await;
        if let Err(status) = &result {
            self.failed = Some(status.clone());
        }
        result
    }

    async fn wait(&mut self) -> Result<Option<Prefix>, Status> {
        let prefix = match self.prefix {
            Some(prefix) => prefix,
            None => {
                if !self.fill(PREFIX).await? {
                    return match self.chunks.remaining() {
                        0 => Ok(None),
                        _ => Err(Status::internal("the request ends inside the prefix of a message")),
                    };
                }
                *self.prefix.insert(Prefix::read(&mut self.chunks, self.limits.message_bytes)?)
            }
        };
        if !self.fill(prefix.len).await? {
            return Err(Status::internal("the request ends inside a message"));
        }
        self.prefix = None;
        Ok(Some(prefix))
    }

    /// Waits for a message and decodes it. Whatever comes of that, the one behind it is next.
    async fn message<'a, M: MessageFamily>(&mut self, arena: &'a Arena) -> Result<Option<M::In<'a>>, Status> {
        let Some(Prefix { is_compressed, len }) = self.arrived().await? else { return Ok(None) };
        // From here on nothing is waited for.
        if !is_compressed {
            return Ok(Some(self.chunks.decode::<M>(len, self.limits.decode, arena)?));
        }
        let Some(gzip) = &self.gzip else {
            self.chunks.advance(len);
            return Err(Status::internal("a compressed message in a request without grpc-encoding"));
        };
        let mut gzip = gzip.borrow_mut();
        let plain = self.chunks.with(len, |wire| gzip.inflate(wire, self.limits.message_bytes))?;
        Ok(Some(self.limits.decode.decode(plain, arena)?))
    }
}

/// What comes before a message.
#[derive(Clone, Copy)]
struct Prefix {
    is_compressed: bool,
    /// Bytes of the message, no more than are allowed.
    len: usize,
}

impl Prefix {
    /// Takes a prefix, which is there.
    fn read(wire: &mut impl Buf, max: usize) -> Result<Self, Status> {
        let is_compressed = match wire.get_u8() {
            0 => false,
            1 => true,
            flag => return Err(Status::internal(format!("a message with the compressed-flag {flag}"))),
        };
        let len = wire.get_u32() as usize;
        if len > max {
            return Err(Status::resource_exhausted(format!("a message of {len} bytes, of which {max} are allowed")));
        }
        Ok(Prefix { is_compressed, len })
    }
}

/// A chunk that is shorter than this is copied, if there are others to wait with. One that is not copied keeps the buffer that
/// HTTP/2 read it into, with all else that was read: up to a frame of 16 KiB, however few bytes are of the message.
const KEPT_FROM: usize = 8 << 10;

/// Room for short chunks at first.
const ROOM: usize = 256;

/// Bytes as they came, in pieces: of small messages there is one piece at a time, which takes no memory but its own.
///
/// What waits for the rest of a message takes at most a few times as much memory as it has bytes, and a buffer or two of
/// HTTP/2's: the first piece stays what it is, and so do long ones; the others are gathered.
#[derive(Default)]
struct Chunks {
    first: Bytes,
    /// Those behind the first; none while that is empty.
    others: VecDeque<Bytes>,
    /// Short ones behind these, in memory of their own; none once there is what is waited for, as the last chunk of that seals
    /// them.
    gathered: Vec<u8>,
    /// Bytes of all.
    remaining: usize,
}

impl Chunks {
    /// Adds a chunk, where `missing` bytes are waited for, this one's among them.
    fn push(&mut self, chunk: Bytes, missing: usize) {
        let is_first = self.remaining == 0;
        self.remaining += chunk.len();
        if is_first {
            self.first = chunk;
        } else if chunk.len() < missing.min(KEPT_FROM) {
            self.gather(&chunk, missing);
        } else {
            self.seal();
            self.others.push_back(chunk);
        }
    }

    /// Copies a chunk, which is shorter than what is missing.
    fn gather(&mut self, chunk: &[u8], missing: usize) {
        let len = self.gathered.len();
        if self.gathered.capacity() - len < chunk.len() {
            // Twice as much, so that it is seldom moved, but never more than is waited for.
            let more = len.max(ROOM).max(chunk.len()).min(missing);
            self.gathered.reserve_exact(more);
        }
        self.gathered.extend_from_slice(chunk);
    }

    /// Makes a piece of what was gathered.
    fn seal(&mut self) {
        if !self.gathered.is_empty() {
            self.others.push_back(mem::take(&mut self.gathered).into());
        }
    }

    /// Decodes a message of `len` bytes, which are there and behind us after it, even if they were refused.
    fn decode<'a, M: MessageFamily>(
        &mut self,
        len: usize,
        options: DecodeOptions,
        arena: &'a Arena,
    ) -> Result<M::In<'a>, Status> {
        if len <= self.first.len() {
            let wire = Behind { chunks: self, len };
            return Ok(options.decode(wire.chunks.first.get(..len).unwrap_or_default(), arena)?);
        }
        let mut wire = Buf::take(&mut *self, len);
        let message = options.decode_buf(&mut wire, arena);
        // One that is too long is not even read.
        wire.advance(wire.remaining());
        Ok(message?)
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

/// Bytes that are behind us afterwards, even if their decode panics, as an enum of the user's may.
struct Behind<'c> {
    chunks: &'c mut Chunks,
    len: usize,
}

impl Drop for Behind<'_> {
    fn drop(&mut self) {
        self.chunks.advance(self.len);
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
