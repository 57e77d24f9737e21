//! Descriptors of any kind: a pool takes them or says what is wrong, and the types that it makes of them work.

use defiant::descriptor::Cardinality;
use defiant::reflect::{DescriptorPool, DynamicMessage};
use defiant::{Arena, json, text};

/// Most types of a pool that are looked at.
const TYPES: usize = 20;

/// The bytes are a `google.protobuf.FileDescriptorSet`.
pub(super) fn pool(bytes: &[u8]) -> Result<(), String> {
    let mut pool = DescriptorPool::new();
    if pool.add_encoded(bytes).is_err() {
        return Ok(());
    }
    let arena = Arena::new();
    for ty in pool.messages().take(TYPES) {
        let name = ty.descriptor().full_name().to_owned();
        let empty = DynamicMessage::new(ty, &arena);
        let required = ty.descriptor().fields().iter().any(|field| field.cardinality() == Cardinality::Required);
        if !required && !empty.encode_to_vec().is_empty() {
            return Err(format!("{name}: a message without fields has bytes"));
        }
        // The set itself is a wire like any other: most of it is unknown to most types.
        if let Ok(message) = DynamicMessage::decode(ty, bytes, &arena) {
            let wire = message.encode_to_vec();
            let again = DynamicMessage::decode(ty, &wire, &arena).map_err(|error| format!("{name}: {error}"))?;
            if again.encode_to_vec() != wire || message.encoded_len() != wire.len() {
                return Err(format!("{name}: {wire:x?} encodes as {:x?}", again.encode_to_vec()));
            }
            let options = json::EncodeOptions::new().resolver(&pool);
            if let Ok(text) = options.encode_message(message.as_ref()) {
                let options = json::DecodeOptions::new().resolver(&pool);
                options
                    .decode_message(ty.descriptor(), &text, &arena)
                    .map_err(|error| format!("{name}: {text}: {error}"))?;
            }
            let written = text::EncodeOptions::new().resolver(&pool).encode_message(message.as_ref());
            let options = text::DecodeOptions::new().resolver(&pool);
            options
                .decode_message(ty.descriptor(), &written, &arena)
                .map_err(|error| format!("{name}: {written}: {error}"))?;
        }
    }
    Ok(())
}
