//! The fields of messages.
#![expect(unsafe_code, reason = "descriptors point to default values")]

use core::fmt;
use core::ptr::NonNull;

use super::{Access, EnumDescriptor, FieldShape, MessageDescriptor, Names};

/// The proto type of a field.
///
/// Numbers are those of `google.protobuf.FieldDescriptorProto.Type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Type {
    /// `double`
    Double = 1,
    /// `float`
    Float = 2,
    /// `int64`
    Int64 = 3,
    /// `uint64`
    Uint64 = 4,
    /// `int32`
    Int32 = 5,
    /// `fixed64`
    Fixed64 = 6,
    /// `fixed32`
    Fixed32 = 7,
    /// `bool`
    Bool = 8,
    /// `string`
    String = 9,
    /// A group, or a message with `features.message_encoding = DELIMITED`.
    Group = 10,
    /// A message.
    Message = 11,
    /// `bytes`
    Bytes = 12,
    /// `uint32`
    Uint32 = 13,
    /// An enum.
    Enum = 14,
    /// `sfixed32`
    Sfixed32 = 15,
    /// `sfixed64`
    Sfixed64 = 16,
    /// `sint32`
    Sint32 = 17,
    /// `sint64`
    Sint64 = 18,
}

/// How many values a field has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cardinality {
    /// None or one.
    Optional,
    /// One.
    Required,
    /// Any number; maps, too.
    Repeated,
}

/// What a field's values are, if they are no scalars.
#[derive(Clone, Copy)]
pub(crate) enum Link {
    /// Scalars.
    None,
    /// Messages; a function, because messages may hold themselves.
    Message(fn() -> &'static MessageDescriptor),
    /// Messages of a type that was made at run time, and lives as long as what links to it.
    #[cfg_attr(not(feature = "dynamic"), allow(dead_code, reason = "made for pools"))]
    MessageAt(NonNull<MessageDescriptor>),
    /// Values of an enum.
    Enum(&'static EnumDescriptor),
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Not the type of messages: those may hold themselves.
        f.write_str(match self {
            Link::None => "None",
            Link::Message(_) | Link::MessageAt(_) => "Message",
            Link::Enum(_) => "Enum",
        })
    }
}

/// A field of a message, or a member of a oneof.
///
/// Invariant: `access` is that of a field of the message's type at `offset`, of `size` bytes; `default`, unless null, points
/// to a value that `access` reads as a single one, and that lives as long as the descriptor.
pub struct FieldDescriptor {
    pub(crate) number: u32,
    pub(crate) offset: u32,
    pub(crate) size: u32,
    pub(crate) names: Names,
    pub(crate) ty: Type,
    pub(crate) cardinality: Cardinality,
    pub(crate) presence: bool,
    pub(crate) packed: bool,
    pub(crate) redacted: bool,
    /// The type of a map's keys.
    pub(crate) key: Option<Type>,
    /// Index of the oneof, or `NO_ONEOF`.
    pub(crate) oneof: u16,
    pub(crate) link: Link,
    pub(crate) access: Access,
    pub(crate) default: *const u8,
}

pub(crate) const NO_ONEOF: u16 = u16::MAX;

// SAFETY: descriptors and what they point to are not written to.
unsafe impl Send for FieldDescriptor {}
// SAFETY: as above.
unsafe impl Sync for FieldDescriptor {}

impl FieldDescriptor {
    pub(crate) const fn of_shape(shape: FieldShape, offset: u32, size: u32, number: u32, names: Names) -> Self {
        let FieldShape { ty, cardinality, presence, packed, key, link, access } = shape;
        FieldDescriptor {
            number,
            offset,
            size,
            names,
            ty,
            cardinality,
            presence,
            packed,
            redacted: false,
            key,
            oneof: NO_ONEOF,
            link,
            access,
            default: core::ptr::null(),
        }
    }

    /// The field number.
    #[must_use]
    pub fn number(&self) -> u32 {
        self.number
    }

    /// The name as in the `.proto` file: `home_address`.
    #[must_use]
    pub fn name(&self) -> &str {
        self.names.name()
    }

    /// The name in JSON: `homeAddress`, or what the option `json_name` says.
    #[must_use]
    pub fn json_name(&self) -> &str {
        self.names.json_name()
    }

    /// The type of the field's values; of a map, of its values.
    #[must_use]
    pub fn ty(&self) -> Type {
        self.ty
    }

    /// How many values the field has.
    #[must_use]
    pub fn cardinality(&self) -> Cardinality {
        self.cardinality
    }

    /// Whether the field is repeated, and no map.
    #[must_use]
    pub fn is_list(&self) -> bool {
        self.cardinality == Cardinality::Repeated && self.key.is_none()
    }

    /// Whether the field is a map.
    #[must_use]
    pub fn is_map(&self) -> bool {
        self.key.is_some()
    }

    /// The type of a map's keys; of other fields, `None`.
    #[must_use]
    pub fn key_type(&self) -> Option<Type> {
        self.key
    }

    /// Whether the field tells being unset from being zero: explicit presence.
    /// <https://protobuf.dev/programming-guides/field_presence/>
    #[must_use]
    pub fn has_presence(&self) -> bool {
        self.presence
    }

    /// Whether a repeated field is written packed.
    #[must_use]
    pub fn is_packed(&self) -> bool {
        self.packed
    }

    /// Whether the option `debug_redact` keeps the field's values out of what is made for reading.
    #[must_use]
    pub fn is_redacted(&self) -> bool {
        self.redacted
    }

    /// The index of the oneof that the field is a member of, in [`MessageDescriptor::oneofs`].
    #[must_use]
    pub fn oneof(&self) -> Option<usize> {
        (self.oneof != NO_ONEOF).then_some(usize::from(self.oneof))
    }

    /// The type of the messages in the field, or of those that are a map's values.
    #[must_use]
    pub fn message(&self) -> Option<&MessageDescriptor> {
        match self.link {
            Link::Message(descriptor) => Some(descriptor()),
            // SAFETY: it lives as long as this.
            Link::MessageAt(descriptor) => Some(unsafe { descriptor.as_ref() }),
            Link::None | Link::Enum(_) => None,
        }
    }

    /// The enum of the field's values, or of a map's.
    #[must_use]
    pub fn enumeration(&self) -> Option<&EnumDescriptor> {
        match self.link {
            Link::Enum(descriptor) => Some(descriptor),
            Link::None | Link::Message(_) | Link::MessageAt(_) => None,
        }
    }
}

impl fmt::Debug for FieldDescriptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FieldDescriptor { number, names, ty, cardinality, .. } = self;
        f.debug_struct("FieldDescriptor")
            .field("number", number)
            .field("name", &names.name())
            .field("ty", ty)
            .field("cardinality", cardinality)
            .finish_non_exhaustive()
    }
}
