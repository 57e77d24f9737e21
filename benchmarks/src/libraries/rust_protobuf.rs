//! rust-protobuf 3, the crate `protobuf` before it was Google's, with strings that share the memory of the input.
#![cfg(feature = "peers")]

use std::hint::black_box;
use std::io::BufReader;

use bytes::Bytes;
use rust_protobuf::{Chars, CodedInputStream, Enum, EnumOrUnknown, Message, MessageField};

use super::{SOUND, streams};
use crate::appends::{Append, appends};
use crate::changes::{Change, changes};
use crate::generated::rust_protobuf as types;
use crate::generated::schema::{messages, oneofs};
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
        descriptors as descriptors_proto, families as families_proto, generic as generic_proto, inputs as inputs_proto,
        message1_proto2 as message1_proto2_proto, message1_proto3 as message1_proto3_proto, oneofs as oneofs_proto,
        prometheus as prometheus_proto, protokt as protokt_proto, quickbuffers as quickbuffers_proto,
        shapes as shapes_proto, sparse as sparse_proto, telemetry as telemetry_proto,
    };
}

macro_rules! offers {
    (
        logs { $($log:ident: $log_package:ident $log_google:ident $of:ident $log_view:ident;)* }
        $($payload:ident: $package:ident $google:ident $message:ident $view:ident $lazy:ident;)*
    ) => {
        fn offer(payload: Payload, offer: &mut Offer) {
            match payload {
                $(Payload::$payload => by::<modules::$google::$message>(offer),)*
                $(Payload::$log => log::<types::$log_package::$of>(offer),)*
                Payload::Message2 => {
                    offer.gap(&Task::ALL, "protobuf-codegen 3 leaves the field of a group out, so there is nothing to decode it into.");
                }
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

changes!(crate::generated::rust_protobuf, [], |text| text.into());

fn update<M: Message + Change + 'static>(offer: &mut Offer) {
    let (wire, mut message, mut buffer) = (Bytes::copy_from_slice(offer.wire), M::new(), Vec::new());
    offer.update(Memory::Reused, "cleared and merged, cleared Vec", move |see| {
        message.clear();
        message.merge_from_bytes(black_box(&wire)).expect(SOUND);
        message.change();
        buffer.clear();
        message.write_to_vec(&mut buffer).expect(SOUND);
        see(&buffer);
    });
}

appends!(crate::generated::rust_protobuf, [], |text| text.into());

fn append<M: Message + Append + 'static>(offer: &mut Offer) {
    let wire = Bytes::copy_from_slice(offer.wire);
    let (message, mut buffer) = (M::parse_from_tokio_bytes(&wire).expect(SOUND), Vec::new());
    offer.append(Memory::Fresh, "clones, cleared Vec", move |see| {
        buffer.clear();
        black_box(&message).appended().write_to_vec(&mut buffer).expect(SOUND);
        see(&buffer);
    });
}

fn stream<M: Message + 'static>(offer: &mut Offer, messages: impl FnOnce() -> Vec<M>) {
    let wire = offer.payload.stream();
    offer.time(Task::ReadStream, Memory::Fresh, "BufReader, new messages", move || {
        let mut reader = BufReader::new(black_box(wire));
        let mut stream = CodedInputStream::from_buf_read(&mut reader);
        while !stream.eof().expect(SOUND) {
            black_box(&stream.read_message::<M>().expect(SOUND));
        }
    });
    let mut message = M::new();
    offer.time(Task::ReadStream, Memory::Reused, "BufReader, cleared and merged", move || {
        let mut reader = BufReader::new(black_box(wire));
        let mut stream = CodedInputStream::from_buf_read(&mut reader);
        while !stream.eof().expect(SOUND) {
            message.clear();
            stream.merge_message(&mut message).expect(SOUND);
            black_box(&message);
        }
    });
    streams::write(offer, Memory::Reused, "BufWriter", messages, |message: &M, stream| {
        message.write_length_delimited_to_writer(stream).expect(SOUND);
    });
}

fn log<M: Message + Walk + 'static>(offer: &mut Offer) {
    let wire = Bytes::copy_from_slice(offer.wire);
    let delimited = |wire: &Bytes| {
        let (mut stream, mut messages) = (CodedInputStream::from_tokio_bytes(wire), Vec::new());
        while !stream.eof()? {
            messages.push(stream.read_message::<M>()?);
        }
        Ok::<_, rust_protobuf::Error>(messages)
    };
    let Some(messages) = offer.decoded("read_message", delimited(&wire)) else { return };
    stream(offer, || delimited(&wire).expect(SOUND));
    let input = wire.clone();
    offer.time(Task::Decode, Memory::Fresh, "new messages", move || {
        let mut stream = CodedInputStream::from_tokio_bytes(black_box(&input));
        while !stream.eof().expect(SOUND) {
            black_box(&stream.read_message::<M>().expect(SOUND));
        }
    });
    let (input, mut message) = (wire.clone(), M::new());
    offer.time(Task::Decode, Memory::Reused, "cleared and merged", move || {
        let mut stream = CodedInputStream::from_tokio_bytes(black_box(&input));
        while !stream.eof().expect(SOUND) {
            message.clear();
            stream.merge_message(&mut message).expect(SOUND);
            black_box(&message);
        }
    });
    let input = wire.clone();
    offer.time(Task::DecodeRead, Memory::Fresh, "new messages", move || {
        let mut stream = CodedInputStream::from_tokio_bytes(black_box(&input));
        while !stream.eof().expect(SOUND) {
            read(&stream.read_message::<M>().expect(SOUND));
        }
    });
    let mut message = M::new();
    offer.time(Task::DecodeRead, Memory::Reused, "cleared and merged", move || {
        let mut stream = CodedInputStream::from_tokio_bytes(black_box(&wire));
        while !stream.eof().expect(SOUND) {
            message.clear();
            stream.merge_message(&mut message).expect(SOUND);
            read(&message);
        }
    });
    let mut buffer = Vec::with_capacity(offer.wire.len());
    let mut encode = move |see: &mut dyn FnMut(&[u8])| {
        buffer.clear();
        for message in black_box(&messages) {
            message.write_length_delimited_to_vec(&mut buffer).expect(SOUND);
        }
        see(&buffer);
    };
    encode(&mut |encoded| offer.encoded("write_length_delimited_to_vec", encoded));
    offer.time(Task::Encode, Memory::Reused, "cleared Vec", move || {
        encode(&mut |encoded| {
            black_box(encoded);
        });
    });
}

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
    stream(offer, || vec![decoded()]);

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
    let (input, mut message) = (wire.clone(), M::new());
    offer.time(Task::DecodeRead, Memory::Reused, "cleared and merged", move || {
        message.clear();
        message.merge_from_bytes(black_box(&input)).expect(SOUND);
        read(&message);
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
