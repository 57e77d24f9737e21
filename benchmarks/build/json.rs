//! The generators behind the feature `json`.

use std::error::Error;
use std::fs;
use std::path::Path;

use crate::{fresh, path};

/// The schemas of the messages that become JSON.
const SCHEMAS: [&str; 2] = ["quickbuffers", "orders"];

pub(crate) fn generate(out: &Path) -> Result<(), Box<dyn Error>> {
    let schemas = SCHEMAS.map(path);
    defiant_build::Config::new().out_dir(fresh(out, "json_defiant")?).compile_protos(&schemas, &["proto"])?;

    // As the documentation of pbjson-build has it.
    let descriptors = out.join("json_descriptors.pb");
    let folder = fresh(out, "json_prost")?;
    prost_build::Config::new()
        .out_dir(&folder)
        .file_descriptor_set_path(&descriptors)
        .protoc_executable(protoc_bin_vendored::protoc_bin_path()?)
        .compile_well_known_types()
        .extern_path(".google.protobuf", "::pbjson_types")
        .compile_protos(&schemas, &["proto"])?;
    pbjson_build::Builder::new()
        .register_descriptors(&fs::read(&descriptors)?)?
        .out_dir(folder)
        .build(&[".benchmarks"])?;

    buffa_build::Config::new()
        .files(&SCHEMAS.map(|name| format!("{name}.proto")))
        .descriptor_set(descriptors)
        .out_dir(fresh(out, "json_buffa")?)
        .generate_json(true)
        .include_file("mod.rs")
        .compile()
}
