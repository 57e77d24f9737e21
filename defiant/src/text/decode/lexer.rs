//! The lexical elements: blanks, names, numbers and quoted strings.
//!
//! Source: <https://protobuf.dev/reference/protobuf/textformat-spec/#lexical>.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use crate::error::words;
use crate::reflect::Exhausted;
use crate::text::error::{Failure, Kind, Result};

/// A position in a text; what is looked at stands behind blanks and comments.
#[derive(Clone, Copy)]
pub(super) struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

/// A number as it is written, without its sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Number<'t> {
    Decimal(&'t str),
    /// Digits behind the leading zero.
    Octal(&'t str),
    /// Digits behind `0x`.
    Hexadecimal(&'t str),
    /// With point, exponent or the suffix `f`, which is left out.
    Float(&'t str),
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        // A byte order mark says nothing.
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let mut lexer = Lexer { text, at };
        lexer.skip_blanks();
        lexer
    }

    /// Bytes before the next element.
    pub(super) fn offset(&self) -> usize {
        self.at
    }

    /// The first byte of the next element.
    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// What is wrong with the next element.
    #[cold]
    pub(super) fn expected(&self, what: &'static str) -> Failure {
        let reason = match self.peek() {
            Some(0) => Cow::Borrowed("a NUL character"),
            Some(_) => words(format_args!("expected {what}")).into(),
            None => words(format_args!("expected {what}, but the text ends")).into(),
        };
        Failure::new(Kind::Syntax, reason, self.at)
    }

    fn skip_blanks(&mut self) {
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(self.at) {
                Some(b' ' | b'\t' | b'\n' | 0x0b | 0x0c | b'\r') => self.at += 1,
                Some(b'#') => {
                    let comment = bytes.get(self.at..).unwrap_or_default();
                    self.at += comment.iter().position(|byte| matches!(byte, b'\n' | 0)).unwrap_or(comment.len());
                }
                _ => return,
            }
        }
    }

    /// Takes bytes, which end between characters, and the blanks behind them.
    fn take(&mut self, len: usize) -> &'t str {
        let (taken, _) = self.rest().split_at_checked(len).unwrap_or_default();
        self.at += taken.len();
        self.skip_blanks();
        taken
    }

    /// Takes a punctuation mark, if it is next.
    pub(super) fn eat(&mut self, mark: u8) -> bool {
        let is_next = self.peek() == Some(mark);
        if is_next {
            self.take(1);
        }
        is_next
    }

    /// Takes an identifier.
    pub(super) fn identifier(&mut self, what: &'static str) -> Result<&'t str> {
        if !self.peek().is_some_and(begins_identifier) {
            return Err(self.expected(what));
        }
        let len = self.rest().bytes().position(|byte| !continues_identifier(byte)).unwrap_or(self.rest().len());
        Ok(self.take(len))
    }

    /// Whether a number is next.
    pub(super) fn is_at_number(&self) -> bool {
        match *self.rest().as_bytes() {
            [b'.', digit, ..] | [digit, ..] => digit.is_ascii_digit(),
            [] => false,
        }
    }

    /// Takes a number.
    pub(super) fn number(&mut self) -> Result<Number<'t>> {
        if !self.is_at_number() {
            return Err(self.expected("a number"));
        }
        let start = self.at;
        let rest = self.rest();
        let bytes = rest.as_bytes();
        let digits = |from: usize| from + bytes.iter().skip(from).take_while(|byte| byte.is_ascii_digit()).count();
        let byte = |at: usize| bytes.get(at).copied();
        let (number, len) = if byte(0) == Some(b'0') && matches!(byte(1), Some(b'x' | b'X')) {
            let len = 2 + bytes.iter().skip(2).take_while(|byte| byte.is_ascii_hexdigit()).count();
            if len == 2 {
                return Err(Failure::new(Kind::Syntax, "expected hexadecimal digits behind 0x", start));
            }
            (Number::Hexadecimal(rest.get(2..len).unwrap_or_default()), len)
        } else if byte(0) == Some(b'0') && byte(1).is_some_and(|byte| byte.is_ascii_digit()) {
            let len = digits(1);
            let octal = rest.get(1..len).unwrap_or_default();
            if octal.bytes().any(|byte| byte > b'7') || matches!(byte(len), Some(b'.')) {
                return Err(Failure::new(Kind::Syntax, "a number that begins with 0 is octal", start));
            }
            (Number::Octal(octal), len)
        } else {
            let whole = digits(0);
            let mut len = if byte(whole) == Some(b'.') { digits(whole + 1) } else { whole };
            if matches!(byte(len), Some(b'e' | b'E')) {
                let sign = usize::from(matches!(byte(len + 1), Some(b'+' | b'-')));
                let end = digits(len + 1 + sign);
                if end == len + 1 + sign {
                    return Err(Failure::new(Kind::Syntax, "expected the digits of an exponent", start));
                }
                len = end;
            }
            let literal = rest.get(..len).unwrap_or_default();
            match byte(len) {
                Some(b'f' | b'F') => (Number::Float(literal), len + 1),
                _ if len > whole => (Number::Float(literal), len),
                _ => (Number::Decimal(literal), len),
            }
        };
        if byte(len).is_some_and(continues_identifier) {
            return Err(Failure::new(Kind::Syntax, "a number runs into what is behind it", start));
        }
        self.take(len);
        Ok(number)
    }

    /// Whether a quoted string is next.
    pub(super) fn is_at_string(&self) -> bool {
        matches!(self.peek(), Some(b'"' | b'\''))
    }

    /// Takes quoted strings, one or more. What they stand for is the first one as it is in the text, or, where there is more
    /// to it, what is then in `scratch`.
    pub(super) fn string(&mut self, scratch: &mut Vec<u8>) -> Result<Option<&'t str>> {
        if !self.is_at_string() {
            return Err(self.expected("a string"));
        }
        let first = self.quoted()?;
        if !first.contains('\\') && !self.is_at_string() {
            return Ok(Some(first));
        }
        scratch.clear();
        // The offset of what is in the quotes.
        unescape(first, first.as_ptr().addr() - self.text.as_ptr().addr(), scratch)?;
        while self.is_at_string() {
            let begin = self.at + 1;
            let next = self.quoted()?;
            unescape(next, begin, scratch)?;
        }
        Ok(None)
    }

    /// Takes a quoted string, and gives what is in the quotes, with its escapes as they are.
    fn quoted(&mut self) -> Result<&'t str> {
        let bytes = self.text.as_bytes();
        let begin = self.at + 1;
        let quote = self.peek();
        let mut at = begin;
        loop {
            match bytes.get(at).copied() {
                None => return Err(Failure::new(Kind::Syntax, "a string that does not end", self.at)),
                Some(b'\n') => {
                    return Err(Failure::new(Kind::Syntax, "a string that does not end on its line", self.at));
                }
                Some(0) => return Err(Failure::new(Kind::Syntax, "a NUL character in a string", at)),
                Some(b'\\') => at += 1 + usize::from(!matches!(bytes.get(at + 1), Some(b'\n' | 0))),
                end if end == quote => break,
                Some(_) => at += 1,
            }
        }
        let content = self.text.get(begin..at).unwrap_or_default();
        self.at = at + 1;
        self.skip_blanks();
        Ok(content)
    }

    /// Takes what stands in square brackets, behind the first: the name of an extension, or a type URL, without the blanks
    /// that may stand around its parts.
    pub(super) fn bracketed(&mut self) -> Result<alloc::string::String> {
        let begin = self.at;
        let mut name = alloc::string::String::new();
        loop {
            let len = self.rest().bytes().position(|byte| !in_type_url(byte)).unwrap_or(self.rest().len());
            if len == 0 {
                break;
            }
            let joint = |byte: Option<&u8>| matches!(byte, None | Some(b'.' | b'/'));
            let next = self.rest().as_bytes().first();
            if !joint(name.as_bytes().last()) && !joint(next) {
                return Err(self.expected("`.`, `/` or `]`"));
            }
            name.try_reserve(len).map_err(|_| Exhausted::Memory)?;
            name.push_str(self.take(len));
        }
        if !self.eat(b']') {
            return Err(self.expected("`]`"));
        }
        if is_full_name(&name) || is_type_url(&name) {
            Ok(name)
        } else {
            Err(Failure::new(Kind::Syntax, "expected the name of an extension or a type URL", begin))
        }
    }
}

fn begins_identifier(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

fn continues_identifier(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn in_type_url(byte: u8) -> bool {
    continues_identifier(byte) || b"-.~!$&()*+,;=%/".contains(&byte)
}

/// Whether a name is made of identifiers with dots between them.
fn is_full_name(name: &str) -> bool {
    name.split('.')
        .all(|part| part.bytes().next().is_some_and(begins_identifier) && part.bytes().all(continues_identifier))
}

/// Whether a string can stand in brackets for the type of an `Any`: a prefix, a slash, and a full name.
pub(in crate::text) fn is_type_url(url: &str) -> bool {
    let Some((prefix, name)) = url.rsplit_once('/') else { return false };
    let escapes = prefix
        .split('%')
        .skip(1)
        .all(|behind| behind.as_bytes().get(..2).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)));
    is_full_name(name) && !prefix.is_empty() && !prefix.starts_with('/') && prefix.bytes().all(in_type_url) && escapes
}

/// Appends what a string with escapes stands for.
fn unescape(content: &str, begin: usize, out: &mut Vec<u8>) -> Result<()> {
    // An escape is longer than what it stands for.
    out.try_reserve(content.len()).map_err(|_| Exhausted::Memory)?;
    let bytes = content.as_bytes();
    let mut at = 0;
    while let Some(plain) = bytes.get(at..).and_then(|rest| rest.iter().position(|byte| *byte == b'\\')) {
        out.extend_from_slice(bytes.get(at..at + plain).unwrap_or_default());
        at += plain;
        at += escape(bytes.get(at + 1..).unwrap_or_default(), out)
            .ok_or_else(|| Failure::new(Kind::Syntax, "an escape that stands for nothing", begin + at))?;
    }
    out.extend_from_slice(bytes.get(at..).unwrap_or_default());
    Ok(())
}

/// Appends what an escape stands for, of which the bytes behind the backslash are given; its length.
fn escape(bytes: &[u8], out: &mut Vec<u8>) -> Option<usize> {
    let first = *bytes.first()?;
    // The value of so many digits at the most, and how many there are.
    let digits = |from: usize, most: usize, radix: u32| {
        let digits = bytes.iter().skip(from).take(most).map_while(|byte| char::from(*byte).to_digit(radix));
        digits.fold((0u32, 0), |(value, count), digit| (value * radix + digit, count + 1))
    };
    let simple = match first {
        b'a' => 0x07,
        b'b' => 0x08,
        b'f' => 0x0c,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 0x0b,
        b'?' | b'\\' | b'\'' | b'"' => first,
        b'0'..=b'7' => {
            let (value, count) = digits(0, 3, 8);
            out.push(u8::try_from(value).ok()?);
            return Some(1 + count);
        }
        b'x' | b'X' => {
            let (value, count) = digits(1, 2, 16);
            out.push(u8::try_from(value).ok().filter(|_| count > 0)?);
            return Some(2 + count);
        }
        b'u' | b'U' => {
            let most = if first == b'u' { 4 } else { 8 };
            let (value, count) = digits(1, most, 16);
            // No surrogates, and nothing beyond U+10FFFF.
            let character = char::from_u32(value).filter(|_| count == most)?;
            out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            return Some(2 + count);
        }
        _ => return None,
    };
    out.push(simple);
    Some(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_urls_are_told_from_names() {
        for (url, good) in [
            ("type.googleapis.com/a.B", true),
            ("a/b/c.D", true),
            ("a-b~%2Fc/D", true),
            ("a.B", false),
            ("/a.B", false),
            ("a/", false),
            ("a/1B", false),
            ("a/b.", false),
            ("a%2/B", false),
            ("a b/C", false),
            ("", false),
        ] {
            assert_eq!(is_type_url(url), good, "{url}");
        }
    }

    #[test]
    fn numbers_are_read_as_written() {
        for (text, number) in [
            ("0", Number::Decimal("0")),
            ("10]", Number::Decimal("10")),
            ("00", Number::Octal("0")),
            ("017 ", Number::Octal("17")),
            ("0xfF", Number::Hexadecimal("fF")),
            ("1.", Number::Float("1.")),
            (".5", Number::Float(".5")),
            ("1e5", Number::Float("1e5")),
            ("1.5E-05F", Number::Float("1.5E-05")),
            ("10f", Number::Float("10")),
            ("0f", Number::Float("0")),
        ] {
            assert_eq!(Lexer::new(text).number().ok(), Some(number), "{text}");
        }
        for text in ["", ".", "x", "0x", "0xg", "08", "01.5", "1e", "1e+", "10bar", "1.5_", "0x1g", "017f", "1ff"] {
            assert!(Lexer::new(text).number().is_err(), "{text}");
        }
    }
}
