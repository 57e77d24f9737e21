//! What is decoded to be written: the content of an `Any`, extensions.

use super::well_known::malformed;
use super::{Writer, inner_options};
use crate::arena::Arena;
use crate::descriptor::WellKnown;
use crate::error::words;
use crate::json::error::{Fail, Reason};
use crate::json::type_name;
use crate::reflect::{Exhausted, MessageRef, Store, Value};
use crate::unknown::{Run, by_number};

/// The bytes of runs one after the other, as on the wire. Several runs are copied to the arena.
pub(in crate::json) fn joined<'a>(runs: &[Run<'a>], arena: &'a Arena) -> Result<&'a [u8], Exhausted> {
    if let [run] = runs {
        return Ok(run.bytes);
    }
    let wire = Store::new(arena, usize::MAX).zeroed(runs.iter().map(|run| run.bytes.len()).sum())?;
    let mut rest = &mut *wire;
    for run in runs {
        let (place, behind) = rest.split_at_mut_checked(run.bytes.len()).ok_or(Exhausted::Memory)?;
        place.copy_from_slice(run.bytes);
        rest = behind;
    }
    Ok(wire)
}

impl Writer<'_, '_> {
    pub(super) fn any(&mut self, message: MessageRef<'_>) -> Result<(), Fail> {
        let (Some(Value::String(url)), Some(Value::Bytes(content))) =
            (message.get_by_number(1), message.get_by_number(2))
        else {
            return Err(malformed());
        };
        if url.is_empty() && content.is_empty() {
            self.out.bytes(b"{}");
            return Ok(());
        }
        let Some(name) = type_name(url) else {
            return Err(Fail::new(Reason::Value("no type URL")));
        };
        let Some(ty) = self.options.resolver.and_then(|resolver| resolver.message(name)) else {
            return Err(Fail::new(Reason::Unresolved(words(format_args!("{name}")))));
        };
        let options = inner_options(self.levels);
        let inner = ty.decode(content, &options, self.scratch.arena())?;
        self.indent += 1;
        self.string_key(b'{', "@type");
        self.string(url);
        if matches!(inner.descriptor().well_known, WellKnown::None | WellKnown::Empty) {
            self.fields(inner, b',')?;
        } else {
            self.string_key(b',', "value");
            self.message(inner)?;
        }
        self.close(b',', b'{', b'}');
        Ok(())
    }

    /// The extensions among the unknown fields, each behind a separator; the one for the next.
    #[inline(never)]
    pub(super) fn extensions(&mut self, message: MessageRef<'_>, mut separator: u8) -> Result<u8, Fail> {
        let Some(resolver) = self.options.resolver else { return Ok(separator) };
        let host = message.descriptor();
        let is_known = |number| resolver.extension_by_number(host.full_name(), number).is_some();
        let runs = by_number(message.unknown_fields(), is_known).ok_or(Exhausted::Memory)?;
        for same in runs.chunk_by(|left, right| left.number == right.number) {
            let number = same.first().map_or(0, |run| run.number);
            let Some(extension) = resolver.extension_by_number(host.full_name(), number) else { continue };
            let wire = joined(same, self.scratch.arena())?;
            let (field, options) = (extension.field(), inner_options(self.levels));
            let within = |fail: Fail| fail.within_extension(host, extension.full_name());
            let holder = extension.holder().decode(wire, &options, self.scratch.arena());
            let holder = holder.map_err(|error| within(error.into()))?;
            let Some(value) = holder.read(field) else { continue };
            self.separator(separator);
            separator = b',';
            self.out.bytes(b"\"[");
            self.out.bytes(extension.full_name().as_bytes());
            self.out.bytes(b"]\"");
            self.colon();
            self.value(value, field).map_err(|fail| within(fail.within(holder.descriptor(), field)))?;
        }
        Ok(separator)
    }
}
