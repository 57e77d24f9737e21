//! What the schemas declare, as macros that hand it to another macro: so an adapter names no field twice.
//!
//! `messages!(m)` calls `m!` once for each message of the plain schemas, `group_messages!(m)` for those of the schema with
//! a group:
//!
//! ```text
//! m! { proto2 message1_proto2_proto [GoogleMessage1] [GoogleMessage1View] [GoogleMessage1LazyView]
//!      { field1 has_field1 explicit; field5 has_field5 list; .. } }
//! ```
//!
//! that is the last part of the package, Google's name for the module of the file, the path in the package, buffa's
//! names for its views, and of each field the name, the name of its test for presence, and its shape: `implicit`,
//! `explicit`, `message`, `list`, `map` or, for all members of a oneof together, `oneof`. `enums!(m)` calls
//! `m! { quickbuffers quickbuffers_proto CarCode }`, and `oneofs!(m)` calls `m! { oneofs oneofs_proto string_oneof First
//! FirstOneof [mod_StringOneof::OneOffirst] { FirstText first_text; FirstNumber first_number; } }`, with Google's name and
//! quick-protobuf's path after the usual one.

use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{DescriptorProto, FieldDescriptorProto, FileDescriptorProto, FileDescriptorSet};

/// The macros as source code.
pub(crate) fn table(files: &FileDescriptorSet) -> String {
    let (mut messages, mut groups) = (String::new(), String::new());
    let (mut enums, mut oneofs) = (String::new(), String::new());
    for file in &files.file {
        let Some((_, package)) = file.package().split_once('.') else { continue };
        let module = file.name().trim_end_matches(".proto");
        if module == crate::PACKED {
            continue;
        }
        let text = match module {
            crate::WITH_GROUP => &mut groups,
            _ => &mut messages,
        };
        for message in &file.message_type {
            describe(text, file, package, module, &[], message);
            for (index, oneof) in message.oneof_decl.iter().enumerate() {
                let members = message.field.iter().filter(|field| oneof_of(field) == Some(index));
                let members: String =
                    members.map(|field| format!(" {} {};", camel(field.name()), field.name())).collect();
                let (message, name) = (message.name(), camel(oneof.name()));
                let quick = format!("mod_{message}::OneOf{}", oneof.name());
                oneofs.push_str(&format!(
                    "    $with! {{ {package} {module}_proto {} {name} {name}Oneof [{quick}] {{{members} }} }}\n",
                    snake(message)
                ));
            }
        }
        for enumeration in &file.enum_type {
            enums.push_str(&format!("    $with! {{ {package} {module}_proto {} }}\n", enumeration.name()));
        }
    }
    let macros = [("messages", messages), ("group_messages", groups), ("enums", enums), ("oneofs", oneofs)];
    macros
        .map(|(name, calls)| {
            format!("macro_rules! {name} {{ ($with:ident) => {{\n{calls}}} }}\npub(crate) use {name};\n")
        })
        .concat()
}

fn describe(
    text: &mut String,
    file: &FileDescriptorProto,
    package: &str,
    module: &str,
    outer: &[String],
    message: &DescriptorProto,
) {
    if message.options.as_ref().is_some_and(|options| options.map_entry()) {
        return;
    }
    let name = message.name();
    let path = [outer, &[name.to_owned()]].concat();
    let path = path.join("::");
    text.push_str(&format!("    $with! {{ {package} {module}_proto [{path}] [{path}View] [{path}LazyView] {{"));
    let mut seen = None;
    for field in &message.field {
        if let Some(index) = oneof_of(field) {
            if seen.replace(index) != Some(index) {
                let name = message.oneof_decl[index].name();
                text.push_str(&format!(" {name} has_{name} oneof;"));
            }
            continue;
        }
        let entry = message.nested_type.iter().any(|nested| {
            nested.options.as_ref().is_some_and(|options| options.map_entry())
                && field.type_name().ends_with(&format!(".{}", nested.name()))
        });
        let shape = match (field.label(), field.r#type()) {
            _ if entry => "map",
            (Label::Repeated, _) => "list",
            (_, Type::Message | Type::Group) => "message",
            _ if file.syntax() == "proto3" && !field.proto3_optional() => "implicit",
            _ => "explicit",
        };
        // The field of a group has the lower-case name of the group.
        let name = field.name().to_lowercase();
        text.push_str(&format!(" {name} has_{name} {shape};"));
    }
    text.push_str(" } }\n");
    for nested in &message.nested_type {
        // `GoogleMessage2` has its nested messages in `google_message2`.
        let module_of_nested = snake(name);
        describe(text, file, package, module, &[outer, &[module_of_nested]].concat(), nested);
    }
}

/// The index of the oneof that a field is a member of.
fn oneof_of(field: &FieldDescriptorProto) -> Option<usize> {
    field.oneof_index.filter(|_| !field.proto3_optional()).and_then(|index| usize::try_from(index).ok())
}

fn camel(name: &str) -> String {
    let words = name.split('_').map(|word| word.split_at(1));
    words.map(|(first, rest)| first.to_uppercase() + rest).collect()
}

pub(crate) fn snake(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}
