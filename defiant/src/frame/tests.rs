//! Readers and writers of whole streams.

use std::io::{self, Read, Write};
use std::string::{String, ToString as _};
use std::vec::Vec;
use std::{format, vec};

use super::*;
use crate::{Arena, DecodeOptions, Message, UnknownFields};

#[derive(Clone, Copy, Debug, PartialEq, defiant_derive::Message)]
#[defiant(crate = "crate")]
struct Line<'arena> {
    #[defiant(string, tag = 1)]
    text: &'arena str,
    #[defiant(unknown)]
    unknown_fields: UnknownFields<'arena>,
}

#[derive(Clone, Copy, Debug, PartialEq, defiant_derive::Message)]
#[defiant(crate = "crate", optimize_for = "code_size")]
struct Log<'arena> {
    #[defiant(message, repeated, tag = 300)]
    lines: &'arena [Line<'arena>],
    #[defiant(unknown)]
    unknown_fields: UnknownFields<'arena>,
}

fn line(text: &str) -> Line<'_> {
    Line { text, ..Line::default() }
}

/// Gives a few bytes at a time, and is interrupted before each.
struct Slow<'b> {
    bytes: &'b [u8],
    step: usize,
    interrupted: bool,
}

impl Read for Slow<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.interrupted = !self.interrupted;
        if self.interrupted {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let step = self.step.min(into.len());
        (&mut self.bytes).take(step as u64).read(into)
    }
}

fn slow(bytes: &[u8], step: usize) -> Slow<'_> {
    Slow { bytes, step, interrupted: false }
}

#[test]
fn what_is_written_is_read() {
    // Miri takes its time.
    let long = "long ".repeat(if cfg!(miri) { 20 } else { 5000 });
    let texts = ["one", "", &*long, "two", &*long, "three"];
    for capacity in [0, 10, 100, 100_000] {
        let mut writer = FrameWriter::with_capacity(capacity, Vec::new());
        for text in texts {
            writer.write(&line(text)).expect("a vector takes all");
        }
        let position = writer.position();
        let stream = writer.into_inner().expect("a vector takes all");
        assert_eq!(stream.len() as u64, position);
        for step in [1, 7, 4096, usize::MAX] {
            let mut arena = Arena::new();
            let mut reader = FrameReader::with_capacity(capacity, slow(&stream, step), FrameOptions::new());
            for text in texts {
                let read: Line<'_> = reader.read(&arena).expect("valid").expect("not at the end");
                assert_eq!(read.text, text);
                arena.reset();
            }
            assert_eq!(reader.read::<Line<'_>>(&arena).expect("valid"), None);
            assert_eq!(reader.position(), position);
        }
    }
}

/// Takes some bytes at a time, and is interrupted before each; remembers where they lay.
#[derive(Default)]
struct Piecemeal {
    taken: Vec<u8>,
    begins: Vec<*const u8>,
    interrupted: bool,
}

impl Write for Piecemeal {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.interrupted = !self.interrupted;
        if self.interrupted {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let step = bytes.len().min(3000);
        self.begins.push(bytes.as_ptr());
        self.taken.extend_from_slice(&bytes[..step]);
        Ok(step)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn long_texts_are_handed_on_where_they_lie() {
    let long = "long ".repeat(2000);
    let lines = [line(&long), line("short"), line(&long[..5000])];
    let log = Log { lines: &lines, ..Log::default() };
    let frame = crate::Encoder::new().encode_length_delimited(&log).to_vec();
    for (capacity, copied) in [(0, false), (frame.len() - 1, false), (frame.len(), true)] {
        let mut writer = FrameWriter::with_capacity(capacity, Piecemeal::default());
        for _ in 0..2 {
            writer.write(&log).expect("it takes all");
        }
        let Piecemeal { taken, begins, .. } = writer.into_inner().expect("it takes all");
        assert_eq!(taken, [&*frame, &*frame].concat());
        assert_eq!(begins.contains(&long.as_ptr()), !copied, "{capacity}");
    }
}

#[test]
fn a_writer_that_fails_is_named() {
    let long = "long ".repeat(2000);
    let mut room = [0; 30_000];
    let mut writer = FrameWriter::new(&mut room[..]);
    for _ in 0..2 {
        writer.write(&line(&long)).expect("there is room");
    }
    writer.write(&line("short")).expect("buffered");
    let error = writer.write(&line(&long)).expect_err("no room");
    assert_eq!((error.index(), error.offset()), (3, 20_018));
    assert_eq!(io::Error::from(error).kind(), io::ErrorKind::WriteZero);
}

/// Takes two bytes, then fails once, or panics; then it takes all.
struct Torn<'t> {
    taken: &'t mut Vec<u8>,
    calls: usize,
    panics: bool,
}

impl Write for Torn<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.calls += 1;
        let len = if self.calls == 1 { 2 } else { bytes.len() };
        if self.calls == 2 {
            assert!(!self.panics, "a panic of a writer");
            return Err(io::ErrorKind::WouldBlock.into());
        }
        self.taken.extend_from_slice(&bytes[..len]);
        Ok(len)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn nothing_is_written_behind_a_torn_frame() {
    let mut taken = Vec::new();
    let mut writer = FrameWriter::new(Torn { taken: &mut taken, calls: 0, panics: false });
    writer.write(&line("one")).expect("buffered");
    assert_eq!(io::Error::from(writer.flush().expect_err("it fails")).kind(), io::ErrorKind::WouldBlock);
    for _ in 0..2 {
        writer.write(&line("two")).expect_err("it failed before");
        writer.flush().expect_err("it failed before");
    }
    assert!(writer.into_inner().is_err());
    assert_eq!(taken, [5, 10]);

    let mut writer = FrameWriter::new(Torn { taken: &mut taken, calls: 0, panics: true });
    writer.write(&line("one")).expect("buffered");
    std::panic::catch_unwind(core::panic::AssertUnwindSafe(move || writer.flush())).expect_err("it panics");
    assert_eq!(taken, [5, 10, 5, 10]);
}

#[test]
fn dropping_a_writer_writes() {
    let mut stream = Vec::new();
    FrameWriter::new(&mut stream).write(&line("x")).expect("a vector takes all");
    assert_eq!(stream, [3, 10, 1, b'x']);
}

#[test]
fn a_message_that_does_not_decode_is_left_out() {
    let stream = b"\x03\x0a\x01a\x02\x0a\x09\x03\x0a\x01b\x03\x0a\x01";
    let arena = Arena::new();
    let mut reader = FrameReader::new(&stream[..], FrameOptions::new());
    assert_eq!(reader.read(&arena).expect("valid"), Some(line("a")));
    let error = reader.read::<Line<'_>>(&arena).expect_err("cut off inside");
    assert_eq!(error.to_string(), "frame 1 at byte 4: Line.text: truncated at byte 1");
    assert_eq!(io::Error::from(error).kind(), io::ErrorKind::InvalidData);
    assert_eq!(reader.read(&arena).expect("valid"), Some(line("b")));
    let error = reader.read::<Line<'_>>(&arena).expect_err("the stream ends");
    assert_eq!((error.index(), error.offset(), error.is_truncated()), (3, 11, true));
    assert_eq!(io::Error::from(error).kind(), io::ErrorKind::UnexpectedEof);
    assert_eq!(reader.read::<Line<'_>>(&arena).expect("ended"), None);
}

#[test]
fn limits_hold_before_memory_is_taken() {
    let mut stream = vec![0xff, 0xff, 0xff, 0x7f];
    let mut arena = Arena::new();
    let error = FrameReader::new(&*stream, FrameOptions::new()).read::<Line<'_>>(&arena).expect_err("256 MiB");
    assert!(error.is_oversized());
    assert_eq!(arena.held_bytes(), 0);
    // The limit of the decode is another one; the frame is left out.
    stream = [&[200, 1, 10, 197, 1][..], &[b'x'; 197], &[3, 10, 1, b'y']].concat();
    let options = FrameOptions::new().decode_options(DecodeOptions::new().memory_limit(100));
    let mut reader = FrameReader::new(&*stream, options);
    let error = reader.read::<Line<'_>>(&arena).expect_err("more than 100 bytes");
    assert!(error.as_decode_error().is_some_and(|error| error.is_memory_limit()));
    assert_eq!(reader.read(&arena).expect("valid"), Some(line("y")));
    arena.reset();
    // What cannot be filled is given back.
    let used = arena.used_bytes();
    assert!(FrameReader::new(&stream[..50], FrameOptions::new()).read::<Line<'_>>(&arena).is_err());
    assert_eq!(arena.used_bytes(), used);
}

#[test]
fn elements_are_those_of_the_whole_message() {
    let lines: Vec<Line<'_>> = ["one", "", "three"].map(line).to_vec();
    // Other fields before, between and behind: a varint, a group with a group in it, bytes, and fixed ones.
    let others = b"\x08\x96\x01\x13\x1b\x08\x01\x1c\x14\x22\x03\x01\x02\x03\x2d\x00\x00\x00\x00\x31\x00\x00\x00\x00\x00\x00\x00\x00";
    let mut wire = others.to_vec();
    for line in &lines {
        wire.extend(Log { lines: &[*line], ..Log::default() }.encode_to_vec());
        wire.extend(others);
    }
    for step in [1, 3, usize::MAX] {
        let mut arena = Arena::new();
        let mut reader = ElementReader::new(slow(&wire, step), 300, FrameOptions::new());
        let mut found: Vec<String> = Vec::new();
        while let Some(line) = reader.read::<Line<'_>>(&arena).expect("valid") {
            found.push(line.text.into());
            arena.reset();
        }
        assert_eq!(found, ["one", "", "three"]);
        assert_eq!(reader.position(), wire.len() as u64);
    }
    let arena = Arena::new();
    assert_eq!(Log::decode(&wire, &arena).expect("valid").lines, lines);
    // Cut anywhere, it is an error or fewer elements, as the whole message would be.
    for end in 0..wire.len() {
        let mut reader = ElementReader::new(&wire[..end], 300, FrameOptions::new());
        let mut count = 0;
        let valid = loop {
            match reader.read::<Line<'_>>(&arena) {
                Ok(Some(_)) => count += 1,
                Ok(None) => break true,
                Err(error) => {
                    assert!(error.is_truncated(), "{error}");
                    break false;
                }
            }
        };
        match Log::decode(&wire[..end], &arena) {
            Ok(log) => assert_eq!((valid, count), (true, log.lines.len()), "{end}"),
            Err(_) => assert!(!valid, "{end}"),
        }
    }
}

#[test]
fn malformed_containers_are_errors() {
    let cases: [(&[u8], &str); 8] = [
        (&[0x00], "invalid tag"),
        (&[0x07], "invalid tag"),
        (&[0x0c], "end of a group that did not begin"),
        (&[0x0b, 0x14], "end of another group than the innermost"),
        (&[0x0b], "the stream ends inside the frame"),
        (&[0xff; 11], "the length is longer than ten bytes or 64 bits"),
        (&[0xe0, 0x12, 1], "the field is no length-delimited message"),
        (&[0x0b; 101], "groups nested deeper than 100 levels"),
    ];
    let arena = Arena::new();
    for (wire, reason) in cases {
        let mut reader = ElementReader::new(wire, 300, FrameOptions::new());
        let error = reader.read::<Line<'_>>(&arena).expect_err(reason);
        assert_eq!(error.to_string(), format!("frame 0 at byte 0: {reason}"));
        assert_eq!(reader.read::<Line<'_>>(&arena).expect("ended"), None);
    }
}

/// Without a limit of frames: a length alone takes no memory, and what no memory holds is too long.
#[test]
fn lengths_without_a_limit() {
    let options = FrameOptions::new().max_len(usize::MAX);
    for (len, fits) in [(u64::MAX, false), (1 << 63, false), (1 << 62, usize::BITS == 64), (1 << 40, usize::BITS == 64)]
    {
        let mut wire = Vec::new();
        let mut rest = len;
        while rest >= 0x80 {
            wire.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        wire.extend([rest as u8, 0]);
        let mut buffer = FrameBuffer::new(options);
        match buffer.next(&mut &wire[..]) {
            Ok(frame) => assert!(fits && frame.is_none() && buffer.missing() as u64 == len - 1, "{len}"),
            Err(error) => assert!(!fits && error.is_oversized(), "{len}: {error}"),
        }
        #[cfg(feature = "tokio-util")]
        {
            use tokio_util::codec::Decoder as _;
            let pool = crate::pool::ArenaPool::default();
            let mut codec = crate::frame::FrameCodec::<Line<'static>>::new(options, pool);
            let outcome = codec.decode(&mut bytes::BytesMut::from(&wire[..]));
            assert_eq!(outcome.is_ok_and(|frame| frame.is_none()), fits, "{len}");
        }
    }
}

/// Pieces of a stream, in place of some of which it panics.
struct Panicking(std::collections::VecDeque<Option<&'static [u8]>>);

impl Read for Panicking {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let Some(piece) = self.0.pop_front() else { return Ok(0) };
        let piece = piece.expect("a piece");
        to[..piece.len()].copy_from_slice(piece);
        Ok(piece.len())
    }
}

/// After a panic nothing is read, least of all what was read before.
#[test]
fn a_stream_ends_with_a_panic() {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    fn all(mut read: impl FnMut(&Arena) -> Option<String>) -> Vec<Option<String>> {
        let arena = Arena::new();
        let outcome = (0..5).map(|_| catch_unwind(AssertUnwindSafe(|| read(&arena))));
        outcome.map(|read| read.unwrap_or_else(|_| Some("panic".to_string()))).collect()
    }
    let expected = |texts: &[&str]| {
        let mut texts: Vec<_> = texts.iter().map(|text| Some(text.to_string())).collect();
        texts.resize(5, None);
        texts
    };
    // Between frames, and in the middle of one.
    let between: [Option<&[u8]>; 3] = [Some(b"\x03\x0a\x01A"), None, Some(b"\x03\x0a\x01B")];
    let inside: [Option<&[u8]>; 4] = [Some(b"\x06\x0a\x04"), None, Some(b"\x03\x0a\x01X"), Some(b"\x03\x0a\x01C")];
    for (pieces, texts) in [(&between[..], &["A", "panic"][..]), (&inside, &["panic"])] {
        let mut frames = FrameReader::new(Panicking(pieces.iter().copied().collect()), FrameOptions::new());
        let read = all(|arena| Some(frames.read::<Line<'_>>(arena).expect("a stream")?.text.to_string()));
        assert_eq!(read, expected(texts));
    }
    let pieces: [Option<&[u8]>; 3] = [Some(b"\xe2\x12\x03\x0a\x01A"), None, Some(b"\xe2\x12\x03\x0a\x01B")];
    let mut elements = ElementReader::new(Panicking(pieces.into_iter().collect()), 300, FrameOptions::new());
    let read = all(|arena| Some(elements.read::<Line<'_>>(arena).expect("a stream")?.text.to_string()));
    assert_eq!(read, expected(&["A", "panic"]));
}
