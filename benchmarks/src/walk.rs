//! One walk over every field of a message, the same for each library, and what may watch it.

use std::collections::{BTreeMap, HashMap};

/// A value that is not text, bytes, a list or a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scalar {
    /// Signed integers.
    Int(i64),
    /// Unsigned integers.
    Uint(u64),
    /// Floats, as their bits: a NaN equals itself.
    Float(u32),
    /// Doubles, as their bits.
    Double(u64),
    /// Booleans.
    Bool(bool),
}

impl Scalar {
    /// The value as 64 bits.
    #[inline(always)]
    const fn bits(self) -> u64 {
        match self {
            Scalar::Int(value) => value as u64,
            Scalar::Uint(value) | Scalar::Double(value) => value,
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
    /// A map of this many entries begins; they come in any order. There is no map in a map.
    fn map(&mut self, len: usize) {
        self.list(len);
    }
    /// An entry of the map begins: a key and a value.
    fn entry(&mut self) {}
    /// The entry ends.
    fn leave_entry(&mut self) {}
    /// The map ends.
    fn leave_map(&mut self) {}
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
    f64, value => Scalar::Double(value.to_bits());
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
    bytes::Bytes, value => value;
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

impl<T: Walk + ?Sized> Walk for Box<T> {
    #[inline(always)]
    fn walk<V: Visitor>(&self, visitor: &mut V) {
        (**self).walk(visitor);
    }
}

/// Walks over a map that is kept as anything.
#[inline(always)]
pub fn walk_entries<V: Visitor, K: Walk, T: Walk>(visitor: &mut V, len: usize, entries: impl Iterator<Item = (K, T)>) {
    visitor.map(len);
    for (key, value) in entries {
        visitor.entry();
        key.walk(visitor);
        value.walk(visitor);
        visitor.leave_entry();
    }
    visitor.leave_map();
}

impl<K: Walk, T: Walk, S> Walk for HashMap<K, T, S> {
    #[inline(always)]
    fn walk<V: Visitor>(&self, visitor: &mut V) {
        walk_entries(visitor, self.len(), self.iter());
    }
}

/// Implements [`Walk`] for a struct whose fields are public and bear the names of the schema.
macro_rules! walk_fields {
    ($message:ty { $($field:ident $has:ident $shape:ident;)* }) => {
        impl $crate::walk::Walk for $message {
            #[inline]
            fn walk<V: $crate::walk::Visitor>(&self, visitor: &mut V) {
                visitor.enter();
                $(
                    visitor.field(stringify!($field));
                    $crate::walk::Walk::walk(&self.$field, visitor);
                )*
                visitor.leave();
            }
        }
    };
}

pub(crate) use walk_fields;

/// Reads every field and every byte of text as cheaply as that can be done; for timing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Checksum(u64, Entries);

/// What to remember while the entries of a map come in any order: the state before it, and the sum of the entries.
#[derive(Clone, Copy, Debug, Default)]
struct Entries {
    before: u64,
    sum: u64,
}

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
    fn map(&mut self, len: usize) {
        self.add(len as u64);
        self.1 = Entries { before: self.0, sum: 0 };
    }

    #[inline(always)]
    fn entry(&mut self) {
        self.0 = 0;
    }

    #[inline(always)]
    fn leave_entry(&mut self) {
        self.1.sum = self.1.sum.wrapping_add(self.0);
    }

    #[inline(always)]
    fn leave_map(&mut self) {
        self.0 = self.1.before;
        self.add(self.1.sum);
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
pub struct Fingerprint(u64, Entries);

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

    fn map(&mut self, len: usize) {
        self.mix(len as u64);
        self.1 = Entries { before: self.0, sum: 0 };
    }

    fn entry(&mut self) {
        self.0 = 0;
    }

    fn leave_entry(&mut self) {
        self.1.sum = self.1.sum.wrapping_add(self.0);
    }

    fn leave_map(&mut self) {
        self.0 = self.1.before;
        self.mix(self.1.sum);
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
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    /// A number or boolean.
    Scalar(Scalar),
    /// Text or bytes.
    Bytes(Vec<u8>),
    /// The number of elements of a list or map.
    Len(usize),
    /// What a map holds, in order.
    Entries(Vec<Vec<Value>>),
}

/// Every value that is set, by its path (`group1[7].field31.field2`); for naming differences.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    values: BTreeMap<String, Value>,
    path: Vec<(&'static str, Option<usize>)>,
    /// The entries of the map that the walk is in.
    entries: Option<Vec<Vec<Value>>>,
}

impl Listing {
    /// The listing of a message.
    pub fn of(message: &impl Walk) -> BTreeMap<String, Value> {
        let mut listing = Listing::default();
        message.walk(&mut listing);
        listing.values
    }

    fn insert(&mut self, value: Value) {
        if let Some(entry) = self.entries.as_mut().and_then(|entries| entries.last_mut()) {
            entry.push(value);
            return;
        }
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

    fn map(&mut self, len: usize) {
        self.entries = Some(Vec::with_capacity(len));
    }

    fn entry(&mut self) {
        if let Some(entries) = &mut self.entries {
            entries.push(Vec::new());
        }
    }

    fn leave_map(&mut self) {
        let mut entries = self.entries.take().unwrap_or_default();
        entries.sort();
        self.insert(Value::Entries(entries));
    }

    fn scalar(&mut self, value: Scalar) {
        self.insert(Value::Scalar(value));
    }

    fn bytes(&mut self, value: &[u8]) {
        self.insert(Value::Bytes(value.to_vec()));
    }
}
