//! A codec sees values in the middle of a decode, and a type parameter of a local type is enough to implement a foreign trait.

use defiant::__private as runtime;
use defiant::UnknownFields;

#[derive(Clone, Copy, Debug, PartialEq)]
struct Local;

type Read<T> = Result<T, runtime::Fault>;

impl<'arena> runtime::Codec<'arena, Local> for runtime::Str { //~ E0200
    const ZERO: Local = Local;
    const WIRE_TYPE: u32 = 2;
    fn read(_: &mut runtime::Reader<'_, 'arena>, _: &mut UnknownFields<'arena>, _: u32) -> Read<Option<Local>> {
        Ok(None)
    }
    fn write<S: runtime::Sink<'arena>>(_: Local, _: &mut S, _: u32) {}
    fn is_zero(_: Local) -> bool {
        true
    }
}

impl<'arena> runtime::Field<'arena, Local> for runtime::OptionalMessage { //~ E0200
    const DEFAULT: Local = Local;
    fn merge(
        _: &mut Local,
        _: &mut UnknownFields<'arena>,
        _: &mut runtime::Reader<'_, 'arena>,
        _: u32,
    ) -> Read<()> {
        Ok(())
    }
    fn encode<S: runtime::Sink<'arena>>(_: &Local, _: &mut S, _: u32) {}
}

impl<'arena> runtime::MapValue<'arena, Local> for runtime::MessageValue { //~ E0200
    const DEFAULT: Local = Local;
    const WIRE_TYPE: u32 = 2;
    fn read(_: &mut Local, _: bool, _: &mut runtime::Reader<'_, 'arena>) -> Read<bool> {
        Ok(true)
    }
    fn write<S: runtime::Sink<'arena>>(_: &Local, _: &mut S) {}
}

impl<'arena> runtime::Inline<'arena, Local> for runtime::InlineMessage { //~ E0200
    fn merge_in_place(
        _: &mut Local,
        _: bool,
        _: u32,
        at: runtime::Cursor,
        _: &mut runtime::Context<'arena>,
    ) -> runtime::Cursor {
        at
    }
}

impl<'arena> runtime::Membered<'arena, Local> for runtime::OptionalMessage { //~ E0200
    fn raw(_: &Local) -> runtime::Raw<'arena> {
        runtime::Raw::I32(0)
    }
    unsafe fn from_raw(_: runtime::Raw<'arena>) -> Option<Local> {
        None
    }
}

fn main() {}
