//! Types by their names: for `google.protobuf.Any`, and for extensions in JSON and text.
#![expect(unsafe_code, reason = "decodes and encodes messages without their types")]

use core::fmt;
use core::ptr::NonNull;

use alloc::collections::BTreeMap;

use super::MessageRef;
use crate::arena::Arena;
use crate::descriptor::{FieldDescriptor, MessageDescriptor};
use crate::error::DecodeError;
use crate::extension::MessageFamily;
use crate::message::{DecodeOptions, Message};

/// A message type that can be decoded and encoded.
///
/// Invariant: `codec` is made for the descriptor's type.
#[derive(Clone, Copy)]
pub struct MessageType<'r> {
    descriptor: &'r MessageDescriptor,
    codec: &'r WireCodec,
}

/// The binary format of a type.
pub(crate) struct WireCodec {
    /// Decodes a message into memory for one, which stays as it is on failure.
    ///
    /// # Safety
    /// The pointer is to memory for a message of the descriptor's type; the message is used no longer than wire, arena and
    /// descriptor are borrowed.
    pub(crate) decode:
        unsafe fn(&MessageDescriptor, NonNull<u8>, &[u8], &DecodeOptions, &Arena) -> Result<(), DecodeError>,
    /// Encodes a message into an arena.
    ///
    /// # Safety
    /// The pointer is to a message of the descriptor's type.
    pub(crate) encode: for<'a> unsafe fn(&MessageDescriptor, NonNull<u8>, &'a Arena) -> &'a [u8],
}

impl WireCodec {
    /// The codec of a type that has a `struct`.
    const fn of<M: MessageFamily>() -> &'static Self {
        unsafe fn decode<M: MessageFamily>(
            _: &MessageDescriptor,
            place: NonNull<u8>,
            wire: &[u8],
            options: &DecodeOptions,
            arena: &Arena,
        ) -> Result<(), DecodeError> {
            decode_in(place.cast(), wire, options, arena, PhantomType::<M>::NEW)
        }
        fn decode_in<'arena, M: MessageFamily>(
            place: NonNull<M::In<'arena>>,
            wire: &'arena [u8],
            options: &DecodeOptions,
            arena: &'arena Arena,
            _: PhantomType<M>,
        ) -> Result<(), DecodeError> {
            let message: M::In<'arena> = options.decode_borrowed(wire, arena)?;
            // SAFETY: the one caller passes memory for a message.
            unsafe { place.write(message) };
            Ok(())
        }
        unsafe fn encode<'a, M: MessageFamily>(
            _: &MessageDescriptor,
            message: NonNull<u8>,
            arena: &'a Arena,
        ) -> &'a [u8] {
            // SAFETY: as required of the caller.
            unsafe { message.cast::<M::In<'a>>().as_ref() }.encode_in(arena)
        }
        const { &WireCodec { decode: decode::<M>, encode: encode::<M> } }
    }
}

/// A message type as an argument.
struct PhantomType<M>(core::marker::PhantomData<fn() -> M>);

impl<M> PhantomType<M> {
    const NEW: Self = PhantomType(core::marker::PhantomData);
}

impl<'r> MessageType<'r> {
    /// A type that has a `struct`; the lifetime `'static` stands for every lifetime.
    #[must_use]
    pub fn of<M: MessageFamily>() -> Self {
        MessageType { descriptor: <M::In<'static> as Message<'static>>::DESCRIPTOR, codec: WireCodec::of::<M>() }
    }

    /// # Safety
    /// The invariant.
    pub(crate) unsafe fn new(descriptor: &'r MessageDescriptor, codec: &'r WireCodec) -> Self {
        MessageType { descriptor, codec }
    }

    /// The descriptor.
    #[must_use]
    pub fn descriptor(&self) -> &'r MessageDescriptor {
        self.descriptor
    }

    /// Decodes a message, whose strings and bytes are borrowed from the wire.
    ///
    /// # Errors
    /// As [`DecodeOptions::decode_borrowed`].
    pub fn decode<'a>(
        &self,
        wire: &'a [u8],
        options: &DecodeOptions,
        arena: &'a Arena,
    ) -> Result<MessageRef<'a>, DecodeError>
    where
        'r: 'a,
    {
        let Some(place) = arena.try_alloc(self.descriptor.layout) else {
            return Err(DecodeError::at(crate::wire::context::Fault::Memory, 0));
        };
        // SAFETY: memory for a message of the type, which is used as long as all three are borrowed.
        unsafe { (self.codec.decode)(self.descriptor, place, wire, options, arena)? };
        arena.keep_all();
        // SAFETY: a message of the type, decoded just now.
        Ok(unsafe { MessageRef::new(self.descriptor, place) })
    }

    /// Encodes a message of this type into an arena.
    ///
    /// # Panics
    /// When the message is of another type, or memory or the arena's limit is exhausted.
    #[must_use]
    pub fn encode_in<'a>(&self, message: MessageRef<'_>, arena: &'a Arena) -> &'a [u8] {
        assert!(self.descriptor.is(message.descriptor), "a message of another type");
        // SAFETY: a message of the type.
        unsafe { (self.codec.encode)(self.descriptor, message.message, arena) }
    }
}

impl fmt::Debug for MessageType<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("MessageType").field(&self.descriptor.name).finish()
    }
}

/// An extension that is found by its name.
#[derive(Clone, Copy, Debug)]
pub struct ExtensionType<'r> {
    /// Full name, without brackets.
    pub(crate) name: &'r str,
    /// The full name of the message that it extends.
    pub(crate) host: &'r str,
    /// A message that has no field but the extension: what the host's unknown fields of its number are, as a message.
    pub(crate) holder: MessageType<'r>,
}

impl<'r> ExtensionType<'r> {
    /// Full name, without the brackets that JSON and text put around it.
    #[must_use]
    pub fn full_name(&self) -> &'r str {
        self.name
    }

    /// The full name of the message that it extends.
    #[must_use]
    pub fn extendee(&self) -> &'r str {
        self.host
    }

    /// A message type whose one field is the extension.
    #[must_use]
    pub fn holder(&self) -> MessageType<'r> {
        self.holder
    }

    /// The field.
    ///
    /// # Panics
    /// Never: a holder has one field.
    #[must_use]
    pub fn field(&self) -> &'r FieldDescriptor {
        &self.holder.descriptor.fields[0]
    }
}

/// What finds types by their names: a [`Registry`] of generated types, or a pool of descriptors.
pub trait Resolver {
    /// The message type of a full name.
    fn message(&self, full_name: &str) -> Option<MessageType<'_>>;

    /// The extension of a message by its full name, without brackets.
    fn extension(&self, host: &str, full_name: &str) -> Option<ExtensionType<'_>>;

    /// The extension of a message by its field number.
    fn extension_by_number(&self, host: &str, number: u32) -> Option<ExtensionType<'_>>;
}

/// Types that have a `struct`, by their names.
///
/// ```
/// use defiant::reflect::{Registry, Resolver};
/// use defiant::wkt::{Duration, Timestamp};
///
/// let registry = Registry::new().with::<Duration<'static>>().with::<Timestamp<'static>>();
/// assert!(registry.message("google.protobuf.Duration").is_some());
/// assert!(registry.message("google.protobuf.Empty").is_none());
/// ```
#[derive(Debug, Default)]
pub struct Registry {
    messages: BTreeMap<&'static str, MessageType<'static>>,
}

impl Registry {
    /// An empty registry.
    #[must_use]
    pub const fn new() -> Self {
        Registry { messages: BTreeMap::new() }
    }

    /// Adds a message type.
    pub fn add<M: MessageFamily>(&mut self) -> &mut Self {
        let ty = MessageType::of::<M>();
        self.messages.insert(ty.descriptor.name, ty);
        self
    }

    /// The registry with one more message type.
    #[must_use]
    pub fn with<M: MessageFamily>(mut self) -> Self {
        self.add::<M>();
        self
    }
}

impl Resolver for Registry {
    fn message(&self, full_name: &str) -> Option<MessageType<'_>> {
        self.messages.get(full_name).copied()
    }

    fn extension(&self, _host: &str, _full_name: &str) -> Option<ExtensionType<'_>> {
        None
    }

    fn extension_by_number(&self, _host: &str, _number: u32) -> Option<ExtensionType<'_>> {
        None
    }
}
