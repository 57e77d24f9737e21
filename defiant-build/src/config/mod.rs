//! The builder.

mod compile;
mod optimize;
pub(crate) mod paths;
mod source_info;

pub use optimize::OptimizeFor;

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

use crate::service::ServiceGenerator;

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
///
/// # For users of prost
///
/// The options of `prost_build::Config` are here under their names, except:
///
/// | prost | here |
/// |---|---|
/// | `btree_map` | not needed: a [`Map`](https://docs.rs/defiant/*/defiant/struct.Map.html) is sorted |
/// | `bytes` | not needed: `bytes` fields borrow, nothing is copied |
/// | `boxed` | not needed: singular messages are behind references; the other way round there is [`inline`](Self::inline) |
/// | `prost_path` | [`crate_path`](Self::crate_path) |
/// | `prost_types_path` | the well-known types are in `wkt` of the runtime; [`extern_path`](Self::extern_path) for others |
/// | `enable_type_names` | always on, see [there](Self::enable_type_names) |
/// | `format` | what is written is formatted |
/// | `compile_fds(FileDescriptorSet)` | [`compile_fds`](Self::compile_fds) takes the bytes |
/// | `load_fds`, `generate` | none: the descriptor set is no part of this interface |
///
/// Only here are [`embed_file_descriptor_set`](Self::embed_file_descriptor_set), [`inline`](Self::inline) and
/// [`optimize_for`](Self::optimize_for), and
/// [`type_name_domain`](Self::type_name_domain) changes a default that is the usual domain instead of none.
pub struct Config {
    pub(crate) type_attributes: Vec<(String, String)>,
    pub(crate) message_attributes: Vec<(String, String)>,
    pub(crate) enum_attributes: Vec<(String, String)>,
    pub(crate) oneof_attributes: Vec<(String, String)>,
    pub(crate) field_attributes: Vec<(String, String)>,
    pub(crate) extern_paths: Vec<(String, String)>,
    pub(crate) inline: Vec<(String, ())>,
    pub(crate) lazy: Vec<(String, ())>,
    pub(crate) ignore_lazy: bool,
    pub(crate) disable_comments: Vec<(String, ())>,
    pub(crate) skip_debug: Vec<(String, ())>,
    pub(crate) type_name_domains: Vec<(String, String)>,
    pub(crate) optimize_for: Vec<(String, OptimizeFor)>,
    pub(crate) retain_enum_prefix: bool,
    pub(crate) compile_well_known_types: bool,
    pub(crate) embed_file_descriptor_set: bool,
    pub(crate) registry: bool,
    pub(crate) skip_source_info: bool,
    pub(crate) crate_path: String,
    pub(crate) include_file: Option<PathBuf>,
    pub(crate) default_package_filename: String,
    pub(crate) out_dir: Option<PathBuf>,
    protoc: Option<PathBuf>,
    #[cfg(feature = "protox")]
    protox: bool,
    protoc_arguments: Vec<OsString>,
    file_descriptor_set_path: Option<PathBuf>,
    skip_protoc_run: bool,
    service_generator: Option<Box<dyn ServiceGenerator>>,
}

impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut config = f.debug_struct("Config");
        #[cfg(feature = "protox")]
        config.field("protox", &self.protox);
        config
            .field("type_attributes", &self.type_attributes)
            .field("message_attributes", &self.message_attributes)
            .field("enum_attributes", &self.enum_attributes)
            .field("oneof_attributes", &self.oneof_attributes)
            .field("field_attributes", &self.field_attributes)
            .field("extern_paths", &self.extern_paths)
            .field("inline", &self.inline)
            .field("lazy", &self.lazy)
            .field("ignore_lazy", &self.ignore_lazy)
            .field("disable_comments", &self.disable_comments)
            .field("skip_debug", &self.skip_debug)
            .field("type_name_domains", &self.type_name_domains)
            .field("optimize_for", &self.optimize_for)
            .field("retain_enum_prefix", &self.retain_enum_prefix)
            .field("compile_well_known_types", &self.compile_well_known_types)
            .field("embed_file_descriptor_set", &self.embed_file_descriptor_set)
            .field("registry", &self.registry)
            .field("skip_source_info", &self.skip_source_info)
            .field("crate_path", &self.crate_path)
            .field("include_file", &self.include_file)
            .field("default_package_filename", &self.default_package_filename)
            .field("out_dir", &self.out_dir)
            .field("protoc", &self.protoc)
            .field("protoc_arguments", &self.protoc_arguments)
            .field("file_descriptor_set_path", &self.file_descriptor_set_path)
            .field("skip_protoc_run", &self.skip_protoc_run)
            .field("service_generator", &self.service_generator.is_some())
            .finish()
    }
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
            lazy: Vec::new(),
            ignore_lazy: false,
            disable_comments: Vec::new(),
            skip_debug: Vec::new(),
            type_name_domains: Vec::new(),
            optimize_for: Vec::new(),
            retain_enum_prefix: false,
            compile_well_known_types: false,
            embed_file_descriptor_set: false,
            registry: false,
            skip_source_info: false,
            crate_path: "::defiant".to_owned(),
            include_file: None,
            default_package_filename: "_".to_owned(),
            out_dir: None,
            protoc: None,
            #[cfg(feature = "protox")]
            protox: false,
            protoc_arguments: Vec::new(),
            file_descriptor_set_path: None,
            skip_protoc_run: false,
            service_generator: None,
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
    /// generates: messages with a lifetime, enums without one. Of several paths the longest counts.
    ///
    /// The well-known types come from the runtime unless a path here says otherwise, see
    /// [`compile_well_known_types`](Self::compile_well_known_types).
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

    /// Writes the descriptor set, too: a serialized `google.protobuf.FileDescriptorSet`, with all imports and, unless
    /// [`skip_source_info`](Self::skip_source_info) is set, with comments and places.
    ///
    /// With [`skip_protoc_run`](Self::skip_protoc_run), this is where it is read from.
    pub fn file_descriptor_set_path(&mut self, path: impl Into<PathBuf>) -> &mut Self {
        self.file_descriptor_set_path = Some(path.into());
        self
    }

    /// Has the descriptor set in the generated code: `pub const FILE_DESCRIPTOR_SET: &[u8]`.
    ///
    /// It is one set, with all files of the call and all they import, but without comments and places: what the
    /// reflection service of gRPC is built of. With [`include_file`](Self::include_file) the constant stands once, at the
    /// top of that file; otherwise every package has it (the linker drops those that nobody uses). Its bytes are in a
    /// file beside, `tutorial.descriptor_set.bin` for `tutorial.rs`.
    ///
    /// ```text
    /// tonic_reflection::server::Builder::configure()
    ///     .register_encoded_file_descriptor_set(tutorial::FILE_DESCRIPTOR_SET)
    ///     .build_v1()?;
    /// ```
    pub fn embed_file_descriptor_set(&mut self) -> &mut Self {
        self.embed_file_descriptor_set = true;
        self
    }

    /// Has a registry of all generated types in the generated code, by which JSON and text find what is in a
    /// `google.protobuf.Any`, and extensions.
    ///
    /// Each package gets `pub fn register(&mut Registry)`, which adds its messages, nested ones included, and its
    /// extensions. `pub fn registry() -> Registry` makes a new registry: with [`include_file`](Self::include_file) it
    /// stands once, at the top of that file, and has all packages; otherwise every package has its own. Types that come
    /// from elsewhere are not in it, the well-known types of the runtime among them (add those that you need), and
    /// neither are custom options. A package that has nothing to add has neither function.
    ///
    /// The code needs the runtime's feature `reflect`, which its features `json` and `text` turn on. A program that
    /// makes a registry has the code of every message in it.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), defiant_build::Error> {
    /// defiant_build::Config::new()
    ///     .registry()
    ///     .include_file("protos.rs")
    ///     .compile_protos(&["proto/tutorial.proto"], &["proto"])?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// And in the program:
    ///
    /// ```text
    /// let registry = protos::registry().with::<defiant::wkt::Timestamp<'static>>();
    /// let options = defiant::json::EncodeOptions::new().resolver(&registry);
    /// ```
    pub fn registry(&mut self) -> &mut Self {
        self.registry = true;
        self
    }

    /// Runs no compiler: the descriptor set is read from [`file_descriptor_set_path`](Self::file_descriptor_set_path),
    /// and the files and directories given to [`compile_protos`](Self::compile_protos) are ignored.
    ///
    /// Something else, such as the build system, must have written the set. [`compile_fds`](Self::compile_fds) does the
    /// same for a set in memory.
    pub fn skip_protoc_run(&mut self) -> &mut Self {
        self.skip_protoc_run = true;
        self
    }

    /// Leaves source info (comments and places) out: of the generated code and of the descriptor set that
    /// [`file_descriptor_set_path`](Self::file_descriptor_set_path) names, of which it is most.
    ///
    /// Errors keep their places all the same.
    pub fn skip_source_info(&mut self) -> &mut Self {
        self.skip_source_info = true;
        self
    }

    /// Leaves out the comments of the `.proto` files. What has no comment gets a line that names it.
    pub fn disable_comments<P: Into<String>>(&mut self, paths: impl IntoIterator<Item = P>) -> &mut Self {
        self.disable_comments.extend(paths.into_iter().map(|path| (path.into(), ())));
        self
    }

    /// Derives no `Debug` for messages, enums and oneofs, so that you can write it by hand.
    ///
    /// It must be written: every message has `Debug`. Useful to keep secrets out of logs.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), defiant_build::Error> {
    /// # let mut config = defiant_build::Config::new();
    /// config.skip_debug(["auth.Password"]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn skip_debug<P: Into<String>>(&mut self, paths: impl IntoIterator<Item = P>) -> &mut Self {
        self.skip_debug.extend(paths.into_iter().map(|path| (path.into(), ())));
        self
    }

    /// Nothing to do: every generated message has its names, as `defiant::Name`. Here for those who come from prost.
    pub fn enable_type_names(&mut self) -> &mut Self {
        self
    }

    /// What stands before the slash in the type URL of messages, instead of `type.googleapis.com`.
    ///
    /// The type URL is that of `defiant::Name::type_url`, which a `google.protobuf.Any` carries. Where several paths
    /// match, the first one counts.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), defiant_build::Error> {
    /// # let mut config = defiant_build::Config::new();
    /// config.type_name_domain([".tutorial"], "types.example.com");
    /// # Ok(())
    /// # }
    /// ```
    pub fn type_name_domain<P: Into<String>>(
        &mut self,
        paths: impl IntoIterator<Item = P>,
        domain: impl Into<String>,
    ) -> &mut Self {
        let domain = domain.into();
        self.type_name_domains.extend(paths.into_iter().map(|path| (path.into(), domain.clone())));
        self
    }

    /// Keeps the name of the enum in its values: `COLOR_RED` of `Color` becomes `ColorRed` instead of `Red`.
    pub fn retain_enum_prefix(&mut self) -> &mut Self {
        self.retain_enum_prefix = true;
        self
    }

    /// Generates the types of the well-known files, too, instead of taking them from the runtime.
    ///
    /// Without this, `google.protobuf.Timestamp` is `::defiant::wkt::Timestamp` (or `wkt` at the
    /// [`crate_path`](Self::crate_path)), and so are all types of the official `google/protobuf/*.proto`. The runtime has
    /// them with its feature `wkt`, which is on by default; those of `descriptor.proto` and `compiler/plugin.proto` need
    /// its feature `descriptor`.
    ///
    /// With this, those that are referred to or asked for are generated, as the package `google.protobuf`, without the
    /// conversions that the runtime has.
    pub fn compile_well_known_types(&mut self) -> &mut Self {
        self.compile_well_known_types = true;
        self
    }

    /// Who writes code for services. Without one, services are skipped.
    ///
    /// ```
    /// struct Count(usize);
    ///
    /// impl defiant_build::ServiceGenerator for Count {
    ///     fn generate(&mut self, service: defiant_build::Service, buf: &mut String) {
    ///         self.0 += service.methods.len();
    ///     }
    ///     fn finalize_package(&mut self, package: &str, buf: &mut String) {
    ///         buf.push_str(&format!("/// Methods in `{package}`.\npub const METHODS: usize = {};\n", self.0));
    ///         self.0 = 0;
    ///     }
    /// }
    ///
    /// defiant_build::Config::new().service_generator(Box::new(Count(0)));
    /// ```
    pub fn service_generator(&mut self, service_generator: Box<dyn ServiceGenerator>) -> &mut Self {
        self.service_generator = Some(service_generator);
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

    /// Leaves messages encoded until they are asked for: the field is an `Option<defiant::Lazy<M>>`, a repeated one a slice
    /// of `defiant::Lazy<M>`.
    ///
    /// Fields whose `.proto` file says `[lazy = true]` are so without being named, unless
    /// [`ignore_lazy`](Self::ignore_lazy) is set.
    ///
    /// The path names fields, singular or repeated, but no groups, maps and members of oneofs. Worth it for what is mostly
    /// passed on or left aside. Errors in such a message come when it is decoded, which `defiant::Lazy` says more about.
    pub fn lazy(&mut self, path: impl Into<String>) -> &mut Self {
        self.lazy.push((path.into(), ()));
        self
    }

    /// Has the option `[lazy = true]` of `.proto` files change nothing: only [`lazy`](Self::lazy) makes lazy fields.
    ///
    /// For files that others wrote: in C++ the option is a hint that the code using a field does not see. Here it changes the
    /// type of the field, and when errors are found.
    pub fn ignore_lazy(&mut self) -> &mut Self {
        self.ignore_lazy = true;
        self
    }

    /// The path of the runtime crate in the generated code, instead of `::defiant`.
    pub fn crate_path(&mut self, path: impl Into<String>) -> &mut Self {
        self.crate_path = path.into();
        self
    }
}
