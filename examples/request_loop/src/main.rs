//! Runs the service and its clients in one process and prints what it took.
//!
//! ```console
//! $ cargo run --release -p request_loop            # 20,000 requests
//! $ cargo run --release -p request_loop -- 500000
//! ```

use std::{env, error::Error, process::ExitCode};

use request_loop::{Load, run};

/// Requests made when the command line does not say how many.
const DEFAULT_REQUESTS: u64 = 20_000;

fn main() -> ExitCode {
    match requests().and_then(|requests| Ok(run(Load::new(requests))?)) {
        Ok(report) => {
            println!("{report}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("request_loop: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The number of requests that the command line asks for.
fn requests() -> Result<u64, Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let requests = match arguments.next() {
        None => DEFAULT_REQUESTS,
        Some(argument) => argument
            .parse()
            .ok()
            .filter(|&requests| requests > 0)
            .ok_or_else(|| format!("`{argument}` is not a number of requests"))?,
    };
    match arguments.next() {
        None => Ok(requests),
        Some(argument) => Err(format!("unexpected argument `{argument}`; usage: request_loop [REQUESTS]").into()),
    }
}
