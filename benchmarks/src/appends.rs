//! A thousand times a copy of a message with one element more, the way protokt measures its persistent collections: each
//! copy is as good as the one before, which is given up.
//!
//! - [`Payload::GenericSmall`]: a list of messages, 101 at first.
//! - [`Payload::StringRepeated`]: a list of texts, 500 at first.
//! - [`Payload::StringMap`]: a map of texts, 500 at first.

use std::hint::black_box;
use std::sync::OnceLock;

use prost::Message;

use crate::generated::prost as types;
use crate::payloads::Payload;

/// How many elements are appended: a thousand, but ten in a debug build, whose times say nothing.
pub(crate) const APPENDED: usize = if cfg!(debug_assertions) { 10 } else { 1_000 };

/// The texts that are appended, a hundred letters each.
pub(crate) fn texts() -> &'static [String] {
    static TEXTS: OnceLock<Vec<String>> = OnceLock::new();
    TEXTS.get_or_init(|| (0..APPENDED).map(|index| format!("{index:0>100}")).collect())
}

/// A message that is copied with one element more.
pub(crate) trait Append {
    fn with(&self, text: &'static str) -> Self;

    /// The copy with all of them.
    #[inline]
    fn appended(&self) -> Self
    where
        Self: Sized,
    {
        let mut copy: Option<Self> = None;
        for text in texts() {
            let longer = copy.as_ref().unwrap_or(self).with(text);
            // Each of them is a message that somebody may look at.
            copy = Some(black_box(longer));
        }
        copy.expect("there is something to append")
    }
}

/// Implements [`Append`] for the structs of a library; like [`changes!`](crate::changes).
macro_rules! appends {
    ($types:path, [$($lifetime:tt)*], |$text:ident| $make:expr) => {
        #[allow(clippy::needless_update, reason = "the structs of some libraries have more fields than the message")]
        const _: () = {
            use $types as types;
            use $crate::appends::Append;

            impl Append for types::generic::SmallSet $($lifetime)* {
                #[inline]
                fn with(&self, $text: &'static str) -> Self {
                    let mut copy = self.clone();
                    copy.payloads.push(types::generic::GenericMessage4 {
                        field1: $make,
                        field3: 0.5,
                        ..Default::default()
                    });
                    copy
                }
            }

            impl Append for types::protokt::StringRepeated $($lifetime)* {
                #[inline]
                fn with(&self, $text: &'static str) -> Self {
                    let mut copy = self.clone();
                    copy.entries.push($make);
                    copy
                }
            }

            impl Append for types::protokt::StringMap $($lifetime)* {
                #[inline]
                fn with(&self, $text: &'static str) -> Self {
                    let mut copy = self.clone();
                    copy.entries.insert($make, $make);
                    copy
                }
            }
        };
    };
}
pub(crate) use appends;

appends!(crate::generated::prost, [], |text| text.to_owned());

/// The encoding of the message with everything appended, for the payloads to which something is.
pub fn appended(payload: Payload) -> Option<Vec<u8>> {
    fn of<M: Message + Default + Append>(payload: Payload) -> Option<Vec<u8>> {
        Some(M::decode(payload.wire()).ok()?.appended().encode_to_vec())
    }
    match payload {
        Payload::GenericSmall => of::<types::generic::SmallSet>(payload),
        Payload::StringRepeated => of::<types::protokt::StringRepeated>(payload),
        Payload::StringMap => of::<types::protokt::StringMap>(payload),
        _ => None,
    }
}
