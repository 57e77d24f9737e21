//! Values, encodings and sizes equal prost's.

use std::collections::BTreeSet;

use benchmarks::check::{check, operations};
use benchmarks::generated::{defiant, prost};
use benchmarks::libraries::{self, DEFIANT, PROST};
use benchmarks::offer::Task;
use benchmarks::payloads::Payload;
use benchmarks::walk::{Fingerprint, Listing, Scalar, Visitor, Walk};

/// The walk takes its fields from the descriptors, so a field that it leaves out is noticed here: `Debug` of the prost
/// type names them all.
macro_rules! every_field_is_walked {
    ($($message:ty),*) => {$({
        let listed = fields_of(&format!("{:#?}", <$message>::default()));
        let walked = walked(&<$message>::default());
        assert_eq!(walked, listed, stringify!($message));
    })*};
}

fn fields_of(debug: &str) -> Vec<String> {
    let lines = debug.lines().filter_map(|line| line.strip_prefix("    "));
    lines.filter_map(|line| Some(line.split_once(':')?.0.to_owned())).filter(|name| !name.starts_with(' ')).collect()
}

fn walked(message: &impl Walk) -> Vec<String> {
    #[derive(Default)]
    struct Names(Vec<String>, usize);
    impl Visitor for Names {
        fn field(&mut self, name: &'static str) {
            if self.1 == 1 {
                self.0.push(name.into());
            }
        }
        fn enter(&mut self) {
            self.1 += 1;
        }
        fn leave(&mut self) {
            self.1 -= 1;
        }
        fn absent(&mut self) {}
        fn list(&mut self, _: usize) {}
        fn scalar(&mut self, _: Scalar) {}
        fn bytes(&mut self, _: &[u8]) {}
    }
    let mut names = Names::default();
    message.walk(&mut names);
    names.0
}

#[test]
fn no_field_is_left_out() {
    every_field_is_walked!(
        prost::proto2::GoogleMessage1,
        prost::proto2::GoogleMessage1SubMessage,
        prost::proto2::GoogleMessage2,
        prost::proto2::google_message2::Group1,
        prost::proto2::GoogleMessage2GroupedMessage,
        prost::proto3::GoogleMessage1,
        prost::proto3::GoogleMessage1SubMessage,
        prost::families::LogRecord,
        prost::families::Interaction,
        prost::quickbuffers::Car,
        prost::quickbuffers::TradeFixed,
        prost::generic::GenericMessage1,
        prost::generic::GenericMessage2,
        prost::generic::GenericMessage3,
        prost::oneofs::StringOneof,
        prost::prometheus::WriteRequest,
        prost::telemetry::Span,
        prost::telemetry::LogEntry,
        prost::descriptors::FieldDescriptor,
        prost::sparse::Profile
    );
}

#[test]
fn equal_prosts() {
    let gaps = check().unwrap_or_else(|wrong| panic!("{wrong}"));
    let mut unable = BTreeSet::new();
    for gap in &gaps {
        println!("{gap}");
        assert!(![DEFIANT, PROST].contains(&gap.library));
        if gap.untimed.contains(&Task::Decode) {
            unable.insert((gap.library, gap.payload.name()));
        }
    }
    // No other library fails to read a payload. pilota has no group, and reads `sint32` and `sint64` without undoing
    // their zigzag.
    let known = [
        (libraries::PILOTA, "google_message2"),
        (libraries::PILOTA, "analytics_event"),
        (libraries::PILOTA, "signed_varints"),
        (libraries::PILOTA, "column_batch"),
        (libraries::PILOTA, "drive_log"),
        (libraries::PILOTA, "drive_group_log"),
        (libraries::PILOTA, "sparse"),
        (libraries::PILOTA, "nested"),
        (libraries::PILOTA, "reversed"),
        (libraries::PILOTA, "shuffled"),
        #[cfg(feature = "peers")]
        ("quick-protobuf", "google_message2"),
        #[cfg(feature = "peers")]
        ("quick-protobuf", "column_batch"),
        #[cfg(feature = "peers")]
        ("quick-protobuf", "packed_doubles"),
        #[cfg(feature = "peers")]
        ("rust-protobuf", "google_message2"),
        #[cfg(feature = "peers")]
        ("micropb", "google_message2"),
        #[cfg(feature = "peers")]
        ("protocrap", "generic_medium"),
        #[cfg(feature = "peers")]
        ("protocrap", "generic_small"),
        #[cfg(feature = "peers")]
        ("protocrap", "generic_large"),
        #[cfg(feature = "peers")]
        ("protocrap", "string_oneof"),
        #[cfg(feature = "peers")]
        ("protocrap", "trace_export"),
        #[cfg(feature = "peers")]
        ("protocrap", "logs_export"),
        #[cfg(feature = "peers")]
        ("protocrap", "sparse"),
        #[cfg(feature = "peers")]
        ("protocrap", "nested"),
    ];
    assert_eq!(unable, BTreeSet::from(known));
}

#[test]
fn a_difference_is_seen() {
    let empty = defiant::proto2::GoogleMessage2::default();
    for other in [
        defiant::proto2::GoogleMessage2 { field222: Some(0.0), ..empty },
        defiant::proto2::GoogleMessage2 { field222: Some(f32::NAN), ..empty },
        defiant::proto2::GoogleMessage2 { field1: Some(""), ..empty },
        defiant::proto2::GoogleMessage2 { field127: &[""], ..empty },
        defiant::proto2::GoogleMessage2 { field128: &[""], ..empty },
        defiant::proto2::GoogleMessage2 { group1: &[Default::default()], ..empty },
    ] {
        assert_ne!(Fingerprint::of(&empty), Fingerprint::of(&other), "{other:?}");
        assert_ne!(Listing::of(&empty), Listing::of(&other), "{other:?}");
    }
    let nan = defiant::proto2::GoogleMessage2 { field222: Some(f32::NAN), ..empty };
    assert_eq!(Listing::of(&nan), Listing::of(&nan), "a NaN equals itself");
}

#[test]
fn a_map_is_compared_without_its_order() {
    let of = |entries: &[(&str, &str)]| prost::families::LogRecord {
        attributes: entries.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect(),
        severity: 2,
        ..Default::default()
    };
    let (one, same, other) =
        (of(&[("a", "1"), ("b", "2")]), of(&[("b", "2"), ("a", "1")]), of(&[("a", "2"), ("b", "1")]));
    assert_eq!(Fingerprint::of(&one), Fingerprint::of(&same));
    assert_eq!(Listing::of(&one), Listing::of(&same));
    assert_ne!(Fingerprint::of(&one), Fingerprint::of(&other));
    assert_ne!(Listing::of(&one), Listing::of(&other));
    assert_ne!(Fingerprint::of(&one), Fingerprint::of(&of(&[("a", "1")])));
}

#[test]
fn google_message2_is_what_origin_says() {
    let message: prost::proto2::GoogleMessage2 =
        ::prost::Message::decode(Payload::Message2.wire()).expect("prost reads it");
    assert_eq!(message.group1.len(), 1000);
}

#[test]
fn every_operation_runs() {
    for payload in Payload::ALL {
        let (mut operations, _) = operations(payload, libraries::ALL).unwrap_or_else(|wrong| panic!("{wrong}"));
        for operation in &mut operations {
            operation.run(if payload == Payload::PackedDoubles || payload.takes_long() { 1 } else { 2 });
        }
        for task in Task::ALL.into_iter().filter(|task| task.suits(payload) && *task != Task::Skip) {
            for library in [DEFIANT, PROST] {
                let done = operations.iter().any(|operation| operation.task == task && operation.library == library);
                assert!(done, "{payload} {task} {library}");
            }
        }
    }
}
