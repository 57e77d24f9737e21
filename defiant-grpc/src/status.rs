//! How a call ends.

use std::borrow::Cow;
use std::fmt;

use http::{HeaderMap, HeaderValue};

use crate::call::Metadata;

macro_rules! codes {
    ($($number:literal $code:ident $constructor:ident $doc:literal)*) => {
        /// The code of a [`Status`].
        ///
        /// Source: <https://grpc.github.io/grpc/core/md_doc_statuscodes.html>.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Code {
            /// The call did what it was to do.
            Ok = 0,
            $(#[doc = $doc] $code = $number,)*
        }

        impl Status {
            $(
                #[doc = $doc]
                #[must_use]
                pub fn $constructor(message: impl Into<Cow<'static, str>>) -> Self {
                    Self::new(Code::$code, message)
                }
            )*
        }
    };
}

codes! {
    1 Cancelled cancelled "Somebody, usually the client, no longer wants an answer."
    2 Unknown unknown "It failed for a reason that has no code."
    3 InvalidArgument invalid_argument "The request is wrong, whatever the state of the server."
    4 DeadlineExceeded deadline_exceeded "There was not enough time."
    5 NotFound not_found "What was asked for is not there."
    6 AlreadyExists already_exists "What was to be made is there already."
    7 PermissionDenied permission_denied "Who asks is known and may not."
    8 ResourceExhausted resource_exhausted "A limit was reached: of memory, of a quota, of the length of a message."
    9 FailedPrecondition failed_precondition "The state of the server does not allow it; the same request will fail again."
    10 Aborted aborted "Something else came in between; to be tried again from an earlier step."
    11 OutOfRange out_of_range "The request goes beyond the end of something."
    12 Unimplemented unimplemented "The server does not have this method, or not this way of calling it."
    13 Internal internal "Something is broken: a message does not decode, the protocol is not kept."
    14 Unavailable unavailable "Not now; the same request may succeed later."
    15 DataLoss data_loss "Data are lost for good."
    16 Unauthenticated unauthenticated "It is not known who asks."
}

/// How a call ended, when it did not do what it was to do: a code for programs and a message for people.
///
/// ```
/// use defiant_grpc::{Code, Status};
///
/// let status = Status::not_found("no book of that title");
/// assert_eq!(status.code(), Code::NotFound);
/// assert_eq!(status.to_string(), "NotFound: no book of that title");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    code: Code,
    message: Cow<'static, str>,
}

impl Status {
    /// A status.
    #[must_use]
    pub fn new(code: Code, message: impl Into<Cow<'static, str>>) -> Self {
        Status { code, message: message.into() }
    }

    /// The status for a method that a service does not have.
    #[doc(hidden)]
    #[must_use]
    pub fn unknown_method(service: &str, method: &str) -> Self {
        Self::unimplemented(format!("{service} has no method {method}"))
    }

    /// What kind of failure it is.
    #[must_use]
    pub fn code(&self) -> Code {
        self.code
    }

    /// What to tell a person.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Writes `grpc-status` and `grpc-message`.
    pub(crate) fn write(&self, headers: &mut HeaderMap) {
        headers.insert("grpc-status", HeaderValue::from(self.code as u16));
        if !self.message.is_empty() {
            // Percent-encoded, it has ASCII only.
            if let Ok(value) = HeaderValue::try_from(percent_encoded(&self.message)) {
                headers.insert("grpc-message", value);
            }
        }
    }
}

/// What a call that succeeds ends with.
pub(crate) fn write_ok(headers: &mut Metadata) {
    headers.insert("grpc-status", HeaderValue::from_static("0"));
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.code)?;
        if self.message.is_empty() { Ok(()) } else { write!(f, ": {}", self.message) }
    }
}

impl std::error::Error for Status {}

/// A message that does not decode is [`Code::Internal`], one that reaches a limit [`Code::ResourceExhausted`].
impl From<defiant::DecodeError> for Status {
    fn from(error: defiant::DecodeError) -> Self {
        match error.is_limit() {
            true => Status::resource_exhausted(format!("limit reached: {error}")),
            false => Status::internal(format!("malformed message: {error}")),
        }
    }
}

/// Everything but printable ASCII, and `%`, as `%` and two hexadecimal digits.
fn percent_encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b' '..=b'~' if byte != b'%' => encoded.push(char::from(byte)),
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_decode() {
        use defiant::wkt::{ListValue, StringValue};
        use defiant::{Arena, DecodeOptions, Message as _};

        let arena = Arena::new();
        let options = DecodeOptions::new().string_limit(1).elements_limit(1).recursion_limit(1).size_limit(9);
        let status =
            |wire: &[u8]| Status::from(options.decode::<StringValue<'_>>(wire, &arena).expect_err("not accepted"));
        assert_eq!(status(b"\x0a\x02ab").code(), Code::ResourceExhausted);
        assert_eq!(status(&[0x0a; 10]).code(), Code::ResourceExhausted);
        assert_eq!(status(b"\x0a\x02a").code(), Code::Internal);
        for list in [&b"\x0a\x00\x0a\x00"[..], b"\x0a\x04\x32\x02\x0a\x00"] {
            let error = options.decode::<ListValue<'_>>(list, &arena).expect_err("not accepted");
            assert_eq!(Status::from(error).code(), Code::ResourceExhausted);
        }
        let error = StringValue::decode(b"\x0a\x01\xff", &arena).expect_err("not accepted");
        let status = Status::from(error);
        assert_eq!(status.message(), "malformed message: StringValue.value: invalid UTF-8 at byte 2");
    }

    #[test]
    fn messages_travel_as_ascii() {
        let mut headers = HeaderMap::new();
        Status::data_loss("50% of \u{e9}\n").write(&mut headers);
        assert_eq!(headers["grpc-status"], "15");
        assert_eq!(headers["grpc-message"], "50%25 of %C3%A9%0A");
        let mut headers = HeaderMap::new();
        Status::cancelled("").write(&mut headers);
        assert_eq!((headers.len(), &headers["grpc-status"]), (1, &HeaderValue::from_static("1")));
    }
}
