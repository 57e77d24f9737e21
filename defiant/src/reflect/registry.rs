//! Types by their names: for `google.protobuf.Any`, and for extensions in JSON and text.
#![expect(unsafe_code, reason = "decodes and encodes messages without their types")]

use core::fmt;
use core::ptr::NonNull;

use alloc::collections::BTreeMap;

use bytes::BufMut;

#[cfg(any(feature = "json", feature = "text"))]
use super::encode::make_room;
use super::make::Memory;
use super::{Exhausted, MessageRef};
use crate::arena::Arena;
use crate::descriptor::{FieldDescriptor, MessageDescriptor};
use crate::encoder;
use crate::error::{DecodeError, EncodeError};
use crate::extension::{Extension, Kind, MessageFamily};
use crate::message::{DecodeOptions, Message};
use crate::table::runtime::RuntimeClass;
use crate::wire::context::Fault;
use crate::wire::tag::MAX_NUMBER;

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
    /// Decodes a message into memory for one; on failure there may be none. What is in it is borrowed from the wire.
    ///
    /// # Safety
    /// The pointer is to memory for a message of the descriptor's type; the message is used no longer than wire, arena and
    /// descriptor are borrowed.
    pub(crate) decode: Decode,
    /// The same from a copy of the wire in the arena: the message is used no longer than arena and descriptor are borrowed.
    ///
    /// # Safety
    /// As of `decode`.
    pub(crate) decode_copied: Decode,
    /// Decodes into a message, which stays as it is on failure.
    ///
    /// # Safety
    /// The pointer is to a message of the descriptor's type that nothing else refers to; it is used no longer than arena and
    /// descriptor are borrowed.
    pub(crate) merge: Decode,
    /// Encodes a message into an arena.
    ///
    /// # Safety
    /// The pointer is to a message of the descriptor's type.
    pub(crate) encode: Encode,
    /// Encodes a message into a buffer, behind its length if so told.
    ///
    /// # Safety
    /// As of `encode`.
    pub(crate) encode_to: EncodeTo,
    /// Bytes that a message takes on the wire.
    ///
    /// # Safety
    /// As of `encode`.
    pub(crate) encoded_len: unsafe fn(&MessageDescriptor, NonNull<u8>) -> Result<usize, EncodeError>,
}

type EncodeTo = unsafe fn(&MessageDescriptor, NonNull<u8>, &mut dyn BufMut, bool) -> Result<(), EncodeError>;

type Encode = for<'a> unsafe fn(&MessageDescriptor, NonNull<u8>, &'a Arena) -> Result<&'a [u8], EncodeError>;

type Decode = unsafe fn(&MessageDescriptor, NonNull<u8>, &[u8], &DecodeOptions, &Arena) -> Result<(), DecodeError>;

impl WireCodec {
    /// The codec of a type that has a `struct`.
    const fn of<M: MessageFamily>() -> &'static Self {
        // Wire and arena are borrowed for as long as both are: so long the message lives.
        unsafe fn decode<'a, M: MessageFamily>(
            _: &MessageDescriptor,
            place: NonNull<u8>,
            wire: &'a [u8],
            options: &DecodeOptions,
            arena: &'a Arena,
        ) -> Result<(), DecodeError> {
            let message: M::In<'a> = options.decode_borrowed(wire, arena)?;
            // SAFETY: as required of the caller, memory for a message.
            unsafe { place.cast().write(message) };
            Ok(())
        }
        unsafe fn decode_copied<'a, M: MessageFamily>(
            _: &MessageDescriptor,
            place: NonNull<u8>,
            wire: &[u8],
            options: &DecodeOptions,
            arena: &'a Arena,
        ) -> Result<(), DecodeError> {
            let message: M::In<'a> = options.decode(wire, arena)?;
            // SAFETY: as above.
            unsafe { place.cast().write(message) };
            Ok(())
        }
        unsafe fn merge<'a, M: MessageFamily>(
            _: &MessageDescriptor,
            message: NonNull<u8>,
            wire: &[u8],
            options: &DecodeOptions,
            arena: &'a Arena,
        ) -> Result<(), DecodeError> {
            // SAFETY: as required of the caller, a message that nothing else refers to.
            options.merge(unsafe { message.cast::<M::In<'a>>().as_mut() }, wire, arena)
        }
        unsafe fn encode<'a, M: MessageFamily>(
            _: &MessageDescriptor,
            message: NonNull<u8>,
            arena: &'a Arena,
        ) -> Result<&'a [u8], EncodeError> {
            // SAFETY: as required of the caller.
            encoder::try_encode_message_in(unsafe { message.cast::<M::In<'a>>().as_ref() }, arena)
        }
        unsafe fn encode_to<M: MessageFamily>(
            _: &MessageDescriptor,
            message: NonNull<u8>,
            mut buf: &mut dyn BufMut,
            delimited: bool,
        ) -> Result<(), EncodeError> {
            // SAFETY: as required of the caller.
            let message = unsafe { message.cast::<M::In<'_>>().as_ref() };
            if delimited { message.encode_length_delimited(&mut buf) } else { message.encode(&mut buf) }
        }
        unsafe fn encoded_len<M: MessageFamily>(
            _: &MessageDescriptor,
            message: NonNull<u8>,
        ) -> Result<usize, EncodeError> {
            // SAFETY: as required of the caller.
            encoder::try_encoded_len(unsafe { message.cast::<M::In<'_>>().as_ref() })
        }
        const {
            &WireCodec {
                decode: decode::<M>,
                decode_copied: decode_copied::<M>,
                merge: merge::<M>,
                encode: encode::<M>,
                encode_to: encode_to::<M>,
                encoded_len: encoded_len::<M>,
            }
        }
    }

    /// The codec of all types that were made at run time.
    ///
    /// # Safety
    /// Its functions are for descriptors that have a class.
    const RUNTIME: &'static Self = {
        /// # Safety
        /// The descriptor has a class; the result is used no longer than the descriptor.
        unsafe fn class<'d>(descriptor: &MessageDescriptor) -> &'d RuntimeClass {
            // SAFETY: as required of the caller.
            let class = unsafe { descriptor.class.unwrap_unchecked() };
            // SAFETY: it lives as long as the descriptor.
            unsafe { class.as_ref() }
        }
        unsafe fn decode(
            descriptor: &MessageDescriptor,
            place: NonNull<u8>,
            wire: &[u8],
            options: &DecodeOptions,
            arena: &Arena,
        ) -> Result<(), DecodeError> {
            // SAFETY: as required of the caller.
            unsafe { class(descriptor).decode_borrowed(place, wire, options, arena) }
        }
        unsafe fn decode_copied(
            descriptor: &MessageDescriptor,
            place: NonNull<u8>,
            wire: &[u8],
            options: &DecodeOptions,
            arena: &Arena,
        ) -> Result<(), DecodeError> {
            // SAFETY: as required of the caller.
            unsafe { class(descriptor).decode_copied(place, wire, options, arena) }
        }
        unsafe fn merge(
            descriptor: &MessageDescriptor,
            message: NonNull<u8>,
            wire: &[u8],
            options: &DecodeOptions,
            arena: &Arena,
        ) -> Result<(), DecodeError> {
            // SAFETY: as required of the caller.
            let class = unsafe { class(descriptor) };
            // Into a copy: code of the user that unwinds, of an extension's enum say, leaves the message what it was.
            let Some(copy) = arena.try_alloc(descriptor.layout) else {
                return Err(DecodeError::at(Fault::Memory, 0));
            };
            // SAFETY: fresh memory for a copy of the message.
            unsafe { copy.copy_from_nonoverlapping(message, descriptor.layout.size()) };
            // SAFETY: as required of the caller.
            unsafe { class.merge(copy, message, wire, options, arena)? };
            // SAFETY: two messages of the type.
            unsafe { message.copy_from_nonoverlapping(copy, descriptor.layout.size()) };
            Ok(())
        }
        unsafe fn encode<'a>(
            descriptor: &MessageDescriptor,
            message: NonNull<u8>,
            arena: &'a Arena,
        ) -> Result<&'a [u8], EncodeError> {
            // SAFETY: as required of the caller.
            unsafe { class(descriptor).encode_in(message, arena) }
        }
        unsafe fn encode_to(
            descriptor: &MessageDescriptor,
            message: NonNull<u8>,
            buf: &mut dyn BufMut,
            delimited: bool,
        ) -> Result<(), EncodeError> {
            // SAFETY: as required of the caller.
            unsafe { class(descriptor).encode(message, buf, delimited) }
        }
        unsafe fn encoded_len(descriptor: &MessageDescriptor, message: NonNull<u8>) -> Result<usize, EncodeError> {
            // SAFETY: as required of the caller.
            unsafe { class(descriptor).encoded_len(message) }
        }
        &WireCodec { decode, decode_copied, merge, encode, encode_to, encoded_len }
    };
}

impl<'r> MessageType<'r> {
    /// A type that has a `struct`; the lifetime `'static` stands for every lifetime.
    #[must_use]
    pub fn of<M: MessageFamily>() -> Self {
        MessageType {
            descriptor: <M::In<'static> as Message<'static>>::__DESCRIPTOR.descriptor(),
            codec: WireCodec::of::<M>(),
        }
    }

    /// The type of a descriptor that was made at run time: that of a field of a [`DynamicMessage`](super::DynamicMessage),
    /// say. `None` of a descriptor of a type that has a `struct`, which does not know how to decode.
    #[must_use]
    pub fn of_descriptor(descriptor: &'r MessageDescriptor) -> Option<Self> {
        descriptor.class.map(|_| MessageType { descriptor, codec: WireCodec::RUNTIME })
    }

    pub(crate) fn codec(&self) -> &'r WireCodec {
        self.codec
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
        let mark = arena.mark();
        let Some(place) = arena.try_alloc(self.descriptor.layout) else {
            return Err(DecodeError::at(Fault::Memory, 0));
        };
        // SAFETY: memory for a message of the type, which is used as long as all three are borrowed.
        if let Err(error) = unsafe { (self.codec.decode)(self.descriptor, place, wire, options, arena) } {
            // SAFETY: what the decode made it has given back, and the place is not used.
            unsafe { arena.roll_back(mark) };
            return Err(error);
        }
        arena.keep_all();
        // SAFETY: a message of the type, decoded just now.
        Ok(unsafe { MessageRef::new(self.descriptor, place) })
    }

    /// Encodes a message of this type into an arena for nothing else, whose content goes; [`Exhausted`] without memory.
    ///
    /// Whoever writes does not ask whether there is memory, so there has to be enough before.
    #[cfg(any(feature = "json", feature = "text"))]
    pub(crate) fn encode_in_scratch<'a>(
        &self,
        message: MessageRef<'_>,
        scratch: &'a mut Arena,
    ) -> Result<&'a [u8], Exhausted> {
        if !self.descriptor.is(message.descriptor) {
            return Err(Exhausted::Memory);
        }
        // SAFETY: a message of the type.
        let len = unsafe { (self.codec.encoded_len)(self.descriptor, message.message)? };
        make_room(scratch, len)?;
        // SAFETY: a message of the type.
        Ok(unsafe { (self.codec.encode)(self.descriptor, message.message, scratch)? })
    }

    /// Encodes a message of this type into an arena.
    ///
    /// # Panics
    /// When the message is of another type, memory or the arena's limit is exhausted, or the message passes a
    /// [limit of encoding](crate::Message#limits-of-encoding).
    #[must_use]
    pub fn encode_in<'a>(&self, message: MessageRef<'_>, arena: &'a Arena) -> &'a [u8] {
        assert!(self.descriptor.is(message.descriptor), "a message of another type");
        // SAFETY: a message of the type.
        let encoded = unsafe { (self.codec.encode)(self.descriptor, message.message, arena) };
        encoder::accepted(encoded)
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
// TRUST: unsafe code does not rely on it: what a resolver returns carries its own type, which is compared where it is used.
pub trait Resolver {
    /// The message type of a full name.
    fn message(&self, full_name: &str) -> Option<MessageType<'_>>;

    /// The extension of a message by its full name, without brackets.
    fn extension(&self, host: &str, full_name: &str) -> Option<ExtensionType<'_>>;

    /// The extension of a message by its field number.
    fn extension_by_number(&self, host: &str, number: u32) -> Option<ExtensionType<'_>>;
}

/// Types that have a `struct`, and extensions that are constants, by their names.
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
    /// By the full names of the messages that they extend, and by numbers.
    extensions: BTreeMap<&'static str, BTreeMap<u32, Registered>>,
    /// By their own names.
    names: BTreeMap<&'static str, (&'static str, u32)>,
    /// What the holders of extensions are made of; dropped last.
    memory: Option<Memory>,
}

#[derive(Clone, Copy, Debug)]
struct Registered {
    name: &'static str,
    /// It lives as long as the registry.
    holder: NonNull<MessageDescriptor>,
}

// SAFETY: what the registry points to is its own memory, which is not written to.
unsafe impl Send for Registry {}
// SAFETY: as above.
unsafe impl Sync for Registry {}

impl Registry {
    /// An empty registry.
    #[must_use]
    pub const fn new() -> Self {
        Registry { messages: BTreeMap::new(), extensions: BTreeMap::new(), names: BTreeMap::new(), memory: None }
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

    /// Adds an extension, so that JSON and text find it by its name and number.
    ///
    /// An extension of a message set whose number is greater than 536,870,911 is not found: as a field it has no tag.
    ///
    /// ```
    /// use defiant::extension::{Int32, Optional};
    /// use defiant::reflect::{Registry, Resolver};
    /// use defiant::{Arena, Extension, Message, UnknownFields};
    ///
    /// #[derive(Clone, Copy, Debug, PartialEq, Message)]
    /// #[defiant(name = "example.Task")]
    /// struct Task<'arena> {
    ///     #[defiant(unknown)]
    ///     unknown_fields: UnknownFields<'arena>,
    /// }
    ///
    /// const PRIORITY: Extension<Task<'static>, Optional<Int32>> = Extension::new(100, "example.priority");
    ///
    /// let mut registry = Registry::new();
    /// registry.add_extension(&PRIORITY);
    /// let found = registry.extension("example.Task", "example.priority").expect("added");
    /// assert_eq!(found.field().number(), 100);
    /// ```
    ///
    /// # Panics
    /// When memory is exhausted.
    pub fn add_extension<Host: MessageFamily, K: Kind>(&mut self, extension: &Extension<Host, K>) -> &mut Self {
        let host = <Host::In<'static> as Message<'static>>::TABLE.name;
        let (name, number) = (extension.name(), extension.number());
        if number > MAX_NUMBER {
            return self;
        }
        let memory = self.memory.get_or_insert_with(|| Memory::new(usize::MAX));
        let Ok(holder) = Self::holder(extension, host, memory) else { crate::arena::exhausted() };
        self.extensions.entry(host).or_default().insert(number, Registered { name, holder });
        self.names.insert(name, (host, number));
        self
    }

    fn holder<Host: MessageFamily, K: Kind>(
        extension: &Extension<Host, K>,
        host: &'static str,
        memory: &mut Memory,
    ) -> Result<NonNull<MessageDescriptor>, Exhausted> {
        let default = match K::HAS_DEFAULT {
            true => memory.value(extension.raw_default())?.cast::<u8>().as_ptr().cast_const(),
            false => core::ptr::null(),
        };
        let (name, number, redacted) = (extension.name(), extension.number(), extension.is_redacted());
        // SAFETY: the default of an extension is of the type of its values.
        unsafe { K::__held().holder(memory, host, name, number, redacted, default) }
    }

    fn found(&self, host: &str, number: u32) -> Option<ExtensionType<'_>> {
        let (host, extensions) = self.extensions.get_key_value(host)?;
        let Registered { name, holder } = *extensions.get(&number)?;
        // SAFETY: it lives as long as the registry.
        Some(ExtensionType { name, host, holder: MessageType::of_descriptor(unsafe { holder.as_ref() })? })
    }
}

impl Resolver for Registry {
    fn message(&self, full_name: &str) -> Option<MessageType<'_>> {
        self.messages.get(full_name).copied()
    }

    fn extension(&self, host: &str, full_name: &str) -> Option<ExtensionType<'_>> {
        let (extends, number) = *self.names.get(full_name)?;
        if extends == host { self.found(extends, number) } else { None }
    }

    fn extension_by_number(&self, host: &str, number: u32) -> Option<ExtensionType<'_>> {
        self.found(host, number)
    }
}
