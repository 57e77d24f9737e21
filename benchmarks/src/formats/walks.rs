//! The fields of all messages, named once, for the walks over what each format reads.

use std::fmt::Debug;

use crate::walk::{Scalar, Visitor, Walk};

/// Calls `$with!` with each message of FlatBuffers' own benchmark, like `messages!`.
macro_rules! foobar_messages {
    ($with:ident) => {
        $with! { FooBarContainer ArchivedFooBarContainer foo_bar_container {
            list get_list value; initialized get_initialized number; fruit get_fruit number;
            location get_location value;
        } }
        $with! { FooBar ArchivedFooBar foo_bar {
            sibling get_sibling value; name get_name value; rating get_rating number; postfix get_postfix number;
        } }
        $with! { Bar ArchivedBar bar {
            parent get_parent value; time get_time number; ratio get_ratio number; size get_size number;
        } }
        $with! { Foo ArchivedFoo foo { id get_id number; count get_count number; prefix get_prefix number; length get_length number; } }
    };
}
pub(super) use foobar_messages;

/// Calls `$with!` with each of the other messages: its name, rkyv's, Cap'n Proto's for its module, and of each field the name,
/// Cap'n Proto's name for what reads it, and whether it is a `number` (enums and booleans included) or another `value`.
macro_rules! messages {
    ($with:ident) => {
        $with! { Log ArchivedLog log { entries get_entries value; } }
        $with! { LogEntry ArchivedLogEntry log_entry {
            address get_address value; identity get_identity value; userid get_userid value; date get_date value;
            request get_request value; code get_code number; size get_size number;
        } }
        $with! { Address ArchivedAddress address { x0 get_x0 number; x1 get_x1 number; x2 get_x2 number; x3 get_x3 number; } }
        $with! { Mesh ArchivedMesh mesh { triangles get_triangles value; } }
        $with! { Triangle ArchivedTriangle triangle { a get_a value; b get_b value; c get_c value; normal get_normal value; } }
        $with! { Vector ArchivedVector vector { x get_x number; y get_y number; z get_z number; } }
        $with! { ParkingLot ArchivedParkingLot parking_lot { cars get_cars value; } }
        $with! { Car ArchivedCar car {
            make get_make value; model get_model value; color get_color number; seats get_seats number;
            doors get_doors number; wheels get_wheels value; length get_length number; width get_width number;
            height get_height number; weight get_weight number; engine get_engine value;
            fuel_capacity get_fuel_capacity number; fuel_level get_fuel_level number;
            has_power_windows get_has_power_windows number; has_power_steering get_has_power_steering number;
            has_cruise_control get_has_cruise_control number; cup_holders get_cup_holders number;
            has_navigation get_has_navigation number;
        } }
        $with! { Wheel ArchivedWheel wheel {
            diameter get_diameter number; air_pressure get_air_pressure number; snow_tires get_snow_tires number;
        } }
        $with! { Engine ArchivedEngine engine {
            horsepower get_horsepower number; cylinders get_cylinders number;
            cubic_centimetres get_cubic_centimetres number; uses_gas get_uses_gas number;
            uses_electric get_uses_electric number;
        } }
    };
}
pub(super) use messages;

/// A number of any width, as a format hands it out.
pub(super) trait Number: Copy {
    fn scalar(self) -> Scalar;
}

/// Implements [`Number`] with an expression for the scalar.
macro_rules! numbers {
    ($($type:ty, $value:ident => $scalar:expr;)*) => {$(
        impl $crate::formats::walks::Number for $type {
            #[inline(always)]
            fn scalar(self) -> $crate::walk::Scalar {
                let $value = self;
                $scalar
            }
        }
    )*};
}
pub(super) use numbers;

numbers! {
    i8, value => Scalar::Int(value.into());
    i16, value => Scalar::Int(value.into());
    i32, value => Scalar::Int(value.into());
    u8, value => Scalar::Uint(value.into());
    u16, value => Scalar::Uint(value.into());
    u32, value => Scalar::Uint(value.into());
    u64, value => Scalar::Uint(value);
    f32, value => Scalar::Float(value.to_bits());
    f64, value => Scalar::Double(value.to_bits());
    bool, value => Scalar::Bool(value);
    super::values::Fruit, value => Scalar::Int((value as u8).into());
    super::values::Color, value => Scalar::Int((value as u8).into());
}

/// What opening has not checked fails where it is read; every answer is checked before it is timed.
impl<T: Number, E: Copy + Debug> Number for Result<T, E> {
    #[inline(always)]
    fn scalar(self) -> Scalar {
        self.expect(super::SOUND).scalar()
    }
}

/// Shows a visitor a field: `seen!(number self.x, visitor)`.
macro_rules! seen {
    (number $value:expr, $visitor:ident) => {
        $visitor.scalar($crate::formats::walks::Number::scalar($value))
    };
    (value $value:expr, $visitor:ident) => {
        $crate::walk::Walk::walk(&$value, $visitor)
    };
}
pub(super) use seen;

/// Implements [`Walk`] for a type by how its fields are read: `field` (`self.x`), `method` (`self.x()`) or `getter`
/// (`self.get_x()`).
macro_rules! walk_message {
    ($type:ty, $how:ident { $($field:ident $get:ident $shape:ident;)* }) => {
        impl $crate::walk::Walk for $type {
            #[inline]
            fn walk<V: $crate::walk::Visitor>(&self, visitor: &mut V) {
                visitor.enter();
                $(
                    visitor.field(stringify!($field));
                    $crate::formats::walks::walk_message!(@ $how self visitor $field $get $shape);
                )*
                visitor.leave();
            }
        }
    };
    (@ field $self:ident $visitor:ident $field:ident $get:ident $shape:ident) => {
        $crate::formats::walks::seen!($shape $self.$field, $visitor)
    };
    (@ method $self:ident $visitor:ident $field:ident $get:ident $shape:ident) => {
        $crate::formats::walks::seen!($shape $self.$field(), $visitor)
    };
    (@ getter $self:ident $visitor:ident $field:ident $get:ident $shape:ident) => {
        $crate::formats::walks::seen!($shape $self.$get(), $visitor)
    };
}
pub(super) use walk_message;

/// Walks over a list of any kind.
#[inline(always)]
pub(super) fn walk_list<V: Visitor, T: Walk>(visitor: &mut V, list: impl ExactSizeIterator<Item = T>) {
    visitor.list(list.len());
    for (index, value) in list.enumerate() {
        visitor.element(index);
        value.walk(visitor);
    }
}

/// The plain structs.
macro_rules! walk_plain {
    ($name:ident $archived:ident $module:ident $fields:tt) => {
        walk_message! { super::values::$name, field $fields }
    };
}
foobar_messages!(walk_plain);
messages!(walk_plain);
