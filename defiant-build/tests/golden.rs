//! Golden files: `tests/golden/*.proto`, and what is made of them in a directory for each case. `BLESS=1` rewrites.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use defiant_build::Config;

use crate::cases::{CASES, Case};
use crate::support::{Room, golden};

/// Compiles a case into a directory, with a file that includes all others.
pub(crate) fn compile(case: &Case, config: &mut Config, out: &Path) {
    config.out_dir(out).include_file("protos.rs");
    (case.configure)(config);
    let protos: Vec<PathBuf> = case.protos.iter().map(|name| golden().join(name).with_extension("proto")).collect();
    config.compile_protos(&protos, &[golden()]).unwrap_or_else(|error| panic!("{}: {error}", case.name));
}

/// The `.rs` files of a directory, sorted.
fn sources(directory: &Path) -> Vec<String> {
    let entries: Vec<_> =
        fs::read_dir(directory).map(|entries| entries.filter_map(Result::ok).collect()).unwrap_or_default();
    let names = entries.iter().map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".rs")).collect();
    names.sort();
    names
}

#[test]
fn every_case() {
    let bless = env::var_os("BLESS").is_some();
    let mut different = Vec::new();
    for case in CASES {
        let room = Room::new(&[]);
        compile(case, &mut Config::new(), &room.out());
        let kept = golden().join(case.name);
        if bless {
            let _ = fs::remove_dir_all(&kept);
            fs::create_dir_all(&kept).unwrap();
            for name in sources(&room.out()) {
                fs::write(kept.join(&name), room.read(&name)).unwrap();
            }
        }
        if sources(&room.out()) != sources(&kept) {
            different.push(format!("{}: {:?} instead of {:?}", case.name, sources(&room.out()), sources(&kept)));
        }
        for name in sources(&room.out()) {
            if fs::read_to_string(kept.join(&name)).ok() != Some(room.read(&name)) {
                different.push(format!("{}/{name}", case.name));
            }
        }
    }
    assert!(different.is_empty(), "run with BLESS=1 and look at the diff of {different:#?}");
}

/// The generated text is what rustfmt makes of it, where rustfmt is at hand.
#[test]
fn rustfmt_has_nothing_to_say() {
    if !Command::new("rustfmt").arg("--version").output().is_ok_and(|output| output.status.success()) {
        return;
    }
    // The defaults of rustfmt, whatever the configuration around here.
    let room = Room::new(&[("rustfmt.toml", "")]);
    let mut command = Command::new("rustfmt");
    command.args(["--edition", "2024", "--check", "--config-path"]).arg(room.path("rustfmt.toml"));
    // What a service generator writes is its own affair.
    for case in CASES.iter().filter(|case| !case.name.starts_with("service")) {
        let directory = golden().join(case.name);
        command.args(sources(&directory).iter().map(|name| directory.join(name)));
    }
    let output = command.output().expect("rustfmt runs");
    assert!(
        output.status.success(),
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}
