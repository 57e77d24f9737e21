//! Names become file names and source text, so they must be names.

use crate::error::Error;
use crate::schema::{Enum, Extension, Member, Message, Schema};

/// Checks every name of the schema but reserved ones, which may be anything. The compiler has done so; a ready-made
/// descriptor set may hold anything.
///
/// <https://protobuf.dev/reference/protobuf/proto3-spec/#identifiers>
pub(super) fn check(schema: &Schema) -> Result<(), Error> {
    schema.files.iter().try_for_each(|file| {
        if !file.package.is_empty() {
            file.package.split('.').try_for_each(identifier)?;
        }
        file.messages.iter().try_for_each(message)?;
        file.enums.iter().try_for_each(enumeration)?;
        file.extensions.iter().try_for_each(extension)?;
        file.services.iter().try_for_each(|service| {
            identifier(&service.proto_name)?;
            service.methods.iter().try_for_each(|method| identifier(&method.proto_name))
        })
    })
}

fn message(item: &Message) -> Result<(), Error> {
    item.full_name.split('.').try_for_each(identifier)?;
    for member in &item.members {
        if let Member::Oneof(oneof) = member {
            identifier(&oneof.name)?;
        }
    }
    item.fields().try_for_each(|field| identifier(&field.name))?;
    item.messages.iter().try_for_each(message)?;
    item.extensions.iter().try_for_each(extension)?;
    item.enums.iter().try_for_each(enumeration)
}

/// Its package and the messages around it are checked as such.
fn extension(item: &Extension) -> Result<(), Error> {
    identifier(&item.field.name)
}

fn enumeration(item: &Enum) -> Result<(), Error> {
    item.full_name.split('.').try_for_each(identifier)?;
    item.values.iter().try_for_each(|value| identifier(&value.name))
}

fn identifier(name: &str) -> Result<(), Error> {
    if is_identifier(name) { Ok(()) } else { Err(Error::invalid_descriptor_set(format!("{name:?} is no name"))) }
}

/// Whether a field could have this name.
pub(super) fn is_identifier(name: &str) -> bool {
    let begins = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    begins && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
