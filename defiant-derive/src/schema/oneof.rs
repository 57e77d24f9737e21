//! A oneof: an enum whose variants hold one value each.

use syn::ext::IdentExt as _;
use syn::{Data, DeriveInput, Fields, Ident, Visibility};

use super::errors::Errors;
use super::field::{Declaration, Field, Place, declaration};
use super::item::{Item, Lifetimes};
use super::number::Taken;
use super::optimize::OptimizeFor;

/// A checked oneof.
pub(crate) struct Oneof {
    pub(crate) item: Item,
    /// Ascending by field number, at least one.
    pub(crate) variants: Vec<OneofVariant>,
    /// Decoded and encoded by functions that oneofs share.
    pub(crate) code_size: bool,
}

/// A member; `ident` of the field is the variant's and `ty` the type in its parentheses.
pub(crate) type OneofVariant = Field;

impl Oneof {
    /// Reads and checks a oneof.
    ///
    /// # Errors
    ///
    /// Every mistake in the item, combined.
    pub(crate) fn read(input: &DeriveInput) -> syn::Result<Self> {
        let mut errors = Errors::default();
        let Data::Enum(data) = &input.data else {
            return Err(syn::Error::new(
                input.ident.span(),
                format!("a oneof is an enum: write `enum {}<'arena> {{ .. }}`", input.ident),
            ));
        };
        let mut optimize_for = OptimizeFor::default();
        let known = "name, crate, optimize_for";
        let mut item =
            Item::read(input, Lifetimes::AtMostOne, known, &mut errors, |word, errors| optimize_for.read(word, errors));
        if data.variants.is_empty() {
            errors.at(input.ident.span(), "a oneof needs at least one variant");
        }
        let mut taken = Taken::default();
        let mut variants = Vec::new();
        for variant in &data.variants {
            let declared = match declaration(&variant.attrs, &variant.ident, Place::Variant, &mut errors) {
                Some(Declaration::Field(declared)) => {
                    taken.take(declared.number, &variant.ident.to_string(), &mut errors);
                    Some(declared)
                }
                _ => None,
            };
            let held = match &variant.fields {
                Fields::Unnamed(fields) if fields.unnamed.len() == 1 => fields.unnamed.first(),
                _ => None,
            };
            match (held, declared) {
                (Some(held), Some(declared)) => {
                    let name = snake_case(&variant.ident);
                    let declared = declared.on(&variant.ident, Visibility::Inherited, &held.ty, name, &variant.attrs);
                    variants.push(item.spelled_out(declared));
                }
                (Some(_), None) => {}
                (None, _) => errors.at(
                    variant.ident.span(),
                    format!("a member of a oneof holds exactly one value: write `{}(Type)`", variant.ident),
                ),
            }
        }
        if variants.iter().any(|variant| variant.deprecation.is_some()) {
            item.allow_deprecated();
        }
        variants.sort_by_key(|variant| variant.number.value);
        errors.finish()?;
        Ok(Self { item, variants, code_size: optimize_for.is_code_size() })
    }
}

/// The proto name of a variant without `name = "..."`: `HomeAddress` is `home_address`.
fn snake_case(ident: &Ident) -> String {
    let mut name = String::new();
    for letter in ident.unraw().to_string().chars() {
        if letter.is_uppercase() && !name.is_empty() && !name.ends_with('_') {
            name.push('_');
        }
        name.extend(letter.to_lowercase());
    }
    name
}
