//! Closed enums that are known at run time only: held as numbers, of which each is looked up.
#![expect(unsafe_code, reason = "gets fields as pointers without a type")]

use core::ptr::NonNull;

use super::super::FieldEntry;
use super::super::handlers::{Child, Encode, Encodes, Handlers, Of, no_other};
use super::slot::{InSlot, Slot};
use crate::codec::{Int32, Optional, Packed, Repeated, Required, decode_numbers, merge_run_with, read_packed};
use crate::unknown::{self, UnknownFields};
use crate::wire::context::{Context, Fault};
use crate::wire::packed::Decoded;
use crate::wire::reader::{Cursor, Reader};
use crate::wire::tag::{tag_of, wire_type};

/// The numbers that a closed enum has.
#[derive(Debug)]
pub(crate) struct Numbers {
    /// Ascending, each once.
    sorted: &'static [i32],
}

impl Numbers {
    /// Of numbers that are ascending, each once.
    pub(crate) fn new(sorted: &'static [i32]) -> Self {
        Numbers { sorted }
    }

    /// Whether a number is among them.
    #[inline]
    pub(super) fn has(&self, number: i32) -> bool {
        // Most enums have no gaps.
        let Some(first) = self.sorted.first() else { return false };
        let guess = i64::from(number) - i64::from(*first);
        let guess = usize::try_from(guess).ok().and_then(|index| self.sorted.get(index));
        guess == Some(&number) || self.sorted.binary_search(&number).is_ok()
    }
}

/// The numbers of an entry's enum.
fn numbers<'e>(entry: &'e FieldEntry<'_>) -> &'e Numbers {
    const NONE: &Numbers = &Numbers { sorted: &[] };
    match entry.handlers.child {
        // SAFETY: they live as long as the entry.
        Child::Numbers(numbers) => unsafe { numbers.as_ref() },
        _ => NONE,
    }
}

/// Reads a number that the enum has, `None` for any other, which is kept with the whole entry of a map, or not at all.
#[inline]
pub(super) fn read_in_entry(r: &mut Reader<'_, '_>, numbers: &Numbers) -> Result<Option<i32>, Fault> {
    let number = r.varint()? as i32;
    Ok(numbers.has(number).then_some(number))
}

/// Reads a number that the enum has; any other goes to the unknown fields.
#[inline]
fn read<'arena>(
    r: &mut Reader<'_, 'arena>,
    numbers: &Numbers,
    unknown: &mut UnknownFields<'arena>,
    number: u32,
) -> Result<Option<i32>, Fault> {
    let bits = r.varint()?;
    if numbers.has(bits as i32) {
        return Ok(Some(bits as i32));
    }
    unknown::push_varint(unknown, number, bits, r.cx)?;
    Ok(None)
}

/// What a field does with a number that was read.
trait Holds {
    /// # Safety
    /// The pointer is to the field.
    unsafe fn put(field: *mut u8, number: u32, value: i32);
}

impl Holds for Optional<Int32> {
    unsafe fn put(field: *mut u8, _: u32, value: i32) {
        // SAFETY: as required of the caller.
        unsafe { field.cast::<Option<i32>>().write(Some(value)) };
    }
}

impl Holds for Required<Int32> {
    unsafe fn put(field: *mut u8, _: u32, value: i32) {
        // SAFETY: as required of the caller.
        unsafe { field.cast::<i32>().write(value) };
    }
}

impl Holds for InSlot<Int32> {
    unsafe fn put(field: *mut u8, number: u32, value: i32) {
        // SAFETY: as required of the caller.
        unsafe { &mut *field.cast::<Slot<i32>>() }.put(number, value);
    }
}

/// # Safety
/// The pointer is to a field of the shape.
unsafe fn merge_single<'arena, H: Holds>(
    field: *mut u8,
    unknown: &mut UnknownFields<'arena>,
    entry: &FieldEntry<'arena>,
    at: Cursor,
    cx: &mut Context<'arena>,
) -> Cursor {
    let mut r = Reader::resume(at, cx);
    match read(&mut r, numbers(entry), unknown, entry.number()) {
        Ok(value) => {
            let at = r.yield_back();
            if let Some(value) = value {
                // SAFETY: as required of the caller.
                unsafe { H::put(field, entry.number(), value) };
            }
            // Only a required field asks.
            if entry.required > 0 {
                cx.rejected = value.is_none();
            }
            at
        }
        Err(fault) => r.give_up(fault),
    }
}

/// # Safety
/// The pointer is to an `&'arena [i32]`.
unsafe fn merge_run<'arena>(
    field: *mut u8,
    unknown: &mut UnknownFields<'arena>,
    entry: &FieldEntry<'arena>,
    at: Cursor,
    cx: &mut Context<'arena>,
) -> Cursor {
    // SAFETY: as required of the caller.
    let slot = unsafe { &mut *field.cast::<&'arena [i32]>() };
    let numbers = numbers(entry);
    merge_run_with(slot, entry.tag, at, cx, |r| read(r, numbers, unknown, entry.number()))
}

/// # Safety
/// The pointer is to an `&'arena [i32]`.
unsafe fn merge_packed<'arena>(
    field: *mut u8,
    unknown: &mut UnknownFields<'arena>,
    entry: &FieldEntry<'arena>,
    key: u64,
    at: Cursor,
    cx: &mut Context<'arena>,
) -> Cursor {
    use crate::codec::{Reject, Uint64};
    // SAFETY: as required of the caller.
    let slot = unsafe { &mut *field.cast::<&'arena [i32]>() };
    let (begin, numbers) = (at.ptr, numbers(entry));
    let split = |bits: u64| (numbers.has(bits as i32).then_some(bits as i32), bits);
    let run = |at, stop, out, room, reject: &mut Reject<'_>| -> Result<Decoded, Fault> {
        // SAFETY: `read_packed` keeps to what this requires.
        unsafe { decode_numbers::<i32, Uint64>(at, stop, out, room, split, reject) }
    };
    let left = read_packed::<i32, Int32>(slot, unknown, tag_of(key), at, cx, run);
    left.unwrap_or_else(|fault| cx.failed(fault, begin))
}

/// The handlers of a field that holds numbers.
fn single<H: Holds + Encodes<'static>>(numbers: NonNull<Numbers>) -> Handlers<'static> {
    Handlers {
        merge: merge_single::<H>,
        other_types: 0,
        merge_other: no_other,
        encode: Some(Encode::with::<H>()),
        child: Child::Numbers(numbers),
    }
}

macro_rules! encodes {
    ($($shape:ty: $field:ty;)*) => {$(
        impl<'arena> Encodes<'arena> for $shape {
            #[cfg_attr(not(debug_assertions), inline(always))]
            unsafe fn encode<S: crate::wire::writer::Sink<'arena>>(
                field: *const u8,
                entry: &FieldEntry<'arena>,
                sink: &mut S,
            ) {
                // SAFETY: as required of the caller.
                unsafe { <Of<$shape, $field> as Encodes<'arena>>::encode(field, entry, sink) };
            }
        }
    )*};
}

encodes! {
    Optional<Int32>: Option<i32>;
    Required<Int32>: i32;
    InSlot<Int32>: Slot<i32>;
    Repeated<Int32>: &'arena [i32];
    Packed<Int32>: &'arena [i32];
}

pub(super) fn optional(numbers: NonNull<Numbers>) -> Handlers<'static> {
    single::<Optional<Int32>>(numbers)
}

pub(super) fn required(numbers: NonNull<Numbers>) -> Handlers<'static> {
    single::<Required<Int32>>(numbers)
}

pub(super) fn member(numbers: NonNull<Numbers>) -> Handlers<'static> {
    single::<InSlot<Int32>>(numbers)
}

/// The handlers of a repeated field.
pub(super) fn list(packed: bool, numbers: NonNull<Numbers>) -> Handlers<'static> {
    let encode = if packed { Encode::with::<Packed<Int32>>() } else { Encode::with::<Repeated<Int32>>() };
    Handlers {
        merge: merge_run,
        other_types: 1 << wire_type::LENGTH_DELIMITED,
        merge_other: merge_packed,
        encode: Some(encode),
        child: Child::Numbers(numbers),
    }
}
