//! rust-protobuf 3, the crate `protobuf` before it was Google's, with strings that share the memory of the input.

use std::hint::black_box;

use bytes::Bytes;
use rust_protobuf::{Chars, Enum, EnumOrUnknown, Message, MessageField};

use super::SOUND;
use crate::generated::rust_protobuf as types;
use crate::generated::schema::{messages, oneof_messages, oneofs};
use crate::offer::{Library, Memory, Offer, Settings, Task, read};
use crate::payloads::{Payload, plain_payloads};
use crate::walk::{Scalar, Visitor, Walk, walk_fields};

pub(super) const LIBRARY: Library = Library {
    name: "rust-protobuf",
    package: "protobuf@3",
    settings: Settings {
        strings: "count references to the input, which is a heap-backed `Bytes`",
        utf8: "checked",
        unknown: "kept",
        memory: "message cleared and merged into",
    },
    lazy: false,
    offer,
};

/// The modules are named for the files, not for the packages.
macro_rules! walks {
    ($package:ident message1_proto2_proto [$($path:tt)*] $view:tt $lazy:tt $fields:tt) => {
        walk_fields! { types::message1_proto2::$($path)* $fields }
    };
    ($package:ident message1_proto3_proto [$($path:tt)*] $view:tt $lazy:tt $fields:tt) => {
        walk_fields! { types::message1_proto3::$($path)* $fields }
    };
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

impl<E: Enum> Walk for EnumOrUnknown<E> {
    #[inline(always)]
    fn walk<V: Visitor>(&self, visitor: &mut V) {
        visitor.scalar(Scalar::Int(self.value().into()));
    }
}

impl<T: Walk> Walk for MessageField<T> {
    #[inline(always)]
    fn walk<V: Visitor>(&self, visitor: &mut V) {
        self.as_ref().walk(visitor);
    }
}

impl Walk for Chars {
    #[inline(always)]
    fn walk<V: Visitor>(&self, visitor: &mut V) {
        visitor.bytes(self.as_bytes());
    }
}

/// Google's modules as this library names them.
mod modules {
    pub(super) use super::types::{
        families as families_proto, generic as generic_proto, message1_proto2 as message1_proto2_proto,
        message1_proto3 as message1_proto3_proto, protokt as protokt_proto, quickbuffers as quickbuffers_proto,
    };
}

macro_rules! offers {
    ($($payload:ident: $package:ident $google:ident $message:ident $view:ident $lazy:ident;)*) => {
        fn offer(payload: Payload, offer: &mut Offer) {
            match payload {
                $(Payload::$payload => by::<modules::$google::$message>(offer),)*
                Payload::StringOneof => by::<types::oneofs::StringOneofSet>(offer),
                Payload::CarLog | Payload::MarketLog => {}
                Payload::Message2 => {
                    offer.gap(&Task::ALL, "protobuf-codegen 3 leaves the field of a group out, so there is nothing to decode it into.");
                }
            }
            by_hand(offer);
        }
    };
}
plain_payloads!(offers);

fn by<M: Message + Walk + 'static>(offer: &mut Offer) {
    // On the heap and counted, as the bytes of a socket would be, not `Bytes::from_static`.
    let wire = Bytes::copy_from_slice(offer.wire);
    let decoded = || M::parse_from_tokio_bytes(&wire).expect(SOUND);
    let Some(message) = offer.decoded("parse_from_tokio_bytes", M::parse_from_tokio_bytes(&wire)) else { return };
    match message.write_to_bytes() {
        Ok(encoded) => offer.encoded("write_to_bytes", &encoded),
        Err(error) => offer.gap(Task::OF_ENCODING, format!("write_to_bytes fails: {error}")),
    }
    offer.encoded_len("compute_size", message.compute_size() as usize);

    let input = wire.clone();
    offer.time(Task::Decode, Memory::Fresh, "new message", move || {
        black_box(&M::parse_from_tokio_bytes(black_box(&input)).expect(SOUND));
    });
    let (input, mut message) = (wire.clone(), M::new());
    offer.time(Task::Decode, Memory::Reused, "cleared and merged", move || {
        message.clear();
        message.merge_from_bytes(black_box(&input)).expect(SOUND);
        black_box(&message);
    });
    let input = wire.clone();
    offer.time(Task::DecodeRead, Memory::Fresh, "new message", move || {
        read(&M::parse_from_tokio_bytes(black_box(&input)).expect(SOUND));
    });
    let message = decoded();
    offer.time(Task::Read, Memory::Reused, "-", move || read(black_box(&message)));

    let message = decoded();
    let mut buffer = Vec::with_capacity(wire.len());
    offer.time(Task::Encode, Memory::Reused, "cleared Vec", move || {
        buffer.clear();
        black_box(&message).write_to_vec(&mut buffer).expect(SOUND);
        black_box(buffer.as_slice());
    });
    let message = decoded();
    offer.time(Task::EncodeToVec, Memory::Fresh, "new Vec", move || {
        black_box(black_box(&message).write_to_bytes().expect(SOUND));
    });
    let message = decoded();
    offer.time(Task::EncodedLen, Memory::Reused, "-", move || {
        black_box(black_box(&message).compute_size());
    });

    let (mut message, mut buffer) = (M::new(), Vec::with_capacity(wire.len()));
    offer.time(Task::PassThrough, Memory::Reused, "cleared and merged, cleared Vec", move || {
        message.clear();
        message.merge_from_bytes(black_box(&wire)).expect(SOUND);
        buffer.clear();
        message.write_to_vec(&mut buffer).expect(SOUND);
        black_box(buffer.as_slice());
    });
}

#[derive(Clone, Copy)]
struct Hand;

impl Hand {
    fn text<T: From<Chars>>(self, text: &str) -> T {
        T::from(Chars::from(text))
    }

    fn list<T, const N: usize>(self, list: [T; N]) -> Vec<T> {
        list.into()
    }

    fn child<M>(self, message: M) -> MessageField<M> {
        MessageField::some(message)
    }

    fn value<E: Enum, T: From<EnumOrUnknown<E>>>(self, value: E) -> T {
        T::from(EnumOrUnknown::new(value))
    }
}

fn by_hand(offer: &mut Offer) {
    let mut buffer = Vec::new();
    built_by_hand!(
        offer,
        crate::generated::rust_protobuf::quickbuffers,
        screaming,
        "new message, cleared Vec",
        hand = Hand,
        |message| {
            buffer.clear();
            black_box(&message).write_to_vec(&mut buffer).expect(SOUND);
            buffer.as_slice()
        }
    );
}
