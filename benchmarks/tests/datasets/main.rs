//! The answers that the benchmarks rest on.

mod answers;
mod data;
mod hostile_input;
mod payloads;
mod records;
mod reports;
