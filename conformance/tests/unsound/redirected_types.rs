//! `crate = ".."` leads to a module that accepts fields of any type. The reader of the runtime does not.

mod other {
    pub use defiant::*;

    pub mod __private {
        pub use defiant::__private::*;

        /// Everything is `Send` and `Sync`.
        pub const fn are_send_and_sync<T>() {}

        pub mod write_implicit {
            pub fn uint32<T, S>(_: &T, _: &mut S, _: u32) {}
        }

    }
}

use std::cell::Cell;

#[derive(Clone, Copy, Debug, PartialEq, defiant::Message)] //~ E0277
#[defiant(crate = "self::other")]
struct Racy<'arena> {
    #[defiant(uint32, tag = 1)] //~ E0308
    number: &'arena Cell<u32>,
    #[defiant(message, tag = 2)]
    next: Option<&'arena Racy<'arena>>,
    #[defiant(unknown)]
    unknown_fields: defiant::UnknownFields<'arena>,
}

fn main() {}
