//! The fields of messages.
#![expect(unsafe_code, reason = "descriptors point to default values, and to what their kind says")]

use core::fmt;
use core::ptr::NonNull;

use super::{Access, EnumDescriptor, FieldShape, InlineAccess, LazyAccess, MapAccess, MessageDescriptor, Names, Plain};

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
#[repr(u8)]
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
    /// Messages of a type whose descriptor lives as long as what links to it. An address, because messages may hold
    /// themselves: a constant with a reference would be checked by looking through it.
    Message(NonNull<MessageDescriptor>),
    /// Values of an enum.
    Enum(&'static EnumDescriptor),
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Not the type of messages: those may hold themselves.
        f.write_str(match self {
            Link::None => "None",
            Link::Message(_) => "Message",
            Link::Enum(_) => "Enum",
        })
    }
}

/// The one address that is in a descriptor besides those of its names and of its default; which one, `how` and `kind` say.
#[derive(Clone, Copy)]
union Target {
    none: (),
    message: NonNull<MessageDescriptor>,
    enumeration: &'static EnumDescriptor,
    inline: &'static InlineAccess,
    lazy: &'static LazyAccess,
    map: &'static MapAccess,
}

/// [`Access`] without what it holds.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum How {
    Implicit,
    Required,
    Optional,
    Reference,
    Inline,
    List,
    Map,
    Member,
    Variant,
}

/// [`Plain`] without what it holds.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Kind {
    Bool,
    I32,
    I64,
    U32,
    U64,
    F32,
    F64,
    Str,
    Bytes,
    Enum,
    Message,
    Lazy,
}

/// A field of a message, or a member of a oneof.
///
/// There is one for each field of a program, so it is small: every address in it takes a relocation as well, and what is
/// the same for all fields of a Rust type is behind one.
///
/// Invariant: the access that `how`, `kind` and `target` say is that of a field of the message's type at `offset`, of `size`
/// bytes. `target` is, for `How::Inline` and `How::Map`, what those need; else, for a kind that is an enum, a message or
/// a lazy message, that one's. `default`, unless null, points to a value that the access reads as a single one, and that
/// lives as long as the descriptor. `text` and the lengths behind it are those of `Names`.
pub struct FieldDescriptor {
    text: NonNull<u8>,
    target: Target,
    pub(crate) default: *const u8,
    pub(crate) number: u32,
    pub(crate) offset: u32,
    pub(crate) size: u32,
    name_lens: [u16; 3],
    /// Index of the oneof, or `NO_ONEOF`.
    pub(crate) oneof: u16,
    pub(crate) ty: Type,
    how: How,
    kind: Kind,
    flags: u8,
}

const _: () = assert!(size_of::<usize>() != 8 || size_of::<FieldDescriptor>() == 48, "a program has many of them");

pub(crate) const NO_ONEOF: u16 = u16::MAX;

/// Flags: the cardinality, which is a number below four, and what is or is not so.
const CARDINALITY: u8 = 3;
const PRESENCE: u8 = 4;
const PACKED: u8 = 8;
const REDACTED: u8 = 16;

// SAFETY: descriptors and what they point to are not written to.
unsafe impl Send for FieldDescriptor {}
// SAFETY: as above.
unsafe impl Sync for FieldDescriptor {}

impl FieldDescriptor {
    pub(crate) const fn of_shape(shape: FieldShape, offset: u32, size: u32, number: u32, names: Names) -> Self {
        let FieldShape { ty, cardinality, presence, packed, link, access } = shape;
        let link = match link {
            Link::None => Target { none: () },
            Link::Message(message) => Target { message },
            Link::Enum(enumeration) => Target { enumeration },
        };
        let (how, kind, target) = match access {
            Access::Implicit(plain) => of_plain(How::Implicit, plain, link),
            Access::Required(plain) => of_plain(How::Required, plain, link),
            Access::Optional(plain) => of_plain(How::Optional, plain, link),
            Access::List(plain) => of_plain(How::List, plain, link),
            Access::Variant(plain) => of_plain(How::Variant, plain, link),
            Access::Reference => (How::Reference, Kind::Message, link),
            Access::Inline(inline) => (How::Inline, Kind::Message, Target { inline }),
            Access::Map(map) => {
                let (_, kind, _) = of_plain(How::Map, map.value, link);
                (How::Map, kind, Target { map })
            }
            Access::Member => of_plain(How::Member, Plain::of(ty), link),
        };
        let (text, name_lens) = names.into_parts();
        let mut flags = cardinality as u8;
        if presence {
            flags |= PRESENCE;
        }
        if packed {
            flags |= PACKED;
        }
        FieldDescriptor {
            text,
            target,
            default: core::ptr::null(),
            number,
            offset,
            size,
            name_lens,
            oneof: NO_ONEOF,
            ty,
            how,
            kind,
            flags,
        }
    }

    /// The same as a member of the oneof with an index.
    pub(crate) const fn member_of(mut self, oneof: u16) -> Self {
        self.oneof = oneof;
        self.flags |= PRESENCE;
        self
    }

    /// The same, required.
    pub(crate) const fn required(mut self) -> Self {
        self.flags = self.flags & !CARDINALITY | Cardinality::Required as u8;
        self
    }

    /// The same with the option `debug_redact`.
    pub(crate) const fn redacted(mut self) -> Self {
        self.flags |= REDACTED;
        self
    }

    #[inline(always)]
    pub(crate) const fn is_required(&self) -> bool {
        self.flags & CARDINALITY == Cardinality::Required as u8
    }

    /// The names.
    #[inline(always)]
    pub(crate) const fn names(&self) -> Names {
        // SAFETY: the parts of names.
        unsafe { Names::from_parts(self.text, self.name_lens) }
    }

    /// How the field lies in its message.
    #[inline(always)]
    pub(crate) fn access(&self) -> Access {
        match self.how {
            How::Implicit => Access::Implicit(self.single()),
            How::Required => Access::Required(self.single()),
            How::Optional => Access::Optional(self.single()),
            How::Reference => Access::Reference,
            // SAFETY: the invariant.
            How::Inline => Access::Inline(unsafe { self.target.inline }),
            How::List => Access::List(self.single()),
            // SAFETY: the invariant.
            How::Map => Access::Map(unsafe { self.target.map }),
            How::Member => Access::Member,
            How::Variant => Access::Variant(self.single()),
        }
    }

    /// How a value lies in memory, of a field that is neither a map nor inline.
    #[inline(always)]
    fn single(&self) -> Plain {
        match self.kind {
            Kind::Bool => Plain::Bool,
            Kind::I32 => Plain::I32,
            Kind::I64 => Plain::I64,
            Kind::U32 => Plain::U32,
            Kind::U64 => Plain::U64,
            Kind::F32 => Plain::F32,
            Kind::F64 => Plain::F64,
            Kind::Str => Plain::Str,
            Kind::Bytes => Plain::Bytes,
            // SAFETY: the invariant.
            Kind::Enum => Plain::Enum(unsafe { self.target.enumeration }.access),
            // SAFETY: the invariant; the descriptor lives as long as this.
            Kind::Message => Plain::Message(unsafe { self.target.message.as_ref() }.layout),
            // SAFETY: the invariant.
            Kind::Lazy => Plain::Lazy(unsafe { self.target.lazy }),
        }
    }

    /// How a value is kept lazy, if it is.
    pub(crate) fn lazy(&self) -> Option<&'static LazyAccess> {
        match (self.how, self.kind) {
            // SAFETY: the invariant.
            (How::Map, Kind::Lazy) => match unsafe { self.target.map }.value {
                Plain::Lazy(access) => Some(access),
                _ => None,
            },
            // SAFETY: the invariant.
            (_, Kind::Lazy) => Some(unsafe { self.target.lazy }),
            _ => None,
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
        self.names().name()
    }

    /// The name in JSON: `homeAddress`, or what the option `json_name` says.
    #[must_use]
    pub fn json_name(&self) -> &str {
        self.names().json_name()
    }

    /// The type of the field's values; of a map, of its values.
    #[must_use]
    pub fn ty(&self) -> Type {
        self.ty
    }

    /// How many values the field has.
    #[must_use]
    pub fn cardinality(&self) -> Cardinality {
        match self.flags & CARDINALITY {
            0 => Cardinality::Optional,
            1 => Cardinality::Required,
            _ => Cardinality::Repeated,
        }
    }

    /// Whether the field is repeated, and no map.
    #[must_use]
    pub fn is_list(&self) -> bool {
        self.cardinality() == Cardinality::Repeated && self.how != How::Map
    }

    /// Whether the field is a map.
    #[must_use]
    pub fn is_map(&self) -> bool {
        self.how == How::Map
    }

    /// The type of a map's keys; of other fields, `None`.
    #[must_use]
    pub fn key_type(&self) -> Option<Type> {
        match self.how {
            // SAFETY: the invariant.
            How::Map => Some(unsafe { self.target.map }.key_type),
            _ => None,
        }
    }

    /// Whether the field tells being unset from being zero: explicit presence.
    /// <https://protobuf.dev/programming-guides/field_presence/>
    #[must_use]
    pub fn has_presence(&self) -> bool {
        self.flags & PRESENCE != 0
    }

    /// Whether a repeated field is written packed.
    #[must_use]
    pub fn is_packed(&self) -> bool {
        self.flags & PACKED != 0
    }

    /// Whether the option `debug_redact` keeps the field's values out of what is made for reading.
    #[must_use]
    pub fn is_redacted(&self) -> bool {
        self.flags & REDACTED != 0
    }

    /// The index of the oneof that the field is a member of, in [`MessageDescriptor::oneofs`].
    #[must_use]
    pub fn oneof(&self) -> Option<usize> {
        (self.oneof != NO_ONEOF).then_some(usize::from(self.oneof))
    }

    /// The type of the messages in the field, or of those that are a map's values.
    #[must_use]
    pub fn message(&self) -> Option<&MessageDescriptor> {
        let descriptor = match (self.how, self.kind) {
            // SAFETY: the invariant.
            (How::Map, Kind::Message | Kind::Lazy) => match unsafe { self.target.map }.link {
                Link::Message(descriptor) => descriptor,
                Link::None | Link::Enum(_) => return None,
            },
            // SAFETY: the invariant.
            (How::Inline, _) => unsafe { self.target.inline }.message,
            // SAFETY: the invariant.
            (_, Kind::Lazy) => unsafe { self.target.lazy }.message,
            // SAFETY: the invariant.
            (_, Kind::Message) => unsafe { self.target.message },
            _ => return None,
        };
        // SAFETY: it lives as long as this.
        Some(unsafe { descriptor.as_ref() })
    }

    /// The enum of the field's values, or of a map's.
    #[must_use]
    pub fn enumeration(&self) -> Option<&EnumDescriptor> {
        match (self.how, self.kind) {
            // SAFETY: the invariant.
            (How::Map, Kind::Enum) => match unsafe { self.target.map }.link {
                Link::Enum(descriptor) => Some(descriptor),
                Link::None | Link::Message(_) => None,
            },
            // SAFETY: the invariant.
            (_, Kind::Enum) => Some(unsafe { self.target.enumeration }),
            _ => None,
        }
    }
}

/// What a kind takes of an access: the kind, and of a lazy message how it is read.
const fn of_plain(how: How, plain: Plain, link: Target) -> (How, Kind, Target) {
    let kind = match plain {
        Plain::Bool => Kind::Bool,
        Plain::I32 => Kind::I32,
        Plain::I64 => Kind::I64,
        Plain::U32 => Kind::U32,
        Plain::U64 => Kind::U64,
        Plain::F32 => Kind::F32,
        Plain::F64 => Kind::F64,
        Plain::Str => Kind::Str,
        Plain::Bytes => Kind::Bytes,
        Plain::Enum(_) => Kind::Enum,
        Plain::Message(_) => Kind::Message,
        Plain::Lazy(lazy) => return (how, Kind::Lazy, Target { lazy }),
    };
    (how, kind, link)
}

impl fmt::Debug for FieldDescriptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FieldDescriptor { number, ty, .. } = self;
        f.debug_struct("FieldDescriptor")
            .field("number", number)
            .field("name", &self.name())
            .field("ty", ty)
            .field("cardinality", &self.cardinality())
            .finish_non_exhaustive()
    }
}
