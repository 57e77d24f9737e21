//! The two ways to write messages, and extensions, for which no registry of types is needed here.

use std::string::ToString;
use std::vec::Vec;

use super::*;
use crate::reflect::{ExtensionType, MessageType, Resolver};
use crate::{Lazy, Map, UnknownFields};

#[derive(Clone, Copy, Debug, PartialEq, defiant_derive::Message)]
#[defiant(crate = "crate", name = "test.Host")]
struct Host<'arena> {
    #[defiant(int32, tag = 1)]
    own: i32,
    #[defiant(unknown)]
    unknown_fields: UnknownFields<'arena>,
}

#[derive(Clone, Copy, Debug, PartialEq, defiant_derive::Message)]
#[defiant(crate = "crate", name = "test.NumberHolder")]
struct NumberHolder<'arena> {
    #[defiant(int64, optional, tag = 100)]
    number: Option<i64>,
    #[defiant(unknown)]
    unknown_fields: UnknownFields<'arena>,
}

#[derive(Clone, Copy, Debug, PartialEq, defiant_derive::Message)]
#[defiant(crate = "crate", name = "test.HostHolder")]
struct HostHolder<'arena> {
    #[defiant(message, repeated, tag = 90)]
    hosts: &'arena [Host<'arena>],
    #[defiant(unknown)]
    unknown_fields: UnknownFields<'arena>,
}

/// Knows two extensions.
struct Two;

impl Two {
    fn find(host: &str, is: impl Fn(&ExtensionType<'_>) -> bool) -> Option<ExtensionType<'static>> {
        let two = [
            ("test.number", MessageType::of::<NumberHolder<'static>>()),
            ("test.hosts", MessageType::of::<HostHolder<'static>>()),
        ];
        let two = two.map(|(name, holder)| ExtensionType { name, host: "test.Host", holder });
        two.into_iter().find(|extension| extension.extendee() == host && is(extension))
    }
}

impl Resolver for Two {
    fn message(&self, _: &str) -> Option<MessageType<'_>> {
        None
    }

    fn extension(&self, host: &str, full_name: &str) -> Option<ExtensionType<'_>> {
        Self::find(host, |extension| extension.full_name() == full_name)
    }

    fn extension_by_number(&self, host: &str, number: u32) -> Option<ExtensionType<'_>> {
        Self::find(host, |extension| extension.field().number() == number)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, defiant_derive::Enumeration)]
#[defiant(crate = "crate", name = "test.Color")]
#[repr(i32)]
enum Color {
    Green = 2,
    Red = 1,
}

#[derive(Clone, Copy, Debug, PartialEq, defiant_derive::Oneof)]
#[defiant(crate = "crate")]
enum Choice<'arena> {
    #[defiant(string, tag = 101)]
    Text(&'arena str),
    #[defiant(message, tag = 102)]
    Host(&'arena Host<'arena>),
}

/// Every kind of field that JSON is written of.
#[derive(Clone, Copy, Debug, PartialEq, defiant_derive::Message)]
#[defiant(crate = "crate", name = "test.Shapes")]
struct Shapes<'arena> {
    #[defiant(bool, tag = 1)]
    implicit_bool: bool,
    #[defiant(bool, optional, tag = 2)]
    optional_bool: Option<bool>,
    #[defiant(bool, required, tag = 3)]
    required_bool: bool,
    #[defiant(bool, repeated, tag = 4)]
    repeated_bool: &'arena [bool],
    #[defiant(int32, tag = 5)]
    implicit_int32: i32,
    #[defiant(int32, optional, tag = 6)]
    optional_int32: Option<i32>,
    #[defiant(int32, required, tag = 7)]
    required_int32: i32,
    #[defiant(int32, repeated, tag = 8)]
    repeated_int32: &'arena [i32],
    #[defiant(uint32, tag = 9)]
    implicit_uint32: u32,
    #[defiant(uint32, optional, tag = 10)]
    optional_uint32: Option<u32>,
    #[defiant(uint32, required, tag = 11)]
    required_uint32: u32,
    #[defiant(uint32, repeated, tag = 12)]
    repeated_uint32: &'arena [u32],
    #[defiant(sint64, tag = 13)]
    implicit_sint64: i64,
    #[defiant(sint64, optional, tag = 14)]
    optional_sint64: Option<i64>,
    #[defiant(sint64, required, tag = 15)]
    required_sint64: i64,
    #[defiant(sint64, repeated, tag = 16)]
    repeated_sint64: &'arena [i64],
    #[defiant(fixed64, tag = 17)]
    implicit_fixed64: u64,
    #[defiant(fixed64, optional, tag = 18)]
    optional_fixed64: Option<u64>,
    #[defiant(fixed64, required, tag = 19)]
    required_fixed64: u64,
    #[defiant(fixed64, repeated, tag = 20)]
    repeated_fixed64: &'arena [u64],
    #[defiant(float, tag = 21)]
    implicit_float: f32,
    #[defiant(float, optional, tag = 22)]
    optional_float: Option<f32>,
    #[defiant(float, required, tag = 23)]
    required_float: f32,
    #[defiant(float, repeated, tag = 24)]
    repeated_float: &'arena [f32],
    #[defiant(double, tag = 25)]
    implicit_double: f64,
    #[defiant(double, optional, tag = 26)]
    optional_double: Option<f64>,
    #[defiant(double, required, tag = 27)]
    required_double: f64,
    #[defiant(double, repeated, tag = 28)]
    repeated_double: &'arena [f64],
    #[defiant(string, tag = 29)]
    implicit_string: &'arena str,
    #[defiant(string, optional, tag = 30)]
    optional_string: Option<&'arena str>,
    #[defiant(string, required, tag = 31)]
    required_string: &'arena str,
    #[defiant(string, repeated, tag = 32)]
    repeated_string: &'arena [&'arena str],
    #[defiant(bytes, tag = 33)]
    implicit_bytes: &'arena [u8],
    #[defiant(bytes, optional, tag = 34)]
    optional_bytes: Option<&'arena [u8]>,
    #[defiant(bytes, required, tag = 35)]
    required_bytes: &'arena [u8],
    #[defiant(bytes, repeated, tag = 36)]
    repeated_bytes: &'arena [&'arena [u8]],
    #[defiant(enumeration, tag = 37)]
    implicit_enumeration: Color,
    #[defiant(enumeration, optional, tag = 38)]
    optional_enumeration: Option<Color>,
    #[defiant(enumeration, required, tag = 39)]
    required_enumeration: Color,
    #[defiant(enumeration, repeated, tag = 40)]
    repeated_enumeration: &'arena [Color],
    #[defiant(message, tag = 90, json_name = "an unusually long \"name\" of a field")]
    reference: Option<&'arena Shapes<'arena>>,
    #[defiant(message, inline, tag = 91)]
    inline: Option<Host<'arena>>,
    #[defiant(message, lazy, tag = 92)]
    lazy: Option<Lazy<'arena, Host<'arena>>>,
    #[defiant(message, repeated, tag = 93)]
    hosts: &'arena [Host<'arena>],
    #[defiant(map = "string, string", tag = 94)]
    texts: Map<'arena, &'arena str, &'arena str>,
    #[defiant(map = "sint32, message", tag = 95)]
    numbered: Map<'arena, i32, Host<'arena>>,
    #[defiant(map = "bool, enumeration", tag = 96)]
    colors: Map<'arena, bool, Color>,
    #[defiant(oneof, tags = "101, 102")]
    choice: Option<Choice<'arena>>,
    #[defiant(unknown)]
    unknown_fields: UnknownFields<'arena>,
}

/// What is written by values, which knows all options.
fn by_the_book<'m>(message: &impl Message<'m>) -> String {
    let (mut bytes, options, scratch) = (Vec::new(), EncodeOptions::new(), Scratch::Own(OnceCell::new()));
    let mut writer = Writer::new(Out::in_vec(&mut bytes), &options, &scratch);
    writer.compact = false;
    writer.message(MessageRef::of(message)).expect("valid");
    writer.out.finish();
    String::from_utf8(bytes).expect("text")
}

#[test]
fn compact_text_is_that_of_the_book() {
    let arena = Arena::new();
    let host = Host { own: 5, ..Host::default() };
    let shapes = Shapes {
        implicit_bool: true,
        optional_bool: Some(true),
        required_bool: true,
        repeated_bool: &[true, true],
        implicit_int32: -7,
        optional_int32: Some(-7),
        required_int32: -7,
        repeated_int32: &[-7, -7],
        implicit_uint32: 123_456_789,
        optional_uint32: Some(123_456_789),
        required_uint32: 123_456_789,
        repeated_uint32: &[123_456_789, 123_456_789],
        implicit_sint64: i64::MIN,
        optional_sint64: Some(i64::MIN),
        required_sint64: i64::MIN,
        repeated_sint64: &[i64::MIN, i64::MIN],
        implicit_fixed64: u64::MAX,
        optional_fixed64: Some(u64::MAX),
        required_fixed64: u64::MAX,
        repeated_fixed64: &[u64::MAX, u64::MAX],
        implicit_float: 35.9,
        optional_float: Some(35.9),
        required_float: 35.9,
        repeated_float: &[35.9, 35.9],
        implicit_double: -0.25,
        optional_double: Some(-0.25),
        required_double: -0.25,
        repeated_double: &[-0.25, -0.25],
        implicit_string: "a \"quoted\" text",
        optional_string: Some("a \"quoted\" text"),
        required_string: "a \"quoted\" text",
        repeated_string: &["a \"quoted\" text", "a \"quoted\" text"],
        implicit_bytes: b"\xff\0",
        optional_bytes: Some(b"\xff\0"),
        required_bytes: b"\xff\0",
        repeated_bytes: &[b"\xff\0", b"\xff\0"],
        implicit_enumeration: Color::Red,
        optional_enumeration: Some(Color::Red),
        required_enumeration: Color::Red,
        repeated_enumeration: &[Color::Red, Color::Red],
        inline: Some(host),
        lazy: Some(Lazy::encoded(&host, &arena)),
        hosts: arena.alloc_slice_copy(&[host, Host::default()]),
        texts: Map::new(&arena, [("a\n", ""), ("", "b")]),
        numbered: Map::new(&arena, [(-1, host), (1, Host::default())]),
        colors: Map::new(&arena, [(true, Color::Green), (false, Color::Red)]),
        choice: Some(Choice::Text("chosen")),
        ..Shapes::default()
    };
    let outer = Shapes { reference: Some(&shapes), choice: Some(Choice::Host(&host)), ..Shapes::default() };
    let zeros =
        Shapes { implicit_double: -0.0, optional_float: Some(0.0), optional_int32: Some(0), ..Shapes::default() };
    for message in [shapes, outer, zeros, Shapes::default()] {
        let text = encode(&message).expect("valid");
        assert_eq!(text, by_the_book(&message));
        // Memory that grows at every piece, too.
        let small = Arena::with_capacity(1);
        assert_eq!(encode_in(&message, &small).expect("valid"), text);
        assert_eq!(encode(&decode::<Shapes<'_>>(&text, &arena).expect("valid")).expect("valid"), text);
    }
}

#[test]
fn extensions_are_read_and_written() {
    let arena = Arena::new();
    let (read, write) = (DecodeOptions::new().resolver(&Two), EncodeOptions::new().resolver(&Two));
    let text = r#"{"own":1,"[test.hosts]":[{"own":2,"[test.number]":"3"},{}],"[test.number]":"-4"}"#;
    let host: Host<'_> = read.decode(text, &arena).expect("valid");
    assert_eq!(write.encode(&host).expect("valid"), text);
    let pretty = write.pretty(true).encode_in(&host, &arena).expect("valid");
    assert!(pretty.contains("\n  \"[test.hosts]\": [\n    {\n      \"own\": 2,"), "{pretty}");
    assert_eq!(write.encode(&read.decode::<Host<'_>>(pretty, &arena).expect("valid")).expect("valid"), text);
    // Others are not found, and so not written.
    assert_eq!(encode(&host).expect("valid"), r#"{"own":1}"#);
    // Records that are apart are one value.
    let apart = Host::decode(&[0xa0, 6, 1, 0xd2, 5, 0, 0xa0, 6, 2, 0xd2, 5, 2, 8, 7], &arena).expect("valid");
    let expected = r#"{"[test.hosts]":[{},{"own":7}],"[test.number]":"2"}"#;
    assert_eq!(write.encode(&apart).expect("valid"), expected);
    let null: Host<'_> = read.decode(r#"{"[test.number]":null,"[test.hosts]":[]}"#, &arena).expect("valid");
    assert_eq!(null, Host::default());
}

#[test]
fn extensions_that_are_no_good() {
    let arena = Arena::new();
    let read = DecodeOptions::new().resolver(&Two);
    for (text, reason) in [
        (
            r#"{"[test.number]":1,"[test.number]":1}"#,
            "Host.[test.number]: the extension is there twice at line 1, column 20",
        ),
        (r#"{"[test.number]":true}"#, "Host.[test.number]: expected an integer of 64 bits at line 1, column 18"),
        (
            r#"{"[test.hosts]":[{"own":""}]}"#,
            "Host.[test.hosts]: Host.own: expected an integer of 32 bits at line 1, column 25",
        ),
        (r#"{"[test.none]":1}"#, "unknown field \"Host.[test.none]\" at line 1, column 2"),
    ] {
        assert_eq!(read.decode::<Host<'_>>(text, &arena).expect_err("invalid").to_string(), reason);
    }
    assert!(decode::<Host<'_>>(r#"{"[test.number]":1}"#, &arena).expect_err("no resolver").is_unknown_field());
    let broken = Host::decode(&[0xd2, 5, 1, 8], &arena).expect("unknown fields are not looked into");
    let error = EncodeOptions::new().resolver(&Two).encode(&broken).expect_err("truncated");
    assert!(error.is_invalid_value() && error.path() == "Host.[test.hosts]", "{error}");
}
