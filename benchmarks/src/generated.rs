//! The message types each library's own generator makes of the schemas in `proto/`.

/// What `defiant-build` makes of them.
#[allow(missing_docs, reason = "the schemas have no comments to carry over")]
pub mod defiant {
    include!(concat!(env!("OUT_DIR"), "/defiant/benchmarks.rs"));
    pub mod packed {
        include!(concat!(env!("OUT_DIR"), "/defiant/benchmarks.packed.rs"));
    }
    pub mod proto2 {
        include!(concat!(env!("OUT_DIR"), "/defiant/benchmarks.proto2.rs"));
    }
    pub mod proto3 {
        include!(concat!(env!("OUT_DIR"), "/defiant/benchmarks.proto3.rs"));
    }
}

/// What `prost-build` makes of them.
#[allow(missing_docs, reason = "the schemas have no comments to carry over")]
pub mod prost {
    include!(concat!(env!("OUT_DIR"), "/prost/benchmarks.rs"));
    pub mod packed {
        include!(concat!(env!("OUT_DIR"), "/prost/benchmarks.packed.rs"));
    }
    pub mod proto2 {
        include!(concat!(env!("OUT_DIR"), "/prost/benchmarks.proto2.rs"));
    }
    pub mod proto3 {
        include!(concat!(env!("OUT_DIR"), "/prost/benchmarks.proto3.rs"));
    }
}

/// What `pilota-build` makes of the two without a group.
pub mod pilota {
    pub use self::output::code::benchmarks::{proto2, proto3};

    /// The file holds one module, `code`, that allows itself every warning.
    mod output {
        include!(concat!(env!("OUT_DIR"), "/pilota/code.rs"));
    }
}
