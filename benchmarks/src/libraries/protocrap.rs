//! protocrap 0.3.
#![cfg(feature = "peers")]

use std::hint::black_box;

use allocator_api2::alloc::Global;
use protocrap::arena::Arena;
use protocrap::containers::{RepeatedField, String as Text};
use protocrap::generated_code_only::Protobuf;
use protocrap::{ProtobufMut, TypedMessage};

use super::SOUND;
use crate::generated::protocrap::benchmarks as types;
use crate::generated::schema::{enums, group_messages, messages};
use crate::offer::{Library, Memory, Offer, Settings, Task, read};
use crate::payloads::{Payload, payloads};
use crate::walk::{Scalar, Visitor, Walk, walk_entries};

const NO_ONEOFS: &str = "walking over a oneof is not written for this library.";

/// How many messages deep a payload may be.
const DEPTH: usize = 32;

pub(super) const LIBRARY: Library = Library {
    name: "protocrap",
    package: "protocrap",
    settings: Settings {
        strings: "copied into an arena; maps are lists of their entries",
        utf8: "checked",
        unknown: "dropped",
        memory: "the arena's memory, a slice that is kept",
    },
    lazy: false,
    offer,
};

/// A field of a message as its accessors show it.
macro_rules! field {
    (list $self:ident $visitor:ident $field:ident $has:ident) => {
        $self.$field().walk($visitor)
    };
    (map $self:ident $visitor:ident $field:ident $has:ident) => {
        walk_entries($visitor, $self.$field().len(), $self.$field().iter().map(|entry| (entry.key(), entry.value())))
    };
    (message $self:ident $visitor:ident $field:ident $has:ident) => {
        $self.$field().walk($visitor)
    };
    (implicit $self:ident $visitor:ident $field:ident $has:ident) => {
        Plain(&$self.$field()).walk($visitor)
    };
    (explicit $self:ident $visitor:ident $field:ident $has:ident) => {
        match $self.$has() {
            true => Plain(&$self.$field()).walk($visitor),
            false => $visitor.absent(),
        }
    };
}

/// A value that is there: of an enumerator that is shown as an `Option`, what it holds.
struct Plain<'a, T>(&'a T);

macro_rules! plain {
    ($($type:ty)*) => {$(
        impl Plain<'_, $type> {
            #[inline(always)]
            fn walk<V: Visitor>(&self, visitor: &mut V) {
                self.0.walk(visitor);
            }
        }
    )*};
}
plain! { i32 i64 u32 u64 f32 f64 bool &str &[u8] }

macro_rules! walks {
    // There are no types for these; see `ask`.
    (generic $($message:tt)*) => {};
    (sparse $($message:tt)*) => {};
    (oneofs $($message:tt)*) => {};
    (telemetry $($message:tt)*) => {};
    (
        $package:ident $google:ident [$($path:tt)*] $view:tt $lazy:tt
        { $($field:ident $has:ident $shape:ident;)* }
    ) => {
        impl Walk for types::$package::$($path)*::ProtoType {
            #[inline]
            fn walk<V: Visitor>(&self, visitor: &mut V) {
                visitor.enter();
                $(
                    visitor.field(stringify!($field));
                    field!($shape self visitor $field $has);
                )*
                visitor.leave();
            }
        }
    };
}
messages!(walks);

macro_rules! group_walks {
    ($package:ident $google:ident [google_message2::Group1] $view:tt $lazy:tt $fields:tt) => {
        walks! { $package $google [GoogleMessage2::Group1] $view $lazy $fields }
    };
    ($($other:tt)*) => { walks! { $($other)* } };
}
group_messages!(group_walks);

macro_rules! walk_enums {
    (telemetry $($enumeration:tt)*) => {};
    ($package:ident $google:ident $name:ident) => {
        #[allow(dead_code, reason = "some enums are in lists only, which show numbers")]
        impl Plain<'_, Option<types::$package::$name>> {
            #[inline(always)]
            fn walk<V: Visitor>(&self, visitor: &mut V) {
                let number = self.0.map_or(-1, |value| value as i32);
                visitor.scalar(Scalar::Int(number.into()));
            }
        }
    };
}
enums!(walk_enums);

impl<M: Protobuf + Walk> Walk for TypedMessage<M> {
    #[inline(always)]
    fn walk<V: Visitor>(&self, visitor: &mut V) {
        (**self).walk(visitor);
    }
}

impl Walk for Text {
    #[inline(always)]
    fn walk<V: Visitor>(&self, visitor: &mut V) {
        visitor.bytes(self.as_str().as_bytes());
    }
}

impl Walk for RepeatedField<u8> {
    #[inline(always)]
    fn walk<V: Visitor>(&self, visitor: &mut V) {
        visitor.bytes(self.slice());
    }
}

macro_rules! ask {
    (generic $message:ident $offer:ident) => {
        $offer.gap(
            &Task::ALL,
            "protocrap-codegen 0.3 refuses field numbers above 2047, so there is no type to decode into.",
        )
    };
    (sparse $message:ident $offer:ident) => {
        $offer.gap(
            &Task::ALL,
            "protocrap-codegen 0.3 makes a hundred thousand lines of a message with 500 fields, which is not asked of it.",
        )
    };
    (oneofs $message:ident $offer:ident) => {
        $offer.gap(&Task::ALL, NO_ONEOFS)
    };
    (telemetry $message:ident $offer:ident) => {
        $offer.gap(&Task::ALL, NO_ONEOFS)
    };
    ($package:ident $message:ident $offer:ident) => {
        by::<types::$package::$message::ProtoType>($offer)
    };
}

macro_rules! offers {
    (
        logs { $($log:ident: $log_package:ident $log_google:ident $of:ident $log_view:ident;)* }
        $($payload:ident: $package:ident $google:ident $message:ident $view:ident $lazy:ident;)*
    ) => {
        fn offer(payload: Payload, offer: &mut Offer) {
            match payload {
                $(Payload::$payload => ask!($package $message offer),)*
                $(Payload::$log => {})*
            }
        }
    };
}
payloads!(offers);

/// Decodes into `message`, whose memory is in `arena`.
#[inline(always)]
fn decode<M: ProtobufMut<'static>>(message: &mut M, wire: &[u8], arena: &mut Arena<'_>) -> Result<(), &'static str> {
    match message.decode_flat::<DEPTH>(arena, wire) {
        true => Ok(()),
        false => Err("the message does not decode"),
    }
}

fn by<M: ProtobufMut<'static> + Default + Walk + 'static>(offer: &mut Offer) {
    let wire = offer.wire;
    // The message that is encoded lives as long as the process.
    let home: &'static mut Arena<'static> = Box::leak(Box::new(Arena::new(&Global)));
    let mut message = M::default();
    let outcome = decode(&mut message, wire, home);
    let Some(message) = offer.decoded("decode_flat", outcome.map(|()| message)) else { return };
    let message: &'static M = Box::leak(Box::new(message));
    match message.encode_vec::<DEPTH>() {
        Ok(encoded) => offer.encoded("encode_vec", &encoded),
        Err(error) => offer.gap(Task::OF_ENCODING, format!("encode_vec fails: {error:?}")),
    }
    offer.gap(&[Task::EncodedLen], "it has no function for the size of an encoding.");
    offer.gap(&[Task::Update, Task::Append], "changing a message is not written for this library.");
    offer.gap(&[Task::BuildEncode], "building by hand is not written for this library.");

    offer.time(Task::Decode, Memory::Fresh, "fresh arena", move || {
        let mut arena = Arena::new(&Global);
        let mut message = M::default();
        decode(&mut message, black_box(wire), &mut arena).expect(SOUND);
        black_box(&message);
    });
    offer.time(Task::DecodeRead, Memory::Fresh, "fresh arena", move || {
        let mut arena = Arena::new(&Global);
        let mut message = M::default();
        decode(&mut message, black_box(wire), &mut arena).expect(SOUND);
        read(&message);
    });
    let room = 64 * 1024 + 40 * wire.len();
    let mut memory = vec![0; room];
    offer.time(Task::Decode, Memory::Reused, "arena in a kept slice", move || {
        let mut arena = Arena::from_slice(&mut memory);
        let mut message = M::default();
        decode(&mut message, black_box(wire), &mut arena).expect(SOUND);
        black_box(&message);
    });
    let mut memory = vec![0; room];
    offer.time(Task::DecodeRead, Memory::Reused, "arena in a kept slice", move || {
        let mut arena = Arena::from_slice(&mut memory);
        let mut message = M::default();
        decode(&mut message, black_box(wire), &mut arena).expect(SOUND);
        read(&message);
    });
    offer.time(Task::Read, Memory::Reused, "-", move || read(black_box(message)));

    let mut buffer = vec![0; wire.len() + 1024];
    offer.time(Task::Encode, Memory::Reused, "kept slice", move || {
        black_box(black_box(message).encode_flat::<DEPTH>(&mut buffer).expect(SOUND));
    });
    offer.time(Task::EncodeToVec, Memory::Fresh, "new Vec", move || {
        black_box(black_box(message).encode_vec::<DEPTH>().expect(SOUND));
    });
    let (mut memory, mut buffer) = (vec![0; room], vec![0; wire.len() + 1024]);
    offer.time(Task::PassThrough, Memory::Reused, "arena in a kept slice, kept slice", move || {
        let mut arena = Arena::from_slice(&mut memory);
        let mut message = M::default();
        decode(&mut message, black_box(wire), &mut arena).expect(SOUND);
        black_box(message.encode_flat::<DEPTH>(&mut buffer).expect(SOUND));
    });
}
