//! The messages as structs written for serde, with ProtoJSON's forms: 64-bit integers in quotes, `bytes` as base64, enums
//! and times by name, nothing for what is unset.
//!
//! `S` is the type of the strings: `String`, or [`Text`], which borrows where nothing is escaped. They do less than
//! ProtoJSON asks: numbers are not read from strings, nor enums from numbers, nor fields by the names of the schema, and
//! base64 has one form.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;
use std::marker::PhantomData;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A string that is borrowed from the JSON where it can be.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// An integer in quotes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Quoted<T>(T);

impl<T: itoa::Integer + Copy> Serialize for Quoted<T> {
    fn serialize<Z: Serializer>(&self, serializer: Z) -> Result<Z::Ok, Z::Error> {
        serializer.serialize_str(itoa::Buffer::new().format(self.0))
    }
}

impl<'de, T: FromStr> Deserialize<'de> for Quoted<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Digits<T>(PhantomData<T>);
        impl<T: FromStr> Visitor<'_> for Digits<T> {
            type Value = Quoted<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an integer in quotes")
            }

            fn visit_str<E: Error>(self, digits: &str) -> Result<Quoted<T>, E> {
                digits.parse().map(Quoted).map_err(|_| E::custom("not an integer"))
            }
        }
        deserializer.deserialize_str(Digits(PhantomData))
    }
}

/// Bytes as base64.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Base64(Vec<u8>);

impl Serialize for Base64 {
    fn serialize<Z: Serializer>(&self, serializer: Z) -> Result<Z::Ok, Z::Error> {
        serializer.serialize_str(&STANDARD.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Base64 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Letters;
        impl Visitor<'_> for Letters {
            type Value = Base64;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("base64")
            }

            fn visit_str<E: Error>(self, letters: &str) -> Result<Base64, E> {
                STANDARD.decode(letters).map(Base64).map_err(E::custom)
            }
        }
        deserializer.deserialize_str(Letters)
    }
}

/// What is left out of the JSON of a field with implicit presence.
pub(super) trait Unset {
    fn unset(&self) -> bool;
}

fn unset(value: &impl Unset) -> bool {
    value.unset()
}

macro_rules! unset {
    ($($kind:ty: |$value:ident| $test:expr;)*) => {$(
        impl Unset for $kind {
            #[inline]
            fn unset(&self) -> bool {
                let $value = self;
                $test
            }
        }
    )*};
}
unset! {
    bool: |value| !value;
    i32: |value| *value == 0;
    u32: |value| *value == 0;
    f32: |value| value.to_bits() == 0;
    f64: |value| value.to_bits() == 0;
    String: |value| value.is_empty();
    Text<'_>: |value| value.0.is_empty();
    Quoted<i64>: |value| value.0 == 0;
    Quoted<u64>: |value| value.0 == 0;
    Base64: |value| value.0.is_empty();
    OrderState: |value| *value == OrderState::Unspecified;
    Channel: |value| *value == Channel::Unspecified;
}

impl<T> Unset for Option<T> {
    fn unset(&self) -> bool {
        self.is_none()
    }
}

impl<T> Unset for Vec<T> {
    fn unset(&self) -> bool {
        self.is_empty()
    }
}

impl<K, V> Unset for HashMap<K, V> {
    fn unset(&self) -> bool {
        self.is_empty()
    }
}

/// A type of strings.
pub(super) trait Letters: Serialize + Eq + Hash + Default + Unset {}
impl Letters for String {}
impl Letters for Text<'_> {}

/// Structs of which each field is left out when it is unset, but those that are required.
macro_rules! messages {
    ($($name:ident $(<$letters:ident $bound:literal $de_bound:literal>)? {
        $([$($needed:ident: $needed_kind:ty,)*])? $($field:ident: $kind:ty,)*
    })*) => {$(
        #[derive(Debug, Serialize, Deserialize)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        $(#[serde(bound(serialize = $bound, deserialize = $de_bound))])?
        pub(super) struct $name$(<$letters>)? {
            $($($needed: $needed_kind,)*)?
            $(
                #[serde(default, skip_serializing_if = "unset")]
                $field: $kind,
            )*
        }
    )*};
}
messages! {
    Car<S "S: Letters" "S: Letters + Deserialize<'de>"> {
        [
            serial_number: u32,
            model_year: u32,
            available: bool,
            code: CarCode,
            vehicle_code: S,
            engine: Engine<S>,
            make: S,
            model: S,
        ]
        some_numbers: Vec<i32>,
        optional_extras: Vec<CarExtra>,
        fuel_figures: Vec<FuelFigure>,
        performance: Vec<PerformanceFigure>,
    }
    Engine<S "S: Letters" "S: Letters + Deserialize<'de>"> {
        [
            capacity: u32,
            num_cylinders: u32,
            manufacturer_code: S,
        ]
        max_rpm: Option<u32>,
        fuel: Option<S>,
    }
    FuelFigure {
        [
            speed: u32,
            mpg: f32,
        ]
    }
    PerformanceFigure {
        [
            octane_rating: u32,
        ]
        acceleration: Vec<Acceleration>,
    }
    Acceleration {
        [
            mph: u32,
            seconds: f32,
        ]
    }
    MarketVarint {
        [
            transact_time: Quoted<u64>,
            event_time_delta: u32,
            match_event: MatchEvent,
        ]
        groups: Vec<TradeVarint>,
    }
    TradeVarint {
        [
            trade_id: Quoted<u64>,
            security_id: Quoted<u64>,
            price: Price,
            quantity: Quantity,
            number_of_orders: u32,
            update_action: UpdateAction,
            rep_seq: u32,
            aggressor_side: AggressorSide,
        ]
        entry_type: Option<EntryType>,
    }
    Price {
        [
            mantissa: Quoted<i64>,
        ]
        exponent: Option<u32>,
    }
    Quantity {
        [
            mantissa: i32,
        ]
        exponent: Option<u32>,
    }
    OrderPage<S "S: Letters" "S: Letters + Deserialize<'de>"> {
        orders: Vec<Order<S>>,
        next_page_token: S,
        total_size: Quoted<i64>,
        served_at: Option<Timestamp>,
    }
    Order<S "S: Letters" "S: Letters + Deserialize<'de>"> {
        name: S,
        order_number: Quoted<u64>,
        state: OrderState,
        customer: Option<Customer<S>>,
        lines: Vec<OrderLine<S>>,
        labels: HashMap<S, S>,
        stock: HashMap<S, Quoted<i64>>,
        created_at: Option<Timestamp>,
        updated_at: Option<Timestamp>,
        total: Option<Money<S>>,
        gift: bool,
        entity_tag: Base64,
        note: Option<S>,
        risk_score: f64,
        tags: Vec<S>,
        channel: Channel,
    }
    Customer<S "S: Letters" "S: Letters + Deserialize<'de>"> {
        id: S,
        display_name: S,
        email: S,
        address: Option<Address<S>>,
        orders_placed: Quoted<i64>,
    }
    Address<S "S: Letters" "S: Letters + Deserialize<'de>"> {
        lines: Vec<S>,
        postal_code: S,
        city: S,
        country_code: S,
        latitude: f64,
        longitude: f64,
    }
    OrderLine<S "S: Letters" "S: Letters + Deserialize<'de>"> {
        sku: S,
        title: S,
        quantity: u32,
        price: Option<Money<S>>,
        weight_kg: f32,
        discount_percent: i32,
    }
    Money<S "S: Letters" "S: Letters + Deserialize<'de>"> {
        currency_code: S,
        units: Quoted<i64>,
        nanos: i32,
    }
}

/// Enums by the names of the schema; the first value is that of an unset field.
macro_rules! enums {
    ($($name:ident { $first:ident = $first_text:literal, $($value:ident = $text:literal,)* })*) => {$(
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        pub(super) enum $name {
            #[default]
            #[serde(rename = $first_text)]
            $first,
            $(
                #[serde(rename = $text)]
                $value,
            )*
        }
    )*};
}
enums! {
    CarCode { A = "CAR_CODE_A", B = "CAR_CODE_B", C = "CAR_CODE_C", }
    CarExtra {
        SunRoof = "CAR_EXTRA_SUN_ROOF",
        SportsPack = "CAR_EXTRA_SPORTS_PACK",
        CruiseControl = "CAR_EXTRA_CRUISE_CONTROL",
    }
    MatchEvent { Trade = "MATCH_EVENT_TRADE", Volume = "MATCH_EVENT_VOLUME", End = "MATCH_EVENT_END", }
    UpdateAction { New = "UPDATE_ACTION_NEW", Change = "UPDATE_ACTION_CHANGE", Delete = "UPDATE_ACTION_DELETE", }
    AggressorSide { None = "AGGRESSOR_SIDE_NONE", Buy = "AGGRESSOR_SIDE_BUY", Sell = "AGGRESSOR_SIDE_SELL", }
    EntryType { Bid = "ENTRY_TYPE_BID", Offer = "ENTRY_TYPE_OFFER", Trade = "ENTRY_TYPE_TRADE", }
    OrderState {
        Unspecified = "ORDER_STATE_UNSPECIFIED",
        Placed = "ORDER_STATE_PLACED",
        Paid = "ORDER_STATE_PAID",
        Shipped = "ORDER_STATE_SHIPPED",
        Delivered = "ORDER_STATE_DELIVERED",
        Returned = "ORDER_STATE_RETURNED",
    }
    Channel { Unspecified = "CHANNEL_UNSPECIFIED", Web = "CHANNEL_WEB", App = "CHANNEL_APP", Shop = "CHANNEL_SHOP", }
}
