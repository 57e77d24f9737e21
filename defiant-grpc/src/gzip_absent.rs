//! In the place of `gzip.rs` where the feature is off: no headers ever agree upon compression.

use defiant::Arena;

use crate::status::Status;

/// Nothing.
#[derive(Debug, Default)]
pub(crate) struct Gzip;

impl Gzip {
    /// Never called.
    pub(crate) fn inflate(&mut self, _wire: &[u8], _max: usize) -> Result<&[u8], Status> {
        Err(Status::unimplemented("compressed messages are not taken"))
    }

    /// Bytes stay what they are.
    pub(crate) fn deflate<'arena>(&mut self, _plain: &[u8], _arena: &'arena Arena) -> Option<&'arena [u8]> {
        None
    }
}
