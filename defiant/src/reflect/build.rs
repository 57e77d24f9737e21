//! Making messages without knowing their types.
#![expect(unsafe_code, reason = "writes fields by their offsets")]

use core::alloc::Layout;
use core::cell::Cell;
use core::marker::PhantomData;
use core::ptr::NonNull;

use super::{ListRef, MessageRef};
use crate::arena::{Arena, Mark};
use crate::descriptor::{Access, FieldDescriptor, LazyAccess, MapAccess, MessageDescriptor, Plain, Raw};
use crate::error::EncodeError;
use crate::message::DecodeOptions;
use crate::unknown::UnknownFields;

/// Why a value was not set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rejected {
    /// It is of another type than the field, or a number that a closed enum does not have.
    Type,
    /// There is no room for it.
    Exhausted(Exhausted),
}

/// A limit that is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exhausted {
    /// No memory is left, of the machine, the arena or the budget.
    Memory,
    /// More elements and entries than are allowed.
    Elements,
    /// A string or bytes are longer than is allowed.
    Length,
    /// Messages are nested deeper than can be encoded.
    Depth,
}

impl From<EncodeError> for Exhausted {
    fn from(error: EncodeError) -> Self {
        if error.is_recursion_limit() { Exhausted::Depth } else { Exhausted::Memory }
    }
}

impl From<Exhausted> for Rejected {
    fn from(exhausted: Exhausted) -> Self {
        Rejected::Exhausted(exhausted)
    }
}

/// Where the parts of a message go: an arena, and a budget.
#[derive(Debug)]
pub(crate) struct Store<'arena> {
    arena: &'arena Arena,
    mark: Mark,
    budget: Cell<usize>,
    /// Elements and entries that may still be made.
    elements: Cell<usize>,
    /// Bytes that a string may have.
    longest: usize,
    /// What lazy messages are decoded with.
    lazy: DecodeOptions,
}

impl<'arena> Store<'arena> {
    /// `limit` bytes of an arena.
    pub(crate) fn new(arena: &'arena Arena, limit: usize) -> Self {
        Store {
            arena,
            mark: arena.mark(),
            budget: Cell::new(limit),
            elements: Cell::new(usize::MAX),
            longest: usize::MAX,
            lazy: DecodeOptions::new(),
        }
    }

    /// With so many elements and entries in all, and strings of so many bytes. What is lazy has these limits and that of
    /// memory, too, and so many levels, each time it is decoded.
    pub(crate) fn with_limits(self, elements: usize, longest: usize, levels: u32) -> Self {
        let lazy = DecodeOptions::new().memory_limit(self.budget()).recursion_limit(levels);
        let lazy = lazy.elements_limit(elements).string_limit(longest);
        Store { elements: Cell::new(elements), longest, lazy, ..self }
    }

    /// Memory in another arena, for which the same limits hold.
    #[cfg_attr(not(feature = "text"), expect(dead_code, reason = "only text needs it"))]
    pub(crate) fn aside<'other>(&self, arena: &'other Arena) -> Store<'other> {
        let store = Store::new(arena, self.budget());
        Store { elements: self.elements.clone(), longest: self.longest, lazy: self.lazy, ..store }
    }

    /// Writes a lazy message that encodes another.
    ///
    /// # Safety
    /// Memory for the lazy message, and a message of the type of the access.
    unsafe fn encode_lazy(
        &self,
        access: &LazyAccess,
        place: NonNull<u8>,
        message: NonNull<u8>,
    ) -> Result<(), Exhausted> {
        // SAFETY: as required of the caller.
        let taken = unsafe { (access.encode)(place.as_ptr(), message, self.arena, self.budget(), &self.lazy) };
        self.charge(taken.ok_or(Exhausted::Memory)?)
    }

    /// Counts what was made in such memory, but for its bytes.
    #[cfg_attr(not(feature = "text"), expect(dead_code, reason = "only text needs it"))]
    pub(crate) fn count_aside(&self, other: &Store<'_>) {
        self.elements.set(other.elements.get());
    }

    /// Counts elements or entries.
    pub(crate) fn count(&self, elements: usize) -> Result<(), Exhausted> {
        self.elements.set(self.elements.get().checked_sub(elements).ok_or(Exhausted::Elements)?);
        Ok(())
    }

    /// Whether a string may have so many bytes.
    #[inline]
    pub(crate) fn admit(&self, len: usize) -> Result<(), Exhausted> {
        if len > self.longest { Err(Exhausted::Length) } else { Ok(()) }
    }

    #[cfg(test)]
    pub(crate) fn arena(&self) -> &'arena Arena {
        self.arena
    }

    /// Bytes that may still be taken.
    pub(crate) fn budget(&self) -> usize {
        self.budget.get()
    }

    /// Counts bytes that were taken from the arena by others.
    pub(crate) fn charge(&self, bytes: usize) -> Result<(), Exhausted> {
        self.budget.set(self.budget.get().checked_sub(bytes).ok_or(Exhausted::Memory)?);
        Ok(())
    }

    pub(crate) fn alloc(&self, layout: Layout) -> Result<NonNull<u8>, Exhausted> {
        self.charge(layout.size())?;
        self.arena.try_alloc(layout).ok_or(Exhausted::Memory)
    }

    /// A copy of bytes.
    pub(crate) fn bytes(&self, bytes: &[u8]) -> Result<&'arena [u8], Exhausted> {
        let place = self.alloc(Layout::for_value(bytes))?;
        // SAFETY: fresh memory for as many bytes.
        unsafe { place.as_ptr().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        // SAFETY: written just now, and not written to again.
        Ok(unsafe { core::slice::from_raw_parts(place.as_ptr(), bytes.len()) })
    }

    /// Zeros to write to.
    #[cfg_attr(not(feature = "json"), expect(dead_code, reason = "only JSON needs it"))]
    pub(crate) fn zeroed(&self, len: usize) -> Result<&'arena mut [u8], Exhausted> {
        self.filled(len, 0)
    }

    /// Copies of a value, to be written over.
    pub(crate) fn filled<T: Copy + 'arena>(&self, len: usize, value: T) -> Result<&'arena mut [T], Exhausted> {
        let place = self.alloc(Layout::array::<T>(len).map_err(|_| Exhausted::Memory)?)?.cast::<T>();
        for index in 0..len {
            // SAFETY: fresh memory for as many values.
            unsafe { place.add(index).write(value) };
        }
        // SAFETY: written just now, and nothing else refers to it.
        Ok(unsafe { core::slice::from_raw_parts_mut(place.as_ptr(), len) })
    }

    /// A copy of a string.
    pub(crate) fn str(&self, text: &str) -> Result<&'arena str, Exhausted> {
        let bytes = self.bytes(text.as_bytes())?;
        // SAFETY: the bytes of a string.
        Ok(unsafe { core::str::from_utf8_unchecked(bytes) })
    }

    /// What was made is to stay.
    pub(crate) fn keep(&self) {
        self.arena.keep_all();
    }

    /// Gives the memory back.
    ///
    /// # Safety
    /// Nothing that was made is used any more.
    pub(crate) unsafe fn roll_back(&self) {
        // SAFETY: as required of the caller.
        unsafe { self.arena.roll_back(self.mark) };
    }
}

/// A message under construction.
///
/// Invariant: `message` points to a message of the descriptor's type, which nothing else refers to, and which lives for
/// `'arena`.
#[derive(Debug)]
pub(crate) struct MessageMut<'d, 'arena> {
    descriptor: &'d MessageDescriptor,
    message: NonNull<u8>,
    lifetime: PhantomData<&'arena mut ()>,
}

impl<'d, 'arena> MessageMut<'d, 'arena> {
    /// A message with nothing set.
    pub(crate) fn alloc(descriptor: &'d MessageDescriptor, store: &Store<'arena>) -> Result<Self, Exhausted> {
        let place = store.alloc(descriptor.layout)?;
        // SAFETY: fresh memory for a message of the type.
        Ok(unsafe { Self::unset_at(descriptor, place) })
    }

    /// A message with nothing set in the memory of the caller.
    ///
    /// # Safety
    /// Memory for a message of the type, which nothing else refers to for as long as the result is used.
    pub(crate) unsafe fn unset_at(descriptor: &'d MessageDescriptor, place: NonNull<u8>) -> Self {
        // SAFETY: as required of the caller; messages are `Copy`.
        unsafe { place.as_ptr().copy_from_nonoverlapping(descriptor.default, descriptor.layout.size()) };
        MessageMut { descriptor, message: place, lifetime: PhantomData }
    }

    /// A message that the caller has.
    ///
    /// # Safety
    /// The invariant.
    pub(crate) unsafe fn new(descriptor: &'d MessageDescriptor, message: NonNull<u8>) -> Self {
        MessageMut { descriptor, message, lifetime: PhantomData }
    }

    pub(crate) fn descriptor(&self) -> &'d MessageDescriptor {
        self.descriptor
    }

    /// Makes this message what another of the same type is.
    #[cfg_attr(not(feature = "text"), expect(dead_code, reason = "only text needs it"))]
    pub(crate) fn assign(&mut self, other: MessageMut<'_, 'arena>) -> Result<(), Rejected> {
        if !self.descriptor.is(other.descriptor) {
            return Err(Rejected::Type);
        }
        // SAFETY: two messages of the same type, which are `Copy`. `other` is the only way to its message, and goes away; what
        // it refers to lives for 'arena. Neither overlaps the other, because nothing else refers to either (the invariant).
        unsafe { self.message.copy_from_nonoverlapping(other.message, self.descriptor.layout.size()) };
        Ok(())
    }

    /// The message, to be read.
    pub(crate) fn as_ref(&self) -> MessageRef<'_> {
        // SAFETY: the invariant.
        unsafe { MessageRef::new(self.descriptor, self.message) }
    }

    /// The message, finished.
    pub(crate) fn into_ref(self) -> MessageRef<'arena>
    where
        'd: 'arena,
    {
        // SAFETY: the invariant.
        unsafe { MessageRef::new(self.descriptor, self.message) }
    }

    pub(crate) fn unknown_fields(&mut self) -> &mut UnknownFields<'arena> {
        // SAFETY: an offset in the message.
        let place = unsafe { self.message.add(self.descriptor.unknown as usize) };
        // SAFETY: there lie the message's unknown fields.
        unsafe { place.cast().as_mut() }
    }

    /// Adds whole fields, as on the wire, behind the unknown ones.
    pub(crate) fn push_unknown(&mut self, span: &'arena [u8], store: &Store<'arena>) -> Result<(), Exhausted> {
        store.charge(UnknownFields::NODE_SIZE)?;
        if self.unknown_fields().try_push_in(span, store.arena) { Ok(()) } else { Err(Exhausted::Memory) }
    }

    /// Where a field is. The field is one of the descriptor's own.
    #[inline]
    pub(crate) fn place(&self, field: &FieldDescriptor) -> *mut u8 {
        debug_assert!(self.descriptor.field(field.number).is_some_and(|own| own.offset == field.offset));
        // SAFETY: an offset in the message.
        unsafe { self.message.add(field.offset as usize) }.as_ptr()
    }

    /// Sets a field to a single value that is no message. `field` is one of the descriptor's own.
    pub(crate) fn set(&mut self, field: &FieldDescriptor, value: Raw<'arena>) -> Result<(), Rejected> {
        if matches!(value, Raw::Message(_) | Raw::Lazy(_)) {
            return Err(Rejected::Type);
        }
        if !has(field, value) {
            return Err(Rejected::Type);
        }
        // SAFETY: the value is no message, and what it refers to lives for 'arena.
        unsafe { self.set_raw(field, value) }
    }

    /// # Safety
    /// A message is of the type that the field's descriptor says, and lives for `'arena`.
    unsafe fn set_raw(&mut self, field: &FieldDescriptor, value: Raw<'arena>) -> Result<(), Rejected> {
        let at = self.place(field);
        let set = match field.access() {
            // SAFETY: the field's own memory.
            Access::Implicit(plain) | Access::Required(plain) => unsafe { plain.write(at, value) },
            // SAFETY: as above.
            Access::Optional(plain) => unsafe { plain.write_optional(at, value) },
            Access::Member => {
                let oneof = self.descriptor.oneofs.get(usize::from(field.oneof));
                // SAFETY: as above.
                oneof
                    .and_then(|oneof| oneof.access.as_ref())
                    .is_some_and(|access| unsafe { (access.set)(at, field.number, value) })
            }
            // SAFETY: as above.
            Access::Variant(plain) => unsafe { Access::write_variant(plain, at, field.number, value) },
            Access::Reference => match value {
                Raw::Message(message) => {
                    // SAFETY: as above; a reference that may be missing has the form of a pointer that may.
                    unsafe { at.cast::<Option<NonNull<u8>>>().write(Some(message)) };
                    true
                }
                _ => false,
            },
            Access::Inline(access) => match value {
                Raw::Message(message) => {
                    // SAFETY: as above.
                    unsafe { (access.set)(at, message) };
                    true
                }
                _ => false,
            },
            Access::List(_) | Access::Map(_) => false,
        };
        if set { Ok(()) } else { Err(Rejected::Type) }
    }

    /// Sets a singular field to a message, which was made with the descriptor of the field's messages.
    pub(crate) fn set_message(
        &mut self,
        field: &FieldDescriptor,
        message: MessageMut<'_, 'arena>,
        store: &Store<'arena>,
    ) -> Result<(), Rejected> {
        if !field.message().is_some_and(|descriptor| descriptor.is(message.descriptor)) {
            return Err(Rejected::Type);
        }
        if let Some(access) = field.lazy() {
            let place = store.alloc(access.layout)?;
            // SAFETY: memory for it, and a message of the type.
            unsafe { store.encode_lazy(access, place, message.message)? };
            // SAFETY: a lazy message of the type.
            return unsafe { self.set_raw(field, Raw::Lazy(place)) };
        }
        // SAFETY: a message of the type, which lives for 'arena and is not written to any more.
        unsafe { self.set_raw(field, Raw::Message(message.message)) }
    }

    /// Sets a singular field to a message that is not written to any more.
    pub(crate) fn set_shared(&mut self, field: &FieldDescriptor, message: MessageRef<'arena>) -> Result<(), Rejected> {
        let same = field.message().is_some_and(|descriptor| descriptor.is(message.descriptor()));
        if !same || matches!(field.access(), Access::List(_) | Access::Map(_)) {
            return Err(Rejected::Type);
        }
        // SAFETY: a message of the type, which lives for 'arena.
        unsafe { self.set_raw(field, Raw::Message(message.pointer())) }
    }

    /// Sets a repeated field to the elements of a message's same field.
    pub(crate) fn set_same_list(&mut self, field: &FieldDescriptor, list: ListRef<'arena>) -> Result<(), Rejected> {
        if !core::ptr::eq(field, list.field()) || !field.is_list() {
            return Err(Rejected::Type);
        }
        if list.is_empty() {
            self.clear(field);
            return Ok(());
        }
        // SAFETY: as in `list`: elements of the same field, which live for 'arena and are not written to any more.
        unsafe { self.place(field).cast::<*const [()]>().write(list.pointer()) };
        Ok(())
    }

    /// Makes a field what it is in a message with nothing set. Of a oneof's member, unsets the oneof.
    pub(crate) fn clear(&mut self, field: &FieldDescriptor) {
        let at = self.place(field);
        // SAFETY: the field of a message with nothing set, and this message's own.
        unsafe { at.copy_from_nonoverlapping(self.descriptor.default.add(field.offset as usize), field.size as usize) };
    }

    /// The elements of a repeated field, to add some; `None` for any other.
    pub(crate) fn list(&self, field: &FieldDescriptor) -> Option<ListBuilder<'arena>> {
        let Access::List(plain) = field.access() else { return None };
        // SAFETY: there lies a slice, whose reference is an address and a length, whatever its elements are.
        let slice = unsafe { *self.place(field).cast::<*const [()]>() };
        let layout = plain.layout();
        let first = NonNull::new(slice.cast_mut().cast()).unwrap_or(NonNull::dangling());
        // Elements that another made are not written to: without spare capacity, the next one copies them.
        let (len, capacity) = (slice.len(), slice.len());
        Some(ListBuilder { plain, layout, first, len, capacity, owned: false, lifetime: PhantomData })
    }

    /// Gives a repeated field its elements, from [`list`](Self::list) of the same field.
    pub(crate) fn set_list(&mut self, field: &FieldDescriptor, list: ListBuilder<'arena>) {
        if list.len == 0 {
            return;
        }
        let slice = core::ptr::slice_from_raw_parts(list.first.as_ptr().cast_const().cast::<()>(), list.len);
        // SAFETY: as in `list`; the elements live for 'arena and are not written to any more.
        unsafe { self.place(field).cast::<*const [()]>().write(slice) };
    }

    /// The entries of a map, to add some; `None` for any other field.
    pub(crate) fn map<'f>(&self, field: &'f FieldDescriptor) -> Option<MapBuilder<'f, 'arena>> {
        let Access::Map(access) = field.access() else { return None };
        // SAFETY: there lies a map that the access is made for.
        let (first, len) = unsafe { (access.entries)(self.place(field)) };
        let first = NonNull::new(first.cast_mut()).unwrap_or(NonNull::dangling());
        Some(MapBuilder { field, access, first, len, capacity: len, owned: false, lifetime: PhantomData })
    }

    /// Gives a map its entries, from [`map`](Self::map) of the same field.
    pub(crate) fn set_map(
        &mut self,
        field: &FieldDescriptor,
        map: MapBuilder<'_, 'arena>,
        store: &Store<'arena>,
    ) -> Result<(), Exhausted> {
        if !map.owned {
            return Ok(());
        }
        // The order of the entries while they are sorted, and the header.
        store.charge(map.len.saturating_mul(size_of::<u32>()).saturating_add(64))?;
        // SAFETY: the map's memory, and entries that nothing else refers to.
        let built =
            unsafe { (map.access.build)(map.access, self.place(field), map.first.as_ptr(), map.len, store.arena) };
        if built { Ok(()) } else { Err(Exhausted::Memory) }
    }
}

/// The elements of a repeated field under construction.
///
/// Invariant: the first `len` elements of `layout` at `first` are initialised; if `owned`, there is memory for `capacity`,
/// which nothing else refers to.
pub(crate) struct ListBuilder<'arena> {
    plain: Plain,
    layout: Layout,
    first: NonNull<u8>,
    len: usize,
    capacity: usize,
    owned: bool,
    lifetime: PhantomData<&'arena mut ()>,
}

impl<'arena> ListBuilder<'arena> {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn plain(&self) -> Plain {
        self.plain
    }

    /// Goes on without elements.
    pub(crate) fn forget(&mut self) {
        (self.len, self.capacity, self.owned) = (0, 0, false);
    }

    /// [`push`](Self::push) of a value of the list's own field.
    pub(crate) fn push_of(
        &mut self,
        field: &FieldDescriptor,
        value: Raw<'arena>,
        store: &Store<'arena>,
    ) -> Result<(), Rejected> {
        if !has(field, value) {
            return Err(Rejected::Type);
        }
        self.push(value, store)
    }

    /// Adds a copy of a message.
    pub(crate) fn push_copy(
        &mut self,
        descriptor: &MessageDescriptor,
        message: MessageRef<'arena>,
        store: &Store<'arena>,
    ) -> Result<(), Rejected> {
        if !descriptor.is(message.descriptor()) {
            return Err(Rejected::Type);
        }
        self.push_message(descriptor, store, |copy| {
            // SAFETY: two messages of the same type; what the second refers to lives for 'arena.
            unsafe { copy.message.copy_from_nonoverlapping(message.pointer(), descriptor.layout.size()) };
            Ok(())
        })
    }

    /// Memory for one more element.
    #[inline]
    fn slot(&mut self, store: &Store<'arena>) -> Result<NonNull<u8>, Exhausted> {
        if self.len == self.capacity || !self.owned {
            let ListBuilder { layout, first, len, capacity, owned, .. } = *self;
            // SAFETY: the invariant.
            (self.first, self.capacity) = unsafe { grow(store, layout, first, len, if owned { capacity } else { 0 })? };
            self.owned = true;
        }
        // SAFETY: below the capacity.
        Ok(unsafe { self.first.add(self.len * self.layout.size()) })
    }

    /// Adds a value that is no message.
    pub(crate) fn push(&mut self, value: Raw<'arena>, store: &Store<'arena>) -> Result<(), Rejected> {
        if matches!(value, Raw::Message(_) | Raw::Lazy(_)) {
            return Err(Rejected::Type);
        }
        let slot = self.slot(store)?;
        // SAFETY: memory for an element; what the value refers to lives for 'arena.
        if !unsafe { self.plain.write(slot.as_ptr(), value) } {
            return Err(Rejected::Type);
        }
        self.len += 1;
        Ok(())
    }

    /// Adds a value of a known type.
    ///
    /// # Safety
    /// `T` is the type that [`plain`](Self::plain) writes, and no message.
    #[cfg_attr(not(feature = "json"), expect(dead_code, reason = "only JSON needs it"))]
    #[inline]
    pub(crate) unsafe fn push_as<T: 'arena>(&mut self, value: T, store: &Store<'arena>) -> Result<(), Exhausted> {
        let slot = self.slot(store)?;
        // SAFETY: memory for an element, which is a `T`.
        unsafe { slot.cast().write(value) };
        self.len += 1;
        Ok(())
    }

    /// Adds a message that a function fills. The function gives no more than its errors.
    pub(crate) fn push_message<'d, E: From<Exhausted>>(
        &mut self,
        descriptor: &'d MessageDescriptor,
        store: &Store<'arena>,
        fill: impl FnOnce(&mut MessageMut<'d, 'arena>) -> Result<(), E>,
    ) -> Result<(), E> {
        match self.plain {
            Plain::Message(layout) if layout == descriptor.layout => {
                let slot = self.slot(store)?;
                // SAFETY: memory for a message of the layout, which nothing else refers to until it counts as an element.
                let mut message = unsafe { MessageMut::unset_at(descriptor, slot) };
                fill(&mut message)?;
            }
            Plain::Lazy(access) => {
                let mut message = MessageMut::alloc(descriptor, store)?;
                fill(&mut message)?;
                let slot = self.slot(store)?;
                // SAFETY: memory for it, and a message of the type.
                unsafe { store.encode_lazy(access, slot, message.message)? };
            }
            _ => return Err(Exhausted::Memory.into()),
        }
        self.len += 1;
        Ok(())
    }
}

/// The entries of a map under construction, in any order.
///
/// Invariant: as of [`ListBuilder`], with the access's entries.
pub(crate) struct MapBuilder<'f, 'arena> {
    field: &'f FieldDescriptor,
    access: &'static MapAccess,
    first: NonNull<u8>,
    len: usize,
    capacity: usize,
    owned: bool,
    lifetime: PhantomData<&'arena mut ()>,
}

impl<'arena> MapBuilder<'_, 'arena> {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Goes on without entries.
    pub(crate) fn forget(&mut self) {
        (self.len, self.capacity, self.owned) = (0, 0, false);
    }

    /// [`push`](Self::push) of a value that the field may have.
    pub(crate) fn push_of(
        &mut self,
        key: Raw<'arena>,
        value: Raw<'arena>,
        store: &Store<'arena>,
    ) -> Result<(), Rejected> {
        if !has(self.field, value) {
            return Err(Rejected::Type);
        }
        self.push(key, value, store)
    }

    /// Adds an entry with a copy of a message.
    pub(crate) fn push_copy(
        &mut self,
        key: Raw<'arena>,
        descriptor: &MessageDescriptor,
        message: MessageRef<'arena>,
        store: &Store<'arena>,
    ) -> Result<(), Rejected> {
        if !descriptor.is(message.descriptor()) {
            return Err(Rejected::Type);
        }
        self.push_message(key, descriptor, store, |copy| {
            // SAFETY: two messages of the same type; what the second refers to lives for 'arena.
            unsafe { copy.message.copy_from_nonoverlapping(message.pointer(), descriptor.layout.size()) };
            Ok::<(), Rejected>(())
        })
    }

    /// Memory for the key and the value of one more entry.
    fn slot(&mut self, store: &Store<'arena>) -> Result<(NonNull<u8>, NonNull<u8>), Exhausted> {
        if self.len == self.capacity || !self.owned {
            let (layout, capacity) = (self.access.entry, if self.owned { self.capacity } else { 0 });
            // SAFETY: the invariant.
            (self.first, self.capacity) = unsafe { grow(store, layout, self.first, self.len, capacity)? };
            self.owned = true;
        }
        // SAFETY: below the capacity.
        let entry = unsafe { self.first.add(self.len * self.access.entry.size()) };
        // SAFETY: offsets in the entry.
        Ok(unsafe { (entry.add(self.access.key_offset), entry.add(self.access.value_offset)) })
    }

    /// Adds an entry whose value is no message.
    pub(crate) fn push(&mut self, key: Raw<'arena>, value: Raw<'arena>, store: &Store<'arena>) -> Result<(), Rejected> {
        if matches!(value, Raw::Message(_) | Raw::Lazy(_)) {
            return Err(Rejected::Type);
        }
        let (key_slot, value_slot) = self.slot(store)?;
        // SAFETY: memory for a key and a value; what they refer to lives for 'arena. Keys are no messages.
        let written = unsafe {
            self.access.key.write(key_slot.as_ptr(), key) && self.access.value.write(value_slot.as_ptr(), value)
        };
        if !written {
            return Err(Rejected::Type);
        }
        self.len += 1;
        Ok(())
    }

    /// Adds an entry whose value is a message that a function fills.
    pub(crate) fn push_message<'d, E: From<Exhausted> + From<Rejected>>(
        &mut self,
        key: Raw<'arena>,
        descriptor: &'d MessageDescriptor,
        store: &Store<'arena>,
        fill: impl FnOnce(&mut MessageMut<'d, 'arena>) -> Result<(), E>,
    ) -> Result<(), E> {
        match self.access.value {
            Plain::Message(layout) if layout == descriptor.layout => {}
            _ => return Err(Rejected::Type.into()),
        }
        let (key_slot, value_slot) = self.slot(store)?;
        // SAFETY: as in `push`.
        if !unsafe { self.access.key.write(key_slot.as_ptr(), key) } {
            return Err(Rejected::Type.into());
        }
        // SAFETY: memory for a message of the layout, which nothing else refers to until it counts as an entry.
        let mut message = unsafe { MessageMut::unset_at(descriptor, value_slot) };
        fill(&mut message)?;
        self.len += 1;
        Ok(())
    }
}

/// Whether a field may have a value, if it is an enum's.
fn has(field: &FieldDescriptor, value: Raw<'_>) -> bool {
    match (value, field.enumeration()) {
        (Raw::Enum(number), Some(descriptor)) => descriptor.has(number),
        _ => true,
    }
}

/// Moves the `len` elements in memory for `capacity` to memory for twice as many.
///
/// # Safety
/// `len` elements of the layout lie at `first`, and `len <= capacity` unless `capacity` is 0; nothing else refers to memory for
/// `capacity`.
#[cold]
#[inline(never)]
unsafe fn grow(
    store: &Store<'_>,
    layout: Layout,
    first: NonNull<u8>,
    len: usize,
    capacity: usize,
) -> Result<(NonNull<u8>, usize), Exhausted> {
    let size = layout.size();
    let more = len.max(4).checked_mul(2).ok_or(Exhausted::Memory)?.max(capacity);
    let bytes = more.checked_mul(size).ok_or(Exhausted::Memory)?;
    let layout = Layout::from_size_align(bytes, layout.align()).map_err(|_| Exhausted::Memory)?;
    if len > store.elements.get() {
        return Err(Exhausted::Elements);
    }
    // SAFETY: as required of the caller.
    let grown = unsafe { store.arena.grow_bytes(first, len * size, capacity * size, layout, store.budget.get()) };
    let (place, cost) = grown.ok_or(Exhausted::Memory)?;
    store.charge(cost)?;
    Ok((place, more))
}
