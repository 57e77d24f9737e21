//! Google's own crate, `protobuf` 4, over its C library upb.
#![cfg(feature = "peers")]

use std::hint::black_box;

use google_protobuf::{MapKey, MapValue, MapView, Message, ProtoStr, RepeatedView, Singular, View};

use super::{SOUND, cut, streams};
use crate::appends::Append;
use crate::changes::{Change, LABEL, SEQUENCE, TEXT};
use crate::generated::google as types;
use crate::generated::schema::{enums, group_messages, messages, oneofs};
use crate::offer::{Library, Memory, Offer, Settings, Task, read};
use crate::payloads::{Payload, payloads};
use crate::walk::{Scalar, Visitor, Walk, walk_entries};

pub(super) const LIBRARY: Library = Library {
    name: "google-upb",
    package: "protobuf@4",
    settings: Settings {
        strings: "copied into the arena of the message; upb without its fast tables, as the crate builds it",
        utf8: "checked in proto3 only",
        unknown: "kept",
        memory: "none: the arena of a message only grows, and an encoding is a new Vec",
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
        $self.$field().walk($visitor)
    };
    (oneof $self:ident $visitor:ident $field:ident $has:ident) => {
        $self.$field().walk($visitor)
    };
    (implicit $self:ident $visitor:ident $field:ident $has:ident) => {
        $self.$field().walk($visitor)
    };
    ($other:ident $self:ident $visitor:ident $field:ident $has:ident) => {
        match $self.$has() {
            true => $self.$field().walk($visitor),
            false => $visitor.absent(),
        }
    };
}

macro_rules! walks {
    (
        $package:ident $google:ident $path:tt [$($view:tt)*] $lazy:tt
        { $($field:ident $has:ident $shape:ident;)* }
    ) => {
        impl Walk for types::$google::$($view)*<'_> {
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
group_messages!(walks);

macro_rules! walk_enums {
    ($package:ident $google:ident $name:ident) => {
        impl Walk for types::$google::$name {
            #[inline(always)]
            fn walk<V: Visitor>(&self, visitor: &mut V) {
                visitor.scalar(Scalar::Int(i32::from(*self).into()));
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
        impl Walk for types::$google::$message::$view<'_> {
            #[inline(always)]
            fn walk<V: Visitor>(&self, visitor: &mut V) {
                match self {
                    $(Self::$member(value) => value.walk(visitor),)*
                    _ => visitor.absent(),
                }
            }
        }
    };
}
oneofs!(walk_oneofs);

impl Walk for ProtoStr {
    #[inline(always)]
    fn walk<V: Visitor>(&self, visitor: &mut V) {
        visitor.bytes(self.as_bytes());
    }
}

impl<'a, T: Singular> Walk for RepeatedView<'a, T>
where
    View<'a, T>: Walk,
{
    #[inline(always)]
    fn walk<V: Visitor>(&self, visitor: &mut V) {
        visitor.list(self.len());
        for (index, value) in self.iter().enumerate() {
            visitor.element(index);
            value.walk(visitor);
        }
    }
}

impl<'a, K: MapKey, T: MapValue> Walk for MapView<'a, K, T>
where
    View<'a, K>: Walk,
    View<'a, T>: Walk,
{
    #[inline(always)]
    fn walk<V: Visitor>(&self, visitor: &mut V) {
        walk_entries(visitor, self.len(), self.iter());
    }
}

/// A message that is walked over through its view.
struct Seen<M>(M);

impl<M: Message> Walk for Seen<M>
where
    for<'a> View<'a, M>: Walk,
{
    #[inline(always)]
    fn walk<V: Visitor>(&self, visitor: &mut V) {
        google_protobuf::AsView::as_view(&self.0).walk(visitor);
    }
}

macro_rules! offers {
    (
        logs { $($log:ident: $log_package:ident $log_google:ident $of:ident $log_view:ident;)* }
        $($payload:ident: $package:ident $google:ident $message:ident $view:ident $lazy:ident;)*
    ) => {
        fn offer(payload: Payload, offer: &mut Offer) {
            match payload {
                $(Payload::$payload => by::<types::$google::$message>(offer),)*
                $(Payload::$log => log::<types::$log_google::$of>(offer),)*
            }
            match payload {
                Payload::Inputs => update::<types::inputs_proto::Inputs>(offer),
                Payload::StringHeavy => update::<types::protokt_proto::StringHeavySet>(offer),
                Payload::RemoteWrite => update::<types::prometheus_proto::WriteRequest>(offer),
                _ => {}
            }
            match payload {
                Payload::GenericSmall => append::<types::generic_proto::SmallSet>(offer),
                Payload::StringRepeated => append::<types::protokt_proto::StringRepeated>(offer),
                Payload::StringMap => append::<types::protokt_proto::StringMap>(offer),
                _ => {}
            }
        }
    };
}
payloads!(offers);

impl Change for types::inputs_proto::Inputs {
    fn change(&mut self) {
        for index in 0..self.inputs().len() {
            let mut inputs = self.inputs_mut();
            let Some(mut input) = inputs.get_mut(index) else { continue };
            let amount = input.amount();
            input.set_amount(amount + 1);
            input.set_sequence(SEQUENCE);
        }
    }
}

impl Change for types::protokt_proto::StringHeavySet {
    fn change(&mut self) {
        for index in 0..self.payloads().len() {
            let mut payloads = self.payloads_mut();
            let Some(mut texts) = payloads.get_mut(index) else { continue };
            texts.set_second(TEXT);
        }
    }
}

impl Change for types::prometheus_proto::WriteRequest {
    fn change(&mut self) {
        for index in 0..self.timeseries().len() {
            let mut timeseries = self.timeseries_mut();
            let Some(mut series) = timeseries.get_mut(index) else { continue };
            let mut labels = series.labels_mut();
            let mut label = labels.push_default();
            label.set_name(LABEL[0]);
            label.set_value(LABEL[1]);
        }
    }
}

fn update<M: Message + Change + 'static>(offer: &mut Offer) {
    let wire = offer.wire;
    offer.update(Memory::Fresh, "new message, new Vec", move |see| {
        let mut message = M::parse(black_box(wire)).expect(SOUND);
        message.change();
        see(&message.serialize().expect(SOUND));
    });
}

impl Append for types::generic_proto::SmallSet {
    fn with(&self, text: &'static str) -> Self {
        let mut copy = self.clone();
        let mut payloads = copy.payloads_mut();
        let mut payload = payloads.push_default();
        payload.set_field1(text);
        payload.set_field3(0.5);
        copy
    }
}

impl Append for types::protokt_proto::StringRepeated {
    fn with(&self, text: &'static str) -> Self {
        let mut copy = self.clone();
        copy.entries_mut().push(text);
        copy
    }
}

impl Append for types::protokt_proto::StringMap {
    fn with(&self, text: &'static str) -> Self {
        let mut copy = self.clone();
        copy.entries_mut().insert(text, text);
        copy
    }
}

fn append<M: Message + Append + 'static>(offer: &mut Offer) {
    let message = M::parse(offer.wire).expect(SOUND);
    offer.append(Memory::Fresh, "clones, new Vec", move |see| {
        see(&black_box(&message).appended().serialize().expect(SOUND));
    });
}

fn stream<M: Message + 'static>(offer: &mut Offer, messages: impl FnOnce() -> Vec<Seen<M>>) {
    streams::read(offer, Memory::Fresh, "Vec, new messages", |frame| {
        black_box(&M::parse(frame).expect(SOUND));
    });
    streams::write(offer, Memory::Fresh, "new Vecs, BufWriter", messages, |message: &Seen<M>, stream| {
        let encoded = message.0.serialize().expect(SOUND);
        let mut len = Vec::with_capacity(10);
        ::prost::encode_length_delimiter(encoded.len(), &mut len).expect(SOUND);
        stream.write_all(&len).and_then(|()| stream.write_all(&encoded)).expect(SOUND);
    });
}

fn log<M: Message + google_protobuf::AsView<Proxied = M> + 'static>(offer: &mut Offer)
where
    for<'a> View<'a, M>: Walk,
{
    let wire = offer.wire;
    let parse = |wire: &[u8]| M::parse(wire).map(Seen).map_err(|_| "a message does not parse");
    let delimited = |mut wire: &[u8]| {
        let mut messages = Vec::new();
        while !wire.is_empty() {
            messages.push(parse(cut(&mut wire))?);
        }
        Ok::<_, &str>(messages)
    };
    let Some(messages) = offer.decoded("parse", delimited(wire)) else { return };
    stream(offer, || delimited(wire).expect(SOUND));
    offer.time(Task::Decode, Memory::Fresh, "new messages", move || {
        let mut rest = black_box(wire);
        while !rest.is_empty() {
            black_box(&M::parse(cut(&mut rest)).expect(SOUND));
        }
    });
    offer.time(Task::DecodeRead, Memory::Fresh, "new messages", move || {
        let mut rest = black_box(wire);
        while !rest.is_empty() {
            read(&parse(cut(&mut rest)).expect(SOUND));
        }
    });
    let mut buffer = Vec::with_capacity(wire.len());
    let mut encode = move |see: &mut dyn FnMut(&[u8])| {
        buffer.clear();
        for message in black_box(&messages) {
            let encoded = message.0.serialize().expect(SOUND);
            ::prost::encode_length_delimiter(encoded.len(), &mut buffer).expect(SOUND);
            buffer.extend_from_slice(&encoded);
        }
        see(&buffer);
    };
    encode(&mut |encoded| offer.encoded("serialize", encoded));
    offer.time(Task::Encode, Memory::Reused, "new Vecs, cleared Vec", move || {
        encode(&mut |encoded| {
            black_box(encoded);
        });
    });
}

fn by<M: Message + google_protobuf::AsView<Proxied = M> + 'static>(offer: &mut Offer)
where
    for<'a> View<'a, M>: Walk,
{
    let wire = offer.wire;
    let parse = |wire: &[u8]| M::parse(wire).map(Seen).map_err(|_| "the message does not parse");
    let Some(message) = offer.decoded("parse", parse(wire)) else { return };
    match message.0.serialize() {
        Ok(encoded) => offer.encoded("serialize", &encoded),
        Err(_) => offer.gap(Task::OF_ENCODING, "serialize fails."),
    }
    offer.encoded_len("serialized_len", message.0.serialized_len());
    stream(offer, || vec![parse(wire).expect(SOUND)]);
    offer.gap(&[Task::BuildEncode], "building by hand is not written for this library.");

    offer.time(Task::Decode, Memory::Fresh, "new message", move || {
        black_box(&M::parse(black_box(wire)).expect(SOUND));
    });
    offer.time(Task::DecodeRead, Memory::Fresh, "new message", move || {
        read(&parse(black_box(wire)).expect(SOUND));
    });
    let message = parse(wire).expect(SOUND);
    offer.time(Task::Read, Memory::Reused, "-", move || read(black_box(&message)));
    let message = parse(wire).expect(SOUND);
    offer.time(Task::Encode, Memory::Fresh, "new Vec", move || {
        black_box(black_box(&message.0).serialize().expect(SOUND));
    });
    let message = parse(wire).expect(SOUND);
    offer.time(Task::EncodeToVec, Memory::Fresh, "new Vec", move || {
        black_box(black_box(&message.0).serialize().expect(SOUND));
    });
    let message = parse(wire).expect(SOUND);
    offer.time(Task::EncodedLen, Memory::Reused, "-", move || {
        black_box(black_box(&message.0).serialized_len());
    });
    offer.time(Task::PassThrough, Memory::Fresh, "new message, new Vec", move || {
        black_box(M::parse(black_box(wire)).expect(SOUND).serialize().expect(SOUND));
    });
}
