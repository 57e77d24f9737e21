//! Integration tests of the generator.

#![expect(clippy::unwrap_used, reason = "what the tests compile is known")]

#[deny(missing_docs, warnings)]
pub mod compiled;
mod config;
mod errors;
mod golden;
mod plugin;
#[cfg(feature = "protox")]
mod protox;
mod support;
mod well_known;
