//! Defiant: opening decodes, and nothing has to be checked any more where a field is read.

use std::hint::black_box;

use defiant::{Arena, Encoder, Message};

use super::generated::defiant as types;
use super::offers::{BUILD_ENCODE, ENCODE, OPEN, OPEN_READ, Offers, Outcome};
use super::walks::{messages, numbers, walk_message};
use super::{DEFIANT, SOUND, values};
use crate::generated::defiant::quickbuffers;
use crate::offer::{Memory, read};
use crate::walk::{Scalar, Walk};

macro_rules! walks {
    ($name:ident $archived:ident $module:ident $fields:tt) => {
        walk_message! { types::$name<'_>, field $fields }
    };
}
messages!(walks);

numbers! {
    types::Color, value => Scalar::Int(value.0.into());
}

/// Values that become a message, which borrows their texts.
pub(super) trait Build: Walk + 'static {
    type At<'arena>: Message<'arena> + Walk;

    fn build<'arena>(&'arena self, arena: &'arena Arena) -> Self::At<'arena>;
}

impl Build for values::FooBarContainer {
    type At<'arena> = quickbuffers::FooBarContainer<'arena>;

    #[inline]
    fn build<'arena>(&'arena self, arena: &'arena Arena) -> Self::At<'arena> {
        quickbuffers::FooBarContainer {
            list: arena.vec_from_iter(self.list.iter().map(|value| foobar(value, arena))).into_slice(),
            initialized: Some(self.initialized),
            fruit: Some(match self.fruit {
                values::Fruit::Apples => quickbuffers::Fruit::Apples,
                values::Fruit::Pears => quickbuffers::Fruit::Pears,
                values::Fruit::Bananas => quickbuffers::Fruit::Bananas,
            }),
            location: Some(&self.location),
            ..Default::default()
        }
    }
}

fn foobar<'arena>(value: &'arena values::FooBar, arena: &'arena Arena) -> quickbuffers::FooBar<'arena> {
    let values::Bar { parent, time, ratio, size } = &value.sibling;
    let parent = quickbuffers::Foo {
        id: Some(parent.id),
        count: Some(parent.count.into()),
        prefix: Some(parent.prefix.into()),
        length: Some(parent.length),
        ..Default::default()
    };
    let sibling = quickbuffers::Bar {
        parent: Some(arena.alloc(parent)),
        time: Some(*time),
        ratio: Some(*ratio),
        size: Some((*size).into()),
        ..Default::default()
    };
    quickbuffers::FooBar {
        sibling: Some(arena.alloc(sibling)),
        name: Some(&value.name),
        rating: Some(value.rating),
        postfix: Some(value.postfix.into()),
        ..Default::default()
    }
}

impl Build for values::Log {
    type At<'arena> = types::Log<'arena>;

    #[inline]
    fn build<'arena>(&'arena self, arena: &'arena Arena) -> Self::At<'arena> {
        let entries = self.entries.iter().map(|value| types::LogEntry {
            address: Some(types::Address {
                x0: value.address.x0.into(),
                x1: value.address.x1.into(),
                x2: value.address.x2.into(),
                x3: value.address.x3.into(),
                ..Default::default()
            }),
            identity: &value.identity,
            userid: &value.userid,
            date: &value.date,
            request: &value.request,
            code: value.code.into(),
            size: value.size,
            ..Default::default()
        });
        types::Log { entries: arena.vec_from_iter(entries).into_slice(), ..Default::default() }
    }
}

impl Build for values::Mesh {
    type At<'arena> = types::Mesh<'arena>;

    #[inline]
    fn build<'arena>(&'arena self, arena: &'arena Arena) -> Self::At<'arena> {
        let vector = |&values::Vector { x, y, z }: &_| Some(types::Vector { x, y, z, ..Default::default() });
        let triangles = self.triangles.iter().map(|value| types::Triangle {
            a: vector(&value.a),
            b: vector(&value.b),
            c: vector(&value.c),
            normal: vector(&value.normal),
            ..Default::default()
        });
        types::Mesh { triangles: arena.vec_from_iter(triangles).into_slice(), ..Default::default() }
    }
}

impl Build for values::ParkingLot {
    type At<'arena> = types::ParkingLot<'arena>;

    #[inline]
    fn build<'arena>(&'arena self, arena: &'arena Arena) -> Self::At<'arena> {
        let cars = self.cars.iter().map(|value| car(value, arena));
        types::ParkingLot { cars: arena.vec_from_iter(cars).into_slice(), ..Default::default() }
    }
}

fn car<'arena>(value: &'arena values::Car, arena: &'arena Arena) -> types::Car<'arena> {
    let wheels = value.wheels.iter().map(|wheel| types::Wheel {
        diameter: wheel.diameter.into(),
        air_pressure: wheel.air_pressure,
        snow_tires: wheel.snow_tires,
        ..Default::default()
    });
    let engine = types::Engine {
        horsepower: value.engine.horsepower.into(),
        cylinders: value.engine.cylinders.into(),
        cubic_centimetres: value.engine.cubic_centimetres,
        uses_gas: value.engine.uses_gas,
        uses_electric: value.engine.uses_electric,
        ..Default::default()
    };
    types::Car {
        make: &value.make,
        model: &value.model,
        color: types::Color(value.color as i32),
        seats: value.seats.into(),
        doors: value.doors.into(),
        wheels: arena.vec_from_iter(wheels).into_slice(),
        length: value.length.into(),
        width: value.width.into(),
        height: value.height.into(),
        weight: value.weight,
        engine: Some(engine),
        fuel_capacity: value.fuel_capacity,
        fuel_level: value.fuel_level,
        has_power_windows: value.has_power_windows,
        has_power_steering: value.has_power_steering,
        has_cruise_control: value.has_cruise_control,
        cup_holders: value.cup_holders.into(),
        has_navigation: value.has_navigation,
        ..Default::default()
    }
}

pub(super) fn offer<W: Build>(values: &'static W, offers: &mut Offers) -> Outcome {
    let home: &'static Arena = Box::leak(Box::new(Arena::new()));
    let message = values.build(home);
    let wire: &'static [u8] = message.encode_in(home);
    for decoded in [W::At::decode(wire, home)?, W::At::decode_borrowed(wire, home)?] {
        offers.check(DEFIANT, &decoded)?;
    }
    let len = wire.len();

    let (mut arena, mut encoder) = (Arena::new(), Encoder::new());
    offers.add(BUILD_ENCODE, DEFIANT, "structs in the arena, Encoder", Memory::Reused, len, move || {
        {
            let message = black_box(values).build(&arena);
            black_box(encoder.encode(&message));
        }
        arena.reset();
    });
    let mut encoder = Encoder::new();
    offers.add(ENCODE, DEFIANT, "Encoder", Memory::Reused, len, move || {
        black_box(encoder.encode(black_box(&message)));
    });

    let mut arena = Arena::new();
    offers.add(OPEN, DEFIANT, "copied, arena reset", Memory::Reused, len, move || {
        black_box(&W::At::decode(black_box(wire), &arena).expect(SOUND));
        arena.reset();
    });
    let mut arena = Arena::new();
    offers.add(OPEN, DEFIANT, "borrowed, arena reset", Memory::Reused, len, move || {
        black_box(&W::At::decode_borrowed(black_box(wire), &arena).expect(SOUND));
        arena.reset();
    });
    let mut arena = Arena::new();
    offers.add(OPEN_READ, DEFIANT, "copied, arena reset", Memory::Reused, len, move || {
        read(&W::At::decode(black_box(wire), &arena).expect(SOUND));
        arena.reset();
    });
    let mut arena = Arena::new();
    offers.add(OPEN_READ, DEFIANT, "borrowed, arena reset", Memory::Reused, len, move || {
        read(&W::At::decode_borrowed(black_box(wire), &arena).expect(SOUND));
        arena.reset();
    });
    Ok(())
}
