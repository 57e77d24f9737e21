//! Which messages have a form in JSON: <https://protobuf.dev/programming-guides/json/>, said once more.

use defiant::reflect::{MessageRef, Resolver, Value};
use defiant::{Arena, DecodeOptions};

use super::wire::records;

/// Why a message has no JSON, if it has none.
pub(super) fn missing<'c>(
    message: MessageRef<'_>,
    resolver: &'c dyn Resolver,
    arena: &'c Arena,
) -> Option<&'static str> {
    let name = message.descriptor().full_name();
    let number = |number| match message.get_by_number(number) {
        Some(Value::I64(value)) => value,
        Some(Value::I32(value)) => value.into(),
        _ => 0,
    };
    match name.strip_prefix("google.protobuf.").unwrap_or("") {
        "Timestamp" => {
            let good =
                (-62_135_596_800..=253_402_300_799).contains(&number(1)) && (0..1_000_000_000).contains(&number(2));
            return (!good).then_some("a timestamp out of range");
        }
        "Duration" => {
            let (seconds, nanos) = (number(1), number(2));
            let good = seconds.unsigned_abs() <= 315_576_000_000
                && nanos.unsigned_abs() < 1_000_000_000
                && seconds.signum() * nanos.signum() >= 0;
            return (!good).then_some("a duration out of range");
        }
        "FieldMask" => {
            let Some(Value::List(paths)) = message.get_by_number(1) else { return Some("no field mask") };
            let good = paths.iter().all(|path| matches!(path, Value::String(path) if comes_back(path)));
            return (!good).then_some("a path that does not come back from camelCase");
        }
        "Value" => {
            let Some((_, kind)) = message.fields().next() else { return Some("a value of no kind") };
            if matches!(kind, Value::F64(number) if !number.is_finite()) {
                return Some("a value that is no number");
            }
        }
        "Any" => {
            let Some(Value::String(url)) = message.get_by_number(1) else { return Some("no Any") };
            let Some(Value::Bytes(content)) = message.get_by_number(2) else { return Some("no Any") };
            if url.is_empty() && content.is_empty() {
                return None;
            }
            let Some(ty) = url.rsplit_once('/').and_then(|(_, name)| resolver.message(name)) else {
                return Some("an Any of an unknown type");
            };
            let content = arena.alloc_slice_copy(content);
            return match ty.decode(content, &DecodeOptions::new(), arena) {
                Ok(message) => missing(message, resolver, arena),
                Err(_) => Some("an Any whose content does not decode"),
            };
        }
        // What has a form of its own has no extensions.
        "Struct" | "ListValue" => {}
        _ => {
            if let Some(why) = in_extensions(message, resolver, arena) {
                return Some(why);
            }
        }
    }
    message.fields().find_map(|(_, value)| in_value(value, resolver, arena))
}

fn in_value<'c>(value: Value<'_>, resolver: &'c dyn Resolver, arena: &'c Arena) -> Option<&'static str> {
    match value {
        Value::Message(message) => missing(message, resolver, arena),
        Value::List(list) => list.iter().find_map(|value| in_value(value, resolver, arena)),
        Value::Map(map) => map.iter().find_map(|(_, value)| in_value(value, resolver, arena)),
        _ => None,
    }
}

fn in_extensions<'c>(message: MessageRef<'_>, resolver: &'c dyn Resolver, arena: &'c Arena) -> Option<&'static str> {
    let unknown = message.unknown_fields().spans().collect::<Vec<_>>().concat();
    let records = records(&unknown)?;
    let host = message.descriptor().full_name();
    records.iter().find_map(|(number, _)| {
        let extension = resolver.extension_by_number(host, u32::try_from(*number).ok()?)?;
        let same: Vec<&[u8]> = records.iter().filter(|record| record.0 == *number).map(|record| record.1).collect();
        let wire = arena.alloc_slice_copy(&same.concat());
        match extension.holder().decode(wire, &DecodeOptions::new(), arena) {
            Ok(holder) => {
                in_value(holder.get(extension.field()), resolver, arena).filter(|_| holder.has(extension.field()))
            }
            Err(_) => Some("an extension that does not decode"),
        }
    })
}

/// Whether a path is the same after a way to camelCase and back.
fn comes_back(path: &str) -> bool {
    let mut camel = String::new();
    let mut upper = false;
    for letter in path.chars() {
        if letter == '_' && !upper {
            upper = true;
        } else {
            camel.push(if upper { letter.to_ascii_uppercase() } else { letter });
            upper = false;
        }
    }
    let mut back = String::new();
    for letter in camel.chars() {
        if letter.is_ascii_uppercase() {
            back.push('_');
        }
        back.push(letter.to_ascii_lowercase());
    }
    let known = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.');
    !path.is_empty() && back == path && path.chars().all(known)
}
