//! quick-protobuf 0.8.
#![cfg(feature = "peers")]

use std::borrow::Cow;
use std::hint::black_box;

use quick_protobuf::{BytesReader, BytesWriter, MessageRead, MessageWrite, Writer};

use super::{SOUND, streams};
use crate::appends::{Append, appends};
use crate::changes::{Change, changes};
use crate::generated::quick_protobuf::open as types;
use crate::generated::schema::{enums, messages, oneofs};
use crate::offer::{Library, Memory, Offer, Settings, Task, read};
use crate::payloads::{Payload, plain_payloads};
use crate::walk::{Scalar, Visitor, Walk, walk_fields};

pub(super) const LIBRARY: Library = Library {
    name: "quick-protobuf",
    package: "quick-protobuf",
    settings: Settings {
        strings: "borrowed from the input, as are packed numbers of fixed width",
        utf8: "checked",
        unknown: "dropped",
        memory: "buffer of an encoding only",
    },
    lazy: false,
    offer,
};

macro_rules! walks {
    ($package:ident $google:ident [$($path:tt)*] $view:tt $lazy:tt $fields:tt) => {
        walk_fields! { types::$package::$($path)*<'_> $fields }
    };
}
messages!(walks);

macro_rules! walk_enums {
    ($package:ident $google:ident $name:ident) => {
        impl Walk for crate::generated::quick_protobuf::benchmarks::$package::$name {
            #[inline(always)]
            fn walk<V: Visitor>(&self, visitor: &mut V) {
                visitor.scalar(Scalar::Int((*self as i32).into()));
            }
        }
    };
}
enums!(walk_enums);

macro_rules! walk_oneofs {
    (
        $package:ident $google:ident $message:ident $oneof:ident $view:ident [$($quick:tt)*]
        { $($member:ident $name:ident;)* }
    ) => {
        impl Walk for crate::generated::quick_protobuf::benchmarks::$package::$($quick)*<'_> {
            #[inline(always)]
            fn walk<V: Visitor>(&self, visitor: &mut V) {
                match self {
                    $(Self::$name(value) => value.walk(visitor),)*
                    Self::None => visitor.absent(),
                }
            }
        }
    };
}
oneofs!(walk_oneofs);

impl<T: Walk + ToOwned + ?Sized> Walk for Cow<'_, T> {
    #[inline(always)]
    fn walk<V: Visitor>(&self, visitor: &mut V) {
        (**self).walk(visitor);
    }
}

/// A message type with its lifetime left open.
trait Family: 'static {
    type At<'a>: MessageRead<'a> + MessageWrite + Walk;
}

macro_rules! offers {
    (
        logs { $($log:ident: $log_package:ident $log_google:ident $of:ident $log_view:ident;)* }
        $($payload:ident: $package:ident $google:ident $message:ident $view:ident $lazy:ident;)*
    ) => {
        fn offer(payload: Payload, offer: &mut Offer) {
            if matches!(payload, Payload::ColumnBatch | Payload::PackedDoubles) {
                offer.gap(
                    &Task::ALL,
                    "it makes slices of numbers out of the input whatever their alignment, which Rust forbids: a debug \
                     build panics.",
                );
                return;
            }
            match payload {
                $(Payload::$payload => {
                    struct This;
                    impl Family for This {
                        type At<'a> = types::$package::$message<'a>;
                    }
                    by::<This>(offer);
                })*
                $(Payload::$log => {
                    struct This;
                    impl Family for This {
                        type At<'a> = types::$log_package::$of<'a>;
                    }
                    log::<This>(offer);
                })*
                Payload::Message2 => {
                    offer.gap(&Task::ALL, "pb-rs 0.10 does not parse a group, so there is no type to decode into.");
                }
            }
            match payload {
                Payload::Inputs => update::<OfInputs>(offer),
                Payload::StringHeavy => update::<OfStringHeavy>(offer),
                Payload::RemoteWrite => update::<OfRemoteWrite>(offer),
                _ => {}
            }
            match payload {
                Payload::GenericSmall => append::<OfGenericSmall>(offer),
                Payload::StringRepeated => append::<OfStringRepeated>(offer),
                Payload::StringMap => append::<OfStringMap>(offer),
                _ => {}
            }
            by_hand(offer);
        }
    };
}
plain_payloads!(offers);

changes!(crate::generated::quick_protobuf::open, [<'_>], |text| Cow::Borrowed(text));

/// A message type that is changed, with its lifetime left open.
trait Changed: 'static {
    type At<'a>: MessageRead<'a> + MessageWrite + Change;
}

macro_rules! changed {
    ($($of:ident: $package:ident $message:ident;)*) => {$(
        struct $of;
        impl Changed for $of {
            type At<'a> = types::$package::$message<'a>;
        }
    )*};
}
changed! {
    OfInputs: inputs Inputs;
    OfStringHeavy: protokt StringHeavySet;
    OfRemoteWrite: prometheus WriteRequest;
}

fn update<F: Changed>(offer: &mut Offer) {
    let (wire, mut buffer) = (offer.wire, Vec::new());
    offer.update(Memory::Reused, "new message, sized slice", move |see| {
        let mut message = decode::<F::At<'_>>(black_box(wire)).expect(SOUND);
        message.change();
        see(encode(&message, &mut buffer));
    });
}

appends!(crate::generated::quick_protobuf::open, [<'_>], |text| Cow::Borrowed(text));

/// A message type to which something is appended.
trait Appended: 'static {
    type Is: MessageRead<'static> + MessageWrite + Append;
}

macro_rules! appended {
    ($($of:ident: $package:ident $message:ident;)*) => {$(
        struct $of;
        impl Appended for $of {
            type Is = types::$package::$message<'static>;
        }
    )*};
}
appended! {
    OfGenericSmall: generic SmallSet;
    OfStringRepeated: protokt StringRepeated;
    OfStringMap: protokt StringMap;
}

fn append<F: Appended>(offer: &mut Offer) {
    let (message, mut buffer) = (decode::<F::Is>(offer.wire).expect(SOUND), Vec::new());
    offer.append(Memory::Fresh, "clones, sized slice", move |see| {
        see(encode(&black_box(&message).appended(), &mut buffer));
    });
}

/// The messages outermost on the wire have no length in front of them.
#[inline(always)]
fn decode<'a, M: MessageRead<'a>>(wire: &'a [u8]) -> quick_protobuf::Result<M> {
    M::from_reader(&mut BytesReader::from_bytes(wire), wire)
}

/// The encoding of a message in a buffer that is as large as it has to be.
#[inline(always)]
fn encode<'a>(message: &impl MessageWrite, buffer: &'a mut Vec<u8>) -> &'a [u8] {
    let len = message.get_size();
    if buffer.len() < len {
        buffer.resize(len, 0);
    }
    let written = &mut buffer[..len];
    message.write_message(&mut Writer::new(BytesWriter::new(written))).expect(SOUND);
    written
}

fn by<F: Family>(offer: &mut Offer) {
    let wire = offer.wire;
    let decoded = || decode::<F::At<'static>>(wire).expect(SOUND);
    let Some(message) = offer.decoded("from_reader", decode::<F::At<'static>>(wire)) else { return };
    let mut buffer = Vec::new();
    match message.write_message(&mut Writer::new(&mut buffer)) {
        Ok(()) => offer.encoded("write_message", &buffer),
        Err(error) => offer.gap(Task::OF_ENCODING, format!("write_message fails: {error}")),
    }
    offer.encoded_len("get_size", message.get_size());
    stream::<F>(offer, || vec![decoded()]);

    offer.time(Task::Decode, Memory::Fresh, "new message", move || {
        black_box(&decode::<F::At<'_>>(black_box(wire)).expect(SOUND));
    });
    offer.time(Task::DecodeRead, Memory::Fresh, "new message", move || {
        read(&decode::<F::At<'_>>(black_box(wire)).expect(SOUND));
    });
    let message = decoded();
    offer.time(Task::Read, Memory::Reused, "-", move || read(black_box(&message)));

    let message = decoded();
    let mut buffer = Vec::with_capacity(wire.len());
    offer.time(Task::Encode, Memory::Reused, "cleared Vec", move || {
        buffer.clear();
        black_box(&message).write_message(&mut Writer::new(&mut buffer)).expect(SOUND);
        black_box(buffer.as_slice());
    });
    let message = decoded();
    let mut buffer = Vec::new();
    offer.time(Task::Encode, Memory::Reused, "sized slice", move || {
        black_box(encode(black_box(&message), &mut buffer));
    });
    let message = decoded();
    offer.time(Task::EncodedLen, Memory::Reused, "-", move || {
        black_box(black_box(&message).get_size());
    });
    let mut buffer = Vec::new();
    offer.time(Task::PassThrough, Memory::Reused, "new message, sized slice", move || {
        black_box(encode(&decode::<F::At<'_>>(black_box(wire)).expect(SOUND), &mut buffer));
    });
}

/// The messages of a stream.
fn delimited<'a, M: MessageRead<'a>>(wire: &'a [u8]) -> quick_protobuf::Result<Vec<M>> {
    let (mut reader, mut messages) = (BytesReader::from_bytes(wire), Vec::new());
    while !reader.is_eof() {
        messages.push(reader.read_message(wire)?);
    }
    Ok(messages)
}

fn stream<F: Family>(offer: &mut Offer, messages: impl FnOnce() -> Vec<F::At<'static>>) {
    streams::read(offer, Memory::Fresh, "Vec, new messages", |frame| {
        black_box(&decode::<F::At<'_>>(frame).expect(SOUND));
    });
    let mut buffer = Vec::new();
    streams::write(
        offer,
        Memory::Reused,
        "cleared Vec, BufWriter",
        messages,
        move |message: &F::At<'static>, stream| {
            buffer.clear();
            Writer::new(&mut buffer).write_message(message).expect(SOUND);
            stream.write_all(&buffer).expect(SOUND);
        },
    );
}

fn log<F: Family>(offer: &mut Offer) {
    let wire = offer.wire;
    let Some(messages) = offer.decoded("read_message", delimited::<F::At<'static>>(wire)) else { return };
    stream::<F>(offer, || delimited::<F::At<'static>>(wire).expect(SOUND));
    let mut buffer = Vec::with_capacity(wire.len());
    for message in &messages {
        Writer::new(&mut buffer).write_message(message).expect("a Vec grows");
    }
    offer.encoded("Writer::write_message", &buffer);

    offer.time(Task::Decode, Memory::Fresh, "new messages", move || {
        let wire = black_box(wire);
        let mut reader = BytesReader::from_bytes(wire);
        while !reader.is_eof() {
            black_box(&reader.read_message::<F::At<'_>>(wire).expect(SOUND));
        }
    });
    offer.time(Task::DecodeRead, Memory::Fresh, "new messages", move || {
        let wire = black_box(wire);
        let mut reader = BytesReader::from_bytes(wire);
        while !reader.is_eof() {
            read(&reader.read_message::<F::At<'_>>(wire).expect(SOUND));
        }
    });
    offer.time(Task::Encode, Memory::Reused, "cleared Vec", move || {
        buffer.clear();
        for message in black_box(&messages) {
            Writer::new(&mut buffer).write_message(message).expect(SOUND);
        }
        black_box(buffer.as_slice());
    });
}

#[derive(Clone, Copy)]
struct Hand;

impl Hand {
    fn text<T: From<Cow<'static, str>>>(self, text: &'static str) -> T {
        T::from(Cow::Borrowed(text))
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
        crate::generated::quick_protobuf::benchmarks::quickbuffers,
        screaming,
        "new message, sized slice",
        hand = Hand,
        |message| encode(black_box(&message), &mut buffer)
    );
}
