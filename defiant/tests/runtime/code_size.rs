//! All tests once more, with the same messages optimized for code size.

/// Declares messages that are optimized for code size.
macro_rules! messages {
    ($($(#[doc = $doc:literal])* #[derive($($derive:ident),*)] $item:item)*) => {$(
        $(#[doc = $doc])*
        #[derive($($derive),*)]
        #[defiant(optimize_for = "code_size")]
        $item
    )*};
}

#[path = "attacks.rs"]
mod attacks;
#[path = "chain.rs"]
mod chain;
#[path = "depth.rs"]
mod depth;
#[path = "doors.rs"]
mod doors;
#[path = "edges.rs"]
mod edges;
#[path = "extension.rs"]
mod extension;
#[path = "hostile.rs"]
mod hostile;
#[path = "lazy.rs"]
pub(crate) mod lazy;
#[path = "lengths.rs"]
mod lengths;
#[path = "memory.rs"]
mod memory;
#[path = "message_set.rs"]
mod message_set;
#[path = "messages.rs"]
pub(crate) mod messages;
#[path = "modes.rs"]
mod modes;
#[path = "name.rs"]
mod name;
#[path = "oracle.rs"]
pub(crate) mod oracle;
#[path = "packed.rs"]
mod packed;
#[path = "presence.rs"]
mod presence;
#[path = "sizeless.rs"]
mod sizeless;
#[cfg(feature = "std")]
#[path = "vectored.rs"]
mod vectored;
#[allow(dead_code, reason = "both twins are compared with the wires of one")]
#[path = "whole.rs"]
pub(crate) mod whole;
