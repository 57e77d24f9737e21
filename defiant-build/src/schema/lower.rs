//! From descriptors to the schema.

use std::collections::{HashMap, HashSet};

use defiant::wkt::feature_set::{EnumType, FieldPresence, MessageEncoding, RepeatedFieldEncoding, Utf8Validation};
use defiant::wkt::field_descriptor_proto::{Label, Type as Wire};
use defiant::wkt::file_options::OptimizeMode;
use defiant::wkt::{
    DescriptorProto, Edition, EnumDescriptorProto, EnumValueDescriptorProto, FeatureSet, FieldDescriptorProto,
    FileDescriptorProto, FileDescriptorSet,
};

use super::comments::Locations;
use super::extension::Constants;
use super::features::{self, Features};
use super::names::{self, Scope};
use super::services::ServiceNames;
use super::{Enum, Field, File, Kind, Member, Message, Oneof, Scalar, Schema, Shape, Type, Value, defaults};
use crate::error::Error;

// Field numbers of descriptor.proto, the steps of a location's path.
const FILE_MESSAGE: i32 = 4;
const FILE_ENUM: i32 = 5;
const FILE_EXTENSION: i32 = 7;
/// Of the statement `syntax` or `edition`.
const FILE_SYNTAX: i32 = 12;
const MESSAGE_FIELD: i32 = 2;
const MESSAGE_NESTED: i32 = 3;
const MESSAGE_ENUM: i32 = 4;
const MESSAGE_EXTENSION: i32 = 6;
const MESSAGE_ONEOF: i32 = 8;
const ENUM_VALUE: i32 = 2;

// Of a field.
const DEFAULT_VALUE: u32 = 7;
const JSON_NAME: u32 = 10;

/// The types, modules and services declared side by side.
#[derive(Default)]
struct Neighbours {
    types: Scope,
    modules: Scope,
    services: Scope,
}

/// Rust names of a message's own namespace.
struct Namespace {
    module: String,
    /// The types of its oneofs, in the order of declaration.
    oneofs: Vec<String>,
}

#[derive(Default)]
pub(super) struct Lowering<'a> {
    types: HashMap<String, Type>,
    namespaces: HashMap<String, Namespace>,
    /// A name that two types have.
    twice: Option<String>,
    /// Map entries, which become no type of their own.
    entries: HashMap<String, DescriptorProto<'a>>,
    /// Whether enum values keep the name of their enum, for each file.
    retain_enum_prefix: Vec<bool>,
    pub(super) constants: Constants,
    pub(super) service_names: ServiceNames,
}

/// Where a descriptor stands.
#[derive(Clone, Copy)]
pub(super) struct Site<'a> {
    locations: &'a Locations<'a>,
    edition: Edition,
    /// Of what is around it.
    features: Features,
    /// Option `optimize_for = CODE_SIZE` of the file.
    code_size: bool,
}

impl Site<'_> {
    /// Inside something whose options may override features.
    fn inside(self, overrides: Option<&FeatureSet<'_>>) -> Self {
        Site { features: self.features.inside(overrides), ..self }
    }
}

pub(super) fn schema(set: &FileDescriptorSet<'_>, retain_enum_prefix: impl Fn(&str) -> bool) -> Result<Schema, Error> {
    // Sets are joined by writing one behind the other; of the files they share the first counts.
    let mut seen = HashSet::new();
    let files: Vec<_> = set.file.iter().filter(|file| seen.insert(file.name())).collect();
    let retain_enum_prefix = files.iter().map(|file| retain_enum_prefix(file.name())).collect();
    let mut lowering = Lowering { retain_enum_prefix, ..Lowering::default() };
    lowering.name_everything(&files);
    if let Some(name) = lowering.twice {
        return Err(Error::invalid_descriptor_set(format!("there are two types named {name:?}")));
    }
    let files = files.into_iter().map(|file| lowering.file(file)).collect::<Result<_, _>>()?;
    Ok(Schema { files, types: lowering.types })
}

pub(super) fn join(parent: &str, name: &str) -> String {
    if parent.is_empty() { name.to_owned() } else { format!("{parent}.{name}") }
}

/// The names of the types declared side by side.
fn type_names<'a>(
    messages: &'a [DescriptorProto<'a>],
    enums: &'a [EnumDescriptorProto<'a>],
) -> impl Iterator<Item = &'a str> {
    let messages = messages.iter().filter(|message| !is_map_entry(message)).map(|message| message.name());
    messages.chain(enums.iter().map(|item| item.name()))
}

fn is_deprecated(value: &EnumValueDescriptorProto<'_>) -> bool {
    value.options.is_some_and(|options| options.deprecated())
}

fn is_map_entry(message: &DescriptorProto<'_>) -> bool {
    message.options.is_some_and(|options| options.map_entry())
}

/// The oneofs that are declared as such: `optional` of proto3 makes one of its own for its field.
fn declared_oneofs<'a>(message: &DescriptorProto<'a>) -> Vec<(i32, &'a str)> {
    let synthetic: HashSet<i32> =
        message.field.iter().filter(|field| field.proto3_optional()).filter_map(|field| field.oneof_index).collect();
    (0..)
        .zip(message.oneof_decl)
        .filter(|(index, _)| !synthetic.contains(index))
        .map(|(index, oneof)| (index, oneof.name()))
        .collect()
}

impl<'a> Lowering<'a> {
    fn name_everything(&mut self, files: &[&FileDescriptorProto<'a>]) {
        // By module, not by package: `a.B` and `a.b` are one.
        let mut packages: HashMap<Vec<String>, Neighbours> = HashMap::new();
        // A package inside a package is a module of its parent: no message's module may take that name.
        for file in files {
            let mut inner = file.package();
            while !inner.is_empty() {
                let (outer, name) = inner.rsplit_once('.').unwrap_or(("", inner));
                packages.entry(names::package_modules(outer)).or_default().modules.reserve(names::module(name));
                inner = outer;
            }
        }
        for file in files {
            let neighbours = packages.entry(names::package_modules(file.package())).or_default();
            neighbours.types.expect(type_names(file.message_type, file.enum_type));
        }
        for (index, file) in files.iter().enumerate() {
            let modules = names::package_modules(file.package());
            let neighbours = packages.entry(modules.clone()).or_default();
            for item in file.enum_type {
                self.name_enum(index, item, file.package(), &modules, neighbours);
            }
            for message in file.message_type {
                self.name_message(index, message, file.package(), &modules, neighbours);
            }
        }
        for file in files {
            let neighbours = packages.entry(names::package_modules(file.package())).or_default();
            self.constants.name(file.extension, file.package(), &mut neighbours.types);
        }
        // A service that is its own Rust name is never the one to give way.
        for first in [true, false] {
            for file in files {
                let neighbours = packages.entry(names::package_modules(file.package())).or_default();
                let services = file.service.iter().map(|service| service.name());
                let services = services.filter(|name| names::is_type_name(name) == first);
                self.service_names.name(services, file.package(), &mut neighbours.services, &mut neighbours.modules);
            }
        }
    }

    fn name_enum(
        &mut self,
        file: usize,
        item: &EnumDescriptorProto<'a>,
        parent: &str,
        modules: &[String],
        neighbours: &mut Neighbours,
    ) {
        let values = item.value.iter().map(|value| value.name());
        let idents = names::variants(item.name(), values.clone(), self.retain_enum_prefix[file]);
        let named = Type {
            file,
            modules: modules.to_vec(),
            ident: neighbours.types.claim_type(item.name()),
            deprecated: item.options.is_some_and(|options| options.deprecated()),
            values: values.map(str::to_owned).zip(idents).collect(),
            deprecated_values: item
                .value
                .iter()
                .filter(|value| is_deprecated(value))
                .map(|value| value.name().to_owned())
                .collect(),
        };
        self.add(join(parent, item.name()), named);
    }

    fn name_message(
        &mut self,
        file: usize,
        message: &DescriptorProto<'a>,
        parent: &str,
        modules: &[String],
        neighbours: &mut Neighbours,
    ) {
        let full_name = join(parent, message.name());
        if is_map_entry(message) {
            self.entries.insert(full_name, *message);
            return;
        }
        let module = names::module(message.name());
        let oneofs = declared_oneofs(message);
        let has_namespace = !oneofs.is_empty()
            || !message.enum_type.is_empty()
            || !message.extension.is_empty()
            || !message.nested_type.iter().all(is_map_entry);
        let module = if has_namespace { neighbours.modules.claim(module) } else { module };
        let inner_modules: Vec<String> = modules.iter().chain([&module]).cloned().collect();
        let mut inner = Neighbours::default();
        inner.types.expect(type_names(message.nested_type, message.enum_type));
        for item in message.enum_type {
            self.name_enum(file, item, &full_name, &inner_modules, &mut inner);
        }
        for nested in message.nested_type {
            self.name_message(file, nested, &full_name, &inner_modules, &mut inner);
        }
        let oneofs = oneofs
            .into_iter()
            .map(|(_, name)| {
                let ident = names::type_name(name);
                // As prost names them.
                inner.types.claim(if inner.types.has(&ident) { format!("{ident}OneOf") } else { ident })
            })
            .collect();
        self.constants.name(message.extension, &full_name, &mut inner.types);
        let named = Type {
            file,
            modules: modules.to_vec(),
            ident: neighbours.types.claim_type(message.name()),
            deprecated: message.options.is_some_and(|options| options.deprecated()),
            values: Vec::new(),
            deprecated_values: HashSet::new(),
        };
        self.namespaces.insert(full_name.clone(), Namespace { module, oneofs });
        self.add(full_name, named);
    }

    fn add(&mut self, full_name: String, named: Type) {
        if self.types.insert(full_name.clone(), named).is_some() {
            self.twice.get_or_insert(full_name);
        }
    }

    fn file(&self, file: &FileDescriptorProto<'_>) -> Result<File, Error> {
        let locations = Locations::new(file);
        let (edition, unsupported) = match features::edition(file) {
            Ok(edition) => (edition, None),
            // An error for whoever wants to generate it; until then it is read as the edition that comes nearest.
            Err(message) => (features::NEWEST, Some(locations.place(&[FILE_SYNTAX]).complain(message))),
        };
        let features = Features::of(edition).inside(file.options.and_then(|options| options.features));
        let code_size = file.options.is_some_and(|options| options.optimize_for() == OptimizeMode::CodeSize);
        let site = Site { locations: &locations, edition, features, code_size };
        let messages = (0..)
            .zip(file.message_type)
            .map(|(index, message)| self.message(message, file.package(), site, &[FILE_MESSAGE, index]))
            .collect::<Result<_, _>>()?;
        let enums = (0..)
            .zip(file.enum_type)
            .map(|(index, item)| self.item_enum(item, file.package(), site, &[FILE_ENUM, index]))
            .collect::<Result<_, _>>()?;
        let extensions = self.extensions(file.extension, file.package(), site, &[], FILE_EXTENSION)?;
        Ok(File {
            name: file.name().to_owned(),
            package: file.package().to_owned(),
            dependencies: file.dependency.iter().map(|&name| name.to_owned()).collect(),
            unsupported,
            messages,
            enums,
            services: self.services(file, &locations)?,
            extensions,
        })
    }

    pub(super) fn named(&self, full_name: &str) -> Result<&Type, Error> {
        self.types.get(full_name).ok_or_else(|| Error::invalid_descriptor_set(format!("no type named {full_name:?}")))
    }

    fn message(
        &self,
        message: &DescriptorProto<'_>,
        parent: &str,
        site: Site<'_>,
        path: &[i32],
    ) -> Result<Message, Error> {
        let full_name = join(parent, message.name());
        let site = site.inside(message.options.and_then(|options| options.features));
        let named = self.named(&full_name)?;
        let namespace = self
            .namespaces
            .get(&full_name)
            .ok_or_else(|| Error::invalid_descriptor_set(format!("{full_name} is a map entry outside a message")))?;
        let (members, unknown_fields) = self.members(message, &full_name, namespace, site, path)?;
        let step = |number: i32, index: i32| [path, &[number, index]].concat();
        let messages = (0..)
            .zip(message.nested_type)
            .filter(|(_, nested)| !is_map_entry(nested))
            .map(|(index, nested)| self.message(nested, &full_name, site, &step(MESSAGE_NESTED, index)))
            .collect::<Result<_, _>>()?;
        let enums = (0..)
            .zip(message.enum_type)
            .map(|(index, item)| self.item_enum(item, &full_name, site, &step(MESSAGE_ENUM, index)))
            .collect::<Result<_, _>>()?;
        let extensions = self.extensions(message.extension, &full_name, site, path, MESSAGE_EXTENSION)?;
        Ok(Message {
            ident: named.ident.clone(),
            module: namespace.module.clone(),
            comment: site.locations.comment(path),
            deprecated: named.deprecated,
            members,
            unknown_fields,
            messages,
            enums,
            extensions,
            code_size: site.code_size,
            message_set: message.options.is_some_and(|options| options.message_set_wire_format()),
            reserved: message.reserved_name.iter().map(|name| (*name).to_owned()).collect(),
            json_format: site.features.json_format,
            full_name,
        })
    }

    /// Fields and oneofs in the order of declaration, and the name that is left for the unknown fields.
    fn members(
        &self,
        message: &DescriptorProto<'_>,
        full_name: &str,
        namespace: &Namespace,
        site: Site<'_>,
        path: &[i32],
    ) -> Result<(Vec<Member>, String), Error> {
        let declared = declared_oneofs(message);
        let oneof_of = |field: &FieldDescriptorProto<'_>| {
            field.oneof_index.and_then(|index| declared.iter().position(|(declared, _)| *declared == index))
        };
        // Oneofs are fields of the struct, too; each stands where its first member does.
        let mut order: Vec<(Option<usize>, usize)> = Vec::new();
        for (index, field) in message.field.iter().enumerate() {
            let oneof = oneof_of(field);
            if oneof.is_none() || !order.iter().any(|(known, _)| *known == oneof) {
                order.push((oneof, index));
            }
        }
        let proto_names = order.iter().map(|(oneof, index)| match oneof {
            Some(oneof) => declared[*oneof].1,
            None => message.field[*index].name(),
        });
        let (idents, mut scope) = names::fields(proto_names);
        let field_path = |index: usize| [path, &[MESSAGE_FIELD, i32::try_from(index).unwrap_or(i32::MAX)]].concat();

        let mut members = Vec::with_capacity(order.len());
        for ((oneof, index), ident) in order.into_iter().zip(idents) {
            let Some(oneof) = oneof else {
                members.push(Member::Field(self.field(
                    &message.field[index],
                    full_name,
                    ident,
                    site,
                    &field_path(index),
                )?));
                continue;
            };
            let mut variants = Scope::default();
            let (declared_index, name) = declared[oneof];
            let options = usize::try_from(declared_index).ok().and_then(|index| message.oneof_decl[index].options);
            let inner = site.inside(options.and_then(|options| options.features));
            let fields = message
                .field
                .iter()
                .enumerate()
                .filter(|(_, field)| oneof_of(field) == Some(oneof))
                .map(|(index, field)| {
                    let variant = variants.claim(names::type_name(field.name()));
                    self.field(field, full_name, variant, inner, &field_path(index))
                })
                .collect::<Result<_, _>>()?;
            members.push(Member::Oneof(Oneof {
                name: name.to_owned(),
                ident,
                type_ident: namespace.oneofs[oneof].clone(),
                comment: site.locations.comment(&[path, &[MESSAGE_ONEOF, declared_index]].concat()),
                fields,
            }));
        }
        Ok((members, scope.claim("unknown_fields".to_owned())))
    }

    pub(super) fn field(
        &self,
        field: &FieldDescriptorProto<'_>,
        parent: &str,
        ident: String,
        site: Site<'_>,
        path: &[i32],
    ) -> Result<Field, Error> {
        let features = site.features.of_field(site.edition, field);
        let kind = match self.kind(field)? {
            // Maps and what is in them are never delimited.
            Kind::Message(name) if features.message_encoding == MessageEncoding::Delimited => Kind::Group(name),
            kind => kind,
        };
        let in_oneof = field.oneof_index.is_some() && !field.proto3_optional();
        let always_explicit = in_oneof || matches!(kind, Kind::Message(_) | Kind::Group(_));
        let shape = match (field.label, features.field_presence) {
            (Some(Label::Repeated), _) => {
                let packed = features.repeated_field_encoding == RepeatedFieldEncoding::Packed;
                Shape::Repeated { packed: kind.packable() && packed }
            }
            (_, FieldPresence::LegacyRequired) if !in_oneof => Shape::Required,
            (_, FieldPresence::Implicit) if !always_explicit => Shape::Implicit,
            _ => Shape::Optional,
        };
        // What is not UTF-8 is no string here, so it is among what the descriptor does not know.
        for (number, what) in [(DEFAULT_VALUE, "the default"), (JSON_NAME, "the name in JSON")] {
            if field.unknown_fields.get(number).next().is_some() {
                let complaint = site.locations.place(path).complain(format!("{what} is not UTF-8"));
                return Err(Error::invalid_proto(vec![complaint]));
            }
        }
        let default = match field.default_value {
            Some(text) => Some(defaults::parse(&kind, text).ok_or_else(|| {
                Error::invalid_descriptor_set(format!("{parent}.{}: {text:?} is no default of its type", field.name()))
            })?),
            None => None,
        };
        if let (Some(defaults::Default::Enum(value)), Kind::Enum(name)) = (&default, &kind) {
            if self.named(name)?.value(value).is_none() {
                return Err(Error::invalid_descriptor_set(format!("{name} has no value {value:?}")));
            }
        }
        Ok(Field {
            name: field.name().to_owned(),
            ident,
            number: field.number(),
            kind,
            shape,
            default,
            comment: site.locations.comment(path),
            deprecated: field.options.is_some_and(|options| options.deprecated()),
            lazy: field.options.is_some_and(|options| options.lazy()),
            json_name: field.json_name.filter(|json| *json != implied_json_name(field.name())).map(str::to_owned),
            redacted: field.options.is_some_and(|options| options.debug_redact()),
            verifies_utf8: features.utf8_validation == Utf8Validation::Verify,
            place: site.locations.place(path),
        })
    }

    fn kind(&self, field: &FieldDescriptorProto<'_>) -> Result<Kind, Error> {
        let wire = field
            .r#type
            .ok_or_else(|| Error::invalid_descriptor_set(format!("field {:?} has no type", field.name())))?;
        let name = field.type_name().strip_prefix('.').unwrap_or(field.type_name());
        let known = || self.named(name).map(|_| name.to_owned());
        Ok(match wire {
            // Which of the two it is, the feature `message_encoding` says.
            Wire::Message | Wire::Group => match self.entries.get(name) {
                Some(entry) => {
                    let part = |number: i32| {
                        entry.field.iter().find(|field| field.number() == number).ok_or_else(|| {
                            Error::invalid_descriptor_set(format!("the map entry {name} has no field {number}"))
                        })
                    };
                    if [part(1)?, part(2)?]
                        .iter()
                        .any(|part| self.entries.contains_key(part.type_name().trim_start_matches('.')))
                    {
                        return Err(Error::invalid_descriptor_set(format!("{name} is a map of maps")));
                    }
                    match self.kind(part(1)?)? {
                        Kind::Scalar(key) => Kind::Map(key, Box::new(self.kind(part(2)?)?)),
                        _ => return Err(Error::invalid_descriptor_set(format!("the key of {name} is no scalar"))),
                    }
                }
                None => Kind::Message(known()?),
            },
            Wire::Enum => Kind::Enum(known()?),
            Wire::Int32 => Kind::Scalar(Scalar::Int32),
            Wire::Int64 => Kind::Scalar(Scalar::Int64),
            Wire::Uint32 => Kind::Scalar(Scalar::Uint32),
            Wire::Uint64 => Kind::Scalar(Scalar::Uint64),
            Wire::Sint32 => Kind::Scalar(Scalar::Sint32),
            Wire::Sint64 => Kind::Scalar(Scalar::Sint64),
            Wire::Fixed32 => Kind::Scalar(Scalar::Fixed32),
            Wire::Fixed64 => Kind::Scalar(Scalar::Fixed64),
            Wire::Sfixed32 => Kind::Scalar(Scalar::Sfixed32),
            Wire::Sfixed64 => Kind::Scalar(Scalar::Sfixed64),
            Wire::Float => Kind::Scalar(Scalar::Float),
            Wire::Double => Kind::Scalar(Scalar::Double),
            Wire::Bool => Kind::Scalar(Scalar::Bool),
            Wire::String => Kind::Scalar(Scalar::String),
            Wire::Bytes => Kind::Scalar(Scalar::Bytes),
        })
    }

    fn item_enum(
        &self,
        item: &EnumDescriptorProto<'_>,
        parent: &str,
        site: Site<'_>,
        path: &[i32],
    ) -> Result<Enum, Error> {
        let features = site.features.inside(item.options.and_then(|options| options.features));
        let full_name = join(parent, item.name());
        let named = self.named(&full_name)?;
        let mut numbers = HashSet::new();
        let values = (0..)
            .zip(item.value.iter().zip(&named.values))
            .map(|(index, (value, (name, ident)))| Value {
                name: name.clone(),
                ident: ident.clone(),
                number: value.number(),
                alias: !numbers.insert(value.number()),
                comment: site.locations.comment(&[path, &[ENUM_VALUE, index]].concat()),
                deprecated: is_deprecated(value),
            })
            .collect();
        Ok(Enum {
            ident: named.ident.clone(),
            open: features.enum_type == EnumType::Open,
            json_format: features.json_format,
            comment: site.locations.comment(path),
            deprecated: named.deprecated,
            values,
            full_name,
        })
    }
}

/// The name in JSON of a field that states none: <https://protobuf.dev/programming-guides/json/>.
fn implied_json_name(name: &str) -> String {
    let mut parts = name.split('_');
    let mut json = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let mut letters = part.chars();
        json.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
        json.push_str(letters.as_str());
    }
    json
}

#[cfg(test)]
mod tests {
    use defiant::wkt::feature_set::JsonFormat;
    use defiant::wkt::{FieldOptions, FileOptions, MessageOptions, OneofDescriptorProto, OneofOptions};

    use super::*;

    /// Features reach fields through files, messages and oneofs, whoever produced the descriptors.
    #[test]
    fn features_of_a_ready_made_set() {
        let unchecked = &FeatureSet { utf8_validation: Some(Utf8Validation::None), ..FeatureSet::default() };
        let checked = &FeatureSet { utf8_validation: Some(Utf8Validation::Verify), ..FeatureSet::default() };
        let best_effort = &FeatureSet { json_format: Some(JsonFormat::LegacyBestEffort), ..FeatureSet::default() };
        let file_options = &FileOptions { features: Some(unchecked), ..FileOptions::default() };
        let message_options = &MessageOptions { features: Some(best_effort), ..MessageOptions::default() };
        let field_options = &FieldOptions { features: Some(checked), ..FieldOptions::default() };
        let oneof_options = &OneofOptions { features: Some(checked), ..OneofOptions::default() };
        let string = FieldDescriptorProto { r#type: Some(Wire::String), ..FieldDescriptorProto::default() };
        let set = FileDescriptorSet {
            file: &[FileDescriptorProto {
                name: Some("it.proto"),
                syntax: Some("editions"),
                edition: Some(Edition::Edition2023),
                options: Some(file_options),
                message_type: &[DescriptorProto {
                    name: Some("M"),
                    options: Some(message_options),
                    field: &[
                        FieldDescriptorProto { name: Some("a"), number: Some(1), ..string },
                        FieldDescriptorProto {
                            name: Some("b"),
                            number: Some(2),
                            options: Some(field_options),
                            ..string
                        },
                        FieldDescriptorProto { name: Some("c"), number: Some(3), oneof_index: Some(0), ..string },
                    ],
                    oneof_decl: &[OneofDescriptorProto {
                        name: Some("o"),
                        options: Some(oneof_options),
                        ..OneofDescriptorProto::default()
                    }],
                    ..DescriptorProto::default()
                }],
                ..FileDescriptorProto::default()
            }],
            ..FileDescriptorSet::default()
        };
        let schema = schema(&set, |_| false).expect("one file");
        let message = &schema.files[0].messages[0];
        let checks: Vec<bool> = message.fields().map(|field| field.verifies_utf8).collect();
        assert_eq!(checks, [false, true, true]);
        assert_eq!(message.json_format, JsonFormat::LegacyBestEffort);
    }

    #[test]
    fn files_may_come_twice_but_types_may_not() {
        let message = [DescriptorProto { name: Some("M"), ..DescriptorProto::default() }];
        let oneofs = [OneofDescriptorProto::default()];
        let with_oneof = [DescriptorProto { oneof_decl: &oneofs, ..message[0] }];
        let file = |name, message_type| FileDescriptorProto {
            name: Some(name),
            message_type,
            ..FileDescriptorProto::default()
        };
        let of = |files: &[FileDescriptorProto<'_>]| {
            schema(&FileDescriptorSet { file: files, ..FileDescriptorSet::default() }, |_| false)
                .map(|schema| schema.files.len())
        };
        assert_eq!(of(&[file("a", &message), file("b", &[]), file("a", &message)]).expect("two files"), 2);
        let error = of(&[file("a", &message), file("b", &with_oneof)]).expect_err("one name");
        assert!(error.is_invalid_descriptor_set() && error.to_string().contains("\"M\""), "{error}");
    }
}
