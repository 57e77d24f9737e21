//! Measures what a byte of input costs at worst, and writes `conformance/WORST.md`.
//!
//! ```text
//! cargo run --release -p conformance --bin worst
//! ```

use std::fmt::Write as _;
use std::hint::black_box;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};
use std::{fs, path::Path};

use conformance::shapes::{Mixed, Singular};
use defiant::{Arena, DecodeError, Message};

/// Bytes of input, or a few less.
const SIZE: usize = 1 << 18;
/// The quickest of so many runs counts.
const RUNS: usize = 40;

/// What it is, its bytes, and how they are decoded.
type Attack = (&'static str, Vec<u8>, fn(&[u8], &mut Arena) -> Cost);

/// What a decode takes.
struct Cost {
    time: Duration,
    bytes: usize,
    error: Option<DecodeError>,
}

fn measure<'a, M: Message<'a>>(wire: &[u8], arena: &'a mut Arena) -> Cost {
    let arena = &*arena;
    let start = Instant::now();
    let decoded = black_box(M::decode(black_box(wire), arena));
    let time = start.elapsed();
    Cost { time, bytes: arena.used_bytes(), error: decoded.err() }
}

/// The best of many decodes into an arena that has its memory.
fn best(wire: &[u8], decode: impl Fn(&[u8], &mut Arena) -> Cost) -> Cost {
    let mut arena = Arena::new();
    let mut best = decode(wire, &mut arena);
    for _ in 0..RUNS {
        arena.reset();
        let cost = decode(wire, &mut arena);
        best.time = best.time.min(cost.time);
        best.bytes = cost.bytes;
    }
    best
}

fn repeat(piece: &[u8]) -> Vec<u8> {
    piece.repeat(SIZE / piece.len())
}

fn entries(key: impl Fn(usize) -> u32) -> Vec<u8> {
    // An entry of five bytes: `singulars_by_int32`, whose values are large.
    (0..SIZE / 8)
        .flat_map(|index| {
            let key = key(index) & 0x1f_ffff;
            [0xaa, 0x01, 4, 8, key as u8 | 0x80, (key >> 7) as u8 | 0x80, (key >> 14) as u8 & 0x7f]
        })
        .collect()
}

fn main() -> ExitCode {
    let attacks: [Attack; 12] = [
        ("one long string", [&[0x72, 0x80, 0x80, 0x10][..], &vec![b'a'; SIZE]].concat(), |w, a| {
            measure::<Singular<'_>>(w, a)
        }),
        ("large messages of no bytes in a list", repeat(&[0x5a, 0]), |w, a| measure::<Mixed<'_>>(w, a)),
        ("groups in a list, each without its required field", repeat(&[0x63, 0x64]), |w, a| measure::<Mixed<'_>>(w, a)),
        ("strings of no bytes in a list", repeat(&[0x3a, 0]), |w, a| measure::<Mixed<'_>>(w, a)),
        ("lists that take turns", repeat(&[0x3a, 0, 0x42, 0]), |w, a| measure::<Mixed<'_>>(w, a)),
        ("packed runs of one element", repeat(&[0x0a, 1, 1]), |w, a| measure::<Mixed<'_>>(w, a)),
        ("a message again and again", repeat(&[0x92, 1, 2, 8, 1]), |w, a| measure::<Singular<'_>>(w, a)),
        ("members of a oneof that take turns", repeat(&[0xfa, 1, 0, 0xc2, 2, 0]), |w, a| measure::<Mixed<'_>>(w, a)),
        ("entries of a map, keys ascending", entries(|index| index as u32), |w, a| measure::<Mixed<'_>>(w, a)),
        ("entries of a map, keys mixed", entries(|index| (index as u32).wrapping_mul(0x9e37_79b1)), |w, a| {
            measure::<Mixed<'_>>(w, a)
        }),
        ("unknown fields between known ones", repeat(&[0xf8, 0x7d, 1, 8, 1]), |w, a| measure::<Singular<'_>>(w, a)),
        ("a list, and a mistake at the end", [repeat(&[0x5a, 0]), vec![0]].concat(), |w, a| measure::<Mixed<'_>>(w, a)),
    ];
    let mut table = String::new();
    for (name, wire, decode) in attacks {
        let cost = best(&wire, decode);
        let outcome = match cost.error {
            None => "accepted",
            Some(error) if error.is_missing_required() => "a required field is missing",
            Some(_) => "rejected",
        };
        let (time, memory) = (cost.time.as_secs_f64() * 1e9 / wire.len() as f64, cost.bytes as f64 / wire.len() as f64);
        let _ = writeln!(table, "| {name} | {} | {time:.1} | {memory:.1} | {outcome} |", wire.len());
    }
    let rustc = Command::new("rustc").arg("--version").output().ok();
    let rustc = rustc.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default();
    let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let cpu = cpu.lines().find_map(|line| line.strip_prefix("model name\t: ")).unwrap_or("a processor of unknown name");
    let page = format!(
        "# What a byte of input costs at worst\n\n\
         Written by `cargo run --release -p conformance --bin worst`: the quickest of {RUNS} decodes of one message into an \
         arena that has its memory. Memory is that of the arena, the copy of the input included; of what is rejected it is \
         what stays, and `memory_limit` bounds what is taken meanwhile. The list of large messages is the worst there is: \
         two bytes of input become a struct, of {} bytes here, which the schema decides.\n\n\
         {cpu}, {rustc}.\n\n\
         | input | bytes | ns for each byte | bytes of memory for each byte | outcome |\n|---|--:|--:|--:|---|\n{table}",
        size_of::<Singular<'_>>()
    );
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("WORST.md");
    match fs::write(&file, page) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("worst: {}: {error}", file.display());
            ExitCode::FAILURE
        }
    }
}
