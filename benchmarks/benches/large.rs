//! One large field: how long it takes to decode by its size, and to encode whole or in pieces.
//!
//! Fails when a borrowed decode takes longer the larger its `bytes` are, or when encoding in pieces does.

use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use defiant::{Arena, Encoder, Message, UnknownFields};

#[derive(Clone, Copy, Debug, PartialEq, Message)]
#[defiant(name = "large.Blob")]
struct Blob<'arena> {
    #[defiant(uint32, tag = 1)]
    id: u32,
    #[defiant(bytes, tag = 2)]
    data: &'arena [u8],
    #[defiant(string, tag = 3)]
    text: &'arena str,
    #[defiant(unknown)]
    unknown_fields: UnknownFields<'arena>,
}

const SIZES: [usize; 3] = [10 << 10, 1 << 20, 10 << 20];
/// How much slower the largest may be than the smallest where the size should not matter.
const TOLERANCE: f64 = 8.0;

/// The time of one call, the least of several rounds.
fn least(mut work: impl FnMut()) -> Duration {
    let mut calls = 1;
    while time(calls, &mut work) < Duration::from_millis(2) && calls < 1 << 20 {
        calls *= 2;
    }
    (0..15).map(|_| time(calls, &mut work)).min().unwrap_or_default() / calls
}

fn time(calls: u32, work: &mut impl FnMut()) -> Duration {
    let begin = Instant::now();
    (0..calls).for_each(|_| work());
    begin.elapsed()
}

/// A way to handle a message of one large field, and whether it should take the same time whatever the size.
type Row = (&'static str, bool, [Duration; SIZES.len()]);

fn row(name: &'static str, constant: bool, mut measure: impl FnMut(usize) -> Duration) -> Row {
    (name, constant, SIZES.map(&mut measure))
}

fn decode(name: &'static str, constant: bool, text: bool, borrowed: bool) -> Row {
    row(name, constant, |size| {
        let (bytes, letters) = if text { (vec![], "x".repeat(size)) } else { (vec![7; size], String::new()) };
        let wire = Blob { id: 1, data: &bytes, text: &letters, ..Blob::default() }.encode_to_vec();
        let mut arena = Arena::new();
        least(|| {
            let wire = black_box(&wire[..]);
            let blob = if borrowed { Blob::decode_borrowed(wire, &arena) } else { Blob::decode(wire, &arena) };
            assert_eq!(black_box(blob).map_or(0, |blob| blob.data.len() + blob.text.len()), size);
            arena.reset();
        })
    })
}

fn main() -> ExitCode {
    let copy = row("memcpy", false, |size| {
        let (from, mut to) = (vec![7u8; size], vec![0u8; size]);
        least(|| black_box(&mut to[..]).copy_from_slice(black_box(&from)))
    });
    let whole = row("encode", false, |size| {
        let (data, mut encoder) = (vec![7; size], Encoder::new());
        least(|| {
            black_box(encoder.encode(black_box(&Blob { id: 1, data: &data, ..Blob::default() })).len());
        })
    });
    let pieces = row("encode_vectored", true, |size| {
        let (data, mut encoder) = (vec![7; size], Encoder::new());
        least(|| {
            let blob = Blob { id: 1, data: &data, ..Blob::default() };
            black_box(encoder.encode_vectored(black_box(&blob)).iter().count());
        })
    });
    let rows = [
        copy,
        decode("bytes, decode_borrowed", true, false, true),
        decode("bytes, decode", false, false, false),
        decode("string, decode_borrowed", false, true, true),
        whole,
        pieces,
    ];
    println!("{:<26}{:>14}{:>14}{:>14}", "one field of", "10 KiB", "1 MiB", "10 MiB");
    let mut slow = false;
    for (name, constant, times) in rows {
        println!(
            "{name:<26}{:>14}{:>14}{:>14}",
            format!("{:.1?}", times[0]),
            format!("{:.1?}", times[1]),
            format!("{:.1?}", times[2])
        );
        if constant && times[2].as_secs_f64() > TOLERANCE * times[0].as_secs_f64() {
            println!("{name}: the time depends on the size");
            slow = true;
        }
    }
    if slow { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
