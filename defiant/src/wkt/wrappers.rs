//! The wrappers of scalars, and `Empty`: into them and out of them.

use crate::unknown::UnknownFields;

use super::{
    BoolValue, BytesValue, DoubleValue, Empty, FloatValue, Int32Value, Int64Value, StringValue, UInt32Value,
    UInt64Value,
};

macro_rules! wrappers {
    ($($wrapper:ident: $inner:ty;)*) => {$(
        impl<'arena> $wrapper<'arena> {
            /// A value in its wrapper.
            #[must_use]
            pub const fn new(value: $inner) -> Self {
                $wrapper { value, unknown_fields: UnknownFields::EMPTY }
            }
        }

        impl<'arena> From<$inner> for $wrapper<'arena> {
            fn from(value: $inner) -> Self {
                Self::new(value)
            }
        }

        /// Drops the unknown fields.
        impl<'arena> From<$wrapper<'arena>> for $inner {
            fn from(wrapper: $wrapper<'arena>) -> Self {
                wrapper.value
            }
        }
    )*};
}

wrappers! {
    BoolValue: bool;
    BytesValue: &'arena [u8];
    DoubleValue: f64;
    FloatValue: f32;
    Int32Value: i32;
    Int64Value: i64;
    StringValue: &'arena str;
    UInt32Value: u32;
    UInt64Value: u64;
}

impl From<()> for Empty<'_> {
    fn from((): ()) -> Self {
        Self::default()
    }
}

/// Drops the unknown fields.
impl From<Empty<'_>> for () {
    fn from(_: Empty<'_>) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Arena, Message as _};

    #[test]
    fn in_and_out() {
        let arena = Arena::new();
        assert_eq!(StringValue::from("text").encode_in(&arena), b"\x0a\x04text");
        assert_eq!(BytesValue::from(&b"\xff"[..]).encode_in(&arena), b"\x0a\x01\xff");
        assert_eq!(Int64Value::from(-1).encoded_len(), 11);
        assert_eq!(BoolValue::from(false).encoded_len(), 0);
        assert_eq!(Empty::from(()).encoded_len(), 0);
        assert_eq!(u64::from(UInt64Value::from(u64::MAX)), u64::MAX);
        assert_eq!(f32::from(FloatValue::new(0.5)), 0.5);
        assert_eq!(<&str>::from(StringValue::new("text")), "text");
        const LIMIT: Int32Value<'_> = Int32Value::new(5);
        assert_eq!(i32::from(LIMIT), 5);
    }
}
