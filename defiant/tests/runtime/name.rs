//! Names and type URLs.

use defiant::{Message, Name, UnknownFields};

messages! {
    #[derive(Clone, Copy, Debug, PartialEq, Message)]
    #[defiant(name = "Upper.Case.Part", package = "Upper", domain = "types.example.com/v1")]
    struct Part<'arena> {
        #[defiant(unknown)]
        unknown_fields: UnknownFields<'arena>,
    }

    #[derive(Clone, Copy, Debug, PartialEq, Message)]
    struct Unnamed<'arena> {
        #[defiant(unknown)]
        unknown_fields: UnknownFields<'arena>,
    }
}

#[test]
fn package_and_domain_as_given() {
    assert_eq!((Part::PACKAGE, Part::NAME), ("Upper", "Case.Part"));
    assert_eq!(Part::full_name(), "Upper.Case.Part");
    assert_eq!(Part::type_url(), "types.example.com/v1/Upper.Case.Part");
}

#[test]
fn without_a_name_the_structs_is_it() {
    assert_eq!((Unnamed::PACKAGE, Unnamed::NAME), ("", "Unnamed"));
    assert_eq!(Unnamed::type_url(), "type.googleapis.com/Unnamed");
}
