//! JSON: Defiant beside prost with pbjson, prost-reflect, buffa, and structs written for serde_json.
//!
//! All read the same text, Defiant's. Before anything is timed, what each library writes is compared with that text as a
//! value, and what it reads is written again, as JSON and where it can as wire, and compared.

mod by_hand;
mod check;
mod generated;
mod offers;
mod orders;
mod payload;

use std::error::Error;

use crate::libraries::{DEFIANT, PROST};
use crate::loops::{Loop, run};
use crate::machine;
use crate::program::Plan;
use crate::record::Record;
use crate::side_by_side::{counted, rows};

pub use payload::Payload;

const REFLECT: &str = "prost-reflect";
const BUFFA: &str = "buffa";
const BY_HAND: &str = "serde_json";
const BORROWED: &str = "serde_json-borrowed";

/// The libraries: name, package in the lock file, strings, and what becomes of unknown members; all read a `&str`.
const LIBRARIES: [[&str; 4]; 6] = [
    [DEFIANT, "defiant", "one copy of the text in the arena, borrowed; `borrowed` copies nothing", "error"],
    [PROST, "pbjson", "copied", "error"],
    [REFLECT, "prost-reflect", "copied", "error"],
    [BUFFA, "buffa", "copied", "ignored"],
    [BY_HAND, "serde_json", "copied", "error"],
    [BORROWED, "serde_json", "borrowed where nothing is escaped", "error"],
];

/// What the libraries do not do, or do otherwise.
const GAPS: [&str; 6] = [
    "prost: is prost with pbjson, the version that stands beside it; it writes the offset of a time as +00:00, not Z",
    "prost-reflect: its DynamicMessage, the fastest it has; a message of prost's is made one on the way, and back, which is \
     not counted",
    "buffa: its owned messages; it has nothing that borrows from JSON",
    "serde_json: structs written by hand for these messages, without numbers in strings, enums by number, names of the \
     schema, other alphabets of base64 and NaN, all of which the others read",
    "serde_json: without its feature float_roundtrip, as it comes: it, prost, prost-reflect and buffa may read the last bit \
     of a double otherwise where 16 or 17 digits are written; no number of these payloads has so many",
    "serde_json-borrowed: on `market`, which has no strings, the same as serde_json",
];

/// The record of a run, after all answers are checked. The columns that a record has for prost are those of pbjson here.
///
/// # Errors
/// When an answer is wrong.
pub fn record(plan: &Plan<Payload>) -> Result<Record, Box<dyn Error>> {
    let mut record = Record::here(&[], &[]);
    record.machine.push(("load".into(), machine::load()));
    record.libraries = LIBRARIES
        .map(|[name, package, strings, unknown]| {
            let memory = if name == DEFIANT { "arena reset, String" } else { "Vec" };
            [name, machine::version(package), strings, "known", unknown, memory].map(String::from)
        })
        .into();
    record.gaps = GAPS.map(String::from).into();
    for payload in &plan.subjects {
        let mut loops = offers::loops(*payload)?;
        loops.retain(|(one, _)| plan.asks(one));
        for of_a_task in loops.chunk_by_mut(|(one, _), (other, _)| one.task == other.task) {
            record.rows.extend(rows(payload.name(), of_a_task, plan.rounds));
        }
    }
    Ok(record)
}

/// What warm operations of a library ask of the allocator: payload, task and variant, and calls.
///
/// # Errors
/// When an answer is wrong.
pub fn warm_allocations(library: &str) -> Result<Vec<(String, u64)>, Box<dyn Error>> {
    let mut allocations = Vec::new();
    for payload in Payload::ALL {
        for (one, _) in &mut offers::loops(payload)? {
            if one.library == library {
                let name = format!("{} {}, {}", payload.name(), one.task, one.variant);
                allocations.push((name, counted(one).allocations));
            }
        }
    }
    Ok(allocations)
}

/// Runs one operation so many times and nothing else, for instruction counts.
///
/// # Errors
/// When there is no such operation.
pub fn repeat(payload: Payload, task: &str, library: &str, variant: &str, times: u32) -> Result<(), Box<dyn Error>> {
    let mut loops = offers::loops(payload)?;
    let asked = |one: &Loop| one.task == task && one.library == library && one.variant.contains(variant);
    let (one, _) = loops.iter_mut().find(|(one, _)| asked(one)).ok_or("no such operation")?;
    run(one, times);
    Ok(())
}
