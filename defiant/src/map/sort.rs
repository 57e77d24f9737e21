//! Puts the keys of a map in order.
//!
//! Four bytes of a key and the key's number make one number of 64 bits, and these are sorted: without a look at the keys,
//! which lie elsewhere, and by one piece of machine code, whatever the keys are. Where the four bytes are the same, the
//! next four decide, behind what all of those keys have in common.
//!
//! The standard library's sort has ways to a panic, for an order that is none; a decode is to have no way to one.
#![expect(unsafe_code, reason = "keys are found by the size of what they lie in")]

use core::marker::PhantomData;

/// How often bytes are looked at before keys are compared as a whole.
const MOST_STEPS: u32 = 8;
/// As few keys as this are compared as a whole at once.
const FEW_KEYS: usize = 4;
/// As few numbers as this are put in order one after the other.
const FEW_NUMBERS: usize = 16;

/// The bytes of a key: an earlier byte says more about the order than all that follow.
///
/// Outside of this crate it is no trait to implement or to call: it has no name there.
// TRUST: it has no public path, so only this crate implements it.
pub trait Bytes: Ord {
    /// Whether the first four bytes are all that there are.
    const __SHORT: bool;

    /// How many bytes two keys have in common at their begin; where there are more than `most`, that many.
    fn __common(&self, other: &Self, most: usize) -> usize;

    /// Four bytes from the one at an index, as a number; zeros stand for what is behind the end.
    fn __four(&self, at: usize) -> u32;
}

/// Of numbers with as many bits as the type, and without a sign.
macro_rules! numbers {
    ($($key:ty, $bits:ty, |$number:ident| $of:expr;)*) => {$(
        impl Bytes for $key {
            const __SHORT: bool = size_of::<$bits>() <= 4;

            #[inline]
            fn __common(&self, other: &Self, most: usize) -> usize {
                let of = |$number: $key| -> $bits { $of };
                ((of(*self) ^ of(*other)).leading_zeros() as usize / 8).min(most)
            }

            #[inline]
            fn __four(&self, at: usize) -> u32 {
                let of = |$number: $key| -> $bits { $of };
                // To the left end of 64 bits, of which the first four bytes are taken.
                let bits = u64::from(of(*self)) << (64 - <$bits>::BITS);
                (bits.checked_shl((at as u32).saturating_mul(8)).unwrap_or(0) >> 32) as u32
            }
        }
    )*};
}

numbers! {
    bool, u8, |key| u8::from(key);
    u32, u32, |key| key;
    u64, u64, |key| key;
    i32, u32, |key| key as u32 ^ 1 << 31;
    i64, u64, |key| key as u64 ^ 1 << 63;
}

impl Bytes for &str {
    const __SHORT: bool = false;

    #[inline]
    fn __common(&self, other: &Self, most: usize) -> usize {
        let ([mut one, mut other], mut common) = ([self.as_bytes(), other.as_bytes()], 0);
        while let (Some((left, behind_left)), Some((right, behind_right))) =
            (one.split_first_chunk(), other.split_first_chunk())
        {
            let differ = u64::from_le_bytes(*left) ^ u64::from_le_bytes(*right);
            if differ != 0 || common >= most {
                return (common + differ.trailing_zeros() as usize / 8).min(most);
            }
            (one, other, common) = (behind_left, behind_right, common + 8);
        }
        (common + one.iter().zip(other).take_while(|(left, right)| left == right).count()).min(most)
    }

    #[inline]
    fn __four(&self, at: usize) -> u32 {
        let rest = self.as_bytes().get(at..).unwrap_or_default();
        u32::from_be_bytes(*rest.first_chunk().unwrap_or(&{
            let mut four = [0; 4];
            four.iter_mut().zip(rest).for_each(|(to, byte)| *to = *byte);
            four
        }))
    }
}

/// The keys of entries, whatever their values: so that the machine code of a sort is made for each type of keys only.
pub(super) struct Keys<'e, K> {
    /// Invariant: from here on, every `stride` bytes, lie `len` keys that are not written to for `'e`.
    first: *const u8,
    stride: usize,
    len: usize,
    entries: PhantomData<&'e [K]>,
}

impl<'e, K> Keys<'e, K> {
    pub(super) fn of<V>(entries: &'e [(K, V)]) -> Self {
        let first = entries.as_ptr().cast::<u8>().wrapping_add(core::mem::offset_of!((K, V), 0));
        Keys { first, stride: size_of::<(K, V)>(), len: entries.len(), entries: PhantomData }
    }

    /// # Safety
    /// From `first` on, every `stride` bytes, lie `len` keys that are not written to for `'e`.
    #[cfg(feature = "reflect")]
    pub(super) unsafe fn new(first: *const u8, stride: usize, len: usize) -> Self {
        Keys { first, stride, len, entries: PhantomData }
    }

    /// # Safety
    /// `index < len`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) unsafe fn get(&self, index: u32) -> &'e K {
        debug_assert!((index as usize) < self.len);
        // SAFETY: one of the keys, by the invariant of `first` and as required of the caller.
        let key = unsafe { self.first.add(index as usize * self.stride) };
        // SAFETY: as above.
        unsafe { &*key.cast::<K>() }
    }
}

/// The number of a key.
pub(super) fn number(record: u64) -> u32 {
    record as u32
}

/// Fills `records` with the [numbers](number) of keys in the order of the keys, those of equal ones ascending; there are as
/// many as keys.
#[inline(never)]
pub(super) fn sort_keys<K: Bytes>(keys: &Keys<'_, K>, records: &mut [u64]) {
    let (records, _) = records.split_at_mut(keys.len.min(records.len()));
    for (number, record) in records.iter_mut().enumerate() {
        *record = number as u64;
    }
    // SAFETY: just now they were numbered, no more of them than keys.
    unsafe { sort_by_bytes(keys, records, 0) };
}

/// Sorts records whose numbers ascend.
///
/// # Safety
/// The numbers are those of keys.
unsafe fn sort_by_bytes<K: Bytes>(keys: &Keys<'_, K>, records: &mut [u64], step: u32) {
    // SAFETY: as required of the caller; records are moved, and of each only the half without the number is replaced.
    let key = |record: u64| unsafe { keys.get(number(record)) };
    if records.len() <= FEW_KEYS || step == MOST_STEPS {
        let is_before = |left: u64, right: u64| (key(left), number(left)) < (key(right), number(right));
        return if records.len() <= FEW_KEYS { insert_all(records, is_before) } else { heap_sort(records, is_before) };
    }
    let mut begin = 0;
    if !K::__SHORT {
        if records.is_sorted_by(|left, right| key(*left) <= key(*right)) {
            return;
        }
        let Some((&first, others)) = records.split_first() else { return };
        begin = others.iter().fold(usize::MAX, |most, other| key(first).__common(key(*other), most));
    }
    for record in records.iter_mut() {
        *record = u64::from(key(*record).__four(begin)) << 32 | u64::from(number(*record));
    }
    if !records.is_sorted_by(|left, right| left < right) {
        sort_numbers(records, 2 * records.len().checked_ilog2().unwrap_or(0));
    }
    if K::__SHORT {
        return;
    }
    let mut rest = records;
    while let Some(first) = rest.first().map(|first| first >> 32) {
        let same = rest.iter().take_while(|record| **record >> 32 == first).count();
        let Some((same, behind)) = rest.split_at_mut_checked(same) else { return };
        if same.len() > 1 {
            // SAFETY: some of these records.
            unsafe { sort_by_bytes(keys, same, step + 1) };
        }
        rest = behind;
    }
}

/// Sorts numbers: quicksort, without a branch that depends on them, until too many pivots were bad ones.
#[inline(never)]
fn sort_numbers<T: Copy + Ord>(mut numbers: &mut [T], mut pivots: u32) {
    while numbers.len() > FEW_NUMBERS {
        let Some(left) = pivots.checked_sub(1) else { return heap_sort(numbers, |left, right| left < right) };
        pivots = left;
        let len = numbers.len();
        let Some(at) = pivot(numbers) else { return };
        swap(numbers, at, len - 1);
        let Some((&mut pivot, others)) = numbers.split_last_mut() else { return };
        let lesser = partition(others, pivot);
        swap(numbers, lesser, len - 1);
        let (lesser, others) = numbers.split_at_mut(lesser.min(len));
        let Some((_, greater)) = others.split_first_mut() else { return };
        // The larger part is done in this loop, so that calls are no deeper than the logarithm of the length.
        let (smaller, larger) = if lesser.len() < greater.len() { (lesser, greater) } else { (greater, lesser) };
        sort_numbers(smaller, pivots);
        numbers = larger;
    }
    insert_all(numbers, |left, right| left < right);
}

/// Where a number of the middle is: the median of three, of many the median of three such.
fn pivot<T: Copy + Ord>(numbers: &[T]) -> Option<usize> {
    let median = |one: usize, two: usize, three: usize| {
        let at = |index: usize| numbers.get(index).copied();
        let (low, high) = if at(two)? < at(one)? { (two, one) } else { (one, two) };
        if at(three)? < at(low)? {
            Some(low)
        } else if at(high)? < at(three)? {
            Some(high)
        } else {
            Some(three)
        }
    };
    let eighth = numbers.len() / 8;
    let of = |from: usize, step: usize| median(from, from + step, from + 2 * step);
    if numbers.len() < 128 {
        of(eighth, 3 * eighth)
    } else {
        median(of(0, eighth)?, of(3 * eighth, eighth)?, of(6 * eighth, eighth - 1)?)
    }
}

/// Moves what is less than a number before what is not, and tells how much is less.
fn partition<T: Copy + Ord>(numbers: &mut [T], pivot: T) -> usize {
    let mut lesser = 0;
    for index in 0..numbers.len() {
        // What is before `lesser` is less, and what is between it and `index` is not.
        let (Some(&number), Some(&not_less)) = (numbers.get(index), numbers.get(lesser)) else { break };
        if let Some(to) = numbers.get_mut(index) {
            *to = not_less;
        }
        if let Some(to) = numbers.get_mut(lesser) {
            *to = number;
        }
        lesser += usize::from(number < pivot);
    }
    lesser
}

fn swap<T>(numbers: &mut [T], one: usize, other: usize) {
    if one < numbers.len() && other < numbers.len() {
        numbers.swap(one, other);
    }
}

/// Insertion sort.
fn insert_all<T: Copy>(records: &mut [T], is_before: impl Fn(T, T) -> bool) {
    for end in 1..records.len() {
        let Some(&record) = records.get(end) else { return };
        let mut hole = end;
        while let Some([left, right]) = hole.checked_sub(1).and_then(|at| records.get_mut(at..)?.first_chunk_mut()) {
            if !is_before(record, *left) {
                break;
            }
            *right = *left;
            hole -= 1;
        }
        if let Some(place) = records.get_mut(hole) {
            *place = record;
        }
    }
}

/// Heap sort, which takes the same time for any order.
#[cold]
fn heap_sort<T: Copy>(records: &mut [T], is_before: impl Fn(T, T) -> bool) {
    for root in (0..records.len() / 2).rev() {
        sink(records, root, &is_before);
    }
    for end in (1..records.len()).rev() {
        swap(records, 0, end);
        sink(records.get_mut(..end).unwrap_or_default(), 0, &is_before);
    }
}

/// Lets a record sink until none of both below it belongs behind it.
fn sink<T: Copy>(heap: &mut [T], mut at: usize, is_before: impl Fn(T, T) -> bool) {
    while let Some(&left) = heap.get(2 * at + 1) {
        let (mut below, mut last) = (2 * at + 1, left);
        if let Some(&right) = heap.get(below + 1).filter(|right| is_before(left, **right)) {
            (below, last) = (below + 1, right);
        }
        match heap.get(at) {
            Some(&record) if is_before(record, last) => swap(heap, at, below),
            _ => return,
        }
        at = below;
    }
}

#[cfg(test)]
mod tests {
    use core::cell::Cell;
    use core::cmp::Ordering;
    use std::string::String;
    use std::vec::Vec;

    use proptest::prelude::*;

    use super::*;

    /// Miri takes a hundred times as long.
    const MOST: usize = if cfg!(miri) { 40 } else { 600 };

    /// Keys are put in the order of the standard library's stable sort.
    fn is_sorted_like_std<K: Bytes + Copy>(keys: impl IntoIterator<Item = K>) {
        let entries: Vec<(K, u8)> = keys.into_iter().map(|key| (key, 0)).collect();
        let mut records = std::vec![7; entries.len()];
        sort_keys(&Keys::of(&entries), &mut records);
        let mut order: Vec<u32> = (0..entries.len() as u32).collect();
        order.sort_by_key(|index| entries[*index as usize].0);
        assert!(records.iter().map(|record| number(*record)).eq(order));
    }

    /// What `common` and `four` say of two keys is what their order says.
    fn bytes_are_in_order<K: Bytes + Copy>(one: K, other: K) {
        let common = one.__common(&other, usize::MAX);
        assert_eq!(common, other.__common(&one, usize::MAX));
        for most in 0..12 {
            assert_eq!(one.__common(&other, most), common.min(most));
        }
        for at in 0..=common.min(20) {
            match one.__four(at).cmp(&other.__four(at)) {
                Ordering::Equal if K::__SHORT && at == 0 => assert!(one == other),
                Ordering::Equal => {}
                different => assert_eq!(different, one.cmp(&other)),
            }
        }
    }

    /// Strings of few different characters, zeros among them, many of which have a begin in common.
    fn string() -> impl Strategy<Value = String> {
        prop_oneof![
            "[\u{0}ab]{0,3}",
            "(prefix/|longer prefix/){0,3}[\u{0}a-c\u{fc}]{0,6}",
            "[0-9]{1,6}",
            any::<String>()
        ]
    }

    proptest! {
        #[test]
        fn numbers_like_std(keys in proptest::collection::vec(any::<u64>(), 0..MOST), mask in any::<u64>(), shift in 0..64u32) {
            // Many that are the same, and many whose upper bytes are.
            let keys = || keys.iter().map(|key| (key & mask) >> shift);
            is_sorted_like_std(keys());
            is_sorted_like_std(keys().map(|key| key as i64));
            is_sorted_like_std(keys().map(|key| key as u32));
            is_sorted_like_std(keys().map(|key| key as i32));
            is_sorted_like_std(keys().map(|key| key % 2 == 0));
        }

        #[test]
        fn strings_like_std(keys in proptest::collection::vec(string(), 0..MOST)) {
            is_sorted_like_std(keys.iter().map(|key| &**key));
        }

        #[test]
        fn bytes_of_keys(one: u64, other: u64, shift in 0..64u32, texts in (string(), string())) {
            for (one, other) in [(one, other), (one >> shift, other >> shift), (one, one ^ (other >> shift)), (one, one)] {
                bytes_are_in_order(one, other);
                bytes_are_in_order(one as i64, other as i64);
                bytes_are_in_order(one as u32, other as u32);
                bytes_are_in_order(one as i32, other as i32);
                bytes_are_in_order(one % 2 == 0, other % 2 == 0);
            }
            bytes_are_in_order(&*texts.0, &*texts.1);
            bytes_are_in_order(&*std::format!("{}{}", texts.0, texts.1), &*texts.0);
        }

        /// Also where all pivots are bad.
        #[test]
        fn numbers_are_sorted(numbers in proptest::collection::vec(0..300u64, 0..MOST), pivots in 0..10u32) {
            let mut sorted = numbers.clone();
            sort_numbers(&mut sorted, pivots);
            let mut heap = numbers.clone();
            heap_sort(&mut heap, |left, right| left < right);
            let mut like_std = numbers;
            like_std.sort_unstable();
            prop_assert_eq!(&sorted, &like_std);
            prop_assert_eq!(&heap, &like_std);
        }
    }

    #[test]
    fn orders_that_are_none_of_chance() {
        let most = MOST as u64;
        is_sorted_like_std(0..most);
        is_sorted_like_std((0..most).rev());
        is_sorted_like_std((0..most).map(|key| key / 7));
        is_sorted_like_std((0..most).map(|_| 5u64));
        is_sorted_like_std((0..most).map(|key| key.min(most - key)));
        // Each is the begin of the next one.
        let long = "a".repeat(MOST);
        is_sorted_like_std((0..MOST).rev().map(|len| &long[..len]));
        let zeros = "\0".repeat(MOST);
        is_sorted_like_std((0..MOST).rev().map(|len| &zeros[..len]));
        is_sorted_like_std((0..MOST).map(|len| &zeros[..len / 3 * (len % 2)]));
    }

    /// A number that is chosen while it is compared, as late as can be, so that pivots are bad ones: of two that are open, the
    /// one that was compared last is less than all that are still open.
    /// Source: M. D. McIlroy, “A Killer Adversary for Quicksort”, Software: Practice and Experience 29(4), 1999.
    #[derive(Clone, Copy)]
    struct Late<'g> {
        value: &'g Cell<usize>,
        game: &'g Game,
    }

    struct Game {
        next: Cell<usize>,
        /// The address of the value that is likely to be a pivot.
        candidate: Cell<*const Cell<usize>>,
        comparisons: Cell<usize>,
    }

    const OPEN: usize = usize::MAX;

    impl Ord for Late<'_> {
        fn cmp(&self, other: &Self) -> Ordering {
            let game = self.game;
            game.comparisons.set(game.comparisons.get() + 1);
            if self.value.get() == OPEN && other.value.get() == OPEN {
                let chosen = if core::ptr::eq(self.value, game.candidate.get()) { self } else { other };
                chosen.value.set(game.next.replace(game.next.get() + 1));
            }
            if self.value.get() == OPEN {
                game.candidate.set(self.value);
            } else if other.value.get() == OPEN {
                game.candidate.set(other.value);
            }
            self.value.get().cmp(&other.value.get())
        }
    }

    impl PartialOrd for Late<'_> {
        fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
            Some(self.cmp(other))
        }
    }

    impl PartialEq for Late<'_> {
        fn eq(&self, other: &Self) -> bool {
            self.cmp(other).is_eq()
        }
    }

    impl Eq for Late<'_> {}

    /// How often numbers are compared whose order makes all pivots bad.
    fn comparisons(len: usize, pivots: u32) -> usize {
        let game = Game { next: Cell::new(0), candidate: Cell::new(core::ptr::null()), comparisons: Cell::new(0) };
        let values: Vec<_> = (0..len).map(|_| Cell::new(OPEN)).collect();
        let mut numbers: Vec<_> = values.iter().map(|value| Late { value, game: &game }).collect();
        sort_numbers(&mut numbers, pivots);
        let sort_took = game.comparisons.get();
        assert!(numbers.is_sorted());
        sort_took
    }

    #[test]
    fn bad_pivots_take_no_quadratic_time() {
        const LEN: usize = if cfg!(miri) { 500 } else { 20_000 };
        let most = 6 * LEN * LEN.ilog2() as usize;
        assert!(comparisons(LEN, 2 * LEN.ilog2()) < most);
        // That without the limit it would.
        if !cfg!(miri) {
            assert!(comparisons(LEN, u32::MAX) > 10 * most);
        }
    }
}
