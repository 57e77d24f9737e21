//! A crate that denies everything, under whose own name for the runtime every golden case compiles.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use defiant_build::Config;

use crate::cases::CASES;
use crate::golden;

const MANIFEST: &str = r#"
[package]
name = "strict"
version = "0.0.0"
edition = "2024"

[lib]
path = "lib.rs"

[dependencies]
runtime = { package = "defiant", path = "RUNTIME" }
defiant-derive = { path = "DERIVE", features = ["reflect"], optional = true }

[features]
reflect = ["runtime/reflect"]
described = ["dep:defiant-derive"]

[workspace]
"#;

const HEAD: &str = r#"//! Strict.
#![no_std]
#![no_implicit_prelude]
#![deny(warnings, missing_docs, unreachable_pub, elided_lifetimes_in_paths)]
#![forbid(unsafe_code)]
#![deny(missing_copy_implementations, missing_debug_implementations, single_use_lifetimes, unused_qualifications)]

fn is_plain<T: ::runtime::Name + ::core::marker::Copy + ::core::marker::Send + ::core::marker::Sync>() {}

/// A future that runtimes may move from thread to thread.
fn is_sent(_: impl ::core::future::Future<Output = ()> + ::core::marker::Send + 'static) {}

/// A message as a decode into the arena gives it.
fn decoded<'arena, M: ::runtime::Message<'arena>>(arena: &'arena ::runtime::Arena) -> ::core::option::Option<M> {
    ::core::result::Result::ok(M::decode(&[][..], arena))
}

"#;

/// Writes the crate and returns its directory.
fn strict_crate() -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("strict");
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut lib = HEAD.to_owned();
    let mut checks = String::new();
    let mut descriptors = String::new();
    for case in CASES {
        let out = directory.join(case.name);
        let _ = fs::remove_dir_all(&out);
        golden::compile(case, Config::new().crate_path("::runtime"), &out);
        let name = case.name;
        let include = format!("::core::include!(\"{name}/protos.rs\");");
        // A registry is there only with the runtime's feature.
        let reflected = name == "registry";
        let condition = if reflected { "#[cfg(feature = \"reflect\")]\n" } else { "" };
        writeln!(lib, "/// The case `{name}`.\n{condition}pub mod case_{name} {{\n    {include}\n}}").unwrap();
        lib.push_str(case.by_hand);
        if reflected {
            assert!(fs::read_to_string(out.join("protos.rs")).unwrap().contains("pub fn registry()"));
            continue;
        }
        for (module, file) in included(&out) {
            for message in messages(&fs::read_to_string(out.join(file)).unwrap()) {
                let path = format!("case_{name}{module}::{message}<'static>");
                writeln!(checks, "    is_plain::<{path}>();").unwrap();
                // Arena and message are both alive where the future waits.
                let held = format!("case_{name}{module}::{message}<'_>");
                writeln!(
                    checks,
                    "    is_sent(async {{\n        let mut arena = ::runtime::Arena::new();\n        \
                     let message: ::core::option::Option<{held}> = decoded(&arena);\n        \
                     ::core::future::ready(()).await;\n        \
                     let _: ::core::option::Option<{held}> = message;\n        arena.reset();\n    }});"
                )
                .unwrap();
                writeln!(descriptors, "    <{path} as ::runtime::Message<'static>>::DESCRIPTOR,").unwrap();
            }
        }
    }
    assert!(checks.matches("is_sent").count() > 100, "{checks}");
    writeln!(lib, "/// Wide.\n#[cfg(feature = \"reflect\")]\npub mod wide {{\n{}\n}}", wide(2500)).unwrap();
    writeln!(lib, "#[allow(deprecated)]\nconst _: fn() = || {{\n{checks}}};").unwrap();
    writeln!(
        lib,
        "#[cfg(feature = \"reflect\")]\n#[allow(deprecated)]\nconst _: &[&::runtime::descriptor::MessageDescriptor] = &[\n{descriptors}];"
    )
    .unwrap();
    let runtime = workspace.join("defiant").canonicalize().unwrap();
    let derive = workspace.join("defiant-derive").canonicalize().unwrap();
    // The versions that the workspace has, so that nothing is downloaded.
    fs::copy(workspace.join("Cargo.lock"), directory.join("Cargo.lock")).unwrap();
    let manifest = MANIFEST.replace("RUNTIME", &runtime.to_string_lossy()).replace("DERIVE", &derive.to_string_lossy());
    fs::write(directory.join("Cargo.toml"), manifest).unwrap();
    fs::write(directory.join("lib.rs"), lib).unwrap();
    directory
}

/// A message of many fields, whose names descend. The compiler stops what it evaluates after some millions of steps.
fn wide(fields: u32) -> String {
    let fields = (1..=fields).map(|number| {
        let name = 9999 - number;
        format!("    /// A field.\n    #[defiant(bool, tag = {number})]\n    pub f{name}: bool,\n")
    });
    let fields: String = fields.collect();
    format!(
        "/// Wide.\n#[derive(Clone, Copy, Debug, PartialEq, ::runtime::Message)]\n#[defiant(crate = \"::runtime\")]\n\
         pub struct Wide<'arena> {{\n{fields}    /// Unknown.\n    #[defiant(unknown)]\n    \
         pub unknown_fields: ::runtime::UnknownFields<'arena>,\n}}"
    )
}

/// The path of each module of an include file that includes something, and what it includes.
fn included(out: &Path) -> Vec<(String, String)> {
    let mut modules = Vec::new();
    let mut found = Vec::new();
    for line in fs::read_to_string(out.join("protos.rs")).unwrap().lines() {
        let text = line.trim();
        if let Some(module) = text.strip_prefix("pub mod ") {
            modules.push(module.trim_end_matches(" {").to_owned());
        } else if text == "}" {
            modules.pop();
        } else if let Some(file) = text.strip_prefix("::core::include!(\"") {
            let path: String = modules.iter().flat_map(|module| ["::", module]).collect();
            found.push((path, file.trim_end_matches("\");").to_owned()));
        }
    }
    found
}

/// The paths of the messages in a generated file, found by its indentation.
fn messages(text: &str) -> Vec<String> {
    let mut modules: Vec<&str> = Vec::new();
    let mut found = Vec::new();
    for line in text.lines() {
        let item = line.trim_start();
        let depth = (line.len() - item.len()) / 4;
        if let Some(module) = item.strip_prefix("pub mod ") {
            modules.truncate(depth);
            modules.push(module.trim_end_matches(" {"));
        } else if let Some((name, _)) = item.strip_prefix("pub struct ").and_then(|rest| rest.split_once("<'arena>")) {
            found.push([&modules[..depth], &[name]].concat().join("::"));
        }
    }
    found
}

fn cargo(directory: &Path, arguments: &[&str]) -> (bool, String) {
    let output = Command::new(env!("CARGO"))
        .args(arguments)
        .current_dir(directory)
        .env("CARGO_TARGET_DIR", directory.join("target"))
        .env("RUSTDOCFLAGS", "-Dwarnings")
        .env("RUSTFLAGS", "")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .output()
        .expect("cargo runs");
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    (output.status.success(), text)
}

#[test]
fn a_strict_crate_compiles_it() {
    let directory = strict_crate();
    let check = if cargo(&directory, &["clippy", "--version"]).0 { "clippy" } else { "check" };
    let (success, text) = cargo(&directory, &[check, "--offline", "--quiet"]);
    assert!(success, "{text}");
    // With every descriptor made, and in reasonable time: no lint is in the way of what the compiler says of that.
    let (success, text) = cargo(&directory, &["check", "--offline", "--quiet", "--features", "reflect"]);
    assert!(success && !text.contains("taking a long time"), "{text}");
    // A derive that describes messages compiles with a runtime that does not, as in a build whose build scripts need more
    // of the runtime than the program.
    let (success, text) = cargo(&directory, &["check", "--offline", "--quiet", "--features", "described"]);
    assert!(success, "{text}");
    // Documentation without a warning, and without a test.
    let (success, text) = cargo(&directory, &["rustdoc", "--offline", "--quiet"]);
    assert!(success, "{text}");
    let (success, text) = cargo(&directory, &["rustdoc", "--offline", "--", "--test"]);
    assert!(success && text.contains("running 0 tests"), "{text}");
}
