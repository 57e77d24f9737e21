//! A hand-written message could hold a reference to its arena, or keep parts of another message in the middle of a decode.

use defiant::__private as runtime;
use defiant::Message;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct ByHand;

impl<'arena> Message<'arena> for ByHand { //~ E0200
    type __Code = runtime::Compiled;
    const DEFAULT: Self = ByHand;
    const TABLE: &'static runtime::Table =
        &runtime::Table { name: "", fields: &[], oneofs: &[], messages: &[], oneof_messages: &[] };
    const __DESCRIPTOR: runtime::Address<Self> = panic!();
    fn __unset() -> Self {
        ByHand
    }
    fn default_ref() -> &'arena Self {
        &ByHand
    }
    fn __encode<S: runtime::Sink<'arena>>(&self, sink: S) -> S {
        sink
    }
}

fn main() {}
