//! What is written.

use super::*;
use crate::UnknownValue;

const FULL: &str = r#"int32: -1
int64: 0
uint32: 4294967295
uint64: 18446744073709551615
float: 0.1
double: -0
bool: true
string: "it\'s \"a\"\n😀\177"
bytes: "\000\377\\"
color: Blue
shade: 9
child {
  int32: 3
}
leaf {
  number: 4
  label: "l"
}
lazy {
  number: 5
}
Part {
  count: 0
}
other_part {
  count: 2
}
doubles: 0.5
doubles: 1e+20
doubles: inf
doubles: -inf
doubles: 1e-07
strings: ""
strings: "x"
colors: Red
colors: Green
leaves {
}
leaves {
  number: 7
}
lazies {
  number: 10
}
by_name {
  key: "a"
  value {
  }
}
by_name {
  key: "b"
  value {
    number: 8
  }
}
numbers {
  key: -3
  value: 5
}
numbers {
  key: 3
  value: 0
}
colored {
  key: true
  value: Green
}
counted {
  key: 1
  value {
    count: 1
  }
}
secret: "s"
secrets {
  number: 1
}
secrets {
  number: 2
}
chosen_number: 0
"#;

#[test]
fn every_shape() {
    let arena = Arena::new();
    let all = full(&arena);
    assert_eq!(encode(&all), FULL);
    assert_eq!(encode_in(&all, &arena), FULL);
    assert_eq!(encode_message(MessageRef::of(&all)), FULL);
    assert_eq!(encode(&All::default()), "");
    assert_eq!(format!("{:#}", display(&all).with(EncodeOptions::new())), FULL);
    let read: All<'_> = decode(FULL, &arena).expect("written above");
    assert_eq!(wire(&read), wire(&all));
}

#[test]
fn on_one_line() {
    let arena = Arena::new();
    let all = All {
        leaf: Some(leaf(0)),
        child: Some(arena.alloc(All { string: "a b", ..All::default() })),
        numbers: Map::new(&arena, [(1, 2)]),
        ..All::default()
    };
    let line = r#"child { string: "a b" } leaf { } numbers { key: 1 value: 2 }"#;
    assert_eq!(EncodeOptions::new().single_line(true).encode(&all), line);
    assert_eq!(format!("{}", display(&all)), line);
    assert_eq!(format!("{:?}", display(&all)), line);
}

#[test]
fn redacted_fields() {
    let arena = Arena::new();
    let all = All { int32: 1, secret: "s", secrets: &[Leaf::DEFAULT, Leaf::DEFAULT], ..All::default() };
    assert_eq!(format!("{}", display(&all)), "int32: 1 secret: [REDACTED] secrets: [REDACTED]");
    assert_eq!(EncodeOptions::new().redact(true).encode(&all), "int32: 1\nsecret: [REDACTED]\nsecrets: [REDACTED]\n");
    let outer = All { child: Some(arena.alloc(all)), ..All::default() };
    assert_eq!(format!("{:?}", display(&outer)), "child { int32: 1 secret: [REDACTED] secrets: [REDACTED] }");
    assert_eq!(format!("{}", display(&All::default())), "");
}

#[test]
fn choices() {
    let all = All { string: "\u{e9}", strings: &["a", "b"], doubles: &[1.0, 2.0], ..All::default() };
    let options = EncodeOptions::new().escape_non_ascii(true).short_lists(true);
    assert_eq!(options.encode(&all), "string: \"\\303\\251\"\ndoubles: [1, 2]\nstrings: [\"a\", \"b\"]\n");
}

#[test]
fn numbers() {
    for (value, text) in [
        (0.1, "0.1"),
        (1.0, "1"),
        (-2.5, "-2.5"),
        (123_456_789_012_345.0, "123456789012345"),
        (1e15, "1e+15"),
        (1_234_567_890_123_456.0, "1234567890123456"),
        (12_345_678_901_234_567.0, "12345678901234568"),
        (1e17, "1e+17"),
        (1e-4, "0.0001"),
        (1e-5, "1e-05"),
        (f64::MAX, "1.7976931348623157e+308"),
        (f64::MIN_POSITIVE, "2.2250738585072014e-308"),
        (5e-324, "5e-324"),
        (f64::NAN, "nan"),
    ] {
        let all = All { double: Some(value), ..All::default() };
        assert_eq!(encode(&all), format!("double: {text}\n"));
    }
    for (value, text) in [
        (0.1, "0.1"),
        (999_999.0, "999999"),
        (1e6, "1e+06"),
        (16_777_216.0, "16777216"),
        (f32::MAX, "3.4028235e+38"),
        (1e-45, "1e-45"),
    ] {
        let all = All { float: value, ..All::default() };
        assert_eq!(encode(&all), format!("float: {text}\n"));
    }
}

#[test]
fn unknown_fields_by_their_numbers() {
    let arena = Arena::new();
    let mut all = All { int32: 1, ..All::default() };
    let fields = &mut all.unknown_fields;
    fields.add(1001, UnknownValue::Varint(u64::MAX), &arena);
    fields.add(1002, UnknownValue::Fixed32(0x12), &arena);
    fields.add(1003, UnknownValue::Fixed64(0x34), &arena);
    fields.add(1004, UnknownValue::LengthDelimited(b"hello\xff"), &arena);
    fields.add(1005, UnknownValue::LengthDelimited(&[8, 7, 0x12, 1, b'x']), &arena);
    fields.add(1006, UnknownValue::LengthDelimited(b""), &arena);
    let mut inner = UnknownFields::EMPTY;
    inner.add(1, UnknownValue::Varint(5), &arena);
    fields.add(1007, UnknownValue::Group(crate::UnknownGroup::new(&inner, &arena)), &arena);
    assert_eq!(encode(&all), "int32: 1\n");
    assert_eq!(
        EncodeOptions::new().unknown_fields(true).encode(&all),
        "int32: 1\n1001: 18446744073709551615\n1002: 0x00000012\n1003: 0x0000000000000034\n1004: \"hello\\377\"\n\
         1005 {\n  1: 7\n  2: \"x\"\n}\n1006: \"\"\n1007 {\n  1: 5\n}\n"
    );
    // What nests without end is guessed for ten levels, and then shown as bytes.
    let mut bytes = Vec::from([8, 1]);
    for _ in 0..12 {
        bytes.insert(0, bytes.len() as u8);
        bytes.insert(0, 0x0a);
    }
    let mut deep = Leaf::default();
    deep.unknown_fields.add(1, UnknownValue::LengthDelimited(&bytes), &arena);
    let text = EncodeOptions::new().unknown_fields(true).single_line(true).encode(&deep);
    assert_eq!(text.matches('{').count(), 10, "{text}");
}

#[test]
fn a_lazy_message_that_does_not_decode() {
    let arena = Arena::new();
    let all = All::decode(&[14 << 3 | 2, 1, 0xff], &arena).expect("lazy");
    let text = encode(&all);
    assert_eq!(text, "lazy: \"malformed\"\n");
    assert!(decode::<All<'_>>(&text, &arena).is_err());
}

#[test]
fn what_the_writer_reports_comes_back() {
    struct Full;
    impl core::fmt::Write for Full {
        fn write_str(&mut self, text: &str) -> core::fmt::Result {
            if text.contains("4294967295") { Err(core::fmt::Error) } else { Ok(()) }
        }
    }
    let arena = Arena::new();
    assert!(EncodeOptions::new().encode_to(&full(&arena), &mut Full).is_err());
    assert!(EncodeOptions::new().encode_to(&All::default(), &mut Full).is_ok());
}
