//! The runtime through its public doors, with hand-written messages; prost is the oracle.
#![allow(missing_docs, clippy::unwrap_used, reason = "tests")]

/// Declares messages; `code_size.rs` has another of this name.
macro_rules! messages {
    ($($item:item)*) => { $($item)* };
}

/// The bytes of a stack of `mebibytes`. Sanitizers put memory around every variable, so their runs set `DEFIANT_STACK_FACTOR`.
fn stack(mebibytes: usize) -> usize {
    let factor = std::env::var("DEFIANT_STACK_FACTOR").ok().and_then(|factor| factor.parse().ok());
    (mebibytes << 20) * factor.unwrap_or(1)
}

/// So many cases of a property, out of 256: `PROPTEST_CASES` may say of how many instead.
fn cases(few: u32) -> proptest::test_runner::Config {
    let usual = proptest::test_runner::Config::default();
    let cases = u64::from(few) * u64::from(usual.cases) / 256;
    let cases = u32::try_from(cases).unwrap_or(u32::MAX).max(1);
    proptest::test_runner::Config { cases, failure_persistence: None, ..usual }
}

mod allocator;
mod attacks;
mod chain;
#[allow(clippy::duplicate_mod, reason = "the same tests for other messages")]
mod code_size;
#[cfg(all(feature = "dynamic", feature = "json", feature = "text", feature = "wkt"))]
mod costs_formats;
mod counted;
mod depth;
#[cfg(all(feature = "dynamic", feature = "json", feature = "text", feature = "wkt"))]
mod depth_formats;
#[cfg(feature = "dynamic")]
mod descriptor_pool;
mod differential;
mod doors;
#[cfg(feature = "dynamic")]
mod dynamic;
mod edges;
mod extension;
mod hostile;
#[cfg(all(feature = "json", feature = "wkt"))]
mod json;
mod lazy;
mod lengths;
#[cfg(all(feature = "dynamic", feature = "json", feature = "text"))]
mod meddling;
mod memory;
mod message_set;
mod messages;
mod modes;
mod name;
mod oracle;
mod packed;
mod presence;
#[cfg(feature = "std")]
mod programs;
#[cfg(all(feature = "json", feature = "text"))]
mod refused;
#[cfg(feature = "reflect")]
mod registry;
mod sizeless;
#[cfg(feature = "std")]
mod streaming;
#[cfg(feature = "std")]
mod unsteady;
mod vectored;
mod whole;
