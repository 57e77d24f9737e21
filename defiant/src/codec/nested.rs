//! What a field that holds messages tells of their type.

use super::{
    InlineGroup, InlineMessage, MapOf, MessageValue, OptionalGroup, OptionalMessage, RepeatedGroup, RepeatedMessage,
    Table,
};
use crate::map::Map;
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

/// A field of Rust type `T` that holds messages, as its encoder sees it.
// TRUST: unsafe code does not rely on it: a level that is not counted takes stack and nothing else.
pub trait Held<'arena, T> {
    /// Whether the messages hold no others.
    const LEAF: bool;
}

macro_rules! held {
    ($($shape:ident: $field:ty;)*) => {$(
        impl<'arena, M: Message<'arena>> Held<'arena, $field> for $shape {
            const LEAF: bool = M::__LEAF;
        }
    )*};
}

held! {
    OptionalMessage: Option<&'arena M>;
    OptionalGroup: Option<&'arena M>;
    InlineMessage: Option<M>;
    InlineGroup: Option<M>;
    RepeatedMessage: &'arena [M];
    RepeatedGroup: &'arena [M];
}

impl<'arena, K, C, M: Message<'arena>> Held<'arena, Map<'arena, K, M>> for MapOf<C, MessageValue> {
    const LEAF: bool = M::__LEAF;
}
