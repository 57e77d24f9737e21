//! Accessors: the value of a field with explicit presence, or its default.

use std::collections::HashSet;

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::{Expr, Ident};

use super::call::unset;
use super::shape::via;
use super::{allows, located, plain, private, renamed, runtime};
use crate::schema::{Cardinality, Codec, Field, Message, Shape};

/// What an accessor must not shadow: the methods of `defiant::Message` and of the traits it builds on.
pub(super) const RESERVED: &[&str] = &[
    "__encode",
    "__field",
    "__merge",
    "clone",
    "clone_from",
    "decode",
    "decode_borrowed",
    "decode_buf",
    "decode_length_delimited",
    "default",
    "default_ref",
    "encode",
    "encode_in",
    "encode_length_delimited",
    "encode_to_vec",
    "encoded_len",
    "eq",
    "fmt",
    "merge",
    "ne",
    "try_encode_in",
];

/// The inherent impl with all accessors; nothing when there are none.
pub(super) fn accessors(message: &Message) -> TokenStream {
    let with_accessor: Vec<&Field> = message.fields.iter().filter(|field| has_accessor(field)).collect();
    if with_accessor.is_empty() {
        return TokenStream::new();
    }
    let mut taken: HashSet<String> =
        with_accessor.iter().map(|field| field.ident.unraw().to_string()).filter(|name| !is_reserved(name)).collect();
    let methods = with_accessor.into_iter().map(|field| accessor(message, field, &mut taken));
    let item = &message.item;
    let (ident, arena, allows) = (&item.ident, item.arena(), allows(item));
    quote! {
        #[automatically_derived]
        #allows
        #[allow(dead_code, clippy::len_without_is_empty)]
        impl<#arena> #ident<#arena> {
            #(#methods)*
        }
    }
}

fn has_accessor(field: &Field) -> bool {
    match field.shape {
        Shape::Optional(_) => true,
        Shape::Message { cardinality, .. } | Shape::Lazy(cardinality) => cardinality != Cardinality::Repeated,
        _ => false,
    }
}

fn is_reserved(name: &str) -> bool {
    RESERVED.contains(&name)
}

fn accessor(message: &Message, field: &Field, taken: &mut HashSet<String>) -> TokenStream {
    let name = method_name(&field.ident, taken);
    let (ident, visibility, deprecation) = (&field.ident, &field.visibility, &field.deprecation);
    if let Shape::Lazy(_) = field.shape {
        let (item, doc) =
            (&message.item, format!(" Decodes the message in `{}`, or gives an empty one when unset.", field.name));
        let (runtime, arena) = (runtime(item, field.span), item.arena());
        let (via, number) = (via(item, field, "LazyPresence"), plain(field.number.value));
        return quote_spanned! {located(field.span)=>
            #[doc = #doc]
            #[doc = ""]
            #[doc = " # Errors"]
            #[doc = " When the content is malformed or passes a limit."]
            #deprecation
            #visibility fn #name(
                &self,
                arena: &#arena #runtime::Arena,
            ) -> ::core::result::Result<#via::Target, #runtime::DecodeError> {
                #via::get(self.#ident, arena, <Self as #runtime::Message<#arena>>::TABLE, #number)
            }
        };
    }
    let doc = format!(" {}", documentation(field));
    let private = private(&message.item, field.span);
    let target = target(message, field);
    let span = located(field.span);
    let value = match (field.shape, &field.default) {
        (Shape::Message { inline: false, .. }, _) => quote_spanned!(span=> #private::message_or_default(self.#ident)),
        (Shape::Message { .. }, _) => quote_spanned!(span=> ::core::option::Option::unwrap_or_default(self.#ident)),
        (_, Some(default)) => quote_spanned!(span=> ::core::option::Option::unwrap_or(self.#ident, #default)),
        (shape, None) => {
            let unset = match shape {
                Shape::Optional(codec) => unset(&message.item, Shape::Implicit(codec), field.span),
                shape => unset(&message.item, shape, field.span),
            };
            quote_spanned!(span=> ::core::option::Option::unwrap_or(self.#ident, #unset))
        }
    };
    quote_spanned! {span=>
        #[doc = #doc]
        #deprecation
        #[inline]
        #visibility fn #name(&self) -> #target {
            #value
        }
    }
}

/// The type of the value: that of the codec, or what the field's `Option` holds.
fn target(message: &Message, field: &Field) -> TokenStream {
    let (span, arena, ty) = (located(field.span), message.item.arena(), &field.ty);
    let primitive = |name: &str| {
        let name = Ident::new(name, span);
        quote_spanned!(span=> ::core::primitive::#name)
    };
    let Shape::Optional(codec) = field.shape else {
        let private = private(&message.item, field.span);
        return quote_spanned!(span=> <#ty as #private::Explicit>::Value);
    };
    match codec {
        Codec::Int32 | Codec::Sint32 | Codec::Sfixed32 => primitive("i32"),
        Codec::Int64 | Codec::Sint64 | Codec::Sfixed64 => primitive("i64"),
        Codec::Uint32 | Codec::Fixed32 => primitive("u32"),
        Codec::Uint64 | Codec::Fixed64 => primitive("u64"),
        Codec::Float => primitive("f32"),
        Codec::Double => primitive("f64"),
        Codec::Bool => primitive("bool"),
        Codec::Str | Codec::LenientStr => quote_spanned!(span=> &#arena ::core::primitive::str),
        Codec::Bytes => quote_spanned!(span=> &#arena [::core::primitive::u8]),
        Codec::Enum => {
            let private = private(&message.item, field.span);
            quote_spanned!(span=> <#ty as #private::Explicit>::Value)
        }
    }
}

/// The name of the field, with an underscore behind it where a method of `Message` has that name.
fn method_name(ident: &Ident, taken: &mut HashSet<String>) -> Ident {
    let name = ident.unraw().to_string();
    if !is_reserved(&name) {
        return renamed(ident);
    }
    let mut free = format!("{name}_");
    while !taken.insert(free.clone()) {
        free.push('_');
    }
    format_ident!("{free}", span = located(ident.span()))
}

fn documentation(field: &Field) -> String {
    let name = &field.name;
    let unset = match (&field.default, field.shape) {
        (Some(default), _) => match source(default) {
            Some(source) => format!("its default `{source}`"),
            None => "its declared default".to_owned(),
        },
        (None, Shape::Optional(codec)) => codec.zero().to_owned(),
        (None, Shape::Message { group: true, .. }) => {
            return format!("The group `{name}`, or an empty one when unset.");
        }
        (None, _) => return format!("The message in `{name}`, or an empty one when unset."),
    };
    format!("The value of `{name}`, or {unset} when unset.")
}

/// An expression as its author would write it; `None` when it is long or does not fit between backticks.
fn source(expression: &Expr) -> Option<String> {
    fn write(tokens: TokenStream, text: &mut String) {
        let mut spaced = false;
        for token in tokens {
            let is_word = matches!(token, TokenTree::Ident(_) | TokenTree::Literal(_));
            if is_word && spaced {
                text.push(' ');
            }
            spaced = is_word;
            match &token {
                TokenTree::Group(group) => {
                    let (open, close) = match group.delimiter() {
                        proc_macro2::Delimiter::Parenthesis => ("(", ")"),
                        proc_macro2::Delimiter::Brace => ("{", "}"),
                        proc_macro2::Delimiter::Bracket => ("[", "]"),
                        proc_macro2::Delimiter::None => ("", ""),
                    };
                    text.push_str(open);
                    write(group.stream(), text);
                    text.push_str(close);
                }
                token => text.push_str(&token.to_string()),
            }
        }
    }
    const LONGEST: usize = 60;
    let mut text = String::new();
    write(expression.to_token_stream(), &mut text);
    (text.len() <= LONGEST && !text.contains('`') && !text.contains('\n')).then_some(text)
}
