//! The builder.

pub(crate) mod paths;

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use defiant::Arena;

use crate::emit;
use crate::error::Error;
use crate::generate;
use crate::schema::Schema;
use crate::source::Source;

/// How to generate code.
///
/// Every option returns the `Config`, so that calls chain; [`compile_protos`](Self::compile_protos) comes last.
///
/// ```no_run
/// # fn main() -> Result<(), defiant_build::Error> {
/// defiant_build::Config::new()
///     .field_attribute("tutorial.Person.email", "#[doc(alias = \"mail\")]")
///     .include_file("protos.rs")
///     .compile_protos(&["proto/tutorial.proto"], &["proto"])?;
/// # Ok(())
/// # }
/// ```
///
/// # Paths
///
/// Options that take a `path` apply to everything the path matches. The full path of a thing is its full protobuf
/// name behind a dot: `.tutorial.Person` (a message), `.tutorial.Person.email` (a field), `.tutorial.Person.contact`
/// (a oneof), `.tutorial.Person.contact.phone` (a member of it), `.tutorial.Color.COLOR_RED` (an enum value). A path
/// matches it when it is
///
/// - that full path,
/// - an outer one of it: `.tutorial.Person`, `.tutorial`, or `.` for everything,
/// - a suffix of it without a leading dot: `Person.email`, `email`.
///
/// A path that matches nothing is an error, so a spelling mistake does not go unnoticed.
#[derive(Clone, Debug)]
pub struct Config {
    pub(crate) type_attributes: Vec<(String, String)>,
    pub(crate) message_attributes: Vec<(String, String)>,
    pub(crate) enum_attributes: Vec<(String, String)>,
    pub(crate) oneof_attributes: Vec<(String, String)>,
    pub(crate) field_attributes: Vec<(String, String)>,
    pub(crate) extern_paths: Vec<(String, String)>,
    pub(crate) inline: Vec<(String, ())>,
    pub(crate) disable_comments: Vec<(String, ())>,
    pub(crate) crate_path: String,
    pub(crate) include_file: Option<PathBuf>,
    pub(crate) default_package_filename: String,
    pub(crate) out_dir: Option<PathBuf>,
    protoc: Option<PathBuf>,
    #[cfg(feature = "protox")]
    protox: bool,
    protoc_arguments: Vec<OsString>,
    file_descriptor_set_path: Option<PathBuf>,
}

impl Default for Config {
    fn default() -> Self {
        Self::new()
    }
}

impl Config {
    /// The defaults, which [`compile_protos`](crate::compile_protos) uses.
    #[must_use]
    pub fn new() -> Self {
        Self {
            type_attributes: Vec::new(),
            message_attributes: Vec::new(),
            enum_attributes: Vec::new(),
            oneof_attributes: Vec::new(),
            field_attributes: Vec::new(),
            extern_paths: Vec::new(),
            inline: Vec::new(),
            disable_comments: Vec::new(),
            crate_path: "::defiant".to_owned(),
            include_file: None,
            default_package_filename: "_".to_owned(),
            out_dir: None,
            protoc: None,
            #[cfg(feature = "protox")]
            protox: false,
            protoc_arguments: Vec::new(),
            file_descriptor_set_path: None,
        }
    }

    /// Where to write, instead of the `OUT_DIR` of the build script. Missing directories are made.
    pub fn out_dir(&mut self, path: impl Into<PathBuf>) -> &mut Self {
        self.out_dir = Some(path.into());
        self
    }

    /// The protobuf compiler to run, instead of the one in the environment variable `PROTOC` or the vendored one.
    pub fn protoc_executable(&mut self, path: impl Into<PathBuf>) -> &mut Self {
        self.protoc = Some(path.into());
        self
    }

    /// Compiles with the crate [`protox`](https://docs.rs/protox), which is written in Rust, instead of the official
    /// compiler. It knows proto2 and proto3, no editions.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), defiant_build::Error> {
    /// defiant_build::Config::new().protox().compile_protos(&["proto/tutorial.proto"], &["proto"])?;
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "protox")]
    pub fn protox(&mut self) -> &mut Self {
        self.protox = true;
        self
    }

    /// One more argument for the protobuf compiler.
    pub fn protoc_arg(&mut self, argument: impl Into<OsString>) -> &mut Self {
        self.protoc_arguments.push(argument.into());
        self
    }

    /// Attributes for messages, enums and oneofs.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), defiant_build::Error> {
    /// # let mut config = defiant_build::Config::new();
    /// config.type_attribute(".", "#[allow(clippy::large_enum_variant)]");
    /// # Ok(())
    /// # }
    /// ```
    pub fn type_attribute(&mut self, path: impl Into<String>, attribute: impl Into<String>) -> &mut Self {
        self.type_attributes.push((path.into(), attribute.into()));
        self
    }

    /// Attributes for messages.
    pub fn message_attribute(&mut self, path: impl Into<String>, attribute: impl Into<String>) -> &mut Self {
        self.message_attributes.push((path.into(), attribute.into()));
        self
    }

    /// Attributes for enums and, as with prost, for oneofs.
    pub fn enum_attribute(&mut self, path: impl Into<String>, attribute: impl Into<String>) -> &mut Self {
        self.enum_attributes.push((path.into(), attribute.into()));
        self
    }

    /// Attributes for the enums that stand for oneofs.
    pub fn oneof_attribute(&mut self, path: impl Into<String>, attribute: impl Into<String>) -> &mut Self {
        self.oneof_attributes.push((path.into(), attribute.into()));
        self
    }

    /// Attributes for fields, oneofs (as fields), members of oneofs, and values of enums.
    pub fn field_attribute(&mut self, path: impl Into<String>, attribute: impl Into<String>) -> &mut Self {
        self.field_attributes.push((path.into(), attribute.into()));
        self
    }

    /// Takes a package or type from elsewhere instead of generating it.
    ///
    /// `extern_path(".google.type", "::google_types")` takes `google.type.Date` from `::google_types::Date` and
    /// `google.type.Date.Part` from `::google_types::date::Part`. The types there must have the form this crate
    /// generates: messages with a lifetime, enums without one.
    pub fn extern_path(&mut self, proto_path: impl Into<String>, rust_path: impl Into<String>) -> &mut Self {
        self.extern_paths.push((proto_path.into(), rust_path.into()));
        self
    }

    /// Writes one more file, which includes all others as a tree of modules, a module per package.
    ///
    /// It is included with `include!(concat!(env!("OUT_DIR"), "/protos.rs"))`. Packages refer to each other by
    /// `super::`, so two packages that do need this tree, or the same one made by hand.
    pub fn include_file(&mut self, path: impl Into<PathBuf>) -> &mut Self {
        self.include_file = Some(path.into());
        self
    }

    /// Writes the descriptor set, too: a serialized `google.protobuf.FileDescriptorSet`.
    pub fn file_descriptor_set_path(&mut self, path: impl Into<PathBuf>) -> &mut Self {
        self.file_descriptor_set_path = Some(path.into());
        self
    }

    /// Leaves out the comments of the `.proto` files. What has no comment gets a line that names it.
    pub fn disable_comments<P: Into<String>>(&mut self, paths: impl IntoIterator<Item = P>) -> &mut Self {
        self.disable_comments.extend(paths.into_iter().map(|path| (path.into(), ())));
        self
    }

    /// The file name, without `.rs`, of files without a package. It is `_`.
    pub fn default_package_filename(&mut self, name: impl Into<String>) -> &mut Self {
        self.default_package_filename = name.into();
        self
    }

    /// Holds singular messages in the struct, as `Option<M>`, instead of behind a reference.
    ///
    /// The path names fields. Worth it for small messages that are nearly always there, such as a point of a
    /// polygon. A message cannot hold itself: that is an error.
    pub fn inline(&mut self, path: impl Into<String>) -> &mut Self {
        self.inline.push((path.into(), ()));
        self
    }

    /// The path of the runtime crate in the generated code, instead of `::defiant`.
    pub fn crate_path(&mut self, path: impl Into<String>) -> &mut Self {
        self.crate_path = path.into();
        self
    }

    /// Generates code for the given files and all they import.
    ///
    /// `includes` are the directories where the files, and what they import, are looked for. The well-known files
    /// (`google/protobuf/*.proto`) come with the vendored compiler and need no include.
    ///
    /// In a build script this also tells Cargo what to watch.
    ///
    /// # Errors
    ///
    /// When a file is wrong ([`Error::is_invalid_proto`], with file, line and column), when an option is
    /// ([`Error::is_config`]), and when the compiler is missing or the output cannot be written. Nothing has been
    /// written then, except where writing itself is what failed.
    pub fn compile_protos(&mut self, protos: &[impl AsRef<Path>], includes: &[impl AsRef<Path>]) -> Result<(), Error> {
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
        self.run(&Source::protoc(self.protoc.as_deref(), &self.protoc_arguments, protos, includes)?)
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

    fn run(&self, source: &Source<'_>) -> Result<(), Error> {
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

        let generated = Schema::new(&loaded.set)
            .and_then(|schema| generate::files(&schema, self, &loaded.asked, in_out_dir))
            .map_err(|error| error.located(|imported| source.on_disk(imported)))?;
        let mut files: Vec<(PathBuf, Vec<u8>)> =
            generated.into_iter().map(|(name, text)| (out_dir.join(name), text.into_bytes())).collect();
        if let Some(path) = &self.file_descriptor_set_path {
            files.push((path.clone(), loaded.bytes));
        }
        emit::write(&files)
    }
}
