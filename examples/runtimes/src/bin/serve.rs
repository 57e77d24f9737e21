//! The service on a runtime, until its standard input ends.
//!
//! ```sh
//! cargo run --release -p runtimes --bin serve -- monoio 127.0.0.1:7000
//! ```

use std::{env, error::Error, io, net::SocketAddr, process::ExitCode, time::Duration};

use runtimes::{Counting, Defiant, Runtime, Server, allocations};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How long clients may take to read their last replies.
const GRACE: Duration = Duration::from_secs(5);

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("serve: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [runtime, address] = &arguments[..] else {
        return Err("usage: serve RUNTIME ADDRESS".into());
    };
    let address: SocketAddr = address.parse().map_err(|error| format!("`{address}`: {error}"))?;
    let server = Server::start_at::<Defiant>(runtime.parse::<Runtime>()?, address)?;
    println!("{} on {}, at {}; ends with its input", server.runtime().name(), server.driver(), server.address());
    io::copy(&mut io::stdin(), &mut io::sink())?;
    let (answered, refused, ours) = (server.answered(), server.refused(), allocations().ours);
    server.stop(GRACE)?;
    println!("{answered} requests answered, {refused} connections refused, {ours} heap allocations of ours in all");
    Ok(())
}
