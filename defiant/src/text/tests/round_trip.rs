//! A message is the same after it went through text.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

type Pairs<K, V> = Vec<(K, V)>;

/// What an `All` is made of, without its arena.
#[derive(Clone, Debug)]
struct Recipe {
    numbers: (i32, Option<i64>, u32, Option<u64>, f32, Option<f64>, bool),
    string: String,
    bytes: Option<Vec<u8>>,
    enums: (Option<u8>, i32, Vec<u8>),
    lists: (Vec<f64>, Vec<String>, Vec<i64>),
    maps: (Pairs<String, i64>, Pairs<i32, i32>, Pairs<u64, u32>),
    parts: (Option<u32>, Option<u32>),
    choice: u8,
    child: Option<std::boxed::Box<Recipe>>,
}

fn recipe() -> impl Strategy<Value = Recipe> {
    let leaf = (
        (
            any::<i32>(),
            any::<Option<i64>>(),
            any::<u32>(),
            any::<Option<u64>>(),
            any::<f32>(),
            any::<Option<f64>>(),
            any::<bool>(),
        ),
        any::<String>(),
        any::<Option<Vec<u8>>>(),
        (any::<Option<u8>>(), -2..5i32, vec(any::<u8>(), 0..4)),
        (vec(any::<f64>(), 0..4), vec(any::<String>(), 0..4), vec(any::<i64>(), 0..4)),
        (vec(any::<(String, i64)>(), 0..4), vec(any::<(i32, i32)>(), 0..4), vec(any::<(u64, u32)>(), 0..4)),
        any::<(Option<u32>, Option<u32>)>(),
        any::<u8>(),
    )
        .prop_map(|(numbers, string, bytes, enums, lists, maps, parts, choice)| Recipe {
            numbers,
            string,
            bytes,
            enums,
            lists,
            maps,
            parts,
            choice,
            child: None,
        });
    leaf.prop_recursive(3, 8, 1, |inner| {
        (inner.clone(), proptest::option::of(inner))
            .prop_map(|(outer, child)| Recipe { child: child.map(std::boxed::Box::new), ..outer })
    })
}

fn color(number: u8) -> Color {
    [Color::Green, Color::Red, Color::Blue][usize::from(number % 3)]
}

fn made<'arena>(recipe: &Recipe, arena: &'arena Arena) -> All<'arena> {
    let Recipe { numbers, string, bytes, enums, lists, maps, parts, choice, child } = recipe;
    let (int32, int64, uint32, uint64, float, double, bool) = *numbers;
    let child = child.as_ref().map(|child| &*arena.alloc(made(child, arena)));
    let string: &str = arena.alloc_str(string);
    All {
        int32,
        int64,
        uint32,
        uint64,
        float,
        double,
        bool,
        string,
        bytes: bytes.as_ref().map(|bytes| &*arena.alloc_slice_copy(bytes)),
        color: enums.0.map(color),
        shade: Shade(enums.1),
        child,
        leaf: enums.0.map(|number| leaf(number.into())),
        lazy: enums.0.map(|number| Lazy::encoded(&Leaf { label: string, ..leaf(number.into()) }, arena)),
        part: parts.0.map(|count| &*arena.alloc(part(count))),
        other_part: parts.1.map(|count| &*arena.alloc(part(count))),
        doubles: arena.alloc_slice_copy(&lists.0),
        strings: arena.vec_from_iter(lists.1.iter().map(|text| arena.alloc_str(text))).into_slice(),
        colors: arena.vec_from_iter(enums.2.iter().copied().map(color)).into_slice(),
        leaves: arena.vec_from_iter(lists.2.iter().copied().map(leaf)).into_slice(),
        lazies: arena.vec_from_iter(lists.2.iter().map(|number| Lazy::encoded(&leaf(*number), arena))).into_slice(),
        by_name: Map::new(arena, maps.0.iter().map(|(key, value)| (arena.alloc_str(key), leaf(*value)))),
        numbers: Map::new(arena, maps.1.iter().copied()),
        colored: Map::new(arena, enums.2.iter().map(|number| (number % 2 == 0, color(*number)))),
        counted: Map::new(arena, maps.2.iter().map(|(key, count)| (*key, part(*count)))),
        secret: string,
        secrets: &[],
        choice: match choice % 6 {
            0 => None,
            1 => Some(Choice::Text(string)),
            2 => Some(Choice::All(arena.alloc(All { string, ..All::default() }))),
            3 => Some(Choice::Leaf(leaf(i64::from(*choice)))),
            4 => Some(Choice::Color(color(*choice))),
            _ => Some(Choice::Number(int32)),
        },
        unknown_fields: UnknownFields::EMPTY,
    }
}

proptest! {
    #[test]
    fn through_text(recipe in recipe(), single_line: bool, ascii: bool, short: bool) {
        let arena = Arena::new();
        let all = made(&recipe, &arena);
        let options = EncodeOptions::new().single_line(single_line).escape_non_ascii(ascii).short_lists(short);
        let text = options.encode(&all);
        if ascii {
            prop_assert!(text.is_ascii());
        }
        if single_line {
            prop_assert!(!text.contains('\n'));
        }
        let read: All<'_> = match decode(&text, &arena) {
            Ok(read) => read,
            Err(error) => return Err(TestCaseError::fail(format!("{error}\n{text}"))),
        };
        prop_assert_eq!(wire(&read), wire(&all), "{}", text);
        let read = decode_message(All::DESCRIPTOR, &text, &arena).expect("read above");
        prop_assert_eq!(options.encode_message(read), text);
    }
}

#[test]
fn descriptors_encode_as_codecs_do() {
    let arena = Arena::new();
    for all in [full(&arena), All::default()] {
        let mut scratch = Arena::new();
        let encoded = crate::reflect::Parts::default().encode(MessageRef::of(&all), &mut scratch).expect("memory");
        assert_eq!(encoded, wire(&all));
    }
}
