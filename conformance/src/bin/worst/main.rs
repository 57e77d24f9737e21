//! Counts what a byte of input costs at worst, and writes `conformance/WORST.md`.
//!
//! ```text
//! cargo run --release -p conformance --bin worst                    counts, and writes the page
//! cargo run --release -p conformance --bin worst -- check [NAME]    counts only the cases with NAME in their names
//! ```
//!
//! Callgrind, a tool of valgrind, counts the instructions. The counts are the same in every run on one machine with one
//! compiler, whatever its load. Each case runs at one size and at sixteen times that size. Each case also has a
//! [`Growth`]: the most that the larger input may take, as a multiple of the smaller one.
//!
//! A second table has the stack bytes per level of nesting. The program finds the smallest stack on which a child process
//! survives at several depths.
//!
//! Exits with 1 when a cost grows faster than its case allows, with 2 where valgrind is missing.

use std::fmt::Write as _;
use std::hint::black_box;
use std::process::{Command, ExitCode};
use std::sync::OnceLock;
use std::{env, fs, io, path::Path, process};

use conformance::{Types, shapes, shapes_small};
use defiant::reflect::Registry;
use defiant::{Arena, DecodeError, DecodeOptions, Message, json, text};

mod stack;

/// Bytes of the smaller input, or a few less.
const SIZE: usize = 1 << 14;
/// How many times the input the larger one is.
const TIMES: usize = 16;
/// Counted runs of a case: two processes differ by this number of runs.
const RUNS: usize = 2;

/// What the larger input may take, as a multiple of the smaller one, which has a sixteenth of its length.
#[derive(Clone, Copy)]
enum Growth {
    /// Proportional to the input.
    Linear,
    /// Lists that double: one size has just doubled, the other is about to.
    Doubling,
    /// n log n, to sort a few thousand entries and 16 times as many.
    Sorting,
    /// n log² n: comparisons of sorted keys become longer, too.
    SortingDeepKeys,
}

impl Growth {
    fn most(self) -> f64 {
        match self {
            Growth::Linear => 17.5,
            Growth::Doubling => 24.0,
            Growth::Sorting => 22.0,
            Growth::SortingDeepKeys => 28.0,
        }
    }
}

/// What became of an input: accepted, or why not.
type Outcome = Result<(), &'static str>;
/// Prepares an input, then runs the case the given number of times. Returns the bytes of memory that one run takes.
type Run = fn(&[u8], usize) -> (usize, Outcome);

struct Attack {
    name: &'static str,
    growth: Growth,
    /// Makes an input of about the given number of bytes.
    input: fn(usize) -> Vec<u8>,
    /// With messages for speed, and with those for code size.
    run: [Run; 2],
}

/// Decodes a few times to warm the arena, then `times` times.
fn decoded(times: usize, decode: impl Fn(&Arena) -> Outcome) -> (usize, Outcome) {
    let mut arena = Arena::new();
    let mut outcome = Ok(());
    for _ in 0..2 + times {
        arena.reset();
        outcome = decode(&arena);
    }
    (arena.peak_bytes(), outcome)
}

/// Prints a few times, then `times` times. The memory is the printed text.
fn printed<E>(times: usize, print: impl Fn() -> Result<String, E>) -> (usize, Outcome) {
    let mut outcome = (0, Err("rejected"));
    for _ in 0..2 + times {
        outcome = black_box(print()).map_or((0, Err("rejected")), |text| (text.len(), Ok(())));
    }
    outcome
}

/// Works on a message a few times, then `times` times. The memory is what one time takes of its arena.
fn repeated(times: usize, arena: &Arena, work: impl Fn() -> Outcome) -> (usize, Outcome) {
    let before = arena.used_bytes();
    let mut outcome = Ok(());
    for _ in 0..2 + times {
        outcome = work();
    }
    ((arena.used_bytes() - before) / (2 + times), outcome)
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

/// The types that `Any` and extensions name.
fn registry() -> &'static Registry {
    static TYPES: OnceLock<Types> = OnceLock::new();
    match TYPES.get_or_init(Types::generated) {
        Types::Generated(registry) => registry,
        Types::Dynamic(_) => unreachable!("made above"),
    }
}

fn from_json<'a, M: Message<'a>>(input: &[u8], arena: &'a Arena) -> Outcome {
    let options = json::DecodeOptions::new().ignore_unknown_fields(true).resolver(registry());
    black_box(options.decode_slice::<M>(black_box(input), arena)).map(|_| ()).map_err(|_| "rejected")
}

fn from_text<'a, M: Message<'a>>(input: &[u8], arena: &'a Arena) -> Outcome {
    let input = core::str::from_utf8(input).map_err(|_| "no text")?;
    let options = text::DecodeOptions::new().resolver(registry());
    black_box(options.decode::<M>(black_box(input), arena)).map(|_| ()).map_err(|_| "rejected")
}

fn to_json<'a, M: Message<'a>>(input: &[u8], arena: &'a Arena, times: usize) -> (usize, Outcome) {
    let options = json::EncodeOptions::new().resolver(registry());
    let Ok(message) = M::decode(input, arena) else { return (0, Err("rejected")) };
    printed(times, || options.encode(black_box(&message)))
}

fn to_text<'a, M: Message<'a>>(input: &[u8], arena: &'a Arena, times: usize) -> (usize, Outcome) {
    let options = text::EncodeOptions::new().resolver(registry()).unknown_fields(true);
    let Ok(message) = M::decode(input, arena) else { return (0, Err("rejected")) };
    printed(times, || Ok::<_, ()>(options.encode(black_box(&message))))
}

/// Functions on extensions of `Singular`, of a package for speed or for code size.
macro_rules! extension_functions {
    ($package:ident) => {
        pub(super) fn get(input: &[u8], times: usize) -> (usize, Outcome) {
            let arena = Arena::new();
            let Ok(host) = $package::Singular::decode(input, &arena) else { return (0, Err("rejected")) };
            repeated(times, &arena, || {
                let one = black_box($package::AN_EXTENSION.get(black_box(&host))).map_err(|_| "rejected")?;
                let all = $package::SOME_EXTENSIONS.get(black_box(&host), &arena).map_err(|_| "rejected")?;
                black_box((one, all));
                Ok(())
            })
        }

        pub(super) fn set_and_clear(input: &[u8], times: usize) -> (usize, Outcome) {
            let arena = Arena::new();
            let Ok(host) = $package::Singular::decode(input, &arena) else { return (0, Err("rejected")) };
            repeated(times, &arena, || {
                let mut copy = host;
                $package::AN_EXTENSION.set(&mut copy, 7, &arena);
                $package::SOME_EXTENSIONS.clear(&mut copy, &arena);
                black_box(copy);
                Ok(())
            })
        }

        /// Each byte of the input is one element that is added.
        pub(super) fn add(input: &[u8], times: usize) -> (usize, Outcome) {
            let arena = Arena::new();
            repeated(times, &arena, || {
                let mut host = $package::Singular::default();
                for _ in input {
                    $package::SOME_EXTENSIONS.add(&mut host, "", &arena);
                }
                black_box(host);
                Ok(())
            })
        }
    };
}

mod extensions {
    use super::*;
    extension_functions!(shapes);
}

mod small_extensions {
    use super::*;
    extension_functions!(shapes_small);
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

/// Bytes of a level of nesting, so that the smaller input has 2 levels and the larger one 32.
const LEVEL: usize = SIZE / 2;

/// Wraps an input in itself: `wrap` adds about [`LEVEL`] bytes.
fn nested(size: usize, inner: Vec<u8>, wrap: impl Fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    (0..size / LEVEL).fold(inner, |inner, _| wrap(&inner))
}

/// Wraps text in itself: `begin`, the inner text, and a string of about [`LEVEL`] bytes between the two parts of `end`.
fn nested_text(size: usize, inner: &str, begin: &str, end: [&str; 2]) -> Vec<u8> {
    let end = [end[0], &"a".repeat(LEVEL), end[1]].concat();
    nested(size, inner.into(), |inner| [begin.as_bytes(), inner, end.as_bytes()].concat())
}

/// A JSON object of these members.
fn object(members: &[u8]) -> Vec<u8> {
    [b"{", members, b"}"].concat()
}

/// A length-delimited field.
fn field(tag: &[u8], value: &[u8]) -> Vec<u8> {
    let mut field = tag.to_vec();
    let mut len = value.len();
    while len >= 0x80 {
        field.push(len as u8 | 0x80);
        len >>= 7;
    }
    field.push(len as u8);
    field.extend_from_slice(value);
    field
}

/// A `Known` with a string, and with `inner` in its `any`.
fn known_in_any(inner: &[u8], padding: usize) -> Vec<u8> {
    let any = [field(&[0x0a], b"type.googleapis.com/shapes.Known"), field(&[0x12], inner)].concat();
    let singular = field(&[0x72], &vec![b'a'; padding]);
    [field(&[0x0a], &any), field(&[0x92, 0x03], &singular)].concat()
}

macro_rules! run {
    (decode $how:ident $message:path) => {
        |input, times| decoded(times, |arena| $how::<$message>(input, arena))
    };
    (print $how:ident $message:path) => {
        |input, times| $how::<$message>(input, &Arena::new(), times)
    };
}

macro_rules! attacks {
    ($($name:literal, $growth:ident, $kind:ident $how:ident $message:ident, $input:expr;)*) => {
        &[$(Attack {
            name: $name,
            growth: Growth::$growth,
            input: $input,
            run: attacks!(@run $kind $how $message),
        }),*]
    };
    (@run extension $how:ident $message:ident) => { [extensions::$how, small_extensions::$how] };
    (@run $kind:ident $how:ident $message:ident) => {
        [run!($kind $how shapes::$message<'_>), run!($kind $how shapes_small::$message<'_>)]
    };
}

const ATTACKS: &[Attack] = attacks! {
    "one long string", Linear, decode wire Singular, |size| {
        let len = size as u32 & 0x1f_ffff;
        [&[0x72, len as u8 | 0x80, (len >> 7) as u8 | 0x80, (len >> 14) as u8][..], &vec![b'a'; len as usize]].concat()
    };
    "large messages of no bytes in a list", Linear, decode wire Mixed, |size| repeat(&[0x5a, 0], size);
    "groups in a list, each without its required field", Linear, decode wire Mixed, |size| repeat(&[0x63, 0x64], size);
    "groups in a list", Linear, decode wire Mixed, |size| repeat(&[0x63, 8, 1, 0x64], size);
    "strings of no bytes in a list", Linear, decode wire Mixed, |size| repeat(&[0x3a, 0], size);
    "strings of one character in a list", Linear, decode wire Mixed, |size| repeat(b"\x3a\x02\xc3\xa9", size);
    "lists that take turns", Doubling, decode wire Mixed, |size| repeat(&[0x3a, 0, 0x42, 0], size);
    "lists that take turns, with a limit of strings", Doubling, decode limited Mixed, |size| repeat(&[0x3a, 0, 0x42, 0], size);
    "packed runs of one element", Linear, decode wire Mixed, |size| repeat(&[0x0a, 1, 1], size);
    "one packed run of long varints", Linear, decode wire Mixed, |size| {
        let len = size as u32 / 10 * 10;
        let mut input = vec![0x0a, len as u8 | 0x80, (len >> 7) as u8 | 0x80, (len >> 14) as u8];
        input.extend([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1].repeat(len as usize / 10));
        input
    };
    "a message again and again", Linear, decode wire Singular, |size| repeat(&[0x92, 1, 2, 8, 1], size);
    "members of a oneof that take turns", Linear, decode wire Mixed, |size| repeat(&[0xfa, 1, 0, 0xc2, 2, 0], size);
    "entries of a map, keys ascending", Linear, decode wire Mixed, |size| entries(size, |index| index as u32);
    "entries of a map, keys mixed", Sorting, decode wire Mixed, |size| entries(size, |index| (index as u32).wrapping_mul(0x9e37_79b1));
    "entries of a map, one key", Linear, decode wire Mixed, |size| entries(size, |_| 7);
    "entries of a map, long texts that begin alike", Sorting, decode wire Mixed, |size| texts(size, |index| {
        format!("{}{:05x}", "k".repeat(70), mixed(index))
    });
    "entries of a map, texts that are alike in part after part", SortingDeepKeys, decode wire Mixed, |size| texts(size, |index| {
        (0..20).rev().map(|bit| if mixed(index) >> bit & 1 == 0 { "aaa-" } else { "aab-" }).collect()
    });
    "entries of a map, zeros of any number", Sorting, decode wire Mixed, |size| texts(size, |index| "\0".repeat(mixed(index) as usize % 90));
    "unknown fields between known ones", Linear, decode wire Singular, |size| repeat(&[0xf8, 0x7d, 1, 8, 1], size);
    "a closed enum's unknown values", Linear, decode wire Mixed, |size| repeat(&[0x50, 7], size);
    "a list, and a mistake at the end", Linear, decode wire Mixed, |size| [repeat(&[0x5a, 0], size), vec![0]].concat();
    "JSON: large messages in a list", Linear, decode from_json Mixed, |size| enclosed("{\"singulars\":[{}", ",{}", "]}", size);
    "JSON: a string of escapes", Linear, decode from_json Singular, |size| enclosed("{\"aString\":\"", "\\u00e9", "\"}", size);
    "JSON: a number of many digits", Linear, decode from_json Singular, |size| enclosed("{\"aDouble\":0.", "7", "}", size);
    "JSON: unknown fields", Linear, decode from_json Singular, |size| enclosed("{\"x\":0", ",\"x\":[]", "}", size);
    "text: large messages in a list", Linear, decode from_text Mixed, |size| enclosed("", "singulars{}", "", size);
    "text: a string of pieces and escapes", Linear, decode from_text Singular, |size| enclosed("a_string:", "'\\303\\251'", "", size);
    "text: a number of many digits", Linear, decode from_text Singular, |size| enclosed("a_double:0.", "7", "", size);
    "text: a map's values before their keys", Linear, decode from_text Mixed, |size| {
        enclosed("", "singulars_by_int32{value{a_int32:1 a_string:'abc'}key:7}", "", size)
    };
    "text: maps in maps, values before their keys", Linear, decode from_text Mixed, |size| {
        nested_text(size, "", "singulars_by_int32{value{mixed{", ["}a_string:'", "'}key:1}"])
    };
    // The outermost level has no string of its own, so all of the input is inside of an `Any` at both sizes. Memory is
    // linear in the input but for one step between both sizes: about two bytes for each byte before it, and three after it.
    "JSON: Any in Any, types first", Doubling, decode from_json Known, |size| {
        let begin = r#""any":{"@type":"type.googleapis.com/shapes.Known","#;
        let inner = nested_text(size, r#""empty":{}"#, begin, [r#"},"singular":{"aString":""#, r#""}"#]);
        object(&[begin.as_bytes(), &inner, b"}"].concat())
    };
    "JSON: Any in Any, types last", Doubling, decode from_json Known, |size| {
        let end = [r#","@type":"type.googleapis.com/shapes.Known"},"singular":{"aString":""#, r#""}"#];
        let inner = nested_text(size, r#""empty":{}"#, r#""any":{"#, end);
        object(&[br#""any":{"#, &inner[..], br#","@type":"type.googleapis.com/shapes.Known"}"#].concat())
    };
    "text: Any in Any", Linear, decode from_text Known, |size| {
        nested_text(size, "", "any{[type.googleapis.com/shapes.Known]{", ["}}singular{a_string:'", "'}"])
    };
    "JSON: print Any in Any", Linear, print to_json Known, |size| {
        nested(size, Vec::new(), |inner| known_in_any(inner, LEVEL))
    };
    "text: print Any in Any", Linear, print to_text Known, |size| {
        nested(size, Vec::new(), |inner| known_in_any(inner, LEVEL))
    };
    "JSON: print large messages in a list", Linear, print to_json Mixed, |size| repeat(&[0x5a, 0], size);
    "text: print large messages in a list", Linear, print to_text Mixed, |size| repeat(&[0x5a, 0], size);
    "JSON: print messages in each other", Linear, print to_json Singular, |size| {
        nested(size, Vec::new(), |inner| [field(&[0x92, 1], inner), field(&[0x72], &[b'a'; LEVEL])].concat())
    };
    "text: print messages in each other", Linear, print to_text Singular, |size| {
        nested(size, Vec::new(), |inner| [field(&[0x92, 1], inner), field(&[0x72], &[b'a'; LEVEL])].concat())
    };
    "JSON: print a string of escapes", Linear, print to_json Singular, |size| field(&[0x72], &vec![1; size]);
    "text: print a string of escapes", Linear, print to_text Singular, |size| field(&[0x72], &vec![1; size]);
    "JSON: print large doubles", Linear, print to_json Mixed, |size| field(&[0x2a], &repeat(&f64::MIN.to_le_bytes(), size));
    "text: print large doubles", Linear, print to_text Mixed, |size| field(&[0x2a], &repeat(&f64::MIN.to_le_bytes(), size));
    "JSON: print entries of a map", Linear, print to_json Mixed, |size| entries(size, |index| 1 << 20 | index as u32);
    "text: print entries of a map", Linear, print to_text Mixed, |size| entries(size, |index| 1 << 20 | index as u32);
    "text: print unknown groups", Linear, print to_text Singular, |size| repeat(&[0xfb, 0x7d, 8, 1, 0xfc, 0x7d], size);
    "text: print unknown bytes", Linear, print to_text Singular, |size| repeat(&[0xfa, 0x7d, 2, 8, 1], size);
    "JSON: print an extension's elements between unknown fields", Doubling, print to_json Singular, |size| {
        repeat(&[0xaa, 6, 0, 0xf8, 0x7d, 1], size)
    };
    "text: print an extension's elements between unknown fields", Linear, print to_text Singular, |size| {
        repeat(&[0xaa, 6, 0, 0xf8, 0x7d, 1], size)
    };
    "JSON: print an extension that is replaced", Linear, print to_json Singular, |size| repeat(&[0xa0, 6, 1], size);
    "text: print an extension that is replaced", Linear, print to_text Singular, |size| repeat(&[0xa0, 6, 1], size);
    "extensions: get among unknown fields", Linear, extension get Singular, |size| {
        [repeat(&[0xf8, 0x7d, 1], size), vec![0xa0, 6, 1]].concat()
    };
    "extensions: get a list between unknown fields", Linear, extension get Singular, |size| {
        repeat(&[0xaa, 6, 0, 0xf8, 0x7d, 1], size)
    };
    "extensions: set and clear among unknown fields", Linear, extension set_and_clear Singular, |size| {
        repeat(&[0xaa, 6, 0, 0xf8, 0x7d, 1], size)
    };
    "extensions: add elements one by one", Doubling, extension add Singular, |size| vec![0; size / 4];
    "JSON: an extension's elements", Linear, decode from_json Singular, |size| {
        enclosed(r#"{"[shapes.some_extensions]":["""#, r#","a""#, "]}", size)
    };
    "text: an extension's elements", Linear, decode from_text Singular, |size| {
        enclosed("", "[shapes.some_extensions]:'a' [shapes.packed_extensions]:1 ", "", size)
    };
};

/// Runs a case, so that another process counts its instructions.
fn run(attack: &Attack, small: usize, size: usize, times: usize) -> Option<(usize, Outcome)> {
    Some((attack.run.get(small)?)(&(attack.input)(size), times))
}

/// The instructions of one run: the difference of two processes, of which one runs the case more often.
fn instructions(index: usize, small: usize, size: usize) -> io::Result<u64> {
    let file = env::temp_dir().join(format!("defiant-worst-{}", process::id()));
    let total = |times: usize| {
        let mut valgrind = Command::new("valgrind");
        valgrind
            .arg("--tool=callgrind")
            .arg(format!("--callgrind-out-file={}", file.display()))
            .arg(env::current_exe()?);
        let output = valgrind.args([index, small, size, times].map(|number| number.to_string())).output()?;
        let counts = fs::read_to_string(&file)?;
        let _ = fs::remove_file(&file);
        let total =
            counts.lines().find_map(|line| line.strip_prefix("summary:").or_else(|| line.strip_prefix("totals:")));
        let total = total.and_then(|total| total.trim().parse::<u64>().ok()).filter(|_| output.status.success());
        total.ok_or_else(|| io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned()))
    };
    let (few, many) = (total(1)?, total(1 + RUNS)?);
    Ok(many.saturating_sub(few) / RUNS as u64)
}

/// The rows of the cases with `name` in their names, and whether all costs grow as slowly as they should.
fn table(name: &str) -> io::Result<(String, bool)> {
    let mut table = String::new();
    let mut is_good = true;
    for (index, attack) in ATTACKS.iter().enumerate().filter(|(_, attack)| attack.name.contains(name)) {
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
        let most = attack.growth.most();
        let _ = writeln!(table, "| {} |{cells} {growth:.1} | {most} | {outcome} |", attack.name);
        eprintln!("{:65}{growth:6.1}  {outcome}", attack.name);
        if growth > most {
            eprintln!(
                "worst: {TIMES} times the input costs {growth:.1} times as much, more than {most}: {}",
                attack.name
            );
            is_good = false;
        }
    }
    Ok((table, is_good))
}

fn page(table: &str, stack: &str) -> String {
    let rustc = Command::new("rustc").arg("--version").output().ok();
    let rustc = rustc.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default();
    format!(
        "# What a byte of input costs at worst\n\n\
         Written by `cargo run --release -p conformance --bin worst` with {rustc} on {}.\n\n\
         ## Instructions and memory\n\n\
         Callgrind counts the instructions of a case, divided by the bytes of its input: one column for messages that are \
         optimized for speed, one for messages that are optimized for code size. Decodes use a warm arena. The memory of a \
         decode is the peak of its arena, with the copy of the input. The memory of a rejected input is what stays in the \
         arena afterwards. The memory of printing is the printed text. The list of large messages needs the most memory: two \
         bytes of input become a struct, here of {} bytes, whose size depends on the schema.\n\n\
         Each input has two sizes, {} KiB and {TIMES} times as much. The table has the worse cost per byte. *Growth* is \
         the cost of the larger input as a multiple of the smaller one's, for instructions or memory, whichever grows \
         faster. The program fails where the growth is above *at most*: about {TIMES} for linear costs, more where keys are \
         sorted, and where a list has just doubled at one size and not at the other.\n\n\
         | input | instructions per byte | for code size | bytes of memory per byte | growth | at most | outcome |\n\
         |---|--:|--:|--:|--:|--:|---|\n{table}\n\
         {stack}",
        env::consts::ARCH,
        size_of::<shapes::Singular<'_>>(),
        SIZE >> 10,
    )
}

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let numbers: Vec<usize> = arguments.iter().filter_map(|argument| argument.parse().ok()).collect();
    match (&arguments[..], &numbers[..]) {
        (["stack", ..], [shape, format, depth, bytes]) => return stack::run(*shape, *format, *depth, *bytes),
        (_, [index, small, size, times]) => {
            let done = ATTACKS.get(*index).and_then(|attack| run(attack, *small, *size, *times));
            return if black_box(done).is_some() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
        }
        _ => {}
    }
    let (is_check, name) = match arguments[..] {
        [] => (false, ""),
        ["check"] => (true, ""),
        ["check", name] => (true, name),
        _ => {
            eprintln!("usage: worst [check [NAME]]");
            return ExitCode::from(2);
        }
    };
    if Command::new("valgrind").arg("--version").output().is_err() {
        println!("skipped: no valgrind");
        return ExitCode::from(2);
    }
    let tables = table(name).and_then(|costs| Ok((costs, stack::table(name)?)));
    let ((costs, grow_slowly), (stack, is_constant)) = match tables {
        Ok(tables) => tables,
        Err(error) => {
            eprintln!("worst: {error}");
            return ExitCode::FAILURE;
        }
    };
    if is_check {
        print!("{costs}\n{stack}");
    } else {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("WORST.md");
        if let Err(error) = fs::write(path, page(&costs, &stack)) {
            eprintln!("worst: {error}");
            return ExitCode::FAILURE;
        }
    }
    if grow_slowly && is_constant { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
