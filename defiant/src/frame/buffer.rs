//! Frames out of bytes that come in pieces.

use alloc::vec::Vec;

use super::error::Kind;
use super::{AHEAD, FrameError, FrameOptions, Position, prefix};

/// Takes frames out of bytes as they come, whatever brings them: it reads nothing itself, so it fits every runtime, those
/// that own the buffers they read into among them.
///
/// A frame that lies whole in a piece is lent from there; only one that is spread over several is put together in memory,
/// which is kept for the next one.
///
/// ```
/// use defiant::frame::{FrameBuffer, FrameOptions};
///
/// let mut frames = FrameBuffer::new(FrameOptions::new());
/// let mut found = Vec::new();
/// for piece in [&b"\x03one\x03t"[..], b"wo\x05thr", b"ee"] {
///     let mut piece = piece;
///     while let Some(frame) = frames.next(&mut piece)? {
///         found.push(frame.to_vec()); // or `Message::decode(frame, &arena)`
///     }
/// }
/// frames.finish()?; // no frame is cut off
/// assert_eq!(found, [b"one".to_vec(), b"two".to_vec(), b"three".to_vec()]);
/// # Ok::<(), defiant::frame::FrameError>(())
/// ```
#[derive(Debug)]
pub struct FrameBuffer {
    options: FrameOptions,
    /// A frame from its length on, as far as it is there.
    partial: Vec<u8>,
    /// Whether `partial` is one that was lent out, and is over.
    lent: bool,
    position: Position,
    /// What went wrong: the stream cannot go on behind it.
    failed: Option<Failed>,
}

#[derive(Clone, Copy, Debug)]
enum Failed {
    Prefix,
    Oversized { len: u64, max_len: usize },
}

impl FrameBuffer {
    /// A buffer that holds no memory yet.
    #[must_use]
    pub fn new(options: FrameOptions) -> Self {
        FrameBuffer { options, partial: Vec::new(), lent: false, position: Position::default(), failed: None }
    }

    /// The next frame, without its length, out of what is left of a piece; `None` when all of the piece is taken in and no
    /// frame is complete.
    ///
    /// # Errors
    /// [`FrameError`] when a length is malformed or more than [`FrameOptions::max_len`]; from then on, always.
    pub fn next<'s, 'i: 's>(&'s mut self, piece: &mut &'i [u8]) -> Result<Option<&'s [u8]>, FrameError> {
        if self.lent {
            self.partial.clear();
            self.lent = false;
        }
        if let Some(failed) = self.failed {
            return Err(self.position.error(failed.kind()));
        }
        if self.partial.is_empty() {
            if let Some((len, begin)) = self.failing(prefix(piece, self.options.max_len))? {
                if let Some(frame) = piece.get(begin..begin + len) {
                    *piece = &piece[begin + len..];
                    self.position.next(begin + len);
                    return Ok(Some(frame));
                }
                self.partial.reserve_exact((begin + len).min(AHEAD.max(piece.len())));
            }
        }
        // Byte by byte until the length is there, then as many as it says.
        loop {
            let length = prefix(&self.partial, self.options.max_len);
            let (missing, begin) = match self.failing(length)? {
                Some((len, begin)) => (begin + len - self.partial.len(), begin),
                None => (1, 0),
            };
            if missing == 0 {
                self.position.next(self.partial.len());
                self.lent = true;
                return Ok(Some(&self.partial[begin..]));
            }
            let taken = missing.min(piece.len());
            if taken == 0 {
                return Ok(None);
            }
            self.partial.reserve(missing.min(AHEAD.max(taken)));
            self.partial.extend_from_slice(&piece[..taken]);
            *piece = &piece[taken..];
        }
    }

    /// Remembers what went wrong.
    fn failing<T>(&mut self, outcome: Result<T, Kind>) -> Result<T, FrameError> {
        outcome.map_err(|kind| {
            self.failed = Some(match kind {
                Kind::Oversized { len, max_len } => Failed::Oversized { len, max_len },
                _ => Failed::Prefix,
            });
            self.position.error(kind)
        })
    }

    /// Bytes that are missing of the frame that has begun; 0 between frames. As long as its length is not known, 1.
    #[must_use]
    pub fn missing(&self) -> usize {
        if self.lent || self.partial.is_empty() {
            return 0;
        }
        match prefix(&self.partial, self.options.max_len) {
            Ok(Some((len, begin))) => begin + len - self.partial.len(),
            _ => 1,
        }
    }

    /// Says whether the stream may end here.
    ///
    /// # Errors
    /// [`FrameError::is_truncated`] when it is inside a frame.
    pub fn finish(&self) -> Result<(), FrameError> {
        if self.lent || self.partial.is_empty() { Ok(()) } else { Err(self.position.error(Kind::Truncated)) }
    }
}

impl Failed {
    fn kind(self) -> Kind {
        match self {
            Failed::Prefix => Kind::Prefix,
            Failed::Oversized { len, max_len } => Kind::Oversized { len, max_len },
        }
    }
}

#[cfg(test)]
mod tests {
    use std::string::ToString as _;
    use std::vec;

    use proptest::prelude::*;

    use super::*;

    fn framed(frames: &[Vec<u8>]) -> Vec<u8> {
        let mut stream = Vec::new();
        for frame in frames {
            let mut len = frame.len();
            while len >= 0x80 {
                stream.push(len as u8 | 0x80);
                len >>= 7;
            }
            stream.push(len as u8);
            stream.extend_from_slice(frame);
        }
        stream
    }

    fn read(stream: &[u8], piece: usize, options: FrameOptions) -> Result<Vec<Vec<u8>>, FrameError> {
        let mut buffer = FrameBuffer::new(options);
        let mut found = Vec::new();
        for mut piece in stream.chunks(piece) {
            while let Some(frame) = buffer.next(&mut piece)? {
                found.push(frame.to_vec());
            }
            assert!(piece.is_empty());
        }
        buffer.finish()?;
        Ok(found)
    }

    proptest! {
        #[test]
        fn however_it_is_cut_the_frames_are_the_same(
            frames in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..300), 0..8),
            piece in 1usize..400,
        ) {
            let stream = framed(&frames);
            prop_assert_eq!(read(&stream, piece, FrameOptions::new()).expect("valid"), frames);
        }

        #[test]
        fn any_bytes_are_an_error_or_frames(stream: Vec<u8>, piece in 1usize..40) {
            let one = read(&stream, piece, FrameOptions::new().max_len(50));
            let other = read(&stream, stream.len().max(1), FrameOptions::new().max_len(50));
            match (one, other) {
                (Ok(one), Ok(other)) => prop_assert_eq!(one, other),
                (Err(one), Err(other)) => prop_assert_eq!(one.to_string(), other.to_string()),
                (one, other) => prop_assert!(false, "{:?} {:?}", one, other),
            }
        }
    }

    #[test]
    fn errors_say_which_frame() {
        let options = FrameOptions::new().max_len(3);
        let error = read(b"\x01a\x04long", 2, options).expect_err("too long");
        assert!(error.is_oversized());
        assert_eq!((error.index(), error.offset()), (1, 2));
        assert_eq!(error.to_string(), "frame 1 at byte 2: 4 bytes are more than the 3 that are allowed");
        let error = read(b"\x01a\x03lo", 2, options).expect_err("cut off");
        assert!(error.is_truncated());
        assert_eq!((error.index(), error.offset()), (1, 2));
        let error = read(&[0xff; 10], 3, options).expect_err("no length");
        assert_eq!(error.to_string(), "frame 0 at byte 0: the length is longer than ten bytes or 64 bits");
        // Bits beyond the 64th, which are not to be lost.
        for last in [2, 3, 0x7f] {
            let prefix = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, last];
            let error = read(&prefix, 3, options).expect_err("no length");
            assert_eq!(error.to_string(), "frame 0 at byte 0: the length is longer than ten bytes or 64 bits");
        }
        let error = read(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1], 3, options).expect_err("2^64 - 1");
        assert!(error.is_oversized());
    }

    #[test]
    fn a_length_over_the_limit_takes_no_memory() {
        let options = FrameOptions::new().max_len(300);
        assert!(read(&framed(&[vec![1; 300]]), 64, options).is_ok());
        assert!(read(&framed(&[vec![1; 301]]), 64, options).expect_err("one too many").is_oversized());

        let mut buffer = FrameBuffer::new(FrameOptions::new());
        // 2^63, byte by byte and at once.
        let length = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01];
        for byte in &length[..9] {
            assert!(buffer.next(&mut core::slice::from_ref(byte)).expect("a piece of a length").is_none());
        }
        assert!(buffer.next(&mut &length[9..]).expect_err("too long").is_oversized());
        assert!(buffer.partial.capacity() < 64, "{}", buffer.partial.capacity());
        let mut buffer = FrameBuffer::new(FrameOptions::new());
        assert!(buffer.next(&mut &length[..]).expect_err("too long").is_oversized());
        assert_eq!(buffer.partial.capacity(), 0);
    }

    #[test]
    fn an_error_stays() {
        let mut buffer = FrameBuffer::new(FrameOptions::new().max_len(3));
        let mut piece: &[u8] = b"\x04long\x01a";
        assert!(buffer.next(&mut piece).is_err());
        assert!(buffer.next(&mut piece).is_err());
    }

    #[test]
    fn missing_bytes_are_counted() {
        let mut buffer = FrameBuffer::new(FrameOptions::new());
        assert_eq!(buffer.missing(), 0);
        assert!(buffer.next(&mut &[0x80][..]).expect("valid").is_none());
        assert_eq!(buffer.missing(), 1);
        assert!(buffer.next(&mut &[1, 7][..]).expect("valid").is_none());
        assert_eq!(buffer.missing(), 127);
        assert_eq!(buffer.next(&mut &vec![9; 127][..]).expect("valid").map(<[u8]>::len), Some(128));
        assert_eq!(buffer.missing(), 0);
    }
}
