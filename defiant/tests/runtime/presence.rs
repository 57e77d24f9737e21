//! Presence, defaults and required fields.

use defiant::{Arena, Message, UnknownFields};

use crate::messages::Leaf;

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
    let negative_zero = crate::messages::All { float: -0.0, ..crate::messages::All::default() };
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
