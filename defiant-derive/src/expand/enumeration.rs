//! `#[derive(Enumeration)]`.

use std::collections::HashSet;

use proc_macro2::{Literal, Span, TokenStream};
use quote::quote;

use super::{allows, descriptor, renamed, runtime};
use crate::schema::{ClosedVariant, Enumeration, EnumerationForm, EnumerationValue, Item};

/// The impls of an enumeration.
pub(crate) fn enumeration(enumeration: &Enumeration) -> TokenStream {
    let item = &enumeration.item;
    let own = match &enumeration.form {
        EnumerationForm::Open(values) => open(item, values, enumeration.debug),
        EnumerationForm::Closed { variants, aliases } => closed(item, variants, aliases),
    };
    let (ident, allows) = (&item.ident, allows(item));
    let runtime = runtime(item, Span::call_site());
    quote! {
        #own

        #[automatically_derived]
        #allows
        impl ::core::default::Default for #ident {
            #[inline]
            fn default() -> Self {
                <Self as #runtime::Enumeration>::DEFAULT
            }
        }

        #[automatically_derived]
        #allows
        impl ::core::convert::From<#ident> for i32 {
            #[inline]
            fn from(value: #ident) -> Self {
                <#ident as #runtime::Enumeration>::number(value)
            }
        }
    }
}

/// What both forms put into the trait impl.
struct Common<'a> {
    item: &'a Item,
    default: TokenStream,
    values: Vec<(&'a str, i32)>,
    open: bool,
    from_number: TokenStream,
    number: TokenStream,
}

impl Common<'_> {
    fn expand(self) -> TokenStream {
        let Self { item, default, values, open, from_number, number } = self;
        let (ident, name, allows) = (&item.ident, &item.name, allows(item));
        let runtime = runtime(item, Span::call_site());
        let descriptor = descriptor::of_enumeration(item);
        let values = values.into_iter().map(|(name, number)| {
            let number = plain(number);
            quote!((#name, #number))
        });
        quote! {
            #[automatically_derived]
            #allows
            impl #runtime::Enumeration for #ident {
                const DEFAULT: Self = #default;

                const NAME: &'static str = #name;

                const VALUES: &'static [(&'static str, i32)] = &[#(#values),*];

                const OPEN: bool = #open;

                #descriptor

                #[inline]
                fn from_number(number: i32) -> ::core::option::Option<Self> {
                    #from_number
                }

                #[inline]
                fn number(self) -> i32 {
                    #number
                }
            }
        }
    }
}

fn open(item: &Item, values: &[EnumerationValue], with_debug: bool) -> TokenStream {
    let (ident, allows) = (&item.ident, allows(item));
    let debug_name = ident.to_string();
    let debug_name = debug_name.trim_start_matches("r#");
    let common = Common {
        item,
        default: quote!(Self(0)),
        values: values.iter().map(|value| (value.name.as_str(), value.number)).collect(),
        open: true,
        from_number: quote!(::core::option::Option::Some(Self(number))),
        number: quote!(self.0),
    }
    .expand();
    let constants = values.iter().map(|value| {
        let number = plain(value.number);
        constant(value, &quote!(Self(#number)))
    });
    // Of several names of a number, the first is its name.
    let mut named = HashSet::new();
    let first: Vec<&EnumerationValue> = values.iter().filter(|value| named.insert(value.number)).collect();
    let names = first.iter().map(|value| {
        let (number, name) = (plain(value.number), &value.name);
        quote!(#number => ::core::option::Option::Some(#name),)
    });
    let debug = first.iter().map(|value| {
        let number = plain(value.number);
        let name = value.ident.to_string();
        let name = name.trim_start_matches("r#");
        quote!(#number => f.write_str(#name),)
    });
    let debug = with_debug.then(|| {
        quote! {
            #[automatically_derived]
            #allows
            impl ::core::fmt::Debug for #ident {
                #[inline]
                fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                    match self.0 {
                        #(#debug)*
                        number => f.debug_tuple(#debug_name).field(&number).finish(),
                    }
                }
            }
        }
    });
    let parse = values.iter().map(|value| {
        let (number, name) = (plain(value.number), &value.name);
        quote!(#name => ::core::option::Option::Some(Self(#number)),)
    });
    quote! {
        #[automatically_derived]
        #allows
        #[allow(dead_code, non_upper_case_globals)]
        impl #ident {
            #(#constants)*

            /// The name of the value in its `.proto`; `None` for a number that has none.
            #[inline]
            #[must_use]
            pub const fn as_str_name(self) -> ::core::option::Option<&'static str> {
                match self.0 {
                    #(#names)*
                    _ => ::core::option::Option::None,
                }
            }

            /// The value that has this name in its `.proto`.
            #[inline]
            #[must_use]
            pub fn from_str_name(name: &str) -> ::core::option::Option<Self> {
                match name {
                    #(#parse)*
                    _ => ::core::option::Option::None,
                }
            }
        }

        #common

        #debug

        #[automatically_derived]
        #allows
        impl ::core::convert::From<i32> for #ident {
            #[inline]
            fn from(number: i32) -> Self {
                Self(number)
            }
        }
    }
}

fn closed(item: &Item, variants: &[ClosedVariant], aliases: &[EnumerationValue]) -> TokenStream {
    let (ident, allows) = (&item.ident, allows(item));
    let runtime = runtime(item, Span::call_site());
    let default = variants.first().map(|variant| {
        let first = &variant.ident;
        quote!(Self::#first)
    });
    let from_number = variants.iter().map(|variant| {
        let (number, variant) = (plain(variant.number), &variant.ident);
        quote!(#number => ::core::option::Option::Some(Self::#variant),)
    });
    let values = variants
        .iter()
        .map(|variant| (variant.name.as_str(), variant.number))
        .chain(aliases.iter().map(|alias| (alias.name.as_str(), alias.number)))
        .collect();
    let common = Common {
        item,
        default: quote!(#default),
        values,
        open: false,
        from_number: quote! {
            match number {
                #(#from_number)*
                _ => ::core::option::Option::None,
            }
        },
        number: quote!(self as i32),
    }
    .expand();
    let variant_of = |number: i32| variants.iter().find(|variant| variant.number == number).map(|found| &found.ident);
    let constants = aliases.iter().filter_map(|alias| {
        let variant = variant_of(alias.number)?;
        Some(constant(alias, &quote!(Self::#variant)))
    });
    let names = variants.iter().map(|variant| {
        let (name, variant) = (&variant.name, &variant.ident);
        quote!(Self::#variant => #name,)
    });
    let parse = variants
        .iter()
        .map(|variant| (&variant.name, Some(&variant.ident)))
        .chain(aliases.iter().map(|alias| (&alias.name, variant_of(alias.number))))
        .filter_map(|(name, variant)| {
            let variant = variant?;
            Some(quote!(#name => ::core::option::Option::Some(Self::#variant),))
        });
    quote! {
        #[automatically_derived]
        #allows
        #[allow(dead_code, non_upper_case_globals)]
        impl #ident {
            #(#constants)*

            /// The name of the value in its `.proto`.
            #[inline]
            #[must_use]
            pub const fn as_str_name(self) -> &'static str {
                match self {
                    #(#names)*
                }
            }

            /// The value that has this name in its `.proto`.
            #[inline]
            #[must_use]
            pub fn from_str_name(name: &str) -> ::core::option::Option<Self> {
                match name {
                    #(#parse)*
                    _ => ::core::option::Option::None,
                }
            }
        }

        #common

        #[automatically_derived]
        #allows
        impl ::core::convert::TryFrom<i32> for #ident {
            type Error = #runtime::UnknownEnumValue;

            #[inline]
            fn try_from(number: i32) -> ::core::result::Result<Self, #runtime::UnknownEnumValue> {
                match <Self as #runtime::Enumeration>::from_number(number) {
                    ::core::option::Option::Some(value) => ::core::result::Result::Ok(value),
                    ::core::option::Option::None => {
                        ::core::result::Result::Err(#runtime::UnknownEnumValue(number))
                    }
                }
            }
        }
    }
}

/// An associated constant with the documentation of its value, or one that names it.
fn constant(value: &EnumerationValue, expression: &TokenStream) -> TokenStream {
    let EnumerationValue { attributes, ident, number, name } = value;
    let documented = attributes.iter().any(|attribute| attribute.path().is_ident("doc"));
    let doc = (!documented).then(|| {
        let doc = format!(" `{name}`, the value {number}.");
        quote!(#[doc = #doc])
    });
    let ident = renamed(ident);
    quote! {
        #doc
        #(#attributes)*
        pub const #ident: Self = #expression;
    }
}

/// A number without a suffix.
fn plain(number: i32) -> TokenStream {
    let literal = Literal::i32_unsuffixed(number);
    quote!(#literal)
}
