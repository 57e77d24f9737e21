//! Extensions, message sets and `Any`, whose types a resolver finds.

use super::*;
use crate::UnknownValue;

#[derive(Clone, Copy, Debug, PartialEq, defiant_derive::Message)]
#[defiant(crate = "crate", name = "test.Set", message_set)]
struct Set<'arena> {
    #[defiant(unknown)]
    unknown_fields: UnknownFields<'arena>,
}

#[derive(Clone, Copy, Debug, PartialEq, defiant_derive::Message)]
#[defiant(crate = "crate", name = "google.protobuf.Any")]
struct Any<'arena> {
    #[defiant(string, tag = 1)]
    type_url: &'arena str,
    #[defiant(bytes, tag = 2)]
    value: &'arena [u8],
    #[defiant(unknown)]
    unknown_fields: UnknownFields<'arena>,
}

macro_rules! holders {
    ($($holder:ident, $name:literal: $ty:ty, ($($word:tt)*);)*) => {$(
        #[derive(Clone, Copy, Debug, PartialEq, defiant_derive::Message)]
        #[defiant(crate = "crate", name = $name)]
        struct $holder<'arena> {
            #[defiant($($word)*)]
            held: $ty,
            #[defiant(unknown)]
            unknown_fields: UnknownFields<'arena>,
        }
    )*};
}

holders! {
    OfNumber, "holder.number": Option<i32>, (int32, optional, tag = 100);
    OfNumbers, "holder.numbers": &'arena [u32], (uint32, repeated, tag = 101);
    OfLeaf, "holder.leaf": Option<&'arena Leaf<'arena>>, (message, tag = 102);
    OfLow, "holder.low": Option<bool>, (bool, optional, tag = 39);
    OfGroup, "holder.group": Option<&'arena Part<'arena>>, (group, tag = 103);
    OfSet, "holder.set": Option<&'arena Leaf<'arena>>, (message, tag = 1000);
}

struct Types(Registry);

fn types() -> Types {
    Types(Registry::new().with::<Leaf<'static>>().with::<All<'static>>().with::<Any<'static>>().with::<Part<'static>>())
}

fn extension<M: MessageFamily>(name: &'static str, host: &'static str) -> ExtensionType<'static> {
    ExtensionType { name, host, holder: MessageType::of::<M>() }
}

impl Types {
    fn extensions() -> [ExtensionType<'static>; 6] {
        [
            extension::<OfNumber<'static>>("test.number", "test.All"),
            extension::<OfNumbers<'static>>("test.numbers", "test.All"),
            extension::<OfLeaf<'static>>("test.Scope.leaf", "test.All"),
            extension::<OfLow<'static>>("test.low", "test.All"),
            extension::<OfGroup<'static>>("test.group", "test.All"),
            extension::<OfSet<'static>>("test.Leaf.message_set_extension", "test.Set"),
        ]
    }
}

impl Resolver for Types {
    fn message(&self, full_name: &str) -> Option<MessageType<'_>> {
        self.0.message(full_name)
    }

    fn extension(&self, host: &str, full_name: &str) -> Option<ExtensionType<'_>> {
        Types::extensions().into_iter().find(|it| it.extendee() == host && it.full_name() == full_name)
    }

    fn extension_by_number(&self, host: &str, number: u32) -> Option<ExtensionType<'_>> {
        Types::extensions().into_iter().find(|it| it.extendee() == host && it.field().number() == number)
    }
}

fn line(message: MessageRef<'_>) -> String {
    EncodeOptions::new().single_line(true).resolver(&types()).unknown_fields(true).encode_message(message)
}

#[test]
fn extensions_go_both_ways() {
    let types = types();
    let arena = Arena::new();
    for (text, expected) in [
        ("[test.number]: 5", "[test.number]: 5"),
        ("[ test # a\n . number ] : 5;", "[test.number]: 5"),
        (
            "[test.numbers]: 1 int32: 9 [test.numbers]: [2, 3]",
            "int32: 9 [test.numbers]: 1 [test.numbers]: 2 [test.numbers]: 3",
        ),
        ("[test.Scope.leaf] { number: 7 }", "[test.Scope.leaf] { number: 7 }"),
        ("[test.Scope.leaf]: <>", "[test.Scope.leaf] { }"),
        ("[test.group] { count: 1 }", "[test.group] { count: 1 }"),
        // Ascending by number, among the fields.
        (
            "text: 'a' [test.number]: 1 [test.low]: true int32: 2",
            "int32: 2 [test.low]: true text: \"a\" [test.number]: 1",
        ),
        ("child { [test.low]: false }", "child { [test.low]: false }"),
        ("[test.numbers]: []", ""),
    ] {
        let read: All<'_> = DecodeOptions::new().resolver(&types).decode(text, &arena).expect(text);
        assert_eq!(line(MessageRef::of(&read)), expected);
        // Through the wire, they are the same.
        let read = All::decode(&wire(&read), &arena).expect("encoded");
        assert_eq!(line(MessageRef::of(&read)), expected);
    }
    let read: All<'_> = DecodeOptions::new().resolver(&types).decode("[test.number]: 5", &arena).expect("valid");
    assert_eq!(read.unknown_fields.get(100).collect::<Vec<_>>(), [UnknownValue::Varint(5)]);
    assert_eq!(encode(&read), "");
}

#[test]
fn extensions_that_are_wrong() {
    let types = types();
    let arena = Arena::new();
    for (text, expected) in [
        ("[test.x]: 5", "All.[test.x]: no extension `test.x` of `test.All` is known at line 1, column 1"),
        ("leaf { [test.number]: 5 }", {
            "All.leaf: Leaf.[test.number]: no extension `test.number` of `test.Leaf` is known at line 1, column 8"
        }),
        ("[test.number]: 5 [test.number]: 5", "All.[test.number]: the extension is given already at line 1, column 18"),
        ("[test.number]: x", "All.[test.number]: expected an integer at line 1, column 16"),
        ("[test.number] 5", "All.[test.number]: expected `:` at line 1, column 15"),
        ("[test.number]: [5]", "All.[test.number]: expected an integer at line 1, column 16"),
        (
            "[test.Scope.leaf] { number: x }",
            "All.[test.Scope.leaf]: Leaf.number: expected an integer at line 1, column 29",
        ),
        ("[test.group] { }", "All.[test.group]: Part.count: required field missing at line 1, column 16"),
        ("[test.Part] { }", "All.[test.Part]: no extension `test.Part` of `test.All` is known at line 1, column 1"),
        ("[test..number]: 5", "expected the name of an extension or a type URL at line 1, column 2"),
        ("[test number]: 5", "expected `.`, `/` or `]` at line 1, column 7"),
        ("[]: 5", "expected the name of an extension or a type URL at line 1, column 2"),
        ("[test.number: 5", "expected `]` at line 1, column 13"),
        (
            "[a/test.number]: 5",
            "All.[a/test.number]: no extension `a/test.number` of `test.All` is known at line 1, column 1",
        ),
    ] {
        let read = DecodeOptions::new().resolver(&types).decode::<All<'_>>(text, &arena);
        assert_eq!(read.map_err(|error| error.to_string()), Err(expected.to_owned()), "{text}");
    }
    let error = decode::<All<'_>>("[test.number]: 5", &arena).expect_err("no resolver");
    assert!(error.is_unresolved());
}

#[test]
fn an_extension_that_does_not_decode_is_an_unknown_field() {
    let arena = Arena::new();
    let mut all = All { int32: 1, ..All::default() };
    all.unknown_fields.add(102, UnknownValue::LengthDelimited(b"\xff\xff"), &arena);
    all.unknown_fields.add(999, UnknownValue::Varint(4), &arena);
    assert_eq!(line(MessageRef::of(&all)), "int32: 1 102: \"\\377\\377\" 999: 4");
    assert_eq!(EncodeOptions::new().resolver(&types()).encode(&all), "int32: 1\n");
}

#[test]
fn message_sets() {
    let types = types();
    let arena = Arena::new();
    for text in ["[test.Leaf] { number: 3 }", "[test.Leaf.message_set_extension] { number: 3 }"] {
        let read: Set<'_> = DecodeOptions::new().resolver(&types).decode(text, &arena).expect(text);
        // An item: 1: { 2: 1000  3: { 1: 6 } }
        assert_eq!(wire(&read), [0x0b, 0x10, 0xe8, 0x07, 0x1a, 2, 8, 6, 0x0c]);
        assert_eq!(line(MessageRef::of(&read)), "[test.Leaf] { number: 3 }");
    }
}

#[test]
fn any_goes_both_ways() {
    let types = types();
    let arena = Arena::new();
    let options = DecodeOptions::new().resolver(&types);
    for (text, expected) in [
        ("[type.googleapis.com/test.Leaf] { number: 1 }", "[type.googleapis.com/test.Leaf] { number: 1 }"),
        ("[ a.b # c\n/ test . Leaf ]: < number: 1 >,", "[a.b/test.Leaf] { number: 1 }"),
        ("[a-b/c%2F~d/test.Leaf] {}", "[a-b/c%2F~d/test.Leaf] { }"),
        ("type_url: 'a/test.Leaf' value: '\\010\\002'", "[a/test.Leaf] { number: 1 }"),
        ("type_url: 'a/test.Other' value: '\\010\\002'", "type_url: \"a/test.Other\" value: \"\\010\\002\""),
        ("type_url: 'a b/test.Leaf'", "type_url: \"a b/test.Leaf\""),
        ("type_url: 'a/test.Leaf' value: '\\377'", "type_url: \"a/test.Leaf\" value: \"\\377\""),
        ("[a/google.protobuf.Any] { [b/test.All] { child { [test.number]: 5 } } }", {
            "[a/google.protobuf.Any] { [b/test.All] { child { [test.number]: 5 } } }"
        }),
        ("", ""),
    ] {
        let read: Any<'_> = options.decode(text, &arena).expect(text);
        assert_eq!(line(MessageRef::of(&read)), expected);
    }
    // What else is in it would be lost.
    let any = Any::decode(b"\x0a\x0ba/test.Leaf\x12\x02\x08\x02\x18\x01", &arena).expect("valid");
    assert_eq!(line(MessageRef::of(&any)), "type_url: \"a/test.Leaf\" value: \"\\010\\002\" 3: 1");
    let read: Any<'_> = options.decode("[a/test.Leaf] { number: 1 }", &arena).expect("valid");
    assert_eq!((read.type_url, read.value), ("a/test.Leaf", &[8, 2][..]));
    for (text, expected) in [
        ("[a/test.Other] { }", "Any.[a/test.Other]: no message type `test.Other` is known at line 1, column 1"),
        (
            "[test.Leaf] { }",
            "Any.[test.Leaf]: no extension `test.Leaf` of `google.protobuf.Any` is known at line 1, column 1",
        ),
        ("[a/test.Leaf]: 1", "Any.[a/test.Leaf]: expected a message in `{ }` at line 1, column 16"),
        ("[a/test.Leaf] {} type_url: ''", "Any.type_url: the field is given already at line 1, column 18"),
        ("value: '' [a/test.Leaf] {}", "Any.[a/test.Leaf]: the message in it is given already at line 1, column 11"),
        (
            "[a/test.Leaf] {} [a/test.Leaf] {}",
            "Any.[a/test.Leaf]: the message in it is given already at line 1, column 18",
        ),
        ("[a/test.Leaf] { number: x }", "Any.[a/test.Leaf]: Leaf.number: expected an integer at line 1, column 25"),
        ("[a/test.All.Part] { }", "Any.[a/test.All.Part]: Part.count: required field missing at line 1, column 21"),
    ] {
        let read = options.decode::<Any<'_>>(text, &arena);
        assert_eq!(read.map_err(|error| error.to_string()), Err(expected.to_owned()), "{text}");
    }
    let lenient = options.ignore_unknown_fields(true);
    assert!(lenient.decode::<Any<'_>>("[a/test.Other] {}", &arena).is_err_and(|error| error.is_unresolved()));
}

/// `Any` in `Any`, each one a level of text.
#[test]
fn any_is_expanded_to_a_depth() {
    let arena = Arena::new();
    let mut any = Any::default();
    for _ in 0..200 {
        any = Any { type_url: "a/google.protobuf.Any", value: any.encode_in(&arena), ..Any::default() };
    }
    let text = line(MessageRef::of(&any));
    assert_eq!(text.matches("[a/google.protobuf.Any] {").count(), 100);
    // What is in it has the levels that are left.
    for (children, expanded) in [(39, true), (40, true), (41, false)] {
        let all =
            (0..children).fold(All::default(), |child, _| All { child: Some(arena.alloc(child)), ..All::default() });
        let mut any = Any { type_url: "a/test.All", value: all.encode_in(&arena), ..Any::default() };
        for _ in 0..60 {
            any = Any { type_url: "a/google.protobuf.Any", value: any.encode_in(&arena), ..Any::default() };
        }
        assert_eq!(line(MessageRef::of(&any)).contains("[a/test.All] {"), expanded, "{children}");
    }
    let types = types();
    let options = DecodeOptions::new().resolver(&types);
    let read: Any<'_> = options.decode(&text, &arena).expect("no deeper than the limit");
    assert_eq!(wire(&read), wire(&any));
    let error = options.decode::<Any<'_>>(&"[a/google.protobuf.Any] {".repeat(100_000), &arena).expect_err("too deep");
    assert!(error.is_recursion_limit());
}

#[test]
fn what_is_read_aside_counts() {
    let types = types();
    let arena = Arena::new();
    let used = arena.used_bytes();
    let text = format!("[a/test.All] {{ {} }}", "leaves {} ".repeat(1000));
    let read = DecodeOptions::new().resolver(&types).memory_limit(10_000).decode::<Any<'_>>(&text, &arena);
    assert!(read.is_err_and(|error| error.is_memory_limit()));
    assert_eq!(arena.used_bytes(), used);
    let small = Arena::new();
    small.set_limit(Some(4096));
    let read = DecodeOptions::new().resolver(&types).decode::<Any<'_>>(&text, &small);
    assert!(read.is_ok(), "2000 bytes: {read:?}");
    let text = "[test.numbers]: 1 ".repeat(10_000);
    let read = DecodeOptions::new().resolver(&types).decode::<All<'_>>(&text, &small);
    assert!(read.is_err_and(|error| error.is_memory_limit()));
}

/// What an `Any` holds is shown in logs where its redacted fields are known, and nowhere else.
#[test]
fn any_in_logs() {
    let arena = Arena::new();
    let secret = All { int32: 1, secret: "s", ..All::default() }.encode_in(&arena);
    let any = Any { type_url: "a/test.All", value: secret, ..Any::default() };
    let unknown = "type_url: \"a/test.All\" value: [REDACTED]";
    assert_eq!(display(&any).to_string(), unknown);
    let types = types();
    let options = EncodeOptions::new().redact(true).resolver(&types);
    assert_eq!(display(&any).with(options).to_string(), "[a/test.All] { int32: 1 secret: [REDACTED] }");
    let cut = Any { value: &secret[..secret.len() - 1], ..any };
    assert_eq!(display(&cut).with(options).to_string(), unknown);
    assert_eq!(format!("{:?}", MessageRef::of(&cut)), "Any { type_url: String(\"a/test.All\"), value: [REDACTED] }");
    assert!(display(&any).with(EncodeOptions::new()).to_string().ends_with("\\001s\""), "redaction is asked for");
}
