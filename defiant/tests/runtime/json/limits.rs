//! Limits, and input that is made to harm.

use super::*;
use defiant::json::DecodeOptions;
use proptest::prelude::*;

fn nested(levels: usize) -> String {
    format!("{}{}{}", r#"{"aChild":"#.repeat(levels), "{}", "}".repeat(levels))
}

#[test]
fn depth() {
    let arena = Arena::new();
    assert!(json::decode::<All<'_>>(&nested(100), &arena).is_ok());
    assert!(json::decode::<All<'_>>(&nested(101), &arena).unwrap_err().is_recursion_limit());
    let three = DecodeOptions::new().recursion_limit(3);
    assert!(three.decode::<All<'_>>(&nested(3), &arena).is_ok());
    assert!(three.decode::<All<'_>>(&nested(4), &arena).unwrap_err().is_recursion_limit());
    let many = 100_000;
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        for field in ["value", "unknown", "list", "aStruct", "any"] {
            for text in [
                format!("{{\"{field}\":{}1{}}}", open.repeat(many), close.repeat(many)),
                format!("{{\"{field}\":{}", open.repeat(many)),
            ] {
                let error = DecodeOptions::new().ignore_unknown_fields(true).decode::<All<'_>>(&text, &arena);
                let error = error.unwrap_err();
                assert!(error.is_recursion_limit() || error.is_invalid_value(), "{field} {open}: {error}");
            }
        }
    }
}

/// Each bracket in the well-known types of JSON is a level, like one of a message.
#[test]
fn depth_of_values() {
    let arena = Arena::new();
    for (field, open, close) in [
        ("list", "[", "]"),
        ("value", "[", "]"),
        ("value", "{\"a\":", "}"),
        ("aStruct", "{\"a\":", "}"),
        ("someValues", "[", "]"),
        ("list", "[{\"a\":", "}]"),
        ("value", "{\"a\":[", "]}"),
        ("aStruct", "{\"a\":[", "]}"),
    ] {
        let brackets = close.len();
        let text = |levels: usize| {
            let (open, close) = (open.repeat(levels / brackets), close.repeat(levels / brackets));
            format!("{{\"{field}\":{open}1{close}}}")
        };
        for limit in [4, 100] {
            let options = DecodeOptions::new().recursion_limit(limit);
            let limit = limit as usize;
            let read = options.decode::<All<'_>>(&text(limit), &arena);
            assert!(read.is_ok(), "{field} {open}: {read:?}");
            let error = options.decode::<All<'_>>(&text(limit + brackets), &arena).unwrap_err();
            assert!(error.is_recursion_limit(), "{field} {open}: {error}");
        }
    }
}

#[test]
fn levels_are_given_back() {
    let arena = Arena::new();
    let options = DecodeOptions::new().recursion_limit(4).ignore_unknown_fields(true);
    let element = r#"{"int32s":[],"leaves":[{}],"x":{"y":[]},"byInt32":{"1":{}},"value":{"a":[]},"any":{}}"#;
    let elements = [element; 40].map(|element| format!("{{\"aChild\":{element}}}"));
    for element in elements {
        options.decode::<All<'_>>(&element, &arena).unwrap();
    }
}

#[test]
fn memory() {
    let arena = Arena::new();
    let text = format!(r#"{{"leaves":[{}{{}}],"aString":"\n{}"}}"#, "{},".repeat(1_000), "x".repeat(10_000));
    for limit in [0, 10, 1_000, 10_000, 30_000] {
        let error = DecodeOptions::new().memory_limit(limit).decode::<All<'_>>(&text, &arena).unwrap_err();
        assert!(error.is_memory_limit(), "{limit}: {error}");
    }
    DecodeOptions::new().memory_limit(300_000).decode::<All<'_>>(&text, &arena).unwrap();
    let small = Arena::new();
    small.set_limit(Some(20_000));
    assert!(json::decode::<All<'_>>(&text, &small).unwrap_err().is_memory_limit());
}

/// The least memory limit that a text is read with, and what the arena has given then.
fn least(text: &str) -> (usize, usize) {
    let taken = |limit| {
        let arena = Arena::with_capacity(1 << 20);
        let read = DecodeOptions::new().memory_limit(limit).decode::<All<'_>>(text, &arena);
        assert!(read.as_ref().map_or_else(|error| error.is_memory_limit(), |_| true), "{read:?}");
        read.is_ok().then(|| arena.used_bytes())
    };
    let (mut little, mut enough) = (0_usize, 1 << 20);
    while enough - little > 1 {
        let middle = little.midpoint(enough);
        if taken(middle).is_some() { enough = middle } else { little = middle }
    }
    (enough, taken(enough).unwrap())
}

#[test]
fn whatever_is_taken_counts() {
    let list = |element: &str| vec![element; 100].join(",");
    let keys = |value: &str| (0..100).rev().map(|key| format!("\"{key:02}\":{value}")).collect::<Vec<_>>().join(",");
    for text in [
        nested(50),
        format!(r#"{{"strings":[{}]}}"#, list(r#""a\nb""#)),
        format!(r#"{{"leaves":[{}]}}"#, list("{}")),
        format!(r#"{{"int32s":[{}]}}"#, list("7")),
        format!(r#"{{"byteses":[{}]}}"#, list(r#""AQID""#)),
        format!(r#"{{"byString":{{{}}}}}"#, keys("1")),
        format!(r#"{{"lazies":[{}]}}"#, list(r#"{"text":"x"}"#)),
        format!(r#"{{"list":[{}]}}"#, list("null")),
        format!(r#"{{"aStruct":{{{}}}}}"#, keys("[1]")),
    ] {
        let (limit, used) = least(&text);
        // Bytes that are lost to alignment do not count.
        assert!(used <= limit + limit / 16, "{text}: {used} bytes with a limit of {limit}");
        assert!(limit <= 2 * used, "{text}: {used} bytes need a limit of {limit}");
    }
}

/// Lazy messages are encoded when they are read; that counts, too, and is given back.
#[test]
fn memory_of_lazy_messages() {
    let text = "x".repeat(10_000);
    for json in [
        format!(r#"{{"aLazy":{{"text":"{text}"}}}}"#),
        format!(r#"{{"lazies":[{{}},{{"text":"{text}"}}]}}"#),
        format!(r#"{{"aLazy":{{"text":"{text}"}},"aInt32":"no"}}"#),
    ] {
        let good = !json.contains("no");
        // The copy of the text, the encoded message, and little more.
        for (limit, enough) in [(9_000, false), (15_000, false), (20_000, false), (25_000, true)] {
            let arena = Arena::with_capacity(1 << 16);
            let before = arena.used_bytes();
            let read = DecodeOptions::new().memory_limit(limit).decode::<All<'_>>(&json, &arena);
            assert_eq!(read.is_ok(), enough && good, "{limit}");
            if let Err(error) = read {
                assert_eq!(error.is_memory_limit(), !enough, "{limit}: {error}");
                assert_eq!(arena.used_bytes(), before, "{limit}");
            } else {
                assert!(arena.used_bytes() - before <= limit, "{limit}");
            }
        }
        let small = Arena::new();
        small.set_limit(Some(15_000));
        assert!(json::decode::<All<'_>>(&json, &small).unwrap_err().is_memory_limit());
    }
}

/// What is lazy was read within the limits, and so it can be read again.
#[test]
fn depth_of_lazy_messages() {
    // Without optimization, a level takes far more of the stack.
    std::thread::Builder::new().stack_size(16 << 20).spawn(lazy_depth).unwrap().join().unwrap();
}

fn lazy_depth() {
    use crate::lazy::Sluggish;
    let arena = Arena::new();
    let text = format!("{}{{}}{}", "{\"next\":".repeat(150), "}".repeat(150));
    let text = format!(r#"{{"leaf":{text},"leaves":[{text}]}}"#);
    let message: Sluggish<'_> = DecodeOptions::new().recursion_limit(200).decode(&text, &arena).unwrap();
    message.leaf(&arena).unwrap();
    message.leaves[0].get(&arena).unwrap();
    let options = json::EncodeOptions::new().recursion_limit(200);
    assert_eq!(options.encode(&message).unwrap(), text);
    #[cfg(feature = "text")]
    {
        let text = format!("leaf {{ {}{} }}", "next { ".repeat(150), "}".repeat(150));
        let options = defiant::text::DecodeOptions::new().recursion_limit(200);
        options.decode::<Sluggish<'_>>(&text, &arena).unwrap().leaf(&arena).unwrap();
    }
}

#[test]
fn a_slice_that_is_too_long() {
    let options = DecodeOptions::new().size_limit(4);
    let arena = Arena::new();
    assert!(options.decode_slice::<All<'_>>(b"{}  ", &arena).is_ok());
    assert!(options.decode_slice::<All<'_>>(b"{}  \xff", &arena).unwrap_err().is_size_limit());
}

#[test]
fn what_fails_gives_its_memory_back() {
    let mut arena = Arena::with_capacity(1 << 20);
    let kept = arena.alloc_str("kept").as_ptr();
    let before = arena.used_bytes();
    let full = full_text();
    for end in 0..full.len() {
        if let Some(text) = full.get(..end) {
            json::decode::<All<'_>>(text, &arena).unwrap_err();
            assert_eq!(arena.used_bytes(), before, "{text}");
        }
    }
    assert!(!kept.is_null());
    json::decode::<All<'_>>(&full, &arena).unwrap();
    assert!(arena.used_bytes() > before);
    arena.reset();
}

/// A text with something of everything.
pub(super) fn full_text() -> String {
    concat!(
        r#"{"aInt32":1,"aInt64":"2","aDouble":1.5e3,"aFloat":"NaN","aString":"a\nb\u00e9\ud83d\ude00","aBytes":"AQID","#,
        r#""anOpen":"ONE","aChild":{"aBool":true,"strings":["x","\t"]},"aLeaf":{"number":1},"aLazy":{"text":"l"},"#,
        r#""int32s":[1,2,3,4,5,6,7,8,9,10],"leaves":[{},{"text":"é"}],"byString":{"b":1,"a":2},"byInt32":{"3":{}},"#,
        r#""chosenLeaf":{},"timestamp":"2024-02-29T01:02:03.5Z","duration":"-1.5s","mask":"a.bC,d","value":[null,{}],"#,
        r#""aStruct":{"k":"v"},"list":[1],"empty":{},"any":{},"wrappedInt64":"5","null":null,"someValues":[null,1]}"#,
    )
    .to_owned()
}

proptest! {
    #[test]
    fn random_changes_never_panic(at in 0usize..900, byte in 0u8..128, cut in 0usize..20) {
        let arena = Arena::new();
        let mut bytes = full_text().into_bytes();
        let at = at.min(bytes.len() - 1);
        bytes[at] = byte;
        let end = (at + 1 + cut).min(bytes.len());
        bytes.drain(at + 1..end);
        for ignore in [false, true] {
            let options = DecodeOptions::new().ignore_unknown_fields(ignore);
            let Ok(message) = options.decode_slice::<All<'_>>(&bytes, &arena) else { continue };
            // What was read can be written, and is read as the same again.
            let text = json::encode(&message).unwrap();
            let again: All<'_> = json::decode(&text, &arena).unwrap();
            prop_assert_eq!(json::encode(&again).unwrap(), text);
        }
    }

    #[test]
    fn random_words_never_panic(words in prop::collection::vec(prop::sample::select(&[
        "{", "}", "[", "]", ",", ":", "\"", "\\", "\"aInt32\"", "\"leaves\"", "\"value\"", "\"any\"", "\"@type\"", "1", "-",
        "null", "\"a/b\"", "e", ".", "\\u", "d800", " ", "\n", "true", "é",
    ][..]), 0..30)) {
        let arena = Arena::new();
        let _ = DecodeOptions::new().ignore_unknown_fields(true).decode::<All<'_>>(&words.concat(), &arena);
    }
}

/// Through serde, the same limits hold.
#[cfg(feature = "serde")]
#[test]
fn elements_and_strings_through_serde() {
    use serde::de::DeserializeSeed;
    let arena = Arena::new();
    let read = |text: &str, elements, string| {
        let options = DecodeOptions::new().elements_limit(elements).string_limit(string);
        let seed = json::Seed::<All<'_>>::new(&arena).with(options);
        let read = seed.deserialize(serde_json::from_str::<serde_json::Value>(text).unwrap());
        read.map(|_| ()).map_err(|error| error.to_string())
    };
    let text = r#"{"int32s": [1, 2, 3], "aString": "abc", "aBytes": "AQID"}"#;
    assert_eq!(read(text, 3, 3), Ok(()));
    assert!(read(text, 2, 3).is_err_and(|error| error.contains("more elements than the limit")));
    assert!(read(text, 3, 2).is_err_and(|error| error.contains("string longer than the limit")));
}
