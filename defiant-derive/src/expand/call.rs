//! Calls of the runtime's functions for fields: of a name that says shape and codec where these are the whole type, and
//! else with values that stand for them. See `defiant/src/codec/calls.rs`.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote_spanned;

use super::shape::{codec, marker};
use super::{located, plain, private, runtime};
use crate::schema::{Cardinality, Codec, Item, MapValue, Shape};

/// The value of an unset field.
pub(super) fn unset(item: &Item, shape: Shape, span: Span) -> TokenStream {
    let private = private(item, span);
    let runtime = runtime(item, span);
    let span = located(span);
    match shape {
        Shape::Implicit(codec) | Shape::Required(codec) => match codec {
            Codec::Bool => quote_spanned!(span=> false),
            Codec::Float | Codec::Double => quote_spanned!(span=> 0.0),
            Codec::Str | Codec::LenientStr => quote_spanned!(span=> ""),
            Codec::Bytes => quote_spanned!(span=> &[]),
            Codec::Enum => quote_spanned!(span=> #private::unset_enum()),
            _ => quote_spanned!(span=> 0),
        },
        Shape::Optional(_) => quote_spanned!(span=> ::core::option::Option::None),
        Shape::Message { cardinality: Cardinality::Repeated, .. }
        | Shape::Lazy(Cardinality::Repeated)
        | Shape::Repeated { .. } => quote_spanned!(span=> #private::no_elements()),
        Shape::Message { .. } | Shape::Lazy(_) => quote_spanned!(span=> ::core::option::Option::None),
        Shape::Map(..) => quote_spanned!(span=> #runtime::Map::EMPTY),
    }
}

/// What a function is called, and its first arguments.
struct Call {
    /// The module behind `read_` or `write_`, if the function is one of a codec.
    name: TokenStream,
    leading: TokenStream,
    /// Whether it may leave a value to the unknown fields.
    partial: bool,
}

fn call(item: &Item, verb: &str, shape: Shape, span: Span) -> Call {
    let at = located(span);
    let word = |noun: &str| Ident::new(&format!("{verb}_{noun}"), at);
    let value = |codec: TokenStream| quote_spanned!(at=> #codec,);
    let of_codec = |noun: &str, codec: Codec| {
        let (module, function) = (word(noun), Ident::new(codec.word(), at));
        (quote_spanned!(at=> #module::#function), TokenStream::new(), codec.is_partial())
    };
    let plain = |noun: &str, leading: TokenStream| {
        let function = word(noun);
        (quote_spanned!(at=> #function), leading, true)
    };
    let (name, leading, partial) = match shape {
        Shape::Implicit(codec) => of_codec("implicit", codec),
        Shape::Optional(codec) => of_codec("optional", codec),
        Shape::Required(codec) => of_codec("required", codec),
        Shape::Repeated { codec: of, packed } => {
            plain(if packed { "packed" } else { "repeated" }, value(codec(item, of, span)))
        }
        Shape::Message { group: false, inline: false, cardinality: Cardinality::Repeated } => {
            plain("messages", TokenStream::new())
        }
        Shape::Message { group: false, inline: false, .. } => plain("message", TokenStream::new()),
        Shape::Message { .. } | Shape::Lazy(Cardinality::Optional | Cardinality::Required) => {
            plain("field", value(marker(item, shape, span)))
        }
        Shape::Lazy(Cardinality::Repeated) => {
            let private = private(item, span);
            plain("repeated", quote_spanned!(at=> #private::LazyMessage,))
        }
        Shape::Map(key, held) => {
            let private = private(item, span);
            let key = codec(item, key, span);
            let held = match held {
                MapValue::Codec(held) => codec(item, held, span),
                MapValue::Message => quote_spanned!(at=> #private::MessageValue),
            };
            plain("map", quote_spanned!(at=> #key, #held,))
        }
    };
    Call { name, leading, partial }
}

/// The call that reads an occurrence behind its tag.
pub(super) fn read(
    item: &Item,
    shape: Shape,
    place: &TokenStream,
    unknown: &TokenStream,
    tag: &Literal,
    span: Span,
) -> TokenStream {
    let Call { name, leading, partial } = call(item, "read", shape, span);
    let private = private(item, span);
    let span = located(span);
    if partial {
        quote_spanned!(span=> #private::#name(#leading #place, #unknown, r, #tag))
    } else {
        quote_spanned!(span=> #private::#name(#place, r))
    }
}

/// The call that writes a field.
pub(super) fn write(
    item: &Item,
    shape: Shape,
    place: &TokenStream,
    sink: &TokenStream,
    number: u32,
    span: Span,
) -> TokenStream {
    let Call { name, leading, .. } = call(item, "write", shape, span);
    let private = private(item, span);
    let (span, number) = (located(span), plain(number));
    quote_spanned!(span=> #private::#name(#leading #place, #sink, #number))
}
