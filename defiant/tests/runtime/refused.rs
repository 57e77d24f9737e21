//! Memory that is refused to JSON, text and dynamic messages: an error comes back, and nothing stays.

use defiant::reflect::{DynamicMessage, MessageType};
use defiant::{Arena, Message, json, text};

use super::attacks::{everything, refuse_each};
use super::messages::All;

/// Arenas ask for no less. What is smaller are names in errors and work space, which are asked for as any Rust program asks.
const CHUNK: usize = 300;

#[test]
fn memory_for_messages() {
    let arena = Arena::new();
    let wire = everything();
    let message = All::decode(&wire, &arena).unwrap();
    let (json, text) = (json::encode(&message).unwrap(), text::EncodeOptions::new().encode(&message));
    refuse_each("JSON", CHUNK, || {
        let decoded = json::decode::<All<'_>>(&json, &Arena::new()).map(|_| ());
        decoded.map_err(|error| error.is_memory_limit())
    });
    refuse_each("JSON, borrowed", CHUNK, || {
        let arena = Arena::new();
        json::decode_borrowed::<All<'_>>(&json, &arena).map(|_| ()).map_err(|error| error.is_memory_limit())
    });
    refuse_each("JSON, written", CHUNK, || {
        let arena = Arena::new();
        json::encode_in(&message, &arena).map(|_| ()).map_err(|error| error.is_memory_limit())
    });
    refuse_each("text", CHUNK, || {
        let decoded = text::decode::<All<'_>>(&text, &Arena::new()).map(|_| ());
        decoded.map_err(|error| error.is_memory_limit())
    });
    refuse_each("dynamic", 0, || {
        let arena = Arena::new();
        let ty = MessageType::of::<All<'static>>();
        DynamicMessage::decode(ty, &wire, &arena).map(|_| ()).map_err(|error| error.is_memory_limit())
    });
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
