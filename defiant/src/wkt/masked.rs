//! A `FieldMask` and the messages it is for: whether its paths are theirs, what it covers, and what it changes.
//!
//! Without reflection, messages are put together from their encodings: which records stay is found by number, and the
//! messages' tables have the numbers of the names in the paths.

use alloc::vec::Vec;

use crate::arena::Arena;
use crate::codec::{PACKED_OR_ALONE, Table};
use crate::message::Message;

use super::FieldMask;
use super::field_mask::{FieldMaskError, Kind, canonical};

/// Names in a path; it protects the stack, as the recursion limit of a decoder does.
const DEPTH: usize = 100;

impl FieldMask<'_> {
    /// Whether all paths lead to fields of `M`. Every name of a path but the last is a singular message that is not
    /// [lazy](crate::Lazy). A path has at most 101 names.
    ///
    /// # Errors
    /// [`FieldMaskError::is_field`] with a path that does not.
    ///
    /// ```
    /// # let arena = defiant::Arena::new();
    /// use defiant::wkt::{FieldMask, Type};
    ///
    /// let mask = FieldMask::new(&arena, ["name", "source_context.file_name"])?;
    /// assert!(mask.validate::<Type<'_>>().is_ok());
    /// for path in ["nose", "name.first", "fields.name"] {
    ///     let mask = FieldMask::new(&arena, [path])?;
    ///     assert!(mask.validate::<Type<'_>>().is_err_and(|error| error.is_field()));
    /// }
    /// # Ok::<(), defiant::wkt::FieldMaskError>(())
    /// ```
    pub fn validate<'m, M: Message<'m>>(&self) -> Result<(), FieldMaskError> {
        self.steps(M::TABLE).map(|_| ())
    }

    /// The message with only the fields that the mask covers, as a reader of part of it asks for; all others, unknown
    /// ones too, are unset.
    ///
    /// A message with a covered field inside stays set, be it empty. The empty mask covers nothing. It takes an encode and a
    /// decode.
    ///
    /// # Errors
    /// [`FieldMaskError`] when a path is none of the message's ([`is_field`](FieldMaskError::is_field)), a required field
    /// of a message that is partly covered is not, or the message passes a limit of
    /// [`DecodeOptions::new`](crate::DecodeOptions::new).
    ///
    /// ```
    /// # let arena = defiant::Arena::new();
    /// use defiant::wkt::{FieldMask, SourceContext, Type};
    ///
    /// let source = SourceContext { file_name: "person.proto", ..SourceContext::default() };
    /// let person = Type { name: "Person", edition: "2024", source_context: Some(&source), ..Type::default() };
    /// let mask = FieldMask::new(&arena, ["edition", "source_context.file_name"])?;
    /// assert_eq!(mask.apply(&person, &arena)?, Type { name: "", ..person });
    /// # Ok::<(), defiant::wkt::FieldMaskError>(())
    /// ```
    pub fn apply<'a, M: Message<'a>>(&self, message: &M, arena: &'a Arena) -> Result<M, FieldMaskError> {
        self.rebuild(&[], message, arena)
    }

    /// `target` with the fields that the mask covers as they are in `source`, as a writer of part of a message asks for.
    ///
    /// Covered fields are replaced, messages, lists and maps too, and unset where the source has them unset. A message
    /// with a covered field inside is set if it is in either. It takes two encodes and a decode.
    ///
    /// # Errors
    /// As [`apply`](Self::apply).
    ///
    /// ```
    /// # let arena = defiant::Arena::new();
    /// use defiant::wkt::{FieldMask, Type};
    ///
    /// let stored = Type { name: "Person", edition: "2023", ..Type::default() };
    /// let request = Type { name: "ignored", edition: "2024", ..Type::default() };
    /// let mask = FieldMask::new(&arena, ["edition"])?;
    /// assert_eq!(mask.update(&stored, &request, &arena)?, Type { name: "Person", edition: "2024", ..stored });
    /// # Ok::<(), defiant::wkt::FieldMaskError>(())
    /// ```
    pub fn update<'a, M: Message<'a>>(&self, target: &M, source: &M, arena: &'a Arena) -> Result<M, FieldMaskError> {
        self.rebuild(&target.encode_to_vec(), source, arena)
    }

    fn rebuild<'a, M: Message<'a>>(&self, target: &[u8], source: &M, arena: &'a Arena) -> Result<M, FieldMaskError> {
        let steps = self.steps(M::TABLE)?;
        let mut wire = Vec::new();
        update(target, &source.encode_to_vec(), &steps, &mut wire);
        let mut message = M::default();
        // Merged, because required fields at the top are those of the mask's owner to have covered.
        message.merge(&wire, arena).map_err(|error| {
            let kind = if error.is_missing_required() { Kind::Required } else { Kind::Limit };
            FieldMaskError::new(kind, error.path())
        })?;
        Ok(message)
    }

    /// The steps of the mask, if all paths lead to fields of the message with that table.
    fn steps(&self, table: &'static Table) -> Result<Vec<Step>, FieldMaskError> {
        for path in self.paths {
            check(path, table).map_err(|kind| FieldMaskError::new(kind, path))?;
        }
        let mut paths = self.paths.to_vec();
        let len = canonical(&mut paths);
        Ok(steps(&paths[..len], 0, table))
    }
}

/// Whether a path leads to a field of the message with that table.
fn check(path: &str, mut table: &'static Table) -> Result<(), Kind> {
    let mut names = path.split('.').enumerate().peekable();
    while let Some((depth, name)) = names.next() {
        let number = table.tag(name).ok_or(Kind::Field)? >> 3;
        if names.peek().is_some() {
            if depth == DEPTH {
                return Err(Kind::Limit);
            }
            table = table.message(number).ok_or(Kind::Through)?;
        }
    }
    Ok(())
}

/// A field that is covered, or has covered ones inside; ascending by number.
struct Step {
    number: u32,
    /// As a [`Table`] has it.
    tag: u32,
    /// The covered ones inside; empty when it is covered as a whole.
    inner: Vec<Step>,
}

impl Step {
    /// Whether a record is the field's own. An unknown field may have the same number, and another type.
    fn has(&self, record: &Record<'_>) -> bool {
        record.tag == self.tag || self.tag & 7 == PACKED_OR_ALONE && matches!(record.tag & 7, LENGTH_DELIMITED | VARINT)
    }
}

/// The steps of canonical paths that were checked and are the same up to the byte `skip`, where a name begins.
fn steps(paths: &[&str], skip: usize, table: &'static Table) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut rest = paths;
    while let Some(first) = rest.first() {
        let name = name_at(first, skip);
        let same = rest.iter().take_while(|path| name_at(path, skip) == name).count();
        let (group, others) = rest.split_at(same);
        rest = others;
        let Some(tag) = table.tag(name) else { continue };
        let number = tag >> 3;
        let end = skip + name.len();
        // A path that ends here is the only one of its group: a canonical mask has nothing under it.
        let inner = match table.message(number) {
            Some(table) if first.len() > end => self::steps(group, end + 1, table),
            _ => Vec::new(),
        };
        steps.push(Step { number, tag, inner });
    }
    steps.sort_unstable_by_key(|step| step.number);
    steps
}

fn name_at(path: &str, skip: usize) -> &str {
    path.get(skip..).and_then(|rest| rest.split('.').next()).unwrap_or_default()
}

/// Writes `target` with the covered fields of `source` in place of its own.
fn update(target: &[u8], source: &[u8], steps: &[Step], out: &mut Vec<u8>) {
    let index_of = |record: &Record<'_>| {
        let index = steps.binary_search_by_key(&record.number, |step| step.number).ok();
        index.filter(|index| steps[*index].has(record))
    };
    // The two messages in each field that is covered in part.
    let mut partial: Vec<[Option<Record<'_>>; 2]> = Vec::new();
    partial.resize(steps.len(), [None, None]);
    for record in Records(target) {
        match index_of(&record) {
            Some(index) => {
                partial[index][0].get_or_insert(record);
            }
            None => out.extend_from_slice(record.whole),
        }
    }
    for record in Records(source) {
        if let Some(index) = index_of(&record) {
            partial[index][1].get_or_insert(record);
        }
    }
    // Of the members of a oneof, the one that comes last wins: those that the source has are behind the others.
    write_partial(steps, &partial, false, out);
    for record in Records(source) {
        if index_of(&record).is_some_and(|index| steps[index].inner.is_empty()) {
            out.extend_from_slice(record.whole);
        }
    }
    write_partial(steps, &partial, true, out);
}

/// Writes the fields that are covered in part, either those that are in the source or those that are not.
fn write_partial(steps: &[Step], partial: &[[Option<Record<'_>>; 2]], in_source: bool, out: &mut Vec<u8>) {
    for (step, [target, source]) in steps.iter().zip(partial) {
        let Some(record) = source.or(*target).filter(|_| !step.inner.is_empty() && source.is_some() == in_source)
        else {
            continue;
        };
        let mut inner = Vec::new();
        update(content(*target), content(*source), &step.inner, &mut inner);
        put_varint(u64::from(record.tag), out);
        if record.tag & 7 == LENGTH_DELIMITED {
            put_varint(inner.len() as u64, out);
            out.extend_from_slice(&inner);
        } else {
            out.extend_from_slice(&inner);
            put_varint(u64::from(record.number << 3 | END_GROUP), out);
        }
    }
}

fn content(record: Option<Record<'_>>) -> &[u8] {
    record.map(|record| record.content).unwrap_or_default()
}

const VARINT: u32 = 0;
const FIXED64: u32 = 1;
const LENGTH_DELIMITED: u32 = 2;
const START_GROUP: u32 = 3;
const END_GROUP: u32 = 4;
const FIXED32: u32 = 5;

/// A field on the wire.
#[derive(Clone, Copy)]
struct Record<'w> {
    tag: u32,
    number: u32,
    /// The record with its tag.
    whole: &'w [u8],
    /// What is in it, if it is a message.
    content: &'w [u8],
}

/// The records of an encoded message, which ends early where it is malformed: an encoder wrote it.
struct Records<'w>(&'w [u8]);

impl<'w> Iterator for Records<'w> {
    type Item = Record<'w>;

    fn next(&mut self) -> Option<Record<'w>> {
        let start = self.0;
        let (tag, behind) = take_tag(start)?;
        let (content, rest) = if tag & 7 == START_GROUP { take_group(behind)? } else { take_value(tag, behind)? };
        self.0 = rest;
        Some(Record { tag, number: tag >> 3, whole: start.get(..start.len() - rest.len())?, content })
    }
}

fn take_varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut value = 0;
    for (index, byte) in bytes.iter().enumerate().take(10) {
        value |= u64::from(byte & 0x7f) << (7 * index);
        if *byte < 0x80 {
            return Some((value, &bytes[index + 1..]));
        }
    }
    None
}

fn take_tag(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (tag, rest) = take_varint(bytes)?;
    Some((u32::try_from(tag).ok()?, rest))
}

/// The value behind the tag of a field that is no group, without its length, and what comes behind.
fn take_value(tag: u32, bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    match tag & 7 {
        VARINT => take_varint(bytes).map(|(_, rest)| (&bytes[..bytes.len() - rest.len()], rest)),
        FIXED64 => bytes.split_at_checked(8),
        LENGTH_DELIMITED => {
            let (len, rest) = take_varint(bytes)?;
            rest.split_at_checked(usize::try_from(len).ok()?)
        }
        FIXED32 => bytes.split_at_checked(4),
        _ => None,
    }
}

/// The content of a group behind its tag, and what comes behind its end.
fn take_group(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut open = 1;
    let mut rest = bytes;
    loop {
        let end = bytes.len() - rest.len();
        let (tag, behind) = take_tag(rest)?;
        rest = match tag & 7 {
            START_GROUP => {
                open += 1;
                behind
            }
            END_GROUP => {
                open -= 1;
                behind
            }
            _ => take_value(tag, behind)?.1,
        };
        if open == 0 {
            return Some((&bytes[..end], rest));
        }
    }
}

fn put_varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

#[cfg(test)]
mod tests {
    use std::string::String;

    use proptest::prelude::*;

    use super::*;
    use crate::{Map, UnknownFields};

    #[derive(Clone, Copy, Debug, PartialEq, defiant::Message)]
    #[defiant(name = "test.Node")]
    struct Node<'arena> {
        #[defiant(int32, tag = 1)]
        id: i32,
        #[defiant(string, optional, tag = 2)]
        label: Option<&'arena str>,
        #[defiant(message, optional, tag = 3)]
        child: Option<&'arena Node<'arena>>,
        #[defiant(message, inline, optional, tag = 4)]
        place: Option<Place<'arena>>,
        #[defiant(group, optional, tag = 500)]
        group: Option<&'arena Place<'arena>>,
        #[defiant(message, repeated, tag = 6)]
        places: &'arena [Place<'arena>],
        #[defiant(map = "string, message", tag = 7)]
        map: Map<'arena, &'arena str, Place<'arena>>,
        #[defiant(oneof = "Choice", tags = "8, 9, 10")]
        choice: Option<Choice<'arena>>,
        #[defiant(unknown)]
        unknown_fields: UnknownFields<'arena>,
    }

    #[derive(Clone, Copy, Debug, PartialEq, defiant::Message)]
    #[defiant(name = "test.Place")]
    struct Place<'arena> {
        #[defiant(int32, tag = 1)]
        x: i32,
        #[defiant(int32, tag = 2)]
        y: i32,
        #[defiant(unknown)]
        unknown_fields: UnknownFields<'arena>,
    }

    #[derive(Clone, Copy, Debug, PartialEq, defiant::Oneof)]
    enum Choice<'arena> {
        #[defiant(int32, tag = 8)]
        Number(i32),
        #[defiant(message, tag = 9)]
        Node(&'arena Node<'arena>),
        #[defiant(message, tag = 10)]
        Spot(&'arena Place<'arena>),
    }

    #[derive(Clone, Copy, Debug, PartialEq, defiant::Message)]
    #[defiant(name = "test.Strict")]
    struct Strict<'arena> {
        #[defiant(int32, required, tag = 1)]
        a: i32,
        #[defiant(int32, required, tag = 2)]
        b: i32,
        #[defiant(message, optional, tag = 3)]
        inner: Option<&'arena Strict<'arena>>,
        #[defiant(unknown)]
        unknown_fields: UnknownFields<'arena>,
    }

    fn place(x: i32, y: i32) -> Place<'static> {
        Place { x, y, ..Place::default() }
    }

    fn mask<'a>(paths: &'a [&'a str]) -> FieldMask<'a> {
        FieldMask { paths, ..FieldMask::default() }
    }

    /// Field by field, what `update` makes of encodings.
    fn oracle<'a>(covered: &dyn Fn(&str) -> bool, target: Node<'a>, source: Node<'a>, arena: &'a Arena) -> Node<'a> {
        fn partly(covered: &dyn Fn(&str) -> bool, name: &str) -> bool {
            !covered(name) && ["id", "x", "y"].iter().any(|inner| covered(&std::format!("{name}.{inner}")))
        }
        let both = |name: &str, target: Option<Place<'a>>, source: Option<Place<'a>>| {
            if covered(name) {
                return source;
            }
            if !partly(covered, name) || target.or(source).is_none() {
                return target;
            }
            let (old, new) = (target.unwrap_or_default(), source.unwrap_or_default());
            let pick = |field: &str, old, new| if covered(&std::format!("{name}.{field}")) { new } else { old };
            Some(Place { x: pick("x", old.x, new.x), y: pick("y", old.y, new.y), ..old })
        };
        let child = if covered("child") {
            source.child
        } else if covered("child.id") && target.child.or(source.child).is_some() {
            let old = target.child.copied().unwrap_or_default();
            Some(&*arena.alloc(Node { id: source.child.map_or(0, |child| child.id), ..old }))
        } else {
            target.child
        };
        let spot = |node: &Node<'a>| match node.choice {
            Some(Choice::Spot(spot)) => Some(*spot),
            _ => None,
        };
        let choice = match (target.choice, source.choice) {
            (_, Some(Choice::Number(_))) if covered("number") => source.choice,
            (_, Some(Choice::Spot(_))) if covered("spot") || partly(covered, "spot") => {
                both("spot", spot(&target), spot(&source)).map(|spot| Choice::Spot(arena.alloc(spot)))
            }
            (Some(Choice::Number(_)), _) if covered("number") => None,
            (Some(Choice::Spot(_)), _) => both("spot", spot(&target), None).map(|spot| Choice::Spot(arena.alloc(spot))),
            _ => target.choice,
        };
        Node {
            id: if covered("id") { source.id } else { target.id },
            label: if covered("label") { source.label } else { target.label },
            child,
            place: both("place", target.place, source.place),
            group: both("group", target.group.copied(), source.group.copied()).map(|group| &*arena.alloc(group)),
            places: if covered("places") { source.places } else { target.places },
            map: if covered("map") { source.map } else { target.map },
            choice,
            unknown_fields: target.unknown_fields,
        }
    }

    const PATHS: &[&str] = &[
        "id", "label", "child", "child.id", "place", "place.x", "place.y", "group", "group.y", "places", "map",
        "number", "spot", "spot.x",
    ];

    type Parts = (i32, Option<String>, Option<i32>, [Option<(i32, i32)>; 2], u8, u8);

    fn node<'a>(parts: &'a Parts, arena: &'a Arena) -> Node<'a> {
        let (id, label, child, [first, second], choice, count) = parts;
        let places = (0..i32::from(*count)).map(|index| place(index, -index));
        let child = child.map(|id| Node { id, label: Some("child"), place: Some(place(id, 0)), ..Node::default() });
        let unknown = [0xc0, 0x3e, *count];
        let node = Node {
            id: *id,
            label: label.as_deref(),
            child: child.map(|child| &*arena.alloc(child)),
            place: first.map(|(x, y)| place(x, y)),
            group: second.map(|(x, y)| &*arena.alloc(place(x, y))),
            places: arena.vec_from_iter(places.clone()).into_slice(),
            map: Map::new(arena, ["a", "b", "c"].into_iter().zip(places)),
            choice: match choice {
                0 => None,
                1 => Some(Choice::Number(*id)),
                _ => Some(Choice::Spot(arena.alloc(place(*id, 1)))),
            },
            ..Node::default()
        };
        let mut with_unknown = node;
        with_unknown.merge(&unknown, arena).expect("a field that is unknown");
        with_unknown
    }

    fn parts() -> impl Strategy<Value = Parts> {
        (any::<i32>(), any::<Option<String>>(), any::<Option<i32>>(), any::<[Option<(i32, i32)>; 2]>(), 0u8..3, 0u8..4)
    }

    proptest! {
        #[test]
        fn as_field_by_field(
            paths in prop::collection::vec(prop::sample::select(PATHS), 0..5),
            target in parts(),
            source in parts(),
        ) {
            let arena = Arena::new();
            let mask = mask(&paths);
            let covered = |path: &str| mask.contains(path);
            let (target, source) = (node(&target, &arena), node(&source, &arena));
            let expected = oracle(&covered, target, source, &arena);
            prop_assert_eq!(mask.update(&target, &source, &arena), Ok(expected));
            let expected = oracle(&covered, Node::default(), source, &arena);
            prop_assert_eq!(mask.apply(&source, &arena), Ok(expected));
        }
    }

    #[test]
    fn paths_of_no_field() {
        for path in ["nothing", "ID", "", "id.x", "label.a", "places.x", "map.a", "child.nothing", "choice", "place."] {
            let error = mask(&["id", path]).validate::<Node<'_>>();
            assert!(error.is_err_and(|error| error.is_field() && error.path() == path), "{path}");
        }
        let paths = ["child.child.node.spot.x", "child.places", "place.y", "group.x", "map", "number"];
        assert_eq!(mask(&paths).validate::<Node<'_>>(), Ok(()));
    }

    #[test]
    fn hostile_depth_is_an_error() {
        let deep = |levels| ["child."].repeat(levels).concat() + "id";
        assert!(mask(&[&deep(100)]).validate::<Node<'_>>().is_ok());
        let error = mask(&[&deep(101)]).validate::<Node<'_>>();
        assert!(error.is_err_and(|error| !error.is_field() && !error.is_syntax()));
    }

    #[test]
    fn required_fields() {
        let arena = Arena::new();
        let inner = Strict { a: 3, b: 4, ..Strict::default() };
        let strict = Strict { a: 1, b: 2, inner: Some(&inner), ..Strict::default() };
        // At the top they may stay away; inside they may not.
        assert_eq!(mask(&["a"]).apply(&strict, &arena), Ok(Strict { a: 1, ..Strict::default() }));
        let error = mask(&["inner.a"]).apply(&strict, &arena);
        assert!(error.is_err_and(|error| !error.is_field() && error.path() == "Strict.inner: Strict.b"));
        let other = Strict { a: 7, b: 8, ..Strict::default() };
        let source = Strict { inner: Some(&other), ..strict };
        let updated = mask(&["inner.a"]).update(&strict, &source, &arena);
        assert_eq!(updated, Ok(Strict { inner: Some(&Strict { a: 7, ..inner }), ..strict }));
    }

    #[test]
    fn unknown_fields_inside_a_whole_message_come_with_it() {
        let arena = Arena::new();
        // Field 3, `child`, with an unknown group 20 around an unknown group 21; then field 1 of another wire type.
        let wire = [0x1a, 8, 0xa3, 1, 0xab, 1, 0xac, 1, 0xa4, 1, 0x0a, 0];
        let node = Node::decode(&wire, &arena).expect("a node");
        let whole = mask(&["child"]).apply(&node, &arena).expect("a path of the message");
        assert_eq!(whole.child, node.child);
        assert!(whole.unknown_fields.is_empty());
        let part = mask(&["child.id"]).apply(&node, &arena).expect("a path of the message");
        assert_eq!(part.child, Some(&Node::default()));
        let updated = mask(&["child.id"]).update(&node, &Node { id: 1, ..Node::default() }, &arena);
        assert_eq!(updated, Ok(node));
    }

    #[test]
    fn an_unknown_field_of_the_same_number_is_not_the_message() {
        let arena = Arena::new();
        // Field 500 as the group that it is, and length-delimited, which it is not.
        let wire = [0xa3, 0x1f, 8, 1, 16, 2, 0xa4, 0x1f, 0xa2, 0x1f, 2, 8, 7];
        let node = Node::decode(&wire, &arena).expect("a node");
        assert!(!node.unknown_fields.is_empty());
        let part = mask(&["group.x"]).apply(&node, &arena);
        assert_eq!(part, Ok(Node { group: Some(&place(1, 0)), ..Node::default() }));
    }

    /// Unknown fields that have the number of a message, and another wire type.
    #[test]
    fn what_only_has_the_number_of_a_message_is_none() {
        let arena = Arena::new();
        let update = |path: &str, target: &Node<'_>, wire: &[u8]| {
            let source = Node::decode(wire, &arena).expect("unknown fields");
            let updated = mask(&[path]).update(target, &source, &arena).expect("a path");
            let xy = |place: Place<'_>| (place.x, place.y);
            let spot = match updated.choice {
                Some(Choice::Spot(spot)) => Some(xy(*spot)),
                _ => None,
            };
            [updated.place.map(xy), spot, updated.group.copied().map(xy)]
        };
        let spot = place(1, 2);
        let stored =
            Node { place: Some(place(1, 2)), group: Some(&spot), choice: Some(Choice::Spot(&spot)), ..Node::default() };
        // Fields 4 and 10 as groups, field 500 as a message.
        let (same, unset) = (Some((1, 2)), Some((0, 2)));
        assert_eq!(update("place.x", &stored, &[0x23, 0x24]), [unset, same, same]);
        assert_eq!(update("spot.x", &stored, &[0x53, 0x54]), [same, unset, same]);
        assert_eq!(update("group.x", &stored, &[0xa2, 0x1f, 2, 8, 7]), [same, same, unset]);
        // Nor does such a field of the target become one: it stays what it is.
        let unknown = Node::decode(&[0xa2, 0x1f, 2, 16, 7], &arena).expect("an unknown field");
        let source = Node { group: Some(&spot), ..Node::default() };
        let updated = mask(&["group.x"]).update(&unknown, &source, &arena).expect("a path");
        assert_eq!((updated.group, updated.unknown_fields), (Some(&place(1, 0)), unknown.unknown_fields));
        let part = mask(&["group.x"]).apply(&unknown, &arena).expect("a path");
        assert_eq!(part, Node::default());
    }

    #[derive(Clone, Copy, Debug, PartialEq, Eq, defiant::Enumeration)]
    #[repr(i32)]
    enum Level {
        Low = 0,
        High = 5,
    }

    #[derive(Clone, Copy, Debug, PartialEq, defiant::Message)]
    #[defiant(name = "test.Kinds")]
    struct Kinds<'arena> {
        #[defiant(int32, tag = 1)]
        number: i32,
        #[defiant(fixed32, repeated, tag = 2)]
        packed: &'arena [u32],
        #[defiant(uint32, repeated, packed = false, tag = 3)]
        expanded: &'arena [u32],
        #[defiant(enumeration, optional, tag = 4)]
        level: Option<Level>,
        #[defiant(enumeration, repeated, tag = 5)]
        levels: &'arena [Level],
        #[defiant(map = "int32, enumeration", tag = 6)]
        level_of: Map<'arena, i32, Level>,
        #[defiant(lenient_string, tag = 7)]
        lenient: &'arena str,
        #[defiant(message, optional, tag = 8)]
        inner: Option<&'arena Kinds<'arena>>,
        #[defiant(oneof = "Simple", tags = "18, 19")]
        choice: Option<Simple<'arena>>,
        #[defiant(unknown)]
        unknown_fields: UnknownFields<'arena>,
    }

    #[derive(Clone, Copy, Debug, PartialEq, defiant::Oneof)]
    enum Simple<'arena> {
        #[defiant(enumeration, tag = 18)]
        Rank(Level),
        #[defiant(bytes, tag = 19)]
        Raw(&'arena [u8]),
    }

    const KINDS: [&str; 9] = ["number", "packed", "expanded", "level", "levels", "level_of", "lenient", "rank", "raw"];

    /// Of a field that is covered as a whole, too: an unknown field that has its number only is none of it.
    #[test]
    fn what_only_has_the_number_of_a_field_is_none() {
        let arena = Arena::new();
        // Fixed64 for all but the last, which is a varint.
        let mut wire = Vec::new();
        for number in [1, 2, 3, 4, 5, 6, 7, 18] {
            put_varint(number << 3 | 1, &mut wire);
            wire.extend_from_slice(&[9; 8]);
        }
        wire.extend_from_slice(&[0x98, 1, 9]);
        let inside = [&[0x42, wire.len() as u8], &wire[..]].concat();
        for (kinds, prefix) in [(&wire, ""), (&inside, "inner.")] {
            let kinds = Kinds::decode(kinds, &arena).expect("unknown fields");
            let paths: Vec<_> = KINDS.iter().map(|name| std::format!("{prefix}{name}")).collect();
            let paths: Vec<_> = paths.iter().map(String::as_str).collect();
            let empty = Kinds { inner: kinds.inner.map(|_| &Kinds::DEFAULT), ..Kinds::DEFAULT };
            assert_eq!(mask(&paths).apply(&kinds, &arena), Ok(empty));
            assert_eq!(mask(&paths).update(&Kinds::default(), &kinds, &arena), Ok(empty));
            // What is there stays.
            assert_eq!(mask(&paths).update(&kinds, &Kinds::default(), &arena), Ok(kinds));
        }
    }

    /// What the Rust type does not have is kept among the unknown fields, and is the field's all the same.
    #[test]
    fn values_that_an_enum_does_not_have_go_with_their_field() {
        let arena = Arena::new();
        let wire = [
            &[8, 1, 0x12, 4, 1, 0, 0, 0, 0x18, 7, 0x1a, 2, 8, 9, 0x20, 77, 0x2a, 4, 0, 5, 78, 79][..],
            &[0x32, 4, 8, 1, 16, 77, 0x32, 4, 8, 2, 16, 5, 0x3a, 1, 0xff, 0x90, 1, 76],
        ]
        .concat();
        let kinds = Kinds::decode(&wire, &arena).expect("valid");
        assert_eq!(kinds.unknown_fields.iter().count(), 6);
        assert_eq!(mask(&KINDS).apply(&kinds, &arena), Ok(kinds));
        assert_eq!(mask(&KINDS).update(&kinds, &Kinds::default(), &arena), Ok(Kinds::default()));
        let inner = Kinds { inner: Some(&kinds), ..Kinds::default() };
        let paths: Vec<_> = KINDS.iter().map(|name| std::format!("inner.{name}")).collect();
        let paths: Vec<_> = paths.iter().map(String::as_str).collect();
        assert_eq!(mask(&paths).apply(&inner, &arena), Ok(inner));
    }

    #[derive(Clone, Copy, Debug, PartialEq, defiant::Message)]
    #[defiant(name = "test.Slow")]
    struct Slow<'arena> {
        #[defiant(message, lazy, tag = 1)]
        node: Option<crate::Lazy<'arena, Node<'arena>>>,
        #[defiant(unknown)]
        unknown_fields: UnknownFields<'arena>,
    }

    /// The content of a lazy message is whatever its sender made it.
    #[test]
    fn no_path_goes_into_a_lazy_message() {
        let arena = Arena::new();
        let slow = Slow::decode(&[0x0a, 4, 8, 5, 0x12, 9], &arena).expect("it is not looked at");
        let error = mask(&["node.id"]).apply(&slow, &arena).expect_err("it goes on");
        assert!(error.is_field() && std::format!("{error}").ends_with("or a lazy one"), "{error}");
        let part = mask(&["node"]).apply(&slow, &arena).expect("as a whole");
        assert_eq!(part, slow);
    }
}
