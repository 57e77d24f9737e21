//! The cursor.
//!
//! A [`Reader`] is a local of a message's decode function. Its methods are `inline(always)` and no function ever
//! gets a reference to it, so its fields live in registers; whatever is out of line takes a [`Cursor`] by value
//! and returns one.
#![expect(unsafe_code, reason = "reads into the slack and checks the end once per field")]

use super::context::{Context, Fault};
use super::{tag, utf8, varint};

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

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) const fn new(ptr: *const u8, end: *const u8) -> Self {
        Cursor { ptr, end }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn is_failed(self) -> bool {
        self.ptr.is_null()
    }

    /// Bytes before the end; `None` behind it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn left(self) -> Option<usize> {
        self.end.addr().checked_sub(self.ptr.addr())
    }

    /// Reads a length and checks that so many bytes are left: the cursor behind the length, and the length.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn length(self) -> Result<(Cursor, usize), Fault> {
        // SAFETY: reading began before the window's safe end, at most five bytes ago.
        let (ptr, len) = unsafe { read_length(self.ptr) };
        let at = Cursor { ptr, end: self.end };
        // As signed numbers: behind the end, what is left is negative. A malformed length is the longest there is.
        let left = at.end.addr().wrapping_sub(at.ptr.addr()) as isize;
        if len as isize > left {
            return Err(if ptr.is_null() { Fault::Varint } else { Fault::Truncated });
        }
        Ok((at, len))
    }

    /// The cursor `len` bytes on, a length that was checked against the end.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn skip(self, len: usize) -> Cursor {
        Cursor { ptr: self.ptr.wrapping_add(len), end: self.end }
    }

    /// Reads a length, if it is `expected`, and what it says how long it is: the cursor behind that, and the bytes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn delimited<'s>(self, expected: usize, _: &'s Context<'_>) -> Option<(Cursor, &'s [u8])> {
        let (at, len) = self.length().ok()?;
        if len != expected {
            return None;
        }
        // SAFETY: so many bytes lie before the end, as `length` found; by the invariant they are input, in the window that
        // the context keeps.
        Some((at.skip(len), unsafe { core::slice::from_raw_parts(at.ptr, len) }))
    }

    /// Reads may begin before here.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn safe_end(self, cx: &Context<'_>) -> *const u8 {
        limit(self.end, cx)
    }

    /// Whether the next tag of this message is the expected one; `false` wherever that is not cheap to know.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn next_is(self, expected: tag::TagBytes, cx: &Context<'_>) -> bool {
        if self.ptr >= limit(self.end, cx) {
            return false;
        }
        // SAFETY: before the safe end, so SLACK bytes are readable; alignment is not needed.
        let found = u32::from_le(unsafe { self.ptr.cast::<u32>().read_unaligned() });
        expected.matches(found)
    }
}

/// Reads a length of one or two bytes: the position behind it and the length; `None` if it has more.
///
/// # Safety
/// Two bytes are readable at `ptr`.
#[cfg_attr(not(debug_assertions), inline(always))]
unsafe fn read_short_length(ptr: *const u8) -> Option<(*const u8, usize)> {
    // SAFETY: the first of two readable bytes.
    let first = unsafe { *ptr };
    if first < 0x80 {
        return Some((ptr.wrapping_add(1), usize::from(first)));
    }
    // SAFETY: the second of two readable bytes.
    let second = unsafe { *ptr.add(1) };
    (second < 0x80).then(|| (ptr.wrapping_add(2), (usize::from(second) << 7) + usize::from(first) - 0x80))
}

/// Reads a length: the position behind it and the length, which is no more than `isize::MAX`. A malformed one is
/// null and `isize::MAX`.
///
/// # Safety
/// Ten bytes are readable at `ptr`.
#[cfg_attr(not(debug_assertions), inline(always))]
unsafe fn read_length(ptr: *const u8) -> (*const u8, usize) {
    // SAFETY: as required of the caller.
    if let Some(read) = unsafe { read_short_length(ptr) } {
        return read;
    }
    // SAFETY: as required of the caller.
    unsafe { read_long_length(ptr) }
}

/// # Safety
/// Ten bytes are readable at `ptr`.
#[cold]
#[inline(never)]
unsafe fn read_long_length(ptr: *const u8) -> (*const u8, usize) {
    // SAFETY: as required of the caller.
    let (behind, len) = unsafe { varint::read_multi(ptr) };
    let longest = isize::MAX as usize;
    let len = if behind.is_null() { longest } else { usize::try_from(len).unwrap_or(longest).min(longest) };
    (behind, len)
}

/// Where a cursor has to look up: at its end or where the slack is used up.
#[cfg_attr(not(debug_assertions), inline(always))]
fn limit(end: *const u8, cx: &Context<'_>) -> *const u8 {
    if end < cx.safe_end { end } else { cx.safe_end }
}

/// How a message is enclosed, and whether it already has content.
#[derive(Clone, Copy, Debug)]
pub struct Scope {
    /// The key of the tag that ends the group, or 0.
    end_key: u64,
    merge: bool,
}

impl Scope {
    /// A message that ends where its bytes end.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) const fn message() -> Self {
        Scope { end_key: 0, merge: false }
    }

    /// A group of the given field number.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) const fn group(number: u32) -> Self {
        Scope { end_key: tag::key(number << 3 | tag::wire_type::END_GROUP), merge: false }
    }

    /// The same, for a message that already has content.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) const fn merging(self, merge: bool) -> Self {
        Scope { merge, ..self }
    }

    /// Whether fields that are missing on the wire may have been set before.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) const fn is_merge(self) -> bool {
        self.merge
    }
}

/// Reads the fields of one message.
#[derive(Debug)]
pub struct Reader<'r, 'arena> {
    ptr: *const u8,
    end: *const u8,
    /// `min(end, cx.safe_end)`: a read that begins before it has SLACK readable bytes. Null if the context has a key to
    /// give again.
    limit: *const u8,
    end_key: u64,
    pub(crate) cx: &'r mut Context<'arena>,
}

impl<'r, 'arena> Reader<'r, 'arena> {
    /// Begins to read a message.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn enter(at: Cursor, cx: &'r mut Context<'arena>, scope: Scope) -> Self {
        Reader { ptr: at.ptr, end: at.end, limit: limit(at.end, cx), end_key: scope.end_key, cx }
    }

    /// Goes on reading in the middle of a message, directly behind a tag.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn resume(at: Cursor, cx: &'r mut Context<'arena>) -> Self {
        Self::enter(at, cx, Scope::message())
    }

    /// Where the reader stands.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn cursor(&self) -> Cursor {
        Cursor { ptr: self.ptr, end: self.end }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn set(&mut self, at: Cursor) {
        self.ptr = at.ptr;
        self.end = at.end;
        self.limit = limit(at.end, self.cx);
    }

    /// The first byte of the next tag, or `None` at the end of the message. Below 0x80 it is the tag's whole key.
    ///
    /// # Errors
    /// [`Fault`] when the previous field runs over the end.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn first(&mut self) -> Result<Option<u64>, Fault> {
        if self.ptr >= self.limit {
            if self.limit.is_null() {
                self.limit = limit(self.end, self.cx);
                return Ok(Some(self.cx.again));
            }
            if self.ptr == self.end {
                return if self.end_key == 0 { Ok(None) } else { Err(Fault::Truncated) };
            }
            let at = self.cx.refill(self.cursor());
            if at.is_failed() {
                return Err(Fault::Recorded);
            }
            self.set(at);
        }
        // SAFETY: before the limit, so SLACK bytes are readable from here.
        let first = unsafe { *self.ptr };
        // SAFETY: at most at the end of the readable bytes.
        self.ptr = unsafe { self.ptr.add(1) };
        Ok(Some(u64::from(first)))
    }

    /// The key of a tag whose first byte is 0x80 or more.
    ///
    /// Of a tag of three bytes or more, and of one that has more bytes than it needs, these are the first two bytes
    /// only, which are no field's key; [`other`](Self::other) completes it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn second(&mut self) -> u64 {
        // SAFETY: `first` went one byte on from a position with SLACK readable bytes.
        let start = unsafe { self.ptr.sub(1) };
        // SAFETY: as above; alignment is not needed.
        let key = u16::from_le(unsafe { start.cast::<u16>().read_unaligned() });
        // SAFETY: as above.
        self.ptr = unsafe { self.ptr.add(1) };
        u64::from(key)
    }

    /// Has [`first`](Self::first) give this key next.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn replay(&mut self, key: u64) {
        self.cx.again = key;
        // Before every position, so that the next look at it finds the key.
        self.limit = core::ptr::null();
    }

    /// The next tag's whole key, or `None` at the end of the message.
    ///
    /// # Errors
    /// [`Fault`] when the previous field runs over the end or the tag is malformed.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn whole_key(&mut self) -> Result<Option<u64>, Fault> {
        match self.first()? {
            Some(0x80..) => {
                let key = self.second();
                if tag::is_whole(key) { Ok(Some(key)) } else { self.complete_key().map(Some) }
            }
            first => Ok(first),
        }
    }

    /// The whole key of a tag whose first two bytes [`second`](Self::second) read.
    ///
    /// # Errors
    /// [`Fault::Tag`] when it has more than five bytes or 32 bits.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn complete_key(&mut self) -> Result<u64, Fault> {
        let start = self.ptr.wrapping_sub(2);
        // SAFETY: the tag began before the limit, so SLACK bytes are readable from there.
        let (behind, key) = unsafe { long_key(start) };
        if behind.is_null() {
            self.ptr = start;
            return Err(Fault::Tag);
        }
        self.ptr = behind;
        Ok(key)
    }

    /// A varint.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn varint(&mut self) -> Result<u64, Fault> {
        let mut value = 0;
        self.varint_into(|read| value = read)?;
        Ok(value)
    }

    /// A varint, handed on in a branch of its own for each length: where they join, the value would have to be in the
    /// same register, and a jump leads there.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn varint_into(&mut self, mut put: impl FnMut(u64)) -> Result<(), Fault> {
        // Each length returns on its own: joined, they would all check for the null that only the last can give.
        // SAFETY: a value begins at most five bytes behind a position before the limit, so ten are readable.
        let first = unsafe { *self.ptr };
        if first < 0x80 {
            self.ptr = self.ptr.wrapping_add(1);
            put(u64::from(first));
            return Ok(());
        }
        // SAFETY: as above.
        let second = unsafe { *self.ptr.add(1) };
        if second < 0x80 {
            self.ptr = self.ptr.wrapping_add(2);
            // High bits that are set are subtracted: a sum takes fewer instructions than masks.
            put((u64::from(second) << 7) + u64::from(first) - 0x80);
            return Ok(());
        }
        // SAFETY: as above.
        let third = unsafe { *self.ptr.add(2) };
        if third < 0x80 {
            self.ptr = self.ptr.wrapping_add(3);
            put((u64::from(third) << 14) + (u64::from(second) << 7) + u64::from(first) - 0x4080);
            return Ok(());
        }
        // SAFETY: as above.
        let (ptr, value) = unsafe { varint::read_multi(self.ptr) };
        if ptr.is_null() {
            return Err(Fault::Varint);
        }
        self.ptr = ptr;
        put(value);
        Ok(())
    }

    /// Four bytes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn fixed32(&mut self) -> u32 {
        // SAFETY: as in `varint`; alignment is not needed.
        let value = unsafe { self.ptr.cast::<u32>().read_unaligned() };
        self.ptr = self.ptr.wrapping_add(4);
        u32::from_le(value)
    }

    /// Eight bytes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn fixed64(&mut self) -> u64 {
        // SAFETY: as in `varint`; alignment is not needed.
        let value = unsafe { self.ptr.cast::<u64>().read_unaligned() };
        self.ptr = self.ptr.wrapping_add(8);
        u64::from_le(value)
    }

    /// A length and so many bytes, borrowed from the input.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn bytes(&mut self) -> Result<&'arena [u8], Fault> {
        self.delimited::<true>(|_, _| true).map(|(bytes, _)| bytes)
    }

    /// The same of a message, which no limit of strings holds for.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn message_bytes(&mut self) -> Result<&'arena [u8], Fault> {
        self.delimited::<false>(|_, _| true).map(|(bytes, _)| bytes)
    }

    /// A length and so many bytes of UTF-8, borrowed from the input.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn string(&mut self) -> Result<&'arena str, Fault> {
        match self.text()? {
            Text::Valid(text) => Ok(text),
            Text::Invalid(bytes) => Err(invalid_utf8(bytes, self.cursor(), self.cx)),
        }
    }

    /// A length and so many bytes that should be UTF-8, borrowed from the input.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn text(&mut self) -> Result<Text<'arena>, Fault> {
        // SAFETY: `delimited` calls it for readable bytes with the slack behind them.
        let (bytes, ascii) = self.delimited::<true>(|ptr, len| unsafe { utf8::is_ascii_at(ptr, len) })?;
        if !ascii && !utf8::is_valid(bytes) {
            return Ok(Text::Invalid(bytes));
        }
        // SAFETY: validated just now; a cursor in a copy of the tail reads the same bytes as the input has.
        Ok(Text::Valid(unsafe { core::str::from_utf8_unchecked(bytes) }))
    }

    /// A length and so many bytes, borrowed from the input, and what a look at them says: at a position with so many
    /// readable bytes and the slack behind them. `false` where it was not looked, because the slack or the message may
    /// end there, or the length is a long one. `STRING` says that the limit of strings holds.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn delimited<const STRING: bool>(
        &mut self,
        look: impl FnOnce(*const u8, usize) -> bool,
    ) -> Result<(&'arena [u8], bool), Fault> {
        // SAFETY: a length begins at most five bytes behind a position before the limit, so ten are readable.
        if let Some((ptr, len)) = unsafe { read_short_length(self.ptr) } {
            // One comparison for the end of the message, for that of the slack and for the longest string; signed, as the
            // length may end behind it.
            if len as isize <= self.limit.addr().wrapping_sub(ptr.addr()) as isize {
                // SAFETY: `len` bytes are left.
                let bytes = unsafe { self.cx.slice(ptr, len) };
                self.ptr = ptr.wrapping_add(len);
                return Ok((bytes, look(ptr, len)));
            }
        }
        let (at, bytes) = delimited_at_end(self.cursor(), STRING, self.cx);
        if at.is_failed() {
            return Err(Fault::Recorded);
        }
        self.ptr = at.ptr;
        Ok((bytes, false))
    }

    /// Runs out-of-line code that goes on from here.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn call(&mut self, f: impl FnOnce(Cursor, &mut Context<'arena>) -> Cursor) -> Result<(), Fault> {
        let at = f(self.cursor(), self.cx);
        if at.is_failed() {
            return Err(Fault::Recorded);
        }
        self.set(at);
        Ok(())
    }

    /// Whether a key is that of the tag that ends this group.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn ends_group(&self, key: u64) -> bool {
        key == self.end_key && key != 0
    }

    /// Ends the message: where its encloser goes on.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[must_use]
    pub fn leave(self) -> Cursor {
        self.cursor()
    }

    /// Gives the cursor back to the message that [`resume`](Self::resume) took it from.
    #[cfg_attr(not(debug_assertions), inline(always))]
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

/// What stands where a string is expected.
pub(crate) enum Text<'arena> {
    Valid(&'arena str),
    /// Not UTF-8.
    Invalid(&'arena [u8]),
}

/// Reads a length and so many bytes where they may end behind the safe end or the message, or have a length of more than
/// two bytes: the cursor behind them, null for a fault, and the bytes.
#[cold]
#[inline(never)]
fn delimited_at_end<'arena>(at: Cursor, string: bool, cx: &mut Context<'arena>) -> (Cursor, &'arena [u8]) {
    match at.length() {
        Ok((_, len)) if string && len > cx.limits().string as usize => (cx.failed(Fault::Length, at.ptr), &[]),
        // SAFETY: `length` checked that `len` bytes are left.
        Ok((begin, len)) => (begin.skip(len), unsafe { cx.slice(begin.ptr, len) }),
        Err(fault) => (cx.failed(fault, at.ptr), &[]),
    }
}

/// Records where a string goes wrong.
#[cold]
#[inline(never)]
fn invalid_utf8(bytes: &[u8], behind: Cursor, cx: &mut Context<'_>) -> Fault {
    let valid = core::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
    let _ = cx.failed(Fault::Utf8, behind.ptr.wrapping_sub(bytes.len() - valid));
    Fault::Recorded
}

/// Reads a tag of one to five bytes: the position behind it, or null, and the key of the tag it stands for.
///
/// # Safety
/// SLACK bytes are readable at `ptr`.
#[cold]
#[inline(never)]
unsafe fn long_key(ptr: *const u8) -> (*const u8, u64) {
    // SAFETY: SLACK is more than ten.
    let (behind, value) = unsafe { varint::read_multi(ptr) };
    // Null is before every address.
    if behind.addr() > ptr.addr() + 5 {
        return (core::ptr::null(), 0);
    }
    match u32::try_from(value) {
        Ok(tag) => (behind, tag::key(tag)),
        Err(_) => (core::ptr::null(), 0),
    }
}
