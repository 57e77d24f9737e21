//! From a field that holds a message to that message's table.

use super::{InlineGroup, InlineMessage, OptionalGroup, OptionalMessage, Table};
use crate::message::Message;

/// A singular field of Rust type `T` that holds a message.
// TRUST: unsafe code does not rely on it: it leads to names for error messages.
pub trait Nested<'arena, T> {
    /// The table of that message. A function, because messages may contain themselves.
    fn table() -> &'static Table;
}

macro_rules! nested {
    ($($shape:ident: $field:ty;)*) => {$(
        impl<'arena, M: Message<'arena>> Nested<'arena, $field> for $shape {
            fn table() -> &'static Table {
                M::TABLE
            }
        }
    )*};
}

nested! {
    OptionalMessage: Option<&'arena M>;
    OptionalGroup: Option<&'arena M>;
    InlineMessage: Option<M>;
    InlineGroup: Option<M>;
}
