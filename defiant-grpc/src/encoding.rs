//! Compression: what client and server agree upon.

use http::{HeaderMap, HeaderValue};

use crate::status::Status;

/// The header that says what the messages behind it may be compressed with.
pub(crate) const ENCODING: &str = "grpc-encoding";

/// The header that says what its sender understands.
pub(crate) const ACCEPT_ENCODING: &str = "grpc-accept-encoding";

/// What messages from the other side may be compressed with.
pub(crate) fn accepted() -> HeaderValue {
    HeaderValue::from_static(if cfg!(feature = "gzip") { "identity,gzip" } else { "identity" })
}

/// Whether messages behind these headers may be compressed: with gzip, as there is nothing else.
pub(crate) fn is_gzip(headers: &HeaderMap) -> Result<bool, Status> {
    match headers.get(ENCODING).map(HeaderValue::as_bytes) {
        None | Some(b"identity") => Ok(false),
        Some(b"gzip") if cfg!(feature = "gzip") => Ok(true),
        Some(other) => {
            let other = String::from_utf8_lossy(other);
            Err(Status::unimplemented(format!("messages compressed with {other} are not taken")))
        }
    }
}

/// Whether who sent these headers takes messages that are compressed with gzip.
pub(crate) fn takes_gzip(headers: &HeaderMap) -> bool {
    let values = headers.get_all(ACCEPT_ENCODING).into_iter();
    values.flat_map(|value| value.as_bytes().split(|&byte| byte == b',')).any(|name| name.trim_ascii() == b"gzip")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_client_takes() {
        for (values, expected) in [
            (&["gzip"][..], true),
            (&["identity, deflate,gzip"], true),
            (&["identity", "gzip ,deflate"], true),
            (&["identity,gzipped"], false),
            (&[""], false),
            (&[], false),
        ] {
            let headers = values
                .iter()
                .map(|value| (http::HeaderName::from_static(ACCEPT_ENCODING), HeaderValue::from_static(value)));
            assert_eq!(takes_gzip(&headers.collect()), expected, "{values:?}");
        }
    }
}
