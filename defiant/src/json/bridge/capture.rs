//! A value of serde as a text of JSON, or passed over: what is not known until it was read, the type of an `Any`.

use core::fmt;

use alloc::string::String;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::message::Kept;
use crate::json::error::{Fail, Reason};

/// Writes a value behind a text, or passes over it if there is none.
pub(super) struct Capture<'v, 'c, 'arena> {
    pub(super) kept: Kept<'c, 'arena>,
    pub(super) text: Option<&'v mut String>,
}

impl Capture<'_, '_, '_> {
    fn again(&mut self) -> Capture<'_, '_, '_> {
        Capture { kept: self.kept, text: self.text.as_deref_mut() }
    }

    /// The text counts against the memory limit while it is collected.
    fn push<E: Error>(&mut self, piece: &str) -> Result<(), E> {
        let Some(text) = &mut self.text else { return Ok(()) };
        let is_too_long = text.len() + piece.len() > self.kept.context.store.budget();
        if is_too_long || text.try_reserve(piece.len()).is_err() {
            return Err(self.kept.error(Fail::new(Reason::Memory)));
        }
        text.push_str(piece);
        Ok(())
    }

    fn push_string<E: Error>(&mut self, string: &str) -> Result<(), E> {
        if self.text.is_none() {
            return Ok(());
        }
        self.push("\"")?;
        let mut plain = 0;
        for (at, character) in string.char_indices() {
            if character < ' ' || matches!(character, '"' | '\\') {
                self.push(&string[plain..at])?;
                self.push(&alloc::format!("\\u{:04x}", u32::from(character)))?;
                plain = at + 1;
            }
        }
        self.push(&string[plain..])?;
        self.push("\"")
    }

    /// An object.
    pub(super) fn object<'de, A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        let kept = self.kept;
        kept.context.deeper(kept.place, || {
            let mut separator = "{";
            while let Some(key) = map.next_key::<String>()? {
                self.push(separator)?;
                separator = ",";
                self.push_string(&key)?;
                self.push(":")?;
                map.next_value_seed(self.again())?;
            }
            self.push(if separator == "{" { "{}" } else { "}" })
        })
    }
}

impl<'de> DeserializeSeed<'de> for Capture<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Capture<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value that JSON has")
    }

    fn visit_unit<E: Error>(mut self) -> Result<(), E> {
        self.push("null")
    }

    fn visit_none<E: Error>(self) -> Result<(), E> {
        self.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_bool<E: Error>(mut self, value: bool) -> Result<(), E> {
        self.push(if value { "true" } else { "false" })
    }

    fn visit_i64<E: Error>(mut self, value: i64) -> Result<(), E> {
        self.push(&alloc::format!("{value}"))
    }

    fn visit_u64<E: Error>(mut self, value: u64) -> Result<(), E> {
        self.push(&alloc::format!("{value}"))
    }

    fn visit_f64<E: Error>(mut self, value: f64) -> Result<(), E> {
        if value.is_finite() {
            self.push(zmij::Buffer::new().format_finite(value))
        } else {
            self.push(if value.is_nan() {
                "\"NaN\""
            } else if value > 0.0 {
                "\"Infinity\""
            } else {
                "\"-Infinity\""
            })
        }
    }

    fn visit_str<E: Error>(mut self, value: &str) -> Result<(), E> {
        self.push_string(value)
    }

    fn visit_bytes<E: Error>(mut self, value: &[u8]) -> Result<(), E> {
        if self.text.is_none() {
            return Ok(());
        }
        let len = crate::json::base64::encoded_len(value.len());
        if len > self.kept.context.store.budget() {
            return Err(self.kept.error(Fail::new(Reason::Memory)));
        }
        let mut text = alloc::vec![0; len];
        crate::json::base64::encode(value, &mut text);
        self.push_string(core::str::from_utf8(&text).unwrap_or_default())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut seq: A) -> Result<(), A::Error> {
        let kept = self.kept;
        kept.context.deeper(kept.place, || {
            self.push("[")?;
            let mut first = true;
            loop {
                // The comma is written before it is known whether an element follows, and taken back if none does.
                let before = self.text.as_ref().map_or(0, |text| text.len());
                if !first {
                    self.push(",")?;
                }
                if seq.next_element_seed(self.again())?.is_none() {
                    if let Some(text) = &mut self.text {
                        text.truncate(before);
                    }
                    return self.push("]");
                }
                first = false;
            }
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        self.object(map)
    }
}
