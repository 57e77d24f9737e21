//! What descriptors are made of: the constants `DESCRIPTOR` and `__FIELDS` of a message, and what they need of a oneof.
//!
//! None of it is there unless this crate has its feature `reflect`, which the runtime's feature of that name turns on. A crate
//! may meet a runtime without it all the same, where a build script's runtime has fewer features than the program's: so all of
//! it stands in `reflected! { .. }`, which is nothing then.

use proc_macro2::{Literal, Span, TokenStream};
use quote::{quote, quote_spanned};

use super::shape::marker;
use super::{located, plain, private, runtime};
use crate::schema::{Field, Message, Oneof, OneofVariant, Shape};

/// Whether descriptors are made; tests look at them.
const ENABLED: bool = cfg!(any(feature = "reflect", test));

/// The constants of the impl of `Message`.
pub(super) fn of_message(message: &Message) -> TokenStream {
    if !ENABLED {
        return TokenStream::new();
    }
    let item = &message.item;
    let (ident, arena) = (&item.ident, item.arena());
    let (runtime, private) = (runtime(item, Span::call_site()), private(item, Span::call_site()));
    let mut entries: Vec<(u32, TokenStream)> =
        message.fields.iter().map(|field| (field.number.value, entry(message, field))).collect();
    for (index, oneof) in message.oneofs.iter().enumerate() {
        let (ident, index) = (&oneof.ident, Literal::usize_unsuffixed(index));
        entries.extend(oneof.numbers.iter().map(|number| {
            let literal = plain(number.value);
            (number.value, quote!(#private::describe_member(m, &m.#ident, #literal, #index)))
        }));
    }
    entries.sort_by_key(|(number, _)| *number);
    let names = Literal::usize_unsuffixed(2 * entries.len());
    let default = (!entries.is_empty()).then(|| quote!(let m = &<Self as #runtime::Message<#arena>>::DEFAULT;));
    let entries = entries.iter().map(|(_, entry)| entry);
    let oneofs = message.oneofs.iter().enumerate().map(|(index, oneof)| {
        let (name, index) = (&oneof.name, Literal::usize_unsuffixed(index));
        quote!(#private::describe_oneof(#name, #index))
    });
    let unknown = &message.unknown;
    let unknown = quote_spanned!(located(unknown.span())=> &m.#unknown);
    let message_set = message.message_set.then(|| quote!(.message_set()));
    let reserved = &message.reserved;
    let reserved = (!reserved.is_empty()).then(|| quote!(.reserved(&[#(#reserved),*])));
    quote! {
        #private::reflected! {
            const __FIELDS: &'static [#private::FieldDescriptor] = {
                #default
                &[#(#entries),*]
            };

            const DESCRIPTOR: &'static #private::MessageDescriptor = {
                let m = &<Self as #runtime::Message<#arena>>::DEFAULT;
                &#private::describe_message::<Self>(
                    m,
                    #unknown,
                    const { &[#(#oneofs),*] },
                    const { &#private::order::<#names>(<Self as #runtime::Message<#arena>>::__FIELDS) },
                    ::core::any::TypeId::of::<#ident<'static>>,
                )#message_set #reserved
            };
        }
    }
}

fn entry(message: &Message, field: &Field) -> TokenStream {
    let item = &message.item;
    let (ident, ty, span) = (&field.ident, &field.ty, located(field.span));
    let private = private(item, field.span);
    let marker = marker(item, field.shape, field.span);
    let (number, name) = (plain(field.number.value), &field.name);
    let (json_name, json_key) = (field.json_name(), json_key(&field.json_name()));
    let default = field
        .default
        .as_ref()
        .map(|default| quote_spanned!(span=> .with_default::<#marker, #ty>(const { &#private::value::<#marker, #ty>(#default) })));
    // A codec says itself that it is required.
    let required = matches!(field.shape, Shape::Message { .. } | Shape::Lazy(_)) && field.shape.is_required();
    let required = required.then(|| quote!(.required()));
    let redacted = field.redacted.then(|| quote!(.redacted()));
    quote_spanned! {span=>
        #private::describe_field::<#marker, #ty>(m, &m.#ident, #number, #name, #json_name, #json_key)
            #default #required #redacted
    }
}

/// The items of the impl of `Oneof`.
pub(super) fn of_oneof(oneof: &Oneof) -> TokenStream {
    if !ENABLED {
        return TokenStream::new();
    }
    let item = &oneof.item;
    let arena = item.arena();
    let private = private(item, Span::call_site());
    let members = oneof.variants.iter().map(|variant| {
        let (span, ty) = (located(variant.span), &variant.ty);
        let marker = marker(item, variant.shape, variant.span);
        let (number, name) = (plain(variant.number.value), &variant.name);
        let (json_name, json_key) = (variant.json_name(), json_key(&variant.json_name()));
        let redacted = variant.redacted.then(|| quote!(.redacted()));
        quote_spanned! {span=>
            #private::Member::new::<#marker, ::core::option::Option<#ty>>(#number, #name, #json_name, #json_key) #redacted
        }
    });
    let via = |variant: &OneofVariant| {
        let (span, ty) = (located(variant.span), &variant.ty);
        let marker = marker(item, variant.shape, variant.span);
        quote_spanned!(span=> <#marker as #private::Membered<#arena, #ty>>)
    };
    let gets = oneof.variants.iter().map(|variant| {
        let (ident, number, via) = (&variant.ident, plain(variant.number.value), via(variant));
        quote!(Self::#ident(value) => (#number, #via::raw(value)),)
    });
    let sets = oneof.variants.iter().map(|variant| {
        let (ident, number, via) = (&variant.ident, plain(variant.number.value), via(variant));
        quote!(#number => #via::from_raw(value).map(Self::#ident),)
    });
    quote! {
        #private::reflected! {
            const __MEMBERS: &'static [#private::Member] = &[#(#members),*];

            fn __get(&self) -> (u32, #private::Raw<#arena>) {
                match self {
                    #(#gets)*
                }
            }

            fn __set(number: u32, value: #private::Raw<#arena>) -> ::core::option::Option<Self> {
                match number {
                    #(#sets)*
                    _ => ::core::option::Option::None,
                }
            }
        }
    }
}

/// The name as the key of an object, with its colon.
fn json_key(name: &str) -> String {
    let mut key = String::from("\"");
    for character in name.chars() {
        match character {
            '"' => key.push_str("\\\""),
            '\\' => key.push_str("\\\\"),
            control if control < ' ' => key.push_str(&format!("\\u{:04x}", u32::from(control))),
            other => key.push(other),
        }
    }
    key.push_str("\":");
    key
}

#[cfg(test)]
mod tests {
    use super::json_key;

    #[test]
    fn keys_are_escaped() {
        assert_eq!(json_key("homeAddress"), "\"homeAddress\":");
        assert_eq!(json_key("a\"b\\c\n"), "\"a\\\"b\\\\c\\u000a\":");
    }
}
