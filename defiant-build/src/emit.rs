//! The only room that writes: files, and lines to Cargo.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process;

use crate::error::Error;

/// Writes the files whose content differs from what is there. All of it is staged beside its place before the first
/// file is replaced.
pub(crate) fn write(files: &[(PathBuf, Vec<u8>)]) -> Result<(), Error> {
    let changed: Vec<_> =
        files.iter().filter(|(path, content)| !fs::read(path).is_ok_and(|old| old == *content)).collect();
    let mut staged = Vec::new();
    let written = changed.iter().try_for_each(|(path, content)| {
        let failed = |error| Error::io(format!("cannot write {}", path.display()), error);
        if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            fs::create_dir_all(parent).map_err(failed)?;
        }
        let mut name = OsString::from(".");
        name.push(path.file_name().unwrap_or_default());
        name.push(format!(".{}.tmp", process::id()));
        let beside = path.with_file_name(name);
        staged.push((beside.clone(), path));
        fs::write(beside, content).map_err(failed)
    });
    let written = written.and_then(|()| {
        staged.iter().try_for_each(|(beside, path)| {
            fs::rename(beside, path).map_err(|error| Error::io(format!("cannot write {}", path.display()), error))
        })
    });
    if written.is_err() {
        for (beside, _) in &staged {
            // Best effort: the failure to report is the first one.
            let _ = fs::remove_file(beside);
        }
    }
    written
}

/// Tells Cargo to run the build script again when one of these changes. Without any of them it stays with what Cargo
/// watches by itself, which is the whole package.
pub(crate) fn watch(paths: &[PathBuf], out_dir: &Path) {
    if in_build_script() {
        watch_lines(paths, out_dir).iter().for_each(|line| println!("{line}"));
    }
}

fn watch_lines(paths: &[PathBuf], out_dir: &Path) -> Vec<String> {
    if paths.is_empty() {
        return Vec::new();
    }
    // Watching a directory that holds the output would run the script again every time.
    let watched = paths.iter().filter(|path| !holds(path, out_dir));
    std::iter::once("cargo:rerun-if-env-changed=PROTOC".to_owned())
        .chain(watched.map(|path| format!("cargo:rerun-if-changed={}", path.display())))
        .collect()
}

/// Shows what the protobuf compiler warned about.
pub(crate) fn warn(warnings: &[String]) {
    if in_build_script() {
        for warning in warnings {
            println!("cargo:warning={warning}");
        }
    }
}

fn in_build_script() -> bool {
    env::var_os("OUT_DIR").is_some() && env::var_os("CARGO_MANIFEST_DIR").is_some()
}

/// Whether the directory holds the place of output, or Cargo's own.
fn holds(path: &Path, out_dir: &Path) -> bool {
    // The current directory may be given as nothing.
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let Ok(path) = path.canonicalize() else { return false };
    let target = env::var_os("OUT_DIR").map(PathBuf::from);
    [Some(out_dir.to_owned()), target]
        .into_iter()
        .flatten()
        .any(|inner| inner.canonicalize().is_ok_and(|inner| inner.starts_with(&path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_watched_that_changes_with_every_run() {
        let room = tempfile::tempdir().expect("a directory");
        let out = room.path().join("proto/out");
        fs::create_dir_all(&out).expect("a directory");
        let file = room.path().join("proto/a.proto");
        fs::write(&file, "").expect("a file");
        assert_eq!(
            watch_lines(&[file.clone(), room.path().join("proto")], &out),
            ["cargo:rerun-if-env-changed=PROTOC".to_owned(), format!("cargo:rerun-if-changed={}", file.display())]
        );
        assert_eq!(watch_lines(&[], &out), [] as [&str; 0]);
    }

    #[test]
    fn a_file_that_cannot_be_written_leaves_the_others_as_they_were() {
        let room = tempfile::tempdir().expect("a directory");
        let (good, in_the_way) = (room.path().join("good.rs"), room.path().join("file"));
        fs::write(&in_the_way, "").expect("a file");
        let error = write(&[(good, b"new".to_vec()), (in_the_way.join("bad.rs"), Vec::new())]).expect_err("no room");
        assert!(error.is_io());
        let left: Vec<_> =
            fs::read_dir(room.path()).expect("readable").map(|entry| entry.expect("one").path()).collect();
        assert_eq!(left, [in_the_way]);
    }
}
