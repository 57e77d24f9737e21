//! The message types of the schemas that become JSON, and what their generators have for JSON.

macro_rules! packages {
    ($library:ident in $folder:literal: $($package:ident)*) => {
        #[allow(warnings, reason = "not written by hand")]
        #[allow(missing_docs, reason = "the schemas have no comments to carry over")]
        #[allow(clippy::all, reason = "not written by hand")]
        pub(super) mod $library {
            $(pub(crate) mod $package {
                include!(concat!(env!("OUT_DIR"), "/", $folder, "/benchmarks.", stringify!($package), ".rs"));
            })*
        }
    };
}
packages! { defiant in "json_defiant": quickbuffers orders }

/// With the impls of pbjson.
#[allow(warnings, reason = "not written by hand")]
#[allow(clippy::all, reason = "not written by hand")]
pub(super) mod prost {
    pub(crate) mod quickbuffers {
        include!(concat!(env!("OUT_DIR"), "/json_prost/benchmarks.quickbuffers.rs"));
        include!(concat!(env!("OUT_DIR"), "/json_prost/benchmarks.quickbuffers.serde.rs"));
    }
    pub(crate) mod orders {
        include!(concat!(env!("OUT_DIR"), "/json_prost/benchmarks.orders.rs"));
        include!(concat!(env!("OUT_DIR"), "/json_prost/benchmarks.orders.serde.rs"));
    }
}

#[allow(warnings, reason = "not written by hand")]
#[allow(clippy::all, reason = "not written by hand")]
pub(super) mod buffa {
    pub(crate) use self::output::benchmarks::{orders, quickbuffers};

    mod output {
        include!(concat!(env!("OUT_DIR"), "/json_buffa/mod.rs"));
    }
}

/// The schemas themselves, for prost-reflect.
pub(super) const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/json_descriptors.pb"));
