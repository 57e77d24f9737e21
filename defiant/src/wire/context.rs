//! What a whole decode shares: the wire, the arena, the limits, and where it failed.
#![expect(unsafe_code, reason = "holds the raw bounds of the wire and hands out pieces of it")]

use core::alloc::Layout;
use core::ptr::NonNull;

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::SLACK;
use super::reader::Cursor;
use crate::arena::{Arena, Mark};

/// Why a decode stopped. One byte, so that results travel in a register; the error that the user sees is made
/// in cold code on the way out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The input ends, or an enclosing length ends, inside a field.
    Truncated,
    /// A varint of more than ten bytes or more than 64 bits.
    Varint,
    /// A tag of more than five bytes or 32 bits, field number 0, or wire type 6 or 7.
    Tag,
    /// A group ends that did not begin.
    EndGroup,
    /// A string is not UTF-8.
    Utf8,
    /// Messages or groups nest deeper than the limit.
    Recursion,
    /// The memory limit, the arena's limit or the memory is exhausted.
    Memory,
    /// The input is longer than the limit.
    Size,
    /// More bytes of unknown fields are to be kept than the limit allows.
    UnknownBytes,
    /// There are more elements and entries than the limit allows.
    Elements,
    /// A string or bytes are longer than the limit.
    Length,
    /// A required field is missing.
    Missing,
    /// Already recorded, with its place, by the code that met it.
    Recorded,
    /// No fault, but the end of the group that the message stands in.
    End,
}

/// A fault with its place.
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) fault: Fault,
    /// Bytes from the start of the input.
    pub(crate) offset: usize,
    /// From the inside out: message and field names.
    pub(crate) path: Vec<(&'static str, &'static str)>,
    /// Field number of the innermost field that no table knows.
    pub(crate) number: Option<u32>,
    /// In a map's entry, which adds no name to the path.
    in_entry: bool,
}

/// A singular message or a repeated field of this decode that occurred again, and the right to write to it.
#[derive(Clone, Copy)]
pub(crate) struct Reopened {
    /// The memory, with permission to write; null for a free slot.
    pub(crate) ptr: *mut u8,
    /// Elements that fit in it.
    pub(crate) capacity: usize,
    /// How many there were, and at which offset, when the field was first seen to occur again.
    pub(crate) first: (usize, usize),
}

/// Singular messages that ended without all of their required fields, which a later occurrence may bring.
///
/// Only few are waited for, because each one that occurs again is searched for.
#[derive(Debug, Default)]
pub(crate) struct Incomplete {
    messages: Vec<IncompleteMessage>,
    /// Where nothing is waited for.
    stop_at: Option<usize>,
}

#[derive(Debug)]
struct IncompleteMessage {
    /// Or 0 once there is another message.
    address: usize,
    /// What was left of the depth there: a message may have the address of one that it holds inline.
    depth: u32,
    /// The offset of its end.
    end: usize,
    /// The bits of the required fields that it has.
    seen: Vec<u64>,
}

impl Incomplete {
    const MOST: usize = 64;

    /// Waits for nothing that ends at this offset.
    pub(crate) fn stopping_at(end: usize) -> Self {
        Incomplete { messages: Vec::new(), stop_at: Some(end) }
    }

    /// The end of the first message that lacks something.
    pub(crate) fn first(&self) -> Option<usize> {
        self.messages.iter().map(|message| message.end).min()
    }

    /// Remembers one; `false` when it is not to be waited for, `None` when there is no memory for it.
    fn insert(&mut self, message: IncompleteMessage) -> Option<bool> {
        let waits = self.messages.len() < Self::MOST && self.stop_at != Some(message.end);
        if waits {
            self.messages.try_reserve(1).ok()?;
            self.messages.push(message);
        }
        Some(waits)
    }

    /// Lets those of an address be, whatever comes there: they will not occur again.
    fn seal(&mut self, address: usize) {
        self.messages.iter_mut().filter(|message| message.address == address).for_each(|message| message.address = 0);
    }

    /// Forgets one.
    fn remove(&mut self, address: usize, depth: u32) -> Option<IncompleteMessage> {
        let is_it = |message: &IncompleteMessage| message.address == address && message.depth == depth;
        let index = self.messages.iter().position(is_it)?;
        Some(self.messages.swap_remove(index))
    }

    /// Follows those in `size` bytes to where they were copied.
    fn follow(&mut self, from: usize, to: usize, size: usize) {
        for message in &mut self.messages {
            let offset = message.address.wrapping_sub(from);
            if offset < size {
                message.address = to.wrapping_add(offset);
            } else if message.address.wrapping_sub(to) < size {
                // Of what was there before.
                message.address = 0;
            }
        }
    }
}

/// A map whose entries are still in wire order.
#[derive(Clone, Copy)]
pub(crate) struct PendingMap {
    pub(crate) header: NonNull<u8>,
    /// Sorts the map; takes the header.
    pub(crate) finish: unsafe fn(NonNull<u8>, &mut Context<'_>) -> Result<(), Fault>,
}

/// Limits, or what is left of them. They are together so that a decode begins with one copy of sixteen bytes.
///
/// An input has less than four GiB, and all of these are counted in it, so that the largest number is no limit.
///
/// Elements are counted only where they are limited, and to know that must cost next to nothing: see `elements`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Messages and groups that may still be entered.
    pub(crate) depth: u32,
    /// Bytes of unknown fields that may still be kept.
    pub(crate) unknown: u32,
    /// Elements of repeated fields and entries of maps that may still be read, plus one; zero where there is no limit, so that
    /// one question tells a list that is empty and need not be counted from any other.
    pub(crate) elements: u32,
    /// Bytes that a string may have.
    pub(crate) string: u32,
}

/// What a whole decode shares. Made by the entry points, passed down by reference.
pub struct Context<'arena> {
    /// The input as the user's offsets count it, and as strings are borrowed from it; valid for reads of `len` bytes for
    /// `'arena`, plus `SLACK` if it is padded.
    base: *const u8,
    len: usize,
    /// Where reading has to stop and [`refill`](Self::refill) be asked: `SLACK` readable bytes lie behind every address
    /// before this one, and behind the one at which it was set no longer string fits than is allowed, so that nothing has to
    /// be compared with that limit but strings that do not fit.
    pub(super) safe_end: *const u8,
    /// Where reading stops being safe to begin; never before `safe_end`.
    last_safe: *const u8,
    /// The address that stands for offset 0: of `base`, or, once the tail was moved to a padded copy, so far
    /// before that copy that offsets stay what they were.
    window: usize,
    /// `base` minus `window`, with `base`'s provenance: an address in the window, added to it, is the place in the input.
    shift: *const u8,
    arena: &'arena Arena,
    /// Bytes that may still be allocated.
    budget: usize,
    /// Where the arena was before this decode.
    mark: Mark,
    /// What is left of the limits.
    limits: Limits,
    keep_unknown: bool,
    record: Option<Record>,
    /// Open addressing by address, a power of two long or empty.
    reopened: &'arena mut [Reopened],
    reopened_len: usize,
    /// The key that a reader gives again; in memory here, because in the reader it would take a register.
    pub(super) again: u64,
    /// Whether a required field was left as it was by a value that its type does not have.
    pub(crate) rejected: bool,
    /// Messages that lack required fields, in a decode that waits for their next occurrence.
    pub(crate) incomplete: Option<Box<Incomplete>>,
    /// The newest map in wire order; each names the one before.
    pub(crate) pending_map: Option<PendingMap>,
    /// The unknown-field node that was made last, with the right to write to it.
    pub(crate) last_unknown: *mut u8,
}

impl core::fmt::Debug for Context<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Context").field("budget", &self.budget).field("limits", &self.limits).finish_non_exhaustive()
    }
}

impl<'arena> Context<'arena> {
    /// A context and a cursor over the first `len` bytes of a buffer.
    ///
    /// `padded` promises that `SLACK` more bytes are readable behind them.
    ///
    /// # Safety
    /// `base` is valid for reads of `len` bytes for `'arena`, plus `SLACK` if `padded`; nothing writes to them.
    #[expect(clippy::too_many_arguments, reason = "all of it comes from the door that the input came through")]
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) unsafe fn new(
        base: *const u8,
        len: usize,
        padded: bool,
        arena: &'arena Arena,
        mark: Mark,
        budget: usize,
        limits: Limits,
        keep_unknown: bool,
    ) -> (Self, Cursor) {
        // SAFETY: one past the end of the readable range.
        let end = unsafe { base.add(len) };
        // Without padding, reading may begin where SLACK bytes of the wire itself are left.
        let safe_len = if padded { len } else { len.saturating_sub(SLACK) };
        // SAFETY: `safe_len <= len`.
        let last_safe = unsafe { base.add(safe_len) };
        let context = Context {
            base,
            len,
            safe_end: string_window(base, last_safe, limits),
            last_safe,
            window: base.addr(),
            shift: base.wrapping_sub(base.addr()),
            arena,
            budget,
            mark,
            limits,
            keep_unknown,
            record: None,
            reopened: &mut [],
            reopened_len: 0,
            again: 0,
            rejected: false,
            incomplete: None,
            pending_map: None,
            last_unknown: core::ptr::null_mut(),
        };
        (context, Cursor::new(base, end))
    }

    /// Offset of a position in the input, in bytes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn offset(&self, ptr: *const u8) -> usize {
        ptr.addr().wrapping_sub(self.window)
    }

    /// Bytes of the input, borrowed from it even when the cursor reads a copy.
    ///
    /// # Safety
    /// A cursor of this context stood at `ptr` with at least `len` bytes before its end.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) unsafe fn slice(&self, ptr: *const u8, len: usize) -> &'arena [u8] {
        debug_assert!(self.offset(ptr) + len <= self.len);
        let place = self.shift.wrapping_add(ptr.addr());
        // SAFETY: a place in a slice is not null.
        unsafe { core::hint::assert_unchecked(!place.is_null()) };
        // SAFETY: a cursor's end never lies behind the input's, so `len` bytes at the same place in the wire are the
        // wire's, readable for 'arena.
        unsafe { core::slice::from_raw_parts(place, len) }
    }

    /// Bytes of the input by offset.
    pub(crate) fn range(&self, range: core::ops::Range<usize>) -> &'arena [u8] {
        self.wire().get(range).unwrap_or(&[])
    }

    /// The input from a position at which a cursor stood, maybe before it moved to the copy of the tail, and how many bytes of
    /// it lie before a position at which it may stand now.
    pub(crate) fn between(&self, begin: *const u8, end: *const u8) -> (&'arena [u8], usize) {
        let in_input = begin.addr().wrapping_sub(self.base.addr());
        let begin = if in_input <= self.len { in_input } else { self.offset(begin) };
        (self.range(begin..self.len), self.offset(end).saturating_sub(begin))
    }

    /// The input.
    pub(crate) fn wire(&self) -> &'arena [u8] {
        // SAFETY: the invariant of `base`.
        unsafe { core::slice::from_raw_parts(self.base, self.len) }
    }

    /// Begins again with the same input; memory and budget are what is left of them.
    ///
    /// # Safety
    /// `padded` as [`new`](Self::new) was told.
    pub(crate) unsafe fn restart(&mut self, padded: bool, limits: Limits) -> Cursor {
        let Context { base, len, arena, mark, budget, keep_unknown, .. } = *self;
        // SAFETY: this input was given to `new` before.
        let (cx, at) = unsafe { Context::new(base, len, padded, arena, mark, budget, limits, keep_unknown) };
        *self = cx;
        at
    }

    /// Lets reading go on behind the safe end: moves that, where only the limit of strings set it, and else moves the cursor
    /// to a padded copy of the input's tail, because fewer than `SLACK` bytes are left.
    ///
    /// A cursor that is behind its end gets a null position.
    #[cold]
    #[inline(never)]
    pub(crate) fn refill(&mut self, at: Cursor) -> Cursor {
        if at.ptr > at.end {
            return self.failed(Fault::Truncated, at.end);
        }
        if at.ptr < self.last_safe {
            self.safe_end = string_window(at.ptr, self.last_safe, self.limits);
            return at;
        }
        let offset = self.offset(at.ptr);
        let rest = self.wire().get(offset..).unwrap_or(&[]);
        let Some(copy) = self.alloc(Layout::new::<[u8; 3 * SLACK]>()) else {
            return self.failed(Fault::Memory, at.ptr);
        };
        let copy = copy.as_ptr();
        debug_assert!(rest.len() <= 2 * SLACK);
        // SAFETY: the copy is 3 * SLACK bytes of fresh memory.
        unsafe { copy.write_bytes(0, 3 * SLACK) };
        // SAFETY: not before `last_safe`, so that at most SLACK bytes are left.
        unsafe { copy.copy_from_nonoverlapping(rest.as_ptr(), rest.len()) };
        self.window = copy.addr().wrapping_sub(offset);
        self.shift = self.base.wrapping_sub(self.window);
        // SAFETY: in the copy, with at least 2 * SLACK bytes behind.
        self.last_safe = unsafe { copy.add(rest.len()) };
        self.safe_end = string_window(copy, self.last_safe, self.limits);
        // SAFETY: `at.end` lies at most `rest.len()` behind `at.ptr`.
        Cursor::new(copy, unsafe { copy.add(at.end.addr() - at.ptr.addr()) })
    }

    /// Memory from the arena, counted against the budget.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn alloc(&mut self, layout: Layout) -> Option<NonNull<u8>> {
        self.budget = self.budget.checked_sub(layout.size())?;
        self.arena.try_alloc(layout)
    }

    /// Room for `len` values of type `T`.
    #[inline]
    pub(crate) fn alloc_array<T>(&mut self, len: usize) -> Result<NonNull<T>, Fault> {
        let layout = Layout::array::<T>(len).map_err(|_| Fault::Memory)?;
        self.alloc(layout).map(NonNull::cast).ok_or(Fault::Memory)
    }

    /// Moves the `len` values in memory of this decode for `old` values to memory for `new` ones, in place where it is the
    /// newest.
    ///
    /// # Safety
    /// `len` values at `ptr` are initialised, `len <= old <= new`, and nothing else refers to memory of this decode at
    /// `ptr`.
    pub(crate) unsafe fn grow_array<T: Copy>(
        &mut self,
        ptr: NonNull<T>,
        len: usize,
        old: usize,
        new: usize,
    ) -> Result<NonNull<T>, Fault> {
        // SAFETY: as required of the caller. What is not memory of this decode is not the arena's newest: behind it came the
        // copy of the input, or the message was empty, and had elements on the wire only, behind their tag.
        let grown = unsafe { self.arena.grow_array(ptr, len, old, new, self.budget) };
        let (place, cost) = grown.ok_or(Fault::Memory)?;
        self.budget -= cost;
        Ok(place)
    }

    /// [`grow_array`](Self::grow_array) of values of no known type: the first `len` bytes of `old` move to memory of the
    /// layout `new`.
    ///
    /// # Safety
    /// As there, in bytes; `old` and the size of `new` are multiples of its alignment.
    #[cfg(feature = "reflect")]
    pub(crate) unsafe fn grow_bytes(
        &mut self,
        ptr: NonNull<u8>,
        len: usize,
        old: usize,
        new: Layout,
    ) -> Result<NonNull<u8>, Fault> {
        // SAFETY: as in `grow_array`.
        let grown = unsafe { self.arena.grow_bytes(ptr, len, old, new, self.budget) };
        let (place, cost) = grown.ok_or(Fault::Memory)?;
        self.budget -= cost;
        Ok(place)
    }

    /// Gives back what lies behind the `len` values in memory for `capacity` of them, if it is the newest of this decode.
    ///
    /// # Safety
    /// As [`grow_array`](Self::grow_array), and nothing remembers the memory by its address.
    pub(crate) unsafe fn shrink_array<T: Copy>(
        &mut self,
        ptr: NonNull<T>,
        len: usize,
        capacity: usize,
    ) -> Option<NonNull<T>> {
        // SAFETY: as required of the caller.
        let place = unsafe { self.arena.shrink_array(ptr, len, capacity) }?;
        self.budget += (capacity - len) * size_of::<T>();
        Some(place)
    }

    /// Gives memory for `len` values back that is of no more use, if it is the newest of this decode.
    ///
    /// # Safety
    /// It is of this decode, and nothing refers to it or remembers it by its address.
    pub(crate) unsafe fn free_scratch<T: Copy>(&mut self, ptr: NonNull<T>, len: usize) {
        // SAFETY: as required of the caller.
        if unsafe { self.arena.free_scratch(ptr, len) } {
            self.budget += len * size_of::<T>();
        }
    }

    /// A value in the arena, counted against the budget, with the right to write to it.
    #[inline]
    pub(crate) fn alloc_value<T: Copy>(&mut self, value: T) -> Result<NonNull<T>, Fault> {
        self.alloc_with(|| value)
    }

    /// [`alloc_value`](Self::alloc_value) of a value that is made in place.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn alloc_with<T: Copy>(&mut self, value: impl FnOnce() -> T) -> Result<NonNull<T>, Fault> {
        let ptr = self.alloc(Layout::new::<T>()).ok_or(Fault::Memory)?.cast::<T>();
        // SAFETY: fresh memory of T's layout.
        unsafe { ptr.write(value()) };
        Ok(ptr)
    }

    /// Bytes that may still be allocated.
    pub(crate) fn budget(&self) -> usize {
        self.budget
    }

    /// Ends the decode: what it allocated stays.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn keep(&self) {
        self.arena.keep_all();
    }

    /// Ends the decode: its memory is free again.
    ///
    /// # Safety
    /// Nothing refers to it any more, and this context is not used any more.
    #[cold]
    pub(crate) unsafe fn roll_back(&self) {
        // SAFETY: as required of the caller.
        unsafe { self.arena.roll_back(self.mark) };
    }

    /// What is left of the limits.
    pub(crate) fn limits(&self) -> Limits {
        self.limits
    }

    /// A value in the arena, counted against the budget, that nothing writes to any more.
    pub(crate) fn alloc_shared<T: Copy>(&mut self, value: T) -> Result<&'arena T, Fault> {
        let place = self.alloc_value(value)?;
        // SAFETY: initialised just now, in memory that lives for 'arena unless the decode fails, and then nothing of it
        // is left; the pointer is not kept.
        Ok(unsafe { place.as_ref() })
    }

    /// Whether unknown fields are kept.
    pub(crate) fn keeps_unknown(&self) -> bool {
        self.keep_unknown
    }

    /// What may still be kept of unknown fields.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn unknown_left(&self) -> u32 {
        self.limits.unknown
    }

    /// Takes back what was counted since [that](Self::unknown_left) was left, because it is not kept.
    pub(crate) fn uncount_unknown(&mut self, left: u32) {
        self.limits.unknown = left;
    }

    /// Counts bytes of unknown fields that are kept.
    pub(crate) fn keep_unknown_bytes(&mut self, bytes: usize) -> Result<(), Fault> {
        let left = (self.limits.unknown as usize).checked_sub(bytes).ok_or(Fault::UnknownBytes)?;
        // No more than before.
        self.limits.unknown = left as u32;
        Ok(())
    }

    /// Counts elements of repeated fields or entries of maps.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn count_elements(&mut self, count: usize) -> Result<(), Fault> {
        if self.counts_elements() {
            // An element takes a byte of the input at least, so that there are fewer than four billion.
            let left = self.limits.elements.checked_sub(count as u32);
            self.limits.elements = left.filter(|left| *left > 0).ok_or(Fault::Elements)?;
        }
        Ok(())
    }

    /// Whether the number of elements is limited.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn counts_elements(&self) -> bool {
        self.limits.elements != 0
    }

    /// Whether a field is empty and its elements need not be counted.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn begins_uncounted(&self, len: usize) -> bool {
        len | self.limits.elements as usize == 0
    }

    /// Whether so many elements may still be read.
    pub(crate) fn has_elements_left(&self, count: usize) -> Result<(), Fault> {
        if self.counts_elements() && count >= self.limits.elements as usize { Err(Fault::Elements) } else { Ok(()) }
    }

    /// Enters a message or group.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn descend(&mut self) -> Result<(), Fault> {
        match self.limits.depth.checked_sub(1) {
            Some(depth) => {
                self.limits.depth = depth;
                Ok(())
            }
            None => Err(Fault::Recursion),
        }
    }

    /// Leaves it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn ascend(&mut self) {
        self.limits.depth += 1;
    }

    /// Records a fault at a position, and gives the null cursor that means so.
    #[cold]
    #[inline(never)]
    pub(crate) fn failed(&mut self, fault: Fault, ptr: *const u8) -> Cursor {
        if fault != Fault::Recorded && self.record.is_none() {
            // A position behind the end of the input is the end: that is where the bytes ran out.
            let offset = self.offset(ptr).min(self.len);
            self.record = Some(Record { fault, offset, path: Vec::new(), number: None, in_entry: false });
        }
        Cursor::FAILED
    }

    /// [`failed`](Self::failed) where a fault is returned.
    #[cold]
    #[inline(never)]
    pub(crate) fn fault(&mut self, fault: Fault, ptr: *const u8) -> Fault {
        let _ = self.failed(fault, ptr);
        Fault::Recorded
    }

    /// Adds a message and one of its fields to the place of the recorded fault.
    #[cold]
    #[inline(never)]
    pub(crate) fn trace(&mut self, message: &'static str, field: Option<&'static str>, number: u32) {
        if let Some(record) = &mut self.record {
            if field.is_none() && record.path.is_empty() {
                record.number = Some(number);
            }
            // A path that there is no memory for ends early.
            if record.path.try_reserve(1).is_ok() {
                record.path.push((message, field.unwrap_or("")));
            }
        }
    }

    /// Whether the recorded fault is a malformed tag, in the message that adds the first name to its place.
    pub(crate) fn is_tag_fault(&self) -> bool {
        let is_it = |record: &Record| record.fault == Fault::Tag && record.path.is_empty() && !record.in_entry;
        self.record.as_ref().is_some_and(is_it)
    }

    /// Notes that the recorded fault is in a map's entry.
    pub(crate) fn in_entry(&mut self) {
        if let Some(record) = &mut self.record {
            record.in_entry = true;
        }
    }

    /// The recorded fault.
    pub(crate) fn take_record(&mut self) -> Option<Record> {
        self.record.take()
    }

    /// Whether a message that ends without all of its required fields may be completed by its next occurrence. Then it
    /// is remembered.
    #[cold]
    #[inline(never)]
    pub(crate) fn waits_for(&mut self, address: usize, seen: &[u64], end: *const u8) -> bool {
        let Some(incomplete) = self.incomplete.as_deref_mut() else { return false };
        let mut copy = Vec::new();
        if copy.try_reserve_exact(seen.len()).is_ok() {
            copy.extend_from_slice(seen);
            let (depth, end) = (self.limits.depth, end.addr().wrapping_sub(self.window));
            if let Some(waits) = incomplete.insert(IncompleteMessage { address, depth, end, seen: copy }) {
                return waits;
            }
        }
        let _ = self.failed(Fault::Memory, end);
        false
    }

    /// The required fields that an earlier occurrence brought: all, unless this decode waits for some.
    #[cold]
    #[inline(never)]
    pub(crate) fn seen_before<const N: usize>(&mut self, address: usize, all: [u64; N]) -> [u64; N] {
        let depth = self.limits.depth;
        let message = self.incomplete.as_deref_mut().and_then(|incomplete| incomplete.remove(address, depth));
        message.and_then(|message| message.seen.try_into().ok()).unwrap_or(all)
    }

    /// Notes that a message begins that did not occur before. Where one is read that will be copied from there, as the value of
    /// a map's entry, the one before it was at the same address.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn begins(&mut self, address: usize) {
        if let Some(incomplete) = self.incomplete.as_deref_mut() {
            incomplete.seal(address);
        }
    }

    /// Notes that a message of so many bytes was copied to be written to, with those that it holds inline.
    pub(crate) fn moved(&mut self, from: usize, to: usize, size: usize) {
        if let Some(incomplete) = self.incomplete.as_deref_mut() {
            incomplete.follow(from, to, size);
        }
    }

    /// Memory that this decode reopened before, with the right to write to it.
    pub(crate) fn find_reopened(&self, address: usize) -> Option<Reopened> {
        let mask = self.reopened.len().checked_sub(1)?;
        let mut slot = hash(address) & mask;
        loop {
            let entry = *self.reopened.get(slot)?;
            if entry.ptr.is_null() {
                return None;
            }
            if entry.ptr.addr() == address {
                return Some(entry);
            }
            slot = (slot + 1) & mask;
        }
    }

    /// Remembers memory of this decode that may be written to when its field occurs again.
    pub(crate) fn remember_reopened(&mut self, entry: Reopened) -> Result<(), Fault> {
        if self.reopened_len * 2 >= self.reopened.len() {
            self.grow_reopened()?;
        }
        if self.insert_reopened(entry) {
            self.reopened_len += 1;
        }
        Ok(())
    }

    fn insert_reopened(&mut self, entry: Reopened) -> bool {
        let mask = self.reopened.len() - 1;
        let mut slot = hash(entry.ptr.addr()) & mask;
        loop {
            let Some(found) = self.reopened.get_mut(slot) else { return false };
            let new = found.ptr.is_null();
            if new || found.ptr.addr() == entry.ptr.addr() {
                *found = entry;
                return new;
            }
            slot = (slot + 1) & mask;
        }
    }

    fn grow_reopened(&mut self) -> Result<(), Fault> {
        let len = (self.reopened.len() * 2).max(16);
        let table = self.alloc_array::<Reopened>(len)?;
        for index in 0..len {
            // SAFETY: `index` is in the fresh table.
            unsafe { table.add(index).write(Reopened { ptr: core::ptr::null_mut(), capacity: 0, first: (0, 0) }) };
        }
        // SAFETY: `len` entries of fresh arena memory, all written above, that nothing else points to.
        let table = unsafe { core::slice::from_raw_parts_mut(table.as_ptr(), len) };
        for entry in core::mem::replace(&mut self.reopened, table).iter().filter(|entry| !entry.ptr.is_null()) {
            self.insert_reopened(*entry);
        }
        Ok(())
    }
}

/// The safe end while reading stands at `ptr`, where a string's length may stand: at most as far behind as lets the longest
/// string end there that is allowed.
#[cfg_attr(not(debug_assertions), inline(always))]
fn string_window(ptr: *const u8, last_safe: *const u8, limits: Limits) -> *const u8 {
    let left = last_safe.addr().wrapping_sub(ptr.addr());
    // The length takes a byte.
    let most = (limits.string as usize).saturating_add(1);
    if left <= most { last_safe } else { ptr.wrapping_add(most) }
}

/// Fibonacci hashing; the low bits of an address are its alignment.
fn hash(address: usize) -> usize {
    ((address as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize
}
