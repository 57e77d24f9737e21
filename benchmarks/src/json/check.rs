//! Whether two texts say the same.

use serde_json::Value;

/// Where two texts differ as values, and how; `None` where they are the same.
///
/// What ProtoJSON leaves to the writer is no difference: the order of members, how a number is written, as long as it is
/// read as the same, and the offset of a time that is UTC.
///
/// # Errors
/// When one is not JSON.
pub(super) fn difference(one: &str, other: &str) -> Result<Option<String>, serde_json::Error> {
    Ok(between("$", &serde_json::from_str(one)?, &serde_json::from_str(other)?))
}

fn between(path: &str, one: &Value, other: &Value) -> Option<String> {
    let same = match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            let mut names: Vec<&String> = one.keys().chain(other.keys()).collect();
            names.sort();
            names.dedup();
            let member = |name: &&String| match (one.get(*name), other.get(*name)) {
                (Some(one), Some(other)) => between(&format!("{path}.{name}"), one, other),
                (one, _) => {
                    Some(format!("{path}.{name} is only in the {}", if one.is_some() { "first" } else { "second" }))
                }
            };
            return names.iter().find_map(member);
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            let mut pairs = one.iter().zip(other).enumerate();
            return pairs.find_map(|(index, (one, other))| between(&format!("{path}[{index}]"), one, other));
        }
        (Value::String(one), Value::String(other)) => zulu(one) == zulu(other),
        (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
        _ => one == other,
    };
    (!same).then(|| format!("{path}: {one} is not {other}"))
}

/// A time with `Z` for its offset; other texts as they are.
fn zulu(text: &str) -> String {
    match text.strip_suffix("+00:00") {
        Some(time) => format!("{time}Z"),
        None => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::difference;

    #[test]
    fn finds_what_differs_and_nothing_else() {
        let same = [
            (r#"{"a":1,"b":[2.5]}"#, r#"{ "b": [25e-1], "a": 1.0 }"#),
            (r#"["2025-01-01T00:00:00Z"]"#, r#"["2025-01-01T00:00:00+00:00"]"#),
        ];
        for (one, other) in same {
            assert_eq!(difference(one, other).expect("both are JSON"), None, "{one} and {other}");
        }
        let different = [
            (r#"{"a":{"b":1}}"#, r#"{"a":{"b":2}}"#, "$.a.b: 1 is not 2"),
            (r#"{"a":"1"}"#, r#"{"a":1}"#, "$.a: \"1\" is not 1"),
            (r#"{"a":1}"#, "{}", "$.a is only in the first"),
            ("{}", r#"{"a":1}"#, "$.a is only in the second"),
            ("[1]", "[1,2]", "$: [1] is not [1,2]"),
        ];
        for (one, other, expected) in different {
            assert_eq!(difference(one, other).expect("both are JSON").as_deref(), Some(expected));
        }
        assert!(difference("{", "{}").is_err());
    }
}
