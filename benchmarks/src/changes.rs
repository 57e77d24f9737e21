//! What is changed of a message between decoding and encoding it again.
//!
//! - [`Payload::Inputs`]: two numbers of each input, as ts-proto's benchmark of updates does it.
//! - [`Payload::StringHeavy`]: one of the three texts of each message, as protokt's does it.
//! - [`Payload::RemoteWrite`]: each series gets a label more, as a Prometheus server adds them.

use prost::Message;

use crate::generated::prost as types;
use crate::payloads::Payload;

/// A number that is changed.
pub(crate) const SEQUENCE: u32 = 0xffff_fffd;
/// A text that is changed.
pub(crate) const TEXT: &str = "It was something else before: naïve, größer, 東京.";
/// The label that a series gets.
pub(crate) const LABEL: [&str; 2] = ["replica", "prometheus-b"];

/// A message that is changed in place.
pub(crate) trait Change {
    fn change(&mut self);
}

/// Implements [`Change`] for the structs of a library whose texts, and a lifetime if they have one, are `$text` and
/// `$lifetime`: `changes!(types, |text| text.into());`.
macro_rules! changes {
    ($types:path, [$($lifetime:tt)*], |$text:ident| $make:expr) => {
        #[allow(clippy::needless_update, reason = "the structs of some libraries have more fields than the message")]
        const _: () = {
            use $types as types;
            use $crate::changes::{Change, LABEL, SEQUENCE, TEXT};

            impl Change for types::inputs::Inputs $($lifetime)* {
                #[inline]
                fn change(&mut self) {
                    for input in &mut self.inputs {
                        input.amount += 1;
                        input.sequence = SEQUENCE;
                    }
                }
            }

            impl Change for types::protokt::StringHeavySet $($lifetime)* {
                #[inline]
                fn change(&mut self) {
                    for texts in &mut self.payloads {
                        let $text = TEXT;
                        texts.second = $make;
                    }
                }
            }

            impl Change for types::prometheus::WriteRequest $($lifetime)* {
                #[inline]
                fn change(&mut self) {
                    for series in &mut self.timeseries {
                        let [name, value] = LABEL.map(|$text| $make);
                        series.labels.push(types::prometheus::Label { name, value, ..Default::default() });
                    }
                }
            }
        };
    };
}
pub(crate) use changes;

changes!(crate::generated::prost, [], |text| text.to_owned());

/// The encoding of the changed message, for the payloads that are changed.
pub fn changed(payload: Payload) -> Option<Vec<u8>> {
    fn of<M: Message + Default + Change>(payload: Payload) -> Option<Vec<u8>> {
        let mut message = M::decode(payload.wire()).ok()?;
        message.change();
        Some(message.encode_to_vec())
    }
    match payload {
        Payload::Inputs => of::<types::inputs::Inputs>(payload),
        Payload::StringHeavy => of::<types::protokt::StringHeavySet>(payload),
        Payload::RemoteWrite => of::<types::prometheus::WriteRequest>(payload),
        _ => None,
    }
}
