//! Counting the bytes of fields together, where it takes fewer instructions than one after the other: only the sum
//! matters, and not their order.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;

use super::shape::codec;
use super::{private, tag_bytes};
use crate::schema::{Codec, Field, Message, Shape, wire_type};

/// Fields that are counted together.
pub(super) struct Counted<'a> {
    shape: Shape,
    fields: Vec<&'a Field>,
}

/// The groups of a message's fields for which this pays.
pub(super) fn counted(message: &Message) -> Vec<Counted<'_>> {
    let mut groups: Vec<Counted<'_>> = Vec::new();
    for field in &message.fields {
        if len(field).is_none() {
            continue;
        }
        let alike = |group: &&mut Counted<'_>| {
            group.shape == field.shape
                && (group.is_of_bools() || group.fields.iter().all(|other| len(other) == len(field)))
        };
        match groups.iter_mut().find(alike) {
            Some(group) => group.fields.push(field),
            None => groups.push(Counted { shape: field.shape, fields: vec![field] }),
        }
    }
    for group in &mut groups {
        group.leave_rest();
    }
    groups.retain(|group| group.fields.len() > 1);
    groups
}

/// Bytes of a set field with its tag, if they do not depend on its value.
fn len(field: &Field) -> Option<u64> {
    let (Shape::Implicit(codec) | Shape::Optional(codec)) = field.shape else { return None };
    let value = match (codec, codec.wire_type()) {
        (Codec::Bool, _) => 1,
        (_, wire_type::FIXED32) => 4,
        (_, wire_type::FIXED64) => 8,
        _ => return None,
    };
    Some(tag_bytes(field.number.value << 3).len() as u64 + value)
}

impl Counted<'_> {
    pub(super) fn has(&self, field: &Field) -> bool {
        self.fields.iter().any(|counted| counted.ident == field.ident)
    }

    fn is_of_bools(&self) -> bool {
        matches!(self.shape, Shape::Implicit(Codec::Bool) | Shape::Optional(Codec::Bool))
    }

    /// How many `bool`s at a time.
    fn step(&self) -> usize {
        if self.fields.len() < 8 { 4 } else { 8 }
    }

    /// Leaves out `bool`s that are as fast one after the other: one or two behind those that are counted together.
    fn leave_rest(&mut self) {
        let (count, step) = (self.fields.len(), self.step());
        if !self.is_of_bools() {
        } else if count < step {
            self.fields.clear();
        } else if count % step < 3 {
            self.fields.truncate(count - count % step);
        }
    }

    /// The calls that count the fields.
    pub(super) fn calls(&self, message: &Message) -> TokenStream {
        let item = &message.item;
        let private = private(item, Span::call_site());
        let name = |name: &str| Ident::new(name, Span::call_site());
        if self.is_of_bools() {
            let optional = matches!(self.shape, Shape::Optional(_));
            let function = name(if optional { "count_optional_bools" } else { "count_implicit_bools" });
            let calls = self.bools().map(|(fields, lens)| {
                let idents = fields.iter().map(|field| &field.ident);
                quote!(#private::#function([#(self.#idents),*], &mut sink, #lens);)
            });
            return quote!(#(#calls)*);
        }
        let set = self.fields.iter().map(|field| {
            let ident = &field.ident;
            match self.shape {
                Shape::Implicit(of) => {
                    let codec = codec(item, of, Span::call_site());
                    quote!(#private::implicit_is_set(#codec, &self.#ident))
                }
                _ => quote!(#private::optional_is_set(&self.#ident)),
            }
        });
        let len = Literal::u64_unsuffixed(len(self.fields[0]).unwrap_or(0));
        quote!(#private::count_fixed(#(#set)+*, &mut sink, #len);)
    }

    /// The `bool`s that are counted at a time, and their lengths, the first in the highest byte.
    fn bools(&self) -> impl Iterator<Item = (&[&Field], Literal)> {
        let step = self.step();
        (0..self.fields.len()).step_by(step).map(move |from| {
            // The last ones share some with those before them, which are not counted again.
            let begin = from.min(self.fields.len() - step);
            let fields = &self.fields[begin..begin + step];
            let lens = fields.iter().zip(begin..).zip((0..8).rev()).fold(0, |lens, ((field, index), byte)| {
                let len = if index < from { 0 } else { len(field).unwrap_or(0) };
                lens | len << (8 * byte)
            });
            (fields, Literal::u64_unsuffixed(lens))
        })
    }
}
