//! Memory that is filled from its end: an arena's, a vector's, or what somebody lends, until it turns out to be too small.
#![expect(unsafe_code, reason = "moves what was written from memory to memory")]

use alloc::vec::Vec;
use core::fmt;
use core::mem::MaybeUninit;

use super::writer::{Excess, Levels};
use crate::arena::{self, Arena, Block};

/// Bytes that a tag and a scalar take at most: 5 and 10.
pub(super) const SCALAR: usize = 16;

/// Memory that is filled from its end.
#[derive(Debug)]
pub(crate) struct Buffer<'a> {
    /// First byte that may be written.
    start: *mut u8,
    /// One past the last byte.
    end: *mut u8,
    /// The lowest address with room for [`SCALAR`] bytes before it, so that to ask for that takes one comparison.
    scalar_from: usize,
    /// The levels of nested messages that may still be written.
    pub(super) levels: Levels,
    memory: Memory<'a>,
}

/// Where the bytes `start..end` live.
#[derive(Debug)]
enum Memory<'a> {
    Arena(&'a Arena, Block),
    Heap(Vec<u8>),
    /// Of somebody who lends it for `'a`, for as long as there is room.
    Scratch(Overflow<'a>),
    /// Exactly as long as the message.
    Exact(Place, Guard),
    /// A guard, because so many bytes of the place are left to be written that what comes next could need more.
    Front(Place, usize),
    /// Of a message that is refused: what is written is overwritten. A scratch of this length, or a vector.
    Refused(usize, Vec<u8>),
}

/// Memory of the message's length, where the message is to be.
#[derive(Debug)]
struct Place {
    start: *mut u8,
    len: usize,
    /// Whose memory it is; of somebody who lends it for the buffer's lifetime if there is none.
    vec: Option<Vec<u8>>,
}

impl Place {
    fn new(room: Room<'_>) -> Self {
        match room {
            Room::Lent(memory) => Place { start: memory.as_mut_ptr().cast(), len: memory.len(), vec: None },
            Room::Heap(len) => {
                let mut vec = Vec::with_capacity(len);
                Place { start: vec.as_mut_ptr(), len, vec: Some(vec) }
            }
            Room::Refused(_) => Place { start: core::ptr::null_mut(), len: 0, vec: None },
        }
    }

    /// As it was lent, with so many bytes written to its front.
    ///
    /// # Safety
    /// The first `written` bytes are initialised.
    unsafe fn finish(self, written: usize) -> Written {
        match self.vec {
            None => Written::Lent(written),
            Some(mut vec) => {
                // SAFETY: initialised, and so not more than the capacity.
                unsafe { vec.set_len(written) };
                Written::Heap(vec)
            }
        }
    }
}

/// Memory that the front of a message is written to, before it is copied to its place: a field is written with stores that
/// may touch more bytes than it takes.
#[derive(Clone, Copy, Debug)]
struct Guard {
    start: *mut u8,
    len: usize,
}

/// What a scratch's owner says when it is full.
struct Overflow<'a>(&'a mut dyn FnMut() -> Room<'a>);

impl fmt::Debug for Overflow<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Overflow")
    }
}

/// Where a message belongs whose length is known.
#[derive(Debug)]
pub(crate) enum Room<'a> {
    /// In memory of that length that is lent.
    Lent(&'a mut [MaybeUninit<u8>]),
    /// In a new vector, with so many bytes.
    Heap(usize),
    /// Nowhere: the message is refused.
    Refused(Excess),
}

impl<'a> Buffer<'a> {
    /// Writes into what is left of an arena's chunk.
    pub(crate) fn in_arena(arena: &'a Arena) -> Self {
        let free = arena.chunk_capacity();
        Buffer::in_block(arena, if free < 256 { 1024 } else { free })
    }

    /// Writes into a vector's memory, whose content is dropped.
    pub(crate) fn in_vec(mut vec: Vec<u8>) -> Self {
        vec.clear();
        let (start, len) = (vec.as_mut_ptr(), vec.capacity());
        Buffer::of(start, len, Memory::Heap(vec))
    }

    /// Writes into memory that is lent, and asks `overflow` for more where that is too small: for as much as the message takes.
    /// The message then goes on there, and the scratch is its guard.
    pub(crate) fn in_scratch(
        memory: &'a mut [MaybeUninit<u8>],
        overflow: &'a mut (dyn FnMut() -> Room<'a> + 'a),
    ) -> Self {
        Buffer::of(memory.as_mut_ptr().cast(), memory.len(), Memory::Scratch(Overflow(overflow)))
    }

    /// Writes into room for exactly the message. What is written at once, but for bytes, is to be at most as long as the
    /// guard.
    pub(crate) fn in_room(room: Room<'a>, guard: &'a mut [MaybeUninit<u8>]) -> Self {
        Buffer::in_place(room, Guard { start: guard.as_mut_ptr().cast(), len: guard.len() })
    }

    fn in_place(room: Room<'a>, guard: Guard) -> Self {
        let place = Place::new(room);
        Buffer::of(place.start, place.len, Memory::Exact(place, guard))
    }

    /// So many bytes of this memory.
    fn of(start: *mut u8, len: usize, memory: Memory<'a>) -> Self {
        let (end, scalar_from) = (start.wrapping_add(len), start.addr().saturating_add(SCALAR));
        Buffer { start, end, scalar_from, levels: Levels::ALL, memory }
    }

    /// Goes on in the memory of another buffer.
    fn move_to(&mut self, other: Self) {
        *self = Buffer { levels: self.levels, ..other };
    }

    /// Why the message is refused, if it is.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn excess(&self) -> Option<Excess> {
        self.levels.excess()
    }

    /// Writes into so many bytes of an arena.
    fn in_block(arena: &'a Arena, len: usize) -> Self {
        let Some(block) = arena.take_block(len) else { exhausted() };
        Buffer::of(block.start.as_ptr(), len, Memory::Arena(arena, block))
    }

    /// The end of the memory, where writing begins.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn end(&self) -> *mut u8 {
        self.end
    }

    /// The lowest address with room for [`SCALAR`] bytes before it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn scalar_from(&self) -> usize {
        self.scalar_from
    }

    /// Bytes written so far. The end of a guard is as far away as if the whole message was in it, which may be behind the last
    /// address.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn written(&self, pos: *mut u8) -> usize {
        self.end.addr().wrapping_sub(pos.addr())
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn room(&self, pos: *mut u8) -> usize {
        pos.addr() - self.start.addr()
    }

    /// Moves to where there is room for `need` more bytes; the new position.
    #[cold]
    #[inline(never)]
    pub(super) fn grow(&mut self, mut pos: *mut u8, need: usize) -> *mut u8 {
        while self.room(pos) < need {
            pos = self.advance(pos, need);
        }
        pos
    }

    /// Moves on to the next memory, which has room for `need` more bytes unless it is the message's place.
    fn advance(&mut self, pos: *mut u8, need: usize) -> *mut u8 {
        let written = self.written(pos);
        match &mut self.memory {
            Memory::Scratch(Overflow(overflow)) => {
                let guard = Guard { start: self.start, len: self.end.addr() - self.start.addr() };
                let room = overflow();
                let len = match &room {
                    Room::Lent(memory) => memory.len(),
                    Room::Heap(len) => *len,
                    Room::Refused(excess) => {
                        self.levels.refuse(*excess);
                        self.memory = Memory::Refused(guard.len, Vec::new());
                        return self.overwrite(written, need.min(guard.len));
                    }
                };
                if len >= written {
                    self.move_to(Buffer::in_place(room, guard));
                    let new = self.end.wrapping_sub(written);
                    // SAFETY: `written` initialised bytes of the scratch, which is lent for `'a`; the place is as long, and
                    // memory of its own.
                    unsafe { copy_long(pos, new, written) };
                    return new;
                }
            }
            Memory::Exact(place, guard) if need <= guard.len => {
                let left = pos.addr() - self.start.addr();
                let place = Place { vec: place.vec.take(), ..*place };
                let (guard, new) = (*guard, guard.start.wrapping_add(guard.len));
                self.move_to(Buffer::of(guard.start, guard.len, Memory::Front(place, left)));
                self.end = new.wrapping_add(written);
                return new;
            }
            Memory::Refused(..) => return self.overwrite(written, need),
            _ => {}
        }
        self.relocate(pos, need)
    }

    /// Begins again at the end of the memory of a message that is refused, with room for `need` bytes.
    fn overwrite(&mut self, written: usize, need: usize) -> *mut u8 {
        if let Memory::Refused(len, vec) = &mut self.memory {
            if *len < need {
                *vec = Vec::with_capacity(need);
                (*len, self.start) = (need, vec.as_mut_ptr());
                self.scalar_from = self.start.addr().saturating_add(SCALAR);
            }
            let new = self.start.wrapping_add(*len);
            self.end = new.wrapping_add(written);
            return new;
        }
        self.end
    }

    /// Moves to larger memory of the same kind, or to a vector: where it is in place, the message is longer than was said.
    fn relocate(&mut self, pos: *mut u8, need: usize) -> *mut u8 {
        let written = self.written(pos);
        let (front, back) = self.parts(pos);
        let held =
            if let Memory::Front(place, _) = &self.memory { place.len } else { self.end.addr() - self.start.addr() };
        let Some(len) = written.checked_add(need).and_then(|len| len.checked_add(held).map(|sum| sum.max(512))) else {
            exhausted()
        };
        let arena = if let Memory::Arena(arena, _) = self.memory { Some(arena) } else { None };
        let old = core::mem::replace(&mut self.memory, Memory::Heap(Vec::new()));
        self.move_to(match arena {
            // The arena bumps downward, so a block cannot grow in place.
            Some(arena) => Buffer::in_block(arena, len),
            None => Buffer::in_vec(Vec::with_capacity(len)),
        });
        let mut new = self.end;
        for (from, len) in [back, front] {
            new = new.wrapping_sub(len);
            // SAFETY: the old memory is alive, in `old` or lent for `'a`, with `len` initialised bytes at `from`; the new
            // memory is longer than all that was written, and an allocation of its own.
            unsafe { from.copy_to_nonoverlapping(new, len) };
        }
        // An old block is not the arena's last allocation any more, so giving it back would free nothing: it stays until the
        // arena is reset.
        drop(old);
        new
    }

    /// What was written, each with its length: what is at the position, and what lies elsewhere and comes behind that.
    fn parts(&self, pos: *mut u8) -> ((*mut u8, usize), (*mut u8, usize)) {
        let written = self.written(pos);
        if let Memory::Front(place, left) = &self.memory {
            let back = place.len - left;
            ((pos, written - back), (place.start.wrapping_add(*left), back))
        } else {
            ((pos, written), (pos.wrapping_add(written), 0))
        }
    }

    /// Writes bytes that there is no room for together with a tag and a length; there is for these afterwards.
    #[cold]
    #[inline(never)]
    pub(super) fn put_at_front(&mut self, mut pos: *mut u8, bytes: &[u8]) -> *mut u8 {
        if matches!(self.memory, Memory::Scratch(_)) {
            pos = self.advance(pos, bytes.len().saturating_add(SCALAR));
        }
        if matches!(self.memory, Memory::Refused(..)) {
            return self.grow(pos, SCALAR);
        }
        if !matches!(self.memory, Memory::Exact(..)) || self.room(pos) < bytes.len() {
            pos = self.grow(pos, bytes.len() + SCALAR);
        }
        pos = pos.wrapping_sub(bytes.len());
        // SAFETY: there is room; a shared slice cannot overlap memory that may be written to.
        unsafe { copy_long(bytes.as_ptr(), pos, bytes.len()) };
        self.grow(pos, SCALAR)
    }

    /// Writes bytes that there is no room for.
    #[cold]
    #[inline(never)]
    pub(super) fn put_raw_at_front(&mut self, mut pos: *mut u8, bytes: &[u8]) -> *mut u8 {
        if matches!(self.memory, Memory::Scratch(_)) {
            pos = self.advance(pos, bytes.len());
        }
        if matches!(self.memory, Memory::Refused(..)) {
            return pos;
        }
        pos = self.grow(pos, bytes.len()).wrapping_sub(bytes.len());
        // SAFETY: there is room; a shared slice cannot overlap memory that may be written to.
        unsafe { copy_long(bytes.as_ptr(), pos, bytes.len()) };
        pos
    }

    /// The bytes from `pos` to the end, as a slice of the arena.
    ///
    /// # Safety
    /// `pos` is the position of the last writer of this buffer, which was made by [`in_arena`](Self::in_arena).
    pub(crate) unsafe fn into_arena_slice(self, pos: *mut u8) -> &'a [u8] {
        let written = self.end.addr() - pos.addr();
        match self.memory {
            // SAFETY: everything from `pos` to the end of the block was written.
            Memory::Arena(arena, block) => unsafe { arena.keep_tail(block, written) },
            _ => &[],
        }
    }

    /// The vector with nothing in it, and the bytes from `pos` on, in its spare capacity.
    ///
    /// # Safety
    /// `pos` is the position of the last writer of this buffer, which writes to a vector.
    pub(crate) unsafe fn into_spare(self, pos: *mut u8) -> (Vec<u8>, usize) {
        let written = self.end.addr() - pos.addr();
        match self.memory {
            Memory::Heap(vec) => (vec, written),
            _ => (Vec::new(), 0),
        }
    }

    /// Puts the message where it belongs, or leaves it in the scratch.
    ///
    /// # Safety
    /// `pos` is the position of the last writer of this buffer, which is not in an arena.
    #[inline]
    pub(crate) unsafe fn finish(self, pos: *mut u8) -> Written {
        if let Memory::Scratch(_) = self.memory {
            return Written::Scratch(self.end.addr() - pos.addr());
        }
        // SAFETY: as required of the caller.
        unsafe { self.settle(pos) }
    }

    /// # Safety
    /// As [`finish`](Self::finish).
    #[inline(never)]
    unsafe fn settle(mut self, mut pos: *mut u8) -> Written {
        let written = self.written(pos);
        let (front, back) = self.parts(pos);
        if matches!(&self.memory, Memory::Front(_, left) if front.1 > *left) {
            pos = self.relocate(pos, 0);
        }
        match self.memory {
            Memory::Scratch(_) | Memory::Arena(..) | Memory::Refused(..) => Written::Scratch(written),
            Memory::Heap(mut vec) => {
                // SAFETY: `written` initialised bytes at the end of the vector's memory move to its front, which may overlap.
                unsafe { pos.copy_to(vec.as_mut_ptr(), written) };
                // SAFETY: the first `written` bytes are initialised, and no more than the capacity.
                unsafe { vec.set_len(written) };
                Written::Heap(vec)
            }
            Memory::Exact(place, _) => {
                if pos != place.start {
                    // SAFETY: `written` initialised bytes at the end of the place move to its front, which may overlap.
                    unsafe { pos.copy_to(place.start, written) };
                }
                // SAFETY: as above.
                unsafe { place.finish(written) }
            }
            Memory::Front(place, left) => {
                if front.1 != left {
                    // SAFETY: fewer bytes than are left come before these, which are at the end of the place; they may overlap.
                    unsafe { back.0.copy_to(place.start.wrapping_add(front.1), back.1) };
                }
                // SAFETY: initialised bytes of the guard; the place is of another owner, with room for as many at its front.
                unsafe { copy_short(front.0, place.start, front.1) };
                // SAFETY: `front` and `back`, one after the other.
                unsafe { place.finish(written) }
            }
        }
    }
}

/// Where a message is.
#[derive(Debug)]
pub(crate) enum Written {
    /// So many bytes at the front of memory that was lent.
    Lent(usize),
    /// In a vector.
    Heap(Vec<u8>),
    /// So many bytes at the end of the scratch.
    Scratch(usize),
}

/// No error can be returned from writing into memory that cannot be had; this is what `Vec` does.
#[cold]
#[inline(never)]
fn exhausted() -> ! {
    panic!("out of memory, or the arena's limit is reached, while encoding")
}

/// Copies up to 64 bytes with a few overlapping moves, more with a call.
///
/// # Safety
/// As [`core::ptr::copy_nonoverlapping`].
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) unsafe fn copy_short(from: *const u8, to: *mut u8, len: usize) {
    /// Copies the first and the last `N` bytes, each with a move of that size.
    ///
    /// # Safety
    /// `N <= len`, and as [`core::ptr::copy_nonoverlapping`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn ends<const N: usize>(from: *const u8, to: *mut u8, len: usize) {
        // SAFETY: the first bytes of the ranges.
        unsafe { to.copy_from_nonoverlapping(from, N) };
        let last = len - N;
        // SAFETY: the last bytes of the ranges.
        unsafe { to.add(last).copy_from_nonoverlapping(from.add(last), N) };
    }
    if len > 32 {
        if len > 64 {
            // SAFETY: as required of the caller.
            unsafe { copy_long(from, to, len) };
        } else {
            // SAFETY: 32 < len: the first 32 bytes, and the last.
            unsafe { ends::<16>(from, to, 32) };
            // SAFETY: as above; what the first 32 bytes got is written again with the same bytes.
            unsafe { ends::<16>(from.add(len - 32), to.add(len - 32), 32) };
        }
    } else if len >= 16 {
        // SAFETY: 16 <= len.
        unsafe { ends::<16>(from, to, len) };
    } else if len >= 8 {
        // SAFETY: 8 <= len.
        unsafe { ends::<8>(from, to, len) };
    } else if len >= 4 {
        // SAFETY: 4 <= len.
        unsafe { ends::<4>(from, to, len) };
    } else if len > 0 {
        // SAFETY: 0 < len: the first, the middle and the last byte.
        unsafe { *to.add(len / 2) = *from.add(len / 2) };
        // SAFETY: as above.
        unsafe { ends::<1>(from, to, len) };
    }
}

/// Out of line, so that the rest of what a long copy takes is not in every place that writes a string.
///
/// # Safety
/// As [`core::ptr::copy_nonoverlapping`].
#[inline(never)]
unsafe fn copy_long(from: *const u8, to: *mut u8, len: usize) {
    // SAFETY: as required of the caller.
    unsafe { arena::copy(from, to, len) };
}

/// The last `written` bytes of a vector's memory.
///
/// # Safety
/// A writer filled them: `vec` and `written` come from [`Buffer::into_spare`] and the vector was not touched since.
pub(crate) unsafe fn written_tail(vec: &Vec<u8>, written: usize) -> &[u8] {
    let start = vec.as_ptr().wrapping_add(vec.capacity() - written);
    // SAFETY: initialised by contract, inside the vector's memory, borrowed like the vector.
    unsafe { core::slice::from_raw_parts(start, written) }
}

#[cfg(test)]
mod tests {
    use std::vec;

    use super::*;
    use crate::codec::Uint64;
    use crate::wire::writer::{Counter, Sink, Writer};

    /// Fields of all kinds, the first of which `front` chooses.
    fn write<'m, S: Sink<'m>>(mut sink: S, front: u8, text: &'m [u8], numbers: &[u64]) -> S {
        sink.bytes(18, text);
        sink.enclosed(26, |sink| sink.raw_varints::<Uint64>(numbers));
        match front {
            0 => sink.varint(8, 1),
            1 => sink.varint(8, u64::MAX),
            2 => sink.fixed32(13, 7),
            3 => sink.fixed64(9, 7),
            4 => sink.bytes(10, text),
            5 => sink.enclosed(10, |sink| sink.raw_varints::<Uint64>(numbers)),
            6 => sink.raw(text),
            _ => sink.bytes(10, &[]),
        }
        sink
    }

    /// What was written, by an owner of that memory.
    fn bytes(written: Written, memory: &[MaybeUninit<u8>]) -> Vec<u8> {
        let at = match written {
            Written::Heap(vec) => return vec,
            Written::Lent(len) => &memory[..len],
            Written::Scratch(len) => &memory[memory.len() - len..],
        };
        // SAFETY: written.
        at.iter().map(|byte| unsafe { byte.assume_init() }).collect()
    }

    #[test]
    fn in_place_whatever_length_is_said() {
        let numbers: Vec<u64> = (0..150).map(|n| 1 << (n % 64)).collect();
        let text = [b't'; 700];
        // The guards of the doors are of 4 KiB.
        let (fronts, lens, guards): (&[u8], &[usize], &[usize]) = if cfg!(miri) {
            (&[1, 4, 5], &[65], &[16, 1024])
        } else {
            (&[0, 1, 2, 3, 4, 5, 6, 7], &[0, 1, 15, 16, 17, 31, 32, 64, 65, 300, 700], &[0, 16, 1024, 4096])
        };
        for &front in fronts {
            for &len in lens {
                let (text, numbers) = (&text[..len], &numbers[..len.min(150)]);
                let written = |mut buffer: Buffer<'_>| {
                    let pos = write(Writer::new(&mut buffer), front, text, numbers).position();
                    // SAFETY: where the buffer's writer ended.
                    unsafe { buffer.finish(pos) }
                };
                let expected = bytes(written(Buffer::in_vec(Vec::new())), &[]);
                let len = write(Counter::new(), front, text, numbers).total().expect("short");
                assert_eq!(len, expected.len());
                for said in [len, 0, len - 1, len + 1, len.saturating_sub(20), len + 20, len / 2] {
                    let mut lent = vec![MaybeUninit::uninit(); said];
                    for &guard in guards {
                        let mut guard = vec![MaybeUninit::uninit(); guard];
                        let heap = written(Buffer::in_room(Room::Heap(said), &mut guard));
                        assert_eq!(bytes(heap, &[]), expected, "{front}, {len}, {said}");
                        let place = written(Buffer::in_room(Room::Lent(&mut lent), &mut guard));
                        assert_eq!(bytes(place, &lent), expected, "{front}, {len}, {said}");
                        let mut overflow = || Room::Heap(said);
                        let scratch = written(Buffer::in_scratch(&mut guard, &mut overflow));
                        assert_eq!(bytes(scratch, &guard), expected, "{front}, {len}, {said}");
                        let mut lender = Some(&mut lent);
                        let mut overflow = || Room::Lent(lender.take().expect("it is asked once"));
                        let place = written(Buffer::in_scratch(&mut guard, &mut overflow));
                        let memory = if matches!(place, Written::Lent(_)) { &lent } else { &guard };
                        assert_eq!(bytes(place, memory), expected, "{front}, {len}, {said}");
                    }
                }
            }
        }
    }
}
