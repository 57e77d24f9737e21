//! The generators behind the feature `peers`.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use prost::Message as _;
use prost_types::FileDescriptorSet;

use crate::{GENERIC, PLAIN, SPARSE, WITH_GROUP, fresh, path};

pub(crate) fn generate(out: &Path, descriptors: &[u8]) -> Result<(), Box<dyn Error>> {
    let protoc = protoc_bin_vendored::protoc_bin_path()?;
    let plain: Vec<PathBuf> = PLAIN.iter().map(|name| path(name).into()).collect();
    let all: Vec<PathBuf> = plain.iter().cloned().chain([path(WITH_GROUP).into()]).collect();

    let names: Vec<String> = PLAIN.iter().chain([&WITH_GROUP]).map(|name| format!("{name}.proto")).collect();

    buffa_build::Config::new()
        .files(&names)
        .descriptor_set(out.join("descriptors.pb"))
        .out_dir(fresh(out, "buffa")?)
        .lazy_views(true)
        .include_file("mod.rs")
        .compile()?;

    // Google's crate and rust-protobuf are both called `protobuf`; here each has a name of its own.
    let folder = fresh(out, "google")?;
    google_protobuf_codegen::CodeGen::new()
        .inputs(&names)
        .include("proto")
        .protoc_path(&protoc)
        .output_dir(&folder)
        .generate_and_compile()?;
    replace(&folder, "::protobuf::", "::google_protobuf::")?;

    let folder = fresh(out, "rust_protobuf")?;
    let customize = rust_protobuf_codegen::Customize::default()
        .lite_runtime(true)
        .gen_mod_rs(true)
        .tokio_bytes(true)
        .tokio_bytes_for_string(true);
    rust_protobuf_codegen::Codegen::new()
        .pure()
        .out_dir(&folder)
        .inputs(&all)
        .include("proto")
        .customize(customize)
        .run()?;
    replace(&folder, "::protobuf::", "::rust_protobuf::")?;

    // pb-rs 0.10 does not parse a group, and finds a schema by its absolute path only.
    let folder = fresh(out, "quick_protobuf")?;
    let absolute = plain.iter().map(std::path::absolute).collect::<Result<Vec<PathBuf>, _>>()?;
    let config = pb_rs::ConfigBuilder::new(&absolute, None, Some(&folder), &[std::path::absolute("proto")?])?.build();
    pb_rs::types::FileDescriptor::run(&config)?;
    fs::write(folder.join("open.rs"), with_lifetimes(&folder.join("benchmarks"))?)?;

    let folder = fresh(out, "protocrap")?;
    fs::write(folder.join("code.rs"), protocrap::codegen::generate(&without_odd(descriptors)?)?)?;
    replace(&folder, "crate::benchmarks", "crate::generated::protocrap::benchmarks")?;
    Ok(())
}

/// The descriptors without the schemas that protocrap has no types for: it generates nothing when it meets a field number
/// above 2047, and makes of a message with 500 fields a hundred thousand lines.
fn without_odd(descriptors: &[u8]) -> Result<Vec<u8>, prost::DecodeError> {
    let mut files = FileDescriptorSet::decode(descriptors)?;
    let odd = [GENERIC, SPARSE, "oneofs", "telemetry"].map(|name| format!("{name}.proto"));
    files.file.retain(|file| !odd.iter().any(|odd| odd == file.name()));
    Ok(files.encode_to_vec())
}

/// Replaces text in every file of a folder.
fn replace(folder: &Path, from: &str, to: &str) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let file = entry?.path();
        if file.extension().is_some_and(|extension| extension == "rs") {
            fs::write(&file, fs::read_to_string(&file)?.replace(from, to))?;
        }
    }
    Ok(())
}

/// Modules for the packages with every message of pb-rs under a name that has a lifetime, whether it borrows or not, so
/// that one macro can name them all.
fn with_lifetimes(folder: &Path) -> std::io::Result<String> {
    let mut modules = String::new();
    let packages = PLAIN.iter().map(|name| name.trim_start_matches("message1_"));
    for package in packages {
        modules.push_str(&format!("pub mod {package} {{\n"));
        for line in fs::read_to_string(folder.join(format!("{package}.rs")))?.lines() {
            let Some(name) = line.strip_prefix("pub struct ") else { continue };
            let name: String = name.chars().take_while(|letter| letter.is_alphanumeric()).collect();
            let lifetime = if line.contains("<'a>") { "<'a>" } else { "" };
            let path = format!("crate::generated::quick_protobuf::benchmarks::{package}::{name}{lifetime}");
            modules.push_str(&format!("    pub type {name}<'a> = {path};\n"));
        }
        modules.push_str("}\n");
    }
    Ok(modules)
}
