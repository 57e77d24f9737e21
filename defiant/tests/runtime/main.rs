//! The runtime through its public doors, with hand-written messages; prost is the oracle.
#![allow(missing_docs, clippy::unwrap_used, reason = "tests")]

mod chain;
mod doors;
mod extension;
mod hostile;
mod lazy;
mod memory;
mod message_set;
mod messages;
mod modes;
mod name;
mod oracle;
mod packed;
mod presence;
#[cfg(feature = "std")]
mod vectored;
