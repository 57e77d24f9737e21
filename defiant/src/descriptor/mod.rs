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

pub(crate) mod access;
pub(crate) mod declare;
mod enumeration;
mod field;
mod made;
pub(crate) mod member;
pub(crate) mod names;
pub(crate) mod shape;
mod well_known;

use core::alloc::Layout;
use core::any::TypeId;
use core::fmt;
use core::marker::PhantomData;
use core::ptr::NonNull;

use crate::message::Message;
use crate::table::runtime::RuntimeClass;

pub use declare::{DescriptorOf, FieldOf, OneofOf};

pub(crate) use access::{Access, EnumAccess, InlineAccess, LazyAccess, MapAccess, OneofAccess, Plain, Raw};
pub use enumeration::{EnumDescriptor, EnumOf};
#[cfg(feature = "dynamic")]
pub(crate) use enumeration::{ascending, well_known_null};
pub(crate) use field::Link;
pub use field::{Cardinality, FieldDescriptor, Type};
pub(crate) use member::Member;
pub(crate) use names::Names;
pub(crate) use shape::{Described, FieldShape, Reflected};
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
    /// How many of the fields are required.
    #[cfg_attr(not(any(feature = "json", feature = "text")), allow(dead_code, reason = "for JSON and text"))]
    pub(crate) required: u16,
    /// The identity of the struct in its `'static` form; nothing for a type that was made at run time.
    pub(crate) identity: Option<fn() -> TypeId>,
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

    /// Whether the values of a field of it are kept out of what is made for reading: it has the option `debug_redact`, or is
    /// what an `Any` holds, in which such fields may be.
    pub(crate) fn hides(&self, field: &FieldDescriptor) -> bool {
        field.is_redacted() || self.well_known == WellKnown::Any && field.number == 2
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
        self.find(self.order.get(self.fields.len()..)?, name, |field| field.names().name().as_bytes())
    }

    /// The field of a JSON name: `homeAddress`, or what the option `json_name` says.
    #[must_use]
    pub fn field_by_json_name(&self, name: &str) -> Option<&FieldDescriptor> {
        self.find(self.order.get(..self.fields.len())?, name, |field| field.names().json_name().as_bytes())
    }

    fn find(&self, order: &[u16], name: &str, of: fn(&FieldDescriptor) -> &'static [u8]) -> Option<&FieldDescriptor> {
        let field = |index: &u16| self.fields.get(usize::from(*index));
        let found = order.binary_search_by(|index| field(index).map_or(&[][..], of).cmp(name.as_bytes())).ok()?;
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

    /// Whether two descriptors are of the same message type: unsafe code trusts it.
    pub(crate) fn is(&self, other: &MessageDescriptor) -> bool {
        if core::ptr::eq(self, other) {
            return true;
        }
        // Of a struct there may be several, with the same content; of a type that was made at run time there is one.
        match (self.identity, other.identity) {
            (Some(identity), Some(other)) => identity() == other(),
            _ => false,
        }
    }
}

impl fmt::Debug for MessageDescriptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Not the types of its fields: those may be messages that hold this one.
        f.debug_struct("MessageDescriptor").field("full_name", &self.name).field("fields", &self.fields).finish()
    }
}

/// Address of the descriptor of the message `M`, with any lifetime.
///
/// Descriptors link to each other by address: messages may hold themselves, and the compiler looks through references in
/// constants. Unsafe code trusts [`Message::__DESCRIPTOR`](crate::Message) to be the address of the message's own descriptor,
/// as the contract of that trait states.
#[doc(hidden)]
pub struct Address<M> {
    descriptor: NonNull<MessageDescriptor>,
    message: PhantomData<fn() -> M>,
}

// SAFETY: as of descriptors.
unsafe impl<M> Send for Address<M> {}
// SAFETY: as of descriptors.
unsafe impl<M> Sync for Address<M> {}

impl<M> Address<M> {
    /// The address of a descriptor. `N` is `M` with the lifetime `'static`.
    #[must_use]
    // TRUST: it leads to a whole descriptor. An implementation of `Message` promises that it is the descriptor of `M`.
    pub const fn of<N: Message<'static>>(descriptor: &'static DescriptorOf<N>) -> Self {
        let descriptor = core::ptr::from_ref(descriptor.descriptor()).cast_mut();
        // SAFETY: the address of a reference is not null.
        let descriptor = unsafe { NonNull::new_unchecked(descriptor) };
        Address { descriptor, message: PhantomData }
    }

    pub(crate) const fn get(self) -> NonNull<MessageDescriptor> {
        self.descriptor
    }

    /// The descriptor.
    #[must_use]
    // TRUST: it returns the descriptor that `of` was passed.
    pub const fn descriptor(self) -> &'static MessageDescriptor {
        // SAFETY: `of` made it from a `&'static MessageDescriptor`.
        unsafe { self.descriptor.as_ref() }
    }
}

impl<M> Clone for Address<M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M> Copy for Address<M> {}

impl<M> fmt::Debug for Address<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Address")
    }
}

/// A oneof of a message.
#[derive(Debug)]
pub struct OneofDescriptor {
    pub(crate) name: &'static str,
    pub(crate) index: u16,
    /// Offset in the message, if the oneof is an enum of Rust.
    pub(crate) offset: u32,
    /// How it is read and written, if it is an enum of Rust; else each of its members knows.
    pub(crate) access: Option<OneofAccess>,
}

impl OneofDescriptor {
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
