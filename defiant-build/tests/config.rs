//! The options, one by one.

use std::cell::RefCell;
use std::fs;
use std::rc::Rc;

use defiant_build::{OptimizeFor, Service, ServiceGenerator};

use crate::support::{Room, generate};

const PERSON: &str = r#"
syntax = "proto3";
package pkg;
// The person.
message Person {
  // The name.
  string name = 1;
  Point home = 2;
  repeated Point route = 3;
  oneof contact { string phone = 4; Point place = 5; }
  Color color = 6;
  message Part { Color color = 1; }
}
message Point { int32 x = 1; }
enum Color { COLOR_NONE = 0; COLOR_RED = 1; }
"#;

/// Asserts that `lines` stand one below the other, indentation aside.
#[track_caller]
fn has(text: &str, lines: &[&str]) {
    let trimmed: Vec<&str> = text.lines().map(str::trim).collect();
    assert!(trimmed.windows(lines.len()).any(|window| window == lines), "{lines:#?} is not in\n{text}");
}

fn count(text: &str, part: &str) -> usize {
    text.matches(part).count()
}

#[test]
fn type_attributes_go_to_messages_enums_and_oneofs() {
    let text = generate(PERSON, "pkg", |config| {
        config
            .type_attribute(".", "#[all]")
            .type_attribute("pkg.Person", "#[one]")
            .type_attribute("contact", "#[oneof]");
    })
    .unwrap();
    assert_eq!((count(&text, "#[all]"), count(&text, "#[one]"), count(&text, "#[oneof]")), (5, 1, 1));
    has(&text, &["#[all]", "#[one]", "#[derive(Clone, Copy, Debug, PartialEq, ::defiant::Message)]"]);
}

#[test]
fn attributes_by_sort() {
    let text = generate(PERSON, "pkg", |config| {
        config
            .message_attribute(".pkg", "#[message]")
            .enum_attribute(".pkg", "#[enums]")
            .oneof_attribute(".pkg", "#[oneof]")
            .field_attribute("phone", "#[phone]")
            .field_attribute("Person.contact", "#[contact]")
            .field_attribute("COLOR_RED", "#[red]");
    })
    .unwrap();
    assert_eq!((count(&text, "#[message]"), count(&text, "#[enums]"), count(&text, "#[oneof]")), (3, 2, 1));
    has(&text, &["#[phone]", "#[defiant(string, tag = 4)]", "Phone(&'arena str),"]);
    has(&text, &["#[contact]", "#[defiant(oneof = \"person::Contact\", tags = \"4, 5\")]"]);
    has(&text, &["#[red]", "Red = 1 \"COLOR_RED\","]);
}

#[test]
fn lazy_messages() {
    const FILE: &str = "syntax = \"proto3\"; package pkg; message M { M a = 1 [lazy = true]; repeated M b = 2; \
        oneof kind { M c = 3; } map<int32, M> d = 4; }";
    let eager = "pub a: ::core::option::Option<&'arena M<'arena>>,";
    let lazy = "pub a: ::core::option::Option<::defiant::Lazy<'arena, M<'arena>>>,";
    let text = generate(FILE, "pkg", |config| {
        config.ignore_lazy();
    });
    has(&text.unwrap(), &[eager]);
    let text = generate(FILE, "pkg", |_| ()).unwrap();
    has(&text, &["#[defiant(message, lazy, optional, tag = 1)]", lazy]);
    has(&text, &["pub b: &'arena [M<'arena>],"]);
    let text = generate(FILE, "pkg", |config| {
        config.ignore_lazy().lazy("M.b");
    });
    let text = text.unwrap();
    has(&text, &[eager]);
    has(&text, &["pub b: &'arena [::defiant::Lazy<'arena, M<'arena>>],"]);
    for path in ["M.c", "M.d", "M.typo"] {
        let error = generate(FILE, "pkg", |config| {
            config.lazy(path);
        });
        let error = error.unwrap_err().to_string();
        assert!(error.contains(&format!("lazy({path:?}) matches nothing")), "{error}");
    }
    let error = generate(FILE, "pkg", |config| {
        config.lazy("M.a").inline("M.a");
    });
    let error = error.unwrap_err().to_string();
    assert!(error.contains(".pkg.M.a cannot be both inline and lazy"), "{error}");
}

#[test]
fn inline_messages() {
    let text = generate(PERSON, "pkg", |config| {
        config.inline(".pkg.Person.home");
    })
    .unwrap();
    has(&text, &["#[defiant(message, inline, optional, tag = 2)]", "pub home: ::core::option::Option<Point<'arena>>,"]);
    has(&text, &["pub route: &'arena [Point<'arena>],"]);
    has(&text, &["Place(&'arena super::Point<'arena>),"]);
}

#[test]
fn extern_paths() {
    let text = generate(PERSON, "pkg", |config| {
        config.extern_path(".pkg.Point", "::geo::Dot").extern_path(".pkg.Color", "crate::Paint");
    })
    .unwrap();
    has(&text, &["pub home: ::core::option::Option<&'arena ::geo::Dot<'arena>>,"]);
    has(&text, &["pub color: crate::Paint,"]);
    assert!(!text.contains("struct Point") && !text.contains("struct Color"));
}

#[test]
fn extern_package() {
    let room = Room::new(&[
        ("a.proto", "syntax = \"proto3\"; package a; import \"b.proto\"; message A { b.B.Inner b = 1; b.B.K k = 2; }"),
        ("b.proto", "syntax = \"proto3\"; package b; message B { message Inner {} enum K { X = 0; } }"),
    ]);
    room.compile(room.config().extern_path(".b", "::other::b"), "a.proto").unwrap();
    assert_eq!(room.written(), ["a.rs"]);
    has(&room.read("a.rs"), &["pub b: ::core::option::Option<&'arena ::other::b::b::Inner<'arena>>,"]);
    has(&room.read("a.rs"), &["pub k: ::other::b::b::K,"]);
}

#[test]
fn comments_can_be_left_out() {
    let text = generate(PERSON, "pkg", |config| {
        config.disable_comments(["pkg.Person"]);
    })
    .unwrap();
    has(&text, &["/// `pkg.Person`, a message."]);
    has(&text, &["/// The name."]);
    let text = generate(PERSON, "pkg", |config| {
        config.disable_comments(["."]);
    })
    .unwrap();
    has(&text, &["/// Field `name` (1): `string`."]);
}

#[test]
fn another_name_for_the_runtime() {
    let text = generate(PERSON, "pkg", |config| {
        config.crate_path("::runtime::defiant");
    })
    .unwrap();
    assert!(!text.replace("::runtime::defiant", "").contains("::defiant"));
    has(&text, &["#[defiant(name = \"pkg.Person\", crate = \"::runtime::defiant\")]"]);
    has(&text, &["#[defiant(crate = \"::runtime::defiant\")]", "pub enum Contact<'arena> {"]);
    has(&text, &["#[defiant(name = \"pkg.Color\", crate = \"::runtime::defiant\", open("]);
}

#[test]
fn file_names() {
    let room = Room::new(&[("it.proto", "syntax = \"proto3\"; message M {}")]);
    room.compile(&mut room.config(), "it.proto").unwrap();
    room.compile(room.config().default_package_filename("root").include_file("all.rs"), "it.proto").unwrap();
    assert_eq!(room.written(), ["_.rs", "all.rs", "root.rs"]);
    has(&room.read("all.rs"), &["::core::include!(\"root.rs\");"]);
}

#[test]
fn descriptor_sets_out_and_in() {
    let room = Room::new(&[("it.proto", PERSON)]);
    let set = room.path("set/descriptors.pb");
    room.compile(room.config().file_descriptor_set_path(&set), "it.proto").unwrap();
    let text = room.read("pkg.rs");

    let again = Room::new(&[]);
    again.config().compile_fds(fs::read(&set).unwrap()).unwrap();
    assert_eq!(again.read("pkg.rs"), text);
}

#[test]
fn options_of_protoc() {
    let room =
        Room::new(&[("it.proto", PERSON), ("more/other.proto", "syntax = \"proto3\"; package other; message M {}")]);
    let more = format!("--proto_path={}", room.path("more").display());
    let mut config = room.config();
    config
        .protoc_arg(more)
        .compile_protos(&[room.path("it.proto"), room.path("more/other.proto")], &[room.path("")])
        .unwrap();
    assert_eq!(room.written(), ["other.rs", "pkg.rs"]);
}

#[test]
fn unreferenced_well_known_files_are_not_generated() {
    let proto = r#"
        syntax = "proto3"; package pkg; import "google/protobuf/descriptor.proto";
        extend google.protobuf.FieldOptions { string note = 50000; }
        message M { string a = 1 [(note) = "x"]; }
    "#;
    let room = Room::new(&[("it.proto", proto)]);
    room.compile(&mut room.config(), "it.proto").unwrap();
    assert_eq!(room.written(), ["pkg.rs"]);
}

const STAMPED: &str = r#"
    syntax = "proto3"; package pkg; import "google/protobuf/timestamp.proto"; import "google/protobuf/descriptor.proto";
    message M { google.protobuf.Timestamp at = 1; google.protobuf.FieldDescriptorProto type = 2; }
"#;

#[test]
fn well_known_types_come_from_the_runtime() {
    let room = Room::new(&[("it.proto", STAMPED)]);
    room.compile(room.config().crate_path("crate::pb"), "it.proto").unwrap();
    assert_eq!(room.written(), ["pkg.rs"]);
    has(&room.read("pkg.rs"), &["pub at: ::core::option::Option<&'arena crate::pb::wkt::Timestamp<'arena>>,"]);
    assert!(room.read("pkg.rs").contains("crate::pb::wkt::FieldDescriptorProto<"));
}

#[test]
fn values_of_the_runtimes_enums_have_no_prefix() {
    let proto = r#"
        syntax = "proto2"; package pkg; import "google/protobuf/descriptor.proto";
        enum Kind { KIND_A = 1; }
        message M {
          optional google.protobuf.FieldDescriptorProto.Type type = 1 [default = TYPE_BOOL];
          optional Kind kind = 2 [default = KIND_A];
        }
    "#;
    let text = generate(proto, "pkg", |config| {
        config.retain_enum_prefix();
    })
    .unwrap();
    assert!(text.contains("default = ::defiant::wkt::field_descriptor_proto::Type::Bool"), "{text}");
    assert!(text.contains("default = Kind::KindA"), "{text}");
}

#[test]
fn well_known_types_from_elsewhere() {
    let text = generate(STAMPED, "pkg", |config| {
        config.extern_path(".google.protobuf.Timestamp", "::chrono::Stamp");
    })
    .unwrap();
    assert!(text.contains("&'arena ::chrono::Stamp<'arena>") && text.contains("::defiant::wkt::FieldDescriptorProto<"));
}

#[test]
fn well_known_types_can_be_generated() {
    let room = Room::new(&[("it.proto", STAMPED)]);
    room.compile(room.config().compile_well_known_types(), "it.proto").unwrap();
    assert_eq!(room.written(), ["google.protobuf.rs", "pkg.rs"]);
    assert!(room.read("pkg.rs").contains("&'arena super::google::protobuf::Timestamp<'arena>"));
}

#[test]
fn a_users_own_types_in_the_package_of_the_well_known_ones() {
    let room = Room::new(&[("it.proto", "syntax = \"proto3\"; package google.protobuf; message Mine {}")]);
    room.compile(&mut room.config(), "it.proto").unwrap();
    has(&room.read("google.protobuf.rs"), &["pub struct Mine<'arena> {"]);
}

#[test]
fn embedded_descriptor_sets() {
    let room = Room::new(&[
        ("a.proto", "syntax = \"proto3\"; package a; import \"b.proto\"; // A [comment].\nmessage A { b.B b = 1; }"),
        ("b.proto", "syntax = \"proto3\"; package b; message B {}"),
    ]);
    room.compile(room.config().embed_file_descriptor_set(), "a.proto").unwrap();
    assert_eq!(room.written(), ["a.descriptor_set.bin", "a.rs", "b.descriptor_set.bin", "b.rs"]);
    let constant = "pub const FILE_DESCRIPTOR_SET: &[u8] = ::core::include_bytes!(\"b.descriptor_set.bin\");";
    has(&room.read("b.rs"), &[constant]);
    let set = fs::read(room.out().join("a.descriptor_set.bin")).unwrap();
    assert!(!set.windows(7).any(|window| window == b"comment"));

    let again = Room::new(&[]);
    again.config().compile_fds(&set).unwrap();
    assert_eq!(again.written(), ["a.rs", "b.rs"]);

    let once = Room::new(&[("it.proto", PERSON)]);
    once.compile(once.config().embed_file_descriptor_set().include_file("all.rs"), "it.proto").unwrap();
    assert_eq!(once.written(), ["all.descriptor_set.bin", "all.rs", "pkg.rs"]);
    assert!(!once.read("pkg.rs").contains("FILE_DESCRIPTOR_SET"));
}

#[test]
fn registries() {
    let room = Room::new(&[
        ("a.proto", "syntax = \"proto3\"; package a; import \"b.proto\"; message A { message C {} b.B b = 1; }"),
        ("b.proto", "syntax = \"proto3\"; package b; message B {}"),
        ("e.proto", "syntax = \"proto3\"; package e; enum E { Z = 0; }"),
    ]);
    room.compile(room.config().registry(), "a.proto").unwrap();
    let text = room.read("a.rs");
    has(&text, &["registry.add::<A<'static>>();", "registry.add::<a::C<'static>>();"]);
    has(&text, &["pub fn registry() -> ::defiant::reflect::Registry {"]);
    has(&text, &["register(&mut registry);", "registry"]);
    // Types of imports are registered where they are.
    assert!(!text.contains("B<'static>>()"));
    has(&room.read("b.rs"), &["registry.add::<B<'static>>();"]);
    // An enum is nothing to be found by a name.
    let enums = Room::new(&[("e.proto", "syntax = \"proto3\"; package e; enum E { Z = 0; }")]);
    enums.compile(enums.config().registry(), "e.proto").unwrap();
    assert!(!enums.read("e.rs").contains("register"));
    // Neither is a custom option; where nothing is added, nothing is mutable.
    let options = Room::new(&[(
        "o.proto",
        "syntax = \"proto3\"; package o; import \"google/protobuf/descriptor.proto\"; \
         extend google.protobuf.FieldOptions { optional string why = 50000; }",
    )]);
    options.compile(options.config().registry(), "o.proto").unwrap();
    let text = options.read("o.rs");
    assert!(text.contains("pub const WHY") && !text.contains("pub fn"), "{text}");
    options.compile(options.config().registry().include_file("all.rs"), "o.proto").unwrap();
    has(
        &options.read("all.rs"),
        &["pub fn registry() -> ::defiant::reflect::Registry {", "::defiant::reflect::Registry::new()"],
    );
    assert!(!options.read("all.rs").contains("mut"), "{}", options.read("all.rs"));
    // Two packages in one module would both have the functions.
    let twins = Room::new(&[
        ("a.proto", "syntax = \"proto3\"; package my.pkg; import \"b.proto\"; message A { My.pkg.B b = 1; }"),
        ("b.proto", "syntax = \"proto3\"; package My.pkg; message B {}"),
    ]);
    let error = twins.compile(twins.config().registry().include_file("all.rs"), "a.proto").unwrap_err();
    assert!(error.is_config() && error.to_string().contains("are one module"), "{error}");
}

#[test]
fn without_a_compiler() {
    let room = Room::new(&[("it.proto", PERSON)]);
    let set = room.path("set.pb");
    room.compile(room.config().file_descriptor_set_path(&set), "it.proto").unwrap();
    let text = room.read("pkg.rs");

    let again = Room::new(&[]);
    let mut config = again.config();
    config.skip_protoc_run().protoc_executable("/nowhere/protoc");
    let error = again.compile(&mut config, "ignored.proto").unwrap_err();
    assert!(error.is_config() && error.to_string().contains("file_descriptor_set_path"), "{error}");
    again.compile(config.file_descriptor_set_path(&set), "ignored.proto").unwrap();
    assert_eq!(again.read("pkg.rs"), text);
    let error = again.compile(config.file_descriptor_set_path("/nowhere/set.pb"), "ignored.proto").unwrap_err();
    assert!(error.is_io() && error.to_string().contains("/nowhere/set.pb"), "{error}");
}

#[test]
fn without_source_info() {
    let room = Room::new(&[("it.proto", PERSON)]);
    let set = room.path("set.pb");
    let mut config = room.config();
    config.file_descriptor_set_path(&set).skip_source_info();
    room.compile(&mut config, "it.proto").unwrap();
    has(&room.read("pkg.rs"), &["/// `pkg.Person`, a message."]);
    assert!(!fs::read(&set).unwrap().windows(6).any(|window| window == b"person"));
    // Errors keep their places.
    let error = room.compile(config.inline("Part.color").inline("Person.home"), "it.proto").unwrap_err();
    assert!(error.to_string().contains("inline(\"Part.color\") matches nothing"), "{error}");
}

#[test]
fn domains_and_names() {
    let text = generate(PERSON, "pkg", |config| {
        config
            .enable_type_names()
            .type_name_domain(["Person", "Point"], "a.example")
            .type_name_domain(["."], "b.example");
    })
    .unwrap();
    has(&text, &["#[defiant(name = \"pkg.Person\", domain = \"a.example\")]"]);
    has(&text, &["#[defiant(name = \"pkg.Person.Part\", domain = \"b.example\")]"]);
}

#[test]
fn options_without_a_match_are_named() {
    let error = generate(PERSON, "pkg", |config| {
        config
            .skip_debug(["Persn", "Person"])
            .type_name_domain([".pkg.Person", ".pgk"], "a.example")
            .optimize_for("Person.Prt", OptimizeFor::Speed)
            .optimize_for("Person", OptimizeFor::Speed)
            .disable_comments(["Person.nam"])
            .message_attribute("contact", "#[a]")
            .enum_attribute("Person", "#[a]")
            .oneof_attribute("Color", "#[a]");
    })
    .unwrap_err();
    assert_eq!(
        error.to_string(),
        "message_attribute(\"contact\") matches nothing in these files\n\
         enum_attribute(\"Person\") matches nothing in these files\n\
         oneof_attribute(\"Color\") matches nothing in these files\n\
         type_name_domain(\".pgk\") matches nothing in these files\n\
         optimize_for(\"Person.Prt\") matches nothing in these files\n\
         disable_comments(\"Person.nam\") matches nothing in these files\n\
         skip_debug(\"Persn\") matches nothing in these files"
    );
}

/// Records what a service generator is asked.
#[derive(Clone, Default)]
struct Recorder(Rc<RefCell<Vec<String>>>);

impl ServiceGenerator for Recorder {
    fn generate(&mut self, service: Service, buf: &mut String) {
        self.0.borrow_mut().push(format!("{}/{}", service.package, service.proto_name));
        buf.push_str("// A service");
    }

    fn finalize(&mut self, _: &mut String) {
        self.0.borrow_mut().push("file".to_owned());
    }

    fn finalize_package(&mut self, package: &str, _: &mut String) {
        self.0.borrow_mut().push(format!("package {package:?}"));
    }
}

#[test]
fn a_service_generator_is_asked_in_order() {
    let room = Room::new(&[
        (
            "a.proto",
            "syntax = \"proto3\"; package a; import \"b.proto\"; service S { rpc Call(b.B) returns (b.B); } service T {}",
        ),
        ("b.proto", "syntax = \"proto3\"; package b; message B {}"),
        ("none.proto", "syntax = \"proto3\"; service U {}"),
    ]);
    let recorder = Recorder::default();
    let mut config = room.config();
    config.service_generator(Box::new(recorder.clone()));
    config.compile_protos(&[room.path("a.proto"), room.path("none.proto")], &[room.path("")]).unwrap();
    let expected = ["file", "a/S", "a/T", "file", "/U", "file", "package \"\"", "package \"a\"", "package \"b\""];
    assert_eq!(*recorder.0.borrow(), expected);
    assert!(room.read("a.rs").ends_with("// A service// A service\n"));
    assert_eq!(room.written(), ["_.rs", "a.rs", "b.rs"]);

    // It is still there for the next call, and it is not asked for what fails.
    recorder.0.borrow_mut().clear();
    room.compile(config.type_attribute("Missing", "#[a]"), "a.proto").unwrap_err();
    assert_eq!(*recorder.0.borrow(), [] as [&str; 0]);
}

#[test]
fn services_over_types_from_elsewhere() {
    let proto = r#"
        syntax = "proto3"; package pkg; import "google/protobuf/empty.proto";
        // [Call]
        service S { rpc Call(M) returns (google.protobuf.Empty); } message M {}
    "#;
    let room = Room::new(&[("it.proto", proto)]);
    let recorder = Recorder::default();
    room.compile(room.config().extern_path(".pkg", "::other").service_generator(Box::new(recorder)), "it.proto")
        .unwrap();
    assert!(room.read("pkg.rs").ends_with("// A service\n"));
    // A path that names a service is one that matches.
    room.compile(room.config().disable_comments(["pkg.S", "S.Call"]), "it.proto").unwrap();
}

#[test]
fn public_imports_pass_on_what_they_import() {
    let room = Room::new(&[
        ("it.proto", "syntax = \"proto3\"; package pkg; import \"door.proto\"; message M { far.F f = 1; }"),
        ("door.proto", "syntax = \"proto3\"; package door; import public \"far.proto\";"),
        ("far.proto", "syntax = \"proto3\"; package far; message F {}"),
    ]);
    room.compile(&mut room.config(), "it.proto").unwrap();
    assert_eq!(room.written(), ["door.rs", "far.rs", "pkg.rs"]);
    has(&room.read("pkg.rs"), &["pub f: ::core::option::Option<&'arena super::far::F<'arena>>,"]);
}

#[test]
fn the_written_set_has_custom_options_byte_for_byte() {
    let options = r#"
        syntax = "proto2"; package opts; import "google/protobuf/descriptor.proto";
        message Note { optional string text = 1; repeated int32 numbers = 2 [packed = true]; }
        extend google.protobuf.FieldOptions { optional Note note = 50000; }
        extend google.protobuf.MessageOptions { optional fixed32 mark = 50001; }
    "#;
    let proto = r#"
        syntax = "proto3"; package pkg; import "options.proto";
        message M {
            option (opts.mark) = 7;
            int32 a = 1 [(opts.note) = { text: "kept", numbers: [1, 300] }];
        }
    "#;
    let room = Room::new(&[("it.proto", proto), ("options.proto", options)]);
    let (set, official) = (room.path("set.pb"), room.path("official.pb"));
    room.compile(room.config().file_descriptor_set_path(&set), "it.proto").unwrap();
    let written = fs::read(&set).unwrap();
    // note = { text: "kept", numbers: [1, 300] }, and mark = 7.
    let note = [0x82, 0xb5, 0x18, 11, 0x0a, 4, b'k', b'e', b'p', b't', 0x12, 3, 1, 0xac, 0x02];
    let mark = [0x8d, 0xb5, 0x18, 7, 0, 0, 0];
    assert!(written.windows(note.len()).any(|window| window == note));
    assert!(written.windows(mark.len()).any(|window| window == mark));

    let option = |name: &str, path: std::path::PathBuf| format!("{name}{}", path.display());
    let status = std::process::Command::new(protoc_bin_vendored::protoc_bin_path().unwrap())
        .args(["--include_imports", "--include_source_info", "it.proto"])
        .arg(option("--proto_path=", room.path("")))
        .arg(option("--proto_path=", protoc_bin_vendored::include_path().unwrap()))
        .arg(option("--descriptor_set_out=", official.clone()))
        .status()
        .unwrap();
    assert!(status.success());
    assert_eq!(written, fs::read(official).unwrap());
}

#[test]
fn extensions_know_where_their_hosts_are() {
    let proto = r#"
        syntax = "proto2";
        package pkg;
        import "google/protobuf/descriptor.proto";
        import "google/protobuf/timestamp.proto";
        message Host { extensions 10 to 20; }
        message Value {}
        extend Host { optional Value value = 10; }
        extend google.protobuf.EnumOptions { optional google.protobuf.Timestamp since = 50000; }
    "#;
    // Declared here, of a host that is elsewhere; the module of the well-known type is generated, if it is not there.
    let text = generate(proto, "pkg", |config| {
        config.extern_path(".pkg.Host", "::elsewhere::Host").crate_path("crate::pb");
    })
    .unwrap();
    has(&text, &["pub const VALUE: crate::pb::Extension<", "::elsewhere::Host<'static>,"]);
    has(&text, &["crate::pb::extension::OptionalMessage<Value<'static>>,"]);
    has(&text, &["crate::pb::__descriptor_extensions! {"]);
    has(&text, &["pub const SINCE: crate::pb::Extension<", "crate::pb::wkt::EnumOptions<'static>,"]);
    // Of the user's own descriptor messages there is no doubt.
    let text = generate(proto, "pkg", |config| {
        config.extern_path(".google.protobuf", "::own");
    })
    .unwrap();
    has(&text, &["pub const SINCE: ::defiant::Extension<", "::own::EnumOptions<'static>,"]);
    assert_eq!(count(&text, "__descriptor_extensions"), 0);
    // A package that is elsewhere has its extensions there.
    let room = Room::new(&[("it.proto", proto)]);
    let mut config = room.config();
    config.extern_path(".pkg", "::elsewhere").extern_path(".google.protobuf", "::own");
    room.compile(&mut config, "it.proto").unwrap();
    assert!(room.written().is_empty(), "{:?}", room.written());
}

#[test]
fn comments_and_attributes_of_extensions() {
    let proto = r#"
        syntax = "proto2";
        package pkg;
        message Host { extensions 10 to 20; }
        // Gone.
        extend Host {
          // Kept out.
          optional int32 value = 10;
        }
        message Host2 { option deprecated = true; extensions 1 to max; }
        extend Host2 { optional int32 other = 11; }
    "#;
    let text = generate(proto, "pkg", |config| {
        config.disable_comments(["pkg.value"]).field_attribute("pkg.value", "#[cfg(all())]");
    })
    .unwrap();
    has(&text, &["/// Extension `pkg.value` (10) of `pkg.Host`: `int32`.", "#[cfg(all())]"]);
    has(&text, &["#[allow(deprecated, reason = \"a type of the extension is deprecated\")]"]);
}

/// The official compiler only warns of reserved names that no field could have.
#[test]
fn reserved_names_that_are_none() {
    let proto = "syntax = \"proto3\"; message M { reserved \"r#x\", \"foo, bar\", \"old\", \"\"; }";
    has(&generate(proto, "_", |_| {}).unwrap(), &["#[defiant(name = \"M\", reserved = \"old\")]"]);
    let none = "syntax = \"proto3\"; message M { reserved \"r#x\"; }";
    has(&generate(none, "_", |_| {}).unwrap(), &["#[defiant(name = \"M\")]"]);
}

/// The packages' files lie in the directory of output, wherever the one is that includes them.
#[test]
fn a_file_of_all_in_a_directory() {
    for (path, name, line) in [
        ("gen/all.rs", "gen/all.rs", "::core::include!(\"../a.rs\");"),
        ("./gen/./inner/all.rs", "gen/inner/all.rs", "::core::include!(\"../../a.rs\");"),
        ("./all.rs", "all.rs", "::core::include!(\"a.rs\");"),
    ] {
        let room = Room::new(&[("it.proto", "syntax = \"proto3\"; package a; message M {}")]);
        room.compile(room.config().include_file(path), "it.proto").unwrap();
        has(&room.read(name), &[line]);
    }
    let room = Room::new(&[("it.proto", "syntax = \"proto3\"; package a; message M {}")]);
    for (path, problem) in [
        ("./a.rs", "has the name of a package's file"),
        ("../all.rs", "(\"../all.rs\") is not inside of the output directory"),
        ("/all.rs", "(\"/all.rs\") is not inside of the output directory"),
        ("", "(\"\") is not the name of a file"),
    ] {
        let error = room.compile(room.config().include_file(path), "it.proto").unwrap_err();
        assert!(error.is_config() && error.to_string().contains(problem), "{error}");
    }
}
