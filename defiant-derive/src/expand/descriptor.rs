//! The statics behind `__DESCRIPTOR`, and what descriptors need of a oneof.
//!
//! They are statics because the compiler copies a constant into each unit of code generation that uses it, and a static is there
//! once.
//!
//! The derive emits them with its feature `reflect`, which the runtime's feature of that name turns on. A crate may meet a
//! runtime without the feature, where a build script's runtime has more features than the program's. That runtime has the same
//! names and does nothing.
//!
//! # What the `unsafe` blocks rest on
//!
//! Each block passes `&__m.field` to a function that trusts it to be a field of `__m`. It rests on nothing else, so it is true
//! wherever the path of the runtime leads to. The array that a field's description goes to has the type of the message in its
//! own type, and `__DESCRIPTOR` has the type that the trait states.

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
            let entry = quote!({
                let field = &__m.#ident;
                // SAFETY: a field of the message.
                unsafe { #private::FieldOf::member(__m, field, #literal, #index) }
            });
            (number.value, entry)
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
        quote!({
            let field = &__m.#ident;
            // SAFETY: a field of the message.
            unsafe { #private::OneofOf::new(__m, field, #name, #index) }
        })
    });
    let (oneofs, oneofs_of) = if message.oneofs.is_empty() {
        (TokenStream::new(), quote!(&[]))
    } else {
        let count = Literal::usize_unsuffixed(message.oneofs.len());
        let oneofs = quote! {
            static __ONEOFS: [#private::OneofOf<#ident<'static>>; #count] = {
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
        const __DESCRIPTOR: #private::Address<Self> = {
            static __FIELDS: [#private::FieldOf<#ident<'static>>; #count] = {
                #fields_of
                [#(#entries),*]
            };
            #oneofs
            static __ORDER: [u16; #names] = #private::FieldOf::order(&__FIELDS);
            static __MESSAGE: #private::DescriptorOf<#ident<'static>> = {
                let __m = #default;
                let __unknown = #unknown;
                // SAFETY: the unknown fields of the message.
                let descriptor = unsafe {
                    #private::DescriptorOf::new(__m, __unknown, &__FIELDS, #oneofs_of, &__ORDER)
                };
                descriptor #message_set #reserved
            };
            #private::Address::of(&__MESSAGE)
        };
    }
}

fn entry(message: &Message, field: &Field) -> TokenStream {
    let item = &message.item;
    let (ident, ident_of, ty, span) = (&field.ident, &item.ident, &field.ty, located(field.span));
    let private = private(item, field.span);
    let marker = marker(item, field.shape, field.span);
    let (number, names) = (plain(field.number.value), names(&private, &field.name, &field.json_name()));
    let eternal = eternal(quote_spanned!(span=> #ty), item);
    // A codec states itself that it is required.
    let required = matches!(field.shape, Shape::Message { .. } | Shape::Lazy(_)) && field.shape.is_required();
    let required = required.then(|| quote!(.required()));
    let redacted = field.redacted.then(|| quote!(.redacted()));
    // The unsafe block holds one call. The expression of a default, which is the user's, and the names stand outside.
    let (new, declared, default) = match &field.default {
        Some(default) => (
            quote!(with_default),
            Some(
                quote_spanned!(span=> let default = const { &#private::FieldOf::<#ident_of<'static>>::value::<#marker, #eternal>(#default) };),
            ),
            Some(quote!(, default)),
        ),
        None => (quote!(new), None, None),
    };
    quote_spanned! {span=>
        {
            let field = &__m.#ident;
            let names = #names;
            #declared
            // SAFETY: a field of the message.
            let described = unsafe {
                #private::FieldOf::#new::<#marker, _>(__m, field, #number, names #default)
            };
            described #required #redacted
        }
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
        const __DESCRIPTOR: &'static #private::EnumOf<Self> = {
            static __ENUM: #private::EnumOf<#ident> = #private::EnumOf::new();
            &__ENUM
        };
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
    let of = |variant: &OneofVariant| {
        let (span, ty) = (located(variant.span), &variant.ty);
        let marker = marker(item, variant.shape, variant.span);
        quote_spanned!(span=> <#marker, #ty>)
    };
    let gets = oneof.variants.iter().map(|variant| {
        let (ident, number, of) = (&variant.ident, plain(variant.number.value), of(variant));
        quote!(Self::#ident(value) => (#number, #private::Raw::of::#of(value)),)
    });
    let sets = oneof.variants.iter().map(|variant| {
        let (ident, number, of) = (&variant.ident, plain(variant.number.value), of(variant));
        // SAFETY: the caller promises that a message has the type of the member.
        quote!(#number => unsafe { value.into_value::#of() }.map(Self::#ident),)
    });
    quote! {
        const __MEMBERS: &'static [#private::Member] = &[#(#members),*];

        fn __get(&self) -> (u32, #private::Raw<#arena>) {
            match self {
                #(#gets)*
            }
        }

        unsafe fn __set(number: u32, value: #private::Raw<#arena>) -> ::core::option::Option<Self> {
            match number {
                #(#sets)*
                _ => ::core::option::Option::None,
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
