//! Messages in pieces.

use std::io::{Error, ErrorKind, IoSlice, Write};

use bytes::Buf;
use defiant::{Arena, Encoder, Message, Pieces};

use super::messages::{All, Choice, Leaf};

/// Bytes that are large. Miri takes a hundred times as long.
const LEN: usize = if cfg!(miri) { 400 } else { 5_000 };

/// A message with something large of each kind that can be referred to, between small things.
fn mixed<'arena>(large: &'arena [u8], arena: &'arena Arena) -> All<'arena> {
    let text = arena.alloc_str(&"ä".repeat(large.len() / 2));
    let unknown = [&[0xfa, 0x7d, 0xc8, 0x01][..], &[b'u'; 200], &[0xf8, 0x7d, 1]].concat();
    let unknown = All::decode(&unknown, arena).unwrap().unknown_fields;
    let leaf = Leaf { x: 7, label: Some(text), unknown_fields: unknown, ..Leaf::default() };
    All {
        int32: 1,
        bytes: large,
        leaf: Some(arena.alloc(leaf)),
        group: Some(arena.alloc(leaf)),
        leaves: arena.alloc_slice_copy(&[Leaf::default(), leaf, leaf]),
        strings: arena.alloc_slice_copy(&["", text, "a", text]),
        fixed: arena.alloc_slice_copy(&[7; 300]),
        choice: Some(Choice::Text(text)),
        unknown_fields: unknown,
        ..All::default()
    }
}

fn joined(pieces: &Pieces<'_>) -> Vec<u8> {
    pieces.iter().collect::<Vec<_>>().concat()
}

#[test]
fn the_pieces_are_the_message() {
    let arena = Arena::new();
    for (len, least) in [(0, 4), (10, 4), (5_000, 20)] {
        if cfg!(miri) && len > 10 {
            continue;
        }
        let large = vec![9; len];
        let message = mixed(&large, &arena);
        let expected = message.encode_to_vec();
        for threshold in [0, 1, 2, 100, 201, 4096, usize::MAX] {
            let mut encoder = Encoder::new().vectored_threshold(threshold);
            for _ in 0..2 {
                let pieces = encoder.encode_vectored(&message);
                assert_eq!(pieces.len(), expected.len());
                assert_eq!(joined(&pieces), expected, "{len} {threshold}");
                assert!(pieces.iter().all(|piece| !piece.is_empty()));
                let (count, most) = (pieces.iter().count(), if threshold > 5_000 { 1 } else { usize::MAX });
                assert!(count <= most && (threshold > 100 || count >= least), "{len} {threshold}: {count}");
            }
            let mut delimited = Vec::new();
            message.encode_length_delimited(&mut delimited).unwrap();
            assert_eq!(joined(&encoder.encode_vectored_length_delimited(&message)), delimited);
            assert_eq!(encoder.encode(&message), expected);
        }
    }
    assert!(Encoder::new().encode_vectored(&All::default()).is_empty());
    assert_eq!(Encoder::new().encode_vectored(&All::default()).iter().count(), 0);
}

#[test]
fn what_is_large_is_where_it_was() {
    let arena = Arena::new();
    let large = vec![9; LEN];
    let message = mixed(&large, &arena);
    let mut encoder = Encoder::new().vectored_threshold(LEN - 100);
    let pieces = encoder.encode_vectored(&message);
    assert!(pieces.iter().any(|piece| piece.as_ptr_range() == large.as_ptr_range()));
    let text = message.leaf().label.unwrap().as_bytes().as_ptr_range();
    assert_eq!(pieces.iter().filter(|piece| piece.as_ptr_range() == text).count(), 7);
    // The copied bytes are few: the encoder's buffer never held the large ones.
    let copied: usize = pieces.iter().filter(|piece| piece.len() < LEN - 100).map(<[u8]>::len).sum();
    assert!(copied < if cfg!(miri) { 3_000 } else { LEN }, "{copied}");
}

#[test]
fn they_are_a_buffer() {
    let arena = Arena::new();
    let large = vec![9; 300];
    let message = mixed(&large, &arena);
    let expected = message.encode_to_vec();
    let steps: &[usize] = if cfg!(miri) { &[150, 300, 10_000] } else { &[1, 2, 7, 299, 300, 301, 10_000] };
    for &step in steps {
        let mut encoder = Encoder::new().vectored_threshold(50);
        let mut pieces = encoder.encode_vectored(&message);
        let mut read = Vec::new();
        while pieces.has_remaining() {
            assert_eq!(joined(&pieces), expected[read.len()..]);
            let count = step.min(pieces.remaining());
            let mut slices = [IoSlice::new(&[]); 3];
            let filled = pieces.chunks_vectored(&mut slices);
            assert_eq!(&*slices[0], pieces.chunk());
            assert!((1..=3).contains(&filled));
            let part = pieces.copy_to_bytes(count);
            read.extend_from_slice(&part);
            assert_eq!(pieces.remaining(), expected.len() - read.len());
        }
        assert_eq!(read, expected);
        assert!(pieces.is_empty() && pieces.chunk().is_empty());
    }
}

/// Takes a few bytes at a time, fails now and then, and at last for good.
struct Reluctant {
    taken: Vec<u8>,
    calls: usize,
    most: usize,
}

impl Write for Reluctant {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.write_vectored(&[IoSlice::new(bytes)])
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> std::io::Result<usize> {
        self.calls += 1;
        if self.calls % 3 == 0 {
            return Err(Error::from(ErrorKind::Interrupted));
        }
        let before = self.taken.len();
        let room = (LEN / 6).min(self.most - before);
        self.taken.extend(slices.iter().flat_map(|slice| slice.iter()).take(room));
        Ok(self.taken.len() - before)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn they_are_written_whole_or_not() {
    let arena = Arena::new();
    let large = vec![9; LEN];
    let message = mixed(&large, &arena);
    let expected = message.encode_to_vec();
    let mut encoder = Encoder::new().vectored_threshold(LEN - 100);
    let mut out = Reluctant { taken: Vec::new(), calls: 0, most: usize::MAX };
    encoder.encode_vectored(&message).write_to(&mut out).unwrap();
    assert_eq!(out.taken, expected);
    let mut out = Reluctant { taken: Vec::new(), calls: 0, most: LEN + 200 };
    let error = encoder.encode_vectored(&message).write_to(&mut out).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WriteZero);
    assert_eq!(out.taken, expected[..LEN + 200]);
    let out: &mut dyn Write = &mut Vec::new();
    encoder.encode_vectored(&message).write_to(out).unwrap();
}

/// A writer that knows no vectored writes, and counts its calls.
struct Plain {
    taken: Vec<u8>,
    calls: usize,
    fails_at: usize,
}

impl Write for Plain {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.calls += 1;
        if self.calls == self.fails_at {
            return Err(Error::from(ErrorKind::BrokenPipe));
        }
        self.taken.extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_writer_without_vectored_writes_gets_piece_after_piece() {
    let arena = Arena::new();
    let large = vec![9; LEN];
    let message = mixed(&large, &arena);
    let expected = message.encode_to_vec();
    let mut encoder = Encoder::new().vectored_threshold(LEN - 100);
    let pieces = encoder.encode_vectored(&message).iter().count();
    assert!(pieces > 10, "{pieces}");
    for fails_at in 1..=pieces + 1 {
        let mut out = Plain { taken: Vec::new(), calls: 0, fails_at };
        let result = encoder.encode_vectored(&message).write_to(&mut out);
        assert_eq!(out.calls, fails_at.min(pieces));
        if fails_at > pieces {
            assert!(result.is_ok() && out.taken == expected);
        } else {
            assert_eq!(result.unwrap_err().kind(), ErrorKind::BrokenPipe);
            assert!(expected.starts_with(&out.taken));
        }
    }
}

#[test]
#[should_panic(expected = "cannot advance 1 bytes of 0")]
fn there_is_nothing_behind_the_end() {
    Encoder::new().encode_vectored(&All::default()).advance(1);
}
