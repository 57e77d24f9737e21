//! What can go wrong in a stream of frames.

use core::fmt;

use alloc::boxed::Box;

use super::Position;
use crate::error::{DecodeError, EncodeError};

/// Why a frame could not be read or written, and which one.
///
/// It prints as `frame 3 at byte 1200: Person.name: invalid UTF-8 at byte 17`: frames are counted from 0, the first
/// offset is that of the frame in the stream, the second that in the message.
///
/// After an error in a message (see [`as_decode_error`](Self::as_decode_error) and
/// [`as_encode_error`](Self::as_encode_error)) the stream goes on with the next frame; after any other it is at its end.
#[derive(Debug)]
pub struct FrameError {
    inner: Box<Inner>,
}

#[derive(Debug)]
struct Inner {
    kind: Kind,
    position: Position,
}

#[derive(Debug)]
#[cfg_attr(not(feature = "std"), expect(dead_code, reason = "readers need the standard library"))]
pub(super) enum Kind {
    /// The stream ends in a frame.
    Truncated,
    /// The length is no varint of 64 bits.
    Prefix,
    /// The length is more than is allowed.
    Oversized { len: u64, max_len: usize },
    /// A stream of elements: a tag that is none, or a field that cannot be what it is.
    Tag(&'static str),
    /// The message is malformed.
    Decode(DecodeError),
    /// The message cannot be encoded.
    #[cfg_attr(not(feature = "std"), expect(dead_code, reason = "writers need the standard library"))]
    Encode(EncodeError),
    #[cfg(feature = "std")]
    Io(std::io::Error),
}

impl FrameError {
    #[cold]
    pub(super) fn new(kind: Kind, position: Position) -> Self {
        FrameError { inner: Box::new(Inner { kind, position }) }
    }

    /// The number of the frame, or of the element, counted from 0.
    #[must_use]
    pub fn index(&self) -> u64 {
        self.inner.position.index
    }

    /// Bytes of the stream before the frame.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.inner.position.offset
    }

    /// Whether the stream ends inside the frame.
    #[must_use]
    pub fn is_truncated(&self) -> bool {
        matches!(self.inner.kind, Kind::Truncated)
    }

    /// Whether the frame is longer than [`FrameOptions::max_len`](super::FrameOptions::max_len) allows.
    #[must_use]
    pub fn is_oversized(&self) -> bool {
        matches!(self.inner.kind, Kind::Oversized { .. })
    }

    /// Why the message in the frame could not be decoded.
    #[must_use]
    pub fn as_decode_error(&self) -> Option<&DecodeError> {
        match &self.inner.kind {
            Kind::Decode(error) => Some(error),
            _ => None,
        }
    }

    /// Why the message could not be encoded. Nothing of it was written, and the stream goes on with the next frame.
    #[must_use]
    pub fn as_encode_error(&self) -> Option<&EncodeError> {
        match &self.inner.kind {
            Kind::Encode(error) => Some(error),
            _ => None,
        }
    }

    /// Why the stream could not be read or written.
    #[cfg(feature = "std")]
    #[must_use]
    pub fn as_io_error(&self) -> Option<&std::io::Error> {
        match &self.inner.kind {
            Kind::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl fmt::Display for FrameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { kind, position } = &*self.inner;
        write!(f, "frame {} at byte {}: ", position.index, position.offset)?;
        match kind {
            Kind::Truncated => f.write_str("the stream ends inside the frame"),
            Kind::Prefix => f.write_str("the length is longer than ten bytes or 64 bits"),
            Kind::Oversized { len, max_len } => write!(f, "{len} bytes are more than the {max_len} that are allowed"),
            Kind::Tag(what) => f.write_str(what),
            Kind::Decode(error) => error.fmt(f),
            Kind::Encode(error) => error.fmt(f),
            #[cfg(feature = "std")]
            Kind::Io(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for FrameError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match &self.inner.kind {
            Kind::Decode(error) => Some(error),
            Kind::Encode(error) => Some(error),
            #[cfg(feature = "std")]
            Kind::Io(error) => Some(error),
            _ => None,
        }
    }
}

/// For codecs, whose errors have to take those of the stream in.
#[cfg(feature = "std")]
impl From<std::io::Error> for FrameError {
    fn from(error: std::io::Error) -> Self {
        FrameError::new(Kind::Io(error), Position::default())
    }
}

/// For programs whose streams have one type of errors. What the stream itself said comes out as it was; what was wrong in
/// it is `InvalidData`, or `UnexpectedEof` where it ended too early. A message that cannot be encoded is `InvalidInput`.
#[cfg(feature = "std")]
impl From<FrameError> for std::io::Error {
    fn from(error: FrameError) -> Self {
        use std::io::ErrorKind;
        match error.inner.kind {
            Kind::Io(error) => error,
            Kind::Truncated => Self::new(ErrorKind::UnexpectedEof, error),
            Kind::Encode(_) => Self::new(ErrorKind::InvalidInput, error),
            _ => Self::new(ErrorKind::InvalidData, error),
        }
    }
}
