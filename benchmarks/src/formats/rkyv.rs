//! rkyv: the plain values are serialized as they are, opening checks every pointer and text, and what is read is read from
//! the bytes.

use std::hint::black_box;
use std::mem::take;

use rkyv::api::high::{HighSerializer, HighValidator, to_bytes_in_with_alloc};
use rkyv::bytecheck::CheckBytes;
use rkyv::rancor::Error;
use rkyv::rend::{f32_le, f64_le, i16_le, i32_le, u16_le, u32_le, u64_le};
use rkyv::ser::allocator::{Arena, ArenaHandle};
use rkyv::string::ArchivedString;
use rkyv::util::AlignedVec;
use rkyv::vec::ArchivedVec;
use rkyv::{Archive, Portable, Serialize};

use super::offers::{BUILD_ENCODE, ENCODE, OPEN, OPEN_READ, Offers, Outcome};
use super::walks::{foobar_messages, messages, numbers, walk_list, walk_message};
use super::{RKYV, SOUND, values};
use crate::offer::{Memory, read};
use crate::walk::{Scalar, Visitor, Walk};

macro_rules! walks {
    ($name:ident $archived:ident $module:ident $fields:tt) => {
        walk_message! { values::$archived, field $fields }
    };
}
foobar_messages!(walks);
messages!(walks);

numbers! {
    i16_le, value => value.to_native().scalar();
    i32_le, value => value.to_native().scalar();
    u16_le, value => value.to_native().scalar();
    u32_le, value => value.to_native().scalar();
    u64_le, value => value.to_native().scalar();
    f32_le, value => value.to_native().scalar();
    f64_le, value => value.to_native().scalar();
    values::ArchivedFruit, value => Scalar::Int((value as u8).into());
    values::ArchivedColor, value => Scalar::Int((value as u8).into());
}

impl Walk for ArchivedString {
    #[inline(always)]
    fn walk<V: Visitor>(&self, visitor: &mut V) {
        visitor.bytes(self.as_bytes());
    }
}

impl<T: Walk> Walk for ArchivedVec<T> {
    #[inline(always)]
    fn walk<V: Visitor>(&self, visitor: &mut V) {
        walk_list(visitor, self.iter());
    }
}

type Serializer<'a> = HighSerializer<AlignedVec, ArenaHandle<'a>, Error>;

/// Values that are serialized as they are, and what they are then.
pub(super) trait Archived: Walk + Clone + 'static
where
    Self: for<'a> Serialize<Serializer<'a>> + Archive<Archived = Self::As>,
{
    type As: Portable + for<'a> CheckBytes<HighValidator<'a, Error>> + Walk + 'static;
}
impl<W> Archived for W
where
    W: Walk + Clone + 'static + for<'a> Serialize<Serializer<'a>>,
    W::Archived: Portable + for<'a> CheckBytes<HighValidator<'a, Error>> + Walk + 'static,
{
    type As = W::Archived;
}

/// The bytes of values, in memory that is used again.
#[inline(always)]
fn serialize<W: Archived>(values: &W, buffer: &mut AlignedVec, arena: &mut Arena) {
    let mut cleared = take(buffer);
    cleared.clear();
    *buffer = to_bytes_in_with_alloc::<_, _, Error>(values, cleared, arena.acquire()).expect(SOUND);
}

pub(super) fn offer<W: Archived>(values: &'static W, offers: &mut Offers) -> Outcome {
    let (mut buffer, mut arena) = (AlignedVec::new(), Arena::new());
    serialize(values, &mut buffer, &mut arena);
    let bytes: &'static AlignedVec = Box::leak(Box::new(buffer.clone()));
    offers.check(RKYV, rkyv::access::<W::As, Error>(bytes)?)?;
    let len = bytes.len();

    offers.add(BUILD_ENCODE, RKYV, "values cloned, cleared AlignedVec", Memory::Reused, len, move || {
        serialize(&black_box(values).clone(), &mut buffer, &mut arena);
        black_box(buffer.as_slice());
    });
    let (mut buffer, mut arena) = (AlignedVec::new(), Arena::new());
    offers.add(ENCODE, RKYV, "cleared AlignedVec", Memory::Reused, len, move || {
        serialize(black_box(values), &mut buffer, &mut arena);
        black_box(buffer.as_slice());
    });
    offers.add(OPEN, RKYV, "checked", Memory::Reused, len, move || {
        black_box(rkyv::access::<W::As, Error>(black_box(bytes)).expect(SOUND));
    });
    offers.add(OPEN_READ, RKYV, "checked", Memory::Reused, len, move || {
        read(rkyv::access::<W::As, Error>(black_box(bytes)).expect(SOUND));
    });
    Ok(())
}
