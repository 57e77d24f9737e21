//! Messages as they are written when no option says otherwise: by the type that the access says, key and value in one go.
//!
//! Everything is written behind a comma, and the first comma becomes the bracket. What is rare takes the way of
//! [`fields`](super::fields), which knows all options; tests compare the two.
#![expect(unsafe_code, reason = "reads fields at their offsets, and writes to room that was made")]

use core::ptr::NonNull;

use super::Writer;
use crate::descriptor::{Access, FieldDescriptor, MapAccess, MessageDescriptor, Plain, WellKnown};
use crate::json::error::{Fail, Reason};
use crate::json::place::{KEY, NUMBER, Place, STRING};
use crate::reflect::{ListRef, MapRef, MessageRef, Value, zero_of_enum};

/// How the presence of a field is known.
const IMPLICIT: u8 = 0;
const OPTIONAL: u8 = 1;
const REQUIRED: u8 = 2;

impl Writer<'_, '_> {
    /// A message in the form of its type.
    ///
    /// # Safety
    /// A message of the descriptor's type, which is not written to meanwhile.
    pub(super) unsafe fn compact(&mut self, descriptor: &MessageDescriptor, message: NonNull<u8>) -> Result<(), Fail> {
        if descriptor.well_known != WellKnown::None {
            // SAFETY: as required of the caller.
            return self.message(unsafe { MessageRef::new(descriptor, message) });
        }
        let start = self.out.len();
        if self.levels == 0 {
            return Err(Fail::new(Reason::Recursion));
        }
        self.levels -= 1;
        for field in descriptor.fields {
            // SAFETY: a field of this message.
            if let Err(fail) = unsafe { self.compact_field(descriptor, field, message) } {
                return Err(fail.within(descriptor, field));
            }
        }
        if self.options.resolver.is_some() {
            // SAFETY: as required of the caller.
            let message = unsafe { MessageRef::new(descriptor, message) };
            if !message.unknown_fields().is_empty() {
                self.extensions(message, b',')?;
            }
        }
        self.levels += 1;
        self.bracket(start, b'{', b'}');
        if self.out.is_exhausted() { Err(Fail::new(Reason::Memory)) } else { Ok(()) }
    }

    /// Puts brackets around what was written from `start` on, where a comma is if there is anything.
    #[inline]
    fn bracket(&mut self, start: usize, open: u8, close: u8) {
        if self.out.len() == start {
            self.out.byte(open);
        } else {
            self.out.replace(start, open);
        }
        self.out.byte(close);
    }

    /// Writes a field's key, and what a function writes to a place with so much room.
    #[inline(always)]
    fn keyed(&mut self, field: &FieldDescriptor, room: usize, write: impl FnOnce(Place) -> Place) {
        let key = field.names().comma_and_key();
        if let Some(place) = self.out.room(key.1 + KEY + room) {
            // SAFETY: as room was made.
            let place = write(unsafe { place.key(key) });
            // SAFETY: the functions below write no more than they asked for.
            unsafe { self.out.take(place) };
        }
    }

    #[inline]
    fn keyed_string(&mut self, field: &FieldDescriptor, text: &str) {
        let mut plain = text.len();
        self.keyed(field, text.len() + STRING, |place| {
            // SAFETY: room for the string.
            let (place, found) = unsafe { place.plain_string(text.as_bytes()) };
            plain = found;
            place
        });
        if let Some(rest @ [_, ..]) = text.as_bytes().get(plain..) {
            self.escaped(rest);
        }
    }

    /// The name of an enum's value in quotes, or its number, behind the key.
    #[inline]
    fn keyed_enumeration(&mut self, field: &FieldDescriptor, number: i32) {
        match field.enumeration() {
            Some(descriptor) if !descriptor.null => {
                if let Some(name) = descriptor.name_of(number) {
                    // SAFETY: room for the name and quotes.
                    return self.keyed(field, name.len() + STRING, |place| unsafe {
                        place.byte(b'"').bytes(name.as_bytes()).byte(b'"')
                    });
                }
            }
            _ => {}
        }
        self.keyed(field, 0, |place| place);
        self.enumeration(number, field.enumeration());
    }

    /// A field, if it is set.
    ///
    /// # Safety
    /// A field of the message's type, and a message that is not written to meanwhile.
    #[inline(always)]
    unsafe fn compact_field(
        &mut self,
        descriptor: &MessageDescriptor,
        field: &FieldDescriptor,
        message: NonNull<u8>,
    ) -> Result<(), Fail> {
        // SAFETY: an offset in the message.
        let at = unsafe { message.add(field.offset as usize) }.as_ptr().cast_const();
        let is_written = match field.access() {
            // SAFETY: there lies the field, as the access says.
            Access::Implicit(plain) => unsafe { self.scalar_field::<IMPLICIT>(plain, field, at) },
            // SAFETY: there lies the field, as the access says.
            Access::Optional(plain) => unsafe { self.scalar_field::<OPTIONAL>(plain, field, at) },
            // SAFETY: there lies the field, as the access says.
            Access::Required(plain) => unsafe { self.scalar_field::<REQUIRED>(plain, field, at) },
            Access::Reference => {
                // SAFETY: the descriptor says so; a reference that may be missing has the form of a pointer that may.
                let message = unsafe { *at.cast::<Option<NonNull<u8>>>() };
                if let (Some(message), Some(descriptor)) = (message, field.message()) {
                    self.keyed(field, 0, |place| place);
                    // SAFETY: a message of the field's type.
                    unsafe { self.compact(descriptor, message)? };
                }
                true
            }
            Access::List(plain) => {
                // SAFETY: the descriptor says so.
                let list = unsafe { ListRef::read(at, plain, field) };
                if !list.is_empty() {
                    self.keyed(field, 0, |place| place);
                    self.compact_list(list)?;
                }
                true
            }
            Access::Map(access) => {
                // SAFETY: the descriptor says so.
                let map = unsafe { MapRef::read(at, access, field) };
                if !map.is_empty() {
                    self.keyed(field, 0, |place| place);
                    self.compact_map(map, access)?;
                }
                true
            }
            Access::Inline(_) | Access::Member | Access::Variant(_) => false,
        };
        if is_written {
            return Ok(());
        }
        // SAFETY: as required of the caller.
        unsafe { self.rare_field(descriptor, field, message) }
    }

    /// A field that is no list, map or message, if it is set. Returns `false` for others.
    ///
    /// A function of its own without optimization: its frame takes 70 KB of the stack there, which `compact` would take for
    /// each level.
    ///
    /// # Safety
    /// At `at` lies a field of this presence and type.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn scalar_field<const PRESENCE: u8>(
        &mut self,
        plain: Plain,
        field: &FieldDescriptor,
        at: *const u8,
    ) -> bool {
        macro_rules! implicit {
            ($ty:ty, $set:expr) => {{
                // SAFETY: the descriptor says so.
                let value = unsafe { *at.cast::<$ty>() };
                let set: fn(&$ty) -> bool = $set;
                if set(&value) { Some(value) } else { None }
            }};
            ($enum:ident) => {{
                // SAFETY: the descriptor says so.
                let number = unsafe { ($enum.number)(at) };
                if number == zero_of_enum(field) { None } else { Some(number) }
            }};
        }
        macro_rules! required {
            ($ty:ty, $set:expr) => {
                // SAFETY: the descriptor says so.
                Some(unsafe { *at.cast::<$ty>() })
            };
            ($enum:ident) => {
                // SAFETY: the descriptor says so.
                Some(unsafe { ($enum.number)(at) })
            };
        }
        macro_rules! optional {
            ($ty:ty, $set:expr) => {
                // SAFETY: the descriptor says so.
                unsafe { *at.cast::<Option<$ty>>() }
            };
            ($enum:ident) => {
                // SAFETY: the descriptor says so.
                unsafe { ($enum.optional)(at) }
            };
        }
        /// Writes a value if the macro `$get` gives one. Unsafe: each closure writes what there is room for.
        macro_rules! write {
            ($plain:ident, $get:ident) => {
                match $plain {
                    Plain::Bool => {
                        if let Some(value) = $get!(bool, |value| *value) {
                            let text: &[u8] = if value { b"true" } else { b"false" };
                            // SAFETY: room for a number, which is more.
                            self.keyed(field, NUMBER, |place| unsafe { place.bytes(text) });
                        }
                    }
                    Plain::I32 => {
                        if let Some(value) = $get!(i32, |value| *value != 0) {
                            // SAFETY: room for a number.
                            self.keyed(field, NUMBER, |place| unsafe { place.signed(value.into()) });
                        }
                    }
                    Plain::U32 => {
                        if let Some(value) = $get!(u32, |value| *value != 0) {
                            // SAFETY: room for a number.
                            self.keyed(field, NUMBER, |place| unsafe { place.unsigned(value.into()) });
                        }
                    }
                    Plain::I64 => {
                        if let Some(value) = $get!(i64, |value| *value != 0) {
                            // SAFETY: room for a number in quotes.
                            self.keyed(field, NUMBER, |place| unsafe { place.byte(b'"').signed(value).byte(b'"') });
                        }
                    }
                    Plain::U64 => {
                        if let Some(value) = $get!(u64, |value| *value != 0) {
                            // SAFETY: room for a number in quotes.
                            self.keyed(field, NUMBER, |place| unsafe { place.byte(b'"').unsigned(value).byte(b'"') });
                        }
                    }
                    Plain::F32 => {
                        if let Some(value) = $get!(f32, |value| value.to_bits() != 0) {
                            // SAFETY: room for a number.
                            self.keyed(field, NUMBER, |place| unsafe { place.f32(value) });
                        }
                    }
                    Plain::F64 => {
                        if let Some(value) = $get!(f64, |value| value.to_bits() != 0) {
                            // SAFETY: room for a number.
                            self.keyed(field, NUMBER, |place| unsafe { place.f64(value) });
                        }
                    }
                    Plain::Str => {
                        if let Some(text) = $get!(&str, |text| !text.is_empty()) {
                            self.keyed_string(field, text);
                        }
                    }
                    Plain::Bytes => {
                        if let Some(bytes) = $get!(&[u8], |bytes| !bytes.is_empty()) {
                            self.keyed(field, 0, |place| place);
                            self.base64(bytes);
                        }
                    }
                    Plain::Enum(access) => {
                        if let Some(number) = $get!(access) {
                            self.keyed_enumeration(field, number);
                        }
                    }
                    Plain::Message(_) | Plain::Lazy(_) => return false,
                }
            };
        }
        match PRESENCE {
            IMPLICIT => write!(plain, implicit),
            OPTIONAL => write!(plain, optional),
            _ => write!(plain, required),
        }
        true
    }

    /// A field by its value, if it is set.
    ///
    /// # Safety
    /// As of `compact_field`.
    #[inline(never)]
    unsafe fn rare_field(
        &mut self,
        descriptor: &MessageDescriptor,
        field: &FieldDescriptor,
        message: NonNull<u8>,
    ) -> Result<(), Fail> {
        // SAFETY: as required of the caller.
        let message = unsafe { MessageRef::new(descriptor, message) };
        let Some(value) = message.read(field) else { return Ok(()) };
        self.keyed(field, 0, |place| place);
        self.value(value, field)
    }

    fn compact_list(&mut self, list: ListRef<'_>) -> Result<(), Fail> {
        let start = self.out.len();
        macro_rules! each {
            ($ty:ty, $value:ident, $place:ident => $write:expr) => {
                // SAFETY: the type that `plain` reads.
                for $value in unsafe { list.as_slice::<$ty>() }.iter().copied() {
                    if let Some($place) = self.out.room(NUMBER + 1) {
                        // SAFETY: room for a comma and a number, which is the longest.
                        let place = unsafe { $write };
                        // SAFETY: as above.
                        unsafe { self.out.take(place) };
                    }
                }
            };
        }
        match list.plain() {
            Plain::Bool => {
                each!(bool, value, place => place.bytes(if value { b",true" } else { b",false" }));
            }
            Plain::I32 => each!(i32, value, place => place.byte(b',').signed(value.into())),
            Plain::U32 => each!(u32, value, place => place.byte(b',').unsigned(value.into())),
            Plain::I64 => each!(i64, value, place => place.byte(b',').byte(b'"').signed(value).byte(b'"')),
            Plain::U64 => each!(u64, value, place => place.byte(b',').byte(b'"').unsigned(value).byte(b'"')),
            Plain::F32 => each!(f32, value, place => place.byte(b',').f32(value)),
            Plain::F64 => each!(f64, value, place => place.byte(b',').f64(value)),
            Plain::Str => {
                // SAFETY: the type that `plain` reads.
                for text in unsafe { list.as_slice::<&str>() } {
                    self.out.byte(b',');
                    self.string(text);
                }
            }
            Plain::Message(layout) => {
                let Some(descriptor) = list.field().message() else { return Ok(()) };
                let mut message = list.pointer().cast::<u8>().cast_mut();
                for _ in 0..list.len() {
                    self.out.byte(b',');
                    // SAFETY: one of the elements, which is not null.
                    unsafe { self.compact(descriptor, NonNull::new_unchecked(message))? };
                    message = message.wrapping_add(layout.size());
                }
            }
            Plain::Enum(access) => {
                let mut at = list.pointer().cast::<u8>();
                for _ in 0..list.len() {
                    self.out.byte(b',');
                    // SAFETY: one of the elements.
                    let number = unsafe { (access.number)(at) };
                    self.enumeration(number, list.field().enumeration());
                    at = at.wrapping_add(access.layout.size());
                }
            }
            Plain::Bytes | Plain::Lazy(_) => {
                for value in list.iter() {
                    self.out.byte(b',');
                    self.value(value, list.field())?;
                }
            }
        }
        self.bracket(start, b'[', b']');
        Ok(())
    }

    fn compact_map(&mut self, map: MapRef<'_>, access: &MapAccess) -> Result<(), Fail> {
        let start = self.out.len();
        for (key, value) in map.places() {
            self.out.byte(b',');
            if let Plain::Str = access.key {
                // SAFETY: the access says so.
                self.string(unsafe { *key.cast::<&str>() });
            } else {
                // SAFETY: the access says so.
                self.map_key(Value::of(unsafe { access.key.read(key) }, map.field()))?;
            }
            self.out.byte(b':');
            match access.value {
                // SAFETY: the access says so.
                Plain::Str => self.string(unsafe { *value.cast::<&str>() }),
                // SAFETY: the access says so.
                plain => self.value(Value::of(unsafe { plain.read(value) }, map.field()), map.field())?,
            }
        }
        self.bracket(start, b'{', b'}');
        Ok(())
    }
}
