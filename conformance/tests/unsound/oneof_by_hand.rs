//! A hand-written oneof could return the value of another message, for which reflection would take it.

use defiant::__private as runtime;
use defiant::UnknownFields;

#[derive(Clone, Copy)]
struct ByHand;

impl<'arena> runtime::Oneof<'arena> for ByHand { //~ E0200
    const FIELDS: &'static [(u32, &'static str)] = &[];
    const MESSAGES: &'static [runtime::NestedTable] = &[];
    const __MEMBERS: &'static [runtime::Member] = &[];
    fn __merge<D>(
        _: &mut Option<Self>,
        _: &mut UnknownFields<'arena>,
        _: u64,
        at: runtime::Cursor,
        _: &mut runtime::Context<'arena>,
    ) -> runtime::Cursor {
        at
    }
    fn __encode<S: runtime::Sink<'arena>>(&self, _: &mut S) {}
    fn __get(&self) -> (u32, runtime::Raw<'arena>) {
        (1, runtime::Raw::I32(0))
    }
    unsafe fn __set(_: u32, _: runtime::Raw<'arena>) -> Option<Self> {
        None
    }
}

fn main() {}
