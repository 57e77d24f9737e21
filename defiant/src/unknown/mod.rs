//! Unknown fields: what a message carries for others.
#![expect(unsafe_code, reason = "extends the span that was added last through the pointer it was made with")]

mod edit;
mod field;
#[cfg(any(feature = "json", feature = "text"))]
mod runs;

use core::fmt;
use core::ops::Range;
use core::ptr::NonNull;

use crate::wire::context::{Context, Fault};
use crate::wire::reader::{Cursor, Reader, Scope};
use crate::wire::tag::{tag_len, tag_of, wire_type};
use crate::wire::varint;
use crate::wire::writer::Sink;

pub(crate) use field::{Record, Records};
pub use field::{UnknownField, UnknownGroup, UnknownValue};
#[cfg(any(feature = "json", feature = "text"))]
pub(crate) use runs::{Run, by_number};

use field::Spans;

/// The fields of a message that its type does not know, as they stood on the wire.
///
/// One word in the message. They are encoded again byte for byte, behind the known fields, so that a message passes
/// through an older program unharmed.
///
/// ```
/// use defiant::{Arena, Message, UnknownFields, UnknownValue};
///
/// #[derive(Clone, Copy, Debug, PartialEq, Message)]
/// struct Old<'arena> {
///     #[defiant(unknown)]
///     unknown_fields: UnknownFields<'arena>,
/// }
///
/// let arena = Arena::new();
/// let mut old = Old::decode(&[0x08, 7, 0x12, 2, b'h', b'i'], &arena)?;
/// let fields: Vec<_> = old.unknown_fields.iter().map(|field| (field.number, field.value)).collect();
/// assert_eq!(fields, [(1, UnknownValue::Varint(7)), (2, UnknownValue::LengthDelimited(b"hi"))]);
///
/// old.unknown_fields.remove(1, &arena);
/// old.unknown_fields.add(3, UnknownValue::Fixed32(1), &arena);
/// assert_eq!(old.encode_in(&arena), [0x12, 2, b'h', b'i', 0x1d, 1, 0, 0, 0]);
/// # Ok::<(), defiant::DecodeError>(())
/// ```
///
/// [Extensions](crate::Extension) are read from here and written here.
#[derive(Clone, Copy, Default)]
pub struct UnknownFields<'arena> {
    last: Option<&'arena Node<'arena>>,
}

/// Spans are linked from the last to the first, the order in which they are written backward.
#[derive(Clone, Copy)]
struct Node<'arena> {
    /// One or more whole fields, tags included.
    span: &'arena [u8],
    previous: Option<&'arena Node<'arena>>,
}

impl<'arena> UnknownFields<'arena> {
    /// No unknown fields.
    pub const EMPTY: Self = UnknownFields { last: None };

    /// Whether there are none.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.last.is_none()
    }

    /// Bytes on the wire.
    #[must_use]
    pub fn byte_len(&self) -> usize {
        self.backward().map(<[u8]>::len).sum()
    }

    /// The fields in the order they were read, or [added](Self::add).
    pub fn iter(&self) -> impl Iterator<Item = UnknownField<'arena>> + use<'arena> {
        self.spans().flat_map(|span| Records::new(span).map(|record| record.field))
    }

    /// The values of one field number, in order.
    pub fn get(&self, number: u32) -> impl Iterator<Item = UnknownValue<'arena>> + use<'arena> {
        self.iter().filter(move |field| field.number == number).map(|field| field.value)
    }

    /// The spans of the wire in the order they were read, each one or more whole fields.
    pub fn spans(&self) -> impl ExactSizeIterator<Item = &'arena [u8]> + Clone + use<'arena> {
        Spans::new(self)
    }

    /// The spans from the last to the first.
    pub(crate) fn backward(&self) -> impl Iterator<Item = &'arena [u8]> + use<'arena> {
        core::iter::successors(self.last, |node| node.previous).map(|node| node.span)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn encode<S: Sink<'arena>>(&self, sink: &mut S) {
        if self.last.is_some() {
            let this = *self;
            sink.call(|sink| this.encode_spans(sink));
        }
    }

    #[cold]
    #[inline(never)]
    fn encode_spans<S: Sink<'arena>>(&self, mut sink: S) -> S {
        for span in self.backward() {
            sink.raw(span);
        }
        sink
    }

    /// Adds a span.
    fn push(&mut self, span: &'arena [u8], cx: &mut Context<'arena>) -> Result<(), Fault> {
        let node = cx.alloc_value(Node { span, previous: self.last })?;
        cx.last_unknown = node.as_ptr().cast();
        // SAFETY: initialised arena memory; written to again only by `extend`, which renews this reference.
        self.last = Some(unsafe { &*node.as_ptr() });
        Ok(())
    }

    /// Adds a range of the input, joined with the span before it if that ends where this begins.
    fn push_range(&mut self, range: Range<usize>, cx: &mut Context<'arena>) -> Result<(), Fault> {
        cx.keep_unknown_bytes(range.len())?;
        if let Some(last) = self.last {
            let address = core::ptr::from_ref(last).addr();
            if address == cx.last_unknown.addr() {
                let input = cx.range(0..range.end);
                let begin = last.span.as_ptr().addr().wrapping_sub(input.as_ptr().addr());
                if begin.checked_add(last.span.len()) == Some(range.start) && begin < range.start {
                    let joined = Node { span: cx.range(begin..range.end), previous: last.previous };
                    if let Some(node) = NonNull::new(cx.last_unknown.cast::<Node<'arena>>()) {
                        self.last = None;
                        // SAFETY: the node that this decode made last, in its arena. The one reference to it, in this
                        // message, was given up above.
                        unsafe { node.write(joined) };
                        // SAFETY: as in `push`.
                        self.last = Some(unsafe { &*node.as_ptr() });
                        return Ok(());
                    }
                }
            }
        }
        self.push(cx.range(range), cx)
    }
}

/// Skips the field behind a tag, given by its key, that the message does not know, and keeps it.
#[inline(never)]
pub(crate) fn skip<'arena>(
    unknown: &mut UnknownFields<'arena>,
    key: u64,
    at: Cursor,
    cx: &mut Context<'arena>,
) -> Cursor {
    let tag = tag_of(key);
    let behind_tag = cx.offset(at.ptr);
    let overlong = is_overlong(at, cx);
    let left = skip_value(tag, at, cx);
    if left.is_failed() || !cx.keeps_unknown() {
        return left;
    }
    let end = cx.offset(left.ptr);
    // The field runs over the end: the next look at the end reports it.
    if left.ptr > left.end {
        return left;
    }
    let kept = if overlong {
        canonical(unknown, tag, behind_tag..end, cx)
    } else {
        unknown.push_range(behind_tag - tag_len(tag)..end, cx)
    };
    match kept {
        Ok(()) => left,
        Err(fault) => cx.failed(fault, at.ptr),
    }
}

/// Whether the tag before the cursor has more bytes than it needs: then, and only then, its last byte is zero.
fn is_overlong(at: Cursor, cx: &Context<'_>) -> bool {
    let behind = cx.offset(at.ptr);
    cx.range(behind.saturating_sub(1)..behind) == [0]
}

/// Skips a value.
pub(crate) fn skip_value(tag: u32, at: Cursor, cx: &mut Context<'_>) -> Cursor {
    if tag >> 3 == 0 {
        return cx.failed(Fault::Tag, at.ptr);
    }
    match tag & 7 {
        wire_type::VARINT => {
            // SAFETY: behind a tag that began before the safe end.
            let (ptr, _) = unsafe { varint::read(at.ptr) };
            if ptr.is_null() {
                return cx.failed(Fault::Varint, at.ptr);
            }
            Cursor::new(ptr, at.end)
        }
        wire_type::FIXED64 => at.skip(8),
        wire_type::FIXED32 => at.skip(4),
        wire_type::LENGTH_DELIMITED => match at.length() {
            Ok((at, len)) => at.skip(len),
            Err(fault) => cx.failed(fault, at.ptr),
        },
        wire_type::START_GROUP => skip_group(tag >> 3, at, cx),
        wire_type::END_GROUP => cx.failed(Fault::EndGroup, at.ptr),
        _ => cx.failed(Fault::Tag, at.ptr),
    }
}

/// Skips a group's fields and its end tag.
#[inline(never)]
fn skip_group(number: u32, at: Cursor, cx: &mut Context<'_>) -> Cursor {
    if let Err(fault) = cx.descend() {
        return cx.failed(fault, at.ptr);
    }
    let mut r = Reader::enter(at, cx, Scope::group(number));
    loop {
        match r.whole_key() {
            Ok(Some(key)) if r.ends_group(key) => break,
            Ok(Some(key)) => {
                if r.call(|at, cx| skip_value(tag_of(key), at, cx)).is_err() {
                    return Cursor::FAILED;
                }
            }
            Ok(None) => return r.give_up(Fault::Truncated),
            Err(fault) => return r.give_up(fault),
        }
    }
    let left = r.leave();
    cx.ascend();
    left
}

/// Keeps a field whose tag was overlong with the tag as it should be.
#[cold]
fn canonical<'arena>(
    unknown: &mut UnknownFields<'arena>,
    tag: u32,
    value: Range<usize>,
    cx: &mut Context<'arena>,
) -> Result<(), Fault> {
    let value = cx.range(value);
    push_parts(unknown, u64::from(tag), None, value, cx)
}

/// Keeps a number that a closed enum does not have.
#[cold]
#[inline(never)]
pub(crate) fn push_varint<'arena>(
    unknown: &mut UnknownFields<'arena>,
    number: u32,
    value: u64,
    cx: &mut Context<'arena>,
) -> Result<(), Fault> {
    let tag = u64::from(number << 3 | wire_type::VARINT);
    push_parts(unknown, tag, Some(value), &[], cx)
}

/// Keeps bytes as a length-delimited field.
#[cold]
#[inline(never)]
pub(crate) fn push_delimited<'arena>(
    unknown: &mut UnknownFields<'arena>,
    number: u32,
    bytes: &[u8],
    cx: &mut Context<'arena>,
) -> Result<(), Fault> {
    let tag = u64::from(number << 3 | wire_type::LENGTH_DELIMITED);
    push_parts(unknown, tag, Some(bytes.len() as u64), bytes, cx)
}

/// Keeps a field put together from a tag, a varint and bytes.
pub(crate) fn push_parts<'arena>(
    unknown: &mut UnknownFields<'arena>,
    tag: u64,
    number: Option<u64>,
    bytes: &[u8],
    cx: &mut Context<'arena>,
) -> Result<(), Fault> {
    if !cx.keeps_unknown() {
        return Ok(());
    }
    let mut head = [0; 20];
    let mut len = put_varint(&mut head, 0, tag);
    if let Some(number) = number {
        len = put_varint(&mut head, len, number);
    }
    let total = len + bytes.len();
    cx.keep_unknown_bytes(total)?;
    let field = cx.alloc_array::<u8>(total)?;
    // SAFETY: `total` is at least `len`; fresh memory.
    unsafe { field.as_ptr().copy_from_nonoverlapping(head.as_ptr(), len) };
    // SAFETY: the rest of the fresh memory.
    unsafe { field.as_ptr().add(len).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    // SAFETY: `total` bytes written just now, in the arena, not written to again.
    let span = unsafe { core::slice::from_raw_parts(field.as_ptr(), total) };
    unknown.push(span, cx)
}

fn put_varint(bytes: &mut [u8; 20], mut at: usize, mut value: u64) -> usize {
    // Two varints always fit.
    while let Some(byte) = bytes.get_mut(at) {
        at += 1;
        *byte = value as u8 & 0x7f;
        value >>= 7;
        if value == 0 {
            break;
        }
        *byte |= 0x80;
    }
    at
}

impl PartialEq for UnknownFields<'_> {
    /// Whether the bytes are the same, however they are cut into spans.
    fn eq(&self, other: &Self) -> bool {
        let (mut left, mut right) = (self.backward(), other.backward());
        let (mut a, mut b): (&[u8], &[u8]) = (&[], &[]);
        loop {
            if a.is_empty() {
                a = left.next().unwrap_or(&[]);
            }
            if b.is_empty() {
                b = right.next().unwrap_or(&[]);
            }
            let len = a.len().min(b.len());
            if len == 0 {
                return a.is_empty() && b.is_empty();
            }
            let (a_front, a_tail) = a.split_at(a.len() - len);
            let (b_front, b_tail) = b.split_at(b.len() - len);
            if a_tail != b_tail {
                return false;
            }
            (a, b) = (a_front, b_front);
        }
    }
}

impl Eq for UnknownFields<'_> {}

impl fmt::Debug for UnknownFields<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.spans()).finish()
    }
}
