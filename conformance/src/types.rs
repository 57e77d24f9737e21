//! The types that the testee knows.

use defiant::reflect::{DescriptorPool, PoolError, Registry};

/// How the testee holds messages, and what finds their types for `Any` and for extensions.
#[derive(Debug)]
pub enum Types {
    /// As the structs that `build.rs` generated.
    Generated(Registry),
    /// By descriptors, which `build.rs` wrote into a file.
    Dynamic(DescriptorPool),
}

impl Types {
    /// The generated structs.
    #[must_use]
    pub fn generated() -> Self {
        Types::Generated(registry())
    }

    /// The same types, of descriptors.
    ///
    /// # Errors
    ///
    /// What is wrong with the descriptors.
    pub fn dynamic() -> Result<Self, PoolError> {
        pool().map(Types::Dynamic)
    }
}

/// The generated structs.
pub(crate) fn registry() -> Registry {
    let mut registry = Registry::new();
    registry.add::<crate::testee::Request<'static>>();
    add_shapes(&mut registry);
    #[cfg(test_messages)]
    add_test_messages(&mut registry);
    registry
}

/// The same types, of descriptors.
pub(crate) fn pool() -> Result<DescriptorPool, PoolError> {
    let mut pool = DescriptorPool::new();
    pool.add_encoded(include_bytes!(concat!(env!("OUT_DIR"), "/testee.bin")))?;
    pool.add_encoded(include_bytes!(concat!(env!("OUT_DIR"), "/shapes.bin")))?;
    #[cfg(test_messages)]
    pool.add_encoded(include_bytes!(concat!(env!("OUT_DIR"), "/test_messages.bin")))?;
    Ok(pool)
}

fn add_shapes(registry: &mut Registry) {
    use crate::shapes;
    use defiant::wkt;
    registry
        .add::<shapes::Singular<'static>>()
        .add::<shapes::Needy<'static>>()
        .add::<shapes::Mixed<'static>>()
        .add::<shapes::Known<'static>>()
        .add::<crate::modern::Message<'static>>()
        .add::<crate::legacy::Message<'static>>()
        .add_extension(&shapes::AN_EXTENSION)
        .add_extension(&shapes::SOME_EXTENSIONS)
        .add_extension(&shapes::A_NEEDY_EXTENSION)
        .add_extension(&shapes::A_CLOSED_EXTENSION)
        .add_extension(&shapes::PACKED_EXTENSIONS)
        .add::<wkt::Any<'static>>()
        .add::<wkt::Duration<'static>>()
        .add::<wkt::Empty<'static>>()
        .add::<wkt::FieldMask<'static>>()
        .add::<wkt::Int32Value<'static>>()
        .add::<wkt::StringValue<'static>>()
        .add::<wkt::ListValue<'static>>()
        .add::<wkt::Struct<'static>>()
        .add::<wkt::Timestamp<'static>>()
        .add::<wkt::Value<'static>>();
}

#[cfg(test_messages)]
fn add_test_messages(registry: &mut Registry) {
    use crate::test_messages::protobuf_test_messages::{editions, proto2, proto3};
    registry
        .add::<proto2::TestAllTypesProto2<'static>>()
        .add::<proto3::TestAllTypesProto3<'static>>()
        .add::<editions::TestAllTypesEdition2023<'static>>()
        .add::<editions::proto2::TestAllTypesProto2<'static>>()
        .add::<editions::proto3::TestAllTypesProto3<'static>>()
        .add_extension(&proto2::EXTENSION_INT32)
        .add_extension(&proto2::GROUPFIELD)
        .add_extension(&editions::EXTENSION_INT32)
        .add_extension(&editions::GROUPLIKETYPE)
        .add_extension(&editions::DELIMITED_EXT)
        .add_extension(&editions::proto2::EXTENSION_INT32)
        .add_extension(&editions::proto2::GROUPFIELD);
    macro_rules! message_sets {
        ($($types:path),*) => {$({
            use $types as types;
            registry
                .add_extension(&types::message_set_correct_extension1::MESSAGE_SET_EXTENSION)
                .add_extension(&types::message_set_correct_extension2::MESSAGE_SET_EXTENSION)
                .add_extension(&types::extension_with_oneof::EXTENSION_WITH_ONEOF);
        })*};
    }
    message_sets!(proto2::test_all_types_proto2, editions::proto2::test_all_types_proto2);
}
