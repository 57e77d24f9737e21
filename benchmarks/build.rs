//! Generates the message types of all three libraries from the same schemas.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

const DATASET: &str = "proto/dataset.proto";
const MESSAGE1_PROTO2: &str = "proto/message1_proto2.proto";
const MESSAGE1_PROTO3: &str = "proto/message1_proto3.proto";
const MESSAGE2: &str = "proto/message2.proto";
const PACKED: &str = "proto/packed.proto";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=proto");

    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    let schemas = [DATASET, MESSAGE1_PROTO2, MESSAGE1_PROTO3, MESSAGE2, PACKED];

    defiant_build::Config::new().out_dir(fresh(&out, "defiant")?).compile_protos(&schemas, &["proto"])?;

    prost_build::Config::new()
        .out_dir(fresh(&out, "prost")?)
        .protoc_executable(protoc_bin_vendored::protoc_bin_path()?)
        .compile_protos(&schemas, &["proto"])?;

    // pilota-build 0.13 stops at a `todo!()` when it meets a group, so message2 is not among its
    // schemas. Its runtime is used as it comes: no features that a user would not have.
    pilota_build::Builder::pb().ignore_unused(false).include_dirs(vec![PathBuf::from("proto")]).compile(
        [MESSAGE1_PROTO2, MESSAGE1_PROTO3],
        pilota_build::Output::File(fresh(&out, "pilota")?.join("code.rs")),
    );

    describe_the_build()
}

/// The folder `name` in `out`, made if need be.
fn fresh(out: &Path, name: &str) -> std::io::Result<PathBuf> {
    let folder = out.join(name);
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// Leaves compiler, target and flags for the record of a run.
fn describe_the_build() -> Result<(), Box<dyn Error>> {
    let rustc = env::var_os("RUSTC").ok_or("RUSTC is not set")?;
    let version = String::from_utf8(Command::new(rustc).arg("--version").output()?.stdout)?;
    println!("cargo:rustc-env=BENCHMARKS_RUSTC={}", version.trim());
    for (name, source) in [("TARGET", "TARGET"), ("OPT_LEVEL", "OPT_LEVEL")] {
        println!("cargo:rustc-env=BENCHMARKS_{name}={}", env::var(source)?);
    }
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    println!("cargo:rustc-env=BENCHMARKS_RUSTFLAGS={}", flags.replace('\u{1f}', " "));
    Ok(())
}
