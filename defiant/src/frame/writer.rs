//! Frames into a writer.

use std::io::{self, Write};

use alloc::vec::Vec;

use super::error::Kind;
use super::{FrameError, Position};
use crate::encoder::Encoder;
use crate::message::Message;

/// Writes messages to a [`Write`], each behind its length.
///
/// Small ones are gathered in a buffer: [`flush`](Self::flush) when the other side waits for them, or at the end
/// [`into_inner`](Self::into_inner). Dropping it writes what is left and ignores errors, as
/// [`std::io::BufWriter`] does.
///
/// Once the writer below has failed, or panicked, nothing more is written, and everything is an error: how much of a frame it
/// took is unknown, and what came behind that would be read as a part of it.
#[derive(Debug)]
pub struct FrameWriter<W: Write> {
    /// There until `into_inner`.
    writer: Option<W>,
    encoder: Encoder,
    buffer: Vec<u8>,
    capacity: usize,
    position: Position,
    /// Whether something went to the writer that it may have taken in part.
    torn: bool,
}

#[cold]
fn already_torn() -> io::Error {
    io::Error::other("an earlier write to it failed")
}

impl<W: Write> FrameWriter<W> {
    /// A writer with a buffer of 8 KiB.
    pub fn new(writer: W) -> Self {
        Self::with_capacity(8 << 10, writer)
    }

    /// A writer with a buffer of so many bytes. What is longer is written past it, its texts and `bytes` of 4096 bytes or
    /// more without a copy, with [`write_vectored`](Write::write_vectored).
    pub fn with_capacity(bytes: usize, writer: W) -> Self {
        let buffer = Vec::with_capacity(bytes);
        FrameWriter {
            writer: Some(writer),
            encoder: Encoder::new(),
            buffer,
            capacity: bytes,
            position: Position::default(),
            torn: false,
        }
    }

    /// Writes a message.
    ///
    /// # Errors
    /// [`FrameError`] when the writer fails, or failed before; how much of the message it took is then unknown. Also when the
    /// message cannot be encoded ([`as_encode_error`](FrameError::as_encode_error)); then nothing of it is written.
    pub fn write<'m, M: Message<'m>>(&mut self, message: &M) -> Result<(), FrameError> {
        let position = self.position;
        let encoded = self.encoder.try_encode_vectored_length_delimited(message);
        let frame = encoded.map_err(|error| position.error(Kind::Encode(error)))?;
        let len = frame.len();
        self.position.next(len);
        let Some(writer) = &mut self.writer else { return Ok(()) };
        if self.torn {
            return Err(position.error(Kind::Io(already_torn())));
        }
        let write = || {
            if self.buffer.len() + len > self.capacity && !self.buffer.is_empty() {
                let buffered = writer.write_all(&self.buffer);
                self.buffer.clear();
                buffered?;
            }
            if len > self.capacity {
                return frame.write_to(writer);
            }
            frame.iter().for_each(|piece| self.buffer.extend_from_slice(piece));
            Ok(())
        };
        self.torn = true;
        let written = write();
        self.torn = written.is_err();
        written.map_err(|error: io::Error| position.error(Kind::Io(error)))
    }

    /// Writes what is in the buffer, and flushes the writer below.
    ///
    /// # Errors
    /// [`FrameError`] when the writer fails.
    pub fn flush(&mut self) -> Result<(), FrameError> {
        let Some(writer) = &mut self.writer else { return Ok(()) };
        if self.torn {
            return Err(self.position.error(Kind::Io(already_torn())));
        }
        self.torn = true;
        let written = writer.write_all(&self.buffer);
        self.buffer.clear();
        self.torn = written.is_err();
        // What is not flushed is not torn: that can be tried again.
        written.and_then(|()| writer.flush()).map_err(|error| self.position.error(Kind::Io(error)))
    }

    /// Bytes of all frames.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.position.offset
    }

    /// The writer below, with everything written to it.
    ///
    /// # Errors
    /// [`FrameError`] when it fails; then it is dropped.
    ///
    /// # Panics
    /// Never.
    pub fn into_inner(mut self) -> Result<W, FrameError> {
        self.flush()?;
        match self.writer.take() {
            Some(writer) => Ok(writer),
            None => unreachable!("taken here only"),
        }
    }
}

impl<W: Write> Drop for FrameWriter<W> {
    fn drop(&mut self) {
        let _ = self.flush();
    }
}
