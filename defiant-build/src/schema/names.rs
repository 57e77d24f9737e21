//! From protobuf names to Rust names.

use std::collections::{HashMap, HashSet};

use heck::{ToShoutySnakeCase, ToSnakeCase, ToUpperCamelCase};

/// Words that are fine after `r#`.
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else", "enum",
    "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod", "move",
    "mut", "override", "priv", "pub", "ref", "return", "static", "struct", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Words that are not.
const PATH_WORDS: &[&str] = &["crate", "self", "super", "Self", "_"];

/// Names a module must not have: it would hide the type of that name from its neighbours.
const PRIMITIVES: &[&str] = &[
    "bool", "char", "f32", "f64", "i128", "i16", "i32", "i64", "i8", "isize", "str", "u128", "u16", "u32", "u64", "u8",
    "usize",
];

/// Whether a text is a path of names in Rust, such as `::geo::r#type::Dot` or `super::Dot`.
pub(crate) fn is_rust_path(text: &str) -> bool {
    let relative = text.strip_prefix("::");
    let mut may_lead_on = relative.is_none();
    relative.unwrap_or(text).split("::").all(|part| {
        if may_lead_on && matches!(part, "crate" | "self" | "super") {
            may_lead_on = part != "crate";
            return true;
        }
        may_lead_on = false;
        let raw = part.strip_prefix("r#");
        let name = raw.unwrap_or(part);
        name.starts_with(|first: char| first.is_alphabetic() || first == '_')
            && name.chars().all(|c| c.is_alphanumeric() || c == '_')
            && !PATH_WORDS.contains(&name)
            && (raw.is_some() || !KEYWORDS.contains(&name))
    })
}

fn escape(name: String, empty: &str) -> String {
    let name = if name.is_empty() { empty.to_owned() } else { name };
    if PATH_WORDS.contains(&name.as_str()) {
        format!("{name}_")
    } else if KEYWORDS.contains(&name.as_str()) {
        format!("r#{name}")
    } else if name.starts_with(|first: char| first.is_ascii_digit()) {
        format!("_{name}")
    } else {
        name
    }
}

/// `fooBar` -> `foo_bar`, `type` -> `r#type`.
pub(super) fn field(name: &str) -> String {
    escape(name.to_snake_case(), "field")
}

/// `foo_bar` -> `FooBar`.
pub(super) fn type_name(name: &str) -> String {
    escape(name.to_upper_camel_case(), "Type")
}

/// Whether a name is its own Rust name, as a type.
pub(super) fn is_type_name(name: &str) -> bool {
    type_name(name) == name
}

/// `fooBar` -> `FOO_BAR`.
pub(super) fn constant(name: &str) -> String {
    escape(name.to_shouty_snake_case(), "EXTENSION")
}

/// `FooBar` -> `foo_bar`, `Bool` -> `bool_`.
pub(super) fn module(name: &str) -> String {
    let module = escape(name.to_snake_case(), "module");
    // `_1` is a type, too, and types and modules share a namespace.
    let numeric = module.strip_prefix('_').is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()));
    if numeric || PRIMITIVES.contains(&module.as_str()) { format!("{module}_") } else { module }
}

/// The modules of a package: `a.type.v1` -> `a`, `r#type`, `v1`.
pub(crate) fn package_modules(package: &str) -> Vec<String> {
    package.split('.').filter(|segment| !segment.is_empty()).map(module).collect()
}

/// The last module of a nested type for an extern path.
pub(crate) fn extern_tail(segments: &str) -> String {
    let mut parts: Vec<&str> = segments.split('.').collect();
    let last = parts.pop().unwrap_or_default();
    parts.into_iter().map(module).chain([type_name(last)]).collect::<Vec<_>>().join("::")
}

/// Enum values without the name of their enum: `COLOR_RED` of `Color` -> `Red`. What would clash keeps its prefix.
pub(super) fn variants<'a>(
    enum_name: &str,
    values: impl Iterator<Item = &'a str> + Clone,
    retain: bool,
) -> Vec<String> {
    let prefix = enum_name.to_upper_camel_case();
    let stripped = |value: &str| -> String {
        let full = value.to_upper_camel_case();
        match full.strip_prefix(&prefix) {
            Some(rest) if !retain && rest.starts_with(|first: char| first.is_ascii_uppercase()) => {
                escape(rest.to_owned(), "Value")
            }
            _ => escape(full, "Value"),
        }
    };
    let mut counts: HashMap<String, usize> = HashMap::new();
    for value in values.clone() {
        *counts.entry(stripped(value)).or_default() += 1;
    }
    let mut scope = Scope::default();
    values
        .map(|value| {
            let short = stripped(value);
            if counts[&short] == 1 {
                scope.claim(short)
            } else {
                scope.claim(escape(value.to_upper_camel_case(), "Value"))
            }
        })
        .collect()
}

/// Names that are taken; a second claim gets an underscore.
#[derive(Debug, Default)]
pub(super) struct Scope {
    taken: HashSet<String>,
    /// Names that are taken for types that are still to claim them.
    expected: HashSet<String>,
}

impl Scope {
    pub(super) fn claim(&mut self, mut name: String) -> String {
        while !self.taken.insert(name.clone()) {
            // With an underscore it is no keyword any more.
            name = format!("{}_", name.strip_prefix("r#").unwrap_or(&name));
        }
        name
    }

    /// Announces types: one that is its own Rust name is never the one to give way, in whatever order they come.
    pub(super) fn expect<'a>(&mut self, types: impl Iterator<Item = &'a str>) {
        for name in types.filter(|name| is_type_name(name)) {
            if self.taken.insert(name.to_owned()) {
                self.expected.insert(name.to_owned());
            }
        }
    }

    /// The Rust name of a type.
    pub(super) fn claim_type(&mut self, name: &str) -> String {
        if self.expected.remove(name) { name.to_owned() } else { self.claim(type_name(name)) }
    }

    /// Takes a name for something that cannot give way.
    pub(super) fn reserve(&mut self, name: String) {
        self.taken.insert(name);
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.taken.contains(name)
    }
}

/// Fields of a message in order of declaration; a name that is its own Rust name is never the one to give way.
pub(super) fn fields<'a>(names: impl Iterator<Item = &'a str> + Clone) -> (Vec<String>, Scope) {
    let mut scope = Scope::default();
    let exact: HashSet<&str> = names.clone().filter(|name| field(name) == *name).collect();
    for name in &exact {
        scope.reserve((*name).to_owned());
    }
    let idents =
        names.map(|name| if exact.contains(name) { name.to_owned() } else { scope.claim(field(name)) }).collect();
    (idents, scope)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_rust() {
        for path in ["a", "::a::B", "crate::a", "self::super::super::A", "::r#type::A1", "_a", "crate", "gr\u{fc}n::A"]
        {
            assert!(is_rust_path(path), "{path:?}");
        }
        for path in [
            "",
            "::",
            "a::",
            "a:b",
            "a.b",
            "a::::b",
            "1a",
            "a b",
            "::crate::a",
            "a::super",
            "crate::super::a",
            "type::A",
            "r#self",
            "_",
            "A<B>",
            "a-b",
        ] {
            assert!(!is_rust_path(path), "{path:?}");
        }
    }

    #[test]
    fn keywords_and_shapes() {
        assert_eq!(field("fooBar"), "foo_bar");
        assert_eq!(field("type"), "r#type");
        assert_eq!(field("self"), "self_");
        assert_eq!(field("_1"), "_1");
        assert_eq!(type_name("http_request"), "HttpRequest");
        assert_eq!(type_name("self"), "Self_");
        assert_eq!(module("Bool"), "bool_");
        assert_eq!(package_modules("a.type.v1"), ["a", "r#type", "v1"]);
        assert_eq!((module("_1").as_str(), type_name("_1").as_str()), ("_1_", "_1"));
        assert_eq!(extern_tail("Person.Part"), "person::Part");
    }

    #[test]
    fn enum_prefixes() {
        assert_eq!(
            variants("Color", ["COLOR_RED", "COLOR_2", "Colored"].into_iter(), false),
            ["Red", "Color2", "Colored"]
        );
        assert_eq!(variants("Kind", ["KIND_A", "A"].into_iter(), false), ["KindA", "A"]);
        assert_eq!(variants("Kind", ["kind_self"].into_iter(), false), ["Self_"]);
        assert_eq!(variants("Kind", ["KIND_A"].into_iter(), true), ["KindA"]);
        assert_eq!(variants("Kind", ["foo", "FOO"].into_iter(), false), ["Foo", "Foo_"]);
    }

    #[test]
    fn clashing_types() {
        let mut scope = Scope::default();
        scope.expect(["HTTPRequest", "HttpRequest"].into_iter());
        assert_eq!(scope.claim_type("HTTPRequest"), "HttpRequest_");
        assert_eq!(scope.claim_type("HttpRequest"), "HttpRequest");
        assert_eq!(scope.claim_type("HttpRequest"), "HttpRequest__");
    }

    #[test]
    fn clashing_fields() {
        assert_eq!(fields(["Type", "type"].into_iter()).0, ["r#type", "type_"]);
        assert_eq!(fields(["fooBar", "foo_bar"].into_iter()).0, ["foo_bar_", "foo_bar"]);
    }
}
