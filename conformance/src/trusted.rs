//! Writes `audit.txt`: every safe item that safe code can name and unsafe code may meet, and why unsafe code can rely on it.
//!
//! [`audit`](crate::audit) lists the `unsafe` code. It is sound only if what it meets behaves, and some of that safe code can
//! implement or call: traits, and the items of `defiant::__private`, which derive output names. This module finds those items in the
//! source. Each needs a reason:
//!
//! * A function that takes a `Reader`, a `Cursor`, a `Context` or a `Scope` has none to give: only the runtime makes these, and
//!   passes them to implementations of unsafe traits.
//! * A function that writes to a `Sink` meets a finished message, and sinks check their capacity.
//! * Any other item states its reason in a comment `// TRUST:` above it.
//!
//! An item without a reason fails the test. `BLESS=1` rewrites the file.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use crate::audit::{files, lines, words};

/// What only the runtime makes.
const CAPABILITIES: [&str; 4] = ["Reader", "Cursor", "Context", "Scope"];

/// The names that `defiant::__private` exports. The functions that it exports with a glob are all of `codec/calls.rs`.
fn exported(private: &str) -> BTreeSet<String> {
    let code: String = lines(private).into_iter().map(|(code, _)| code + "\n").collect();
    let uses = code.split("pub use").skip(1).filter_map(|rest| rest.split_once(';'));
    uses.flat_map(|(names, _)| words(names).map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// The comment `// TRUST:` in the lines above an item: its documentation, attributes and comments.
fn stated(lines: &[(String, String)], item: usize) -> Option<String> {
    let above = lines[..item].iter().rev().take_while(|(code, comment)| {
        let code = code.trim();
        code.starts_with('#') || code.is_empty() && !comment.is_empty()
    });
    let mut comments: Vec<&str> = above.map(|(_, comment)| comment.trim()).collect();
    comments.reverse();
    let start = comments.iter().position(|comment| comment.starts_with("// TRUST:"))?;
    let reason = comments[start..].iter().take_while(|comment| comment.starts_with("// "));
    let reason: Vec<&str> = reason.map(|comment| comment.trim_start_matches("// ").trim()).collect();
    Some(reason.join(" ").trim_start_matches("TRUST:").trim().to_owned())
}

/// An item and its reason, if it has one.
#[derive(Debug, PartialEq, Eq)]
struct Item {
    name: String,
    reason: Option<String>,
}

/// The items of a file. Derive output may name `names`, and every function if `all` is set.
fn items(source: &str, names: &BTreeSet<String>, all: bool) -> Vec<Item> {
    let lines = lines(source);
    let mut found = Vec::new();
    let mut implements: Option<String> = None;
    for (index, (code, _)) in lines.iter().enumerate() {
        let item = code.trim();
        if item == "mod tests {" {
            break;
        }
        if code.starts_with("impl") || item.starts_with("impl<") {
            let header = item.split(" where").next().unwrap_or(item);
            let header = header.split_once(" for ").map_or(header, |(_, ty)| ty);
            let mut depth = 0;
            // The first word outside of angle brackets, after `impl`.
            let outside: String = header
                .chars()
                .map(|one| {
                    depth += i32::from(one == '<') - i32::from(one == '>');
                    if depth == 0 && one != '>' { one } else { ' ' }
                })
                .collect();
            implements = words(&outside).find(|word| *word != "impl").map(str::to_owned);
        } else if code.starts_with('}') || item.starts_with(")*}") {
            implements = None;
        }
        if let Some(rest) = item.strip_prefix("pub trait ") {
            let name = words(rest).next().unwrap_or("");
            found.push(Item { name: format!("trait {name}"), reason: stated(&lines, index) });
            continue;
        }
        let Some(rest) = item.strip_prefix("pub fn ").or_else(|| item.strip_prefix("pub const fn ")) else { continue };
        let name = rest.split(['(', '<']).next().unwrap_or("");
        let of_exported = implements.as_ref().is_some_and(|ty| names.contains(ty));
        let is_exported = of_exported || implements.is_none() && (all || names.contains(name));
        if !is_exported {
            continue;
        }
        let mut signature = String::new();
        for (code, _) in &lines[index..] {
            signature.push_str(code.trim());
            if code.contains('{') && !code.contains("Value:") || code.trim_end().ends_with('{') {
                break;
            }
        }
        let takes = |ty: &str| words(&signature).any(|word| word == ty) || implements.as_deref() == Some(ty);
        let reason = stated(&lines, index).or_else(|| {
            let capability = CAPABILITIES.into_iter().find(|ty| takes(ty));
            let capability =
                capability.map(|ty| format!("only the runtime makes a `{ty}`, for implementations of unsafe traits."));
            let writes =
                takes("Sink").then(|| "it writes a finished message, and sinks check their capacity.".to_owned());
            capability.or(writes)
        });
        let name = implements.as_ref().map_or(name.to_owned(), |ty| format!("{ty}::{name}"));
        found.push(Item { name: format!("fn {name}"), reason });
    }
    found
}

#[test]
fn every_trusted_item_has_a_reason() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../defiant/src").canonicalize().expect("the crate");
    let names = exported(&fs::read_to_string(root.join("private.rs")).expect("the list"));
    assert!(names.contains("Reader") && names.contains("FieldOf"), "{names:?}");
    let mut sources = Vec::new();
    files(&root, &mut sources);
    sources.sort();
    let mut page = String::from(
        "Safe items that unsafe code may meet, and why it can rely on them. Written by conformance/src/trusted.rs:\n\
         BLESS=1 cargo test -p conformance --lib trusted\n",
    );
    let mut without = Vec::new();
    for path in sources {
        let file = path.strip_prefix(&root).expect("below").to_str().expect("text").replace('\\', "/");
        // The stand-ins of this file hold nothing.
        if file.contains("tests") || file == "undescribed.rs" {
            continue;
        }
        // The formats have public functions of the same names.
        let none = BTreeSet::new();
        let names = if file.starts_with("json/") || file.starts_with("text/") { &none } else { &names };
        let found = items(&fs::read_to_string(&path).expect("a source"), names, file == "codec/calls.rs");
        if !found.is_empty() {
            let _ = writeln!(page, "\n{file}");
        }
        for item in found {
            match item.reason {
                Some(reason) => drop(writeln!(page, "  {}: {reason}", item.name)),
                None => without.push(format!("{file}: {}", item.name)),
            }
        }
    }
    assert!(without.is_empty(), "these state no reason: {without:#?}");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("audit.txt");
    if env::var_os("BLESS").is_some() {
        fs::write(&file, &page).expect("writable");
    }
    let current = fs::read_to_string(&file).unwrap_or_default();
    assert!(current == page, "audit.txt is not current: BLESS=1 cargo test -p conformance --lib trusted");
}

#[test]
fn items_are_found_with_their_reasons() {
    let source = r"
/// Documented.
// TRUST: it is
// sealed.
#[must_use]
pub trait Stated {}
pub trait Silent {}
pub unsafe trait Unsafe {}
impl<'arena> Reader<'_, 'arena> {
    pub fn read(&mut self) {}
}
impl<M: Message<'static>> FieldOf<M> {
    pub const fn plain(
        self,
    ) -> Self {}
    pub unsafe fn promises() {}
    pub(crate) fn inside() {}
}
impl Other {
    pub fn of_another(&self) {}
}
pub fn write<S: Sink>(sink: &mut S) {}
pub fn unnamed() {}
";
    let names = ["Reader", "FieldOf", "write"].map(str::to_owned).into();
    let found: Vec<_> = items(source, &names, false).into_iter().map(|item| (item.name, item.reason)).collect();
    let some = |reason: &str| Some(reason.to_owned());
    let expected = [
        ("trait Stated", some("it is sealed.")),
        ("trait Silent", None),
        ("fn Reader::read", some("only the runtime makes a `Reader`, for implementations of unsafe traits.")),
        ("fn FieldOf::plain", None),
        ("fn write", some("it writes a finished message, and sinks check their capacity.")),
    ];
    assert_eq!(found, expected.map(|(name, reason)| (name.to_owned(), reason)));
}
