//! The generated types that the runtime ships are what this generator makes of the official files. `BLESS=1` rewrites.

use std::env;
use std::fs;
use std::path::Path;

use defiant_build::Config;

use crate::support::Room;
use crate::well_known_docs::document;

/// A checked-in file: the `.proto` files it is made of, what is written, and what is kept under `defiant/src/wkt`.
struct Kept {
    protos: &'static [&'static str],
    written: &'static str,
    kept: &'static str,
    /// Packages that are taken from elsewhere.
    externs: &'static [(&'static str, &'static str)],
    /// Adds docs.
    document: fn(&mut Config),
}

const KEPT: &[Kept] = &[
    Kept {
        protos: &[
            "any",
            "api",
            "duration",
            "empty",
            "field_mask",
            "source_context",
            "struct",
            "timestamp",
            "type",
            "wrappers",
        ],
        written: "google.protobuf.rs",
        kept: "types.rs",
        externs: &[],
        document,
    },
    Kept {
        protos: &["descriptor"],
        written: "google.protobuf.rs",
        kept: "descriptor.rs",
        externs: &[],
        document: |_| {},
    },
    Kept {
        protos: &["compiler/plugin"],
        written: "google.protobuf.compiler.rs",
        kept: "compiler.rs",
        externs: &[
            (".google.protobuf.FileDescriptorProto", "crate::wkt::FileDescriptorProto"),
            (".google.protobuf.GeneratedCodeInfo", "crate::wkt::GeneratedCodeInfo"),
        ],
        document: |_| {},
    },
];

#[test]
fn shipped_types_are_in_step() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../defiant/src/wkt/generated");
    for file in KEPT {
        let room = Room::new(&[]);
        let mut config = room.config();
        // The official comments are not ours to copy.
        config.disable_comments(["."]).compile_well_known_types();
        (file.document)(&mut config);
        for (path, rust) in file.externs {
            config.extern_path(*path, *rust);
        }
        let protos: Vec<String> = file.protos.iter().map(|name| format!("google/protobuf/{name}.proto")).collect();
        config.compile_protos(&protos, &[] as &[&str]).expect("the official files compile");
        let text = room.read(file.written);
        let path = directory.join(file.kept);
        if env::var_os("BLESS").is_some() {
            fs::write(&path, &text).expect("the kept file is writable");
        }
        let kept = fs::read_to_string(&path).expect("a kept file: run with BLESS=1");
        assert_eq!(text, kept, "{} differs: run with BLESS=1 and look at the diff", file.kept);
    }
}
