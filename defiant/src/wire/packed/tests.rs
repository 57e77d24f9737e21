//! Every level through the same table, oracle and property tests.
#![expect(unsafe_code, reason = "calls the kernels of levels that this processor has")]

use std::vec::Vec;

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::codec::{Bool, Int32, Int64, Sint32, Sint64, Uint32, Uint64};
use crate::wire::SLACK;
use crate::wire::varint::checked;

/// The varint by the book, and with `more` needless bytes.
fn push(bytes: &mut Vec<u8>, mut value: u64, more: usize) {
    let begin = bytes.len();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    for _ in 0..more.min(10 - (bytes.len() - begin)) {
        if let Some(last) = bytes.last_mut() {
            *last |= 0x80;
        }
        bytes.push(0);
    }
}

/// What a decoder has to do: the numbers, and where it stops and why.
fn oracle<E: Element>(bytes: &[u8], stop: usize, room: usize) -> (Vec<E::Value>, usize, bool) {
    let (mut values, mut at) = (Vec::new(), 0);
    while at < stop && values.len() < room {
        match checked(&bytes[at..]) {
            Some((len, bits)) => {
                values.push(E::from_bits(bits));
                at += len;
            }
            None => return (values, at, true),
        }
    }
    (values, at, false)
}

/// Decodes `wire` in a buffer of just its length and the slack, with just so much room; what is behind the room stays.
fn decoded<E: Element>(level: Level, wire: &[u8], stop: usize, room: usize) -> (Vec<E::Value>, usize, bool) {
    let mut out = Vec::with_capacity(room);
    // SAFETY: SLACK bytes lie behind `stop`, and there is room for `room` numbers.
    let done = unsafe { decode_run_at::<E>(|| level, wire.as_ptr(), wire.as_ptr().add(stop), out.as_mut_ptr(), room) };
    // SAFETY: so many numbers were written.
    unsafe { out.set_len(done.filled) };
    (out, done.ptr.addr() - wire.as_ptr().addr(), done.malformed)
}

fn check_decoding<E: Element<Value: PartialEq + core::fmt::Debug>>(wire: &[u8], stop: usize, room: usize) {
    let expected = oracle::<E>(wire, stop, room);
    for level in Level::available() {
        assert_eq!(decoded::<E>(level, wire, stop, room), expected, "{level:?}, {stop}, {room}, {wire:x?}");
    }
}

/// All codecs, with room for what is there, for less and for more.
fn check_all(run: &[u8]) {
    let mut wire = Vec::from(run);
    // Slack that looks like the rest of a varint.
    wire.extend([0x81; SLACK]);
    let count = run.iter().filter(|byte| **byte < 0x80).count();
    for level in Level::available() {
        // SAFETY: one of this processor's levels.
        assert_eq!(unsafe { super::count(level, run) }, count, "{level:?}");
    }
    assert_eq!(count_ends(run), count);
    for room in [count, count + 1, count + 9, count.saturating_sub(1), count / 2] {
        check_decoding::<Uint64>(&wire, run.len(), room);
    }
    check_decoding::<Int32>(&wire, run.len(), count);
    check_decoding::<Int64>(&wire, run.len(), count);
    check_decoding::<Uint32>(&wire, run.len(), count + 20);
    check_decoding::<Sint32>(&wire, run.len(), count);
    check_decoding::<Sint64>(&wire, run.len(), count + 8);
    check_decoding::<Bool>(&wire, run.len(), count);
}

fn check_encoding<E: Element<Value: PartialEq + core::fmt::Debug>>(values: &[E::Value]) {
    let mut expected = Vec::new();
    for value in values {
        push(&mut expected, E::to_bits(*value), 0);
    }
    assert_eq!(size_of_run::<E>(values), expected.len());
    for level in Level::available() {
        // SAFETY: one of this processor's levels.
        assert_eq!(unsafe { size::<E>(level, values) }, expected.len(), "{level:?}");
        // Just as much as it needs, and bytes behind that stay.
        let mut buffer = std::vec![0x55; SLACK + expected.len() + 3];
        let end = SLACK + expected.len();
        // SAFETY: the varints' bytes and SLACK more are writable before `end`.
        let start = unsafe { encode::<E>(level, buffer.as_mut_ptr().add(end), values) };
        assert_eq!(start.addr() - buffer.as_ptr().addr(), SLACK, "{level:?}");
        assert_eq!(&buffer[SLACK..end], expected, "{level:?}");
        assert_eq!(&buffer[end..], [0x55; 3]);
    }
}

/// Runs that are longer than what any level reads at once; Miri takes a hundred times as long, and has none but the baseline's.
const LONG: usize = if cfg!(miri) { 40 } else { 130 };

#[test]
fn every_length_at_every_place() {
    for len in (1..=10usize).step_by(if cfg!(miri) { 4 } else { 1 }) {
        for before in [0, 1, 7, 8, 14, 15, 16, 17, 53, 54, 55, 56, 57, 60, 62, 63, 64, 65, 100]
            .into_iter()
            .step_by(if cfg!(miri) { 6 } else { 1 })
        {
            let mut run = std::vec![5; before];
            push(&mut run, 1 << (7 * (len - 1)).min(63), 0);
            run.extend([1, 0x80, 0x01, 0]);
            run.extend((before..LONG).map(|byte| byte as u8 & 0x7f));
            check_all(&run);
            // The same from the end, cut in the middle of the long one.
            check_all(&run[..before + len]);
            check_all(&run[..before + len - 1]);
        }
    }
}

#[test]
fn a_long_run_of_one_length() {
    for len in (1..=10u32).step_by(if cfg!(miri) { 3 } else { 1 }) {
        let value = if len == 10 { u64::MAX } else { u64::MAX >> (64 - 7 * len) };
        let mut run = Vec::new();
        for _ in 0..40 {
            push(&mut run, value, 0);
        }
        check_all(&run);
    }
}

#[test]
fn no_varints() {
    check_all(&[]);
    check_all(&[0x80; 70]);
    for before in [0, 20, 60, 64] {
        // Eleven bytes; ten bytes and 65 bits.
        for bad in [
            &[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0][..],
            &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02],
        ] {
            let run = [&std::vec![1; before][..], bad, &[1; 70]].concat();
            check_all(&run);
            assert!(decoded::<Uint64>(Level::best(), &run, run.len() - SLACK, 200).2);
        }
    }
}

#[test]
fn edges_are_written() {
    for shift in (0..64).step_by(if cfg!(miri) { 21 } else { 1 }) {
        for value in [(1u64 << shift) - 1, 1 << shift, u64::MAX - (1 << shift)] {
            for (before, behind) in
                [(0, 0), (20, 20), (15, 0), (0, 15), (16, 7)].into_iter().take(if cfg!(miri) { 2 } else { 5 })
            {
                let mut values = std::vec![1u64; before];
                values.push(value);
                values.extend((0..behind).map(|index| index * 9));
                check_encoding::<Uint64>(&values);
                check_encoding::<Sint64>(&values.iter().map(|value| *value as i64).collect::<Vec<_>>());
                check_encoding::<Int32>(&values.iter().map(|value| *value as i32).collect::<Vec<_>>());
                check_encoding::<Sint32>(&values.iter().map(|value| *value as i32).collect::<Vec<_>>());
            }
        }
    }
}

#[test]
fn every_length_in_runs_of_every_count() {
    for len in (1..=10u32).step_by(if cfg!(miri) { 3 } else { 1 }) {
        let most = if len == 10 { u64::MAX } else { u64::MAX >> (64 - 7 * len) };
        for count in (0..=70usize).step_by(if cfg!(miri) { 19 } else { 1 }) {
            // The most that takes so many bytes, and less that takes no more; the most last of all, too.
            let values: Vec<u64> = (1..=count).map(|index| most >> (index * 5 % 64)).chain([most]).collect();
            check_encoding::<Uint64>(&values);
            check_encoding::<Uint32>(&values.iter().map(|value| *value as u32).collect::<Vec<_>>());
            check_encoding::<Sint32>(&values.iter().map(|value| *value as i32).collect::<Vec<_>>());
            check_encoding::<Int32>(&values.iter().map(|value| *value as i32).collect::<Vec<_>>());
        }
    }
}

/// Runs of numbers of few lengths, and of all.
fn numbers() -> impl Strategy<Value = Vec<u64>> {
    (1u32..=64, 0u32..=64).prop_flat_map(|(most, least)| {
        let bits = least.min(most)..=most;
        vec((any::<u64>(), bits).prop_map(|(word, bits)| if bits == 0 { 0 } else { word >> (64 - bits) }), 0..200)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn numbers_are_read(values in numbers(), needless in vec(0usize..200, 0..3)) {
        let mut run = Vec::new();
        for (index, value) in values.iter().enumerate() {
            push(&mut run, *value, if needless.contains(&index) { 1 + index % 9 } else { 0 });
        }
        check_all(&run);
    }

    #[test]
    fn bytes_are_read(mut run in vec(any::<u8>(), 0..200), low in any::<bool>()) {
        if low {
            // Few high bits.
            for byte in &mut run { if *byte % 5 != 0 { *byte &= 0x7f; } }
        }
        check_all(&run);
    }

    #[test]
    fn numbers_are_written(values in numbers()) {
        check_encoding::<Uint64>(&values);
        check_encoding::<Int64>(&values.iter().map(|value| *value as i64).collect::<Vec<_>>());
        check_encoding::<Uint32>(&values.iter().map(|value| *value as u32).collect::<Vec<_>>());
        check_encoding::<Int32>(&values.iter().map(|value| *value as i32).collect::<Vec<_>>());
        check_encoding::<Sint32>(&values.iter().map(|value| *value as i32).collect::<Vec<_>>());
        check_encoding::<Sint64>(&values.iter().map(|value| *value as i64).collect::<Vec<_>>());
        check_encoding::<Bool>(&values.iter().map(|value| *value & 1 == 1).collect::<Vec<_>>());
    }
}
