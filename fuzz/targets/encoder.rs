//! The property `encoder`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| conformance::properties::hold("encoder", bytes));
