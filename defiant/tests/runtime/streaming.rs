//! A message that is larger than the memory it is read with.

use std::io::{self, Read};

use defiant::frame::{ElementReader, FrameOptions};
use defiant::{Arena, Message};

use super::allocator;
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
