//! What descriptors are made of: the statics behind `__DESCRIPTOR`, and what they need of a oneof.
//!
//! Statics, because a constant is there once in each unit of code generation that uses it, and a static once.
//!
//! None of it is there unless this crate has its feature `reflect`, which the runtime's feature of that name turns on. A crate
//! may meet a runtime without it all the same, where a build script's runtime has fewer features than the program's: so all of
//! it stands in `reflected! { .. }`, which is nothing then.

use proc_macro2::{Group, Ident, Literal, Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};

use super::shape::marker;
use super::{located, plain, private, runtime};
use crate::schema::{Field, Item, Message, Oneof, OneofVariant, Shape};

/// Whether descriptors are made; tests look at them.
const ENABLED: bool = cfg!(any(feature = "reflect", test));

/// The constants of the impl of `Message`.
pub(super) fn of_message(message: &Message) -> TokenStream {
    if !ENABLED {
        return TokenStream::new();
    }
    let item = &message.item;
    let ident = &item.ident;
    let (runtime, private) = (runtime(item, Span::call_site()), private(item, Span::call_site()));
    let mut entries: Vec<(u32, TokenStream)> =
        message.fields.iter().map(|field| (field.number.value, entry(message, field))).collect();
    for (index, oneof) in message.oneofs.iter().enumerate() {
        let (ident, index) = (&oneof.ident, Literal::usize_unsuffixed(index));
        entries.extend(oneof.numbers.iter().map(|number| {
            let literal = plain(number.value);
            (number.value, quote!(#private::describe_member(__m, &__m.#ident, #literal, #index)))
        }));
    }
    entries.sort_by_key(|(number, _)| *number);
    let names = Literal::usize_unsuffixed(2 * entries.len());
    let count = Literal::usize_unsuffixed(entries.len());
    let default = quote!(&<#ident<'static> as #runtime::Message<'static>>::DEFAULT);
    let fields_of = (!entries.is_empty()).then(|| quote!(let __m = #default;));
    let entries = entries.iter().map(|(_, entry)| entry);
    let oneofs = message.oneofs.iter().enumerate().map(|(index, oneof)| {
        let (ident, name, index) = (&oneof.ident, &oneof.name, Literal::usize_unsuffixed(index));
        quote!(#private::describe_oneof(&__m.#ident, #name, #index))
    });
    let (oneofs, oneofs_of) = if message.oneofs.is_empty() {
        (TokenStream::new(), quote!(&[]))
    } else {
        let count = Literal::usize_unsuffixed(message.oneofs.len());
        let oneofs = quote! {
            static __ONEOFS: [#private::OneofDescriptor; #count] = {
                let __m = #default;
                [#(#oneofs),*]
            };
        };
        (oneofs, quote!(&__ONEOFS))
    };
    let unknown = &message.unknown;
    let unknown = quote_spanned!(located(unknown.span())=> &__m.#unknown);
    let message_set = message.message_set.then(|| quote!(.message_set()));
    let reserved = &message.reserved;
    let reserved = (!reserved.is_empty()).then(|| quote!(.reserved(&[#(#reserved),*])));
    quote! {
        #private::reflected! {
            const __DESCRIPTOR: #private::Address<Self> = {
                static __FIELDS: [#private::FieldDescriptor; #count] = {
                    #fields_of
                    [#(#entries),*]
                };
                #oneofs
                static __ORDER: [u16; #names] = #private::order(&__FIELDS);
                static __MESSAGE: #private::MessageDescriptor = {
                    let __m = #default;
                    #private::describe_message(
                        __m,
                        #unknown,
                        &__FIELDS,
                        #oneofs_of,
                        &__ORDER,
                        ::core::any::TypeId::of::<#ident<'static>>,
                    )#message_set #reserved
                };
                // SAFETY: made of this message's own fields.
                unsafe { #private::Address::of(&__MESSAGE) }
            };
        }
    }
}

fn entry(message: &Message, field: &Field) -> TokenStream {
    let item = &message.item;
    let (ident, ty, span) = (&field.ident, &field.ty, located(field.span));
    let private = private(item, field.span);
    let marker = marker(item, field.shape, field.span);
    let (number, names) = (plain(field.number.value), names(&private, &field.name, &field.json_name()));
    let eternal = eternal(quote_spanned!(span=> #ty), item);
    let default = field
        .default
        .as_ref()
        .map(|default| quote_spanned!(span=> .with_default::<#marker, #eternal>(const { &#private::value::<#marker, #eternal>(#default) })));
    // A codec says itself that it is required.
    let required = matches!(field.shape, Shape::Message { .. } | Shape::Lazy(_)) && field.shape.is_required();
    let required = required.then(|| quote!(.required()));
    let redacted = field.redacted.then(|| quote!(.redacted()));
    quote_spanned! {span=>
        #private::describe_field::<#marker, #eternal>(__m, &__m.#ident, #number, #names)
            #default #required #redacted
    }
}

/// A type with the lifetime `'static` in place of the arena's: statics know no other.
fn eternal(ty: TokenStream, item: &Item) -> TokenStream {
    let Some(arena) = &item.lifetime else { return ty };
    let mut tokens = ty.into_iter().peekable();
    let mut eternal = TokenStream::new();
    while let Some(token) = tokens.next() {
        let is_lifetime = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '\'');
        eternal.extend([match token {
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), self::eternal(group.stream(), item));
                inner.set_span(group.span());
                TokenTree::Group(inner)
            }
            other => other,
        }]);
        if is_lifetime {
            if let Some(TokenTree::Ident(name)) = tokens.peek() {
                if *name == arena.ident {
                    eternal.extend([TokenTree::Ident(Ident::new("static", name.span()))]);
                    tokens.next();
                }
            }
        }
    }
    eternal
}

/// The constant of the impl of `Enumeration`.
pub(super) fn of_enumeration(item: &Item) -> TokenStream {
    if !ENABLED {
        return TokenStream::new();
    }
    let (ident, private) = (&item.ident, private(item, Span::call_site()));
    quote! {
        #private::reflected! {
            const __DESCRIPTOR: &'static #private::EnumOf<Self> = {
                static __ENUM: #private::EnumOf<#ident> = #private::EnumOf::new();
                &__ENUM
            };
        }
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
        let (number, names) = (plain(variant.number.value), names(&private, &variant.name, &variant.json_name()));
        let redacted = variant.redacted.then(|| quote!(.redacted()));
        quote_spanned! {span=>
            #private::Member::new::<#marker, ::core::option::Option<#ty>>(#number, #names) #redacted
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

/// The names of a field in one text, as `descriptor/names.rs` of the runtime says.
fn names(private: &TokenStream, name: &str, json_name: &str) -> TokenStream {
    let (text, [key, name, json]) = text_of(name, json_name);
    let [key, name, json] = [key, name, json].map(Literal::usize_unsuffixed);
    quote!(#private::Names::new(#text, #key, #name, #json))
}

/// The text, and how many bytes of it are the key, the name, and the JSON name.
fn text_of(name: &str, json_name: &str) -> (String, [usize; 3]) {
    let mut text = String::from(",\"");
    for character in json_name.chars() {
        match character {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            control if control < ' ' => text.push_str(&format!("\\u{:04x}", u32::from(control))),
            other => text.push(other),
        }
    }
    text.push_str("\":");
    let key = text.len();
    let plain = key == json_name.len() + 4;
    let name = if plain && name == json_name { "" } else { name };
    let json = if plain { "" } else { json_name };
    text.push_str(name);
    text.push_str(json);
    let blocks = match key {
        0..=16 => 16,
        17..=32 => 32,
        long => long,
    };
    text.extend(std::iter::repeat_n(' ', blocks.saturating_sub(text.len())));
    (text, [key, name.len(), json.len()])
}

#[cfg(test)]
mod tests {
    use super::text_of;

    #[test]
    fn names_are_one_text() {
        let of = |name, json| text_of(name, json);
        assert_eq!(of("home_address", "homeAddress"), (",\"homeAddress\":home_address".into(), [15, 12, 0]));
        assert_eq!(of("id", "id"), (",\"id\":          ".into(), [6, 0, 0]));
        assert_eq!(of("a", "a\"b\\c\n"), (",\"a\\\"b\\\\c\\u000a\":aa\"b\\c\n        ".into(), [17, 1, 6]));
    }
}
