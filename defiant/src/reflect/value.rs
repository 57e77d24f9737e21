//! What a field holds.
#![expect(unsafe_code, reason = "walks over elements by their size")]

use core::cmp::Ordering;
use core::fmt;
use core::marker::PhantomData;
use core::ptr::NonNull;

use super::{MessageRef, zero_of_enum};
use crate::arena::Arena;
use crate::descriptor::{Access, FieldDescriptor, LazyAccess, MapAccess, MessageDescriptor, Plain, Raw};
use crate::error::DecodeError;

/// The value of a field, of an element of a list, or of a key or value of a map.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum Value<'a> {
    /// `bool`
    Bool(bool),
    /// `int32`, `sint32`, `sfixed32`
    I32(i32),
    /// `int64`, `sint64`, `sfixed64`
    I64(i64),
    /// `uint32`, `fixed32`
    U32(u32),
    /// `uint64`, `fixed64`
    U64(u64),
    /// `float`
    F32(f32),
    /// `double`
    F64(f64),
    /// `string`
    String(&'a str),
    /// `bytes`
    Bytes(&'a [u8]),
    /// The number of an enum's value; its name: [`EnumDescriptor::name_of`](crate::descriptor::EnumDescriptor::name_of).
    Enum(i32),
    /// A message or a group.
    Message(MessageRef<'a>),
    /// A message that is still encoded.
    Lazy(LazyRef<'a>),
    /// A repeated field.
    List(ListRef<'a>),
    /// A map.
    Map(MapRef<'a>),
}

impl<'a> Value<'a> {
    /// A single value of a field.
    #[inline]
    pub(crate) fn of(raw: Raw<'a>, field: &'a FieldDescriptor) -> Self {
        match raw {
            Raw::Bool(value) => Value::Bool(value),
            Raw::I32(value) => Value::I32(value),
            Raw::I64(value) => Value::I64(value),
            Raw::U32(value) => Value::U32(value),
            Raw::U64(value) => Value::U64(value),
            Raw::F32(value) => Value::F32(value),
            Raw::F64(value) => Value::F64(value),
            Raw::Str(value) => Value::String(value),
            Raw::Bytes(value) => Value::Bytes(value),
            Raw::Enum(value) => Value::Enum(value),
            Raw::Message(message) => match field.message() {
                // SAFETY: a message of the type that the field's descriptor says.
                Some(descriptor) => Value::Message(unsafe { MessageRef::new(descriptor, message) }),
                None => Value::Bool(false),
            },
            Raw::Lazy(lazy) => match (field.lazy(), field.message()) {
                (Some(access), Some(descriptor)) => {
                    Value::Lazy(LazyRef { access, lazy, descriptor, lifetime: PhantomData })
                }
                _ => Value::Bool(false),
            },
        }
    }

    /// How two keys of a map are sorted; nothing, where they are of different types or none.
    fn compare_as_key(self, other: Value<'_>) -> Option<Ordering> {
        Some(match (self, other) {
            (Value::Bool(left), Value::Bool(right)) => left.cmp(&right),
            (Value::I32(left), Value::I32(right)) => left.cmp(&right),
            (Value::I64(left), Value::I64(right)) => left.cmp(&right),
            (Value::U32(left), Value::U32(right)) => left.cmp(&right),
            (Value::U64(left), Value::U64(right)) => left.cmp(&right),
            (Value::String(left), Value::String(right)) => left.cmp(right),
            _ => return None,
        })
    }

    /// The value of an unset field.
    pub(crate) fn default_of(field: &'a FieldDescriptor) -> Self {
        let plain = match field.access() {
            Access::List(plain) => return Value::List(ListRef { field, plain, first: field.default, len: 0 }),
            Access::Map(access) => return Value::Map(MapRef { field, access, first: core::ptr::null(), len: 0 }),
            Access::Reference | Access::Inline(_) => Plain::Message(core::alloc::Layout::new::<()>()),
            Access::Implicit(plain) | Access::Required(plain) | Access::Optional(plain) => plain,
            Access::Member | Access::Variant(_) => Plain::of(field.ty),
        };
        if !field.default.is_null() {
            // SAFETY: the descriptor says so.
            return Value::of(unsafe { plain.read(field.default) }, field);
        }
        match (plain, field.message()) {
            (Plain::Message(_) | Plain::Lazy(_), Some(descriptor)) => {
                Value::Message(MessageRef::default_of(descriptor))
            }
            (Plain::Bool | Plain::Message(_) | Plain::Lazy(_), _) => Value::Bool(false),
            (Plain::I32, _) => Value::I32(0),
            (Plain::I64, _) => Value::I64(0),
            (Plain::U32, _) => Value::U32(0),
            (Plain::U64, _) => Value::U64(0),
            (Plain::F32, _) => Value::F32(0.0),
            (Plain::F64, _) => Value::F64(0.0),
            (Plain::Str, _) => Value::String(""),
            (Plain::Bytes, _) => Value::Bytes(&[]),
            (Plain::Enum(_), _) => Value::Enum(zero_of_enum(field)),
        }
    }
}

/// The elements of a repeated field.
///
/// Invariant: from `first` on lie `len` values that `plain` reads, not written to for `'a`.
#[derive(Clone, Copy)]
pub struct ListRef<'a> {
    field: &'a FieldDescriptor,
    plain: Plain,
    first: *const u8,
    len: usize,
}

// SAFETY: a shared slice of values that are `Sync`.
unsafe impl Send for ListRef<'_> {}
// SAFETY: as above.
unsafe impl Sync for ListRef<'_> {}

impl<'a> ListRef<'a> {
    /// # Safety
    /// At `at` lies an `&'a [T]` of what `plain` reads.
    pub(crate) unsafe fn read(at: *const u8, plain: Plain, field: &'a FieldDescriptor) -> Self {
        // SAFETY: as required of the caller; a slice's reference is an address and a length, whatever its elements are.
        let slice = unsafe { *at.cast::<*const [()]>() };
        ListRef { field, plain, first: slice.cast(), len: slice.len() }
    }

    /// The field.
    #[must_use]
    pub fn field(&self) -> &'a FieldDescriptor {
        self.field
    }

    pub(crate) fn plain(&self) -> Plain {
        self.plain
    }

    /// The elements as those of a Rust type: the caller has looked at `plain`.
    ///
    /// # Safety
    /// `T` is the type that `plain` reads.
    pub(crate) unsafe fn as_slice<T>(&self) -> &'a [T] {
        if self.len == 0 {
            return &[];
        }
        // SAFETY: the invariant.
        unsafe { core::slice::from_raw_parts(self.first.cast(), self.len) }
    }

    /// The elements as a slice without their type.
    pub(crate) fn pointer(&self) -> *const [()] {
        core::ptr::slice_from_raw_parts(self.first.cast(), self.len)
    }

    /// Number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// An element.
    #[inline]
    #[must_use]
    pub fn get(&self, index: usize) -> Option<Value<'a>> {
        self.element(index)
    }

    /// [`get`](Self::get), always inlined for [`iter`](Self::iter).
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn element(&self, index: usize) -> Option<Value<'a>> {
        if index >= self.len {
            return None;
        }
        // SAFETY: one of the elements.
        let at = unsafe { self.first.add(index * self.plain.layout().size()) };
        // SAFETY: the invariant.
        Some(Value::of(unsafe { self.plain.read(at) }, self.field))
    }

    /// The elements in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Value<'a>> + use<'a> {
        let this = *self;
        // The default is never met: every index is in range.
        (0..self.len).map(move |index| this.element(index).unwrap_or(Value::Bool(false)))
    }
}

/// The entries of a map, ascending by key.
///
/// Invariant: from `first` on lie `len` entries of the access, not written to for `'a`.
#[derive(Clone, Copy)]
pub struct MapRef<'a> {
    field: &'a FieldDescriptor,
    access: &'a MapAccess,
    first: *const u8,
    len: usize,
}

// SAFETY: a shared slice of entries that are `Sync`.
unsafe impl Send for MapRef<'_> {}
// SAFETY: as above.
unsafe impl Sync for MapRef<'_> {}

impl<'a> MapRef<'a> {
    /// # Safety
    /// At `at` lies a map that the access is made for.
    pub(crate) unsafe fn read(at: *const u8, access: &'a MapAccess, field: &'a FieldDescriptor) -> Self {
        // SAFETY: as required of the caller.
        let (first, len) = unsafe { (access.entries)(at) };
        MapRef { field, access, first, len }
    }

    /// The field.
    #[must_use]
    pub fn field(&self) -> &'a FieldDescriptor {
        self.field
    }

    /// Number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Where the keys and values are, ascending by key.
    pub(crate) fn places(&self) -> impl ExactSizeIterator<Item = (*const u8, *const u8)> + use<'a> {
        let map = *self;
        // SAFETY: every index is in range.
        (0..map.len).map(move |index| unsafe { map.place(index) })
    }

    /// Where the key and the value of an entry are.
    ///
    /// # Safety
    /// The index is less than `len`.
    unsafe fn place(&self, index: usize) -> (*const u8, *const u8) {
        // SAFETY: one of the entries.
        let entry = unsafe { self.first.add(index * self.access.entry.size()) };
        // SAFETY: offsets in the entry.
        unsafe { (entry.add(self.access.key_offset), entry.add(self.access.value_offset)) }
    }

    /// An entry.
    pub(super) fn entry(&self, index: usize) -> Option<(Value<'a>, Value<'a>)> {
        if index >= self.len {
            return None;
        }
        let MapRef { field, access, .. } = *self;
        // SAFETY: in range.
        let (key, value) = unsafe { self.place(index) };
        // SAFETY: the invariant. Keys are no messages, so that the field's link is not asked for.
        let (key, value) = unsafe { (access.key.read(key), access.value.read(value)) };
        Some((Value::of(key, field), Value::of(value, field)))
    }

    /// The entries, ascending by key.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Value<'a>, Value<'a>)> + use<'a> {
        let map = *self;
        // The default is never met: every index is in range.
        (0..map.len).map(move |index| map.entry(index).unwrap_or((Value::Bool(false), Value::Bool(false))))
    }

    /// The value of a key; none, too, where the key is of another type than those of the map. The entries are sorted, so that
    /// few of them are looked at.
    #[must_use]
    pub fn get(&self, key: Value<'_>) -> Option<Value<'a>> {
        let (mut low, mut high) = (0, self.len);
        while low < high {
            let middle = low.midpoint(high);
            let (here, value) = self.entry(middle)?;
            match here.compare_as_key(key)? {
                Ordering::Less => low = middle + 1,
                Ordering::Equal => return Some(value),
                Ordering::Greater => high = middle,
            }
        }
        None
    }
}

/// A message that is still encoded: [`Lazy`](crate::Lazy).
///
/// Invariant: `lazy` points to a `Lazy` of the descriptor's type that the access is made for, not written to for `'a`.
#[derive(Clone, Copy)]
pub struct LazyRef<'a> {
    access: &'a LazyAccess,
    lazy: NonNull<u8>,
    descriptor: &'a MessageDescriptor,
    lifetime: PhantomData<&'a u8>,
}

// SAFETY: a shared reference to what is `Sync`.
unsafe impl Send for LazyRef<'_> {}
// SAFETY: as above.
unsafe impl Sync for LazyRef<'_> {}

impl<'a> LazyRef<'a> {
    /// The type of the message.
    #[must_use]
    pub fn descriptor(&self) -> &'a MessageDescriptor {
        self.descriptor
    }

    /// Decodes the message into an arena.
    ///
    /// # Errors
    /// As [`Lazy::get`](crate::Lazy::get).
    pub fn get<'b>(&self, arena: &'b Arena) -> Result<MessageRef<'b>, DecodeError>
    where
        'a: 'b,
    {
        // SAFETY: the invariant.
        let message = unsafe { (self.access.decode)(self.lazy, arena)? };
        // SAFETY: it lives as long as the arena is borrowed and what it was read from.
        Ok(unsafe { MessageRef::new(self.descriptor, message) })
    }
}

impl PartialEq for LazyRef<'_> {
    /// Whether the messages are: what does not decode is equal to nothing.
    fn eq(&self, other: &Self) -> bool {
        let arena = Arena::new();
        match (self.get(&arena), other.get(&arena)) {
            (Ok(left), Ok(right)) => left == right,
            _ => false,
        }
    }
}

impl fmt::Debug for LazyRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("LazyRef").field(&self.descriptor.name).finish()
    }
}
