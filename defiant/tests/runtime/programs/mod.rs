//! Random programs over the public API, each with a model beside it. The fuzz targets of the same names search for others.

mod arena;
mod encoder;

use proptest::prelude::*;

/// Bytes of a program.
const LONGEST: usize = if cfg!(miri) { 120 } else { 1000 };
/// Programs of a property, as [`cases`](super::cases). Miri takes a second for each of them.
const PROGRAMS: u32 = if cfg!(miri) { 4096 } else { 512 };

proptest! {
    #![proptest_config(super::cases(PROGRAMS))]

    #[test]
    fn arena_values_equal_their_models(program in proptest::collection::vec(any::<u8>(), 0..LONGEST)) {
        prop_assert_eq!(arena::run(&program), Ok(()));
    }

    #[test]
    fn encoder_survives_panics(program in proptest::collection::vec(any::<u8>(), 0..LONGEST)) {
        prop_assert_eq!(encoder::run(&program), Ok(()));
    }
}
