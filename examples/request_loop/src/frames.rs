//! Length-delimited frames: a varint that says how many bytes follow, then those bytes.
//!
//! The framing of `Message::encode_length_delimited`, cut out of a byte stream without doing any input itself, so that
//! the asynchronous server and the blocking client share it.

use std::{error::Error, fmt, io};

/// A varint is at most this many bytes long.
const MAX_PREFIX: usize = 10;

/// How much room a new buffer has, in bytes.
const FIRST_ROOM: usize = 4096;

/// Cuts frames out of the bytes that a socket delivers.
///
/// A loop of [`advance`](Self::advance), which says whether a frame is complete, [`room`](Self::room) and
/// [`filled`](Self::filled), which take in more bytes, and [`frame`](Self::frame), which hands one out.
/// The buffer is reused from frame to frame; it grows to the largest frame seen, never beyond the limit.
#[derive(Debug)]
pub struct Frames {
    /// As large as the buffer's memory: bytes `start..end` are from the socket, the others are free.
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// The complete frame at `start`: the lengths of its prefix and of its payload in bytes.
    ready: Option<(usize, usize)>,
    limit: usize,
}

impl Frames {
    /// Reads frames whose payload is at most `limit` bytes long.
    pub fn new(limit: usize) -> Self {
        Frames {
            buffer: vec![0; FIRST_ROOM.min(limit.saturating_add(MAX_PREFIX))],
            start: 0,
            end: 0,
            ready: None,
            limit,
        }
    }

    /// Whether a whole frame has arrived; if not, more bytes are needed.
    ///
    /// The length is checked against the limit before any memory is reserved for it.
    ///
    /// # Errors
    ///
    /// A length prefix that is not a varint or that is over the limit.
    pub fn advance(&mut self) -> Result<bool, FrameError> {
        let held = &self.buffer[self.start..self.end];
        let Some((length, prefix)) = length_prefix(held)? else {
            return Ok(false);
        };
        let length = usize::try_from(length)
            .ok()
            .filter(|&length| length <= self.limit)
            .ok_or(FrameError::TooLong { length, limit: self.limit })?;
        if held.len() - prefix >= length {
            self.ready = Some((prefix, length));
            return Ok(true);
        }
        self.reserve(prefix + length);
        Ok(false)
    }

    /// The payload of the complete frame that [`advance`](Self::advance) found; empty if it found none.
    pub fn frame(&mut self) -> &[u8] {
        let Some((prefix, length)) = self.ready.take() else {
            return &[];
        };
        let payload = self.start + prefix;
        self.start = payload + length;
        &self.buffer[payload..self.start]
    }

    /// Where the next bytes of the socket go; never empty.
    pub fn room(&mut self) -> &mut [u8] {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        } else if self.end == self.buffer.len() {
            self.reserve(self.end - self.start + 1);
        }
        &mut self.buffer[self.end..]
    }

    /// Takes in the first `count` bytes of [`room`](Self::room). A count of 0 is the end of the stream, and the answer
    /// is `false` if it came between two frames.
    ///
    /// # Errors
    ///
    /// An end of the stream in the middle of a frame.
    pub fn filled(&mut self, count: usize) -> Result<bool, FrameError> {
        if count == 0 && self.start < self.end {
            return Err(FrameError::Cut { held: self.end - self.start });
        }
        self.end = (self.end + count).min(self.buffer.len());
        Ok(count > 0)
    }

    /// Makes room for `total` bytes from `start` on.
    fn reserve(&mut self, total: usize) {
        if self.start + total > self.buffer.len() {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        if total > self.buffer.len() {
            self.buffer.resize(total, 0);
        }
    }
}

/// The varint at the start of `bytes` and its own length, or `None` if there is more of it to come.
fn length_prefix(bytes: &[u8]) -> Result<Option<(u64, usize)>, FrameError> {
    let mut value = 0u64;
    for (index, &byte) in bytes.iter().enumerate().take(MAX_PREFIX) {
        // The tenth byte has room for the top bit of a `u64` alone.
        if index == MAX_PREFIX - 1 && byte > 1 {
            return Err(FrameError::Prefix);
        }
        value |= u64::from(byte & 0x7f) << (7 * index);
        if byte < 0x80 {
            return Ok(Some((value, index + 1)));
        }
    }
    Ok(None)
}

/// Why a byte stream holds no frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameError {
    /// The length prefix does not fit 64 bits.
    Prefix,
    /// The frame is longer than the reader takes.
    TooLong {
        /// What the prefix says, in bytes.
        length: u64,
        /// The most that the reader takes, in bytes.
        limit: usize,
    },
    /// The stream ended inside a frame.
    Cut {
        /// The bytes that arrived, its prefix included.
        held: usize,
    },
}

impl fmt::Display for FrameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FrameError::Prefix => f.write_str("the length of the frame is not a varint"),
            FrameError::TooLong { length, limit } => {
                write!(f, "a frame of {length} bytes; the limit is {limit}")
            }
            FrameError::Cut { held } => {
                write!(f, "the connection ended after {held} bytes of a frame")
            }
        }
    }
}

impl Error for FrameError {}

impl From<FrameError> for io::Error {
    fn from(error: FrameError) -> Self {
        let kind = match error {
            FrameError::Cut { .. } => io::ErrorKind::UnexpectedEof,
            FrameError::Prefix | FrameError::TooLong { .. } => io::ErrorKind::InvalidData,
        };
        io::Error::new(kind, error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Feeds a stream in pieces of `piece` bytes and collects the frames.
    fn cut(stream: &[u8], piece: usize, limit: usize) -> Result<Vec<Vec<u8>>, FrameError> {
        let (mut frames, mut found, mut rest) = (Frames::new(limit), Vec::new(), stream);
        loop {
            while frames.advance()? {
                found.push(frames.frame().to_vec());
            }
            let room = frames.room();
            let count = piece.min(rest.len()).min(room.len());
            room[..count].copy_from_slice(&rest[..count]);
            rest = &rest[count..];
            if !frames.filled(count)? {
                return Ok(found);
            }
        }
    }

    fn framed(payloads: &[Vec<u8>]) -> Vec<u8> {
        let mut stream = Vec::new();
        for payload in payloads {
            let mut length = payload.len();
            while length >= 0x80 {
                stream.push(length as u8 | 0x80);
                length >>= 7;
            }
            stream.push(length as u8);
            stream.extend_from_slice(payload);
        }
        stream
    }

    #[test]
    fn frames_come_out_whole_however_they_arrive() {
        let payloads: Vec<Vec<u8>> = [0, 1, 127, 128, 5000, 0, 16_384, 3]
            .iter()
            .enumerate()
            .map(|(index, &length)| vec![index as u8; length])
            .collect();
        let stream = framed(&payloads);
        for piece in [1, 2, 3, 7, 100, 4096, 4097, 1 << 20] {
            assert_eq!(cut(&stream, piece, 16_384).as_ref(), Ok(&payloads), "pieces of {piece}");
        }
    }

    #[test]
    fn a_frame_at_the_limit_passes_and_one_over_it_does_not() {
        assert!(cut(&framed(&[vec![1; 300]]), 64, 300).is_ok());
        assert_eq!(cut(&framed(&[vec![1; 301]]), 64, 300), Err(FrameError::TooLong { length: 301, limit: 300 }));
    }

    #[test]
    fn a_huge_length_is_refused_before_any_memory_is_reserved() {
        let mut frames = Frames::new(1 << 20);
        let held = frames.buffer.capacity();
        // 2^63, a full-length varint.
        let prefix = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01];
        frames.room()[..prefix.len()].copy_from_slice(&prefix);
        assert_eq!(frames.filled(prefix.len()), Ok(true));
        assert_eq!(frames.advance(), Err(FrameError::TooLong { length: 1 << 63, limit: 1 << 20 }));
        assert_eq!(frames.buffer.capacity(), held);
    }

    #[test]
    fn a_prefix_that_is_no_varint_is_an_error() {
        assert_eq!(cut(&[0xff; 32], 32, 100), Err(FrameError::Prefix));
        assert_eq!(cut(&[0xff; 32], 1, 100), Err(FrameError::Prefix));
    }

    #[test]
    fn an_end_inside_a_frame_is_an_error() {
        assert_eq!(cut(&[5, b'a', b'b'], 1, 100), Err(FrameError::Cut { held: 3 }));
        assert_eq!(cut(&[0x80], 1, 100), Err(FrameError::Cut { held: 1 }));
        assert_eq!(cut(&[], 1, 100), Ok(vec![]));
    }
}
