//! Messages whose type is known at run time only.
#![expect(unsafe_code, reason = "holds a message without its type")]

use core::fmt;
use core::marker::PhantomData;
use core::ptr::NonNull;

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use bytes::BufMut;

use super::{MessageMut, MessageRef, MessageType, Rejected, Store, Value};
use crate::arena::Arena;
use crate::descriptor::{FieldDescriptor, MessageDescriptor, Raw};
use crate::encoder;
use crate::error::{DecodeError, EncodeError};
use crate::extension::MessageFamily;
use crate::message::{DecodeOptions, Message};
use crate::unknown::UnknownFields;
use crate::wire::context::Fault;

/// A message of a type that is known at run time only: one of a `DescriptorPool` (feature `dynamic`), or, through its
/// [`MessageType`], one that has a `struct`.
///
/// It is laid out in the arena as a struct would be and goes through the same codecs: the same bytes, errors and limits.
/// Read it through [`as_ref`](Self::as_ref), a [`MessageRef`]; JSON and text do, too.
///
/// ```
/// use defiant::reflect::{DynamicMessage, MessageType, Value};
/// use defiant::wkt::Duration;
/// use defiant::Arena;
///
/// let arena = Arena::new();
/// let mut duration = DynamicMessage::new(MessageType::of::<Duration<'static>>(), &arena);
/// duration.set_by_name("seconds", Value::I64(3))?;
/// assert_eq!(duration.encode_to_vec(), [8, 3]);
/// assert!(duration.set_by_name("seconds", Value::String("3")).is_err());
/// assert_eq!(duration.to::<Duration<'static>>(&arena)?.seconds, 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Like a struct it holds no reference to its arena, and can be sent to other threads.
///
/// Invariant: `message` points to a message of the type, which nothing else refers to, and which lives for `'arena`.
pub struct DynamicMessage<'arena> {
    ty: MessageType<'arena>,
    message: NonNull<u8>,
    lifetime: PhantomData<&'arena mut ()>,
}

// SAFETY: it owns its message, and messages are `Send`.
unsafe impl Send for DynamicMessage<'_> {}
// SAFETY: as above; what changes it takes `&mut`.
unsafe impl Sync for DynamicMessage<'_> {}

impl<'arena> DynamicMessage<'arena> {
    /// A message with nothing set.
    ///
    /// # Panics
    /// When memory or the arena's limit is exhausted.
    #[must_use]
    pub fn new(ty: MessageType<'arena>, arena: &'arena Arena) -> Self {
        Self::copy_of(ty, MessageRef::default_of(ty.descriptor()), arena)
    }

    /// A copy of the message itself; what it refers to is shared.
    fn copy_of(ty: MessageType<'arena>, message: MessageRef<'arena>, arena: &'arena Arena) -> Self {
        let layout = ty.descriptor().layout;
        let place = arena.try_alloc(layout).unwrap_or_else(|| crate::arena::exhausted());
        arena.keep_all();
        // SAFETY: a message of the type, as the callers know, and fresh memory for one.
        unsafe { place.copy_from_nonoverlapping(message.pointer(), layout.size()) };
        DynamicMessage { ty, message: place, lifetime: PhantomData }
    }

    /// A copy of a message of a type that was made at run time, to be changed: the message itself is copied, and what it
    /// refers to is shared. `None` of a type that has a `struct`, whose descriptor does not know how to encode.
    ///
    /// # Panics
    /// When memory or the arena's limit is exhausted.
    #[must_use]
    pub fn from_ref(message: MessageRef<'arena>, arena: &'arena Arena) -> Option<Self> {
        let ty = MessageType::of_descriptor(message.descriptor())?;
        Some(Self::copy_of(ty, message, arena))
    }

    /// A message of a type that has a `struct`, as one of this type, by way of the wire.
    ///
    /// # Errors
    /// [`DecodeError`] when the types differ so much that the wire of one is none of the other.
    pub fn from_message<'m, M: Message<'m>>(
        ty: MessageType<'arena>,
        message: &M,
        arena: &'arena Arena,
    ) -> Result<Self, DecodeError> {
        let wire = encoder::try_encode_message_in(message, arena).map_err(EncodeError::in_conversion)?;
        Self::decode_borrowed(ty, wire, arena)
    }

    /// The message as one of a type that has a `struct`, by way of the wire.
    ///
    /// # Errors
    /// As [`from_message`](Self::from_message).
    ///
    /// # Panics
    /// When memory or the arena's limit is exhausted.
    pub fn to<'a, M: MessageFamily>(&self, arena: &'a Arena) -> Result<M::In<'a>, DecodeError> {
        // SAFETY: the invariant.
        let wire = unsafe { (self.ty.codec().encode)(self.ty.descriptor(), self.message, arena) };
        let wire = wire.map_err(EncodeError::in_conversion)?;
        M::In::decode_borrowed(wire, arena)
    }

    /// Decodes a message. The input is copied into the arena once, and strings are borrowed from that copy.
    ///
    /// # Errors
    /// As [`Message::decode`].
    pub fn decode(ty: MessageType<'arena>, wire: &[u8], arena: &'arena Arena) -> Result<Self, DecodeError> {
        Self::decode_with(ty, wire, &DecodeOptions::new(), arena)
    }

    /// [`decode`](Self::decode) with options. As with a struct, the outermost message does not count against the memory limit,
    /// though it is in the arena here; how large it is, its type says.
    ///
    /// # Errors
    /// As there.
    pub fn decode_with(
        ty: MessageType<'arena>,
        wire: &[u8],
        options: &DecodeOptions,
        arena: &'arena Arena,
    ) -> Result<Self, DecodeError> {
        // SAFETY: the message is used as long as arena and descriptor are borrowed.
        Self::decode_in_place(ty, arena, |place| unsafe {
            (ty.codec().decode_copied)(ty.descriptor(), place, wire, options, arena)
        })
    }

    /// Decodes a message whose strings and bytes are borrowed from the input itself.
    ///
    /// # Errors
    /// As [`Message::decode`].
    pub fn decode_borrowed(
        ty: MessageType<'arena>,
        wire: &'arena [u8],
        arena: &'arena Arena,
    ) -> Result<Self, DecodeError> {
        Self::decode_borrowed_with(ty, wire, &DecodeOptions::new(), arena)
    }

    /// [`decode_borrowed`](Self::decode_borrowed) with options.
    ///
    /// # Errors
    /// As there.
    pub fn decode_borrowed_with(
        ty: MessageType<'arena>,
        wire: &'arena [u8],
        options: &DecodeOptions,
        arena: &'arena Arena,
    ) -> Result<Self, DecodeError> {
        // SAFETY: the message is used as long as wire, arena and descriptor are borrowed.
        Self::decode_in_place(ty, arena, |place| unsafe {
            (ty.codec().decode)(ty.descriptor(), place, wire, options, arena)
        })
    }

    fn decode_in_place(
        ty: MessageType<'arena>,
        arena: &'arena Arena,
        decode: impl FnOnce(NonNull<u8>) -> Result<(), DecodeError>,
    ) -> Result<Self, DecodeError> {
        let mark = arena.mark();
        let Some(place) = arena.try_alloc(ty.descriptor().layout) else {
            return Err(DecodeError::at(Fault::Memory, 0));
        };
        match decode(place) {
            Ok(()) => {
                arena.keep_all();
                Ok(DynamicMessage { ty, message: place, lifetime: PhantomData })
            }
            Err(error) => {
                // SAFETY: what the decode made it has given back, and the place is not used.
                unsafe { arena.roll_back(mark) };
                Err(error)
            }
        }
    }

    /// Decodes into the message: singular fields are replaced or merged, repeated ones appended to.
    ///
    /// # Errors
    /// As [`Message::merge`]; then the message is unchanged.
    pub fn merge(&mut self, wire: &[u8], arena: &'arena Arena) -> Result<(), DecodeError> {
        self.merge_with(wire, &DecodeOptions::new(), arena)
    }

    /// [`merge`](Self::merge) with options.
    ///
    /// # Errors
    /// As there.
    pub fn merge_with(
        &mut self,
        wire: &[u8],
        options: &DecodeOptions,
        arena: &'arena Arena,
    ) -> Result<(), DecodeError> {
        let mark = arena.mark();
        // SAFETY: the invariant.
        let merged = unsafe { (self.ty.codec().merge)(self.ty.descriptor(), self.message, wire, options, arena) };
        if merged.is_ok() {
            arena.keep_all();
        } else {
            // SAFETY: the message is what it was, and what the decode made is not used.
            unsafe { arena.roll_back(mark) };
        }
        merged
    }

    /// Bytes that the message takes on the wire.
    ///
    /// # Panics
    /// When the message passes a [limit of encoding](Message#limits-of-encoding).
    #[must_use]
    pub fn encoded_len(&self) -> usize {
        // SAFETY: the invariant.
        encoder::accepted(unsafe { (self.ty.codec().encoded_len)(self.ty.descriptor(), self.message) })
    }

    /// Encodes the message into an arena, which may be the one that it lives in.
    ///
    /// # Panics
    /// When memory or the arena's limit is exhausted, or the message passes a
    /// [limit of encoding](Message#limits-of-encoding).
    #[must_use]
    pub fn encode_in<'a>(&self, arena: &'a Arena) -> &'a [u8] {
        // SAFETY: the invariant.
        encoder::accepted(unsafe { (self.ty.codec().encode)(self.ty.descriptor(), self.message, arena) })
    }

    /// Encodes the message.
    ///
    /// # Panics
    /// When memory is exhausted, or the message passes a [limit of encoding](Message#limits-of-encoding).
    #[must_use]
    pub fn encode_to_vec(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.encoded_len());
        encoder::accepted(self.encode(&mut bytes));
        bytes
    }

    /// Encodes the message into a buffer.
    ///
    /// # Errors
    /// [`EncodeError`] when the buffer is too small, or the message passes a
    /// [limit of encoding](Message#limits-of-encoding); then nothing was written.
    pub fn encode(&self, buf: &mut impl BufMut) -> Result<(), EncodeError> {
        // SAFETY: the invariant.
        unsafe { (self.ty.codec().encode_to)(self.ty.descriptor(), self.message, buf, false) }
    }

    /// Encodes the message behind its length as a varint.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    pub fn encode_length_delimited(&self, buf: &mut impl BufMut) -> Result<(), EncodeError> {
        // SAFETY: the invariant.
        unsafe { (self.ty.codec().encode_to)(self.ty.descriptor(), self.message, buf, true) }
    }

    /// The type.
    #[must_use]
    pub fn ty(&self) -> MessageType<'arena> {
        self.ty
    }

    /// The descriptor of the type.
    #[must_use]
    pub fn descriptor(&self) -> &'arena MessageDescriptor {
        self.ty.descriptor()
    }

    /// The message, to be read.
    #[must_use]
    pub fn as_ref(&self) -> MessageRef<'_> {
        // SAFETY: the invariant; it is not written to while this is borrowed.
        unsafe { MessageRef::new(self.ty.descriptor(), self.message) }
    }

    /// The message, finished: to be read, or to be put into a field of another.
    #[must_use]
    pub fn into_ref(self) -> MessageRef<'arena> {
        // SAFETY: the invariant; nothing writes to it any more.
        unsafe { MessageRef::new(self.ty.descriptor(), self.message) }
    }

    /// The fields that the type does not know.
    #[must_use]
    pub fn unknown_fields(&self) -> &UnknownFields<'arena> {
        // SAFETY: an offset in the message.
        let place = unsafe { self.message.add(self.ty.descriptor().unknown as usize) };
        // SAFETY: there lie its unknown fields.
        unsafe { place.cast().as_ref() }
    }

    /// The same, to be changed.
    pub fn unknown_fields_mut(&mut self) -> &mut UnknownFields<'arena> {
        // SAFETY: as above.
        let place = unsafe { self.message.add(self.ty.descriptor().unknown as usize) };
        // SAFETY: as above; nothing else refers to the message.
        unsafe { place.cast().as_mut() }
    }

    /// The message for the parts of the crate that make messages.
    pub(crate) fn as_mut(&mut self) -> MessageMut<'arena, 'arena> {
        // SAFETY: the invariant.
        unsafe { MessageMut::new(self.ty.descriptor(), self.message) }
    }

    /// The type's own descriptor of a field.
    fn own(&self, field: &FieldDescriptor) -> Result<&'arena FieldDescriptor, SetError> {
        let own = self.descriptor().field(field.number());
        own.filter(|own| core::ptr::eq::<FieldDescriptor>(*own, field) || own.name() == field.name())
            .ok_or_else(|| self.error(field.name(), Reason::NoField))
    }

    #[cold]
    fn error(&self, field: &str, reason: Reason) -> SetError {
        SetError { message: self.descriptor().name().to_string(), field: field.to_string(), reason }
    }

    fn rejected(&self, field: &FieldDescriptor, rejected: Rejected) -> SetError {
        let reason = match rejected {
            Rejected::Type => Reason::Type,
            Rejected::Exhausted(_) => Reason::Memory,
        };
        self.error(field.name(), reason)
    }

    /// Sets a field. A member of a oneof takes the place of the one that was in force; a message is of the field's type; a list
    /// comes from the same field of another message. For lists in general there is [`set_list`](Self::set_list), for maps
    /// [`set_map`](Self::set_map).
    ///
    /// # Errors
    /// [`SetError`] when the value is of another type than the field, or a number that a closed enum does not have; then
    /// the message is unchanged. A singular [lazy](crate::Lazy) field holds no message that could be set here: it is written
    /// in its `struct`.
    pub fn set(&mut self, field: &FieldDescriptor, value: Value<'arena>) -> Result<(), SetError> {
        let own = self.own(field)?;
        let set = match (raw(value), value) {
            (Some(raw), _) => self.as_mut().set(own, raw),
            (None, Value::Message(message)) => self.as_mut().set_shared(own, message),
            (None, Value::List(list)) => self.as_mut().set_same_list(own, list),
            (None, _) => Err(Rejected::Type),
        };
        set.map_err(|rejected| self.rejected(own, rejected))
    }

    /// [`set`](Self::set) of the field with a name as in the `.proto` file.
    ///
    /// # Errors
    /// As there, and when there is no such field.
    pub fn set_by_name(&mut self, name: &str, value: Value<'arena>) -> Result<(), SetError> {
        match self.descriptor().field_by_name(name) {
            Some(field) => self.set(field, value),
            None => Err(self.error(name, Reason::NoField)),
        }
    }

    /// Makes a field what it is in a message with nothing set. Of a oneof's member that is in force, unsets the oneof.
    ///
    /// # Errors
    /// [`SetError`] when the message's type has no such field.
    pub fn clear(&mut self, field: &FieldDescriptor) -> Result<(), SetError> {
        let own = self.own(field)?;
        // Another member of its oneof stays.
        if own.oneof().is_none() || self.as_ref().read(own).is_some() {
            self.as_mut().clear(own);
        }
        Ok(())
    }

    /// Gives a repeated field these elements; messages are of the field's type and are copied, without what they refer to.
    ///
    /// # Errors
    /// [`SetError`] when the field is not repeated or an element is of another type; then the message is unchanged.
    pub fn set_list(
        &mut self,
        field: &FieldDescriptor,
        values: impl IntoIterator<Item = Value<'arena>>,
        arena: &'arena Arena,
    ) -> Result<(), SetError> {
        self.fill_list(field, values, arena, true)
    }

    /// Adds elements behind those of a repeated field.
    ///
    /// Each call copies the elements that are there: add many at once.
    ///
    /// # Errors
    /// As [`set_list`](Self::set_list).
    pub fn extend_list(
        &mut self,
        field: &FieldDescriptor,
        values: impl IntoIterator<Item = Value<'arena>>,
        arena: &'arena Arena,
    ) -> Result<(), SetError> {
        self.fill_list(field, values, arena, false)
    }

    fn fill_list(
        &mut self,
        field: &FieldDescriptor,
        values: impl IntoIterator<Item = Value<'arena>>,
        arena: &'arena Arena,
        anew: bool,
    ) -> Result<(), SetError> {
        let own = self.own(field)?;
        let store = Store::new(arena, usize::MAX);
        let Some(mut list) = self.as_mut().list(own) else { return Err(self.error(own.name(), Reason::Type)) };
        if anew {
            list.forget();
        }
        for value in values {
            let pushed = match (raw(value), value, own.message()) {
                (Some(raw), _, _) => list.push_of(own, raw, &store),
                (None, Value::Message(message), Some(descriptor)) => list.push_copy(descriptor, message, &store),
                _ => Err(Rejected::Type),
            };
            if let Err(rejected) = pushed {
                return Err(self.rejected(own, rejected));
            }
        }
        store.keep();
        if list.len() == 0 {
            self.as_mut().clear(own);
        } else {
            self.as_mut().set_list(own, list);
        }
        Ok(())
    }

    /// Gives a map these entries, in any order; of entries with the same key the last one stays. Messages are of the
    /// field's type and are copied, without what they refer to.
    ///
    /// # Errors
    /// [`SetError`] when the field is no map or a key or value is of another type; then the message is unchanged.
    pub fn set_map(
        &mut self,
        field: &FieldDescriptor,
        entries: impl IntoIterator<Item = (Value<'arena>, Value<'arena>)>,
        arena: &'arena Arena,
    ) -> Result<(), SetError> {
        self.fill_map(field, entries, arena, true)
    }

    /// Adds entries to a map, or replaces those with the same keys.
    ///
    /// Each call copies the entries that are there: add many at once.
    ///
    /// # Errors
    /// As [`set_map`](Self::set_map).
    pub fn extend_map(
        &mut self,
        field: &FieldDescriptor,
        entries: impl IntoIterator<Item = (Value<'arena>, Value<'arena>)>,
        arena: &'arena Arena,
    ) -> Result<(), SetError> {
        self.fill_map(field, entries, arena, false)
    }

    fn fill_map(
        &mut self,
        field: &FieldDescriptor,
        entries: impl IntoIterator<Item = (Value<'arena>, Value<'arena>)>,
        arena: &'arena Arena,
        anew: bool,
    ) -> Result<(), SetError> {
        let own = self.own(field)?;
        let store = Store::new(arena, usize::MAX);
        let Some(mut map) = self.as_mut().map(own) else { return Err(self.error(own.name(), Reason::Type)) };
        if anew {
            map.forget();
        }
        for (key, value) in entries {
            let pushed = match (raw(key), raw(value), value, own.message()) {
                (Some(key), Some(value), _, _) => map.push_of(key, value, &store),
                (Some(key), None, Value::Message(message), Some(descriptor)) => {
                    map.push_copy(key, descriptor, message, &store)
                }
                _ => Err(Rejected::Type),
            };
            if let Err(rejected) = pushed {
                return Err(self.rejected(own, rejected));
            }
        }
        store.keep();
        if map.len() == 0 {
            self.as_mut().clear(own);
            return Ok(());
        }
        let set = self.as_mut().set_map(own, map, &store);
        store.keep();
        set.map_err(|_| self.error(own.name(), Reason::Memory))
    }

    /// Changes a singular message field: a function gets a copy of what is there, or a message with nothing set, and what
    /// it makes of it is put into the field.
    ///
    /// # Errors
    /// [`SetError`] when the field is none of a singular message; of a type that has a `struct`, too: then make the child
    /// with its own [`MessageType`] and [`set`](Self::set) it.
    pub fn update<R>(
        &mut self,
        field: &FieldDescriptor,
        arena: &'arena Arena,
        change: impl FnOnce(&mut DynamicMessage<'arena>) -> R,
    ) -> Result<R, SetError> {
        let own = self.own(field)?;
        if own.is_list() || own.is_map() {
            return Err(self.error(own.name(), Reason::Type));
        }
        let Some(ty) = own.message().and_then(MessageType::of_descriptor) else {
            return Err(self.error(own.name(), Reason::Type));
        };
        let message = match self.as_ref().read(own) {
            Some(Value::Message(message)) => message.pointer(),
            _ => MessageRef::default_of(ty.descriptor()).pointer(),
        };
        // SAFETY: a message of the field's type, which lives for 'arena: the field holds it by reference.
        let message = unsafe { MessageRef::new(ty.descriptor(), message) };
        let mut child = Self::copy_of(ty, message, arena);
        let result = change(&mut child);
        self.set(own, Value::Message(child.into_ref()))?;
        Ok(result)
    }
}

/// A value that is no message, list or map.
fn raw(value: Value<'_>) -> Option<Raw<'_>> {
    Some(match value {
        Value::Bool(value) => Raw::Bool(value),
        Value::I32(value) => Raw::I32(value),
        Value::I64(value) => Raw::I64(value),
        Value::U32(value) => Raw::U32(value),
        Value::U64(value) => Raw::U64(value),
        Value::F32(value) => Raw::F32(value),
        Value::F64(value) => Raw::F64(value),
        Value::String(value) => Raw::Str(value),
        Value::Bytes(value) => Raw::Bytes(value),
        Value::Enum(value) => Raw::Enum(value),
        Value::Message(_) | Value::Lazy(_) | Value::List(_) | Value::Map(_) => return None,
    })
}

impl PartialEq for DynamicMessage<'_> {
    /// Whether type and fields are the same, unknown ones included.
    fn eq(&self, other: &Self) -> bool {
        self.as_ref() == other.as_ref()
    }
}

impl fmt::Debug for DynamicMessage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_ref().fmt(f)
    }
}

/// A field was not set: there is none of that name, or the value is none of its type.
#[derive(Debug)]
pub struct SetError {
    message: String,
    field: String,
    reason: Reason,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reason {
    NoField,
    Type,
    Memory,
}

impl SetError {
    /// The field.
    #[must_use]
    pub fn field(&self) -> &str {
        &self.field
    }

    /// The message has no such field.
    #[must_use]
    pub fn is_no_field(&self) -> bool {
        self.reason == Reason::NoField
    }

    /// Memory, or the arena's limit, is exhausted.
    #[must_use]
    pub fn is_memory_limit(&self) -> bool {
        self.reason == Reason::Memory
    }
}

impl fmt::Display for SetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SetError { message, field, reason } = self;
        write!(f, "{message}.{field}: ")?;
        f.write_str(match reason {
            Reason::NoField => "there is no such field",
            Reason::Type => "the value is none of the field's type",
            Reason::Memory => "memory limit reached",
        })
    }
}

impl core::error::Error for SetError {}
