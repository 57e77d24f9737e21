//! Runs `protox`, a protobuf compiler written in Rust.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use defiant::Arena;
use miette::Diagnostic as _;
use protox::Compiler;

use super::{Loaded, decode, on_disk};
use crate::error::{Diagnostic, Error};
use crate::schema::Asked;

/// What it is to compile.
pub(crate) struct Protox<'a> {
    pub(super) protos: Vec<&'a Path>,
    pub(super) includes: Vec<&'a Path>,
}

impl Protox<'_> {
    pub(super) fn load<'arena>(&self, arena: &'arena Arena) -> Result<Loaded<'arena>, Error> {
        let mut compiler =
            Compiler::new(&self.includes).map_err(|error| Error::invalid_proto(self.complaints(&error)))?;
        compiler.include_imports(true).include_source_info(true);
        let mut diagnostics = Vec::new();
        let mut seen = HashSet::new();
        for proto in &self.protos {
            if let Err(error) = compiler.open_file(proto) {
                // Two files may fail for the same import.
                diagnostics.extend(self.complaints(&error).into_iter().filter(|found| seen.insert(found.to_string())));
            }
        }
        if !diagnostics.is_empty() {
            return Err(Error::invalid_proto(diagnostics));
        }
        let bytes = compiler.encode_file_descriptor_set();
        let set = decode(&bytes, arena)?;
        let files = compiler.files().filter(|file| !file.is_import()).map(|file| file.name().to_owned()).collect();
        let watched = compiler.files().filter_map(|file| file.path().map(PathBuf::from)).collect();
        Ok(Loaded { set, bytes, asked: Asked { files, imports: true }, watched, warnings: Vec::new() })
    }

    /// All that one error says, each with its place.
    fn complaints(&self, error: &protox::Error) -> Vec<Diagnostic> {
        let file = error.file().map(|name| on_disk(name, &self.includes).unwrap_or_else(|| PathBuf::from(name)));
        let source = error.source_code();
        let one = |found: &dyn miette::Diagnostic| {
            let span = found.labels().and_then(|mut labels| labels.next()).map(|label| *label.inner());
            let at = span.and_then(|span| source?.read_span(&span, 0, 0).ok());
            let is_edition = at.as_ref().is_some_and(|at| at.data() == b"edition");
            let mut message = found.to_string();
            if let Some(help) = found.help() {
                message = format!("{message} ({help})");
            }
            if is_edition {
                message = format!("editions are not supported by protox, only by the official compiler ({message})");
            }
            Diagnostic {
                file: file.clone(),
                line: at.as_ref().and_then(|at| u32::try_from(at.line() + 1).ok()),
                column: at.as_ref().and_then(|at| u32::try_from(at.column() + 1).ok()),
                message,
            }
        };
        std::iter::once(one(error)).chain(error.related().into_iter().flatten().map(one)).collect()
    }
}
