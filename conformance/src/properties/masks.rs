//! Operations of `FieldMask`, compared with sets of paths, and with JSON for the messages that they change.

use defiant::wkt::FieldMask;
use defiant::{Arena, Message, json};
use serde_json::{Map, Value};

use crate::shapes::Singular;

type Fields = &'static [(&'static str, Option<Type>)];

/// The messages that paths go through.
#[derive(Clone, Copy)]
enum Type {
    Singular,
    Needy,
    Mixed,
}

impl Type {
    /// Names for paths, each with the message that it leads into. The last one is no field.
    fn fields(self) -> Fields {
        match self {
            Type::Singular => &[
                ("a_int32", None),
                ("a_string", None),
                ("an_open", None),
                ("a_child", Some(Type::Singular)),
                ("a_group", Some(Type::Needy)),
                ("mixed", Some(Type::Mixed)),
                ("nose", None),
            ],
            Type::Needy => &[("must", None), ("may", Some(Type::Singular)), ("nose", None)],
            Type::Mixed => &[
                ("int32s", None),
                ("singulars", None),
                ("strings_by_string", None),
                ("chosen_string", None),
                ("chosen_mixed", Some(Type::Mixed)),
                ("between", None),
                ("nose", None),
            ],
        }
    }
}

/// The first byte has the numbers of paths in two masks, the next two have the lengths of two messages. The messages follow,
/// then a byte for each name of the paths.
pub(super) fn masks(bytes: &[u8]) -> Result<(), String> {
    let [counts, target, source, rest @ ..] = bytes else { return Ok(()) };
    let (target, rest) = rest.split_at(usize::from(*target).min(rest.len()));
    let (source, rest) = rest.split_at(usize::from(*source).min(rest.len()));
    let mut names = rest.iter();
    let mut byte = || names.next().copied().unwrap_or_default();
    let [left, right] =
        [counts & 7, counts >> 3 & 7].map(|count| (0..count).map(|_| path(&mut byte)).collect::<Vec<_>>());
    let arena = Arena::new();
    let mask = |paths: &[String]| {
        let paths = paths.iter().map(|path| arena.alloc_str(path));
        FieldMask::new(&arena, paths).map_err(|error| error.to_string())
    };
    let masks = [mask(&left)?, mask(&right)?];
    sets(&left, &right, masks, &arena)?;
    texts(masks[0], &arena)?;
    let is_valid = left.iter().all(|path| leads(path));
    if masks[0].validate::<Singular<'_>>().is_ok() != is_valid {
        return Err(format!("{left:?}: valid is {}", !is_valid));
    }
    match (Singular::decode(target, &arena), Singular::decode(source, &arena)) {
        (Ok(target), Ok(source)) if is_valid => messages(masks[0], &target, &source, &arena),
        _ => Ok(()),
    }
}

/// A path of names that mostly lead somewhere.
fn path(byte: &mut impl FnMut() -> u8) -> String {
    let mut of = Type::Singular;
    let mut path = String::new();
    loop {
        let pick = byte();
        let fields = of.fields();
        // The name that is no field is rare.
        let fields = if pick < 0xf0 { &fields[..fields.len() - 1] } else { fields };
        let (name, inside) = fields[usize::from(pick & 0xf) % fields.len()];
        path += name;
        match inside.filter(|_| pick & 0x30 != 0) {
            Some(inside) => of = inside,
            // Sometimes a name too many.
            None if pick & 0x30 == 0x10 && path.len() < 60 => {}
            None => return path,
        }
        path.push('.');
    }
}

/// Names of the longest path that `validate` takes.
const NAMES: usize = 101;

/// Whether a path leads to a field.
fn leads(path: &str) -> bool {
    let mut of = Some(Type::Singular);
    path.split('.').count() <= NAMES
        && path.split('.').all(|name| {
            let field = of.and_then(|of| of.fields().iter().find(|field| field.0 == name && name != "nose"));
            of = field.and_then(|field| field.1);
            field.is_some()
        })
}

/// Whether one of the paths is `path` or one above it.
fn covers(paths: &[String], path: &str) -> bool {
    paths.iter().any(|one| path.strip_prefix(&**one).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
}

/// Compares operations on two masks with those on sets, for all paths of either and some that lie under them.
fn sets<'a>(left: &[String], right: &[String], masks: [FieldMask<'a>; 2], arena: &'a Arena) -> Result<(), String> {
    let union = masks[0].union(&masks[1], arena);
    let both = masks[0].intersect(&masks[1], arena);
    let without = masks[0].subtract(&masks[1], arena);
    let normal = masks[0].normalized(arena);
    let universe = left.iter().chain(right).flat_map(|path| {
        let above = path.match_indices('.').map(|(at, _)| path[..at].to_owned());
        above.chain([path.clone(), format!("{path}.x"), format!("{path}x")])
    });
    for path in universe {
        let [of_left, of_right] = [covers(left, &path), covers(right, &path)];
        for (what, mask, expected) in [
            ("mask", masks[0], of_left),
            ("normal form", normal, of_left),
            ("union", union, of_left || of_right),
            ("intersection", both, of_left && of_right),
        ] {
            if mask.contains(&path) != expected {
                return Err(format!(
                    "{left:?}, {right:?}: the {what} {:?} and {path}: expected {expected}",
                    mask.paths
                ));
            }
        }
    }
    let mut expected: Vec<_> = normal.paths.iter().filter(|path| !covers(right, path)).collect();
    if !without.paths.iter().eq(expected.iter().copied()) {
        return Err(format!("{left:?} without {right:?} is {:?}, expected {expected:?}", without.paths));
    }
    expected.clear();
    for mask in [normal, union, both, without] {
        let names = |path: &&str| path.split('.').map(str::to_owned).collect::<Vec<_>>();
        let is_canonical = mask.paths.windows(2).all(|pair| {
            let (first, second) = (names(&pair[0]), names(&pair[1]));
            first < second && !second.starts_with(&first)
        });
        if !is_canonical {
            return Err(format!("{left:?}, {right:?}: {:?} is not canonical", mask.paths));
        }
    }
    Ok(())
}

/// The text in JSON is read back as the mask.
fn texts<'a>(mask: FieldMask<'a>, arena: &'a Arena) -> Result<(), String> {
    let Ok(text) = mask.json_text(arena) else {
        // A digit comes after an underscore in none of the names.
        return Err(format!("{:?} has no text", mask.paths));
    };
    let again = FieldMask::from_json_text(text, arena).map_err(|error| error.to_string())?;
    if again.paths != mask.paths {
        return Err(format!("{:?} is {text:?}, which is {:?}", mask.paths, again.paths));
    }
    Ok(())
}

/// A message as JSON, if it can be.
fn value(message: &Singular<'_>) -> Option<Value> {
    serde_json::from_str(&json::encode(message).ok()?).ok()
}

/// The name of a field in JSON.
fn camel(name: &str) -> String {
    let mut parts = name.split('_');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |name, part| {
        let (head, tail) = part.split_at(part.len().min(1));
        name + &head.to_ascii_uppercase() + tail
    })
}

/// Compares what a mask does to messages with what it does to their JSON.
fn messages<'a>(
    mask: FieldMask<'a>,
    target: &Singular<'a>,
    source: &Singular<'a>,
    arena: &'a Arena,
) -> Result<(), String> {
    let (Some(target_json), Some(source_json)) = (value(target), value(source)) else { return Ok(()) };
    for (what, outcome, before) in [
        ("apply", mask.apply(source, arena), Value::Object(Map::new())),
        ("update", mask.update(target, source, arena), target_json),
    ] {
        // A required field in a group that is covered in part.
        let Ok(message) = outcome else {
            if mask.paths.iter().any(|path| path.contains("a_group.") || path.contains("chosen_group.")) {
                continue;
            }
            return Err(format!("{what} of {:?}: {outcome:?}", mask.paths));
        };
        let mut expected = before;
        for path in mask.normalized(arena).paths {
            let names: Vec<String> = path.split('.').map(camel).collect();
            replace(&mut expected, &source_json, &names);
        }
        // Of several members of a oneof, the last one on the wire wins, which JSON cannot tell.
        if has_two_members(&expected) {
            continue;
        }
        let Some(found) = value(&message) else { continue };
        if found != expected {
            return Err(format!("{what} of {:?} is {found}, expected {expected}", mask.paths));
        }
    }
    Ok(())
}

/// Replaces the field at a path.
fn replace(target: &mut Value, source: &Value, names: &[String]) {
    let ([name, rest @ ..], Value::Object(fields)) = (names, target) else { return };
    let of_source = source.get(name);
    if rest.is_empty() {
        match of_source {
            Some(value) => drop(fields.insert(name.clone(), value.clone())),
            None => drop(fields.remove(name)),
        }
    } else if of_source.is_some() || fields.contains_key(name) {
        let inner = fields.entry(name.clone()).or_insert_with(|| Value::Object(Map::new()));
        replace(inner, of_source.unwrap_or(&Value::Null), rest);
    }
}

fn has_two_members(value: &Value) -> bool {
    match value {
        Value::Object(fields) => {
            fields.keys().filter(|name| name.starts_with("chosen")).count() > 1 || fields.values().any(has_two_members)
        }
        Value::Array(values) => values.iter().any(has_two_members),
        _ => false,
    }
}
