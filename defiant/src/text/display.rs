//! Messages in logs.

use core::fmt;

use super::EncodeOptions;
use crate::message::Message;
use crate::reflect::MessageRef;

/// The message for `{}` and `{:?}`: on one line, or on several with `{:#}` and `{:#?}`. Fields with the option `debug_redact`
/// are `[REDACTED]`. So is what a `google.protobuf.Any` holds, where it is not expanded, and unknown fields are left out: nobody
/// can tell whether they are to be seen. Messages below the [recursion limit](EncodeOptions::recursion_limit) are `...`.
///
/// ```
/// # #[cfg(feature = "wkt")]
/// # fn main() {
/// use defiant::text;
/// use defiant::wkt::Duration;
///
/// let duration = Duration::new(1, 500);
/// assert_eq!(format!("it took {}", text::display(&duration)), "it took seconds: 1 nanos: 500");
/// assert_eq!(format!("{:#}", text::display(&duration)), "seconds: 1\nnanos: 500\n");
/// # }
/// # #[cfg(not(feature = "wkt"))]
/// # fn main() {}
/// ```
#[must_use]
pub fn display<'a, 'arena: 'a, M: Message<'arena>>(message: &'a M) -> Displayed<'a> {
    display_message(MessageRef::of(message))
}

/// The same for a message of any type.
#[must_use]
pub fn display_message(message: MessageRef<'_>) -> Displayed<'_> {
    Displayed { message, options: EncodeOptions::new().redact(true) }
}

/// A message that prints as text: [`display`].
#[derive(Clone, Copy)]
pub struct Displayed<'a> {
    message: MessageRef<'a>,
    options: EncodeOptions<'a>,
}

impl<'a> Displayed<'a> {
    /// With other options, of which [`redact`](EncodeOptions::redact) is one: [`EncodeOptions::new`] shows everything. Only
    /// [`single_line`](EncodeOptions::single_line) is left to `{:#}`.
    #[must_use]
    pub fn with(mut self, options: EncodeOptions<'a>) -> Self {
        self.options = options;
        self
    }
}

impl fmt::Display for Displayed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.options.single_line(!f.alternate()).write_all(self.message, f)
    }
}

impl fmt::Debug for Displayed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
