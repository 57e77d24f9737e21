//! What a program can ask of a message's type while it runs: the names, numbers and types of its fields.
//!
//! `#[derive(Message)]` makes a [`MessageDescriptor`] of every message, as the constant [`Message::DESCRIPTOR`]; the
//! formats for people, JSON and text, are driven by it, and [`reflect`](crate::reflect) reads messages through it.
//!
//! ```
//! use defiant::descriptor::Type;
//! use defiant::{Message, UnknownFields};
//!
//! #[derive(Clone, Copy, Debug, PartialEq, Message)]
//! #[defiant(name = "example.Person")]
//! struct Person<'arena> {
//!     #[defiant(string, tag = 1)]
//!     full_name: &'arena str,
//!     #[defiant(int32, optional, tag = 2)]
//!     age: Option<i32>,
//!     #[defiant(unknown)]
//!     unknown_fields: UnknownFields<'arena>,
//! }
//!
//! let person = Person::DESCRIPTOR;
//! assert_eq!(person.full_name(), "example.Person");
//! let field = person.field_by_name("full_name").expect("declared above");
//! assert_eq!((field.number(), field.json_name(), field.ty()), (1, "fullName", Type::String));
//! assert!(person.field(2).expect("declared above").has_presence());
//! ```
#![expect(unsafe_code, reason = "descriptors point to default values")]

mod access;
mod made;
mod member;
mod shape;
mod well_known;

use core::alloc::Layout;
use core::fmt;
use core::ptr::NonNull;

use crate::enumeration::Enumeration;
use crate::message::Message;
use crate::table::offset_of;
use crate::table::runtime::RuntimeClass;
use crate::unknown::UnknownFields;

pub use access::Raw;
pub(crate) use access::{Access, EnumAccess, InlineAccess, LazyAccess, MapAccess, OneofAccess, Plain};
pub use member::{Member, Membered};
pub use shape::{Described, FieldShape, Reflected};
pub(crate) use well_known::WellKnown;

/// The type of a message.
pub struct MessageDescriptor {
    pub(crate) name: &'static str,
    /// Ascending by number.
    pub(crate) fields: &'static [FieldDescriptor],
    /// Indices of `fields`: in the order of their JSON names, and again in that of their names.
    pub(crate) order: &'static [u16],
    pub(crate) oneofs: &'static [OneofDescriptor],
    pub(crate) layout: Layout,
    /// A message of the type with nothing set, which lives as long as the descriptor.
    pub(crate) default: *const u8,
    /// Where in a message its unknown fields are, in bytes from its start.
    pub(crate) unknown: u32,
    pub(crate) message_set: bool,
    /// Where the struct is declared, as [`site`] makes it: another struct of the same name has another.
    pub(crate) site: u64,
    #[cfg_attr(not(all(feature = "json", feature = "text")), allow(dead_code, reason = "for JSON and text"))]
    pub(crate) well_known: WellKnown,
    /// Names that no field may have, because one had it once.
    pub(crate) reserved: &'static [&'static str],
    /// How messages are decoded and encoded, of a type that was made at run time; it lives as long as the descriptor.
    pub(crate) class: Option<NonNull<RuntimeClass>>,
}

// SAFETY: descriptors and what they point to are not written to.
unsafe impl Send for MessageDescriptor {}
// SAFETY: as above.
unsafe impl Sync for MessageDescriptor {}

impl MessageDescriptor {
    /// What the derive calls: `message` is the default message, `unknown` its unknown fields.
    #[doc(hidden)]
    #[must_use]
    pub const fn new<'arena, M: Message<'arena>>(
        message: &'arena M,
        unknown: &UnknownFields<'arena>,
        oneofs: &'static [OneofDescriptor],
        order: &'static [u16],
        site: u64,
    ) -> Self {
        let name = M::TABLE.name;
        MessageDescriptor {
            name,
            fields: M::__FIELDS,
            order,
            oneofs,
            layout: Layout::new::<M>(),
            default: core::ptr::from_ref(message).cast(),
            unknown: offset_of(message, unknown),
            message_set: false,
            site,
            well_known: WellKnown::of(name),
            reserved: &[],
            class: None,
        }
    }

    /// The same with reserved names.
    #[doc(hidden)]
    #[must_use]
    pub const fn reserved(mut self, names: &'static [&'static str]) -> Self {
        self.reserved = names;
        self
    }

    /// The same for a message set.
    #[doc(hidden)]
    #[must_use]
    pub const fn message_set(mut self) -> Self {
        self.message_set = true;
        self
    }

    /// Full name: package, enclosing messages, name.
    #[must_use]
    pub fn full_name(&self) -> &str {
        self.name
    }

    /// The name without package and enclosing messages.
    #[must_use]
    pub fn name(&self) -> &str {
        self.name.rsplit('.').next().unwrap_or(self.name)
    }

    /// The fields, members of oneofs included, ascending by number.
    #[must_use]
    pub fn fields(&self) -> &[FieldDescriptor] {
        self.fields
    }

    /// The oneofs, ascending by the smallest number among their members.
    #[must_use]
    pub fn oneofs(&self) -> &[OneofDescriptor] {
        self.oneofs
    }

    /// The field of a number.
    #[must_use]
    pub fn field(&self, number: u32) -> Option<&FieldDescriptor> {
        // Most messages number their fields from 1 on without a gap.
        let guess = self.fields.get((number as usize).wrapping_sub(1));
        guess.filter(|field| field.number == number).or_else(|| {
            let index = self.fields.binary_search_by_key(&number, |field| field.number).ok()?;
            self.fields.get(index)
        })
    }

    /// The field of a name as in the `.proto` file: `home_address`.
    #[must_use]
    pub fn field_by_name(&self, name: &str) -> Option<&FieldDescriptor> {
        self.find(self.order.get(self.fields.len()..)?, name, |field| field.name)
    }

    /// The field of a JSON name: `homeAddress`, or what the option `json_name` says.
    #[must_use]
    pub fn field_by_json_name(&self, name: &str) -> Option<&FieldDescriptor> {
        self.find(self.order.get(..self.fields.len())?, name, |field| field.json_name)
    }

    fn find(&self, order: &[u16], name: &str, of: fn(&FieldDescriptor) -> &'static str) -> Option<&FieldDescriptor> {
        let field = |index: &u16| self.fields.get(usize::from(*index));
        let found = order.binary_search_by(|index| field(index).map_or("", of).cmp(name)).ok()?;
        order.get(found).and_then(field)
    }

    /// The oneof of a name.
    #[must_use]
    pub fn oneof(&self, name: &str) -> Option<&OneofDescriptor> {
        self.oneofs.iter().find(|oneof| oneof.name == name)
    }

    /// Whether a name is reserved: no field has it, but one may have had it once.
    #[must_use]
    pub fn is_reserved(&self, name: &str) -> bool {
        self.reserved.contains(&name)
    }

    /// Whether two descriptors are of the same message type.
    pub(crate) fn is(&self, other: &MessageDescriptor) -> bool {
        // Of a type that was made at run time there is one descriptor.
        if self.class.is_some() || other.class.is_some() {
            return core::ptr::eq(self, other);
        }
        // Of a struct there may be several, with the same content.
        core::ptr::eq(self, other)
            || (self.site == other.site
                && self.name == other.name
                && self.layout == other.layout
                && self.fields.len() == other.fields.len())
    }
}

impl fmt::Debug for MessageDescriptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Not the types of its fields: those may be messages that hold this one.
        f.debug_struct("MessageDescriptor").field("full_name", &self.name).field("fields", &self.fields).finish()
    }
}

/// A oneof of a message.
#[derive(Debug)]
pub struct OneofDescriptor {
    pub(crate) name: &'static str,
    pub(crate) index: u16,
}

impl OneofDescriptor {
    /// What the derive calls.
    #[doc(hidden)]
    #[must_use]
    pub const fn new(name: &'static str, index: u16) -> Self {
        OneofDescriptor { name, index }
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.name
    }

    /// Which one of the message's oneofs it is.
    #[must_use]
    pub fn index(&self) -> usize {
        usize::from(self.index)
    }
}

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
pub enum Link {
    /// Scalars.
    None,
    /// Messages; a function, because messages may hold themselves.
    Message(fn() -> &'static MessageDescriptor),
    /// Messages of a type that was made at run time, and lives as long as what links to it.
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
    pub(crate) name: &'static str,
    pub(crate) json_name: &'static str,
    /// The JSON name in quotes, with what has to be escaped, and a colon.
    #[cfg_attr(not(all(feature = "json", feature = "text")), allow(dead_code, reason = "for JSON and text"))]
    pub(crate) json_key: &'static str,
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
    /// What the derive calls for the field `field` of the default message `message`, read and written as `F`.
    #[doc(hidden)]
    #[must_use]
    pub const fn new<'arena, F: Reflected<'arena, T>, T>(
        message: &impl Message<'arena>,
        field: &T,
        number: u32,
        name: &'static str,
        json_name: &'static str,
        json_key: &'static str,
    ) -> Self {
        let offset = offset_of(message, field);
        Self::of_shape(F::SHAPE, offset, size_of::<T>() as u32, number, name, json_name, json_key)
    }

    /// What the derive calls for the member `number` of a oneof.
    #[doc(hidden)]
    #[must_use]
    pub const fn member<'arena, O: crate::codec::Oneof<'arena>>(
        message: &impl Message<'arena>,
        field: &Option<O>,
        number: u32,
        oneof: u16,
    ) -> Self {
        let members = O::__MEMBERS;
        let mut index = 0;
        while index + 1 < members.len() && members[index].number != number {
            index += 1;
        }
        let Member { name, json_name, json_key, shape, redacted, .. } = members[index];
        assert!(members[index].number == number, "the oneof has no member of this number");
        let offset = offset_of(message, field);
        let shape = FieldShape { access: Access::Member(OneofAccess::of::<O>()), ..shape };
        let size = size_of::<Option<O>>() as u32;
        let field = Self::of_shape(shape, offset, size, number, name, json_name, json_key);
        FieldDescriptor { oneof, redacted, presence: true, ..field }
    }

    pub(crate) const fn of_shape(
        shape: FieldShape,
        offset: u32,
        size: u32,
        number: u32,
        name: &'static str,
        json_name: &'static str,
        json_key: &'static str,
    ) -> Self {
        let FieldShape { ty, cardinality, presence, packed, key, link, access } = shape;
        FieldDescriptor {
            number,
            offset,
            size,
            name,
            json_name,
            json_key,
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

    /// The same with a declared default.
    #[doc(hidden)]
    #[must_use]
    pub const fn with_default<'arena, F: Reflected<'arena, T>, T>(mut self, default: &'arena F::Value) -> Self {
        self.default = core::ptr::from_ref(default).cast();
        self
    }

    /// The same, required.
    #[doc(hidden)]
    #[must_use]
    pub const fn required(mut self) -> Self {
        self.cardinality = Cardinality::Required;
        self
    }

    /// The same with the option `debug_redact`.
    #[doc(hidden)]
    #[must_use]
    pub const fn redacted(mut self) -> Self {
        self.redacted = true;
        self
    }

    /// The field number.
    #[must_use]
    pub fn number(&self) -> u32 {
        self.number
    }

    /// The name as in the `.proto` file: `home_address`.
    #[must_use]
    pub fn name(&self) -> &str {
        self.name
    }

    /// The name in JSON: `homeAddress`, or what the option `json_name` says.
    #[must_use]
    pub fn json_name(&self) -> &str {
        self.json_name
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
        let FieldDescriptor { number, name, ty, cardinality, .. } = self;
        f.debug_struct("FieldDescriptor")
            .field("number", number)
            .field("name", name)
            .field("ty", ty)
            .field("cardinality", cardinality)
            .finish_non_exhaustive()
    }
}

/// A number for the place of a declaration in a program: a hash of what the compiler says of it (FNV-1a,
/// <https://www.rfc-editor.org/rfc/rfc9923>).
#[doc(hidden)]
#[must_use]
pub const fn site(module: &str, file: &str, line: u32, column: u32) -> u64 {
    const fn with(mut hash: u64, bytes: &[u8]) -> u64 {
        let mut index = 0;
        while index < bytes.len() {
            hash = (hash ^ bytes[index] as u64).wrapping_mul(0x0100_0000_01b3);
            index += 1;
        }
        // Nothing of text is 0xff: a boundary.
        (hash ^ 0xff).wrapping_mul(0x0100_0000_01b3)
    }
    let hash = with(0xcbf2_9ce4_8422_2325, module.as_bytes());
    with(with(with(hash, file.as_bytes()), &line.to_le_bytes()), &column.to_le_bytes())
}

/// The value of a field of type `T` that is read and written as `F`: so that a literal becomes one.
#[doc(hidden)]
#[must_use]
pub const fn value<'arena, F: Reflected<'arena, T>, T>(value: F::Value) -> F::Value {
    value
}

/// Indices of fields in the order of their JSON names, and again in that of their names: `N` is twice the number of fields.
#[doc(hidden)]
#[must_use]
pub const fn order<const N: usize>(fields: &[FieldDescriptor]) -> [u16; N] {
    assert!(2 * fields.len() == N && fields.len() < u16::MAX as usize, "as many as the message has fields");
    let mut order = [0; N];
    let mut index = 0;
    while index < fields.len() {
        insert(&mut order, 0, index, fields, true);
        insert(&mut order, fields.len(), index, fields, false);
        index += 1;
    }
    order
}

/// Puts the field `index` at its place among those before it, which begin at `first`: by halving, and then moving.
const fn insert(order: &mut [u16], first: usize, index: usize, fields: &[FieldDescriptor], json: bool) {
    const fn name(field: &FieldDescriptor, json: bool) -> &[u8] {
        if json { field.json_name.as_bytes() } else { field.name.as_bytes() }
    }
    let (mut low, mut high) = (first, first + index);
    while low < high {
        let middle = usize::midpoint(low, high);
        if is_less(name(&fields[order[middle] as usize], json), name(&fields[index], json)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    let mut at = first + index;
    while at > low {
        order[at] = order[at - 1];
        at -= 1;
    }
    order[low] = index as u16;
}

const fn is_less(left: &[u8], right: &[u8]) -> bool {
    let mut index = 0;
    while index < left.len() && index < right.len() {
        if left[index] != right[index] {
            return left[index] < right[index];
        }
        index += 1;
    }
    left.len() < right.len()
}

/// The type of an enum.
#[derive(Debug)]
pub struct EnumDescriptor {
    pub(crate) name: &'static str,
    pub(crate) values: &'static [(&'static str, i32)],
    /// Indices of `values`, ascending by number and then by index; or nothing.
    pub(crate) by_number: &'static [u32],
    /// The same by name.
    pub(crate) by_name: &'static [u32],
    pub(crate) open: bool,
    #[cfg_attr(not(all(feature = "json", feature = "text")), allow(dead_code, reason = "for JSON and text"))]
    pub(crate) null: bool,
}

/// Whether an enum of this name is the one that stands for JSON's null.
pub(crate) const fn well_known_null(name: &str) -> bool {
    well_known::is(name, "google.protobuf.NullValue")
}

impl EnumDescriptor {
    /// The descriptor of an enum.
    #[must_use]
    pub const fn of<E: Enumeration>() -> &'static Self {
        const {
            &EnumDescriptor {
                name: E::NAME,
                values: E::VALUES,
                by_number: &[],
                by_name: &[],
                open: E::OPEN,
                null: well_known_null(E::NAME),
            }
        }
    }

    /// Full name: package, enclosing messages, name.
    #[must_use]
    pub fn full_name(&self) -> &str {
        self.name
    }

    /// Names and numbers in the order they are declared in.
    pub fn values(&self) -> impl ExactSizeIterator<Item = (&str, i32)> {
        self.values.iter().copied()
    }

    /// Whether every number is a value: <https://protobuf.dev/programming-guides/enum/>.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// The name of a number: the first that is declared, if there are several.
    #[must_use]
    pub fn name_of(&self, number: i32) -> Option<&str> {
        // Most enums number their values from 0 on without a gap.
        let guess = usize::try_from(number).ok().and_then(|index| self.values.get(index));
        let is_it = |value: &&(&'static str, i32)| value.1 == number;
        let first_is_unique = |value: &&(&'static str, i32)| {
            is_it(value)
                && (number == 0 || self.values.get(number as usize - 1).is_some_and(|before| before.1 < number))
        };
        if let Some(value) = guess.filter(first_is_unique) {
            return Some(value.0);
        }
        if self.by_number.len() == self.values.len() {
            let of = |index: &u32| self.values.get(*index as usize);
            let first = self.by_number.partition_point(|index| of(index).is_some_and(|value| value.1 < number));
            return self.by_number.get(first).and_then(of).filter(is_it).map(|value| value.0);
        }
        self.values.iter().find(is_it).map(|value| value.0)
    }

    /// The number of a name.
    #[must_use]
    pub fn number_of(&self, name: &str) -> Option<i32> {
        if self.by_name.len() == self.values.len() {
            let of = |index: &u32| self.values.get(*index as usize);
            let found = self.by_name.binary_search_by(|index| of(index).map_or("", |value| value.0).cmp(name)).ok()?;
            return self.by_name.get(found).and_then(of).map(|value| value.1);
        }
        self.values.iter().find(|value| value.0 == name).map(|value| value.1)
    }

    /// Whether the enum has a number: an open one has every.
    #[must_use]
    pub fn has(&self, number: i32) -> bool {
        self.open || self.name_of(number).is_some()
    }
}
