//! From the wire into a message, by its table.
#![expect(unsafe_code, reason = "finds fields by their offsets")]

use core::ptr::NonNull;

use super::{AnyClass, FieldEntry};
use crate::unknown::UnknownFields;
use crate::wire::context::{Context, Fault};
use crate::wire::reader::{Cursor, Reader, Scope};
use crate::wire::tag::{is_whole, tag_of};

/// Decodes a message: the loop of a compiled one, with a look into the table instead of a `match`.
///
/// # Safety
/// `message` is one of the class, may be written to, and has no more than `64 * WORDS` required fields.
pub(super) unsafe fn merge<'arena, const WORDS: usize>(
    class: &AnyClass<'arena>,
    message: NonNull<u8>,
    at: Cursor,
    cx: &mut Context<'arena>,
    scope: Scope,
) -> Cursor {
    let message = message.as_ptr();
    // SAFETY: an offset in the message.
    let unknown = unsafe { message.add(class.unknown as usize) }.cast::<UnknownFields<'arena>>();
    let mut r = Reader::enter(at, cx, scope);
    let mut key = 0;
    let mut seen = [0; WORDS];
    if class.required > 0 {
        seen = r.seen_before(message, scope, all(class.required));
    }
    let outcome: Result<(), Fault> = loop {
        key = match r.first() {
            Ok(Some(key)) => key,
            Ok(None) => break Ok(()),
            Err(fault) => break Err(fault),
        };
        if key >= 0x80 {
            key = r.second();
        }
        let step = loop {
            // SAFETY: there lie the message's unknown fields, and no other reference to them is alive.
            let unknown = unsafe { &mut *unknown };
            let tag = tag_if_whole(key);
            if let Some(entry) = find(class, tag >> 3) {
                // SAFETY: an offset in the message.
                let field = unsafe { message.add(entry.offset as usize) };
                let handlers = entry.handlers;
                if entry.tag == tag {
                    // SAFETY: there lies the entry's field, a value of the type that its handlers are made for, and no
                    // reference to it is alive.
                    let step = r.call(|at, cx| unsafe { (handlers.merge)(field, unknown, entry, at, cx) });
                    if entry.required > 0 {
                        mark(entry, &mut seen, r.cx);
                    }
                    break step;
                }
                if handlers.other_types >> (tag & 7) & 1 != 0 {
                    // SAFETY: as above.
                    break r.call(|at, cx| unsafe { (handlers.merge_other)(field, unknown, entry, key, at, cx) });
                }
            }
            if key < 0x80 {
                break if class.message_set { r.message_set(unknown, key) } else { r.other_short(unknown, key) };
            }
            match r.other(unknown, &mut key) {
                Ok(true) => {}
                Ok(false) => break Ok(()),
                Err(fault) => break Err(fault),
            }
        };
        match step {
            Ok(()) => {}
            Err(Fault::End) => break Ok(()),
            Err(fault) => break Err(fault),
        }
    };
    match outcome {
        Ok(()) => {
            if class.required > 0 && seen != all(class.required) {
                return r.incomplete(message, &seen, class.names, first_missing(class, &seen));
            }
            r.leave()
        }
        Err(fault) => r.fail(fault, key, class.names),
    }
}

/// The tag of a key, or 0, which is no field's tag, if there is more of it to come.
#[cfg_attr(not(debug_assertions), inline(always))]
fn tag_if_whole(key: u64) -> u32 {
    if key < 0x80 {
        key as u32
    } else if (0x100..0x8000).contains(&key) {
        (key & 0x7f | key >> 1 & 0x3f80) as u32
    } else if is_whole(key) {
        tag_of(key)
    } else {
        0
    }
}

/// The entry of a field number.
#[cfg_attr(not(debug_assertions), inline(always))]
fn find<'c, 'arena>(class: &'c AnyClass<'arena>, number: u32) -> Option<&'c FieldEntry<'arena>> {
    match class.index.get(number as usize) {
        // Where it is 0, there is no field, or one that is too far behind.
        Some(&after) if after > 0 => class.fields.get(usize::from(after) - 1),
        _ => search(class, number),
    }
}

#[inline(never)]
fn search<'c, 'arena>(class: &'c AnyClass<'arena>, number: u32) -> Option<&'c FieldEntry<'arena>> {
    let index = class.fields.binary_search_by_key(&number, FieldEntry::number).ok()?;
    class.fields.get(index)
}

/// Notes that a required field was read, if it was.
#[inline]
fn mark<const WORDS: usize>(entry: &FieldEntry<'_>, seen: &mut [u64; WORDS], cx: &mut Context<'_>) {
    let index = entry.required as usize - 1;
    if let (Some(word), false) = (seen.get_mut(index / 64), core::mem::take(&mut cx.rejected)) {
        *word |= 1 << (index % 64);
    }
}

/// The bits of all required fields.
fn all<const WORDS: usize>(required: u32) -> [u64; WORDS] {
    core::array::from_fn(|word| match (required as usize).saturating_sub(64 * word) {
        0 => 0,
        rest => u64::MAX >> (64 - rest.min(64)),
    })
}

/// The number of the first required field that is not seen.
#[cold]
fn first_missing<const WORDS: usize>(class: &AnyClass<'_>, seen: &[u64; WORDS]) -> u32 {
    let is_missing = |entry: &&FieldEntry<'_>| {
        let Some(index) = entry.required.checked_sub(1) else { return false };
        seen.get(index as usize / 64).is_none_or(|word| word >> (index % 64) & 1 == 0)
    };
    class.fields.iter().find(is_missing).map_or(0, FieldEntry::number)
}
