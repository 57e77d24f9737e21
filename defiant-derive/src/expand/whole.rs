//! Reading a message of few fields of fixed width at once: a point, a colour, a range.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;

use super::message::inline_always;
use super::tag_bytes;
use crate::schema::{Codec, Field, Message, Shape};

/// Fields for which it pays: with more, one will be missing.
const MOST: usize = 6;

/// `WHOLE` and `__whole`, for a message that has only such fields. One that is required would have to be noted.
pub(super) fn whole(message: &Message) -> Option<TokenStream> {
    if message.fields.is_empty() || message.fields.len() > MOST || !message.oneofs.is_empty() || message.message_set {
        return None;
    }
    let mut fields = message.fields.iter().map(Fixed::new).collect::<Option<Vec<_>>>()?;
    fields.sort_by_key(|fixed| fixed.field.number.value);
    let (mut at, mut tags, mut reads) = (0, Vec::new(), Vec::new());
    for fixed in &fields {
        for byte in tag_bytes(fixed.tag) {
            let (index, byte) = (Literal::usize_unsuffixed(at), Literal::u8_unsuffixed(byte));
            tags.push(quote!(bytes[#index] == #byte));
            at += 1;
        }
        let value = (at..at + fixed.width).map(Literal::usize_unsuffixed);
        at += fixed.width;
        let (ident, ty) = (&fixed.field.ident, Ident::new(fixed.ty, Span::call_site()));
        let value = quote!(::core::primitive::#ty::from_le_bytes([#(bytes[#value]),*]));
        reads.push(match fixed.field.shape {
            Shape::Optional(_) => quote!(self.#ident = ::core::option::Option::Some(#value);),
            _ => quote!(self.#ident = #value;),
        });
    }
    let (len, inline) = (Literal::usize_unsuffixed(at), inline_always());
    Some(quote! {
        const WHOLE: usize = #len;

        #inline
        fn __whole(&mut self, bytes: &[u8]) -> bool {
            let is_whole = bytes.len() == #len && #(#tags)&&*;
            if is_whole {
                #(#reads)*
            }
            is_whole
        }
    })
}

/// A singular field of fixed width.
struct Fixed<'a> {
    field: &'a Field,
    tag: u32,
    width: usize,
    /// The Rust type.
    ty: &'static str,
}

impl<'a> Fixed<'a> {
    fn new(field: &'a Field) -> Option<Self> {
        let (Shape::Implicit(codec) | Shape::Optional(codec)) = field.shape else { return None };
        let (width, ty) = match codec {
            Codec::Fixed32 => (4, "u32"),
            Codec::Sfixed32 => (4, "i32"),
            Codec::Float => (4, "f32"),
            Codec::Fixed64 => (8, "u64"),
            Codec::Sfixed64 => (8, "i64"),
            Codec::Double => (8, "f64"),
            _ => return None,
        };
        Some(Fixed { field, tag: field.number.value << 3 | codec.wire_type(), width, ty })
    }
}
