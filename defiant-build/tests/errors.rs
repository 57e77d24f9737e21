//! What goes wrong, and how it is said.

use std::fs;
use std::time::{Duration, SystemTime};

use defiant_build::ServiceTraits;

use crate::support::{Room, generate, golden};

#[test]
fn syntax_errors_have_a_place() {
    let room = Room::new(&[("bad.proto", "syntax = \"proto3\";\nmessage M {\n  int32 a = 1\n  strin b = 2;\n}\n")]);
    let error = room.compile(&mut room.config(), "bad.proto").unwrap_err();
    assert!(error.is_invalid_proto());
    let first = &error.diagnostics()[0];
    assert_eq!(first.file(), Some(room.path("bad.proto").as_path()));
    assert_eq!((first.line(), first.column()), (Some(4), Some(3)));
    assert_eq!(first.message(), "Expected \";\".");
    assert!(
        error.to_string().starts_with(&format!("{}:4:3: Expected \";\".", room.path("bad.proto").display())),
        "{error}"
    );
    assert_eq!(room.written(), [] as [&str; 0]);
}

#[test]
fn all_errors_at_once() {
    let room = Room::new(&[("bad.proto", "syntax = \"proto3\";\nmessage M {\n  A a = 1;\n  B b = 2;\n}\n")]);
    let error = room.compile(&mut room.config(), "bad.proto").unwrap_err();
    let lines: Vec<_> = error.diagnostics().iter().map(|diagnostic| diagnostic.line()).collect();
    assert_eq!(lines, [Some(3), Some(4)]);
}

#[test]
fn missing_imports_are_named() {
    let room = Room::new(&[("bad.proto", "syntax = \"proto3\";\nimport \"nowhere.proto\";\n")]);
    let error = room.compile(&mut room.config(), "bad.proto").unwrap_err();
    assert!(error.is_invalid_proto());
    assert!(error.to_string().contains("nowhere.proto: File not found"), "{error}");
    assert!(error.diagnostics().iter().any(|diagnostic| diagnostic.line() == Some(2)), "{error}");
}

#[test]
fn missing_files_are_named() {
    let room = Room::new(&[]);
    let error = room.compile(&mut room.config(), "nowhere.proto").unwrap_err();
    assert!(error.is_invalid_proto() && error.to_string().contains("nowhere.proto"), "{error}");
    let error = room.config().compile_protos(&[] as &[&str], &["."]).unwrap_err();
    assert!(error.is_config());
}

#[test]
fn paths_that_match_nothing() {
    let error = generate("syntax = \"proto3\"; package pkg; message M { repeated M m = 1; }", "pkg", |config| {
        config
            .type_attribute("pkg.Missing", "#[a]")
            .field_attribute(".pkg.M.n", "#[a]")
            .inline("M.m")
            .extern_path(".other", "::other")
            .type_attribute("M", "#[a]");
    })
    .unwrap_err();
    assert!(error.is_config());
    assert_eq!(
        error.to_string(),
        "extern_path(\".other\") matches nothing in these files\n\
         type_attribute(\"pkg.Missing\") matches nothing in these files\n\
         field_attribute(\".pkg.M.n\") matches nothing in these files\n\
         inline(\"M.m\") matches nothing in these files"
    );
}

#[test]
fn methods_that_are_not_there() {
    const FILE: &str = "syntax = \"proto3\"; package pkg; message M {} service S { rpc Find(M) returns (M); }";
    let with = |paths: &'static [&'static str]| {
        generate(FILE, "pkg", move |config| {
            let traits = paths.iter().fold(ServiceTraits::new(), |traits, path| traits.with_call(*path));
            config.service_generator(Box::new(traits));
        })
    };
    assert!(with(&["Find", ".pkg.S", "."]).unwrap().contains("call: &'a"));
    let error = with(&["Fnd", "S.Find", ".pkg.T"]).unwrap_err();
    assert!(error.is_config());
    assert_eq!(
        error.to_string(),
        "with_call(\"Fnd\") matches no method in these files\nwith_call(\".pkg.T\") matches no method in these files"
    );
}

#[test]
fn paths_of_rust() {
    let error = generate("syntax = \"proto3\"; package pkg; message M {}", "pkg", |config| {
        config.extern_path(".pkg.M", "other-crate::M").crate_path("defiant::");
    })
    .unwrap_err();
    assert!(error.is_config());
    assert_eq!(
        error.to_string(),
        "extern_path(\".pkg.M\"): \"other-crate::M\" is no path of Rust\ncrate_path: \"defiant::\" is no path of Rust"
    );
}

/// The compiler takes a list of directories where one is expected.
#[cfg(unix)]
#[test]
fn includes_that_the_compiler_would_split() {
    let room = Room::new(&[("a:b/m.proto", "syntax = \"proto3\"; message M {}")]);
    let include = room.path("a:b");
    let error = room.config().compile_protos(&[include.join("m.proto")], &[&include]).unwrap_err();
    assert!(error.is_config());
    let expected = format!("{include:?}: protoc takes a directory with {:?} in its path for several", ':');
    assert_eq!(error.to_string(), expected);
}

#[test]
fn extern_paths_are_full_paths() {
    let error = generate("syntax = \"proto3\"; package pkg; message M {}", "pkg", |config| {
        config.extern_path("pkg.M", "::m");
    })
    .unwrap_err();
    assert!(error.is_config() && error.to_string().contains("leading dot"), "{error}");
}

#[test]
fn nothing_holds_itself() {
    let room = Room::new(&[(
        "it.proto",
        "syntax = \"proto3\";\npackage pkg;\nmessage A {\n  B b = 1;\n  A far = 2;\n}\nmessage B {\n  int32 x = 1;\n  A a = 2;\n}\n",
    )]);
    let error = room.compile(room.config().inline("A.b").inline("B.a"), "it.proto").unwrap_err();
    let lines: Vec<_> = error.diagnostics().iter().map(ToString::to_string).collect();
    assert_eq!(
        lines,
        [
            ":4:3: .pkg.A.b cannot be inline: the message would hold itself (pkg.A -> pkg.B -> pkg.A)",
            ":9:3: .pkg.B.a cannot be inline: the message would hold itself (pkg.B -> pkg.A -> pkg.B)",
        ]
        .map(|line| format!("{}{line}", room.path("it.proto").display()))
    );
    assert_eq!(room.written(), [] as [&str; 0]);
    // One of the two may be.
    room.compile(room.config().inline("A.b"), "it.proto").unwrap();
}

#[test]
fn editions_without_code_are_refused_by_name() {
    let room = Room::new(&[
        ("new.proto", "\n  edition = \"2026\";\npackage pkg;\nimport \"other.proto\";\nmessage M { o.O a = 1; }\n"),
        ("other.proto", "// Next.\nedition = \"2026\";\npackage o;\nexport message O {}\n"),
    ]);
    let error = room.compile(&mut room.config(), "new.proto").unwrap_err();
    assert!(error.is_unsupported());
    let lines: Vec<_> = error.diagnostics().iter().map(ToString::to_string).collect();
    let message = "edition 2026 is not supported yet: proto2, proto3 and the editions 2023 and 2024 are";
    let expected = [("other.proto", "2:1"), ("new.proto", "2:3")]
        .map(|(name, place)| format!("{}:{place}: {message}", room.path(name).display()));
    assert_eq!(lines, expected);
    assert_eq!(room.written(), [] as [&str; 0]);
    // What is taken from elsewhere is no obstacle.
    let room = Room::new(&[
        ("old.proto", "edition = \"2024\";\npackage pkg;\nimport \"other.proto\";\nmessage M { o.O a = 1; }\n"),
        ("other.proto", "edition = \"2026\";\npackage o;\nexport message O {}\n"),
    ]);
    room.compile(room.config().extern_path(".o", "::o"), "old.proto").unwrap();
}

#[test]
fn editions_nobody_has_heard_of() {
    let room = Room::new(&[("new.proto", "edition = \"1999\";\nmessage M {}\n")]);
    let error = room.compile(&mut room.config(), "new.proto").unwrap_err();
    let first = &error.diagnostics()[0];
    assert!(error.is_invalid_proto() && first.message().contains("1999"), "{error}");
    assert_eq!((first.line(), first.column()), (Some(1), Some(11)));
}

#[test]
fn no_compiler() {
    let room = Room::new(&[("it.proto", "syntax = \"proto3\";")]);
    let error = room.compile(room.config().protoc_executable("/nowhere/protoc"), "it.proto").unwrap_err();
    assert!(error.is_protoc_missing());
    assert!(error.to_string().contains("/nowhere/protoc") && error.to_string().contains("vendored-protoc"), "{error}");
}

#[test]
fn comments_need_not_be_utf8() {
    let room = Room::new(&[]);
    let text = b"syntax = \"proto3\";\npackage pkg;\n// Caf\xe9 \xc3\xa9.\nmessage M {} // \xff\n";
    fs::write(room.path("it.proto"), text).unwrap();
    let set = room.path("set.pb");
    room.compile(room.config().file_descriptor_set_path(&set), "it.proto").unwrap();
    assert!(room.read("pkg.rs").contains("/// Caf? \u{e9}."), "{}", room.read("pkg.rs"));
    // The set is written as it is.
    assert!(fs::read(set).unwrap().windows(4).any(|window| window == b"Caf\xe9"));
}

#[test]
fn defaults_are_utf8() {
    let room = Room::new(&[(
        "it.proto",
        "syntax = \"proto2\";\nmessage M {\n  optional bytes b = 1 [default = \"\\xff\"];\n  optional string s = 2 [default = \"a\\xff\"];\n}\n",
    )]);
    let error = room.compile(&mut room.config(), "it.proto").unwrap_err();
    assert!(error.is_invalid_proto());
    assert_eq!(error.to_string(), format!("{}:4:3: the default is not UTF-8", room.path("it.proto").display()));
    assert_eq!(room.written(), [] as [&str; 0]);
}

#[test]
fn names_in_json_are_utf8() {
    let proto = "syntax = \"proto3\"; message M { int32 x = 1 [json_name = \"a\\xff\"]; }";
    let error = generate(proto, "_", |_| {}).unwrap_err();
    assert!(error.is_invalid_proto() && error.to_string().ends_with("the name in JSON is not UTF-8"), "{error}");
}

#[test]
fn bad_descriptor_sets() {
    let room = Room::new(&[]);
    assert!(room.config().compile_fds(b"\xff\xff").unwrap_err().is_invalid_descriptor_set());
    // file { name: "a" message_type { name: "M" field { name: "f" number: 1 label: 1 type: 11 type_name: ".N" } } }
    let set = b"\x0a\x19\x0a\x01a\x22\x14\x0a\x01M\x12\x0f\x0a\x01f\x18\x01\x20\x01\x28\x0b\x32\x02.N\x72\x00";
    let error = room.config().compile_fds(set).unwrap_err();
    assert!(error.is_invalid_descriptor_set(), "{error}");
    assert_eq!(room.written(), [] as [&str; 0]);
}

#[test]
fn names_in_descriptor_sets_are_names() {
    let room = Room::new(&[]);
    // file { name: "a" package: ".." } and file { name: "a" package: "x/y" message_type { name: "M" } }
    for set in [&b"\x0a\x07\x0a\x01a\x12\x02.."[..], b"\x0a\x0d\x0a\x01a\x12\x03x/y\x22\x03\x0a\x01M"] {
        let error = room.config().compile_fds(set).unwrap_err();
        assert!(error.is_invalid_descriptor_set() && error.to_string().contains("is no name"), "{error}");
    }
    assert_eq!(room.written(), [] as [&str; 0]);
}

/// Nothing of a descriptor set becomes code but as a name.
#[test]
fn names_of_extensions_and_methods_are_names() {
    use defiant::Message as _;
    use defiant::wkt::descriptor_proto::ExtensionRange;
    use defiant::wkt::field_descriptor_proto::{Label, Type};
    use defiant::wkt::{
        DescriptorProto, FieldDescriptorProto, FileDescriptorProto, FileDescriptorSet, MethodDescriptorProto,
        ServiceDescriptorProto,
    };

    const CODE: &str = "x` \npub fn injected() {}\n// `";
    let of = |file: FileDescriptorProto<'_>| {
        let room = Room::new(&[]);
        let ranges = [ExtensionRange { start: Some(100), end: Some(200), ..ExtensionRange::default() }];
        let hosts = [DescriptorProto { name: Some("M"), extension_range: &ranges, ..DescriptorProto::default() }];
        let host = FileDescriptorProto { name: Some("m"), message_type: &hosts, ..FileDescriptorProto::default() };
        let file = FileDescriptorProto { name: Some("it"), ..file };
        let set = FileDescriptorSet { file: &[host, file], ..FileDescriptorSet::default() };
        let result = room.config().compile_fds(set.encode_to_vec());
        result.map(|()| room.read("_.rs")).inspect_err(|_| assert_eq!(room.written(), [] as [&str; 0]))
    };
    let refused = |file| of(file).expect_err("no name").to_string();
    let extension = |name| FieldDescriptorProto {
        name: Some(name),
        number: Some(100),
        label: Some(Label::Optional),
        r#type: Some(Type::Int32),
        extendee: Some(".M"),
        ..FieldDescriptorProto::default()
    };
    let (good, bad) = ([extension("good")], [extension(CODE)]);
    assert!(of(FileDescriptorProto { extension: &good, ..FileDescriptorProto::default() }).unwrap().contains("GOOD"));
    let error = refused(FileDescriptorProto { extension: &bad, ..FileDescriptorProto::default() });
    assert_eq!(error, format!("invalid descriptor set: {CODE:?} is no name"));
    let around = [DescriptorProto { name: Some("N"), extension: &bad, ..DescriptorProto::default() }];
    let error = refused(FileDescriptorProto { message_type: &around, ..FileDescriptorProto::default() });
    assert_eq!(error, format!("invalid descriptor set: {CODE:?} is no name"));

    let service = |service: &str, name: &str, input: &str, output: &str| {
        let (input, output) = (Some(input), Some(output));
        let method = MethodDescriptorProto {
            name: Some(name),
            input_type: input,
            output_type: output,
            ..MethodDescriptorProto::default()
        };
        let method = [method];
        let service = [ServiceDescriptorProto { name: Some(service), method: &method, ..Default::default() }];
        of(FileDescriptorProto { service: &service, ..FileDescriptorProto::default() })
            .map_err(|error| error.to_string())
    };
    assert!(service("S", "Find", ".M", ".M").is_ok());
    let is_no_name = Err(format!("invalid descriptor set: {CODE:?} is no name"));
    assert_eq!(service(CODE, "Find", ".M", ".M"), is_no_name);
    assert_eq!(service("S", CODE, ".M", ".M"), is_no_name);
    let is_no_type = Err(format!("invalid descriptor set: no type named {CODE:?}"));
    assert_eq!(service("S", "Find", CODE, ".M"), is_no_type);
    assert_eq!(service("S", "Find", ".M", CODE), is_no_type);
}

/// Whatever a descriptor set holds, there is an answer.
#[test]
fn damaged_descriptor_sets() {
    let protos = ["proto2", "services", "options", "deprecated"].map(|name| golden().join(format!("{name}.proto")));
    let room = Room::new(&[]);
    let path = room.path("set.pb");
    room.config().file_descriptor_set_path(&path).skip_source_info().compile_protos(&protos, &[golden()]).unwrap();
    let set = fs::read(&path).unwrap();
    let (mut fine, mut refused) = (0, 0);
    // Every eleventh byte, so that every sort of field is hit.
    for (at, value) in (0..set.len()).step_by(11).zip([0, 1, b'.', b'/', b'"', 0x7f, 0xff].into_iter().cycle()) {
        let mut damaged = set.clone();
        damaged[at] = value;
        match room.config().compile_fds(&damaged) {
            Ok(()) => fine += 1,
            Err(_) => refused += 1,
        }
    }
    assert!(fine > 10 && refused > 10, "{fine} {refused}");
}

#[test]
fn unchanged_output_is_not_touched() {
    let room = Room::new(&[("it.proto", "syntax = \"proto3\"; package pkg; message M {}")]);
    room.compile(&mut room.config(), "it.proto").unwrap();
    let path = room.out().join("pkg.rs");
    let long_ago = SystemTime::now() - Duration::from_secs(3600);
    fs::File::options().write(true).open(&path).unwrap().set_modified(long_ago).unwrap();

    room.compile(&mut room.config(), "it.proto").unwrap();
    assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), long_ago);

    room.compile(room.config().type_attribute("M", "#[a]"), "it.proto").unwrap();
    assert!(fs::metadata(&path).unwrap().modified().unwrap() > long_ago);
    assert_eq!(room.written(), ["pkg.rs"]);
}

#[test]
fn unwritable_output() {
    let room = Room::new(&[("it.proto", "syntax = \"proto3\"; package pkg; message M {}"), ("out", "a file")]);
    let error = room.compile(&mut room.config(), "it.proto").unwrap_err();
    assert!(error.is_io() && error.to_string().contains("pkg.rs"), "{error}");
}

#[test]
fn one_bad_package_keeps_the_good_one_from_being_written() {
    let room = Room::new(&[
        ("good.proto", "syntax = \"proto3\"; package good; message M {}"),
        ("bad.proto", "syntax = \"proto3\"; package bad; message M { int32 a = 0; }"),
        ("later.proto", "edition = \"2026\"; package later; message M {}"),
    ]);
    let both = |other: &str, config: &mut defiant_build::Config| {
        config.compile_protos(&[room.path("good.proto"), room.path(other)], &[room.path("")])
    };
    assert!(both("bad.proto", &mut room.config()).unwrap_err().is_invalid_proto());
    assert!(both("later.proto", &mut room.config()).unwrap_err().is_unsupported());
    let set = room.path("set.pb");
    let error = both("good.proto", room.config().field_attribute("nowhere", "#[a]").file_descriptor_set_path(&set));
    assert!(error.unwrap_err().is_config());
    assert!(!set.exists());
    assert_eq!(room.written(), [] as [&str; 0]);
    both("good.proto", &mut room.config()).unwrap();
    assert_eq!(room.written(), ["good.rs"]);
}
