//! A page of orders, as a service answers with: records in records, names, enums, times, maps and large integers.

use std::collections::HashMap;

use pbjson_types::Timestamp;

use super::generated::prost::orders::{Address, Channel, Customer, Money, Order, OrderLine, OrderPage, OrderState};
use crate::random::Random;

const ORDERS: u64 = 72;

/// The page, the same in every run but for the order of maps.
pub(super) fn page() -> OrderPage {
    let random = &mut Random(72);
    OrderPage {
        orders: (0..ORDERS).map(|index| order(random, index)).collect(),
        next_page_token: "CiQKIhIgb3JkZXJzLzIwMjUtMTEtMDNUMTg6MDY6NDJa".into(),
        total_size: 18_204_551,
        served_at: Some(Timestamp { seconds: 1_762_192_805, nanos: 318_000_000 }),
    }
}

fn one_of<'t>(random: &mut Random, of: &[&'t str]) -> &'t str {
    of[random.below(of.len() as u64) as usize]
}

fn order(random: &mut Random, index: u64) -> Order {
    let number = 4_503_599_627_370_496 + index * 7 + random.below(7);
    let mut lines = Vec::new();
    for _ in 0..1 + random.below(4) {
        lines.push(line(random));
    }
    let created = 1_762_000_000 + index as i64 * 2_400 + random.below(2_400) as i64;
    let carrier = one_of(random, &["dhl", "ups", "post-nord", "correos"]);
    Order {
        name: format!("shops/northern-light/orders/{number}"),
        order_number: number,
        state: (OrderState::Placed as i32) + random.below(5) as i32,
        customer: Some(customer(random)),
        labels: HashMap::from(
            [("warehouse", one_of(random, &["ham-2", "ber-1", "osl-4"])), ("carrier", carrier), ("tier", "standard")]
                .map(|(key, value)| (key.into(), value.into())),
        ),
        stock: lines.iter().map(|line| (line.sku.clone(), random.below(9_000) as i64)).collect(),
        created_at: Some(Timestamp { seconds: created, nanos: fraction(random) }),
        updated_at: Some(Timestamp { seconds: created + random.below(90_000) as i64, nanos: fraction(random) }),
        total: Some(money(random, 2_000)),
        gift: random.below(6) == 0,
        entity_tag: random.bytes(16),
        note: (random.below(4) == 0).then(|| note(random).into()),
        risk_score: random.below(10_000) as f64 / 10_000.0,
        tags: (0..random.below(4))
            .map(|_| one_of(random, &["priority", "b2b", "click & collect", "repeat"]).into())
            .collect(),
        channel: (Channel::Web as i32) + random.below(3) as i32,
        lines,
    }
}

/// None, milliseconds or microseconds, of which the last digit is not 0: so that there is one way to write them.
fn fraction(random: &mut Random) -> i32 {
    let digits = |random: &mut Random, tens| 10 * random.below(tens) as i32 + 1 + random.below(9) as i32;
    match random.below(5) {
        0 => 0,
        1 | 2 => digits(random, 100) * 1_000_000,
        _ => digits(random, 100_000) * 1_000,
    }
}

fn note(random: &mut Random) -> &'static str {
    const NOTES: [&str; 4] = [
        "Please ring twice.\nThe bell marked \"Müller\" is the right one.",
        "Leave it with the neighbour, flat 3",
        "Geburtstagsgeschenk: bitte ohne Rechnung liefern, danke schön!",
        "配達前に電話してください",
    ];
    NOTES[random.below(4) as usize]
}

fn customer(random: &mut Random) -> Customer {
    let first = one_of(random, &["Aino", "Björn", "Carmen", "Dieter", "Éloïse", "Farid", "Grace", "Hana"]);
    let last = one_of(random, &["Lindqvist", "Müller", "Okafor", "Novák", "Smith", "García", "Sato", "van den Berg"]);
    Customer {
        id: format!("cus_{:016x}", random.next()),
        display_name: format!("{first} {last}"),
        email: format!("{}.{}@mail.example", last.to_lowercase().replace(' ', "-"), random.below(1_000)),
        address: Some(Address {
            lines: vec![format!("Hafenstraße {}", 1 + random.below(180)), format!("Floor {}", random.below(9))],
            postal_code: format!("{:05}", random.below(100_000)),
            city: one_of(random, &["Hamburg", "Århus", "Malmö", "København", "Bergen"]).into(),
            country_code: one_of(random, &["DE", "DK", "SE", "NO"]).into(),
            latitude: micros(random, 50, 59),
            longitude: micros(random, 6, 14),
        }),
        orders_placed: random.below(400) as i64,
    }
}

/// Degrees with six digits, as maps have them.
fn micros(random: &mut Random, from: u64, to: u64) -> f64 {
    (from * 1_000_000 + random.below((to - from) * 1_000_000)) as f64 / 1e6
}

fn line(random: &mut Random) -> OrderLine {
    let sku = random.below(1_000_000);
    OrderLine {
        sku: format!("NL-{sku:06}"),
        title: one_of(
            random,
            &[
                "Wool blanket, 140 × 200 cm",
                "Enamel mug \"Sea\"",
                "Oil lamp",
                "Linen towel (set of 4)",
                "Candle holder, brass",
            ],
        )
        .into(),
        quantity: 1 + random.below(5) as u32,
        price: Some(money(random, 300)),
        weight_kg: (1 + random.below(4_000)) as f32 / 1_000.0,
        discount_percent: if random.below(3) == 0 { 5 * random.below(7) as i32 } else { 0 },
    }
}

fn money(random: &mut Random, below: u64) -> Money {
    Money {
        currency_code: "EUR".into(),
        units: 1 + random.below(below) as i64,
        nanos: random.below(100) as i32 * 10_000_000,
    }
}
