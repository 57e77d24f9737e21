//! prost 0.14 as it comes: `String` and `Vec<u8>`.

use std::hint::black_box;

use prost::Message;

use super::{SOUND, streams};
use crate::appends::Append;
use crate::changes::Change;
use crate::generated::prost as types;
use crate::generated::schema::{group_messages, messages, oneofs};
use crate::offer::{Library, Memory, Offer, Settings, Task, delimited, read};
use crate::payloads::{Payload, payloads};
use crate::walk::{Visitor, Walk, walk_fields};

pub(super) const LIBRARY: Library = Library {
    name: super::PROST,
    package: "prost",
    settings: Settings {
        strings: "each copied into a String of its own",
        utf8: "checked",
        unknown: "dropped",
        memory: "message cleared and merged into",
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
group_messages!(walks);

macro_rules! walk_oneofs {
    (
        $package:ident $google:ident $message:ident $oneof:ident $view:ident $quick:tt
        { $($member:ident $name:ident;)* }
    ) => {
        impl Walk for types::$package::$message::$oneof {
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

macro_rules! offers {
    (
        logs { $($log:ident: $log_package:ident $log_google:ident $of:ident $log_view:ident;)* }
        $($payload:ident: $package:ident $google:ident $message:ident $view:ident $lazy:ident;)*
    ) => {
        fn offer(payload: Payload, offer: &mut Offer) {
            match payload {
                $(Payload::$log => log::<types::$log_package::$of>(offer),)*
                $(Payload::$payload => by::<types::$package::$message>(offer),)*
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
payloads!(offers);

fn by<M: Message + Default + Walk + 'static>(offer: &mut Offer) {
    let wire = offer.wire;
    let decoded = || M::decode(wire).expect(SOUND);
    let Some(message) = offer.decoded("decode", M::decode(wire)) else { return };
    let mut merged = M::default();
    let outcome = merged.merge(wire).and_then(|()| {
        merged.clear();
        merged.merge(wire).map(|()| merged)
    });
    offer.decoded("a second merge", outcome);
    offer.encoded("encode_to_vec", &message.encode_to_vec());
    offer.encoded_len("encoded_len", message.encoded_len());
    stream(offer, || vec![M::decode(wire).expect(SOUND)]);

    offer.time(Task::Decode, Memory::Fresh, "new message", move || {
        black_box(&M::decode(black_box(wire)).expect(SOUND));
    });
    let mut message = M::default();
    offer.time(Task::Decode, Memory::Reused, "cleared and merged", move || {
        message.clear();
        message.merge(black_box(wire)).expect(SOUND);
        black_box(&message);
    });

    offer.time(Task::DecodeRead, Memory::Fresh, "new message", move || {
        read(&M::decode(black_box(wire)).expect(SOUND));
    });
    let mut message = M::default();
    offer.time(Task::DecodeRead, Memory::Reused, "cleared and merged", move || {
        message.clear();
        message.merge(black_box(wire)).expect(SOUND);
        read(&message);
    });
    let message = decoded();
    offer.time(Task::Read, Memory::Reused, "-", move || read(black_box(&message)));

    let message = decoded();
    let mut buffer = Vec::with_capacity(message.encoded_len());
    offer.time(Task::Encode, Memory::Reused, "cleared Vec", move || {
        buffer.clear();
        black_box(&message).encode(&mut buffer).expect(SOUND);
        black_box(buffer.as_slice());
    });
    let message = decoded();
    let mut buffer = Vec::with_capacity(message.encoded_len());
    offer.time(Task::EncodePieces, Memory::Reused, "cleared Vec, one piece", move || {
        buffer.clear();
        black_box(&message).encode(&mut buffer).expect(SOUND);
        black_box(buffer.as_slice());
    });
    let message = decoded();
    offer.time(Task::EncodeToVec, Memory::Fresh, "new Vec", move || {
        black_box(black_box(&message).encode_to_vec());
    });
    let message = decoded();
    offer.time(Task::EncodedLen, Memory::Reused, "-", move || {
        black_box(black_box(&message).encoded_len());
    });

    let mut buffer = Vec::with_capacity(wire.len());
    offer.time(Task::PassThrough, Memory::Reused, "new message, cleared Vec", move || {
        buffer.clear();
        M::decode(black_box(wire)).expect(SOUND).encode(&mut buffer).expect(SOUND);
        black_box(buffer.as_slice());
    });
    let mut buffer = Vec::with_capacity(wire.len());
    offer.time(Task::PassThroughPieces, Memory::Reused, "new message, cleared Vec, one piece", move || {
        buffer.clear();
        M::decode(black_box(wire)).expect(SOUND).encode(&mut buffer).expect(SOUND);
        black_box(buffer.as_slice());
    });
    let (mut message, mut buffer) = (M::default(), Vec::with_capacity(wire.len()));
    offer.time(Task::PassThrough, Memory::Reused, "cleared and merged, cleared Vec", move || {
        message.clear();
        message.merge(black_box(wire)).expect(SOUND);
        buffer.clear();
        message.encode(&mut buffer).expect(SOUND);
        black_box(buffer.as_slice());
    });
}

fn stream<M: Message + Default + 'static>(offer: &mut Offer, messages: impl FnOnce() -> Vec<M>) {
    streams::read(offer, Memory::Fresh, "Vec, new messages", |frame| {
        black_box(&M::decode(frame).expect(SOUND));
    });
    let mut message = M::default();
    streams::read(offer, Memory::Reused, "Vec, cleared and merged", move |frame| {
        message.clear();
        message.merge(frame).expect(SOUND);
        black_box(&message);
    });
    let mut buffer = Vec::new();
    streams::write(offer, Memory::Reused, "cleared Vec, BufWriter", messages, move |message: &M, stream| {
        buffer.clear();
        message.encode_length_delimited(&mut buffer).expect(SOUND);
        stream.write_all(&buffer).expect(SOUND);
    });
}

fn log<M: Message + Default + Walk + 'static>(offer: &mut Offer) {
    let wire = offer.wire;
    let Some(messages) = offer.decoded("decode_length_delimited", delimited::<M>(wire)) else { return };
    stream(offer, || delimited::<M>(wire).expect(SOUND));

    offer.time(Task::Decode, Memory::Fresh, "new messages", move || {
        let mut rest = black_box(wire);
        while !rest.is_empty() {
            black_box(&M::decode_length_delimited(&mut rest).expect(SOUND));
        }
    });
    let mut message = M::default();
    offer.time(Task::Decode, Memory::Reused, "cleared and merged", move || {
        let mut rest = black_box(wire);
        while !rest.is_empty() {
            message.clear();
            message.merge_length_delimited(&mut rest).expect(SOUND);
            black_box(&message);
        }
    });
    offer.time(Task::DecodeRead, Memory::Fresh, "new messages", move || {
        let mut rest = black_box(wire);
        while !rest.is_empty() {
            read(&M::decode_length_delimited(&mut rest).expect(SOUND));
        }
    });
    let mut message = M::default();
    offer.time(Task::DecodeRead, Memory::Reused, "cleared and merged", move || {
        let mut rest = black_box(wire);
        while !rest.is_empty() {
            message.clear();
            message.merge_length_delimited(&mut rest).expect(SOUND);
            read(&message);
        }
    });

    let mut buffer = Vec::with_capacity(wire.len());
    for message in &messages {
        message.encode_length_delimited(&mut buffer).expect("a Vec grows");
    }
    offer.encoded("encode_length_delimited", &buffer);
    offer.time(Task::Encode, Memory::Reused, "cleared Vec", move || {
        buffer.clear();
        for message in black_box(&messages) {
            message.encode_length_delimited(&mut buffer).expect(SOUND);
        }
        black_box(buffer.as_slice());
    });
}

fn update<M: Message + Default + Change + 'static>(offer: &mut Offer) {
    let (wire, mut message, mut buffer) = (offer.wire, M::default(), Vec::new());
    offer.update(Memory::Reused, "cleared and merged, cleared Vec", move |see| {
        message.clear();
        message.merge(black_box(wire)).expect(SOUND);
        message.change();
        buffer.clear();
        message.encode(&mut buffer).expect(SOUND);
        see(&buffer);
    });
}

fn append<M: Message + Default + Append + 'static>(offer: &mut Offer) {
    let (message, mut buffer) = (M::decode(offer.wire).expect(SOUND), Vec::new());
    offer.append(Memory::Fresh, "clones, cleared Vec", move |see| {
        buffer.clear();
        black_box(&message).appended().encode(&mut buffer).expect(SOUND);
        see(&buffer);
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

    fn value<E: Into<i32>, T: From<i32>>(self, value: E) -> T {
        T::from(value.into())
    }
}

fn by_hand(offer: &mut Offer) {
    let mut buffer = Vec::new();
    built_by_hand!(offer, types::quickbuffers, camel, "new message, cleared Vec", hand = Hand, |message| {
        buffer.clear();
        black_box(&message).encode(&mut buffer).expect(SOUND);
        buffer.as_slice()
    });
}
