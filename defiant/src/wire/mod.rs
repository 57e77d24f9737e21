//! The wire format: varints, tags, UTF-8, the cursor that reads and the writer that fills a buffer from its end.
//! Knows nothing of messages.
//!
//! Source: <https://protobuf.dev/programming-guides/encoding/>.

pub(crate) mod buffer;
pub(crate) mod context;
pub(crate) mod packed;
pub(crate) mod reader;
pub(crate) mod tag;
pub(crate) mod utf8;
pub(crate) mod varint;
pub(crate) mod vectored;
pub(crate) mod writer;

/// Readable bytes that every cursor has behind the last byte it may begin to read at.
///
/// A tag (at most 5 bytes) and a varint (at most 10) that begin before the end are read without a check in
/// between; the string test loads 16 bytes at a time.
pub(crate) const SLACK: usize = 16;
