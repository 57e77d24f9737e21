//! Map fields: entries with key 1 and value 2, read in wire order and sorted at the end of the decode.
//!
//! Source: <https://protobuf.dev/programming-guides/encoding/#maps>.
#![expect(unsafe_code, reason = "implements traits that unsafe code relies on")]

use core::marker::PhantomData;

use super::field::Field;
use super::repeated::count_run;
use super::scalar::{
    Bool, Bytes, Codec, Double, Enum, Fixed32, Fixed64, Float, Int32, Int64, LenientStr, Sfixed32, Sfixed64, Sint32,
    Sint64, Str, Uint32, Uint64,
};
use super::{Delimited, Enclosure, OnDemand, tag};
use crate::enumeration::Enumeration;
use crate::map::{self, Map, MapKey};
use crate::message::Message;
use crate::table::Code;
use crate::unknown::{self, UnknownFields};
use crate::wire::context::{Context, Fault};
use crate::wire::reader::{Cursor, Reader, Scope};
use crate::wire::tag::{TagBytes, wire_type};
use crate::wire::writer::Sink;

/// What may be a map's value: every codec, and messages.
///
/// # Safety
/// The reading functions decode one value into its place and keep no copy of it.
pub unsafe trait MapValue<'arena, V> {
    /// The value of an entry that has none.
    const DEFAULT: V;
    /// The wire type of the value.
    const WIRE_TYPE: u32;
    /// Whether the value is decoded in the map's memory. A message is: nested messages would otherwise take the size of
    /// their structs from the stack, once per level.
    const IN_PLACE: bool = false;

    /// Reads the value behind its tag, which may have occurred `before`; `false` for one that the type does not have.
    ///
    /// # Errors
    /// [`Fault`] when the value is malformed.
    fn read(value: &mut V, before: bool, r: &mut Reader<'_, 'arena>) -> Result<bool, Fault>;

    /// Ends an entry that has no value.
    ///
    /// # Errors
    /// [`Fault`] when the default is not a value: a message with required fields.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn read_none(value: &mut V, r: &mut Reader<'_, 'arena>) -> Result<(), Fault> {
        let _ = (value, r);
        Ok(())
    }

    /// Writes the value and its tag.
    fn write<S: Sink<'arena>>(value: &V, sink: &mut S);
}

macro_rules! map_values {
    ($($codec:ident: $value:ty;)*) => {$(
        // SAFETY: `read` reads one value into its place and keeps no copy of it.
        unsafe impl<'arena> MapValue<'arena, $value> for $codec {
            const DEFAULT: $value = <Self as Codec<'arena, $value>>::ZERO;
            const WIRE_TYPE: u32 = <Self as Codec<'arena, $value>>::WIRE_TYPE;

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn read(value: &mut $value, _: bool, r: &mut Reader<'_, 'arena>) -> Result<bool, Fault> {
                match <Self as Codec<'arena, $value>>::read_in_entry(r, 0)? {
                    Some(read) => {
                        *value = read;
                        Ok(true)
                    }
                    None => Ok(false),
                }
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn write<S: Sink<'arena>>(value: &$value, sink: &mut S) {
                <Self as Codec<'arena, $value>>::write(*value, sink, 2);
            }
        }
    )*};
}

map_values! {
    Int32: i32; Int64: i64; Uint32: u32; Uint64: u64; Sint32: i32; Sint64: i64; Fixed32: u32; Fixed64: u64;
    Sfixed32: i32; Sfixed64: i64; Float: f32; Double: f64; Bool: bool; Str: &'arena str; LenientStr: &'arena str; Bytes: &'arena [u8];
}

// SAFETY: `read` reads one value into its place and keeps no copy of it.
unsafe impl<'arena, E: Enumeration> MapValue<'arena, E> for Enum {
    const DEFAULT: E = E::DEFAULT;
    const WIRE_TYPE: u32 = wire_type::VARINT;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn read(value: &mut E, _: bool, r: &mut Reader<'_, 'arena>) -> Result<bool, Fault> {
        match <Self as Codec<'arena, E>>::read_in_entry(r, 0)? {
            Some(read) => {
                *value = read;
                Ok(true)
            }
            None => Ok(false),
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn write<S: Sink<'arena>>(value: &E, sink: &mut S) {
        <Self as Codec<'arena, E>>::write(*value, sink, 2);
    }
}

/// A message as a map's value.
#[derive(Debug)]
pub struct MessageValue;

// SAFETY: `read` reads one value into its place and keeps no copy of it.
unsafe impl<'arena, M: Message<'arena>> MapValue<'arena, M> for MessageValue {
    const DEFAULT: M = M::DEFAULT;
    const WIRE_TYPE: u32 = wire_type::LENGTH_DELIMITED;
    const IN_PLACE: bool = true;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn read(value: &mut M, before: bool, r: &mut Reader<'_, 'arena>) -> Result<bool, Fault> {
        r.call(|at, cx| merge_value(value, before, at, cx))?;
        Ok(true)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn read_none(value: &mut M, r: &mut Reader<'_, 'arena>) -> Result<(), Fault> {
        r.call(|at, cx| merge_nothing(value, at, cx))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn write<S: Sink<'arena>>(value: &M, sink: &mut S) {
        M::__Code::encode_enclosed::<false, S>(value, sink, 2);
    }
}

#[inline(never)]
fn merge_value<'arena, M: Message<'arena>>(
    value: &mut M,
    before: bool,
    at: Cursor,
    cx: &mut Context<'arena>,
) -> Cursor {
    let left = match cx.descend() {
        Ok(()) => Delimited::merge(value, before, 0, at, cx),
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

/// Reads an empty message, as that of an entry without a value is.
#[cold]
#[inline(never)]
fn merge_nothing<'arena, M: Message<'arena>>(value: &mut M, at: Cursor, cx: &mut Context<'arena>) -> Cursor {
    value.__merge::<OnDemand>(at, cx, Scope::message())
}

/// A map: `Map<'arena, K, V>`.
#[derive(Debug)]
pub struct MapOf<KC, VC>(PhantomData<(KC, VC)>);

// SAFETY: `merge` reads one occurrence into the field and keeps no copy of what it reads.
unsafe impl<'arena, K, V, KC, VC> Field<'arena, Map<'arena, K, V>> for MapOf<KC, VC>
where
    K: MapKey + 'arena,
    V: Copy + 'arena,
    KC: Codec<'arena, K>,
    VC: MapValue<'arena, V>,
{
    const DEFAULT: Map<'arena, K, V> = Map::EMPTY;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn merge(
        field: &mut Map<'arena, K, V>,
        unknown: &mut UnknownFields<'arena>,
        r: &mut Reader<'_, 'arena>,
        tag: u32,
    ) -> Result<(), Fault> {
        r.call(|at, cx| {
            let begin = at.ptr;
            merge_entry::<K, V, KC, VC>(field, unknown, tag, at, cx).unwrap_or_else(|fault| cx.failed(fault, begin))
        })
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn encode<S: Sink<'arena>>(field: &Map<'arena, K, V>, sink: &mut S, number: u32) {
        for (key, value) in field.iter().rev() {
            sink.enclosed(tag(number, wire_type::LENGTH_DELIMITED), |sink| {
                VC::write(value, sink);
                KC::write(*key, sink, 1);
            });
        }
    }
}

#[inline(never)]
fn merge_entry<'arena, K, V, KC, VC>(
    field: &mut Map<'arena, K, V>,
    unknown: &mut UnknownFields<'arena>,
    field_tag: u32,
    at: Cursor,
    cx: &mut Context<'arena>,
) -> Result<Cursor, Fault>
where
    K: MapKey + 'arena,
    V: Copy + 'arena,
    KC: Codec<'arena, K>,
    VC: MapValue<'arena, V>,
{
    let first = at;
    let (at, len) = at.length()?;
    let begin = cx.offset(at.ptr);
    let unknown_left = cx.unknown_left();
    let rest = at.end.addr() - at.ptr.addr() - len;
    let left = |inner: Cursor| Cursor::new(inner.ptr, inner.ptr.wrapping_add(rest));
    let inner = if VC::IN_PLACE {
        let following =
            |cx: &Context<'arena>| count_run(first, field_tag, TagBytes::new(field_tag), cx).saturating_sub(1);
        let unset = (|| KC::ZERO, || VC::DEFAULT);
        let (inner, known) = map::push_with(field, unset, following, cx, |key, value, cx| {
            read_entry::<K, V, KC, VC>(key, value, at, len, cx)
        })?;
        if known {
            return Ok(left(inner));
        }
        inner
    } else {
        let (mut key, mut value) = (KC::ZERO, VC::DEFAULT);
        let (inner, known) = read_entry::<K, V, KC, VC>(&mut key, &mut value, at, len, cx)?;
        if known {
            let (behind, expected) = (left(inner), TagBytes::new(field_tag));
            let following = |cx: &Context<'arena>| {
                let next = behind.next_is(expected, cx);
                if next { count_run(behind.skip(expected.len), field_tag, expected, cx) } else { 0 }
            };
            map::push(field, key, value, following, cx).map_err(|fault| cx.fault(fault, inner.ptr))?;
            return Ok(behind);
        }
        inner
    };
    // The unknown fields get the whole entry, so the unknown fields inside the entry no longer count.
    cx.uncount_unknown(unknown_left);
    unknown::push_delimited(unknown, field_tag >> 3, cx.range(begin..begin + len), cx)
        .map_err(|fault| cx.fault(fault, inner.ptr))?;
    Ok(left(inner))
}

/// Reads the fields of an entry of `len` bytes. Returns the cursor after the entry, and `false` if its key or its value is one that the
/// type does not have.
#[cfg_attr(not(debug_assertions), inline(always))]
fn read_entry<'arena, K, V, KC, VC>(
    key: &mut K,
    value: &mut V,
    at: Cursor,
    len: usize,
    cx: &mut Context<'arena>,
) -> Result<(Cursor, bool), Fault>
where
    K: MapKey + 'arena,
    V: Copy + 'arena,
    KC: Codec<'arena, K>,
    VC: MapValue<'arena, V>,
{
    let (mut key_known, mut value_known, mut has_value) = (true, true, false);
    // An entry is a message: it counts against the depth like one.
    cx.descend()?;
    let mut r = Reader::enter(Cursor::new(at.ptr, at.skip(len).ptr), cx, Scope::message());
    let outcome = loop {
        let entry_key = match r.whole_key() {
            Ok(Some(entry_key)) => entry_key,
            Ok(None) if has_value => break Ok(()),
            Ok(None) => break VC::read_none(value, &mut r),
            Err(fault) => break Err(fault),
        };
        let step = if entry_key == u64::from(tag(1, KC::WIRE_TYPE)) {
            KC::read_in_entry(&mut r, tag(1, KC::WIRE_TYPE)).map(|read| {
                key_known = read.is_some();
                *key = read.unwrap_or(*key);
            })
        } else if entry_key == u64::from(tag(2, VC::WIRE_TYPE)) {
            let before = core::mem::replace(&mut has_value, true);
            VC::read(value, before, &mut r).map(|read| value_known = read)
        } else {
            // Other fields of an entry are dropped, as in every implementation.
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
    Ok((inner, key_known && value_known))
}
