//! From what files declare to message types: fields are resolved and checked, then laid out, then made.
#![expect(unsafe_code, reason = "makes descriptors in memory whose address others have already")]

use core::alloc::Layout;
use core::fmt;
use core::ptr::NonNull;

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::collect::{Collected, NewExtension, is_identifier};
use super::features::Features;
use super::{EnumSymbol, MessageSymbol, PoolError, Symbol, defaults};
use crate::descriptor::{Access, Cardinality, FieldShape, Link, MapAccess, Names, Plain, Type};
use crate::reflect::Exhausted;
use crate::reflect::make::{self, FieldPlan, Memory, MessagePlan, Places, Unset, plain_of};
use crate::table::runtime::{Entries, MapValues, RuntimeClass, Shape, Values};
use crate::wire::tag::MAX_NUMBER;
use crate::wkt::feature_set::FieldPresence;
use crate::wkt::field_descriptor_proto::{Label, Type as Wire};
use crate::wkt::{DescriptorProto, FieldDescriptorProto};

/// A field, resolved.
#[derive(Clone, Copy)]
struct Draft {
    number: u32,
    proto: &'static FieldDescriptorProto<'static>,
    name: &'static str,
    json_name: &'static str,
    path_name: &'static str,
    /// Of a map, of its values.
    ty: Type,
    key: Option<Type>,
    target: Target,
    shape: Shape,
    oneof: Option<u16>,
    lenient: bool,
    /// Points to its default, or null.
    default: *const u8,
}

/// What the values of a field are.
#[derive(Clone, Copy)]
enum Target {
    Scalar,
    Enum(&'static EnumSymbol),
    Message(&'static MessageSymbol),
}

/// A message whose fields are resolved.
struct Drafted {
    fields: Vec<Draft>,
    oneofs: Vec<&'static str>,
    places: Places,
}

/// Where a field is declared.
#[derive(Clone, Copy)]
struct Site<'s> {
    file: &'s str,
    /// Message or extension.
    owner: &'s str,
    /// Where names are looked up.
    scope: &'s str,
    features: Features,
    is_extension: bool,
}

impl Site<'_> {
    #[cold]
    fn error(&self, field: &FieldDescriptorProto<'_>, reason: impl fmt::Display) -> PoolError {
        let owner = self.owner;
        match self.is_extension {
            true => PoolError::new(self.file, format_args!("extension {owner}"), reason),
            false => PoolError::new(self.file, format_args!("message {owner}, field {}", field.name()), reason),
        }
    }
}

/// An extension that was made.
pub(super) struct Made {
    pub(super) name: &'static str,
    pub(super) host: &'static str,
    pub(super) number: u32,
    /// `None` where no tag of 32 bits has the number.
    pub(super) holder: Option<NonNull<crate::descriptor::MessageDescriptor>>,
}

/// Makes the messages that were collected.
pub(super) fn messages(collected: &Collected<'_>, memory: &mut Memory) -> Result<(), PoolError> {
    let mut drafts = Vec::with_capacity(collected.messages.len());
    for message in &collected.messages {
        drafts.push(draft_message(collected, message.symbol, message.features, memory)?);
    }
    let layouts: Vec<Layout> = drafts.iter().map(|draft| draft.places.layout).collect();
    for (message, draft) in collected.messages.iter().zip(drafts) {
        let symbol = message.symbol;
        let mut fields = Vec::with_capacity(draft.fields.len());
        for field in draft.fields {
            fields.push(plan(field, &layouts, symbol.step, memory)?);
        }
        let plan = MessagePlan {
            name: symbol.name,
            path_name: symbol.name,
            message_set: is_message_set(symbol),
            fields,
            oneofs: draft.oneofs,
            reserved: symbol.proto.reserved_name,
            places: draft.places,
        };
        // SAFETY: the symbol's own memory; the plan is of these fields, whose links are to types of earlier additions, or of
        // this one, which all are made here.
        unsafe { make::make(memory, plan, symbol.descriptor, symbol.class)? };
    }
    Ok(())
}

fn is_message_set(symbol: &MessageSymbol) -> bool {
    symbol.proto.options.is_some_and(|options| options.message_set_wire_format())
}

/// Resolves the fields of a message.
fn draft_message(
    collected: &Collected<'_>,
    symbol: &'static MessageSymbol,
    features: Features,
    memory: &mut Memory,
) -> Result<Drafted, PoolError> {
    let (proto, name) = (symbol.proto, symbol.name);
    let file = symbol.file.name.unwrap_or("");
    let error = |reason: String| PoolError::new(file, format_args!("message {name}"), reason);
    if is_message_set(symbol) && !proto.field.is_empty() {
        return Err(error(String::from("a message set has no fields but extensions")));
    }
    if proto.field.len() >= usize::from(u16::MAX) || proto.oneof_decl.len() >= usize::from(u16::MAX) {
        return Err(error(String::from("it has too many fields")));
    }
    let site = Site { file, owner: name, scope: name, features, is_extension: false };
    let mut fields = Vec::with_capacity(proto.field.len());
    for field in proto.field {
        // A oneof's features reach its members.
        let mut site = site;
        let oneof =
            field.oneof_index.map(|index| usize::try_from(index).ok().and_then(|index| proto.oneof_decl.get(index)));
        if let Some(oneof) = oneof {
            let Some(oneof) = oneof else {
                return Err(site.error(field, format_args!("there is no oneof of index {}", field.oneof_index())));
            };
            site.features = site.features.inside(oneof.options.and_then(|options| options.features));
        }
        fields.push(draft(collected, field, site, memory)?);
    }
    fields.sort_by_key(|field| field.number);
    if let Some(pair) = fields.windows(2).find(|pair| pair[0].number == pair[1].number) {
        let Draft { number, name, .. } = pair[0];
        return Err(site.error(pair[1].proto, format_args!("the number {number} is that of the field {name}")));
    }
    let mut names: Vec<&str> = fields.iter().map(|field| field.name).collect();
    names.sort_unstable();
    if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(error(format!("two fields have the name {}", pair[0])));
    }
    // As in protoc: what is declared inside has its name in the same scope.
    let has_inside = !(proto.nested_type.is_empty() && proto.enum_type.is_empty() && proto.extension.is_empty());
    let is_declared = |field: &&Draft| has_inside && collected.find(&format!("{name}.{}", field.name)).is_some();
    if let Some(field) = fields.iter().find(is_declared) {
        return Err(site.error(field.proto, "something else in the pool has this name"));
    }
    if let Some(name) = ambiguous_json_name(&fields, proto, features) {
        return Err(error(format!("two fields have the name {name:?} in JSON")));
    }
    check_extension_ranges(proto).map_err(&error)?;
    if let Some(field) = fields.iter().find(|field| symbol.is_extended_by(field.proto.number())) {
        return Err(site.error(field.proto, "its number is one of extensions"));
    }
    // The oneofs that are left, in the order of their smallest members.
    let mut oneofs = Vec::new();
    let mut indices = alloc::vec![None; proto.oneof_decl.len()];
    for field in &mut fields {
        let Some(declared) = field.oneof else { continue };
        let Some(index) = indices.get_mut(usize::from(declared)) else { continue };
        field.oneof = Some(*index.get_or_insert_with(|| {
            let oneof = &proto.oneof_decl[usize::from(declared)];
            oneofs.push(oneof.name.unwrap_or(""));
            oneofs.len() as u16 - 1
        }));
    }
    if let Some(oneof) = oneofs.iter().find(|name| !is_identifier(name)) {
        return Err(error(format!("{oneof:?} is no name of a oneof")));
    }
    let mut names = oneofs.clone();
    names.sort_unstable();
    if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(error(format!("two oneofs have the name {}", pair[0])));
    }
    if fields.iter().filter(|field| field.shape == Shape::Required).count() > RuntimeClass::MOST_REQUIRED as usize {
        return Err(error(String::from("it has too many required fields")));
    }
    let places = places(&fields, oneofs.len()).ok_or_else(|| error(String::from("it is too large")))?;
    Ok(Drafted { fields, oneofs, places })
}

/// A name in JSON that two fields have and must not.
///
/// With the words of protoc: the names that fields have by themselves must differ as well as those they are given. In files
/// of proto2 only what was given counts.
#[expect(deprecated, reason = "the option is meant to be used no more")]
fn ambiguous_json_name(fields: &[Draft], proto: &DescriptorProto<'_>, features: Features) -> Option<String> {
    if proto.options.is_some_and(|options| options.deprecated_legacy_json_field_conflicts()) {
        return None;
    }
    let twice = |mut names: Vec<String>| {
        names.sort_unstable();
        names.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0].clone())
    };
    let own = || fields.iter().map(|field| json_name(field.name));
    let given = fields.iter().map(|field| String::from(field.json_name));
    if features.json {
        twice(own().collect()).or_else(|| twice(given.collect()))
    } else {
        twice(given.zip(own()).filter(|(given, own)| given != own).map(|(given, _)| given).collect())
    }
}

/// Checks that the ranges of numbers for extensions are some, and do not overlap.
fn check_extension_ranges(proto: &DescriptorProto<'_>) -> Result<(), String> {
    let mut ranges: Vec<_> = proto.extension_range.iter().map(|range| (range.start(), range.end())).collect();
    if let Some((start, end)) = ranges.iter().find(|(start, end)| *start < 1 || end <= start) {
        return Err(format!("{start} up to {end} is no range of extensions"));
    }
    ranges.sort_unstable();
    match ranges.windows(2).find(|pair| pair[1].0 < pair[0].1) {
        Some(pair) => Err(format!("{} is in two ranges of extensions", pair[1].0)),
        None => Ok(()),
    }
}

/// Lays out a message of these fields.
fn places(fields: &[Draft], oneofs: usize) -> Option<Places> {
    let layouts: Vec<(Layout, Option<u16>)> = fields
        .iter()
        .map(|field| {
            let layout = match field.oneof {
                None => access(field, Layout::new::<()>(), None).layout(),
                Some(_) => match field.target {
                    Target::Message(_) => Layout::new::<NonNull<u8>>(),
                    Target::Scalar | Target::Enum(_) => Plain::of(field.ty).layout(),
                },
            };
            (layout, field.oneof)
        })
        .collect();
    make::lay_out(&layouts, oneofs)
}

/// How a field lies in its message, where messages in it have a layout; `map` is that of a map.
fn access(field: &Draft, message: Layout, map: Option<&'static MapAccess>) -> Access {
    let plain = plain_of(field.ty, message);
    let is_message = matches!(field.target, Target::Message(_));
    match (field.shape, field.key) {
        (_, Some(_)) => match map {
            Some(map) => Access::Map(map),
            // Of any map, to be asked for its layout.
            None => Access::Map(
                const {
                    &MapAccess::of::<i32, i32>(
                        (Plain::I32, Type::Int32),
                        (Plain::I32, Link::None),
                        core::marker::PhantomData,
                    )
                },
            ),
        },
        (Shape::Member, _) => Access::Variant(plain),
        (Shape::Repeated | Shape::Packed, _) => Access::List(plain),
        _ if is_message => Access::Reference,
        (Shape::Implicit, _) => Access::Implicit(plain),
        (Shape::Required, _) => Access::Required(plain),
        (Shape::Optional, _) => Access::Optional(plain),
    }
}

/// Resolves a field or an extension.
fn draft(
    collected: &Collected<'_>,
    proto: &'static FieldDescriptorProto<'static>,
    site: Site<'_>,
    memory: &mut Memory,
) -> Result<Draft, PoolError> {
    let error = |reason: &str| site.error(proto, reason);
    let name = proto.name.unwrap_or("");
    if !is_identifier(name) {
        return Err(error(&format!("{name:?} is no name of a field")));
    }
    let most = if site.is_extension { i32::MAX as u32 } else { MAX_NUMBER };
    let number = u32::try_from(proto.number()).ok().filter(|number| (1..=most).contains(number));
    let Some(number) = number else { return Err(error(&format!("{} is no number of a field", proto.number()))) };
    if (19_000..20_000).contains(&number) {
        return Err(error("the numbers from 19000 to 19999 are reserved"));
    }
    let features = site.features.of_field(proto);
    let repeated = proto.label == Some(Label::Repeated);
    let mut map = None;
    let (ty, target) = match resolve_type(collected, proto, site)? {
        Resolved::Of(ty, target) => (ty, target),
        Resolved::Entry(name) => {
            let (key, ty, target) = map_types(collected, name, proto, site)?;
            map = Some(key);
            (ty, target)
        }
    };
    let ty = match (ty, map) {
        (Type::Message, None) if features.delimited => Type::Group,
        // What proto2 spells `group` may have been overridden.
        (Type::Group, None) if !features.delimited => Type::Message,
        _ => ty,
    };
    let oneof = if proto.proto3_optional() { None } else { proto.oneof_index };
    let oneof = match oneof {
        // Checked above against the oneofs.
        Some(index) if !site.is_extension => Some(index as u16),
        Some(_) => return Err(error("an extension is in no oneof")),
        None => None,
    };
    let is_message = matches!(target, Target::Message(_));
    let shape = match (repeated, oneof) {
        (true, Some(_)) => return Err(error("a member of a oneof is not repeated")),
        (true, None) => {
            let packable = map.is_none() && !is_message && !matches!(ty, Type::String | Type::Bytes);
            if features.packed && packable { Shape::Packed } else { Shape::Repeated }
        }
        (false, Some(_)) => match features.presence {
            FieldPresence::LegacyRequired => return Err(error("a member of a oneof is not required")),
            _ => Shape::Member,
        },
        (false, None) => match features.presence {
            FieldPresence::LegacyRequired if site.is_extension => return Err(error("an extension is not required")),
            FieldPresence::LegacyRequired => Shape::Required,
            FieldPresence::Implicit if !is_message && !site.is_extension => Shape::Implicit,
            _ => Shape::Optional,
        },
    };
    if let (Shape::Implicit, Target::Enum(item)) = (shape, target) {
        if !item.descriptor.open {
            return Err(error("a closed enum has no implicit presence"));
        }
    }
    let json_name = match proto.json_name {
        Some(name) => name,
        None => memory.str(&json_name(name))?,
    };
    // Escapes make what is kept of a name for JSON longer, so that it is made to be measured; few names need that.
    if name.len() + json_name.len() > 10_000 && !Names::fit(Names::text_of(name, json_name).1) {
        return Err(error("its name, or that in JSON, has more than 64 KiB"));
    }
    // What is not UTF-8 is no string here, so it is among what the descriptor does not know.
    for (number, what) in [(7, "its default"), (10, "its name in JSON")] {
        if proto.unknown_fields.get(number).next().is_some() {
            return Err(error(&format!("{what} is not UTF-8")));
        }
    }
    let lenient = !features.verifies_utf8;
    let mut draft = Draft {
        number,
        proto,
        name,
        json_name,
        path_name: name,
        ty,
        key: map,
        target,
        shape,
        oneof,
        lenient,
        default: core::ptr::null(),
    };
    draft.default = default_of(&draft, site, memory)?;
    Ok(draft)
}

enum Resolved {
    Of(Type, Target),
    /// The entry of a map, by its full name.
    Entry(String),
}

/// The type of a field.
fn resolve_type(
    collected: &Collected<'_>,
    proto: &FieldDescriptorProto<'_>,
    site: Site<'_>,
) -> Result<Resolved, PoolError> {
    let wire = match proto.r#type {
        Some(Wire::Message | Wire::Group | Wire::Enum) | None => proto.r#type,
        Some(wire) => {
            if proto.type_name.is_some() {
                return Err(site.error(proto, "a scalar has no name of a type"));
            }
            return Ok(Resolved::Of(scalar(wire), Target::Scalar));
        }
    };
    let Some(name) = proto.type_name else {
        let known = proto.unknown_fields.get(5).next().is_none();
        return Err(site.error(proto, if known { "it has no type" } else { "its type is none that there is" }));
    };
    let symbol = collected.resolve(site.scope, name);
    Ok(match (symbol, wire) {
        (None, _) => return Err(site.error(proto, format_args!("type {name:?} is not in the pool"))),
        (Some(Symbol::Message(symbol)), None | Some(Wire::Message)) => {
            Resolved::Of(Type::Message, Target::Message(symbol))
        }
        (Some(Symbol::Message(symbol)), Some(Wire::Group)) => Resolved::Of(Type::Group, Target::Message(symbol)),
        (Some(Symbol::Enum(symbol)), None | Some(Wire::Enum)) => Resolved::Of(Type::Enum, Target::Enum(symbol)),
        (Some(Symbol::Entry), None | Some(Wire::Message)) => {
            // The entries of a message's maps are in the message itself.
            let full = name.rsplit('.').next().map(|last| format!("{}.{last}", site.scope));
            match full.filter(|full| !site.is_extension && collected.entries.contains_key(full.as_str())) {
                Some(full) => Resolved::Entry(full),
                None => return Err(site.error(proto, format_args!("{name:?} is the entry of another message's map"))),
            }
        }
        (Some(_), _) => {
            let wanted = if wire == Some(Wire::Enum) { "enum" } else { "message" };
            return Err(site.error(proto, format_args!("{name:?} is no {wanted}")));
        }
    })
}

fn scalar(wire: Wire) -> Type {
    match wire {
        Wire::Double => Type::Double,
        Wire::Float => Type::Float,
        Wire::Int64 => Type::Int64,
        Wire::Uint64 => Type::Uint64,
        Wire::Int32 => Type::Int32,
        Wire::Fixed64 => Type::Fixed64,
        Wire::Fixed32 => Type::Fixed32,
        Wire::Bool => Type::Bool,
        Wire::String => Type::String,
        Wire::Group => Type::Group,
        Wire::Message => Type::Message,
        Wire::Bytes => Type::Bytes,
        Wire::Uint32 => Type::Uint32,
        Wire::Enum => Type::Enum,
        Wire::Sfixed32 => Type::Sfixed32,
        Wire::Sfixed64 => Type::Sfixed64,
        Wire::Sint32 => Type::Sint32,
        Wire::Sint64 => Type::Sint64,
    }
}

/// The types of a map's keys and values.
fn map_types(
    collected: &Collected<'_>,
    entry: String,
    proto: &FieldDescriptorProto<'_>,
    site: Site<'_>,
) -> Result<(Type, Type, Target), PoolError> {
    let error = |reason: &str| site.error(proto, reason);
    if proto.label != Some(Label::Repeated) || proto.oneof_index.is_some() {
        return Err(error("a map is a repeated field"));
    }
    let found = collected.entries.get(entry.as_str()).filter(|found| found.parent == site.scope);
    let Some(found) = found else { return Err(error("it has the entry of another message's map")) };
    let [first, second] = found.proto.field else { return Err(error("an entry has a key and a value")) };
    let (key, value) = if first.number() == 1 { (first, second) } else { (second, first) };
    let single = |field: &FieldDescriptorProto<'_>| {
        !matches!(field.label, Some(Label::Repeated | Label::Required)) && field.oneof_index.is_none()
    };
    if key.number() != 1 || value.number() != 2 || !single(key) || !single(value) {
        return Err(error("an entry has a key of number 1 and a value of number 2"));
    }
    let inside = Site { scope: &entry, ..site };
    let key = match resolve_type(collected, key, inside)? {
        Resolved::Of(ty, Target::Scalar) if !matches!(ty, Type::Double | Type::Float | Type::Bytes) => ty,
        _ => return Err(error("a map's key is an integer, a bool or a string")),
    };
    match resolve_type(collected, value, inside)? {
        // An entry's messages are never delimited.
        Resolved::Of(Type::Group | Type::Message, target) => Ok((key, Type::Message, target)),
        Resolved::Of(ty, target) => Ok((key, ty, target)),
        Resolved::Entry(_) => Err(error("a map's values are no maps")),
    }
}

/// What to make of a field, now that the layouts of all messages are known: those of this addition, and, in their
/// descriptors, those of earlier ones.
fn plan(draft: Draft, layouts: &[Layout], step: usize, memory: &mut Memory) -> Result<FieldPlan, PoolError> {
    let layout = match draft.target {
        Target::Message(symbol) if symbol.step == step => {
            layouts.get(symbol.index).copied().unwrap_or(Layout::new::<()>())
        }
        Target::Message(symbol) => symbol.descriptor().layout,
        Target::Scalar | Target::Enum(_) => Layout::new::<()>(),
    };
    let link = match draft.target {
        Target::Scalar => Link::None,
        Target::Enum(symbol) => Link::Enum(&symbol.descriptor),
        Target::Message(symbol) => Link::Message(symbol.descriptor),
    };
    let first = match draft.target {
        Target::Enum(symbol) if !symbol.descriptor.open => symbol.descriptor.values.first().map_or(0, |value| value.1),
        _ => 0,
    };
    let (map, values) = match draft.key {
        Some(key) => {
            let (map, entries) = map_entries(&draft, key, layout, link, first, memory)?;
            (Some(map), Values::Map(entries))
        }
        None => {
            let values = match draft.target {
                Target::Enum(symbol) if !symbol.descriptor.open => Values::Closed(NonNull::from(&symbol.numbers)),
                Target::Message(symbol) if draft.ty == Type::Group => Values::Group(symbol.class),
                Target::Message(symbol) => Values::Message(symbol.class),
                Target::Scalar if draft.ty == Type::String && draft.lenient => Values::Lenient,
                Target::Scalar | Target::Enum(_) => Values::Scalar(draft.ty),
            };
            (None, values)
        }
    };
    let Draft { number, proto, name, json_name, path_name, ty, shape, oneof, .. } = draft;
    Ok(FieldPlan {
        number,
        name,
        json_name,
        path_name,
        shape: FieldShape {
            ty,
            cardinality: match shape {
                Shape::Repeated | Shape::Packed => Cardinality::Repeated,
                Shape::Required => Cardinality::Required,
                Shape::Implicit | Shape::Optional | Shape::Member => Cardinality::Optional,
            },
            presence: matches!(shape, Shape::Optional | Shape::Required | Shape::Member),
            packed: shape == Shape::Packed,
            link,
            access: access(&draft, layout, map),
        },
        redacted: proto.options.is_some_and(|options| options.debug_redact()),
        oneof,
        handlers: make::pick(memory, shape, values)?,
        default: draft.default,
        unset: Unset::Access(first),
    })
}

/// How the entries of a map lie in memory, and how they are read.
fn map_entries(
    draft: &Draft,
    key: Type,
    message: Layout,
    link: Link,
    first: i32,
    memory: &mut Memory,
) -> Result<(&'static MapAccess, NonNull<Entries>), Exhausted> {
    let access = MapAccess::untyped(key, plain_of(draft.ty, message), link).ok_or(Exhausted::Memory)?;
    let value = match draft.target {
        Target::Enum(symbol) if !symbol.descriptor.open => MapValues::Closed(NonNull::from(&symbol.numbers), first),
        Target::Message(symbol) => MapValues::of_messages(symbol.class),
        Target::Scalar | Target::Enum(_) => MapValues::Scalar(draft.ty),
    };
    let entries = memory.value(Entries { access, key, value, lenient: draft.lenient })?;
    // SAFETY: written just now, and not written to any more; for the lifetime see `Memory`.
    let access: &'static MapAccess = unsafe { &(*entries.as_ptr()).access };
    Ok((access, entries))
}

/// The default that a field declares, or null.
fn default_of(draft: &Draft, site: Site<'_>, memory: &mut Memory) -> Result<*const u8, PoolError> {
    let Some(text) = draft.proto.default_value else { return Ok(core::ptr::null()) };
    let error = |reason: &str| site.error(draft.proto, reason);
    if !matches!(draft.shape, Shape::Optional | Shape::Required | Shape::Member) {
        return Err(error("it cannot have a default"));
    }
    let value = match draft.target {
        Target::Message(_) => return Err(error("a message has no default")),
        Target::Enum(symbol) => match symbol.descriptor.number_of(text) {
            Some(number) => Some(memory.value(number)?.cast::<u8>().as_ptr().cast_const()),
            None => None,
        },
        Target::Scalar => defaults::parse(draft.ty, text, memory)?,
    };
    value.ok_or_else(|| error(&format!("{text:?} is no default of its type")))
}

/// Makes the extensions that were collected. The messages are there already.
pub(super) fn extensions(collected: &Collected<'_>, memory: &mut Memory) -> Result<Vec<Made>, PoolError> {
    let mut made = Vec::with_capacity(collected.extensions.len());
    for extension in &collected.extensions {
        made.push(make_extension(collected, extension, memory)?);
    }
    Ok(made)
}

fn make_extension(collected: &Collected<'_>, extension: &NewExtension, memory: &mut Memory) -> Result<Made, PoolError> {
    let &NewExtension { name, proto, scope, file, features } = extension;
    let site = Site { file, owner: name, scope, features, is_extension: true };
    let extendee = proto.extendee();
    let host = match collected.resolve(scope, extendee) {
        Some(Symbol::Message(host)) => host,
        Some(_) => return Err(site.error(proto, format_args!("{extendee:?} is no message"))),
        None => return Err(site.error(proto, format_args!("message {extendee:?} is not in the pool"))),
    };
    let mut draft = draft(collected, proto, site, memory)?;
    let number = draft.number;
    let set = is_message_set(host);
    if set && (draft.shape != Shape::Optional || draft.ty != Type::Message) {
        return Err(site.error(proto, "an extension of a message set is an optional message"));
    }
    if !host.is_extended_by(draft.proto.number()) {
        let reason = alloc::format!("{} has no extension of the number {number}", host.name);
        return Err(site.error(proto, reason));
    }
    if number > MAX_NUMBER {
        if !set {
            return Err(site.error(proto, format_args!("{number} is no number of a field")));
        }
        return Ok(Made { name, host: host.name, number, holder: None });
    }
    draft.path_name = memory.str(&format!("[{name}]"))?;
    draft.json_name = draft.path_name;
    let fields = alloc::vec![draft];
    let places = places(&fields, 0).ok_or(Exhausted::Memory)?;
    let mut plans = Vec::with_capacity(1);
    for field in fields {
        // Every message is made: a step that is none has all layouts from the descriptors.
        plans.push(plan(field, &[], usize::MAX, memory)?);
    }
    let plan = MessagePlan {
        name,
        path_name: host.name,
        message_set: false,
        fields: plans,
        oneofs: Vec::new(),
        reserved: &[],
        places,
    };
    let (descriptor, class) = (memory.room(1)?, memory.room(1)?);
    // SAFETY: memory of its own; the plan is of this field, whose link is to a type that is made.
    unsafe { make::make(memory, plan, descriptor, class)? };
    Ok(Made { name, host: host.name, number, holder: Some(descriptor) })
}

/// The name in JSON: without underscores, each letter behind one as a capital.
fn json_name(name: &str) -> String {
    let mut json = String::with_capacity(name.len());
    let mut capital = false;
    for character in name.chars() {
        match character {
            '_' => capital = true,
            letter if capital => {
                json.push(letter.to_ascii_uppercase());
                capital = false;
            }
            letter => json.push(letter),
        }
    }
    json
}
