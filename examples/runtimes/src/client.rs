//! A blocking client that checks every reply.

use std::{
    io::{self, Read, Write},
    net::{Shutdown, SocketAddr, TcpStream},
    time::Duration,
};

use defiant::Arena;
use defiant::frame::{FrameOptions, FrameReader};
use socket2::{Domain, Socket, Type};

use crate::{Burst, work::Reply};

/// How long the client waits for bytes before it gives up.
const PATIENCE: Duration = Duration::from_secs(60);

/// Bytes that are asked for as a small buffer.
const NARROW: usize = 32 * 1024;

/// One connection to a server.
#[derive(Debug)]
pub struct Client {
    socket: TcpStream,
    received: Vec<u8>,
}

impl Client {
    /// Connects to the server at this address.
    ///
    /// # Errors
    ///
    /// Whatever the socket reports.
    pub fn connect(address: SocketAddr) -> io::Result<Self> {
        Self::over(TcpStream::connect(address)?)
    }

    /// The same with buffers of the operating system that are as small as it makes them, so that they are soon full.
    ///
    /// # Errors
    ///
    /// Whatever the socket reports.
    pub fn connect_narrow(address: SocketAddr) -> io::Result<Self> {
        let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
        socket.set_recv_buffer_size(NARROW)?;
        socket.set_send_buffer_size(NARROW)?;
        socket.connect(&address.into())?;
        Self::over(socket.into())
    }

    fn over(socket: TcpStream) -> io::Result<Self> {
        socket.set_nodelay(true)?;
        socket.set_read_timeout(Some(PATIENCE))?;
        socket.set_write_timeout(Some(PATIENCE))?;
        Ok(Client { socket, received: Vec::new() })
    }

    /// Sends all requests of a burst, then waits for all replies.
    ///
    /// The burst must fit what the operating system buffers, because nothing is read meanwhile.
    ///
    /// # Errors
    ///
    /// Whatever the socket reports, and replies that are not the right ones.
    pub fn exchange(&mut self, burst: &Burst) -> io::Result<()> {
        self.socket.write_all(&burst.requests)?;
        self.expect(&burst.replies)
    }

    /// Waits for these bytes.
    ///
    /// # Errors
    ///
    /// Whatever the socket reports, and other bytes.
    pub fn expect(&mut self, replies: &[u8]) -> io::Result<()> {
        self.received.resize(replies.len(), 0);
        self.socket.read_exact(&mut self.received)?;
        if self.received == replies { Ok(()) } else { Err(io::Error::other("the wrong replies")) }
    }

    /// Sends bytes as they are.
    ///
    /// # Errors
    ///
    /// Whatever the socket reports.
    pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.socket.write_all(bytes)
    }

    /// Says that nothing more will be sent.
    ///
    /// # Errors
    ///
    /// Whatever the socket reports.
    pub fn done(&self) -> io::Result<()> {
        self.socket.shutdown(Shutdown::Write)
    }

    /// Sends what the socket takes at once, again and again, until it takes nothing for this long; then the server has
    /// stopped reading. Gives the bytes that it took.
    ///
    /// # Errors
    ///
    /// Whatever the socket reports, and more than `most` bytes: the server goes on reading.
    pub fn fill(&mut self, bytes: &[u8], quiet: Duration, most: usize) -> io::Result<usize> {
        self.socket.set_write_timeout(Some(quiet))?;
        let mut sent = 0;
        loop {
            // In step with the frames, wherever the last write stopped.
            match self.socket.write(&bytes[sent % bytes.len()..]) {
                Ok(count) => sent += count,
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => break,
                Err(error) => return Err(error),
            }
            if sent > most {
                return Err(io::Error::other("the server reads on, though nobody reads its replies"));
            }
        }
        self.socket.set_write_timeout(Some(PATIENCE))?;
        Ok(sent)
    }

    /// Sends bytes that are no good and returns the `error` of the reply, after which the server must have closed.
    ///
    /// # Errors
    ///
    /// Whatever the socket reports, and a server that goes on as if nothing had happened.
    pub fn provoke(mut self, bytes: &[u8], end: bool) -> io::Result<String> {
        self.socket.write_all(bytes)?;
        if end {
            self.done()?;
        }
        let arena = Arena::new();
        let mut replies = FrameReader::new(&self.socket, FrameOptions::new());
        let closed = || io::Error::new(io::ErrorKind::UnexpectedEof, "the server closed without a word");
        let reply: Reply<'_> = replies.read(&arena)?.ok_or_else(closed)?;
        match replies.read::<Reply<'_>>(&arena)? {
            None => Ok(reply.error.to_owned()),
            Some(_) => Err(io::Error::other("the server did not close the connection")),
        }
    }

    /// Waits until the server closes; gives what it sent before.
    ///
    /// # Errors
    ///
    /// Whatever the socket reports.
    pub fn drain(mut self) -> io::Result<Vec<u8>> {
        let mut rest = Vec::new();
        self.socket.read_to_end(&mut rest)?;
        Ok(rest)
    }
}
