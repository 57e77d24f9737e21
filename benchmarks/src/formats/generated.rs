//! The message types that the generators of each format make of its schema.

macro_rules! package {
    ($library:ident in $folder:literal) => {
        #[allow(warnings, reason = "not written by hand")]
        pub(super) mod $library {
            include!(concat!(env!("OUT_DIR"), "/", $folder, "/benchmarks.formats.rs"));
        }
    };
}
package! { defiant in "formats_defiant" }
package! { prost in "formats_prost" }

/// What `flatc` makes of `formats/formats.fbs`; checked in.
#[allow(warnings, reason = "not written by hand")]
#[allow(unsafe_code, clippy::undocumented_unsafe_blocks, reason = "its accessors read what the verifier has checked")]
pub(super) mod flatbuffers {
    pub(crate) use self::output::formats::*;

    mod output {
        include!(concat!(env!("CARGO_MANIFEST_DIR"), "/formats/generated/flatbuffers.rs"));
    }
}

/// What `capnpc-rust` makes of `formats/formats.capnp`; checked in.
#[allow(warnings, reason = "not written by hand")]
pub(super) mod capnp {
    include!(concat!(env!("CARGO_MANIFEST_DIR"), "/formats/generated/capnp.rs"));
}
