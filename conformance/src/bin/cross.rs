//! Sends random messages through all formats, as structs and as dynamic messages, in search of a difference.
//!
//! ```text
//! cross CASES [SEED]
//! ```
//!
//! prints what it counted, and ends with 1 at the first difference, whose seed it prints. With
//! `DEFIANT_CONFORMANCE_PROTOS` set when it is compiled, as `conformance/run` sets it, the messages of the conformance suite
//! are among them.

use std::env;
use std::process::ExitCode;

use conformance::cross::{self, World};

fn main() -> ExitCode {
    let mut arguments = env::args().skip(1).map(|argument| argument.parse::<u64>().ok());
    let (Some(Some(cases)), Some(seed), None) =
        (arguments.next(), arguments.next().unwrap_or(Some(0)), arguments.next())
    else {
        eprintln!("usage: cross CASES [SEED]");
        return ExitCode::from(2);
    };
    let world = match World::new() {
        Ok(world) => world,
        Err(error) => {
            eprintln!("cross: {error}");
            return ExitCode::from(2);
        }
    };
    match cross::run(&world, cases, seed, |counts| eprintln!("{counts}")) {
        Ok(counts) => {
            println!("{counts}; no difference");
            ExitCode::SUCCESS
        }
        Err(difference) => {
            println!("{difference}");
            ExitCode::FAILURE
        }
    }
}
