//! Values that are read by the type they have in memory, and written there at once.
#![expect(unsafe_code, reason = "writes fields and elements of the types that their descriptors say")]

use super::{Access, Fail, FieldDescriptor, MessageMut, Reader};
use crate::descriptor::Plain;
use crate::reflect::ListBuilder;

impl<'arena> Reader<'_, '_, 'arena> {
    /// Reads a singular field of one of the usual types; `false` for others, of which nothing is read.
    #[inline]
    pub(super) fn typed(&mut self, out: &mut MessageMut<'_, 'arena>, field: &FieldDescriptor) -> Result<bool, Fail> {
        macro_rules! set {
            ($ty:ty, $value:expr) => {{
                let value: $ty = $value;
                // SAFETY: the field's own memory, of this type as the descriptor says.
                unsafe { out.place(field).cast::<$ty>().write(value) }
            }};
        }
        match field.access() {
            Access::Implicit(plain) | Access::Required(plain) => match plain {
                Plain::Bool => set!(bool, self.bool()?),
                Plain::I32 => set!(i32, self.i32()?),
                Plain::I64 => set!(i64, self.i64()?),
                Plain::U32 => set!(u32, self.u32()?),
                Plain::U64 => set!(u64, self.u64()?),
                Plain::F64 => set!(f64, self.double()?),
                Plain::Str => set!(&'arena str, self.scanner.value_string()?),
                _ => return Ok(false),
            },
            Access::Optional(plain) => match plain {
                Plain::Bool => set!(Option<bool>, Some(self.bool()?)),
                Plain::I32 => set!(Option<i32>, Some(self.i32()?)),
                Plain::I64 => set!(Option<i64>, Some(self.i64()?)),
                Plain::U32 => set!(Option<u32>, Some(self.u32()?)),
                Plain::U64 => set!(Option<u64>, Some(self.u64()?)),
                Plain::F64 => set!(Option<f64>, Some(self.double()?)),
                Plain::Str => set!(Option<&'arena str>, Some(self.scanner.value_string()?)),
                _ => return Ok(false),
            },
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Reads the elements of a list of one of the usual types, up to its end; `false` for others, of which nothing is read.
    pub(super) fn typed_elements(&mut self, list: &mut ListBuilder<'arena>) -> Result<bool, Fail> {
        let store = self.scanner.store;
        macro_rules! each {
            ($ty:ty, $value:expr) => {{
                loop {
                    let value: $ty = $value;
                    // SAFETY: the type that the list's `plain` says.
                    unsafe { list.push_as(value, store)? };
                    if !self.scanner.follows(b']')? {
                        return Ok(true);
                    }
                }
            }};
        }
        match list.plain() {
            Plain::Bool => each!(bool, self.bool()?),
            Plain::I32 => each!(i32, self.i32()?),
            Plain::I64 => each!(i64, self.i64()?),
            Plain::U32 => each!(u32, self.u32()?),
            Plain::U64 => each!(u64, self.u64()?),
            Plain::F32 => each!(f32, self.float()?),
            Plain::F64 => each!(f64, self.double()?),
            Plain::Str => each!(&'arena str, self.scanner.value_string()?),
            Plain::Bytes | Plain::Enum(_) | Plain::Message(_) | Plain::Lazy(_) => Ok(false),
        }
    }
}
