//! gRPC with [tonic](https://docs.rs/tonic) over [Defiant](https://docs.rs/defiant) messages.
//!
//! What comes in is an [`Incoming`]: a message with the arena that it lives in, as one value, which is what tonic needs to
//! move it from thread to thread. The arena comes from a pool and goes back there with the message. What goes out is an
//! [`Outgoing`]: such a message, bytes that are encoded already, or a message of any arena, encoded on the spot into one of
//! the pool. On neither way is there a heap allocation for the message once the pool is warm (`tests/allocations.rs` counts
//! them beside a codec that does nothing); a large message keeps tonic's buffer, see [`Settings::borrow_from`], and tonic
//! takes another.
//!
//! `defiant-tonic-build` generates clients and servers of both from `.proto` files; they are tonic's own, with all that tonic
//! does: interceptors, compression, deadlines, limits, health, reflection.
//!
//! ```toml
//! [dependencies]
//! defiant = "0.1"
//! defiant-tonic = "0.1"
//! tonic = "0.14"
//!
//! [build-dependencies]
//! defiant-tonic-build = "0.1"
//! ```
//!
//! ```no_run
//! # mod defiant_tonic_build { pub fn compile_protos(_: &[&str], _: &[&str]) -> Result<(), ()> { Ok(()) } }
//! // build.rs
//! # fn main() -> Result<(), ()> {
//! defiant_tonic_build::compile_protos(&["proto/search.proto"], &["proto"])
//! # }
//! ```
//!
//! A method of a server makes its answer where the question lies:
//!
//! ```
//! use defiant::{Message, UnknownFields};
//! use defiant_tonic::{Incoming, Outgoing};
//! use tonic::{Request, Response, Status};
//! # #[derive(Clone, Copy, Debug, PartialEq, Message)]
//! # struct Search<'arena> {
//! #     #[defiant(string, tag = 1)]
//! #     query: &'arena str,
//! #     #[defiant(unknown)]
//! #     unknown_fields: UnknownFields<'arena>,
//! # }
//! # #[derive(Clone, Copy, Debug, PartialEq, Message)]
//! # struct Hits<'arena> {
//! #     #[defiant(string, repeated, tag = 1)]
//! #     urls: &'arena [&'arena str],
//! #     #[defiant(unknown)]
//! #     unknown_fields: UnknownFields<'arena>,
//! # }
//!
//! async fn find(request: Request<Incoming<Search<'static>>>) -> Result<Response<Outgoing<Hits<'static>>>, Status> {
//!     let hits = request.into_inner().map::<Hits<'static>>(|search, arena| Hits {
//!         urls: arena.alloc_slice_copy(&[search.query]),
//!         ..Hits::default()
//!     });
//!     Ok(Response::new(hits.into()))
//! }
//! # let search = Outgoing::<Search<'static>>::build(|_| Search { query: "arenas", ..Search::default() });
//! # drop((search, find));
//! ```
//!
//! Where the answer takes awaiting, `request.get()` is the message for as long as the request is there, and
//! [`Encoded::of`] takes an answer that borrows from whatever it likes.
//!
//! # Limits
//!
//! tonic limits the bytes of a message, 4 MiB unless set (`max_decoding_message_size` of a server or client).
//! [`Settings`] has the limits of a decode and the pool; a type that implements it, and the type of its codec given to the
//! generator, set them.
//!
//! # Errors
//!
//! What does not decode is [`Code::Internal`](tonic::Code::Internal), as
//! [gRPC](https://grpc.github.io/grpc/core/md_doc_statuscodes.html) has it and as it is with prost, and what reaches a limit
//! is [`Code::ResourceExhausted`](tonic::Code::ResourceExhausted); the message of the status says where in the message
//! it is.

mod codec;
mod outgoing;
mod settings;

pub use codec::{Codec, Decoder, DefaultCodec, Encoder, status};
pub use outgoing::{Encoded, Outgoing};
pub use settings::{Defaults, Settings, pool};

use defiant::extension::MessageFamily;

/// A message that came in, with its arena: `Incoming<Search<'static>>` holds a `Search<'_>`.
///
/// [`get`](defiant::Owned::get) is the message, [`map`](defiant::Owned::map) makes an answer of it in the same arena.
///
/// It is an [`Owned`](defiant::Owned) that names the family of the message instead of the message, because futures hold it
/// while they move from thread to thread, see [`MessageFamily::Family`].
pub type Incoming<M> = defiant::Owned<<M as MessageFamily>::Family, defiant::pool::PooledArena>;
