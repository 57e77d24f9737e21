//! Limits and memory of a server.

use std::time::Duration;

use defiant::DecodeOptions;
use defiant::pool::PoolOptions;

use crate::exchange::Limits;

/// Limits and memory of a [`Server`](crate::Server).
#[derive(Clone, Copy, Debug)]
pub struct ServerOptions {
    pub(crate) limits: Limits,
    pub(crate) pool: PoolOptions,
    pub(crate) concurrent_calls: u32,
    pub(crate) header_bytes: u32,
    pub(crate) connections: usize,
    pub(crate) handshake_timeout: Duration,
    pub(crate) idle_timeout: Duration,
    pub(crate) call_timeout: Duration,
    pub(crate) keepalive: (Duration, Duration),
    /// Of a call, and of a connection.
    pub(crate) windows: (u32, u32),
    pub(crate) compressed_from: Option<usize>,
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl ServerOptions {
    /// Messages of at most 4 MiB and headers of 16 KiB, [`DecodeOptions::new`], [`PoolOptions::new`], 200 calls at a time on a
    /// connection, which says what it is within 10 seconds, ends after 5 to 10 minutes without calls, and is asked every 5
    /// minutes whether it is still there; 1024 connections; windows of 1 MiB; and calls that take as long as they like.
    #[must_use]
    pub const fn new() -> Self {
        ServerOptions {
            limits: Limits { message_bytes: 4 << 20, decode: DecodeOptions::new() },
            pool: PoolOptions::new(),
            concurrent_calls: 200,
            header_bytes: 16 << 10,
            connections: 1024,
            handshake_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_secs(5 * 60),
            call_timeout: Duration::MAX,
            keepalive: (Duration::from_secs(5 * 60), Duration::from_secs(60)),
            windows: (1 << 20, 1 << 20),
            compressed_from: None,
        }
    }

    /// Bytes that a message from a client may take, on the wire and, if it was compressed, when it is no longer.
    #[must_use]
    pub const fn max_message_bytes(mut self, bytes: usize) -> Self {
        self.limits.message_bytes = bytes;
        self
    }

    /// The limits for decoding messages.
    #[must_use]
    pub const fn decode_options(mut self, options: DecodeOptions) -> Self {
        self.limits.decode = options;
        self
    }

    /// How many arenas are kept for calls to come, and how large they may be.
    #[must_use]
    pub const fn pool_options(mut self, options: PoolOptions) -> Self {
        self.pool = options;
        self
    }

    /// Compresses answers of at least so many bytes with gzip, for clients that take it. Without this, none are.
    ///
    /// Level 1 of deflate: a server's time is worth more than the last bytes. What does not get shorter is sent as it is.
    #[cfg(feature = "gzip")]
    #[must_use]
    pub const fn compress_from(mut self, bytes: usize) -> Self {
        self.compressed_from = Some(bytes);
        self
    }

    /// Calls that a connection may have open at a time; a client that has more to ask waits.
    #[must_use]
    pub const fn max_concurrent_calls(mut self, calls: u32) -> Self {
        self.concurrent_calls = calls;
        self
    }

    /// Bytes that the headers of a call may take: their names and values, and 32 for each of them, as HTTP/2 counts.
    ///
    /// A call with more is refused with the HTTP status 431 before anything else is done for it, and one with several times as
    /// much ends its connection. The protocol of gRPC suggests a limit of 8 KiB to servers; 16 KiB is the one of tonic's, and
    /// the most that gRPC's own C++ ever takes unless it is told to, so that clients which talk to these are not refused here.
    #[must_use]
    pub const fn max_header_bytes(mut self, bytes: u32) -> Self {
        self.header_bytes = bytes;
        self
    }

    /// Connections that [`Server::serve`](crate::Server::serve) has open at a time. When there are as many, it accepts no other
    /// until one of them has ended; clients wait meanwhile.
    ///
    /// Each [`Server`](crate::Server) has as many, those of other threads not counted. Together with what a connection may take,
    /// it bounds the memory of a server.
    #[must_use]
    pub const fn max_connections(mut self, connections: usize) -> Self {
        self.connections = connections;
        self
    }

    /// How long a connection may be without calls before it ends: after this time at the earliest, and after twice as long at
    /// the latest. [`Duration::MAX`] is for ever.
    ///
    /// A client is told, as when the server is to stop: calls that it made before it knew are answered, and with its next one it
    /// connects again.
    #[must_use]
    pub const fn idle_timeout(mut self, timeout: Duration) -> Self {
        self.idle_timeout = timeout;
        self
    }

    /// The longest that a call may take, whatever its client says: [`Call::deadline`](crate::Call::deadline) is the earlier of
    /// the two, and the call ends with [`Code::DeadlineExceeded`](crate::Code::DeadlineExceeded) at it. [`Duration::MAX`] is for
    /// ever, and where it begins: streams may be meant to.
    ///
    /// It is the time that a client has to read the answer as well. What a client does not read is kept for it, so that one
    /// which reads nothing would have the server keep the answers of all its calls; at the deadline they are freed, and the
    /// calls reset.
    #[must_use]
    pub const fn call_timeout(mut self, timeout: Duration) -> Self {
        self.call_timeout = timeout;
        self
    }

    /// Every how often a connection is asked whether it is still there, and how long its answer may take before the connection is
    /// closed, and its calls with it. [`Duration::MAX`] as the interval is never.
    ///
    /// A client that has lost its network says no more, and neither does one that reads nothing; without this, their calls might
    /// wait for ever. Source: RFC 9113, 6.7.
    #[must_use]
    pub const fn keepalive(mut self, interval: Duration, timeout: Duration) -> Self {
        self.keepalive = (interval, timeout);
        self
    }

    /// Bytes that a client may send for one call, and for all calls of a connection, before they are read. What is sent and not
    /// read is kept, so this bounds what a connection takes; and it is what a client can send for the time that a word takes to
    /// it and back, so that less may be slow where the way is long. From 65 535, with which HTTP/2 begins, to 2 GiB less one.
    ///
    /// Source: RFC 9113, 5.2.
    #[must_use]
    pub const fn window_bytes(mut self, call: u32, connection: u32) -> Self {
        const fn within(bytes: u32) -> u32 {
            const LEAST: u32 = 65_535;
            const MOST: u32 = u32::MAX >> 1;
            if bytes < LEAST {
                LEAST
            } else if bytes > MOST {
                MOST
            } else {
                bytes
            }
        }
        self.windows = (within(call), within(connection));
        self
    }

    /// How long a new connection has to say that it speaks HTTP/2. One that takes longer is closed: it would be kept for
    /// nothing.
    #[must_use]
    pub const fn handshake_timeout(mut self, timeout: Duration) -> Self {
        self.handshake_timeout = timeout;
        self
    }
}
