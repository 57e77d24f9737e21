//! Comments and places, from the source info of a file.

use std::collections::HashMap;

use defiant::wkt::FileDescriptorProto;
use defiant::wkt::source_code_info::Location;

use super::Place;

/// Finds locations by their path: field numbers and indices from the file down.
pub(super) struct Locations<'a> {
    file: &'a str,
    by_path: HashMap<&'a [i32], &'a Location<'a>>,
}

impl<'a> Locations<'a> {
    pub(super) fn new(file: &FileDescriptorProto<'a>) -> Self {
        let mut by_path = HashMap::new();
        for location in file.source_code_info.iter().flat_map(|info| info.location) {
            // The first is the declaration itself; later ones continue it (`extend` blocks).
            by_path.entry(location.path).or_insert(location);
        }
        Self { file: file.name(), by_path }
    }

    pub(super) fn place(&self, path: &[i32]) -> Place {
        let start = self.by_path.get(path).and_then(|location| match *location.span {
            [line, column, ..] => Some((u32::try_from(line).ok()? + 1, u32::try_from(column).ok()? + 1)),
            _ => None,
        });
        Place { file: self.file.to_owned(), start }
    }

    /// The comment above and the comment behind; those that stand alone belong to nobody.
    pub(super) fn comment(&self, path: &[i32]) -> Option<String> {
        let location = self.by_path.get(path)?;
        let parts: Vec<&str> = [location.leading_comments(), location.trailing_comments()]
            .into_iter()
            .filter(|text| !text.trim().is_empty())
            .collect();
        if parts.is_empty() { None } else { Some(parts.join("\n\n")) }
    }
}
