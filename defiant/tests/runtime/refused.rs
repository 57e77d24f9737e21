//! Memory that is refused to JSON, text and dynamic messages: an error comes back, and nothing stays.

use defiant::reflect::{DynamicMessage, MessageType};
use defiant::{Arena, Message, json, text};

use super::attacks::{everything, refuse_each};
use super::messages::All;

/// Arenas ask for no less. What is smaller are names in errors and work space, which are asked for as any Rust program asks.
const CHUNK: usize = 300;

#[test]
fn memory_for_messages() {
    let arena = Arena::new();
    let wire = everything();
    let message = All::decode(&wire, &arena).unwrap();
    let (json, text) = (json::encode(&message).unwrap(), text::EncodeOptions::new().encode(&message));
    refuse_each("JSON", CHUNK, || {
        let decoded = json::decode::<All<'_>>(&json, &Arena::new()).map(|_| ());
        decoded.map_err(|error| error.is_memory_limit())
    });
    refuse_each("JSON, borrowed", CHUNK, || {
        let arena = Arena::new();
        json::decode_borrowed::<All<'_>>(&json, &arena).map(|_| ()).map_err(|error| error.is_memory_limit())
    });
    refuse_each("JSON, written", CHUNK, || {
        let arena = Arena::new();
        json::encode_in(&message, &arena).map(|_| ()).map_err(|error| error.is_memory_limit())
    });
    refuse_each("text", CHUNK, || {
        let decoded = text::decode::<All<'_>>(&text, &Arena::new()).map(|_| ());
        decoded.map_err(|error| error.is_memory_limit())
    });
    refuse_each("dynamic", 0, || {
        let arena = Arena::new();
        let ty = MessageType::of::<All<'static>>();
        DynamicMessage::decode(ty, &wire, &arena).map(|_| ()).map_err(|error| error.is_memory_limit())
    });
}

#[test]
fn texts_of_too_many_bytes() {
    let arena = Arena::new();
    let (json, text) = ("{\"string\": \"é\"}", "string: 'é'");
    for more in [0, 1] {
        let options = json::DecodeOptions::new().size_limit(json.len() + more);
        assert!(options.decode::<All<'_>>(json, &arena).is_ok());
        assert!(options.decode_borrowed::<All<'_>>(json, &arena).is_ok());
        let options = text::DecodeOptions::new().size_limit(text.len() + more);
        assert!(options.decode::<All<'_>>(text, &arena).is_ok());
    }
    let error = json::DecodeOptions::new().size_limit(json.len() - 1).decode::<All<'_>>(json, &arena).unwrap_err();
    assert!(error.is_size_limit() && error.to_string().contains("longer than the size limit"), "{error}");
    let error = text::DecodeOptions::new().size_limit(text.len() - 1).decode::<All<'_>>(text, &arena).unwrap_err();
    assert!(error.is_size_limit() && error.to_string().contains("longer than the size limit"), "{error}");
}
