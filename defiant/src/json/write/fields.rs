//! The fields of a message with all options, by their values.

use super::Writer;
use crate::json::error::Fail;
use crate::reflect::MessageRef;

impl Writer<'_, '_> {
    /// The fields of a message, each behind a separator; the one for the next.
    pub(super) fn fields(&mut self, message: MessageRef<'_>, mut separator: u8) -> Result<u8, Fail> {
        let descriptor = message.descriptor();
        if separator == b'{' {
            self.indent += 1;
        }
        for field in descriptor.fields() {
            let value = match message.read(field) {
                Some(value) => value,
                None if self.options.all_fields && !field.has_presence() => message.get(field),
                None => continue,
            };
            self.key(separator, field);
            separator = b',';
            self.value(value, field).map_err(|fail| fail.within(descriptor, field))?;
        }
        if self.options.resolver.is_some() && !message.unknown_fields().is_empty() {
            separator = self.extensions(message, separator)?;
        }
        Ok(separator)
    }
}
