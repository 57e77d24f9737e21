//! Programs without `unsafe` of their own that would break memory safety if they compiled.
//!
//! Each file of `tests/unsound` is a program. A comment `//~ E0200` states the code of an error that the compiler reports on
//! that line; every error is stated, and a program without one compiles and runs. All programs are targets of one crate, which
//! is checked in one run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

const MANIFEST: &str = r#"
[package]
name = "unsound"
version = "0.0.0"
edition = "2024"

[dependencies]
defiant = { path = "DEFIANT", features = ["dynamic", "json"] }

[workspace]
"#;

/// The errors of a program: line and code.
type Errors = Vec<(usize, String)>;

/// Writes the crate: its directory, and what is expected of each program.
fn programs() -> (PathBuf, BTreeMap<String, Errors>) {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("unsound");
    let _ = fs::remove_dir_all(directory.join("src"));
    fs::create_dir_all(directory.join("src/bin")).expect("a directory");
    let mut expected = BTreeMap::new();
    for entry in fs::read_dir(here.join("tests/unsound")).expect("programs") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().and_then(|name| name.to_str()).expect("a name").to_owned();
        let source = fs::read_to_string(&path).expect("a program");
        fs::write(directory.join(format!("src/bin/{name}.rs")), &source).expect("writable");
        let mut errors = Errors::new();
        for (line, text) in source.lines().enumerate() {
            let codes = text.split_once("//~").map_or("", |(_, codes)| codes);
            errors.extend(codes.split_whitespace().map(|code| (line + 1, code.to_owned())));
        }
        errors.sort();
        expected.insert(name, errors);
    }
    // The versions that the workspace has, so that nothing is downloaded.
    fs::copy(here.join("../Cargo.lock"), directory.join("Cargo.lock")).expect("a lock file");
    let defiant = here.join("../defiant").canonicalize().expect("the crate");
    fs::write(directory.join("Cargo.toml"), MANIFEST.replace("DEFIANT", &defiant.to_string_lossy())).expect("writable");
    (directory, expected)
}

fn cargo(directory: &Path, arguments: &[&str]) -> (bool, String) {
    let output = Command::new(env!("CARGO"))
        .args(arguments)
        .args(["--offline", "--quiet"])
        .current_dir(directory)
        .env("CARGO_TARGET_DIR", directory.join("target"))
        .env("RUSTFLAGS", "--cap-lints=allow")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .output()
        .expect("cargo runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.success(), text + &String::from_utf8_lossy(&output.stderr))
}

#[test]
fn safe_code_cannot_break_memory_safety() {
    let (directory, expected) = programs();
    let (_, output) = cargo(&directory, &["check", "--bins", "--keep-going", "--message-format=json"]);
    let mut found: BTreeMap<String, Errors> = expected.keys().map(|name| (name.clone(), Errors::new())).collect();
    let mut texts = String::new();
    for line in output.lines() {
        let Ok(message) = serde_json::from_str::<serde_json::Value>(line) else { continue };
        let message = (&message["target"]["name"], &message["message"]);
        let (Some(name), Some("error")) = (message.0.as_str(), message.1["level"].as_str()) else { continue };
        let Some(errors) = found.get_mut(name) else { panic!("{name}: {}", message.1["rendered"]) };
        // The summary at the end has no place.
        let spans = message.1["spans"].as_array().map_or(&[][..], Vec::as_slice);
        let Some(span) = spans.iter().find(|span| span["is_primary"] == true) else { continue };
        let line = span["line_start"].as_u64().and_then(|line| usize::try_from(line).ok()).unwrap_or(0);
        errors.push((line, message.1["code"]["code"].as_str().unwrap_or("none").to_owned()));
        texts.push_str(message.1["rendered"].as_str().unwrap_or(""));
    }
    for errors in found.values_mut() {
        errors.sort();
        errors.dedup();
    }
    assert!(found.values().any(|errors| !errors.is_empty()), "{output}");
    let differs = |(name, errors): &(&String, &Errors)| expected[*name] != **errors;
    let wrong: Vec<_> = found.iter().filter(differs).map(|(name, errors)| (name, errors, &expected[name])).collect();
    assert!(wrong.is_empty(), "found and expected errors of programs: {wrong:#?}\n{texts}");
    for (name, _) in expected.iter().filter(|(_, errors)| errors.is_empty()) {
        let (success, output) = cargo(&directory, &["run", "--bin", name]);
        assert!(success, "{name}: {output}");
    }
}
