//! The four messages that are also built by hand, for every library whose messages are structs.
//!
//! A library brings a `Hand` with the methods `text`, `list`, `child` and `value`, which make of a string, an array, a
//! message and an enumerator what its structs hold.

/// The message of a payload as a struct of `$types`: `message!(Car, hand, types, camel)`; `camel` or `screaming` says
/// how the enumerators are spelled.
macro_rules! message {
    (@value camel $type:ident $camel:ident $screaming:ident) => { $type::$camel };
    (@value screaming $type:ident $camel:ident $screaming:ident) => { $type::$screaming };

    (Car, $hand:ident, $($types:ident)::+, $style:ident) => {{
        use $($types)::+::*;
        let accelerations = |seconds: [f32; 3]| $hand.list([
            Acceleration { mph: 30_u32.into(), seconds: seconds[0].into(), ..Default::default() },
            Acceleration { mph: 60_u32.into(), seconds: seconds[1].into(), ..Default::default() },
            Acceleration { mph: 100_u32.into(), seconds: seconds[2].into(), ..Default::default() },
        ]);
        Car {
            serial_number: 12345_u32.into(),
            model_year: 2005_u32.into(),
            available: true.into(),
            code: $hand.value(message!(@value $style CarCode A CAR_CODE_A)),
            some_numbers: $hand.list([0_i32, 1, 2, 3, 4]),
            vehicle_code: $hand.text("abcdef"),
            optional_extras: $hand.list([
                $hand.value(message!(@value $style CarExtra SportsPack CAR_EXTRA_SPORTS_PACK)),
                $hand.value(message!(@value $style CarExtra SunRoof CAR_EXTRA_SUN_ROOF)),
            ]),
            engine: $hand.child(Engine {
                capacity: 4200_u32.into(),
                num_cylinders: 8_u32.into(),
                manufacturer_code: $hand.text("abc"),
                ..Default::default()
            }),
            fuel_figures: $hand.list([
                FuelFigure { speed: 30_u32.into(), mpg: 35.9_f32.into(), ..Default::default() },
                FuelFigure { speed: 30_u32.into(), mpg: 49.0_f32.into(), ..Default::default() },
                FuelFigure { speed: 30_u32.into(), mpg: 40.0_f32.into(), ..Default::default() },
            ]),
            performance: $hand.list([
                PerformanceFigure {
                    octane_rating: 95_u32.into(),
                    acceleration: accelerations([4.0, 7.5, 12.2]),
                    ..Default::default()
                },
                PerformanceFigure {
                    octane_rating: 99_u32.into(),
                    acceleration: accelerations([3.8, 7.1, 11.8]),
                    ..Default::default()
                },
            ]),
            make: $hand.text("AUDI"),
            model: $hand.text("R8"),
            ..Default::default()
        }
    }};

    (MarketVarint, $hand:ident, $($types:ident)::+, $style:ident) => {
        message!(@market MarketVarint TradeVarint, $hand, $($types)::+, $style)
    };
    (MarketFixed, $hand:ident, $($types:ident)::+, $style:ident) => {
        message!(@market MarketFixed TradeFixed, $hand, $($types)::+, $style)
    };
    (@market $market:ident $trade:ident, $hand:ident, $($types:ident)::+, $style:ident) => {{
        use $($types)::+::*;
        let trade = || $trade {
            trade_id: 1234_u64.into(),
            security_id: 56789_u64.into(),
            price: $hand.child(Price { mantissa: 50_i64.into(), ..Default::default() }),
            quantity: $hand.child(Quantity { mantissa: 10_i32.into(), ..Default::default() }),
            number_of_orders: 1_u32.into(),
            update_action: $hand.value(message!(@value $style UpdateAction New UPDATE_ACTION_NEW)),
            rep_seq: 1_u32.into(),
            aggressor_side: $hand.value(message!(@value $style AggressorSide Buy AGGRESSOR_SIDE_BUY)),
            entry_type: $hand.value(message!(@value $style EntryType Bid ENTRY_TYPE_BID)),
            ..Default::default()
        };
        $market {
            transact_time: 1234_u64.into(),
            event_time_delta: 987_u32.into(),
            match_event: $hand.value(message!(@value $style MatchEvent Volume MATCH_EVENT_VOLUME)),
            groups: $hand.list([trade(), trade()]),
            ..Default::default()
        }
    }};

    (FooBar, $hand:ident, $($types:ident)::+, $style:ident) => {{
        use $($types)::+::*;
        FooBarContainer {
            list: $hand.list([0_u32, 1, 2].map(|index| FooBar {
                sibling: $hand.child(Bar {
                    parent: $hand.child(Foo {
                        id: ($crate::quickbuffers::ID + u64::from(index)).into(),
                        count: (10_000 + index as i32).into(),
                        prefix: (i32::from(b'@') + index as i32).into(),
                        length: (1_000_000 + index).into(),
                        ..Default::default()
                    }),
                    time: (123_456 + index as i32).into(),
                    ratio: ($crate::quickbuffers::RATIO + index as f32).into(),
                    size: (10_000 + index).into(),
                    ..Default::default()
                }),
                name: $hand.text("Hello, World!"),
                rating: ($crate::quickbuffers::RATING + f64::from(index)).into(),
                postfix: (u32::from(b'!') + index).into(),
                ..Default::default()
            })),
            initialized: true.into(),
            fruit: $hand.value(message!(@value $style Fruit Bananas FRUIT_BANANAS)),
            location: $hand.text($crate::quickbuffers::LOCATION),
            ..Default::default()
        }
    }};
}

/// Offers building and encoding:
///
/// ```text
/// built_by_hand!(offer, types, camel, "variant", hand = Hand, |message| bytes);
/// ```
///
/// `bytes` is the expression for the encoded message; a further `; expression` runs when they were seen.
macro_rules! built_by_hand {
    ($offer:ident, $types:path, $style:ident, $variant:literal, $($rest:tt)*) => {{
        #[allow(unused_imports, reason = "the types of one payload at a time")]
        use $types as types;
        match $offer.payload {
            $crate::payloads::Payload::Car => built_by_hand!(@ Car, $offer, $style, $variant, $($rest)*),
            $crate::payloads::Payload::MarketVarint => {
                built_by_hand!(@ MarketVarint, $offer, $style, $variant, $($rest)*)
            }
            $crate::payloads::Payload::MarketFixed => {
                built_by_hand!(@ MarketFixed, $offer, $style, $variant, $($rest)*)
            }
            $crate::payloads::Payload::FooBar => built_by_hand!(@ FooBar, $offer, $style, $variant, $($rest)*),
            _ => {}
        }
    }};
    (
        @ $payload:ident, $offer:ident, $style:ident, $variant:literal,
        $hand:ident = $make:expr, |$message:ident| $encode:expr $(; $after:expr)?
    ) => {{
        {
            let $hand = $make;
            let $message = message!($payload, $hand, types, $style);
            $offer.built($encode);
        }
        $offer.time($crate::offer::Task::BuildEncode, $crate::offer::Memory::Reused, $variant, move || {
            {
                let $hand = $make;
                let $message = message!($payload, $hand, types, $style);
                std::hint::black_box($encode);
            }
            $($after;)?
        });
    }};
}
