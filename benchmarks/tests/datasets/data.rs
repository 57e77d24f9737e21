//! The files are what `datasets/ORIGIN.md` says.

use benchmarks::datasets::Dataset;

#[test]
fn sizes() {
    let sizes = Dataset::ALL.map(|dataset| (dataset.file().len(), dataset.payload().len()));
    assert_eq!(sizes, [(289, 228), (289, 228), (84_625, 84_570)]);
}

#[test]
fn the_payload_is_the_end_of_the_file() {
    for dataset in Dataset::ALL {
        assert!(dataset.file().ends_with(dataset.payload()), "{dataset}");
    }
}

#[test]
fn names() {
    for dataset in Dataset::ALL {
        assert_eq!(Dataset::from_name(dataset.name()), Some(dataset));
    }
    assert_eq!(Dataset::from_name("message2"), Some(Dataset::Message2));
    assert_eq!(Dataset::from_name("message3"), None);
}
