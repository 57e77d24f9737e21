//! Compiles the suite's protocol, messages of all shapes, and the suite's test messages where they can be had, to structs
//! and to descriptors.
//!
//! The test messages belong to the suite and are not part of this repository. The environment variable
//! `DEFIANT_CONFORMANCE_PROTOS` names the folder that holds `google/protobuf/test_messages_proto3.proto` and its
//! siblings; `conformance/run` fetches them and sets it. Without it the testee compiles and skips those messages.
//! With `DEFIANT_CONFORMANCE_OPTIMIZE_FOR=CODE_SIZE` they are optimized for code size.

use std::{
    env,
    error::Error,
    path::{Path, PathBuf},
};

use defiant_build::{Config, OptimizeFor};

/// The folder with the test messages.
const PROTOS: &str = "DEFIANT_CONFORMANCE_PROTOS";

/// What the test messages are optimized for: `CODE_SIZE`, or else speed.
const OPTIMIZE_FOR: &str = "DEFIANT_CONFORMANCE_OPTIMIZE_FOR";

/// The files of the suite that the testee knows, below that folder.
const TEST_MESSAGES: [&str; 5] = [
    "google/protobuf/test_messages_proto2.proto",
    "google/protobuf/test_messages_proto3.proto",
    "google/protobuf/test_messages_edition2023.proto",
    "google/protobuf/test_messages_proto2_editions.proto",
    "google/protobuf/test_messages_proto3_editions.proto",
];

/// The fields of `shapes.proto` that are lazy in one of its forms.
const LAZY: [&str; 7] = [
    ".shapes.Singular.a_child",
    ".shapes.Singular.mixed",
    ".shapes.Needy.may",
    ".shapes.Mixed.singulars",
    ".shapes.Known.singular",
    ".shapes.Known.known",
    ".shapes.Known.anys",
];

/// A folder for generated files.
fn folder(out: &Path, name: &str) -> std::io::Result<PathBuf> {
    let folder = out.join(name);
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// What other libraries make of the messages that they are compared by.
#[cfg(feature = "peers")]
fn peers(out: &Path) -> Result<(), Box<dyn Error>> {
    let protoc = protoc_bin_vendored::protoc_bin_path()?;
    let files = ["modern.proto", "legacy.proto"];
    let mut config = prost_build::Config::new();
    // Sorted maps, so that a message has one encoding.
    config.protoc_executable(&protoc).btree_map(["."]).out_dir(folder(out, "prost")?);
    config.compile_protos(&files, &["proto"])?;
    for file in files {
        let folder = folder(out, &format!("google_{}", file.trim_end_matches(".proto")))?;
        google_protobuf_codegen::CodeGen::new()
            .inputs([file])
            .include("proto")
            .protoc_path(&protoc)
            .output_dir(&folder)
            .generate_and_compile()?;
        // Google's crate has another name here.
        for entry in std::fs::read_dir(folder)? {
            let file = entry?.path();
            if file.extension().is_some_and(|extension| extension == "rs") {
                std::fs::write(&file, std::fs::read_to_string(&file)?.replace("::protobuf::", "::google_protobuf::"))?;
            }
        }
    }
    Ok(())
}

/// Generates the messages of `deep.proto` in both forms, with the fields that are to be inline.
fn deep(out: &Path) -> Result<(), Box<dyn Error>> {
    for (name, target) in [("deep", OptimizeFor::Speed), ("deep_small", OptimizeFor::CodeSize)] {
        let mut config = Config::new();
        config.optimize_for(".", target).out_dir(folder(out, name)?);
        config.file_descriptor_set_path(out.join("deep.bin"));
        for message in ["Small", "Large"] {
            config.inline(format!(".deep.{message}.inline"));
        }
        for pads in 'a'..='i' {
            config.inline(format!(".deep.Large.pads_{pads}"));
        }
        for pads in 'a'..='c' {
            config.inline(format!(".deep.LargeHolder.pads_{pads}"));
        }
        for pad in 'a'..='p' {
            config.inline(format!(".deep.Pads.pad_{pad}"));
        }
        config.compile_protos(&["proto/deep.proto"], &["proto"])?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed={PROTOS}");
    println!("cargo::rerun-if-env-changed={OPTIMIZE_FOR}");
    println!("cargo::rustc-check-cfg=cfg(test_messages)");

    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?);
    let mut config = Config::new();
    config.file_descriptor_set_path(out.join("testee.bin"));
    config.compile_protos(&["proto/testee.proto"], &["proto"])?;

    let mut config = Config::new();
    config.file_descriptor_set_path(out.join("shapes.bin"));
    config.compile_protos(&["proto/shapes.proto", "proto/modern.proto", "proto/legacy.proto"], &["proto"])?;
    // The same shapes, optimized for code size, and with all that can be lazy left encoded.
    let mut config = Config::new();
    config.optimize_for(".", OptimizeFor::CodeSize).out_dir(folder(&out, "small")?);
    config.compile_protos(&["proto/shapes.proto"], &["proto"])?;
    let mut config = Config::new();
    for field in LAZY {
        config.lazy(field);
    }
    config.out_dir(folder(&out, "lazy")?);
    config.compile_protos(&["proto/shapes.proto"], &["proto"])?;
    deep(&out)?;
    #[cfg(feature = "peers")]
    peers(&out)?;

    if let Some(folder) = env::var_os(PROTOS) {
        let folder = Path::new(&folder);
        let files = TEST_MESSAGES.map(|file| folder.join(file));
        let mut config = Config::new();
        config.include_file("test_messages.rs");
        config.file_descriptor_set_path(out.join("test_messages.bin"));
        if env::var_os(OPTIMIZE_FOR).is_some_and(|what| what == "CODE_SIZE") {
            config.optimize_for(".", OptimizeFor::CodeSize);
        }
        config.compile_protos(&files, &[folder])?;
        println!("cargo::rustc-cfg=test_messages");
    }
    Ok(())
}
