//! Services as their generator gets them.

use super::Generator;
use crate::schema::{self, File};
use crate::service::{Comments, Method, Service};

impl Generator<'_> {
    /// The services of a file, with Rust paths as seen from the modules of its package.
    pub(super) fn services(&self, file: &File) -> Vec<Service> {
        let modules = schema::package_modules(&file.package);
        let outer = if file.package.is_empty() { String::new() } else { format!(".{}", file.package) };
        let describe = |service: &schema::Service| {
            let path = format!("{outer}.{}", service.proto_name);
            Service {
                name: service.ident.clone(),
                module: service.module.clone(),
                proto_name: service.proto_name.clone(),
                package: file.package.clone(),
                comments: self.comments(&path, &service.comments),
                methods: service
                    .methods
                    .iter()
                    .map(|method| Method {
                        name: method.ident.clone(),
                        proto_name: method.proto_name.clone(),
                        comments: self.comments(&format!("{path}.{}", method.proto_name), &method.comments),
                        input_type: self.path(&method.input, &modules),
                        output_type: self.path(&method.output, &modules),
                        input_proto_type: format!(".{}", method.input),
                        output_proto_type: format!(".{}", method.output),
                        client_streaming: method.client_streaming,
                        server_streaming: method.server_streaming,
                        deprecated: method.deprecated,
                    })
                    .collect(),
                deprecated: service.deprecated,
            }
        };
        file.services.iter().map(describe).collect()
    }

    fn comments(&self, path: &str, comments: &Comments) -> Comments {
        if self.comments_disabled(path) { Comments::default() } else { comments.clone() }
    }
}
