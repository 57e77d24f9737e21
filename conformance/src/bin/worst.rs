//! Counts what a byte of input costs at worst, and writes `conformance/WORST.md`.
//!
//! ```text
//! cargo run --release -p conformance --bin worst             counts, and writes the page
//! cargo run --release -p conformance --bin worst -- check    counts only
//! ```
//!
//! Instructions are counted by callgrind, of which valgrind is a part, so that the numbers are the same in every run on the
//! same machine with the same compiler, whatever else it does. Each attack is decoded at one size and at sixteen times that
//! size. Ends with 0 when the larger input takes less than 32 times the instructions and the memory, with 1 when some attack
//! does worse, with 2 when there is no valgrind.

use std::fmt::Write as _;
use std::hint::black_box;
use std::process::{Command, ExitCode};
use std::{env, fs, io, path::Path, process};

use conformance::{shapes, shapes_small};
use defiant::{Arena, DecodeError, DecodeOptions, Message, json, text};

/// Bytes of the smaller input, or a few less.
const SIZE: usize = 1 << 14;
/// How many times the input the larger one is.
const TIMES: usize = 16;
/// What the larger input may take, as a multiple. Lists grow in steps, so that one size may take twice as much for each byte
/// as another; what grows with the square of the input would take 256 times as much.
const MOST: usize = 2 * TIMES;
/// Counted decodes; two processes differ by so many.
const DECODES: u64 = 2;

/// What became of an input: accepted, or why not.
type Outcome = Result<(), &'static str>;
type Decode = fn(&[u8], &Arena) -> Outcome;

struct Attack {
    name: &'static str,
    /// About so many bytes.
    input: fn(usize) -> Vec<u8>,
    /// With messages for speed, and with those for code size.
    decode: [Decode; 2],
}

fn outcome<T>(decoded: Result<T, DecodeError>) -> Outcome {
    let refuse =
        |error: DecodeError| if error.is_missing_required() { "a required field is missing" } else { "rejected" };
    black_box(decoded).map(|_| ()).map_err(refuse)
}

fn wire<'a, M: Message<'a>>(input: &[u8], arena: &'a Arena) -> Outcome {
    outcome(M::decode(black_box(input), arena))
}

/// With limits of strings and elements, of which the former makes a decode look up after every few bytes.
fn limited<'a, M: Message<'a>>(input: &[u8], arena: &'a Arena) -> Outcome {
    outcome(DecodeOptions::new().string_limit(1).elements_limit(1 << 30).decode::<M>(black_box(input), arena))
}

fn from_json<'a, M: Message<'a>>(input: &[u8], arena: &'a Arena) -> Outcome {
    let options = json::DecodeOptions::new().ignore_unknown_fields(true);
    black_box(options.decode_slice::<M>(black_box(input), arena)).map(|_| ()).map_err(|_| "rejected")
}

fn from_text<'a, M: Message<'a>>(input: &[u8], arena: &'a Arena) -> Outcome {
    let input = core::str::from_utf8(input).map_err(|_| "no text")?;
    black_box(text::decode::<M>(black_box(input), arena)).map(|_| ()).map_err(|_| "rejected")
}

fn repeat(piece: &[u8], size: usize) -> Vec<u8> {
    piece.repeat(size / piece.len())
}

/// `begin`, the piece again and again, and `end`.
fn enclosed(begin: &str, piece: &str, end: &str, size: usize) -> Vec<u8> {
    [begin, &piece.repeat(size / piece.len()), end].concat().into_bytes()
}

fn entries(size: usize, key: impl Fn(usize) -> u32) -> Vec<u8> {
    // An entry of seven bytes: `singulars_by_int32`, whose values are large.
    (0..size / 7)
        .flat_map(|index| {
            let key = key(index) & 0x1f_ffff;
            [0xaa, 0x01, 4, 8, key as u8 | 0x80, (key >> 7) as u8 | 0x80, (key >> 14) as u8 & 0x7f]
        })
        .collect()
}

/// Entries of `strings_by_string` without a value; a function gives the key at an index, shorter than 100 bytes.
fn texts(size: usize, key: impl Fn(usize) -> String) -> Vec<u8> {
    let mut input = Vec::new();
    for index in 0.. {
        let key = key(index);
        let len = key.len() as u8;
        input.extend([0xa2, 0x01, len + 2, 0x0a, len]);
        input.extend(key.into_bytes());
        if input.len() >= size {
            break;
        }
    }
    input
}

/// A number of five digits, each number at another place than those beside it.
fn mixed(index: usize) -> u32 {
    (index as u32).wrapping_mul(0x9e37_79b1) >> 12
}

macro_rules! attacks {
    ($($name:literal, $how:ident $message:ident, $input:expr;)*) => {
        &[$(Attack {
            name: $name,
            input: $input,
            decode: [
                |input, arena| $how::<shapes::$message<'_>>(input, arena),
                |input, arena| $how::<shapes_small::$message<'_>>(input, arena),
            ],
        }),*]
    };
}

const ATTACKS: &[Attack] = attacks! {
    "one long string", wire Singular, |size| {
        let len = size as u32 & 0x1f_ffff;
        [&[0x72, len as u8 | 0x80, (len >> 7) as u8 | 0x80, (len >> 14) as u8][..], &vec![b'a'; len as usize]].concat()
    };
    "large messages of no bytes in a list", wire Mixed, |size| repeat(&[0x5a, 0], size);
    "groups in a list, each without its required field", wire Mixed, |size| repeat(&[0x63, 0x64], size);
    "groups in a list", wire Mixed, |size| repeat(&[0x63, 8, 1, 0x64], size);
    "strings of no bytes in a list", wire Mixed, |size| repeat(&[0x3a, 0], size);
    "strings of one character in a list", wire Mixed, |size| repeat(b"\x3a\x02\xc3\xa9", size);
    "lists that take turns", wire Mixed, |size| repeat(&[0x3a, 0, 0x42, 0], size);
    "lists that take turns, with a limit of strings", limited Mixed, |size| repeat(&[0x3a, 0, 0x42, 0], size);
    "packed runs of one element", wire Mixed, |size| repeat(&[0x0a, 1, 1], size);
    "one packed run of long varints", wire Mixed, |size| {
        let len = size as u32 / 10 * 10;
        let mut input = vec![0x0a, len as u8 | 0x80, (len >> 7) as u8 | 0x80, (len >> 14) as u8];
        input.extend([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1].repeat(len as usize / 10));
        input
    };
    "a message again and again", wire Singular, |size| repeat(&[0x92, 1, 2, 8, 1], size);
    "members of a oneof that take turns", wire Mixed, |size| repeat(&[0xfa, 1, 0, 0xc2, 2, 0], size);
    "entries of a map, keys ascending", wire Mixed, |size| entries(size, |index| index as u32);
    "entries of a map, keys mixed", wire Mixed, |size| entries(size, |index| (index as u32).wrapping_mul(0x9e37_79b1));
    "entries of a map, one key", wire Mixed, |size| entries(size, |_| 7);
    "entries of a map, long texts that begin alike", wire Mixed, |size| texts(size, |index| {
        format!("{}{:05x}", "k".repeat(70), mixed(index))
    });
    "entries of a map, texts that are alike in part after part", wire Mixed, |size| texts(size, |index| {
        (0..20).rev().map(|bit| if mixed(index) >> bit & 1 == 0 { "aaa-" } else { "aab-" }).collect()
    });
    "entries of a map, zeros of any number", wire Mixed, |size| texts(size, |index| "\0".repeat(mixed(index) as usize % 90));
    "unknown fields between known ones", wire Singular, |size| repeat(&[0xf8, 0x7d, 1, 8, 1], size);
    "a closed enum's unknown values", wire Mixed, |size| repeat(&[0x50, 7], size);
    "a list, and a mistake at the end", wire Mixed, |size| [repeat(&[0x5a, 0], size), vec![0]].concat();
    "JSON: large messages in a list", from_json Mixed, |size| enclosed("{\"singulars\":[{}", ",{}", "]}", size);
    "JSON: a string of escapes", from_json Singular, |size| enclosed("{\"aString\":\"", "\\u00e9", "\"}", size);
    "JSON: a number of many digits", from_json Singular, |size| enclosed("{\"aDouble\":0.", "7", "}", size);
    "JSON: unknown fields", from_json Singular, |size| enclosed("{\"x\":0", ",\"x\":[]", "}", size);
    "text: large messages in a list", from_text Mixed, |size| enclosed("", "singulars{}", "", size);
    "text: a string of pieces and escapes", from_text Singular, |size| enclosed("a_string:", "'\\303\\251'", "", size);
    "text: a number of many digits", from_text Singular, |size| enclosed("a_double:0.", "7", "", size);
};

/// Decodes an attack, so that another process counts: a few times to have the arena's memory, then `decodes` times.
fn run(attack: &Attack, small: usize, size: usize, decodes: u64) -> Option<(usize, Outcome)> {
    let input = (attack.input)(size);
    let decode = attack.decode.get(small)?;
    let mut arena = Arena::new();
    let mut outcome = Ok(());
    for _ in 0..2 + decodes {
        arena.reset();
        outcome = decode(&input, &arena);
    }
    Some((arena.peak_bytes(), outcome))
}

/// The instructions of one decode: what two processes take, of which one decodes more often.
fn instructions(index: usize, small: usize, size: usize) -> io::Result<u64> {
    let file = env::temp_dir().join(format!("defiant-worst-{}", process::id()));
    let total = |decodes: u64| {
        let mut valgrind = Command::new("valgrind");
        valgrind
            .arg("--tool=callgrind")
            .arg(format!("--callgrind-out-file={}", file.display()))
            .arg(env::current_exe()?);
        let output = valgrind.args([index, small, size, decodes as usize].map(|number| number.to_string())).output()?;
        let counts = fs::read_to_string(&file)?;
        let _ = fs::remove_file(&file);
        let total =
            counts.lines().find_map(|line| line.strip_prefix("summary:").or_else(|| line.strip_prefix("totals:")));
        let total = total.and_then(|total| total.trim().parse::<u64>().ok()).filter(|_| output.status.success());
        total.ok_or_else(|| io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned()))
    };
    let (few, many) = (total(1)?, total(1 + DECODES)?);
    Ok(many.saturating_sub(few) / DECODES)
}

fn table() -> io::Result<(String, bool)> {
    let mut table = String::new();
    let mut linear = true;
    for (index, attack) in ATTACKS.iter().enumerate() {
        let sizes = [SIZE, TIMES * SIZE];
        let lens = sizes.map(|size| (attack.input)(size).len() as f64);
        let mut growth = 0.0_f64;
        // The worse of both sizes, for each byte.
        let mut cell = |[few, many]: [f64; 2]| {
            growth = growth.max(many / few.max(1024.0));
            format!(" {:.1} |", (few / lens[0]).max(many / lens[1]))
        };
        let mut cells = String::new();
        for small in [0, 1] {
            let counts = [instructions(index, small, sizes[0])?, instructions(index, small, sizes[1])?];
            cells += &cell(counts.map(|count| count as f64));
        }
        let Some(((few, outcome), (many, _))) = run(attack, 0, sizes[0], 0).zip(run(attack, 0, sizes[1], 0)) else {
            continue;
        };
        cells += &cell([few, many].map(|bytes| bytes as f64));
        let outcome = outcome.err().unwrap_or("accepted");
        let _ = writeln!(table, "| {} |{cells} {growth:.1} | {outcome} |", attack.name);
        eprintln!("{:55}{growth:.1}", attack.name);
        if growth >= MOST as f64 {
            eprintln!("worst: {TIMES} times the input takes {MOST} times as much, or more: {}", attack.name);
            linear = false;
        }
    }
    Ok((table, linear))
}

fn page(table: &str) -> String {
    let rustc = Command::new("rustc").arg("--version").output().ok();
    let rustc = rustc.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default();
    format!(
        "# What a byte of input costs at worst\n\n\
         Written by `cargo run --release -p conformance --bin worst`: instructions, counted by callgrind, for each byte of one \
         message that is decoded into an arena that has its memory, for messages that are optimized for speed and for those \
         optimized for code size. Memory is the most that was used of the arena, the copy of the input included; of what is \
         rejected it is what stays, and `memory_limit` bounds what is taken meanwhile. The list of large messages is the worst there is: two bytes \
         of input become a struct, of {} bytes here, which the schema decides.\n\n\
         Each input has two sizes, {} KiB and {TIMES} times as much, and what is said of a byte is the worse of both. The last \
         but one column is what the larger input takes, as a multiple of the smaller, at most of instructions and memory: the \
         program fails at {MOST}. What takes less than {TIMES} times as much has a part that is the same for every input; mixed \
         keys are sorted; lists grow in steps, so that one size takes more for each byte than another.\n\n\
         {rustc}, {}.\n\n\
         | input | instructions for each byte | for code size | bytes of memory for each byte | {TIMES} times the input | \
         outcome |\n|---|--:|--:|--:|--:|---|\n{table}",
        size_of::<shapes::Singular<'_>>(),
        SIZE >> 10,
        env::consts::ARCH,
    )
}

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let numbers: Vec<usize> = arguments.iter().filter_map(|argument| argument.parse().ok()).collect();
    if let [index, small, size, decodes] = numbers[..] {
        let done = ATTACKS.get(index).and_then(|attack| run(attack, small, size, decodes as u64));
        return if black_box(done).is_some() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    let (table, linear) = match table() {
        Ok(table) => table,
        Err(error) => {
            eprintln!("worst: callgrind is needed: {error}");
            return ExitCode::from(2);
        }
    };
    if arguments.iter().any(|argument| argument == "check") {
        print!("{table}");
    } else if let Err(error) = fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join("WORST.md"), page(&table)) {
        eprintln!("worst: {error}");
        return ExitCode::FAILURE;
    }
    if linear { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
