//! From descriptors to the schema.

use std::collections::{HashMap, HashSet};

use prost_types::field_descriptor_proto::{Label, Type as Wire};
use prost_types::{
    DescriptorProto, EnumDescriptorProto, EnumValueDescriptorProto, FieldDescriptorProto, FileDescriptorProto,
    FileDescriptorSet,
};

use super::comments::Locations;
use super::names::{self, Scope};
use super::services;
use super::{Enum, Field, File, Kind, Member, Message, Oneof, Scalar, Schema, Shape, Type, Value, defaults};
use crate::error::Error;

// Field numbers of descriptor.proto, the steps of a location's path.
const FILE_MESSAGE: i32 = 4;
const FILE_ENUM: i32 = 5;
const MESSAGE_FIELD: i32 = 2;
const MESSAGE_NESTED: i32 = 3;
const MESSAGE_ENUM: i32 = 4;
const MESSAGE_ONEOF: i32 = 8;
const ENUM_VALUE: i32 = 2;

/// The types and modules declared side by side.
#[derive(Default)]
struct Neighbours {
    types: Scope,
    modules: Scope,
}

/// Rust names of a message's own namespace.
struct Namespace {
    module: String,
    /// The types of its oneofs, in the order of declaration.
    oneofs: Vec<String>,
}

#[derive(Default)]
struct Lowering {
    types: HashMap<String, Type>,
    namespaces: HashMap<String, Namespace>,
    /// Map entries, which become no type of their own.
    entries: HashMap<String, DescriptorProto>,
    /// Whether enum values keep the name of their enum, for each file.
    retain_enum_prefix: Vec<bool>,
}

/// Where a descriptor stands.
#[derive(Clone, Copy)]
struct Site<'a> {
    locations: &'a Locations<'a>,
    proto3: bool,
}

pub(super) fn schema(set: &FileDescriptorSet, retain_enum_prefix: impl Fn(&str) -> bool) -> Result<Schema, Error> {
    let retain_enum_prefix = set.file.iter().map(|file| retain_enum_prefix(file.name())).collect();
    let mut lowering = Lowering { retain_enum_prefix, ..Lowering::default() };
    lowering.name_everything(set);
    let files = set.file.iter().map(|file| lowering.file(file)).collect::<Result<_, _>>()?;
    Ok(Schema { files, types: lowering.types })
}

fn join(parent: &str, name: &str) -> String {
    if parent.is_empty() { name.to_owned() } else { format!("{parent}.{name}") }
}

/// The names of the types declared side by side.
fn type_names<'a>(messages: &'a [DescriptorProto], enums: &'a [EnumDescriptorProto]) -> impl Iterator<Item = &'a str> {
    let messages = messages.iter().filter(|message| !is_map_entry(message)).map(|message| message.name());
    messages.chain(enums.iter().map(|item| item.name()))
}

fn is_deprecated(value: &EnumValueDescriptorProto) -> bool {
    value.options.as_ref().is_some_and(|options| options.deprecated())
}

fn is_map_entry(message: &DescriptorProto) -> bool {
    message.options.as_ref().is_some_and(|options| options.map_entry())
}

/// The oneofs that are declared as such: `optional` of proto3 makes one of its own for its field.
fn declared_oneofs(message: &DescriptorProto) -> Vec<(i32, &str)> {
    let synthetic: HashSet<i32> =
        message.field.iter().filter(|field| field.proto3_optional()).filter_map(|field| field.oneof_index).collect();
    (0..)
        .zip(&message.oneof_decl)
        .filter(|(index, _)| !synthetic.contains(index))
        .map(|(index, oneof)| (index, oneof.name()))
        .collect()
}

impl Lowering {
    fn name_everything(&mut self, set: &FileDescriptorSet) {
        // By module, not by package: `a.B` and `a.b` are one.
        let mut packages: HashMap<Vec<String>, Neighbours> = HashMap::new();
        // A package inside a package is a module of its parent: no message's module may take that name.
        for file in &set.file {
            let mut inner = file.package();
            while !inner.is_empty() {
                let (outer, name) = inner.rsplit_once('.').unwrap_or(("", inner));
                packages.entry(names::package_modules(outer)).or_default().modules.reserve(names::module(name));
                inner = outer;
            }
        }
        for file in &set.file {
            let neighbours = packages.entry(names::package_modules(file.package())).or_default();
            neighbours.types.expect(type_names(&file.message_type, &file.enum_type));
        }
        for (index, file) in set.file.iter().enumerate() {
            let modules = names::package_modules(file.package());
            let neighbours = packages.entry(modules.clone()).or_default();
            for item in &file.enum_type {
                self.name_enum(index, item, file.package(), &modules, neighbours);
            }
            for message in &file.message_type {
                self.name_message(index, message, file.package(), &modules, neighbours);
            }
        }
    }

    fn name_enum(
        &mut self,
        file: usize,
        item: &EnumDescriptorProto,
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
            deprecated: item.options.as_ref().is_some_and(|options| options.deprecated()),
            values: values.map(str::to_owned).zip(idents).collect(),
            deprecated_values: item
                .value
                .iter()
                .filter(|value| is_deprecated(value))
                .map(|value| value.name().to_owned())
                .collect(),
        };
        self.types.insert(join(parent, item.name()), named);
    }

    fn name_message(
        &mut self,
        file: usize,
        message: &DescriptorProto,
        parent: &str,
        modules: &[String],
        neighbours: &mut Neighbours,
    ) {
        let full_name = join(parent, message.name());
        if is_map_entry(message) {
            self.entries.insert(full_name, message.clone());
            return;
        }
        let module = names::module(message.name());
        let oneofs = declared_oneofs(message);
        let has_namespace =
            !oneofs.is_empty() || !message.enum_type.is_empty() || !message.nested_type.iter().all(is_map_entry);
        let module = if has_namespace { neighbours.modules.claim(module) } else { module };
        let inner_modules: Vec<String> = modules.iter().chain([&module]).cloned().collect();
        let mut inner = Neighbours::default();
        inner.types.expect(type_names(&message.nested_type, &message.enum_type));
        for item in &message.enum_type {
            self.name_enum(file, item, &full_name, &inner_modules, &mut inner);
        }
        for nested in &message.nested_type {
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
        let named = Type {
            file,
            modules: modules.to_vec(),
            ident: neighbours.types.claim_type(message.name()),
            deprecated: message.options.as_ref().is_some_and(|options| options.deprecated()),
            values: Vec::new(),
            deprecated_values: HashSet::new(),
        };
        self.namespaces.insert(full_name.clone(), Namespace { module, oneofs });
        self.types.insert(full_name, named);
    }

    fn file(&self, file: &FileDescriptorProto) -> Result<File, Error> {
        let locations = Locations::new(file);
        let site = Site { locations: &locations, proto3: file.syntax() == "proto3" };
        let messages = (0..)
            .zip(&file.message_type)
            .map(|(index, message)| self.message(message, file.package(), site, &[FILE_MESSAGE, index]))
            .collect::<Result<_, _>>()?;
        let enums = (0..)
            .zip(&file.enum_type)
            .map(|(index, item)| self.item_enum(item, file.package(), site, &[FILE_ENUM, index]))
            .collect::<Result<_, _>>()?;
        Ok(File {
            name: file.name().to_owned(),
            package: file.package().to_owned(),
            editions: !matches!(file.syntax(), "" | "proto2" | "proto3"),
            messages,
            enums,
            services: services::of_file(file, &locations),
        })
    }

    fn named(&self, full_name: &str) -> Result<&Type, Error> {
        self.types.get(full_name).ok_or_else(|| Error::invalid_descriptor_set(format!("no type named {full_name:?}")))
    }

    fn message(&self, message: &DescriptorProto, parent: &str, site: Site<'_>, path: &[i32]) -> Result<Message, Error> {
        let full_name = join(parent, message.name());
        let named = self.named(&full_name)?;
        let namespace = self
            .namespaces
            .get(&full_name)
            .ok_or_else(|| Error::invalid_descriptor_set(format!("{full_name} is a map entry outside a message")))?;
        let (members, unknown_fields) = self.members(message, &full_name, namespace, site, path)?;
        let step = |number: i32, index: i32| [path, &[number, index]].concat();
        let messages = (0..)
            .zip(&message.nested_type)
            .filter(|(_, nested)| !is_map_entry(nested))
            .map(|(index, nested)| self.message(nested, &full_name, site, &step(MESSAGE_NESTED, index)))
            .collect::<Result<_, _>>()?;
        let enums = (0..)
            .zip(&message.enum_type)
            .map(|(index, item)| self.item_enum(item, &full_name, site, &step(MESSAGE_ENUM, index)))
            .collect::<Result<_, _>>()?;
        Ok(Message {
            ident: named.ident.clone(),
            module: namespace.module.clone(),
            comment: site.locations.comment(path),
            deprecated: named.deprecated,
            members,
            unknown_fields,
            messages,
            enums,
            full_name,
        })
    }

    /// Fields and oneofs in the order of declaration, and the name that is left for the unknown fields.
    fn members(
        &self,
        message: &DescriptorProto,
        full_name: &str,
        namespace: &Namespace,
        site: Site<'_>,
        path: &[i32],
    ) -> Result<(Vec<Member>, String), Error> {
        let declared = declared_oneofs(message);
        let oneof_of = |field: &FieldDescriptorProto| {
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
            let fields = message
                .field
                .iter()
                .enumerate()
                .filter(|(_, field)| oneof_of(field) == Some(oneof))
                .map(|(index, field)| {
                    let variant = variants.claim(names::type_name(field.name()));
                    self.field(field, full_name, variant, site, &field_path(index))
                })
                .collect::<Result<_, _>>()?;
            let (declared_index, name) = declared[oneof];
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

    fn field(
        &self,
        field: &FieldDescriptorProto,
        parent: &str,
        ident: String,
        site: Site<'_>,
        path: &[i32],
    ) -> Result<Field, Error> {
        let kind = self.kind(field)?;
        let options = field.options.as_ref();
        let in_oneof = field.oneof_index.is_some() && !field.proto3_optional();
        let shape = match field.label() {
            Label::Repeated => {
                let declared = options.and_then(|options| options.packed);
                Shape::Repeated { packed: kind.packable() && declared.unwrap_or(site.proto3) }
            }
            Label::Required => Shape::Required,
            Label::Optional if in_oneof || !site.proto3 || field.proto3_optional() => Shape::Optional,
            Label::Optional if matches!(kind, Kind::Message(_) | Kind::Group(_)) => Shape::Optional,
            Label::Optional => Shape::Implicit,
        };
        let default = match &field.default_value {
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
            deprecated: options.is_some_and(|options| options.deprecated()),
            place: site.locations.place(path),
        })
    }

    fn kind(&self, field: &FieldDescriptorProto) -> Result<Kind, Error> {
        let wire = field
            .r#type
            .and_then(|number| Wire::try_from(number).ok())
            .ok_or_else(|| Error::invalid_descriptor_set(format!("field {:?} has no type", field.name())))?;
        let name = field.type_name().strip_prefix('.').unwrap_or(field.type_name());
        let known = || self.named(name).map(|_| name.to_owned());
        Ok(match wire {
            Wire::Message => match self.entries.get(name) {
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
            Wire::Group => Kind::Group(known()?),
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

    fn item_enum(&self, item: &EnumDescriptorProto, parent: &str, site: Site<'_>, path: &[i32]) -> Result<Enum, Error> {
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
            open: site.proto3,
            comment: site.locations.comment(path),
            deprecated: named.deprecated,
            values,
            full_name,
        })
    }
}
