//! Costs of JSON and text: sixteen times the input takes about sixteen times the work, also where it is nested.
//!
//! Work is counted in allocations and in bytes allocated, which are the same in every run.

use defiant::extension::{Int32, Optional};
use defiant::reflect::Registry;
use defiant::wkt::Any;
use defiant::{Arena, Extension, Map, Message, UnknownFields, UnknownValue, text};

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
    #[defiant(unknown)]
    pub unknown_fields: UnknownFields<'arena>,
}

const FIRST: u32 = 100;

/// Knows `Node` and so many extensions of it, from number 100 on.
fn registry(extensions: u32) -> Registry {
    let mut registry = Registry::new().with::<Node<'static>>();
    for number in FIRST..FIRST + extensions {
        let name = Box::leak(format!("c.number{number}").into_boxed_str());
        registry.add_extension(&Extension::<Node<'static>, Optional<Int32>>::new(number, name));
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
    let few = if cfg!(miri) { 20 } else { 100 };
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
    let names = "[c.unknown]: 1 ".repeat(200);
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
