//! A family of messages that are not covariant would let a short-lived reference into a value that lives longer.

use std::sync::Mutex;

use defiant::UnknownFields;
use defiant::extension::MessageFamily;

struct Shared<'arena>(&'arena Mutex<&'arena str>);

struct Family;

impl MessageFamily for Family {
    type In<'arena> = Shared<'arena>; //~ E0277
    type Family = Family;
    fn __shorten<'short, 'long: 'short>(message: &'short Self::In<'long>) -> &'short Self::In<'short> {
        message //~ none
    }
    fn __unknown<'m, 'arena>(_: &'m Self::In<'arena>) -> &'m UnknownFields<'arena> {
        &UnknownFields::EMPTY
    }
    fn __unknown_mut<'m, 'arena>(_: &'m mut Self::In<'arena>) -> &'m mut UnknownFields<'arena> {
        unreachable!()
    }
}

fn main() {}
