//! One side of a conversation with a program in another language: `run` starts it.
//!
//! `serve local`, `serve threads`: a server, which prints its address and ends with its input. `call URL`: a client.

use std::error::Error;
use std::io::{Read as _, Write as _};

use defiant_grpc::ServerOptions;
use grpc_interop::{servers, talks};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let server = match arguments[..] {
        ["serve", "local"] => servers::local(ServerOptions::new().compress_from(1000))?,
        ["serve", "threads"] => servers::threads()?,
        ["call", url] => {
            // It panics when something is not as expected.
            tokio::runtime::Runtime::new()?.block_on(talks::ours(url.to_owned()));
            return Ok(());
        }
        _ => return Err("serve local, serve threads, or call URL".into()),
    };
    println!("{}", server.address());
    std::io::stdout().flush()?;
    std::io::stdin().read_to_end(&mut Vec::new())?;
    Ok(server.stop()?)
}
