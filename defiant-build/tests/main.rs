//! Integration tests of the generator.

#[deny(missing_docs, warnings)]
pub mod compiled;
mod config;
mod errors;
mod golden;
mod support;
