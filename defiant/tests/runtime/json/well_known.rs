//! The types with forms of their own.

use super::*;
use defiant::json::{DecodeOptions, EncodeOptions};
use defiant::reflect::Registry;
use defiant::wkt::{Any, Duration, Empty, FieldMask, Int64Value, ListValue, Struct, Timestamp, Value};
use messages::Leaf;

#[test]
fn what_reads_as_it_is_written() {
    for text in [
        r#"{"timestamp":"0001-01-01T00:00:00Z"}"#,
        r#"{"timestamp":"9999-12-31T23:59:59.999999999Z"}"#,
        r#"{"timestamp":"1970-01-01T00:00:00.010Z"}"#,
        r#"{"duration":"-315576000000.999999999s"}"#,
        r#"{"duration":"-0.500s"}"#,
        r#"{"duration":"0s"}"#,
        r#"{"mask":""}"#,
        r#"{"mask":"a,bC.dEf,g1"}"#,
        r#"{"value":null}"#,
        r#"{"value":-1.5}"#,
        r#"{"value":"NaN"}"#,
        r#"{"value":false}"#,
        r#"{"value":{"a":{},"b":[[],null,"x"]}}"#,
        r#"{"aStruct":{}}"#,
        r#"{"list":[]}"#,
        r#"{"empty":{}}"#,
        r#"{"any":{}}"#,
        r#"{"wrappedBool":false,"wrappedInt64":"0","wrappedUint32":0,"wrappedDouble":0,"wrappedString":"","wrappedBytes":""}"#,
        r#"{"wrappedBool":true,"wrappedInt64":"-1","wrappedUint32":1,"wrappedDouble":"NaN","wrappedString":"s","wrappedBytes":"AA=="}"#,
        r#"{"someValues":[null,1,{"a":null}],"times":["1970-01-01T00:00:00Z"],"wrappedStrings":["","a"]}"#,
    ] {
        reads_as(text, text);
    }
    for (text, expected) in [
        (r#"{"timestamp":"1970-01-01T01:30:00.1+01:30"}"#, r#"{"timestamp":"1970-01-01T00:00:00.100Z"}"#),
        (r#"{"timestamp":"1970-01-01T00:00:00+23:59"}"#, r#"{"timestamp":"1969-12-31T00:01:00Z"}"#),
        (r#"{"timestamp":"1970-01-01T00:00:00-23:59"}"#, r#"{"timestamp":"1970-01-01T23:59:00Z"}"#),
        (r#"{"timestamp":"1970-01-01T00:00:00-00:00"}"#, r#"{"timestamp":"1970-01-01T00:00:00Z"}"#),
        (r#"{"timestamp":"0001-01-01T01:00:00+01:00"}"#, r#"{"timestamp":"0001-01-01T00:00:00Z"}"#),
        (r#"{"timestamp":"9999-12-31T22:59:59-01:00"}"#, r#"{"timestamp":"9999-12-31T23:59:59Z"}"#),
        (r#"{"timestamp":"2024-02-29T00:00:00Z"}"#, r#"{"timestamp":"2024-02-29T00:00:00Z"}"#),
        (r#"{"duration":"1.5s"}"#, r#"{"duration":"1.500s"}"#),
        (r#"{"value":1e2,"list":[1.0]}"#, r#"{"value":100,"list":[1]}"#),
        (r#"{"wrappedInt64":5,"wrappedBool":null,"timestamp":null,"any":null,"list":null}"#, r#"{"wrappedInt64":"5"}"#),
    ] {
        reads_as(text, expected);
    }
}

#[test]
fn what_is_not_read() {
    for text in [
        r#"{"timestamp":"0000-12-31T23:59:59Z"}"#,
        r#"{"timestamp":"9999-12-31T23:59:59-00:01"}"#,
        r#"{"timestamp":"0001-01-01T00:00:00+00:01"}"#,
        r#"{"timestamp":"10000-01-01T00:00:00Z"}"#,
        r#"{"timestamp":"1970-00-01T00:00:00Z"}"#,
        r#"{"timestamp":"1970-13-01T00:00:00Z"}"#,
        r#"{"timestamp":"1970-01-00T00:00:00Z"}"#,
        r#"{"timestamp":"1970-04-31T00:00:00Z"}"#,
        r#"{"timestamp":"2023-02-29T00:00:00Z"}"#,
        r#"{"timestamp":"1970-01-01T24:00:00Z"}"#,
        r#"{"timestamp":"1970-01-01T00:60:00Z"}"#,
        r#"{"timestamp":"1970-01-01T00:00:61Z"}"#,
        r#"{"timestamp":"1970-01-01T00:00:00.Z"}"#,
        r#"{"timestamp":"1970-01-01T00:00:00.0000000001Z"}"#,
        r#"{"timestamp":"1970-01-01T00:00:00+24:00"}"#,
        r#"{"timestamp":"1970-01-01T00:00:00+00:60"}"#,
        r#"{"timestamp":"1970-01-01T00:00:00+0000"}"#,
        r#"{"timestamp":"1970-01-01T00:00:00+00"}"#,
        r#"{"timestamp":"1970-01-01T00:00:00Z+00:00"}"#,
        r#"{"timestamp":"1970-01-01T00:00:00 Z"}"#,
        r#"{"timestamp":" 1970-01-01T00:00:00Z"}"#,
        r#"{"timestamp":"1970-01-01T00:00:00Z "}"#,
        r#"{"timestamp":["1970-01-01T00:00:00Z"]}"#,
        r#"{"duration":["1s"]}"#,
        r#"{"duration":" 1s"}"#,
        r#"{"duration":"1 s"}"#,
        r#"{"duration":"1.0000000001s"}"#,
        r#"{"wrappedBool":[true]}"#,
        r#"{"wrappedBool":"true"}"#,
        r#"{"wrappedBool":1}"#,
        r#"{"wrappedInt64":"1x"}"#,
        r#"{"wrappedInt64":[1]}"#,
        r#"{"timestamp":"1970-01-01t00:00:00Z"}"#,
        r#"{"timestamp":"1970-01-01T00:00:00z"}"#,
        r#"{"timestamp":"1970-01-01T00:00:00"}"#,
        r#"{"timestamp":0}"#,
        r#"{"duration":"1"}"#,
        r#"{"duration":"315576000001s"}"#,
        r#"{"duration":1}"#,
        r#"{"mask":"a_b"}"#,
        r#"{"mask":"a,,b"}"#,
        r#"{"mask":["a"]}"#,
        r#"{"aStruct":[]}"#,
        r#"{"list":{}}"#,
        r#"{"empty":[]}"#,
        r#"{"wrappedBool":{"value":true}}"#,
        r#"{"value":1e999}"#,
        r#"{"any":{"@type":"","value":""}}"#,
        r#"{"any":{"@type":"test.Leaf"}}"#,
        r#"{"any":{"@type":1}}"#,
        r#"{"any":{"number":1}}"#,
        r#"{"any":[]}"#,
    ] {
        let arena = Arena::new();
        let error = json::decode::<All<'_>>(text, &arena).unwrap_err();
        assert!(error.is_invalid_value(), "{text}: {error}");
    }
    rejects(r#"{"empty":{"a":1}}"#, "All.empty: unknown field \"google.protobuf.Empty.a\"");
}

#[test]
fn top_level() {
    let arena = Arena::new();
    assert_eq!(json::decode::<Value<'_>>("null", &arena).unwrap(), Value::NULL);
    assert_eq!(json::decode::<Duration<'_>>("\"3s\"", &arena).unwrap(), Duration::new(3, 0));
    assert_eq!(json::encode(&Int64Value::from(3)).unwrap(), "\"3\"");
    assert_eq!(json::encode(&Value::list(&arena, [Value::NULL])).unwrap(), "[null]");
    assert!(json::decode::<Duration<'_>>("null", &arena).is_err());
    assert!(json::decode::<Struct<'_>>("null", &arena).is_err());
    assert!(json::decode::<ListValue<'_>>("[1,2", &arena).unwrap_err().is_syntax());
}

#[test]
fn what_is_not_written() {
    let arena = Arena::new();
    let times = [Timestamp::new(253_402_300_800, 0), Timestamp::new(0, -1), Timestamp::new(0, 1_000_000_000)];
    for time in &times {
        let error = json::encode(&All { timestamp: Some(time), ..All::default() }).unwrap_err();
        assert_eq!(error.to_string(), "All.timestamp: not a timestamp of the years 1 to 9999");
        assert!(error.is_invalid_value());
    }
    for duration in [Duration::new(315_576_000_001, 0), Duration::new(1, -1), Duration::new(0, -1_000_000_000)] {
        assert!(json::encode(&duration).is_err() && json::encode_in(&duration, &arena).is_err());
    }
    for path in ["fooBar", "foo_3_bar", "foo__bar", "foo_", "", "_Foo", "a-b", "foo_.bar"] {
        let paths = [path];
        let error = json::encode(&FieldMask { paths: &paths, ..FieldMask::default() }).unwrap_err();
        assert!(error.is_invalid_value(), "{path}");
    }
    assert!(json::encode(&Value::default()).unwrap_err().to_string().starts_with("a value of no kind"));
    for number in [f64::NAN, f64::INFINITY] {
        let error = json::encode(&Value::list(&arena, [Value::from(number)])).unwrap_err();
        assert_eq!(error.path(), "Value.list_value: ListValue.values");
    }
    // A failed encode leaves nothing behind, neither in room that was there nor after the string grew.
    for len in [0, 10, 1000, 100_000] {
        let text = &mut String::from("before");
        let list = Value::list(&arena, [Value::from(arena.alloc_str(&"x".repeat(len))), Value::default()]);
        EncodeOptions::new().encode_to(&list, text).unwrap_err();
        assert_eq!(text, "before");
    }
}

fn registry() -> Registry {
    Registry::new()
        .with::<All<'static>>()
        .with::<Leaf<'static>>()
        .with::<Any<'static>>()
        .with::<Duration<'static>>()
        .with::<Empty<'static>>()
        .with::<Value<'static>>()
        .with::<Int64Value<'static>>()
        .with::<messages::Needed<'static>>()
}

#[test]
fn messages_of_any_type() {
    let (arena, registry) = (Arena::new(), registry());
    let (read, write) = (DecodeOptions::new().resolver(&registry), EncodeOptions::new().resolver(&registry));
    for (text, expected) in [
        (r#"{"any":{"@type":"a.com/test.Leaf"}}"#, None),
        (r#"{"any":{"@type":"a.com/test.Leaf","number":"1","text":"t"}}"#, None),
        (
            r#"{"any":{"text":"t", "@type":"a.com/test.Leaf", "number":1}}"#,
            Some(r#"{"any":{"@type":"a.com/test.Leaf","number":"1","text":"t"}}"#),
        ),
        (r#"{"any":{"@type":"a/google.protobuf.Duration","value":"1s"}}"#, None),
        (
            r#"{"any":{"value":"1s","@type":"a/google.protobuf.Duration"}}"#,
            Some(r#"{"any":{"@type":"a/google.protobuf.Duration","value":"1s"}}"#),
        ),
        (r#"{"any":{"@type":"a/google.protobuf.Empty"}}"#, None),
        (
            r#"{"any":{"@type":"a/google.protobuf.Empty","value":{}}}"#,
            Some(r#"{"any":{"@type":"a/google.protobuf.Empty"}}"#),
        ),
        (r#"{"any":{"@type":"a/google.protobuf.Int64Value","value":"5"}}"#, None),
        (r#"{"any":{"@type":"a/google.protobuf.Value","value":null}}"#, None),
        (r#"{"any":{"@type":"a/google.protobuf.Value","value":{"@type":1}}}"#, None),
        (r#"{"any":{"@type":"a/google.protobuf.Any","value":{"@type":"a/test.Leaf","text":"t"}}}"#, None),
        (r#"{"any":{"@type":"a/google.protobuf.Any","value":{}}}"#, None),
        (r#"{"any":{"@type":"a/test.All","any":{"@type":"a/test.Leaf"},"anys":[{},{"@type":"a/test.Leaf"}]}}"#, None),
    ] {
        let message: All<'_> = read.decode(text, &arena).unwrap_or_else(|error| panic!("{text}: {error}"));
        let expected = expected.unwrap_or(text);
        assert_eq!(write.encode(&message).unwrap(), expected);
        assert_eq!(write.encode_in(&message, &arena).unwrap(), expected);
        let pretty = write.pretty(true).encode(&message).unwrap();
        assert_eq!(read.decode::<All<'_>>(&pretty, &arena).unwrap(), message, "{pretty}");
    }
    for text in [
        r#"{"any":{"@type":"a/google.protobuf.Duration"}}"#,
        r#"{"any":{"@type":"a/google.protobuf.Duration","value":null}}"#,
        r#"{"any":{"@type":"a/google.protobuf.Duration","value":"1s","more":1}}"#,
        r#"{"any":{"@type":"a/google.protobuf.Duration","value":"1s","value":"1s"}}"#,
        r#"{"any":{"@type":"a/test.Leaf","value":{}}}"#,
        r#"{"any":{"@type":"a/test.None"}}"#,
        r#"{"any":{"@type":"a/test.Leaf/"}}"#,
        r#"{"any":{"@type":" a/test.Leaf "}}"#,
        r#"{"any":{"@type":"a/ test.Leaf"}}"#,
        r#"{"any":{"@type":"a/test . Leaf"}}"#,
        r#"{"any":{" @type":"a/test.Leaf"}}"#,
        r#"{"any":{"@type":"/test.Leaf","@type":"/test.Leaf"}}"#,
        r#"{"any":{"@type":null}}"#,
        r#"{"any":{"@type":["a/test.Leaf"]}}"#,
        r#"{"any":{"@type":"a/test.Needed","first":1}}"#,
    ] {
        assert!(read.decode::<All<'_>>(text, &arena).is_err(), "{text}");
    }
    let any = Any { type_url: "a/test.Leaf", value: &[8], ..Any::default() };
    let error = write.encode(&All { any: Some(&any), ..All::default() }).unwrap_err();
    assert!(error.is_invalid_value() && error.to_string().starts_with("All.any: malformed content"), "{error}");
    assert!(json::encode(&any).unwrap_err().is_unresolved_type());
    assert!(write.encode(&Any { type_url: "", ..any }).unwrap_err().is_invalid_value());
}

#[test]
fn an_any_without_memory() {
    let (registry, content) = (registry(), "x".repeat(5_000));
    let read = DecodeOptions::new().resolver(&registry);
    let text = format!(r#"{{"any":{{"@type":"a/test.Leaf","text":"{content}"}}}}"#);
    let arena = Arena::with_capacity(1 << 20);
    read.memory_limit(11_000).decode::<All<'_>>(&text, &arena).unwrap();
    let used = arena.used_bytes();
    for limit in (1_000..10_000).step_by(1_000) {
        assert!(read.memory_limit(limit).decode::<All<'_>>(&text, &arena).unwrap_err().is_memory_limit());
        // What fails gives its memory back.
        let broken = text.replace("}}", "}!");
        assert!(read.decode::<All<'_>>(&broken, &arena).unwrap_err().is_syntax());
        assert_eq!(arena.used_bytes(), used);
        let little = Arena::new();
        little.set_limit(Some(limit));
        assert!(read.decode::<All<'_>>(&text, &little).unwrap_err().is_memory_limit());
    }
}

#[test]
fn any_in_any_in_any() {
    let (arena, registry) = (Arena::new(), registry());
    let mut any = Any::pack(&Leaf::default(), &arena);
    for levels in 0..400 {
        let error = EncodeOptions::new().resolver(&registry).encode(&any);
        if levels < 40 {
            assert!(error.is_ok(), "{levels}");
        }
        if levels > 100 {
            assert!(error.unwrap_err().is_recursion_limit(), "{levels}");
        }
        any = Any::pack(&any, &arena);
    }
}
