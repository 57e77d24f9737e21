//! The generators behind the feature `peers`.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use prost::Message as _;
use prost_types::FileDescriptorSet;

use crate::schema::snake;
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

    micropb(&fresh(out, "micropb")?, descriptors)?;

    // It generates nothing when it meets a field number above 2047, and makes of a message with 500 fields a hundred
    // thousand lines.
    let folder = fresh(out, "protocrap")?;
    let odd = [GENERIC, SPARSE, "oneofs", "telemetry"];
    let descriptors = chosen(descriptors, |name| !odd.contains(&name))?;
    fs::write(folder.join("code.rs"), protocrap::codegen::generate(&descriptors.encode_to_vec())?)?;
    replace(&folder, "crate::benchmarks", "crate::generated::protocrap::benchmarks")?;
    Ok(())
}

/// micropb-gen 0.7 stops at a group. Strings and lists are those of `alloc`, maps those of `std`. A field with presence is an
/// `Option`, not a bit beside the field, which takes as long, but does not compile for more than 256 fields. Sizes are not
/// cached, as is the default: on most payloads the cache costs more than it saves.
fn micropb(folder: &Path, descriptors: &[u8]) -> Result<(), Box<dyn Error>> {
    use micropb_gen::config::{Config, OptionalRepr};

    let descriptors = chosen(descriptors, |name| PLAIN.contains(&name))?;
    let plain = folder.join("plain.pb");
    fs::write(&plain, descriptors.encode_to_vec())?;
    let mut generator = micropb_gen::Generator::new();
    generator
        .use_container_std()
        .configure(".", Config::new().optional_repr(OptionalRepr::Option))
        .calculate_max_size(false)
        .suffixed_package_names(false);
    generator.compile_fdset_file(plain, folder.join("code.rs")).map_err(|error| format!("micropb-gen: {error}"))?;
    fs::write(folder.join("oneofs.rs"), modules_of_oneofs(&descriptors))?;
    Ok(())
}

/// The schemas that are chosen by their names.
fn chosen(descriptors: &[u8], choose: impl Fn(&str) -> bool) -> Result<FileDescriptorSet, prost::DecodeError> {
    let mut files = FileDescriptorSet::decode(descriptors)?;
    files.file.retain(|file| choose(file.name().trim_end_matches(".proto")));
    Ok(files)
}

/// The enums that micropb-gen makes of oneofs, in modules that are named as prost names them: `oneofs::string_oneof` for
/// `oneofs::StringOneof_`.
fn modules_of_oneofs(files: &FileDescriptorSet) -> String {
    let mut modules = String::new();
    for file in &files.file {
        let Some((_, package)) = file.package().split_once('.') else { continue };
        let messages = file.message_type.iter().filter(|message| !message.oneof_decl.is_empty());
        let modules_of_messages: String = messages
            .map(|message| {
                let path = format!("crate::generated::micropb::benchmarks::{package}::{}_", message.name());
                format!("    pub mod {} {{ pub use {path}::*; }}\n", snake(message.name()))
            })
            .collect();
        if !modules_of_messages.is_empty() {
            modules.push_str(&format!("pub mod {package} {{\n{modules_of_messages}}}\n"));
        }
    }
    modules
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
