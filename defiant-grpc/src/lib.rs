//! A gRPC server for one thread a core, with an arena for each call.
//!
//! A call stays on the thread that accepted its connection. The request is decoded into an arena, the service answers with
//! a message that may borrow from the request, from that arena and from the service itself, the answer is encoded, and the
//! arena is used again. Nothing is shared between threads, so there are no locks, and nothing has to be `Send` or
//! `'static`: the futures of a service may hold messages and `Rc`s across `.await`.
//!
//! `defiant_build::ServiceTraits` generates a trait for each service of a `.proto` file, and the struct that a [`Server`]
//! calls it through:
//!
//! ```no_run
//! // build.rs
//! # struct Config; struct ServiceTraits;
//! # impl Config {
//! #     fn new() -> Self { Config }
//! #     fn service_generator(&mut self, _: Box<ServiceTraits>) -> &mut Self { self }
//! #     fn compile_protos(&mut self, _: &[&str], _: &[&str]) -> Result<(), ()> { Ok(()) }
//! # }
//! # impl ServiceTraits { fn new() -> Self { ServiceTraits } }
//! # fn main() -> Result<(), ()> {
//! # /*
//! defiant_build::Config::new()
//!     .service_generator(Box::new(defiant_build::ServiceTraits::new()))
//! # */ Config::new().service_generator(Box::new(ServiceTraits::new()))
//!     .compile_protos(&["proto/search.proto"], &["proto"])
//! # }
//! ```
//!
//! What is generated for `service Greeter { rpc Greet(StringValue) returns (StringValue); }` is used like this:
//!
//! ```no_run
//! use defiant::wkt::StringValue;
//! use defiant_grpc::{Arena, Server, Status};
//! # mod greeter_service {
//! #     use defiant::wkt::StringValue;
//! #     use defiant_grpc::{Arena, Exchange, Service, Status};
//! #     #[allow(async_fn_in_trait)]
//! #     pub trait Greeter {
//! #         async fn greet<'a>(&'a self, request: StringValue<'a>, arena: &'a Arena) -> Result<StringValue<'a>, Status>;
//! #     }
//! #     pub struct GreeterServer<T> { inner: T }
//! #     impl<T> GreeterServer<T> { pub fn new(inner: T) -> Self { Self { inner } } }
//! #     impl<T: Greeter> Service for GreeterServer<T> {
//! #         fn has(&self, service: &str) -> bool { service == "Greeter" }
//! #         async fn call(&self, _: &str, _: &str, exchange: Exchange) -> Result<(), Status> {
//! #             let (call, mut requests, replies) = exchange.open::<StringValue<'static>, StringValue<'static>>();
//! #             let request = requests.only(&call).await?;
//! #             let reply = self.inner.greet(request, &call).await?;
//! #             replies.send(&reply).await
//! #         }
//! #     }
//! # }
//! use greeter_service::{Greeter, GreeterServer};
//!
//! struct Polite;
//!
//! impl Greeter for Polite {
//!     async fn greet<'a>(&self, request: StringValue<'a>, arena: &'a Arena) -> Result<StringValue<'a>, Status> {
//!         Ok(StringValue { value: arena.alloc_str(&format!("Dear {}", request.value)), ..StringValue::default() })
//!     }
//! }
//!
//! # fn main() -> std::io::Result<()> {
//! // On each thread:
//! let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
//! tokio::task::LocalSet::new().block_on(&runtime, async {
//!     let listener = tokio::net::TcpListener::bind("127.0.0.1:50051").await?;
//!     Server::new(GreeterServer::new(Polite)).serve(listener).await
//! })
//! # }
//! ```
//!
//! Without a server such a method is a function of messages, which a test calls with a new [`Arena`]. A method that has to
//! know of headers or of its deadline gets a [`Call`] instead of the arena, and uses it as such: `ServiceTraits::with_call`
//! says which methods do.
//!
//! # Streams
//!
//! [`Requests::next`] gives a message after the other, each in the memory of the one before, and the compiler sees to it that
//! none is kept. [`Replies::send`] encodes at once and waits while the client is slow. Once pool and buffers are warm, a message
//! takes no heap allocation on its way in or out (`tests/allocations.rs` counts them).
//!
//! # What the protocol asks for
//!
//! | | |
//! |---|---|
//! | `grpc-timeout`, or [`ServerOptions::call_timeout`] | the call ends with [`Code::DeadlineExceeded`], [`Call::deadline`] says when |
//! | the client goes away, or answers no ping ([`ServerOptions::keepalive`]) | the future of the call is dropped |
//! | a message that is too long, or reaches a limit of `DecodeOptions` | [`Code::ResourceExhausted`] |
//! | a message that does not decode, or a body that ends inside one | [`Code::Internal`] |
//! | a service or method that is not there | [`Code::Unimplemented`] |
//! | `grpc-encoding: gzip` | with the feature `gzip`, messages are read compressed, and limited in both forms; answers are compressed when told so, [`ServerOptions`] |
//! | another compression, or that without the feature | [`Code::Unimplemented`], with `grpc-accept-encoding` |
//! | a method panics | [`Code::Internal`]; other calls go on |
//! | `Service::has` panics, or what a method holds does as its deadline drops it | the call is reset; other calls go on |
//! | something else than gRPC | HTTP status 405 or 415 |
//! | more headers than [`ServerOptions::max_header_bytes`] | HTTP status 431 |
//!
//! TLS is the transport's: [`Server::serve_connection`] takes what a TLS acceptor gives, if HTTP/2 was agreed upon (`h2` in
//! ALPN). For health and reflection there is tonic, with the crate `defiant-tonic`.
//!
//! Source: <https://grpc.github.io/grpc/core/md_doc__p_r_o_t_o_c_o_l-_h_t_t_p2.html>.

mod call;
mod encoding;
mod exchange;
mod frame;
#[cfg_attr(not(feature = "gzip"), path = "gzip_absent.rs")]
mod gzip;
mod idle;
mod keepalive;
mod listener;
mod options;
mod replies;
mod requests;
mod server;
mod service;
mod status;
mod timeout;

pub use call::{Call, Metadata};
pub use exchange::Exchange;
pub use options::ServerOptions;
pub use replies::Replies;
pub use requests::Requests;
pub use server::Server;
pub use service::Service;
pub use status::{Code, Status};

#[doc(no_inline)]
pub use defiant::Arena;
