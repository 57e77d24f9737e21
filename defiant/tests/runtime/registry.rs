//! Extensions that are constants, found by name and number.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use bytes::Buf;
use defiant::descriptor::{Cardinality, Type};
use defiant::extension::{
    Bytes, Double, Enum, Int32, LenientStr, Optional, OptionalGroup, OptionalMessage, Packed, Repeated, RepeatedGroup,
    RepeatedMessage, Sint64, Str,
};
use defiant::reflect::{DynamicMessage, MessageRef, Registry, Resolver as _, Value};
use defiant::{Arena, Enumeration, Extension, Message as _};

use crate::code_size::messages as small;
use crate::messages::{Bare, Leaf, Level, Set};

type Of<K> = Extension<Bare<'static>, K>;

const NUMBER: Of<Optional<Int32>> = Extension::new(100, "x.number").with_default(-7);
const LEVEL: Of<Optional<Enum<Level>>> = Extension::new(101, "x.level").with_default(Level::High);
const LEVELS: Of<Packed<Enum<Level>>> = Extension::new(102, "x.levels");
const TEXT: Of<Optional<LenientStr>> = Extension::new(103, "x.text");
const TEXTS: Of<Repeated<Str>> = Extension::new(104, "x.texts");
const BYTES: Of<Optional<Bytes>> = Extension::new(105, "x.bytes");
const DOUBLES: Of<Packed<Double>> = Extension::new(106, "x.doubles");
const SINTS: Of<Repeated<Sint64>> = Extension::new(107, "x.sints");
const LEAF: Of<OptionalMessage<Leaf<'static>>> = Extension::new(108, "x.leaf");
const LEAVES: Of<RepeatedMessage<Leaf<'static>>> = Extension::new(109, "x.leaves");
const SMALL: Of<OptionalGroup<small::Leaf<'static>>> = Extension::new(110, "x.small");
const SMALLS: Of<RepeatedGroup<small::Leaf<'static>>> = Extension::new(111, "x.smalls");
const ITEM: Extension<Set<'static>, OptionalMessage<Leaf<'static>>> = Extension::new(100, "x.item");
const LARGE: Extension<Set<'static>, OptionalMessage<Leaf<'static>>> = Extension::new(i32::MAX as u32, "x.large");

fn registry() -> Registry {
    let mut registry = Registry::new();
    registry.add_extension(&NUMBER).add_extension(&LEVEL).add_extension(&LEVELS).add_extension(&TEXT);
    registry.add_extension(&TEXTS).add_extension(&BYTES).add_extension(&DOUBLES).add_extension(&SINTS);
    registry.add_extension(&LEAF).add_extension(&LEAVES).add_extension(&SMALL).add_extension(&SMALLS);
    registry.add_extension(&ITEM).add_extension(&LARGE).add::<Bare<'static>>();
    registry
}

#[test]
fn extensions_are_found() {
    let registry = registry();
    let number = registry.extension("t.Bare", "x.number").unwrap();
    assert_eq!((number.full_name(), number.extendee()), ("x.number", "t.Bare"));
    let field = number.field();
    assert_eq!((field.number(), field.name(), field.json_name()), (100, "number", "[x.number]"));
    assert!(field.has_presence());
    assert_eq!(registry.extension_by_number("t.Set", 100).unwrap().full_name(), "x.item");
    assert!(registry.extension("t.Set", "x.number").is_none());
    assert!(registry.extension_by_number("t.Bare", 99).is_none());
    assert!(registry.extension_by_number("t.Set", i32::MAX as u32).is_none());
    let arena = Arena::new();
    let default = |name: &str| {
        let found = registry.extension("t.Bare", name).unwrap();
        DynamicMessage::new(found.holder(), &arena).into_ref().get(found.field())
    };
    assert_eq!(default("x.number"), Value::I32(-7));
    assert_eq!(default("x.level"), Value::Enum(-2));
    assert_eq!(default("x.text"), Value::String(""));
    let levels = registry.extension("t.Bare", "x.levels").unwrap();
    assert_eq!((levels.field().ty(), levels.field().cardinality()), (Type::Enum, Cardinality::Repeated));
    assert!(levels.field().is_packed());
}

#[test]
fn holders_read_and_write_what_the_constants_do() {
    let (registry, arena) = (registry(), Arena::new());
    let mut bare = Bare::default();
    let leaf = Leaf { x: 3, label: Some("leaf"), ..Leaf::default() };
    let small = small::Leaf { x: 4, ..small::Leaf::default() };
    NUMBER.set(&mut bare, 5, &arena);
    LEVEL.set(&mut bare, Level::Low, &arena);
    LEVELS.set(&mut bare, &[Level::High, Level::Low], &arena);
    TEXT.set(&mut bare, "text", &arena);
    TEXTS.set(&mut bare, &["a", "", "c"], &arena);
    BYTES.set(&mut bare, b"\xff", &arena);
    DOUBLES.set(&mut bare, &[0.5, -1.0], &arena);
    SINTS.set(&mut bare, &[-1, i64::MIN], &arena);
    LEAF.set(&mut bare, &leaf, &arena);
    LEAVES.set(&mut bare, &[leaf, Leaf::default()], &arena);
    SMALL.set(&mut bare, &small, &arena);
    SMALLS.set(&mut bare, &[small, small], &arena);
    let get = |name: &str| {
        let found = registry.extension("t.Bare", name).unwrap();
        let wire: Vec<u8> = bare.unknown_fields.spans().flatten().copied().collect();
        let whole = DynamicMessage::decode(found.holder(), &wire, &arena).unwrap();
        // All the others are unknown to this holder.
        assert_eq!(whole.encoded_len(), wire.len());
        whole.into_ref().get(found.field())
    };
    let list = |name: &str| match get(name) {
        Value::List(list) => list.iter().collect::<Vec<_>>(),
        other => panic!("{other:?}"),
    };
    assert_eq!(get("x.number"), Value::I32(5));
    assert_eq!(get("x.level"), Value::Enum(1));
    assert_eq!(list("x.levels"), [Value::Enum(-2), Value::Enum(1)]);
    assert_eq!(get("x.text"), Value::String("text"));
    assert_eq!(list("x.texts"), [Value::String("a"), Value::String(""), Value::String("c")]);
    assert_eq!(get("x.bytes"), Value::Bytes(b"\xff"));
    assert_eq!(list("x.doubles"), [Value::F64(0.5), Value::F64(-1.0)]);
    assert_eq!(list("x.sints"), [Value::I64(-1), Value::I64(i64::MIN)]);
    assert_eq!(get("x.leaf"), Value::Message(MessageRef::of(&leaf)));
    assert_eq!(
        list("x.leaves"),
        [Value::Message(MessageRef::of(&leaf)), Value::Message(MessageRef::of(&Leaf::default()))]
    );
    assert_eq!(get("x.small"), Value::Message(MessageRef::of(&small)));
    assert_eq!(list("x.smalls").len(), 2);
    // And back: what a holder is set to, the constant reads.
    let found = registry.extension("t.Bare", "x.leaves").unwrap();
    let mut holder = DynamicMessage::new(found.holder(), &arena);
    holder.set_list(found.field(), [Value::Message(MessageRef::of(&leaf))], &arena).unwrap();
    assert!(holder.set_list(found.field(), [Value::Message(MessageRef::of(&bare))], &arena).is_err());
    let bare = Bare::decode(holder.encode_in(&arena), &arena).unwrap();
    assert_eq!(LEAVES.get(&bare, &arena).unwrap(), [leaf]);
    // Numbers of a closed enum and errors.
    let levels = registry.extension("t.Bare", "x.levels").unwrap();
    let holder = DynamicMessage::decode(levels.holder(), &[0xb2, 6, 2, 1, 9], &arena).unwrap();
    assert_eq!(holder.encode_to_vec(), [0xb2, 6, 1, 1, 0xb0, 6, 9]);
    let texts = registry.extension("t.Bare", "x.texts").unwrap();
    let error = DynamicMessage::decode(texts.holder(), &[0xc2, 6, 1, 0xff], &arena).unwrap_err();
    assert_eq!(error.to_string(), "Bare.[x.texts]: invalid UTF-8 at byte 3");
}

/// What is redacted is so as text, whatever it is, and be it malformed.
#[cfg(feature = "text")]
#[test]
fn redacted_extensions_are_not_shown() {
    use defiant::text::{EncodeOptions, display};

    const TOKEN: Of<Optional<Str>> = Extension::new(200, "x.token").redacted();
    const PIN: Of<Optional<Int32>> = Extension::new(201, "x.pin").redacted().with_default(1);
    const ROUTE: Of<RepeatedMessage<Leaf<'static>>> = Extension::new(202, "x.route").redacted();
    assert!(PIN.is_redacted() && PIN.default() == 1 && !NUMBER.is_redacted());

    let mut registry = registry();
    registry.add_extension(&TOKEN).add_extension(&PIN).add_extension(&ROUTE);
    let arena = Arena::new();
    let mut bare = Bare::default();
    NUMBER.set(&mut bare, 5, &arena);
    TOKEN.set(&mut bare, "abc", &arena);
    PIN.set(&mut bare, 1234, &arena);
    ROUTE.set(&mut bare, &[Leaf::default(), Leaf::default()], &arena);
    let (all, hidden) = (EncodeOptions::new().resolver(&registry), "[x.number]: 5 [x.token]: [REDACTED]");
    let expected = format!("{hidden} [x.pin]: [REDACTED] [x.route]: [REDACTED]");
    assert_eq!(display(&bare).with(all.redact(true)).to_string(), expected);
    assert_eq!(display(&bare).with(all.redact(true).unknown_fields(true)).to_string(), expected);
    let shown = display(&bare).with(all).to_string();
    assert!(shown.starts_with("[x.number]: 5 [x.token]: \"abc\" [x.pin]: 1234 [x.route] {"), "{shown}");

    let mut bad = Bare::default();
    bad.unknown_fields.add(200, defiant::UnknownValue::LengthDelimited(b"abc\xff"), &arena);
    let options = all.redact(true).unknown_fields(true);
    assert_eq!(display(&bad).with(options).to_string(), "[x.token]: [REDACTED]");
    assert!(display(&bad).with(options.redact(false)).to_string().contains("abc"));
}

/// What is kept of an extension counts: its bytes, and where they are.
#[cfg(all(feature = "json", feature = "text"))]
#[test]
fn memory_of_extensions() {
    use defiant::{json, text};

    let registry = registry();
    let from_json = |memory, arena: &Arena| {
        let options = json::DecodeOptions::new().resolver(&registry).memory_limit(memory);
        options.decode::<Bare<'_>>(r#"{"[x.number]": 5}"#, arena).is_ok()
    };
    let from_text = |memory, arena: &Arena| {
        let options = text::DecodeOptions::new().resolver(&registry).memory_limit(memory);
        options.decode::<Bare<'_>>("[x.number]: 5", arena).is_ok()
    };
    for (name, read) in [("JSON", &from_json as &dyn Fn(usize, &Arena) -> bool), ("text", &from_text)] {
        let arena = Arena::new();
        assert!(read(usize::MAX, &arena));
        let least = (0..).find(|memory| read(*memory, &Arena::new())).expect("some");
        // What is lost to alignment does not count.
        assert!(
            arena.used_bytes() <= least + 16,
            "{name}: {} bytes are taken where {least} are enough",
            arena.used_bytes()
        );
    }
}

/// Limits count what is in extensions and in an `Any` with all the rest of the text.
#[cfg(all(feature = "json", feature = "text", feature = "wkt"))]
#[test]
fn limits_hold_in_extensions_and_any() {
    use defiant::wkt::{Any, ListValue};
    use defiant::{json, text};

    let (registry, arena) = (registry().with::<ListValue<'static>>().with::<Any<'static>>(), Arena::new());
    let from_json = |json: &str, elements, string, memory, arena: &Arena| {
        let options = json::DecodeOptions::new().resolver(&registry).memory_limit(memory);
        let options = options.elements_limit(elements).string_limit(string);
        let read = match json.contains("@type") {
            true => options.decode::<Any<'_>>(json, arena).map(|_| ()),
            false => options.decode::<Bare<'_>>(json, arena).map(|_| ()),
        };
        read.map_err(|error| (error.is_elements_limit(), error.is_string_limit(), error.is_memory_limit()))
    };
    let from_text = |text: &str, elements, string, memory, arena: &Arena| {
        let options = text::DecodeOptions::new().resolver(&registry).memory_limit(memory);
        let options = options.elements_limit(elements).string_limit(string);
        let read = match text.contains("googleapis") {
            true => options.decode::<Any<'_>>(text, arena).map(|_| ()),
            false => options.decode::<Bare<'_>>(text, arena).map(|_| ()),
        };
        read.map_err(|error| (error.is_elements_limit(), error.is_string_limit(), error.is_memory_limit()))
    };
    // The longest string of an `Any` here is the URL of its type.
    let many = usize::MAX;
    for (elements, string, json, text) in [
        (2, 3, r#"{"[x.texts]": ["a", "bcd"]}"#, "[x.texts]: ['a', 'bcd']"),
        (
            3,
            4,
            r#"{"[x.leaves]": [{}, {"label": "abcd"}], "[x.sints]": ["1"]}"#,
            "[x.leaves]: [{}, {label: 'abcd'}] [x.sints]: 1",
        ),
        (
            4,
            26,
            r#"{"@type": "type.googleapis.com/t.Bare", "[x.doubles]": [1, 2, 3], "[x.sints]": [4], "[x.text]": "ab"}"#,
            "[type.googleapis.com/t.Bare] { [x.doubles]: [1, 2, 3] [x.sints]: 4 [x.text]: 'ab' }",
        ),
        (
            2,
            39,
            r#"{"@type": "type.googleapis.com/google.protobuf.Any",
                "value": {"@type": "type.googleapis.com/t.Bare", "[x.texts]": ["abc", ""]}}"#,
            "[type.googleapis.com/google.protobuf.Any] { [type.googleapis.com/t.Bare] { [x.texts]: ['abc', ''] } }",
        ),
    ] {
        for (name, read) in
            [("JSON", &from_json as &dyn Fn(&str, usize, usize, usize, &Arena) -> _), ("text", &from_text)]
        {
            let input = if name == "JSON" { json } else { text };
            assert_eq!(read(input, elements - 1, many, many, &arena), Err((true, false, false)), "{input}");
            assert_eq!(read(input, elements, many, many, &arena), Ok(()), "{input}");
            assert_eq!(read(input, elements + 1, many, many, &arena), Ok(()), "{input}");
            assert_eq!(read(input, many, string - 1, many, &arena), Err((false, true, false)), "{input}");
            assert_eq!(read(input, many, string, many, &arena), Ok(()), "{input}");
            assert_eq!(read(input, many, string + 1, many, &arena), Ok(()), "{input}");
            // Memory: refused up to some limit, accepted from there on, and never more than it.
            let (mut refused, mut limit) = (0, 16);
            loop {
                let arena = Arena::with_capacity(1 << 14);
                match read(input, many, many, limit, &arena) {
                    Ok(()) => break,
                    Err(error) => assert_eq!(error, (false, false, true), "{input}, {limit} bytes"),
                }
                assert_eq!(arena.used_bytes(), 0, "{input}, {limit} bytes");
                (refused, limit) = (refused + 1, limit + 8);
            }
            assert!(refused > 2, "{input}");
        }
    }
}

/// An enum that is somebody's, with a mistake in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Faulty(i32);

impl Enumeration for Faulty {
    const DEFAULT: Self = Faulty(0);
    const NAME: &'static str = "x.Faulty";
    const VALUES: &'static [(&'static str, i32)] = &[("ZERO", 0)];
    const OPEN: bool = true;

    fn from_number(number: i32) -> Option<Self> {
        assert!(number != 7, "a mistake");
        Some(Faulty(number))
    }

    fn number(self) -> i32 {
        self.0
    }
}

const FAULTY: Of<Repeated<Enum<Faulty>>> = Extension::new(112, "x.faulty");

/// Merges into a message when it is read, and is told to panic.
struct Meddling<'a, 'm> {
    wire: &'static [u8],
    arena: &'a Arena,
    holder: &'m RefCell<DynamicMessage<'a>>,
}

impl Buf for Meddling<'_, '_> {
    fn remaining(&self) -> usize {
        self.wire.len()
    }

    fn chunk(&self) -> &[u8] {
        self.wire
    }

    fn advance(&mut self, count: usize) {
        self.wire = &self.wire[count..];
        // A field that it does not know, a good element, and a bad one.
        let wire = b"\x2a\x05hello\x80\x07\x01\x80\x07\x07";
        let merge = || self.holder.borrow_mut().merge(wire, self.arena).is_ok();
        assert!(catch_unwind(AssertUnwindSafe(merge)).is_err());
    }
}

/// Neither a panic in a user's enum nor a decode around it that fails leaves something in the message.
#[test]
fn a_merge_that_panics_changes_nothing() {
    let mut registry = Registry::new();
    registry.add_extension(&FAULTY);
    let extension = registry.extension("t.Bare", "x.faulty").unwrap();
    let arena = Arena::with_capacity(4096);
    let mut holder = DynamicMessage::new(extension.holder(), &arena);
    holder.merge(b"\x80\x07\x02", &arena).unwrap();
    let before = holder.encode_to_vec();
    let holder = RefCell::new(holder);
    let input = Meddling { wire: b"\x08\xff", arena: &arena, holder: &holder };
    assert!(Bare::decode_buf(input, &arena).is_err());
    arena.alloc_slice_copy(&[0x41u8; 400]);
    let mut holder = holder.into_inner();
    assert_eq!(holder.encode_to_vec(), before);
    holder.merge(b"\x80\x07\x03", &arena).unwrap();
    assert_eq!(holder.encode_to_vec(), [&before[..], b"\x80\x07\x03"].concat());
}
