//! Extensions, as constants.

use super::Generator;
use super::message::{allow_constants, resembles_constant};
use super::writer::Writer;
use crate::schema::{self, Default, Extension, Kind, Scalar, Shape};

/// The well-known files that the runtime has only with a feature of its own.
const BEHIND_A_FEATURE: &[&str] = &["google/protobuf/descriptor.proto", "google/protobuf/compiler/plugin.proto"];

/// The message that is extended.
pub(super) struct Host {
    path: String,
    /// Whether the runtime has it only with a feature.
    pub(super) optional: bool,
}

impl Generator<'_> {
    /// The constants of the extensions of one file or message.
    pub(super) fn extensions<'e>(
        &self,
        list: impl IntoIterator<Item = &'e Extension>,
        modules: &[String],
        out: &mut Writer,
    ) {
        for extension in list {
            let host = self.host(&extension.host, modules);
            if host.optional {
                // A custom option: there if the runtime has the message it is an option of.
                let open = format!("{}::__descriptor_extensions! {{", self.config.crate_path);
                out.block(&open, "}", |out| self.extension(extension, &host, modules, out));
            } else {
                self.extension(extension, &host, modules, out);
            }
        }
    }

    pub(super) fn host(&self, full_name: &str, modules: &[String]) -> Host {
        let file = self.schema.file_of(full_name);
        let wkt = format!("{}::wkt::", self.config.crate_path);
        let is_generated = file.is_none_or(|(index, _)| self.generated.contains(&index));
        let path = match full_name.strip_prefix("google.protobuf.") {
            Some(rest) if !is_generated && !self.is_extern(full_name) => {
                format!("{wkt}{}", schema::extern_tail(rest))
            }
            _ => self.path(full_name, modules),
        };
        let optional =
            path.starts_with(&wkt) && file.is_some_and(|(_, file)| BEHIND_A_FEATURE.contains(&file.name.as_str()));
        Host { path, optional }
    }

    fn extension(&self, extension: &Extension, host: &Host, modules: &[String], out: &mut Writer) {
        let field = &extension.field;
        let path = format!(".{}", extension.full_name);
        let type_ = match &field.kind {
            Kind::Scalar(scalar) => scalar.word(),
            kind => kind.reference().unwrap_or_default(),
        };
        let repeated = if matches!(field.shape, Shape::Repeated { .. }) { "repeated " } else { "" };
        let otherwise = format!(
            "Extension `{}` ({}) of `{}`: `{repeated}{type_}`.",
            extension.full_name, field.number, extension.host
        );
        self.docs(&path, field.comment.as_deref(), &otherwise, out);
        self.attributes(&[&self.field_attributes], &path, out);
        if field.deprecated {
            out.line("#[deprecated]");
        }
        let host_deprecated = self.schema.get(&extension.host).is_some_and(|host| host.deprecated);
        if self.mentions_deprecated(field) || host_deprecated {
            out.line("#[allow(deprecated, reason = \"a type of the extension is deprecated\")]");
        }
        if resembles_constant(field) {
            allow_constants(out);
        }
        let defiant = &self.config.crate_path;
        let host = format!("{}<'static>", host.path);
        let kind = self.extension_kind(extension, modules);
        let default = field.default.as_ref().map(|default| {
            let value = self.default(default, field, modules);
            // Nothing here says that it is to be a slice.
            let slice = if matches!(default, Default::Bytes(_)) { ".as_slice()" } else { "" };
            format!(".with_default({value}{slice})")
        });
        let redacted = field.redacted.then(|| ".redacted()".to_owned());
        let calls: Vec<String> = default.into_iter().chain(redacted).collect();
        let arguments = format!("{}, {:?}", field.number, extension.full_name);
        out.constant(&field.ident, &format!("{defiant}::Extension"), &[host, kind], &arguments, &calls);
    }

    /// The second parameter of `defiant::Extension`.
    fn extension_kind(&self, extension: &Extension, modules: &[String]) -> String {
        let module = format!("{}::extension", self.config.crate_path);
        let field = &extension.field;
        let repeated = matches!(field.shape, Shape::Repeated { .. });
        let message = |word: &str, name: &str| {
            let cardinality = if repeated { "Repeated" } else { "Optional" };
            format!("{module}::{cardinality}{word}<{}<'static>>", self.path(name, modules))
        };
        let type_ = match &field.kind {
            Kind::Message(name) => return message("Message", name),
            Kind::Group(name) => return message("Group", name),
            Kind::Enum(name) => format!("{module}::Enum<{}>", self.path(name, modules)),
            Kind::Scalar(Scalar::String) if !field.verifies_utf8 => format!("{module}::LenientStr"),
            // A map is no extension; the compiler sees to it.
            Kind::Scalar(scalar) | Kind::Map(scalar, _) => format!("{module}::{}", codec(*scalar)),
        };
        let cardinality = match field.shape {
            Shape::Repeated { packed: true } => "Packed",
            Shape::Repeated { packed: false } => "Repeated",
            Shape::Implicit | Shape::Optional | Shape::Required => "Optional",
        };
        format!("{module}::{cardinality}<{type_}>")
    }
}

/// The name of a proto type in `defiant::extension`.
fn codec(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Int32 => "Int32",
        Scalar::Int64 => "Int64",
        Scalar::Uint32 => "Uint32",
        Scalar::Uint64 => "Uint64",
        Scalar::Sint32 => "Sint32",
        Scalar::Sint64 => "Sint64",
        Scalar::Fixed32 => "Fixed32",
        Scalar::Fixed64 => "Fixed64",
        Scalar::Sfixed32 => "Sfixed32",
        Scalar::Sfixed64 => "Sfixed64",
        Scalar::Float => "Float",
        Scalar::Double => "Double",
        Scalar::Bool => "Bool",
        Scalar::String => "Str",
        Scalar::Bytes => "Bytes",
    }
}
