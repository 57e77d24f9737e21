//! Costs of JSON and text: sixteen times the input takes about sixteen times the work, also where it is nested.
//!
//! Work is counted in allocations and in bytes allocated, which are the same in every run.

use std::sync::OnceLock;

use defiant::extension::{Int32, Optional, OptionalMessage, RepeatedMessage};
use defiant::reflect::Registry;
use defiant::wkt::Any;
use defiant::{Arena, Extension, Lazy, Map, Message, UnknownFields, UnknownValue, json, text};

use super::allocator::{Count, count};

#[derive(Clone, Copy, Debug, PartialEq, Message)]
#[defiant(name = "c.Node")]
pub(crate) struct Node<'arena> {
    #[defiant(string, tag = 1)]
    pub text: &'arena str,
    #[defiant(message, tag = 2)]
    pub child: Option<&'arena Node<'arena>>,
    #[defiant(message, tag = 3)]
    pub any: Option<&'arena Any<'arena>>,
    #[defiant(map = "string, message", tag = 4)]
    pub by_name: Map<'arena, &'arena str, Node<'arena>>,
    #[defiant(bool, repeated, tag = 5)]
    pub flags: &'arena [bool],
    #[defiant(message, lazy, tag = 6)]
    pub lazy: Option<Lazy<'arena, Node<'arena>>>,
    #[defiant(message, lazy, repeated, tag = 7)]
    pub lazies: &'arena [Lazy<'arena, Node<'arena>>],
    #[defiant(message, tag = 8)]
    pub set: Option<&'arena Set<'arena>>,
    #[defiant(message, repeated, tag = 9)]
    pub anys: &'arena [Any<'arena>],
    #[defiant(unknown)]
    pub unknown_fields: UnknownFields<'arena>,
}

#[derive(Clone, Copy, Debug, PartialEq, Message)]
#[defiant(name = "c.Set", message_set)]
pub(crate) struct Set<'arena> {
    #[defiant(unknown)]
    pub unknown_fields: UnknownFields<'arena>,
}

const INNER: Extension<Node<'static>, OptionalMessage<Node<'static>>> = Extension::new(50, "c.inner");
const INNERS: Extension<Node<'static>, RepeatedMessage<Node<'static>>> = Extension::new(51, "c.inners");
const ITEM: Extension<Set<'static>, OptionalMessage<Node<'static>>> = Extension::new(50, "c.item");

const FIRST: u32 = 100;

/// The name of an extension of `Node`, which has to be static.
fn extension_name(number: u32) -> &'static str {
    static NAMES: OnceLock<Vec<String>> = OnceLock::new();
    let most = if cfg!(miri) { 32 } else { 1600 };
    &NAMES.get_or_init(|| (FIRST..FIRST + most).map(|number| format!("c.number{number}")).collect())
        [(number - FIRST) as usize]
}

/// Knows `Node` and so many extensions of it, from number 100 on.
fn registry(extensions: u32) -> Registry {
    let mut registry = Registry::new().with::<Node<'static>>();
    registry.add_extension(&INNER).add_extension(&INNERS).add_extension(&ITEM);
    for number in FIRST..FIRST + extensions {
        let extension = Extension::<Node<'static>, Optional<Int32>>::new(number, extension_name(number));
        registry.add_extension(&extension);
    }
    registry
}

/// Sixteen times the input takes no more than twenty times the work.
#[track_caller]
fn is_linear(name: &str, few: u32, work: impl Fn(u32) -> u64) {
    let (small, large) = (work(few), work(16 * few));
    assert!(large <= 20 * small, "{name}: {small} for {few}, {large} for {}", 16 * few);
}

fn counted<T>(run: impl FnOnce() -> T) -> Count {
    count(run).1
}

/// A message with so many extensions, each in a span of its own.
fn with_extensions(count: u32, arena: &Arena) -> Node<'_> {
    let mut node = Node::default();
    for number in (FIRST..FIRST + count).rev() {
        node.unknown_fields.add(number, UnknownValue::Varint(1), arena);
    }
    node
}

#[test]
fn text_of_many_extensions_is_written_in_linear_time() {
    let few = if cfg!(miri) { 2 } else { 100 };
    for options in [text::EncodeOptions::new(), text::EncodeOptions::new().unknown_fields(true)] {
        is_linear("extensions", few, |extensions| {
            let (registry, arena) = (registry(extensions), Arena::new());
            let node = with_extensions(extensions, &arena);
            let mut text = String::with_capacity(1 << 20);
            let work = counted(|| options.resolver(&registry).encode_to(&node, &mut text).unwrap());
            assert_eq!(text.lines().count(), extensions as usize);
            assert!(text.starts_with("[c.number100]: 1\n[c.number101]: 1\n"));
            work.total
        });
    }
}

/// The value of an entry before its key, in another such entry, and so on. Each bracketed name that is passed or read is one
/// allocation.
#[test]
fn text_of_map_values_before_their_keys_is_read_once() {
    let names = "[c.unknown]: 1 ".repeat(if cfg!(miri) { 50 } else { 200 });
    let read = |levels: usize| {
        let (open, close) = ("by_name { value { ".repeat(levels), "} key: 'a' } ".repeat(levels));
        let text = format!("{open}{names}{close}");
        let options = text::DecodeOptions::new().ignore_unknown_fields(true).recursion_limit(1000);
        let arena = Arena::with_capacity(1 << 20);
        let (read, work) = count(|| options.decode::<Node<'_>>(&text, &arena));
        let mut node = &read.unwrap();
        for _ in 0..levels {
            node = node.by_name.get("a").unwrap();
        }
        assert_eq!(*node, Node::default());
        work.allocations
    };
    let (shallow, deep) = (read(2), read(32));
    assert!(deep < 2 * shallow, "{shallow} allocations for 2 levels, {deep} for 32");
}

/// A node in another one, in each way that it is encoded when it is read.
fn wrapped<'a>(node: Node<'a>, arena: &'a Arena) -> [Node<'a>; 7] {
    let any = Any { type_url: "x/c.Node", value: node.encode_in(arena), ..Any::default() };
    let (mut inner, mut inners) = (Node { text: "inner", ..Node::default() }, Node::default());
    INNER.set(&mut inner, &node, arena);
    INNERS.set(&mut inners, &[node, Node::default(), node], arena);
    let mut set = Set::default();
    ITEM.set(&mut set, &node, arena);
    [
        Node { any: Some(arena.alloc(any)), ..Node::default() },
        Node { anys: arena.alloc_slice_copy(&[any, Any::default(), any]), text: "x", ..Node::default() },
        inner,
        inners,
        Node { lazy: Some(Lazy::encoded(&node, arena)), ..Node::default() },
        Node { lazies: arena.alloc_slice_copy(&[Lazy::encoded(&node, arena); 2]), ..Node::default() },
        Node { set: Some(arena.alloc(set)), ..Node::default() },
    ]
}

/// The bytes of an `Any` and of an extension are the same, whatever is around and inside of them.
#[test]
fn what_is_encoded_inside_of_each_other_has_the_same_bytes() {
    let (registry, arena) = (registry(0), Arena::new());
    let (write_json, read_json) =
        (json::EncodeOptions::new().resolver(&registry), json::DecodeOptions::new().resolver(&registry));
    let (write_text, read_text) =
        (text::EncodeOptions::new().resolver(&registry), text::DecodeOptions::new().resolver(&registry));
    let leaves = [Node { text: "leaf", flags: &[true], ..Node::default() }, Node::default()];
    let mut nodes = leaves.to_vec();
    for levels in 0..if cfg!(miri) { 2 } else { 3 } {
        nodes = nodes.into_iter().flat_map(|node| wrapped(node, &arena)).collect();
        let step = if cfg!(miri) { 1 + levels * 16 } else { 1 };
        for node in nodes.iter().step_by(step) {
            let json = write_json.encode(node).unwrap();
            let read: Node<'_> = read_json.decode(&json, &arena).unwrap();
            assert_eq!(read.encode_to_vec(), node.encode_to_vec(), "{json}");
            let text = write_text.try_encode(node).unwrap();
            let read: Node<'_> = read_text.decode(&text, &arena).unwrap();
            assert_eq!(read.encode_to_vec(), node.encode_to_vec(), "{text}");
        }
    }
}

/// So many bytes of text inside of nodes that are so deep in each other, as JSON.
fn nested_json(levels: usize, open: &str, close: &str, len: usize) -> String {
    format!("{}\"text\":\"{}\"{}", open.repeat(levels), "x".repeat(len), close.repeat(levels))
}

#[test]
fn json_of_nested_any_and_extensions_takes_linear_memory() {
    let registry = registry(0);
    let options = json::DecodeOptions::new().resolver(&registry).recursion_limit(200);
    let len = 20_000;
    for (open, close) in [
        (r#""any":{"@type":"x/c.Node","#, "}"),
        (r#""any":{"#, r#","flags":[true],"@type":"x/c.Node"}"#),
        (r#""anys":[{"@type":"x/c.Node","text":"y"},{"@type":"x/c.Node","#, "}]"),
        (r#""[c.inner]":{"#, r#"}"#),
        (r#""[c.inner]":{"#, r#","flags":[true]}"#),
        (r#""[c.inners]":[{"text":"y"},{"#, r#"}]"#),
        (r#""[c.inner]":{"any":{"@type":"x/c.Node","#, r#","flags":[true]}}"#),
    ] {
        let read = |levels: usize| {
            let text = format!("{{{}}}", nested_json(levels, open, close, len)).replace("}\"", "},\"");
            let arena = Arena::with_capacity(1 << 20);
            let (node, work) = count(|| options.decode::<Node<'_>>(&text, &arena));
            node.unwrap_or_else(|error| panic!("{text:.200}: {error}"));
            (arena.used_bytes(), work.total as usize)
        };
        let (shallow, deep) = (read(5), read(80));
        let more = 80 * 3000;
        assert!(deep.0 <= shallow.0 + more, "{open}: {shallow:?} bytes at 5 levels, {deep:?} at 80");
        assert!(deep.1 <= shallow.1 + more, "{open}: {shallow:?} bytes at 5 levels, {deep:?} at 80");
        // The text, the encoded message and a part of it in each of the chunks that it was written to.
        assert!(shallow.0 <= 3 * len, "{open}: {shallow:?}");
    }
}

#[test]
fn text_of_nested_any_and_extensions_takes_linear_memory() {
    let registry = registry(0);
    let options = text::DecodeOptions::new().resolver(&registry).recursion_limit(200);
    let len = 20_000;
    for (open, close) in [
        ("any { [x/c.Node] { ", "} }"),
        ("any { [x/c.Node] { ", "} } flags: true "),
        ("anys { [x/c.Node] { text: 'y' } } anys { [x/c.Node] { ", "} }"),
        ("[c.inner] { ", "}"),
        ("[c.inner] { ", "} flags: true "),
        ("[c.inners] { text: 'y' } [c.inners]: [{ ", "}]"),
        ("by_name { value { ", "} key: 'a' }"),
    ] {
        let read = |levels: usize| {
            let text = format!("{}text: '{}'{}", open.repeat(levels), "x".repeat(len), close.repeat(levels));
            let arena = Arena::with_capacity(1 << 20);
            let (node, work) = count(|| options.decode::<Node<'_>>(&text, &arena));
            node.unwrap_or_else(|error| panic!("{text:.200}: {error}"));
            (arena.used_bytes(), work.total as usize)
        };
        let (shallow, deep) = (read(5), read(80));
        let more = 80 * 5000;
        assert!(deep.0 <= shallow.0 + more, "{open}: {shallow:?} bytes at 5 levels, {deep:?} at 80");
        assert!(deep.1 <= shallow.1 + more, "{open}: {shallow:?} bytes at 5 levels, {deep:?} at 80");
        assert!(shallow.0 <= 3 * len, "{open}: {shallow:?}");
    }
}

/// The members of a node, with nodes and `Any` messages in it, as random numbers say. `@type` comes first, or anywhere.
fn random_node(random: &mut impl FnMut(usize) -> usize, levels: usize, is_any: bool, first: bool) -> String {
    let mut members = Vec::new();
    for key in ["text", "child", "any", "anys", "[c.inner]", "x"] {
        if random(2) == 0 || (levels == 0 && key != "text") {
            continue;
        }
        let mut node = |is_any| random_node(random, levels - 1, is_any, first);
        members.push(match key {
            "text" => r#""text":"y""#.to_owned(),
            "any" => format!(r#""any":{}"#, node(true)),
            "anys" => format!(r#""anys":[{},{},{{}}]"#, node(true), node(true)),
            // Unknown, and so passed over: what looks like an `Any` there is none.
            "x" => format!(r#""x":[{},{{"@type":1}}]"#, node(true)),
            key => format!(r#""{key}":{}"#, node(false)),
        });
    }
    let order = random(members.len().max(1));
    members.rotate_left(order);
    if is_any {
        let place = random(members.len() + 1);
        members.insert(if first { 0 } else { place }, r#""@type":"x/c.Node""#.to_owned());
    }
    format!("{{{}}}", members.join(","))
}

proptest::proptest! {
    #![proptest_config(crate::cases(if cfg!(miri) { 4 } else { 256 }))]

    #[test]
    fn the_place_of_a_type_makes_no_difference(seed: u64) {
        let registry = registry(0);
        let options = json::DecodeOptions::new().resolver(&registry).ignore_unknown_fields(true);
        let arena = Arena::new();
        let [first, anywhere] = [true, false].map(|first| {
            let mut state = seed | 1;
            let mut random = |below: usize| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 33) as usize % below
            };
            random_node(&mut random, 4, false, first)
        });
        let read = |text: &str| options.decode::<Node<'_>>(text, &arena).unwrap().encode_to_vec();
        proptest::prop_assert_eq!(read(&first), read(&anywhere), "{}", anywhere);
    }
}
