//! Enums, open and closed.

use core::fmt;

/// A protobuf enum, implemented by `#[derive(Enumeration)]`.
///
/// An open enum is a newtype over `i32` that holds every number; a closed one is a Rust enum, and numbers that it does
/// not have go to the unknown fields. Source: <https://protobuf.dev/programming-guides/enum/>.
// TRUST: unsafe code does not rely on it: a value is `Copy` and `'static`, and the result of every function is checked where
// it is used.
pub trait Enumeration: Copy + Eq + fmt::Debug + Send + Sync + 'static {
    /// The value of an absent field: number 0 if open, the first declared value if closed.
    const DEFAULT: Self;
    /// Full name: package, enclosing messages, name.
    const NAME: &'static str;
    /// Names and numbers as declared.
    const VALUES: &'static [(&'static str, i32)];
    /// Whether every number is a value.
    const OPEN: bool;

    /// The type of the enum: names and numbers of its values.
    #[cfg(feature = "reflect")]
    #[doc(hidden)]
    const __DESCRIPTOR: &'static crate::descriptor::EnumOf<Self> = const { &crate::descriptor::EnumOf::new() };

    /// Nothing: without the feature `reflect`, enums have no descriptors.
    #[cfg(not(feature = "reflect"))]
    #[doc(hidden)]
    const __DESCRIPTOR: &'static crate::undescribed::EnumOf<Self> = const { &crate::undescribed::EnumOf::new() };

    /// The value of a number; `None` only for a closed enum.
    fn from_number(number: i32) -> Option<Self>;

    /// The number of a value.
    fn number(self) -> i32;
}

/// A number that a closed enum does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownEnumValue(pub i32);

impl fmt::Display for UnknownEnumValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is not a value of this closed enum", self.0)
    }
}

impl core::error::Error for UnknownEnumValue {}
