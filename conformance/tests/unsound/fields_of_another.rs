//! A message's descriptor takes the fields of that message only, and describes each with its own type.

use defiant::__private::{DescriptorOf, FieldOf, Implicit, Names, Str, Uint64};
use defiant::wkt::{StringValue, UInt64Value};

const NAMES: Names = Names::new(",\"value\":       ", 8, 0, 0);

static TEXT: StringValue<'static> = defiant::Message::DEFAULT;
static NUMBER: UInt64Value<'static> = defiant::Message::DEFAULT;

// SAFETY: a field of the message.
static FIELDS: [FieldOf<UInt64Value<'static>>; 1] =
    [unsafe { FieldOf::new::<Implicit<Uint64>, u64>(&NUMBER, &NUMBER.value, 1, NAMES) }];

static FOREIGN: DescriptorOf<StringValue<'static>> =
    // SAFETY: the unknown fields of the message.
    unsafe { DescriptorOf::new(&TEXT, &TEXT.unknown_fields, &FIELDS, &[], &[0, 0]) }; //~ E0308

fn main() {
    // SAFETY: a field of the message, but no string.
    let _ = unsafe { FieldOf::new::<Implicit<Str>, &str>(&NUMBER, &NUMBER.value, 1, NAMES) }; //~ E0308
    // SAFETY: a field of the message, with a default of another type.
    let _ = unsafe {
        FieldOf::with_default::<Implicit<Uint64>, u64>(&NUMBER, &NUMBER.value, 1, NAMES, &"text") //~ E0308
    };
}
