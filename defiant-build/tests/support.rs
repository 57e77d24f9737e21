//! What the tests share.

use std::fs;
use std::path::{Path, PathBuf};

use defiant_build::{Config, Error};
use tempfile::TempDir;

/// The directory of the golden files.
pub(crate) fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

/// A place for `.proto` files and what is made of them.
pub(crate) struct Room {
    directory: TempDir,
}

impl Room {
    pub(crate) fn new(protos: &[(&str, &str)]) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        for (name, text) in protos {
            let path = directory.path().join(name);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
            fs::write(path, text).expect("a file");
        }
        Self { directory }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub(crate) fn out(&self) -> PathBuf {
        self.path("out")
    }

    /// A config that writes into this room.
    pub(crate) fn config(&self) -> Config {
        let mut config = Config::new();
        config.out_dir(self.out());
        config
    }

    pub(crate) fn compile(&self, config: &mut Config, name: &str) -> Result<(), Error> {
        config.compile_protos(&[self.path(name)], &[self.directory.path()])
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.out().join(name)).expect("a generated file")
    }

    /// The names of what has been written, sorted.
    pub(crate) fn written(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.out()) else { return Vec::new() };
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

/// Compiles one `.proto` text with a config made by `configure`, and returns the generated text.
pub(crate) fn generate(proto: &str, package: &str, configure: impl FnOnce(&mut Config)) -> Result<String, Error> {
    let room = Room::new(&[("it.proto", proto)]);
    let mut config = room.config();
    configure(&mut config);
    room.compile(&mut config, "it.proto")?;
    Ok(room.read(&format!("{package}.rs")))
}
