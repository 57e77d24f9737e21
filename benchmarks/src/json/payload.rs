//! The payloads, and the types that each library has for them.

use prost::Message as _;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::by_hand::{self, Text};
use super::{generated, orders};
use crate::quickbuffers;

/// What becomes JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload {
    /// A car, of QuickBuffers' set.
    Car,
    /// Two trades, of QuickBuffers' set.
    Market,
    /// A page of 72 orders.
    Orders,
}

impl Payload {
    /// All of them.
    pub const ALL: [Payload; 3] = [Payload::Car, Payload::Market, Payload::Orders];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Payload::Car => Car::NAME,
            Payload::Market => Market::NAME,
            Payload::Orders => Orders::NAME,
        }
    }

    /// The payload of a name.
    pub fn from_name(name: &str) -> Option<Payload> {
        Payload::ALL.into_iter().find(|payload| payload.name() == name)
    }
}

/// A message, and the types that each library has for it.
pub(super) trait Subject: 'static {
    const NAME: &'static str;
    /// The full name of the message.
    const MESSAGE: &'static str;
    type Defiant<'arena>: defiant::Message<'arena>;
    type Prost: prost::Message + Default + PartialEq + Serialize + DeserializeOwned + 'static;
    type Buffa: buffa::Message + Serialize + DeserializeOwned + 'static;
    type Owned: Serialize + DeserializeOwned + 'static;
    type Borrowed<'t>: Serialize + serde::Deserialize<'t>;

    fn wire() -> Vec<u8>;
}

macro_rules! subjects {
    ($($subject:ident, $name:literal, $package:ident $message:ident, $owned:ty, $borrowed:ty, $wire:expr;)*) => {$(
        pub(super) struct $subject;
        impl Subject for $subject {
            const NAME: &'static str = $name;
            const MESSAGE: &'static str =
                concat!("benchmarks.", stringify!($package), ".", stringify!($message));
            type Defiant<'arena> = subjects!(@defiant $package $message 'arena);
            type Prost = generated::prost::$package::$message;
            type Buffa = generated::buffa::$package::$message;
            type Owned = $owned;
            type Borrowed<'t> = $borrowed;

            fn wire() -> Vec<u8> {
                $wire.encode_to_vec()
            }
        }
    )*};
    (@defiant $package:ident $message:ident $arena:lifetime) => { generated::defiant::$package::$message<$arena> };
}
subjects! {
    Car, "car", quickbuffers Car, by_hand::Car<String>, by_hand::Car<Text<'t>>, quickbuffers::car();
    Market, "market", quickbuffers MarketVarint, by_hand::MarketVarint, by_hand::MarketVarint,
        quickbuffers::market_varint();
    Orders, "orders", orders OrderPage, by_hand::OrderPage<String>, by_hand::OrderPage<Text<'t>>, orders::page();
}
