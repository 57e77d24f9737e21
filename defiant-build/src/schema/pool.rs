//! The runtime reads descriptors, too: what its pools make of files is what the generator makes of them.

use defiant::descriptor::{Cardinality, FieldDescriptor, Type};
use defiant::reflect::{DescriptorPool, DynamicMessage};
use defiant::wkt::FileDescriptorSet;
use defiant::{Arena, Message as _};

use super::{Enum, Field, Kind, Message, Scalar, Schema, Shape};

/// What the official compiler makes of a golden file and all that it imports, and of everything that comes along with it.
fn compiled(file: &str) -> Vec<u8> {
    let room = tempfile::tempdir().expect("a directory");
    let path = room.path().join("set.pb");
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden");
    let include = protoc_bin_vendored::include_path().expect("vendored");
    let status = std::process::Command::new(protoc_bin_vendored::protoc_bin_path().expect("vendored"))
        .arg(format!("--proto_path={golden}"))
        .arg(format!("--proto_path={}", include.display()))
        .arg("--include_imports")
        .arg(format!("--descriptor_set_out={}", path.display()))
        .arg(file)
        .status()
        .expect("protoc runs");
    assert!(status.success(), "{file}");
    std::fs::read(path).expect("written")
}

fn scalar(scalar: Scalar) -> Type {
    match scalar {
        Scalar::Int32 => Type::Int32,
        Scalar::Int64 => Type::Int64,
        Scalar::Uint32 => Type::Uint32,
        Scalar::Uint64 => Type::Uint64,
        Scalar::Sint32 => Type::Sint32,
        Scalar::Sint64 => Type::Sint64,
        Scalar::Fixed32 => Type::Fixed32,
        Scalar::Fixed64 => Type::Fixed64,
        Scalar::Sfixed32 => Type::Sfixed32,
        Scalar::Sfixed64 => Type::Sfixed64,
        Scalar::Float => Type::Float,
        Scalar::Double => Type::Double,
        Scalar::Bool => Type::Bool,
        Scalar::String => Type::String,
        Scalar::Bytes => Type::Bytes,
    }
}

/// Type of the keys, type of the values, and the name of a message or an enum.
fn of_kind(kind: &Kind) -> (Option<Type>, Type, Option<&str>) {
    match kind {
        Kind::Scalar(kind) => (None, scalar(*kind), None),
        Kind::Message(name) => (None, Type::Message, Some(name)),
        Kind::Group(name) => (None, Type::Group, Some(name)),
        Kind::Enum(name) => (None, Type::Enum, Some(name)),
        Kind::Map(key, value) => {
            let (_, ty, name) = of_kind(value);
            (Some(scalar(*key)), ty, name)
        }
    }
}

/// What the generator says of a field, and what the runtime says.
fn compare(generated: &Field, made: &FieldDescriptor, in_oneof: bool) {
    let name = made.name();
    assert_eq!(name, generated.name);
    let (key, ty, reference) = of_kind(&generated.kind);
    let made_reference =
        made.message().map(|message| message.full_name()).or_else(|| made.enumeration().map(|item| item.full_name()));
    assert_eq!((made.key_type(), made.ty(), made_reference), (key, ty, reference), "{name}");
    let cardinality = match generated.shape {
        Shape::Implicit | Shape::Optional => Cardinality::Optional,
        Shape::Required => Cardinality::Required,
        Shape::Repeated { .. } => Cardinality::Repeated,
    };
    let presence = matches!(generated.shape, Shape::Optional | Shape::Required);
    assert_eq!((made.cardinality(), made.has_presence()), (cardinality, presence), "{name}");
    assert_eq!(made.is_packed(), matches!(generated.shape, Shape::Repeated { packed: true }), "{name}");
    assert_eq!(made.oneof().is_some(), in_oneof, "{name}");
}

fn messages(pool: &DescriptorPool, messages: &[Message], compared: &mut usize) {
    for message in messages {
        let ty = pool.message(&message.full_name).unwrap_or_else(|| panic!("{} is missing", message.full_name));
        let descriptor = ty.descriptor();
        assert_eq!(descriptor.fields().len(), message.fields().count(), "{}", message.full_name);
        assert_eq!(descriptor.oneofs().len(), message.oneofs().count(), "{}", message.full_name);
        for field in message.fields() {
            let number = u32::try_from(field.number).expect("a number");
            let in_oneof =
                message.oneofs().any(|oneof| oneof.fields.iter().any(|member| member.number == field.number));
            compare(field, descriptor.field(number).expect("the same fields"), in_oneof);
            if matches!(field.kind, Kind::Scalar(Scalar::String)) {
                // A string that is not UTF-8, and nothing else.
                let mut wire = Vec::new();
                let mut tag = number << 3 | 2;
                while tag >= 0x80 {
                    wire.push(tag as u8 | 0x80);
                    tag >>= 7;
                }
                wire.extend([tag as u8, 1, 0xff]);
                let arena = Arena::new();
                let refused = DynamicMessage::decode(ty, &wire, &arena).is_err_and(|error| error.is_invalid_utf8());
                assert_eq!(refused, field.verifies_utf8, "{}.{}", message.full_name, field.name);
            }
            *compared += 1;
        }
        enums(pool, &message.enums);
        self::messages(pool, &message.messages, compared);
    }
}

fn enums(pool: &DescriptorPool, enums: &[Enum]) {
    for item in enums {
        let made = pool.enumeration(&item.full_name).unwrap_or_else(|| panic!("{} is missing", item.full_name));
        assert_eq!(made.is_open(), item.open, "{}", item.full_name);
        assert!(
            made.values().eq(item.values.iter().map(|value| (value.name.as_str(), value.number))),
            "{}",
            item.full_name
        );
    }
}

#[test]
fn pools_resolve_what_the_generator_resolves() {
    let golden = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut files: Vec<String> = std::fs::read_dir(golden)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"))
        .filter(|name| name.ends_with(".proto"))
        .collect();
    files.sort();
    files.extend(["google/protobuf/descriptor.proto", "google/protobuf/struct.proto"].map(String::from));
    let (mut compared, mut extensions) = (0, 0);
    for file in files {
        let set = compiled(&file);
        let arena = Arena::new();
        let decoded = FileDescriptorSet::decode(&set, &arena).expect("it decodes");
        let schema = Schema::new(&decoded, |_| true).unwrap_or_else(|error| panic!("{file}: {error}"));
        let mut pool = DescriptorPool::new();
        pool.add_encoded(&set).unwrap_or_else(|error| panic!("{error}"));
        for file in &schema.files {
            messages(&pool, &file.messages, &mut compared);
            enums(&pool, &file.enums);
            for extension in &file.extensions {
                let number = u32::try_from(extension.field.number).expect("a number");
                let Some(found) = pool.extensions(&extension.host).find(|found| found.field().number() == number)
                else {
                    assert!(number >= 1 << 29, "{file:?}: {number}", file = file.name);
                    continue;
                };
                compare(&extension.field, found.field(), false);
                extensions += 1;
            }
        }
    }
    assert!(compared > 500 && extensions > 10, "{compared} fields, {extensions} extensions");
}
