//! Random bytes of the wire that are a message of a type, or nearly.

use defiant::descriptor::{Cardinality, FieldDescriptor, MessageDescriptor, Type};

use super::World;
use super::random::Random;
use super::wire::{delimited, tag, varint};

/// Levels of messages.
const LEVELS: u32 = 5;

/// The wire of a message of a type.
pub(super) fn message(descriptor: &MessageDescriptor, world: &World, random: &mut Random<'_>) -> Vec<u8> {
    Generator { world, random }.message(descriptor, LEVELS)
}

struct Generator<'g, 'c> {
    world: &'g World,
    random: &'g mut Random<'c>,
}

impl Generator<'_, '_> {
    fn message(&mut self, descriptor: &MessageDescriptor, levels: u32) -> Vec<u8> {
        let name = descriptor.full_name();
        if let (Some(name), false) = (name.strip_prefix("google.protobuf."), self.random.one_in(60)) {
            if let Some(wire) = self.well_known(name, levels) {
                return wire;
            }
        }
        let mut pieces = Vec::new();
        let fields = descriptor.fields();
        for field in fields.iter().filter(|field| field.cardinality() == Cardinality::Required) {
            if !self.random.one_in(100) {
                pieces.push(self.field(field, levels));
            }
        }
        let count = match levels {
            LEVELS => 1 + self.random.below(12),
            0 => 0,
            _ => self.random.below(4),
        };
        for _ in 0..count {
            if !fields.is_empty() {
                let field = &fields[self.random.below(fields.len())];
                pieces.push(self.field(field, levels));
            }
        }
        let extensions = self.world.extensions(name);
        if !extensions.is_empty() && levels > 0 && (fields.is_empty() || self.random.one_in(2)) {
            for _ in 0..self.random.below(4) {
                let extension = self.random.pick(&extensions);
                let piece = self.field(extension.field(), levels);
                let is_set = self.world.is_message_set(name) && !self.random.one_in(30);
                pieces.push(if is_set { self.item(extension.field(), levels) } else { piece });
            }
        }
        if self.random.one_in(12) {
            pieces.push(self.unknown(descriptor));
        }
        for index in (1..pieces.len()).rev() {
            pieces.swap(index, self.random.below(index + 1));
        }
        pieces.concat()
    }

    /// An item of a message set.
    fn item(&mut self, field: &FieldDescriptor, levels: u32) -> Vec<u8> {
        let (mut id, mut content) = (Vec::new(), Vec::new());
        tag(2, 0, &mut id);
        varint(field.number().into(), &mut id);
        tag(3, 2, &mut content);
        let message = field.message().map(|message| self.message(message, levels - 1)).unwrap_or_default();
        delimited(&message, &mut content);
        let mut out = Vec::new();
        tag(1, 3, &mut out);
        out.extend(if self.random.one_in(4) { [content, id] } else { [id, content] }.concat());
        tag(1, 4, &mut out);
        out
    }

    /// A field that is none of a message's.
    fn unknown(&mut self, descriptor: &MessageDescriptor) -> Vec<u8> {
        let mut out = Vec::new();
        let number = 1 + self.random.below(30_000) as u32;
        if descriptor.field(number).is_none() && !descriptor.full_name().starts_with("google.protobuf") {
            let wire_type = self.random.pick(&[0, 1, 2, 3, 5]);
            tag(number, wire_type, &mut out);
            match wire_type {
                0 => varint(self.random.number(), &mut out),
                1 => out.extend(self.random.next().to_le_bytes()),
                2 => delimited(&self.random.bytes(), &mut out),
                3 => tag(number, 4, &mut out),
                _ => out.extend((self.random.next() as u32).to_le_bytes()),
            }
        }
        out
    }

    /// An occurrence of a field, or several of a repeated one.
    fn field(&mut self, field: &FieldDescriptor, levels: u32) -> Vec<u8> {
        let mut out = Vec::new();
        if field.is_map() {
            for _ in 0..self.count() {
                let entry = self.entry(field, levels);
                self.tag(field.number(), 2, &mut out);
                delimited(&entry, &mut out);
            }
        } else if field.is_list() {
            let wire_type = wire_type(field.ty());
            if !matches!(wire_type, 2 | 3) && self.random.one_in(2) {
                let mut packed = Vec::new();
                for _ in 0..self.count() {
                    self.value(field, field.ty(), levels, &mut packed);
                }
                self.tag(field.number(), 2, &mut out);
                delimited(&packed, &mut out);
            } else {
                for _ in 0..self.count() {
                    self.single(field, levels, &mut out);
                }
            }
        } else {
            self.single(field, levels, &mut out);
        }
        out
    }

    fn count(&mut self) -> usize {
        if self.random.one_in(20) { self.random.below(60) } else { self.random.below(4) }
    }

    fn single(&mut self, field: &FieldDescriptor, levels: u32, out: &mut Vec<u8>) {
        self.tag(field.number(), wire_type(field.ty()), out);
        self.value(field, field.ty(), levels, out);
    }

    /// A tag, seldom longer than it needs to be.
    fn tag(&mut self, number: u32, wire_type: u8, out: &mut Vec<u8>) {
        tag(number, wire_type, out);
        if self.random.one_in(200) {
            if let Some(last) = out.last_mut() {
                *last |= 0x80;
                out.push(0);
            }
        }
    }

    fn entry(&mut self, field: &FieldDescriptor, levels: u32) -> Vec<u8> {
        let (mut key, mut value) = (Vec::new(), Vec::new());
        if let (Some(ty), false) = (field.key_type(), self.random.one_in(20)) {
            tag(1, wire_type(ty), &mut key);
            self.value(field, ty, levels, &mut key);
        }
        // The values of maps are never groups.
        let ty = if field.ty() == Type::Group { Type::Message } else { field.ty() };
        if !self.random.one_in(20) {
            tag(2, wire_type(ty), &mut value);
            self.value(field, ty, levels, &mut value);
        }
        if self.random.one_in(10) { [value, key] } else { [key, value] }.concat()
    }

    /// A value without its tag; of a group, with the tag of its end.
    fn value(&mut self, field: &FieldDescriptor, ty: Type, levels: u32, out: &mut Vec<u8>) {
        match ty {
            Type::Double => out.extend(self.random.double().to_bits().to_le_bytes()),
            Type::Float => out.extend(self.random.float().to_bits().to_le_bytes()),
            Type::Fixed64 | Type::Sfixed64 => out.extend(self.random.number().to_le_bytes()),
            Type::Fixed32 | Type::Sfixed32 => out.extend((self.random.number() as u32).to_le_bytes()),
            Type::Bool if !self.random.one_in(20) => varint(self.random.next() & 1, out),
            Type::Enum => {
                let numbers: Vec<i32> =
                    field.enumeration().into_iter().flat_map(|one| one.values().map(|value| value.1)).collect();
                let number = if numbers.is_empty() || self.random.one_in(8) {
                    self.random.number()
                } else {
                    i64::from(self.random.pick(&numbers)) as u64
                };
                varint(number, out);
            }
            Type::String => {
                let mut text = self.random.text().into_bytes();
                if self.random.one_in(150) {
                    text.push(0xc3);
                }
                delimited(&text, out);
            }
            Type::Bytes => delimited(&self.random.bytes(), out),
            Type::Message => {
                let content = self.child(field, levels);
                delimited(&content, out);
            }
            Type::Group => {
                let content = self.child(field, levels);
                out.extend(content);
                tag(field.number(), 4, out);
            }
            _ => varint(self.random.number(), out),
        }
    }

    fn child(&mut self, field: &FieldDescriptor, levels: u32) -> Vec<u8> {
        field.message().map(|message| self.message(message, levels.saturating_sub(1))).unwrap_or_default()
    }

    /// A message with a form of its own, usually one that JSON has a form for.
    fn well_known(&mut self, name: &str, levels: u32) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        match name {
            "Timestamp" => {
                let range = 62_135_596_800u64 + 253_402_300_800;
                let seconds = (self.random.next() % range) as i64 - 62_135_596_800;
                let seconds = match self.random.below(12) {
                    0 => self.random.pick(&[-62_135_596_800, 253_402_300_799, 0, -1, 951_782_400]),
                    1 => self.random.number() as i64,
                    _ => seconds,
                };
                let nanos = self.nanos();
                self.time(seconds, nanos, &mut out);
            }
            "Duration" => {
                let seconds = (self.random.next() % 631_152_000_001) as i64 - 315_576_000_000;
                let seconds = match self.random.below(12) {
                    0 => self.random.pick(&[-315_576_000_000, 315_576_000_000, 0, -1, 1]),
                    1 => self.random.number() as i64,
                    _ => seconds,
                };
                let nanos = self.nanos();
                let negative = seconds < 0 || seconds == 0 && self.random.one_in(2);
                let nanos = if negative != self.random.one_in(40) { nanos.wrapping_neg() } else { nanos };
                self.time(seconds, nanos, &mut out);
            }
            "FieldMask" => {
                for _ in 0..self.random.below(4) {
                    let path = match self.random.below(30) {
                        0 => self.random.text(),
                        _ => self.path(),
                    };
                    tag(1, 2, &mut out);
                    delimited(path.as_bytes(), &mut out);
                }
            }
            "Value" if levels > 0 => {
                let kind = 1 + self.random.below(6) as u32;
                match kind {
                    1 => {
                        tag(1, 0, &mut out);
                        varint(0, &mut out);
                    }
                    2 => {
                        let number = self.random.double();
                        let number = if number.is_finite() || self.random.one_in(20) { number } else { 1.5 };
                        tag(2, 1, &mut out);
                        out.extend(number.to_bits().to_le_bytes());
                    }
                    3 => {
                        tag(3, 2, &mut out);
                        delimited(self.random.text().as_bytes(), &mut out);
                    }
                    4 => {
                        tag(4, 0, &mut out);
                        varint(self.random.next() & 1, &mut out);
                    }
                    _ => {
                        let inner = if kind == 5 { "google.protobuf.Struct" } else { "google.protobuf.ListValue" };
                        let inner = self.world.pool.message(inner)?;
                        let inner = self.message(inner.descriptor(), levels - 1);
                        tag(kind, 2, &mut out);
                        delimited(&inner, &mut out);
                    }
                }
            }
            // A number, where the levels are used up.
            "Value" => {
                tag(2, 1, &mut out);
                out.extend(1.5f64.to_bits().to_le_bytes());
            }
            "Any" if levels > 0 => {
                let name = self.random.pick(&self.world.contents);
                let ty = self.world.pool.message(name)?;
                let content = self.message(ty.descriptor(), levels - 1);
                let url = match self.random.below(40) {
                    0 => name.to_owned(),
                    1 => format!("x/{name}x"),
                    2 => format!("x.y/z/{name}"),
                    _ => format!("type.googleapis.com/{name}"),
                };
                tag(1, 2, &mut out);
                delimited(url.as_bytes(), &mut out);
                tag(2, 2, &mut out);
                delimited(&content, &mut out);
            }
            "Any" => {}
            _ => return None,
        }
        Some(out)
    }

    fn nanos(&mut self) -> i32 {
        match self.random.below(30) {
            0 => self.random.number() as i32,
            1..6 => 0,
            6..12 => self.random.below(1000) as i32 * 1_000_000,
            12..18 => self.random.below(1_000_000) as i32 * 1000,
            _ => self.random.below(1_000_000_000) as i32,
        }
    }

    fn time(&mut self, seconds: i64, nanos: i32, out: &mut Vec<u8>) {
        tag(1, 0, out);
        varint(seconds as u64, out);
        tag(2, 0, out);
        varint(i64::from(nanos) as u64, out);
    }

    fn path(&mut self) -> String {
        let words = ["a", "foo", "foo_bar", "x1", "a_b_c", "foo.bar_baz", "foo__bar", "fooBar", "a_1", "_a"];
        let good = self.random.one_in(10);
        let words = if good { &words[..] } else { &words[..6] };
        (0..1 + self.random.below(2)).map(|_| self.random.pick(words)).collect::<Vec<_>>().join(".")
    }
}

fn wire_type(ty: Type) -> u8 {
    match ty {
        Type::Double | Type::Fixed64 | Type::Sfixed64 => 1,
        Type::String | Type::Bytes | Type::Message => 2,
        Type::Group => 3,
        Type::Float | Type::Fixed32 | Type::Sfixed32 => 5,
        _ => 0,
    }
}

/// Changes bytes here and there.
pub(super) fn mutate(bytes: &mut Vec<u8>, random: &mut Random<'_>) {
    for _ in 0..1 + random.below(3) {
        let at = random.below(bytes.len());
        match random.below(6) {
            0 => bytes.insert(at, random.next() as u8),
            1 => bytes.truncate(at),
            2 if !bytes.is_empty() => {
                let end = bytes.len().min(at + 1 + random.below(8));
                bytes.drain(at..end);
            }
            3 if !bytes.is_empty() => {
                let end = bytes.len().min(at + 1 + random.below(30));
                let piece = bytes[at..end].to_vec();
                let to = random.below(bytes.len());
                bytes.splice(to..to, piece);
            }
            4 if !bytes.is_empty() => bytes[at] = bytes[at].wrapping_add(1),
            _ if !bytes.is_empty() => bytes[at] ^= 1 << random.below(8),
            _ => {}
        }
    }
}
