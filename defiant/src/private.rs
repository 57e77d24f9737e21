//! The list of what derive output may name. Not for hand-written code: an item may change in any release.
//!
//! Everything here keeps safe code safe, whatever it is called with:
//!
//! * [`Message`](crate::Message), [`Oneof`], [`Tabled`] and the traits of codecs are `unsafe` to implement.
//! * Only this crate makes a [`Context`], a [`Cursor`], a [`Reader`] or a [`Scope`]. Safe code cannot call what takes one,
//!   because only implementations of those traits are passed any.
//! * What takes the place of a field ([`Entry`], [`FieldOf`], [`DescriptorOf`]) is `unsafe` to call.

pub use crate::codec::calls::*;
pub use crate::codec::{
    Bool, Bytes, Codec, Double, Enum, Field, Fixed32, Fixed64, Float, Held, Implicit, Inline, InlineGroup,
    InlineMessage, Int32, Int64, LazyMessage, LazyPresence, LenientStr, MapOf, MapValue, MessageValue, Nested,
    NestedTable, Oneof, Optional, OptionalGroup, OptionalLazy, OptionalMessage, Packable, Packed, PackedField,
    Repeated, RepeatedGroup, RepeatedMessage, Required, Sfixed32, Sfixed64, Sint32, Sint64, Str, Table, Uint32, Uint64,
    encode_unknown,
};
#[cfg(feature = "reflect")]
pub use crate::descriptor::{
    Address, DescriptorOf, EnumOf, FieldOf, OneofOf,
    access::Raw,
    member::{Member, Membered},
    names::Names,
    shape::Reflected,
};
pub use crate::extension::{MessageFamily, OfFamily};
pub use crate::message::Input;
pub use crate::message_set::encode_message_set;
pub use crate::table::{
    ByTable, Class, Code, Compiled, Entry, Tabled, encode as encode_by_table, encode_member, index,
};
#[cfg(not(feature = "reflect"))]
pub use crate::undescribed::{Address, DescriptorOf, EnumOf, FieldOf, Member, Names, OneofOf, Raw};
pub use crate::wire::context::{Context, Fault};
pub use crate::wire::reader::{Cursor, Reader, Scope};
pub use crate::wire::writer::{Counter, Sink, Writer};
