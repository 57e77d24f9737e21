//! The impls of `Send` and `Sync`.
//!
//! A compiler left to itself finds out whether a message is `Send` by looking through its fields, the fields of the
//! messages they refer to, and so on, and gives up at 128 steps: at a chain of some forty messages. An impl for each
//! message ends that at the first reference. That it is true is proven in the same place: the types of all fields are
//! `Send` and `Sync`, given that the messages they refer to are.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::Type;

use super::{allows, private};
use crate::schema::{Item, MapValue, Message, Oneof, Shape};

/// The impls for a message; nothing when it refers to no other.
pub(super) fn of_message(message: &Message) -> TokenStream {
    if message.oneofs.is_empty() && !message.fields.iter().any(|field| refers(field.shape)) {
        return TokenStream::new();
    }
    let runtime = super::runtime(&message.item, Span::call_site());
    let arena = message.item.arena();
    let fields = message.fields.iter().map(|field| &field.ty);
    let oneofs = message.oneofs.iter().map(|oneof| &oneof.ty);
    let parts: Vec<&Type> = fields.chain(oneofs).collect();
    impls(&message.item, &quote!(<#arena>), &parts, &quote!(#runtime::UnknownFields<#arena>))
}

/// The impls for a oneof; nothing when it refers to no message.
pub(super) fn of_oneof(oneof: &Oneof) -> TokenStream {
    let Some(lifetime) = &oneof.item.lifetime else { return TokenStream::new() };
    if !oneof.variants.iter().any(|variant| refers(variant.shape)) {
        return TokenStream::new();
    }
    let parts: Vec<&Type> = oneof.variants.iter().map(|variant| &variant.ty).collect();
    impls(&oneof.item, &quote!(<#lifetime>), &parts, &TokenStream::new())
}

/// Whether a field of this shape refers to messages.
fn refers(shape: Shape) -> bool {
    matches!(shape, Shape::Message { .. } | Shape::Map(_, MapValue::Message))
}

fn impls(item: &Item, generics: &TokenStream, parts: &[&Type], unknown: &TokenStream) -> TokenStream {
    let (ident, allows) = (&item.ident, allows(item));
    let private = private(item, Span::call_site());
    quote! {
        #allows
        #[allow(single_use_lifetimes)]
        const _: () = {
            // SAFETY: `parts` compiles only if every part is `Send` and `Sync`.
            unsafe impl #generics ::core::marker::Send for #ident #generics {}
            unsafe impl #generics ::core::marker::Sync for #ident #generics {}

            #[allow(dead_code)]
            fn parts #generics() {
                #private::are_send_and_sync::<(#(#parts,)* #unknown)>()
            }
        };
    }
}
