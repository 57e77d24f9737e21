//! The one list of what the derive's output may call. Not for hand-written code: it may change in any release, and
//! its safety rests on being called as the derive calls it.

pub use crate::codec::calls::*;
pub use crate::codec::{
    Bool, Bytes, Codec, Double, Enum, Field, Fixed32, Fixed64, Float, Implicit, Inline, InlineGroup, InlineMessage,
    Int32, Int64, LazyMessage, LazyPresence, LenientStr, MapOf, MapValue, MessageValue, Nested, NestedTable, Oneof,
    Optional, OptionalGroup, OptionalLazy, OptionalMessage, Packable, Packed, PackedField, Repeated, RepeatedGroup,
    RepeatedMessage, Required, Sfixed32, Sfixed64, Sint32, Sint64, Str, Table, Uint32, Uint64, encode_unknown,
};
#[cfg(feature = "reflect")]
pub use crate::descriptor::{
    Address, EnumOf, FieldDescriptor, MessageDescriptor, OneofDescriptor,
    access::Raw,
    declare::{describe_field, describe_member, describe_message, describe_oneof, order, value},
    member::{Member, Membered},
    names::Names,
    shape::Reflected,
};
pub use crate::extension::{MessageFamily, OfFamily};
pub use crate::message::Input;
pub use crate::message_set::encode_message_set;
pub use crate::table::{
    ByTable, Class, Code, Compiled, Entry, Tabled, encode as encode_by_table, encode_member, index,
    merge as merge_by_table, merge_member,
};
pub use crate::unknown::skip as skip_unknown;
pub use crate::wire::context::{Context, Fault};
pub use crate::wire::reader::{Cursor, Reader, Scope};
pub use crate::wire::writer::{Counter, Sink, Writer};

/// Compiles for types that are `Send` and `Sync`. Derive output calls it with the types of all fields of a message, as
/// the proof of the message's own `Send` and `Sync`.
pub const fn are_send_and_sync<T: Send + Sync>() {}

/// What descriptors are made of, which are there with the feature `reflect`.
#[cfg(feature = "reflect")]
#[doc(hidden)]
#[macro_export]
macro_rules! __reflected {
    ($($item:tt)*) => { $($item)* };
}

/// Without that feature it is nothing.
#[cfg(not(feature = "reflect"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __reflected {
    ($($item:tt)*) => {};
}

pub use crate::__reflected as reflected;
