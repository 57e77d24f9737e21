//! Golden files: `tests/golden/*.proto` and the `.rs` made of them. `BLESS=1` rewrites.

use std::env;
use std::fs;
use std::process::Command;

use crate::support::{Room, golden};

/// Compiles a golden `.proto` and compares the named outputs (what is written, and the golden file's name).
fn check(proto: &str, outputs: &[(&str, &str)], include_file: Option<&str>) {
    let room = Room::new(&[]);
    let mut config = room.config();
    if let Some(include_file) = include_file {
        config.include_file(include_file);
    }
    config.compile_protos(&[golden().join(proto)], &[golden()]).expect("the golden file compiles");

    let mut expected: Vec<&str> = outputs.iter().map(|(written, _)| *written).collect();
    expected.sort_unstable();
    assert_eq!(room.written(), expected);
    for (written, kept) in outputs {
        let text = room.read(written);
        let path = golden().join(kept);
        if env::var_os("BLESS").is_some() {
            fs::write(&path, &text).expect("the golden file is writable");
        }
        let kept_text = fs::read_to_string(&path).expect("a golden file: run with BLESS=1");
        assert_eq!(text, kept_text, "{kept} differs: run with BLESS=1 and look at the diff");
    }
}

#[test]
fn proto2() {
    check("proto2.proto", &[("golden.proto2.rs", "proto2.rs")], None);
}

#[test]
fn proto3() {
    check("proto3.proto", &[("golden.proto3.rs", "proto3.rs"), ("google.protobuf.rs", "timestamp.rs")], None);
}

#[test]
fn edition2023() {
    check(
        "edition2023.proto",
        &[
            ("golden.edition2023.rs", "edition2023.rs"),
            ("two.a.rs", "two_a.rs"),
            ("two.b.v1.rs", "two_b.rs"),
            ("_.rs", "two_root.rs"),
        ],
        None,
    );
}

#[test]
fn edition2024() {
    check("edition2024.proto", &[("golden.edition2024.rs", "edition2024.rs")], None);
}

#[test]
fn extensions() {
    check(
        "extensions.proto",
        &[("golden.extensions.rs", "extensions.rs"), ("golden.extended.rs", "extended.rs")],
        None,
    );
}

#[test]
fn keywords() {
    check("keywords.proto", &[("golden.type.rs", "keywords.rs")], None);
}

#[test]
fn comments() {
    check("comments.proto", &[("golden.comments.rs", "comments.rs")], None);
}

#[test]
fn two_packages() {
    check(
        "two_a.proto",
        &[
            ("two.a.rs", "two_a.rs"),
            ("two.b.v1.rs", "two_b.rs"),
            ("_.rs", "two_root.rs"),
            ("protos.rs", "two_include.rs"),
        ],
        Some("protos.rs"),
    );
}

/// The generated text is what rustfmt makes of it, where rustfmt is at hand.
#[test]
fn rustfmt_has_nothing_to_say() {
    if !Command::new("rustfmt").arg("--version").output().is_ok_and(|output| output.status.success()) {
        return;
    }
    // The defaults of rustfmt, whatever the configuration around here.
    let room = Room::new(&[("rustfmt.toml", "")]);
    for name in [
        "proto2",
        "proto3",
        "edition2023",
        "edition2024",
        "extensions",
        "extended",
        "keywords",
        "comments",
        "two_a",
        "two_b",
        "two_root",
        "two_include",
    ] {
        let output = Command::new("rustfmt")
            .args(["--edition", "2024", "--check", "--config-path"])
            .arg(room.path("rustfmt.toml"))
            .arg(golden().join(name).with_extension("rs"))
            .output()
            .expect("rustfmt runs");
        assert!(
            output.status.success(),
            "{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
    }
}
