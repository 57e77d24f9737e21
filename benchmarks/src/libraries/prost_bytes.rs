//! prost 0.14 with `bytes::Bytes` for `bytes`, which then share the memory of the input.

use std::hint::black_box;

use bytes::Bytes;
use prost::Message;

use super::SOUND;
use crate::changes::{Change, changes};
use crate::generated::prost_bytes as types;
use crate::generated::schema::{group_messages, messages, oneofs};
use crate::offer::{Library, Memory, Offer, Settings, Task, read};
use crate::payloads::{Payload, payloads};
use crate::walk::{Visitor, Walk, walk_fields};

pub(super) const LIBRARY: Library = Library {
    name: "prost-bytes",
    package: "prost",
    settings: Settings {
        strings: "each copied into a String of its own; `bytes` count references to the input, which is a `Bytes`",
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
        $package:ident $google:ident $message:ident $oneof:ident $view:ident [$($quick:tt)*]
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
                // The others have no field of type `bytes`, so that they are the same as prost's.
                $(Payload::$payload if has_bytes(payload) => by::<types::$package::$message>(offer),)*
                _ => {}
            }
            if payload == Payload::Inputs {
                update::<types::inputs::Inputs>(offer);
            }
        }
    };
}
payloads!(offers);

changes!(crate::generated::prost_bytes, [], |text| text.to_owned());

fn update<M: Message + Default + Change + 'static>(offer: &mut Offer) {
    let wire = Bytes::copy_from_slice(offer.wire);
    let (mut message, mut buffer) = (M::default(), Vec::new());
    offer.update(Memory::Reused, "cleared and merged, cleared Vec", move |see| {
        message.clear();
        message.merge(black_box(&wire).clone()).expect(SOUND);
        message.change();
        buffer.clear();
        message.encode(&mut buffer).expect(SOUND);
        see(&buffer);
    });
}

fn has_bytes(payload: Payload) -> bool {
    use Payload::{
        Blob, GenericHuge, GenericLarge, GenericMedium, Inputs, LogRecord, LogsExport, MediaFrame, Message2,
        TraceExport,
    };

    matches!(
        payload,
        Message2
            | LogRecord
            | MediaFrame
            | GenericMedium
            | GenericLarge
            | GenericHuge
            | Inputs
            | Blob
            | TraceExport
            | LogsExport
    )
}

fn by<M: Message + Default + Walk + 'static>(offer: &mut Offer) {
    // On the heap and counted, as the bytes of a socket would be, not `Bytes::from_static`.
    let wire = Bytes::copy_from_slice(offer.wire);
    let Some(message) = offer.decoded("decode", M::decode(wire.clone())) else { return };
    offer.encoded("encode_to_vec", &message.encode_to_vec());
    offer.encoded_len("encoded_len", message.encoded_len());

    let input = wire.clone();
    offer.time(Task::Decode, Memory::Fresh, "new message", move || {
        black_box(&M::decode(black_box(&input).clone()).expect(SOUND));
    });
    let (input, mut message) = (wire.clone(), M::default());
    offer.time(Task::Decode, Memory::Reused, "cleared and merged", move || {
        message.clear();
        message.merge(black_box(&input).clone()).expect(SOUND);
        black_box(&message);
    });
    let input = wire.clone();
    offer.time(Task::DecodeRead, Memory::Fresh, "new message", move || {
        read(&M::decode(black_box(&input).clone()).expect(SOUND));
    });
    let (input, mut message) = (wire.clone(), M::default());
    offer.time(Task::DecodeRead, Memory::Reused, "cleared and merged", move || {
        message.clear();
        message.merge(black_box(&input).clone()).expect(SOUND);
        read(&message);
    });
    let (input, mut buffer) = (wire.clone(), Vec::with_capacity(wire.len()));
    offer.time(Task::PassThrough, Memory::Reused, "new message, cleared Vec", move || {
        buffer.clear();
        M::decode(black_box(&input).clone()).expect(SOUND).encode(&mut buffer).expect(SOUND);
        black_box(buffer.as_slice());
    });
    let (input, mut message, mut buffer) = (wire.clone(), M::default(), Vec::with_capacity(wire.len()));
    offer.time(Task::PassThrough, Memory::Reused, "cleared and merged, cleared Vec", move || {
        message.clear();
        message.merge(black_box(&input).clone()).expect(SOUND);
        buffer.clear();
        message.encode(&mut buffer).expect(SOUND);
        black_box(buffer.as_slice());
    });
    let (input, mut buffer) = (wire.clone(), Vec::with_capacity(wire.len()));
    offer.time(Task::PassThroughPieces, Memory::Reused, "new message, cleared Vec, one piece", move || {
        buffer.clear();
        M::decode(black_box(&input).clone()).expect(SOUND).encode(&mut buffer).expect(SOUND);
        black_box(buffer.as_slice());
    });
    let message = M::decode(wire).expect(SOUND);
    let mut buffer = Vec::with_capacity(message.encoded_len());
    offer.time(Task::Encode, Memory::Reused, "cleared Vec", move || {
        buffer.clear();
        black_box(&message).encode(&mut buffer).expect(SOUND);
        black_box(buffer.as_slice());
    });
}
