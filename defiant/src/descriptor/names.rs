//! The names of a field, in one text: each pointer in a constant costs more than the few bytes it leads to.
#![expect(unsafe_code, reason = "takes parts of the text without looking at it")]

use core::ptr::NonNull;

use alloc::string::String;

/// A field's names.
///
/// Invariant: the text is, one behind the other, the key in JSON with a comma before and a colon behind it, of `key` bytes;
/// the name in the `.proto` file, of `name` bytes, or none where it is the JSON name; the JSON name, of `json` bytes, or none
/// where nothing in it is escaped and the key has it; and spaces, so that a key of up to 32 bytes can be copied in blocks of
/// sixteen. Each part is a text. It lives as
/// long as the names are used: of a struct for ever, of a type that was made at run time as long as that.
#[derive(Clone, Copy, Debug)]
pub struct Names {
    text: NonNull<u8>,
    key: u16,
    name: u16,
    json: u16,
}

impl Names {
    /// What the derive calls, with the parts that the invariant says, each of them below 64 KiB long.
    #[must_use]
    // TRUST: it checks that every part lies in the text and cuts no character.
    pub const fn new(text: &'static str, key: u32, name: u32, json: u32) -> Self {
        assert!(key >= 4 && blocks(key as usize) <= text.len(), "a key with blocks to copy");
        assert!(key as usize + name as usize + json as usize <= text.len(), "the names in the text");
        assert!(key <= LONGEST && name <= LONGEST && json <= LONGEST, "a name is shorter than 64 KiB");
        assert!(is_cut(text, 1) && is_cut(text, 2) && is_cut(text, key as usize - 2) && is_cut(text, key as usize));
        assert!(is_cut(text, (key + name) as usize) && is_cut(text, (key + name + json) as usize));
        // SAFETY: the address of a text.
        let start = unsafe { NonNull::new_unchecked(text.as_ptr().cast_mut()) };
        Names { text: start, key: key as u16, name: name as u16, json: json as u16 }
    }

    /// The names in pieces, for where they take less room.
    pub(super) const fn into_parts(self) -> (NonNull<u8>, [u16; 3]) {
        (self.text, [self.key, self.name, self.json])
    }

    /// # Safety
    /// The parts are of names.
    #[inline(always)]
    pub(super) const unsafe fn from_parts(text: NonNull<u8>, [key, name, json]: [u16; 3]) -> Self {
        Names { text, key, name, json }
    }

    /// Whether names are short enough.
    #[cfg_attr(not(feature = "dynamic"), allow(dead_code, reason = "for types that are made at run time"))]
    pub(crate) fn fit(lens: [usize; 3]) -> bool {
        lens.into_iter().all(|len| len <= LONGEST as usize)
    }

    /// The text of names, and how long its parts are.
    #[cfg_attr(not(feature = "dynamic"), allow(dead_code, reason = "for types that are made at run time"))]
    pub(crate) fn text_of(name: &str, json_name: &str) -> (String, [usize; 3]) {
        let mut text = String::from(",\"");
        for character in json_name.chars() {
            match character {
                '"' => text.push_str("\\\""),
                '\\' => text.push_str("\\\\"),
                control if control < ' ' => text.push_str(&alloc::format!("\\u{:04x}", u32::from(control))),
                other => text.push(other),
            }
        }
        text.push_str("\":");
        let key = text.len();
        let plain = key == json_name.len() + 4;
        let name = if plain && name == json_name { "" } else { name };
        let json = if plain { "" } else { json_name };
        text.push_str(name);
        text.push_str(json);
        while text.len() < blocks(key) {
            text.push(' ');
        }
        (text, [key, name.len(), json.len()])
    }

    /// A part of the text.
    ///
    /// # Safety
    /// As the invariant says.
    #[inline(always)]
    const unsafe fn part(&self, from: usize, len: usize) -> &'static str {
        // SAFETY: as required of the caller.
        let first = unsafe { self.text.as_ptr().cast_const().add(from) };
        // SAFETY: as required of the caller.
        let bytes = unsafe { core::slice::from_raw_parts(first, len) };
        // SAFETY: as above: no character is cut.
        unsafe { core::str::from_utf8_unchecked(bytes) }
    }

    /// The name in the `.proto` file.
    #[inline]
    pub(crate) const fn name(&self) -> &'static str {
        if self.name == 0 {
            return self.json_name();
        }
        // SAFETY: where the name is.
        unsafe { self.part(self.key as usize, self.name as usize) }
    }

    /// The name in JSON.
    #[inline]
    pub(crate) const fn json_name(&self) -> &'static str {
        if self.json == 0 {
            // SAFETY: between a comma and a quote, and a quote and a colon.
            return unsafe { self.part(2, self.key as usize - 4) };
        }
        // SAFETY: where the JSON name is.
        unsafe { self.part(self.key as usize + self.name as usize, self.json as usize) }
    }

    /// The key in JSON: the name in quotes, with what has to be escaped, and a colon.
    #[inline]
    #[cfg_attr(not(feature = "json"), allow(dead_code, reason = "for JSON"))]
    pub(crate) const fn key(&self) -> &'static str {
        // SAFETY: behind the comma.
        unsafe { self.part(1, self.key as usize - 1) }
    }

    /// The key behind a comma, and how many bytes of it count: the first sixteen are there, or 32 if the key is longer than
    /// sixteen, whatever its length.
    #[inline]
    #[cfg_attr(not(feature = "json"), allow(dead_code, reason = "for JSON"))]
    pub(crate) fn comma_and_key(&self) -> (&'static [u8], usize) {
        let key = self.key as usize;
        // SAFETY: the text is as long, as `new` has looked.
        (unsafe { core::slice::from_raw_parts(self.text.as_ptr(), blocks(key)) }, key)
    }
}

/// The longest key or name, in bytes.
const LONGEST: u32 = u16::MAX as u32;

/// Whether no character of a text goes on at an index.
const fn is_cut(text: &str, at: usize) -> bool {
    at == text.len() || text.as_bytes()[at] & 0xc0 != 0x80
}

/// How many bytes are read to copy a key.
#[inline(always)]
const fn blocks(key: usize) -> usize {
    if key > 32 {
        key
    } else if key > 16 {
        32
    } else {
        16
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stays within reach, so that tools that look for leaks do not find one.
    fn leak(text: String) -> &'static str {
        static KEPT: std::sync::Mutex<alloc::vec::Vec<&str>> = std::sync::Mutex::new(alloc::vec::Vec::new());
        let text: &'static str = text.leak();
        KEPT.lock().expect("no panic before").push(text);
        text
    }

    #[test]
    fn names_come_back_from_the_text() {
        let long = "x".repeat(40);
        for (name, json_name) in [
            ("id", "id"),
            ("home_address", "homeAddress"),
            ("a", "b\"\\\n"),
            ("", ""),
            ("é", "é"),
            ("a_name_of_twenty_", "aNameOfTwenty"),
            (long.as_str(), "short"),
            ("short", long.as_str()),
        ] {
            let (text, [key, name_len, json_len]) = Names::text_of(name, json_name);
            let names = Names::new(leak(text), key as u32, name_len as u32, json_len as u32);
            assert_eq!((names.name(), names.json_name()), (name, json_name));
            let (text, len) = names.comma_and_key();
            assert_eq!(&text[1..len], names.key().as_bytes());
            assert!(text.len() >= 16 && (len <= 16 || text.len() >= 32));
        }
        let (text, [key, ..]) = Names::text_of("a", "b\"\\\n");
        assert_eq!(&text[..key], ",\"b\\\"\\\\\\u000a\":");
    }
}
