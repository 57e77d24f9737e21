//! One service on tokio, monoio, compio and glommio, each as it is meant to be used.
//!
//! The service gives bytes back, or sums up a batch of spans ([`work`]). [`Server`] runs it on a [`Runtime`], with Defiant
//! or, for comparison, with prost ([`Library`]). With Defiant, no code of ours allocates for a request once a connection is
//! warm ([`Counting`] counts; what the runtimes allocate themselves is told apart).
//!
//! | | where |
//! |---|---|
//! | frames in, replies out, without a socket | `conversation.rs` |
//! | tokio on one thread; tokio on threads that steal tasks | `runtime/tokio_local.rs`, `runtime/tokio_threads.rs` |
//! | runtimes that own the buffers they read into | `runtime/monoio.rs`, `runtime/compio.rs` |
//! | glommio | `runtime/glommio.rs` |
//!
//! ```sh
//! cargo run --release -p runtimes --bin serve -- monoio 127.0.0.1:7000
//! cargo run --release -p runtimes --bin load      # requests per second and latencies, beside prost
//! cargo run --release -p runtimes --bin count     # instructions and system calls for a request, beside prost
//! cargo run --release -p runtimes --bin memory    # heap allocations and resident memory under load, beside prost
//! cargo run --release -p runtimes --bin endure    # ten million requests in memory that does not grow
//! ```

mod allocations;
mod client;
mod conversation;
mod library;
mod load;
pub mod machine;
pub mod peer;
mod replay;
mod requests;
mod runtime;
mod server;
mod service;
mod storm;

pub use crate::{
    allocations::{Allocations, Counting, now as allocations},
    client::Client,
    library::{Defiant, Library, MAX_FRAME, Prost, Unreadable},
    load::{Load, Outcome, Setting, put},
    replay::replay,
    requests::{Burst, Workload},
    runtime::Runtime,
    server::Server,
    storm::{batter, stall},
};

/// What `build.rs` made of `proto/work.proto`.
pub mod work {
    defiant::include_proto!("work");
}
