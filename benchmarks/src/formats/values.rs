//! The values of the workloads, as plain structs: what every format is built from, and what is read back from it has to be.

use crate::quickbuffers::{ID, LOCATION, RATING, RATIO};
use crate::random::Random;

/// Defines plain structs and enums that rkyv can serialize as they are.
macro_rules! plain {
    ($($(#[$docs:meta])* $kind:ident $name:ident { $($body:tt)* })*) => {$(
        $(#[$docs])*
        #[derive(Clone, Debug, rkyv::Archive, rkyv::Serialize)]
        pub(super) $kind $name { $($body)* }
    )*};
}
plain! {
    /// The message of FlatBuffers' own benchmark; `prefix`, `count`, `size` and `postfix` are as narrow as they are there.
    struct FooBarContainer {
        pub(super) list: Vec<FooBar>,
        pub(super) initialized: bool,
        pub(super) fruit: Fruit,
        pub(super) location: String,
    }
    struct FooBar {
        pub(super) sibling: Bar,
        pub(super) name: String,
        pub(super) rating: f64,
        pub(super) postfix: u8,
    }
    struct Bar {
        pub(super) parent: Foo,
        pub(super) time: i32,
        pub(super) ratio: f32,
        pub(super) size: u16,
    }
    struct Foo {
        pub(super) id: u64,
        pub(super) count: i16,
        pub(super) prefix: i8,
        pub(super) length: u32,
    }

    /// The log of a web server.
    struct Log {
        pub(super) entries: Vec<LogEntry>,
    }
    struct LogEntry {
        pub(super) address: Address,
        pub(super) identity: String,
        pub(super) userid: String,
        pub(super) date: String,
        pub(super) request: String,
        pub(super) code: u16,
        pub(super) size: u64,
    }
    struct Address {
        pub(super) x0: u8,
        pub(super) x1: u8,
        pub(super) x2: u8,
        pub(super) x3: u8,
    }

    /// Triangles, with the vector that stands on each.
    struct Mesh {
        pub(super) triangles: Vec<Triangle>,
    }
    struct Triangle {
        pub(super) a: Vector,
        pub(super) b: Vector,
        pub(super) c: Vector,
        pub(super) normal: Vector,
    }
    struct Vector {
        pub(super) x: f32,
        pub(super) y: f32,
        pub(super) z: f32,
    }

    /// What stands in a parking lot to be sold.
    struct ParkingLot {
        pub(super) cars: Vec<Car>,
    }
    struct Car {
        pub(super) make: String,
        pub(super) model: String,
        pub(super) color: Color,
        pub(super) seats: u8,
        pub(super) doors: u8,
        pub(super) wheels: Vec<Wheel>,
        pub(super) length: u16,
        pub(super) width: u16,
        pub(super) height: u16,
        pub(super) weight: u32,
        pub(super) engine: Engine,
        pub(super) fuel_capacity: f32,
        pub(super) fuel_level: f32,
        pub(super) has_power_windows: bool,
        pub(super) has_power_steering: bool,
        pub(super) has_cruise_control: bool,
        pub(super) cup_holders: u8,
        pub(super) has_navigation: bool,
    }
    struct Wheel {
        pub(super) diameter: u16,
        pub(super) air_pressure: f32,
        pub(super) snow_tires: bool,
    }
    struct Engine {
        pub(super) horsepower: u16,
        pub(super) cylinders: u8,
        pub(super) cubic_centimetres: u32,
        pub(super) uses_gas: bool,
        pub(super) uses_electric: bool,
    }
}

/// Defines enums, which have the same numbers in all formats.
macro_rules! enums {
    ($($(#[$attribute:meta])* $name:ident { $($enumerator:ident = $number:literal),* })*) => {$(
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, rkyv::Archive, rkyv::Serialize)]
        #[rkyv(derive(Clone, Copy))]
        #[repr(u8)]
        pub(super) enum $name { $($enumerator = $number),* }
    )*};
}
enums! {
    #[allow(dead_code, reason = "the message has but one of them")]
    Fruit { Apples = 0, Pears = 1, Bananas = 2 }
    Color {
        Black = 0, White = 1, Red = 2, Green = 3, Blue = 4, Cyan = 5, Magenta = 6, Yellow = 7, Silver = 8
    }
}

const COLORS: [Color; 9] = [
    Color::Black,
    Color::White,
    Color::Red,
    Color::Green,
    Color::Blue,
    Color::Cyan,
    Color::Magenta,
    Color::Yellow,
    Color::Silver,
];

/// The values of [`crate::quickbuffers::foobar`].
pub(super) fn foobar() -> FooBarContainer {
    let list = (0_u8..3).map(|index| FooBar {
        sibling: Bar {
            parent: Foo {
                id: ID + u64::from(index),
                count: 10_000 + i16::from(index),
                prefix: (b'@' + index) as i8,
                length: 1_000_000 + u32::from(index),
            },
            time: 123_456 + i32::from(index),
            ratio: RATIO + f32::from(index),
            size: 10_000 + u16::from(index),
        },
        name: "Hello, World!".into(),
        rating: RATING + f64::from(index),
        postfix: b'!' + index,
    });
    FooBarContainer { list: list.collect(), initialized: true, fruit: Fruit::Bananas, location: LOCATION.into() }
}

impl Random {
    fn byte(&mut self) -> u8 {
        self.next() as u8
    }

    fn within(&mut self, first: u16, last: u16) -> u16 {
        first + self.below(u64::from(last - first) + 1) as u16
    }

    fn coin(&mut self) -> bool {
        self.below(2) == 0
    }

    fn vector(&mut self) -> Vector {
        Vector { x: self.unit() as f32, y: self.unit() as f32, z: self.unit() as f32 }
    }
}

/// A thousand requests.
pub(super) fn log() -> Log {
    let random = &mut Random(1_000);
    Log { entries: (0..1_000).map(|second| log_entry(random, second)).collect() }
}

fn log_entry(random: &mut Random, second: u32) -> LogEntry {
    let method = random.pick(&["GET", "GET", "GET", "POST", "PUT", "DELETE"]);
    let path =
        random.pick(&["", "orders", "orders/lines", "images/logo.svg", "search?q=size", "files/2024/report.pdf"]);
    let version = random.pick(&["1.0", "1.1", "1.1", "2.0"]);
    LogEntry {
        address: Address { x0: random.byte(), x1: random.byte(), x2: random.byte(), x3: random.byte() },
        identity: "-".into(),
        userid: random.pick(&["-", "-", "-", "ada", "grace", "barbara", "katherine", "käthe"]).into(),
        date: format!("{:02}/Mar/2024:10:{:02}:{:02} +0100", 1 + random.below(28), second / 60 % 60, second % 60),
        request: format!("{method} /{path} HTTP/{version}"),
        code: [200, 200, 200, 206, 301, 304, 404, 500][random.below(8) as usize],
        size: random.skewed(28),
    }
}

/// A thousand triangles.
pub(super) fn mesh() -> Mesh {
    let random = &mut Random(1_001);
    let triangle = |random: &mut Random| Triangle {
        a: random.vector(),
        b: random.vector(),
        c: random.vector(),
        normal: random.vector(),
    };
    Mesh { triangles: (0..1_000).map(|_| triangle(random)).collect() }
}

/// A hundred cars.
pub(super) fn parking_lot() -> ParkingLot {
    let random = &mut Random(1_002);
    ParkingLot { cars: (0..100).map(|_| car(random)).collect() }
}

fn car(random: &mut Random) -> Car {
    let fuel_capacity = 30.0 + f32::from(random.within(0, 60));
    let wheel = |random: &mut Random| Wheel {
        diameter: random.within(35, 70),
        air_pressure: 30.0 + random.unit() as f32,
        snow_tires: random.below(16) == 0,
    };
    Car {
        make: random.pick(&["Toyota", "Ford", "Škoda", "Subaru", "Volvo"]).into(),
        model: random.pick(&["Camry", "Focus", "Octavia", "Outback", "V60 Cross Country"]).into(),
        color: COLORS[random.below(COLORS.len() as u64) as usize],
        seats: random.within(2, 9) as u8,
        doors: random.within(2, 5) as u8,
        wheels: (0..4).map(|_| wheel(random)).collect(),
        length: random.within(340, 540),
        width: random.within(150, 210),
        height: random.within(130, 200),
        weight: 900 + u32::from(random.within(0, 2_000)),
        engine: Engine {
            horsepower: random.within(60, 400),
            cylinders: [3, 4, 6, 8][random.below(4) as usize],
            cubic_centimetres: 800 + u32::from(random.within(0, 4_000)),
            uses_gas: random.below(4) != 0,
            uses_electric: random.coin(),
        },
        fuel_capacity,
        fuel_level: fuel_capacity * random.below(100) as f32 / 100.0,
        has_power_windows: random.coin(),
        has_power_steering: random.coin(),
        has_cruise_control: random.coin(),
        cup_holders: random.within(0, 12) as u8,
        has_navigation: random.coin(),
    }
}
