//! FlatBuffers: opening verifies every table, offset and text; what is read is read from the bytes.

use std::hint::black_box;

use flatbuffers::{FlatBufferBuilder, Follow, ForwardsUOffset, Push, UOffsetT, Vector, Verifiable, WIPOffset};

use super::generated::flatbuffers as types;
use super::offers::{BUILD_ENCODE, OPEN, OPEN_READ, Offers, Outcome};
use super::walks::{foobar_messages, messages, numbers, walk_list, walk_message};
use super::{FLATBUFFERS, SOUND, values};
use crate::offer::{Memory, read};
use crate::walk::{Scalar, Visitor, Walk};

macro_rules! walks {
    ($name:ident $archived:ident $module:ident $fields:tt) => {
        walks! { @ $name $fields }
    };
    (@ FooBarContainer $fields:tt) => {
        walk_message! { types::FooBarContainer<'_>, method $fields }
    };
    (@ FooBar $fields:tt) => {
        walk_message! { types::FooBar<'_>, method $fields }
    };
    (@ Log $fields:tt) => {
        walk_message! { types::Log<'_>, method $fields }
    };
    (@ LogEntry $fields:tt) => {
        walk_message! { types::LogEntry<'_>, method $fields }
    };
    (@ Mesh $fields:tt) => {
        walk_message! { types::Mesh<'_>, method $fields }
    };
    (@ ParkingLot $fields:tt) => {
        walk_message! { types::ParkingLot<'_>, method $fields }
    };
    (@ Car $fields:tt) => {
        walk_message! { types::Car<'_>, method $fields }
    };
    // Structs, which lie where they are used.
    (@ $name:ident $fields:tt) => {
        walk_message! { types::$name, method $fields }
    };
}
foobar_messages!(walks);
messages!(walks);

numbers! {
    types::Fruit, value => Scalar::Int(value.0.into());
    types::Color, value => Scalar::Int(value.0.into());
}

impl<'a, T: Follow<'a> + 'a> Walk for Vector<'a, T>
where
    T::Inner: Walk,
{
    #[inline(always)]
    fn walk<V: Visitor>(&self, visitor: &mut V) {
        walk_list(visitor, self.iter());
    }
}

type Builder = FlatBufferBuilder<'static>;
type Tables<T> = WIPOffset<Vector<'static, ForwardsUOffset<T>>>;

/// Values that become a table; `offsets` is memory for those of the tables in a list.
pub(super) trait Build: Walk + 'static {
    type Table<'a>: Follow<'a, Inner = Self::Table<'a>> + Verifiable + Walk;

    fn build(&self, builder: &mut Builder, offsets: &mut Vec<UOffsetT>) -> WIPOffset<Self::Table<'static>>;
}

/// A list of tables, each built from a value.
#[inline(always)]
fn tables<T, O>(
    builder: &mut Builder,
    offsets: &mut Vec<UOffsetT>,
    values: &[T],
    mut build: impl FnMut(&mut Builder, &T) -> WIPOffset<O>,
) -> Tables<O>
where
    WIPOffset<O>: Push<Output = ForwardsUOffset<O>>,
{
    offsets.clear();
    offsets.extend(values.iter().map(|value| build(builder, value).value()));
    builder.create_vector_from_iter(offsets.iter().map(|offset| WIPOffset::new(*offset)))
}

impl Build for values::FooBarContainer {
    type Table<'a> = types::FooBarContainer<'a>;

    #[inline]
    fn build(&self, builder: &mut Builder, offsets: &mut Vec<UOffsetT>) -> WIPOffset<Self::Table<'static>> {
        let list = tables(builder, offsets, &self.list, |builder, value| {
            let values::Bar { parent, time, ratio, size } = &value.sibling;
            let parent = types::Foo::new(parent.id, parent.count, parent.prefix, parent.length);
            let name = builder.create_string(&value.name);
            let arguments = types::FooBarArgs {
                sibling: Some(&types::Bar::new(&parent, *time, *ratio, *size)),
                name: Some(name),
                rating: value.rating,
                postfix: value.postfix,
            };
            types::FooBar::create(builder, &arguments)
        });
        let location = builder.create_string(&self.location);
        let arguments = types::FooBarContainerArgs {
            list: Some(list),
            initialized: self.initialized,
            fruit: types::Fruit(self.fruit as i16),
            location: Some(location),
        };
        types::FooBarContainer::create(builder, &arguments)
    }
}

impl Build for values::Log {
    type Table<'a> = types::Log<'a>;

    #[inline]
    fn build(&self, builder: &mut Builder, offsets: &mut Vec<UOffsetT>) -> WIPOffset<Self::Table<'static>> {
        let entries = tables(builder, offsets, &self.entries, |builder, value| {
            let values::Address { x0, x1, x2, x3 } = value.address;
            let arguments = types::LogEntryArgs {
                address: Some(&types::Address::new(x0, x1, x2, x3)),
                identity: Some(builder.create_string(&value.identity)),
                userid: Some(builder.create_string(&value.userid)),
                date: Some(builder.create_string(&value.date)),
                request: Some(builder.create_string(&value.request)),
                code: value.code,
                size: value.size,
            };
            types::LogEntry::create(builder, &arguments)
        });
        types::Log::create(builder, &types::LogArgs { entries: Some(entries) })
    }
}

impl Build for values::Mesh {
    type Table<'a> = types::Mesh<'a>;

    #[inline]
    fn build(&self, builder: &mut Builder, _: &mut Vec<UOffsetT>) -> WIPOffset<Self::Table<'static>> {
        let vector = |&values::Vector { x, y, z }: &_| types::Vector::new(x, y, z);
        let triangles = self.triangles.iter().map(|value| {
            types::Triangle::new(&vector(&value.a), &vector(&value.b), &vector(&value.c), &vector(&value.normal))
        });
        let triangles = builder.create_vector_from_iter(triangles);
        types::Mesh::create(builder, &types::MeshArgs { triangles: Some(triangles) })
    }
}

impl Build for values::ParkingLot {
    type Table<'a> = types::ParkingLot<'a>;

    #[inline]
    fn build(&self, builder: &mut Builder, offsets: &mut Vec<UOffsetT>) -> WIPOffset<Self::Table<'static>> {
        let cars = tables(builder, offsets, &self.cars, car);
        types::ParkingLot::create(builder, &types::ParkingLotArgs { cars: Some(cars) })
    }
}

fn car(builder: &mut Builder, value: &values::Car) -> WIPOffset<types::Car<'static>> {
    let values::Engine { horsepower, cylinders, cubic_centimetres, uses_gas, uses_electric } = value.engine;
    let engine = types::Engine::new(horsepower, cylinders, cubic_centimetres, uses_gas, uses_electric);
    let wheels = value.wheels.iter();
    let wheels = wheels.map(|wheel| types::Wheel::new(wheel.diameter, wheel.air_pressure, wheel.snow_tires));
    let arguments = types::CarArgs {
        make: Some(builder.create_string(&value.make)),
        model: Some(builder.create_string(&value.model)),
        color: types::Color(value.color as u8),
        seats: value.seats,
        doors: value.doors,
        wheels: Some(builder.create_vector_from_iter(wheels)),
        length: value.length,
        width: value.width,
        height: value.height,
        weight: value.weight,
        engine: Some(&engine),
        fuel_capacity: value.fuel_capacity,
        fuel_level: value.fuel_level,
        has_power_windows: value.has_power_windows,
        has_power_steering: value.has_power_steering,
        has_cruise_control: value.has_cruise_control,
        cup_holders: value.cup_holders,
        has_navigation: value.has_navigation,
    };
    types::Car::create(builder, &arguments)
}

pub(super) fn offer<W: Build>(values: &'static W, offers: &mut Offers) -> Outcome {
    let (mut builder, mut offsets) = (Builder::new(), Vec::new());
    let root = values.build(&mut builder, &mut offsets);
    builder.finish_minimal(root);
    let bytes: &'static [u8] = builder.finished_data().to_vec().leak();
    offers.check(FLATBUFFERS, &flatbuffers::root::<W::Table<'static>>(bytes)?)?;
    let len = bytes.len();

    offers.add(BUILD_ENCODE, FLATBUFFERS, "builder reset", Memory::Reused, len, move || {
        builder.reset();
        let root = black_box(values).build(&mut builder, &mut offsets);
        builder.finish_minimal(root);
        black_box(builder.finished_data());
    });
    offers.add(OPEN, FLATBUFFERS, "verified", Memory::Reused, len, move || {
        black_box(&flatbuffers::root::<W::Table<'_>>(black_box(bytes)).expect(SOUND));
    });
    offers.add(OPEN_READ, FLATBUFFERS, "verified", Memory::Reused, len, move || {
        read(&flatbuffers::root::<W::Table<'_>>(black_box(bytes)).expect(SOUND));
    });
    Ok(())
}
