//! The protobuf names of messages.

use alloc::string::String;

/// The protobuf name of a message, and the URL that stands for its type in a `google.protobuf.Any`.
///
/// `#[derive(Message)]` implements it, out of `#[defiant(name = "..")]`; generated messages always have their full name
/// there. Write it by hand only for a message that does not derive.
///
/// ```
/// use defiant::{Message, Name, UnknownFields};
///
/// #[derive(Clone, Copy, Debug, PartialEq, Message)]
/// #[defiant(name = "tutorial.v1.Person.Address")]
/// struct Address<'arena> {
///     #[defiant(unknown)]
///     unknown_fields: UnknownFields<'arena>,
/// }
///
/// assert_eq!(Address::PACKAGE, "tutorial.v1");
/// assert_eq!(Address::NAME, "Person.Address");
/// assert_eq!(Address::full_name(), "tutorial.v1.Person.Address");
/// assert_eq!(Address::type_url(), "type.googleapis.com/tutorial.v1.Person.Address");
/// ```
///
/// A message with a field of that name may have an accessor `full_name`; then write `<Address as Name>::full_name()`.
///
/// Type URLs: <https://protobuf.dev/reference/protobuf/google.protobuf/#any>.
// TRUST: unsafe code does not rely on it: it is text.
pub trait Name {
    /// The package, without dots around it; empty for a message outside of packages.
    const PACKAGE: &'static str;

    /// The name inside the package: `Person`, or `Person.Address` for a message nested in another.
    const NAME: &'static str;

    /// What stands before the slash of the type URL. `#[defiant(domain = "types.example.com")]` sets it.
    const TYPE_URL_DOMAIN: &'static str = "type.googleapis.com";

    /// Package and name, with a dot between them: `tutorial.Person`.
    fn full_name() -> &'static str;

    /// Domain and full name, with a slash between them: `type.googleapis.com/tutorial.Person`.
    #[must_use]
    fn type_url() -> String {
        [Self::TYPE_URL_DOMAIN, "/", Self::full_name()].concat()
    }
}
