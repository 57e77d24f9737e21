//! What each library is asked to do, once its answers are checked.

use std::error::Error;
use std::hint::black_box;

use defiant::json::{self, EncodeOptions};
use defiant::{Arena, Message as _};
use prost::Message as _;
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::check::difference;
use super::payload::{Car, Market, Orders, Payload, Subject};
use super::{BORROWED, BUFFA, BY_HAND, DEFIANT, PROST, REFLECT, generated};
use crate::loops::Loop;
use crate::offer::Memory;

const ENCODE: &str = "encode";
const DECODE: &str = "decode";
const SOUND: &str = "checked before it was timed";

/// The loops of a payload, with where their memory comes from; those of a task lie together.
pub(super) fn loops(payload: Payload) -> Result<Vec<(Loop, Memory)>, Box<dyn Error>> {
    let mut offers = match payload {
        Payload::Car => offers::<Car>(),
        Payload::Market => offers::<Market>(),
        Payload::Orders => offers::<Orders>(),
    }?;
    offers.sort_by_key(|(one, _)| one.task);
    Ok(offers)
}

fn offers<S: Subject>() -> Result<Vec<(Loop, Memory)>, Box<dyn Error>> {
    let wire: &'static [u8] = S::wire().leak();
    let home: &'static Arena = Box::leak(Box::new(Arena::new()));
    let message: &'static S::Defiant<'static> = home.alloc(S::Defiant::decode(wire, home)?);
    let text: &'static str = json::encode(message)?.leak();
    let mut offers = Offers { text, loops: Vec::new() };

    by_defiant::<S>(&mut offers, message, wire)?;

    let prost = S::Prost::decode(wire)?;
    offers.serde(PROST, prost, |message: &S::Prost| Some(message.encode_to_vec()), |wire| same::<S>(wire, message))?;
    let pool = DescriptorPool::decode(generated::DESCRIPTORS)?;
    let descriptor = pool.get_message_by_name(S::MESSAGE).ok_or("no such message")?;
    by_prost_reflect::<S>(&mut offers, descriptor, message, wire)?;
    let buffa = <S::Buffa as buffa::Message>::decode_from_slice(wire)?;
    let encode = |message: &S::Buffa| Some(buffa::Message::encode_to_vec(message));
    offers.serde(BUFFA, buffa, encode, |wire| same::<S>(wire, message))?;
    let by_hand: S::Owned = serde_json::from_str(text)?;
    offers.serde(BY_HAND, by_hand, |_| None, |_| Ok(()))?;
    borrowed::<S>(&mut offers)?;
    Ok(offers.loops)
}

/// Whether wire is that of the message.
fn same<S: Subject>(wire: &[u8], message: &S::Defiant<'static>) -> Result<(), Box<dyn Error>> {
    match S::Prost::decode(wire)? == S::Prost::decode(message.encode_to_vec().as_slice())? {
        true => Ok(()),
        false => Err("the wire of what was read is another message".into()),
    }
}

struct Offers {
    text: &'static str,
    loops: Vec<(Loop, Memory)>,
}

impl Offers {
    fn add(
        &mut self,
        task: &'static str,
        library: &'static str,
        variant: &'static str,
        memory: Memory,
        work: impl FnMut() + 'static,
    ) {
        let work = Box::new(work);
        self.loops.push((Loop { task, library, variant, bytes: self.text.len(), work }, memory));
    }

    /// Whether a text says the same as Defiant's.
    fn check(&self, library: &str, text: &str) -> Result<(), Box<dyn Error>> {
        match difference(self.text, text)? {
            Some(difference) => Err(format!("{library}: {difference}").into()),
            None => Ok(()),
        }
    }

    /// Writing with serde_json, anew and into what is kept.
    fn writing<M: Serialize + 'static>(&mut self, library: &'static str, message: M) -> Result<(), Box<dyn Error>> {
        self.check(library, &serde_json::to_string(&message)?)?;
        let message: &'static M = Box::leak(Box::new(message));
        self.add(ENCODE, library, "new String", Memory::Fresh, move || {
            black_box(serde_json::to_string(black_box(message)).expect(SOUND));
        });
        let mut bytes = Vec::new();
        self.add(ENCODE, library, "cleared Vec", Memory::Reused, move || {
            bytes.clear();
            serde_json::to_writer(&mut bytes, black_box(message)).expect(SOUND);
            black_box(bytes.as_slice());
        });
        Ok(())
    }

    /// Reading and writing a type with serde_json.
    fn serde<M: Serialize + DeserializeOwned + 'static>(
        &mut self,
        library: &'static str,
        message: M,
        wire: impl Fn(&M) -> Option<Vec<u8>>,
        same: impl Fn(&[u8]) -> Result<(), Box<dyn Error>>,
    ) -> Result<(), Box<dyn Error>> {
        let text = self.text;
        let decoded: M = serde_json::from_str(text)?;
        self.check(library, &serde_json::to_string(&decoded)?)?;
        wire(&decoded).map_or(Ok(()), |wire| same(&wire)).map_err(|wrong| format!("{library}: {wrong}"))?;
        self.writing(library, message)?;
        self.add(DECODE, library, "new message", Memory::Fresh, move || {
            black_box(serde_json::from_str::<M>(black_box(text)).expect(SOUND));
        });
        Ok(())
    }
}

fn by_defiant<S: Subject>(
    offers: &mut Offers,
    message: &'static S::Defiant<'static>,
    wire: &[u8],
) -> Result<(), Box<dyn Error>> {
    let text = offers.text;
    let arena = Arena::new();
    let copied: S::Defiant<'_> = json::decode(text, &arena)?;
    let borrowed: S::Defiant<'_> = json::decode_borrowed(text, &arena)?;
    let mut kept = String::new();
    EncodeOptions::new().encode_to(&copied, &mut kept)?;
    if kept != text || json::encode(&borrowed)? != text || json::encode_in(&copied, &arena)? != text {
        return Err("defiant: what was read is written otherwise".into());
    }
    for wire in [wire, &copied.encode_to_vec(), &borrowed.encode_to_vec()] {
        same::<S>(wire, message).map_err(|wrong| format!("defiant: {wrong}"))?;
    }

    offers.add(ENCODE, DEFIANT, "new String", Memory::Fresh, move || {
        black_box(json::encode(black_box(message)).expect(SOUND));
    });
    offers.add(ENCODE, DEFIANT, "cleared String", Memory::Reused, move || {
        kept.clear();
        EncodeOptions::new().encode_to(black_box(message), &mut kept).expect(SOUND);
        black_box(kept.as_str());
    });
    let mut arena = Arena::new();
    offers.add(ENCODE, DEFIANT, "encode_in, arena reset", Memory::Reused, move || {
        black_box(json::encode_in(black_box(message), &arena).expect(SOUND));
        arena.reset();
    });
    let mut arena = Arena::new();
    offers.add(DECODE, DEFIANT, "copied, arena reset", Memory::Reused, move || {
        black_box(&json::decode::<S::Defiant<'_>>(black_box(text), &arena).expect(SOUND));
        arena.reset();
    });
    let mut arena = Arena::new();
    offers.add(DECODE, DEFIANT, "borrowed, arena reset", Memory::Reused, move || {
        black_box(&json::decode_borrowed::<S::Defiant<'_>>(black_box(text), &arena).expect(SOUND));
        arena.reset();
    });
    offers.add(DECODE, DEFIANT, "copied, fresh arena", Memory::Fresh, move || {
        let arena = Arena::new();
        black_box(&json::decode::<S::Defiant<'_>>(black_box(text), &arena).expect(SOUND));
    });
    Ok(())
}

fn by_prost_reflect<S: Subject>(
    offers: &mut Offers,
    descriptor: MessageDescriptor,
    message: &S::Defiant<'static>,
    wire: &[u8],
) -> Result<(), Box<dyn Error>> {
    fn decode(descriptor: &MessageDescriptor, text: &str) -> Result<DynamicMessage, serde_json::Error> {
        let mut reader = serde_json::Deserializer::from_str(text);
        let message = DynamicMessage::deserialize(descriptor.clone(), &mut reader)?;
        reader.end().map(|()| message)
    }
    let text = offers.text;
    let decoded = decode(&descriptor, text)?;
    offers.check(REFLECT, &serde_json::to_string(&decoded)?)?;
    same::<S>(&decoded.encode_to_vec(), message).map_err(|wrong| format!("{REFLECT}: {wrong}"))?;
    offers.writing(REFLECT, DynamicMessage::decode(descriptor.clone(), wire)?)?;
    offers.add(DECODE, REFLECT, "new message", Memory::Fresh, move || {
        black_box(decode(&descriptor, black_box(text)).expect(SOUND));
    });
    Ok(())
}

fn borrowed<S: Subject>(offers: &mut Offers) -> Result<(), Box<dyn Error>> {
    let text = offers.text;
    offers.check(BORROWED, &serde_json::to_string(&serde_json::from_str::<S::Borrowed<'_>>(text)?)?)?;
    offers.add(DECODE, BORROWED, "new message", Memory::Fresh, move || {
        black_box(serde_json::from_str::<S::Borrowed<'_>>(black_box(text)).expect(SOUND));
    });
    Ok(())
}
