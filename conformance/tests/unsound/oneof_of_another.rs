//! The value of one oneof's member is not put into another oneof without `unsafe`.

use defiant::__private::Oneof;
use defiant::wkt::value::Kind;

fn main() {
    let (number, raw) = Kind::NumberValue(1.0).__get();
    let _: Option<Kind<'static>> = Oneof::__set(number, raw); //~ E0133
}
