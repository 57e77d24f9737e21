//! Frames out of a reader.

use std::io::Read;

use super::error::Kind;
use super::source::Source;
use super::{FrameError, FrameOptions, MAX_PREFIX, Position, prefix};
use crate::arena::Arena;
use crate::message::Message;

/// Reads messages from a [`Read`], each behind its length.
///
/// A message's bytes are read to the place in the arena from which the message is decoded. Two cases take a further copy:
/// bytes that the reader's buffer holds already, and messages above 32 KiB for which the arena's chunk has no room.
///
/// The length of a message is only announced. Memory for more than 32 KiB is taken as the bytes arrive, so a stream that
/// announces 4 MiB and stops takes no more memory than its bytes and a constant.
///
/// ```
/// use defiant::frame::{FrameOptions, FrameReader, FrameWriter};
/// use defiant::{Arena, Message, UnknownFields};
///
/// #[derive(Clone, Copy, Debug, PartialEq, Message)]
/// struct Line<'arena> {
///     #[defiant(string, tag = 1)]
///     text: &'arena str,
///     #[defiant(unknown)]
///     unknown_fields: UnknownFields<'arena>,
/// }
///
/// let mut log = FrameWriter::new(Vec::new());
/// for text in ["started", "stopped"] {
///     log.write(&Line { text, ..Line::default() })?;
/// }
/// let log = log.into_inner()?;
///
/// let mut arena = Arena::new();
/// let mut lines = FrameReader::new(&*log, FrameOptions::new());
/// let mut count = 0;
/// while let Some(line) = lines.read::<Line<'_>>(&arena)? {
///     count += line.text.len();
///     arena.reset();
/// }
/// assert_eq!(count, 14);
/// # Ok::<(), defiant::frame::FrameError>(())
/// ```
#[derive(Debug)]
pub struct FrameReader<R> {
    source: Source<R>,
    options: FrameOptions,
    position: Position,
    /// Whether the stream cannot go on.
    ended: bool,
}

impl<R: Read> FrameReader<R> {
    /// A reader with a buffer of 8 KiB.
    pub fn new(reader: R, options: FrameOptions) -> Self {
        Self::with_capacity(8 << 10, reader, options)
    }

    /// A reader with a buffer of so many bytes. What is longer is read past it.
    pub fn with_capacity(bytes: usize, reader: R, options: FrameOptions) -> Self {
        FrameReader { source: Source::new(reader, bytes), options, position: Position::default(), ended: false }
    }

    /// The next message, or `None` where the stream ends.
    ///
    /// # Errors
    /// [`FrameError`] when the stream fails, ends inside a frame, has a length that is malformed or too large, or when the
    /// message does not decode. After the last of these, reading goes on with the next frame; after the others there is
    /// none, and neither is after a panic of the stream or of an enum's code.
    pub fn read<'arena, M: Message<'arena>>(&mut self, arena: &'arena Arena) -> Result<Option<M>, FrameError> {
        if self.ended {
            return Ok(None);
        }
        let begin = self.source.position();
        // So it is if the reader panics.
        self.ended = true;
        let outcome = self.read_frame(arena);
        self.ended = match &outcome {
            Ok(message) => message.is_none(),
            Err(error) => error.as_decode_error().is_none(),
        };
        self.position.next((self.source.position() - begin) as usize);
        outcome
    }

    fn read_frame<'arena, M: Message<'arena>>(&mut self, arena: &'arena Arena) -> Result<Option<M>, FrameError> {
        let position = self.position;
        let io = |error| position.error(Kind::Io(error));
        let mut bytes = [0; MAX_PREFIX];
        let mut have = 0;
        let len = loop {
            let Some(byte) = self.source.byte().map_err(io)? else {
                return if have == 0 { Ok(None) } else { Err(position.error(Kind::Truncated)) };
            };
            bytes[have] = byte;
            have += 1;
            match prefix(&bytes[..have], self.options.max_len) {
                Ok(Some((len, _))) => break len,
                Ok(None) => {}
                Err(kind) => return Err(position.error(kind)),
            }
        };
        self.source.message(len, self.options.decode, arena).map(Some).map_err(|kind| position.error(kind))
    }

    /// Bytes of the stream that were read as frames.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.source.position()
    }

    /// The reader below.
    #[must_use]
    pub fn get_ref(&self) -> &R {
        self.source.get_ref()
    }

    /// The reader below. What is in the buffer is lost.
    #[must_use]
    pub fn into_inner(self) -> R {
        self.source.into_inner()
    }
}

impl<R: Read> Source<R> {
    /// Decodes a message that is the next `len` bytes.
    pub(super) fn message<'arena, M: Message<'arena>>(
        &mut self,
        len: usize,
        options: crate::DecodeOptions,
        arena: &'arena Arena,
    ) -> Result<M, Kind> {
        let (mut filled, mut outcome) = (0, Ok(true));
        let decoded = options.decode_filled(len, arena, &mut |piece| {
            filled += piece.len();
            outcome = self.fill_into(piece);
            matches!(outcome, Ok(true))
        });
        // Without memory for the frame, the rest of the frame is skipped.
        if matches!(outcome, Ok(true)) && filled < len {
            outcome = self.skip((len - filled) as u64);
        }
        match outcome {
            Ok(true) => decoded.map_err(Kind::Decode),
            Ok(false) => Err(Kind::Truncated),
            Err(error) => Err(Kind::Io(error)),
        }
    }
}
