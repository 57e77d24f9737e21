//! What a server calls.

use crate::exchange::Exchange;
use crate::status::Status;

/// Services, by name. `defiant_build::ServiceTraits` generates it for each; a tuple of services is all of them.
#[allow(async_fn_in_trait, reason = "a call stays on its thread")]
pub trait Service {
    /// Whether it is this service, or one of these, given the full name: `tutorial.Search`.
    fn has(&self, service: &str) -> bool;

    /// Calls a method.
    ///
    /// # Errors
    /// What the method says, or that there is none of this name.
    async fn call(&self, service: &str, method: &str, exchange: Exchange) -> Result<(), Status>;
}

macro_rules! tuples {
    ($($($name:ident)*;)*) => {$(
        impl<$($name: Service),*> Service for ($($name,)*) {
            fn has(&self, service: &str) -> bool {
                #[allow(non_snake_case, reason = "named after their types")]
                let ($($name,)*) = self;
                $($name.has(service))||*
            }

            async fn call(&self, service: &str, method: &str, exchange: Exchange) -> Result<(), Status> {
                #[allow(non_snake_case, reason = "named after their types")]
                let ($($name,)*) = self;
                $(
                    if $name.has(service) {
                        return $name.call(service, method, exchange).await;
                    }
                )*
                Err(Status::unimplemented(format!("no service {service}")))
            }
        }
    )*};
}

tuples! {
    A;
    A B;
    A B C;
    A B C D;
    A B C D E;
    A B C D E F;
}
