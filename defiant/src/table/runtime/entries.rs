//! Maps that are known at run time only.
#![expect(unsafe_code, reason = "writes keys and values through pointers")]

use core::ptr::NonNull;

use super::super::code::encode_enclosed;
use super::super::encode::Fields;
use super::super::handlers::{Child, Encode, Encodes, Handlers, no_other};
use super::super::{AnyClass, FieldEntry};
use super::closed::{self, Numbers};
use crate::codec::{
    Bool, Bytes, Codec, Delimited, Double, Enclosure as _, Fixed32, Fixed64, Float, Int32, Int64, LenientStr, Sfixed32,
    Sfixed64, Sint32, Sint64, Str, Uint32, Uint64, count_run, tag,
};
use crate::descriptor::{MapAccess, Type};
use crate::map::untyped::{self, Slot};
use crate::unknown::{self, UnknownFields};
use crate::wire::context::{Context, Fault};
use crate::wire::reader::{Cursor, Reader, Scope};
use crate::wire::tag::{TagBytes, wire_type};
use crate::wire::writer::Sink;

/// The entries of a map.
///
/// Invariant: `access` is that of entries with such keys and values; what it refers to lives as long.
pub(crate) struct Entries {
    pub(crate) access: MapAccess,
    pub(crate) key: Type,
    pub(crate) value: MapValues,
    /// Whether strings that are not UTF-8 go to the unknown fields.
    pub(crate) lenient: bool,
}

/// What a map's values are.
pub(crate) enum MapValues {
    /// Scalars, and open enums, which are held as `int32` and read like it.
    Scalar(Type),
    /// A closed enum, with its first value.
    Closed(NonNull<Numbers>, i32),
    /// Messages.
    Message(NonNull<AnyClass<'static>>),
}

impl MapValues {
    fn wire_type(&self) -> u32 {
        match self {
            MapValues::Scalar(ty) => wire_type_of(*ty),
            MapValues::Closed(..) => wire_type::VARINT,
            MapValues::Message(_) => wire_type::LENGTH_DELIMITED,
        }
    }

    /// Messages of this class.
    pub(crate) fn of_messages(class: NonNull<super::RuntimeClass>) -> Self {
        // `RuntimeClass` is transparent.
        MapValues::Message(class.cast())
    }
}

/// Calls a macro with the codec and the Rust type of a scalar.
macro_rules! with_codec {
    ($ty:expr, $lenient:expr, $do:ident) => {
        match $ty {
            Type::Double => $do!(Double, f64),
            Type::Float => $do!(Float, f32),
            Type::Int64 => $do!(Int64, i64),
            Type::Uint64 => $do!(Uint64, u64),
            Type::Fixed64 => $do!(Fixed64, u64),
            Type::Fixed32 => $do!(Fixed32, u32),
            Type::Bool => $do!(Bool, bool),
            Type::String if $lenient => $do!(LenientStr, &str),
            Type::String => $do!(Str, &str),
            Type::Bytes => $do!(Bytes, &[u8]),
            Type::Uint32 => $do!(Uint32, u32),
            Type::Sfixed32 => $do!(Sfixed32, i32),
            Type::Sfixed64 => $do!(Sfixed64, i64),
            Type::Sint32 => $do!(Sint32, i32),
            Type::Sint64 => $do!(Sint64, i64),
            // An open enum, too. There are no messages here.
            Type::Int32 | Type::Enum | Type::Message | Type::Group => $do!(Int32, i32),
        }
    };
}

fn wire_type_of(ty: Type) -> u32 {
    macro_rules! wire_type {
        ($codec:ty, $value:ty) => {
            <$codec as Codec<'_, $value>>::WIRE_TYPE
        };
    }
    with_codec!(ty, false, wire_type)
}

/// Reads a scalar; `false` for a string that is not UTF-8 where that may be.
///
/// # Safety
/// The pointer is to memory for one.
unsafe fn read(ty: Type, lenient: bool, at: *mut u8, r: &mut Reader<'_, '_>, tag: u32) -> Result<bool, Fault> {
    macro_rules! read {
        ($codec:ty, $value:ty) => {
            match <$codec as Codec<'_, $value>>::read_in_entry(r, tag)? {
                Some(value) => {
                    // SAFETY: as required of the caller.
                    unsafe { at.cast::<$value>().write(value) };
                    Ok(true)
                }
                None => Ok(false),
            }
        };
    }
    with_codec!(ty, lenient, read)
}

/// Writes zero.
///
/// # Safety
/// The pointer is to memory for a scalar of the type.
unsafe fn zero(ty: Type, at: *mut u8) {
    macro_rules! zero {
        ($codec:ty, $value:ty) => {
            // SAFETY: as required of the caller.
            unsafe { at.cast::<$value>().write(<$codec as Codec<'_, $value>>::ZERO) }
        };
    }
    with_codec!(ty, false, zero);
}

/// Writes a scalar and its tag.
///
/// # Safety
/// The pointer is to one, which lives for `'m`.
unsafe fn write<'m, S: Sink<'m>>(ty: Type, at: *const u8, sink: &mut S, number: u32) {
    macro_rules! write {
        ($codec:ty, $value:ty) => {
            // SAFETY: as required of the caller.
            <$codec as Codec<'m, _>>::write(unsafe { *at.cast::<$value>() }, sink, number)
        };
    }
    with_codec!(ty, false, write);
}

/// The handlers of a map.
pub(super) fn map(entries: NonNull<Entries>) -> Handlers<'static> {
    Handlers {
        merge,
        other_types: 0,
        merge_other: no_other,
        encode: Some(Encode::with::<Map>()),
        child: Child::Entries(entries),
    }
}

struct Map;

/// # Safety
/// The pointer is to a [`Slot`] of the entry's entries.
unsafe fn merge<'arena>(
    field: *mut u8,
    unknown: &mut UnknownFields<'arena>,
    entry: &FieldEntry<'arena>,
    at: Cursor,
    cx: &mut Context<'arena>,
) -> Cursor {
    let begin = at.ptr;
    let Child::Entries(entries) = entry.handlers.child else { return cx.failed(Fault::Tag, begin) };
    // SAFETY: as required of the caller.
    let slot = unsafe { &mut *field.cast::<Slot>() };
    // SAFETY: it lives as long as the entry.
    let entries: &'arena Entries = unsafe { entries.as_ref() };
    merge_entry(slot, entries, unknown, entry.tag, at, cx).unwrap_or_else(|fault| cx.failed(fault, begin))
}

/// Reads one entry, as `codec::map` does.
fn merge_entry<'arena>(
    slot: &mut Slot,
    entries: &'arena Entries,
    unknown: &mut UnknownFields<'arena>,
    field_tag: u32,
    at: Cursor,
    cx: &mut Context<'arena>,
) -> Result<Cursor, Fault> {
    let Entries { access, key: key_type, value: values, lenient } = entries;
    let before = at;
    let (at, len) = at.length()?;
    let begin = cx.offset(at.ptr);
    let unknown_left = cx.unknown_left();
    let rest = at.end.addr() - at.ptr.addr() - len;
    let following = |cx: &Context<'arena>| count_run(before, field_tag, TagBytes::new(field_tag), cx);
    // SAFETY: a slot of these entries.
    let place = unsafe { untyped::reserve(slot, access, following, cx)? };
    // SAFETY: offsets in the entry.
    let (key, value) = unsafe { (place.add(access.key_offset), place.add(access.value_offset)) };
    // SAFETY: memory for a key.
    unsafe { zero(*key_type, key.as_ptr()) };
    match values {
        // SAFETY: memory for a value.
        MapValues::Scalar(ty) => unsafe { zero(*ty, value.as_ptr()) },
        // SAFETY: as above.
        MapValues::Closed(_, first) => unsafe { value.cast::<i32>().write(*first) },
        MapValues::Message(class) => {
            // SAFETY: it lives as long as the entries.
            let class = unsafe { class.as_ref() };
            // SAFETY: a message of the class, and memory for one.
            unsafe { value.copy_from_nonoverlapping(class.default, class.layout.size()) };
        }
    }
    let (mut key_known, mut value_known, mut has_value) = (true, true, false);
    let (key_tag, value_tag) = (tag(1, wire_type_of(*key_type)), tag(2, values.wire_type()));
    // An entry is a message: it counts against the depth like one.
    cx.descend()?;
    let mut r = Reader::enter(Cursor::new(at.ptr, at.skip(len).ptr), cx, Scope::message());
    let outcome = loop {
        let entry_key = match r.whole_key() {
            Ok(Some(entry_key)) => entry_key,
            Ok(None) => match values {
                // The default of a message with required fields is not a value.
                MapValues::Message(class) if !has_value => break r.call(|at, cx| merge_nothing(value, *class, at, cx)),
                _ => break Ok(()),
            },
            Err(fault) => break Err(fault),
        };
        let step = if entry_key == u64::from(key_tag) {
            // SAFETY: memory for a key.
            unsafe { read(*key_type, *lenient, key.as_ptr(), &mut r, key_tag) }.map(|read| key_known = read)
        } else if entry_key == u64::from(value_tag) {
            let before = core::mem::replace(&mut has_value, true);
            let read = match values {
                // SAFETY: memory for a value.
                MapValues::Scalar(ty) => unsafe { read(*ty, *lenient, value.as_ptr(), &mut r, value_tag) },
                MapValues::Closed(numbers, _) => {
                    // SAFETY: they live as long as the entries.
                    let numbers = unsafe { numbers.as_ref() };
                    closed::read_in_entry(&mut r, numbers).map(|number| match number {
                        // SAFETY: as above.
                        Some(number) => unsafe {
                            value.cast::<i32>().write(number);
                            true
                        },
                        None => false,
                    })
                }
                MapValues::Message(class) => r.call(|at, cx| merge_value(value, *class, before, at, cx)).map(|()| true),
            };
            read.map(|read| value_known = read)
        } else {
            // It is dropped, as in every implementation.
            r.drop_unknown(entry_key)
        };
        if let Err(fault) = step {
            break Err(fault);
        }
    };
    let inner = r.leave();
    if let Err(fault) = outcome {
        let _ = cx.failed(fault, inner.ptr);
        cx.in_entry();
        return Err(Fault::Recorded);
    }
    cx.ascend();
    if key_known && value_known {
        // SAFETY: the entry was written above, and what was decoded in it is of other maps.
        unsafe { untyped::count(slot) };
    } else {
        // A key or value that its type does not have takes its whole entry to the unknown fields; what was kept of it is not.
        cx.uncount_unknown(unknown_left);
        let bytes = cx.range(begin..begin + len);
        unknown::push_delimited(unknown, field_tag >> 3, bytes, cx).map_err(|fault| cx.fault(fault, inner.ptr))?;
    }
    Ok(Cursor::new(inner.ptr, inner.ptr.wrapping_add(rest)))
}

/// Reads an empty message, as that of an entry without a value is.
#[cold]
#[inline(never)]
fn merge_nothing<'arena>(
    value: NonNull<u8>,
    class: NonNull<AnyClass<'static>>,
    at: Cursor,
    cx: &mut Context<'arena>,
) -> Cursor {
    // SAFETY: as in `merge_value`.
    let class: &'arena AnyClass<'arena> = unsafe { class.cast().as_ref() };
    // SAFETY: a message of the class, which nothing else refers to.
    unsafe { class.merge(value, at, cx, Scope::message()) }
}

/// Decodes a message in its entry, where it may have occurred `before`.
fn merge_value<'arena>(
    value: NonNull<u8>,
    class: NonNull<AnyClass<'static>>,
    before: bool,
    at: Cursor,
    cx: &mut Context<'arena>,
) -> Cursor {
    // SAFETY: it lives as long as the entries; lifetimes have no part in the representation, see `RuntimeClass::any`.
    let class: &'arena AnyClass<'arena> = unsafe { class.cast().as_ref() };
    let left = match cx.descend() {
        Ok(()) => {
            // SAFETY: a message of the class, which nothing else refers to.
            let decode = |at, cx: &mut Context<'arena>, scope| unsafe { class.merge(value, at, cx, scope) };
            Delimited::enter(decode, before, 0, at, cx)
        }
        Err(fault) => Err(fault),
    };
    match left {
        Ok(left) => {
            cx.ascend();
            left
        }
        Err(fault) => cx.failed(fault, at.ptr),
    }
}

impl<'arena> Encodes<'arena> for Map {
    unsafe fn encode<S: Sink<'arena>>(field: *const u8, entry: &FieldEntry<'arena>, sink: &mut S) {
        let Child::Entries(entries) = entry.handlers.child else { return };
        // SAFETY: it lives as long as the entry.
        let Entries { access, key, value, .. } = unsafe { entries.as_ref() };
        // SAFETY: as required of the caller, a slot.
        let (first, len) = unsafe { untyped::entries(field) };
        for index in (0..len).rev() {
            // SAFETY: one of the entries.
            let place = unsafe { first.add(index * access.entry.size()) };
            // SAFETY: offsets in the entry.
            let (key_place, value_place) = unsafe { (place.add(access.key_offset), place.add(access.value_offset)) };
            sink.enclosed(tag(entry.number(), wire_type::LENGTH_DELIMITED), |sink| {
                match value {
                    // SAFETY: a value, which lives as long as its message.
                    MapValues::Scalar(ty) => unsafe { write(*ty, value_place, sink, 2) },
                    // SAFETY: as above.
                    MapValues::Closed(..) => unsafe { write(Type::Int32, value_place, sink, 2) },
                    MapValues::Message(class) => {
                        // SAFETY: as in `merge_value`.
                        let class: &'arena AnyClass<'arena> = unsafe { class.cast().as_ref() };
                        // SAFETY: a message of the class, which lives as long as the one that holds it.
                        let fields = unsafe { Fields::new(class, value_place) };
                        sink.call(|sink| encode_enclosed::<false, _>(fields, sink, 2));
                    }
                }
                // SAFETY: a key, which lives as long as its message.
                unsafe { write(*key, key_place, sink, 1) };
            });
        }
    }
}
