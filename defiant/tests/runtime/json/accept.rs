//! What is read, and as what.

use super::*;
use defiant::json::DecodeOptions;

#[test]
fn integers() {
    for (text, expected) in [
        (r#"{"aInt32": 2147483647}"#, r#"{"aInt32":2147483647}"#),
        (r#"{"aInt32": "-2147483648"}"#, r#"{"aInt32":-2147483648}"#),
        (r#"{"aInt32": 1e5}"#, r#"{"aInt32":100000}"#),
        (r#"{"aInt32": "1e5"}"#, r#"{"aInt32":100000}"#),
        (r#"{"aInt32": 100000.000}"#, r#"{"aInt32":100000}"#),
        (r#"{"aInt32": "1.0"}"#, r#"{"aInt32":1}"#),
        (r#"{"aInt32": 2.147483647e9}"#, r#"{"aInt32":2147483647}"#),
        (r#"{"aInt32": "\u0031\u0032"}"#, r#"{"aInt32":12}"#),
        (r#"{"aInt32": -0}"#, "{}"),
        (r#"{"aUint32": 4.294967295e9}"#, r#"{"aUint32":4294967295}"#),
        (r#"{"aUint32": -0}"#, "{}"),
        (r#"{"aUint64": -0}"#, "{}"),
        (r#"{"aUint64": "-0"}"#, "{}"),
        (r#"{"aInt64": 9223372036854775807}"#, r#"{"aInt64":"9223372036854775807"}"#),
        (r#"{"aInt64": "-9223372036854775808"}"#, r#"{"aInt64":"-9223372036854775808"}"#),
        (r#"{"aUint64": 18446744073709551615}"#, r#"{"aUint64":"18446744073709551615"}"#),
        (r#"{"aUint64": "18446744073709551615"}"#, r#"{"aUint64":"18446744073709551615"}"#),
        (r#"{"aSint32": 0}"#, r#"{"aSint32":0}"#),
        (r#"{"aFixed64": "0"}"#, r#"{"aFixed64":"0"}"#),
    ] {
        reads_as(text, expected);
    }
}

#[test]
fn floating_point() {
    for (text, expected) in [
        (r#"{"aFloat": 3.4028235e38}"#, r#"{"aFloat":3.4028235e+38}"#),
        (r#"{"aFloat": 1.175494e-38}"#, r#"{"aFloat":1.175494e-38}"#),
        (r#"{"aFloat": "0.1"}"#, r#"{"aFloat":0.1}"#),
        (r#"{"aFloat": "NaN"}"#, r#"{"aFloat":"NaN"}"#),
        (r#"{"aFloat": "-Infinity"}"#, r#"{"aFloat":"-Infinity"}"#),
        (r#"{"aDouble": "Infinity"}"#, r#"{"aDouble":"Infinity"}"#),
        (r#"{"aDouble": 1.7976931348623157E308}"#, r#"{"aDouble":1.7976931348623157e+308}"#),
        (r#"{"aDouble": -0}"#, r#"{"aDouble":-0}"#),
        (r#"{"aDouble": 5}"#, r#"{"aDouble":5}"#),
        (r#"{"aDouble": 0.30000000000000004}"#, r#"{"aDouble":0.30000000000000004}"#),
        (r#"{"aDouble": "1.5e1"}"#, r#"{"aDouble":15}"#),
        (r#"{"aDouble": 1e-999}"#, "{}"),
    ] {
        reads_as(text, expected);
    }
}

#[test]
fn strings() {
    for (text, expected) in [
        (r#"{"aString": "a\"\\\/\b\f\n\r\t\u00e9é"}"#, r#"{"aString":"a\"\\/\b\f\n\r\téé"}"#),
        (r#"{"aString": "\uD83D\ude00\u0000\u001f"}"#, "{\"aString\":\"😀\\u0000\\u001f\"}"),
        (r#"{"aString": "\uffff\u007f"}"#, "{\"aString\":\"\u{ffff}\u{7f}\"}"),
        (r#"{"aBytes": "-_"}"#, r#"{"aBytes":"+w=="}"#),
        (r#"{"aBytes": "AQID"}"#, r#"{"aBytes":"AQID"}"#),
        (r#"{"aBytes": "\/+8="}"#, r#"{"aBytes":"/+8="}"#),
        (r#"{"aBytes": ""}"#, "{}"),
    ] {
        reads_as(text, expected);
    }
}

#[test]
fn enums() {
    for (text, expected) in [
        (r#"{"anOpen": "ONE"}"#, r#"{"anOpen":"ONE"}"#),
        (r#"{"anOpen": "UNO"}"#, r#"{"anOpen":"ONE"}"#),
        (r#"{"anOpen": -1}"#, r#"{"anOpen":"MINUS"}"#),
        (r#"{"anOpen": 1e0}"#, r#"{"anOpen":"ONE"}"#),
        (r#"{"anOpen": 123}"#, r#"{"anOpen":123}"#),
        (r#"{"aClosed": "Red"}"#, r#"{"aClosed":"Red"}"#),
        (r#"{"aClosed": 2}"#, r#"{"aClosed":"Green"}"#),
        (r#"{"null": null}"#, r#"{"null":null}"#),
        (r#"{"null": "NULL_VALUE"}"#, r#"{"null":null}"#),
    ] {
        reads_as(text, expected);
    }
}

#[test]
fn names() {
    for text in [
        r#"{"aInt32":7}"#,
        r#"{"a_int32":7}"#,
        r#" { "aInt32" : 7 } "#,
        "\r\n\t{\n\t\"aInt32\"\n:\n7\n}\n",
        r#"{"\u0061Int32":7}"#,
        r#"{"aUint32":null,"aInt32":7,"aChild":null,"int32s":null,"byString":null}"#,
    ] {
        reads_as(text, r#"{"aInt32":7}"#);
    }
    reads_as(r#"{"odd \"name\"": "x"}"#, r#"{"odd \"name\"":"x"}"#);
    reads_as(r#"{"odd": "x"}"#, r#"{"odd \"name\"":"x"}"#);
    // Not in the order of their numbers, which the reader expects first.
    reads_as(
        r#"{"doubles":[],"aString":"s","aInt64":1,"aInt32":2,"leaves":[{"text":"t","number":1},{"number":2}]}"#,
        r#"{"aInt32":2,"aInt64":"1","aString":"s","leaves":[{"number":"1","text":"t"},{"number":"2"}]}"#,
    );
}

#[test]
fn lists_and_maps() {
    for text in [
        r#"{"int32s":[0,-1,2]}"#,
        r#"{"uint64s":["0","18446744073709551615"]}"#,
        r#"{"doubles":[0.5,-0,"NaN"]}"#,
        r#"{"floats":[0.5,1e+20]}"#,
        r#"{"bools":[true,false]}"#,
        r#"{"strings":["","a\n"]}"#,
        r#"{"byteses":["","AA=="]}"#,
        r#"{"opens":["ONE",5]}"#,
        r#"{"closeds":["Red","Green"]}"#,
        r#"{"groups":[{},{"number":"1"}]}"#,
        r#"{"lazies":[{},{"number":"1"}]}"#,
        r#"{"aLazy":{"number":"1"}}"#,
        r#"{"byString":{"":1,"b\"":2}}"#,
        r#"{"byBool":{"false":"f","true":"t"}}"#,
        r#"{"byInt32":{"-1":{"number":"1"},"2":{}}}"#,
        r#"{"byFixed64":{"18446744073709551615":"ONE"}}"#,
        r#"{"values":{"a":null,"b":[1,null]}}"#,
    ] {
        reads_as(text, text);
    }
    reads_as(r#"{"int32s":[],"byString":{},"leaves":[ ]}"#, "{}");
    reads_as(r#"{"byInt32":{"1e1":{},"-0":{}}}"#, r#"{"byInt32":{"0":{},"10":{}}}"#);
}

#[test]
fn oneofs() {
    for text in [
        r#"{"ChosenNumber":0}"#,
        r#"{"ChosenText":""}"#,
        r#"{"ChosenAll":{"aInt32":1}}"#,
        r#"{"ChosenLeaf":{"number":"1"}}"#,
        r#"{"ChosenOpen":"ZERO"}"#,
        r#"{"ChosenNull":null}"#,
        r#"{"ChosenValue":null}"#,
    ] {
        let text = text.replace("Chosen", "chosen");
        reads_as(&text, &text);
    }
    reads_as(r#"{"chosenNumber":null,"chosenText":"t"}"#, r#"{"chosenText":"t"}"#);
    reads_as(r#"{"chosenText":"t","chosenNumber":null}"#, r#"{"chosenText":"t"}"#);
}

#[test]
fn what_is_unknown_is_passed_over_if_asked_to() {
    let options = DecodeOptions::new().ignore_unknown_fields(true);
    for (text, expected) in [
        (r#"{"nothing":1,"aInt32":7}"#, r#"{"aInt32":7}"#),
        (r#"{"aInt32":7,"nothing":{"a":[1,"\u0041",{"b":null}],"c":true,"d":false,"e":-1.5e3}}"#, r#"{"aInt32":7}"#),
        (r#"{"nothing":[],"nothing":{},"@type":"x","[a.b]":1}"#, "{}"),
        (r#"{"anOpen":"THREE","aClosed":77}"#, "{}"),
        (r#"{"opens":["THREE","ONE"],"closeds":[1,3,2]}"#, r#"{"opens":["ONE"],"closeds":["Red","Green"]}"#),
        (r#"{"byFixed64":{"1":"THREE","2":"ONE"}}"#, r#"{"byFixed64":{"2":"ONE"}}"#),
    ] {
        let arena = Arena::new();
        let message: All<'_> = options.decode(text, &arena).unwrap();
        assert_eq!(json::encode(&message).unwrap(), expected);
    }
}

#[test]
fn required_fields() {
    reads_as(
        r#"{"needed":{"closed":1,"child":{"first":0,"closed":2},"first":3}}"#,
        r#"{"needed":{"first":3,"child":{"first":0,"closed":"Green"},"closed":"Red"}}"#,
    );
}

#[test]
fn strings_are_borrowed_where_nothing_is_escaped() {
    let arena = Arena::new();
    let text = r#"{"aString":"plain","strings":["a\n"]}"#;
    let message: All<'_> = json::decode_borrowed(text, &arena).unwrap();
    assert!(text.as_bytes().as_ptr_range().contains(&message.a_string.as_ptr()));
    assert_eq!(message.strings, ["a\n"]);
    assert_eq!(json::decode_slice::<All<'_>>(text.as_bytes(), &arena).unwrap(), message);
}
