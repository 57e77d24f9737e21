//! The golden files, compiled by a crate that denies what it can.

/// `proto2.proto`.
#[no_implicit_prelude]
pub mod proto2 {
    ::core::include!("golden/proto2/golden.proto2.rs");
}

/// The tree of `proto3.proto`.
#[no_implicit_prelude]
pub mod tree {
    ::core::include!("golden/proto3/protos.rs");
}

/// The tree of `extensions.proto`.
#[no_implicit_prelude]
pub mod extensions {
    ::core::include!("golden/extensions/protos.rs");
}

/// The tree of `edition2023.proto`.
#[no_implicit_prelude]
pub mod edition2023 {
    ::core::include!("golden/edition2023/protos.rs");
}

/// The tree of `edition2024.proto`.
#[no_implicit_prelude]
pub mod edition2024 {
    ::core::include!("golden/edition2024/protos.rs");
}

#[test]
fn declared_defaults() {
    let defaults = proto2::Defaults::default();
    assert_eq!(defaults.negative(), -1);
    assert_eq!(defaults.most(), u64::MAX);
    assert_eq!(defaults.infinite(), f32::INFINITY);
    assert!(defaults.not_a_number().is_nan());
    assert!(defaults.minus_zero().is_sign_negative());
    assert_eq!(defaults.text(), "a \"quoted\" \\ line\n\t\u{1} \u{e9} \u{202e}");
    assert_eq!(defaults.data(), b"\x00\xff\"\\\n?");
    assert_eq!(defaults.kind(), proto2::Kind::A);
    assert_eq!(defaults.level(), proto2::defaults::inner::Level::High);
    assert_eq!(defaults.required_with_default, 12);
}

#[test]
fn there_and_back() {
    use defiant::{Arena, Message as _};
    use tree::golden::proto3::{Color, Person, person};

    let arena = Arena::new();
    let address = person::Address { street: "Main", ..person::Address::default() };
    let person = Person {
        name: "Ada",
        color: Color::Red,
        numbers: &[1, -2],
        contact: Some(person::Contact::Address(&address)),
        scalar: Some(person::Scalar::On(true)),
        ..Person::default()
    };
    let wire = person.encode_to_vec();
    assert_eq!(Person::decode(&wire[..], &arena).expect("it decodes"), person);
}

#[test]
fn edition_2023_on_the_wire() {
    use defiant::{Arena, Map, Message as _};
    use edition2023::golden::edition2023::{Encodings, Enums, Level, Open, Presence, encodings, presence};

    let arena = Arena::new();
    let part = encodings::Part { x: Some(1), ..encodings::Part::default() };
    let encodings = Encodings {
        expanded: &[1, 2],
        packed: &[3, 4],
        levels: &[Level::High],
        delimited: Some(&part),
        prefixed: Some(&part),
        parts: arena.vec_from_iter([part, part]).into_slice(),
        by_name: Map::new(&arena, [("k", part)]),
        ..Encodings::default()
    };
    let wire = encodings.encode_to_vec();
    // The bytes by hand: what each feature means.
    let expected: &[&[u8]] = &[
        &[0x08, 1, 0x08, 2],
        &[0x12, 2, 3, 4],
        &[0x1a, 1, 2],
        &[0x23, 0x08, 1, 0x24],
        &[0x2a, 2, 0x08, 1],
        &[0x33, 0x08, 1, 0x34, 0x33, 0x08, 1, 0x34],
        &[0x3a, 7, 0x0a, 1, b'k', 0x12, 2, 0x08, 1],
    ];
    assert_eq!(wire, expected.concat());
    assert_eq!(Encodings::decode(&wire, &arena).expect("it decodes"), encodings);

    // Implicit presence leaves a zero out, explicit presence does not, and what is required must be there.
    let presence = Presence { edition: Some(0), implicit: 0, needed: "", ..Presence::default() };
    assert_eq!(presence.encode_to_vec(), [0x08, 0, 0x1a, 0]);
    assert_eq!(presence.with_default(), -7);
    let choice = Presence { choice: Some(presence::Choice::Again(&presence)), ..presence };
    assert_eq!(Presence::decode(&choice.encode_to_vec(), &arena).expect("it decodes"), choice);
    assert!(Presence::decode(&[], &arena).is_err());

    // Closed enums leave an unknown value to the unknown fields, open ones have it.
    let enums = Enums::decode(&[0x08, 9, 0x10, 9, 0x18, 3], &arena).expect("it decodes");
    assert_eq!((enums.level, enums.open, enums.unknown_fields.byte_len()), (None, Open(9), 2));
}

#[test]
fn edition_2024_on_the_wire() {
    use defiant::{Arena, Message as _};
    use edition2024::golden::edition2024::{Hidden, Kind, Sealed, Shared};

    let arena = Arena::new();
    let hidden = Hidden { data: b"d", ..Hidden::default() };
    let shared = Shared {
        packed: &[-1],
        expanded: &[-1],
        hidden: Some(&hidden),
        group_like: Some(&hidden),
        kind: Kind::One,
        sealed: Some(Sealed::B),
        ..Shared::default()
    };
    let wire = shared.encode_to_vec();
    let expected: &[&[u8]] =
        &[&[0x1a, 1, 1], &[0x20, 1], &[0x2a, 3, 0x0a, 1, b'd'], &[0x33, 0x0a, 1, b'd', 0x34], &[0x38, 1], &[0x40, 2]];
    assert_eq!(wire, expected.concat());
    assert_eq!(Shared::decode(&wire, &arena).expect("it decodes"), shared);
    assert_eq!((shared.count, shared.port()), (0, 80));
}

#[test]
fn extensions_on_the_wire() {
    use defiant::{Arena, Message as _};
    use extensions::golden::extended::Host;
    use extensions::golden::extensions::{self as e, Inner, Level, Many, Point, Set, Task, holder, point};

    let arena = Arena::new();
    let mut task = Task::default();
    // What is declared, while nothing is set.
    assert_eq!(e::PRIORITY.get_or_default(&task).expect("no error"), 5);
    assert_eq!(e::NOTE.get_or_default(&task).expect("no error"), "a \"quoted\" note that is rather long, as notes go");
    assert_eq!(e::DATA.get_or_default(&task).expect("no error"), b"\x00\xff");
    assert_eq!(e::LEVEL.get_or_default(&task).expect("no error"), Level::High);
    assert_eq!(e::WEIGHT.get_or_default(&task).expect("no error"), f64::NEG_INFINITY);

    let place = Point { x: Some(1), ..Point::default() };
    e::PRIORITY.set(&mut task, -1, &arena);
    e::OFFSETS.set(&mut task, &[1, -1], &arena);
    e::MARKS.set(&mut task, &[1, 2], &arena);
    e::AT.set(&mut task, &place, &arena);
    e::INNER.set(&mut task, &Inner { text: Some("t"), ..Inner::default() }, &arena);
    e::MANY.add(&mut task, &Many::default(), &arena);
    holder::KIND.set(&mut task, holder::Kind::A, &arena);
    holder::value::VALUES.set(&mut task, &[holder::Value::default(); 2], &arena);
    // The bytes by hand.
    let expected: &[&[u8]] = &[
        &[0xa0, 6, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1],
        &[0xd2, 6, 2, 2, 1],
        &[0xdd, 6, 1, 0, 0, 0, 0xdd, 6, 2, 0, 0, 0],
        &[0xf2, 6, 2, 0x08, 1],
        &[0x83, 7, 0x0a, 1, b't', 0x84, 7],
        &[0x8b, 7, 0x8c, 7],
        &[0xc8, 7, 0],
        &[0xc2, 7, 0, 0xc2, 7, 0],
    ];
    let wire = task.encode_in(&arena);
    assert_eq!(wire, expected.concat());
    let again = Task::decode(wire, &arena).expect("it decodes");
    assert_eq!(e::PRIORITY.get(&again).expect("no error"), Some(-1));
    assert_eq!(e::OFFSETS.get(&again, &arena).expect("no error"), [1, -1]);
    assert_eq!(e::AT.get(&again, &arena).expect("no error"), Some(&place));
    assert_eq!(holder::value::VALUES.get(&again, &arena).expect("no error").len(), 2);

    // A closed enum has no third value.
    let open = Task::decode(&[0xb8, 6, 3, 0xe0, 6, 3, 0xe0, 6, 1], &arena).expect("it decodes");
    assert_eq!(e::LEVEL.get(&open).expect("no error"), None);
    assert_eq!(e::LEVELS.get(&open, &arena).expect("no error"), [Level::Low]);

    let mut host = Host::default();
    e::TASK.set(&mut host, &task, &arena);
    assert_eq!(e::TASK.get(&host, &arena).expect("no error"), Some(&again));

    let mut set = Set::default();
    point::POINT.set(&mut set, &place, &arena);
    point::FAR.set(&mut set, &place, &arena);
    let wire = set.encode_in(&arena);
    assert_eq!(wire[..9], [0x0b, 0x10, 0xe8, 0x07, 0x1a, 2, 0x08, 1, 0x0c]);
    let set = Set::decode(wire, &arena).expect("it decodes");
    assert_eq!(point::FAR.get(&set, &arena).expect("no error"), Some(&place));
}

#[test]
fn redacted_extensions_in_text() {
    use defiant::Arena;
    use defiant::reflect::Registry;
    use defiant::text::{EncodeOptions, display};
    use extensions::golden::extensions::{self as e, Point, Task};

    let arena = Arena::new();
    let mut task = Task::default();
    e::PRIORITY.set(&mut task, 1, &arena);
    e::TOKEN.set(&mut task, "abc", &arena);
    e::TRACKS.set(&mut task, &[Point::default(); 2], &arena);
    e::PIN.set(&mut task, 1234, &arena);
    assert_eq!(e::PIN.default(), 1);

    let mut registry = Registry::new();
    registry.add_extension(&e::PRIORITY).add_extension(&e::TOKEN).add_extension(&e::TRACKS).add_extension(&e::PIN);
    let shown = EncodeOptions::new().resolver(&registry);
    assert_eq!(
        display(&task).with(shown.redact(true)).to_string(),
        "[golden.extensions.priority]: 1 [golden.extensions.token]: [REDACTED] \
         [golden.extensions.tracks]: [REDACTED] [golden.extensions.pin]: [REDACTED]"
    );
    assert!(display(&task).with(shown).to_string().contains("1234"));
}

/// The options of a field, as the compiler leaves them in the descriptor set.
#[test]
fn custom_options_are_read() {
    use defiant::wkt::FileDescriptorSet;
    use defiant::{Arena, Message as _};
    use extensions::golden::extensions::{REASON, SHAPE};

    let room = crate::support::Room::new(&[]);
    let golden = crate::support::golden();
    let mut config = room.config();
    config.file_descriptor_set_path(room.path("set.bin"));
    config.compile_protos(&[golden.join("extensions.proto")], &[golden]).expect("the golden file compiles");
    let wire = std::fs::read(room.path("set.bin")).expect("the descriptor set");
    let arena = Arena::new();
    let set = FileDescriptorSet::decode(&wire, &arena).expect("it decodes");
    let mut messages = set.file.iter().flat_map(|file| file.message_type);
    let optioned = messages.find(|message| message.name() == "Optioned").expect("it is there");
    let options = optioned.field[0].options();
    assert_eq!(REASON.get(options).expect("no error"), Some("because"));
    assert!(SHAPE.get(options, &arena).expect("no error").is_empty());
}
