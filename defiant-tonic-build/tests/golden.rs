//! What is generated from `golden.proto`: `BLESS=1` rewrites it. That it compiles and works, `grpc-interop` shows.

use std::fs;
use std::path::{Path, PathBuf};

use defiant_build::{Config, Error};
use defiant_tonic_build::Generator;

fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

/// The text generated for a package, or for files without one.
fn generated(generator: Generator, proto: &str, package: &str) -> Result<String, Error> {
    let room = tempfile::tempdir().expect("a temporary directory");
    Config::new()
        .out_dir(room.path())
        .service_generator(Box::new(generator))
        .compile_protos(&[here().join(proto)], &[here()])?;
    Ok(fs::read_to_string(room.path().join(format!("{package}.rs"))).expect("a file for the package"))
}

#[test]
fn golden() {
    let text = generated(Generator::new(), "golden.proto", "golden.v1").expect("a good file");
    let kept = here().join("golden.txt");
    if std::env::var_os("BLESS").is_some() {
        fs::write(&kept, &text).expect("a place for it");
    }
    assert!(fs::read_to_string(&kept).ok() == Some(text), "run with BLESS=1 and look at the diff of {kept:?}");
}

#[test]
fn sides() {
    let text = |generator| generated(generator, "golden.proto", "golden.v1").expect("a good file");
    let (client, server) = ("pub mod search_client {", "pub mod search_server {");
    let only_client = text(Generator::new().server(false));
    assert!(only_client.contains(client) && !only_client.contains(server));
    let only_server = text(Generator::new().client(false));
    assert!(!only_server.contains(client) && only_server.contains(server));
    assert!(!text(Generator::new().transport(false)).contains("tonic::transport"));
    assert!(text(Generator::new().use_arc_self(true)).contains("self: std::sync::Arc<Self>"));
    assert!(text(Generator::new().default_stubs(true)).contains("Not yet implemented"));
}

#[test]
fn without_a_package() {
    let text = generated(Generator::new(), "bare.proto", "_").expect("a good file");
    assert!(text.contains("\"/Bare/Ask\""), "{text}");
    assert!(text.contains("Outgoing<super::Question<'static>>"), "{text}");
}

#[test]
fn a_codec_that_is_no_path() {
    let text = generated(Generator::new().codec_path("not a path"), "bare.proto", "_").expect("a good file");
    assert!(text.contains("compile_error!") && text.contains("not a path"), "{text}");
}
