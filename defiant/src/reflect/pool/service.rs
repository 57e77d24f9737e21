//! Services: names, methods, and what these take and give.
#![expect(unsafe_code, reason = "refers to descriptors that live as long as the pool")]

use core::fmt;
use core::ptr::NonNull;

use alloc::vec::Vec;

use super::collect::{Collected, is_identifier};
use super::{PoolError, Symbol};
use crate::descriptor::MessageDescriptor;
use crate::reflect::make::Memory;
use crate::wkt::ServiceDescriptorProto;

/// A service of a [`DescriptorPool`](super::DescriptorPool).
pub struct ServiceDescriptor {
    name: &'static str,
    file: &'static str,
    proto: &'static ServiceDescriptorProto<'static>,
    methods: &'static [MethodDescriptor],
}

/// A method of a service.
///
/// Invariant: the descriptors live as long as this.
pub struct MethodDescriptor {
    name: &'static str,
    input: NonNull<MessageDescriptor>,
    output: NonNull<MessageDescriptor>,
    client_streaming: bool,
    server_streaming: bool,
}

// SAFETY: descriptors are not written to.
unsafe impl Send for MethodDescriptor {}
// SAFETY: as above.
unsafe impl Sync for MethodDescriptor {}

impl ServiceDescriptor {
    /// Full name: package, name.
    #[must_use]
    pub fn full_name(&self) -> &str {
        self.name
    }

    /// The name without the package.
    #[must_use]
    pub fn name(&self) -> &str {
        self.name.rsplit('.').next().unwrap_or(self.name)
    }

    /// The file that declares it.
    #[must_use]
    pub fn file(&self) -> &str {
        self.file
    }

    /// The declaration, as it was added.
    #[must_use]
    pub fn proto(&self) -> &ServiceDescriptorProto<'_> {
        self.proto
    }

    /// The methods, as declared.
    #[must_use]
    pub fn methods(&self) -> &[MethodDescriptor] {
        self.methods
    }

    /// The method of a name.
    #[must_use]
    pub fn method(&self, name: &str) -> Option<&MethodDescriptor> {
        self.methods.iter().find(|method| method.name == name)
    }
}

impl MethodDescriptor {
    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.name
    }

    /// The type of the request.
    #[must_use]
    pub fn input(&self) -> &MessageDescriptor {
        // SAFETY: the invariant.
        unsafe { self.input.as_ref() }
    }

    /// The type of the response.
    #[must_use]
    pub fn output(&self) -> &MessageDescriptor {
        // SAFETY: the invariant.
        unsafe { self.output.as_ref() }
    }

    /// Whether there may be several requests.
    #[must_use]
    pub fn is_client_streaming(&self) -> bool {
        self.client_streaming
    }

    /// Whether there may be several responses.
    #[must_use]
    pub fn is_server_streaming(&self) -> bool {
        self.server_streaming
    }
}

impl fmt::Debug for ServiceDescriptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServiceDescriptor").field("full_name", &self.name).field("methods", &self.methods).finish()
    }
}

impl fmt::Debug for MethodDescriptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MethodDescriptor")
            .field("name", &self.name)
            .field("input", &self.input().full_name())
            .field("output", &self.output().full_name())
            .finish_non_exhaustive()
    }
}

/// Makes the services that were collected, whose messages are made.
pub(super) fn make(
    collected: &Collected<'_>,
    memory: &mut Memory,
) -> Result<Vec<(&'static str, NonNull<ServiceDescriptor>)>, PoolError> {
    let mut made = Vec::with_capacity(collected.services.len());
    for service in &collected.services {
        let error = |method: &str, reason: &dyn fmt::Display| {
            PoolError::new(service.file, format_args!("service {}, method {method}", service.name), reason)
        };
        let mut methods = Vec::with_capacity(service.proto.method.len());
        for method in service.proto.method {
            let name = method.name.unwrap_or("");
            if !is_identifier(name) {
                return Err(error(name, &format_args!("{name:?} is no name of a method")));
            }
            let message = |ty: &str| match collected.resolve(service.name, ty) {
                Some(Symbol::Message(symbol)) => Ok(symbol.descriptor),
                Some(_) => Err(error(name, &format_args!("{ty:?} is no message"))),
                None => Err(error(name, &format_args!("type {ty:?} is not in the pool"))),
            };
            methods.push(MethodDescriptor {
                name,
                input: message(method.input_type())?,
                output: message(method.output_type())?,
                client_streaming: method.client_streaming(),
                server_streaming: method.server_streaming(),
            });
        }
        let mut names: Vec<&str> = methods.iter().map(|method| method.name).collect();
        names.sort_unstable();
        if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(error(pair[0], &"two methods have this name"));
        }
        let methods = memory.slice(methods)?;
        let descriptor = ServiceDescriptor { name: service.name, file: service.file, proto: service.proto, methods };
        made.push((service.name, memory.value(descriptor)?));
    }
    Ok(made)
}
