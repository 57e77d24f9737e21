//! The program that the conformance suite starts; it talks to it over standard input and output.

use std::{io, process::ExitCode};

fn main() -> ExitCode {
    match conformance::converse(io::stdin().lock(), io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("testee: {error}");
            ExitCode::FAILURE
        }
    }
}
