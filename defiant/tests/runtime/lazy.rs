//! Messages that stay encoded until they are asked for.

use defiant::{Arena, DecodeOptions, Encoder, Lazy, Message, UnknownFields};
use proptest::prelude::*;

use super::messages::Leaf;

messages! {
    #[derive(Clone, Copy, Debug, PartialEq, Message)]
    #[defiant(name = "t.Eager")]
    struct Eager<'arena> {
        #[defiant(int32, tag = 1)]
        id: i32,
        #[defiant(message, tag = 2)]
        leaf: Option<&'arena Leaf<'arena>>,
        #[defiant(message, repeated, tag = 3)]
        leaves: &'arena [Leaf<'arena>],
        #[defiant(message, tag = 4)]
        inner: Option<&'arena Eager<'arena>>,
        #[defiant(unknown)]
        unknown_fields: UnknownFields<'arena>,
    }

    #[derive(Clone, Copy, Debug, PartialEq, Message)]
    #[defiant(name = "t.Sluggish")]
    pub(crate) struct Sluggish<'arena> {
        #[defiant(int32, tag = 1)]
        pub id: i32,
        #[defiant(message, lazy, tag = 2)]
        pub leaf: Option<Lazy<'arena, Leaf<'arena>>>,
        #[defiant(message, repeated, lazy, tag = 3)]
        pub leaves: &'arena [Lazy<'arena, Leaf<'arena>>],
        #[defiant(message, lazy, tag = 4)]
        pub inner: Option<Lazy<'arena, Sluggish<'arena>>>,
        #[defiant(unknown)]
        pub unknown_fields: UnknownFields<'arena>,
    }

    #[derive(Clone, Copy, Debug, PartialEq, Message)]
    #[defiant(name = "t.Strict")]
    struct Strict<'arena> {
        #[defiant(message, required, lazy, tag = 1)]
        body: Option<Lazy<'arena, Body<'arena>>>,
        #[defiant(unknown)]
        unknown_fields: UnknownFields<'arena>,
    }

    #[derive(Clone, Copy, Debug, PartialEq, Message)]
    #[defiant(name = "t.Body")]
    struct Body<'arena> {
        #[defiant(uint32, required, tag = 1)]
        first: u32,
        #[defiant(uint32, required, tag = 2)]
        second: u32,
        #[defiant(unknown)]
        unknown_fields: UnknownFields<'arena>,
    }
}

fn agree(eager: &Eager<'_>, lazy: &Sluggish<'_>, arena: &Arena) {
    // The bytes are the bridge between the lifetimes.
    let (eager, lazy) = (eager.encode_to_vec(), lazy.encode_to_vec());
    let (eager, lazy) = (Eager::decode(&eager, arena).unwrap(), Sluggish::decode(&lazy, arena).unwrap());
    assert_eq!(eager.id, lazy.id);
    assert_eq!(eager.leaf(), &lazy.leaf(arena).unwrap());
    assert_eq!(eager.leaf.is_some(), lazy.leaf.is_some());
    let leaves: Vec<_> = lazy.leaves.iter().map(|leaf| leaf.get(arena).unwrap()).collect();
    assert_eq!(eager.leaves, leaves);
    assert_eq!(eager.inner.is_some(), lazy.inner.is_some());
    if let (Some(eager), Some(_)) = (eager.inner, lazy.inner) {
        agree(eager, &lazy.inner(arena).unwrap(), arena);
    }
}

/// Field numbers 1 to 4 with all that an eager message would read.
pub(crate) fn wire() -> impl Strategy<Value = Vec<u8>> {
    let leaf = prop_oneof![
        Just(vec![]),
        any::<u8>().prop_map(|x| vec![8, x & 0x7f]),
        "[a-z]{0,9}".prop_map(|text| [&[0x12, text.len() as u8], text.as_bytes()].concat()),
        any::<u8>().prop_map(|x| vec![0x22, 1, x & 0x7f]),
        Just(vec![0x1a, 2, 8, 2]),
    ];
    let delimited = |tag: u8, content: Vec<u8>| [&[tag, content.len() as u8][..], &content].concat();
    let field = prop_oneof![
        any::<u8>().prop_map(|x| vec![8, x & 0x7f]),
        leaf.clone().prop_map(move |leaf| delimited(0x12, leaf)),
        leaf.clone().prop_map(move |leaf| delimited(0x1a, leaf)),
        leaf.prop_map(move |leaf| delimited(0x22, delimited(0x12, leaf))),
    ];
    proptest::collection::vec(field, 0..12).prop_map(|fields| fields.concat())
}

proptest! {
    #![proptest_config(crate::cases(200))]

    #[test]
    fn lazy_is_as_eager(wire in wire(), more in wire()) {
        let arena = Arena::new();
        agree(&Eager::decode(&wire, &arena).unwrap(), &Sluggish::decode(&wire, &arena).unwrap(), &arena);
        let both = [&wire[..], &more].concat();
        let mut merged = Sluggish::decode_borrowed(&wire, &arena).unwrap();
        merged.merge(&more, &arena).unwrap();
        prop_assert_eq!(merged, Sluggish::decode(&both, &arena).unwrap());
        agree(&Eager::decode(&both, &arena).unwrap(), &merged, &arena);
        let whole = merged.encode_to_vec();
        prop_assert_eq!(merged.encoded_len(), whole.len());
        let mut encoder = Encoder::new().vectored_threshold(1);
        prop_assert_eq!(encoder.encode_vectored(&merged).iter().collect::<Vec<_>>().concat(), whole);
    }
}

#[test]
fn untouched_bytes_are_encoded_as_they_came() {
    let arena = Arena::new();
    // Fields of the leaf in descending order and a varint longer than it needs to be.
    let wire = [0x12, 6, 0x12, 1, b'a', 8, 0x87, 0, 0x1a, 2, 8, 1];
    let message = Sluggish::decode(&wire, &arena).unwrap();
    assert_eq!(message.encode_to_vec(), wire);
    let leaf = message.leaf(&arena).unwrap();
    assert_eq!((leaf.x, leaf.label), (-4, Some("a")));
    // Decoded and encoded again, it is canonical.
    let written = Sluggish { leaf: Some(Lazy::encoded(&leaf, &arena)), ..message };
    assert_eq!(written.encode_to_vec(), [0x12, 5, 8, 7, 0x12, 1, b'a', 0x1a, 2, 8, 1]);
    assert_ne!(written, message);
    assert_eq!(written.leaf(&arena).unwrap(), leaf);
}

#[test]
fn several_occurrences_are_one_message() {
    let arena = Arena::new();
    let wire = [0x12, 2, 8, 2, 0x12, 0, 0x12, 3, 0x12, 1, b'a', 0x12, 2, 8, 4];
    let message = Sluggish::decode(&wire, &arena).unwrap();
    let leaf = message.leaf(&arena).unwrap();
    assert_eq!((leaf.x, leaf.label), (2, Some("a")));
    assert_eq!(message.encode_to_vec(), [0x12, 7, 8, 2, 0x12, 1, b'a', 8, 4]);
    assert_eq!(message, Sluggish::decode(&message.encode_to_vec(), &arena).unwrap());
    // Each occurrence costs the same, however many there were.
    let used = |count: usize| {
        let arena = Arena::with_capacity(10 << 20);
        Sluggish::decode(&[0x12, 2, 8, 2].repeat(count), &arena).unwrap();
        arena.used_bytes()
    };
    let some = if cfg!(miri) { 50 } else { 1_000 };
    assert!(used(10 * some) < 12 * used(some));
    // Whether they lack something is seen when all of them are there.
    let strict = Strict::decode(&[0x0a, 2, 8, 1, 0x0a, 2, 16, 2], &arena).unwrap();
    let body = strict.body(&arena).unwrap();
    assert_eq!((body.first, body.second), (1, 2));
    assert!(Strict::decode(&[], &arena).unwrap_err().is_missing_required());
}

/// What one occurrence lacks, the next one does not bring.
#[test]
fn occurrences_are_whole_fields() {
    let arena = Arena::new();
    // A tag, half a number, half a text, a group without its end, the end of one, and no tag at all.
    let pieces: [&[u8]; 7] = [&[8], &[8, 0x80], &[0x12, 3, b'a'], &[0x6b, 8, 1], &[8, 1, 0x6c], &[0x0f], &[0x80]];
    for piece in pieces {
        let first = [&[0x12, piece.len() as u8], piece].concat();
        for behind in
            [&[0x12, 2, 8, 1][..], &[0x12, 3, 1, 8, 1], &[0x12, 3, b'b', b'c', 8], &[0x12, 1, 0x6c], &[0x12, 0]]
        {
            let wire = [&first[..], behind].concat();
            assert!(Eager::decode(&wire, &arena).is_err(), "{wire:?}");
            let error = Sluggish::decode(&wire, &arena).unwrap_err();
            assert!(error.to_string().starts_with("Sluggish.leaf: truncated at byte "), "{error}");
            let mut message = Sluggish::decode(&first, &arena).unwrap();
            assert!(message.merge(behind, &arena).is_err());
            assert_eq!(message.encode_to_vec(), first);
        }
        // The last one is looked at when it is asked for.
        let message = Sluggish::decode(&[&[0x12, 2, 8, 1][..], &first].concat(), &arena).unwrap();
        assert!(message.leaf(&arena).is_err());
    }
}

#[test]
fn errors_come_when_asked_for_with_their_place() {
    let arena = Arena::new();
    let message = Sluggish::decode(&[8, 1, 0x12, 4, 8, 2, 0x12, 9, 0x1a, 3, 0x12, 1, 0xff], &arena).unwrap();
    let error = message.leaf(&arena).unwrap_err();
    assert!(error.is_truncated());
    assert_eq!(error.to_string(), "Sluggish.leaf: Leaf.label: truncated at byte 3");
    let error = message.leaves[0].get(&arena).unwrap_err();
    assert!(error.is_invalid_utf8());
    assert_eq!(error.to_string(), "Leaf.label: invalid UTF-8 at byte 2");
    let strict = Strict::decode(&[0x0a, 0], &arena).unwrap();
    let error = strict.body(&arena).unwrap_err();
    assert!(error.is_missing_required() && error.to_string().starts_with("Strict.body: Body.first: "), "{error}");
    // A length that runs over the end is an error at once.
    assert!(Sluggish::decode(&[0x12, 9], &arena).unwrap_err().is_truncated());
}

#[test]
fn limits_reach_inside() {
    let nest = |depth: usize| {
        let mut wire: Vec<u8> = vec![8, 1];
        for _ in 0..depth {
            let mut len = [0; 4];
            let (mut rest, mut count) = (wire.len(), 0);
            loop {
                len[count] = rest as u8 & 0x7f | if rest > 0x7f { 0x80 } else { 0 };
                (rest, count) = (rest >> 7, count + 1);
                if rest == 0 {
                    break;
                }
            }
            wire = [&[0x22][..], &len[..count], &wire].concat();
        }
        wire
    };
    let arena = Arena::new();
    let descend = |limit: u32, depth: usize| {
        let options = DecodeOptions::new().recursion_limit(limit);
        let mut message: Sluggish<'_> = options.decode(&nest(depth), &arena)?;
        let mut levels = 0;
        while message.inner.is_some() {
            message = message.inner(&arena)?;
            levels += 1;
        }
        Ok::<_, defiant::DecodeError>((levels, message.id))
    };
    assert_eq!(descend(100, 100).unwrap(), (100, 1));
    assert!(descend(100, 101).unwrap_err().is_recursion_limit());
    assert!(descend(0, 1).unwrap_err().is_recursion_limit());
    // A leaf of many leaves takes more memory than the whole decode was given.
    let wire = [&[0x12, 0xd0, 0x0f][..], &[0x22, 1, 7].repeat(672)].concat();
    let options = DecodeOptions::new().memory_limit(wire.len() + 100);
    let message: Sluggish<'_> = options.decode(&wire[..3 + 2_000], &arena).unwrap();
    assert!(message.leaf(&arena).unwrap_err().is_memory_limit());
    // So does what is kept of unknown fields.
    let options = DecodeOptions::new().unknown_fields(false);
    let message: Sluggish<'_> = options.decode(&[0x12, 3, 0xf8, 0x7d, 1], &arena).unwrap();
    assert!(message.leaf(&arena).unwrap().unknown_fields.is_empty());
}

#[cfg(feature = "reflect")]
#[test]
fn memory_that_is_used_up_by_what_is_around() {
    use defiant::reflect::{MessageRef, Value};
    let own = Arena::new();
    let leaf = Leaf { x: 1, label: Some("label"), ..Leaf::default() };
    let message = Sluggish { leaf: Some(Lazy::encoded(&leaf, &own)), ..Sluggish::default() };
    let Some(Value::Lazy(lazy)) = MessageRef::of(&message).get_by_name("leaf") else { panic!("a lazy field") };
    let (mut good, mut bad) = (0, 0);
    for left in 0..600 {
        let arena = Arena::with_capacity(2048);
        arena.set_limit(Some(arena.held_bytes()));
        // What is held has a header, too.
        arena.alloc_slice_copy(&vec![0u8; arena.held_bytes() - 64 - left]);
        match lazy.get(&arena) {
            Ok(_) => good += 1,
            Err(error) => {
                assert!(error.is_memory_limit());
                bad += 1;
            }
        }
        #[cfg(feature = "json")]
        if let Err(error) = defiant::json::encode_in(&message, &arena) {
            assert!(error.is_memory_limit(), "{error}");
        }
    }
    assert!(good > 50 && bad > 50, "{good}, {bad}");
}

#[test]
fn it_shows_what_it_is() {
    let arena = Arena::new();
    let lazy = Lazy::encoded(&Leaf { x: 1, label: Some("a\n"), ..Leaf::default() }, &arena);
    assert_eq!(format!("{lazy:?}"), r#"Lazy(t.Leaf, 6 bytes "\x08\x02\x12\x02a\n")"#);
    let long = Lazy::<Leaf<'_>>::from_encoded(&[b'x'; 100]);
    assert_eq!(format!("{long:?}"), format!("Lazy(t.Leaf, 100 bytes \"{}…\")", "x".repeat(64)));
    assert_eq!(Lazy::<Leaf<'_>>::default(), Lazy::encoded(&Leaf::default(), &arena));
    fn send_and_sync<T: Send + Sync + Copy>(_: T) {}
    send_and_sync(Sluggish::default());
}
