//! The input of a decode: borrowed, or copied into the arena with its slack.
#![expect(unsafe_code, reason = "pads the copied input, and keeps its bounds")]

use core::alloc::Layout;
use core::ptr::NonNull;

use bytes::Buf;

use super::DecodeOptions;
use crate::arena::{self, Arena, Mark};
use crate::error::DecodeError;
use crate::wire::SLACK;
use crate::wire::context::Fault;
use crate::wire::tag::wire_type;

/// The bounds of an input that lives for `'arena`.
#[derive(Debug)]
pub struct Input<'arena> {
    pub(super) base: *const u8,
    pub(super) len: usize,
    pub(super) padded: bool,
    pub(super) arena: &'arena Arena,
    /// Where the arena was before the copy of the input, if there is one.
    pub(super) mark: Mark,
    /// What is left of the memory limit.
    pub(super) budget: usize,
}

impl<'arena> Input<'arena> {
    /// Copies the input into the arena, with SLACK zeros behind it, aligned behind `lead` bytes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn copy(
        wire: &[u8],
        lead: usize,
        arena: &'arena Arena,
        options: &DecodeOptions,
    ) -> Result<Self, DecodeError> {
        let input = Self::room(wire.len(), lead, arena, options)?;
        // SAFETY: fresh memory for `wire.len()` bytes and the slack.
        unsafe { arena::copy(wire.as_ptr(), input.base.cast_mut(), wire.len()) };
        Ok(input)
    }

    /// Copies an input in pieces.
    pub(crate) fn gather(
        wire: &mut impl Buf,
        arena: &'arena Arena,
        options: &DecodeOptions,
    ) -> Result<Self, DecodeError> {
        let lead = lead(wire.chunk(), wire.remaining());
        let mut input = Self::room(wire.remaining(), lead, arena, options)?;
        let mut filled = 0;
        while filled < input.len {
            let piece = wire.chunk();
            let count = piece.len().min(input.len - filled);
            if count == 0 {
                break;
            }
            // SAFETY: `filled + count <= len`, so in the fresh memory.
            let place = unsafe { input.base.cast_mut().add(filled) };
            // SAFETY: as above; the piece is not in this fresh memory.
            unsafe { arena::copy(piece.as_ptr(), place, count) };
            wire.advance(count);
            filled += count;
        }
        // A `Buf` that breaks its promise and has less than it said is an input that ends early.
        // SAFETY: `filled <= len`: the rest of the fresh memory and its slack.
        unsafe { input.base.cast_mut().add(filled).write_bytes(0, input.len - filled + SLACK) };
        input.len = filled;
        Ok(input)
    }

    /// A copy, aligned for the first field if that may be worth it.
    pub(crate) fn copy_aligned(
        wire: &[u8],
        arena: &'arena Arena,
        options: &DecodeOptions,
    ) -> Result<Self, DecodeError> {
        Self::copy(wire, lead(wire, wire.len()), arena, options)
    }

    /// An input of `len` bytes that `fill` reads piece by piece. Each piece is zero before. When `fill` returns `false`, the
    /// memory is given back.
    ///
    /// The length is only announced, so memory follows the bytes that arrive: beyond [`AHEAD`] bytes, none is taken before
    /// as many bytes were read, unless the arena's chunk has it. Bytes are then collected in a vector, which grows with them.
    #[cfg(feature = "std")]
    pub(crate) fn filled(
        len: usize,
        arena: &'arena Arena,
        options: &DecodeOptions,
        fill: &mut dyn FnMut(&mut [u8]) -> bool,
    ) -> Result<Self, DecodeError> {
        let size = len.saturating_add(SLACK + ALIGN_INPUT);
        // What the limits do not allow fails before a byte is read.
        let allowed = len <= options.size_limit as usize && size <= options.memory_limit;
        if len > AHEAD && allowed && size > arena.chunk_capacity() && arena.may_reserve(size) {
            return Self::collected(len, arena, options, fill);
        }
        let input = Self::room(len, 0, arena, options)?;
        let mut filled = 0;
        while filled < len {
            let count = filled.max(AHEAD).min(len - filled);
            // SAFETY: `filled + count <= len`: in the fresh memory before the slack.
            let place = unsafe { input.base.cast_mut().add(filled) };
            // SAFETY: `count` bytes of the fresh memory.
            unsafe { place.write_bytes(0, count) };
            // SAFETY: initialised just now, and nothing else refers to them.
            if !fill(unsafe { core::slice::from_raw_parts_mut(place, count) }) {
                // SAFETY: nothing was made since the mark but this memory, which nothing refers to any more.
                unsafe { arena.roll_back(input.mark) };
                return Err(DecodeError::at(Fault::Truncated, len));
            }
            filled += count;
        }
        Ok(input)
    }

    /// An input that is collected in a vector, and then copied to the arena.
    #[cfg(feature = "std")]
    #[cold]
    #[inline(never)]
    fn collected(
        len: usize,
        arena: &'arena Arena,
        options: &DecodeOptions,
        fill: &mut dyn FnMut(&mut [u8]) -> bool,
    ) -> Result<Self, DecodeError> {
        let mut bytes = alloc::vec::Vec::new();
        while bytes.len() < len {
            let filled = bytes.len();
            let count = filled.max(AHEAD).min(len - filled);
            if bytes.try_reserve_exact(count).is_err() {
                return Err(DecodeError::at(Fault::Memory, 0));
            }
            bytes.resize(filled + count, 0);
            if !bytes.get_mut(filled..).is_some_and(&mut *fill) {
                return Err(DecodeError::at(Fault::Truncated, len));
            }
        }
        Self::copy(&bytes, 0, arena, options)
    }

    /// An input that is in the arena, or lives as long.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn borrow(
        wire: &'arena [u8],
        arena: &'arena Arena,
        options: &DecodeOptions,
    ) -> Result<Self, DecodeError> {
        let (base, len) = (wire.as_ptr(), wire.len());
        if len > options.size_limit as usize {
            return Err(DecodeError::at(Fault::Size, 0));
        }
        Ok(Input { base, len, padded: false, arena, mark: arena.mark(), budget: options.memory_limit })
    }

    /// Memory for an input of `len` bytes, not initialised, and SLACK zeros behind it. Behind its first `lead` bytes, at
    /// most `ALIGN`, it is aligned for every number; 0 asks for no alignment.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn room(
        len: usize,
        lead: usize,
        arena: &'arena Arena,
        options: &DecodeOptions,
    ) -> Result<Self, DecodeError> {
        let exhausted = || DecodeError::at(Fault::Memory, 0);
        if len > options.size_limit as usize {
            return Err(DecodeError::at(Fault::Size, 0));
        }
        let limit = options.memory_limit;
        // Known where this is inlined, so that small inputs do not ask for alignment.
        let spare = if lead == 0 { 0 } else { ALIGN };
        let size = len.checked_add(SLACK + spare).ok_or_else(exhausted)?;
        let budget = limit.checked_sub(size).ok_or_else(exhausted)?;
        // From an aligned address on, what a message takes does not depend on what was in the arena before it.
        let layout = Layout::from_size_align(size, ALIGN_INPUT).map_err(|_| exhausted())?;
        let mark = arena.mark();
        let block = match arena.alloc_in_chunk(layout) {
            Some(block) => block,
            None => Self::in_new_chunk(layout, arena, limit).ok_or_else(exhausted)?,
        };
        // SAFETY: the last `len + SLACK` bytes of the block, or up to `ALIGN` bytes before those.
        let base = unsafe { block.as_ptr().add(spare - lead) };
        // SAFETY: SLACK bytes of fresh memory behind the input.
        unsafe { base.add(len).write_bytes(0, SLACK) };
        Ok(Input { base, len, padded: true, arena, mark, budget })
    }

    /// Memory of the given layout where the arena's chunk has no room for it.
    #[cold]
    #[inline(never)]
    fn in_new_chunk(layout: Layout, arena: &Arena, limit: usize) -> Option<NonNull<u8>> {
        if arena.is_fresh() {
            // One chunk that most messages of this length fit into.
            let size = layout.size();
            arena.reserve(size.saturating_add(size.saturating_mul(4).clamp(512, 1 << 20)).min(limit));
        }
        arena.try_alloc(layout)
    }
}

/// Inputs of this many bytes are worth a look at their first field.
pub(super) const LARGE: usize = 1024;
/// Bytes that an announced length gets memory for before they arrive.
#[cfg(feature = "std")]
const AHEAD: usize = 32 << 10;
/// The alignment of the input's copy: no value needs more.
const ALIGN_INPUT: usize = 16;
/// The largest alignment of a number, in bytes.
const ALIGN: usize = 8;

/// Bytes before the value of the first field, if it is length-delimited and makes up most of a large input: if it is
/// a packed field of fixed width, its elements are borrowed where they are aligned. Reduced to `1..=ALIGN`; else 0.
#[inline(never)]
pub(super) fn lead(wire: &[u8], len: usize) -> usize {
    if len < LARGE {
        return 0;
    }
    let Some(tag_len) = wire.iter().take(5).position(|byte| *byte < 0x80).map(|last| last + 1) else { return 0 };
    let Some(bytes) = wire.get(tag_len..) else { return 0 };
    let (mut length, mut length_len) = (0u64, 0);
    for byte in bytes.iter().take(9) {
        length |= u64::from(byte & 0x7f) << (7 * length_len);
        length_len += 1;
        if *byte < 0x80 {
            break;
        }
    }
    let delimited = wire.first().is_some_and(|first| u32::from(first & 7) == wire_type::LENGTH_DELIMITED);
    if delimited && length > len as u64 / 2 { (tag_len + length_len - 1) % ALIGN + 1 } else { 0 }
}
