//! The payloads that are made here are what they are said to be.

use benchmarks::payloads::Payload;

#[test]
fn sizes() {
    let sizes = Payload::ALL.map(|payload| (payload.name(), payload.wire().len()));
    assert_eq!(
        sizes,
        [
            ("google_message1_proto2", 228),
            ("google_message1_proto3", 228),
            ("google_message2", 84_570),
            ("api_response", 129),
            ("log_record", 637),
            ("analytics_event", 3_053),
            ("media_frame", 11_028),
            ("signed_varints", 1_503),
            ("tile", 6_024),
            ("column_batch", 22_970),
            ("mesh", 13_576),
            ("polygon_mesh", 13_225),
            ("car", 140),
            ("market_varint", 62),
            ("market_fixed", 84),
            ("foobar", 228),
            ("packed_doubles", 8_388_613),
        ]
    );
}

#[test]
fn names() {
    for payload in Payload::ALL {
        assert_eq!(Payload::from_name(payload.name()), Some(payload));
    }
    assert_eq!(Payload::from_name("message2"), Some(Payload::Message2));
    assert_eq!(Payload::from_name("message3"), None);
}

/// About one word in twenty is not ASCII where people write.
#[test]
fn text_is_not_all_ascii() {
    for payload in [Payload::LogRecord, Payload::AnalyticsEvent, Payload::Tile] {
        assert!(
            String::from_utf8_lossy(payload.wire()).chars().any(|letter| letter.is_alphabetic() && !letter.is_ascii())
        );
    }
}
