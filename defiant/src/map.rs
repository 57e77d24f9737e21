//! Maps: sorted entries with unique keys.
#![expect(unsafe_code, reason = "a map under construction is written to through a pointer that its copies share")]

#[cfg(feature = "reflect")]
#[cfg_attr(
    not(feature = "dynamic"),
    allow(dead_code, reason = "pools make types of all kinds; the feature `reflect` alone only those of extensions")
)]
pub(crate) mod untyped;

mod sort;

use core::alloc::Layout;
use core::borrow::Borrow;
use core::fmt;
use core::marker::PhantomData;
use core::ptr::NonNull;

use crate::arena::{Arena, exhausted};
use crate::wire::context::{Context, Fault, PendingMap};
use sort::{Keys, number, sort_keys};

/// A protobuf map: entries sorted by key, every key once.
///
/// One word in its message; looked up by binary search, iterated and encoded in key order, which makes encodings
/// deterministic. When a key occurs more than once, the last one wins, on the wire and in [`Map::new`].
///
/// ```
/// use defiant::{Arena, Map};
///
/// let arena = Arena::new();
/// let map = Map::new(&arena, [("b", 1), ("a", 2), ("b", 3)]);
/// assert_eq!(map.get("b"), Some(&3));
/// assert!(map.iter().eq([("a", 2), ("b", 3)].iter()));
/// ```
pub struct Map<'arena, K, V> {
    /// Null for an empty map. Once the decode or `new` that made it has ended, the entries are sorted, unique, and
    /// never written to again.
    header: Option<NonNull<Header<K, V>>>,
    entries: PhantomData<&'arena [(K, V)]>,
}

struct Header<K, V> {
    entries: NonNull<(K, V)>,
    len: usize,
    capacity: usize,
    /// Whether a decode in progress owns the header and may write to it.
    pending: bool,
    /// How many entries that decode has counted, or need not count. An input has fewer than four billion.
    counted: u32,
    /// The map that was begun before this one in the same decode.
    previous: Option<PendingMap>,
}

// SAFETY: a map that safe code can reach is an immutable list of entries behind a pointer, like `&[(K, V)]`.
unsafe impl<K: Sync, V: Sync> Send for Map<'_, K, V> {}
// SAFETY: as above.
unsafe impl<K: Sync, V: Sync> Sync for Map<'_, K, V> {}

impl<K, V> Clone for Map<'_, K, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K, V> Copy for Map<'_, K, V> {}

impl<'arena, K, V> Map<'arena, K, V> {
    /// The map without entries.
    pub const EMPTY: Self = Map { header: None, entries: PhantomData };

    /// The entries, ascending by key.
    #[must_use]
    pub fn entries(&self) -> &'arena [(K, V)] {
        match self.header {
            None => &[],
            Some(header) => {
                // SAFETY: a header lives as long as its arena is borrowed; it is not written to any more.
                let header = unsafe { header.as_ref() };
                // SAFETY: `len` initialised entries in the same arena.
                unsafe { core::slice::from_raw_parts(header.entries.as_ptr(), header.len) }
            }
        }
    }

    /// Iterates over the entries, ascending by key.
    pub fn iter(&self) -> core::slice::Iter<'arena, (K, V)> {
        self.entries().iter()
    }

    /// Number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries().len()
    }

    /// Whether there are no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<'arena, K: MapKey, V: Copy> Map<'arena, K, V> {
    /// A map of the given entries, sorted; of entries with the same key, the last one stays.
    ///
    /// # Panics
    /// When memory or the arena's limit is exhausted.
    pub fn new(arena: &'arena Arena, entries: impl IntoIterator<Item = (K, V)>) -> Self {
        Self::kept(arena, Self::try_from_entries(arena, arena.vec_from_iter(entries).into_slice_mut()))
    }

    /// What was made outside of a decode stays, even where a decode is at work whose input makes maps.
    fn kept(arena: &'arena Arena, map: Option<Self>) -> Self {
        arena.keep_all();
        map.unwrap_or_else(|| exhausted())
    }

    /// The same of entries that are in the arena already; `None` when memory or the arena's limit is exhausted.
    pub(crate) fn try_from_entries(arena: &'arena Arena, entries: &'arena mut [(K, V)]) -> Option<Self> {
        if entries.is_empty() {
            return Some(Self::EMPTY);
        }
        let len = sort_in(arena, entries)?;
        Self::of_sorted(arena, entries.get(..len)?)
    }

    /// The same of entries that are sorted and unique.
    fn of_sorted(arena: &'arena Arena, entries: &'arena [(K, V)]) -> Option<Self> {
        if entries.is_empty() {
            return Some(Self::EMPTY);
        }
        let header = arena.try_alloc(Layout::new::<Header<K, V>>())?.cast::<Header<K, V>>();
        let len = entries.len();
        let content = Header {
            entries: NonNull::from(entries).cast(),
            len,
            capacity: len,
            pending: false,
            counted: 0,
            previous: None,
        };
        // SAFETY: fresh memory of the header's layout.
        unsafe { header.write(content) };
        Some(Map { header: Some(header), entries: PhantomData })
    }
}

/// Maps that are made of others, which stay as they are.
impl<'arena, K: MapKey, V: Copy> Map<'arena, K, V> {
    /// The map with one entry more, or, where the key has a value, with another value.
    ///
    /// Entries lie sorted in one piece, so this takes linear time, to copy them, unless the key is greater than all
    /// others: then it takes constant time, amortized, as [`Arena::append`] does. To insert many entries,
    /// use [`extend_in`](Self::extend_in).
    ///
    /// ```
    /// # use defiant::{Arena, Map};
    /// let arena = Arena::new();
    /// let before = Map::new(&arena, [("a", 1), ("c", 3)]);
    /// let after = before.insert_in(&arena, "b", 2).insert_in(&arena, "c", 4);
    /// assert!(after.iter().eq([("a", 1), ("b", 2), ("c", 4)].iter()));
    /// assert!(before.iter().eq([("a", 1), ("c", 3)].iter()));
    /// ```
    ///
    /// # Panics
    /// When memory or the arena's limit is exhausted.
    #[must_use]
    pub fn insert_in(self, arena: &'arena Arena, key: K, value: V) -> Self {
        let entries = self.entries();
        if entries.last().is_none_or(|last| last.0 < key) {
            return Self::kept(arena, Self::of_sorted(arena, arena.append(entries, (key, value))));
        }
        let (before, behind) = match entries.binary_search_by(|entry| entry.0.cmp(&key)) {
            Ok(index) => (entries.get(..index), entries.get(index + 1..)),
            Err(index) => (entries.get(..index), entries.get(index..)),
        };
        let (before, behind) = (before.unwrap_or_default(), behind.unwrap_or_default());
        let mut with = arena.vec_with_capacity(before.len() + 1 + behind.len());
        with.extend_from_slice(before);
        with.push((key, value));
        with.extend_from_slice(behind);
        Self::kept(arena, Self::of_sorted(arena, with.into_slice()))
    }

    /// The map with more entries; of entries with the same key, the last one stays.
    ///
    /// For k entries on top of n it takes O(k log k) time to sort the k, unless they are sorted already, and then
    /// O(n + k) to merge them with the others, in blocks that are copied at once. If their keys are greater
    /// than all others, the n entries are not touched, as with [`Arena::append_slice`].
    ///
    /// ```
    /// # use defiant::{Arena, Map};
    /// let arena = Arena::new();
    /// let defaults = Map::new(&arena, [("color", "red"), ("size", "10")]);
    /// let chosen = Map::new(&arena, [("weight", "bold"), ("color", "blue")]);
    /// let all = defaults.extend_in(&arena, chosen.iter().copied());
    /// assert!(all.iter().eq([("color", "blue"), ("size", "10"), ("weight", "bold")].iter()));
    /// ```
    ///
    /// # Panics
    /// When memory or the arena's limit is exhausted.
    #[must_use]
    pub fn extend_in(self, arena: &'arena Arena, entries: impl IntoIterator<Item = (K, V)>) -> Self {
        let added = arena.vec_from_iter(entries).into_slice_mut();
        let len = sort_in(arena, added).unwrap_or_else(|| exhausted());
        let added: &'arena [(K, V)] = added.get(..len).unwrap_or_default();
        let Some(first) = added.first() else { return self };
        let mut rest = self.entries();
        let all = match rest.last() {
            None => added,
            Some(last) if last.0 < first.0 => arena.append_slice(rest, added),
            Some(_) => {
                let mut all = arena.vec_with_capacity(rest.len().saturating_add(len));
                for &entry in added {
                    let (before, behind) = rest.split_at(count_less(rest, &entry.0));
                    all.extend_from_slice(before);
                    all.push(entry);
                    rest = match behind.split_first() {
                        Some((same, behind)) if same.0 == entry.0 => behind,
                        _ => behind,
                    };
                }
                all.extend_from_slice(rest);
                all.into_slice()
            }
        };
        Self::kept(arena, Self::of_sorted(arena, all))
    }

    /// The map without a key. Where the key has no value, it is the same map.
    ///
    /// Takes linear time, to copy the others, unless the key is the least or the greatest of all: then the entries are
    /// shared.
    ///
    /// ```
    /// # use defiant::{Arena, Map};
    /// let arena = Arena::new();
    /// let map = Map::new(&arena, [("a", 1), ("b", 2), ("c", 3)]);
    /// assert!(map.remove_in(&arena, "b").iter().eq([("a", 1), ("c", 3)].iter()));
    /// ```
    ///
    /// # Panics
    /// When memory or the arena's limit is exhausted.
    #[must_use]
    pub fn remove_in<Q: Ord + ?Sized>(self, arena: &'arena Arena, key: &Q) -> Self
    where
        K: Lookup<Q>,
    {
        let entries = self.entries();
        let Ok(index) = entries.binary_search_by(|entry| entry.0.lookup().cmp(key)) else { return self };
        let (before, behind) = entries.split_at(index);
        let behind = behind.get(1..).unwrap_or_default();
        let without = match (before, behind) {
            ([], others) | (others, []) => others,
            _ => {
                let mut without = arena.vec_with_capacity(before.len() + behind.len());
                without.extend_from_slice(before);
                without.extend_from_slice(behind);
                without.into_slice()
            }
        };
        Self::kept(arena, Self::of_sorted(arena, without))
    }
}

impl<'arena, K: Ord, V> Map<'arena, K, V> {
    /// The value of a key.
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&'arena V>
    where
        K: Lookup<Q>,
    {
        let entries = self.entries();
        entries.binary_search_by(|entry| entry.0.lookup().cmp(key)).ok().map(|index| &entries[index].1)
    }

    /// Whether a key has a value.
    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Lookup<Q>,
    {
        self.get(key).is_some()
    }
}

/// The types that keys have: those of protobuf's integers, `bool` and `&str`. No others can be.
///
/// Source: <https://protobuf.dev/programming-guides/proto3/#maps>.
///
/// ```
/// use defiant::{Arena, Map, MapKey};
///
/// /// A map without the entries that a function does not want.
/// fn filter<'arena, K: MapKey, V: Copy>(
///     map: Map<'arena, K, V>,
///     arena: &'arena Arena,
///     wanted: impl Fn(&K, &V) -> bool,
/// ) -> Map<'arena, K, V> {
///     Map::new(arena, map.iter().filter(|entry| wanted(&entry.0, &entry.1)).copied())
/// }
///
/// let arena = Arena::new();
/// let stock = Map::new(&arena, [("apples", 7), ("pears", 0)]);
/// assert_eq!(filter(stock, &arena, |_, left| *left > 0).entries(), [("apples", 7)]);
/// ```
// TRUST: it is sealed: `sort::Bytes` has no public path.
pub trait MapKey: Copy + Ord + sort::Bytes {}

impl MapKey for bool {}
impl MapKey for i32 {}
impl MapKey for i64 {}
impl MapKey for u32 {}
impl MapKey for u64 {}
impl MapKey for &str {}

/// What a map's key may be looked up by: a `&str` by `str`, everything else by itself.
// TRUST: unsafe code does not rely on it: it compares keys of a finished map.
pub trait Lookup<Q: ?Sized> {
    /// The key as it is compared.
    fn lookup(&self) -> &Q;
}

impl Lookup<str> for &str {
    fn lookup(&self) -> &str {
        self
    }
}

macro_rules! lookup_by_itself {
    ($($key:ty)*) => {$(
        impl Lookup<$key> for $key {
            fn lookup(&self) -> &$key {
                self.borrow()
            }
        }
    )*};
}

lookup_by_itself! { i32 i64 u32 u64 bool }

/// Strictly ascending: sorted and unique.
fn is_sorted<K: Ord, V>(entries: &[(K, V)]) -> bool {
    entries.is_sorted_by(|left, right| left.0 < right.0)
}

/// Sorts entries, keeps the last of equal keys, and returns how many are left at the front.
///
/// `order` is scratch, with a number for each of them.
fn sort<K: MapKey, V: Copy>(entries: &mut [(K, V)], order: &mut [u64]) -> usize {
    sort_keys(&Keys::of(entries), order);
    // Entry `order[i]` belongs at `i`: each cycle of that permutation is walked once.
    for start in 0..order.len() {
        let Some(&first) = entries.get(start) else { break };
        let mut at = start;
        while let Some(record) = order.get_mut(at) {
            let from = number(core::mem::replace(record, at as u64)) as usize;
            let ends = from == start;
            let entry = if ends { Some(first) } else { entries.get(from).copied() };
            let (Some(place), Some(entry)) = (entries.get_mut(at), entry) else { break };
            *place = entry;
            if ends {
                break;
            }
            at = from;
        }
    }
    let mut kept = 0;
    for index in 0..entries.len() {
        let Some(&entry) = entries.get(index) else { break };
        if entries.get(index + 1).is_some_and(|next| next.0 == entry.0) {
            continue;
        }
        let Some(place) = entries.get_mut(kept) else { break };
        *place = entry;
        kept += 1;
    }
    kept
}

/// Sorts entries with scratch memory of the arena where they are not sorted yet, and returns how many are left; `None` when
/// memory or the arena's limit is exhausted.
fn sort_in<K: MapKey, V: Copy>(arena: &Arena, entries: &mut [(K, V)]) -> Option<usize> {
    let len = entries.len();
    if is_sorted(entries) {
        return Some(len);
    }
    u32::try_from(len).ok()?;
    let order = arena.try_alloc(Layout::array::<u64>(len).ok()?)?.cast::<u64>();
    // SAFETY: fresh memory for `len` numbers.
    unsafe { order.write_bytes(0, len) };
    // SAFETY: written just now, and nothing else refers to it.
    let left = sort(entries, unsafe { core::slice::from_raw_parts_mut(order.as_ptr(), len) });
    // SAFETY: nothing refers to it any more.
    unsafe { arena.free_scratch(order, len) };
    Some(left)
}

/// How many of some sorted entries have a lesser key, in logarithmic time of the answer.
fn count_less<K: Ord, V>(entries: &[(K, V)], key: &K) -> usize {
    let mut bound = 1;
    while entries.get(bound - 1).is_some_and(|entry| entry.0 < *key) {
        bound *= 2;
    }
    let known = bound / 2;
    let unknown = entries.get(known..bound.min(entries.len())).unwrap_or_default();
    known + unknown.partition_point(|entry| entry.0 < *key)
}

/// Appends an entry in wire order; [`finish`] sorts all maps of a decode. `following` says how many more are known to
/// follow directly.
pub(crate) fn push<'arena, K: MapKey + 'arena, V: Copy + 'arena>(
    map: &mut Map<'arena, K, V>,
    key: K,
    value: V,
    following: impl FnOnce(&Context<'arena>) -> usize,
    cx: &mut Context<'arena>,
) -> Result<(), Fault> {
    let header = reserve(map, following, cx)?;
    // SAFETY: `reserve` made room for an entry at `len`, in memory of this decode.
    unsafe { header.entries.add(header.len).write((key, value)) };
    header.len += 1;
    Ok(())
}

/// Appends an entry that `read` decodes in the map's memory. `unset` makes the key and the value that `read` gets. An entry
/// for which `read` returns `false` or an error is no part of the map, and the next one takes its memory.
pub(crate) fn push_with<'arena, K: MapKey + 'arena, V: Copy + 'arena, R>(
    map: &mut Map<'arena, K, V>,
    unset: (impl FnOnce() -> K, impl FnOnce() -> V),
    following: impl FnOnce(&Context<'arena>) -> usize,
    cx: &mut Context<'arena>,
    read: impl FnOnce(&mut K, &mut V, &mut Context<'arena>) -> Result<(R, bool), Fault>,
) -> Result<(R, bool), Fault> {
    let header = reserve(map, following, cx)?;
    // SAFETY: `reserve` made room for an entry at `len`.
    let entry = unsafe { header.entries.add(header.len) }.as_ptr();
    // SAFETY: `entry` points to memory for an entry.
    let (key, value) = unsafe { (&raw mut (*entry).0, &raw mut (*entry).1) };
    // SAFETY: `key` points to memory for a key.
    unsafe { key.write(unset.0()) };
    // SAFETY: `value` points to memory for a value.
    unsafe { write_with(value, unset.1) };
    // SAFETY: both were written above. They lie behind the entries that the header counts, in memory of this decode, so
    // nothing else refers to them. `read` decodes other fields, whose maps have headers of their own, and `map`, which is
    // borrowed, is the only field with this one. So no call grows these entries or writes to them.
    let (result, keep) = read(unsafe { &mut *key }, unsafe { &mut *value }, cx)?;
    header.len += usize::from(keep);
    Ok((result, keep))
}

/// Writes a value. A large one gets no temporary in the caller's frame, which stays on the stack while nested messages are
/// decoded.
///
/// # Safety
/// `place` is valid for writes and aligned.
#[cfg_attr(not(debug_assertions), inline(always))]
unsafe fn write_with<T>(place: *mut T, value: impl FnOnce() -> T) {
    #[inline(never)]
    unsafe fn out_of_line<T>(place: *mut T, value: impl FnOnce() -> T) {
        // SAFETY: as required of the caller.
        unsafe { place.write(value()) };
    }
    if size_of::<T>() <= 128 {
        // SAFETY: as required of the caller.
        unsafe { place.write(value()) };
    } else {
        // SAFETY: as required of the caller.
        unsafe { out_of_line(place, value) };
    }
}

/// The header of a map that the decode in progress may write to, with room for an entry at `len`.
#[cfg_attr(not(debug_assertions), inline(always))]
fn reserve<'m, 'arena, K: MapKey + 'arena, V: Copy + 'arena>(
    map: &'m mut Map<'arena, K, V>,
    following: impl FnOnce(&Context<'arena>) -> usize,
    cx: &mut Context<'arena>,
) -> Result<&'m mut Header<K, V>, Fault> {
    let mut header = match map.header {
        // SAFETY: a header lives as long as its arena is borrowed.
        Some(header) if unsafe { header.as_ref() }.pending => header,
        _ => begin(map, cx)?,
    };
    // SAFETY: a pending header belongs to the decode in progress, which is this one: others have ended, or hold their
    // own context of the same call stack and never meet this message. No other reference to it exists now.
    let header = unsafe { header.as_mut() };
    if header.len == header.capacity {
        let following = following(cx).saturating_add(1);
        if cx.counts_elements() {
            count(header.len, &mut header.counted, following, cx)?;
        }
        let more = following.max(header.len);
        let capacity = header.len.checked_add(more).ok_or(Fault::Memory)?;
        // SAFETY: `len` initialised entries; those of this decode are referred to by the header only.
        header.entries = unsafe { cx.grow_array(header.entries, header.len, header.capacity, capacity)? };
        header.capacity = capacity;
    }
    Ok(header)
}

/// Counts the entries that were read since this was called for their map, and looks whether there may be more of them.
#[cold]
#[inline(never)]
fn count(len: usize, counted: &mut u32, more: usize, cx: &mut Context<'_>) -> Result<(), Fault> {
    cx.count_elements((len as u32).wrapping_sub(*counted) as usize)?;
    *counted = len as u32;
    cx.has_elements_left(more)
}

/// Gives a map a header of this decode, with the entries that it has.
fn begin<'arena, K: MapKey + 'arena, V: Copy + 'arena>(
    map: &mut Map<'arena, K, V>,
    cx: &mut Context<'arena>,
) -> Result<NonNull<Header<K, V>>, Fault> {
    let old = map.entries();
    // Entries of another decode are not written to: without spare capacity, the next one copies them.
    let header = cx.alloc_array::<Header<K, V>>(1)?;
    let content = Header {
        entries: NonNull::from(old).cast(),
        len: old.len(),
        capacity: old.len(),
        pending: true,
        counted: old.len() as u32,
        previous: cx.pending_map.take(),
    };
    // SAFETY: fresh memory of the header's layout.
    unsafe { header.write(content) };
    cx.pending_map = Some(PendingMap { header: header.cast(), finish: finish_one::<K, V> });
    map.header = Some(header);
    Ok(header)
}

/// Sorts the maps of a decode that has read its last byte.
pub(crate) fn finish(cx: &mut Context<'_>) -> Result<(), Fault> {
    while let Some(pending) = cx.pending_map.take() {
        // SAFETY: `begin` stored the header together with the function for its type.
        unsafe { (pending.finish)(pending.header, cx)? };
    }
    Ok(())
}

/// # Safety
/// `header` points to the pending `Header<K, V>` of a map of this decode.
unsafe fn finish_one<K: MapKey, V: Copy>(header: NonNull<u8>, cx: &mut Context<'_>) -> Result<(), Fault> {
    let mut header = header.cast::<Header<K, V>>();
    // SAFETY: as required of the caller; no other reference to it exists during the call.
    let header = unsafe { header.as_mut() };
    cx.pending_map = header.previous.take();
    if cx.counts_elements() {
        count(header.len, &mut header.counted, 0, cx)?;
    }
    if header.capacity > 0 {
        // SAFETY: `len` initialised entries; those that another decode made are sorted and unique, so that nothing is
        // written to them (they have not been copied, and then nothing was added).
        let entries = unsafe { core::slice::from_raw_parts(header.entries.as_ptr(), header.len) };
        if !is_sorted(entries) {
            if u32::try_from(header.len).is_err() {
                return Err(Fault::Memory);
            }
            let scratch = cx.alloc_array::<u64>(header.len)?;
            // SAFETY: fresh memory for `len` numbers.
            unsafe { scratch.write_bytes(0, header.len) };
            // SAFETY: written just now, and nothing else refers to it.
            let order = unsafe { core::slice::from_raw_parts_mut(scratch.as_ptr(), header.len) };
            // SAFETY: entries out of order were appended by this decode, to memory of its own.
            let entries = unsafe { core::slice::from_raw_parts_mut(header.entries.as_ptr(), header.len) };
            let left = sort(entries, order);
            // SAFETY: nothing refers to it any more.
            unsafe { cx.free_scratch(scratch, header.len) };
            header.len = left;
        }
    }
    header.pending = false;
    Ok(())
}

impl<K, V> Default for Map<'_, K, V> {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl<K: PartialEq, V: PartialEq> PartialEq for Map<'_, K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.entries() == other.entries()
    }
}

impl<K: Eq, V: Eq> Eq for Map<'_, K, V> {}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for Map<'_, K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter().map(|entry| (&entry.0, &entry.1))).finish()
    }
}

impl<'arena, K, V> IntoIterator for Map<'arena, K, V> {
    type Item = &'arena (K, V);
    type IntoIter = core::slice::Iter<'arena, (K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::vec::Vec;

    use proptest::prelude::*;

    use super::*;

    /// Miri takes a hundred times as long.
    const MOST_STEPS: usize = if cfg!(miri) { 5 } else { 100 };

    proptest! {
        #[test]
        fn agrees_with_a_btree_map(entries: Vec<(u8, u16)>) {
            let arena = Arena::new();
            let map = Map::new(&arena, entries.iter().map(|&(key, value)| (i32::from(key), value)));
            let oracle: BTreeMap<i32, u16> = entries.iter().map(|&(key, value)| (i32::from(key), value)).collect();
            prop_assert_eq!(map.len(), oracle.len());
            prop_assert!(map.iter().map(|&(key, value)| (key, value)).eq(oracle.clone()));
            for key in 0..256 {
                prop_assert_eq!(map.get(&key), oracle.get(&key));
            }
        }

        /// Any map that there is becomes another, and all stay what they are.
        #[test]
        fn maps_made_of_others_agree_with_btree_maps(
            steps in proptest::collection::vec(any::<(u8, u8, u16, Vec<(u8, u16)>)>(), 0..MOST_STEPS),
        ) {
            let arena = Arena::new();
            let mut maps: Vec<(Map<'_, i32, u16>, BTreeMap<i32, u16>)> = std::vec![Default::default()];
            for (what, key, value, entries) in steps {
                let key = i32::from(key);
                let entries = entries.iter().map(|&(key, value)| (i32::from(key), value));
                // Mostly the newest one, so that large ones come about.
                let (map, mut oracle) = maps[if what < 192 { maps.len() - 1 } else { key as usize % maps.len() }].clone();
                let next = match what % 4 {
                    0 => {
                        oracle.remove(&key);
                        map.remove_in(&arena, &key)
                    }
                    1 => {
                        oracle.extend(entries.clone());
                        map.extend_in(&arena, entries)
                    }
                    2 => {
                        // Behind all others.
                        let key = oracle.last_key_value().map_or(key, |(last, _)| last + 1);
                        oracle.insert(key, value);
                        map.insert_in(&arena, key, value)
                    }
                    _ => {
                        oracle.insert(key, value);
                        map.insert_in(&arena, key, value)
                    }
                };
                maps.push((next, oracle));
            }
            for (map, oracle) in maps {
                prop_assert!(map.iter().copied().eq(oracle.clone()));
                prop_assert!(oracle.iter().all(|(key, value)| map.get(key) == Some(value)));
            }
        }

        #[test]
        fn fewer_are_counted_as_a_search_counts_them(mut keys: Vec<u8>, key: u8) {
            keys.sort_unstable();
            let entries: Vec<(u8, ())> = keys.iter().map(|&key| (key, ())).collect();
            prop_assert_eq!(count_less(&entries, &key), keys.iter().filter(|other| **other < key).count());
        }
    }

    #[test]
    fn ascending_keys_take_linear_memory() {
        let arena = Arena::new();
        let map = (0..1000u64).fold(Map::EMPTY, |map, key| map.insert_in(&arena, key, key));
        assert_eq!((map.len(), map.get(&999)), (1000, Some(&999)));
        // Copies of all entries would take thousands of times as much; chunks may be left when they are half full.
        let entry = size_of::<(u64, u64)>() + size_of::<Header<u64, u64>>();
        assert!(arena.used_bytes() <= 6 * entry * 1000, "{}", arena.used_bytes());
    }
}
