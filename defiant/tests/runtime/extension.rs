//! Extensions against ordinary fields: `Bare` reads and writes as extensions what `All` has as fields.

use defiant::extension::{
    Bool, Bytes, Double, Enum, Fixed32, Fixed64, Float, Int32, Int64, Optional, OptionalGroup, OptionalMessage, Packed,
    Repeated, RepeatedGroup, RepeatedMessage, Sfixed32, Sfixed64, Sint32, Sint64, Str, Uint32, Uint64,
};
use defiant::{Arena, DecodeOptions, Extension, Map, Message, UnknownFields, UnknownValue};
use proptest::prelude::*;

use super::messages::{All, Bare, Color, Leaf, Level};
use super::oracle::message;

type On<K> = Extension<Bare<'static>, K>;

const INT32: On<Optional<Int32>> = On::new(1, "t.int32");
const INT64: On<Optional<Int64>> = On::new(2, "t.int64");
const UINT32: On<Optional<Uint32>> = On::new(3, "t.uint32");
const UINT64: On<Optional<Uint64>> = On::new(4, "t.uint64");
const SINT32: On<Optional<Sint32>> = On::new(5, "t.sint32");
const SINT64: On<Optional<Sint64>> = On::new(6, "t.sint64");
const FIXED32: On<Optional<Fixed32>> = On::new(7, "t.fixed32");
const FIXED64: On<Optional<Fixed64>> = On::new(8, "t.fixed64");
const SFIXED32: On<Optional<Sfixed32>> = On::new(9, "t.sfixed32");
const SFIXED64: On<Optional<Sfixed64>> = On::new(10, "t.sfixed64");
const FLOAT: On<Optional<Float>> = On::new(11, "t.float");
const DOUBLE: On<Optional<Double>> = On::new(12, "t.double");
const BOOL: On<Optional<Bool>> = On::new(13, "t.bool");
const BYTES: On<Optional<Bytes>> = On::new(15, "t.bytes");
const COLOR: On<Optional<Enum<Color>>> = On::new(16, "t.color");
const LEAF: On<OptionalMessage<Leaf<'static>>> = On::new(17, "t.leaf");
const GROUP: On<OptionalGroup<Leaf<'static>>> = On::new(18, "t.group");
const LEAVES: On<RepeatedMessage<Leaf<'static>>> = On::new(19, "t.leaves");
const GROUPS: On<RepeatedGroup<Leaf<'static>>> = On::new(20, "t.groups");
const STRINGS: On<Repeated<Str>> = On::new(21, "t.strings");
const PACKED: On<Packed<Int32>> = On::new(22, "t.packed");
const UNPACKED: On<Repeated<Sint64>> = On::new(23, "t.unpacked");
const FIXED: On<Packed<Fixed32>> = On::new(24, "t.fixed");
const DOUBLES: On<Repeated<Double>> = On::new(25, "t.doubles");
const BOOLS: On<Packed<Bool>> = On::new(26, "t.bools");
const COLORS: On<Packed<Enum<Color>>> = On::new(27, "t.colors");
const BLOBS: On<Repeated<Bytes>> = On::new(30, "t.blobs");
const FAR: On<Optional<Str>> = On::new(2100, "t.far");
const LEVEL: On<Optional<Enum<Level>>> = On::new(50, "t.level");
const LEVELS: On<Repeated<Enum<Level>>> = On::new(51, "t.levels");

/// What `All` holds of the fields above, read from extensions.
fn as_all<'a>(bare: &Bare<'a>, arena: &'a Arena) -> Result<All<'a>, defiant::DecodeError> {
    Ok(All {
        int32: INT32.get_or_default(bare)?,
        int64: INT64.get(bare)?,
        uint32: UINT32.get_or_default(bare)?,
        uint64: UINT64.get(bare)?,
        sint32: SINT32.get_or_default(bare)?,
        sint64: SINT64.get_or_default(bare)?,
        fixed32: FIXED32.get_or_default(bare)?,
        fixed64: FIXED64.get(bare)?,
        sfixed32: SFIXED32.get_or_default(bare)?,
        sfixed64: SFIXED64.get_or_default(bare)?,
        float: FLOAT.get_or_default(bare)?,
        double: DOUBLE.get(bare)?,
        bool: BOOL.get_or_default(bare)?,
        string: bare.string,
        bytes: BYTES.get_or_default(bare)?,
        color: COLOR.get_or_default(bare)?,
        leaf: LEAF.get(bare, arena)?,
        group: GROUP.get(bare, arena)?,
        leaves: LEAVES.get(bare, arena)?,
        groups: GROUPS.get(bare, arena)?,
        strings: STRINGS.get(bare, arena)?,
        packed: PACKED.get(bare, arena)?,
        unpacked: UNPACKED.get(bare, arena)?,
        fixed: FIXED.get(bare, arena)?,
        doubles: DOUBLES.get(bare, arena)?,
        bools: BOOLS.get(bare, arena)?,
        colors: COLORS.get(bare, arena)?,
        blobs: BLOBS.get(bare, arena)?,
        far: FAR.get(bare)?,
        ..All::default()
    })
}

/// Sets every extension from the fields, in no order in particular.
fn as_bare<'a>(all: &All<'_>, string: &'a str, arena: &'a Arena) -> Bare<'a> {
    let mut bare = Bare { string, ..Bare::default() };
    // What is set twice holds the second value.
    INT32.set(&mut bare, -7, arena);
    STRINGS.set(&mut bare, &["gone"], arena);
    FAR.set(&mut bare, "gone", arena);
    LEAF.set(&mut bare, &Leaf { x: 3, ..Leaf::default() }, arena);
    INT32.set(&mut bare, all.int32, arena);
    UINT32.set(&mut bare, all.uint32, arena);
    SINT32.set(&mut bare, all.sint32, arena);
    SINT64.set(&mut bare, all.sint64, arena);
    FIXED32.set(&mut bare, all.fixed32, arena);
    SFIXED32.set(&mut bare, all.sfixed32, arena);
    SFIXED64.set(&mut bare, all.sfixed64, arena);
    FLOAT.set(&mut bare, all.float, arena);
    BOOL.set(&mut bare, all.bool, arena);
    BYTES.set(&mut bare, all.bytes, arena);
    COLOR.set(&mut bare, all.color, arena);
    all.int64.iter().for_each(|value| INT64.set(&mut bare, *value, arena));
    all.uint64.iter().for_each(|value| UINT64.set(&mut bare, *value, arena));
    all.fixed64.iter().for_each(|value| FIXED64.set(&mut bare, *value, arena));
    all.double.iter().for_each(|value| DOUBLE.set(&mut bare, *value, arena));
    match all.far {
        Some(text) => FAR.set(&mut bare, text, arena),
        None => FAR.clear(&mut bare, arena),
    }
    match all.leaf {
        Some(leaf) => LEAF.set(&mut bare, leaf, arena),
        None => LEAF.clear(&mut bare, arena),
    }
    all.group.iter().for_each(|group| GROUP.set(&mut bare, group, arena));
    LEAVES.set(&mut bare, all.leaves, arena);
    STRINGS.set(&mut bare, all.strings, arena);
    PACKED.set(&mut bare, all.packed, arena);
    UNPACKED.set(&mut bare, all.unpacked, arena);
    FIXED.set(&mut bare, all.fixed, arena);
    COLORS.set(&mut bare, all.colors, arena);
    // One by one, and in turn.
    all.groups.iter().for_each(|group| GROUPS.add(&mut bare, group, arena));
    for index in 0..all.doubles.len().max(all.bools.len()).max(all.blobs.len()) {
        all.doubles.get(index).iter().for_each(|value| DOUBLES.add(&mut bare, **value, arena));
        all.bools.get(index).iter().for_each(|value| BOOLS.add(&mut bare, **value, arena));
        all.blobs.get(index).iter().for_each(|value| BLOBS.add(&mut bare, value, arena));
    }
    bare
}

/// The fields that are no extensions above, left out.
fn comparable<'a>(all: &All<'a>) -> All<'a> {
    All {
        counts: Map::EMPTY,
        places: Map::EMPTY,
        inline: None,
        choice: None,
        unknown_fields: UnknownFields::EMPTY,
        ..*all
    }
}

proptest! {
    #![proptest_config(crate::cases(24))]

    #[test]
    fn read_as_ordinary_fields_are(a in message(), b in message(), cut in any::<prop::sample::Index>()) {
        let arena = Arena::new();
        let (a, b) = (prost::Message::encode_to_vec(&a), prost::Message::encode_to_vec(&b));
        let both = [&a[..], &b[..]].concat();
        for wire in [&a, &both] {
            let all = All::decode(wire, &arena).unwrap();
            for bare in [Bare::decode(wire, &arena).unwrap(), Bare::decode_borrowed(wire, &arena).unwrap()] {
                prop_assert_eq!(as_all(&bare, &arena).unwrap(), comparable(&all));
                let expected = Bare::decode(wire, &Arena::new()).unwrap().encode_to_vec();
                prop_assert_eq!(bare.encode_to_vec(), expected, "reading changed it");
            }
        }
        // Merged into a message whose unknown fields are in many pieces.
        let cut = cut.index(both.len() + 1);
        if let (Ok(mut bare), true) = (Bare::decode(&both[..cut], &arena), Bare::decode(&both[cut..], &arena).is_ok()) {
            bare.merge(&both[cut..], &arena).unwrap();
            prop_assert_eq!(as_all(&bare, &arena).unwrap(), comparable(&All::decode(&both, &arena).unwrap()));
        }
    }

    #[test]
    fn written_as_ordinary_fields_are(expected in message()) {
        let arena = Arena::new();
        let wire = prost::Message::encode_to_vec(&expected);
        let all = All::decode(&wire, &arena).unwrap();
        let bare = as_bare(&all, all.string, &arena);
        prop_assert_eq!(All::decode(bare.encode_in(&arena), &arena).unwrap(), comparable(&all));
        prop_assert_eq!(as_all(&bare, &arena).unwrap(), comparable(&all));
        prop_assert_eq!(bare.encoded_len(), bare.encode_to_vec().len());
    }

    #[test]
    fn damage_is_judged_alike(
        expected in message(),
        damage in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let arena = Arena::new();
        let mut wire = prost::Message::encode_to_vec(&expected);
        prop_assume!(!wire.is_empty());
        for (index, byte) in &damage {
            let at = index.index(wire.len());
            wire[at] = *byte;
        }
        let Ok(mut bare) = Bare::decode(&wire, &arena) else { return Ok(()) };
        // Without the fields that are no extensions above, what is wrong is in one that is.
        for number in [28, 29, 31, 40, 41, 42, 43] {
            bare.unknown_fields.remove(number, &arena);
        }
        match (as_all(&bare, &arena), All::decode(bare.encode_in(&arena), &arena)) {
            // As text, where NaN is equal to itself.
            (Ok(ours), Ok(all)) => prop_assert_eq!(format!("{ours:?}"), format!("{:?}", comparable(&all))),
            (Err(_), Err(_)) => {}
            (ours, all) => prop_assert!(false, "{ours:?}\n{all:?}"),
        }
    }
}

/// A message of these bytes.
fn bare<'a>(wire: &[u8], arena: &'a Arena) -> Bare<'a> {
    Bare::decode(wire, arena).unwrap()
}

#[test]
fn absent_extensions_have_defaults() {
    const PORT: On<Optional<Int32>> = On::new(60, "t.port").with_default(8080);
    const HOST: On<Optional<Str>> = On::new(61, "t.host").with_default("localhost");
    const SET: On<Optional<Enum<Level>>> = On::new(62, "t.set").with_default(Level::High);
    let arena = Arena::new();
    let mut message = Bare::default();
    assert_eq!((PORT.get(&message).unwrap(), PORT.get_or_default(&message).unwrap()), (None, 8080));
    assert_eq!((HOST.get(&message).unwrap(), HOST.get_or_default(&message).unwrap()), (None, "localhost"));
    assert_eq!(SET.get_or_default(&message).unwrap(), Level::High);
    assert_eq!(LEVEL.get_or_default(&message).unwrap(), Level::Low);
    assert_eq!(LEAF.get(&message, &arena).unwrap(), None);
    assert!(LEAVES.get(&message, &arena).unwrap().is_empty());
    assert!(!PORT.has(&message) && !LEAF.has(&message) && !LEAVES.has(&message));
    PORT.set(&mut message, 0, &arena);
    assert_eq!((PORT.get(&message).unwrap(), PORT.has(&message)), (Some(0), true));
    assert_eq!((PORT.number(), PORT.name(), PORT.default()), (60, "t.port", 8080));
}

#[test]
fn copies_keep_what_they_had() {
    let arena = Arena::new();
    let wire = [0x08, 1, 0x72, 1, b'n', 0x10, 2, 0x08, 3, 0x18, 4];
    let original = bare(&wire, &arena);
    let mut edited = original;
    INT32.set(&mut edited, 5, &arena);
    assert_eq!(INT32.get(&original).unwrap(), Some(3));
    assert_eq!(original.encode_in(&arena), [0x72, 1, b'n', 0x08, 1, 0x10, 2, 0x08, 3, 0x18, 4]);
    // The others keep their order, and what was set is last.
    assert_eq!(edited.encode_in(&arena), [0x72, 1, b'n', 0x10, 2, 0x18, 4, 0x08, 5]);
    INT32.clear(&mut edited, &arena);
    assert!(!INT32.has(&edited));
    assert_eq!(edited.encode_in(&arena), [0x72, 1, b'n', 0x10, 2, 0x18, 4]);
    let before = edited;
    INT32.clear(&mut edited, &arena);
    assert_eq!(edited, before);
}

#[test]
fn other_wire_types_are_other_fields() {
    let arena = Arena::new();
    // Number 1 as fixed32 and as bytes, number 17 as a group, number 21 as a varint.
    let wire = [0x0d, 1, 0, 0, 0, 0x0a, 1, 7, 0x8b, 0x01, 0x8c, 0x01, 0xa8, 0x01, 1];
    let message = bare(&wire, &arena);
    assert_eq!((INT32.get(&message).unwrap(), INT32.has(&message)), (None, false));
    assert_eq!((LEAF.get(&message, &arena).unwrap(), LEAF.has(&message)), (None, false));
    assert!(STRINGS.get(&message, &arena).unwrap().is_empty());
    assert_eq!(message.encode_in(&arena), wire);
}

#[test]
fn closed_enums_set_nothing_with_numbers_they_do_not_have() {
    let arena = Arena::new();
    let message = bare(&[0x90, 0x03, 7], &arena);
    assert_eq!((LEVEL.get(&message).unwrap(), LEVEL.has(&message)), (None, false));
    // The last number that is a value counts.
    let message = bare(&[0x90, 0x03, 1, 0x90, 0x03, 7], &arena);
    assert_eq!((LEVEL.get(&message).unwrap(), LEVEL.has(&message)), (Some(Level::Low), true));
    let message = bare(&[0x98, 0x03, 1, 0x98, 0x03, 7, 0x9a, 0x03, 3, 7, 1, 7], &arena);
    assert_eq!(LEVELS.get(&message, &arena).unwrap(), [Level::Low, Level::Low]);
    assert_eq!(message.encode_in(&arena).len(), 12);
    // They are kept where they are, and no second time.
    let options = DecodeOptions::new().unknown_fields_limit(0);
    assert_eq!(LEVELS.get_with(&message, &arena, options).unwrap(), [Level::Low, Level::Low]);
    let leaf = bare(&[0x8a, 0x01, 3, 0x98, 0x06, 1], &arena);
    assert!(LEAF.get_with(&leaf, &arena, options).unwrap_err().is_unknown_fields_limit());
    let message = bare(&[0x80, 0x01, 9], &arena);
    assert_eq!(COLOR.get(&message).unwrap(), Some(Color(9)));
}

#[test]
fn errors_name_the_extension() {
    let arena = Arena::new();
    let text = |result: Result<(), defiant::DecodeError>| result.unwrap_err().to_string();
    let far = bare(&[0xa2, 0x83, 0x01, 3, b'a', 0xff, b'b'], &arena);
    assert!(FAR.has(&far));
    assert_eq!(text(FAR.get(&far).map(drop)), "Bare.[t.far]: invalid UTF-8 at byte 5");
    // One bad occurrence of two is as bad as in an ordinary field.
    let twice = bare(&[0xa2, 0x83, 0x01, 1, 0xff, 0xa2, 0x83, 0x01, 1, b'b'], &arena);
    assert_eq!(text(FAR.get(&twice).map(drop)), "Bare.[t.far]: invalid UTF-8 at byte 4");
    let leaf = bare(&[0x8a, 0x01, 4, 0x12, 2, b'a', 0xff], &arena);
    assert_eq!(text(LEAF.get(&leaf, &arena).map(drop)), "Bare.[t.leaf]: Leaf.label: invalid UTF-8 at byte 6");
    let next = bare(&[0x8a, 0x01, 3, 0x1a, 1, 0x08], &arena);
    assert_eq!(text(LEAF.get(&next, &arena).map(drop)), "Bare.[t.leaf]: Leaf.next: Leaf.x: truncated at byte 6");
    let strings = bare(&[0xaa, 0x01, 1, b'a', 0x08, 1, 0xaa, 0x01, 1, 0xff], &arena);
    assert_eq!(text(STRINGS.get(&strings, &arena).map(drop)), "Bare.[t.strings]: invalid UTF-8 at byte 7");
    let fixed = bare(&[0xc2, 0x01, 3, 1, 2, 3], &arena);
    assert!(FIXED.get(&fixed, &arena).unwrap_err().is_truncated());
}

#[test]
fn limits_hold_when_it_is_read() {
    let arena = Arena::new();
    let mut deep = Vec::new();
    for _ in 0..10 {
        deep = [&[0x1a, deep.len() as u8][..], &deep].concat();
    }
    let mut message = Bare::default();
    message.unknown_fields.add(17, UnknownValue::LengthDelimited(&deep), &arena);
    let limit = |levels| DecodeOptions::new().recursion_limit(levels);
    assert!(LEAF.get_with(&message, &arena, limit(11)).is_ok());
    assert!(LEAF.get_with(&message, &arena, limit(10)).unwrap_err().is_recursion_limit());

    let many = [0x9a, 0x01, 0].repeat(1000);
    let options = |bytes| DecodeOptions::new().memory_limit(bytes);
    // In one run, and in two with another field between them.
    for (wire, count) in [(many.clone(), 1), ([&many[..], &[0x08, 1], &many].concat(), 2)] {
        let message = bare(&wire, &arena);
        let size = count * (many.len() + 1000 * size_of::<Leaf<'_>>()) + 16;
        assert!(LEAVES.get_with(&message, &arena, options(size)).is_ok());
        assert!(LEAVES.get_with(&message, &arena, options(size - 1)).unwrap_err().is_memory_limit());
        assert!(LEAVES.get_with(&message, &arena, options(100)).unwrap_err().is_memory_limit());
    }
    // So does the arena's own limit.
    let small = Arena::new();
    let copy = bare(&many, &small);
    small.set_limit(Some(small.held_bytes() + 100));
    assert!(LEAVES.get(&copy, &small).unwrap_err().is_memory_limit());
}

#[test]
fn every_truncated_payload_is_a_value_or_an_error() {
    let arena = Arena::new();
    let inner = Leaf { x: -5, label: Some("label"), data: &[1, 300], ..Leaf::default() };
    let leaf = Leaf { next: Some(&inner), names: Map::new(&arena, [(1, "one")]), ..inner };
    let wire = leaf.encode_to_vec();
    for len in 0..=wire.len() {
        for spoiled in [None, Some(0xff), Some(0x80), Some(0x0b)] {
            let mut payload = wire[..len].to_vec();
            if let (Some(byte), Some(last)) = (spoiled, payload.last_mut()) {
                *last = byte;
            }
            let mut message = Bare::default();
            message.unknown_fields.add(17, UnknownValue::LengthDelimited(&payload), &arena);
            message.unknown_fields.add(22, UnknownValue::LengthDelimited(&payload), &arena);
            message.unknown_fields.add(2100, UnknownValue::LengthDelimited(&payload), &arena);
            let read = LEAF.get(&message, &arena);
            assert_eq!(read.is_ok(), Leaf::decode(&payload, &arena).is_ok(), "{payload:?}");
            let _ = (PACKED.get(&message, &arena), FAR.get(&message));
            assert_eq!(message.encode_in(&arena), bare(message.encode_in(&arena), &arena).encode_in(&arena));
        }
    }
}

#[test]
fn many_occurrences_cost_linear_memory() {
    // A child that occurs again and again, with other fields in between.
    let used = |count: usize| {
        let arena = Arena::with_capacity(64 << 20);
        let message = bare(&[0x8a, 0x01, 3, 0x22, 1, 7, 0x08, 1].repeat(count), &arena);
        let before = arena.used_bytes();
        assert_eq!(LEAF.get(&message, &arena).unwrap().unwrap().data.len(), count);
        arena.used_bytes() - before
    };
    assert!(used(16_000) < 20 * used(1_000));
}

#[test]
fn unknown_fields_are_listed_added_and_removed() {
    let arena = Arena::new();
    let wire = [0x08, 1, 0x72, 1, b'n', 0x11, 2, 0, 0, 0, 0, 0, 0, 0, 0x1a, 1, 7, 0x23, 0x28, 6, 0x24, 0x08, 9];
    let mut message = bare(&wire, &arena);
    let fields = message.unknown_fields;
    assert_eq!(fields.iter().map(|field| field.number).collect::<Vec<_>>(), [1, 2, 3, 4, 1]);
    assert_eq!(fields.get(1).collect::<Vec<_>>(), [UnknownValue::Varint(1), UnknownValue::Varint(9)]);
    assert_eq!(fields.get(2).collect::<Vec<_>>(), [UnknownValue::Fixed64(2)]);
    let Some(UnknownValue::Group(group)) = fields.get(4).next() else { panic!("{fields:?}") };
    assert_eq!(
        group.iter().map(|field| (field.number, field.value)).collect::<Vec<_>>(),
        [(5, UnknownValue::Varint(6))]
    );
    assert_eq!(fields.byte_len(), wire.len() - 3);

    // What is listed and added again is the same.
    let mut copy = UnknownFields::EMPTY;
    fields.iter().for_each(|field| copy.add(field.number, field.value, &arena));
    assert_eq!(copy, fields);
    let group = defiant::UnknownGroup::new(&fields, &arena);
    copy.add(7, UnknownValue::Group(group), &arena);
    let Some(UnknownValue::Group(again)) = copy.get(7).next() else { panic!("{copy:?}") };
    assert!(again.iter().eq(fields.iter()));

    assert!(message.unknown_fields.remove(1, &arena));
    assert!(!message.unknown_fields.remove(1, &arena));
    assert_eq!(message.unknown_fields.iter().map(|field| field.number).collect::<Vec<_>>(), [2, 3, 4]);
    for number in [2, 3, 4] {
        assert!(message.unknown_fields.remove(number, &arena));
    }
    assert!(message.unknown_fields.is_empty());
    assert_eq!(fields.iter().count(), 5);
}

#[test]
fn many_spans_keep_their_order() {
    let arena = Arena::new();
    let mut fields = UnknownFields::EMPTY;
    for number in 1..=40 {
        fields.add(number, UnknownValue::Varint(u64::from(number)), &arena);
        assert!(fields.iter().map(|field| field.number).eq(1..=number));
        assert_eq!(fields.spans().len(), number as usize);
    }
    fields.remove(20, &arena);
    assert!(fields.iter().map(|field| field.number).eq((1..=40).filter(|number| *number != 20)));
}

#[test]
#[should_panic(expected = "536870912 is no field number")]
fn unknown_field_numbers_are_checked() {
    UnknownFields::default().add(1 << 29, UnknownValue::Varint(0), &Arena::new());
}

// Without the feature, not even the types need to be there.
#[cfg(not(feature = "descriptor"))]
defiant::__descriptor_extensions! {
    /// A custom option.
    const OPTION: On<Optional<Int32>> = nowhere::at_all();
}

#[cfg(feature = "descriptor")]
defiant::__descriptor_extensions! {
    /// A custom option.
    const OPTION: Extension<defiant::wkt::FieldOptions<'static>, Optional<Str>> = Extension::new(50000, "t.option");
}

#[cfg(feature = "descriptor")]
#[test]
fn custom_options_are_there_with_their_feature() {
    let arena = Arena::new();
    let mut options = defiant::wkt::FieldOptions::default();
    OPTION.set(&mut options, "why", &arena);
    assert_eq!(OPTION.get(&options).unwrap(), Some("why"));
}

#[derive(Clone, Copy, Debug, PartialEq, Message)]
#[defiant(name = "t.Both")]
struct Both<'arena> {
    #[defiant(int32, required, tag = 1)]
    a: i32,
    #[defiant(int32, required, tag = 2)]
    b: i32,
    #[defiant(unknown)]
    unknown_fields: UnknownFields<'arena>,
}

#[test]
fn occurrences_complete_each_other() {
    const BOTH: On<OptionalMessage<Both<'static>>> = On::new(9000, "t.both");
    let arena = Arena::with_capacity(1 << 16);
    let first = [0xc2, 0xb2, 4, 2, 8, 1];
    let second = [0xc2, 0xb2, 4, 2, 0x10, 2];
    let host = Bare::decode(&[first, second].concat(), &arena).unwrap();
    let both = BOTH.get(&host, &arena).unwrap().unwrap();
    assert_eq!((both.a, both.b), (1, 2));
    let before = arena.used_bytes();
    let host = Bare::decode(&[first, first].concat(), &arena).unwrap();
    let used = arena.used_bytes();
    let error = BOTH.get(&host, &arena).unwrap_err();
    assert!(error.is_missing_required() && used > before, "{error}");
    assert_eq!((error.path(), arena.used_bytes()), ("Bare.[t.both]: Both.b", used));
}
