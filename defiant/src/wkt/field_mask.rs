//! `FieldMask`: sets of field paths, and their text in ProtoJSON.

use core::cmp::Ordering;
use core::fmt;

use alloc::boxed::Box;

use crate::arena::Arena;
use crate::unknown::UnknownFields;

use super::FieldMask;

impl<'arena> FieldMask<'arena> {
    /// A mask of paths, as they are: neither sorted nor rid of doubles.
    ///
    /// A path is one or more names of fields as in the `.proto` file, with dots between them: letters, digits and
    /// underscores that do not begin with a digit. A struct literal takes anything.
    ///
    /// # Errors
    /// [`FieldMaskError::is_syntax`] with the first path that is not one.
    ///
    /// # Panics
    /// When memory or the arena's limit is exhausted.
    ///
    /// ```
    /// # let arena = defiant::Arena::new();
    /// use defiant::wkt::FieldMask;
    ///
    /// let mask = FieldMask::new(&arena, ["name", "home.street_name"])?;
    /// assert_eq!(mask.paths, ["name", "home.street_name"]);
    /// assert_eq!(FieldMask::new(&arena, ["home..street"]).unwrap_err().path(), "home..street");
    /// # Ok::<(), defiant::wkt::FieldMaskError>(())
    /// ```
    pub fn new(arena: &'arena Arena, paths: impl IntoIterator<Item = &'arena str>) -> Result<Self, FieldMaskError> {
        let mask = Self::of(arena.vec_from_iter(paths).into_slice());
        match mask.paths.iter().find(|path| !is_path(path)) {
            None => Ok(mask),
            Some(path) => Err(FieldMaskError::new(Kind::Syntax, path)),
        }
    }

    fn of(paths: &'arena [&'arena str]) -> Self {
        FieldMask { paths, unknown_fields: UnknownFields::EMPTY }
    }

    /// Whether the mask covers a path: has the path itself or one that it lies under.
    ///
    /// ```
    /// # let arena = defiant::Arena::new();
    /// # use defiant::wkt::FieldMask;
    /// let mask = FieldMask::new(&arena, ["name", "home.street"])?;
    /// assert!(mask.contains("name"));
    /// assert!(mask.contains("home.street.number"));
    /// assert!(!mask.contains("home"));
    /// assert!(!mask.contains("home.street_number"));
    /// # Ok::<(), defiant::wkt::FieldMaskError>(())
    /// ```
    #[must_use]
    pub fn contains(&self, path: &str) -> bool {
        self.paths.iter().any(|mask| covers(mask, path))
    }

    /// The canonical form: sorted, every path once, and none that lies under another. Unknown fields are dropped.
    ///
    /// # Panics
    /// When memory or the arena's limit is exhausted.
    ///
    /// ```
    /// # let arena = defiant::Arena::new();
    /// # use defiant::wkt::FieldMask;
    /// let mask = FieldMask::new(&arena, ["name", "home.street", "home", "name"])?;
    /// assert_eq!(mask.normalized(&arena).paths, ["home", "name"]);
    /// # Ok::<(), defiant::wkt::FieldMaskError>(())
    /// ```
    #[must_use]
    pub fn normalized(&self, arena: &'arena Arena) -> Self {
        normalize(arena.alloc_slice_copy(self.paths))
    }

    /// The mask that covers what either covers, in [canonical form](Self::normalized).
    ///
    /// # Panics
    /// When memory or the arena's limit is exhausted.
    ///
    /// ```
    /// # let arena = defiant::Arena::new();
    /// # use defiant::wkt::FieldMask;
    /// let left = FieldMask::new(&arena, ["name", "home.street"])?;
    /// let right = FieldMask::new(&arena, ["home", "age"])?;
    /// assert_eq!(left.union(&right, &arena).paths, ["age", "home", "name"]);
    /// # Ok::<(), defiant::wkt::FieldMaskError>(())
    /// ```
    #[must_use]
    pub fn union(&self, other: &Self, arena: &'arena Arena) -> Self {
        let mut paths = arena.vec_with_capacity(self.paths.len() + other.paths.len());
        paths.extend_from_slice(self.paths);
        paths.extend_from_slice(other.paths);
        normalize(paths.into_slice_mut())
    }

    /// The mask that covers what both cover, in [canonical form](Self::normalized).
    ///
    /// # Panics
    /// When memory or the arena's limit is exhausted.
    ///
    /// ```
    /// # let arena = defiant::Arena::new();
    /// # use defiant::wkt::FieldMask;
    /// let left = FieldMask::new(&arena, ["name", "home.street"])?;
    /// let right = FieldMask::new(&arena, ["home", "age"])?;
    /// assert_eq!(left.intersect(&right, &arena).paths, ["home.street"]);
    /// # Ok::<(), defiant::wkt::FieldMaskError>(())
    /// ```
    #[must_use]
    pub fn intersect(&self, other: &Self, arena: &'arena Arena) -> Self {
        let (mut left, mut right) = (self.normalized(arena).paths, other.normalized(arena).paths);
        let mut paths = arena.vec();
        // Both are sorted, and what lies under a path comes right behind it.
        while let (Some((&first, left_rest)), Some((&second, right_rest))) = (left.split_first(), right.split_first()) {
            if covers(first, second) {
                paths.push(second);
                right = right_rest;
            } else if covers(second, first) {
                paths.push(first);
                left = left_rest;
            } else if compare(first, second).is_lt() {
                left = left_rest;
            } else {
                right = right_rest;
            }
        }
        Self::of(paths.into_slice())
    }

    /// The mask without the paths that another one covers, in [canonical form](Self::normalized).
    ///
    /// A path of which the other mask covers a part stays whole: `home` without `home.street` is `home`, because which
    /// other fields `home` has is not known here.
    ///
    /// # Panics
    /// When memory or the arena's limit is exhausted.
    ///
    /// ```
    /// # let arena = defiant::Arena::new();
    /// # use defiant::wkt::FieldMask;
    /// let mask = FieldMask::new(&arena, ["name", "home.street", "work"])?;
    /// let other = FieldMask::new(&arena, ["home", "work.street"])?;
    /// assert_eq!(mask.subtract(&other, &arena).paths, ["name", "work"]);
    /// # Ok::<(), defiant::wkt::FieldMaskError>(())
    /// ```
    #[must_use]
    pub fn subtract(&self, other: &Self, arena: &'arena Arena) -> Self {
        let mut others = other.normalized(arena).paths;
        let paths = self.normalized(arena).paths.iter().copied().filter(|path| {
            // Neither covers the path nor a later one, which are all behind it.
            while let Some((first, rest)) = others.split_first() {
                if covers(first, path) || compare(path, first).is_le() {
                    break;
                }
                others = rest;
            }
            !others.first().is_some_and(|first| covers(first, path))
        });
        Self::of(arena.vec_from_iter(paths).into_slice())
    }

    /// The text that stands between the quotes in ProtoJSON: the paths in camelCase, with commas between them.
    ///
    /// # Errors
    /// [`FieldMaskError`] with the first path that is not one, or that would not come back from camelCase as it was: it
    /// has a capital letter, or an underscore without a small letter behind it.
    ///
    /// # Panics
    /// When memory or the arena's limit is exhausted.
    ///
    /// Source: <https://protobuf.dev/programming-guides/json/>.
    ///
    /// ```
    /// # let arena = defiant::Arena::new();
    /// # use defiant::wkt::FieldMask;
    /// let mask = FieldMask::new(&arena, ["name", "home.street_name"])?;
    /// assert_eq!(mask.json_text(&arena)?, "name,home.streetName");
    /// assert!(FieldMask::new(&arena, ["line_2"])?.json_text(&arena).is_err());
    /// # Ok::<(), defiant::wkt::FieldMaskError>(())
    /// ```
    pub fn json_text<'a>(&self, arena: &'a Arena) -> Result<&'a str, FieldMaskError> {
        let len = self.paths.iter().map(|path| path.len() + 1).sum();
        let mut text = arena.vec_with_capacity(len);
        for path in self.paths {
            if !is_path(path) {
                return Err(FieldMaskError::new(Kind::Syntax, path));
            }
            if !text.is_empty() {
                text.push(b',');
            }
            let mut bytes = path.bytes();
            while let Some(byte) = bytes.next() {
                text.push(match byte {
                    b'_' => match bytes.next() {
                        Some(letter @ b'a'..=b'z') => letter.to_ascii_uppercase(),
                        _ => return Err(FieldMaskError::new(Kind::RoundTrip, path)),
                    },
                    b'A'..=b'Z' => return Err(FieldMaskError::new(Kind::RoundTrip, path)),
                    other => other,
                });
            }
        }
        // ASCII throughout, as paths are.
        Ok(core::str::from_utf8(text.into_slice()).unwrap_or_default())
    }

    /// Reads the text that stands between the quotes in ProtoJSON: paths in camelCase, with commas between them. The
    /// empty text is the empty mask.
    ///
    /// # Errors
    /// [`FieldMaskError::is_syntax`] with the first path that is not one, or has an underscore.
    ///
    /// # Panics
    /// When memory or the arena's limit is exhausted.
    ///
    /// Source: <https://protobuf.dev/programming-guides/json/>.
    ///
    /// ```
    /// # let arena = defiant::Arena::new();
    /// # use defiant::wkt::FieldMask;
    /// let mask = FieldMask::from_json_text("name,home.streetName", &arena)?;
    /// assert_eq!(mask.paths, ["name", "home.street_name"]);
    /// assert!(FieldMask::from_json_text("street_name", &arena).is_err());
    /// # Ok::<(), defiant::wkt::FieldMaskError>(())
    /// ```
    pub fn from_json_text(text: &str, arena: &'arena Arena) -> Result<Self, FieldMaskError> {
        if text.is_empty() {
            return Ok(Self::of(&[]));
        }
        if let Some(path) = text.split(',').find(|path| path.contains('_') || !is_path(path)) {
            return Err(FieldMaskError::new(Kind::CamelCase, path));
        }
        let capitals = text.bytes().filter(u8::is_ascii_uppercase).count();
        let mut snake = arena.vec_with_capacity(text.len() + capitals);
        for byte in text.bytes() {
            if byte.is_ascii_uppercase() {
                snake.push(b'_');
            }
            snake.push(byte.to_ascii_lowercase());
        }
        // ASCII throughout, as paths and commas are.
        let snake = core::str::from_utf8(snake.into_slice()).unwrap_or_default();
        Ok(Self::of(arena.vec_from_iter(snake.split(',')).into_slice()))
    }
}

/// Names of fields with dots between them.
fn is_path(path: &str) -> bool {
    path.split('.').all(|name| {
        !name.starts_with(|c: char| c.is_ascii_digit())
            && !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

/// Whether `path` is `outer` or lies under it.
fn covers(outer: &str, path: &str) -> bool {
    path.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Name by name, so that what lies under a path comes right behind it, whatever characters names are made of.
fn compare(left: &str, right: &str) -> Ordering {
    let rank = |byte| if byte == b'.' { 0 } else { u16::from(byte) + 1 };
    left.bytes().map(rank).cmp(right.bytes().map(rank))
}

fn normalize<'arena>(paths: &'arena mut [&'arena str]) -> FieldMask<'arena> {
    let len = canonical(paths);
    FieldMask::of(&paths[..len])
}

/// Moves the paths of the canonical form to the front, and says how many they are.
pub(super) fn canonical(paths: &mut [&str]) -> usize {
    paths.sort_unstable_by(|left, right| compare(left, right));
    let mut kept = 0;
    for index in 0..paths.len() {
        if kept == 0 || !covers(paths[kept - 1], paths[index]) {
            paths[kept] = paths[index];
            kept += 1;
        }
    }
    kept
}

/// A path that a [`FieldMask`] cannot have, or not in ProtoJSON, or not for a message.
///
/// ```
/// use defiant::{Arena, wkt::FieldMask};
///
/// let arena = Arena::new();
/// let error = FieldMask::new(&arena, ["name", "2nd"]).unwrap_err();
/// assert_eq!(error.to_string(), "field mask path \"2nd\": not names of fields with dots between them");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldMaskError {
    kind: Kind,
    path: Box<str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Syntax,
    CamelCase,
    RoundTrip,
    Field,
    Through,
    Required,
    Limit,
}

impl FieldMaskError {
    #[cold]
    pub(super) fn new(kind: Kind, path: &str) -> Self {
        FieldMaskError { kind, path: path.into() }
    }

    /// The path, as it was given; of a required field that is missing, as in [`DecodeError::path`](crate::DecodeError::path).
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The path is not made of names of fields, or not of such as there are in camelCase.
    #[must_use]
    pub fn is_syntax(&self) -> bool {
        matches!(self.kind, Kind::Syntax | Kind::CamelCase)
    }

    /// The message has no such field, or the path goes on behind a field that is no singular message, or a lazy one.
    #[must_use]
    pub fn is_field(&self) -> bool {
        matches!(self.kind, Kind::Field | Kind::Through)
    }
}

impl fmt::Display for FieldMaskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reason = match self.kind {
            Kind::Syntax => "not names of fields with dots between them",
            Kind::CamelCase => "not names of fields in camelCase with dots between them",
            Kind::RoundTrip => "does not come back from camelCase as it was",
            Kind::Field => "the message has no such field",
            Kind::Through => "goes on behind a field that is no singular message, or a lazy one",
            Kind::Required => "required field not covered",
            Kind::Limit => "nested too deep, or memory limit reached",
        };
        write!(f, "field mask path {:?}: {reason}", self.path)
    }
}

impl core::error::Error for FieldMaskError {}

#[cfg(test)]
mod tests {
    use std::string::String;
    use std::vec::Vec;

    use proptest::prelude::*;

    use super::*;

    fn mask<'a>(paths: &'a [&'a str]) -> FieldMask<'a> {
        FieldMask::of(paths)
    }

    #[test]
    fn syntax() {
        let arena = Arena::new();
        for path in ["a", "_", "_a", "a1", "a_1", "a.b.c", "A.B", "a__b_"] {
            assert!(FieldMask::new(&arena, [path]).is_ok(), "{path}");
        }
        for path in ["", ".", "a.", ".a", "a..b", "1", "a.1", "a b", "a,b", "a-b", "*", "a.*", "ä", "a.`b`", "a\0"] {
            assert!(FieldMask::new(&arena, [path]).is_err_and(|error| error.is_syntax()), "{path}");
        }
    }

    #[test]
    fn json() {
        let arena = Arena::new();
        for (paths, text) in [
            (&[][..], ""),
            (&["foo", "bar_baz"], "foo,barBaz"),
            (&["a.b_c.d"], "a.bC.d"),
            (&["foo3_bar"], "foo3Bar"),
            (&["_foo"], "Foo"),
            (&["a._b"], "a.B"),
        ] {
            assert_eq!(mask(paths).json_text(&arena), Ok(text));
            assert_eq!(FieldMask::from_json_text(text, &arena), Ok(mask(paths)));
        }
        for path in ["fooBar", "foo_3_bar", "foo__bar", "foo_", "foo_.bar", "foo_Bar", "_"] {
            let error = mask(&["fine", path]).json_text(&arena);
            assert!(error.is_err_and(|error| !error.is_syntax() && error.path() == path), "{path}");
        }
        for path in ["", "a b", "a,b", "1a"] {
            assert!(mask(&[path]).json_text(&arena).is_err_and(|error| error.is_syntax()), "{path}");
        }
        for text in ["foo,bar_bar", ",", "a,", ",a", "a,,b", "a, b", " ", "a..b", "\"a\"", "1", "ä"] {
            assert!(FieldMask::from_json_text(text, &arena).is_err_and(|error| error.is_syntax()), "{text}");
        }
    }

    #[test]
    fn what_lies_under_a_path_goes_with_it_whatever_comes_between() {
        let arena = Arena::new();
        // A hyphen comes before the dot, an underscore after it.
        assert_eq!(mask(&["a.b", "a-b", "a_b", "a"]).normalized(&arena).paths, ["a", "a-b", "a_b"]);
    }

    /// Few names, so that paths meet.
    fn paths() -> impl Strategy<Value = Vec<String>> {
        prop::collection::vec(prop::sample::select(all_paths()), 0..8)
    }

    fn all_paths() -> Vec<String> {
        let mut all: Vec<String> = ["a", "b", "ab", "a_"].map(String::from).into();
        let depth = if cfg!(miri) { 3 } else { 5 };
        for index in 0.. {
            if index == all.len() || all[index].split('.').count() == depth {
                break;
            }
            for name in [".a", ".b"] {
                let deeper = all[index].clone() + name;
                all.push(deeper);
            }
        }
        all
    }

    proptest! {
        #[test]
        fn sets_of_paths(left in paths(), right in paths()) {
            let arena = Arena::new();
            let left: Vec<&str> = left.iter().map(String::as_str).collect();
            let right: Vec<&str> = right.iter().map(String::as_str).collect();
            let (left, right) = (mask(&left), mask(&right));
            let union = left.union(&right, &arena);
            let both = left.intersect(&right, &arena);
            let less = left.subtract(&right, &arena);
            for path in all_paths() {
                let (in_left, in_right) = (left.contains(&path), right.contains(&path));
                prop_assert_eq!(left.normalized(&arena).contains(&path), in_left);
                prop_assert_eq!(union.contains(&path), in_left || in_right);
                prop_assert_eq!(both.contains(&path), in_left && in_right);
                // A canonical path of the left one that the right one covers is gone, and with it all under it.
                let outermost = left.normalized(&arena).paths.iter().find(|outer| covers(outer, &path)).copied();
                prop_assert_eq!(less.contains(&path), outermost.is_some_and(|outer| !right.contains(outer)));
            }
            for canonical in [union, both, less] {
                prop_assert_eq!(canonical.normalized(&arena), canonical);
                prop_assert!(canonical.paths.is_sorted());
            }
        }

        #[test]
        fn camel_case_round_trips(paths in prop::collection::vec("[a-zA-Z_][a-z0-9_]{0,5}(\\.[a-z_]{1,4})?", 0..4)) {
            let arena = Arena::new();
            let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
            if let Ok(text) = mask(&paths).json_text(&arena) {
                prop_assert_eq!(FieldMask::from_json_text(text, &arena), Ok(mask(&paths)));
            }
        }

        #[test]
        fn any_text_that_reads_writes_itself(text in "[a-zA-Z0-9_.,]{0,12}") {
            let arena = Arena::new();
            if let Ok(mask) = FieldMask::from_json_text(&text, &arena) {
                prop_assert_eq!(mask.json_text(&arena), Ok(text.as_str()));
            }
        }
    }
}
