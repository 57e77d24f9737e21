//! Stack bytes per level of nesting.
//!
//! A child process runs one operation on a thread with a stack of a given size, on a message of a given depth. It crashes
//! where the stack is too small. A binary search finds the smallest stack for three depths. The difference of two of them,
//! divided by the levels between them, is what one level takes.

use std::fmt::Write as _;
use std::hint::black_box;
use std::process::{Command, ExitCode, Stdio};
use std::{env, io, thread};

use conformance::{Types, shapes, shapes_small};
use defiant::reflect::DynamicMessage;
use defiant::{Arena, DecodeOptions, Encoder, json, text, wkt};

use super::{field, registry};

/// Levels of nesting.
const DEPTHS: [usize; 3] = [2000, 3000, 6000];
/// The same for an operation that refuses more than 1,000 levels.
const ENCODE_DEPTHS: [usize; 3] = [300, 600, 1000];
/// The index of that operation in [`FORMATS`].
const ENCODE: usize = 3;
/// A stack for a thread that prepares a message, and the largest that is tried.
const LARGEST: usize = 1 << 28;
const PAGE: usize = 4096;
/// What a level may take at great depth, as a multiple of what it takes at little depth.
const GROWTH: f64 = 1.05;
/// The exit code of a child whose operation does not nest or is an error.
const NOT_DONE: u8 = 3;

/// The operations, each a column.
const FORMATS: [&str; 8] =
    ["decode", "decode, code size", "decode, dynamic", "encode", "from JSON", "to JSON", "from text", "to text"];

/// The type of the outermost message.
#[derive(Clone, Copy)]
enum Root {
    Singular,
    Mixed,
    Known,
    Value,
}

/// A way of nesting.
struct Shape {
    name: &'static str,
    root: Root,
    /// Messages of one nesting.
    levels: usize,
    /// Whether the binary format nests; otherwise it has the inner message as bytes.
    is_nested: bool,
    /// Nests a wire once.
    wire: fn(&[u8]) -> Vec<u8>,
    /// Text before the inner message, the innermost one, and text after the inner message; empty without such a format.
    json: [&'static str; 3],
    text: [&'static str; 3],
}

const SHAPES: &[Shape] = &[
    Shape {
        name: "message",
        root: Root::Singular,
        levels: 1,
        is_nested: true,
        wire: |inner| field(&[0x92, 0x01], inner),
        json: [r#"{"aChild":"#, "{}", "}"],
        text: ["a_child{", "", "}"],
    },
    Shape {
        name: "group",
        root: Root::Singular,
        levels: 2,
        is_nested: true,
        wire: |inner| [&[0x9b, 0x01, 8, 1], &field(&[0x12], inner)[..], &[0x9c, 0x01]].concat(),
        json: [r#"{"aGroup":{"must":1,"may":"#, "{}", "}}"],
        text: ["a_group{must:1 may{", "", "}}"],
    },
    Shape {
        name: "message in a list",
        root: Root::Mixed,
        levels: 2,
        is_nested: true,
        wire: |inner| field(&[0x5a], &field(&[0x82, 0xfa, 0x01], inner)),
        json: [r#"{"singulars":[{"mixed":"#, "{}", "}]}"],
        text: ["singulars{mixed{", "", "}}"],
    },
    Shape {
        name: "message in a map",
        root: Root::Mixed,
        levels: 2,
        is_nested: true,
        wire: |inner| {
            let value = field(&[0x12], &field(&[0x82, 0xfa, 0x01], inner));
            field(&[0xaa, 0x01], &[&[8, 1], &value[..]].concat())
        },
        json: [r#"{"singularsByInt32":{"1":{"mixed":"#, "{}", "}}}"],
        text: ["singulars_by_int32{key:1 value{mixed{", "", "}}}"],
    },
    Shape {
        name: "message in a map, value before key",
        root: Root::Mixed,
        levels: 2,
        is_nested: true,
        wire: |inner| {
            let value = field(&[0x12], &field(&[0x82, 0xfa, 0x01], inner));
            field(&[0xaa, 0x01], &[&value[..], &[8, 1]].concat())
        },
        json: [""; 3],
        text: ["singulars_by_int32{value{mixed{", "", "}}key:1}"],
    },
    Shape {
        name: "message in a oneof",
        root: Root::Mixed,
        levels: 1,
        is_nested: true,
        wire: |inner| field(&[0xfa, 0x01], inner),
        json: [r#"{"chosenMixed":"#, "{}", "}"],
        text: ["chosen_mixed{", "", "}"],
    },
    Shape {
        name: "unknown group",
        root: Root::Singular,
        levels: 1,
        is_nested: true,
        wire: |inner| [&[0xfb, 0x7d], inner, &[0xfc, 0x7d]].concat(),
        json: [""; 3],
        text: [""; 3],
    },
    Shape {
        name: "extension",
        root: Root::Singular,
        levels: 2,
        is_nested: false,
        wire: |inner| field(&[0xb2, 0x06], &[&[8, 1], &field(&[0x12], inner)[..]].concat()),
        json: [r#"{"[shapes.a_needy_extension]":{"must":1,"may":"#, "{}", "}}"],
        text: ["[shapes.a_needy_extension]{must:1 may{", "", "}}"],
    },
    Shape {
        name: "`Any`",
        root: Root::Known,
        levels: 2,
        is_nested: false,
        wire: |inner| field(&[0x0a], &[field(&[0x0a], b"a/shapes.Known"), field(&[0x12], inner)].concat()),
        json: [r#"{"any":{"@type":"a/shapes.Known","empty":{},"known":"#, "{}", "}}"],
        text: ["any{[a/shapes.Known]{", "", "}}"],
    },
    Shape {
        name: "`ListValue`",
        root: Root::Value,
        levels: 2,
        is_nested: true,
        wire: |inner| field(&[0x32], &field(&[0x0a], inner)),
        json: ["[", "null", "]"],
        text: ["list_value{values{", "null_value:NULL_VALUE", "}}"],
    },
    Shape {
        name: "`Struct`",
        root: Root::Value,
        levels: 2,
        is_nested: true,
        wire: |inner| field(&[0x2a], &field(&[0x0a], &[&[0x0a, 0], &field(&[0x12], inner)[..]].concat())),
        json: [r#"{"":"#, "null", "}"],
        text: ["struct_value{fields{key:'' value{", "null_value:NULL_VALUE", "}}}"],
    },
];

/// Runs something on a stack of a size.
fn on_stack<T: Send>(bytes: usize, run: impl FnOnce() -> T + Send) -> Option<T> {
    thread::scope(|scope| thread::Builder::new().stack_size(bytes).spawn_scoped(scope, run).ok()?.join().ok())
}

fn nest(parts: [&str; 3], times: usize) -> Option<String> {
    let [begin, inner, end] = parts;
    (!end.is_empty()).then(|| [&begin.repeat(times), inner, &end.repeat(times)].concat())
}

/// Runs an operation on a message of `depth` levels with a stack of `bytes`: whether it worked. Crashes otherwise.
fn works(shape: &Shape, format: usize, depth: usize, bytes: usize) -> Option<bool> {
    let times = depth / shape.levels;
    let innermost: &[u8] = if matches!(shape.root, Root::Value) { &[8, 0] } else { &[] };
    let wire = (0..times).fold(innermost.to_vec(), |inner, _| (shape.wire)(&inner));
    let levels = u32::MAX;
    macro_rules! work {
        ($message:path, $small:path, $name:literal) => {{
            let decode = || {
                let arena = Arena::new();
                let options = DecodeOptions::new().recursion_limit(levels);
                black_box(options.decode::<$message>(&wire, &arena)).is_ok()
            };
            let print = |print: fn(&$message) -> bool| {
                on_stack(LARGEST, || {
                    let arena = Arena::new();
                    let message =
                        DecodeOptions::new().recursion_limit(levels).decode::<$message>(&wire, &arena).ok()?;
                    on_stack(bytes, || print(&message))
                })?
            };
            match format {
                0 if shape.is_nested => on_stack(bytes, decode),
                1 if shape.is_nested => on_stack(bytes, || {
                    let arena = Arena::new();
                    let options = DecodeOptions::new().recursion_limit(levels);
                    black_box(options.decode::<$small>(&wire, &arena)).is_ok()
                }),
                2 if shape.is_nested => {
                    let Types::Dynamic(pool) = Types::dynamic().ok()? else { return None };
                    let ty = pool.message($name)?;
                    on_stack(bytes, || {
                        let arena = Arena::new();
                        let options = DecodeOptions::new().recursion_limit(levels);
                        black_box(DynamicMessage::decode_with(ty, &wire, &options, &arena)).is_ok()
                    })
                }
                ENCODE if shape.is_nested => print(|message| !black_box(Encoder::new().encode(message)).is_empty()),
                4 => {
                    let input = nest(shape.json, times)?;
                    on_stack(bytes, || {
                        let arena = Arena::new();
                        let options = json::DecodeOptions::new().recursion_limit(levels).resolver(registry());
                        black_box(options.decode::<$message>(&input, &arena)).is_ok()
                    })
                }
                5 if !shape.json[2].is_empty() => print(|message| {
                    let options = json::EncodeOptions::new().recursion_limit(u32::MAX).resolver(registry());
                    black_box(options.encode(message)).is_ok()
                }),
                6 => {
                    let input = nest(shape.text, times)?;
                    on_stack(bytes, || {
                        let arena = Arena::new();
                        let options = text::DecodeOptions::new().recursion_limit(levels).resolver(registry());
                        black_box(options.decode::<$message>(&input, &arena)).is_ok()
                    })
                }
                7 => print(|message| {
                    let options = text::EncodeOptions::new().recursion_limit(u32::MAX).resolver(registry());
                    !black_box(options.unknown_fields(true).encode(message)).is_empty()
                }),
                _ => None,
            }
        }};
    }
    match shape.root {
        Root::Singular => work!(shapes::Singular<'_>, shapes_small::Singular<'_>, "shapes.Singular"),
        Root::Mixed => work!(shapes::Mixed<'_>, shapes_small::Mixed<'_>, "shapes.Mixed"),
        Root::Known => work!(shapes::Known<'_>, shapes_small::Known<'_>, "shapes.Known"),
        Root::Value => work!(wkt::Value<'_>, wkt::Value<'_>, "google.protobuf.Value"),
    }
}

/// A child process of [`table`].
pub(super) fn run(shape: usize, format: usize, depth: usize, bytes: usize) -> ExitCode {
    match SHAPES.get(shape).and_then(|shape| works(shape, format, depth, bytes)) {
        Some(true) => ExitCode::SUCCESS,
        _ => ExitCode::from(NOT_DONE),
    }
}

/// The smallest stack with which an operation works, in pages, if more than `few`. `None` where the operation does not nest.
fn smallest(shape: usize, format: usize, depth: usize, few: usize) -> io::Result<Option<usize>> {
    // `None` for a crash.
    let try_with = |pages: usize| {
        let numbers = [shape, format, depth, pages * PAGE].map(|number| number.to_string());
        let mut child = Command::new(env::current_exe()?);
        let status = child.arg("stack").args(numbers).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
        Ok::<_, io::Error>(status.code())
    };
    let (mut few, mut many) = (few, 2 * few);
    loop {
        match try_with(many)? {
            Some(0) => break,
            None if many * PAGE <= LARGEST => (few, many) = (many, 2 * many),
            _ => return Ok(None),
        }
    }
    while many - few > 1 {
        let middle = (few + many) / 2;
        if try_with(middle)? == Some(0) { many = middle } else { few = middle }
    }
    Ok(Some(many))
}

/// The stack's part of the page for the shapes with `name` in their names, and whether no level takes more than others.
pub(super) fn table(name: &str) -> io::Result<(String, bool)> {
    let mut table = "## Stack\n\n\
        Stack bytes per level of nesting, by the shape of a field and by the operation. `recursion_limit` bounds the levels \
        of JSON, of text and of a decode to 100 by default. Encoding is bounded to 1,000 levels. A dash marks a format that does \
        not nest, or that nests up to a fixed limit. STACK.md has the stack of a whole decode.\n\n\
        | shape |"
        .to_owned();
    FORMATS.iter().for_each(|format| table.extend([" ", format, " |"]));
    table.extend(["\n|---|", &"--:|".repeat(FORMATS.len()), "\n"]);
    let mut is_constant = true;
    for (index, shape) in SHAPES.iter().enumerate().filter(|(_, shape)| shape.name.contains(name)) {
        let _ = write!(table, "| {} |", shape.name);
        for (format, of) in FORMATS.iter().enumerate() {
            let mut pages = Vec::new();
            let depths = if format == ENCODE { ENCODE_DEPTHS } else { DEPTHS };
            for depth in depths {
                pages.extend(smallest(index, format, depth, pages.last().copied().unwrap_or(4))?);
            }
            let [few, some, many] = pages[..] else {
                table += " – |";
                continue;
            };
            let each = |(pages, levels): (usize, usize)| (pages * PAGE) as f64 / levels as f64;
            let (near, far) = (each((some - few, depths[1] - depths[0])), each((many - some, depths[2] - depths[1])));
            let _ = write!(table, " {:.0} |", far);
            eprintln!("{:40}{of:20}{near:8.0}{far:8.0} bytes of stack per level", shape.name);
            // The smaller depths are a page more or less.
            if far > GROWTH * near + (PAGE / (depths[1] - depths[0])) as f64 {
                eprintln!("worst: a level takes more stack the deeper it is: {}, {of}", shape.name);
                is_constant = false;
            }
        }
        table.push('\n');
    }
    Ok((table, is_constant))
}
