//! How a field lies in the struct of its message.
#![expect(unsafe_code, reason = "reads and writes fields through pointers without a type")]

use core::alloc::Layout;
use core::marker::PhantomData;
use core::mem::transmute;
use core::ptr::NonNull;

use super::{Link, MessageDescriptor, Type};
use crate::arena::Arena;
use crate::codec::Oneof;
use crate::enumeration::Enumeration;
use crate::error::DecodeError;
use crate::lazy::Lazy;
use crate::map::{Map, MapKey};
use crate::message::{DecodeOptions, Message};
use crate::wire::context::Fault;

/// A single value without the type of what it is in.
#[derive(Clone, Copy, Debug)]
pub enum Raw<'a> {
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
    Str(&'a str),
    /// `bytes`
    Bytes(&'a [u8]),
    /// The number of an enum's value.
    Enum(i32),
    /// A message of the type that the field's descriptor says, which lives for `'a`. No other crate makes one.
    #[non_exhaustive]
    Message(NonNull<u8>),
    /// A `Lazy` of such a message, likewise.
    #[non_exhaustive]
    Lazy(NonNull<u8>),
}

/// A Rust type that holds a single value.
#[derive(Clone, Copy)]
pub(crate) enum Plain {
    Bool,
    I32,
    I64,
    U32,
    U64,
    F32,
    F64,
    Str,
    Bytes,
    Enum(&'static EnumAccess),
    /// The message itself.
    Message(Layout),
    Lazy(&'static LazyAccess),
}

impl Plain {
    /// The Rust type of a scalar's values, which is always the same; of an enum or a message, one that says no more.
    pub(crate) const fn of(ty: Type) -> Self {
        match ty {
            Type::Bool => Plain::Bool,
            Type::Int32 | Type::Sint32 | Type::Sfixed32 => Plain::I32,
            Type::Int64 | Type::Sint64 | Type::Sfixed64 => Plain::I64,
            Type::Uint32 | Type::Fixed32 => Plain::U32,
            Type::Uint64 | Type::Fixed64 => Plain::U64,
            Type::Float => Plain::F32,
            Type::Double => Plain::F64,
            Type::String => Plain::Str,
            Type::Bytes => Plain::Bytes,
            Type::Enum => Plain::Enum(NUMBER),
            Type::Message | Type::Group => Plain::Message(Layout::new::<()>()),
        }
    }

    /// The layout of the type.
    pub(crate) const fn layout(self) -> Layout {
        match self {
            Plain::Bool => Layout::new::<bool>(),
            Plain::I32 => Layout::new::<i32>(),
            Plain::I64 => Layout::new::<i64>(),
            Plain::U32 => Layout::new::<u32>(),
            Plain::U64 => Layout::new::<u64>(),
            Plain::F32 => Layout::new::<f32>(),
            Plain::F64 => Layout::new::<f64>(),
            Plain::Str => Layout::new::<&str>(),
            Plain::Bytes => Layout::new::<&[u8]>(),
            Plain::Enum(access) => access.layout,
            Plain::Message(layout) => layout,
            Plain::Lazy(access) => access.layout,
        }
    }

    /// Reads a value.
    ///
    /// # Safety
    /// `at` points to a value of the type, which is not written to for `'a`, and what it refers to lives as long.
    #[inline]
    pub(crate) unsafe fn read<'a>(self, at: *const u8) -> Raw<'a> {
        macro_rules! read {
            ($ty:ty) => {
                // SAFETY: as required of the caller.
                unsafe { *at.cast::<$ty>() }
            };
        }
        match self {
            Plain::Bool => Raw::Bool(read!(bool)),
            Plain::I32 => Raw::I32(read!(i32)),
            Plain::I64 => Raw::I64(read!(i64)),
            Plain::U32 => Raw::U32(read!(u32)),
            Plain::U64 => Raw::U64(read!(u64)),
            Plain::F32 => Raw::F32(read!(f32)),
            Plain::F64 => Raw::F64(read!(f64)),
            Plain::Str => Raw::Str(read!(&'a str)),
            Plain::Bytes => Raw::Bytes(read!(&'a [u8])),
            // SAFETY: as required of the caller, an enum of the type that the access is made for.
            Plain::Enum(access) => Raw::Enum(unsafe { (access.number)(at) }),
            // SAFETY: a pointer to a value is not null.
            Plain::Message(_) => Raw::Message(unsafe { NonNull::new_unchecked(at.cast_mut()) }),
            // SAFETY: as above.
            Plain::Lazy(_) => Raw::Lazy(unsafe { NonNull::new_unchecked(at.cast_mut()) }),
        }
    }

    /// Writes a value; `false` when it is of another type, or a number that a closed enum does not have.
    ///
    /// # Safety
    /// `at` points to memory for a value of the type, which nothing else refers to; what the value refers to lives as long
    /// as what holds it; a message is of the type that the field's descriptor says.
    pub(crate) unsafe fn write(self, at: *mut u8, value: Raw<'_>) -> bool {
        macro_rules! write {
            ($ty:ty, $value:expr) => {
                // SAFETY: as required of the caller.
                unsafe { at.cast::<$ty>().write($value) }
            };
        }
        match (self, value) {
            (Plain::Bool, Raw::Bool(value)) => write!(bool, value),
            (Plain::I32, Raw::I32(value)) => write!(i32, value),
            (Plain::I64, Raw::I64(value)) => write!(i64, value),
            (Plain::U32, Raw::U32(value)) => write!(u32, value),
            (Plain::U64, Raw::U64(value)) => write!(u64, value),
            (Plain::F32, Raw::F32(value)) => write!(f32, value),
            (Plain::F64, Raw::F64(value)) => write!(f64, value),
            (Plain::Str, Raw::Str(value)) => write!(&str, value),
            (Plain::Bytes, Raw::Bytes(value)) => write!(&[u8], value),
            // SAFETY: as required of the caller.
            (Plain::Enum(access), Raw::Enum(number)) => return unsafe { (access.set)(at, number) },
            (Plain::Message(layout), Raw::Message(message)) => {
                // SAFETY: as required of the caller, a message of the layout's type.
                unsafe { at.copy_from_nonoverlapping(message.as_ptr(), layout.size()) }
            }
            (Plain::Lazy(access), Raw::Lazy(lazy)) => {
                // SAFETY: as above.
                unsafe { at.copy_from_nonoverlapping(lazy.as_ptr(), access.layout.size()) }
            }
            _ => return false,
        }
        true
    }

    /// Reads an `Option` of a value.
    ///
    /// # Safety
    /// As [`read`](Self::read), of an `Option` of the type. The type is no message.
    #[inline]
    pub(crate) unsafe fn read_optional<'a>(self, at: *const u8) -> Option<Raw<'a>> {
        macro_rules! read {
            ($ty:ty) => {
                // SAFETY: as required of the caller.
                unsafe { *at.cast::<Option<$ty>>() }
            };
        }
        match self {
            Plain::Bool => read!(bool).map(Raw::Bool),
            Plain::I32 => read!(i32).map(Raw::I32),
            Plain::I64 => read!(i64).map(Raw::I64),
            Plain::U32 => read!(u32).map(Raw::U32),
            Plain::U64 => read!(u64).map(Raw::U64),
            Plain::F32 => read!(f32).map(Raw::F32),
            Plain::F64 => read!(f64).map(Raw::F64),
            Plain::Str => read!(&'a str).map(Raw::Str),
            Plain::Bytes => read!(&'a [u8]).map(Raw::Bytes),
            // SAFETY: as required of the caller.
            Plain::Enum(access) => unsafe { (access.optional)(at) }.map(Raw::Enum),
            Plain::Message(_) => None,
            // SAFETY: as required of the caller.
            Plain::Lazy(access) => unsafe { (access.optional)(at) }.map(Raw::Lazy),
        }
    }

    /// Writes `Some` of a value; `false` as of [`write`](Self::write).
    ///
    /// # Safety
    /// As there, with memory for an `Option`. The type is no message.
    pub(crate) unsafe fn write_optional(self, at: *mut u8, value: Raw<'_>) -> bool {
        macro_rules! write {
            ($ty:ty, $value:expr) => {
                // SAFETY: as required of the caller.
                unsafe { at.cast::<Option<$ty>>().write(Some($value)) }
            };
        }
        match (self, value) {
            (Plain::Bool, Raw::Bool(value)) => write!(bool, value),
            (Plain::I32, Raw::I32(value)) => write!(i32, value),
            (Plain::I64, Raw::I64(value)) => write!(i64, value),
            (Plain::U32, Raw::U32(value)) => write!(u32, value),
            (Plain::U64, Raw::U64(value)) => write!(u64, value),
            (Plain::F32, Raw::F32(value)) => write!(f32, value),
            (Plain::F64, Raw::F64(value)) => write!(f64, value),
            (Plain::Str, Raw::Str(value)) => write!(&str, value),
            (Plain::Bytes, Raw::Bytes(value)) => write!(&[u8], value),
            // SAFETY: as required of the caller.
            (Plain::Enum(access), Raw::Enum(number)) => return unsafe { (access.set_optional)(at, number) },
            // SAFETY: as required of the caller.
            (Plain::Lazy(access), Raw::Lazy(lazy)) => unsafe { (access.set_optional)(at, lazy) },
            _ => return false,
        }
        true
    }
}

/// How a whole field lies in its message.
#[derive(Clone, Copy)]
#[cfg_attr(not(feature = "dynamic"), allow(dead_code, reason = "made for pools"))]
pub(crate) enum Access {
    /// `T`, unset when it is zero.
    Implicit(Plain),
    /// `T`, always set.
    Required(Plain),
    /// `Option<T>`, of anything but messages.
    Optional(Plain),
    /// `Option<&'arena M>`.
    Reference,
    /// `Option<M>`.
    Inline(&'static InlineAccess),
    /// `&'arena [T]`.
    List(Plain),
    /// `Map<'arena, K, V>`.
    Map(&'static MapAccess),
    /// A member of an `Option<O>`, which the oneof's descriptor reads and writes.
    Member,
    /// A member of a oneof that was made at run time: the number of the member in force, and [`SLOT_VALUE`](crate::table::runtime::SLOT_VALUE) bytes behind it
    /// the value, of a message its address.
    Variant(Plain),
}

/// How an enum is read and written.
///
/// Invariant: all of it is made for the same type.
#[derive(Debug)]
pub(crate) struct EnumAccess {
    pub(crate) layout: Layout,
    /// # Safety
    /// The pointer is to an enum.
    pub(crate) number: unsafe fn(*const u8) -> i32,
    /// # Safety
    /// The pointer is to memory for an enum.
    pub(crate) set: unsafe fn(*mut u8, i32) -> bool,
    /// # Safety
    /// The pointer is to an `Option` of an enum.
    pub(crate) optional: unsafe fn(*const u8) -> Option<i32>,
    /// # Safety
    /// The pointer is to memory for an `Option` of an enum.
    pub(crate) set_optional: unsafe fn(*mut u8, i32) -> bool,
}

/// An enum that is held as its number, whatever it is.
pub(crate) const NUMBER: &EnumAccess = {
    // SAFETY (of all four functions): as required of their callers, an `i32`, an `Option` of it, or memory for one.
    unsafe fn number(at: *const u8) -> i32 {
        // SAFETY: see above.
        unsafe { *at.cast() }
    }
    unsafe fn set(at: *mut u8, number: i32) -> bool {
        // SAFETY: see above.
        unsafe { at.cast::<i32>().write(number) };
        true
    }
    unsafe fn optional(at: *const u8) -> Option<i32> {
        // SAFETY: see above.
        unsafe { *at.cast() }
    }
    unsafe fn set_optional(at: *mut u8, number: i32) -> bool {
        // SAFETY: see above.
        unsafe { at.cast::<Option<i32>>().write(Some(number)) };
        true
    }
    &EnumAccess { layout: Layout::new::<i32>(), number, set, optional, set_optional }
};

impl EnumAccess {
    pub(crate) const fn of<E: Enumeration>() -> &'static Self {
        // SAFETY (of all four functions): as required of their callers, an enum, an `Option` of it, or memory for one.
        unsafe fn number<E: Enumeration>(at: *const u8) -> i32 {
            // SAFETY: see above.
            unsafe { *at.cast::<E>() }.number()
        }
        unsafe fn set<E: Enumeration>(at: *mut u8, number: i32) -> bool {
            let Some(value) = E::from_number(number) else { return false };
            // SAFETY: see above.
            unsafe { at.cast::<E>().write(value) };
            true
        }
        unsafe fn optional<E: Enumeration>(at: *const u8) -> Option<i32> {
            // SAFETY: see above.
            unsafe { *at.cast::<Option<E>>() }.map(E::number)
        }
        unsafe fn set_optional<E: Enumeration>(at: *mut u8, number: i32) -> bool {
            let Some(value) = E::from_number(number) else { return false };
            // SAFETY: see above.
            unsafe { at.cast::<Option<E>>().write(Some(value)) };
            true
        }
        const {
            &EnumAccess {
                layout: Layout::new::<E>(),
                number: number::<E>,
                set: set::<E>,
                optional: optional::<E>,
                set_optional: set_optional::<E>,
            }
        }
    }
}

/// How a message that is held inline is read and written.
///
/// Invariant: all of it is made for the same type.
pub(crate) struct InlineAccess {
    pub(crate) message: NonNull<MessageDescriptor>,
    /// # Safety
    /// The pointer is to an `Option<M>`.
    pub(crate) get: unsafe fn(*const u8) -> Option<NonNull<u8>>,
    /// # Safety
    /// The first pointer is to memory for an `Option<M>`, the second to an `M`.
    pub(crate) set: unsafe fn(*mut u8, NonNull<u8>),
}

impl InlineAccess {
    pub(crate) const fn of<'arena, M: Message<'arena>>() -> &'static Self {
        unsafe fn get<M: Copy>(at: *const u8) -> Option<NonNull<u8>> {
            // SAFETY: as required of the caller.
            unsafe { &*at.cast::<Option<M>>() }.as_ref().map(|message| NonNull::from(message).cast())
        }
        unsafe fn set<M: Copy>(at: *mut u8, message: NonNull<u8>) {
            // SAFETY: as required of the caller.
            unsafe { at.cast::<Option<M>>().write(Some(*message.cast::<M>().as_ptr())) }
        }
        const { &InlineAccess { message: M::__DESCRIPTOR.get(), get: get::<M>, set: set::<M> } }
    }
}

/// How a lazy message is read and written.
///
/// Invariant: all of it is made for the same type.
pub(crate) struct LazyAccess {
    pub(crate) message: NonNull<MessageDescriptor>,
    pub(crate) layout: Layout,
    /// # Safety
    /// The pointer is to an `Option<Lazy<M>>`.
    pub(crate) optional: unsafe fn(*const u8) -> Option<NonNull<u8>>,
    /// # Safety
    /// The first pointer is to memory for an `Option<Lazy<M>>`, the second to a `Lazy<M>`.
    pub(crate) set_optional: unsafe fn(*mut u8, NonNull<u8>),
    /// Decodes it into an arena.
    ///
    /// # Safety
    /// The pointer is to a `Lazy<M>`. What comes back lives as long as the arena is borrowed, and what the lazy message
    /// refers to.
    pub(crate) decode: unsafe fn(NonNull<u8>, &Arena) -> Result<NonNull<u8>, DecodeError>,
    /// Writes a `Lazy<M>` that encodes a message into an arena, and says how many bytes that took; `None` when memory is
    /// exhausted, or it takes more than the given number. The options are those it is decoded with.
    ///
    /// # Safety
    /// The first pointer is to memory for a `Lazy<M>`, the second to an `M`; the first is used as long as the arena is
    /// borrowed.
    pub(crate) encode: unsafe fn(*mut u8, NonNull<u8>, &Arena, usize, &DecodeOptions) -> Option<usize>,
}

impl LazyAccess {
    pub(crate) const fn of<'arena, M: Message<'arena>>() -> &'static Self {
        unsafe fn optional<'arena, M: Message<'arena>>(at: *const u8) -> Option<NonNull<u8>> {
            // SAFETY: as required of the caller.
            unsafe { &*at.cast::<Option<Lazy<'arena, M>>>() }.as_ref().map(|lazy| NonNull::from(lazy).cast())
        }
        unsafe fn set_optional<'arena, M: Message<'arena>>(at: *mut u8, lazy: NonNull<u8>) {
            // SAFETY: as required of the caller.
            unsafe { at.cast::<Option<Lazy<'arena, M>>>().write(Some(*lazy.cast().as_ptr())) }
        }
        unsafe fn decode<'arena, M: Message<'arena>>(
            at: NonNull<u8>,
            arena: &Arena,
        ) -> Result<NonNull<u8>, DecodeError> {
            // SAFETY: the lifetime goes no further than this function; the caller keeps the result no longer than the
            // arena is borrowed.
            let arena = unsafe { transmute::<&Arena, &'arena Arena>(arena) };
            // SAFETY: as required of the caller.
            let message = unsafe { at.cast::<Lazy<'arena, M>>().as_ref() }.get(arena)?;
            let Some(place) = arena.try_alloc(Layout::new::<M>()) else {
                return Err(DecodeError::at(Fault::Memory, 0));
            };
            // SAFETY: fresh memory for a message.
            unsafe { place.cast::<M>().write(message) };
            arena.keep_all();
            Ok(place)
        }
        unsafe fn encode<'arena, M: Message<'arena>>(
            at: *mut u8,
            message: NonNull<u8>,
            arena: &Arena,
            budget: usize,
            options: &DecodeOptions,
        ) -> Option<usize> {
            // SAFETY: as in `decode`.
            let arena = unsafe { transmute::<&Arena, &'arena Arena>(arena) };
            // SAFETY: as required of the caller.
            let message = unsafe { message.cast::<M>().as_ref() };
            let len = message.encoded_len();
            if len > budget {
                return None;
            }
            let wire = arena.try_alloc(Layout::array::<u8>(len).ok()?)?;
            // SAFETY: fresh memory for as many bytes.
            unsafe { wire.write_bytes(0, len) };
            // SAFETY: written just now, and nothing else refers to it.
            let wire: &'arena mut [u8] = unsafe { core::slice::from_raw_parts_mut(wire.as_ptr(), len) };
            message.encode(&mut &mut *wire).ok()?;
            // SAFETY: as required of the caller.
            unsafe { at.cast::<Lazy<'arena, M>>().write(Lazy::read(wire, *options)) };
            Some(len)
        }
        const {
            &LazyAccess {
                message: M::__DESCRIPTOR.get(),
                layout: Layout::new::<Lazy<'arena, M>>(),
                optional: optional::<M>,
                set_optional: set_optional::<M>,
                decode: decode::<M>,
                encode: encode::<M>,
            }
        }
    }
}

/// How a map is read and written.
///
/// Invariant: all of it is made for the same types.
pub(crate) struct MapAccess {
    pub(crate) entry: Layout,
    /// Bytes from the start of an entry.
    pub(crate) key_offset: usize,
    pub(crate) value_offset: usize,
    pub(crate) key: Plain,
    pub(crate) key_type: Type,
    pub(crate) value: Plain,
    /// The type of the values.
    pub(crate) link: Link,
    /// Where the entries are, and how many.
    ///
    /// # Safety
    /// The pointer is to a map.
    pub(crate) entries: unsafe fn(*const u8) -> (*const u8, usize),
    /// Makes a map of entries in any order, of which the last of those with the same key stays; `None` when memory is
    /// exhausted.
    ///
    /// # Safety
    /// The access is the one that has the function. The first pointer is to memory for a map, the second to so many entries,
    /// with nothing else referring to either, which lie in the arena.
    pub(crate) build: unsafe fn(&MapAccess, *mut u8, *mut u8, usize, &Arena) -> bool,
}

impl MapAccess {
    pub(crate) const fn of<'arena, K: MapKey + 'arena, V: Copy + 'arena>(
        (key, key_type): (Plain, Type),
        (value, link): (Plain, Link),
        access: PhantomData<&'arena (K, V)>,
    ) -> MapAccess {
        unsafe fn entries<K, V>(at: *const u8) -> (*const u8, usize) {
            // SAFETY: as required of the caller.
            let entries = unsafe { &*at.cast::<Map<'_, K, V>>() }.entries();
            (entries.as_ptr().cast(), entries.len())
        }
        unsafe fn build<'arena, K: MapKey + 'arena, V: Copy + 'arena>(
            _: &MapAccess,
            at: *mut u8,
            entries: *mut u8,
            len: usize,
            arena: &Arena,
        ) -> bool {
            // SAFETY: the lifetime goes no further than this function; the caller keeps the map no longer than the arena
            // is borrowed.
            let arena = unsafe { transmute::<&Arena, &'arena Arena>(arena) };
            // SAFETY: as required of the caller.
            let entries = unsafe { core::slice::from_raw_parts_mut(entries.cast::<(K, V)>(), len) };
            let Some(map) = Map::try_from_entries(arena, entries) else { return false };
            // SAFETY: as required of the caller.
            unsafe { at.cast::<Map<'arena, K, V>>().write(map) };
            true
        }
        let _ = access;
        MapAccess {
            entry: Layout::new::<(K, V)>(),
            key_offset: core::mem::offset_of!((K, V), 0),
            value_offset: core::mem::offset_of!((K, V), 1),
            key,
            key_type,
            value,
            link,
            entries: entries::<K, V>,
            build: build::<K, V>,
        }
    }
}

/// How a oneof is read and written.
///
/// Invariant: both are made for the same type.
#[derive(Debug)]
pub(crate) struct OneofAccess {
    /// The number of the member in force, and its value.
    ///
    /// # Safety
    /// The pointer is to an `Option<O>`, and the lifetime of what comes back is no longer than that of what it refers to.
    pub(crate) get: unsafe fn(*const u8) -> Option<(u32, Raw<'static>)>,
    /// Puts a member in force; `false` as of [`Plain::write`].
    ///
    /// # Safety
    /// The pointer is to memory for an `Option<O>`; what the value refers to lives as long as what holds the oneof; a
    /// message is of the type that the member's descriptor says.
    pub(crate) set: unsafe fn(*mut u8, u32, Raw<'_>) -> bool,
}

impl OneofAccess {
    pub(crate) const fn of<'arena, O: Oneof<'arena>>() -> Self {
        unsafe fn get<'arena, O: Oneof<'arena>>(at: *const u8) -> Option<(u32, Raw<'static>)> {
            // SAFETY: as required of the caller.
            let (number, value) = unsafe { &*at.cast::<Option<O>>() }.as_ref()?.__get();
            // SAFETY: the caller shortens the lifetime again.
            Some((number, unsafe { transmute::<Raw<'arena>, Raw<'static>>(value) }))
        }
        unsafe fn set<'arena, O: Oneof<'arena>>(at: *mut u8, number: u32, value: Raw<'_>) -> bool {
            // SAFETY: as required of the caller, it lives as long as what the oneof is in.
            let value = unsafe { transmute::<Raw<'_>, Raw<'arena>>(value) };
            // SAFETY: the caller promises that a message has the type of the member `number`.
            let Some(oneof) = (unsafe { O::__set(number, value) }) else { return false };
            // SAFETY: as required of the caller.
            unsafe { at.cast::<Option<O>>().write(Some(oneof)) };
            true
        }
        OneofAccess { get: get::<O>, set: set::<O> }
    }
}
