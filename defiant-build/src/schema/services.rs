//! Services, from descriptors.

use std::collections::HashMap;

use defiant::wkt::{FileDescriptorProto, ServiceDescriptorProto};

use super::comments::Locations;
use super::lower::{Lowering, join};
use super::names::{self, Scope};
use crate::error::Error;
use crate::service::Comments;

// Field numbers of descriptor.proto, the steps of a location's path.
const FILE_SERVICE: i32 = 6;
const SERVICE_METHOD: i32 = 2;

#[derive(Debug)]
pub(crate) struct Service {
    pub(crate) proto_name: String,
    pub(crate) ident: String,
    /// A module for what is made of it, which no message and no other service of the package has.
    pub(crate) module: String,
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

/// The Rust names of services, by their full names.
#[derive(Debug, Default)]
pub(super) struct ServiceNames(HashMap<String, Named>);

#[derive(Clone, Debug, Default)]
struct Named {
    ident: String,
    module: String,
}

impl ServiceNames {
    /// Names services of a package. Their modules give way to those of messages and packages.
    pub(super) fn name<'a>(
        &mut self,
        list: impl Iterator<Item = &'a str>,
        package: &str,
        services: &mut Scope,
        modules: &mut Scope,
    ) {
        for name in list {
            let ident = services.claim_type(name);
            let module = modules.claim(names::module(&format!("{ident}_service")));
            self.0.insert(join(package, name), Named { ident, module });
        }
    }
}

impl Lowering<'_> {
    /// The services of a file, in the order of their declaration.
    pub(super) fn services(
        &self,
        file: &FileDescriptorProto<'_>,
        locations: &Locations<'_>,
    ) -> Result<Vec<Service>, Error> {
        (0..)
            .zip(file.service)
            .map(|(index, service)| self.service(service, file.package(), index, locations))
            .collect()
    }

    fn service(
        &self,
        service: &ServiceDescriptorProto<'_>,
        package: &str,
        index: i32,
        locations: &Locations<'_>,
    ) -> Result<Service, Error> {
        let Named { ident, module } =
            self.service_names.0.get(&join(package, service.name())).cloned().unwrap_or_default();
        let (idents, _) = names::fields(service.method.iter().map(|method| method.name()));
        let methods = (0..).zip(service.method.iter().zip(idents)).map(|(at, (method, ident))| {
            Ok(Method {
                proto_name: method.name().to_owned(),
                ident,
                comments: locations.comments(&[FILE_SERVICE, index, SERVICE_METHOD, at]),
                input: self.message_named(method.input_type())?,
                output: self.message_named(method.output_type())?,
                client_streaming: method.client_streaming(),
                server_streaming: method.server_streaming(),
                deprecated: method.options.is_some_and(|options| options.deprecated()),
            })
        });
        Ok(Service {
            proto_name: service.name().to_owned(),
            ident,
            module,
            comments: locations.comments(&[FILE_SERVICE, index]),
            deprecated: service.options.is_some_and(|options| options.deprecated()),
            methods: methods.collect::<Result<_, Error>>()?,
        })
    }

    /// The full name of what a method takes or gives, without a leading dot.
    fn message_named(&self, name: &str) -> Result<String, Error> {
        let full_name = name.strip_prefix('.').unwrap_or(name);
        self.named(full_name)?;
        Ok(full_name.to_owned())
    }
}
