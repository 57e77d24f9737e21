//! Messages that nest deeper than the stack allows: JSON and text return an error, `Debug` and `==` end.
//!
//! Everything runs on a stack of 2 MiB, as that of a thread is by default, also without optimization.

use defiant::json::{self, EncodeOptions as JsonOptions};
use defiant::reflect::{DynamicMessage, MessageRef, MessageType, Registry};
use defiant::text::{self, EncodeOptions as TextOptions};
use defiant::wkt::{Any, Struct, Value};
use defiant::{Arena, Map, Message, UnknownFields};

use super::costs_formats::Node;

fn with_small_stack(run: fn()) {
    std::thread::Builder::new().stack_size(crate::stack(2)).spawn(run).unwrap().join().unwrap();
}

const DEEP: usize = if cfg!(miri) { 120 } else { 30_000 };

/// So many messages inside of another, without recursion.
fn chain(levels: usize, arena: &Arena) -> Node<'_> {
    let mut node = Node { text: "x", ..Node::default() };
    for _ in 0..levels {
        node = Node { child: Some(arena.alloc(node)), ..Node::default() };
    }
    node
}

/// The same as values of maps.
fn chain_of_maps(levels: usize, arena: &Arena) -> Node<'_> {
    let mut node = Node { text: "x", ..Node::default() };
    for _ in 0..levels {
        node = Node { by_name: Map::new(arena, [("k", node)]), ..Node::default() };
    }
    node
}

/// All options that choose another path through the writer.
fn json_options() -> [JsonOptions<'static>; 2] {
    [JsonOptions::new(), JsonOptions::new().pretty(true).preserve_proto_field_names(true)]
}

#[cfg_attr(miri, ignore = "takes minutes")]
#[test]
fn json_encode_fails_at_the_recursion_limit() {
    with_small_stack(|| {
        let arena = Arena::new();
        for options in json_options() {
            for (make, path) in [(chain as fn(_, _) -> _, "Node.child"), (chain_of_maps, "Node.by_name")] {
                options.encode(&make(100, &arena)).unwrap();
                for levels in [101, DEEP] {
                    let error = options.encode(&make(levels, &arena)).unwrap_err();
                    assert!(error.is_recursion_limit(), "{error}");
                    assert_eq!(error.path(), vec![path; 101].join(": "));
                }
                let node = make(DEEP, &arena);
                let used = arena.used_bytes();
                assert!(options.encode_in(&node, &arena).unwrap_err().is_recursion_limit());
                assert_eq!(arena.used_bytes(), used);
                let mut text = String::from("before");
                assert!(options.encode_to(&node, &mut text).unwrap_err().is_recursion_limit());
                assert_eq!(text, "before");
                assert!(options.to_fmt(&node, &mut text).is_err());
                #[cfg(feature = "std")]
                assert!(options.to_writer(&node, Vec::new()).is_err());
                let few = options.recursion_limit(3);
                few.encode(&make(3, &arena)).unwrap();
                assert_eq!(few.encode(&make(4, &arena)).unwrap_err().path(), [path; 4].join(": "));
            }
        }
    });
}

#[cfg(feature = "serde")]
#[test]
fn serialize_fails_at_the_recursion_limit() {
    with_small_stack(|| {
        let arena = Arena::new();
        let write = |levels| serde_json::to_string(&json::Json::new(&chain(levels, &arena)));
        assert_eq!(write(100).unwrap(), json::encode(&chain(100, &arena)).unwrap());
        for levels in [101, DEEP] {
            let error = write(levels).unwrap_err().to_string();
            assert_eq!(
                error,
                format!("{}: nested deeper than the recursion limit", vec!["Node.child"; 101].join(": "))
            );
        }
    });
}

/// Reads and writes a text of so many brackets inside of the outermost.
fn check_levels<'a, M: Message<'a> + core::fmt::Debug>(text: &str, levels: u32, registry: &Registry, arena: &'a Arena) {
    let read = json::DecodeOptions::new().resolver(registry);
    let message: M = read.recursion_limit(levels).decode(text, arena).unwrap();
    assert!(read.recursion_limit(levels - 1).decode::<M>(text, arena).unwrap_err().is_recursion_limit(), "{text}");
    for options in json_options().map(|options| options.resolver(registry)) {
        let written = options.recursion_limit(levels).encode(&message).unwrap();
        assert_eq!(written.replace([' ', '\n'], ""), text);
        assert!(options.recursion_limit(levels - 1).encode(&message).unwrap_err().is_recursion_limit(), "{text}");
        #[cfg(feature = "serde")]
        {
            let json = json::Json::new(&message);
            assert_eq!(serde_json::to_string(&json.with(options.recursion_limit(levels))).unwrap(), text);
            serde_json::to_string(&json.with(options.recursion_limit(levels - 1))).unwrap_err();
        }
    }
}

/// `Struct`, `ListValue`, `Any` and their like count as they are read: what a limit lets in, it lets out.
#[test]
fn json_that_is_read_with_a_limit_is_written_with_it() {
    with_small_stack(|| {
        let arena = Arena::new();
        let registry = Registry::new().with::<Node<'static>>().with::<Struct<'static>>().with::<Any<'static>>();
        let (node, any) = (r#"{"@type":"x/c.Node","any":"#, r#"{"@type":"x/google.protobuf.Any","value":"#);
        let data = r#"{"@type":"x/google.protobuf.Struct","value":"#;
        let repeated = |open: &str, inner: &str, times: usize| {
            format!("{}{inner}{}", open.repeat(times), "}".repeat(open.matches('{').count() * times))
        };
        for times in [1, 5, 48] {
            let count = times as u32;
            let inner = r#"{"@type":"x/c.Node","text":"x"}"#;
            for (any, levels) in [
                (repeated(node, inner, times), count + 1),
                (repeated(any, inner, times), count + 1),
                (repeated(&format!("{any}{node}"), inner, times), 2 * count + 1),
                (repeated(&format!(r#"{node}{{"@type":"x/c.Node","child":{{"any":"#), inner, times), 3 * count + 1),
                (repeated(node, &format!(r#"{data}{{"a":{{"b":{{}}}}}}}}"#), times), count + 4),
            ] {
                if levels <= 100 {
                    check_levels::<Node<'_>>(&format!(r#"{{"any":{any}}}"#), levels, &registry, &arena);
                }
            }
            for (open, close) in [("[", "]"), (r#"{"a":"#, "}"), (r#"{"a":["#, "]}")] {
                let text = format!("{}{}", open.repeat(2 * times), close.repeat(2 * times));
                let text = text.replace(r#":}"#, ":null}");
                check_levels::<Value<'_>>(&text, (2 * times * close.len()) as u32 - 1, &registry, &arena);
            }
        }
    });
}

#[test]
fn text_encode_fails_at_the_recursion_limit() {
    with_small_stack(|| {
        let arena = Arena::new();
        for options in [TextOptions::new(), TextOptions::new().single_line(true).redact(true)] {
            options.try_encode(&chain(100, &arena)).unwrap();
            for levels in [101, DEEP] {
                let error = options.try_encode(&chain(levels, &arena)).unwrap_err();
                assert!(error.is_recursion_limit());
                assert_eq!(error.path(), vec!["Node.child"; 101].join(": "));
                let words = format!("{}: nested deeper than the recursion limit", error.path());
                assert_eq!((error.to_string(), format!("{error:?}")), (words.clone(), format!("EncodeError({words})")));
                assert!(options.encode_to(&chain(levels, &arena), &mut String::new()).is_err());
            }
            // An entry is a level.
            options.try_encode(&chain_of_maps(50, &arena)).unwrap();
            for levels in [51, DEEP] {
                let error = options.try_encode(&chain_of_maps(levels, &arena)).unwrap_err();
                assert_eq!(error.path(), vec!["Node.by_name"; 51].join(": "));
            }
            let few = options.recursion_limit(2);
            let text = few.try_encode(&chain(2, &arena)).unwrap();
            let read = text::DecodeOptions::new().recursion_limit(2);
            assert_eq!(read.decode::<Node<'_>>(&text, &arena).unwrap(), chain(2, &arena));
            assert!(few.try_encode(&chain(3, &arena)).is_err());
        }
    });
}

#[test]
fn text_without_an_error_ends_with_a_placeholder() {
    with_small_stack(|| {
        let arena = Arena::new();
        let two = TextOptions::new().recursion_limit(2);
        let text = two.encode(&chain(3, &arena));
        assert_eq!(text, "child {\n  child {\n    child {\n      ...\n    }\n  }\n}\n");
        assert!(text::decode::<Node<'_>>(&text, &arena).unwrap_err().is_syntax());
        assert_eq!(two.single_line(true).encode(&chain(3, &arena)), "child { child { child { ... } } }");
        assert_eq!(two.single_line(true).encode_in(&chain_of_maps(2, &arena), &arena).matches("...").count(), 1);
        for node in [chain(DEEP, &arena), chain_of_maps(DEEP, &arena)] {
            assert_eq!(text::encode(&node).matches("...").count(), 1);
            assert_eq!(text::display(&node).to_string().matches("...").count(), 1);
            assert_eq!(format!("{:#?}", text::display(&node)).matches("...").count(), 1);
        }
    });
}

#[test]
fn debug_ends_with_a_placeholder() {
    with_small_stack(|| {
        let arena = Arena::new();
        let shown = |levels| format!("{:?}", MessageRef::of(&chain(levels, &arena)));
        assert_eq!(shown(1), r#"Node { child: Message(Node { text: String("x") }) }"#);
        assert!(!shown(100).contains(".."));
        for levels in [101, DEEP] {
            assert_eq!(shown(levels).matches("child").count(), 101);
            assert_eq!(shown(levels).matches("Node { .. }").count(), 1);
        }
        let maps = chain_of_maps(DEEP, &arena);
        let maps = format!("{:#?}", MessageRef::of(&maps));
        assert_eq!((maps.matches("by_name").count(), maps.matches("..").count()), (101, 1));
        let node = arena.alloc(chain(DEEP, &arena));
        let mut dynamic = DynamicMessage::new(MessageType::of::<Node<'static>>(), &arena);
        dynamic.set_by_name("child", defiant::reflect::Value::Message(MessageRef::of(node))).unwrap();
        assert_eq!(format!("{dynamic:?}").matches("Node { .. }").count(), 1);
    });
}

#[test]
fn equality_needs_no_stack() {
    with_small_stack(|| {
        let arena = Arena::new();
        for make in [chain, chain_of_maps] {
            let (left, right) = (make(DEEP, &arena), make(DEEP, &arena));
            let other = make(DEEP + 1, &arena);
            assert!(MessageRef::of(&left) == MessageRef::of(&right));
            assert!(MessageRef::of(&left) != MessageRef::of(&other));
        }
    });
}

/// Types of the names of well-known ones that hold themselves.
macro_rules! fakes {
    ($($fake:ident: $name:literal;)*) => {$(
        #[derive(Clone, Copy, Debug, PartialEq, Message)]
        #[defiant(name = $name)]
        struct $fake<'arena> {
            #[defiant(message, tag = 1)]
            own: Option<&'arena $fake<'arena>>,
            #[defiant(unknown)]
            unknown_fields: UnknownFields<'arena>,
        }

        impl<'arena> $fake<'arena> {
            fn check(arena: &'arena Arena) {
                let mut fake = $fake::default();
                for _ in 0..DEEP {
                    fake = $fake { own: Some(arena.alloc(fake)), ..$fake::default() };
                }
                for options in json_options() {
                    assert!(options.encode(&fake).unwrap_err().is_invalid_value());
                }
                #[cfg(feature = "serde")]
                serde_json::to_string(&json::Json::new(&fake)).unwrap_err();
                for text in ["null", "1", "true", "\"x\"", "[]", "{}", "[1]", r#"{"own":{}}"#] {
                    assert!(json::decode::<$fake<'_>>(text, arena).is_err(), "{text}");
                    #[cfg(feature = "serde")]
                    {
                        use serde::de::DeserializeSeed;
                        let mut text = serde_json::Deserializer::from_str(text);
                        json::Seed::<$fake<'_>>::new(arena).deserialize(&mut text).unwrap_err();
                    }
                }
            }
        }
    )*};
}

fakes! {
    FakeValue: "google.protobuf.Value";
    FakeStruct: "google.protobuf.Struct";
    FakeList: "google.protobuf.ListValue";
    FakeWrapper: "google.protobuf.StringValue";
}

#[test]
fn types_that_only_have_the_name_of_a_well_known_one_have_no_json() {
    with_small_stack(|| {
        let arena = Arena::new();
        FakeValue::check(&arena);
        FakeStruct::check(&arena);
        FakeList::check(&arena);
        FakeWrapper::check(&arena);
    });
}
