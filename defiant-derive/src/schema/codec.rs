//! What a field can be: a codec (the proto type) inside a cardinality.

/// The proto type of a scalar or an enumeration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Codec {
    Int32,
    Int64,
    Uint32,
    Uint64,
    Sint32,
    Sint64,
    Fixed32,
    Fixed64,
    Sfixed32,
    Sfixed64,
    Float,
    Double,
    Bool,
    Str,
    LenientStr,
    Bytes,
    Enum,
}

/// The wire types a tag can have, by their number on the wire.
pub(crate) mod wire_type {
    pub(crate) const VARINT: u32 = 0;
    pub(crate) const FIXED64: u32 = 1;
    pub(crate) const LENGTH_DELIMITED: u32 = 2;
    pub(crate) const START_GROUP: u32 = 3;
    pub(crate) const FIXED32: u32 = 5;
    /// None of the wire's: the runtime's for packed values and those that an enum does not have.
    pub(crate) const PACKED_OR_ALONE: u32 = 7;
}

impl Codec {
    /// All codecs with the word of the attribute, the name of the marker in `defiant::__private` and the value that
    /// stands for "unset" in documentation.
    const ALL: &'static [(Self, &'static str, &'static str, &'static str)] = &[
        (Self::Int32, "int32", "Int32", "`0`"),
        (Self::Int64, "int64", "Int64", "`0`"),
        (Self::Uint32, "uint32", "Uint32", "`0`"),
        (Self::Uint64, "uint64", "Uint64", "`0`"),
        (Self::Sint32, "sint32", "Sint32", "`0`"),
        (Self::Sint64, "sint64", "Sint64", "`0`"),
        (Self::Fixed32, "fixed32", "Fixed32", "`0`"),
        (Self::Fixed64, "fixed64", "Fixed64", "`0`"),
        (Self::Sfixed32, "sfixed32", "Sfixed32", "`0`"),
        (Self::Sfixed64, "sfixed64", "Sfixed64", "`0`"),
        (Self::Float, "float", "Float", "`0.0`"),
        (Self::Double, "double", "Double", "`0.0`"),
        (Self::Bool, "bool", "Bool", "`false`"),
        (Self::Str, "string", "Str", "the empty string"),
        (Self::LenientStr, "lenient_string", "LenientStr", "the empty string"),
        (Self::Bytes, "bytes", "Bytes", "the empty slice"),
        (Self::Enum, "enumeration", "Enum", "the default of its enumeration"),
    ];

    fn row(self) -> (&'static str, &'static str) {
        Self::ALL.iter().find(|row| row.0 == self).map_or(("", ""), |row| (row.2, row.3))
    }

    /// The codec of a type word.
    pub(super) fn of(word: &str) -> Option<Self> {
        Self::ALL.iter().find(|row| row.1 == word).map(|row| row.0)
    }

    /// The type word: `string`.
    pub(crate) fn word(self) -> &'static str {
        Self::ALL.iter().find(|row| row.0 == self).map_or("", |row| row.1)
    }

    /// The marker in `defiant::__private`: `Str`.
    pub(crate) fn marker(self) -> &'static str {
        self.row().0
    }

    /// The value of an unset field, for documentation.
    pub(crate) fn zero(self) -> &'static str {
        self.row().1
    }

    pub(crate) fn wire_type(self) -> u32 {
        match self {
            Self::Fixed64 | Self::Sfixed64 | Self::Double => wire_type::FIXED64,
            Self::Fixed32 | Self::Sfixed32 | Self::Float => wire_type::FIXED32,
            Self::Str | Self::LenientStr | Self::Bytes => wire_type::LENGTH_DELIMITED,
            _ => wire_type::VARINT,
        }
    }

    /// Whether a repeated field of this type can be packed.
    pub(crate) fn is_packable(self) -> bool {
        !matches!(self, Self::Str | Self::LenientStr | Self::Bytes)
    }

    /// Whether the wire may have values that the Rust type has not; they go to the unknown fields.
    pub(crate) fn is_partial(self) -> bool {
        matches!(self, Self::LenientStr | Self::Enum)
    }

    /// Whether a map can have keys of this type.
    /// <https://protobuf.dev/programming-guides/proto3/#maps>
    pub(super) fn is_map_key(self) -> bool {
        !matches!(self, Self::Float | Self::Double | Self::Bytes | Self::Enum)
    }
}

/// How many values a message field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cardinality {
    Optional,
    Required,
    Repeated,
}

/// The values of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MapValue {
    Codec(Codec),
    Message,
}

/// A type inside a cardinality.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Implicit(Codec),
    Optional(Codec),
    Required(Codec),
    Repeated {
        codec: Codec,
        packed: bool,
    },
    Message {
        group: bool,
        inline: bool,
        cardinality: Cardinality,
    },
    /// A message that stays encoded.
    Lazy(Cardinality),
    Map(Codec, MapValue),
}

impl Shape {
    pub(crate) fn is_required(self) -> bool {
        matches!(
            self,
            Self::Required(_)
                | Self::Message { cardinality: Cardinality::Required, .. }
                | Self::Lazy(Cardinality::Required)
        )
    }

    /// Whether a field mask may go on behind it. What is lazy may be malformed inside.
    pub(crate) fn is_singular_message(self) -> bool {
        matches!(self, Self::Message { cardinality, .. } if cardinality != Cardinality::Repeated)
    }

    /// The wire type the field is written with, and read with (packable fields are read from both wire types).
    pub(crate) fn wire_type(self) -> u32 {
        match self {
            Self::Implicit(codec) | Self::Optional(codec) | Self::Required(codec) | Self::Repeated { codec, .. } => {
                codec.wire_type()
            }
            Self::Message { group: true, .. } => wire_type::START_GROUP,
            Self::Message { group: false, .. } | Self::Lazy(_) | Self::Map(..) => wire_type::LENGTH_DELIMITED,
        }
    }

    /// The wire types that values of the field are kept and written with: one, but for packed enums, of which those that the
    /// enum does not have stand alone.
    pub(crate) fn kept_as(self) -> u32 {
        match self {
            Self::Repeated { codec: Codec::Enum, packed: true } => wire_type::PACKED_OR_ALONE,
            Self::Repeated { packed: true, .. } => wire_type::LENGTH_DELIMITED,
            shape => shape.wire_type(),
        }
    }
}
