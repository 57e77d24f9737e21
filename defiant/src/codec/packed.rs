//! Packed repeated fields, both ways.
//!
//! Source: <https://protobuf.dev/programming-guides/encoding/#packed>.
#![expect(unsafe_code, reason = "fills arena memory element by element before a slice refers to it")]

use core::marker::PhantomData;

use super::field::{Field, PackedField};
use super::repeated::{Growing, merge_run};
use super::scalar::Packable;
use super::tag;
use crate::unknown::{self, UnknownFields};
use crate::wire::context::{Context, Fault};
use crate::wire::packed::{self, Decoded};
use crate::wire::reader::{Cursor, Reader};
use crate::wire::tag::wire_type;
use crate::wire::writer::Sink;

/// Reads a packed run.
#[inline(never)]
pub(super) fn merge<'arena, T: Copy, C: Packable<'arena, T>>(
    slot: &mut &'arena [T],
    unknown: &mut UnknownFields<'arena>,
    tag: u32,
    at: Cursor,
    cx: &mut Context<'arena>,
) -> Cursor {
    let begin = at.ptr;
    // SAFETY: as `read` promises.
    let run = |at, stop, out, room, reject: &mut Reject<'_>| unsafe { C::decode_run(at, stop, out, room, reject) };
    read::<T, C>(slot, unknown, tag, at, cx, run).unwrap_or_else(|fault| cx.failed(fault, begin))
}

/// Takes the bits of values that their type does not have.
pub(crate) type Reject<'r> = dyn FnMut(u64) -> Result<(), Fault> + 'r;

/// Reads a packed run, its varints with a function that gets what [`Packable::decode_run`] gets and keeps to what that
/// is required to.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn read<'arena, T: Copy, C: Packable<'arena, T>>(
    slot: &mut &'arena [T],
    unknown: &mut UnknownFields<'arena>,
    tag: u32,
    at: Cursor,
    cx: &mut Context<'arena>,
    run: impl Fn(*const u8, *const u8, *mut T, usize, &mut Reject<'_>) -> Result<Decoded, Fault>,
) -> Result<Cursor, Fault> {
    let (at, len) = at.length()?;
    if len == 0 {
        return Ok(at);
    }
    // SAFETY: `length` checked that `len` bytes are left.
    let bytes = unsafe { cx.slice(at.ptr, len) };
    let count = if C::FIXED > 0 {
        if len % C::FIXED != 0 {
            return Err(Fault::Truncated);
        }
        len / C::FIXED
    } else {
        packed::count_ends(bytes)
    };
    if slot.is_empty() {
        if let Some(borrowed) = borrow_fixed::<T, C>(bytes) {
            cx.count_elements(count)?;
            *slot = borrowed;
            return Ok(at.skip(len));
        }
    }
    let mut elements = Growing::open(slot, at, cx);
    if elements.capacity - elements.len < count {
        elements.grow(count, at, cx)?;
    }
    if C::FIXED > 0 {
        // SAFETY: there is room for `count` elements of `C::FIXED` bytes, which are `bytes`.
        unsafe { copy_fixed::<T, C>(&mut elements, bytes) };
        elements.close(slot, cx)?;
        return Ok(at.skip(len));
    }
    let rest = at.end.addr() - at.ptr.addr() - len;
    let mut inner = Cursor::new(at.ptr, at.skip(len).ptr);
    while inner.ptr != inner.end {
        let safe_end = inner.safe_end(cx);
        if inner.ptr < safe_end {
            // SAFETY: room that `elements` has behind its last.
            let place = unsafe { elements.ptr.add(elements.len) };
            let room = elements.capacity - elements.len;
            let mut reject = |bits| unknown::push_varint(unknown, tag >> 3, bits, cx);
            // Before the safe end, so SLACK bytes are readable behind what is read; `room` elements fit.
            let read = run(inner.ptr, safe_end, place.as_ptr(), room, &mut reject);
            let read = read.map_err(|fault| cx.fault(fault, inner.ptr))?;
            inner.ptr = read.ptr;
            elements.len += read.filled;
            if read.malformed {
                return Err(malformed(inner, cx));
            }
            if inner.ptr < safe_end {
                // Every varint has one byte without continuation, and there is room for as many elements. Only one that
                // runs over the end, whose last byte was not counted, can find no room. The place is that end, as it is where
                // the cursor notices.
                return Err(cx.fault(Fault::Truncated, inner.end));
            }
        }
        if inner.ptr != inner.end {
            inner = cx.refill(inner);
            if inner.is_failed() {
                return Err(Fault::Recorded);
            }
        }
    }
    elements.close(slot, cx).map_err(|fault| cx.fault(fault, inner.ptr))?;
    Ok(Cursor::new(inner.ptr, inner.ptr.wrapping_add(rest)))
}

/// The fault of a run whose varint at `at` goes on for too long.
#[cold]
#[inline(never)]
fn malformed(at: Cursor, cx: &mut Context<'_>) -> Fault {
    // SAFETY: a cursor of this context, in a run whose length was checked.
    let rest = unsafe { cx.slice(at.ptr, at.end.addr() - at.ptr.addr()) };
    // Where nothing ends any more, the run is cut off. It would have been found to be, had there been no room to look at more.
    if packed::count_ends(rest) == 0 { cx.fault(Fault::Truncated, at.end) } else { cx.fault(Fault::Varint, at.ptr) }
}

/// Fixed-width elements where they stand on the wire, if they are aligned there. `Context::slice` gave their bytes, so
/// they are in the input itself and never in a copy of its tail.
#[cfg_attr(not(debug_assertions), inline(always))]
fn borrow_fixed<'arena, T: Copy, C: Packable<'arena, T>>(bytes: &'arena [u8]) -> Option<&'arena [T]> {
    let place = bytes.as_ptr().cast::<T>();
    if C::FIXED == 0 || size_of::<T>() != C::FIXED || cfg!(target_endian = "big") || !place.is_aligned() {
        return None;
    }
    // SAFETY: aligned, and as many bytes as `bytes` has, which are not written to for 'arena. The elements' memory is the
    // bytes' little-endian form (`Packable::FIXED` says so, for integers and floats, for which every bit pattern is a
    // value).
    Some(unsafe { core::slice::from_raw_parts(place, bytes.len() / C::FIXED) })
}

/// Appends fixed-width elements.
///
/// # Safety
/// There is room for `bytes.len() / C::FIXED` elements, and `C::FIXED` divides `bytes.len()`.
#[cfg_attr(not(debug_assertions), inline(always))]
unsafe fn copy_fixed<'arena, T: Copy, C: Packable<'arena, T>>(elements: &mut Growing<T>, bytes: &[u8]) {
    let count = bytes.len() / C::FIXED;
    if cfg!(target_endian = "little") && size_of::<T>() == C::FIXED {
        // SAFETY: there is room for `count` elements.
        let place = unsafe { elements.ptr.add(elements.len) };
        // SAFETY: the elements' memory is the bytes' little-endian form (`Packable::FIXED` says so, for integers and
        // floats, for which every bit pattern is a value); fresh memory does not overlap the input.
        unsafe { crate::arena::copy(bytes.as_ptr(), place.cast().as_ptr(), bytes.len()) };
        elements.len += count;
        return;
    }
    for chunk in bytes.chunks_exact(C::FIXED) {
        let mut bits = [0; 8];
        bits[..C::FIXED].copy_from_slice(chunk);
        if let Some(value) = C::from_bits(u64::from_le_bytes(bits)) {
            // SAFETY: there is room for one element a chunk.
            unsafe { elements.push(value) };
        }
    }
}

/// Repeated, written packed, read packed or not: `&'arena [T]`.
#[derive(Debug)]
pub struct Packed<C>(PhantomData<C>);

// SAFETY: `merge` reads one occurrence into the field and keeps no copy of what it reads.
unsafe impl<'arena, T: Copy, C: Packable<'arena, T>> Field<'arena, &'arena [T]> for Packed<C> {
    const DEFAULT: &'arena [T] = &[];

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn merge(
        field: &mut &'arena [T],
        unknown: &mut UnknownFields<'arena>,
        r: &mut Reader<'_, 'arena>,
        tag: u32,
    ) -> Result<(), Fault> {
        r.call(|at, cx| merge_run::<T, C>(field, unknown, tag, at, cx))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn encode<S: Sink<'arena>>(field: &&'arena [T], sink: &mut S, number: u32) {
        if field.is_empty() {
            return;
        }
        sink.enclosed(tag(number, wire_type::LENGTH_DELIMITED), |sink| {
            sink.call(|sink| write_packed::<T, C, _>(field, sink));
        });
    }
}

// SAFETY: `merge_packed` reads one occurrence into the field and keeps no copy of what it reads.
unsafe impl<'arena, T: Copy, C: Packable<'arena, T>> PackedField<'arena, &'arena [T]> for Packed<C> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn merge_packed(
        field: &mut &'arena [T],
        unknown: &mut UnknownFields<'arena>,
        r: &mut Reader<'_, 'arena>,
        tag: u32,
    ) -> Result<(), Fault> {
        r.call(|at, cx| merge::<T, C>(field, unknown, tag, at, cx))
    }
}

#[inline(never)]
fn write_packed<'arena, T: Copy, C: Packable<'arena, T>, S: Sink<'arena>>(values: &'arena [T], mut sink: S) -> S {
    if C::FIXED == 0 {
        C::write_run(values, &mut sink);
    } else if cfg!(target_endian = "little") && size_of::<T>() == C::FIXED {
        // SAFETY: the elements of a fixed-width codec are integers or floats: initialised bytes without padding.
        sink.raw(unsafe { core::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) });
    } else {
        for value in values.iter().rev() {
            sink.copy(&C::to_bits(*value).to_le_bytes()[..C::FIXED]);
        }
    }
    sink
}
