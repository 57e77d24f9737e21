//! Enums: closed ones as Rust enums, open ones as transparent numbers.

use std::collections::HashSet;

use super::Generator;
use super::docs;
use super::writer::Writer;
use crate::schema::{Enum, Value};

impl Generator<'_> {
    pub(super) fn enumeration(&self, item: &Enum, out: &mut Writer) {
        let path = format!(".{}", item.full_name);
        let how = if item.open { "an open enum" } else { "an enum" };
        self.docs(&path, item.comment.as_deref(), &format!("`{}`, {how}.", item.full_name), out);
        self.attributes(&[&self.type_attributes, &self.enum_attributes], &path, out);
        if item.open { self.open(item, out) } else { self.closed(item, out) }
    }

    fn open(&self, item: &Enum, out: &mut Writer) {
        let derive = format!("{}::Enumeration", self.config.crate_path);
        out.derive(&["Clone", "Copy", "PartialEq", "Eq", "PartialOrd", "Ord", "Hash", &derive]);
        out.line("#[repr(transparent)]");
        self.enum_options(item, "open", item.values.iter().collect(), out);
        if item.deprecated {
            out.line("#[deprecated]");
        }
        out.line(&format!("pub struct {}(pub i32);", item.ident));
    }

    fn closed(&self, item: &Enum, out: &mut Writer) {
        let derive = format!("{}::Enumeration", self.config.crate_path);
        self.derive(
            &format!(".{}", item.full_name),
            &["Clone", "Copy", "Debug", "PartialEq", "Eq", "PartialOrd", "Ord", "Hash", &derive],
            out,
        );
        out.line("#[repr(i32)]");
        self.enum_options(item, "alias", item.values.iter().filter(|value| value.alias).collect(), out);
        if item.deprecated {
            out.line("#[deprecated]");
        }
        let variants = item.values.iter().filter(|value| !value.alias).map(|value| value.ident.as_str());
        allow_variant_names(&item.ident, variants, out);
        out.block(&format!("pub enum {} {{", item.ident), "}", |out| {
            for value in item.values.iter().filter(|value| !value.alias) {
                let path = format!(".{}.{}", item.full_name, value.name);
                self.value_docs(value, &path, out);
                self.attributes(&[&self.field_attributes], &path, out);
                if value.ident != value.name {
                    out.line(&format!("#[defiant(name = \"{}\")]", value.name));
                }
                if value.deprecated {
                    out.line("#[deprecated]");
                }
                out.line(&format!("{} = {},", value.ident, value.number));
            }
        });
    }

    /// `#[defiant(name = "..", crate = "..", list(..))]`, the list being values that are constants.
    fn enum_options(&self, item: &Enum, list: &str, constants: Vec<&Value>, out: &mut Writer) {
        let mut options = vec![format!("name = \"{}\"", item.full_name)];
        // The derive brings the `Debug` of an open enum.
        if item.open && !self.skip_debug.matching(&format!(".{}", item.full_name)).is_empty() {
            options.push("debug = false".to_owned());
        }
        options.extend(self.crate_option());
        if constants.is_empty() {
            out.attribute("defiant", &options);
            return;
        }
        out.block(&format!("#[defiant({}, {list}(", options.join(", ")), "))]", |out| {
            for value in constants {
                let path = format!(".{}.{}", item.full_name, value.name);
                self.value_docs(value, &path, out);
                self.attributes(&[&self.field_attributes], &path, out);
                if value.deprecated {
                    out.line("#[deprecated]");
                }
                out.line(&format!("{} = {} \"{}\",", value.ident, value.number, value.name));
            }
        });
    }

    fn value_docs(&self, value: &Value, path: &str, out: &mut Writer) {
        let disabled = self.comments_disabled(path);
        let lines = value.comment.as_deref().filter(|_| !disabled).map(docs::rustdoc).unwrap_or_default();
        if lines.is_empty() {
            out.docs([format!("`{}`, {}.", value.name, value.number).as_str()]);
        } else {
            out.docs(lines.iter().map(String::as_str));
        }
    }
}

/// Variants are named as in the file, which clippy does not like where they all repeat a word, or one the name of its enum. It
/// says so of enums that a crate keeps for itself.
///
/// <https://rust-lang.github.io/rust-clippy/master/index.html#enum_variant_names>
pub(super) fn allow_variant_names<'v>(item: &str, variants: impl Iterator<Item = &'v str> + Clone, out: &mut Writer) {
    let is_boundary = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit();
    let first = |name: &'v str| name[1..].find(is_boundary).map_or(name, |end| &name[..=end]);
    let last = |name: &'v str| name.rfind(is_boundary).map_or(name, |start| &name[start..]);
    let repeats = |word: &dyn Fn(&'v str) -> &'v str| {
        variants.clone().count() > 2 && variants.clone().map(word).collect::<HashSet<_>>().len() == 1
    };
    if variants.clone().any(|name| name.starts_with(item) || name.ends_with(item)) || repeats(&first) || repeats(&last)
    {
        let reason = "reason = \"as in the .proto file\"".to_owned();
        out.attribute("allow", &["clippy::enum_variant_names".to_owned(), reason]);
    }
}
