//! What a message's code is optimized for.

use super::attribute::Word;
use super::errors::Errors;

/// The word `optimize_for` of a message or oneof.
#[derive(Default)]
pub(super) struct OptimizeFor {
    /// Decoded and encoded by a table; `None` where the word does not stand.
    code_size: Option<bool>,
}

impl OptimizeFor {
    /// Reads the word if it is this one.
    pub(super) fn read(&mut self, word: &Word, errors: &mut Errors) -> bool {
        if word.name() != "optimize_for" {
            return false;
        }
        if self.code_size.is_some() {
            errors.at(word.span(), "`optimize_for` is given twice");
            return true;
        }
        if let Some(text) = errors.keep(word.text("optimize_for = \"code_size\"")) {
            self.code_size = match text.value().as_str() {
                "code_size" => Some(true),
                "speed" => Some(false),
                other => {
                    errors.at(
                        text.span(),
                        format!("unknown `{other}`; a message is optimized for `speed` or `code_size`"),
                    );
                    Some(false)
                }
            };
        }
        true
    }

    pub(super) fn is_code_size(&self) -> bool {
        self.code_size == Some(true)
    }
}
