//! How JSON is written and read.

use core::fmt;

use crate::arena::Arena;
use crate::message::LONGEST;
use crate::reflect::{Resolver, Store};

/// How a message is written.
///
/// ```
/// use defiant::json::EncodeOptions;
/// use defiant::{Message, UnknownFields};
///
/// #[derive(Clone, Copy, Debug, PartialEq, Message)]
/// struct Point<'arena> {
///     #[defiant(sint32, tag = 1)]
///     x_axis: i32,
///     #[defiant(sint32, tag = 2)]
///     y_axis: i32,
///     #[defiant(unknown)]
///     unknown_fields: UnknownFields<'arena>,
/// }
///
/// let point = Point { x_axis: 3, ..Point::default() };
/// let options = EncodeOptions::new().preserve_proto_field_names(true).always_print_fields_with_no_presence(true);
/// assert_eq!(options.encode(&point)?, r#"{"x_axis":3,"y_axis":0}"#);
/// # Ok::<(), defiant::json::EncodeError>(())
/// ```
#[derive(Clone, Copy)]
pub struct EncodeOptions<'r> {
    pub(super) pretty: bool,
    pub(super) proto_names: bool,
    pub(super) all_fields: bool,
    pub(super) enum_numbers: bool,
    pub(super) recursion_limit: u32,
    pub(super) resolver: Option<&'r dyn Resolver>,
}

impl Default for EncodeOptions<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'r> EncodeOptions<'r> {
    /// Compact, with JSON names, enum names and only fields that are set; 100 levels; no resolver.
    #[must_use]
    pub const fn new() -> Self {
        EncodeOptions {
            pretty: false,
            proto_names: false,
            all_fields: false,
            enum_numbers: false,
            recursion_limit: 100,
            resolver: None,
        }
    }

    /// Limits the levels of messages inside the outermost one. The default is 100.
    ///
    /// Stops messages that were built by hand or at run time from overflowing the stack. A message that is written as an
    /// object or an array counts, which includes `Any`, `Struct` and `ListValue`. A message that was decoded with this limit,
    /// from the wire, JSON or text, never exceeds it.
    ///
    /// An encode that exceeds the limit fails with [`is_recursion_limit`](super::EncodeError::is_recursion_limit). The error
    /// names the path.
    #[must_use]
    pub const fn recursion_limit(mut self, levels: u32) -> Self {
        self.recursion_limit = levels;
        self
    }

    /// Whether every field has a line of its own, indented by two spaces for each level.
    #[must_use]
    pub const fn pretty(mut self, pretty: bool) -> Self {
        self.pretty = pretty;
        self
    }

    /// Whether keys are the names in the `.proto` file, `home_address`, and not those of JSON, `homeAddress`.
    #[must_use]
    pub const fn preserve_proto_field_names(mut self, preserve: bool) -> Self {
        self.proto_names = preserve;
        self
    }

    /// Whether fields that cannot tell being unset from being zero are written when they are zero: those with implicit
    /// presence, lists and maps.
    #[must_use]
    pub const fn always_print_fields_with_no_presence(mut self, always: bool) -> Self {
        self.all_fields = always;
        self
    }

    /// Whether values of enums are written as their numbers, and not as their names.
    #[must_use]
    pub const fn enums_as_numbers(mut self, numbers: bool) -> Self {
        self.enum_numbers = numbers;
        self
    }

    /// What finds the types of messages in a `google.protobuf.Any`, and extensions. Without one, the former are an error,
    /// and the latter are not written.
    #[must_use]
    pub const fn resolver(mut self, resolver: &'r dyn Resolver) -> Self {
        self.resolver = Some(resolver);
        self
    }
}

impl fmt::Debug for EncodeOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EncodeOptions")
            .field("pretty", &self.pretty)
            .field("preserve_proto_field_names", &self.proto_names)
            .field("always_print_fields_with_no_presence", &self.all_fields)
            .field("enums_as_numbers", &self.enum_numbers)
            .field("recursion_limit", &self.recursion_limit)
            .field("resolver", &self.resolver.is_some())
            .finish()
    }
}

/// What is accepted, and how much.
///
/// ```
/// use defiant::json::DecodeOptions;
/// use defiant::{Arena, Message, UnknownFields};
///
/// #[derive(Clone, Copy, Debug, PartialEq, Message)]
/// struct Point<'arena> {
///     #[defiant(sint32, tag = 1)]
///     x: i32,
///     #[defiant(unknown)]
///     unknown_fields: UnknownFields<'arena>,
/// }
///
/// let arena = Arena::new();
/// let text = r#"{"x": 3, "z": [1, 2]}"#;
/// assert!(defiant::json::decode::<Point<'_>>(text, &arena).is_err_and(|error| error.is_unknown_field()));
/// let point: Point<'_> = DecodeOptions::new().ignore_unknown_fields(true).decode(text, &arena)?;
/// assert_eq!(point.x, 3);
/// # Ok::<(), defiant::json::DecodeError>(())
/// ```
#[derive(Clone, Copy)]
pub struct DecodeOptions<'r> {
    pub(super) ignore_unknown: bool,
    pub(super) recursion_limit: u32,
    pub(super) memory_limit: usize,
    pub(super) size_limit: usize,
    elements_limit: usize,
    string_limit: usize,
    pub(super) resolver: Option<&'r dyn Resolver>,
}

impl Default for DecodeOptions<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'r> DecodeOptions<'r> {
    /// 100 levels, 1 GiB of arena memory a message, unknown fields are an error; no resolver.
    #[must_use]
    pub const fn new() -> Self {
        DecodeOptions {
            ignore_unknown: false,
            recursion_limit: 100,
            memory_limit: 1 << 30,
            size_limit: LONGEST,
            elements_limit: usize::MAX,
            string_limit: usize::MAX,
            resolver: None,
        }
    }

    /// Whether fields that a message does not have are passed over, and enum values that an enum does not have, together
    /// with the field, element or entry that has such a value.
    #[must_use]
    pub const fn ignore_unknown_fields(mut self, ignore: bool) -> Self {
        self.ignore_unknown = ignore;
        self
    }

    /// Levels of objects and arrays inside the outermost one; what is passed over counts.
    ///
    /// It protects the stack. The default is 100.
    #[must_use]
    pub const fn recursion_limit(mut self, levels: u32) -> Self {
        self.recursion_limit = levels;
        self
    }

    /// Bytes that one decode may take from the arena, the copy of the text included.
    #[must_use]
    pub const fn memory_limit(mut self, bytes: usize) -> Self {
        self.memory_limit = bytes;
        self
    }

    /// Bytes that a text may have; one that has more is not looked at. With it, the number of elements and the lengths of
    /// strings are limited as well. What serde reads is limited where it comes from. The default is 2 GiB less a byte.
    #[must_use]
    pub const fn size_limit(mut self, bytes: usize) -> Self {
        self.size_limit = bytes;
        self
    }

    /// Elements of lists and entries of maps that one text may have, in all messages together, those in an `Any` and in
    /// extensions included.
    ///
    /// It protects what is done with each of them, as that [of the wire](crate::DecodeOptions::elements_limit) does. The
    /// default is no limit but those of size and memory.
    #[must_use]
    pub const fn elements_limit(mut self, elements: usize) -> Self {
        self.elements_limit = elements;
        self
    }

    /// Bytes that each value of type `string` or `bytes` may have, without escapes and decoded from base64, the
    /// keys of maps included.
    ///
    /// It protects what is done with a string, as that [of the wire](crate::DecodeOptions::string_limit) does. Of an `Any` that
    /// is written expanded, the URL counts and what is in the message, not the bytes that the message becomes. The default is no
    /// limit but those of size and memory.
    #[must_use]
    pub const fn string_limit(mut self, bytes: usize) -> Self {
        self.string_limit = bytes;
        self
    }

    /// Memory for one text.
    pub(super) fn store<'arena>(&self, arena: &'arena Arena) -> Store<'arena> {
        Store::new(arena, self.memory_limit).with_limits(self.elements_limit, self.string_limit, self.recursion_limit)
    }

    /// What finds the types of messages in a `google.protobuf.Any`, and extensions. Without one, the former are an error,
    /// and the latter are unknown fields.
    #[must_use]
    pub const fn resolver(mut self, resolver: &'r dyn Resolver) -> Self {
        self.resolver = Some(resolver);
        self
    }
}

impl fmt::Debug for DecodeOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DecodeOptions")
            .field("ignore_unknown_fields", &self.ignore_unknown)
            .field("recursion_limit", &self.recursion_limit)
            .field("memory_limit", &self.memory_limit)
            .field("size_limit", &self.size_limit)
            .field("elements_limit", &self.elements_limit)
            .field("string_limit", &self.string_limit)
            .field("resolver", &self.resolver.is_some())
            .finish()
    }
}
