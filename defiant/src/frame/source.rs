//! A reader with a buffer before it.

use std::io::{self, Read};

use alloc::vec;
use alloc::vec::Vec;

/// Bytes of a stream. Large pieces go past the buffer.
#[derive(Debug)]
pub(super) struct Source<R> {
    reader: R,
    buffer: Vec<u8>,
    /// What of the buffer is still to be read.
    begin: usize,
    end: usize,
    /// Bytes that were read.
    read: u64,
}

impl<R: Read> Source<R> {
    pub(super) fn new(reader: R, capacity: usize) -> Self {
        Source { reader, buffer: vec![0; capacity.max(16)], begin: 0, end: 0, read: 0 }
    }

    pub(super) fn into_inner(self) -> R {
        self.reader
    }

    pub(super) fn get_ref(&self) -> &R {
        &self.reader
    }

    /// Bytes that were read.
    pub(super) fn position(&self) -> u64 {
        self.read
    }

    /// The next byte, or `None` at the end.
    pub(super) fn byte(&mut self) -> io::Result<Option<u8>> {
        if self.begin == self.end && !self.fill()? {
            return Ok(None);
        }
        let byte = self.buffer[self.begin];
        self.begin += 1;
        self.read += 1;
        Ok(Some(byte))
    }

    fn fill(&mut self) -> io::Result<bool> {
        // Nothing is in it if the reader fails or panics.
        (self.begin, self.end) = (0, 0);
        self.end = read(&mut self.reader, &mut self.buffer)?;
        Ok(self.end > 0)
    }

    /// Fills all of `into`; `false` when the stream ends before that.
    pub(super) fn fill_into(&mut self, mut into: &mut [u8]) -> io::Result<bool> {
        while !into.is_empty() {
            if self.begin == self.end {
                if into.len() >= self.buffer.len() {
                    let count = read(&mut self.reader, into)?;
                    self.read += count as u64;
                    if count == 0 {
                        return Ok(false);
                    }
                    into = &mut into[count..];
                    continue;
                }
                if !self.fill()? {
                    return Ok(false);
                }
            }
            let count = into.len().min(self.end - self.begin);
            into[..count].copy_from_slice(&self.buffer[self.begin..self.begin + count]);
            self.begin += count;
            self.read += count as u64;
            into = &mut into[count..];
        }
        Ok(true)
    }

    /// Leaves bytes out; `false` when the stream ends before that.
    pub(super) fn skip(&mut self, mut count: u64) -> io::Result<bool> {
        while count > 0 {
            if self.begin == self.end && !self.fill()? {
                return Ok(false);
            }
            let step = count.min((self.end - self.begin) as u64);
            self.begin += step as usize;
            self.read += step;
            count -= step;
        }
        Ok(true)
    }
}

/// Reads once, again if a signal came in between.
fn read(reader: &mut impl Read, into: &mut [u8]) -> io::Result<usize> {
    loop {
        match reader.read(into) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // A reader that says it wrote more than there is room for breaks its promise.
            outcome => return outcome.map(|count| count.min(into.len())),
        }
    }
}
