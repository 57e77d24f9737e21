//! Presence, defaults and required fields.

use defiant::{Arena, DecodeOptions, Map, Message, Oneof, UnknownFields};

use super::attacks::field;
use super::messages::{Leaf, Level};

messages! {
    #[derive(Clone, Copy, Debug, PartialEq, Message)]
    #[defiant(name = "t.Strict")]
    struct Strict<'arena> {
        #[defiant(string, required, tag = 1)]
        name: &'arena str,
        #[defiant(int32, optional, tag = 2, default = 7)]
        port: Option<i32>,
        #[defiant(message, required, tag = 3)]
        leaf: Option<&'arena Leaf<'arena>>,
        #[defiant(message, repeated, tag = 4)]
        inner: &'arena [Strict<'arena>],
        #[defiant(unknown)]
        unknown_fields: UnknownFields<'arena>,
    }
}

#[test]
fn accessors_give_the_declared_default() {
    let strict = Strict::default();
    assert_eq!(strict.port(), 7);
    assert_eq!(strict.leaf().x, 0);
    assert_eq!(Strict { port: Some(0), ..strict }.port(), 0);
}

#[test]
fn explicit_presence_survives_and_implicit_zero_is_left_out() {
    let arena = Arena::new();
    let leaf = Leaf { label: Some(""), ..Leaf::default() };
    assert_eq!(leaf.encode_to_vec(), [0x12, 0]);
    assert_eq!(Leaf::decode(&[0x08, 0, 0x12, 0], &arena).unwrap(), leaf);
    let negative_zero = super::messages::All { float: -0.0, ..super::messages::All::default() };
    assert_eq!(negative_zero.encode_to_vec(), [0x5d, 0, 0, 0, 0x80]);
}

#[test]
fn a_missing_required_field_is_named_by_its_path() {
    let arena = Arena::new();
    let error = Strict::decode(&[], &arena).unwrap_err();
    assert!(error.is_missing_required());
    assert_eq!(error.to_string(), "Strict.name: required field missing at byte 0");
    let error = Strict::decode(&[0x0a, 1, b'x', 0x1a, 0, 0x22, 3, 0x0a, 1, b'y'], &arena).unwrap_err();
    assert_eq!(error.to_string(), "Strict.inner: Strict.leaf: required field missing at byte 10");
    let mut whole = Strict::decode(&[0x0a, 1, b'x', 0x1a, 0], &arena).unwrap();
    // A message that has them may be merged with one that has not.
    whole.merge(&[0x10, 1], &arena).unwrap();
    assert_eq!((whole.name, whole.port), ("x", Some(1)));
    assert_eq!(whole.encode_to_vec(), [0x0a, 1, b'x', 0x10, 1, 0x1a, 0]);
}

messages! {
    #[derive(Clone, Copy, Debug, PartialEq, Message)]
    #[defiant(name = "t.Outer")]
    struct Outer<'arena> {
        #[defiant(message, tag = 1)]
        strict: Option<&'arena Strict<'arena>>,
        #[defiant(message, inline, tag = 2)]
        level: Option<Leveled<'arena>>,
        #[defiant(message, tag = 3)]
        outer: Option<&'arena Outer<'arena>>,
        #[defiant(message, repeated, tag = 4)]
        outers: &'arena [Outer<'arena>],
        #[defiant(unknown)]
        unknown_fields: UnknownFields<'arena>,
    }

    #[derive(Clone, Copy, Debug, PartialEq, Message)]
    #[defiant(name = "t.Leveled")]
    struct Leveled<'arena> {
        #[defiant(enumeration, required, tag = 1)]
        level: Level,
        #[defiant(bool, required, tag = 2)]
        sure: bool,
        #[defiant(unknown)]
        unknown_fields: UnknownFields<'arena>,
    }
}

#[test]
fn a_required_field_may_come_with_a_later_occurrence() {
    let arena = Arena::new();
    let name = [0x0a, 3, 0x0a, 1, b'x'];
    let port = [0x0a, 2, 0x10, 9];
    let leaf = [0x0a, 2, 0x1a, 0];
    for wire in [[&name[..], &port, &leaf].concat(), [&leaf[..], &name, &port].concat()] {
        let strict = *Outer::decode(&wire, &arena).unwrap().strict.unwrap();
        assert_eq!((strict.name, strict.port, strict.leaf), ("x", Some(9), Some(&Leaf::default())));
        assert_eq!(*Outer::decode_borrowed(&wire, &arena).unwrap().strict.unwrap(), strict);
    }
    // Also below another message, whose own occurrences move it, and held inline.
    let within = |wire: &[u8]| [&[0x1a, wire.len() as u8][..], wire].concat();
    let wire = [within(&name), within(&[]), within(&leaf), vec![0x12, 2, 0x08, 1], vec![0x12, 2, 0x10, 1]].concat();
    let outer = Outer::decode(&wire, &arena).unwrap();
    assert_eq!(outer.outer.unwrap().strict.unwrap().name, "x");
    assert_eq!(outer.level.map(|level| (level.level, level.sure)), Some((Level::Low, true)));
    // What is still missing in the end is an error at its place.
    for (wire, text) in [
        ([&name[..], &port].concat(), "Outer.strict: Strict.leaf: required field missing at byte 9"),
        (
            [&name[..], &leaf, &[0x22, 2, 0x0a, 0]].concat(),
            "Outer.outers: Outer.strict: Strict.name: required field missing at byte 13",
        ),
    ] {
        assert_eq!(Outer::decode(&wire, &arena).unwrap_err().to_string(), text);
        assert_eq!(Outer::decode_borrowed(&wire, &arena).unwrap_err().to_string(), text);
    }
    // Into a message that is there already, which has them all.
    let mut outer = Outer::decode(&[&name[..], &leaf].concat(), &arena).unwrap();
    outer.merge(&port, &arena).unwrap();
    assert_eq!(outer.strict.map(|strict| (strict.name, strict.port)), Some(("x", Some(9))));
    assert!(Outer::default().merge(&name, &arena).unwrap_err().is_missing_required());
}

messages! {
    #[derive(Clone, Copy, Debug, PartialEq, Message)]
    #[defiant(name = "t.Entries")]
    struct Entries<'arena> {
        #[defiant(map = "int32, message", tag = 1)]
        stricts: Map<'arena, i32, Strict<'arena>>,
        #[defiant(map = "int32, message", tag = 2)]
        leaves: Map<'arena, i32, Leaf<'arena>>,
        #[defiant(unknown)]
        unknown_fields: UnknownFields<'arena>,
    }
}

#[test]
fn an_entry_has_the_required_fields_of_its_value() {
    let arena = Arena::new();
    let entry = |content: &[u8]| [&[0x0a, content.len() as u8][..], content].concat();
    let (name, leaf) = ([0x12, 3, 0x0a, 1, b'x'], [0x12, 2, 0x1a, 0]);
    // In one value or in several, which are one; also when other entries come before and after.
    let whole = entry(&[0x08, 1, 0x12, 5, 0x0a, 1, b'x', 0x1a, 0]);
    for content in [[&name[..], &leaf].concat(), [&leaf[..], &[0x18, 0], &name, &[0x12, 0]].concat()] {
        let wire = [&whole[..], &entry(&content), &entry(&[&[0x08, 2], &content[..]].concat())].concat();
        let entries = Entries::decode(&wire, &arena).unwrap();
        let strict = Strict { name: "x", leaf: Some(&Leaf::default()), ..Strict::default() };
        assert!(entries.stricts.iter().eq(&[(0, strict), (1, strict), (2, strict)]), "{entries:?}");
        assert_eq!(Entries::decode_borrowed(&wire, &arena).unwrap(), entries);
    }
    // An entry without a value has none of them, whatever others have.
    for (content, text) in [
        (&[0x08, 2][..], "Entries.stricts: Strict.name: required field missing at byte 15"),
        (&[], "Entries.stricts: Strict.name: required field missing at byte 13"),
        (&name, "Entries.stricts: Strict.leaf: required field missing at byte 18"),
    ] {
        let wire = [&whole[..], &entry(content), &whole].concat();
        assert_eq!(Entries::decode(&wire, &arena).unwrap_err().to_string(), text);
        assert_eq!(Entries::decode_borrowed(&wire, &arena).unwrap_err().to_string(), text);
    }
    // Where nothing is required, no value is an empty one.
    let entries = Entries::decode(&[0x12, 0, 0x12, 2, 0x08, 3], &arena).unwrap();
    assert!(entries.leaves.iter().eq(&[(0, Leaf::default()), (3, Leaf::default())]), "{entries:?}");
}

#[test]
fn a_number_that_a_closed_enum_does_not_have_is_no_occurrence() {
    let arena = Arena::new();
    let error = Leveled::decode(&[0x08, 5, 0x10, 1], &arena).unwrap_err();
    assert_eq!(error.to_string(), "Leveled.level: required field missing at byte 4");
    let leveled = Leveled::decode(&[0x08, 1, 0x08, 5, 0x10, 1], &arena).unwrap();
    assert_eq!((leveled.level, leveled.unknown_fields.byte_len()), (Level::Low, 2));
}

#[test]
fn waiting_for_required_fields_is_bounded() {
    let arena = Arena::new();
    // Messages inside each other, each with this in it.
    let nest = |depth: usize, strict: &[u8]| {
        (0..depth).fold(Vec::new(), |inner: Vec<u8>, _| field(3, &[&field(1, strict)[..], &inner].concat()))
    };
    for (depth, good) in [(1, true), (63, true), (64, true), (65, false), (90, false)] {
        // First without their names and leaves, then with them.
        let wire = [nest(depth, &[]), nest(depth, &[0x0a, 1, b'x', 0x1a, 0])].concat();
        let decoded = Outer::decode(&wire, &arena);
        assert_eq!(decoded.is_ok(), good, "{depth}");
        assert!(good || decoded.unwrap_err().is_missing_required());
    }
    // Many elements that miss something do not make it slow.
    let wire = [0x22, 6, 0x0a, 0, 0x0a, 3, 0x0a, 0].repeat(if cfg!(miri) { 100 } else { 50_000 });
    assert!(Outer::decode(&wire, &arena).is_err());
}

messages! {
    #[derive(Clone, Copy, Debug, PartialEq, Oneof)]
    enum LenientChoice<'arena> {
        #[defiant(lenient_string, tag = 4)]
        Text(&'arena str),
        #[defiant(int32, tag = 5)]
        Number(i32),
    }

    #[derive(Clone, Copy, Debug, PartialEq, Message)]
    #[defiant(name = "t.Lenient")]
    struct Lenient<'arena> {
        #[defiant(lenient_string, required, tag = 1)]
        one: &'arena str,
        #[defiant(lenient_string, repeated, tag = 2)]
        many: &'arena [&'arena str],
        #[defiant(map = "lenient_string, lenient_string", tag = 3)]
        pairs: Map<'arena, &'arena str, &'arena str>,
        #[defiant(oneof = "LenientChoice", tags = "4, 5")]
        choice: Option<LenientChoice<'arena>>,
        #[defiant(unknown)]
        unknown_fields: UnknownFields<'arena>,
    }
}

#[test]
fn a_lenient_string_that_is_not_utf8_goes_to_the_unknown_fields() {
    let arena = Arena::new();
    let good = [
        &[0x0a, 1, b'x'][..],
        &[0x12, 1, b'a', 0x12, 2, 0xc3, 0xb6],
        &[0x1a, 6, 0x0a, 1, b'k', 0x12, 1, b'v'],
        &[0x28, 7],
    ];
    let bad = [
        &[0x0a, 2, b'y', 0xff][..],
        &[0x12, 1, 0x80],
        &[0x1a, 6, 0x0a, 1, 0xff, 0x12, 1, b'v'],
        &[0x1a, 6, 0x0a, 1, b'k', 0x12, 1, 0xff],
        &[0x22, 1, 0xfe],
    ];
    let wire = [good.concat(), bad.concat()].concat();
    for lenient in [Lenient::decode(&wire, &arena).unwrap(), Lenient::decode_borrowed(&wire, &arena).unwrap()] {
        assert_eq!((lenient.one, lenient.many), ("x", &["a", "ö"][..]));
        assert_eq!(lenient.pairs.entries(), [("k", "v")]);
        assert_eq!(lenient.choice, Some(LenientChoice::Number(7)));
        assert_eq!(lenient.encode_to_vec(), wire);
    }
    assert!(Lenient::decode(bad[0], &arena).unwrap_err().is_missing_required());
}

messages! {
    #[derive(Clone, Copy, Debug, PartialEq, Message)]
    #[defiant(name = "t.Req")]
    struct Req<'arena> {
        #[defiant(int32, required, tag = 1)]
        a: i32,
        #[defiant(unknown)]
        unknown_fields: UnknownFields<'arena>,
    }

    #[derive(Clone, Copy, Debug, PartialEq, Oneof)]
    enum ReqOr<'arena> {
        #[defiant(message, inline, tag = 2)]
        Req(Req<'arena>),
        #[defiant(int32, tag = 3)]
        Number(i32),
    }

    /// Required fields where messages are read that are then copied, or moved with the list they are in.
    #[derive(Clone, Copy, Debug, PartialEq, Message)]
    #[defiant(name = "t.Holder")]
    struct Holder<'arena> {
        #[defiant(message, inline, tag = 1)]
        req: Option<Req<'arena>>,
        #[defiant(oneof = "ReqOr", tags = "2, 3")]
        kind: Option<ReqOr<'arena>>,
        #[defiant(map = "int32, message", tag = 4)]
        map: Map<'arena, i32, Req<'arena>>,
        #[defiant(message, repeated, tag = 5)]
        list: &'arena [Holder<'arena>],
        #[defiant(group, repeated, tag = 6)]
        groups: &'arena [Holder<'arena>],
        #[defiant(unknown)]
        unknown_fields: UnknownFields<'arena>,
    }
}

#[test]
fn a_message_at_the_address_of_an_incomplete_one_is_another() {
    let arena = Arena::new();
    // Each lacks its field in the first message; a second one has it twice.
    let map = [0x22, 4, 8, 1, 0x12, 0, 0x22, 10, 8, 2, 0x12, 2, 8, 7, 0x12, 2, 8, 7];
    let oneofs = [0x2a, 2, 0x12, 0, 0x2a, 8, 0x12, 2, 8, 7, 0x12, 2, 8, 7];
    let inline = [0x2a, 2, 0x0a, 0, 0x2a, 8, 0x0a, 2, 8, 7, 0x0a, 2, 8, 7];
    for wire in [&map[..], &oneofs, &inline] {
        let error = Holder::decode(wire, &arena).unwrap_err();
        assert!(error.is_missing_required() && error.path().ends_with("Req.a"), "{error}");
    }
    // Lists that move.
    for count in 1..12 {
        for begin in [[0x33, 0x0a, 0, 0x34], [0x33, 0x12, 0, 0x34]] {
            let tag = begin[1];
            let mut wire = begin.to_vec();
            wire.extend([0x33, 0x34].repeat(count));
            wire.extend([0x33, tag, 2, 8, 7, tag, 2, 8, 7, 0x34]);
            let error = Holder::decode(&wire, &arena).unwrap_err();
            assert!(error.is_missing_required() && error.path().ends_with("Req.a"), "{count}: {error}");
        }
    }
    // Those that are completed are not taken for others.
    let wire = [0x22, 8, 8, 1, 0x12, 0, 0x12, 2, 8, 7, 0x22, 8, 8, 2, 0x12, 0, 0x12, 2, 8, 7];
    assert_eq!(Holder::decode(&wire, &arena).unwrap().map.len(), 2);
    let wire = [0x0a, 0, 0x12, 0, 0x0a, 2, 8, 7, 0x12, 2, 8, 7];
    assert!(Holder::decode(&wire, &arena).is_ok());
}

messages! {
    #[derive(Clone, Copy, Debug, PartialEq, Message)]
    #[defiant(name = "t.Pair")]
    struct Pair<'arena> {
        #[defiant(bool, required, tag = 1)]
        a: bool,
        #[defiant(bool, required, tag = 2)]
        b: bool,
        #[defiant(unknown)]
        unknown_fields: UnknownFields<'arena>,
    }

    /// Its `Option` and that of its pair have a place for `None`, so that all of them have one address.
    #[derive(Clone, Copy, Debug, PartialEq, Message)]
    #[defiant(name = "t.Framed")]
    #[repr(C)]
    struct Framed<'arena> {
        #[defiant(message, inline, tag = 1)]
        pair: Option<Pair<'arena>>,
        #[defiant(bool, required, tag = 2)]
        c: bool,
        #[defiant(unknown)]
        unknown_fields: UnknownFields<'arena>,
    }

    #[derive(Clone, Copy, Debug, PartialEq, Oneof)]
    enum PairOr<'arena> {
        #[defiant(message, inline, tag = 2)]
        Pair(Pair<'arena>),
        #[defiant(group, inline, tag = 3)]
        Group(Pair<'arena>),
    }

    #[derive(Clone, Copy, Debug, PartialEq, Message)]
    #[defiant(name = "t.Frames")]
    struct Frames<'arena> {
        #[defiant(message, inline, tag = 1)]
        pair: Option<Pair<'arena>>,
        #[defiant(oneof = "PairOr", tags = "2, 3")]
        choice: Option<PairOr<'arena>>,
        #[defiant(message, inline, tag = 4)]
        framed: Option<Framed<'arena>>,
        #[defiant(message, tag = 5)]
        one: Option<&'arena Frames<'arena>>,
        #[defiant(message, tag = 6)]
        other: Option<&'arena Frames<'arena>>,
        #[defiant(unknown)]
        unknown_fields: UnknownFields<'arena>,
    }
}

#[test]
fn messages_held_inline_are_completed_where_they_are() {
    use crate::attacks::field;
    let arena = Arena::new();
    let decode = |parts: &[Vec<u8>]| {
        let wire = parts.concat();
        let result = Frames::decode(&wire, &arena);
        assert_eq!(Frames::decode_borrowed(&wire, &arena).ok(), result.as_ref().ok().copied());
        result
    };
    let (a, b, both) = ([8, 1], [0x10, 1], [8, 1, 0x10, 1]);
    let group = |content: &[u8]| [&[0x1b][..], content, &[0x1c]].concat();
    let framed = |content: &[u8]| field(4, &field(1, content));
    type Way<'w> = &'w dyn Fn(&[u8]) -> Vec<u8>;
    let ways: [Way<'_>; 4] = [&|content| field(1, content), &|content| field(2, content), &group, &framed];
    for (way, hold) in ways.into_iter().enumerate() {
        // A frame is complete on its own.
        let hold = |content: &[u8]| [hold(content), if way == 3 { field(4, &b) } else { vec![] }].concat();
        let (one, other) = (|content: &[u8]| field(5, &hold(content)), |content: &[u8]| field(6, &hold(content)));
        // They follow the message that they are in when that is copied, and none is taken for another.
        assert!(decode(&[one(&a), one(&b)]).is_ok(), "{way}");
        assert!(decode(&[one(&a), other(&both), one(&b)]).is_ok(), "{way}");
        assert!(decode(&[one(&a), other(&b), field(5, &[]), one(&b), field(6, &[]), other(&a)]).is_ok(), "{way}");
        assert!(decode(&[hold(&a), one(&both), hold(&b)]).is_ok(), "{way}");
        for wire in [
            &[other(&both), one(&a), other(&b)][..],
            &[other(&both), field(6, &[]), one(&a), other(&b)],
            &[one(&both), one(&a), other(&a), one(&b)],
            &[one(&a), one(&a), one(&a)],
        ] {
            let error = decode(wire).unwrap_err();
            assert!(error.is_missing_required() && error.path().ends_with("Pair.b"), "{way}: {error}");
        }
    }
    // Each has its own fields, be they at one address.
    let framed = |content: &[u8]| field(4, content);
    assert!(decode(&[framed(&field(1, &a)), framed(&[&b[..], &field(1, &b)].concat())]).is_ok());
    assert!(decode(&[framed(&[&b[..], &field(1, &b)].concat()), framed(&field(1, &a))]).is_ok());
    let error = decode(&[framed(&field(1, &a)), framed(&field(1, &both))]).unwrap_err();
    assert_eq!(error.to_string(), "Frames.framed: Framed.c: required field missing at byte 14");
    let error = decode(&[framed(&[&b[..], &field(1, &b)].concat()), framed(&b)]).unwrap_err();
    assert_eq!(error.to_string(), "Frames.framed: Framed.pair: Pair.a: required field missing at byte 8");
}

/// The limit is for what is kept: of an entry nothing, or all of it.
#[test]
fn unknown_fields_of_entries() {
    let arena = Arena::new();
    let kept = |wire: &[u8], limit: usize| {
        let message = DecodeOptions::new().unknown_fields_limit(limit).decode::<Holder<'_>>(wire, &arena);
        message.map(|message| message.unknown_fields.byte_len())
    };
    // An entry with a field of its own, and one in its message, which is kept there.
    assert_eq!(kept(&[0x22, 8, 8, 1, 0x12, 2, 8, 7, 0x18, 1], 0).unwrap(), 0);
    assert!(kept(&[0x22, 8, 8, 1, 0x12, 4, 8, 7, 0x18, 1], 1).unwrap_err().is_unknown_fields_limit());
    assert_eq!(kept(&[0x22, 8, 8, 1, 0x12, 4, 8, 7, 0x18, 1], 2).unwrap(), 0);
    let lenient = |wire: &[u8], limit: usize| {
        let wire = [&[0x0a, 1, b'r'], wire].concat();
        let message = DecodeOptions::new().unknown_fields_limit(limit).decode::<Lenient<'_>>(&wire, &arena);
        message.map(|message| message.unknown_fields.byte_len())
    };
    for entry in [[0x1a, 6, 0x0a, 1, 0xff, 0x12, 1, b'v'], [0x1a, 6, 0x0a, 1, 0xff, 0x12, 1, 0xfe]] {
        assert_eq!(lenient(&entry, 8).unwrap(), 8);
        assert!(lenient(&entry, 7).unwrap_err().is_unknown_fields_limit());
        assert_eq!(lenient(&entry.repeat(3), 24).unwrap(), 24);
    }
}

/// `Self` in types and defaults.
#[derive(Clone, Copy, Debug, PartialEq, Message)]
#[defiant(name = "t.Chain")]
struct Chain<'a> {
    #[defiant(int32, optional, tag = 1, default = Self::PORT)]
    port: Option<i32>,
    #[defiant(message, tag = 2)]
    next: Option<&'a Self>,
    #[defiant(message, repeated, tag = 3)]
    others: &'a [Self],
    #[defiant(unknown)]
    unknown_fields: UnknownFields<'a>,
}

impl Chain<'_> {
    const PORT: i32 = 7;
}

#[test]
fn a_message_that_names_itself_self() {
    let arena = Arena::new();
    let chain = Chain::decode(&[0x12, 2, 8, 9, 0x1a, 0], &arena).unwrap();
    assert_eq!((chain.port(), chain.next().port(), chain.others.len()), (7, 9, 1));
    #[cfg(feature = "reflect")]
    {
        use defiant::reflect::{MessageRef, Value};
        let message = MessageRef::of(&chain);
        let port = message.descriptor().field(1).unwrap();
        assert_eq!(message.get(port), Value::I32(7));
    }
}
