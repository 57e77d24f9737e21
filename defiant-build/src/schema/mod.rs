//! What the `.proto` files say, in our own words: presence, cardinality, kinds, names, comments.

mod comments;
mod cycles;
mod defaults;
mod extension;
mod features;
mod lower;
mod names;
#[cfg(all(test, feature = "vendored-protoc"))]
mod pool;
mod services;

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use defiant::wkt::FileDescriptorSet;
use defiant::wkt::feature_set::JsonFormat;

use crate::error::{Diagnostic, Error};

pub(crate) use cycles::find as find_cycle;
pub(crate) use defaults::Default;
pub(crate) use extension::Extension;
pub(crate) use features::NEWEST as NEWEST_EDITION;
pub(crate) use names::{extern_tail, is_rust_path, package_modules};
pub(crate) use services::Service;

/// All files of a descriptor set.
#[derive(Debug)]
pub(crate) struct Schema {
    pub(crate) files: Vec<File>,
    types: HashMap<String, Type>,
}

/// The package of the well-known files.
pub(crate) const WELL_KNOWN: &str = "google.protobuf";

/// What to generate code for.
#[derive(Debug)]
pub(crate) struct Asked {
    /// Files, as they are imported.
    pub(crate) files: Vec<String>,
    /// Whether what they import is to be generated, too.
    pub(crate) imports: bool,
}

/// One `.proto` file.
#[derive(Debug)]
pub(crate) struct File {
    /// As it is imported.
    pub(crate) name: String,
    pub(crate) package: String,
    /// The files it imports, those for their options only left out.
    dependencies: Vec<String>,
    /// The complaint about an edition there is no code for.
    pub(crate) unsupported: Option<Diagnostic>,
    pub(crate) messages: Vec<Message>,
    pub(crate) enums: Vec<Enum>,
    pub(crate) services: Vec<Service>,
    pub(crate) extensions: Vec<Extension>,
}

/// What a reference to a message or enum needs to know.
#[derive(Debug)]
pub(crate) struct Type {
    /// Index of its file.
    pub(crate) file: usize,
    /// From the root of the module tree.
    pub(crate) modules: Vec<String>,
    pub(crate) ident: String,
    pub(crate) deprecated: bool,
    /// Of an enum: the Rust names of its values, in the order of declaration.
    values: Vec<(String, String)>,
    /// The values that are deprecated.
    deprecated_values: HashSet<String>,
}

/// Where something is declared.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    file: String,
    /// Line and column, counted from 1.
    start: Option<(u32, u32)>,
}

#[derive(Debug)]
pub(crate) struct Message {
    /// With its package, without a leading dot.
    pub(crate) full_name: String,
    pub(crate) ident: String,
    /// The module of its nested types.
    pub(crate) module: String,
    pub(crate) comment: Option<String>,
    pub(crate) deprecated: bool,
    pub(crate) members: Vec<Member>,
    /// The name of the field that keeps unknown fields.
    pub(crate) unknown_fields: String,
    #[allow(dead_code, reason = "for JSON")]
    pub(crate) json_format: JsonFormat,
    /// Option `message_set_wire_format`.
    pub(crate) message_set: bool,
    /// Names that no field has, because one had it once.
    pub(crate) reserved: Vec<String>,
    /// Option `optimize_for = CODE_SIZE` of its file.
    pub(crate) code_size: bool,
    pub(crate) messages: Vec<Message>,
    pub(crate) enums: Vec<Enum>,
    /// Declared inside of it, mostly to extend others.
    pub(crate) extensions: Vec<Extension>,
}

#[derive(Debug)]
pub(crate) enum Member {
    Field(Field),
    Oneof(Oneof),
}

#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) name: String,
    /// Of a oneof member, the name of the variant.
    pub(crate) ident: String,
    pub(crate) number: i32,
    pub(crate) kind: Kind,
    pub(crate) shape: Shape,
    pub(crate) default: Option<Default>,
    pub(crate) comment: Option<String>,
    pub(crate) deprecated: bool,
    /// Whether the file says `[lazy = true]`.
    pub(crate) lazy: bool,
    /// The option `json_name`, where it says something else than the name does.
    pub(crate) json_name: Option<String>,
    /// Whether the file says `[debug_redact = true]`.
    pub(crate) redacted: bool,
    /// Whether its strings (of a map, its keys and values) are to be UTF-8 on the wire; feature `utf8_validation`.
    pub(crate) verifies_utf8: bool,
    pub(crate) place: Place,
}

/// Presence and cardinality.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Implicit,
    Optional,
    Required,
    Repeated { packed: bool },
}

/// The type of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Scalar(Scalar),
    /// Full names, without a leading dot.
    Message(String),
    Group(String),
    Enum(String),
    Map(Scalar, Box<Kind>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scalar {
    Int32,
    Int64,
    Uint32,
    Uint64,
    Sint32,
    Sint64,
    Fixed32,
    Fixed64,
    Sfixed32,
    Sfixed64,
    Float,
    Double,
    Bool,
    String,
    Bytes,
}

#[derive(Debug)]
pub(crate) struct Oneof {
    pub(crate) name: String,
    pub(crate) ident: String,
    pub(crate) type_ident: String,
    pub(crate) comment: Option<String>,
    pub(crate) fields: Vec<Field>,
}

#[derive(Debug)]
pub(crate) struct Enum {
    pub(crate) full_name: String,
    pub(crate) ident: String,
    pub(crate) open: bool,
    #[allow(dead_code, reason = "for JSON")]
    pub(crate) json_format: JsonFormat,
    pub(crate) comment: Option<String>,
    pub(crate) deprecated: bool,
    pub(crate) values: Vec<Value>,
}

#[derive(Debug)]
pub(crate) struct Value {
    pub(crate) name: String,
    pub(crate) ident: String,
    pub(crate) number: i32,
    /// An earlier value has the same number.
    pub(crate) alias: bool,
    pub(crate) comment: Option<String>,
    pub(crate) deprecated: bool,
}

impl Schema {
    /// `retain_enum_prefix` says of a file whether its enum values keep the name of their enum.
    pub(crate) fn new(set: &FileDescriptorSet<'_>, retain_enum_prefix: impl Fn(&str) -> bool) -> Result<Self, Error> {
        lower::schema(set, retain_enum_prefix)
    }

    /// The type of a full name without a leading dot; every name inside the schema has one.
    pub(crate) fn get(&self, full_name: &str) -> Option<&Type> {
        self.types.get(full_name)
    }

    /// The file that a type is declared in.
    pub(crate) fn file_of(&self, full_name: &str) -> Option<(usize, &File)> {
        let index = self.get(full_name)?.file;
        self.files.get(index).map(|file| (index, file))
    }

    /// Indices of the files to generate.
    ///
    /// Of the well-known files those that nobody refers to are left out (importing `google/protobuf/descriptor.proto`
    /// to declare an option must not generate all of it), and so is what is there by `import option` only.
    pub(crate) fn wanted(&self, asked: &Asked) -> Vec<usize> {
        let by_name: HashMap<&str, usize> = self.files.iter().map(|file| file.name.as_str()).zip(0..).collect();
        let index = |name: &String| by_name.get(name.as_str()).copied();
        let mut wanted: HashSet<usize> = asked.files.iter().filter_map(index).collect();
        if asked.imports {
            let mut imported = HashSet::new();
            let mut queue: Vec<usize> = wanted.iter().copied().collect();
            while let Some(next) = queue.pop() {
                if imported.insert(next) {
                    queue.extend(self.files[next].dependencies.iter().filter_map(index));
                }
            }
            wanted.extend(imported.into_iter().filter(|&index| self.files[index].package != WELL_KNOWN));
            let mut queue: Vec<usize> = wanted.drain().collect();
            while let Some(next) = queue.pop() {
                if wanted.insert(next) {
                    let mut references = Vec::new();
                    self.files[next].references(&mut references);
                    queue.extend(references.iter().filter_map(|name| self.get(name)).map(|found| found.file));
                }
            }
        }
        let mut wanted: Vec<usize> = wanted.into_iter().collect();
        wanted.sort_unstable();
        wanted
    }

    /// Every message, outer before inner.
    pub(crate) fn messages(&self) -> Vec<&Message> {
        fn collect<'a>(messages: &'a [Message], all: &mut Vec<&'a Message>) {
            for message in messages {
                all.push(message);
                collect(&message.messages, all);
            }
        }
        let mut all = Vec::new();
        self.files.iter().for_each(|file| collect(&file.messages, &mut all));
        all
    }
}

impl File {
    fn references<'a>(&'a self, names: &mut Vec<&'a str>) {
        self.messages.iter().for_each(|message| message.references(names));
        // Their types only: nothing of a message is needed to extend it but its name.
        names.extend(self.extensions.iter().filter_map(|extension| extension.field.kind.reference()));
        let methods = self.services.iter().flat_map(|service| &service.methods);
        names.extend(methods.flat_map(|method| [method.input.as_str(), &method.output]));
    }
}

impl Type {
    pub(crate) fn deprecates(&self, value: &str) -> bool {
        self.deprecated_values.contains(value)
    }

    /// The Rust name of an enum value.
    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        self.values.iter().find(|(proto, _)| proto == name).map(|(_, ident)| ident.as_str())
    }
}

impl Message {
    pub(crate) fn fields(&self) -> impl Iterator<Item = &Field> {
        self.members.iter().flat_map(|member| match member {
            Member::Field(field) => std::slice::from_ref(field),
            Member::Oneof(oneof) => oneof.fields.as_slice(),
        })
    }

    pub(crate) fn oneofs(&self) -> impl Iterator<Item = &Oneof> {
        self.members.iter().filter_map(|member| match member {
            Member::Field(_) => None,
            Member::Oneof(oneof) => Some(oneof),
        })
    }

    fn references<'a>(&'a self, names: &mut Vec<&'a str>) {
        names.extend(self.fields().filter_map(|field| field.kind.reference()));
        names.extend(self.extensions.iter().filter_map(|extension| extension.field.kind.reference()));
        self.messages.iter().for_each(|message| message.references(names));
    }
}

impl Kind {
    /// The full name of the message or enum it names.
    pub(crate) fn reference(&self) -> Option<&str> {
        match self {
            Kind::Scalar(_) => None,
            Kind::Message(name) | Kind::Group(name) | Kind::Enum(name) => Some(name),
            Kind::Map(_, value) => value.reference(),
        }
    }

    pub(crate) fn packable(&self) -> bool {
        match self {
            Kind::Scalar(scalar) => !matches!(scalar, Scalar::String | Scalar::Bytes),
            Kind::Enum(_) => true,
            _ => false,
        }
    }

    /// Whether its Rust type has the arena's lifetime.
    pub(crate) fn borrows(&self) -> bool {
        match self {
            Kind::Scalar(scalar) => matches!(scalar, Scalar::String | Scalar::Bytes),
            Kind::Enum(_) => false,
            _ => true,
        }
    }
}

impl Scalar {
    /// The word of `.proto` files and of `#[defiant(..)]`.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Scalar::Int32 => "int32",
            Scalar::Int64 => "int64",
            Scalar::Uint32 => "uint32",
            Scalar::Uint64 => "uint64",
            Scalar::Sint32 => "sint32",
            Scalar::Sint64 => "sint64",
            Scalar::Fixed32 => "fixed32",
            Scalar::Fixed64 => "fixed64",
            Scalar::Sfixed32 => "sfixed32",
            Scalar::Sfixed64 => "sfixed64",
            Scalar::Float => "float",
            Scalar::Double => "double",
            Scalar::Bool => "bool",
            Scalar::String => "string",
            Scalar::Bytes => "bytes",
        }
    }

    pub(crate) fn rust(self) -> &'static str {
        match self {
            Scalar::Int32 | Scalar::Sint32 | Scalar::Sfixed32 => "i32",
            Scalar::Int64 | Scalar::Sint64 | Scalar::Sfixed64 => "i64",
            Scalar::Uint32 | Scalar::Fixed32 => "u32",
            Scalar::Uint64 | Scalar::Fixed64 => "u64",
            Scalar::Float => "f32",
            Scalar::Double => "f64",
            Scalar::Bool => "bool",
            Scalar::String => "&'arena str",
            Scalar::Bytes => "&'arena [u8]",
        }
    }
}

impl Place {
    pub(crate) fn complain(&self, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            file: Some(PathBuf::from(&self.file)),
            line: self.start.map(|(line, _)| line),
            column: self.start.map(|(_, column)| column),
            message: message.into(),
        }
    }
}
