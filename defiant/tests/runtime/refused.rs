//! Memory that is refused to JSON, text and dynamic messages: an error comes back, and nothing stays.

use defiant::descriptor::MessageDescriptor;
use defiant::extension::{Int32, Optional, OptionalMessage};
use defiant::reflect::{DynamicMessage, MessageType, Registry};
use defiant::{Arena, Extension, Message, json, text};

use super::allocator::{Refuse, count, refusing};
use super::attacks::{everything, refuse_each};
use super::messages::{All, Bare, Leaf, Set};

const NUMBER: Extension<Bare<'static>, Optional<Int32>> = Extension::new(100, "x.number");
const ITEM: Extension<Set<'static>, OptionalMessage<Leaf<'static>>> = Extension::new(100, "x.item");
const INSIDE: Extension<Set<'static>, OptionalMessage<Leaf<'static>>> =
    Extension::new(101, "t.Leaf.message_set_extension");

#[test]
fn memory_for_messages() {
    let arena = Arena::new();
    let wire = everything();
    let message = All::decode(&wire, &arena).unwrap();
    let (json, text) = (json::encode(&message).unwrap(), text::EncodeOptions::new().encode(&message));
    refuse_each("JSON", 0, || {
        let decoded = json::decode::<All<'_>>(&json, &Arena::new()).map(|_| ());
        decoded.map_err(|error| error.is_memory_limit())
    });
    refuse_each("JSON, borrowed", 0, || {
        let arena = Arena::new();
        json::decode_borrowed::<All<'_>>(&json, &arena).map(|_| ()).map_err(|error| error.is_memory_limit())
    });
    refuse_each("JSON, written", 0, || json::encode(&message).map(|_| ()).map_err(|error| error.is_memory_limit()));
    refuse_each("JSON, written to an arena", 0, || {
        let arena = Arena::new();
        json::encode_in(&message, &arena).map(|_| ()).map_err(|error| error.is_memory_limit())
    });
    refuse_each("text", 0, || {
        let decoded = text::decode::<All<'_>>(&text, &Arena::new()).map(|_| ());
        decoded.map_err(|error| error.is_memory_limit())
    });
    refuse_each("dynamic", 0, || {
        let arena = Arena::new();
        let ty = MessageType::of::<All<'static>>();
        DynamicMessage::decode(ty, &wire, &arena).map(|_| ()).map_err(|error| error.is_memory_limit())
    });
}

/// JSON and text of a message into it and back.
#[track_caller]
fn both_ways(registry: &Registry, descriptor: &MessageDescriptor, json: &str, text: &str) {
    let (json_in, json_out) =
        (json::DecodeOptions::new().resolver(registry), json::EncodeOptions::new().resolver(registry));
    let text_in = text::DecodeOptions::new().resolver(registry);
    refuse_each(json, 0, || {
        let arena = Arena::new();
        json_in.decode_message(descriptor, json, &arena).map(|_| ()).map_err(|error| error.is_memory_limit())
    });
    refuse_each(text, 0, || {
        let arena = Arena::new();
        text_in.decode_message(descriptor, text, &arena).map(|_| ()).map_err(|error| error.is_memory_limit())
    });
    let arena = Arena::new();
    let message = json_in.decode_message(descriptor, json, &arena).unwrap();
    refuse_each(json, 0, || json_out.encode_message(message).map(|_| ()).map_err(|error| error.is_memory_limit()));
}

#[test]
fn memory_for_what_is_looked_up() {
    let mut registry = Registry::new();
    registry.add_extension(&NUMBER).add_extension(&ITEM);
    both_ways(&registry, Bare::DESCRIPTOR, r#"{"string":"\n","[x.number]":1}"#, r"string: '\n' [x.number]: 1");
    both_ways(&registry, Set::DESCRIPTOR, r#"{"[x.item]":{"x":1}}"#, "[x.item] { x: 1 }");
    // A type of its own can stand for the extension of that name in it.
    registry.add_extension(&INSIDE);
    let text = text::DecodeOptions::new().resolver(&registry);
    refuse_each("the type of an item", 0, || {
        let arena = Arena::new();
        text.decode::<Set<'_>>("[t.Leaf] { x: 1 }", &arena).map(|_| ()).map_err(|error| error.is_memory_limit())
    });
}

#[cfg(feature = "wkt")]
#[test]
fn memory_for_any() {
    use defiant::wkt::{Any, Duration};
    let mut registry = Registry::new();
    registry.add::<Duration<'static>>().add::<All<'static>>();
    both_ways(
        &registry,
        Any::DESCRIPTOR,
        r#"{"@type":"a/google.protobuf.Duration","value":"1.5s"}"#,
        "[a/google.protobuf.Duration] { seconds: 1 nanos: 500000000 }",
    );
    both_ways(&registry, Any::DESCRIPTOR, r#"{"@type":"a/t.All","int32":1}"#, "[a/t.All] { int32: 1 }");
}

/// A message of more fields than are noted in a word.
#[cfg(feature = "dynamic")]
#[test]
fn memory_for_many_fields() {
    use defiant::reflect::DescriptorPool;
    use defiant::wkt::field_descriptor_proto::Type;
    use defiant::wkt::{DescriptorProto, FieldDescriptorProto, FileDescriptorProto};
    let names: Vec<String> = (0..200).map(|number| format!("f{number}")).collect();
    let fields: Vec<_> = (1..)
        .zip(&names)
        .map(|(number, name)| FieldDescriptorProto {
            name: Some(name),
            number: Some(number),
            r#type: Some(Type::Int32),
            ..FieldDescriptorProto::DEFAULT
        })
        .collect();
    let message_type = [DescriptorProto { name: Some("Wide"), field: &fields, ..DescriptorProto::DEFAULT }];
    let file =
        FileDescriptorProto { name: Some("wide.proto"), message_type: &message_type, ..FileDescriptorProto::DEFAULT };
    let mut pool = DescriptorPool::new();
    pool.add_file(&file).unwrap();
    let descriptor = pool.message("Wide").unwrap().descriptor();
    both_ways(&Registry::new(), descriptor, r#"{"f0":1,"f199":2,"f100":3}"#, "f0: 1 f199: 2 f100: 3");
}

/// What a mistake is called, without memory for its words.
fn kind_of_json(error: &json::DecodeError) -> [bool; 6] {
    let kinds = [error.is_syntax(), error.is_invalid_value(), error.is_unknown_field(), error.is_duplicate()];
    [kinds[0], kinds[1], kinds[2], kinds[3], error.is_unresolved_type(), error.is_missing_required()]
}

fn kind_of_text(error: &text::DecodeError) -> [bool; 6] {
    let kinds = [error.is_syntax(), error.is_out_of_range(), error.is_unknown_field(), error.is_duplicate()];
    [kinds[0], kinds[1], kinds[2], kinds[3], error.is_unresolved(), error.is_missing_required()]
}

/// With every allocation refused from each on: the mistake is still the one it is, or the memory.
#[track_caller]
fn mistakes<E: std::fmt::Display>(
    input: &str,
    decode: impl Fn() -> Result<(), E>,
    kind: impl Fn(&E) -> [bool; 6],
    memory: impl Fn(&E) -> bool,
) {
    let expected = decode().unwrap_err();
    assert!(kind(&expected).contains(&true) && !memory(&expected), "{input}: {expected}");
    let mut without = 0;
    for nth in 0..50 {
        let (_, counted) = count(|| {
            let (error, refused) = refusing(Refuse::AllFrom(nth), 0, || decode().unwrap_err());
            assert!(memory(&error) || kind(&error) == kind(&expected), "{input}: {error} for {expected}");
            assert!(refused || error.to_string() == expected.to_string(), "{input}: {error} for {expected}");
            without += u32::from(refused);
        });
        assert_eq!(counted.held, 0, "{input}: leaks without the allocations from {nth} on");
    }
    assert!((1..50).contains(&without), "{input}: {without}");
}

#[test]
fn memory_for_the_words_of_mistakes() {
    let mut registry = Registry::new();
    registry.add_extension(&NUMBER);
    let json_in = json::DecodeOptions::new().resolver(&registry);
    let decode_json = |json: &str| json_in.decode::<All<'_>>(json, &Arena::new()).map(|_| ());
    for json in [
        r#"{"leaf":{"x":"#,
        r#"{"leaf":{"x":"one"}}"#,
        r#"{"leaf":{"y":1}}"#,
        r#"{"leaf":{"x":1,"x":2}}"#,
        r#"{"levels":["NONE"]}"#,
        r#"{"levels":[77]}"#,
        r#"{"text":"","chosenLeaf":{}}"#,
        r#"{"[x.number]":1}"#,
    ] {
        mistakes(json, || decode_json(json), kind_of_json, json::DecodeError::is_memory_limit);
    }
    let twice = r#"{"[x.number]":1,"[x.number]":1}"#;
    let decode = || json_in.decode::<Bare<'_>>(twice, &Arena::new()).map(|_| ());
    mistakes(twice, decode, kind_of_json, json::DecodeError::is_memory_limit);
    let text_in = text::DecodeOptions::new().resolver(&registry);
    let decode_text = |text: &str| text_in.decode::<All<'_>>(text, &Arena::new()).map(|_| ());
    for text in [
        "leaf {",
        "leaf { x: 'one' }",
        "leaf { y: 1 }",
        "Leaf { y: 1 }",
        "leaf { x: 1 x: 2 }",
        "levels: NONE",
        "levels: 77",
        "text: '' chosen_leaf { }",
        "[x.number]: 1",
        "by_name { key: 'k' other: 1 }",
    ] {
        mistakes(text, || decode_text(text), kind_of_text, text::DecodeError::is_memory_limit);
    }
}

#[test]
fn texts_of_too_many_bytes() {
    let arena = Arena::new();
    let (json, text) = ("{\"string\": \"é\"}", "string: 'é'");
    for more in [0, 1] {
        let options = json::DecodeOptions::new().size_limit(json.len() + more);
        assert!(options.decode::<All<'_>>(json, &arena).is_ok());
        assert!(options.decode_borrowed::<All<'_>>(json, &arena).is_ok());
        let options = text::DecodeOptions::new().size_limit(text.len() + more);
        assert!(options.decode::<All<'_>>(text, &arena).is_ok());
    }
    let error = json::DecodeOptions::new().size_limit(json.len() - 1).decode::<All<'_>>(json, &arena).unwrap_err();
    assert!(error.is_size_limit() && error.to_string().contains("longer than the size limit"), "{error}");
    let error = text::DecodeOptions::new().size_limit(text.len() - 1).decode::<All<'_>>(text, &arena).unwrap_err();
    assert!(error.is_size_limit() && error.to_string().contains("longer than the size limit"), "{error}");
}

/// Whether texts are read, or which limit they pass.
fn read(json: &str, text: &str, elements: usize, string: usize) -> Result<(), &'static str> {
    let arena = Arena::new();
    let options = json::DecodeOptions::new().elements_limit(elements).string_limit(string);
    let from_json = options.decode::<All<'_>>(json, &arena);
    let from_json = from_json.map_err(|error| match (error.is_elements_limit(), error.is_string_limit()) {
        (true, false) => "elements",
        (false, true) => "string",
        _ => panic!("{error}"),
    });
    let options = text::DecodeOptions::new().elements_limit(elements).string_limit(string);
    let from_text = options.decode::<All<'_>>(text, &arena);
    let from_text = from_text.map_err(|error| match (error.is_elements_limit(), error.is_string_limit()) {
        (true, false) => "elements",
        (false, true) => "string",
        _ => panic!("{error}"),
    });
    assert_eq!(from_json, from_text, "{json} {text}");
    from_json.map(|_| ())
}

#[test]
fn texts_of_too_many_elements() {
    for (count, json, text) in [
        (0, "{}", ""),
        (3, r#"{"strings": ["a", "b", ""]}"#, "strings: ['a', 'b'] strings: ''"),
        (2, r#"{"counts": {"x": 1, "y": 2}}"#, "counts { key: 'x' value: 1 } counts { key: 'y' value: 2 }"),
        (2, r#"{"places": {"1": {}, "2": {}}}"#, "places { key: 1 value {} } places { key: 2 value {} }"),
        (40, &format!(r#"{{"packed": [1{}]}}"#, ",1".repeat(39)), &"packed: 1 ".repeat(40)),
        (
            7,
            r#"{"leaves": [{"data": [1, 2]}, {"data": [1]}], "leaf": {"data": [5, 6]}}"#,
            "leaves { data: [1, 2] } leaf { data: 5 data: 6 } leaves { data: 1 }",
        ),
    ] {
        if count > 0 {
            assert_eq!(read(json, text, count - 1, usize::MAX), Err("elements"), "{json}");
        }
        assert_eq!(read(json, text, count, usize::MAX), Ok(()), "{json}");
        assert_eq!(read(json, text, count + 1, usize::MAX), Ok(()), "{json}");
    }
}

#[test]
fn texts_with_strings_that_are_too_long() {
    for (json, text) in [
        (r#"{"string": "abc"}"#, "string: 'abc'"),
        (r#"{"string": "\u00e9\n"}"#, r"string: '\303\251\n'"),
        (r#"{"strings": ["", "abc"]}"#, "strings: '' strings: 'a' 'bc'"),
        (r#"{"bytes": "AQID", "int32": 123456}"#, r"bytes: '\001\002\003' int32: 123456"),
        (r#"{"blobs": ["AQID"]}"#, r"blobs: '\001\002\003'"),
        (r#"{"counts": {"abc": "12345"}}"#, "counts { key: 'abc' value: 12345 }"),
        (r#"{"leaf": {"names": {"100000": "abc"}}}"#, "leaf { names { key: 100000 value: 'abc' } }"),
        (r#"{"double": "-Infinity", "far": "abc"}"#, "double: -infinity far: 'abc'"),
    ] {
        assert_eq!(read(json, text, usize::MAX, 2), Err("string"), "{json}");
        assert_eq!(read(json, text, usize::MAX, 3), Ok(()), "{json}");
        assert_eq!(read(json, text, usize::MAX, 4), Ok(()), "{json}");
    }
}
