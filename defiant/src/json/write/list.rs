//! The elements of lists, by their type.
#![expect(unsafe_code, reason = "takes the elements as a slice of the type that the list says")]

use super::Writer;
use crate::descriptor::Plain;
use crate::json::error::Fail;
use crate::reflect::ListRef;

impl Writer<'_, '_> {
    /// The elements, each behind a separator.
    pub(super) fn elements(&mut self, list: ListRef<'_>, separator: &mut u8) -> Result<(), Fail> {
        macro_rules! each {
            ($ty:ty, $write:expr) => {{
                // SAFETY: the type that `plain` reads.
                for value in unsafe { list.as_slice::<$ty>() } {
                    self.separator(core::mem::replace(separator, b','));
                    $write(self, *value);
                }
            }};
        }
        match list.plain() {
            Plain::Bool => {
                each!(bool, Self::bool);
            }
            Plain::I32 => each!(i32, |this: &mut Self, value: i32| this.out.signed(value.into())),
            Plain::U32 => each!(u32, |this: &mut Self, value: u32| this.out.unsigned(value.into())),
            Plain::I64 => each!(i64, |this: &mut Self, value| this.out.quoted_signed(value)),
            Plain::U64 => each!(u64, |this: &mut Self, value| this.out.quoted_unsigned(value)),
            Plain::F32 => each!(f32, Self::f32),
            Plain::F64 => each!(f64, Self::f64),
            Plain::Str => each!(&str, Self::string),
            Plain::Bytes => each!(&[u8], Self::base64),
            Plain::Enum(_) | Plain::Message(_) | Plain::Lazy(_) => {
                for value in list.iter() {
                    self.separator(core::mem::replace(separator, b','));
                    self.value(value, list.field())?;
                }
            }
        }
        Ok(())
    }
}
