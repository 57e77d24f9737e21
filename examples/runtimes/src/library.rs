//! The service with one protobuf library or another: all that a connection asks of it.

use std::{error::Error, fmt};

use defiant::pool::{ArenaPool, PoolOptions, PooledArena};
use defiant::{Arena, DecodeOptions, Encoder, Message as _, Owned};

use crate::{peer, service, work};

/// The longest request that is taken, in bytes.
pub const MAX_FRAME: usize = 64 * 1024;

/// The most arena that one request may take to decode, in bytes.
const MAX_MEMORY: usize = 1024 * 1024;

/// What requests are decoded with.
const OPTIONS: DecodeOptions = DecodeOptions::new().recursion_limit(8).memory_limit(MAX_MEMORY);

/// Bytes that the arenas of a pool hold from the start: enough for the usual request and its answer.
const POOLED: usize = 32 * 1024;

/// Arenas that wait in a pool.
const IDLE: usize = 256;

/// A protobuf library, as the service uses it.
pub trait Library: Send + 'static {
    /// As in records.
    const NAME: &'static str;
    /// Memory that a connection keeps from request to request.
    type Desk: Default + Send + 'static;
    /// Memory that all connections share.
    type Pool: Clone + Default + Send + Sync + 'static;
    /// A decoded request that outlives the frame it came in, and may go to another thread.
    type Held: Send + 'static;

    /// Answers the request in a frame; the frame of the reply goes behind those that wait already.
    ///
    /// # Errors
    ///
    /// [`Unreadable`] when the frame holds no request; then nothing is added.
    fn answer(desk: &mut Self::Desk, frame: &[u8], replies: &mut Vec<u8>) -> Result<(), Unreadable>;

    /// Decodes the request in a frame, to be answered elsewhere.
    ///
    /// # Errors
    ///
    /// [`Unreadable`] when the frame holds no request.
    fn hold(pool: &Self::Pool, frame: &[u8]) -> Result<Self::Held, Unreadable>;

    /// Answers it there.
    fn answer_held(desk: &mut Self::Desk, held: Self::Held, replies: &mut Vec<u8>);
}

/// Why a request could not be decoded.
#[derive(Debug)]
pub struct Unreadable(Box<dyn Error + Send + Sync>);

impl Unreadable {
    #[cold]
    fn new(error: impl Error + Send + Sync + 'static) -> Self {
        Unreadable(Box::new(error))
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for Unreadable {}

/// The last frame of a connection that cannot go on.
pub(crate) fn refuse(reason: &dyn fmt::Display, replies: &mut Vec<u8>) {
    let reply = work::Reply { error: &reason.to_string(), ..work::Reply::default() };
    reply.encode_length_delimited(replies).unwrap_or_else(|_| unreachable!("a vector grows"));
}

/// Defiant: an arena for each connection, or for each request that is held.
#[derive(Clone, Copy, Debug)]
pub struct Defiant;

/// What a connection keeps.
#[derive(Debug, Default)]
pub struct Desk {
    arena: Arena,
    encoder: Encoder,
}

/// The pool of arenas.
#[derive(Clone, Debug)]
pub struct Pool(ArenaPool);

impl Default for Pool {
    /// One with arenas in it, so that no request has to wait until one is made.
    fn default() -> Self {
        let pool = ArenaPool::new(PoolOptions::new().idle(IDLE).capacity(POOLED));
        drop((0..IDLE).map(|_| pool.take()).collect::<Vec<_>>());
        Pool(pool)
    }
}

impl Library for Defiant {
    const NAME: &'static str = "defiant";
    type Desk = Desk;
    type Pool = Pool;
    type Held = Owned<work::Request<'static>, PooledArena>;

    fn answer(desk: &mut Desk, frame: &[u8], replies: &mut Vec<u8>) -> Result<(), Unreadable> {
        {
            // Borrows its strings from the frame, and so from what the socket delivered.
            let request = OPTIONS.decode_borrowed(frame, &desk.arena).map_err(Unreadable::new)?;
            let reply = service::answer(&request, &desk.arena);
            replies.extend_from_slice(desk.encoder.encode_length_delimited(&reply));
        }
        desk.arena.reset();
        Ok(())
    }

    fn hold(pool: &Pool, frame: &[u8]) -> Result<Self::Held, Unreadable> {
        Owned::decode_copied_with(OPTIONS, frame, pool.0.take()).map_err(Unreadable::new)
    }

    fn answer_held(desk: &mut Desk, held: Self::Held, replies: &mut Vec<u8>) {
        let reply = held.map::<work::Reply<'static>>(|request, arena| service::answer(&request, arena));
        replies.extend_from_slice(desk.encoder.encode_length_delimited(reply.get()));
    }
}

/// prost: every string and list on the heap.
#[derive(Clone, Copy, Debug)]
pub struct Prost;

impl Library for Prost {
    const NAME: &'static str = "prost";
    type Desk = ();
    type Pool = ();
    type Held = peer::Request;

    fn answer((): &mut (), frame: &[u8], replies: &mut Vec<u8>) -> Result<(), Unreadable> {
        let request = Self::hold(&(), frame)?;
        Self::answer_held(&mut (), request, replies);
        Ok(())
    }

    fn hold((): &(), frame: &[u8]) -> Result<peer::Request, Unreadable> {
        prost::Message::decode(frame).map_err(Unreadable::new)
    }

    fn answer_held((): &mut (), held: peer::Request, replies: &mut Vec<u8>) {
        let reply = peer::answer(held);
        prost::Message::encode_length_delimited(&reply, replies).unwrap_or_else(|_| unreachable!("a vector grows"));
    }
}
