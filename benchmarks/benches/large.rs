//! One large field: how long it takes to decode by its size, and to encode whole or in pieces.
//!
//! Then, how long a field takes to copy by where the copy comes to lie: bytes behind its source, leaving whole pages aside.
//!
//! Fails when a borrowed decode takes longer the larger its `bytes` are, or when encoding in pieces does, or when a place is
//! much slower than the others.

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

/// So long is what is copied to various places.
const PLACED: usize = 64 << 10;
/// Of most computers.
const PAGE: usize = 4096;
const DISTANCES: [usize; 13] = [0, 1, 8, 16, 31, 32, 64, 100, 256, 1024, 2048, 4000, 4095];

/// The times of copying bytes to each distance. `copy` copies what it is given, and says where to.
fn placed(bytes: &[u8], mut copy: impl FnMut(&[u8]) -> *const u8) -> [Duration; DISTANCES.len()] {
    let mut room = vec![0; bytes.len() + PAGE];
    DISTANCES.map(|distance| {
        // The copy stays where it is, so a source that lies further back is nearer to it.
        room[..bytes.len()].copy_from_slice(bytes);
        let apart = copy(&room[..bytes.len()]).addr().wrapping_sub(room.as_ptr().addr());
        let at = apart.wrapping_sub(distance) % PAGE;
        room[at..at + bytes.len()].copy_from_slice(bytes);
        let source = &room[at..at + bytes.len()];
        let apart = copy(source).addr().wrapping_sub(source.as_ptr().addr());
        assert_eq!(apart % PAGE, distance, "the copy moved");
        least(|| {
            black_box(copy(black_box(source)));
        })
    })
}

/// Prints them; whether Defiant's do not depend on the place.
fn places() -> bool {
    let data = vec![7; PLACED];
    let wire = Blob { id: 1, data: &data, ..Blob::default() }.encode_to_vec();
    let (mut to, mut arena, mut encoder) = (vec![0u8; PLACED], Arena::new(), Encoder::new());
    let rows = [
        (
            "memcpy",
            placed(&data, |data| {
                black_box(&mut to[..]).copy_from_slice(data);
                to.as_ptr()
            }),
        ),
        (
            "bytes, decode",
            placed(&wire, |wire| {
                arena.reset();
                let data = Blob::decode(wire, &arena).map_or(&[][..], |blob| blob.data);
                assert_eq!(data.len(), PLACED);
                // The copy of the whole message ends with it.
                data.as_ptr_range().end.wrapping_sub(wire.len())
            }),
        ),
        (
            "encode",
            placed(&data, |data| {
                encoder.encode(&Blob { id: 1, data, ..Blob::default() }).as_ptr_range().end.wrapping_sub(data.len())
            }),
        ),
    ];
    print!("\n{:<26}", "64 KiB, bytes behind");
    DISTANCES.iter().for_each(|distance| print!("{distance:>9}"));
    println!();
    let mut same = true;
    for (name, times) in rows {
        print!("{name:<26}");
        times.iter().for_each(|time| print!("{:>9}", format!("{time:.1?}")));
        println!();
        let (least, most) = (times.iter().min(), times.iter().max());
        if let (Some(least), Some(most)) = (least, most)
            && name != "memcpy"
            && most.as_secs_f64() > TOLERANCE * least.as_secs_f64()
        {
            println!("{name}: the time depends on the place");
            same = false;
        }
    }
    same
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
    if places() && !slow { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
