//! Generates [tonic](https://docs.rs/tonic) clients and servers for messages of
//! [Defiant](https://docs.rs/defiant), in a build script.
//!
//! ```no_run
//! // build.rs
//! fn main() -> Result<(), defiant_build::Error> {
//!     defiant_tonic_build::compile_protos(&["proto/search.proto"], &["proto"])
//! }
//! ```
//!
//! [`Generator`] has the options, and is given to [`defiant_build::Config`], which has all the others:
//!
//! ```no_run
//! # fn main() -> Result<(), defiant_build::Error> {
//! defiant_build::Config::new()
//!     .service_generator(Box::new(defiant_tonic_build::Generator::new().client(false)))
//!     .include_file("protos.rs")
//!     .compile_protos(&["proto/search.proto"], &["proto"])
//! # }
//! ```
//!
//! # What is generated
//!
//! The code around the messages is written by `tonic-build`, so it is that of any tonic service. Of
//!
//! ```text
//! service Search {
//!   rpc Find(Query) returns (Hits);
//! }
//! ```
//!
//! it makes `search_client::SearchClient` and `search_server::{Search, SearchServer}`. A client sends
//! `defiant_tonic::Outgoing<Query<'static>>` and receives `defiant_tonic::Incoming<Hits<'static>>`; a server the other way
//! round. Streams are `tonic::Streaming` of them.
//!
//! The names in that code are tonic's: what clashes with them does not compile, as a service `T`, which is the name of a type
//! parameter, or a message `SearchClient` with types in it beside the service above, which has a module of the same name.
//! Only methods of a client give way: `rpc New` is `new_` there, because a client has a `new` of tonic's, and so with
//! `Connect` and the others.
//!
//! The crate that includes the code depends on `defiant`, `defiant-tonic` and `tonic`, under these names.

mod service;

use std::fmt;
use std::path::Path;

use defiant_build::{Config, Error, Service, ServiceGenerator};
use proc_macro2::TokenStream;
use tonic_build::{Attributes, CodeGenBuilder};

/// Generates messages, clients and servers for the given files, and all they import, into the `OUT_DIR` of the build script.
///
/// # Errors
///
/// As [`Config::compile_protos`].
pub fn compile_protos(protos: &[impl AsRef<Path>], includes: &[impl AsRef<Path>]) -> Result<(), Error> {
    Config::new().service_generator(Box::new(Generator::new())).compile_protos(protos, includes)
}

/// Writes clients and servers; for [`Config::service_generator`].
#[derive(Clone)]
pub struct Generator {
    client: bool,
    server: bool,
    transport: bool,
    arc_self: bool,
    default_stubs: bool,
    codec_path: String,
}

impl fmt::Debug for Generator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Generator")
            .field("client", &self.client)
            .field("server", &self.server)
            .field("transport", &self.transport)
            .field("arc_self", &self.arc_self)
            .field("default_stubs", &self.default_stubs)
            .field("codec_path", &self.codec_path)
            .finish()
    }
}

impl Default for Generator {
    fn default() -> Self {
        Self::new()
    }
}

impl Generator {
    /// Clients and servers, with what tonic's feature `transport` adds.
    #[must_use]
    pub fn new() -> Self {
        Generator {
            client: true,
            server: true,
            transport: true,
            arc_self: false,
            default_stubs: false,
            codec_path: "::defiant_tonic::DefaultCodec".to_owned(),
        }
    }

    /// Whether to write clients.
    #[must_use]
    pub fn client(mut self, write: bool) -> Self {
        self.client = write;
        self
    }

    /// Whether to write servers.
    #[must_use]
    pub fn server(mut self, write: bool) -> Self {
        self.server = write;
        self
    }

    /// Whether clients have `connect`, which takes tonic's feature `channel`.
    #[must_use]
    pub fn transport(mut self, write: bool) -> Self {
        self.transport = write;
        self
    }

    /// Whether methods of servers take `self: Arc<Self>` instead of `&self`.
    #[must_use]
    pub fn use_arc_self(mut self, arc: bool) -> Self {
        self.arc_self = arc;
        self
    }

    /// Whether methods of a server that are not written answer that they are not implemented, instead of failing to compile.
    #[must_use]
    pub fn default_stubs(mut self, write: bool) -> Self {
        self.default_stubs = write;
        self
    }

    /// The Rust path of the codec: a type with two parameters, the message sent and the message received, which implements
    /// `Default`. An alias of `defiant_tonic::Codec` with settings of your own is one.
    ///
    /// What is no path becomes a `compile_error!` in the generated code.
    #[must_use]
    pub fn codec_path(mut self, path: impl Into<String>) -> Self {
        self.codec_path = path.into();
        self
    }

    fn builder(&self, service: &Service) -> CodeGenBuilder {
        let mut attributes = Attributes::default();
        // Methods may have names, and messages may be deprecated, as their `.proto` file likes.
        attributes.push_mod(
            ".",
            "#[allow(deprecated, non_camel_case_types, non_snake_case, clippy::allow_attributes_without_reason, \
             clippy::match_single_binding, clippy::missing_errors_doc, clippy::mixed_attributes_style, \
             clippy::new_ret_no_self, clippy::wrong_self_convention, reason = \"as in the .proto file\")]",
        );
        if service.deprecated {
            attributes.push_struct(".", "#[deprecated]");
        }
        let mut builder = CodeGenBuilder::new();
        builder
            .attributes(attributes)
            .build_transport(self.transport)
            .use_arc_self(self.arc_self)
            .generate_default_stubs(self.default_stubs);
        builder
    }

    /// The code of a service.
    fn tokens(&self, service: &Service) -> Result<TokenStream, syn::Error> {
        syn::parse_str::<syn::Path>(&self.codec_path).map_err(|_| {
            syn::Error::new(proc_macro2::Span::call_site(), format!("no path of a codec: {:?}", self.codec_path))
        })?;
        let builder = self.builder(service);
        let mut tokens = TokenStream::new();
        if self.client {
            let view = service::View::new(service, &self.codec_path, service::Side::Client, self.transport)?;
            tokens.extend(builder.generate_client(&view, ""));
        }
        if self.server {
            let view = service::View::new(service, &self.codec_path, service::Side::Server, self.transport)?;
            tokens.extend(builder.generate_server(&view, ""));
        }
        Ok(tokens)
    }
}

impl ServiceGenerator for Generator {
    fn generate(&mut self, service: Service, buf: &mut String) {
        let tokens = self.tokens(&service).unwrap_or_else(|error| error.to_compile_error());
        match syn::parse2(tokens.clone()) {
            Ok(file) => buf.push_str(&prettyplease::unparse(&file)),
            // Not formatted, for the compiler to say what is wrong with it.
            Err(_) => buf.push_str(&tokens.to_string()),
        }
    }
}
