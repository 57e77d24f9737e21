//! Calls of the runtime's functions for fields. The name of a function states shape and codec where these determine the Rust
//! type; elsewhere a codec is an argument. See `defiant/src/codec/calls.rs`, also for why reading functions are methods.

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

/// The call for a field.
struct Call {
    /// The shape: `message`, or `implicit` with a codec.
    noun: &'static str,
    /// The codec whose name is a part of the function's.
    codec: Option<Codec>,
    /// The codecs that are the first arguments.
    leading: TokenStream,
}

fn call(item: &Item, shape: Shape, span: Span) -> Call {
    let at = located(span);
    let value = |codec: TokenStream| quote_spanned!(at=> #codec,);
    let of_codec = |noun, codec| Call { noun, codec: Some(codec), leading: TokenStream::new() };
    let plain = |noun, leading| Call { noun, codec: None, leading };
    match shape {
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
    }
}

/// The call that reads an occurrence after its tag: a method of the reader `r`.
pub(super) fn read(
    item: &Item,
    shape: Shape,
    place: &TokenStream,
    unknown: &TokenStream,
    tag: &Literal,
    span: Span,
) -> TokenStream {
    let Call { noun, codec, leading } = call(item, shape, span);
    let span = located(span);
    let name = match codec {
        Some(codec) => format!("read_{noun}_{}", codec.word()),
        None => format!("read_{noun}"),
    };
    let name = Ident::new(&name, span);
    match codec {
        Some(codec) if !codec.is_partial() => quote_spanned!(span=> r.#name(#place)),
        _ => quote_spanned!(span=> r.#name(#leading #place, #unknown, #tag)),
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
    let Call { noun, codec, leading } = call(item, shape, span);
    let private = private(item, span);
    let (span, number) = (located(span), plain(number));
    let name = Ident::new(&format!("write_{noun}"), span);
    let codec = codec.map(|codec| {
        let codec = Ident::new(codec.word(), span);
        quote_spanned!(span=> ::#codec)
    });
    quote_spanned!(span=> #private::#name #codec (#leading #place, #sink, #number))
}
