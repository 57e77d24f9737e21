//! pilota 0.13.

use std::borrow::Cow;
use std::hint::black_box;

use bytes::Bytes;
use pilota::pb::{EncodeLengthContext, Message};
use pilota::{FastStr, LinkedBytes};

use super::{SOUND, streams};
use crate::appends::{Append, appends};
use crate::changes::{Change, changes};
use crate::generated::pilota as types;
use crate::generated::schema::{enums, messages, oneofs};
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
    (
        logs { $($log:ident: $log_package:ident $log_google:ident $of:ident $log_view:ident;)* }
        $($payload:ident: $package:ident $google:ident $message:ident $view:ident $lazy:ident;)*
    ) => {
        fn offer(payload: Payload, offer: &mut Offer) {
            match payload {
                $(Payload::$payload => by::<types::$package::$message>(offer),)*
                $(Payload::$log => log::<types::$log_package::$of>(offer),)*
                Payload::Message2 => offer.gap(
                    &Task::ALL,
                    "pilota-build 0.13 panics (`todo!()`) on a schema with a group, so there is no type to decode into.",
                ),
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
        }
    };
}
plain_payloads!(offers);

changes!(crate::generated::pilota, [], |text| text.into());

fn update<M: Message + Default + Change + 'static>(offer: &mut Offer) {
    let (wire, mut buffer) = (Bytes::copy_from_slice(offer.wire), LinkedBytes::with_capacity(offer.wire.len()));
    offer.update(Memory::Reused, "new message, reset LinkedBytes", move |see| {
        buffer.reset();
        let mut message = M::decode(black_box(&wire).clone()).expect(SOUND);
        message.change();
        message.encode(&mut buffer).expect(SOUND);
        see(&in_one_piece(&buffer));
    });
}

appends!(crate::generated::pilota, [], |text| text.into());

fn append<M: Message + Default + Append + 'static>(offer: &mut Offer) {
    let message = M::decode(Bytes::copy_from_slice(offer.wire)).expect(SOUND);
    let mut buffer = LinkedBytes::with_capacity(offer.wire.len());
    offer.append(Memory::Fresh, "clones, reset LinkedBytes", move |see| {
        buffer.reset();
        black_box(&message).appended().encode(&mut buffer).expect(SOUND);
        see(&in_one_piece(&buffer));
    });
}

fn stream<M: Message + Default + 'static>(offer: &mut Offer, messages: impl FnOnce() -> Vec<M>) {
    streams::read(offer, Memory::Fresh, "Vec, Bytes, new messages", |frame| {
        black_box(&M::decode(Bytes::copy_from_slice(frame)).expect(SOUND));
    });
    let mut buffer = LinkedBytes::new();
    streams::write(offer, Memory::Reused, "reset LinkedBytes, BufWriter", messages, move |message: &M, stream| {
        buffer.reset();
        message.encode_length_delimited(&mut EncodeLengthContext::default(), &mut buffer).expect(SOUND);
        stream.write_all(&in_one_piece(&buffer)).expect(SOUND);
    });
}

fn log<M: Message + Default + Walk + 'static>(offer: &mut Offer) {
    let wire = Bytes::copy_from_slice(offer.wire);
    let delimited = |mut wire: Bytes| {
        let mut messages = Vec::new();
        while !wire.is_empty() {
            messages.push(M::decode(cut(&mut wire))?);
        }
        Ok::<_, pilota::pb::DecodeError>(messages)
    };
    let Some(messages) = offer.decoded("decode", delimited(wire.clone())) else { return };
    stream(offer, || delimited(wire.clone()).expect(SOUND));
    let input = wire.clone();
    offer.time(Task::Decode, Memory::Fresh, "new messages", move || {
        let mut rest = black_box(&input).clone();
        while !rest.is_empty() {
            black_box(&M::decode(cut(&mut rest)).expect(SOUND));
        }
    });
    let input = wire.clone();
    offer.time(Task::DecodeRead, Memory::Fresh, "new messages", move || {
        let mut rest = black_box(&input).clone();
        while !rest.is_empty() {
            read(&M::decode(cut(&mut rest)).expect(SOUND));
        }
    });
    let mut buffer = LinkedBytes::with_capacity(wire.len());
    let mut encode = move |see: &mut dyn FnMut(&[u8])| {
        buffer.reset();
        for message in black_box(&messages) {
            message.encode_length_delimited(&mut EncodeLengthContext::default(), &mut buffer).expect(SOUND);
        }
        see(&in_one_piece(&buffer));
    };
    encode(&mut |encoded| offer.encoded("encode_length_delimited", encoded));
    offer.time(Task::Encode, Memory::Reused, "reset LinkedBytes", move || {
        encode(&mut |encoded| {
            black_box(encoded);
        });
    });
}

/// The first message of a stream, cut off by hand: `decode_length_delimited` does not say where the next one begins.
#[inline(always)]
fn cut(stream: &mut Bytes) -> Bytes {
    let len = ::prost::decode_length_delimiter(&mut *stream).expect(SOUND);
    stream.split_to(len)
}

fn by<M: Message + Default + Walk + 'static>(offer: &mut Offer) {
    // On the heap and counted, as the bytes of a socket would be, not `Bytes::from_static`.
    let wire = Bytes::copy_from_slice(offer.wire);
    let decoded = || M::decode(wire.clone()).expect(SOUND);
    let Some(message) = offer.decoded("decode", M::decode(wire.clone())) else { return };
    offer.encoded("encode_to_vec", &message.encode_to_vec(&mut EncodeLengthContext::default()));
    let len = message.encoded_len(&mut EncodeLengthContext::default());
    offer.encoded_len("encoded_len", len);
    stream(offer, || vec![decoded()]);

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
        black_box(&*in_one_piece(&buffer));
    });
    let message = decoded();
    let mut buffer = LinkedBytes::with_capacity(len);
    offer.time(Task::EncodePieces, Memory::Reused, "reset LinkedBytes", move || {
        buffer.reset();
        black_box(&message).encode(&mut buffer).expect(SOUND);
        black_box(buffer.len());
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
        black_box(&*in_one_piece(&buffer));
    });
    let input = wire.clone();
    let mut buffer = LinkedBytes::with_capacity(len);
    offer.time(Task::PassThroughPieces, Memory::Reused, "new message, reset LinkedBytes", move || {
        buffer.reset();
        M::decode(black_box(&input).clone()).expect(SOUND).encode(&mut buffer).expect(SOUND);
        black_box(buffer.len());
    });
}

/// What was encoded, which lies in pieces if some of it is referred to: those are copied together.
#[inline(always)]
fn in_one_piece(buffer: &LinkedBytes) -> Cow<'_, [u8]> {
    let last = buffer.bytes();
    if last.len() == buffer.len() { Cow::Borrowed(last) } else { Cow::Owned(buffer.concat().into()) }
}
