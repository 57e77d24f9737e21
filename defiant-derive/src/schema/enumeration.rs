//! An enumeration: open, a newtype over `i32` with a constant a value, or closed, a Rust enum.

use std::collections::{HashMap, HashSet};

use proc_macro2::Span;
use syn::ext::IdentExt as _;
use syn::parse::{Parse, ParseStream, Parser as _};
use syn::punctuated::Punctuated;
use syn::{Attribute, Data, DeriveInput, Expr, Fields, Ident, LitStr, Token};

use super::attribute::{Word, Words, integer};
use super::errors::Errors;
use super::item::{Item, Lifetimes, deprecation};

/// A checked enumeration.
pub(crate) struct Enumeration {
    pub(crate) item: Item,
    pub(crate) form: EnumerationForm,
    /// Of an open enumeration: whether its `Debug` is to be derived.
    pub(crate) debug: bool,
}

/// Open or closed.
pub(crate) enum EnumerationForm {
    /// The values in declared order, the first of which is 0.
    Open(Vec<EnumerationValue>),
    /// The variants in declared order, and the second names of some of them.
    Closed { variants: Vec<ClosedVariant>, aliases: Vec<EnumerationValue> },
}

/// A value that becomes an associated constant.
pub(crate) struct EnumerationValue {
    /// Documentation and what else stood above it.
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) ident: Ident,
    pub(crate) number: i32,
    /// The proto name.
    pub(crate) name: String,
}

/// A variant of a Rust enum.
pub(crate) struct ClosedVariant {
    pub(crate) ident: Ident,
    pub(crate) number: i32,
    /// The proto name.
    pub(crate) name: String,
}

impl Enumeration {
    /// Reads and checks an enumeration.
    ///
    /// # Errors
    ///
    /// Every mistake in the item, combined.
    pub(crate) fn read(input: &DeriveInput) -> syn::Result<Self> {
        let mut errors = Errors::default();
        let mut open: Option<(Span, Vec<Listed>)> = None;
        let mut aliases: Vec<Listed> = Vec::new();
        let mut debug: Option<(bool, Span)> = None;
        let known = "name, crate, debug, open(...) and alias(...)";
        let mut item = Item::read(input, Lifetimes::None, known, &mut errors, |word, errors| {
            match word.name().as_str() {
                "open" if open.is_some() => errors.at(word.span(), "`open` is given twice"),
                "open" => open = Some((word.span(), listed(word, "open(Red = 0 \"COLOR_RED\")", errors))),
                "debug" if debug.is_some() => errors.at(word.span(), "`debug` is given twice"),
                "debug" => debug = errors.keep(word.boolean()).map(|value| (value, word.span())),
                "alias" => aliases.extend(listed(word, "alias(Rouge = 0 \"COLOR_ROUGE\")", errors)),
                _ => return false,
            }
            true
        });
        let form = match &input.data {
            Data::Struct(data) => {
                match &data.fields {
                    Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {}
                    _ => errors.at(
                        input.ident.span(),
                        format!("an open enumeration is a newtype: write `struct {}(pub i32);`", input.ident),
                    ),
                }
                if let Some(alias) = aliases.first() {
                    errors.at(alias.ident.span(), "an open enumeration lists aliases in `open(...)` like other values");
                }
                read_open(input, open, &mut errors)
            }
            Data::Enum(data) => {
                if let Some((span, _)) = open {
                    errors.at(
                        span,
                        format!(
                            "`open` needs a newtype, `struct {}(pub i32);`: a Rust enum cannot hold unknown numbers",
                            input.ident
                        ),
                    );
                }
                if let Some((_, span)) = debug {
                    errors.at(span, "`debug` is of open enumerations: a Rust enum derives `Debug`, or does not");
                }
                if data.variants.is_empty() {
                    errors.at(input.ident.span(), "an enumeration needs at least one value");
                }
                let variants = read_variants(data, &mut errors);
                if data.variants.iter().any(|variant| deprecation(&variant.attrs).is_some()) {
                    item.allow_deprecated();
                }
                EnumerationForm::Closed { aliases: read_aliases(aliases, &variants, &mut errors), variants }
            }
            Data::Union(_) => {
                errors.at(input.ident.span(), "an enumeration is a Rust enum, or a newtype over `i32`");
                EnumerationForm::Open(Vec::new())
            }
        };
        check_names(&form, &mut errors);
        errors.finish()?;
        Ok(Self { item, form, debug: debug.is_none_or(|(wanted, _)| wanted) })
    }
}

fn read_open(input: &DeriveInput, open: Option<(Span, Vec<Listed>)>, errors: &mut Errors) -> EnumerationForm {
    let Some((span, list)) = open else {
        // An unreadable attribute may well have held the list.
        if Words::read(&input.attrs, &mut Errors::default()).complete {
            errors.at(
                input.ident.span(),
                "an open enumeration lists its values: `#[defiant(open(Red = 0 \"COLOR_RED\"))]`; a closed one is a \
                 Rust enum",
            );
        }
        return EnumerationForm::Open(Vec::new());
    };
    let first = list.first().map(|value| (value.ident.clone(), value.number.clone()));
    match first {
        None if !errors.any() => errors.at(span, "an enumeration needs at least one value"),
        Some((ident, number)) if integer(&number).is_some_and(|number| number != 0) => errors.at(
            syn::spanned::Spanned::span(&number),
            format!("the first value of an open enumeration is 0, the value of an unset field; `{ident}` is not"),
        ),
        _ => {}
    }
    EnumerationForm::Open(list.into_iter().filter_map(|value| value.check(errors)).collect())
}

fn read_variants(data: &syn::DataEnum, errors: &mut Errors) -> Vec<ClosedVariant> {
    let mut variants: Vec<ClosedVariant> = Vec::new();
    for variant in &data.variants {
        let ident = &variant.ident;
        if !matches!(variant.fields, Fields::Unit) {
            errors.over(&variant.fields, format!("a value of an enumeration holds nothing: write just `{ident} = 1`"));
        }
        let mut name = None;
        for word in &Words::read(&variant.attrs, errors).list {
            match word.name().as_str() {
                "name" if name.is_some() => errors.at(word.span(), "`name` is given twice"),
                "name" => name = errors.keep(word.text("name = \"PROTO_NAME\"")).map(|text| text.value()),
                unknown => errors.at(word.span(), format!("unknown word `{unknown}`; here stands name")),
            }
        }
        let Some((_, expression)) = &variant.discriminant else {
            errors.at(ident.span(), format!("`{ident}` has no number: write `{ident} = 1`"));
            continue;
        };
        let Some(number) = number(expression, errors) else {
            continue;
        };
        if let Some(first) = variants.iter().find(|first| first.number == number) {
            errors.over(
                expression,
                format!(
                    "the number {number} of `{ident}` is already that of `{}`: \
                     write `#[defiant(alias({ident} = {number} \"PROTO_NAME\"))]` above the enum",
                    first.ident
                ),
            );
            continue;
        }
        let name = name.unwrap_or_else(|| ident.unraw().to_string());
        variants.push(ClosedVariant { ident: ident.clone(), number, name });
    }
    variants
}

fn read_aliases(list: Vec<Listed>, variants: &[ClosedVariant], errors: &mut Errors) -> Vec<EnumerationValue> {
    let mut aliases = Vec::new();
    for alias in list {
        let span = alias.ident.span();
        let Some(alias) = alias.check(errors) else {
            continue;
        };
        if variants.iter().any(|variant| variant.number == alias.number) {
            aliases.push(alias);
        } else {
            errors.at(span, format!("`{}` is an alias of {}, which no variant has", alias.ident, alias.number));
        }
    }
    aliases
}

/// The number of a value, if it is an `i32`.
fn number(expression: &Expr, errors: &mut Errors) -> Option<i32> {
    let Some(number) = integer(expression) else {
        errors.over(expression, "the number of a value is an integer literal");
        return None;
    };
    match i32::try_from(number) {
        Ok(number) => Some(number),
        Err(_) => {
            errors.over(expression, format!("{number} does not fit `i32`, the type of every enumeration"));
            None
        }
    }
}

/// Every name once: Rust names are reported by the derive, since the compiler would point into its output.
fn check_names(form: &EnumerationForm, errors: &mut Errors) {
    let listed = |value: &EnumerationValue| (value.ident.clone(), value.name.clone());
    let names: Vec<(Ident, String)> = match form {
        EnumerationForm::Open(values) => values.iter().map(listed).collect(),
        EnumerationForm::Closed { variants, aliases } => variants
            .iter()
            .map(|variant| (variant.ident.clone(), variant.name.clone()))
            .chain(aliases.iter().map(listed))
            .collect(),
    };
    let mut idents = HashSet::new();
    let mut proto: HashMap<String, Ident> = HashMap::new();
    for (ident, name) in names {
        if !idents.insert(ident.unraw().to_string()) {
            errors.at(ident.span(), format!("the value `{ident}` is declared twice"));
        } else if let Some(first) = proto.get(&name) {
            errors.at(ident.span(), format!("the proto name `{name}` of `{ident}` is already that of `{first}`"));
        } else {
            proto.insert(name, ident);
        }
    }
}

/// One entry of `open(...)` or `alias(...)`: docs, then `Red = 0 "COLOR_RED"`.
struct Listed {
    attributes: Vec<Attribute>,
    ident: Ident,
    number: Expr,
    name: Option<LitStr>,
}

impl Parse for Listed {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        Ok(Self {
            attributes: input.call(Attribute::parse_outer)?,
            ident: input.parse()?,
            number: {
                if !input.peek(Token![=]) {
                    return Err(input.error("the number of the value stands here: `Red = 0 \"COLOR_RED\"`"));
                }
                input.parse::<Token![=]>()?;
                input.parse()?
            },
            name: if input.peek(LitStr) { Some(input.parse()?) } else { None },
        })
    }
}

impl Listed {
    fn check(self, errors: &mut Errors) -> Option<EnumerationValue> {
        let number = number(&self.number, errors)?;
        let name = self.name.map_or_else(|| self.ident.unraw().to_string(), |name| name.value());
        Some(EnumerationValue { attributes: self.attributes, ident: self.ident, number, name })
    }
}

fn listed(word: &Word, example: &str, errors: &mut Errors) -> Vec<Listed> {
    let list = word
        .in_parentheses(example)
        .and_then(|tokens| Punctuated::<Listed, Token![,]>::parse_terminated.parse2(tokens));
    errors.keep(list).map(|list| list.into_iter().collect()).unwrap_or_default()
}
