//! Messages one after the other in a stream, each behind its length: reading and writing them.
//!
//! A frame is the length of a message in bytes, as a varint, and the message. It is what `writeDelimitedTo` and
//! `parseDelimitedFrom` of other protobuf libraries write and read.
//!
//! | the stream is | use |
//! |---|---|
//! | a [`std::io::Read`] or [`Write`](std::io::Write): files, pipes, sockets that block | `FrameReader`, `FrameWriter` |
//! | bytes that come in pieces, from whatever runtime | [`FrameBuffer`] |
//! | tokio's `AsyncRead` and `AsyncWrite` | `FrameCodec`, with the feature `tokio-util` |
//! | one message that is too large for memory, most of it one repeated field | `ElementReader` |
//!
//! Lengths come from the other side, so they are checked against [`FrameOptions::max_len`], and they are only announced:
//! beyond 32 KiB, memory is taken as the bytes of a frame arrive. An error says which frame of the stream it is in, and at which byte that frame begins.
//!
//! Source: <https://protobuf.dev/programming-guides/techniques/#streaming>.

mod buffer;
#[cfg(feature = "tokio-util")]
mod codec;
#[cfg(feature = "std")]
mod element;
mod error;
#[cfg(feature = "std")]
mod reader;
#[cfg(feature = "std")]
mod source;
#[cfg(feature = "std")]
mod writer;

pub use buffer::FrameBuffer;
#[cfg(feature = "tokio-util")]
pub use codec::FrameCodec;
#[cfg(feature = "std")]
pub use element::ElementReader;
pub use error::FrameError;
#[cfg(feature = "std")]
pub use reader::FrameReader;
#[cfg(feature = "std")]
pub use writer::FrameWriter;

use crate::message::DecodeOptions;
use error::Kind;

/// Limits for frames, and for the messages in them.
#[derive(Clone, Copy, Debug)]
pub struct FrameOptions {
    max_len: usize,
    decode: DecodeOptions,
}

impl Default for FrameOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl FrameOptions {
    /// Frames of at most 4 MiB, as in gRPC; [`DecodeOptions::new`] for the messages.
    #[must_use]
    pub const fn new() -> Self {
        FrameOptions { max_len: 4 << 20, decode: DecodeOptions::new() }
    }

    /// Bytes that a message may take on the wire.
    #[must_use]
    pub const fn max_len(mut self, bytes: usize) -> Self {
        self.max_len = bytes;
        self
    }

    /// The limits for decoding messages.
    #[must_use]
    pub const fn decode_options(mut self, options: DecodeOptions) -> Self {
        self.decode = options;
        self
    }
}

/// Most bytes of a length.
const MAX_PREFIX: usize = 10;

/// Bytes that a frame gets memory for before they arrive. The memory of a longer frame grows with the bytes that arrive.
const AHEAD: usize = 32 << 10;

/// The length at the start of some bytes, and how many bytes it takes; `None` when there is more of it to come.
fn prefix(bytes: &[u8], max_len: usize) -> Result<Option<(usize, usize)>, Kind> {
    let mut len = 0u64;
    for (index, &byte) in bytes.iter().enumerate().take(MAX_PREFIX) {
        if index == MAX_PREFIX - 1 && byte > 1 {
            return Err(Kind::Prefix);
        }
        len |= u64::from(byte & 0x7f) << (7 * index);
        if byte < 0x80 {
            return match usize::try_from(len) {
                // With its length, it is to be no longer than memory can be.
                Ok(fits) if fits <= max_len.min(isize::MAX as usize - MAX_PREFIX) => Ok(Some((fits, index + 1))),
                _ => Err(Kind::Oversized { len, max_len }),
            };
        }
    }
    if bytes.len() >= MAX_PREFIX { Err(Kind::Prefix) } else { Ok(None) }
}

/// Where in a stream a reader is.
#[derive(Clone, Copy, Debug, Default)]
struct Position {
    /// Frames that were read.
    index: u64,
    /// Bytes before the frame that is read.
    offset: u64,
}

impl Position {
    /// Goes on to the next frame.
    fn next(&mut self, bytes: usize) {
        self.index += 1;
        self.offset += bytes as u64;
    }

    #[cold]
    fn error(self, kind: Kind) -> FrameError {
        FrameError::new(kind, self)
    }
}

#[cfg(all(test, feature = "std"))]
mod tests;
