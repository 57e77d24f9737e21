//! Services, from descriptors.

use defiant::wkt::FileDescriptorProto;

use super::comments::Locations;
use super::names;
use crate::service::Comments;

// Field numbers of descriptor.proto, the steps of a location's path.
const FILE_SERVICE: i32 = 6;
const SERVICE_METHOD: i32 = 2;

#[derive(Debug)]
pub(crate) struct Service {
    pub(crate) proto_name: String,
    pub(crate) ident: String,
    pub(crate) comments: Comments,
    pub(crate) deprecated: bool,
    pub(crate) methods: Vec<Method>,
}

#[derive(Debug)]
pub(crate) struct Method {
    pub(crate) proto_name: String,
    pub(crate) ident: String,
    pub(crate) comments: Comments,
    /// Full names, without a leading dot.
    pub(crate) input: String,
    pub(crate) output: String,
    pub(crate) client_streaming: bool,
    pub(crate) server_streaming: bool,
    pub(crate) deprecated: bool,
}

/// The services of a file, in the order of their declaration.
pub(super) fn of_file(file: &FileDescriptorProto<'_>, locations: &Locations<'_>) -> Vec<Service> {
    let full = |name: &str| name.strip_prefix('.').unwrap_or(name).to_owned();
    (0..)
        .zip(file.service)
        .map(|(index, service)| Service {
            proto_name: service.name().to_owned(),
            ident: names::type_name(service.name()),
            comments: locations.comments(&[FILE_SERVICE, index]),
            deprecated: service.options.is_some_and(|options| options.deprecated()),
            methods: (0..)
                .zip(service.method)
                .map(|(at, method)| Method {
                    proto_name: method.name().to_owned(),
                    ident: names::field(method.name()),
                    comments: locations.comments(&[FILE_SERVICE, index, SERVICE_METHOD, at]),
                    input: full(method.input_type()),
                    output: full(method.output_type()),
                    client_streaming: method.client_streaming(),
                    server_streaming: method.server_streaming(),
                    deprecated: method.options.is_some_and(|options| options.deprecated()),
                })
                .collect(),
        })
        .collect()
}
