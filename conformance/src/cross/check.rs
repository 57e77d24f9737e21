//! One case: what has to hold of one message.

use defiant::reflect::{DynamicMessage, MessageRef, MessageType, Resolver};
use defiant::{Arena, json, text};
use serde::de::DeserializeSeed;

use super::compare::{Comparison, Loss};
use super::random::Random;
use super::{Counts, Format, World, form, generate};

/// Of what the messages of a case are: structs, or types of the pool.
struct Side<'c> {
    ty: MessageType<'c>,
    resolver: &'c dyn Resolver,
}

/// A message, and what it is read with.
type Kept<'c> = (DynamicMessage<'c>, MessageRef<'c>);

pub(super) struct Check<'c> {
    sides: [Side<'c>; 2],
    arena: &'c Arena,
    counts: &'c mut Counts,
}

/// Makes a case of a seed and looks at it; `Err` says what is wrong.
pub(super) fn case(
    world: &World,
    common: &dyn Resolver,
    seed: u64,
    arena: &Arena,
    counts: &mut Counts,
) -> Result<(), String> {
    generated(world, common, Random::new(seed), arena, counts)
}

/// Makes a case of such numbers, and looks at it.
pub(super) fn generated(
    world: &World,
    common: &dyn Resolver,
    mut random: Random<'_>,
    arena: &Arena,
    counts: &mut Counts,
) -> Result<(), String> {
    let name = random.pick(&world.subjects);
    let wire = message(world, name, &mut random)?;
    let mut check = Check::of(world, common, name, arena, counts)?;
    check.wire(&wire, &mut random).map_err(|what| format!("{name} of the wire {}: {what}", hexadecimal(&wire)))
}

/// The wire of a message of this name, or nearly.
pub(super) fn message(world: &World, name: &str, random: &mut Random<'_>) -> Result<Vec<u8>, String> {
    let ty = world.pool.message(name).ok_or_else(|| format!("{name} is missing"))?;
    let mut wire = generate::message(ty.descriptor(), world, random);
    if random.one_in(3) {
        generate::mutate(&mut wire, random);
    }
    Ok(wire)
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl<'c> Check<'c> {
    /// What is looked at for messages of this name.
    pub(super) fn of(
        world: &'c World,
        common: &'c dyn Resolver,
        name: &str,
        arena: &'c Arena,
        counts: &'c mut Counts,
    ) -> Result<Self, String> {
        let (Some(fixed), Some(dynamic)) = (world.registry.message(name), world.pool.message(name)) else {
            return Err(format!("{name} is missing"));
        };
        let sides = [Side { ty: fixed, resolver: &world.registry }, Side { ty: dynamic, resolver: common }];
        Ok(Check { sides, arena, counts })
    }

    fn same(&self, sides: [usize; 2], loss: Loss, left: MessageRef<'_>, right: MessageRef<'_>) -> Result<(), String> {
        let [left_resolver, right_resolver] = sides.map(|side| self.sides[side].resolver);
        Comparison { left: left_resolver, right: right_resolver, loss, arena: self.arena }.messages(left, right)
    }

    fn decode(&self, side: usize, wire: &[u8]) -> Result<Kept<'c>, String> {
        let decode =
            || DynamicMessage::decode(self.sides[side].ty, wire, self.arena).map_err(|error| error.to_string());
        Ok((decode()?, decode()?.into_ref()))
    }

    pub(super) fn wire(&mut self, wire: &[u8], random: &mut Random<'_>) -> Result<(), String> {
        let (fixed, dynamic) = match (self.decode(0, wire), self.decode(1, wire)) {
            (Ok(fixed), Ok(dynamic)) => (fixed, dynamic),
            (Err(fixed), Err(dynamic)) if fixed == dynamic => {
                self.counts.rejected += 1;
                return Ok(());
            }
            (fixed, dynamic) => {
                return Err(format!("struct {:?}, dynamic {:?}", fixed.map(|one| one.1), dynamic.map(|one| one.1)));
            }
        };
        self.counts.accepted += 1;
        self.same([0, 1], Loss::Nothing, fixed.1, dynamic.1).map_err(|what| format!("struct and dynamic: {what}"))?;
        self.encoded([&fixed.0, &dynamic.0])?;
        let text = self.written([fixed.1, dynamic.1])?;
        if let Some(text) = text {
            self.changed(text, Format::Json, random)?;
        }
        let text = self.printed([fixed.1, dynamic.1])?;
        self.changed(text, Format::Text, random)
    }

    /// Bytes of the wire: a struct has the members of a oneof at the place of the smallest number, a dynamic message at
    /// their own, so each kind's bytes are compared with those it makes of the other's.
    fn encoded(&self, messages: [&DynamicMessage<'c>; 2]) -> Result<(), String> {
        let wires = messages.map(|message| message.encode_to_vec());
        if wires[0].len() != wires[1].len() || wires[0].len() != messages[0].encoded_len() {
            return Err(format!("{} and {} bytes encoded", wires[0].len(), wires[1].len()));
        }
        if wires[1].len() != messages[1].encoded_len() {
            return Err("encoded_len of the dynamic message is wrong".to_owned());
        }
        for side in 0..2 {
            for wire in &wires {
                let (message, _) = self.decode(side, wire).map_err(|error| format!("what was encoded: {error}"))?;
                let again = message.encode_to_vec();
                if again != wires[side] {
                    let (again, first) = (hexadecimal(&again), hexadecimal(&wires[side]));
                    return Err(format!("side {side} encodes {first}, and after another way {again}"));
                }
            }
        }
        Ok(())
    }

    /// To JSON and back; the text, if there is one.
    fn written(&mut self, messages: [MessageRef<'c>; 2]) -> Result<Option<String>, String> {
        let write = |side: usize| {
            let options = json::EncodeOptions::new().resolver(self.sides[side].resolver);
            options.encode_message(messages[side]).map_err(|error| error.to_string())
        };
        let texts = [write(0), write(1)];
        if texts[0] != texts[1] {
            return Err(format!("JSON of the struct {:?}, of the dynamic message {:?}", texts[0], texts[1]));
        }
        let [text, _] = texts;
        self.through_serde(messages, text.as_deref())?;
        let text = match (form::missing(messages[0], self.sides[0].resolver, self.arena), text) {
            (Some(_), Err(_)) => {
                self.counts.without_json += 1;
                return Ok(None);
            }
            (None, Ok(text)) => text,
            (expected, text) => return Err(format!("JSON {text:?}, expected {expected:?}")),
        };
        for side in 0..2 {
            let again = self.read(side, &text, Format::Json).map_err(|error| format!("JSON {text}: {error}"))?;
            for (other, message) in messages.into_iter().enumerate() {
                self.same([other, side], Loss::Json, message, again)
                    .map_err(|what| format!("after JSON {text}: {what}"))?;
            }
        }
        self.counts.json += 1;
        Ok(Some(text))
    }

    /// What serde writes is what JSON is read from, and the other way round.
    fn through_serde(&self, messages: [MessageRef<'c>; 2], text: Result<&str, &String>) -> Result<(), String> {
        for (side, message) in messages.into_iter().enumerate() {
            let resolver = self.sides[side].resolver;
            let json = json::Json::of(message).with(json::EncodeOptions::new().resolver(resolver));
            let written = serde_json::to_string(&json).map_err(|error| error.to_string());
            let (written, text) = match (&written, text) {
                (Ok(written), Ok(text)) => (written, text),
                // Where several things are wrong, another one may be the first: serde decodes extensions before fields.
                (Err(_), Err(_)) => continue,
                _ => return Err(format!("JSON {text:?}, with serde {written:?}")),
            };
            let again =
                self.read(side, written, Format::Json).map_err(|error| format!("of serde, {written}: {error}"))?;
            self.same([side, side], Loss::Json, message, again)
                .map_err(|what| format!("of serde, {written}: {what}"))?;
            let options = json::DecodeOptions::new().resolver(resolver);
            let seed = json::MessageSeed::new(self.sides[side].ty.descriptor(), self.arena).with(options);
            let mut deserializer = serde_json::Deserializer::from_str(text);
            let again = seed.deserialize(&mut deserializer).map_err(|error| format!("to serde, {text}: {error}"))?;
            self.same([side, side], Loss::Json, message, again).map_err(|what| format!("to serde, {text}: {what}"))?;
        }
        Ok(())
    }

    /// To text and back.
    fn printed(&mut self, messages: [MessageRef<'c>; 2]) -> Result<String, String> {
        let print =
            |side: usize| text::EncodeOptions::new().resolver(self.sides[side].resolver).encode_message(messages[side]);
        let [text, other] = [print(0), print(1)];
        if text != other {
            return Err(format!("text of the struct {text:?}, of the dynamic message {other:?}"));
        }
        for side in 0..2 {
            let again = self.read(side, &text, Format::Text).map_err(|error| format!("text {text}: {error}"))?;
            for (other, message) in messages.into_iter().enumerate() {
                self.same([other, side], Loss::Text, message, again)
                    .map_err(|what| format!("after text {text}: {what}"))?;
            }
        }
        self.counts.text += 1;
        Ok(text)
    }

    fn read(&self, side: usize, text: &str, format: Format) -> Result<MessageRef<'c>, String> {
        let Side { ty, resolver } = self.sides[side];
        match format {
            Format::Json => {
                let options = json::DecodeOptions::new().resolver(resolver);
                options.decode_message(ty.descriptor(), text, self.arena).map_err(|error| error.to_string())
            }
            Format::Text => {
                let options = text::DecodeOptions::new().resolver(resolver);
                options.decode_message(ty.descriptor(), text, self.arena).map_err(|error| error.to_string())
            }
        }
    }

    /// A text with changes: both kinds read the same message, or give the same reason why not.
    fn changed(&mut self, text: String, format: Format, random: &mut Random<'_>) -> Result<(), String> {
        let mut bytes = text.into_bytes();
        generate::mutate(&mut bytes, random);
        String::from_utf8(bytes).map_or(Ok(()), |text| self.text(&text, format))
    }

    /// Any text: both kinds read the same message, or give the same reason why not.
    pub(super) fn text(&mut self, text: &str, format: Format) -> Result<(), String> {
        match (self.read(0, text, format), self.read(1, text, format)) {
            (Ok(fixed), Ok(dynamic)) => {
                self.counts.changed_accepted += 1;
                let loss = if matches!(format, Format::Json) { Loss::Json } else { Loss::Text };
                self.same([0, 1], loss, fixed, dynamic).map_err(|what| format!("{format:?} {text}: {what}"))?;
                match format {
                    Format::Json => self.written([fixed, dynamic]).map(|_| ()),
                    Format::Text => self.printed([fixed, dynamic]).map(|_| ()),
                }
            }
            (Err(fixed), Err(dynamic)) if fixed == dynamic => {
                self.counts.changed_rejected += 1;
                Ok(())
            }
            (fixed, dynamic) => Err(format!("{format:?} {text}: struct {fixed:?}, dynamic {dynamic:?}")),
        }
    }
}
