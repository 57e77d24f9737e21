//! Writes seeds for the fuzz targets, each target's into a folder of its name.
//!
//! ```text
//! seeds FOLDER [TARGET]...
//! ```

use std::path::Path;
use std::process::ExitCode;
use std::{env, fs, io};

use conformance::properties;

fn write(folder: &Path, name: &str) -> io::Result<()> {
    let folder = folder.join(name);
    fs::create_dir_all(&folder)?;
    for (index, seed) in properties::seeds(name).map_err(io::Error::other)?.iter().enumerate() {
        fs::write(folder.join(format!("seed-{index:02}")), seed)?;
    }
    Ok(())
}

fn main() -> ExitCode {
    let mut arguments = env::args().skip(1);
    let Some(folder) = arguments.next() else {
        eprintln!("usage: seeds FOLDER [TARGET]...");
        return ExitCode::from(2);
    };
    let asked: Vec<_> = arguments.collect();
    let all = properties::ALL.iter().map(|one| one.0);
    for name in all.filter(|name| asked.is_empty() || asked.iter().any(|one| one == name)) {
        if let Err(error) = write(Path::new(&folder), name) {
            eprintln!("seeds: {name}: {error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
