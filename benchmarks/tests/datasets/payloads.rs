//! The payloads that are made here are what they are said to be.

use benchmarks::changes;
use benchmarks::generated::prost::families::AnalyticsEvent;
use benchmarks::generated::prost::generic::{GenericMessage1, GenericMessage3, GenericSet};
use benchmarks::generated::prost::protokt::StringMap;
use benchmarks::generated::prost::shapes::Condition;
use benchmarks::offer::Task;
use benchmarks::payloads::Payload;
use benchmarks::walk::Listing;
use benchmarks::{protokt, quickbuffers};
use prost::Message;

#[test]
fn sizes() {
    let same_in_every_build = |payload: &Payload| !payload.is_log() && *payload != Payload::RemoteWriteLarge;
    let messages = Payload::ALL.into_iter().filter(same_in_every_build);
    let sizes: Vec<_> = messages.map(|payload| (payload.name(), payload.wire().len())).collect();
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
            ("generic_medium", 201_570),
            ("generic_small", 1_221),
            ("generic_large", 6_513_655),
            ("string_heavy", 6_002_527),
            ("string_oneof", 6_002_527),
            ("string_very_heavy", 6_002_633),
            ("string_map", 103_500),
            ("unsorted_map", 15_007),
            ("string_repeated", 51_000),
            ("remote_write", 123_524),
            ("inputs", 124_644),
            ("descriptors", 154_881),
            ("googleapis", 499_607),
            ("trace_export", 157_003),
            ("logs_export", 127_479),
            ("sparse", 247),
            ("nested", 4_648),
            ("blob", 10_000_035),
            ("reversed", 3_053),
            ("shuffled", 3_053),
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

#[test]
fn a_log_is_as_long_as_it_is_said_to_be() {
    for (log, message) in [(Payload::CarLog, Payload::Car), (Payload::MarketLog, Payload::MarketVarint)] {
        let (log, one) = (log.wire(), length_delimited(message.wire()));
        assert!(log.chunks(one.len()).all(|message| message == one));
        assert!(log.len() <= quickbuffers::LOG && log.len() + one.len() > quickbuffers::LOG);
    }
}

#[test]
fn readings_of_drives_are_as_long_as_they_are_said_to_be() {
    for (log, least, most) in [(Payload::DriveLog, 200, 220), (Payload::DriveGroupLog, 540, 570)] {
        let (mut wire, mut sizes) = (log.wire(), Vec::new());
        while !wire.is_empty() {
            let len = ::prost::decode_length_delimiter(&mut wire).expect("a length");
            wire = &wire[len..];
            sizes.push(len);
        }
        assert!(sizes.iter().all(|size| (least..=most).contains(size)), "{log}: {sizes:?}");
    }
}

fn length_delimited(message: &[u8]) -> Vec<u8> {
    let mut wire = Vec::new();
    ::prost::encode_length_delimiter(message.len(), &mut wire).expect("a Vec grows");
    [wire.as_slice(), message].concat()
}

/// The sizes that protokt's set is described with.
#[test]
fn generic_messages_are_as_large_as_they_are_said_to_be() {
    let set = |payload: Payload| GenericSet::decode(payload.wire()).expect("prost reads it").payloads;
    let (medium, large) = (set(Payload::GenericMedium), set(Payload::GenericLarge));
    assert_eq!((medium.len(), large.len(), protokt::generic_small().payloads.len()), (101, 2, 101));
    for (messages, most) in [(medium, 5), (large, 100)] {
        let mut seen = vec![false; most + 1];
        for message in &messages {
            for size in sizes_of(message) {
                seen[size] = true;
            }
        }
        assert_eq!(seen.iter().position(|seen| *seen), Some(1), "nothing is empty");
        assert!(seen[1..].iter().all(|seen| *seen), "every size up to {most} is there: {seen:?}");
    }
}

/// The sizes of all texts, bytes and lists that come to be one at a time.
fn sizes_of(message: &GenericMessage1) -> Vec<usize> {
    let blobs = |lists: [&Vec<Vec<u8>>; 2]| -> Vec<usize> {
        lists.into_iter().flat_map(|list| list.iter().map(Vec::len).chain([list.len()])).collect()
    };
    let of_third = |message: &GenericMessage3| {
        let mut sizes = blobs([&message.field1500, &message.field1501]);
        sizes.extend([message.field1.len(), message.field2.len(), message.field3000.len()]);
        sizes.extend(message.field3000.iter().flat_map(|(key, value)| [key.len(), value.field1.len()]));
        sizes
    };
    let mut sizes = blobs([&message.field1500, &message.field1501]);
    sizes.extend([message.field1.len(), message.field3000.len(), message.field5000.len()]);
    for second in [&message.field4000, &message.field4001].into_iter().flatten() {
        sizes.extend(blobs([&second.field1500, &second.field1501]));
        sizes.extend([second.field5000.len(), second.field5001.len()]);
        sizes.extend(second.field5000.iter().chain(&second.field5001).flat_map(of_third));
    }
    sizes
}

#[test]
fn heavy_texts_are_of_three_thirds() {
    let message = protokt::string_very_heavy();
    for text in [message.first, message.second, message.third] {
        let mut counts = [0_u32; 4];
        for letter in text.chars() {
            counts[match letter {
                'a'..='z' | 'A'..='Z' => 0,
                '\u{c0}'..='\u{ff}' => 1,
                '\u{4e00}'..='\u{9dff}' => 2,
                _ => 3,
            }] += 1;
        }
        assert_eq!((text.chars().count(), counts[3]), (1_000_000, 0));
        assert!(counts[..3].iter().all(|count| (330_000..337_000).contains(count)), "{counts:?}");
    }
    let texts = protokt::string_heavy().payloads;
    assert!(texts.len() == 100 && texts.iter().all(|texts| texts.second.chars().count() == 10_000));
}

#[test]
fn entries_are_as_many_as_they_are_said_to_be() {
    let map = StringMap::decode(Payload::StringMap.wire()).expect("prost reads it").entries;
    assert!(map.len() == 500 && map.iter().all(|(key, value)| (key.len(), value.len()) == (100, 100)));
    let map = StringMap::decode(Payload::UnsortedMap.wire()).expect("prost reads it").entries;
    assert!(map.len() == 500 && map.keys().all(|key| (10..=18).contains(&key.len())));
    let list = protokt::string_repeated().entries;
    assert!(list.len() == 500 && list.iter().all(|text| text.len() == 100));
}

#[test]
fn conditions_are_as_deep_as_they_are_said_to_be() {
    fn depth(condition: &Condition) -> usize {
        1 + condition.operands.iter().map(depth).max().unwrap_or_default()
    }
    assert_eq!(depth(&benchmarks::shapes::nested()), 80);
}

#[test]
fn few_fields_of_a_sparse_message_are_set() {
    let set = Listing::of(&benchmarks::shapes::sparse());
    assert_eq!(set.len(), 25);
    let number = |name: &String| name.trim_start_matches("field").parse::<u32>().expect("fields have numbers");
    assert!(set.keys().map(number).any(|number| number > 255) && set.keys().map(number).any(|number| number < 128));
}

/// The same values in another order; of repeated fields the order counts, so it is undone before they are compared.
#[test]
fn another_order_of_fields_is_another_order_of_the_same() {
    let sorted = |payload: Payload| {
        let mut event = AnalyticsEvent::decode(payload.wire()).expect("prost reads it");
        for view in &mut event.page_views {
            for interaction in &mut view.interactions {
                interaction.properties.sort_by_key(|property| format!("{property:?}"));
            }
            view.interactions.sort_by_key(|interaction| format!("{interaction:?}"));
        }
        event.page_views.sort_by_key(|view| view.started_at);
        event.client.get_or_insert_default().experiments.sort();
        event
    };
    let event = sorted(Payload::AnalyticsEvent);
    for payload in [Payload::Reversed, Payload::Shuffled] {
        assert_eq!(sorted(payload), event, "{payload}");
        assert_ne!(payload.wire(), Payload::AnalyticsEvent.wire());
    }
    assert_ne!(Payload::Reversed.wire(), Payload::Shuffled.wire());
}

#[test]
fn what_is_changed_changes() {
    for payload in Payload::ALL {
        let changed = changes::changed(payload);
        assert_eq!(changed.is_some(), Task::Update.suits(payload), "{payload}");
        assert_ne!(changed.as_deref(), Some(payload.wire()), "{payload}");
    }
}
