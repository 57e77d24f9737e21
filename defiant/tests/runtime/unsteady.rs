//! An enum whose number changes from one call to the next, so that what is counted differs from what is written. Encoding
//! may panic or write what nobody reads; it writes nothing outside of its memory.

use core::sync::atomic::{AtomicU32, Ordering};
use std::panic::{AssertUnwindSafe, catch_unwind};

use defiant::{Arena, Encoder, Enumeration, Message, UnknownFields};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Unsteady;

/// Calls until the number turns from one byte on the wire to ten, or back.
static CALLS: AtomicU32 = AtomicU32::new(0);
static PERIOD: AtomicU32 = AtomicU32::new(1);

impl Enumeration for Unsteady {
    const DEFAULT: Self = Unsteady;
    const NAME: &'static str = "Unsteady";
    const VALUES: &'static [(&'static str, i32)] = &[];
    const OPEN: bool = true;

    fn from_number(_: i32) -> Option<Self> {
        Some(Unsteady)
    }

    fn number(self) -> i32 {
        let period = PERIOD.load(Ordering::Relaxed);
        if CALLS.fetch_add(1, Ordering::Relaxed) / period % 2 == 0 { 1 } else { -1 }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Message)]
struct Holder<'arena> {
    #[defiant(enumeration, optional, tag = 1)]
    one: Option<Unsteady>,
    #[defiant(enumeration, repeated, tag = 2)]
    packed: &'arena [Unsteady],
    #[defiant(enumeration, repeated, packed = false, tag = 3)]
    many: &'arena [Unsteady],
    #[defiant(message, tag = 4)]
    next: Option<&'arena Holder<'arena>>,
    #[defiant(map = "int32, enumeration", tag = 5)]
    map: defiant::Map<'arena, i32, Unsteady>,
    #[defiant(unknown)]
    unknown_fields: UnknownFields<'arena>,
}

#[test]
fn encode_stays_in_its_memory_when_numbers_change() {
    let arena = Arena::new();
    let len = if cfg!(miri) { 40 } else { 700 };
    let values = vec![Unsteady; len];
    let inner = Holder {
        one: Some(Unsteady),
        packed: &values,
        many: &values[..len / 2],
        map: defiant::Map::new(&arena, [(1, Unsteady), (2, Unsteady)]),
        ..Holder::default()
    };
    let outer = Holder { next: Some(&inner), ..inner };
    let mut encoder = Encoder::new().vectored_threshold(16);
    for period in [1, 2, 3, 7, 100, len as u32, 2 * len as u32] {
        PERIOD.store(period, Ordering::Relaxed);
        for message in [&inner, &outer] {
            for room in [0, 1, len, 3 * len, 20 * len] {
                let mut out = vec![0xaa; room + 32];
                let written = catch_unwind(AssertUnwindSafe(|| {
                    let mut rest = &mut out[16..16 + room];
                    message.encode(&mut rest).map(|()| room - rest.len())
                }));
                assert!(
                    out[..16].iter().chain(&out[16 + room..]).all(|byte| *byte == 0xaa),
                    "{period} {room} {written:?}"
                );
            }
            let _ = catch_unwind(AssertUnwindSafe(|| message.encode_to_vec()));
            let _ = catch_unwind(AssertUnwindSafe(|| message.encode_in(&Arena::new()).len()));
            let _ = catch_unwind(AssertUnwindSafe(|| message.encoded_len()));
            let _ = catch_unwind(AssertUnwindSafe(|| encoder.encode(message).len()));
            let _ = catch_unwind(AssertUnwindSafe(|| {
                encoder.encode_vectored(message).iter().map(<[u8]>::len).sum::<usize>()
            }));
            let mut grows = vec![1];
            let _ = catch_unwind(AssertUnwindSafe(|| message.encode_length_delimited(&mut grows)));
            assert_eq!(grows.first(), Some(&1));
        }
    }
}
