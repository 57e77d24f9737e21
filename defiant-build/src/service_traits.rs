//! Traits for services, and what a server calls them through.

use std::fmt::Write as _;

use crate::config::paths::matches;
use crate::generate::DERIVES;
use crate::service::{Comments, Method, Service, ServiceGenerator};

/// Writes a trait for each service, with an arena for each call, and the struct that a server of
/// [`defiant-grpc`](https://docs.rs/defiant-grpc) calls it through.
///
/// Of
///
/// ```text
/// service Search {
///   rpc Find(Query) returns (Hits);
///   rpc Watch(Query) returns (stream Hits);
///   rpc Add(stream Query) returns (Hits);
///   rpc Talk(stream Query) returns (stream Hits);
/// }
/// ```
///
/// it makes
///
/// ```text
/// pub mod search_service {
///     pub trait Search {
///         async fn find<'a>(&'a self, request: Query<'a>, arena: &'a Arena) -> Result<Hits<'a>, Status>;
///         async fn watch(&self, request: Query<'_>, replies: &Replies<Hits<'static>>, arena: &Arena) -> Result<(), Status>;
///         async fn add<'a>(&'a self, requests: &mut Requests<Query<'static>>, arena: &'a Arena) -> Result<Hits<'a>, Status>;
///         async fn talk(
///             &self,
///             requests: &mut Requests<Query<'static>>,
///             replies: &Replies<Hits<'static>>,
///             arena: &Arena,
///         ) -> Result<(), Status>;
///     }
///     pub struct SearchServer<T>;
/// }
/// ```
///
/// The module has an underscore behind its name where a message, a package or another service has a module of that name.
///
/// An answer may borrow from the request, from the arena of the call and from the service itself. An implementation may write
/// `&self` for `&'a self`. Without streams, such a method is a function of messages: a test calls it with a new `Arena`.
///
/// Where a method has to know more of its call, the headers or the deadline, [`with_call`](Self::with_call) gives it the
/// `Call` instead, which is used as the arena as well.
///
/// The crate that includes the code depends on `defiant` and `defiant-grpc`.
///
/// ```no_run
/// # fn main() -> Result<(), defiant_build::Error> {
/// defiant_build::Config::new()
///     .service_generator(Box::new(defiant_build::ServiceTraits::new()))
///     .compile_protos(&["proto/search.proto"], &["proto"])
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct ServiceTraits {
    crate_path: String,
    /// Paths of methods, services and packages, and whether there was one.
    with_call: Vec<(String, bool)>,
}

impl Default for ServiceTraits {
    fn default() -> Self {
        Self::new()
    }
}

impl ServiceTraits {
    /// Traits that refer to `::defiant_grpc`.
    #[must_use]
    pub fn new() -> Self {
        ServiceTraits { crate_path: "::defiant_grpc".to_owned(), with_call: Vec::new() }
    }

    /// The Rust path of the crate `defiant-grpc`, where it has another name.
    #[must_use]
    pub fn crate_path(mut self, path: impl Into<String>) -> Self {
        self.crate_path = path.into();
        self
    }

    /// Gives the methods that a path matches the whole call, `call: &'a Call`, instead of `arena: &'a Arena`: with the headers
    /// of the request, those of the answer, and the deadline. May be called several times.
    ///
    /// Paths are those of [`Config::type_attribute`](crate::Config::type_attribute): `.tutorial.Search.Find` is one method,
    /// `.tutorial.Search` all of a service, `Find` all of that name, and `.` every method there is. One that matches no method
    /// is an error.
    ///
    /// ```
    /// let traits = defiant_build::ServiceTraits::new().with_call("Search.Find").with_call(".admin");
    /// # drop(traits);
    /// ```
    #[must_use]
    pub fn with_call(mut self, path: impl Into<String>) -> Self {
        self.with_call.push((path.into(), false));
        self
    }

    /// The last argument of a method: its name and its type.
    fn memory(&self, full_name: &str, method: &Method) -> (&'static str, &'static str) {
        let path = method_path(full_name, method);
        match self.with_call.iter().any(|(pattern, _)| matches(pattern, &path)) {
            true => ("call", "Call"),
            false => ("arena", "Arena"),
        }
    }
}

impl ServiceGenerator for ServiceTraits {
    fn generate(&mut self, service: Service, buf: &mut String) {
        let full_name = match service.package.as_str() {
            "" => service.proto_name.clone(),
            package => format!("{package}.{}", service.proto_name),
        };
        for method in &service.methods {
            let path = method_path(&full_name, method);
            self.with_call.iter_mut().for_each(|(pattern, used)| *used |= matches(pattern, &path));
        }
        let mut out = Text { buf, depth: 0 };
        out.line(&format!("/// The service `{full_name}`."));
        // Methods are called what they are called, and not every service that there is has a server.
        out.line("#[allow(");
        out.line("    dead_code,");
        out.line("    deprecated,");
        out.line("    clippy::missing_errors_doc,");
        out.line("    clippy::wrong_self_convention,");
        out.line("    reason = \"as in the .proto file\"");
        out.line(")]");
        out.line(&format!("pub mod {} {{", service.module));
        out.depth += 1;
        self.write_trait(&service, &full_name, &mut out);
        self.write_server(&service, &full_name, &mut out);
        out.depth -= 1;
        out.line("}");
    }

    fn unmatched(&self) -> Vec<String> {
        let unused = self.with_call.iter().filter(|(pattern, used)| !used && pattern != ".");
        unused.map(|(pattern, _)| format!("with_call({pattern:?}) matches no method in these files")).collect()
    }
}

/// The path that `with_call` matches.
fn method_path(full_name: &str, method: &Method) -> String {
    format!(".{full_name}.{}", method.proto_name)
}

impl ServiceTraits {
    fn write_trait(&self, service: &Service, full_name: &str, out: &mut Text<'_>) {
        let root = &self.crate_path;
        out.docs(&service.comments, &format!("What `{full_name}` does."));
        out.deprecated(service.deprecated);
        out.line("#[allow(async_fn_in_trait, reason = \"a call stays on its thread\")]");
        out.line(&format!("pub trait {} {{", service.name));
        out.depth += 1;
        for method in &service.methods {
            let (input, output) = (seen(&method.input_type), seen(&method.output_type));
            out.docs(&method.comments, &format!("The method `{full_name}.{}`.", method.proto_name));
            out.deprecated(method.deprecated);
            let lives = !method.server_streaming;
            let a = if lives { "'a " } else { "" };
            out.line(&format!("async fn {}{}(", method.name, if lives { "<'a>" } else { "" }));
            out.depth += 1;
            out.line(&format!("&{a}self,"));
            match method.client_streaming {
                true => out.line(&format!("requests: &mut {root}::Requests<{input}<'static>>,")),
                false => out.line(&format!("request: {input}<{}>,", if lives { "'a" } else { "'_" })),
            }
            if method.server_streaming {
                out.line(&format!("replies: &{root}::Replies<{output}<'static>>,"));
            }
            let (memory, kind) = self.memory(full_name, method);
            out.line(&format!("{memory}: &{a}{root}::{kind},"));
            out.depth -= 1;
            let reply = if lives { format!("{output}<'a>") } else { "()".to_owned() };
            out.line(&format!(") -> ::core::result::Result<{reply}, {root}::Status>;"));
        }
        out.depth -= 1;
        out.line("}");
    }

    fn write_server(&self, service: &Service, full_name: &str, out: &mut Text<'_>) {
        let (root, name) = (&self.crate_path, &service.name);
        // The name is that of a derive macro as well.
        let sort = if DERIVES.contains(&name.as_str()) { "trait@" } else { "" };
        // An underscore at the end is ours, and inside of a name there is none.
        let server = format!("{}Server", name.trim_end_matches('_'));
        let t = if name == "T" { "S" } else { "T" };
        out.line(&format!("/// Has a [`{sort}{name}`] called by a server."));
        out.line("#[derive(Clone, Debug)]");
        out.line(&format!("pub struct {server}<{t}> {{"));
        out.line(&format!("    inner: {t},"));
        out.line("}");
        out.line(&format!("impl<{t}: {name}> {server}<{t}> {{"));
        out.line("    /// The name of the service in a request's path.");
        out.line(&format!("    pub const NAME: &'static str = {full_name:?};"));
        out.line("    /// A server's door to the service.");
        out.line(&format!("    pub fn new(inner: {t}) -> Self {{"));
        out.line("        Self { inner }");
        out.line("    }");
        out.line("}");
        out.line(&format!("impl<{t}: {name}> {root}::Service for {server}<{t}> {{"));
        out.depth += 1;
        out.line("fn has(&self, service: &str) -> bool {");
        out.line("    service == Self::NAME");
        out.line("}");
        out.line("async fn call(");
        out.line("    &self,");
        out.line("    _service: &str,");
        out.line("    method: &str,");
        out.line(&format!("    exchange: {root}::Exchange,"));
        out.line(&format!(") -> ::core::result::Result<(), {root}::Status> {{"));
        out.depth += 1;
        let unknown = format!("::core::result::Result::Err({root}::Status::unknown_method(Self::NAME, method))");
        if service.methods.is_empty() {
            out.line("let _ = (&self.inner, exchange);");
            out.line(&unknown);
        } else {
            out.line("match method {");
            out.depth += 1;
            // Not as `self.inner.into(..)`, which may be another trait's.
            let service_of_t = format!("<{t} as {name}>");
            service.methods.iter().for_each(|method| write_arm(method, &service_of_t, out));
            out.line(&format!("_ => {unknown},"));
            out.depth -= 1;
            out.line("}");
        }
        out.depth -= 1;
        out.line("}");
        out.depth -= 1;
        out.line("}");
    }
}

/// What a server does when a method is called.
fn write_arm(method: &Method, service: &str, out: &mut Text<'_>) {
    let (input, output) = (seen(&method.input_type), seen(&method.output_type));
    out.line(&format!("{:?} => {{", method.proto_name));
    out.depth += 1;
    out.line("let (call, mut requests, replies) =");
    out.line(&format!("    exchange.open::<{input}<'static>, {output}<'static>>();"));
    let requests = if method.client_streaming {
        "&mut requests"
    } else {
        out.line("let request = requests.only(&call).await?;");
        "request"
    };
    if method.server_streaming {
        out.line(&format!("{service}::{}(&self.inner, {requests}, &replies, &call).await", method.name));
    } else {
        out.line(&format!("let reply = {service}::{}(&self.inner, {requests}, &call).await?;", method.name));
        out.line("replies.send(&reply).await");
    }
    out.depth -= 1;
    out.line("}");
}

/// The path of a type as seen from a module in that of the package.
fn seen(path: &str) -> String {
    if path.starts_with("::") || path.starts_with("crate::") { path.to_owned() } else { format!("super::{path}") }
}

/// Lines with indentation.
struct Text<'b> {
    buf: &'b mut String,
    depth: u8,
}

impl Text<'_> {
    fn line(&mut self, line: &str) {
        (0..self.depth).for_each(|_| self.buf.push_str("    "));
        // Writing to a string does not fail.
        let _ = writeln!(self.buf, "{line}");
    }

    /// Comments, or what is said where there are none.
    fn docs(&mut self, comments: &Comments, otherwise: &str) {
        if comments.rustdoc().is_empty() {
            self.line(&format!("/// {otherwise}"));
        } else {
            comments.append_with_indent(self.depth, self.buf);
        }
    }

    fn deprecated(&mut self, deprecated: bool) {
        if deprecated {
            self.line("#[deprecated]");
        }
    }
}
