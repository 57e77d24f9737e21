//! How fields lie in messages whose types are made at run time.
#![expect(unsafe_code, reason = "reads and writes fields through pointers without a type")]

#[cfg(feature = "dynamic")]
use core::alloc::Layout;
use core::ptr::NonNull;

use super::{Access, FieldDescriptor, Plain, Raw, Type, WellKnown};
#[cfg(feature = "dynamic")]
use super::{Link, MapAccess};
use crate::map::untyped;
use crate::table::runtime::SLOT_VALUE;

impl Plain {
    /// The layout of an `Option` of the type, which is no message and no enum but one that is held as its number.
    #[cfg(feature = "dynamic")]
    pub(crate) fn optional_layout(self) -> Layout {
        match self {
            Plain::Bool => Layout::new::<Option<bool>>(),
            Plain::I32 | Plain::Enum(_) => Layout::new::<Option<i32>>(),
            Plain::I64 => Layout::new::<Option<i64>>(),
            Plain::U32 => Layout::new::<Option<u32>>(),
            Plain::U64 => Layout::new::<Option<u64>>(),
            Plain::F32 => Layout::new::<Option<f32>>(),
            Plain::F64 => Layout::new::<Option<f64>>(),
            Plain::Str => Layout::new::<Option<&str>>(),
            Plain::Bytes => Layout::new::<Option<&[u8]>>(),
            Plain::Message(_) | Plain::Lazy(_) => Layout::new::<()>(),
        }
    }
}

#[cfg(feature = "dynamic")]
impl MapAccess {
    /// Of a map whose types are known at run time only, held as [`untyped::Slot`].
    pub(crate) fn untyped(key_type: Type, value: Plain, link: Link) -> Option<MapAccess> {
        let key = Plain::of(key_type);
        let (entry, value_offset) = key.layout().extend(value.layout()).ok()?;
        Some(MapAccess {
            entry: entry.pad_to_align(),
            key_offset: 0,
            value_offset,
            key,
            key_type,
            value,
            link,
            entries: untyped::entries,
            build: untyped::build,
        })
    }
}

impl Access {
    /// The layout of a field of a type that was made at run time; not of a oneof's member.
    #[cfg(feature = "dynamic")]
    pub(crate) fn layout(self) -> Layout {
        match self {
            Access::Implicit(plain) | Access::Required(plain) => plain.layout(),
            Access::Optional(plain) => plain.optional_layout(),
            Access::Reference => Layout::new::<Option<NonNull<u8>>>(),
            Access::List(_) => Layout::new::<*const [()]>(),
            Access::Map(_) => Layout::new::<untyped::Slot>(),
            Access::Inline(_) | Access::Member | Access::Variant(_) => Layout::new::<()>(),
        }
    }

    /// Writes such a field as it is when nothing is set: of a closed enum that is required, its first value.
    ///
    /// # Safety
    /// Zeros in memory of that layout, or of a oneof.
    pub(crate) unsafe fn write_unset(self, at: *mut u8, first: i32) {
        macro_rules! write {
            ($ty:ty, $value:expr) => {
                // SAFETY: as required of the caller.
                unsafe { at.cast::<$ty>().write($value) }
            };
        }
        match self {
            Access::Implicit(plain) | Access::Required(plain) => match plain {
                Plain::Str => write!(&str, ""),
                Plain::Bytes => write!(&[u8], &[]),
                Plain::Enum(_) => write!(i32, first),
                // Zeros are.
                _ => {}
            },
            Access::Optional(plain) => match plain {
                Plain::Bool => write!(Option<bool>, None),
                Plain::I32 | Plain::Enum(_) => write!(Option<i32>, None),
                Plain::I64 => write!(Option<i64>, None),
                Plain::U32 => write!(Option<u32>, None),
                Plain::U64 => write!(Option<u64>, None),
                Plain::F32 => write!(Option<f32>, None),
                Plain::F64 => write!(Option<f64>, None),
                Plain::Str => write!(Option<&str>, None),
                Plain::Bytes => write!(Option<&[u8]>, None),
                Plain::Message(_) | Plain::Lazy(_) => {}
            },
            Access::Reference => write!(Option<NonNull<u8>>, None),
            Access::List(_) => write!(*const [()], crate::codec::untyped::EMPTY),
            Access::Map(_) => write!(untyped::Slot, None),
            // Number 0.
            Access::Inline(_) | Access::Member | Access::Variant(_) => {}
        }
    }

    /// Reads the value of a oneof's member if it is in force.
    ///
    /// # Safety
    /// As [`Plain::read`], of a oneof that was made at run time and has this member.
    #[inline]
    pub(crate) unsafe fn read_variant<'a>(plain: Plain, at: *const u8, number: u32) -> Option<Raw<'a>> {
        // SAFETY: as required of the caller.
        if unsafe { *at.cast::<u32>() } != number {
            return None;
        }
        // SAFETY: in the place of the oneof.
        let value = unsafe { at.add(SLOT_VALUE) };
        if let Plain::Message(_) = plain {
            // SAFETY: as required of the caller.
            return Some(Raw::Message(unsafe { *value.cast::<NonNull<u8>>() }));
        }
        // SAFETY: as required of the caller.
        Some(unsafe { plain.read(value) })
    }

    /// Puts a oneof's member in force; `false` as of [`Plain::write`].
    ///
    /// # Safety
    /// As there, with the place of such a oneof.
    pub(crate) unsafe fn write_variant(plain: Plain, at: *mut u8, number: u32, value: Raw<'_>) -> bool {
        // SAFETY: in the place of the oneof.
        let place = unsafe { at.add(SLOT_VALUE) };
        let written = match (plain, value) {
            (Plain::Message(_), Raw::Message(message)) => {
                // SAFETY: as required of the caller.
                unsafe { place.cast::<NonNull<u8>>().write(message) };
                true
            }
            (Plain::Message(_), _) => false,
            // SAFETY: as required of the caller. What is of another type is not written.
            _ => unsafe { plain.write(place, value) },
        };
        if written {
            // SAFETY: as required of the caller.
            unsafe { at.cast::<u32>().write(number) };
        }
        written
    }
}

impl WellKnown {
    /// Which of the messages that JSON has forms for one of this name is: none of them, unless it has their fields.
    pub(crate) fn of_made(full_name: &str, fields: &[FieldDescriptor]) -> Self {
        use Type::{Bool, Bytes, Double, Enum, Int32, Int64, Message, String};
        let known = WellKnown::of(full_name);
        let is = |types: &[Type]| {
            let single = |field: &FieldDescriptor| !field.is_list() && !field.is_map();
            types.len() == fields.len()
                && fields
                    .iter()
                    .zip(types)
                    .zip(1..)
                    .all(|((field, ty), number)| field.number() == number && field.ty() == *ty && single(field))
        };
        let fits = match (known, fields) {
            (WellKnown::None | WellKnown::Empty, _) => true,
            (WellKnown::Any, _) => is(&[String, Bytes]),
            (WellKnown::Duration | WellKnown::Timestamp, _) => is(&[Int64, Int32]),
            (WellKnown::Value, _) => {
                is(&[Enum, Double, String, Bool, Message, Message])
                    && fields.iter().all(|field| field.oneof() == Some(0))
            }
            (WellKnown::FieldMask, [field]) => field.number() == 1 && field.ty() == String && field.is_list(),
            (WellKnown::ListValue, [field]) => field.number() == 1 && field.ty() == Message && field.is_list(),
            (WellKnown::Struct, [field]) => {
                field.number() == 1 && field.key_type() == Some(String) && field.ty() == Message
            }
            (WellKnown::Wrapper, [field]) => !matches!(field.ty(), Message | Type::Group | Enum) && is(&[field.ty()]),
            _ => false,
        };
        if fits { known } else { WellKnown::None }
    }
}
