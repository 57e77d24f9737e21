//! The enums of fields.

use super::{EnumAccess, well_known};
use crate::enumeration::Enumeration;

/// The type of an enum.
#[derive(Debug)]
pub struct EnumDescriptor {
    pub(crate) name: &'static str,
    pub(crate) values: &'static [(&'static str, i32)],
    /// Indices of `values`, ascending by number and then by index; or nothing.
    pub(crate) by_number: &'static [u32],
    /// The same by name.
    pub(crate) by_name: &'static [u32],
    /// How such enums lie in memory.
    pub(crate) access: &'static EnumAccess,
    pub(crate) open: bool,
    #[cfg_attr(not(all(feature = "json", feature = "text")), allow(dead_code, reason = "for JSON and text"))]
    pub(crate) null: bool,
}

/// Whether an enum of this name is the one that stands for JSON's null.
pub(crate) const fn well_known_null(name: &str) -> bool {
    well_known::is(name, "google.protobuf.NullValue")
}

impl EnumDescriptor {
    /// What the derive calls to describe an enum.
    #[must_use]
    pub const fn of<E: Enumeration>() -> Self {
        EnumDescriptor {
            name: E::NAME,
            values: E::VALUES,
            by_number: &[],
            by_name: &[],
            access: EnumAccess::of::<E>(),
            open: E::OPEN,
            null: well_known_null(E::NAME),
        }
    }

    /// Full name: package, enclosing messages, name.
    #[must_use]
    pub fn full_name(&self) -> &str {
        self.name
    }

    /// Names and numbers in the order they are declared in.
    pub fn values(&self) -> impl ExactSizeIterator<Item = (&str, i32)> {
        self.values.iter().copied()
    }

    /// Whether every number is a value: <https://protobuf.dev/programming-guides/enum/>.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// The name of a number: the first that is declared, if there are several.
    #[must_use]
    pub fn name_of(&self, number: i32) -> Option<&str> {
        // Most enums number their values from 0 on without a gap.
        let guess = usize::try_from(number).ok().and_then(|index| self.values.get(index));
        let is_it = |value: &&(&'static str, i32)| value.1 == number;
        let first_is_unique = |value: &&(&'static str, i32)| {
            is_it(value)
                && (number == 0 || self.values.get(number as usize - 1).is_some_and(|before| before.1 < number))
        };
        if let Some(value) = guess.filter(first_is_unique) {
            return Some(value.0);
        }
        if self.by_number.len() == self.values.len() {
            let of = |index: &u32| self.values.get(*index as usize);
            let first = self.by_number.partition_point(|index| of(index).is_some_and(|value| value.1 < number));
            return self.by_number.get(first).and_then(of).filter(is_it).map(|value| value.0);
        }
        self.values.iter().find(is_it).map(|value| value.0)
    }

    /// The number of a name.
    #[must_use]
    pub fn number_of(&self, name: &str) -> Option<i32> {
        if self.by_name.len() == self.values.len() {
            let of = |index: &u32| self.values.get(*index as usize);
            let found = self.by_name.binary_search_by(|index| of(index).map_or("", |value| value.0).cmp(name)).ok()?;
            return self.by_name.get(found).and_then(of).map(|value| value.1);
        }
        self.values.iter().find(|value| value.0 == name).map(|value| value.1)
    }

    /// Whether the enum has a number: an open one has every.
    #[must_use]
    pub fn has(&self, number: i32) -> bool {
        self.open || self.name_of(number).is_some()
    }
}
