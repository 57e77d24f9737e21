//! The cursor.
//!
//! A [`Reader`] is a local of a message's decode function. Its methods are `inline(always)` and no function ever
//! gets a reference to it, so its fields live in registers; whatever is out of line takes a [`Cursor`] by value
//! and returns one.
#![expect(unsafe_code, reason = "reads into the slack and checks the end once per field")]

use super::context::{Context, Fault};
use super::{utf8, varint};

/// A position and the end of the message it is in; both in registers when passed and returned.
///
/// A null position means failure, recorded in the context.
///
/// Invariant: unless null, `ptr` lies in the context's window with `end` at most at the end of the input; `ptr` may
/// lie behind `end` by less than `SLACK` bytes, which the next look at the end reports.
#[derive(Clone, Copy, Debug)]
pub struct Cursor {
    pub(crate) ptr: *const u8,
    pub(crate) end: *const u8,
}

impl Cursor {
    pub(crate) const FAILED: Cursor = Cursor { ptr: core::ptr::null(), end: core::ptr::null() };

    #[inline(always)]
    pub(crate) const fn new(ptr: *const u8, end: *const u8) -> Self {
        Cursor { ptr, end }
    }

    #[inline(always)]
    pub(crate) fn is_failed(self) -> bool {
        self.ptr.is_null()
    }

    /// Bytes before the end; `None` behind it.
    #[inline(always)]
    pub(crate) fn left(self) -> Option<usize> {
        self.end.addr().checked_sub(self.ptr.addr())
    }

    /// Reads a length and checks that so many bytes are left: the cursor behind the length, and the length.
    #[inline(always)]
    pub(crate) fn length(self) -> Result<(Cursor, usize), Fault> {
        // SAFETY: reading began before the window's safe end, at most five bytes ago.
        let (ptr, len) = unsafe { varint::read(self.ptr) };
        if ptr.is_null() {
            return Err(Fault::Varint);
        }
        let at = Cursor { ptr, end: self.end };
        // Behind the end, the difference is huge as unsigned and negative as signed.
        let left = at.end.addr().wrapping_sub(at.ptr.addr()) as isize;
        match usize::try_from(len) {
            Ok(len) if (len as isize) >= 0 && len as isize <= left => Ok((at, len)),
            _ => Err(Fault::Truncated),
        }
    }

    /// The cursor `len` bytes on, a length that was checked against the end.
    #[inline(always)]
    pub(crate) fn skip(self, len: usize) -> Cursor {
        Cursor { ptr: self.ptr.wrapping_add(len), end: self.end }
    }

    /// Reads may begin before here.
    #[inline(always)]
    pub(crate) fn safe_end(self, cx: &Context<'_>) -> *const u8 {
        limit(self.end, cx)
    }

    /// Whether the next tag of this message is the expected one; `false` wherever that is not cheap to know.
    #[inline(always)]
    pub(crate) fn next_is(self, expected: super::tag::TagBytes, cx: &Context<'_>) -> bool {
        if self.ptr >= limit(self.end, cx) {
            return false;
        }
        // SAFETY: before the safe end, so SLACK bytes are readable; alignment is not needed.
        let found = u32::from_le(unsafe { self.ptr.cast::<u32>().read_unaligned() });
        expected.matches(found)
    }
}

/// Where a cursor has to look up: at its end or where the slack is used up.
#[inline(always)]
fn limit(end: *const u8, cx: &Context<'_>) -> *const u8 {
    if end < cx.safe_end { end } else { cx.safe_end }
}

/// How a message is enclosed, and whether it already has content.
#[derive(Clone, Copy, Debug)]
pub struct Scope {
    /// The tag that ends the group, or 0.
    end_tag: u32,
    merge: bool,
}

impl Scope {
    /// A message that ends where its bytes end.
    #[inline(always)]
    pub(crate) const fn message() -> Self {
        Scope { end_tag: 0, merge: false }
    }

    /// A group of the given field number.
    #[inline(always)]
    pub(crate) const fn group(number: u32) -> Self {
        Scope { end_tag: number << 3 | super::tag::wire_type::END_GROUP, merge: false }
    }

    /// The same, for a message that already has content.
    #[inline(always)]
    pub(crate) const fn merging(self, merge: bool) -> Self {
        Scope { merge, ..self }
    }

    /// Whether fields that are missing on the wire may have been set before.
    #[inline(always)]
    #[must_use]
    pub const fn is_merge(self) -> bool {
        self.merge
    }
}

/// Reads the fields of one message.
#[derive(Debug)]
pub struct Reader<'r, 'arena> {
    ptr: *const u8,
    end: *const u8,
    /// `min(end, cx.safe_end)`: a read that begins before it has SLACK readable bytes.
    limit: *const u8,
    end_tag: u32,
    pub(crate) cx: &'r mut Context<'arena>,
}

impl<'r, 'arena> Reader<'r, 'arena> {
    /// Begins to read a message.
    #[inline(always)]
    pub fn enter(at: Cursor, cx: &'r mut Context<'arena>, scope: Scope) -> Self {
        Reader { ptr: at.ptr, end: at.end, limit: limit(at.end, cx), end_tag: scope.end_tag, cx }
    }

    /// Goes on reading in the middle of a message, directly behind a tag.
    #[inline(always)]
    pub fn resume(at: Cursor, cx: &'r mut Context<'arena>) -> Self {
        Self::enter(at, cx, Scope::message())
    }

    /// Where the reader stands.
    #[inline(always)]
    pub(crate) fn cursor(&self) -> Cursor {
        Cursor { ptr: self.ptr, end: self.end }
    }

    #[inline(always)]
    fn set(&mut self, at: Cursor) {
        self.ptr = at.ptr;
        self.end = at.end;
        self.limit = limit(at.end, self.cx);
    }

    /// The next tag, or `None` at the end of the message.
    ///
    /// # Errors
    /// [`Fault`] when the previous field or the tag runs over the end, or the tag is malformed.
    #[inline(always)]
    pub fn tag(&mut self) -> Result<Option<u32>, Fault> {
        if self.ptr >= self.limit {
            if self.ptr == self.end {
                return if self.end_tag == 0 { Ok(None) } else { Err(Fault::Truncated) };
            }
            let at = self.cx.refill(self.cursor());
            if at.is_failed() {
                return Err(Fault::Recorded);
            }
            self.set(at);
        }
        // SAFETY: before the limit, so SLACK bytes are readable from here.
        let first = unsafe { *self.ptr };
        if first < 0x80 {
            // SAFETY: at most at the end of the readable bytes.
            self.ptr = unsafe { self.ptr.add(1) };
            return Ok(Some(u32::from(first)));
        }
        // SAFETY: as above.
        let second = unsafe { *self.ptr.add(1) };
        if second < 0x80 {
            // SAFETY: as above.
            self.ptr = unsafe { self.ptr.add(2) };
            // The first byte's high bit is set, so it is subtracted; a sum takes fewer instructions than a mask.
            return Ok(Some((u32::from(second) << 7) + u32::from(first) - 0x80));
        }
        // SAFETY: as above.
        let (ptr, tag) = unsafe { long_tag(self.ptr) };
        if ptr.is_null() {
            return Err(Fault::Tag);
        }
        self.ptr = ptr;
        Ok(Some(tag))
    }

    /// A varint.
    #[inline(always)]
    pub(crate) fn varint(&mut self) -> Result<u64, Fault> {
        // SAFETY: a value begins at most five bytes behind a position before the limit, so ten are readable.
        let (ptr, value) = unsafe { varint::read(self.ptr) };
        if ptr.is_null() {
            return Err(Fault::Varint);
        }
        self.ptr = ptr;
        Ok(value)
    }

    /// Four bytes.
    #[inline(always)]
    pub(crate) fn fixed32(&mut self) -> u32 {
        // SAFETY: as in `varint`; alignment is not needed.
        let value = unsafe { self.ptr.cast::<u32>().read_unaligned() };
        self.ptr = self.ptr.wrapping_add(4);
        u32::from_le(value)
    }

    /// Eight bytes.
    #[inline(always)]
    pub(crate) fn fixed64(&mut self) -> u64 {
        // SAFETY: as in `varint`; alignment is not needed.
        let value = unsafe { self.ptr.cast::<u64>().read_unaligned() };
        self.ptr = self.ptr.wrapping_add(8);
        u64::from_le(value)
    }

    /// A length and so many bytes, borrowed from the input.
    #[inline(always)]
    pub(crate) fn bytes(&mut self) -> Result<&'arena [u8], Fault> {
        let (at, len) = self.cursor().length()?;
        // SAFETY: `length` checked that `len` bytes are left.
        let bytes = unsafe { self.cx.slice(at.ptr, len) };
        self.ptr = at.skip(len).ptr;
        Ok(bytes)
    }

    /// A length and so many bytes of UTF-8, borrowed from the input.
    #[inline(always)]
    pub(crate) fn string(&mut self) -> Result<&'arena str, Fault> {
        let (at, text) = read_string(self.cursor(), self.cx)?;
        self.ptr = at.ptr;
        Ok(text)
    }

    /// Runs out-of-line code that goes on from here.
    #[inline(always)]
    pub(crate) fn call(&mut self, f: impl FnOnce(Cursor, &mut Context<'arena>) -> Cursor) -> Result<(), Fault> {
        let at = f(self.cursor(), self.cx);
        if at.is_failed() {
            return Err(Fault::Recorded);
        }
        self.set(at);
        Ok(())
    }

    /// Whether a tag is the one that ends this group.
    #[inline(always)]
    pub(crate) fn ends_group(&self, tag: u32) -> bool {
        tag == self.end_tag && tag != 0
    }

    /// Ends the message: where its encloser goes on.
    #[inline(always)]
    #[must_use]
    pub fn leave(self) -> Cursor {
        self.cursor()
    }

    /// Gives the cursor back to the message that [`resume`](Self::resume) took it from.
    #[inline(always)]
    #[must_use]
    pub fn yield_back(self) -> Cursor {
        self.cursor()
    }

    /// Records a fault; the message that called adds the field's name.
    #[cold]
    #[must_use]
    pub fn give_up(self, fault: Fault) -> Cursor {
        self.cx.failed(fault, self.ptr)
    }
}

/// Reads a string behind its tag.
#[inline(always)]
pub(crate) fn read_string<'arena>(at: Cursor, cx: &mut Context<'arena>) -> Result<(Cursor, &'arena str), Fault> {
    let (at, len) = at.length()?;
    let behind = at.skip(len);
    let valid = if cx.has_slack(behind.ptr) {
        // SAFETY: SLACK bytes are readable behind the string.
        unsafe { utf8::is_valid_with_slack(at.ptr, len) }
    } else {
        // SAFETY: `length` checked that `len` bytes are left.
        utf8::is_valid(unsafe { core::slice::from_raw_parts(at.ptr, len) })
    };
    if !valid {
        return Err(invalid_utf8(at, len, cx));
    }
    // SAFETY: `length` checked that `len` bytes are left.
    let bytes = unsafe { cx.slice(at.ptr, len) };
    // SAFETY: validated just now; a cursor in a copy of the tail reads the same bytes as the input has.
    Ok((behind, unsafe { core::str::from_utf8_unchecked(bytes) }))
}

/// Records where a string goes wrong.
#[cold]
#[inline(never)]
fn invalid_utf8(at: Cursor, len: usize, cx: &mut Context<'_>) -> Fault {
    // SAFETY: the caller's `length` checked that `len` bytes are left.
    let bytes = unsafe { cx.slice(at.ptr, len) };
    let valid = core::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
    let _ = cx.failed(Fault::Utf8, at.ptr.wrapping_add(valid));
    Fault::Recorded
}

/// Reads a tag of three to five bytes: the position behind it, or null.
///
/// # Safety
/// SLACK bytes are readable at `ptr`.
#[cold]
#[inline(never)]
unsafe fn long_tag(ptr: *const u8) -> (*const u8, u32) {
    // SAFETY: SLACK is more than ten.
    let (behind, value) = unsafe { varint::read_multi(ptr) };
    // Null is before every address.
    if behind.addr() > ptr.addr() + 5 {
        return (core::ptr::null(), 0);
    }
    match u32::try_from(value) {
        Ok(tag) => (behind, tag),
        Err(_) => (core::ptr::null(), 0),
    }
}
