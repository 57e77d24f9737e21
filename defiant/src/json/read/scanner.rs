//! The words of JSON: <https://www.rfc-editor.org/rfc/rfc8259>.
#![expect(unsafe_code, reason = "cuts strings at their quotes")]

use core::ops::Range;

use super::types::TYPE;
use crate::json::error::{Fail, Reason};
use crate::json::scan;
use crate::reflect::Store;

/// A text, and a place in it.
pub(super) struct Scanner<'s, 'arena> {
    pub(super) text: &'arena str,
    /// Bytes from the start.
    pub(super) at: usize,
    pub(super) store: &'s Store<'arena>,
    /// Levels of objects and arrays that may still be entered.
    pub(super) levels: u32,
}

impl<'s, 'arena> Scanner<'s, 'arena> {
    pub(super) fn new(text: &'arena str, store: &'s Store<'arena>, recursion_limit: u32) -> Self {
        // The outermost object is no level inside of it.
        Scanner { text, at: 0, store, levels: recursion_limit.saturating_add(1) }
    }

    #[inline]
    pub(super) fn bytes(&self) -> &'arena [u8] {
        self.text.as_bytes()
    }

    /// The next byte; 0, which no valid text has outside of strings, at the end.
    #[inline]
    pub(super) fn peek(&self) -> u8 {
        self.bytes().get(self.at).copied().unwrap_or(0)
    }

    /// Passes white space.
    #[inline]
    pub(super) fn space(&mut self) {
        if self.peek() <= b' ' {
            self.long_space();
        }
    }

    #[inline(never)]
    fn long_space(&mut self) {
        const SPACES: [u8; 8] = [b' '; 8];
        let bytes = self.bytes();
        let mut at = self.at;
        while bytes.get(at).is_some_and(|byte| matches!(byte, b' ' | b'\n' | b'\r' | b'\t')) {
            at += 1;
            if bytes.get(at..).is_some_and(|rest| rest.first_chunk() == Some(&SPACES)) {
                at += 8;
            }
        }
        self.at = at;
    }

    #[cold]
    #[inline(never)]
    pub(super) fn syntax(&self, what: &'static str) -> Fail {
        let truncated = self.at >= self.text.len();
        Fail::at(Reason::Syntax(if truncated { "the text ends too early" } else { what }), self.at)
    }

    /// JSON of another kind than what is expected, or no JSON at all.
    #[cold]
    #[inline(never)]
    pub(super) fn unexpected(&self, what: &'static str) -> Fail {
        // It is a value only if all of it is one.
        let mut scanner = Scanner { ..*self };
        let token = match self.peek() {
            b'{' | b'[' => Ok(()),
            b'"' => scanner.skip_string(),
            _ => scanner.skip().map_err(|_| self.syntax(what)),
        };
        token.err().unwrap_or_else(|| Fail::at(Reason::Value(what), self.at))
    }

    /// Nothing but white space is left.
    pub(super) fn end(&mut self) -> Result<(), Fail> {
        self.space();
        if self.at == self.text.len() { Ok(()) } else { Err(self.syntax("more behind the end of the value")) }
    }

    /// Enters an object or an array.
    #[inline]
    pub(super) fn open(&mut self, bracket: u8, expected: &'static str) -> Result<(), Fail> {
        if self.peek() != bracket {
            return Err(self.unexpected(expected));
        }
        if self.levels == 0 {
            return Err(Fail::at(Reason::Recursion, self.at));
        }
        self.levels -= 1;
        self.at += 1;
        self.space();
        Ok(())
    }

    /// Leaves an object or an array if it is empty.
    #[inline]
    pub(super) fn closes(&mut self, bracket: u8) -> bool {
        let closes = self.peek() == bracket;
        if closes {
            self.at += 1;
            self.levels += 1;
        }
        closes
    }

    /// Passes the comma before another element, or leaves the object or array: whether one follows.
    #[inline]
    pub(super) fn follows(&mut self, bracket: u8) -> Result<bool, Fail> {
        self.space();
        let next = self.peek();
        if next == b',' {
            self.at += 1;
            self.space();
            return Ok(true);
        }
        if next != bracket {
            return Err(self.syntax("expected a comma or a closing bracket"));
        }
        self.at += 1;
        self.levels += 1;
        Ok(false)
    }

    /// A key and its colon, up to the value.
    pub(super) fn key(&mut self) -> Result<&'arena str, Fail> {
        if self.peek() != b'"' {
            return Err(self.syntax("expected a key in double quotes"));
        }
        let key = self.string()?;
        self.space();
        if self.peek() != b':' {
            return Err(self.syntax("expected a colon"));
        }
        self.at += 1;
        self.space();
        Ok(key)
    }

    /// `null`, `true` or `false`.
    pub(super) fn literal(&mut self, word: &'static str) -> Result<(), Fail> {
        let rest = &self.bytes()[self.at..];
        let ends = |byte: &u8| !byte.is_ascii_alphanumeric();
        if !rest.starts_with(word.as_bytes()) || !rest.get(word.len()).is_none_or(ends) {
            return Err(self.syntax("expected a value"));
        }
        self.at += word.len();
        Ok(())
    }

    /// A string, borrowed from the text if nothing in it is escaped.
    #[inline]
    pub(super) fn string(&mut self) -> Result<&'arena str, Fail> {
        if self.peek() != b'"' {
            return Err(self.unexpected("expected a string"));
        }
        let start = self.at + 1;
        let end = start + scan::plain_len(self.bytes(), start);
        if self.bytes().get(end) == Some(&b'"') {
            self.at = end + 1;
            // SAFETY: what is between two quotes, which are characters of one byte.
            return Ok(unsafe { self.text.get_unchecked(start..end) });
        }
        self.escaped(start, end)
    }

    /// The same as a value, which may not be longer than strings are allowed to be.
    #[inline]
    pub(super) fn value_string(&mut self) -> Result<&'arena str, Fail> {
        let string = self.string()?;
        self.store.admit(string.len())?;
        Ok(string)
    }

    /// A string from `start` on, with something special at `at`.
    #[inline(never)]
    fn escaped(&mut self, start: usize, at: usize) -> Result<&'arena str, Fail> {
        let (raw, end) = (self.bytes(), self.end_of_string(at)?);
        // What is escaped is longer than what it stands for.
        let out = self.store.zeroed(end - start)?;
        let (mut from, mut len, mut plain) = (start, 0, at - start);
        loop {
            out[len..len + plain].copy_from_slice(&raw[from..from + plain]);
            (from, len) = (from + plain, len + plain);
            if from == end {
                break;
            }
            self.at = from;
            let (character, escaped) = self.escape()?;
            len += character.encode_utf8(&mut out[len..]).len();
            from += escaped;
            plain = scan::plain_len(raw, from);
        }
        self.at = end + 1;
        // Pieces of a string and whole characters, so never an error.
        core::str::from_utf8(&out[..len]).map_err(|_| self.syntax("invalid UTF-8"))
    }

    /// Where the quote is that ends a string, something special of which is at `at`.
    fn end_of_string(&mut self, mut at: usize) -> Result<usize, Fail> {
        let bytes = self.bytes();
        loop {
            self.at = at;
            match bytes.get(at) {
                Some(b'"') => return Ok(at),
                Some(b'\\') => at += 2,
                Some(_) => return Err(self.syntax("control character in a string")),
                None => {
                    self.at = bytes.len();
                    return Err(self.syntax(""));
                }
            }
            at = at.min(bytes.len());
            at += scan::plain_len(bytes, at);
        }
    }

    /// What stands behind the backslash that is next, and how many bytes it takes with it.
    fn escape(&self) -> Result<(char, usize), Fail> {
        let character = match self.bytes().get(self.at + 1) {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode(),
            _ => return Err(self.syntax("no such escape")),
        };
        Ok((character, 2))
    }

    fn unicode(&self) -> Result<(char, usize), Fail> {
        let high = self.code_unit(self.at)?;
        if let Some(character) = char::from_u32(high) {
            return Ok((character, 6));
        }
        // A pair of surrogates, the high one first.
        let low = match self.bytes().get(self.at + 6..self.at + 8) {
            Some(b"\\u") if high < 0xdc00 => self.code_unit(self.at + 6)?,
            _ => return Err(self.syntax("unpaired surrogate")),
        };
        match low {
            0xdc00..0xe000 => {
                let character = char::from_u32(0x10000 + ((high - 0xd800) << 10 | (low - 0xdc00)));
                Ok((character.unwrap_or('\u{fffd}'), 12))
            }
            _ => Err(self.syntax("unpaired surrogate")),
        }
    }

    /// The four digits of `\u` at a place.
    fn code_unit(&self, at: usize) -> Result<u32, Fail> {
        let digits = self.bytes().get(at + 2..at + 6).unwrap_or_default();
        let value = digits.iter().try_fold(0, |value, digit| Some(value << 4 | char::from(*digit).to_digit(16)?));
        value.filter(|_| digits.len() == 4).ok_or_else(|| self.syntax("expected four hexadecimal digits"))
    }

    /// Passes a value of any kind, which has to be JSON.
    pub(super) fn skip(&mut self) -> Result<(), Fail> {
        match self.peek() {
            b'"' => self.skip_string(),
            b'{' => {
                self.open(b'{', "")?;
                if !self.closes(b'}') {
                    loop {
                        self.skip_key()?;
                        self.skip()?;
                        if !self.follows(b'}')? {
                            return Ok(());
                        }
                    }
                }
                Ok(())
            }
            b'[' => {
                self.open(b'[', "")?;
                if !self.closes(b']') {
                    loop {
                        self.skip()?;
                        if !self.follows(b']')? {
                            return Ok(());
                        }
                    }
                }
                Ok(())
            }
            b't' => self.literal("true"),
            b'f' => self.literal("false"),
            b'n' => self.literal("null"),
            _ => self.number_text().map(|_| ()),
        }
    }

    /// Passes a key and its colon, up to the value. Returns what is between the quotes.
    pub(super) fn skip_key(&mut self) -> Result<Range<usize>, Fail> {
        if self.peek() != b'"' {
            return Err(self.syntax("expected a key in double quotes"));
        }
        #[cfg(test)]
        super::types::PASSED.with(|passed| passed.set(passed.get() + 1));
        let start = self.at + 1;
        self.skip_string()?;
        let key = start..self.at - 1;
        self.space();
        if self.peek() != b':' {
            return Err(self.syntax("expected a colon"));
        }
        self.at += 1;
        self.space();
        Ok(key)
    }

    /// Whether what is between two quotes stands for `@type`, with or without escapes.
    pub(super) fn is_type(&self, key: Range<usize>) -> bool {
        let mut scanner = Scanner { at: key.start, ..*self };
        for expected in TYPE.chars() {
            let escaped = scanner.peek() == b'\\';
            let (character, len) = match escaped {
                true => scanner.escape().unwrap_or_default(),
                false => (char::from(scanner.peek()), 1),
            };
            if scanner.at >= key.end || character != expected {
                return false;
            }
            scanner.at += len;
        }
        scanner.at == key.end
    }

    fn skip_string(&mut self) -> Result<(), Fail> {
        let start = self.at + 1;
        let mut at = start + scan::plain_len(self.bytes(), start);
        loop {
            self.at = at;
            match self.bytes().get(at) {
                Some(b'"') => {
                    self.at = at + 1;
                    return Ok(());
                }
                Some(b'\\') => at += self.escape()?.1,
                _ => return Err(self.syntax("control character in a string")),
            }
            at += scan::plain_len(self.bytes(), at);
        }
    }
}
