//! Messages of an unusual shape: nested deeply, sparse, of one huge field, with their fields in an unusual order.

use crate::families;
use crate::generated::prost::shapes::*;
use crate::generated::prost::sparse::Profile;
use crate::random::Random;
use prost::Message;

/// How deep [`nested`] is, which is below the 100 that most libraries stop at.
const DEPTH: usize = 80;

/// A condition of a query that a program has put together, 80 messages deep, with two comparisons at each level.
pub fn nested() -> Condition {
    let random = &mut Random(80);
    let mut condition = comparison(random);
    for level in (1..DEPTH).rev() {
        let operator = if level % 2 == 0 { "or" } else { "and" };
        let operands = vec![comparison(random), condition, comparison(random)];
        condition = Condition { operator: operator.into(), operands, ..Condition::default() };
    }
    condition
}

fn comparison(random: &mut Random) -> Condition {
    let operator = random.pick(&["=", "<", ">", "like"]).into();
    let column = format!("{}_{}", random.text(1), random.below(40));
    match random.below(2) {
        0 => Condition { operator, column, number: random.signed(35), ..Condition::default() },
        _ => Condition { operator, column, text: random.text(2), ..Condition::default() },
    }
}

/// How many of its 500 fields [`sparse`] has.
const SET: usize = 25;

/// A message with 25 of 500 fields, those with low numbers more often than the others, about 200 bytes.
pub fn sparse() -> Profile {
    let random = &mut Random(500);
    let mut numbers: Vec<u64> = Vec::new();
    while numbers.len() < SET {
        let number = 1 + random.below(500).min(random.below(500));
        if !numbers.contains(&number) {
            numbers.push(number);
        }
    }
    let mut wire = Vec::new();
    numbers.sort_unstable();
    for number in numbers {
        field(random, number, &mut wire);
    }
    Profile::decode(wire.as_slice()).expect("fields of the types that the schema has")
}

/// Writes a field of [`Profile`], whose types repeat every ten fields.
fn field(random: &mut Random, number: u64, wire: &mut Vec<u8>) {
    use prost::encoding::{bool, double, fixed64, float, int64, sint32, string, uint32, uint64};

    let tag = number as u32;
    match (number - 1) % 10 {
        0 => uint32::encode(tag, &(random.skewed(21) as u32), wire),
        1 | 7 => string::encode(tag, &random.text(2), wire),
        2 => bool::encode(tag, &true, wire),
        3 => int64::encode(tag, &random.signed(35), wire),
        4 => double::encode(tag, &random.unit(), wire),
        5 => sint32::encode(tag, &(random.signed(28) as i32), wire),
        6 => fixed64::encode(tag, &random.next(), wire),
        8 => float::encode(tag, &(random.unit() as f32), wire),
        _ => uint64::encode(tag, &random.skewed(42), wire),
    }
}

/// How many bytes the field of [`blob`] has.
const BLOB: usize = 10_000_000;

/// A name and ten million bytes.
pub fn blob() -> Blob {
    let random = &mut Random(10);
    Blob { name: "backups/2023-11-14.tar".into(), modified_at: 1_700_000_000, data: random.bytes(BLOB) }
}

/// Which fields of a message are messages, and what is in those.
struct Inside(&'static [(u64, Inside)]);

/// An analytics event.
const EVENT: Inside = Inside(&[(4, Inside(&[(2, Inside(&[(2, LEAF), (3, LEAF)])), (3, LEAF)])), (5, PAGE_VIEW)]);
const PAGE_VIEW: Inside = Inside(&[(3, Inside(&[(2, LEAF), (4, Inside(&[(2, LEAF)]))]))]);
const LEAF: Inside = Inside(&[]);

/// The [`families::analytics_event`] with the fields of each message in descending order.
pub fn reversed() -> Vec<u8> {
    reorder(&families::analytics_event().encode_to_vec(), &EVENT, &mut |fields| fields.reverse())
}

/// The [`families::analytics_event`] with the fields of each message in any order, repeated ones between others.
pub fn shuffled() -> Vec<u8> {
    let random = &mut Random(52);
    reorder(&families::analytics_event().encode_to_vec(), &EVENT, &mut |fields| {
        for last in (1..fields.len()).rev() {
            fields.swap(last, random.below(last as u64 + 1) as usize);
        }
    })
}

/// Puts the fields of a well-formed message without groups into another order, those of the messages inside first.
fn reorder(wire: &[u8], inside: &Inside, order: &mut impl FnMut(&mut [Vec<u8>])) -> Vec<u8> {
    let mut rest = wire;
    let mut fields = Vec::new();
    while !rest.is_empty() {
        let before = rest;
        let mut varint = || prost::encoding::decode_varint(&mut rest).expect("a well-formed message");
        let tag = varint();
        let len = match tag & 7 {
            0 => {
                varint();
                0
            }
            1 => 8,
            5 => 4,
            _ => varint() as usize,
        };
        let (payload, after) = rest.split_at(len);
        let head = &before[..before.len() - rest.len()];
        rest = after;
        fields.push(match inside.0.iter().find(|(number, _)| *number == tag >> 3) {
            Some((_, inside)) => [head, &reorder(payload, inside, order)].concat(),
            None => [head, payload].concat(),
        });
    }
    order(&mut fields);
    fields.concat()
}

#[cfg(test)]
mod tests {
    use super::{Inside, LEAF, reorder};

    #[test]
    fn fields_are_put_into_another_order_at_every_level() {
        let wire = [0x08, 0x96, 1, 0x12, 4, 0x08, 1, 0x10, 2, 0x1d, 0, 0, 0, 9];
        let reversed = [0x1d, 0, 0, 0, 9, 0x12, 4, 0x10, 2, 0x08, 1, 0x08, 0x96, 1];
        assert_eq!(reorder(&wire, &Inside(&[(2, LEAF)]), &mut |fields| fields.reverse()), reversed);
    }
}
