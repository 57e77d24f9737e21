//! Services as `tonic-build` asks for them.

use defiant_build::{Comments, Service};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

/// Who is to speak: it decides what is sent and what is received.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Side {
    Client,
    Server,
}

/// What clients of tonic have beside the methods of their service.
const OF_CLIENTS: &[&str] = &[
    "accept_compressed",
    "max_decoding_message_size",
    "max_encoding_message_size",
    "new",
    "send_compressed",
    "with_interceptor",
    "with_origin",
];

/// The names of the methods; on the side of a client those that tonic does not have.
fn names(service: &Service, side: Side, transport: bool) -> Vec<String> {
    let of_client = |name: &str| side == Side::Client && (OF_CLIENTS.contains(&name) || transport && name == "connect");
    let is_method = |name: &str| service.methods.iter().any(|method| method.name == name);
    let free = |method: &defiant_build::Method| {
        let mut name = method.name.clone();
        if of_client(&name) {
            name.push('_');
            while is_method(&name) {
                name.push('_');
            }
        }
        name
    };
    service.methods.iter().map(free).collect()
}

/// A service, seen from one side.
pub(crate) struct View {
    name: String,
    proto_name: String,
    package: String,
    comments: Vec<String>,
    methods: Vec<Method>,
}

pub(crate) struct Method {
    name: String,
    proto_name: String,
    comments: Vec<String>,
    codec_path: String,
    request: TokenStream,
    response: TokenStream,
    client_streaming: bool,
    server_streaming: bool,
    deprecated: bool,
}

impl View {
    /// `transport` says whether a client has `connect`.
    pub(crate) fn new(service: &Service, codec_path: &str, side: Side, transport: bool) -> Result<Self, syn::Error> {
        let methods = service.methods.iter().zip(names(service, side, transport)).map(|(method, name)| {
            let (request, response) = (message(&method.input_type)?, message(&method.output_type)?);
            let (request, response) = match side {
                Side::Client => (outgoing(&request), incoming(&response)),
                Side::Server => (incoming(&request), outgoing(&response)),
            };
            Ok(Method {
                name,
                proto_name: method.proto_name.clone(),
                comments: lines(&method.comments),
                codec_path: codec_path.to_owned(),
                request,
                response,
                client_streaming: method.client_streaming,
                server_streaming: method.server_streaming,
                deprecated: method.deprecated,
            })
        });
        Ok(View {
            name: service.name.clone(),
            proto_name: service.proto_name.clone(),
            package: service.package.clone(),
            comments: lines(&service.comments),
            methods: methods.collect::<Result<_, syn::Error>>()?,
        })
    }
}

/// Comments, with the blank after the slashes that rustdoc takes away.
fn lines(comments: &Comments) -> Vec<String> {
    comments.rustdoc().into_iter().map(|line| format!(" {line}")).collect()
}

/// The type of a message as seen from a module in that of the package.
fn message(path: &str) -> Result<TokenStream, syn::Error> {
    let absolute = path.starts_with("::") || path.starts_with("crate::");
    let path = if absolute { path.to_owned() } else { format!("super::{path}") };
    Ok(syn::parse_str::<syn::Path>(&path)?.into_token_stream())
}

fn incoming(message: &TokenStream) -> TokenStream {
    quote!(::defiant_tonic::Incoming<#message<'static>>)
}

fn outgoing(message: &TokenStream) -> TokenStream {
    quote!(::defiant_tonic::Outgoing<#message<'static>>)
}

impl tonic_build::Service for View {
    type Comment = String;
    type Method = Method;

    fn name(&self) -> &str {
        &self.name
    }

    fn package(&self) -> &str {
        &self.package
    }

    fn identifier(&self) -> &str {
        &self.proto_name
    }

    fn methods(&self) -> &[Method] {
        &self.methods
    }

    fn comment(&self) -> &[String] {
        &self.comments
    }
}

impl tonic_build::Method for Method {
    type Comment = String;

    fn name(&self) -> &str {
        &self.name
    }

    fn identifier(&self) -> &str {
        &self.proto_name
    }

    fn codec_path(&self) -> &str {
        &self.codec_path
    }

    fn client_streaming(&self) -> bool {
        self.client_streaming
    }

    fn server_streaming(&self) -> bool {
        self.server_streaming
    }

    fn comment(&self) -> &[String] {
        &self.comments
    }

    fn deprecated(&self) -> bool {
        self.deprecated
    }

    fn request_response_name(&self, _: &str, _: bool) -> (TokenStream, TokenStream) {
        (self.request.clone(), self.response.clone())
    }
}
