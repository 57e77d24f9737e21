//! Services: what a generator of clients and servers is told.

/// Writes code for services: clients, servers, whatever they are to be.
///
/// Given to [`Config::service_generator`](crate::Config::service_generator). It is called when all messages and enums
/// have been generated; what it writes to `buf` stands behind them, in the file of the package.
///
/// ```
/// use std::fmt::Write as _;
///
/// struct Names;
///
/// impl defiant_build::ServiceGenerator for Names {
///     fn generate(&mut self, service: defiant_build::Service, buf: &mut String) {
///         let path = [service.package.as_str(), service.proto_name.as_str()].join(".");
///         writeln!(buf, "/// The gRPC path of `{}`.", service.proto_name).expect("a string takes everything");
///         writeln!(buf, "pub const {}: &str = {path:?};", service.name.to_uppercase()).expect("as above");
///     }
/// }
///
/// defiant_build::Config::new().service_generator(Box::new(Names));
/// ```
pub trait ServiceGenerator {
    /// Writes the code of one service. The services of a file come in the order of their declaration.
    fn generate(&mut self, service: Service, buf: &mut String);

    /// Called behind the last service of each file, and for files without services.
    fn finalize(&mut self, buf: &mut String) {
        let _ = buf;
    }

    /// Called behind the last file of each package. `package` is empty for files without one.
    fn finalize_package(&mut self, package: &str, buf: &mut String) {
        let _ = (package, buf);
    }

    /// Called when everything is written: what the generator was told of things that are not in these files, one complaint
    /// each. They become an error, as with the paths of [`Config`](crate::Config).
    fn unmatched(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Several generators, which write one behind the other.
impl ServiceGenerator for Vec<Box<dyn ServiceGenerator>> {
    fn generate(&mut self, service: Service, buf: &mut String) {
        self.iter_mut().for_each(|generator| generator.generate(service.clone(), buf));
    }

    fn finalize(&mut self, buf: &mut String) {
        self.iter_mut().for_each(|generator| generator.finalize(buf));
    }

    fn finalize_package(&mut self, package: &str, buf: &mut String) {
        self.iter_mut().for_each(|generator| generator.finalize_package(package, buf));
    }

    fn unmatched(&self) -> Vec<String> {
        self.iter().flat_map(|generator| generator.unmatched()).collect()
    }
}

/// A service of a `.proto` file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Service {
    /// The name as a Rust type: `UpperCamelCase`, no keyword, and that of no other service of the package.
    pub name: String,
    /// A module that nothing else of the package has: `search_service`.
    pub(crate) module: String,
    /// The name in the `.proto` file.
    pub proto_name: String,
    /// The package; empty for a file without one.
    pub package: String,
    /// Its comments.
    pub comments: Comments,
    /// Its methods, in the order of their declaration.
    pub methods: Vec<Method>,
    /// Whether it has the option `deprecated = true`.
    pub deprecated: bool,
}

/// A method (`rpc`) of a [`Service`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Method {
    /// The name as a Rust function: `snake_case`, with `r#` if it is a keyword, and that of no other method.
    pub name: String,
    /// The name in the `.proto` file.
    pub proto_name: String,
    /// Its comments.
    pub comments: Comments,
    /// The Rust path of the request, as seen from the module of the package, without a lifetime: write
    /// `{input_type}<'_>`.
    pub input_type: String,
    /// The Rust path of the response, likewise.
    pub output_type: String,
    /// The full protobuf name of the request, behind a dot: `.tutorial.Person`.
    pub input_proto_type: String,
    /// The full protobuf name of the response, behind a dot.
    pub output_proto_type: String,
    /// Whether the client sends a stream of requests.
    pub client_streaming: bool,
    /// Whether the server sends a stream of responses.
    pub server_streaming: bool,
    /// Whether it has the option `deprecated = true`.
    pub deprecated: bool,
}

/// The comments around a declaration, line by line, as they stand behind the slashes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comments {
    /// The comments above it, with a blank line between them and it.
    pub leading_detached: Vec<Vec<String>>,
    /// The comment right above it.
    pub leading: Vec<String>,
    /// The comment behind it.
    pub trailing: Vec<String>,
}

impl Comments {
    /// The lines of documentation for Rust, without slashes: the comment above, a blank line, the comment behind.
    ///
    /// Brackets, tags and code are marked up so that rustdoc neither warns of them nor runs them as tests. Empty when
    /// there is neither comment.
    ///
    /// ```
    /// let mut comments = defiant_build::Comments::default();
    /// comments.leading = vec![" Returns a Vec<u8>.".to_owned()];
    /// assert_eq!(comments.rustdoc(), ["Returns a Vec\\<u8>."]);
    /// ```
    #[must_use]
    pub fn rustdoc(&self) -> Vec<String> {
        let parts = [&self.leading, &self.trailing].map(|lines| lines.join("\n"));
        let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|text| !text.trim().is_empty()).collect();
        crate::generate::rustdoc(&parts.join("\n\n"))
    }

    /// Appends [`rustdoc`](Self::rustdoc) as lines of `///`, indented by `indent_level` times four spaces.
    pub fn append_with_indent(&self, indent_level: u8, buf: &mut String) {
        for line in self.rustdoc() {
            (0..indent_level).for_each(|_| buf.push_str("    "));
            buf.push_str("///");
            if !line.is_empty() {
                buf.push(' ');
                buf.push_str(&line);
            }
            buf.push('\n');
        }
    }
}
