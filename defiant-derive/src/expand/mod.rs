//! Writes the impls of a checked schema: paths to named runtime items, never a page of logic.
//!
//! Every path is absolute, so the output compiles in a module without a prelude. Identifiers that come from the user
//! keep their place but get the derive's context (see [`located`]), so that lints about style stay away from output
//! the user cannot change, while errors still point at the user's source.

mod accessor;
mod call;
mod count;
mod descriptor;
mod enumeration;
mod family;
mod message;
mod name;
mod oneof;
mod shape;
mod table;
mod threads;
mod whole;

#[cfg(test)]
mod tests;

use proc_macro2::{Group, Ident, Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};

pub(crate) use enumeration::enumeration;
pub(crate) use message::message;
pub(crate) use oneof::oneof;

use crate::schema::Item;

/// The path of the crate `defiant`, with `span` as its place.
fn runtime(item: &Item, span: Span) -> TokenStream {
    match &item.runtime {
        Some(path) => respan(path.to_token_stream(), span),
        None => {
            let span = located(span);
            quote_spanned!(span=> ::defiant)
        }
    }
}

/// The path of `defiant::__private`, with `span` as its place.
fn private(item: &Item, span: Span) -> TokenStream {
    let runtime = runtime(item, span);
    let span = located(span);
    quote_spanned!(span=> #runtime::__private)
}

/// The place of `span` in the context of the derive.
fn located(span: Span) -> Span {
    Span::call_site().located_at(span)
}

/// The name of `ident` for an item of the output.
fn renamed(ident: &Ident) -> Ident {
    let mut ident = ident.clone();
    ident.set_span(located(ident.span()));
    ident
}

/// Moves `tokens` to the place of `span`, in the context of the derive. `$crate` alone keeps the context that says which
/// crate it is.
fn respan(tokens: TokenStream, span: Span) -> TokenStream {
    tokens
        .into_iter()
        .map(|mut token| {
            if let TokenTree::Group(group) = &mut token {
                *group = Group::new(group.delimiter(), respan(group.stream(), span));
            }
            match &token {
                TokenTree::Ident(ident) if ident == "$crate" => {}
                _ => token.set_span(located(span)),
            }
            token
        })
        .collect()
}

/// `#[allow(...)]` for the lints of the item that reach into its impls.
fn allows(item: &Item) -> TokenStream {
    let allowed = &item.allowed;
    quote!(#(#[allow(#allowed)])*)
}

/// A number without a suffix.
fn plain(number: u32) -> Literal {
    Literal::u32_unsuffixed(number)
}

/// The bytes that encode a tag.
fn tag_bytes(tag: u32) -> Vec<u8> {
    let (mut rest, mut bytes) = (tag, Vec::new());
    while rest >= 0x80 {
        bytes.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    bytes.push(rest as u8);
    bytes
}

/// The key of a tag, as decode functions match on it: the bytes that encode it, read as a little-endian number.
fn plain_key(tag: u32) -> Literal {
    Literal::u64_unsuffixed(tag_bytes(tag).iter().rev().fold(0, |key, byte| key << 8 | u64::from(*byte)))
}
