//! Where descriptors come from: the official compiler, vendored or given, the one of `protox`, or a ready-made set.

mod diagnostics;
mod mend;
mod protoc;
#[cfg(feature = "protox")]
mod protox;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use defiant::wkt::FileDescriptorSet;
use defiant::{Arena, Message as _};

use crate::error::Error;
use crate::schema::{Asked, WELL_KNOWN};

pub(crate) use mend::{REQUEST_FILE, SET_FILE, mend};

/// A way to obtain a descriptor set.
pub(crate) enum Source<'a> {
    /// Runs a protobuf compiler over files.
    Protoc(protoc::Protoc<'a>),
    /// Runs the compiler of the crate `protox` over files.
    #[cfg(feature = "protox")]
    Protox(protox::Protox<'a>),
    /// Takes the bytes of a `google.protobuf.FileDescriptorSet`.
    DescriptorSet(&'a [u8]),
}

/// What a source delivers.
pub(crate) struct Loaded<'a> {
    pub(crate) set: FileDescriptorSet<'a>,
    /// The set as it was on the wire.
    pub(crate) bytes: Vec<u8>,
    pub(crate) asked: Asked,
    /// The files that were read, to watch for changes.
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

    /// The compiler of the crate `protox`.
    #[cfg(feature = "protox")]
    pub(crate) fn protox(protos: Vec<&'a Path>, includes: Vec<&'a Path>) -> Self {
        Source::Protox(protox::Protox { protos, includes })
    }

    /// The file on disk that was found for an imported path.
    pub(crate) fn on_disk(&self, imported: &Path) -> Option<PathBuf> {
        let imported = imported.to_str()?;
        match self {
            Source::Protoc(protoc) => on_disk(imported, &protoc.includes),
            #[cfg(feature = "protox")]
            Source::Protox(protox) => on_disk(imported, &protox.includes),
            Source::DescriptorSet(_) => None,
        }
    }

    /// What the caller named, to watch when nothing could be loaded.
    pub(crate) fn given(&self) -> Vec<PathBuf> {
        let (protos, includes) = match self {
            Source::Protoc(protoc) => (&protoc.protos, &protoc.includes),
            #[cfg(feature = "protox")]
            Source::Protox(protox) => (&protox.protos, &protox.includes),
            Source::DescriptorSet(_) => return Vec::new(),
        };
        protos.iter().chain(includes).map(|path| path.to_path_buf()).collect()
    }

    /// The descriptors, in an arena of the caller.
    pub(crate) fn load<'arena>(&self, arena: &'arena Arena) -> Result<Loaded<'arena>, Error> {
        match self {
            Source::Protoc(protoc) => protoc.load(arena),
            #[cfg(feature = "protox")]
            Source::Protox(protox) => protox.load(arena),
            Source::DescriptorSet(bytes) => {
                let set = decode(bytes, arena)?;
                Ok(Loaded {
                    asked: Asked { files: roots(&set), imports: true },
                    set,
                    bytes: bytes.to_vec(),
                    watched: Vec::new(),
                    warnings: Vec::new(),
                })
            }
        }
    }
}

fn decode<'arena>(bytes: &[u8], arena: &'arena Arena) -> Result<FileDescriptorSet<'arena>, Error> {
    FileDescriptorSet::decode(&mend(bytes, SET_FILE), arena)
        .map_err(|error| Error::invalid_descriptor_set(error.to_string()))
}

/// What a ready-made set is about: all its files, well-known ones only if no other file imports them.
fn roots(set: &FileDescriptorSet<'_>) -> Vec<String> {
    let imported = imported(set);
    set.file
        .iter()
        .filter(|file| file.package() != WELL_KNOWN || !imported.contains(file.name()))
        .map(|file| file.name().to_owned())
        .collect()
}

/// The files that others import.
fn imported<'arena>(set: &FileDescriptorSet<'arena>) -> HashSet<&'arena str> {
    set.file.iter().flat_map(|file| file.dependency.iter().chain(file.option_dependency)).copied().collect()
}

/// The file on disk that the compiler finds for an imported path.
fn on_disk(imported: &str, includes: &[&Path]) -> Option<PathBuf> {
    includes.iter().map(|include| include.join(imported)).find(|path| path.is_file())
}
