//! Google's own crate, `protobuf` 4, over its C library upb.

use std::hint::black_box;

use google_protobuf::{MapKey, MapValue, MapView, Message, ProtoStr, RepeatedView, Singular, View};

use super::SOUND;
use crate::generated::google as types;
use crate::generated::schema::{enums, group_messages, messages};
use crate::offer::{Library, Memory, Offer, Settings, Task, read};
use crate::payloads::{Payload, payloads_with_group};
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
    ($($payload:ident: $package:ident $google:ident $message:ident $view:ident $lazy:ident;)*) => {
        fn offer(payload: Payload, offer: &mut Offer) {
            match payload {
                $(Payload::$payload => by::<types::$google::$message>(offer),)*
                Payload::StringOneof => offer.gap(&Task::ALL, crate::libraries::NO_ONEOFS),
                Payload::CarLog | Payload::MarketLog => {}
            }
        }
    };
}
payloads_with_group!(offers);

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
    offer.gap(&[Task::BuildEncode], "building by hand is not written for this library.");

    offer.time(Task::Decode, Memory::Fresh, "new message", move || {
        black_box(&M::parse(black_box(wire)).ok().expect(SOUND));
    });
    offer.time(Task::DecodeRead, Memory::Fresh, "new message", move || {
        read(&parse(black_box(wire)).expect(SOUND));
    });
    let message = parse(wire).expect(SOUND);
    offer.time(Task::Read, Memory::Reused, "-", move || read(black_box(&message)));
    let message = parse(wire).expect(SOUND);
    offer.time(Task::Encode, Memory::Fresh, "new Vec", move || {
        black_box(black_box(&message.0).serialize().ok().expect(SOUND));
    });
    let message = parse(wire).expect(SOUND);
    offer.time(Task::EncodeToVec, Memory::Fresh, "new Vec", move || {
        black_box(black_box(&message.0).serialize().ok().expect(SOUND));
    });
    let message = parse(wire).expect(SOUND);
    offer.time(Task::EncodedLen, Memory::Reused, "-", move || {
        black_box(black_box(&message.0).serialized_len());
    });
    offer.time(Task::PassThrough, Memory::Fresh, "new message, new Vec", move || {
        black_box(M::parse(black_box(wire)).ok().expect(SOUND).serialize().ok().expect(SOUND));
    });
}
