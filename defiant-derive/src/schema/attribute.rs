//! The grammar of `#[defiant(...)]`: a comma-separated list of words, each alone, with a value, or with a list.

use proc_macro2::{Span, TokenStream};
use syn::ext::IdentExt as _;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, ExprLit, ExprUnary, Ident, Lit, LitStr, Path, Token, UnOp, parenthesized, token};

use super::errors::Errors;

/// One word of an attribute: `optional`, `tag = 1` or `open(...)`.
pub(super) struct Word {
    pub(super) ident: Ident,
    value: Value,
}

enum Value {
    Alone,
    Assigned(Expr),
    List(TokenStream),
}

impl Parse for Word {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let ident = Ident::parse_any(input)?;
        let value = if input.peek(Token![=]) {
            input.parse::<Token![=]>()?;
            Value::Assigned(input.parse()?)
        } else if input.peek(token::Paren) {
            let list;
            parenthesized!(list in input);
            Value::List(list.parse()?)
        } else {
            Value::Alone
        };
        Ok(Self { ident, value })
    }
}

/// The words of all `#[defiant(...)]` among `attributes`; `None` when there is no such attribute or when one of them
/// cannot be read (the mistake is recorded).
pub(super) struct Words {
    pub(super) list: Vec<Word>,
    /// A `#[defiant(...)]` stands there, readable or not.
    pub(super) present: bool,
    /// All of them could be read, so a missing word is really missing.
    pub(super) complete: bool,
}

impl Words {
    pub(super) fn read(attributes: &[Attribute], errors: &mut Errors) -> Self {
        let mut words = Self { list: Vec::new(), present: false, complete: true };
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("defiant")) {
            words.present = true;
            match attribute.parse_args_with(Punctuated::<Word, Token![,]>::parse_terminated) {
                Ok(list) => words.list.extend(list),
                Err(error) => {
                    words.complete = false;
                    errors.push(error);
                }
            }
        }
        words
    }
}

impl Word {
    /// The word's name, `r#` stripped.
    pub(super) fn name(&self) -> String {
        self.ident.unraw().to_string()
    }

    pub(super) fn span(&self) -> Span {
        self.ident.span()
    }

    /// A word that takes no value.
    pub(super) fn alone(&self) -> syn::Result<()> {
        match &self.value {
            Value::Alone => Ok(()),
            _ => Err(syn::Error::new(self.span(), format!("`{}` takes no value: write just `{0}`", self.name()))),
        }
    }

    /// `word = expression`.
    pub(super) fn expression(&self, example: &str) -> syn::Result<&Expr> {
        match &self.value {
            Value::Assigned(expression) => Ok(expression),
            _ => Err(syn::Error::new(self.span(), format!("`{}` needs a value: `{example}`", self.name()))),
        }
    }

    /// `word = "text"`.
    pub(super) fn text(&self, example: &str) -> syn::Result<LitStr> {
        let expression = self.expression(example)?;
        match ungroup(expression) {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Ok(text.clone()),
            _ => Err(syn::Error::new_spanned(expression, format!("expected a string: `{example}`"))),
        }
    }

    /// `word = true`, `word = "true"`, or `word` alone for true.
    pub(super) fn boolean(&self) -> syn::Result<bool> {
        let Value::Assigned(expression) = &self.value else {
            return self.alone().map(|()| true);
        };
        match ungroup(expression) {
            Expr::Lit(ExprLit { lit: Lit::Bool(lit), .. }) => return Ok(lit.value),
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => {
                if let Ok(value) = text.value().parse() {
                    return Ok(value);
                }
            }
            _ => {}
        }
        Err(syn::Error::new_spanned(expression, format!("expected `{} = true` or `{0} = false`", self.name())))
    }

    /// `word(...)`.
    pub(super) fn in_parentheses(&self, example: &str) -> syn::Result<TokenStream> {
        match &self.value {
            Value::List(list) => Ok(list.clone()),
            _ => Err(syn::Error::new(self.span(), format!("`{}` needs a list: `{example}`", self.name()))),
        }
    }

    /// `word = "some::path"` or `word = some::path`.
    pub(super) fn path(&self, example: &str) -> syn::Result<Path> {
        let expression = self.expression(example)?;
        match ungroup(expression) {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => text
                .parse()
                .map_err(|_| syn::Error::new(text.span(), format!("expected a path in the string: `{example}`"))),
            Expr::Path(path) if path.qself.is_none() => Ok(path.path.clone()),
            _ => Err(syn::Error::new_spanned(expression, format!("expected a path: `{example}`"))),
        }
    }

    pub(super) fn is_alone(&self) -> bool {
        matches!(self.value, Value::Alone)
    }
}

/// The expression inside the invisible delimiters that `macro_rules!` puts around `$x:expr` and `$x:literal`.
pub(super) fn ungroup(mut expression: &Expr) -> &Expr {
    while let Expr::Group(group) = expression {
        expression = &group.expr;
    }
    expression
}

/// The number an integer literal stands for, with or without a minus sign; `None` when it is something else.
pub(super) fn integer(expression: &Expr) -> Option<i128> {
    match ungroup(expression) {
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => number.base10_parse().ok(),
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => match ungroup(expr) {
            Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => number.base10_parse::<i128>().ok().map(|n| -n),
            _ => None,
        },
        _ => None,
    }
}
