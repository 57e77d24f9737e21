//! Clients that do everything wrong.

use std::{io, net::SocketAddr, time::Duration};

use crate::{Burst, Client};

/// How long nothing has to move before a client that does not read counts as stuck.
const QUIET: Duration = Duration::from_millis(100);

/// More than the operating system buffers for a connection, in bytes.
const ENOUGH: usize = 256 << 20;

/// Connects so many times, one after the other, and breaks the connection in turn: with bytes that were changed on the
/// way, by leaving in the middle of a frame, and by leaving without a look at the replies. The same each time.
///
/// # Errors
///
/// When the server takes no connections any more. What happens to those that it takes is their own fault.
pub fn batter(address: SocketAddr, burst: &Burst, connections: u64) -> io::Result<()> {
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut below = |bound: usize| {
        // xorshift64*
        random ^= random >> 12;
        random ^= random << 25;
        random ^= random >> 27;
        (random.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound
    };
    let mut bytes = burst.requests.clone();
    for connection in 0..connections {
        let mut client = Client::connect(address)?;
        match connection % 3 {
            0 => {
                bytes.copy_from_slice(&burst.requests);
                for _ in 0..=below(4) {
                    bytes[below(burst.requests.len())] = below(256) as u8;
                }
                if client.send(&bytes).and_then(|()| client.done()).is_ok() {
                    let _ = client.drain();
                }
            }
            1 => {
                let _ = client.send(&burst.requests[..below(burst.requests.len())]);
            }
            _ => {
                let _ = client.send(&burst.requests);
            }
        }
    }
    Ok(())
}

/// A client that has sent requests until nothing moved any more, and read nothing; and the bytes that it sent.
///
/// # Errors
///
/// Whatever the socket reports, and a server that goes on reading.
pub fn stall(address: SocketAddr, burst: &Burst) -> io::Result<(Client, usize)> {
    let mut stalled = Client::connect_narrow(address)?;
    let sent = stalled.fill(&burst.requests, QUIET, ENOUGH)?;
    Ok((stalled, sent))
}
