//! Unknown fields, for people: numbers in place of names.

use core::fmt;

use super::{Label, Printer, quoted_bytes, unsigned};
use crate::unknown::{Records, UnknownField, UnknownValue};
use crate::wire::tag::MAX_NUMBER;

/// Levels of messages that are guessed: of bytes that may be one, and of groups.
const GUESSES: usize = 10;

impl Printer<'_> {
    /// Writes unknown fields.
    pub(super) fn unknown<'a>(&mut self, fields: impl Iterator<Item = UnknownField<'a>>) -> fmt::Result {
        self.guessed(fields, GUESSES)
    }

    fn guessed<'a>(&mut self, fields: impl Iterator<Item = UnknownField<'a>>, guesses: usize) -> fmt::Result {
        for UnknownField { number, value } in fields {
            let label = Label::Number(number);
            match value {
                UnknownValue::Varint(value) => self.scalar(label, |out| unsigned(out, value))?,
                UnknownValue::Fixed32(value) => self.scalar(label, |out| write!(out, "0x{value:08x}"))?,
                UnknownValue::Fixed64(value) => self.scalar(label, |out| write!(out, "0x{value:016x}"))?,
                UnknownValue::LengthDelimited(bytes) if guesses > 0 && may_be_message(bytes) => {
                    self.group(label, bytes, guesses)?;
                }
                UnknownValue::LengthDelimited(bytes) => self.scalar(label, |out| quoted_bytes(out, bytes))?,
                UnknownValue::Group(group) if guesses > 0 => self.group(label, group.as_bytes(), guesses)?,
                UnknownValue::Group(group) => self.scalar(label, |out| quoted_bytes(out, group.as_bytes()))?,
            }
        }
        Ok(())
    }

    fn group(&mut self, label: Label<'_>, content: &[u8], guesses: usize) -> fmt::Result {
        self.begin_message(label)?;
        self.guessed(Records::new(content).map(|record| record.field), guesses - 1)?;
        self.end_message()
    }
}

/// Whether bytes are whole fields, at least one.
fn may_be_message(bytes: &[u8]) -> bool {
    let mut taken = 0;
    for record in Records::new(bytes) {
        if !(1..=MAX_NUMBER).contains(&record.field.number) {
            return false;
        }
        taken += record.bytes.len();
    }
    taken == bytes.len() && taken > 0
}
