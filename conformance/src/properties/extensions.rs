//! Extensions of copies of a message: a change of one copy leaves the others as they were.

use defiant::{Arena, Message, UnknownField, UnknownFields};

use crate::shapes::{
    A_CLOSED_EXTENSION, A_NEEDY_EXTENSION, AN_EXTENSION, Closed, Needy, PACKED_EXTENSIONS, SOME_EXTENSIONS, Singular,
};

/// Copies that are alive.
const COPIES: usize = 6;
/// Steps of a program. Reading a list takes memory of the arena each time.
const STEPS: usize = 100;
/// Elements and records of a copy that may still grow.
const LONGEST: usize = 60;

/// The extensions of a copy, and its other unknown fields in the order of the wire.
#[derive(Clone, Debug, Default, PartialEq)]
struct Model {
    number: Option<i32>,
    strings: Vec<String>,
    needy: Option<i32>,
    closed: Option<Closed>,
    doubles: Vec<f64>,
    others: Vec<u64>,
}

/// The number of an unknown field that is no extension.
const OTHER: u32 = 2000;

/// The bytes are a program of edits. Every copy is compared with its model after each step.
pub(super) fn extensions(bytes: &[u8]) -> Result<(), String> {
    let arena = Arena::new();
    let mut copies: Vec<(Singular<'_>, Model)> = vec![(Singular::default(), Model::default())];
    for step in bytes.chunks_exact(3).take(STEPS) {
        let (op, which, value) = (step[0], usize::from(step[1]) % copies.len(), step[2]);
        let (mut message, mut model) = copies[which].clone();
        if model.strings.len() + model.doubles.len() + model.others.len() > LONGEST {
            (message, model) = Default::default();
        }
        edit(op, value, &mut message, &mut model, &arena)?;
        // Most steps change a copy of a copy, some the copy itself.
        if op & 0xc0 == 0 {
            copies[which] = (message, model);
        } else {
            if copies.len() == COPIES {
                copies.remove(0);
            }
            copies.push((message, model));
        }
        for (message, model) in &copies {
            check(message, model, &arena).map_err(|what| format!("after {step:x?}: {what}"))?;
        }
        let (message, model) = &copies[copies.len() - 1];
        let scratch = Arena::new();
        let again = Singular::decode(&message.encode_to_vec(), &scratch).map_err(|error| error.to_string())?;
        check(&again, model, &scratch).map_err(|what| format!("its wire, after {step:x?}: {what}"))?;
    }
    Ok(())
}

/// Changes a message and its model.
fn edit<'a>(op: u8, value: u8, message: &mut Singular<'a>, model: &mut Model, arena: &'a Arena) -> Result<(), String> {
    let number = i32::from(value) << (value % 24);
    let text = "x".repeat(usize::from(value % 40));
    let count = usize::from(value % 20);
    match op % 16 {
        0 => {
            AN_EXTENSION.set(message, number, arena);
            model.number = Some(number);
        }
        1 => {
            AN_EXTENSION.clear(message, arena);
            model.number = None;
        }
        2 | 3 => {
            SOME_EXTENSIONS.add(message, &text, arena);
            model.strings.push(text);
        }
        4 => {
            let strings = vec![&*text; count];
            SOME_EXTENSIONS.set(message, &strings, arena);
            model.strings = strings.iter().map(|text| (*text).to_owned()).collect();
        }
        5 => {
            SOME_EXTENSIONS.clear(message, arena);
            model.strings.clear();
        }
        6 => {
            A_NEEDY_EXTENSION.set(message, &Needy { must: number, ..Needy::default() }, arena);
            model.needy = Some(number);
        }
        7 => {
            A_NEEDY_EXTENSION.clear(message, arena);
            model.needy = None;
        }
        8 => {
            let closed = if value % 2 == 0 { Closed::Two } else { Closed::Nine };
            A_CLOSED_EXTENSION.set(message, closed, arena);
            model.closed = Some(closed);
        }
        9 => {
            A_CLOSED_EXTENSION.clear(message, arena);
            model.closed = None;
        }
        10 => {
            let doubles: Vec<f64> = (0..count).map(|index| index as f64).collect();
            PACKED_EXTENSIONS.set(message, &doubles, arena);
            model.doubles = doubles;
        }
        11 => {
            PACKED_EXTENSIONS.add(message, f64::from(value), arena);
            model.doubles.push(value.into());
        }
        // The wire is merged into another message, whose extensions are replaced or go on.
        12 => {
            let wire = message.encode_to_vec();
            message.merge(&wire, arena).map_err(|error| error.to_string())?;
            model.strings.extend_from_within(..);
            model.doubles.extend_from_within(..);
            model.others.extend_from_within(..);
        }
        13 => {
            *message = Singular::decode(&message.encode_to_vec(), arena).map_err(|error| error.to_string())?;
        }
        14 => {
            // Field 2000, a varint.
            let wire = [&[0x80, 0x7d, value & 0x7f][..], &[0xa0, 0x06, value & 0x7f]].concat();
            message.merge(&wire, arena).map_err(|error| error.to_string())?;
            model.others.push(u64::from(value & 0x7f));
            model.number = Some(i32::from(value & 0x7f));
        }
        _ => {
            message.unknown_fields = UnknownFields::EMPTY;
            *model = Model::default();
        }
    }
    Ok(())
}

/// Compares a message with its model.
fn check<'a>(message: &Singular<'a>, model: &Model, arena: &'a Arena) -> Result<(), String> {
    let found = read(message, arena)?;
    if found != *model {
        return Err(format!("a message has {found:?}, expected {model:?}"));
    }
    let has = [
        AN_EXTENSION.has(message),
        SOME_EXTENSIONS.has(message),
        A_NEEDY_EXTENSION.has(message),
        A_CLOSED_EXTENSION.has(message),
        PACKED_EXTENSIONS.has(message),
    ];
    let needy = model.needy.is_some();
    let strings = !model.strings.is_empty();
    // A packed list of no elements may be there as a record.
    let expected = [model.number.is_some(), strings, needy, model.closed.is_some(), has[4]];
    if has != expected || !model.doubles.is_empty() && !has[4] {
        return Err(format!("`has` says {has:?}, expected {expected:?}"));
    }
    Ok(())
}

fn read<'a>(message: &Singular<'a>, arena: &'a Arena) -> Result<Model, String> {
    let read = || {
        Ok::<_, defiant::DecodeError>(Model {
            number: AN_EXTENSION.get(message)?,
            strings: SOME_EXTENSIONS.get(message, arena)?.iter().map(|text| (*text).to_owned()).collect(),
            needy: A_NEEDY_EXTENSION.get(message, arena)?.map(|needy| needy.must),
            closed: A_CLOSED_EXTENSION.get(message)?,
            doubles: PACKED_EXTENSIONS.get(message, arena)?.to_vec(),
            others: message.unknown_fields.iter().filter(|field| field.number == OTHER).filter_map(varint).collect(),
        })
    };
    read().map_err(|error| error.to_string())
}

fn varint(field: UnknownField<'_>) -> Option<u64> {
    match field.value {
        defiant::UnknownValue::Varint(value) => Some(value),
        _ => None,
    }
}
