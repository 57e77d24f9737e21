//! The impls of `Send` and `Sync`.
//!
//! The compiler finds out whether a message is `Send` by looking through its fields, the fields of the messages they refer to,
//! and so on. It gives up at 128 steps: at a chain of some forty messages. An impl for each message ends that at the first
//! reference.
//!
//! The proof stands beside the impls: a function borrows every field of the message and requires its type to be `Send` and
//! `Sync`, given that the messages it refers to are. It names nothing by the path of the runtime, which `crate = "…"` may
//! redirect to a module with other items.

use proc_macro2::TokenStream;
use quote::quote;

use super::allows;
use crate::schema::{Item, MapValue, Message, Oneof, Shape};

/// The impls for a message; nothing when it refers to no other.
pub(super) fn of_message(message: &Message) -> TokenStream {
    if message.oneofs.is_empty() && !message.fields.iter().any(|field| refers(field.shape)) {
        return TokenStream::new();
    }
    let arena = message.item.arena();
    let fields = message.fields.iter().map(|field| &field.ident);
    let oneofs = message.oneofs.iter().map(|oneof| &oneof.ident);
    let parts = fields.chain(oneofs).chain([&message.unknown]);
    let checks = quote!(#(check(&whole.#parts);)*);
    impls(&message.item, &quote!(<#arena>), &checks)
}

/// The impls for a oneof; nothing when it refers to no message.
pub(super) fn of_oneof(oneof: &Oneof) -> TokenStream {
    let Some(lifetime) = &oneof.item.lifetime else { return TokenStream::new() };
    if !oneof.variants.iter().any(|variant| refers(variant.shape)) {
        return TokenStream::new();
    }
    let ident = &oneof.item.ident;
    let arms = oneof.variants.iter().map(|variant| {
        let variant = &variant.ident;
        quote!(#ident::#variant(part) => check(part),)
    });
    let checks = quote!(match whole { #(#arms)* });
    impls(&oneof.item, &quote!(<#lifetime>), &checks)
}

/// Whether a field of this shape refers to messages.
fn refers(shape: Shape) -> bool {
    matches!(shape, Shape::Message { .. } | Shape::Map(_, MapValue::Message))
}

/// The impls, and the function that proves them with `checks` of every part of `whole`.
fn impls(item: &Item, generics: &TokenStream, checks: &TokenStream) -> TokenStream {
    let (ident, allows) = (&item.ident, allows(item));
    quote! {
        #allows
        #[allow(single_use_lifetimes)]
        const _: () = {
            // SAFETY: `parts` compiles only if every part is `Send` and `Sync`.
            unsafe impl #generics ::core::marker::Send for #ident #generics {}
            unsafe impl #generics ::core::marker::Sync for #ident #generics {}

            #[allow(dead_code)]
            fn parts #generics(whole: &#ident #generics) {
                fn check<__Part: ::core::marker::Send + ::core::marker::Sync>(_: &__Part) {}
                #checks
            }
        };
    }
}
