//! A message, its JSON, and the message again; and the bytes of the message are the oracle.

use super::*;
use defiant::json::EncodeOptions;
use defiant::reflect::Registry;
use defiant::wkt::{Any, Duration, Timestamp, Value};
use defiant::{Map, Message};
use messages::{Choice, Closed, Leaf, Open};
use proptest::prelude::*;

fn leaf() -> impl Strategy<Value = (i64, String)> {
    (any::<i64>(), any::<String>())
}

/// Without what JSON does not keep: which one of the values that are no numbers it is.
fn canonical(message: All<'_>) -> Vec<u8> {
    let nan = |value: f64| if value.is_nan() { f64::NAN } else { value };
    let doubles: Vec<f64> = message.doubles.iter().copied().map(nan).collect();
    let a_float = if message.a_float.is_nan() { f32::NAN } else { message.a_float };
    All { a_float, a_double: nan(message.a_double), doubles: &doubles, ..message }.encode_to_vec()
}

proptest! {
    #![proptest_config(crate::cases(if cfg!(miri) { 4 } else { 256 }))]

    #[test]
    fn what_is_written_is_read_again(
        numbers in (any::<i32>(), any::<i64>(), any::<u32>(), any::<u64>(), any::<Option<i32>>(), any::<Option<u64>>()),
        floats in (prop::num::f32::ANY, prop::num::f64::ANY, prop::collection::vec(prop::num::f64::ANY, 0..20)),
        texts in (any::<String>(), prop::collection::vec(any::<u8>(), 0..50), prop::collection::vec(any::<String>(), 0..4)),
        enums in (any::<i32>(), any::<Option<bool>>(), prop::collection::vec(-2..5, 0..5)),
        lists in (prop::collection::vec(any::<i32>(), 0..40), prop::collection::vec(any::<u64>(), 0..12), prop::collection::vec(leaf(), 0..12)),
        maps in (
            prop::collection::btree_map(any::<String>(), any::<i32>(), 0..5),
            prop::collection::btree_map(any::<i32>(), leaf(), 0..5),
        ),
        rest in (0..7, any::<String>(), -62_135_596_800i64..=253_402_300_799, 0..1_000_000_000i32, any::<bool>()),
    ) {
        let arena = Arena::new();
        let leaf = |(number, text): &(i64, String)| {
            Leaf { number: *number, text: arena.alloc_str(text), ..Leaf::default() }
        };
        let strings = arena.vec_from_iter(texts.2.iter().map(|text| &**text)).into_slice();
        let leaves = arena.vec_from_iter(lists.2.iter().map(leaf)).into_slice();
        let time = Timestamp::new(rest.2, rest.3);
        let duration = Duration::new(rest.2 / 2, if rest.2 < 0 { -rest.3 } else { rest.3 });
        let value = Value::object(&arena, [("a", Value::from(f64::from(numbers.0))), ("b", Value::list(&arena, [Value::NULL]))]);
        let inner = All { a_string: &rest.1, ..All::default() };
        let message = All {
            a_int32: numbers.0,
            a_int64: numbers.1,
            a_uint32: numbers.2,
            a_uint64: numbers.3,
            a_sint32: numbers.4,
            a_fixed64: numbers.5,
            a_float: floats.0,
            a_double: floats.1,
            doubles: &floats.2,
            a_string: &texts.0,
            a_bytes: &texts.1,
            strings,
            an_open: Open(enums.0),
            a_closed: enums.1.map(|red| if red { Closed::Red } else { Closed::Green }),
            opens: arena.vec_from_iter(enums.2.iter().map(|number| Open(*number))).into_slice(),
            int32s: &lists.0,
            uint64s: &lists.1,
            leaves,
            groups: leaves,
            by_string: Map::new(&arena, maps.0.iter().map(|(key, value)| (&**key, *value))),
            by_int32: Map::new(&arena, maps.1.iter().map(|(key, value)| (*key, leaf(value)))),
            choice: match rest.0 {
                0 => None,
                1 => Some(Choice::ChosenNumber(numbers.2)),
                2 => Some(Choice::ChosenText(&rest.1)),
                3 => Some(Choice::ChosenAll(&inner)),
                4 => Some(Choice::ChosenOpen(Open(1))),
                5 => Some(Choice::ChosenNull(defiant::wkt::NullValue::NullValue)),
                _ => Some(Choice::ChosenValue(&value)),
            },
            a_child: Some(&inner).filter(|_| rest.4),
            timestamp: Some(&time),
            duration: Some(&duration),
            value: Some(&value).filter(|_| rest.4),
            some_values: &[value, Value::NULL],
            ..All::default()
        };
        for options in [
            EncodeOptions::new(),
            EncodeOptions::new().pretty(true).preserve_proto_field_names(true),
            EncodeOptions::new().enums_as_numbers(true).always_print_fields_with_no_presence(true),
        ] {
            let text = options.encode(&message).unwrap();
            let again: All<'_> = json::decode(&text, &arena).unwrap_or_else(|error| panic!("{text}: {error}"));
            prop_assert_eq!(canonical(again), canonical(message), "{}", text);
            prop_assert_eq!(options.encode_in(&again, &arena).unwrap(), &text);
            let generic = json::decode_message(All::DESCRIPTOR, &text, &arena).unwrap();
            prop_assert_eq!(options.encode_message(generic).unwrap(), text);
            #[cfg(feature = "serde")]
            for again in bridge::formats(&message, options, &arena) {
                prop_assert_eq!(canonical(again), canonical(message));
            }
        }

        // In an `Any`, with others in it, it is encoded by its descriptor. The bytes are those of the codecs.
        let text = json::encode(&message).unwrap();
        let read: All<'_> = json::decode(&text, &arena).unwrap();
        let leaf = r#"{"@type":"x/test.Leaf","text":"t"},{"@type":"x/test.Leaf"}"#;
        let fields = text.strip_prefix('{').unwrap().strip_suffix('}').unwrap();
        let text = format!(r#"{{"any":{{"@type":"x/test.All",{fields},"anys":[{leaf}]}}}}"#);
        let registry = Registry::new().with::<All<'static>>().with::<Leaf<'static>>();
        let outer: All<'_> = json::DecodeOptions::new().resolver(&registry).decode(&text, &arena).unwrap();
        let any = |value| Any { type_url: "x/test.Leaf", value, ..Any::default() };
        let expected = All { anys: &[any(b"\x12\x01t"), any(b"")], ..read };
        prop_assert_eq!(outer.any.unwrap().value, expected.encode_to_vec(), "{}", text);
    }
}
