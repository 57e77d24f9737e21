//! Field numbers: 1 to 2^29 - 1 without the range protobuf keeps for itself, each once in a message.

use std::collections::HashMap;

use proc_macro2::Span;
use syn::{Expr, ExprLit, Lit, LitStr};

use super::attribute::{Word, integer, ungroup};
use super::errors::Errors;

/// The largest field number, 2^29 - 1.
const MAX: i128 = (1 << 29) - 1;

/// A checked field number and where it is written.
#[derive(Clone, Copy)]
pub(crate) struct Number {
    pub(crate) value: u32,
    pub(crate) span: Span,
}

impl Number {
    fn check(value: i128, span: Span, errors: &mut Errors) -> Option<Self> {
        let problem = match value {
            0 => "field numbers start at 1".to_owned(),
            19_000..=19_999 => {
                format!("field number {value} is reserved: protobuf keeps 19000 to 19999 for itself")
            }
            1..=MAX => match u32::try_from(value) {
                Ok(value) => return Some(Self { value, span }),
                Err(_) => return None,
            },
            _ if value < 0 => format!("field number {value} is negative; field numbers start at 1"),
            _ => format!("field number {value} is too large; the largest is {MAX} (2^29 - 1)"),
        };
        errors.at(span, problem);
        None
    }

    fn parse(text: &str, span: Span, errors: &mut Errors) -> Option<Self> {
        match text.trim().parse::<i128>() {
            Ok(value) => Self::check(value, span, errors),
            Err(_) => {
                errors.at(span, format!("`{}` is not a field number", text.trim()));
                None
            }
        }
    }

    /// Reads `tag = 1` or `tag = "1"`.
    pub(super) fn one(word: &Word, errors: &mut Errors) -> Option<Self> {
        let expression = errors.keep(word.expression("tag = 1"))?;
        if let Some(value) = integer(expression) {
            return Self::check(value, syn::spanned::Spanned::span(expression), errors);
        }
        match ungroup(expression) {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Self::parse(&text.value(), text.span(), errors),
            _ => {
                errors.over(expression, "expected a field number: `tag = 1`");
                None
            }
        }
    }

    /// Reads `tags = "10, 11"`. `None` when none of them is good; the mistakes are recorded.
    pub(super) fn several(word: &Word, errors: &mut Errors) -> Option<Vec<Self>> {
        let text: LitStr = errors.keep(word.text("tags = \"10, 11\""))?;
        let value = text.value();
        let list = value.trim();
        let list = list.strip_suffix(',').unwrap_or(list);
        if list.is_empty() {
            errors.at(text.span(), "a oneof needs at least one field number in `tags`");
            return None;
        }
        let numbers: Vec<Self> =
            list.split(',').filter_map(|number| Self::parse(number, text.span(), errors)).collect();
        (!numbers.is_empty()).then_some(numbers)
    }
}

/// Who uses which field number.
#[derive(Default)]
pub(super) struct Taken(HashMap<u32, String>);

impl Taken {
    /// Records that `owner` uses `number`.
    pub(super) fn take(&mut self, number: Number, owner: &str, errors: &mut Errors) {
        match self.0.get(&number.value) {
            Some(first) if first == owner => {
                errors.at(number.span, format!("field number {} stands twice in `{owner}`", number.value));
            }
            Some(first) => errors
                .at(number.span, format!("field number {} of `{owner}` is already used by `{first}`", number.value)),
            None => {
                self.0.insert(number.value, owner.to_owned());
            }
        }
    }
}
