//! Functions that add the generated types to a registry of the runtime.

use std::collections::{BTreeMap, HashMap};

use super::Generator;
use super::writer::Writer;
use crate::error::Error;
use crate::schema::{Extension, Message, package_modules};

/// What a package has to add.
#[derive(Default)]
pub(super) struct Registered {
    /// Paths from the package's module.
    messages: Vec<String>,
    extensions: Vec<String>,
    deprecated: bool,
}

impl Registered {
    pub(super) fn is_empty(&self) -> bool {
        self.messages.is_empty() && self.extensions.is_empty()
    }
}

impl Generator<'_> {
    /// Notes the messages and extensions of a file, and all that is declared inside of them.
    pub(super) fn register(
        &self,
        messages: &[&Message],
        extensions: &[&Extension],
        modules: &[String],
        registered: &mut Registered,
    ) {
        for message in messages {
            self.register_message(message, modules, "", registered);
        }
        self.register_extensions(extensions.iter().copied(), modules, "", registered);
    }

    fn register_message(&self, message: &Message, modules: &[String], inside: &str, registered: &mut Registered) {
        registered.messages.push(format!("{}<'static>", self.path(&message.full_name, modules)));
        registered.deprecated |= message.deprecated;
        let inside = format!("{inside}{}::", message.module);
        for inner in message.messages.iter().filter(|inner| !self.is_extern(&inner.full_name)) {
            self.register_message(inner, modules, &inside, registered);
        }
        self.register_extensions(&message.extensions, modules, &inside, registered);
    }

    fn register_extensions<'e>(
        &self,
        extensions: impl IntoIterator<Item = &'e Extension>,
        modules: &[String],
        inside: &str,
        registered: &mut Registered,
    ) {
        for extension in extensions {
            // Custom options may not be there.
            if !self.host(&extension.host, modules).optional {
                registered.extensions.push(format!("{inside}{}", extension.field.ident));
                registered.deprecated |= extension.field.deprecated;
            }
        }
    }
}

/// `pub fn register`, which adds what a package has.
pub(super) fn register(package: &str, registered: &Registered, crate_path: &str, out: &mut Writer) {
    let of = if package.is_empty() { "without a package".to_owned() } else { format!("of the package `{package}`") };
    out.docs([format!("Adds the messages and extensions {of} to a registry.").as_str()]);
    if registered.deprecated {
        out.line("#[allow(deprecated, reason = \"they are there all the same\")]");
    }
    out.block(&format!("pub fn register(registry: &mut {crate_path}::reflect::Registry) {{"), "}", |out| {
        for message in &registered.messages {
            out.call("registry", &format!(".add::<{message}>();"));
        }
        for extension in &registered.extensions {
            out.call("registry", &format!(".add_extension(&{extension});"));
        }
    });
}

/// `pub fn registry`, which makes a registry by calling the functions of these paths.
pub(super) fn registry(what: &str, functions: &[String], crate_path: &str, out: &mut Writer) {
    out.docs([format!("A registry with the messages and extensions {what}.").as_str()]);
    out.line("#[must_use]");
    out.block(&format!("pub fn registry() -> {crate_path}::reflect::Registry {{"), "}", |out| {
        if functions.is_empty() {
            return out.line(&format!("{crate_path}::reflect::Registry::new()"));
        }
        out.line(&format!("let mut registry = {crate_path}::reflect::Registry::new();"));
        for function in functions {
            out.line(&format!("{function}(&mut registry);"));
        }
        out.line("registry");
    });
}

/// The paths of the functions of packages, from the root of the tree of modules.
pub(super) fn functions(packages: &BTreeMap<&str, Registered>) -> Result<Vec<String>, Error> {
    let mut seen: HashMap<Vec<String>, &str> = HashMap::new();
    let mut functions = Vec::new();
    for package in packages.keys() {
        let modules = package_modules(package);
        if let Some(other) = seen.insert(modules.clone(), package) {
            let reason = format!("registry(): the packages {other:?} and {package:?} are one module");
            return Err(Error::config(vec![reason]));
        }
        functions.push(modules.iter().map(String::as_str).chain(["register"]).collect::<Vec<_>>().join("::"));
    }
    Ok(functions)
}
