//! Defiant, prost and pilota on Google's protobuf benchmark payloads.
//!
//! Every answer is checked before anything is timed: [`check`] compares values field by field and
//! encodings byte by byte with prost's, [`hostile`] does the same for truncated and altered input.
//! `cargo run --release -p benchmarks` prints the table and writes the record it is drawn from;
//! `cargo bench -p benchmarks` runs the same [`operations`] under criterion and dhat.

pub mod allocator;
pub mod check;
pub mod datasets;
pub mod generated;
pub mod hostile;
pub mod machine;
pub mod measure;
pub mod operations;
pub mod oracle;
pub mod packed;
pub mod report;
pub mod walk;
