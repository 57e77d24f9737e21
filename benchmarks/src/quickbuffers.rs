//! The messages that QuickBuffers is measured with, as prost's types.
//!
//! Fields and values are those of its benchmarks; the sizes are asserted by the tests.

use prost::Message;

use crate::generated::prost::quickbuffers::*;
use crate::random::Random;

/// The car, 140 bytes.
pub fn car() -> Car {
    let accelerations = |seconds: [f32; 3]| {
        let pairs = [30, 60, 100].into_iter().zip(seconds);
        pairs.map(|(mph, seconds)| Acceleration { mph, seconds }).collect()
    };
    Car {
        serial_number: 12345,
        model_year: 2005,
        available: true,
        code: CarCode::A.into(),
        some_numbers: vec![0, 1, 2, 3, 4],
        vehicle_code: "abcdef".into(),
        optional_extras: vec![CarExtra::SportsPack.into(), CarExtra::SunRoof.into()],
        engine: Engine { capacity: 4200, num_cylinders: 8, max_rpm: None, manufacturer_code: "abc".into(), fuel: None },
        fuel_figures: vec![
            FuelFigure { speed: 30, mpg: 35.9 },
            FuelFigure { speed: 30, mpg: 49.0 },
            FuelFigure { speed: 30, mpg: 40.0 },
        ],
        performance: vec![
            PerformanceFigure { octane_rating: 95, acceleration: accelerations([4.0, 7.5, 12.2]) },
            PerformanceFigure { octane_rating: 99, acceleration: accelerations([3.8, 7.1, 11.8]) },
        ],
        make: "AUDI".into(),
        model: "R8".into(),
    }
}

/// Two trades, 62 bytes.
pub fn market_varint() -> MarketVarint {
    let trade = TradeVarint {
        trade_id: 1234,
        security_id: 56789,
        price: Price { mantissa: 50, exponent: None },
        quantity: Quantity { mantissa: 10, exponent: None },
        number_of_orders: 1,
        update_action: UpdateAction::New.into(),
        rep_seq: 1,
        aggressor_side: AggressorSide::Buy.into(),
        entry_type: Some(EntryType::Bid.into()),
    };
    MarketVarint {
        transact_time: 1234,
        event_time_delta: 987,
        match_event: MatchEvent::Volume.into(),
        groups: vec![trade, trade],
    }
}

/// The same in 84 bytes.
pub fn market_fixed() -> MarketFixed {
    let groups = market_varint().groups.into_iter().map(|trade| TradeFixed {
        trade_id: trade.trade_id,
        security_id: trade.security_id,
        price: trade.price,
        quantity: trade.quantity,
        number_of_orders: trade.number_of_orders,
        update_action: trade.update_action,
        rep_seq: trade.rep_seq,
        aggressor_side: trade.aggressor_side,
        entry_type: trade.entry_type,
    });
    MarketFixed {
        transact_time: 1234,
        event_time_delta: 987,
        match_event: MatchEvent::Volume.into(),
        groups: groups.collect(),
    }
}

/// The rating of the first of the three in [`foobar`].
pub const RATING: f64 = 3.141_543_244_324_454_4;
/// The ratio of the first of the three in [`foobar`].
#[expect(clippy::approx_constant, reason = "the benchmark's own figure, not the constant")]
pub const RATIO: f32 = 3.14159;
/// The identifier of the first of the three in [`foobar`].
pub const ID: u64 = 0xABAD_CAFE_ABAD_CAFE;
/// Thirty letters, like the original.
pub const LOCATION: &str = "https://defiant.example/foobar";

/// Three messages three levels deep, 228 bytes.
pub fn foobar() -> FooBarContainer {
    let list = (0_u32..3).map(|index| FooBar {
        sibling: Some(Bar {
            parent: Some(Foo {
                id: Some(ID + u64::from(index)),
                count: Some(10_000 + index as i32),
                prefix: Some(i32::from(b'@') + index as i32),
                length: Some(1_000_000 + index),
            }),
            time: Some(123_456 + index as i32),
            ratio: Some(RATIO + index as f32),
            size: Some(10_000 + index),
        }),
        name: Some("Hello, World!".into()),
        rating: Some(RATING + f64::from(index)),
        postfix: Some(u32::from(b'!') + index),
    });
    FooBarContainer {
        list: list.collect(),
        initialized: Some(true),
        fruit: Some(Fruit::Bananas.into()),
        location: Some(LOCATION.into()),
    }
}

/// 2^20 doubles, 8 MiB and a few bytes.
pub fn packed_doubles() -> PackedDoubles {
    PackedDoubles { values: (0..1 << 20).map(|index| f64::from(index) * 0.75 - 1e5).collect() }
}

/// How long a log is: 10 MiB, but 64 KiB in a debug build, whose times say nothing.
pub const LOG: usize = if cfg!(debug_assertions) { 64 << 10 } else { 10 << 20 };

/// As many copies of a message as a log has room for, each behind its length.
pub fn log(message: &impl Message) -> Vec<u8> {
    let one = message.encode_length_delimited_to_vec();
    one.repeat(LOG / one.len())
}

/// What numbers a drive reports, about 210 bytes.
fn drive_reading(random: &mut Random, sequence: u32) -> DriveReading {
    let mut number = || random.unit();
    let mut axes = || Some(Axes { x: Some(number() as f32), y: Some(number() as f32), z: Some(number() as f32) });
    let (acceleration, rotation) = (axes(), axes());
    let residuals = (0..3).filter_map(|_| axes()).collect();
    let orientation = Orientation {
        w: Some(number() as f32),
        x: Some(number() as f32),
        y: Some(number() as f32),
        z: Some(number() as f32),
    };
    DriveReading {
        time_micros: Some(1_700_000_000_000_000 + u64::from(sequence) * 1_000),
        sequence: Some(sequence),
        drive: Some(1 + sequence % 6),
        enabled: Some(true),
        mode: Some(DriveMode::Position.into()),
        position: Some(number() as f32),
        velocity: Some(number() as f32),
        effort: Some(number() as f32),
        position_command: Some(number()),
        velocity_command: Some(number()),
        effort_command: Some(number()),
        motor_temperature: Some(45.0 + number() as f32),
        housing_temperature: Some(38.0 + number() as f32),
        voltage: Some(48.0 + number() as f32),
        current: Some(number() as f32),
        acceleration,
        rotation,
        orientation: Some(orientation),
        encoder_ticks: Some((number() * 1e6) as i32),
        error_flags: Some(0),
        uptime_micros: Some(86_400_000_000 + u64::from(sequence) * 1_000),
        residuals,
    }
}

/// Two drives with what people call them, about 550 bytes.
fn drive_group(random: &mut Random, sequence: u32) -> DriveGroup {
    let reading = |random: &mut Random, joint: &str, sequence| NamedReading {
        drive: Some(format!("arm-2/{joint}/X8-9")),
        state: Some(if random.below(9) == 0 { "settling" } else { "tracking" }.into()),
        reading: Some(drive_reading(random, sequence)),
    };
    DriveGroup {
        name: Some("arm-2".into()),
        family: Some("packing line, hall 4".into()),
        firmware: Some("15.2.1-release".into()),
        serial_number: Some(format!("X-{:05}", random.below(100_000))),
        received_micros: Some(1_700_000_000_000_200 + u64::from(sequence) * 1_000),
        readings: vec![reading(random, "shoulder", 2 * sequence), reading(random, "elbow", 2 * sequence + 1)],
    }
}

/// As many readings of a drive as a log has room for, no two the same.
pub fn drive_log() -> Vec<u8> {
    let random = &mut Random(220);
    stream(|sequence| drive_reading(random, sequence))
}

/// The same of groups of drives.
pub fn drive_group_log() -> Vec<u8> {
    let random = &mut Random(650);
    stream(|sequence| drive_group(random, sequence))
}

fn stream<M: Message>(mut message: impl FnMut(u32) -> M) -> Vec<u8> {
    let mut wire = Vec::with_capacity(LOG + 1024);
    for sequence in 0.. {
        let before = wire.len();
        message(sequence).encode_length_delimited(&mut wire).expect("a Vec grows");
        if wire.len() > LOG {
            wire.truncate(before);
            break;
        }
    }
    wire
}
