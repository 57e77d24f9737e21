//! Converts between files of fuzz inputs and folders with one file per input, which fuzzers read.
//!
//! ```text
//! corpus unpack FILE FOLDER     writes the inputs of a file into a folder, named by their hashes
//! corpus pack FOLDER FILE       writes the files of a folder into a file
//! corpus add INPUT FILE         adds the contents of one file to a file of inputs
//! ```

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;
use std::process::ExitCode;
use std::{env, fs, io};

use conformance::properties::corpus;

fn unpack(file: &Path, folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    for input in corpus::read(file)? {
        let mut hasher = DefaultHasher::new();
        input.hash(&mut hasher);
        fs::write(folder.join(format!("{:016x}", hasher.finish())), input)?;
    }
    Ok(())
}

fn pack(folder: &Path, file: &Path) -> io::Result<()> {
    let inputs: io::Result<Vec<_>> = fs::read_dir(folder)?.map(|entry| fs::read(entry?.path())).collect();
    fs::write(file, corpus::format(&inputs?))
}

fn add(input: &Path, file: &Path) -> io::Result<()> {
    let mut inputs = if file.exists() { corpus::read(file)? } else { Vec::new() };
    inputs.push(fs::read(input)?);
    fs::write(file, corpus::format(&inputs))
}

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match arguments[..] {
        ["unpack", file, folder] => unpack(Path::new(file), Path::new(folder)),
        ["pack", folder, file] => pack(Path::new(folder), Path::new(file)),
        ["add", input, file] => add(Path::new(input), Path::new(file)),
        _ => {
            eprintln!("usage: corpus unpack FILE FOLDER | pack FOLDER FILE | add INPUT FILE");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("corpus: {}: {error}", arguments.join(" "));
            ExitCode::FAILURE
        }
    }
}
