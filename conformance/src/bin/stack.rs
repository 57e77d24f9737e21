//! Measures the stack that decodes take at the default recursion limit, and writes `conformance/STACK.md`.
//!
//! ```text
//! cargo run --release -p conformance --bin stack             measures a release build, and writes its part of the page
//! cargo run -p conformance --bin stack                       the same of a debug build
//! cargo run --release -p conformance --bin stack -- check    measures only
//! ```
//!
//! A decode runs in a thread of a process of its own. The size of the thread's stack is searched for by bisection: too
//! small a stack ends the process. Ends with 1 when a case takes more than 1 MiB in a release build, or 2 MiB in a debug build.

use std::fmt::Write as _;
use std::process::{Command, ExitCode, Stdio};
use std::{env, fs, io, path::Path};

use conformance::stack::{COLUMNS, Case, SHAPES, THREAD, cases};
use conformance::{deep, deep_small};

/// The precision of a measurement, in bytes.
const STEP: usize = 4 << 10;
/// The largest stack that is tried, in steps.
const MOST: usize = (64 << 20) / STEP;

/// Decodes a case in a thread with a stack of so many bytes.
fn run(case: Case, levels: usize, stack: usize) -> ExitCode {
    let thread = std::thread::Builder::new().stack_size(stack);
    match thread.spawn(move || case.accepts(levels)).map(std::thread::JoinHandle::join) {
        Ok(Ok(true)) => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

/// The least stack in which a decode of so many levels succeeds, in bytes.
fn measure(index: usize, levels: usize) -> io::Result<usize> {
    let succeeds = |steps: usize| -> io::Result<bool> {
        let numbers = [index, levels, steps * STEP].map(|number| number.to_string());
        let status = Command::new(env::current_exe()?).args(numbers).stderr(Stdio::null()).status()?;
        Ok(status.success())
    };
    // A stack below the least that the system gives is no smaller stack.
    let mut least = (16 << 10) / STEP;
    let mut most = least;
    while !succeeds(most)? {
        if most >= MOST {
            return Err(io::Error::other("the largest stack is too small"));
        }
        least = most;
        most *= 2;
    }
    while most - least > 1 {
        let middle = least.midpoint(most);
        *(if succeeds(middle)? { &mut most } else { &mut least }) = middle;
    }
    Ok(most * STEP)
}

fn levels(case: Case) -> io::Result<usize> {
    let thread = std::thread::Builder::new().stack_size(MOST * STEP);
    thread.spawn(move || case.levels())?.join().map_err(|_| io::Error::other("a decode panicked"))
}

fn table() -> io::Result<(String, usize)> {
    let mut table = String::from("| shape | levels |");
    for (format, form, large) in COLUMNS {
        let _ = write!(table, " {format:?}, {form:?}, {} |", if large { "large" } else { "small" });
    }
    let _ = write!(table, "\n|---|--:|{}\n", "--:|".repeat(COLUMNS.len()));
    let mut most = 0;
    let mut cases = cases().enumerate();
    for shape in SHAPES {
        let mut cells = String::new();
        let mut deepest = 0;
        for (index, case) in cases.by_ref().take(COLUMNS.len()) {
            let levels = levels(case)?;
            let stack = measure(index, levels)?;
            (deepest, most) = (deepest.max(levels), most.max(stack));
            let _ = write!(cells, " {} |", stack >> 10);
            eprintln!("{case}: {levels} levels, {} KiB", stack >> 10);
        }
        let _ = writeln!(table, "| {shape:?} | {deepest} |{cells}");
    }
    Ok((table, most))
}

/// The page, with the table of this build and what `current` has of the other one.
fn page(table: &str, current: &str) -> String {
    const BUILDS: [&str; 2] = ["## Release build\n\n", "## Debug build\n\n"];
    let rustc = Command::new("rustc").arg("--version").output().ok();
    let rustc = rustc.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default();
    let mut page = format!(
        "# The stack that a decode takes\n\n\
         Written by `cargo run --release -p conformance --bin stack` and the same without `--release`: the smallest stack, in \
         KiB, of a thread in which a message decodes that contains itself as deep as the default recursion limit allows. A \
         level of a map, and of a message in an inline message, is two levels of the wire. Structs of the messages: small, {} \
         bytes; large, {} bytes for speed and {} bytes for code size. A dynamic message holds all messages by reference.\n\n",
        size_of::<deep::Small<'_>>(),
        size_of::<deep::Large<'_>>(),
        size_of::<deep_small::Large<'_>>(),
    );
    for (build, heading) in BUILDS.into_iter().enumerate() {
        page += heading;
        if build == usize::from(cfg!(debug_assertions)) {
            let _ = write!(page, "{rustc}, {}.\n\n{table}\n", env::consts::ARCH);
        } else if let Some((_, other)) = current.split_once(heading) {
            page += other.split_once("\n## ").map_or(other, |(other, _)| other).trim_end();
            page += "\n\n";
        }
    }
    page.truncate(page.trim_end().len());
    page + "\n"
}

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let numbers: Vec<usize> = arguments.iter().filter_map(|argument| argument.parse().ok()).collect();
    if let [index, levels, stack] = numbers[..] {
        return cases().nth(index).map_or(ExitCode::FAILURE, |case| run(case, levels, stack));
    }
    let (table, most) = match table() {
        Ok(table) => table,
        Err(error) => {
            eprintln!("stack: {error}");
            return ExitCode::from(2);
        }
    };
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("STACK.md");
    let current = fs::read_to_string(&path).unwrap_or_default();
    if arguments.iter().any(|argument| argument == "check") {
        print!("{table}");
    } else if let Err(error) = fs::write(&path, page(&table, &current)) {
        eprintln!("stack: {error}");
        return ExitCode::FAILURE;
    }
    let allowed = if cfg!(debug_assertions) { THREAD } else { THREAD / 2 };
    if most > allowed {
        eprintln!("stack: a decode takes {most} bytes, more than {allowed}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
