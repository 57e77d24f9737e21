//! Defiant beside other protobuf libraries, on payloads of many kinds.
//!
//! Every answer is checked before anything is timed: [`check`] compares values field by field and encodings byte by
//! byte with prost's, [`hostile`] does the same for truncated and altered input. A library is a file in [`libraries`]
//! that fills an [`offer`]. `cargo run --release -p benchmarks` prints the tables and writes the [`record`] they are
//! drawn from; `cargo bench -p benchmarks` runs the same operations under criterion, and allocations under dhat.

pub mod allocations;
pub mod allocator;
pub mod appends;
pub mod bars;
pub mod changes;
pub mod charts;
pub mod check;
pub mod compare;
pub mod datasets;
pub mod families;
#[cfg(feature = "formats")]
pub mod formats;
pub mod formats_report;
pub mod generated;
pub mod hostile;
pub mod huge_report;
pub mod inputs;
pub mod instructions;
pub mod interval;
#[cfg(feature = "json")]
pub mod json;
pub mod json_report;
pub mod libraries;
mod loops;
pub mod machine;
pub mod malloc_report;
pub mod measure;
pub mod measurements;
pub mod offer;
pub mod oracle;
pub mod packed;
pub mod packed_report;
pub mod payloads;
pub mod processors_report;
pub mod program;
pub mod prometheus;
pub mod protokt;
pub mod question;
pub mod quickbuffers;
mod random;
pub mod record;
pub mod report;
pub mod schemas;
pub mod servers;
pub mod shapes;
mod side_by_side;
pub mod subjects;
pub mod summary;
pub mod telemetry;
pub mod walk;
