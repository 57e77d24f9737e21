//! Generates the message types of all libraries from the same schemas, the table of what the schemas declare, and the list
//! of the libraries.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;
use std::{env, fs};

use prost::Message as _;

#[cfg(feature = "formats")]
mod formats;
#[cfg(feature = "json")]
mod json;
mod libraries;
#[cfg(feature = "peers")]
mod peers;
mod schema;

/// The schemas without groups, which not every library can do.
const PLAIN: [&str; 13] = [
    "message1_proto2",
    "message1_proto3",
    "families",
    "quickbuffers",
    "protokt",
    GENERIC,
    "prometheus",
    "inputs",
    "shapes",
    "descriptors",
    SPARSE,
    "oneofs",
    "telemetry",
];
/// The schema with field numbers that not every library can do.
const GENERIC: &str = "generic";
/// The schema with hundreds of fields.
const SPARSE: &str = "sparse";
/// The schema with a group.
const WITH_GROUP: &str = "message2";
/// The environment variable that has Defiant's messages optimized for `CODE_SIZE`.
const OPTIMIZE_FOR: &str = "BENCHMARKS_OPTIMIZE_FOR";
/// The container of Google's payloads.
const DATASET: &str = "dataset";
/// Packed numbers, for Defiant and prost only.
const PACKED: &str = "packed";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=build");
    println!("cargo:rerun-if-changed=proto");

    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    let schemas: Vec<String> = PLAIN.iter().chain([&WITH_GROUP, &DATASET, &PACKED]).map(|name| path(name)).collect();

    let mut config = defiant_build::Config::new();
    // As prost holds all messages.
    config.out_dir(fresh(&out, "defiant")?).inline(".benchmarks.families.Triangle");
    println!("cargo:rerun-if-env-changed={OPTIMIZE_FOR}");
    if env::var_os(OPTIMIZE_FOR).is_some_and(|what| what == "CODE_SIZE") {
        config.optimize_for(".", defiant_build::OptimizeFor::CodeSize);
    }
    config.compile_protos(&schemas, &["proto"])?;

    let descriptors = out.join("descriptors.pb");
    prost_build::Config::new()
        .out_dir(fresh(&out, "prost")?)
        .file_descriptor_set_path(&descriptors)
        .protoc_executable(protoc_bin_vendored::protoc_bin_path()?)
        .compile_protos(&schemas, &["proto"])?;
    prost_build::Config::new()
        .out_dir(fresh(&out, "prost_bytes")?)
        .bytes(["."])
        .file_descriptor_set_path(&descriptors)
        .skip_protoc_run()
        .compile_protos(&schemas, &["proto"])?;

    pilota(&out)?;
    google_descriptors(&out.join("google_descriptors.pb"))?;

    let descriptors = fs::read(descriptors)?;
    fs::write(out.join("schema.rs"), schema::table(&prost_types::FileDescriptorSet::decode(descriptors.as_slice())?))?;
    libraries::list(&out)?;
    #[cfg(feature = "peers")]
    peers::generate(&out, &descriptors)?;
    #[cfg(feature = "json")]
    json::generate(&out)?;
    #[cfg(feature = "formats")]
    formats::generate(&out)?;

    forget_when(&out)?;
    describe_the_build()
}

/// Makes the schemas and descriptors in the folders of the generators older than this run. Some generators ask cargo to watch
/// their input, and what is newer than the run of the script that wrote it would be built anew every time. What it is made
/// of is watched.
fn forget_when(folder: &Path) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            forget_when(&path)?;
        } else if path.extension().is_some_and(|extension| extension == "proto" || extension == "pb") {
            fs::File::options().write(true).open(path)?.set_modified(SystemTime::UNIX_EPOCH)?;
        }
    }
    Ok(())
}

/// The schemas that come with protoc, as it hands them to its plugins: a payload.
fn google_descriptors(output: &Path) -> Result<(), Box<dyn Error>> {
    let include = protoc_bin_vendored::include_path()?;
    let folder = include.join("google/protobuf");
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        names.extend(
            name.to_str().filter(|name| name.ends_with(".proto")).map(|name| format!("google/protobuf/{name}")),
        );
    }
    names.sort();
    let status = Command::new(protoc_bin_vendored::protoc_bin_path()?)
        .arg("--include_source_info")
        .arg(format!("--descriptor_set_out={}", output.display()))
        .arg(format!("--proto_path={}", include.display()))
        .args(&names)
        .status()?;
    status.success().then_some(()).ok_or_else(|| format!("protoc: {status}").into())
}

/// The schema `name` from the folder of the crate.
fn path(name: &str) -> String {
    format!("proto/{name}.proto")
}

/// pilota-build 0.13 stops at a `todo!()` when it meets a group, so message2 is not among its schemas, and at the
/// default of an unsigned field, so the defaults of one schema are taken away; they do not show on the wire. Its
/// runtime is used as it comes: no features that a user would not have.
fn pilota(out: &Path) -> std::io::Result<()> {
    let folder = fresh(out, "pilota")?;
    let mut schemas = Vec::new();
    for name in &PLAIN {
        let mut schema = fs::read_to_string(path(name))?;
        if *name == "quickbuffers" {
            schema = without_defaults(&schema);
        }
        let file = folder.join(format!("{name}.proto"));
        fs::write(&file, schema)?;
        schemas.push(file);
    }
    pilota_build::Builder::pb()
        .ignore_unused(false)
        .include_dirs(vec![folder.clone()])
        .compile(&schemas, pilota_build::Output::File(folder.join("code.rs")));
    Ok(())
}

/// A schema without ` [default = ...]`.
fn without_defaults(schema: &str) -> String {
    let mut lines = String::new();
    for line in schema.lines() {
        match line.split_once(" [default = ") {
            Some((field, _)) => lines.extend([field, ";\n"]),
            None => lines.extend([line, "\n"]),
        }
    }
    lines
}

/// The folder `name` in `out`, made if need be.
fn fresh(out: &Path, name: &str) -> std::io::Result<PathBuf> {
    let folder = out.join(name);
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// Leaves compiler, target, flags and the versions of the libraries for the record of a run.
fn describe_the_build() -> Result<(), Box<dyn Error>> {
    let rustc = env::var_os("RUSTC").ok_or("RUSTC is not set")?;
    let version = String::from_utf8(Command::new(rustc).arg("--version").output()?.stdout)?;
    println!("cargo:rustc-env=BENCHMARKS_RUSTC={}", version.trim());
    for (name, source) in [("TARGET", "TARGET"), ("OPT_LEVEL", "OPT_LEVEL")] {
        println!("cargo:rustc-env=BENCHMARKS_{name}={}", env::var(source)?);
    }
    // The folder of the profile in the target folder, for Cargo only says on which of its own a profile is based: the
    // output is in `PROFILE/build/PACKAGE/out`.
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    let profile = out.ancestors().nth(3).and_then(Path::file_name).and_then(|name| name.to_str()).unwrap_or("-");
    println!("cargo:rustc-env=BENCHMARKS_PROFILE={profile}");
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    println!("cargo:rustc-env=BENCHMARKS_RUSTFLAGS={}", flags.replace('\u{1f}', " "));

    println!("cargo:rerun-if-changed=../Cargo.lock");
    println!("cargo:rustc-env=BENCHMARKS_LOCKED={}", locked(&fs::read_to_string("../Cargo.lock")?).join(" "));
    Ok(())
}

/// `name=version` of each package in a lock file.
fn locked(lock: &str) -> Vec<String> {
    let quoted =
        |line: &str, name: &str| Some(line.strip_prefix(name)?.strip_prefix(" = ")?.trim_matches('"').to_owned());
    let mut packages = Vec::new();
    let mut package = String::new();
    for line in lock.lines() {
        if let Some(name) = quoted(line, "name") {
            package = name;
        } else if let Some(version) = quoted(line, "version").filter(|_| !package.is_empty()) {
            packages.push(format!("{}={version}", std::mem::take(&mut package)));
        }
    }
    packages
}
