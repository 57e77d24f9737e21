//! The table of a message that is optimized for code size.

use proc_macro2::{Literal, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned as _;

use super::shape::{codec, marker};
use super::{allows, located, plain, private, respan, runtime};
use crate::schema::{Field, Message, OneofField, Shape};

/// The greatest field number that is found without a search. A message of few fields and one of so great a number has a
/// table of as many bytes for it.
const INDEXED: u32 = 255;

/// The impl of `__private::Tabled`.
pub(super) fn table(message: &Message) -> TokenStream {
    let item = &message.item;
    let (ident, arena, unknown) = (&item.ident, item.arena(), &message.unknown);
    let (runtime, private) = (runtime(item, Span::call_site()), private(item, Span::call_site()));
    let allows = allows(item);
    let mut entries: Vec<(u32, TokenStream)> = Vec::new();
    let mut required = 0;
    for field in &message.fields {
        let mut entry = field_entry(message, field);
        if field.shape.is_required() {
            let index = plain(required);
            entry = quote!(#entry.required(#index));
            required += 1;
        }
        entries.push((field.number.value, entry));
    }
    for oneof in &message.oneofs {
        entries.extend(oneof_entries(message, oneof));
    }
    entries.sort_by_key(|(number, _)| *number);
    let last = entries.last().map_or(0, |(number, _)| *number);
    let numbers = Literal::usize_unsuffixed(if last == 0 { 0 } else { last.min(INDEXED) as usize + 1 });
    let entries = entries.iter().map(|(_, entry)| entry);
    let default = (entries.len() > 0).then(|| quote!(let __m = &<Self as #runtime::Message<#arena>>::DEFAULT;));
    let words = Literal::usize_unsuffixed(required.div_ceil(64).max(1) as usize);
    let required = plain(required);
    let message_set = message.message_set.then(|| quote!(.message_set()));
    let unknown = quote_spanned!(located(unknown.span())=> &__m.#unknown);
    quote! {
        #[automatically_derived]
        #allows
        // SAFETY: the entries are those of every field and of every member.
        unsafe impl<#arena> #private::Tabled<#arena> for #ident<#arena> {
            const FIELDS: &#arena [#private::Entry<#arena, Self>] = {
                #default
                &[#(#entries),*]
            };
            const INDEX: &#arena [u8] = &#private::index::<Self, #numbers>();
            const CLASS: &#arena #private::Class<#arena, Self> = {
                let __m = &<Self as #runtime::Message<#arena>>::DEFAULT;
                let __unknown = #unknown;
                // SAFETY: the unknown fields of the message.
                &unsafe { #private::Class::new::<#words>(__m, __unknown, #required) } #message_set
            };
        }
    }
}

fn field_entry(message: &Message, field: &Field) -> TokenStream {
    let item = &message.item;
    let ident = &field.ident;
    let tag = plain(field.number.value << 3 | field.shape.wire_type());
    let span = located(field.span);
    let private = private(item, field.span);
    let (constructor, marker) = match field.shape {
        Shape::Required(partial) if partial.is_partial() => ("partial", codec(item, partial, field.span)),
        Shape::Repeated { codec, .. } if codec.is_packable() => ("packable", marker(item, field.shape, field.span)),
        Shape::Message { inline: false, .. } => ("message", marker(item, field.shape, field.span)),
        shape => ("field", marker(item, shape, field.span)),
    };
    let constructor = proc_macro2::Ident::new(constructor, span);
    quote_spanned!(span=> {
        let field = &__m.#ident;
        // SAFETY: a field of the message.
        unsafe { #private::Entry::#constructor::<#marker, _>(__m, field, #tag) }
    })
}

fn oneof_entries(message: &Message, oneof: &OneofField) -> impl Iterator<Item = (u32, TokenStream)> {
    let private = private(&message.item, Span::call_site());
    let ident = oneof.ident.clone();
    oneof.numbers.iter().enumerate().map(move |(index, number)| {
        let literal = plain(number.value);
        let constructor = if index == 0 { quote!(first_member) } else { quote!(member) };
        let entry = quote!({
            let field = &__m.#ident;
            // SAFETY: a field of the message.
            unsafe { #private::Entry::#constructor(__m, field, #literal) }
        });
        (number.value, entry)
    })
}

/// The body of `__merge`.
pub(super) fn merge() -> TokenStream {
    quote!(at.merge_by_table(self, cx, scope))
}

/// The body of `__encode`.
pub(super) fn encode(message: &Message) -> TokenStream {
    let private = private(&message.item, Span::call_site());
    // Names the enum of the attribute, so that a wrong path is an error at the path.
    let named = message.oneofs.iter().filter_map(|oneof| {
        let (path, ident) = (oneof.path.as_ref()?, &oneof.ident);
        let span = path.span();
        let path = respan(quote!(#path), span);
        let check = quote_spanned!(located(span)=> let _: &#path = oneof;);
        Some(quote!(if let ::core::option::Option::Some(oneof) = &self.#ident { #check }))
    });
    quote! {
        #(#named)*
        #private::encode_by_table(self, sink)
    }
}
