use std::format;
use std::vec::Vec;

use super::*;
use crate::descriptor::{Cardinality, Type};
use crate::{Arena, Lazy, Map, Message};

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
    #[defiant(string, tag = 20)]
    Text(&'arena str),
    #[defiant(message, tag = 21, name = "chosen_child")]
    Child(&'arena All<'arena>),
    #[defiant(message, inline, tag = 22, name = "chosen_leaf")]
    Leaf(Leaf<'arena>),
    #[defiant(enumeration, tag = 23, name = "chosen_color")]
    Color(Color),
}

#[derive(Clone, Copy, Debug, PartialEq, defiant_derive::Message)]
#[defiant(crate = "crate", name = "test.Leaf")]
struct Leaf<'arena> {
    #[defiant(sint64, tag = 1)]
    number: i64,
    #[defiant(unknown)]
    unknown_fields: UnknownFields<'arena>,
}

#[derive(Clone, Copy, Debug, PartialEq, defiant_derive::Message)]
#[defiant(crate = "crate", name = "test.All")]
struct All<'arena> {
    #[defiant(int32, tag = 1)]
    implicit: i32,
    #[defiant(uint64, optional, tag = 2, default = 7)]
    optional: Option<u64>,
    #[defiant(string, required, tag = 3, json_name = "needed\"")]
    required: &'arena str,
    #[defiant(enumeration, optional, tag = 4, default = Color::Red)]
    color: Option<Color>,
    #[defiant(message, tag = 5)]
    child: Option<&'arena All<'arena>>,
    #[defiant(message, inline, tag = 6)]
    leaf: Option<Leaf<'arena>>,
    #[defiant(message, lazy, tag = 7)]
    lazy: Option<Lazy<'arena, Leaf<'arena>>>,
    #[defiant(double, repeated, tag = 8)]
    doubles: &'arena [f64],
    #[defiant(enumeration, repeated, tag = 9)]
    colors: &'arena [Color],
    #[defiant(group, repeated, tag = 10)]
    leaves: &'arena [Leaf<'arena>],
    #[defiant(map = "string, message", tag = 11)]
    by_name: Map<'arena, &'arena str, Leaf<'arena>>,
    #[defiant(bytes, tag = 12, debug_redact)]
    secret_bytes: &'arena [u8],
    #[defiant(message, lazy, repeated, tag = 13)]
    lazies: &'arena [Lazy<'arena, Leaf<'arena>>],
    #[defiant(oneof, tags = "20, 21, 22, 23", name = "the_choice")]
    choice: Option<Choice<'arena>>,
    #[defiant(unknown)]
    unknown_fields: UnknownFields<'arena>,
}

/// Types of one name, with fields of the same layout, which one macro declares at one place.
macro_rules! at_one_place {
    ($($ident:ident: $marker:ident, $ty:ty;)*) => {$(
        #[derive(Clone, Copy, Debug, PartialEq, defiant_derive::Message)]
        #[defiant(crate = "crate", name = "test.Same")]
        struct $ident<'arena> {
            #[defiant($marker, tag = 1)]
            value: $ty,
            #[defiant(unknown)]
            unknown_fields: UnknownFields<'arena>,
        }
    )*};
}

at_one_place! {
    Texts: string, &'arena str;
    Anything: bytes, &'arena [u8];
}

#[test]
fn types_of_one_name_and_place_are_two() {
    let (text, anything) = (Texts::default(), Anything { value: b"\xff", ..Anything::default() });
    assert_ne!(MessageRef::of(&text), MessageRef::of(&Anything::default()));
    let arena = Arena::new();
    let ty = MessageType::of::<Texts<'static>>();
    let encode = std::panic::AssertUnwindSafe(|| ty.encode_in(MessageRef::of(&anything), &arena).len());
    let wrong = std::panic::catch_unwind(encode);
    assert!(wrong.is_err(), "a message of the other type");
}

fn leaf(number: i64) -> Leaf<'static> {
    Leaf { number, ..Leaf::default() }
}

fn full(arena: &Arena) -> All<'_> {
    All {
        implicit: -1,
        optional: Some(0),
        required: "",
        color: Some(Color::Green),
        child: Some(arena.alloc(All { implicit: 3, ..All::default() })),
        leaf: Some(leaf(4)),
        lazy: Some(Lazy::encoded(&leaf(5), arena)),
        doubles: &[0.5, -0.0],
        colors: &[Color::Red, Color::Green],
        leaves: arena.alloc_slice_copy(&[leaf(6), leaf(7)]),
        by_name: Map::new(arena, [("b", leaf(8)), ("a", leaf(9))]),
        secret_bytes: b"x",
        lazies: arena.alloc_slice_copy(&[Lazy::encoded(&leaf(10), arena)]),
        choice: Some(Choice::Leaf(leaf(11))),
        ..All::default()
    }
}

fn numbers(message: MessageRef<'_>) -> Vec<u32> {
    message.fields().map(|(field, _)| field.number()).collect()
}

#[test]
fn a_descriptor_says_what_the_attributes_say() {
    let all = All::DESCRIPTOR;
    assert_eq!((all.full_name(), all.name()), ("test.All", "All"));
    assert_eq!(
        all.fields().iter().map(|field| field.number()).collect::<Vec<_>>(),
        Vec::from_iter((1..=13).chain(20..=23))
    );
    let field = |name: &str| all.field_by_name(name).expect("declared");
    assert_eq!(field("required").json_name(), "needed\"");
    assert_eq!(field("required").names().key(), "\"needed\\\"\":");
    assert_eq!(field("required").cardinality(), Cardinality::Required);
    assert_eq!(field("leaves").ty(), Type::Group);
    assert_eq!(field("by_name").key_type(), Some(Type::String));
    assert_eq!(field("by_name").message().expect("messages").full_name(), "test.Leaf");
    assert!(field("secret_bytes").is_redacted() && !field("leaf").is_redacted());
    assert!(field("doubles").is_packed() && field("doubles").is_list() && !field("by_name").is_list());
    assert!(!field("implicit").has_presence() && field("optional").has_presence());
    assert_eq!(field("child").message().expect("messages").full_name(), "test.All");
    assert_eq!(field("color").enumeration().expect("an enum").full_name(), "test.Color");
    assert_eq!(field("text").oneof(), Some(0));
    assert_eq!(all.oneof("the_choice").expect("declared").index(), 0);
    for field in all.fields() {
        assert_eq!(all.field_by_name(field.name()).expect("itself").number(), field.number());
        assert_eq!(all.field_by_json_name(field.json_name()).expect("itself").number(), field.number());
        assert_eq!(all.field(field.number()).expect("itself").name(), field.name());
    }
    assert!(all.field_by_json_name("secretBytes").is_some() && all.field_by_json_name("secret_bytes").is_none());
    assert!(all.field(14).is_none() && all.field(0).is_none() && all.field(u32::MAX).is_none());
}

#[test]
fn fields_are_read_as_they_are() {
    let arena = Arena::new();
    let all = full(&arena);
    let message = MessageRef::of(&all);
    assert_eq!(numbers(message), Vec::from_iter((1..=13).chain([22])));
    let get = |name: &str| message.get_by_name(name).expect("declared");
    assert_eq!(get("implicit"), Value::I32(-1));
    assert_eq!(get("optional"), Value::U64(0));
    assert_eq!(get("color"), Value::Enum(2));
    let Value::Message(child) = get("child") else { panic!("a message") };
    assert_eq!(child.get_by_name("implicit"), Some(Value::I32(3)));
    assert_eq!(numbers(child), [1, 3]);
    let Value::Lazy(lazy) = get("lazy") else { panic!("lazy") };
    assert_eq!(lazy.get(&arena).expect("valid").get_by_number(1), Some(Value::I64(5)));
    let Value::List(doubles) = get("doubles") else { panic!("a list") };
    assert_eq!(doubles.iter().collect::<Vec<_>>(), [Value::F64(0.5), Value::F64(-0.0)]);
    let Value::List(colors) = get("colors") else { panic!("a list") };
    assert_eq!(colors.iter().collect::<Vec<_>>(), [Value::Enum(1), Value::Enum(2)]);
    let Value::Map(map) = get("by_name") else { panic!("a map") };
    let Some(Value::Message(a)) = map.get(Value::String("a")) else { panic!("an entry") };
    assert_eq!(a.get_by_number(1), Some(Value::I64(9)));
    let (member, value) = message.oneof(&message.descriptor().oneofs()[0]).expect("set");
    assert_eq!(member.name(), "chosen_leaf");
    let Value::Message(member) = value else { panic!("a message") };
    assert_eq!(member.get_by_number(1), Some(Value::I64(11)));
    assert!(format!("{message:?}").starts_with("All { implicit: I32(-1), optional: U64(0), required: String(\"\")"));
    assert_eq!(message, MessageRef::of(&full(&arena)));
}

#[test]
fn unset_fields_have_defaults() {
    let all = All::default();
    let message = MessageRef::of(&all);
    assert_eq!(numbers(message), [3]);
    let get = |name: &str| message.get_by_name(name).expect("declared");
    assert_eq!(get("optional"), Value::U64(7));
    assert_eq!(get("color"), Value::Enum(1));
    let Value::Message(child) = get("child") else { panic!("a message") };
    assert_eq!(child.descriptor().name(), "All");
    for field in message.descriptor().fields() {
        // None of them panics.
        let _ = message.get(field);
        assert_eq!(message.has(field), field.number() == 3);
    }
}

/// Builds a copy of a message, value by value.
fn copy<'arena>(
    message: MessageRef<'_>,
    out: &mut MessageMut<'_, 'arena>,
    store: &Store<'arena>,
) -> Result<(), Rejected> {
    fn raw<'arena>(value: Value<'_>, store: &Store<'arena>) -> Raw<'arena> {
        match value {
            Value::Bool(value) => Raw::Bool(value),
            Value::I32(value) => Raw::I32(value),
            Value::I64(value) => Raw::I64(value),
            Value::U32(value) => Raw::U32(value),
            Value::U64(value) => Raw::U64(value),
            Value::F32(value) => Raw::F32(value),
            Value::F64(value) => Raw::F64(value),
            Value::String(value) => Raw::Str(store.str(value).expect("memory")),
            Value::Bytes(value) => Raw::Bytes(store.bytes(value).expect("memory")),
            Value::Enum(value) => Raw::Enum(value),
            other => panic!("{other:?} is no scalar"),
        }
    }
    let resolve = |value: Value<'_>| match value {
        Value::Message(message) => Some(message.pointer()),
        _ => None,
    };
    let _ = resolve;
    for (field, value) in message.fields() {
        let own = out.descriptor().field(field.number()).expect("the same type");
        match value {
            Value::Message(child) => {
                let mut made = MessageMut::alloc(own.message().expect("messages"), store)?;
                copy(child, &mut made, store)?;
                out.set_message(own, made, store)?;
            }
            Value::Lazy(lazy) => {
                let mut made = MessageMut::alloc(own.message().expect("messages"), store)?;
                copy(lazy.get(store.arena()).expect("valid"), &mut made, store)?;
                out.set_message(own, made, store)?;
            }
            Value::List(list) => {
                let mut made = out.list(own).expect("a list");
                for value in list.iter() {
                    match value {
                        Value::Message(child) => {
                            made.push_message(own.message().expect("messages"), store, |element| {
                                copy(child, element, store)
                            })?;
                        }
                        Value::Lazy(lazy) => {
                            let child = lazy.get(store.arena()).expect("valid");
                            made.push_message(own.message().expect("messages"), store, |element| {
                                copy(child, element, store)
                            })?;
                        }
                        value => made.push(raw(value, store), store)?,
                    }
                }
                out.set_list(own, made);
            }
            Value::Map(map) => {
                let mut made = out.map(own).expect("a map");
                for (key, value) in map.iter() {
                    let key = raw(key, store);
                    match value {
                        Value::Message(child) => {
                            made.push_message(key, own.message().expect("messages"), store, |element| {
                                copy(child, element, store)
                            })?;
                        }
                        value => made.push(key, raw(value, store), store)?,
                    }
                }
                out.set_map(own, made, store)?;
            }
            value => out.set(own, raw(value, store))?,
        }
    }
    Ok(())
}

#[test]
fn what_is_read_can_be_built_again() {
    let arena = Arena::new();
    let store = Store::new(&arena, usize::MAX);
    let variants = [
        full(&arena),
        All { choice: Some(Choice::Text("t")), ..full(&arena) },
        All { choice: Some(Choice::Child(arena.alloc(full(&arena)))), ..full(&arena) },
        All { choice: Some(Choice::Color(Color::Green)), ..full(&arena) },
        All::default(),
    ];
    for original in variants {
        let mut made = MessageMut::alloc(All::DESCRIPTOR, &store).expect("memory");
        copy(MessageRef::of(&original), &mut made, &store).expect("accepted");
        // SAFETY: a message of this type, made just now.
        let made: All<'_> = unsafe { *made.into_ref().pointer().cast().as_ptr() };
        assert_eq!(made, original);
    }
}

#[test]
fn wrong_values_are_rejected_and_leave_the_field_alone() {
    let arena = Arena::new();
    let store = Store::new(&arena, usize::MAX);
    let mut made = MessageMut::alloc(All::DESCRIPTOR, &store).expect("memory");
    let field = |name: &str| All::DESCRIPTOR.field_by_name(name).expect("declared");
    assert_eq!(made.set(field("implicit"), Raw::Str("x")), Err(Rejected::Type));
    assert_eq!(made.set(field("color"), Raw::Enum(3)), Err(Rejected::Type));
    assert_eq!(made.set(field("doubles"), Raw::F64(1.0)), Err(Rejected::Type));
    let leaf = MessageMut::alloc(Leaf::DESCRIPTOR, &store).expect("memory");
    assert_eq!(made.set_message(field("child"), leaf, &store), Err(Rejected::Type));
    let mut colors = made.list(field("colors")).expect("a list");
    assert_eq!(colors.push(Raw::Enum(3), &store), Err(Rejected::Type));
    assert_eq!(colors.push(Raw::I32(1), &store), Err(Rejected::Type));
    made.set_list(field("colors"), colors);
    assert_eq!(numbers(made.as_ref()), [3]);
    made.set(field("optional"), Raw::U64(1)).expect("accepted");
    made.clear(field("optional"));
    assert_eq!(numbers(made.as_ref()), [3]);
    let little = Store::new(&arena, 10);
    assert_eq!(little.str("more than ten bytes"), Err(Exhausted::Memory));
    let mut list = made.list(field("leaves")).expect("a list");
    let pushed: Result<(), Rejected> = list.push_message(Leaf::DESCRIPTOR, &little, |_| Ok(()));
    assert_eq!(pushed, Err(Rejected::Exhausted(Exhausted::Memory)));
}

macro_rules! map_of_every_key {
    ($($field:ident: $key:ty, $map:literal, $tag:literal;)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, defiant_derive::Message)]
        #[defiant(crate = "crate", name = "test.Maps")]
        struct Maps<'arena> {
            $(#[defiant(map = $map, tag = $tag)] $field: Map<'arena, $key, bool>,)*
            #[defiant(unknown)]
            unknown_fields: UnknownFields<'arena>,
        }
    };
}

map_of_every_key! {
    bools: bool, "bool, bool", 1;
    int32s: i32, "int32, bool", 2;
    int64s: i64, "sint64, bool", 3;
    uint32s: u32, "fixed32, bool", 4;
    uint64s: u64, "uint64, bool", 5;
    strings: &'arena str, "string, bool", 6;
}

#[test]
fn values_of_keys() {
    let arena = Arena::new();
    let maps = Maps {
        bools: Map::new(&arena, [(false, true), (true, false)]),
        int32s: Map::new(&arena, [i32::MIN, -2, -1, 0, 5, i32::MAX].map(|key| (key, key > 0))),
        int64s: Map::new(&arena, [i64::MIN, -1, 7].map(|key| (key, key > 0))),
        uint32s: Map::new(&arena, [1, u32::MAX].map(|key| (key, key == 1))),
        uint64s: Map::new(&arena, [u64::MAX].map(|key| (key, true))),
        strings: Map::new(&arena, ["", "a", "aa", "b", "\u{e9}"].map(|key| (key, key.is_empty()))),
        ..Maps::default()
    };
    let mut entries = 0;
    for (_, value) in MessageRef::of(&maps).fields() {
        let Value::Map(map) = value else { panic!("a map") };
        for (key, value) in map.iter() {
            assert_eq!(map.get(key), Some(value), "{key:?}");
            entries += 1;
        }
        for key in [Value::I32(1), Value::I64(8), Value::U32(0), Value::U64(9), Value::String("c"), Value::Bytes(b"a")]
        {
            assert_eq!(map.get(key), None, "{key:?}");
        }
    }
    assert_eq!(entries, 19);
    assert_eq!(Maps::DESCRIPTOR.fields().len(), 6);
}

#[cfg(any(feature = "json", feature = "text"))]
#[test]
fn messages_are_encoded_by_their_descriptors_as_by_codecs() {
    let arena = Arena::new();
    let mut all = full(&arena);
    all.unknown_fields.add(100, crate::UnknownValue::Varint(1), &arena);
    all.unknown_fields.add(101, crate::UnknownValue::LengthDelimited(b"abcdefgh"), &arena);
    for all in [all, All::default(), All { choice: Some(Choice::Color(Color::Green)), leaf: Some(leaf(0)), ..all }] {
        let mut scratch = Arena::new();
        let encoded = Parts::default().encode(MessageRef::of(&all), &mut scratch).expect("memory");
        assert_eq!(encoded, all.encode_to_vec());
    }
}
