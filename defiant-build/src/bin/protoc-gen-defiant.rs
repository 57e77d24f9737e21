//! The generator as a plugin of the protobuf compiler and of buf; see `defiant_build::plugin`.

use std::io::{self, Read, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    if std::env::args().any(|argument| argument == "--version") {
        println!("protoc-gen-defiant {}", env!("CARGO_PKG_VERSION"));
        return ExitCode::SUCCESS;
    }
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("protoc-gen-defiant: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let mut request = Vec::new();
    io::stdin().read_to_end(&mut request)?;
    io::stdout().write_all(&defiant_build::plugin::respond(&request)?)?;
    Ok(())
}
