//! The enums of fields.

use core::marker::PhantomData;

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
    /// Whether the values are declared ascending by number, so that each number is there once.
    pub(crate) ascending: bool,
    #[cfg_attr(not(all(feature = "json", feature = "text")), allow(dead_code, reason = "for JSON and text"))]
    pub(crate) null: bool,
}

/// Whether an enum of this name is the one that stands for JSON's null.
pub(crate) const fn well_known_null(name: &str) -> bool {
    well_known::is(name, "google.protobuf.NullValue")
}

/// Whether values are declared ascending by number.
pub(crate) const fn ascending(values: &[(&str, i32)]) -> bool {
    let mut rest = values;
    while let [before, behind @ ..] = rest {
        if let [next, ..] = behind {
            if before.1 >= next.1 {
                return false;
            }
        }
        rest = behind;
    }
    true
}

/// The descriptor of the enum `E`.
///
/// Unsafe code trusts the descriptor to be made for the type, and with `E` in its own type it is no other enum's:
///
/// ```compile_fail,E0326
/// # use defiant::Enumeration;
/// #[derive(Clone, Copy, Debug, PartialEq, Eq, Enumeration)]
/// #[repr(i32)]
/// enum Other {
///     Zero = 0,
/// }
///
/// #[derive(Clone, Copy, Debug, PartialEq, Eq)]
/// struct Number(i32);
///
/// impl Enumeration for Number {
///     const __DESCRIPTOR: &'static defiant::descriptor::EnumOf<Other> = <Other as Enumeration>::__DESCRIPTOR;
///     const DEFAULT: Self = Number(0);
///     const NAME: &'static str = "example.Number";
///     const VALUES: &'static [(&'static str, i32)] = &[];
///     const OPEN: bool = true;
///     fn from_number(number: i32) -> Option<Self> {
///         Some(Number(number))
///     }
///     fn number(self) -> i32 {
///         self.0
///     }
/// }
/// ```
#[doc(hidden)]
#[derive(Debug)]
pub struct EnumOf<E> {
    descriptor: EnumDescriptor,
    enumeration: PhantomData<fn() -> E>,
}

impl<E: Enumeration> EnumOf<E> {
    /// What the derive calls to describe an enum.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "for statics")]
    // TRUST: it is made for the enum in its own type.
    pub const fn new() -> Self {
        EnumOf { descriptor: EnumDescriptor::of::<E>(), enumeration: PhantomData }
    }

    pub(crate) const fn get(&'static self) -> &'static EnumDescriptor {
        &self.descriptor
    }
}

impl EnumDescriptor {
    const fn of<E: Enumeration>() -> Self {
        EnumDescriptor {
            name: E::NAME,
            values: E::VALUES,
            by_number: &[],
            by_name: &[],
            access: EnumAccess::of::<E>(),
            open: E::OPEN,
            ascending: ascending(E::VALUES),
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
        let is_it = |value: &&(&'static str, i32)| value.1 == number;
        // Most enums number their values from 0 on without a gap.
        let guess = usize::try_from(number).ok().filter(|_| self.ascending).and_then(|index| self.values.get(index));
        if let Some(value) = guess.filter(is_it) {
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
