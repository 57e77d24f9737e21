//! micropb 0.7, made for devices without an allocator, with the containers that it has for those with one.
//!
//! It reserves what the length of a string or of bytes says before it looks whether the input has so much, so a length
//! alone can ask for 4 GB.
#![cfg(feature = "peers")]

use std::hint::black_box;

use micropb::{MessageDecode, MessageEncode, PbDecoder, PbEncoder};

use super::{SOUND, streams};
use crate::appends::{Append, appends};
use crate::changes::{Change, changes};
use crate::generated::micropb::benchmarks as types;
use crate::generated::schema::{enums, messages, oneofs};
use crate::offer::{Library, Memory, Offer, Settings, Task, read};
use crate::payloads::{Payload, plain_payloads};
use crate::walk::{Scalar, Visitor, Walk, walk_fields};

pub(super) const LIBRARY: Library = Library {
    name: "micropb",
    package: "micropb",
    settings: Settings {
        strings: "each copied into a String of its own",
        utf8: "checked",
        unknown: "dropped",
        memory: "buffer of an encoding only: a message is merged into, but not cleared",
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

macro_rules! walk_enums {
    ($package:ident $google:ident $name:ident) => {
        impl Walk for types::$package::$name {
            #[inline(always)]
            fn walk<V: Visitor>(&self, visitor: &mut V) {
                visitor.scalar(Scalar::Int(self.0.into()));
            }
        }
    };
}
enums!(walk_enums);

macro_rules! walk_oneofs {
    (
        $package:ident $google:ident $message:ident $oneof:ident $view:ident $quick:tt
        { $($member:ident $name:ident;)* }
    ) => {
        impl Walk for crate::generated::micropb::oneofs::$package::$message::$oneof {
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

/// What every generated message can do.
trait Message: MessageDecode + MessageEncode + Default {}
impl<M: MessageDecode + MessageEncode + Default> Message for M {}

macro_rules! offers {
    (
        logs { $($log:ident: $log_package:ident $log_google:ident $of:ident $log_view:ident;)* }
        $($payload:ident: $package:ident $google:ident $message:ident $view:ident $lazy:ident;)*
    ) => {
        fn offer(payload: Payload, offer: &mut Offer) {
            match payload {
                $(Payload::$payload => by::<types::$package::$message>(offer),)*
                $(Payload::$log => log::<types::$log_package::$of>(offer),)*
                Payload::Message2 => {
                    offer.gap(&Task::ALL, "micropb-gen 0.7 refuses a group, so there is no type to decode into.");
                }
            }
            if payload == Payload::Nested {
                offer.gap(
                    &[],
                    "encode works the size of a message out anew at each level, unless it is generated with `encode_cache`, \
                     which takes longer on most other payloads.",
                );
            }
            match payload {
                Payload::Inputs => update::<types::inputs::Inputs>(offer),
                Payload::StringHeavy => update::<types::protokt::StringHeavySet>(offer),
                Payload::RemoteWrite => update::<types::prometheus::WriteRequest>(offer),
                _ => {}
            }
            match payload {
                Payload::GenericSmall => append::<types::generic::SmallSet>(offer),
                Payload::StringRepeated => append::<types::protokt::StringRepeated>(offer),
                Payload::StringMap => append::<types::protokt::StringMap>(offer),
                _ => {}
            }
            by_hand(offer);
        }
    };
}
plain_payloads!(offers);

type Outcome<T> = Result<T, String>;

/// A message of its own for the wire.
#[inline(always)]
fn decode<M: Message>(wire: &[u8]) -> Outcome<M> {
    let mut message = M::default();
    // The error is not one that can be displayed.
    message.decode_from_bytes(wire).map_err(|error| format!("{error:?}"))?;
    Ok(message)
}

/// The encoding of a message in a buffer that is used again.
#[inline(always)]
fn encode<'a>(message: &impl MessageEncode, buffer: &'a mut Vec<u8>) -> &'a [u8] {
    buffer.clear();
    message.encode(&mut PbEncoder::new(&mut *buffer)).expect("a Vec grows");
    buffer
}

changes!(crate::generated::micropb::benchmarks, [], |text| text.to_owned());

fn update<M: Message + Change + 'static>(offer: &mut Offer) {
    let (wire, mut buffer) = (offer.wire, Vec::new());
    offer.update(Memory::Reused, "new message, cleared Vec", move |see| {
        let mut message = decode::<M>(black_box(wire)).expect(SOUND);
        message.change();
        see(encode(&message, &mut buffer));
    });
}

appends!(crate::generated::micropb::benchmarks, [], |text| text.to_owned());

fn append<M: Message + Append + 'static>(offer: &mut Offer) {
    let (message, mut buffer) = (decode::<M>(offer.wire).expect(SOUND), Vec::new());
    offer.append(Memory::Fresh, "clones, cleared Vec", move |see| {
        see(encode(&black_box(&message).appended(), &mut buffer));
    });
}

fn by<M: Message + Walk + 'static>(offer: &mut Offer) {
    let wire = offer.wire;
    let decoded = || decode::<M>(wire).expect(SOUND);
    let Some(message) = offer.decoded("decode_from_bytes", decode::<M>(wire)) else { return };
    offer.encoded("encode", encode(&message, &mut Vec::new()));
    offer.encoded_len("compute_size", message.compute_size());
    stream(offer, || vec![decoded()]);

    offer.time(Task::Decode, Memory::Fresh, "new message", move || {
        black_box(&decode::<M>(black_box(wire)).expect(SOUND));
    });
    offer.time(Task::DecodeRead, Memory::Fresh, "new message", move || {
        read(&decode::<M>(black_box(wire)).expect(SOUND));
    });
    let message = decoded();
    offer.time(Task::Read, Memory::Reused, "-", move || read(black_box(&message)));

    let message = decoded();
    let mut buffer = Vec::with_capacity(wire.len());
    offer.time(Task::Encode, Memory::Reused, "cleared Vec", move || {
        black_box(encode(black_box(&message), &mut buffer));
    });
    let message = decoded();
    let mut buffer = vec![0; message.compute_size()];
    offer.time(Task::Encode, Memory::Reused, "kept slice", move || {
        black_box(&message).encode(&mut PbEncoder::new(buffer.as_mut_slice())).expect(SOUND);
        black_box(buffer.as_slice());
    });
    let message = decoded();
    offer.time(Task::EncodeToVec, Memory::Fresh, "new Vec", move || {
        let mut buffer = Vec::with_capacity(black_box(&message).compute_size());
        black_box(encode(&message, &mut buffer));
    });
    let message = decoded();
    offer.time(Task::EncodedLen, Memory::Reused, "-", move || {
        black_box(black_box(&message).compute_size());
    });
    let mut buffer = Vec::with_capacity(wire.len());
    offer.time(Task::PassThrough, Memory::Reused, "new message, cleared Vec", move || {
        black_box(encode(&decode::<M>(black_box(wire)).expect(SOUND), &mut buffer));
    });
}

/// Shows each message of a stream.
#[inline(always)]
fn each<M: Message>(wire: &[u8], mut see: impl FnMut(M)) -> Outcome<()> {
    let mut decoder = PbDecoder::new(wire);
    while decoder.bytes_read() < wire.len() {
        let mut message = M::default();
        message.decode_len_delimited(&mut decoder).map_err(|error| format!("{error:?}"))?;
        see(message);
    }
    Ok(())
}

fn stream<M: Message + 'static>(offer: &mut Offer, messages: impl FnOnce() -> Vec<M>) {
    streams::read(offer, Memory::Fresh, "Vec, new messages", |frame| {
        black_box(&decode::<M>(frame).expect(SOUND));
    });
    let mut buffer = Vec::new();
    streams::write(offer, Memory::Reused, "cleared Vec, BufWriter", messages, move |message: &M, stream| {
        buffer.clear();
        message.encode_len_delimited(&mut PbEncoder::new(&mut buffer)).expect("a Vec grows");
        stream.write_all(&buffer).expect(SOUND);
    });
}

fn log<M: Message + Walk + 'static>(offer: &mut Offer) {
    let wire = offer.wire;
    let mut messages = Vec::new();
    let outcome = each::<M>(wire, |message| messages.push(message));
    let Some(messages) = offer.decoded("decode_len_delimited", outcome.map(|()| messages)) else { return };
    stream(offer, || {
        let mut messages = Vec::new();
        each::<M>(wire, |message| messages.push(message)).expect(SOUND);
        messages
    });
    let mut buffer = Vec::with_capacity(wire.len());
    let mut encode = move |see: &mut dyn FnMut(&[u8])| {
        buffer.clear();
        let mut encoder = PbEncoder::new(&mut buffer);
        for message in black_box(&messages) {
            message.encode_len_delimited(&mut encoder).expect("a Vec grows");
        }
        see(&buffer);
    };
    encode(&mut |encoded| offer.encoded("encode_len_delimited", encoded));

    offer.time(Task::Decode, Memory::Fresh, "new messages", move || {
        each(black_box(wire), |message: M| drop(black_box(message))).expect(SOUND);
    });
    offer.time(Task::DecodeRead, Memory::Fresh, "new messages", move || {
        each(black_box(wire), |message: M| read(&message)).expect(SOUND);
    });
    offer.time(Task::Encode, Memory::Reused, "cleared Vec", move || {
        encode(&mut |encoded| {
            black_box(encoded);
        });
    });
}

#[derive(Clone, Copy)]
struct Hand;

impl Hand {
    fn text<T: From<String>>(self, text: &str) -> T {
        T::from(text.to_owned())
    }

    fn list<T, const N: usize>(self, list: [T; N]) -> Vec<T> {
        list.into()
    }

    fn child<M, T: From<M>>(self, message: M) -> T {
        T::from(message)
    }

    fn value<E, T: From<E>>(self, value: E) -> T {
        T::from(value)
    }
}

fn by_hand(offer: &mut Offer) {
    let mut buffer = Vec::new();
    built_by_hand!(
        offer,
        crate::generated::micropb::benchmarks::quickbuffers,
        camel,
        "new message, cleared Vec",
        hand = Hand,
        |message| encode(black_box(&message), &mut buffer)
    );
}
