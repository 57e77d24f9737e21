//! What extensions need of a message: its type apart from the lifetime, and its unknown fields.

use proc_macro2::{Span, TokenStream};
use quote::quote;

use super::{allows, private, runtime};
use crate::schema::Message;

/// The impl of `MessageFamily`.
pub(super) fn family(message: &Message) -> TokenStream {
    let item = &message.item;
    let (ident, unknown) = (&item.ident, &message.unknown);
    let runtime = runtime(item, Span::call_site());
    let private = private(item, Span::call_site());
    let allows = allows(item);
    let message_set = message.message_set.then(|| {
        quote!(
            const MESSAGE_SET: bool = true;
        )
    });
    quote! {
        #[automatically_derived]
        #allows
        impl #private::MessageFamily for #ident<'static> {
            type In<'arena> = #ident<'arena>;

            #message_set

            #[inline]
            fn __unknown<'m, 'arena>(message: &'m Self::In<'arena>) -> &'m #runtime::UnknownFields<'arena> {
                &message.#unknown
            }

            #[inline]
            fn __unknown_mut<'m, 'arena>(
                message: &'m mut Self::In<'arena>,
            ) -> &'m mut #runtime::UnknownFields<'arena> {
                &mut message.#unknown
            }
        }
    }
}
