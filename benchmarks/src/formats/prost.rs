//! prost: as with Defiant, but every text and list has memory of its own.

use std::hint::black_box;

use prost::Message;

use super::generated::prost as types;
use super::offers::{BUILD_ENCODE, ENCODE, OPEN, OPEN_READ, Offers, Outcome};
use super::walks::{messages, walk_message};
use super::{PROST, SOUND, values};
use crate::generated::prost::quickbuffers;
use crate::offer::{Memory, read};
use crate::walk::Walk;

macro_rules! walks {
    ($name:ident $archived:ident $module:ident $fields:tt) => {
        walk_message! { types::$name, field $fields }
    };
}
messages!(walks);

/// Values that become a message.
pub(super) trait Build: Walk + 'static {
    type Message: Message + Default + Walk + 'static;

    fn build(&self) -> Self::Message;
}

impl Build for values::FooBarContainer {
    type Message = quickbuffers::FooBarContainer;

    #[inline]
    fn build(&self) -> Self::Message {
        quickbuffers::FooBarContainer {
            list: self.list.iter().map(foobar).collect(),
            initialized: Some(self.initialized),
            fruit: Some(self.fruit as i32),
            location: Some(self.location.clone()),
        }
    }
}

fn foobar(value: &values::FooBar) -> quickbuffers::FooBar {
    let values::Bar { parent, time, ratio, size } = &value.sibling;
    let parent = quickbuffers::Foo {
        id: Some(parent.id),
        count: Some(parent.count.into()),
        prefix: Some(parent.prefix.into()),
        length: Some(parent.length),
    };
    let sibling =
        quickbuffers::Bar { parent: Some(parent), time: Some(*time), ratio: Some(*ratio), size: Some((*size).into()) };
    quickbuffers::FooBar {
        sibling: Some(sibling),
        name: Some(value.name.clone()),
        rating: Some(value.rating),
        postfix: Some(value.postfix.into()),
    }
}

impl Build for values::Log {
    type Message = types::Log;

    #[inline]
    fn build(&self) -> Self::Message {
        let entries = self.entries.iter().map(|value| types::LogEntry {
            address: Some(types::Address {
                x0: value.address.x0.into(),
                x1: value.address.x1.into(),
                x2: value.address.x2.into(),
                x3: value.address.x3.into(),
            }),
            identity: value.identity.clone(),
            userid: value.userid.clone(),
            date: value.date.clone(),
            request: value.request.clone(),
            code: value.code.into(),
            size: value.size,
        });
        types::Log { entries: entries.collect() }
    }
}

impl Build for values::Mesh {
    type Message = types::Mesh;

    #[inline]
    fn build(&self) -> Self::Message {
        let vector = |&values::Vector { x, y, z }: &_| Some(types::Vector { x, y, z });
        let triangles = self.triangles.iter().map(|value| types::Triangle {
            a: vector(&value.a),
            b: vector(&value.b),
            c: vector(&value.c),
            normal: vector(&value.normal),
        });
        types::Mesh { triangles: triangles.collect() }
    }
}

impl Build for values::ParkingLot {
    type Message = types::ParkingLot;

    #[inline]
    fn build(&self) -> Self::Message {
        types::ParkingLot { cars: self.cars.iter().map(car).collect() }
    }
}

fn car(value: &values::Car) -> types::Car {
    let wheels = value.wheels.iter().map(|wheel| types::Wheel {
        diameter: wheel.diameter.into(),
        air_pressure: wheel.air_pressure,
        snow_tires: wheel.snow_tires,
    });
    let engine = types::Engine {
        horsepower: value.engine.horsepower.into(),
        cylinders: value.engine.cylinders.into(),
        cubic_centimetres: value.engine.cubic_centimetres,
        uses_gas: value.engine.uses_gas,
        uses_electric: value.engine.uses_electric,
    };
    types::Car {
        make: value.make.clone(),
        model: value.model.clone(),
        color: value.color as i32,
        seats: value.seats.into(),
        doors: value.doors.into(),
        wheels: wheels.collect(),
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
    }
}

pub(super) fn offer<W: Build>(values: &'static W, offers: &mut Offers) -> Outcome {
    let message = values.build();
    let wire: &'static [u8] = message.encode_to_vec().leak();
    offers.check(PROST, &W::Message::decode(wire)?)?;
    let len = wire.len();

    let mut buffer = Vec::with_capacity(len);
    offers.add(BUILD_ENCODE, PROST, "new message, cleared Vec", Memory::Reused, len, move || {
        buffer.clear();
        black_box(values).build().encode(&mut buffer).expect(SOUND);
        black_box(buffer.as_slice());
    });
    let mut buffer = Vec::with_capacity(len);
    offers.add(ENCODE, PROST, "cleared Vec", Memory::Reused, len, move || {
        buffer.clear();
        black_box(&message).encode(&mut buffer).expect(SOUND);
        black_box(buffer.as_slice());
    });

    offers.add(OPEN, PROST, "new message", Memory::Fresh, len, move || {
        black_box(&W::Message::decode(black_box(wire)).expect(SOUND));
    });
    let mut message = W::Message::default();
    offers.add(OPEN, PROST, "cleared and merged", Memory::Reused, len, move || {
        message.clear();
        message.merge(black_box(wire)).expect(SOUND);
        black_box(&message);
    });
    offers.add(OPEN_READ, PROST, "new message", Memory::Fresh, len, move || {
        read(&W::Message::decode(black_box(wire)).expect(SOUND));
    });
    let mut message = W::Message::default();
    offers.add(OPEN_READ, PROST, "cleared and merged", Memory::Reused, len, move || {
        message.clear();
        message.merge(black_box(wire)).expect(SOUND);
        read(&message);
    });
    Ok(())
}
