//! One walk over every field of a message, the same for each library, and what may watch it.

use std::collections::BTreeMap;

use pilota::FastStr;

use crate::generated::{defiant, pilota as pilota_types, prost};

/// A value that is not text, bytes, a list or a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// Signed integers.
    Int(i64),
    /// Unsigned integers.
    Uint(u64),
    /// Floats, as their bits: a NaN equals itself.
    Float(u32),
    /// Booleans.
    Bool(bool),
}

impl Scalar {
    /// The value as 64 bits.
    #[inline(always)]
    const fn bits(self) -> u64 {
        match self {
            Scalar::Int(value) => value as u64,
            Scalar::Uint(value) => value,
            Scalar::Float(bits) => bits as u64,
            Scalar::Bool(value) => value as u64,
        }
    }
}

/// Sees every field of a message in the order of the field numbers.
pub trait Visitor {
    /// What follows is in the field of this name.
    fn field(&mut self, _name: &'static str) {}
    /// What follows is the element of this index.
    fn element(&mut self, _index: usize) {}
    /// A message begins.
    fn enter(&mut self) {}
    /// The message ends.
    fn leave(&mut self) {}
    /// A field with explicit presence is not set.
    fn absent(&mut self);
    /// A list of this many elements begins.
    fn list(&mut self, len: usize);
    /// A number or boolean.
    fn scalar(&mut self, value: Scalar);
    /// Text or bytes.
    fn bytes(&mut self, value: &[u8]);
}

/// Shows a [`Visitor`] every field.
pub trait Walk {
    /// Walks over the value.
    fn walk<V: Visitor>(&self, visitor: &mut V);
}

macro_rules! walk_scalars {
    ($($type:ty, $value:ident => $scalar:expr;)*) => {$(
        impl Walk for $type {
            #[inline(always)]
            fn walk<V: Visitor>(&self, visitor: &mut V) {
                let $value = *self;
                visitor.scalar($scalar);
            }
        }
    )*};
}
walk_scalars! {
    i32, value => Scalar::Int(value.into());
    i64, value => Scalar::Int(value);
    u32, value => Scalar::Uint(value.into());
    u64, value => Scalar::Uint(value);
    f32, value => Scalar::Float(value.to_bits());
    bool, value => Scalar::Bool(value);
}

macro_rules! walk_bytes {
    ($($type:ty, $value:ident => $bytes:expr;)*) => {$(
        impl Walk for $type {
            #[inline(always)]
            fn walk<V: Visitor>(&self, visitor: &mut V) {
                let $value = self;
                visitor.bytes($bytes);
            }
        }
    )*};
}
walk_bytes! {
    str, value => value.as_bytes();
    String, value => value.as_bytes();
    FastStr, value => value.as_bytes();
    [u8], value => value;
    Vec<u8>, value => value;
}

impl<T: Walk + ?Sized> Walk for &T {
    #[inline(always)]
    fn walk<V: Visitor>(&self, visitor: &mut V) {
        (**self).walk(visitor);
    }
}

impl<T: Walk> Walk for Option<T> {
    #[inline(always)]
    fn walk<V: Visitor>(&self, visitor: &mut V) {
        match self {
            Some(value) => value.walk(visitor),
            None => visitor.absent(),
        }
    }
}

impl<T: Walk> Walk for [T] {
    #[inline(always)]
    fn walk<V: Visitor>(&self, visitor: &mut V) {
        visitor.list(self.len());
        for (index, value) in self.iter().enumerate() {
            visitor.element(index);
            value.walk(visitor);
        }
    }
}

impl<T: Walk> Walk for Vec<T> {
    #[inline(always)]
    fn walk<V: Visitor>(&self, visitor: &mut V) {
        self.as_slice().walk(visitor);
    }
}

macro_rules! walk_messages {
    ($($fields:tt for $($message:ty),+;)*) => {$($(walk_messages!(@ $message, $fields);)+)*};
    (@ $message:ty, [$($field:ident)*]) => {
        impl Walk for $message {
            #[inline]
            fn walk<V: Visitor>(&self, visitor: &mut V) {
                visitor.enter();
                $(
                    visitor.field(stringify!($field));
                    self.$field.walk(visitor);
                )*
                visitor.leave();
            }
        }
    };
}
walk_messages! {
    [
        field1 field2 field3 field4 field5 field6 field7 field9 field12 field13 field14 field15
        field16 field17 field18 field22 field23 field24 field25 field29 field30 field59 field60
        field67 field68 field78 field80 field81 field100 field101 field102 field103 field104
        field128 field129 field130 field131 field150 field271 field272 field280
    ] for
        defiant::proto2::GoogleMessage1<'_>, defiant::proto3::GoogleMessage1<'_>,
        prost::proto2::GoogleMessage1, prost::proto3::GoogleMessage1,
        pilota_types::proto2::GoogleMessage1, pilota_types::proto3::GoogleMessage1;
    [
        field1 field2 field3 field12 field13 field14 field15 field16 field19 field20 field21
        field22 field23 field28 field203 field204 field205 field206 field207 field300
    ] for
        defiant::proto2::GoogleMessage1SubMessage<'_>, defiant::proto3::GoogleMessage1SubMessage<'_>,
        prost::proto2::GoogleMessage1SubMessage, prost::proto3::GoogleMessage1SubMessage,
        pilota_types::proto2::GoogleMessage1SubMessage, pilota_types::proto3::GoogleMessage1SubMessage;
    [
        field1 field2 field3 field4 field6 group1 field21 field25 field30 field63 field71 field75
        field109 field127 field128 field129 field130 field131 field205 field206 field210 field211
        field212 field213 field216 field217 field218 field220 field221 field222
    ] for
        defiant::proto2::GoogleMessage2<'_>, prost::proto2::GoogleMessage2;
    [
        field5 field11 field12 field13 field14 field15 field16 field20 field22 field24 field26
        field27 field28 field29 field31 field73
    ] for
        defiant::proto2::google_message2::Group1<'_>, prost::proto2::google_message2::Group1;
    [
        field1 field2 field3 field4 field5 field6 field7 field8 field9 field10 field11
    ] for
        defiant::proto2::GoogleMessage2GroupedMessage<'_>, prost::proto2::GoogleMessage2GroupedMessage;
}

/// Reads every field and every byte of text as cheaply as that can be done; for timing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Checksum(u64);

impl Checksum {
    /// The checksum of a message.
    #[inline(always)]
    pub fn of(message: &impl Walk) -> u64 {
        let mut checksum = Checksum::default();
        message.walk(&mut checksum);
        checksum.0
    }

    #[inline(always)]
    fn add(&mut self, bits: u64) {
        self.0 = self.0.rotate_left(1).wrapping_add(bits);
    }
}

impl Visitor for Checksum {
    #[inline(always)]
    fn absent(&mut self) {
        self.add(0x9e37);
    }

    #[inline(always)]
    fn list(&mut self, len: usize) {
        self.add(len as u64);
    }

    #[inline(always)]
    fn scalar(&mut self, value: Scalar) {
        self.add(value.bits());
    }

    #[inline(always)]
    fn bytes(&mut self, value: &[u8]) {
        let mut sum = value.len() as u64;
        let mut words = value.chunks_exact(8);
        for word in &mut words {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(word);
            sum = sum.wrapping_add(u64::from_le_bytes(bytes));
        }
        for byte in words.remainder() {
            sum = sum.wrapping_add(u64::from(*byte));
        }
        self.add(sum);
    }
}

/// Hashes every field and every byte, order and presence included; for comparing many messages.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fingerprint(u64);

impl Fingerprint {
    /// The fingerprint of a message.
    pub fn of(message: &impl Walk) -> u64 {
        let mut fingerprint = Fingerprint::default();
        message.walk(&mut fingerprint);
        fingerprint.0
    }

    fn mix(&mut self, bits: u64) {
        let product = u128::from(self.0 ^ bits ^ 0x9e37_79b9_7f4a_7c15) * 0xd6e8_feb8_6659_fd93_u128;
        self.0 = (product as u64 ^ (product >> 64) as u64).rotate_left(23);
    }
}

impl Visitor for Fingerprint {
    fn absent(&mut self) {
        self.mix(0xabcd);
    }

    fn list(&mut self, len: usize) {
        self.mix(len as u64);
    }

    fn scalar(&mut self, value: Scalar) {
        self.mix(1);
        self.mix(value.bits());
    }

    fn bytes(&mut self, value: &[u8]) {
        self.mix(value.len() as u64);
        for chunk in value.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.mix(u64::from_le_bytes(word));
        }
    }
}

/// A value by itself, as [`Listing`] keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A number or boolean.
    Scalar(Scalar),
    /// Text or bytes.
    Bytes(Vec<u8>),
    /// The number of elements of a list.
    Len(usize),
}

/// Every value that is set, by its path (`group1[7].field31.field2`); for naming differences.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    values: BTreeMap<String, Value>,
    path: Vec<(&'static str, Option<usize>)>,
}

impl Listing {
    /// The listing of a message.
    pub fn of(message: &impl Walk) -> BTreeMap<String, Value> {
        let mut listing = Listing::default();
        message.walk(&mut listing);
        listing.values
    }

    fn insert(&mut self, value: Value) {
        let mut path = String::new();
        for (name, index) in &self.path {
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(name);
            if let Some(index) = index {
                path.push_str(&format!("[{index}]"));
            }
        }
        self.values.insert(path, value);
    }
}

impl Visitor for Listing {
    fn field(&mut self, name: &'static str) {
        if let Some(last) = self.path.last_mut() {
            *last = (name, None);
        }
    }

    fn element(&mut self, index: usize) {
        if let Some((_, last)) = self.path.last_mut() {
            *last = Some(index);
        }
    }

    fn enter(&mut self) {
        self.path.push(("", None));
    }

    fn leave(&mut self) {
        self.path.pop();
    }

    fn absent(&mut self) {}

    fn list(&mut self, len: usize) {
        self.insert(Value::Len(len));
    }

    fn scalar(&mut self, value: Scalar) {
        self.insert(Value::Scalar(value));
    }

    fn bytes(&mut self, value: &[u8]) {
        self.insert(Value::Bytes(value.to_vec()));
    }
}
