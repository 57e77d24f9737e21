//! The codec: what tonic asks to encode and decode messages.

use std::fmt;
use std::marker::PhantomData;

use bytes::{Buf, BufMut};
use defiant::extension::MessageFamily;
use defiant::pool::PooledArena;
use defiant::{DecodeError, Owned};
use tonic::Status;
use tonic::codec::{BufferSettings, DecodeBuf, EncodeBuf};

use crate::Encoded;
use crate::settings::{Defaults, Settings};

/// The [`tonic::codec::Codec`] that sends messages of the family `E` and receives messages of the family `D`.
///
/// tonic makes it with `Default`; what there is to choose about it is in the type `S`.
///
/// ```
/// use defiant::wkt::{Duration, Timestamp};
/// use defiant_tonic::{DefaultCodec, Incoming, Outgoing};
///
/// fn speaks<C>(_: C)
/// where
///     C: tonic::codec::Codec<Encode = Outgoing<Duration<'static>>, Decode = Incoming<Timestamp<'static>>>,
/// {
/// }
/// speaks(DefaultCodec::default());
/// ```
pub struct Codec<E, D, S = Defaults> {
    types: PhantomData<fn(E, S) -> D>,
}

/// The [`Codec`] with the [`Defaults`]: what generated code uses unless told otherwise.
pub type DefaultCodec<E, D> = Codec<E, D, Defaults>;

impl<E, D, S> Default for Codec<E, D, S> {
    fn default() -> Self {
        Codec { types: PhantomData }
    }
}

impl<E, D, S> Clone for Codec<E, D, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E, D, S> Copy for Codec<E, D, S> {}

impl<E, D, S> fmt::Debug for Codec<E, D, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Codec")
    }
}

impl<E: MessageFamily + 'static, D: MessageFamily + 'static, S: Settings> tonic::codec::Codec for Codec<E, D, S> {
    type Encode = Encoded<E>;
    type Decode = Owned<D, PooledArena>;
    type Encoder = Encoder<E, S>;
    type Decoder = Decoder<D, S>;

    fn encoder(&mut self) -> Self::Encoder {
        Encoder { types: PhantomData }
    }

    fn decoder(&mut self) -> Self::Decoder {
        Decoder { types: PhantomData }
    }
}

/// The half of a [`Codec`] that encodes.
pub struct Encoder<M, S = Defaults> {
    types: PhantomData<fn(M, S)>,
}

impl<M, S> fmt::Debug for Encoder<M, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Encoder")
    }
}

impl<M: MessageFamily + 'static, S: Settings> tonic::codec::Encoder for Encoder<M, S> {
    type Item = Encoded<M>;
    type Error = Status;

    fn encode(&mut self, message: Encoded<M>, buf: &mut EncodeBuf<'_>) -> Result<(), Status> {
        buf.put_slice(message.as_bytes());
        Ok(())
    }

    fn buffer_settings(&self) -> BufferSettings {
        S::buffer_settings()
    }
}

/// The half of a [`Codec`] that decodes.
pub struct Decoder<M, S = Defaults> {
    types: PhantomData<fn(S) -> M>,
}

impl<M, S> fmt::Debug for Decoder<M, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Decoder")
    }
}

impl<M: MessageFamily + 'static, S: Settings> tonic::codec::Decoder for Decoder<M, S> {
    type Item = Owned<M, PooledArena>;
    type Error = Status;

    fn decode(&mut self, buf: &mut DecodeBuf<'_>) -> Result<Option<Self::Item>, Status> {
        let (options, arena) = (S::decode_options(), S::pool().take());
        let message = if buf.remaining() < S::borrow_from() {
            // tonic's buffer is in one piece.
            let message = Owned::try_build(arena, |arena| options.decode(buf.chunk(), arena));
            buf.advance(buf.remaining());
            message
        } else {
            Owned::decode_with(options, buf.copy_to_bytes(buf.remaining()), arena)
        };
        message.map(Some).map_err(|error| status(&error))
    }

    fn buffer_settings(&self) -> BufferSettings {
        S::buffer_settings()
    }
}

/// The status for a message that does not decode.
///
/// ```
/// use defiant::{Arena, Message, wkt::StringValue};
///
/// let arena = Arena::new();
/// let error = StringValue::decode(&[10, 1, 0xff], &arena).expect_err("no UTF-8");
/// let status = defiant_tonic::status(&error);
/// assert_eq!(status.code(), tonic::Code::Internal);
/// assert_eq!(status.message(), "malformed message: StringValue.value: invalid UTF-8 at byte 2");
/// ```
#[must_use]
pub fn status(error: &DecodeError) -> Status {
    if error.is_limit() {
        Status::resource_exhausted(format!("limit reached: {error}"))
    } else {
        Status::internal(format!("malformed message: {error}"))
    }
}
