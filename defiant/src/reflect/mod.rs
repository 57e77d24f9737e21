//! Reading messages without knowing their types.
//!
//! A [`MessageRef`] is a message together with the [descriptor](crate::descriptor) of its type. It is how JSON and text are
//! written, and what to write a generic logger, differ or validator on.
//!
//! ```
//! use defiant::reflect::{MessageRef, Value};
//! use defiant::{Message, UnknownFields};
//!
//! #[derive(Clone, Copy, Debug, PartialEq, Message)]
//! struct Person<'arena> {
//!     #[defiant(string, tag = 1)]
//!     name: &'arena str,
//!     #[defiant(int32, repeated, tag = 2)]
//!     scores: &'arena [i32],
//!     #[defiant(unknown)]
//!     unknown_fields: UnknownFields<'arena>,
//! }
//!
//! let person = Person { name: "Ada", scores: &[3, 4], ..Person::default() };
//! let person = MessageRef::of(&person);
//! for (field, value) in person.fields() {
//!     println!("{} = {value:?}", field.name());
//! }
//! assert!(matches!(person.get_by_name("name"), Some(Value::String("Ada"))));
//! ```
//!
//! A [`DynamicMessage`] is a message whose type is known at run time only, by its [`MessageType`]: from a [`Registry`], or from
//! a `DescriptorPool` (feature `dynamic`), which makes types of descriptors.
#![expect(unsafe_code, reason = "finds fields by their offsets")]

#[cfg_attr(not(all(feature = "json", feature = "text")), allow(dead_code, reason = "for JSON and text"))]
mod build;
mod dynamic;
#[cfg(any(feature = "json", feature = "text"))]
mod encode;
#[cfg_attr(
    not(feature = "dynamic"),
    allow(dead_code, reason = "pools make types of all kinds; the feature `reflect` alone only those of extensions")
)]
pub(crate) mod make;
mod nested;
#[cfg(any(feature = "json", feature = "text"))]
mod numbers;
#[cfg(feature = "dynamic")]
mod pool;
mod registry;
#[cfg_attr(not(all(feature = "json", feature = "text")), allow(dead_code, reason = "for JSON and text"))]
mod value;

use core::marker::PhantomData;
use core::ptr::NonNull;

use crate::descriptor::{Access, FieldDescriptor, MessageDescriptor, OneofDescriptor, Plain, Raw};
use crate::message::Message;
use crate::unknown::UnknownFields;

pub use dynamic::{DynamicMessage, SetError};
#[doc(hidden)]
pub use make::Held;
#[cfg(feature = "dynamic")]
pub use pool::{DescriptorPool, MethodDescriptor, PoolError, ServiceDescriptor};

#[cfg_attr(not(all(feature = "json", feature = "text")), allow(unused_imports, reason = "for JSON and text"))]
pub(crate) use build::{Exhausted, ListBuilder, MapBuilder, MessageMut, Rejected, Store};
#[cfg(any(feature = "json", feature = "text"))]
pub(crate) use encode::Parts;
#[cfg(any(feature = "json", feature = "text"))]
pub(crate) use numbers::Numbers;
pub use registry::{ExtensionType, MessageType, Registry, Resolver};
pub use value::{LazyRef, ListRef, MapRef, Value};

/// A message of any type, with the descriptor of its type.
///
/// Invariant: `message` points to a message of the descriptor's type, which is not written to for `'a`, and what it refers to
/// lives as long.
#[derive(Clone, Copy)]
pub struct MessageRef<'a> {
    descriptor: &'a MessageDescriptor,
    message: NonNull<u8>,
    lifetime: PhantomData<&'a u8>,
}

// SAFETY: a shared reference to a message, and messages are `Sync`.
unsafe impl Send for MessageRef<'_> {}
// SAFETY: as above.
unsafe impl Sync for MessageRef<'_> {}

impl<'a> MessageRef<'a> {
    /// A message of a type that has a `struct`.
    #[must_use]
    pub fn of<'arena: 'a, M: Message<'arena>>(message: &'a M) -> Self {
        MessageRef {
            descriptor: M::__DESCRIPTOR.descriptor(),
            message: NonNull::from(message).cast(),
            lifetime: PhantomData,
        }
    }

    /// # Safety
    /// The invariant.
    pub(crate) unsafe fn new(descriptor: &'a MessageDescriptor, message: NonNull<u8>) -> Self {
        MessageRef { descriptor, message, lifetime: PhantomData }
    }

    /// The message with nothing set.
    pub(crate) fn default_of(descriptor: &'a MessageDescriptor) -> Self {
        // SAFETY: a reference's address, so not null.
        let message = unsafe { NonNull::new_unchecked(descriptor.default.cast_mut()) };
        MessageRef { descriptor, message, lifetime: PhantomData }
    }

    /// The type of the message.
    #[must_use]
    pub fn descriptor(&self) -> &'a MessageDescriptor {
        self.descriptor
    }

    /// The message of a Rust type, if that is its type.
    #[must_use]
    pub(crate) fn pointer(&self) -> NonNull<u8> {
        self.message
    }

    /// The fields that are set, ascending by number, with their values.
    ///
    /// A field with implicit presence is set when it is not zero, a list or map when it is not empty.
    pub fn fields(&self) -> impl Iterator<Item = (&'a FieldDescriptor, Value<'a>)> + use<'a> {
        let this = *self;
        this.descriptor.fields.iter().filter_map(move |field| Some((field, this.read(field)?)))
    }

    /// Whether a field is set.
    ///
    /// # Panics
    /// When the field is none of this message's type.
    #[must_use]
    pub fn has(&self, field: &FieldDescriptor) -> bool {
        self.read(self.own(field)).is_some()
    }

    /// The value of a field; of one that is not set, its default.
    ///
    /// # Panics
    /// When the field is none of this message's type.
    #[must_use]
    pub fn get(&self, field: &FieldDescriptor) -> Value<'a> {
        let field = self.own(field);
        self.read(field).unwrap_or_else(|| Value::default_of(field))
    }

    /// The value of the field with a number.
    #[must_use]
    pub fn get_by_number(&self, number: u32) -> Option<Value<'a>> {
        self.descriptor.field(number).map(|field| self.get(field))
    }

    /// The value of the field with a name as in the `.proto` file.
    #[must_use]
    pub fn get_by_name(&self, name: &str) -> Option<Value<'a>> {
        self.descriptor.field_by_name(name).map(|field| self.get(field))
    }

    /// The member of a oneof that is in force, with its value.
    #[must_use]
    pub fn oneof(&self, oneof: &OneofDescriptor) -> Option<(&'a FieldDescriptor, Value<'a>)> {
        let mut members = self.descriptor.fields.iter().filter(|field| field.oneof == oneof.index);
        members.find_map(|field| Some((field, self.read(field)?)))
    }

    /// The fields that the type does not know.
    #[must_use]
    pub fn unknown_fields(&self) -> &'a UnknownFields<'a> {
        // SAFETY: an offset in the message.
        let place = unsafe { self.message.add(self.descriptor.unknown as usize) };
        // SAFETY: there lie the message's unknown fields.
        unsafe { place.cast().as_ref() }
    }

    /// The descriptor of the message's own type for a field.
    fn own(&self, field: &FieldDescriptor) -> &'a FieldDescriptor {
        let own = self.descriptor.field(field.number);
        let same = |own: &&FieldDescriptor| {
            core::ptr::eq::<FieldDescriptor>(*own, field) || (own.name() == field.name() && own.ty == field.ty)
        };
        match own.filter(same) {
            Some(own) => own,
            None => no_field(field, self.descriptor),
        }
    }

    /// The value of a field of the message's own type, if it is set.
    #[inline]
    pub(crate) fn read(&self, field: &'a FieldDescriptor) -> Option<Value<'a>> {
        // SAFETY: an offset in the message.
        let at = unsafe { self.message.add(field.offset as usize) }.as_ptr().cast_const();
        match field.access() {
            Access::Implicit(plain) => {
                // SAFETY: the descriptor says so.
                let raw = unsafe { plain.read(at) };
                if is_zero(raw, plain, field) { None } else { Some(Value::of(raw, field)) }
            }
            // SAFETY: the descriptor says so.
            Access::Required(plain) => Some(Value::of(unsafe { plain.read(at) }, field)),
            // SAFETY: the descriptor says so.
            Access::Optional(plain) => unsafe { plain.read_optional(at) }.map(|raw| Value::of(raw, field)),
            Access::Reference => {
                // SAFETY: the descriptor says so; a reference that may be missing has the form of a pointer that may.
                let message = unsafe { *at.cast::<Option<NonNull<u8>>>() }?;
                Some(Value::of(Raw::Message(message), field))
            }
            Access::Inline(access) => {
                // SAFETY: the descriptor says so.
                let message = unsafe { (access.get)(at) }?;
                Some(Value::of(Raw::Message(message), field))
            }
            Access::List(plain) => {
                // SAFETY: the descriptor says so; a slice's reference is an address and a length, whatever its elements.
                let list = unsafe { ListRef::read(at, plain, field) };
                if list.is_empty() { None } else { Some(Value::List(list)) }
            }
            Access::Map(access) => {
                // SAFETY: the descriptor says so.
                let map = unsafe { MapRef::read(at, access, field) };
                if map.is_empty() { None } else { Some(Value::Map(map)) }
            }
            Access::Member => {
                let access = self.descriptor.oneofs.get(usize::from(field.oneof))?.access.as_ref()?;
                // SAFETY: the descriptor says so.
                let (number, raw) = unsafe { (access.get)(at) }?;
                (number == field.number).then(|| Value::of(raw, field))
            }
            Access::Variant(plain) => {
                // SAFETY: the descriptor says so.
                unsafe { Access::read_variant(plain, at, field.number) }.map(|raw| Value::of(raw, field))
            }
        }
    }
}

/// Whether a field with implicit presence is unset.
#[inline]
fn is_zero(raw: Raw<'_>, plain: Plain, field: &FieldDescriptor) -> bool {
    match raw {
        Raw::Bool(value) => !value,
        Raw::I32(value) => value == 0,
        Raw::I64(value) => value == 0,
        Raw::U32(value) => value == 0,
        Raw::U64(value) => value == 0,
        // Negative zero is not zero.
        Raw::F32(value) => value.to_bits() == 0,
        Raw::F64(value) => value.to_bits() == 0,
        Raw::Str(value) => value.is_empty(),
        Raw::Bytes(value) => value.is_empty(),
        Raw::Enum(value) => value == zero_of_enum(field),
        Raw::Message(_) | Raw::Lazy(_) => {
            let _ = plain;
            false
        }
    }
}

/// The number of an unset enum: 0 if it is open, the first that is declared if it is closed.
pub(crate) fn zero_of_enum(field: &FieldDescriptor) -> i32 {
    match field.enumeration() {
        Some(descriptor) if !descriptor.open => descriptor.values.first().map_or(0, |value| value.1),
        _ => 0,
    }
}

#[cold]
#[expect(clippy::panic, reason = "documented")]
fn no_field(field: &FieldDescriptor, descriptor: &MessageDescriptor) -> ! {
    panic!("`{}` is no field of `{}`", field.name(), descriptor.name)
}

#[cfg(test)]
mod tests;
