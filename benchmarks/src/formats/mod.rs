//! Other formats: FlatBuffers, rkyv and Cap'n Proto beside Defiant and prost, on the workloads that they are measured with.
//!
//! They are no protobuf, so they are references, and not among the libraries of [`crate::libraries`]. All have the same values,
//! which are read back from each and compared, field by field, before anything is timed. What opens bytes is whatever makes
//! them safe to read when they came from anyone; no check that a format has is left out.

mod capnp;
mod defiant;
mod flatbuffers;
mod generated;
mod offers;
mod prost;
mod rkyv;
mod values;
mod walks;

use std::error::Error;

use crate::libraries::{DEFIANT, PROST};
use crate::loops::{Loop, run};
use crate::machine;
use crate::offer::Memory;
use crate::program::Plan;
use crate::record::Record;
use crate::side_by_side;

use offers::{Offers, Outcome, TASKS};

const FLATBUFFERS: &str = "flatbuffers";
const RKYV: &str = "rkyv";
const CAPNP: &str = "capnp";
const CAPNP_PACKED: &str = "capnp-packed";

const SOUND: &str = "checked before it was timed";

/// The formats: name, package in the lock file, where strings are, when their UTF-8 is checked, what becomes of fields that a
/// reader does not know, and which memory is used again.
const FORMATS: [[&str; 6]; 6] = [
    [
        DEFIANT,
        "defiant",
        "one copy of the wire in the arena, borrowed; `borrowed` copies nothing",
        "on opening",
        "kept",
        "arena reset, Encoder",
    ],
    [
        PROST,
        "prost",
        "each copied into a String of its own",
        "on opening",
        "dropped",
        "message cleared and merged into, Vec",
    ],
    [FLATBUFFERS, "flatbuffers", "in the bytes", "on opening", "stay in the bytes", "builder reset"],
    [RKYV, "rkyv", "in the bytes", "on opening", "none: both sides have the same struct", "AlignedVec, arena"],
    [CAPNP, "capnp", "in the bytes", "when read", "stay in the bytes", "segment, Vec"],
    [
        CAPNP_PACKED,
        "capnp",
        "in the unpacked bytes",
        "when read",
        "stay in the bytes",
        "segment, Vec, slice to unpack into",
    ],
];

/// What has to be known before the numbers are compared.
const NOTES: [&str; 9] = [
    "defiant, prost: opening is a decode; nothing is checked where a field is read. What is built from the values is a message; \
     `encode` is that of a message that is there already",
    "defiant: `Config::inline` for the small messages of log, mesh and parking_lot, which prost holds inline, too; those of \
     foobar are references",
    "flatbuffers: opening is its verifier with its default options: every table, offset and text is checked, nothing is \
     decoded. Addresses, vectors, wheels, engines, Foo and Bar are its structs, which cannot get further fields",
    "rkyv: opening is `access` with bytecheck, which checks every pointer, enum, boolean and text; nothing is unchecked. The \
     plain values are its own structs, so `build+encode` clones them and `encode` serializes them as they are",
    "rkyv: bytes have to be aligned, as its AlignedVec is, and little-endian is the default",
    "capnp: opening reads the table of segments and checks the pointer to the root: no work for each field. Pointers, and \
     UTF-8, are checked when they are followed, so that only open+read is the whole. Its limits are the defaults: 64 MiB to \
     traverse, 64 levels",
    "capnp: bytes are aligned to words, as the crate asks without its feature `unaligned`",
    "flatbuffers, capnp: there is no message beside the bytes, so there is nothing to encode once it is built",
    "flatbuffers, rkyv, capnp: integers are as narrow as the values; protobuf has none below 32 bits, and writes those that it \
     has as varints",
];

/// A set of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Workload {
    /// FlatBuffers' own benchmark: three messages three levels deep.
    FooBar,
    /// A thousand requests to a web server, the kind of rkyv's benchmarks: texts and numbers.
    Log,
    /// A thousand triangles, of the same benchmarks: floats only.
    Mesh,
    /// A hundred cars with wheels and engines, the kind of Cap'n Proto's own benchmark: small numbers and booleans.
    ParkingLot,
}

impl Workload {
    /// All of them.
    pub const ALL: [Workload; 4] = [Workload::FooBar, Workload::Log, Workload::Mesh, Workload::ParkingLot];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Workload::FooBar => "foobar",
            Workload::Log => "log",
            Workload::Mesh => "mesh",
            Workload::ParkingLot => "parking_lot",
        }
    }

    /// The workload of that name.
    pub fn from_name(name: &str) -> Option<Workload> {
        Workload::ALL.into_iter().find(|workload| workload.name() == name)
    }

    /// The loops, once every format has given the values back; those of a task lie together.
    fn loops(self) -> Result<Vec<(Loop, Memory)>, Box<dyn Error>> {
        let mut offers = match self {
            Workload::FooBar => offered(values::foobar()),
            Workload::Log => offered(values::log()),
            Workload::Mesh => offered(values::mesh()),
            Workload::ParkingLot => offered(values::parking_lot()),
        }?;
        offers.sort_by_key(|(one, _)| TASKS.iter().position(|task| *task == one.task));
        Ok(offers)
    }
}

/// What all formats offer for values.
fn offered<W>(values: W) -> Result<Vec<(Loop, Memory)>, Box<dyn Error>>
where
    W: defiant::Build + prost::Build + flatbuffers::Build + rkyv::Archived + capnp::Build,
{
    let values: &'static W = Box::leak(Box::new(values));
    let mut offers = Offers::of(values);
    let formats: [fn(&'static W, &mut Offers) -> Outcome; 5] =
        [defiant::offer, prost::offer, flatbuffers::offer, rkyv::offer, capnp::offer];
    for offer in formats {
        offer(values, &mut offers)?;
    }
    Ok(offers.loops)
}

/// The record of a run, after all answers are checked.
///
/// # Errors
///
/// When a format gives other values back.
pub fn record(plan: &Plan<Workload>) -> Result<Record, Box<dyn Error>> {
    let mut record = Record::here(&[], &[]);
    record.machine.push(("load".into(), machine::load()));
    record.libraries = FORMATS
        .map(|[name, package, strings, utf8, unknown, memory]| {
            [name, machine::version(package), strings, utf8, unknown, memory].map(String::from)
        })
        .into();
    record.gaps = NOTES.map(String::from).into();
    for workload in &plan.subjects {
        let mut loops = workload.loops()?;
        loops.retain(|(one, _)| plan.asks(one));
        for of_a_task in loops.chunk_by_mut(|(one, _), (other, _)| one.task == other.task) {
            record.rows.extend(side_by_side::rows(workload.name(), of_a_task, plan.rounds));
        }
    }
    Ok(record)
}

/// Runs one operation so many times and nothing else, for instruction counts.
///
/// # Errors
///
/// When there is no such operation, or a format gives other values back.
pub fn repeat(workload: Workload, task: &str, format: &str, variant: &str, times: u32) -> Result<(), Box<dyn Error>> {
    let mut loops = workload.loops()?;
    let asked = |one: &Loop| one.task == task && one.library == format && one.variant.contains(variant);
    let (one, _) = loops.iter_mut().find(|(one, _)| asked(one)).ok_or("no such operation")?;
    run(one, times);
    Ok(())
}
