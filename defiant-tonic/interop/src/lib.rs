//! gRPC between Defiant and others: the schema in three languages, and a service for each kind of server.
//!
//! `tests` are the conversations between programs of Rust, `run` those with Python.

use defiant::DecodeOptions;

pub mod local;
pub mod servers;
pub mod stock;
pub mod talks;
pub mod threads;

/// The schema with Defiant: messages, tonic's clients and servers, the traits for Defiant's own server.
#[allow(missing_docs, reason = "the schema says what there is to say")]
pub mod library {
    defiant::include_proto!("interop.v1");

    /// The schema itself, for reflection.
    pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/library.binpb"));
}

/// The same where the codec has limits.
#[allow(missing_docs, dead_code, reason = "as above")]
pub mod careful {
    include!(concat!(env!("OUT_DIR"), "/careful/interop.v1.rs"));
}

/// The same with prost.
#[allow(
    rustdoc::invalid_html_tags,
    rustdoc::broken_intra_doc_links,
    missing_docs,
    clippy::all,
    clippy::allow_attributes_without_reason,
    clippy::missing_errors_doc,
    reason = "what prost generates"
)]
pub mod prost_library {
    include!(concat!(env!("OUT_DIR"), "/prost/interop.v1.rs"));
}

/// Limits that a test can reach.
#[derive(Debug)]
pub struct Careful;

impl defiant_tonic::Settings for Careful {
    fn decode_options() -> DecodeOptions {
        DecodeOptions::new().memory_limit(10_000)
    }

    fn borrow_from() -> usize {
        100
    }
}

/// The codec of [`careful`].
pub type CarefulCodec<E, D> = defiant_tonic::Codec<E, D, Careful>;

/// The cover of a book: some bytes that say which they are.
#[must_use]
pub fn cover(len: usize) -> Vec<u8> {
    (0..len).map(|index| (index % 251) as u8).collect()
}
