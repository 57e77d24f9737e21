//! Gathers the mistakes of one item, so that they are reported together.

use std::fmt::Display;

use proc_macro2::Span;
use quote::ToTokens;

/// The mistakes found so far.
#[derive(Default)]
pub(super) struct Errors {
    first: Option<syn::Error>,
}

impl Errors {
    /// A mistake at one place.
    pub(super) fn at(&mut self, span: Span, message: impl Display) {
        self.push(syn::Error::new(span, message));
    }

    /// A mistake that spans `tokens`.
    pub(super) fn over(&mut self, tokens: impl ToTokens, message: impl Display) {
        self.push(syn::Error::new_spanned(tokens, message));
    }

    /// A mistake found by `syn` itself.
    pub(super) fn push(&mut self, error: syn::Error) {
        match &mut self.first {
            Some(first) => first.combine(error),
            None => self.first = Some(error),
        }
    }

    /// Keeps the value of `result`, or its mistake.
    pub(super) fn keep<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.push(error)).ok()
    }

    /// Whether a mistake was found.
    pub(super) fn any(&self) -> bool {
        self.first.is_some()
    }

    /// All mistakes as one error, if there are any.
    pub(super) fn finish(self) -> syn::Result<()> {
        self.first.map_or(Ok(()), Err)
    }
}
