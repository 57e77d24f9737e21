//! Where the `@type` of an `Any` is, when it is not the first member of its object.
//!
//! The type has to be known before the other members are read, so a reader looks ahead for it. An `Any` in an `Any` would be
//! looked through once for each level around it. So one look ahead notes the `@type` of every object that it passes, and the
//! objects inside find theirs in a table: each byte is passed once ahead of the reader, and once by the reader.
//!
//! ```text
//! {"detail": {"inner": {"x": 1, "@type": "a/C"}, "@type": "a/B"}, "@type": "a/A"}
//! ^ looks ahead from here                                         ^ to here, and notes B and C
//! ```
//!
//! Objects that begin with `@type`, as writers make them, need no look ahead and no entry.

use super::{Fail, Reader, Reason};
use crate::reflect::{Exhausted, Store};

/// The key of the member with the type URL.
pub(super) const TYPE: &str = "@type";

/// What one look ahead found.
#[derive(Default)]
pub(super) struct Types<'arena> {
    /// Objects, ascending by their offsets.
    entries: &'arena mut [Entry],
    len: usize,
    /// The look ahead began and ended here: every object between that is complete has an entry, or no `@type` that is not
    /// its first member.
    begin: usize,
    end: usize,
}

#[derive(Clone, Copy, Default)]
struct Entry {
    /// Bytes from where the look ahead began to the object.
    object: u32,
    /// The same to the value of its `@type`; 0 if it has none.
    value: u32,
}

impl<'arena> Types<'arena> {
    /// Adds an object.
    fn push(&mut self, object: usize, store: &Store<'arena>) -> Result<usize, Fail> {
        let object = self.relative(object)?;
        if self.len == self.entries.len() {
            let more = store.filled((2 * self.len).max(16), Entry::default())?;
            more.get_mut(..self.len).ok_or(Exhausted::Memory)?.copy_from_slice(self.entries);
            self.entries = more;
        }
        let index = self.len;
        *self.entries.get_mut(index).ok_or(Exhausted::Memory)? = Entry { object, value: 0 };
        self.len += 1;
        Ok(index)
    }

    fn set(&mut self, index: usize, value: usize) -> Result<(), Fail> {
        let value = self.relative(value)?;
        if let Some(entry) = self.entries.get_mut(index).filter(|entry| entry.value == 0) {
            entry.value = value;
        }
        Ok(())
    }

    fn relative(&self, offset: usize) -> Result<u32, Fail> {
        u32::try_from(offset - self.begin).map_err(|_| Fail::at(Reason::Size, offset))
    }

    /// The offset of the `@type` of an object that the look ahead passed.
    fn find(&self, object: usize) -> Option<usize> {
        let entries = self.entries.get(..self.len)?;
        let object = u32::try_from(object - self.begin).ok()?;
        let entry = entries.binary_search_by_key(&object, |entry| entry.object).ok().and_then(|at| entries.get(at))?;
        if entry.value == 0 { None } else { Some(self.begin + entry.value as usize) }
    }
}

impl Reader<'_, '_, '_> {
    /// The offset of the value of `@type` in the object that is next, which is not empty; `None` without one.
    pub(super) fn find_type(&mut self) -> Result<Option<usize>, Fail> {
        let (begin, levels) = (self.scanner.at, self.scanner.levels);
        self.scanner.open(b'{', "expected an object")?;
        let mut found = self.type_is_next()?;
        if found.is_none() && self.types.begin < begin && begin < self.types.end {
            found = self.types.find(begin);
        } else if found.is_none() {
            (self.types.len, self.types.begin) = (0, begin);
            self.skip_noting()?;
            while found.is_none() && self.scanner.follows(b'}')? {
                found = self.type_is_next()?;
                if found.is_none() {
                    self.skip_noting()?;
                }
            }
            self.types.end = self.scanner.at;
        }
        (self.scanner.at, self.scanner.levels) = (begin, levels);
        Ok(found)
    }

    /// Passes a key. Returns the offset of its value if it is `@type`.
    fn type_is_next(&mut self) -> Result<Option<usize>, Fail> {
        let key = self.scanner.skip_key()?;
        Ok(if self.scanner.is_type(key) { Some(self.scanner.at) } else { None })
    }

    /// Passes a value, and notes the `@type` of each object in it.
    fn skip_noting(&mut self) -> Result<(), Fail> {
        match self.scanner.peek() {
            b'{' => {
                let object = self.scanner.at;
                self.scanner.open(b'{', "")?;
                if self.scanner.closes(b'}') {
                    return Ok(());
                }
                let index = self.types.push(object, self.scanner.store)?;
                let mut is_first = true;
                loop {
                    let value = self.type_is_next()?.filter(|_| !is_first);
                    if let Some(value) = value {
                        self.types.set(index, value)?;
                    }
                    is_first = false;
                    self.skip_noting()?;
                    if !self.scanner.follows(b'}')? {
                        break;
                    }
                }
                // An object without an entry to find, and without any in it.
                if self.types.len == index + 1 && self.types.entries.get(index).is_some_and(|entry| entry.value == 0) {
                    self.types.len = index;
                }
                Ok(())
            }
            b'[' => {
                self.scanner.open(b'[', "")?;
                if self.scanner.closes(b']') {
                    return Ok(());
                }
                loop {
                    self.skip_noting()?;
                    if !self.scanner.follows(b']')? {
                        return Ok(());
                    }
                }
            }
            _ => self.scanner.skip(),
        }
    }
}

#[cfg(test)]
std::thread_local! {
    /// Keys that were passed without being read.
    pub(super) static PASSED: core::cell::Cell<usize> = const { core::cell::Cell::new(0) };
}

#[cfg(all(test, feature = "derive", feature = "wkt"))]
mod tests {
    use std::string::String;

    use super::PASSED;
    use crate::json::{DecodeOptions, EncodeOptions};
    use crate::reflect::Registry;
    use crate::wkt::{Any, Struct};
    use crate::{Arena, UnknownFields};

    #[derive(Clone, Copy, Debug, PartialEq, defiant_derive::Message)]
    #[defiant(crate = "crate", name = "test.Node")]
    struct Node<'arena> {
        #[defiant(message, tag = 1)]
        any: Option<&'arena Any<'arena>>,
        #[defiant(message, tag = 2)]
        data: Option<&'arena Struct<'arena>>,
        #[defiant(message, repeated, tag = 3)]
        more: &'arena [Any<'arena>],
        #[defiant(unknown)]
        unknown_fields: UnknownFields<'arena>,
    }

    fn registry() -> Registry {
        Registry::new().with::<Node<'static>>().with::<Struct<'static>>()
    }

    /// `Any` in `Any`, with `@type` first or last, around a `Struct` of so many keys.
    fn nested(levels: usize, keys: usize, is_first: bool) -> String {
        let ty = r#""@type":"x/test.Node""#;
        let (open, close) = match is_first {
            true => (std::format!("{{{ty},\"any\":"), String::from("}")),
            false => (String::from("{\"any\":"), std::format!(",{ty}}}")),
        };
        let keys: std::vec::Vec<_> = (0..keys).map(|key| std::format!("\"{key}\":{{\"@type\":1}}")).collect();
        let inner = std::format!("{{{ty},\"data\":{{{}}}}}", keys.join(","));
        std::format!("{{\"any\":{}{inner}{}}}", open.repeat(levels), close.repeat(levels))
    }

    fn passed(text: &str) -> usize {
        let (registry, arena) = (registry(), Arena::new());
        PASSED.set(0);
        let node: Node<'_> = DecodeOptions::new().resolver(&registry).decode(text, &arena).expect("valid");
        let passed = PASSED.get();
        let again = EncodeOptions::new().resolver(&registry).encode(&node).expect("valid");
        let node: Node<'_> = DecodeOptions::new().resolver(&registry).decode(&again, &arena).expect("valid");
        assert_eq!(EncodeOptions::new().resolver(&registry).encode(&node).expect("valid"), again);
        passed
    }

    #[test]
    fn type_that_comes_first_needs_no_look_ahead() {
        assert_eq!(passed(&nested(3, 100, true)), 4);
        assert_eq!(passed(&nested(90, 100, true)), 91);
    }

    #[test]
    fn nested_types_that_come_last_are_found_in_one_pass() {
        let (shallow, deep) = (passed(&nested(3, 1000, false)), passed(&nested(48, 1000, false)));
        assert!(deep < shallow + 500, "{shallow} keys at 3 levels, {deep} at 48");
    }

    #[test]
    fn types_are_found_wherever_they_are() {
        let (registry, arena) = (registry(), Arena::new());
        let options = DecodeOptions::new().resolver(&registry).ignore_unknown_fields(true);
        let ty = r#""@type":"x/test.Node""#;
        for escaped in [ty, r#""\u0040type":"x/test.Node""#, r#""@t\u0079pe" : "x\/test.Node""#] {
            let inner = std::format!("{{\"more\":[{{}}],{escaped}}}");
            for any in [
                std::format!("{{{escaped}}}"),
                std::format!("{{\"x\":[{{\"y\":{{{ty}}}}}],{escaped},\"z\":{{}}}}"),
                std::format!("{{\"any\":{inner},{escaped}}}"),
                std::format!("{{\"more\":[{inner},{{}},{{{escaped},\"any\":{inner}}}],\"any\":{inner},{escaped}}}"),
            ] {
                let text = std::format!("{{\"more\":[{any},{inner}]}}");
                let node: Node<'_> = options.decode(&text, &arena).expect(&text);
                assert!(node.more.iter().all(|any| any.type_url == "x/test.Node"), "{text}");
                assert_eq!(node.more.len(), 2, "{text}");
            }
        }
        for any in [
            r#"{"any":{}}"#,
            r#"{"any":{"@type":"x/test.Node"}}"#,
            r#"{"any":{"x":1},"@type":"x/test.Node"}"#,
            r#"{"any":{"x":{"@type":"x/test.Node"}},"@type":"x/test.Node"}"#,
            r#"{"@types":"x/test.Node"}"#,
            r#"{"@typ":"x/test.Node"}"#,
        ] {
            let text = std::format!("{{\"any\":{any}}}");
            let error = options.decode::<Node<'_>>(&text, &arena).expect_err(&text);
            assert!(std::format!("{error}").contains("expected a member \"@type\""), "{text}: {error}");
        }
    }
}
