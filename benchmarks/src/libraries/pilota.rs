//! pilota 0.13.

use std::hint::black_box;

use bytes::Bytes;
use pilota::pb::{EncodeLengthContext, Message};
use pilota::{FastStr, LinkedBytes};

use super::SOUND;
use crate::generated::pilota as types;
use crate::generated::schema::{enums, messages, oneof_messages, oneofs};
use crate::offer::{Library, Memory, Offer, Settings, Task, read};
use crate::payloads::{Payload, plain_payloads};
use crate::walk::{Scalar, Visitor, Walk, walk_entries, walk_fields};

pub(super) const LIBRARY: Library = Library {
    name: super::PILOTA,
    package: "pilota",
    settings: Settings {
        strings: "count references to the input, which is a heap-backed `Bytes`",
        utf8: "never checked",
        unknown: "dropped",
        memory: "buffer of an encoding only",
    },
    lazy: false,
    offer,
};

macro_rules! walks {
    ($package:ident $google:ident [$($path:tt)*] $view:tt $lazy:tt $fields:tt) => {
        walk_fields! { types::$package::$($path)* $fields }
    };
}
messages!(walks);
oneof_messages!(walks);

macro_rules! walk_oneofs {
    ($package:ident $google:ident [$($path:tt)*] { $($member:ident)* }) => {
        impl Walk for types::$package::$($path)* {
            #[inline(always)]
            fn walk<V: Visitor>(&self, visitor: &mut V) {
                match self {
                    $(Self::$member(value) => value.walk(visitor),)*
                }
            }
        }
    };
}
oneofs!(walk_oneofs);

macro_rules! walk_enums {
    ($package:ident $google:ident $name:ident) => {
        impl Walk for types::$package::$name {
            #[inline(always)]
            fn walk<V: Visitor>(&self, visitor: &mut V) {
                visitor.scalar(Scalar::Int(self.inner().into()));
            }
        }
    };
}
enums!(walk_enums);

impl Walk for FastStr {
    #[inline(always)]
    fn walk<V: Visitor>(&self, visitor: &mut V) {
        visitor.bytes(self.as_bytes());
    }
}

impl<K: Walk, T: Walk> Walk for pilota::AHashMap<K, T> {
    #[inline(always)]
    fn walk<V: Visitor>(&self, visitor: &mut V) {
        walk_entries(visitor, self.len(), self.iter());
    }
}

macro_rules! offers {
    ($($payload:ident: $package:ident $google:ident $message:ident $view:ident $lazy:ident;)*) => {
        fn offer(payload: Payload, offer: &mut Offer) {
            match payload {
                $(Payload::$payload => by::<types::$package::$message>(offer),)*
                Payload::StringOneof => by::<types::oneofs::StringOneofSet>(offer),
                Payload::CarLog | Payload::MarketLog => {}
                Payload::Message2 => offer.gap(
                    &Task::ALL,
                    "pilota-build 0.13 panics (`todo!()`) on a schema with a group, so there is no type to decode into.",
                ),
            }
        }
    };
}
plain_payloads!(offers);

fn by<M: Message + Default + Walk + 'static>(offer: &mut Offer) {
    // On the heap and counted, as the bytes of a socket would be, not `Bytes::from_static`.
    let wire = Bytes::copy_from_slice(offer.wire);
    let decoded = || M::decode(wire.clone()).expect(SOUND);
    let Some(message) = offer.decoded("decode", M::decode(wire.clone())) else { return };
    offer.encoded("encode_to_vec", &message.encode_to_vec(&mut EncodeLengthContext::default()));
    let len = message.encoded_len(&mut EncodeLengthContext::default());
    offer.encoded_len("encoded_len", len);

    let input = wire.clone();
    offer.time(Task::Decode, Memory::Fresh, "new message", move || {
        black_box(&M::decode(black_box(&input).clone()).expect(SOUND));
    });
    let input = wire.clone();
    offer.time(Task::DecodeRead, Memory::Fresh, "new message", move || {
        read(&M::decode(black_box(&input).clone()).expect(SOUND));
    });
    let message = decoded();
    offer.time(Task::Read, Memory::Reused, "-", move || read(black_box(&message)));

    let message = decoded();
    let mut buffer = LinkedBytes::with_capacity(len);
    offer.time(Task::Encode, Memory::Reused, "reset LinkedBytes", move || {
        buffer.reset();
        black_box(&message).encode(&mut buffer).expect(SOUND);
        black_box(buffer.bytes());
    });
    let message = decoded();
    offer.time(Task::EncodeToVec, Memory::Fresh, "new Vec", move || {
        black_box(black_box(&message).encode_to_vec(&mut EncodeLengthContext::default()));
    });
    let message = decoded();
    offer.time(Task::EncodedLen, Memory::Reused, "-", move || {
        black_box(black_box(&message).encoded_len(&mut EncodeLengthContext::default()));
    });

    let input = wire.clone();
    let mut buffer = LinkedBytes::with_capacity(len);
    offer.time(Task::PassThrough, Memory::Reused, "new message, reset LinkedBytes", move || {
        buffer.reset();
        M::decode(black_box(&input).clone()).expect(SOUND).encode(&mut buffer).expect(SOUND);
        black_box(buffer.bytes());
    });
}
