//! The golden files, compiled by a crate that denies what it can.

/// `proto2.proto`.
#[no_implicit_prelude]
pub mod proto2 {
    ::core::include!("golden/proto2.rs");
}

/// The tree of `proto3.proto`.
#[no_implicit_prelude]
pub mod tree {
    /// The package `golden`.
    pub mod golden {
        /// The package `golden.proto3`.
        pub mod proto3 {
            ::core::include!("golden/proto3.rs");
        }
        /// The package `golden.type`.
        pub mod r#type {
            ::core::include!("golden/keywords.rs");
        }
        /// The package `golden.comments`.
        pub mod comments {
            ::core::include!("golden/comments.rs");
        }
    }
    /// The package `google`.
    pub mod google {
        /// The package `google.protobuf`.
        pub mod protobuf {
            ::core::include!("golden/timestamp.rs");
        }
    }
}

/// The tree of `two_a.proto`.
#[no_implicit_prelude]
pub mod two_packages {
    ::core::include!("golden/two_root.rs");
    /// The package `two`.
    pub mod two {
        /// The package `two.a`.
        pub mod a {
            ::core::include!("golden/two_a.rs");
        }
        /// The package `two.b`.
        pub mod b {
            /// The package `two.b.v1`.
            pub mod v1 {
                ::core::include!("golden/two_b.rs");
            }
        }
    }
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
