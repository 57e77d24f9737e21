//! What messages, oneofs and enumerations have in common: identifier, lifetime, runtime path, lint attributes.

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt as _;
use syn::parse::Parse;
use syn::{Attribute, DeriveInput, GenericParam, Ident, Lifetime, Meta, Path, Visibility};

use super::attribute::{Word, Words};
use super::errors::Errors;
use super::field::Field;

/// The item a derive stands on.
pub(crate) struct Item {
    pub(crate) ident: Ident,
    pub(crate) visibility: Visibility,
    /// The one lifetime parameter, if any.
    pub(crate) lifetime: Option<Lifetime>,
    /// The path given by `#[defiant(crate = "...")]`.
    pub(crate) runtime: Option<Path>,
    /// The full proto name: `name = "..."` or the identifier.
    pub(crate) name: String,
    /// What `#[allow(...)]` the impls need: the item's own, and `deprecated` when a member is.
    pub(crate) allowed: Vec<TokenStream>,
}

/// Which lifetime parameters an item may have.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Lifetimes {
    None,
    AtMostOne,
    One,
}

impl Item {
    /// Reads the item; words other than `name` and `crate` go to `other`, which says whether it knows them.
    pub(super) fn read(
        input: &DeriveInput,
        lifetimes: Lifetimes,
        known: &str,
        errors: &mut Errors,
        mut other: impl FnMut(&Word, &mut Errors) -> bool,
    ) -> Self {
        let mut name = None;
        let mut runtime = None;
        for word in &Words::read(&input.attrs, errors).list {
            match word.name().as_str() {
                "name" if name.is_some() => errors.at(word.span(), "`name` is given twice"),
                "name" => name = errors.keep(word.text("name = \"package.Name\"")).map(|text| text.value()),
                "crate" if runtime.is_some() => errors.at(word.span(), "`crate` is given twice"),
                "crate" => runtime = errors.keep(word.path("crate = \"path::to::defiant\"")),
                unknown => {
                    if !other(word, errors) {
                        errors.at(word.span(), format!("unknown word `{unknown}`; here stand {known}"));
                    }
                }
            }
        }
        Self {
            ident: input.ident.clone(),
            visibility: input.vis.clone(),
            lifetime: lifetime(input, lifetimes, errors),
            runtime,
            name: name.unwrap_or_else(|| input.ident.unraw().to_string()),
            allowed: allowed(&input.attrs),
        }
    }

    /// Has a field say the item's name where it says `Self`: its type and its default stand in statics and functions, too,
    /// where `Self` is nothing.
    pub(super) fn spelled_out(&self, mut field: Field) -> Field {
        let (ident, lifetime) = (&self.ident, self.lifetime.iter());
        field.ty = renamed(&field.ty, &quote!(#ident #(<#lifetime>)*));
        field.default = field.default.map(|default| renamed(&default, &quote!(#ident)));
        field
    }
}

/// The same with a name in place of `Self`, if that can be.
fn renamed<T: ToTokens + Parse + Clone>(what: &T, name: &TokenStream) -> T {
    fn replace(tokens: TokenStream, name: &TokenStream) -> TokenStream {
        let tokens = tokens.into_iter().map(|token| match token {
            TokenTree::Ident(ident) if ident == "Self" => name.clone(),
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), replace(group.stream(), name));
                inner.set_span(group.span());
                TokenTree::Group(inner).into()
            }
            other => other.into(),
        });
        tokens.collect()
    }
    syn::parse2(replace(what.to_token_stream(), name)).unwrap_or_else(|_| what.clone())
}

/// Checks the generics and picks the lifetime.
fn lifetime(input: &DeriveInput, allowed: Lifetimes, errors: &mut Errors) -> Option<Lifetime> {
    let ident = &input.ident;
    let mut found: Option<Lifetime> = None;
    let mut broken = false;
    for parameter in &input.generics.params {
        match parameter {
            GenericParam::Type(parameter) => {
                errors.over(parameter, "type parameters are not supported: every field has one proto type");
                broken = true;
            }
            GenericParam::Const(parameter) => {
                errors.over(parameter, "const parameters are not supported: every field has one proto type");
                broken = true;
            }
            GenericParam::Lifetime(parameter) if allowed == Lifetimes::None => {
                errors.over(parameter, "an enumeration has no lifetime parameter: it is a number");
                broken = true;
            }
            GenericParam::Lifetime(parameter) if found.is_some() => {
                errors.over(
                    parameter,
                    format!("only one lifetime parameter is possible, that of the arena: write `{ident}<'arena>`"),
                );
                broken = true;
            }
            GenericParam::Lifetime(parameter) => {
                if !parameter.bounds.is_empty() {
                    errors.over(parameter, "the lifetime of the arena has no bounds: write `<'arena>`");
                }
                found = Some(parameter.lifetime.clone());
            }
        }
    }
    if found.is_none() && allowed == Lifetimes::One && !broken {
        errors.at(
            ident.span(),
            format!(
                "a message needs exactly one lifetime parameter, that of the arena: write `struct {ident}<'arena>` \
                 (its unknown fields live there, so even a message of numbers has it)"
            ),
        );
    }
    if let Some(clause) = &input.generics.where_clause {
        errors.over(clause, "where clauses are not supported");
    }
    found
}

/// The arguments of every `#[allow(...)]` and `#[expect(...)]`, plus `deprecated` below `#[deprecated]`.
fn allowed(attributes: &[Attribute]) -> Vec<TokenStream> {
    let mut list = Vec::new();
    for attribute in attributes {
        match &attribute.meta {
            Meta::List(meta) if meta.path.is_ident("allow") || meta.path.is_ident("expect") => {
                let lints = without_reason(meta.tokens.clone());
                if !lints.is_empty() {
                    list.push(lints);
                }
            }
            meta if meta.path().is_ident("deprecated") => list.push(quote!(deprecated)),
            _ => {}
        }
    }
    list
}

/// Cuts `reason = "..."` off, which comes last.
fn without_reason(tokens: TokenStream) -> TokenStream {
    tokens
        .into_iter()
        .take_while(|token| !matches!(token, proc_macro2::TokenTree::Ident(ident) if ident == "reason"))
        .collect()
}

/// The `#[deprecated]` of a member.
pub(super) fn deprecation(attributes: &[Attribute]) -> Option<Attribute> {
    attributes.iter().find(|attribute| attribute.path().is_ident("deprecated")).cloned()
}

impl Item {
    /// Lets the impls touch a deprecated member.
    pub(super) fn allow_deprecated(&mut self) {
        if !self.allowed.iter().any(|lints| lints.to_string() == "deprecated") {
            self.allowed.push(quote!(deprecated));
        }
    }

    /// Lets the compiler take its time for the statics of a message of this many fields: by itself it denies what looks like
    /// a loop without end.
    pub(super) fn allow_long_evaluation(&mut self, fields: usize) {
        const MANY: usize = 500;
        if fields > MANY {
            self.allowed.push(quote!(long_running_const_eval));
        }
    }

    /// The lifetime, or `'arena` where the item has none.
    pub(crate) fn arena(&self) -> Lifetime {
        self.lifetime.clone().unwrap_or_else(|| Lifetime::new("'arena", Span::call_site()))
    }
}
