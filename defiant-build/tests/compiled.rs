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
