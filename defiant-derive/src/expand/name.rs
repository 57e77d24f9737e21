//! The impl of `defiant::Name`.

use proc_macro2::{Span, TokenStream};
use quote::quote;

use super::{allows, runtime};
use crate::schema::Message;

/// Package, name and domain, as the attributes say.
pub(super) fn name(message: &Message) -> TokenStream {
    let item = &message.item;
    let (ident, full_name, allows) = (&item.ident, &item.name, allows(item));
    let runtime = runtime(item, Span::call_site());
    let (package, name) = message.name.split(full_name);
    let domain = message.name.domain.as_ref().map(|domain| quote!(const TYPE_URL_DOMAIN: &'static str = #domain;));
    quote! {
        #[automatically_derived]
        #allows
        impl #runtime::Name for #ident<'_> {
            const PACKAGE: &'static str = #package;
            const NAME: &'static str = #name;
            #domain

            #[inline]
            fn full_name() -> &'static str {
                #full_name
            }
        }
    }
}
