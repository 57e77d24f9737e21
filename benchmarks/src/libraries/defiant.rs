//! This workspace.

use std::hint::black_box;
use std::rc::Rc;

use defiant::frame::{FrameError, FrameOptions, FrameReader, FrameWriter};
use defiant::{Arena, DecodeError, Encoder, Map, Message};

use super::SOUND;
use super::streams::Sink;
use crate::appends::texts;
use crate::changes::{LABEL, SEQUENCE, TEXT};
use crate::generated::defiant as types;
use crate::generated::schema::{enums, group_messages, messages, oneofs};
use crate::offer::{Library, Memory, Offer, Settings, Task, read};
use crate::payloads::{Payload, payloads};
use crate::walk::{Scalar, Visitor, Walk, walk_entries, walk_fields};

pub(super) const LIBRARY: Library = Library {
    name: super::DEFIANT,
    package: "defiant",
    settings: Settings {
        strings: "one copy of the input in the arena, borrowed; `borrowed` copies nothing",
        utf8: "checked",
        unknown: "kept",
        memory: "arena reset",
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
group_messages!(walks);

macro_rules! walk_oneofs {
    (
        $package:ident $google:ident $message:ident $oneof:ident $view:ident $quick:tt
        { $($member:ident $name:ident;)* }
    ) => {
        impl Walk for types::$package::$message::$oneof<'_> {
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
                visitor.scalar(Scalar::Int(i32::from(*self).into()));
            }
        }
    };
}
enums!(walk_enums);

impl<K: Walk, T: Walk> Walk for Map<'_, K, T> {
    #[inline(always)]
    fn walk<V: Visitor>(&self, visitor: &mut V) {
        walk_entries(visitor, self.len(), self.iter().map(|(key, value)| (key, value)));
    }
}

/// A message type with its lifetime left open.
trait Family {
    type At<'arena>: Message<'arena> + Walk;
}

macro_rules! offers {
    (
        logs { $($log:ident: $log_package:ident $log_google:ident $of:ident $log_view:ident;)* }
        $($payload:ident: $package:ident $google:ident $message:ident $view:ident $lazy:ident;)*
    ) => {
        fn offer(payload: Payload, offer: &mut Offer) {
            match payload {
                $(Payload::$log => {
                    struct This;
                    impl Family for This {
                        type At<'arena> = types::$log_package::$of<'arena>;
                    }
                    log::<This>(offer);
                })*
                $(Payload::$payload => {
                    struct This;
                    impl Family for This {
                        type At<'arena> = types::$package::$message<'arena>;
                    }
                    by::<This>(offer);
                })*
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
payloads!(offers);

fn by<F: Family>(offer: &mut Offer) {
    let wire = offer.wire;
    // The message that is encoded lives as long as the process.
    let home: &'static Arena = Box::leak(Box::new(Arena::new()));
    offer.decoded("decode_buf", F::At::decode_buf(wire, home));
    offer.decoded("decode_borrowed", F::At::decode_borrowed(wire, home));
    let Some(message) = offer.decoded("decode", F::At::<'static>::decode(wire, home)) else { return };
    streams::<F>(offer, home);

    let mut encoder = Encoder::new();
    offer.encoded("encode_in", message.encode_in(home));
    offer.encoded("Encoder", encoder.encode(&message));
    offer.encoded("encode_vectored", &encoder.encode_vectored(&message).iter().collect::<Vec<_>>().concat());
    offer.encoded("encode_to_vec", &message.encode_to_vec());
    let mut buffer = Vec::new();
    match message.encode(&mut buffer) {
        Ok(()) => offer.encoded("encode", &buffer),
        Err(error) => offer.gap(Task::OF_ENCODING, format!("encode fails: {error}")),
    }
    offer.encoded_len("encoded_len", message.encoded_len());

    offer.time(Task::Decode, Memory::Fresh, "fresh arena", move || {
        let arena = Arena::new();
        black_box(&F::At::decode(black_box(wire), &arena).expect(SOUND));
    });
    offer.time(Task::Decode, Memory::Fresh, "borrowed, fresh arena", move || {
        let arena = Arena::new();
        black_box(&F::At::decode_borrowed(black_box(wire), &arena).expect(SOUND));
    });
    let mut arena = Arena::new();
    offer.time(Task::Decode, Memory::Reused, "arena reset", move || {
        black_box(&F::At::decode(black_box(wire), &arena).expect(SOUND));
        arena.reset();
    });
    let mut arena = Arena::new();
    offer.time(Task::Decode, Memory::Reused, "borrowed, arena reset", move || {
        black_box(&F::At::decode_borrowed(black_box(wire), &arena).expect(SOUND));
        arena.reset();
    });

    offer.time(Task::DecodeRead, Memory::Fresh, "fresh arena", move || {
        let arena = Arena::new();
        read(&F::At::decode(black_box(wire), &arena).expect(SOUND));
    });
    offer.time(Task::DecodeRead, Memory::Fresh, "borrowed, fresh arena", move || {
        let arena = Arena::new();
        read(&F::At::decode_borrowed(black_box(wire), &arena).expect(SOUND));
    });
    let mut arena = Arena::new();
    offer.time(Task::DecodeRead, Memory::Reused, "arena reset", move || {
        read(&F::At::decode(black_box(wire), &arena).expect(SOUND));
        arena.reset();
    });
    let mut arena = Arena::new();
    offer.time(Task::DecodeRead, Memory::Reused, "borrowed, arena reset", move || {
        read(&F::At::decode_borrowed(black_box(wire), &arena).expect(SOUND));
        arena.reset();
    });
    offer.time(Task::Read, Memory::Reused, "-", move || read(black_box(&message)));

    let mut arena = Arena::new();
    offer.time(Task::Encode, Memory::Reused, "encode_in, arena reset", move || {
        black_box(black_box(&message).encode_in(&arena));
        arena.reset();
    });
    let mut encoder = Encoder::new();
    offer.time(Task::Encode, Memory::Reused, "Encoder", move || {
        black_box(encoder.encode(black_box(&message)));
    });
    let mut encoder = Encoder::new();
    offer.time(Task::EncodePieces, Memory::Reused, "Encoder", move || {
        let pieces = encoder.encode_vectored(black_box(&message));
        black_box(pieces.iter().map(<[u8]>::len).sum::<usize>());
    });
    offer.time(Task::EncodeToVec, Memory::Fresh, "new Vec", move || {
        black_box(black_box(&message).encode_to_vec());
    });
    offer.time(Task::EncodedLen, Memory::Reused, "-", move || {
        black_box(black_box(&message).encoded_len());
    });

    let mut arena = Arena::new();
    offer.time(Task::PassThrough, Memory::Reused, "encode_in, arena reset", move || {
        black_box(F::At::decode(black_box(wire), &arena).expect(SOUND).encode_in(&arena));
        arena.reset();
    });
    let (mut arena, mut encoder) = (Arena::new(), Encoder::new());
    offer.time(Task::PassThrough, Memory::Reused, "borrowed, arena reset, Encoder", move || {
        black_box(encoder.encode(&F::At::decode_borrowed(black_box(wire), &arena).expect(SOUND)));
        arena.reset();
    });
    let (mut arena, mut encoder) = (Arena::new(), Encoder::new());
    offer.time(Task::PassThroughPieces, Memory::Reused, "arena reset, Encoder", move || {
        let message = F::At::decode(black_box(wire), &arena).expect(SOUND);
        black_box(encoder.encode_vectored(&message).iter().map(<[u8]>::len).sum::<usize>());
        arena.reset();
    });
    let (mut arena, mut encoder) = (Arena::new(), Encoder::new());
    offer.time(Task::PassThroughPieces, Memory::Reused, "borrowed, arena reset, Encoder", move || {
        let message = F::At::decode_borrowed(black_box(wire), &arena).expect(SOUND);
        black_box(encoder.encode_vectored(&message).iter().map(<[u8]>::len).sum::<usize>());
        arena.reset();
    });
}

/// The longest message of a stream that is taken, in bytes.
const MAX_LEN: usize = 64 << 20;

/// All messages of the payload's stream.
fn streamed<F: Family>(offer: &Offer, arena: &'static Arena) -> Result<Vec<F::At<'static>>, FrameError> {
    let mut frames = FrameReader::new(offer.payload.stream(), FrameOptions::new().max_len(MAX_LEN));
    let mut messages = Vec::new();
    while let Some(message) = frames.read(arena)? {
        messages.push(message);
    }
    Ok(messages)
}

fn streams<F: Family>(offer: &mut Offer, home: &'static Arena) {
    if !Task::ReadStream.suits(offer.payload) {
        return;
    }
    let stream = offer.payload.stream();
    let outcome = streamed::<F>(offer, home);
    let messages = if offer.payload.is_log() {
        offer.decoded("FrameReader", outcome)
    } else {
        let message = outcome.map(|messages| messages[0]);
        offer.decoded("FrameReader", message).map(|message| vec![message])
    };
    let Some(messages) = messages else { return };
    let mut arena = Arena::new();
    offer.time(Task::ReadStream, Memory::Reused, "FrameReader, arena reset after each message", move || {
        let mut frames = FrameReader::new(black_box(stream), FrameOptions::new().max_len(MAX_LEN));
        while let Some(message) = frames.read::<F::At<'_>>(&arena).expect(SOUND) {
            black_box(&message);
            arena.reset();
        }
    });
    let mut writer = FrameWriter::new(Vec::new());
    match messages.iter().try_for_each(|message| writer.write(message)).and_then(|()| writer.into_inner()) {
        Ok(written) => offer.streamed("FrameWriter", &written),
        Err(error) => offer.gap(&[Task::WriteStream], format!("FrameWriter fails: {error}")),
    }
    let mut writer = FrameWriter::new(Sink);
    offer.time(Task::WriteStream, Memory::Reused, "FrameWriter", move || {
        for message in black_box(&messages) {
            writer.write(message).expect(SOUND);
        }
        writer.flush().expect(SOUND);
    });
}

/// The messages of a stream, all in one arena.
fn delimited<F: Family>(mut wire: &[u8], arena: &'static Arena) -> Result<Vec<F::At<'static>>, DecodeError> {
    let mut messages = Vec::new();
    while !wire.is_empty() {
        let (message, len) = F::At::decode_length_delimited(wire, arena)?;
        messages.push(message);
        wire = &wire[len..];
    }
    Ok(messages)
}

fn log<F: Family>(offer: &mut Offer) {
    let wire = offer.wire;
    // The messages that are encoded live as long as the process.
    let home: &'static Arena = Box::leak(Box::new(Arena::new()));
    let Some(messages) = offer.decoded("decode_length_delimited", delimited::<F>(wire, home)) else { return };
    streams::<F>(offer, home);

    offer.time(Task::Decode, Memory::Fresh, "an arena for each message", move || {
        let mut rest = black_box(wire);
        while !rest.is_empty() {
            let arena = Arena::new();
            let (message, len) = F::At::decode_length_delimited(rest, &arena).expect(SOUND);
            black_box(&message);
            rest = &rest[len..];
        }
    });
    let mut arena = Arena::new();
    offer.time(Task::Decode, Memory::Reused, "arena reset after each message", move || {
        let mut rest = black_box(wire);
        while !rest.is_empty() {
            let (message, len) = F::At::decode_length_delimited(rest, &arena).expect(SOUND);
            black_box(&message);
            rest = &rest[len..];
            arena.reset();
        }
    });
    offer.time(Task::DecodeRead, Memory::Fresh, "an arena for each message", move || {
        let mut rest = black_box(wire);
        while !rest.is_empty() {
            let arena = Arena::new();
            let (message, len) = F::At::decode_length_delimited(rest, &arena).expect(SOUND);
            read(&message);
            rest = &rest[len..];
        }
    });
    let mut arena = Arena::new();
    offer.time(Task::DecodeRead, Memory::Reused, "arena reset after each message", move || {
        let mut rest = black_box(wire);
        while !rest.is_empty() {
            let (message, len) = F::At::decode_length_delimited(rest, &arena).expect(SOUND);
            read(&message);
            rest = &rest[len..];
            arena.reset();
        }
    });

    let mut buffer = Vec::with_capacity(wire.len());
    for message in &messages {
        message.encode_length_delimited(&mut buffer).expect("a Vec grows");
    }
    offer.encoded("encode_length_delimited", &buffer);
    let mut encoder = Encoder::new();
    let mut copied = Vec::with_capacity(wire.len());
    for message in &messages {
        copied.extend_from_slice(encoder.encode_length_delimited(message));
    }
    offer.encoded("Encoder::encode_length_delimited", &copied);

    let messages = Rc::new(messages);
    let kept = Rc::clone(&messages);
    offer.time(Task::Encode, Memory::Reused, "cleared Vec", move || {
        buffer.clear();
        for message in black_box(kept.as_slice()) {
            message.encode_length_delimited(&mut buffer).expect(SOUND);
        }
        black_box(buffer.as_slice());
    });
    offer.time(Task::Encode, Memory::Reused, "Encoder, cleared Vec", move || {
        copied.clear();
        for message in black_box(messages.as_slice()) {
            copied.extend_from_slice(encoder.encode_length_delimited(message));
        }
        black_box(copied.as_slice());
    });
}

/// A message type that is changed: a copy that shares what stays as it is.
trait Changed {
    type At<'arena>: Message<'arena>;

    fn changed<'arena>(message: Self::At<'arena>, arena: &'arena Arena) -> Self::At<'arena>;
}

struct OfInputs;
impl Changed for OfInputs {
    type At<'arena> = types::inputs::Inputs<'arena>;

    #[inline]
    fn changed<'arena>(message: Self::At<'arena>, arena: &'arena Arena) -> Self::At<'arena> {
        let inputs = arena.alloc_slice_copy(message.inputs);
        for input in &mut *inputs {
            input.amount += 1;
            input.sequence = SEQUENCE;
        }
        types::inputs::Inputs { inputs, ..message }
    }
}

struct OfStringHeavy;
impl Changed for OfStringHeavy {
    type At<'arena> = types::protokt::StringHeavySet<'arena>;

    #[inline]
    fn changed<'arena>(message: Self::At<'arena>, arena: &'arena Arena) -> Self::At<'arena> {
        let payloads = arena.alloc_slice_copy(message.payloads);
        for texts in &mut *payloads {
            texts.second = TEXT;
        }
        types::protokt::StringHeavySet { payloads, ..message }
    }
}

struct OfRemoteWrite;
impl Changed for OfRemoteWrite {
    type At<'arena> = types::prometheus::WriteRequest<'arena>;

    #[inline]
    fn changed<'arena>(message: Self::At<'arena>, arena: &'arena Arena) -> Self::At<'arena> {
        let [name, value] = LABEL;
        let timeseries = arena.alloc_slice_copy(message.timeseries);
        for series in &mut *timeseries {
            let mut labels = arena.vec_with_capacity(series.labels.len() + 1);
            labels.extend_from_slice(series.labels);
            labels.push(types::prometheus::Label { name, value, ..Default::default() });
            series.labels = labels.into_slice();
        }
        types::prometheus::WriteRequest { timeseries, ..message }
    }
}

fn update<F: Changed>(offer: &mut Offer) {
    let (wire, mut arena, mut encoder) = (offer.wire, Arena::new(), Encoder::new());
    offer.update(Memory::Reused, "arena reset, Encoder", move |see| {
        let message = F::At::decode(black_box(wire), &arena).expect(SOUND);
        see(encoder.encode(&F::changed(message, &arena)));
        arena.reset();
    });
    let (mut arena, mut encoder) = (Arena::new(), Encoder::new());
    offer.update(Memory::Reused, "borrowed, arena reset, Encoder", move |see| {
        let message = F::At::decode_borrowed(black_box(wire), &arena).expect(SOUND);
        see(encoder.encode(&F::changed(message, &arena)));
        arena.reset();
    });
}

/// A message type to which something is appended: a copy that shares the texts.
trait Appended {
    type At<'arena>: Message<'arena>;

    fn with<'arena>(message: Self::At<'arena>, text: &'static str, arena: &'arena Arena) -> Self::At<'arena>;
}

struct OfGenericSmall;
impl Appended for OfGenericSmall {
    type At<'arena> = types::generic::SmallSet<'arena>;

    #[inline]
    fn with<'arena>(message: Self::At<'arena>, text: &'static str, arena: &'arena Arena) -> Self::At<'arena> {
        let payload = types::generic::GenericMessage4 { field1: text, field3: 0.5, ..Default::default() };
        types::generic::SmallSet { payloads: arena.append(message.payloads, payload), ..message }
    }
}

struct OfStringRepeated;
impl Appended for OfStringRepeated {
    type At<'arena> = types::protokt::StringRepeated<'arena>;

    #[inline]
    fn with<'arena>(message: Self::At<'arena>, text: &'static str, arena: &'arena Arena) -> Self::At<'arena> {
        types::protokt::StringRepeated { entries: arena.append(message.entries, text), ..message }
    }
}

struct OfStringMap;
impl Appended for OfStringMap {
    type At<'arena> = types::protokt::StringMap<'arena>;

    #[inline]
    fn with<'arena>(message: Self::At<'arena>, text: &'static str, arena: &'arena Arena) -> Self::At<'arena> {
        types::protokt::StringMap { entries: message.entries.insert_in(arena, text, text), ..message }
    }
}

fn append<F: Appended>(offer: &mut Offer) {
    let (wire, mut arena, mut encoder) = (offer.wire, Arena::new(), Encoder::new());
    offer.append(Memory::Reused, "decoded, copies that share, Encoder", move |see| {
        // What lives as long as the arena begins in it, so that the first message is decoded each time.
        let mut message = F::At::decode_borrowed(black_box(wire), &arena).expect(SOUND);
        for text in texts() {
            message = F::with(message, text, &arena);
            black_box(&message);
        }
        see(encoder.encode(&message));
        arena.reset();
    });
}

/// Puts what a struct borrows into the arena.
#[derive(Clone, Copy)]
struct Hand<'arena>(&'arena Arena);

impl<'arena> Hand<'arena> {
    fn text<T: From<&'arena str>>(self, text: &'static str) -> T {
        T::from(text)
    }

    fn list<T: Copy, const N: usize>(self, list: [T; N]) -> &'arena [T] {
        self.0.alloc_slice_copy(&list)
    }

    fn child<M: Copy>(self, message: M) -> Option<&'arena M> {
        Some(self.0.alloc(message))
    }

    fn value<E, T: From<E>>(self, value: E) -> T {
        T::from(value)
    }
}

fn by_hand(offer: &mut Offer) {
    let mut encoder = Encoder::new();
    let mut arena = Arena::new();
    built_by_hand!(
        offer, types::quickbuffers, camel, "structs in the arena, Encoder", hand = Hand(&arena),
        |message| encoder.encode(black_box(&message)); arena.reset()
    );
}
