//! The message type apart from its lifetime, for `Owned` and for extensions: how its lifetime shortens, and its unknown fields.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt as _;

use super::{allows, private, runtime};
use crate::schema::Message;

/// The type that stands for the message without its lifetime, which has no name outside of here, and the way to it.
pub(super) fn family(message: &Message) -> TokenStream {
    let item = &message.item;
    let (ident, visibility, unknown) = (&item.ident, &item.visibility, &message.unknown);
    let runtime = runtime(item, Span::call_site());
    let private = private(item, Span::call_site());
    let allows = allows(item);
    let family = format_ident!("{}Family", ident.unraw(), span = Span::call_site());
    let message_set = message.message_set.then(|| {
        quote!(
            const MESSAGE_SET: bool = true;
        )
    });
    quote! {
        #allows
        const _: () = {
            #[doc(hidden)]
            #[allow(
                dead_code, missing_copy_implementations, missing_debug_implementations, unnameable_types, unreachable_pub
            )]
            #visibility struct #family;

            impl #private::MessageFamily for #family {
                type In<'arena> = #ident<'arena>;
                type Family = #family;

                #message_set

                #[inline]
                fn __shorten<'short, 'long: 'short>(message: &'short Self::In<'long>) -> &'short Self::In<'short> {
                    message
                }

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

            impl #private::OfFamily for #ident<'_> {
                type Family = #family;
            }
        };
    }
}
