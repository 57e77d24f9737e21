//! What is written.

use super::*;
use defiant::json::EncodeOptions;
use messages::{Choice, Closed, Leaf, Open};

fn sample() -> All<'static> {
    All {
        a_int32: -1,
        a_string: "\u{0}\u{1f}\"\\/\u{7f}é😀",
        a_closed: Some(Closed::Red),
        an_open: Open(1),
        a_leaf: Some(Leaf { number: 1, ..Leaf::default() }),
        leaves: &[Leaf { number: 0, text: "", unknown_fields: defiant::UnknownFields::EMPTY }],
        int32s: &[1, 2],
        choice: Some(Choice::ChosenOpen(Open(7))),
        ..All::default()
    }
}

#[test]
fn compact() {
    assert_eq!(
        json::encode(&sample()).unwrap(),
        r#"{"aInt32":-1,"aString":"\u0000\u001f\"\\/é😀","anOpen":"ONE","aClosed":"Red","aLeaf":{"number":"1"},"int32s":[1,2],"leaves":[{}],"chosenOpen":7}"#
            .replace("/é", "/\u{7f}é")
    );
    assert_eq!(json::encode(&All::default()).unwrap(), "{}");
}

#[test]
fn pretty() {
    let options = EncodeOptions::new().pretty(true);
    let text = options.encode(&All { a_string: "s", ..sample() }).unwrap();
    let expected = "{\n  \"aInt32\": -1,\n  \"aString\": \"s\",\n  \"anOpen\": \"ONE\",\n  \"aClosed\": \"Red\",\n  \"aLeaf\": {\n    \
        \"number\": \"1\"\n  },\n  \"int32s\": [\n    1,\n    2\n  ],\n  \"leaves\": [\n    {}\n  ],\n  \"chosenOpen\": 7\n}";
    assert_eq!(text, expected);
    reads_as(&text, &json::encode(&All { a_string: "s", ..sample() }).unwrap());
    assert_eq!(options.encode(&All::default()).unwrap(), "{}");
}

#[test]
fn options() {
    let small = All { a_closed: Some(Closed::Green), an_open: Open(-1), ..All::default() };
    let proto = EncodeOptions::new().preserve_proto_field_names(true).enums_as_numbers(true);
    assert_eq!(proto.encode(&small).unwrap(), r#"{"an_open":-1,"a_closed":2}"#);
    let all = EncodeOptions::new().always_print_fields_with_no_presence(true);
    assert_eq!(all.encode(&Leaf::default()).unwrap(), r#"{"number":"0","text":""}"#);
    let text = all.encode(&All::default()).unwrap();
    assert!(
        text.starts_with(r#"{"aInt32":0,"aInt64":"0","aUint32":0,"aUint64":"0","aFloat":0,"aDouble":0,"aBool":false,"#)
    );
    assert!(
        text.contains(r#""int32s":[],"#) && text.contains(r#""byString":{},"#) && text.contains(r#""anOpen":"ZERO""#)
    );
    assert!(!text.contains("aSint32") && !text.contains("chosen") && !text.contains("aClosed"));
    reads_as(&text, "{}");
}

#[test]
fn every_door_writes_the_same() {
    let (arena, message) = (Arena::new(), sample());
    let text = json::encode(&message).unwrap();
    assert_eq!(json::encode_in(&message, &arena).unwrap(), text);
    let mut kept = String::from("x");
    EncodeOptions::new().encode_to(&message, &mut kept).unwrap();
    assert_eq!(kept, format!("x{text}"));
    let (mut bytes, mut formatted) = (Vec::new(), String::new());
    json::to_writer(&message, &mut bytes).unwrap();
    json::to_fmt(&message, &mut formatted).unwrap();
    assert_eq!((bytes, formatted), (text.clone().into_bytes(), text));
}

#[test]
fn texts_of_all_lengths_in_arenas() {
    let mut arena = Arena::new();
    for len in (0..300).chain([1_000, 5_000, 70_000]) {
        let string = "ab\n".repeat(len);
        let message = All { a_string: &string, ..All::default() };
        let expected = json::encode(&message).unwrap();
        let first = json::encode_in(&message, &arena).unwrap();
        let second = json::encode_in(&message, &arena).unwrap();
        assert_eq!((first, second), (&*expected, &*expected));
        if len % 3 == 0 {
            arena.reset();
        }
    }
}

#[test]
fn an_arena_without_memory() {
    let arena = Arena::new();
    arena.set_limit(Some(4_096));
    let string = "a".repeat(10_000);
    let error = json::encode_in(&All { a_string: &string, ..All::default() }, &arena).unwrap_err();
    assert!(error.is_memory_limit());
}
