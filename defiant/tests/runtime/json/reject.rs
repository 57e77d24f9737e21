//! What is not read, and why.

use super::*;
use defiant::json::DecodeOptions;
use defiant::reflect::Registry;

#[test]
fn what_is_no_json() {
    for text in [
        "",
        " ",
        "{",
        "}",
        "{]",
        "{,}",
        r#"{"aInt32":1,}"#,
        r#"{"aInt32":1"#,
        r#"{"aInt32" 1}"#,
        r#"{"aInt32":}"#,
        r#"{"aInt32":1 "aInt64":1}"#,
        r#"{aInt32:1}"#,
        "{'aInt32':1}",
        r#"{"aString":'a'}"#,
        r#"{"aInt32":1}}"#,
        r#"{"aInt32":1} x"#,
        "\u{feff}{}",
        r#"{"aInt32":01}"#,
        r#"{"aInt32":-01}"#,
        r#"{"aInt32":+1}"#,
        r#"{"aInt32":1.}"#,
        r#"{"aInt32":.5}"#,
        r#"{"aInt32":0x1}"#,
        r#"{"aInt32":1e}"#,
        r#"{"aDouble":NaN}"#,
        r#"{"aDouble":Infinity}"#,
        r#"{"aDouble":-Infinity}"#,
        r#"{"aBool":True}"#,
        r#"{"aBool":truex}"#,
        r#"{"aBool":tru}"#,
        r#"{"aInt32":nul}"#,
        r#"{"aInt32":nullx}"#,
        r#"{"int32s":[1,]}"#,
        r#"{"int32s":[,1]}"#,
        r#"{"int32s":[1 2]}"#,
        r#"{"int32s":[1}"#,
        r#"{"byString":{"a":1,}}"#,
        r#"{"byString":{a:1}}"#,
        "{\"aString\":\"\n\"}",
        "{\"aString\":\"\u{1}\"}",
        r#"{"aString":"a}"#,
        r#"{"aString":"\x"}"#,
        r#"{"aString":"\u12"}"#,
        r#"{"aString":"\u12g4"}"#,
        r#"{"aString":"\U0041"}"#,
        r#"{"aString":"\ud800"}"#,
        r#"{"aString":"\ud800x"}"#,
        r#"{"aString":"\ud800\n"}"#,
        r#"{"aString":"\udc00"}"#,
        r#"{"aString":"\ud800\ud800"}"#,
        r#"{"aString":"\"}"#,
        r#"{"aString":"\ud83d\ude0"}"#,
        "{} //",
        "/**/{}",
        r#"{"aString":"\u+041"}"#,
        // Where another type of values is expected.
        r#"{"aString":tru}"#,
        r#"{"aString":nulll}"#,
        r#"{"aString":-}"#,
        r#"{"aString":01}"#,
        r#"{"aInt32":falsy}"#,
        r#"{"aBool":"a}"#,
        r#"{"aBool":1.}"#,
        "{\"aBool\":\"\n\"}",
        r#"{"int32s":"\x"}"#,
        r#"{"byString":1e}"#,
        r#"{"anOpen":fals}"#,
        "tru",
        "\"",
        "-",
    ] {
        for options in [DecodeOptions::new(), DecodeOptions::new().ignore_unknown_fields(true)] {
            let arena = Arena::new();
            let error = options.decode::<All<'_>>(text, &arena).unwrap_err();
            assert!(error.is_syntax(), "{text}: {error}");
            // What is passed over is checked likewise.
            let unknown = text.replacen("\"a", "\"unknown a", 1);
            let error = options.decode::<All<'_>>(&unknown, &arena).unwrap_err();
            assert!(error.is_syntax() || error.is_unknown_field(), "{unknown}: {error}");
        }
    }
}

#[test]
fn what_is_no_value_of_the_field() {
    for text in [
        "null",
        "[]",
        "1",
        "\"x\"",
        "true",
        r#"{"aInt32":2147483648}"#,
        r#"{"aInt32":-2147483649}"#,
        r#"{"aInt32":0.5}"#,
        r#"{"aInt32":"0.5"}"#,
        r#"{"aInt32":""}"#,
        r#"{"aInt32":" 1"}"#,
        r#"{"aInt32":"1 "}"#,
        r#"{"aInt32":"+1"}"#,
        r#"{"aInt32":"3x3"}"#,
        r#"{"aInt32":"12abc"}"#,
        r#"{"aInt32":"01"}"#,
        r#"{"aInt32":true}"#,
        r#"{"aInt32":[]}"#,
        r#"{"aInt32":{}}"#,
        r#"{"aInt32":1e10}"#,
        r#"{"aInt32":"0x1"}"#,
        r#"{"aUint32":-1}"#,
        r#"{"aUint32":4294967296}"#,
        r#"{"aInt64":9223372036854775808}"#,
        r#"{"aInt64":"-9223372036854775809"}"#,
        r#"{"aInt64":"0.5"}"#,
        r#"{"aUint64":18446744073709551616}"#,
        r#"{"aUint64":"-1"}"#,
        r#"{"aFloat":3.502823e38}"#,
        r#"{"aFloat":-3.502823e38}"#,
        r#"{"aDouble":1.89769e308}"#,
        r#"{"aDouble":"-1.89769e308"}"#,
        r#"{"aDouble":"1x"}"#,
        r#"{"aDouble":"nan"}"#,
        r#"{"aDouble":"inf"}"#,
        r#"{"aDouble":""}"#,
        r#"{"aDouble":"+Infinity"}"#,
        r#"{"aDouble":true}"#,
        r#"{"aBool":"true"}"#,
        r#"{"aBool":1}"#,
        r#"{"aBool":0}"#,
        r#"{"aBool":"false"}"#,
        r#"{"aBool":[]}"#,
        r#"{"aBool":[true]}"#,
        r#"{"aBool":{}}"#,
        r#"{"aInt32":[1]}"#,
        r#"{"aInt64":"1 2"}"#,
        r#"{"aUint64":"1,000"}"#,
        r#"{"aFloat":"1.5f"}"#,
        r#"{"aDouble":"1.5 "}"#,
        r#"{"aString":["a"]}"#,
        r#"{"aChild":[{}]}"#,
        r#"{"int32s":[[1]]}"#,
        r#"{"int32s":[1,"2x"]}"#,
        r#"{"byBool":{"1":""}}"#,
        r#"{"byInt32":{"1x":{}}}"#,
        r#"{"aString":1}"#,
        r#"{"aString":true}"#,
        r#"{"aString":[]}"#,
        r#"{"aBytes":"!"}"#,
        r#"{"aBytes":"A"}"#,
        r#"{"aBytes":1}"#,
        r#"{"anOpen":"THREE"}"#,
        r#"{"anOpen":"one"}"#,
        r#"{"anOpen":"1"}"#,
        r#"{"anOpen":1.5}"#,
        r#"{"anOpen":true}"#,
        r#"{"anOpen":4294967296}"#,
        r#"{"aClosed":3}"#,
        r#"{"aChild":1}"#,
        r#"{"aChild":[]}"#,
        r#"{"int32s":1}"#,
        r#"{"int32s":{}}"#,
        r#"{"int32s":[null]}"#,
        r#"{"int32s":["a"]}"#,
        r#"{"strings":[null]}"#,
        r#"{"opens":[null]}"#,
        r#"{"closeds":[null]}"#,
        r#"{"leaves":[null]}"#,
        r#"{"leaves":[1]}"#,
        r#"{"leaves":{}}"#,
        r#"{"wrappedStrings":[null]}"#,
        r#"{"byString":[]}"#,
        r#"{"byString":{"a":null}}"#,
        r#"{"byInt32":{"a":{}}}"#,
        r#"{"byInt32":{"1.5":{}}}"#,
        r#"{"byInt32":{"":{}}}"#,
        r#"{"byInt32":{"1":null}}"#,
        r#"{"byBool":{"True":""}}"#,
        r#"{"byFixed64":{"-1":0}}"#,
        r#"{"byFixed64":{"1":"THREE"}}"#,
        r#"{"null":1.5}"#,
    ] {
        let arena = Arena::new();
        let error = json::decode::<All<'_>>(text, &arena).unwrap_err();
        assert!(error.is_invalid_value(), "{text}: {error}");
    }
}

#[test]
fn numbers_of_enums_that_are_no_json() {
    let arena = Arena::new();
    for text in [r#"{"anOpen":-}"#, r#"{"anOpen":01}"#, r#"{"anOpen":1.}"#, r#"{"anOpen":1e}"#] {
        let error = json::decode::<All<'_>>(text, &arena).unwrap_err();
        assert!(error.is_syntax() && !error.is_invalid_value(), "{text}: {error}");
    }
    for text in [r#"{"anOpen":1.5}"#, r#"{"anOpen":4294967296}"#, r#"{"anOpen":1e99}"#] {
        let error = json::decode::<All<'_>>(text, &arena).unwrap_err();
        assert!(error.is_invalid_value() && error.to_string().contains("the name of an enum value"), "{text}: {error}");
    }
}

#[test]
fn what_is_there_twice() {
    for text in [
        r#"{"aInt32":1,"aInt32":1}"#,
        r#"{"aInt32":1,"a_int32":1}"#,
        r#"{"a_int32":1,"aInt32":1}"#,
        r#"{"aInt32":null,"aInt32":1}"#,
        r#"{"aChild":{},"aChild":{}}"#,
        r#"{"int32s":[],"int32s":[]}"#,
        r#"{"chosenNumber":1,"chosenText":"t"}"#,
        r#"{"chosenNull":null,"chosenText":"t"}"#,
        r#"{"chosenText":"t","chosenValue":null}"#,
        r#"{"chosenNumber":1,"chosen_number":1}"#,
        r#"{"chosenNumber":1,"aInt32":1,"chosenText":"t"}"#,
        r#"{"leaves":[],"chosenText":"t","chosenNumber":1}"#,
        r#"{"byString":{"a":1,"b":2,"a":1}}"#,
        r#"{"byString":{"a":1,"\u0061":1}}"#,
        r#"{"byInt32":{"1":{},"1e0":{}}}"#,
        r#"{"values":{"a":1,"a":2}}"#,
        r#"{"aStruct":{"a":1,"a":2}}"#,
        r#"{"any":{"@type":"a/test.Leaf","@type":"a/test.Leaf"}}"#,
        r#"{"any":{"text":"x","@type":"a/test.Leaf","\u0040type":"a/test.Leaf"}}"#,
        r#"{"any":{"@type":"a/google.protobuf.Empty","@type":"a/google.protobuf.Empty"}}"#,
    ] {
        let arena = Arena::new();
        let registry = Registry::new().with::<messages::Leaf<'static>>().with::<defiant::wkt::Empty<'static>>();
        let error = json::DecodeOptions::new().resolver(&registry).decode::<All<'_>>(text, &arena).unwrap_err();
        assert!(error.is_duplicate(), "{text}: {error}");
    }
}

#[test]
fn errors_name_the_place() {
    for (text, reason) in [
        (
            r#"{"aChild":{"leaves":[{"text":"é"},{"text":7}]}}"#,
            "All.a_child: All.leaves: Leaf.text: expected a string at line 1, column 43",
        ),
        ("{\n\"aInt32\":\n  tr}", "All.a_int32: expected an integer of 32 bits at line 3, column 3"),
        (r#"{"leaves":[{"txt":1}]}"#, "All.leaves: unknown field \"Leaf.txt\" at line 1, column 13"),
        (r#"{"anOpen":"THREE"}"#, "All.an_open: unknown enum value \"THREE\" at line 1, column 11"),
        (r#"{"aClosed":3}"#, "All.a_closed: unknown enum value 3 at line 1, column 12"),
        (r#"{"aInt32":1,"aInt32":2}"#, "All.a_int32: field \"aInt32\" is there twice at line 1, column 13"),
        (r#"{"aInt32":1"#, "the text ends too early at line 1, column 12"),
        (r#"{"aString":"\q"}"#, "All.a_string: no such escape at line 1, column 13"),
        (r#"{"byInt32":{"x":{}}}"#, "All.by_int32: not a key of this map's type at line 1, column 13"),
        (r#"{"needed":{"first":1}}"#, "All.needed: Needed.closed: required field missing at line 1, column 21"),
        (
            r#"{"needed":{"closed":1,"first":null}}"#,
            "All.needed: Needed.first: required field missing at line 1, column 35",
        ),
        (
            r#"{"needed":{"closed":1,"first":1,"child":{}}}"#,
            "All.needed: Needed.child: Needed.first: required field missing at line 1, column 42",
        ),
        (r#"{"timestamp":"now"}"#, "All.timestamp: expected a time of the years 1 to 9999"),
        (r#"{"any":{"@type":"a.com/b.C"}}"#, "All.any: the resolver has no message type \"b.C\" at line 1, column 17"),
    ] {
        rejects(text, reason);
    }
    let arena = Arena::new();
    let error = json::decode::<All<'_>>("{\"aChild\":\n {\"aBool\": 1}}", &arena).unwrap_err();
    assert_eq!((error.offset(), error.line(), error.column(), error.path()), (22, 2, 12, "All.a_child: All.a_bool"));
    assert!(json::decode::<messages::Needed<'_>>("{}", &arena).unwrap_err().is_missing_required());
    let error = json::decode_slice::<All<'_>>(b"{\"aString\":\"\xff\"}", &arena).unwrap_err();
    assert_eq!(error.to_string(), "invalid UTF-8 at line 1, column 13");
}
