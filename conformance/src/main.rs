//! The program that the conformance suite starts; it talks to it over standard input and output.
//!
//! With `DEFIANT_CONFORMANCE_TYPES=dynamic` in its environment, messages are dynamic instead of generated structs.

use std::{env, io, process::ExitCode};

use conformance::Types;

fn main() -> ExitCode {
    let types = match env::var("DEFIANT_CONFORMANCE_TYPES").as_deref() {
        Ok("dynamic") => Types::dynamic().map_err(io::Error::other),
        Ok("generated") | Err(env::VarError::NotPresent) => Ok(Types::generated()),
        _ => Err(io::Error::other("DEFIANT_CONFORMANCE_TYPES is neither `dynamic` nor `generated`")),
    };
    match types.and_then(|types| conformance::converse(io::stdin().lock(), io::stdout().lock(), &types)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("testee: {error}");
            ExitCode::FAILURE
        }
    }
}
