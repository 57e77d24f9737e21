//! Frames for tokio.

use core::fmt;
use core::marker::PhantomData;

use bytes::{Buf, BytesMut};
use tokio_util::codec::{Decoder, Encoder as FrameEncoder};

use super::error::Kind;
use super::{AHEAD, FrameError, FrameOptions, Position, prefix};
use crate::encoder::Encoder;
use crate::extension::MessageFamily;
use crate::message::Message;
use crate::owned::{ArenaHolder, Owned};
use crate::pool::{ArenaPool, PooledArena};

/// A codec for `tokio_util::codec::Framed`: reads [`Owned`] messages, and writes messages of any type.
///
/// Strings and bytes are borrowed from the buffer that the socket was read into; the arena comes from a pool and goes back
/// when the message is dropped.
///
/// ```
/// use bytes::BytesMut;
/// use defiant::frame::{FrameCodec, FrameOptions};
/// use defiant::pool::ArenaPool;
/// use defiant::wkt::Duration;
/// use tokio_util::codec::{Decoder, Encoder};
///
/// let mut codec = FrameCodec::<Duration<'static>>::new(FrameOptions::new(), ArenaPool::default());
/// let mut buffer = BytesMut::new();
/// codec.encode(Duration { seconds: 3, ..Duration::default() }, &mut buffer)?;
/// let duration = codec.decode(&mut buffer)?.expect("a whole frame");
/// assert_eq!(duration.get().seconds, 3);
/// # Ok::<(), defiant::frame::FrameError>(())
/// ```
pub struct FrameCodec<M> {
    options: FrameOptions,
    pool: ArenaPool,
    encoder: Encoder,
    position: Position,
    message: PhantomData<fn() -> M>,
}

impl<M> FrameCodec<M> {
    /// A codec that takes arenas from a pool.
    #[must_use]
    pub fn new(options: FrameOptions, pool: ArenaPool) -> Self {
        FrameCodec { options, pool, encoder: Encoder::new(), position: Position::default(), message: PhantomData }
    }
}

impl<M> Clone for FrameCodec<M> {
    fn clone(&self) -> Self {
        Self::new(self.options, self.pool.clone())
    }
}

impl<M> fmt::Debug for FrameCodec<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FrameCodec").field("options", &self.options).field("pool", &self.pool).finish_non_exhaustive()
    }
}

impl<M: MessageFamily> Decoder for FrameCodec<M> {
    type Item = Owned<M, PooledArena>;
    type Error = FrameError;

    fn decode(&mut self, source: &mut BytesMut) -> Result<Option<Self::Item>, FrameError> {
        let (len, begin) = match prefix(source, self.options.max_len) {
            Ok(Some(found)) => found,
            Ok(None) => return Ok(None),
            Err(kind) => return Err(self.position.error(kind)),
        };
        if source.len() < begin + len {
            source.reserve((begin + len - source.len()).min(AHEAD));
            return Ok(None);
        }
        source.advance(begin);
        let frame = source.split_to(len).freeze();
        let position = self.position;
        self.position.next(begin + len);
        match Owned::decode_with(self.options.decode, frame, self.pool.take()) {
            Ok(message) => Ok(Some(message)),
            Err(error) => Err(position.error(Kind::Decode(error))),
        }
    }

    fn decode_eof(&mut self, source: &mut BytesMut) -> Result<Option<Self::Item>, FrameError> {
        match self.decode(source)? {
            Some(message) => Ok(Some(message)),
            None if source.is_empty() => Ok(None),
            None => Err(self.position.error(Kind::Truncated)),
        }
    }
}

/// Appends a frame. The codec counts the frames that it reads, not those that it writes, so an error has the position 0.
fn append<'m, M: Message<'m>>(encoder: &mut Encoder, message: &M, into: &mut BytesMut) -> Result<(), FrameError> {
    let frame = encoder.try_encode_length_delimited(message);
    into.extend_from_slice(frame.map_err(|error| Position::default().error(Kind::Encode(error)))?);
    Ok(())
}

impl<'m, M, T: Message<'m>> FrameEncoder<T> for FrameCodec<M> {
    type Error = FrameError;

    fn encode(&mut self, message: T, into: &mut BytesMut) -> Result<(), FrameError> {
        append(&mut self.encoder, &message, into)
    }
}

impl<M, N: MessageFamily, A: ArenaHolder> FrameEncoder<Owned<N, A>> for FrameCodec<M> {
    type Error = FrameError;

    fn encode(&mut self, message: Owned<N, A>, into: &mut BytesMut) -> Result<(), FrameError> {
        append(&mut self.encoder, message.get(), into)
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;
    use crate::wkt::StringValue;

    fn codec(max_len: usize) -> FrameCodec<StringValue<'static>> {
        FrameCodec::new(FrameOptions::new().max_len(max_len), ArenaPool::default())
    }

    #[test]
    fn frames_may_come_byte_by_byte() {
        let mut codec = codec(100);
        let mut wire = BytesMut::new();
        for text in ["one", "", "three"] {
            codec.encode(StringValue { value: text, ..StringValue::default() }, &mut wire).expect("encodes");
        }
        let mut buffer = BytesMut::new();
        let mut found = Vec::new();
        for byte in wire {
            buffer.extend_from_slice(&[byte]);
            while let Some(message) = codec.decode(&mut buffer).expect("valid") {
                found.push(std::string::String::from(message.get().value));
            }
        }
        assert!(codec.decode_eof(&mut buffer).expect("the end").is_none());
        assert_eq!(found, ["one", "", "three"]);
        assert_eq!(codec.pool.stats().created, 1);
    }

    #[test]
    fn bad_frames_say_where() {
        let mut codec = codec(10);
        let mut buffer = BytesMut::from(&b"\x03\x0a\x01a\x02\x0a\x09\x03\x0a\x01b\x0b"[..]);
        assert_eq!(codec.decode(&mut buffer).expect("valid").expect("whole").get().value, "a");
        let error = codec.decode(&mut buffer).expect_err("cut off inside");
        assert_eq!((error.index(), error.offset(), error.as_decode_error().is_some()), (1, 4, true));
        // The next frame is whole again.
        assert_eq!(codec.decode(&mut buffer).expect("valid").expect("whole").get().value, "b");
        assert!(codec.decode(&mut buffer).expect_err("eleven bytes").is_oversized());
    }
}
