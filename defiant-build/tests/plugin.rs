//! The plugin, run by the official compiler.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Output};

use defiant::wkt::compiler::CodeGeneratorRequest;
use defiant::wkt::{FileDescriptorProto, FileDescriptorSet};
use defiant::{Arena, Message as _};
use defiant_build::plugin::respond;

use crate::support::{Room, golden};

/// How many damaged requests are tried.
const ROUNDS: usize = 2_000;

/// Runs the vendored compiler with the plugin over files of the golden directory, into the room's `out`.
fn protoc(room: &Room, includes: &[PathBuf], options: &[&str], protos: &[&str]) -> Output {
    std::fs::create_dir_all(room.out()).unwrap();
    let argument = |name: &str, path: PathBuf| {
        let mut argument = OsString::from(name);
        argument.push(path);
        argument
    };
    Command::new(protoc_bin_vendored::protoc_bin_path().unwrap())
        .arg(argument("--plugin=", env!("CARGO_BIN_EXE_protoc-gen-defiant").into()))
        .args(includes.iter().map(|path| argument("--proto_path=", path.clone())))
        .arg(argument("--proto_path=", protoc_bin_vendored::include_path().unwrap()))
        .arg(argument("--defiant_out=", room.out()))
        .args(options.iter().map(|option| format!("--defiant_opt={option}")))
        .args(protos)
        .output()
        .unwrap()
}

#[track_caller]
fn succeeds(output: &Output) {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn writes_what_compile_protos_writes() {
    let protos =
        ["two_a.proto", "two_b.proto", "two_root.proto", "edition2023.proto", "edition2024.proto", "proto2.proto"];
    let script = Room::new(&[]);
    script
        .config()
        .type_attribute("golden.proto2.Defaults", "#[allow(clippy::all, reason = \"a, b\")]")
        .inline("Encodings.prefixed")
        .include_file("all.rs")
        .compile_protos(&protos.map(|name| golden().join(name)), &[golden()])
        .unwrap();
    let plugin = Room::new(&[]);
    succeeds(&protoc(
        &plugin,
        &[golden()],
        &[
            "type_attribute=golden.proto2.Defaults=#[allow(clippy::all, reason = \"a, b\")],inline=Encodings.prefixed",
            "include_file=all.rs",
        ],
        &protos,
    ));
    assert_eq!(plugin.written(), script.written());
    assert_eq!(plugin.written().len(), 7);
    for name in plugin.written() {
        assert_eq!(plugin.read(&name), script.read(&name), "{name}");
    }
}

#[test]
fn imports_are_not_generated() {
    let room = Room::new(&[]);
    succeeds(&protoc(&room, &[golden()], &[], &["edition2023.proto"]));
    assert_eq!(room.written(), ["golden.edition2023.rs"]);
    // Well-known files are, when asked for.
    succeeds(&protoc(&room, &[golden()], &[], &["proto3.proto", "google/protobuf/timestamp.proto"]));
    assert_eq!(room.written(), ["golden.edition2023.rs", "golden.proto3.rs", "google.protobuf.rs"]);
}

#[test]
fn errors_reach_the_user() {
    let room = Room::new(&[
        ("it.proto", "syntax = \"proto3\";\nmessage M {\n  M m = 1;\n}\n"),
        ("new.proto", "edition = \"2026\";\nmessage M {}\n"),
    ]);
    let said = |options: &[&str], proto: &str| {
        let output = protoc(&room, &[room.path("")], options, &[proto]);
        assert!(!output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    let unknown = said(&["inlined=M.m"], "it.proto");
    assert!(unknown.contains("there is no option \"inlined\""), "{unknown}");
    let cycle = said(&["inline=M.m"], "it.proto");
    assert!(cycle.contains("it.proto:3:3: .M.m cannot be inline"), "{cycle}");
    let new = said(&[], "new.proto");
    assert!(new.contains("new.proto") && new.contains("2026"), "{new}");
    assert_eq!(room.written(), [] as [&str; 0]);
}

/// Whatever the bytes, there is an answer or an error, never a panic.
#[test]
fn damaged_descriptors_are_survived() {
    let room = Room::new(&[]);
    let mut requests: Vec<Vec<u8>> = Vec::new();
    for proto in ["proto2.proto", "proto3.proto", "edition2023.proto"] {
        let set = room.path("set.pb");
        room.config().file_descriptor_set_path(&set).compile_protos(&[golden().join(proto)], &[golden()]).unwrap();
        let arena = Arena::new();
        let set = FileDescriptorSet::decode(&std::fs::read(set).unwrap(), &arena).unwrap();
        let names: Vec<&str> = set.file.iter().map(|file| file.name()).collect();
        // Without places and comments, which are most of the bytes.
        let files: Vec<_> =
            set.file.iter().map(|file| FileDescriptorProto { source_code_info: None, ..*file }).collect();
        let request =
            CodeGeneratorRequest { file_to_generate: &names, proto_file: &files, ..CodeGeneratorRequest::default() };
        requests.push(request.encode_to_vec());
    }
    let mut state = 1u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        usize::try_from(state >> 33).unwrap() % below
    };
    let mut answers = 0;
    for _ in 0..ROUNDS {
        let mut request = requests[random(requests.len())].clone();
        for _ in 0..=random(3) {
            let at = random(request.len());
            // A small number more or less makes other fields, types and indices; the length stays.
            request[at] = match random(3) {
                0 => u8::try_from(random(256)).unwrap(),
                1 => request[at].wrapping_add(1),
                _ => request[at] ^ (1 << random(7)),
            };
        }
        answers += usize::from(respond(&request).is_ok());
    }
    assert!(answers > ROUNDS / 10, "most of the damage went no further than the decoder: {answers}");
}
