//! One message that is too large for memory, element by element.

use std::io::Read;

use super::error::Kind;
use super::source::Source;
use super::{FrameError, FrameOptions, Position};
use crate::arena::Arena;
use crate::message::Message;
use crate::wire::tag::{MAX_NUMBER, wire_type};

/// Reads one repeated field of a message from a [`Read`], element by element: a file of hundreds of megabytes takes the
/// memory of its largest element.
///
/// The message stands in the stream as it is, without a length: it ends where the stream does. Its other fields are left
/// out; groups that nest in them count against no more than 100 levels.
///
/// ```
/// use defiant::frame::{ElementReader, FrameOptions};
/// use defiant::{Arena, Message, UnknownFields};
///
/// #[derive(Clone, Copy, Debug, PartialEq, Message)]
/// struct Sample<'arena> {
///     #[defiant(double, tag = 1)]
///     value: f64,
///     #[defiant(unknown)]
///     unknown_fields: UnknownFields<'arena>,
/// }
///
/// #[derive(Clone, Copy, Debug, PartialEq, Message)]
/// struct Recording<'arena> {
///     #[defiant(message, repeated, tag = 7)]
///     samples: &'arena [Sample<'arena>],
///     #[defiant(unknown)]
///     unknown_fields: UnknownFields<'arena>,
/// }
///
/// let samples = [Sample { value: 1.5, ..Sample::default() }, Sample { value: 2.0, ..Sample::default() }];
/// let file = Recording { samples: &samples, ..Recording::default() }.encode_to_vec();
///
/// let mut arena = Arena::new();
/// let mut samples = ElementReader::new(&*file, 7, FrameOptions::new());
/// let mut sum = 0.0;
/// while let Some(sample) = samples.read::<Sample<'_>>(&arena)? {
///     sum += sample.value;
///     arena.reset();
/// }
/// assert_eq!(sum, 3.5);
/// # Ok::<(), defiant::frame::FrameError>(())
/// ```
#[derive(Debug)]
pub struct ElementReader<R> {
    source: Source<R>,
    number: u32,
    options: FrameOptions,
    /// Elements, and where the one that is read begins.
    position: Position,
    ended: bool,
}

/// Groups in groups that are left out.
const MAX_DEPTH: usize = 100;

impl<R: Read> ElementReader<R> {
    /// A reader of the field `number`, with a buffer of 64 KiB.
    pub fn new(reader: R, number: u32, options: FrameOptions) -> Self {
        let source = Source::new(reader, 64 << 10);
        ElementReader { source, number, options, position: Position::default(), ended: false }
    }

    /// The next element, or `None` at the end of the message.
    ///
    /// # Errors
    /// [`FrameError`] when the stream fails, the message is malformed or cut off, an element is longer than
    /// [`FrameOptions::max_len`], or does not decode. After the last of these, reading goes on with the next element; after
    /// the others there is none, and neither is after a panic of the stream or of an enum's code.
    pub fn read<'arena, M: Message<'arena>>(&mut self, arena: &'arena Arena) -> Result<Option<M>, FrameError> {
        if self.ended {
            return Ok(None);
        }
        // So it is if the reader panics.
        self.ended = true;
        let outcome = self.read_element(arena);
        self.ended = match &outcome {
            Ok(message) => message.is_none(),
            Err(error) => error.as_decode_error().is_none(),
        };
        self.position.index += u64::from(!self.ended);
        outcome
    }

    fn read_element<'arena, M: Message<'arena>>(&mut self, arena: &'arena Arena) -> Result<Option<M>, FrameError> {
        loop {
            self.position.offset = self.source.position();
            let tag = match self.tag() {
                Ok(Some(tag)) => tag,
                Ok(None) => return Ok(None),
                Err(kind) => return Err(self.position.error(kind)),
            };
            let is_element = tag == self.number << 3 | wire_type::LENGTH_DELIMITED;
            let step = if is_element { self.element(arena).map(Some) } else { self.leave_out(tag).map(|()| None) };
            match step {
                Ok(Some(message)) => return Ok(Some(message)),
                Ok(None) => {}
                Err(kind) => return Err(self.position.error(kind)),
            }
        }
    }

    fn element<'arena, M: Message<'arena>>(&mut self, arena: &'arena Arena) -> Result<M, Kind> {
        let len = self.varint()?;
        let max_len = self.options.max_len;
        let fits = usize::try_from(len).ok().filter(|len| *len <= max_len);
        let len = fits.ok_or(Kind::Oversized { len, max_len })?;
        self.source.message(len, self.options.decode, arena)
    }

    /// The next tag, or `None` at the end.
    fn tag(&mut self) -> Result<Option<u32>, Kind> {
        let Some(first) = self.source.byte().map_err(Kind::Io)? else { return Ok(None) };
        let tag = self.rest_of_varint(first)?;
        match u32::try_from(tag) {
            Ok(tag) if (1..=MAX_NUMBER).contains(&(tag >> 3)) && tag & 7 <= wire_type::FIXED32 => Ok(Some(tag)),
            _ => Err(Kind::Tag("invalid tag")),
        }
    }

    fn varint(&mut self) -> Result<u64, Kind> {
        let first = self.source.byte().map_err(Kind::Io)?.ok_or(Kind::Truncated)?;
        self.rest_of_varint(first)
    }

    fn rest_of_varint(&mut self, first: u8) -> Result<u64, Kind> {
        let mut value = u64::from(first & 0x7f);
        let (mut byte, mut shift) = (first, 7);
        while byte >= 0x80 {
            byte = self.source.byte().map_err(Kind::Io)?.ok_or(Kind::Truncated)?;
            if shift == 63 && byte > 1 {
                return Err(Kind::Prefix);
            }
            value |= u64::from(byte & 0x7f) << shift;
            shift += 7;
        }
        Ok(value)
    }

    /// Leaves out a field whose tag was read.
    fn leave_out(&mut self, tag: u32) -> Result<(), Kind> {
        if tag >> 3 == self.number {
            return Err(Kind::Tag("the field is no length-delimited message"));
        }
        let mut open = [0; MAX_DEPTH];
        let mut depth = 0;
        let mut tag = tag;
        loop {
            let whole = match tag & 7 {
                wire_type::VARINT => {
                    self.varint()?;
                    true
                }
                wire_type::FIXED64 => self.source.skip(8).map_err(Kind::Io)?,
                wire_type::FIXED32 => self.source.skip(4).map_err(Kind::Io)?,
                wire_type::LENGTH_DELIMITED => {
                    let len = self.varint()?;
                    self.source.skip(len).map_err(Kind::Io)?
                }
                wire_type::START_GROUP => {
                    let slot = open.get_mut(depth).ok_or(Kind::Tag("groups nested deeper than 100 levels"))?;
                    *slot = tag >> 3;
                    depth += 1;
                    true
                }
                _ => {
                    depth = depth.checked_sub(1).ok_or(Kind::Tag("end of a group that did not begin"))?;
                    if open[depth] != tag >> 3 {
                        return Err(Kind::Tag("end of another group than the innermost"));
                    }
                    true
                }
            };
            if !whole {
                return Err(Kind::Truncated);
            }
            if depth == 0 {
                return Ok(());
            }
            tag = self.tag()?.ok_or(Kind::Truncated)?;
        }
    }

    /// Bytes of the stream that were read.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.source.position()
    }

    /// The reader below. What is in the buffer is lost.
    #[must_use]
    pub fn into_inner(self) -> R {
        self.source.into_inner()
    }
}
