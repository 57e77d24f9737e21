//! A message that is larger than the memory it is read with.

use std::io::{self, Read};

use defiant::frame::{ElementReader, FrameOptions, FrameReader};
use defiant::{Arena, DecodeOptions, Message};

use super::allocator;
use super::attacks::varint;
use super::messages::{All, Choice, Leaf};

/// Of the stream, about; Miri takes a hundred times as long.
const LEN: u64 = if cfg!(miri) { 20_000 } else { 225_000_000 };

/// The memory that reading it may take, the reader's buffer of 64 KiB included.
const MOST: i64 = 256 << 10;

/// The field of the elements.
const NUMBER: u32 = 300;

/// A message of records without an end, and with a note before each: the same few records again and again.
struct Records {
    stretch: Vec<u8>,
    /// Of one stretch.
    records: u64,
    /// The bytes of the stream that are left.
    left: u64,
    at: usize,
}

impl Records {
    fn new(len: u64) -> Self {
        let arena = Arena::new();
        let mut stretch = Vec::new();
        let records = if cfg!(miri) { 6 } else { 60 };
        for index in 0..records {
            let record = record(index, &arena).encode_to_vec();
            // Field 299, a text, is not asked for.
            stretch.extend([0xda, 0x12, 4, b'n', b'o', b't', b'e', 0xe2, 0x12]);
            let mut len = record.len();
            while len >= 0x80 {
                stretch.push(len as u8 | 0x80);
                len >>= 7;
            }
            stretch.push(len as u8);
            stretch.extend(record);
        }
        let stretches = len.div_ceil(stretch.len() as u64);
        Records { left: stretches * stretch.len() as u64, records: records as u64, stretch, at: 0 }
    }

    fn stretches(&self) -> u64 {
        self.left / self.stretch.len() as u64
    }
}

impl Read for Records {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let rest = &self.stretch[self.at..];
        // Never what the reader asks for, and across the borders of records.
        let count = into.len().min(rest.len()).min(self.left as usize).min(40_000);
        into[..count].copy_from_slice(&rest[..count]);
        self.at = (self.at + count) % self.stretch.len();
        self.left -= count as u64;
        Ok(count)
    }
}

/// A record of a hundred bytes to some 20 KB.
fn record(index: usize, arena: &Arena) -> All<'_> {
    let text = arena.alloc_str(&"Grün ".repeat(1 + index * index % 700));
    let numbers = arena.alloc_slice_copy(&[index as u64; 40][..index % 40]);
    let leaf = Leaf { x: index as i32, label: Some(text), data: numbers, ..Leaf::default() };
    All {
        int32: index as i32,
        string: text,
        bytes: &text.as_bytes()[1..],
        leaves: arena.alloc_slice_copy(&[leaf, Leaf::default(), leaf]),
        strings: arena.alloc_slice_copy(&[text, "", "a"]),
        doubles: arena.alloc_slice_copy(&[0.5; 30][..index % 30]),
        choice: Some(Choice::Text("chosen")),
        ..All::default()
    }
}

#[test]
fn a_stream_takes_the_memory_of_its_largest_record() {
    let mut source = Records::new(LEN);
    let (len, records, stretches) = (source.left, source.records, source.stretches());
    let mut expected = 0;
    let ((), count) = allocator::count(|| {
        let mut arena = Arena::new();
        let mut reader = ElementReader::new(&mut source, NUMBER, FrameOptions::new());
        let mut found = 0;
        let mut sum = 0;
        let mut warm = None;
        while let Some(record) = reader.read::<All<'_>>(&arena).unwrap() {
            found += 1;
            sum += record.string.len() as u64 + record.doubles.len() as u64 + record.leaves[2].data.len() as u64;
            arena.reset();
            if found == records {
                warm = Some((arena.held_bytes(), sum));
            }
        }
        let (held, of_a_stretch) = warm.unwrap();
        expected = of_a_stretch * stretches;
        assert_eq!((found, sum), (records * stretches, expected), "every record arrives");
        assert_eq!(
            (reader.position(), arena.held_bytes()),
            (len, held),
            "the arena does not grow after the first ones"
        );
    });
    assert!(expected > 0 && (cfg!(miri) || len >= 225_000_000), "{len}");
    assert!(count.peak < MOST, "{} bytes for a stream of {len}", count.peak);
    assert!(count.allocations < 30, "{} allocations", count.allocations);
    assert_eq!(count.held, 0, "all of it is given back");
}

/// Gives some bytes, at most `step` of them a call, and ends.
struct Stops<'b> {
    bytes: &'b [u8],
    step: usize,
    calls: usize,
}

impl Read for Stops<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.calls += 1;
        let count = self.step.min(into.len());
        (&mut self.bytes).take(count as u64).read(into)
    }
}

/// The start of a frame, or of an element, of `announced` bytes, of which `arrived` come.
fn announce(tag: &[u8], announced: usize, arrived: usize) -> Vec<u8> {
    // A tag of one byte, and a length of four.
    let text = [0, 7, 14, 21].map(|shift| ((announced - 5) >> shift) as u8 & 0x7f | if shift < 21 { 0x80 } else { 0 });
    [tag, &varint(announced as u64), &[14 << 3 | 2], &text, &vec![b'x'; arrived]].concat()
}

/// Memory that reading a frame, and an element, takes when the stream ends after `arrived` of the 4 MiB that it announces.
fn cut_off(arrived: usize, step: usize) -> [i64; 2] {
    const LEN: usize = (4 << 20) - 10;
    let frame = announce(&[], LEN, arrived);
    let (error, frame) = allocator::count(|| {
        let arena = Arena::new();
        FrameReader::new(Stops { bytes: &frame, step, calls: 0 }, FrameOptions::new())
            .read::<All<'_>>(&arena)
            .unwrap_err()
    });
    assert!(error.is_truncated());
    let element = announce(&varint(u64::from(NUMBER) << 3 | 2), LEN, arrived);
    let (error, element) = allocator::count(|| {
        let (arena, stops) = (Arena::new(), Stops { bytes: &element, step, calls: 0 });
        ElementReader::new(stops, NUMBER, FrameOptions::new()).read::<All<'_>>(&arena).unwrap_err()
    });
    assert!(error.is_truncated());
    [frame.peak, element.peak]
}

#[test]
fn memory_follows_the_bytes_that_arrive() {
    let (few, many) = if cfg!(miri) { (16 << 10, 256 << 10) } else { (200_000, 3_200_000) };
    for step in [1000, usize::MAX] {
        for index in 0..2 {
            let constant = cut_off(0, step)[index];
            // A buffer of 8 KiB, and a chunk for a frame of 32 KiB and its message.
            assert!(constant <= 200 << 10, "{constant}");
            let (small, large) = (cut_off(few, step)[index], cut_off(many, step)[index]);
            for (arrived, peak) in [(few, small), (many, large)] {
                assert!(peak <= constant + 4 * arrived as i64, "{peak} bytes for {arrived}");
            }
            assert!(large <= 20 * small, "{small}, {large}");
        }
    }
}

#[test]
fn a_frame_may_arrive_byte_by_byte() {
    let read = |len: usize| {
        let frame = announce(&[], len, len - 5);
        let mut stops = Stops { bytes: &frame, step: 1, calls: 0 };
        let ((), count) = allocator::count(|| {
            let arena = Arena::new();
            let mut reader = FrameReader::new(&mut stops, FrameOptions::new());
            assert_eq!(reader.read::<All<'_>>(&arena).unwrap().unwrap().string.len(), len - 5);
        });
        assert_eq!(stops.calls, frame.len());
        count
    };
    let (few, many) = if cfg!(miri) { (40_000, 80_000) } else { (100_000, 1_600_000) };
    let (small, large) = (read(few), read(many));
    assert!(large.peak <= 20 * small.peak, "{small:?}, {large:?}");
    // The vector doubles.
    assert!(large.allocations <= small.allocations + 10, "{small:?}, {large:?}");
}

#[test]
fn large_frames_take_no_allocation_once_the_arena_has_their_memory() {
    let len = 100_000;
    let stream = announce(&[], len, len - 5).repeat(6);
    let mut arena = Arena::new();
    let mut reader = FrameReader::new(&*stream, FrameOptions::new());
    for _ in 0..3 {
        assert!(reader.read::<All<'_>>(&arena).unwrap().is_some());
        arena.reset();
    }
    let ((), count) = allocator::count(|| {
        for _ in 0..3 {
            assert!(reader.read::<All<'_>>(&arena).unwrap().is_some());
            arena.reset();
        }
    });
    assert_eq!(count.allocations, 0);
}

/// A frame that the limits do not allow is skipped, and costs no memory.
#[test]
fn frames_over_the_limits_are_skipped() {
    let len = 1_000_000;
    let stream = announce(&[], len, len - 5).repeat(2);
    let limited = Arena::new();
    limited.set_limit(Some(50_000));
    for (options, arena) in [
        (DecodeOptions::new().size_limit(len - 1), Arena::new()),
        (DecodeOptions::new().memory_limit(len), Arena::new()),
        (DecodeOptions::new(), limited),
    ] {
        let (found, count) = allocator::count(|| {
            let mut reader = FrameReader::new(&*stream, FrameOptions::new().decode_options(options));
            let errors = [(); 2].map(|()| reader.read::<All<'_>>(&arena).unwrap_err().as_decode_error().is_some());
            (errors, reader.read::<All<'_>>(&arena).unwrap().is_none())
        });
        assert_eq!(found, ([true; 2], true));
        assert!(count.peak < 100_000, "{count:?}");
    }
}
