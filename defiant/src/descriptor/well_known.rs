//! The messages that JSON has forms of its own for.

/// Which one a message is.
///
/// Source: <https://protobuf.dev/programming-guides/json/>.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WellKnown {
    /// None of them.
    None,
    Any,
    Duration,
    Empty,
    FieldMask,
    ListValue,
    Struct,
    Timestamp,
    Value,
    /// `BoolValue` and the others with one field `value`.
    Wrapper,
}

impl WellKnown {
    pub(crate) const fn of(full_name: &str) -> Self {
        const NAMES: &[(&str, WellKnown)] = &[
            ("Any", WellKnown::Any),
            ("Duration", WellKnown::Duration),
            ("Empty", WellKnown::Empty),
            ("FieldMask", WellKnown::FieldMask),
            ("ListValue", WellKnown::ListValue),
            ("Struct", WellKnown::Struct),
            ("Timestamp", WellKnown::Timestamp),
            ("Value", WellKnown::Value),
            ("BoolValue", WellKnown::Wrapper),
            ("BytesValue", WellKnown::Wrapper),
            ("DoubleValue", WellKnown::Wrapper),
            ("FloatValue", WellKnown::Wrapper),
            ("Int32Value", WellKnown::Wrapper),
            ("Int64Value", WellKnown::Wrapper),
            ("StringValue", WellKnown::Wrapper),
            ("UInt32Value", WellKnown::Wrapper),
            ("UInt64Value", WellKnown::Wrapper),
        ];
        let Some((package, name)) = full_name.as_bytes().split_at_checked("google.protobuf.".len()) else {
            return WellKnown::None;
        };
        if !same(package, b"google.protobuf.") {
            return WellKnown::None;
        }
        let mut index = 0;
        while index < NAMES.len() {
            if same(name, NAMES[index].0.as_bytes()) {
                return NAMES[index].1;
            }
            index += 1;
        }
        WellKnown::None
    }
}

pub(crate) const fn is(left: &str, right: &str) -> bool {
    same(left.as_bytes(), right.as_bytes())
}

const fn same(left: &[u8], right: &[u8]) -> bool {
    if left.len() != right.len() {
        return false;
    }
    let mut index = 0;
    while index < left.len() {
        if left[index] != right[index] {
            return false;
        }
        index += 1;
    }
    true
}
