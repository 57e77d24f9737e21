//! A message as it is sent: five bytes of gRPC's, and the message in the arena that it was encoded in.

use std::io::IoSlice;
use std::rc::Rc;

use bytes::Buf;
use defiant::Owned;
use defiant::pool::LocalPooledArena;
use defiant::wkt::BytesValue;

use crate::exchange::Queue;
use crate::status::Status;

/// Bytes of the prefix: whether the message is compressed, and its length.
pub(crate) const PREFIX: usize = 5;

/// A message in HTTP/2's send queue. When it is sent, its arena goes back to the pool.
pub(crate) struct Frame {
    prefix: [u8; PREFIX],
    body: Owned<BytesValue<'static>, LocalPooledArena>,
    /// Bytes of both that are sent.
    sent: usize,
    queue: Option<Rc<Queue>>,
}

impl Frame {
    pub(crate) fn new(
        body: Owned<BytesValue<'static>, LocalPooledArena>,
        is_compressed: bool,
        queue: Option<Rc<Queue>>,
    ) -> Result<Self, Status> {
        let len = body.get().value.len();
        let len = u32::try_from(len)
            .map_err(|_| Status::resource_exhausted(format!("a message of {len} bytes is too long for gRPC")))?;
        let [a, b, c, d] = len.to_be_bytes();
        if let Some(queue) = &queue {
            queue.enter();
        }
        Ok(Frame { prefix: [u8::from(is_compressed), a, b, c, d], body, sent: 0, queue })
    }

    fn pieces(&self) -> (&[u8], &[u8]) {
        let in_prefix = self.sent.min(PREFIX);
        (&self.prefix[in_prefix..], &self.body.get().value[self.sent - in_prefix..])
    }
}

impl Drop for Frame {
    fn drop(&mut self) {
        if let Some(queue) = &self.queue {
            queue.leave();
        }
    }
}

impl Buf for Frame {
    fn remaining(&self) -> usize {
        PREFIX + self.body.get().value.len() - self.sent
    }

    fn chunk(&self) -> &[u8] {
        let (prefix, body) = self.pieces();
        if prefix.is_empty() { body } else { prefix }
    }

    fn chunks_vectored<'a>(&'a self, into: &mut [IoSlice<'a>]) -> usize {
        let (prefix, body) = self.pieces();
        let pieces = [prefix, body].into_iter().filter(|piece| !piece.is_empty());
        into.iter_mut().zip(pieces).map(|(slot, piece)| *slot = IoSlice::new(piece)).count()
    }

    fn advance(&mut self, bytes: usize) {
        assert!(bytes <= self.remaining(), "no more than what is left");
        self.sent += bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use defiant::pool::LocalArenaPool;

    #[test]
    fn prefix_then_message() {
        let pool = LocalArenaPool::default();
        let make = |text: &str| {
            let body = Owned::build(pool.take(), |arena| BytesValue {
                value: arena.alloc_slice_copy(text.as_bytes()),
                ..BytesValue::default()
            });
            Frame::new(body, false, None).expect("short")
        };
        for text in ["", "a", "some text"] {
            let whole = [&[0, 0, 0, 0, text.len() as u8], text.as_bytes()].concat();
            for step in 1..=whole.len() {
                let mut frame = make(text);
                let mut read = Vec::new();
                while frame.has_remaining() {
                    let mut slots = [IoSlice::new(&[]), IoSlice::new(&[])];
                    let count = frame.chunks_vectored(&mut slots);
                    let vectored: Vec<u8> = slots[..count].iter().flat_map(|slot| slot.to_vec()).collect();
                    assert_eq!(vectored, whole[read.len()..]);
                    let bytes = frame.chunk().len().min(step);
                    read.extend_from_slice(&frame.chunk()[..bytes]);
                    frame.advance(bytes);
                }
                assert_eq!(read, whole);
            }
        }
        assert_eq!(pool.stats().in_use, 0);
    }
}
