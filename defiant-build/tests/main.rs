//! Integration tests of the generator.

#![expect(clippy::unwrap_used, reason = "what the tests compile is known")]

mod cases;
#[deny(missing_docs, warnings)]
pub mod compiled;
mod config;
mod docs;
mod errors;
mod golden;
mod plugin;
#[cfg(feature = "protox")]
mod protox;
mod strict;
mod support;
mod well_known;
mod well_known_docs;
