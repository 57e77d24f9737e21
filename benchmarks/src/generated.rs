//! The message types each library's own generator makes of the schemas in `proto/`, and the table of the schemas.

pub(crate) mod schema {
    include!(concat!(env!("OUT_DIR"), "/schema.rs"));
}

/// Modules for the packages, each holding the file that a generator wrote for it.
macro_rules! packages {
    ($(#[$docs:meta])* $library:ident in $folder:literal: $($package:ident)*) => {
        $(#[$docs])*
        #[allow(missing_docs, reason = "the schemas have no comments to carry over")]
        #[allow(clippy::all, reason = "not written by hand")]
        pub mod $library {
            include!(concat!(env!("OUT_DIR"), "/", $folder, "/benchmarks.rs"));
            $(pub mod $package {
                include!(concat!(env!("OUT_DIR"), "/", $folder, "/benchmarks.", stringify!($package), ".rs"));
            })*
        }
    };
}
packages! {
    /// What `defiant-build` makes of them.
    defiant in "defiant": packed proto2 proto3 families quickbuffers protokt generic oneofs prometheus inputs
        shapes descriptors sparse telemetry
}
packages! {
    /// What `prost-build` makes of them.
    prost in "prost": packed proto2 proto3 families quickbuffers protokt generic oneofs prometheus inputs
        shapes descriptors sparse telemetry
}
packages! {
    /// The same with `bytes::Bytes` for `bytes`.
    prost_bytes in "prost_bytes": proto2 proto3 families quickbuffers protokt generic oneofs prometheus inputs shapes
        descriptors sparse telemetry
}

/// What `pilota-build` makes of those without a group.
pub mod pilota {
    pub use self::output::code::benchmarks::{
        descriptors, families, generic, inputs, oneofs, prometheus, proto2, proto3, protokt, quickbuffers, shapes,
        sparse, telemetry,
    };

    /// The file holds one module, `code`, that allows itself every warning.
    mod output {
        include!(concat!(env!("OUT_DIR"), "/pilota/code.rs"));
    }
}

/// What `buffa-build` makes of them.
#[cfg(feature = "peers")]
#[allow(warnings, reason = "not written by hand")]
pub mod buffa {
    pub use self::output::benchmarks::{
        descriptors, families, generic, inputs, oneofs, prometheus, proto2, proto3, protokt, quickbuffers, shapes,
        sparse, telemetry,
    };

    mod output {
        include!(concat!(env!("OUT_DIR"), "/buffa/mod.rs"));
    }
}

/// What `protoc --rust_out` makes of them.
#[cfg(feature = "peers")]
#[allow(warnings, reason = "not written by hand")]
#[allow(unsafe_code, clippy::undocumented_unsafe_blocks, reason = "its accessors call C")]
pub mod google {
    include!(concat!(env!("OUT_DIR"), "/google/generated.rs"));
}

/// What `protobuf-codegen` 3 makes of them.
#[cfg(feature = "peers")]
#[allow(warnings, reason = "not written by hand")]
pub mod rust_protobuf {
    include!(concat!(env!("OUT_DIR"), "/rust_protobuf/mod.rs"));
}

/// What `pb-rs` makes of those without a group.
#[cfg(feature = "peers")]
#[allow(warnings, reason = "not written by hand")]
pub mod quick_protobuf {
    include!(concat!(env!("OUT_DIR"), "/quick_protobuf/mod.rs"));

    /// The messages, each with a lifetime.
    pub mod open {
        include!(concat!(env!("OUT_DIR"), "/quick_protobuf/open.rs"));
    }
}

/// What `micropb-gen` makes of those without a group.
#[cfg(feature = "peers")]
#[allow(warnings, reason = "not written by hand")]
pub mod micropb {
    use ::micropb;
    include!(concat!(env!("OUT_DIR"), "/micropb/code.rs"));

    /// The enums of oneofs, in modules that are named as prost names them.
    pub mod oneofs {
        include!(concat!(env!("OUT_DIR"), "/micropb/oneofs.rs"));
    }
}

/// What `protocrap-codegen` makes of them.
#[cfg(feature = "peers")]
#[allow(warnings, reason = "not written by hand")]
#[allow(unsafe_code, clippy::undocumented_unsafe_blocks, reason = "its tables hold offsets")]
pub mod protocrap {
    use ::protocrap;
    include!(concat!(env!("OUT_DIR"), "/protocrap/code.rs"));
}
