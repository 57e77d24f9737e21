//! From options and files to generated code.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use super::{Config, source_info};
use defiant::Arena;

use crate::emit;
use crate::error::Error;
use crate::generate;
use crate::schema::Schema;
use crate::service::ServiceGenerator;
use crate::source::Source;

impl Config {
    /// Generates code for the given files and all they import.
    ///
    /// `includes` are the directories where the files, and what they import, are looked for. The well-known files
    /// (`google/protobuf/*.proto`) come with the vendored compiler and need no include.
    ///
    /// With [`skip_protoc_run`](Self::skip_protoc_run) the descriptor set is read instead, as by
    /// [`compile_fds`](Self::compile_fds).
    ///
    /// In a build script this also tells Cargo what to watch.
    ///
    /// # Errors
    ///
    /// When a file is wrong ([`Error::is_invalid_proto`], with file, line and column), when an option is
    /// ([`Error::is_config`]), and when the compiler is missing or the output cannot be written. Nothing has been
    /// written then, except where writing itself is what failed.
    pub fn compile_protos(&mut self, protos: &[impl AsRef<Path>], includes: &[impl AsRef<Path>]) -> Result<(), Error> {
        if self.skip_protoc_run {
            let Some(path) = &self.file_descriptor_set_path else {
                return Err(Error::config(vec!["skip_protoc_run: file_descriptor_set_path is not set".to_owned()]));
            };
            emit::watch(std::slice::from_ref(path), Path::new(""));
            let set = fs::read(path).map_err(|error| Error::io(format!("cannot read {}", path.display()), error))?;
            return self.compile_fds(set);
        }
        if protos.is_empty() {
            return Err(Error::config(vec!["compile_protos: no files given".to_owned()]));
        }
        let protos = protos.iter().map(AsRef::as_ref).collect();
        let includes = includes.iter().map(AsRef::as_ref).collect();
        #[cfg(feature = "protox")]
        if self.protox {
            if self.protoc.is_some() || !self.protoc_arguments.is_empty() {
                return Err(Error::config(vec![
                    "protox: protoc_executable and protoc_arg are for the official compiler".to_owned(),
                ]));
            }
            return self.run(&Source::protox(protos, includes));
        }
        // Copies, for `run` has `self` to itself.
        let (executable, arguments) = (self.protoc.clone(), self.protoc_arguments.clone());
        self.run(&Source::protoc(executable.as_deref(), &arguments, protos, includes)?)
    }

    /// Generates code for a ready-made descriptor set, without any compiler.
    ///
    /// `descriptor_set` is a serialized `google.protobuf.FileDescriptorSet` with all imports and, for the comments,
    /// source info: what `protoc --include_imports --include_source_info --descriptor_set_out=FILE` or `buf build`
    /// writes.
    ///
    /// # Errors
    ///
    /// As [`compile_protos`](Self::compile_protos), and when the bytes are no descriptor set
    /// ([`Error::is_invalid_descriptor_set`]).
    pub fn compile_fds(&mut self, descriptor_set: impl AsRef<[u8]>) -> Result<(), Error> {
        self.run(&Source::DescriptorSet(descriptor_set.as_ref()))
    }

    fn run(&mut self, source: &Source<'_>) -> Result<(), Error> {
        let mut services = self.service_generator.take();
        let result = self.generate(source, services.as_deref_mut());
        self.service_generator = services;
        result
    }

    fn generate(
        &self,
        source: &Source<'_>,
        services: Option<&mut (dyn ServiceGenerator + 'static)>,
    ) -> Result<(), Error> {
        let in_out_dir = self.out_dir.is_none();
        let out_dir = match &self.out_dir {
            Some(path) => path.clone(),
            None => env::var_os("OUT_DIR").map(PathBuf::from).ok_or_else(|| {
                Error::config(vec![
                    "OUT_DIR is not set: call this from a build script, or set Config::out_dir".to_owned(),
                ])
            })?,
        };
        let arena = Arena::new();
        let loaded = source.load(&arena);
        if loaded.is_err() {
            // For a script that goes on nevertheless.
            emit::watch(&source.given(), &out_dir);
        }
        let loaded = loaded?;
        emit::watch(&loaded.watched, &out_dir);
        emit::warn(&loaded.warnings);

        let malformed = || Error::invalid_descriptor_set("a file of the set is malformed");
        let embedded = match self.embed_file_descriptor_set {
            true => Some(source_info::stripped(&loaded.bytes).ok_or_else(malformed)?),
            false => None,
        };
        let generated = Schema::new(&loaded.set, |file| self.retains_prefix(file))
            .and_then(|schema| generate::files(&schema, self, &loaded.asked, in_out_dir, embedded.as_deref(), services))
            .map_err(|error| error.located(|imported| source.on_disk(imported)))?;
        let mut files: Vec<(PathBuf, Vec<u8>)> =
            generated.into_iter().map(|(name, content)| (out_dir.join(name), content)).collect();
        if let Some(path) = &self.file_descriptor_set_path {
            let kept = if self.skip_source_info {
                source_info::stripped(&loaded.bytes).ok_or_else(malformed)?
            } else {
                loaded.bytes
            };
            files.push((path.clone(), kept));
        }
        emit::write(&files)
    }

    /// Whether the enum values of a file keep the name of their enum. Those of the runtime have lost it.
    pub(crate) fn retains_prefix(&self, file: &str) -> bool {
        self.retain_enum_prefix && (self.compile_well_known_types || !generate::is_well_known(file))
    }
}
