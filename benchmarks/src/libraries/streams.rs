//! Streams for libraries that know none: the lengths are read and written by hand.

use std::hint::black_box;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};

use super::SOUND;
use crate::offer::{Memory, Offer, Task};

/// Takes what is written, and nothing of it can be left out.
pub(super) struct Sink;

impl Write for Sink {
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        Ok(black_box(bytes).len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Adds a loop that reads the payload from a stream, message by message, into memory that is used again, from which `decode`
/// makes them.
pub(super) fn read(offer: &mut Offer, memory: Memory, variant: &'static str, mut decode: impl FnMut(&[u8]) + 'static) {
    if !Task::ReadStream.suits(offer.payload) {
        return;
    }
    let (stream, mut buffer) = (offer.payload.stream(), Vec::new());
    offer.time(Task::ReadStream, memory, variant, move || {
        let mut reader = BufReader::new(black_box(stream));
        while let Some(len) = length(&mut reader) {
            buffer.clear();
            reader.by_ref().take(len).read_to_end(&mut buffer).expect(SOUND);
            decode(&buffer);
        }
    });
}

/// The length of the next message, or `None` at the end.
fn length(reader: &mut BufReader<&[u8]>) -> Option<u64> {
    if reader.fill_buf().expect(SOUND).is_empty() {
        return None;
    }
    let (mut len, mut shift) = (0, 0);
    loop {
        let mut byte = [0];
        reader.read_exact(&mut byte).expect(SOUND);
        len |= u64::from(byte[0] & 0x7f) << shift;
        if byte[0] < 0x80 {
            return Some(len);
        }
        shift += 7;
    }
}

/// Compares what `write` makes of messages, and adds a loop that writes them to a stream.
pub(super) fn write<M: 'static>(
    offer: &mut Offer,
    memory: Memory,
    variant: &'static str,
    messages: impl FnOnce() -> Vec<M>,
    mut write: impl FnMut(&M, &mut dyn Write) + 'static,
) {
    if !Task::WriteStream.suits(offer.payload) {
        return;
    }
    let (messages, mut stream) = (messages(), Vec::new());
    messages.iter().for_each(|message| write(message, &mut stream));
    offer.streamed(variant, &stream);
    let mut writer = BufWriter::new(Sink);
    offer.time(Task::WriteStream, memory, variant, move || {
        for message in black_box(&messages) {
            write(message, &mut writer);
        }
        writer.flush().expect(SOUND);
    });
}
