//! Types that are found by their names, and such as are known at run time only.

use super::*;
use crate::messages::{Bare, Leaf, Set};
use defiant::Extension;
use defiant::extension::{Int32, Optional, OptionalMessage, Repeated, Str};
use defiant::json::{DecodeOptions, EncodeOptions};
use defiant::reflect::Registry;

const NUMBER: Extension<Bare<'static>, Optional<Int32>> = Extension::new(100, "x.number");
const TEXTS: Extension<Bare<'static>, Repeated<Str>> = Extension::new(104, "x.texts");
const LEAF: Extension<Bare<'static>, OptionalMessage<Leaf<'static>>> = Extension::new(108, "x.leaf");
const ITEM: Extension<Set<'static>, OptionalMessage<Leaf<'static>>> = Extension::new(100, "x.item");

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
    let twice = r#"{"[x.number]":1,"[x.number]":1}"#;
    assert!(read.decode::<Bare<'_>>(twice, &arena).unwrap_err().is_duplicate());
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
