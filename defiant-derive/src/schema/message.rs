//! A message: a struct with named fields, one of which keeps the unknown fields.

use proc_macro2::Span;
use syn::ext::IdentExt as _;
use syn::{Data, DeriveInput, Fields, Ident, LitStr};

use super::errors::Errors;
use super::field::{Declaration, Field, OneofField, Place, declaration};
use super::item::{Item, Lifetimes, deprecation};
use super::name::Name;
use super::number::Taken;
use super::optimize::OptimizeFor;

/// A checked message.
pub(crate) struct Message {
    pub(crate) item: Item,
    pub(crate) name: Name,
    /// Ascending by field number.
    pub(crate) fields: Vec<Field>,
    /// Ascending by smallest field number.
    pub(crate) oneofs: Vec<OneofField>,
    /// The field that keeps the unknown fields.
    pub(crate) unknown: Ident,
    /// Its extensions travel in the item form of `message_set_wire_format`.
    pub(crate) message_set: bool,
    /// Names that no field has, because one had it once.
    pub(crate) reserved: Vec<String>,
    /// Decoded and encoded by a table instead of code of its own.
    pub(crate) code_size: bool,
}

impl Message {
    /// Reads and checks a message.
    ///
    /// # Errors
    ///
    /// Every mistake in the item, combined.
    pub(crate) fn read(input: &DeriveInput) -> syn::Result<Self> {
        let mut errors = Errors::default();
        let named = match &input.data {
            Data::Struct(data) => match &data.fields {
                Fields::Named(fields) => Some(&fields.named),
                // An empty message still has its unknown fields, so neither form can be one.
                Fields::Unnamed(_) | Fields::Unit => None,
            },
            Data::Enum(_) | Data::Union(_) => None,
        };
        let Some(named) = named else {
            errors.at(
                input.ident.span(),
                format!(
                    "a message is a struct with named fields: write `struct {}<'arena> {{ .. }}`; an enum is a \
                     `defiant::Oneof` or a `defiant::Enumeration`",
                    input.ident
                ),
            );
            errors.finish()?;
            return Err(syn::Error::new(input.ident.span(), "a message is a struct with named fields"));
        };
        let mut full_name = Name::default();
        let mut message_set: Option<Span> = None;
        let mut optimize_for = OptimizeFor::default();
        let mut reserved: Option<LitStr> = None;
        let known = "name, package, domain, crate, message_set, reserved, optimize_for";
        let mut item = Item::read(input, Lifetimes::One, known, &mut errors, |word, errors| {
            if word.name() == "reserved" {
                let names = errors.keep(word.text("reserved = \"old_name, older_name\""));
                if reserved.is_some() {
                    errors.at(word.span(), "`reserved` is given twice");
                }
                reserved = names.or(reserved.take());
                return true;
            }
            let is_it = word.name() == "message_set";
            if is_it && message_set.is_some() {
                errors.at(word.span(), "`message_set` is given twice");
            } else if is_it {
                errors.keep(word.alone());
                message_set = Some(word.span());
            }
            is_it || optimize_for.read(word, errors) || full_name.read(word, errors)
        });
        full_name.check(&item.name, &mut errors);
        let mut taken = Taken::default();
        let mut fields = Vec::new();
        let mut oneofs = Vec::new();
        let mut unknown: Option<Ident> = None;
        // Whether every field was understood, so that a missing one is really missing.
        let mut complete = true;
        for field in named {
            let Some(ident) = &field.ident else { continue };
            let name = ident.unraw().to_string();
            match declaration(&field.attrs, ident, Place::Field, &mut errors) {
                Some(Declaration::Field(declared)) => {
                    taken.take(declared.number, &name, &mut errors);
                    let declared = declared.on(ident, field.vis.clone(), &field.ty, name, &field.attrs);
                    fields.push(item.spelled_out(declared));
                }
                Some(Declaration::Oneof { path, numbers, name: proto_name }) => {
                    for number in &numbers {
                        taken.take(*number, &name, &mut errors);
                    }
                    let deprecation = deprecation(&field.attrs);
                    let name = proto_name.unwrap_or(name);
                    oneofs.push(OneofField {
                        ident: ident.clone(),
                        ty: field.ty.clone(),
                        path,
                        numbers,
                        name,
                        deprecation,
                    });
                }
                Some(Declaration::Unknown) => match &unknown {
                    Some(first) => errors.at(
                        ident.span(),
                        format!("a message has one field for unknown fields; `{first}` is it already"),
                    ),
                    None => unknown = Some(ident.clone()),
                },
                None => complete = false,
            }
        }
        if unknown.is_none() && complete {
            errors.at(
                input.ident.span(),
                format!(
                    "`{}` needs a field for unknown fields: \
                     `#[defiant(unknown)] pub unknown_fields: defiant::UnknownFields<'arena>`",
                    input.ident
                ),
            );
        }
        if let Some(span) = message_set.filter(|_| !fields.is_empty() || !oneofs.is_empty()) {
            errors.at(span, "a message set has extensions only: it may have no field but that for unknown fields");
        }
        let message_set = message_set.is_some();
        let reserved = reserved.map_or_else(Vec::new, |names| names_in(&names, &mut errors));
        let deprecated = fields.iter().any(|field| field.deprecation.is_some())
            || oneofs.iter().any(|oneof: &OneofField| oneof.deprecation.is_some());
        if deprecated {
            item.allow_deprecated();
        }
        item.allow_long_evaluation(fields.len() + oneofs.iter().map(|oneof| oneof.numbers.len()).sum::<usize>());
        fields.sort_by_key(|field| field.number.value);
        oneofs.sort_by_key(|oneof| oneof.numbers.first().map(|number| number.value));
        let code_size = optimize_for.is_code_size();
        errors.finish()?;
        match unknown {
            Some(unknown) => {
                Ok(Self { item, name: full_name, fields, oneofs, unknown, message_set, reserved, code_size })
            }
            None => Err(syn::Error::new(input.ident.span(), "a message needs a field for unknown fields")),
        }
    }
}

/// The names in `reserved = "old_name, older_name"`.
fn names_in(text: &LitStr, errors: &mut Errors) -> Vec<String> {
    let value = text.value();
    let names: Vec<String> = value.split(',').map(|name| name.trim().to_owned()).collect();
    let is_identifier = |name: &String| {
        name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    for name in names.iter().filter(|name| !is_identifier(name)) {
        errors.at(text.span(), format!("`{name}` is no field name"));
    }
    names
}
