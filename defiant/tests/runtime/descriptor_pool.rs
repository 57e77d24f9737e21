//! Pools: what they resolve, what they refuse, and extensions.

use defiant::descriptor::{Cardinality, Type};
use defiant::extension::{OptionalMessage, Str};
use defiant::reflect::{DescriptorPool, DynamicMessage, MessageType, PoolError, Resolver as _, Value};
use defiant::wkt::descriptor_proto::ExtensionRange;
use defiant::wkt::field_descriptor_proto::{Label, Type as Wire};
use defiant::wkt::{
    DescriptorProto, Edition, EnumDescriptorProto, EnumValueDescriptorProto, FieldDescriptorProto, FieldOptions,
    FileDescriptorProto, FileDescriptorSet, MessageOptions, MethodDescriptorProto, OneofDescriptorProto,
    ServiceDescriptorProto,
};
use defiant::{Arena, Extension, Message as _, UnknownValue};
use proptest::collection::vec;
use proptest::prelude::*;

const fn field(name: &'static str, number: i32, ty: Wire) -> FieldDescriptorProto<'static> {
    FieldDescriptorProto { name: Some(name), number: Some(number), r#type: Some(ty), ..FieldDescriptorProto::DEFAULT }
}

const fn typed(name: &'static str, number: i32, ty: Wire, type_name: &'static str) -> FieldDescriptorProto<'static> {
    FieldDescriptorProto { type_name: Some(type_name), ..field(name, number, ty) }
}

const fn repeated(field: FieldDescriptorProto<'_>) -> FieldDescriptorProto<'_> {
    FieldDescriptorProto { label: Some(Label::Repeated), ..field }
}

const fn message<'a>(name: &'static str, field: &'a [FieldDescriptorProto<'a>]) -> DescriptorProto<'a> {
    DescriptorProto { name: Some(name), field, ..DescriptorProto::DEFAULT }
}

const fn value(name: &'static str, number: i32) -> EnumValueDescriptorProto<'static> {
    EnumValueDescriptorProto { name: Some(name), number: Some(number), ..EnumValueDescriptorProto::DEFAULT }
}

const fn file<'a>(
    name: &'static str,
    syntax: &'static str,
    message_type: &'a [DescriptorProto<'a>],
) -> FileDescriptorProto<'a> {
    FileDescriptorProto {
        name: Some(name),
        package: Some("p.q"),
        syntax: Some(syntax),
        message_type,
        ..FileDescriptorProto::DEFAULT
    }
}

const ENTRY: MessageOptions<'static> = MessageOptions { map_entry: Some(true), ..MessageOptions::DEFAULT };
const SET: MessageOptions<'static> = MessageOptions { message_set_wire_format: Some(true), ..MessageOptions::DEFAULT };

/// A file of proto2 with nearly everything.
const OLD: FileDescriptorProto<'static> = FileDescriptorProto {
    enum_type: &[EnumDescriptorProto {
        name: Some("Level"),
        value: &[value("HIGH", 5), value("LOW", -1)],
        ..EnumDescriptorProto::DEFAULT
    }],
    extension: &[
        FieldDescriptorProto { extendee: Some(".p.q.Host"), ..field("note", 100, Wire::String) },
        FieldDescriptorProto { extendee: Some("Host"), ..repeated(typed("levels", 101, Wire::Enum, "q.Level")) },
        FieldDescriptorProto { extendee: Some(".p.q.Set"), ..typed("item", 5, Wire::Message, ".p.q.Host") },
        FieldDescriptorProto { extendee: Some(".p.q.Set"), ..typed("large", i32::MAX - 1, Wire::Message, ".p.q.Host") },
    ],
    service: &[ServiceDescriptorProto {
        name: Some("Search"),
        method: &[MethodDescriptorProto {
            name: Some("Find"),
            input_type: Some(".p.q.Host"),
            output_type: Some("Set"),
            server_streaming: Some(true),
            ..MethodDescriptorProto::DEFAULT
        }],
        ..ServiceDescriptorProto::DEFAULT
    }],
    ..file(
        "old.proto",
        "proto2",
        &[
            DescriptorProto {
                extension_range: &[ExtensionRange { start: Some(100), end: Some(200), ..ExtensionRange::DEFAULT }],
                nested_type: &[
                    DescriptorProto {
                        options: Some(&ENTRY),
                        ..message("CountsEntry", &[field("key", 1, Wire::String), field("value", 2, Wire::Int64)])
                    },
                    message("Part", &[field("x", 1, Wire::Int32)]),
                ],
                oneof_decl: &[OneofDescriptorProto { name: Some("choice"), ..OneofDescriptorProto::DEFAULT }],
                ..message(
                    "Host",
                    &[
                        FieldDescriptorProto { default_value: Some("-inf"), ..field("ratio", 1, Wire::Double) },
                        FieldDescriptorProto { default_value: Some("LOW"), ..typed("level", 2, Wire::Enum, "Level") },
                        FieldDescriptorProto { default_value: Some(r"a\000\xff"), ..field("raw", 3, Wire::Bytes) },
                        FieldDescriptorProto { label: Some(Label::Required), ..field("needed", 4, Wire::Uint32) },
                        repeated(typed("counts", 5, Wire::Message, ".p.q.Host.CountsEntry")),
                        typed("part", 6, Wire::Group, "Part"),
                        FieldDescriptorProto { oneof_index: Some(0), ..field("text_value", 7, Wire::String) },
                        FieldDescriptorProto { oneof_index: Some(0), ..typed("other", 8, Wire::Message, "p.q.Host") },
                        repeated(field("numbers", 9, Wire::Sint32)),
                        typed("plain_level", 10, Wire::Enum, ".p.q.Level"),
                    ],
                )
            },
            DescriptorProto {
                options: Some(&SET),
                extension_range: &[ExtensionRange { start: Some(4), end: Some(i32::MAX), ..ExtensionRange::DEFAULT }],
                ..message("Set", &[])
            },
        ],
    )
};

fn add(files: &[FileDescriptorProto<'_>]) -> Result<DescriptorPool, PoolError> {
    let mut pool = DescriptorPool::new();
    pool.add(&FileDescriptorSet { file: files, ..FileDescriptorSet::default() }).map(|()| pool)
}

#[test]
fn names_types_and_defaults_are_resolved() {
    let pool = add(&[OLD]).unwrap();
    let host = pool.message("p.q.Host").unwrap().descriptor();
    let field = |name: &str| host.field_by_name(name).unwrap();
    assert_eq!(field("text_value").json_name(), "textValue");
    assert_eq!(field("part").ty(), Type::Group);
    assert_eq!(field("part").message().unwrap().full_name(), "p.q.Host.Part");
    assert_eq!((field("counts").key_type(), field("counts").ty()), (Some(Type::String), Type::Int64));
    assert_eq!(field("needed").cardinality(), Cardinality::Required);
    assert_eq!(host.oneofs().len(), 1);
    assert!(!field("numbers").is_packed());
    assert!(pool.message("p.q.Host.CountsEntry").is_none());
    assert!(pool.message(".p.q.Host").is_none() && pool.message("p.q").is_none());
    assert_eq!(
        pool.messages().map(|ty| ty.descriptor().full_name()).collect::<Vec<_>>(),
        ["p.q.Host", "p.q.Host.Part", "p.q.Set"]
    );
    let level = pool.enumeration("p.q.Level").unwrap();
    assert_eq!((level.name_of(-1), level.number_of("HIGH"), level.name_of(0)), (Some("LOW"), Some(5), None));
    let arena = Arena::new();
    let empty = DynamicMessage::new(pool.message("p.q.Host").unwrap(), &arena);
    let get = |name: &str| empty.as_ref().get_by_name(name).unwrap();
    assert_eq!(get("ratio"), Value::F64(f64::NEG_INFINITY));
    assert_eq!(get("level"), Value::Enum(-1));
    assert_eq!(get("plain_level"), Value::Enum(5));
    assert_eq!(get("raw"), Value::Bytes(b"a\0\xff"));
    assert_eq!(get("text_value"), Value::String(""));
    assert!(DynamicMessage::decode(empty.ty(), &[], &arena).unwrap_err().is_missing_required());
    let service = pool.service("p.q.Search").unwrap();
    let find = service.method("Find").unwrap();
    assert_eq!((find.input().full_name(), find.output().full_name()), ("p.q.Host", "p.q.Set"));
    assert!(find.is_server_streaming() && !find.is_client_streaming());
    assert_eq!(pool.file_of("p.q.Search").unwrap().name(), "old.proto");
    assert!(MessageType::of_descriptor(find.input()).is_some());
}

#[test]
fn fields_are_set_and_cleared() {
    let pool = add(&[OLD]).unwrap();
    let arena = Arena::new();
    let ty = pool.message("p.q.Host").unwrap();
    let field = |name: &str| ty.descriptor().field_by_name(name).unwrap();
    let mut host = DynamicMessage::new(ty, &arena);
    host.set_by_name("needed", Value::U32(1)).unwrap();
    host.set_by_name("level", Value::Enum(5)).unwrap();
    assert_eq!(
        host.set_by_name("level", Value::Enum(6)).unwrap_err().to_string(),
        "Host.level: the value is none of the field's type"
    );
    assert!(host.set_by_name("levels", Value::Enum(5)).unwrap_err().is_no_field());
    host.set_list(field("numbers"), [Value::I32(-1), Value::I32(1)], &arena).unwrap();
    host.extend_list(field("numbers"), [Value::I32(2)], &arena).unwrap();
    assert!(host.extend_list(field("numbers"), [Value::I64(2)], &arena).is_err());
    let entries =
        [(Value::String("b"), Value::I64(1)), (Value::String("a"), Value::I64(2)), (Value::String("b"), Value::I64(3))];
    host.set_map(field("counts"), entries, &arena).unwrap();
    host.extend_map(field("counts"), [(Value::String("c"), Value::I64(4))], &arena).unwrap();
    assert!(host.set_map(field("counts"), [(Value::I32(1), Value::I64(4))], &arena).is_err());
    host.update(field("part"), &arena, |part| part.set_by_name("x", Value::I32(7))).unwrap().unwrap();
    host.set_by_name("text_value", Value::String("t")).unwrap();
    let wire = [
        &[0x10, 5, 0x20, 1, 0x2a, 5, 10, 1, b'a', 16, 2, 0x2a, 5, 10, 1, b'b', 16, 3, 0x2a, 5, 10, 1, b'c', 16, 4][..],
        &[0x33, 8, 7, 0x34, 0x3a, 1, b't', 0x48, 1, 0x48, 2, 0x48, 4],
    ]
    .concat();
    assert_eq!(host.encode_to_vec(), wire);
    assert_eq!(DynamicMessage::decode(ty, &wire, &arena).unwrap(), host);
    // A member takes the place of another; a message of another type is none.
    let child = DynamicMessage::decode(ty, &[0x20, 9], &arena).unwrap();
    let set = DynamicMessage::new(pool.message("p.q.Set").unwrap(), &arena);
    assert!(host.set_by_name("other", Value::Message(set.into_ref())).is_err());
    host.set_by_name("other", Value::Message(child.into_ref())).unwrap();
    assert!(!host.as_ref().has(field("text_value")));
    // What is changed is a copy of the child, and so the field's only.
    host.update(field("other"), &arena, |other| other.set_by_name("ratio", Value::F64(0.5))).unwrap().unwrap();
    let Some(Value::Message(other)) = host.as_ref().get_by_name("other") else { panic!("a message") };
    assert_eq!(other.get_by_name("needed"), Some(Value::U32(9)));
    host.clear(field("text_value")).unwrap();
    assert!(host.as_ref().has(field("other")));
    for name in ["other", "counts", "numbers", "part", "level"] {
        host.clear(field(name)).unwrap();
    }
    assert_eq!(host.encode_to_vec(), [0x20, 1]);
    let copy = DynamicMessage::from_ref(host.as_ref(), &arena).unwrap();
    assert_eq!(copy, host);
}

#[test]
fn extensions_are_found_and_hold_what_the_host_does_not_know() {
    let pool = add(&[OLD]).unwrap();
    let arena = Arena::new();
    let names = |host: &str| pool.extensions(host).map(|one| one.full_name().to_owned()).collect::<Vec<_>>();
    assert_eq!(names("p.q.Host"), ["p.q.note", "p.q.levels"]);
    assert_eq!(names("p.q.Set"), ["p.q.item"]);
    assert!(pool.extension_by_number("p.q.Host", 102).is_none());
    let note = pool.extension_by_number("p.q.Host", 100).unwrap();
    assert_eq!((note.full_name(), note.extendee(), note.field().number()), ("p.q.note", "p.q.Host", 100));
    assert_eq!(note.field().json_name(), "[p.q.note]");
    let holder = DynamicMessage::decode(note.holder(), &[0xa2, 6, 2, b'h', b'i'], &arena).unwrap();
    assert_eq!(holder.as_ref().get(note.field()), Value::String("hi"));
    // proto2 does not check strings.
    let holder = DynamicMessage::decode(note.holder(), &[0xa2, 6, 1, 0xff], &arena).unwrap();
    assert!(!holder.as_ref().has(note.field()));
    let levels = pool.extension("p.q.levels").unwrap();
    let error = DynamicMessage::decode(levels.holder(), &[0xa8, 6], &arena).unwrap_err();
    assert!(error.to_string().starts_with("Host.[p.q.levels]: truncated"), "{error}");
    let holder = DynamicMessage::decode(levels.holder(), &[0xa8, 6, 5, 0xa8, 6, 6, 0xaa, 6, 2, 7, 5], &arena).unwrap();
    let Value::List(list) = holder.as_ref().get(levels.field()) else { panic!("a list") };
    assert_eq!(list.len(), 2);
    assert_eq!(holder.unknown_fields().byte_len(), 6);
    // A message set of the pool keeps its items as a struct does.
    let set = pool.message("p.q.Set").unwrap();
    let wire = [0x0b, 0x10, 5, 0x1a, 2, 0x20, 1, 0x0c];
    let set = DynamicMessage::decode(set, &wire, &arena).unwrap();
    assert_eq!(set.encode_to_vec(), wire);
    let item = pool.extension("p.q.item").unwrap();
    let bytes = set.unknown_fields().spans().next().unwrap();
    let item = DynamicMessage::decode(item.holder(), bytes, &arena).unwrap();
    assert_eq!(item.encode_to_vec(), [0x2a, 2, 0x20, 1]);
}

#[test]
fn files_come_in_steps_and_twice() {
    const NEW: FileDescriptorProto<'static> = FileDescriptorProto {
        package: Some("p"),
        dependency: &["old.proto"],
        extension: &[FieldDescriptorProto { extendee: Some("q.Host"), ..field("more", 150, Wire::Float) }],
        ..file(
            "new.proto",
            "proto3",
            &[message(
                "New",
                &[
                    // The innermost scope that has a `q` is the package `p`.
                    typed("host", 1, Wire::Message, "q.Host"),
                    repeated(typed("hosts", 2, Wire::Message, "q.Host")),
                    repeated(field("numbers", 3, Wire::Int32)),
                    FieldDescriptorProto {
                        proto3_optional: Some(true),
                        oneof_index: Some(0),
                        ..field("maybe", 4, Wire::Int32)
                    },
                    field("plain", 5, Wire::Int32),
                    FieldDescriptorProto { r#type: None, ..typed("untyped", 6, Wire::Enum, "Flag") },
                ],
            )],
        )
    };
    const FLAG: EnumDescriptorProto<'static> =
        EnumDescriptorProto { name: Some("Flag"), value: &[value("OFF", 0)], ..EnumDescriptorProto::DEFAULT };
    let mut new = NEW;
    new.enum_type = &[FLAG];
    let oneof = [OneofDescriptorProto { name: Some("_maybe"), ..OneofDescriptorProto::default() }];
    let messages = [DescriptorProto { oneof_decl: &oneof, ..new.message_type[0] }];
    new.message_type = &messages;
    let mut pool = add(&[OLD]).unwrap();
    pool.add_file(&new).unwrap();
    let held = pool.held_bytes();
    pool.add_file(&OLD).unwrap();
    assert!(pool.held_bytes() >= held);
    assert_eq!(pool.files().count(), 2);
    let new = pool.message("p.New").unwrap();
    let field = |name: &str| new.descriptor().field_by_name(name).unwrap();
    assert!(new.descriptor().oneofs().is_empty());
    assert!(field("maybe").has_presence() && !field("plain").has_presence() && field("numbers").is_packed());
    assert!(field("untyped").enumeration().unwrap().is_open());
    assert_eq!(pool.extensions("p.q.Host").count(), 3);
    let arena = Arena::new();
    let wire = [0x0a, 2, 0x20, 1, 0x12, 2, 0x20, 2, 0x12, 2, 0x20, 3, 0x1a, 1, 9, 0x20, 0];
    assert_eq!(DynamicMessage::decode(new, &wire, &arena).unwrap().encode_to_vec(), wire);
    let other = FileDescriptorProto { package: Some("other"), ..OLD };
    let error = pool.add_file(&other).unwrap_err();
    assert_eq!(error.to_string(), "old.proto: another file in the pool has this name");
}

fn named<'a>(name: &'static str, number: i32, json_name: &'a str) -> FieldDescriptorProto<'a> {
    FieldDescriptorProto { json_name: Some(json_name), ..field(name, number, Wire::Bool) }
}

const fn range(start: i32, end: i32) -> ExtensionRange<'static> {
    ExtensionRange { start: Some(start), end: Some(end), ..ExtensionRange::DEFAULT }
}

const fn extended<'a>(
    field: &'a [FieldDescriptorProto<'a>],
    extension_range: &'a [ExtensionRange<'a>],
) -> DescriptorProto<'a> {
    DescriptorProto { extension_range, ..message("M", field) }
}

/// What is said of a file with these messages.
fn refused(messages: &[DescriptorProto<'_>], syntax: &str) -> String {
    let file = FileDescriptorProto {
        name: Some("a.proto"),
        syntax: Some(syntax),
        message_type: messages,
        enum_type: &[EnumDescriptorProto {
            name: Some("Closed"),
            value: &[value("ONE", 1)],
            options: Some(&CLOSED),
            ..EnumDescriptorProto::DEFAULT
        }],
        edition: (syntax == "editions").then_some(Edition::Edition2023),
        ..FileDescriptorProto::default()
    };
    let mut pool = DescriptorPool::new();
    let error = pool.add_file(&file).unwrap_err();
    assert_eq!((pool.messages().count(), pool.files().count(), pool.held_bytes()), (0, 0, 0));
    error.to_string()
}

const CLOSED: defiant::wkt::EnumOptions<'static> = defiant::wkt::EnumOptions {
    features: Some(&defiant::wkt::FeatureSet {
        enum_type: Some(defiant::wkt::feature_set::EnumType::Closed),
        ..defiant::wkt::FeatureSet::DEFAULT
    }),
    ..defiant::wkt::EnumOptions::DEFAULT
};

#[test]
#[expect(deprecated, reason = "the option is meant to be used no more")]
fn names_in_json_of_older_files() {
    let fields = [field("a_b", 1, Wire::Bool), field("aB", 2, Wire::Bool), named("x", 3, "a_b"), named("y", 4, "aB")];
    let known = MessageOptions { deprecated_legacy_json_field_conflicts: Some(true), ..MessageOptions::default() };
    for (syntax, options) in [("proto2", None), ("proto3", Some(&known)), ("editions", Some(&known))] {
        let message = DescriptorProto { options, ..message("M", &fields) };
        let edition = (syntax == "editions").then_some(Edition::Edition2023);
        let messages = [message];
        DescriptorPool::new().add_file(&FileDescriptorProto { edition, ..file("a", syntax, &messages) }).unwrap();
    }
}

#[test]
fn the_first_of_aliases_is_the_name() {
    let enums = [EnumDescriptorProto {
        name: Some("E"),
        value: &[value("Z", 0), value("FIRST", 3), value("B", 2), value("SECOND", 3), value("LOW", -1)],
        options: Some(&defiant::wkt::EnumOptions { allow_alias: Some(true), ..defiant::wkt::EnumOptions::DEFAULT }),
        ..EnumDescriptorProto::DEFAULT
    }];
    let mut pool = DescriptorPool::new();
    pool.add_file(&FileDescriptorProto { enum_type: &enums, ..file("a", "proto3", &[]) }).unwrap();
    let names = [0, 3, 2, -1, 1].map(|number| pool.enumeration("p.q.E").unwrap().name_of(number));
    assert_eq!(names, [Some("Z"), Some("FIRST"), Some("B"), Some("LOW"), None]);
}

#[test]
fn texts_that_are_not_utf8_are_refused() {
    for (number, what) in [(7, "its default"), (10, "its name in JSON")] {
        let arena = Arena::new();
        let mut field = field("x", 1, Wire::String);
        field.unknown_fields.add(number, UnknownValue::LengthDelimited(b"a\xff"), &arena);
        let reason = refused(&[DescriptorProto { field: &[field], ..message("M", &[]) }], "proto2");
        assert_eq!(reason, format!("a.proto: message M, field x: {what} is not UTF-8"));
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let of = |field: FieldDescriptorProto<'_>| {
        refused(&[DescriptorProto { field: &[field], ..message("M", &[]) }], "proto2")
    };
    let long = "n".repeat(1 << 16);
    let escaped = "\u{1}".repeat(1 << 14);
    let cases = [
        (
            of(FieldDescriptorProto { json_name: Some(&long), ..field("x", 1, Wire::Bool) }),
            "message M, field x: its name, or that in JSON, has more than 64 KiB",
        ),
        (
            of(FieldDescriptorProto { json_name: Some(&escaped), ..field("x", 1, Wire::Bool) }),
            "message M, field x: its name, or that in JSON, has more than 64 KiB",
        ),
        (of(typed("x", 1, Wire::Message, ".p.Q")), "message M, field x: type \".p.Q\" is not in the pool"),
        (of(typed("x", 1, Wire::Message, "Closed")), "message M, field x: \"Closed\" is no message"),
        (of(typed("x", 1, Wire::Enum, "M")), "message M, field x: \"M\" is no enum"),
        (of(typed("x", 1, Wire::Int32, "M")), "message M, field x: a scalar has no name of a type"),
        (of(FieldDescriptorProto { r#type: None, ..field("x", 1, Wire::Bool) }), "message M, field x: it has no type"),
        (of(field("x", 0, Wire::Bool)), "message M, field x: 0 is no number of a field"),
        (of(field("x", 1 << 29, Wire::Bool)), "message M, field x: 536870912 is no number of a field"),
        (of(field("x", 19_500, Wire::Bool)), "message M, field x: the numbers from 19000 to 19999 are reserved"),
        (of(field("x.y", 1, Wire::Bool)), "message M, field x.y: \"x.y\" is no name of a field"),
        (
            of(FieldDescriptorProto { oneof_index: Some(0), ..field("x", 1, Wire::Bool) }),
            "message M, field x: there is no oneof of index 0",
        ),
        (
            of(FieldDescriptorProto { oneof_index: Some(-1), ..field("x", 1, Wire::Bool) }),
            "message M, field x: there is no oneof of index -1",
        ),
        (
            of(FieldDescriptorProto { default_value: Some("1.5"), ..field("x", 1, Wire::Int32) }),
            "message M, field x: \"1.5\" is no default of its type",
        ),
        (
            of(FieldDescriptorProto { default_value: Some("TWO"), ..typed("x", 1, Wire::Enum, "Closed") }),
            "message M, field x: \"TWO\" is no default of its type",
        ),
        (
            of(FieldDescriptorProto { default_value: Some("1"), ..repeated(field("x", 1, Wire::Int32)) }),
            "message M, field x: it cannot have a default",
        ),
        (
            refused(&[message("M", &[typed("x", 1, Wire::Enum, "Closed")])], "proto3"),
            "message M, field x: a closed enum has no implicit presence",
        ),
        (
            refused(&[message("M", &[field("x", 1, Wire::Bool), field("y", 1, Wire::Bool)])], "proto3"),
            "message M, field y: the number 1 is that of the field x",
        ),
        (
            refused(&[message("M", &[field("x", 1, Wire::Bool), field("x", 2, Wire::Bool)])], "proto3"),
            "message M: two fields have the name x",
        ),
        (
            refused(&[message("M", &[field("a_b", 1, Wire::Bool), field("aB", 2, Wire::Bool)])], "proto3"),
            "message M: two fields have the name \"aB\" in JSON",
        ),
        (
            refused(&[message("M", &[named("x", 1, "y"), field("y", 2, Wire::Bool)])], "editions"),
            "message M: two fields have the name \"y\" in JSON",
        ),
        (
            refused(&[message("M", &[named("x", 1, "z"), named("y", 2, "z")])], "proto2"),
            "message M: two fields have the name \"z\" in JSON",
        ),
        (
            refused(&[extended(&[field("x", 5, Wire::Bool)], &[range(1, 10)])], "proto2"),
            "message M, field x: its number is one of extensions",
        ),
        (
            refused(&[extended(&[], &[range(5, 10), range(1, 6)])], "proto2"),
            "message M: 5 is in two ranges of extensions",
        ),
        (refused(&[extended(&[], &[range(5, 5)])], "proto2"), "message M: 5 up to 5 is no range of extensions"),
        (refused(&[extended(&[], &[range(0, 5)])], "proto2"), "message M: 0 up to 5 is no range of extensions"),
        (
            refused(&[message("M", &[]), message("M", &[])], "proto3"),
            "message M: something else in the pool has this name",
        ),
        // Text could not tell the field from a group of the message inside.
        (
            refused(
                &[DescriptorProto { nested_type: &[message("X", &[])], ..message("M", &[field("X", 1, Wire::Bool)]) }],
                "proto2",
            ),
            "message M, field X: something else in the pool has this name",
        ),
        (refused(&[message("", &[])], "proto3"), "\"\" is no name of a message"),
        (refused(&[], "proto4"), "syntax \"proto4\" is not supported"),
        (
            refused(&[DescriptorProto { options: Some(&SET), ..message("M", &[field("x", 1, Wire::Bool)]) }], "proto2"),
            "message M: a message set has no fields but extensions",
        ),
        (
            refused(
                &[DescriptorProto {
                    nested_type: &[DescriptorProto {
                        options: Some(&ENTRY),
                        ..message("E", &[field("key", 1, Wire::Double), field("value", 2, Wire::Bool)])
                    }],
                    ..message("M", &[repeated(typed("x", 1, Wire::Message, "E"))])
                }],
                "proto3",
            ),
            "message M, field x: a map's key is an integer, a bool or a string",
        ),
        (
            refused(
                &[
                    DescriptorProto {
                        nested_type: &[DescriptorProto {
                            options: Some(&ENTRY),
                            ..message("E", &[field("key", 1, Wire::Bool)])
                        }],
                        ..message("M", &[])
                    },
                    message("N", &[typed("x", 1, Wire::Message, ".M.E")]),
                ],
                "proto3",
            ),
            "message N, field x: \".M.E\" is the entry of another message's map",
        ),
    ];
    for (said, expected) in cases {
        assert_eq!(said, format!("a.proto: {expected}"));
    }
}

/// An enum of that name may be anybody's.
#[cfg(feature = "json")]
#[test]
fn null_is_no_value_of_an_enum_without_a_zero() {
    let enums =
        [EnumDescriptorProto { name: Some("NullValue"), value: &[value("ONE", 1)], ..EnumDescriptorProto::DEFAULT }];
    let null = typed("x", 1, Wire::Enum, "NullValue");
    let (single, list) = ([null], [repeated(null)]);
    let messages = [message("M", &single), message("N", &list)];
    let package = Some("google.protobuf");
    let mut pool = DescriptorPool::new();
    pool.add_file(&FileDescriptorProto { package, enum_type: &enums, ..file("a", "proto2", &messages) }).unwrap();
    let arena = Arena::new();
    for (name, text) in [("M", r#"{"x":0}"#), ("N", r#"{"x":[0]}"#), ("N", r#"{"x":[null]}"#)] {
        let ty = pool.message(&format!("google.protobuf.{name}")).unwrap();
        let error = defiant::json::decode_message(ty.descriptor(), text, &arena).unwrap_err();
        assert!(error.is_invalid_value(), "{text}: {error}");
    }
    // Of a field, it is the lack of a value, as for any other type.
    let ty = pool.message("google.protobuf.M").unwrap();
    let message = defiant::json::decode_message(ty.descriptor(), r#"{"x":null}"#, &arena).unwrap();
    assert_eq!(message.fields().count(), 0);
}

#[test]
fn a_decode_that_fails_gives_the_memory_back() {
    let pool = add(&[OLD]).unwrap();
    let arena = Arena::new();
    for ty in [pool.message("p.q.Host").unwrap(), MessageType::of::<defiant::wkt::Type<'static>>()] {
        let used = arena.used_bytes();
        assert!(ty.decode(&[0x0a], &Default::default(), &arena).is_err());
        assert_eq!(arena.used_bytes(), used);
    }
}

#[test]
fn redacted_fields_are_not_in_debug() {
    let options = FieldOptions { debug_redact: Some(true), ..FieldOptions::default() };
    let fields = [
        FieldDescriptorProto { options: Some(&options), ..field("secret", 1, Wire::String) },
        field("x", 2, Wire::Int32),
    ];
    let mut pool = DescriptorPool::new();
    pool.add_file(&file("a", "proto3", &[message("M", &fields)])).unwrap();
    let arena = Arena::new();
    let mut message = DynamicMessage::new(pool.message("p.q.M").unwrap(), &arena);
    message.set_by_name("x", Value::I32(5)).unwrap();
    assert_eq!(format!("{message:?}"), "M { x: I32(5) }");
    message.set_by_name("secret", Value::String("countess")).unwrap();
    assert_eq!(format!("{message:?}"), "M { secret: [REDACTED], x: I32(5) }");
    assert_eq!(format!("{:?}", message.as_ref()), format!("{message:?}"));
}

#[test]
fn files_that_do_not_fit_together_are_refused() {
    let of = |files: &[FileDescriptorProto<'_>]| add(files).unwrap_err().to_string();
    let importing = |name, dependency| FileDescriptorProto { dependency, ..file(name, "proto3", &[]) };
    assert_eq!(of(&[importing("a", &["b"])]), "a: it imports \"b\", which is not in the pool");
    assert_eq!(
        of(&[importing("a", &["b"]), importing("b", &["c"]), importing("c", &["b"])]),
        "c: it imports \"b\", and that imports it"
    );
    assert_eq!(of(&[importing("a", &["a"])]), "a: it imports \"a\", and that imports it");
    add(&[importing("a", &["b", "c"]), importing("b", &["c"]), importing("c", &[])]).unwrap();
    let mut again = OLD;
    again.name = Some("again.proto");
    assert!(of(&[OLD, again]).ends_with("something else in the pool has this name"));
    // A package is no message, in whichever order they come.
    let package = FileDescriptorProto { package: Some("p.q.Host.x"), ..file("b", "proto3", &[]) };
    assert!(of(&[OLD, package]).contains("p.q.Host"));
    let extend = |extendee, number| {
        let extension = FieldDescriptorProto { extendee: Some(extendee), ..field("e", number, Wire::Int32) };
        let file = FileDescriptorProto { extension: &[extension], package: Some("x"), ..file("e", "proto3", &[]) };
        let mut pool = add(&[OLD]).unwrap();
        pool.add_file(&file).unwrap_err().to_string()
    };
    assert_eq!(extend("p.q.Host", 99), "e: extension x.e: p.q.Host has no extension of the number 99");
    assert_eq!(extend(".p.q.Host", 100), "e: extension x.e: the extension p.q.note of p.q.Host has the number 100");
    assert_eq!(extend(".p.q.Level", 100), "e: extension x.e: \".p.q.Level\" is no message");
    assert_eq!(extend("Nothing", 100), "e: extension x.e: message \"Nothing\" is not in the pool");
    assert_eq!(extend("p.q.Set", 100), "e: extension x.e: an extension of a message set is an optional message");
}

#[test]
fn custom_options_are_read_with_extensions() {
    const TABLE: Extension<MessageOptions<'static>, defiant::extension::Optional<Str>> =
        Extension::new(50_000, "x.table");
    const SELF: Extension<FieldOptions<'static>, OptionalMessage<FieldOptions<'static>>> =
        Extension::new(50_001, "x.me");
    let arena = Arena::new();
    let mut options = MessageOptions::default();
    TABLE.set(&mut options, "people", &arena);
    let mut own = FieldOptions { deprecated: Some(true), ..FieldOptions::default() };
    SELF.set(&mut own, &FieldOptions { packed: Some(true), ..FieldOptions::default() }, &arena);
    let fields = [FieldDescriptorProto { options: Some(&own), ..field("x", 1, Wire::Bool) }];
    let messages = [DescriptorProto { options: Some(&options), field: &fields, ..message("M", &[]) }];
    let file = FileDescriptorProto { message_type: &messages, name: Some("m"), ..FileDescriptorProto::default() };
    let mut pool = DescriptorPool::new();
    pool.add_file(&file).unwrap();
    let proto = pool.message_proto("M").unwrap();
    assert_eq!(TABLE.get(proto.options.unwrap()).unwrap(), Some("people"));
    let own = proto.field[0].options.unwrap();
    assert!(SELF.get(own, &arena).unwrap().unwrap().packed());
}

#[test]
fn the_limit_of_memory_holds() {
    let set = FileDescriptorSet { file: &[OLD], ..FileDescriptorSet::default() }.encode_to_vec();
    let mut pool = DescriptorPool::new().memory_limit(4_000);
    assert!(pool.add_encoded(&set).unwrap_err().is_memory_limit());
    assert_eq!(pool.held_bytes(), 0);
    // A long package and many messages: their full names do not take memory without end.
    let long = "p".repeat(1_000);
    let messages: Vec<_> = (0..3_000).map(|_| message("M", &[])).collect();
    let file = FileDescriptorProto {
        package: Some(&long),
        message_type: &messages,
        name: Some("m"),
        ..FileDescriptorProto::default()
    };
    assert!(DescriptorPool::new().add_file(&file).is_err());
    let longer = "p".repeat(10_000);
    let file = FileDescriptorProto { package: Some(&longer), name: Some("m"), ..FileDescriptorProto::default() };
    assert_eq!(
        DescriptorPool::new().add_file(&file).unwrap_err().to_string(),
        "m: the name of its package is too long"
    );
}

/// Whatever is accepted can be used.
fn try_all(set: &[u8]) {
    let mut pool = DescriptorPool::new().memory_limit(1 << 22);
    if pool.add_encoded(set).is_err() {
        return;
    }
    let arena = Arena::new();
    for ty in pool.messages() {
        let message = DynamicMessage::new(ty, &arena);
        for field in ty.descriptor().fields() {
            let _ = format!("{:?}", message.as_ref().get(field));
        }
        let _ = DynamicMessage::decode(ty, set, &arena).map(|message| message.encode_to_vec());
        #[cfg(all(feature = "json", feature = "text"))]
        formats(&pool, ty, &message);
        for extension in pool.extensions(ty.descriptor().full_name()) {
            let _ = DynamicMessage::decode(extension.holder(), set, &arena).map(|message| message.encode_to_vec());
        }
    }
}

/// A message in the formats for people, and back.
#[cfg(all(feature = "json", feature = "text"))]
fn formats(pool: &DescriptorPool, ty: MessageType<'_>, message: &DynamicMessage<'_>) {
    use defiant::{json, text};
    let arena = Arena::new();
    let json = json::EncodeOptions::new().resolver(pool).encode_message(message.as_ref());
    for json in [json.as_deref().unwrap_or(""), "{}", "null", "[]", "\"1970-01-01T00:00:00Z\"", "3", "{\"value\":1}"] {
        let _ = json::DecodeOptions::new().resolver(pool).decode_message(ty.descriptor(), json, &arena);
    }
    let options = text::EncodeOptions::new().resolver(pool).unknown_fields(true);
    let text = options.encode_message_in(message.as_ref(), &arena);
    let again = text::DecodeOptions::new().resolver(pool).decode_message(ty.descriptor(), text, &arena);
    if let Ok(again) = again {
        assert_eq!(ty.encode_in(again, &arena), message.encode_to_vec());
    }
}

/// Names that JSON has forms of its own for do not make a message one of those.
#[test]
#[cfg(all(feature = "json", feature = "text"))]
fn impostors_of_the_well_known_types_are_ordinary_messages() {
    let arena = Arena::new();
    let names = [
        "Any",
        "Duration",
        "FieldMask",
        "ListValue",
        "Struct",
        "Timestamp",
        "Value",
        "BoolValue",
        "StringValue",
        "Empty",
    ];
    let repeated_self = repeated(typed("me", 1, Wire::Message, "Empty"));
    let shapes: [&[FieldDescriptorProto<'_>]; 6] = [
        &[],
        &[field("seconds", 1, Wire::String)],
        &[field("a", 1, Wire::Int64), repeated(field("b", 2, Wire::Int32))],
        &[repeated_self],
        &[repeated(field("paths", 1, Wire::Bytes))],
        &[field("type_url", 2, Wire::String), field("value", 1, Wire::Bytes)],
    ];
    for shape in shapes {
        let messages = names.map(|name| message(name, shape));
        let file = FileDescriptorProto {
            package: Some("google.protobuf"),
            ..FileDescriptorProto { message_type: &messages, ..file("wkt.proto", "proto3", &[]) }
        };
        let mut pool = DescriptorPool::new();
        pool.add_file(&file).unwrap();
        for ty in pool.messages() {
            let mut made = DynamicMessage::new(ty, &arena);
            formats(&pool, ty, &made);
            for one in ty.descriptor().fields() {
                let value = match one.ty() {
                    _ if one.is_list() => continue,
                    Type::String => Value::String("x"),
                    Type::Bytes => Value::Bytes(b"x"),
                    _ => Value::I64(7),
                };
                made.set(one, value).unwrap();
            }
            formats(&pool, ty, &made);
        }
    }
    let seconds = [field("seconds", 1, Wire::Int64), field("nanos", 2, Wire::Int32)];
    let messages = [message("Timestamp", &seconds), message("Duration", &seconds[..1])];
    let file = FileDescriptorProto { package: Some("google.protobuf"), ..file("wkt.proto", "proto3", &messages) };
    let mut pool = DescriptorPool::new();
    pool.add_file(&file).unwrap();
    let json = |name: &str| {
        let made = DynamicMessage::decode(pool.message(name).unwrap(), &[8, 1], &arena).unwrap();
        defiant::json::encode_message(made.as_ref()).unwrap()
    };
    assert_eq!(json("google.protobuf.Timestamp"), "\"1970-01-01T00:00:01Z\"");
    assert_eq!(json("google.protobuf.Duration"), "{\"seconds\":\"1\"}");
}

#[test]
fn truncated_sets_are_judged_without_panic() {
    let set = FileDescriptorSet { file: &[OLD], ..FileDescriptorSet::default() }.encode_to_vec();
    for end in 0..=set.len() {
        try_all(&set[..end]);
    }
}

proptest! {
    #![proptest_config(crate::cases(400))]

    #[test]
    fn damaged_sets_are_judged_without_panic(damage in vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
        let mut set = FileDescriptorSet { file: &[OLD], ..FileDescriptorSet::default() }.encode_to_vec();
        for (index, byte) in damage {
            let at = index.index(set.len());
            set[at] = byte;
        }
        try_all(&set);
    }
}
