//! The table of a message comes with a promise that it is the message's own.

use defiant::__private as runtime;

#[derive(Clone, Copy, Debug, PartialEq, defiant::Message)]
struct Local<'arena> {
    #[defiant(unknown)]
    unknown_fields: defiant::UnknownFields<'arena>,
}

impl<'arena> runtime::Tabled<'arena> for Local<'arena> { //~ E0200
    const FIELDS: &'arena [runtime::Entry<'arena, Self>] = &[];
    const INDEX: &'arena [u8] = &[];
    const CLASS: &'arena runtime::Class<'arena, Self> = panic!();
}

fn main() {}
