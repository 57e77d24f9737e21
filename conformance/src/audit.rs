//! Writes `SAFETY.md`: every `unsafe` in the repository, why it is sound, and what would notice if it were not.
//!
//! The page is made of the source; `BLESS=1` writes it anew, and without that the test fails when it is not current.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// What runs the code of a folder or file in anger: under Miri (`.ci/miri`), under AddressSanitizer (`.ci/asan`) and in fuzz
/// targets. The longest prefix counts. Tests are files of `defiant/tests/runtime`, or `unit` for those beside the code.
const CAUGHT_BY: &[(&str, &str, &str)] = &[
    ("benchmarks/", "", ""),
    ("examples/", "", ""),
    ("defiant/tests/", "", ""),
    ("defiant-derive/", "doors, modes", "doors"),
    ("defiant/src/arena/", "unit, memory, attacks, meddling", "doors, limits"),
    ("defiant/src/codec/", "doors, modes, oracle, memory, attacks", "doors, merge"),
    ("defiant/src/descriptor/", "unit, registry, dynamic, differential", "dynamic, generated, pool"),
    ("defiant/src/encoder.rs", "doors, vectored, oracle", "doors"),
    ("defiant/src/json/", "unit, refused", "json, generated"),
    ("defiant/src/map", "unit, modes, attacks, oracle", "doors, merge"),
    ("defiant/src/message/", "unit, doors, memory, attacks", "doors, limits, frames"),
    ("defiant/src/owned.rs", "unit", ""),
    ("defiant/src/pool/", "unit", ""),
    ("defiant/src/reflect/", "unit, registry, dynamic, descriptor_pool, meddling", "dynamic, generated, pool"),
    ("defiant/src/table/", "code_size, differential, dynamic", "doors, dynamic, pool"),
    ("defiant/src/text/", "unit, refused", "text, generated"),
    ("defiant/src/try_box.rs", "unit, refused, attacks", "doors, json, text"),
    ("defiant/src/undescribed.rs", "strict", ""),
    ("defiant/src/unknown/", "unit, modes, extension, message_set", "doors, merge, lazy"),
    ("defiant/src/wire/", "unit, packed, oracle, hostile, attacks", "doors, merge, prost, google"),
];

/// A use of `unsafe`.
#[derive(Debug, PartialEq, Eq)]
struct Unsafe {
    /// The function it is in, or the line itself where it is in none.
    place: String,
    /// `block`, `fn`, `impl`.
    kind: &'static str,
    /// The comment above it.
    proof: String,
}

/// The source without comments, strings and characters, and of each line the comment.
pub(crate) fn lines(source: &str) -> Vec<(String, String)> {
    let bytes: Vec<char> = source.chars().collect();
    let (mut lines, mut code, mut comment) = (Vec::new(), String::new(), String::new());
    let mut at = 0;
    let mut depth = 0;
    while let Some(&now) = bytes.get(at) {
        let next = bytes.get(at + 1).copied();
        match now {
            '\n' => lines.push((core::mem::take(&mut code), core::mem::take(&mut comment))),
            '/' if depth == 0 && next == Some('/') => {
                while bytes.get(at).is_some_and(|one| *one != '\n') {
                    comment.push(bytes[at]);
                    at += 1;
                }
                continue;
            }
            '/' if next == Some('*') => {
                depth += 1;
                at += 1;
            }
            '*' if depth > 0 && next == Some('/') => {
                depth -= 1;
                at += 1;
            }
            _ if depth > 0 => {}
            '"' => {
                let hashes = code.chars().rev().take_while(|one| *one == '#').count();
                let raw = code.trim_end_matches('#').ends_with(['r']) && hashes <= 3;
                at += 1;
                while let Some(&inner) = bytes.get(at) {
                    if inner == '\n' {
                        lines.push((core::mem::take(&mut code), core::mem::take(&mut comment)));
                    }
                    let closes = inner == '"'
                        && (!raw || bytes.iter().skip(at + 1).take_while(|one| **one == '#').count() >= hashes);
                    if closes {
                        break;
                    }
                    at += if inner == '\\' && !raw { 2 } else { 1 };
                }
                code.push_str("\"\"");
            }
            // A character, and not a lifetime.
            '\'' if next == Some('\\') || bytes.get(at + 2) == Some(&'\'') => {
                at += if next == Some('\\') { 3 } else { 2 };
                while bytes.get(at).is_some_and(|one| *one != '\'') {
                    at += 1;
                }
                code.push_str("' '");
            }
            other => code.push(other),
        }
        at += 1;
    }
    lines.push((code, comment));
    lines
}

/// Words of a line of code.
pub(crate) fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|one: char| !(one.is_alphanumeric() || one == '_')).filter(|word| !word.is_empty())
}

/// Names of the functions that a line of code begins. A type of a function is no function, and nor is a lint's name.
fn functions(code: &str) -> impl Iterator<Item = &str> {
    code.match_indices("fn ")
        .map(|(at, _)| &code[at + 3..])
        .filter(|behind| behind.starts_with(|one: char| one.is_alphabetic() || one == '_'))
        .filter_map(|behind| words(behind).next())
}

/// Every `unsafe` of a file.
fn find(source: &str) -> Vec<Unsafe> {
    let lines = lines(source);
    let mut found = Vec::new();
    let mut function = String::new();
    for (index, (code, _)) in lines.iter().enumerate() {
        if let Some(name) = functions(code).last() {
            function = name.to_owned();
        }
        for (at, _) in code.match_indices("unsafe") {
            let before = code[..at].chars().next_back().is_some_and(|one| one.is_alphanumeric() || one == '_');
            let behind = &code[at + "unsafe".len()..];
            if before || behind.starts_with(|one: char| one.is_alphanumeric() || one == '_' || one == '(') {
                continue;
            }
            let behind = behind.trim_start();
            let kind = match behind {
                _ if behind.starts_with("fn(") || behind.starts_with("extern \"\" fn(") => continue,
                _ if behind.starts_with("fn") => "function",
                _ if behind.starts_with("impl") => "implementation",
                _ if behind.starts_with("trait") => "trait",
                _ => "block",
            };
            let place = if kind == "implementation" {
                code.trim().trim_end_matches(['{', '}']).trim().to_owned()
            } else {
                function.clone()
            };
            found.push(Unsafe { place, kind, proof: proof(&lines, index, kind) });
        }
    }
    found
}

/// The safety comment of a line: above it, over attributes and the start of a statement that it goes on with, but no
/// other item's.
fn proof(lines: &[(String, String)], index: usize, kind: &str) -> String {
    let mut from = index;
    for above in (index.saturating_sub(12)..=index).rev() {
        let (code, comment) = &lines[above];
        let code = code.trim();
        let behind_another = above < index
            && if kind == "block" {
                functions(code).next().is_some()
            } else {
                code.ends_with(['}', ';', '{']) && !code.starts_with('#')
            };
        if behind_another {
            return String::new();
        }
        if comment.contains("SAFETY:") || comment.contains("# Safety") {
            from = above;
            break;
        }
        if above + 12 == index || above == 0 {
            return String::new();
        }
    }
    let mut text = String::new();
    for (_, comment) in &lines[from..=index] {
        let line = comment.trim_start_matches('/').trim();
        if comment.is_empty() && !text.is_empty() {
            break;
        }
        let line = line.split_once("SAFETY:").map_or(line, |line| line.1);
        text.push_str(line.trim_start_matches("# Safety").trim());
        text.push(' ');
    }
    text.trim().to_owned()
}

pub(crate) fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        let name = entry.file_name().and_then(|name| name.to_str()).unwrap_or("");
        // What is generated, compared with or built is no source of ours.
        if entry.is_dir()
            && !["target", "golden", "ui", "unsound", "corpus", "artifacts"].contains(&name)
            && !entry.ends_with("benchmarks/formats/generated")
            && !name.starts_with('.')
        {
            files(&entry, out);
        } else if name.ends_with(".rs") {
            out.push(entry);
        }
    }
}

/// The page.
fn page(root: &Path) -> String {
    let mut all = Vec::new();
    files(root, &mut all);
    all.sort();
    let mut body = String::new();
    let (mut count, mut count_of_files) = (0, 0);
    for file in all {
        let source = fs::read_to_string(&file).expect("a source");
        let name = file.strip_prefix(root).expect("below").to_str().expect("text").replace('\\', "/");
        let found = find(&source);
        let opens = says_so(&source);
        if found.is_empty() {
            assert!(!opens, "{name} expects unsafe code and has none");
            continue;
        }
        // A derive writes it into other crates; a lint that is lifted in a module is lifted in those below it.
        let folder = file.parent().expect("in a folder");
        let above = [folder.join("mod.rs"), folder.with_extension("rs")];
        let above = above.iter().any(|file| fs::read_to_string(file).is_ok_and(|source| says_so(&source)));
        assert!(opens || above || name.starts_with("defiant-derive/"), "{name} has unsafe code and does not say so");
        let Some((_, tests, targets)) =
            CAUGHT_BY.iter().filter(|one| name.starts_with(one.0)).max_by_key(|one| one.0.len())
        else {
            panic!("{name}: nothing is known to catch a mistake in it");
        };
        for test in tests.split(", ").filter(|test| !["", "unit", "strict"].contains(test)) {
            let path = root.join(format!("defiant/tests/runtime/{test}.rs"));
            let source = fs::read_to_string(&path).unwrap_or_default();
            // Its own, or those of other files.
            let any = source.contains("#[test]") || source.contains("#[path");
            assert!(any, "{name}: there are no tests in {}", path.display());
        }
        for target in targets.split(", ").filter(|target| !target.is_empty()) {
            assert!(root.join(format!("fuzz/targets/{target}.rs")).exists(), "{name}: no fuzz target {target}");
        }
        let reason = reason(&source);
        let _ = write!(body, "\n## {name}\n\n");
        if !reason.is_empty() {
            let _ = writeln!(body, "Why it has any: {reason}.");
        }
        if !tests.is_empty() {
            let _ = write!(body, "A breach is caught by the tests: {tests}");
            let _ = writeln!(
                body,
                "{}.",
                if targets.is_empty() { String::new() } else { format!("; by the fuzz targets: {targets}") }
            );
        } else {
            body.push_str("It is no part of what is published.\n");
        }
        body.push_str("\n| in | what | why it is sound |\n|---|---|---|\n");
        for one in &found {
            // Clippy asks the same of blocks and implementations, and of functions that are public.
            let mut proof = one.proof.as_str();
            if proof.is_empty() {
                let derive = name.starts_with("defiant-derive/");
                let good = derive || ["function", "trait"].contains(&one.kind);
                assert!(good, "{name}: {} has an unsafe {} without a reason", one.place, one.kind);
                proof = if derive {
                    "written where every field is checked to be so"
                } else {
                    "its contract is that of its trait or type"
                };
            }
            let _ = writeln!(
                body,
                "| `{}` | {} | {} |",
                one.place.replace('|', "\\|"),
                one.kind,
                proof.replace('|', "\\|")
            );
        }
        count += found.len();
        count_of_files += 1;
    }
    format!(
        "# Unsafe code\n\n\
         Every `unsafe` of the repository, with the reason that the source gives. `unsafe` is denied in every crate; a file \
         that needs it says so, at its top, at the function or at the top of its module, and no other file has any. This page is made of the source by \
         `conformance/src/audit.rs`, which fails where it is not current: `BLESS=1 cargo test -p conformance audit` writes \
         it.\n\n\
         Most of the tests that are named are run under Miri by `.ci/miri` (both aliasing models, 32 bits, big-endian), which \
         leaves out what takes too long there; all of them under AddressSanitizer by `.ci/asan`, and the fuzz targets by \
         `fuzz/run`. `unit` are the tests in the file or its folder, `strict` is a file of `defiant-build/tests`, the others are files of \
         `defiant/tests/runtime`.\n\n\
         There are {count} in {count_of_files} files.\n{body}"
    )
}

/// Whether a file says that it has unsafe code.
fn says_so(source: &str) -> bool {
    let mut lines = source.lines().map(str::trim_start);
    lines.any(|line| line.starts_with('#') && line.contains("expect(unsafe_code") || line == "unsafe_code,")
}

/// The reason that a file gives at its top.
fn reason(source: &str) -> String {
    let Some(at) = source.find("unsafe_code,") else { return String::new() };
    let Some((_, rest)) = source[at..].split_once('"') else { return String::new() };
    rest.split_once('"').map_or(String::new(), |reason| reason.0.to_owned())
}

#[test]
fn the_page_is_current() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the repository");
    let (page, file) = (page(&root), root.join("SAFETY.md"));
    if env::var_os("BLESS").is_some() {
        fs::write(&file, &page).expect("writable");
    }
    let current = fs::read_to_string(&file).unwrap_or_default();
    assert!(current == page, "SAFETY.md is not current: BLESS=1 cargo test -p conformance audit");
}

#[test]
fn unsafe_code_is_found() {
    let source = r##"
// unsafe { comment }
fn plain() { let text = "unsafe {"; let raw = r#"unsafe { " "#; let quote = '"'; let not_unsafe = 'u'; }
// SAFETY: it is known
// to be so.
unsafe impl Send for One {}
fn outer<'a>(f: unsafe fn(u8)) {
    // SAFETY: fine.
    let x = unsafe { 1 };
}
/// Does.
///
/// # Safety
/// Be careful.
unsafe fn inner() {}
unsafe fn beside() {
    one();
}
"##;
    let found: Vec<_> = find(source).into_iter().map(|one| (one.place, one.kind, one.proof)).collect();
    let expected = [
        ("unsafe impl Send for One", "implementation", "it is known to be so."),
        ("outer", "block", "fine."),
        ("inner", "function", "Be careful."),
        ("beside", "function", ""),
    ];
    assert_eq!(found, expected.map(|(place, kind, proof)| (place.to_owned(), kind, proof.to_owned())));
}
