//! A blocking client that checks every reply.

use std::{
    io::{self, Read, Write},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use defiant::{Arena, Encoder, Message};

use crate::{
    frames::Frames,
    peaks::{Reply, Search},
    service,
};

/// The longest reply that the client takes, in bytes.
const MAX_REPLY: usize = 1024 * 1024;

/// How long the client waits for a reply before it gives up.
const PATIENCE: Duration = Duration::from_secs(30);

/// What the searches look for, in turn.
const QUERIES: [&str; 6] = ["mont", "k", "matterhorn", "", "no such peak", "JAYA"];

/// One connection to the server.
#[derive(Debug)]
pub struct Client {
    socket: TcpStream,
    frames: Frames,
    encoder: Encoder,
    arena: Arena,
    next_id: u64,
}

impl Client {
    /// Connects to the server at this address.
    ///
    /// # Errors
    ///
    /// Whatever the socket reports.
    pub fn connect(address: SocketAddr) -> io::Result<Self> {
        let socket = TcpStream::connect(address)?;
        socket.set_nodelay(true)?;
        socket.set_read_timeout(Some(PATIENCE))?;
        Ok(Client { socket, frames: Frames::new(MAX_REPLY), encoder: Encoder::new(), arena: Arena::new(), next_id: 1 })
    }

    /// Makes this many searches, one after the other.
    ///
    /// # Errors
    ///
    /// Whatever the socket reports, an error reply, and a reply that is not the right one.
    pub fn search_many(&mut self, count: u64) -> io::Result<()> {
        (0..count).try_for_each(|_| self.search())
    }

    /// Makes one search and compares the reply with the one that the service's function gives here.
    fn search(&mut self) -> io::Result<()> {
        let search = Search {
            id: self.next_id,
            query: QUERIES[self.next_id as usize % QUERIES.len()],
            limit: (self.next_id % 4) as u32 * 2,
            ..Search::default()
        };
        self.next_id += 1;
        self.socket.write_all(self.encoder.encode_length_delimited(&search))?;

        let payload = next(&mut self.socket, &mut self.frames)?;
        let reply = Reply::decode(payload, &self.arena).map_err(io::Error::other)?;
        if !reply.error.is_empty() {
            return Err(io::Error::other(format!("the server says: {}", reply.error)));
        }
        if reply != service::find(&search, &self.arena) {
            return Err(io::Error::other(format!("the wrong reply to {search:?}: {reply:?}")));
        }
        self.arena.reset();
        Ok(())
    }

    /// Sends bytes as they are and returns the `error` of the reply, after which the server must have closed.
    ///
    /// # Errors
    ///
    /// Whatever the socket reports, and a server that goes on as if nothing had happened.
    pub fn provoke(mut self, bytes: &[u8]) -> io::Result<String> {
        self.socket.write_all(bytes)?;
        let payload = next(&mut self.socket, &mut self.frames)?;
        let reply = Reply::decode(payload, &self.arena).map_err(io::Error::other)?;
        match self.socket.read(&mut [0])? {
            0 => Ok(reply.error.to_owned()),
            _ => Err(io::Error::other("the server did not close the connection")),
        }
    }
}

/// The payload of the next frame.
fn next<'f>(socket: &mut TcpStream, frames: &'f mut Frames) -> io::Result<&'f [u8]> {
    while !frames.advance()? {
        let count = socket.read(frames.room())?;
        if !frames.filled(count)? {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the server closed the connection"));
        }
    }
    Ok(frames.frame())
}
