//! The program that the conformance suite starts; it talks to it over standard input and output.
//!
//! With `DEFIANT_CONFORMANCE_TYPES=dynamic` in its environment, messages are dynamic instead of generated structs.

use std::{env, io, process::ExitCode};

use conformance::Types;

fn main() -> ExitCode {
    let dynamic = env::var_os("DEFIANT_CONFORMANCE_TYPES").is_some_and(|which| which == "dynamic");
    let types = if dynamic { Types::dynamic().map_err(io::Error::other) } else { Ok(Types::generated()) };
    match types.and_then(|types| conformance::converse(io::stdin().lock(), io::stdout().lock(), &types)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("testee: {error}");
            ExitCode::FAILURE
        }
    }
}
