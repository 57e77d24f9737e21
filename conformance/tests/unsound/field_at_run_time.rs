//! The runtime takes the offset of a field from a reference. The caller promises that the reference leads to a field.

use defiant::__private::{Class, DescriptorOf, Entry, FieldOf, Implicit, Names, OneofOf, Uint64};
use defiant::UnknownFields;
use defiant::wkt::{UInt64Value, Value};

const NAMES: Names = Names::new(",\"value\":       ", 8, 0, 0);

static NUMBER: UInt64Value<'static> = defiant::Message::DEFAULT;
static VALUE: Value<'static> = defiant::Message::DEFAULT;

#[derive(Clone, Copy, Debug, PartialEq, defiant::Message)]
#[defiant(optimize_for = "code_size")]
struct Local<'arena> {
    #[defiant(unknown)]
    unknown_fields: UnknownFields<'arena>,
}

static LOCAL: Local<'static> = defiant::Message::DEFAULT;

fn main() {
    let beside = 7u64;
    let _ = FieldOf::new::<Implicit<Uint64>, u64>(&NUMBER, &beside, 1, NAMES); //~ E0133
    let _: Entry<'_, UInt64Value<'_>> = Entry::field::<Implicit<Uint64>, u64>(&NUMBER, &beside, 8); //~ E0133
    let _ = OneofOf::new(&VALUE, &VALUE.kind, "kind", 0); //~ E0133
    let _ = FieldOf::member(&VALUE, &VALUE.kind, 2, 0); //~ E0133
    let _ = Class::new::<1>(&LOCAL, &UnknownFields::EMPTY, 0); //~ E0133
    let _ = DescriptorOf::new(&NUMBER, &UnknownFields::EMPTY, &[], &[], &[]); //~ E0133
}
