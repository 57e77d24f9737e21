//! Programs over one [`Encoder`], with a model: messages are encoded one after the other, and user code panics inside.
//!
//! A custom enum panics when its number is asked for. The encode that it interrupts may leave the encoder without memory, but
//! the next one must give the right bytes. Pieces are read in part and dropped. An encode into the arena
//! must leave the slices that earlier encodes returned as they are.
//!
//! The fuzz target `encoder` runs this file, too.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use bytes::{Buf as _, BufMut as _};
use defiant::{Arena, Encoder, Enumeration, Message, UnknownFields};

/// Messages and slices that a program keeps.
const LIVE: usize = 12;
/// Bytes of a message that may still be put into another one.
const LONGEST: usize = 20_000;

thread_local! {
    /// Values of [`Level`] that are encoded before one panics.
    static FUEL: Cell<u64> = const { Cell::new(u64::MAX) };
}

/// The payload of a panic in [`Level`].
struct Planted;

/// An enum that panics when [`FUEL`] is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Level(i32);

impl Enumeration for Level {
    const DEFAULT: Self = Level(0);
    const NAME: &'static str = "programs.Level";
    const VALUES: &'static [(&'static str, i32)] = &[("ZERO", 0), ("ONE", 1)];
    const OPEN: bool = true;

    fn from_number(number: i32) -> Option<Self> {
        Some(Level(number))
    }

    fn number(self) -> i32 {
        match FUEL.get().checked_sub(1) {
            Some(left) => FUEL.set(left),
            None => resume_unwind(Box::new(Planted)),
        }
        self.0
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Message)]
struct Node<'arena> {
    #[defiant(uint32, tag = 1)]
    id: u32,
    #[defiant(enumeration, optional, tag = 2)]
    level: Option<Level>,
    #[defiant(bytes, tag = 3)]
    data: &'arena [u8],
    #[defiant(fixed64, repeated, tag = 4)]
    numbers: &'arena [u64],
    #[defiant(message, repeated, tag = 5)]
    nodes: &'arena [Node<'arena>],
    #[defiant(unknown)]
    unknown_fields: UnknownFields<'arena>,
}

/// Runs a program, and returns what went wrong.
pub(crate) fn run(program: &[u8]) -> Result<(), String> {
    let arena = Arena::new();
    let mut program = program.iter().copied();
    let mut nodes = vec![(Node::default(), Vec::new())];
    let mut slices: Vec<(&[u8], Vec<u8>)> = Vec::new();
    let mut encoder = new_encoder(program.next().unwrap_or_default());
    while let Some(op) = program.next() {
        let mut byte = || program.next().unwrap_or_default();
        let index = usize::from(byte()) % nodes.len();
        match op % 16 {
            0..4 => {
                let (inner, inner_wire) = nodes[index].clone();
                let (other, other_wire) = nodes[usize::from(byte()) % nodes.len()].clone();
                if inner_wire.len() + other_wire.len() < LONGEST {
                    let len = usize::from(byte()) << (op % 4 * 2);
                    let node = node(u32::from(byte()), len, &[(inner, inner_wire), (other, other_wire)], &arena);
                    if nodes.len() == LIVE {
                        nodes.remove(1);
                    }
                    nodes.push(node);
                }
            }
            4 => encoder = new_encoder(byte()),
            op => {
                let (node, wire) = &nodes[index];
                // Most encodes have fuel enough.
                let fuel = byte();
                FUEL.set(if fuel < 0x80 { u64::MAX } else { u64::from(fuel & 0x1f) });
                let read = usize::from(byte());
                let encode = AssertUnwindSafe(|| encode(op, node, wire, read, &mut encoder, &arena));
                let outcome = catch_unwind(encode);
                FUEL.set(u64::MAX);
                match outcome {
                    Ok(Ok(None)) => {}
                    Ok(Ok(Some(slice))) => slices.push((slice, wire.clone())),
                    Ok(Err(what)) => return Err(what),
                    Err(payload) if payload.is::<Planted>() && fuel >= 0x80 => {}
                    Err(_) => return Err("panics".to_owned()),
                }
            }
        }
        if let Some((slice, wire)) = slices.iter().find(|(slice, wire)| slice != wire) {
            return Err(format!("a slice of the arena is {slice:x?}, expected {wire:x?}"));
        }
        slices.truncate(LIVE);
    }
    Ok(())
}

fn new_encoder(byte: u8) -> Encoder {
    let encoder = if byte & 1 == 0 { Encoder::new() } else { Encoder::with_capacity(usize::from(byte)) };
    encoder.vectored_threshold(usize::from(byte >> 1) * 8)
}

/// A message with two others in it, and its wire.
fn node<'a>(id: u32, len: usize, inner: &[(Node<'a>, Vec<u8>); 2], arena: &'a Arena) -> (Node<'a>, Vec<u8>) {
    let [(first, first_wire), (second, second_wire)] = inner;
    let node = Node {
        id,
        level: (id % 3 == 0).then_some(Level(1)),
        data: arena.alloc_slice_copy(&vec![id as u8; len]),
        numbers: arena.alloc_slice_copy(&vec![u64::from(id); len / 16]),
        nodes: arena.alloc_slice_copy(&[*first, *second]),
        unknown_fields: UnknownFields::EMPTY,
    };
    let mut wire = Vec::new();
    if id != 0 {
        wire.push(0x08);
        put_varint(&mut wire, id as usize);
    }
    if id % 3 == 0 {
        wire.extend([0x10, 1]);
    }
    if len > 0 {
        put_field(&mut wire, 0x1a, node.data);
    }
    if len >= 16 {
        put_field(&mut wire, 0x22, &u64::from(id).to_le_bytes().repeat(len / 16));
    }
    put_field(&mut wire, 0x2a, first_wire);
    put_field(&mut wire, 0x2a, second_wire);
    (node, wire)
}

fn put_varint(to: &mut Vec<u8>, mut value: usize) {
    while value >= 0x80 {
        to.push(value as u8 | 0x80);
        value >>= 7;
    }
    to.push(value as u8);
}

fn put_field(to: &mut Vec<u8>, tag: u8, bytes: &[u8]) {
    to.push(tag);
    put_varint(to, bytes.len());
    to.extend_from_slice(bytes);
}

/// Encodes a message in one of many ways. Returns what is in the arena.
fn encode<'a>(
    op: u8,
    node: &Node<'_>,
    wire: &[u8],
    read: usize,
    encoder: &mut Encoder,
    arena: &'a Arena,
) -> Result<Option<&'a [u8]>, String> {
    let mut delimited = Vec::new();
    put_varint(&mut delimited, wire.len());
    delimited.extend_from_slice(wire);
    let same = |encoded: &[u8], expected: &[u8]| match encoded == expected {
        true => Ok(None),
        false => Err(format!("way {op}: encoded as {encoded:x?}, expected {expected:x?}")),
    };
    match op {
        5 | 6 => same(encoder.encode(node), wire),
        7 => same(encoder.encode_length_delimited(node), &delimited),
        8..11 => {
            let (mut pieces, expected) = match op {
                8 => (encoder.encode_vectored_length_delimited(node), &*delimited),
                _ => (encoder.encode_vectored(node), wire),
            };
            let read = read.min(pieces.len());
            pieces.advance(read);
            let rest: Vec<u8> = pieces.iter().flatten().copied().collect();
            same(&rest, &expected[read..])
        }
        11 => same(&node.encode_to_vec(), wire),
        12 => {
            let slice = node.encode_in(arena);
            same(slice, wire).map(|_: Option<&[u8]>| Some(slice))
        }
        13 => match node.encoded_len() {
            len if len == wire.len() => Ok(None),
            len => Err(format!("encoded_len is {len}, expected {}", wire.len())),
        },
        // A buffer of two chunks, which may be too short.
        _ => {
            let (mut first, mut second) = (vec![0; read], vec![0; wire.len().saturating_sub(read / 2)]);
            let is_enough = first.len() + second.len() >= wire.len();
            let mut buf = (&mut first[..]).chain_mut(&mut second[..]);
            let outcome = node.encode(&mut buf);
            if outcome.is_ok() != is_enough {
                return Err(format!("{outcome:?} of {} bytes in {} and {}", wire.len(), first.len(), second.len()));
            }
            let written = [first, second].concat();
            same(if is_enough { &written[..wire.len()] } else { wire }, wire)
        }
    }
}
