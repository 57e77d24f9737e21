//! buffa 0.9: owned messages, views that borrow from the input, and lazy views that put sub-messages off.
#![cfg(feature = "peers")]

use std::hint::black_box;

use buffa::{
    DecodeError, EnumValue, Enumeration, LazyMessageFieldView, LazyMessageView, LazyRepeatedView, MapView, Message,
    MessageField, MessageFieldView, MessageView, ProtoBox, RepeatedView, SizeCache, ViewEncode,
};

use super::{SOUND, streams};
use crate::appends::{Append, appends};
use crate::changes::{Change, changes};
use crate::generated::buffa as types;
use crate::generated::schema::{enums, group_messages, messages, oneofs};
use crate::offer::{Library, Memory, Offer, Settings, Task, read};
use crate::payloads::{Payload, payloads};
use crate::walk::{Scalar, Visitor, Walk, walk_entries, walk_fields};

pub(super) const OWNED: Library = Library {
    name: "buffa",
    package: "buffa",
    settings: Settings {
        strings: "each copied into a String of its own",
        utf8: "checked",
        unknown: "kept",
        memory: "message cleared and merged into",
    },
    lazy: false,
    offer: |payload, offer| ask(payload, offer, Kind::Owned),
};

pub(super) const VIEW: Library = Library {
    name: "buffa-view",
    package: "buffa",
    settings: Settings {
        strings: "borrowed from the input; maps are lists of their entries",
        utf8: "checked",
        unknown: "kept",
        memory: "buffer of an encoding only",
    },
    lazy: false,
    offer: |payload, offer| ask(payload, offer, Kind::View),
};

pub(super) const LAZY: Library = Library {
    name: "buffa-lazy",
    package: "buffa",
    settings: Settings {
        strings: "borrowed from the input; sub-messages are decoded when read, each time",
        utf8: "checked, in sub-messages when read",
        unknown: "kept",
        memory: "none",
    },
    lazy: true,
    offer: |payload, offer| ask(payload, offer, Kind::Lazy),
};

#[derive(Clone, Copy)]
enum Kind {
    Owned,
    View,
    Lazy,
}

macro_rules! walks {
    ($package:ident $google:ident [$($path:tt)*] [$($view:tt)*] [$($lazy:tt)*] $fields:tt) => {
        walk_fields! { types::$package::$($path)* $fields }
        walk_fields! { types::$package::__buffa::view::$($view)*<'_> $fields }
        walk_fields! { types::$package::__buffa::lazy_view::$($lazy)*<'_> $fields }
    };
}
messages!(walks);
group_messages!(walks);

macro_rules! walk_enums {
    ($package:ident $google:ident $name:ident) => {
        impl Walk for types::$package::$name {
            #[inline(always)]
            fn walk<V: Visitor>(&self, visitor: &mut V) {
                visitor.scalar(Scalar::Int(self.to_i32().into()));
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
        impl Walk for types::$package::__buffa::oneof::$message::$oneof {
            #[inline(always)]
            fn walk<V: Visitor>(&self, visitor: &mut V) {
                match self {
                    $(Self::$member(value) => value.walk(visitor),)*
                }
            }
        }
        impl Walk for types::$package::__buffa::view::oneof::$message::$oneof<'_> {
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

impl<E: Enumeration> Walk for EnumValue<E> {
    #[inline(always)]
    fn walk<V: Visitor>(&self, visitor: &mut V) {
        visitor.scalar(Scalar::Int(self.to_i32().into()));
    }
}

impl<T: Walk + Default, P: ProtoBox<T>> Walk for MessageField<T, P> {
    #[inline(always)]
    fn walk<V: Visitor>(&self, visitor: &mut V) {
        self.as_option().walk(visitor);
    }
}

impl<T: Walk> Walk for MessageFieldView<T> {
    #[inline(always)]
    fn walk<V: Visitor>(&self, visitor: &mut V) {
        self.as_option().walk(visitor);
    }
}

impl<T: Walk> Walk for RepeatedView<'_, T> {
    #[inline(always)]
    fn walk<V: Visitor>(&self, visitor: &mut V) {
        (**self).walk(visitor);
    }
}

impl<K: Walk, T: Walk> Walk for MapView<'_, K, T> {
    #[inline(always)]
    fn walk<V: Visitor>(&self, visitor: &mut V) {
        walk_entries(visitor, self.len(), self.iter().map(|(key, value)| (key, value)));
    }
}

impl<'a, T: Walk + LazyMessageView<'a>> Walk for LazyMessageFieldView<'a, T> {
    #[inline(always)]
    fn walk<V: Visitor>(&self, visitor: &mut V) {
        self.get().expect(SOUND).walk(visitor);
    }
}

impl<'a, T: Walk + LazyMessageView<'a>> Walk for LazyRepeatedView<'a, T> {
    #[inline(always)]
    fn walk<V: Visitor>(&self, visitor: &mut V) {
        visitor.list(self.len());
        for (index, value) in self.iter().enumerate() {
            visitor.element(index);
            value.expect(SOUND).walk(visitor);
        }
    }
}

/// The three types of a message, lifetimes left open.
trait Family: 'static {
    type Owned: Message + Default + Walk + 'static;
    type View<'a>: MessageView<'a> + ViewEncode<'a> + Walk;
    type Lazy<'a>: LazyMessageView<'a> + Walk;
}

macro_rules! offers {
    (
        logs { $($log:ident: $log_package:ident $log_google:ident $of:ident $log_view:ident;)* }
        $($payload:ident: $package:ident $google:ident $message:ident $view:ident $lazy:ident;)*
    ) => {
        fn ask(payload: Payload, offer: &mut Offer, kind: Kind) {
            match payload {
                $(Payload::$payload => {
                    struct This;
                    impl Family for This {
                        type Owned = types::$package::$message;
                        type View<'a> = types::$package::__buffa::view::$view<'a>;
                        type Lazy<'a> = types::$package::__buffa::lazy_view::$lazy<'a>;
                    }
                    match kind {
                        Kind::Owned => owned::<This>(offer),
                        Kind::View => view::<This>(offer),
                        Kind::Lazy => lazy::<This>(offer),
                    }
                })*
                // Views have no reader of streams.
                $(Payload::$log if matches!(kind, Kind::Owned) => log::<types::$log_package::$of>(offer),)*
                $(Payload::$log => {})*
            }
            if !matches!(kind, Kind::Owned) {
                offer.gap(&[Task::Update, Task::Append], "a view is not for changing.");
                return;
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
payloads!(offers);

fn owned<F: Family>(offer: &mut Offer) {
    let wire = offer.wire;
    let decoded = || F::Owned::decode_from_slice(wire).expect(SOUND);
    let Some(message) = offer.decoded("decode_from_slice", F::Owned::decode_from_slice(wire)) else { return };
    offer.encoded("encode_to_vec", &message.encode_to_vec());
    offer.encoded_len("encoded_len", message.encoded_len() as usize);
    stream(offer, || vec![decoded()]);

    offer.time(Task::Decode, Memory::Fresh, "new message", move || {
        black_box(&F::Owned::decode_from_slice(black_box(wire)).expect(SOUND));
    });
    let mut message = F::Owned::default();
    offer.time(Task::Decode, Memory::Reused, "cleared and merged", move || {
        message.clear();
        message.merge_from_slice(black_box(wire)).expect(SOUND);
        black_box(&message);
    });
    offer.time(Task::DecodeRead, Memory::Fresh, "new message", move || {
        read(&F::Owned::decode_from_slice(black_box(wire)).expect(SOUND));
    });
    let mut message = F::Owned::default();
    offer.time(Task::DecodeRead, Memory::Reused, "cleared and merged", move || {
        message.clear();
        message.merge_from_slice(black_box(wire)).expect(SOUND);
        read(&message);
    });
    let message = decoded();
    offer.time(Task::Read, Memory::Reused, "-", move || read(black_box(&message)));

    let (message, mut sizes) = (decoded(), SizeCache::new());
    let mut buffer = Vec::with_capacity(wire.len());
    offer.time(Task::Encode, Memory::Reused, "cleared Vec, kept sizes", move || {
        buffer.clear();
        black_box(&message).encode_with_cache(&mut sizes, &mut buffer);
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
    let (mut message, mut sizes, mut buffer) = (F::Owned::default(), SizeCache::new(), Vec::with_capacity(wire.len()));
    offer.time(Task::PassThrough, Memory::Reused, "cleared and merged, cleared Vec, kept sizes", move || {
        message.clear();
        message.merge_from_slice(black_box(wire)).expect(SOUND);
        buffer.clear();
        message.encode_with_cache(&mut sizes, &mut buffer);
        black_box(buffer.as_slice());
    });
    by_hand(offer);
}

changes!(crate::generated::buffa, [], |text| text.to_owned());

fn update<M: Message + Default + Change + 'static>(offer: &mut Offer) {
    let (wire, mut message) = (offer.wire, M::default());
    let (mut sizes, mut buffer) = (SizeCache::new(), Vec::new());
    offer.update(Memory::Reused, "cleared and merged, cleared Vec, kept sizes", move |see| {
        message.clear();
        message.merge_from_slice(black_box(wire)).expect(SOUND);
        message.change();
        buffer.clear();
        message.encode_with_cache(&mut sizes, &mut buffer);
        see(&buffer);
    });
}

appends!(crate::generated::buffa, [], |text| text.to_owned());

fn append<M: Message + Default + Append + 'static>(offer: &mut Offer) {
    let message = M::decode_from_slice(offer.wire).expect(SOUND);
    let (mut sizes, mut buffer) = (SizeCache::new(), Vec::new());
    offer.append(Memory::Fresh, "clones, cleared Vec, kept sizes", move |see| {
        buffer.clear();
        black_box(&message).appended().encode_with_cache(&mut sizes, &mut buffer);
        see(&buffer);
    });
}

/// The messages of a stream.
fn delimited<M: Message + Default>(mut wire: &[u8]) -> Result<Vec<M>, DecodeError> {
    let mut messages = Vec::new();
    while !wire.is_empty() {
        messages.push(M::decode_length_delimited(&mut wire)?);
    }
    Ok(messages)
}

/// The next message behind its length, which the library merges into a message in other messages only.
fn next<'w>(wire: &mut &'w [u8]) -> &'w [u8] {
    let len = buffa::encoding::decode_varint(wire).expect(SOUND);
    let (message, rest) = wire.split_at(len as usize);
    *wire = rest;
    message
}

fn stream<M: Message + Default + 'static>(offer: &mut Offer, messages: impl FnOnce() -> Vec<M>) {
    streams::read(offer, Memory::Fresh, "Vec, new messages", |frame| {
        black_box(&M::decode_from_slice(frame).expect(SOUND));
    });
    let mut message = M::default();
    streams::read(offer, Memory::Reused, "Vec, cleared and merged", move |frame| {
        message.clear();
        message.merge_from_slice(frame).expect(SOUND);
        black_box(&message);
    });
    let mut buffer = Vec::new();
    streams::write(offer, Memory::Reused, "cleared Vec, BufWriter", messages, move |message: &M, stream| {
        buffer.clear();
        message.encode_length_delimited(&mut buffer);
        stream.write_all(&buffer).expect(SOUND);
    });
}

fn log<M: Message + Default + Walk + 'static>(offer: &mut Offer) {
    let wire = offer.wire;
    let Some(messages) = offer.decoded("decode_length_delimited", delimited::<M>(wire)) else { return };
    stream(offer, || delimited::<M>(wire).expect(SOUND));
    let mut buffer = Vec::with_capacity(wire.len());
    for message in &messages {
        message.encode_length_delimited(&mut buffer);
    }
    offer.encoded("encode_length_delimited", &buffer);

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
            message.merge_from_slice(next(&mut rest)).expect(SOUND);
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
            message.merge_from_slice(next(&mut rest)).expect(SOUND);
            read(&message);
        }
    });
    offer.time(Task::Encode, Memory::Reused, "cleared Vec", move || {
        buffer.clear();
        for message in black_box(&messages) {
            message.encode_length_delimited(&mut buffer);
        }
        black_box(buffer.as_slice());
    });
}

fn view<F: Family>(offer: &mut Offer) {
    let wire = offer.wire;
    let decoded = || F::View::<'static>::decode_view(wire).expect(SOUND);
    let Some(message) = offer.decoded("decode_view", F::View::<'static>::decode_view(wire)) else { return };
    offer.encoded("encode_to_vec", &message.encode_to_vec());
    offer.encoded_len("encoded_len", message.encoded_len() as usize);

    offer.time(Task::Decode, Memory::Fresh, "new view", move || {
        black_box(&F::View::decode_view(black_box(wire)).expect(SOUND));
    });
    offer.time(Task::DecodeRead, Memory::Fresh, "new view", move || {
        read(&F::View::decode_view(black_box(wire)).expect(SOUND));
    });
    let message = decoded();
    offer.time(Task::Read, Memory::Reused, "-", move || read(black_box(&message)));
    let (message, mut sizes) = (decoded(), SizeCache::new());
    let mut buffer = Vec::with_capacity(wire.len());
    offer.time(Task::Encode, Memory::Reused, "cleared Vec, kept sizes", move || {
        buffer.clear();
        black_box(&message).encode_with_cache(&mut sizes, &mut buffer);
        black_box(buffer.as_slice());
    });
    let message = decoded();
    offer.time(Task::EncodedLen, Memory::Reused, "-", move || {
        black_box(black_box(&message).encoded_len());
    });
    let (mut sizes, mut buffer) = (SizeCache::new(), Vec::with_capacity(wire.len()));
    offer.time(Task::PassThrough, Memory::Reused, "new view, cleared Vec, kept sizes", move || {
        buffer.clear();
        F::View::decode_view(black_box(wire)).expect(SOUND).encode_with_cache(&mut sizes, &mut buffer);
        black_box(buffer.as_slice());
    });
}

fn lazy<F: Family>(offer: &mut Offer) {
    let wire = offer.wire;
    if offer.decoded("decode_lazy", F::Lazy::<'static>::decode_lazy(wire)).is_none() {
        return;
    }
    offer.time(Task::Decode, Memory::Fresh, "new lazy view", move || {
        black_box(&F::Lazy::decode_lazy(black_box(wire)).expect(SOUND));
    });
    offer.time(Task::DecodeRead, Memory::Fresh, "new lazy view", move || {
        read(&F::Lazy::decode_lazy(black_box(wire)).expect(SOUND));
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

    fn child<M: Default, P: ProtoBox<M>>(self, message: M) -> MessageField<M, P> {
        MessageField::some(message)
    }

    fn value<E, T: From<E>>(self, value: E) -> T {
        T::from(value)
    }
}

fn by_hand(offer: &mut Offer) {
    let (mut buffer, mut sizes) = (Vec::new(), SizeCache::new());
    built_by_hand!(
        offer,
        crate::generated::buffa::quickbuffers,
        camel,
        "new message, cleared Vec",
        hand = Hand,
        |message| {
            buffer.clear();
            black_box(&message).encode_with_cache(&mut sizes, &mut buffer);
            buffer.as_slice()
        }
    );
}
