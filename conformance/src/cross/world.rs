//! The types of both kinds: those with a struct, and the same of a pool.

use std::collections::BTreeSet;

use defiant::reflect::{DescriptorPool, ExtensionType, MessageType, PoolError, Registry, Resolver};

use crate::types;

/// Types with structs, and the same types of descriptors.
#[derive(Debug)]
pub struct World {
    pub(super) registry: Registry,
    pub(super) pool: DescriptorPool,
    /// The full names of the messages that cases are about.
    pub(super) subjects: Vec<&'static str>,
    /// The full names of messages that an `Any` may have.
    pub(super) contents: Vec<&'static str>,
    message_sets: BTreeSet<String>,
}

impl World {
    /// All types that there are: where the suite's files were not there when this was compiled, those of
    /// `proto/shapes.proto` alone.
    ///
    /// # Errors
    ///
    /// What is wrong with the descriptors.
    pub fn new() -> Result<Self, PoolError> {
        let (registry, pool) = (types::registry(), types::pool()?);
        let subjects = SUBJECTS.iter().filter(|name| registry.message(name).is_some()).copied();
        let subjects: Vec<_> = subjects.filter(|name| pool.message(name).is_some()).collect();
        let contents = CONTENTS.iter().chain(&subjects).filter(|name| registry.message(name).is_some()).copied();
        let contents = contents.filter(|name| pool.message(name).is_some()).collect();
        let is_set = |name: &str| {
            let options = pool.message_proto(name).and_then(|message| message.options);
            options.is_some_and(|options| options.message_set_wire_format == Some(true))
        };
        let names = pool.messages().map(|ty| ty.descriptor().full_name().to_owned());
        let message_sets = names.filter(|name| is_set(name)).collect();
        Ok(World { registry, pool, subjects, contents, message_sets })
    }

    /// The full names of the messages that cases are about.
    #[must_use]
    pub fn subjects(&self) -> &[&'static str] {
        &self.subjects
    }

    /// A type as a struct and as a dynamic message.
    #[must_use]
    pub fn types(&self, name: &str) -> Option<[MessageType<'_>; 2]> {
        Some([self.registry.message(name)?, self.pool.message(name)?])
    }

    /// The pool's types that the registry has, too.
    pub(super) fn common(&self) -> Common<'_> {
        Common(self)
    }

    /// The extensions of a message that both kinds have.
    pub(super) fn extensions(&self, host: &str) -> Vec<ExtensionType<'_>> {
        let all = self.pool.extensions(host);
        all.filter(|one| self.registry.extension_by_number(host, one.field().number()).is_some()).collect()
    }

    pub(super) fn is_message_set(&self, name: &str) -> bool {
        self.message_sets.contains(name)
    }
}

/// The pool's types that the registry has, too.
#[derive(Clone, Copy)]
pub(super) struct Common<'w>(&'w World);

impl Resolver for Common<'_> {
    fn message(&self, full_name: &str) -> Option<MessageType<'_>> {
        self.0.registry.message(full_name)?;
        self.0.pool.message(full_name)
    }

    fn extension(&self, host: &str, full_name: &str) -> Option<ExtensionType<'_>> {
        self.0.registry.extension(host, full_name)?;
        Resolver::extension(&self.0.pool, host, full_name)
    }

    fn extension_by_number(&self, host: &str, number: u32) -> Option<ExtensionType<'_>> {
        self.0.registry.extension_by_number(host, number)?;
        self.0.pool.extension_by_number(host, number)
    }
}

const SUBJECTS: [&str; 12] = [
    "shapes.Singular",
    "shapes.Mixed",
    "shapes.Known",
    "shapes.Needy",
    "testee.Request",
    "modern.Message",
    "legacy.Message",
    "protobuf_test_messages.proto2.TestAllTypesProto2",
    "protobuf_test_messages.proto3.TestAllTypesProto3",
    "protobuf_test_messages.editions.TestAllTypesEdition2023",
    "protobuf_test_messages.editions.proto2.TestAllTypesProto2",
    "protobuf_test_messages.editions.proto3.TestAllTypesProto3",
];

const CONTENTS: [&str; 10] = [
    "google.protobuf.Any",
    "google.protobuf.Duration",
    "google.protobuf.Empty",
    "google.protobuf.FieldMask",
    "google.protobuf.Int32Value",
    "google.protobuf.ListValue",
    "google.protobuf.Struct",
    "google.protobuf.Timestamp",
    "google.protobuf.Value",
    "google.protobuf.StringValue",
];
