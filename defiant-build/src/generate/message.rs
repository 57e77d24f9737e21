//! Messages and oneofs.

use super::enumeration::allow_variant_names;
use super::identifiers::is_identifier;
use super::writer::Writer;
use super::{DERIVES, Generator, literal};
use crate::schema::{Default, Field, Kind, Member, Message, Oneof, Scalar, Shape};

/// The module a thing is written in, and the message it belongs to.
struct Site<'a> {
    modules: &'a [String],
    message: &'a Message,
}

impl Site<'_> {
    /// The package of the message.
    fn package<'g>(&self, generator: &Generator<'g>) -> &'g str {
        let file =
            generator.schema.get(&self.message.full_name).and_then(|found| generator.schema.files.get(found.file));
        file.map_or("", |file| file.package.as_str())
    }
}

impl Generator<'_> {
    pub(super) fn message(&self, message: &Message, modules: &[String], out: &mut Writer) {
        let path = format!(".{}", message.full_name);
        let site = Site { modules, message };
        self.docs(&path, message.comment.as_deref(), &format!("`{}`, a message.", message.full_name), out);
        self.attributes(&[&self.type_attributes, &self.message_attributes], &path, out);
        let derive = format!("{}::Message", self.config.crate_path);
        self.derive(&path, &["Clone", "Copy", "Debug", "PartialEq", &derive], out);
        let mut options = vec![format!("name = \"{}\"", message.full_name)];
        if implied_package(&message.full_name) != site.package(self) {
            options.push(format!("package = \"{}\"", site.package(self)));
        }
        if let Some(domain) = self.type_name_domains.matching(&path).first() {
            options.push(format!("domain = {domain:?}"));
        }
        options.extend(message.message_set.then(|| "message_set".to_owned()));
        // A compiler only warns of those that no field could have.
        let reserved: Vec<&str> =
            message.reserved.iter().map(String::as_str).filter(|name| is_identifier(name)).collect();
        if !reserved.is_empty() {
            options.push(format!("reserved = {:?}", reserved.join(", ")));
        }
        options.extend(self.optimize_option(message));
        options.extend(self.crate_option());
        out.attribute("defiant", &options);
        if message.deprecated {
            out.line("#[deprecated]");
        }
        self.allow_deprecated(
            message.members.iter().filter_map(|member| match member {
                Member::Field(field) => Some(field),
                Member::Oneof(_) => None,
            }),
            out,
        );
        if message.fields().any(resembles_constant) {
            allow_constants(out);
        }
        out.block(&format!("pub struct {}<'arena> {{", message.ident), "}", |out| {
            for member in &message.members {
                match member {
                    Member::Field(field) => self.field(field, &site, out),
                    Member::Oneof(oneof) => self.oneof_field(oneof, &site, out),
                }
            }
            out.docs(["The fields this version of the message does not know, as they were on the wire."]);
            out.line("#[defiant(unknown)]");
            out.field(&message.unknown_fields, &format!("{}::UnknownFields<'arena>", self.config.crate_path));
        });
        self.nested(message, modules, out);
    }

    fn nested(&self, message: &Message, modules: &[String], out: &mut Writer) {
        let messages: Vec<_> = message.messages.iter().filter(|inner| !self.is_extern(&inner.full_name)).collect();
        let enums: Vec<_> = message.enums.iter().filter(|inner| !self.is_extern(&inner.full_name)).collect();
        let no_types = messages.is_empty() && enums.is_empty() && message.oneofs().next().is_none();
        if no_types && message.extensions.is_empty() {
            return;
        }
        let sort = if DERIVES.contains(&message.ident.as_str()) { "struct@" } else { "" };
        let what = match (no_types, message.extensions.is_empty()) {
            (false, true) => "Nested types of",
            (false, false) => "Nested types of, and extensions declared in,",
            (true, _) => "Extensions declared in",
        };
        out.docs([format!("{what} [`{sort}{}`].", message.ident).as_str()]);
        if modules.last() == Some(&message.module) {
            let reason = "reason = \"a message is named like what it is in\"";
            out.attribute("allow", &["clippy::module_inception".to_owned(), reason.to_owned()]);
        }
        let modules: Vec<String> = modules.iter().chain([&message.module]).cloned().collect();
        out.block(&format!("pub mod {} {{", message.module), "}", |out| {
            let site = Site { modules: &modules, message };
            messages.into_iter().for_each(|inner| self.message(inner, &modules, out));
            message.oneofs().for_each(|oneof| self.oneof(oneof, &site, out));
            enums.into_iter().for_each(|inner| self.enumeration(inner, out));
            self.extensions(&message.extensions, &modules, out);
        });
    }

    fn field(&self, field: &Field, site: &Site<'_>, out: &mut Writer) {
        let path = format!(".{}.{}", site.message.full_name, field.name);
        self.field_docs(field, &path, out);
        self.attributes(&[&self.field_attributes], &path, out);
        let (inline, lazy) =
            (self.is_inline(&site.message.full_name, field), self.is_lazy(&site.message.full_name, field));
        out.attribute("defiant", &self.field_options(field, inline, lazy, site));
        if field.deprecated {
            out.line("#[deprecated]");
        }
        out.field(&field.ident, &self.field_type(field, inline, lazy, site));
    }

    fn oneof_field(&self, oneof: &Oneof, site: &Site<'_>, out: &mut Writer) {
        let path = format!(".{}.{}", site.message.full_name, oneof.name);
        let names: Vec<String> = oneof.fields.iter().map(|field| format!("`{}`", field.name)).collect();
        self.docs(&path, oneof.comment.as_deref(), &format!("Oneof `{}`: {}.", oneof.name, names.join(", ")), out);
        self.attributes(&[&self.field_attributes], &path, out);
        let type_ = format!("{}::{}", site.message.module, oneof.type_ident);
        let tags: Vec<String> = oneof.fields.iter().map(|field| field.number.to_string()).collect();
        let mut options = vec![format!("oneof = \"{type_}\""), format!("tags = \"{}\"", tags.join(", "))];
        if oneof.ident != oneof.name {
            options.push(format!("name = \"{}\"", oneof.name));
        }
        out.attribute("defiant", &options);
        out.field(&oneof.ident, &format!("::core::option::Option<{type_}{}>", lifetime(oneof)));
    }

    fn oneof(&self, oneof: &Oneof, site: &Site<'_>, out: &mut Writer) {
        let path = format!(".{}.{}", site.message.full_name, oneof.name);
        let otherwise = format!("The oneof `{}` of `{}`.", oneof.name, site.message.full_name);
        self.docs(&path, oneof.comment.as_deref(), &otherwise, out);
        self.attributes(&[&self.type_attributes, &self.enum_attributes, &self.oneof_attributes], &path, out);
        let derive = format!("{}::Oneof", self.config.crate_path);
        self.derive(&path, &["Clone", "Copy", "Debug", "PartialEq", &derive], out);
        let options: Vec<_> = [self.optimize_option(site.message), self.crate_option()].into_iter().flatten().collect();
        if !options.is_empty() {
            out.attribute("defiant", &options);
        }
        self.allow_deprecated(oneof.fields.iter(), out);
        allow_variant_names(&oneof.type_ident, oneof.fields.iter().map(|field| field.ident.as_str()), out);
        out.block(&format!("pub enum {}{} {{", oneof.type_ident, lifetime(oneof)), "}", |out| {
            for field in &oneof.fields {
                let path = format!("{path}.{}", field.name);
                self.field_docs(field, &path, out);
                self.attributes(&[&self.field_attributes], &path, out);
                let mut options =
                    vec![attribute_word(&field.kind, field).to_owned(), format!("tag = {}", field.number)];
                if field.name != implied_name(&field.ident) {
                    options.push(format!("name = \"{}\"", field.name));
                }
                options.extend(reflected_options(field));
                out.attribute("defiant", &options);
                if field.deprecated {
                    out.line("#[deprecated]");
                }
                let value = match &field.kind {
                    Kind::Message(name) | Kind::Group(name) => {
                        format!("&'arena {}<'arena>", self.path(name, site.modules))
                    }
                    kind => self.value_type(kind, site),
                };
                out.line(&format!("{}({value}),", field.ident));
            }
        });
    }

    fn field_docs(&self, field: &Field, path: &str, out: &mut Writer) {
        let type_ = match &field.kind {
            Kind::Scalar(scalar) => scalar.word().to_owned(),
            Kind::Map(key, value) => {
                format!("map<{}, {}>", key.word(), value.reference().unwrap_or_else(|| kind_word(value)))
            }
            kind => kind.reference().unwrap_or_default().to_owned(),
        };
        let repeated = if matches!((field.shape, &field.kind), (Shape::Repeated { .. }, kind) if !matches!(kind, Kind::Map(..)))
        {
            "repeated "
        } else {
            ""
        };
        let otherwise = format!("Field `{}` ({}): `{repeated}{type_}`.", field.name, field.number);
        self.docs(path, field.comment.as_deref(), &otherwise, out);
    }

    /// What stands in `#[defiant(..)]`.
    fn field_options(&self, field: &Field, inline: bool, lazy: bool, site: &Site<'_>) -> Vec<String> {
        let word = |kind| attribute_word(kind, field);
        let mut options = vec![match &field.kind {
            Kind::Map(key, value) => format!("map = \"{}, {}\"", word(&Kind::Scalar(*key)), word(value)),
            kind => word(kind).to_owned(),
        }];
        if inline {
            options.push("inline".to_owned());
        }
        if lazy {
            options.push("lazy".to_owned());
        }
        match (field.shape, &field.kind) {
            (_, Kind::Map(..)) | (Shape::Implicit, _) => {}
            (Shape::Optional, _) => options.push("optional".to_owned()),
            (Shape::Required, _) => options.push("required".to_owned()),
            (Shape::Repeated { packed }, kind) => {
                options.push("repeated".to_owned());
                if kind.packable() && !packed {
                    options.push("packed = false".to_owned());
                }
            }
        }
        options.push(format!("tag = {}", field.number));
        if field.ident != field.name {
            options.push(format!("name = \"{}\"", field.name));
        }
        options.extend(reflected_options(field));
        if let Some(default) = &field.default {
            options.push(format!("default = {}", self.default(default, field, site.modules)));
        }
        options
    }

    pub(super) fn default(&self, default: &Default, field: &Field, modules: &[String]) -> String {
        match default {
            Default::Integer(text) => text.clone(),
            Default::Float(value) => literal::float(format!("{value:?}"), "f32", f64::from(*value)),
            Default::Double(value) => literal::float(format!("{value:?}"), "f64", *value),
            Default::Bool(value) => value.to_string(),
            Default::String(value) => format!("{value:?}"),
            Default::Bytes(value) => literal::bytes(value),
            Default::Enum(value) => {
                let name = field.kind.reference().unwrap_or_default();
                let ident = self.schema.get(name).and_then(|found| found.value(value)).unwrap_or(value);
                format!("{}::{ident}", self.path(name, modules))
            }
        }
    }

    fn field_type(&self, field: &Field, inline: bool, lazy: bool, site: &Site<'_>) -> String {
        let mut value = self.value_type(&field.kind, site);
        if lazy {
            value = format!("{}::Lazy<'arena, {value}>", self.config.crate_path);
        }
        let behind_reference = matches!(field.kind, Kind::Message(_) | Kind::Group(_)) && !inline && !lazy;
        match (field.shape, &field.kind) {
            (_, Kind::Map(..)) => value,
            (Shape::Repeated { .. }, _) => format!("&'arena [{value}]"),
            (_, Kind::Message(_) | Kind::Group(_)) if behind_reference => {
                format!("::core::option::Option<&'arena {value}>")
            }
            (Shape::Optional, _) | (_, Kind::Message(_) | Kind::Group(_)) => format!("::core::option::Option<{value}>"),
            (Shape::Implicit | Shape::Required, _) => value,
        }
    }

    /// The type of one value.
    fn value_type(&self, kind: &Kind, site: &Site<'_>) -> String {
        match kind {
            Kind::Scalar(scalar) => scalar.rust().to_owned(),
            Kind::Enum(name) => self.path(name, site.modules),
            Kind::Message(name) | Kind::Group(name) => format!("{}<'arena>", self.path(name, site.modules)),
            Kind::Map(key, value) => {
                format!(
                    "{}::Map<'arena, {}, {}>",
                    self.config.crate_path,
                    Scalar::rust(*key),
                    self.value_type(value, site)
                )
            }
        }
    }

    /// A type may be deprecated; the fields that have it are not to warn about that.
    fn allow_deprecated<'f>(&self, mut fields: impl Iterator<Item = &'f Field>, out: &mut Writer) {
        if fields.any(|field| self.mentions_deprecated(field)) {
            out.line("#[allow(deprecated, reason = \"a field has a deprecated type or default\")]");
        }
    }
}

/// Whether the default of a field looks as if a constant of the standard library were meant.
pub(super) fn resembles_constant(field: &Field) -> bool {
    match &field.default {
        Some(Default::Float(value)) => literal::resembles_constant(f64::from(*value), &format!("{value:?}")),
        Some(Default::Double(value)) => literal::resembles_constant(*value, &format!("{value:?}")),
        _ => false,
    }
}

pub(super) fn allow_constants(out: &mut Writer) {
    let reason = "reason = \"as in the .proto file\"".to_owned();
    out.attribute("allow", &["clippy::approx_constant".to_owned(), reason]);
}

/// What only descriptors need to know.
fn reflected_options(field: &Field) -> impl Iterator<Item = String> {
    let json_name = field.json_name.as_ref().map(|name| format!("json_name = {name:?}"));
    json_name.into_iter().chain(field.redacted.then(|| "debug_redact".to_owned()))
}

/// A oneof of nothing but scalars borrows nothing.
fn lifetime(oneof: &Oneof) -> &'static str {
    if oneof.fields.iter().any(|field| field.kind.borrows()) { "<'arena>" } else { "" }
}

/// The package the derive takes for that of a message that states none.
fn implied_package(full_name: &str) -> &str {
    let parts: Vec<&str> = full_name.split('.').collect();
    let outer = parts.iter().take_while(|part| !part.starts_with(char::is_uppercase)).count().min(parts.len() - 1);
    let length = parts[..outer].iter().map(|part| part.len() + 1).sum::<usize>();
    &full_name[..length.saturating_sub(1)]
}

/// The protobuf name the derive gives a variant that states none.
fn implied_name(variant: &str) -> String {
    let mut name = String::new();
    for letter in variant.chars() {
        if letter.is_ascii_uppercase() && !name.is_empty() && !name.ends_with('_') {
            name.push('_');
        }
        name.push(letter.to_ascii_lowercase());
    }
    name
}

/// The word of `#[defiant(..)]` for a kind in a field.
fn attribute_word(kind: &Kind, field: &Field) -> &'static str {
    match kind {
        Kind::Scalar(Scalar::String) if !field.verifies_utf8 => "lenient_string",
        kind => kind_word(kind),
    }
}

fn kind_word(kind: &Kind) -> &'static str {
    match kind {
        Kind::Scalar(scalar) => scalar.word(),
        Kind::Message(_) => "message",
        Kind::Group(_) => "group",
        Kind::Enum(_) => "enumeration",
        Kind::Map(..) => "map",
    }
}
