//! What is accepted, and what is not.

use super::*;

/// Reads a text and writes it again on one line.
fn normal(text: &str) -> Result<String, String> {
    let arena = Arena::new();
    let all: All<'_> = decode(text, &arena).map_err(|error| error.to_string())?;
    Ok(EncodeOptions::new().single_line(true).encode(&all))
}

fn same(table: &[(&str, &str)]) {
    for (text, expected) in table {
        assert_eq!(normal(text).as_deref(), Ok(*expected), "{text}");
    }
}

fn wrong(table: &[(&str, &str)]) {
    for (text, expected) in table {
        match normal(text) {
            Ok(read) => panic!("{text} was read as {read}"),
            Err(error) => assert_eq!(error, *expected, "{text}"),
        }
    }
}

#[test]
fn blanks_comments_and_separators() {
    same(&[
        ("", ""),
        (" \t\r\n\x0b\x0c", ""),
        ("# only a comment", ""),
        ("\u{feff}int32: 1", "int32: 1"),
        ("int32:1", "int32: 1"),
        ("int32 # a\n : # b\n 1 # c", "int32: 1"),
        ("int32: 1, uint32: 2; bool: true;", "int32: 1 uint32: 2 bool: true"),
    ]);
    wrong(&[
        (",", "expected a field name at line 1, column 1"),
        ("int32: 1,,", "expected a field name at line 1, column 10"),
        ("int32: 1;;", "expected a field name at line 1, column 10"),
        ("int32: 1uint32: 2", "All.int32: a number runs into what is behind it at line 1, column 8"),
        ("int32 1", "All.int32: expected `:` at line 1, column 7"),
        ("# \u{e9}\u{e9}\n  \u{e9}", "expected a field name at line 2, column 3"),
        ("int32", "All.int32: expected `:`, but the text ends at line 1, column 6"),
        ("int32: 1 }", "expected a field name at line 1, column 10"),
        ("# a\0b", "a NUL character at line 1, column 4"),
        ("1: 5", "expected a field name at line 1, column 1"),
        ("leaf { 1: 5 }", "All.leaf: expected a field name at line 1, column 8"),
    ]);
}

#[test]
fn integers() {
    same(&[
        ("int32: 2147483647", "int32: 2147483647"),
        ("int32: -2147483648", "int32: -2147483648"),
        ("int32: - # minus\n 5", "int32: -5"),
        ("int32: -0x80000000", "int32: -2147483648"),
        ("int32: 0X1f", "int32: 31"),
        ("int32: 017", "int32: 15"),
        ("int32: -020000000000", "int32: -2147483648"),
        ("int64: 9223372036854775807", "int64: 9223372036854775807"),
        ("int64: -9223372036854775808", "int64: -9223372036854775808"),
        ("int64: -0", "int64: 0"),
        ("uint32: 0xFFFFFFFF", "uint32: 4294967295"),
        ("uint64: 18446744073709551615", "uint64: 18446744073709551615"),
        ("uint64: 01777777777777777777777", "uint64: 18446744073709551615"),
    ]);
    let range = "the number is out of range at line 1, column";
    for (text, column) in [
        ("int32: 2147483648", 8),
        ("int32: -2147483649", 8),
        ("int32: 0x80000000", 8),
        ("int64: 9223372036854775808", 8),
        ("int64: -9223372036854775809", 8),
        ("uint32: 4294967296", 9),
        ("uint32: 040000000000", 9),
        ("uint64: 18446744073709551616", 9),
        ("uint64: 99999999999999999999999999999999999999999999", 9),
    ] {
        let field = text.split(':').next().unwrap_or_default();
        wrong(&[(text, &format!("All.{field}: {range} {column}"))]);
    }
    let integer = "expected an integer at line 1, column";
    wrong(&[
        ("uint32: -1", &format!("All.uint32: {integer} 9")),
        ("uint64: -0", &format!("All.uint64: {integer} 9")),
        ("int32: 1.0", &format!("All.int32: {integer} 8")),
        ("int32: 1e3", &format!("All.int32: {integer} 8")),
        ("int32: 1f", &format!("All.int32: {integer} 8")),
        ("int32: \"1\"", &format!("All.int32: {integer} 8")),
        ("int32: x", &format!("All.int32: {integer} 8")),
        ("int32: --1", &format!("All.int32: {integer} 9")),
        ("int32: +1", &format!("All.int32: {integer} 8")),
        ("int32: 08", "All.int32: a number that begins with 0 is octal at line 1, column 8"),
        ("int32: 0x", "All.int32: expected hexadecimal digits behind 0x at line 1, column 8"),
        ("int32: [1]", &format!("All.int32: {integer} 8")),
    ]);
}

#[test]
fn floats() {
    same(&[
        ("double: 1", "double: 1"),
        ("double: -0", "double: -0"),
        ("double: 1.", "double: 1"),
        ("double: .5e1", "double: 5"),
        ("double: - .5", "double: -0.5"),
        ("double: 1f", "double: 1"),
        ("double: 1.5F", "double: 1.5"),
        ("double: 18446744073709551616", "double: 1.8446744073709552e+19"),
        ("double: 1e9999", "double: inf"),
        ("double: -1e18446744073709551616", "double: -inf"),
        ("double: -1e-18446744073709551616", "double: -0"),
        ("double: iNf", "double: inf"),
        ("double: -infinity", "double: -inf"),
        ("double: INFINITY", "double: inf"),
        ("double: NaN", "double: nan"),
        ("double: -nan", "double: nan"),
        ("float: 3.4028235e+38", "float: 3.4028235e+38"),
        ("float: 3.4028235e+39", "float: inf"),
        ("float: 1e-50", ""),
        ("float: -1e-50", "float: -0"),
        ("float: 1.17549e-39", "float: 1.17549e-39"),
        ("float: 3.123456789123456789", "float: 3.1234567"),
        ("float: 16777217", "float: 16777216"),
    ]);
    let radix = "a floating-point number is neither octal nor hexadecimal at line 1, column";
    wrong(&[
        ("double: 0x1", &format!("All.double: {radix} 9")),
        ("double: -012", &format!("All.double: {radix} 10")),
        ("double: 01.5", "All.double: a number that begins with 0 is octal at line 1, column 9"),
        ("double: 2 . 0", "expected a field name at line 1, column 11"),
        ("double: 1e", "All.double: expected the digits of an exponent at line 1, column 9"),
        ("double: infinite", "All.double: expected a number, inf or nan at line 1, column 9"),
        ("double: \"1\"", "All.double: expected a number at line 1, column 9"),
        ("double: 1.5ff", "All.double: a number runs into what is behind it at line 1, column 9"),
    ]);
}

#[test]
fn bools_and_enums() {
    for text in ["true", "True", "t", "1", "01", "0x1"] {
        same(&[(&format!("bool: {text}"), "bool: true")]);
    }
    for text in ["false", "False", "f", "0", "00", "0x0"] {
        same(&[(&format!("bool: {text}"), "")]);
    }
    same(&[
        ("color: Green", "color: Green"),
        ("color: 2", "color: Green"),
        ("color: -7", "color: Blue"),
        ("color: 0x1", "color: Red"),
        ("shade: DARK", "shade: DARK"),
        ("shade: 77", "shade: 77"),
        ("shade: inf", "shade: inf"),
        ("colors: [Red, 2, -7]", "colors: Red colors: Green colors: Blue"),
    ]);
    wrong(&[
        ("bool: TRUE", "All.bool: expected true or false at line 1, column 7"),
        ("bool: 2", "All.bool: the number of a bool is 0 or 1 at line 1, column 7"),
        ("bool: -0", "All.bool: expected a bool at line 1, column 7"),
        ("color: green", "All.color: `test.Color` has no value `green` at line 1, column 8"),
        ("color: 3", "All.color: `test.Color` has no number 3 at line 1, column 8"),
        ("colors: [Red, 3]", "All.colors: `test.Color` has no number 3 at line 1, column 15"),
        ("colored { value: 3 }", "All.colored: `test.Color` has no number 3 at line 1, column 18"),
        ("shade: GREY", "All.shade: `test.Shade` has no value `GREY` at line 1, column 8"),
        ("shade: 2147483648", "All.shade: the number is out of range at line 1, column 8"),
        ("shade: \"DARK\"", "All.shade: expected the name of an enum's value at line 1, column 8"),
    ]);
}

#[test]
fn strings() {
    let arena = Arena::new();
    for (text, expected) in [
        (r#""""#, &b""[..]),
        (r#"'a"b'"#, b"a\"b"),
        (
            r#""a" 'b' # c
            "d""e"'f'"#,
            b"abdef",
        ),
        (r#""\a\b\f\n\r\t\v\?\\\'\"""#, b"\x07\x08\x0c\n\r\t\x0b?\\'\""),
        (r#""\1234\7\0""#, b"S4\x07\0"),
        (r#""\x213\xF\X41""#, b"!3\x0fA"),
        (r#""\u1234\U00010437""#, "\u{1234}\u{10437}".as_bytes()),
        ("\"\u{e9}\"", "\u{e9}".as_bytes()),
        (r#""\303\251""#, "\u{e9}".as_bytes()),
        ("'\t'", b"\t"),
    ] {
        let read: All<'_> = decode(&format!("bytes: {text}"), &arena).expect(text);
        assert_eq!(read.bytes, Some(expected), "{text}");
        let read: All<'_> = decode(&format!("string: {text}"), &arena).expect(text);
        assert_eq!(read.string.as_bytes(), expected, "{text}");
    }
    let read: All<'_> = decode(r#"bytes: "\300\xfF\377""#, &arena).expect("bytes need not be UTF-8");
    assert_eq!(read.bytes, Some(&b"\xc0\xff\xff"[..]));
    for bad in [r#""\300""#, r#""\xc0""#, r#"'\xed\xa0\x80'"#, r#""\303" "a" "\251""#] {
        let error = decode::<All<'_>>(&format!("string: {bad}"), &arena).expect_err(bad);
        assert!(error.is_invalid_utf8(), "{error}");
    }
    for bad in [
        r#""\ud801\udc37""#,
        r#""\ud800""#,
        r#""\udc00""#,
        r#""\U0000d800""#,
        r#""\U00110000""#,
        r#""\U0001043""#,
        r#""\u12g4""#,
        r#""\xg""#,
        r#""\400""#,
        r#""\8""#,
        r#""\z""#,
        "\"\\\u{e9}\"",
        "\"a\nb\"",
        "\"a\\\nb\"",
        "\"a",
        "\"a\\",
        "\"a'",
        "'a\0b'",
        "a",
        "1",
    ] {
        for field in ["string", "bytes"] {
            let error = decode::<All<'_>>(&format!("{field}: {bad}"), &arena).expect_err(bad);
            assert!(error.is_syntax(), "{bad}: {error}");
        }
    }
    wrong(&[
        ("string: 'a'\n 'b\\z'", "All.string: an escape that stands for nothing at line 2, column 4"),
        ("string: '\\q' 'b'", "All.string: an escape that stands for nothing at line 1, column 10"),
        ("string: 'a\n'", "All.string: a string that does not end on its line at line 1, column 9"),
    ]);
}

#[test]
fn messages_and_groups() {
    same(&[
        ("leaf { number: 1 }", "leaf { number: 1 }"),
        ("leaf: { number: 1, }", "leaf { number: 1 }"),
        ("leaf < number: 1; >", "leaf { number: 1 }"),
        ("leaf: <>", "leaf { }"),
        ("leaf { } , int32: 1", "int32: 1 leaf { }"),
        ("lazy { number: 5 }", "lazy { number: 5 }"),
        ("Part { count: 1 }", "Part { count: 1 }"),
        ("Part: { count: 1 }", "Part { count: 1 }"),
        ("part { count: 1 }", "Part { count: 1 }"),
        ("other_part { count: 1 }", "other_part { count: 1 }"),
        ("lazies { number: 1 } lazies: [{ }, <number: 2>]", "lazies { number: 1 } lazies { } lazies { number: 2 }"),
        ("child { child { int32: 1 } int32: 2 }", "child { int32: 2 child { int32: 1 } }"),
    ]);
    wrong(&[
        ("leaf { number: 1 >", "All.leaf: expected a field name at line 1, column 18"),
        ("leaf < number: 1 }", "All.leaf: expected a field name at line 1, column 18"),
        ("leaf {", "All.leaf: expected a field name or `}`, but the text ends at line 1, column 7"),
        ("leaf: 1", "All.leaf: expected a message in `{ }` at line 1, column 7"),
        ("leaf [{}]", "All.leaf: expected a message in `{ }` at line 1, column 6"),
        ("PART { count: 1 }", "`test.All` has no field `PART` at line 1, column 1"),
        ("Other_part { count: 1 }", "`test.All` has no field `Other_part` at line 1, column 1"),
        ("Leaf { }", "`test.All` has no field `Leaf` at line 1, column 1"),
        ("leaf {\n  label: 5 }", "All.leaf: Leaf.label: expected a string at line 2, column 10"),
        ("leaf { x: 1 }", "All.leaf: `test.Leaf` has no field `x` at line 1, column 8"),
        ("part { }", "All.part: Part.count: required field missing at line 1, column 8"),
        ("child { counted { } }", "All.child: All.counted: Part.count: required field missing at line 1, column 19"),
        ("counted { key: 1 value { } }", "All.counted: Part.count: required field missing at line 1, column 26"),
    ]);
}

#[test]
fn lists() {
    same(&[
        ("doubles: [1, 2.5,-inf]", "doubles: 1 doubles: 2.5 doubles: -inf"),
        ("doubles: []", ""),
        ("doubles: 1 strings: 'a' doubles: [2, 3] strings: ['b' 'c', 'd'] doubles: 4", {
            "doubles: 1 doubles: 2 doubles: 3 doubles: 4 strings: \"a\" strings: \"bc\" strings: \"d\""
        }),
        ("leaves [{ number: 1 }, <>]", "leaves { number: 1 } leaves { }"),
        ("leaves: []", ""),
        ("numbers [{ key: 1 }, { value: 2 }]", "numbers { key: 0 value: 2 } numbers { key: 1 value: 0 }"),
    ]);
    wrong(&[
        ("doubles [1]", "All.doubles: expected `:` at line 1, column 9"),
        ("doubles: [1,]", "All.doubles: expected a number at line 1, column 13"),
        ("doubles: [1 2]", "All.doubles: expected `,` or `]` at line 1, column 13"),
        ("doubles: [1; 2]", "All.doubles: expected `,` or `]` at line 1, column 12"),
        ("doubles: [1,, 2]", "All.doubles: expected a number at line 1, column 13"),
        ("doubles: [[1]]", "All.doubles: expected a number at line 1, column 11"),
        ("doubles: [1", "All.doubles: expected `,` or `]`, but the text ends at line 1, column 12"),
        ("leaves: [{}", "All.leaves: expected `,` or `]`, but the text ends at line 1, column 12"),
    ]);
}

#[test]
fn maps() {
    same(&[
        ("numbers { key: 1 value: 2 }", "numbers { key: 1 value: 2 }"),
        ("numbers: < value: 2, key: 1 >", "numbers { key: 1 value: 2 }"),
        ("numbers { } ", "numbers { key: 0 value: 0 }"),
        ("numbers { key: 1 value: 2 } numbers { key: 1 value: 3 }", "numbers { key: 1 value: 3 }"),
        ("numbers { key: 2 } int32: 1 numbers { key: 1 }", {
            "int32: 1 numbers { key: 1 value: 0 } numbers { key: 2 value: 0 }"
        }),
        ("by_name { key: 'a' value { number: 1 } }", "by_name { key: \"a\" value { number: 1 } }"),
        ("by_name { value: { number: 1 label: 'x\\n' }; key: 'a' }", {
            "by_name { key: \"a\" value { number: 1 label: \"x\\n\" } }"
        }),
        ("by_name { value <> }", "by_name { key: \"\" value { } }"),
        ("by_name { key: 'k' }", "by_name { key: \"k\" value { } }"),
        ("colored { }", "colored { key: false value: Green }"),
        ("counted { value { count: 3 } key: 2 } int32: 1", "int32: 1 counted { key: 2 value { count: 3 } }"),
    ]);
    wrong(&[
        ("numbers { key: 1 key: 2 }", "All.numbers: the field is given already at line 1, column 18"),
        ("numbers { value: 1 value: 2 }", "All.numbers: the field is given already at line 1, column 20"),
        ("by_name { value {} value {} }", "All.by_name: the field is given already at line 1, column 20"),
        ("numbers { x: 1 }", "All.numbers: an entry of a map has no field `x` at line 1, column 11"),
        ("numbers: 1", "All.numbers: expected a message in `{ }` at line 1, column 10"),
        (
            "by_name { value { number: x } key: 'a' }",
            "All.by_name: Leaf.number: expected an integer at line 1, column 27",
        ),
        ("by_name { value: 1 }", "All.by_name: expected a message in `{ }` at line 1, column 18"),
    ]);
}

#[test]
fn what_is_given_twice() {
    for (text, column) in [
        ("int32: 1 int32: 1", 10),
        ("int32: 0 int32: 0", 10),
        ("leaf {} leaf {}", 9),
        ("Part { count: 1 } part { count: 1 }", 19),
        ("text: 'a' text: 'b'", 11),
        ("text: '' chosen_number: 1", 10),
        ("chosen_leaf {} chosen_all {}", 16),
    ] {
        let arena = Arena::new();
        let error = decode::<All<'_>>(text, &arena).expect_err(text);
        assert!(error.is_duplicate() && error.column() == column, "{text}: {error}");
    }
    same(&[
        ("chosen_number: 0", "chosen_number: 0"),
        ("chosen_all { text: 'a' }", "chosen_all { text: \"a\" }"),
        ("chosen_leaf { number: 2 }", "chosen_leaf { number: 2 }"),
        ("chosen_color: Green", "chosen_color: Green"),
    ]);
}

#[test]
fn reserved_and_unknown_names() {
    for value in [
        ": 1",
        ": -1.5",
        ": x",
        ": -inf",
        ": 'a' \"b\"",
        ": [1, 2]",
        ": ['a' 'b', x]",
        ": []",
        ": { a: 1 }",
        "{ a: 1 }",
        "<>",
        "[{}, <a {}>]",
        ": [{ [pkg.ext]: 1 [a.b/c.D] {} }]",
    ] {
        for name in ["old_name", "Older"] {
            same(&[(&format!("{name}{value} int32: 1"), "int32: 1")]);
        }
        let text = format!("leaf {{ nothing{value}; }} [a.b]{value}, int32: 1");
        let arena = Arena::new();
        let error = decode::<All<'_>>(&text, &arena).expect_err(&text);
        assert!(error.is_unknown_field(), "{text}: {error}");
        let lenient = DecodeOptions::new().ignore_unknown_fields(true);
        let read: All<'_> = lenient.decode(&text, &arena).expect(&text);
        assert_eq!(read, All { leaf: Some(leaf(0)), int32: 1, ..All::default() });
    }
    for bad in
        ["old_name", "old_name 1", "old_name: ", "old_name [1]", "old_name: [1,]", "old_name: 1.2.3", "old_name: {"]
    {
        assert!(normal(bad).is_err_and(|error| error.starts_with("All.old_name: ") || bad.contains(".3")), "{bad}");
    }
    wrong(&[("older: 1", "`test.All` has no field `older` at line 1, column 1")]);
}

/// More fields than a word has bits.
#[test]
fn wide_messages() {
    macro_rules! wide {
        ($($field:ident $number:literal,)*) => {
            #[derive(Clone, Copy, Debug, PartialEq, defiant_derive::Message)]
            #[defiant(crate = "crate", name = "test.Wide")]
            struct Wide<'arena> {
                $(#[defiant(int32, tag = $number)] $field: i32,)*
                #[defiant(int32, required, tag = 200)]
                needed: i32,
                #[defiant(unknown)]
                unknown_fields: UnknownFields<'arena>,
            }
        };
    }
    wide! {
        f1 1, f2 2, f3 3, f4 4, f5 5, f6 6, f7 7, f8 8, f9 9, f10 10, f11 11, f12 12, f13 13, f14 14, f15
        15, f16 16, f17 17, f18 18, f19 19, f20 20, f21 21, f22 22, f23 23, f24 24, f25 25, f26 26, f27 27,
        f28 28, f29 29, f30 30, f31 31, f32 32, f33 33, f34 34, f35 35, f36 36, f37 37, f38 38, f39 39, f40
        40, f41 41, f42 42, f43 43, f44 44, f45 45, f46 46, f47 47, f48 48, f49 49, f50 50, f51 51, f52 52,
        f53 53, f54 54, f55 55, f56 56, f57 57, f58 58, f59 59, f60 60, f61 61, f62 62, f63 63, f64 64, f65
        65, f66 66, f67 67, f68 68, f69 69, f70 70, f71 71, f72 72, f73 73, f74 74, f75 75, f76 76, f77 77,
        f78 78, f79 79, f80 80, f81 81, f82 82, f83 83, f84 84, f85 85, f86 86, f87 87, f88 88, f89 89, f90
        90, f91 91, f92 92, f93 93, f94 94, f95 95, f96 96, f97 97, f98 98, f99 99, f100 100, f101 101, f102
        102, f103 103, f104 104, f105 105, f106 106, f107 107, f108 108, f109 109, f110 110, f111 111, f112
        112, f113 113, f114 114, f115 115, f116 116, f117 117, f118 118, f119 119, f120 120, f121 121, f122
        122, f123 123, f124 124, f125 125, f126 126, f127 127, f128 128, f129 129, f130 130,
    }
    let arena = Arena::new();
    let mut text = String::from("needed: 200");
    for number in 1..131 {
        text.push_str(&format!(" f{number}: {number}"));
    }
    let read: Wide<'_> = decode(&text, &arena).expect("valid");
    assert_eq!((read.f1, read.f64, read.f65, read.f130, read.needed), (1, 64, 65, 130, 200));
    for number in (1..131).step_by(if cfg!(miri) { 43 } else { 1 }) {
        let error = decode::<Wide<'_>>(&format!("{text} f{number}: 1"), &arena).expect_err("twice");
        assert!(error.is_duplicate(), "{number}: {error}");
    }
    assert!(decode::<Wide<'_>>("f1: 1 f130: 1", &arena).is_err_and(|error| error.is_missing_required()));
}
