//! Messages whose types are made at run time against structs: values, bytes, errors and limits.

use std::collections::BTreeMap;
use std::fmt::Debug;

use defiant::descriptor::{Cardinality, EnumDescriptor, FieldDescriptor, MessageDescriptor, Type};
use defiant::reflect::{DescriptorPool, DynamicMessage, MessageRef, Value};
use defiant::wkt::feature_set::{EnumType, FieldPresence, MessageEncoding, RepeatedFieldEncoding, Utf8Validation};
use defiant::wkt::field_descriptor_proto::{Label, Type as Wire};
use defiant::wkt::{
    DescriptorProto, Edition, EnumDescriptorProto, EnumOptions, EnumValueDescriptorProto, FeatureSet,
    FieldDescriptorProto, FieldOptions, FileDescriptorProto, MessageOptions, OneofDescriptorProto,
};
use defiant::{Arena, DecodeOptions, Map, Message, UnknownFields};
use proptest::collection::vec;
use proptest::prelude::*;
use prost::Message as _;

use crate::messages::{All, Bare, Level, Set};
use crate::oracle::message;

#[derive(Clone, Copy, Debug, PartialEq, defiant::Oneof)]
enum Pick<'arena> {
    #[defiant(enumeration, tag = 60, name = "pick_level")]
    Level(Level),
    #[defiant(lenient_string, tag = 61, name = "lenient_pick")]
    Lenient(&'arena str),
    #[defiant(group, tag = 62, name = "pick_group")]
    Group(&'arena Odd<'arena>),
    #[defiant(message, tag = 63, name = "pick_message")]
    Message(&'arena Odd<'arena>),
    #[defiant(fixed64, tag = 64, name = "pick_fixed")]
    Fixed(u64),
    #[defiant(bytes, tag = 65, name = "pick_bytes")]
    Bytes(&'arena [u8]),
    #[defiant(bool, tag = 66, name = "pick_bool")]
    Bool(bool),
}

#[derive(Clone, Copy, Debug, PartialEq, defiant::Oneof)]
enum Other {
    #[defiant(int32, tag = 70)]
    First(i32),
    #[defiant(sint32, tag = 71)]
    Second(i32),
}

/// What `All` does not have.
#[derive(Clone, Copy, Debug, PartialEq, Message)]
#[defiant(name = "t.Odd")]
struct Odd<'arena> {
    #[defiant(enumeration, optional, tag = 1)]
    level: Option<Level>,
    #[defiant(enumeration, repeated, packed = false, tag = 2)]
    levels: &'arena [Level],
    #[defiant(enumeration, repeated, tag = 3)]
    packed_levels: &'arena [Level],
    #[defiant(map = "int64, enumeration", tag = 4)]
    level_of: Map<'arena, i64, Level>,
    #[defiant(map = "bool, bytes", tag = 5)]
    by_bool: Map<'arena, bool, &'arena [u8]>,
    #[defiant(map = "lenient_string, lenient_string", tag = 6)]
    lenient_map: Map<'arena, &'arena str, &'arena str>,
    #[defiant(map = "fixed32, message", tag = 7)]
    odd_of: Map<'arena, u32, Odd<'arena>>,
    #[defiant(map = "uint64, double", tag = 8)]
    double_of: Map<'arena, u64, f64>,
    #[defiant(lenient_string, optional, tag = 9)]
    lenient_optional: Option<&'arena str>,
    #[defiant(lenient_string, repeated, tag = 10)]
    lenient_list: &'arena [&'arena str],
    #[defiant(lenient_string, tag = 11)]
    lenient_implicit: &'arena str,
    #[defiant(message, tag = 12)]
    needs: Option<&'arena Needs<'arena>>,
    #[defiant(group, tag = 13)]
    needs_group: Option<&'arena Needs<'arena>>,
    #[defiant(message, repeated, tag = 14)]
    needs_list: &'arena [Needs<'arena>],
    #[defiant(message, tag = 15)]
    set: Option<&'arena Set<'arena>>,
    #[defiant(message, tag = 16)]
    all: Option<&'arena All<'arena>>,
    #[defiant(oneof, tags = "60, 61, 62, 63, 64, 65, 66", name = "pick")]
    pick: Option<Pick<'arena>>,
    #[defiant(oneof, tags = "70, 71", name = "other")]
    other: Option<Other>,
    #[defiant(sfixed64, repeated, tag = 300)]
    far: &'arena [i64],
    #[defiant(unknown)]
    unknown_fields: UnknownFields<'arena>,
}

/// Required fields.
#[derive(Clone, Copy, Debug, PartialEq, Message)]
#[defiant(name = "t.Needs")]
struct Needs<'arena> {
    #[defiant(int32, required, tag = 1)]
    number: i32,
    #[defiant(lenient_string, required, tag = 2)]
    lenient: &'arena str,
    #[defiant(enumeration, required, tag = 3)]
    level: Level,
    #[defiant(bytes, required, tag = 4)]
    bytes: &'arena [u8],
    #[defiant(message, tag = 5)]
    next: Option<&'arena Needs<'arena>>,
    #[defiant(unknown)]
    unknown_fields: UnknownFields<'arena>,
}

/// The files that declare the messages of these descriptors, one for each package.
pub(crate) struct Files<'a> {
    arena: &'a Arena,
    messages: BTreeMap<String, DescriptorProto<'a>>,
    enums: BTreeMap<String, EnumDescriptorProto<'a>>,
}

impl<'a> Files<'a> {
    pub(crate) fn new(arena: &'a Arena) -> Self {
        Files { arena, messages: BTreeMap::new(), enums: BTreeMap::new() }
    }

    /// A pool with all that was added.
    pub(crate) fn pool(&self, package: &str) -> DescriptorPool {
        let messages: Vec<_> = self.messages.values().copied().collect();
        let enums: Vec<_> = self.enums.values().copied().collect();
        let mut pool = DescriptorPool::new();
        let file = FileDescriptorProto {
            name: Some("made.proto"),
            package: Some(package),
            syntax: Some("editions"),
            edition: Some(Edition::Edition2023),
            message_type: &messages,
            enum_type: &enums,
            ..FileDescriptorProto::default()
        };
        pool.add_file(&file).unwrap();
        pool
    }

    /// Adds a message and all that it refers to. Strings whose names begin with `lenient` are.
    pub(crate) fn add(&mut self, message: &MessageDescriptor) {
        let arena = self.arena;
        if self.messages.contains_key(message.full_name()) {
            return;
        }
        self.messages.insert(message.full_name().to_owned(), DescriptorProto::default());
        let mut entries = Vec::new();
        let mut fields = Vec::new();
        for field in message.fields() {
            if let Some(key) = field.key_type() {
                let name = arena.alloc_str(&format!("{}_entry", field.name()));
                let single = |number, name, ty| FieldDescriptorProto {
                    name: Some(name),
                    number: Some(number),
                    label: Some(Label::Optional),
                    r#type: Some(wire(ty)),
                    ..FieldDescriptorProto::default()
                };
                let value = FieldDescriptorProto { type_name: self.type_of(field), ..single(2, "value", field.ty()) };
                let options = arena.alloc(MessageOptions { map_entry: Some(true), ..MessageOptions::default() });
                entries.push(DescriptorProto {
                    name: Some(name),
                    field: arena.alloc_slice_copy(&[single(1, "key", key), value]),
                    options: Some(options),
                    ..DescriptorProto::default()
                });
            }
            fields.push(self.field(field));
        }
        let oneofs: Vec<_> = message
            .oneofs()
            .iter()
            .map(|oneof| OneofDescriptorProto {
                name: Some(arena.alloc_str(oneof.name())),
                ..OneofDescriptorProto::default()
            })
            .collect();
        let options = MessageOptions {
            message_set_wire_format: (message.full_name() == "t.Set").then_some(true),
            ..MessageOptions::default()
        };
        let proto = DescriptorProto {
            name: Some(arena.alloc_str(message.name())),
            field: arena.alloc_slice_copy(&fields),
            nested_type: arena.alloc_slice_copy(&entries),
            oneof_decl: arena.alloc_slice_copy(&oneofs),
            options: Some(arena.alloc(options)),
            ..DescriptorProto::default()
        };
        self.messages.insert(message.full_name().to_owned(), proto);
    }

    fn type_of(&mut self, field: &FieldDescriptor) -> Option<&'a str> {
        if let Some(item) = field.enumeration() {
            self.add_enum(item);
            return Some(self.arena.alloc_str(&format!(".{}", item.full_name())));
        }
        let message = field.message()?;
        self.add(message);
        Some(self.arena.alloc_str(&format!(".{}", message.full_name())))
    }

    fn add_enum(&mut self, item: &EnumDescriptor) {
        let arena = self.arena;
        let values: Vec<_> = item
            .values()
            .map(|(name, number)| EnumValueDescriptorProto {
                name: Some(arena.alloc_str(name)),
                number: Some(number),
                ..EnumValueDescriptorProto::default()
            })
            .collect();
        let kind = if item.is_open() { EnumType::Open } else { EnumType::Closed };
        let features = arena.alloc(FeatureSet { enum_type: Some(kind), ..FeatureSet::default() });
        let options = arena.alloc(EnumOptions { features: Some(features), ..EnumOptions::default() });
        let proto = EnumDescriptorProto {
            name: Some(arena.alloc_str(item.full_name().rsplit('.').next().unwrap())),
            value: arena.alloc_slice_copy(&values),
            options: Some(options),
            ..EnumDescriptorProto::default()
        };
        self.enums.insert(item.full_name().to_owned(), proto);
    }

    fn field(&mut self, field: &FieldDescriptor) -> FieldDescriptorProto<'a> {
        let arena = self.arena;
        let repeated = field.cardinality() == Cardinality::Repeated;
        let presence = match (field.cardinality(), field.has_presence()) {
            (Cardinality::Required, _) => FieldPresence::LegacyRequired,
            (Cardinality::Optional, false) => FieldPresence::Implicit,
            _ => FieldPresence::Explicit,
        };
        let packed = if field.is_packed() { RepeatedFieldEncoding::Packed } else { RepeatedFieldEncoding::Expanded };
        let delimited = field.ty() == Type::Group;
        let encoding = if delimited { MessageEncoding::Delimited } else { MessageEncoding::LengthPrefixed };
        let lenient = field.name().starts_with("lenient");
        let features = arena.alloc(FeatureSet {
            field_presence: (!repeated && field.oneof().is_none()).then_some(presence),
            repeated_field_encoding: repeated.then_some(packed),
            message_encoding: Some(encoding),
            utf8_validation: Some(if lenient { Utf8Validation::None } else { Utf8Validation::Verify }),
            ..FeatureSet::default()
        });
        let options = arena.alloc(FieldOptions { features: Some(features), ..FieldOptions::default() });
        let (ty, type_name) = match field.is_map() {
            true => (Wire::Message, Some(arena.alloc_str(&format!("{}_entry", field.name())))),
            false => (wire(field.ty()), self.type_of(field)),
        };
        FieldDescriptorProto {
            name: Some(arena.alloc_str(field.name())),
            number: Some(field.number() as i32),
            label: Some(if repeated { Label::Repeated } else { Label::Optional }),
            r#type: Some(ty),
            type_name,
            oneof_index: field.oneof().map(|index| index as i32),
            json_name: Some(arena.alloc_str(field.json_name())),
            options: Some(options),
            ..FieldDescriptorProto::default()
        }
    }
}

/// In editions groups are messages.
fn wire(ty: Type) -> Wire {
    match ty {
        Type::Double => Wire::Double,
        Type::Float => Wire::Float,
        Type::Int64 => Wire::Int64,
        Type::Uint64 => Wire::Uint64,
        Type::Int32 => Wire::Int32,
        Type::Fixed64 => Wire::Fixed64,
        Type::Fixed32 => Wire::Fixed32,
        Type::Bool => Wire::Bool,
        Type::String => Wire::String,
        Type::Group | Type::Message => Wire::Message,
        Type::Bytes => Wire::Bytes,
        Type::Uint32 => Wire::Uint32,
        Type::Enum => Wire::Enum,
        Type::Sfixed32 => Wire::Sfixed32,
        Type::Sfixed64 => Wire::Sfixed64,
        Type::Sint32 => Wire::Sint32,
        Type::Sint64 => Wire::Sint64,
    }
}

/// One pool for all.
fn pool() -> &'static DescriptorPool {
    static POOL: std::sync::OnceLock<DescriptorPool> = std::sync::OnceLock::new();
    POOL.get_or_init(make_pool)
}

fn make_pool() -> DescriptorPool {
    let arena = Arena::new();
    let mut files = Files::new(&arena);
    files.add(Odd::DESCRIPTOR);
    files.add(Bare::DESCRIPTOR);
    files.pool("t")
}

/// What can be seen of a struct, and of a message of the pool, that are decoded from this wire.
fn agree<'a, M: Message<'a> + Debug>(
    pool: &'a DescriptorPool,
    wire: &'a [u8],
    earlier: &[u8],
    options: DecodeOptions,
    arena: &'a Arena,
) {
    let ty = pool.message(M::DESCRIPTOR.full_name()).unwrap();
    let say =
        |message: MessageRef<'_>, bytes: &[u8]| format!("{message:?} {:?} {bytes:02x?}", message.unknown_fields());
    let doors: [(Result<M, _>, _); 2] = [
        (options.decode(wire, arena), DynamicMessage::decode_with(ty, wire, &options, arena)),
        (options.decode_borrowed(wire, arena), DynamicMessage::decode_borrowed_with(ty, wire, &options, arena)),
    ];
    for (expected, dynamic) in doors {
        match (expected, dynamic) {
            (Ok(expected), Ok(dynamic)) => {
                let expected_bytes = expected.encode_to_vec();
                let bytes = dynamic.encode_to_vec();
                assert_eq!(say(dynamic.as_ref(), &bytes), say(MessageRef::of(&expected), &expected_bytes));
                assert_eq!(dynamic.encoded_len(), bytes.len());
                assert_eq!(dynamic.encode_in(arena), bytes);
            }
            (expected, dynamic) => {
                let say = |error: &defiant::DecodeError| format!("{error} {}", error.offset());
                let expected = expected.map(|message| format!("{message:?}")).map_err(|error| say(&error));
                let dynamic = dynamic.map(|message| format!("{message:?}")).map_err(|error| say(&error));
                assert_eq!(dynamic, expected, "{wire:02x?}");
            }
        }
    }
    // Into what is there already.
    let (Ok(mut expected), Ok(mut dynamic)) =
        (options.decode::<M>(earlier, arena), DynamicMessage::decode_with(ty, earlier, &options, arena))
    else {
        return;
    };
    let outcomes = (options.merge(&mut expected, wire, arena), dynamic.merge_with(wire, &options, arena));
    let outcomes = (outcomes.0.map_err(|error| error.to_string()), outcomes.1.map_err(|error| error.to_string()));
    assert_eq!(outcomes.0, outcomes.1);
    assert_eq!(
        say(dynamic.as_ref(), &dynamic.encode_to_vec()),
        say(MessageRef::of(&expected), &expected.encode_to_vec()),
        "{wire:02x?}"
    );
}

/// Fields of `Odd` and others, mostly valid.
fn odd() -> impl Strategy<Value = Vec<u8>> {
    let number = prop_oneof![1u32..18, 60u32..67, 70u32..72, Just(300u32)];
    let leaf = (number.clone(), 0u32..6, vec(any::<u8>(), 0..12)).prop_map(|(number, wire_type, bytes)| {
        let mut wire = Vec::new();
        put(&mut wire, u64::from(number << 3 | wire_type));
        match wire_type {
            0 => put(&mut wire, bytes.first().copied().map_or(1, |byte| u64::from(byte >> 6).wrapping_sub(2))),
            1 => wire.extend([7; 8]),
            2 => {
                put(&mut wire, bytes.len() as u64);
                wire.extend(bytes.iter().map(|byte| byte & if bytes.len() % 3 == 0 { 0xff } else { 0x1f }));
            }
            3 => put(&mut wire, u64::from(number << 3 | 4)),
            5 => wire.extend([9; 4]),
            _ => put(&mut wire, u64::from(number << 3 | 2)),
        }
        wire
    });
    let needs = (0u8..3, any::<bool>()).prop_map(|(level, whole)| {
        let mut wire = vec![8, 1, 0x12, 1, b'x', 0x18, level];
        if whole {
            wire.extend([0x22, 0]);
        }
        wire
    });
    let message = prop_oneof![vec(leaf, 0..8).prop_map(|fields| fields.concat()), needs];
    message.prop_recursive(4, 40, 6, move |inner| {
        vec((number.clone(), any::<bool>(), inner), 0..6).prop_map(|fields| {
            let mut wire = Vec::new();
            for (number, group, inner) in fields {
                if group {
                    put(&mut wire, u64::from(number << 3 | 3));
                    wire.extend(&inner);
                    put(&mut wire, u64::from(number << 3 | 4));
                } else {
                    put(&mut wire, u64::from(number << 3 | 2));
                    put(&mut wire, inner.len() as u64);
                    wire.extend(&inner);
                }
            }
            wire
        })
    })
}

fn put(wire: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        wire.push(value as u8 | 0x80);
        value >>= 7;
    }
    wire.push(value as u8);
}

fn options() -> impl Strategy<Value = DecodeOptions> {
    (0u32..8, any::<bool>())
        .prop_map(|(depth, keep)| DecodeOptions::new().recursion_limit(depth * 3).unknown_fields(keep))
}

proptest! {
    #![proptest_config(crate::cases(60))]

    #[test]
    fn whole_messages_agree(all in message(), earlier in message()) {
        let (pool, arena) = (pool(), Arena::new());
        let (wire, earlier) = (all.encode_to_vec(), earlier.encode_to_vec());
        agree::<All<'_>>(pool, &wire, &earlier, DecodeOptions::new(), &arena);
    }

    #[test]
    fn damaged_messages_agree(
        all in message(),
        damage in vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        options in options(),
    ) {
        let (pool, arena) = (pool(), Arena::new());
        let mut wire = all.encode_to_vec();
        for (index, byte) in damage {
            if !wire.is_empty() {
                let at = index.index(wire.len());
                wire[at] = byte;
            }
        }
        agree::<All<'_>>(pool, &wire, &[], options, &arena);
    }
}

proptest! {
    #![proptest_config(crate::cases(400))]

    #[test]
    fn odd_messages_agree(wire in odd(), earlier in odd(), options in options()) {
        let (pool, arena) = (pool(), Arena::new());
        agree::<Odd<'_>>(pool, &wire, &earlier, options, &arena);
        agree::<Set<'_>>(pool, &wire, &earlier, options, &arena);
        agree::<Needs<'_>>(pool, &wire, &earlier, options, &arena);
        agree::<Bare<'_>>(pool, &wire, &earlier, options, &arena);
    }
}

/// Some of the required fields of `Needs`, one bit each, and what is inside of `next`.
fn needs(bits: u8, level: u8, next: Option<&[u8]>) -> Vec<u8> {
    let fields: [&[u8]; 4] = [&[8, 1], &[0x12, 1, b'x' | (level << 7)], &[0x18, 1 + (level & 2)], &[0x22, 0]];
    let mut wire = Vec::new();
    for (index, field) in fields.iter().enumerate() {
        if bits >> index & 1 != 0 {
            wire.extend(*field);
        }
    }
    if let Some(next) = next {
        wire.extend([0x2a, next.len() as u8]);
        wire.extend(next);
    }
    wire
}

proptest! {
    #![proptest_config(crate::cases(300))]

    #[test]
    fn required_fields_agree(pieces in vec((12u32..15, prop_oneof![4 => Just(15u8), 2 => 0u8..16], 0u8..24), 1..5)) {
        let (pool, arena) = (pool(), Arena::new());
        let (mut wire, mut bare) = (Vec::new(), Vec::new());
        for (number, bits, kind) in pieces {
            let level = if kind < 4 { kind } else { 0 };
            let inner = needs(bits | (u8::from(kind > 12) * 15), level, None);
            let needs = needs(bits, level, (kind % 3 == 0).then_some(&inner));
            let group = number == 13;
            put(&mut wire, u64::from(number << 3 | if group { 3 } else { 2 }));
            if !group {
                put(&mut wire, needs.len() as u64);
            }
            wire.extend(&needs);
            if group {
                put(&mut wire, u64::from(number << 3 | 4));
            }
            bare.extend(needs);
        }
        agree::<Odd<'_>>(pool, &wire, &wire, DecodeOptions::new(), &arena);
        agree::<Needs<'_>>(pool, &bare, &bare, DecodeOptions::new(), &arena);
    }
}

#[test]
fn descriptors_agree() {
    let pool = pool();
    for expected in [All::DESCRIPTOR, Odd::DESCRIPTOR, Needs::DESCRIPTOR, Set::DESCRIPTOR] {
        let made = pool.message(expected.full_name()).unwrap().descriptor();
        assert_eq!(format!("{made:?}"), format!("{expected:?}"));
        for (made, expected) in made.fields().iter().zip(expected.fields()) {
            let say = |field: &FieldDescriptor| {
                let message = field.message().map(|message| message.full_name().to_owned());
                let item = field.enumeration().map(|item| format!("{} {}", item.full_name(), item.is_open()));
                (
                    field.json_name().to_owned(),
                    field.has_presence(),
                    field.is_packed(),
                    field.oneof(),
                    field.key_type(),
                    message,
                    item,
                )
            };
            assert_eq!(say(made), say(expected), "{}", made.name());
        }
        assert_eq!(made.oneofs().len(), expected.oneofs().len());
    }
}

#[test]
fn memory_is_that_of_structs() {
    let (pool, arena) = (pool(), Arena::new());
    let ty = pool.message("t.All").unwrap();
    // Many small elements, again and again with others between: linear, and within the limit.
    let mut wire = Vec::new();
    for index in 0..20_000u32 {
        wire.extend([0x9a, 1, 2, 8, index as u8 & 0x7f, 8, 1, 0x8a, 1, 2, 8, 1]);
    }
    let options = DecodeOptions::new().memory_limit(40 * wire.len());
    let dynamic = DynamicMessage::decode_with(ty, &wire, &options, &arena).unwrap();
    let Some(Value::List(leaves)) = dynamic.as_ref().get_by_name("leaves") else { panic!("a list") };
    assert_eq!(leaves.len(), 20_000);
    let little = DecodeOptions::new().memory_limit(3 * wire.len());
    assert!(DynamicMessage::decode_with(ty, &wire, &little, &arena).unwrap_err().is_memory_limit());
    // What fails gives its memory back.
    let mut arena = Arena::new();
    let mut most = 0;
    for _ in 0..50 {
        assert!(DynamicMessage::decode_with(ty, &wire[..wire.len() - 1], &options, &arena).is_err());
        assert!(DynamicMessage::decode_with(ty, &wire, &options, &arena).is_ok());
        if most == 0 {
            arena.reset();
            most = arena.held_bytes();
        }
        arena.reset();
    }
    assert_eq!(arena.held_bytes(), most);
}

/// What of an entry is not kept is not counted, here as in a struct.
#[test]
fn whatever_is_taken_counts() {
    let ty = pool().message("t.All").unwrap();
    let arena = Arena::new();
    let _ = DynamicMessage::new(ty, &arena);
    let outermost = arena.used_bytes();
    for (name, wire) in crate::memory::hungry() {
        crate::memory::counts(name, outermost, |options, arena| {
            DynamicMessage::decode_with(ty, &wire, options, arena).map(|_| ())
        });
    }
}

#[test]
fn limits_of_unknown_fields_agree() {
    let arena = Arena::new();
    let pool = make_pool();
    let ty = pool.message("t.Odd").unwrap();
    // `level_of`: a number that the closed enum does not have; a field that the entry does not have; another number later.
    // `lenient_map`: a key that is not UTF-8, and another one later; the same of values.
    for (wire, kept) in [
        (&[0x22, 4, 8, 1, 0x10, 99][..], 6),
        (&[0x22, 6, 8, 1, 0x10, 1, 0x18, 1], 0),
        (&[0x22, 6, 8, 1, 0x10, 99, 0x10, 1], 0),
        (&[0x32, 3, 0x0a, 1, 0xff], 5),
        (&[0x32, 6, 0x0a, 1, 0xff, 0x0a, 1, b'k'], 0),
        (&[0x32, 6, 0x12, 1, 0xff, 0x12, 1, b'v'], 0),
    ] {
        for limit in 0..8 {
            let options = DecodeOptions::new().unknown_fields_limit(limit);
            let typed = options.decode::<Odd<'_>>(wire, &arena).map(|odd| odd.unknown_fields.byte_len());
            let dynamic = DynamicMessage::decode_with(ty, wire, &options, &arena);
            assert_eq!(typed.ok(), (limit >= kept).then_some(kept), "{limit}");
            assert_eq!(dynamic.is_ok(), limit >= kept, "{limit}");
        }
    }
}
