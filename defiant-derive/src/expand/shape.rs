//! The marker type that reads and writes a field: `Packed<Int32>`, `MapOf<Str, MessageValue>`.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;

use super::{located, private};
use crate::schema::{Cardinality, Codec, Field, Item, MapValue, Shape};

/// The marker of `shape`, placed at `span`.
pub(super) fn marker(item: &Item, shape: Shape, span: Span) -> TokenStream {
    let path = |name: &str| {
        let private = private(item, span);
        let span = located(span);
        let name = Ident::new(name, span);
        quote_spanned!(span=> #private::#name)
    };
    let of = |outer: &str, codec: Codec| {
        let (outer, codec) = (path(outer), path(codec.marker()));
        let span = located(span);
        quote_spanned!(span=> #outer<#codec>)
    };
    match shape {
        Shape::Implicit(codec) => of("Implicit", codec),
        Shape::Optional(codec) => of("Optional", codec),
        Shape::Required(codec) => of("Required", codec),
        Shape::Repeated { codec, packed: false } => of("Repeated", codec),
        Shape::Repeated { codec, packed: true } => of("Packed", codec),
        Shape::Message { group, inline, cardinality } => path(match (cardinality, inline, group) {
            (Cardinality::Repeated, _, false) => "RepeatedMessage",
            (Cardinality::Repeated, _, true) => "RepeatedGroup",
            (_, true, false) => "InlineMessage",
            (_, true, true) => "InlineGroup",
            (_, false, false) => "OptionalMessage",
            (_, false, true) => "OptionalGroup",
        }),
        Shape::Lazy(Cardinality::Repeated) => {
            let (outer, codec) = (path("Repeated"), path("LazyMessage"));
            let span = located(span);
            quote_spanned!(span=> #outer<#codec>)
        }
        Shape::Lazy(_) => path("OptionalLazy"),
        Shape::Map(key, value) => {
            let outer = path("MapOf");
            let key = path(key.marker());
            let value = match value {
                MapValue::Codec(codec) => path(codec.marker()),
                MapValue::Message => path("MessageValue"),
            };
            let span = located(span);
            quote_spanned!(span=> #outer<#key, #value>)
        }
    }
}

/// The marker of a codec alone.
pub(super) fn codec(item: &Item, codec: Codec, span: Span) -> TokenStream {
    let private = private(item, span);
    let span = located(span);
    let name = Ident::new(codec.marker(), span);
    quote_spanned!(span=> #private::#name)
}

/// `<Marker as Trait<'arena, T>>`, the prefix of every call for `field`.
pub(super) fn via(item: &Item, field: &Field, name: &str) -> TokenStream {
    let ty = &field.ty;
    of_type(item, field.shape, name, &quote_spanned!(located(field.span)=> #ty), field.span)
}

/// As [`via`], for a type other than the field's own.
pub(super) fn of_type(item: &Item, shape: Shape, name: &str, ty: &TokenStream, span: Span) -> TokenStream {
    let marker = marker(item, shape, span);
    let private = private(item, span);
    let arena = item.arena();
    let span = located(span);
    let name = Ident::new(name, span);
    quote_spanned!(span=> <#marker as #private::#name<#arena, #ty>>)
}
