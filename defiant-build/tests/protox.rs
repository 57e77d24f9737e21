//! The compiler of the crate `protox` instead of the official one.

use std::fs;

use crate::cases::CASES;
use crate::support::{Room, golden};

#[test]
fn generates_what_the_official_compiler_leads_to() {
    // It knows no editions, and refuses names that the official compiler only warns about and the high numbers that
    // extensions of a message set may have.
    let refused = [
        "edition2023",
        "edition2024",
        "lazy",
        "optimize_for",
        "keywords",
        "collisions",
        "accessors",
        "extensions",
        "registry",
    ];
    for case in CASES.iter().filter(|case| !refused.contains(&case.name)) {
        let room = Room::new(&[]);
        crate::golden::compile(case, room.config().protox(), &room.out());
        for name in room.written().iter().filter(|name| name.ends_with(".rs")) {
            let kept = fs::read_to_string(golden().join(case.name).join(name)).unwrap();
            assert_eq!(room.read(name), kept, "{}/{name}", case.name);
        }
    }
}

#[test]
fn errors_have_places_and_come_together() {
    let room = Room::new(&[
        ("a.proto", "syntax = \"proto3\";\nmessage A {\n  int32 a = 1\n}\n"),
        ("b.proto", "syntax = \"proto3\";\nmessage B {\n  Missing b = 1;\n  Lost c = 2;\n}\n"),
        ("c.proto", "syntax = \"proto3\";\n\nimport \"nowhere.proto\";\n"),
    ]);
    let error = room
        .config()
        .protox()
        .compile_protos(&["a.proto", "b.proto", "c.proto"].map(|name| room.path(name)), &[room.path("")])
        .unwrap_err();
    assert!(error.is_invalid_proto());
    let places: Vec<_> = error
        .diagnostics()
        .iter()
        .map(|found| (found.file().unwrap().to_owned(), found.line().unwrap(), found.column().unwrap()))
        .collect();
    assert_eq!(
        places,
        [
            (room.path("a.proto"), 4, 1),
            (room.path("b.proto"), 3, 3),
            (room.path("b.proto"), 4, 3),
            (room.path("c.proto"), 3, 1),
        ],
        "{error}"
    );
    assert_eq!(room.written(), [] as [&str; 0]);
}

#[test]
fn editions_are_refused_with_a_place() {
    let room = Room::new(&[("new.proto", "// New.\nedition = \"2023\";\nmessage M {}\n")]);
    let error = room.compile(room.config().protox(), "new.proto").unwrap_err();
    let first = &error.diagnostics()[0];
    assert!(first.message().contains("editions are not supported by protox"), "{error}");
    assert_eq!((first.line(), first.column()), (Some(2), Some(1)));
    assert_eq!(first.file(), Some(room.path("new.proto").as_path()));
}

#[test]
fn options_of_the_other_compiler_are_refused() {
    let room = Room::new(&[("it.proto", "syntax = \"proto3\";")]);
    assert!(room.compile(room.config().protox().protoc_arg("-I."), "it.proto").unwrap_err().is_config());
}
