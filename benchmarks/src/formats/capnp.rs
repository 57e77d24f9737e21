//! Cap'n Proto, as it is and packed: opening looks at the root only; a pointer is checked when it is followed, and a text when
//! it is read.

use std::hint::black_box;

use capnp::message::{Allocator, Builder, ReaderOptions, ScratchSpaceHeapAllocator};
use capnp::traits::{Owned, OwnedStruct};
use capnp::{Word, serialize, serialize_packed, struct_list, text};

use super::generated::capnp as types;
use super::offers::{BUILD_ENCODE, OPEN, OPEN_READ, Offers, Outcome};
use super::walks::{foobar_messages, messages, numbers, walk_list, walk_message};
use super::{CAPNP, CAPNP_PACKED, SOUND, values};
use crate::offer::{Memory, read};
use crate::walk::{Scalar, Visitor, Walk};

macro_rules! walks {
    ($name:ident $archived:ident $module:ident $fields:tt) => {
        walk_message! { types::$module::Reader<'_>, getter $fields }
    };
}
foobar_messages!(walks);
messages!(walks);

numbers! {
    types::Fruit, value => Scalar::Int((value as u16).into());
    types::Color, value => Scalar::Int((value as u16).into());
}

/// A pointer that leads nowhere fails where it is followed; every answer is checked before it is timed.
impl<T: Walk> Walk for capnp::Result<T> {
    #[inline(always)]
    fn walk<V: Visitor>(&self, visitor: &mut V) {
        self.as_ref().expect(SOUND).walk(visitor);
    }
}

impl Walk for text::Reader<'_> {
    #[inline(always)]
    fn walk<V: Visitor>(&self, visitor: &mut V) {
        visitor.bytes(self.to_str().expect(SOUND).as_bytes());
    }
}

impl<'a, T: OwnedStruct> Walk for struct_list::Reader<'a, T>
where
    T::Reader<'a>: Walk,
{
    #[inline(always)]
    fn walk<V: Visitor>(&self, visitor: &mut V) {
        walk_list(visitor, self.iter());
    }
}

/// Values that become a struct of a message.
pub(super) trait Build: Walk + 'static {
    type Root: for<'a> Owned<Reader<'a>: Walk>;

    fn build(&self, root: <Self::Root as Owned>::Builder<'_>);
}

impl Build for values::FooBarContainer {
    type Root = types::foo_bar_container::Owned;

    #[inline]
    fn build(&self, mut root: types::foo_bar_container::Builder<'_>) {
        root.set_initialized(self.initialized);
        root.set_fruit(match self.fruit {
            values::Fruit::Apples => types::Fruit::Apples,
            values::Fruit::Pears => types::Fruit::Pears,
            values::Fruit::Bananas => types::Fruit::Bananas,
        });
        root.set_location(self.location.as_str());
        let mut list = root.init_list(self.list.len() as u32);
        for (index, value) in (0..).zip(&self.list) {
            let mut foobar = list.reborrow().get(index);
            foobar.set_name(value.name.as_str());
            foobar.set_rating(value.rating);
            foobar.set_postfix(value.postfix);
            let mut sibling = foobar.init_sibling();
            sibling.set_time(value.sibling.time);
            sibling.set_ratio(value.sibling.ratio);
            sibling.set_size(value.sibling.size);
            let mut parent = sibling.init_parent();
            parent.set_id(value.sibling.parent.id);
            parent.set_count(value.sibling.parent.count);
            parent.set_prefix(value.sibling.parent.prefix);
            parent.set_length(value.sibling.parent.length);
        }
    }
}

impl Build for values::Log {
    type Root = types::log::Owned;

    #[inline]
    fn build(&self, root: types::log::Builder<'_>) {
        let mut entries = root.init_entries(self.entries.len() as u32);
        for (index, value) in (0..).zip(&self.entries) {
            let mut entry = entries.reborrow().get(index);
            entry.set_identity(value.identity.as_str());
            entry.set_userid(value.userid.as_str());
            entry.set_date(value.date.as_str());
            entry.set_request(value.request.as_str());
            entry.set_code(value.code);
            entry.set_size(value.size);
            let mut address = entry.init_address();
            address.set_x0(value.address.x0);
            address.set_x1(value.address.x1);
            address.set_x2(value.address.x2);
            address.set_x3(value.address.x3);
        }
    }
}

impl Build for values::Mesh {
    type Root = types::mesh::Owned;

    #[inline]
    fn build(&self, root: types::mesh::Builder<'_>) {
        let mut triangles = root.init_triangles(self.triangles.len() as u32);
        for (index, value) in (0..).zip(&self.triangles) {
            let mut triangle = triangles.reborrow().get(index);
            vector(&value.a, triangle.reborrow().init_a());
            vector(&value.b, triangle.reborrow().init_b());
            vector(&value.c, triangle.reborrow().init_c());
            vector(&value.normal, triangle.init_normal());
        }
    }
}

fn vector(value: &values::Vector, mut vector: types::vector::Builder<'_>) {
    vector.set_x(value.x);
    vector.set_y(value.y);
    vector.set_z(value.z);
}

impl Build for values::ParkingLot {
    type Root = types::parking_lot::Owned;

    #[inline]
    fn build(&self, root: types::parking_lot::Builder<'_>) {
        let mut cars = root.init_cars(self.cars.len() as u32);
        for (index, value) in (0..).zip(&self.cars) {
            car(value, cars.reborrow().get(index));
        }
    }
}

fn car(value: &values::Car, mut car: types::car::Builder<'_>) {
    car.set_make(value.make.as_str());
    car.set_model(value.model.as_str());
    car.set_color(types::Color::try_from(value.color as u16).expect("the same numbers in all formats"));
    car.set_seats(value.seats);
    car.set_doors(value.doors);
    car.set_length(value.length);
    car.set_width(value.width);
    car.set_height(value.height);
    car.set_weight(value.weight);
    car.set_fuel_capacity(value.fuel_capacity);
    car.set_fuel_level(value.fuel_level);
    car.set_has_power_windows(value.has_power_windows);
    car.set_has_power_steering(value.has_power_steering);
    car.set_has_cruise_control(value.has_cruise_control);
    car.set_cup_holders(value.cup_holders);
    car.set_has_navigation(value.has_navigation);
    let mut wheels = car.reborrow().init_wheels(value.wheels.len() as u32);
    for (index, value) in (0..).zip(&value.wheels) {
        let mut wheel = wheels.reborrow().get(index);
        wheel.set_diameter(value.diameter);
        wheel.set_air_pressure(value.air_pressure);
        wheel.set_snow_tires(value.snow_tires);
    }
    let mut engine = car.init_engine();
    engine.set_horsepower(value.engine.horsepower);
    engine.set_cylinders(value.engine.cylinders);
    engine.set_cubic_centimetres(value.engine.cubic_centimetres);
    engine.set_uses_gas(value.engine.uses_gas);
    engine.set_uses_electric(value.engine.uses_electric);
}

/// Memory that is aligned as words are, and lives as long as the process.
fn aligned(words: usize) -> &'static mut [u8] {
    Word::words_to_bytes_mut(Word::allocate_zeroed_vec(words).leak())
}

type Root<'a, W> = <<W as Build>::Root as Owned>::Reader<'a>;

/// How messages are written and opened.
trait Form {
    const NAME: &'static str;
    /// What is said of how a message is opened.
    const OPENED: &'static str;

    fn write<A: Allocator>(buffer: &mut Vec<u8>, message: &Builder<A>) -> capnp::Result<()>;

    /// Shows the root of a message; `memory` has room for it, and lasts.
    fn open<W: Build, T>(bytes: &[u8], memory: &mut [u8], see: impl FnOnce(&Root<'_, W>) -> T) -> capnp::Result<T>;
}

struct Plain;
impl Form for Plain {
    const NAME: &'static str = CAPNP;
    const OPENED: &'static str = "flat slice";

    #[inline(always)]
    fn write<A: Allocator>(buffer: &mut Vec<u8>, message: &Builder<A>) -> capnp::Result<()> {
        serialize::write_message(buffer, message)
    }

    #[inline(always)]
    fn open<W: Build, T>(mut bytes: &[u8], _: &mut [u8], see: impl FnOnce(&Root<'_, W>) -> T) -> capnp::Result<T> {
        let reader = serialize::read_message_from_flat_slice_no_alloc(&mut bytes, ReaderOptions::new())?;
        Ok(see(&reader.get_root()?))
    }
}

struct Packed;
impl Form for Packed {
    const NAME: &'static str = CAPNP_PACKED;
    const OPENED: &'static str = "unpacked into a kept slice";

    #[inline(always)]
    fn write<A: Allocator>(buffer: &mut Vec<u8>, message: &Builder<A>) -> capnp::Result<()> {
        serialize_packed::write_message(buffer, message)
    }

    #[inline(always)]
    fn open<W: Build, T>(bytes: &[u8], memory: &mut [u8], see: impl FnOnce(&Root<'_, W>) -> T) -> capnp::Result<T> {
        let reader = serialize_packed::read_message_no_alloc(bytes, memory, ReaderOptions::new())?;
        Ok(see(&reader.get_root()?))
    }
}

pub(super) fn offer<W: Build>(values: &'static W, offers: &mut Offers) -> Outcome {
    form::<W, Plain>(values, offers)?;
    form::<W, Packed>(values, offers)
}

fn form<W: Build, F: Form>(values: &'static W, offers: &mut Offers) -> Outcome {
    let mut message = Builder::new_default();
    values.build(message.init_root());
    // One segment, and the word that says how long it is.
    let words = message.size_in_words() + 1;
    let mut allocator = ScratchSpaceHeapAllocator::new(aligned(words));
    let mut buffer = Vec::new();
    let mut encode = move |see: &mut dyn FnMut(&[u8])| {
        let mut message = Builder::new(&mut allocator);
        black_box(values).build(message.init_root());
        buffer.clear();
        F::write(&mut buffer, &message).expect("a Vec grows");
        see(&buffer);
    };
    let mut bytes: &'static [u8] = &[];
    encode(&mut |encoded| {
        let memory = aligned(encoded.len().div_ceil(size_of::<Word>()));
        memory[..encoded.len()].copy_from_slice(encoded);
        bytes = &memory[..encoded.len()];
    });
    let len = bytes.len();
    let memory = aligned(words);
    F::open::<W, _>(bytes, memory, |root| offers.check(F::NAME, root))??;

    offers.add(BUILD_ENCODE, F::NAME, "kept segment, cleared Vec", Memory::Reused, len, move || {
        encode(&mut |encoded| {
            black_box(encoded);
        });
    });
    offers.add(OPEN, F::NAME, F::OPENED, Memory::Reused, len, move || {
        F::open::<W, _>(black_box(bytes), memory, |root| {
            black_box(root);
        })
        .expect(SOUND);
    });
    let memory = aligned(words);
    offers.add(OPEN_READ, F::NAME, F::OPENED, Memory::Reused, len, move || {
        F::open::<W, _>(black_box(bytes), memory, |root| read(root)).expect(SOUND);
    });
    Ok(())
}
