//! Heap blocks and bytes by dhat: one decode, one encode, and a thousand warm request cycles.
//!
//! Fails when Defiant's warm cycles allocate at all, or when a fresh decode of google_message2 takes
//! more than two blocks or holds more than eight times its wire size. `-- --record FILE.csv` keeps the counts.

use std::path::PathBuf;
use std::process::ExitCode;

use benchmarks::allocations::{Allocations, Used};
use benchmarks::check::check;
use benchmarks::datasets::Dataset;
use benchmarks::libraries::{DEFIANT, PILOTA, PROST};
use benchmarks::machine;
use benchmarks::offer::{Gap, Task};
use benchmarks::subjects::{Message1Proto2, Message1Proto3, Message2, PilotaSubject, Subject};
use bytes::Bytes;
use defiant::{Arena, Encoder, Message};
use dhat::HeapStats;

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

const CYCLES: usize = 1000;
const WARM_UP: usize = 3;

/// What was asked of the heap, and what of it is still held.
#[derive(Clone, Copy, Debug)]
struct Use {
    blocks: u64,
    bytes: u64,
    held: usize,
}

/// What `work` asks for, and what its result holds.
fn used<T>(work: impl FnOnce() -> T) -> (T, Use) {
    let before = HeapStats::get();
    let result = work();
    let after = HeapStats::get();
    let used = Use {
        blocks: after.total_blocks - before.total_blocks,
        bytes: after.total_bytes - before.total_bytes,
        held: after.curr_bytes.saturating_sub(before.curr_bytes),
    };
    (result, used)
}

/// A line of the table.
#[derive(Debug)]
struct Row {
    dataset: Dataset,
    library: &'static str,
    /// One decode from nothing.
    decode: Use,
    /// One `encode_to_vec`; `None` when the library's encoding is wrong.
    encode: Option<Use>,
    /// Decode, encode into memory that is used again, give the message back: a thousand times, warm.
    cycles: Option<Use>,
}

const SOUND: &str = "checked before it was counted";

fn by_defiant<S: Subject>() -> Row {
    let wire = S::DATASET.payload();
    let (arena, decode) = used(|| {
        let arena = Arena::new();
        std::hint::black_box(<S::Defiant<'_>>::decode(wire, &arena).expect(SOUND));
        arena
    });
    let message = <S::Defiant<'_>>::decode(wire, &arena).expect(SOUND);
    let (_, encode) = used(|| message.encode_to_vec());

    let mut arena = Arena::new();
    // Many pieces, so that their list is seen to be used again.
    let mut encoder = Encoder::new().vectored_threshold(8);
    let mut cycle = || {
        let message = <S::Defiant<'_>>::decode(wire, &arena).expect(SOUND);
        std::hint::black_box(message.encode_in(&arena));
        std::hint::black_box(encoder.encode_vectored(&message).iter().count());
        arena.reset();
    };
    (0..WARM_UP).for_each(|_| cycle());
    let ((), cycles) = used(|| (0..CYCLES).for_each(|_| cycle()));
    Row { dataset: S::DATASET, library: DEFIANT, decode, encode: Some(encode), cycles: Some(cycles) }
}

fn by_prost<S: Subject>() -> Row {
    use prost::Message as _;

    let wire = S::DATASET.payload();
    let (message, decode) = used(|| S::Prost::decode(wire).expect(SOUND));
    let (_, encode) = used(|| message.encode_to_vec());

    let mut buffer = Vec::new();
    let mut cycle = || {
        let message = S::Prost::decode(wire).expect(SOUND);
        buffer.clear();
        message.encode(&mut buffer).expect(SOUND);
        std::hint::black_box(buffer.as_slice());
    };
    (0..WARM_UP).for_each(|_| cycle());
    let ((), cycles) = used(|| (0..CYCLES).for_each(|_| cycle()));
    Row { dataset: S::DATASET, library: PROST, decode, encode: Some(encode), cycles: Some(cycles) }
}

fn by_pilota<S: PilotaSubject>(gaps: &[Gap]) -> Row {
    use pilota::LinkedBytes;
    use pilota::pb::{EncodeLengthContext, Message as _};

    let wire = Bytes::copy_from_slice(S::DATASET.payload());
    let (message, decode) = used(|| S::Pilota::decode(wire.clone()).expect(SOUND));
    let mut row = Row { dataset: S::DATASET, library: PILOTA, decode, encode: None, cycles: None };
    let wrong =
        |gap: &Gap| gap.library == PILOTA && gap.payload == S::DATASET.into() && gap.untimed.contains(&Task::Encode);
    if gaps.iter().any(wrong) {
        return row;
    }
    row.encode = Some(used(|| message.encode_to_vec(&mut EncodeLengthContext::default())).1);

    let mut buffer = LinkedBytes::new();
    let mut cycle = || {
        let message = S::Pilota::decode(wire.clone()).expect(SOUND);
        buffer.reset();
        message.encode(&mut buffer).expect(SOUND);
        std::hint::black_box(buffer.bytes());
    };
    (0..WARM_UP).for_each(|_| cycle());
    row.cycles = Some(used(|| (0..CYCLES).for_each(|_| cycle())).1);
    row
}

/// What Defiant promises and a row does not keep.
fn broken(row: &Row) -> Vec<String> {
    let mut broken = Vec::new();
    if row.library != DEFIANT {
        return broken;
    }
    if let Some(cycles) = row.cycles.filter(|cycles| cycles.blocks > 0) {
        broken.push(format!("{}: {CYCLES} warm cycles allocate {} blocks, not 0", row.dataset, cycles.blocks));
    }
    if row.dataset == Dataset::Message2 {
        let limit = 8 * row.dataset.payload().len();
        if row.decode.blocks > 2 {
            broken.push(format!("{}: a fresh decode takes {} blocks, not 2", row.dataset, row.decode.blocks));
        }
        if row.decode.held > limit {
            broken.push(format!("{}: a fresh decode holds {} bytes, not {limit}", row.dataset, row.decode.held));
        }
    }
    broken
}

fn print(row: &Row) {
    let wire = row.dataset.payload().len() as f64;
    print!(
        "{:<24}{:<9}{:>8}{:>10}{:>10}{:>7.2}",
        row.dataset,
        row.library,
        row.decode.blocks,
        row.decode.bytes,
        row.decode.held,
        row.decode.held as f64 / wire,
    );
    for used in [row.encode, row.cycles] {
        match used {
            Some(used) => print!("{:>10}{:>12}", used.blocks, used.bytes),
            None => print!("{:>10}{:>12}", "-", "-"),
        }
    }
    println!();
}

/// The rows as a record.
fn record(rows: &[Row]) -> Allocations {
    let machine = machine::describe().into_iter().map(|(name, value)| (name.into(), value)).collect();
    let row = |row: &Row| {
        let pair = |used: Option<Use>| [used.map(|used| used.blocks), used.map(|used| used.bytes)];
        let [encode, cycles] = [pair(row.encode), pair(row.cycles)];
        Used {
            payload: row.dataset.to_string(),
            library: row.library.into(),
            numbers: [
                Some(row.dataset.payload().len() as u64),
                Some(row.decode.blocks),
                Some(row.decode.bytes),
                Some(row.decode.held as u64),
                encode[0],
                encode[1],
                row.cycles.map(|_| CYCLES as u64),
                cycles[0],
                cycles[1],
            ],
        }
    };
    Allocations { machine, rows: rows.iter().map(row).collect() }
}

/// The file behind `--record`. Cargo gives `--bench` on top.
fn record_file() -> Result<Option<PathBuf>, String> {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    match arguments.as_slice() {
        [] => Ok(None),
        [option, file] if option == "--record" => Ok(Some(file.into())),
        other => Err(format!("unknown arguments {other:?}; --record FILE.csv keeps the counts")),
    }
}

fn main() -> ExitCode {
    let file = match record_file() {
        Ok(file) => file,
        Err(wrong) => {
            eprintln!("error: {wrong}");
            return ExitCode::FAILURE;
        }
    };
    let gaps = match check() {
        Ok(gaps) => gaps,
        Err(wrong) => {
            eprintln!("error: {wrong}");
            return ExitCode::FAILURE;
        }
    };
    let profile = std::env::temp_dir().join(format!("benchmarks-dhat-{}.json", std::process::id()));
    let profiler = dhat::Profiler::builder().file_name(&profile).trim_backtraces(Some(4)).build();
    let rows = [
        by_defiant::<Message1Proto2>(),
        by_prost::<Message1Proto2>(),
        by_pilota::<Message1Proto2>(&gaps),
        by_defiant::<Message1Proto3>(),
        by_prost::<Message1Proto3>(),
        by_pilota::<Message1Proto3>(&gaps),
        by_defiant::<Message2>(),
        by_prost::<Message2>(),
    ];
    drop(profiler);
    println!(
        "\n{:<33}{:<35}{:<22}{CYCLES} warm cycles of decode, encode, give back\n{:<24}{:<9}{:>8}{:>10}{:>10}{:>7}{:>10}{:>12}{:>10}{:>12}",
        "",
        " one decode from nothing",
        "      one encode",
        "dataset",
        "library",
        "blocks",
        "bytes",
        "held",
        "/wire",
        "blocks",
        "bytes",
        "blocks",
        "bytes",
    );
    rows.iter().for_each(print);
    println!(
        "\nA block is one call of malloc, calloc or realloc. pilota also keeps its input alive, which is not counted."
    );
    for gap in gaps.iter().filter(|gap| gap.library == PILOTA && gap.payload.dataset().is_some()) {
        println!("{gap}");
    }
    println!("dhat's own record: {}", profile.display());
    if let Some(file) = file {
        if let Err(error) = std::fs::write(&file, record(&rows).csv()) {
            eprintln!("error: {}: {error}", file.display());
            return ExitCode::FAILURE;
        }
        println!("Record: {}", file.display());
    }

    let broken: Vec<String> = rows.iter().flat_map(broken).collect();
    for promise in &broken {
        eprintln!("error: {promise}");
    }
    if broken.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
