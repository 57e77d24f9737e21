//! The derive macros of [Defiant](https://docs.rs/defiant), the arena-allocated protobuf library.
//!
//! Depend on `defiant`, which re-exports them; the output names items of that crate.
//! `defiant-build` writes the very attributes that are described here, so a message it generates from a `.proto` and
//! one written by hand are the same thing.
//!
//! | derive | on | is |
//! |---|---|---|
//! | [`Message`] | a struct with named fields and one lifetime | a message |
//! | [`Oneof`] | an enum whose variants hold one value each | the members of a oneof |
//! | [`Enumeration`] | a newtype over `i32`, or a Rust enum | an open, or a closed enumeration |
//!
//! A mistake in an attribute is a compile error at the word it is about, and all mistakes of an item come at once.

mod expand;
mod schema;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Makes a struct a protobuf message.
///
/// ```text
/// #[derive(Clone, Copy, Debug, PartialEq, defiant::Message)]
/// #[defiant(name = "tutorial.Person")]
/// pub struct Person<'arena> {
///     #[defiant(string, tag = 1)]
///     pub name: &'arena str,
///     #[defiant(int32, optional, tag = 2, default = 7)]
///     pub id: Option<i32>,
///     #[defiant(message, repeated, tag = 6)]
///     pub route: &'arena [Point<'arena>],
///     #[defiant(map = "string, int32", tag = 8)]
///     pub counts: defiant::Map<'arena, &'arena str, i32>,
///     #[defiant(oneof = "person::Payload", tags = "10, 11")]
///     pub payload: Option<person::Payload<'arena>>,
///     #[defiant(unknown)]
///     pub unknown_fields: defiant::UnknownFields<'arena>,
/// }
/// ```
///
/// The struct has exactly one lifetime parameter, that of the arena, and derives `Clone`, `Copy`, `Debug` and
/// `PartialEq` besides. This derive adds the impls of `defiant::Message`, `defiant::Name` and
/// `Default`, and the accessors.
///
/// # On the struct
///
/// | word | meaning |
/// |---|---|
/// | `name = "package.Person"` | the full proto name, for errors and reflection; without it, the name of the struct |
/// | `package = "package"` | how much of it is the package; without it, all before the first part with a capital letter |
/// | `domain = "types.example.com"` | what stands before the slash of its type URL; without it, `type.googleapis.com` |
/// | `crate = "path"` | where the crate `defiant` is, when it is not `::defiant` |
/// | `optimize_for = "code_size"` | a table instead of code of its own decodes and encodes it; without it, or with `"speed"`, code |
/// | `message_set` | `option message_set_wire_format`: no fields, and extensions travel as items |
/// | `reserved = "old_name, older_name"` | names that no field has any more, and that the text format skips |
///
/// # On a field
///
/// Every field has one type word:
///
/// | word | Rust type `T` |
/// |---|---|
/// | `int32` `sint32` `sfixed32`, `int64` `sint64` `sfixed64` | `i32`, `i64` |
/// | `uint32` `fixed32`, `uint64` `fixed64` | `u32`, `u64` |
/// | `float`, `double`, `bool` | `f32`, `f64`, `bool` |
/// | `string`, `bytes` | `&'arena str`, `&'arena [u8]` |
/// | `lenient_string` | `&'arena str`; what is not UTF-8 goes to the unknown fields instead of failing the decode |
/// | `enumeration` | a type that derives [`Enumeration`] |
/// | `message`, `group` | a type `M` that derives [`Message`] |
/// | `map = "key, value"` | `defiant::Map<'arena, K, V>`; keys are integers, `bool` or `string`; a message is held inline |
/// | `oneof = "path"` | `Option<E>`, where `E` at `path` derives [`Oneof`]; `oneof` alone does, too |
/// | `unknown` | `defiant::UnknownFields<'arena>`; every message has exactly one such field |
///
/// and besides
///
/// | word | meaning |
/// |---|---|
/// | `tag = 1` or `tag = "1"` | the field number, 1 to 536,870,911 without 19,000 to 19,999 |
/// | `tags = "10, 11"` | of a oneof: the field numbers of its members |
/// | `optional` | explicit presence: `Option<T>`, for a message `Option<&'arena M>` |
/// | `required` | `T`; decoding reports a message without it, also one that a later member of its oneof or a later entry of its map replaces. A message stays `Option<&'arena M>` |
/// | `repeated` | `&'arena [T]` |
/// | `packed = false` | of a repeated number, `bool` or enumeration: written unpacked. Both forms are always read |
/// | `inline` | of a singular message or group: held as `Option<M>` inside the struct |
/// | `lazy` | of a `message`: stays encoded until it is asked for, held as `Option<defiant::Lazy<'arena, M>>`, repeated as `&'arena [defiant::Lazy<'arena, M>]` |
/// | `default = 7` | of an `optional` or `required` scalar or enumeration: any constant expression |
/// | `name = "type"` | the proto name, where it differs from that of the Rust field |
/// | `json_name = "kind"` | the name in JSON, where it is not the proto name in camel case |
/// | `debug_redact` | its values are kept out of what is made for people to read |
///
/// Without a cardinality, a scalar has implicit presence (`T`, not written when zero) and a message is `optional`.
///
/// # Accessors
///
/// A field with explicit presence gets a method of its name and visibility that returns the value, or its default
/// when unset: `person.id()` is an `i32`. That of a `lazy` message decodes it, so it takes the arena and may fail. An accessor never shadows a method of `Message` or of `Clone`, `Default`,
/// `PartialEq` and `Debug`: the accessor of a field `encode` is `encode_`.
#[proc_macro_derive(Message, attributes(defiant))]
pub fn message(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    output(schema::Message::read(&input).map(|message| expand::message(&message)))
}

/// Makes an enum the members of a oneof.
///
/// ```text
/// #[derive(Clone, Copy, Debug, PartialEq, defiant::Oneof)]
/// pub enum Payload<'arena> {
///     #[defiant(string, tag = 10)]
///     Text(&'arena str),
///     #[defiant(message, tag = 11)]
///     Place(&'arena Point<'arena>),
/// }
/// ```
///
/// Every variant holds exactly one value: a scalar, an enumeration, `&'arena M` for a `message` or `group`, or `M`
/// with `inline`. The enum has one lifetime parameter, or none if no variant needs it. The message names it with
/// `#[defiant(oneof = "person::Payload", tags = "10, 11")]`; `tags` lists the field numbers of all variants.
///
/// On a variant stand a type word as for a field of a [`Message`], `tag`, `inline`, and `name` for the proto name where
/// that is not the variant's in snake case (`HomeAddress` is `home_address`). On the enum stand `crate` and
/// `optimize_for` as for a message.
#[proc_macro_derive(Oneof, attributes(defiant))]
pub fn oneof(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    output(schema::Oneof::read(&input).map(|oneof| expand::oneof(&oneof)))
}

/// Makes a newtype an open enumeration, or a Rust enum a closed one.
///
/// # Open
///
/// An open enumeration holds every `i32`; its values are associated constants, usable in patterns:
///
/// ```text
/// #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, defiant::Enumeration)]
/// #[repr(transparent)]
/// #[defiant(name = "tutorial.Color", open(
///     /// As in roses.
///     Red = 0 "COLOR_RED",
///     Green = 1 "COLOR_GREEN",
///     Rouge = 0 "COLOR_ROUGE", // an alias of Red
/// ))]
/// pub struct Color(pub i32);
/// ```
///
/// The first value is 0. The text behind the number is the proto name; without it, the name of the constant.
/// `Debug` comes with it and prints `Red`, or `Color(7)` for a number without a name; `debug = false` leaves it to you.
/// `From<i32>` comes with it, too.
///
/// # Closed
///
/// A closed enumeration is a Rust enum; decoding puts numbers it does not know into the unknown fields:
///
/// ```text
/// #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, defiant::Enumeration)]
/// #[repr(i32)]
/// #[defiant(name = "tutorial.Kind", alias(Alpha = 1 "KIND_ALPHA"))]
/// pub enum Kind {
///     #[defiant(name = "KIND_A")]
///     A = 1,
///     B = -2,
/// }
/// ```
///
/// Every variant has its number; the first is the default. `alias(...)` gives a number a second name, as an associated
/// constant. `TryFrom<i32>` comes with it.
///
/// # Both
///
/// `Default`, `From<Self> for i32`, `defiant::Enumeration`, and the methods `as_str_name` and `from_str_name`, which
/// convert to and from proto names. On the item also stand `name`, the full proto name, and `crate` as for a message.
#[proc_macro_derive(Enumeration, attributes(defiant))]
pub fn enumeration(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    output(schema::Enumeration::read(&input).map(|enumeration| expand::enumeration(&enumeration)))
}

/// The impls, or the mistakes as `compile_error!`.
fn output(result: syn::Result<proc_macro2::TokenStream>) -> TokenStream {
    result.unwrap_or_else(|error| error.to_compile_error()).into()
}
