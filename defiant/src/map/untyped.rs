//! Maps of which only the layout of an entry is known: those of messages whose types were made at run time.
#![expect(unsafe_code, reason = "entries are found by their size")]

use core::alloc::Layout;
use core::ptr::NonNull;

use super::sort::{Keys, number, sort_keys};
use crate::arena::Arena;
use crate::descriptor::{MapAccess, Plain};
use crate::wire::context::{Context, Fault, PendingMap};

/// What a field holds: null for an empty map.
///
/// Invariant: as of [`Map`](super::Map), with entries of the access.
pub(crate) type Slot = Option<NonNull<Header>>;

pub(crate) struct Header {
    access: NonNull<MapAccess>,
    entries: NonNull<u8>,
    len: usize,
    capacity: usize,
    /// Whether a decode in progress owns the header and may write to it.
    pending: bool,
    /// As in [`Map`](super::Map)'s.
    counted: u32,
    /// The map that was begun before this one in the same decode.
    previous: Option<PendingMap>,
}

/// Where the entries of a map are, and how many: [`MapAccess::entries`].
///
/// # Safety
/// The pointer is to a [`Slot`].
pub(crate) unsafe fn entries(at: *const u8) -> (*const u8, usize) {
    // SAFETY: as required of the caller.
    match unsafe { *at.cast::<Slot>() } {
        None => (core::ptr::null(), 0),
        Some(header) => {
            // SAFETY: a header lives as long as what refers to it, and is not written to any more.
            let header = unsafe { header.as_ref() };
            (header.entries.as_ptr().cast_const(), header.len)
        }
    }
}

/// Makes a map of entries in any order: [`MapAccess::build`].
///
/// # Safety
/// As there.
pub(crate) unsafe fn build(access: &MapAccess, at: *mut u8, entries: *mut u8, len: usize, arena: &Arena) -> bool {
    let Some(entries) = NonNull::new(entries).filter(|_| len > 0) else {
        // SAFETY: as required of the caller.
        unsafe { at.cast::<Slot>().write(None) };
        return true;
    };
    let Some(place) = arena.try_alloc(Layout::new::<Header>()).map(NonNull::cast::<Header>) else { return false };
    let mut left = len;
    // SAFETY: `len` entries of the access.
    if !unsafe { is_sorted(access, entries, len) } {
        let order = u32::try_from(len).ok().and_then(|_| Layout::array::<u64>(len).ok());
        let Some(order) = order.and_then(|layout| arena.try_alloc(layout)).map(NonNull::cast) else { return false };
        // SAFETY: as above, with nothing else referring to them; memory for `len` numbers.
        left = unsafe { sort(access, entries, len, order) };
        // SAFETY: nothing refers to it any more.
        unsafe { arena.free_scratch(order, len) };
    }
    let access = NonNull::from(access);
    let header = Header { access, entries, len: left, capacity: left, pending: false, counted: 0, previous: None };
    // SAFETY: fresh memory of the header's layout.
    unsafe { place.write(header) };
    // SAFETY: as required of the caller.
    unsafe { at.cast::<Slot>().write(Some(place)) };
    true
}

/// Memory for one more entry of a map that is decoded; `following` says how many at least are known to come.
///
/// # Safety
/// The slot is a map of the access.
pub(crate) unsafe fn reserve<'arena>(
    slot: &mut Slot,
    access: &MapAccess,
    following: impl FnOnce(&Context<'arena>) -> usize,
    cx: &mut Context<'arena>,
) -> Result<NonNull<u8>, Fault> {
    let mut header = match *slot {
        // SAFETY: a header lives as long as what refers to it.
        Some(header) if unsafe { header.as_ref() }.pending => header,
        _ => begin(slot, access, cx)?,
    };
    // SAFETY: a pending header belongs to the decode in progress, which is this one, as in `map::push`.
    let header = unsafe { header.as_mut() };
    let size = access.entry.size();
    if header.len == header.capacity {
        let following = following(cx).max(1);
        super::count(header.len, &mut header.counted, following, cx)?;
        let more = following.max(header.len);
        let capacity = header.len.checked_add(more).ok_or(Fault::Memory)?;
        let bytes = capacity.checked_mul(size).ok_or(Fault::Memory)?;
        let room = Layout::from_size_align(bytes, access.entry.align()).map_err(|_| Fault::Memory)?;
        // SAFETY: `len` initialised entries; those of this decode are referred to by the header only.
        header.entries = unsafe { cx.grow_bytes(header.entries, header.len * size, header.capacity * size, room)? };
        header.capacity = capacity;
    }
    // SAFETY: below the capacity.
    Ok(unsafe { header.entries.add(header.len * size) })
}

/// Counts the entry that was written where [`reserve`] said.
///
/// # Safety
/// It was, and nothing else happened to the map since.
pub(crate) unsafe fn count(slot: &mut Slot) {
    if let Some(header) = slot {
        // SAFETY: as in `reserve`.
        unsafe { header.as_mut() }.len += 1;
    }
}

/// Gives a map a header of this decode, with the entries that it has.
fn begin(slot: &mut Slot, access: &MapAccess, cx: &mut Context<'_>) -> Result<NonNull<Header>, Fault> {
    // SAFETY: a slot.
    let (old, len) = unsafe { entries(core::ptr::from_ref(slot).cast()) };
    let header = cx.alloc_array::<Header>(1)?;
    // Entries of another decode are not written to: without spare capacity, the next one copies them.
    let content = Header {
        access: NonNull::from(access),
        entries: NonNull::new(old.cast_mut()).unwrap_or(NonNull::dangling()),
        len,
        capacity: len,
        pending: true,
        counted: len as u32,
        previous: cx.pending_map.take(),
    };
    // SAFETY: fresh memory of the header's layout.
    unsafe { header.write(content) };
    cx.pending_map = Some(PendingMap { header: header.cast(), finish });
    *slot = Some(header);
    Ok(header)
}

/// Sorts a map at the end of its decode.
///
/// # Safety
/// `header` points to the pending [`Header`] of a map of this decode.
unsafe fn finish(header: NonNull<u8>, cx: &mut Context<'_>) -> Result<(), Fault> {
    // SAFETY: as required of the caller; no other reference to it exists during the call.
    let header = unsafe { header.cast::<Header>().as_mut() };
    cx.pending_map = header.previous.take();
    super::count(header.len, &mut header.counted, 0, cx)?;
    // SAFETY: an access lives as long as the types of the messages that are decoded.
    let access = unsafe { header.access.as_ref() };
    // SAFETY: `len` entries of the access.
    if !unsafe { is_sorted(access, header.entries, header.len) } {
        if u32::try_from(header.len).is_err() {
            return Err(Fault::Memory);
        }
        let order = cx.alloc_array::<u64>(header.len)?;
        // SAFETY: entries out of order were appended by this decode, to memory of its own; fresh memory for the numbers.
        let left = unsafe { sort(access, header.entries, header.len, order) };
        // SAFETY: nothing refers to it any more.
        unsafe { cx.free_scratch(order, header.len) };
        header.len = left;
    }
    header.pending = false;
    Ok(())
}

/// Calls a function with the keys of entries as those of their type.
macro_rules! with_keys {
    ($access:expr, $entries:expr, $len:expr, |$keys:ident| $do:expr) => {{
        let first = $entries.as_ptr().cast_const().wrapping_add($access.key_offset);
        let stride = $access.entry.size();
        macro_rules! of {
            ($key:ty) => {{
                // SAFETY: as many keys of this type, by the access.
                let $keys = unsafe { Keys::<'_, $key>::new(first, stride, $len) };
                $do
            }};
        }
        match $access.key {
            Plain::Bool => of!(bool),
            Plain::I64 => of!(i64),
            Plain::U32 => of!(u32),
            Plain::U64 => of!(u64),
            Plain::Str => of!(&str),
            // No other types are keys.
            _ => of!(i32),
        }
    }};
}

/// Whether entries are strictly ascending by their keys.
///
/// # Safety
/// `len` entries of the access.
unsafe fn is_sorted(access: &MapAccess, entries: NonNull<u8>, len: usize) -> bool {
    // `sort` checks that there are no more than fit.
    with_keys!(access, entries, len, |keys| (1..len).all(|index| {
        // SAFETY: `index` and the one before are less than `len`.
        let (before, here) = unsafe { (keys.get((index - 1) as u32), keys.get(index as u32)) };
        before < here
    }))
}

/// Sorts entries, keeps the last of equal keys, and returns how many are left at the front.
///
/// # Safety
/// `len` entries of the access that nothing else refers to, and memory for as many numbers.
unsafe fn sort(access: &MapAccess, entries: NonNull<u8>, len: usize, order: NonNull<u64>) -> usize {
    // SAFETY: as required of the caller.
    unsafe { order.write_bytes(0, len) };
    // SAFETY: written just now.
    let order = unsafe { core::slice::from_raw_parts_mut(order.as_ptr(), len) };
    with_keys!(access, entries, len, |keys| sort_keys(&keys, order));
    let size = access.entry.size();
    // SAFETY: one of the entries.
    let entry = |index: usize| unsafe { entries.add(index * size) };
    // Entry `order[i]` belongs at `i`: each cycle of that permutation is walked once.
    for start in 0..len {
        let mut at = start;
        loop {
            let from = number(core::mem::replace(&mut order[at], at as u64)) as usize;
            if from == start || from == at {
                break;
            }
            // SAFETY: two entries.
            unsafe { core::ptr::swap_nonoverlapping(entry(at).as_ptr(), entry(from).as_ptr(), size) };
            at = from;
        }
    }
    let mut kept = 0;
    for index in 0..len {
        let last_of_equal = with_keys!(access, entries, len, |keys| {
            // SAFETY: `index` is less than `len`, and the one behind it where it is asked for.
            index + 1 == len || unsafe { keys.get(index as u32) != keys.get((index + 1) as u32) }
        });
        if last_of_equal {
            // SAFETY: two entries, or the same.
            unsafe { entry(kept).copy_from(entry(index), size) };
            kept += 1;
        }
    }
    kept
}
