//! An encoded message in pieces, for vectored writes.

use alloc::vec::Vec;
use core::fmt;

use bytes::Buf;

use crate::wire::vectored::Cut;

/// An encoded message in pieces: what [`Encoder::encode_vectored`](crate::Encoder::encode_vectored) copied, and what it only
/// refers to, in the order of the wire.
///
/// Write it with [`write_to`](Self::write_to), hand it on as a [`bytes::Buf`] (whose
/// [`chunks_vectored`](Buf::chunks_vectored) is what an asynchronous `writev` asks for), or take the pieces yourself:
///
/// ```
/// # use defiant::{Encoder, Message, UnknownFields};
/// # #[derive(Clone, Copy, Debug, PartialEq, Message)]
/// # struct Blob<'arena> {
/// #     #[defiant(uint32, tag = 1)] id: u32,
/// #     #[defiant(bytes, tag = 2)] data: &'arena [u8],
/// #     #[defiant(unknown)] unknown_fields: UnknownFields<'arena>,
/// # }
/// let data = vec![7; 100_000];
/// let blob = Blob { id: 1, data: &data, ..Blob::default() };
///
/// let mut encoder = Encoder::new();
/// let pieces = encoder.encode_vectored(&blob);
/// assert_eq!(pieces.len(), 100_006);
/// let pieces: Vec<&[u8]> = pieces.iter().collect();
/// assert_eq!(pieces[0], [8, 1, 18, 0xa0, 0x8d, 0x06]);
/// assert_eq!(pieces[1].as_ptr(), data.as_ptr()); // not copied
/// ```
pub struct Pieces<'e> {
    /// Copied bytes that are not read yet.
    copied: &'e [u8],
    /// Bytes that are not read yet and only referred to, from the last to the first.
    cuts: Vec<Cut<'e>>,
    /// Where the memory of `cuts` came from and goes back to.
    home: &'e mut Vec<Cut<'static>>,
    len: usize,
}

impl<'e> Pieces<'e> {
    /// `cuts` as a [`Vectored`](crate::wire::vectored::Vectored) made them, with `copied`.
    pub(crate) fn new(copied: &'e [u8], cuts: Vec<Cut<'e>>, home: &'e mut Vec<Cut<'static>>) -> Self {
        let len = copied.len() + cuts.iter().map(|cut| cut.bytes.len()).sum::<usize>();
        Pieces { copied, cuts, home, len }
    }

    /// Bytes in all pieces that are not read yet.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The pieces that are not read yet, in the order of the wire; none is empty.
    #[must_use]
    pub fn iter(&self) -> Iter<'_> {
        Iter { copied: self.copied, cuts: &self.cuts }
    }

    /// Writes all pieces with [`write_vectored`](std::io::Write::write_vectored).
    ///
    /// ```
    /// # use defiant::{Encoder, wkt::BytesValue};
    /// # let value = BytesValue { value: &[1; 5000], ..BytesValue::default() };
    /// # let mut file = Vec::new();
    /// Encoder::new().encode_vectored(&value).write_to(&mut file)?;
    /// # assert_eq!(file.len(), 5003);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of the writer, except [`Interrupted`](std::io::ErrorKind::Interrupted), after which it is asked again; and
    /// [`WriteZero`](std::io::ErrorKind::WriteZero) when it takes no more. Some of the pieces may have been written.
    #[cfg(feature = "std")]
    pub fn write_to(mut self, writer: &mut (impl std::io::Write + ?Sized)) -> std::io::Result<()> {
        use std::io::{Error, ErrorKind, IoSlice};
        while !self.is_empty() {
            let mut slices = [IoSlice::new(&[]); 16];
            let count = self.chunks_vectored(&mut slices);
            match writer.write_vectored(&slices[..count]) {
                Ok(0) => return Err(Error::new(ErrorKind::WriteZero, "the writer takes no more of the message")),
                // One piece of several: the writer knows no vectored writes, or is full, which makes no difference then.
                Ok(written) if count > 1 && written == slices[0].len() => {
                    self.advance(written);
                    return self.iter().try_for_each(|piece| writer.write_all(piece));
                }
                // A writer that claims more than it was given has taken all.
                Ok(written) => self.advance(written.min(self.len)),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

impl Buf for Pieces<'_> {
    fn remaining(&self) -> usize {
        self.len
    }

    fn chunk(&self) -> &[u8] {
        self.iter().next().unwrap_or(&[])
    }

    #[cfg(feature = "std")]
    fn chunks_vectored<'a>(&'a self, slices: &mut [std::io::IoSlice<'a>]) -> usize {
        let pairs = slices.iter_mut().zip(self.iter());
        pairs.map(|(slice, piece)| *slice = std::io::IoSlice::new(piece)).count()
    }

    /// # Panics
    /// When fewer than `count` bytes are left.
    fn advance(&mut self, count: usize) {
        assert!(count <= self.len, "cannot advance {count} bytes of {}", self.len);
        self.len -= count;
        let mut count = count;
        while count > 0 {
            let before = self.cuts.last().map_or(self.copied.len(), |cut| self.copied.len() - cut.at);
            let step = before.min(count);
            self.copied = &self.copied[step..];
            count -= step;
            if step == before {
                if let Some(cut) = self.cuts.last_mut() {
                    let step = cut.bytes.len().min(count);
                    cut.bytes = &cut.bytes[step..];
                    count -= step;
                    if cut.bytes.is_empty() {
                        self.cuts.pop();
                    }
                }
            }
        }
    }
}

impl Drop for Pieces<'_> {
    fn drop(&mut self) {
        *self.home = emptied(core::mem::take(&mut self.cuts));
    }
}

impl<'a> IntoIterator for &'a Pieces<'_> {
    type Item = &'a [u8];
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

impl fmt::Debug for Pieces<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pieces").field("len", &self.len).field("pieces", &self.iter().count()).finish()
    }
}

/// The memory of a vector, for references of another lifetime.
pub(crate) fn emptied<'to>(mut cuts: Vec<Cut<'_>>) -> Vec<Cut<'to>> {
    cuts.clear();
    // The standard library collects in place; if it ever did not, the memory would be allocated anew.
    cuts.into_iter().map(|cut| Cut { at: cut.at, bytes: &[] }).collect()
}

/// The pieces of a message in the order of the wire.
#[derive(Clone, Debug)]
pub struct Iter<'a> {
    copied: &'a [u8],
    cuts: &'a [Cut<'a>],
}

impl<'a> Iterator for Iter<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        loop {
            let before = self.cuts.last().map_or(self.copied.len(), |cut| self.copied.len() - cut.at);
            let (piece, rest) = self.copied.split_at(before);
            if !piece.is_empty() {
                self.copied = rest;
                return Some(piece);
            }
            let (cut, rest) = self.cuts.split_last()?;
            self.cuts = rest;
            if !cut.bytes.is_empty() {
                return Some(cut.bytes);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_of_a_list_is_used_again() {
        let bytes = [1, 2, 3];
        let list = alloc::vec![Cut { at: 0, bytes: &bytes }; 100];
        let (address, capacity) = (list.as_ptr().addr(), list.capacity());
        let list: Vec<Cut<'static>> = emptied(list);
        assert_eq!((list.as_ptr().addr(), list.capacity(), list.len()), (address, capacity, 0));
    }
}
