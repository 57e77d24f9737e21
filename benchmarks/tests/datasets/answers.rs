//! Values, encodings and sizes equal prost's.

use benchmarks::check::check;
use benchmarks::datasets::Dataset;
use benchmarks::generated::{defiant, prost};
use benchmarks::operations::{Library, Task, operations};
use benchmarks::walk::{Fingerprint, Listing};

/// The macro names every field once for all libraries, so a field that it leaves out is noticed
/// here: `Debug` of the prost type names them all.
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

fn walked(message: &impl benchmarks::walk::Walk) -> Vec<String> {
    #[derive(Default)]
    struct Names(Vec<String>);
    impl benchmarks::walk::Visitor for Names {
        fn field(&mut self, name: &'static str) {
            self.0.push(name.into());
        }
        fn absent(&mut self) {}
        fn list(&mut self, _: usize) {}
        fn scalar(&mut self, _: benchmarks::walk::Scalar) {}
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
        prost::proto3::GoogleMessage1SubMessage
    );
}

#[test]
fn equal_prosts() {
    let gaps = check().unwrap_or_else(|wrong| panic!("{wrong}"));
    for gap in &gaps {
        println!("{gap}");
        assert_eq!(gap.library, Library::Pilota);
    }
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
fn google_message2_is_what_origin_says() {
    let message: prost::proto2::GoogleMessage2 =
        ::prost::Message::decode(Dataset::Message2.payload()).expect("prost reads it");
    assert_eq!(message.group1.len(), 1000);
}

#[test]
fn every_operation_runs() {
    for dataset in Dataset::ALL {
        let gaps = check().unwrap_or_else(|wrong| panic!("{wrong}"));
        let mut operations = operations(dataset);
        operations.retain(|operation| !gaps.iter().any(|gap| gap.forbids(operation)));
        for operation in &mut operations {
            operation.run(2);
        }
        for task in Task::ALL {
            for library in [Library::Defiant, Library::Prost] {
                assert!(operations.iter().any(|operation| operation.task == task && operation.library == library));
            }
        }
    }
}
