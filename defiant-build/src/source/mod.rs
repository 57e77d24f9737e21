//! Where descriptors come from: the protobuf compiler, vendored or given, or a ready-made descriptor set.

mod diagnostics;
mod protoc;

use std::path::{Path, PathBuf};

use crate::error::Error;
use prost::Message as _;
use prost_types::FileDescriptorSet;

/// A way to obtain a descriptor set.
pub(crate) enum Source<'a> {
    /// Runs a protobuf compiler over files.
    Protoc(protoc::Protoc<'a>),
    /// Takes the bytes of a `google.protobuf.FileDescriptorSet`.
    DescriptorSet(&'a [u8]),
}

/// What a source delivers.
pub(crate) struct Loaded {
    pub(crate) set: FileDescriptorSet,
    /// The set as it was on the wire.
    pub(crate) bytes: Vec<u8>,
    /// The paths, as imported, of the files that were asked for; all of them for a ready-made set.
    pub(crate) asked: Vec<String>,
    /// What to watch for changes.
    pub(crate) watched: Vec<PathBuf>,
    /// What the compiler said without failing.
    pub(crate) warnings: Vec<String>,
}

impl<'a> Source<'a> {
    /// The compiler at `executable`, or in `PROTOC`, or vendored, or in `PATH`, in that order.
    pub(crate) fn protoc(
        executable: Option<&Path>,
        arguments: &'a [std::ffi::OsString],
        protos: Vec<&'a Path>,
        includes: Vec<&'a Path>,
    ) -> Result<Self, Error> {
        protoc::Protoc::find(executable, arguments, protos, includes).map(Source::Protoc)
    }

    pub(crate) fn load(&self) -> Result<Loaded, Error> {
        match self {
            Source::Protoc(protoc) => protoc.load(),
            Source::DescriptorSet(bytes) => {
                let set = decode(bytes)?;
                Ok(Loaded {
                    asked: set.file.iter().map(|file| file.name().to_owned()).collect(),
                    set,
                    bytes: bytes.to_vec(),
                    watched: Vec::new(),
                    warnings: Vec::new(),
                })
            }
        }
    }
}

fn decode(bytes: &[u8]) -> Result<FileDescriptorSet, Error> {
    FileDescriptorSet::decode(bytes).map_err(|error| Error::invalid_descriptor_set(error.to_string()))
}

/// The file on disk that the compiler finds for an imported path.
fn on_disk(imported: &str, includes: &[&Path]) -> Option<PathBuf> {
    includes.iter().map(|include| include.join(imported)).find(|path| path.is_file())
}
