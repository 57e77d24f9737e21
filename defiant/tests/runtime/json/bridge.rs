//! Through serde: the same messages, texts and rejections as without.

use super::*;
use crate::messages::{Bare, Leaf};
use defiant::Extension;
use defiant::Message;
use defiant::extension::{Int32, Optional, OptionalMessage, Repeated, Str};
use defiant::json::{DecodeOptions, EncodeOptions, Json, MessageSeed, Seed};
use defiant::reflect::{MessageRef, Registry};
use defiant::wkt::{Any, Duration, Empty, Timestamp, Value};
use serde::de::DeserializeSeed;
use serde_json::json;

fn read<'a>(text: &str, options: DecodeOptions<'a>, arena: &'a Arena) -> Result<All<'a>, serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let message = Seed::new(arena).with(options).deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(message)
}

/// A type of a well-known name that is not that type.
#[cfg(feature = "dynamic")]
pub(super) fn is_malformed<'a>(descriptor: &'a defiant::descriptor::MessageDescriptor, text: &str, arena: &'a Arena) {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let error = MessageSeed::new(descriptor, arena).deserialize(&mut deserializer).unwrap_err();
    assert!(error.to_string().contains("not the fields of this well-known type"), "{error}");
}

/// The bridge reads what `decode` reads.
#[track_caller]
pub(super) fn reads_as(text: &str, expected: &str) {
    let arena = Arena::new();
    match read(text, DecodeOptions::new(), &arena) {
        Ok(message) => assert_eq!(json::encode(&message).unwrap(), expected, "{text}"),
        Err(error) => panic!("{text}: {error}"),
    }
}

/// The bridge does not read what `decode` does not, for the same reason where it is not the format's own.
#[track_caller]
pub(super) fn rejects(text: &str, error: &json::DecodeError) {
    let arena = Arena::new();
    // Numbers that serde_json knows as doubles only.
    let rounded = text.contains("000000000000000000001") || text.contains("18446744073709551616");
    match read(text, DecodeOptions::new(), &arena) {
        Ok(message) => assert!(rounded, "{text} reads as {message:?}"),
        Err(found) if error.is_syntax() => assert!(!found.to_string().is_empty()),
        Err(found) => {
            let found = found.to_string();
            let same = found.starts_with(error.to_string().split(" at line").next().unwrap());
            let field = error.path().rsplit(": ").next().unwrap();
            let named = found.contains(&format!(" for {field}")) || found.starts_with(error.path());
            let others = ["number out of range", "expected ident", "expected value"];
            let foreign = others.iter().any(|other| found.starts_with(other));
            assert!(same || named || foreign, "{text}: {found}, and {error}");
        }
    }
}

/// A message after it went through formats and back.
pub(super) fn formats<'a>(message: &All<'_>, options: EncodeOptions<'_>, arena: &'a Arena) -> Vec<All<'a>> {
    let json = Json::new(message).with(options);
    let text = serde_json::to_string(&json).unwrap();
    let value = serde_json::to_value(json).unwrap();
    let pack = rmp_serde::to_vec(&json).unwrap();
    vec![
        json::decode(&text, arena).unwrap_or_else(|error| panic!("{text}: {error}")),
        read(&text, DecodeOptions::new(), arena).unwrap_or_else(|error| panic!("{text}: {error}")),
        // What json writes, read by serde.
        read(&options.encode(message).unwrap(), DecodeOptions::new(), arena).unwrap(),
        Seed::new(arena).deserialize(value).unwrap(),
        Seed::new(arena).deserialize(&mut rmp_serde::Deserializer::from_read_ref(&pack)).unwrap(),
    ]
}

#[test]
fn everything() {
    let arena = Arena::new();
    let text = limits::full_text();
    let message: All<'_> = json::decode(&text, &arena).unwrap();
    for again in formats(&message, EncodeOptions::new(), &arena) {
        // A NaN is in it, which is not equal to itself.
        assert_eq!(again.encode_to_vec(), message.encode_to_vec());
    }
    // The same JSON, but for whole numbers of floating point.
    let ours: serde_json::Value = serde_json::from_str(&json::encode(&message).unwrap()).unwrap();
    let mut theirs = serde_json::to_value(Json::new(&message)).unwrap();
    for (path, whole) in [("/aDouble", json!(1500)), ("/list/0", json!(1)), ("/someValues/1", json!(1))] {
        let value = theirs.pointer_mut(path).unwrap();
        assert_eq!(value.as_f64(), whole.as_f64(), "{path}");
        *value = whole;
    }
    assert_eq!(ours, theirs);
    // The order of members, too.
    let (ours, theirs) = (json::encode(&message).unwrap(), serde_json::to_string(&Json::new(&message)).unwrap());
    assert_eq!(theirs.replace(".0", ""), ours);
}

#[test]
fn without_a_struct() {
    let arena = Arena::new();
    let text = limits::full_text();
    let mut deserializer = serde_json::Deserializer::from_str(&text);
    let message = MessageSeed::new(All::DESCRIPTOR, &arena).deserialize(&mut deserializer).unwrap();
    assert_eq!(json::encode_message(message).unwrap(), {
        let same: All<'_> = json::decode(&text, &arena).unwrap();
        json::encode(&same).unwrap()
    });
    assert!(MessageSeed::new(All::DESCRIPTOR, &arena).deserialize(json!({ "aInt32": "x" })).is_err());
    let none = MessageSeed::new(All::DESCRIPTOR, &arena).with(DecodeOptions::new().memory_limit(8));
    assert_eq!(none.deserialize(json!({})).unwrap_err().to_string(), "memory limit reached");
}

#[test]
fn options() {
    let message = All { a_int32: 1, an_open: messages::Open(1), ..All::default() };
    let json = Json::new(&message);
    let names = serde_json::to_value(json.with(EncodeOptions::new().preserve_proto_field_names(true))).unwrap();
    assert_eq!(names, json!({ "a_int32": 1, "an_open": "ONE" }));
    let numbers = serde_json::to_value(json.with(EncodeOptions::new().enums_as_numbers(true))).unwrap();
    assert_eq!(numbers, json!({ "aInt32": 1, "anOpen": 1 }));
    let all = EncodeOptions::new().always_print_fields_with_no_presence(true);
    let ours: serde_json::Value = serde_json::from_str(&all.encode(&message).unwrap()).unwrap();
    let theirs = serde_json::to_value(json.with(all)).unwrap();
    assert_eq!(theirs.as_object().unwrap().len(), ours.as_object().unwrap().len());
    let arena = Arena::new();
    let ignore = DecodeOptions::new().ignore_unknown_fields(true);
    let text = r#"{"x": [{"y": [1, -1, 1.5, "\n", null, true]}], "anOpen": "NO", "aClosed": 77, "aInt32": 1}"#;
    assert_eq!(read(text, ignore, &arena).unwrap(), All { a_int32: 1, ..All::default() });
    assert!(read(text, DecodeOptions::new(), &arena).unwrap_err().to_string().starts_with("unknown field \"All.x\""));
}

#[test]
fn an_any_whose_type_comes_late_and_extensions() {
    const NUMBER: Extension<Bare<'static>, Optional<Int32>> = Extension::new(100, "x.number");
    const TEXTS: Extension<Bare<'static>, Repeated<Str>> = Extension::new(104, "x.texts");
    const LEAF: Extension<Bare<'static>, OptionalMessage<Leaf<'static>>> = Extension::new(108, "x.leaf");
    let mut registry = Registry::new().with::<Duration<'static>>().with::<Empty<'static>>().with::<Value<'static>>();
    registry.add::<Any<'static>>().add_extension(&NUMBER).add_extension(&TEXTS).add_extension(&LEAF);
    let (options, arena) = (DecodeOptions::new().resolver(&registry), Arena::new());
    let write = EncodeOptions::new().resolver(&registry);
    for text in [
        r#"{"any":{"@type":"t/google.protobuf.Duration","value":"1.500s"}}"#,
        r#"{"any":{"value":"1.500s","@type":"t/google.protobuf.Duration"}}"#,
        r#"{"any":{"@type":"t/google.protobuf.Empty"}}"#,
        r#"{"any":{"value":{"a":["\u0001\"\\é",null,true,-1.5e300,{}]},"@type":"t/google.protobuf.Value"}}"#,
        r#"{"any":{"@type":"t/google.protobuf.Any","value":{"@type":"t/google.protobuf.Value","value":null}}}"#,
        r#"{"any":{}}"#,
    ] {
        let message = read(text, options, &arena).unwrap();
        assert_eq!(message, options.decode(text, &arena).unwrap(), "{text}");
        let written = serde_json::to_string(&Json::new(&message).with(write)).unwrap();
        assert_eq!(written, write.encode(&message).unwrap());
    }
    let text = r#"{"string":"s","[x.number]":-3,"[x.texts]":["a\n","b"],"[x.leaf]":{"x":1}}"#;
    let bare: Bare<'_> =
        Seed::new(&arena).with(options).deserialize(&mut serde_json::Deserializer::from_str(text)).unwrap();
    assert_eq!(bare, options.decode(text, &arena).unwrap());
    assert_eq!(serde_json::to_string(&Json::new(&bare).with(write)).unwrap(), text);

    for (text, expected) in [
        (r#"{"any":{"@type":"t/no.Type"}}"#, "All.any: the resolver has no message type \"no.Type\""),
        (r#"{"any":{"value":1}}"#, "All.any: expected a member \"@type\""),
        (r#"{"any":{"@type":"t/google.protobuf.Duration","value":"x"}}"#, "All.any: expected a duration of at most"),
    ] {
        let error = read(text, options, &arena).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    }
    let error = Seed::<Bare<'_>>::new(&arena).with(options).deserialize(json!({ "[x.leaf]": { "x": "y" } }));
    assert!(error.unwrap_err().to_string().starts_with("Bare.[x.leaf]: Leaf.x: expected an integer"));
    for twice in [
        r#"{"[x.number]":1,"[x.number]":1}"#,
        r#"{"[x.number]":null,"[x.number]":1}"#,
        r#"{"[x.texts]":[],"string":"s","[x.texts]":[]}"#,
    ] {
        let mut deserializer = serde_json::Deserializer::from_str(twice);
        let error = Seed::<Bare<'_>>::new(&arena).with(options).deserialize(&mut deserializer).unwrap_err();
        assert!(error.to_string().contains("the extension is there twice"), "{error}");
    }
}

#[test]
fn what_has_no_form_says_where() {
    let time = Timestamp { nanos: -1, ..Timestamp::default() };
    let inner = All { timestamp: Some(&time), ..All::default() };
    let outer = All { a_child: Some(&inner), ..All::default() };
    for message in [MessageRef::of(&inner), MessageRef::of(&outer)] {
        let error = serde_json::to_string(&Json::of(message)).unwrap_err().to_string();
        assert_eq!(error, json::encode_message(message).unwrap_err().to_string());
    }
    let values = [Value::from(f64::NAN), Value::default()];
    for value in &values {
        let message = All { value: Some(value), ..All::default() };
        let error = serde_json::to_string(&Json::new(&message)).unwrap_err().to_string();
        assert_eq!(error, json::encode(&message).unwrap_err().to_string());
    }
}

#[test]
fn limits_hold_and_memory_comes_back() {
    let mut arena = Arena::with_capacity(1 << 20);
    let nested = |levels: usize| format!("{}{{}}{}", r#"{"aChild":"#.repeat(levels), "}".repeat(levels));
    let three = DecodeOptions::new().recursion_limit(3);
    assert!(read(&nested(3), three, &arena).is_ok());
    let error = read(&nested(4), three, &arena).unwrap_err().to_string();
    assert!(error.contains("nested deeper than the recursion limit"), "{error}");
    let ignore = three.ignore_unknown_fields(true);
    assert!(read(r#"{"x":[[{}]]}"#, ignore, &arena).is_ok());
    assert!(read(r#"{"x":[[{"y":[]}]]}"#, ignore, &arena).is_err());
    // The levels of one member are not missing in the next.
    assert!(
        read(r#"{"x":[[{}]],"y":[[{}]],"aChild":{"aChild":{}},"list":[[1],[2]],"aStruct":{"a":[]}}"#, ignore, &arena)
            .is_ok()
    );

    arena.reset();
    let before = arena.used_bytes();
    let many = vec![json!({}); 1_000];
    let value = json!({ "leaves": many, "aString": "x".repeat(10_000) });
    for limit in [0, 10, 1_000, 10_000, 30_000] {
        let seed = Seed::<All<'_>>::new(&arena).with(DecodeOptions::new().memory_limit(limit));
        let error = seed.deserialize(value.clone()).unwrap_err().to_string();
        assert!(error.ends_with("memory limit reached"), "{limit}: {error}");
        assert_eq!(arena.used_bytes(), before, "{limit}");
    }
    // A text that is collected for an Any counts, too.
    let late = json!({ "any": { "a": "x".repeat(10_000), "z@type": "t/google.protobuf.Empty" } });
    let seed = Seed::<All<'_>>::new(&arena).with(DecodeOptions::new().memory_limit(5_000));
    assert!(seed.deserialize(late).unwrap_err().to_string().ends_with("memory limit reached"));
    let text = limits::full_text();
    for end in 0..text.len() {
        if let Some(text) = text.get(..end) {
            read(text, DecodeOptions::new(), &arena).unwrap_err();
            assert_eq!(arena.used_bytes(), before, "{text}");
        }
    }
    let small = Arena::new();
    small.set_limit(Some(20_000));
    assert!(Seed::<All<'_>>::new(&small).deserialize(value).unwrap_err().to_string().ends_with("memory limit reached"));
}

#[test]
fn what_other_formats_have() {
    let arena = Arena::new();
    let read = |wire: &[u8]| -> Result<All<'_>, _> {
        Seed::new(&arena).deserialize(&mut rmp_serde::Deserializer::from_read_ref(wire))
    };
    // MessagePack has bytes as they are, numbers that are not finite, and integers of 64 bits.
    let mut wire = b"\x86\xa6aBytes\xc4\x03\x01\x02\x03\xa7aDouble\xcb".to_vec();
    wire.extend(f64::INFINITY.to_be_bytes());
    wire.extend(b"\xa6aInt64\xfb\xa7aUint64\xcf\xff\xff\xff\xff\xff\xff\xff\xff\xa6aChild\xc0\xa3any\x80");
    let expected = All {
        a_bytes: &[1, 2, 3],
        a_double: f64::INFINITY,
        a_int64: -5,
        a_uint64: u64::MAX,
        any: Some(&Any::DEFAULT),
        ..All::default()
    };
    assert_eq!(read(&wire).unwrap(), expected);
    // A key that is no string, and input that ends too early.
    assert!(read(b"\x81\x01\x01").is_err());
    assert!(read(&wire[..wire.len() - 1]).is_err());
}

/// `serde_json` knows it as a double only, which is the lowest integer.
#[test]
fn what_is_below_the_lowest_integer_is_not_that() {
    let arena = Arena::new();
    for (number, value) in
        [("-9223372036854775808", Some(i64::MIN)), ("-9223372036854775809", None), ("-1e18", Some(-10i64.pow(18)))]
    {
        let text = format!("{{\"aInt64\":{number}}}");
        assert_eq!(read(&text, DecodeOptions::new(), &arena).ok().map(|all| all.a_int64), value, "{text}");
    }
}
