//! The list of the libraries, which is what lies in `src/libraries`.

use std::error::Error;
use std::fs;
use std::path::Path;

/// The files in that folder, of which each is a library but for those that `mod.rs` names.
const FOLDER: &str = "src/libraries";
/// What a library's constants begin with; one file may have several.
const CONSTANT: &str = "pub(super) const ";
/// What stands first in a file that is not part of every build.
const CONDITION: &str = "#![cfg(";

/// Writes a module for each file and the list of all libraries: Defiant first and prost, to which all are compared, second;
/// the walk that is no library last.
pub(crate) fn list(out: &Path) -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed={FOLDER}");
    let shared = fs::read_to_string(Path::new(FOLDER).join("mod.rs"))?;
    let mut found = Vec::new();
    for entry in fs::read_dir(FOLDER)? {
        let path = entry?.path();
        let Some(name) = path.file_stem().and_then(|stem| stem.to_str()) else { continue };
        let known = name == "mod" || shared.lines().any(|line| line == format!("mod {name};"));
        if known || path.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let source = fs::read_to_string(&path)?;
        let libraries = libraries(&source);
        if libraries.is_empty() {
            return Err(format!("{}: there is no line `{CONSTANT}LIBRARY: Library`", path.display()).into());
        }
        let rank = match name {
            "defiant" => 0,
            "prost" => 1,
            "skip" => 3,
            _ => 2,
        };
        let condition = source.lines().find_map(|line| line.strip_prefix(CONDITION)?.strip_suffix(")]"));
        let condition = condition.map_or_else(String::new, |condition| format!("#[cfg({condition})] "));
        let module = format!("{condition}#[path = {:?}] mod {name};\n", std::path::absolute(&path)?);
        let entries: String = libraries.iter().map(|library| format!("    {condition}{name}::{library},\n")).collect();
        found.push((rank, name.to_owned(), module, entries));
    }
    found.sort();

    let mut list: String = found.iter().map(|(_, _, module, _)| module.as_str()).collect();
    list.push_str("/// Every library of this build, Defiant first.\npub const ALL: &[Library] = &[\n");
    list.extend(found.iter().map(|(_, _, _, entries)| entries.as_str()));
    list.push_str("];\n");
    Ok(fs::write(out.join("libraries.rs"), list)?)
}

/// The names of the constants that are libraries.
fn libraries(source: &str) -> Vec<&str> {
    let declared = source.lines().filter_map(|line| line.strip_prefix(CONSTANT)?.split_once(": "));
    declared.filter(|(_, what)| what.starts_with("Library = ")).map(|(name, _)| name).collect()
}
