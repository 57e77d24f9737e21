//! Types that are found by their names, and such as are known at run time only.

use super::*;
use crate::attacks::refuse_each;
use crate::messages::{Bare, Leaf, Set};
use defiant::Extension;
use defiant::extension::{Int32, Optional, OptionalMessage, Repeated, Str};
use defiant::json::{DecodeOptions, EncodeOptions};
use defiant::reflect::Registry;

const NUMBER: Extension<Bare<'static>, Optional<Int32>> = Extension::new(100, "x.number");
const TEXTS: Extension<Bare<'static>, Repeated<Str>> = Extension::new(104, "x.texts");
const LEAF: Extension<Bare<'static>, OptionalMessage<Leaf<'static>>> = Extension::new(108, "x.leaf");
const ITEM: Extension<Set<'static>, OptionalMessage<Leaf<'static>>> = Extension::new(100, "x.item");
const MANY: [Extension<Bare<'static>, Optional<Int32>>; 12] = [
    Extension::new(207, "y.0"),
    Extension::new(203, "y.1"),
    Extension::new(211, "y.2"),
    Extension::new(200, "y.3"),
    Extension::new(205, "y.4"),
    Extension::new(201, "y.5"),
    Extension::new(210, "y.6"),
    Extension::new(204, "y.7"),
    Extension::new(208, "y.8"),
    Extension::new(202, "y.9"),
    Extension::new(209, "y.10"),
    Extension::new(206, "y.11"),
];

/// All of them, and what is behind them.
fn many(behind: &str) -> String {
    let members: Vec<String> = (0..MANY.len()).map(|index| format!("\"[y.{index}]\":{index}")).collect();
    format!("{{{}{behind}}}", members.join(","))
}

#[test]
fn many_extensions() {
    let mut registry = Registry::new();
    for extension in &MANY {
        registry.add_extension(extension);
    }
    let (read, write) = (DecodeOptions::new().resolver(&registry), EncodeOptions::new().resolver(&registry));
    let arena = Arena::new();
    let text = many("");
    let bare: Bare<'_> = read.decode(&text, &arena).unwrap();
    for (index, extension) in MANY.iter().enumerate() {
        assert_eq!(extension.get(&bare).unwrap(), Some(index as i32));
        let twice = many(&format!(",\"[y.{index}]\":null"));
        assert!(read.decode::<Bare<'_>>(&twice, &arena).unwrap_err().is_duplicate(), "{index}");
    }
    refuse_each("extensions that are read", 0, || {
        read.decode::<Bare<'_>>(&text, &Arena::new()).map(|_| ()).map_err(|error| error.is_memory_limit())
    });
    refuse_each("extensions that are written", 0, || {
        write.encode(&bare).map(|_| ()).map_err(|error| error.is_memory_limit())
    });
}

#[test]
fn extensions_of_a_registry() {
    let mut registry = Registry::new();
    registry.add_extension(&NUMBER).add_extension(&TEXTS).add_extension(&LEAF).add_extension(&ITEM);
    let (read, write) = (DecodeOptions::new().resolver(&registry), EncodeOptions::new().resolver(&registry));
    let arena = Arena::new();
    let text = r#"{"string":"s","[x.number]":-3,"[x.texts]":["a","b"],"[x.leaf]":{"x":1}}"#;
    let bare: Bare<'_> = read.decode(text, &arena).unwrap();
    assert_eq!(NUMBER.get(&bare).unwrap(), Some(-3));
    assert_eq!(TEXTS.get(&bare, &arena).unwrap(), ["a", "b"]);
    assert_eq!(LEAF.get(&bare, &arena).unwrap().map(|leaf| leaf.x), Some(1));
    assert_eq!(write.encode(&bare).unwrap(), text);
    let text = r#"{"[x.item]":{"label":"l"}}"#;
    let set: Set<'_> = read.decode(text, &arena).unwrap();
    assert_eq!(ITEM.get(&set, &arena).unwrap().and_then(|leaf| leaf.label), Some("l"));
    assert_eq!(write.encode(&set).unwrap(), text);
    assert_eq!(read.decode::<Bare<'_>>(r#"{"[x.item]":{}}"#, &arena).unwrap_err().path(), "");
    // In JSON, a name is one string: nothing may be between its parts.
    for key in
        ["[ x.number]", "[x.number ]", "[x . number]", " [x.number]", "[x.number] ", "[x.number", "x.number", "[]"]
    {
        let text = format!("{{\"{key}\":1}}");
        assert!(read.decode::<Bare<'_>>(&text, &arena).unwrap_err().is_unknown_field(), "{key}");
        let bare: Bare<'_> = read.ignore_unknown_fields(true).decode(&text, &arena).unwrap();
        assert_eq!(NUMBER.get(&bare).unwrap(), None);
    }
    for twice in [
        r#"{"[x.number]":1,"[x.number]":1}"#,
        r#"{"[x.number]":null,"[x.number]":1}"#,
        r#"{"[x.number]":null,"[x.number]":null}"#,
        r#"{"[x.texts]":[],"[x.texts]":["a"]}"#,
        r#"{"[x.texts]":["a"],"[x.texts]":[]}"#,
        r#"{"[x.texts]":[],"[x.number]":1,"[x.texts]":[]}"#,
    ] {
        assert!(read.decode::<Bare<'_>>(twice, &arena).unwrap_err().is_duplicate(), "{twice}");
    }
    let split = "{ \"[x.number]\"\n:\t1 }";
    assert_eq!(NUMBER.get(&read.decode::<Bare<'_>>(split, &arena).unwrap()).unwrap(), Some(1));
}

#[cfg(feature = "dynamic")]
#[test]
fn types_of_a_pool() {
    use defiant::reflect::DescriptorPool;
    use defiant::wkt::field_descriptor_proto::{Label, Type};
    use defiant::wkt::{DescriptorProto, FieldDescriptorProto, FileDescriptorProto};
    let field = |name, number, ty, label| FieldDescriptorProto {
        name: Some(name),
        number: Some(number),
        r#type: Some(ty),
        label: Some(label),
        ..FieldDescriptorProto::default()
    };
    let child = FieldDescriptorProto {
        type_name: Some(".run.Time"),
        ..field("the_children", 3, Type::Message, Label::Repeated)
    };
    let fields = [
        field("an_int", 1, Type::Int64, Label::Optional),
        field("some_texts", 2, Type::String, Label::Repeated),
        child,
        field("a_double", 4, Type::Double, Label::Optional),
    ];
    let messages = [DescriptorProto { name: Some("Time"), field: &fields, ..DescriptorProto::default() }];
    let file = FileDescriptorProto {
        name: Some("run.proto"),
        package: Some("run"),
        syntax: Some("proto3"),
        message_type: &messages,
        ..FileDescriptorProto::default()
    };
    let mut pool = DescriptorPool::new();
    pool.add_file(&file).unwrap();
    let (arena, ty) = (Arena::new(), pool.message("run.Time").unwrap());
    let text = r#"{"anInt":"-5","someTexts":["a","é\n"],"theChildren":[{},{"aDouble":0.5}],"aDouble":1e+300}"#;
    let message = json::decode_message(ty.descriptor(), text, &arena).unwrap();
    assert_eq!(json::encode_message(message).unwrap(), text);
    let again = ty.decode(ty.encode_in(message, &arena), &defiant::DecodeOptions::new(), &arena).unwrap();
    assert_eq!(json::encode_message(again).unwrap(), text);
    let error = json::decode_message(ty.descriptor(), r#"{"theChildren":[{"anInt":1.5}]}"#, &arena).unwrap_err();
    assert!(error.to_string().starts_with("Time.the_children: Time.an_int: expected an integer"), "{error}");
}

/// Types of the names that JSON has forms for are whatever a pool was given: here, of a value that is itself in a list and a
/// struct.
#[cfg(feature = "dynamic")]
#[test]
fn values_that_hold_themselves() {
    use defiant::Message as _;
    use defiant::reflect::DescriptorPool;
    use defiant::wkt::field_descriptor_proto::Type;
    use defiant::wkt::{
        DescriptorProto, EnumDescriptorProto, EnumValueDescriptorProto, FieldDescriptorProto, FileDescriptorProto,
        OneofDescriptorProto,
    };
    let member = |name, number, ty, type_name| FieldDescriptorProto {
        name: Some(name),
        number: Some(number),
        r#type: Some(ty),
        type_name,
        oneof_index: Some(0),
        ..FieldDescriptorProto::DEFAULT
    };
    let itself = Some(".google.protobuf.Value");
    let fields = [
        member("a", 1, Type::Enum, Some(".google.protobuf.NullValue")),
        member("b", 2, Type::Double, None),
        member("c", 3, Type::String, None),
        member("d", 4, Type::Bool, None),
        member("e", 5, Type::Message, itself),
        member("f", 6, Type::Message, itself),
    ];
    let file = FileDescriptorProto {
        name: Some("value.proto"),
        package: Some("google.protobuf"),
        syntax: Some("proto3"),
        message_type: &[DescriptorProto {
            name: Some("Value"),
            field: &fields,
            oneof_decl: &[OneofDescriptorProto { name: Some("kind"), ..OneofDescriptorProto::DEFAULT }],
            ..DescriptorProto::DEFAULT
        }],
        enum_type: &[EnumDescriptorProto {
            name: Some("NullValue"),
            value: &[EnumValueDescriptorProto {
                name: Some("NULL_VALUE"),
                number: Some(0),
                ..EnumValueDescriptorProto::DEFAULT
            }],
            ..EnumDescriptorProto::DEFAULT
        }],
        ..FileDescriptorProto::DEFAULT
    };
    let mut pool = DescriptorPool::new();
    pool.add_file(&file).unwrap();
    let descriptor = pool.message("google.protobuf.Value").unwrap().descriptor();
    for text in ["{}", "[]", r#"{"a":1}"#, "[[]]"] {
        let arena = Arena::new();
        let error = json::decode_message(descriptor, text, &arena).unwrap_err();
        assert!(error.is_invalid_value(), "{text}: {error}");
        #[cfg(feature = "serde")]
        super::bridge::is_malformed(descriptor, text, &arena);
    }
    assert!(json::decode_message(descriptor, "\"text\"", &Arena::new()).is_ok());
}
