//! Runs the protobuf compiler.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use defiant::Arena;

use super::{Loaded, decode, diagnostics, on_disk};
use crate::error::{Diagnostic, Error};
use crate::schema::Asked;

/// What the compiler takes for the end of a directory in a list of them.
const SEPARATOR: u8 = if cfg!(windows) { b';' } else { b':' };

/// A compiler and what it is to compile.
pub(crate) struct Protoc<'a> {
    executable: PathBuf,
    arguments: &'a [OsString],
    pub(super) protos: Vec<&'a Path>,
    pub(super) includes: Vec<&'a Path>,
    /// The directory of the well-known `.proto` files that comes with the vendored compiler.
    well_known: Option<PathBuf>,
}

impl<'a> Protoc<'a> {
    pub(super) fn find(
        given: Option<&Path>,
        arguments: &'a [OsString],
        protos: Vec<&'a Path>,
        includes: Vec<&'a Path>,
    ) -> Result<Self, Error> {
        let executable = match given {
            Some(path) => path.to_owned(),
            None => match env::var_os("PROTOC").filter(|path| !path.is_empty()) {
                Some(path) => PathBuf::from(path),
                None => vendored::executable()?,
            },
        };
        Ok(Self { executable, arguments, protos, includes, well_known: vendored::include() })
    }

    pub(super) fn load<'arena>(&self, arena: &'arena Arena) -> Result<Loaded<'arena>, Error> {
        let scratch = tempfile::tempdir().map_err(|error| Error::io("cannot make a temporary directory", error))?;
        let target = scratch.path().join("descriptor_set.pb");

        let mut command = Command::new(&self.executable);
        command.arg("--include_imports").arg("--include_source_info");
        command.arg(option("--descriptor_set_out=", &target));
        for include in self.includes.iter().copied().chain(self.well_known.as_deref()) {
            if include.as_os_str().as_encoded_bytes().contains(&SEPARATOR) {
                let separator = char::from(SEPARATOR);
                return Err(Error::config(vec![format!(
                    "{include:?}: protoc takes a directory with {separator:?} in its path for several"
                )]));
            }
            command.arg(option("--proto_path=", include));
        }
        command.args(self.arguments);
        command.args(&self.protos);

        let output = command
            .output()
            .map_err(|error| Error::no_protoc(format!("cannot run {}: {error}", self.executable.display())))?;
        let mut report = diagnostics::parse(&String::from_utf8_lossy(&output.stderr), &self.includes);
        if !output.status.success() {
            if report.errors.is_empty() {
                report.errors.push(Diagnostic::general(format!(
                    "{} failed: {}",
                    self.executable.display(),
                    output.status
                )));
            }
            return Err(Error::invalid_proto(report.errors));
        }

        let bytes = fs::read(&target)
            .map_err(|error| Error::io(format!("{} left no descriptor set", self.executable.display()), error))?;
        let set = decode(&bytes, arena)?;
        let more = more_includes(self.arguments);
        let includes: Vec<&Path> = self.includes.iter().copied().chain(more.iter().map(PathBuf::as_path)).collect();
        let watched = set.file.iter().filter_map(|file| on_disk(file.name(), &includes)).collect();
        // What nobody imports is there because it was asked for; of the others the paths tell.
        let imported = super::imported(&set);
        let named = Named::new(&self.protos);
        let everywhere = || includes.iter().copied().chain(self.well_known.as_deref());
        let names = set.file.iter().map(|file| file.name());
        let files =
            names.filter(|name| !imported.contains(name) || named.has(name, everywhere())).map(str::to_owned).collect();
        Ok(Loaded { set, bytes, asked: Asked { files, imports: true }, watched, warnings: report.warnings })
    }
}

/// The files on the command line: as they were given, and without links.
struct Named<'a> {
    given: HashSet<&'a Path>,
    /// Made when it is first asked for.
    canonical: OnceCell<HashSet<PathBuf>>,
}

impl<'a> Named<'a> {
    fn new(protos: &[&'a Path]) -> Self {
        Named { given: protos.iter().copied().collect(), canonical: OnceCell::new() }
    }

    /// Whether the imported path is one of them.
    fn has<'i>(&self, imported: &str, mut includes: impl Iterator<Item = &'i Path>) -> bool {
        let canonical = || self.given.iter().filter_map(|proto| proto.canonicalize().ok()).collect();
        self.given.contains(Path::new(imported))
            || includes.any(|include| {
                let found = include.join(imported);
                self.given.contains(found.as_path())
                    || found.canonicalize().is_ok_and(|found| self.canonical.get_or_init(canonical).contains(&found))
            })
    }
}

/// The include directories among arguments for the compiler.
fn more_includes(arguments: &[OsString]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut arguments = arguments.iter().map(|argument| argument.to_string_lossy());
    while let Some(argument) = arguments.next() {
        let value = match &*argument {
            "-I" | "--proto_path" => arguments.next(),
            argument => ["--proto_path=", "-I"]
                .iter()
                .find_map(|name| argument.strip_prefix(name))
                .map(|value| value.to_owned().into()),
        };
        found.extend(value.iter().flat_map(|value| env::split_paths(&**value)));
    }
    found
}

fn option(name: &str, path: &Path) -> OsString {
    // An empty include means the current directory; the compiler wants it spelled out.
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let mut argument = OsString::from(name);
    argument.push(path);
    argument
}

#[cfg(feature = "vendored-protoc")]
mod vendored {
    use super::*;

    pub(super) fn executable() -> Result<PathBuf, Error> {
        protoc_bin_vendored::protoc_bin_path().or_else(|error| match in_path() {
            Some(path) => Ok(path),
            None => Err(Error::no_protoc(format!("none is vendored for this machine: {error}"))),
        })
    }

    pub(super) fn include() -> Option<PathBuf> {
        protoc_bin_vendored::include_path().ok()
    }
}

#[cfg(not(feature = "vendored-protoc"))]
mod vendored {
    use super::*;

    pub(super) fn executable() -> Result<PathBuf, Error> {
        in_path().ok_or_else(|| Error::no_protoc("PROTOC is not set and `protoc` is not in PATH"))
    }

    pub(super) fn include() -> Option<PathBuf> {
        None
    }
}

fn in_path() -> Option<PathBuf> {
    let name = format!("protoc{}", env::consts::EXE_SUFFIX);
    env::split_paths(&env::var_os("PATH")?).map(|directory| directory.join(&name)).find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn includes_among_arguments() {
        let arguments = ["--experimental", "-Ia", "-I", "b", "--proto_path=c", "--proto_path", "d"].map(OsString::from);
        assert_eq!(more_includes(&arguments), ["a", "b", "c", "d"].map(PathBuf::from));
    }

    #[test]
    #[cfg(feature = "vendored-protoc")]
    fn every_file_that_is_read_is_watched_and_nothing_else() {
        let room = tempfile::tempdir().expect("a directory");
        let file = |name: &str, text: &str| {
            let path = room.path().join(name);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
            fs::write(&path, text).expect("a file");
            path
        };
        let asked =
            file("one/a.proto", "syntax = \"proto3\"; import \"b.proto\"; import \"google/protobuf/any.proto\";");
        let imported = file("one/b.proto", "syntax = \"proto3\"; import public \"deep/c.proto\";");
        let indirect = file("two/deep/c.proto", "syntax = \"proto3\";");
        file("one/unrelated.proto", "syntax = \"proto3\";");
        let (one, two) = (room.path().join("one"), OsString::from(format!("-I{}", room.path().join("two").display())));
        let arguments = [two];
        let protoc = Protoc::find(None, &arguments, vec![&asked], vec![&one]).expect("vendored");
        let arena = Arena::new();
        let mut watched = protoc.load(&arena).expect("it compiles").watched;
        watched.sort();
        assert_eq!(watched, [asked.clone(), imported, indirect]);
    }
}
