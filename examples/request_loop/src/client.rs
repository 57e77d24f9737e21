//! A blocking client that checks every reply.

use std::{
    io::{self, Write},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use defiant::frame::{FrameOptions, FrameReader};
use defiant::{Arena, Encoder};

use crate::{
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
    replies: FrameReader<TcpStream>,
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
        let replies = FrameReader::new(socket.try_clone()?, FrameOptions::new().max_len(MAX_REPLY));
        Ok(Client { socket, replies, encoder: Encoder::new(), arena: Arena::new(), next_id: 1 })
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

        let reply = next(&mut self.replies, &self.arena)?;
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
        let reply = next(&mut self.replies, &self.arena)?;
        match self.replies.read::<Reply<'_>>(&self.arena)? {
            None => Ok(reply.error.to_owned()),
            Some(_) => Err(io::Error::other("the server did not close the connection")),
        }
    }
}

/// The next reply.
fn next<'arena>(replies: &mut FrameReader<TcpStream>, arena: &'arena Arena) -> io::Result<Reply<'arena>> {
    let closed = || io::Error::new(io::ErrorKind::UnexpectedEof, "the server closed the connection");
    replies.read(arena)?.ok_or_else(closed)
}
